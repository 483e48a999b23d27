cimport cython
from libc cimport math
from webmotor_drake.loops cimport records, torque_speed

cdef Py_ssize_t _TARGET, _SPEED, _AVAILABLE, _DIRECT, _IN_EFFORT, _FEEDFORWARD
cdef Py_ssize_t _POSITION, _VELOCITY, _JOINT_POSITION, _JOINT_VELOCITY
cdef Py_ssize_t _IS_HOT, _HELD

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
