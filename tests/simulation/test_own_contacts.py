"""Shapes of a robot that come to push each other in motion are told at the end."""

import numpy as np
import pytest

import webmotor_drake as wm

# A slider that reaches a box of its own base after 0.2 m.
URDF = """<robot name="slider">
  <link name="base">
    <inertial><mass value="1"/>
      <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
    <collision><origin xyz="0.4 0 0"/>
      <geometry><sphere radius="0.1"/></geometry></collision>
  </link>
  <link name="middle">
    <inertial><mass value="0.1"/>
      <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
  </link>
  <link name="carriage">
    <inertial><mass value="1"/>
      <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
    <collision><geometry><sphere radius="0.1"/></geometry></collision>
  </link>
  <joint name="still" type="fixed"><parent link="base"/><child link="middle"/>
  </joint>
  <joint name="slide" type="prismatic">
    <parent link="middle"/><child link="carriage"/>
    <axis xyz="1 0 0"/><limit lower="-2" upper="2" effort="100" velocity="9"/>
  </joint>
</robot>
"""
TEXT = """\
Slider:
  simulation_duration: 0.8
  plant_config: {{time_step: 0.004, contact_model: {model}}}
  directives:
  - add_model: {{name: arm, file: slider.urdf}}
  - add_weld: {{parent: world, child: "arm::base"}}
  model_drivers:
    arm: !WebotsMotorDriver
      {said}
      motors:
        m: !LinearMotor {{joint: slide, max_force: 30}}
      commands:
      - {{time: 0, motor: m, set_velocity: 0.5}}
      - {{time: 0, motor: m, set_position: {target}}}
"""


@pytest.fixture
def slider(tmp_path):
    """Returns what loads the slider."""
    (tmp_path / "slider.urdf").write_text(URDF)

    def load(said="", target=0.5, model="point"):
        file = tmp_path / "slider.yaml"
        file.write_text(TEXT.format(said=said, target=target, model=model))
        return wm.load_scenario(file)

    return load


@pytest.mark.parametrize("model", ["point", "hydroelastic_with_fallback"])
def test_what_came_to_push_is_told_once_with_since_when_and_how_hard(
    slider, model
):
    with pytest.warns(wm.MotorWarning) as caught:
        results = wm.run(slider(model=model))
    (told,) = [w for w in map(str, (w.message for w in caught)) if "own" in w]
    assert told.startswith(
        "arm: its own shapes have touched in motion: base and carriage from 0."
    )
    assert told.endswith(
        "self_collision: false in the driver prevents it, true keeps it"
    )
    assert told in results.metadata["warnings"]
    (contact,) = results.metadata["own_contacts"]["arm"]
    assert contact["bodies"] == ["base", "carriage"]
    # They touch 0.2 m from the start; a look is taken every 4 ms.
    touched = results.time[np.argmax(results["arm/m/position"] >= 0.2)]
    assert contact["since"] == pytest.approx(touched, abs=0.008)
    # At rest the motor pushes with all it has: 30 N.
    assert contact["force"] >= 29
    deepest = results["arm/m/position"].max() - 0.2
    assert contact["depth"] == pytest.approx(deepest, abs=1e-6)


@pytest.mark.parametrize(
    "quiet",
    [
        {"target": 0.15},
        {"said": "self_collision: true"},
        {"said": "self_collision: false"},
    ],
)
def test_nothing_is_told_where_nothing_touches_or_it_is_wanted(slider, quiet):
    results = wm.run(slider(**quiet))
    assert "own_contacts" not in results.metadata
    assert not any("own" in text for text in results.metadata["warnings"])


def test_what_overlaps_from_the_start_is_told_there_only(slider):
    scenario = slider()
    scenario.initial_position = {"arm": {"slide": np.array([0.21])}}
    with pytest.warns(wm.MotorWarning) as caught:
        results = wm.run(scenario)
    texts = [str(w.message) for w in caught]
    assert any("overlap at the start" in text for text in texts)
    assert not any("touched in motion" in text for text in texts)
    assert "own_contacts" not in results.metadata


def test_a_session_tells_when_it_closes(slider):
    with (
        pytest.warns(wm.MotorWarning, match="touched in motion"),
        wm.RobotSession(slider()) as session,
    ):
        while session.step(4) != -1:
            pass
        (contact,) = session.results().metadata["own_contacts"]["arm"]
    assert contact["force"] >= 29


def test_to_look_changes_no_bit(slider):
    watched = wm.run(slider())
    unwatched = wm.run(slider(said="self_collision: true"))
    for name, values in watched.signals.items():
        assert np.array_equal(values, unwatched[name], equal_nan=True)
