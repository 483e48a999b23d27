"""Constants of the torque drive's solver."""

import math

# Steps that move all infeasible rows, or all stops, at once may cycle; after this many
# without progress, one moves at a time, which ends but for rounding.
PATIENCE = 8
# A tie between bound and no bound must not be decided by rounding, for ever.
TIE = 1e-12
# The largest bound: times 0 it must be 0.
UNBOUNDED = 1e100

# A joint may go this share of its way to the stop in a step: 1 / 2.
WINDOW = 2.0
# A stop gives way by this over the joint's own inertia (near-rigid: beta^2 / (4 pi^2)
# with beta = 0.1), or by what a stiffness of 1e12 leaves if that is more.
NEAR_RIGID = 0.01 / (4 * math.pi**2)
STIFFNESS = 1e12

# How a step went: the efforts are the last ones, as nearly as `is_solution` wants; or
# they have changed; or some motor is at its bound.
RESTING, MOVING, BOUND = 1, 2, 3
# How many times the inertia a damper's part of a step may be.
STIFF = 1e3
# A motor is at its bound from this share of it on.
AT_BOUND = 1.0 - 1e-6
# The slip of a motor besides cfm times its effort, rad/s or m/s.
SLIP = 1e-12
