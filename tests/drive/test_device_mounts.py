"""Devices are mounted on their robot's frames, or in the world."""

from _lib.plants import add_body, add_joint, new_plant

from webmotor_drake.drive.device_mounts import find_mounts
from webmotor_drake.nodes import GPS


def test_a_device_without_a_frame_is_on_the_first_body_and_world_is_the_world():
    plant = new_plant(0.001)
    add_joint(plant, "hinge", add_body(plant, "link"))
    plant.Finalize()
    instance = plant.GetBodyByName("link").model_instance()
    devices = {"own": GPS(), "there": GPS(frame="world")}
    mounts = find_mounts(plant, instance, devices)
    assert mounts["own"].body.name() == "link"
    assert mounts["there"].body.index() == plant.world_body().index()
    assert mounts["there"].robot == instance
