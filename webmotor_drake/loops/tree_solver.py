"""The torque drive's plant step, from dynamics to efforts, tree by tree.

Stops are solved with the motors. A plant's solver lets a joint at distance d from its
stop move at d / (2 dt) towards it; if it would be faster, the stop pushes back and
gives way in proportion (read in Drake's sap_driver.cc and sap_limit_constraint.cc;
`sap`, `similar` and `lagged` share it). With the same law here, motors know at once the
effort that a stop carries, and the plant then takes the predicted step.

In terms of accelerations, a stop pushes with (lowest - a) / give if a is below the
lowest that it allows, and likewise from above. That is a spring, so a stop that pushes
adds a term to the diagonal of the inertia and one to the force.
"""

import math

import numpy as np

from webmotor_drake.loops import bounded, places, taken, zeros
from webmotor_drake.loops.rows import Demand

# The largest bound: times 0 it must be 0.
UNBOUNDED = 1e100

# A joint may go this share of its way to the stop in a step: 1 / 2.
WINDOW = 2.0
# A stop gives way by this over the joint's own inertia (near-rigid: beta^2 / (4 pi^2)
# with beta = 0.1), or by what a stiffness of 1e12 leaves if that is more.
NEAR_RIGID = 0.01 / (4 * math.pi**2)
STIFFNESS = 1e12

# Outcome of a step: resting if the efforts are the last ones, to the tolerance of
# `is_solution`, and no motor is at its bound; otherwise moving.
RESTING, MOVING = 1, 2
# Largest ratio of a damper's part of a step to the inertia.
STIFF = 1e3
# A motor is at its bound from this share of it on.
AT_BOUND = 1.0 - 1e-6
# Largest slip of a motor besides cfm times its effort, rad/s or m/s.
SLIP = 1e-12
_RATE, _BOUND, _DIRECT_EFFORT, _BRAKE = map(int, Demand)
_SOFTEST_STOP = 1.0 / (WINDOW * STIFFNESS)
_NEAR_RIGID, _WINDOW, _PATIENCE = NEAR_RIGID, WINDOW, bounded.PATIENCE
_UNBOUNDED, _SLIP, _AT_BOUND, _STIFF = UNBOUNDED, SLIP, AT_BOUND, STIFF
_AT_REST, _IS_MOVING = RESTING, MOVING


class TreeSolver:
    """Solves the problems of a drive's trees.

    It owns the working memory, so it solves one problem at a time. The tables are those
    of `drive.torque_problem`; step is dt, s.
    """

    def __init__(self, joints, velocities, members, trees, step):
        self._arrays = joints, velocities
        self.read_stops()
        self.members, self.trees = taken(members), taken(trees)
        self.count, self.step = len(trees) - 1, step
        n = int(max(np.diff(trees["velocity"])))
        self.rows, self.room = places([0] * n), bounded.Room(n)
        self.block, self.stopped = zeros(n, n), zeros(n, n)
        # Row by row: wanted acceleration, bound, softness, push, damping.
        self.motors, self.limits = zeros(5, n), zeros(3, n)
        self.known, self.given, self.a = zeros(n), zeros(n), zeros(n)
        self.servo, self.pushed, self.side = zeros(n), zeros(n), zeros(n)

    def read_stops(self):
        """Takes over the stops, which have changed in the tables."""
        joints, velocities = self._arrays
        self.joints, self.velocities = taken(joints), taken(velocities)

    def predicted_acceleration(self, state, demand, effort, acceleration):
        """Writes the accelerations that the motors seek if their efforts stay the same.

        Returns False if one was at its bound. `TorqueDrive.solve` describes the
        arguments, also those of the other methods.
        """
        m, step = len(effort), self.step
        for i in range(m):
            joint = self.joints[i]
            servo = effort[i] - demand[_DIRECT_EFFORT * m + i]
            if abs(servo) >= demand[_BOUND * m + i]:
                return False
            missing = demand[_RATE * m + i] - state[joint.v_place]
            acceleration[joint.dof] = missing / step - joint.softness * servo
        return True

    def is_solution(
        self, state, demand, effort, acceleration, force, total, foreseen
    ):
        """Accepts predicted accelerations if their efforts are a solution; writes them.

        Efforts are a solution if they exceed no bound, no stop is in the way and they
        are the last efforts, so that the slip is right. At rest, or in steady motion,
        that saves the mass matrix and the solve: a sixth of the step for 7 joints.
        `total` may be written even if the result is False.
        """
        m, step = len(effort), self.step
        for i in range(m):
            joint = self.joints[i]
            a = acceleration[joint.dof]
            q, v = state[joint.q_place], state[joint.v_place]
            reach = q + _WINDOW * step * (v + step * a)
            damping = joint.implicit + demand[_BRAKE * m + i]
            # Without the damping's part, which may be 1e18 times the rest.
            total[i] = force[joint.dof] + joint.known_damping * a
            applied = (
                total[i] + step * damping * a + joint.spring * q + damping * v
            )
            servo = applied - demand[_DIRECT_EFFORT * m + i]
            if not (
                joint.lower_stop <= reach <= joint.upper_stop
                and abs(servo) <= demand[_BOUND * m + i]
                and abs(joint.softness * step * (applied - effort[i])) <= _SLIP
            ):
                return False
        for i in range(m):
            joint = self.joints[i]
            damping = joint.implicit + demand[_BRAKE * m + i]
            a = acceleration[joint.dof]
            pull = -joint.spring * state[joint.q_place]
            pull -= damping * state[joint.v_place]
            effort[i] = total[i] + step * damping * a - pull
            foreseen[joint.row] = state[joint.v_place] + step * a
        return True

    def solve_trees(
        self,
        state,
        demand,
        effort,
        inertia,
        acceleration,
        force,
        total,
        foreseen,
    ):
        """Solves the bounded problem of all joints, tree by tree.

        Arguments besides those of `TorqueDrive.solve`: M of the trees, shape (nt, nt);
        any accelerations of theirs, shape (nt,), and the inverse dynamics at these;
        `total`, which gets all efforts at the joints, shape (m,). Returns RESTING or
        MOVING.
        """
        step, block, motors = self.step, self.block, self.motors
        known, servo, a, pushed = self.known, self.servo, self.a, self.pushed
        rows, all_joints = self.rows, len(effort)
        outcome = _AT_REST
        for k in range(self.count):
            start, first = self.trees[k].velocity, self.trees[k].member
            n = self.trees[k + 1].velocity - start
            m = self.trees[k + 1].member - first
            self.collect(n, start, inertia, acceleration, force)
            for c in range(m):
                i = self.members[first + c].joint
                row = rows[c] = self.members[first + c].row - start
                joint = self.joints[i]
                v = state[joint.v_place]
                brake = demand[_BRAKE * all_joints + i]
                damping = joint.implicit + brake
                pull = -joint.spring * state[joint.q_place] - damping * v
                motors[0, c] = (demand[_RATE * all_joints + i] - v) / step
                motors[1, c] = min(demand[_BOUND * all_joints + i], _UNBOUNDED)
                motors[2, c] = joint.softness
                motors[3, c] = pull + demand[_DIRECT_EFFORT * all_joints + i]
                motors[4, c] = damping
                servo[c] = effort[i] - demand[_DIRECT_EFFORT * all_joints + i]
                known[row] += motors[3, c]
                block[row, row] += step * brake
            bounded.solve_bounded(
                n, m, block, known, rows, motors, servo, a, self.room
            )
            for i in range(n):
                pushed[i] = 0.0
            if self.passes_a_stop(n, start, state):
                self.read_limits(n, start, state, inertia)
                self.solve_at_stops(n, m)
            for i in range(n):
                v = state[self.velocities[start + i].v_place]
                foreseen[start + i] = v + step * a[i]
            for c in range(m):
                i, row = self.members[first + c].joint, rows[c]
                direct = demand[_DIRECT_EFFORT * all_joints + i]
                slowed = step * motors[4, c]
                found = servo[c] + motors[3, c] - slowed * a[row]
                if slowed > _STIFF * inertia[start + row, start + row]:
                    found = force[start + row] - pushed[row]
                    found += self.velocities[start + row].known_damping * a[row]
                    for j in range(n):
                        more = a[j] - acceleration[start + j]
                        found += inertia[start + row, start + j] * more
                total[i] = found
                # The servo's effort alone, with its rounding.
                found = servo[c] + direct
                own = found - direct
                bound = motors[1, c]
                slip = motors[2, c] * step * (found - effort[i])
                is_bound = bound > 0.0 and abs(own) >= bound * _AT_BOUND
                if is_bound or abs(slip) > _SLIP:
                    outcome = _IS_MOVING
                effort[i] = found
        return outcome

    def collect(self, n, start, inertia, acceleration, force):
        """Writes the matrix and the known forces of the tree that begins at `start`."""
        for i in range(n):
            total = -force[start + i]
            for j in range(n):
                self.block[i, j] = inertia[start + i, start + j]
                total += self.block[i, j] * acceleration[start + j]
            self.known[i] = total
            self.block[i, i] += self.velocities[start + i].on_diagonal

    def passes_a_stop(self, n, start, state):
        """Returns whether joints come nearer to a stop than the plant lets them."""
        for i in range(n):
            tree = self.velocities[start + i]
            v = state[tree.v_place] + self.step * self.a[i]
            reach = state[tree.q_place] + _WINDOW * self.step * v
            if reach < tree.lower_stop or reach > tree.upper_stop:
                return True
        return False

    def read_limits(self, n, start, state, inertia):
        """Writes the lowest and highest accelerations, and how far a stop gives way.

        The plant's stops do not take the drive's springs and dampers into account.
        """
        step = self.step
        for i in range(n):
            tree = self.velocities[start + i]
            q, v = state[tree.q_place], state[tree.v_place]
            lower = (tree.lower_stop - q) / (_WINDOW * step)
            upper = (tree.upper_stop - q) / (_WINDOW * step)
            self.limits[0, i] = (lower - v) / step
            self.limits[1, i] = (upper - v) / step
            own = inertia[start + i, start + i] + tree.known_damping
            softest = _SOFTEST_STOP / (step * step)
            self.limits[2, i] = max(_NEAR_RIGID / own, softest)

    def solve_at_stops(self, n, m):
        """Solves with stops, from the solution without; writes the stops' efforts.

        The set of stops that push is guessed, solved with and updated: Newton's method
        on a piecewise quadratic function.
        """
        a, limits, side, matrix = self.a, self.limits, self.side, self.stopped
        for i in range(n):
            side[i] = 0.0
        for attempt in range(20 + 10 * n):
            if not _changes_sides(n, a, limits, side, attempt < _PATIENCE):
                break
            for i in range(n):
                for j in range(n):
                    matrix[i, j] = self.block[i, j]
                self.given[i] = self.known[i]
                if side[i] != 0.0:
                    end = limits[0, i] if side[i] > 0.0 else limits[1, i]
                    matrix[i, i] += 1.0 / limits[2, i]
                    self.given[i] += end / limits[2, i]
            bounded.solve_bounded(
                n, m, matrix, self.given, self.rows, self.motors, self.servo, a,
                self.room,
            )  # fmt: skip
        for i in range(n):
            beyond = max(limits[0, i] - a[i], 0.0)
            beyond -= max(a[i] - limits[1, i], 0.0)
            self.pushed[i] = beyond / limits[2, i]


def _changes_sides(n, a, limits, side, every):
    """Writes the stops that push now, all or the first change; returns whether any."""
    changed = False
    for i in range(n):
        now = 0.0
        if a[i] < limits[0, i]:
            now = 1.0
        elif a[i] > limits[1, i]:
            now = -1.0
        if now != side[i] and (every or not changed):
            side[i] = now
            changed = True
    return changed
