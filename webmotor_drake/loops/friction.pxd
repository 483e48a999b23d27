cimport cython
from libc cimport math
from webmotor_drake.loops cimport records

cdef double _GONE

@cython.locals(slow=double, speed=double, held=double)
cdef double budget(
    records.Law law, double velocity, double motor, double load
) noexcept
