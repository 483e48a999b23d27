"""webmotor view: robots that stand still, or a run again, in a browser."""

import argparse
import contextlib
import time
from collections.abc import Callable, Generator
from pathlib import Path

from webmotor_drake.cli.console import Notes, complain
from webmotor_drake.cli.exit_status import DONE
from webmotor_drake.cli.scenario_arguments import load
from webmotor_drake.data import PREFIX
from webmotor_drake.errors import InputError
from webmotor_drake.loading import is_world
from webmotor_drake.results.results import Results
from webmotor_drake.scenario.scenario import Scenario, with_packages
from webmotor_drake.view.marks import checked_marks
from webmotor_drake.view.model_scenario import model_scenario
from webmotor_drake.view.page import write_page
from webmotor_drake.view.page_server import PageServer
from webmotor_drake.view.replay import scenario_of
from webmotor_drake.view.replay_page import replay_page
from webmotor_drake.view.still_page import StillPage

# The period between two looks at the sliders, s.
_LOOK = 1 / 30


def command(args: argparse.Namespace, notes: Notes) -> int:
    """Shows a run or a scenario until Ctrl-C; returns the exit status."""
    checked_marks(args.show)
    if args.beside is not None and not Path(args.file).is_dir():
        raise InputError("--beside needs the folder of a run")
    if args.html is not None:
        return _write(args)
    with _in_a_page(args) as update:
        notes.show()
        try:
            while True:
                update()
                time.sleep(_LOOK)
        except KeyboardInterrupt:  # there is nothing else to wait for
            return DONE


def _write(args: argparse.Namespace) -> int:
    """Writes the page of a run as one file; returns the exit status."""
    if not Path(args.file).is_dir():
        raise InputError("--html needs the folder of a run")
    results = Results.load(args.file)
    beside = _beside(args.beside, results)
    write_page(results, args.html, show=args.show, beside=beside)
    return DONE


@contextlib.contextmanager
def _in_a_page(args: argparse.Namespace) -> Generator[Callable[[], None]]:
    """Shows it in a page of ours; yields a function that updates it."""
    page: PageServer | StillPage
    if Path(args.file).is_dir():
        results = Results.load(args.file)
        beside = _beside(args.beside, results)
        page = replay_page(
            results, show=args.show, port=args.port, beside=beside
        )
        update = _nothing
    else:
        page = StillPage(_scenario(args), show=args.show, port=args.port)
        update = page.update
    with contextlib.closing(page):
        complain(f"open {page.address} in a browser (Ctrl-C ends)")
        yield update


def _beside(name: str | None, results: Results) -> dict[str, Results]:
    """Returns the run beside the one that is shown, by its name; {} for none."""
    if name is None:
        return {}
    from webmotor_drake.comparison.ghosts import ghost_results

    found = ghost_results(name, scenario_of(results))
    return {Path(name).name: found}


def _scenario(args: argparse.Namespace) -> Scenario:
    """Returns the scenario to show; a model file is one by itself."""
    is_scenario = Path(args.file).suffix.lower() in (".yaml", ".yml", "")
    if is_scenario or args.file.startswith(PREFIX) or is_world(args.file):
        return load(args)
    return with_packages(model_scenario(args.file), args.package)


def _nothing() -> None:
    """Updates nothing, where nothing moves by itself."""
