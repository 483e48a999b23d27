"""Writes the code of examples into the pages that show it.

    python docs/make_examples.py

A block that begins with ```python title="examples/NAME.py" gets what is in that file
below its docstring, so that the code is seen on GitHub as on the site.
"""

import re
from pathlib import Path

DOCS = Path(__file__).parent
_BLOCK = re.compile(r'```python title="(examples/\w+\.py)"\n.*?```', re.DOTALL)


def filled(page: str) -> str:
    """Returns a page with the code of its examples."""
    return _BLOCK.sub(lambda block: _block(block[1]), page)


def _block(file: str) -> str:
    text = (DOCS.parent / file).read_text(encoding="utf-8")
    code = text.split('"""\n', 1)[1].strip()
    return f'```python title="{file}"\n{code}\n```'


def main() -> None:
    """Writes the pages anew."""
    for page in DOCS.glob("*.md"):
        text = page.read_text(encoding="utf-8")
        page.write_text(filled(text), encoding="utf-8")


if __name__ == "__main__":
    main()
