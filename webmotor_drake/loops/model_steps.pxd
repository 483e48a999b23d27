cimport cython
from libc cimport math
from webmotor_drake.loops cimport elastic, motor_law, records

cdef Py_ssize_t _EFFORT, _MOTOR_EFFORT, _FRICTION, _LIMIT, _HEAT, _IS_HOT
cdef Py_ssize_t _HELD, _POSITION, _VELOCITY, _STARTED, _START_POSITION
cdef Py_ssize_t _START_VELOCITY, _LOAD, _BUDGET, _GEAR, _ANCHOR, _SLOPE
cdef Py_ssize_t _LOW, _HIGH, _TARGET, _SPEED, _VELOCITY_TARGET
cdef Py_ssize_t _VELOCITY_COMMAND, _BRAKE, _COMMANDS, _DEMANDS
cdef double _INF, _NAN

@cython.final
cdef class LawRows:
    cdef object _array, _sample
    cdef const records.Law[::1] rows
    cdef Py_ssize_t count
    cdef double step

    @cython.locals(
        n=Py_ssize_t, k=Py_ssize_t, law=records.Law, i=Py_ssize_t, heat=double
    )
    cpdef void begin(
        self, double[::1] table, const double[::1] command,
        const double[::1] q, const double[::1] v, bint period_begins,
    ) except *
    @cython.locals(
        n=Py_ssize_t, k=Py_ssize_t, law=records.Law, i=Py_ssize_t,
        mine=double[:], effort=double, fall=double, low=double, high=double,
        held=double, motor=double, q=double, v=double, _=double,
    )
    cdef void lay_first_pieces(
        self, double[::1] table, const double[::1] command
    ) noexcept
    @cython.locals(
        n=Py_ssize_t, m=Py_ssize_t, k=Py_ssize_t, law=records.Law, i=Py_ssize_t,
        known=double, row=Py_ssize_t,
    )
    cpdef void forget_servos(
        self, double[::1] law_state, double[::1] demand,
        const double[::1] command,
    ) noexcept
    @cython.locals(
        n=Py_ssize_t, k=Py_ssize_t, law=records.Law, i=Py_ssize_t,
        effort=double, _=double,
    )
    cpdef void write_efforts(
        self, double[::1] found, const double[::1] table,
        const double[::1] command, const double[::1] w,
    ) noexcept
    @cython.locals(
        n=Py_ssize_t, k=Py_ssize_t, law=records.Law, i=Py_ssize_t,
        mine=double[:], motor=double, turning=double, start=double, low=double,
        high=double, _=double, faster=double,
    )
    cpdef void finish(
        self, double[::1] table, const double[::1] command,
        const double[::1] w, const double[::1] effort, const double[::1] dry,
    ) noexcept

cdef (double, double) effort_at(
    records.Law law, const double[:] mine, const double[:] told, double w,
    double step,
) noexcept
