"""Webots' DistanceSensor and TouchSensor: their fields and units."""

import dataclasses as dc

from webmotor_drake.nodes.body_sensors import DeviceNode
from webmotor_drake.nodes.field_docs import with_inherited_fields

DISTANCE_TYPES = ("generic", "infra-red", "sonar", "laser")
TOUCH_TYPES = ("bumper", "force", "force-3d")


@with_inherited_fields
@dc.dataclass
class DistanceSensor(DeviceNode):
    """Webots' DistanceSensor: how far rays in a cone about x go.

    Attributes:
        type: "generic" (weighted mean of the rays), "infra-red" (the same, but of
            what is drawn and by its redness), "sonar" (the nearest that is met
            within 22.5 degrees of its normal) or "laser" (one ray).
        lookup_table: rows of distance (m), value and noise (a part of the value);
            distances increase, the last is how far it sees.
        number_of_rays: at least 1.
        aperture: width of the cone, rad.
        gaussian_width: how fast weights fall from the axis, as a part of the
            aperture (1: to 1/e at its width).
        resolution: step of the value, in the table's unit; -1: none.
        red_color_sensitivity: how much redness counts for infra-red, 0 (none) to
            1 (all).
    """

    type: str = "generic"
    lookup_table: list[list[float]] = dc.field(
        default_factory=lambda: [[0.0, 0.0, 0.0], [0.1, 1000.0, 0.0]]
    )
    number_of_rays: int = 1
    aperture: float = 1.5708
    gaussian_width: float = 1.0
    resolution: float = -1.0
    red_color_sensitivity: float = 1.0


@with_inherited_fields
@dc.dataclass
class TouchSensor(DeviceNode):
    """Webots' TouchSensor: whether, or how strongly, something touches its body.

    The body is what Webots' boundingObject is: give a bumper a body of its own, on a
    fixed joint.

    Attributes:
        type: "bumper" (0 or 1), "force" (along x, pushes only) or "force-3d". For
            a force the body has to hang on a weld joint, whose force it is.
        lookup_table: rows of force (N), value and noise (a part of the value) for
            forces; they increase.
        resolution: step of the value, in the table's unit; -1: none.
    """

    type: str = "bumper"
    lookup_table: list[list[float]] = dc.field(
        default_factory=lambda: [[0.0, 0.0, 0.0], [5000.0, 50000.0, 0.0]]
    )
    resolution: float = -1.0
