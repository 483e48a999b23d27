"""The files that a scenario needs beside its own."""

from pathlib import Path

from webmotor_drake.results.whole_file import is_file
from webmotor_drake.scenario.directives import readable_directives
from webmotor_drake.scenario.model_files import ModelFiles
from webmotor_drake.scenario.scenario import (
    Scenario,
    controllers_of,
    directives_of,
    packages_of,
    path_in,
    placed,
)


def needed_files(scenario: Scenario) -> list[Path]:
    """Returns a scenario's models, the files that these name, and its controllers.

    Files that are missing are left out: Drake says which, and where. So are those that
    go along with the scenario.

    Raises:
        InputError: a model, or what it names, cannot be used.
    """
    models = ModelFiles(packages_of(scenario))
    source = scenario.source
    directives = [
        directive
        for directive, given in zip(
            directives_of(scenario), scenario.directives, strict=True
        )
        if not (source and given.add_model and source.has(given.add_model.file))
    ]
    with placed(scenario, "directives"):
        readable_directives(directives, models, scenario.random_seed)
    controllers = (
        path_in(scenario, c) for c in controllers_of(scenario).values()
    )
    return [*dict.fromkeys([*models.files, *filter(is_file, controllers)])]
