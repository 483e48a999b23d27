"""The source of a scenario: a text in which its values have places."""

import abc
import typing
from collections.abc import Sequence
from pathlib import Path

from webmotor_drake.errors import InputError

_METADATA = (
    "scenario_file",
    "scenario_name",
    "scenario",
    "scenario_text",
    "scenario_overlay",
    "scenario_folder",
)


class Source(abc.ABC):
    """The source of a scenario: a text in which its values have places.

    A format is a subclass: its reader makes a `Scenario`, sets `scenario.source`,
    and calls `load.check_scenario`. From then on every error about a value of the
    scenario gets its place from `locate`, also at run time. A source is
    pickled with its scenario.

    Attributes:
        file: the file as the user knows it.
        name: the scenario's name; runs are saved under it.
        text: the content of the file.
        folder: the folder to which names of files in the scenario are relative.
    """

    file: str
    name: str
    text: str
    folder: Path

    def __deepcopy__(self, memo: dict) -> "Source":
        """Returns the source itself: nothing in it changes."""
        return self

    @abc.abstractmethod
    def locate(self, path: Sequence[str | int]) -> str:
        """Returns where a value of the scenario stands, as ``file:line:column``.

        Args:
            path: the fields and keys from the Scenario to the value, such as
                ``("model_drivers", "arm", "motors", "elbow", "max_torque")``. It
                may end in what the text leaves out; its nearest parent counts.
        """

    def path_of(self, file: str) -> Path:
        """Returns the absolute path of a file that the scenario names."""
        return (self.folder / file).absolute()

    def has(self, file: str) -> bool:
        """Returns whether a file that the scenario names is in the source itself."""
        return False

    def gives(self, *path: str | int) -> bool:
        """Returns whether a value stands in the text, if only with its default."""
        return False

    def located(self, error: InputError) -> InputError:
        """Returns an error, whose path starts in the Scenario, with its place."""
        return error.at(self.locate(error.path))

    def metadata(self) -> dict[str, typing.Any]:
        """Returns the origin of the scenario for a run's metadata."""
        return dict.fromkeys(_METADATA) | {
            "scenario_file": self.file,
            "scenario_name": self.name,
            "scenario": self.text,
            "scenario_folder": str(self.folder),
        }


def metadata_of(source: Source | None) -> dict[str, typing.Any]:
    """Returns a source's metadata; None for all of a scenario made in Python."""
    return source.metadata() if source else dict.fromkeys(_METADATA)
