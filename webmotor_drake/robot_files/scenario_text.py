"""The scenario of an imported robot: YAML with the line that each number came from."""

import json
import math
import os
from pathlib import Path

from webmotor_drake.robot_files.found import (
    Fields,
    Found,
    FoundMotor,
    FoundRobot,
)

# The demonstration: when it goes and comes back, s, and how far, rad or m.
_GOES, _COMES, _LASTS = 0.5, 2.5, 5.0
_FAR, _FAR_SLIDING, _SHARE = 0.3, 0.05, 0.25


def scenario_text(
    robot: FoundRobot,
    file: str,
    base: str,
    packages: list[str],
    height: float | None,
) -> str:
    """Returns the text of a scenario.

    Args:
        robot: what was found.
        file: of the model, as the scenario names it.
        base: the body to weld to the world, or that floats.
        packages: folders of packages that it needs.
        height: where the free base starts, m; None: it is welded.
    """
    name = robot.name
    lines = [
        f"# Imported from {file}. The comments say which line of it, or of what it",
        "# includes, each number came from. It moves a little and comes back.",
        *(f"# Not carried over: {lost}" for lost in robot.lost),
        f"{_text(_title(name))}:",
        f"  simulation_duration: {_LASTS}",
        "  plant_config: {time_step: 0.002}",
        *(["  package_xmls:"] if packages else []),
        *(f"  - {_text(package)}" for package in packages),
        "  directives:",
        *_directives(robot, file, base, height),
        *_positions(robot),
        "  model_drivers:",
        f"    {_text(name)}: !WebotsMotorDriver",
        *_motors(robot),
        *_table("joints", robot.joints),
        *(["      brakes:"] if robot.brakes else []),
        *(
            f"        {_text(brake)}: {{joint: {_text(found.value)}}}  # {found.place}"
            for brake, found in robot.brakes.items()
        ),
        *_commands(robot),
    ]
    return "\n".join([*lines, ""])


def _title(name: str) -> str:
    return (
        "".join(part[:1].upper() + part[1:] for part in name.split("_"))
        or "Robot"
    )


def _directives(
    robot: FoundRobot, file: str, base: str, height: float | None
) -> list[str]:
    model = f"  - add_model: {{name: {_text(robot.name)}, file: {_text(file)}"
    if height is None:
        weld = [
            f"  - add_weld: {{parent: world, child: {_text(f'{robot.name}::{base}')}}}"
        ]
        return [f"{model}}}", *(weld if base else [])]
    w, x, y, z = robot.base[3:] or (1.0, 0.0, 0.0, 0.0)
    angle = 2 * math.atan2(math.hypot(x, y, z), w)
    axis = [x, y, z] if angle else [0.0, 0.0, 1.0]
    pose = (
        f"{{translation: [0, 0, {height:.4g}], rotation: !AngleAxis"
        f" {{angle_deg: {math.degrees(angle):.6g}, axis: {axis}}}}}"
    )
    if not angle:
        pose = f"{{translation: [0, 0, {height:.4g}]}}"
    return [
        "  - add_model: {name: ground, file: package://webmotor_models/ground.urdf}",
        "  - add_weld: {parent: world, child: ground::ground}",
        f"  - add_model:\n      name: {_text(robot.name)}\n      file: {_text(file)}",
        f"      default_free_body_pose: {{{_text(base)}: {pose}}}",
    ]


def _positions(robot: FoundRobot) -> list[str]:
    if not robot.positions:
        return []
    lines = ["  initial_position:", f"    {_text(robot.name)}:"]
    for joint, found in robot.positions.items():
        lines.append(
            f"      {_text(joint)}: [{_text(found.value)}]  # {found.place}"
        )
    return lines


def _motors(robot: FoundRobot) -> list[str]:
    if not robot.motors:
        return ["      motors: {}"]
    lines = ["      motors:"]
    for name, motor in robot.motors.items():
        kind = "LinearMotor" if motor.slides else "RotationalMotor"
        lines.append(f"        {_text(name)}: !{kind}")
        lines.append(f"          joint: {_text(motor.joint)}")
        lines += _nested(motor.fields, 10)
    return lines


def _table(name: str, table: dict[str, Fields]) -> list[str]:
    table = {key: fields for key, fields in table.items() if fields}
    if not table:
        return []
    lines = [f"      {name}:"]
    for key, fields in table.items():
        lines += [f"        {_text(key)}:", *_nested(fields, 10)]
    return lines


def _nested(fields: Fields, indent: int) -> list[str]:
    lines, inner = [], {}
    for name, found in fields.items():
        head, _, rest = name.partition(".")
        if rest:
            inner.setdefault(head, {})[rest] = found
        else:
            lines.append(
                f"{' ' * indent}{name}: {_text(found.value)}  # {found.place}"
            )
    for head, below in inner.items():
        lines += [f"{' ' * indent}{head}:", *_nested(below, indent + 2)]
    return lines


def _commands(robot: FoundRobot) -> list[str]:
    """Returns commands that move each motor a little, within its limits."""
    lines = []
    for time, part in ((_GOES, 1.0), (_COMES, 0.0)):
        for name, motor in robot.motors.items():
            base, _, rest = name.partition("::")
            if rest and any(
                other.partition("::")[0] == base
                for other in list(robot.motors)[
                    : list(robot.motors).index(name)
                ]
            ):
                continue  # it is coupled with one that was told already
            start = robot.positions.get(motor.joint, Found(0.0, "")).value
            target = start + part * _way(motor, start)
            kind = motor.fields.get("motor_model")
            if kind is not None and kind.value == "pd" and not _seeks(motor):
                continue
            lines.append(
                f"      - {{time: {time}, motor: {_text(name)},"
                f" set_position: {target:.6g}}}"
            )
    return ["      commands:", *lines] if lines else []


def _seeks(motor: FoundMotor) -> bool:
    """Returns whether a PD loop has a gain on position."""
    kp = motor.fields.get("pd.kp")
    return kp is not None and kp.value > 0


def _way(motor: FoundMotor, start: float) -> float:
    """Returns how far a motor goes from its start, on the side with more room."""
    far = _FAR_SLIDING if motor.slides else _FAR
    low, high = (
        motor.fields.get("min_position"),
        motor.fields.get("max_position"),
    )
    if low is None or high is None:
        return far
    room = high.value - start, low.value - start
    side = max(room, key=abs)
    return math.copysign(min(far, _SHARE * abs(side)), side)


def _text(value: object) -> str:
    """Returns a value as YAML."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return f"{value:.0f}" if value == round(value) else repr(float(value))
    text = str(value)
    plain = text.replace("_", "").replace("-", "").replace(" ", "").isalnum()
    words = {"true", "false", "null", "yes", "no", "on", "off", "y", "n"}
    is_word = text[:1].isalpha() and text.lower() not in words
    return (
        text if plain and is_word and text == text.strip() else json.dumps(text)
    )


def relative(path: Path, folder: Path) -> str:
    """Returns a path as it is seen from a folder."""
    return Path(os.path.relpath(path, folder)).as_posix()
