"""Actuator networks of motors, from files: a NumPy archive, or ONNX.

Their inputs are sampled at the rate of the training.
"""

import importlib
import typing
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

from webmotor_drake.errors import InputError, below, needing, unknown_name
from webmotor_drake.limits import too_large
from webmotor_drake.loops.rows import (
    COMMANDS,
    MODEL_STATES,
    Command,
    ModelState as S,
)
from webmotor_drake.nodes.motor_models import Learned
from webmotor_drake.nodes.motors import MotorNode, acting_parts

ACTIVATIONS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "linear": lambda x: x,
    "relu": lambda x: np.maximum(x, 0.0),
    "softsign": lambda x: x / (1.0 + np.abs(x)),
    "tanh": np.tanh,
    "elu": lambda x: np.where(x > 0, x, np.expm1(np.minimum(x, 0.0))),
}


class MotorNetworks:
    """The networks of the learned ones among n motors.

    Motors with the same `Learned` node share one call of their network.

    Attributes:
        rows: number of rows of the samples, which follow `ModelState`.

    Args:
        motors: the motors by name, in order.
        period: period of the motors, s.

    Raises:
        InputError: a file is no network, or has other inputs, or its period is not a
            multiple of the motor period.
    """

    def __init__(self, motors: Mapping[str, MotorNode], period: float):
        self._groups: list[_Group] = []
        for i, (name, motor) in enumerate(motors.items()):
            if "learned" not in acting_parts(motor):
                continue
            known = [g for g in self._groups if g.learned == motor.learned]
            if known:
                known[0].columns.append(i)
                continue
            with below("motors", name, "learned"):
                self._groups.append(_Group(motor.learned, period, i))
        self._kept = max((g.samples for g in self._groups), default=0)
        self.rows = 2 * self._kept

    def sample(self, table: typing.Any, command: typing.Any) -> None:
        """Takes the samples that are due, and holds the networks' efforts.

        Args:
            table: `ModelState` rows and the samples, row by row, written.
            command: `Command` rows, row by row.
        """
        mine = np.asarray(table).reshape(MODEL_STATES + self.rows, -1)
        told = np.asarray(command).reshape(COMMANDS, -1)
        errors = slice(MODEL_STATES, MODEL_STATES + self._kept)
        speeds = slice(MODEL_STATES + self._kept, MODEL_STATES + self.rows)
        for group in self._groups:
            own = np.array(group.columns)
            taken = int(mine[S.SAMPLES, own[0]])
            mine[S.SAMPLES, own] += 1
            if taken % group.every:
                mine[S.HELD, own] = mine[S.NETWORK, own]
                continue
            target = told[Command.TARGET_POSITION, own]
            q, v = mine[S.START_POSITION, own], mine[S.START_VELOCITY, own]
            error = np.where(np.isinf(target), 0.0, target - q)
            for rows, now in ((errors, error), (speeds, v)):
                history = mine[rows][:, own]
                history[1:] = history[:-1]
                history[0] = now
                mine[rows, own] = history
            effort, out = group.effort(
                mine[errors][:, own], mine[speeds][:, own]
            )
            mine[S.HELD, own] = mine[S.NETWORK, own] = effort
            mine[S.OUT_OF_RANGE, own] = out


class _Group:
    """Motors with the same network."""

    def __init__(self, learned: Learned, period: float, column: int):
        self.learned, self.columns = learned, [column]
        self.samples = max(learned.lags, default=-1) + 1
        self.every = round(learned.period / period)
        if self.every < 1 or abs(self.every * period - learned.period) > 1e-9:
            raise InputError(
                f"{learned.period:g} s is not a multiple of the motor period"
                f" {period:g} s; the network is right for its own period only",
                path=("period",),
            )
        with below("file"):
            self._network = _load_network(learned.file)
        inputs = 2 * len(learned.lags)
        if self._network.inputs != inputs:
            raise InputError(
                f"the network has {self._network.inputs} inputs; {inputs} are"
                " needed: a position error and a velocity per lag",
                path=("lags",),
            )

    def effort(
        self, errors: np.ndarray, speeds: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Returns efforts, and the share of inputs beyond the range of the training.

        Samples have shape (samples, k), the newest first.
        """
        learned = self.learned
        parts = [
            learned.position_scale * errors[learned.lags],
            learned.velocity_scale * speeds[learned.lags],
        ]
        if learned.order == "vel_pos":
            parts.reverse()
        x = np.concatenate(parts).T
        network = self._network
        out = np.mean((x < network.low) | (x > network.high), axis=1)
        return learned.effort_scale * network(x), out


def _load_network(file: str) -> "_Layers | _Onnx":
    """Returns the network in a file, which maps k rows of `inputs` numbers to k.

    The inputs of its training were from `low` to `high`.
    """
    if not file:
        raise InputError("learned needs the file of its network")
    if not Path(file).is_file():
        raise InputError(f"there is no file {file}")
    kinds = {".npz": _Layers, ".onnx": _Onnx}
    read = kinds.get(Path(file).suffix.lower())
    if read is None:
        raise InputError(
            f"{Path(file).name} is not a network; {' or '.join(kinds)} is allowed"
        )
    return read(file)


class _Layers:
    """A perceptron in an archive: y = activation(weight_k y + bias_k), layer by layer.

    The last layer has no activation. `low` and `high` may be in it, too.
    """

    def __init__(self, file: str):
        try:
            with np.load(file, allow_pickle=False) as data:
                if problem := too_large(data.zip):
                    raise InputError(f"{Path(file).name}: {problem}")
                arrays = {name: np.array(data[name]) for name in data.files}
        except (ValueError, OSError, zipfile.BadZipFile) as error:
            raise InputError(
                f"{Path(file).name} is not a NumPy archive: {error}"
            ) from None
        activation = str(arrays.get("activation", "softsign"))
        if activation not in ACTIVATIONS:
            raise InputError(
                unknown_name("activation", activation, ACTIVATIONS)
            )
        self._activation = ACTIVATIONS[activation]
        self._layers = _layers(arrays)
        self.inputs = self._layers[0][0].shape[1]
        no_range = np.full(self.inputs, np.inf)
        self.low = arrays.get("low", -no_range)
        self.high = arrays.get("high", no_range)
        if not self.low.shape == self.high.shape == (self.inputs,):
            raise InputError(
                f"low and high have the shapes {self.low.shape} and"
                f" {self.high.shape}; ({self.inputs},) is needed"
            )

    def __call__(self, x: np.ndarray) -> np.ndarray:
        for weight, bias in self._layers[:-1]:
            x = self._activation(x @ weight.T + bias)
        weight, bias = self._layers[-1]
        return (x @ weight.T + bias)[:, 0]


def _layers(
    arrays: dict[str, np.ndarray],
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Returns weights and biases, checked against each other."""
    layers: list[tuple[np.ndarray, np.ndarray]] = []
    while f"weight_{len(layers)}" in arrays:
        k = len(layers)
        weight, bias = arrays[f"weight_{k}"], arrays.get(f"bias_{k}")
        before = layers[-1][0].shape[0] if layers else None
        if weight.ndim != 2 or before not in (None, weight.shape[1]):
            raise InputError(
                f"weight_{k} has the shape {weight.shape}; (outputs,"
                f" {before or 'inputs'}) is needed"
            )
        if bias is None or bias.shape != weight.shape[:1]:
            shape = None if bias is None else bias.shape
            raise InputError(
                f"bias_{k} has the shape {shape}; ({weight.shape[0]},) is needed"
            )
        if not np.isfinite(weight).all() or not np.isfinite(bias).all():
            raise InputError(f"weight_{k} or bias_{k} is not finite")
        layers.append((weight.astype(float), bias.astype(float)))
    if not layers:
        raise InputError("no weight_0; a network has a layer at least")
    if layers[-1][0].shape[0] != 1:
        raise InputError(
            f"the last layer gives {layers[-1][0].shape[0]} numbers; one is needed"
        )
    return layers


class _Onnx:
    """A network in ONNX, run by onnxruntime: an extra of its own."""

    def __init__(self, file: str):
        with needing("a network in ONNX needs onnxruntime", "onnxruntime"):
            module: typing.Any = importlib.import_module("onnxruntime")
        try:
            self._session: typing.Any = module.InferenceSession(
                file, providers=["CPUExecutionProvider"]
            )
        except Exception as error:
            raise InputError(
                f"{Path(file).name} is not a network in ONNX: {error}"
            ) from None
        given: list[typing.Any] = self._session.get_inputs()
        shape: list[typing.Any] = given[0].shape
        if len(given) != 1 or len(shape) != 2 or not isinstance(shape[1], int):
            raise InputError(
                f"{Path(file).name} has inputs of the shape {shape}; one of"
                " (batch, inputs) is needed"
            )
        self._name, self.inputs = given[0].name, shape[1]
        self.high = np.full(self.inputs, np.inf)
        self.low = -self.high
        try:
            tried = np.shape(self._run(np.zeros((2, self.inputs))))
        except Exception:
            tried = ()
        if tried not in ((2,), (2, 1)):
            raise InputError(
                f"{Path(file).name} does not give one number per row of a batch"
                " of any size; export it with a dynamic batch axis"
            )

    def _run(self, x: np.ndarray) -> np.ndarray:
        return self._session.run(None, {self._name: x.astype(np.float32)})[0]

    def __call__(self, x: np.ndarray) -> np.ndarray:
        return np.asarray(self._run(x), dtype=float).reshape(len(x))
