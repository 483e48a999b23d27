"""Bodies with colours that cameras may recognize (Solid.recognitionColors)."""

import dataclasses as dc
from collections.abc import Iterator, Mapping

from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import BodyIndex, RigidBody

from webmotor_drake.scenario.scenario import Scenario

Colors = list[list[float]]


@dc.dataclass(frozen=True)
class Recognized:
    """A Solid that cameras recognize.

    Attributes:
        id: the number of its node.
        name: Solid.model; without one the name of its model or body.
        bodies: its own first, then those that hang on it.
        colors: red, green and blue of each, 0 to 1.
    """

    id: int
    name: str
    bodies: list[BodyIndex]
    colors: Colors


class Recognizable:
    """The Solids of a simulation that cameras recognize.

    A camera knows what its own table names, too. What a supervisor sets comes before
    both until the next reset.

    Args:
        scenario: its `bodies` have colours.
        plant: the plant.
    """

    def __init__(self, scenario: Scenario, plant: MultibodyPlant):
        self._plant = plant
        self._labels: dict[BodyIndex, str] = {}
        self._given: dict[BodyIndex, Recognized] = {}
        self._set: dict[BodyIndex, Recognized] = {}
        for model, bodies in scenario.bodies.items():
            instance = plant.GetModelInstanceByName(model)
            for name, parameters in bodies.items():
                body = plant.GetBodyByName(name, instance)
                if parameters.model:
                    self._labels[body.index()] = parameters.model
                if parameters.recognition_colors:
                    self._given[body.index()] = self._recognized(
                        body, parameters.recognition_colors
                    )

    def colors(self, body: RigidBody) -> Colors | None:
        """Returns the colours of a body; None: it has none, but for cameras' tables."""
        index = body.index()
        known = self._set.get(index) or self._given.get(index)
        return None if known is None else known.colors

    def set(
        self, body: RigidBody, colors: Colors, *, id: int, name: str
    ) -> None:
        """Gives a body other colours; without any it is not recognized.

        Args:
            body: that of the Solid.
            colors: red, green and blue of each, 0 to 1.
            id: the number of its node.
            name: Solid.model; "": that of the scenario.
        """
        made = self._recognized(body, colors)
        self._set[body.index()] = dc.replace(
            made, id=id, name=name or made.name
        )

    def forget(self, body: RigidBody | None = None) -> None:
        """Takes back the colours that a body was given; None: of all."""
        if body is None:
            self._set.clear()
        else:
            self._set.pop(body.index(), None)

    def known(self, table: Mapping[str, Colors]) -> Iterator[Recognized]:
        """Yields the Solids that a camera recognizes.

        Args:
            table: the camera's own, by model.
        """
        found: dict[BodyIndex, Recognized] = {}
        for model, colors in table.items():
            instance = self._plant.GetModelInstanceByName(model)
            bodies = self._plant.GetBodyIndices(instance)
            if bodies:
                body = self._plant.get_body(bodies[0])
                found[bodies[0]] = self._recognized(body, colors)
        found |= self._given | self._set
        # Colours that a supervisor took away, or that a table has as none.
        taken = {i for i, one in self._set.items() if not one.colors}
        yield from (one for i, one in found.items() if i not in taken)

    def _recognized(self, body: RigidBody, colors: Colors) -> Recognized:
        plant, index = self._plant, body.index()
        instance = body.model_instance()
        bodies = plant.GetBodyIndices(instance)
        name = plant.GetModelInstanceName(instance)
        if index != bodies[0]:
            name = body.name()
            bodies = [index, *_hanging_on(plant, index)]
        name = self._labels.get(index, name)
        return Recognized(int(index), name, bodies, colors)


def _hanging_on(plant: MultibodyPlant, body: BodyIndex) -> Iterator[BodyIndex]:
    """Yields the bodies that joints carry from a body on."""
    for index in plant.GetJointIndices():
        joint = plant.get_joint(index)
        if joint.parent_body().index() == body:
            child = joint.child_body().index()
            yield child
            yield from _hanging_on(plant, child)
