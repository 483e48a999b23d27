"""The source of a scenario: a text in which its values have places."""

import abc
import dataclasses as dc
import typing
from collections.abc import Sequence
from pathlib import Path

from webmotor_drake.errors import InputError
from webmotor_drake.scenario.yaml_document import Document, parse_document

_NOTHING = parse_document("{}", "")


class Source(abc.ABC):
    """The source of a scenario: a text in which its values have places.

    A format is a subclass: its reader makes a `Scenario`, sets `scenario.source`,
    and calls `checks.check_scenario`. From then on every error about a value of the
    scenario gets its place from `locate`, also at run time. A source is
    pickled with its scenario.

    Attributes:
        file: the file as the user knows it.
        name: the scenario's name; runs are saved under it.
        text: the content of the file.
        folder: the folder to which names of files in the scenario are relative.
        override: YAML that overrides parts of the scenario.
        overlay: YAML file that does so before `override`.
    """

    file: str
    name: str
    text: str
    folder: Path
    override: Document = _NOTHING
    overlay: Document = _NOTHING

    def __deepcopy__(self, memo: dict[int, object]) -> "Source":
        """Returns the source itself: nothing in it changes."""
        return self

    @abc.abstractmethod
    def locate(self, path: Sequence[str | int]) -> str:
        """Returns where a value stands in the text, as ``file:line:column``.

        Args:
            path: the fields and keys from the Scenario to the value, such as
                ``("model_drivers", "arm", "motors", "elbow", "max_torque")``. If
                the text leaves out its end, its nearest parent counts.
        """

    @abc.abstractmethod
    def depth(self, path: Sequence[str | int]) -> int:
        """Returns the number of steps of a path that the text gives; see `locate`."""

    def path_of(self, file: str) -> Path:
        """Returns the absolute path of a file that the scenario names."""
        return (self.folder / file).absolute()

    def has(self, file: str) -> bool:
        """Returns whether a file that the scenario names is in the source itself."""
        return False

    def gives(self, *path: str | int) -> bool:
        """Returns whether YAML gives a value, even if that is the default."""
        documents = self.override, self.overlay
        return any(d.depth(path) == len(path) for d in documents)

    def located(self, error: InputError) -> InputError:
        """Returns an error, whose path starts in the Scenario, with its place.

        The place is in the override, the overlay or the text, whichever gives more of
        the path; the first of equals. In the text the path starts with the scenario's
        name.
        """
        known = max(1, self.depth(error.path))
        for document in (self.override, self.overlay):
            if document.depth(error.path) >= known:
                return document.located(error)
        return error.below(self.name).at(self.locate(error.path))

    def metadata(self) -> dict[str, typing.Any]:
        """Returns the origin of the scenario for a run's metadata."""
        return {
            "scenario_file": self.file,
            "scenario_name": self.name,
            "scenario": self.text,
            "scenario_text": self.override.text,
            "scenario_overlay": self.overlay.text,
            "scenario_folder": str(self.folder),
        }


@dc.dataclass(frozen=True)
class YamlSource(Source):
    """A scenario of a YAML file; see `Source`.

    Attributes:
        document: the file.
    """

    document: Document
    name: str
    folder: Path
    override: Document
    overlay: Document

    @property
    def file(self) -> str:  # type: ignore[override]
        """The file as the user knows it."""
        return self.document.file

    @property
    def text(self) -> str:  # type: ignore[override]
        """The content of the file."""
        return self.document.text

    def gives(self, *path: str | int) -> bool:
        """Returns whether YAML gives a value, even if that is the default."""
        return self.depth(path) == len(path) or super().gives(*path)

    def locate(self, path: Sequence[str | int]) -> str:
        """Returns where a value stands in the file, as ``file:line:column``."""
        return self.document.locate((self.name, *path))

    def depth(self, path: Sequence[str | int]) -> int:
        """Returns the number of steps of a path that the file gives."""
        return self.document.depth((self.name, *path)) - 1


def metadata_of(source: Source | None) -> dict[str, typing.Any]:
    """Returns a source's metadata; all None for a scenario made in Python."""
    if source is not None:
        return source.metadata()
    nowhere = YamlSource(_NOTHING, "", Path(), _NOTHING, _NOTHING)
    return dict.fromkeys(nowhere.metadata())
