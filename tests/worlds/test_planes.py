"""Planes among many shapes."""

import random
import subprocess
import sys

import pytest

TURNS = ["1 0 0 -1.5708", "0.6 0.8 0 0.3", "1 0 0 3.1416"]


def world(planes: int, boxes: int) -> str:
    """Returns a world with turned planes, and more static boxes than Drake bears."""
    draw = random.Random(planes).uniform
    lines = ["#VRML_SIM R2023b utf8", "WorldInfo { }"]
    lines += [
        f'Solid {{ name "p{i}" rotation {TURNS[i]} boundingObject Plane {{ }} }}'
        for i in range(planes)
    ]
    for i in range(boxes):
        at = " ".join(f"{draw(-4, 4):.3f}" for _ in range(3))
        box = "boundingObject Box { size 0.3 0.2 0.1 }"
        lines.append(f'Solid {{ name "b{i}" translation {at} {box} }}')
    return "\n".join(lines)


@pytest.mark.slow  # a process each: Drake would end this one
@pytest.mark.parametrize(("planes", "boxes"), [(1, 40), (1, 200), (3, 100)])
def test_turned_planes_among_many_shapes_do_not_end_the_process(
    planes, boxes, tmp_path
):
    file = tmp_path / "planes.wbt"
    file.write_text(world(planes, boxes))
    command = [sys.executable, "-m", "webmotor_drake", "check", str(file)]
    ended = subprocess.run(command, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
