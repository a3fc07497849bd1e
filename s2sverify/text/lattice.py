"""What was heard, as a lattice: atoms of text, each with the class it plays in numbers and spellings.

A word of the text ("$48,213", "7.30pm", "B-D-4") falls into atoms; every atom remembers the whitespace word it came
from and the characters that stood before it, so that a value found between atoms can be told in words and seconds.
Cutting costs one look-up per known word; a text is cut once, however many values are looked for in it, and what the
readers find at a position is kept in the lattice.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from s2sverify.text.vocabulary import (
    FIGURE,
    FILLERS,
    LAST_NUMERIC,
    LETTER,
    LONGEST_NUMBER_WORD,
    NUMBER_WORDS,
    ORDINAL_FIGURE,
    OTHER,
    SYMBOL,
)
from s2sverify.types import Interval, Transcript, Word

_PIECE = re.compile(
    r"(?P<ampm>(?<![^\W\d_])[ap]\.m\b(?![@'])\.?)|(?P<ordinal>\d*(?:1\dth|(?<!1)1st|(?<!1)2nd|(?<!1)3rd|(?<!1)[04-9]th)(?![^\W_]))|(?P<figure>\d+)"
    r"|(?P<word>[^\W\d_]+(?:'[^\W\d_]+)*)|(?P<symbol>[$£€¥₹₩₽₺₪₱฿¢%@+&°_])"
)
_TRANSLATE = str.maketrans(
    {
        **dict.fromkeys("’‘`´ʼ′", "'"), **dict.fromkeys("“”″", '"'), **dict.fromkeys("–—‐‑‒−", "-"),
        "⁄": "/",
        "²": "sq", "³": "cu", "º": "°", "˚": "°", "…": ".", "，": ",",
        "½": " 1/2", "¼": " 1/4", "¾": " 3/4", "⅓": " 1/3", "⅔": " 2/3", "⅛": " 1/8",
        "ß": "ss", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "æ": "ae", "Æ": "AE", "đ": "d", "Đ": "D",
        "œ": "oe", "Œ": "OE", "þ": "th", "Þ": "Th", "ð": "d", "Ð": "D", "ẞ": "SS",
    }
)  # fmt: skip
_LONG_ENOUGH_TO_SHOUT = 15  # characters: a code alone in capitals is no shout
_LONGEST_FIGURE = 40  # digits whose number is worked out; longer runs are kept as text only


@lru_cache(maxsize=16_384)
def fold(text: str) -> str:
    """Plain letters for accented ones, one kind of dash and quote, no control or direction marks; case is kept."""
    if text.isascii():
        if text.isprintable():
            return text
        return "".join(c if " " <= c < "\x7f" else " " for c in text)
    text = unicodedata.normalize("NFKC", text.translate(_TRANSLATE)).translate(_TRANSLATE)
    out = []
    for c in unicodedata.normalize("NFKD", text):
        group = unicodedata.category(c)[0]
        if group == "Z" or c in "\t\n":
            out.append(" ")
        elif group not in "CM":
            out.append(c)
    return "".join(out)


class _Piece(NamedTuple):
    text: str
    raw: str
    before: str
    cls: int
    value: int


@lru_cache(maxsize=65_536)
def _pieces(word: str) -> tuple[tuple[_Piece, ...], str]:
    """Cut one whitespace word into pieces; also what stands after the last."""
    raw = fold(word)
    low = raw.lower() if raw.isascii() else fold(raw.lower())
    if len(low) != len(raw):
        raw = low
    out: list[_Piece] = []
    at = 0
    for found in _PIECE.finditer(low):
        before = low[at : found.start()]
        text, kind, at = found.group(), found.lastgroup, found.end()
        shown = raw[found.start() : at]
        if kind == "word":
            known = NUMBER_WORDS.get(text)
            if known is not None:
                out.append(_Piece(text, shown, before, *known))
            elif len(text) == 1:
                out.append(_Piece(text, shown, before, LETTER, -1))
            elif len(text) >= 6 and (parts := _glued_numbers(text)):
                for part in parts:
                    out.append(_Piece(part, part, before, *NUMBER_WORDS[part]))
                    before = ""
            else:
                out.append(_Piece(text, shown, before, OTHER, -1))
        elif kind == "figure":
            out.append(_Piece(text, shown, before, FIGURE, _number(text)))
        elif kind == "ordinal":
            out.append(_Piece(text, shown, before, ORDINAL_FIGURE, _number(text[:-2])))
        elif kind == "ampm":
            out.append(_Piece(text[0] + "m", shown, before, OTHER, -1))
        else:
            out.append(_Piece(text, shown, before, SYMBOL, -1))
    return tuple(out), low[at:]


def _number(digits: str) -> int:
    return int(digits) if len(digits) <= _LONGEST_FIGURE else -1


def _glued_numbers(text: str) -> list[str]:
    """Number words written as one ("fivehundred", "twentyone"), or nothing."""
    if len(text) > 60:
        return []
    best: list[list[str] | None] = [[], *([None] * len(text))]
    for end in range(3, len(text) + 1):
        for start in range(max(0, end - LONGEST_NUMBER_WORD), end - 2):
            head = best[start]
            if head is not None and text[start:end] in NUMBER_WORDS:
                best[end] = [*head, text[start:end]]
                break
    found = best[len(text)]
    return found if found is not None and len(found) > 1 else []


class Lattice:
    """Atoms of a text in parallel lists, and what was read from them so far.

    Attributes
    ----------
    text, raw : list of str
        Folded lower-case text of each atom, and the same with its own case.
    pre : list of str
        Characters between the atom before and this one, blanks and punctuation; a filler leaves a blank.
    word : list of int
        Index of the whitespace word each atom belongs to.
    cls, val : list of int
        Class and number of each atom; -1 where it has no number.
    shouted : bool
        The whole text is in capitals, so that capitals tell nothing.
    """

    __slots__ = (
        "cls",
        "memo",
        "n",
        "pre",
        "raw",
        "shouted",
        "tail",
        "text",
        "times",
        "val",
        "word",
    )

    def __init__(self, words: Sequence[str], times: Sequence[Word] | None = None) -> None:
        self.text: list[str] = []
        self.raw: list[str] = []
        self.pre: list[str] = []
        self.word: list[int] = []
        self.cls: list[int] = []
        self.val: list[int] = []
        self.memo: dict[Any, Any] = {}
        self.times = times
        gap = ""
        for index, word in enumerate(words):
            pieces, rest = _pieces(word)
            if index:
                gap += " "
            if (
                len(pieces) == 1
                and pieces[0].text in FILLERS
                and not self._is_said(pieces[0], words)
            ):
                gap += pieces[0].before + rest
                continue
            for piece in pieces:
                self.text.append(piece.text)
                self.raw.append(piece.raw)
                self.pre.append(gap + piece.before)
                self.word.append(index)
                self.cls.append(piece.cls)
                self.val.append(piece.value)
                gap = ""
            gap += rest
        self.tail = gap
        self.n = len(self.text)
        letters = "".join(self.raw)
        self.shouted = len(letters) > _LONG_ENOUGH_TO_SHOUT and letters.isupper()

    def _is_said(self, filler: _Piece, words: Sequence[str]) -> bool:
        """Whether a filler is none: "mm" behind a figure, or "UM" among words that are no capitals."""
        if filler.text == "mm" and self.cls and self.cls[-1] <= LAST_NUMERIC:
            return True
        return filler.raw.isupper() and any(not word.isupper() and word.isalpha() for word in words)

    def numeric(self, i: int) -> bool:
        """Whether atom `i` can be part of a number."""
        return 0 <= i < self.n and self.cls[i] <= LAST_NUMERIC

    def close(self, i: int) -> bool:
        """Whether nothing but a blank or a hyphen stands before atom `i`; a dash between blanks is a pause."""
        gap = self.pre[i]
        return not gap.strip(" -") and " - " not in gap

    def near(self, i: int) -> bool:
        """As `close`, with commas."""
        gap = self.pre[i]
        return not gap.strip(" -,") and " - " not in gap

    def apart(self, i: int) -> bool:
        """Whether a blank stands before atom `i`."""
        return " " in self.pre[i]

    def says(self, i: int, *words: str) -> bool:
        """Whether the atoms from `i` on are these."""
        return self.text[i : i + len(words)] == list(words)

    def word_at(self, i: int) -> str:
        """Text of atom `i`, "" beyond the ends."""
        return self.text[i] if 0 <= i < self.n else ""

    def span(self, i: int, j: int) -> tuple[int, int]:
        """Atoms ``[i, j)`` as a half-open range of whitespace words."""
        return self.word[i], self.word[j - 1] + 1

    def interval(self, i: int, j: int) -> Interval | None:
        """Atoms ``[i, j)`` in seconds, None where the words have no times."""
        if self.times is None or j <= i:
            return None
        first, last = self.span(i, j)
        return Interval(self.times[first].start_s, self.times[last - 1].end_s)

    def shown(self, i: int, j: int) -> str:
        """The atoms ``[i, j)`` as they were written."""
        parts = [self.raw[i]] if i < j else []
        for k in range(i + 1, j):
            parts += [self.pre[k], self.raw[k]]
        return "".join(parts)


@lru_cache(maxsize=256)
def _lattice_of_text(text: str) -> Lattice:
    return Lattice(text.split())


_recent: dict[int, tuple[tuple[Word, ...], Lattice]] = {}
_RECENT = 64  # transcripts whose lattices are kept


def lattice_of(spoken: str | Transcript | Sequence[Word]) -> Lattice:
    """Cut `spoken` into atoms. Lattices are kept, as many values are looked for in one turn."""
    if isinstance(spoken, str):
        return _lattice_of_text(spoken)
    words = spoken.words if isinstance(spoken, Transcript) else tuple(spoken)
    kept = _recent.get(id(words))
    if kept is not None and kept[0] is words:
        return kept[1]
    lattice = Lattice([word.text for word in words], words)
    while len(_recent) >= _RECENT:
        _recent.pop(next(iter(_recent)), None)
    _recent[id(words)] = (words, lattice)
    return lattice


__all__ = ["Lattice", "fold", "lattice_of"]
