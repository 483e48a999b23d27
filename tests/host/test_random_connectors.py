"""Random lives of Connectors end nowhere, and twice the same."""

import numpy as np
import pytest
from drawn import draws

import webmotor_drake as wm
from webmotor_drake.robot import RobotSession

pytestmark = pytest.mark.filterwarnings("ignore::webmotor_drake.MotorWarning")

# Two links on a hinge, with Connectors on both.
ROBOT = """<robot name="r">
<link name="a"><inertial><mass value="1"/><inertia ixx="0.005" iyy="0.005"
  izz="0.005" ixy="0" ixz="0" iyz="0"/></inertial>
  <collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision></link>
<link name="b"><inertial><mass value="0.5"/><inertia ixx="0.003" iyy="0.003"
  izz="0.003" ixy="0" ixz="0" iyz="0"/></inertial>
  <collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision></link>
<joint name="h" type="revolute"><parent link="a"/><child link="b"/>
  <origin xyz="0.12 0 0"/><axis xyz="0 0 1"/>
  <limit lower="-2" upper="2" effort="5" velocity="10"/></joint></robot>
"""
NAMES = ("r0", "r1", "r2")


def scenario_of(folder, random):
    """Returns three robots near each other, and a Connector on the world."""
    (folder / "r.urdf").write_text(ROBOT)
    directives, drivers = [], []
    for i, name in enumerate(NAMES):
        place = [0.3 * i, float(random.uniform(-0.02, 0.02)), 0.05]
        directives.append(
            f"  - add_model: {{name: {name}, file: {folder}/r.urdf,\n"
            f"      default_free_body_pose: {{a: {{translation: {place}}}}}}}"
        )

        def connector(frame, x, turn, snap):
            strength = random.choice([-1, 5, 50])
            return (
                f"!Connector {{frame: {frame}, pose: {{translation: [{x}, 0, 0],"
                f" rotation: [0, 0, 1, {turn}]}}, distance_tolerance:"
                f" {random.choice([0.02, 0.3])}, axis_tolerance: 1, auto_lock:"
                f" {str(bool(random.integers(2))).lower()}, is_locked:"
                f" {str(bool(random.integers(2))).lower()}, snap: {snap},"
                f" tensile_strength: {strength}, shear_strength: {strength},"
                f" number_of_rotations: {random.choice([0, 1, 4])}}}"
            )

        drivers.append(
            f"    {name}: !WebotsMotorDriver\n"
            f"      supervisor: {str(i == 0).lower()}\n"
            "      motors: {m: !RotationalMotor {joint: h}}\n"
            "      devices:\n"
            f"        front: {connector('b', 0.05, 0, 'true')}\n"
            f"        back: {connector('a', -0.05, 3.14159265, 'false')}\n"
            f"        wall: {connector('world', 0.3 * i, 1.5, 'true')}"
        )
    file = folder / "r.scenario.yaml"
    file.write_text(
        "W:\n  plant_config: {time_step: 0.008}\n  simulation_duration: 100\n"
        "  directives:\n" + "\n".join(directives) + "\n"
        "  - add_model: {name: floor, file:"
        " package://webmotor_models/ground.urdf}\n"
        "  - add_weld: {parent: world, child: floor::ground}\n"
        "  model_drivers:\n" + "\n".join(drivers) + "\n"
    )
    return wm.load_scenario(file)


def live(scenario, seed):
    """Returns where a random life ends, and what the Connectors told."""
    random, told = np.random.default_rng([seed, 1]), []
    with RobotSession(scenario) as session:
        boss = session.supervisor("r0")
        robots = {n: boss if n == "r0" else session.robot(n) for n in NAMES}
        devices = [
            robots[name].getDevice(which)
            for name in NAMES
            for which in ("front", "back", "wall")
        ]
        for device in devices:
            device.enablePresence(8)
        for _ in range(16):
            device = devices[random.integers(len(devices))]
            name = NAMES[random.integers(3)]
            match random.integers(6):
                case 0 | 1:
                    device.lock()
                case 2:
                    device.unlock()
                case 3:
                    motor = robots[name].getDevice("m")
                    motor.setPosition(float(random.uniform(-1, 1)))
                case 4:
                    push = random.uniform(-30, 30, 3).tolist()
                    boss.getFromDef(name).addForce(push, False)
                case 5:
                    if random.random() < 0.3:
                        boss.simulationReset()
            session.step(int(random.choice([8, 24, 80])))
            told.append([device.getPresence() for device in devices])
        places = [boss.getFromDef(n).getPosition() for n in NAMES]
    return places, told


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(draws(2, 40)))
def test_a_random_life_ends_the_same_twice(tmp_path, seed):
    scenario = scenario_of(tmp_path, np.random.default_rng([seed, 0]))
    places, told = live(scenario, seed)
    assert np.isfinite(places).all()
    assert (places, told) == live(scenario, seed)
