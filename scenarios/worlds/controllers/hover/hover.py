"""Holds a height of 1 m by the speed of four propellers."""

from controller import Robot

robot = Robot()
step = int(robot.getBasicTimeStep())
names = {"front left": -1, "front right": 1, "rear left": 1, "rear right": -1}
motors = {robot.getDevice(name): turns for name, turns in names.items()}
for motor in motors:
    motor.setPosition(float("inf"))
    motor.setVelocity(0)
gps = robot.getDevice("gps")
gps.enable(step)

while robot.step(step) != -1:
    height, climb = gps.getValues()[2], gps.getSpeedVector()[2]
    speed = 157 + 40 * (1 - height) - 30 * climb
    for motor, turns in motors.items():
        motor.setVelocity(turns * speed)
