"""The old Servo: the forces of its page, switched on and off."""

import numpy as np
import pytest
from mechanisms import warnings_of

import webmotor_drake as wm
from webmotor_drake.motor.driver_checks import check_driver, expanded
from webmotor_drake.nodes.check import with_fallbacks
from webmotor_drake.nodes.motors import max_effort

SCENARIO = """
Servo:
  simulation_duration: 0.8
  plant_config: {time_step: 0.004}
  directives:
  - add_model: {name: lift, file: package://webmotor_models/lift.urdf}
  - add_weld: {parent: world, child: lift::base}
  initial_position: {lift: {slider: [0.3]}}
  model_drivers:
    lift: !WebotsMotorDriver
      motors:
        servo: !Servo
          joint: slider
          type: linear
          max_force: FORCE
          spring_constant: SPRING
          damping_constant: DAMPER
"""

MASS, STEP, START, GRAVITY = 2.0, 0.004, 0.3, 9.81


def position(tmp_path, force, spring, damper) -> np.ndarray:
    text = SCENARIO.replace("FORCE", str(force))
    text = text.replace("SPRING", str(spring)).replace("DAMPER", str(damper))
    (tmp_path / "servo.yaml").write_text(text)
    results = wm.run(wm.load_scenario(tmp_path / "servo.yaml"))
    return results["lift/servo/position"]


def free(spring: float, damper: float, steps: int) -> np.ndarray:
    """Implicit Euler of a mass on a spring and damper that hang from 0."""
    q, v, rows = START, 0.0, [START]
    implicit = damper + STEP * spring
    for _ in range(steps):
        force = -MASS * GRAVITY - spring * q
        v = (MASS * v + STEP * force) / (MASS + STEP * implicit)
        q += STEP * v
        rows.append(q)
    return np.array(rows)


@pytest.mark.parametrize(
    ("spring", "damper"),
    [(400.0, 30.0), (0.0, 30.0), (400.0, 0.0)],
    ids=["spring and damper", "damper", "spring"],
)
def test_without_a_motor_it_is_spring_and_damper(tmp_path, spring, damper):
    found = position(tmp_path, 0.0, spring, damper)
    expected = free(spring, damper, len(found) - 1)
    falls = int(np.argmax(expected < 0))  # then comes the model's stop
    assert falls > 20
    # The closed recurrence has the same steps: rounding is left.
    np.testing.assert_allclose(found[:falls], expected[:falls], atol=1e-12)


@pytest.mark.parametrize("damper", [0.0, 30.0], ids=["motor", "with damper"])
def test_a_regular_motor_holds_its_position(tmp_path, damper):
    # Gravity's 19.62 N let it sag by cfm * force / P = 2e-5 m at most.
    assert position(tmp_path, 60.0, 0.0, damper) == pytest.approx(
        START, abs=2e-5
    )


def driver(**fields) -> wm.WebotsMotorDriver:
    return wm.WebotsMotorDriver(
        motors={"old": wm.Servo(joint="hinge", **fields)}
    )


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        (
            {"control_p": -1.0},
            "motors.old.control_p: -1 1/s is not allowed; must be at least 0",
        ),
        (
            {"max_force": np.inf},
            "motors.old.max_force: inf is not allowed; must be a finite number",
        ),
        (
            {"type": "round"},
            "motors.old.type: unknown type 'round' (known: rotational, linear)",
        ),
    ],
)
def test_errors_name_the_servos_own_fields(fields, told):
    with pytest.raises(wm.InputError) as caught:
        check_driver(driver(**fields))
    assert str(caught.value) == told


@pytest.mark.parametrize("kind", ["rotational", "linear"])
def test_warnings_name_the_servos_own_fields(kind):
    motor = expanded(driver(type=kind, max_force=-5.0)).motors["old"]
    mended, warned = warnings_of(with_fallbacks, "old", motor)
    assert warned == ["old.max_force: -5 is not allowed; 10 is used"]
    assert max_effort(mended) == 10
