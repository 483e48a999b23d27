"""Numbers with their units, and tables of them, as plain text."""

import csv
import html
import io
import math
from collections.abc import Iterable, Sequence

# Stands where there is no number.
NONE = "-"
# Numbers from here on are shown with an exponent.
_LONG = 1e6


def number(value: float, digits: int = 3) -> str:
    """Returns a number of so many digits, a dash for NaN.

    Numbers up to a million are written out: "12345", not "1.23e+04".
    """
    if math.isnan(value):
        return NONE
    whole = 10**digits <= abs(value) < _LONG
    return f"{value + 0.0:{'.0f' if whole else f'.{digits}g'}}"  # no minus zero


def quantity(value: float, unit: str, digits: int = 3) -> str:
    """Returns a number and its unit, a dash for NaN; see `number`."""
    text = number(value, digits)
    return f"{text} {unit}" if unit and text != NONE else text


def aligned(rows: Sequence[Sequence[str]], *, left: int) -> list[str]:
    """Returns one line per row, columns two spaces apart.

    Args:
        rows: cells, all rows of the same length.
        left: number of columns that stand left; numbers stand right.
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.ljust(width) if i < left else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def csv_text(rows: Iterable[Sequence[object]]) -> str:
    """Returns rows as the text of a CSV file."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def html_table(rows: Sequence[Sequence[str]], *, left: int) -> str:
    """Returns a table for a notebook, whose style it takes.

    Args:
        rows: cells, all rows of the same length; the first has the headings.
        left: number of columns that stand left; numbers stand right.
    """
    lines: list[str] = []
    for row in rows:
        tag = "td" if lines else "th"
        cells = [
            f'<{tag} style="text-align: {"left" if i < left else "right"}">'
            f"{html.escape(cell)}</{tag}>"
            for i, cell in enumerate(row)
        ]
        lines.append(f"<tr>{''.join(cells)}</tr>")
    return "\n".join(["<table>", *lines, "</table>"])
