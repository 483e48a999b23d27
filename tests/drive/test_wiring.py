"""Motors of some joints of a model beside the owner of the others."""

import numpy as np
import pytest
from _lib.plants import MODEL
from mechanisms import chain, warnings_of
from pydrake.multibody.plant import MultibodyPlant
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder
from pydrake.systems.primitives import ConstantVectorSource

from webmotor_drake.drive.driver import (
    ApplyDriverConfig,
    WebotsMotorDriver,
    configure_actuators,
)
from webmotor_drake.errors import InputError
from webmotor_drake.motor.commands import TimedCommand
from webmotor_drake.nodes.motors import LinearMotor, RotationalMotor

STEP = 0.002
EFFORT = 0.7


def motor_of(plant: MultibodyPlant, name: str):
    prismatic = plant.GetJointByName(name).type_name() == "prismatic"
    if prismatic:
        return LinearMotor(name, max_force=200.0)
    return RotationalMotor(name, max_torque=200.0)


class Shared:
    """A random arm: motors on all joints but the last, which is somebody else's."""

    def __init__(self, drive: str, seed: int = 4):
        self.plant = chain(STEP, 3, np.random.default_rng(seed))
        self.builder = DiagramBuilder()
        self.builder.AddSystem(self.plant)
        self.driver = WebotsMotorDriver(
            drive=drive,
            motors={n: motor_of(self.plant, n) for n in ("joint0", "joint1")},
            commands=[TimedCommand(motor="joint0", set_position=0.3)],
        )
        configure_actuators(self.driver, MODEL, self.plant)
        self.plant.Finalize()

    def port(self, whole: bool = False):
        """Returns the plant's port for the model, or that for all models."""
        if whole:
            return self.plant.get_actuation_input_port()
        model = self.plant.GetModelInstanceByName(MODEL)
        return self.plant.get_actuation_input_port(model)

    def efforts(self) -> np.ndarray:
        values = np.zeros(self.port().size())
        values[self.plant.GetJointActuatorByName("joint2").input_start()] = (
            EFFORT
        )
        return values

    def own(self, whole: bool = False) -> None:
        """Connects the efforts of the last joint's owner."""
        source = self.builder.AddSystem(ConstantVectorSource(self.efforts()))
        self.builder.Connect(source.get_output_port(), self.port(whole))

    def drive(self) -> None:
        self.motors = ApplyDriverConfig(
            self.driver, MODEL, self.plant, builder=self.builder
        )

    def moved(self, fixed: str = "") -> np.ndarray:
        """Returns the plant's state after 0.5 s."""
        diagram = self.builder.Build()
        simulator = Simulator(diagram)
        root = simulator.get_mutable_context()
        if fixed:
            diagram.GetInputPort(fixed).FixValue(root, self.efforts())
        simulator.AdvanceTo(0.5)
        context = self.plant.GetMyContextFromRoot(root)
        return self.plant.GetPositionsAndVelocities(context)


def before(shared: Shared) -> np.ndarray:
    shared.own()
    shared.drive()
    return shared.moved()


def after(shared: Shared) -> np.ndarray:
    shared.drive()
    shared.own()
    return shared.moved()


def by_the_port_for_all(shared: Shared) -> np.ndarray:
    shared.own(whole=True)
    shared.drive()
    return shared.moved()


def exported(shared: Shared) -> np.ndarray:
    shared.builder.ExportInput(shared.port(), "efforts")
    shared.drive()
    return shared.moved("efforts")


WAYS = (before, after, by_the_port_for_all, exported)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("drive", ["torque", "implicit"])
def test_the_others_joints_get_their_owners_efforts(drive, way):
    found, said = warnings_of(way, Shared(drive))
    assert not said
    # Both drives leave the others' efforts as they are.
    expected = Shared("torque")
    expected.own()
    expected.drive()
    np.testing.assert_allclose(found, expected.moved(), rtol=0, atol=1e-9)


@pytest.mark.parametrize("drive", ["torque", "implicit"])
def test_without_an_owner_the_others_swing(drive):
    alone, owned = Shared(drive), Shared(drive)
    alone.drive()
    moved = alone.moved()
    assert abs(moved - after(owned))[2] > 1e-2


@pytest.mark.parametrize("drive", ["torque", "implicit"])
def test_who_connects_a_port_that_motors_feed_is_told(drive):
    shared = Shared(drive)
    joint = "joint2"
    shared.driver.motors[joint] = motor_of(shared.plant, joint)
    if drive == "implicit":  # configure_actuators had another driver
        with pytest.raises(InputError, match="give both calls the same driver"):
            shared.drive()
        return
    shared.drive()
    with pytest.raises(InputError, match="is fed by robot.motors already"):
        shared.own()
    with pytest.raises(InputError, match="is fed by robot.motors already"):
        shared.builder.ExportInput(shared.port())


def test_exported_ports_of_models_that_are_driven_whole_add_their_values():
    def of(driven: Shared) -> Shared:
        driven.driver.motors["joint2"] = motor_of(driven.plant, "joint2")
        return driven

    shared, alone = of(Shared("torque")), of(Shared("torque"))
    shared.builder.ExportInput(shared.port(), "efforts")
    shared.drive()
    alone.drive()
    # Nothing comes in at the port.
    assert shared.moved().tolist() == alone.moved().tolist()


def test_two_models_whose_ports_are_exported_share_the_port_for_all():
    plant = chain(STEP, 2, np.random.default_rng(1))
    builder = DiagramBuilder()
    builder.AddSystem(plant)
    names = MODEL, "second"
    plant.AddModelInstance("second")
    from _lib.plants import add_body, add_joint

    add_joint(
        plant, "far", add_body(plant, "body", model="second"), at=(9, 0, 0)
    )
    drivers = {
        name: WebotsMotorDriver(
            drive="torque",
            motors={joint: motor_of(plant, joint)},
            commands=[TimedCommand(motor=joint, set_position=0.2)],
        )
        for name, joint in zip(names, ("joint0", "far"), strict=True)
    }
    for name in names:
        configure_actuators(drivers[name], name, plant)
    plant.Finalize()
    for name in names:
        model = plant.GetModelInstanceByName(name)
        builder.ExportInput(plant.get_actuation_input_port(model), name)
        ApplyDriverConfig(drivers[name], name, plant, builder=builder)
    simulator = Simulator(builder.Build())
    simulator.AdvanceTo(1.0)
    context = plant.GetMyContextFromRoot(simulator.get_context())
    for joint in ("joint0", "far"):
        found = plant.GetJointByName(joint).GetOnePosition(context)
        assert found == pytest.approx(0.2, abs=2e-5)  # the PID's way to it
