cimport cython
from libc cimport math

cdef Py_ssize_t _ROUNDS
cdef double _SETTLED

@cython.locals(
    size=Py_ssize_t, _=Py_ssize_t, i=Py_ssize_t, x=Py_ssize_t, y=Py_ssize_t,
    z=Py_ssize_t, changed=double, most=double, a=double, b=double, c=double,
    more=double, least=double, u=double, v=double, across=double,
    bound=double, share=double,
)
cpdef void settle(
    const double[::1] columns, double[::1] left, const double[::1] friction,
    double[::1] p,
) noexcept
@cython.locals(size=Py_ssize_t, i=Py_ssize_t)
cdef void _push(
    const double[::1] columns, double[::1] left, double[::1] p,
    Py_ssize_t row, double more,
) noexcept
