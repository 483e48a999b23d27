"""URDFs become PROTOs by urdf2webots, and plants again: the same as Drake's own.

urdf2webots writes six decimals: poses agree to 2e-6 m, inertias to 1e-6 of theirs.
"""

import contextlib
import io
import re
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import PrismaticJoint, RevoluteJoint

import webmotor_drake as wm
from webmotor_drake.data import MODELS
from webmotor_drake.loading import load_scenario

importer = pytest.importorskip("urdf2webots.importer")
pytestmark = pytest.mark.filterwarnings("ignore::webmotor_drake.MotorWarning")

# Not those with sliders along x: urdf2webots leaves such an axis out, which is z then.
OWN = (
    "two_link_arm",
    "pan_tilt",
    "six_axis",
    "quadruped",
    "rover",
)
ROBOTS = (
    "go1_description/urdf/go1.urdf",
    "a1_description/urdf/a1.urdf",
    "z1_description/urdf/z1.urdf",
    "kinova_description/robots/kinova.urdf",
    "ur_description/urdf/ur5_robot.urdf",
    "panda_description/urdf/panda.urdf",
    "solo_description/robots/solo12.urdf",
    "laikago_description/urdf/laikago.urdf",
    "xarm_description/urdf/xarm7.urdf",
    "double_pendulum_description/urdf/double_pendulum.urdf",
)


def world_of(urdf, folder):
    """Writes a world with the PROTO that a URDF becomes; returns both."""
    text = urdf.read_text()
    # Meshes are only looked at: their urls come out wrong.
    text = re.sub(r"<(visual|collision)\b.*?</\1\s*>", "", text, flags=re.S)
    folder.mkdir(exist_ok=True)
    plain = folder / "Robot.urdf"
    plain.write_text(text)
    proto = folder / "Robot.proto"
    with contextlib.redirect_stdout(io.StringIO()):
        importer.convertUrdfFile(
            input=str(plain), output=str(proto), targetVersion="R2023b"
        )
    world = folder / "world.wbt"
    world.write_text(
        '#VRML_SIM R2023b utf8\nEXTERNPROTO "Robot.proto"\nRobot { }\n'
    )
    return world, plain


def plant_of_urdf(urdf):
    plant = MultibodyPlant(0.001)
    Parser(plant).AddModels(str(urdf))
    plant.Finalize()
    return plant


def movable(plant):
    """Returns the joints of one axis."""
    joints = map(plant.get_joint, plant.GetJointIndices())
    return [
        joint
        for joint in joints
        if isinstance(joint, RevoluteJoint | PrismaticJoint)
    ]


def check(urdf, folder):
    world, plain = world_of(urdf, folder)
    scenario = load_scenario(world)
    ours = wm.build_diagram(scenario).GetSubsystemByName("plant")
    theirs = plant_of_urdf(plain)
    (driver,) = scenario.model_drivers.values()
    motors = {motor.joint: name for name, motor in driver.motors.items()}
    named = {motors[j.name()]: j for j in movable(ours) if j.name() in motors}
    pairs = [(joint, named[joint.name()]) for joint in movable(theirs)]
    assert len(pairs) == len(named) > 0
    rng = np.random.default_rng(1)
    a, b = theirs.CreateDefaultContext(), ours.CreateDefaultContext()
    for _ in range(3):
        for pair in pairs:
            q = rng.uniform(-1, 1)
            for joint, context in zip(pair, (a, b), strict=True):
                turns = isinstance(joint, RevoluteJoint)
                put = joint.set_angle if turns else joint.set_translation
                put(context, q)
        check_poses(pairs, (theirs, ours), (a, b))
        if not is_whole(world.parent / "Robot.proto"):
            continue
        M = theirs.CalcMassMatrix(a)
        N = ours.CalcMassMatrix(b)
        i, j = (
            [joints.velocity_start() for joints in side]
            for side in zip(*pairs, strict=True)
        )
        expected = M[np.ix_(i, i)]
        # Masses, centres, inertias and axes all are in it; numbers have six
        # decimals, small inertias fewer digits.
        np.testing.assert_allclose(
            N[np.ix_(j, j)], expected, rtol=1e-4, atol=2e-6
        )
    check_limits(driver, [joint for joint, _ in pairs])


def is_whole(proto):
    """Whether all inertias are there: urdf2webots leaves out those that are 1."""
    text = proto.read_text()
    return text.count("Physics {") == text.count("inertiaMatrix")


def check_poses(pairs, plants, contexts):
    """Where joints carry bodies, seen from the first of them."""
    for pair in pairs:
        X, Y = (
            plant.CalcRelativeTransform(
                context,
                start.child_body().body_frame(),
                joint.child_body().body_frame(),
            )
            for plant, context, start, joint in zip(
                plants, contexts, pairs[0], pair, strict=True
            )
        )
        # A URDF's child frame is the joint's; so is urdf2webots' Solid.
        assert X.IsNearlyEqualTo(Y, 2e-5)


def check_limits(driver, joints):
    """Effort and velocity limits; 0 stands for none in a URDF."""
    for joint in joints:
        motor = driver.motors.get(joint.name())
        if motor is None:
            continue
        speed = joint.velocity_upper_limits()[0]
        if 0 < speed < 1e6:
            assert motor.max_velocity == pytest.approx(speed, rel=1e-5)


@pytest.mark.parametrize("name", OWN)
def test_our_models_come_back(name, tmp_path):
    check(MODELS / f"{name}.urdf", tmp_path / "world")


@pytest.mark.slow
@pytest.mark.parametrize("file", ROBOTS)
def test_real_robots_come_back(file, tmp_path):
    try:
        robots = metadata.distribution("example-robot-data")
    except metadata.PackageNotFoundError:
        pytest.skip("example-robot-data is not installed")
    root = Path(
        str(robots.locate_file("cmeel.prefix/share/example-robot-data/robots"))
    )
    if not (root / file).is_file():
        pytest.skip(f"no {file}")
    check(root / file, tmp_path / "world")
