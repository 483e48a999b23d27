"""Numbers of a plant's state have names."""

from _lib.plants import (
    MODEL,
    add_body,
    add_joint,
    new_plant,
)

from webmotor_drake.simulation.failure import state_name


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
