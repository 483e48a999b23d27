"""Poses and positions that are distributions."""

import numpy as np
import pytest

from webmotor_drake.errors import InputError
from webmotor_drake.loading import load_scenario
from webmotor_drake.simulation.diagram import assemble

SCENARIO = """
A:
  plant_config: {time_step: 0.008}
  directives:
  - add_model: {name: arm, file: package://webmotor_models/two_link_arm.urdf}
  - add_model:
      name: box
      file: package://webmotor_models/small_box.urdf
      default_free_body_pose:
        box:
          base_frame: world
          translation: !UniformVector {min: [1, 2, 3], max: [2, 3, 4]}
          rotation: !Uniform {}
  - add_weld:
      parent: world
      child: arm::base
      X_PC:
        translation: !GaussianVector {mean: [0, 0, 1], stddev: [0.1, 0.1, 0.1]}
  initial_position:
    arm:
      shoulder: !Uniform {min: 0.5, max: 1}
      elbow: [0.25]
"""


@pytest.fixture(scope="module")
def positions(tmp_path_factory):
    file = tmp_path_factory.mktemp("stochastic") / "a.scenario.yaml"
    file.write_text(SCENARIO)

    def of(seed):
        text = f"{{random_seed: {seed}}}"
        plant = assemble(load_scenario(file, text=text)).plant
        context = plant.CreateDefaultContext()
        base = plant.GetBodyByName("base").EvalPoseInWorld(context)
        return (
            plant.GetJointByName("shoulder").GetOnePosition(context),
            plant.GetJointByName("elbow").GetOnePosition(context),
            base.translation()[2],
            plant.GetPositions(context, plant.GetModelInstanceByName("box")),
        )

    return of


def test_a_distribution_that_drake_refuses_is_told_with_its_line(tmp_path):
    file = tmp_path / "a.scenario.yaml"
    file.write_text(SCENARIO.replace("stddev: [0.1", "stddev: [0"))
    with pytest.raises(InputError, match=r":14:5: A.directives\[2\]: .*stddev"):
        assemble(load_scenario(file))


def test_what_is_random_comes_from_the_seed_alone(positions):
    first, again, other = positions(1), positions(1), positions(2)
    for i in (0, 2, 3):
        np.testing.assert_array_equal(first[i], again[i])
        assert not np.array_equal(first[i], other[i])


@pytest.mark.slow
def test_draws_have_the_distributions_they_are_of(positions):
    drawn = [positions(seed) for seed in range(40)]
    shoulder, elbow, height, box = (
        np.array(x) for x in zip(*drawn, strict=True)
    )
    assert ((shoulder >= 0.5) & (shoulder <= 1)).all()
    assert (elbow == 0.25).all()  # what is a number stays so
    # Within four standard errors of the mean: one in 16,000 such tests fails,
    # and this one has fixed seeds.
    assert abs(shoulder.mean() - 0.75) < 4 * 0.5 / np.sqrt(12 * 40)
    assert abs(height.mean() - 1) < 4 * 0.1 / np.sqrt(40)
    place = box[:, 4:]
    assert (place >= [1, 2, 3]).all()
    assert (place <= [2, 3, 4]).all()
    np.testing.assert_allclose(np.linalg.norm(box[:, :4], axis=1), 1)


def test_poses_in_a_file_of_directives_are_drawn_too(tmp_path):
    """Also in one that such a file adds; not as the scenario's own are drawn."""
    pose = (
        "X_PF: {translation: !UniformVector {min: [0, 0, 0], max: [1, 1, 1]}}"
    )
    frames = {
        name: f"- add_frame: {{name: {name}, X_PF: {{base_frame: world,"
        f" {pose.partition('{')[2].removesuffix('}')}}}}}"
        for name in ("own", "added", "deeper")
    }
    (tmp_path / "deeper.yaml").write_text(f"directives:\n{frames['deeper']}\n")
    (tmp_path / "added.yaml").write_text(
        f"directives:\n{frames['added']}\n"
        f"- add_directives: {{file: 'file://{tmp_path}/deeper.yaml'}}\n"
    )
    file = tmp_path / "a.scenario.yaml"
    file.write_text(
        f"A:\n  directives:\n  {frames['own']}\n"
        "  - add_directives: {file: added.yaml}\n"
    )

    def places(seed):
        text = f"{{random_seed: {seed}}}"
        plant = assemble(load_scenario(file, text=text)).plant
        return [
            plant.GetFrameByName(name)
            .GetFixedPoseInBodyFrame()
            .translation()
            .tolist()
            for name in frames
        ]

    first = places(1)
    assert first == places(1)
    assert len({str(place) for place in [*first, *places(2)]}) == 6
