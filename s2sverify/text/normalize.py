"""Spoken prose to canonical words, so that two texts that say the same are compared as the same.

"You're all set, that's $48" and "you are all set that is forty-eight dollars" give equal lists. Meant for word error
rates; whether one value was said is the question of `s2sverify.text.entities`.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from s2sverify.text import amounts, clock, dates
from s2sverify.text.lattice import Lattice
from s2sverify.text.numbers import chunks, decimals, ordinals, place
from s2sverify.text.vocabulary import (
    FIGURE,
    LETTER,
    MONTH_NAMES,
    MONTHS,
    OH,
    OTHER,
    SYMBOL,
    words,
)

# fmt: off
_WRITTEN_OUT = {
    # contractions and short forms
    "can't": "can not", "cannot": "can not", "won't": "will not", "shan't": "shall not", "ain't": "is not",
    "let's": "let us", "y'all": "you all", "ma'am": "madam", "gonna": "going to", "wanna": "want to",
    "gotta": "got to", "gimme": "give me", "lemme": "let me", "kinda": "kind of", "dunno": "do not know",
    "okay": "ok", "alright": "all right", "mister": "mr", "missus": "mrs", "doctor": "dr", "til": "until",
    "till": "until", "'til": "until", "ya": "you", "yeah": "yes", "yep": "yes", "yup": "yes",
    "thanks": "thank you", "'cause": "because", "cos": "because", "e-mail": "email", "o'clock": "o'clock",
    # British spellings
    "colour": "color", "colours": "colors", "favourite": "favorite", "favour": "favor", "honour": "honor",
    "neighbour": "neighbor", "labour": "labor", "behaviour": "behavior", "centre": "center", "theatre": "theater",
    "metre": "meter", "metres": "meters", "litre": "liter", "litres": "liters", "cheque": "check",
    "cancelled": "canceled", "cancelling": "canceling", "travelling": "traveling", "travelled": "traveled",
    "traveller": "traveler", "organise": "organize", "organised": "organized", "apologise": "apologize",
    "recognise": "recognize", "realise": "realize", "finalise": "finalize", "authorise": "authorize",
    "authorised": "authorized", "grey": "gray", "programme": "program", "catalogue": "catalog",
    "licence": "license", "enquiry": "inquiry", "enquire": "inquire", "tonne": "ton", "tonnes": "tons",
}
_ENDINGS = {"re": "are", "ve": "have", "ll": "will", "d": "would", "m": "am"}  # behind an apostrophe
_SIGNS = {"%": "percent", "@": "at", "&": "and", "+": "plus", "°": "degrees", "_": "underscore"}
_CURRENCIES = {"USD": "dollars", "GBP": "pounds", "EUR": "euros", "INR": "rupees", "JPY": "yen", "CNY": "yuan"}
# fmt: on
_BEFORE_IS = words(
    "it that there here what who where when how he she this everything nothing something everyone"
)
_PASSES = (
    8  # joining words can make new numbers; two or three passes are enough for anything people say
)


def normalize_words(text: str) -> list[str]:
    """Turn prose, as spoken or as written, into the words it is compared by.

    Case, punctuation, accents and fillers go; contractions are written out; numbers, amounts, percentages, clock
    times and days of a month become figures whichever way they were said; single letters in a row are joined ("B D"
    and "BD"); British spellings take the American form.

    Parameters
    ----------
    text : str
        Any text.

    Returns
    -------
    list of str
        Lower-case words. Normalising them again changes nothing.

    Examples
    --------
    >>> normalize_words("You're all set, that's $48.")
    ['you', 'are', 'all', 'set', 'that', 'is', '48', 'dollars']
    """
    said = text.split()
    for _ in range(_PASSES):
        lat = Lattice(said)
        again = [word for word, _, _ in words_with_atoms(lat)]
        if again == said or not _holds_values(lat):
            return again
        said = again
    return said


def _holds_values(lat: Lattice) -> bool:
    """Whether anything in a text could be part of a value, so that its words depend on one another."""
    return any(cls != OTHER for cls in lat.cls) or any(word in _OPENING for word in lat.text)


_OPENING = words("noon midday midnight half quarter point per cent am pm") | MONTHS.keys()


def words_with_atoms(lat: Lattice) -> list[tuple[str, int, int]]:
    """Canonical words of a text, each with the half-open range of atoms it stands for."""
    out: list[tuple[str, int, int]] | None = lat.memo.get("canonical words")
    if out is None:
        out = lat.memo["canonical words"] = []
        values = _values(lat) if _holds_values(lat) else {}
        i = 0
        while i < lat.n:
            end, said = values.get(i) or _number(lat, i) or _word(lat, i)
            out += [(word, i, end) for word in said]
            i = end
    return out


_Said = tuple[int, list[str]]  # where it ends, and its canonical words


def _values(lat: Lattice) -> dict[int, _Said]:
    """Amounts, percentages, times and dates by the atom they begin at; of those that overlap, the longest."""
    found = sorted(_typed(lat), key=lambda v: (v[0] - v[1], v[0]))
    out: dict[int, _Said] = {}
    taken = [False] * lat.n
    for start, end, said in found:
        if not any(taken[start:end]):
            taken[start:end] = [True] * (end - start)
            out[start] = end, said
    return out


def _typed(lat: Lattice) -> Iterator[tuple[int, int, list[str]]]:
    for r in amounts.maximal(amounts.money(lat)):
        if r.unit and not r.doubt and lat.text[r.end - 1] != "p":
            unit = _CURRENCIES.get("USD" if r.unit in amounts.SHARED else r.unit, r.unit.lower())
            yield r.start, r.end, [_figures(r.value), unit]
    for r in amounts.maximal(amounts.percent(lat)):
        yield r.start, r.end, [_figures(r.value), "percent"]
    for c in clock.clocks(lat):
        if c.half in ("am", "pm") and 1 <= c.hour <= 12:
            yield c.start, c.end, [f"{c.hour}:{c.minute:02d}", c.half]
    for d in dates.days(lat, day_first=False):
        whole = d.year is None or d.year >= 1000
        if (
            d.month is not None
            and d.day is not None
            and whole
            and d.style in ("month first", "day first")
        ):
            year = [] if d.year is None else [str(d.year)]
            start = d.start - (d.style == "day first" and lat.word_at(d.start - 1) == "the")
            yield start, d.end, [MONTH_NAMES[d.month - 1].lower(), str(d.day), *year]


def _figures(value: Decimal) -> str:
    text = f"{value:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _number(lat: Lattice, i: int) -> _Said | None:
    """The number at `i` in figures: an ordinal, a broken number, or digits put together."""
    whole_end = max((n.end for n in place(lat, i)), default=i)
    ordinal = max(ordinals(lat, i), key=lambda n: n.end, default=None)
    if ordinal is not None and ordinal.end > whole_end:
        return ordinal.end, [_ordinal(int(ordinal.value))]
    if lat.text[i] == "a" and whole_end > i:
        return whole_end, [_figures(max(place(lat, i), key=lambda n: n.end).value)]
    if not lat.numeric(i) or (lat.cls[i] == OH and not lat.numeric(i + 1)):
        return None
    broken = [n for n in decimals(lat, i) if n.style in ("figures", "point", "scaled")]
    longest = max(broken, key=lambda n: n.end, default=None)
    if longest is not None and longest.end > whole_end:
        return longest.end, [_figures(longest.value)]
    digits, j = "", i
    if lat.cls[i] == FIGURE and whole_end > i + 1:  # "1,249", "2 hundred"
        digits, j = _figures(max(place(lat, i), key=lambda n: n.end).value), whole_end
    while lat.numeric(j) and (j == i or lat.near(j)):
        steps = chunks(lat, j)
        if not steps:
            break
        step = max(steps, key=lambda c: c.end)
        digits, j = digits + step.digits, step.end
    return (j, [digits]) if digits else None


def _ordinal(n: int) -> str:
    ending = "th" if n % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")
    return f"{n}{ending}"


def _word(lat: Lattice, i: int) -> _Said:
    text, after = lat.text[i], i + 1
    if lat.cls[i] == LETTER or text == "o":
        return _letters(lat, i)
    if lat.cls[i] == SYMBOL:
        sign = _SIGNS.get(text)
        return after, [sign] if sign else []
    if text == "per" and lat.says(after, "cent"):
        return after + 1, ["percent"]
    written_out = _WRITTEN_OUT.get(text)
    if written_out is not None:
        return after, written_out.split()
    return after, _without_apostrophe(text) if "'" in text else [text]


def _letters(lat: Lattice, i: int) -> _Said:
    """Single letters in a row as one word; "a" and "I" before one more letter stay words of their own."""
    j = i + 1
    while (
        j < lat.n
        and (lat.cls[j] == LETTER or lat.text[j] == "o")
        and (lat.close(j) or lat.pre[j] == ".")
    ):
        j += 1
    if j - i == 2 and lat.text[i] in ("a", "i"):
        j = i + 1
    return j, ["".join(lat.text[i:j])]


def _without_apostrophe(text: str) -> list[str]:
    head, _, ending = text.partition("'")
    if text.endswith("n't") and len(text) > len("n't"):
        return [text.removesuffix("n't"), "not"]
    if head and ending in _ENDINGS:
        return [head, _ENDINGS[ending]]
    if ending == "s" and head in _BEFORE_IS:
        return [head, "is"]
    return [text.replace("'", "")]


__all__ = ["normalize_words", "words_with_atoms"]
