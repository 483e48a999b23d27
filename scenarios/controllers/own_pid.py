"""Holds a pendulum with a PID of its own, which sets torques."""

from controller import Robot

KP, KI, KD = 15.0, 30.0, 2.0  # N m/rad, N m/(rad s), N m s/rad
TARGET = 1.2  # rad

robot = Robot()
timestep = int(robot.getBasicTimeStep())
period = timestep / 1000
motor = robot.getDevice("hinge motor")
sensor = robot.getDevice("hinge sensor")
sensor.enable(timestep)
robot.step(timestep)  # until then the sensor's value is NaN

integral = 0.0
position = sensor.getValue()
while robot.step(timestep) != -1:
    velocity = (sensor.getValue() - position) / period
    position = sensor.getValue()
    integral += (TARGET - position) * period
    torque = KP * (TARGET - position) + KI * integral - KD * velocity
    limit = motor.getMaxTorque()
    motor.setTorque(min(max(torque, -limit), limit))
