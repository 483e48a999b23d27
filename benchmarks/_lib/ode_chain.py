"""The chain on the Open Dynamics Engine, its law in C or, failing that, Python."""

import ctypes
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from _lib import chains, interleaved

from webmotor_drake import RotationalMotor
from webmotor_drake.engines.ode_library import load_ode
from webmotor_drake.errors import InputError

SOURCE = Path(__file__).parent / "ode_law.c"
CFM, ERP = 1e-5, 0.2  # Webots' defaults
LENGTH, WIDTH = 0.3, 0.05


class Motor(ctypes.Structure):
    """The struct of ode_law.c."""

    _fields_ = [
        (name, ctypes.c_double)
        for name in (
            *("target", "velocity", "acceleration", "p", "i", "d"),
            *("integral", "error", "command"),
        )
    ]


def missing() -> str:
    """Returns why there is no ODE, in a few words; empty if there is."""
    try:
        load_ode()
    except InputError:
        return "not installed"
    return ""


def compiler() -> str | None:
    """Returns the C compiler, if there is one."""
    return shutil.which(os.environ.get("CC", "cc"))


class OdeChain:
    """The chain of `chains`, hanging, in a world of ODE."""

    def __init__(self, links: int):
        ode = self._ode = load_ode()
        self._world = ode.dWorldCreate()
        ode.dWorldSetGravity(self._world, 0.0, 0.0, -9.81)
        ode.dWorldSetCFM(self._world, CFM)
        ode.dWorldSetERP(self._world, ERP)
        mass = ode.dMass()
        ode.dMassSetBoxTotal(ctypes.byref(mass), 1.0, WIDTH, WIDTH, LENGTH)
        parent = None
        self._joints = []
        for i in range(links):
            body = ode.dBodyCreate(self._world)
            ode.dBodySetMass(body, ctypes.byref(mass))
            ode.dBodySetPosition(body, 0.0, 0.0, -LENGTH * (i + 0.5))
            joint = ode.dJointCreateHinge(self._world, None)
            ode.dJointAttach(joint, body, parent)
            ode.dJointSetHingeAnchor(joint, 0.0, 0.0, -LENGTH * i)
            ode.dJointSetHingeAxis(joint, 0.0, 1.0, 0.0)
            ode.dJointSetHingeParam(joint, ode.dParamFMax, chains.MAX_TORQUE)
            ode.dJointSetHingeParam(joint, ode.dParamCFM, CFM)
            self._joints.append(joint)
            parent = body
        node = RotationalMotor()
        p, i, d = node.control_pid
        self._motors = (Motor * links)(
            *(
                Motor(chains.TARGET, node.max_velocity, -1.0, p, i, d)
                for _ in range(links)
            )
        )

    def angles(self) -> list[float]:
        """Returns the joints' angles, rad."""
        return [self._ode.dJointGetHingeAngle(joint) for joint in self._joints]

    def in_c(self, *, iterative: bool = False) -> interleaved.Case:
        """Returns the case with the law compiled; needs a compiler.

        Args:
            iterative: dWorldQuickStep instead of the exact dWorldStep.
        """
        ode, links = self._ode, len(self._joints)
        step = ode.dWorldQuickStep if iterative else ode.dWorldStep
        handles = [
            ctypes.cast(joint, ctypes.c_void_p) for joint in self._joints
        ]
        arguments = [
            ctypes.cast(step, ctypes.c_void_p),
            ctypes.cast(ode.dJointGetHingeAngle, ctypes.c_void_p),
            ctypes.cast(ode.dJointSetHingeParam, ctypes.c_void_p),
            ctypes.c_int(ode.dParamVel),
            ctypes.cast(self._world, ctypes.c_void_p),
            (ctypes.c_void_p * links)(*handles),
            self._motors,
            ctypes.c_int(links),
            ctypes.c_double(chains.TIME_STEP),
        ]
        run = _compiled().run
        return interleaved.timed(lambda steps: run(*arguments, steps))

    def in_python(self) -> interleaved.Case:
        """Returns the case with the law and every call of ODE in Python."""
        ode = self._ode

        def advance(steps: int) -> None:
            for _ in range(steps):
                for joint, motor in zip(
                    self._joints, self._motors, strict=True
                ):
                    q = ode.dJointGetHingeAngle(joint)
                    ode.dJointSetHingeParam(joint, ode.dParamVel, law(motor, q))
                ode.dWorldStep(self._world, chains.TIME_STEP)

        return interleaved.timed(advance)


def law(motor: Motor, q: float) -> float:
    """Returns the velocity command as ode_law.c does, no acceleration limit."""
    error = motor.target - q
    derivative = (error - motor.error) / chains.TIME_STEP
    motor.integral += error * chains.TIME_STEP
    motor.error = error
    wanted = motor.p * error + motor.i * motor.integral + motor.d * derivative
    return min(max(wanted, -motor.velocity), motor.velocity)


def _compiled() -> ctypes.CDLL:
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder, "ode_law.so")
        subprocess.run(
            [
                *(compiler(), "-O2", "-shared", "-fPIC"),
                *("-o", str(library), str(SOURCE)),
            ],
            check=True,
        )
        return ctypes.CDLL(str(library))  # stays loaded without its file
