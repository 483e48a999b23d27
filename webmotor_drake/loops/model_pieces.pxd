cimport cython
from webmotor_drake.loops cimport model_steps, records, tree_solver

cdef double _EXACT, _FLAT
cdef Py_ssize_t _ANCHOR, _SLOPE, _BUDGET, _FRICTION, _START
cdef Py_ssize_t _LIMIT, _DIRECT, _BRAKE, _HALVINGS, _TURNS
cdef Py_ssize_t _AT, _EFFORT, _FALL, _NEEDED, _W, _GIVEN, _DRY, _OWN_BRAKE
cdef Py_ssize_t _ROWS, _COMMANDS, _DEMANDS

@cython.locals(m=Py_ssize_t, error=double, i=Py_ssize_t, turn=Py_ssize_t)
cpdef double solve(
    tree_solver.TreeSolver solver, const double[::1] state,
    double[::1] demand, double[::1] effort, const double[:, ::1] inertia,
    const double[::1] acceleration, const double[::1] force,
    double[::1] total, double[::1] foreseen,
    const Py_ssize_t[::1] locked_joints, const Py_ssize_t[::1] locked,
    model_steps.LawRows laws, const double[::1] table,
    const double[::1] command, double[::1] pieces,
    const Py_ssize_t[::1] rows,
) noexcept
@cython.locals(n=Py_ssize_t, m=Py_ssize_t, k=Py_ssize_t, i=Py_ssize_t)
cdef void _lay_first(
    double[::1] pieces, double[::1] demand, double[::1] effort,
    model_steps.LawRows laws, const double[::1] table,
) noexcept
@cython.locals(
    n=Py_ssize_t, m=Py_ssize_t, k=Py_ssize_t, i=Py_ssize_t, fall=double,
    direct=double,
)
cdef void _demand(
    const double[::1] pieces, double[::1] demand, double[::1] effort,
    model_steps.LawRows laws,
) noexcept
@cython.locals(
    n=Py_ssize_t, m=Py_ssize_t, largest=double, k=Py_ssize_t,
    law=records.Law, i=Py_ssize_t, w=double, fallen=double, given=double,
    found=double, _=double, off=double, part=double,
)
cdef double _lay_next(
    double[::1] pieces, double[::1] demand, double[::1] effort,
    model_steps.LawRows laws, const double[::1] table,
    const double[::1] command, const double[::1] foreseen,
    const Py_ssize_t[::1] rows, Py_ssize_t turn,
) noexcept
@cython.locals(
    end=double, low=double, high=double, begin=double, part=double,
    slope=double, _=Py_ssize_t,
)
cdef double _downhill(
    double[::1] pieces, model_steps.LawRows laws,
    const double[::1] table, const double[::1] command,
) noexcept
@cython.locals(
    n=Py_ssize_t, slope=double, k=Py_ssize_t, law=records.Law, i=Py_ssize_t,
    way=double, more=double, w=double, found=double, fall=double, needed=double,
)
cdef double _look(
    double[::1] pieces, model_steps.LawRows laws,
    const double[::1] table, const double[::1] command,
    double part, bint lays,
) noexcept
