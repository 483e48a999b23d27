"""The reference cases: motors with the trajectories of ODE's own joint motors."""

import dataclasses as dc
import json
import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from pydrake.common.value import Value
from pydrake.math import RigidTransform
from pydrake.multibody.math import SpatialForce
from pydrake.multibody.plant import (
    ExternallyAppliedSpatialForce,
    MultibodyPlant,
)
from pydrake.multibody.tree import (
    FixedOffsetFrame,
    PrismaticJoint,
    RevoluteJoint,
    RotationalInertia,
    SpatialInertia,
)
from pydrake.systems.framework import Context, DiagramBuilder, LeafSystem

from webmotor_drake import (
    ApplyDriverConfig,
    JointParameters,
    LinearMotor,
    MotorSystem,
    RotationalMotor,
    TimedCommand,
    WebotsMotorDriver,
    configure_actuators,
)

CASES = Path(__file__).parents[2] / "tests/support/cases"
NAMES = sorted(path.stem for path in CASES.glob("*.json"))
# The model instance of the case's motors.
MODEL = "robot"


def load_case(name: str, folder: Path = CASES) -> dict:
    """Returns a reference case, its trajectory included."""
    return json.loads((folder / f"{name}.json").read_text())


def drake_case(
    case: Mapping, *, sampled: bool = True, drive: str = "torque"
) -> tuple[DiagramBuilder, MultibodyPlant, MotorSystem]:
    """Builds a reference case with the public driver.

    Its fields are those of ODE's side: bodies and anchors in the world's frame
    at position 0, Webots' names of fields, the time step of the motors.
    """
    plant = MultibodyPlant(case["time_step"])
    plant.SetUseSampledOutputPorts(sampled)
    plant.mutable_gravity_field().set_gravity_vector(case["gravity"])
    builder = DiagramBuilder()
    builder.AddSystem(plant)
    _add_mechanism(plant, case)
    driver = _driver(case, drive)
    configure_actuators(driver, MODEL, plant)
    plant.Finalize()
    if case.get("external"):
        source = builder.AddSystem(Pushes(plant, case))
        builder.Connect(
            source.get_output_port(),
            plant.get_applied_spatial_force_input_port(),
        )
    motors = ApplyDriverConfig(driver, MODEL, plant, builder=builder)
    return builder, plant, motors


def _add_mechanism(plant: MultibodyPlant, case: Mapping) -> None:
    """Adds the bodies and joints of a case, each joint with an actuator."""
    instance = plant.AddModelInstance(MODEL)
    anchors = {
        joint["child"]: np.array(joint["anchor"], dtype=float)
        for joint in case["joints"].values()
    }
    bodies = {
        name: plant.AddRigidBody(
            name,
            instance,
            SpatialInertia.MakeFromCentralInertia(
                body["mass"],
                body["com"] - anchors[name],
                RotationalInertia(*body["inertia"]),
            ),
        )
        for name, body in case["bodies"].items()
    }
    bodies["world"] = plant.world_body()
    for name, joint in case["joints"].items():
        child, parent = joint["child"], joint["parent"] or "world"
        frame = plant.AddFrame(
            FixedOffsetFrame(
                f"{name}_frame",
                bodies[parent].body_frame(),
                RigidTransform(p=anchors[child] - anchors.get(parent, 0)),
                instance,
            )
        )
        kind = PrismaticJoint if joint["type"] == "slider" else RevoluteJoint
        added = kind(name, frame, bodies[child].body_frame(), joint["axis"])
        plant.AddJointActuator(name, plant.AddJoint(added), math.inf)


def _driver(case: Mapping, drive: str) -> WebotsMotorDriver:
    """Returns the motors of a case."""
    joints = case["joints"]
    return WebotsMotorDriver(
        basic_time_step=case["time_step"],
        drive=drive,
        cfm=case["cfm"],
        motors={
            name: _motor(fields, joints[fields["joint"]]["type"])
            for name, fields in case["motors"].items()
        },
        joints={name: _parameters(fields) for name, fields in joints.items()},
        commands=commands_of(case),
    )


def commands_of(case: Mapping) -> list[TimedCommand]:
    """Returns a case's commands as a scenario has them."""
    return [
        TimedCommand(
            time=command["step"] * case["time_step"],
            motor=command["motor"],
            **{
                name: value if isinstance(value, list) else float(value)
                for name, value in command.items()
                if name.startswith("set_")
            },
        )
        for command in case["commands"]
    ]


class Pushes(LeafSystem):
    """A case's forces on centres of mass: {from_step, to_step, body, force [N]}."""

    def __init__(self, plant: MultibodyPlant, case: Mapping):
        super().__init__()
        self._plant = plant
        self._pushes: Sequence[dict] = case["external"]
        self._period = case["time_step"]
        self.DeclareAbstractOutputPort(
            "forces",
            lambda: Value[list[ExternallyAppliedSpatialForce]](),
            self._calc,
        )

    def _calc(self, context: Context, output: Value) -> None:
        step = math.floor(context.get_time() / self._period + 1e-6)
        forces = []
        for push in self._pushes:
            if push["from_step"] <= step < push["to_step"]:
                body = self._plant.GetBodyByName(push["body"])
                force = ExternallyAppliedSpatialForce()
                force.body_index = body.index()
                force.p_BoBq_B = body.default_com()
                force.F_Bq_W = SpatialForce(tau=np.zeros(3), f=push["force"])
                forces.append(force)
        output.set_value(forces)


def _motor(fields: Mapping, joint_type: str) -> RotationalMotor | LinearMotor:
    node = LinearMotor if joint_type == "slider" else RotationalMotor
    return node(**{_snake(name): value for name, value in fields.items()})


def _parameters(fields: Mapping) -> JointParameters:
    given = {_snake(name): value for name, value in fields.items()}
    known = {field.name for field in dc.fields(JointParameters)}
    return JointParameters(**{n: v for n, v in given.items() if n in known})


def _snake(name: str) -> str:
    """Returns "controlPID" as "control_pid"."""
    return re.sub("([a-z])([A-Z]+)", r"\1_\2", name).lower()
