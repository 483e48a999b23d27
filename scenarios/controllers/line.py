"""Follows a black line: turns to the side whose ground sensor sees it."""

from controller import Robot

CRUISE, TURN = 8.0, 5.0  # rad/s

robot = Robot()
timestep = int(robot.getBasicTimeStep())
motors = [robot.getDevice(f"{side} wheel motor") for side in ("left", "right")]
ground = [
    robot.getDevice(f"{side} ground sensor") for side in ("left", "right")
]
for sensor in ground:
    sensor.enable(timestep)
for motor in motors:
    motor.setPosition(float("inf"))
    motor.setVelocity(0)

while robot.step(timestep) != -1:
    left, right = (sensor.getValue() < 500 for sensor in ground)  # black
    turn = TURN * (right - left)
    motors[0].setVelocity(CRUISE + turn)
    motors[1].setVelocity(CRUISE - turn)
