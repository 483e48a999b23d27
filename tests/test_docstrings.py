"""The `help` of the public names is whole, and its examples run."""

import inspect
import re
import textwrap

import pytest

import webmotor_drake as wm

PUBLIC = {name: getattr(wm, name) for name in wm.__all__}
# What examples take for granted.
DRAKE = """
from pydrake.geometry import StartMeshcat
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import AddMultibodyPlantSceneGraph
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder
import webmotor_drake as wm
"""


def documented():
    """Gives the public functions and methods that take something."""
    for name, thing in PUBLIC.items():
        if inspect.isfunction(thing):
            yield name, thing
        elif inspect.isclass(thing):
            for own, method in vars(thing).items():
                if inspect.isfunction(method) and not own.startswith("_"):
                    yield f"{name}.{own}", method


@pytest.mark.parametrize(
    ("name", "function"),
    [pytest.param(n, f, id=n) for n, f in documented()],
)
def test_a_public_function_says_its_arguments(name, function):
    said = inspect.getdoc(function) or ""
    taken = [p for p in inspect.signature(function).parameters if p != "self"]
    assert said
    for parameter in taken:
        assert re.search(rf"^ +{parameter}: ", said, re.M), parameter


def examples():
    """Gives the examples of public names."""
    for name, thing in {"": wm, **PUBLIC}.items():
        said = inspect.getdoc(thing) or ""
        found = re.search(r"Example:\n    ::\n\n((?:        .*\n|\n)+)", said)
        if found:
            yield pytest.param(textwrap.dedent(found[1]), id=name or "package")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::webmotor_drake.errors.MotorWarning")
@pytest.mark.parametrize("code", list(examples()))
def test_an_example_runs_as_it_stands(code, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    if "runs/robot" in code:
        pytest.importorskip("scipy")
        scenario = wm.load_scenario("package:pendulum", name="Lift")
        wm.run(scenario).save("runs/robot")
    exec(compile(DRAKE + code, "docstring", "exec"), {})


def test_the_package_opens_with_fifteen_lines_and_an_example():
    lines = inspect.getdoc(wm).splitlines()
    assert len(lines) <= 16
    assert any("import webmotor_drake as wm" in line for line in lines)
