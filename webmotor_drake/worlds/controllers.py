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


def controller_fields(
    node: Node, project: Project, world: Path, report: Report
) -> dict[str, object]:
    """Returns the Python file of a Robot's controller, and its arguments.

    Args:
        node: the Robot.
        project: where it is.
        world: the world's folder, to which the file is relative.
        report: notes that no controller can run.

    Returns:
        The fields of a driver; none if there is nothing to run.
    """
    field = node.fields.get("controller")
    name = node.text("controller", "<generic>")
    if name in _NONE:
        return {}
    # Of a robot that is a PROTO: the project of that file.
    above = node.place.source.folder.absolute().parents[:4]
    folders = [up / "controllers" / name for up in (project.root, *above)]
    if "/" in name or name == "<extern>":
        folders = []
    for folder in folders:
        file = folder / f"{name}.py"
        if file.is_file():
            relative = Path(os.path.relpath(file, world)).as_posix()
            fields: dict[str, object] = {"controller": relative}
            if arguments := _arguments(node):
                fields["controller_args"] = arguments
            return fields
    languages = (
        language
        for folder in folders
        for suffix, language in _LANGUAGES.items()
        if (folder / f"{name}{suffix}").is_file()
    )
    waits = "`webmotor run --extern` waits for the program"
    if name == "<extern>":
        why = f"<extern>: motors hold; {waits}"
    elif language := next(languages, None):
        why = f"the controller {name} is written in {language}; motors hold; {waits}"
    else:
        why = f"there is no controllers/{name}/{name}.py in the project; motors hold"
    place = field.place if field is not None else node.place
    report.add("idle", node.text("name", "robot"), place, why)
    return {}


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
