"""Finds a robot's controller in a project."""

import os
import shlex
from pathlib import Path

from webmotor_drake.drive.driver import WebotsMotorDriver
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
NO_NAMES = frozenset({"", "void", "<none>", "<generic>", "none"})
_LANGUAGES = {
    ".c": "C",
    ".cpp": "C++",
    ".cc": "C++",
    ".java": "Java",
}


def add_controller(
    node: Node, driver: WebotsMotorDriver, project: Project, folder: Path
) -> None:
    """Adds the file of a Robot's controller, and its arguments.

    Args:
        node: the Robot.
        driver: gets them; nothing if there is nothing to run, which is reported.
        project: files around it.
        folder: the start of the file's relative name.
    """
    name = node.text("controller", "<generic>")
    if name in NO_NAMES:
        return
    if name == EXTERN:
        driver.controller = EXTERN
        return
    # Of a robot that is a PROTO: the project of that file.
    above = node.place.source.folder.absolute().parents[:4]
    places = [
        place for up in (project.root, *above) for place in _places(up, name)
    ]
    files = (
        file
        for place in places
        for file in map(place.parent.joinpath, project_files(place.name))
        if is_file(file)
    )
    if (file := next(files, None)) is None:
        why = _missing(name, places)
    elif why := _why_not(file):
        why = f"{os.path.relpath(file)}: {why}"
    else:
        driver.controller = Path(os.path.relpath(file, folder)).as_posix()
        driver.controller_args = _arguments(node)
        return
    field = node.fields.get("controller")
    place = field.place if field is not None else node.place
    place.add("idle", node.text("name", "robot"), why)


def _missing(name: str, places: list[Path]) -> str:
    """Returns the words for a controller without a file that can run."""
    for place in places:
        for suffix, language in _LANGUAGES.items():
            if is_file(place.with_name(f"{place.name}{suffix}")):
                return (
                    f"the controller {name} is written in {language} and not built"
                    " there; motors hold; `webmotor run --extern` waits for the"
                    " program"
                )
    files = f"controllers/{name}/{name}"
    return f"the project has neither {files}.py nor {files}; motors hold"


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
    """Returns where a controller's file may be below a folder, without its suffix."""
    # Webots wants a name. A path is that of a file or its folder.
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
    texts = list(field.texts()) if field is not None else []
    if node.place.source.version < (2020, 1, 0):  # one text, blanks between
        try:
            return [word for text in texts for word in shlex.split(text)]
        except ValueError:
            return [word for text in texts for word in text.split()]
    return texts
