"""Small mistakes, written into the package one by one: the tests of its room notice.

    python benchmarks/mutants.py [--mutants N] [--seed S] [--room ROOM ...]

Needs coverage (pip install coverage). A copy of what is committed is changed, never
this folder. The quick tests of a room run once, to see which of them reach a line; then
a mutant's own tests run in a forked process, in which its functions' code is exchanged;
one that lives there is written into its file and tried again. Loops run as their text.
Each survivor is a line: file, kind of mistake, what stood there, what stands there now,
and how many tests reach it; some are equivalent to what stood there, so read them.
"""

import argparse
import ast
import contextlib
import copy
import dataclasses
import gc
import importlib
import os
import pkgutil
import signal
import subprocess
import sys
import tempfile
import time
import types
import xml.etree.ElementTree as ElementTree
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = "webmotor_drake"
# Rooms that are tried in others' folders of tests, too.
ELSEWHERE = {
    "controllers": ["host"],
    "engines": ["comparison"],
    "host": ["controllers", "protocol"],
    "loops": ["motor", "contact", "drive", "host"],
    "motor": ["drive"],
    "nodes": ["motor", "scenario", "host"],
    "simulation": ["drive", "host"],
    "sweep": ["cli"],
}
# Of a mutant's tests, s and number: a mutant that never ends is noticed, too.
SECONDS, TESTS = 120, 40
QUICK = ["-q", "-n", "0", "-m", "not slow"]
COMPARED = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
    ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
COMPUTED = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
    ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
}  # fmt: skip


@dataclasses.dataclass(frozen=True)
class Mutant:
    """One mistake.

    Attributes:
        file: path of the module, relative to the project.
        line: first line of the statement that holds it; lines count from 1.
        kind: name of the mistake, such as "compare".
        was: expression or statement as it stands.
        now: what replaces it.
        text: the whole module with the mistake.
    """

    file: str
    line: int
    kind: str
    was: str
    now: str
    text: str


def compare(node: ast.Compare) -> ast.AST | None:
    """Turns a comparison round, or lets it be equal."""
    other = COMPARED.get(type(node.ops[0]))
    if other is None or len(node.ops) > 1:
        return None
    return ast.Compare(node.left, [other()], node.comparators)


def boolean(node: ast.BoolOp) -> ast.AST:
    """Swaps and and or."""
    return ast.BoolOp(
        ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values
    )


def unary(node: ast.UnaryOp) -> ast.AST | None:
    """Leaves out a not or a minus."""
    return node.operand if isinstance(node.op, ast.Not | ast.USub) else None


def operator(node: ast.BinOp) -> ast.AST | None:
    """Swaps plus and minus, times and divided, the bits' and and or."""
    other = COMPUTED.get(type(node.op))
    if other is None or isinstance(node.left, ast.Constant | ast.JoinedStr):
        return None
    return ast.BinOp(node.left, other(), node.right)


def constant(node: ast.Constant) -> ast.AST | None:
    """Adds one to a number; swaps True and False."""
    if isinstance(node.value, bool):
        return ast.Constant(not node.value)
    return (
        ast.Constant(node.value + 1)
        if isinstance(node.value, int | float)
        else None
    )


def delete(node: ast.Expr) -> ast.AST | None:
    """Leaves out a call."""
    return ast.Pass() if isinstance(node.value, ast.Call) else None


def condition(node: ast.If) -> ast.AST:
    """Lets a branch always be taken."""
    return ast.If(ast.Constant(True), node.body, node.orelse)


KINDS: dict[type[ast.AST], Callable] = {
    ast.Compare: compare,
    ast.BoolOp: boolean,
    ast.UnaryOp: unary,
    ast.BinOp: operator,
    ast.Constant: constant,
    ast.Expr: delete,
    ast.If: condition,
}


def places(tree: ast.Module) -> Iterator[tuple[ast.stmt, ast.AST]]:
    """Yields each node within functions that can be mistaken, with its statement."""

    def walk(node: ast.AST, statement: ast.stmt | None) -> Iterator:
        for child in ast.iter_child_nodes(node):
            inner = child if isinstance(child, ast.stmt) else statement
            if isinstance(child, ast.arguments | ast.JoinedStr) or (
                isinstance(child, ast.AnnAssign) and child.value is None
            ):
                continue
            if inner is not None and type(child) in KINDS:
                yield inner, child
            yield from walk(child, inner)

    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef):
            for statement in function.body:
                if type(statement) in KINDS:
                    yield statement, statement
                yield from walk(statement, statement)


def mutants_of(file: Path, folder: Path) -> list[Mutant]:
    """Returns all mistakes that can be made in a module."""
    text = file.read_text()
    offsets = [0]
    for line in text.encode().splitlines(keepends=True):
        offsets.append(offsets[-1] + len(line))
    made = {}
    for statement, node in places(ast.parse(text)):
        kind = KINDS[type(node)]
        changed = kind(copy.deepcopy(node))
        if changed is None:
            continue
        begin = offsets[node.lineno - 1] + node.col_offset
        end = offsets[node.end_lineno - 1] + node.end_col_offset
        if (
            kind is condition
        ):  # The test alone is replaced: the body keeps its lines.
            begin = offsets[node.test.lineno - 1] + node.test.col_offset
            end = offsets[node.test.end_lineno - 1] + node.test.end_col_offset
            changed = ast.Constant(True)
        was = text.encode()[begin:end].decode()
        now = ast.unparse(ast.fix_missing_locations(changed))
        if isinstance(changed, ast.expr) and not isinstance(
            changed, ast.Constant
        ):
            now = f"({now})"
        whole = text.encode()[:begin] + now.encode() + text.encode()[end:]
        name = str(file.relative_to(folder))
        made[begin, end] = Mutant(
            name, statement.lineno, kind.__name__, was, now, whole.decode()
        )
    return list(made.values())


def drawn(
    room: Path, folder: Path, number: int, random: np.random.Generator
) -> list:
    """Returns mistakes of a room, each module as likely as it is long."""
    all_of_them = [
        m
        for file in sorted(room.rglob("*.py"))
        for m in mutants_of(file, folder)
    ]
    chosen = random.choice(
        len(all_of_them), min(number, len(all_of_them)), replace=False
    )
    return [all_of_them[index] for index in sorted(chosen)]


def tests_of(room: str, folder: Path) -> list[str]:
    """Returns the folders of tests that a room's tests are in."""
    return [
        f"tests/{name}"
        for name in (room, *ELSEWHERE.get(room, []))
        if (folder / "tests" / name).is_dir()
    ]


def reached(room: str, folder: Path) -> dict[tuple[str, int], list[str]]:
    """Runs a room's tests once.

    Returns:
        ids of the tests that run a line, the quickest first, by the line's file and
        number; all of them for a line that runs as its module is imported.
    """
    import coverage

    data_file, report = folder / f"reached.{room}", folder / f"{room}.xml"
    settings = folder / "coverage.ini"
    settings.write_text(
        f"[run]\ndynamic_context = test_function\nsource = {PACKAGE}\n"
        f"data_file = {data_file}\n"
    )
    command = [sys.executable, "-m", "coverage", "run", f"--rcfile={settings}"]
    command += ["-m", "pytest", *QUICK, f"--junitxml={report}"]
    subprocess.run(
        [*command, *tests_of(room, folder)],
        cwd=folder,
        env=environment(folder),
        stdout=subprocess.DEVNULL,
    )
    names, taken = {}, Counter()
    for case in ElementTree.parse(report).iter("testcase"):
        if len(case):  # It failed or was skipped.
            continue
        function = case.attrib["name"].partition("[")[0]
        dotted = f"{case.attrib['classname']}.{function}"
        name = f"{case.attrib['classname'].replace('.', '/')}.py::{function}"
        names[dotted.removeprefix("tests.")] = names[dotted] = name
        names[".".join(dotted.split(".")[-2:])] = name
        taken[name] += float(case.attrib["time"])
    data = coverage.CoverageData(str(data_file))
    data.read()
    found = defaultdict(list)
    for file in data.measured_files():
        relative = str(Path(file).resolve().relative_to(folder))
        for line, contexts in data.contexts_by_lineno(file).items():
            own = {names[context] for context in contexts if context in names}
            own = own or (taken.keys() if "" in contexts else own)
            found[relative, line] = sorted(own, key=taken.get)
    return found


def environment(folder: Path) -> dict[str, str]:
    """Returns an environment in which the copy is what is imported, as text."""
    return os.environ | {"PYTHONPATH": str(folder), "WEBMOTOR_UNCOMPILED": "1"}


def run_here(folder: Path, tests: list[str]) -> int:
    """Runs tests in this process, silently; returns pytest's status."""
    import pytest

    os.setsid()
    os.chdir(folder)
    os.environ.update(environment(folder))
    sys.path[:0] = [str(folder)]
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nothing, descriptor)
    return int(pytest.main([*QUICK, "-x", "-p", "no:cacheprovider", *tests]))


def load_package(folder: Path) -> None:
    """Imports the copy, and what every test imports, before processes are forked."""
    import pydrake.all  # noqa: F401

    os.environ.update(environment(folder))
    sys.path[:0] = [str(folder)]
    package = importlib.import_module(PACKAGE)
    for module in pkgutil.walk_packages(package.__path__, f"{PACKAGE}."):
        if ".home." not in module.name and "__main__" not in module.name:
            with contextlib.suppress(ImportError):  # an extra is missing
                importlib.import_module(module.name)


def exchange(mutant: Mutant) -> None:
    """Exchanges the code of a mutant's functions, wherever they are held."""
    codes: dict[tuple, types.CodeType] = {}

    def collect(code: types.CodeType) -> None:
        for inner in code.co_consts:
            if isinstance(inner, types.CodeType):
                codes[inner.co_qualname, inner.co_firstlineno] = inner
                collect(inner)

    collect(compile(mutant.text, mutant.file, "exec"))
    for held in gc.get_objects():
        if isinstance(held, types.FunctionType):
            before = held.__code__
            new = codes.get((before.co_qualname, before.co_firstlineno))
            if (
                new is not None
                and before.co_filename.endswith(mutant.file)
                and len(new.co_freevars) == len(before.co_freevars)
            ):
                held.__code__ = new


def noticed(
    folder: Path, tests: list[str], mutant: Mutant | None = None
) -> bool:
    """Runs tests in a forked process; True if one fails or they do not end.

    Args:
        folder: copy of the project.
        tests: ids of the tests.
        mutant: mistake to make in the process; None: the one that stands in the copy.
    """
    child = os.fork()
    if child == 0:
        status = 1
        try:
            if mutant is None:  # What is loaded is the copy without it.
                for name in [n for n in sys.modules if n.startswith(PACKAGE)]:
                    del sys.modules[name]
            else:
                exchange(mutant)
            status = run_here(folder, tests)
        finally:  # Whatever was raised: this process has nothing to tidy up.
            os._exit(status)
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return status != 0
        time.sleep(0.02)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return True


def written(folder: Path, tests: list[str], mutant: Mutant) -> bool:
    """Tries a mistake in its file, as it may act where modules are imported."""
    file = folder / mutant.file
    before = file.read_text()
    file.write_text(mutant.text)
    try:
        return noticed(folder, tests)
    finally:
        file.write_text(before)


def try_room(room: str, folder: Path, number: int, seed: int) -> Counter:
    """Tries mistakes in one room and prints who lived.

    Returns:
        numbers of "killed", "lived" and "unreached" ones.
    """
    random = np.random.default_rng([seed, *room.encode()])
    chosen = drawn(folder / PACKAGE / room, folder, number, random)
    tests, outcomes = reached(room, folder), Counter()
    for mutant in chosen:
        own = tests.get((mutant.file, mutant.line), [])[:TESTS]
        outcome = "unreached"
        if own:
            killed = noticed(folder, own, mutant) or written(
                folder, own, mutant
            )
            outcome = "killed" if killed else "lived"
        outcomes[outcome] += 1
        if outcome != "killed":
            was, now = (
                " ".join(text.split())[:90] for text in (mutant.was, mutant.now)
            )
            place = f"{mutant.file}:{mutant.line}: {outcome}, {mutant.kind}"
            print(f"{place}: `{was}` -> `{now}` ({len(own)} tests)", flush=True)
    return outcomes


def main() -> None:
    """Reads the command line and prints survivors and shares."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mutants", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--room", nargs="*", help="rooms; all that have tests by default"
    )
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made).resolve() / "project"
        subprocess.run(["git", "clone", "-q", ROOT, folder], check=True)
        rooms = options.room or [
            room.name
            for room in sorted((folder / PACKAGE).iterdir())
            if (room / "__init__.py").is_file() and tests_of(room.name, folder)
        ]
        load_package(folder)
        total = Counter()
        for room in rooms:
            outcomes = try_room(
                room, folder, options.mutants // len(rooms), options.seed
            )
            total += outcomes
            print(room, dict(outcomes), flush=True)
        share = total["killed"] / max(sum(total.values()), 1)
        print(f"all {dict(total)}: {share:.0%} killed")


if __name__ == "__main__":
    main()
