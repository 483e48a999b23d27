"""The fenced blocks of a page of Markdown."""

import re


def blocks(page: str, language: str) -> list[str]:
    """Returns the blocks of a language."""
    return re.findall(rf"```{language}\n(.*?)```", page, re.DOTALL)


def commands(page: str) -> list[str]:
    """Returns the command lines that begin with the program's name."""
    lines = "".join(blocks(page, "sh")).replace("\\\n", " ").splitlines()
    return [line for line in lines if line.startswith("webmotor ")]
