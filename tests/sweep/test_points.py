"""From a study to the values of each run."""

import os
import statistics

import numpy as np
import pytest
from pydrake.common.schema import Gaussian, Uniform

from webmotor_drake.errors import InputError
from webmotor_drake.sweep.points import points_of, seed_of
from webmotor_drake.sweep.study import Linear, Log, Study, load_study


def values_of(study, seed=0):
    return [tuple(p.parameters.values()) for p in points_of(study, seed)]


def test_a_grid_has_all_combinations():
    study = Study(parameters={"a": Linear(0, 1, 3), "b": ["x", "y"]})
    assert values_of(study) == [
        (0.0, "x"), (0.0, "y"), (0.5, "x"), (0.5, "y"), (1.0, "x"), (1.0, "y"),
    ]  # fmt: skip


def test_a_log_grid_has_equal_ratios_and_its_very_ends():
    values = [v for (v,) in values_of(Study(parameters={"a": Log(1e-3, 7, 5)}))]
    ratios = np.divide(values[1:], values[:-1])
    np.testing.assert_allclose(ratios, 7000**0.25, rtol=1e-12)
    assert (values[0], values[-1]) == (1e-3, 7)


@pytest.mark.slow
@pytest.mark.parametrize("sampling", ["random", "latin_hypercube"])
def test_samples_have_the_distributions_they_are_of(sampling):
    if sampling == "latin_hypercube":
        pytest.importorskip("scipy")
    study = Study(
        parameters={
            "u": Uniform(min=2, max=4),
            "n": Gaussian(mean=1, stddev=0.5),
            "c": ["x", "y"],
        },
        sampling=sampling,
        samples=400,
    )
    u, n, c = zip(*values_of(study, seed=1), strict=True)
    # Four standard errors; the seed is fixed.
    assert abs(np.mean(u) - 3) < 4 * 2 / np.sqrt(12 * 400)
    assert abs(np.mean(n) - 1) < 4 * 0.5 / np.sqrt(400)
    assert abs(np.std(n) - 0.5) < 4 * 0.5 / np.sqrt(2 * 400)
    assert min(u) >= 2
    assert max(u) < 4
    assert abs(c.count("x") - 200) < 4 * np.sqrt(100)


def test_a_latin_hypercube_has_one_sample_per_row_and_column():
    pytest.importorskip("scipy")
    study = Study(
        parameters={name: Uniform(min=0, max=1) for name in "ab"},
        sampling="latin_hypercube",
        samples=50,
    )
    for column in zip(*values_of(study), strict=True):
        assert sorted(int(50 * v) for v in column) == list(range(50))


def test_the_seed_alone_determines_the_samples():
    study = Study(
        parameters={"a": Gaussian(mean=0, stddev=1)},
        sampling="random",
        samples=5,
    )
    assert values_of(study, 1) == values_of(study, 1)
    assert values_of(study, 1) != values_of(study, 2)
    more = Study(parameters=study.parameters, sampling="random", samples=9)
    assert points_of(more, 1)[:5] == points_of(study, 1)  # none runs again


def test_repetitions_have_seeds_of_their_own_the_same_at_all_points():
    study = Study(parameters={"a": [1, 2]}, repetitions=3)
    seeds = [point.seed for point in points_of(study, 7)]
    assert seeds[:3] == seeds[3:] == [7, seed_of(7, 0, 1), seed_of(7, 0, 2)]
    assert len(set(seeds)) == 3
    nothing_varied = points_of(Study(repetitions=2), 0)
    assert len({p.seed for p in nothing_varied}) == 2


def test_the_normal_quantile_is_that_of_the_closed_form():
    study = Study(
        parameters={"a": Gaussian(mean=0, stddev=1)},
        sampling="random",
        samples=9,
    )
    shares = np.random.default_rng(5).random((9, 1))[:, 0]
    cdf = statistics.NormalDist().cdf
    found = [cdf(v) for (v,) in values_of(study, 5)]
    np.testing.assert_allclose(found, shares, rtol=1e-9)  # of the inversion


def study_with_table(tmp_path, table):
    (tmp_path / "t.csv").write_text(table)
    (tmp_path / "a.study.yaml").write_text(
        "table: t.csv\nparameters:\n  c: [1, 2]\n"
    )
    return load_study(tmp_path / "a.study.yaml")


def test_the_columns_of_a_table_vary_together(tmp_path):
    study = study_with_table(tmp_path, 'a.b,"x.""y z""[0]"\n1,p\n2.5,q\n')
    assert values_of(study) == [
        (1, 1, "p"), (1, 2.5, "q"), (2, 1, "p"), (2, 2.5, "q"),
    ]  # fmt: skip
    assert list(points_of(study, 0)[0].parameters) == [
        ("c",), ("a", "b"), ("x", "y z", 0),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("1,2\n3,4\n", "t.csv:1: no header: the first row has '1'"),
        ("", "t.csv:1: no header"),
        ("a,b\n", "no row of values below the header"),
        ("a,b\n1\n", "t.csv:2: 1 values; the header has 2"),
        ("a,a\n1,2\n", "a parameter is there twice"),
        ("c\n1\n", "a parameter is there twice"),
        ("a..b\n1\n", "t.csv:1: 'a..b' is not a path"),
    ],
)
def test_a_table_that_is_none_is_refused(tmp_path, table, message):
    with pytest.raises(InputError) as caught:
        points_of(study_with_table(tmp_path, table), 0)
    assert message in str(caught.value)


def test_a_table_that_is_a_pipe_is_not_waited_for(tmp_path):
    study = study_with_table(tmp_path, "a\n1\n")
    (tmp_path / "t.csv").unlink()
    os.mkfifo(tmp_path / "t.csv")
    with pytest.raises(InputError, match=r"1:1: table: .*t\.csv is a pipe or"):
        points_of(study, 0)


def test_a_table_that_is_missing_is_told_with_its_place(tmp_path):
    study = study_with_table(tmp_path, "a\n1\n")
    (tmp_path / "t.csv").unlink()
    with pytest.raises(
        InputError, match=r"a.study.yaml:1:1: table: cannot read"
    ):
        points_of(study, 0)


def test_more_runs_than_anybody_waits_for_are_refused():
    grid = Linear(0, 1, 2000)
    with pytest.raises(InputError, match="4,000,000 runs; at most 1,000,000"):
        points_of(Study(parameters={"a": grid, "b": grid}), 0)
