"""PD gains of a model's own actuators, which the motors take over.

Position actuators of MJCF files, `<drake:controller_gains>` of SDF and URDF files and
`set_controller_gains` make an actuator a PD controller of Drake's. On a discrete plant
such an actuator silently ignores its actuation while the model's `desired_state` has no
value; `net_actuation` still reports it (Drake 1.51 to 1.58). In Webots the motor is the
actuator, so a motor replaces such a controller.
"""

from collections.abc import Callable, Iterable

from pydrake.multibody.tree import JointActuator, PdControllerGains
from pydrake.systems.framework import DiagramBuilder

from webmotor_drake.drive.model_motors import ModelMotors
from webmotor_drake.drive.plant_queries import BRAKE, MODEL_LOOP, gains_of
from webmotor_drake.errors import InputError, warn


def take_over(builder: DiagramBuilder, model: ModelMotors, drive: str) -> None:
    """Turns off the controllers of a model's own actuators; warns of the rest.

    Controllers of joints without a motor stay on if the model's `desired_state` is
    connected already; without it they could not act.

    Args:
        builder: the diagram.
        model: the motors; no Context of their plant is in use yet.
        drive: "torque" or "implicit".

    Raises:
        InputError: the drive is implicit and `desired_state` is connected already.
    """
    plant, instance = model.plant, model.instance
    desired_state = plant.get_desired_state_input_port(instance)
    wired = builder.IsConnectedOrExported(desired_state)
    if wired and drive == "implicit":
        raise InputError(
            "the model's desired_state is connected already; the implicit drive"
            " needs it",
            path=("drive",),
        )
    acting = {actuator.joint().index() for actuator in model.acting}
    controlled = [a for a in model.actuators if a.name() in model.own_gains]
    if not acting or not controlled:
        return
    replaced = [a for a in controlled if a.joint().index() in acting]
    others = [a for a in controlled if a.joint().index() not in acting]
    for actuator in replaced if wired else controlled:
        actuator.set_controller_gains(PdControllerGains())
    name = plant.GetModelInstanceName(instance)
    if others and wired:
        warn(
            f"{name}: the PD controllers of actuators without a motor are not"
            f" seen by the torque drive: {_names(others)}"
        )
    elif others:
        warn(
            f"{name}: the PD controllers of actuators without a motor are off:"
            f" {_names(others)}; nothing holds their joints"
        )
    if replaced and wired:
        warn(
            f"{name}: motors have taken the place of PD controllers, which follow"
            f" their desired_state no longer: {_names(replaced)}"
        )


def _names(actuators: Iterable[JointActuator]) -> str:
    return ", ".join(actuator.name() for actuator in actuators)


def gains_watch(model: ModelMotors) -> Callable[[], None]:
    """Returns a check that refuses gains set on the motors' actuators since then."""
    joints = {a.joint().index(): a.joint() for a in model.acting}
    # Gains of brakes and motor models change at run time.
    changing = {joint.name() + BRAKE for joint in joints.values()}
    changing |= {joint.name() + MODEL_LOOP for joint in joints.values()}
    known = [
        (actuator, gains_of(actuator))
        for actuator in model.actuators
        if actuator.joint().index() in joints
        and actuator.name() not in changing
    ]

    def check() -> None:
        for actuator, gains in known:
            if gains_of(actuator) != gains:
                raise InputError(
                    f"the PD gains of actuator {actuator.name()} were changed"
                    " after ApplyDriverConfig; its joint has a motor, which that"
                    " turns off"
                )

    return check
