"""Hooks of `mkdocs build`: what pages become that Markdown does not say.

Formulas become MathML and ports of systems a table, both drawn by the browser itself,
so that a page fetches nothing. The mark before an example in a docstring, "::", goes.
Search does not look into blocks of code: it finds the field before an example that sets
it. A picture of the gallery whose page is there plays it when it is clicked. What
stands for a name in docstrings, "<model>", is text: browsers take it for an element.
"""

import html
import re
from pathlib import Path

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
# As the page gallery/ has them, beside itself.
_PICTURE = re.compile(r'<img [^>]*src="(?P<name>\w+)\.webp"[^>]*>')
# Elements that Markdown makes without attributes, before there are formulas.
_ELEMENTS = (
    "blockquote|br|code|dd|del|details|div|dl|dt|em|h[1-6]|hr|kbd|li|ol|p|picture|pre|"
    "small|span|strong|sub|summary|sup|table|tbody|td|th|thead|tr|ul|video"
)
_NAME = re.compile(rf"<(?!(?:{_ELEMENTS})>)([a-z_]+)>")
# Search finds these first.
_OF_FIELDS = ("fields.md", "nodes.md")
_EXAMPLE = re.compile(r"<p>::</p>|:(?=:</p>)")


def on_page_content(content: str, page=None, **_) -> str:
    """Returns a page's HTML as people read it."""
    if page is not None and page.file.src_uri in _OF_FIELDS:
        page.meta["search"] = {"boost": 3}
    content = _FORMULA.sub(_formula, _NAME.sub(r"&lt;\1&gt;", content))
    content = _EXAMPLE.sub("", _PORTS.sub(_ports, content))
    content = content.replace(
        '<div class="highlight">', '<div class="highlight" data-search-exclude>'
    )
    return _PICTURE.sub(_replay, content)


def on_post_page(output: str, **_) -> str:
    """Returns a page whose search has a name for screen readers."""
    unnamed = 'data-md-component="search" role="dialog"'
    return output.replace(unnamed, f'{unnamed} aria-label="Search"')


def _replay(match: re.Match) -> str:
    """Returns a picture with a button that loads its page, if that was written."""
    page = f"{match['name']}.html"
    if not (Path(__file__).parent / "gallery" / page).is_file():
        return match[0]
    return (
        f'<button class="replay" data-page="{page}" type="button"'
        f' aria-label="play {html.escape(match["name"])}">{match[0]}</button>'
    )


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
