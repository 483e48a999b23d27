"""Reaction wrenches: all that joints exert on their child bodies."""

from collections.abc import Sequence

import numpy as np
from pydrake.common.value import Value
from pydrake.multibody.math import SpatialForce
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import Joint
from pydrake.systems.framework import (
    BasicVector,
    Context,
    InputPort,
    LeafSystem,
    OutputPort,
)

from webmotor_drake.errors import InputError

# The numbers of a wrench in their order, as signals call them.
COMPONENTS = tuple(
    f"reaction_{kind}_{axis}" for kind in ("torque", "force") for axis in "xyz"
)

FRAME = (
    "force (N) and torque (N m) of the joint on its child body C, at the origin"
    " of the joint's frame Jc on C (a hinge's anchor), expressed in Jc; along"
    " the axis it is all that acts there: the motor's effort, spring, damper,"
    " brake and stop"
)


class JointWrenches(LeafSystem):
    """The reaction wrenches of some joints, from the plant's `reaction_forces`.

    .. pydrake_system::

        name: JointWrenches
        input_ports:
        - reaction_forces
        output_ports:
        - wrenches

    Connect the plant's port of the same name. `wrenches` has six elements per joint:
    the torque x, y, z (N m), then the force x, y, z (N), as Drake orders a
    SpatialForce. It is F_CJc_Jc: the wrench of the joint on its child body C, at the
    origin of the joint's frame Jc on C, expressed in Jc, which turns and moves with C.
    For a hinge that origin is Webots' anchor; the wrench on the parent is the negative.

    The component along the joint's axis is not only the motor's effort (which
    pushes the position up where it is positive) but all that acts there: spring,
    damper, brake, friction and stop, too.

    On a discrete plant it is the wrench of the plant step just finished: with the
    acceleration of that step, in the configuration at its start, and 0 before the
    first. On a continuous one it is the present wrench. The integration scheme cenic
    makes Drake's reaction forces wrong (drake#24061).

    State: none.

    Args:
        plant: finalized plant. A discrete one needs sampled output ports; ports that
            are not sampled report the step to come.
        joints: joints of the plant.

    Raises:
        InputError: the plant's output ports are not sampled.
    """

    def __init__(self, plant: MultibodyPlant, joints: Sequence[Joint]):
        super().__init__()
        if plant.time_step() and not plant.has_sampled_output_ports():
            raise InputError(
                "reaction forces of the step just finished need the plant's"
                " sampled output ports (use_sampled_output_ports: true)"
            )
        # A removed joint keeps its index, but has no place in the port.
        indices = list(plant.GetJointIndices())
        self._places = [indices.index(joint.index()) for joint in joints]
        self.DeclareAbstractInputPort(
            "reaction_forces", Value[list[SpatialForce]]()
        )
        self.DeclareVectorOutputPort(
            "wrenches", len(COMPONENTS) * len(self._places), self._calc
        )

    def get_reaction_forces_input_port(self) -> InputPort:
        """For the plant's `reaction_forces`."""
        return self.get_input_port()

    def get_wrenches_output_port(self) -> OutputPort:
        """Six elements per joint, N m and N."""
        return self.get_output_port()

    def _calc(self, context: Context, output: BasicVector) -> None:
        forces = self.get_input_port().Eval(context)
        output.SetFromVector(
            np.concatenate([forces[i].get_coeffs() for i in self._places])
        )
