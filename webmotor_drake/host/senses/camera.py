"""Images of Cameras and RangeFinders (WbCamera.cpp, WbRangeFinder.cpp)."""

import math
import typing

import numpy as np
from pydrake.geometry import RenderCameraCore

from webmotor_drake import nodes
from webmotor_drake.host.senses.body_sampler import (
    BodySampler,
    NodeT,
    device_for,
)
from webmotor_drake.host.senses.recognition import RecognitionSampler
from webmotor_drake.host.senses.renderer import (
    FAR,
    Renderer,
    camera_core,
    focal_length,
    tones,
)


class ImageSampler(BodySampler[NodeT]):
    """Samples images; they are empty without a renderer.

    Attributes:
        canvas: memory for the images, such as one shared with another process; None:
            each image is a new array.
        drawn: shape and type that a canvas must have; no shape: it takes no canvas.
    """

    drawn: tuple[tuple[int, ...], typing.Any] = (), None

    def __init__(self, *arguments: typing.Any):
        super().__init__(*arguments)
        self.canvas: np.ndarray | None = None
        self.renderer: Renderer = self.around.renderer

    def enable(self, period: int, now: int) -> None:
        """Starts or stops sampling; once on, the renderer stays in its thread."""
        if period:
            self.clock.stay_in_thread()
        super().enable(period, now)


@device_for(nodes.Camera)
class CameraSampler(ImageSampler[nodes.Camera]):
    """Samples a Camera's image: bytes of blue, green, red, alpha per pixel.

    Attributes:
        field_of_view: present field of view, rad.
        exposure: present exposure.
        recognition: sampler of its recognition; None: no recognition.
    """

    def __init__(self, node: nodes.Camera, *rest: typing.Any):
        super().__init__(node, *rest)
        self.field_of_view = node.field_of_view
        self.exposure = 1.0
        self.drawn = (node.height, node.width, 4), np.uint8
        self.value = self.seen = black(node)
        self.recognition = node.recognition and RecognitionSampler(self)

    def change(self, field: str, value: typing.Any) -> None:
        """Takes over the field of view, or the exposure."""
        setattr(self, field, value)

    def configure(self) -> None:
        """Shows the client the field of view, rad."""
        self.fields["field_of_view"] = self.field_of_view

    @property
    def zoom(self) -> tuple[float, float]:
        """The narrowest and widest field of view, rad; both equal without zoom."""
        zoom, present = self.node.zoom, self.field_of_view
        if zoom is None:
            return present, present
        return zoom.min_field_of_view, zoom.max_field_of_view

    def refusal(self, field: str, value: float) -> str:
        """Returns why a client may not set a field to a value; "": it may."""
        if field == "exposure":
            return "" if value >= 0 else "ignored; 0 and above is allowed"
        low, high = self.zoom
        inside = low <= value <= high
        return "" if inside else f"ignored; {low:g} to {high:g} rad are allowed"

    def segment(self, *, on: bool) -> str:
        """Turns images of recognized objects on or off; returns why not, or ""."""
        if self.recognition is None:
            return "the camera has no recognition"
        self.recognition.segments = on
        return ""

    def forget_client(self) -> None:
        """Turns images of recognized objects off."""
        self.segment(on=False)

    def core(self) -> RenderCameraCore:
        """Returns the camera as Drake has it."""
        node = self.node
        focal = focal_length(node.width, self.field_of_view)
        far = node.far or max(FAR, 10 * node.near)
        return camera_core(node.width, node.height, focal, node.near, far)

    def sensed(self) -> bytes | np.ndarray:
        """Returns the image row by row from the top left, in the canvas if any."""
        if not self.renderer.works():
            return black(self.node)
        image = self.renderer.color(self.place, self.core())
        table = tones(self.exposure).tobytes()  # an index takes five times
        toned = np.frombuffer(image.tobytes().translate(table), np.uint8)
        toned = toned.reshape(image.shape)
        if self.node.noise:
            noise = self.random.standard_normal((*image.shape[:2], 3))
            noisy = toned[..., :3] + 255 * self.node.noise * noise
            toned = np.clip(np.rint(noisy), 0, 255)
        drawn = np.empty_like(image) if self.canvas is None else self.canvas
        for channel in range(3):
            drawn[..., channel] = toned[..., 2 - channel]
        drawn[..., 3] = image[..., 3]
        return drawn.tobytes() if self.canvas is None else drawn


def black(node: nodes.Camera) -> bytes:
    """Returns the image before the first: black."""
    return b"\0\0\0\xff" * (node.width * node.height)


@device_for(nodes.RangeFinder)
class RangeFinderSampler(ImageSampler[nodes.RangeFinder]):
    """Samples a RangeFinder's image: a depth per pixel, m."""

    def __init__(self, node: nodes.RangeFinder, *rest: typing.Any):
        super().__init__(node, *rest)
        self.drawn = (node.height, node.width), "<f4"
        self.value = self.seen = [0.0] * (node.width * node.height)

    def sensed(self) -> list[float] | np.ndarray:
        """Returns depths row by row from the top left, in the canvas if any."""
        node = self.node
        if not self.renderer.works():
            return [math.inf] * (node.width * node.height)
        focal = focal_length(node.width, node.field_of_view)
        core = camera_core(
            node.width, node.height, focal, node.min_range, node.max_range
        )
        image = self.renderer.depth(self.place.X_WD(), core)
        depths = measured(image, node, self.random)
        if self.canvas is None:
            return depths.ravel().tolist()
        self.canvas[:] = depths
        return self.canvas


def measured(
    distances: np.ndarray,
    node: nodes.RangeFinder | nodes.Lidar,
    random: np.random.Generator,
) -> np.ndarray:
    """Returns distances, m, with a node's noise, resolution and range."""
    if node.noise:
        noise = random.standard_normal(distances.shape)
        distances = distances + node.max_range * node.noise * noise
    if node.resolution > 0:
        distances = node.resolution * np.rint(distances / node.resolution)
    inside = (distances >= node.min_range) & (distances <= node.max_range)
    return np.where(inside, distances, math.inf).astype(np.float32)
