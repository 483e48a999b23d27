"""Chooses the drive of a model's motors, and says why."""

from collections.abc import Iterable, Mapping, Sequence, Set

from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import BodyIndex, Joint, JointActuator, JointIndex

from webmotor_drake.contact.inboard import joints_of
from webmotor_drake.drive.servo_actuators import prepared_joints
from webmotor_drake.drive.topology import trees, uses_tamsi, welded_groups
from webmotor_drake.errors import InputError, warn


def choose_drive(
    drive: str,
    plant: MultibodyPlant,
    joints: Iterable[Joint],
    apart: Set[BodyIndex] = frozenset(),
) -> tuple[str, str]:
    """Returns "torque" or "implicit", and the reason.

    The answer is the same before and after the plant's Finalize. After it, a warning
    tells if the torque drive does not see a part of the plant.

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
        warn(f"{reason}; the torque drive does not see that")
    return "torque", reason


def settle_drive(
    drive: str,
    plant: MultibodyPlant,
    acting: Sequence[JointActuator],
    apart: Set[BodyIndex] = frozenset(),
) -> tuple[str, str]:
    """Returns "torque" or "implicit", and the reason, for a finalized plant.

    A model that `configure_actuators` has prepared for the implicit drive keeps it,
    even if the plant has changed since.

    Args:
        drive: "auto", "torque" or "implicit".
        plant: the plant.
        acting: joints that motors and JointParameters act on.
        apart: bodies that don't collide with each other.

    Raises:
        InputError: the plant, or its preparation, does not allow the drive.
    """
    if not acting:
        return "torque", "there is nothing to drive"
    joints = [actuator.joint() for actuator in acting]
    models = {joint.model_instance() for joint in joints}
    prepared = prepared_joints(plant, models)
    if prepared:
        _check_prepared(drive, prepared, joints)
        choose_drive("implicit", plant, joints)  # the solver may be another now
        chosen, reason = choose_drive(drive, plant, joints, apart)
        if chosen == "implicit":
            return chosen, reason
        return "implicit", "configure_actuators prepared the model for it"
    chosen, reason = choose_drive(drive, plant, joints, apart)
    if chosen == "torque":
        return chosen, reason
    missing = (
        "the implicit drive needs a call of configure_actuators when all else is"
        " in the plant, before its Finalize"
    )
    if drive == "implicit":
        raise InputError(missing, path=("drive",))
    warn(f"{reason}, but {missing}; the torque drive does not see contact")
    return "torque", f"{reason}, but configure_actuators was not called"


def _check_prepared(
    drive: str, prepared: Mapping[JointIndex, Joint], joints: Sequence[Joint]
) -> None:
    """Refuses a driver that is not the one `configure_actuators` was given."""
    if drive == "torque":
        raise InputError(
            "configure_actuators prepared the model for the implicit drive; give"
            " both calls the same driver",
            path=("drive",),
        )
    acting = {joint.index(): joint for joint in joints}
    for index in acting.keys() ^ prepared.keys():
        joint = acting.get(index) or prepared[index]
        which = "did not act" if index in acting else "acted"
        raise InputError(
            f"the driver that configure_actuators was given {which} on joint"
            f" {joint.name()}; give both calls the same driver"
        )


def _unseen_by_torque(
    plant: MultibodyPlant, joints: Sequence[Joint], apart: Set[BodyIndex]
) -> str:
    """Returns the part of the plant that the torque drive does not see, if any."""
    pair = _touching_pair(plant, joints, apart)
    if pair is not None:
        return f"{pair[0]} can touch {pair[1]}"
    if plant.num_constraints():
        return "the plant has constraints, such as mimic joints"
    return _others_on_the_tree(plant, joints)


def _others_on_the_tree(plant: MultibodyPlant, joints: Sequence[Joint]) -> str:
    """Returns the other drivers of bodies that `joints` move; "" without any."""
    # With or without actuators: the order in which models get drivers does not matter.
    own = {joint.model_instance() for joint in joints}
    for index in sorted(trees(plant, joints)[0]):
        joint = plant.get_joint(index)
        if joint.num_velocities() == 1 and joint.model_instance() not in own:
            other = plant.GetModelInstanceName(joint.model_instance())
            return f"the model shares its tree with {other}"
    return ""


def _obstacle(plant: MultibodyPlant) -> str:
    """Returns the reason why the plant's solver cannot drive motors, if any."""
    if plant.time_step() == 0:
        return "a continuous plant (time_step 0)"
    if uses_tamsi(plant):
        return "the contact approximation tamsi"
    return ""


def _touching_pair(
    plant: MultibodyPlant, joints: Iterable[Joint], apart: Set[BodyIndex]
) -> tuple[str, str] | None:
    """Returns two bodies that may touch, the first moved by `joints`.

    Bodies welded together or linked by a joint don't count (Drake filters
    them), nor do those kept `apart` from each other; but a body on a joint to the world
    can touch bodies fixed to the world. Other collision filters are ignored.
    """
    welded = welded_groups(plant)
    world_body = plant.world_body().index()
    linked = set()
    for joint in joints_of(plant):
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
