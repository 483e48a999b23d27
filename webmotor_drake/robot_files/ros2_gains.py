"""Gains of ros2_control's controllers, from the YAML that a robot's file names."""

import re
from collections.abc import Iterator
from pathlib import Path

import yaml
from pydrake.multibody.parsing import PackageMap

from webmotor_drake.robot_files.found import FoundRobot
from webmotor_drake.scenario.model_element import Element
from webmotor_drake.scenario.packages import find_package

_FIND = re.compile(r"\$\(find ([^)]+)\)")


def read_gains(
    root: Element, robot: FoundRobot, path: Path, packages: PackageMap
) -> None:
    """Gives motors the PID gains of joints in the controllers' YAML.

    A loop on efforts is a PD loop; what it adds by an integral is told.

    Args:
        root: the robot's file.
        robot: its motors, which get the gains.
        path: the file.
        packages: packages of `package://`.
    """
    by_joint = {motor.joint: name for name, motor in robot.motors.items()}
    for file in _files(root, path, packages):
        for joint, gains, line in _gains(file):
            if joint not in by_joint:
                continue
            place, motor = f"{file.name}:{line}", ("motors", by_joint[joint])
            robot.set("pd", place, *motor, "motor_model")
            p, i, d = (
                float(gain)
                if isinstance(gain := gains.get(k), int | float)
                else 0.0
                for k in "pid"
            )
            robot.set(p, place, *motor, "pd", "kp")
            robot.set(d, place, *motor, "pd", "kd")
            if i:
                robot.lose(place, f"the integral gain {i:g} of {joint}")


def _files(root: Element, path: Path, packages: PackageMap) -> Iterator[Path]:
    """Yields the YAML files that a robot's file names in <parameters>."""
    for node in root.walk():
        text = node.text.strip()
        if node.tag != "parameters" or not text.endswith((".yaml", ".yml")):
            continue
        uri = _FIND.sub(r"package://\1", text)
        find_package(uri, packages, path)
        try:
            file = (
                Path(packages.ResolveUrl(uri))
                if "://" in uri
                else path.parent / uri
            )
        except RuntimeError:
            continue
        if file.is_file():
            yield file


def _gains(file: Path) -> Iterator[tuple[str, dict[str, object], int]]:
    """Yields joints, their gains, and the lines of these."""
    try:
        node = yaml.compose(file.read_text(encoding="utf-8"))
    except (OSError, yaml.YAMLError, UnicodeDecodeError):
        return
    waiting = [node] if node is not None else []
    while waiting:
        here = waiting.pop()
        if not isinstance(here, yaml.MappingNode):
            continue
        for key, value in here.value:
            waiting.append(value)
            if key.value == "gains" and isinstance(value, yaml.MappingNode):
                for joint, gains in value.value:
                    loader = yaml.SafeLoader("")
                    found = loader.construct_object(gains, deep=True)
                    if isinstance(found, dict):
                        yield joint.value, found, joint.start_mark.line + 1
