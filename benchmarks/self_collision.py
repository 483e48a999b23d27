"""How far robots that hold a pose are pushed by their own overlapping shapes.

    python benchmarks/self_collision.py [ROBOT ...]

Robots of example-robot-data, welded to the world by their base, without gravity, each
joint midway between its stops (0 without them); a motor as Webots has it by default
(10 N m, 10 N) on each joint. The table has the largest change of a joint in 2 s, rad
or m: as the shapes are loaded, and with `self_collision: false`.
"""

import argparse
import logging
import warnings

import numpy as np
from pydrake.common.yaml import yaml_load_typed
from pydrake.multibody.parsing import ModelDirectives
from pydrake.multibody.plant import AddMultibodyPlantSceneGraph, MultibodyPlant
from pydrake.multibody.tree import BodyIndex, PrismaticJoint, RevoluteJoint
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder

from webmotor_drake import (
    ApplyDriverConfig,
    LinearMotor,
    RotationalMotor,
    WebotsMotorDriver,
    configure_actuators,
)
from webmotor_drake.scenario.directives import process_directives

ROBOTS = {
    "A1": "a1_description/urdf/a1.urdf",
    "Allegro hand": "allegro_hand_description/urdf/allegro_right_hand.urdf",
    "ANYmal B": "anymal_b_simple_description/robots/anymal.urdf",
    "Bolt": "bolt_description/robots/bolt.urdf",
    "G1": "g1_description/urdf/g1_29dof_rev_1_0.urdf",
    "Go1": "go1_description/urdf/go1.urdf",
    "Go2": "go2_description/urdf/go2.urdf",
    "iCub": "icub_description/robots/icub.urdf",
    "Laikago": "laikago_description/urdf/laikago.urdf",
    "Solo 12": "solo_description/robots/solo12.urdf",
    "TIAGo": "tiago_description/robots/tiago.urdf",
    "UR5": "ur_description/urdf/ur5_robot.urdf",
}
MODEL, TIME = "robot", 2.0


def add_robot(plant: MultibodyPlant, urdf: str) -> dict:
    """Adds a robot in its pose; returns a motor for each joint of one axis."""
    file = f"package://example-robot-data/robots/{urdf}"
    text = f"directives: [add_model: {{name: {MODEL}, file: '{file}'}}]"
    directives = yaml_load_typed(schema=ModelDirectives, data=text).directives
    process_directives(directives, plant)
    model = plant.GetModelInstanceByName(MODEL)
    joints = [plant.get_joint(i) for i in plant.GetJointIndices(model)]
    carried = {joint.child_body().index() for joint in joints}
    for index in map(BodyIndex, range(1, plant.num_bodies())):
        if index not in carried:
            base = plant.get_body(index).body_frame()
            plant.WeldFrames(plant.world_frame(), base)
    motors = {}
    for joint in joints:
        if isinstance(joint, RevoluteJoint | PrismaticJoint):
            turns = isinstance(joint, RevoluteJoint)
            kind = RotationalMotor if turns else LinearMotor
            motors[joint.name()] = kind(joint=joint.name())
            stops = np.concatenate(
                [joint.position_lower_limits(), joint.position_upper_limits()]
            )
            middle = stops.mean() if np.isfinite(stops).all() else 0.0
            joint.set_default_positions([middle])
    return motors


def change(urdf: str, *, self_collision: bool) -> float:
    """Returns how far the farthest joint gets from its pose, rad or m."""
    builder = DiagramBuilder()
    plant, _ = AddMultibodyPlantSceneGraph(builder, 0.001)
    plant.mutable_gravity_field().set_gravity_vector([0, 0, 0])
    driver = WebotsMotorDriver(
        motors=add_robot(plant, urdf), self_collision=self_collision
    )
    configure_actuators(driver, MODEL, plant)
    plant.Finalize()
    ApplyDriverConfig(driver, MODEL, plant, builder=builder)
    simulator = Simulator(builder.Build())
    context = plant.GetMyContextFromRoot(simulator.get_context())
    start = plant.GetPositions(context)
    simulator.AdvanceTo(TIME)
    return float(abs(plant.GetPositions(context) - start).max())


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("robots", nargs="*", default=list(ROBOTS))
    logging.getLogger("drake").setLevel(logging.ERROR)
    warnings.simplefilter("ignore")
    print("| robot | as loaded | `self_collision: false` |\n|---|---|---|")
    for name in parser.parse_args().robots:
        loaded, apart = (
            change(ROBOTS[name], self_collision=told) for told in (True, False)
        )
        print(f"| {name} | {loaded:.2g} | {apart:.1g} |", flush=True)


if __name__ == "__main__":
    main()
