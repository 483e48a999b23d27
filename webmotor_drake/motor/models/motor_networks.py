"""Actuator networks of motors: their inputs, sampled at the rate of the training."""

import typing
from collections.abc import Mapping

import numpy as np

from webmotor_drake.errors import InputError, below
from webmotor_drake.loops.rows import (
    COMMANDS,
    MODEL_STATES,
    Command,
    ModelState as S,
)
from webmotor_drake.motor.models.network import load_network
from webmotor_drake.nodes.motor_models import Learned
from webmotor_drake.nodes.motors import MotorNode, acting_parts


class MotorNetworks:
    """The networks of the learned ones among n motors.

    Motors of the same `Learned` are one call of their network.

    Attributes:
        rows: number of rows behind `ModelState` the samples take.

    Args:
        motors: the motors by name, in order.
        period: period of the motors, s.

    Raises:
        InputError: a file that is no network, or not of these inputs, or samples
            that don't come with the motor periods.
    """

    def __init__(self, motors: Mapping[str, MotorNode], period: float):
        self._groups: list[_Group] = []
        for i, (name, motor) in enumerate(motors.items()):
            if "learned" not in acting_parts(motor):
                continue
            known = [g for g in self._groups if g.learned == motor.learned]
            if known:
                known[0].columns.append(i)
                continue
            with below("motors", name, "learned"):
                self._groups.append(_Group(motor.learned, period, i))
        self._kept = max((g.samples for g in self._groups), default=0)
        self.rows = 2 * self._kept

    def sample(self, table: typing.Any, command: typing.Any) -> None:
        """Takes the samples that are due, and holds the networks' efforts.

        Args:
            table: `ModelState` rows and the samples, row by row, written.
            command: `Command` rows, row by row.
        """
        mine = np.asarray(table).reshape(MODEL_STATES + self.rows, -1)
        told = np.asarray(command).reshape(COMMANDS, -1)
        errors = slice(MODEL_STATES, MODEL_STATES + self._kept)
        speeds = slice(MODEL_STATES + self._kept, MODEL_STATES + self.rows)
        for group in self._groups:
            own = np.array(group.columns)
            taken = int(mine[S.SAMPLES, own[0]])
            mine[S.SAMPLES, own] += 1
            if taken % group.every:
                mine[S.HELD, own] = mine[S.NETWORK, own]
                continue
            target = told[Command.TARGET_POSITION, own]
            q, v = mine[S.START_POSITION, own], mine[S.START_VELOCITY, own]
            error = np.where(np.isinf(target), 0.0, target - q)
            for rows, now in ((errors, error), (speeds, v)):
                history = mine[rows][:, own]
                history[1:] = history[:-1]
                history[0] = now
                mine[rows, own] = history
            effort, out = group.effort(
                mine[errors][:, own], mine[speeds][:, own]
            )
            mine[S.HELD, own] = mine[S.NETWORK, own] = effort
            mine[S.OUT_OF_RANGE, own] = out


class _Group:
    """Motors with the same network."""

    def __init__(self, learned: Learned, period: float, column: int):
        self.learned, self.columns = learned, [column]
        self.samples = max(learned.lags, default=-1) + 1
        self.every = round(learned.period / period)
        if self.every < 1 or abs(self.every * period - learned.period) > 1e-9:
            raise InputError(
                f"{learned.period:g} s is not a multiple of the motor period"
                f" {period:g} s; the network is right for its own period only",
                path=("period",),
            )
        with below("file"):
            self._network = load_network(learned.file)
        inputs = 2 * len(learned.lags)
        if self._network.inputs != inputs:
            raise InputError(
                f"the network has {self._network.inputs} inputs; {inputs} are"
                " needed: a position error and a velocity per lag",
                path=("lags",),
            )

    def effort(
        self, errors: np.ndarray, speeds: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Returns efforts, and the share of inputs outside the range of the training.

        Args:
            errors: samples, newest first, shape (samples, k), rad or m.
            speeds: past velocities, in the same order.
        """
        learned = self.learned
        parts = [
            learned.position_scale * errors[learned.lags],
            learned.velocity_scale * speeds[learned.lags],
        ]
        if learned.order == "vel_pos":
            parts.reverse()
        x = np.concatenate(parts).T
        network = self._network
        out = np.mean((x < network.low) | (x > network.high), axis=1)
        return learned.effort_scale * network(x), out
