"""`webmotor import` writes what a world runs as."""

import numpy as np
import pytest

import webmotor_drake as wm
from webmotor_drake.cli.main import main

pytestmark = pytest.mark.filterwarnings("ignore::webmotor_drake.MotorWarning")

WORLD = """#VRML_SIM R2023b utf8
WorldInfo { contactProperties ContactProperties { material1 "ball" bounce 0 } }
RectangleArena { }
Robot {
  translation 0 0 0.1
  children [
    HingeJoint {
      jointParameters HingeJointParameters { axis 0 1 0 position 0.3 }
      device RotationalMotor { name "m" }
      endPoint Solid {
        translation 0 0 -0.05
        name "ball"
        contactMaterial "ball"
        children Shape { geometry Mesh { url "meshes/tip.obj" } }
        boundingObject Sphere { radius 0.05 }
        physics Physics { }
      }
    }
  ]
  boundingObject Box { size 0.1 0.1 0.02 }
  physics Physics { }
  controller "go"
}
"""


@pytest.fixture
def world(tmp_path):
    (tmp_path / "controllers" / "go").mkdir(parents=True)
    (tmp_path / "controllers" / "go" / "go.py").write_text(
        "from controller import Robot\n"
        "robot = Robot()\n"
        "robot.getDevice('m').setPosition(1)\n"
        "while robot.step(32) != -1:\n    pass\n"
    )
    (tmp_path / "worlds" / "meshes").mkdir(parents=True)
    (tmp_path / "worlds" / "meshes" / "tip.obj").write_text(
        "mtllib tip.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvn 0 0 1\n"
        "f 1//1 2//1 3//1\n"
    )
    (tmp_path / "worlds" / "meshes" / "tip.mtl").write_text("newmtl a\n")
    file = tmp_path / "worlds" / "w.wbt"
    file.write_text(WORLD)
    return file


def test_what_is_written_runs_to_the_same_bits(world, tmp_path, capsys):
    out = tmp_path / "out" / "deep"
    assert main(["import", str(world), "--out", str(out)]) == 0
    told = capsys.readouterr().out
    assert "w.scenario.yaml: replaced by our own: RectangleArena" in told
    text = "{simulation_duration: 0.5}"
    here = wm.run(wm.load_scenario(world, text=text))
    there = wm.run(wm.load_scenario(out / "w.scenario.yaml", text=text))
    assert here["robot/m/target_position"][-1] == 1
    np.testing.assert_array_equal(here.positions, there.positions)


def test_meshes_and_the_list_of_what_differs_are_there(world, tmp_path):
    out = tmp_path / "out"
    assert main(["import", str(world), "--out", str(out)]) == 0
    assert "RectangleArena" in (out / "import.txt").read_text()
    assert sorted(p.name for p in out.glob("models/mesh_*/*")) == [
        "tip.mtl",
        "tip.obj",
    ]
    assert str(tmp_path) not in (out / "w.scenario.yaml").read_text()
    assert str(tmp_path) not in (out / "models" / "robot.sdf").read_text()


def test_what_cannot_be_written_is_one_line(world, tmp_path, capsys):
    (tmp_path / "file").write_text("")
    status = main(["import", str(world), "--out", str(tmp_path / "file")])
    assert status == 2
    assert "Not a directory" in capsys.readouterr().err
    assert main(["import", "x.yaml", "--out", str(tmp_path)]) == 2
