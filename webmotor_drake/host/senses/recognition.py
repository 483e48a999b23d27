"""Recognition of Cameras: finds Solids with colours in the image of labels."""

import dataclasses as dc
import typing
from collections.abc import Callable, Iterator, Mapping

import numpy as np
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import BodyIndex, RigidBody

from webmotor_drake.errors import InputError
from webmotor_drake.host.senses.renderer import focal_length
from webmotor_drake.host.senses.sampling import Sampler
from webmotor_drake.scenario.scenario import Scenario

Colors = list[list[float]]


def checked_colors(colors: Colors) -> Colors:
    """Returns recognitionColors.

    Raises:
        InputError: not colours.
    """
    if any(not 0 <= part <= 1 for color in colors for part in color):
        raise InputError(f"{colors} are not colours; must be from 0 to 1")
    return colors


@dc.dataclass
class Mark:
    """A mark by which cameras and radars know a Solid; supervisors may change it.

    Attributes:
        id: the number of its node.
        name: Solid.model; without one the name of its model or body.
        colors: its recognitionColors, each red, green and blue, 0 to 1; None: those of
            cameras' tables, if any.
        cross_section: its radarCrossSection, m^2.
    """

    id: int
    name: str
    colors: Colors | None = None
    cross_section: float = 0.0


class Marks(dict[BodyIndex, Mark]):
    """The marks of Solids by their first bodies, initially from the scenario.

    Args:
        scenario: scenario whose `bodies` have colours, models and cross sections.
        plant: the plant.
    """

    def __init__(self, scenario: Scenario, plant: MultibodyPlant):
        super().__init__()
        self._plant = plant
        for model, bodies in scenario.bodies.items():
            instance = plant.GetModelInstanceByName(model)
            for name, parameters in bodies.items():
                mark = self.of(plant.GetBodyByName(name, instance))
                mark.name = parameters.model or mark.name
                mark.colors = parameters.recognition_colors or None
                mark.cross_section = parameters.radar_cross_section

    def of(self, body: RigidBody) -> Mark:
        """Returns the mark of a body; makes one if it has none."""
        name = body.name()
        if self._is_first(body):
            name = self._plant.GetModelInstanceName(body.model_instance())
        index = body.index()
        return self.setdefault(index, Mark(int(index), name))

    def _is_first(self, body: RigidBody) -> bool:
        instance = body.model_instance()
        return self._plant.GetBodyIndices(instance)[0] == body.index()

    def recognized(
        self, table: Mapping[str, Colors]
    ) -> Iterator[tuple[Mark, list[BodyIndex]]]:
        """Yields the Solids that a camera with a table recognizes, and their bodies.

        The Solid's own bodies come first, then the bodies that hang on them.
        """
        plant, found = self._plant, dict[BodyIndex, Mark]()
        for model, colors in table.items():
            instance = plant.GetModelInstanceByName(model)
            for index in plant.GetBodyIndices(instance)[:1]:
                mark = self.of(plant.get_body(index))
                found[index] = dc.replace(mark, colors=colors)
        found |= {
            i: mark for i, mark in self.items() if mark.colors is not None
        }
        for index, mark in found.items():
            if self[index].colors == []:
                continue  # a supervisor removed its colours
            body = plant.get_body(index)
            if self._is_first(body):
                yield mark, plant.GetBodyIndices(body.model_instance())
            else:
                yield mark, [index, *_hanging_on(plant, index)]


def _hanging_on(plant: MultibodyPlant, body: BodyIndex) -> Iterator[BodyIndex]:
    """Yields the bodies that hang on a body, directly or through others."""
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
        model: name of the Solid, as in `Mark`.
        position: position of its first body, in the camera's axes, m.
        orientation: turn in the camera's axes: axis x, y, z and angle, rad.
        size: width and height of the visible part, at its distance, m.
        position_on_image: middle of the visible part, in pixels.
        size_on_image: size of the visible part, in pixels.
        colors: colours in one list, each as red, green, blue, 0 to 1.
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

    # The names in snake_case are those of Webots R2022a and before.
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
        segmentation: newest of these images, as bytes of blue, green, red, alpha.
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
        plant = place.plant
        if not renderer.works():
            return []
        labels = renderer.label(place, self.camera.core())
        own = place.robot()
        seen = []
        picture = np.zeros((*labels.shape, 4), np.uint8)
        picture[..., 3] = 255
        marks: Marks = self.around.marks
        table = self.node.recognition.recognition_colors
        for one, bodies in marks.recognized(table):
            mask = np.isin(labels, [int(index) for index in bodies])
            if own.issuperset(bodies) or not mask.any():
                continue
            found = self._seen(one, plant.get_body(bodies[0]), mask)
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
        self, one: Mark, body: RigidBody, mask: np.ndarray
    ) -> CameraRecognitionObject:
        place = self.place
        X_WO = body.EvalPoseInWorld(place.context)
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
            colors=[part for color in one.colors or () for part in color],
        )
