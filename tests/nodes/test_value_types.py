"""Values of a wrong type, given in Python, are wrong input like any other."""

import numpy as np
import pytest

import webmotor_drake as wm
from webmotor_drake.errors import InputError
from webmotor_drake.motor.driver_checks import check_driver
from webmotor_drake.nodes.check import check_types


def driver(**fields) -> wm.WebotsMotorDriver:
    return wm.WebotsMotorDriver(
        **{"motors": {"m": wm.LinearMotor("slider")}, **fields}
    )


def motor(**fields) -> wm.WebotsMotorDriver:
    return driver(motors={"m": wm.LinearMotor("slider", **fields)})


@pytest.mark.parametrize(
    ("config", "told"),
    [
        (
            motor(max_force="60"),
            "motors.m.max_force: '60' is of type str; a number is allowed",
        ),
        (
            driver(motors={"m": "slider"}),
            "motors.m: 'slider' is of type str; a RotationalMotor or a LinearMotor"
            " or a Servo is allowed",
        ),
        (
            driver(motors=["slider"]),
            "motors: ['slider'] is of type list; a mapping from names is allowed",
        ),
        (
            motor(control_pid=10.0),
            "motors.m.control_pid: 10.0 is of type float; a list is allowed",
        ),
        (
            motor(control_pid=[10.0, "0", 0.0]),
            "motors.m.control_pid[1]: '0' is of type str; a number is allowed",
        ),
        (
            driver(commands=[wm.TimedCommand("0", "m", set_position=1.0)]),
            "commands[0].time: '0' is of type str; a number is allowed",
        ),
        (
            driver(basic_time_step="8 ms"),
            "basic_time_step: '8 ms' is of type str; a number or None is allowed",
        ),
        (
            motor(max_velocity=True),
            "motors.m.max_velocity: True is of type bool; a number is allowed",
        ),
    ],
)
def test_a_value_of_a_wrong_type_is_told_with_its_place(config, told):
    with pytest.raises(InputError) as caught:
        check_driver(config)
    assert str(caught.value) == told


def test_numbers_and_lists_of_any_kind_will_do():
    check_driver(
        motor(max_force=np.float32(60), control_pid=(10, 0, np.int64(0)))
    )
    check_driver(motor(control_pid=np.array([10.0, 0.0, 0.0])))


@pytest.mark.parametrize("motors", ["slider", {"m": "slider"}])
def test_a_plant_is_told_before_anything_else_goes_wrong(motors):
    from pydrake.multibody.plant import MultibodyPlant

    plant = MultibodyPlant(0.01)
    with pytest.raises(InputError, match=r"^motors"):
        wm.configure_actuators(driver(motors=motors), "arm", plant)


def test_what_a_class_has_may_be_set_and_what_is_misspelt_may_not():
    motor = wm.RotationalMotor(joint="hinge")
    motor.units = motor.units  # its class has it: no field, and no mistake
    check_types(motor)
    motor.max_torqe = 3.0
    with pytest.raises(InputError, match="max_torque"):
        check_types(motor)
