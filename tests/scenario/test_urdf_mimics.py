"""Mimic joints that cannot be are told with their place and their cure."""

import pytest

from webmotor_drake.errors import InputError
from webmotor_drake.loading import load_scenario
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
    {mimic}
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

    def build(
        kind: str,
        target: str,
        *,
        included: bool = False,
        ending: str = "urdf",
        mimic: str = '<mimic joint="{}"/>',
    ):
        links = "".join(LINK.format(name=name) for name in ("palm", "a", "b"))
        urdf = URDF.format(kind=kind, mimic=mimic.format(target))
        urdf += links + "</robot>"
        (tmp_path / f"hand.{ending}").write_text(urdf)
        scenario = SCENARIO.replace("hand.urdf", f"hand.{ending}")
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


UNKNOWN = (
    "joint 'thumb' mimics an unknown joint 'fingers'; did you mean finger? (known:"
    " finger, thumb); name one that is there, or take the mimic element out of the"
    " file"
)


@pytest.mark.parametrize("included", [False, True])
def test_a_mimic_of_no_joint_is_told_with_its_cure(hand, tmp_path, included):
    with pytest.raises(InputError) as caught:
        hand("revolute", "fingers", included=included)
    assert str(caught.value) == f"{tmp_path / 'hand.urdf'}:9:5: {UNKNOWN}"


@pytest.mark.parametrize("ending", ["urdf", "URDF"])
@pytest.mark.parametrize("target", ["finger", "nothing"])
def test_a_fixed_joint_mimics_nothing(hand, target, ending):
    plant = hand("fixed", target, ending=ending).plant
    assert plant.num_constraints() == 0
    assert plant.GetJointByName("thumb").num_positions() == 0


@pytest.mark.parametrize(
    "mimic",
    ['<mimic joint="{}"></mimic>', "<mimic\n joint='{}'\n>\n</mimic >"],
)
def test_a_mimic_of_a_fixed_joint_may_have_an_end_tag(hand, mimic):
    plant = hand("fixed", "finger", mimic=mimic).plant
    assert plant.num_constraints() == 0


@pytest.mark.parametrize("included", [False, True])
def test_a_mimic_that_can_be_couples_the_joints(hand, included):
    plant = hand("revolute", "finger", included=included).plant
    assert plant.num_constraints() == 1
