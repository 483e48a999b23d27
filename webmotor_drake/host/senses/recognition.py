"""Recognition of Cameras: finds objects in the image of labels."""

import dataclasses as dc
import typing

import numpy as np

from webmotor_drake.host.senses.recognizable import Recognizable, Recognized
from webmotor_drake.host.senses.renderer import focal_length
from webmotor_drake.host.senses.sampling import Sampler


@dc.dataclass(frozen=True)
class Seen:
    """A Solid O that a camera D sees.

    Attributes:
        id: the number of its node.
        model: name by which it is recognized, as in `Recognized`.
        position: of its first body, in the camera's axes, m.
        orientation: in the camera's axes: axis x, y, z and angle, rad.
        size: width and height of what is seen, at its distance, m.
        position_on_image: of the middle of what is seen, in pixels.
        size_on_image: width and height of what is seen, in pixels.
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

    def sensed(self) -> list[Seen]:
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

    def _seen(self, one: Recognized, mask: np.ndarray) -> Seen:
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
        return Seen(
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
