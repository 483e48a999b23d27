"""A world in which every field of every node has another value than the default."""

import dataclasses as dc
import typing
from pathlib import Path

from world_files import world_file

from webmotor_drake.nodes.webots_fields import fields_of_type

# What stands where: nodes with children in Webots' fields.
IN_ROOT = (
    "WorldInfo Viewpoint Background Fog DirectionalLight PointLight SpotLight Group"
    " Pose Transform"
).split()
DEVICES = (
    "Accelerometer Altimeter Camera Compass Connector Display DistanceSensor Emitter"
    " GPS Gyro InertialUnit LED Lidar LightSensor Pen Radar RangeFinder Receiver"
    " Speaker TouchSensor"
).split()
GEOMETRIES = (
    "Box Sphere Cylinder Capsule Cone Plane Mesh IndexedFaceSet".split()
)
# Values that the rule of a field does not allow to be 1 more than the default, that
# name a file, or that others depend on.
VALUES: dict[str, typing.Any] = {
    "WorldInfo.basicTimeStep": 16.0,
    "WorldInfo.coordinateSystem": "ENU",
    "WorldInfo.gpsCoordinateSystem": "WGS84",
    "WorldInfo.physics": "",
    "WorldInfo.northDirection": [1.0, 0.0, 0.0],
    "PositionSensor.name": "ps",
    "Brake.name": "b",
    "Robot.controller": "<none>",
    "Robot.battery": [1.0, 2.0, 3.0],
    "Robot.supervisor": True,
    "Camera.recognition": None,
    "Camera.far": 9.0,
    "Connector.type": "active",
    "Connector.isLocked": False,
    "Connector.numberOfRotations": 3,
    "DistanceSensor.type": "sonar",
    "Emitter.type": "infra-red",
    "Emitter.byteSize": 8,
    "Emitter.range": 2.0,
    "Emitter.maxRange": 3.0,
    "Emitter.aperture": 1.0,
    "Receiver.type": "infra-red",
    "Receiver.byteSize": 8,
    "Receiver.aperture": 1.0,
    "TouchSensor.type": "force",
    "Lidar.type": "rotating",
    "Lidar.verticalFieldOfView": 0.3,
    "Lidar.maxRange": 5.0,
    "Lidar.minRange": 0.5,
    "Lidar.defaultFrequency": 12.0,
    "RangeFinder.maxRange": 5.0,
    "GPS.type": "laser",
    "LightSensor.colorFilter": [0.5, 0.5, 0.5],
    "Mesh.url": ["part.obj"],
    "IndexedFaceSet.coordIndex": [0, 1, 2, -1],
    "HingeJointParameters.minStop": -1.0,
    "HingeJointParameters.maxStop": 2.0,
    "HingeJointParameters.axis": [0.0, 1.0, 0.0],
    "HingeJointParameters.position": 0.25,
    "RotationalMotor.minPosition": -0.5,
    "RotationalMotor.maxPosition": 0.5,
    "Solid.physics": None,
}


@dc.dataclass
class Written:
    """A node of a world: its text, and the values that it has to read back."""

    text: str
    values: dict[str, typing.Any]


def other(key: str, kind: str, default: typing.Any) -> typing.Any:
    """Returns a value of a type that is not the default."""
    if key in VALUES:
        return VALUES[key]
    single = kind[2:]
    if single in ("Vec2f", "Vec3f", "Rotation", "Color"):
        width = {"Vec2f": 2, "Rotation": 4}.get(single, 3)
        value = {"Rotation": [0.0, 1.0, 0.0, 0.5]}.get(single, [0.25] * width)
        return value if kind[0] == "S" else [value, [0.5] * width]
    value = {"Bool": default is False, "String": "other"}.get(single)
    if value is None:
        value = (max(default, 0) if isinstance(default, int | float) else 0) + 1
        value = int(value) if single == "Int32" else value / 2
    return value if kind[0] == "S" else [value, value]


def text_of(value: typing.Any) -> str:
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, list):
        inside = " ".join(map(text_of, value))
        return (
            f"[ {inside} ]"
            if value and value[0].__class__ in (str, list)
            else inside
        )
    return repr(value)


def written(kind: str, inside: str = "") -> Written:
    """Returns a node with another value of each field than the default."""
    texts, values = [], {}
    for name, field in fields_of_type(kind).items():
        if field.kind.endswith("Node") or f" {name} " in f" {inside} ":
            continue
        value = other(f"{kind}.{name}", field.kind, field.default)
        values[name] = value
        many = field.kind[0] == "M" and not isinstance(value[0], list | str)
        text = f"[ {text_of(value)} ]" if many else text_of(value)
        texts.append(f"{name} {text}")
    return Written(
        f"DEF {kind}_ {kind} {{ {' '.join(texts)} {inside} }}", values
    )


def nodes_of_a_world() -> dict[str, Written]:
    found = {kind: written(kind) for kind in (*IN_ROOT, *DEVICES)}
    texture = written("ImageTexture")
    old = written("Appearance", f"material {(m := written('Material')).text}")
    new = written("PBRAppearance", f"baseColorMap {texture.text}")
    found |= {"ImageTexture": texture, "Material": m}
    found |= {"Appearance": old, "PBRAppearance": new}
    shapes = []
    for kind in GEOMETRIES:
        rest = ""
        if kind == "IndexedFaceSet":
            rest = "coord Coordinate { point [ 0 0 0, 1 0 0, 0 1 0 ] }"
        found[kind] = written(kind, rest)
        shapes.append(f"Shape {{ geometry {found[kind].text} }}")
    for look, geometry in ((old, "Box { }"), (new, "Sphere { }")):
        shapes.append(f"Shape {{ appearance {look.text} geometry {geometry} }}")
    found["Shape"] = written("Shape", "geometry Box { }")
    found["Physics"] = written("Physics")
    found["Solid"] = written(
        "Solid",
        f"children [ {' '.join(shapes)} {found['Shape'].text} ]"
        f" boundingObject Box {{ }} physics {found['Physics'].text}",
    )
    joint = written("HingeJointParameters")
    motor, sensor = written("RotationalMotor"), written("PositionSensor")
    found |= {
        "HingeJointParameters": joint,
        "RotationalMotor": motor,
        "PositionSensor": sensor,
    }
    hinge = (
        f"HingeJoint {{ jointParameters {joint.text} device [ {motor.text}"
        f" {sensor.text} ] endPoint Solid {{ name 'end'"
        " boundingObject Box { size 0.1 0.1 0.1 } physics Physics { } } }"
    ).replace("'", '"')
    devices = " ".join(found[kind].text for kind in DEVICES)
    found["Robot"] = written(
        "Robot",
        f"children [ {devices} {hinge} ] boundingObject Box {{ }}"
        " physics Physics { }",
    )
    return found


def close(a: typing.Any, b: typing.Any) -> bool:
    if isinstance(b, list):
        return (
            isinstance(a, list) and len(a) == len(b) and all(map(close, a, b))
        )
    if isinstance(b, float | int) and not isinstance(b, bool):
        return abs(a - b) <= 1e-9 * max(1, abs(b))
    return a == b


def every_field(folder: Path) -> tuple[Path, dict[str, Written]]:
    """Writes the world; returns its file, and its nodes by type, whose DEF is TYPE_."""
    found = nodes_of_a_world()
    (folder / "worlds").mkdir()
    (folder / "worlds" / "part.obj").write_text(
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"
    )
    tops = (*IN_ROOT, "Solid", "Robot")
    return world_file(folder, "\n".join(found[k].text for k in tops)), found


def wrong_in(
    found: dict[str, Written], read: dict[str, dict[str, typing.Any]]
) -> list[str]:
    """Returns what does not read back as it was written, one line per field."""
    assert sum(len(node.values) for node in found.values()) > 236
    return [
        f"{kind}.{name}: {value} is read as {read[kind][name]}"
        for kind, node in found.items()
        for name, value in node.values.items()
        if not close(read[kind][name], value)
    ]
