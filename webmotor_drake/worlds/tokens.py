"""The tokens of a text in Webots' format (WbTokenizer.cpp)."""

import re
import typing

from webmotor_drake.errors import InputError
from webmotor_drake.worlds.source import Place, Source

_TOKEN = re.compile(
    r"(?:[\s,\ufeff]++|#[^\n]*+)*+"  # blanks and comments
    r"(?:(?P<mark>[{}\[\]])"
    r'|(?P<text>"(?:[^"\\\n]++|\\.)*+")'
    r"|(?P<number>[-+.0-9][^\s,{}\[\]\"#]*)"
    r"|(?P<word>[^\s,{}\[\]\"#]+)"
    r"|(?P<end>\Z))"
)
_NAME = re.compile(
    r"""[^-+.0-9\x00-\x20"#',.\[\\\]{}][^\x00-\x20"#',.\[\\\]{}]*"""
)
_PLAIN_NAME = re.compile("[A-Za-z_][A-Za-z0-9_]*")


class Token(typing.NamedTuple):
    """A token: its kind ("mark", "text", "number", "word", "end") and place."""

    kind: str
    text: str
    offset: int


class Tokens:
    """The tokens of a text, from left to right.

    Args:
        source: the text.
    """

    def __init__(self, source: Source):
        self.source = source
        self.text = source.text
        self.position = 0
        self.ahead: Token | None = None

    def peek(self) -> Token:
        """Returns the next token without taking it."""
        if self.ahead is None:
            match = _TOKEN.match(self.text, self.position)
            if match is None:
                quote = self.text.index('"', self.position)
                raise self.error(quote, "a text without its closing quote")
            kind = match.lastgroup or ""
            self.ahead = Token(kind, match[kind], match.start(kind))
        return self.ahead

    def take(self) -> Token:
        """Takes the next token."""
        token = self.peek()
        self.move(token.offset + len(token.text))
        return token

    def move(self, position: int) -> None:
        """Goes on from a character."""
        self.position, self.ahead = position, None

    def expect(self, mark: str, what: str) -> Token:
        """Takes a mark."""
        token = self.take()
        if token.text != mark or token.kind != "mark":
            raise self.unexpected(token, what)
        return token

    def take_name(self, what: str) -> Token:
        """Takes a name, as of a field or a type."""
        token = self.take()
        if token.kind != "word" or not is_name(token.text):
            raise self.unexpected(token, what)
        return token

    def place(self, offset: int) -> Place:
        """Returns the place of a character."""
        return Place(self.source, offset)

    def error(self, offset: int, problem: str) -> InputError:
        """Returns the error for a problem at a character."""
        return self.place(offset).error(problem)

    def unexpected(self, token: Token, wanted: str) -> InputError:
        """Returns the error for a token that stands where it cannot."""
        shown = token.text[:40] + "..." * (len(token.text) > 40)
        there = repr(shown) if token.kind != "end" else "the end of the file"
        return self.error(token.offset, f"expected {wanted}, not {there}")


def is_name(word: str) -> bool:
    """Returns whether a word may be the name of a node or a field."""
    return bool(_PLAIN_NAME.fullmatch(word) or _NAME.fullmatch(word))
