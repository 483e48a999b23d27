import functools
import json
import math
import shutil
import sys
from pathlib import Path

import cost_gate
import fit
import learning
import memory
import peers
import performance_page
import pytest
import scaling
import start_up
import step_cost
import sweep
import told_apart
from _lib import chains, interleaved, moving_chains, ode_chain, report
from _lib.report import Table

# Whether the benchmarks run is tested, not how fast anything is.
TINY = {"rounds": 1, "seconds": 0.001}
needs_ode = pytest.mark.skipif(
    bool(ode_chain.missing()), reason="ODE is not installed"
)


@pytest.fixture(autouse=True)
def _hardly_settled(monkeypatch):
    monkeypatch.setattr(interleaved, "SETTLING_STEPS", 5)


@pytest.mark.slow
def test_step_cost_has_a_number_for_each_goal(monkeypatch, tmp_path):
    monkeypatch.setattr(step_cost, "LINKS", (1, 2, 3))
    monkeypatch.setattr(step_cost, "ROBOTS", 2)
    monkeypatch.setattr(step_cost, "QUICK", TINY)
    monkeypatch.setattr(step_cost, "SATURATED_LINKS", 2)
    monkeypatch.setattr(moving_chains, "LONGEST", 0.01)
    tables = written(step_cost.measure(quick=True), tmp_path)["tables"]
    for table in tables[:4]:
        assert set(table["goals"]) <= set(table["rows"])
        for name, row in table["rows"].items():
            # Only an extra that is not there leaves a gap.
            assert None not in row or "ODE" in name
    for table in tables[4:]:
        for row in table["rows"].values():
            assert all(isinstance(cell, str) or cell > 0 for cell in row)


@pytest.mark.slow
def test_learning_has_costs_and_rates(monkeypatch, tmp_path):
    monkeypatch.setattr(learning, "QUICK", TINY)
    monkeypatch.setattr(learning, "ROBOTS", (1, 2))
    monkeypatch.setattr(learning, "WORKER_STEPS", 20)
    monkeypatch.setattr(learning, "WALKING", (2,))
    monkeypatch.setattr(learning, "TURNS", 1)
    tables = written(learning.measure(quick=True), tmp_path)["tables"]
    for name, row in (r for t in tables for r in t["rows"].items()):
        assert "adds" in name or min(row) > 0


@pytest.mark.slow
def test_peers_have_a_cost_and_a_distance(monkeypatch, tmp_path):
    monkeypatch.setattr(peers, "LINKS", (1, 2))
    monkeypatch.setattr(peers, "QUICK", TINY)
    costs, far = written(peers.measure(quick=True), tmp_path)["tables"]
    assert min(costs["rows"][peers.OURS]) > 0
    for name, row in costs["rows"].items():
        installed = "not installed" not in row
        assert (name in far["rows"]) <= installed


def test_scaling_grows_robots_and_their_number(monkeypatch, tmp_path):
    monkeypatch.setattr(scaling, "QUICK", TINY)
    monkeypatch.setattr(scaling, "QUICK_JOINTS", (1, 2))
    one, *many = written(scaling.measure(quick=True), tmp_path)["tables"]
    assert list(one["rows"]) == ["n = 1", "n = 2"]
    assert [list(table["rows"]) for table in many] == [["m = 1", "m = 3"]] * 2


@pytest.mark.slow
def test_start_up_times_processes_and_imports(tmp_path):
    times, imports = written(start_up.measure(quick=True), tmp_path)["tables"]
    assert times["rows"][start_up.HELP][0] > 0
    assert times["rows"][start_up.RUN][0] > 0
    assert imports["rows"]["pydrake"][0] > 0


@pytest.mark.skipif(
    not Path("/proc/self/statm").exists(), reason="memory is read on Linux"
)
def test_memory_is_compared_between_a_short_and_a_long_run(
    monkeypatch, tmp_path
):
    for name, steps in {"FIRST": 50, "QUICK_STEPS": 100}.items():
        monkeypatch.setattr(memory, name, steps)
    tables = written(memory.measure(steps=100, quick=True), tmp_path)["tables"]
    ((ratio,),) = tables[0]["rows"].values()
    assert ratio > 0


@pytest.mark.slow
def test_fits_are_counted_by_the_truth_they_hold(monkeypatch, tmp_path):
    pytest.importorskip("scipy")
    # From near: how a search goes is not looked at.
    pairs = (fit.BOUNDS, fit.TRUE), (fit.PD_BOUNDS, fit.PD_TRUE)
    for bounds, truth in pairs:
        for name, true in zip(list(bounds), truth.values(), strict=True):
            monkeypatch.setitem(bounds, name, (*bounds[name][:2], 1.1 * true))
    assert set(fit.missed(fit.truth(), 1)) <= {0.0, 100.0}
    tables = fit.measure(repetitions=1, parts=["peers"])
    (peers_of_fit,) = written(tables, tmp_path)["tables"]
    truth, ours, theirs = peers_of_fit["rows"].values()
    # Noise of 1 mrad.
    assert ours[:3] == pytest.approx(truth[:3], rel=0.1)
    if not isinstance(theirs[0], str):
        # Held targets, where ours are averaged over each step.
        assert theirs[:3] == pytest.approx(truth[:3], rel=0.5)


@pytest.mark.slow
def test_a_sweep_keeps_its_pace(monkeypatch, tmp_path):
    """That it loses nothing when it is killed is tested beside its workers."""
    pytest.importorskip("joblib")
    monkeypatch.setattr(sweep, "PIECES", 2)
    tables = sweep.measure(runs=4, kills=1, quick=True, parts=["pace"])
    (pace,) = written(tables, tmp_path)["tables"]
    assert pace["rows"]["rows that are done, of all"] == [1]
    assert pace["rows"]["memory of a worker at the end, MiB"][0] > 0


@needs_ode
def test_odes_chain_moves_as_ours_does():
    links, steps = 2, 1000
    chain = ode_chain.OdeChain(links)
    chain.in_python()(steps)
    case, angles = peers.ours(links)
    case(steps)
    # ODE's world CFM softens its hinges too: 1e-5 rad at rest.
    assert chain.angles() == pytest.approx(angles(), abs=1e-4)
    assert chain.angles() == pytest.approx([chains.TARGET] * links, abs=1e-2)


@needs_ode
@pytest.mark.skipif(not shutil.which("cc"), reason="no C compiler")
def test_the_law_in_c_is_the_law_in_python():
    in_c, in_python = ode_chain.OdeChain(3), ode_chain.OdeChain(3)
    in_c.in_c()(200)
    in_python.in_python()(200)
    # A compiler may contract a product and a sum.
    assert in_c.angles() == pytest.approx(in_python.angles(), abs=1e-9)


@pytest.fixture
def gate(monkeypatch, tmp_path):
    """Runs the gate where a case is recorded at 1.0 and measured as given."""

    def run(*ratios: float, calls: float = 20.0) -> int:
        table = Table("", cost_gate.COLUMNS, {"ours": [1.0, 20.0]})
        monkeypatch.setattr(
            cost_gate, "FILE", report.write("x", [table], tmp_path / "x.json")
        )
        measured = iter(ratios)
        monkeypatch.setattr(cost_gate, "CASES", {"ours": [lambda: calls, None]})
        monkeypatch.setattr(cost_gate, "count_calls", lambda calls: calls)
        monkeypatch.setattr(
            cost_gate,
            "measure",
            lambda cases, _: {name: next(measured) for name in cases},
        )
        monkeypatch.setattr(sys, "argv", ["cost_gate.py"])
        return cost_gate.main()

    return run


def test_the_gate_fails_where_a_step_is_dearer_twice(gate, capsys):
    assert gate(1.19) == 0
    assert gate(1.21, 1.19) == 0
    assert not capsys.readouterr().err
    assert gate(1.21, 1.21) == 1
    assert capsys.readouterr().err == (
        "ours: dearer than 1.2 times what is recorded\n"
    )
    assert gate(math.nan, math.nan) == 1


def test_the_gate_fails_where_a_step_calls_more(gate, capsys):
    assert gate(1.0, calls=20.9) == 0
    assert not capsys.readouterr().err
    assert gate(1.0, calls=21.1) == 1
    assert capsys.readouterr().err == "ours: more calls than are recorded\n"


@pytest.mark.slow
def test_the_gate_has_each_case_recorded():
    few = {"rounds": 1, "seconds": 0.0, "settling": 0.0}
    found = cost_gate.measure(list(cost_gate.CASES), few)
    _, (table,) = report.read(cost_gate.FILE)
    assert list(found) == list(table.rows)
    assert min(found.values()) > 0
    make, _ = cost_gate.CASES["rover in contact"]
    _, calls = table.rows["rover in contact"]
    assert cost_gate.count_calls(make()) == pytest.approx(calls, rel=0.05)


def test_a_table_shows_goals_beside_numbers():
    table = Table("µs", ["n = 1", "n = 7"], {"ours": [1.234, None]})
    table.rows["theirs"] = [123.4, "not installed"]
    table.goals["ours"] = [2.0, None]
    assert str(table).splitlines() == [
        "µs            n = 1          n = 7",
        "----------------------------------",
        "ours    1.23 (<= 2)              -",
        "theirs          123  not installed",
    ]


def test_the_page_has_a_place_for_all_results_that_are_kept():
    page = performance_page.PAGE.read_text(encoding="utf-8")
    kept = {file.stem for file in report.RESULTS.glob("*.json")}
    marks = {found[2] for found in performance_page.BLOCK.finditer(page)}
    # step_cost has what counts of memory and controller_cost.
    assert marks == kept - {"memory", "controller_cost"}


def test_tables_fill_their_marks_and_leave_the_text(tmp_path):
    report.write(
        "one", [Table("µs", ["n"], {"a": [2.0]})], tmp_path / "one.json"
    )
    page = "before\n<!-- one -->\nold\n<!-- end -->\nafter\n"
    filled = performance_page.filled(page, tmp_path)
    assert filled.startswith("before\n<!-- one -->\n\n| µs | n |\n")
    assert "| a | 2.00 |" in filled and "old" not in filled
    assert filled.endswith("<!-- end -->\nafter\n")
    assert performance_page.filled(filled, tmp_path) == filled


def written(tables: list[Table], folder: Path) -> dict:
    """Returns what a benchmark's JSON file holds."""
    path = report.write("name", tables, folder / "name.json")
    content = json.loads(path.read_text(encoding="utf-8"))
    assert content["machine"]["cores"] >= 1
    assert {"python", "drake", "numpy"} <= set(content["versions"])
    return content


@pytest.mark.slow
def test_logs_that_are_told_apart_are_kept_and_not_done_again(
    monkeypatch, tmp_path
):
    monkeypatch.setattr(told_apart, "DISTINCT", ["ideal", "pd"])
    # The two are so far apart that a search may stop early.
    few = functools.partial(told_apart.FitSettings, max_iterations=1)
    monkeypatch.setattr(told_apart, "FitSettings", few)
    found = tmp_path / "found.jsonl"
    table = told_apart.measure(logs=1, models=["pd"], found=found)
    assert table.rows["pd"] == [0, 1, 1, 0]
    monkeypatch.setattr(told_apart, "ranks", None)
    again = told_apart.measure(logs=1, models=["pd"], found=found)
    assert again.rows == table.rows
