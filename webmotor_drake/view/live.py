"""A run that Meshcat shows, and whose motors its sliders drive."""

import time
from collections.abc import Iterable

from pydrake.geometry import Meshcat

from webmotor_drake.simulation.simulation import Simulation
from webmotor_drake.view.live_run import LOOK, LiveRun
from webmotor_drake.view.marks import checked_marks
from webmotor_drake.view.motor_sliders import MotorSliders
from webmotor_drake.view.run_controls import RunControls
from webmotor_drake.view.scene import Scene


class LiveView(LiveRun):
    """Shows simulations in Meshcat; see `LiveRun`.

    The thread that runs them has to be the one that made the Meshcat.

    Args:
        meshcat: where they draw.
        rate: simulated seconds per second; 0: as fast as it can.
        follow: whether the camera goes along with the robots.
        show: the marks to draw over the robots, of `MARKS`.
        can_end: whether Stop and Reset are offered.

    Raises:
        InputError: there is nothing of a name in `show`.
    """

    over = (
        "over; the browser can play it again (Animations), or go on with it (pull"
        " a slider, or press Pause / go on); Ctrl-C ends"
    )

    def __init__(
        self,
        meshcat: Meshcat,
        *,
        rate: float = 1.0,
        follow: bool = False,
        show: Iterable[str] = (),
        can_end: bool = True,
    ):
        super().__init__(rate=rate)
        self._meshcat, self._follow = meshcat, follow
        self._can_end = can_end
        self._show = checked_marks(show)

    def end(self) -> None:
        """Takes the controls away; the recording can be played from now on."""
        self._meshcat.DeleteAddedControls()
        self.at_end()

    def at_end(self, *, goes_on: bool = True) -> None:
        """Gives browsers the recording, to play when somebody wants it.

        Args:
            goes_on: whether the run can go on; the controls stay in any case.
        """
        self._meshcat.get_mutable_recording().set_autoplay(False)
        self._meshcat.PublishRecording()

    def wait_for_browser(self) -> None:
        """Waits until one shows the Meshcat."""
        while not self._meshcat.GetNumActiveConnections():
            time.sleep(LOOK)

    def _shown(
        self, simulation: Simulation
    ) -> tuple[RunControls, MotorSliders, Scene]:
        self._meshcat.DeleteAddedControls()
        controls = RunControls(
            self._meshcat,
            duration=simulation.scenario.simulation_duration,
            rate=self._rate,
            can_end=self._can_end,
        )
        sliders = MotorSliders(self._meshcat, simulation)
        scene = Scene(
            simulation, self._meshcat, show=self._show, follow=self._follow
        )
        return controls, sliders, scene
