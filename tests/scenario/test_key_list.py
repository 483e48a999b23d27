"""Lists of keys: what is down when, and where a file is wrong."""

import pytest

import webmotor_drake as wm
from webmotor_drake.controllers.devices.keyboard import Keyboard
from webmotor_drake.runner import ready
from webmotor_drake.scenario.key_list import MODIFIERS, NAMED, load_keys


@pytest.fixture
def keys(tmp_path):
    """Returns what reads a list of keys from a text."""

    def read(text):
        file = tmp_path / "drive.keys"
        file.write_text(text)
        return load_keys(file)

    return read


def test_keys_are_down_from_their_time_until_the_next(keys):
    found = keys("# drive\n0.5 UP\n\n1.0 UP left # both\n2.0 none\n")
    assert found(0.49) == []
    assert found(0.5) == [NAMED["UP"]]
    assert found(1.999) == [NAMED["UP"], NAMED["LEFT"]]
    assert found(2.0) == found(99.0) == []


@pytest.mark.parametrize(
    ("word", "key"),
    [
        ("a", ord("A")),
        ("Z", ord("Z")),
        ("+", ord("+")),
        ("SHIFT++", 0x10000 + ord("+")),
        ("shift+alt+End", 0x50000 + 312),
        ("CONTROL+1", 0x20000 + ord("1")),
        ("SPACE", 32),
    ],
)
def test_a_key_is_named_as_webots_numbers_it(keys, word, key):
    assert keys(f"0 B {word}")(0) == [ord("B"), key]


def test_the_numbers_are_those_of_the_keyboard():
    for name, number in NAMED.items():
        if name != "SPACE":
            assert getattr(Keyboard, name) == number
    for name, number in MODIFIERS.items():
        assert getattr(Keyboard, name) == number


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("1 UP\nsoon LEFT", "drive.keys:2:1: 'soon' is not a time"),
        ("1 UP\n1 LEFT", "drive.keys:2:1: 1 s is not after 1 s"),
        ("-1 UP", "drive.keys:1:1: '-1' is not a time"),
        ("0  UPP", "drive.keys:1:4: unknown key 'UPP'; did you mean UP"),
        ("0 META+A", "drive.keys:1:3: unknown modifier 'META'"),
        ("0 UP\n2.5", "drive.keys:2:4: keys are missing"),
        ("# nothing\n", "drive.keys: there are no keys"),
        ("nan UP", "drive.keys:1:1: 'nan' is not a time"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(keys, text, told):
    with pytest.raises(wm.InputError) as error:
        keys(text)
    assert told in str(error.value)


def test_a_file_that_is_not_there_is_told(tmp_path):
    with pytest.raises(wm.InputError, match="no such file"):
        load_keys(tmp_path / "no.keys")


def test_keys_without_a_controller_are_refused(keys):
    scenario = wm.load_scenario("package:pendulum", name="Lift")
    with pytest.raises(wm.InputError, match="the scenario has no controller"):
        ready(scenario, keys=keys("0 UP"))


def test_a_controller_reads_the_list_in_its_steps(keys, tmp_path, capsys):
    # It writes down what its keyboard says in each step.
    controller = tmp_path / "keyed.py"
    controller.write_text(
        "from controller import Robot, Keyboard\n"
        "robot = Robot()\n"
        "keyboard = robot.getKeyboard()\n"
        "keyboard.enable(8)\n"
        "while robot.step(8) != -1:\n"
        "    seen = []\n"
        "    while (key := keyboard.getKey()) != -1:\n"
        "        seen.append(key)\n"
        "    print(f'{robot.getTime():.3f}', *seen)\n"
    )
    scenario = wm.load_scenario(
        "package:pendulum", name="Lift", text="{simulation_duration: 0.048}"
    )
    scenario.model_drivers["arm"].controller = str(controller)
    ready(scenario, keys=keys("0.016 UP A\n0.032 none")).run()
    lines = capsys.readouterr().out.split("\n")
    assert lines[:4] == ["0.008", "0.016 315 65", "0.024 315 65", "0.032"]
