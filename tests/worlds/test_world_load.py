"""A world as a scenario: the same everywhere, and on its own."""

import os
import pickle
import shutil
import subprocess
import sys
import tempfile

import pytest
from pydrake.common.yaml import yaml_dump_typed
from world_files import world_file

import webmotor_drake as wm
from webmotor_drake.scenario import copies
from webmotor_drake.scenario.scenario import Scenario
from webmotor_drake.sweep.study_run import StudyRun

pytestmark = pytest.mark.filterwarnings("ignore::webmotor_drake.MotorWarning")

WORLD = """
Robot {
  customData "see {models} here"
  children [
    Shape { geometry Mesh { url "part.obj" } }
    HingeJoint {
      device RotationalMotor { name "m" }
      endPoint Solid {
        name "faces"
        boundingObject DEF F IndexedFaceSet {
          coord Coordinate { point [ 0 0 0, 1 0 0, 0 1 0, 0 0 1 ] }
          coordIndex [ 0 2 1 -1 0 1 3 -1 1 2 3 -1 0 3 2 -1 ]
        }
        physics Physics { }
      }
    }
  ]
  boundingObject Box { size 0.1 0.1 0.1 }
  physics Physics { }
}
"""
PART = (
    "mtllib part.mtl\nusemtl a\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvn 0 0 1\n"
    "f 1//1 2//1 3//1\n"
)
SHORT = "{simulation_duration: 0.096}"


@pytest.fixture
def world(tmp_path):
    (tmp_path / "worlds").mkdir()
    (tmp_path / "worlds" / "part.obj").write_text(PART)
    (tmp_path / "worlds" / "part.mtl").write_text("newmtl a\nKd 1 0 0\n")
    return world_file(tmp_path, WORLD)


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """Makes this process write its copies to another folder, as another would."""

    def move(name):
        (tmp_path / name).mkdir()
        monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / name))
        copies.copies_folder.cache_clear()
        return tmp_path / name

    yield move
    copies.copies_folder.cache_clear()


def test_a_scenario_has_the_same_text_and_study_wherever_it_is_loaded(
    world, elsewhere, tmp_path
):
    texts, runs = set(), set()
    for name in ("here", "there"):
        elsewhere(name)
        scenario = wm.load_scenario(world, text=SHORT)
        texts.add(yaml_dump_typed(scenario, schema=Scenario))
        study = wm.Study(parameters={"random_seed": [1, 2]})
        runs |= set(StudyRun(scenario, study, tmp_path / name / "out").jobs)
    assert len(texts) == 1
    assert len(runs) == 2


def test_another_world_has_other_models(world):
    names = set()
    for size in ("0.1", "0.2"):
        world.write_text(world.read_text().replace("size 0.1", f"size {size}"))
        scenario = wm.load_scenario(world)
        names.add(scenario.directives[0].add_model.file)
    assert len(names) == 2


def test_a_pickled_scenario_runs_where_the_first_process_has_ended(
    world, elsewhere, tmp_path
):
    here = elsewhere("here")
    scenario = wm.load_scenario(world, text=SHORT)
    before = wm.run(scenario)
    pickled = pickle.dumps(scenario)
    assert str(here).encode() not in pickled
    elsewhere("there")
    shutil.rmtree(here)
    shutil.rmtree(tmp_path / "worlds")
    after = wm.run(pickle.loads(pickled))
    assert (before.positions == after.positions).all()


def test_nothing_is_replaced_in_what_the_world_says(world):
    driver = wm.load_scenario(world).model_drivers["robot"]
    assert driver.custom_data == "see {models} here"


def test_a_value_that_overrides_has_its_own_place(world):
    wrong = "{model_drivers: {robot: !WebotsMotorDriver {drive: no}}}"
    with pytest.raises(wm.InputError, match=r"--scenario_text:1:\d+: .*drive"):
        wm.load_scenario(world, text=wrong)
    scenario = wm.load_scenario(world)
    scenario.model_drivers["robot"].motors["m"].joint = "nothing"
    with pytest.raises(wm.InputError, match=r"test.wbt:8:\d+: test.model_driv"):
        wm.build_diagram(scenario)


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_forked_children_load_worlds_side_by_side(world):
    code = f"""
import os, sys
import webmotor_drake as wm
wm.build_diagram({str(world)!r})
children = []
for _ in range(2):
    child = os.fork()
    if not child:
        wm.run(wm.load_scenario({str(world)!r}, text={SHORT!r}))
        sys.exit(0)
    children.append(child)
ends = [os.waitpid(child, 0)[1] for child in children]
wm.build_diagram({str(world)!r})
sys.exit(any(ends))
"""
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


@pytest.mark.slow
def test_a_yaml_scenario_imports_nothing_of_the_importer():
    code = """
import sys
import webmotor_drake as wm
wm.run(wm.load_scenario("package:pendulum", name="Lift"))
assert not [name for name in sys.modules if "webmotor_drake.worlds" in name]
"""
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
