"""The laws of motors that are no Webots servos, all of a robot at a time.

In a step of length h a motor's effort depends on the velocity w that its joint has at
the end: a PD loop sees the position q + h w, back-EMF is a damper. So a law is a
function of w, to be solved with the mechanism, and implicit: stable for any gain and
any step. What a board computes beforehand is held, and depends on w no more.
"""

import numpy as np

from webmotor_drake.motor.models import thermal, torque_speed
from webmotor_drake.motor.models.elastic import (
    Law,
    motor_velocity,
    spring,
)
from webmotor_drake.motor.models.friction import budget
from webmotor_drake.motor.models.model_state import (
    MODEL_STATES,
    ModelState as S,
)
from webmotor_drake.motor.models.motor_networks import MotorNetworks
from webmotor_drake.motor.models.parameters import ModelRows
from webmotor_drake.motor.tables import Command


class ModelLaws:
    """The laws of the m modelled ones among a model's n motors.

    It keeps nothing: what changes is in the `ModelState` table, shape (rows, n).

    Attributes:
        own: the places of the m motors among the n.
        rows: their parameters.
        needs_load: whether friction depends on the row LOAD.
        states: the number of rows that they need.
        steepest: what each law falls by at most per velocity, shape (m,).

    Args:
        rows: their parameters.
        step: of the plant, s.
        networks: of learned motors.
    """

    def __init__(
        self,
        rows: ModelRows,
        step: float,
        networks: MotorNetworks | None = None,
    ):
        self._networks = networks
        self.states = MODEL_STATES + (networks.rows if networks else 0)
        self.rows, self.own, self._step = rows, rows.own, step
        self.needs_load = rows.friction.has_load
        self._any_explicit = bool(rows.explicit.any())
        self._any_elastic = bool(rows.elastic.any())
        self._any_thermal = bool(np.isfinite(rows.continuous).any())
        loop = np.where(rows.explicit, 0.0, rows.kd + step * rows.kp)
        # No law falls faster than that, per velocity.
        self.steepest = np.where(
            rows.elastic,
            rows.damping + step * rows.stiffness + loop,
            rows.drop + loop,
        )

    def begin(
        self,
        table: np.ndarray,
        command: np.ndarray,
        q: np.ndarray,
        v: np.ndarray,
        *,
        period_begins: bool,
    ) -> None:
        """Notes the start of a plant step, and computes what boards do then.

        Args:
            table: `ModelState` rows, shape (rows, n), which are written.
            command: `Command` rows, shape (rows, n).
            q: the motors' joint positions, shape (n,), rad or m.
            v: their velocities, shape (n,), rad/s or m/s.
            period_begins: whether a motor period begins, too.
        """
        own, rows = self.own, self.rows
        q, v = q[own], v[own]
        mine = table[:, own]
        if not mine[S.STARTED].all():
            mine[S.POSITION], mine[S.VELOCITY] = q, v
            mine[S.STARTED] = 1.0
        mine[S.START_POSITION], mine[S.START_VELOCITY] = q, v
        if self._any_thermal:
            hot = thermal.is_hot(mine[S.IS_HOT], mine[S.HEAT], rows.recovery)
            mine[S.IS_HOT] = hot
        if self._any_explicit and period_begins:
            mine[S.HELD] = self._computed_ahead(mine, command[:, own])
            if self._networks is not None:
                self._networks.sample(mine, command[:, own])
        table[:, own] = mine

    def _computed_ahead(
        self, mine: np.ndarray, command: np.ndarray
    ) -> np.ndarray:
        """Returns what is held for a motor period: torque, or voltage as one."""
        rows = self.rows
        q, v = self._measured(mine)
        target = np.where(
            np.isinf(command[Command.TARGET_POSITION]),
            q,
            command[Command.TARGET_POSITION],
        )
        duty = np.clip(
            rows.duty_gain * (target - q), -rows.max_duty, rows.max_duty
        )
        effort, _ = self._pd(command, q, v, 0.0)
        return np.where(rows.by_voltage, duty, effort)

    def _measured(self, mine: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Returns position and velocity where encoders are, at the step's start."""
        elastic = self.rows.elastic & ~self.rows.sees_link
        q, v = _joint(mine)
        own_q, own_v = _turning(mine)
        return np.where(elastic, own_q, q), np.where(elastic, own_v, v)

    def _pd(
        self,
        command: np.ndarray,
        q: np.ndarray,
        w: np.ndarray,
        step: float,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Returns the PD's effort at q + step w, and what it falls by per w."""
        rows = self.rows
        target: np.ndarray = command[Command.TARGET_POSITION]
        turns = np.isinf(target)
        missing = np.where(turns, 0.0, target - q - step * w)
        sought: np.ndarray = command[Command.TARGET_VELOCITY]
        forward: np.ndarray = command[Command.FEEDFORWARD]
        wanted = np.where(turns, sought, forward)
        effort = rows.kp * missing + rows.kd * (wanted - w)
        return effort, rows.kd + step * np.where(turns, 0.0, rows.kp)

    def _asked(
        self,
        mine: np.ndarray,
        command: np.ndarray,
        q: np.ndarray,
        w: np.ndarray,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Returns the effort before its limits at w, and what it falls by per w."""
        rows = self.rows
        effort, fall = self._pd(command, q, w, self._step)
        if self._any_explicit:
            back = np.where(rows.by_voltage, rows.drop, 0.0)
            held = mine[S.HELD] - back * w
            effort = np.where(rows.explicit, held, effort)
            fall = np.where(rows.explicit, back, fall)
        direct = command[Command.EFFORT_CONTROL] == 1
        if direct.any():
            effort = np.where(direct, command[Command.DIRECT_EFFORT], effort)
            fall = np.where(direct, 0.0, fall)
        return effort, fall

    def _limits(
        self, mine: np.ndarray, command: np.ndarray, w: np.ndarray
    ) -> torque_speed.Limits:
        """Returns the motors' limits at w; see `torque_speed.limits`."""
        cap = self._cap(mine, command)
        return torque_speed.limits(w, self.rows.stall, self.rows.drop, cap)

    def _cap(self, mine: np.ndarray, command: np.ndarray) -> np.ndarray:
        """Returns the largest efforts at any speed; a motor without any is off."""
        cap = command[Command.AVAILABLE_EFFORT]
        if not self._any_thermal:
            return cap
        hot = np.minimum(cap, self.rows.continuous)
        return np.where(mine[S.IS_HOT] > 0, hot, cap)

    def _motor(
        self,
        mine: np.ndarray,
        command: np.ndarray,
        q: np.ndarray,
        w: np.ndarray,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Returns what the motors make at w, and what it falls by per w."""
        effort, fall = self._asked(mine, command, q, w)
        low, high, low_fall, high_fall = self._limits(mine, command, w)
        fall = np.where(effort >= high, high_fall, fall)
        fall = np.where(effort <= low, low_fall, fall)
        return np.minimum(np.maximum(effort, low), high), fall

    def effort(
        self, table: np.ndarray, command: np.ndarray, w: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Returns what reaches the joints if they end the step with velocity w.

        Args:
            table: `ModelState` rows, shape (rows, n).
            command: `Command` rows, shape (rows, n).
            w: of the m motors' joints, shape (m,), rad/s or m/s.

        Returns:
            Efforts, N m or N, and what they fall by per velocity, shape (m,).
        """
        mine, command = table[:, self.own], command[:, self.own]
        q = mine[S.START_POSITION]
        effort, fall = self._motor(mine, command, q, w)
        if not self._any_elastic:
            return effort, fall
        spring_effort, spring_fall = self._through_spring(mine, command, w)
        elastic = self.rows.elastic
        return (
            np.where(elastic, spring_effort, effort),
            np.where(elastic, spring_fall, fall),
        )

    def _through_spring(
        self, mine: np.ndarray, command: np.ndarray, w: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Returns the springs' effort on links that end with w, and its fall."""
        rows, step = self.rows, self._step
        begin = mine[S.POSITION]
        link = mine[S.START_POSITION] + step * w
        law = self._before_spring(mine, command, w)

        def pull(velocity: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            return spring(
                rows, begin + step * velocity - link, velocity - w, step
            )

        turning, softness = motor_velocity(
            rows, law, pull, mine[S.VELOCITY], self._dry(mine), step
        )
        effort, gain = pull(turning)
        _, _, by_link = law(turning)
        return effort, gain * (1 - (gain - by_link) * softness)

    def _after_spring(
        self,
        mine: np.ndarray,
        command: np.ndarray,
        w: np.ndarray,
        effort: np.ndarray,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Returns the motors' effort and velocity after springs gave links `effort`.

        What a link got is what its motor lost.
        """
        law = self._before_spring(mine, command, w)

        def pull(velocity: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            return effort, np.zeros_like(effort)

        turning, _ = motor_velocity(
            self.rows, law, pull, mine[S.VELOCITY], self._dry(mine), self._step
        )
        return law(turning)[0], turning

    def _before_spring(
        self, mine: np.ndarray, command: np.ndarray, w: np.ndarray
    ) -> Law:
        """Returns the motors' law by their own velocity; the links end with w."""
        sees_link = self.rows.sees_link
        q = np.where(sees_link, _joint(mine)[0], _turning(mine)[0])

        def law(velocity: np.ndarray) -> tuple[np.ndarray, ...]:
            seen = np.where(sees_link, w, velocity)
            effort, fall = self._asked(mine, command, q, seen)
            low, high, *falls = self._limits(mine, command, velocity)
            by_link = np.where(sees_link, fall, 0.0)
            within = (effort > low) & (effort < high)
            limited = np.where(effort >= high, falls[1], falls[0])
            return (
                np.minimum(np.maximum(effort, low), high),
                np.where(within, fall - by_link, limited),
                np.where(within, by_link, 0.0),
            )

        return law

    def _dry(self, mine: np.ndarray) -> np.ndarray:
        """Returns what dry friction of motors behind springs can hold, N m or N."""
        return budget(
            self.rows.friction,
            mine[S.VELOCITY],
            mine[S.MOTOR_EFFORT],
            -mine[S.EFFORT],
        )

    def friction(self, table: np.ndarray, command: np.ndarray) -> np.ndarray:
        """Returns the largest effort of dry friction at the joints, shape (m,).

        The motor's part in the load is that of the step's start.
        """
        rows = self.rows
        mine, command = table[:, self.own], command[:, self.own]
        q, v = mine[S.START_POSITION], mine[S.START_VELOCITY]
        motor = mine[S.MOTOR_EFFORT]
        if self.needs_load:
            motor, _ = self._motor(mine, command, q, v)
        dry = budget(rows.friction, v, motor, mine[S.LOAD])
        return rows.static + np.where(rows.elastic, 0.0, dry)

    def anchored(
        self, table: np.ndarray, command: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Returns the laws as rows that a solver clips: the piece to begin with.

        It is the loop's own within the limits at the start's velocity; where those
        bind that are due to speed, the torque-speed line itself.

        Returns:
            The effort at the start's velocity, what it falls by per velocity, and
            the least and the largest effort, shape (m,) each.
        """
        mine, command = table[:, self.own], command[:, self.own]
        q, v = mine[S.START_POSITION], mine[S.START_VELOCITY]
        effort, fall = self._asked(mine, command, q, v)
        low, high, _, _ = self._limits(mine, command, v)
        cap = self._cap(mine, command)
        stall, back = self.rows.stall, self.rows.drop * v
        above, below = stall - back, -stall - back
        # At the corner of line and cap, too: from there on the line falls.
        on_high = self.rows.line & (above <= cap) & (effort > above)
        on_low = self.rows.line & (below >= -cap) & (effort < below)
        effort = np.where(on_high, above, np.where(on_low, below, effort))
        fall = np.where(on_high | on_low, self.rows.drop, fall)
        # Who brakes from beyond the line may come to rest within the step.
        beyond = self.rows.line & (np.abs(back) >= stall + cap)
        moves = on_high | on_low | beyond
        low, high = np.where(moves, -cap, low), np.where(moves, cap, high)
        if self._any_elastic:
            elastic = self.rows.elastic
            sprung, gives = self._through_spring(mine, command, v)
            effort = np.where(elastic, sprung, effort)
            fall = np.where(elastic, gives, fall)
            low = np.where(elastic, -np.inf, low)
            high = np.where(elastic, np.inf, high)
        return effort, fall, low, high

    def finish(
        self,
        table: np.ndarray,
        command: np.ndarray,
        w: np.ndarray,
        effort: np.ndarray,
        friction: np.ndarray,
    ) -> None:
        """Notes what a plant step has done.

        Args:
            table: `ModelState` rows, shape (rows, n), which are written.
            command: `Command` rows, shape (rows, n).
            w: velocities of the m motors' joints at its end, shape (m,).
            effort: what the motors gave the joints, shape (m,), N m or N.
            friction: what dry friction did, shape (m,), N m or N.
        """
        mine, command = table[:, self.own], command[:, self.own]
        motor, turning = effort, w
        if self._any_elastic:
            elastic = self.rows.elastic
            made, moved = self._after_spring(mine, command, w, effort)
            motor = np.where(elastic, made, effort)
            turning = np.where(elastic, moved, w)
        low, high, _, _ = self._limits(mine, command, turning)
        begin = np.where(self.rows.elastic, _turning(mine)[0], _joint(mine)[0])
        if self._any_thermal:
            mine[S.HEAT] = thermal.heated(
                mine[S.HEAT],
                motor,
                self.rows.continuous,
                self.rows.time_constant,
                self._step,
            )
        mine[S.EFFORT], mine[S.MOTOR_EFFORT] = effort, motor
        mine[S.FRICTION] = friction
        mine[S.LIMIT] = np.where(motor < 0, -low, high)
        mine[S.POSITION] = begin + self._step * turning
        mine[S.VELOCITY] = turning
        table[:, self.own] = mine


def _joint(mine: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Returns positions and velocities of the joints at the step's start."""
    return mine[S.START_POSITION], mine[S.START_VELOCITY]


def _turning(mine: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Returns positions and velocities of the motors before their springs."""
    return mine[S.POSITION], mine[S.VELOCITY]
