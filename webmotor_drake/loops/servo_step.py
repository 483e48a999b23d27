"""The arithmetic of a plant step of the implicit drive.

Between two steps of the contact solver none of our code is in the processor's caches,
so that every call costs three times what it costs alone: usually all arithmetic is one
call, `run`. Where there is a brake, a battery, a delay or a joint that simply moves,
`ImplicitMotors` calls its parts.
"""

from webmotor_drake.loops import step_start, taken
from webmotor_drake.loops.rows import Demand

_RATE, _BOUND, _DIRECT_EFFORT, _ = map(int, Demand)
# x + _SHIFT - _SHIFT is the whole number next to x, as np.rint has it.
_SHIFT, _WHOLE = 1.5 * 2.0**52, 2.0**51
# Results of `ServoStep.run`.
DISTURBED, NEW_BOUNDS = 2, 4
_DISTURBED, _NEW_BOUNDS = DISTURBED, NEW_BOUNDS


class ServoStep(step_start.StepStart):
    """Settles the last step, runs the law and prepares the next step.

    Args:
        ends: ends of the parts of the tables, as `StepStart` takes them.
        servos: `drive.servo_places.SERVO` records, shape (m,).
        usual: limits of usual commands, as `StepStart` takes them.
        period: the motor period, s.
    """

    def __init__(self, ends, servos, usual, period):
        n = int(ends[3, 1] - ends[3, 0])
        rest = servos["friction"], usual, period
        super().__init__(ends, servos["q_place"][:n], *rest)
        self.servos, self.m = taken(servos), len(servos)

    def run(
        self, values, state, net, actuation, desired, limits, row, given, law
    ):
        """Does a step; `values`, `actuation` and `desired` are written.

        Args:
            values: the vector of the tables.
            state: the plant's [q, v].
            net: efforts that the actuators applied in the last step.
            actuation: for the plant.
            desired: desired positions and velocities, for the plant.
            limits: the effort limits that the plant has, shape (m,).
            row: row of commands that a port has; empty: nothing.
            given: port of the row, as `usual_commands.follow` takes it.
            law: True if a motor step begins.

        Returns:
            UNUSUAL or NOT_FINITE as of `StepStart.begin`. Else the sum of:
            DISTURBED, the last step's bounds were not `limits`; NEW_BOUNDS, the next
            step's are not.
        """
        found = self.begin(values, state, row, given)
        if found != 0:
            return found
        if self.settle(values, net, limits):
            found = _DISTURBED
        if law:
            self.run_law(values)
        if self.prepare(values, state, limits, actuation, desired):
            found += _NEW_BOUNDS
        return found

    def settle(self, values, net, limits):
        """Notes the servos' efforts, and the motors', in the step just finished.

        Args:
            values: the vector of the tables, which is written.
            net: efforts that the actuators applied, without brakes.
            limits: the effort limits that the plant has, shape (m,).

        Returns:
            Whether the step's bounds were not `limits`.
        """
        m, demand = self.m, self.ends[2, 0]
        effort, held = self.ends[3, 0], self.ends[4, 0]
        disturbed = False
        for i in range(m):
            bound = values[demand + _BOUND * m + i]
            if bound != limits[i]:
                disturbed = True
            had = min(max(net[self.servos[i].slot], -bound), bound)
            values[held + i] = had
            if i < self.n:
                direct = values[demand + _DIRECT_EFFORT * m + i]
                values[effort + i] = had + direct
        return disturbed

    def prepare(self, values, state, limits, actuation, desired):
        """Writes the plant's inputs for the next step; see `implicit_motors`.

        Returns:
            Whether the bounds are not `limits`.
        """
        m, demand, held = self.m, self.ends[2, 0], self.ends[4, 0]
        new_bounds = False
        for i in range(m):
            servo = self.servos[i]
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
            desired[len(actuation) + servo.slot] = rate - slip
        return new_bounds
