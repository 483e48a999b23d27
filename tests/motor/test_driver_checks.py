"""Drivers with their abbreviations spelled out."""

from webmotor_drake.motor.driver_checks import expanded
from webmotor_drake.motor.driver_config import DriverConfig
from webmotor_drake.nodes.motors import RotationalMotor


def test_a_motor_without_a_model_has_the_drivers():
    motors = {
        "a": RotationalMotor(joint="a"),
        "b": RotationalMotor(joint="b", motor_model="webots"),
    }
    driver = DriverConfig(motors=motors, motor_model="pd")
    spelled = expanded(driver).motors
    assert spelled["a"].motor_model == "pd"
    assert spelled["b"].motor_model == "webots"
