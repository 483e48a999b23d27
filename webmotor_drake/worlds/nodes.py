"""Nodes of Webots' files as they are written: fields with values and places."""

import dataclasses as dc
import typing
from collections.abc import Callable, Iterator, Sequence

from webmotor_drake.worlds.source import Place

# The count of numbers in a value.
_WIDTHS = {"Vec2f": 2, "Vec3f": 3, "Color": 3, "Rotation": 4}
_BY_WIDTH = {1: "Float", 2: "Vec2f", 3: "Vec3f", 4: "Rotation"}


@dc.dataclass(frozen=True, eq=False)
class Instance:
    """A PROTO that a node is an instance of.

    Attributes:
        name: name of the PROTO.
        parameters: parameters of the PROTO with their values; for a PROTO that is left
            out, only those that the instance gives.
        place: place of the instance.
    """

    name: str
    parameters: "Interface"
    place: Place


# A parameter of an instance, or a DEF name of its body.
Named = tuple[Instance, str]

# The value of a field; None is NULL.
Item = typing.Union[float, str, bool, None, "Node"]


@dc.dataclass(eq=False)
class Field:
    """A field of a node, or a parameter of a PROTO's instance.

    Attributes:
        name: name in the file.
        items: its value, one item per number, text or node. A vector in a field of
            one and a list of numbers look alike: the node's type tells them apart.
        place: place of its name.
        bracketed: True if the value stands in brackets.
        alias: the parameter of the PROTO whose value it has (IS); "": its own value.
        parameters: the parameters of PROTOs that it takes its value from.
    """

    name: str
    items: list[Item]
    place: Place
    bracketed: bool = False
    alias: str = ""
    parameters: tuple[Named, ...] = ()

    @property
    def nodes(self) -> list["Node"]:
        """The nodes in it, without those that are left out."""
        return [node for node in self.all_nodes if not node.left_out]

    @property
    def all_nodes(self) -> list["Node"]:
        """The nodes in it."""
        return [item for item in self.items if isinstance(item, Node)]

    def mapped(self, function: Callable[["Node"], "Node"]) -> "Field":
        """Returns a copy, its nodes replaced by a function."""
        items: list[Item] = [
            function(item) if isinstance(item, Node) else item
            for item in self.items
        ]
        return dc.replace(self, items=items)

    def numbers(self, count: int | None = None) -> list[float]:
        """Returns its numbers.

        Args:
            count: required count of numbers; None: any.

        Raises:
            InputError: with the field's place.
        """
        for item in self.items:
            if isinstance(item, bool) or not isinstance(item, float):
                raise self.error(f"expected numbers, not {describe(item)}")
        if count is not None and len(self.items) != count:
            raise self.error(f"{len(self.items)} numbers; {count} are needed")
        return self.items  # type: ignore[return-value]

    def rows(self, width: int) -> list[list[float]]:
        """Returns its numbers in rows of `width`, such as a list of vectors.

        Raises:
            InputError: with the field's place.
        """
        numbers = self.numbers()
        if len(numbers) % width:
            raise self.error(
                f"{len(numbers)} numbers; a multiple of {width} is needed"
            )
        return [numbers[i : i + width] for i in range(0, len(numbers), width)]

    def texts(self) -> list[str]:
        """Returns its texts; raises InputError for anything else."""
        for item in self.items:
            if not isinstance(item, str):
                raise self.error(f"expected texts, not {describe(item)}")
        return self.items  # type: ignore[return-value]

    def text(self) -> str:
        """Returns its one text; raises InputError for anything else."""
        if len(self.texts()) != 1:
            raise self.error(f"{len(self.items)} texts; one is needed")
        return self.texts()[0]

    def truth(self) -> bool:
        """Returns TRUE or FALSE; raises InputError for anything else."""
        if len(self.items) != 1 or not isinstance(self.items[0], bool):
            raise self.error("expected TRUE or FALSE")
        return self.items[0]

    def error(self, problem: str) -> Exception:
        """Returns the InputError for a problem with this field."""
        return self.place.error(f"{self.name}: {problem}")


# The parameters of a PROTO by name: types, such as "SFFloat", and values.
Interface = dict[str, tuple[str, Field]]


@dc.dataclass(eq=False)
class Node:
    """A node, or an instance of a PROTO. A node that is used twice is one Node.

    Attributes:
        type: its type or PROTO.
        fields: fields by name; of a field that is given twice, the last.
        place: place of its type.
        definition: its DEF name; "": none.
        hidden: fields that Webots saved with `hidden`, by name.
        protos: PROTOs of an expanded instance: several, the outermost first, if the
            body of a PROTO is itself an instance.
        body_definitions: its DEF names in the bodies of PROTOs.
        left_out: True if its PROTO is missing, so that nothing in the scenario comes
            from the node.
        stands_for: its names in the scenario, such as "arm::elbow", in the order of
            the places where it stands.
    """

    type: str
    fields: dict[str, Field]
    place: Place
    definition: str = ""
    hidden: dict[str, Field] = dc.field(default_factory=dict[str, Field])
    protos: tuple[Instance, ...] = ()
    body_definitions: tuple[Named, ...] = ()
    left_out: bool = False
    stands_for: list[str] = dc.field(default_factory=list[str])

    def nodes(self, name: str) -> list["Node"]:
        """Returns the nodes in a field; none if it is not given."""
        field = self.fields.get(name)
        return field.nodes if field is not None else []

    def node(self, name: str) -> "Node | None":
        """Returns the node in a field, if there is one."""
        return next(iter(self.nodes(name)), None)

    def numbers(self, name: str, default: Sequence[float]) -> list[float]:
        """Returns the numbers of a field, as many as its default has.

        Raises:
            InputError: it holds something else; with its place.
        """
        field = self.fields.get(name)
        return list(field.numbers(len(default)) if field else default)

    def number(self, name: str, default: float) -> float:
        """Returns a field of one number; see `numbers`."""
        return self.numbers(name, [default])[0]

    def text(self, name: str, default: str = "") -> str:
        """Returns a field of one text; see `numbers`."""
        field = self.fields.get(name)
        return field.text() if field is not None else default

    def truth(self, name: str, default: bool) -> bool:
        """Returns a field of TRUE or FALSE; see `numbers`."""
        field = self.fields.get(name)
        return field.truth() if field is not None else default

    def error(self, problem: str) -> Exception:
        """Returns the InputError for a problem with this node."""
        return self.place.error(f"{self.type}: {problem}")

    def subtree(self) -> Iterator["Node"]:
        """Gives the node and all nodes in its fields, each once."""
        seen: set[int] = set()
        waiting = [self]
        while waiting:
            node = waiting.pop()
            if id(node) in seen:
                continue
            seen.add(id(node))
            yield node
            for field in reversed(node.fields.values()):
                waiting += reversed(field.nodes)


def describe(item: Item) -> str:
    """Returns a description of an item for messages."""
    if item is None:
        return "NULL"
    if isinstance(item, bool):
        return "TRUE" if item else "FALSE"
    if isinstance(item, float):
        return f"the number {item:g}"
    if isinstance(item, str):
        shown = item[:40] + "..." * (len(item) > 40)
        return f"the text {shown!r}"
    return f"a {item.type}"


def typed_value(field: Field, kind: str) -> typing.Any:
    """Returns the value of a field.

    Args:
        field: the field.
        kind: its type, such as "MFVec3f".

    Returns:
        A bool, int, float, str or Node, a vector as a list of numbers, or a list of
        these.

    Raises:
        InputError: the field is not of that type; with its place.
    """
    single, many = kind[2:], kind.startswith("M")
    width = _WIDTHS.get(single)
    if width is not None:
        values: list[typing.Any] = field.rows(width)
    elif single == "String":
        values = [*field.texts()]
    elif single == "Bool":
        values = [*field.items]
        if not all(isinstance(value, bool) for value in values):
            raise field.error("expected TRUE or FALSE")
    elif single == "Int32":
        values = [_whole(number, field) for number in field.numbers()]
    elif single == "Node":
        values = [*field.items]
        for item in values:
            if item is not None and not isinstance(item, Node):
                raise field.error(f"a node is needed, not {describe(item)}")
    else:
        values = [*field.numbers()]
    if not many and len(values) != 1:
        raise field.error(f"{len(values)} values; one {kind} is needed")
    return values if many else values[0]


def _whole(number: float, field: Field) -> int:
    if number != int(number):
        raise field.error(f"{number:g} is not a whole number")
    return int(number)


def guessed_type(field: Field) -> str:
    """Returns the type that the value of an undeclared field looks like."""
    many, first = field.bracketed, next(iter(field.items), 0.0)
    if first is None or isinstance(first, Node):
        single = "Node"
    elif isinstance(first, bool):
        single = "Bool"
    elif isinstance(first, str):
        single = "String"
    elif not many and len(field.items) in _BY_WIDTH:
        single = _BY_WIDTH[len(field.items)]
        if single == "Vec3f" and field.name.lower().endswith("color"):
            single = "Color"
    else:
        many, single = True, "Float"
    return f"{'M' if many else 'S'}F{single}"
