"""Motors that are networks."""

import numpy as np
import pytest
from _lib.plants import MODEL
from mechanisms import Rig, driven, pendulum

from webmotor_drake import limits
from webmotor_drake.drive.driver import WebotsMotorDriver
from webmotor_drake.errors import InputError
from webmotor_drake.motor.commands import TimedCommand
from webmotor_drake.nodes.motor_models import Learned, Pd
from webmotor_drake.nodes.motors import RotationalMotor

H = 0.004


def write(file, weight, bias=(0.0,), **more):
    np.savez(file, weight_0=np.array(weight), bias_0=np.array(bias), **more)
    return str(file)


def signals(motor_model, *, drive="torque", steps=100, **motor):
    driver = WebotsMotorDriver(
        drive=drive,
        motor_model=motor_model,
        motors={"motor": RotationalMotor("hinge", max_torque=20.0, **motor)},
        commands=[
            TimedCommand(motor="motor", set_position=0.4),
            TimedCommand(time=0.2, motor="motor", set_position=-0.2),
        ],
    )
    found = Rig(*driven(pendulum(H), driver)).signals(steps)
    return {n.removeprefix(f"{MODEL}/motor/"): v for n, v in found.items()}


@pytest.mark.parametrize("drive", ["torque", "implicit"])
def test_a_network_that_is_a_pd_by_construction_moves_as_one(tmp_path, drive):
    file = write(tmp_path / "pd.npz", [[30.0, -1.5]])
    learned = Learned(file=file, period=H, lags=[0])
    net = signals("learned", drive=drive, learned=learned)
    pd = signals("pd_explicit", drive=drive, pd=Pd(kp=30.0, kd=1.5))
    # How a matrix product rounds depends on the processor.
    for name in ("position", "effort"):
        np.testing.assert_allclose(net[name], pd[name], rtol=0, atol=1e-12)
    swapped = Learned(file=file, period=H, lags=[0], order="vel_pos")
    assert (
        signals("learned", learned=swapped)["effort"] != net["effort"]
    ).any()


def test_a_network_sees_what_was_and_holds_for_its_period(tmp_path):
    # The error of two samples ago, in samples of two motor periods.
    file = write(tmp_path / "late.npz", [[0.0, 0.0, 10.0, 0.0, 0.0, 0.0]])
    found = signals(
        "learned", learned=Learned(file=file, period=2 * H), steps=40
    )
    errors = found["target_position"][1:] - found["position"][:-1]
    effort = found["effort"][1:]
    np.testing.assert_array_equal(effort[0::2], effort[1::2])
    np.testing.assert_array_equal(effort[4::2], 10.0 * errors[0:-4:2])
    assert not effort[:4].any()


def test_a_network_tells_how_far_it_is_from_what_it_was_trained_with(tmp_path):
    file = write(
        tmp_path / "pd.npz",
        [[30.0, -1.5]],
        low=np.array([-0.1, -100.0]),
        high=np.array([0.1, 100.0]),
    )
    learned = Learned(file=file, period=H, lags=[0])
    found = signals("learned", learned=learned)
    assert found["out_of_range"][1] == 0.5
    assert set(found["out_of_range"]) == {0.0, 0.5}


def test_a_softsign_layer_is_as_written(tmp_path):
    rng = np.random.default_rng(1)
    weights = [rng.normal(size=s) for s in ((3, 2), (3,), (1, 3), (1,))]
    names = ("weight_0", "bias_0", "weight_1", "bias_1")
    file = tmp_path / "net.npz"
    np.savez(file, **dict(zip(names, weights, strict=True)))
    learned = Learned(str(file), H, [0], position_scale=2.0, effort_scale=0.5)
    effort = signals("learned", learned=learned)["effort"][1]
    hidden = [
        (x := weights[0][i, 0] * 2 * 0.4 + weights[1][i]) / (1 + abs(x))
        for i in range(3)
    ]
    wanted = 0.5 * (weights[2][0] @ hidden + weights[3][0])
    assert effort == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize(
    ("arrays", "problem"),
    [
        ({}, "no weight_0"),
        ({"weight_0": np.ones((1, 3)), "bias_0": np.ones(1)}, "has 3 inputs"),
        (
            {"weight_0": np.ones((2, 2)), "bias_0": np.ones(2)},
            "gives 2 numbers",
        ),
        ({"weight_0": np.ones((1, 2)), "bias_0": np.ones(2)}, "bias_0 has the"),
        ({"weight_0": np.ones(2), "bias_0": np.ones(1)}, "weight_0 has the"),
        (
            {
                "weight_0": np.full((1, 2), np.nan),
                "bias_0": np.ones(1),
            },
            "not finite",
        ),
        (
            {
                "weight_0": np.ones((1, 2)),
                "bias_0": np.ones(1),
                "activation": "sotsign",
            },
            "did you mean softsign",
        ),
    ],
)
def test_a_network_of_the_wrong_shape_is_one_line(tmp_path, arrays, problem):
    file = tmp_path / "net.npz"
    np.savez(file, **arrays)
    with pytest.raises(InputError, match=problem) as caught:
        signals("learned", learned=Learned(str(file), H, [0]))
    assert "\n" not in str(caught.value)
    assert caught.value.path[:3] == ("motors", "motor", "learned")


def test_a_file_that_is_no_network_and_a_wrong_period_are_refused(tmp_path):
    file = tmp_path / "net.npz"
    file.write_text("weights")
    for learned, problem in (
        (Learned(str(file), H), "not a NumPy archive"),
        (Learned("gone.npz", H), "no file gone.npz"),
        (Learned("", H), "needs the file"),
        (Learned(str(file), 1.5 * H), "not a multiple of the motor period"),
    ):
        with pytest.raises(InputError, match=problem):
            signals("learned", learned=learned)


def test_a_network_that_unfolds_to_gigabytes_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "_MOST_UNPACKED", 100)
    file = tmp_path / "net.npz"
    write(file, [[0.0, 0.0]])
    with pytest.raises(InputError, match="net.npz: more than 100 bytes, unp"):
        signals("learned", learned=Learned(str(file), H))


def written_onnx(file, weights, activation="Softsign", batch="batch"):
    """Writes a perceptron as PyTorch exports one; returns the file's name."""
    onnx = pytest.importorskip("onnx")
    helper, inputs = onnx.helper, weights[0].shape[1]
    kind = onnx.TensorProto.FLOAT
    nodes, constants, last = [], [], "x"
    for k in range(0, len(weights), 2):
        for name, values in zip(("w", "b"), weights[k : k + 2], strict=True):
            constants.append(
                onnx.numpy_helper.from_array(
                    values.astype(np.float32), f"{name}{k}"
                )
            )
        out = f"layer{k}" if k + 2 < len(weights) else "y"
        nodes.append(
            helper.make_node("Gemm", [last, f"w{k}", f"b{k}"], [out], transB=1)
        )
        last = out
        if out != "y":
            nodes.append(helper.make_node(activation, [out], [f"{out}a"]))
            last = f"{out}a"
    graph = helper.make_graph(
        nodes,
        "actuator",
        [helper.make_tensor_value_info("x", kind, [batch, inputs])],
        [helper.make_tensor_value_info("y", kind, [batch, len(weights[-1])])],
        constants,
    )
    opset = helper.make_opsetid("", 17)
    model = helper.make_model(graph, opset_imports=[opset], ir_version=8)
    onnx.save(model, str(file))
    return str(file)


def test_a_network_in_onnx_moves_as_the_same_one_in_npz(tmp_path):
    pytest.importorskip("onnxruntime")
    rng = np.random.default_rng(2)
    weights = [rng.normal(size=s) for s in ((4, 2), (4,), (1, 4), (1,))]
    weights = [w.astype(np.float32) for w in weights]
    names = ("weight_0", "bias_0", "weight_1", "bias_1")
    layers = tmp_path / "net.npz"
    np.savez(layers, **dict(zip(names, weights, strict=True)))
    onnx = written_onnx(tmp_path / "net.onnx", weights)
    found = [
        signals("learned", learned=Learned(file=str(f), period=H, lags=[0]))
        for f in (layers, onnx)
    ]
    # ONNX is of single precision.
    np.testing.assert_allclose(
        found[0]["position"], found[1]["position"], atol=1e-5
    )
    assert np.ptp(found[0]["position"]) > 0.01


@pytest.mark.parametrize(
    ("shape", "batch", "text", "problem"),
    [
        ((1, 2), "batch", "nonsense", "net.onnx is not a network in ONNX"),
        ((1, 3), "batch", "", "has 3 inputs; 2 are needed"),
        ((1, 2), 1, "", "does not give one number per row"),
        ((2, 2), "batch", "", "does not give one number per row"),
    ],
)
def test_an_onnx_file_that_does_not_fit_is_one_line(
    tmp_path, shape, batch, text, problem
):
    pytest.importorskip("onnxruntime")
    file = tmp_path / "net.onnx"
    written_onnx(file, [np.ones(shape), np.zeros(shape[0])], batch=batch)
    if text:
        file.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=problem) as caught:
        signals("learned", learned=Learned(file=str(file), period=H, lags=[0]))
    assert "\n" not in str(caught.value)
