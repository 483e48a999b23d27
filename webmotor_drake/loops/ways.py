"""Bounds on the motion of shapes as the state of a plant changes."""

from webmotor_drake.loops import places, zeros

# After a look ahead in vain, the number of steps doubles from this on.
_SELDOM = 0.0625
_INF = float("inf")


class Ways:
    """The distances that shapes move from a state that was looked at, step by step.

    Args:
        levers: distances per change of each number of the state [q, v], shape (n,), m.
        trees: index of each number's tree of joints, shape (n,).
        spins: places in the state of the quaternions [w, x, y, z] of bodies, each
            followed by that of the body's angular velocity in the world, shape (2 k,).
        positions: number of positions in the state.
        step: time step of the plant, s.
        most: largest number of steps of a look ahead.
    """

    def __init__(self, levers, trees, spins, positions, step, most):
        self.levers, self.trees = memoryview(levers), places(trees)
        self.spins = places(spins)
        self.positions, self.step, self.most = positions, step, most
        self.x, self.rate = zeros(len(trees)), zeros(positions)
        self.ways = zeros(max(trees, default=0) + 1)
        self.slack, self.left, self.ahead = 0.0, -1.0, 1.0
        self.others, self.least = None, _INF

    def watch(self, others, least):
        """Makes `is_quiet` false where a step moves shapes of others by `least`, m."""
        self.others, self.least = others, least

    def steps_ahead(self):
        """Returns the number of steps of the next look ahead."""
        return max(1, int(self.ahead))

    def is_quiet(self, x):
        """Returns whether nothing arrives yet; to be called once in each step.

        Args:
            x: state of the plant.
        """
        if self.least < _INF and self.others.way_in_step(x) >= self.least:
            return False
        if self.left < _INF:
            for i in range(self.positions):
                self.x[i] += self.rate[i]
            self.turn()
            self.left -= 1.0
            if self.left < 0.0:
                return False
        if self.way(x) < self.slack:
            return True
        if self.left < _INF:  # it moved unlike predicted
            self.ahead = _SELDOM
        return False

    def keep(self, x, slack, rate, steps):
        """Keeps a state after which nothing arrives for a while.

        Args:
            x: state of the plant.
            slack: distance that shapes may move from the state, m.
            rate: rate of the positions, 1/s; empty for one step.
            steps: number of steps in which the state may move on at this rate.
        """
        self.slack, self.left = slack, _INF
        # As far as this one reached, twice; what turns is looked at for one step.
        if steps < self.ahead:
            self.ahead = steps if steps > 1 else _SELDOM
        self.ahead = min(2.0 * self.ahead, self.most)
        self.x[:] = x
        if steps > 1:
            for i in range(self.positions):
                self.rate[i] = self.step * rate[i]
                self.x[i] += steps * self.rate[i]
            if self.way(x) >= slack / 2.0:
                self.left = steps - 1.0
            self.x[:] = x

    def turn(self):
        """Turns the rates of quaternions with these, as Drake steps them."""
        half = self.step / 2.0
        for i in range(0, len(self.spins), 2):
            q, v = self.spins[i], self.spins[i + 1]
            w, x, y, z = self.x[q], self.x[q + 1], self.x[q + 2], self.x[q + 3]
            a, b, c = self.x[v], self.x[v + 1], self.x[v + 2]
            self.rate[q] = -half * (a * x + b * y + c * z)
            self.rate[q + 1] = half * (a * w + b * z - c * y)
            self.rate[q + 2] = half * (b * w + c * x - a * z)
            self.rate[q + 3] = half * (c * w + a * y - b * x)

    def forget(self):
        """Forgets the state that was kept: something arrives."""
        self.left, self.ahead = -1.0, _SELDOM

    def way_in_step(self, x):
        """Returns how far a shape goes at most in a step at a state's velocities, m."""
        for i in range(len(self.ways)):
            self.ways[i] = 0.0
        for i in range(self.positions, len(x)):
            self.ways[self.trees[i]] += self.levers[i] * abs(x[i])
        return self.farthest()

    def way(self, x):
        """Returns how far a shape goes at most from the kept state to another, m."""
        for i in range(len(self.ways)):
            self.ways[i] = 0.0
        for i in range(len(x)):
            self.ways[self.trees[i]] += self.levers[i] * abs(x[i] - self.x[i])
        return self.farthest()

    def farthest(self):
        """Returns the longest of the trees' ways, m."""
        most = 0.0
        for i in range(len(self.ways)):
            most = max(most, self.ways[i])
        return most
