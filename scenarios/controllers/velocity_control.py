"""Turns a head to and fro at the speed that the first argument says, in rad/s."""

import sys

from controller import Robot

SPEED = float(sys.argv[1]) if len(sys.argv) > 1 else 1.0
LIMIT = 1.0  # rad, where it turns round

robot = Robot()
timestep = int(robot.getBasicTimeStep())
pan = robot.getDevice("pan motor")
sensor = robot.getDevice("pan sensor")
sensor.enable(timestep)

pan.setPosition(float("inf"))
velocity = SPEED
while robot.step(timestep) != -1:
    if abs(sensor.getValue()) > LIMIT:
        velocity = -SPEED if sensor.getValue() > 0 else SPEED
    pan.setVelocity(velocity)
