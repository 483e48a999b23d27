"""Draws the pictures of the tutorial, by its own commands.

python docs/make_tutorial_pictures.py
"""

import os
import re
import shlex
import tempfile
from pathlib import Path

from PIL import Image

from webmotor_drake.cli.main import main

DOCS = Path(__file__).parent
PICTURES = {
    "crane": "crane/run.png",
    "gentle": "gentle/run.png",
    "sweep": "swept/sweep.png",
}
# Wider ones would be shrunk by the page, pixels.
WIDEST = 1100


def draw() -> None:
    """Does what the page says in a new folder, and keeps the pictures."""
    page = (DOCS / "tutorial.md").read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name, text in re.findall(
            r'```\w+ title="(.+?)"\n(.*?)```', page, re.DOTALL
        ):
            Path(name).write_text(text, encoding="utf-8")
        for block in re.findall(r"```sh\n(.*?)```", page, re.DOTALL):
            main(shlex.split(block.replace("\\\n", " "))[1:])
        for name, file in PICTURES.items():
            picture = Image.open(file).convert("RGB")
            picture.thumbnail((WIDEST, WIDEST))
            picture.quantize(128).save(
                DOCS / "tutorial" / f"{name}.png", optimize=True
            )


if __name__ == "__main__":
    draw()
