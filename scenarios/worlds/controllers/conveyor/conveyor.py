"""Runs the belt until something is in the light barrier, and pushes that off."""

from controller import Robot

robot = Robot()
step = int(robot.getBasicTimeStep())
belt, pusher = robot.getDevice("belt motor"), robot.getDevice("pusher")
barrier, pushed = robot.getDevice("light barrier"), robot.getDevice("pushed")
barrier.enable(step)
pushed.enable(step)
belt.setPosition(float("inf"))
belt.setVelocity(0.2)

while robot.step(step) != -1:
    if barrier.getValue() < 700:
        belt.setVelocity(0)
        pusher.setPosition(0.58)
    elif pushed.getValue() > 0.57:
        pusher.setPosition(0)
    elif pushed.getValue() < 0.01:
        belt.setVelocity(0.2)
