"""Changes of a plant's velocities right before its steps, and their Jacobian."""

from collections.abc import Callable

import numpy as np
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import JacobianWrtVariable, RigidBody
from pydrake.systems.framework import Context, EventStatus, State

# Made once, so that a step in which nothing arrives stays cheap.
_NOTHING = EventStatus.DidNothing()


def before_each_step(
    plant: MultibodyPlant,
    change: Callable[[Context], np.ndarray | None],
    placed: Callable[[Context], np.ndarray | None] | None = None,
) -> None:
    """Declares an event of a plant that changes its velocities before a step.

    Within a step an impulse would have to overcome friction that Drake takes from the
    depth and speed at its start. Plants with sampled ports step by such an event, too.
    Events of one time do not see each other: there ours comes earlier.

    Args:
        plant: finalized, discrete plant with geometry.
        change: function from the plant's Context to the change of velocities, or None.
        placed: likewise the change of positions at time 0, as the plant is initialized.
            If given, plants with sampled ports change velocities then, too.
    """
    step, sampled = plant.time_step(), plant.has_sampled_output_ports()

    def update(context: Context, state: State) -> EventStatus:
        changed = change(context)
        if changed is None:
            return _NOTHING
        x = state.get_mutable_discrete_state().get_mutable_vector(0)
        x.get_mutable_value()[plant.num_positions() :] += changed
        return EventStatus.Succeeded()

    if placed is not None:

        def place(context: Context, state: State) -> EventStatus:
            status = update(context, state) if sampled else _NOTHING
            lifted = placed(context) if context.get_time() == 0 else None
            if lifted is None:
                return status
            x = state.get_mutable_discrete_state().get_mutable_vector(0)
            x.get_mutable_value()[: plant.num_positions()] += lifted
            return EventStatus.Succeeded()

        plant.DeclareInitializationUnrestrictedUpdateEvent(update=place)
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
    v, world = JacobianWrtVariable.kV, plant.world_frame()

    def of(body: RigidBody) -> np.ndarray:
        X_BW = body.EvalPoseInWorld(context).inverse()
        return plant.CalcJacobianTranslationalVelocity(
            context, v, body.body_frame(), X_BW @ p_WC, world, world
        )

    return of(a) - of(b)
