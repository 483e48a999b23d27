"""Robots that stand still in a page of ours, with a slider per joint."""

import json
import typing
from collections.abc import Iterable

import numpy as np
from pydrake.multibody.tree import Joint

from webmotor_drake.contact.inboard import joints_of
from webmotor_drake.drive.plant_queries import position_limits
from webmotor_drake.scenario.scenario import Scenario
from webmotor_drake.view.marks import checked_marks
from webmotor_drake.view.moment import Moment
from webmotor_drake.view.page_motors import NUMBERS, Offer
from webmotor_drake.view.page_scene import PageScene
from webmotor_drake.view.page_server import (
    Message,
    ServedPage,
    finite,
    number_of,
)
from webmotor_drake.view.page_tree import driven_joints
from webmotor_drake.view.puppet import Puppet

_UNITS = {"revolute": "rad", "prismatic": "m"}


class StillPage(ServedPage):
    """Shows a scenario's robots, whose joints the page's sliders move.

    A slider goes from stop to stop and is named after the motor, else the joint.

    Args:
        scenario: scenario of the robots.
        show: the marks to draw over them, of `MARKS`.
        port: port to listen at; None: the first free one.

    Raises:
        InputError: no port is free, or there is nothing of a name in `show`.
    """

    def __init__(
        self,
        scenario: Scenario,
        *,
        show: Iterable[str] = (),
        port: int | None = None,
    ):
        names = checked_marks(show)
        self._puppet = puppet = Puppet(scenario)
        self._scene = PageScene(
            puppet,
            show=[n for n in names if n != "targets"],  # there are none
        )
        self._joints = [
            joint
            for joint in joints_of(puppet.plant)
            if joint.type_name() in _UNITS
        ]
        self._mark()
        about = {
            "kind": "still",
            "motors": self._about(),
            **self._scene.about,
        }
        self._about_it = [json.dumps(about), *self._scene.messages]
        self._is_stale = False
        super().__init__(port)

    def update(self) -> None:
        """Moves the joints whose sliders were moved, and sends a frame."""
        self._read()
        if self._is_stale and self._server.wants_frame:
            self._is_stale = False
            self._mark()
            changes = json.dumps({"changed": self._scene.canvas.take()})
            self._server.tell(changes)
            self._server.show([self._scene.frame(0.0, self._rows())])

    def _welcome(self) -> list[Message]:
        changed = json.dumps({"changed": self._scene.canvas.all_looks})
        return [*self._about_it, changed, json.dumps({"complete": True})]

    def _do(self, message: dict[str, typing.Any]) -> None:
        self._is_stale |= "set" in message or "loaded" in message
        if "set" not in message:
            return
        index, value = message["set"]
        joint = self._joints[number_of(index, self._joints)]
        _, low, high = _offer(joint, finite(value))
        positions = self._puppet.positions
        positions[joint.position_start()] = min(max(value, low), high)
        self._puppet.pose(positions)

    def _mark(self) -> None:
        self._scene.mark(Moment(0.0, self._puppet.positions, {}))

    def _rows(self) -> np.ndarray:
        rows = np.zeros((len(self._joints), len(NUMBERS)))
        for row, joint in zip(rows, self._joints, strict=True):
            row[[0, 4]] = joint.GetOnePosition(self._puppet.context)
        return rows

    def _about(self) -> list[dict[str, typing.Any]]:
        plant, driven = self._puppet.plant, driven_joints(self._puppet.motors)
        rows = []
        for joint in self._joints:
            value = joint.GetOnePosition(self._puppet.context)
            motor = driven.get(int(joint.index()))
            rows.append(
                {
                    "robot": plant.GetModelInstanceName(joint.model_instance()),
                    "name": motor[1] if motor else joint.name(),
                    "multiplier": 1.0,
                    "offers": [_offer(joint, value).said()],
                }
            )
        return rows


def _offer(joint: Joint, value: float) -> Offer:
    unit = _UNITS[joint.type_name()]
    return Offer.of_place(unit, *position_limits(joint), value)
