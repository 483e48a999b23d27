"""Runs the scripts of templates in a process of its own; see `template_process`.

It is run as a file, and imports only interpreters and the standard library, so that it
starts within milliseconds.
"""

import marshal
import os
import resource
import signal
import sys
import time
from collections.abc import Callable

# Address space of the process, bytes: interpreters with their memory, and texts.
_SPACE = 2**30
# The bytes of files that a script may read.
_MOST_BYTES = 10_000_000
# The kinds of answers.
TEXT, ERROR, MISSING = "text", "error", "missing"


def main() -> None:
    """Answers one request after the other until there are no more.

    An answer is a line with its kind, the processor time so far, s, and the length of
    its text, which follows.
    """
    sys.path[:] = sys.argv[1].split("\n")
    for kind, most in (
        (resource.RLIMIT_AS, _SPACE),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        try:
            resource.setrlimit(kind, (most, most))
        except (OSError, ValueError):
            continue  # not of this system
    while True:
        try:
            request = marshal.load(sys.stdin.buffer)
        except EOFError:
            return
        # Interpreters cannot stop all endless scripts: the system ends the process.
        signal.setitimer(signal.ITIMER_PROF, request["seconds"])
        kind, text = answered(request)
        signal.setitimer(signal.ITIMER_PROF, 0)
        data = text.encode(errors="replace")
        head = f"{kind} {time.process_time()} {len(data)}\n"
        sys.stdout.buffer.write(head.encode() + data)
        sys.stdout.buffer.flush()


def answered(request: dict) -> tuple[str, str]:
    """Returns the kind of an answer, and the text that a script makes or an error.

    Args:
        request: entries "language", "script" and "modules", which run before the
            script; "context", paths of the PROTO and of its project, whose files the
            script may read; "fields", values of parameters; "texts" of the template;
            "json", these three as JSON; limits "seconds", "bytes" and "characters";
            "too_long", words for longer texts.
    """
    run = _run_javascript if request["language"] == "js" else _run_lua
    try:
        text = run(request, _reader(**request["context"]))
        if not isinstance(text, str):
            return ERROR, "what it makes is not a text"
        if len(text) > request["characters"]:
            return ERROR, f"it makes {request['too_long']}"
        text.encode()
    except ImportError:
        return MISSING, ""
    except UnicodeError:
        return ERROR, "what it makes is not text in UTF-8"
    except MemoryError:
        return ERROR, "out of memory"
    except Exception as error:  # whatever the interpreters raise
        return ERROR, str(error).partition("\n")[0] or type(error).__name__
    return TEXT, text


def _reader(proto: str, project_path: str) -> Callable[[str], str | None]:
    """Returns a function from a file of the project to its text; None for others."""
    root = os.path.realpath(project_path)
    texts: dict[str, str] = {}

    def read(name: str) -> str | None:
        room = _MOST_BYTES - sum(map(len, texts.values()))
        place = os.path.join(os.path.dirname(proto), name.replace("\\", "/"))
        try:
            file = os.path.realpath(place)
            if file in texts:
                return texts[file]
            if os.path.commonpath([root, file]) != root:
                return None
            if not os.path.isfile(file) or os.path.getsize(file) > room:
                return None
            with open(file, encoding="utf-8", errors="replace") as stream:
                return texts.setdefault(file, stream.read())
        except (OSError, ValueError):
            return None

    return read


def _run_javascript(request: dict, read: Callable) -> object:
    import _quickjs  # the package around it takes longer to import

    engine = _quickjs.Context()
    engine.set_memory_limit(request["bytes"])
    engine.set_max_stack_size(2**20)
    engine.add_callable("__read", read)
    engine.set("__json", request["json"])
    engine.eval(request["modules"])
    script = f"(function () {{\n{request['script']}\n}})(); __out.join('');"
    return engine.eval(f"'use strict'; {script}")


def _run_lua(request: dict, read: Callable) -> object:
    import lupa.lua52

    runtime = lupa.lua52.LuaRuntime(
        register_eval=False,
        register_builtins=False,
        unpack_returned_tuples=True,
        attribute_filter=_nothing,
        max_memory=request["bytes"],
    )
    given = (request[name] for name in ("context", "fields", "texts"))
    tables = (_table(runtime, value) for value in given)
    runtime.execute(request["modules"], read, *tables)
    runtime.execute(request["script"])
    return runtime.execute("return table.concat(__out)")


def _nothing(value: object, name: str, setting: bool) -> str:
    """Keeps a script from the attributes of Python's objects."""
    raise AttributeError(name)


def _table(runtime: object, value: object) -> object:
    """Returns a value of JSON as Lua has it; lists count from 1."""
    if isinstance(value, dict):
        made = {
            key: inner
            for key, item in value.items()
            if (inner := _table(runtime, item)) is not None
        }
        return runtime.table_from(made)  # type: ignore[attr-defined]
    if isinstance(value, list):
        items = [_table(runtime, item) for item in value]
        return runtime.table_from(items)  # type: ignore[attr-defined]
    return value


if __name__ == "__main__":
    main()
