"""Draws the random values of a scenario from its seed.

Drake's `ProcessModelDirectives` leaves the drawing to its callers.
"""

import copy
import math
import typing

import numpy as np
import numpy.typing as npt
from pydrake.common import RandomGenerator
from pydrake.common.schema import Rotation, Transform
from pydrake.math import RigidTransform
from pydrake.multibody.parsing import ModelDirective

from webmotor_drake.scenario.blame import blame
from webmotor_drake.scenario.scenario import Scenario

# Fields of directives that hold poses.
_POSES = (("add_weld", "X_PC"), ("add_frame", "X_PF"))


def sampled(scenario: Scenario) -> Scenario:
    """Returns the scenario without distributions; the given one stays as it is.

    Raises:
        InputError: a distribution that Drake refuses.
    """
    random = RandomGenerator(scenario.random_seed)
    drawn = copy.copy(scenario)
    drawn.directives = []
    for i, directive in enumerate(scenario.directives):
        with blame(scenario, "directives", i):
            drawn.directives.append(sampled_directive(directive, random))
    drawn.initial_position = {}
    for model, joints in scenario.initial_position.items():
        drawn.initial_position[model] = {}
        for joint, position in joints.items():
            with blame(scenario, "initial_position", model, joint):
                if not isinstance(position, np.ndarray):
                    position = np.atleast_1d(position.Sample(random))
                drawn.initial_position[model][joint] = position
    return drawn


def sampled_directive(
    directive: ModelDirective, random: RandomGenerator
) -> ModelDirective:
    """Returns a directive with drawn poses; files that it adds stay as they are."""
    new = copy.deepcopy(directive)
    changed = False
    for kind, field in _POSES:
        add = getattr(new, kind)
        pose = getattr(add, field, None)
        if pose is not None and not pose.IsDeterministic():
            setattr(add, field, _sampled_pose(pose, random))
            changed = True
    if new.add_model is not None:
        poses = new.add_model.default_free_body_pose
        drawn = {
            body: _sampled_pose(pose, random)
            for body, pose in poses.items()
            if not pose.IsDeterministic()
        }
        new.add_model.default_free_body_pose = {**poses, **drawn}
        changed = changed or bool(drawn)
    return new if changed else directive


def _sampled_pose(pose: Transform, random: RandomGenerator) -> Transform:
    alone = copy.deepcopy(pose)  # Drake draws no pose in another frame
    alone.base_frame = None
    drawn = Transform(alone.Sample(random))
    drawn.base_frame = pose.base_frame
    return drawn


def fixed_transform(X: RigidTransform) -> Transform:
    """Returns a pose for a scenario, without rounding errors below 1e-12."""
    made: typing.Any = Transform()  # which takes lists
    made.translation = _rounded(X.translation())
    turned = X.rotation().ToAngleAxis()
    (angle,) = _rounded(math.degrees(turned.angle()))
    if angle:
        made.rotation = Rotation()
        made.rotation.value = Rotation.AngleAxis(
            angle_deg=angle, axis=_rounded(turned.axis())
        )
    return made


def _rounded(values: npt.ArrayLike) -> list[float]:
    return (np.round(np.atleast_1d(values), 12) + 0.0).tolist()
