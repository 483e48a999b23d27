"""Garbled worlds: an error with a place, or a scenario; never anything else."""

import os
import re

import pytest
from drawn import draws
from hypothesis import given, settings, strategies as st

import webmotor_drake as wm
from webmotor_drake.data import SCENARIOS
from webmotor_drake.errors import InputError
from webmotor_drake.loading import load_scenario
from webmotor_drake.worlds.imported import import_world
from webmotor_drake.worlds.project import Options

pytestmark = pytest.mark.filterwarnings("ignore::webmotor_drake.MotorWarning")
WORLDS = SCENARIOS / "worlds" / "worlds"
TEXTS = [file.read_text() for file in sorted(WORLDS.glob("[!.]*.wbt"))]
TOKEN = re.compile(r'"[^"\n]*"|[{}\[\]]|[^\s{}\[\]"]+|\s+')
NUMBER = re.compile(r"-?[\d.]+(?:e-?\d+)?")
WORDS = (
    '0 -1 1e300 1e-300 nan NULL TRUE "x" "" { } [ ] DEF X|USE X|Solid { }|'
    "Physics { }|Box { size 0 0 0 }|0 0 0 0|USE BODY|IS a|Shape { }|mass 0|"
    "density -1|scale 2 2 2|endPoint Slot { }|HingeJoint { }|"
    'SolidReference { solidName "x" }|Mesh { url "x.stl" }|Plane { }'
)
PIECES = [
    word
    for part in WORDS.split("|")
    for word in ([part] if "{ " in part else part.split())
]
RUNS = draws(100, 2000)


@st.composite
def garbled(draw):
    """Returns a world in which a few words were exchanged, lost or added."""
    tokens = TOKEN.findall(draw(st.sampled_from(TEXTS)))
    places = st.integers(20, len(tokens) - 1)
    for _ in range(draw(st.integers(1, 4))):
        place = draw(places)
        change = draw(st.sampled_from(["lose", "replace", "add", "swap"]))
        word = f" {draw(st.sampled_from(PIECES))} "
        if change == "lose":
            tokens[place] = ""
        elif change == "replace":
            tokens[place] = word
        elif change == "add":
            tokens[place] += word
        else:
            tokens[place] = tokens[draw(places)]
    return "".join(tokens)


@pytest.mark.slow
@given(garbled())
@settings(max_examples=RUNS, deadline=None)
def test_a_garbled_world_is_refused_with_a_place_or_imported(text):
    # In a folder beside the others: relative PROTOs are found.
    file = WORLDS / f".garbled_{os.getpid()}.wbt"
    file.write_text(text)
    try:
        import_world(file, Options())
    except InputError as error:
        assert re.search(r"\.(wbt|proto):\d+:\d+: ", str(error))
    finally:
        file.unlink()


@st.composite
def misnumbered(draw):
    """Returns a world with a few odd numbers."""
    tokens = TOKEN.findall(draw(st.sampled_from(TEXTS)))
    numbers = [i for i, t in enumerate(tokens) if NUMBER.fullmatch(t)]
    odd = ["0", "-1", "1e300", "1e-300", "1e9", "1e-9", "1000", "-0.5"]
    for _ in range(draw(st.integers(1, 3))):
        tokens[draw(st.sampled_from(numbers))] = draw(st.sampled_from(odd))
    return "".join(tokens)


@pytest.mark.slow
@given(misnumbered())
@settings(max_examples=RUNS // 10, deadline=None)
def test_a_world_with_odd_numbers_is_refused_or_runs(text):
    file = WORLDS / f".odd_{os.getpid()}.wbt"
    file.write_text(text)
    try:
        scenario = load_scenario(file, text="{simulation_duration: 0.064}")
        for driver in scenario.model_drivers.values():
            driver.controller = ""
        wm.run(scenario)
    except InputError as error:
        assert re.search(r"\.(wbt|proto):\d+:\d+: ", str(error))
    finally:
        file.unlink()
