"""Refuses mimic joints of a URDF that Drake cannot make, each with its cure."""

from webmotor_drake.errors import InputError, unknown_name
from webmotor_drake.scenario.model_file import Element, ModelFile


def check_mimics(model: ModelFile) -> None:
    """Refuses a mimic element at a fixed joint, or of a joint that is not there.

    Raises:
        InputError: with the place in the URDF.
    """
    if b"<mimic" not in model.data or not model.is_whole:  # Drake says why
        return
    joint = ""
    joints: dict[str, str] = {}  # their types by name
    mimics: list[tuple[str, Element]] = []
    for element in model.elements:
        at = element.depth, element.parent, element.tag
        if at == (2, "robot", "joint"):
            joint = element.attributes.get("name", "")
            joints[joint] = element.attributes.get("type", "")
        elif joints and at == (3, "joint", "mimic"):
            mimics.append((joint, element))
    for joint, mimic in mimics:
        target = mimic.attributes.get("joint", "")
        if joints[joint] == "fixed":
            problem = (
                f"joint {joint!r} is fixed and cannot mimic {target!r}; take its"
                " mimic element out of the file, or make the joint revolute or"
                " prismatic"
            )
        elif target not in joints:
            problem = (
                f"joint {joint!r} mimics an"
                f" {unknown_name('joint', target, joints)}; name one that is"
                " there, or take the mimic element out of the file"
            )
        else:
            continue
        where = f"{model.path}:{mimic.line}:{mimic.column}"
        raise InputError(problem, where=where)
