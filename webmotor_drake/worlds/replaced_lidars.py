"""Our own stand-ins for lidars of Webots': their figures without their bodies."""

from collections.abc import Callable

from webmotor_drake.worlds.nodes import Node

# Returns the text of a node for an instance, and what differs from Webots' own.
Replacement = Callable[[Node], tuple[str, str]]


def _lidar(name: str, fields: str) -> Replacement:
    def replaced(node: Node) -> tuple[str, str]:
        text = f'Lidar {{ name "{name}" {fields} }}'
        return text, "a Lidar without a body, its figures from its manual"

    return replaced


LIDARS: dict[str, Replacement] = {
    "RobotisLds01": _lidar(
        "LDS-01",
        "horizontalResolution 360 fieldOfView 6.283185 numberOfLayers 1"
        " minRange 0.12 maxRange 3.5",
    ),
    "SickLms291": _lidar(
        "Sick LMS 291",
        "horizontalResolution 180 fieldOfView 3.141593 numberOfLayers 1"
        " minRange 0.1 maxRange 80",
    ),
    "HokuyoUrg04lxug01": _lidar(
        "Hokuyo URG-04LX-UG01",
        "horizontalResolution 667 fieldOfView 4.18879 numberOfLayers 1"
        " minRange 0.06 maxRange 5.6",
    ),
    "HokuyoUtm30lx": _lidar(
        "Hokuyo UTM-30LX",
        "horizontalResolution 1080 fieldOfView 4.712389 numberOfLayers 1"
        " minRange 0.1 maxRange 30",
    ),
    "VelodyneVLP-16": _lidar(
        "Velodyne VLP-16",
        "horizontalResolution 3600 fieldOfView 6.283185"
        " verticalFieldOfView 0.523599 numberOfLayers 16 minRange 0.1"
        " maxRange 100",
    ),
}
