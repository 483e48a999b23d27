"""ODE built from a plant is the mechanism of that plant."""

import builtins
import math
import os

import numpy as np
import pytest
from _lib.plants import (
    MODEL,
    X,
    Y,
    Z,
    add_body,
    add_joint,
    new_plant,
)
from _lib.reference_cases import NAMES, drake_case, load_case
from mechanisms import (
    Rig,
    driven,
)
from ode_here import ode_or_skip
from pydrake.geometry import (
    AddContactMaterial,
    Box,
    Convex,
    HalfSpace,
    ProximityProperties,
    SceneGraph,
    Sphere,
)
from pydrake.math import RigidTransform, RollPitchYaw
from pydrake.multibody.plant import CoulombFriction
from pydrake.multibody.tree import (
    BallRpyJoint,
    RevoluteSpring,
    SpatialInertia,
    UnitInertia,
    WeldJoint,
)
from pydrake.systems.framework import DiagramBuilder

from webmotor_drake.drive.driver import ApplyDriverConfig, WebotsMotorDriver
from webmotor_drake.engines import ode_library
from webmotor_drake.engines.ode_engine import OdeEngine
from webmotor_drake.engines.stepped_motors import SteppedMotors
from webmotor_drake.engines.stepped_run import SteppedRun
from webmotor_drake.errors import InputError, SimulationError
from webmotor_drake.motor.commands import TimedCommand
from webmotor_drake.nodes.joints import Brake, JointParameters
from webmotor_drake.nodes.motors import LinearMotor, RotationalMotor

ode_or_skip()

# What Webots would warn of in some of the cases.
pytestmark = pytest.mark.filterwarnings("ignore::webmotor_drake.MotorWarning")

PERIOD = 0.008


def case_commands(case: dict) -> list[TimedCommand]:
    """Returns a case's commands as a scenario has them."""
    commands = []
    for command in case["commands"]:
        verbs = {
            name: value if isinstance(value, list) else float(value)
            for name, value in command.items()
            if name.startswith("set_")
        }
        time = command["step"] * case["time_step"]
        commands.append(
            TimedCommand(time=time, motor=command["motor"], **verbs)
        )
    return commands


def run_on_ode(
    plant, system, driver, duration, *, before_step=None, **options
) -> tuple[dict[str, np.ndarray], OdeEngine]:
    """Returns the signals by "<motor>/<signal>" and the engine at the end."""
    engine = OdeEngine(
        plant, SteppedMotors({MODEL: system}, {MODEL: driver}), **options
    )
    run = SteppedRun(engine)
    for step in range(math.floor(duration / system.period + 1e-9)):
        if before_step is not None:
            before_step(engine, step)
        run.step(step)
    signals = {
        name.removeprefix(f"{MODEL}/"): values
        for name, values in run.signals().items()
    }
    return signals, engine


def on_both(plant, driver, steps: int) -> list[dict[str, np.ndarray]]:
    """Returns the signals on Drake (torque drive) and on ODE."""
    driver.drive = "torque"
    rig = Rig(*driven(plant, driver))
    period = rig.motors.period
    on_ode, _ = run_on_ode(rig.plant, rig.motors, driver, steps * period)
    logged = rig.signals(steps)
    on_drake = {
        name.removeprefix(f"{MODEL}/"): values
        for name, values in logged.items()
    }
    return [on_drake, on_ode]


@pytest.mark.parametrize("name", NAMES)
def test_an_engine_from_the_plant_moves_as_the_stored_case(name):
    # The same engine and bodies: what differs is the 9th digit stored, below
    # 1e-7 for velocities of up to 10 and more.
    case = load_case(name)
    _, plant, system = drake_case(case)
    driver = WebotsMotorDriver(cfm=case["cfm"], commands=case_commands(case))

    def push(engine, step):
        for force in case.get("external", ()):
            if force["from_step"] <= step < force["to_step"]:
                body = engine.plant.GetBodyByName(force["body"]).index()
                pushed = engine._bodies[body]
                engine._ode.dBodyAddForce(pushed, *map(float, force["force"]))

    duration = case["steps"] * case["time_step"]
    signals, _ = run_on_ode(plant, system, driver, duration, before_step=push)
    for name in ("position", "velocity", "velocity_command"):
        found = np.transpose(
            [signals[f"{motor}/{name}"][1:] for motor in case["motors"]]
        )
        stored = np.array(case["trajectory"][name])[:, : found.shape[1]]
        np.testing.assert_allclose(found, stored, rtol=0, atol=1e-7)


def test_a_sliders_force_is_the_stored_one():
    # A slider's reaction does not depend on when its axis is read.
    case = load_case("slider_lift")
    _, plant, system = drake_case(case)
    driver = WebotsMotorDriver(cfm=case["cfm"], commands=case_commands(case))
    duration = case["steps"] * case["time_step"]
    signals, _ = run_on_ode(plant, system, driver, duration)
    stored = np.array(case["trajectory"]["torque"])[:, 0]
    np.testing.assert_allclose(
        signals["motor/feedback"][1:], stored, rtol=0, atol=1e-7
    )


def test_effort_is_never_above_its_bound():
    case = load_case("hinge_position_saturated")
    _, plant, system = drake_case(case)
    driver = WebotsMotorDriver(cfm=case["cfm"], commands=case_commands(case))
    duration = case["steps"] * case["time_step"]
    signals, _ = run_on_ode(plant, system, driver, duration)
    effort = np.abs(signals["motor/effort"])
    # The engine's solution, projected: rounding.
    assert effort.max() <= signals["motor/effort_limit"][0] * (1 + 1e-9)
    assert signals["motor/saturated"].any()


def slider_driver(commands=(), **fields) -> WebotsMotorDriver:
    return WebotsMotorDriver(
        motors={"motor": LinearMotor(joint="rail", max_force=100.0)},
        commands=[TimedCommand(motor="motor", **c) for c in commands],
        **fields,
    )


def test_a_sliders_spring_and_damper_are_those_of_the_torque_drive():
    # One coordinate, no gravity across it: both engines solve the same row.
    plant = new_plant(PERIOD)
    add_joint(plant, "rail", add_body(plant, "carriage"), axis=X, sliding=True)
    driver = slider_driver(
        [{"set_position": 0.2}, {"time": 0.4, "set_available_force": 0.0}],
        joints={
            "rail": JointParameters(spring_constant=90.0, damping_constant=2.0)
        },
    )
    drake, ode = on_both(plant, driver, 200)
    np.testing.assert_allclose(
        ode["motor/position"], drake["motor/position"], rtol=0, atol=1e-9
    )
    assert abs(ode["motor/position"][-1]) < 0.01  # the spring took it back


def test_a_brake_acts_from_its_command_on():
    plant = new_plant(PERIOD, gravity=9.81)
    add_joint(plant, "rail", add_body(plant, "carriage"), axis=Z, sliding=True)
    driver = slider_driver(
        [{"set_available_force": 0.0}], brakes={"brake": Brake(joint="rail")}
    )
    driver.commands.append(
        TimedCommand(time=0.4, brake="brake", set_damping_constant=50.0)
    )
    drake, ode = on_both(plant, driver, 200)
    np.testing.assert_allclose(
        ode["motor/velocity"], drake["motor/velocity"], rtol=0, atol=1e-9
    )
    # 1 kg falls at weight / damping.
    assert ode["motor/velocity"][-1] == pytest.approx(-9.81 / 50, rel=1e-6)


def test_joint_damping_of_the_model_is_an_implicit_damper():
    plant = new_plant(PERIOD)
    body = add_body(plant, "carriage")
    add_joint(plant, "rail", body, axis=Z, sliding=True, damping=30.0)
    driver = slider_driver([{"set_available_force": 0.0}])
    _, ode = on_both(plant, driver, 300)
    assert ode["motor/velocity"][-1] == pytest.approx(-9.81 / 30, rel=1e-6)


def hinge_driver(joint="hinge", commands=(), **fields) -> WebotsMotorDriver:
    return WebotsMotorDriver(
        motors={"motor": RotationalMotor(joint=joint, max_torque=20.0)},
        commands=[TimedCommand(motor="motor", **c) for c in commands],
        **fields,
    )


def test_welded_bodies_are_one_body():
    half = {"mass": 0.5, "inertia": (0.002, 0.003, 0.001)}
    welded = new_plant(PERIOD)
    upper = add_body(welded, "upper", com=(0, 0, -0.1), **half)
    lower = add_body(welded, "lower", com=(0, 0, 0), **half)
    add_joint(welded, "hinge", upper)
    X_UL = RigidTransform(RollPitchYaw(0.3, -0.2, 0.5), [0.1, 0, -0.3])
    welded.AddJoint(
        WeldJoint("weld", upper.body_frame(), lower.body_frame(), X_UL)
    )
    driver = hinge_driver(commands=[{"set_position": 1.0}])
    drake, ode = on_both(welded, driver, 60)
    # As far as engines of different coordinates agree on one hinge.
    np.testing.assert_allclose(
        ode["motor/position"], drake["motor/position"], rtol=0, atol=2e-3
    )


@pytest.mark.parametrize("start", [0.7, -2.5])
def test_a_start_away_from_zero_only_shifts_the_position(start):
    # A hinge about the vertical does not care where it starts.
    plant = new_plant(PERIOD)
    joint = add_joint(plant, "hinge", add_body(plant, "link"), axis=Z)
    joint.set_default_angle(start)
    _, system = driven(plant, hinge_driver())[1:]
    targets = [{"set_position": start + 1.0}]
    signals, _ = run_on_ode(plant, system, hinge_driver(commands=targets), 1.0)
    plant = new_plant(PERIOD)
    add_joint(plant, "hinge", add_body(plant, "link"), axis=Z)
    _, system = driven(plant, hinge_driver())[1:]
    targets = [{"set_position": 1.0}]
    at_zero, _ = run_on_ode(plant, system, hinge_driver(commands=targets), 1.0)
    np.testing.assert_allclose(
        signals["motor/position"],
        at_zero["motor/position"] + start,
        rtol=0,
        atol=1e-12,
    )


def test_a_joint_of_which_the_child_is_fixed_turns_the_right_way():
    plant = new_plant(PERIOD)
    link = add_body(plant, "link", com=(0.1, 0, 0))
    anchor = add_body(plant, "anchor")
    plant.WeldFrames(plant.world_frame(), anchor.body_frame())
    add_joint(plant, "hinge", anchor, parent=link, axis=Y)
    driver = hinge_driver(commands=[{"set_position": 0.5}])
    drake, ode = on_both(plant, driver, 60)
    np.testing.assert_allclose(
        ode["motor/position"], drake["motor/position"], rtol=0, atol=1e-4
    )
    assert ode["motor/position"][-1] == pytest.approx(0.5, abs=0.02)
    np.testing.assert_allclose(
        ode["motor/effort"][-1], drake["motor/effort"][-1], rtol=1e-4
    )


def test_stops_beyond_half_a_turn_hold():
    # ODE knows angles within a turn only; Webots' stops fail there.
    plant = new_plant(PERIOD)
    joint = add_joint(plant, "hinge", add_body(plant, "link"), axis=Z)
    joint.set_position_limits([-7.0], [4.5])
    driver = hinge_driver(
        commands=[
            {"set_position": math.inf},
            {"set_velocity": 3.0},
            {"time": 2.5, "set_velocity": -3.0},
        ]
    )
    _, system = driven(plant, driver)[1:]
    signals, _ = run_on_ode(plant, system, driver, 8.0)
    position, time = signals["motor/position"], np.arange(1001) * PERIOD
    # The motor pushes into the stop, which ODE lets it by some hundredths.
    assert position[time < 2.5].max() == pytest.approx(4.5, abs=0.1)
    assert position[-1] == pytest.approx(-7.0, abs=1e-3)


def test_a_floating_pair_keeps_its_momentum():
    # Motors are internal: without gravity the centre of mass stays.
    plant = new_plant(PERIOD, gravity=0.0)
    base = add_body(plant, "base", mass=2.0, inertia=(0.05, 0.05, 0.05))
    add_joint(plant, "hinge", add_body(plant, "link"), parent=base)
    driver = hinge_driver(commands=[{"set_position": 1.0}])
    drake, ode = on_both(plant, driver, 125)
    assert ode["motor/position"][-1] == pytest.approx(1.0, abs=1e-3)
    np.testing.assert_allclose(
        ode["motor/position"], drake["motor/position"], rtol=0, atol=2e-4
    )


def test_gravity_is_off_where_the_model_has_it_off():
    plant = new_plant(PERIOD)
    add_joint(plant, "rail", add_body(plant, "carriage"), axis=Z, sliding=True)
    plant.set_gravity_enabled(plant.GetModelInstanceByName(MODEL), False)
    driver = slider_driver([{"set_available_force": 0.0}])
    _, ode = on_both(plant, driver, 10)
    assert np.all(ode["motor/position"] == 0)


def in_a_scene(shape, floor, *, friction=0.5, height=0.1, angle=0.0):
    """Returns plant and scene graph: a body with a shape above a fixed one."""
    builder = DiagramBuilder()
    plant = builder.AddSystem(new_plant(0.002))
    scene_graph = builder.AddSystem(SceneGraph())
    plant.RegisterAsSourceForSceneGraph(scene_graph)
    properties = ProximityProperties()
    AddContactMaterial(
        friction=CoulombFriction(friction, friction), properties=properties
    )
    box = add_body(plant, "box", com=(0, 0, 0), inertia=(0.02, 0.02, 0.02))
    plant.SetDefaultFloatingBaseBodyPose(box, RigidTransform([0, 0, height]))
    plant.RegisterCollisionGeometry(
        box, RigidTransform(), shape, "shape", properties
    )
    plant.RegisterCollisionGeometry(
        plant.world_body(), RigidTransform(), floor, "floor", properties
    )
    # Motors need a joint: a wheel far away from it all.
    wheel = add_body(plant, "wheel")
    add_joint(plant, "hinge", wheel, at=(0, 0, 10), axis=Z)
    g = 9.81
    plant.mutable_gravity_field().set_gravity_vector(
        [g * math.sin(angle), 0, -g * math.cos(angle)]
    )
    plant.Finalize()
    return builder, plant, scene_graph


def slid(scene, duration: float) -> np.ndarray:
    """Returns where the box is after a while."""
    builder, plant, scene_graph = scene
    driver = hinge_driver()
    system = ApplyDriverConfig(driver, MODEL, plant, builder=builder)
    _, engine = run_on_ode(
        plant, system, driver, duration, inspector=scene_graph.model_inspector()
    )
    box = engine._bodies[plant.GetBodyByName("box").index()]
    return np.array(engine._ode.dBodyGetPosition(box)[:3])


@pytest.mark.parametrize(
    ("floor", "height"),
    [(HalfSpace(), 0.1), (Box(20, 20, 0.5), 0.35)],
    ids=["half space", "box"],
)
def test_a_box_rests_on_the_floor(floor, height):
    scene = in_a_scene(Box(0.2, 0.2, 0.2), floor, height=height)
    # Webots' softness lets 1 kg sink by 1e-3 h g / 0.2.
    assert slid(scene, 1.0) == pytest.approx([0, 0, height], abs=2e-4)


def test_a_box_slides_down_a_slope_as_its_friction_allows():
    friction, angle, duration = 0.3, 0.5, 1.0
    scene = in_a_scene(
        Box(0.4, 0.4, 0.2), HalfSpace(), friction=friction, angle=angle
    )
    pull = 9.81 * (math.sin(angle) - friction * math.cos(angle))
    # The time step makes up half a step of the way; contacts sink in first.
    assert slid(scene, duration)[0] == pytest.approx(
        pull * duration**2 / 2, rel=0.01
    )


def test_a_steeper_friction_holds_it():
    scene = in_a_scene(Box(0.4, 0.4, 0.2), HalfSpace(), friction=0.8, angle=0.5)
    # The contact's softness creeps a little.
    assert abs(slid(scene, 1.0)[0]) < 0.01


def test_a_mesh_is_refused_by_name_and_what_is_allowed_is_said(tmp_path):
    mesh = tmp_path / "mesh.obj"
    mesh.write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\n")
    scene = in_a_scene(Convex(str(mesh)), HalfSpace())
    with pytest.raises(InputError) as error:
        slid(scene, 0.1)
    assert str(error.value) == (
        "ode: body box has a Convex as collision shape; box, sphere, cylinder,"
        " capsule and, fixed to the world, half space are allowed"
    )


def test_a_half_space_that_moves_is_refused():
    with pytest.raises(InputError, match="body box has a HalfSpace"):
        slid(in_a_scene(HalfSpace(), Sphere(0.1)), 0.1)


def refused(change) -> str:
    """Returns what is said of a hinge's plant after `change`."""
    plant = new_plant(PERIOD)
    link = add_body(plant, "link")
    add_joint(plant, "hinge", link)
    change(plant, link)
    _, plant, system = driven(plant, hinge_driver())
    with pytest.raises(InputError) as error:
        run_on_ode(plant, system, hinge_driver(), 0.1)
    assert "\n" not in str(error.value)
    return str(error.value)


def test_a_ball_joint_is_refused():
    def change(plant, link):
        ball = add_body(plant, "ball")
        plant.AddJoint(
            BallRpyJoint("neck", link.body_frame(), ball.body_frame())
        )

    assert refused(change) == (
        "ode: joint neck is a ball_rpy joint; revolute, prismatic, weld and"
        " floating joints are allowed"
    )


def test_a_coupler_is_refused():
    def change(plant, link):
        other = add_joint(plant, "other", add_body(plant, "other_link"))
        plant.AddCouplerConstraint(
            plant.GetJointByName("hinge"), other, gear_ratio=2.0
        )

    assert "has 1 constraints (couplers" in refused(change)


def test_a_spring_element_is_refused():
    def change(plant, link):
        joint = plant.GetJointByName("hinge")
        plant.AddForceElement(RevoluteSpring(joint, 0.0, 5.0))

    assert "RevoluteSpring; gravity is the only" in refused(change)


def test_a_rotor_inertia_is_refused():
    def change(plant, link):
        actuator = plant.GetJointActuatorByName("hinge")
        actuator.set_default_rotor_inertia(1e-4)
        actuator.set_default_gear_ratio(10.0)

    assert "actuator hinge has a rotor inertia of 0.0001" in refused(change)


def test_a_body_without_inertia_is_refused():
    def change(plant, link):
        instance = plant.GetModelInstanceByName(MODEL)
        at = np.array([0.3, 0.2, 0.1])
        dot = SpatialInertia(2.0, at, UnitInertia.PointMass(at))
        add_joint(plant, "other", plant.AddRigidBody("dot", instance, dot))

    # A joint may move it; ODE's body turns about its own centre of mass.
    assert "body dot moves with a mass of 2 kg and a least moment" in refused(
        change
    )


def test_a_kinematic_joint_is_refused():
    plant = new_plant(PERIOD)
    add_joint(plant, "hinge", add_body(plant, "link"))
    driver = hinge_driver(joints={"hinge": JointParameters(kinematic=True)})
    _, plant, system = driven(plant, driver)
    with pytest.raises(InputError, match=r"joint hinge of model .* kinematic"):
        run_on_ode(plant, system, driver, 0.1)


def test_a_joint_that_runs_away_ends_the_run_and_not_the_process():
    # Without inertia to speak of, 20 N m for a second are 1e9 rad/s.
    plant = new_plant(PERIOD)
    body = add_body(plant, "link", mass=1e-6, com=(0, 0, 0), inertia=[1e-8] * 3)
    add_joint(plant, "hinge", body, axis=Z)
    driver = hinge_driver(commands=[{"set_torque": 20.0}])
    _, plant, system = driven(plant, driver)
    with pytest.raises(SimulationError, match="joint hinge moves at"):
        run_on_ode(plant, system, driver, 1.0)


def test_without_the_binding_it_is_said_how_to_get_it(monkeypatch):
    real = builtins.__import__

    def missing(name, *args, **kwargs):
        if name == "odepy":
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", missing)
    with pytest.raises(InputError) as error:
        ode_library.load_ode.__wrapped__()
    assert "pip install ode-python" in str(error.value)
    assert "apt-get install libode8" in str(error.value)


def test_loading_the_engine_leaves_the_environment_as_it_is(capsys):
    before = dict(os.environ)
    ode_library.load_ode.__wrapped__()
    assert dict(os.environ) == before
    assert capsys.readouterr().out == ""


def test_two_engines_give_the_same_bits():
    case = load_case("arm_two_links")
    runs = []
    for _ in range(2):
        _, plant, system = drake_case(case)
        driver = WebotsMotorDriver(
            cfm=case["cfm"], commands=case_commands(case)
        )
        runs.append(run_on_ode(plant, system, driver, 1.0)[0])
    for name, values in runs[0].items():
        np.testing.assert_array_equal(values, runs[1][name])
