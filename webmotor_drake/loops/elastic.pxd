cimport cython
from webmotor_drake.loops cimport motor_law, records

cdef Py_ssize_t _EFFORT, _MOTOR_EFFORT, _POSITION, _VELOCITY, _LINK_POSITION
cdef Py_ssize_t _TURNS
cdef double _EXACT

@cython.locals(
    turning=double, softness=double, effort=double, gain=double,
    by_link=double, _=double,
)
cdef (double, double) transmitted(
    records.Law law, const double[:] mine, const double[:] told, double w,
    double step,
) noexcept
@cython.locals(turning=double, made=double, _=double)
cdef (double, double) motor_after(
    records.Law law, const double[:] mine, const double[:] told, double w,
    double effort, double step,
) noexcept
@cython.locals(
    dry=double, need=double, slope=double, shift=double, far=double,
    low=double, high=double, x=double, change=double, newton=double,
    turn=Py_ssize_t,
)
cdef (double, double) _motor_velocity(
    records.Law law, const double[:] mine, const double[:] told, double w,
    double effort, bint known, double step,
) noexcept
@cython.locals(
    inertia=double, made=double, fall=double, pulled=double, gain=double,
    need=double, _=double,
)
cdef (double, double) _missing(
    records.Law law, const double[:] mine, const double[:] told, double x,
    double w, double effort, bint known, double step,
) noexcept
@cython.locals(
    q=double, seen=double, effort=double, fall=double, low=double,
    high=double, low_fall=double, high_fall=double,
)
cdef (double, double, double) _motor(
    records.Law law, const double[:] mine, const double[:] told, double x,
    double w, double step,
) noexcept
@cython.locals(
    before=double, beyond=double, gain=double, began=double, effort=double
)
cdef (double, double) _spring(
    records.Law law, const double[:] mine, double x, double w, double step
) noexcept
cdef double _beyond(double stretch, double gap) noexcept
