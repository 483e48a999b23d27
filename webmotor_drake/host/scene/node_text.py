"""A node as text, as importMFNodeFromString takes it: `DEF BALL Ball { ... }`."""

import dataclasses as dc
import re

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]]|[^\s,{}\[\]"#]+|#.*')
_HEAD = re.compile(r"(?:DEF\s+(\S+)\s+)?([A-Za-z_]\w*)\s*\{", re.DOTALL)


@dc.dataclass
class NodeText:
    """What a text says of a node.

    Attributes:
        definition: its DEF name; "": none.
        type: its type or PROTO.
        fields: the values of its fields: numbers, or text in quotes or not.
        other: the names of fields that hold nodes or lists.
    """

    definition: str
    type: str
    fields: dict[str, list[float] | str]
    other: list[str]


def parse_node(text: str) -> NodeText:
    """Reads the first node of a text.

    Raises:
        ValueError: it is none; says what is missing.
    """
    head = _HEAD.match(text.strip())
    if head is None:
        raise ValueError("a node is 'Type { ... }' or 'DEF NAME Type { ... }'")
    tokens = [
        token
        for token in _TOKEN.findall(text.strip()[head.end() :])
        if not token.startswith("#")
    ]
    node = NodeText(head[1] or "", head[2], {}, [])
    while tokens and tokens[0] != "}":
        name = tokens.pop(0)
        if not re.fullmatch(r"[A-Za-z_]\w*", name):
            raise ValueError(f"{name!r} is no name of a field")
        if not _read_value(name, tokens, node):
            node.other.append(name)
    if not tokens:
        raise ValueError("a '}' is missing")
    return node


def _read_value(name: str, tokens: list[str], node: NodeText) -> bool:
    """Takes a field's value off `tokens`; returns whether it is a plain one."""
    if tokens and tokens[0].startswith('"'):
        node.fields[name] = tokens.pop(0)[1:-1].replace('\\"', '"')
        return True
    numbers = []
    while tokens and _is_number(tokens[0]):
        numbers.append(float(tokens.pop(0)))
    if numbers:
        node.fields[name] = numbers
        return True
    if tokens and tokens[0] not in ("{", "[", "}"):
        # TRUE, FALSE, NULL or a type; DEF NAME Type; USE NAME.
        words = {"DEF": 3, "USE": 2}.get(tokens[0], 1)
        del tokens[:words]
    _skip_block(tokens)
    return False


def _skip_block(tokens: list[str]) -> None:
    """Takes a block in brackets off `tokens`, if one stands there."""
    depth = 0
    while tokens and (depth or tokens[0] in ("{", "[")):
        token = tokens.pop(0)
        depth += (token in ("{", "[")) - (token in ("}", "]"))


def _is_number(token: str) -> bool:
    try:
        float(token)
    except ValueError:
        return False
    return True
