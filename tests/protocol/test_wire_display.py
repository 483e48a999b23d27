"""Displays over the wire, beside the same drawings by the Python API."""

import struct

import numpy as np
import pytest
from connected import connected
from folders import TEST_SCENARIOS
from loaded import loaded

from webmotor_drake.controllers.session import RobotSession
from webmotor_drake.host.senses import renderer

FILE = TEST_SCENARIOS / "devices.scenario.yaml"
needs_pictures = pytest.mark.skipif(
    not renderer.can_render(), reason="nothing to draw with (libegl1, libgl1)"
)


def see():
    """A rover with a camera and a display."""
    return loaded(FILE, "See", "{simulation_duration: 0.4}")


def draw_by_api(display) -> np.ndarray:
    display.setColor(0xFF8000)
    display.fillRectangle(2, 3, 10, 5)
    display.setOpacity(0.2)
    display.setAlpha(0.4)
    display.fillOval(20, 15, 6, 4)
    display.drawLine(0, 0, 30, 20)
    display.setOpacity(1)
    display.drawPolygon([1, 9, 5], [20, 20, 28])
    display.drawPixel(4, 4)
    display.setFont("Arial", 10, True)
    display.drawText("hi", 2, 12)
    copy = display.imageCopy(0, 0, 8, 8)
    display.imagePaste(copy, 25, 1, True)
    loaded = display.imageNew(bytes(range(12)), display.RGB, 2, 2)
    display.imagePaste(loaded, 0, 28, False)
    return display._canvas.pixels


def two(number: int, *numbers: int, fill: int | None = None) -> bytes:
    """Returns a drawing of corners: x of all, then y of all."""
    head = struct.pack("<Bh", number, len(numbers) // 2)
    numbers = numbers[::2] + numbers[1::2]
    tail = b"" if fill is None else bytes([fill])
    return head + struct.pack(f"<{len(numbers)}i", *numbers) + tail


DRAWN = b"".join(
    (
        struct.pack("<Bi", 16, 0xFF8000),
        two(35, 2, 3, 10, 5, fill=1),
        b"\x12\x33\x11\x66",  # opacity 0.2, alpha 0.4
        two(36, 20, 15, 6, 4, fill=1),
        two(33, 0, 0, 30, 20),
        b"\x12\xff",
        two(37, 1, 20, 9, 20, 5, 28, fill=0),
        two(32, 4, 4),
        struct.pack("<BIBH6s", 19, 10, 1, 6, b"Arial\0"),
        two(34, 2, 12) + b"hi\0",
        struct.pack("<Bi4h", 64, 1, 0, 0, 8, 8),
        struct.pack("<BihhB", 65, 1, 25, 1, 1),
        struct.pack("<BihhB", 67, 2, 2, 2, 3) + bytes(range(12)),
        struct.pack("<BihhB", 65, 2, 0, 28, 0),
    )
)


def test_a_client_draws_as_the_python_api_does():
    with RobotSession(see()) as session:
        robot = session.robot("rover")
        expected = draw_by_api(robot.getDevice("display"))
    told = []

    def control(client):
        client.command("display", DRAWN + struct.pack("<Bi", 66, 0))
        client.step(0)
        told.append(client.seen["display", 66])
        client.command("display", struct.pack("<Bi", 68, 2))
        client.command("display", struct.pack("<Bi", 66, 2))  # gone
        client.clean_up()

    connected(see(), rover=control)
    image, width, height, pixels = told[0]
    assert image == 0
    shown = np.frombuffer(pixels, np.uint8).reshape(height, width, 4)
    np.testing.assert_array_equal(shown[..., [2, 1, 0, 3]], expected)


@needs_pictures
@pytest.mark.parametrize("tcp", [False, True])
def test_a_camera_tells_what_it_recognizes_as_in_the_python_api(tcp):
    with RobotSession(see()) as session:
        robot = session.robot("rover")
        camera = robot.getDevice("camera")
        camera.recognitionEnable(8)
        camera.enableRecognitionSegmentation()
        robot.step(8)
        robot.step(8)
        known = camera.getRecognitionObjects()
        expected = camera.getRecognitionSegmentationImage()

    def control(client):
        client.command("camera", struct.pack("<BHBB", 10, 8, 11, 1))
        client.step(8)
        client.step(8)
        seen = client.seen["camera", 12]
        assert [one[0] for one in seen] == [one.getId() for one in known]
        assert [one[-1] for one in seen] == [one.getModel() for one in known]
        for told, one in zip(seen, known, strict=True):
            assert list(told[1:4]) == one.getPosition()
            assert list(told[10:12]) == one.getPositionOnImage()
            assert [*np.ravel(told[14])] == one.getColors()
        pixels = client.images if tcp else client.maps
        assert bytes(pixels["camera segmentation"]) == expected
        client.clean_up()

    connected(see(), tcp, rover=control)
