"""Files must be whole or absent, whatever the system refuses."""

import errno
import os
from pathlib import Path

import pytest

from webmotor_drake.errors import InputError
from webmotor_drake.results.whole_file import (
    check_regular,
    check_writable,
    is_file,
    write_together,
    write_whole,
)


@pytest.fixture
def full_disk(monkeypatch):
    """Lets the disk be full when written data is to reach it."""

    def refuse(_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", refuse)


def test_a_file_holds_what_was_written_and_no_other_file_remains(tmp_path):
    # The plain case; a temporary file left behind would pile up.
    write_whole(tmp_path / "new" / "a.bin", b"\0data")
    assert (tmp_path / "new" / "a.bin").read_bytes() == b"\0data"
    assert os.listdir(tmp_path / "new") == ["a.bin"]


def test_what_may_never_end_is_no_file(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/zero")):
        with pytest.raises(InputError, match="is a pipe or a device, not a"):
            check_regular(path)
    for path in (tmp_path, tmp_path / "nothing"):
        check_regular(path)


def test_a_file_is_readable_by_those_the_umask_lets_read(tmp_path):
    # Temporary files are often private; a result shared by a group is not.
    write_whole(tmp_path / "whole", b"")
    (tmp_path / "plain").write_bytes(b"")
    mode = (tmp_path / "plain").stat().st_mode
    assert (tmp_path / "whole").stat().st_mode == mode


def test_a_full_disk_leaves_the_older_file_and_is_told_in_one_line(
    tmp_path, full_disk
):
    # The older result is all that the user has left.
    path = tmp_path / "a.bin"
    path.write_bytes(b"older")
    with pytest.raises(InputError) as caught:
        write_whole(path, b"newer")
    assert str(caught.value) == f"cannot write {path}: No space left on device"
    assert path.read_bytes() == b"older"
    assert os.listdir(tmp_path) == ["a.bin"]


def test_a_write_that_the_system_cuts_short_leaves_no_half_file(tmp_path):
    # Not simulated: the system itself stops the write after 1000 bytes.
    resource = pytest.importorskip("resource")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
    try:
        with pytest.raises(InputError, match="File too large"):
            write_whole(tmp_path / "a.bin", bytes(100_000))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert os.listdir(tmp_path) == []


def test_ctrl_c_in_the_middle_of_a_write_leaves_no_file(tmp_path, monkeypatch):
    # KeyboardInterrupt is no OSError and must pass through, cleanly.
    def interrupt(_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_whole(tmp_path / "a.bin", b"data")
    assert os.listdir(tmp_path) == []


def test_two_files_change_together_or_not_at_all(tmp_path, monkeypatch):
    # New arrays beside old metadata would be a run that never was.
    paths = [tmp_path / "a", tmp_path / "b"]
    write_together(dict.fromkeys(paths, b"older"))
    calls = []

    def refuse_the_second(_):
        calls.append(1)
        if len(calls) == 2:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", refuse_the_second)
    with pytest.raises(InputError, match=r"cannot write .*b: No space"):
        write_together(dict.fromkeys(paths, b"newer"))
    assert [path.read_bytes() for path in paths] == [b"older", b"older"]
    assert sorted(os.listdir(tmp_path)) == ["a", "b"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="Linux only")
def test_a_device_is_written_to_and_never_replaced_by_a_file():
    # Renaming onto /dev/full would need rights, but root has them.
    with pytest.raises(InputError, match="/dev/full: No space left on device"):
        write_whole("/dev/full", b"data")
    write_whole("/dev/null", b"data")
    check_writable("/dev/null")
    assert Path("/dev/full").is_char_device()
    assert Path("/dev/null").is_char_device()


def test_a_link_keeps_pointing_at_the_file_that_was_written(tmp_path):
    # Users link result folders and files to larger disks.
    (tmp_path / "target").write_bytes(b"older")
    (tmp_path / "link").symlink_to("target")
    write_whole(tmp_path / "link", b"newer")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_bytes() == b"newer"


@pytest.mark.parametrize(
    "write", [check_writable, lambda p: write_whole(p, b"")]
)
def test_what_stands_in_the_way_is_named(tmp_path, write):
    # A folder where the file should be, and a file where the folder should.
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(InputError, match="/folder: Is a directory"):
        write(tmp_path / "folder")
    with pytest.raises(InputError, match="/file/a: Not a directory"):
        write(tmp_path / "file" / "a")
    with pytest.raises(InputError, match="/file/a/b: Not a directory"):
        write(tmp_path / "file" / "a" / "b")


def test_a_current_folder_that_is_gone_is_told_in_a_line(tmp_path, monkeypatch):
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    with pytest.raises(InputError, match="cannot write a/b: No such file"):
        write_whole("a/b", b"")


def test_a_check_makes_the_folder_and_touches_no_file(tmp_path):
    # It runs before each simulation, over the results of the last one.
    (tmp_path / "a").write_bytes(b"older")
    check_writable(tmp_path / "a")
    check_writable(tmp_path / "new" / "b")
    assert (tmp_path / "a").read_bytes() == b"older"
    assert os.listdir(tmp_path / "new") == []


def test_a_check_finds_a_full_disk(tmp_path, full_disk):
    # An empty file fits on a full disk; the check must write something.
    with pytest.raises(InputError, match="No space left on device"):
        check_writable(tmp_path / "a")
    assert os.listdir(tmp_path) == []


def test_a_folder_without_the_right_to_write_is_found_by_the_check(
    without_rights,
):
    # The commonest failure on shared machines.
    without_rights.chmod(0o500)
    with pytest.raises(InputError, match="Permission denied"):
        check_writable(without_rights / "a")
    without_rights.chmod(0o700)


def test_a_pipe_is_not_opened_to_see_whether_it_can_be_written(tmp_path):
    """It would wait for a reader, or end the one that it has."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    check_writable(pipe)


def test_a_name_that_is_as_long_as_can_be_is_written(tmp_path):
    write_whole(tmp_path / ("a" * 255), b"data")
    assert os.listdir(tmp_path) == ["a" * 255]


def test_a_folder_is_made_however_deep_it_is(tmp_path):
    """Python's own way fails where its stack ends, at a thousand folders.

    So does pytest's, which removes a run's folders three runs later.
    """
    deep = Path(tmp_path, *["a"] * 1050)
    write_whole(deep / "file", b"data")
    assert (deep / "file").read_bytes() == b"data"
    (deep / "file").unlink()
    for folder in (deep, *deep.parents[:1049]):
        folder.rmdir()
    assert list(tmp_path.iterdir()) == []


def test_no_file_has_a_name_of_five_thousand_characters(tmp_path):
    assert not is_file(tmp_path / ("a" * 5000))
    assert not is_file(Path("a\0b"))
