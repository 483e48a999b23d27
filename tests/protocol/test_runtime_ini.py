"""What a runtime.ini sets, by Webots' rules."""

import sys

import pytest

from webmotor_drake.protocol.runtime_ini import read_runtime_ini


@pytest.mark.skipif(sys.platform != "linux", reason="has Linux's sections")
def test_sections_comments_quotes_and_variables_are_webots(tmp_path):
    (tmp_path / "runtime.ini").write_text(
        """\
; all of it
[environment variables with paths] ; a comment
WEBOTS_LIBRARY_PATH = lib:$(NOTHING):$(WEBOTS_LIBRARY_PATH):../lib
[ENVIRONMENT VARIABLES]
A = "x;y" ; z
B = $(A) and $(A);
[environment variables for Linux]
HERE = 1
[environment variables for Windows]
THERE = 1
[python]
COMMAND = python3.11
"""
    )
    environment = {"WEBOTS_LIBRARY_PATH": "/before"}
    settings = read_runtime_ini(tmp_path, environment)
    assert environment == {
        "WEBOTS_LIBRARY_PATH": "lib:/before:../lib",
        "A": "x;y",
        "B": "x;y and x;y",
        "HERE": "1",
    }
    assert settings["python", "COMMAND"] == "python3.11"
