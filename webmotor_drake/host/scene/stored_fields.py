"""Fields that only store what is set, until the next reset."""

import functools
import typing

from webmotor_drake.host.scene.scene_field import FieldType, SceneField


class StoredFields:
    """The values of fields on which nothing depends.

    Attributes:
        values: those that were set, by the field's name.
    """

    def __init__(self) -> None:
        self.values: dict[str, typing.Any] = {}

    def field(
        self, name: str, kind: FieldType, value: typing.Any
    ) -> SceneField:
        """Returns a field with its value at the start."""
        return SceneField(
            name,
            kind,
            lambda: self.values.get(name, value),
            functools.partial(self.values.__setitem__, name),
        )

    def undo(self) -> None:
        """Forgets what was set."""
        self.values.clear()
