"""Webots' own way to libController, which the module `controller` has, too.

Many controllers import what they never use. So each name can be imported, be
derived from and stand in annotations; using it says in one line what is missing.
"""

import typing
from collections.abc import Iterable

# By the module that Webots has it in; Webots' package itself does not have them.
MODULES = {"constants": "constant", "wb": "wb"}


class _Missing(type):
    """The type of the stand-ins: any use of one raises."""

    _problem: str

    def __call__(
        cls, *arguments: object, **keywords: object
    ) -> typing.NoReturn:
        raise NotImplementedError(cls._problem)

    def __getattr__(cls, name: str) -> typing.NoReturn:
        raise AttributeError(f"{name}: {cls._problem}")


def missing_class(module: str, supported: Iterable[str]) -> type:
    """Returns the stand-in for the name in one of `MODULES`.

    Args:
        module: Webots' module.
        supported: the classes that there are, for the message.
    """
    name = MODULES[module]
    problem = (
        f"controller.{name} is not supported: there is no libController here"
        f" (supported: {', '.join(supported)})"
    )
    fields = {"__doc__": problem, "__module__": f"controller.{module}"}
    return _Missing(name, (), fields | {"_problem": problem})
