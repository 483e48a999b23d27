cimport cython
from webmotor_drake.loops cimport records, step_start

cdef Py_ssize_t _RATE, _BOUND, _DIRECT_EFFORT
cdef Py_ssize_t _DISTURBED, _NEW_BOUNDS
cdef double _SHIFT, _WHOLE

@cython.final
cdef class ServoStep(step_start.StepStart):
    cdef const records.Servo[::1] servos
    cdef Py_ssize_t m

    @cython.locals(found=Py_ssize_t)
    cpdef Py_ssize_t run(
        self, double[::1] values, const double[::1] state,
        const double[::1] net, double[::1] actuation, double[::1] desired,
        const double[::1] limits, const double[::1] row, Py_ssize_t given, bint law,
    ) noexcept
    @cython.locals(
        m=Py_ssize_t, demand=Py_ssize_t, effort=Py_ssize_t, held=Py_ssize_t,
        disturbed=bint, i=Py_ssize_t, bound=double, had=double, direct=double,
    )
    cpdef bint settle(
        self, double[::1] values, const double[::1] net,
        const double[::1] limits,
    ) noexcept
    @cython.locals(
        m=Py_ssize_t, demand=Py_ssize_t, held=Py_ssize_t, new_bounds=bint,
        i=Py_ssize_t, servo=records.Servo, fed=double, direct=double,
        pull=double, slip=double, rate=double,
    )
    cpdef bint prepare(
        self, double[::1] values, const double[::1] state,
        const double[::1] limits, double[::1] actuation, double[::1] desired,
    ) noexcept
