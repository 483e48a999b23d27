cimport cython
from libc cimport math
from webmotor_drake.loops cimport records

@cython.locals(share=double, final=double)
cdef double heated(
    records.Law law, double heat, double effort, double step
) noexcept
cdef double is_hot(records.Law law, double was_hot, double heat) noexcept
