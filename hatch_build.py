"""Compiles the loops as the package is built; without a compiler it is Python alone.

    python hatch_build.py

does so in a checkout, after an edit of `webmotor_drake/loops`.
"""

import importlib.util
import sys
from pathlib import Path

try:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface
except ImportError:  # not called by hatchling
    BuildHookInterface = object

ROOT = Path(__file__).parent


def _binaries():
    """Returns the module that compiles, whose package is not installed yet."""
    file = ROOT / "webmotor_drake/loops/binaries.py"
    spec = importlib.util.spec_from_file_location("binaries", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class CompiledLoops(BuildHookInterface):
    """Puts compiled loops into a wheel, or for an editable one beside their text."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict) -> None:
        """Compiles them before hatchling collects the files."""
        if self.target_name != "wheel":
            return
        binaries = _binaries()
        try:
            folder = binaries.compile_loops()
        except (Exception, SystemExit) as error:
            last = (str(error).strip() or type(error).__name__).splitlines()[-1]
            self.app.display_warning(f"motors are not compiled: {last}")
            return
        build_data["pure_python"], build_data["infer_tag"] = False, True
        if version != "editable":
            for path in folder.glob(f"*{binaries.SUFFIX}"):
                inside = path.relative_to(ROOT).as_posix()
                build_data["force_include"][str(path)] = inside


if __name__ == "__main__":
    print(_binaries().compile_loops())
    sys.exit()
