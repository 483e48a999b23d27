"""The rewriting of tests' asserts, which the workers of a run divide among them.

Each would rewrite all of them as it collects the tests, which takes half of the start.
"""

import sys
from pathlib import Path

import pytest
from _pytest.assertion import rewrite


def rewrite_share(config: pytest.Config) -> None:
    """Rewrites a worker's share of the tests where all workers look for them.

    pytest has no public name for that; without this each rewrites all again.
    """
    worker = getattr(config, "workerinput", None)
    if worker is None or sys.dont_write_bytecode:
        return
    places = [Path(argument.partition("::")[0]) for argument in config.args]
    files = {
        f for p in places for f in (p.rglob("test_*.py"), [p])[p.is_file()]
    }
    number, count = int(worker["workerid"][2:]), worker["workercount"]
    for file in sorted(files)[number::count]:
        name = f"{file.stem}{rewrite.PYC_TAIL}"
        kept = rewrite.get_cache_dir(file.resolve()) / name
        if not kept.exists() and rewrite.try_makedirs(kept.parent):
            head, code = rewrite._rewrite_test(file.resolve(), config)
            state = config.stash[rewrite.assertstate_key]
            rewrite._write_pyc(state, code, head, kept)
