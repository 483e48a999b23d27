"""The chain on other engines, each with the nearest it has to a Webots motor.

An engine that is not installed raises ImportError when its chain is made.
"""

from collections.abc import Callable

import numpy as np
from _lib import chains

MAX_VELOCITY = 10.0  # rad/s, Webots' default
P = 10.0  # 1/s, Webots' default
# MuJoCo clamps forces explicitly: with a stiffer servo, saturated chains
# chatter. This is I / dt of one link.
MUJOCO_KV = 30.0


class MujocoChain:
    """MuJoCo's chain, driven in C by its position or velocity actuators.

    Attributes:
        advance: does that many steps.
    """

    def __init__(self, links: int, *, law_in_python: bool):
        import mujoco

        actuator = (
            f'<velocity kv="{MUJOCO_KV}"'
            if law_in_python
            else f'<position kp="{P * MUJOCO_KV}" kv="{MUJOCO_KV}"'
        )
        self._step = mujoco.mj_step
        self._model = mujoco.MjModel.from_xml_string(_mjcf(links, actuator))
        self._data = mujoco.MjData(self._model)
        self._data.ctrl[:] = chains.TARGET
        self.advance: Callable[[int], object] = self._in_c
        if law_in_python:
            self.advance = self._with_law

    def _in_c(self, steps: int) -> None:
        self._step(self._model, self._data, steps)

    def _with_law(self, steps: int) -> None:
        model, data, step = self._model, self._data, self._step
        for _ in range(steps):
            data.ctrl[:] = np.clip(
                P * (chains.TARGET - data.qpos), -MAX_VELOCITY, MAX_VELOCITY
            )
            step(model, data)

    def angles(self) -> list[float]:
        """Returns the joints' angles, rad."""
        return self._data.qpos.tolist()


def _mjcf(links: int, actuator: str) -> str:
    width, length = 0.05, 0.3
    inertia = [(width**2 + length**2) / 12] * 2 + [width**2 / 6]
    link = (
        '<body pos="0 0 {z}"><joint name="j{i}" axis="0 1 0"/>'
        f'<inertial mass="1" pos="0 0 {-length / 2}" diaginertia="'
        f'{" ".join(map(str, inertia))}"/>'
    )
    bodies = "".join(
        link.format(i=i, z=-length if i else 0) for i in range(links)
    )
    limit = chains.MAX_TORQUE
    actuators = "".join(
        f'{actuator} joint="j{i}" forcerange="{-limit} {limit}"/>'
        for i in range(links)
    )
    return (
        f'<mujoco><option timestep="{chains.TIME_STEP}"'
        ' integrator="implicitfast"/>'
        f"<worldbody>{bodies}{'</body>' * links}</worldbody>"
        f"<actuator>{actuators}</actuator></mujoco>"
    )


class BulletChain:
    """PyBullet's chain, driven by its motors: its own law, or ours in Python.

    Attributes:
        advance: does that many steps.
    """

    def __init__(self, links: int, *, law_in_python: bool):
        import pybullet
        from pybullet_utils.bullet_client import BulletClient

        self._bullet = bullet = BulletClient(pybullet.DIRECT)
        bullet.setTimeStep(chains.TIME_STEP)
        bullet.setGravity(0, 0, -9.81)
        self._body = _bullet_body(bullet, links)
        self._joints = range(links)
        self._forces = [chains.MAX_TORQUE] * links
        self.advance: Callable[[int], object] = self._in_c
        if law_in_python:
            self.advance = self._with_law
            return
        bullet.setJointMotorControlArray(
            self._body,
            self._joints,
            bullet.POSITION_CONTROL,
            targetPositions=[chains.TARGET] * links,
            forces=self._forces,
        )

    def _in_c(self, steps: int) -> None:
        for _ in range(steps):
            self._bullet.stepSimulation()

    def _with_law(self, steps: int) -> None:
        bullet = self._bullet
        for _ in range(steps):
            velocities = [
                min(max(P * (chains.TARGET - q), -MAX_VELOCITY), MAX_VELOCITY)
                for q in self.angles()
            ]
            bullet.setJointMotorControlArray(
                self._body,
                self._joints,
                bullet.VELOCITY_CONTROL,
                targetVelocities=velocities,
                forces=self._forces,
            )
            bullet.stepSimulation()

    def angles(self) -> list[float]:
        """Returns the joints' angles, rad."""
        states = self._bullet.getJointStates(self._body, self._joints)
        return [state[0] for state in states]


def _bullet_body(bullet, links: int) -> int:
    """Returns the chain's number; its base is fixed to the world."""
    upright = [[0, 0, 0, 1]] * links
    box = bullet.createCollisionShape(
        bullet.GEOM_BOX, halfExtents=[0.025, 0.025, 0.15]
    )
    body = bullet.createMultiBody(
        baseMass=0,
        linkMasses=[1.0] * links,
        linkCollisionShapeIndices=[box] * links,  # gives the inertia
        linkVisualShapeIndices=[-1] * links,
        linkPositions=[[0, 0, -0.3 if i else 0] for i in range(links)],
        linkOrientations=upright,
        linkInertialFramePositions=[[0, 0, -0.15]] * links,
        linkInertialFrameOrientations=upright,
        linkParentIndices=list(range(links)),
        linkJointTypes=[bullet.JOINT_REVOLUTE] * links,
        linkJointAxis=[[0, 1, 0]] * links,
    )
    for i in range(-1, links):
        bullet.setCollisionFilterGroupMask(body, i, 0, 0)
    for i in range(links):
        # Bullet damps by default; the others don't.
        bullet.changeDynamics(
            body,
            i,
            linearDamping=0,
            angularDamping=0,
            jointDamping=0,
            maxJointVelocity=1e3,
        )
    return body
