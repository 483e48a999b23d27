"""Small neural networks from files: a NumPy archive, or ONNX."""

import importlib
import typing
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

from webmotor_drake.errors import InputError, needing, unknown_name
from webmotor_drake.limits import too_large

ACTIVATIONS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "linear": lambda x: x,
    "relu": lambda x: np.maximum(x, 0.0),
    "softsign": lambda x: x / (1.0 + np.abs(x)),
    "tanh": np.tanh,
    "elu": lambda x: np.where(x > 0, x, np.expm1(np.minimum(x, 0.0))),
}


def load_network(file: str) -> "_Layers | _Onnx":
    """Returns the network in a file.

    Returns:
        A function from `inputs` numbers to one, for k rows of them at a time; of each
        input the least (`low`) and the largest (`high`) that it was trained with.

    Raises:
        InputError: there is no such file, or not such a network in it.
    """
    if not file:
        raise InputError("learned needs the file of its network")
    if not Path(file).is_file():
        raise InputError(f"there is no file {file}")
    kind = Path(file).suffix.lower()
    if kind == ".npz":
        return _Layers(file)
    if kind == ".onnx":
        return _Onnx(file)
    raise InputError(
        f"{Path(file).name} is not a network; .npz or .onnx is allowed"
    )


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
