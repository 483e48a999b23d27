"""When sensors measure, and what; brakes; the battery's sensor."""

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st
from robots import scenario, with_driver

from webmotor_drake import nodes
from webmotor_drake.host.senses.sampling import (
    Sampler,
    measure_due,
    noise_source,
    position_reading,
    steps_of,
)
from webmotor_drake.robot import Brake, PositionSensor, RobotSession


def measured(period: float, step: float, steps: int) -> list[int]:
    """Returns the basic steps at whose end a sensor measures.

    Args:
        period: sampling period, ms.
        step: basic time step, ms.
        steps: how many to take.
    """
    now, seen = 0, []
    sampler = Sampler(lambda: seen.append(now) or 0.0)
    sampler.enable(steps_of(period, step), 0)
    for now in range(1, steps + 1):
        measure_due([sampler], now)
    return seen


def test_the_first_measurement_comes_after_the_first_period():
    assert measured(32, 32, 3) == [1, 2, 3]
    assert measured(96, 32, 7) == [3, 6]


def test_a_period_that_is_no_multiple_is_rounded_up_every_time():
    assert measured(40, 32, 6) == [2, 4, 6]


def test_a_period_below_the_basic_step_is_the_basic_step():
    assert measured(1, 32, 3) == [1, 2, 3]


def test_a_multiple_is_exact_in_spite_of_rounding():
    assert steps_of(3, 0.1) == 30
    assert steps_of(333, 33.3) == 10


@given(
    period=st.integers(1, 500), step=st.integers(1, 64), steps=st.integers(0, 9)
)
def test_a_measurement_is_never_early(period, step, steps):
    due = 0
    for now in measured(period, step, steps * 20):
        assert (now - due) * step >= period
        assert (now - due - 1) * step < period
        due = now


def test_enabling_again_starts_the_countdown_again():
    sampler = Sampler(lambda: 1.0)
    sampler.enable(2, 0)
    measure_due([sampler], 1)
    sampler.enable(2, 1)
    measure_due([sampler], 2)
    assert math.isnan(sampler.value)
    measure_due([sampler], 3)
    assert sampler.value == 1.0


def test_without_power_a_sensor_waits_and_then_measures_at_once():
    power = [False]
    sampler = Sampler(lambda: 1.0, lambda: power[0])
    sampler.enable(2, 0)
    for now in range(1, 6):
        measure_due([sampler], now)
    assert math.isnan(sampler.value)
    power[0] = True
    measure_due([sampler], 6)
    assert sampler.value == 1.0


def test_resolution_rounds_towards_zero_below_zero():
    def reading(position):
        sensor = nodes.PositionSensor(resolution=0.1)
        return position_reading(lambda: position, sensor, None)()

    assert reading(0.16) == pytest.approx(0.2)
    assert reading(-0.16) == pytest.approx(-0.1)
    assert reading(-0.07) == 0


def test_noise_has_the_deviation_asked_for_and_comes_from_the_seed():
    def readings(seed, name):
        sensor = nodes.PositionSensor(noise=0.5)
        random = noise_source(seed, name)
        measure = position_reading(lambda: 1.0, sensor, random)
        return [measure() for _ in range(4000)]

    first = readings(0, "arm/s")
    assert first == readings(0, "arm/s")
    assert first != readings(1, "arm/s")
    assert first != readings(0, "arm/t")
    assert readings(-1, "arm/s") == readings(2**64 - 1, "arm/s")
    # 4000 draws: the mean is within 5 of its standard deviations.
    assert np.mean(first) == pytest.approx(1.0, abs=5 * 0.5 / 4000**0.5)
    assert np.std(first) == pytest.approx(0.5, rel=0.1)


def test_a_sensor_is_nan_until_its_first_period_is_over(robot, sensor):
    sensor.enable(16)
    robot.step(8)
    assert math.isnan(sensor.getValue())
    robot.step(8)
    assert sensor.getValue() == pytest.approx(0.25, abs=1e-5)


@pytest.mark.closed_form("PositionSensor")
def test_a_sensor_tells_the_exact_position(robot, motor, sensor):
    sensor.enable(8)
    motor.setPosition(1.0)
    seen = []
    while robot.step(8) != -1:
        seen.append(sensor.getValue())
    results = robot._client.host.stepped.simulation.results()
    assert seen == results["arm/hinge motor/position"][1:].tolist()


def test_the_controller_gets_the_latest_measurement(robot, motor, sensor):
    sensor.enable(24)
    motor.setPosition(1.0)
    robot.step(32)  # measured at 24 ms
    early = sensor.getValue()
    robot.step(8)
    assert sensor.getValue() == early
    robot.step(8)  # 48 ms
    assert sensor.getValue() > early


def test_a_sensor_that_is_off_keeps_its_value_and_complains(
    robot, sensor, capsys
):
    sensor.enable(8)
    robot.step(8)
    value = sensor.getValue()
    assert not capsys.readouterr().err
    sensor.disable()
    robot.step(8)
    assert sensor.getValue() == value
    assert "the sensor is off" in capsys.readouterr().err


def test_a_sensor_never_enabled_is_nan_and_complains(robot, sensor, capsys):
    robot.step(8)
    assert math.isnan(sensor.getValue())
    assert capsys.readouterr().err.startswith(
        "Error: PositionSensor 'hinge sensor': getValue()"
    )


def test_the_sampling_period_is_what_was_asked_for(sensor, capsys):
    assert sensor.getSamplingPeriod() == sensor.sampling_period == 0
    sensor.enable(13)
    assert sensor.getSamplingPeriod() == 13
    sensor.sampling_period = None
    assert sensor.getSamplingPeriod() == 0
    sensor.sampling_period = 5
    sensor.enable(-1)
    assert sensor.getSamplingPeriod() == 5
    assert "-1 ms is negative" in capsys.readouterr().err
    sensor.enable(0)
    assert sensor.getSamplingPeriod() == 0


@pytest.mark.parametrize("period", [8.0, "8"])
def test_a_sampling_period_is_an_integer(sensor, period):
    with pytest.raises(TypeError, match="whole number of milliseconds"):
        sensor.enable(period)


def test_a_sensor_made_from_a_name_is_on(session):
    session.robot("arm")
    sensor = PositionSensor("hinge sensor")
    assert sensor.getSamplingPeriod() == 8
    assert PositionSensor("hinge sensor", 40).getSamplingPeriod() == 40
    assert PositionSensor(2).getSamplingPeriod() == 40  # a tag enables nothing


def test_noise_is_drawn_at_measurements_only():
    def seen(period):
        config = with_driver("position_sensors: {hinge sensor: {noise: 0.1}}")
        with RobotSession(config) as session:
            robot = session.robot("arm")
            sensor = robot.getDevice("hinge sensor")
            sensor.enable(period)
            robot.step(48)
            assert sensor.getValue() == sensor.getValue()
            return sensor.getValue()

    random = noise_source(0, "arm/hinge sensor")
    noise = [0.1 * random.standard_normal() for _ in range(6)]
    # 0.25 rad, and what an unmoved motor sags meanwhile.
    assert seen(48) == pytest.approx(0.25 + noise[0], abs=1e-5)
    assert seen(16) == pytest.approx(0.25 + noise[2], abs=1e-5)


def test_the_devices_of_a_joint_know_each_other(robot, motor, sensor, brake):
    assert motor.getBrake().name == motor.brake.name == "hinge brake"
    assert motor.getPositionSensor().name == "hinge sensor"
    assert motor.position_sensor.value is not None
    assert sensor.getMotor().name == sensor.motor.name == "hinge motor"
    assert sensor.getBrake().name == sensor.brake.name == "hinge brake"
    assert brake.getMotor().name == brake.motor.name == "hinge motor"
    assert brake.getPositionSensor().name == "hinge sensor"
    assert brake.position_sensor.name == "hinge sensor"
    assert motor.brake is not motor.brake  # a new object each time
    types = {device.getType() for device in (motor, sensor, brake)}
    assert types == {PositionSensor.ROTATIONAL} == {Brake.ROTATIONAL}


def test_a_joint_without_brake_and_sensor_gives_none(pair):
    left, _ = pair
    assert left.getBrake() is None
    assert left.getPositionSensor() is None


def test_asking_for_a_sibling_sends_what_is_queued(motor):
    motor.setTorque(1.0)
    motor.getBrake()
    motor.setPosition(1.0)  # alone in this step, so it ends torque control
    motor._client.step(16)
    results = motor._client.host.stepped.simulation.results()
    assert results["arm/hinge motor/mode"][-1] == 0


def test_a_brake_damps_the_joint(robot, motor, brake):
    motor.setTorque(0.0)
    brake.setDampingConstant(100.0)
    robot.step(8)
    weight = 9.81 * 0.25 * math.sin(0.25)
    # Inertia is nothing against this damper: it creeps at torque / damping.
    robot.step(400)
    assert motor.joint_velocity == pytest.approx(-weight / 100, rel=0.05)
    brake.dampingConstant = 0
    robot.step(200)
    assert motor.joint_velocity < -0.2


def test_a_brake_refuses_nan_and_cannot_be_read(brake, capsys):
    brake.setDampingConstant(math.nan)
    assert "NaN is ignored" in capsys.readouterr().err
    brake.setDampingConstant(math.inf)
    assert "infinite damping is ignored" in capsys.readouterr().err
    assert not brake._client.has_commands
    with pytest.raises(AttributeError):
        _ = brake.dampingConstant


def test_without_a_battery_its_sensor_tells_minus_one(robot, capsys):
    robot.batterySensorEnable(8)
    assert math.isnan(robot.batterySensorGetValue())
    robot.step(8)
    assert robot.batterySensorGetValue() == -1
    assert "the robot has no battery" in capsys.readouterr().err


def test_the_battery_sensor_tells_the_energy_at_the_end_of_the_step():
    config = with_driver("battery: [100, 100, 0], cpu_consumption: 50")
    with RobotSession(config) as session:
        robot = session.robot("arm")
        motor = robot.getDevice("hinge motor")
        motor.enableTorqueFeedback(8)
        robot.batterySensorEnable(8)
        assert robot.batterySensorGetSamplingPeriod() == 8
        energy = 100.0
        for _ in range(20):
            robot.step(8)
            power = 50 + 10 * abs(motor.getTorqueFeedback())
            energy -= power * 0.008
            assert robot.batterySensorGetValue() == pytest.approx(energy)


def test_an_empty_battery_freezes_sensors_and_motors(capsys):
    config = with_driver("battery: [0.5, 100, 0], cpu_consumption: 10")
    with RobotSession(config) as session:
        robot = session.robot("arm")
        sensor = robot.getDevice("hinge sensor")
        sensor.enable(8)
        robot.batterySensorEnable(8)
        robot.step(8)
        first = sensor.getValue()
        robot.step(800)
        assert robot.batterySensorGetValue() == 0
        frozen = sensor.getValue()
        assert frozen == pytest.approx(first, abs=1e-5)
        robot.step(200)
        assert sensor.getValue() == frozen
        swing = abs(robot._client.host.stepped.state()[0] - frozen)
        assert swing > 0.1  # rad


def test_the_battery_sensors_period(robot, capsys):
    assert robot.batterySensorGetSamplingPeriod() == 0
    robot.batterySensorGetValue()
    assert "the sensor is off" in capsys.readouterr().err
    robot.batterySensorEnable(-3)
    assert robot.battery_sensor_sampling_period == 0
    assert "negative" in capsys.readouterr().err
    robot.battery_sensor_sampling_period = None
    assert robot.battery_sensor_sampling_period == 8
    robot.batterySensorDisable()
    assert robot.battery_sensor_sampling_period == 0
    with pytest.raises(TypeError):
        robot.batterySensorEnable(8.0)


def test_a_seed_gives_the_same_noise_again():
    def readings(seed):
        config = scenario(
            text=f"{{random_seed: {seed}, model_drivers: {{arm:"
            " {position_sensors: {hinge sensor: {noise: 0.1}}}}}"
        )
        with RobotSession(config) as session:
            robot = session.robot("arm")
            sensor = robot.getDevice("hinge sensor")
            sensor.enable(8)
            values = []
            for _ in range(5):
                robot.step(8)
                values.append(sensor.getValue())
            return values

    assert readings(3) == readings(3) != readings(4)
