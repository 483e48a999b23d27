cimport cython
from libc cimport math

cdef Py_ssize_t _COLUMNS, _RESTS, _SINKS, _LANDS, _CARRY
cdef Py_ssize_t _NOW, _THEN, _MIDDLE, _FALL, _BOW, _STAYS, _AWAY, _SLACK
cdef double _INF, _FAST, _LOADED, _BALL, _LIES

@cython.locals(
    seen=Py_ssize_t, count=Py_ssize_t, pair=Py_ssize_t, a=Py_ssize_t,
    b=Py_ssize_t, held=Py_ssize_t, i=Py_ssize_t, row=Py_ssize_t,
    comes=Py_ssize_t, bow=double,
)
cpdef Py_ssize_t arrivals(
    const Py_ssize_t[::1] pairs, const Py_ssize_t[::1] shapes,
    const double[::1] measures, const double[::1] points,
    const double[::1] planes, const double[::1] poses, const double[::1] velocities,
    const double[::1] changes, const double[::1] falls, double step,
    double[::1] motions, double[::1] work, double[::1] found,
) noexcept
@cython.locals(
    body=Py_ssize_t, p=Py_ssize_t, m=Py_ssize_t, k=Py_ssize_t, x=double,
    y=double, z=double, square=double, first=double, half=double,
    angle=double, a=double, b=double, c=double, u=double, v=double, w=double,
)
cdef void _advance(
    const double[::1] poses, const double[::1] motions, double step,
    double[::1] then,
) noexcept
@cython.locals(
    body_a=Py_ssize_t, body_b=Py_ssize_t, seen=Py_ssize_t, k=Py_ssize_t,
    m=Py_ssize_t, x=double, y=double, z=double, u=double, v=double, w=double,
    reach=double, bound=double, away=double, height=double, total=double,
    fall=double, far=double, angle=double, bow=double,
)
cdef bint _near(
    Py_ssize_t a, Py_ssize_t b, const Py_ssize_t[::1] shapes,
    const double[::1] measures, const double[::1] planes,
    const double[::1] poses, const double[::1] motions, double step,
    double[::1] work,
) noexcept
@cython.locals(
    m=Py_ssize_t, p=Py_ssize_t, angle=double, x=double, y=double, z=double,
    u=double, v=double, w=double,
)
cdef double _bow(
    const double[::1] points, Py_ssize_t i, const double[::1] poses,
    const double[::1] motions, Py_ssize_t body, double step,
) noexcept
@cython.locals(
    i=Py_ssize_t, k=Py_ssize_t, m=Py_ssize_t, total=double, value=double
)
cdef void _see(
    const double[::1] poses, Py_ssize_t a, Py_ssize_t b, double[::1] seen,
    Py_ssize_t place,
) noexcept
cdef double _at(
    const double[::1] poses, Py_ssize_t row, double x, double y, double z
) noexcept
@cython.locals(x=double, y=double, z=double)
cdef double _size(const double[::1] vectors, Py_ssize_t place) noexcept
@cython.locals(
    x=double, y=double, z=double, radius=double, px=double, py=double,
    pz=double, qx=double, qy=double, qz=double, then=Py_ssize_t, k=Py_ssize_t,
    rests=double, loaded=double, outside=double, leaves=double, kept=double, deepest=double, latest=double,
    facing=Py_ssize_t, coming=Py_ssize_t, u=double, v=double, w=double,
    gap=double, later=double, faces=bint, time=double, inside=bint,
    slack=double, comes=Py_ssize_t, away=double, rate=double, fall=double,
)
cdef Py_ssize_t _followed(
    const double[::1] points, Py_ssize_t i, const double[::1] planes,
    Py_ssize_t first, Py_ssize_t last, const double[::1] measures, Py_ssize_t a,
    bint rolls, double step, double[::1] work, Py_ssize_t seen,
    double[::1] found, Py_ssize_t row,
) noexcept
@cython.locals(total=double, i=Py_ssize_t, m=Py_ssize_t)
cdef bint _lies(
    const double[::1] axes, Py_ssize_t a, const double[::1] planes, Py_ssize_t k,
    double[::1] work, Py_ssize_t seen,
) noexcept
@cython.locals(u=double, v=double, w=double, k=Py_ssize_t, r=Py_ssize_t)
cdef void _place(
    const double[::1] points, Py_ssize_t i, const double[::1] poses,
    const double[::1] motions, Py_ssize_t a, Py_ssize_t b, double[::1] found,
    Py_ssize_t row,
) noexcept
@cython.locals(
    x=double, y=double, z=double, m=Py_ssize_t, n=Py_ssize_t, i=double,
    j=double, k=double,
)
cdef double _leaving(
    const double[::1] poses, const double[::1] motions, Py_ssize_t body,
    double[::1] found, Py_ssize_t row,
) noexcept
