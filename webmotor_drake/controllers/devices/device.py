"""Webots' Device and Sensor."""

import functools
import math
import typing
from collections.abc import Callable

from webmotor_drake.controllers.link import active
from webmotor_drake.controllers.link.client import Request
from webmotor_drake.errors import unknown_name
from webmotor_drake.host import messages
from webmotor_drake.host.devices import MADE, HostDevice
from webmotor_drake.host.senses.sampling import Sampler, flat
from webmotor_drake.nodes.device import DeviceNode
from webmotor_drake.nodes.field import declared, sentence

Value = typing.TypeVar("Value")

# The class of each type of device, by the number of the type, as in Node.GPS.
DEVICE_CLASSES: dict[int, type["Device"]] = {}


class Absent:
    """Stands for a device that the robot does not have.

    Every use prints an error; numbers are NaN.
    """

    tag = 0
    joint = model = ""

    def __init__(self, name: str, kind: str):
        self.name = name
        self._kind = kind

    # Its node and settings are absent, too.
    settings = node = property(lambda self: self)

    def get(self, field: str, default: typing.Any = None) -> typing.Any:
        """Returns NaN, with an error."""
        return getattr(self, field)

    def tell(self) -> None:
        """Prints the error."""
        messages.error(
            f"{self._kind} {self.name!r}", "the robot has no such device"
        )

    def __getattr__(self, field: str) -> typing.Any:
        self.tell()
        if field in ("feedback", "sampler"):
            return Sampler(lambda: math.nan)
        return math.nan


def of_node(
    node: type[DeviceNode], field: str, blank: Value
) -> Callable[["Device"], Value]:
    """Returns the getter of a node's field.

    Args:
        node: class that declares the field and its meaning, for the docstring.
        field: name of the field.
        blank: value, with an error, if the robot has no such device.
    """

    def get(self: "Device") -> typing.Any:
        return self._field(field, blank)

    get.__doc__ = f"Returns {field}: {sentence(declared(node)[field])}"
    return get


class Device:
    """A device of the robot.

    Args:
        name: the device's name or tag.
        robot: owner of the device; needed only where one program has several
            robots.
    """

    # The node of this class.
    _declared: typing.ClassVar[type[DeviceNode] | None] = None
    # The node types of this class: that of `_declared`, or several; empty: any.
    _types: typing.ClassVar[frozenset[int]] = frozenset()
    # The value of a sensor that the robot does not have.
    _blank: typing.ClassVar[typing.Any] = math.nan

    def __init_subclass__(cls) -> None:
        """Registers the class of a declared device with robots."""
        own = vars(cls)
        if node := own.get("_declared"):
            cls._types = frozenset({node.node_type})
            if "_blank" not in own:
                cls._blank = getattr(MADE.get(node), "blank", cls._blank)
        for number in vars(cls).get("_types", ()):
            other = DEVICE_CLASSES.setdefault(number, cls)
            if other is not cls:
                problem = (
                    f"{cls.__name__} has the node_type of {other.__name__}"
                )
                raise TypeError(f"{problem}, {number}")

    def __init__(self, name: str | int, *, robot: active.Owner | None = None):
        self._client = active.client_of(robot)
        self._device: typing.Any = self._find(name)
        self._tag: int = self._device.tag

    def _find(self, name: str | int) -> HostDevice | Absent:
        """Returns the device with a name or tag; prints an error if there is none."""
        devices, called = self._client.devices, type(self).__name__
        if isinstance(name, int):
            found = devices[name - 1 : name] if name > 0 else []
        else:
            found = [d for d in devices if d.name == name]
            if not found:
                problem = unknown_name(
                    "device", name, [d.name for d in devices]
                )
                messages.warning(f"{called}({name!r})", problem)
        for device in found:
            if not self._types or device.node_type in self._types:
                return device
        return Absent(str(name), called)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"

    def _call(self, method: str) -> str:
        """Returns the name of a call in messages."""
        return f"{type(self).__name__} {self.name!r}: {method}"

    def getName(self) -> str:
        """Returns the device's name."""
        return self._device.name

    def getModel(self) -> str:
        """Returns Solid.model; "" for a device that is no Solid, such as a motor."""
        return self._device.model

    def getNodeType(self) -> int:
        """Returns the number of the device's node; see `Node`."""
        return self._device.node_type

    name = property(getName)
    model = property(getModel)
    node_type = property(getNodeType)

    def _field(self, name: str, default: typing.Any) -> typing.Any:
        """Returns a field of the node; the default, with an error, for no device."""
        value = getattr(self._device.node, name)
        return value if self._tag else default

    def _is_here(self) -> bool:
        """Returns whether the robot has the device; prints an error if not."""
        if not self._tag:
            self._device.tell()
        return self._tag > 0

    def _request(self, number: int, value: typing.Any) -> None:
        if self._is_here():
            self._client.request(self._tag, number, value)

    def _act(self, action: Callable[[], object] | None = None) -> None:
        """Makes the next step call an action, and let the device act."""
        if self._is_here():
            self._client.request_action(self._tag, action)

    def _set(self, method: str, field: str, value: object) -> None:
        """Sets a field to a number, if the simulator's device does not refuse it."""
        call = self._call(f"{method}({value!r})")
        wanted = messages.number(call, value)
        if not self._is_here():
            return
        if problem := self._device.refusal(field, wanted):
            messages.error(call, problem)
        else:
            change = functools.partial(self._device.change, field, wanted)
            self._put(field, wanted, change)

    def _put(
        self,
        field: str,
        value: typing.Any,
        action: Callable[[], object] | None = None,
    ) -> None:
        """Sets a field as the controller sees it; the next step calls `action`."""
        if self._is_here():
            self._device.fields[field] = value
            if action is not None:
                self._act(action)

    def _sample(
        self,
        method: str,
        period: int,
        number: Request = Request.SAMPLING_PERIOD,
        sampler: str = "sampler",
    ) -> None:
        """Asks for a measurement every `period` ms; see `Sensor.enable`."""
        call = self._call(f"{method}({period!r})")
        checked = messages.sampling_period(call, period)
        if checked is not None and self._is_here():
            taken: Sampler = getattr(self._device, sampler)
            taken.asked = checked
            self._client.request(self._tag, number, (taken, checked))

    def _sibling(self, device: type["Device"], method: str) -> "Device | None":
        """Returns a new object for the device of a class on the same joint."""
        call = self._call(method)
        tag = self._client.sibling_tag(self._tag, device._types, call)
        robot = self._client.robot
        return device(tag, robot=robot) if tag else None


class Sensor(Device):
    """A device that measures.

    A sensor made from a name is on. A sensor made from a tag, as the Robot makes
    its devices, is off until `enable`.

    Args:
        name: the device's name or tag.
        sampling_period: ms; None: the basic time step.
        robot: robot that has it; None: the controller's.
    """

    def __init__(
        self,
        name: str | int,
        sampling_period: int | None = None,
        *,
        robot: active.Owner | None = None,
    ):
        super().__init__(name, robot=robot)
        if isinstance(name, str):
            if sampling_period is None:
                sampling_period = self._client.basic_period
            self.enable(sampling_period)

    def enable(self, p: int) -> None:
        """Measures every `p` ms from now on; 0 stops it.

        The first measurement is there p ms after the start of the next step;
        until then the value is NaN. A period that is not a multiple of the basic
        time step is rounded up to one. A negative one is ignored, with an error.
        """
        self._sample("enable", p)

    def disable(self) -> None:
        """Stops measuring; the last value stays."""
        self.enable(0)

    def getSamplingPeriod(self) -> int:
        """Returns the sampling period, ms; 0: off."""
        return self._device.sampler.asked

    @property
    def sampling_period(self) -> int:
        """The sampling period, ms; 0: off. None may be set for 0."""
        return self.getSamplingPeriod()

    @sampling_period.setter
    def sampling_period(self, p: int | None) -> None:
        self.enable(0 if p is None else p)


class ValueSensor(Sensor):
    """A sensor with one value."""

    def getValue(self) -> float:
        """Returns the newest value, in the unit of the node or of its lookup table.

        NaN before the first measurement; the last value, with an error, if it is off.
        """
        return newest(self, "getValue()")

    value = property(getValue)


class TableDevice(Device):
    """A device with a lookup table."""

    def getLookupTable(self) -> list[float]:
        """Returns the table row by row: input, output and noise."""
        return flat(self._field("lookup_table", []))

    lookup_table = property(getLookupTable)


def newest(sensor: Sensor, method: str) -> typing.Any:
    """Returns a sensor's last value; prints an error if the sensor is off."""
    sampler = sensor._device.sampler
    if not sensor._tag:  # the error was printed before
        return sensor._blank
    if sampler.asked <= 0:
        tell_off(sensor, method)
    return sampler.seen


def tell_off(device: Device, method: str) -> None:
    """Prints that a sensor is off, and a value is its last one."""
    messages.error(device._call(method), "the sensor is off; enable it first")


def checked(device: Device, method: str, value: object) -> float | None:
    """Returns the argument of a call; None, with an error, for NaN.

    Raises:
        TypeError: it is not a number.
    """
    if type(value) is float and value == value:
        return value
    call = device._call(f"{method}({value!r})")
    number = messages.number(call, value)
    if math.isnan(number):
        messages.error(call, "NaN is ignored; a number is needed")
        return None
    return number
