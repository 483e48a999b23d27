"""Which parameters have to do with which motors: trees that nothing connects.

The legs of a robot that hangs by its welded trunk move by themselves. What belongs
to one of them has no influence on the others.
"""

import warnings
from collections.abc import Mapping, Sequence

from pydrake.multibody.plant import MultibodyPlant

from webmotor_drake.drive.topology import welded_groups
from webmotor_drake.errors import MotorWarning
from webmotor_drake.fitting.logged_motors import LoggedMotor
from webmotor_drake.fitting.parameter import Parameter
from webmotor_drake.fitting.parameter_tree import GAINS, START
from webmotor_drake.scenario.parameter_path import Keys
from webmotor_drake.scenario.scenario import Scenario, with_drive
from webmotor_drake.simulation.release import released
from webmotor_drake.simulation.simulation import Simulation

# Where in the path of a driver's value stands what tells its joint.
_OF_JOINTS = ("joints", "motors", "position_sensors")


def groups_of(
    scenario: Scenario,
    motors: Sequence[LoggedMotor],
    parameters: Sequence[Parameter],
) -> tuple[list[list[int]], list[set[str]]]:
    """Returns parameters that can be changed in one run, and the motors of each.

    Args:
        scenario: the motors.
        motors: those that are watched.
        parameters: P of them.

    Returns:
        Groups of parameters, by their numbers, of which no two have influence on
        the same motor; and for each parameter the names of the motors that it
        has influence on.
    """
    trees = _trees(scenario)
    everywhere = {motor.signal for motor in motors}
    influence = []
    for parameter in parameters:
        own = [_tree_of(path, scenario, trees) for path in parameter.paths]
        influence.append(
            everywhere
            if None in own
            else {m for m in everywhere if trees.get(m) in own}
        )
    groups: list[list[int]] = []
    taken: list[set[str]] = []
    for i, reached in enumerate(influence):
        for group, there in zip(groups, taken, strict=True):
            if not there & reached:
                group.append(i)
                there |= reached
                break
        else:
            groups.append([i])
            taken.append(set(reached))
    return groups, influence


def _trees(scenario: Scenario) -> dict[str, int]:
    """Returns the tree of each motor, "<model>/<motor>"; {}: they may touch."""
    with (
        warnings.catch_warnings(action="ignore", category=MotorWarning),
        released(Simulation(with_drive(scenario, "auto"))) as simulation,
    ):
        return _trees_of(simulation)


def _trees_of(simulation: Simulation) -> dict[str, int]:
    plant = simulation.plant
    if plant.num_constraints() or any(
        motors.drive != "torque" for motors in simulation.motors.values()
    ):
        return {}
    tree_of_body = _trees_of_bodies(plant)
    return {
        f"{model}/{name}": tree_of_body[joint.child_body().index()]
        for model, motors in simulation.motors.items()
        for name, joint in zip(
            motors.devices.names, motors.model.joints, strict=False
        )
    }


def _trees_of_bodies(plant: MultibodyPlant) -> dict:
    """Returns a number for each body's tree; trees meet in the world only."""
    group = welded_groups(plant)
    world = group[plant.world_body().index()]
    tree = {body: int(g) for body, g in group.items()}
    for joint in map(plant.get_joint, plant.GetJointIndices()):
        ends = [b().index() for b in (joint.parent_body, joint.child_body)]
        if world not in [group[end] for end in ends]:
            old, new = tree[ends[1]], tree[ends[0]]
            tree = {b: new if t == old else t for b, t in tree.items()}
    return tree


def _tree_of(
    path: Keys, scenario: Scenario, trees: Mapping[str, int]
) -> int | None:
    """Returns the tree that a parameter belongs to; None: perhaps several."""
    if path[0] in (GAINS, START):
        return trees.get(str(path[1]))
    if len(path) < 4 or path[2] not in _OF_JOINTS:
        return None
    model, section, name = path[1:4]
    driver = scenario.model_drivers[model]
    joint = name
    if section != "joints":
        joint = getattr(driver, section)[name].joint
    for motor, node in driver.motors.items():
        if node.joint == joint:
            return trees.get(f"{model}/{motor}")
    return None
