cimport cython
from libc cimport math

cdef Py_ssize_t _DEMANDS
cdef Py_ssize_t _TARGET, _SPEED, _ACCELERATION, _AVAILABLE, _EFFORT, _IN_EFFORT
cdef Py_ssize_t _P, _I, _D, _FEEDFORWARD
cdef Py_ssize_t _INTEGRAL, _PREVIOUS_ERROR, _VELOCITY_TARGET, _VELOCITY_COMMAND
cdef Py_ssize_t _RATE, _BOUND, _DIRECT_EFFORT

@cython.locals(
    m=Py_ssize_t, i=Py_ssize_t, available=double, velocity=double,
    velocity_command=double, target=double, error=double, integral=double,
    change=double, pid=double, friction_bounds=bint, limit=double,
    largest=double, before=double,
)
cpdef void step_servo_rows(
    const double[::1] q, Py_ssize_t n, double period, const double[::1] command,
    const double[::1] friction, double[::1] law_state, double[::1] demand,
    const double[:, ::1] moved,
) noexcept
