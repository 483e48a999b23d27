"""The actuators that make a joint a velocity servo in the plant's contact solver."""

from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import Joint, JointActuator, PdControllerGains

from webmotor_drake.nodes.motors import JointParameters

# Gains of 0 would take a brake out of the solver for good.
NO_DAMPING = 1e-12
# The largest cfm^-1 of a servo. The solver caps it anyway.
_STIFFEST = 1e12


def add_servo(
    plant: MultibodyPlant,
    joint: Joint,
    actuator: JointActuator | None,
    parameters: JointParameters,
    cfm: float,
    *,
    braked: bool = False,
) -> None:
    """Makes a joint's actuator a velocity servo and adds its companion.

    Args:
        plant: not yet finalized.
        joint: what to drive.
        actuator: the joint's own; None adds one.
        parameters: the joint's spring and damper.
        cfm: softness of the servo, rad/s/(N m) or m/s/N.
        braked: whether a brake will add damping at run time.
    """
    if actuator is None:
        actuator = plant.AddJointActuator(f"{joint.name()}_parameters", joint)
    stiffness = min(1.0 / cfm, _STIFFEST) if cfm > 0 else _STIFFEST
    actuator.set_controller_gains(PdControllerGains(p=0.0, d=stiffness))
    last = plant.AddJointActuator(companion_name(joint), joint)
    implicit = abs(parameters.damping_constant)
    implicit += plant.time_step() * abs(parameters.spring_constant)
    joint.set_default_damping_vector(joint.default_damping_vector() + implicit)
    if braked:
        last = plant.AddJointActuator(brake_name(joint), joint)
        last.set_controller_gains(PdControllerGains(p=0.0, d=NO_DAMPING))
    # Of several actuators on a joint Drake takes the last one's rotor.
    last.set_default_gear_ratio(actuator.default_gear_ratio())
    last.set_default_rotor_inertia(actuator.default_rotor_inertia())
    actuator.set_default_rotor_inertia(0.0)


def companion_name(joint: Joint) -> str:
    """Returns the name of a joint's companion actuator."""
    return f"{joint.name()}_companion"


def brake_name(joint: Joint) -> str:
    """Returns the name of the actuator that is a joint's brake."""
    return f"{joint.name()}_brake"
