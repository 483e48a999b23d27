"""Drives ahead and turns away from what its distance sensors see."""

from controller import Robot

CRUISE = 6.0  # rad/s

robot = Robot()
timestep = int(robot.getBasicTimeStep())
motors = [robot.getDevice(f"{side} wheel motor") for side in ("left", "right")]
eyes = [robot.getDevice(f"{side} eye") for side in ("left", "front", "right")]
for eye in eyes:
    eye.enable(timestep)
for motor in motors:
    motor.setPosition(float("inf"))
    motor.setVelocity(0)

while robot.step(timestep) != -1:
    left, front, right = (eye.getValue() / 1000 for eye in eyes)
    left_speed = CRUISE * (1 - 2 * right - front)
    right_speed = CRUISE * (1 - 2 * left - 2 * front)
    motors[0].setVelocity(left_speed + 2 * CRUISE * left)
    motors[1].setVelocity(right_speed + 2 * CRUISE * right)
