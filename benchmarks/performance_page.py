"""Puts the last results into the page of the docs.

    python benchmarks/performance_page.py

The tables in docs/performance.md stand between `<!-- NAME -->` and `<!-- end -->`;
each such pair gets those of benchmarks/results/NAME.json. The text around them is
written by hand.
"""

import re
import sys
from pathlib import Path

from _lib import report

PAGE = Path(__file__).parent.parent / "docs/performance.md"
BLOCK = re.compile(r"(<!-- (?!end)(\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def filled(page: str, results: Path) -> str:
    """Returns the page with the tables of the results.

    Args:
        page: the text.
        results: the folder of the JSON files.

    Raises:
        FileNotFoundError: there are no results for a pair of marks.
    """

    def tables(found: re.Match) -> str:
        content, tables = report.read(results / f"{found[2]}.json")
        texts = [markdown(table) for table in tables]
        return (
            f"{found[1]}\n" + "\n".join([*texts, measured_on(content)])
        ) + f"\n{found[3]}"

    return BLOCK.sub(tables, page)


def markdown(table: report.Table) -> str:
    """Returns a table in Markdown."""
    lines = [
        [table.title, *table.columns],
        ["---", *["---:"] * len(table.columns)],
        *([name, *table.cells(name)] for name in table.rows),
    ]
    text = "".join(f"| {' | '.join(line)} |\n" for line in lines)
    return re.sub("<(?=[a-z])", "&lt;", text)


def measured_on(content: dict) -> str:
    """Returns a line on the machine and the versions."""
    machine = content["machine"]
    versions = ", ".join(f"{n} {v}" for n, v in content["versions"].items())
    return (
        f"Measured on {machine['cpu']}, {machine['cores']} cores; {versions}.\n"
    )


def main() -> int:
    """Rewrites the page; returns the exit status."""
    try:
        page = filled(PAGE.read_text(encoding="utf-8"), report.RESULTS)
    except FileNotFoundError as error:
        name = Path(error.filename).stem
        print(f"no results: run python benchmarks/{name}.py", file=sys.stderr)
        return 2
    PAGE.write_text(page, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
