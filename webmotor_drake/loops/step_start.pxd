cimport cython
from libc cimport math
from webmotor_drake.loops cimport law_rows, usual_commands

cdef Py_ssize_t _NOT_FINITE, _UNUSUAL

cdef class StepStart:
    cdef const Py_ssize_t[:, ::1] ends
    cdef const Py_ssize_t[::1] places
    cdef const double[::1] friction
    cdef double[::1] q, left
    cdef const double[:, ::1] usual
    cdef double period
    cdef Py_ssize_t n

    @cython.locals(i=Py_ssize_t)
    cdef Py_ssize_t begin(
        self, double[::1] values, const double[::1] state,
        const double[::1] row, Py_ssize_t given,
    ) noexcept
    cdef void run_law(self, double[::1] values) noexcept
