"""Values of bodies that differ from a model's file, or that it lacks.

Drake has no way to change a mass before motors and controllers look at it, so it
reads a copy of the model's file with the new masses.
"""

from collections.abc import Mapping
from copy import deepcopy
from pathlib import Path

from pydrake.multibody.parsing import ModelDirective, PackageMap

from webmotor_drake.errors import InputError, below, unknown_name
from webmotor_drake.nodes.contact import Damping
from webmotor_drake.nodes.field import amount, field, node
from webmotor_drake.nodes.rules import AT_LEAST_0, COLOR, POSITIVE, each
from webmotor_drake.scenario.copies import copies_of
from webmotor_drake.scenario.model_file import Element, ModelFile

_INERTIA = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"}


@node
class BodyParameters:
    """The values of one body that differ from the model's file."""

    mass: float | None = field(
        None,
        "unset: the file's; the inertia grows with it, the centre of mass stays",
        "kg",
        POSITIVE,
    )
    friction: float | None = field(
        None,
        "static and dynamic coefficient of all its collision shapes; unset: the"
        " file's",
        rule=AT_LEAST_0,
    )
    contact_material: str | None = field(
        None,
        "material of its collision shapes, as `contact_properties` name it"
        ' (Solid.contactMaterial); unset: "default"',
    )
    shape_materials: dict[str, str] = field(
        dict[str, str](),
        "material of single collision shapes, by the shape's name",
    )
    damping: Damping | None = field(
        None, "unset: the scenario's `default_damping` (Physics.damping)"
    )
    model: str = field(
        "",
        "text by which cameras and supervisors know it (Solid.model); empty: cameras"
        " give the name of the model, or of a further body",
    )
    recognition_colors: list[list[float]] = field(
        list[list[float]](),
        "each colour by which cameras with `recognition` know it, with what hangs on"
        " it (Solid.recognitionColors)",
        rule=each(COLOR),
    )
    radar_cross_section: float = amount(
        "size to Radars (Solid.radarCrossSection)", "m^2"
    )

    def check(self) -> None:
        """Refuses friction of its own beside that of a material."""
        if self.friction is not None and self.contact_material:
            raise InputError(
                "friction and contact_material cannot both be given",
                path=("contact_material",),
            )


Bodies = Mapping[str, Mapping[str, BodyParameters]]


def with_bodies(
    directives: list[ModelDirective], bodies: Bodies, packages: PackageMap
) -> list[ModelDirective]:
    """Returns the directives, with models that have the masses of `bodies`.

    Args:
        directives: directives whose files are URIs.
        bodies: values by model name and body name.
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
    return copies_of(file, {file: text})


def _changes(
    link: Element, mass: float, *, in_text: bool
) -> dict[int, dict[str, str]]:
    """Returns the changes that give a link another mass, for `ModelFile.renamed`.

    Numbers are texts of elements in SDF (`in_text`), attributes in URDF.
    """
    inertial = _only(link, "inertial")
    weight = _only(inertial, "mass")
    name = "" if in_text else "value"
    if in_text:
        inner = [p for i in inertial.all("inertia") for p in i.children]
        parts = [(part, "") for part in inner if part.tag in _INERTIA]
    else:
        inertia = _only(inertial, "inertia")
        parts = [(inertia, part) for part in _INERTIA & inertia.given.keys()]
    before = _number(weight, name)
    if not before:
        raise InputError(
            "its mass in the model's file is 0, and its inertia unknown"
        )
    changes = {weight.start: {name: repr(mass)}}
    for element, part in parts:
        grown = repr(mass / before * _number(element, part))
        changes.setdefault(element.start, {})[part] = grown
    return changes


def _only(parent: Element, tag: str) -> Element:
    """Returns the child with a tag; refuses a link without, such as a massless one."""
    child = parent.first(tag)
    if child is None:
        raise InputError(f"the model's file gives it no {tag}")
    return child


def _number(element: Element, name: str) -> float:
    """Returns a mass or inertia from the attribute `name`, or from the text for ""."""
    text = element.given.get(name, "") if name else element.text
    try:
        return float(text)
    except ValueError:
        raise InputError(
            f"{text.strip()!r} in the model's file is not a number"
        ) from None
