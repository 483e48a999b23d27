"""Webots' Camera, RangeFinder, Lidar and Display: their fields and units."""

import dataclasses as dc

from webmotor_drake.nodes.body_sensors import DeviceNode
from webmotor_drake.nodes.field_docs import with_inherited_fields


@dc.dataclass
class Recognition:
    """Webots' Recognition: which objects a camera names.

    Attributes:
        max_range: how far it sees, m.
        max_objects: how many at most, the nearest first; -1: all.
        segmentation: whether there are images of what is recognized.
        recognition_colors: the colours (RGB, 0 to 1) of each model that it knows,
            by the model's name. A model that is not there is not recognized.
    """

    max_range: float = 100.0
    max_objects: int = -1
    segmentation: bool = False
    recognition_colors: dict[str, list[list[float]]] = dc.field(
        default_factory=dict[str, list[list[float]]]
    )


@dc.dataclass
class Zoom:
    """Webots' Zoom: the fields of view that a controller may set.

    Attributes:
        min_field_of_view: the narrowest, rad.
        max_field_of_view: the widest, rad.
    """

    min_field_of_view: float = 0.5
    max_field_of_view: float = 1.5


@with_inherited_fields
@dc.dataclass
class Camera(DeviceNode):
    """Webots' Camera: an image of what is drawn, seen along x.

    Attributes:
        field_of_view: across the image's width, rad.
        width: in pixels.
        height: in pixels.
        near: what is nearer is not seen, m.
        far: what is further is not seen, m; 0: everything is.
        noise: standard deviation of each channel, as a part of 255 (1: 255).
        zoom: the fields of view that a controller may set; none: this one.
        recognition: what it names; none: nothing.
    """

    field_of_view: float = 0.785398
    width: int = 64
    height: int = 64
    near: float = 0.01
    far: float = 0.0
    noise: float = 0.0
    zoom: Zoom | None = None
    recognition: Recognition | None = None


@with_inherited_fields
@dc.dataclass
class RangeFinder(DeviceNode):
    """Webots' RangeFinder: an image of how far along x everything is.

    Attributes:
        field_of_view: across the image's width, rad.
        width: in pixels.
        height: in pixels.
        min_range: what is nearer is infinite, m.
        max_range: what is further is infinite, m.
        noise: standard deviation, as a part of max_range (1: max_range).
        resolution: step of the depth, m; -1: none.
    """

    field_of_view: float = 0.785398
    width: int = 64
    height: int = 64
    min_range: float = 0.01
    max_range: float = 1.0
    noise: float = 0.0
    resolution: float = -1.0


@with_inherited_fields
@dc.dataclass
class Lidar(DeviceNode):
    """Webots' Lidar: how far it is in layers of directions around x.

    Attributes:
        tilt_angle: of all layers, up, rad.
        horizontal_resolution: points per layer.
        field_of_view: across a layer, from left to right, rad.
        vertical_field_of_view: from the first layer, on top, to the last, rad.
        number_of_layers: at least 1.
        min_range: what is nearer is infinite, m.
        max_range: what is further is infinite, m.
        type: "fixed" or "rotating": all around, whatever field_of_view says.
        noise: standard deviation, as a part of max_range (1: max_range).
        resolution: step of the distance, m; -1: none.
        default_frequency: of rotation, 1/s; kept, but all is measured at once.
        min_frequency: the lowest that a controller may set, 1/s.
        max_frequency: the highest that a controller may set, 1/s.
    """

    tilt_angle: float = 0.0
    horizontal_resolution: int = 512
    field_of_view: float = 1.5708
    vertical_field_of_view: float = 0.2
    number_of_layers: int = 4
    min_range: float = 0.01
    max_range: float = 1.0
    type: str = "fixed"
    noise: float = 0.0
    resolution: float = -1.0
    default_frequency: float = 10.0
    min_frequency: float = 1.0
    max_frequency: float = 25.0


@with_inherited_fields
@dc.dataclass
class Display(DeviceNode):
    """Webots' Display: pixels that a controller draws; nobody sees them here.

    Attributes:
        width: in pixels.
        height: in pixels.
    """

    width: int = 64
    height: int = 64
