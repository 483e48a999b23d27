cimport cython
from libc cimport math

cdef Py_ssize_t _BOX, _ELLIPSOID, _CYLINDER, _CAPSULE, _POLYTOPE
cdef double _INF, _ALONG

@cython.locals(
    shapes=Py_ssize_t, i=Py_ssize_t, j=Py_ssize_t, b=Py_ssize_t, g=Py_ssize_t,
    begin=Py_ssize_t, end=Py_ssize_t, first=Py_ssize_t, x=double, y=double,
    z=double, ox=double, oy=double, oz=double, dx=double, dy=double, dz=double,
    px=double, py=double, pz=double, ux=double, uy=double, uz=double,
    best=double, t=double,
)
cpdef void cast_rays(
    const double[::1] origins, const double[::1] directions,
    const Py_ssize_t[::1] ray_bodies, const double[::1] ranges,
    const double[::1] poses, const Py_ssize_t[::1] shape_bodies,
    const double[::1] shape_poses, const Py_ssize_t[::1] kinds,
    const double[::1] sizes, const Py_ssize_t[::1] faces,
    const double[::1] planes, const unsigned char[::1] blind,
    double[::1] placed, double[::1] lengths, Py_ssize_t[::1] met,
) noexcept
@cython.locals(
    j=Py_ssize_t, b=Py_ssize_t, g=Py_ssize_t, row=Py_ssize_t, r=Py_ssize_t,
    column=Py_ssize_t, k=Py_ssize_t, total=double,
)
cdef void _place_shapes(
    const double[::1] poses, const Py_ssize_t[::1] shape_bodies,
    const double[::1] shape_poses, double[::1] placed,
) noexcept
@cython.locals(a=double, b=double, c=double, near=double, far=double)
cdef double _met(
    Py_ssize_t kind, double px, double py, double pz, double ux, double uy,
    double uz, const double[::1] sizes, Py_ssize_t place,
) noexcept
cdef double _ahead(double near, double far) noexcept
@cython.locals(low=double, high=double)
cdef (double, double) _slab(double p, double u, double half) noexcept
@cython.locals(root=double)
cdef (double, double) _quadric(double a, double half_b, double c) noexcept
@cython.locals(near=double, far=double, low=double, high=double)
cdef double _box(
    double px, double py, double pz, double ux, double uy, double uz,
    double a, double b, double c,
) noexcept
@cython.locals(near=double, far=double)
cdef double _ellipsoid(
    double px, double py, double pz, double ux, double uy, double uz
) noexcept
@cython.locals(near=double, far=double, low=double, high=double)
cdef (double, double) _cylinder(
    double px, double py, double pz, double ux, double uy, double uz,
    double radius, double half,
) noexcept
@cython.locals(
    near=double, far=double, sign=Py_ssize_t, z=double, low=double, high=double
)
cdef double _capsule(
    double px, double py, double pz, double ux, double uy, double uz,
    double radius, double half,
) noexcept
@cython.locals(
    near=double, far=double, k=Py_ssize_t, nx=double, ny=double, nz=double,
    height=double, speed=double,
)
cdef double _polytope(
    double px, double py, double pz, double ux, double uy, double uz,
    const double[::1] planes, Py_ssize_t first, Py_ssize_t last,
) noexcept
