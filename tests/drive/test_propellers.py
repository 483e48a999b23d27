"""Propellers thrust and turn as Webots' formula says."""

import warnings

import numpy as np
import pytest
from pydrake.multibody.plant import AddMultibodyPlantSceneGraph
from pydrake.multibody.tree import PrismaticJoint, SpatialInertia
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder

from webmotor_drake.drive.driver import (
    ApplyDriverConfig,
    WebotsMotorDriver,
    configure_actuators,
)
from webmotor_drake.errors import InputError
from webmotor_drake.motor.commands import TimedCommand
from webmotor_drake.nodes.joints import JointParameters, Propeller
from webmotor_drake.nodes.motors import RotationalMotor

STEP = 0.008
SPEED = 100.0
T1, T2, Q1, Q2 = 2e-4, 1e-3, 3e-5, 1e-4


def driver(**fields) -> WebotsMotorDriver:
    """Returns one with a propeller that is at its speed from the first step on."""
    given = {
        "motors": {
            "motor": RotationalMotor(
                joint="shaft", max_velocity=SPEED, max_torque=1e6
            )
        },
        "propellers": {
            "shaft": Propeller(
                shaft_axis=[0, 0, 2],
                center_of_thrust=[0.1, 0, 0],
                thrust_constants=[T1, T2],
                torque_constants=[Q1, Q2],
            )
        },
        "commands": [TimedCommand(motor="motor", set_position=float("inf"))],
    }
    return WebotsMotorDriver(**{**given, **fields})


class Flyer:
    """A body of 2 kg with a propeller, without gravity."""

    def __init__(self, config: WebotsMotorDriver, prepare=None):
        builder = DiagramBuilder()
        plant, _ = AddMultibodyPlantSceneGraph(builder, STEP)
        model = plant.AddModelInstance("flyer")
        inertia = SpatialInertia.SolidSphereWithMass(2.0, 0.5)
        body = plant.AddRigidBody("body", model, inertia)
        plant.mutable_gravity_field().set_gravity_vector([0, 0, 0])
        if prepare is not None:
            prepare(plant, body)
        configure_actuators(config, "flyer", plant)
        plant.Finalize()
        self.motors = ApplyDriverConfig(config, "flyer", plant, builder=builder)
        self.simulator = Simulator(builder.Build())
        root = self.simulator.get_mutable_context()
        self.plant, self.context = (
            plant,
            plant.GetMyMutableContextFromRoot(root),
        )
        self.body, self.I = body, 2 / 5 * 2.0 * 0.25

    def velocity(self, time: float) -> np.ndarray:
        """Returns angular and linear velocity at a time, shape (6,)."""
        self.simulator.AdvanceTo(time)
        V = self.plant.EvalBodySpatialVelocityInWorld(self.context, self.body)
        return np.concatenate([V.rotational(), V.translational()])


def test_thrust_and_torque_are_webots_formula():
    flyer = Flyer(driver())
    v1, v2 = flyer.velocity(2 * STEP), flyer.velocity(3 * STEP)
    alpha, a = np.split((v2 - v1) / STEP, 2)
    air = v1[5] - v1[1] * 0.1  # at the centre of thrust
    thrust = T1 * SPEED**2 - T2 * SPEED * air
    torque = Q1 * SPEED**2 - Q2 * SPEED * air
    # The helix of 1 mg, and the body's turn meanwhile.
    assert 2 * a[2] == pytest.approx(thrust, rel=1e-5)
    assert flyer.I * alpha[1] == pytest.approx(-0.1 * thrust, rel=1e-5)
    assert flyer.I * alpha[2] == pytest.approx(-torque, rel=1e-5)


def test_the_speed_ramps_up_at_the_torque_as_an_acceleration():
    # WbMotor.cpp: without an acceleration limit the torque is one.
    motor = RotationalMotor(joint="shaft", max_velocity=SPEED, max_torque=500)
    flyer = Flyer(driver(motors={"motor": motor}))
    shaft = flyer.plant.GetJointByName("shaft")
    for steps in (1, 10, 25, 40):
        flyer.simulator.AdvanceTo(steps * STEP)
        rate = shaft.get_angular_rate(flyer.context)
        # Nothing but the torque turns the shaft.
        assert rate == pytest.approx(min(500 * steps * STEP, SPEED), rel=1e-9)


def test_without_a_command_nothing_turns():
    flyer = Flyer(driver(commands=[]))
    assert not flyer.velocity(0.1).any()


def test_a_model_may_have_the_joint_itself():
    def prepare(plant, body):
        from pydrake.multibody.tree import RevoluteJoint

        helix = plant.AddRigidBody(
            "helix",
            body.model_instance(),
            SpatialInertia.SolidSphereWithMass(0.01, 0.05),
        )
        plant.AddJoint(
            RevoluteJoint(
                "shaft", body.body_frame(), helix.body_frame(), [0, 0, 1]
            )
        )

    flyer = Flyer(driver(), prepare)
    assert not flyer.plant.HasBodyNamed("shaft_helix")
    assert flyer.velocity(3 * STEP)[5] > 0


def test_torque_is_clipped_by_the_motor_and_thrust_is_not():
    motor = RotationalMotor(joint="shaft", max_velocity=SPEED, max_torque=0.1)
    motor.acceleration = -1
    # The torque is the acceleration, too: the speed is there from the start.
    flyer = Flyer(driver(motors={"motor": motor}))
    flyer.plant.GetJointByName("shaft").set_angular_rate(flyer.context, SPEED)
    v = flyer.velocity(STEP)
    assert abs(v[2]) * flyer.I / STEP <= 0.1 * (1 + 1e-6)
    assert 2 * v[5] / STEP == pytest.approx(T1 * SPEED**2, rel=1e-5)


def test_a_plant_finalized_before_its_propeller_came_is_told_which_call_is_missing():
    builder = DiagramBuilder()
    plant, _ = AddMultibodyPlantSceneGraph(builder, STEP)
    model = plant.AddModelInstance("flyer")
    inertia = SpatialInertia.SolidSphereWithMass(2.0, 0.5)
    plant.AddRigidBody("body", model, inertia)
    plant.Finalize()
    with pytest.raises(InputError) as caught:
        ApplyDriverConfig(driver(), "flyer", plant, builder=builder)
    assert str(caught.value) == (
        "propellers.shaft: the propeller needs a call of configure_actuators before"
        " the plant's Finalize"
    )


def slider(plant, body):
    other = plant.AddRigidBody(
        "other",
        body.model_instance(),
        SpatialInertia.SolidSphereWithMass(1, 0.1),
    )
    plant.AddJoint(
        PrismaticJoint(
            "shaft", body.body_frame(), other.body_frame(), [0, 0, 1]
        )
    )


@pytest.mark.parametrize(
    ("fields", "prepare", "problem"),
    [
        (
            {"motors": {}, "commands": []},
            None,
            "propellers.shaft: no motor has",
        ),
        (
            {"joints": {"shaft": JointParameters(static_friction=1)}},
            None,
            "joints.shaft: joint shaft is that of a propeller",
        ),
        (
            {"propellers": {"shaft": Propeller(frame="bdy")}},
            None,
            "propellers.shaft.frame: unknown body or frame 'bdy'; did you mean body?",
        ),
        (
            {"propellers": {"shaft": Propeller(shaft_axis=[0, 0, 0])}},
            None,
            "propellers.shaft.shaft_axis: x, y and z are all 0",
        ),
        (
            {"propellers": {"shaft": Propeller(thrust_constants=[1.0])}},
            None,
            "propellers.shaft.thrust_constants: 1 numbers; 2 are needed",
        ),
        ({}, slider, "propellers.shaft: joint shaft is a prismatic joint"),
    ],
)
def test_what_cannot_be_is_told_with_its_place(fields, prepare, problem):
    with pytest.raises(InputError) as raised:
        Flyer(driver(**fields), prepare)
    assert problem in str(raised.value)


def test_two_flyers_share_the_plants_port():
    builder = DiagramBuilder()
    plant, _ = AddMultibodyPlantSceneGraph(builder, STEP)
    plant.mutable_gravity_field().set_gravity_vector([0, 0, 0])
    bodies = []
    for name in ("a", "b"):
        model = plant.AddModelInstance(name)
        inertia = SpatialInertia.SolidSphereWithMass(2.0, 0.5)
        bodies.append(plant.AddRigidBody("body", model, inertia))
        configure_actuators(driver(), name, plant)
    plant.Finalize()
    for name in ("a", "b"):
        ApplyDriverConfig(driver(), name, plant, builder=builder)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        simulator = Simulator(builder.Build())
    simulator.AdvanceTo(5 * STEP)
    context = plant.GetMyContextFromRoot(simulator.get_context())
    speeds = [
        plant.EvalBodySpatialVelocityInWorld(context, body).translational()[2]
        for body in bodies
    ]
    assert speeds[0] == speeds[1] > 0


def test_a_robot_diagram_builder_has_them_too():
    # Its own Build calls nothing of ours.
    from pydrake.planning import RobotDiagramBuilder

    robot = RobotDiagramBuilder(time_step=STEP)
    plant, builder = robot.plant(), robot.builder()
    plant.mutable_gravity_field().set_gravity_vector([0, 0, 0])
    model = plant.AddModelInstance("flyer")
    inertia = SpatialInertia.SolidSphereWithMass(2.0, 0.5)
    body = plant.AddRigidBody("body", model, inertia)
    configure_actuators(driver(), "flyer", plant)
    plant.Finalize()
    ApplyDriverConfig(driver(), "flyer", plant, builder=builder)
    diagram = robot.Build()
    simulator = Simulator(diagram)
    simulator.AdvanceTo(5 * STEP)
    context = plant.GetMyContextFromRoot(simulator.get_context())
    V_WB = plant.EvalBodySpatialVelocityInWorld(context, body)
    assert V_WB.translational()[2] > 0


def test_the_battery_pays_for_thrust_and_torque():
    # WbMotor.cpp: (|thrust| + |torque|) consumptionFactor, and the computer's 10 W.
    flyer = Flyer(driver(battery=[1000.0, 1000.0, 0.0]))
    thrust, torque = 0.0, 0.0
    for step in range(1, 6):
        _, wy, _, _, _, vz = flyer.velocity(step * STEP)
        speeds = np.array([SPEED**2, -SPEED * (vz - 0.1 * wy)])
        thrust += abs(speeds @ [T1, T2])
        torque += abs(speeds @ [Q1, Q2])
    port = flyer.motors.GetOutputPort("battery")
    root = flyer.simulator.get_context()
    left = port.Eval(flyer.motors.GetMyContextFromRoot(root))[0]
    spent = STEP * (5 * 10.0 + 10.0 * (thrust + torque))
    # The body turns a little, and the air's speed is along its axis as written.
    assert 1000.0 - left == pytest.approx(spent, rel=1e-7)
