"""Webots' LED, Pen, Speaker and Skin, by which a robot is seen and heard."""

from webmotor_drake.nodes.device import DeviceNode
from webmotor_drake.nodes.field import amount, field, node
from webmotor_drake.nodes.rules import AT_LEAST_0, COLOR, SHARE, each

__all__ = ["LED", "Pen", "Skin", "Speaker"]


@node
class LED(DeviceNode):
    """Webots' LED: a light that a controller sets; it lights nothing here."""

    color: list[list[float]] = field(
        [[1.0, 0.0, 0.0]], "the colours that it can have", rule=each(COLOR)
    )
    gradual: bool = field(
        False,
        "True if its value is an intensity, or RGB where there is no colour",
    )


@node
class Pen(DeviceNode):
    """Webots' Pen: leaves ink where its -z axis meets a flat surface (WbPen.cpp).

    Cameras and infra-red sensors see it.
    """

    ink_color: list[float] = field([0.0] * 3, "colour of the ink", rule=COLOR)
    ink_density: float = field(
        0.5, "cover that each basic step adds", rule=SHARE
    )
    lead_size: float = field(
        0.002, "width of the line, at least a pixel", "m", AT_LEAST_0
    )
    max_distance: float = amount("reach, 0: everywhere", "m")
    write: bool = field(True, "True if it writes at the start")
    ink_evaporation: float = amount(
        "rate at which ink fades where it has written; WorldInfo.inkEvaporation",
        "1/s",
        ours=True,
    )


@node
class Speaker(DeviceNode):
    """Webots' Speaker: sounds and texts, which are in the run's sound (`--sound`)."""


@node
class Skin(DeviceNode):
    """Webots' Skin; without bones here."""
