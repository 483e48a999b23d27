"""The cost of a step under each motor model, in motion.

    python benchmarks/motor_models.py

A six-axis arm follows sines at 2 ms under each model, beside Drake's own PD actuators
that follow the same. Processor time per plant step, the fastest of several rounds in
turns, and how many times Drake's that is.
"""

import warnings

import numpy as np
from _lib.interleaved import Case, microseconds_a_step, stepping
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import AddMultibodyPlantSceneGraph, MultibodyPlant
from pydrake.multibody.tree import PdControllerGains
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder
from pydrake.systems.primitives import Multiplexer, Sine

import webmotor_drake as wm
from webmotor_drake.nodes.motor_models import MODELS

H, KP, KD = 0.002, 200.0, 10.0
# What goes beside the models that need it, or can have it.
PARTS = {
    "series_elastic": {
        "elastic": wm.Elastic(stiffness=2000.0, motor_inertia=0.05)
    },
    "pd with friction": {"friction": wm.Friction(coulomb=0.5, stribeck=0.2)},
    "pd with friction by load": {
        "friction": wm.Friction(coulomb=0.5, motor_load=0.1, external_load=0.1)
    },
    "pd with heat": {"thermal": wm.Thermal(continuous_torque=50.0)},
}


def arm() -> tuple[DiagramBuilder, MultibodyPlant, list[str]]:
    """Returns a builder with the arm, not finalized, and the names of its joints."""
    builder = DiagramBuilder()
    plant, _ = AddMultibodyPlantSceneGraph(builder, time_step=H)
    Parser(plant).AddModels(str(wm.MODELS / "six_axis.urdf"))
    plant.WeldFrames(plant.world_frame(), plant.GetFrameByName("base"))
    plant.GetCollisionGeometriesForBody(plant.world_body())
    joints = map(plant.get_joint, plant.GetJointIndices())
    return builder, plant, [j.name() for j in joints if j.num_velocities()]


def targets(builder: DiagramBuilder, joints: int) -> Sine:
    """Adds sines of half a radian and two seconds, one per joint."""
    amplitude, phase = np.full(joints, 0.5), np.zeros(joints)
    frequency = np.full(joints, np.pi)
    return builder.AddSystem(Sine(amplitude, frequency, phase))


def drake_pd() -> Case:
    """Returns the case of Drake's PD actuators."""
    builder, plant, joints = arm()
    for index in plant.GetJointActuatorIndices():
        actuator = plant.get_joint_actuator(index)
        actuator.set_controller_gains(PdControllerGains(p=KP, d=KD))
    plant.Finalize()
    sines = targets(builder, len(joints))
    both = builder.AddSystem(Multiplexer([len(joints), len(joints)]))
    builder.Connect(sines.get_output_port(0), both.get_input_port(0))
    builder.Connect(sines.get_output_port(1), both.get_input_port(1))
    model = plant.GetModelInstanceByName("six_axis")
    port = plant.get_desired_state_input_port(model)
    builder.Connect(both.get_output_port(), port)
    return stepping(Simulator(builder.Build()), H)


def ours(model: str, drive: str, parts: dict) -> Case:
    """Returns the case of a motor model."""
    builder, plant, joints = arm()
    driver = wm.WebotsMotorDriver(
        drive=drive,
        motor_model=model,
        motors={
            name: wm.RotationalMotor(
                name,
                max_torque=100.0,
                pd=wm.Pd(kp=KP, kd=KD),
                dc_motor=wm.DcMotor(150.0, 20.0),
                **parts,
            )
            for name in joints
        },
    )
    wm.configure_actuators(driver, "six_axis", plant)
    plant.Finalize()
    motors = wm.ApplyDriverConfig(driver, "six_axis", plant, builder=builder)
    sines = targets(builder, len(joints))
    builder.Connect(
        sines.get_output_port(0), motors.GetInputPort("target_position")
    )
    return stepping(Simulator(builder.Build()), H)


def main() -> None:
    """Prints the table."""
    warnings.simplefilter("ignore")
    cases = {"drake_pd": drake_pd()}
    for name in ["webots", *list(MODELS)[1:-1], *list(PARTS)[1:]]:
        for drive in ("torque", "implicit"):
            if name != "series_elastic" or drive == "torque":
                parts = PARTS.get(name, {})
                model = name.partition(" ")[0]
                cases[f"{name}, {drive}"] = ours(model, drive, parts)
    found = microseconds_a_step(cases)
    for name, cost in found.items():
        ratio = cost / found["drake_pd"]
        print(f"{name:36} {cost:8.1f} µs {ratio:6.2f} x Drake's PD")


if __name__ == "__main__":
    main()
