"""Lowers an arm until it touches something, and presses on it."""

from controller import Robot

PUSH = 5.0  # N
LENGTH = 0.5  # m

robot = Robot()
timestep = int(robot.getBasicTimeStep())
motor = robot.getDevice("motor")
bumper, force = robot.getDevice("bumper"), robot.getDevice("force")
bumper.enable(timestep)
force.enable(timestep)

motor.setPosition(float("inf"))
motor.setVelocity(0.5)
while robot.step(timestep) != -1 and bumper.getValue() != 1:
    pass
print(f"touched at {robot.getTime():.2f} s")

torque = 0.0
while robot.step(timestep) != -1:
    # The table of the sensor gives 10 per newton.
    torque += 0.02 * LENGTH * (PUSH - force.getValue() / 10)
    motor.setTorque(torque)
print(f"pushes with {force.getValue() / 10:.2f} N")
