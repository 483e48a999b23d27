"""A picture of a scenario's robots, drawn without a screen."""

import io

from webmotor_drake.errors import InputError
from webmotor_drake.results.results import Results
from webmotor_drake.scenario.scenario import Scenario
from webmotor_drake.view.puppet import Puppet
from webmotor_drake.view.replay import posable
from webmotor_drake.view.video import film_camera, framed


def still(
    results: Results,
    scenario: Scenario,
    *,
    row: int = -1,
    size: tuple[int, int] = (640, 480),
) -> bytes:
    """Returns a PNG of the robots in a row of a run, from where all of it is seen.

    Args:
        results: of a run, with the plant's positions.
        scenario: what ran.
        row: which row; by default the end.
        size: width and height, pixels.

    Raises:
        InputError: the results have no positions, or others than the scenario's.
    """
    from matplotlib import image

    puppet = posable(
        Puppet(scenario, camera=film_camera(scenario, "", size)), results
    )
    place = framed(results, puppet, follow=False, size=size)
    if results.positions is None:
        raise InputError("the run has no positions to show")
    puppet.pose(results.positions[row])
    place()
    picture = io.BytesIO()
    image.imsave(picture, puppet.picture().data[..., :3], format="png")
    return picture.getvalue()
