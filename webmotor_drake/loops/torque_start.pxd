cimport cython
from webmotor_drake.loops cimport step_start

cdef Py_ssize_t _MISSED

@cython.final
cdef class TorqueStart(step_start.StepStart):
    cdef const Py_ssize_t[::1] tree_places
    cdef double tolerance

    @cython.locals(
        i=Py_ssize_t, effort=Py_ssize_t, held=Py_ssize_t, found=Py_ssize_t,
    )
    cpdef Py_ssize_t finish_and_run_law(
        self, double[::1] values, const double[::1] state,
        const double[::1] row, Py_ssize_t given, bint law
    ) noexcept
    @cython.locals(i=Py_ssize_t, foreseen=double, off=double)
    cpdef bint misses(
        self, const double[::1] values, const double[::1] state,
    ) noexcept
