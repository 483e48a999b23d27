"""Hooks of `mkdocs build`: formulas become MathML, ports of systems a table.

The mark before an example in a docstring, "::", is not for people.

Both are drawn by the browser itself, so that a page fetches nothing.
"""

import html
import re

from latex2mathml.converter import convert

_FORMULA = re.compile(
    r'<(?P<tag>span|div) class="arithmatex">'
    r"\\[(\[](?P<latex>.*?)\\[)\]]</(?P=tag)>",
    re.DOTALL,
)
_PORTS = re.compile(
    r"<p>\.\. pydrake_system::</p>\s*<div[^>]*><pre><span></span><code>"
    r"name: (?P<name>\w+)\n(?P<ports>.*?)</code></pre></div>",
    re.DOTALL,
)
_EXAMPLE = re.compile(r"<p>::</p>|:(?=:</p>)")


def on_page_content(content: str, **_) -> str:
    """Returns a page's HTML with formulas and ports as people read them."""
    content = _FORMULA.sub(_formula, content)
    return _EXAMPLE.sub("", _PORTS.sub(_ports, content))


def _formula(match: re.Match) -> str:
    display = "inline" if match["tag"] == "span" else "block"
    return convert(html.unescape(match["latex"]), display=display)


def _ports(match: re.Match) -> str:
    rows = []
    for kind in ("input", "output"):
        found = re.search(rf"{kind}_ports:\n((?:- .*\n?)*)", match["ports"])
        names = re.findall(r"- (\S+)", found[1]) if found else []
        cells = ", ".join(f"<code>{name}</code>" for name in names) or "none"
        rows.append(f"<tr><th>{kind} ports</th><td>{cells}</td></tr>")
    return f"<table>{''.join(rows)}</table>"
