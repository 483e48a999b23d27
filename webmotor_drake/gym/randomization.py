"""Domain randomization: parameters of the scenario that each episode draws anew."""

import typing
from collections.abc import Mapping

import numpy as np
from pydrake.multibody.plant import MultibodyPlant
from pydrake.systems.framework import Context

from webmotor_drake.errors import InputError, below
from webmotor_drake.gym.draws import Draw, check_draw, drawn
from webmotor_drake.scenario.parameter_path import (
    Keys,
    parse_path,
    path_text,
    typed_value,
    value_at,
    with_values,
)
from webmotor_drake.scenario.scenario import Scenario
from webmotor_drake.simulation.motor_stepper import MotorStepper

Values = dict[Keys, typing.Any]
# Numbers up to this are allowed in place without a check; only gravity goes below 0.
_ORDINARY = 1e6


class Randomization:
    """Draws parameters by their paths, as `webmotor sweep --vary` names them.

    Masses of bodies, damping of joints and gravity change in the plant's Context; all
    else needs a rebuild. Both give the same as a fresh build with these values.

    Attributes:
        scenario: scenario that is built before values are set.
        rebuilds: True if an episode needs a rebuild.

    Args:
        scenario: scenario to vary.
        draws: draws by path.

    Raises:
        InputError: a path leads nowhere, or a value does not fit.
    """

    def __init__(self, scenario: Scenario, draws: Mapping[str, Draw]):
        self._draws: dict[Keys, Draw] = {}
        for text, draw in draws.items():
            with below("randomize"):
                check_draw(draw, text)
            path = parse_path(text)
            for value in _samples(draw):
                typed_value(scenario, path, value)
            self._draws[path] = draw
        self._in_place = list(filter(_is_in_place, self._draws))
        # It is set on the joint itself: the scenario that is built must have none.
        damping = [p for p in self._in_place if p[-1] == "damping_constant"]
        self.scenario = with_values(scenario, dict.fromkeys(damping, 0.0))
        self.rebuilds = len(self._in_place) < len(self._draws)

    def drawn(
        self,
        random: np.random.Generator,
        given: Mapping[str, typing.Any] | None = None,
    ) -> Values:
        """Returns the values of an episode.

        Args:
            random: source of the draws; as much is drawn with `given` as without.
            given: values that are not drawn, by path.

        Raises:
            InputError: a given value is not among those that are drawn, or a value that
                is set in place is not allowed.
        """
        values = {path: drawn(d, random) for path, d in self._draws.items()}
        for text, value in (given or {}).items():
            path = parse_path(text)
            if path not in values:
                known = ", ".join(map(path_text, values)) or "nothing"
                raise InputError(f"{text} is not randomized; {known} is").below(
                    "options", "values"
                )
            values[path] = value
        return {path: self._allowed(path, v) for path, v in values.items()}

    def _allowed(self, path: Keys, value: typing.Any) -> typing.Any:
        """Returns a value in the scenario's type; a rebuild checks its own values."""
        if isinstance(value, np.generic | np.ndarray):
            value = value.tolist()
        if path not in self._in_place:
            return value
        least = -_ORDINARY if path[0] == "gravity" else 0.0
        if type(value) is float and least < value < _ORDINARY:
            return value
        allowed = value_at(with_values(self.scenario, {path: value}), path)
        if allowed is None:
            raise InputError("null is not allowed; a number is needed").below(
                "randomize", path_text(path)
            )
        return allowed

    def scenario_with(self, values: Values) -> Scenario:
        """Returns the scenario to build for these values."""
        others = {p: v for p, v in values.items() if p not in self._in_place}
        return with_values(self.scenario, others)

    def in_place_only(self) -> str | None:
        """Returns a path that needs a rebuild, or that several robots share."""
        for path in self._draws:
            if path not in self._in_place or path[0] == "gravity":
                return path_text(path)
        return None

    def set_parameters(
        self,
        plant: MultibodyPlant,
        context: Context,
        values: Values,
        models: Mapping[str, str],
    ) -> None:
        """Sets the values that the plant's Context holds; see `tell_motors`.

        Args:
            plant: the plant.
            context: its Context.
            values: values of the episode.
            models: other names of models in the plant, by those of the scenario.
        """
        for path in self._in_place:
            _set(plant, context, path, values[path], models)

    def tell_motors(self, stepper: MotorStepper) -> None:
        """Lets the motors read the new parameters before their next step."""
        if self._in_place:
            stepper.read_plant()


def _samples(draw: Draw) -> list[typing.Any]:
    """Returns values that a draw can have, to look at their type."""
    if callable(draw):
        return []
    return list(draw) if isinstance(draw, (tuple, list)) else [draw]


def _is_in_place(path: Keys) -> bool:
    """Returns whether a value is set in the Context; others need a rebuild."""
    match path:
        case (
            ("bodies", str(), str(), "mass") | ("gravity",) | ("gravity", int())
        ):
            return True
        case ("model_drivers", str(), "joints", str(), "damping_constant"):
            return True
    return False


def _set(
    plant: MultibodyPlant,
    context: Context,
    path: Keys,
    value: typing.Any,
    models: Mapping[str, str],
) -> None:
    if path[0] == "gravity":
        field = plant.mutable_gravity_field()
        vector = field.gravity_vector().copy()
        vector[path[1] if len(path) > 1 else slice(None)] = value
        field.set_gravity_vector(vector)
        return
    model = str(path[1])
    instance = plant.GetModelInstanceByName(models.get(model, model))
    if path[-1] == "mass":  # takes the inertia along, as in `BodyParameters`
        plant.GetBodyByName(str(path[2]), instance).SetMass(context, value)
    else:
        joint = plant.GetJointByName(str(path[3]), instance)
        own = joint.default_damping_vector()
        joint.SetDampingVector(context, own + abs(value))
