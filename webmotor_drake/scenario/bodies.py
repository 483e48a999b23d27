"""Values of bodies that differ from a model's file, or that it lacks.

Drake has no way to change a mass before motors and controllers look at it, so it
gets a copy of the model's file in which the numbers are others.
"""

import dataclasses as dc
import math
from collections.abc import Mapping
from copy import deepcopy
from pathlib import Path

from pydrake.multibody.parsing import ModelDirective, PackageMap

from webmotor_drake.errors import InputError, below, unknown_name
from webmotor_drake.nodes.check import check_node
from webmotor_drake.nodes.contact import Damping
from webmotor_drake.nodes.rules import COLOR, each
from webmotor_drake.scenario.copies import copy_of
from webmotor_drake.scenario.model_element import Element
from webmotor_drake.scenario.model_file import ModelFile

_INERTIA = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"}
_COLORS = each(COLOR)


@dc.dataclass
class BodyParameters:
    """The values of one body that differ from the model's file.

    Attributes:
        mass: kg; None: the file's. The inertia grows with it, the centre of mass
            stays.
        friction: coefficient of friction, static and dynamic, of all its collision
            shapes; None: the file's.
        contact_material: material of its collision shapes, as `contact_properties` name
            it (Solid.contactMaterial); None: "default".
        shape_materials: the material of single collision shapes, by the shape's name.
        damping: None: the scenario's `default_damping` (Physics.damping).
        model: the text by which cameras and supervisors know it (Solid.model); "":
            cameras give the name of the model, or of a further body.
        recognition_colors: red, green and blue of each colour by which cameras with
            `recognition` know it, with what hangs on it (Solid.recognitionColors).
        radar_cross_section: its size to Radars, m^2 (Solid.radarCrossSection).
    """

    mass: float | None = None
    friction: float | None = None
    contact_material: str | None = None
    shape_materials: dict[str, str] = dc.field(default_factory=dict[str, str])
    damping: Damping | None = None
    model: str = ""
    recognition_colors: list[list[float]] = dc.field(
        default_factory=list[list[float]]
    )
    radar_cross_section: float = 0.0


Bodies = Mapping[str, Mapping[str, BodyParameters]]


def check_bodies(bodies: Bodies) -> None:
    """Raises InputError, with its path, for values that no body can have."""
    for model, changes in bodies.items():
        for body, change in changes.items():
            if change.friction is not None and change.contact_material:
                raise InputError(
                    "friction and contact_material cannot both be given",
                    path=(model, body, "contact_material"),
                )
            with below(model, body, "recognition_colors"):
                _COLORS.check(change.recognition_colors, "")
            if change.damping is not None:
                with below(model, body, "damping"):
                    check_node(change.damping)
            for name in ("mass", "friction", "radar_cross_section"):
                value = getattr(change, name)
                least = math.ulp(0) if name == "mass" else 0
                if value is not None and not least <= value < math.inf:
                    raise InputError(
                        f"{value} is not allowed; must be"
                        f" {'at least' if least == 0 else 'above'} 0",
                        path=(model, body, name),
                    )


def with_bodies(
    directives: list[ModelDirective], bodies: Bodies, packages: PackageMap
) -> list[ModelDirective]:
    """Returns the directives, their models with the masses of `bodies`.

    Args:
        directives: the files in them are URIs.
        bodies: by model name and body name.
        packages: folders of `package://`.

    Raises:
        InputError: an unknown model or body, or a file that cannot be changed; its
            path starts in `bodies`.
    """
    added = {
        d.add_model.name: i for i, d in enumerate(directives) if d.add_model
    }
    directives = list(directives)
    for model, changes in bodies.items():
        masses = {b: p.mass for b, p in changes.items() if p.mass is not None}
        if not masses:
            continue
        if model not in added:
            problem = unknown_name("model", model, added)
            raise InputError(problem, path=(model,))
        directive = deepcopy(directives[added[model]])
        with below(model):
            copy = _changed_copy(directive.add_model.file, masses, packages)
        directive.add_model.file = copy.as_uri()
        directives[added[model]] = directive
    return directives


def _changed_copy(
    uri: str, masses: Mapping[str, float], packages: PackageMap
) -> Path:
    """Returns a copy of a model with other masses."""
    try:
        file = Path(packages.ResolveUrl(uri))
        model = ModelFile(file)
    except (RuntimeError, OSError) as error:
        raise InputError(f"its model cannot be read: {error}") from None
    suffix = file.suffix.lower()
    if suffix not in (".urdf", ".sdf"):
        raise InputError(f"{file.name} is not a URDF or SDF")
    if not model.is_whole:
        raise InputError("its model cannot be read: it is not XML to its end")
    links = {link.name: link for link in model.elements if link.tag == "link"}
    changes: dict[int, dict[str, str]] = {}
    for body, mass in masses.items():
        if body not in links:
            raise InputError(unknown_name("body", body, links), path=(body,))
        with below(body, "mass"):
            changes |= _changes(links[body], mass, in_text=suffix == ".sdf")
    folder = file.parent.absolute()
    text = model.renamed(
        lambda name: name if "://" in name else str(folder / name), changes
    )
    return copy_of(file, text)


def _changes(
    link: Element, mass: float, *, in_text: bool
) -> dict[int, dict[str, str]]:
    """Returns the changes to a link, as `ModelFile.renamed` takes them.

    Args:
        link: element of the body.
        mass: its new mass, kg.
        in_text: True if numbers are texts, as in SDF, and not attributes.
    """
    inertial = _only(link, "inertial")
    weight = _only(inertial, "mass")
    number = "" if in_text else "value"
    before = _number(weight.text if in_text else weight.given.get(number, ""))
    if not before:
        raise InputError(
            "its mass in the model's file is 0, and its inertia unknown"
        )
    changes = {weight.start: {number: repr(mass)}}
    if in_text:
        for item in inertial.all("inertia"):
            for part in item.children:
                if part.tag in _INERTIA:
                    grown = mass / before * _number(part.text)
                    changes[part.start] = {"": repr(grown)}
        return changes
    inertia = _only(inertial, "inertia")
    changes[inertia.start] = {
        name: repr(mass / before * _number(inertia.given[name]))
        for name in _INERTIA & inertia.given.keys()
    }
    return changes


def _only(parent: Element, tag: str) -> Element:
    """Returns the only such child of an element; a link without mass has none."""
    child = parent.first(tag)
    if child is None:
        raise InputError(f"the model's file gives it no {tag}")
    return child


def _number(text: str) -> float:
    """Returns the number of a mass or inertia."""
    try:
        return float(text)
    except ValueError:
        raise InputError(
            f"{text.strip()!r} in the model's file is not a number"
        ) from None
