"""A program that commands, senses and asks, for one robot of controller_avoid."""

from controller import Robot

robot = Robot()
left, right = (
    robot.getDevice("left wheel motor"),
    robot.getDevice("right wheel motor"),
)
eye = robot.getDevice("front eye")
eye.enable(16)
left.enableTorqueFeedback(32)
left.setPosition(float("inf"))
right.setPosition(float("inf"))
late = 0
for k in range(200):
    seen = eye.getValue()
    left.setVelocity(5.0 + k % 7)
    right.setVelocity(3.0 if seen > 100 else 5.0 + k % 5)
    if k == 20:
        left.setAcceleration(30.0)
    if k == 60:
        right.setTorque(0.1)
    if k == 80:
        right.setPosition(float("inf"))
        right.setAvailableTorque(0.3)
    print(
        f"{late} {robot.getTime():.17g} {seen:.17g} {left.getTorqueFeedback():.17g}"
        f" {left.getTargetPosition():.17g} {right.getVelocity():.17g}"
    )
    late = robot.step(16 if k % 10 else 40)
while robot.step(16) != -1:
    pass
