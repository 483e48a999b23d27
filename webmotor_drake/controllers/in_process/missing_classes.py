"""Classes of Webots' `controller` module that are not here.

Many controllers import what they never use. So each class can be imported, be
derived from and stand in annotations; using it says in one line what is missing.
"""

import typing
from collections.abc import Iterable

# In the words of messages, where it is not the class itself.
_WHAT = {
    "constant": "no libController",
    "wb": "no libController",
}

# By the module that Webots has them in.
MODULES = {
    # Names that are no classes, and not in Webots' package itself.
    "constants": ["constant"],
    "wb": ["wb"],
}


class _Missing(type):
    """The type of the stand-ins: any use of one raises."""

    _problem: str

    def __call__(
        cls, *arguments: object, **keywords: object
    ) -> typing.NoReturn:
        raise NotImplementedError(cls._problem)

    def __getattr__(cls, name: str) -> typing.NoReturn:
        raise AttributeError(f"{name}: {cls._problem}")


def missing_class(module: str, name: str, supported: Iterable[str]) -> type:
    """Returns the stand-in for a class of `MODULES`.

    Args:
        module: where Webots has it.
        name: its name.
        supported: the classes that there are, for the message.
    """
    what = _WHAT.get(name, f"no {name}")
    problem = (
        f"controller.{name} is not supported: there is {what} here (supported:"
        f" {', '.join(supported)})"
    )
    fields = {
        "__doc__": problem,
        "__module__": f"controller.{module}",
        "_problem": problem,
    }
    return _Missing(name, (), fields)
