"""What was heard, as a lattice: atoms of text, each with the class it plays in numbers and spellings.

A word of the text ("$48,213", "7.30pm", "B-D-4") falls into atoms; every atom remembers the whitespace word it came
from and the characters that stood before it, so that a value found between atoms can be told in words and seconds.
Building costs one dictionary look-up per known word; a text is cut once, however many values are looked for in it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from s2sverify.text import vocabulary as vocab
from s2sverify.types import Interval, Transcript, Word

# Classes of atoms. Figures and number words come first so that `cls <= LAST_NUMERIC` asks "part of a number?".
FIGURE, ONE, TEEN, TENS, HUNDRED, SCALE, OH = range(1, 8)
LAST_NUMERIC = OH
TIMES, ORDINAL_FIGURE, ORDINAL_WORD, LETTER, SYMBOL, OTHER = range(8, 14)

_AMPM = re.compile(r"([ap])\.m\.?(?![a-z])")
_PIECE = re.compile(
    r"(?P<ampm>[ap]\.m\b\.?)|(?P<ordinal>\d+(?:st|nd|rd|th)(?![a-z]))|(?P<figure>\d+)"
    r"|(?P<word>[^\W\d_]+(?:'[^\W\d_]+)*)|(?P<symbol>[$£€¥₹¢%@+&°_])"
)
_TRANSLATE = str.maketrans(
    {
        "’": "'", "‘": "'", "`": "'", "´": "'", "ʼ": "'", "“": '"', "”": '"',
        "–": "-", "—": "-", "‐": "-", "‑": "-", "‒": "-", "−": "-", "⁄": "/",
        "²": "sq", "³": "cu", "º": "°", "˚": "°", "…": ".", "，": ",",
        "½": " 1/2", "¼": " 1/4", "¾": " 3/4", "⅓": " 1/3", "⅔": " 2/3", "⅛": " 1/8",
        "ß": "ss", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "æ": "ae", "Æ": "AE", "đ": "d", "Đ": "D",
        "œ": "oe", "Œ": "OE", "þ": "th", "ð": "d",
    }
)  # fmt: skip


def fold(text: str) -> str:
    """Plain letters for accented ones, one kind of dash and quote, no control or direction marks; case is kept."""
    if text.isascii():
        if text.isprintable():
            return text
        return "".join(c if c >= " " and c != "\x7f" else " " for c in text)
    text = unicodedata.normalize("NFKC", text.translate(_TRANSLATE)).translate(_TRANSLATE)
    text = unicodedata.normalize("NFKD", text)
    return "".join(
        c if category[0] != "Z" else " "
        for c in text
        if (category := unicodedata.category(c))[0] not in "CM" or c in "\t\n"
    )


@lru_cache(maxsize=65_536)
def _pieces(word: str) -> tuple[tuple[tuple[str, str, str, int, int], ...], str]:
    """Cut one whitespace word: ((text, raw, characters before, class, number), ...) and what stands after the last."""
    raw = fold(word)
    low = raw.lower()
    out: list[tuple[str, str, str, int, int]] = []
    at = 0
    for found in _PIECE.finditer(low):
        before = low[at : found.start()]
        text, kind, at = found.group(), found.lastgroup, found.end()
        shown = raw[found.start() : at]
        if kind == "figure":
            out.append((text, shown, before, FIGURE, int(text) if len(text) < 40 else -1))
        elif kind == "ordinal":
            out.append(
                (text, shown, before, ORDINAL_FIGURE, int(text[:-2]) if len(text) < 40 else -1)
            )
        elif kind == "ampm":
            out.append((text[0] + "m", shown, before, OTHER, -1))
        elif kind == "symbol":
            out.append((text, shown, before, SYMBOL, -1))
        else:
            known = vocab.NUMBER_WORDS.get(text)
            if known is not None:
                out.append((text, shown, before, known[0], known[1]))
            elif len(text) == 1:
                out.append((text, shown, before, LETTER, -1))
            elif len(text) >= 6 and (parts := _glued(text)):
                for n, part in enumerate(parts):
                    cls, value = vocab.NUMBER_WORDS[part]
                    out.append((part, part, before if n == 0 else "", cls, value))
            else:
                out.append((text, shown, before, OTHER, -1))
    return tuple(out), low[at:]


def _glued(text: str) -> list[str]:
    """Number words written as one ("fivehundred", "twentyone"), or nothing."""
    if len(text) > 60:
        return []
    best: list[list[str] | None] = [None] * (len(text) + 1)
    best[0] = []
    for end in range(3, len(text) + 1):
        for start in range(max(0, end - vocab.LONGEST_NUMBER_WORD), end - 2):
            head = best[start]
            if head is not None and text[start:end] in vocab.NUMBER_WORDS:
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
        Characters between the atom before and this one, blanks and punctuation; fillers leave a blank.
    word : list of int
        Index of the whitespace word each atom belongs to.
    cls, val : list of int
        Class and number of each atom; -1 where it has no number.
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
        self.memo: dict[object, object] = {}
        self.times = times
        carried = ""
        for index, word in enumerate(words):
            pieces, rest = _pieces(word)
            gap = carried + " " if index else carried
            for text, raw, before, cls, value in pieces:
                if text in vocab.FILLERS and len(pieces) == 1:
                    gap += before + " "
                    continue
                self.text.append(text)
                self.raw.append(raw)
                self.pre.append(gap + before)
                self.word.append(index)
                self.cls.append(cls)
                self.val.append(value)
                gap = ""
            carried = gap + rest
        self.tail = carried
        self.n = len(self.text)
        letters = [c for raw in self.raw for c in raw if c.isalpha()]
        self.shouted = len(letters) > 12 and not any(c.islower() for c in letters)

    def glued(self, i: int) -> bool:
        """Whether atom `i` stands right after the one before, without a blank."""
        return i > 0 and " " not in self.pre[i]

    def gap(self, i: int) -> str:
        """What stands before atom `i`; for ``i == n`` what ends the text."""
        return self.pre[i] if i < self.n else self.tail + " "

    def span(self, i: int, j: int) -> tuple[int, int]:
        """Atoms ``[i, j)`` as a half-open range of whitespace words."""
        return self.word[i], self.word[j - 1] + 1

    def interval(self, i: int, j: int) -> Interval | None:
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


def lattice_of(spoken: str | Transcript | Sequence[Word]) -> Lattice:
    """Cut `spoken` into atoms. The lattice of a string is kept, as many values are looked for in one turn."""
    if isinstance(spoken, str):
        return _lattice_of_text(spoken)
    words = spoken.words if isinstance(spoken, Transcript) else tuple(spoken)
    return Lattice([word.text for word in words], words)
