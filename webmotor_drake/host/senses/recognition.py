"""Recognition of Cameras: finds objects in the image of labels."""

import dataclasses as dc
import typing

import numpy as np
from pydrake.multibody.tree import BodyIndex, RigidBody

from webmotor_drake.host.senses.body_sampler import BodySampler
from webmotor_drake.host.senses.camera import CameraSampler, focal_length


@dc.dataclass(frozen=True)
class Seen:
    """A model O that a camera D sees.

    Attributes:
        id: a number of its own.
        model: its name.
        position: of its first body, in the camera's axes, m.
        orientation: in the camera's axes: axis x, y, z and angle, rad.
        size: width and height of what is seen, at its distance, m.
        position_on_image: of the middle of what is seen, in pixels.
        size_on_image: of what is seen, in pixels.
        colors: red, green, blue of one colour after the other.
    """

    id: int
    model: str
    position: list[float]
    orientation: list[float]
    size: list[float]
    position_on_image: list[int]
    size_on_image: list[int]
    colors: list[float]


class RecognitionSampler(BodySampler):
    """Samples the objects that a camera recognizes, and their places in its image.

    Attributes:
        segments: whether images of what is recognized are wanted.
        segmentation: the newest of them, as bytes of blue, green, red, alpha.
    """

    __slots__ = ("_bodies", "camera", "segmentation", "segments")
    blank: typing.ClassVar[list[Seen]] = []

    def look_through(self, camera: CameraSampler) -> None:
        """Sets the camera to look through."""
        self.camera = camera
        self.segments = False
        self.segmentation: bytes | None = None
        self._bodies: dict[str, list[BodyIndex]] | None = None

    def enable(self, period: int, now: int) -> None:
        """Starts or stops."""
        if period:
            self.camera.starts()
        super().enable(period, now)

    def sensed(self) -> list[Seen]:
        """Returns the models, the nearest first."""
        renderer, place = self.camera.renderer, self.place
        if not renderer.works():
            return []
        labels = renderer.label(place, self.camera.core())
        known = self.node.recognition.recognition_colors
        seen = []
        picture = np.zeros((*labels.shape, 4), np.uint8)
        picture[..., 3] = 255
        for model, bodies in self._known().items():
            mask = np.isin(labels, [int(index) for index in bodies])
            if not mask.any():
                continue
            colors = known[model]
            found = self._seen(model, bodies[0], mask, colors)
            if np.linalg.norm(found.position) > self.node.recognition.max_range:
                continue
            seen.append(found)
            red, green, blue = colors[0] if colors else (1.0, 1.0, 1.0)
            picture[mask, :3] = np.rint(255 * np.array([blue, green, red]))
        if self.segments:
            self.segmentation = picture.tobytes()
        seen.sort(key=lambda one: float(np.linalg.norm(one.position)))
        most = self.node.recognition.max_objects
        return seen if most == -1 else seen[:most]

    def _known(self) -> dict[str, list[BodyIndex]]:
        """Returns the bodies of the models that it knows; not its own robot's."""
        if self._bodies is None:
            plant, own = self.place.plant, self.place.robot()
            self._bodies = {}
            for model in self.node.recognition.recognition_colors:
                instance = plant.GetModelInstanceByName(model)
                bodies = plant.GetBodyIndices(instance)
                if not own.issuperset(bodies):
                    self._bodies[model] = list(bodies)
        return self._bodies

    def _seen(
        self,
        model: str,
        first: BodyIndex,
        mask: np.ndarray,
        colors: list[list[float]],
    ) -> Seen:
        plant, place = self.place.plant, self.place
        body: RigidBody = plant.get_body(first)
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
        return Seen(
            id=int(first),
            model=model,
            position=X_DO.translation().tolist(),
            orientation=[*turn.axis().tolist(), turn.angle()],
            size=[number * ahead / focal for number in pixels],
            position_on_image=[
                int((columns[0] + columns[-1] + 1) // 2),
                int((rows[0] + rows[-1] + 1) // 2),
            ],
            size_on_image=pixels,
            colors=[part for color in colors for part in color],
        )
