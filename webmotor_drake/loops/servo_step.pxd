cimport cython
from webmotor_drake.loops cimport records, step_start

cdef Py_ssize_t _RATE, _BOUND, _DIRECT_EFFORT, _BRAKE
cdef Py_ssize_t _EFFORT, _START, _BUDGET, _ANCHOR, _SLOPE, _LOW, _HIGH
cdef Py_ssize_t _DISTURBED, _NEW_BOUNDS, _UNUSUAL
cdef double _SHIFT, _WHOLE, _NO_DAMPING, _INF

@cython.final
cdef class ServoStep:
    cdef step_start.StepStart start
    cdef const Py_ssize_t[:, ::1] ends
    cdef const records.Servo[::1] servos
    cdef Py_ssize_t m

    @cython.locals(found=Py_ssize_t)
    cpdef Py_ssize_t run(
        self, double[::1] values, const double[::1] state,
        const double[::1] net, double[::1] actuation, double[::1] desired,
        const double[::1] limits, double[::1] level, double charge,
        const double[::1] row, bint law, bint settled,
    ) except -1
    @cython.locals(
        m=Py_ssize_t, n=Py_ssize_t, demand=Py_ssize_t, effort=Py_ssize_t,
        held=Py_ssize_t, models=Py_ssize_t, table=double[::1],
        disturbed=bint, i=Py_ssize_t, servo=records.Servo, bound=double,
        had=double, brake=double, gain=double, share=double, braked=double,
        direct=double,
    )
    cpdef bint settle(
        self, double[::1] values, const double[::1] state,
        const double[::1] net, const double[::1] limits,
    ) noexcept
    @cython.locals(
        m=Py_ssize_t, n=Py_ssize_t, demand=Py_ssize_t, held=Py_ssize_t,
        nu=Py_ssize_t, table=double[::1], new_bounds=bint, i=Py_ssize_t,
        servo=records.Servo, budget=double, middle=double, seeks=double,
        fed=double, direct=double, pull=double, slip=double, rate=double,
        brake=double, _=double, share=double,
    )
    cdef bint prepare(
        self, double[::1] values, const double[::1] state,
        const double[::1] limits, double[::1] actuation, double[::1] desired,
    ) noexcept

@cython.locals(gain=double)
cpdef (double, double) brake_gain(double damping, double strongest) noexcept
@cython.locals(middle=double, half=double, loop=double)
cdef double settle_loop(double[:] mine, double w) noexcept
@cython.locals(held=double, middle=double, _=double)
cdef (double, double, double) lay_loop(double[:] mine) noexcept
cdef double _seeks(const double[:] mine, double middle) noexcept
cpdef (double, double) middle_of(double low, double high) noexcept
