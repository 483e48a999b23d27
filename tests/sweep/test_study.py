"""A study is read from its file, and from --vary."""

import math

import pytest
from pydrake.common.schema import Uniform

import webmotor_drake as wm
from webmotor_drake.errors import InputError
from webmotor_drake.scenario.parameter_path import parse_path, typed_value
from webmotor_drake.sweep.first_look import check_study_fits
from webmotor_drake.sweep.study import (
    Linear,
    Log,
    Study,
    load_study,
    parse_vary,
)


def study_of(tmp_path, text):
    file = tmp_path / "a.study.yaml"
    file.write_text(text)
    return load_study(file)


def test_a_seed_has_32_bits(tmp_path):
    assert study_of(tmp_path, f"seed: {2**32 - 1}").seed == 4294967295


def test_a_study_has_lists_grids_and_distributions(tmp_path):
    study = study_of(
        tmp_path,
        'parameters:\n  a."b c"[0]: [1, 2.5, abc, true]\n'
        "  d: !Linear {start: 0, stop: 1, number: 3}\n"
        "  e: !Log {start: 1, stop: 100, number: 3}\n"
        "  f: !Uniform {min: 0, max: 1}\n"
        "  g: !Gaussian {mean: 0, stddev: 1}\n"
        "sampling: latin_hypercube\nsamples: 4\nseed: 3\n"
        "metrics: [overshoot, arm/motor/rise_time]\ntraces: true\n",
    )
    values = study.parameters
    assert values['a."b c"[0]'] == [1, 2.5, "abc", True]
    assert values["d"] == Linear(0, 1, 3)
    assert values["e"] == Log(1, 100, 3)
    assert (values["f"].max, values["g"].stddev) == (1, 1)
    assert (study.samples, study.seed, study.traces) == (4, 3, True)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "parametrs: {}",
            "1:1: parametrs: unknown field; did you mean parameters?",
        ),
        (
            "parameters:\n  a..b: [1]",
            "2:3: parameters.a..b: 'a..b' is not a path",
        ),
        ("parameters:\n  a: []", "2:3: parameters.a: an empty list"),
        ("parameters:\n  a: [1, 1]", "1 is there 2 times"),
        (
            "parameters:\n  a: !Linear {start: 1, stop: 2, number: 0}",
            "2:34: parameters.a.number: an empty range: 0 values",
        ),
        (
            "parameters:\n  a: !Linear {start: 1, stop: 1, number: 2}",
            "an empty range: 2 values from 1.0 to the same",
        ),
        (
            "parameters:\n  a: !Linear {stop: 1, number: 2}",
            "start: nan is not allowed",
        ),
        (
            "parameters:\n  a: !Log {start: -1, stop: 1, number: 3}",
            "a log range from -1 to 1 goes through 0",
        ),
        (
            "parameters:\n  a: !Log {start: 0, stop: 1, number: 3}",
            "goes through 0",
        ),
        ("parameters:\n  a: !Uniform {min: 0, max: 1}", "has no grid"),
        (
            "parameters:\n  a: !Uniform {min: 1, max: 1}\nsampling: random\n"
            "samples: 1",
            "an empty range: from 1 to 1",
        ),
        (
            "parameters:\n  a: !Gaussian {mean: 1, stddev: 0}\nsampling: random\n"
            "samples: 1",
            "stddev: 0 is not allowed",
        ),
        ("parameters:\n  a: !Lin {}", "did you mean !Linear?"),
        ("sampling: randm", "did you mean random?"),
        ("sampling: random", "samples: 0 is not allowed"),
        ("samples: 3", "a grid runs all combinations"),
        ("repetitions: 0", "must be a whole number from 1 on"),
        ("seed: -1", "-1 is not allowed"),
        (f"seed: {2**32}", "4294967296 is not allowed"),
        (
            "metrics: [overshot]",
            "metrics[0]: unknown metric 'overshot'; did you",
        ),
        ("metrics: [wall_time]", "wall_time is there in any case"),
    ],
)
def test_what_no_study_can_mean_is_told_with_its_place(tmp_path, text, message):
    with pytest.raises(InputError) as caught:
        study_of(tmp_path, text)
    assert message in str(caught.value)
    assert "a.study.yaml:" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "path", "values"),
    [
        ("a.b=1:2:3", "a.b", Linear(1, 2, 3)),
        ("a=1e-3:1:4:log", "a", Log(1e-3, 1, 4)),
        ("a=1,2.5,x", "a", [1, 2.5, "x"]),
        ("a=1e-3", "a", [0.001]),
        ("a=true,.inf", "a", [True, math.inf]),
        ("model=webots,drake_pd", "model", ["webots", "drake_pd"]),
        ('a."x=y"=1', 'a."x=y"', [1]),
        ("a=left::front,b", "a", ["left::front", "b"]),
    ],
)
def test_vary_has_ranges_and_lists(text, path, values):
    assert parse_vary(text) == (path, values)


def test_a_range_without_number_is_a_distribution():
    _, values = parse_vary("a=-1:2")
    assert isinstance(values, Uniform)
    assert (values.min, values.max) == (-1, 2)


@pytest.mark.parametrize("text", ["a", "=1", "a=", "a=1:2:x", "a=1:2:3:lin"])
def test_what_is_no_vary_is_refused_with_what_is_allowed(text):
    with pytest.raises(InputError, match=r"--vary: .*START:STOP:N"):
        parse_vary(text)


def test_numbers_become_text_where_the_scenario_has_text(tmp_path):
    text = "{model_drivers: {arm: {controller_args: ['1', a]}}}"
    scenario = wm.load_scenario("package:pendulum", name="Lift", text=text)
    path = parse_path("model_drivers.arm.controller_args[0]")
    assert typed_value(scenario, path, 2.0) == "2"
    assert typed_value(scenario, path, 0.5) == "0.5"


def test_what_stands_in_quotes_is_text():
    assert parse_vary("a='1',\"b\",2")[1] == ["1", "b", 2]


@pytest.mark.parametrize(
    ("path", "values", "message"),
    [
        (
            'model_drivers.lift.motors."mast motor".control_pid[0]',
            [1.0, "b"],
            r"control_pid\[0\]: expected a number, not the text 'b'",
        ),
        ("model", ["webots", "drake_pdd"], "did you mean drake_pd"),
    ],
)
def test_a_value_that_no_run_could_have_is_refused_before_all(
    path, values, message
):
    scenario = wm.load_scenario("package:vertical_lift")
    with pytest.raises(InputError, match=message):
        check_study_fits(scenario, Study(parameters={path: values}))
