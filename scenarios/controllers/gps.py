"""Visits the corners of a square, by GPS and compass."""

import math

from controller import Robot

CRUISE = 10.0  # rad/s
CORNERS = [(0.5, 0.0), (0.5, 0.5), (0.0, 0.5), (0.0, 0.0)]  # m

robot = Robot()
timestep = int(robot.getBasicTimeStep())
motors = [robot.getDevice(f"{side} wheel motor") for side in ("left", "right")]
gps, compass = robot.getDevice("gps"), robot.getDevice("compass")
gps.enable(timestep)
compass.enable(timestep)
for motor in motors:
    motor.setPosition(float("inf"))
    motor.setVelocity(0)

robot.step(timestep)
for corner in CORNERS:
    while True:
        x, y, _ = gps.getValues()
        north = compass.getValues()
        heading = math.atan2(north[0], north[1])
        way = corner[0] - x, corner[1] - y
        if math.hypot(*way) < 0.03:
            print(f"{corner} at {robot.getTime():.1f} s")
            break
        error = math.atan2(way[1], way[0]) - heading
        error = math.atan2(math.sin(error), math.cos(error))
        ahead = CRUISE * max(math.cos(error), 0)
        turn = max(min(4 * error, 4), -4)
        motors[0].setVelocity(ahead - turn)
        motors[1].setVelocity(ahead + turn)
        if robot.step(timestep) == -1:
            raise SystemExit
for motor in motors:
    motor.setVelocity(0)
