"""The port of the plant that gets a model's efforts, beside those of others.

A model has one port for the efforts of its actuators. Where motors drive only some of
them, or it is exported, they leave it to its owner and feed the plant's port for all
models: Drake adds up what comes at both.
"""

import numpy as np
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import ModelInstanceIndex
from pydrake.systems.framework import DiagramBuilder, InputPort
from pydrake.systems.primitives import Adder, MatrixGain

from webmotor_drake.drive.builder_hooks import feed, is_fed
from webmotor_drake.drive.motor_system import MotorSystem
from webmotor_drake.errors import InputError


def actuation_port(
    builder: DiagramBuilder,
    plant: MultibodyPlant,
    instance: ModelInstanceIndex | None,
    motors: MotorSystem,
) -> InputPort:
    """Returns where a motor system's efforts go.

    Args:
        builder: the diagram.
        plant: finalized plant.
        instance: the model; None: the motors of several models.
        motors: in the diagram.

    Raises:
        InputError: others feed the ports already.
    """
    if instance is None:
        port = plant.get_actuation_input_port()
        if builder.IsConnectedOrExported(port):
            raise InputError("the plant's actuation is connected already")
        return port
    port = plant.get_actuation_input_port(instance)
    free = not builder.IsConnectedOrExported(port)
    whole = plant.get_actuation_input_port()
    somebodys = builder.IsConnectedOrExported(whole) and not is_fed(
        builder, whole
    )
    some = not somebodys and _drives_some(plant, instance, motors)
    if free and not some:
        return port
    if _is_exported(builder, whole) or not (
        some or _is_exported(builder, port)
    ):
        raise InputError("the model's actuation is connected already")
    return _among_all(builder, plant, instance, motors)


def others_port(
    plant: MultibodyPlant,
    instance: ModelInstanceIndex | None,
    own: InputPort,
) -> InputPort | None:
    """Returns the port by which others act on the model's actuators, if any.

    Args:
        plant: finalized plant.
        instance: the model; None: the motors of several models.
        own: port that `actuation_port` returned.
    """
    if instance is None:
        return None
    if own.get_system() is plant:
        return plant.get_actuation_input_port()
    return plant.get_actuation_input_port(instance)


def _is_exported(builder: DiagramBuilder, port: InputPort) -> bool:
    place = port.get_system(), port.get_index()
    taken = builder.IsConnectedOrExported(port)
    return taken and place not in builder.connection_map()


def _drives_some(
    plant: MultibodyPlant, instance: ModelInstanceIndex, motors: MotorSystem
) -> bool:
    """Returns whether there are actuators that the motors leave to others."""
    driven = {actuator.joint().index() for actuator in motors.model.acting}
    actuators = map(
        plant.get_joint_actuator, plant.GetJointActuatorIndices(instance)
    )
    others = [a for a in actuators if a.joint().index() not in driven]
    return bool(driven and others)


def _among_all(
    builder: DiagramBuilder,
    plant: MultibodyPlant,
    instance: ModelInstanceIndex,
    motors: MotorSystem,
) -> InputPort:
    """Returns a port for a model's efforts that go to the plant's for all models."""
    indices = plant.GetJointActuatorIndices(instance)
    places = [plant.get_joint_actuator(i).input_start() for i in indices]
    selection = np.eye(plant.num_actuated_dofs())[:, places]
    gain = builder.AddSystem(MatrixGain(selection))
    gain.set_name(f"{motors.get_name()}.actuation")
    port, source = plant.get_actuation_input_port(), gain.get_output_port()
    before = builder.connection_map().get((plant, port.get_index()))
    if before is not None:  # other motors
        first = before[0].get_output_port(before[1])
        builder.Disconnect(first, port)
        both = builder.AddSystem(Adder(2, port.size()))
        both.set_name(f"{gain.get_name()}_and_others")
        builder.Connect(first, both.get_input_port(0))
        builder.Connect(source, both.get_input_port(1))
        source = both.get_output_port()
    feed(builder, motors, source, port)
    return gain.get_input_port()
