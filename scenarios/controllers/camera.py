"""Points a head at what its camera recognizes."""

import math

from controller import Robot

robot = Robot()
timestep = int(robot.getBasicTimeStep())
pan, tilt = robot.getDevice("pan motor"), robot.getDevice("tilt motor")
camera = robot.getDevice("camera")
camera.enable(4 * timestep)
camera.recognitionEnable(4 * timestep)
focal = camera.getWidth() / 2 / math.tan(camera.getFov() / 2)  # pixels

while robot.step(4 * timestep) != -1:
    for thing in camera.getRecognitionObjects():
        column, row = thing.getPositionOnImage()
        right = math.atan2(column - camera.getWidth() / 2, focal)
        down = math.atan2(row - camera.getHeight() / 2, focal)
        pan.setPosition(pan.getTargetPosition() - 0.3 * right)
        tilt.setPosition(tilt.getTargetPosition() + 0.3 * down)
