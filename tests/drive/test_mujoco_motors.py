"""Motor models against MuJoCo's actuators, step by step."""

import math

import numpy as np
import pytest
from _lib.plants import MODEL, add_body, add_joint, new_plant
from mechanisms import Rig, driven

from webmotor_drake.drive.driver import WebotsMotorDriver
from webmotor_drake.motor.commands import TimedCommand
from webmotor_drake.nodes.dc_motor import DcMotor
from webmotor_drake.nodes.motor_models import Pd
from webmotor_drake.nodes.motors import RotationalMotor

mujoco = pytest.importorskip("mujoco", minversion="3.12")

H = 0.002
LINK = 'mass="1" pos="0 0 -0.25" diaginertia="0.02 0.0202 0.0005"'
CHAIN = """
<mujoco>
  <option timestep="{h}" integrator="implicitfast"/>
  <worldbody>
    <body>
      <joint name="joint0" axis="0 1 0" armature="{armature}"/>
      <inertial {link}/>
      <body pos="0 0 -0.5">
        <joint name="joint1" axis="0 1 0" armature="{armature}"/>
        <inertial {link}/>
      </body>
    </body>
  </worldbody>
  <actuator>{actuators}</actuator>
</mujoco>
"""


def mujoco_path(actuator, ctrl, steps, *, h=H, armature=0.0):
    """Returns velocities and actuator forces, shape (steps, 2) each."""
    actuators = "".join(actuator.format(joint=f"joint{i}") for i in range(2))
    text = CHAIN.format(h=h, link=LINK, actuators=actuators, armature=armature)
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    data.ctrl[:] = ctrl
    rows = []
    for _ in range(steps):
        mujoco.mj_step(model, data)
        rows.append((data.qvel.copy(), data.actuator_force.copy()))
    return tuple(map(np.array, zip(*rows, strict=True)))


def our_path(commands, steps, *, h=H, drive="torque", **motor):
    """Returns the velocities of the same chain here, shape (steps, 2)."""
    plant = new_plant(h)
    upper, lower = add_body(plant, "upper"), add_body(plant, "lower")
    add_joint(plant, "joint0", upper)
    add_joint(plant, "joint1", lower, parent=upper, at=(0, 0, -0.5))
    driver = WebotsMotorDriver(
        drive=drive,
        motors={
            f"motor{i}": RotationalMotor(f"joint{i}", **motor) for i in range(2)
        },
        commands=[
            TimedCommand(motor=f"motor{i}", **command)
            for i in range(2)
            for command in (commands[i],)
        ],
    )
    found = Rig(*driven(plant, driver)).signals(steps)
    return np.transpose(
        [found[f"{MODEL}/motor{i}/velocity"][1:] for i in range(2)]
    )


@pytest.mark.parametrize("drive", ["torque", "implicit"])
def test_dc_motors_at_full_voltage_turn_a_chain_as_mujocos_do(drive):
    theirs, _ = mujoco_path(
        '<dcmotor joint="{joint}" nominal="12 3 24"/>',
        [12.0, -12.0],
        500,
        armature=0.003,
    )
    sheet = DcMotor(
        stall_torque=0.3,
        no_load_speed=240.0,
        gear_ratio=10.0,
        rotor_inertia=3e-5,
    )
    ours = our_path(
        [
            {"set_position": math.inf, "set_velocity": sign * 1e6}
            for sign in (1, -1)
        ],
        500,
        drive=drive,
        motor_model="dc_motor",
        max_velocity=1e7,
        max_torque=1e3,
        pd=Pd(kp=0.0, kd=1e3),
        dc_motor=sheet,
    )
    # Both take back-EMF at the end of the step: rounding, over a second.
    np.testing.assert_allclose(ours, theirs, atol=1e-10)


@pytest.mark.parametrize("drive", ["torque", "implicit"])
def test_position_loops_move_a_chain_as_mujocos_do(drive):
    # MuJoCo takes kp at the step's start: that is of first order in the step.
    errors = []
    for h in (1e-3, 5e-4):
        steps = round(0.4 / h)
        theirs, _ = mujoco_path(
            '<position joint="{joint}" kp="40" kv="3" forcerange="-8 8"/>',
            [0.7, -0.5],
            steps,
            h=h,
        )
        ours = our_path(
            [{"set_position": 0.7}, {"set_position": -0.5}],
            steps,
            h=h,
            drive=drive,
            motor_model="pd",
            max_torque=8.0,
            pd=Pd(kp=40.0, kd=3.0),
        )
        errors.append(np.abs(ours - theirs).max())
    assert errors[0] < 0.1
    assert errors[1] == pytest.approx(errors[0] / 2, rel=0.15)


def test_a_current_limit_and_a_supply_bind_as_mujocos_do():
    # The four quadrants: what is made at a velocity, whatever is asked.
    from webmotor_drake.loops.motor_law import _line_limits as limits

    text = (
        '<mujoco><worldbody><body><joint name="j" axis="0 1 0"/>'
        '<inertial mass="1" pos="0 0 0" diaginertia="1 1 1"/></body></worldbody>'
        '<actuator><dcmotor joint="j" nominal="12 3 24" saturation="2 0 0"/>'
        "</actuator></mujoco>"
    )
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    for v in np.linspace(-45.0, 45.0, 31):
        bounds = []
        for volt in (-12.0, 12.0):
            data.qvel[0], data.ctrl[0] = v, volt
            mujoco.mj_forward(model, data)
            bounds.append(data.actuator_force[0])
        low, high, _, _ = limits(v, 3.0, 3.0 / 24.0, 2.0)
        assert (low, high) == pytest.approx(bounds, abs=1e-12)
