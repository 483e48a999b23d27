"""Files that claim to be VTK meshes: each line of their head counts."""

import pytest

from webmotor_drake.errors import InputError
from webmotor_drake.scenario.assets import _check_vtk

HEAD = [
    b"# vtk DataFile Version 3.0",
    b"any title",
    b"ASCII",
    b"DATASET POINTS",
]


def check(folder, lines, rest=b"1 2 3"):
    """Checks a file of some lines."""
    file = folder / "a.vtk"
    file.write_bytes(b"\n".join([*lines, rest] if rest is not None else lines))
    _check_vtk(file)


def test_text_may_be_ascii_and_binary_anything(tmp_path):
    check(tmp_path, HEAD)
    check(tmp_path, [*HEAD[:2], b"BINARY", HEAD[3]], b"\xff\0")
    check(tmp_path, [line + b" \r" for line in HEAD])


@pytest.mark.parametrize("place", [0, 2, 3])
@pytest.mark.parametrize("line", [b"", b"something else"])
def test_each_line_of_the_head_has_its_word(tmp_path, place, line):
    wrong = [*HEAD]
    wrong[place] = line
    with pytest.raises(InputError, match=r"a\.vtk is not a VTK mesh"):
        check(tmp_path, wrong)


@pytest.mark.parametrize("lines", range(4))
def test_a_file_that_ends_in_its_head_is_none(tmp_path, lines):
    with pytest.raises(InputError, match="is not a VTK mesh"):
        check(tmp_path, HEAD[:lines], None)


def test_bytes_that_are_no_text_need_the_word_binary(tmp_path):
    with pytest.raises(InputError, match="is not a VTK mesh"):
        check(tmp_path, HEAD, b"\xff\0")
