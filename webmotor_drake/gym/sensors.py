"""The sensors of a scenario's robots, measured once per step of an environment."""

import math
import typing

import numpy as np

from webmotor_drake import nodes
from webmotor_drake.gym.observations import Reading
from webmotor_drake.host.devices import HostDevice, MotorDevice, devices_of
from webmotor_drake.host.robot_host import robot_hosts
from webmotor_drake.host.senses.sampling import Sampler
from webmotor_drake.host.stepped_simulation import SteppedSimulation
from webmotor_drake.simulation.motor_loop import MotorLoop


class Sensors:
    """Measures with those sensors that are asked for, at the end of each step.

    Args:
        loop: loop that steps the simulation.
        stride: the motor steps from one measurement to the next.
    """

    def __init__(self, loop: MotorLoop, stride: int):
        self._loop, self._stride = loop, stride
        self._stepped = SteppedSimulation(loop.simulation)
        self._devices: dict[str, HostDevice] = {
            f"{model}/{device.name}": device
            for model, host in robot_hosts(self._stepped).items()
            for device in devices_of(host)
            if device.sampler is not None
            and not isinstance(device, MotorDevice)
            and not isinstance(device.node, nodes.Receiver | nodes.Radar)
        }
        self._on: dict[str, Sampler] = {}
        self._before = 0

    @property
    def names(self) -> list[str]:
        """Every "<model>/<sensor>"."""
        return list(self._devices)

    def switch_on(self, name: str) -> Reading:
        """Switches a sensor on, and returns its reading."""
        device = self._devices[name]
        sampler = typing.cast(Sampler, device.sampler)
        if name not in self._on:
            self._stepped.samplers.append(sampler)
            sampler.enable(self._stride, self._stepped.now)
            self._on[name] = sampler
        return _reading(name, device.node, sampler)

    def step(self, rows: list[np.ndarray]) -> np.ndarray:
        """Steps the loop, and measures at the end; returns as `MotorLoop.step`.

        Touches within a step are felt, too.

        Args:
            rows: for `MotorLoop.step`.
        """
        single = any(s.period < self._stride for s in self._stepped.samplers)
        number = 1 if single else self._stride
        for _ in range(self._stride // number):
            moved = self._loop.step(*rows, number=number)
            self._stepped.take_over(self._before + self._loop.steps)
        return moved

    def start(self, seed: int) -> None:
        """Measures the start of an episode.

        Args:
            seed: seed of the sensors' noise.
        """
        self._before = self._stepped.restart_time()
        for sampler in self._on.values():
            sampler.reseed(seed)
        self._stepped.measure_start()


def _reading(name: str, node: object, sampler: Sampler) -> Reading:
    if isinstance(node, nodes.Camera):
        size = node.height, node.width
        value = lambda: _colors(sampler.value, size)  # noqa: E731
        return Reading(name, (*size, 3), 0, 255, value, is_image=True)
    low, high = _limits(node)
    if isinstance(node, nodes.GPS):  # the position of it, not the speed
        shape = (3,)
        value = lambda: np.array(sampler.value[0])  # noqa: E731
    elif isinstance(node, nodes.RangeFinder):
        shape = node.height, node.width
        low, high = 0.0, math.inf
        value = lambda: np.array(sampler.value, float).reshape(shape)  # noqa: E731
    elif shape := np.shape(sampler.value):  # the blank one before the first
        value = lambda: np.array(sampler.value, dtype=float)  # noqa: E731
    else:
        value = lambda: float(sampler.value)  # noqa: E731
    return Reading(name, shape, low, high, value)


def _limits(node: object) -> tuple[float, float]:
    if isinstance(node, nodes.TouchSensor) and node.type == "bumper":
        return 0.0, 1.0
    if isinstance(node, nodes.DistanceSensor) and len(node.lookup_table):
        rows = np.asarray(node.lookup_table, dtype=float)
        if not rows[:, 2].any() and node.resolution <= 0:
            return float(rows[:, 1].min()), float(rows[:, 1].max())
    return -math.inf, math.inf


def _colors(image: bytes, shape: tuple[int, int]) -> np.ndarray:
    """Returns red, green and blue of an image of blue, green, red and alpha."""
    pixels = np.frombuffer(image, dtype=np.uint8).reshape(*shape, 4)
    return pixels[..., 2::-1].copy()
