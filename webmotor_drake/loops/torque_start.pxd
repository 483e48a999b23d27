cimport cython
from webmotor_drake.loops cimport step_start

cdef Py_ssize_t _MISSED, _SOLVED, _UNUSUAL

@cython.final
cdef class TorqueStart:
    cdef step_start.StepStart start
    cdef const Py_ssize_t[::1] tree_places
    cdef Py_ssize_t foreseen
    cdef double tolerance

    @cython.locals(
        found=Py_ssize_t, held=Py_ssize_t, applied=double[::1],
    )
    cpdef Py_ssize_t run(
        self, double[::1] values, const double[::1] state,
        double[::1] level, double charge,
        const double[::1] row, bint law, bint settled,
    ) except -1
    @cython.locals(
        start=step_start.StepStart, n=Py_ssize_t, i=Py_ssize_t,
        effort=Py_ssize_t, solved=Py_ssize_t, foreseen=double, off=double,
    )
    cpdef bint settle(
        self, double[::1] values, const double[::1] state,
        const double[::1] applied,
    ) noexcept
