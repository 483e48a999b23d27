"""All fields of a world's nodes, over the wire and in process."""

import pytest
from connected import connected
from written_fields import every_field, wrong_in

from webmotor_drake.loading import load_scenario

pytestmark = pytest.mark.filterwarnings("ignore::webmotor_drake.MotorWarning")


@pytest.mark.slow
@pytest.mark.parametrize("has_protos", [False, True])
def test_every_field_of_every_node_reads_back(tmp_path, has_protos):
    world, found = every_field(tmp_path)
    scenario = load_scenario(world, text="{simulation_duration: 1}")
    read = {}

    def plain(value):
        return list(value) if isinstance(value, tuple) else value

    def value(client, node, name):
        count = client.field(node, name)[3]
        if count == -1:
            return plain(client.get(node, name))
        return [plain(client.get(node, name, k)) for k in range(count)]

    def control(client):
        client.has_protos = has_protos
        for kind, written in found.items():
            node = client.from_def(f"{kind}_")
            assert node, kind
            read[kind] = {n: value(client, node, n) for n in written.values}
        client.clean_up()

    ((robot, driver),) = scenario.model_drivers.items()
    driver.synchronization = True  # else it is over before all is asked
    assert not connected(scenario, **{robot: control}).errors
    assert wrong_in(found, read) == []
