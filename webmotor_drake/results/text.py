"""Numbers with their units, and tables of them, as plain text."""

import contextlib
import contextvars
import csv
import html
import io
import itertools
import math
import re
from collections.abc import Generator, Iterable, Sequence
from unicodedata import combining, east_asian_width

# Text in place of a missing number.
NONE = "-"
# Numbers from here on are shown with an exponent.
_LONG = 1e6
# Number of columns that a table keeps in any window, and of letters of its names.
_FEW, _LEAST = 2, 10
_WIDTH: contextvars.ContextVar[int | None] = contextvars.ContextVar(
    "width", default=None
)


def number(value: float, digits: int = 3) -> str:
    """Returns a number rounded to `digits` digits, or a dash for NaN.

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


@contextlib.contextmanager
def window(width: int | None) -> Generator[None]:
    """Makes the tables of its block fit a width, characters; None: any width."""
    token = _WIDTH.set(width)
    try:
        yield
    finally:
        _WIDTH.reset(token)


def aligned(
    rows: Sequence[Sequence[str]], *, left: int, first_out: Sequence[str] = ()
) -> list[str]:
    """Returns one line per row, columns two spaces apart.

    In a window that is too narrow, the names in the first column first lose their
    common beginning. Then columns are left out, and a last line names them; at last the
    names' beginnings are cut. A table of text alone has its last column cut.

    Args:
        rows: cells, all rows of the same length.
        left: number of left-aligned columns; the others are right-aligned.
        first_out: headings in the order in which columns are left out; columns that
            are not named go before them, from the right.
    """
    width = _WIDTH.get()
    if width is None or _width(rows) <= width:
        return _lines(rows, left)
    if left == len(rows[0]):
        return [_cut(line, width) for line in _lines(rows, left)]
    notes: list[str] = []
    gone: list[str] = []
    if left and (prefix := _shared([row[0] for row in rows[1:]])):
        rows = [rows[0], *([r[0][len(prefix) :], *r[1:]] for r in rows[1:])]
        notes.append(f"all of {prefix}")
    head = list(rows[0])
    others = [name for name in head[:0:-1] if name not in first_out]
    for name in (*others, *first_out):
        if _width(rows) <= width or len(rows[0]) <= _FEW or name not in head:
            continue
        at = list(rows[0]).index(name)
        rows = [[*row[:at], *row[at + 1 :]] for row in rows]
        left -= at < left
        gone.append(name)
    if left and (over := _width(rows) - width) > 0:
        # Names often differ at their ends.
        most = max(max(_columns(row[0]) for row in rows) - over, _LEAST)
        rows = [[_cut(r[0][::-1], most)[::-1], *r[1:]] for r in rows]
    if gone:
        left_out = ", ".join(name for name in head if name in gone)
        notes.append(f"without {left_out} (--wide)")
    return [*_lines(rows, left), *(["; ".join(notes)] if notes else [])]


def _lines(rows: Sequence[Sequence[str]], left: int) -> list[str]:
    widths = [max(map(_columns, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            _padded(cell, width, i < left)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def _padded(text: str, width: int, is_left: bool) -> str:
    blanks = " " * (width - _columns(text))
    return text + blanks if is_left else blanks + text


def _columns(text: str) -> int:
    """Returns the columns of a terminal that a text takes: Chinese letters take two."""
    return sum(
        0 if combining(c) else 1 + (east_asian_width(c) in "WF") for c in text
    )


def _width(rows: Sequence[Sequence[str]]) -> int:
    return max(map(_columns, _lines(rows, len(rows[0]))))


def _shared(names: Sequence[str]) -> str:
    """Returns the model, with its slash, that all names begin with; "" for none."""
    pairs = zip(min(names), max(names), strict=False)
    same = itertools.takewhile(lambda pair: pair[0] == pair[1], pairs)
    prefix = "".join(letter for letter, _ in same)
    return "".join(re.findall(r".*?(?:/|::)", prefix))


def _cut(text: str, width: int) -> str:
    kept = len(text)
    while _columns(text[:kept]) > width - (kept < len(text)):
        kept -= 1
    return text if kept == len(text) else f"{text[:kept]}…"


def csv_text(rows: Iterable[Sequence[object]]) -> str:
    """Returns rows as the text of a CSV file."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def html_table(rows: Sequence[Sequence[str]], *, left: int) -> str:
    """Returns a table for a notebook, whose style it takes.

    Args:
        rows: cells, all rows of the same length; the first has the headings.
        left: number of left-aligned columns; the others are right-aligned.
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
