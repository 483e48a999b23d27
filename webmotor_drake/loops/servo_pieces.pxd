cimport cython

cdef Py_ssize_t _EFFORT, _START, _BUDGET, _ANCHOR, _SLOPE, _LOW, _HIGH
cdef double _NO_DAMPING, _INF

@cython.locals(middle=double, half=double, loop=double)
cdef double settle(double[:] mine, double w) noexcept
@cython.locals(held=double, middle=double, _=double)
cdef (double, double, double) lay(double[:] mine) noexcept
cdef double _seeks(const double[:] mine, double middle) noexcept
cpdef (double, double) middle_of(double low, double high) noexcept
