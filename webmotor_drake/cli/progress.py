"""Progress bars, on a terminal."""

import contextlib
import functools
import math
import sys
import typing
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager

Bar = typing.Any  # a bar of tqdm
Shown = AbstractContextManager[Callable[..., None] | None]


@contextlib.contextmanager
def _bar(
    show: Callable[..., None], quiet: bool, **style: typing.Any
) -> Generator[Callable[..., None] | None]:
    """Yields `show` with a bar of tqdm; None if nothing is to be shown."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from tqdm import tqdm

    with tqdm(leave=False, **style) as bar:
        yield functools.partial(show, bar)


def progress_bar(duration: float, *, quiet: bool) -> Shown:
    """Gives the callback that shows how far `duration`, s, is; None: no bar."""
    endless = math.isinf(duration)

    def show(bar: Bar, now: float, _: float) -> None:
        bar.update(now - bar.n)

    return _bar(
        show,
        quiet,
        total=None if endless else duration,
        bar_format="{n:.4g} s, until Ctrl-C [{elapsed}]"
        if endless
        else "{percentage:3.0f}%|{bar}| {n:.4g}/{total:.4g} s"
        " [{elapsed}<{remaining}]",
    )


def progress_of_models(*, quiet: bool) -> Shown:
    """Gives the callback that shows each model's progress; None: no bar."""

    def show(bar: Bar, model: str, now: float, end: float) -> None:
        if bar.desc != model:
            bar.reset(total=end)
            bar.set_description_str(model)
        bar.update(now - bar.n)

    form = "{desc}: {percentage:3.0f}%|{bar}| {n:.4g}/{total:.4g} s"
    return _bar(show, quiet, total=0, bar_format=form)


def progress_of_runs(total: int, *, quiet: bool) -> Shown:
    """Gives the callback that shows the runs done and failed; None: no bar."""

    def show(bar: Bar, done: int, failed: int) -> None:
        if not bar.initial and not bar.n:
            # The runs of before took no time now.
            bar.initial = bar.n = bar.last_print_n = done
        bar.set_postfix_str(f"{failed} failed" if failed else "", False)
        bar.update(done - bar.n)

    return _bar(
        show,
        quiet,
        total=total,
        unit="run",
        smoothing=0.05,
        bar_format="{percentage:3.0f}%|{bar}| {n_fmt}/{total_fmt} runs{postfix}"
        " [{elapsed}<{remaining}, {rate_fmt}]",
    )


def progress_of_fit(model: str, *, quiet: bool) -> Shown:
    """Gives the callback that shows a fit's runs and residual; None: no bar."""

    def show(bar: Bar, runs: int, residual: float) -> None:
        bar.set_postfix_str(f"residual {residual:.4g}")
        bar.update(runs - bar.n)

    form = "{desc}: {n} runs, {rate_fmt} [{elapsed}]{postfix}"
    return _bar(show, quiet, desc=model, bar_format=form, unit=" runs")
