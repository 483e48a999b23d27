"""Finds a robot's controller in a project."""

import os
import shlex
from pathlib import Path

from webmotor_drake.results.whole_file import is_file
from webmotor_drake.scenario.robot_controllers import (
    EXTERN,
    OTHERS,
    is_program,
    project_files,
)
from webmotor_drake.worlds.nodes import Node
from webmotor_drake.worlds.project import Project

# Names for which Webots starts nothing of the user's.
_NONE = frozenset({"", "void", "<none>", "<generic>", "none"})
_LANGUAGES = {
    ".c": "C",
    ".cpp": "C++",
    ".cc": "C++",
    ".java": "Java",
}


def controller_fields(
    node: Node, project: Project, world: Path
) -> dict[str, object]:
    """Returns the file of a Robot's controller, and its arguments.

    Args:
        node: the Robot.
        project: files around it.
        world: the world's folder, to which the file is relative.

    Returns:
        The fields of a driver; none if there is nothing to run.
    """
    name = node.text("controller", "<generic>")
    if name in _NONE:
        return {}
    if name == EXTERN:
        return {"controller": EXTERN}
    # Of a robot that is a PROTO: the project of that file.
    above = node.place.source.folder.absolute().parents[:4]
    places = [
        place for up in (project.root, *above) for place in _places(up, name)
    ]
    for place in places:
        for file in map(place.parent.joinpath, project_files(place.name)):
            if is_file(file):
                if why := _why_not(file):
                    _tell(node, f"{os.path.relpath(file)}: {why}")
                    return {}
                relative = Path(os.path.relpath(file, world)).as_posix()
                fields: dict[str, object] = {"controller": relative}
                if arguments := _arguments(node):
                    fields["controller_args"] = arguments
                return fields
    _tell_what_is_missing(node, name, places)
    return {}


def _tell_what_is_missing(node: Node, name: str, places: list[Path]) -> None:
    sources = (
        language
        for place in places
        for suffix, language in _LANGUAGES.items()
        if is_file(place.with_name(f"{place.name}{suffix}"))
    )
    if language := next(sources, None):
        why = (
            f"the controller {name} is written in {language} and not built there;"
            " motors hold; `webmotor run --extern` waits for the program"
        )
    else:
        files = f"controllers/{name}/{name}"
        why = f"the project has neither {files}.py nor {files}; motors hold"
    _tell(node, why)


def _tell(node: Node, why: str) -> None:
    """Reports that a robot's controller does not run."""
    field = node.fields.get("controller")
    place = field.place if field is not None else node.place
    place.add("idle", node.text("name", "robot"), why)


def _why_not(file: Path) -> str:
    """Returns why a controller cannot be started here; "": it can."""
    if not is_program(file):
        return ""
    language = OTHERS.get(file.suffix.lower())
    if language is None:
        runs = os.access(file, os.X_OK)
        return "" if runs else "not executable (chmod +x); motors hold"
    if "WEBOTS_HOME" in os.environ:
        return ""
    return (
        f"in {language}; WEBOTS_HOME with its library is not set; motors hold"
    )


def _places(folder: Path, name: str) -> list[Path]:
    """Returns where a controller's file may be below a folder, without its suffix.

    Webots wants a name. A path is that of a file or its folder, from the project's
    folder or from its controllers.
    """
    path = Path(name.replace("\\", "/").lstrip("/"))
    path = path.with_suffix("") if path.suffix == ".py" else path
    if not path.name:
        return []
    controllers = folder / "controllers"
    if len(path.parts) == 1:
        return [controllers / path / path.name]
    return [
        place / end
        for place in (controllers / path, folder / path)
        for end in (path.name, "")
    ]


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
