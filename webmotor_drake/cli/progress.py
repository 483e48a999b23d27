"""Progress bars, on a terminal."""

import contextlib
import math
import sys
import typing
from collections.abc import Callable, Iterator


@contextlib.contextmanager
def _bar(quiet: bool, **style: typing.Any) -> Iterator[typing.Any]:
    """Gives a bar of tqdm; None if nothing is to be shown."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from tqdm import tqdm

    with tqdm(leave=False, **style) as bar:
        yield bar


@contextlib.contextmanager
def progress_bar(
    duration: float, *, quiet: bool
) -> Iterator[Callable[[float, float], None] | None]:
    """Gives the callback that shows how far `duration`, s, is; None: no bar."""
    endless = math.isinf(duration)
    with _bar(
        quiet,
        total=None if endless else duration,
        bar_format="{n:.4g} s, until Ctrl-C [{elapsed}]"
        if endless
        else "{percentage:3.0f}%|{bar}| {n:.4g}/{total:.4g} s"
        " [{elapsed}<{remaining}]",
    ) as bar:
        yield bar if bar is None else lambda now, _: bar.update(now - bar.n)


@contextlib.contextmanager
def progress_of_models(
    *, quiet: bool
) -> Iterator[Callable[[str, float, float], None] | None]:
    """Gives the callback that shows each model's progress; None: no bar."""
    with _bar(
        quiet,
        total=0,
        bar_format="{desc}: {percentage:3.0f}%|{bar}| {n:.4g}/{total:.4g} s",
    ) as bar:

        def show(model: str, now: float, end: float) -> None:
            if bar.desc != model:
                bar.reset(total=end)
                bar.set_description_str(model)
            bar.update(now - bar.n)

        yield show if bar is not None else None


@contextlib.contextmanager
def progress_of_runs(
    total: int, *, quiet: bool
) -> Iterator[Callable[[int, int], None] | None]:
    """Gives the callback that shows the runs done and failed; None: no bar."""
    with _bar(
        quiet,
        total=total,
        unit="run",
        smoothing=0.05,
        bar_format="{percentage:3.0f}%|{bar}| {n_fmt}/{total_fmt} runs{postfix}"
        " [{elapsed}<{remaining}, {rate_fmt}]",
    ) as bar:

        def show(done: int, failed: int) -> None:
            if not bar.initial and not bar.n:
                # Those of before took no time now.
                bar.initial = bar.n = bar.last_print_n = done
            bar.set_postfix_str(f"{failed} failed" if failed else "", False)
            bar.update(done - bar.n)

        yield show if bar is not None else None


@contextlib.contextmanager
def progress_of_fit(
    model: str, *, quiet: bool
) -> Iterator[Callable[[int, float], None] | None]:
    """Gives the callback that shows a fit's runs and residual; None: no bar."""
    with _bar(
        quiet,
        bar_format="{desc}: {n} runs, {rate_fmt} [{elapsed}]{postfix}",
        unit=" runs",
    ) as bar:
        if bar is not None:
            bar.set_description_str(model)

        def show(runs: int, residual: float) -> None:
            bar.set_postfix_str(f"residual {residual:.4g}")
            bar.update(runs - bar.n)

        yield show if bar is not None else None
