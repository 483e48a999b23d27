cimport cython
from webmotor_drake.loops cimport records

cdef Py_ssize_t _RATE, _BOUND, _DIRECT_EFFORT, _BRAKE
cdef double _WINDOW, _SLIP

@cython.locals(m=Py_ssize_t, i=Py_ssize_t, joint=records.Joint, servo=double, missing=double)
cdef bint predicted_acceleration(
    const records.Joint[::1] joints, const double[::1] state,
    const double[::1] demand, const double[::1] effort,
    double[::1] acceleration, double step,
) noexcept
@cython.locals(
    m=Py_ssize_t, i=Py_ssize_t, joint=records.Joint, a=double, q=double,
    v=double, reach=double, damping=double, applied=double, servo=double,
    pull=double,
)
cdef bint is_solution(
    const records.Joint[::1] joints, const double[::1] state,
    const double[::1] demand, double[::1] effort,
    const double[::1] acceleration, const double[::1] force, double[::1] total,
    double[::1] foreseen, double step,
) noexcept
@cython.locals(i=Py_ssize_t, off=double)
cpdef bint misses(
    const double[::1] state, const Py_ssize_t[::1] places,
    const double[::1] foreseen, double tolerance,
) noexcept
