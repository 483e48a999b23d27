cimport cython
from libc cimport math

cdef Py_ssize_t _COMMANDS, _TARGET, _SPEED, _EFFORT, _IN_EFFORT
cdef Py_ssize_t _P, _D, _FEEDFORWARD, _INTEGRAL, _PREVIOUS

@cython.locals(
    size=Py_ssize_t, n=Py_ssize_t, arrived=Py_ssize_t, i=Py_ssize_t,
    row=Py_ssize_t, before=double[::1], mode=Py_ssize_t,
)
cpdef void pass_on(
    const Py_ssize_t[::1] whole, const double[::1] part, double[::1] line,
    double[::1] command, double[::1] law_state,
) noexcept
cdef Py_ssize_t _mode(
    const double[::1] command, Py_ssize_t n, Py_ssize_t i
) noexcept
@cython.locals(now=double)
cdef void _average(
    Py_ssize_t place, double part, const double[::1] before,
    double[::1] command,
) noexcept
