"""Docs of a dataclass's fields, for `help()`, with those of its bases."""

import inspect
import typing

Class = typing.TypeVar("Class", bound=type)

_HEADING = "Attributes:"


def with_inherited_fields(cls: Class) -> Class:
    """Gives a class's docstring the attributes that its bases document."""
    about, _, own = inspect.cleandoc(cls.__doc__ or "").partition(_HEADING)
    inherited = ""
    for base in reversed(cls.__mro__[1:-1]):
        text = inspect.cleandoc(base.__doc__ or "")
        inherited = text.partition(_HEADING)[2] or inherited
    fields = f"{inherited.rstrip()}{own.rstrip()}"
    cls.__doc__ = f"{about.rstrip()}\n\n{_HEADING}{fields}\n"
    return cls
