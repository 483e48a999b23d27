"""No motor model gives energy to a joint that nothing drives; all crosses all."""

import numpy as np
import pytest
from _lib.plants import MODEL
from drawn import draws
from mechanisms import Rig, chain, driven, random_state

from webmotor_drake.drive.driver import WebotsMotorDriver
from webmotor_drake.loops.rows import ModelState as S
from webmotor_drake.nodes.dc_motor import DcMotor
from webmotor_drake.nodes.joints import JointParameters
from webmotor_drake.nodes.motor_models import (
    Elastic,
    Friction,
    Pd,
    Thermal,
)
from webmotor_drake.nodes.motors import LinearMotor, RotationalMotor

LINKS = 3
DRIVES = ("torque", "implicit")
CARRIED = [
    *(
        (model, d)
        for model in ("pd", "pd_explicit", "dc_motor")
        for d in DRIVES
    ),
    ("series_elastic", "torque"),
]


def random_motor(rng, joint, model):
    """Returns a motor with random parameters, that holds its place."""
    kind = RotationalMotor if joint.type_name() == "revolute" else LinearMotor
    some = rng.uniform
    return kind(
        joint.name(),
        motor_model=model,
        pd=Pd(kp=0.0, kd=some(0, 5)),
        dc_motor=DcMotor(
            some(1, 20),
            some(1, 30),
            efficiency=some(0.3, 1),
            rotor_inertia=0.01,
        ),
        friction=Friction(
            coulomb=some(0, 0.5),
            viscous=some(0, 0.3),
            stribeck=some(0, 0.5),
            stribeck_velocity=some(0.05, 3),
            alpha=some(0.5, 10),
            motor_load=some(0, 0.5),
            external_load=some(0, 0.5),
            external_load_stribeck=some(0, 1),
            external_quadratic=some(0, 0.01),
        ),
        thermal=Thermal(
            continuous_torque=some(0.1, 1), time_constant=some(0.1, 5)
        ),
        elastic=Elastic(
            stiffness=10 ** some(1, 3),
            damping=some(0, 1),
            backlash=some(0, 0.05),
            motor_inertia=10 ** some(-3, 0),
        ),
    )


@pytest.mark.parametrize(("model", "drive"), CARRIED)
@pytest.mark.parametrize("seed", range(draws(2, 30)))
def test_an_unpowered_motor_never_gives_energy(model, drive, seed):
    rng = np.random.default_rng(seed)
    h = rng.choice([0.001, 0.008])
    plant = chain(h, LINKS, rng, gravity=0.0)
    joints = [plant.GetJointByName(f"joint{i}") for i in range(LINKS)]
    driver = WebotsMotorDriver(
        drive=drive,
        motors={
            j.name(): _unpowered(random_motor(rng, j, model)) for j in joints
        },
        joints={"joint1": JointParameters(damping_constant=0.1)},
    )
    rig = Rig(*driven(plant, driver))
    simulator = rig.started(random_state(rig.plant, rng))
    context = rig.plant.GetMyContextFromRoot(simulator.get_context())
    energies = []
    for k in range(1, 200):
        rig.advance(simulator, k)
        energies.append(_energy(rig, simulator, context))
    # The semi-implicit Euler step itself may give a chain a share of h.
    gained = np.diff(energies)
    assert (gained < 0.05 * h / 0.001 * 1e-2 * energies[0] + 1e-9).all()
    assert energies[-1] < energies[0]


def _unpowered(motor):
    name = motor.effort_field
    return type(motor)(**{**vars(motor), name: 0.0})


def _energy(rig, simulator, context):
    """Returns the energy of the links, and of motors before their springs, J."""
    energy = rig.plant.EvalKineticEnergy(context)
    laws = rig.motors.laws
    if not laws.rows["elastic"].any():
        return energy
    own = rig.motors.GetMyContextFromRoot(simulator.get_context())
    values = rig.motors.GetOutputPort("tables").Eval(own)
    table = rig.motors.tables.models_table(values)
    rows, n = laws.rows, table.shape[1]
    q = rig.plant.GetPositions(context)[:n]
    stretch = table[S.POSITION] - q
    beyond = stretch - np.clip(stretch, -rows["gap"], rows["gap"])
    turning = 0.5 * rows["inertia"] * table[S.VELOCITY] ** 2
    return energy + np.sum(turning + 0.5 * rows["stiffness"] * beyond**2)


def test_several_kinds_of_motors_stand_side_by_side():
    rng = np.random.default_rng(3)
    plant = chain(0.004, 4, rng)
    joints = [plant.GetJointByName(f"joint{i}") for i in range(4)]
    kinds = ["webots", "pd", "dc_motor", "pd_explicit"]
    found = {}
    for drive in ("torque", "implicit"):
        plant = chain(0.004, 4, np.random.default_rng(3))
        driver = WebotsMotorDriver(
            drive=drive,
            motors={
                j.name(): random_motor(np.random.default_rng(i), j, kind)
                for i, (j, kind) in enumerate(zip(joints, kinds, strict=True))
            },
        )
        rig = Rig(*driven(plant, driver))
        found[drive] = rig.signals(100)
    for i, kind in enumerate(kinds):
        name = f"{MODEL}/joint{i}"
        torque, implicit = found["torque"], found["implicit"]
        assert np.isfinite(torque[f"{name}/position"]).all()
        has_friction = np.isfinite(torque[f"{name}/friction"]).all()
        assert has_friction == (kind != "webots")
        np.testing.assert_allclose(
            torque[f"{name}/position"], implicit[f"{name}/position"], atol=1e-3
        )
