"""Takes off, hovers, flies to another place and hovers there."""

import math

from controller import Robot

MASS, GRAVITY, ARM = 1.0, 9.81, 0.1414  # kg, m/s^2, m
THRUST, DRAG = 1.0e-4, 0.02  # N s^2/rad^2; torque per thrust, m
INERTIA = (0.01, 0.01, 0.018)  # kg m^2
# Name, where it is to the front and to the left, and which way it turns.
PROPELLERS = [
    ("front left propeller", 1, 1, -1),
    ("front right propeller", 1, -1, 1),
    ("rear left propeller", -1, 1, 1),
    ("rear right propeller", -1, -1, -1),
]
PLACES = [(0.0, (0.0, 0.0, 1.0)), (6.0, (1.0, 0.5, 1.5))]  # from s on, m

robot = Robot()
timestep = int(robot.getBasicTimeStep())
imu, gps, gyro = (
    robot.getDevice(name) for name in ("inertial unit", "gps", "gyro")
)
for sensor in (imu, gps, gyro):
    sensor.enable(timestep)
motors = [robot.getDevice(name) for name, *_ in PROPELLERS]
for motor in motors:
    motor.setPosition(float("inf"))
    motor.setVelocity(0)


def limited(value, most):
    """Returns a value, no further than `most` from 0."""
    return max(-most, min(most, value))


while robot.step(timestep) != -1:
    place = [p for start, p in PLACES if robot.getTime() >= start][-1]
    speed = gps.getSpeedVector()
    # Accelerations towards the place, and the angles that give them.
    ax, ay, az = (
        limited(1.2 * (to - at) - 1.8 * v, 2.0)
        for to, at, v in zip(place, gps.getValues(), speed, strict=True)
    )
    roll, pitch, yaw = imu.getRollPitchYaw()
    forward = ax * math.cos(yaw) + ay * math.sin(yaw)
    left = ay * math.cos(yaw) - ax * math.sin(yaw)
    errors = (-left / GRAVITY - roll, forward / GRAVITY - pitch, -0.1 * yaw)
    torques = [
        inertia * (30 * error - 9 * rate)
        for inertia, error, rate in zip(
            INERTIA, errors, gyro.getValues(), strict=True
        )
    ]
    total = MASS * (GRAVITY + az) / (math.cos(roll) * math.cos(pitch))
    for motor, (_, front, side, turn) in zip(motors, PROPELLERS, strict=True):
        force = total / 4 + (side * torques[0] - front * torques[1]) / (4 * ARM)
        force -= turn * torques[2] / (4 * DRAG)
        motor.setVelocity(turn * math.sqrt(max(force, 0.0) / THRUST))
