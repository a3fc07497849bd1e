"""Numbers at a position of a lattice: every way the atoms there read as a number or as digits, with where it ends.

Nothing here decides what was meant: readers return all alternatives, and the acceptors keep the one that gives the
expected value over a maximal stretch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal
from functools import wraps
from typing import NamedTuple, TypeVar

from s2sverify.text.lattice import Lattice
from s2sverify.text.vocabulary import (
    FIGURE,
    GLUED_SCALES,
    HUNDRED,
    MONEY_WORDS,
    NO_PLURALS,
    OH,
    ONE,
    ORDINAL_FIGURE,
    ORDINAL_WORD,
    OTHER,
    PLURALS,
    SCALE,
    SYMBOL,
    TEEN,
    TENS,
    TIMES,
)


class Number(NamedTuple):
    """A number read from some atom up to `end`."""

    end: int
    value: Decimal
    style: str


class Chunk(NamedTuple):
    """Digits read from some atom up to `end`."""

    end: int
    digits: str
    style: str


T = TypeVar("T")
LONGEST = 26  # digits of a number, so that sums and hundredths are exact; longer ones are strings
_HUNDRED_UP = Decimal(100)
_LARGEST, _BOUND, _UNBOUNDED = 10**24, 10**LONGEST, 10**60


def remembered(reader: Callable[[Lattice, int], list[T]]) -> Callable[[Lattice, int], list[T]]:
    """Keep what a reader found at a position in the lattice; beyond the end there is nothing."""
    name = reader.__qualname__

    @wraps(reader)
    def ask(lat: Lattice, i: int) -> list[T]:
        if i >= lat.n:
            return []
        key = (name, i)
        found: list[T] | None = lat.memo.get(key)
        if found is None:
            found = lat.memo[key] = reader(lat, i)
        return found

    return ask


def is_thing(lat: Lattice, i: int) -> bool:
    """Whether atom `i` is a noun in the plural that numbers often count."""
    return lat.word_at(i) in PLURALS and not lat.pre[i].strip(" ")


def is_counted(lat: Lattice, i: int) -> bool:
    """Whether atom `i` looks like a noun in the plural, so that a number before it counts something."""
    word = lat.word_at(i)
    if not word or lat.cls[i] != OTHER or lat.pre[i].strip(" ") or word in MONEY_WORDS:
        return False
    return word in PLURALS or (
        len(word) > 3 and word[-1] == "s" and word not in NO_PLURALS and "'" not in word
    )


def skip_and(lat: Lattice, i: int) -> int:
    """Position after an optional "and"."""
    return i + 1 if lat.word_at(i) == "and" else i


# --------------------------------------------------------------------------------------------- place value


@remembered
def figures(lat: Lattice, i: int) -> list[tuple[int, str]]:
    """Figures at `i`: the atom alone, and with thousands put together, in groups of three or Indian ones."""
    if lat.cls[i] != FIGURE:
        return []
    digits = lat.text[i]
    out = [(i + 1, digits)]
    if len(digits) > 3 or digits[0] == "0":
        return out
    j = i + 1
    while (
        j < lat.n
        and lat.cls[j] == FIGURE
        and lat.pre[j] in (",", "'")
        and len(lat.text[j]) in (2, 3)
    ):
        digits += lat.text[j]
        j += 1
        if len(lat.text[j - 1]) == 3:
            out.append((j, digits))
    if (
        j > i + 1 and len(lat.text[j - 1]) == 2
    ):  # "48,21": no group of thousands ends with two figures
        return out[:1]
    return out


@remembered
def tens(lat: Lattice, i: int) -> list[tuple[int, int]]:
    """Values below 100 in words at `i`."""
    cls = lat.cls[i]
    if cls in (ONE, TEEN):
        return [(i + 1, lat.val[i])]
    if cls == TENS:
        out = [(i + 1, lat.val[i])]
        if i + 1 < lat.n and lat.cls[i + 1] == ONE and lat.val[i + 1] and lat.near(i + 1):
            out.append((i + 2, lat.val[i] + lat.val[i + 1]))
        return out
    return []


def _low(lat: Lattice, i: int) -> list[tuple[int, int]]:
    """As `tens`, with figures of one or two digits."""
    if i < lat.n and lat.cls[i] == FIGURE and len(lat.text[i]) <= 2:
        return [(i + 1, lat.val[i])]
    return tens(lat, i)


@remembered
def _group(lat: Lattice, i: int) -> list[tuple[int, int]]:
    """What may stand before a scale: up to 999 by the rules, "eighty five hundred", "a hundred", figures."""
    cls = lat.cls[i]
    if cls == HUNDRED:
        return _hundreds(lat, i, 1)
    if cls == FIGURE:
        out = [(end, int(digits)) for end, digits in figures(lat, i) if len(digits) <= LONGEST]
        heads = [(end, value) for end, value in out if value < 1000]
        for end, value in out[:]:  # "100 and two"
            if value and value % 100 == 0 and lat.word_at(end) == "and" and lat.close(end):
                out += [(stop, value + low) for stop, low in tens(lat, end + 1)]
    else:
        heads = tens(lat, i)
        out = list(heads)
    for end, value in heads:
        if value and end < lat.n and lat.cls[end] == HUNDRED and lat.close(end):
            out += _hundreds(lat, end, value)
    return out


def _hundreds(lat: Lattice, at: int, hundreds: int) -> list[tuple[int, int]]:
    """The word "hundred" at `at`, and what is added to it."""
    base, rest = hundreds * 100, at + 1
    out = [(rest, base)]
    if rest >= lat.n or not lat.near(rest):
        return out
    joined = skip_and(lat, rest)
    if joined > rest and joined < lat.n and lat.near(joined):
        out += [
            (end, base + low)
            for end, low in _low(lat, joined)
            if low and not _new_count(lat, rest, end)
        ]
    elif joined == rest:
        out += [(end, base + low) for end, low in tens(lat, rest) if low]
        if lat.cls[rest] == FIGURE and len(lat.text[rest]) == 2 and lat.close(rest):
            out.append((rest + 1, base + lat.val[rest]))
    return out


def _new_count(lat: Lattice, rest: int, end: int) -> bool:
    """Whether what follows a comma and "and" counts something else ("seven hundred, and two bags")."""
    return "," in lat.pre[rest] and is_counted(lat, end)


@remembered
def left_out(lat: Lattice, i: int) -> list[tuple[int, int]]:
    """A hundred that nobody says: "one twenty three", "one oh five"."""
    if lat.cls[i] != ONE or not lat.val[i] or i + 1 >= lat.n or not lat.close(i + 1):
        return []
    base = 100 * lat.val[i]
    out = [(end, base + low) for end, low in tens(lat, i + 1) if low >= 10]
    return out + [(end, base + low) for end, low in oh_one(lat, i + 1)]


def oh_one(lat: Lattice, i: int) -> list[tuple[int, int]]:
    """The 5 of "oh five" or "zero five" at `i`."""
    after = i + 1
    if after >= lat.n or lat.cls[i] not in (OH, ONE) or lat.val[i]:
        return []
    said = lat.cls[after] == ONE and lat.val[after] > 0 and lat.close(after)
    return [(after + 1, lat.val[after])] if said else []


@remembered
def place(lat: Lattice, i: int) -> list[Number]:
    """Whole numbers by place value at `i`: words, figures, and both mixed ("2 hundred", "13 lakh", "a thousand")."""
    out: dict[Number, None] = {}

    def add(end: int, value: int) -> None:
        if value < _BOUND:
            out[Number(end, Decimal(value), "place value")] = None

    def go(j: int, total: int, below: int) -> None:
        groups = list(_group(lat, j))
        if total:
            groups += left_out(lat, j)
        for end, value in groups:
            if value < below and (value or not total):
                add(end, total + value)
                times(end, value, total, below)

    def times(at: int, value: int, total: int, below: int) -> None:
        """A scale at `at` multiplies `value`; what follows is added."""
        if not (value and at < lat.n and lat.cls[at] == SCALE and lat.close(at)):
            return
        scale, end = 1, at
        while end < lat.n and lat.cls[end] == SCALE and lat.close(end) and scale < 10**27:
            scale *= lat.val[end]
            end += 1
        if scale >= below or scale > 10**27:
            return
        add_up(end, total + value * scale, scale)

    def add_up(end: int, total: int, scale: int) -> None:
        """The total so far ends at `end`; what follows below `scale` is added."""
        add(end, total)
        if end >= lat.n or not lat.near(end):
            return
        joined = skip_and(lat, end)
        if joined > end:
            if joined >= lat.n or not lat.near(joined):
                return
            if any(_new_count(lat, end, stop) for stop, _ in _low(lat, joined)):
                return
        go(joined, total, scale)

    if lat.numeric(i):
        if lat.cls[i] == SCALE:
            add_up(i + 1, lat.val[i], lat.val[i])
        else:
            go(i, 0, _UNBOUNDED)
    elif lat.text[i] == "a" and i + 1 < lat.n and lat.close(i + 1):
        if lat.cls[i + 1] == HUNDRED:
            for end, value in _hundreds(lat, i + 1, 1):
                add(end, value)
                times(end, value, 0, _UNBOUNDED)
        elif lat.cls[i + 1] == SCALE:
            times(i + 1, 1, 0, _UNBOUNDED)
    return list(out)


# --------------------------------------------------------------------------------------------- digits


@remembered
def chunks(lat: Lattice, i: int) -> list[Chunk]:
    """Digits that atoms from `i` on can stand for, as one step of a run of digits."""
    cls = lat.cls[i]
    if cls == FIGURE:
        out = [Chunk(i + 1, lat.text[i], "figures")]
        if i + 1 < lat.n and lat.cls[i + 1] in (HUNDRED, SCALE):
            out += [Chunk(n.end, str(n.value), "groups") for n in place(lat, i) if n.end > i + 1]
        return out
    if cls == OH or (cls == ONE and not (i + 1 < lat.n and lat.cls[i + 1] in (HUNDRED, SCALE))):
        return [Chunk(i + 1, str(lat.val[i]), "digits")]
    if cls == TIMES:
        return _repeated(lat, i)
    counted = lat.text[i] == "a" and i + 1 < lat.n and lat.cls[i + 1] in (HUNDRED, SCALE)
    return _grouped(lat, i) if counted or lat.numeric(i) else []


def _repeated(lat: Lattice, i: int) -> list[Chunk]:
    """Repeats: "double five", "triple oh", and "double 590" where the recogniser wrote on in figures."""
    times, j = lat.val[i], i + 1
    if lat.word_at(j) in ("digit", "number"):
        j += 1
    if j >= lat.n or not lat.close(j):
        return []
    if lat.cls[j] in (ONE, OH):
        return [Chunk(j + 1, str(lat.val[j]) * times, "double")]
    if lat.cls[j] == FIGURE:
        return [Chunk(j + 1, lat.text[j][0] * times + lat.text[j][1:], "double")]
    return []


def _grouped(lat: Lattice, i: int) -> list[Chunk]:
    """Tens, hundreds and thousands as digits.

    A group is read as far as it goes: "twenty one" is 21, never 20 and 1. It may end earlier at a comma, and a
    round hundred ends before digits said one by one ("eight hundred five five five").
    """
    readings = place(lat, i)
    longest = max((n.end for n in readings), default=i)
    out = []
    for n in readings:
        j = n.end
        if j < longest:
            if _spelled_on(lat, j):
                return [Chunk(j, str(n.value), "groups")]
            if "," not in lat.pre[j]:
                continue
        out.append(Chunk(j, str(n.value), "groups"))
    return out


def _spelled_on(lat: Lattice, j: int) -> bool:
    """Whether a round hundred or thousand stands before `j` and single digits, at least two, go on from there."""
    if lat.cls[j - 1] not in (HUNDRED, SCALE) or lat.cls[j] not in (ONE, OH) or not lat.near(j):
        return False
    return j + 1 < lat.n and lat.cls[j + 1] in (ONE, OH) and lat.close(j + 1)


# --------------------------------------------------------------------------------------------- whole numbers


@remembered
def pairs(lat: Lattice, i: int) -> list[Number]:
    """Two halves, as years and prices are said: "twenty fourteen", "nineteen oh six", "fourteen fifty six"."""
    out = []
    if lat.cls[i] in (TEEN, TENS):
        for mid, high in tens(lat, i):
            if mid >= lat.n or not lat.close(mid):
                continue
            lows = tens(lat, mid) if lat.cls[mid] in (TEEN, TENS) else oh_one(lat, mid)
            lows = [(end, low) for end, low in lows if end == mid + 1 or lat.close(end - 1)]
            out += [Number(end, high * _HUNDRED_UP + low, "pairs") for end, low in lows]
    return out


@remembered
def integers(lat: Lattice, i: int) -> list[Number]:
    """Whole numbers at `i`: by place value, with the hundred left out, in two halves, and digit by digit."""
    out = list(place(lat, i))
    out += [Number(end, Decimal(value), "hundred left out") for end, value in left_out(lat, i)]
    out += pairs(lat, i)
    if lat.cls[i] in (ONE, OH):
        digits, j = "", i
        while j < lat.n and lat.cls[j] in (ONE, OH) and (j == i or lat.close(j)):
            digits += str(lat.val[j])
            j += 1
            if len(digits) > LONGEST:
                break
        if 1 < len(digits) <= LONGEST:
            out.append(Number(j, Decimal(digits), "digits"))
    word = lat.text[i]
    if word == "dozen":
        out.append(Number(i + 1, Decimal(12), "dozen"))
    elif word == "a" and lat.says(i + 1, "dozen"):
        out.append(Number(i + 2, Decimal(12), "dozen"))
    elif word == "a" and lat.says(i + 1, "couple"):
        out.append(Number(i + 3 if lat.says(i + 2, "of") else i + 2, Decimal(2), "couple"))
    if lat.numeric(i):
        out += [
            Number(n.end + 1, n.value * 12, "dozen") for n in out if lat.word_at(n.end) in _DOZENS
        ]
    return out


_DOZENS = ("dozen", "dozens")

# --------------------------------------------------------------------------------------------- broken numbers

_PARTS = {
    "half": 2, "halves": 2, "third": 3, "thirds": 3, "quarter": 4, "quarters": 4, "fourth": 4, "fourths": 4, "fifth": 5,
    "fifths": 5, "sixth": 6, "sixths": 6, "eighth": 8, "eighths": 8, "tenth": 10, "tenths": 10, "hundredth": 100,
    "hundredths": 100, "thousandth": 1000, "thousandths": 1000, "sixteenth": 16, "sixteenths": 16,
}  # fmt: skip


@remembered
def fractions(lat: Lattice, i: int) -> list[Number]:
    """Fractions at `i`: "half", "a quarter", "three quarters", "3/4", "3 over 4"."""
    out: list[Number] = []
    tops: list[tuple[int, Decimal]] = []
    word = lat.text[i]
    if word in ("a", "an", "one"):
        tops.append((i + 1, Decimal(1)))
    elif word in ("half", "quarter"):
        tops.append((i, Decimal(1)))
    else:
        tops += [(end, Decimal(value)) for end, value in _low(lat, i)]
    for j, top in tops:
        if j >= lat.n or (j > i and not lat.close(j)):
            if (
                j < lat.n
                and lat.pre[j] == "/"
                and lat.cls[j] == FIGURE
                and lat.cls[i] == FIGURE
                and lat.val[j] > 0
            ):
                out.append(Number(j + 1, top / lat.val[j], "fraction"))
            continue
        part = _PARTS.get(lat.text[j])
        if part is not None:
            out.append(Number(j + 1, top / part, "fraction"))
        elif lat.text[j] == "over":
            out += [Number(end, top / low, "fraction") for end, low in _low(lat, j + 1) if low]
    return out


@remembered
def decimals(lat: Lattice, i: int) -> list[Number]:
    """Numbers with a part after the point at `i`, with a fraction, or multiplied by a scale ("2.5 million")."""
    out: list[Number] = []
    if lat.text[i] == "point":
        out += _after_point(lat, i + 1, Decimal(0))
    elif lat.cls[i] == OH and lat.says(i + 1, "point"):
        out += _after_point(lat, i + 2, Decimal(0))
    if pointed(lat, i):
        out += _written_part(lat, i, Decimal(0))
    for n in integers(lat, i):
        j = n.end
        if j >= lat.n:
            continue
        if lat.text[j] in ("point", "decimal", "dot") and lat.close(j):
            out += _after_point(lat, j + 1, n.value)
        elif lat.pre[j] == "." and lat.cls[j] == FIGURE and lat.cls[j - 1] == FIGURE:
            out += _written_part(lat, j, n.value)
        elif lat.text[j] == "and" or (
            lat.cls[j] == FIGURE and lat.pre[j] == " " and lat.cls[j - 1] == FIGURE
        ):
            start = skip_and(lat, j)
            out += [
                Number(f.end, n.value + f.value, "and a fraction")
                for f in fractions(lat, start)
                if f.value < 1
            ]
    if not pointed(lat, i):
        out += fractions(lat, i)
    out += [scaled for n in [*out, *integers(lat, i)] for scaled in _scaled(lat, n)]
    return out


def pointed(lat: Lattice, i: int) -> bool:
    """Whether a written decimal point without a whole part stands before the figures at `i` (".5")."""
    pre = lat.pre[i]
    return (
        lat.cls[i] == FIGURE
        and pre.endswith(".")
        and (i == 0 or lat.cls[i - 1] == SYMBOL or pre[-2:-1] in (" ", "-", "("))
    )


def _written_part(lat: Lattice, i: int, whole: Decimal) -> list[Number]:
    part = lat.text[i]
    return [Number(i + 1, _join(whole, part), "figures")] if len(part) < LONGEST else []


def _join(whole: Decimal, part: str) -> Decimal:
    return Decimal(f"{whole:f}.{part}")


def _after_point(lat: Lattice, i: int, whole: Decimal) -> list[Number]:
    """Digits after "point", as far as they go without a pause."""
    digits, j = "", i
    while j < lat.n and lat.close(j) and len(digits) < LONGEST:
        cls = lat.cls[j]
        if cls in (ONE, OH):
            step = (j + 1, str(lat.val[j]))
        elif cls in (TEEN, TENS):
            end, value = tens(lat, j)[-1]
            step = (end, str(value))
        elif cls == FIGURE:
            step = (j + 1, lat.text[j])
        elif cls == TIMES and (repeated := _repeated(lat, j)):
            step = (repeated[0].end, repeated[0].digits)
        else:
            break
        j, digits = step[0], digits + step[1]
    return [Number(j, _join(whole, digits), "point")] if digits else []


def _scaled(lat: Lattice, n: Number) -> Iterator[Number]:
    """A number times the scales after it: "2.5 million", "half a million", "2.12 hundred", "10K"."""
    j, value = n.end, n.value
    if n.style == "fraction":
        j += lat.word_at(j) == "of" and lat.word_at(j + 1) == "a"
        j += lat.word_at(j) == "a"
    if j >= lat.n:
        return
    if lat.text[j] in _DOZENS and n.style == "fraction":
        yield Number(j + 1, value * 12, "dozen")
        return
    letter = GLUED_SCALES.get(lat.text[j])
    if letter is not None:
        glued = lat.cls[j - 1] == FIGURE and not lat.pre[j]
        capital = lat.raw[j].isupper() and lat.close(j)
        if lat.text[j] in ("k", "bn", "tn"):
            said = glued or (capital and n.style in ("figures", "point"))
        else:
            said = capital and (glued or n.style in ("figures", "point"))
        if said:
            yield Number(j + 1, value * letter, "scaled")
        return
    if n.style == "place value":
        return
    while j < lat.n and lat.cls[j] in (SCALE, HUNDRED) and lat.close(j):
        value *= lat.val[j]
        j += 1
        if value >= _BOUND:
            return
        yield Number(j, value, "scaled")


@remembered
def numbers(lat: Lattice, i: int) -> list[Number]:
    """Whole and broken numbers at `i`, with a sign where one is said or written."""
    if lat.text[i] in ("minus", "negative"):
        start, sign = i + 1, -1
    else:
        start, sign = i, -1 if negative_mark(lat, i) else 1
    if start >= lat.n:
        return []
    found = decimals(lat, start)
    if not pointed(lat, start):
        found = integers(lat, start) + found
    if sign < 0:
        found = [Number(n.end, n.value.copy_negate(), n.style) for n in found]
    return list(dict.fromkeys(found))


def negative_mark(lat: Lattice, i: int) -> bool:
    """Whether a minus sign is written in front of atom `i`, as against a hyphen between two."""
    pre = lat.pre[i].rstrip(".")
    return pre.endswith("-") and (pre[-2:-1] in " (" if i else True)


@remembered
def ordinals(lat: Lattice, i: int) -> list[Number]:
    """Ordinal numbers at `i`: "3rd", "third", "twenty first", "one hundred and eleventh", "1,000th"."""
    cls = lat.cls[i]
    if cls in (ORDINAL_FIGURE, ORDINAL_WORD):
        return [
            Number(i + 1, Decimal(lat.val[i]), "figures" if cls == ORDINAL_FIGURE else "ordinal")
        ]
    out: dict[Number, None] = {}

    def add(end: int, value: int, style: str) -> None:
        if value < _BOUND:
            out[Number(end, Decimal(value), style)] = None

    if cls == FIGURE:
        digits, j = lat.text[i], i + 1
        if lat.word_at(j) in ("st", "nd", "rd", "th") and lat.pre[j] in ("", " "):
            add(j + 1, lat.val[i], "figures")
        while j < lat.n and lat.pre[j] == "," and lat.cls[j] == FIGURE and len(digits) <= LONGEST:
            digits, j = digits + lat.text[j], j + 1
        if (
            j < lat.n
            and lat.pre[j] == ","
            and lat.cls[j] == ORDINAL_FIGURE
            and len(digits) <= LONGEST
        ):
            add(j + 1, int(digits + lat.text[j].rstrip("stndrh")), "figures")
    for n in place(lat, i):
        value = int(n.value)
        joined = skip_and(lat, n.end)
        if joined >= lat.n or not lat.near(n.end) or not lat.near(joined):
            continue
        for end, low in _ordinal_tail(lat, joined):
            tens_before = joined == n.end and value % 100 >= 20 and value % 10 == 0
            if low >= 100 and joined == n.end:
                add(end, _multiplied(value, low), "ordinal")
            elif (low < 100 and value and value % 100 == 0) or (low < 10 and tens_before):
                add(end, value + low, "ordinal")
    return list(out)


def _ordinal_tail(lat: Lattice, j: int) -> list[tuple[int, int]]:
    """The ordinal end of a number at `j`: "ninth", "thirty fourth", "hundredth"."""
    if lat.cls[j] == ORDINAL_WORD or (lat.cls[j] == ORDINAL_FIGURE and lat.val[j] < 10):
        return [(j + 1, lat.val[j])]
    if (
        lat.cls[j] == TENS
        and j + 1 < lat.n
        and lat.cls[j + 1] == ORDINAL_WORD
        and lat.close(j + 1)
        and lat.val[j + 1] < 10
    ):
        return [(j + 2, lat.val[j] + lat.val[j + 1])]
    return []


def _multiplied(value: int, scale: int) -> int:
    """What "two million three" makes before "thousandth": the part below the scale is multiplied."""
    low = value % (scale * 1000) if scale > 100 else value % 100
    return value - low + low * scale


__all__ = [
    "Chunk",
    "Number",
    "chunks",
    "decimals",
    "figures",
    "fractions",
    "integers",
    "is_counted",
    "is_thing",
    "negative_mark",
    "numbers",
    "ordinals",
    "pairs",
    "place",
    "pointed",
    "tens",
]
