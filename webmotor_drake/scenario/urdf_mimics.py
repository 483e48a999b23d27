"""Refuses mimic joints of a URDF that Drake cannot make, each with its cure."""

from webmotor_drake.errors import InputError, unknown_name
from webmotor_drake.scenario.model_file import ModelFile


def check_mimics(model: ModelFile) -> None:
    """Refuses a mimic element at a fixed joint, or of a joint that is not there.

    Raises:
        InputError: with the place in the URDF.
    """
    if b"<mimic" not in model.data or not model.is_whole:  # Drake says why
        return
    joints = {joint.name: joint for joint in model.elements[0].all("joint")}
    for joint in joints.values():
        for mimic in joint.all("mimic"):
            target = mimic.given.get("joint", "")
            if joint.given.get("type") == "fixed":
                problem = (
                    f"joint {joint.name!r} is fixed and cannot mimic"
                    f" {target!r}; take its mimic element out of the file, or"
                    " make the joint revolute or prismatic"
                )
            elif target not in joints:
                problem = (
                    f"joint {joint.name!r} mimics an"
                    f" {unknown_name('joint', target, joints)}; name one that is"
                    " there, or take the mimic element out of the file"
                )
            else:
                continue
            raise InputError(problem, where=mimic.where)
