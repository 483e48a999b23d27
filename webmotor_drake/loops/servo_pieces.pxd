cimport cython
from webmotor_drake.loops cimport model_steps

cdef Py_ssize_t _EFFORT, _START, _BUDGET, _ANCHOR, _SLOPE, _LOW, _HIGH
cdef Py_ssize_t _RATE, _LIMIT, _DIRECT, _DEMANDS
cdef double _NO_DAMPING, _INF

@cython.locals(
    n=Py_ssize_t, k=Py_ssize_t, i=Py_ssize_t, mine=double[:], middle=double,
    half=double, loop=double,
)
cpdef void settle(
    double[::1] table, double[::1] net, model_steps.LawRows laws,
    const Py_ssize_t[::1] slots, const double[::1] w,
) noexcept
@cython.locals(
    m=Py_ssize_t, half=Py_ssize_t, k=Py_ssize_t, i=Py_ssize_t,
    mine=double[:], held=double, middle=double, _half_way=double,
)
cpdef void prepare(
    double[::1] table, double[::1] demand, double[::1] desired,
    model_steps.LawRows laws, const Py_ssize_t[::1] slots, Py_ssize_t n,
) noexcept
cdef double _seeks(const double[:] mine, double middle) noexcept
cpdef (double, double) middle_of(double low, double high) noexcept
