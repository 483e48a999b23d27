"""Vectors of environments: in one plant, or in processes.

Waking a process costs as much as a step of a small robot. With more environments than
processors each process has a share of them, and is woken once per step.
"""

import functools
import itertools
import os
import typing
from collections.abc import Callable, Sequence

import gymnasium
import numpy as np
from gymnasium.vector import (
    AsyncVectorEnv,
    AutoresetMode,
    SyncVectorEnv,
    VectorEnv,
)
from gymnasium.vector.utils import batch_space

from webmotor_drake.errors import InputError
from webmotor_drake.gym.draws import seed_of_each
from webmotor_drake.gym.environment import WebmotorEnv
from webmotor_drake.gym.one_plant_vector import WebmotorVectorEnv
from webmotor_drake.gym.registered import ALONE
from webmotor_drake.gym.tasks import TASKS

Infos = dict[str, typing.Any]
_MASK = "reset_mask"


class SharedProcesses(VectorEnv):
    """Processes, started anew ("spawn"), each with an equal share of environments.

    It behaves as Gymnasium's SyncVectorEnv of all of them; images go through shared
    memory.

    Args:
        one: function that makes an environment.
        num_envs: number of environments.
        processes: number of processes; `num_envs` is a multiple of it.
        autoreset_mode: Gymnasium's AutoresetMode.
    """

    def __init__(
        self,
        one: Callable[[], gymnasium.Env],
        num_envs: int,
        processes: int,
        autoreset_mode: AutoresetMode,
    ):
        self.num_envs, self._share = num_envs, num_envs // processes
        made = functools.partial(_Share, one, self._share, autoreset_mode)
        self._processes = AsyncVectorEnv(
            [functools.partial(made, i) for i in range(processes)],
            context="spawn",
            autoreset_mode=AutoresetMode.DISABLED,  # shares see to it
        )
        seen, given = self._processes.call("single_spaces")[0]
        self.single_observation_space, self.single_action_space = seen, given
        self.observation_space = batch_space(seen, num_envs)
        self.action_space = batch_space(given, num_envs)
        self.metadata = {
            **self._processes.metadata,
            "autoreset_mode": autoreset_mode,
        }
        self.render_mode = self._processes.render_mode

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, typing.Any] | None = None,
    ) -> tuple[typing.Any, Infos]:
        """Begins episodes; see `gymnasium.vector.VectorEnv`."""
        seeds = seed_of_each(seed, self.num_envs)
        options = dict(options or {})
        if _MASK in options:
            mask = np.asarray(options.pop(_MASK), dtype=bool)
            options["mask"] = mask = mask.reshape(-1, self._share)
            options[_MASK] = mask.any(axis=1)
        starts = range(0, self.num_envs, self._share)
        shares = [seeds[i : i + self._share] for i in starts]
        seen, infos = self._processes.reset(
            seed=typing.cast(typing.Any, shares), options=options
        )
        return self._flat(seen), self._joined(infos)

    def step(
        self, actions: typing.Any
    ) -> tuple[typing.Any, np.ndarray, np.ndarray, np.ndarray, Infos]:
        """Steps all; see `gymnasium.vector.VectorEnv`."""
        shares = np.asarray(actions).reshape(self._processes.action_space.shape)
        seen, *judged, infos = self._processes.step(shares)
        rewards, ended, late = (values.reshape(-1) for values in judged)
        return self._flat(seen), rewards, ended, late, self._joined(infos)

    def render(self) -> tuple | None:
        """Returns the image of each environment."""
        shown = self._processes.call("render")
        return None if None in shown else tuple(itertools.chain(*shown))

    def call(self, name: str, *args: typing.Any, **kwargs: typing.Any) -> tuple:
        """Calls a method of each environment, or reads an attribute."""
        found = self._processes.call("call", name, *args, **kwargs)
        return tuple(itertools.chain(*found))

    def get_attr(self, name: str) -> tuple:
        """Returns an attribute of each environment."""
        return self.call(name)

    def close_extras(self, **kwargs: typing.Any) -> None:
        """Ends the processes."""
        self._processes.close(**kwargs)

    def _flat(self, seen: typing.Any) -> typing.Any:
        """Returns the observations of all, given those of each share."""
        if isinstance(seen, dict):
            return {name: self._flat(values) for name, values in seen.items()}
        return seen.reshape(self.num_envs, *seen.shape[2:])

    def _joined(self, infos: Infos) -> Infos:
        given = infos.get("share", [None] * self._processes.num_envs)
        return _joined([one[0] if one else {} for one in given], self._share)


class _Share(SyncVectorEnv):
    """The environments of a process, as the one that Gymnasium's vectors step."""

    def __init__(
        self,
        one: Callable[[], gymnasium.Env],
        number: int,
        autoreset_mode: AutoresetMode,
        index: int,
    ):
        super().__init__([one] * number, autoreset_mode=autoreset_mode)
        self._index = index
        self.single_spaces = (
            self.single_observation_space,
            self.single_action_space,
        )

    def get_wrapper_attr(self, name: str) -> typing.Any:
        """Returns an attribute, by the name that environments have for it."""
        return getattr(self, name)

    def reset(
        self,
        *,
        seed: typing.Any = None,
        options: dict[str, typing.Any] | None = None,
    ) -> tuple[typing.Any, Infos]:
        options = dict(options or {})
        if "mask" in options:
            options[_MASK] = options.pop("mask")[self._index]
        seen, infos = super().reset(seed=seed, options=options)
        return seen, {"share": (infos,)}

    def step(self, actions: typing.Any) -> tuple:
        *moved, infos = super().step(actions)
        return *moved, {"share": (infos,)}


def _joined(infos: list[Infos], share: int) -> Infos:
    """Joins the infos of shares; zeros and None stand for missing entries."""
    joined = {}
    for name in dict.fromkeys(itertools.chain(*infos)):
        values = [info.get(name) for info in infos]
        first = next(value for value in values if value is not None)
        if isinstance(first, dict):
            joined[name] = _joined([v or {} for v in values], share)
            continue
        blank = None if first.dtype == object else 0
        missing = np.full_like(first, blank)
        joined[name] = np.concatenate(
            [missing if value is None else value for value in values]
        )
    return joined


def make_vec(
    scenario: typing.Any,
    num_envs: int,
    *,
    processes: bool | int = False,
    autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
    **task: typing.Any,
) -> VectorEnv:
    """Returns `num_envs` environments of a scenario that step together.

    Example:
        ::

            envs = wm.gym.make_vec("arm.scenario.yaml", 64, actions="effort", ...)

    Args:
        scenario: argument of `WebmotorEnv`.
        num_envs: number of environments.
        processes: False: all in one plant, for robots that touch nothing, see
            `WebmotorVectorEnv`. True: in processes, for all others: as many as there
            are processors, each with an equal share, or one for each environment. A
            number: so many. They are started anew ("spawn"): a script that does so
            needs ``if __name__ == "__main__":``. Images go through shared memory.
        autoreset_mode: Gymnasium's AutoresetMode.
        task: the other arguments of `WebmotorEnv`. Lambdas are fine.

    Raises:
        InputError: as `WebmotorEnv`; the robots don't fit in one plant, or the
            environments not in equal shares in so many processes.
    """
    if num_envs < 1:
        raise InputError(
            f"num_envs {num_envs} is not allowed; must be at least 1"
        )
    if not processes:
        return WebmotorVectorEnv(
            scenario, num_envs, autoreset_mode=autoreset_mode, **task
        )
    one = functools.partial(WebmotorEnv, scenario, **task)
    mode = AutoresetMode(autoreset_mode)
    if processes is True:
        processors = os.cpu_count() or 1
        processes = num_envs if num_envs % processors else processors
    if not 0 < processes <= num_envs or num_envs % processes:
        raise InputError(
            f"processes {processes} is not allowed; {num_envs} environments in"
            " equal shares need a divisor of their number"
        )
    if processes < num_envs:
        return SharedProcesses(one, num_envs, processes, mode)
    # Forked ones would share Drake's threads and pages with this one.
    return AsyncVectorEnv(
        [one] * num_envs, context="spawn", autoreset_mode=mode
    )


def make_task_vec(
    task: str,
    num_envs: int = 1,
    *,
    processes: bool | int | None = None,
    autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
    **changes: typing.Any,
) -> VectorEnv:
    """Returns many of one of our environments, as `gymnasium.make_vec` asks for them.

    Args:
        task: its name in `TASKS`.
        num_envs: number of environments.
        processes: argument of `make_vec`; None: processes where the robots touch
            something.
        autoreset_mode: Gymnasium's AutoresetMode.
        changes: arguments of `WebmotorEnv` in place of the task's own.
    """
    if processes is None:
        processes = task not in ALONE
    return make_vec(
        num_envs=num_envs,
        processes=processes,
        autoreset_mode=autoreset_mode,
        **(TASKS[task]() | changes),
    )
