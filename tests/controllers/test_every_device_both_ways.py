"""One programme per kind of device, in process and over the wire: same bits."""

import itertools
import os

import numpy as np
import pytest
from connected import connected
from device_programmes import DEVICE_PROGRAMMES, DevicesOnTheWire
from folders import TEST_SCENARIOS
from loaded import loaded
from robots import controller, unlabelled

from webmotor_drake.controllers.in_process.controller_file import (
    load_controller,
)
from webmotor_drake.controllers.in_process.controller_run import (
    run_with_controllers,
)
from webmotor_drake.host.senses import renderer

MORE = (
    "{model_drivers: {arm: {devices: {connector: !Connector {frame: link},"
    " led: !LED {}}}}}"
)
HOLDS = """{
  plant_config: {discrete_contact_approximation: sap},
  bodies: {ground: {ground: {radar_cross_section: 1}}},
  model_drivers: {arm: {drive: implicit, devices: {
    gripper: !VacuumGripper {frame: pad},
    radar: !Radar {frame: base, pose: {rotation: [0, 1, 0, 1.5708]}, min_range: 0.01},
    pen: !Pen {frame: base, write: false, lead_size: 1},
    red: !DistanceSensor {frame: base, type: infra-red,
      pose: {rotation: [0, 1, 0, 1.5708]}}}}}}"""
drawn = pytest.mark.skipif(
    not renderer.can_render(), reason="nothing to draw with (libegl1, libgl1)"
)
# The scenario of a kind of devices, and the programme of each robot in it.
KINDS = {
    "bodies": ("Swing", MORE, {"arm": "bodies"}),
    "rays": ("Look", "{}", {"rover": "rays"}),
    "touches": ("Press", "{}", {"arm": "touches"}),
    "grips": ("Press", HOLDS, {"arm": "grips"}),
    "radio": ("Talk", "{}", {"a": "sends", "b": "receives"}),
    "images": ("See", "{}", {"rover": "images"}),
    "drawing": ("See", "{}", {"rover": "drawing"}),
    "supervises": ("World", "{}", {"arm": "supervises", "referee": "looks_on"}),
}


@pytest.fixture(autouse=True)
def alone(monkeypatch, tmp_path):
    """Has sockets and pictures in folders that no other test knows."""
    monkeypatch.setenv("USER", f"devices{os.getpid()}")
    monkeypatch.chdir(tmp_path)


def scenario(kind):
    name, text, _ = KINDS[kind]
    file = "supervised" if name == "World" else "devices"
    made = loaded(TEST_SCENARIOS / f"{file}.scenario.yaml", name, text)
    made.simulation_duration = 0.6
    return made


def in_process(made, robots, folder, capsys):
    file = controller(
        folder,
        """
        import sys
        from controller import Supervisor
        from device_programmes import DEVICE_PROGRAMMES, DevicesInPython
        robot = Supervisor()
        programme = DEVICE_PROGRAMMES[sys.argv[1]]
        for told in programme(DevicesInPython(robot)):
            print(robot.getName(), repr(told))
        """,
    )
    run = {
        robot: load_controller(file, [name]) for robot, name in robots.items()
    }
    results = run_with_controllers(made, run)
    lines = [x.split(" ", 1) for x in unlabelled(capsys.readouterr().out)]
    return {r: [told for of, told in lines if of == r] for r in robots}, results


def over_the_wire(made, robots):
    told = {robot: [] for robot in robots}

    def program(robot, name):
        def control(client):
            hand = DevicesOnTheWire(client)
            told[robot] += map(repr, DEVICE_PROGRAMMES[name](hand))
            client.clean_up()

        return control

    run = {robot: program(robot, name) for robot, name in robots.items()}
    return told, connected(made, **run).results


@pytest.mark.parametrize(
    "kind",
    [
        pytest.param(k, marks=drawn if k in ("images", "drawing") else ())
        for k in KINDS
    ],
)
def test_a_program_cannot_tell_where_it_runs(tmp_path, capsys, kind):
    robots = KINDS[kind][2]
    expected, first = in_process(scenario(kind), robots, tmp_path, capsys)
    told, results = over_the_wire(scenario(kind), robots)
    for robot in robots:
        assert len(expected[robot]) > 4  # it did something
        pairs = itertools.zip_longest(told[robot], expected[robot])
        assert [pair for pair in pairs if pair[0] != pair[1]] == []
    for signal, values in first.signals.items():
        np.testing.assert_array_equal(results.signals[signal], values)
