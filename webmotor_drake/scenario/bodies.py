"""Masses and friction that differ from a model's file, and values that it lacks.

Drake has no way to change a mass before motors and controllers look at it, so it
gets a copy of the model's file in which the numbers are others.
"""

import contextlib
import dataclasses as dc
import math
import tempfile
from collections.abc import Iterator, Mapping
from copy import deepcopy
from pathlib import Path
from xml.etree import ElementTree as ET
from xml.parsers import expat

from pydrake.multibody.parsing import ModelDirective, PackageMap

from webmotor_drake.errors import InputError, below, unknown_name
from webmotor_drake.nodes.check import check_node
from webmotor_drake.nodes.contact import Damping
from webmotor_drake.nodes.rules import COLOR, each
from webmotor_drake.scenario.copies import note_copy
from webmotor_drake.scenario.model_file import ModelFile

_INERTIA = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"}
_COLORS = each(COLOR)
_FRICTION = ("drake:mu_static", "drake:mu_dynamic")


@dc.dataclass
class BodyParameters:
    """The values of one body that differ from the model's file.

    Attributes:
        mass: kg; None: the file's. The inertia grows with it, the centre of mass
            stays.
        friction: coefficient of friction, static and dynamic, of all its collision
            shapes; None: the file's.
        contact_material: of its collision shapes, as `contact_properties` name it
            (Solid.contactMaterial); None: "default".
        shape_materials: the material of single collision shapes, by the shape's name.
        damping: None: the scenario's `default_damping` (Physics.damping).
        model: the text by which cameras and supervisors know it (Solid.model); "":
            cameras give the name of the model, or of a further body.
        recognition_colors: red, green and blue of each colour by which cameras with
            `recognition` know it, with what hangs on it (Solid.recognitionColors).
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

    @property
    def changes_file(self) -> bool:
        """True if a value differs from the model's file."""
        return self.mass is not None or self.friction is not None


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
            for name in ("mass", "friction"):
                value = getattr(change, name)
                least = 0 if name == "friction" else math.ulp(0)
                if value is not None and not least <= value < math.inf:
                    raise InputError(
                        f"{value} is not allowed; must be"
                        f" {'at least' if least == 0 else 'above'} 0",
                        path=(model, body, name),
                    )


@contextlib.contextmanager
def with_bodies(
    directives: list[ModelDirective], bodies: Bodies, packages: PackageMap
) -> Iterator[list[ModelDirective]]:
    """Gives the directives, their models with the masses and friction of `bodies`.

    The copies of the files are there in the block.

    Args:
        directives: the files in them are URIs.
        bodies: by model name and body name.
        packages: folders of `package://`.

    Raises:
        InputError: an unknown model or body, or a file that cannot be changed; its
            path starts in `bodies`.
    """
    added = {
        directive.add_model.name: i
        for i, directive in enumerate(directives)
        if directive.add_model is not None
    }
    directives = list(directives)
    with contextlib.ExitStack() as copies:
        for model, changes in bodies.items():
            changes = {b: p for b, p in changes.items() if p.changes_file}
            if not changes:
                continue
            if model not in added:
                problem = unknown_name("model", model, added)
                raise InputError(problem, path=(model,))
            directive = deepcopy(directives[added[model]])
            with below(model):
                copy = copies.enter_context(
                    _changed_copy(directive.add_model.file, changes, packages)
                )
            directive.add_model.file = copy.as_uri()
            directives[added[model]] = directive
        yield directives


@contextlib.contextmanager
def _changed_copy(
    uri: str, changes: Mapping[str, BodyParameters], packages: PackageMap
) -> Iterator[Path]:
    """Yields a copy of a model with other bodies, for the duration of the block."""
    try:
        file = Path(packages.ResolveUrl(uri))
        text = ModelFile(file).renamed(
            lambda name: (
                name if "://" in name else str(file.parent.absolute() / name)
            )
        )
        root = _read(text)
    except (RuntimeError, OSError, expat.ExpatError, ValueError) as error:
        raise InputError(f"its model cannot be read: {error}") from None
    suffix = file.suffix.lower()
    if suffix not in (".urdf", ".sdf"):
        raise InputError(f"{file.name} is not a URDF or SDF")
    links = {link.get("name", ""): link for link in root.iter("link")}
    change = _change_urdf if suffix == ".urdf" else _change_sdf
    for body, parameters in changes.items():
        if body not in links:
            raise InputError(unknown_name("body", body, links), path=(body,))
        with below(body):
            change(links[body], parameters)
    with tempfile.TemporaryDirectory(prefix="webmotor_") as folder:
        copy = Path(folder, file.name)
        copy.write_bytes(ET.tostring(root, encoding="utf-8"))
        with note_copy(copy, file):
            yield copy


def _read(text: bytes) -> ET.Element:
    """Returns the root; prefixes such as "drake:" stay, declared or not."""
    builder = ET.TreeBuilder(insert_comments=True)
    parser = expat.ParserCreate()
    parser.StartElementHandler = builder.start
    parser.EndElementHandler = builder.end
    parser.CharacterDataHandler = builder.data
    parser.CommentHandler = builder.comment
    parser.Parse(text, True)
    return builder.close()


def _change_urdf(link: ET.Element, body: BodyParameters) -> None:
    """Changes a link of a URDF, where numbers are attributes."""
    if body.mass is not None:
        mass = _only(link, "inertial", "mass")
        factor = _factor(body.mass, mass.get("value", ""))
        mass.set("value", repr(body.mass))
        inertia = _only(link, "inertial", "inertia")
        for name in _INERTIA & inertia.attrib.keys():
            inertia.set(name, repr(factor * _number(inertia.get(name, ""))))
    if body.friction is not None:
        for element in _friction(link):
            element.set("value", repr(body.friction))


def _change_sdf(link: ET.Element, body: BodyParameters) -> None:
    """Changes a link of an SDF, where numbers are texts."""
    if body.mass is not None:
        mass = _only(link, "inertial", "mass")
        factor = _factor(body.mass, _text(mass))
        _set_text(mass, repr(body.mass))
        for inertia in _children(_only(link, "inertial"), "inertia"):
            for item in inertia:
                if item.tag in _INERTIA:
                    _set_text(item, repr(factor * _number(_text(item))))
    if body.friction is not None:
        for element in _friction(link):
            _set_text(element, repr(body.friction))


def _friction(link: ET.Element) -> list[ET.Element]:
    """Returns the elements with the friction of a link's shapes, made if needed."""
    collisions = _children(link, "collision")
    if not collisions:
        raise InputError("it has no collision shapes", path=("friction",))
    found = []
    for collision in collisions:
        properties = _child(collision, "drake:proximity_properties")
        found += [_child(properties, name) for name in _FRICTION]
    return found


def _only(parent: ET.Element, *names: str) -> ET.Element:
    """Returns the only such child of `parent`; a link without mass has none."""
    for name in names:
        children = _children(parent, name)
        if not children:
            raise InputError(
                f"the model's file gives it no {name}", path=("mass",)
            )
        parent = children[0]
    return parent


def _child(parent: ET.Element, name: str) -> ET.Element:
    """Returns the first child of that name, made if missing."""
    children = _children(parent, name)
    return children[0] if children else ET.SubElement(parent, name)


def _children(parent: ET.Element, name: str) -> list[ET.Element]:
    return [child for child in parent if child.tag == name]


def _text(element: ET.Element) -> str:
    return "".join(element.itertext())


def _set_text(element: ET.Element, text: str) -> None:
    element[:] = []
    element.text = text


def _factor(mass: float, text: str) -> float:
    """Returns the ratio of a body's mass to that in its model's file."""
    before = _number(text)
    if not before:
        problem = "its mass in the model's file is 0, and its inertia unknown"
        raise InputError(problem, path=("mass",))
    return mass / before


def _number(text: str) -> float:
    """Returns the number of a mass or inertia."""
    try:
        return float(text)
    except ValueError:
        problem = f"{text.strip()!r} in the model's file is not a number"
        raise InputError(problem, path=("mass",)) from None
