cimport cython

cdef double _AT_LIMIT

@cython.locals(i=Py_ssize_t, limit=double, at_limit=bint)
cpdef void mark(
    const double[::1] available, const double[::1] in_effort,
    const double[::1] effort, const double[::1] friction,
    unsigned char[::1] found,
) noexcept
