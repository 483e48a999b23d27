"""Forces on the plant are seen whoever builds the diagram, and whenever they come."""

import warnings

import numpy as np
import pytest
from _lib.plants import MODEL, add_body, add_joint
from mechanisms import Rig, driven, pendulum, warnings_of
from pydrake.common.value import Value
from pydrake.multibody.plant import ExternallyAppliedSpatialForce
from pydrake.planning import RobotDiagramBuilder
from pydrake.systems.analysis import Simulator
from pydrake.systems.primitives import ConstantVectorSource

from webmotor_drake.drive.driver import (
    ApplyDriverConfig,
    WebotsMotorDriver,
    configure_actuators,
)
from webmotor_drake.drive.external_forces import spatial_forces
from webmotor_drake.errors import MotorWarning
from webmotor_drake.motor.commands import TimedCommand
from webmotor_drake.nodes.joints import JointParameters
from webmotor_drake.nodes.motors import RotationalMotor

PUSH = 5.0  # N m
DAMPER = 30.0  # N m s/rad


def damped(drive: str = "torque") -> WebotsMotorDriver:
    """Returns a joint with a damper and no motor."""
    return WebotsMotorDriver(
        drive=drive,
        joints={"hinge": JointParameters(damping_constant=DAMPER)},
    )


def pushed(when: str, time_step: float) -> float:
    """Returns the angle of a damped rod in no gravity, pushed for a second."""
    robot = RobotDiagramBuilder(time_step=time_step)
    plant, builder = robot.plant(), robot.builder()
    plant.mutable_gravity_field().set_gravity_vector([0, 0, 0])
    plant.AddModelInstance(MODEL)
    add_joint(plant, "hinge", add_body(plant, "link"))
    configure_actuators(damped(), MODEL, plant)
    plant.Finalize()
    source = builder.AddSystem(ConstantVectorSource([PUSH]))
    port = plant.get_applied_generalized_force_input_port()
    if when == "before":
        builder.Connect(source.get_output_port(), port)
    ApplyDriverConfig(damped(), MODEL, plant, builder=builder)
    if when == "after":
        builder.Connect(source.get_output_port(), port)
    simulator = Simulator(robot.Build())
    context = plant.GetMyMutableContextFromRoot(simulator.get_mutable_context())
    if when == "fixed":
        port.FixValue(context, [PUSH])
    if when == "fixed at the start":
        simulator.Initialize()
        port.FixValue(context, [PUSH])
    simulator.AdvanceTo(1.0)
    return plant.GetPositions(context)[0]


@pytest.mark.parametrize("time_step", [0.001, 0.008])
@pytest.mark.parametrize(
    "when", ["before", "after", "fixed", "fixed at the start"]
)
def test_a_robot_diagrams_forces_are_seen(when, time_step):
    # I w' = F - D w, with I = 0.0825 kg m^2: a lag of I / D = 2.75 ms.
    expected = PUSH / DAMPER * (1.0 - 0.0825 / DAMPER)
    found = pushed(when, time_step)
    # Steps of first order: half a step of the final velocity.
    assert found == pytest.approx(expected, abs=PUSH / DAMPER * time_step)


def holding() -> WebotsMotorDriver:
    return WebotsMotorDriver(
        drive="torque",
        motors={"m": RotationalMotor("hinge", max_torque=60)},
        commands=[TimedCommand(motor="m", set_position=0.5)],
    )


@pytest.mark.parametrize("sampled", [True, False])
@pytest.mark.parametrize("late", [0.0, 0.4])
def test_a_force_that_is_fixed_in_a_run_is_seen(sampled, late):
    rig = Rig(*driven(pendulum(0.008, sampled=sampled), holding()))
    simulator = rig.simulator()
    simulator.AdvanceTo(late)
    context = rig.plant.GetMyMutableContextFromRoot(
        simulator.get_mutable_context()
    )
    port = rig.plant.get_applied_generalized_force_input_port()
    port.FixValue(context, [PUSH])
    _, told = warnings_of(simulator.AdvanceTo, 2.0)
    assert told == []
    q, _ = rig.state(simulator)
    assert q == pytest.approx(0.5, abs=4e-5)
    expected = 9.81 * 0.25 * np.sin(q) - PUSH
    assert rig.port(simulator, "effort")[0] == pytest.approx(expected, abs=1e-3)


def test_runs_with_and_without_a_force_do_not_disturb_each_other():
    def run(simulator: Simulator, push: float | None) -> None:
        context = rig.plant.GetMyMutableContextFromRoot(
            simulator.get_mutable_context()
        )
        if push is not None:
            port = rig.plant.get_applied_generalized_force_input_port()
            port.FixValue(context, [push])
        with warnings.catch_warnings():
            warnings.simplefilter("error", MotorWarning)
            simulator.AdvanceTo(0.5)

    def table(simulator: Simulator) -> np.ndarray:
        return rig.port(simulator, "tables").copy()

    rig = Rig(*driven(pendulum(0.008), holding()))
    free, pushed, again = (rig.simulator() for _ in range(3))
    run(free, None)
    run(pushed, PUSH)
    run(again, None)
    np.testing.assert_array_equal(table(free), table(again))
    np.testing.assert_array_equal(rig.state(free), rig.state(again))
    assert (rig.port(free, "effort") != rig.port(pushed, "effort")).any()


def swung(
    driver: WebotsMotorDriver, idle: float | None, seed: int
) -> np.ndarray:
    """Returns angle, speed and effort after each of 60 steps, shape (60, 3).

    Somebody pushes the rod now and then.

    Args:
        driver: motors of the rod.
        idle: torque on the rod while nobody pushes, N m; None: an empty list.
        seed: seed of times and pushes.
    """
    random = np.random.default_rng(seed)
    rig = Rig(*driven(pendulum(0.008), driver))
    simulator = rig.simulator()
    context = rig.plant.GetMyMutableContextFromRoot(
        simulator.get_mutable_context()
    )
    port = rig.plant.get_applied_spatial_force_input_port()
    body = rig.plant.GetBodyByName("link").index()
    rows = []
    with warnings.catch_warnings():
        warnings.simplefilter("error", MotorWarning)
        for step in range(60):
            if step % 5 == 0:
                push, rests = random.uniform(-PUSH, PUSH), random.random() < 0.5
                torque = [0, idle if rests and idle is not None else push, 0]
                forces = spatial_forces([body], [[0] * 3], [torque], [[0] * 3])
                value = Value[list[ExternallyAppliedSpatialForce]]()
                value.set_value([] if rests and idle is None else forces)
                port.FixValue(context, value)
            simulator.AdvanceTo((step + 1) * 0.008)
            rows.append([*rig.state(simulator), *rig.port(simulator, "effort")])
    return np.array(rows)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("model", ["webots", "pd"])
def test_an_empty_list_of_forces_is_none(seed, model):
    driver = holding()
    driver.motor_model = model
    # Rounding: with forces the plant asks for efforts, without they are held.
    np.testing.assert_allclose(
        swung(driver, None, seed), swung(driver, 0.0, seed), rtol=0, atol=1e-9
    )
