"""Drake's VisualizationConfig, imported once a scenario has one.

Its module brings matplotlib and all of Drake's viewers: a fifth of the time that a
command takes to start, and few scenarios draw by themselves.
"""

from typing import TYPE_CHECKING, Any

_THEIRS = "pydrake.visualization.VisualizationConfig"

if TYPE_CHECKING:
    from pydrake.visualization import VisualizationConfig
else:

    class _Imported(type):
        """Stands for Drake's class where the type of a field is asked for."""

        @property
        def __fields__(cls) -> Any:
            return type(cls()).__fields__

        def __instancecheck__(cls, value: object) -> bool:
            kind = type(value)
            return f"{kind.__module__}.{kind.__name__}" == _THEIRS

    class VisualizationConfig(metaclass=_Imported):
        """Stands for Drake's."""

        def __new__(cls) -> Any:
            """Returns one of Drake's, with its defaults."""
            from pydrake.visualization import VisualizationConfig

            return VisualizationConfig()


__all__ = ["VisualizationConfig"]
