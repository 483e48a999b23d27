"""What a Python process has one of and each controller needs its own of.

Webots gives each controller a process. Here they share one, but only one of them
runs at any time: what they would trip over is exchanged with the turn.
"""

import builtins
import io
import os
import sys
import types
from pathlib import Path

from webmotor_drake.robot.controllers.controller_file import Controller


class ProcessState:
    """The process as one controller sees it.

    Its own are sys.argv, sys.path and the standard streams, the folder it runs
    in, `__main__`, and modules of its own folder: the `helper.py` of two
    controllers are two modules. Standard input is empty.

    Attributes:
        main: the controller's `__main__`.

    Args:
        controller: what will run.
        shared: names of modules that belong to nobody; the same set for all
            controllers of a run.
    """

    def __init__(self, controller: Controller, shared: set[str]):
        self._shared = shared
        self._folder = controller.file.parent
        self._cwd = str(self._folder)
        file = str(controller.file)
        self.main = types.ModuleType("__main__")
        self.main.__dict__.update(__file__=file, __builtins__=builtins)
        self._modules: dict[str, types.ModuleType] = {"__main__": self.main}
        self._system = {
            "argv": [file, *controller.arguments],
            "path": [self._cwd, *sys.path],
            "stdin": io.StringIO(),
            "stdout": sys.stdout,
            "stderr": sys.stderr,
        }

    def enter(self) -> None:
        """Makes the process this controller's."""
        self._outer_cwd = os.getcwd()
        self._outer_main = sys.modules["__main__"]
        self._outer = {name: getattr(sys, name) for name in self._system}
        for name, value in self._system.items():
            setattr(sys, name, value)
        if self._cwd != self._outer_cwd:
            os.chdir(self._cwd)
        sys.modules.update(self._modules)
        self._count = len(sys.modules)

    def leave(self) -> None:
        """Makes the process again what it was before `enter`."""
        self._cwd = os.getcwd()
        self._system = {name: getattr(sys, name) for name in self._system}
        if len(sys.modules) != self._count:
            self._claim_modules()
        for name in self._modules:
            sys.modules.pop(name, None)
        sys.modules["__main__"] = self._outer_main
        for name, value in self._outer.items():
            setattr(sys, name, value)
        if self._cwd != self._outer_cwd:
            os.chdir(self._outer_cwd)

    def _claim_modules(self) -> None:
        """Takes the new modules that come from the controller's folder."""
        new = sys.modules.keys() - self._shared
        for name in new:
            file = getattr(sys.modules[name], "__file__", None)
            if file and self._folder in Path(file).parents:
                self._modules[name] = sys.modules[name]
        self._shared |= new - self._modules.keys()
