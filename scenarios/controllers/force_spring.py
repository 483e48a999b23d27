"""Makes a motor a spring and damper by setting its force."""

from controller import Robot

STIFFNESS, DAMPING = 200.0, 8.0  # N/m, N s/m
REST = 0.6  # m

robot = Robot()
timestep = int(robot.getBasicTimeStep())
motor = robot.getDevice("mast motor")
sensor = robot.getDevice("mast sensor")
sensor.enable(timestep)
robot.step(timestep)

position = sensor.getValue()
while robot.step(timestep) != -1:
    velocity = (sensor.getValue() - position) / (timestep / 1000)
    position = sensor.getValue()
    motor.setForce(-STIFFNESS * (position - REST) - DAMPING * velocity)
