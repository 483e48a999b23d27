"""The controller API in a program of one's own, or a notebook."""

import contextlib
import os
import typing
from collections.abc import Iterable, Mapping
from pathlib import Path

from pydrake.geometry import Meshcat

from webmotor_drake.controllers.devices.robot import Robot
from webmotor_drake.controllers.devices.supervisor import Supervisor
from webmotor_drake.controllers.link import active
from webmotor_drake.controllers.link.client import Client
from webmotor_drake.controllers.stocked import callers, with_stock
from webmotor_drake.errors import InputError, SimulationError, unknown_name
from webmotor_drake.host.robot_host import robot_hosts
from webmotor_drake.host.senses.sampling import steps_of
from webmotor_drake.host.stepped_simulation import SteppedSimulation
from webmotor_drake.loading import as_scenario
from webmotor_drake.results.results import Results
from webmotor_drake.scenario.robot_controllers import (
    PORT,
    connected_robots,
    without_controllers,
)
from webmotor_drake.scenario.scenario import Scenario
from webmotor_drake.simulation.release import release_when_dropped
from webmotor_drake.simulation.simulation import Simulation
from webmotor_drake.view.live_page import LivePage
from webmotor_drake.view.replay import Scene

if typing.TYPE_CHECKING:
    from webmotor_drake.protocol.connected_robots import ConnectedRobots


class _Together:
    """The loop of one program: a step of one robot steps all robots."""

    def __init__(self, stepped: SteppedSimulation):
        self.clients: dict[str, Client] = {}  # robots of the program
        self.closed = False  # nothing is simulated any more
        self._stepped = stepped
        stepped.rhythm = self
        self._connected: ConnectedRobots | None = None
        self._resources = contextlib.ExitStack()

    def connect(self, programs: Mapping[str, Path | None], port: int) -> int:
        """Lets programs command robots until `disconnect`; returns their port."""
        from webmotor_drake.protocol.connected_robots import ConnectedRobots

        with contextlib.ExitStack() as resources:
            connected = ConnectedRobots(self._stepped, programs, port)
            connected.stands_still = False  # the session's own program goes on
            resources.enter_context(contextlib.closing(connected))
            resources.enter_context(connected.running())
            self._resources = resources.pop_all()
        self._connected = connected
        return connected.port

    def disconnect(self, *error: typing.Any) -> None:
        """Ends the programs; after an error it waits for less time."""
        self._connected = None
        self._resources.__exit__(*error)

    def check(self, client: Client | None = None) -> bool:
        """Returns whether the scenario has ended."""
        if self.closed:
            return True
        if self._stepped.over:
            self._stepped.finish()
        return self._stepped.over

    def step(self, milliseconds: int | None) -> int:
        """Steps if programs command all robots; None: the basic time step."""
        basic = self._stepped.basic_time_step
        if milliseconds is None:
            milliseconds = max(int(basic), 1)
        if milliseconds <= 0:
            raise InputError(
                f"time_step: {milliseconds} is not allowed; must be above 0"
            )
        if self.check():
            return -1
        due = self._stepped.now + steps_of(milliseconds, basic)
        return 0 if self._advance(due) else -1

    def wait(self, client: Client, due: float) -> bool:
        """Simulates until the start of step `due`; False at the end."""
        others = [c for c in self.clients.values() if c is not client]
        for other in others:
            other.send_all(client.asked)
        alive = self._advance(due)
        for other in others:
            other.answer()
        return alive

    def _advance(self, due: float) -> bool:
        """Simulates until the start of step `due`; False at the end.

        Programs are answered on the way.
        """
        stepped, connected = self._stepped, self._connected
        if connected is None:
            stepped.advance(due)
        while connected and stepped.now < due and not stepped.over:
            stepped.advance(connected.next_step(due), connected.listen)
            connected.answer()
        alive = due <= stepped.last_step
        if not alive:
            stepped.finish()
        return alive

    def begin_episode(self, seed: int) -> None:
        """Restarts the noise of the programs' sensors from a seed."""
        if self._connected is not None:
            self._connected.begin_episode(seed)

    def reload(self) -> str:
        """Resets only the simulation; the program goes on."""
        self._stepped.changes.reset = True
        return "a session goes on; only the simulation is reset"

    def restart(self, model: str) -> bool:
        """Ends a program, to start it again; False: none was started here."""
        connected = self._connected
        return connected is not None and connected.restart(model)


class RobotSession:
    """A simulation whose robots the program commands, step by step.

    ::

        with RobotSession(scenario) as session:
            robot = session.robot("arm")
            motor = robot.getDevice("hinge motor")
            motor.setPosition(1.2)
            while robot.step(32) != -1:
                ...
            results = session.results()

    It is a loop of step, read and command: a command after a step acts in the very
    next step. A step of one robot steps all robots: it sends the commands of all, and
    reads the sensors of all. After the end of the scenario it returns -1. If there is
    one robot, ``Robot()`` and ``Motor("hinge motor")`` find it, too. Controllers that
    the scenario names are not run.

    Robots in `extern` are the exception: programs that link Webots' libController, such
    as one in C, command them. A step of the session waits until each program has asked
    for a step, and answers all program steps that end on the way. Programs are heard
    only while the session steps. Its end tells them to quit.

    Closing sends all queued commands. A closed session simulates no further: a step
    returns -1. `MotorStepper` is the same loop for a diagram of one's own.

    Args:
        simulation: a scenario, the name of its file, or a Simulation at its start.
        meshcat: display of a scenario during the simulation; it has the recording
            after closing.
        page: page of ours that shows a scenario instead, at its own rate.
        realtime: simulated seconds per second in Meshcat; 0: as fast as possible.
        follow: True if the camera goes along with the robot.
        record: content of `results`: "run", all of a scenario over all resets;
            "episode", the time since the last reset; "nothing", only the present.
        extern: robots that programs command. ``with`` starts the program that the
            scenario names as controller; a robot without one waits for any program.
        extern_port: their port; the next ones if it is taken; 0: any.

    Attributes:
        extern_port: port of programs, once ``with`` has opened the session.

    Raises:
        InputError: the scenario cannot run, or there is no such robot.
    """

    def __init__(
        self,
        simulation: Simulation | Scenario | str | os.PathLike[str],
        *,
        meshcat: Meshcat | None = None,
        page: LivePage | None = None,
        realtime: float = 1.0,
        follow: bool = False,
        record: str = "run",
        extern: str | Iterable[str] = (),
        extern_port: int = PORT,
    ):
        self._page: LivePage | None = None
        self._scene: Scene | None = None
        self._mine = mine = not isinstance(simulation, Simulation)
        self._released = False
        extern = [extern] if isinstance(extern, str) else list(extern)
        if isinstance(simulation, Simulation):
            if meshcat is not None or page is not None:
                raise InputError("a Simulation is drawn where it was made to")
            known = connected_robots(simulation.scenario)
        else:
            scenario = as_scenario(simulation)
            known = connected_robots(scenario)
            scenario = with_stock(
                without_controllers(scenario, extern), callers()
            )
            if page is not None and meshcat is None:
                self._page, shown = page, {"by_hand": True, "record": record}
                simulation = page.attach(lambda: Simulation(scenario, **shown))
            else:
                shown = {"meshcat": meshcat, "record": record}
                simulation = Simulation(scenario, **shown)
        self._programs = {robot: known.get(robot) for robot in extern}
        if meshcat is not None:
            self._scene = Scene(simulation, meshcat, follow=follow)
            simulation.simulator.set_target_realtime_rate(realtime)
        self._stepped = SteppedSimulation(simulation, noted=True)
        if not mine:
            self._stepped.lend()
        self._together = _Together(self._stepped)
        hosts = robot_hosts(self._stepped)
        self.extern_port = extern_port
        for model in extern:
            if model not in hosts:
                raise InputError(unknown_name("robot", model, hosts))
        self._clients = self._together.clients
        commanded = (model for model in hosts if model not in extern)
        self._clients.update((m, Client(hosts[m])) for m in commanded)

    @property
    def simulation(self) -> Simulation:
        """The simulation. A change in the plant's Context acts in the next step."""
        self._stepped.lend()
        return self._stepped.simulation

    def __enter__(self) -> "RobotSession":
        self._together.closed = False
        if self._programs:
            self.extern_port = self._together.connect(
                self._programs, self.extern_port
            )
        for client in self._clients.values():
            active.register(client)
        return self

    def __exit__(
        self, error: type[BaseException] | None, *rest: typing.Any
    ) -> None:
        self._together.disconnect(error, *rest)
        for client in self._clients.values():
            active.unregister(client)
            if error is None:
                with contextlib.suppress(SimulationError):  # it was told
                    client.send_all(0)
        self._together.closed = True
        simulation = self._stepped.simulation
        with simulation.noted():
            simulation.own_contacts.tell()
        if self._page is not None:
            self._page.at_end(goes_on=False)
        if self._scene is not None:
            self._scene.publish()
        if self._mine and not self._released:
            self._released = True
            release_when_dropped(simulation)

    def robot(self, model: str) -> Robot:
        """Returns the robot of a model.

        Args:
            model: its name in the scenario.

        Raises:
            InputError: there is no such model, or a program commands it; the message
                lists the models.
        """
        if model in self._programs:
            raise InputError(
                f"robot {model!r} is extern: a program commands it, not the session"
            )
        if model not in self._clients:
            raise InputError(unknown_name("robot", model, self._clients))
        client = self._clients[model]
        if client.robot is None and client.host.is_supervisor:
            return Supervisor(_client=client)
        return client.robot or Robot(_client=client)

    def supervisor(self, model: str | None = None) -> Supervisor:
        """Returns a robot whose driver says `supervisor: true`.

        Args:
            model: name of the supervisor's model; None: the only supervisor.

        Raises:
            InputError: there is no such robot, or not just one.
        """
        known = [m for m, c in self._clients.items() if c.host.is_supervisor]
        if model is None and len(known) == 1:
            model = known[0]
        if model not in known:
            problem = unknown_name("supervisor", model or "", known)
            if model is None:
                problem = f"{len(known)} robots have 'supervisor: true'"
            raise InputError(problem)
        robot = self._clients[model].robot
        if isinstance(robot, Supervisor):
            return robot
        self._clients[model].robot = None  # it becomes one
        return Supervisor(_client=self._clients[model])

    @property
    def time(self) -> float:
        """The simulated time, s, since the last reset."""
        return self._stepped.time_of(self._stepped.now)

    def step(self, time_step: int | None = None) -> int:
        """Steps all robots; see `Robot.step`.

        Args:
            time_step: ms; None: the basic time step.

        Returns:
            0, how late the step is in ms, or -1 after the end of the scenario, or of
            the session.
        """
        for model in self._clients:
            return self.robot(model).step(time_step)
        return self._together.step(time_step)

    def reset(self, seed: int | None = None) -> None:
        """Begins another episode: the simulation goes back to the start, the time to 0.

        Commands that are not sent yet are dropped, and the motors are as at first.
        Sensors that are on stay on, and have measured the start. The scenario's
        duration begins anew. A session whose simulation has failed can go on.

        Args:
            seed: seed for a new `initial_position`, poses of free bodies and noise of
                sensors, as in a scenario with this `random_seed`; None: all as at the
                first start.

        Raises:
            InputError: the seed is invalid, or something random is part of the
                plant, see `Simulation.reset`.
        """
        scenario = self.simulation.scenario
        self._stepped.begin_episode(seed)
        seed = scenario.random_seed if seed is None else seed
        for client in self._clients.values():
            client.begin_episode(seed)
        self._together.begin_episode(seed)
        self._stepped.measure_start()
        for client in self._clients.values():
            client.answer()

    def results(self) -> Results:
        """Returns the signals simulated so far."""
        return self._stepped.simulation.results()
