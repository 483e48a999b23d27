cimport cython

@cython.locals(
    back=double, above=double, below=double, high=double, low=double,
    low_fall=double, high_fall=double,
)
cpdef (double, double, double, double) limits(
    double velocity, double stall, double drop, double cap
) noexcept
