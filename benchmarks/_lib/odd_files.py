"""Files as accidents leave them: cut, empty, of another kind, edited by hand."""

import json
import os
import re
import typing
from pathlib import Path

import numpy as np

_TEXTS = {".yaml", ".urdf", ".sdf", ".obj", ".py", ".motion", ".csv"}
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")

# What a value may become.
VALUES = (
    *(None, True, 0, 5, -1.5, 1e308, 10**400, float("nan")),
    *("", "x", "a\0b", "x" * 200_000, [], [1], ["x"], [[]], {}, {"x": 1}),
    {"x": {"y": [None]}},
)


def damage(file: Path, random: np.random.Generator) -> str:
    """Does something to a file; returns what.

    Args:
        file: it is changed, replaced or removed.
        random: decides what happens.
    """
    ways: list[typing.Callable[[Path, np.random.Generator], None]] = [
        _remove,
        _empty,
        _cut,
        _noise,
        _folder,
        _pipe,
        _link_to_nothing,
        _link_to_itself,
        _binary,
        _deep,
        _unreadable_text,
    ]
    if file.suffix in _TEXTS:
        ways += [_slip_in_text] * 12 + [_other_number] * 12
    if file.suffix == ".json":
        ways += [_edit_json] * 20
    if file.suffix == ".csv":
        ways += [_edit_table] * 12
    if file.suffix == ".npz":
        ways += [_edit_arrays] * 12
    way = ways[random.integers(len(ways))]
    way(file, random)
    return f"{file.name}: {way.__name__.strip('_')}"


def slip(text: str, random: np.random.Generator) -> str:
    """Returns a text as a slip of the editor leaves it."""
    lines = text.splitlines(keepends=True)
    i = int(random.integers(len(lines)))
    what = random.integers(6)
    if what == 0:
        del lines[i]
    elif what == 1:
        lines.insert(i, lines[i])
    elif what == 2:
        lines[i] = f"\t{lines[i]}"
    elif what == 3:
        lines[i] = f" {lines[i]}"
    elif what == 4:
        j = int(random.integers(len(lines[i])))
        odd = ":{}[]'\"#&*!|>%@`\0\x85\ufeff,-?~"
        lines[i] = lines[i][:j] + odd[random.integers(len(odd))] + lines[i][j:]
    else:
        return text[: random.integers(len(text))]
    return "".join(lines)


def _slip_in_text(file: Path, random: np.random.Generator) -> None:
    text = file.read_text(errors="surrogateescape")
    for _ in range(random.integers(1, 3)):
        text = slip(text, random) if text else text
    file.write_text(text, errors="surrogateescape")


def _other_number(file: Path, random: np.random.Generator) -> None:
    """Gives a number of a text another value, or makes it none."""
    text = file.read_text(errors="surrogateescape")
    places = list(_NUMBER.finditer(text))
    if places:
        place = places[random.integers(len(places))]
        others = "0", "-1", "1e300", "nan", "inf", "x", "", "1e-300", "5 5"
        other = others[random.integers(len(others))]
        text = text[: place.start()] + other + text[place.end() :]
        file.write_text(text, errors="surrogateescape")


def _remove(file: Path, random: np.random.Generator) -> None:
    file.unlink()


def _empty(file: Path, random: np.random.Generator) -> None:
    file.write_bytes(b"")


def _cut(file: Path, random: np.random.Generator) -> None:
    data = file.read_bytes()
    file.write_bytes(data[: random.integers(max(len(data), 1))])


def _noise(file: Path, random: np.random.Generator) -> None:
    data = bytearray(file.read_bytes() or b" ")
    for place in random.integers(len(data), size=3):
        data[place] = random.integers(256)
    file.write_bytes(data)


def _folder(file: Path, random: np.random.Generator) -> None:
    file.unlink()
    file.mkdir()


def _pipe(file: Path, random: np.random.Generator) -> None:
    file.unlink()
    os.mkfifo(file)


def _link_to_nothing(file: Path, random: np.random.Generator) -> None:
    file.unlink()
    file.symlink_to(file.parent / "nothing")


def _link_to_itself(file: Path, random: np.random.Generator) -> None:
    file.unlink()
    file.symlink_to(file)


def _binary(file: Path, random: np.random.Generator) -> None:
    file.write_bytes(random.bytes(100))


def _deep(file: Path, random: np.random.Generator) -> None:
    file.write_text("[" * 100_000)


def _unreadable_text(file: Path, random: np.random.Generator) -> None:
    file.write_bytes(b"\xff\xfe" + file.read_bytes())


def _edit_json(file: Path, random: np.random.Generator) -> None:
    """Gives a value, or several, another one, or removes it."""
    data = json.loads(file.read_bytes())
    data.pop("arrays_sha256", None)  # the other file may be damaged, too
    for _ in range(random.integers(1, 4)):
        within, key = _place(data, random)
        if key is None:
            break
        if random.random() < 0.2:
            del within[key]
        else:
            within[key] = VALUES[random.integers(len(VALUES))]
    file.write_text(json.dumps(data))


def _place(
    data: typing.Any, random: np.random.Generator
) -> tuple[typing.Any, typing.Any]:
    """Returns a container in the data, and a key in it; None: it is empty."""
    within, key = data, None
    while isinstance(data, dict | list) and data:
        keys = list(data) if isinstance(data, dict) else list(range(len(data)))
        within, key = data, keys[random.integers(len(keys))]
        data = within[key]
        if random.random() < 0.3:
            break
    return within, key


def _edit_table(file: Path, random: np.random.Generator) -> None:
    """Changes a cell, or leaves out a column or a row, as spreadsheets do."""
    rows = [line.split(",") for line in file.read_text().splitlines()]
    row = rows[random.integers(len(rows))]
    column = random.integers(len(row))
    cells = ["", "x", "nan", "inf", "1e999", '"', "x" * 200_000, "done", "1;2"]
    what = random.integers(4)
    if what == 0:
        row[column] = cells[random.integers(len(cells))]
    elif what == 1:
        for other in rows:
            del other[column : column + 1]
    elif what == 2:
        rows.remove(row)
    else:
        row.append("more")
    ends = "\r\n" if random.random() < 0.3 else "\n"
    file.write_text("".join(",".join(row) + ends for row in rows))


def _edit_arrays(file: Path, random: np.random.Generator) -> None:
    """Leaves an array out, or gives it another shape, type or values."""
    with np.load(file) as archive:
        arrays = dict(archive)
    name = list(arrays)[random.integers(len(arrays))]
    values = arrays[name]
    others = [
        None,
        values[:-1],
        values[:0],
        values[None],
        values.astype("complex64"),
        values.astype("U8"),
        np.full_like(values, np.nan),
        np.full_like(values, np.inf),
        values[::-1],
        np.array(3.0),
        values.astype("float16"),
    ]
    other = others[random.integers(len(others))]
    if other is None:
        del arrays[name]
    else:
        arrays[name] = other
    np.savez(file, **arrays)
