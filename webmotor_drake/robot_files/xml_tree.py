"""A robot's file as a tree, with the files that it includes."""

from pathlib import Path

from webmotor_drake.errors import InputError
from webmotor_drake.scenario.model_element import Element
from webmotor_drake.scenario.model_file import ModelFile

# Deeper, or more files, and a file includes itself.
_MOST_INCLUDES = 64


def read_tree(file: Path) -> Element:
    """Returns the root of an XML file; MJCF's includes stand where they include.

    Raises:
        InputError: it cannot be read, is not XML, or includes itself.
    """
    return _read(file, [])


def _read(file: Path, including: list[Path]) -> Element:
    if file in including or len(including) > _MOST_INCLUDES:
        raise InputError(f"{file} includes itself")
    try:
        model = ModelFile(file)
    except OSError as error:
        raise InputError(f"cannot read {file}: {error.strerror}") from None
    if not model.is_whole or not model.elements:
        raise InputError("it is not XML to its end", where=str(file))
    root = model.elements[0]
    _include(root, [*including, file])
    return root


def _include(element: Element, including: list[Path]) -> None:
    """Puts the files that an MJCF includes in their places."""
    children: list[Element] = []
    for child in element.children:
        if child.tag == "include" and child.given.get("file"):
            # Relative to the model that includes, wherever what it includes is.
            other = including[0].parent / child.given["file"]
            children += _read(other, including).children
        else:
            _include(child, including)
            children.append(child)
    element.children = children
