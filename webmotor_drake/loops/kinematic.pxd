cimport cython
from libc cimport math

cdef Py_ssize_t _TARGET, _SPEED, _ACCELERATION, _AVAILABLE
cdef Py_ssize_t _VELOCITY_TARGET, _VELOCITY_COMMAND, _RATE, _BOUND, _DIRECT
cdef Py_ssize_t _COMMANDS, _DEMANDS
cdef double _REACHED, _NO_BOUND

@cython.locals(
    n=Py_ssize_t, m=Py_ssize_t, i=Py_ssize_t, speed=double, after=double,
    velocity=double,
)
cpdef void move(
    const double[::1] q, double period, const double[:, ::1] moved,
    const double[::1] command, double[::1] law_state, double[::1] demand,
) noexcept
@cython.locals(
    holds=bint, onward=bint, back=bint, change=double, missing=double
)
cpdef (double, double) step(
    double q, double velocity, double period, double target,
    double target_velocity, double acceleration, double available_effort,
    double low, double high,
) noexcept
