"""The torque drive sees every force on the plant, or says that it does not."""

import warnings

import numpy as np
import pytest
from _lib.plants import (
    MODEL,
    add_body,
    add_joint,
    new_plant,
)
from mechanisms import (
    Rig,
    pendulum,
)
from pydrake.common.value import Value
from pydrake.multibody.math import SpatialForce
from pydrake.multibody.plant import (
    ExternallyAppliedSpatialForce,
    MultibodyPlant,
)
from pydrake.systems.framework import DiagramBuilder
from pydrake.systems.primitives import (
    ConstantValueSource,
    ConstantVectorSource,
)

from webmotor_drake.drive.driver import (
    ApplyDriverConfig,
    WebotsMotorDriver,
    configure_actuators,
)
from webmotor_drake.errors import MotorWarning
from webmotor_drake.motor.commands import TimedCommand
from webmotor_drake.nodes.motors import RotationalMotor

TARGET = 0.5
# What softness leaves of the target: cfm effort / P, at most 1e-5 * 30 / 10.
DROOP = 4e-5


def holding(*joints: str, torque: float = 60.0) -> WebotsMotorDriver:
    """Returns a motor per joint that goes to `TARGET`, drive "auto"."""
    return WebotsMotorDriver(
        motors={n: RotationalMotor(joint=n, max_torque=torque) for n in joints},
        commands=[TimedCommand(motor=n, set_position=TARGET) for n in joints],
    )


def prepared(plant: MultibodyPlant, driver: WebotsMotorDriver):
    """Returns a builder with the finalized plant; the driver is not applied."""
    builder = DiagramBuilder()
    builder.AddSystem(plant)
    configure_actuators(driver, MODEL, plant)
    plant.Finalize()
    return builder


def settled(rig: Rig, *, change=None, told: str = "") -> np.ndarray:
    """Returns the positions after 3 s.

    Args:
        rig: what to run.
        change: called with the root Context before the start.
        told: words of the warning that is expected; none if empty.
    """
    simulator = rig.simulator()
    if change:
        change(simulator.get_mutable_context())
    if told:
        with pytest.warns(MotorWarning, match=told):
            simulator.AdvanceTo(3)
    else:
        with warnings.catch_warnings():
            warnings.simplefilter("error", MotorWarning)
            simulator.AdvanceTo(3)
    return rig.state(simulator)[: rig.plant.num_positions()]


def generalized(builder: DiagramBuilder, plant: MultibodyPlant):
    """Returns a source of 5 N m on the hinge, and where it goes."""
    source = builder.AddSystem(ConstantVectorSource([5.0]))
    return source, plant.get_applied_generalized_force_input_port()


def spatial(builder: DiagramBuilder, plant: MultibodyPlant):
    """Returns a source of a push on the link, and where it goes."""
    push = ExternallyAppliedSpatialForce()
    push.body_index = plant.GetBodyByName("link").index()
    push.p_BoBq_B = np.array([0.0, 0.0, -0.25])
    push.F_Bq_W = SpatialForce(tau=[0, 4, 0], f=[0, 0, -9])
    source = ConstantValueSource(
        Value[list[ExternallyAppliedSpatialForce]]([push])
    )
    return (
        builder.AddSystem(source),
        plant.get_applied_spatial_force_input_port(),
    )


@pytest.mark.parametrize("force", [generalized, spatial])
@pytest.mark.parametrize("sampled", [True, False])
@pytest.mark.parametrize("when", ["before", "after"])
def test_a_force_is_seen_whenever_it_is_connected(force, sampled, when):
    driver, plant = holding("hinge"), pendulum(0.008, sampled=sampled)
    builder = prepared(plant, driver)
    source, port = force(builder, plant)
    if when == "before":
        builder.Connect(source.get_output_port(), port)
    motors = ApplyDriverConfig(driver, MODEL, plant, builder=builder)
    if when == "after":
        builder.Connect(source.get_output_port(), port)
    assert motors.drive == "torque"
    q = settled(Rig(builder, plant, motors))
    np.testing.assert_allclose(q, TARGET, atol=DROOP)


def test_a_force_from_outside_the_diagram_is_seen():
    driver, plant = holding("hinge"), pendulum(0.008)
    builder = prepared(plant, driver)
    motors = ApplyDriverConfig(driver, MODEL, plant, builder=builder)
    builder.ExportInput(
        plant.get_applied_generalized_force_input_port(), "push"
    )
    rig = Rig(builder, plant, motors)
    push = rig.diagram.GetInputPort("push")
    q = settled(rig, change=lambda context: push.FixValue(context, [5.0]))
    np.testing.assert_allclose(q, TARGET, atol=DROOP)


def two_links() -> MultibodyPlant:
    plant = new_plant(0.008)
    upper = add_body(plant, "upper")
    add_joint(plant, "shoulder", upper)
    lower = add_body(plant, "lower")
    add_joint(plant, "elbow", lower, parent=upper, at=(0, 0, -0.4))
    return plant


def applied(plant: MultibodyPlant, driver: WebotsMotorDriver) -> Rig:
    builder = prepared(plant, driver)
    motors = ApplyDriverConfig(driver, MODEL, plant, builder=builder)
    return Rig(builder, plant, motors)


def test_a_state_that_somebody_sets_is_no_reason_to_warn():
    rig = applied(two_links(), holding("shoulder", "elbow"))
    simulator = rig.simulator()
    context = rig.plant.GetMyMutableContextFromRoot(
        simulator.get_mutable_context()
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error", MotorWarning)
        for k in range(1, 5):
            simulator.AdvanceTo(0.1 * k)
            rig.plant.SetPositionsAndVelocities(context, [0.3, 0.1, 2, -2])


@pytest.mark.parametrize("torque", [0.5, 3.0])
def test_a_motor_that_is_too_weak_is_no_reason_to_warn(torque):
    settled(applied(two_links(), holding("shoulder", "elbow", torque=torque)))
