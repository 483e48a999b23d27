"""The requests of a client to a robot's devices, and the answers.

Python controllers, sessions and programs on the wire make the same requests in their
own formats; this module alone defines what a request does.
"""

import math
import time
import typing
from collections.abc import Container, Sequence

from webmotor_drake.host.devices import HostDevice, MotorDevice
from webmotor_drake.host.robot_host import RobotHost
from webmotor_drake.host.senses.sampling import Sampler, steps_of
from webmotor_drake.host.stepped_simulation import SteppedSimulation
from webmotor_drake.motor.commands import Kind, StepCommands

# After these commands the client is told the values that the motor has taken.
_TOLD = frozenset({Kind.ACCELERATION, Kind.CONTROL_PID})
# Plain numbers: a look at an enum's member takes four times as long.
_VELOCITY, _CONTROL_PID = int(Kind.VELOCITY), int(Kind.CONTROL_PID)


class RobotRequests:
    """The requests of a robot's client between two steps, and their answers.

    Attributes:
        host: the robot.
        devices: in the order of their tags.
        battery: sampler of the battery's energy.
        changed: devices that the next answer configures anew.
        late: lateness of the present step's answer, ms (`wb_robot_step`).
    """

    def __init__(self, host: RobotHost, devices: Sequence[HostDevice]):
        self.host = host
        self.devices = devices
        self.battery = Sampler(host.battery)
        self.changed: dict[HostDevice, None] = {}
        self.late = 0
        self._stepped = host.stepped
        self._on: dict[Sampler, None] = {}
        self._commands: StepCommands = []
        self._watched: dict[MotorDevice, None] = {}
        self._asked_at: int | None = None
        self._changes = changes = host.stepped.changes
        changes.at_reset.append(self._told_of_reset)
        changes.at_device_change.append(self._told_of_change)

    @property
    def now(self) -> int:
        """The basic steps done."""
        return int(self._stepped.now)

    @property
    def time(self) -> float:
        """The simulated time, s."""
        return self._stepped.time_of(self.now)

    def due(self, milliseconds: int) -> int:
        """Returns the first step that starts at least so many ms from now."""
        return self.now + steps_of(milliseconds, self._stepped.basic_time_step)

    def begin_step(self, milliseconds: int) -> int:
        """Begins a step of so many ms; returns the basic step at whose start it is due.

        Sets `late`: the time since the client's last step began, less this step's time
        (WbController.cpp).
        """
        before = self.now if self._asked_at is None else self._asked_at
        passed = int((self.now - before) * self._stepped.basic_time_step)
        self.late = max(passed - milliseconds, 0)
        self._asked_at = self.now
        return self.due(milliseconds)

    def sibling(
        self, device: HostDevice, types: Container[int]
    ) -> HostDevice | None:
        """Returns a device on the same joint that has one of the types; None: none."""
        for other in self.devices:
            if other.joint == device.joint and other.node_type in types:
                return other
        return None

    def command(self, device: HostDevice, kind: int, value: typing.Any) -> None:
        """Queues a command that is not refused, for `send`."""
        if kind == _VELOCITY:  # the client has seen to its sign
            kind = Kind.CHECKED_VELOCITY
        elif kind in _TOLD:
            self._watched[device] = None
        self._commands.append((device.index, kind, value))

    def send(self) -> None:
        """Sends the queued commands; notes motors whose reported fields change."""
        if not self._commands:
            return
        commands, self._commands = self._commands, []
        watched, self._watched = self._watched, {}
        before = {motor: self._reported(motor) for motor in watched}
        self.host.send(commands)
        for motor, fields in before.items():
            if self._reported(motor) != fields:
                self.changed[motor] = None

    def _reported(self, motor: MotorDevice) -> tuple[typing.Any, ...]:
        """Returns the fields of a motor that a client is told when they change."""
        settings = self.host.settings(motor.index)
        return settings.acceleration, settings.control_pid

    def enable(self, sampler: Sampler, period: int) -> None:
        """Starts a sampler with a period in ms; a period of 0 stops it."""
        sampler.asked = period
        steps = self.due(period) - self.now if period else 0
        self._stepped.sample(sampler, steps)
        if steps:
            self._on[sampler] = None
        else:
            self._on.pop(sampler, None)

    def enable_feedback(self, motor: MotorDevice, period: int) -> str:
        """Samples a motor's effort; returns why it has none, or ""."""
        if period and self.host.kinematic[motor.index]:
            return "its joint is kinematic; there is no effort to feed back"
        self.enable(motor.feedback, period)
        return ""

    def enable_battery(self, period: int) -> str:
        """Samples the battery; returns why there is nothing to sample, or ""."""
        self.enable(self.battery, period)
        missing = period and self.host.has_power is None
        return "the robot has no battery" if missing else ""

    def read(self) -> None:
        """Shows the client the measurements since the last answer."""
        for sampler in tuple(self._on):  # another thread may switch one
            if sampler.pending:
                sampler.seen, sampler.seen_at = sampler.value, sampler.last
                sampler.pending = False
                if sampler.told is not None:
                    sampler.told()

    def reseed(self, seed: int) -> None:
        """Restarts the noise of all sensors from a seed."""
        for device in self.devices:
            if device.sampler is not None:
                device.sampler.reseed(seed)

    def stop(self) -> None:
        """Forgets the client: stops its sensors and drops its commands."""
        for sampler in tuple(self._on):
            self._stepped.sample(sampler, 0)
        self._on.clear()
        self._commands.clear()
        self._watched.clear()
        self.changed.clear()
        self._asked_at = None

    def leave(self) -> None:
        """Stops listening for resets and changes: no client will come again."""
        self.stop()
        self._changes.at_reset.remove(self._told_of_reset)
        self._changes.at_device_change.remove(self._told_of_change)

    def _told_of_reset(self) -> None:
        """Restarts devices; the next answer configures the motors."""
        for device in self.devices:
            device.reset()
            if isinstance(device, MotorDevice):
                self.changed[device] = None

    def _told_of_change(
        self, robot: str, tag: int, field: str, value: typing.Any
    ) -> None:
        """Takes over a supervisor's change of a device; the next answer tells."""
        for device in self.devices:
            if robot == self.host.name and device.tag == tag:
                device.change(field, value)
                self.changed[device] = None


def no_window(text: str) -> str:
    """Returns the message about the first text that goes to a robot window."""
    shown = text if len(text) < 60 else f"{text[:56]} ..."
    return f"there is no robot window; texts to it are dropped, first {shown!r}"


def refusal(kind: int, value: typing.Any, target: float = math.inf) -> str:
    """Returns why a command is ignored; "": it is taken (motor.c, brake.c).

    Args:
        kind: member of `Kind`.
        value: number, or three gains.
        target: target position that the client has set; finite: a velocity is a speed.
    """
    if kind == _CONTROL_PID:
        good = all(map(math.isfinite, value)) and value[0] > 0 <= min(value)
        return "" if good else "ignored; p > 0, i >= 0 and d >= 0 are needed"
    if value >= 0:
        infinite = kind == Kind.BRAKE_DAMPING and value == math.inf
        return "an infinite damping is ignored" if infinite else ""
    if math.isnan(value):
        return "NaN is ignored; a number is needed"
    if kind == _VELOCITY and not math.isinf(target):
        return (
            f"a negative velocity is ignored while the target position is"
            f" {target:g}; call setPosition(float('inf')) first"
        )
    if kind == Kind.ACCELERATION and value != -1:
        return "a negative limit is ignored; -1 removes the limit"
    if kind == Kind.AVAILABLE_EFFORT:
        return "a negative effort is ignored"
    if kind == Kind.BRAKE_DAMPING and value == -math.inf:
        return "an infinite damping is ignored"
    return ""


KEYBOARD, NO_EVENT = 4, 0
# The period in which somebody looks for a key, s.
LOOK = 0.02


class InputWait:
    """A wait for the user's input (wb_robot_wait_for_user_input_event).

    Args:
        stepped: the simulation, which stands still.
        events: sum of the wanted events; only key presses ever occur here.
        milliseconds: longest time to wait, on the wall.
    """

    def __init__(
        self, stepped: SteppedSimulation, events: int, milliseconds: int
    ):
        self._stepped, self._keys = stepped, bool(events & KEYBOARD)
        self._end = time.monotonic() + max(milliseconds, 0) / 1000

    def event(self) -> int | None:
        """Returns the event that has come, NO_EVENT once time is up; else None."""
        simulation = self._stepped.simulation
        self._stepped.surroundings.at_home(simulation.be_watched)
        if self._keys and simulation.held_keys(self._stepped.elapsed):
            return KEYBOARD
        return NO_EVENT if time.monotonic() >= self._end else None
