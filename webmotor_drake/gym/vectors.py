"""Vectors of environments: in one plant, or in processes."""

import functools
import typing

import gymnasium
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, VectorEnv

from webmotor_drake.errors import InputError
from webmotor_drake.gym.environment import WebmotorEnv
from webmotor_drake.gym.one_plant_vector import WebmotorVectorEnv
from webmotor_drake.gym.registered import ALONE
from webmotor_drake.gym.tasks import make, task_of


def make_vec(
    scenario: typing.Any,
    num_envs: int,
    *,
    processes: bool = False,
    autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
    **task: typing.Any,
) -> VectorEnv:
    """Returns `num_envs` environments of a scenario that step together.

    Example:
        ::

            envs = wm.gym.make_vec("arm.scenario.yaml", 64, actions="effort", ...)

    Args:
        scenario: see `WebmotorEnv`.
        num_envs: how many.
        processes: False: all in one plant, for robots that touch nothing, see
            `WebmotorVectorEnv`. True: a process for each, started anew ("spawn"), for
            all others; images go through shared memory. A script that does so needs
            ``if __name__ == "__main__":``.
        autoreset_mode: how ended episodes begin anew.
        task: the other arguments of `WebmotorEnv`. Lambdas are fine.

    Raises:
        InputError: as `WebmotorEnv`; or the robots don't fit in one plant.
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
    return _in_processes(one, num_envs, autoreset_mode)


def make_task_vec(
    task: str,
    num_envs: int = 1,
    *,
    processes: bool | None = None,
    autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
    **changes: typing.Any,
) -> VectorEnv:
    """Returns many of one of our environments, as `gymnasium.make_vec` asks for them.

    Args:
        task: its name in `TASKS`.
        num_envs: how many.
        processes: see `make_vec`; None: where the robots touch something.
        autoreset_mode: how ended episodes begin anew.
        changes: arguments of `WebmotorEnv` in place of the task's own.
    """
    if processes is None:
        processes = task not in ALONE
    if not processes:
        return WebmotorVectorEnv(
            num_envs=num_envs,
            autoreset_mode=autoreset_mode,
            **(task_of(task) | changes),
        )
    one = functools.partial(make, task, **changes)
    return _in_processes(one, num_envs, autoreset_mode)


def _in_processes(
    one: typing.Callable[[], gymnasium.Env],
    num_envs: int,
    autoreset_mode: str | AutoresetMode,
) -> AsyncVectorEnv:
    """Returns environments in processes of their own.

    Forked ones would share Drake's threads and pages with this one.
    """
    return AsyncVectorEnv(
        [one] * num_envs,
        context="spawn",
        autoreset_mode=AutoresetMode(autoreset_mode),
    )
