"""PROTOs that are templates: a script in JavaScript or Lua makes their bodies.

Scripts run in an engine of their own that knows no files, no network and no clock, and
ends after a second or 64 MB. Text between statements is handed over as data.
"""

import functools
import json
import re
import typing
from collections.abc import Callable
from importlib import resources

from webmotor_drake.errors import InputError, one_line
from webmotor_drake.worlds.nodes import Field, Item, Node
from webmotor_drake.worlds.reader import Texts, read_texts
from webmotor_drake.worlds.source import Place, Source
from webmotor_drake.worlds.template_files import TemplateFiles

_SECONDS, _BYTES = 1.0, 64 * 2**20
_JAVASCRIPT = re.compile(
    r"^#\s*template language\s*:\s*javascript", re.IGNORECASE | re.MULTILINE
)
_IMPORT = re.compile(
    r"^[^\S\n]*import\s+"
    r"(?:\*\s*as\s+(?P<all>\w+)|\{(?P<some>[^{}]*)\}|(?P<default>\w+))"
    r"\s+from\s+['\"](?P<module>\w+)\.js['\"]\s*;?",
    re.MULTILINE,
)


# A template with this tag draws anew for each instance; here by its place, so that a
# world stays what it is.
_NON_DETERMINISTIC = re.compile(
    r"^#\s*tags\s*:.*\bnonDeterministic\b", re.MULTILINE
)
_SEED_JAVASCRIPT = "%%< wbrandom.seed(%d); >%%"
_SEED_LUA = "%%{ math.randomseed(%d) }%%"


def expanded_body(
    proto: Texts, values: dict[str, Field], place: Place
) -> list[Node]:
    """Returns the nodes that a template makes.

    Args:
        proto: the PROTO.
        values: of its parameters.
        place: of the instance.

    Raises:
        InputError: the script fails, or what it makes is not a node; names the PROTO.
    """
    assert proto.template is not None
    start, end = proto.template
    source = proto.source
    body = source.text[start:end]
    data = {
        name: {
            "value": _plain(values[name], parameter.type),
            "defaultValue": _plain(parameter.default, parameter.type),
        }
        for name, parameter in proto.parameters.items()
    }
    given = json.dumps(data)
    head = source.text[:start]
    javascript = bool(_JAVASCRIPT.search(head)) or "%<" in body
    if _NON_DETERMINISTIC.search(head):
        body = (
            _SEED_JAVASCRIPT if javascript else _SEED_LUA
        ) % place.offset + body
    text = _evaluated((javascript, body, given, source.name), source, place)
    made = Source(
        f"{source.name} (expanded)",
        text,
        source.folder,
        source.version,
        source.urls,
    )
    nodes = read_texts(made).nodes
    if len(nodes) != 1:
        raise InputError(
            f"its template makes {len(nodes)} nodes; one is needed",
            where=source.name,
        )
    return nodes


_CACHE: dict[tuple[bool, str, str, str], str] = {}


def _evaluated(
    key: tuple[bool, str, str, str], source: Source, place: Place
) -> str:
    """Returns the text that a template makes, from a cache if it has been made."""
    javascript, body, given, name = key
    # Files may have changed.
    if key not in _CACHE or "wbfile" in body or "io." in body:
        try:
            if len(_CACHE) > 200:
                _CACHE.clear()
            run = _run_javascript if javascript else _run_lua
            _CACHE[key] = _with_files(run, body, given, source)
        except _ScriptError as error:
            raise InputError(
                f"its template fails: {one_line(error)}", where=name
            ) from None
        except ImportError as error:
            missing = "quickjs-ng" if javascript else "lupa"
            raise place.error(
                f"{name} is a template; it needs the extra templates (pip install"
                f" {missing})"
            ) from error
    return _CACHE[key]


class _ScriptError(Exception):
    """A script that failed."""


def _script(
    body: str, opening: str, closing: str, text_code: str, value_code: str
) -> tuple[list[str], list[str]]:
    """Returns the statements that a template stands for, and its texts.

    Args:
        body: the template.
        opening: what a script in it begins with; a value's with = after it.
        closing: what it ends with.
        text_code: the statement that puts out a text, by its number from 1 on.
        value_code: the one that puts out a value.
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


def _with_files(
    run: Callable[[str, str, TemplateFiles], str],
    body: str,
    given: str,
    source: Source,
) -> str:
    """Runs a script, again with each file that it asks for."""
    files = TemplateFiles(source)
    while True:
        try:
            return run(body, given, files)
        except _ScriptError as error:
            if not files.add_wanted(str(error)):
                raise


def _run_javascript(body: str, given: str, files: TemplateFiles) -> str:
    import quickjs

    imports: list[str] = []

    def lifted(match: re.Match[str]) -> str:
        names = match["all"] or match["default"]
        if not names:
            some = match["some"].replace(" as ", ": ")
            names = f"{{{some}}}"
        imports.append(f"const {names} = __modules.{match['module']};")
        return ""

    code, texts = _script(
        _IMPORT.sub(lifted, body),
        "%<",
        ">%",
        "__out.push(__texts[{} - 1]);",
        "__out.push(String({}));",
    )
    script = "\n".join(
        [
            '"use strict";',
            _modules("js"),
            f"Object.assign(__files, {json.dumps(files.texts)});",
            f"Object.assign(context, {json.dumps(files.context)});",
            f"const __texts = {json.dumps(texts)};",
            f"const fields = __fields({given});",
            "const __out = [];",
            "(function () {",
            *imports,
            *code,
            "})();",
            "__out.join('');",
        ]
    )
    engine = quickjs.Context()
    engine.set_time_limit(_SECONDS)
    engine.set_memory_limit(_BYTES)
    engine.set_max_stack_size(2**20)
    try:
        return str(
            engine.eval(
                f"(function () {{ return eval({json.dumps(script)}); }})()"
            )
        )
    except quickjs.JSException as error:
        raise _ScriptError(str(error).partition("\n")[0]) from None


def _run_lua(body: str, given: str, files: TemplateFiles) -> str:
    import lupa
    from lupa import lua52

    code, texts = _script(
        body,
        "%{",
        "}%",
        "__out[#__out + 1] = __texts[{}]",
        "__out[#__out + 1] = tostring({})",
    )
    runtime = lua52.LuaRuntime(
        register_eval=False,
        register_builtins=False,
        unpack_returned_tuples=True,
        max_memory=_BYTES,
    )
    try:
        runtime.execute(_modules("lua"))
        globals_ = runtime.globals()
        globals_["__texts"] = runtime.table_from(texts)
        globals_["fields"] = _table(runtime, json.loads(given))
        globals_["__out"] = runtime.table()
        for path, text in files.texts.items():
            globals_["__files"][path] = text is not None and text
        for name, value in files.context.items():
            globals_["context"][name] = value
        runtime.execute(globals_["__start"](_SECONDS) or "")
        runtime.execute("\n".join(code))
        return runtime.execute("return table.concat(__out)")
    except (lupa.LuaError, lua52.LuaError, MemoryError, TypeError) as error:
        said = str(error).partition("\n")[0] or "out of memory"
        raise _ScriptError(said) from None


def _table(runtime: typing.Any, value: typing.Any) -> typing.Any:
    """Returns a value of JSON as Lua has it; lists count from 1."""
    if isinstance(value, dict):
        made = {
            key: inner
            for key, item in value.items()
            if (inner := _table(runtime, item)) is not None
        }
        return runtime.table_from(made)
    if isinstance(value, list):
        return runtime.table_from([_table(runtime, item) for item in value])
    return value


@functools.cache
def _modules(language: str) -> str:
    """Returns Webots' helper modules, ours, in a language."""
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
        items = [int(number) for number in field.numbers()]
    elif kind == "Node":
        items = [_plain_node(item) for item in field.nodes]
    else:
        items = [_number(item) for item in field.items]
    if many:
        return items
    return items[0] if items else None


def _number(item: Item) -> typing.Any:
    """Returns a number that is whole as such: 2 is written 2, not 2.0."""
    whole = isinstance(item, float) and item == int(item) and abs(item) < 1e15
    return int(typing.cast(float, item)) if whole else item


def _plain_node(node: Node) -> dict[str, typing.Any]:
    """Returns a node as a script has it; types are told from the number of items."""
    fields = {}
    for name, field in node.fields.items():
        if field.nodes:
            nodes = [_plain_node(item) for item in field.nodes]
            value: typing.Any = nodes if field.bracketed else nodes[0]
        elif field.bracketed or not field.items:
            value = [_number(item) for item in field.items]
        elif len(field.items) == 1:
            value = _number(field.items[0])
        else:
            value = dict(zip("xyza", map(_number, field.items), strict=False))
        fields[name] = {"value": value, "defaultValue": value}
    return {"node_name": node.type, "fields": fields}
