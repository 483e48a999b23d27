"""Whatever builder and model bring: motors are right, or there is a word.

Right is what Drake's own inverse dynamics says of the plant's motion: it takes the
efforts that the motors report, and none at the other joints. And joints are where the
same motors take them in the plainest of diagrams, which other tests compare with ODE.
"""

import dataclasses as dc

import numpy as np
import pytest
from _lib.plants import MODEL, X, add_body
from drawn import draws
from mechanisms import add_random_chain, warnings_of
from pydrake.geometry import Sphere
from pydrake.math import RigidTransform
from pydrake.multibody.plant import (
    AddMultibodyPlantSceneGraph,
    CoulombFriction,
    MultibodyPlant,
)
from pydrake.multibody.tree import (
    MultibodyForces,
    PdControllerGains,
    PrismaticJoint,
)
from pydrake.planning import RobotDiagramBuilder
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder
from pydrake.systems.primitives import ConstantVectorSource

from webmotor_drake.drive.driver import (
    ApplyDriverConfig,
    WebotsMotorDriver,
    configure_actuators,
)
from webmotor_drake.errors import InputError
from webmotor_drake.motor.commands import TimedCommand
from webmotor_drake.nodes.motors import LinearMotor, RotationalMotor

PERIOD = 0.008
END = 63  # periods: 0.5 s
BUILDERS = ("plain", "scene graph", "robot diagram")
ACTUATORS = ("plain", "gains", "two", "two with gains")


@dc.dataclass(frozen=True)
class Surroundings:
    """The surroundings of a mechanism and its motors; the motion is to be the same."""

    builder: str = "plain"
    drive: str = "torque"
    actuators: str = "plain"
    # "before" or "after" ApplyDriverConfig, "fixed" in the Context.
    force: str = "before"
    # When a tool is welded on: "first", or after configure_actuators ("late").
    tool: str = "first"
    shapes: bool = False
    prepared: bool = True


def drawn(seed: int, time_step: float) -> Surroundings:
    rng = np.random.default_rng([seed, 1])
    builder = str(rng.choice(BUILDERS))
    drives = ("auto", "auto", "torque", "implicit")[: 4 if time_step else 3]
    return Surroundings(
        builder=builder,
        drive=str(rng.choice(drives)),
        actuators=str(rng.choice(ACTUATORS)),
        force=str(rng.choice(("before", "after", "fixed"))),
        tool=str(rng.choice(("first", "late"))),
        shapes=builder != "plain" and bool(rng.random() < 0.5),
        prepared=bool(rng.random() < 0.8),
    )


def new_diagram(builder: str, time_step: float):
    """Returns who builds, the builder and the plant."""
    if builder == "robot diagram":
        robot = RobotDiagramBuilder(time_step=time_step)
        return robot, robot.builder(), robot.plant()
    diagram = DiagramBuilder()
    if builder == "plain":
        return diagram, diagram, diagram.AddSystem(MultibodyPlant(time_step))
    plant, _ = AddMultibodyPlantSceneGraph(diagram, time_step)
    return diagram, diagram, plant


class Case:
    """A random arm with motors in its surroundings, built."""

    def __init__(self, seed: int, time_step: float, around: Surroundings):
        rng = np.random.default_rng([seed, 0])
        self.around, self.step = around, time_step
        builds, builder, plant = new_diagram(around.builder, time_step)
        self.plant = plant
        plant.AddModelInstance(MODEL)
        joints = add_random_chain(plant, int(rng.integers(1, 5)), rng)
        self.driven = [j for j in joints if rng.random() < 0.8] or joints[:1]
        self._bring_actuators(joints, np.random.default_rng([seed, 2]))
        driver = self._driver(rng)
        if around.tool == "first":
            self._weld_a_tool(rng)
        if around.prepared:
            configure_actuators(driver, MODEL, plant)
        if around.tool == "late":
            self._weld_a_tool(rng)
        plant.Finalize()
        self.force = rng.uniform(-5, 5, plant.num_velocities())
        port = plant.get_applied_generalized_force_input_port()
        if around.force != "fixed":
            source = builder.AddSystem(ConstantVectorSource(self.force))
        if around.force == "before":
            builder.Connect(source.get_output_port(), port)
        self.motors = ApplyDriverConfig(driver, MODEL, plant, builder=builder)
        if around.force == "after":
            builder.Connect(source.get_output_port(), port)
        self.simulator = Simulator(builds.Build())
        if around.force == "fixed":
            port.FixValue(self._mutable_context(), self.force)

    def _mutable_context(self):
        return self.plant.GetMyMutableContextFromRoot(
            self.simulator.get_mutable_context()
        )

    def _bring_actuators(self, joints: list, rng: np.random.Generator) -> None:
        """Adds to the actuators of a chain, or gives them gains."""
        for joint in joints:
            if self.around.actuators.startswith("two"):
                self.plant.AddJointActuator(f"{joint.name()}_more", joint)
            if self.around.actuators.endswith("gains"):
                actuator = self.plant.GetJointActuatorByName(joint.name())
                gains = PdControllerGains(p=rng.uniform(0, 99), d=1.0)
                actuator.set_controller_gains(gains)

    def _driver(self, rng: np.random.Generator) -> WebotsMotorDriver:
        config = WebotsMotorDriver(
            basic_time_step=PERIOD, drive=self.around.drive
        )
        for joint in self.driven:
            name = joint.name()
            sliding = isinstance(joint, PrismaticJoint)
            config.motors[name] = (
                LinearMotor(name, max_force=500.0)
                if sliding
                else RotationalMotor(name, max_torque=500.0)
            )
            target = float(rng.uniform(-0.5, 0.5))
            config.commands.append(
                TimedCommand(motor=name, set_position=target)
            )
        return config

    def _weld_a_tool(self, rng: np.random.Generator) -> None:
        """Welds a tool to the last link; its shape, if any, meets nothing."""
        tool = add_body(self.plant, "tool", mass=0.3)
        last = self.plant.GetBodyByName(self.driven[-1].child_body().name())
        X_LT = RigidTransform(rng.uniform(-0.2, 0.2, 3))
        self.plant.WeldFrames(last.body_frame(), tool.body_frame(), X_LT)
        if self.around.shapes:
            far = RigidTransform(100 * X)
            for body, X_BG in ((tool, RigidTransform()), (None, far)):
                self.plant.RegisterCollisionGeometry(
                    body or self.plant.world_body(),
                    X_BG,
                    Sphere(0.01),
                    "ball",
                    CoulombFriction(1, 1),
                )

    def run(self) -> tuple[np.ndarray, np.ndarray]:
        """Returns the positions at the end, and what the last step took.

        That is: by Drake's inverse dynamics less what the motors report, by joint.
        """
        lead = (self.step or 1e-3) / 4
        self.simulator.AdvanceTo(END * PERIOD - lead)
        before = self._state()
        if not self.step:
            return before[: self.plant.num_positions()], np.zeros(1)
        self.simulator.AdvanceTo(END * PERIOD + self.step - lead)
        after = self._state()
        return after[: self.plant.num_positions()], self._unexplained(
            before, after
        )

    def _state(self) -> np.ndarray:
        context = self.plant.GetMyContextFromRoot(self.simulator.get_context())
        return self.plant.GetPositionsAndVelocities(context).copy()

    def _unexplained(self, before, after) -> np.ndarray:
        plant, nq = self.plant, self.plant.num_positions()
        context = plant.CreateDefaultContext()
        plant.SetPositionsAndVelocities(context, before)
        forces = MultibodyForces(plant)
        plant.CalcForceElementsContribution(context, forces)
        taken = plant.CalcInverseDynamics(
            context, (after - before)[nq:] / self.step, forces
        )
        told = self.force.copy()
        effort = self.motors.get_effort_output_port().Eval(
            self.motors.GetMyContextFromRoot(self.simulator.get_context())
        )
        told[[j.velocity_start() for j in self.driven]] += effort
        return taken - told


def compared(seed: int, time_step: float) -> str:
    """Returns "told", or "silent" if all is right; fails if it is not."""
    around = drawn(seed, time_step)
    try:
        case, told = warnings_of(Case, seed, time_step, around)
        (q, unexplained), more = warnings_of(case.run)
    except InputError:
        return "refused"
    if told or more:
        return "told"
    plain, _ = warnings_of(Case, seed, time_step, Surroundings())
    expected, _ = warnings_of(plain.run)[0]
    # A few N m, held by a solver that is accurate to 1e-5.
    assert np.abs(unexplained).max() < 1e-3, (seed, around)
    # Passive joints add up what steps leave.
    np.testing.assert_allclose(
        q, expected, atol=2e-3, err_msg=f"{seed} {around}"
    )
    return "silent"


@pytest.mark.parametrize("time_step", [0.008, 0.002, 0.0])
def test_motors_are_right_in_random_diagrams_or_there_is_a_word(time_step):
    found = [compared(seed, time_step) for seed in range(draws(6, 50))]
    # Most surroundings are no reason for a word.
    assert found.count("silent") > len(found) / 4, found
