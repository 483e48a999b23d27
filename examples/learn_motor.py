"""Trains an actuator network on a log, and runs the motor that it is.

    python examples/learn_motor.py

The log is a run of a DC motor with friction behind a gear, which stands for a robot:
position, target and torque of a pendulum that follows random targets. The network sees
position errors and velocities of the last three samples. It is motor.npz, here.
The end of the log is held out, not random samples: neighbours would flatter.
"""

import tempfile
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

import webmotor_drake as wm

H, LAGS, HIDDEN, HELD_OUT = 0.004, [0, 1, 2], 16, 0.25
ROBOT = """
Robot:
  simulation_duration: 10
  plant_config: {time_step: 0.004}
  directives:
  - add_model: {name: arm, file: package://webmotor_models/pendulum.urdf}
  - add_weld: {parent: world, child: arm::base}
  model_drivers:
    arm: !WebotsMotorDriver
      motor_model: dc_motor
      motors:
        hinge: !RotationalMotor
          joint: hinge
          max_torque: 8
          pd: {kp: 25, kd: 0.8}
          dc_motor: {stall_torque: 10, no_load_speed: 12}
          friction: {coulomb: 0.3, viscous: 0.05}
"""


def robot(seed: int) -> wm.Scenario:
    """Returns the robot with random targets."""
    with tempfile.NamedTemporaryFile("w", suffix=".yaml", delete=False) as file:
        file.write(ROBOT)
    scenario = wm.load_scenario(file.name)
    Path(file.name).unlink()
    rng = np.random.default_rng(seed)
    scenario.model_drivers["arm"].commands = [
        wm.TimedCommand(
            time=t, motor="hinge", set_position=rng.uniform(-1.2, 1.2)
        )
        for t in np.arange(0, 10, 0.3)
    ]
    return scenario


def samples(results: wm.Results) -> tuple[np.ndarray, np.ndarray]:
    """Returns the network's inputs, and the torque at the joint."""
    r, q, v, e, f = (
        results[f"arm/hinge/{name}"]
        for name in (
            "target_position",
            "position",
            "velocity",
            "effort",
            "friction",
        )
    )
    error, speed = r[1:] - q[:-1], v[:-1]  # of the steps' starts
    first, n = max(LAGS), len(error)
    parts = [x[first - lag : n - lag] for x in (error, speed) for lag in LAGS]
    return np.transpose(parts), (e + f)[1:][first:]


def network(p: np.ndarray, inputs: int) -> tuple[np.ndarray, ...]:
    """Returns weights and biases in a row of numbers."""
    a, b = HIDDEN * inputs, HIDDEN * (inputs + 1)
    return p[:a].reshape(HIDDEN, inputs), p[a:b], p[b:-1].reshape(1, -1), p[-1:]


def loss(
    p: np.ndarray, x: np.ndarray, y: np.ndarray
) -> tuple[float, np.ndarray]:
    """Returns the mean square error and its gradient."""
    w0, b0, w1, b1 = network(p, x.shape[1])
    z = x @ w0.T + b0
    s = 1 + np.abs(z)
    off = (z / s) @ w1[0] + b1[0] - y
    back = 2 / len(y) * off[:, None] * w1 / s**2
    parts = (
        back.T @ x,
        back.sum(0),
        2 / len(y) * off @ (z / s),
        [2 * off.mean()],
    )
    return float(np.mean(off**2)), np.concatenate([np.ravel(g) for g in parts])


def main() -> None:
    """Trains, tells how well, and tries it with targets it has not seen."""
    x, y = samples(wm.run(robot(1)))
    end = round(len(y) * (1 - HELD_OUT))
    scale, size = np.abs(x[:end]).max(0), np.abs(y[:end]).max()
    start = 0.3 * np.random.default_rng(0).normal(
        size=HIDDEN * (x.shape[1] + 2) + 1
    )
    found = minimize(
        loss,
        start,
        args=(x[:end] / scale, y[:end] / size),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": 600},
    )
    w0, b0, w1, b1 = network(found.x, x.shape[1])
    kept_out, _ = loss(found.x, x[end:] / scale, y[end:] / size)
    print(
        f"torque of the end, not trained with: {size * kept_out**0.5:.3f} N m RMS"
    )
    np.savez(
        "motor.npz",
        weight_0=w0 / scale,
        bias_0=b0,
        weight_1=size * w1,
        bias_1=size * b1,
        activation="softsign",
        low=x[:end].min(0),
        high=x[:end].max(0),
    )
    truth = wm.run(robot(2))
    learned = robot(2)
    driver = learned.model_drivers["arm"]
    driver.motor_model = "learned"
    driver.motors["hinge"].learned = wm.Learned(
        file=str(Path("motor.npz").absolute()), period=H, lags=LAGS
    )
    driver.motors["hinge"].dc_motor = wm.DcMotor()
    driver.motors["hinge"].friction = wm.Friction()
    again = wm.run(learned)
    name = "arm/hinge/position"
    off = np.sqrt(np.mean((again[name] - truth[name]) ** 2))
    print(f"other targets, 10 s: {off:.4f} rad RMS from the robot")


if __name__ == "__main__":
    main()
