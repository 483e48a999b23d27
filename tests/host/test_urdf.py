"""getUrdf gives a robot that Drake reads as the same."""

from xml.etree import ElementTree as ET

import numpy as np
import pytest
from folders import TEST_SCENARIOS
from loaded import loaded
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import MultibodyPlant

from webmotor_drake import load_scenario
from webmotor_drake.data import SCENARIOS
from webmotor_drake.drive.device_mounts import find_mounts
from webmotor_drake.robot import RobotSession


def exported(file, name=None, prefix=""):
    """Returns a robot's plant, model instance and motors, and its URDF."""
    session = RobotSession(load_scenario(SCENARIOS / file, name=name))
    with session:
        model = next(iter(session.simulation.motors))
        text = session.robot(model).getUrdf(prefix)
        plant = session.simulation.plant
        motors = session.simulation.motors[model].model.motors
    return plant, plant.GetModelInstanceByName(model), motors, text


def read(text):
    plant = MultibodyPlant(0.0)
    parser = Parser(plant)
    (instance,) = parser.AddModelsFromString(text, "urdf")
    plant.WeldFrames(
        plant.world_frame(), plant.GetFrameByName("base_link", instance)
    )
    plant.Finalize()
    return plant


def set_position(plant, context, joint, value):
    q = plant.GetPositions(context)
    q[joint.position_start()] = value
    plant.SetPositions(context, q)


def centers(plant, context, bodies, base):
    """Returns mass, turn and centre of mass of each body, seen from the base."""
    X_BW = plant.EvalBodyPoseInWorld(context, base).inverse()
    told = {}
    for body in bodies:
        X = X_BW @ plant.EvalBodyPoseInWorld(context, body)
        center = X @ body.CalcCenterOfMassInBodyFrame(context)
        told[body.name()] = (body.get_mass(context), X.rotation(), center)
    return told


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("six_axis.scenario.yaml", "SixAxis"),  # soft limits, turned shapes
        ("gripper.scenario.yaml", "Lift"),  # prismatic joints
        ("rover.scenario.yaml", "Drive"),  # wheels without limits, a free base
        ("torso.scenario.yaml", "Torso"),  # an SDF: axes beside bodies' origins
    ],
)
def test_drake_reads_the_same_robot(file, name):
    plant, instance, motors, text = exported(file, name)
    again = read(text)
    context, other = plant.CreateDefaultContext(), again.CreateDefaultContext()
    random = np.random.default_rng(1)
    for name, motor in motors.items():
        q = random.uniform(-1, 1)
        joint = plant.GetJointByName(motor.joint, instance)
        set_position(plant, context, joint, q)
        set_position(again, other, again.GetJointByName(name), q)
    bodies = list(map(plant.get_body, plant.GetBodyIndices(instance)))
    known = centers(plant, context, bodies, bodies[0])
    links = [
        again.GetBodyByName("base_link" if body is bodies[0] else body.name())
        for body in bodies
    ]
    told = centers(again, other, links, links[0])
    for body, link in zip(bodies, links, strict=True):
        mass, R, center = known[body.name()]
        again_mass, again_R, again_center = told[link.name()]
        # Numbers are written with nine digits.
        assert again_mass == pytest.approx(mass, rel=1e-8)
        np.testing.assert_allclose(again_center, center, atol=1e-7)
        np.testing.assert_allclose(again_R.matrix(), R.matrix(), atol=1e-7)


def test_names_are_those_of_webots_export():
    text = exported("six_axis.scenario.yaml", prefix="my_")[-1]
    root = ET.fromstring(text)
    assert root.find("link").get("name") == "my_base_link"
    names = [joint.get("name") for joint in root.findall("joint")]
    assert "my_motor 1" in names
    limit = root.find("joint[@name='my_motor 1']/limit")
    assert (limit.get("lower"), limit.get("effort")) == ("-2.9", "120")
    # All links hang together: one root.
    links = {link.get("name") for link in root.findall("link")}
    children = {c.get("link") for c in root.findall("joint/child")}
    assert links - children == {"my_base_link"}


def rover():
    """Returns a rover with devices on its chassis, and its URDF."""
    session = RobotSession(
        loaded(TEST_SCENARIOS / "devices.scenario.yaml", "See")
    )
    with session:
        text = session.robot("rover").getUrdf("")
        return session.simulation.plant, text, session.simulation.scenario


def test_devices_are_links_at_their_places():
    plant, text, scenario = rover()
    again = read(text)
    instance = plant.GetModelInstanceByName("rover")
    devices = scenario.model_drivers["rover"].devices
    context, other = plant.CreateDefaultContext(), again.CreateDefaultContext()
    base = plant.GetBodyByName("chassis", instance)
    X_BW = plant.EvalBodyPoseInWorld(context, base).inverse()
    mounts = find_mounts(plant, instance, devices)
    assert {"camera", "depth", "lidar"} <= mounts.keys()
    for name, mount in mounts.items():
        X_WB = plant.EvalBodyPoseInWorld(context, mount.body)
        expected = X_BW @ X_WB @ mount.X_BD
        found = again.EvalBodyPoseInWorld(other, again.GetBodyByName(name))
        assert found.IsNearlyEqualTo(expected, 1e-7), name  # nine digits


@pytest.mark.parametrize(
    ("file", "name"), [("six_axis", None), ("gripper", "Lift")]
)
def test_mujoco_reads_the_same_places_and_masses(file, name):
    mujoco = pytest.importorskip("mujoco")
    *_, text = exported(f"{file}.scenario.yaml", name)
    again = read(text)
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    data.qpos[:] = 0
    mujoco.mj_kinematics(model, data)
    context = again.CreateDefaultContext()
    assert model.nbody > 2
    for number in range(1, model.nbody):
        name = model.body(number).name
        body = again.GetBodyByName(name)
        p_WB = again.EvalBodyPoseInWorld(context, body).translation()
        np.testing.assert_allclose(data.xpos[number], p_WB, atol=1e-7)
        # It adds what is fixed to a body, here what weighs nothing.
        mass = model.body_mass[number]
        assert mass == pytest.approx(body.default_mass(), rel=1e-8)
