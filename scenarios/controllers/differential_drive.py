"""Drives a rover at a speed, then stops it, by a torque that a differential splits.

The wheels' motors are coupled: a torque for one goes to all, times the
multiplier of each. Only the ground makes the wheels turn alike.
"""

from controller import Robot

KP, KI = 0.1, 0.2  # N m s/rad, N m/rad
SPEED, STOP_AT = 6.0, 4.0  # rad/s, s
WHEELS = ("front left", "front right", "rear left", "rear right")

robot = Robot()
timestep = int(robot.getBasicTimeStep())
period = timestep / 1000
axle = robot.getDevice("axle::front left")
sensors = [robot.getDevice(f"{wheel} sensor") for wheel in WHEELS]
for sensor in sensors:
    sensor.enable(timestep)
axle.setTorque(0.0)
robot.step(timestep)


def mean_angle():
    """Returns the wheels' mean angle: what the shaft into a differential has."""
    return sum(sensor.getValue() for sensor in sensors) / len(sensors)


angle, integral = mean_angle(), 0.0
while robot.step(timestep) != -1:
    speed = (mean_angle() - angle) / period
    angle = mean_angle()
    error = (SPEED if robot.getTime() < STOP_AT else 0.0) - speed
    integral += error * period
    torque = KP * error + KI * integral
    limit = axle.getMaxTorque()
    axle.setTorque(min(max(torque, -limit), limit))
