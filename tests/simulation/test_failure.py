"""Numbers of a plant's state have names, and what spins up has a cause."""

import pytest
from _lib.plants import (
    MODEL,
    add_body,
    add_joint,
    new_plant,
)

from webmotor_drake.errors import SimulationError
from webmotor_drake.loading import load_scenario
from webmotor_drake.simulation.failure import state_name
from webmotor_drake.simulation.simulation import Simulation


def test_each_number_is_of_a_joint_or_a_free_body():
    plant = new_plant(0.008)
    add_joint(plant, "hinge", add_body(plant, "link"))
    add_body(plant, "ball")
    plant.Finalize()
    # The joint, then a quaternion and a place; its speed, then six more.
    joint = plant.GetJointByName("hinge")
    names = [state_name(plant, i) for i in range(1 + 7 + 1 + 6)]
    hinge = f"of joint hinge of model {MODEL}"
    ball = f"of body ball of model {MODEL}"
    velocity = 8 + joint.velocity_start()
    assert names[joint.position_start()] == f"position {hinge}"
    assert names[velocity] == f"velocity {hinge}"
    assert names.count(f"position {ball}") == 7
    assert names.count(f"velocity {ball}") == 6


def test_what_spins_up_by_drakes_gyroscopic_term_says_so(tmp_path):
    inertia = 'ixx="5e-4" iyy="5e-4" izz="5e-5" ixy="0" ixz="0" iyz="0"'
    (tmp_path / "rod.urdf").write_text(
        '<robot name="rod"><link name="rod"><inertial><mass value="0.5"/>'
        f"<inertia {inertia}/></inertial></link></robot>"
    )
    file = tmp_path / "spin.scenario.yaml"
    file.write_text(
        "Spin:\n  simulation_duration: 2\n  plant_config: {time_step: 0.008}\n"
        "  directives:\n  - add_model: {name: rod, file: rod.urdf}\n"
    )
    simulation = Simulation(load_scenario(file))
    plant, root = simulation.plant, simulation.simulator.get_mutable_context()
    context = plant.GetMyMutableContextFromRoot(root)
    plant.SetVelocities(context, [200.0, 0, 300, 0, 0, 0])
    with pytest.raises(SimulationError, match=r"body rod .* gyroscopic term"):
        simulation.run()
