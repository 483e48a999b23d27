"""A format of our own gives scenarios whose errors have places."""

import copy
import pickle
from pathlib import Path

import pytest

from webmotor_drake.errors import InputError
from webmotor_drake.scenario.checks import check_scenario
from webmotor_drake.scenario.scenario import Scenario, path_in
from webmotor_drake.scenario.source import Source, metadata_of


class Lines(Source):
    """A text with a field of the scenario on each line."""

    file, name = "fields.txt", "Fields"
    text = "simulation_duration 1\nrandom_seed -1\n"
    folder = Path("/somewhere")

    def locate(self, path):
        for number, line in enumerate(self.text.splitlines(), start=1):
            if line.startswith(str(path[0])):
                return f"{self.file}:{number}:1"
        return self.file

    def depth(self, path):
        return len(path)


@pytest.mark.parametrize(
    "change", [copy.copy, lambda s: pickle.loads(pickle.dumps(s))]
)
def test_whatever_the_format_an_error_says_where_it_is(change):
    scenario = Scenario(simulation_duration=1.0, random_seed=-1)
    scenario.source = Lines()
    with pytest.raises(
        InputError, match=r"^fields.txt:2:1: Fields.random_seed: -1 "
    ):
        check_scenario(change(scenario))


def test_files_are_relative_to_the_folder_of_the_source():
    scenario = Scenario()
    scenario.source = Lines()
    assert path_in(scenario, "arm.urdf") == Path("/somewhere/arm.urdf")


def test_a_run_keeps_where_its_scenario_comes_from():
    about = metadata_of(Lines())
    assert about["scenario"] == Lines.text
    assert about["scenario_file"] == "fields.txt"
    assert metadata_of(None) == dict.fromkeys(about)
