"""Reflected inertia, delays and offsets, under each drive and model."""

import dataclasses as dc

import numpy as np
import pytest
from ode_here import ode_or_skip

import webmotor_drake as wm
from webmotor_drake.comparison.known_models import prepare
from webmotor_drake.controllers.session import RobotSession

FILE = "package:pendulum"
MODELS = ["webots_torque", "webots_implicit", "drake_pd", "ode"]


def scenario(**driver):
    loaded = wm.load_scenario(
        FILE, name="Lift", text="{simulation_duration: 0.4}"
    )
    own = loaded.model_drivers["arm"]
    commands = [
        wm.TimedCommand(time=0.08, motor="hinge motor", set_position=0.4)
    ]
    loaded.model_drivers = {
        "arm": dc.replace(own, **{"commands": commands, **driver})
    }
    return loaded


def positions(model: str, **driver) -> np.ndarray:
    if model == "ode":
        ode_or_skip()
    results = prepare(model, scenario(**driver), None)(None)
    return results["arm/hinge motor/position"]


@pytest.mark.parametrize("model", MODELS)
def test_a_delay_of_whole_steps_shifts_the_motion(model):
    # Until the target moves the arm is held at 0 in both.
    motion, late = positions(model), positions(model, delay=0.04)
    np.testing.assert_allclose(late[5:], motion[:-5], atol=1e-7)


@pytest.mark.parametrize("model", MODELS[:3])
def test_a_delay_between_steps_lies_between_them(model):
    # So small a step that the motor is not at its limit.
    step = [wm.TimedCommand(motor="hinge motor", set_position=0.002)]
    early, between, late = (
        positions(model, delay=d, commands=step)[8:16]
        for d in (0.04, 0.044, 0.048)
    )
    assert (late < between).all()
    assert (between < early).all()


@pytest.mark.parametrize("model", MODELS[:2])
def test_effort_and_reflected_inertia_give_the_acceleration(model):
    """Against a closed form: J a = tau, without gravity and friction."""
    pushed = scenario(
        joints={"hinge": wm.JointParameters(reflected_inertia=3.0)},
        commands=[wm.TimedCommand(motor="hinge motor", set_torque=2.0)],
        # `prepare` overrides the drive.
    )
    bare = scenario(
        commands=[wm.TimedCommand(motor="hinge motor", set_torque=2.0)]
    )
    velocity = [
        prepare(model, s, None)(None)["arm/hinge motor/velocity"][1]
        for s in (bare, pushed)
    ]
    plant = wm.build_diagram(bare).GetSubsystemByName("plant")
    context = plant.CreateDefaultContext()
    inertia = plant.CalcMassMatrix(context)[0, 0]
    gravity = plant.CalcGravityGeneralizedForces(context)[0]
    damping = plant.GetJointByName("hinge").default_damping()
    h = 0.008
    expected = [
        h * (2.0 + gravity) / (inertia + h * damping + extra)
        for extra in (0.0, 3.0)
    ]
    # The solver of the implicit drive stops at 1e-6.
    np.testing.assert_allclose(velocity, expected, rtol=1e-5)


def test_drake_pd_feels_the_inertia_and_ode_refuses_it():
    joints = {"hinge": wm.JointParameters(reflected_inertia=3.0)}
    light, heavy = positions("drake_pd"), positions("drake_pd", joints=joints)
    assert heavy[12] < light[12]
    ode_or_skip()
    with pytest.raises(wm.InputError, match="rotor inertia of 3"):
        positions("ode", joints=joints)


def test_the_reflected_inertia_is_drakes_own_number():
    built = scenario(
        joints={"hinge": wm.JointParameters(reflected_inertia=0.25)}
    )
    for drive in ("torque", "implicit"):
        built.model_drivers["arm"] = dc.replace(
            built.model_drivers["arm"], drive=drive
        )
        plant = wm.build_diagram(built).GetSubsystemByName("plant")
        reflected = [
            plant.get_joint_actuator(i).default_reflected_inertia()
            for i in plant.GetJointActuatorIndices()
        ]
        assert reflected[-1] == 0.25


def test_friction_acts_beside_drakes_pd_controller():
    """A PD controller with friction stops before its target: closed form."""
    friction, kp = 2.0, 100.0
    stuck = scenario(
        joints={"hinge": wm.JointParameters(static_friction=friction)},
        commands=[wm.TimedCommand(motor="hinge motor", set_position=0.019)],
    )
    run = prepare("drake_pd", stuck, {"arm/hinge motor": (kp, 10.0)})
    q = run(None)["arm/hinge motor/position"]
    # kp 0.019 = 1.9 N m are less than the friction; gravity is 0 at 0.
    assert np.abs(q).max() < 1e-4


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("delay: -1", "delay: -1"),
        ("delay: 11", "must be from 0 to 10"),
        ("joints: {hinge: {reflected_inertia: -0.1}}", "at least 0"),
        (
            "position_sensors: {s: {joint: hinge, offset: .nan}}",
            "a finite number",
        ),
    ],
)
def test_bad_values_are_refused(path, text):
    with pytest.raises(wm.InputError, match=text):
        wm.load_scenario(
            FILE,
            name="Lift",
            text=f"{{model_drivers: {{arm: !WebotsMotorDriver {{{path}}}}}}}",
        )


def test_a_sensor_measures_its_offset_and_the_motor_does_not():
    sensors = {"sensor": wm.PositionSensor(joint="hinge", offset=0.25)}
    with RobotSession(scenario(position_sensors=sensors)) as session:
        robot = session.robot("arm")
        sensor = robot.getDevice("sensor")
        sensor.enable(8)
        robot.step(8)
        position = session.results()["arm/hinge motor/position"][-1]
        assert sensor.getValue() == pytest.approx(0.25 + position, abs=1e-12)


def test_an_empty_battery_stops_motors_whatever_is_on_its_way():
    drained = positions("webots_torque", battery=[0.5, 10.0, 0.0], delay=0.0333)
    assert drained[-1] < positions("webots_torque", delay=0.0333)[-1]


def test_check_tells_of_delay_and_inertia():
    from webmotor_drake.cli.check_command import describe
    from webmotor_drake.runner import ready

    text = describe(
        ready(
            scenario(
                delay=0.0123,
                joints={"hinge": wm.JointParameters(reflected_inertia=0.5)},
            )
        )
    )
    assert "commands 0.0123 s late" in text
    assert "reflected inertia 0.5 kg·m²" in text
