"""A picture of a scenario's robots, drawn without a screen."""

import io

from webmotor_drake.results.results import Results
from webmotor_drake.scenario.scenario import Scenario
from webmotor_drake.view.film import Film


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

    picture = Film(results, scenario, size=size).picture(row)
    file = io.BytesIO()
    image.imsave(file, picture, format="png")
    return file.getvalue()
