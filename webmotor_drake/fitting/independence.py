"""Finds the motors that each parameter influences, by unconnected trees of bodies.

The legs of a robot that hangs by its welded trunk move independently. Parameters of
one leg do not influence the others.
"""

from collections.abc import Mapping, Sequence

from webmotor_drake.contact.inboard import inboard_joints, moving_root
from webmotor_drake.errors import unwarned
from webmotor_drake.fitting.experiment import Experiment
from webmotor_drake.fitting.logged_motors import motors_at
from webmotor_drake.fitting.parameter_tree import GAINS, START
from webmotor_drake.scenario.parameter_path import Keys
from webmotor_drake.scenario.scenario import Scenario, with_drive
from webmotor_drake.simulation.release import released
from webmotor_drake.simulation.simulation import Simulation

# An experiment's number, and a motor in it, "<model>/<motor>".
Seen = tuple[int, str]


def groups_of(
    experiments: Sequence[Experiment],
) -> tuple[list[list[int]], list[set[Seen]]]:
    """Returns parameters that can be changed in one run, and the motors of each.

    Args:
        experiments: experiments with P parameters.

    Returns:
        Groups of parameters, by index: no two of a group influence the same motor.
        Then the motors that each parameter influences.
    """
    influence: list[set[Seen]] = [set() for _ in experiments[0].parameters]
    trees_of: dict[int, dict[str, int]] = {}
    for number, experiment in enumerate(experiments):
        scenario = experiment.scenario
        if id(scenario) not in trees_of:
            trees_of[id(scenario)] = _trees(scenario)
        trees = trees_of[id(scenario)]
        motors = {motor.signal for motor in experiment.motors}
        for reached, paths in zip(influence, experiment.places, strict=True):
            own = [_tree_of(path, scenario, trees) for path in paths]
            seen = (
                motors
                if None in own
                else {m for m in motors if trees.get(m) in own}
            )
            reached |= {(number, motor) for motor in seen}
    groups: list[list[int]] = []
    taken: list[set[Seen]] = []
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
    """Returns the tree of each motor, "<model>/<motor>"; empty if trees may touch."""
    looked_at = with_drive(scenario, "auto")
    with unwarned(), released(Simulation(looked_at)) as simulation:
        plant, every = simulation.plant, simulation.motors.values()
        if plant.num_constraints() or any(m.drive != "torque" for m in every):
            return {}
        inboard = inboard_joints(plant)
        return {
            f"{model}/{name}": moving_root(plant, joint.child_body(), inboard)
            for model, motors in simulation.motors.items()
            for name, joint in zip(
                motors.devices.names, motors.model.joints, strict=False
            )
        }


def _tree_of(
    path: Keys, scenario: Scenario, trees: Mapping[str, int]
) -> int | None:
    """Returns the tree that a parameter belongs to; None: perhaps several."""
    if path[0] in (GAINS, START):
        return trees.get(str(path[1]))
    motors = motors_at(path, scenario)
    return trees.get(f"{path[1]}/{next(iter(motors))}") if motors else None
