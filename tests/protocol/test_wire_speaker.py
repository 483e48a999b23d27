"""Speakers over the wire: sounds and texts end, and a client is told."""

import struct

import pytest
from beeps import DEVICES, PLAYED, SPOKEN, TEXT, write_beep
from connected import connected
from robots import with_driver


@pytest.fixture
def sound(tmp_path):
    file = tmp_path / "beep.wav"
    write_beep(file)
    return file


def played(sound, is_newest: bool) -> bytes:
    """Returns a request as speaker.c writes it; R2025a sends the file, too."""
    name = str(sound).encode() + b"\0"
    told = struct.pack("<BiH", 1, 1, len(name)) + name
    told += struct.pack("<3dHB", 1, 1, 0, 0, 0)
    if is_newest:
        data = sound.read_bytes()
        told += struct.pack("<i", len(data)) + data + bytes(4)
    return told


@pytest.mark.parametrize("is_newest", [False, True])
def test_a_client_is_told_of_the_ends(sound, is_newest):
    ends = {}

    def control(client):
        told = played(sound, is_newest)
        if is_newest:
            sound.unlink()  # on another machine there is none
        text = TEXT.encode() + b"\0"
        told += struct.pack("<BH", 5, len(text)) + text + struct.pack("<d", 1)
        client.command("speaker", told)
        for step in range(120):
            client.step(8)
            for name, number, value in client.messages:
                if name == "speaker":
                    ends[number] = step + 1, value
        client.clean_up()

    connected(with_driver(DEVICES), arm=control)
    assert ends == {6: (PLAYED, str(sound)), 7: (SPOKEN, None)}
