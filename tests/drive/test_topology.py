"""Which bodies of a plant hang together."""

import numpy as np
import pytest
from _lib.plants import (
    MODEL,
    add_body,
    add_joint,
    new_plant,
)
from pydrake.math import RigidTransform
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import WeldJoint

from webmotor_drake.drive.topology import trees, velocities, welded_groups


def forest() -> MultibodyPlant:
    """Returns two trees on the world and one that floats, not finalized.

    On the world: a with b on it, c welded to b; d. Floating: e with f on it.
    """
    plant = new_plant(0.001)
    a, b, c, d, e, f = (add_body(plant, name) for name in "abcdef")
    add_joint(plant, "world_a", a)
    add_joint(plant, "a_b", b, parent=a)
    plant.WeldFrames(b.body_frame(), c.body_frame())
    add_joint(plant, "world_d", d, sliding=True)
    add_joint(plant, "e_f", f, parent=e)
    return plant


def names(plant: MultibodyPlant, *joints: str) -> tuple[set, set]:
    """Returns joints and bodies of the trees with `joints`, by name.

    Joints that Drake adds and welds are left out.
    """
    indices, bodies = trees(plant, map(plant.GetJointByName, joints))
    moving = (plant.get_joint(index) for index in indices)
    return (
        {
            joint.name()
            for joint in moving
            if joint.num_velocities() == 1 and joint.type_name() != "weld"
        },
        {plant.get_body(index).name() for index in bodies},
    )


@pytest.mark.parametrize("finalized", [False, True])
@pytest.mark.parametrize(
    ("joint", "others", "bodies"),
    [
        ("world_a", {"world_a", "a_b"}, {"a", "b", "c"}),
        ("a_b", {"world_a", "a_b"}, {"a", "b", "c"}),
        ("world_d", {"world_d"}, {"d"}),
        ("e_f", {"e_f"}, {"e", "f"}),
    ],
)
def test_a_tree_ends_at_the_world(finalized, joint, others, bodies):
    plant = forest()
    if finalized:
        plant.Finalize()
    assert names(plant, joint) == (others, bodies)


def test_several_trees_are_found_together_and_none_for_no_joint():
    plant = forest()
    assert names(plant, "a_b", "world_d") == (
        {"world_a", "a_b", "world_d"},
        {"a", "b", "c", "d"},
    )
    assert trees(plant, []) == (set(), set())


def test_velocities_of_a_floating_tree_include_those_of_its_base():
    plant = forest()
    plant.Finalize()
    joint = plant.GetJointByName("e_f")
    found = velocities(plant, trees(plant, [joint])[0])
    assert len(found) == 6 + 1
    assert found == sorted(found)
    assert joint.velocity_start() in found
    base = plant.GetBodyByName("e").floating_velocities_start_in_v()
    assert set(range(base, base + 6)) < set(found)


def test_velocities_of_a_tree_on_the_world_are_those_of_its_joints():
    plant = forest()
    plant.Finalize()
    joint = plant.GetJointByName("world_a")
    np.testing.assert_array_equal(
        velocities(plant, trees(plant, [joint])[0]),
        sorted(
            plant.GetJointByName(name).velocity_start()
            for name in ("world_a", "a_b")
        ),
    )


def test_welds_join_bodies_to_groups_in_whatever_order_they_come():
    plant = new_plant(0.001)
    bodies = {name: add_body(plant, name) for name in "abcdef"}

    def weld(parent: str, child: str):
        plant.AddJoint(
            WeldJoint(
                f"{parent}{child}",
                bodies[parent].body_frame(),
                bodies[child].body_frame(),
                RigidTransform(),
            )
        )

    weld("a", "b")
    weld("c", "d")
    weld("b", "c")
    plant.WeldFrames(plant.world_frame(), bodies["e"].body_frame())
    group = welded_groups(plant)
    of = {name: group[body.index()] for name, body in bodies.items()}
    assert len({of[name] for name in "abcd"}) == 1
    assert of["e"] == group[plant.world_body().index()]
    assert len({of["a"], of["e"], of["f"]}) == 3


def test_a_model_instance_is_no_border():
    plant = new_plant(0.001)
    plant.AddModelInstance("tool")
    arm = add_body(plant, "arm")
    tool = add_body(plant, "blade", model="tool")
    add_joint(plant, "shoulder", arm)
    add_joint(plant, "twist", tool, parent=arm)
    assert plant.GetModelInstanceName(tool.model_instance()) != MODEL
    assert names(plant, "shoulder")[1] == {"arm", "blade"}
