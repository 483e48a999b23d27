"""webmotor view: robots that stand still, or a run again, in a browser."""

import argparse
import contextlib
import os
import time
from pathlib import Path

from pydrake.multibody.parsing import AddModel, ModelDirective

from webmotor_drake.cli.console import Notes, complain
from webmotor_drake.cli.exit_status import DONE
from webmotor_drake.cli.scenario_arguments import load
from webmotor_drake.data import PREFIX
from webmotor_drake.errors import InputError
from webmotor_drake.loading import is_world
from webmotor_drake.results.results import Results
from webmotor_drake.results.whole_file import check_regular, explained
from webmotor_drake.scenario.model_file import SUFFIXES
from webmotor_drake.scenario.scenario import Scenario, with_packages
from webmotor_drake.view.page import write_page
from webmotor_drake.view.page_server import PageServer
from webmotor_drake.view.replay import scenario_of
from webmotor_drake.view.replay_page import replay_page
from webmotor_drake.view.still_page import StillPage

# The period between two looks at the sliders, s.
_LOOK = 1 / 30
# The endings of model files that Drake reads.
_KINDS = (*SUFFIXES, ".obj")


def command(args: argparse.Namespace, notes: Notes) -> int:
    """Shows a run or a scenario until Ctrl-C; returns the exit status."""
    for option in ("beside", "html"):
        if getattr(args, option) is not None and not Path(args.file).is_dir():
            raise InputError(f"--{option} needs the folder of a run")
    page = _page(args)
    if page is None:
        return DONE
    with contextlib.closing(page):
        complain(f"open {page.address} in a browser (Ctrl-C ends)")
        notes.show()
        try:
            while True:
                if isinstance(page, StillPage):
                    page.update()
                time.sleep(_LOOK)
        except KeyboardInterrupt:  # there is nothing else to wait for
            return DONE


def _page(args: argparse.Namespace) -> StillPage | PageServer | None:
    """Returns the page; None: it is one file, which is written."""
    if not Path(args.file).is_dir():
        return StillPage(_scenario(args), show=args.show, port=args.port)
    results, beside = Results.load(args.file), {}
    if args.beside is not None:
        from webmotor_drake.comparison.ghosts import ghost_results

        ghost = ghost_results(args.beside, scenario_of(results))
        beside = {Path(args.beside).name: ghost}
    if args.html is not None:
        write_page(results, args.html, show=args.show, beside=beside)
        return None
    return replay_page(results, show=args.show, port=args.port, beside=beside)


def _scenario(args: argparse.Namespace) -> Scenario:
    """Returns the scenario to show; a model file is one by itself."""
    is_scenario = Path(args.file).suffix.lower() in (".yaml", ".yml", "")
    if is_scenario or args.file.startswith(PREFIX) or is_world(args.file):
        return load(args)
    return with_packages(_model_scenario(args.file), args.package)


def _model_scenario(file: str | os.PathLike[str]) -> Scenario:
    path = Path(file)
    check_regular(path)
    with explained(path, "read"):
        path.stat()
    if path.suffix.lower() not in _KINDS:
        raise InputError(
            f"cannot show {path}: neither a model ({', '.join(_KINDS)}) nor a"
            " scenario (.yaml) nor the folder of a saved run"
        )
    model = AddModel(name=path.stem, file=path.absolute().as_uri())
    return Scenario(directives=[ModelDirective(add_model=model)])
