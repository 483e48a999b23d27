"""Touches and forces of TouchSensors (WbTouchSensor.cpp)."""

import math
import typing

from webmotor_drake import nodes
from webmotor_drake.drive.device_mounts import weld_of
from webmotor_drake.host.senses.body_sampler import BodySampler, device_for
from webmotor_drake.host.senses.sampling import LookupTable, Sampler, rounded


class BumperSampler(BodySampler[nodes.TouchSensor]):
    """Samples whether anything has touched the body since the last time: 1 or 0."""

    blank = math.nan

    def __init__(self, node: nodes.TouchSensor, *rest: typing.Any):
        super().__init__(node, *rest)
        self._touched = False
        self._watch = Sampler(self._look)
        shapes = self.place.plant.GetCollisionGeometriesForBody(self.place.body)
        self._feels = frozenset(shapes)

    def enable(self, period: int, now: int) -> None:
        """Starts or stops; while it is on, every basic step is watched."""
        # It runs before the sensors, so that they tell the touches of this step.
        self.clock.sample(self._watch, int(period > 0), first=True)
        super().enable(period, now)

    def restart(self) -> None:
        """Forgets earlier touches."""
        super().restart()
        self._touched = False

    def _look(self) -> None:
        contacts = self.around.query().ComputePointPairPenetration()
        self._touched |= any(
            contact.id_A in self._feels or contact.id_B in self._feels
            for contact in contacts
        )

    def sensed(self) -> float:
        """Returns 1 if anything has touched since the last call, else 0."""
        touched, self._touched = self._touched, False
        return float(touched)


class ForceSampler(BodySampler[nodes.TouchSensor]):
    """The force of the body's weld joint, through the lookup table."""

    blank = math.nan

    def __init__(self, node: nodes.TouchSensor, *rest: typing.Any):
        super().__init__(node, *rest)
        self._table = LookupTable(node.lookup_table, self.random)
        plant = self.place.plant
        self._joint = weld_of(plant, self.place.body)
        # The port numbers only the joints that exist (see JointWrenches).
        indices = list(plant.GetJointIndices())
        self._row = indices.index(self._joint.index())

    def force_D(self) -> typing.Any:
        """Returns the joint's force on the parent body in the device's axes, N."""
        plant, context = self.place.plant, self.place.context
        port = plant.get_reaction_forces_output_port()
        F_CJc_Jc = port.Eval(context)[self._row]
        frame = self._joint.frame_on_child()
        X_WJc = frame.CalcPoseInWorld(context)
        force_W = X_WJc.rotation().matrix() @ F_CJc_Jc.translational()
        return -force_W @ self.place.R_WD()

    def sensed(self) -> float:
        """Returns the value of a push along x; 0 for a pull."""
        push = max(float(-self.force_D()[0]), 0.0)
        return rounded(self._table(push), self.node.resolution)


class Force3DSampler(ForceSampler):
    """The force in all three axes."""

    blank: typing.ClassVar[list[float]] = [math.nan] * 3

    def sensed(self) -> list[float]:
        """Returns x, y, z."""
        return [
            rounded(self._table(part), self.node.resolution)
            for part in self.force_D().tolist()
        ]


@device_for(nodes.TouchSensor)
def touch_sampler(
    node: nodes.TouchSensor, *rest: typing.Any
) -> BodySampler[nodes.TouchSensor]:
    """Returns the sampler of a TouchSensor, by its type."""
    kinds = {"bumper": BumperSampler, "force": ForceSampler}
    return kinds.get(node.type, Force3DSampler)(node, *rest)
