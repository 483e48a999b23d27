"""Closes a gripper and, if it feels a box, lifts it, holds it and sets it down."""

from controller import Robot

CLOSED, OPEN = 0.03, 0.0  # m
RAISED, LOWERED = 0.15, 0.0  # m

robot = Robot()
timestep = int(robot.getBasicTimeStep())
lift = robot.getDevice("lift motor")
# The fingers are coupled: what the one is told, both do.
left = robot.getDevice("grip::left")
right = robot.getDevice("grip::right")
right.enableForceFeedback(timestep)


def wait(seconds):
    """Steps on for a while; does nothing once the simulation has ended."""
    end = robot.getTime() + seconds
    while robot.getTime() < end and robot.step(timestep) != -1:
        pass


left.setPosition(CLOSED)
wait(1.5)

# A finger that presses has not reached its target, and gives all its force.
force = abs(right.getForceFeedback())
if force > 0.9 * right.getAvailableForce():
    print(f"a box: the right finger presses with {force:.2f} N")
    lift.setPosition(RAISED)
    wait(2.5)
    lift.setPosition(LOWERED)
    wait(2.0)
else:
    print(f"no box: the right finger presses with {force:.2f} N")
left.setPosition(OPEN)
wait(1.0)
