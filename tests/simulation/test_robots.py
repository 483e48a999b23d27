"""Real robots, from an extra, hold and move through poses."""

import math
from functools import cache
from importlib import metadata

import numpy as np
import pytest
from pydrake.math import RigidTransform, RollPitchYaw

from webmotor_drake.data import SCENARIOS
from webmotor_drake.errors import InputError
from webmotor_drake.loading import load_scenario
from webmotor_drake.simulation.simulation import Simulation

GRAVITY = 9.81


def installed(package: str) -> bool:
    try:
        metadata.distribution(package)
    except metadata.PackageNotFoundError:
        return False
    return True


robots = pytest.mark.skipif(
    not installed("example-robot-data"),
    reason="pip install example-robot-data brings the robots",
)


TIMES = {
    "robots_go1": (0.4, 2.9),
    "robots_go2": (0.4, 2.9, 4.4, 5.9, 7.4, 10.0),
    "robots_panda": (0.9, 3.9, 6.9, 10.0),
}


class Pose:
    """A robot at a time of its scenario."""

    def __init__(self, simulation: Simulation):
        ((_, self.motors),) = simulation.motors.items()
        self.plant = simulation.plant
        root = simulation.simulator.get_context()
        self.context = self.plant.GetMyContextFromRoot(root.Clone())
        results = simulation.results()
        self.signals = {name: results[name][-1] for name in results.signals}

    def body(self, name: str) -> RigidTransform:
        return self.plant.GetBodyByName(name).EvalPoseInWorld(self.context)

    def of_motors(self, signal: str) -> np.ndarray:
        """Returns a signal of all motors in device order."""
        motors = self.motors.devices.names
        return np.array(
            [
                value
                for name, value in self.signals.items()
                if name.split("/")[1] in motors and name.endswith(f"/{signal}")
            ]
        )

    def gravity(self) -> np.ndarray:
        """Returns what gravity does to the motors' joints, N m or N."""
        forces = self.plant.CalcGravityGeneralizedForces(self.context)
        joints = self.motors.model.joints[: len(self.motors.devices.names)]
        return forces[[joint.velocity_start() for joint in joints]]


@cache
def poses(file: str) -> dict[float, Pose]:
    """Returns what a scenario's robot comes by at `TIMES`."""
    scenario = load_scenario(SCENARIOS / f"{file}.scenario.yaml")
    simulation = Simulation(scenario)
    passed = {}
    for time in TIMES[file]:
        simulation.simulator.AdvanceTo(time)
        passed[time] = Pose(simulation)
    return passed


# --- the arm ---


@pytest.mark.slow
@robots
@pytest.mark.parametrize("time", [0.9, 3.9, 10.0])
def test_a_panda_holds_its_poses_against_gravity(time):
    panda = poses("robots_panda")[time]
    assert all(panda.motors.model.brought)
    # Poses are reached as exp(-5 t): less than 2e-4 rad is left, and with it
    # 1e-3 N m of what it takes to slow down.
    np.testing.assert_allclose(
        panda.of_motors("position"),
        panda.of_motors("target_position"),
        atol=2e-4,
    )
    np.testing.assert_allclose(
        panda.of_motors("effort"), -panda.gravity(), atol=1e-3
    )
    assert not panda.of_motors("saturated").any()


@pytest.mark.slow
@robots
def test_a_panda_moves_its_hand():
    X_WT = [p.body("panda_hand_tcp") for p in poses("robots_panda").values()]
    # To the side by joint1's 0.8 rad, stretched out from 31 cm to 78 cm.
    x, y, _ = X_WT[1].translation()
    assert math.atan2(y, x) == pytest.approx(0.8, abs=1e-3)
    assert math.hypot(x, y) == pytest.approx(0.78, abs=0.01)
    down = [X.rotation().matrix()[:, 2] for X in X_WT]
    np.testing.assert_allclose(down[1], [0, 0, -1], atol=1e-3)
    # Turning at joint5 tilts the hand; then all is as before.
    assert down[2][2] == pytest.approx(-0.564, abs=1e-2)
    np.testing.assert_allclose(
        X_WT[3].translation(), X_WT[0].translation(), atol=1e-3
    )


@pytest.mark.slow
@robots
@pytest.mark.parametrize(("time", "opening"), [(3.9, 0.04), (6.9, 0.01)])
def test_a_pandas_fingers_move_as_one(time, opening):
    panda = poses("robots_panda")[time]
    for finger in ("panda_finger_joint1", "panda_finger_joint2"):
        joint = panda.plant.GetJointByName(finger)
        # Drake's mimic constraint gives way a little.
        assert joint.get_translation(panda.context) == pytest.approx(
            opening, abs=1e-4
        )


# --- legs ---


def rise(start: float, end: float) -> float:
    """Returns how far thighs and calves of 21.3 cm lift the trunk, m."""
    return 2 * 0.213 * (math.cos(end) - math.cos(start))


def pitch(dog: Pose) -> float:
    """Returns the pitch of a trunk, rad, of which roll and yaw are 0."""
    roll, angle, yaw = RollPitchYaw(dog.body("base").rotation()).vector()
    np.testing.assert_allclose([roll, yaw], 0, atol=2e-2)
    return angle


@pytest.mark.slow
@robots
@pytest.mark.parametrize(
    "robot", ["robots_go1", "robots_go2"], ids=["go1", "go2"]
)
def test_a_dog_stands_up(robot):
    lying, standing = poses(robot)[0.4], poses(robot)[2.9]
    for dog in (lying, standing):
        assert abs(pitch(dog)) < 2e-2
    heights = [dog.body("base").translation()[2] for dog in (lying, standing)]
    # Feet are no balls (Go2's are polyhedra): the height changes as they roll.
    assert heights[1] - heights[0] == pytest.approx(rise(1.35, 0.7), abs=5e-3)


@pytest.mark.slow
@robots
def test_a_go2s_calves_carry_what_stands_on_the_feet():
    go2 = poses("robots_go2")[2.9]
    plant = go2.plant
    gravity = plant.CalcGravityGeneralizedForces(go2.context)
    contacts = plant.get_contact_results_output_port().Eval(go2.context)
    assert contacts.num_point_pair_contacts() == 4
    load = 0.0
    for i in range(4):
        contact = contacts.point_pair_contact_info(i)
        leg = plant.get_body(contact.bodyB_index()).name()[:2]
        knee = plant.GetJointByName(f"{leg}_calf_joint")
        p_WK = go2.body(f"{leg}_calf").translation()
        force = contact.contact_force()
        turning = np.cross(contact.contact_point() - p_WK, force)[1]
        motor = {"F": "front", "R": "rear"}[leg[0]]
        motor += {"L": "::left calf", "R": "::right calf"}[leg[1]]
        # A thousandth of the 5 N m: the trunk still comes to rest.
        assert go2.signals[f"go2/{motor}/effort"] == pytest.approx(
            -turning - gravity[knee.velocity_start()], abs=5e-3
        )
        load += force[2]
    model = plant.GetModelInstanceByName("go2")
    weight = plant.CalcTotalMass(go2.context, [model]) * GRAVITY
    assert load == pytest.approx(weight, rel=1e-3)


@pytest.mark.slow
@robots
@pytest.mark.parametrize(
    ("time", "way"), [(2.9, 0), (4.4, 1), (5.9, 0), (7.4, -1), (10.0, 0)]
)
def test_a_go2_bows_and_sits(time, way):
    go2 = poses("robots_go2")[time]
    # Hips are 38.7 cm apart; by as much as a pair of legs is shorter the trunk
    # tilts. Soles of polyhedra add to that, less than 1.5e-2 rad.
    angle = math.atan2(-rise(0.7, 0.95), 0.3868)
    assert pitch(go2) == pytest.approx(way * angle, abs=1.5e-2)
    np.testing.assert_allclose(
        go2.of_motors("position"), go2.of_motors("target_position"), atol=2e-3
    )


# --- without the extra ---


@pytest.mark.skipif(
    installed("example-robot-data"), reason="the extra is installed"
)
def test_without_the_robots_it_is_told_how_to_get_them():
    with pytest.raises(InputError) as caught:
        poses("robots_go1")
    assert str(caught.value).endswith(
        "Go1.directives[2].add_model.file: the package example-robot-data is"
        " not installed: pip install example-robot-data"
    )
