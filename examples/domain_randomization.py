"""Masses, damping, rotors and friction at random, on both drives."""

import numpy as np
from pydrake.common import RandomGenerator
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import AddMultibodyPlantSceneGraph
from pydrake.systems.analysis import MonteCarloSimulation, Simulator
from pydrake.systems.framework import DiagramBuilder, EventStatus

import webmotor_drake as wm


def build(drive, friction):
    """Returns a diagram with an arm, its plant and its motors."""
    builder = DiagramBuilder()
    plant, _ = AddMultibodyPlantSceneGraph(builder, time_step=0.004)
    parser = Parser(plant)
    parser.package_map().Add("webmotor_models", str(wm.MODELS))
    parser.AddModels(url="package://webmotor_models/two_link_arm.urdf")
    plant.WeldFrames(plant.world_frame(), plant.GetFrameByName("base"))
    driver = wm.WebotsMotorDriver(
        drive=drive,
        motors={
            "shoulder motor": wm.RotationalMotor("shoulder", max_torque=9.0),
            "elbow motor": wm.RotationalMotor("elbow", max_torque=3.0),
        },
        joints={"elbow": wm.JointParameters(static_friction=friction)},
        commands=[wm.TimedCommand(0.0, "shoulder motor", set_position=1.0)],
    )
    wm.configure_actuators(driver, "two_link_arm", plant)
    plant.Finalize()
    motors = wm.ApplyDriverConfig(
        driver, "two_link_arm", plant, builder=builder
    )
    return builder.Build(), plant, motors


def sampled(drive):
    """Returns where the shoulder is in ten random runs, rad."""

    def make_simulator(generator):
        rng = np.random.default_rng(generator())
        diagram, plant, motors = build(drive, friction=rng.uniform(0, 0.5))
        simulator = Simulator(diagram)
        scale, damping, rotor = rng.uniform([0.5, 0, 0], [2, 1, 0.1])
        changed = []

        def change(root):
            # Not earlier: MonteCarloSimulation takes all of a Context's parameters
            # back to their defaults after make_simulator.
            if not changed:
                context = plant.GetMyMutableContextFromRoot(root)
                joint = plant.GetJointByName("elbow")
                body = joint.child_body()
                body.SetMass(context, scale * body.default_mass())
                joint.SetDampingVector(context, [damping])
                actuator = plant.GetJointActuatorByName("elbow")
                actuator.SetRotorInertia(context, rotor)
                own = motors.GetMyMutableContextFromRoot(root)
                motors.read_plant_parameters(own)
                changed.append(True)
            return EventStatus.DidNothing()

        simulator.set_monitor(change)
        return simulator

    def shoulder(diagram, root):
        plant = diagram.GetSubsystemByName("plant")
        context = plant.GetMyContextFromRoot(root)
        return plant.GetJointByName("shoulder").get_angle(context)

    results = MonteCarloSimulation(
        make_simulator=make_simulator,
        output=shoulder,
        final_time=0.4,
        num_samples=10,
        generator=RandomGenerator(1),
    )
    return np.array([result.output for result in results])


torque, implicit = sampled("torque"), sampled("implicit")
print(f"shoulder after 0.4 s: {torque.min():.2f} to {torque.max():.2f} rad")
print(f"the drives differ by {abs(torque - implicit).max():.5f} rad")
