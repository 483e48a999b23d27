"""The settings of the runtime.ini in a controller's folder, for its program.

The rules are Webots' own (WbIniParser.cpp, WbController.cpp): sections of other
systems are skipped; `;` begins a comment; `$(NAME)` is a variable's value.
"""

import re
import sys
from pathlib import Path

from webmotor_drake.errors import InputError

# The commands and options of languages, by section and key.
Settings = dict[tuple[str, str], str]

_PATHS = "environment variables with paths"
_SYSTEMS = {
    "linux": ("linux", "linux 64"),
    "darwin": ("mac os x", "macos"),
    "win32": ("windows",),
}
_ENVIRONMENTS = {
    "environment variables",
    _PATHS,
    "environment variables with relative paths",
    *(
        f"environment variables for {system}"
        for system in _SYSTEMS.get(sys.platform, ())
    ),
}


def read_runtime_ini(folder: Path, environment: dict[str, str]) -> Settings:
    """Reads the runtime.ini of a folder, if there is one.

    Args:
        folder: folder of the controller.
        environment: environment of its program; gets the variables.

    Returns:
        All other settings.

    Raises:
        InputError: the file cannot be read, or a line is no definition.
    """
    file = folder / "runtime.ini"
    if not file.is_file():
        return {}
    settings: Settings = {}
    section = ""
    for number, line in enumerate(_lines(file), start=1):
        if line.startswith("["):
            section = re.sub(r"[\[\]]", "", line.partition(";")[0])
            section = section.strip().lower()
        elif line and not line.startswith(";"):
            key, equals, value = line.partition("=")
            if not equals or ";" in key:
                raise InputError(
                    f"{file}:{number}: {line!r} is no section, definition or"
                    " comment; expected NAME = VALUE"
                )
            value = _resolved(section, _value(value.strip()), environment)
            if section in _ENVIRONMENTS:
                environment[key.strip()] = value
            else:
                settings[section, key.strip()] = value
    return settings


def _lines(file: Path) -> list[str]:
    try:
        text = file.read_text("utf-8-sig")
    except (OSError, UnicodeError) as error:
        raise InputError(f"{file}: {error}") from None
    return [line.strip() for line in text.splitlines()]


def _value(text: str) -> str:
    """Returns a value without its comment and quotation marks."""
    if text.startswith('"') and text.rfind('"') > 0:
        return text[1 : text.rfind('"')].strip()
    return text.partition(";")[0].strip()


def _resolved(section: str, value: str, environment: dict[str, str]) -> str:
    """Returns a value with its variables replaced; paths without empty ones."""
    value = re.sub(
        r"\$\(([^)]*)\)",
        lambda found: environment.get(found[1], ""),
        value,
    )
    if section == _PATHS:
        return ":".join(filter(None, value.split(":")))
    return value
