"""The scripts that templates stand for: what runs, in the language of each."""

import functools
import json
import re
import typing
from importlib import resources

from webmotor_drake.worlds.template_files import TemplateFiles

_IMPORT = re.compile(
    r"^[^\S\n]*import\s+"
    r"(?:\*\s*as\s+(?P<all>\w+)|\{(?P<some>[^{}]*)\}|(?P<default>\w+))"
    r"\s+from\s+['\"](?P<module>\w+)\.js['\"]\s*;?",
    re.MULTILINE,
)


def javascript(
    body: str, data: dict[str, typing.Any], files: TemplateFiles
) -> dict[str, typing.Any]:
    """Returns what runs of a template in JavaScript; see `template_worker.answered`.

    Args:
        body: the template.
        data: its parameters.
        files: what it may read.
    """
    body, imports = without_imports(body)
    code, texts = statements(
        body,
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
            f"const fields = __fields({json.dumps(data)});",
            "const __out = [];",
            "(function () {",
            *imports,
            *code,
            "})();",
            "__out.join('');",
        ]
    )
    text = f"(function () {{ return eval({json.dumps(script)}); }})()"
    return {"language": "js", "script": text}


def lua(
    body: str, data: dict[str, typing.Any], files: TemplateFiles
) -> dict[str, typing.Any]:
    """Returns what runs of a template in Lua; see `javascript`."""
    code, texts = statements(
        body,
        "%{",
        "}%",
        "__out[#__out + 1] = __texts[{}]",
        "__out[#__out + 1] = tostring({})",
    )
    read = {
        path: text is not None and text for path, text in files.texts.items()
    }
    return {
        "language": "lua",
        "modules": _modules("lua"),
        "tables": {"__texts": texts, "fields": data, "__out": []},
        "entries": {"__files": read, "context": files.context},
        "script": "\n".join(code),
    }


def statements(
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


def without_imports(body: str) -> tuple[str, list[str]]:
    """Returns a template in JavaScript without imports, and what stands for them."""
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
    """Returns Webots' helper modules, ours, in a language."""
    file = resources.files(__package__) / f"template_modules.{language}"
    return file.read_text(encoding="utf-8")
