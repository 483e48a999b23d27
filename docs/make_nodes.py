"""Writes docs/nodes.md: every node's fields, from their declarations.

python docs/make_nodes.py
"""

import typing
from pathlib import Path

from webmotor_drake import WebotsMotorDriver, nodes
from webmotor_drake.nodes.device import DEVICES
from webmotor_drake.nodes.field import declared
from webmotor_drake.nodes.webots_fields import fields_of_type, node_types

PAGE = Path(__file__).parent / "nodes.md"
HEAD = """\
# Nodes

Every field of every node, with Webots' name in snake_case and, unless it says
otherwise, Webots' default. [Fields](fields.md) says how a motor's fields act in Drake.

`webmotor schema` prints the same as JSON Schema. An editor with a YAML language server
completes and checks scenarios by it: save it as `scenario.schema.json`, begin a
scenario with `# yaml-language-server: $schema=scenario.schema.json`, and list the tags
that you use in the setting `yaml.customTags`, such as `!RotationalMotor mapping`.
"""
GROUPS: dict[str, tuple[type, ...]] = {
    "The driver": (WebotsMotorDriver,),
    "At joints": (
        nodes.RotationalMotor,
        nodes.LinearMotor,
        nodes.Muscle,
        nodes.Servo,
        nodes.JointParameters,
        nodes.PositionSensor,
        nodes.Brake,
        nodes.Hinge2Joint,
        nodes.BallJoint,
    ),
    "Motor models": (
        nodes.Pd,
        nodes.DcMotor,
        nodes.Friction,
        nodes.Thermal,
        nodes.Elastic,
        nodes.Learned,
    ),
    "Devices": tuple(
        d for d in DEVICES.values() if declared(d).keys() > {"pose"}
    ),
    "In devices": (nodes.Pose, nodes.Zoom, nodes.Recognition),
    "Lights": (nodes.PointLight, nodes.SpotLight, nodes.DirectionalLight),
}
# They stand once, above the devices.
SHARED = ("frame", "pose", "model")


def _default(kind: type, name: str) -> str:
    value: typing.Any = getattr(kind(), name)
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "none"}[value]
    if isinstance(value, str):
        return value or '""'
    if isinstance(value, int | float):
        return f"{value:g}"
    if isinstance(value, list | dict):
        return str(value).replace(".0", "")
    return "{}"


def section(kind: type) -> str:
    """Returns a node's section of the page."""
    about = (kind.__doc__ or "").partition("\n\nAttributes:")[0]
    rows = []
    for name, field in declared(kind).items():
        if kind in GROUPS["Devices"] and name in SHARED:
            continue
        allowed = field.rule.words if field.rule else ""
        if field.fallback:
            allowed = f"{field.fallback.words}, with a warning"
        default = _default(kind, name)
        rows.append(
            f"| `{name}` | {default} | {field.unit} | {allowed} |"
            f" {field.about.replace('<', '&lt;')} |"
        )
    table = "\n".join(rows) and (
        "\n| field | default | unit | allowed | meaning |\n|---|---|---|---|---|\n"
        + "\n".join(rows)
        + "\n"
    )
    return f"\n### {kind.__name__}\n\n{about}\n{table}"


def all_fields() -> str:
    """Returns the section of all fields that a world's file can have."""
    rows = []
    for kind in sorted({*node_types()} - {"Servo"}):
        fields = fields_of_type(kind)
        solid = fields_of_type("Solid") if "physics" in fields else {}
        for name, field in fields.items():
            if kind not in ("Solid", "WorldInfo") and solid.get(name) == field:
                continue
            default = "" if field.default in ([], None) else field.default
            acts = "" if field.acts else "kept only"
            shown = str(default).replace(".0", "").replace("<", "&lt;")
            rows.append(
                f"| {kind} | `{name}` | {field.kind} | {shown} | {acts} |"
            )
    return (
        "\n## Fields of a world's nodes\n\nA supervisor reads and sets these, with the"
        " values of the file. Robots, devices and what else is a Solid have its fields,"
        " too.\n\n| node | field | type | default | here |\n"
        "|---|---|---|---|---|\n" + "\n".join(rows) + "\n"
    )


def page() -> str:
    """Returns the page."""
    text = HEAD
    for title, kinds in GROUPS.items():
        text += f"\n## {title}\n"
        if title == "Devices":
            shared = declared(nodes.LED)
            fields = "; ".join(f"`{n}`: {shared[n].about}" for n in SHARED)
            text += f"\nAll have {fields}.\n"
        text += "".join(map(section, kinds))
    return text + all_fields()


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
