"""Camera, RangeFinder, Lidar and Display, before boxes of known places and colours."""

import math
import struct

import numpy as np
import pytest
from folders import TEST_SCENARIOS
from loaded import loaded
from PIL import Image
from robots import controller

from webmotor_drake.controllers.devices.camera import Camera
from webmotor_drake.controllers.devices.images import save_radiance
from webmotor_drake.controllers.devices.ranging import RangeFinder
from webmotor_drake.controllers.in_process.controller_run import (
    run_with_controllers,
)
from webmotor_drake.controllers.session import RobotSession
from webmotor_drake.errors import InputError, MotorWarning
from webmotor_drake.host.senses import renderer
from webmotor_drake.loading import load_scenario

FILE = TEST_SCENARIOS / "devices.scenario.yaml"
# From the devices at x = 0.16 m to the crate's face.
AWAY = 1.0
FOCAL = 40 / math.tan(0.5)  # pixels

drawn = pytest.mark.skipif(
    not renderer.can_render(), reason="nothing to draw with (libegl1, libgl1)"
)


def shown(light, exposure=1.0):
    """Returns the intensity in an image of a light, 0 to 1 (WREN's hdr_resolve)."""
    return 255 * (1 - math.exp(-exposure * light)) ** (1 / 2.2)


def see(text: str = ""):
    text = text and f"{{model_drivers: {{rover: {{devices: {{{text}}}}}}}}}"
    return RobotSession(loaded(FILE, "See", text or "{}"))


@pytest.fixture(scope="module")
def rover():
    """A robot all of whose devices have measured twice."""
    with see() as session:
        robot = session.robot("rover")
        for name in ("camera", "plain", "depth", "lidar", "spinning"):
            robot.getDevice(name).enable(8)
        camera = robot.getDevice("camera")
        camera.recognitionEnable(8)
        camera.enableRecognitionSegmentation()
        robot.step(16)
        yield robot


@pytest.fixture(scope="module")
def off():
    """A robot none of whose devices is on."""
    with see() as session:
        yield session.robot("rover")


@drawn
def test_a_cameras_pixels_are_blue_green_red_alpha_from_the_top_left(rover):
    camera = rover.getDevice("camera")
    image = camera.getImage()
    assert isinstance(image, bytes) and len(image) == 4 * 80 * 60
    # The crate's face is square to the light, which comes from the camera.
    crate = [
        get(image, 80, 40, 30)
        for get in (
            Camera.imageGetRed,
            Camera.imageGetGreen,
            Camera.imageGetBlue,
        )
    ]
    assert crate == pytest.approx([shown(c) for c in (0.7, 0.5, 0.3)], abs=3)
    small = np.frombuffer(image, np.uint8).reshape(60, 80, 4)[15, 4]
    assert small[:3] == pytest.approx(
        [shown(c) for c in (0.8, 0.4, 0.2)], abs=30
    )
    gray = Camera.imageGetGray(image, 80, 40, 30)
    assert gray == pytest.approx(sum(crate) / 3)


@drawn
def test_the_array_of_an_image_is_counted_off_as_webots_does(rover):
    camera = rover.getDevice("camera")
    array = camera.getImageArray()
    assert len(array) == 80 and len(array[0]) == 60
    pixels = np.frombuffer(camera.image, np.uint8).reshape(-1, 4)
    assert np.array(array).reshape(-1, 3).tolist() == pixels[:, 2::-1].tolist()


@drawn
def test_noise_is_a_part_of_255_and_seeded(rover):
    def noisy():
        with see() as session:
            robot = session.robot("rover")
            robot.getDevice("plain").enable(8)
            robot.step(8)
            return robot.getDevice("plain").getImage()

    image = noisy()
    assert image == noisy()
    pixels = np.frombuffer(image, np.uint8).reshape(64, 64, 4)
    # Four standard errors, in the crate's plain face of 10 x 10 pixels.
    face = pixels[27:37, 27:37, 1].astype(float)
    assert face.std() == pytest.approx(25.5, rel=4 / math.sqrt(200))
    assert (pixels[..., 3] == 255).all()


@drawn
def test_images_are_saved(rover, tmp_path, capsys):
    camera, depth = rover.getDevice("camera"), rover.getDevice("depth")
    assert camera.saveImage(str(tmp_path / "a.png"), 100) == 0
    assert camera.saveImage(str(tmp_path / "a.jpg"), 90) == 0
    assert depth.saveImage(str(tmp_path / "d.png"), 100) == 0
    with Image.open(tmp_path / "a.png") as image:
        assert image.size == (80, 60)
        assert image.getpixel((40, 30))[:3] == pytest.approx(
            [shown(c) for c in (0.7, 0.5, 0.3)], abs=3
        )
    with Image.open(tmp_path / "d.png") as image:
        assert image.getpixel((40, 30)) == pytest.approx(
            255 / 3, abs=1
        )  # 1 m of 3
    assert camera.saveImage(str(tmp_path / "a.bmp"), 90) == -1
    assert camera.saveImage(str(tmp_path / "a.jpg"), 0) == -1
    assert camera.saveImage(str(tmp_path / "no" / "a.png"), 90) == -1
    error = capsys.readouterr().err
    assert "does not end in .png" in error and "cannot write" in error


@pytest.mark.closed_form("RangeFinder")
@drawn
def test_a_range_finder_reads_how_far_ahead_things_are(rover):
    depth = rover.getDevice("depth")
    rows = depth.getRangeImageArray()
    image = depth.getRangeImage()
    assert [len(rows), len(rows[0]), len(image)] == [60, 80, 4800]
    # A plane's depth is the same all over, to the 24 bits of the engine.
    assert np.array(rows)[20:40, 30:50] == pytest.approx(AWAY, abs=1e-4)
    assert RangeFinder.rangeImageGetDepth(image, 80, 40, 30) == rows[30][40]
    # The small box's face is at 0.66 - 0.025 - 0.16 m.
    assert rows[15][4] == pytest.approx(0.475, abs=1e-4)
    assert rows[0][79] == math.inf
    buffer = depth.getRangeImage(data_type="buffer")
    assert list(struct.unpack("4800f", buffer)) == image
    assert (depth.width, depth.height, depth.fov) == (80, 60, 1.0)
    assert (depth.min_range, depth.max_range) == (0.01, 3)


@pytest.mark.closed_form("Lidar")
@drawn
def test_a_lidar_reads_distances_from_left_to_right_and_top_to_bottom(rover):
    lidar = rover.getDevice("lidar")
    rows = np.array(lidar.getRangeImageArray())
    assert rows.shape == (3, 101)
    theta = 1.5708 / 2 - np.arange(101) * 1.5708 / 100
    hits = abs(np.tan(theta)) < 0.14
    for row, phi in zip(rows, (0.05, 0.0, -0.05), strict=True):
        # A wall across x, 1 m away.
        expected = AWAY / np.cos(theta[hits]) / math.cos(phi)
        assert row[hits] == pytest.approx(expected, abs=1e-4)
        misses = abs(np.tan(theta)) > 0.16
        misses &= theta < 0.3  # where the small box is
        assert np.isinf(row[misses]).all()
    assert lidar.getRangeImage() == rows.ravel().tolist()
    assert lidar.getLayerRangeImage(2) == rows[2].tolist()
    assert lidar.getNumberOfLayers() == 3 and lidar.fov == 1.5708
    assert lidar.getHorizontalResolution() == 101
    assert (lidar.min_range, lidar.max_range) == (0.01, 3)
    assert lidar.getVerticalFov() == 0.1


@drawn
def test_a_rotating_lidar_sees_all_around(rover):
    row = rover.getDevice("spinning").getRangeImage()
    turned = 1.16 / math.cos(math.radians(5)) / math.cos(0.09)
    assert row[0] == pytest.approx(1.16 / math.cos(0.09), abs=1e-4)
    assert row[5] == pytest.approx(turned, abs=1e-4)
    assert row[355] == pytest.approx(turned, abs=1e-4)
    assert math.isinf(row[180])


@drawn
def test_a_rotating_lidar_turns_clockwise():
    """The small box is ahead to the left: in the last quarter of the turn."""
    lidar = (
        "spinning: !Lidar {frame: chassis, pose: {translation: [0, 0, 0.15]},"
        " type: rotating, horizontal_resolution: 360, number_of_layers: 1,"
        " vertical_field_of_view: 0.02, max_range: 3}"
    )
    with see(lidar) as session:
        robot = session.robot("rover")
        robot.getDevice("spinning").enable(8)
        robot.step(16)
        row = robot.getDevice("spinning").getRangeImage()
    near = [i for i in range(360) if row[i] < 0.9]  # the crate is at 1.16 m
    assert near and min(near) > 270 and max(near) < 352


@drawn
def test_points_are_in_the_lidars_axes(rover, capsys):
    lidar = rover.getDevice("lidar")
    assert not lidar.isPointCloudEnabled()
    assert lidar.getPointCloud() == [] and lidar.getNumberOfPoints() == 0
    assert "enablePointCloud() first" in capsys.readouterr().err
    lidar.enablePointCloud()
    points = lidar.getPointCloud()
    assert len(points) == lidar.getNumberOfPoints() == 303
    point = lidar.getLayerPointCloud(0)[48]
    theta = 0.02 * 1.5708
    assert (point.x, point.y) == pytest.approx((1, math.tan(theta)), abs=1e-4)
    assert point.z == pytest.approx(math.tan(0.05) / math.cos(theta), abs=1e-4)
    assert (point.layer, point.layer_id, point.time) == (0, 0, 0.016)
    lidar.disablePointCloud()
    assert not lidar.isPointCloudEnabled()
    assert lidar.getLayerRangeImage(3) == []
    assert "there are 3 layers" in capsys.readouterr().err


@drawn
def test_recognition_names_what_is_seen_the_nearest_first(rover):
    camera = rover.getDevice("camera")
    assert camera.hasRecognition() and camera.hasRecognitionSegmentation()
    assert camera.getRecognitionSamplingPeriod() == 8
    small, wood = camera.getRecognitionObjects()
    assert camera.getRecognitionNumberOfObjects() == 2
    assert [small.getModel(), wood.getModel()] == ["small", "wood"]
    assert wood.getPosition() == pytest.approx([1.15, 0, 0])
    assert small.getPosition() == pytest.approx([0.5, 0.25, 0.1])
    assert wood.getOrientation()[3] == pytest.approx(0)
    # Its face of 0.3 m is at 1 m.
    side = 0.3 * FOCAL
    assert wood.getSizeOnImage() == pytest.approx([side, side], abs=1)
    assert wood.getPositionOnImage() == [40, 30]
    assert wood.getSize() == pytest.approx([0.345, 0.345], abs=0.02)
    assert small.getColors() == [0, 0, 1, 1, 0, 0]
    assert small.getNumberOfColors() == 2
    assert small.getId() != wood.getId()
    column = 40 - 0.25 / 0.5 * FOCAL
    assert small.getPositionOnImage()[0] == pytest.approx(column, abs=2)


@drawn
def test_segmentation_paints_what_is_recognized(rover, tmp_path):
    camera = rover.getDevice("camera")
    assert camera.isRecognitionSegmentationEnabled()
    image = camera.getRecognitionSegmentationImage()
    pixels = np.frombuffer(image, np.uint8).reshape(60, 80, 4)
    assert pixels[30, 40].tolist() == [0, 255, 0, 255]  # green
    assert pixels[15, 4].tolist() == [255, 0, 0, 255]  # blue
    assert pixels[59, 79].tolist() == [0, 0, 0, 255]
    array = camera.getRecognitionSegmentationImageArray()
    assert np.array(array).sum() == pixels[..., :3].sum(dtype=int)
    file = tmp_path / "s.png"
    assert camera.saveRecognitionSegmentationImage(str(file), 100) == 0


@drawn
def test_zooming_in_makes_things_larger(capsys):
    with see() as session:
        robot = session.robot("rover")
        camera = robot.getDevice("camera")
        camera.recognitionEnable(8)
        camera.setFov(0.5)
        robot.step(8)
        (wood,) = camera.getRecognitionObjects()  # the small one is outside
        side = 0.3 * 40 / math.tan(0.25)
        assert wood.size_on_image == pytest.approx([side, side], abs=1)
        assert (camera.getMinFov(), camera.getMaxFov()) == (0.5, 1.2)
        camera.setFov(1.3)
        assert camera.fov == 0.5
        plain = robot.getDevice("plain")
        plain.setFov(0.6)
        assert plain.getFov() == plain.getMinFov() == 0.785398
    assert capsys.readouterr().err.count("ignored; ") == 2


def test_before_the_first_image_all_is_black_and_0(off, capsys):
    camera, depth = off.getDevice("camera"), off.getDevice("depth")
    lidar = off.getDevice("lidar")
    assert camera.getImage() is None  # camera.py: there is no image yet
    assert camera.getImageArray() is None
    assert camera.saveImage("a.png", 50) == -1
    assert set(depth.getRangeImage()) == {0.0}
    assert set(lidar.getRangeImage()) == {0.0}
    error = capsys.readouterr().err
    assert error.count("the sensor is off") == 5
    camera.enable(8)
    assert camera.getImage() == b"\0\0\0\xff" * 4800
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("width", [5, 300])  # rows as they are, and packed
def test_depths_are_kept_in_a_file_of_radiance(tmp_path, width, capsys):
    depths = np.random.default_rng(3).uniform(0, 20, (4, width))
    depths[0, 0] = 0
    file = tmp_path / "depths.hdr"
    assert save_radiance("a call", depths, str(file)) == 0
    av = pytest.importorskip("av")
    with av.open(file) as picture:
        read = next(picture.decode(video=0)).to_ndarray()
    # Eight bits, the last of them cut off.
    np.testing.assert_allclose(read[..., 0], depths, rtol=1 / 128)
    assert read[0, 0].tolist() == [0, 0, 0]
    assert save_radiance("a call", depths, str(tmp_path / "no/a.hdr")) == -1
    assert "cannot write" in capsys.readouterr().err


def test_what_a_camera_has_not_is_told(off, capsys):
    plain = off.getDevice("plain")
    assert not plain.hasRecognition()
    plain.recognitionEnable(8)
    assert plain.getRecognitionObjects() == []
    plain.enableRecognitionSegmentation()
    assert not plain.isRecognitionSegmentationEnabled()
    assert plain.getRecognitionSegmentationImage() is None
    plain.setFocalDistance(1)
    plain.setExposure(-1)
    plain.setExposure(2)
    assert plain.getExposure() == 2
    assert plain.getFocalDistance() == plain.getFocalLength() == 0
    assert plain.getMinFocalDistance() == plain.getMaxFocalDistance() == 0
    assert (plain.near, plain.width, plain.height) == (0.01, 64, 64)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 6 and "has no recognition" in lines[0]


def test_a_frequency_is_kept_within_the_nodes(off, capsys):
    lidar = off.getDevice("lidar")
    lidar.setFrequency(20)
    lidar.frequency = 30
    assert lidar.getFrequency() == 20
    assert (lidar.getMinFrequency(), lidar.getMaxFrequency()) == (1, 25)
    assert "1 to 25 Hz" in capsys.readouterr().err


def test_without_a_renderer_the_run_goes_on_and_says_so_once(monkeypatch):
    monkeypatch.setattr(renderer, "can_render", lambda: False)
    with see() as session:
        robot = session.robot("rover")
        camera, depth = robot.getDevice("camera"), robot.getDevice("depth")
        camera.enable(8)
        camera.recognitionEnable(8)
        depth.enable(8)
        robot.getDevice("lidar").enable(8)
        with pytest.warns(MotorWarning, match="see nothing") as told:
            for _ in range(3):
                robot.step(8)
        assert len(told) == 1
        assert camera.getImage() == b"\0\0\0\xff" * 4800
        assert camera.getRecognitionObjects() == []
        assert set(depth.getRangeImage()) == {math.inf}


@drawn
def test_a_controller_takes_images(tmp_path):
    file = controller(
        tmp_path,
        """
        from controller import Robot, Camera, RangeFinder, Lidar
        robot = Robot()
        camera = Camera("camera", 16)
        lidar = robot.getDevice("lidar")
        lidar.enable(8)
        robot.step(16)
        image = camera.getImage()
        with open("seen.txt", "w") as file:
            print(camera.imageGetRed(image, camera.width, 40, 30), file=file)
            print(round(lidar.getRangeImage()[151], 3), file=file)
        """,
    )
    scenario = load_scenario(
        FILE, name="See", text="{simulation_duration: 0.1}"
    )
    run_with_controllers(scenario, {"rover": file})
    red, distance = (tmp_path / "seen.txt").read_text().split()
    assert int(red) == pytest.approx(shown(0.7), abs=3) and distance == "1.0"


def test_a_display_draws(off, tmp_path):
    display = off.getDevice("display")
    assert (display.getWidth(), display.getHeight()) == (80, 60)
    display.setColor(0xFF0000)
    display.fillRectangle(10, 20, 5, 4)
    display.setColor(0x00FF00)
    display.drawPixel(0, 0)
    display.setOpacity(0.5)
    display.drawLine(10, 20, 14, 20)
    pixels = display._canvas.pixels
    assert pixels[0, 0].tolist() == [0, 255, 0, 255]
    assert pixels[23, 14].tolist() == [255, 0, 0, 255]
    assert pixels[24, 14].tolist() == [0, 0, 0, 0]
    assert pixels[20, 12].tolist() == [128, 128, 0, 255]
    for draw in (
        lambda: display.fillOval(40, 30, 5, 3),
        lambda: display.drawOval(40, 30, 8, 8),
        lambda: display.fillPolygon([60, 70, 65], [10, 10, 20]),
        lambda: display.drawPolygon([60, 70, 65], [40, 40, 50]),
        lambda: display.drawRectangle(1, 1, 3, 3),
        lambda: display.drawText("text", 20, 40),
    ):
        before = display._canvas.pixels.sum()
        draw()
        assert display._canvas.pixels.sum() > before
    display.imageSave(None, str(tmp_path / "d.png"))
    with Image.open(tmp_path / "d.png") as image:
        assert image.size == (80, 60)


def test_a_display_copies_pastes_and_loads(off, tmp_path, capsys):
    display = off.getDevice("display")
    data = bytes([1, 2, 3, 255] * 4)
    image = display.imageNew(data, display.BGRA, 2, 2)
    display.imagePaste(image, 79, 59)  # most of it is outside
    assert display._canvas.pixels[59, 79].tolist() == [3, 2, 1, 255]
    display.imagePaste(image, -1, 0, True)
    assert display._canvas.pixels[0, 0].tolist() == [3, 2, 1, 255]
    copy = display.imageCopy(78, 58, 4, 4)
    display.imageSave(copy, str(tmp_path / "c.png"))
    loaded = display.imageLoad(str(tmp_path / "c.png"))
    assert display._canvas.images[loaded].shape == (4, 4, 4)
    listed = display.imageNew([[[9, 8, 7]] * 2] * 2, display.RGB, 2, 2)
    assert display._canvas.images[listed][0, 0].tolist() == [9, 8, 7, 255]
    assert [image, copy, loaded, listed] == [1, 2, 3, 4]  # as Webots counts
    display.imageDelete(image)
    display.imagePaste(image, 0, 0)
    assert display.imageLoad("nowhere.png") is None
    assert display.imageNew(b"", display.RGB, 2, 2) is None
    assert display.imageCopy(0, 0, 0, 1) is None
    for wrong in (
        lambda: display.setColor(-1),
        lambda: display.setAlpha(2),
        lambda: display.setOpacity(-1),
        lambda: display.setFont("Arial", 0, True),
        lambda: display.setFont("Arial", 2**40, True),
        lambda: display.drawRectangle(0, 0, 0, 1),
        lambda: display.fillOval(0, 0, 1, 0),
        lambda: display.imagePaste(0, 0, 0),  # the display itself is no image
    ):
        wrong()
    assert len(capsys.readouterr().err.splitlines()) == 12


def test_a_display_shows_a_camera_below_what_is_drawn(off, capsys):
    display, camera = off.getDevice("display"), off.getDevice("camera")
    display._canvas.pixels[:] = 0
    display.attachCamera(camera)
    display.attachCamera(camera)
    assert display._canvas.shown()[10, 10].tolist() == [0, 0, 0, 255]  # black
    display.detachCamera()
    assert display._canvas.shown()[10, 10].tolist() == [0, 0, 0, 0]
    assert "there is a camera already" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("device", "place", "problem"),
    [
        ("!Camera {width: 0}", "width", "from 1 to 8192"),
        ("!Camera {width: 8000, height: 8000}", "width", "33554432 in all"),
        (
            "!Camera {field_of_view: 3.2}",
            "field_of_view",
            "above 0 and below 3.14159",
        ),
        ("!Camera {near: 0}", "near", "above 0"),
        ("!Camera {near: 2, far: 1}", "far", "not beyond near"),
        ("!Camera {zoom: {min_field_of_view: 0}}", "zoom.min_", "above 0 and"),
        (
            "!Camera {recognition: {recognition_colors: {wodo: []}}}",
            "recognition.recognition_colors.wodo",
            "did you mean wood?",
        ),
        ("!RangeFinder {min_range: 2}", "min_range", "below max_range, 1 m"),
        ("!Lidar {horizontal_resolution: 0}", "horizontal_resolution", "1 to"),
        ("!Lidar {vertical_field_of_view: 3}", "vertical_field", "1.4 rad up"),
        ("!Lidar {type: spinning}", "type", "known: fixed, rotating"),
        ("!Lidar {default_frequency: 90}", "default_frequency", "1 to 25 Hz"),
        ("!Display {height: -1}", "height", "from 1 to 8192"),
    ],
)
def test_what_cannot_be_is_told_with_its_place(device, place, problem):
    with pytest.raises(InputError) as raised:
        see(f"display: {device}")
    assert f"devices.display.{place}" in str(raised.value)
    assert problem in str(raised.value)


@drawn
def test_a_reset_leaves_cameras_on_and_their_noise_begins_again():
    text = (
        "{model_drivers: {rover: {supervisor: true, devices: {eye: !Camera"
        " {width: 8, height: 6, noise: 0.1}}}}}"
    )
    with RobotSession(loaded(FILE, "See", text)) as session:
        robot = session.supervisor("rover")
        eye = robot.getDevice("eye")
        eye.enable(8)
        robot.step(8)
        first = eye.getImage()
        robot.step(8)
        assert eye.getImage() != first
        robot.simulationReset()
        robot.step(8)
        robot.step(8)
        assert eye.getImage() == first


LIT = """{model_drivers: {rover: {
  devices: {eye: !Camera {frame: world, width: 16, height: 16,
    pose: {translation: [1.31, 0, 1], rotation: [0, 1, 0, 1.5707963]}}},
  lights: {sun: !DirectionalLight {frame: world, direction: %s, intensity: %s,
    ambient_intensity: %s}}}}}"""


def looked_down_at(direction, intensity=1.0, ambient=0.0, exposure=1.0):
    """Returns what a camera sees of the crate, under a sun."""
    with RobotSession(
        loaded(FILE, "See", LIT % (direction, intensity, ambient))
    ) as session:
        robot = session.robot("rover")
        camera = robot.getDevice("eye")
        camera.setExposure(exposure)
        camera.enable(8)
        robot.step(8)
        robot.step(8)
        image = np.frombuffer(camera.getImage(), np.uint8).reshape(16, 16, 4)
        return image[8, 8, :3].tolist()


@pytest.mark.closed_form("Camera")
@drawn
def test_images_are_lit_by_the_scenarios_lights():
    colour = [0.7, 0.5, 0.3]  # of the crate
    full = looked_down_at([0, 0, -1])
    aside = looked_down_at([0, 1, -1])
    for i in range(3):
        light = colour[2 - i]
        assert full[i] == pytest.approx(shown(light), abs=4)
        # Lambert: by the cosine between the light and the normal.
        assert aside[i] == pytest.approx(shown(light * 0.7071), abs=4)
    dim = looked_down_at([0, 0, -1], 0.5)
    assert dim[0] == pytest.approx(shown(0.5 * colour[2]), abs=4)
    around = looked_down_at([0, 0, -1], 0.0, ambient=0.3)
    assert around[0] == pytest.approx(shown(0.3 * colour[2]), abs=4)
    assert looked_down_at([0, 0, -1], 0.0) == [0, 0, 0]
    bright = looked_down_at([0, 0, -1], 0.5, exposure=3)
    assert bright[0] == pytest.approx(shown(0.5 * colour[2], 3), abs=5)


@drawn
def test_a_camera_that_looks_level_sees_what_lies_flat():
    # 0.15 m above the top of the crate, which begins 1 m ahead.
    eye = """{frame: chassis, pose: {translation: [0.16, 0, 0.3]},
      width: 64, height: 64, field_of_view: 0.5}"""
    with see(f"eye: !Camera {eye}") as session:
        robot = session.robot("rover")
        robot.getDevice("eye").enable(8)
        robot.step(16)
        image = robot.getDevice("eye").getImage()
    pixels = np.frombuffer(image, np.uint8).reshape(64, 64, 4)
    # 1 m or 1.3 m ahead and 0.15 m below: 14 to 19 pixels below the middle.
    assert pixels[48, 32, :3] == pytest.approx(
        [shown(light) for light in (0.3, 0.5, 0.7)], abs=4
    )


def test_white_that_is_fully_lit_is_207_as_in_webots():
    from webmotor_drake.host.senses.renderer import tones

    assert tones(1.0)[255] == 207 and tones(1.0)[0] == 0
    assert (np.diff(tones(1.0).astype(int)) >= 0).all()
