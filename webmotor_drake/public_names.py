"""Public names that are imported when somebody asks for them.

The stub beside a package's `__init__.py` names the module of each: one list for both
Python and tools that read types.
"""

import ast
import importlib
from collections.abc import Iterator
from pathlib import Path


class PublicNames:
    """The names in a package's stub.

    Attributes:
        homes: the module of each name.

    Args:
        package: name of the package.
        init: path of its `__init__.py`.
    """

    def __init__(self, package: str, init: str):
        self._package = package
        stub = ast.parse(Path(init).with_suffix(".pyi").read_text())
        self.homes = {
            alias.name: line.module or ""
            for line in stub.body
            if isinstance(line, ast.ImportFrom) and line.module != package
            for alias in line.names
        }

    def __iter__(self) -> Iterator[str]:
        return iter(self.homes)

    def get(self, name: str) -> object:
        """Returns the object with a public name.

        Raises:
            AttributeError: there is no such name.
        """
        if name not in self.homes:
            problem = f"module {self._package!r} has no attribute {name!r}"
            raise AttributeError(problem)
        return getattr(importlib.import_module(self.homes[name]), name)
