"""Changes of a plant's velocities right before its steps, and their Jacobian."""

from collections.abc import Callable

import numpy as np
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import JacobianWrtVariable, RigidBody
from pydrake.systems.framework import Context, EventStatus, State


def before_each_step(
    plant: MultibodyPlant,
    change: Callable[[Context], np.ndarray | None],
    *,
    also_the_first: bool = False,
) -> None:
    """Declares an event of a plant that changes its velocities before a step.

    Within a step an impulse would have to overcome the friction that Drake takes from
    the depth and speed at its start. A plant with sampled ports steps by an event of
    the same kind, which does not see others at its time: there it comes earlier.

    Args:
        plant: finalized, discrete, with geometry.
        change: returns the change from the plant's Context; None: there is none.
        also_the_first: True if the step at the very start counts where that event
            comes after it.
    """

    def update(context: Context, state: State) -> EventStatus:
        changed = change(context)
        if changed is None:
            return EventStatus.DidNothing()
        x = state.get_mutable_discrete_state().get_mutable_vector(0)
        x.get_mutable_value()[plant.num_positions() :] += changed
        return EventStatus.Succeeded()

    step, sampled = plant.time_step(), plant.has_sampled_output_ports()
    if sampled and also_the_first:
        plant.DeclareInitializationUnrestrictedUpdateEvent(update=update)
    plant.DeclarePeriodicUnrestrictedUpdateEvent(
        period_sec=step,
        offset_sec=0.75 * step if sampled else 0.0,
        update=update,
    )


def jacobian_at(
    plant: MultibodyPlant,
    context: Context,
    a: RigidBody,
    b: RigidBody,
    p_WC: np.ndarray,
) -> np.ndarray:
    """Returns d(velocity of body A less B's at a point C, in W) / dv, shape (3, n)."""
    world = plant.world_frame()
    J_A, J_B = (
        plant.CalcJacobianTranslationalVelocity(
            context,
            JacobianWrtVariable.kV,
            body.body_frame(),
            body.EvalPoseInWorld(context).inverse() @ p_WC,
            world,
            world,
        )
        for body in (a, b)
    )
    return J_A - J_B
