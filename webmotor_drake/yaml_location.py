"""Any YAML loading failure -> file:line:column and path.

Structure is checked here, on the nodes that PyYAML composes. Values are left
to Drake, whose loader names no place: a document that it refuses is loaded
again, cut down to one branch at a time, to find the smallest failing node.
"""

import collections.abc
import dataclasses
import difflib
import types
import typing
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np
import yaml
from pydrake.common import pretty_class_name
from pydrake.common.yaml import yaml_load_typed

from webmotor_drake.errors import InputError, unknown_name

MAX_BYTES = 2_000_000
MAX_NODES = 200_000
MAX_DEPTH = 100

T = typing.TypeVar("T")
Keys = tuple[str | int, ...]
Entries = dict[str | int, tuple[yaml.Node, yaml.Node]]


class _Number(float):
    """The schema of an array's items."""


_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_CORE = "tag:yaml.org,2002:"
_LIST, _MERGE, _NULL, _TEXT = (
    _CORE + kind for kind in ("seq", "merge", "null", "str")
)
_KINDS = {_CORE + kind.__name__: kind for kind in (bool, float, int, str)}
_PLAIN = {
    yaml.MappingNode: "!!map",
    yaml.ScalarNode: "!!str",
    yaml.SequenceNode: "!!seq",
}
_WANTED = {
    bool: "true or false",
    bytes: "binary data",
    float: "a number",
    int: "a whole number",
    _Number: "a number",
    Path: "text in quotes",
    str: "text in quotes",
}


@dataclasses.dataclass(frozen=True)
class Document:
    """A YAML file, read and composed.

    Attributes:
        text: the YAML text, for Drake to load.
        file: the file as the user knows it.
        root: the top-level mapping.
    """

    text: str
    file: str
    root: yaml.MappingNode

    @property
    def names(self) -> list[str]:
        """Top-level names in order, without the private ones (``_name``)."""
        return [name for name in _entries(self.root) if name[:1] != "_"]

    def locate(self, path: Sequence[str | int]) -> str:
        """Returns ``file:line:column`` of the key or list item at `path`.

        Aliases and ``<<`` merges lead to where the text was written; where
        `path` ends in nothing, its nearest parent counts.
        """
        key = node = self.root
        for step in path:
            if step not in _entries(node):
                break
            key, node = _entries(node)[step]
        return _place(self.file, key.start_mark)

    def error(self, problem: str, path: Sequence[str | int] = ()) -> InputError:
        """Returns the error for a `problem` at `path`."""
        return InputError(problem, path=path, where=self.locate(path))


def read_document(file: str | Path) -> Document:
    """Reads a YAML file; whatever is wrong with it is an InputError."""
    name, data = str(file), b""
    try:
        if Path(file).is_dir():
            raise InputError("a directory, not a file", where=name)
        size = Path(file).stat().st_size
        if size <= MAX_BYTES:
            with open(file, "rb") as stream:
                data = stream.read(MAX_BYTES + 1)
        _check_size(name, max(size, len(data)))
        return parse_document(data.decode(), name)
    except FileNotFoundError as error:
        raise InputError("no such file", where=name) from error
    except UnicodeDecodeError as error:
        problem = f"not UTF-8 text: byte 0x{data[error.start]:02x}"
        where = _end(name, data[: error.start].decode())
        raise InputError(problem, where=where) from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"cannot be read: {reason}", where=name) from error


def parse_document(text: str, file: str) -> Document:
    """Returns a YAML `text`, shown to the user as `file`, as a document.

    Refused are: what is not YAML; what loses data silently (duplicate keys,
    further documents); what exhausts the machine (size, depth, aliases).
    """
    text = text.removeprefix("\ufeff")
    if found := yaml.reader.Reader.NON_PRINTABLE.search(text):
        problem = f"not a YAML text: control character U+{ord(found[0]):04X}"
        raise InputError(problem, where=_end(file, text[: found.start()]))
    _check_size(file, len(text.encode()))
    return Document(text, file, _Composer(file).compose(text))


class _Composer:
    """Composes a YAML text, and refuses what no scenario can mean."""

    def __init__(self, file: str):
        self.file = file
        self._sizes: dict[int, tuple[int, int] | None] = {}

    def compose(self, text: str) -> yaml.MappingNode:
        """Returns the root of `text`, once events show that this is safe."""
        depth = nodes = 0
        try:
            for event in yaml.parse(text, Loader=_LOADER):
                depth += isinstance(event, yaml.CollectionStartEvent)
                depth -= isinstance(event, yaml.CollectionEndEvent)
                nodes += isinstance(event, yaml.NodeEvent)
                self.check_extent(event, (), nodes, depth)
            root = yaml.compose(text, Loader=_LOADER)
        except yaml.YAMLError as error:
            raise _syntax_error(self.file, error) from error
        if root is None:
            raise InputError("empty; expected a mapping", where=self.file)
        if not isinstance(root, yaml.MappingNode):
            problem = f"expected a mapping at the top level, not {_what(root)}"
            raise self.error(problem, root, ())
        self.measure(root, ())
        return root

    def measure(self, node: yaml.Node, path: Keys) -> tuple[int, int]:
        """Checks `node`; returns its size and depth with aliases expanded."""
        if id(node) not in self._sizes:
            self._sizes[id(node)] = None
            self.check_names(node, path)
            self.check_value(node, path)
            nodes, depth = 1, int(isinstance(node, yaml.CollectionNode))
            for key, _, value in _pairs(node):
                inner = self.measure(value, (*path, key))
                nodes, depth = nodes + inner[0], max(depth, inner[1] + 1)
            self.check_extent(node, path, nodes, depth)
            self._sizes[id(node)] = nodes, depth
        size = self._sizes[id(node)]
        if size is None:
            raise self.error("an anchor that contains itself", node, path)
        return size

    def check_names(self, node: yaml.Node, path: Keys) -> None:
        """Refuses names that are no text, or twice in a mapping."""
        lines = {}
        for name, key, value in _pairs(node):
            if key is value:
                return
            if key.tag == _MERGE:
                for source in _sources(value):
                    if not isinstance(source, yaml.MappingNode):
                        problem = f"expected a mapping, not {_what(source)}"
                        raise self.error(problem, key, (*path, name))
            elif key.tag not in (_TEXT, _CORE + "value"):
                problem = f"expected a name in quotes, not {_what(key)}"
                raise self.error(problem, key, path)
            elif name in lines:
                problem = f"given twice; first on line {lines[name]}"
                raise self.error(problem, key, (*path, name))
            else:
                lines[name] = key.start_mark.line + 1

    def check_value(self, node: yaml.Node, path: Keys) -> None:
        """Refuses a value that is none of its tag."""
        tag = node.tag.replace(_CORE, "!!")
        if tag == _PLAIN[type(node)]:
            return
        if not tag.startswith("!!"):
            if isinstance(node, yaml.MappingNode):
                return
            problem = f"{tag} takes a mapping, such as {tag} {{}}"
        elif _is_valid(node):
            return
        else:
            problem = f"{_what(node)} is not a valid {tag}; put text in quotes"
        raise self.error(problem, node, path)

    def check_extent(
        self, node: yaml.Node | yaml.Event, path: Keys, nodes: int, depth: int
    ) -> None:
        """Refuses what could exhaust memory or the stack."""
        if nodes > MAX_NODES:
            problem = f"more than {MAX_NODES:,} values, aliases expanded"
            raise self.error(problem, node, path)
        if depth > MAX_DEPTH:
            problem = f"nested deeper than {MAX_DEPTH} levels"
            raise self.error(problem, node, path)

    def error(
        self, problem: str, node: yaml.Node | yaml.Event, path: Keys
    ) -> InputError:
        """Returns the error for a `problem` with `node`."""
        where = _place(self.file, node.start_mark)
        return InputError(problem, path=path, where=where)


def _check_size(file: str, size: int) -> None:
    if size > MAX_BYTES:
        problem = f"{size:,} bytes; at most {MAX_BYTES:,} are read"
        raise InputError(problem, where=file)


def _syntax_error(file: str, error: yaml.YAMLError) -> InputError:
    problem = getattr(error, "problem", None) or str(error)
    context = getattr(error, "context_mark", None)
    mark = getattr(error, "problem_mark", None) or context
    if context:
        problem = f"{error.context} (line {context.line + 1}), {problem}"
    where = _place(file, mark) if mark else file
    return InputError(f"not valid YAML: {problem}", where=where)


def _place(file: str, mark: yaml.Mark) -> str:
    return f"{file}:{mark.line + 1}:{mark.column + 1}"


def _end(file: str, text: str) -> str:
    line, column = text.count("\n") + 1, len(text) - text.rfind("\n")
    return f"{file}:{line}:{column}"


def _pairs(node: yaml.Node) -> list[tuple[str | int, yaml.Node, yaml.Node]]:
    """Returns name, key and value of a mapping; index and items of a list."""
    if isinstance(node, yaml.MappingNode):
        return [
            (key.value if isinstance(key, yaml.ScalarNode) else "?", key, value)
            for key, value in node.value
        ]
    items = node.value if isinstance(node, yaml.SequenceNode) else ()
    return [(index, item, item) for index, item in enumerate(items)]


def _entries(node: yaml.Node) -> Entries:
    """Returns key and value of each name or index, merges resolved."""
    merged, own = {}, {}
    for name, key, value in _pairs(node):
        if key.tag == _MERGE:
            for source in _sources(value):
                merged |= _entries(source)
        else:
            own[name] = key, value
    return merged | own


def _sources(node: yaml.Node) -> Iterable[yaml.Node]:
    """Returns the mappings that ``<<: node`` merges, the strongest last."""
    lists = isinstance(node, yaml.SequenceNode)
    return reversed(node.value) if lists else [node]


def _tag(node: yaml.Node) -> str:
    return "" if node.tag.startswith(_CORE) else node.tag


def _is_valid(node: yaml.Node) -> bool:
    """Returns if `node` is a value of its tag, one of YAML's own."""
    try:
        yaml.constructor.SafeConstructor().construct_object(node, deep=True)
    except Exception:
        return False
    return isinstance(node, yaml.ScalarNode)


def _what(node: yaml.Node) -> str:
    """Returns what `node` is, in words."""
    if isinstance(node, yaml.MappingNode):
        return "a mapping"
    if isinstance(node, yaml.SequenceNode):
        return f"a list of {len(node.value)}"
    if node.tag == _NULL:
        return "null"
    text = node.value[:40] + "..." * (len(node.value) > 40)
    if node.tag == _TEXT:
        return f"the text {text!r}"
    kind = node.tag.removeprefix(_CORE)
    nouns = {"bool": "truth value", "int": "number", "float": "number"}
    return f"the {nouns.get(kind, 'value')} {text}"


def load_typed(
    schema: type[T],
    document: Document,
    *,
    child_name: str | None = None,
    defaults: T | None = None,
) -> T:
    """Loads `document`, or its top-level `child_name`, as Drake does.

    What Drake would silently load as something else is refused as well: text
    or a mapping for a list (it takes letters, names), null or true in an
    array (it takes NaN, 1), a value for a struct (it sets the first field).

    Args:
        schema: a dataclass, as for yaml_load_typed().
        document: what read_document() or parse_document() returned.
        child_name: a top-level name; None loads the document itself.
        defaults: the values that `document` leaves as they are.

    Raises:
        InputError: located at the smallest node that cannot be loaded.
    """

    def load(text: str) -> T:
        return yaml_load_typed(
            schema=schema, data=text, child_name=child_name, defaults=defaults
        )

    root, names = document.root, document.names
    if child_name is None:
        branch = _Branch(document, (), schema, _keep(root, names))
    elif child_name in names:
        node = _entries(root)[child_name][1]
        branch = _Branch(document, (child_name,), schema, node)
    else:
        raise document.error(unknown_name("scenario", child_name, names))
    branch.check()
    try:
        return load(document.text)
    except yaml.MarkedYAMLError as error:
        raise _syntax_error(document.file, error) from error
    except Exception as error:
        raise branch.failure(load, error) from error


@dataclasses.dataclass(frozen=True)
class _Branch:
    """The `node` at `path`, to be loaded as `schema`."""

    document: Document
    path: Keys
    schema: object
    node: yaml.Node

    def check(self) -> None:
        """Refuses a structure that Drake refuses or misunderstands."""
        for part in self.parts():
            part.check()

    def parts(self) -> "list[_Branch]":
        """Returns the branches one level down."""
        schema, entries = self.alternative(), _entries(self.node)
        kind, wanted, schemas = _structure(schema, entries)
        if schemas is None:
            return []
        null = self.node.tag == _NULL
        text = schema is _Number and not _is_number(self.node)
        if null or text or not isinstance(self.node, kind):
            raise self.error(f"expected {wanted}, not {_what(self.node)}")
        for name in entries:
            if name not in schemas:
                raise self.error(_unknown_field(name, schemas), name)
        return [
            _Branch(self.document, (*self.path, name), schemas[name], value)
            for name, (_, value) in entries.items()
        ]

    def alternative(self) -> object:
        """Returns which type of a Union applies; None for an allowed null."""
        schemas, tag = [self.schema], _tag(self.node)
        if typing.get_origin(self.schema) in (typing.Union, types.UnionType):
            schemas = list(typing.get_args(self.schema))
        if types.NoneType in schemas:
            if self.node.tag == _NULL:
                return None
            schemas.remove(types.NoneType)
        if len(schemas) > 1:
            return self.choice(schemas)
        if tag:
            raise self.error(f"expected no tag here, not {tag}")
        return schemas[0]

    def choice(self, schemas: list) -> object:
        """Returns which of several types applies, by tag or by value."""
        tag, kind = _tag(self.node), _KINDS.get(self.node.tag)
        tagged = {
            "!" + pretty_class_name(schema).split("[")[0]: schema
            for schema in schemas
            if _fields(schema) is not None
        }
        if tag in tagged:
            return tagged[tag]
        if tag:
            raise self.error(unknown_name("tag", tag, tagged))
        if kind in schemas:
            return kind
        if tagged and _lacks_tag(self.node, schemas):
            found, names = _what(self.node), ", ".join(tagged)
            if isinstance(self.node, yaml.MappingNode):
                found += " without tag"
            raise self.error(f"expected one of {names}, not {found}")
        return schemas[0]

    def failure(self, load: Callable, error: Exception) -> InputError:
        """Returns why Drake raised `error`, as deep as it can be located."""
        schema, kind = self.alternative(), _KINDS.get(self.node.tag)
        parts = [] if schema is np.ndarray else self.parts()
        while len(parts) > 1:
            half = parts[: len(parts) // 2]
            node = _keep(self.node, [part.path[-1] for part in half])
            parts = half if self.attempt(load, node) else parts[len(half) :]
        if parts and (inner := parts[0].attempt(load, parts[0].node)):
            return parts[0].failure(load, inner)
        wanted = None
        if schema is np.ndarray:
            wanted = self.wanted_length(load)
        elif kind is not schema and (kind, schema) != (int, float):
            wanted = _WANTED.get(schema)
        if wanted:
            return self.error(f"expected {wanted}, not {_what(self.node)}")
        reason = str(error)[:200] or type(error).__name__
        return self.error(f"Drake refuses {_what(self.node)}: {reason}")

    def attempt(self, load: Callable, node: yaml.Node) -> Exception | None:
        """Loads the document with nothing in it but `node` at this path."""
        root = _cut(self.document.root, self.path, node)
        try:
            load(yaml.serialize(root, Dumper=yaml.SafeDumper))
        except Exception as error:
            return error
        return None

    def wanted_length(self, load: Callable) -> str | None:
        """Returns how many numbers Drake takes, if that is the trouble."""
        given = self.node.value
        if any(isinstance(item, yaml.CollectionNode) for item in given):
            return None
        for length in (len(given), *range(1, 10)):
            zeros = [yaml.ScalarNode(_CORE + "int", "0")] * length
            if not self.attempt(load, yaml.SequenceNode(_LIST, zeros)):
                same = length == len(given)
                return None if same else f"a list of {length} numbers"
        return None

    def error(self, problem: str, *steps: str | int) -> InputError:
        """Returns the error for a `problem` here, or some steps further."""
        return self.document.error(problem, (*self.path, *steps))


def _structure(schema: object, entries: dict) -> tuple:
    """Returns a schema's node type, its name and the schemas of `entries`."""
    origin, inner = typing.get_origin(schema), typing.get_args(schema)
    if schema in _WANTED:
        return yaml.ScalarNode, _WANTED[schema], {}
    if schema is np.ndarray:
        schemas = {
            name: np.ndarray if item.tag == _LIST else _Number
            for name, (item, _) in entries.items()
        }
        return yaml.SequenceNode, "a list of numbers", schemas
    if origin is list:
        numbers = " of numbers" if inner[0] in (int, float) else ""
        schemas = dict.fromkeys(entries, inner[0])
        return yaml.SequenceNode, f"a list{numbers}", schemas
    if origin in (dict, collections.abc.Mapping):
        return yaml.MappingNode, "a mapping", dict.fromkeys(entries, inner[1])
    return yaml.MappingNode, "a mapping", _fields(schema)


def _lacks_tag(node: yaml.Node, schemas: list) -> bool:
    """Returns if the first of `schemas`, which needs no tag, cannot fit."""
    entries = _entries(node)
    kind, _, known = _structure(schemas[0], entries)
    if not isinstance(node, kind):
        return yaml.MappingNode in (kind, type(node))
    unknown = set(entries).difference(known or ())
    return any(unknown.intersection(_fields(s) or ()) for s in schemas[1:])


def _fields(schema: object) -> dict[str, object] | None:
    """Returns the types of a dataclass' or a pydrake struct's fields."""
    fields = getattr(schema, "__fields__", None)
    if dataclasses.is_dataclass(schema):
        fields = dataclasses.fields(schema)
    return None if fields is None else {f.name: f.type for f in fields}


def _unknown_field(name: str, fields: Iterable[str]) -> str:
    nearest = difflib.get_close_matches(name, fields, n=1)
    if nearest:
        return f"unknown field; did you mean {nearest[0]}?"
    return f"unknown field (known: {', '.join(fields) or 'none'})"


def _is_number(node: yaml.Node) -> bool:
    if node.tag != _TEXT:
        return _KINDS.get(node.tag) in (int, float)
    try:
        float(node.value)
    except ValueError:
        return False
    return True


def _keep(node: yaml.Node, names: Iterable[str | int]) -> yaml.Node:
    """Returns `node` with no more than these names or indices."""
    entries = _entries(node)
    kept = [entries[name] for name in names]
    if isinstance(node, yaml.SequenceNode):
        kept = [item for item, _ in kept]
    return type(node)(node.tag, kept)


def _cut(node: yaml.Node, path: Keys, leaf: yaml.Node) -> yaml.Node:
    """Returns `node` with nothing but `leaf`, at `path`."""
    if not path:
        return leaf
    key, value = _entries(node)[path[0]]
    inner = _cut(value, path[1:], leaf)
    pair = inner if isinstance(node, yaml.SequenceNode) else (key, inner)
    return type(node)(node.tag, [pair])
