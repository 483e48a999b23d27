"""Settings that a user makes for the whole process change nothing of ours."""

import csv
import io
import locale
import random
import subprocess
import warnings

import numpy as np
import pytest

import webmotor_drake as wm

LIFT = "{simulation_duration: 0.2}"
WORLD = """#VRML_SIM R2023b utf8
WorldInfo { basicTimeStep 8 }
Robot {
  rotation 1e-300 1e-300 1 0.3
  children [
    HingeJoint {
      jointParameters HingeJointParameters { axis 1e-300 1 1e-320 }
      device RotationalMotor { name "motor" }
      endPoint Solid {
        rotation 1e-300 0 0 1
        translation 1e-310 0 0.1
        boundingObject Box { size 0.1 0.1 0.1 }
        physics Physics { }
      }
    }
  ]
  name "robot"
}
"""


def scenario():
    return wm.load_scenario("package:pendulum", name="Lift", text=LIFT)


def run(folder):
    return wm.run(scenario())["arm/hinge motor/position"]


def session(folder):
    with wm.RobotSession(scenario()) as session:
        robot = session.robot("arm")
        robot.getDevice("hinge motor").setPosition(0.5)
        for _ in range(20):
            robot.step(8)
        return session.results()["arm/hinge motor/position"]


def world(folder):
    file = folder / "tiny_axes.wbt"
    file.write_text(WORLD)
    results = wm.run(wm.load_scenario(file, text=LIFT))
    return results["robot/motor/effort"]


def compare(folder):
    comparison = wm.compare(scenario(), models=["webots", "drake_pd"])
    rows = csv.DictReader(io.StringIO(comparison.csv()))
    return np.array([float(row["position_difference"]) for row in rows])


def environment(folder):
    gymnasium = pytest.importorskip("gymnasium")
    import webmotor_drake.gym  # noqa: F401

    with gymnasium.make("webmotor_drake/CartPole-v0") as env:
        seen = [env.reset(seed=1)[0]]
        seen += [env.step(env.action_space.low)[0] for _ in range(5)]
    return np.array(seen)


def fit(folder):
    pytest.importorskip("scipy")
    wm.run(scenario()).save(folder)
    damping = "model_drivers.arm.joints.hinge.damping_constant"
    found = wm.fit(
        scenario(), folder / "run.npz", {damping: (0, 2, 0.1)}, validate=0
    )
    return np.array([e.value for e in found.estimates.values()])


def as_numpy_raises():
    np.seterr(all="raise")


def as_warnings_are_errors():
    warnings.simplefilter("error")


def as_random_is_seeded():
    random.seed(7)
    np.random.seed(7)


def as_numbers_have_commas():
    locale.setlocale(locale.LC_ALL, "de_DE.UTF-8")
    assert locale.localeconv()["decimal_point"] == ","


@pytest.fixture(scope="module")
def german(tmp_path_factory):
    """A folder with German numbers, which few machines have."""
    folder = tmp_path_factory.mktemp("locales")
    made = folder / "de_DE.UTF-8"
    subprocess.run(
        ["localedef", "-i", "de_DE", "-f", "UTF-8", made], check=True
    )
    return folder


VERBS = [
    *(run, session, world, environment),
    pytest.param(compare, marks=pytest.mark.slow),
    pytest.param(fit, marks=pytest.mark.slow),
]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """What each verb gives in a process that nobody changed, once it is asked for."""
    found = {}

    def what(verb):
        if verb not in found:
            found[verb] = verb(tmp_path_factory.mktemp("quiet"))
        return found[verb]

    return what


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.__name__)
@pytest.mark.parametrize(
    "setting",
    [
        as_numpy_raises,
        as_warnings_are_errors,
        as_random_is_seeded,
        as_numbers_have_commas,
    ],
    ids=lambda setting: setting.__name__,
)
def test_what_a_user_sets_for_the_process_changes_no_bit(
    setting, verb, undisturbed, put_back, german, monkeypatch, tmp_path
):
    expected = undisturbed(verb)
    monkeypatch.setenv("LOCPATH", str(german))
    setting()
    drawn = random.random, np.random.random
    states = random.getstate(), np.random.get_state()[1].tolist()
    assert np.array_equal(verb(tmp_path), expected, equal_nan=True)
    # Nor do we draw from what is the user's.
    assert drawn == (random.random, np.random.random)
    assert states == (random.getstate(), np.random.get_state()[1].tolist())
