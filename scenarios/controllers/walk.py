"""Walks: plays one cycle of a .motion over and over, then stands still."""

from controller import Motion, Robot

WALK_UNTIL = 7.0  # s

robot = Robot()
timestep = int(robot.getBasicTimeStep())
walk = Motion("../motions/walk.motion")

walk.setLoop(True)
walk.play()
while robot.step(timestep) != -1 and robot.getTime() < WALK_UNTIL:
    pass

# At the end of a cycle all feet are on the ground.
walk.setLoop(False)
while not walk.isOver() and robot.step(timestep) != -1:
    pass
print(f"stands at {robot.getTime():.3f} s")

# The motors hold the last pose.
while robot.step(timestep) != -1:
    pass
