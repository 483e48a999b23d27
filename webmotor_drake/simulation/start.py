"""The start of a simulation, and the reset to it."""

import copy
import functools
from collections.abc import Mapping

import numpy as np
from pydrake.common import RandomGenerator
from pydrake.geometry import SceneGraph
from pydrake.multibody.plant import MultibodyPlant
from pydrake.systems.framework import Context, Diagram

from webmotor_drake.drive.motor_system import NEVER, MotorSystem
from webmotor_drake.errors import InputError
from webmotor_drake.scenario.sampled import sampled
from webmotor_drake.scenario.scenario import Scenario, located
from webmotor_drake.simulation import spares
from webmotor_drake.simulation.docks import Docks


class Start:
    """The start of a scenario's simulation.

    Args:
        scenario: scenario that runs.
        plant: its plant.
        diagram: diagram of all.
        docks: docks of its Connectors.
        motors: motors by model; those of spares rest.
    """

    def __init__(
        self,
        scenario: Scenario,
        plant: MultibodyPlant,
        diagram: Diagram,
        docks: Docks,
        motors: Mapping[str, MotorSystem],
    ):
        self._scenario, self._plant, self._diagram = scenario, plant, diagram
        self._docks, self._motors = docks, motors

    @functools.cached_property
    def context(self) -> Context:
        """The root Context at the start; made on first use."""
        context = self._diagram.CreateDefaultContext()
        self.prepare(context)
        return context

    def prepare(self, context: Context) -> None:
        """Turns a default root Context into the Context of the start."""
        random = RandomGenerator(self._scenario.random_seed)
        self._diagram.SetRandomContext(context, random)
        own = self._plant.GetMyMutableContextFromRoot(context)
        for model in spares.spare_models(self._scenario):
            spares.hold(self._plant, own, model)
        for model in spares.spare_robots(self._scenario):
            motors = self._motors[model]
            of_motors = motors.GetMyMutableContextFromRoot(context)
            motors.begin_at(of_motors, NEVER)
        self._docks.prepare(own)

    def go_back(self, context: Context, drawn: Scenario | None = None) -> None:
        """Sets time, states and parameters, but not the shapes of the scene.

        The shapes stay the same; setting them would lose what draws them for devices.

        Args:
            context: the root Context, which is changed.
            drawn: scenario with its random positions and poses drawn; None: those of
                the first start.
        """
        gravity = self._plant.mutable_gravity_field()
        gravity.set_gravity_vector(self._scenario.gravity)
        context.SetTime(self.context.get_time())
        for system in self._diagram.GetSystems():
            if not isinstance(system, SceneGraph):
                own = system.GetMyMutableContextFromRoot(context)
                start = system.GetMyContextFromRoot(self.context)
                own.SetStateAndParametersFrom(start)
        if drawn is not None:
            own = self._plant.GetMyMutableContextFromRoot(context)
            self._set_drawn(own, drawn)
            self._docks.prepare(own)

    def drawn(self, seed: int) -> Scenario:
        """Returns the scenario with its random values drawn from another seed.

        Raises:
            InputError: the seed is invalid, or a random value is part of the plant.
        """
        if not 0 <= seed < 2**32:
            raise InputError(
                f"seed {seed} is not allowed; must be a whole number from 0 to"
                f" {2**32 - 1}"
            )
        for i, directive in enumerate(self._scenario.directives):
            for kind, field in (("add_weld", "X_PC"), ("add_frame", "X_PF")):
                pose = getattr(getattr(directive, kind), field, None)
                if pose is not None and not pose.IsDeterministic():
                    raise located(self._scenario, _built_in(i, kind, field))
            for pose in _free_poses(directive).values():
                own = pose.base_frame not in (None, "", "world")
                if own and not pose.IsDeterministic():
                    path = "add_model", "default_free_body_pose"
                    raise located(self._scenario, _built_in(i, *path))
        scenario = copy.copy(self._scenario)
        scenario.random_seed = seed
        return sampled(scenario)

    def _set_drawn(self, context: Context, drawn: Scenario) -> None:
        plant = self._plant
        for given, directive in zip(
            self._scenario.directives, drawn.directives, strict=True
        ):
            poses = _free_poses(directive)
            for body, pose in _free_poses(given).items():
                if not pose.IsDeterministic():
                    model = plant.GetModelInstanceByName(given.add_model.name)
                    plant.SetFreeBodyPose(
                        context,
                        plant.GetBodyByName(body, model),
                        poses[body].GetDeterministicValue(),
                    )

        q = plant.GetPositions(context)
        for model, positions in self._scenario.initial_position.items():
            instance = plant.GetModelInstanceByName(model)
            for name, position in positions.items():
                if not isinstance(position, np.ndarray):
                    joint = plant.GetJointByName(name, instance)
                    first = joint.position_start()
                    last = first + joint.num_positions()
                    q[first:last] = drawn.initial_position[model][name]
        plant.SetPositions(context, q)


def _free_poses(directive: object) -> dict:
    add = getattr(directive, "add_model", None)
    return add.default_free_body_pose if add is not None else {}


def _built_in(i: int, *path: str) -> InputError:
    return InputError(
        "is drawn when the plant is built; for another seed build a simulation"
        " of the scenario with another random_seed",
        path=("directives", i, *path),
    )
