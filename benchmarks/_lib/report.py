"""A benchmark's findings: tables on the terminal, the same numbers in a JSON file."""

import argparse
import importlib.metadata
import json
import os
import platform
from dataclasses import asdict, dataclass, field
from pathlib import Path

from webmotor_drake.results.text import aligned

RESULTS = Path(__file__).parents[1] / "results"
PACKAGES = ("drake", "numpy", "mujoco", "pybullet", "ode-python")


@dataclass
class Table:
    """Numbers by case and column, some of them with a goal.

    Attributes:
        title: what the numbers are, with their unit.
        columns: what stands over the columns, as "n = 7".
        rows: cells by case. A cell is a number, a remark as "not installed"
            or None, which shows as a dash.
        goals: upper bounds of the cells of some rows; None where a cell has
            none.
    """

    title: str
    columns: list[str]
    rows: dict[str, list[float | str | None]] = field(default_factory=dict)
    goals: dict[str, list[float | None]] = field(default_factory=dict)

    def __str__(self) -> str:
        lines = [[self.title, *self.columns]]
        lines += [[name, *self.cells(name)] for name in self.rows]
        text = aligned(lines, left=1)
        rule = "-" * max(map(len, text))
        return "\n".join([text[0], rule, *text[1:]])

    def cells(self, name: str) -> list[str]:
        """Returns a row as text, the goals beside the numbers."""
        row = self.rows[name]
        goals = self.goals.get(name, [None] * len(row))
        return [_cell(*pair) for pair in zip(row, goals, strict=True)]


def _cell(value: float | str | None, goal: float | None) -> str:
    if value is None:
        return "-"
    if isinstance(value, str):
        return value
    text = _number(value)
    return text if goal is None else f"{text} (<= {goal:g})"


def _number(value: float) -> str:
    """Returns a number with about three digits, one if it is small."""
    if abs(value) >= 100:
        return f"{value:.0f}"
    if abs(value) >= 10:
        return f"{value:.1f}"
    small = abs(value) < 0.01 and value != 0
    return f"{value:.0e}" if small else f"{value:.2f}"


def options(docstring: str) -> argparse.ArgumentParser:
    """Returns the command line that all benchmarks have."""
    parser = argparse.ArgumentParser(description=docstring.splitlines()[0])
    parser.add_argument(
        "--quick",
        action="store_true",
        help="fewer and shorter rounds; writes no JSON unless --out says where",
    )
    parser.add_argument(
        "--out",
        type=Path,
        metavar="FILE",
        help="the JSON file (default: benchmarks/results/NAME.json)",
    )
    return parser


def show(name: str, tables: list[Table], args: argparse.Namespace) -> None:
    """Prints tables and writes them where the command line says."""
    for table in tables:
        print(f"\n{table}")
    if args.out or not args.quick:
        print(f"\nwritten: {write(name, tables, args.out)}")


def write(name: str, tables: list[Table], path: Path | None = None) -> Path:
    """Writes tables with what they were measured on as JSON.

    There is no date in it: the same numbers make the same file.

    Args:
        name: of the benchmark.
        tables: what it found.
        path: of the file; by default benchmarks/results/NAME.json.

    Returns:
        The path of the file.
    """
    path = path or RESULTS / f"{name}.json"
    content = {
        "benchmark": name,
        "machine": machine(),
        "versions": versions(),
        "tables": [asdict(table) for table in tables],
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(_rounded(content), indent=1, ensure_ascii=False)
    path.write_text(text + "\n", encoding="utf-8")
    return path


def read(path: Path) -> tuple[dict, list[Table]]:
    """Returns the whole content of a JSON file, and its tables."""
    content = json.loads(path.read_text(encoding="utf-8"))
    return content, [Table(**table) for table in content["tables"]]


def _rounded(value: object) -> object:
    """Returns the same with numbers of four digits: more would be noise."""
    if isinstance(value, float):
        return float(f"{value:.4g}")
    if isinstance(value, list):
        return [_rounded(item) for item in value]
    if isinstance(value, dict):
        return {name: _rounded(item) for name, item in value.items()}
    return value


def machine() -> dict[str, str | int]:
    """Returns the model of the processor and the number of its cores."""
    model = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:  # not Linux
        lines = []
    for line in lines:
        if line.startswith("model name"):
            model = line.split(":", 1)[1].strip()
            break
    return {"cpu": model, "cores": os.cpu_count() or 1}


def versions() -> dict[str, str]:
    """Returns the versions of Python and of the packages that are installed."""
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found
