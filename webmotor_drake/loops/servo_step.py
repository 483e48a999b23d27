"""The arithmetic of a plant step of the implicit drive.

The contact solver empties the processor's caches, so that between two steps every call
costs three times what it costs alone. So all arithmetic is one call, `run`, unless the
last step has to be settled before.

Several actuators with gains on one joint all report their sum. So the efforts of a
brake and of a motor model's loop are computed from the resulting motion, and
subtracted. `mine` are a motor's rows of `ModelState`; see `drive.servo_actuators`.
"""

from webmotor_drake.loops import taken
from webmotor_drake.loops.rows import Demand, ModelState as S
from webmotor_drake.loops.step_start import UNUSUAL

_RATE, _BOUND, _DIRECT_EFFORT, _BRAKE = map(int, Demand)
# Stands for a gain of 0, which would take an actuator out of the solver for good.
NO_DAMPING = 1e-12
_EFFORT, _START, _BUDGET = int(S.EFFORT), int(S.START_VELOCITY), int(S.BUDGET)
_ANCHOR, _SLOPE, _LOW, _HIGH = map(int, (S.ANCHOR, S.SLOPE, S.LOW, S.HIGH))
_NO_DAMPING, _INF = NO_DAMPING, float("inf")
# x + _SHIFT - _SHIFT is the whole number nearest to x, as in np.rint.
_SHIFT, _WHOLE = 1.5 * 2.0**52, 2.0**51
# Results of `ServoStep.run`.
DISTURBED, NEW_BOUNDS = 2, 4
_DISTURBED, _NEW_BOUNDS, _UNUSUAL = DISTURBED, NEW_BOUNDS, UNUSUAL


class ServoStep:
    """Settles the last step, runs the law and prepares the next step.

    Args:
        start: the motors' `StepStart`.
        servos: `drive.servo_actuators.SERVO` records, shape (m,).
    """

    def __init__(self, start, servos):
        self.start = start
        self.ends = self.start.ends
        self.servos, self.m = taken(servos), len(servos)

    def run(
        self,
        values,
        state,
        net,
        actuation,
        desired,
        limits,
        level,
        charge,
        row,
        law,
        settled,
    ):
        """Does a step; `values`, `actuation`, `desired` and `level` are written.

        Args:
            values: the vector of the tables.
            state: the plant's [q, v].
            net: efforts that the actuators applied in the last step.
            actuation: efforts of the actuators, for the plant.
            desired: desired positions and velocities, for the plant.
            limits: the effort limits that the plant has, shape (m,).
            level: the battery's energy, J, and 1 or 0 for on or off; None without one.
            charge: power of a charger, W.
            row: commands of a port, see `usual_commands.follow`; None without any.
            law: True if a motor step begins.
            settled: True if the last step is settled already.

        Returns:
            NOT_FINITE, or the sum of: DISTURBED, the last step's bounds were not
            `limits`; UNUSUAL; NEW_BOUNDS, the next step's bounds are not `limits`.
        """
        found = self.start.take_motion(state)
        if found != 0:
            return found
        if not settled and self.settle(values, state, net, limits):
            found = _DISTURBED
        if self.start.is_unusual(values, row):
            return found + _UNUSUAL
        self.start.start_step(values, level, charge, law)
        if self.prepare(values, state, limits, actuation, desired):
            found += _NEW_BOUNDS
        return found

    def settle(self, values, state, net, limits):
        """Notes the servos' efforts, and the motors', in the step just finished.

        Args:
            values: the vector of the tables, which is written.
            state: the plant's [q, v] after the step.
            net: efforts that the actuators applied.
            limits: the effort limits that the plant has, shape (m,).

        Returns:
            True if the step's bounds were not `limits`.
        """
        m, n, demand = self.m, self.start.n, self.ends[2, 0]
        effort, held, models = self.ends[3, 0], self.ends[4, 0], self.ends[5, 0]
        table = values[models : self.ends[5, 1]]
        disturbed = False
        for i in range(m):
            servo = self.servos[i]
            bound = values[demand + _BOUND * m + i]
            if bound != limits[i]:
                disturbed = True
            had = net[servo.slot]
            if servo.loop_slot >= 0:
                had -= settle_loop(table[i::n], state[servo.v_place])
            if servo.brake_slot >= 0:
                brake = values[demand + _BRAKE * m + i]
                gain, share = brake_gain(brake, servo.strongest)
                braked = values[servo.braked_place] * share
                braked -= gain * state[servo.v_place]
                # The servo's part of the sum is at most its bound, even if masses
                # changed in the Context give the solver another cap.
                braked = min(max(braked, had - bound), had + bound)
                values[servo.braked_place] = braked
                had -= braked
            had = min(max(had, -bound), bound)
            values[held + i] = had
            if i < n:
                direct = values[demand + _DIRECT_EFFORT * m + i]
                values[effort + i] = had + direct
        if self.start.laws is not None:
            self.start.take_motion(state)
            self.start.finish_models(
                values,
                table[_EFFORT * n : (_EFFORT + 1) * n],
                values[held : held + n],
            )
        return disturbed

    def prepare(self, values, state, limits, actuation, desired):
        """Writes the plant's inputs for the next step; see `implicit_motors`.

        Returns whether the bounds are not `limits`.
        """
        m, n, demand = self.m, self.start.n, self.ends[2, 0]
        held, nu = self.ends[4, 0], len(actuation)
        table = values[self.ends[5, 0] : self.ends[5, 1]]
        new_bounds = False
        for i in range(m):
            servo = self.servos[i]
            if servo.loop_slot >= 0:
                budget, middle, seeks = lay_loop(table[i::n])
                values[demand + _RATE * m + i] = 0.0
                values[demand + _BOUND * m + i] = budget
                values[demand + _DIRECT_EFFORT * m + i] = middle
                desired[nu + servo.loop_slot] = seeks
            if values[demand + _BOUND * m + i] != limits[i]:
                new_bounds = True
            fed = values[held + i] / servo.grid
            if abs(fed) < _WHOLE:
                fed = (fed + _SHIFT) - _SHIFT
            fed *= servo.grid
            actuation[servo.slot] = fed
            direct = values[demand + _DIRECT_EFFORT * m + i]
            pull = servo.spring * state[servo.q_place]
            actuation[servo.companion_slot] = direct - pull
            slip = servo.cfm * fed
            rate = values[demand + _RATE * m + i]
            desired[nu + servo.slot] = rate - slip
            if servo.brake_slot >= 0:
                brake = values[demand + _BRAKE * m + i]
                _, share = brake_gain(brake, servo.strongest)
                actuation[servo.brake_slot] = share * values[servo.braked_place]
        return new_bounds


def brake_gain(damping, strongest):
    """Returns a brake's gain, and the share of its last effort that is fed forward.

    The solver would cap the gain of a strong brake and let the joint creep. So the gain
    d stays below the solver's cap, where the effort is known, and a share of the last
    effort e is fed forward: the next one, (1 - d / B) e - d v, is -B v in a steady
    state, for any damping B.
    """
    damping = max(damping, _NO_DAMPING)
    gain = min(damping, strongest)
    return gain, 1.0 - gain / damping


def settle_loop(mine, w):
    """Notes the law's effort in a step that ended with w; returns the loop's part."""
    middle, half = middle_of(mine[_LOW], mine[_HIGH])
    loop = mine[_SLOPE] * (_seeks(mine, middle) - w)
    loop = min(max(loop, -half), half)
    mine[_EFFORT] = middle + loop
    return loop


def lay_loop(mine):
    """Returns dry friction's budget, the middle of the limits, the velocity sought."""
    if mine[_SLOPE] <= _NO_DAMPING:  # held, whatever the velocity
        held = min(max(mine[_ANCHOR], mine[_LOW]), mine[_HIGH])
        mine[_LOW] = mine[_HIGH] = held
        mine[_SLOPE] = 0.0
    middle, _ = middle_of(mine[_LOW], mine[_HIGH])
    return mine[_BUDGET], middle, _seeks(mine, middle)


def _seeks(mine, middle):
    """Returns the velocity at which a loop makes no effort of its own."""
    if mine[_SLOPE] == 0.0:
        return 0.0
    return mine[_START] + (mine[_ANCHOR] - middle) / mine[_SLOPE]


def middle_of(low, high):
    """Returns the middle of limits, and how far they are from it; 0 if infinite."""
    if low == -_INF or high == _INF:
        low = 0.0 if low == -_INF else low
        high = 0.0 if high == _INF else high
        return (low + high) / 2, _INF
    return (low + high) / 2, (high - low) / 2
