"""Runs the controllers of a scenario."""

import contextlib
import os
import sys
import typing
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from pathlib import Path

from pydrake.geometry import Meshcat

from webmotor_drake.controllers.in_process.controller_file import (
    Controller,
    ControllerError,
    exit_message,
    line_in,
    load_controller,
    scenario_controllers,
    show_traceback,
    told,
)
from webmotor_drake.controllers.in_process.controller_module import installed
from webmotor_drake.controllers.in_process.lockstep import Lockstep
from webmotor_drake.controllers.in_process.own_process import (
    adopted,
    end_child,
    own_exits,
)
from webmotor_drake.controllers.in_process.process_state import (
    ProcessState,
    survives,
)
from webmotor_drake.controllers.in_process.turns import ControllerStopped
from webmotor_drake.controllers.link import active
from webmotor_drake.controllers.link.client import Client
from webmotor_drake.controllers.stocked import with_modules, with_stock
from webmotor_drake.errors import InputError, unknown_name
from webmotor_drake.host import messages
from webmotor_drake.host.robot_host import robot_hosts
from webmotor_drake.host.stepped_simulation import SteppedSimulation
from webmotor_drake.interrupts import interruptible, uninterrupted
from webmotor_drake.results.results import Results
from webmotor_drake.scenario.robot_controllers import (
    PORT,
    connected_robots,
    without_controllers,
)
from webmotor_drake.scenario.scenario import Scenario
from webmotor_drake.simulation.simulation import Simulation
from webmotor_drake.simulation.supervised import supervisors

if typing.TYPE_CHECKING:
    from webmotor_drake.protocol.connected_robots import ConnectedRobots


def run_with_controllers(
    scenario: Scenario,
    controllers: Mapping[str, str | os.PathLike[str] | Controller]
    | None = None,
    *,
    progress: Callable[[float, float], None] | None = None,
) -> Results:
    """Simulates a scenario with controllers, from start to end.

    Args:
        scenario: scenario to run.
        controllers: file of a controller, or a loaded one, by model name;
            None: the controllers that the scenario names.
        progress: called now and then with the simulated time and the end, s.

    Raises:
        InputError: the scenario or a controller cannot run.
        ControllerError: a controller failed; the error's attribute `results` has
            the results up to then.
    """
    loaded = None
    if controllers is not None:
        loaded = {
            model: controller
            if isinstance(controller, Controller)
            else load_controller(controller)
            for model, controller in controllers.items()
        }
    simulation = ControlledSimulation(scenario, controllers=loaded)
    return simulation.run(progress=progress)


class ControlledSimulation(Simulation):
    """A Simulation whose robots have controllers: Python's, and programs that connect.

    It stands still until each controller has asked for a step. Their commands then act
    in the robots' order, whoever asked first, so that each run gives the same bits
    (WbControlledWorld.cpp). It does not wait for a robot that is not synchronized: a
    request of that robot's program acts at the basic step after it is heard.

    Args:
        scenario: scenario to run.
        meshcat: display of the run; None: it is not drawn.
        controllers: controllers by model name; None: the scenario's own, including
            its programs.
        by_hand: True if somebody may push bodies.
        port: port of TCP, and of the folder in which local sockets are; the next ones
            if it is taken; 0: any.
        guests: the addresses of other machines whose programs may connect by TCP.

    Raises:
        InputError: a controller cannot run.
    """

    def __init__(
        self,
        scenario: Scenario,
        *,
        meshcat: Meshcat | None = None,
        controllers: Mapping[str, Controller] | None = None,
        by_hand: bool = False,
        port: int = PORT,
        guests: Collection[str] = (),
    ):
        self._programs: dict[str, Path | None] = {}
        if controllers is None:
            controllers = scenario_controllers(scenario)
            if connected_robots(scenario):
                from webmotor_drake.protocol.programs import startable_programs

                self._programs = startable_programs(scenario)
        self._controllers = controllers
        self._port, self._guests = port, guests
        files = (
            file
            for model in supervisors(scenario)
            if model in controllers
            for file in with_modules(controllers[model].file)
        )
        scenario = with_stock(scenario, files)
        super().__init__(
            without_controllers(scenario, [*controllers, *self._programs]),
            meshcat=meshcat,
            by_hand=by_hand,
        )
        self.scenario = scenario

    def _advance(self, progress: Callable[[float, float], None] | None) -> None:
        if not (self._controllers or self._programs):
            super()._advance(progress)
            return
        run_controllers(
            self,
            self._controllers,
            connect=self._connect if self._programs else None,
            progress=progress,
        )

    def _connect(self, stepped: SteppedSimulation) -> "ConnectedRobots":
        from webmotor_drake.protocol.connected_robots import ConnectedRobots

        return ConnectedRobots(
            stepped, self._programs, self._port, self._guests
        )


def run_controllers(
    simulation: Simulation,
    controllers: Mapping[str, Controller],
    *,
    connect: "Callable[[SteppedSimulation], ConnectedRobots] | None" = None,
    progress: Callable[[float, float], None] | None = None,
) -> None:
    """Simulates to the end while controllers command the robots.

    Robots without a controller, or whose controller has ended, hold their last
    targets. A controller that still runs at the end is told of the end by `step`.

    Args:
        simulation: simulation at its start.
        controllers: controllers by model name.
        connect: function that makes the robots of programs; None: there are none.
        progress: called now and then with the simulated time and the end, s.

    Raises:
        InputError: there is no such model, or programs cannot connect.
        ControllerError: a controller failed, after its traceback was shown.
        KeyboardInterrupt: on Ctrl-C, after the controllers ended.
    """
    for model in controllers:
        if model not in simulation.motors:
            raise InputError(unknown_name("model", model, simulation.motors))
    stepped = SteppedSimulation(simulation, progress, lazy=True)
    with contextlib.ExitStack() as stack:
        stack.enter_context(interruptible())
        for keep in (installed, adopted, own_exits):
            stack.enter_context(keep())
        mend = stack.enter_context(survives())
        connected = connect and connect(stepped)
        if connected is not None:
            stack.enter_context(contextlib.closing(connected))
        failure = None
        while True:
            lockstep = _run_once(stepped, controllers, mend, connected)
            failure = failure or lockstep.failure
            if not lockstep.reloading or lockstep.broken:
                break
            stepped.reload()
    if failure is not None:
        raise failure


def _run_once(
    stepped: SteppedSimulation,
    controllers: Mapping[str, Controller],
    mend: Callable[[], None],
    connected: "ConnectedRobots | None",
) -> Lockstep:
    """Runs all controllers, until they end or are to be started again."""
    lockstep = Lockstep(stepped, controllers, connected)
    shared, labels = set(sys.modules), _labels(controllers)
    with contextlib.ExitStack() as registered:
        if connected is not None:
            registered.enter_context(connected.running())
        hosts = robot_hosts(stepped)

        def start(model: str) -> None:
            controller = controllers[model]
            client = Client(hosts[model])
            active.register(client)
            registered.callback(active.unregister, client)
            state = ProcessState(controller, shared, labels[model])
            program = _program(controller, state, client, lockstep, mend)
            lockstep.add(client, state, program)

        lockstep.start = start
        for model in hosts:
            if model in controllers and model not in stepped.absent:
                start(model)
        try:
            lockstep.run()
        finally:
            mend()
            if not lockstep.broken and not lockstep.reloading:
                # A stopped simulation goes only to the end of its step.
                stops = stepped.stopped
                with uninterrupted() if stops else contextlib.nullcontext():
                    stepped.finish()
    return lockstep


def _labels(controllers: Mapping[str, Controller]) -> dict[str, str]:
    """Returns the prefix of the lines that controllers print, by model name.

    If there are several, it is the controller's name in brackets, as on Webots'
    console (WbController.cpp), or the robot's name if two controllers share one.
    """
    if len(controllers) < 2:
        return dict.fromkeys(controllers, "")
    names = {model: c.file.stem for model, c in controllers.items()}
    counts = Counter(names.values())
    return {
        model: f"[{name if counts[name] == 1 else model}] "
        for model, name in names.items()
    }


def _program(
    controller: Controller,
    state: ProcessState,
    client: Client,
    lockstep: Lockstep,
    mend: Callable[[], None],
) -> Callable[[], None]:
    robot = client.host.name

    def program() -> None:
        try:
            try:
                exec(controller.code, state.main.__dict__)
            finally:
                mend()
        except ControllerStopped:
            raise
        except SystemExit as error:
            if lockstep.is_child:
                end_child(error.code)
            message = exit_message(controller, error.code)
            if message:
                messages.warning(robot, message)
        except BaseException as error:
            name = controller.file.name
            if lockstep.was_told(client):
                problem = (
                    f"{name} failed after it was told to end: {told(error)}"
                )
                messages.warning(robot, problem)
            else:
                lockstep.fail_of(
                    client,
                    ControllerError(
                        f"at {client.time:.6g} s the controller {name} of"
                        f" {robot} failed: {told(error)}"
                        f"{line_in(controller.file, error)}"
                    ),
                )
            with state.told_with_name():
                show_traceback(error)
        finally:
            state.end_lines()

    return program
