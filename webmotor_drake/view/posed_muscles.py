"""The muscles of robots that are posed: shown again, or moved by sliders."""

from pydrake.multibody.tree import PrismaticJoint

from webmotor_drake.drive.multi_axis_joints import is_of_ball
from webmotor_drake.motor.muscle_shape import dynamic_status, kinematic_status
from webmotor_drake.nodes.motors import max_effort
from webmotor_drake.simulation.muscles import Canvas, Muscles
from webmotor_drake.view.moment import Moment
from webmotor_drake.view.puppet import Puppet


class PosedMuscles:
    """Draws muscles over robots that are not simulated; see `Mark`.

    Args:
        puppet: the robots, in the pose of the moment.
        canvas: where to draw.
    """

    def __init__(self, puppet: Puppet, canvas: Canvas):
        self._puppet = puppet
        self._muscles = Muscles(puppet.plant, puppet.motors, canvas)

    def draw(self, moment: Moment) -> None:
        """Draws them as they were at a moment; at rest where it has no signals."""
        puppet = self._puppet
        self._muscles.draw(
            puppet.plant, puppet.context, self._status(moment), moment.time
        )

    def _status(self, moment: Moment) -> dict[str, float]:
        """Returns what muscles were told of their motors, by "<model>/<motor>"."""
        status = {}
        for model, system in self._puppet.motors.items():
            for i, (name, node) in enumerate(system.model.motors.items()):
                motor, joint = f"{model}/{name}", system.model.joints[i]
                velocity, effort, mode = (
                    moment.signals.get(f"{motor}/{signal}", 0.0)
                    for signal in ("velocity", "effort", "mode")
                )
                if is_of_ball(self._puppet.plant, joint):
                    status[motor] = 0.0
                elif system.devices.kinematic[i]:
                    status[motor] = kinematic_status(
                        velocity, node.max_velocity
                    )
                else:
                    status[motor] = dynamic_status(
                        effort,
                        max_effort(node),
                        is_linear=isinstance(joint, PrismaticJoint),
                        is_direct=mode == 2,
                    )
        return status
