"""A compiled C controller on Webots' own libController, where WEBOTS_HOME has one."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from robots import run, scenario

from webmotor_drake.runner import ready

HOME = Path(os.environ.get("WEBOTS_HOME", "/nowhere"))
LIBRARY = HOME / "lib" / "controller"
COMPILER = shutil.which("cc")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        COMPILER is None or not (LIBRARY / "libController.so").is_file(),
        reason="no C compiler, or no libController in WEBOTS_HOME",
    ),
]

IN_C = r"""
#include <stdio.h>
#include <webots/motor.h>
#include <webots/position_sensor.h>
#include <webots/robot.h>

int main(void) {
  wb_robot_init();
  WbDeviceTag motor = wb_robot_get_device("hinge motor");
  WbDeviceTag sensor = wb_robot_get_device("hinge sensor");
  if (wb_motor_get_position_sensor(motor) != sensor)
    return 1;
  wb_position_sensor_enable(sensor, 16);
  wb_motor_enable_torque_feedback(motor, 8);
  for (int k = 0; wb_robot_step(8) != -1; k++) {
    wb_motor_set_position(motor, k % 50 < 25 ? 0.9 : -0.5);
    printf("%a %a\n", wb_position_sensor_get_value(sensor),
           wb_motor_get_torque_feedback(motor));
  }
  wb_robot_cleanup();
  return 0;
}
"""
IN_PYTHON = """
    from controller import Robot
    robot = Robot()
    motor = robot.getDevice("hinge motor")
    sensor = robot.getDevice("hinge sensor")
    sensor.enable(16)
    motor.enableTorqueFeedback(8)
    k = 0
    while robot.step(8) != -1:
        motor.setPosition(0.9 if k % 50 < 25 else -0.5)
        print(sensor.getValue().hex(), motor.getTorqueFeedback().hex())
        k += 1
"""


def numbers(printed: str) -> list[str]:
    return [
        repr(float.fromhex(word))
        for line in printed.splitlines()
        for word in line.split()
    ]


def test_a_c_controller_reads_the_bits_of_a_python_one(tmp_path, capfd):
    run(tmp_path, IN_PYTHON)
    expected = numbers(capfd.readouterr().out)
    (tmp_path / "walk.c").write_text(IN_C)
    headers = HOME / "include" / "controller" / "c"
    command = [
        COMPILER, "walk.c", "-o", "walk", f"-I{headers}", f"-L{LIBRARY}",
        "-lController",
    ]  # fmt: skip
    subprocess.run(command, cwd=tmp_path, check=True)
    arm = scenario()
    arm.model_drivers["arm"].controller = str(tmp_path / "walk")
    ready(arm, port=0).run()
    assert numbers(capfd.readouterr().out) == expected
    assert len(expected) == 1000
