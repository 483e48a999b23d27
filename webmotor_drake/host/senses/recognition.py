"""Recognition of Cameras: finds Solids with colours in the image of labels."""

import dataclasses as dc
import typing
from collections.abc import Callable, Iterator, Mapping

import numpy as np
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import BodyIndex, RigidBody

from webmotor_drake.host.senses.renderer import focal_length
from webmotor_drake.host.senses.sampling import Sampler
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
        self._now = dict(self._given)

    def colors(self, body: RigidBody) -> Colors | None:
        """Returns the colours of a body; None: it has none, but for cameras' tables."""
        known = self._now.get(body.index())
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
        self._now[body.index()] = dc.replace(
            made, id=id, name=name or made.name
        )

    def forget(self, body: RigidBody | None = None) -> None:
        """Takes back the colours that a body was given; None: of all."""
        if body is None:
            self._now = dict(self._given)
        else:
            self._now.pop(body.index(), None)

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
        found |= self._now
        # Colours that a supervisor took away.
        taken = {i for i, one in self._now.items() if not one.colors}
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


Value = typing.TypeVar("Value")


def _gives(
    name: str, kind: type[Value]
) -> Callable[["CameraRecognitionObject"], Value]:
    """Returns the getter of an attribute of Python's type `kind`."""

    def get(self: "CameraRecognitionObject") -> typing.Any:
        return getattr(self, name)

    get.__doc__ = f"Returns `{name}`."
    return get


@dc.dataclass
class CameraRecognitionObject:
    """A Solid O that a camera D has recognized, as controllers get it.

    Attributes:
        id: the number of its node.
        model: name of it, as `Recognized` has it.
        position: position of its first body, in the camera's axes, m.
        orientation: turn in the camera's axes: axis x, y, z and angle, rad.
        size: width and height of what is seen, at its distance, m.
        position_on_image: place of the middle of what is seen, in pixels.
        size_on_image: size of what is seen, in pixels.
        colors: red, green, blue of one colour after the other, 0 to 1.
    """

    id: int
    model: str
    position: list[float]
    orientation: list[float]
    size: list[float]
    position_on_image: list[int]
    size_on_image: list[int]
    colors: list[float]

    @property
    def number_of_colors(self) -> int:
        """How many colours its Solid has."""
        return len(self.colors) // 3

    # Those in snake_case are of Webots R2022a and before.
    getId = get_id = _gives("id", int)
    getPosition = get_position = _gives("position", list[float])
    getOrientation = get_orientation = _gives("orientation", list[float])
    getSize = get_size = _gives("size", list[float])
    getPositionOnImage = _gives("position_on_image", list[int])
    get_position_on_image = getPositionOnImage
    getSizeOnImage = get_size_on_image = _gives("size_on_image", list[int])
    getNumberOfColors = get_number_of_colors = _gives("number_of_colors", int)
    getColors = get_colors = _gives("colors", list[float])
    getModel = get_model = _gives("model", str)


class RecognitionSampler(Sampler):
    """Samples the objects that a camera recognizes, and their places in its image.

    Attributes:
        segments: True if images of recognized objects are wanted.
        segmentation: the newest of them, as bytes of blue, green, red, alpha.
    """

    def __init__(self, camera: typing.Any):
        super().__init__(self.sensed, camera.has_power, [], camera.random)
        self.camera, self.node = camera, camera.node
        self.place, self.around = camera.place, camera.around
        self.segments = False
        self.segmentation: bytes | None = None

    def enable(self, period: int, now: int) -> None:
        """Starts or stops."""
        if period:
            self.camera.clock.stay_in_thread()
        super().enable(period, now)

    def sensed(self) -> list[CameraRecognitionObject]:
        """Returns the recognized objects, the nearest first."""
        renderer, place = self.camera.renderer, self.place
        if not renderer.works():
            return []
        labels = renderer.label(place, self.camera.core())
        own = place.robot()
        seen = []
        picture = np.zeros((*labels.shape, 4), np.uint8)
        picture[..., 3] = 255
        known: Recognizable = self.around.recognizable
        for one in known.known(self.node.recognition.recognition_colors):
            mask = np.isin(labels, [int(index) for index in one.bodies])
            if own.issuperset(one.bodies) or not mask.any():
                continue
            found = self._seen(one, mask)
            if np.linalg.norm(found.position) > self.node.recognition.max_range:
                continue
            seen.append(found)
            red, green, blue = one.colors[0] if one.colors else (1.0, 1.0, 1.0)
            picture[mask, :3] = np.rint(255 * np.array([blue, green, red]))
        if self.segments:
            self.segmentation = picture.tobytes()
        seen.sort(key=lambda one: float(np.linalg.norm(one.position)))
        most = self.node.recognition.max_objects
        return seen if most == -1 else seen[:most]

    def _seen(
        self, one: Recognized, mask: np.ndarray
    ) -> CameraRecognitionObject:
        plant, place = self.place.plant, self.place
        body = plant.get_body(one.bodies[0])
        X_WO = plant.EvalBodyPoseInWorld(place.context, body)
        X_DO = place.X_WD().inverse() @ X_WO
        turn = X_DO.rotation().ToAngleAxis()
        rows, columns = np.flatnonzero(mask.any(1)), np.flatnonzero(mask.any(0))
        pixels = [
            int(columns[-1] - columns[0] + 1),
            int(rows[-1] - rows[0] + 1),
        ]
        focal = focal_length(self.node.width, self.camera.field_of_view)
        ahead = max(float(X_DO.translation()[0]), 0.0)
        return CameraRecognitionObject(
            id=one.id,
            model=one.name,
            position=X_DO.translation().tolist(),
            orientation=[*turn.axis().tolist(), turn.angle()],
            size=[number * ahead / focal for number in pixels],
            position_on_image=[
                int((columns[0] + columns[-1] + 1) // 2),
                int((rows[0] + rows[-1] + 1) // 2),
            ],
            size_on_image=pixels,
            colors=[part for color in one.colors for part in color],
        )
