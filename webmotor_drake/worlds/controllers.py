"""Finds a robot's controller in a project."""

import os
import shlex
from pathlib import Path

from webmotor_drake.worlds.nodes import Node
from webmotor_drake.worlds.project import Project
from webmotor_drake.worlds.report import Report

# Names for which Webots starts nothing of the user's.
_NONE = frozenset({"", "void", "<none>", "<generic>", "none"})
_LANGUAGES = {
    ".c": "C",
    ".cpp": "C++",
    ".cc": "C++",
    ".java": "Java",
    ".m": "MATLAB",
    ".jar": "Java",
    ".exe": "a program",
}


def find_controller(
    node: Node, project: Project, world: Path, report: Report
) -> tuple[str, list[str]]:
    """Returns the Python file of a Robot's controller, and its arguments.

    Args:
        node: the Robot.
        project: where it is.
        world: the world's folder, to which the file is relative.
        report: notes that no controller can run.

    Returns:
        "" if there is nothing to run.
    """
    field = node.fields.get("controller")
    name = node.text("controller", "<generic>")
    place = field.place if field is not None else node.place
    robot = node.text("name", "robot")
    if name in _NONE:
        return "", []
    if name == "<extern>":
        report.add(
            "idle",
            robot,
            place,
            "<extern>: motors hold; `webmotor run --extern` waits for the"
            " program",
        )
        return "", []
    folders = [project.root / "controllers" / name]
    # Of a robot that is a PROTO: the project of that file.
    for up in node.place.source.folder.absolute().parents:
        folders.append(up / "controllers" / name)
        if len(folders) > 4:
            break
    for folder in folders:
        file = folder / f"{name}.py"
        if "/" not in name and file.is_file():
            return _relative(file, world), _arguments(node)
    for folder in folders:
        for suffix, language in _LANGUAGES.items():
            if "/" not in name and (folder / f"{name}{suffix}").is_file():
                report.add(
                    "idle",
                    robot,
                    place,
                    f"the controller {name} is written in {language}; motors"
                    " hold; `webmotor run --extern` waits for the program",
                )
                return "", []
    report.add(
        "idle",
        robot,
        place,
        f"there is no controllers/{name}/{name}.py in the project; motors hold",
    )
    return "", []


def _relative(file: Path, folder: Path) -> str:
    """Returns a file's name from a folder, with .. where it has to be."""
    return Path(os.path.relpath(file, folder)).as_posix()


def _arguments(node: Node) -> list[str]:
    field = node.fields.get("controllerArgs")
    if field is None:
        return []
    texts = list(field.texts())
    if node.place.source.version < (2020, 1, 0):  # one text, blanks between
        try:
            return [word for text in texts for word in shlex.split(text)]
        except ValueError:
            return [word for text in texts for word in text.split()]
    return texts
