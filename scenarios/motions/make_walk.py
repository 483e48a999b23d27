"""Writes walk.motion: one cycle of a walk for the quadruped, to be played in a loop.

    python scenarios/motions/make_walk.py

A foot is on the ground for three quarters of the cycle and goes back below the
trunk at an even speed; then it swings ahead. The legs take turns, so that three
feet are always on the ground: rear left, front left, rear right, front right. At
the ends of the file all four are.
"""

import math
from pathlib import Path

FILE = Path(__file__).with_name("walk.motion")

# When in the cycle a foot comes down, as a part of it.
TOUCHDOWN = {
    "front left": 0.5,
    "front right": 0.0,
    "rear left": 0.25,
    "rear right": 0.75,
}
CYCLE = 960  # ms
POSE = 40  # ms
ON_GROUND = 0.75  # of the cycle
STRIDE = 0.12  # m, that a foot goes back while it is on the ground
CLEARANCE = 0.04  # m, that a swinging foot is raised
HEIGHT = 0.26  # m, of the hips above the feet
LINK = 0.15  # m, thigh and shank


def motion() -> str:
    """Returns the text of the file."""
    motors = [
        f"{leg} {joint}" for leg in TOUCHDOWN for joint in ("hip", "knee")
    ]
    lines = [",".join(["#WEBOTS_MOTION", "V1.0", *motors])]
    for number, time in enumerate(range(0, CYCLE + 1, POSE), start=1):
        angles = [
            angle
            for touchdown in TOUCHDOWN.values()
            for angle in leg_angles(*foot((time / CYCLE - touchdown) % 1))
        ]
        values = [f"{angle:.4f}" for angle in angles]
        lines.append(",".join([f"00:00:{time:03}", f"Pose{number}", *values]))
    return "\n".join(lines) + "\n"


def foot(phase: float) -> tuple[float, float]:
    """Returns where a foot is, ahead of the hip and below it, m.

    Args:
        phase: the part of the cycle since it came down, in [0, 1).
    """
    if phase < ON_GROUND:
        return STRIDE * (0.5 - phase / ON_GROUND), HEIGHT
    swing = math.pi * (phase - ON_GROUND) / (1 - ON_GROUND)
    ahead = -STRIDE / 2 * math.cos(swing)
    return ahead, HEIGHT - CLEARANCE * math.sin(swing) ** 2


def leg_angles(ahead: float, below: float) -> tuple[float, float]:
    """Returns the hip's and the knee's angle, rad, for a place of the foot, m.

    Thigh and shank are as long: the line from hip to foot halves the knee's
    bend. Positive angles turn the leg back; the knee bends ahead only.
    """
    half_bend = math.acos(math.hypot(ahead, below) / (2 * LINK))
    return half_bend - math.atan2(ahead, below), -2 * half_bend


if __name__ == "__main__":
    FILE.write_text(motion())
