"""Webots motors in a diagram of one's own."""

from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import AddMultibodyPlantSceneGraph
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder

import webmotor_drake as wm

builder = DiagramBuilder()
plant, _ = AddMultibodyPlantSceneGraph(builder, time_step=0.004)
parser = Parser(plant)
parser.package_map().Add("webmotor_models", str(wm.MODELS))
parser.AddModels(url="package://webmotor_models/two_link_arm.urdf")
plant.WeldFrames(plant.world_frame(), plant.GetFrameByName("base"))

driver = wm.WebotsMotorDriver(
    basic_time_step=0.008,
    motors={
        "shoulder motor": wm.RotationalMotor("shoulder", max_torque=30.0),
        "elbow motor": wm.RotationalMotor("elbow", acceleration=5.0),
    },
    commands=[wm.TimedCommand(0.0, "elbow motor", set_position=1.0)],
)
wm.configure_actuators(driver, "two_link_arm", plant)  # before Finalize
plant.Finalize()
wm.ApplyDriverConfig(driver, "two_link_arm", plant, builder=builder)

simulator = Simulator(builder.Build())
simulator.AdvanceTo(2.0)
state = plant.GetMyContextFromRoot(simulator.get_context())
print("shoulder and elbow at", plant.GetPositions(state).round(3), "rad")
