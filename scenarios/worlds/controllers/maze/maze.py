"""Goes along, and turns away from what the proximity sensors see."""

from controller import Robot

robot = Robot()
step = int(robot.getBasicTimeStep())
eyes = [robot.getDevice(f"ps{i}") for i in range(8)]
for eye in eyes:
    eye.enable(step)
wheels = [robot.getDevice(f"{side} wheel motor") for side in ("left", "right")]
for wheel in wheels:
    wheel.setPosition(float("inf"))
    wheel.setVelocity(0)

speeds = ahead = (5, 5)
while robot.step(step) != -1:
    seen = [eye.getValue() > 90 for eye in eyes]
    if not (seen[0] or seen[1] or seen[7] or seen[6]):
        speeds = ahead
    elif speeds == ahead:  # in a corner it goes on turning the same way
        speeds = (-3, 3) if seen[0] or seen[1] else (3, -3)
    for wheel, speed in zip(wheels, speeds, strict=True):
        wheel.setVelocity(speed)
