"""Calls functions when a diagram is built."""

import functools
from collections.abc import Callable

from pydrake.systems.framework import DiagramBuilder


def when_built(
    builder: DiagramBuilder, look: Callable[[], object]
) -> Callable[[], None]:
    """Makes the builder's `Build` and `BuildInto` call `look` first.

    Drake tells nobody of what is connected or filtered later, so this replaces the
    builder's own functions, as Python finds them.

    Returns:
        What calls `look` if nobody has: `RobotDiagramBuilder.Build` does not come by.
    """
    waiting = [look]

    def look_once() -> None:
        while waiting:
            waiting.pop()()

    def look_first(build: Callable) -> Callable:
        @functools.wraps(build)
        def built(*args, **kwargs):
            look_once()
            return build(*args, **kwargs)

        return built

    builder.Build = look_first(builder.Build)
    builder.BuildInto = look_first(builder.BuildInto)
    return look_once
