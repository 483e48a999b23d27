cimport cython

@cython.locals(energy=double, on=double)
cpdef void use(
    double[::1] level, double power, double charge, double period,
    const double[::1] supply,
) noexcept
