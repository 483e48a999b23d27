# Records as C has them; `loops.record` makes numpy's of this text. Those of
# drive.torque_problem: one of each of the nt velocities of the trees, tree by tree.
cdef packed struct Velocity:
    double on_diagonal  # dt (D + B + dt K); dt is the step
    double known_damping  # dt D alone, which the plant knows of
    double lower_stop  # -inf where there is none
    double upper_stop
    Py_ssize_t q_place  # of the position in the plant's state
    Py_ssize_t v_place  # of the velocity

# One of each of the m joints that the drive acts on.
cdef packed struct Joint:
    double spring  # K
    double implicit  # B + dt K
    double softness  # cfm / dt
    double known_damping
    double lower_stop
    double upper_stop
    Py_ssize_t q_place
    Py_ssize_t v_place
    Py_ssize_t dof  # place of the velocity among the plant's
    Py_ssize_t row  # among the trees'

# The joints once more, tree by tree.
cdef packed struct Member:
    Py_ssize_t joint
    Py_ssize_t row

# Where each tree begins among the members and among the velocities; one more is where
# the last one ends.
cdef packed struct Tree:
    Py_ssize_t member
    Py_ssize_t velocity

# The constants of a modelled motor: motor.models.parameters.
cdef packed struct Law:
    Py_ssize_t place  # among all motors
    double kp
    double kd
    unsigned char explicit  # computed when a motor period begins
    unsigned char by_voltage
    double duty_gain  # effort per position error
    double max_duty  # effort
    unsigned char line  # whether there is a torque-speed line
    double stall  # infinite without one
    double drop
    double per_current  # N m/A or N/A; NaN where it is not known
    double static_friction  # friction of the joint itself
    unsigned char constant_friction  # Coulomb's alone
    unsigned char has_load  # whether friction depends on what the gear carries
    double coulomb
    double stribeck
    double stribeck_velocity
    double alpha
    double motor_load
    double external_load
    double motor_load_stribeck
    double external_load_stribeck
    double motor_quadratic
    double external_quadratic
    double lost  # share of what goes into and out of a gear
    double rotor  # inertia before it, at the joint
    double viscous  # before a spring; others have it at the joint
    double continuous  # infinite without a thermal limit
    double time_constant
    double recovery
    double ambient  # °C
    double warming  # from there to what trips, K
    unsigned char elastic  # whether there is a spring
    double stiffness
    double damping
    double gap  # half the backlash
    double inertia  # of the motor before its spring
    unsigned char sees_link
    unsigned char learned  # whether there is a network

# The constants of a joint's servo: drive.servo_actuators.
cdef packed struct Servo:
    double spring  # N m/rad or N/m
    double grid  # to which the fed-forward effort is rounded, N m or N
    double cfm  # rad/s/(N m) or m/s/N
    double strongest  # gain of its brake, N m s/rad or N s/m
    Py_ssize_t slot  # place in the model's actuation
    Py_ssize_t companion_slot  # of its companion
    Py_ssize_t brake_slot  # of its brake; -1 without one
    Py_ssize_t loop_slot  # of its motor model's loop; -1 without one
    Py_ssize_t braked_place  # of its brake's effort in the tables' vector
    Py_ssize_t q_place
    Py_ssize_t v_place
