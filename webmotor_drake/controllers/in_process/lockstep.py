"""Several controllers, each in its own thread; one thread runs at a time.

The turn passes from thread to thread: a controller that steps gives it to the
next controller, in the robots' order, whose answer is due. When all wait, the one
that stepped last simulates until the next answer is due. So a single controller
never waits for another thread, and the order is always the same. If something is
drawn, Meshcat and renderers need the thread that made the simulation (the home
thread): then it gets the turn to simulate. The same holds if programs connect,
too: the home thread hears them once all controllers here wait.
"""

import functools
import math
import time
import typing
from collections.abc import Callable, Container

from webmotor_drake.controllers.in_process.own_process import (
    CHILD,
    FORKS,
    end_child,
    join_threads,
    run_exits,
)
from webmotor_drake.controllers.in_process.process_state import ProcessState
from webmotor_drake.controllers.in_process.turns import (
    ControllerStopped,
    ControllerThread,
    Result,
    Turns,
)
from webmotor_drake.controllers.link import active
from webmotor_drake.controllers.link.client import Client
from webmotor_drake.host import messages
from webmotor_drake.host.stepped_simulation import SteppedSimulation
from webmotor_drake.interrupts import uninterrupted
from webmotor_drake.simulation.failure import FAILURES

if typing.TYPE_CHECKING:
    from webmotor_drake.protocol.connected_robots import ConnectedRobots

# The time that a controller may go on after the end of the simulation, s; and after
# an interruption.
GRACE, INTERRUPTED_GRACE = 60.0, 1.0

# The duration of each step of a controller that has ignored its end too often, s.
_REFUSED = 0.2

# The most steps of a controller after it has been stopped; more are slowed down.
_PATIENCE = 100

# The most reloads while no time passes.
_RELOADS = 10


class Lockstep(Turns):
    """The rhythm of controllers that run in threads.

    Attributes:
        failure: error that ended the run early, if any.
        broken: True if the simulation has failed.
        reloading: True if all controllers end, in order to be started again.
        start: function that adds the controller of a robot, once more at each call.

    Args:
        stepped: the simulation.
        models: the robots whose controllers run here.
        connected: the robots that programs command; None: there are none.
    """

    start: Callable[[str], None]

    def __init__(
        self,
        stepped: SteppedSimulation,
        models: Container[str],
        connected: "ConnectedRobots | None" = None,
    ):
        super().__init__()
        self.failure: BaseException | None = None
        self.broken = False
        self.reloading = False
        self._stepped, self._models = stepped, models
        stepped.rhythm = self
        self._connected = connected
        self._programs_left = connected is not None
        self._forks = len(FORKS)
        # The step that each robot with a running controller waits for.
        self._due: dict[Client, float] = {}
        stepped.surroundings.at_home = self._at_home
        stepped.changes.at_robot.append(self._robot_moved)
        self._restarting: set[Client] = set()

    def add(
        self,
        client: Client,
        state: ProcessState,
        program: Callable[[], None],
    ) -> None:
        """Runs `program` as the controller of a robot.

        Args:
            client: the robot's side.
            state: the process as the controller sees it.
            program: function of the controller; it raises only ControllerStopped.
        """
        self._due[client] = self._stepped.now
        self._due = dict(
            sorted(self._due.items(), key=lambda i: i[0].host.order)
        )
        self.threads[client] = ControllerThread(
            client, state, functools.partial(self._run, client, program)
        )

    def _robot_moved(self, model: str) -> None:
        """Starts the controller of a robot that has come, or ends it."""
        if model not in self._stepped.absent and model in self._models:
            self._start_beside(model)
        elif not self.is_child:
            self._restarting.update(
                c for c in self._due if c.host.name == model
            )

    def reload(self) -> str:
        """Ends all controllers, to start them again with the simulation.

        Returns:
            Reason why that is impossible, or "".
        """
        stepped = self._stepped
        if stepped.over or (self.ending and not self.reloading):
            return "the run is over; nothing starts again"
        if stepped.idle_reloads >= _RELOADS and stepped.now == stepped.started:
            return f"called {_RELOADS} times in a row; no time passes"
        self.reloading = True
        self.end()
        return ""

    def restart(self, model: str) -> bool:
        """Ends the controller of a robot at its next step, and starts it again."""
        if model not in self._models:
            connected = self._connected
            return connected is not None and connected.restart(model)
        running = [c for c in self._due if c.host.name == model]
        self._restarting.update(running)
        if not running:
            self._start_beside(model)
        return True

    def _start_beside(self, model: str) -> None:
        """Starts the controller of a robot while another may own the process state."""
        holder = self.holder
        if holder is not None:
            self.threads[holder].state.leave()
        self._start_again(model)
        if holder is not None:
            self.threads[holder].state.enter()

    def _start_again(self, model: str) -> None:
        """Adds the controller of a robot anew; it runs when its turn comes."""
        before = set(self.threads)
        self.start(model)
        for client in self.threads.keys() - before:
            self.threads[client].start()

    def run(self) -> None:
        """Runs all controllers until they have ended.

        Raises:
            KeyboardInterrupt: in the main thread, after the controllers ended.
        """
        for thread in self.threads.values():  # which wait for their turns
            thread.start()
        try:
            self._conduct(GRACE)
        except BaseException:  # KeyboardInterrupt, above all
            with uninterrupted():
                self.end()
                self._conduct(INTERRUPTED_GRACE)
            raise
        finally:
            with uninterrupted():
                self._close()

    def _conduct(self, grace: float) -> None:
        """Passes the turn on until all controllers have ended, or one keeps it."""
        while self.holder is not None or self._due or self._programs_left:
            if self.holder is None:
                self.give(self._next())
            if not self.get_back(grace, lambda: self._stepped.busy):
                return

    def end(self) -> None:
        """Ends the simulation; each controller is told at its next step."""
        self.ending = True
        self._stepped.stop()

    @property
    def is_child(self) -> bool:
        """True if this is a process that a controller has forked."""
        return len(FORKS) != self._forks

    @property
    def _stays_home(self) -> bool:
        """True if only the home thread may simulate."""
        return self._stepped.drawn or self._connected is not None

    def _at_home(self, change: Callable[[], Result]) -> Result:
        """Changes the drawn shapes, in the home thread if only that may simulate."""
        elsewhere = not self.at_home
        if elsewhere and self._stays_home and not self.is_child:
            return self.do_at_home(change)
        return change()

    def _fail(self, error: BaseException) -> None:
        """Ends the run, whose simulation has failed."""
        self.broken = True
        self.failure = self.failure or error
        self.end()

    def fail_of(self, client: Client, error: BaseException) -> None:
        """Notes that a controller has failed; ends the run if no other goes on."""
        self.failure = self.failure or error
        if not (self._due.keys() - {client}) and not self._programs_left:
            self.end()

    def was_told(self, client: Client) -> bool:
        """Returns whether a controller knows that it is to end."""
        ends = self.ending or client in self._restarting
        return self.threads[client].told and ends

    def check(self, client: Client) -> bool:
        """Returns whether the run has ended; a True is final.

        Raises:
            ControllerStopped: the controller was told before.
        """
        if len(FORKS) != self._forks:
            return self._tell_child(client)
        thread = self.threads[client]
        if client not in self._due or thread.ended:
            raise thread.stopped()  # the thread outlives its controller
        if self.closed or thread.told:
            self._refuse(client)
        if client.has_commands:  # steps may have been put off
            self._simulate(self._stepped.now)
        if self.ending or self._restarting:
            return self._tell(client)
        return False

    def wait(self, client: Client, due: float) -> bool:
        """Gives the turn away until step `due` starts; False at the end."""
        if len(FORKS) != self._forks:
            return not self._tell_child(client)
        self._due[client] = due
        if len(self._due) == 1 and not (self._stays_home or self.ending):
            self._simulate(due)  # as `_next` would: all others have ended
        elif (taker := self._next()) is not client:
            self.threads[client].state.leave()
            self.give(taker)
            self.take(client)
        if self.ending or self._restarting:
            return not self._tell(client)
        return True

    def _tell_child(self, client: Client) -> bool:
        """Tells a forked child that it cannot step and returns True; then ends it."""
        thread = self.threads[client]
        if thread.told:
            raise thread.stopped()
        thread.told = True
        messages.error("Robot.step()", CHILD)
        return True

    def _refuse(self, client: Client) -> None:
        """Stops a controller; if it catches the exception too often, it has to wait."""
        thread = self.threads[client]
        thread.refusals += 1
        if thread.refusals > _PATIENCE:
            if not self.closed:
                self._leave(client)
                thread.turn.acquire()
            time.sleep(_REFUSED)
        raise thread.stopped()

    def _tell(self, client: Client) -> bool:
        """Returns whether the run has ended, and notes that the controller knows it."""
        if not self.ending and client not in self._restarting:
            return False
        self.threads[client].told = True
        return True

    def _run(self, client: Client, program: Callable[[], None]) -> None:
        """Runs a controller's thread, from its first turn to the last."""
        thread = self.threads[client]
        try:
            active.bind(client)
            self.take(client)
            if not self.ending:
                self._run_program(client, program)
                if not self.is_child:  # whose lock may be held for ever
                    with thread.alone():
                        # Sends the commands since its last step.
                        if not self.ending and client.has_commands:
                            self._simulate(self._stepped.now)
                        if not self.ending:
                            client.leave()
        except ControllerStopped:
            pass
        finally:
            if self.is_child:
                end_child(1 if self.failure else 0)
            with thread.alone():
                if not self.closed and client in self._due:
                    self._leave(client)

    def _run_program(self, client: Client, program: Callable[[], None]) -> None:
        """Runs a controller, then waits for its threads and runs its exit functions."""
        try:
            program()
            if not self.is_child:
                join_threads(client)
        finally:
            if not self.closed:
                run_exits(client)

    def _leave(self, client: Client) -> None:
        del self._due[client]
        try:
            self.threads[client].state.leave()
            gone = client.host.name in self._stepped.absent
            if client in self._restarting and not (self.ending or gone):
                self._start_again(client.host.name)
        finally:
            self.give(self._next())

    def _next(self) -> Client | None:
        """Returns the client that has the next turn, after simulating if all wait.

        None: all controllers have ended, or the home thread has to simulate.
        """
        while self._due or self._programs_left:
            for client, due in self._due.items():
                if self.ending or due <= self._stepped.now:
                    return client
            if self._stays_home and not self.at_home:
                return None
            if self.ending:
                self._programs_left = False
                return None
            step = min(self._due.values(), default=math.inf)
            if self._connected is None:
                self._simulate(step)
            else:
                self._step_with(self._connected, step)
        return None

    def _step_with(self, connected: "ConnectedRobots", asked: float) -> None:
        """Simulates to step `asked`, or to a program's answer if that is due before."""
        try:
            step = connected.next_step(asked)
            if self.ending:  # the world is loaded again
                return
            if math.isinf(step) and not self._due:
                self._programs_left = False
            else:
                self._simulate(step, connected.listen)
                if not self.ending:
                    connected.answer()
        except FAILURES as error:
            self._fail(error)

    def _simulate(
        self, step: float, listen: Callable[[], bool] | None = None
    ) -> None:
        """Simulates to the start of `step`; past the last one the run ends."""
        stepped = self._stepped
        try:
            if step > stepped.last_step:
                stepped.finish()
                self.ending = True
            elif step > stepped.now:
                stepped.advance(step, listen)
            else:
                stepped.catch_up()
        except FAILURES as error:
            self._fail(error)

    def _close(self) -> None:
        """Ends all threads; one that cannot be stopped is cut off.

        Such a thread may sleep or wait; it is kept out by the simulation's lock, which
        this thread holds from now on.
        """
        self.closed = True
        self._stepped.lock.acquire()
        self.end_threads()
        if self.reloading:
            self._stepped.lock.release()
