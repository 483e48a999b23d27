"""Webots' Robot."""

import functools
import time
import typing

from webmotor_drake.controllers.devices.connector import VacuumGripper
from webmotor_drake.controllers.devices.device import DEVICE_CLASSES, Device
from webmotor_drake.controllers.devices.joint_devices import Motor, Servo
from webmotor_drake.controllers.devices.keyboard import Keyboard
from webmotor_drake.controllers.devices.unsimulated import Joystick, Mouse
from webmotor_drake.controllers.link import active
from webmotor_drake.errors import InputError, unknown_name
from webmotor_drake.host import messages
from webmotor_drake.host.devices import HostDevice, as_counted
from webmotor_drake.host.robot_requests import LOOK, InputWait, no_window
from webmotor_drake.host.scene.urdf import Urdf

if typing.TYPE_CHECKING:
    from webmotor_drake.controllers.link.client import Client

_Kind = typing.TypeVar("_Kind")


class Robot:
    """The robot that the controller controls; one per controller.

    Attributes:
        devices: all devices by name; if several have the same name, the last one.
        keyboard: keyboard of the page.
    """

    EVENT_QUIT = -1
    EVENT_NO_EVENT = 0
    EVENT_MOUSE_CLICK = 1
    EVENT_MOUSE_MOVE = 2
    EVENT_KEYBOARD = 4
    EVENT_JOYSTICK_BUTTON = 8
    EVENT_JOYSTICK_AXIS = 16
    EVENT_JOYSTICK_POV = 32
    MODE_SIMULATION = 0
    MODE_CROSS_COMPILATION = 1
    MODE_REMOTE_CONTROL = 2

    def __init__(self, *, _client: "Client | None" = None):
        self._client = client = _client or active.current()
        if client.robot is None:
            client.robot = self
        else:
            messages.error(
                "Robot()", "the controller has one already; this is the same"
            )
        self._counted = as_counted(client.host, client.devices)
        self.devices: dict[str, Device] = {
            device.name: self._device(device) for device in self._counted
        }
        self.keyboard = Keyboard(0)

    def _device(self, device: HostDevice) -> Device:
        kind = DEVICE_CLASSES[device.node_type]
        if kind is Motor and device.name in self._client.host.servos:
            kind = Servo
        return kind(device.tag, robot=self)

    def __del__(self) -> None:
        """Does nothing; in Webots it cleans up, and subclasses call it."""

    def step(self, time_step: int | None = None) -> int:
        """Sends all commands, lets time pass and reads the sensors.

        The commands act in the next basic step. The answer comes at the end of
        the first basic step that is not before `time_step` ms from now.

        Args:
            time_step: ms; None: the basic time step. 0 sends and reads while no
                time passes. A negative one waits for the end of the simulation.

        Returns:
            Lateness in ms, as in Webots: the time since the last step began, less
            `time_step`, at least 0. -1 when the simulation is over; a controller
            that steps once more after that is ended there.

        Raises:
            TypeError: `time_step` is not an integer.
            RuntimeError: called in a second thread.
        """
        if type(time_step) is not int:
            time_step = self._period("step", time_step)
        return self._client.step(time_step)

    def stepBegin(self, time_step: int | None = None) -> int:
        """Does the first half of a `step` of `time_step` ms; returns 0, or -1."""
        return self._client.begin(self._period("stepBegin", time_step))

    def stepEnd(self) -> int:
        """Does the second half of `step`, with the same return value."""
        return self._client.end()

    def _period(self, method: str, time_step: int | None) -> int:
        if time_step is None:
            return self._client.basic_period
        call = f"Robot.{method}({time_step!r})"
        return messages.milliseconds(call, time_step)

    @typing.overload
    def getDevice(self, name: str) -> typing.Any: ...

    @typing.overload
    def getDevice(self, name: str, kind: type[_Kind]) -> _Kind: ...

    def getDevice(self, name: str, kind: type | None = None) -> typing.Any:
        """Returns a device; None, with a message that lists all, if unknown.

        Args:
            name: name of the device.
            kind: class of the device, for editors and type checkers (not in Webots):
                ``robot.getDevice("hinge motor", Motor)``.

        Raises:
            InputError: with `kind`, there is no such device, or it is of another class.
            TypeError: `kind` is no class.
        """
        if kind is not None:
            return self._of_kind(name, kind)
        if name not in self.devices:
            problem = unknown_name("device", name, self.devices)
            messages.error(f"Robot {self.name!r}: getDevice()", problem)
            return None
        return self.devices[name]

    def _of_kind(self, name: str, kind: type) -> typing.Any:
        if not isinstance(kind, type):
            raise TypeError(f"a class is needed, got a {type(kind).__name__}")
        device = self.devices.get(name)
        if device is None:
            raise InputError(unknown_name("device", name, self.devices))
        if not isinstance(device, kind):
            raise InputError(
                f"device {name!r} is a {type(device).__name__}, not a"
                f" {kind.__name__}"
            )
        return device

    def getDeviceByIndex(self, index: int) -> typing.Any:
        """Returns the device at `index`, from 0 on; None, with an error, beyond."""
        names = [device.name for device in self._counted]
        if not 0 <= index < len(names):
            messages.error(
                f"Robot.getDeviceByIndex({index!r})",
                f"the robot has {len(names)} devices, counted from 0",
            )
            return None
        return self.devices[names[index]]

    def getNumberOfDevices(self) -> int:
        """Returns the number of devices."""
        return len(self._counted)

    def __getattr__(self, name: str) -> typing.Any:
        """Returns old getters, such as getMotor and createMotor: all are getDevice."""
        # Webots had a getter for each class of devices, until it got vacuum grippers.
        known = {*DEVICE_CLASSES.values()} - {VacuumGripper}
        kind = name.removeprefix("get").removeprefix("create")
        if kind == name or kind not in {device.__name__ for device in known}:
            raise AttributeError(
                f"{type(self).__name__!r} object has no attribute {name!r}"
            )
        return functools.partial(self._deprecated, name)

    def _deprecated(self, method: str, name: str) -> Device | None:
        messages.say(f"DEPRECATION: Robot.{method}() is Robot.getDevice() now")
        return self.getDevice(name)

    def getServo(self, name: str) -> Servo | None:
        """Returns the motor `name` as the Servo of Webots before 2013."""
        device = self.getDevice(name)
        if not isinstance(device, Motor):
            return None
        return Servo(device._tag, robot=self)

    def getBasicTimeStep(self) -> float:
        """Returns the motor period, ms."""
        return self._client.host.stepped.basic_time_step

    def getTime(self) -> float:
        """Returns the simulated time of the last answer, s."""
        return self._client.time

    def getName(self) -> str:
        """Returns Robot.name if the world has one, else the model's name."""
        return self._client.host.called

    def getModel(self) -> str:
        """Returns Robot.model, which is the driver's `model`; "" without one."""
        return self._client.host.driver.model

    def getCustomData(self) -> str:
        """Returns the data of `setCustomData`, or of a supervisor; "" at first."""
        host = self._client.host
        return host.stepped.custom_data.get(host.name, "")

    def setCustomData(self, data: str) -> None:
        """Keeps the text `data` until the end of the run."""
        host = self._client.host
        host.stepped.custom_data[host.name] = str(data)

    def getProjectPath(self) -> str:
        """Returns the folder of the scenario file; "" if there is no file."""
        return self._client.host.project_path

    def getWorldPath(self) -> str:
        """Returns the scenario file; "" without a file."""
        return self._client.host.world_path

    def getSupervisor(self) -> bool:
        """Returns whether the robot's controller may be a supervisor."""
        return self._client.host.is_supervisor

    def getSynchronization(self) -> bool:
        """Returns True: the simulation waits for the controllers."""
        return True

    def getUrdf(self, prefix: str = "") -> str:
        """Returns the robot as URDF; see `Urdf`.

        Args:
            prefix: prefix of the names of all links and joints.
        """
        call = "Robot.getUrdf()"
        return Urdf(self._client.host, messages.text(call, prefix), call).text()

    def getMode(self) -> int:
        """Returns MODE_SIMULATION."""
        return self.MODE_SIMULATION

    def setMode(self, mode: int, arg: str) -> None:
        """Does nothing, with an error for any mode but MODE_SIMULATION."""
        if mode != self.MODE_SIMULATION:
            messages.error("Robot.setMode()", "only the simulation is here")

    def batterySensorEnable(self, sampling_period: int) -> None:
        """Measures the battery every `sampling_period` ms; see `Sensor.enable`."""
        call = f"Robot.batterySensorEnable({sampling_period!r})"
        period = messages.sampling_period(call, sampling_period)
        if period is not None:
            self._client.set_battery_period(period)

    def batterySensorDisable(self) -> None:
        """Stops measuring the battery; the last value stays."""
        self.batterySensorEnable(0)

    def batterySensorGetSamplingPeriod(self) -> int:
        """Returns the battery sensor's sampling period, ms; 0: off."""
        return self._client.battery.asked

    def batterySensorGetValue(self) -> float:
        """Returns the newest energy of the battery, J; -1 without a battery.

        NaN before the first measurement; the last value, with an error, if it is off.
        """
        if self._client.battery.asked <= 0:
            messages.error(
                "Robot.batterySensorGetValue()",
                "the sensor is off; call batterySensorEnable() first",
            )
        return self._client.battery.seen

    def wwiSendText(self, text: str) -> None:
        """Does nothing but print so once: there is no robot window to send to."""
        name = self._client.host.name
        self._client.warn_once(name, no_window(str(text)), "window")

    def wwiReceiveText(self) -> str | None:
        """Returns None: there is no robot window to send a text."""
        return None

    def waitForUserInputEvent(self, event_type: int, timeout: int) -> int:
        """Waits until a key is held in the page, while no time passes.

        Args:
            event_type: EVENT_KEYBOARD; no other event ever comes.
            timeout: longest time to wait, ms.

        Returns:
            EVENT_KEYBOARD, or EVENT_NO_EVENT after the time.
        """
        call = f"Robot.waitForUserInputEvent({event_type!r}, {timeout!r})"
        if event_type & ~self.EVENT_KEYBOARD:
            messages.warning(call, "there is no mouse or joystick here")
        if event_type & self.EVENT_KEYBOARD:
            if not self.keyboard.getSamplingPeriod():
                messages.error(call, "the keyboard is off; enable it first")
                return self.EVENT_NO_EVENT
            self.keyboard.forget()
        wait = InputWait(self._client.host.stepped, event_type, timeout)
        while (event := wait.event()) is None:
            time.sleep(LOOK)
        return event

    def getKeyboard(self) -> Keyboard:
        """Returns the keyboard of the page."""
        return self.keyboard

    def getMouse(self) -> Mouse:
        """Returns a mouse that nobody moves."""
        return Mouse()

    def getJoystick(self) -> Joystick:
        """Returns a joystick that is not connected."""
        return Joystick()

    basic_time_step = property(getBasicTimeStep)
    name = property(getName)
    model = property(getModel)
    custom_data = property(getCustomData, setCustomData)
    project_path = property(getProjectPath)
    world_path = property(getWorldPath)
    supervisor = property(getSupervisor)
    synchronization = property(getSynchronization)
    time = property(getTime)
    number_of_devices = property(getNumberOfDevices)
    mode = property(getMode)

    @property
    def battery_sensor_sampling_period(self) -> int:
        """The battery sensor's period, ms; None may be set for the basic step."""
        return self.batterySensorGetSamplingPeriod()

    @battery_sensor_sampling_period.setter
    def battery_sensor_sampling_period(self, period: int | None) -> None:
        if period is None:
            period = self._client.basic_period
        self.batterySensorEnable(period)
