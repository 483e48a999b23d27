"""A controller's side of its robot: devices, requests, answers (robot.c).

Commands are kept and sent together when the controller steps: device by device
in the order of their tags, for each device kind by kind in a fixed order, and for
each kind only the last value.
"""

import enum
import functools
import threading
import typing
import weakref
from collections.abc import Callable, Container, Hashable

from webmotor_drake.host import messages
from webmotor_drake.host.devices import MotorDevice, devices_of
from webmotor_drake.host.robot_host import RobotHost
from webmotor_drake.host.robot_requests import RobotRequests
from webmotor_drake.host.stepped_simulation import is_held
from webmotor_drake.motor.commands import Kind


class Request(enum.IntEnum):
    """Requests besides `commands.Kind`, in their order within a step (messages.h)."""

    FEEDBACK_PERIOD = 5
    SAMPLING_PERIOD = 8
    RECOGNITION_PERIOD = 11
    ACTION = 100  # after all kinds of commands


# The kinds that controllers send in every step.
_IN_ROWS = Kind.POSITION, Kind.VELOCITY, Kind.EFFORT
# The kinds that are sent instead, since the controller's side has checked the value.
_SENT_AS: dict[int, Kind] = {Kind.VELOCITY: Kind.CHECKED_VELOCITY}
_SAMPLED = frozenset({Request.SAMPLING_PERIOD, Request.RECOGNITION_PERIOD})

# Sets a field to a value.
Setter = Callable[[typing.Any], None]

# The most steps of 0 ms in a row: more are an endless loop.
_IDLE_STEPS = 10_000


class Client(RobotRequests):
    """The controller's side of one robot: its devices and queued requests.

    Attributes:
        robot: Robot that the controller has made, if any.
        asked: the time that the last step asked for, ms.
        fields: the values of fields that the next step sets, by their owner.
        motions: weak references to the Motions' functions, the newest first; each
            commands motors when the robot steps, and gets the step's ms.
        step_lock: lock held by the thread that steps.
        warn_once: function that prints a call and its problem, once.
    """

    def __init__(self, host: RobotHost):
        super().__init__(host, devices_of(host))
        self.robot: object | None = None
        self.warn_once = messages.once()
        self.fields: dict[Hashable, tuple[typing.Any, Setter]] = {}
        self.step_lock = threading.RLock()
        self._motors = [d for d in self.devices if isinstance(d, MotorDevice)]
        for motor in self._motors:
            motor.configure()
        # Rows do not fit coupled motors, for which the last command counts.
        self._in_rows = not any(motor.siblings for motor in self._motors)
        # The requests of the next step: the last value of each device and kind, and
        # calls of devices. The kinds in `_IN_ROWS` are kept per motor: if all motors
        # have a value it goes to the simulator as a row. Requests are taken out one
        # by one when they are sent: another thread may command meanwhile.
        self._values: dict[tuple[int, int], typing.Any] = {}
        self._actions: dict[int, list[Callable[[], object]]] = {}
        rows: tuple[dict[MotorDevice, float], ...] = {}, {}, {}
        self._positions, self._velocities, self._efforts = rows
        self._rows = [
            (kind, _SENT_AS.get(kind, kind), row)
            for kind, row in zip(_IN_ROWS, rows, strict=True)
        ]
        self._battery_period: int | None = None
        self.motions: list[weakref.WeakMethod[Callable[[int], None]]] = []
        # A client that outlives its loop must not step in the next one.
        self.rhythm = host.stepped.rhythm
        self._answered = self._stepped.now
        self.asked = 0
        self._due: float | None = None
        self._idle_steps = 0

    def sibling_tag(self, tag: int, types: Container[int], call: str) -> int:
        """Returns the tag of a device on the same joint with one of the types, or 0.

        It asks the simulator, which also gets all queued requests.
        """
        if not self.flush(call) or not tag:
            return 0
        other = self.sibling(self.devices[tag - 1], types)
        return other.tag if other is not None else 0

    def request(self, tag: int, number: int, value: typing.Any = None) -> None:
        """Queues a request of a device for the next step."""
        self._values[tag, number] = value

    def request_position(self, motor: MotorDevice, position: float) -> None:
        """Queues a target position; the controller's getter returns it at once."""
        self._positions[motor] = position
        motor.see_target(position)

    def request_velocity(self, motor: MotorDevice, velocity: float) -> None:
        """Queues a velocity; the controller's getter returns it at once."""
        self._velocities[motor] = velocity
        motor.see_velocity(velocity)

    def request_effort(self, motor: MotorDevice, effort: float) -> None:
        """Queues an effort."""
        self._efforts[motor] = effort

    def request_action(
        self, tag: int, action: Callable[[], object] | None = None
    ) -> None:
        """Makes the next step call an action, and let the device act."""
        if action is not None:
            self._actions.setdefault(tag, []).append(action)
        self.request(tag, Request.ACTION)

    def set_battery_period(self, period: int) -> None:
        """Queues the battery sensor's period, ms, for the next step."""
        self.battery.asked = period
        self._battery_period = period

    @property
    def has_commands(self) -> bool:
        """True if the next step sends something."""
        return bool(self.motions or self.fields) or self._is_asked

    @property
    def _is_asked(self) -> bool:
        asked = self._values or self._positions or self._velocities
        return bool(asked or self._efforts)

    @property
    def basic_period(self) -> int:
        """The basic time step in whole ms, at least 1."""
        return max(int(self._stepped.basic_time_step), 1)

    @property
    def time(self) -> float:
        """The time of the last answer, s."""
        return self._stepped.time_of(self._answered)

    @property
    def is_stepping(self) -> bool:
        """True if another thread waits in a step."""
        return is_held(self.step_lock)

    def step(self, milliseconds: int) -> int:
        """Sends, waits and reads; see `Robot.step`.

        If two threads step, one waits for the other, as in Webots.
        """
        with self.step_lock:
            if self._due is not None:
                messages.warning(
                    "Robot.step()", "stepEnd() is missing after stepBegin()"
                )
            if self.begin(milliseconds) == -1:
                return -1
            return self.end()

    def begin(self, milliseconds: int) -> int:
        """Sends queued requests; -1: the simulation is over."""
        if self.rhythm.check(self):
            return -1
        self.asked = milliseconds
        self.send_all(milliseconds)
        now = self._stepped.now
        if milliseconds > 0:
            self._due = self.begin_step(milliseconds)
        elif milliseconds == 0:
            self._due = now
        else:
            messages.error(
                f"Robot.step({milliseconds})",
                "a negative time never passes; the robot waits for the end of"
                " the simulation",
            )
            self._due = self._stepped.last_step + 1
        return 0

    def end(self) -> int:
        """Waits for the answer; returns how late it is, in ms, or -1."""
        if self._due is None:
            messages.error("Robot.stepEnd()", "stepBegin() is missing")
            return -1
        stepped = self._stepped
        started, due, self._due = stepped.now, self._due, None
        if due > started:
            self._idle_steps = 0
            alive = self.rhythm.wait(self, due)
        else:
            self._idle()
            alive = True
        self.answer()
        if not alive:
            return -1
        return self.late if due > started else 0

    def _idle(self) -> None:
        """Counts steps of 0 ms, in which no time passes."""
        self._idle_steps += 1
        if self._idle_steps == _IDLE_STEPS:
            messages.warning(
                "Robot.step(0)",
                f"called {_IDLE_STEPS} times in a row; no time passes",
            )

    def flush(self, call: str) -> bool:
        """Sends queued requests and reads the answer; no time passes.

        Args:
            call: name of the call, for a warning.
        """
        if self._due is not None:
            messages.warning(
                call, "cannot be answered between stepBegin() and stepEnd()"
            )
            return False
        self.send_all(0)
        self.answer()
        return True

    def send_all(self, milliseconds: int) -> None:
        """Hands all requests to the simulator; they act in the next basic step.

        Args:
            milliseconds: time by which motions play on, if it is above 0. Fields
                are set unless it is 0.
        """
        if milliseconds and self.fields:
            self.send_fields()
        if milliseconds > 0 and self.motions:
            for motion in list(self.motions):
                if advance := motion():
                    advance(milliseconds)
        if self._battery_period is not None:
            problem = self.enable_battery(self._battery_period)
            self._battery_period = None
            if problem:
                messages.warning("Robot.batterySensorEnable()", problem)
        if not self._send_rows() and self._is_asked:
            self._send_queue()

    def send_fields(self) -> None:
        """Sets the fields before time passes."""
        fields, self.fields = self.fields, {}
        for value, change in fields.values():
            set_field = self.host.order, functools.partial(change, value)
            self._stepped.changes.waiting.append(set_field)

    def _send_rows(self) -> bool:
        """Sends usual commands to all motors at once; returns whether that was all."""
        motors = self._motors
        if self._values or not self._in_rows:
            return False
        for kind, sent_as, row in self._rows:
            if not row:
                continue
            if len(row) != len(motors):
                return False
            values = [*map(row.pop, motors)]
            if not self.host.send_row(sent_as, values):
                for motor, value in zip(motors, values, strict=True):
                    self.request(motor.tag, kind, value)
                return False
        return True

    def _send_queue(self) -> None:
        for kind, _, row in self._rows:
            while row:
                motor, number = row.popitem()
                self.request(motor.tag, kind, number)
        for tag, number in sorted(self._values):
            value = self._values.pop((tag, number))
            device = self.devices[tag - 1]
            if number in _SAMPLED:
                self.enable(*value)
            elif number == Request.FEEDBACK_PERIOD:
                motor = typing.cast(MotorDevice, device)
                if problem := self.enable_feedback(motor, value[1]):
                    messages.warning(f"Motor {motor.name!r}", problem)
            elif number == Request.ACTION:
                for action in self._actions.pop(tag, ()):
                    action()
                if device.act(self.asked):
                    self.request(tag, Request.ACTION)
            else:
                self.command(device, number, value)
        self.send()

    def leave(self) -> None:
        """Sends queued requests, as Webots' library does when a controller ends.

        Then the robot's sensors stop.
        """
        self.send_all(0)
        self.send_fields()
        super().leave()

    def begin_episode(self, seed: int) -> None:
        """Drops queued requests, and restarts the sensors' noise from a seed."""
        rows = (row for _, _, row in self._rows)
        for kept in (self._values, self._actions, *rows):
            kept.clear()
        self.fields.clear()
        self._due, self._idle_steps = None, 0
        self.reseed(seed)

    def answer(self) -> None:
        """Takes over the simulator's measurements and changes."""
        self._answered = self._stepped.now
        self.read()
        for device in self.changed:
            device.configure()
        self.changed.clear()
