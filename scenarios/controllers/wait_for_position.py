"""Moves one joint after the other; each waits for the one before to arrive."""

from controller import Robot

TIME_STEP = 32
TOLERANCE = 0.001  # rad


def set_position_sync(robot, motor, sensor, target, delay):
    """Moves a motor and waits until it is there, or `delay` ms have passed."""
    motor.setPosition(target)
    sensor.enable(TIME_STEP)
    while robot.step(TIME_STEP) != -1:
        delay -= TIME_STEP
        if abs(target - sensor.getValue()) <= TOLERANCE or delay <= 0:
            break
    sensor.disable()


robot = Robot()
shoulder, elbow = (
    (robot.getDevice(f"{joint} motor"), robot.getDevice(f"{joint} sensor"))
    for joint in ("shoulder", "elbow")
)

set_position_sync(robot, *shoulder, 1.0, 4000)
print(f"shoulder at {robot.getTime():.3f} s")
set_position_sync(robot, *elbow, -1.2, 4000)
print(f"elbow at {robot.getTime():.3f} s")
set_position_sync(robot, *shoulder, 0.0, 4000)
print(f"back at {robot.getTime():.3f} s")
