"""Friction that grows with the load: the load is BAM's, on both drives."""

import math

import numpy as np
import pytest
from _lib.plants import MODEL, Z, add_body, add_joint, new_plant
from mechanisms import (
    Rig,
    add_random_chain,
    chain,
    driven,
    floating_arm,
)
from pydrake.geometry import Box, SceneGraph, Sphere
from pydrake.math import RigidTransform
from pydrake.multibody.plant import CoulombFriction
from pydrake.multibody.tree import PrismaticJoint
from pydrake.systems.framework import DiagramBuilder

from webmotor_drake.drive.driver import (
    ApplyDriverConfig,
    WebotsMotorDriver,
    configure_actuators,
)
from webmotor_drake.loops.rows import ModelState
from webmotor_drake.motor.commands import TimedCommand
from webmotor_drake.nodes.joints import JointParameters
from webmotor_drake.nodes.motor_models import Friction, Pd
from webmotor_drake.nodes.motors import LinearMotor, RotationalMotor

DRIVES = ("torque", "implicit")
H = 0.004
MOTOR, OUTSIDE = 0.1, 0.3  # what of the loads becomes friction
G = 9.81


def sines(plant, steps, *, drive="implicit", joints=None):
    """Returns motors with friction by load that follow sines, one per joint."""
    motors, commands = {}, []
    indices = plant.GetJointIndices(plant.GetModelInstanceByName(MODEL))
    for i, joint in enumerate(map(plant.get_joint, indices)):
        if joint.num_velocities() != 1:
            continue
        slides = isinstance(joint, PrismaticJoint)
        kind = LinearMotor if slides else RotationalMotor
        name = joint.name()
        motors[name] = kind(
            name,
            motor_model="pd",
            pd=Pd(kp=60.0, kd=3.0),
            friction=Friction(motor_load=MOTOR, external_load=OUTSIDE),
            **{kind.effort_field: 500.0},
        )
        commands += [
            TimedCommand(
                time=k * H,
                motor=name,
                set_position=0.5 * math.sin((4.0 + i) * k * H),
            )
            for k in range(steps)
        ]
    return WebotsMotorDriver(
        drive=drive,
        basic_time_step=H,
        motors=motors,
        joints=joints or {},
        commands=commands,
    )


def signals_of(rig, steps, *signals):
    """Returns signals of a run, by motor, shape (motors, steps + 1) each."""
    found = rig.signals(steps)
    return [
        np.array(
            [
                found[f"{MODEL}/{name}/{what}"]
                for name in rig.motors.devices.names
            ]
        )
        for what in signals
    ]


def damped_chain(h, links, rng):
    """Returns a random arm whose model has dampers."""
    plant = new_plant(h)
    add_random_chain(plant, links, rng, damping=0.7)
    return plant


@pytest.mark.parametrize(
    ("build", "links"),
    [(chain, 1), (chain, 2), (chain, 6), (damped_chain, 3), (floating_arm, 3)],
)
def test_both_drives_find_the_same_load_where_nothing_touches(build, links):
    joints = {"joint0": JointParameters(spring_constant=3.0)}
    found = []
    for drive in DRIVES:
        plant = build(H, links, np.random.default_rng(1))
        driver = sines(plant, 150, drive=drive, joints=joints)
        rig = Rig(*driven(plant, driver))
        found.append(signals_of(rig, 150, "friction", "position"))
    (one, there), (other, here) = found
    far = np.sqrt(np.mean((one - other) ** 2, axis=1))
    # Where a joint turns round the contact solver is its tolerance off.
    assert (far < 3e-3 * np.sqrt(np.mean(one**2, axis=1))).all()
    np.testing.assert_allclose(there, here, atol=2e-5)


@pytest.mark.parametrize("drive", DRIVES)
def test_friction_is_what_bam_says_with_mujocos_bias_forces(drive):
    mujoco = pytest.importorskip("mujoco")
    link = (
        '<inertial mass="1" pos="0 0 -0.25" diaginertia="0.02 0.0202 0.0005"/>'
    )
    theirs = mujoco.MjModel.from_xml_string(
        f"""<mujoco><worldbody><body><joint axis="0 1 0"/>{link}
        <body pos="0 0 -0.5"><joint axis="0 1 0"/>{link}</body>
        </body></worldbody></mujoco>"""
    )
    plant = new_plant(H)
    upper, lower = add_body(plant, "upper"), add_body(plant, "lower")
    add_joint(plant, "joint0", upper)
    add_joint(plant, "joint1", lower, parent=upper, at=(0, 0, -0.5))
    steps = 200
    rig = Rig(*driven(plant, sines(plant, steps, drive=drive)))
    friction, q, v = signals_of(rig, steps, "friction", "position", "velocity")
    data = mujoco.MjData(theirs)
    expected = np.zeros_like(friction)
    for k in range(steps):
        data.qpos[:], data.qvel[:] = q[:, k], v[:, k]
        mujoco.mj_forward(theirs, data)
        target = 0.5 * np.sin((4.0 + np.arange(2)) * k * H)
        ahead = q[:, k] + H * v[:, k]  # implicit: where it will be
        motor = 60.0 * (target - ahead) - 3.0 * v[:, k]
        budget = np.abs(MOTOR * motor + OUTSIDE * data.qfrc_bias)
        expected[:, k + 1] = -np.sign(v[:, k + 1]) * budget
    slides = np.abs(v) > 0.01
    assert slides.mean() > 0.9
    # What both compute is of their own state: rounding alone is left.
    np.testing.assert_allclose(
        friction[slides], expected[slides], rtol=1e-8, atol=1e-8
    )


TRUNK, FOOT, SPEED = 3.0, 0.5, 0.1


def lifting(seconds):
    """Returns a trunk that floats up and down, and its foot on a floor below it.

    The foot's motor lowers it at a constant speed, which lifts the trunk.
    """
    builder = DiagramBuilder()
    scene = builder.AddSystem(SceneGraph())
    plant = builder.AddSystem(new_plant(H))
    plant.RegisterAsSourceForSceneGraph(scene)
    trunk = add_body(plant, "trunk", mass=TRUNK, com=(0, 0, 0))
    foot = add_body(plant, "foot", mass=FOOT, com=(0, 0, 0))
    add_joint(plant, "height", trunk, axis=Z, sliding=True, effort_limit=None)
    add_joint(plant, "leg", foot, axis=Z, sliding=True, parent=trunk)
    rough = CoulombFriction(1.0, 1.0)
    for body, shape, z in (
        (plant.world_body(), Box(1.0, 1.0, 0.2), -0.2),
        (foot, Sphere(0.1), 0.0),
    ):
        pose = RigidTransform([0.0, 0.0, z])
        plant.RegisterCollisionGeometry(body, pose, shape, body.name(), rough)
    driver = WebotsMotorDriver(
        drive="implicit",
        motors={
            "leg": LinearMotor(
                "leg",
                motor_model="pd",
                max_force=1e3,
                pd=Pd(kp=0.0, kd=1e4),
                friction=Friction(motor_load=MOTOR, external_load=OUTSIDE),
            )
        },
        commands=[
            TimedCommand(
                motor="leg", set_position=math.inf, set_velocity=-SPEED
            )
        ],
    )
    configure_actuators(driver, MODEL, plant)
    plant.Finalize()
    builder.Connect(
        plant.get_geometry_pose_output_port(),
        scene.get_source_pose_port(plant.get_source_id()),
    )
    builder.Connect(
        scene.get_query_output_port(), plant.get_geometry_query_input_port()
    )
    motors = ApplyDriverConfig(driver, MODEL, plant, builder=builder)
    return Rig(builder, plant, motors).signals(round(seconds / H))


def test_what_stands_on_a_foot_is_a_load_of_its_joint():
    signals = lifting(0.6)
    # The motor carries the trunk and the friction of both loads.
    weight = TRUNK * G
    force = weight * (1 + OUTSIDE) / (1 - MOTOR)
    speed, effort, friction = (
        signals[f"{MODEL}/leg/{what}"][-1]
        for what in ("velocity", "effort", "friction")
    )
    # What the softness of loop and contact leaves.
    assert speed == pytest.approx(-SPEED, rel=0.05)
    assert effort == pytest.approx(-force, rel=1e-5)
    assert friction == pytest.approx(force - weight, rel=1e-5)


def test_velocities_that_somebody_sets_are_no_load():
    plant = chain(H, 2, np.random.default_rng(2))
    rig = Rig(*driven(plant, sines(plant, 1)))
    simulator = rig.started(np.zeros(plant.num_multibody_states()))
    # When supervisors do it: the step is done, the next one's law has not run.
    simulator.AdvanceTo(rig.motors.next_step_time(10))
    context = plant.GetMyMutableContextFromRoot(simulator.get_mutable_context())
    plant.SetVelocities(context, plant.GetVelocities(context) + 1.0)
    rig.advance(simulator, 10)
    own = rig.motors.GetMyContextFromRoot(simulator.get_context())
    table = rig.motors.tables.models_table(rig.motors.table_values(own))
    # Gravity and what turns; a jump within a step would be hundreds of N m.
    assert np.abs(table[ModelState.LOAD]).max() < 15.0


def test_two_runs_of_a_diagram_keep_their_loads_apart():
    plant = chain(H, 3, np.random.default_rng(4))
    rig = Rig(*driven(plant, sines(plant, 60)))
    simulators = [
        rig.started(np.full(plant.num_multibody_states(), start))
        for start in (0.0, 0.2)
    ]
    for k in range(40):
        for simulator in simulators:
            rig.advance(simulator, k)
    alone = rig.started(np.zeros(plant.num_multibody_states()))
    rig.advance(alone, 39)
    np.testing.assert_array_equal(rig.state(simulators[0]), rig.state(alone))
    again = rig.simulator(simulators[1].get_context().Clone())
    for simulator in (simulators[1], again):
        rig.advance(simulator, 50)
    np.testing.assert_array_equal(rig.state(simulators[1]), rig.state(again))


def test_a_heavier_body_in_the_context_is_a_greater_load():
    plant = chain(H, 1, np.random.default_rng(1), gravity=9.81)
    rig = Rig(*driven(plant, sines(plant, 1)))
    loads = []
    for factor in (1.0, 2.0):
        simulator = rig.simulator()
        context = plant.GetMyMutableContextFromRoot(
            simulator.get_mutable_context()
        )
        body = plant.GetBodyByName("link0")
        body.SetMass(context, factor * body.default_mass())
        simulator.Initialize()
        own = rig.motors.GetMyContextFromRoot(simulator.get_context())
        table = rig.motors.tables.models_table(rig.motors.table_values(own))
        loads.append(table[ModelState.LOAD, 0])
    assert loads[1] == pytest.approx(2 * loads[0])
    assert abs(loads[0]) > 0.1
