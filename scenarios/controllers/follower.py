"""Drives as it is told by radio, and keeps half a metre behind."""

import math

from controller import Robot

DISTANCE = 0.5  # m

robot = Robot()
timestep = int(robot.getBasicTimeStep())
motors = [robot.getDevice(f"{side} wheel motor") for side in ("left", "right")]
receiver = robot.getDevice("receiver")
receiver.enable(timestep)
for motor in motors:
    motor.setPosition(float("inf"))
    motor.setVelocity(0)

while robot.step(timestep) != -1:
    while receiver.getQueueLength() > 0:
        (speed,) = receiver.getFloats()
        away = 1 / math.sqrt(receiver.getSignalStrength())
        for motor in motors:
            motor.setVelocity(speed + 40 * (away - DISTANCE))
        receiver.nextPacket()
