"""Vectors of environments: in one plant, or in processes."""

import functools
import os
import typing

from gymnasium.vector import AsyncVectorEnv, AutoresetMode, VectorEnv

from webmotor_drake.errors import InputError
from webmotor_drake.gym.environment import WebmotorEnv
from webmotor_drake.gym.one_plant_vector import WebmotorVectorEnv
from webmotor_drake.gym.registered import ALONE
from webmotor_drake.gym.shares import SharedProcesses
from webmotor_drake.gym.tasks import task_of


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
        **(task_of(task) | changes),
    )
