"""Which drive a model's motors get, and why."""

from collections.abc import Iterable, Sequence, Set

from pydrake.multibody.plant import (
    MultibodyPlant,
)
from pydrake.multibody.tree import BodyIndex, Joint

from webmotor_drake.drive.topology import trees, uses_tamsi, welded_groups
from webmotor_drake.errors import InputError, warn


def choose_drive(
    drive: str,
    plant: MultibodyPlant,
    joints: Iterable[Joint],
    apart: Set[BodyIndex] = frozenset(),
) -> tuple[str, str]:
    """Returns "torque" or "implicit", and the reason.

    Works before and after the plant's Finalize, with the same answer; after it
    with a warning where the torque drive does not see something.

    Args:
        drive: "auto", "torque" or "implicit".
        plant: the plant.
        joints: the joints that motors and JointParameters act on.
        apart: bodies that don't collide with each other.

    Raises:
        InputError: the plant does not allow the drive; the path is "drive".
    """
    joints = list(joints)
    if drive == "torque":
        others = _others_on_the_tree(plant, joints)
        if others and plant.is_finalized():
            warn(f"{others}; the torque drive takes that for passive")
        return drive, "chosen"
    obstacle = _obstacle(plant)
    if drive == "implicit":
        if obstacle:
            raise InputError(
                f"implicit does not work with {obstacle}; use torque, or a"
                " discrete plant with the contact approximation sap, similar"
                " or lagged",
                path=("drive",),
            )
        return drive, "chosen"
    reason = _unseen_by_torque(plant, joints, apart)
    if not reason:
        return "torque", "nothing can touch what the motors move"
    if not obstacle:
        return "implicit", reason
    reason = f"{reason}, but implicit does not work with {obstacle}"
    if plant.is_finalized():  # once, though it is asked before as well
        warn(f"{reason}; the torque drive is blind to that")
    return "torque", reason


def _unseen_by_torque(
    plant: MultibodyPlant, joints: Sequence[Joint], apart: Set[BodyIndex]
) -> str:
    """Returns what the torque drive does not see, if anything."""
    pair = touching_pair(plant, joints, apart)
    if pair is not None:
        return f"{pair[0]} can touch {pair[1]}"
    if plant.num_constraints():
        return "the plant has constraints, such as mimic joints"
    return _others_on_the_tree(plant, joints)


def _others_on_the_tree(plant: MultibodyPlant, joints: Sequence[Joint]) -> str:
    """Returns what else may drive bodies that `joints` move; empty if nothing.

    Joints of another model count, whether or not they have actuators: the answer
    must not depend on the order in which models get their drivers.
    """
    own = {joint.model_instance() for joint in joints}
    for index in sorted(trees(plant, joints)[0]):
        joint = plant.get_joint(index)
        if joint.num_velocities() == 1 and joint.model_instance() not in own:
            other = plant.GetModelInstanceName(joint.model_instance())
            return f"the model shares its tree with {other}"
    acting = {joint.index() for joint in joints}
    for index in plant.GetJointActuatorIndices():
        actuator = plant.get_joint_actuator(index)
        joint = actuator.joint()
        if (
            joint.model_instance() in own
            and joint.index() not in acting
            and actuator.has_controller()
        ):
            return f"the actuator {actuator.name()} has a controller of its own"
    return ""


def _obstacle(plant: MultibodyPlant) -> str:
    """Returns what keeps the plant's solver from driving motors, if anything."""
    if plant.time_step() == 0:
        return "a continuous plant (time_step 0)"
    if uses_tamsi(plant):
        return "the contact approximation tamsi"
    return ""


def touching_pair(
    plant: MultibodyPlant,
    joints: Iterable[Joint],
    apart: Set[BodyIndex] = frozenset(),
) -> tuple[str, str] | None:
    """Returns two bodies that may touch, the first moved by `joints`.

    Bodies welded together or linked by a joint don't count (Drake filters
    them), nor do those kept `apart` from each other; but a body on a joint to
    the world can touch what is fixed there. Other collision filters are not looked at.
    """
    welded = welded_groups(plant)
    world_body = plant.world_body().index()
    linked = set()
    for index in plant.GetJointIndices():
        joint = plant.get_joint(index)
        ends = joint.parent_body().index(), joint.child_body().index()
        if world_body not in ends:
            linked |= {ends, ends[::-1]}
    solid = [
        body
        for body in welded
        if plant.GetCollisionGeometriesForBody(plant.get_body(body))
    ]
    world = welded[world_body]
    for moved in sorted(trees(plant, joints)[1]):
        if moved not in solid or welded[moved] == world:
            continue
        for other in solid:
            if (
                welded[other] != welded[moved]
                and (moved, other) not in linked
                and not {moved, other} <= apart
            ):
                return (
                    plant.get_body(moved).name(),
                    plant.get_body(other).name(),
                )
    return None
