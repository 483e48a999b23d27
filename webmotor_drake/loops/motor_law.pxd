cimport cython
from libc cimport math
from webmotor_drake.loops cimport records

cdef Py_ssize_t _TARGET, _SPEED, _AVAILABLE, _DIRECT, _IN_EFFORT, _FEEDFORWARD
cdef Py_ssize_t _POSITION, _VELOCITY, _JOINT_POSITION, _JOINT_VELOCITY
cdef Py_ssize_t _IS_HOT, _HELD
cdef double _GONE

@cython.locals(effort=double)
cdef (double, double) pd(
    records.Law law, const double[:] told, double q, double w, double step
) noexcept
@cython.locals(q=double, v=double, effort=double, _=double, error=double)
cdef double computed_ahead(
    records.Law law, const double[:] mine, const double[:] told
) noexcept
@cython.locals(back=double)
cdef (double, double) asked(
    records.Law law, const double[:] mine, const double[:] told, double q,
    double w, double step,
) noexcept
cdef double cap(
    records.Law law, const double[:] mine, const double[:] told
) noexcept
cdef (double, double, double, double) limits(
    records.Law law, const double[:] mine, const double[:] told, double w
) noexcept
@cython.locals(
    effort=double, fall=double, low=double, high=double, low_fall=double,
    high_fall=double,
)
cdef (double, double) made(
    records.Law law, const double[:] mine, const double[:] told, double q,
    double w, double step,
) noexcept
@cython.locals(
    q=double, v=double, effort=double, fall=double, low=double, high=double,
    _=double, largest=double, back=double, above=double, below=double,
)
cdef (double, double, double, double) first_piece(
    records.Law law, const double[:] mine, const double[:] told, double step
) noexcept
@cython.locals(
    back=double, above=double, below=double, high=double, low=double,
    low_fall=double, high_fall=double,
)
cpdef (double, double, double, double) _line_limits(
    double velocity, double stall, double drop, double cap
) noexcept
@cython.locals(slow=double, speed=double, held=double)
cdef double budget(
    records.Law law, double velocity, double motor, double load
) noexcept
@cython.locals(share=double, final=double)
cdef double heated(
    records.Law law, double heat, double effort, double step
) noexcept
cdef double is_hot(records.Law law, double was_hot, double heat) noexcept
