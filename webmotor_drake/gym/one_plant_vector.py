"""Many environments in one plant: robots that touch nothing, stepped together."""

import os
import typing
from collections.abc import Sequence

import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from webmotor_drake.errors import InputError, SimulationError, unknown_name
from webmotor_drake.gym.draws import all_drawn, seed_of_each
from webmotor_drake.gym.environment import WebmotorEnv, is_random
from webmotor_drake.gym.many_world import ManyWorld
from webmotor_drake.gym.observations import Observer
from webmotor_drake.gym.starts import is_of_plant, set_start
from webmotor_drake.scenario.scenario import Scenario
from webmotor_drake.simulation.many_robots import ManyRobots

_OPTIONS = ("reset_mask",)
# Observations, rewards, which episodes are over, which out of time, and info.
_Stepped = tuple[
    np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, typing.Any]
]


class WebmotorVectorEnv(VectorEnv):
    """`num_envs` environments of a scenario, their robots in one plant.

    64 small robots cost some twelve times as much as one. Each moves as in a
    `WebmotorEnv` of its own, bit for bit with the same seed. The robots must not touch
    anything (`drive: torque`); for others see `make_vec`.

    Functions of an `Instant` get arrays with a row per robot. `info` has arrays with
    an entry per environment. Ended episodes begin anew as `autoreset_mode` says:
    NEXT_STEP, in the next step, whose action is ignored; SAME_STEP, at once,
    with the last observation in `info["final_obs"]`; DISABLED, by
    ``reset(options={"reset_mask": mask})``. If the simulation fails, all episodes are
    truncated.

    Args:
        scenario: argument of `WebmotorEnv`; distributions of its own are refused.
        num_envs: number of environments.
        autoreset_mode: Gymnasium's AutoresetMode.
        task: further arguments of `WebmotorEnv`: `actions`, `observations`, `reward`
            and the like, but for those on rendering. `randomize` has masses and
            damping only.

    Attributes:
        action_names: names of an action's elements.
        observation_names: names of an observation's elements.
        motors: "<model>/<motor>" of one robot's.

    Raises:
        InputError: as `WebmotorEnv`; or its robots don't fit in one plant.
    """

    def __init__(
        self,
        scenario: Scenario | str | os.PathLike[str],
        num_envs: int,
        *,
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
        **task: typing.Any,
    ):
        if task.get("render_mode"):
            raise InputError("many robots in one plant are not shown").below(
                "render_mode"
            )
        # A single environment has the names of commands and observations.
        self._one = one = WebmotorEnv(scenario, **task)
        if other := one.randomization.in_place_only():
            raise InputError(
                "in one plant only masses and damping of each robot's own can be"
                " drawn; make_vec(..., processes=True) draws everything"
            ).below("randomize", other)
        self.num_envs = num_envs
        self.metadata = {
            **self.metadata,
            "autoreset_mode": AutoresetMode(autoreset_mode),
        }
        self._mode = AutoresetMode(autoreset_mode)
        self._own = {
            name: np.zeros((num_envs, *np.shape(value)))
            for name, value in one.own.items()
        }
        self._world = ManyWorld(
            _many(one.scenario, num_envs),
            one.action_map.commands,
            one.world,
            own=self._own,
            computed=one.computed,
        )
        self._observer = Observer(one.observations, self._world)
        self.single_action_space = one.action_space
        self.single_observation_space = one.observation_space
        self.action_space = batch_space(one.action_space, num_envs)
        self.observation_space = batch_space(one.observation_space, num_envs)
        self.motors, self.action_names = one.motors, one.action_names
        self.observation_names = one.observation_names
        self._randoms: list[np.random.Generator] = []
        self._over = np.ones(num_envs, dtype=bool)
        self._clipped = np.zeros((num_envs, len(self.action_names)), bool)

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, typing.Any] | None = None,
    ) -> tuple[np.ndarray, dict[str, typing.Any]]:
        """Starts all episodes, or those of a mask; see `VectorEnv.reset`.

        Args:
            seed: seed of the first robot, one more for each; or a seed for each.
            options: "reset_mask": which robots, shape (num_envs,), bool.
        """
        for name in options or {}:
            if name not in _OPTIONS:
                raise InputError(unknown_name("option", name, _OPTIONS))
        mask = self._mask((options or {}).get("reset_mask"))
        self._seed(seed, mask)
        if mask.all() or self._world.robots.failed:
            mask = np.ones(self.num_envs, dtype=bool)
            self._world.loop.reset()
        self._begin(mask)
        now = self._world.now
        now.action = np.zeros((self.num_envs, len(self.action_names)))
        now.observation = now.before = self._observer.observation()
        self._over &= ~mask
        self._clipped = np.zeros_like(self._clipped)
        return now.observation, self._info()

    def step(self, actions: typing.Any) -> _Stepped:
        """Simulates a step of all; see `VectorEnv.step`.

        Raises:
            InputError: the actions have another shape, or are not numbers.
            ResetNeeded: no episode has begun, or one is over and needs a reset.
        """
        self._check_begun()
        inside, self._clipped = self._one.action_map.clipped(actions)
        begins = self._over if self._mode == AutoresetMode.NEXT_STEP else None
        try:
            self._world.step(self._one.action_map.rows(inside))
        except SimulationError as error:
            return self._failed(error)
        now = self._world.now
        now.before, now.action = now.observation, inside
        now.observation = self._observer.observation()
        rewards, ended, late = self._judged()
        if begins is not None and begins.any():
            rewards[begins] = 0.0
            ended[begins] = late[begins] = False
            now.observation = self._anew(begins)
        over = ended | late
        info = self._info()
        self._over = over
        if self._mode == AutoresetMode.SAME_STEP and over.any():
            final = now.observation
            now.observation = self._anew(over)
            info |= _final(final, info, over)
            self._over = np.zeros(self.num_envs, dtype=bool)
        return now.observation, rewards, ended, late, info

    def _check_begun(self) -> None:
        """Raises ResetNeeded if an episode is over that only `reset` begins anew."""
        if self._randoms and self._mode != AutoresetMode.DISABLED:
            return
        over = np.flatnonzero(self._over).tolist()
        if over:
            raise ResetNeeded(
                f"the episodes of environments {over} are over; call reset() first"
            )

    def _mask(self, given: typing.Any) -> np.ndarray:
        """Returns which episodes a reset starts; all without a mask."""
        if given is None:
            return np.ones(self.num_envs, dtype=bool)
        mask = np.asarray(given)
        if mask.shape != (self.num_envs,) or mask.dtype != bool:
            raise InputError(
                f"an array of shape {mask.shape} and type {mask.dtype} is not"
                f" allowed; must be ({self.num_envs},) and bool"
            ).below("options", "reset_mask")
        return mask

    def _judged(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Returns rewards, and which episodes are over or out of time."""
        now, number = self._world.now, self.num_envs
        rewards = np.array(
            np.broadcast_to(self._one.reward(now), number), dtype=float
        )
        ended = np.zeros(number, dtype=bool)
        if self._one.terminated is not None:
            ended[:] = self._one.terminated(now)
        end = self._one.scenario.simulation_duration
        return rewards, ended, self._world.is_late(end)

    def _failed(self, error: SimulationError) -> _Stepped:
        """Truncates all episodes; they begin anew as the mode says."""
        number = self.num_envs
        info = self._info()
        info["failure"] = np.full(number, str(error), dtype=object)
        info["_failure"] = np.ones(number, dtype=bool)
        self._over = np.ones(number, dtype=bool)
        now = self._world.now
        final = now.observation
        self._world.loop.reset()
        self._begin(self._over)
        if self._mode == AutoresetMode.SAME_STEP:
            info |= _final(final, info, self._over)
            now.observation = self._observer.observation()
            self._over = np.zeros(number, dtype=bool)
        seen = now.observation
        nothing = np.zeros(number, dtype=bool)
        return seen, np.zeros(number), nothing, ~nothing, info

    def _seed(
        self, seed: int | Sequence[int | None] | None, mask: np.ndarray
    ) -> None:
        """Makes new random generators where seeds are given, and at first."""
        seeds = seed_of_each(seed, self.num_envs)
        if not self._randoms:
            self._randoms = [seeding.np_random(s)[0] for s in seeds]
            self._world.now.random = self._randoms
            return
        for i in np.flatnonzero(mask).tolist():
            if seeds[i] is not None:
                self._randoms[i] = seeding.np_random(seeds[i])[0]

    def _anew(self, mask: np.ndarray) -> np.ndarray:
        """Begins the episodes of some; returns the observation of all."""
        self._begin(mask)
        return self._observer.observation()

    def _begin(self, mask: np.ndarray) -> None:
        """Draws and sets the start of some robots."""
        robots = self._world.robots
        context = self._world.loop.plant_context
        for i in np.flatnonzero(mask).tolist():
            random, models = self._randoms[i], robots.models[i]
            random.integers(2**32)  # what one alone draws for its sensors
            values = self._one.randomization.drawn(random)
            start = all_drawn(self._one.starts, random)
            for name, value in start.items():
                if not is_of_plant(name):
                    self._own[name][i] = value
            robots.start_of(i)
            self._one.randomization.set_parameters(
                robots.plant, context, values, models
            )
            set_start(robots.plant, context, start, models)
            robots.restart_motors(i)
        if mask.any():
            self._one.randomization.tell_motors(robots.stepper)
        self._world.begin(mask)
        self._world.start(0)

    def _info(self) -> dict[str, typing.Any]:
        info = self._world.now.info(self._clipped, self._one.more_info)
        every = np.ones(self.num_envs, dtype=bool)
        return info | {f"_{name}": every.copy() for name in info}


def _final(
    observation: np.ndarray, info: dict[str, typing.Any], over: np.ndarray
) -> dict[str, typing.Any]:
    """Returns the entries of `info` for the episodes that a step ended."""
    last = {name: np.copy(v) for name, v in info.items() if name[0] != "_"}
    return {
        "final_obs": observation,
        "_final_obs": over.copy(),
        "final_info": last | {f"_{name}": over.copy() for name in last},
        "_final_info": over.copy(),
    }


def _many(scenario: Scenario, number: int) -> ManyRobots:
    if is_random(scenario):
        raise InputError(
            "the scenario itself draws its start; draw it with the argument `reset`"
        )
    try:
        return ManyRobots([scenario] * number)
    except InputError as error:
        raise InputError(
            f"{error.problem}; make_vec(..., processes=True) runs them",
            path=error.path,
            where=error.where,
        ) from None
