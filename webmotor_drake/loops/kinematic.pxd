cimport cython
from libc cimport math

cdef Py_ssize_t _TARGET, _SPEED, _ACCELERATION, _AVAILABLE
cdef Py_ssize_t _VELOCITY_TARGET, _VELOCITY_COMMAND, _RATE, _BOUND, _DIRECT
cdef Py_ssize_t _COMMANDS, _DEMANDS
cdef double _REACHED, _NO_BOUND

@cython.locals(
    n=Py_ssize_t, m=Py_ssize_t, i=Py_ssize_t, at=double, low=double,
    high=double, target=double, speed=double, velocity=double, after=double,
    holds=bint, onward=bint, back=bint, largest=double, available=double,
    change=double, missing=double,
)
cpdef void move(
    const double[::1] q, double period, const double[:, ::1] moved,
    const double[::1] command, double[::1] law_state, double[::1] demand,
) noexcept
