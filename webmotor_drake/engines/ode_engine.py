"""The mechanism of a Drake plant on ODE, the engine of Webots.

Bodies, joints and primitive collision shapes are read from the finalized plant
at its default or given positions; motors are ODE's joint motors, stepped by its
direct solver dWorldStep, as in Webots (WbSimulationCluster.cpp, WbHingeJoint.cpp).
"""

import ctypes
import math
import weakref

import numpy as np
from pydrake.geometry import SceneGraphInspector
from pydrake.math import RigidTransform, RotationMatrix
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import (
    BodyIndex,
    ForceElementIndex,
    Joint,
    JointIndex,
    PrismaticJoint,
    RevoluteJoint,
    UniformGravityFieldElement,
)
from pydrake.systems.framework import Context

from webmotor_drake.contact.inboard import bodies_of, joints_of
from webmotor_drake.engines.ode_joint import OdeJoint
from webmotor_drake.engines.ode_library import load_ode
from webmotor_drake.engines.ode_shapes import OdeContacts
from webmotor_drake.engines.stepped_motors import SteppedMotors
from webmotor_drake.errors import InputError, SimulationError
from webmotor_drake.nodes.joints import JointParameters
from webmotor_drake.simulation.body_poses import free_joints

ERP = 0.2  # Webots' WorldInfo.ERP
_FASTEST = 1e6  # rad/s or m/s; beyond, ODE ends the process before long
_FREE = ("quaternion_floating", "rpy_floating")


class OdeEngine:
    """A plant's mechanism as ODE has it, with the motors of a scenario.

    Welded bodies become one ODE body. The damping of a joint in the model and in
    JointParameters is one implicit damper.

    Attributes:
        motors: motors that drive it.
        plant: the mechanism in Drake.

    Args:
        plant: the finalized plant.
        motors: motors that drive it.
        inspector: inspector of the scene graph with the plant's shapes; None without
            shapes.
        context: Context of the plant with the start positions; velocities start at 0.
            None: the default positions.

    Raises:
        InputError: ODE is not installed, or the plant has something that cannot
            be carried over.
    """

    follows_law = True

    def __init__(
        self,
        plant: MultibodyPlant,
        motors: SteppedMotors,
        *,
        inspector: SceneGraphInspector | None = None,
        context: Context | None = None,
    ):
        _check_can_be_carried_over(plant)
        self._ode = load_ode()
        self.plant = plant
        self.motors = motors
        self._step = motors.period
        if context is None:
            context = plant.CreateDefaultContext()
        self._world = self._create_world()
        self._bodies = self._create_bodies(context)
        self._joints = self._create_joints(context)
        # The plant with its mechanism as it moves in ODE.
        self._context = plant.CreateDefaultContext()
        start = plant.GetPositionsAndVelocities(context)
        plant.SetPositionsAndVelocities(self._context, start)
        self._free = []
        for index, joint in free_joints(plant).items():
            if (body := self._bodies[index]) is not None:
                X_WB = joint.child_body().EvalPoseInWorld(context)
                X_OB = self._pose(body).InvertAndCompose(X_WB)
                self._free.append((joint, body, X_OB))
        self._contacts = None
        if inspector is not None:
            self._contacts = OdeContacts(
                self._ode, self._world, plant, inspector, context, self._bodies
            )
        self._driven = [self._joints[j.index()] for j in motors.joints]

    def _create_world(self) -> object:
        ode = self._ode
        world = ode.dWorldCreate()
        weakref.finalize(self, ode.dWorldDestroy, world)
        ode.dWorldSetGravity(
            world, *self.plant.gravity_field().gravity_vector()
        )
        ode.dWorldSetCFM(world, self.motors.world_cfm)
        ode.dWorldSetERP(world, ERP)
        return world

    def _create_bodies(self, context: Context) -> dict[BodyIndex, object]:
        """Returns the ODE body of each body; None: fixed to the world."""
        bodies: dict[BodyIndex, object] = {}
        for body in bodies_of(self.plant):
            if body.index() in bodies:
                continue
            welded = self.plant.GetBodiesWeldedTo(body)
            indices = [other.index() for other in welded]
            fixed = self.plant.world_body().index() in indices
            ode_body = None if fixed else self._create_body(context, indices)
            bodies.update(dict.fromkeys(indices, ode_body))
        return bodies

    def _create_body(
        self, context: Context, indices: list[BodyIndex]
    ) -> object:
        """Returns an ODE body that is `indices` welded together.

        Its frame is at the common centre of mass, in the world's directions.
        """
        ode, plant = self._ode, self.plant
        M_BW = plant.CalcSpatialInertia(context, plant.world_frame(), indices)
        mass, com = M_BW.get_mass(), M_BW.get_com()
        first = plant.get_body(indices[0])
        I_C = np.zeros((3, 3))
        if mass > 0:
            about_com = M_BW.Shift(com).CalcRotationalInertia()
            I_C = about_com.CopyToFullMatrix3()
        least = np.linalg.eigvalsh(I_C)[0]
        if not (mass > 0 and least > 0):
            raise InputError(
                f"ode: body {first.name()} moves with a mass of {mass:g} kg and"
                f" a least moment of inertia of {least:g} kg m²; both above 0"
                " are allowed"
            )
        ode_mass = ode.dMass()
        moments, products = I_C.diagonal(), I_C[np.triu_indices(3, 1)]
        ode.dMassSetParameters(
            ctypes.byref(ode_mass), mass, 0.0, 0.0, 0.0, *moments, *products
        )
        ode_body = ode.dBodyCreate(self._world)
        ode.dBodySetMass(ode_body, ctypes.byref(ode_mass))
        ode.dBodySetPosition(ode_body, *com)
        if not plant.is_gravity_enabled(first.model_instance()):
            ode.dBodySetGravityMode(ode_body, 0)
        return ode_body

    def _create_joints(self, context: Context) -> dict[JointIndex, OdeJoint]:
        joints = {}
        for joint in joints_of(self.plant):
            if not isinstance(joint, RevoluteJoint | PrismaticJoint):
                continue
            index = joint.index()
            joints[index] = OdeJoint(
                self._ode,
                self._world,
                joint,
                context,
                parent=self._bodies[joint.parent_body().index()],
                child=self._bodies[joint.child_body().index()],
                parameters=self.motors.parameters.get(index, JointParameters()),
                step=self._step,
                cfm=self.motors.cfm.get(index, self.motors.world_cfm),
            )
        return joints

    def _prepare_joints(self) -> None:
        """Sets the motors' demands of all joints for the next step."""
        motors = self.motors
        demand = {
            joint.index(): column[:3]
            for joint, column in zip(
                motors.joints, motors.demand.T.tolist(), strict=True
            )
        }
        for index, joint in self._joints.items():
            parameters = motors.parameters.get(index)
            friction = parameters.static_friction if parameters else 0.0
            rate, bound, direct = demand.get(index, (0.0, friction, 0.0))
            joint.prepare(rate, bound, direct, motors.brakes.get(index, 0.0))

    def positions(self) -> np.ndarray:
        """Returns the motors' joint positions, shape (n,), rad or m."""
        return np.array([joint.position for joint in self._driven])

    def velocities(self) -> np.ndarray:
        """Returns their velocities, shape (n,), rad/s or m/s."""
        return np.array([joint.velocity for joint in self._driven])

    def state(self) -> np.ndarray:
        """Returns the plant's [q, v]."""
        plant, context = self.plant, self._context
        state = plant.GetPositionsAndVelocities(context).copy()
        for index, moved in self._joints.items():
            joint = plant.get_joint(index)
            v = plant.num_positions() + joint.velocity_start()
            state[joint.position_start()] = moved.position
            state[v] = moved.velocity
        plant.SetPositionsAndVelocities(context, state)
        for joint, body, X_OB in self._free:
            X_WO = self._pose(body)
            if X_WO.IsNearlyEqualTo(X_WO, math.inf):  # no NaN in it
                self._set_free(joint, body, X_WO, X_OB)
        return plant.GetPositionsAndVelocities(context).copy()

    def _pose(self, body: object) -> RigidTransform:
        turned = np.array(self._ode.dBodyGetRotation(body)[:12])
        at = self._ode.dBodyGetPosition(body)[:3]
        R_WO = RotationMatrix.ProjectToRotationMatrix(
            turned.reshape(3, 4)[:, :3]
        )
        return RigidTransform(R_WO, at)

    def _set_free(
        self,
        joint: Joint,
        body: object,
        X_WO: RigidTransform,
        X_OB: RigidTransform,
    ) -> None:
        """Sets a free joint's pose and velocity from its ODE body's."""
        context, ode = self._context, self._ode
        X_WF = joint.frame_on_parent().CalcPoseInWorld(context)
        X_BM = joint.frame_on_child().GetFixedPoseInBodyFrame()
        X_WM = X_WO @ X_OB @ X_BM
        joint.SetPose(context, X_WF.InvertAndCompose(X_WM))
        w_WM = np.array(ode.dBodyGetAngularVel(body)[:3])
        lever = X_WM.translation() - X_WO.translation()
        v_WM = ode.dBodyGetLinearVel(body)[:3] + np.cross(w_WM, lever)
        R_FW = X_WF.rotation().inverse()
        joint.set_angular_velocity(context, R_FW @ w_WM)
        joint.set_translational_velocity(context, R_FW @ v_WM)

    def step(self) -> tuple[np.ndarray, np.ndarray]:
        """Steps the world once, the motors as they demand.

        Returns:
            Efforts without direct effort, and feedback, shape (n,), N m or N.

        Raises:
            SimulationError: a joint is too fast to go on.
        """
        if self._contacts is not None:
            self._contacts.collide()
        self._prepare_joints()
        self._ode.dWorldStep(self._world, self._step)
        for joint in self._joints.values():
            joint.measure()
            if not abs(joint.velocity) < _FASTEST:
                raise SimulationError(
                    f"joint {joint.name} moves at {joint.velocity:.3g} in ODE;"
                    f" it is stopped at {_FASTEST:g}"
                )
        efforts, feedback = np.array(
            [joint.efforts() for joint in self._driven]
        ).T
        return efforts, feedback


def _check_can_be_carried_over(plant: MultibodyPlant) -> None:
    """Raises InputError for joints and constraints that ODE lacks."""
    for joint in joints_of(plant):
        if not (
            isinstance(joint, RevoluteJoint | PrismaticJoint)
            or joint.num_velocities() == 0
            or joint.type_name() in _FREE
        ):
            raise InputError(
                f"ode: joint {joint.name()} is a {joint.type_name()} joint;"
                " revolute, prismatic, weld and floating joints are allowed"
            )
    if plant.num_constraints():
        raise InputError(
            f"ode: the plant has {plant.num_constraints()} constraints (couplers,"
            " mimic joints, distances); none is allowed"
        )
    for i in range(plant.num_force_elements()):
        element = plant.get_force_element(ForceElementIndex(i))
        if not isinstance(element, UniformGravityFieldElement):
            raise InputError(
                f"ode: the plant has a {type(element).__name__}; gravity is the"
                " only force element allowed, springs go into `joints`"
            )
    for index in plant.GetJointActuatorIndices():
        actuator = plant.get_joint_actuator(index)
        if actuator.default_reflected_inertia():
            raise InputError(
                f"ode: actuator {actuator.name()} has a rotor inertia of"
                f" {actuator.default_rotor_inertia():g} kg m²; 0 is allowed"
            )
