"""The page shows a run's sensors, prints and warnings."""

import contextlib
import functools
import struct
import sys

import numpy as np
import pytest
from page_client import connected

import webmotor_drake as wm
from webmotor_drake import nodes
from webmotor_drake.runner import ready
from webmotor_drake.view import page_sensors
from webmotor_drake.view.live_page import LivePage
from webmotor_drake.view.page_console import PageConsole


def run_with_a_page(scenario):
    """Runs a scenario with a page; returns its client and the results."""
    with contextlib.closing(LivePage(rate=0, waits=False)) as page:
        simulation = page.attach(
            functools.partial(ready, scenario, by_hand=True)
        )
        with connected(page) as client:
            page.wait_for_browser()
            with page.listening():
                results = simulation.run()
            page.at_end(goes_on=False)
            client.after("ended")
        return client, results


def controlled(tmp_path, text, body, name="package:controller_gps"):
    """Returns a scenario whose robot has a controller of its own."""
    controller = tmp_path / "own.py"
    controller.write_text(
        "from controller import Robot\nrobot = Robot()\n" + body
    )
    scenario = wm.load_scenario(name, text=text)
    for driver in scenario.model_drivers.values():
        if getattr(driver, "controller", ""):
            driver.controller = str(controller)
    return scenario


def test_a_sensor_shows_what_its_controller_read_last(tmp_path):
    body = (
        "gps = robot.getDevice('gps')\ngps.enable(8)\n"
        "while robot.step(8) != -1:\n"
        "    print(*(f'{x:.4f}' for x in gps.getValues()))\n"
    )
    scenario = controlled(tmp_path, "{simulation_duration: 2}", body)
    client, _ = run_with_a_page(scenario)
    sensors = client.told[0]["sensors"]
    index = [s["name"] for s in sensors].index("gps")
    assert sensors[index]["type"] == "GPS"
    seen = [m["values"][index] for m in client.told if "values" in m]
    printed = [
        line
        for m in client.told
        for kind, line in m.get("said", [])
        if kind == "out"
    ]
    measured = next(s for s in seen if s[0] is not None)
    first = " ".join(f"{x:.4f}" for x in measured)
    assert first in printed
    off = [k for k, s in enumerate(sensors) if s["name"] != "gps"]
    assert all(
        m["values"][k] is None
        for m in client.told
        if "values" in m
        for k in off
    )


def test_a_camera_shows_its_picture_in_red_green_blue():
    scenario = wm.load_scenario(
        "package:controller_camera", text="{simulation_duration: 0.5}"
    )
    client, _ = run_with_a_page(scenario)
    _, index, width, height = struct.unpack("<2sHII", client.pictures[-1][:12])
    sensor = client.told[0]["sensors"][index]
    assert sensor["type"] == "Camera"
    pixels = np.frombuffer(client.pictures[-1], np.uint8, offset=12)
    pixels = pixels.reshape(height, width, 4)
    assert (pixels[..., 3] == 255).all()
    assert pixels[..., :3].std() > 1  # something is seen


def test_a_picture_has_the_cameras_colours_in_their_places():
    pixels = bytes([1, 2, 3, 255, 4, 5, 6, 255])  # blue, green, red, alpha
    camera = nodes.Camera(width=2, height=1)
    picture = page_sensors._image(pixels, camera, (1, 2))
    assert picture.tolist() == [[[3, 2, 1, 255], [6, 5, 4, 255]]]


def test_lidars_and_range_finders_show_what_is_near_dark(tmp_path):
    # A crate of 0.3 m, 2 m ahead of the head; both look from 0.2 m before its axis.
    text = """{simulation_duration: 0.4, directives: [
      {add_model: {name: head, file: package://webmotor_models/pan_tilt.urdf}},
      {add_weld: {parent: world, child: head::base}},
      {add_model: {name: crate, file: package://webmotor_models/crate.urdf}},
      {add_weld: {parent: world, child: crate::crate,
        X_PC: {translation: [2, 0, 0]}}}],
      model_drivers: {head: {devices: {
        lidar: !Lidar {frame: head, pose: {translation: [0.2, 0, 0]}, max_range: 4,
          number_of_layers: 3, horizontal_resolution: 300, field_of_view: 1.2},
        depth: !RangeFinder {frame: head, pose: {translation: [0.2, 0, 0]},
          width: 60, height: 20, field_of_view: 1.2, max_range: 4}}}}}"""
    body = (
        "for name in ('lidar', 'depth'):\n    robot.getDevice(name).enable(8)\n"
        "while robot.step(8) != -1:\n    pass\n"
    )
    scenario = controlled(tmp_path, text, body, "package:controller_camera")
    client, _ = run_with_a_page(scenario)
    names = [sensor["name"] for sensor in client.told[0]["sensors"]]
    pictures = {}
    for message in client.pictures:
        index, width, height = struct.unpack("<HII", message[2:12])
        pixels = np.frombuffer(message, np.uint8, offset=12)
        pictures[names[index]] = pixels.reshape(height, width, 4)
    # Every second of 300 points: at most 240 are sent.
    assert pictures["lidar"].shape == (3, 150, 4)
    assert pictures["depth"].shape == (20, 60, 4)
    for picture in pictures.values():
        grey = picture[:, :, 0].astype(int)
        middle = grey[:, grey.shape[1] // 2]
        # A share of 255, cut to whole numbers; what hits nothing is white.
        near = 255 * (2 - 0.15 - 0.2) / 4
        assert middle[len(middle) // 2] == pytest.approx(near, abs=2)
        assert (grey[:, 0] == 255).all()
        assert (picture[..., :3] == grey[..., np.newaxis]).all()
        assert (picture[..., 3] == 255).all()


def test_what_a_supervisor_moves_is_seen_elsewhere(tmp_path):
    controller = tmp_path / "mover.py"
    controller.write_text(
        "from controller import Supervisor\nrobot = Supervisor()\n"
        "place = robot.getSelf().getField('translation')\n"
        "while robot.step(8) != -1:\n"
        "    place.setSFVec3f([0, 0, 0.5 * robot.getTime()])\n"
    )
    scenario = wm.load_scenario(
        "package:pendulum", name="Lift", text="{simulation_duration: 2}"
    )
    driver = scenario.model_drivers["arm"]
    driver.controller, driver.supervisor = str(controller), True
    driver.commands.clear()
    client, _ = run_with_a_page(scenario)
    index = client.told[0]["paths"].index("/drake/shapes/arm/base")
    heights = [
        np.frombuffer(frame, "<f4", 16, 20 + 64 * index)[14]
        for frame in client.frames
    ]
    assert heights[-1] > heights[0] + 0.1


def test_warnings_are_told_once_and_while_the_run_goes_on(tmp_path):
    body = (
        "motor = next(d for d in (robot.getDeviceByIndex(i) for i in"
        " range(robot.getNumberOfDevices())) if hasattr(d, 'getMaxVelocity'))\n"
        "while robot.step(8) != -1:\n    motor.setVelocity(1e3)\n"
    )
    scenario = controlled(tmp_path, "{simulation_duration: 0.4}", body)
    with pytest.warns(wm.MotorWarning):
        client, _ = run_with_a_page(scenario)
    said = [line for m in client.told for line in m.get("said", [])]
    warned = [text for kind, text in said if kind == "warning"]
    assert len(warned) == len(set(warned)) == 1
    assert "1000" in warned[0]


def test_only_whole_lines_are_collected_and_all_is_printed(capsys):
    console = PageConsole()
    with console.listening():
        print("one", end="")
        print(" line")
        print("\x1b[31mred\x1b[0m")
        sys.stderr.write("50 %\r60 %\rdone\n")
        print("begun", end="")
    assert console.take() == [
        ("out", "one line"),
        ("out", "red"),
        ("error", "done"),
    ]
    assert capsys.readouterr().out == "one line\n\x1b[31mred\x1b[0m\nbegun"
    assert console.take() == []
    assert len(console.kept) == 3


def test_a_page_that_comes_later_is_told_the_last_lines():
    console = PageConsole()
    with console.listening():
        for i in range(1200):
            print(i)
    console.take()
    assert [int(text) for _, text in console.kept] == [*range(700, 1200)]
