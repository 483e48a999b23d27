"""Parses a text in Webots' format into nodes (WbTokenizer.cpp, WbParser.cpp).

The format is VRML97's with rules of its own: a comma is a blank, a bare value is a
list of one, and `USE x` means the nearest `DEF x` before it.
"""

import dataclasses as dc
import math
import re
import typing

from webmotor_drake.errors import InputError
from webmotor_drake.limits import too_many
from webmotor_drake.worlds.nodes import Field, Interface, Item, Node
from webmotor_drake.worlds.source import Place, Source

# Limits against input that would exhaust memory or the stack.
MAX_NODES = 500_000
MAX_DEPTH = 150

_TOKEN = re.compile(
    r"(?:[\s,\ufeff]++|#[^\n]*+)*+"  # blanks and comments
    r"(?:(?P<mark>[{}\[\]])"
    r'|(?P<text>"(?:[^"\\\n]++|\\.)*+")'
    r"|(?P<number>[-+.0-9][^\s,{}\[\]\"#]*)"
    r"|(?P<word>[^\s,{}\[\]\"#]+)"
    r"|(?P<end>\Z))"
)
_NAME = re.compile(
    r"""[^-+.0-9\x00-\x20"#',.\[\\\]{}][^\x00-\x20"#',.\[\\\]{}]*"""
)
# Matches many numbers at once: a mesh has a hundred thousand.
_NUMBERS = re.compile(r"(?:[-+.0-9][-+.0-9eE]*+[\s,]++)++")
_ESCAPE = re.compile(r'\\([\\"])')
# The types of parameters.
TYPE = re.compile(
    r"[SM]F(Bool|Int32|Float|String|Vec2f|Vec3f|Rotation|Color|Node)"
)
# The keywords before a parameter of a PROTO.
_KEYWORDS = (
    "field vrmlField w3dField hiddenField deprecatedField unconnectedField"
).split()


@dc.dataclass
class Texts:
    """The content of a file.

    Attributes:
        source: its text.
        nodes: nodes of a world, or the one of a PROTO's body.
        proto: the PROTO's name; "" for a world.
        parameters: parameters of the PROTO, with their defaults.
        template: start and end of the PROTO's body, if that is a template: it is not
            read into `nodes`.
    """

    source: Source
    nodes: list[Node] = dc.field(default_factory=list[Node])
    proto: str = ""
    parameters: Interface = dc.field(default_factory=Interface)
    template: tuple[int, int] | None = None


def read_nodes(text: str, name: str = "text") -> list[Node]:
    """Reads nodes, as importMFNodeFromString takes them.

    Args:
        text: `Solid { ... }` or `DEF BALL Ball { ... }`, one or several.
        name: name of the text in messages.

    Raises:
        InputError: the text is not a node; says where and what was expected.
    """
    return read_texts(Source(name, text)).nodes


def read_texts(source: Source) -> Texts:
    """Reads a world or a PROTO; gives the source its `urls`.

    Raises:
        InputError: with file, line and column.
    """
    return _Reader(source).read()


class _Token(typing.NamedTuple):
    """A token: its kind ("mark", "text", "number", "word", "end") and place."""

    kind: str
    text: str
    offset: int


class _Reader:
    """Reads a text from left to right."""

    def __init__(self, source: Source):
        self.source, self.text, self.position = source, source.text, 0
        self.ahead: _Token | None = None
        self.texts = Texts(source)
        self.definitions: dict[str, Node] = {}
        self.open: list[Node] = []
        self.number_of_nodes = 0

    def read(self) -> Texts:
        """Returns the content of the text."""
        while (token := self.peek()).kind != "end":
            if token.text in ("EXTERNPROTO", "IMPORTABLE"):
                self.read_url()
            elif token.text == "PROTO" and not self.texts.proto:
                self.read_proto()
            else:
                node = self.read_node_item()
                if isinstance(node, Node):
                    self.texts.nodes.append(node)
        return self.texts

    # Tokens

    def peek(self) -> _Token:
        """Returns the next token without taking it."""
        if self.ahead is None:
            match = _TOKEN.match(self.text, self.position)
            if match is None:
                quote = self.text.index('"', self.position)
                raise self.place(quote).error(
                    "a text without its closing quote"
                )
            kind = match.lastgroup or ""
            self.ahead = _Token(kind, match[kind], match.start(kind))
        return self.ahead

    def take(self) -> _Token:
        """Takes the next token."""
        token = self.peek()
        self.move(token.offset + len(token.text))
        return token

    def move(self, position: int) -> None:
        """Goes on from a character."""
        self.position, self.ahead = position, None

    def expect(self, mark: str, what: str) -> _Token:
        """Takes a mark."""
        token = self.take()
        if token.text != mark or token.kind != "mark":
            raise self.unexpected(token, what)
        return token

    def take_name(self, what: str) -> _Token:
        """Takes a name, as of a field or a type."""
        token = self.take()
        if token.kind != "word" or not _NAME.fullmatch(token.text):
            raise self.unexpected(token, what)
        return token

    def place(self, offset: int) -> Place:
        """Returns the place of a character."""
        return Place(self.source, offset)

    def unexpected(self, token: _Token, wanted: str) -> InputError:
        """Returns the error for a token that stands where it cannot."""
        shown = token.text[:40] + "..." * (len(token.text) > 40)
        there = repr(shown) if token.kind != "end" else "the end of the file"
        return self.place(token.offset).error(f"expected {wanted}, not {there}")

    def report(self, token: _Token, problem: str) -> None:
        # Webots reports it and ignores it, too.
        self.place(token.offset).add("note", token.text, problem)

    # Nodes and fields

    def read_node_item(self) -> Node | None:
        """Reads a node, a USE or NULL."""
        token = self.take_name("a node")
        if token.text == "NULL":
            return None
        if token.text == "USE":
            return self.used(self.take_name("a name after USE"))
        definition = ""
        if token.text == "DEF":
            definition = self.take_name("a name after DEF").text
            token = self.take_name(f"a node after DEF {definition}")
        return self.read_node(token, definition)

    def used(self, name: _Token) -> Node | None:
        """Returns the node of the nearest DEF before a USE."""
        node = self.definitions.get(name.text)
        if node is None:
            self.report(name, "USE of it: no such DEF before it")
        elif any(node is outer for outer in self.open):
            self.report(name, "USE of it inside of itself")
            return None
        return node

    def read_node(self, type_: _Token, definition: str) -> Node:
        """Reads a node from the brace after its type on."""
        self.expect("{", f"'{{' after {type_.text}")
        node = Node(type_.text, {}, self.place(type_.offset), definition)
        self.number_of_nodes += 1
        if problem := too_many(self.number_of_nodes, MAX_NODES, "nodes"):
            raise node.place.error(problem)
        if len(self.open) >= MAX_DEPTH:
            raise node.place.error(f"nested deeper than {MAX_DEPTH} levels")
        if definition:
            self.definitions[definition] = node
        self.open.append(node)
        while self.peek().text != "}":
            wanted = f"a field of {type_.text} or '}}'"
            name, fields = self.take_name(wanted), node.fields
            if name.text == "hidden":
                name = self.take_name("a field after hidden")
                fields = node.hidden
            fields[name.text] = self.read_value(name)
        self.take()
        self.open.pop()
        return node

    def read_value(self, name: _Token) -> Field:
        """Reads the value of a field."""
        field = Field(name.text, [], self.place(name.offset))
        token = self.peek()
        if token.text == "[" and token.kind == "mark":
            self.take()
            field.bracketed = True
            while self.peek().text != "]":
                self.read_items(field)
            self.take()
        else:
            self.read_items(field)
        return field

    def read_items(self, field: Field) -> None:
        """Reads numbers, or one item that is not a number."""
        token = self.peek()
        if token.kind == "number":
            self.read_numbers(field.items)
        elif token.kind == "text":
            self.take()
            field.items.append(_ESCAPE.sub(r"\1", token.text[1:-1]))
        elif token.text in ("TRUE", "FALSE"):
            self.take()
            field.items.append(token.text == "TRUE")
        elif token.text == "IS":
            self.take()
            field.alias = self.take_name("a parameter after IS").text
        elif token.kind == "word" and _NAME.fullmatch(token.text):
            field.items.append(self.read_node_item())
        else:
            raise self.unexpected(token, f"a value of {field.name}")

    def read_numbers(self, items: list[Item]) -> None:
        """Reads as many numbers as follow one another."""
        many = _NUMBERS.match(self.text, self.peek().offset)
        if many is not None:
            try:
                numbers = [*map(float, many[0].replace(",", " ").split())]
            except ValueError:
                numbers = [math.nan]  # One by one, for the place.
            if all(map(math.isfinite, numbers)):
                items += numbers
                self.move(many.end())
        while (token := self.peek()).kind == "number":
            self.take()
            try:
                number = float(token.text)
            except ValueError:
                number = math.nan
            if not math.isfinite(number) or "_" in token.text:
                raise self.unexpected(token, "a number")
            items.append(number)

    # PROTOs

    def read_url(self) -> None:
        """Reads an EXTERNPROTO line."""
        token = self.take()
        if token.text == "IMPORTABLE":
            token = self.take()
            if token.text != "EXTERNPROTO":
                raise self.unexpected(token, "EXTERNPROTO after IMPORTABLE")
        url = self.take()
        if url.kind != "text":
            raise self.unexpected(url, "a url in quotes after EXTERNPROTO")
        path = _ESCAPE.sub(r"\1", url.text[1:-1])
        name = re.split(r"[/\\]", path)[-1].removesuffix(".proto")
        self.source.urls.setdefault(name, path)

    def read_proto(self) -> None:
        """Reads a PROTO: its interface, and its body unless it is a template."""
        token = self.take()
        if self.texts.nodes:
            raise self.place(token.offset).error("nodes stand before PROTO")
        self.texts.proto = self.take_name("a name after PROTO").text
        self.expect("[", "'[' before the parameters")
        while self.peek().text != "]":
            self.read_parameter()
        self.take()
        start = self.expect("{", "'{' before the body").offset
        end = self.text.rfind("}")
        if "%<" in self.text[start:] or "%{" in self.text[start:]:
            self.texts.template = start + 1, end
            self.move(len(self.text))
            return
        node = self.read_node_item()
        if node is None:
            raise self.place(start).error("the body of a PROTO is one node")
        self.texts.nodes.append(node)
        self.expect("}", "'}' after the body's node")
        self.move(len(self.text))

    def read_parameter(self) -> None:
        """Reads a line of a PROTO's interface."""
        keyword = self.take()
        if keyword.text not in _KEYWORDS:
            raise self.unexpected(keyword, "field, or ']' after the last one")
        kind = self.take_name("a type such as SFFloat")
        if not TYPE.fullmatch(kind.text):
            raise self.unexpected(kind, "a type such as SFFloat")
        if self.peek().text == "{":
            self.skip_braces()
        name = self.take_name("a parameter's name")
        parameter = kind.text, self.read_value(name)
        if name.text in self.texts.parameters:
            self.report(name, "a parameter that is there twice")
        self.texts.parameters.setdefault(name.text, parameter)

    def skip_braces(self) -> None:
        """Skips the values that a parameter is restricted to."""
        depth = 0
        while True:
            token = self.take()
            if token.kind == "end":
                raise self.unexpected(token, "'}'")
            depth += (token.text == "{") - (token.text == "}")
            if depth == 0:
                return
