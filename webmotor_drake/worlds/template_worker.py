"""Runs the scripts of templates in a process of its own; see `template_process`.

It is started by its path, and imports nothing but interpreters and what Python has
inside: it starts in some milliseconds.
"""

import marshal
import resource
import sys

# The address space of the process, bytes: interpreters, what they may have, and texts.
_SPACE = 2**30
# An answer is its kind, the processor time so far, µs, its length, and its text.
TEXT, ERROR, MISSING = b"t", b"e", b"m"
WIDTH = 8  # of a number, bytes


def main() -> None:
    """Answers one request after the other until there are no more."""
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
    read, write = sys.stdin.buffer.read, sys.stdout.buffer.write
    while len(head := read(WIDTH)) == WIDTH:
        request = marshal.loads(read(int.from_bytes(head, "little")))
        kind, text = answered(request)
        data = text.encode(errors="replace")
        numbers = (int(1e6 * _used()), len(data))
        write(kind + b"".join(n.to_bytes(WIDTH, "little") for n in numbers))
        write(data)
        sys.stdout.buffer.flush()


def answered(request: dict) -> tuple[bytes, str]:
    """Returns the text that a script makes, or an error in a line.

    Args:
        request: "language" and "script"; of Lua the "modules" that run before it, its
            global "tables" and "entries" of others; "seconds", "bytes" and
            "characters", its limits, and "too_long", the words for longer texts.
    """
    _limit_time(request["seconds"])
    run = _run_javascript if request["language"] == "js" else _run_lua
    try:
        text = run(request)
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


def _used() -> float:
    """Returns the processor time of this process, s."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def _limit_time(seconds: float) -> None:
    """Has the system end this process if a script goes on in spite of its limit."""
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    end = int(_used() + 2 * seconds) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (end, hard))


def _run_javascript(request: dict) -> object:
    import _quickjs  # the package around it imports what takes longer

    engine = _quickjs.Context()
    engine.set_time_limit(request["seconds"])
    engine.set_memory_limit(request["bytes"])
    engine.set_max_stack_size(2**20)
    return engine.eval(request["script"])


def _run_lua(request: dict) -> object:
    import lupa.lua52

    runtime = lupa.lua52.LuaRuntime(
        register_eval=False,
        register_builtins=False,
        unpack_returned_tuples=True,
        max_memory=request["bytes"],
    )
    runtime.execute(request["modules"])
    globals_ = runtime.globals()
    for name, value in request["tables"].items():
        globals_[name] = _table(runtime, value)
    for name, entries in request["entries"].items():
        for key, value in entries.items():
            globals_[name][key] = value
    runtime.execute(globals_["__start"](request["seconds"]) or "")
    runtime.execute(request["script"])
    return runtime.execute("return table.concat(__out)")


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
