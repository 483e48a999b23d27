"""The canvas of marks in our pages, as a Meshcat is one."""

import typing

import numpy as np
from pydrake.geometry import Meshcat
from pydrake.math import RigidTransform

Path = str


class PageCanvas:
    """Stands for the Meshcat of marks: shapes go there once, then only changes.

    While it is open, everything goes to a Meshcat, whose messages make the shapes.
    After `close` it keeps poses and properties, which go to the page with frames.

    Attributes:
        poses: of objects moved since `close`, shape (4, 4), by path.
        changed: properties since the last `take`, by path and name.
        kept: all properties since `close`, by path and name.

    Args:
        meshcat: takes the shapes.
    """

    def __init__(self, meshcat: Meshcat):
        self._meshcat: Meshcat | None = meshcat
        self.poses: dict[Path, np.ndarray] = {}
        self.changed: dict[tuple[Path, str], typing.Any] = {}
        self.kept: dict[tuple[Path, str], typing.Any] = {}

    def close(self) -> None:
        """Ends the time in which shapes can be made."""
        self._meshcat = None

    def take(self) -> list[tuple[Path, str, typing.Any]]:
        """Returns the changes since the last call: path, name and value."""
        changed, self.changed = self.changed, {}
        return [(*key, value) for key, value in changed.items()]

    # What follows has the names that Meshcat gives it.

    def Delete(self, path: Path) -> None:
        """Does nothing: a page begins without marks."""

    def SetObject(self, *arguments: typing.Any) -> None:
        """Makes a shape."""
        self._meshcat.SetObject(*arguments)

    def SetTriangleMesh(self, *arguments: typing.Any) -> None:
        """Makes a shape of triangles."""
        self._meshcat.SetTriangleMesh(*arguments)

    def SetTransform(
        self, path: Path, X: RigidTransform, time: float | None = None
    ) -> None:
        """Moves an object; its pose is seen from its parent."""
        if self._meshcat is not None:
            self._meshcat.SetTransform(path, X)
        else:
            self.poses[path] = X.GetAsMatrix4()

    def SetProperty(
        self,
        path: Path,
        name: str,
        value: typing.Any,
        time: float | None = None,
    ) -> None:
        """Changes how something looks."""
        if self._meshcat is not None:
            self._meshcat.SetProperty(path, name, value)
        elif self.kept.get((path, name)) != value:
            self.kept[path, name] = self.changed[path, name] = value

    def get_mutable_recording(self) -> typing.NoReturn:
        """Raises RuntimeError: a page of ours records nothing."""
        raise RuntimeError
