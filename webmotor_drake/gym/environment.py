"""A scenario as an environment of Gymnasium."""

import os
import typing
from collections.abc import Callable, Mapping, Sequence

import gymnasium
import numpy as np
from gymnasium.error import ResetNeeded

from webmotor_drake.errors import InputError, SimulationError, unknown_name
from webmotor_drake.gym.actions import ActionMap, Actions
from webmotor_drake.gym.draws import Draw, all_drawn
from webmotor_drake.gym.instant import Instant
from webmotor_drake.gym.observations import Computed, Observer
from webmotor_drake.gym.randomization import Randomization, Values
from webmotor_drake.gym.starts import (
    Starts,
    check_starts,
    is_of_plant,
    own_values,
    set_start,
)
from webmotor_drake.gym.world import World
from webmotor_drake.loading import as_scenario
from webmotor_drake.results.results import Results
from webmotor_drake.scenario.scenario import Scenario, controllers_of, located
from webmotor_drake.simulation.release import release
from webmotor_drake.simulation.simulation import Simulation
from webmotor_drake.view.film import Film
from webmotor_drake.view.moment import moment_now

if typing.TYPE_CHECKING:
    from webmotor_drake.view.live_page import LivePage

Observation = np.ndarray | dict[str, np.ndarray]
RENDER_MODES = ("rgb_array", "human")
# The options of `reset` besides a seed.
OPTIONS = ("state", "values", "record")
# The record of a closed environment.
_CLOSED = "closed"
# The advice for a scenario that names a controller.
_WITHOUT = (
    "an environment commands the motors itself; leave it out, or say"
    " controller: '' (in Python: wm.load_scenario(FILE,"
    " text=\"{model_drivers: {MODEL: {controller: ''}}}\"))"
)


class WebmotorEnv(gymnasium.Env):
    """A scenario as an environment: an agent's numbers command its motors.

    ::

        env = WebmotorEnv(
            "cart_pole.scenario.yaml",
            actions="velocity",
            observations=["cart_pole/slider/position", "cart_pole/hinge/position"],
            reward=lambda now: np.cos(now["cart_pole/hinge/position"]),
            terminated=lambda now: abs(now["cart_pole/hinge/position"]) > 0.2,
            reset={"cart_pole/hinge/position": (-0.05, 0.05)},
        )

    An action acts in the step that it is given for, the first one after a reset, too;
    one outside the space is clipped (`info` says so), one that is not a number
    refused. A step is `time_step` long. The episode is truncated at the scenario's
    `simulation_duration`, and where the simulation fails: `info["failure"]` says why,
    the observation is the last good one, the reward 0; the next reset mends it.

    The same seed gives the same episodes, bit for bit. Nothing is recorded but with
    ``reset(options={"record": True})``: `results` has that episode then.

    `info` has "time" (s since the reset), "saturated" and "clipped" (truth values in
    the order of `motors` and `action_names`).

    Args:
        scenario: scenario to run, or the name of its file or world; it has no
            controller.
        actions: a kind for all motors, "position", "velocity" or "effort", or a kind
            or an `Action` by "<model>/<motor>".
        observations: signals by name, see `World`, and values `Computed` from them;
            with images a Dict.
        reward: function of an `Instant`, a number.
        terminated: function of an `Instant`: True if the episode is over; None: never.
        reset: starts of episodes, by name, see `set_start`: (low, high), a list
            to choose from, a number or a function of the random numbers; or a function
            of them that returns all values. A name without "/" is the task's own, such
            as a goal: it can be observed and rewarded. What the scenario draws is
            drawn, too.
        randomize: parameters by path, as `webmotor sweep --vary` has them, that each
            episode draws anew, in the same way.
        time_step: step, s, a multiple of the motors' period; None: that period.
        scaled: True if actions go from -1 to 1, from limit to limit; False: motors'
            units.
        info: function of an `Instant`: entries that `info` has besides.
        render_mode: "rgb_array": `render` gives a picture; "human": a page shows the
            robots in real time.
        render_size: width and height of pictures, pixels.

    Attributes:
        action_names: names of the action's elements.
        observation_names: names of the observation's elements; of "numbers" in a Dict.
        motors: "<model>/<motor>" of all.

    Raises:
        InputError: the scenario cannot run, has a controller, or an argument does not
            fit it. For an unknown name the text has the nearest one.
    """

    metadata: typing.ClassVar[dict[str, typing.Any]] = {
        "render_modes": list(RENDER_MODES)
    }

    def __init__(
        self,
        scenario: Scenario | str | os.PathLike[str],
        *,
        actions: Actions,
        observations: Sequence[str | Computed],
        reward: Callable[[Instant], float],
        terminated: Callable[[Instant], bool] | None = None,
        reset: Starts | None = None,
        randomize: Mapping[str, Draw] | None = None,
        time_step: float | None = None,
        scaled: bool = True,
        info: Callable[[Instant], Mapping[str, typing.Any]] | None = None,
        render_mode: str | None = None,
        render_size: tuple[int, int] = (640, 480),
    ):
        scenario = as_scenario(scenario)
        _check_without_controller(scenario)
        if render_mode is not None and render_mode not in RENDER_MODES:
            raise InputError(
                unknown_name("render_mode", render_mode, RENDER_MODES)
            )
        self.render_mode = render_mode
        self.randomization = Randomization(scenario, randomize or {})
        self.scenario = self.randomization.scenario
        self._is_random = is_random(scenario)
        self.reward, self.terminated = reward, terminated
        self.starts: Starts = reset if reset is not None else {}
        self.more_info = info
        self.computed = [c for c in observations if isinstance(c, Computed)]
        self.own = own_values(self.starts)
        self._time_step = time_step
        self._page: LivePage | None = None
        self._record = "nothing"
        # All names and limits are read from a first simulation.
        simulation = self._watched(self.scenario)
        self.action_map = ActionMap(actions, simulation.motors, scaled=scaled)
        self.world = self._world_of(simulation)
        self.observations = observations
        self._observer = Observer(observations, self.world)
        check_starts(self.starts, simulation.plant)
        self.action_space = self.action_map.space
        self.observation_space = self._observer.space
        self.action_names = self.action_map.names
        self.observation_names = self._observer.names
        self.motors = self.world.loop.motors
        self.metadata = {
            **self.metadata,
            "render_fps": 1 / (self.world.loop.period * self.world.stride),
        }
        self._render_size = render_size
        self._film: Film | None = None
        self._built_with: Values = {}
        self._over = True
        self._seen: Observation | None = None

    def reset(
        self,
        *,
        seed: int | None = None,
        options: dict[str, typing.Any] | None = None,
    ) -> tuple[Observation, dict[str, typing.Any]]:
        """Starts an episode.

        Args:
            seed: seed of all that is drawn from now on, in this episode and the next
                ones.
            options: "state": the plant's [q, v] at the start; "values": parameters of
                `randomize` by path, in place of drawn ones; "record": True: `results`
                has this episode.

        Returns:
            The observation and info.

        Raises:
            InputError: an option does not fit.
        """
        super().reset(seed=seed)
        options = options or {}
        for name in options:
            if name not in OPTIONS:
                raise InputError(unknown_name("option", name, OPTIONS))
        random = self.np_random
        drawn_seed = int(random.integers(2**32))
        values = self.randomization.drawn(random, options.get("values"))
        start = all_drawn(self.starts, random)
        self.own.update(
            {name: v for name, v in start.items() if not is_of_plant(name)}
        )
        self._build_for(
            values, "episode" if options.get("record") else "nothing"
        )
        world = self.world
        world.loop.reset(seed=drawn_seed if self._is_random else None)
        plant, context = world.simulation.plant, world.loop.plant_context
        self.randomization.set_parameters(plant, context, values, {})
        self.randomization.tell_motors(world.simulation.stepper)
        set_start(plant, context, start)
        if options.get("state") is not None:
            world.loop.set_state(options["state"])
        world.start(drawn_seed)
        instant = world.now
        instant.random = random
        instant.action = np.zeros(len(self.action_names))
        self._seen = self._observer.observation()
        instant.observation = instant.before = self._seen
        self._over = False
        return self._seen, self._info(np.zeros(len(self.action_names), bool))

    def step(
        self, action: typing.Any
    ) -> tuple[Observation, float, bool, bool, dict[str, typing.Any]]:
        """Simulates a step; see the class.

        Args:
            action: in the action space.

        Returns:
            Observation, reward, terminated, truncated, info.

        Raises:
            InputError: the action has another shape, or is not a number.
            ResetNeeded: the episode is over, or none has begun.
        """
        if self._over:
            raise ResetNeeded("the episode is over; call reset() first")
        inside, outside = self.action_map.clipped(action)
        world = self.world
        try:
            world.step(self.action_map.rows(inside))
        except SimulationError as error:
            self._over = True
            info = self._info(outside) | {"failure": str(error)}
            return self._seen, 0.0, False, True, info
        instant = world.now
        instant.before, instant.action = self._seen, inside
        instant.observation = self._seen = self._observer.observation()
        reward = float(self.reward(instant))
        ended = bool(self.terminated and self.terminated(instant))
        late = bool(world.is_late(self.scenario.simulation_duration))
        self._over = ended or late
        return self._seen, reward, ended, late, self._info(outside)

    def __reduce_ex__(self, protocol: typing.SupportsIndex) -> typing.NoReturn:
        """Refuses copies and pickles, which are made by this."""
        raise TypeError(
            "a WebmotorEnv cannot be copied or pickled, as Drake's diagrams cannot;"
            " make another one, and give its reset options={'state': ...}"
        )

    def results(self) -> Results:
        """Returns the episode, as far as it was recorded; see `reset`."""
        if self._record == _CLOSED:
            return self._results
        return self.world.simulation.results()

    def render(self) -> np.ndarray | None:
        """Returns a picture, shape (height, width, 3), in the mode "rgb_array"."""
        if self.render_mode != "rgb_array":
            return None
        simulation, scenario = self.world.simulation, self.scenario
        if self._film is None:
            results, size = simulation.results(), self._render_size
            self._film = Film(results, scenario, follow=True, size=size)
        return self._film.draw(moment_now(simulation))

    def close(self) -> None:
        """Closes the page, and frees the simulation; a reset builds it anew.

        The results stay.
        """
        if self._page is not None:
            self._page.close()
            self._page = None
        if self._record != _CLOSED:
            self._results = self.world.simulation.results()
            release(self.world.simulation)
            self._record, self._over, self._film = _CLOSED, True, None
            del self.world, self._observer

    @property
    def simulation(self) -> Simulation:
        """The simulation; another one after a reset that built it anew."""
        return self.world.simulation

    @property
    def page(self) -> "LivePage | None":
        """The page of the mode "human"; its `address` is for a browser."""
        return self._page

    def _info(self, clipped: np.ndarray) -> dict[str, typing.Any]:
        return self.world.now.info(clipped, self.more_info)

    def _build_for(self, values: Values, record: str) -> None:
        """Builds the simulation anew if the values, or a record, need it."""
        changed = self.randomization.rebuilds and values != self._built_with
        if not changed and record == self._record:
            return
        # A page may still look at the old one.
        if self._page is None and self._record != _CLOSED:
            release(self.world.simulation)
        self._record, self._built_with = record, values
        scenario = self.randomization.scenario_with(values)
        self.world = self._world_of(self._watched(scenario))
        self._observer = Observer(self.observations, self.world)

    def _world_of(self, simulation: Simulation) -> World:
        return World(
            simulation,
            self.action_map.commands,
            self._time_step,
            own=self.own,
            computed=self.computed,
        )

    def _watched(self, scenario: Scenario) -> Simulation:
        """Returns a simulation; in the mode "human" a page shows it."""
        record = self._record
        if self.render_mode != "human":
            return Simulation(scenario, record=record)
        if self._page is None:
            self._page = _open_page()
        return self._page.attach(
            lambda: Simulation(scenario, record=record, by_hand=True)
        )


def _open_page() -> "LivePage":
    """Opens a page in a browser; says where it is if there is none."""
    import webbrowser

    from webmotor_drake.view.live_page import LivePage

    page = LivePage(waits=False, can_end=False)
    if not webbrowser.open(page.address):
        gymnasium.logger.warn(f"the robots are shown at {page.address}")
    return page


def _check_without_controller(scenario: Scenario) -> None:
    """Raises InputError if a robot has a controller of its own, or no motors."""
    for model, controller in controllers_of(scenario).items():
        path = "model_drivers", model, "controller"
        raise located(
            scenario, InputError(f"{controller!r}: {_WITHOUT}", path=path)
        )


def is_random(scenario: Scenario) -> bool:
    """Returns whether the start of a scenario is drawn from a seed."""
    positions: typing.Iterable[Mapping] = scenario.initial_position.values()
    if any(
        not isinstance(q, np.ndarray) for p in positions for q in p.values()
    ):
        return True
    for directive in scenario.directives:
        poses = (
            add.default_free_body_pose if (add := directive.add_model) else {}
        )
        if any(not pose.IsDeterministic() for pose in poses.values()):
            return True
    return False
