"""Planes among many shapes."""

import random
import subprocess
import sys

import pytest
from world_files import world_file

from webmotor_drake.loading import load_scenario
from webmotor_drake.robot import RobotSession

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


def test_a_floor_that_is_a_plane_may_have_any_number_of_boxes_on_it(tmp_path):
    """Of six shapes and more the gate refuses a plane, which is a box then."""
    boxes = "".join(
        f'Solid {{ name "b{i}" translation {2 * i} 0 0.5 boundingObject'
        " Box { size 1 1 1 } }"
        for i in range(8)
    )
    text = (
        f"Solid {{ boundingObject Plane {{ size 10 10 }} }} {boxes}"
        " DEF BALL Solid { translation 0 5 0.1 boundingObject Sphere { radius 0.1 }"
        " physics Physics { } } Robot { supervisor TRUE }"
    )
    with RobotSession(load_scenario(world_file(tmp_path, text))) as session:
        robot = session.supervisor("robot")
        robot.step(512)
        # The floor gives way by micrometres.
        height = robot.getFromDef("BALL").getPosition()[2]
        assert height == pytest.approx(0.1, abs=2e-4)
