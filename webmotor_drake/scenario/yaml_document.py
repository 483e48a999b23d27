"""YAML files, read and checked, with the place of each value."""

import dataclasses
import stat
from collections.abc import Iterable, Sequence
from pathlib import Path

import yaml

from webmotor_drake.errors import InputError
from webmotor_drake.limits import too_many
from webmotor_drake.results.whole_file import meant, reason

MAX_BYTES = 2_000_000
MAX_NODES = 200_000
MAX_DEPTH = 100
_TOO_DEEP = f"nested deeper than {MAX_DEPTH} levels"

CORE = "tag:yaml.org,2002:"
LIST, MERGE, NULL, TEXT = (
    CORE + kind for kind in ("seq", "merge", "null", "str")
)

Keys = tuple[str | int, ...]
Entries = dict[str | int, tuple[yaml.Node, yaml.Node]]

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_PLAIN = {
    yaml.MappingNode: "!!map",
    yaml.ScalarNode: "!!str",
    yaml.SequenceNode: "!!seq",
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

    def __reduce__(self) -> tuple:
        """Pickles the text; YAML's nodes cannot be pickled."""
        return parse_document, (self.text, self.file)

    @property
    def names(self) -> list[str]:
        """Top-level names in order, without the private ones (``_name``)."""
        return [name for name in entries_of(self.root) if name[:1] != "_"]

    def locate(self, path: Sequence[str | int]) -> str:
        """Returns ``file:line:column`` of the key or list item at `path`.

        Aliases and ``<<`` merges lead to the text that they refer to. If nothing is at
        `path`, its nearest parent counts.
        """
        return _place(self.file, self._keys(path)[-1].start_mark)

    def depth(self, path: Sequence[str | int]) -> int:
        """Returns the number of steps of `path` that exist; see `locate`."""
        return len(self._keys(path)) - 1

    def _keys(self, path: Sequence[str | int]) -> list[yaml.Node]:
        """Returns the root and the keys along `path`, as far as they are there."""
        node: yaml.Node = self.root
        keys = [node]
        for step in path:
            entries = entries_of(node)
            if step not in entries:
                break
            key, node = entries[step]
            keys.append(key)
        return keys

    def located(self, error: InputError) -> InputError:
        """Returns an error with the place of its path."""
        return error.at(self.locate(error.path))

    def error(self, problem: str, path: Sequence[str | int] = ()) -> InputError:
        """Returns the error for a `problem` at `path`."""
        return InputError(problem, path=path, where=self.locate(path))


def load_document(file: str | Path) -> Document:
    """Reads a YAML file; raises InputError for any fault in it."""
    return parse_document(load_text(Path(file), str(file)), str(file))


def load_text(
    path: Path, name: str, most: int = MAX_BYTES, errors: str = "strict"
) -> str:
    """Returns the text of a file in UTF-8.

    Args:
        path: the file.
        name: the file as the user knows it.
        most: largest number of bytes.
        errors: treatment of bytes that are not UTF-8, as in `bytes.decode`.

    Raises:
        InputError: it cannot be read, is too large, or is no text; with its place.
    """
    try:
        kind = path.stat().st_mode
        if not stat.S_ISREG(kind):
            what = "directory" if stat.S_ISDIR(kind) else "pipe or a device"
            raise InputError(f"a {what}, not a file", where=name)
        _check_size(name, path.stat().st_size, most)
        data = path.read_bytes()
    except FileNotFoundError as error:
        raise InputError(f"no such file{meant(path)}", where=name) from error
    except (OSError, ValueError) as error:
        problem = f"cannot be read: {reason(error)}"
        raise InputError(problem, where=name) from error
    return _text(data, name, errors)


def decoded(data: bytes, file: str) -> Document:
    """Returns the `data` of a YAML file, shown to the user as `file`."""
    _check_size(file, len(data), MAX_BYTES)
    return parse_document(_text(data, file), file)


def _text(data: bytes, file: str, errors: str = "strict") -> str:
    try:
        return data.decode(errors=errors).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        problem = f"not UTF-8 text: byte 0x{data[error.start]:02x}"
        where = _end(file, data[: error.start].decode())
        raise InputError(problem, where=where) from error


def parse_document(text: str, file: str) -> Document:
    """Returns a YAML `text`, shown to the user as `file`, as a document.

    Refused are: what is not YAML; what loses data silently (duplicate keys,
    further documents); what exhausts the machine (size, depth, aliases).
    """
    text = text.removeprefix("\ufeff")
    if found := yaml.reader.Reader.NON_PRINTABLE.search(text):
        problem = f"not a YAML text: control character U+{ord(found[0]):04X}"
        raise InputError(problem, where=_end(file, text[: found.start()]))
    _check_size(file, len(text.encode()), MAX_BYTES)
    return Document(text, file, _Composer(file).compose(text))


class _Composer:
    """Composes a YAML text, and refuses structures that no scenario has."""

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
            problem = (
                f"expected a mapping at the top level, not {describe(root)}"
            )
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
        """Refuses names that are not text, or that occur twice in a mapping."""
        lines = {}
        for name, key, value in _pairs(node):
            if key is value:
                return
            if key.tag == MERGE:
                for source in _sources(value):
                    if not isinstance(source, yaml.MappingNode):
                        problem = f"expected a mapping, not {describe(source)}"
                        raise self.error(problem, key, (*path, name))
            elif key.tag not in (TEXT, CORE + "value"):
                problem = f"expected a name in quotes, not {describe(key)}"
                raise self.error(problem, key, path)
            elif name in lines:
                problem = f"given twice; first on line {lines[name]}"
                raise self.error(problem, key, (*path, name))
            else:
                lines[name] = key.start_mark.line + 1

    def check_value(self, node: yaml.Node, path: Keys) -> None:
        """Refuses a value that does not fit its tag."""
        tag = node.tag.replace(CORE, "!!")
        if tag == _PLAIN[type(node)]:
            return
        if not tag.startswith("!!"):
            if isinstance(node, yaml.MappingNode):
                return
            problem = f"{tag} takes a mapping, such as {tag} {{}}"
        elif _is_valid(node):
            return
        else:
            problem = (
                f"{describe(node)} is not a valid {tag}; put text in quotes"
            )
        raise self.error(problem, node, path)

    def check_extent(
        self, node: yaml.Node | yaml.Event, path: Keys, nodes: int, depth: int
    ) -> None:
        """Refuses sizes and depths that could exhaust memory or the stack."""
        if problem := too_many(nodes, MAX_NODES, "values, aliases expanded"):
            raise self.error(problem, node, path)
        if depth > MAX_DEPTH:
            raise self.error(_TOO_DEEP, node, path)

    def error(
        self, problem: str, node: yaml.Node | yaml.Event, path: Keys
    ) -> InputError:
        """Returns the error for a `problem` with `node`."""
        where = _place(self.file, node.start_mark)
        return InputError(problem, path=path, where=where)


def _check_size(file: str, size: int, most: int) -> None:
    if problem := too_many(size, most, "bytes"):
        raise InputError(problem, where=file)


def _syntax_error(file: str, error: yaml.YAMLError) -> InputError:
    problem = getattr(error, "problem", None) or str(error)
    context = getattr(error, "context_mark", None)
    mark = getattr(error, "problem_mark", None) or context
    where = _place(file, mark) if mark else file
    # libyaml looks ahead, and has a limit of its own since PyYAML 6.0.4.
    if "nesting depth" in problem:
        return InputError(_TOO_DEEP, where=where)
    if context:
        problem = f"{error.context} (line {context.line + 1}), {problem}"
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


def entries_of(node: yaml.Node) -> Entries:
    """Returns key and value of each name or index, merges resolved."""
    merged, own = {}, {}
    for name, key, value in _pairs(node):
        if key.tag == MERGE:
            for source in _sources(value):
                merged |= entries_of(source)
        else:
            own[name] = key, value
    return merged | own


def _sources(node: yaml.Node) -> Iterable[yaml.Node]:
    """Returns the mappings that ``<<: node`` merges, the strongest last."""
    lists = isinstance(node, yaml.SequenceNode)
    return reversed(node.value) if lists else [node]


def tag_of(node: yaml.Node) -> str:
    """Returns a node's ``!Tag``; "" for the types of YAML itself."""
    return "" if node.tag.startswith(CORE) else node.tag


def _is_valid(node: yaml.Node) -> bool:
    """Returns whether `node` is a value of its tag, one of YAML's own."""
    try:
        yaml.constructor.SafeConstructor().construct_object(node, deep=True)
    except Exception:
        return False
    return isinstance(node, yaml.ScalarNode)


def describe(node: yaml.Node) -> str:
    """Returns a description of `node` for messages."""
    if isinstance(node, yaml.MappingNode):
        return "a mapping"
    if isinstance(node, yaml.SequenceNode):
        return f"a list of {len(node.value)}"
    if node.tag == NULL:
        return "null"
    text = node.value[:40] + "..." * (len(node.value) > 40)
    if node.tag == TEXT:
        return f"the text {text!r}"
    kind = node.tag.removeprefix(CORE)
    nouns = {"bool": "truth value", "int": "number", "float": "number"}
    return f"the {nouns.get(kind, 'value')} {text}"
