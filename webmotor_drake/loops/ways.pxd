cimport cython

cdef double _SELDOM, _INF

@cython.final
cdef class Ways:
    cdef const double[::1] levers
    cdef const Py_ssize_t[::1] trees, spins
    cdef Py_ssize_t positions
    cdef double step, most, slack, left, ahead
    cdef double[::1] x, rate, ways
    cdef Ways others
    cdef double least

    cpdef void watch(self, Ways others, double least)
    cpdef Py_ssize_t steps_ahead(self) noexcept
    @cython.locals(i=Py_ssize_t)
    cpdef bint is_quiet(self, const double[::1] x) noexcept
    @cython.locals(i=Py_ssize_t)
    cpdef void keep(
        self, const double[::1] x, double slack, const double[::1] rate,
        Py_ssize_t steps,
    )
    @cython.locals(
        i=Py_ssize_t, q=Py_ssize_t, v=Py_ssize_t, half=double, w=double,
        x=double, y=double, z=double, a=double, b=double, c=double,
    )
    cdef void turn(self) noexcept
    cpdef void forget(self) noexcept
    @cython.locals(i=Py_ssize_t)
    cpdef double way_in_step(self, const double[::1] x) noexcept
    @cython.locals(i=Py_ssize_t)
    cdef double way(self, const double[::1] x) noexcept
    @cython.locals(i=Py_ssize_t, most=double)
    cdef double farthest(self) noexcept
