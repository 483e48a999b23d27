"""Loops, tracks, propellers and suspensions of a world, against closed forms."""

import numpy as np
import pytest
from pydrake.multibody.plant import MultibodyPlant

from webmotor_drake.loading import load_scenario
from webmotor_drake.simulation.simulation import Simulation

pytestmark = pytest.mark.filterwarnings("ignore::webmotor_drake.MotorWarning")

# A car of 1 kg on a guide, whose wheel hangs on a spring; a rocket on a guide; a
# parallelogram; a conveyor with a box on it, which tips as it starts and would hop.
WORLD = """#VRML_SIM R2023b utf8
WorldInfo {{ basicTimeStep {step} contactProperties ContactProperties {{ bounce 0 }} }}
Robot {{
  name "axle" translation 0 0 5 controller "<none>"
  children Hinge2Joint {{
    jointParameters HingeJointParameters {{ axis 0 0 1 suspensionAxis 0 0 1
      suspensionSpringConstant 200 suspensionDampingConstant 20 }}
    jointParameters2 JointParameters {{ axis 0 1 0 }}
    endPoint Solid {{ name "wheel" boundingObject Sphere {{ radius 0.1 }}
      physics Physics {{ density -1 mass 2 }} }}
  }}
}}
Robot {{
  name "rocket" translation 5 0 5 controller "<none>"
  children SliderJoint {{
    jointParameters JointParameters {{ axis 0 0 1 }}
    device PositionSensor {{ name "height" }}
    endPoint Solid {{ name "body" boundingObject Sphere {{ radius 0.1 }}
      physics Physics {{ density -1 mass 2 }}
      children Propeller {{ shaftAxis 0 0 1 thrustConstants 0.02 0
        torqueConstants 0 0 device RotationalMotor {{ name "rotor" maxVelocity 100
        maxTorque 1e5 }} slowHelix Solid {{ }} }} }}
  }}
}}
Robot {{
  name "bars" translation 0 5 5 controller "<none>"
  children [
    HingeJoint {{
      jointParameters HingeJointParameters {{ axis 0 1 0 }}
      device RotationalMotor {{ name "crank" maxTorque 100 }}
      endPoint Solid {{
        name "first" translation 0 0 -0.1
        boundingObject Box {{ size 0.02 0.02 0.2 }}
        physics Physics {{ density -1 mass 0.1 }}
        children HingeJoint {{
          jointParameters HingeJointParameters {{ axis 0 1 0 anchor 0 0 -0.1 }}
          endPoint Solid {{
            name "coupler" translation 0.15 0 -0.1
            boundingObject Box {{ size 0.3 0.02 0.02 }}
            physics Physics {{ density -1 mass 0.1 }}
            children HingeJoint {{
              jointParameters HingeJointParameters {{ axis 0 1 0 anchor 0.15 0 0 }}
              endPoint SolidReference {{ solidName "second" }}
            }}
          }}
        }}
      }}
    }}
    HingeJoint {{
      jointParameters HingeJointParameters {{ axis 0 1 0 anchor 0.3 0 0 }}
      device PositionSensor {{ name "rocker" }}
      endPoint Solid {{
        name "second" translation 0.3 0 -0.1
        boundingObject Box {{ size 0.02 0.02 0.2 }}
        physics Physics {{ density -1 mass 0.1 }}
      }}
    }}
  ]
}}
Robot {{
  name "conveyor" translation 0 -5 0 controller "<none>"
  children Track {{ name "belt" boundingObject Box {{ size 4 1 0.2 }}
    device LinearMotor {{ name "belt motor" maxVelocity 1 maxForce 1000 }} }}
}}
Solid {{ name "box" translation -1 -5 0.15 boundingObject Box {{ size 0.1 0.1 0.1 }}
  physics Physics {{ }} }}
"""
COMMANDS = """{
  simulation_duration: 1.92,
  model_drivers: {
    rocket: !WebotsMotorDriver {commands: [
      {time: 0, motor: rotor, set_position: .inf, set_velocity: 40}]},
    bars: !WebotsMotorDriver {commands: [
      {time: 0, motor: crank, set_position: 0.5}]},
    conveyor: !WebotsMotorDriver {commands: [
      {time: 0, motor: belt motor, set_position: .inf, set_velocity: 0.5}]}}}"""


@pytest.mark.parametrize("step", [8, 16, 32])
def test_what_carries_in_a_world_does_what_its_equations_say(tmp_path, step):
    file = tmp_path / "w.wbt"
    file.write_text(WORLD.format(step=step))
    scenario = load_scenario(file, text=COMMANDS)
    simulation = Simulation(scenario)
    simulation.run()
    plant = simulation.plant
    context = plant.GetMyContextFromRoot(simulation.simulator.get_context())

    def body(name):
        return plant.EvalBodyPoseInWorld(context, plant.GetBodyByName(name))

    # m g / k = 98.1 mm, and 0.1 % for the hub that Drake needs.
    sunk = 5 - body("wheel").translation()[2]
    assert sunk == pytest.approx(2 * 9.81 / 200, rel=2e-3)
    # F = 0.02 w |w| = 32 N on 2 kg; a motor period before it turns, and the fall then.
    height = body("body").translation()[2] - 5
    free = (32 / 2 - 9.81) / 2
    late = 1.92 - np.sqrt(height / free)
    assert 0 <= late < 2.1 * max(step, 8) / 1000
    # Both bars of a parallelogram turn alike.
    crank, rocker = (
        plant.GetJointByName(f"{name} hinge").get_angle(context)
        for name in ("first", "second")
    )
    assert crank == pytest.approx(0.5, abs=1e-5)
    assert rocker == pytest.approx(crank, abs=1e-4)
    if hasattr(MultibodyPlant, "SetSurfaceVelocityAxis"):
        # Friction 1 brings the box to 0.5 m/s in 51 ms.
        place = body("box").translation()[0]
        assert place == pytest.approx(-1 + 0.5 * (1.92 - 0.0255), abs=0.02)
