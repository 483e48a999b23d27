cimport cython
from webmotor_drake.loops cimport bounded, records

cdef Py_ssize_t _RATE, _BOUND, _DIRECT_EFFORT, _BRAKE
cdef double _SOFTEST_STOP, _NEAR_RIGID, _WINDOW, _UNBOUNDED, _SLIP
cdef double _AT_BOUND, _STIFF
cdef Py_ssize_t _PATIENCE, _AT_REST, _IS_MOVING

@cython.final
cdef class TreeSolver:
    cdef tuple _arrays
    cdef const records.Joint[::1] joints
    cdef const records.Velocity[::1] velocities
    cdef const records.Member[::1] members
    cdef const records.Tree[::1] trees
    cdef Py_ssize_t count
    cdef double step
    cdef Py_ssize_t[::1] rows
    cdef bounded.Room room
    cdef double[:, ::1] block, stopped, motors, limits
    cdef double[::1] known, given, a, servo, pushed, side

    @cython.locals(
        m=Py_ssize_t, step=double, i=Py_ssize_t, joint=records.Joint,
        servo=double, missing=double,
    )
    cpdef bint predicted_acceleration(
        self, const double[::1] state, const double[::1] demand,
        const double[::1] effort, double[::1] acceleration,
    ) noexcept
    @cython.locals(
        m=Py_ssize_t, step=double, i=Py_ssize_t, joint=records.Joint, a=double,
        q=double, v=double, reach=double, damping=double, applied=double,
        servo=double, pull=double,
    )
    cpdef bint is_solution(
        self, const double[::1] state, const double[::1] demand,
        double[::1] effort, const double[::1] acceleration,
        const double[::1] force, double[::1] total, double[::1] foreseen,
    ) noexcept
    @cython.locals(
        step=double, block=double[:, ::1], motors=double[:, ::1],
        known=double[::1], servo=double[::1], a=double[::1],
        pushed=double[::1], rows=Py_ssize_t[::1], all_joints=Py_ssize_t,
        outcome=Py_ssize_t, k=Py_ssize_t, start=Py_ssize_t, first=Py_ssize_t,
        n=Py_ssize_t, m=Py_ssize_t, c=Py_ssize_t, i=Py_ssize_t, j=Py_ssize_t,
        row=Py_ssize_t, joint=records.Joint, v=double, brake=double,
        damping=double, pull=double, direct=double, slowed=double,
        found=double, more=double, own=double, bound=double,
        slip=double, is_bound=bint,
    )
    cpdef Py_ssize_t solve_trees(
        self, const double[::1] state, const double[::1] demand,
        double[::1] effort, const double[:, ::1] inertia,
        const double[::1] acceleration, const double[::1] force,
        double[::1] total, double[::1] foreseen,
    ) noexcept
    @cython.locals(i=Py_ssize_t, j=Py_ssize_t, total=double)
    cdef void collect(
        self, Py_ssize_t n, Py_ssize_t start, const double[:, ::1] inertia,
        const double[::1] acceleration, const double[::1] force,
    ) noexcept
    @cython.locals(i=Py_ssize_t, tree=records.Velocity, v=double, reach=double)
    cdef bint passes_a_stop(
        self, Py_ssize_t n, Py_ssize_t start, const double[::1] state
    ) noexcept
    @cython.locals(
        step=double, i=Py_ssize_t, tree=records.Velocity, q=double, v=double,
        lower=double, upper=double, own=double, softest=double,
    )
    cdef void read_limits(
        self, Py_ssize_t n, Py_ssize_t start, const double[::1] state,
        const double[:, ::1] inertia,
    ) noexcept
    @cython.locals(
        a=double[::1], limits=double[:, ::1], side=double[::1],
        matrix=double[:, ::1], i=Py_ssize_t, j=Py_ssize_t, attempt=Py_ssize_t,
        end=double, beyond=double,
    )
    cdef void solve_at_stops(self, Py_ssize_t n, Py_ssize_t m) noexcept

@cython.locals(i=Py_ssize_t, now=double, changed=bint)
cdef bint _changes_sides(
    Py_ssize_t n, const double[::1] a, const double[:, ::1] limits,
    double[::1] side, bint every,
) noexcept
