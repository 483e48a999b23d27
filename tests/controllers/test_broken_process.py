"""Controllers that break the process they share cost no results."""

import json
import os
import sys

import numpy as np
import pytest
from robots import controller, run, scenario, unlabelled

from webmotor_drake.controllers.in_process.controller_run import (
    run_with_controllers,
)
from webmotor_drake.errors import SimulationError
from webmotor_drake.results.results import Results

pytestmark = pytest.mark.usefixtures("leaves_nothing_behind")

BROKEN = [
    "json.dumps = None",
    "del json.dumps",
    "os.fsync = None",
    "os.replace = os.remove",
    "np.array = np.asarray = None",
    "del np.concatenate",
    "np.savez_compressed = print",
    "io.BytesIO = None",
    "time.perf_counter = time.monotonic = None",
    "threading.Thread = threading.Lock = None",
    "contextlib.suppress = None",
    "sys.setrecursionlimit(60)",
    "import webmotor_drake.results.results as r; r.digest = None",
]


@pytest.mark.parametrize("harm", BROKEN)
@pytest.mark.parametrize("end", ["", "1 / 0"])
def test_names_that_are_broken_cost_no_results(tmp_path, harm, end):
    text = f"""
        import contextlib, io, json, os, sys, threading, time
        import numpy as np
        from controller import Robot
        robot = Robot()
        robot.step(80)
        {harm}
        {end}
        """
    try:
        results = run(tmp_path, text, text="{simulation_duration: 0.16}")
    except SimulationError as error:
        results = error.results
    assert results.time[-1] >= 0.08 - 1e-9
    results.save(tmp_path / "run")
    saved = Results.load(tmp_path / "run")
    np.testing.assert_array_equal(saved.time, results.time)
    assert json.dumps({}) == "{}"
    assert sys.getrecursionlimit() > 500


def test_a_controller_may_use_up_all_file_descriptors(tmp_path):
    results = run(
        tmp_path,
        """
        import os, sys
        from controller import Robot
        Robot().step(80)
        kept = sys.kept_by_a_controller = []
        try:
            while True:
                kept.append(os.open(os.devnull, os.O_RDONLY))
        except OSError:
            pass
        """,
    )
    results.save(tmp_path / "run")
    kept = sys.__dict__.pop("kept_by_a_controller")
    assert len(kept) > 100
    for number in kept:
        os.close(number)


def test_what_is_given_to_atexit_runs_where_the_controller_ends(
    tmp_path, capsys
):
    one = controller(
        tmp_path,
        """
        import atexit, sys
        from controller import Robot
        robot = Robot()
        atexit.register(print, sys.argv[0][-6:], "first given")
        def last():
            robot.getDevice("hinge motor").setPosition(0.4)
            print("last given", robot.getTime())
            1 / 0
        def never():
            print("never")
        atexit.register(never)
        atexit.register(last)
        atexit.unregister(never)
        robot.step(80)
        """,
        "one.py",
    )
    other = controller(
        tmp_path,
        """
        from controller import Robot
        robot = Robot()
        while robot.step(8) != -1:
            pass
        print("other ends")
        """,
        "other.py",
    )
    results = run_with_controllers(
        scenario("TwoArms"), {"first": one, "second": other}
    )
    output = capsys.readouterr()
    assert unlabelled(output.out) == [
        "last given 0.08",
        "one.py first given",
        "other ends",
    ]
    assert "ZeroDivisionError" in output.err
    target = results["first/hinge motor/target_position"]
    assert target[10] != 0.4
    assert target[11] == 0.4


@pytest.mark.parametrize("end", ["", "1 / 0", "os._exit(0)"])
def test_os_exit_at_the_end_ends_the_controller_alone(tmp_path, capsys, end):
    text = f"""
        import atexit, os
        from controller import Robot
        Robot().step(80)
        atexit.register(lambda: print("not called"))
        atexit.register(os._exit, 0)
        {end}
        """
    if end == "1 / 0":
        with pytest.raises(SimulationError, match="ZeroDivisionError"):
            run(tmp_path, text)
    else:
        assert run(tmp_path, text).time[-1] == pytest.approx(4.0)
    assert capsys.readouterr().out == ""


FORKS = """
    import os, sys
    from controller import Supervisor
    s = Supervisor()
    s.step(80)
    {way}
    if child == 0:
        told = s.step(8)
        with open(sys.argv[0] + ".told", "w") as file:
            print(told, file=file)
        {then}
    else:
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status))
    """


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
@pytest.mark.usefixtures("simulated")
@pytest.mark.parametrize(
    ("then", "status"),
    [
        ("pass", 0),
        ("while True: s.step(8)", 0),
        ("sys.exit(3)", 3),
        ("sys.exit('no')", 1),
        ("1 / 0", 1),
        ("os._exit(7)", 7),
    ],
)
def test_a_forked_child_that_steps_is_told_the_end(
    tmp_path, capfd, then, status
):
    text = FORKS.format(way="child = os.fork()", then=then)
    overlay = "{model_drivers: {arm: {supervisor: true}}}"
    results = run(tmp_path, text, text=overlay)
    assert results.time[-1] == pytest.approx(4.0)
    output = capfd.readouterr()
    assert output.out == f"{status}\n"
    assert "a forked child cannot step" in output.err
    assert (tmp_path / "controller_a.py.told").read_text() == "-1\n"
