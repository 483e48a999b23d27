# The C sides of records: those of drive.torque_problem.
cdef packed struct Velocity:
    double on_diagonal
    double known_damping
    double lower_stop
    double upper_stop
    Py_ssize_t q_place
    Py_ssize_t v_place

cdef packed struct Joint:
    double spring
    double implicit
    double softness
    double known_damping
    double lower_stop
    double upper_stop
    Py_ssize_t q_place
    Py_ssize_t v_place
    Py_ssize_t dof
    Py_ssize_t row

cdef packed struct Member:
    Py_ssize_t joint
    Py_ssize_t row

cdef packed struct Tree:
    Py_ssize_t member
    Py_ssize_t velocity

# Of motor.models.parameters; a truth value of numpy is a byte.
cdef packed struct Law:
    Py_ssize_t place
    double kp
    double kd
    unsigned char explicit
    unsigned char by_voltage
    double duty_gain
    double max_duty
    unsigned char line
    double stall
    double drop
    double per_current
    double static_friction
    unsigned char constant_friction
    unsigned char has_load
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
    double lost
    double rotor
    double viscous
    double continuous
    double time_constant
    double recovery
    double ambient
    double warming
    unsigned char elastic
    double stiffness
    double damping
    double gap
    double inertia
    unsigned char sees_link
    unsigned char learned

# Of drive.servo_places.
cdef packed struct Servo:
    double friction
    double spring
    double grid
    double cfm
    Py_ssize_t slot
    Py_ssize_t companion_slot
    Py_ssize_t q_place
