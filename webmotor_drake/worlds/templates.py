"""PROTOs that are templates: a script in JavaScript or Lua makes their bodies.

Scripts run in an engine of their own that knows no files, no network and no clock, in
a process of their own that ends after some seconds. Text between statements is handed
over as data.
"""

import dataclasses as dc
import functools
import json
import re
import typing
from importlib import resources
from pathlib import Path

from webmotor_drake.errors import InputError, one_line
from webmotor_drake.worlds.nodes import (
    Field,
    Interface,
    Item,
    Node,
    guessed_type,
)
from webmotor_drake.worlds.reader import Texts, read_texts
from webmotor_drake.worlds.source import Place, Source
from webmotor_drake.worlds.stand_ins import FOLDER, scripted
from webmotor_drake.worlds.template_process import (
    Spent,
    TemplateError,
    run_template,
)

_JAVASCRIPT = re.compile(
    r"^#\s*template language\s*:\s*javascript", re.IGNORECASE | re.MULTILINE
)

# A template with this tag draws anew for each instance. Here the instance's place is
# the seed, so that a world is always the same.
_NON_DETERMINISTIC = re.compile(
    r"^#\s*tags\s*:.*\bnonDeterministic\b", re.MULTILINE
)
# Marks around statements, and the code that puts out a text, a value, and that seeds.
_MARKS = {
    "js": (
        *("%<", ">%", "__out.push(__texts[{} - 1]);"),
        *("__out.push(String({}));", "wbrandom.seed({});"),
    ),
    "lua": (
        *("%{", "}%", "__out[#__out + 1] = __texts[{}]"),
        *("__out[#__out + 1] = tostring({})", "math.randomseed({})"),
    ),
}
_IMPORT = re.compile(
    r"^[^\S\n]*import\s+"
    r"(?:\*\s*as\s+(?P<all>\w+)|\{(?P<some>[^{}]*)\}|(?P<default>\w+))"
    r"\s+from\s+['\"](?P<module>\w+)\.js['\"]\s*;?",
    re.MULTILINE,
)


def expanded_body(
    proto: Texts, given: Interface, place: Place, spent: Spent
) -> Node:
    """Returns the node that a template makes.

    Args:
        proto: the PROTO.
        given: its parameters, with their values in an instance.
        place: place of the instance.
        spent: sums over the templates of this world so far; added to.

    Raises:
        InputError: the script fails, or what it makes is not a node; names the PROTO.
    """
    assert proto.template is not None
    start, end = proto.template
    source = proto.source
    body = source.text[start:end]
    if source.folder == FOLDER:  # of our own
        text = scripted(proto, body, given, old=place.source.has_old_axes)
    else:
        text = _evaluated(proto, body, given, place, spent)
    name = f"{source.name} (expanded)"
    nodes = read_texts(dc.replace(source, name=name, text=text)).nodes
    if len(nodes) != 1:
        raise InputError(
            f"its template makes {len(nodes)} nodes; one is needed",
            where=source.name,
        )
    return nodes[0]


def _evaluated(
    proto: Texts, body: str, given: Interface, place: Place, spent: Spent
) -> str:
    """Returns the text that a template makes; a world runs equal ones once."""
    source = proto.source
    fields = {
        name: {
            "value": _plain(field, kind),
            "defaultValue": _plain(default, kind),
        }
        for name, (kind, default) in proto.parameters.items()
        for _, field in (given[name],)
    }
    assert proto.template is not None
    head = source.text[: proto.template[0]]
    is_javascript = bool(_JAVASCRIPT.search(head)) or "%<" in body
    language = "js" if is_javascript else "lua"
    opening, closing, *codes, seed = _MARKS[language]
    if _NON_DETERMINISTIC.search(head):
        body = f"{opening} {seed.format(place.offset)} {closing}{body}"
    key = body, json.dumps(fields), source.name
    if key in spent.texts:
        return spent.texts[key]
    lines: list[str] = []
    if is_javascript:
        body, lines = _without_imports(body)
    code, texts = _script(body, opening, closing, *codes)
    data = {"context": _context(source), "fields": fields, "texts": texts}
    request = {
        "language": language,
        "modules": _modules(language),
        "script": "\n".join(lines + code),
        "json": json.dumps(data),
    }
    try:
        spent.texts[key] = run_template(request | data, spent)
    except TemplateError as error:
        raise InputError(
            f"its template fails: {one_line(error)}", where=source.name
        ) from None
    except ImportError as error:
        missing = "quickjs-ng" if is_javascript else "lupa"
        raise place.error(
            f"{source.name} is a template; it needs the extra templates (pip install"
            f" {missing})"
        ) from error
    return spent.texts[key]


def _context(source: Source) -> dict[str, str]:
    """Returns the paths of a template and its project, whose files it may read."""
    folder = source.folder.absolute()
    outer = (
        up.parent for up in (folder, *folder.parents) if up.name == "protos"
    )
    return {
        "proto": str(folder / Path(source.name).name),
        # With a slash at its end, as Webots has it: templates add names.
        "project_path": f"{next(outer, folder)}/",
    }


def _script(
    body: str, opening: str, closing: str, text_code: str, value_code: str
) -> tuple[list[str], list[str]]:
    """Translates a template into statements, and into the list of its texts.

    `text_code` puts out a text, by its number from 1 on, and `value_code` a value,
    which stands after the opening mark and "=".
    """
    code: list[str] = []
    texts: list[str] = []
    at = 0
    while True:
        start = body.find(opening, at)
        end = body.find(closing, start + len(opening)) if start >= 0 else -1
        texts.append(body[at : start if end >= 0 else None])
        code.append(text_code.format(len(texts)))
        if end < 0:
            return code, texts
        inside = body[start + len(opening) : end]
        if inside.startswith("="):
            value = inside[1:].strip().rstrip(";")
            code.append(value_code.format(value))
        else:
            code.append(f"{inside}\n")
        at = end + len(closing)


def _without_imports(body: str) -> tuple[str, list[str]]:
    """Returns a JavaScript template without imports, and lines that replace them."""
    imports: list[str] = []

    def lifted(match: re.Match[str]) -> str:
        names = match["all"] or match["default"]
        if not names:
            some = match["some"].replace(" as ", ": ")
            names = f"{{{some}}}"
        imports.append(f"const {names} = __modules.{match['module']};")
        return ""

    return _IMPORT.sub(lifted, body), imports


@functools.cache
def _modules(language: str) -> str:
    """Returns our version of Webots' helper modules in a language."""
    file = resources.files(__package__) / f"template_modules.{language}"
    return file.read_text(encoding="utf-8")


_KEYS = {"Vec2f": "xy", "Vec3f": "xyz", "Rotation": "xyza", "Color": "rgb"}


def _plain(field: Field, kind: str) -> typing.Any:
    """Returns a field's value as a script has it."""
    many, kind = kind[0] == "M", kind[2:]
    items: list[typing.Any]
    if kind in _KEYS:
        keys = _KEYS[kind]
        items = [
            dict(zip(keys, row, strict=True)) for row in field.rows(len(keys))
        ]
    elif kind == "Int32":
        items = [_whole(number, field) for number in field.numbers()]
    elif kind == "Node":
        items = [_plain_node(item) for item in field.nodes]
    else:
        items = [_number(item) for item in field.items]
    if many:
        return items
    return items[0] if items else None


def _whole(number: float, field: Field) -> int:
    """Returns a number of an SFInt32, which has 32 bits."""
    if not -(2**31) <= number < 2**31:
        raise field.error(f"{number:g} is not allowed; must be below 2^31")
    return int(number)


def _number(item: Item) -> typing.Any:
    """Returns a whole number as an int: a script writes 2, not 2.0."""
    whole = isinstance(item, float) and item == int(item) and abs(item) < 1e15
    return int(typing.cast(float, item)) if whole else item


def _plain_node(node: Node) -> dict[str, typing.Any]:
    """Returns a node as a script has it; types of fields are guessed from values."""
    fields = {
        name: dict.fromkeys(
            ("value", "defaultValue"), _plain(field, guessed_type(field))
        )
        for name, field in node.fields.items()
    }
    return {"node_name": node.type, "fields": fields}
