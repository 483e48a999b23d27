"""Reaches out and back, as far as the first argument says, rad."""

import sys

from controller import Robot

robot = Robot()
step = int(robot.getBasicTimeStep())
far = float(sys.argv[1])
turn, shoulder, elbow = map(robot.getDevice, ("turn", "shoulder", "elbow"))

while robot.step(step) != -1:
    out = robot.getTime() % 4 < 2
    turn.setPosition(far if out else -far)
    shoulder.setPosition(far if out else 0)
    elbow.setPosition(2 * far if out else 0)
