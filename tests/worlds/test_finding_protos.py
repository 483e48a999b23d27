"""Where PROTOs are found: the project, --proto_path, WEBOTS_HOME, and licences."""

import pytest
from mechanisms import warnings_of
from world_files import HEAD, plant_of, world_file

from webmotor_drake.cli.main import main
from webmotor_drake.errors import InputError, MotorWarning
from webmotor_drake.loading import load_scenario, report_of
from webmotor_drake.worlds.imported import import_world
from webmotor_drake.worlds.project import Options

pytestmark = pytest.mark.filterwarnings("ignore::webmotor_drake.MotorWarning")

WEB = "https://raw.githubusercontent.com/cyberbotics/webots/R2023b/"
BELOW = "projects/robots/acme/protos/Cart.proto"
ONLY = "# license: Copyright Somebody. Licensed for use only with Webots.\n"


def cart(mass, licence="# license: Apache License 2.0\n"):
    return (
        f"{HEAD}{licence}PROTO Cart [ field SFVec3f translation 0 0 0 ] {{"
        ' Robot { translation IS translation name "cart"'
        " boundingObject Box { size 1 1 1 }"
        f" physics Physics {{ density -1 mass {mass} }} }} }}\n"
    )


def put(folder, text, below=BELOW):
    file = folder / below
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


@pytest.fixture
def world(tmp_path):
    text = f'EXTERNPROTO "{WEB}{BELOW}"\nCart {{ }}\n'
    return world_file(tmp_path, text)


def mass_of(world, **options):
    plant, _, _ = plant_of(world, options=Options(**options))
    return plant.GetBodyByName("cart").default_mass()


def test_a_robot_of_webots_is_found_below_a_proto_path(world, tmp_path):
    with pytest.raises(InputError, match=r"3:1: Cart: .* --proto_path DIR"):
        load_scenario(world)
    put(tmp_path / "webots", cart(2))
    assert mass_of(world, proto_paths=(tmp_path / "webots",)) == 2
    # By its name wherever it is, too; the first folder wins.
    put(tmp_path / "others", cart(3), "deep/Cart.proto")
    assert mass_of(world, proto_paths=(tmp_path / "others",)) == 3
    both = (tmp_path / "others", tmp_path / "webots")
    assert mass_of(world, proto_paths=both) == 2  # its own place counts more


def test_a_robot_of_webots_is_found_in_webots_home(
    world, tmp_path, monkeypatch
):
    put(tmp_path / "home", cart(4))
    monkeypatch.setenv("WEBOTS_HOME", str(tmp_path / "home"))
    assert mass_of(world) == 4
    put(tmp_path / "mine", cart(5))
    assert mass_of(world, proto_paths=(tmp_path / "mine",)) == 5


def test_a_file_for_webots_only_is_read_if_the_user_answers_for_it(
    world, tmp_path
):
    put(tmp_path / "webots", cart(6, ONLY))
    paths = (tmp_path / "webots",)
    with pytest.raises(InputError, match="Cart.* allows Webots only.*--allow"):
        load_scenario(world, options=Options(proto_paths=paths))
    assert mass_of(world, proto_paths=paths, allow_webots_assets=True) == 6


def test_a_projects_copy_for_webots_only_gives_way_to_our_own(tmp_path):
    put(
        tmp_path,
        f'{HEAD}{ONLY}PROTO Floor [ ] {{ Solid {{ name "theirs" }} }}',
        "protos/Floor.proto",
    )
    world = world_file(
        tmp_path, 'EXTERNPROTO "../protos/Floor.proto"\nFloor { }'
    )
    scenario = load_scenario(world)
    entries = {e.kind: e.name for e in report_of(scenario).entries}
    assert entries["replaced"] == entries["note"] == "Floor"
    own = load_scenario(world, options=Options(allow_webots_assets=True))
    assert not report_of(own).of_kind("replaced")


def test_the_command_line_has_the_same_options(world, tmp_path, capsys):
    put(tmp_path / "webots", cart(6, ONLY))
    assert main(["check", str(world)]) == 2
    found = ["--proto_path", str(tmp_path / "webots"), "--allow_webots_assets"]
    assert main(["check", str(world), *found]) == 0
    assert main(["check", str(world), "--without", "Cart"]) == 0
    told = capsys.readouterr().out
    assert "left out: " in told
    assert "Cart: left out, as was asked for" in told


def test_a_run_is_replayed_with_the_options_that_it_had(
    world, tmp_path, monkeypatch
):
    import webmotor_drake as wm
    from webmotor_drake.view.replay import scenario_of

    monkeypatch.chdir(tmp_path)
    put(tmp_path / "webots", cart(6, ONLY))
    options = Options(
        proto_paths=(tmp_path / "webots",), allow_webots_assets=True
    )
    text = "{simulation_duration: 0.032}"
    results = wm.run(load_scenario(world, text=text, options=options))
    again = scenario_of(results)
    assert list(again.model_drivers) == ["cart"]
    plain = world_file(tmp_path, "Solid { }")
    results = wm.run(load_scenario(plain, text=text))
    assert "world_options" not in results.metadata


def test_a_proto_from_outside_of_the_project_is_told(tmp_path):
    other = tmp_path / "x" / "y" / "z"
    put(other, cart(4), "Cart.proto")
    project = tmp_path / "a" / "b" / "c"
    project.mkdir(parents=True)
    for name in (other / "Cart.proto", "../../../../x/y/z/Cart.proto"):
        text = f'EXTERNPROTO "{name}"\nCart {{ }}\n'
        world = world_file(project, text)
        with pytest.warns(
            MotorWarning, match="Cart.proto, outside of its proj"
        ):
            assert mass_of(world) == 4
        options = Options(proto_paths=(other,))
        told = warnings_of(import_world, world, options)[1]
        assert not any("outside" in line for line in told)


CARS = "projects/vehicles/protos/acme/AcmeCar.proto"


def test_a_vehicle_with_a_controller_is_a_robot_and_one_without_stands_there(
    tmp_path,
):
    head = f'EXTERNPROTO "{WEB}{CARS}"\n'
    parked = 'AcmeCar { name "parked" controller "<none>" }'
    file = world_file(tmp_path, f'{head}Robot {{ name "r" }} {parked}')
    assert "AcmeCar" in str(report_of(load_scenario(file)).of_kind("left out"))
    file = world_file(tmp_path, f'{head}AcmeCar {{ controller "drive" }}')
    with pytest.raises(InputError, match="AcmeCar: a robot or a device: a PRO"):
        load_scenario(file)
