"""Settings of all tests."""

import contextlib
import functools
import gc
import signal
from pathlib import Path

import pytest
from drawn import draws
from folders import ROOT
from hypothesis import HealthCheck, settings
from process_state import ProcessState, processors
from pydrake.math import RigidTransform
from rewritten_asserts import rewrite_share
from rights import without_override

from webmotor_drake.view.page_scene import start_meshcat

# The same examples in every run, few of them at a push; a slow machine is no failure.
settings.register_profile(
    "repeatable",
    derandomize=True,
    deadline=None,
    max_examples=draws(30, 100),
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("repeatable")


@pytest.fixture(scope="session", autouse=True)
def ctrl_c():
    """Has Ctrl-C interrupt, also in a job that was started in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(autouse=True)
def nothing_is_left_behind(request):
    """Fails a test that leaves the process other than it was."""
    before = ProcessState()
    yield
    if left := before.left_behind():
        before.put_back()
        pytest.fail(f"{request.node.nodeid} left:\n" + "\n".join(left))


@pytest.fixture
def put_back():
    """Puts back what a library changes of the process, as Dask its environment."""
    before = ProcessState()
    yield
    before.put_back()


@pytest.fixture(scope="session")
def kept_meshcat():
    """Keeps a Meshcat: Drake ends the process if another thread collects one."""
    return start_meshcat()


@pytest.fixture
def meshcat(kept_meshcat):
    """Gives a Meshcat that nobody looks at, with nothing in it."""
    yield kept_meshcat
    for path in ("/drake", "/webmotor", "/Axes", "/Grid"):
        kept_meshcat.SetTransform(path, RigidTransform())
    kept_meshcat.Delete()
    kept_meshcat.DeleteRecording()
    kept_meshcat.PublishRecording()


# The rooms whose tests look at what Drake computes, slow ones included. Elsewhere
# slow tests are about processes, browsers and many runs of the same.
_ROOMS_ON_DRAKE = {"contact", "drive", "engines", "simulation", "worlds"}
# What knows no Drake, or only runs what other rooms build on it.
_WITHOUT_DRAKE = {
    "comparison",
    "fitting",
    "loops",
    "motor",
    "nodes",
    "protocol",
    "results",
    "test_benchmarks.py",
    "test_docs.py",
    "test_errors.py",
    "test_names_of_tests.py",
    "test_types.py",
}
# Of their files what calls Drake itself, or reaches all of the room.
_STILL_ON_DRAKE = {"test_fit.py", "test_comparison_run.py"}


def pytest_collection_modifyitems(items):
    """Marks what a new Drake could break."""
    for item in items:
        place = _place(item.path)
        fast = not item.get_closest_marker("slow")
        without = (
            place in _WITHOUT_DRAKE and item.path.name not in _STILL_ON_DRAKE
        )
        if place in _ROOMS_ON_DRAKE or (fast and not without):
            item.add_marker("on_drake")


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session):
    """Has workers divide the rewriting of asserts among them."""
    with contextlib.suppress(AttributeError, TypeError):  # of another pytest
        rewrite_share(session.config)


def pytest_collection_finish(session):
    """Has no test's garbage collector walk through all that was imported, or often.

    After a freeze Python counts what is alive anew, and would collect all of it every
    dozen tests: 5 to 8 % of the time.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 100)


@functools.cache
def _place(file):
    """Returns the room, or the file, of a file of tests."""
    return file.relative_to(Path(__file__).parent).parts[0]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config):
    """Has the whole suite use all processors; what is named runs in this process.

    One worker more than processors: a third of their time tests wait for processes.
    """
    if config.args_source != config.ArgsSource.TESTPATHS:
        return 0
    return processors() + 1


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Has workers keep to neighbouring tests, which share what they build."""
    if config.option.dist != "load":  # chosen by the user
        return None
    from xdist.scheduler import WorkStealingScheduling

    return WorkStealingScheduling(config, log)


@pytest.fixture
def without_rights(monkeypatch, tmp_path):
    """A folder, the current one, in which root is refused what others are."""
    monkeypatch.chdir(tmp_path)
    with without_override():
        yield tmp_path


@pytest.fixture
def at_root(monkeypatch, tmp_path):
    """A folder to write to, in which README's and pages' paths are the project's."""
    for name in ("models", "scenarios", "webmotor_drake"):
        (tmp_path / name).symlink_to(ROOT / name)
    monkeypatch.chdir(tmp_path)
    return tmp_path
