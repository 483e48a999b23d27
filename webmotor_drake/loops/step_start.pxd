cimport cython
from libc cimport math
from webmotor_drake.loops cimport (
    command_delay, kinematic, law_rows, model_steps, usual_commands,
)

cdef Py_ssize_t _NOT_FINITE, _AVAILABLE, _IN_EFFORT
cdef Py_ssize_t _COMMANDS, _DEMANDS, _DIRECT

@cython.final
cdef class StepStart:
    cdef const Py_ssize_t[:, ::1] ends
    cdef const Py_ssize_t[::1] q_places, v_places, whole
    cdef const double[::1] friction, part, supply, consumption, largest
    cdef double[::1] q, v, left, fed
    cdef const double[:, ::1] usual, moved
    cdef double period
    cdef Py_ssize_t n
    cdef bint moves
    cdef model_steps.LawRows laws

    @cython.locals(
        given=double, line=Py_ssize_t, size=Py_ssize_t, table=Py_ssize_t
    )
    cdef bint is_unusual(
        self, double[::1] values, const double[::1] row,
    ) noexcept
    @cython.locals(i=Py_ssize_t)
    cdef Py_ssize_t take_motion(self, const double[::1] state) noexcept
    @cython.locals(table=double[::1], command=double[::1])
    cdef void start_step(
        self, double[::1] values, double[::1] level, double charge, bint law,
    ) except *
    @cython.locals(
        command=double[::1], law_state=double[::1], demand=double[::1],
    )
    cpdef void run_law(self, double[::1] values, const double[::1] q) noexcept
    cpdef void pass_on(self, double[::1] values) noexcept
    @cython.locals(
        command=double[::1], table=double[::1], k=Py_ssize_t, i=Py_ssize_t,
    )
    cdef void finish_models(
        self, double[::1] values, const double[::1] efforts,
        const double[::1] dry,
    ) noexcept
    @cython.locals(
        n=Py_ssize_t, demand=Py_ssize_t, m=Py_ssize_t, i=Py_ssize_t,
        effort=double, k=Py_ssize_t, direct=bint,
    )
    cpdef void feedback(
        self, const double[::1] values, double[::1] found
    ) noexcept
    @cython.locals(
        n=Py_ssize_t, power=double, energy=double, on=double, changed=bint,
        i=Py_ssize_t,
        place=Py_ssize_t, now=double, line=Py_ssize_t,
    )
    cpdef void use_battery(
        self, double[::1] values, double[::1] level,
        const double[::1] feedback, double charge,
    ) noexcept
