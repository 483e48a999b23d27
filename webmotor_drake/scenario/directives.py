"""Model directives: checked first, then processed by Drake.

Drake reads invalid memory at an empty directive, and follows a file of directives that
includes itself until the process dies.
"""

import contextlib
import logging
import os
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from typing import NamedTuple

from pydrake.common import RandomGenerator
from pydrake.common.yaml import yaml_dump_typed
from pydrake.multibody.parsing import (
    ModelDirective,
    ModelDirectives,
    ModelInstanceInfo,
    PackageMap,
    Parser,
    ProcessModelDirectives,
)
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import ModelInstanceIndex

from webmotor_drake.errors import InputError, below
from webmotor_drake.limits import too_many
from webmotor_drake.results.whole_file import is_file
from webmotor_drake.scenario.blame import DRAKE_ERRORS, drake_text
from webmotor_drake.scenario.copies import copies_of, users_files
from webmotor_drake.scenario.model_file import LONGEST
from webmotor_drake.scenario.model_files import ModelFiles
from webmotor_drake.scenario.packages import find_package, known_packages
from webmotor_drake.scenario.sampled import sampled_directive
from webmotor_drake.scenario.scenario import (
    Scenario,
    controllers_of,
    directives_of,
    packages_of,
    path_in,
    placed,
)
from webmotor_drake.scenario.yaml_document import load_document
from webmotor_drake.scenario.yaml_typed import read_typed

# Fields that a directive must set: without them it does nothing, or too much.
_REQUIRED = {
    "add_model": ("name", "file"),
    "add_model_instance": ("name",),
    "add_weld": ("parent", "child"),
    "add_directives": ("file",),
}
# Most files of directives: files that each add others twice soon are too many.
_MOST_FILES = 300
# Files of directives draw from a seed of their own, other than the scenario's.
_OTHER = 0x5EED


def check_directive(directive: ModelDirective) -> None:
    """Raises InputError, with its path, for anything but one directive."""
    kinds = [field.name for field in directive.__fields__]
    given = [kind for kind in kinds if getattr(directive, kind) is not None]
    if len(given) != 1:
        raise InputError(
            f"{' and '.join(given) or 'nothing'} in one directive; one of"
            f" {', '.join(kinds)} is allowed"
        )
    for field in _REQUIRED.get(given[0], ()):
        name = getattr(getattr(directive, given[0]), field)
        if not name:
            raise InputError(f"a {field} is needed", path=(given[0],))
        if len(name) > LONGEST:
            raise InputError(
                f"{len(name):,} characters; at most {LONGEST:,} are allowed",
                path=(given[0], field),
            )


def process_directives(
    directives: list[ModelDirective],
    plant: MultibodyPlant,
    random_seed: int = 0,
    after_part: Callable[[], None] = lambda: None,
    *,
    packages: PackageMap | None = None,
    with_parser: Callable[[Parser], None] = lambda parser: None,
) -> list[ModelInstanceInfo]:
    """Adds the models, frames and welds of the directives to `plant`.

    Args:
        directives: checked directives, without distributions.
        plant: plant that gets the models.
        random_seed: seed of distributions in files of directives that they add.
        after_part: callback after each part that has to be added at once, such as a
            model and its weld.
        packages: known packages; None: ours.
        with_parser: callback that gets Drake's parser before it parses.

    Raises:
        InputError: an included file is wrong, with the place in it, or a mesh
            is.
        Exception: whatever Drake raises.
    """
    parser = Parser(plant)
    parser.package_map().AddMap(packages or known_packages())
    with_parser(parser)
    packages = parser.package_map()
    readable = _readable_directives(
        directives, ModelFiles(packages), random_seed
    )
    with filtered_log():
        models = []
        for part in _parts(readable):
            models += ProcessModelDirectives(
                directives=ModelDirectives(directives=part), parser=parser
            )
            after_part()
        return models


def _needed_models(directive: ModelDirective) -> set[str]:
    """Returns the models that have to be added together with a directive."""
    names: list[str] = []
    if directive.add_weld is not None:
        names = [directive.add_weld.child]
    elif directive.add_collision_filter_group is not None:
        group = directive.add_collision_filter_group
        # Other groups are only known in the same part; "" stands for the start.
        names = [*group.members, *group.ignored_collision_filter_groups]
    return {name.partition("::")[0] for name in names}


def _parts(directives: list[ModelDirective]) -> list[list[ModelDirective]]:
    """Returns the directives in parts, each with the models that it needs.

    Drake only welds and filters collisions of models that it adds in the same
    call.
    """
    known: dict[str, int] = {}
    first_needed: list[int] = []
    for i, directive in enumerate(directives):
        needed = [known.get(name, 0) for name in _needed_models(directive)]
        first_needed.append(min(needed, default=i))
        if directive.add_model is not None:
            known[directive.add_model.name] = i
    end = first = len(directives)
    parts = []
    for i in reversed(range(end)):
        first = min(first, first_needed[i])
        if first >= i:
            parts.append(directives[i:end])
            end = i
    return parts[::-1]


def _is_told(record: logging.LogRecord) -> bool:
    record.msg, record.args = users_files(record.getMessage()), ()
    return True


@contextlib.contextmanager
def filtered_log(
    is_told: Callable[[logging.LogRecord], bool] = _is_told,
) -> Iterator[None]:
    """Filters Drake's log; by default it names the user's files, not our copies."""
    log = logging.getLogger("drake")
    log.addFilter(is_told)
    try:
        yield
    finally:
        log.removeFilter(is_told)


class _Reading(NamedTuple):
    """The state of reading directives."""

    models: ModelFiles  # models read so far
    random: RandomGenerator  # for files that are added
    read: list[str]  # files of directives read so far
    including: tuple[str, ...] = ()  # files that lead here

    def readable(self, directive: ModelDirective) -> ModelDirective:
        """Returns a checked directive, with models that Drake can read."""
        near = Path(self.including[-1]) if self.including else None
        for kind, readable in (
            ("add_model", self.models.readable),
            ("add_directives", self._with_readable),
        ):
            add = getattr(directive, kind)
            if add is not None:
                with below(kind, "file"):
                    find_package(add.file, self.models.packages, near)
                    file = readable(add.file)
                if file != add.file:
                    directive = deepcopy(directive)
                    getattr(directive, kind).file = file
        return directive

    def _with_readable(self, uri: str) -> str:
        """Returns the URI of directives that Drake can read: `uri`, or a copy's."""
        try:
            file = self.models.packages.ResolveUrl(uri)
        except RuntimeError:
            return uri  # Drake says why.
        if file in self.including:
            raise InputError(f"{file} includes itself")
        self.read.append(file)
        self.models.files[Path(file)] = None
        number, what = len(self.read), "files of directives"
        if problem := too_many(number, _MOST_FILES, what):
            raise InputError(problem)
        document = load_document(file)
        included = read_typed(ModelDirectives, document)
        inside = self._replace(including=(*self.including, file))
        readable = []
        for i, directive in enumerate(included.directives):
            with below("directives", i, located=document.located):
                check_directive(directive)
                drawn = sampled_directive(directive, self.random)
                readable.append(inside.readable(drawn))
        if readable == included.directives:
            return uri
        directives = ModelDirectives(directives=readable)
        text = yaml_dump_typed(directives, schema=ModelDirectives)
        path = Path(file)
        return f"file://{copies_of(path, {path: text.encode()})}"


def _readable_directives(
    directives: list[ModelDirective], models: ModelFiles, random_seed: int = 0
) -> list[ModelDirective]:
    """Returns directives with models that Drake can read; adds those to `models`."""
    reading = _Reading(models, RandomGenerator(random_seed ^ _OTHER), [])
    readable = []
    for i, directive in enumerate(directives):
        with below(i):
            readable.append(reading.readable(directive))
    return readable


def add_models(
    parser: Parser, file: str | os.PathLike[str]
) -> list[ModelInstanceIndex]:
    """Adds the models of a file, as Drake's `parser.AddModels` does.

    Here URDFs and SDFs may also have STL meshes and, with the extra `robots`, COLLADA
    meshes that collide: Drake reads a copy with OBJ meshes. Scenarios do the same in
    `directives`.

    ::

        parser = Parser(plant)
        (arm,) = wm.add_models(parser, "arm.urdf")

    Args:
        parser: parser of the plant, with its packages; `add_packages` adds ours.
        file: the model: its path, or a URL as in "package://robots/arm.urdf".

    Returns:
        The models, as Drake's parser returns them.

    Raises:
        InputError: a mesh or the model cannot be read.
    """
    url = os.fspath(file)
    if "://" not in url:
        url = f"file://{Path(url).absolute()}"
    with filtered_log():
        readable = ModelFiles(parser.package_map()).readable(url)
        try:
            return parser.AddModelsFromUrl(readable)
        except DRAKE_ERRORS as error:
            problem = f"Drake refuses it: {drake_text(error)}"
            raise InputError(problem, where=os.fspath(file)) from error


def needed_files(scenario: Scenario) -> list[Path]:
    """Returns a scenario's models, the files that these name, and its controllers.

    Missing files are left out, as Drake reports them. So are files that the scenario
    holds itself.

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
        _readable_directives(directives, models, scenario.random_seed)
    controllers = (
        path_in(scenario, c) for c in controllers_of(scenario).values()
    )
    return [*dict.fromkeys([*models.files, *filter(is_file, controllers)])]
