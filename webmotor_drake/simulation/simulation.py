"""A scenario that is ready to run, up to its Results."""

import contextlib
import inspect
import itertools
import math
import typing
from collections.abc import Callable, Iterable, Iterator

from pydrake.geometry import Meshcat
from pydrake.multibody.tree import RigidBody
from pydrake.systems.analysis import ApplySimulatorConfig, Simulator
from pydrake.systems.framework import Context

from webmotor_drake.errors import (
    InputError,
    SimulationError,
    one_line,
    unknown_name,
)
from webmotor_drake.float_errors import with_numpys_defaults
from webmotor_drake.interrupts import is_interrupted
from webmotor_drake.results.results import Results
from webmotor_drake.scenario.blame import blame
from webmotor_drake.scenario.scenario import Scenario
from webmotor_drake.simulation.diagram import assemble
from webmotor_drake.simulation.failure import (
    FAILURES,
    failure_of,
    is_interrupt,
    what_broke,
)
from webmotor_drake.simulation.fallen import warn_of_fallen
from webmotor_drake.simulation.modelled_plant import without_samples
from webmotor_drake.simulation.motor_stepper import (
    MotorStepper,
    check_one_period,
)
from webmotor_drake.simulation.own_contacts import OwnContacts
from webmotor_drake.simulation.run_record import RECORDS, RunNotes, RunRecord
from webmotor_drake.simulation.start import Start

# Number of parts of a run, after each of which it reports progress and is checked.
_PARTS = 200
CHECKS = 20


class Simulation:
    """A scenario that is ready to run.

    A warning that repeats is issued once, and counted in the results' metadata.

    Args:
        scenario: scenario to run.
        meshcat: Meshcat to draw in, if any.
        record: extent of the results: "run", all of it over all resets; "episode", the
            part since the last reset, so that resets bound the memory; "nothing", one
            row with the present.
        by_hand: True if somebody may push bodies; see `Pushes`.

    Attributes:
        scenario: scenario that runs.
        plant: Drake's plant.
        motors: the motors by model name.
        log: record of the motors since the last reset.
        poses: the bodies whose poses are recorded.
        contacts: kind of contact of each collision shape, with the reason.
        docks: Connectors that may hold each other.
        own_contacts: shapes of a robot that came to touch each other.
        scene_graph: the plant's geometry.
        simulator: simulator of the whole diagram. Its time starts at 0 again with each
            reset; `time` goes on.
        stepper: stepper from motor step to motor step; missing without motors.
        exit_status: the status with which a supervisor ended the run; None: not ended.
        live_commands: commands that somebody gave by hand, for the metadata.
        pause: function that holds the run until somebody lets it go on; None: nobody
            watches.
        interruption: exception to raise once the simulator has stopped, set by a
            monitor; None without.
        keys: keys that somebody holds down, as Webots' Keyboard has them.
        timed_keys: function from a time, s, to further keys that are down then.
        measured: sensors that clients of the run use, by model and name; each has a
            `period`, 0 where it is off, and a `value`.
        labels: texts of supervisors beside the picture, by number.
        imports: imports of supervisors, with their times.
        ink: records of the ink of Pens.
        sounds: sounds of Speakers, for the metadata, by number; see `hear`.

    Raises:
        InputError: the scenario cannot run.
    """

    @with_numpys_defaults
    def __init__(
        self,
        scenario: Scenario,
        *,
        meshcat: Meshcat | None = None,
        record: str = "run",
        by_hand: bool = False,
    ):
        if record not in RECORDS:
            raise InputError(unknown_name("record", record, RECORDS))
        self.scenario = scenario
        self.live_commands: list[dict[str, typing.Any]] = []
        self.pause: Callable[[], None] | None = None
        self.interruption: KeyboardInterrupt | None = None
        self._notes = RunNotes()
        self._broken: SimulationError | None = None
        with self._notes.counted():
            assembly = assemble(
                scenario if meshcat else without_samples(scenario),
                meshcat=meshcat,
                by_hand=by_hand,
                docking=True,
            )
            check_one_period(scenario, assembly.motors)
        assert assembly.docks is not None
        self.docks = assembly.docks
        self.plant = assembly.plant
        self.scene_graph = assembly.scene_graph
        self.motors = assembly.motors
        self.poses, self.contacts = assembly.poses, assembly.contacts
        self._landing = assembly.landing
        self._record = RunRecord(scenario, assembly, record)
        self.log, self.imports = self._record.log, self._record.imports
        self.ink = self._record.ink
        self.own_contacts = OwnContacts(
            scenario, self.plant, assembly.scene_graph
        )
        with self._notes.counted(), blame(scenario):
            self.simulator = Simulator(assembly.builder.Build())
        with blame(scenario, "simulator_config"):
            ApplySimulatorConfig(scenario.simulator_config, self.simulator)
        if self.motors:
            self.stepper = MotorStepper(self.simulator, *self.motors.values())
        self._read_in_place()
        diagram = self.simulator.get_system()
        self._start = Start(
            scenario, self.plant, diagram, self.docks, self.motors
        )
        self._start.prepare(self.simulator.get_mutable_context())
        self._filter_docked()
        self.exit_status: int | None = None
        self.labels: dict[int, str] = {}
        self.keys: list[int] = []
        self.timed_keys: Callable[[float], list[int]] = lambda time: []
        self.sounds: dict[str, dict[str, typing.Any]] = {}
        self.measured: dict[tuple[str, str], typing.Any] = {}
        self._starts_anew = False

    def _read_in_place(self) -> None:
        """Lets the plant's state be read in place: the Context is ours."""
        if self.plant.time_step() == 0:
            return
        root, context = self.simulator.get_context(), self._plant_context
        state = context.get_discrete_state(0).get_value()
        self._owned = [context, state]
        if self._landing is not None:
            self._landing.read_in_place(context, state)
        for system in self.motors.values():
            own = system.GetMyContextFromRoot(root)
            system.read_in_place(own, state)
            self._owned.append(own)

    def _filter_docked(self) -> None:
        root = self.simulator.get_mutable_context()
        self.docks.filter_contact(self.scene_graph, root, self._plant_context)

    @property
    def start(self) -> Context:
        """The root Context at the start."""
        return self._start.context

    @property
    def _plant_context(self) -> Context:
        root = self.simulator.get_context()
        return self.plant.GetMyContextFromRoot(root)

    def be_watched(self) -> None:
        """Lets a live page look at the run, and act on it, while no time passes.

        Raises:
            KeyboardInterrupt: the page has ended the run.
        """
        watch = self.simulator.get_monitor()
        if self.pause is None or watch is None:
            return
        watch(self.simulator.get_context())
        self._raise_interruption()

    def _raise_interruption(self) -> None:
        interruption, self.interruption = self.interruption, None
        if interruption is not None:
            raise interruption

    def hear(self, speaker: str, sound: dict[str, typing.Any]) -> None:
        """Notes that a Speaker plays a sound, for the metadata.

        Args:
            speaker: name of it, "<model>/<device>".
            sound: its `file` or `text`, `start` and `end`, s from the start of the
                run, the end None as long as there is none, `volume` and `pitch`.
        """
        sound["speaker"] = speaker
        self.sounds[str(len(self.sounds))] = sound

    def held_keys(self, time: float) -> list[int]:
        """Returns the keys that are down at a time, s: from a page and from a list."""
        return list(dict.fromkeys([*self.keys, *self.timed_keys(time)]))

    @property
    def warnings(self) -> dict[str, int]:
        """How often each warning was issued so far, by text."""
        return dict(self._notes.warnings)

    @property
    def failed(self) -> bool:
        """True if the run has failed; it goes no further without a reset."""
        return self._broken is not None

    @property
    def failure(self) -> str:
        """Reason for the failure, one line; "" without one."""
        return one_line(self._broken) if self._broken else ""

    @property
    def time(self) -> float:
        """The simulated time, s, over all resets."""
        return self._record.start + self.simulator.get_context().get_time()

    def reset(self, seed: int | None = None) -> None:
        """Goes back to the start: the plant, the motors and the time.

        The run after it is the same to the bit as the first one, also after a failure.
        Recorded data is kept as `record` says.

        Args:
            seed: seed for new draws of the scenario's `initial_position` and the poses
                of free bodies, as a simulation with this `random_seed` has them; draws
                in included files of directives stay. None: the first start.

        Raises:
            InputError: the seed is invalid, or poses of welds or frames are random:
                these are part of the plant.
        """
        context = self.simulator.get_mutable_context()
        drawn = None if seed is None else self._start.drawn(seed)
        self._record.end_episode(context)
        self._start.go_back(context, drawn)
        self.docks.restart()
        self._filter_docked()
        self._broken = None
        if self.plant.time_step() == 0:  # the integrator remembers its step
            rate = self.simulator.get_target_realtime_rate()
            config = self.scenario.simulator_config
            ApplySimulatorConfig(config, self.simulator)
            self.simulator.set_target_realtime_rate(rate)
        # Commands until then act in the first step, as at the start.
        self._starts_anew = True

    def run(
        self, *, progress: Callable[[float, float], None] | None = None
    ) -> Results:
        """Simulates to the end.

        Args:
            progress: function called now and then with the simulated time and the end,
            s.

        Returns:
            The signals of all motors, and metadata of the run.

        Raises:
            SimulationError: it failed midway; its attribute `results` has what
                was simulated until then.
        """
        with self._running():
            self._advance(progress)
        return self.results()

    def _advance(self, progress: Callable[[float, float], None] | None) -> None:
        """Simulates to the end; without an end, until it is interrupted."""
        end = self.scenario.simulation_duration
        # The parts are the same whether somebody watches or not.
        ends: Iterable[float] = map(float, itertools.count(1))
        if math.isfinite(end):
            ends = (end * part / _PARTS for part in range(1, _PARTS + 1))
        for part, until in enumerate(ends, start=1):
            self.advance_to(until)
            self.look_at_contacts()
            if part % (_PARTS // CHECKS) == 0:
                self.check_state()
            if progress is not None:
                progress(self.time, end)
            # Python swallows what a signal raises in a callback of its own, such as
            # one of the garbage collector.
            if is_interrupted():
                raise KeyboardInterrupt

    @contextlib.contextmanager
    def _running(self) -> Iterator[None]:
        """Counts time and warnings of the block; reports failures."""
        try:
            with self._notes.running():
                self.look_at_contacts()
                yield
                self.own_contacts.tell()
                warn_of_fallen(
                    self.plant, self.scene_graph, self._plant_context
                )
        except InputError:
            raise
        except FAILURES as error:
            # A controller's Ctrl-C is reported as its failure.
            if not isinstance(error, SimulationError) and is_interrupt(error):
                raise KeyboardInterrupt from error
            self._fail(error)

    def noted(self) -> contextlib.AbstractContextManager[None]:
        """Counts time and warnings of the block, which are shown as they come."""
        return self._notes

    def advance_to(self, time: float) -> None:
        """Simulates until `time`, s, over all resets.

        Raises:
            SimulationError: it failed, now or before.
        """
        self._guarded(self.simulator.AdvanceTo, self._record.own_time(time))

    @with_numpys_defaults
    def _guarded(
        self, advance: Callable[[typing.Any], typing.Any], until: float
    ) -> None:
        """Advances the simulator; failures become a SimulationError."""
        if self._broken is not None:
            raise self._broken
        try:
            if self._starts_anew:
                self.simulator.Initialize()
                self._starts_anew = False
            advance(until)
        except FAILURES as error:
            if is_interrupt(error):
                raise
            self._fail(error)
        self._raise_interruption()

    def _fail(self, error: BaseException) -> typing.NoReturn:
        context = self.simulator.get_context()
        self._broken = failure_of(error, self._record, context, self.results())
        if self._broken is error:
            raise error
        raise self._broken from error

    def advance_to_step(self, step: int) -> None:
        """Simulates until motor step `step` is about to start.

        The state at the step's start is there; commands given then act in the step.
        Step 0 is the start of the simulation; steps count from the last reset.
        """
        if step > 0:
            self._guarded(self.stepper.advance_to, step)

    def check_state(self) -> None:
        """Raises SimulationError if the plant's state is no longer finite.

        The motors check their own joints in every step. This checks all others; it
        takes microseconds, and calls now and then are enough.
        """
        state = self.plant.get_state_output_port().Eval(self._plant_context)
        if not math.isfinite(state.sum()):
            context = self.simulator.get_context()
            broken, _ = what_broke(self._record, context)
            if broken:
                self._fail(SimulationError(broken))

    def lift(self, body: RigidBody) -> None:
        """Lifts a free body that was placed on others to where it rests.

        See `Landing.lift`; nothing changes where nothing touches.
        """
        context = self._plant_context
        lifted = self._landing and self._landing.lift(context, body)
        if lifted is not None:
            q = self.plant.GetPositions(context)
            q += lifted
            self.plant.SetPositions(context, q)

    def look_at_contacts(self) -> None:
        """Notes which shapes of a robot touch each other; to be called now and then."""
        self.own_contacts.look(self.simulator.get_context(), self.time)

    def results(self) -> Results:
        """Returns the recorded part of the results until now."""
        events = {
            "live_commands": self.live_commands,
            "own_contacts": self.own_contacts.metadata(),
            "sounds": self.sounds,
            "labels": {str(i): text for i, text in self.labels.items()},
            "exit_status": self.exit_status,
        }
        context = self.simulator.get_context()
        return self._record.results(context, self._notes, events)


# As long as simulated time passes, a frame with this code is on the stack.
ADVANCING = inspect.unwrap(Simulation._guarded).__code__
