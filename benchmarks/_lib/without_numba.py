"""A case in a second process, to which numba is not there.

Whether functions are compiled is settled when the library is imported: timing both
ways in turns takes two processes. The second one measures its own time, so that the
way between them is not in it.
"""

import contextlib
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

EXTRA_FAST = ("numba",)


@contextlib.contextmanager
def process() -> "Iterator[Process]":
    """Gives a second process; it ends with the block."""
    command = [sys.executable, "-m", "_lib.without_numba"]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command,
        stdin=pipe,
        stdout=pipe,
        text=True,
        bufsize=1,
        cwd=Path(__file__).parents[1],
    ) as popen:
        try:
            yield Process(popen)
        finally:
            popen.stdin.close()


class Process:
    """Makes cases in the second process."""

    def __init__(self, popen: subprocess.Popen):
        self._popen = popen
        self._made = 0

    def case(self, kind: str, **arguments):
        """Returns a case of `makers`, made and timed over there."""
        number, self._made = self._made, self._made + 1
        self._ask({"kind": kind, "arguments": arguments})
        return lambda steps: self._ask({"case": number, "steps": steps})

    def _ask(self, request: dict) -> float:
        self._popen.stdin.write(json.dumps(request) + "\n")
        answer = self._popen.stdout.readline()
        if not answer:
            raise RuntimeError("the process without numba failed; see above")
        return json.loads(answer)


def serve() -> None:
    """Makes and times cases as standard input asks for them."""
    for package in EXTRA_FAST:
        sys.modules[package] = None  # its import raises ImportError
    from _lib import chains, interleaved

    cases = []
    for line in sys.stdin:
        request = json.loads(line)
        answer = 0.0
        if "steps" in request:
            answer = cases[request["case"]](request["steps"])
        else:
            simulator = makers()[request["kind"]](**request["arguments"])
            cases.append(interleaved.stepping(simulator, chains.TIME_STEP))
        print(json.dumps(answer), flush=True)


def makers() -> dict:
    """Returns what makes simulators, by kind."""
    from _lib import chains, contact_cases, moving_chains

    return {
        "chain": chains.motors,
        "moving": moving_chains.motors,
        "rover": lambda **case: contact_cases.ours(contact_cases.rover(**case)),
    }


if __name__ == "__main__":
    serve()
