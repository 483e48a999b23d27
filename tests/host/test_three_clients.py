"""One set of programmes for all clients of a robot: in process, a session, the wire.

They command and read the same simulation. Answers and results are the same to the bit.
"""

import itertools
import os
from pathlib import Path

import numpy as np
import pytest
from connected import connected
from programmes import PROGRAMMES, PythonHand, WireHand
from robots import controller, unlabelled, with_driver

from webmotor_drake.controllers.in_process.controller_file import (
    load_controller,
)
from webmotor_drake.controllers.in_process.controller_run import (
    run_with_controllers,
)
from webmotor_drake.robot import RobotSession

DEVICES = (
    "devices: {gyro: !Gyro {frame: link}, accelerometer: !Accelerometer"
    " {frame: link}, compass: !Compass {frame: link}, altimeter: !Altimeter"
    " {frame: link, accuracy: 0.1}, sonar: !DistanceSensor {frame: link, type:"
    " sonar}}"
)


@pytest.fixture(autouse=True)
def alone(monkeypatch):
    """Has local sockets in a folder that no other test knows."""
    monkeypatch.setenv("USER", f"three{os.getpid()}")


def scenario(drive):
    made = with_driver(f"{DEVICES}, drive: {drive}")
    made.simulation_duration = 0.8
    return made


def in_process(made, name, folder, capsys):
    file = controller(
        folder,
        """
        import sys
        from controller import Robot
        from programmes import PROGRAMMES, PythonHand
        for told in PROGRAMMES[sys.argv[1]](PythonHand(Robot())):
            print(repr(told))
        """,
    )
    results = run_with_controllers(made, {"arm": load_controller(file, [name])})
    return unlabelled(capsys.readouterr().out), results


def in_a_session(made, name):
    with RobotSession(made) as session:
        hand = PythonHand(session.robot("arm"))
        told = [repr(one) for one in PROGRAMMES[name](hand)]
        while session.step() != -1:
            pass
        return told, session.results()


def over_the_wire(made, name):
    told = []

    def control(client):
        hand = WireHand(client)
        told.extend(repr(one) for one in PROGRAMMES[name](hand))
        while not client.quit and client.step(8) != -1:
            pass
        client.clean_up()

    return told, connected(made, arm=control).results


@pytest.mark.parametrize("drive", ["torque", "implicit"])
@pytest.mark.parametrize("name", PROGRAMMES)
def test_each_client_gets_the_same_answers_and_results(
    tmp_path, capsys, name, drive
):
    expected, first = in_process(scenario(drive), name, tmp_path, capsys)
    assert len(expected) > 5  # it did something
    for told, results in (
        in_a_session(scenario(drive), name),
        over_the_wire(scenario(drive), name),
    ):
        pairs = itertools.zip_longest(told, expected)
        assert [pair for pair in pairs if pair[0] != pair[1]] == []
        for signal, values in first.signals.items():
            np.testing.assert_array_equal(
                results.signals[signal], values, err_msg=signal
            )
    assert not Path("/tmp/webots", os.environ["USER"]).exists()
