"""A loop of rows: what is given acts at once, and resets give the same bits."""

import numpy as np
import pytest

import webmotor_drake as wm
from webmotor_drake.errors import InputError
from webmotor_drake.simulation.motor_loop import MotorLoop

TEXT = "simulation_duration: .inf"


def loaded(name, text=TEXT):
    return wm.load_scenario(f"package:{name}", text=text)


def of_session(scenario, model, rows):
    """Returns positions and efforts of motors that a session is told the same."""
    found = []
    with wm.RobotSession(scenario, record="nothing") as session:
        robot = session.robot(model)
        names = list(scenario.model_drivers[model].motors)
        motors = [robot.getDevice(name) for name in names]
        step = int(robot.getBasicTimeStep())
        for motor in motors:
            motor.getPositionSensor().enable(step)
            motor.enableTorqueFeedback(step)
        for row in rows:
            for motor, target in zip(motors, row, strict=True):
                motor.setPosition(float(target))
            robot.step(step)
            found.append(
                [
                    [m.getPositionSensor().getValue() for m in motors],
                    [m.getTorqueFeedback() for m in motors],
                ]
            )
    return np.array(found)


ARM = """
Arm:
  plant_config: {{time_step: 0.004}}
  directives:
  - add_model: {{name: arm, file: package://webmotor_models/two_link_arm.urdf}}
  - add_weld: {{parent: world, child: arm::base}}
  model_drivers:
    arm: !WebotsMotorDriver
      drive: {drive}
      basic_time_step: 0.008
      motors:
        shoulder motor: !RotationalMotor {{joint: shoulder, max_torque: 30}}
        elbow motor: !RotationalMotor {{joint: elbow, max_torque: 15}}
      position_sensors:
        shoulder sensor: {{joint: shoulder}}
        elbow sensor: {{joint: elbow}}
"""


@pytest.fixture(params=["torque", "implicit"])
def arm(request, tmp_path):
    file = tmp_path / "arm.scenario.yaml"
    file.write_text(ARM.format(drive=request.param))
    return wm.load_scenario(file)


ROWS = 0.4 * np.random.default_rng(0).standard_normal((30, 2))


def test_a_loop_does_what_a_session_does_bit_for_bit(arm):
    loop = MotorLoop(arm)
    moved = np.array([loop.step(row) for row in ROWS])
    there = of_session(arm, "arm", ROWS)
    assert np.array_equal(moved[:, 0], there[:, 0])
    assert np.array_equal(moved[:, 2], there[:, 1])


def test_the_velocities_are_the_plants(arm):
    loop = MotorLoop(arm)
    _, v, _ = loop.step(ROWS[0], number=5)
    assert v == pytest.approx(loop.state[2:], abs=0)


def test_the_state_and_the_tables_are_drakes_at_all_times(arm):
    """They are looked at where Drake writes them, through steps and resets."""
    loop = MotorLoop(arm)
    port = loop.simulation.plant.get_state_output_port()
    [(motors, table)] = loop.tables
    root = loop.simulation.simulator.get_context()
    context = motors.GetMyContextFromRoot(root)
    for row in [*ROWS[:3], None, *ROWS[3:5]]:
        loop.reset([0.2, 0.1, 0, 0]) if row is None else loop.step(row)
        assert np.array_equal(loop.state, port.Eval(loop.plant_context))
        found = motors.GetOutputPort("tables").Eval(context)
        assert np.array_equal(table, found, equal_nan=True)
    with pytest.raises(ValueError, match="read-only"):
        loop.state[0] = 1.0


def test_after_a_reset_all_is_as_the_first_time_bit_for_bit(arm):
    loop = MotorLoop(arm)
    first = [loop.step(row) for row in ROWS]
    start = loop.reset()
    assert loop.time == 0
    assert not start.any()
    assert np.array_equal(first, [loop.step(row) for row in ROWS])


def test_motors_hold_the_state_that_a_reset_sets(arm):
    loop = MotorLoop(arm)
    loop.step(ROWS[0], number=20)
    loop.reset([0.5, -0.3, 0, 0])
    q, _, _ = loop.step(number=100)
    # The arm's weight over P of 10/s leaves less than a milliradian.
    assert q == pytest.approx([0.5, -0.3], abs=5e-5)


def test_a_row_that_is_given_once_stays_until_the_next(arm):
    loop, other = MotorLoop(arm), MotorLoop(arm)
    loop.step(ROWS[0])
    other.step(ROWS[0], number=3)
    assert np.array_equal(loop.step(number=2), other.read())


def test_nan_commands_nothing(arm):
    loop = MotorLoop(arm)
    q, _, _ = loop.step([0.4, np.nan], number=300)
    assert q == pytest.approx([0.4, 0.0], abs=5e-5)


def test_velocities_alone_turn_the_motors(arm):
    loop = MotorLoop(arm, commands=["target_velocity"])
    _, v, _ = loop.step([0.5, -0.5], number=100)
    # What is left is the slip of the servos, cfm times their efforts.
    assert v == pytest.approx([0.5, -0.5], abs=1e-3)


def test_efforts_are_those_that_are_set(arm):
    loop = MotorLoop(arm, commands=["direct_effort"])
    _, _, effort = loop.step([1.5, -0.5], number=3)
    assert effort == pytest.approx([1.5, -0.5], abs=1e-12)


def test_rows_are_model_by_model():
    scenario = loaded("controller_radio")
    loop = MotorLoop(scenario)
    assert loop.motors == [
        f"{model}/{motor}"
        for model, driver in scenario.model_drivers.items()
        for motor in driver.motors
    ]


def test_coupled_motors_and_a_floor_run(tmp_path):
    for name in ("coupled_pair", "quadruped"):
        loop = MotorLoop(loaded(name))
        n = len(loop.motors)
        found = loop.step(np.full(n, 0.02), number=20)
        assert found.shape == (3, n)
        assert np.isfinite(found).all()


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ([0.1], "there are 2 motors"),
        ([[0.1, 0.2]], "shape"),
        (["left", "right"], "is no row"),
    ],
)
def test_a_row_of_another_size_is_refused(arm, given, words):
    loop = MotorLoop(arm)
    with pytest.raises(InputError, match=words):
        loop.step(given)


@pytest.mark.parametrize("number", [0, -3, 1.5, float("nan"), 1e300])
def test_steps_are_counted_by_whole_numbers(arm, number):
    loop = MotorLoop(arm)
    with pytest.raises(InputError, match="must be a whole number from 1 to"):
        loop.step(ROWS[0], number=number)
    assert loop.steps == 0


def test_there_is_a_row_for_each_command(arm):
    with pytest.raises(InputError, match="2 rows; .* needed: target_position"):
        MotorLoop(arm).step(ROWS[0], ROWS[1])


def test_an_unknown_command_is_told_with_the_nearest(arm):
    with pytest.raises(InputError, match="did you mean target_velocity"):
        MotorLoop(arm, commands=["target_velocty"])


@pytest.mark.parametrize("state", [[0, 0], [0, 0, 0, np.nan]])
def test_a_state_that_none_can_have_is_refused(arm, state):
    loop = MotorLoop(arm)
    with pytest.raises(InputError, match="state"):
        loop.reset(state)


def test_a_scenario_without_motors_is_refused(tmp_path):
    file = tmp_path / "bare.scenario.yaml"
    file.write_text("Bare: {simulation_duration: 1.0}")
    with pytest.raises(InputError, match="needs motors"):
        MotorLoop(file)
