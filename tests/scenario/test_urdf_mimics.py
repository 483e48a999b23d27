"""Mimic joints that cannot be are told with their place."""

import pytest

from webmotor_drake.errors import InputError
from webmotor_drake.scenario.load import load_scenario
from webmotor_drake.simulation.diagram import assemble

LINK = """<link name="{name}"><inertial><mass value="1"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
"""
URDF = """<robot name="hand">
  <joint name="finger" type="revolute">
    <parent link="palm"/><child link="a"/>
    <limit effort="1" velocity="1" lower="-1" upper="1"/>
  </joint>
  <joint name="thumb" type="{kind}">
    <parent link="palm"/><child link="b"/>
    <limit effort="1" velocity="1" lower="-1" upper="1"/>
    <mimic joint="{target}"/>
  </joint>
"""
SCENARIO = """Hand:
  simulation_duration: 1
  plant_config: {time_step: 0.001}
  directives:
  - add_model: {name: hand, file: hand.urdf}
"""


@pytest.fixture
def hand(tmp_path):
    """Returns a function that assembles a hand of which the thumb mimics."""

    def build(kind: str, target: str, *, included: bool = False):
        links = "".join(LINK.format(name=name) for name in ("palm", "a", "b"))
        urdf = URDF.format(kind=kind, target=target) + links + "</robot>"
        (tmp_path / "hand.urdf").write_text(urdf)
        scenario = SCENARIO
        if included:
            model = f"{{name: hand, file: 'file://{tmp_path}/hand.urdf'}}"
            (tmp_path / "parts.yaml").write_text(
                f"directives:\n- add_model: {model}\n"
            )
            scenario = f"{SCENARIO.rpartition('  -')[0]}  - "
            scenario += "add_directives: {file: parts.yaml}\n"
        (tmp_path / "s.yaml").write_text(scenario)
        return assemble(load_scenario(tmp_path / "s.yaml"))

    return build


@pytest.mark.parametrize("included", [False, True])
@pytest.mark.parametrize(
    ("kind", "target", "told"),
    [
        ("fixed", "finger", "which has 0 DOF cannot mimic joint 'finger'"),
        ("revolute", "fingers", "joint 'fingers' which does not exist"),
    ],
)
def test_a_mimic_that_cannot_be_is_told_with_its_place(
    hand, tmp_path, kind, target, told, included
):
    with pytest.raises(InputError, match=told) as caught:
        hand(kind, target, included=included)
    assert f"{tmp_path / 'hand.urdf'}:" in str(caught.value)
    assert "Joint 'thumb'" in str(caught.value)


@pytest.mark.parametrize("included", [False, True])
def test_a_mimic_that_can_be_couples_the_joints(hand, included):
    plant = hand("revolute", "finger", included=included).plant
    assert plant.num_constraints() == 1
