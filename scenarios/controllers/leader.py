"""Drives ahead, faster and slower, and tells how fast."""

import math

from controller import Robot

robot = Robot()
timestep = int(robot.getBasicTimeStep())
motors = [robot.getDevice(f"{side} wheel motor") for side in ("left", "right")]
emitter = robot.getDevice("emitter")
for motor in motors:
    motor.setPosition(float("inf"))
    motor.setVelocity(0)

while robot.step(timestep) != -1:
    speed = 5 + 3 * math.sin(robot.getTime())  # rad/s
    for motor in motors:
        motor.setVelocity(speed)
    emitter.send([speed])
