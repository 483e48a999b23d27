"""What a live page costs a run, on top of the same run without one.

    python benchmarks/page_cost.py [--quick] [--out FILE]

Both runs go as fast as they can, in one process and in turns; the median of their
ratios counts. The page is looked at by a process of its own that draws nothing: it
takes each frame, with all samples for plots, and asks for the next. Processor time is
that of the simulator's process, with the thread that serves the page. Frames go by the
clock on the wall: on a busy machine they have a larger share of it.
"""

import contextlib
import functools
import statistics
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator

import numpy as np
from _lib import report
from _lib.report import Table

from webmotor_drake import InputError, MotorWarning, load_scenario
from webmotor_drake.runner import ready
from webmotor_drake.scenario.scenario import Scenario
from webmotor_drake.simulation.simulation import Simulation
from webmotor_drake.view.live_page import LivePage

ROUNDS, SECONDS = 12, 5.0  # simulated time of a turn
QUICK_ROUNDS, QUICK_SECONDS = 2, 0.1
# The scenarios, and the goal of the share that a page may take.
CASES = {
    "Go2, 12 motors": ("package:robots_go2", 1.08),
    "quadruped, 8 motors": ("package:quadruped", None),
}
COLUMNS = ["without", "with", "ratio (goal)", "frames per s"]
# What a browser does, without drawing.
READER = """
import sys
import websockets.sync.client as sync
origin = sys.argv[1]
address = origin.replace("http", "ws") + "/socket"
with sync.connect(address, origin=origin, max_size=None) as page:
    for message in page:
        if isinstance(message, str) and '"complete"' in message:
            page.send('{"loaded": true}')
        elif message[:2] == b"\\xc1\\0":
            page.send('{"drawn": true}')
"""


def cost(scenario: Scenario, rounds: int, seconds: float) -> list[float]:
    """Returns ms without a page and with one, their ratio, and frames per second.

    Args:
        scenario: what runs.
        rounds: how often each runs.
        seconds: simulated time of each turn.
    """
    alone = ready(scenario)
    with looked_at(scenario) as (watched, page):
        shown = counted(page)
        for simulation in (alone, watched):
            simulation.advance_to(seconds)  # compiles
        pairs, before = [], len(shown)
        for turn in range(2, rounds + 2):
            order = (alone, watched) if turn % 2 else (watched, alone)
            times = [timed(run, turn * seconds) for run in order]
            pairs.append(times if turn % 2 else times[::-1])
        frames = max(len(shown) - before, 1)
    cost = np.array(pairs)  # by turn; without and with; processor and wall
    without, with_it = 1e3 * cost[:, :, 0].sum(axis=0) / (rounds * seconds)
    ratio = statistics.median(cost[:, 1, 0] / cost[:, 0, 0])
    return [without, with_it, ratio, frames / cost[:, 1, 1].sum()]


@contextlib.contextmanager
def looked_at(scenario: Scenario) -> Iterator[tuple[Simulation, LivePage]]:
    """Gives a run that a page shows, and the page."""
    with contextlib.closing(LivePage(rate=0)) as page:
        simulation = page.attach(
            functools.partial(ready, scenario, by_hand=True)
        )
        command = [sys.executable, "-c", READER, page.address]
        with subprocess.Popen(command, stderr=subprocess.DEVNULL) as reader:
            page.wait_for_browser()
            yield simulation, page
            reader.kill()


def counted(page: LivePage) -> list[None]:
    """Returns a list that grows with each frame."""
    shown: list[None] = []
    show = page._server.show
    page._server.show = lambda messages: shown.append(show(messages))
    return shown


def timed(simulation: Simulation, until: float) -> tuple[float, float]:
    """Returns the processor time that it takes, and that on the wall, s."""
    processor, wall = time.process_time(), time.perf_counter()
    simulation.advance_to(until)
    return time.process_time() - processor, time.perf_counter() - wall


def measure(*, quick: bool) -> list[Table]:
    """Returns the table."""
    how = (QUICK_ROUNDS, QUICK_SECONDS) if quick else (ROUNDS, SECONDS)
    table = Table("processor time, ms per simulated second", COLUMNS)
    for row, (name, goal) in CASES.items():
        try:
            scenario = load_scenario(name, text="{simulation_duration: 1000}")
            table.rows[row] = [*cost(scenario, *how)]
            table.goals[row] = [None, None, goal, None]
        except InputError as error:
            table.rows[row] = [str(error), None, None, None]
    return [table]


def main() -> None:
    """Prints the table."""
    args = report.options(__doc__).parse_args()
    warnings.simplefilter("ignore", MotorWarning)
    report.show("page_cost", measure(quick=args.quick), args)


if __name__ == "__main__":
    main()
