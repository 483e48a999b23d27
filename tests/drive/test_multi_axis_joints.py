"""Two and three motors at one anchor."""

import itertools
import math
import warnings

import numpy as np
import pytest
from mechanisms import warnings_of
from ode_here import ode_or_skip
from pydrake.math import RigidTransform, RollPitchYaw
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import (
    FixedOffsetFrame,
    SpatialInertia,
    UnitInertia,
)
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder

from webmotor_drake.drive import multi_axis_joints
from webmotor_drake.drive.driver import (
    ApplyDriverConfig,
    WebotsMotorDriver,
    configure_actuators,
)
from webmotor_drake.drive.multi_axis_joints import (
    add_ball_joint,
    add_hinge2_joint,
)
from webmotor_drake.errors import InputError, MotorWarning
from webmotor_drake.loading import load_scenario
from webmotor_drake.motor.commands import TimedCommand
from webmotor_drake.nodes.joints import Hinge2Joint
from webmotor_drake.nodes.motors import RotationalMotor
from webmotor_drake.runner import run
from webmotor_drake.simulation.diagram import assemble


def head(add, **axes):
    """Returns a builder, a plant with a 1 kg head on the joint, the joints."""
    builder = DiagramBuilder()
    plant = builder.AddSystem(MultibodyPlant(0.008))
    model = plant.AddModelInstance("robot")
    body = plant.AddRigidBody(
        "head", model, SpatialInertia.SolidBoxWithMass(1.0, 0.1, 0.1, 0.2)
    )
    joints = add(plant, "neck", plant.world_frame(), body.body_frame(), **axes)
    plant.Finalize()
    return builder, plant, joints


def rotation_at(plant, joints, positions) -> np.ndarray:
    context = plant.CreateDefaultContext()
    for joint, position in zip(joints, positions, strict=True):
        joint.set_angle(context, position)
    X_WH = plant.GetBodyByName("head").EvalPoseInWorld(context)
    return X_WH.rotation().matrix()


def turned(axis, angle) -> np.ndarray:
    axis = np.asarray(axis) / np.linalg.norm(axis)
    x, y, z = axis
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return (
        np.eye(3)
        + math.sin(angle) * cross
        + (1 - math.cos(angle)) * cross @ cross
    )


def test_the_second_axis_of_a_hinge2_is_carried_along_by_the_first():
    # Section 9 of Webots' joints: R = Rot(axis1, q1) Rot(axis2, q2).
    axis, axis2 = [0, 1, 0], [1, 0, 0]
    _, plant, joints = head(add_hinge2_joint, axis=axis, axis2=axis2)
    np.testing.assert_allclose(
        rotation_at(plant, joints, [0.7, -0.4]),
        turned(axis, 0.7) @ turned(axis2, -0.4),
        atol=1e-14,
    )


def test_a_ball_turns_about_its_three_axes_in_turn():
    _, plant, joints = head(add_ball_joint, axis=[1, 0, 0], axis3=[0, 0, 1])
    np.testing.assert_allclose(
        rotation_at(plant, joints, [0.3, 0.5, -0.9]),
        turned([1, 0, 0], 0.3)
        @ turned([0, 1, 0], 0.5)
        @ turned([0, 0, 1], -0.9),
        atol=1e-14,
    )


def test_the_second_joint_of_a_ball_has_no_stops():
    _, _, joints = head(add_ball_joint)
    assert math.isinf(joints[1].position_upper_limits()[0])


QUARTER = math.pi / 2


@pytest.mark.parametrize(
    ("given", "limits", "warned"),
    [
        ((0, 0), (-QUARTER, QUARTER), 0),
        ((-1, 0.5), (-1, 0.5), 0),
        ((-1, 2), (-1, QUARTER), 1),
        ((-3, 2), (-QUARTER, QUARTER), 1),
    ],
)
def test_soft_limits_of_a_balls_second_axis_are_forced_into_a_quarter_turn(
    given, limits, warned
):
    # Section 9 of Webots' joints (WbBallJoint.cpp).
    builder, plant, _ = head(add_ball_joint)
    driver = WebotsMotorDriver(
        motors={
            f"m{i}": RotationalMotor(
                joint=f"neck_{i}", min_position=given[0], max_position=given[1]
            )
            for i in (1, 2, 3)
        }
    )
    motors, warnings = warnings_of(
        ApplyDriverConfig, driver, "robot", plant, builder=builder
    )
    found = [
        (m.min_position, m.max_position) for m in motors.model.motors.values()
    ]
    assert found == [given, limits, given]
    assert len(warnings) == warned


def test_a_ball_told_to_go_beyond_a_quarter_turn_rests_there():
    builder, plant, joints = head(add_ball_joint)
    driver = WebotsMotorDriver(
        motors={"m": RotationalMotor(joint="neck_2")},
        commands=[TimedCommand(motor="m", set_position=2.0)],
    )
    motors, _ = warnings_of(
        ApplyDriverConfig, driver, "robot", plant, builder=builder
    )
    plant.mutable_gravity_field().set_gravity_vector([0, 0, 0])
    simulator = Simulator(builder.Build())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MotorWarning)  # of the target
        simulator.AdvanceTo(3.0)
    root = simulator.get_context()
    # exp(-30) of the way is left; and nothing pushes against a stop.
    angle = joints[1].get_angle(plant.GetMyContextFromRoot(root))
    assert angle == pytest.approx(QUARTER, abs=1e-9)
    effort = motors.get_effort_output_port().Eval(
        motors.GetMyContextFromRoot(root)
    )
    assert abs(effort[0]) < 1e-9


@pytest.mark.parametrize("add", [add_hinge2_joint, add_ball_joint])
def test_parallel_axes_fall_back_to_x_and_z(add):
    last = "axis2" if add is add_hinge2_joint else "axis3"
    axes = {"axis": [0, 1, 0], last: [0, 2, 0]}
    (_, _, joints), warned = warnings_of(head, add, **axes)
    assert warned == [
        "joint neck: its axes are parallel, or one is 0; x and z are used"
    ]
    np.testing.assert_array_equal(joints[0].revolute_axis(), [1, 0, 0])
    np.testing.assert_array_equal(joints[-1].revolute_axis(), [0, 0, 1])


@pytest.mark.parametrize(
    ("add", "targets"),
    [(add_hinge2_joint, [0.5, -0.8]), (add_ball_joint, [0.5, -0.8, 1.2])],
)
def test_motors_reach_their_targets_over_the_small_bodies(add, targets):
    builder, plant, joints = head(add)
    names = [f"motor {i}" for i in range(len(joints))]
    driver = WebotsMotorDriver(
        motors={
            name: RotationalMotor(joint=joint.name())
            for name, joint in zip(names, joints, strict=True)
        },
        commands=[
            TimedCommand(motor=name, set_position=target)
            for name, target in zip(names, targets, strict=True)
        ],
    )
    ApplyDriverConfig(driver, "robot", plant, builder=builder)
    simulator = Simulator(builder.Build())
    simulator.AdvanceTo(4.0)
    context = plant.GetMyContextFromRoot(simulator.get_context())
    angles = [joint.get_angle(context) for joint in joints]
    # Gains of 10: after 4 s the error is far below what gravity and the
    # servo's softness leave, cfm * torque / P = 1e-5 * 1 / 10.
    np.testing.assert_allclose(angles, targets, atol=2e-6)


# --- against ODE's own joint of two axes ---


def universal_in_ode(period: float, time: float, torque: float) -> np.ndarray:
    """Returns how the head turns on ODE's universal joint, axes x and z."""
    ode = ode_or_skip()
    world, joints = ode.dWorldCreate(), ode.dJointGroupCreate(0)
    ode.dWorldSetGravity(world, 0.0, 0.0, -9.81)
    ode.dWorldSetCFM(world, 1e-5)
    base, body = ode.dBodyCreate(world), ode.dBodyCreate(world)
    ode.dBodySetKinematic(base)
    mass = ode.dMass()
    # At its centre, where the joint is: gravity turns nothing.
    inertia = SpatialInertia.SolidBoxWithMass(1.0, 0.1, 0.1, 0.2)
    i = inertia.CalcRotationalInertia().get_moments()
    ode.dMassSetParameters(mass, 1.0, 0, 0, 0, *i, 0, 0, 0)
    ode.dBodySetMass(body, mass)
    joint = ode.dJointCreateUniversal(world, joints)
    ode.dJointAttach(joint, base, body)
    ode.dJointSetUniversalAnchor(joint, 0.0, 0.0, 0.0)
    ode.dJointSetUniversalAxis1(joint, 1.0, 0.0, 0.0)
    ode.dJointSetUniversalAxis2(joint, 0.0, 0.0, 1.0)
    for axis, speed in enumerate(SPEEDS):
        group = axis * 0x100  # dParamGroup2
        # ODE counts the first body's motion against the second's.
        ode.dJointSetUniversalParam(joint, ode.dParamVel + group, -speed)
        ode.dJointSetUniversalParam(joint, ode.dParamFMax + group, torque)
    for _ in range(round(time / period)):
        ode.dWorldStep(world, period)
    rotation = np.array(ode.dBodyGetRotation(body)[:12]).reshape(3, 4)[:, :3]
    ode.dJointGroupDestroy(joints)
    ode.dWorldDestroy(world)
    return rotation


SPEEDS = 3.0, -5.0


def universal_in_drake(period: float, time: float, torque: float) -> np.ndarray:
    builder = DiagramBuilder()
    plant = builder.AddSystem(MultibodyPlant(period))
    model = plant.AddModelInstance("robot")
    body = plant.AddRigidBody(
        "head", model, SpatialInertia.SolidBoxWithMass(1.0, 0.1, 0.1, 0.2)
    )
    add_hinge2_joint(plant, "neck", plant.world_frame(), body.body_frame())
    plant.Finalize()
    driver = WebotsMotorDriver(
        motors={
            f"m{i}": RotationalMotor(joint=f"neck_{i}", max_torque=torque)
            for i in (1, 2)
        },
        commands=[
            command
            for i, speed in enumerate(SPEEDS, start=1)
            for command in (
                TimedCommand(motor=f"m{i}", set_position=math.inf),
                TimedCommand(motor=f"m{i}", set_velocity=speed),
            )
        ],
    )
    ApplyDriverConfig(driver, "robot", plant, builder=builder)
    simulator = Simulator(builder.Build())
    simulator.AdvanceTo(time)
    context = plant.GetMyContextFromRoot(simulator.get_context())
    return body.EvalPoseInWorld(context).rotation().matrix()


@pytest.mark.parametrize("torque", [0.02, 10.0])
def test_two_axes_turn_as_on_odes_universal_joint(torque):
    # With 0.02 N m both motors are at their bound for most of the time.
    time, period = 0.8, 0.001
    ode, finer = (
        universal_in_ode(h, time, torque) for h in (period, period / 2)
    )
    ours = universal_in_drake(period, time, torque)
    # ODE is first order: halving the step halves its error. The small body adds
    # 1e-3 kg of a radius of 1 cm, 4e-8 of 8e-4 kg m^2: nothing beside it.
    error = 2 * abs(ode - finer).max()
    assert error < 0.02
    np.testing.assert_allclose(ours, ode, atol=2 * error + 1e-4)


# --- from a scenario ---

MODEL = """<sdf version='1.9'><model name='m'>
<link name='torso'/><link name='head'><pose>0 0 0.2 0 0 0</pose></link>
<link name='hand'/>
<joint name='wrist' type='revolute'><parent>torso</parent><child>hand</child>
<axis><xyz>0 0 1</xyz></axis></joint></model></sdf>"""
SCENARIO = """
S:
  simulation_duration: 0.4
  plant_config: {time_step: 0.008}
  directives:
  - add_model: {name: robot, file: m.sdf}
  - add_model: {name: other, file: m.sdf}
  - add_weld: {parent: world, child: robot::torso}
  - add_weld: {parent: world, child: other::torso}
  initial_position: {robot: {neck_1: [0.1]}}
  model_drivers:
    robot: !WebotsMotorDriver
      multi_axis_joints:
        neck: JOINT
      motors:
        first: !RotationalMotor {joint: neck_1}
        last: !RotationalMotor {joint: neck_2}
      commands:
      - {time: 0.0, motor: first, set_position: 0.5}
      - {time: 0.1, motor: last, set_position: -0.3}
"""
PLACE = (
    "translation: [0.1, 0, 0.2], rotation: [0, 0, 1, 0.3], anchor: [0, 0, 0.15],"
    " axis: [0, 0, 1]"
)
HINGE2 = (
    f"!Hinge2Joint {{parent: torso, child: head, {PLACE}, axis2: [0, 1, 0]}}"
)
BALL = f"!BallJoint {{parent: torso, child: head, {PLACE}, axis3: [0, 1, 0]}}"


@pytest.fixture
def scenario(tmp_path):
    """Returns a function that loads a scenario with one such joint."""

    def load(joint: str):
        (tmp_path / "m.sdf").write_text(MODEL)
        (tmp_path / "s.yaml").write_text(SCENARIO.replace("JOINT", joint))
        return load_scenario(tmp_path / "s.yaml")

    return load


def by_hand(add, **axes) -> list[float]:
    """Returns the final angles with the joint added by the Python function."""
    builder = DiagramBuilder()
    plant = builder.AddSystem(MultibodyPlant(0.008))
    model = plant.AddModelInstance("robot")
    unit = SpatialInertia(1.0, [0, 0, 0], UnitInertia(1.0, 1.0, 1.0))
    torso, body = (plant.AddRigidBody(n, model, unit) for n in ("t", "h"))
    plant.WeldFrames(plant.world_frame(), torso.body_frame())
    X_TC = RigidTransform(RollPitchYaw(0, 0, 0.3), [0.1, 0, 0.2])
    X_TA = RigidTransform([0, 0, 0.15])
    parent = plant.AddFrame(FixedOffsetFrame("p", torso.body_frame(), X_TA))
    child = plant.AddFrame(
        FixedOffsetFrame("c", body.body_frame(), X_TC.inverse() @ X_TA)
    )
    joints = add(plant, "neck", parent, child, axis=[0, 0, 1], **axes)
    joints[0].set_default_angle(0.1)
    driver = WebotsMotorDriver(
        motors={
            "first": RotationalMotor(joint="neck_1"),
            "last": RotationalMotor(joint="neck_2"),
        },
        commands=[
            TimedCommand(motor="first", set_position=0.5),
            TimedCommand(time=0.1, motor="last", set_position=-0.3),
        ],
    )
    configure_actuators(driver, "robot", plant)
    plant.Finalize()
    ApplyDriverConfig(driver, "robot", plant, builder=builder)
    simulator = Simulator(builder.Build())
    simulator.AdvanceTo(0.4)
    context = plant.GetMyContextFromRoot(simulator.get_context())
    return [joint.get_angle(context) for joint in joints[:2]]


@pytest.mark.parametrize(
    ("joint", "add", "axes"),
    [
        (HINGE2, add_hinge2_joint, {"axis2": [0, 1, 0]}),
        (BALL, add_ball_joint, {"axis3": [0, 1, 0]}),
    ],
)
def test_a_scenario_adds_what_the_python_functions_do(
    scenario, joint, add, axes
):
    results = run(scenario(joint))
    ends = [results[f"robot/{name}/position"][-1] for name in ("first", "last")]
    # The other model in the plant costs rounding.
    np.testing.assert_allclose(ends, by_hand(add, **axes), atol=1e-12)
    assert results["robot/first/position"][0] == 0.1


def test_the_child_is_where_it_is_said_at_position_0(scenario):
    loaded = scenario(HINGE2)
    loaded.initial_position.clear()
    plant = assemble(loaded).plant
    context = plant.CreateDefaultContext()
    instance = plant.GetModelInstanceByName("robot")
    X_WH = plant.GetBodyByName("head", instance).EvalPoseInWorld(context)
    wanted = RigidTransform(RollPitchYaw(0, 0, 0.3), [0.1, 0, 0.2])
    assert X_WH.IsNearlyEqualTo(wanted, 1e-12)


def test_a_body_of_another_model_can_be_joined(scenario):
    text = HINGE2.replace("child: head", "child: other::head")
    plant = assemble(scenario(text)).plant
    instance = plant.GetModelInstanceByName("robot")
    # The joints are the driver's model's all the same.
    for name in ("neck_1", "neck_2"):
        assert plant.HasJointNamed(name, instance)


@pytest.mark.parametrize(
    ("joint", "told"),
    [
        (
            HINGE2.replace("child: head", "child: haed"),
            "child: unknown body 'haed'; did you mean head? (known: torso,"
            " head, hand",
        ),
        (
            HINGE2.replace("child: head", "child: robo::head"),
            "child: unknown model 'robo'; did you mean robot?",
        ),
        (
            HINGE2.replace("child: head", "child: hand"),
            "child: body hand hangs on the joint wrist already",
        ),
        (
            HINGE2.replace("parent: torso", "parent: head"),
            "child: body head carries the parent itself",
        ),
        (
            HINGE2.replace("child: head", "child: world"),
            "child: the world cannot hang on a joint",
        ),
        (
            HINGE2.replace("parent: torso, ", ""),
            "parent: the name of a body is needed",
        ),
        (
            HINGE2.replace("0.15]", "0.15, 1]"),
            "anchor: 4 numbers; 3 are needed: x, y, z",
        ),
        (
            HINGE2.replace("0.15]", ".nan]"),
            "anchor[2]: nan is not allowed; must be a finite number",
        ),
        (
            HINGE2.replace("[0, 0, 1, 0.3]", "[0, 0, 0, 0.3]"),
            "rotation: x, y and z are all 0; a direction is needed",
        ),
        (
            HINGE2.replace("axis2", "axes2"),
            "axes2: unknown field; did you mean axis2?",
        ),
        (
            HINGE2.replace("!Hinge2Joint", "!Hinge3Joint"),
            " unknown tag '!Hinge3Joint'; did you mean !Hinge2Joint?",
        ),
    ],
)
def test_a_joint_that_cannot_be_is_told_with_its_place(
    scenario, tmp_path, joint, told
):
    with pytest.raises(InputError) as caught:
        assemble(scenario(joint))
    place, _, text = str(caught.value).partition(": ")
    assert place.startswith(f"{tmp_path / 's.yaml'}:14:")
    start = "S.model_drivers.robot.multi_axis_joints.neck"
    assert text.startswith((f"{start}.{told}", f"{start}:{told}"))


def test_a_plant_finalized_too_early_says_which_call_is_missing():
    builder = DiagramBuilder()
    plant = builder.AddSystem(MultibodyPlant(0.008))
    plant.AddModelInstance("robot")
    plant.Finalize()
    driver = WebotsMotorDriver(
        motors={"m": RotationalMotor(joint="neck_1")},
        multi_axis_joints={"neck": Hinge2Joint(parent="a", child="b")},
    )
    with pytest.raises(InputError) as caught:
        ApplyDriverConfig(driver, "robot", plant, builder=builder)
    assert str(caught.value) == (
        "multi_axis_joints.neck: the joint needs a call of configure_actuators"
        " before the plant's Finalize"
    )


def test_a_body_that_carries_the_parent_by_others_is_refused():
    plant = MultibodyPlant(0.01)
    inertia = SpatialInertia.SolidSphereWithMass(1.0, 0.1)
    bodies = [plant.AddRigidBody(name, inertia) for name in "abc"]
    for parent, child in itertools.pairwise(bodies):
        plant.WeldFrames(parent.body_frame(), child.body_frame())
    ends = bodies[-1].body_frame(), bodies[0].body_frame()
    with pytest.raises(InputError, match="body a carries the parent itself"):
        multi_axis_joints._check_tree(plant, *ends)
