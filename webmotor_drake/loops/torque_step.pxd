cimport cython
from libc cimport math
from webmotor_drake.loops cimport torque_rest
from webmotor_drake.loops cimport law_rows, usual_commands

cdef Py_ssize_t _NOT_FINITE, _MISSED, _UNUSUAL

cdef class StepStart:
    cdef const Py_ssize_t[:, ::1] ends
    cdef const Py_ssize_t[::1] tree_places, places
    cdef const double[::1] friction
    cdef double period, tolerance
    cdef Py_ssize_t n
    cdef double[::1] q, left
    cdef const double[:, ::1] usual

    @cython.locals(
        q=double[::1], n=Py_ssize_t,
        i=Py_ssize_t, effort=Py_ssize_t, held=Py_ssize_t, found=Py_ssize_t,
    )
    cpdef Py_ssize_t finish_and_run_law(
        self, double[::1] values, const double[::1] state,
        const double[::1] row, Py_ssize_t given, bint law
    ) noexcept
