"""Numbers at a position of a lattice: every way the atoms there read as a number or as digits, with where it ends.

Nothing here decides what was meant: readers return all alternatives, and the acceptors keep the one that gives the
expected value over a maximal stretch.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from functools import wraps
from typing import NamedTuple, TypeVar

from s2sverify.text.lattice import (
    FIGURE,
    HUNDRED,
    LAST_NUMERIC,
    OH,
    ONE,
    ORDINAL_FIGURE,
    ORDINAL_WORD,
    SCALE,
    TEEN,
    TENS,
    TIMES,
    Lattice,
)


class Number(NamedTuple):
    """A number read from atoms ``[start, end)``; `start` is known to who asked."""

    end: int
    value: Decimal
    style: str


class Chunk(NamedTuple):
    """Digits read from atoms up to `end`."""

    end: int
    digits: str
    style: str


T = TypeVar("T")


def remembered(reader: Callable[[Lattice, int], list[T]]) -> Callable[[Lattice, int], list[T]]:
    """Keep what a reader found at a position in the lattice."""
    name = reader.__qualname__

    @wraps(reader)
    def ask(lat: Lattice, i: int) -> list[T]:
        key = (name, i)
        found = lat.memo.get(key)
        if found is None:
            found = lat.memo[key] = reader(lat, i) if i < lat.n else []
        return found  # type: ignore[return-value]

    return ask


def is_numeric(lat: Lattice, i: int) -> bool:
    return 0 <= i < lat.n and lat.cls[i] <= LAST_NUMERIC


def plain_gap(lat: Lattice, i: int) -> bool:
    """Whether the gap before atom `i` is a blank or a hyphen and nothing else."""
    return lat.pre[i].strip(" -") == ""


def loose_gap(lat: Lattice, i: int) -> bool:
    """As `plain_gap`, with commas."""
    return lat.pre[i].strip(" -,") == ""


# --------------------------------------------------------------------------------------------- place value


@remembered
def figure(lat: Lattice, i: int) -> list[tuple[int, str]]:
    """Figures at `i`, with thousands put together: "48" "," "213" reads 48 and 48213."""
    if lat.cls[i] != FIGURE:
        return []
    digits = lat.text[i]
    out = [(i + 1, digits)]
    if len(digits) <= 3 and digits[0] != "0":
        j = i + 1
        while (
            j < lat.n
            and lat.cls[j] == FIGURE
            and lat.pre[j] in (",", "'")
            and (len(lat.text[j]) == 3 or (len(lat.text[j]) == 2 and lat.pre[j] == ","))
        ):
            digits += lat.text[j]
            j += 1
            if len(lat.text[j - 1]) == 3:
                out.append((j, digits))
        if j > i + 1 and len(lat.text[j - 1]) == 2:
            out = out[:1]
    return out


def _two(lat: Lattice, i: int) -> list[tuple[int, int]]:
    """Values below 100 in words at `i`."""
    if i >= lat.n:
        return []
    cls = lat.cls[i]
    if cls in (ONE, TEEN):
        return [(i + 1, lat.val[i])]
    if cls == TENS:
        out = [(i + 1, lat.val[i])]
        if i + 1 < lat.n and lat.cls[i + 1] == ONE and lat.val[i + 1] and plain_gap(lat, i + 1):
            out.append((i + 2, lat.val[i] + lat.val[i + 1]))
        return out
    return []


def _and(lat: Lattice, i: int) -> int:
    """Position after an optional "and"."""
    return i + 1 if i < lat.n and lat.text[i] in ("and", "n") else i


@remembered
def _group(lat: Lattice, i: int) -> list[tuple[int, int]]:
    """What may stand before a scale: below 1,000 by the rules, "eighty five hundred", "one ninety" (hundred left out)."""
    out: list[tuple[int, int]] = []
    cls = lat.cls[i]
    if cls == FIGURE:
        out += [(end, int(digits)) for end, digits in figure(lat, i) if len(digits) < 30]
        heads = [(end, value) for end, value in out if value < 100]
    elif cls == HUNDRED:
        heads = [(i, 1)]
    elif lat.text[i] == "a" and i + 1 < lat.n and lat.cls[i + 1] == HUNDRED:
        heads = [(i + 1, 1)]
    else:
        out += _two(lat, i)
        heads = list(out)
    for end, value in heads:
        if end < lat.n and lat.cls[end] == HUNDRED and value and (end == i or plain_gap(lat, end)):
            base = value * 100
            out.append((end + 1, base))
            rest = end + 1
            after = _and(lat, rest)
            for start in {rest, after}:
                if start < lat.n and loose_gap(lat, start) and loose_gap(lat, rest):
                    out += [(stop, base + low) for stop, low in _two(lat, start) if low]
                    if lat.cls[start] == FIGURE and (
                        0 < lat.val[start] < 100
                        and (start == after != rest or len(lat.text[start]) == 2)
                    ):
                        out.append((start + 1, base + lat.val[start]))
    return out


@remembered
def _left_out(lat: Lattice, i: int) -> list[tuple[int, int]]:
    """ "One twenty three" and "one oh five": a hundred that nobody says."""
    if lat.cls[i] != ONE or not lat.val[i] or i + 1 >= lat.n or not plain_gap(lat, i + 1):
        return []
    base = 100 * lat.val[i]
    out = [(end, base + low) for end, low in _two(lat, i + 1) if low >= 10]
    if lat.cls[i + 1] == OH or (lat.cls[i + 1] == ONE and lat.val[i + 1] == 0):
        if i + 2 < lat.n and lat.cls[i + 2] == ONE and plain_gap(lat, i + 2):
            out.append((i + 3, base + lat.val[i + 2]))
    return out


@remembered
def place(lat: Lattice, i: int) -> list[Number]:
    """Whole numbers by place value at `i`: words, figures, and both mixed ("2 hundred", "13 lakh")."""
    out: list[Number] = []

    def go(j: int, total: int, below: int, first: bool) -> None:
        groups = list(_group(lat, j)) if j < lat.n else []
        if not first:
            groups += _left_out(lat, j) if j < lat.n else []
        if j < lat.n and lat.cls[j] == SCALE and first:
            groups.append((j, 1))
        if first and lat.text[j] == "a" and j + 1 < lat.n and lat.cls[j + 1] == SCALE:
            groups.append((j + 1, 1))
        for end, value in groups:
            said = end > j and not (lat.text[j] == "a" and end == j + 1)
            if said and value < below and (value or first):
                out.append(Number(end, Decimal(total + value), "place value"))
            if end < lat.n and lat.cls[end] == SCALE and value and lat.pre[end].strip(" -") == "":
                scale = lat.val[end]
                at = end + 1
                while (
                    at < lat.n and lat.cls[at] == SCALE and plain_gap(lat, at)
                ):  # "hundred thousand million"
                    scale *= lat.val[at]
                    at += 1
                if scale >= below or scale > 10**24:
                    continue
                new = total + value * scale
                out.append(Number(at, Decimal(new), "place value"))
                if at < lat.n and loose_gap(lat, at):
                    for start in {at, _and(lat, at)}:
                        if start < lat.n and (start == at or loose_gap(lat, start)):
                            go(start, new, scale, False)

    if lat.cls[i] <= LAST_NUMERIC or lat.text[i] == "a":
        go(i, 0, 10**30, True)
    return list(dict.fromkeys(out))


# --------------------------------------------------------------------------------------------- digits


def digit_of(lat: Lattice, i: int) -> str | None:
    """The single digit that atom `i` names outright: "four", "oh", or a figure of one digit."""
    cls = lat.cls[i]
    if cls in (ONE, OH):
        return str(lat.val[i])
    if cls == FIGURE and len(lat.text[i]) == 1:
        return lat.text[i]
    return None


@remembered
def chunks(lat: Lattice, i: int) -> list[Chunk]:
    """Digits that atoms from `i` on can stand for, as one step of a run of digits."""
    cls = lat.cls[i]
    if cls == FIGURE:
        out = [Chunk(i + 1, lat.text[i], "figures")]
        if i + 1 < lat.n and lat.cls[i + 1] in (HUNDRED, SCALE):
            out += [
                Chunk(n.end, str(n.value), "place value") for n in place(lat, i) if n.end > i + 1
            ]
        return out
    if cls in (ONE, OH):
        out = [Chunk(i + 1, str(lat.val[i]), "digits")]
        if cls == ONE and lat.val[i] and i + 1 < lat.n and lat.cls[i + 1] in (HUNDRED, SCALE):
            out = _grouped(lat, i)
        return out
    if cls in (TEEN, TENS, HUNDRED, SCALE):
        return _grouped(lat, i)
    if cls == TIMES and i + 1 < lat.n:
        times, j = lat.val[i], i + 1
        if lat.text[j] in ("digit", "number") and j + 1 < lat.n:
            j += 1
        if lat.cls[j] in (ONE, OH):
            return [Chunk(j + 1, str(lat.val[j]) * times, "double")]
        if lat.cls[j] == FIGURE:
            figures = lat.text[j]
            return [Chunk(j + 1, figures[0] * times + figures[1:], "double")]
    return []


def _grouped(lat: Lattice, i: int) -> list[Chunk]:
    """Tens, hundreds and thousands as a group of digits; shorter groups only where a pause or more digits allow them."""
    readings = place(lat, i)
    if not readings:
        return []
    longest = max(n.end for n in readings)
    out = []
    for n in readings:
        j = n.end
        if j != longest:
            comma = "," in lat.pre[j] or "." in lat.pre[j]
            spelled = (
                lat.cls[j - 1] in (HUNDRED, SCALE)
                and lat.cls[j] in (ONE, OH, FIGURE)
                and j + 1 < lat.n
                and is_numeric(lat, j + 1)
            )
            if not (comma or spelled):
                continue
        out.append(Chunk(j, str(n.value), "groups"))
    return out


# --------------------------------------------------------------------------------------------- whole numbers


@remembered
def pairs(lat: Lattice, i: int) -> list[Number]:
    """Two halves, as years and prices are said: "twenty fourteen", "nineteen oh six", "fourteen fifty six"."""
    if lat.cls[i] not in (TEEN, TENS):
        return []
    out = []
    for mid, high in _two(lat, i):
        if (
            mid >= lat.n
            or not plain_gap(lat, mid)
            or (lat.cls[mid] == ONE and lat.cls[mid - 1] == TENS)
        ):
            continue
        if lat.cls[mid] in (TEEN, TENS):
            out += [Number(end, Decimal(100 * high + low), "pairs") for end, low in _two(lat, mid)]
        elif lat.cls[mid] == OH and mid + 1 < lat.n and lat.cls[mid + 1] == ONE:
            out.append(Number(mid + 2, Decimal(100 * high + lat.val[mid + 1]), "pairs"))
    return out


@remembered
def integers(lat: Lattice, i: int) -> list[Number]:
    """Whole numbers at `i`, by place value, with the hundred left out, in two halves, and digit by digit."""
    out = list(place(lat, i))
    out += [Number(end, Decimal(value), "hundred left out") for end, value in _left_out(lat, i)]
    out += pairs(lat, i)
    if lat.cls[i] in (ONE, OH):
        digits, j = "", i
        while (
            j < lat.n and lat.cls[j] in (ONE, OH) and (j == i or plain_gap(lat, j)) and j - i < 30
        ):
            digits += str(lat.val[j])
            j += 1
            if j > i + 1 or lat.cls[i] == OH:
                out.append(Number(j, Decimal(digits), "digits"))
    return out


_FRACTIONS = {
    "half": Decimal("0.5"), "halves": Decimal("0.5"), "quarter": Decimal("0.25"), "quarters": Decimal("0.25"),
    "third": None, "thirds": None, "eighth": Decimal("0.125"), "eighths": Decimal("0.125"),
    "fourth": Decimal("0.25"), "fourths": Decimal("0.25"), "fifth": Decimal("0.2"), "fifths": Decimal("0.2"),
    "tenth": Decimal("0.1"), "tenths": Decimal("0.1"), "hundredths": Decimal("0.01"),
}  # fmt: skip


@remembered
def fractions(lat: Lattice, i: int) -> list[Number]:
    """Fractions below one at `i`: "a half", "three quarters", "3/4", "half"."""
    out: list[Number] = []
    top, j = Decimal(1), i
    if lat.text[i] in ("a", "an"):
        j = i + 1
    elif lat.cls[i] == ONE or (lat.cls[i] == FIGURE and len(lat.text[i]) <= 2):
        top, j = Decimal(lat.val[i]), i + 1
        if (
            lat.cls[i] == FIGURE
            and j < lat.n
            and lat.cls[j] == FIGURE
            and lat.pre[j] == "/"
            and 0 < lat.val[j] <= 100
        ):
            out.append(Number(j + 1, top / lat.val[j], "fraction"))
    if j < lat.n and (j == i or plain_gap(lat, j)):
        part = _FRACTIONS.get(lat.text[j])
        if part is not None and (j > i or lat.text[j] in ("half", "quarter")):
            out.append(Number(j + 1, top * part, "fraction"))
    return out


@remembered
def decimals(lat: Lattice, i: int) -> list[Number]:
    """Numbers with a part after the point at `i`, and numbers that a scale multiplies ("2.5 million")."""
    out: list[Number] = []
    heads: list[tuple[int, Decimal]] = []
    if lat.text[i] in ("point", "decimal"):
        heads.append((i, Decimal(0)))
    elif lat.cls[i] == FIGURE and lat.pre[i].endswith("."):
        tail = lat.pre[i]
        if (len(tail) == 1 or tail[-2] in " $£€-") and len(lat.text[i]) < 30:  # ".5"
            out.append(Number(i + 1, Decimal("0." + lat.text[i]), "figures"))
    heads += [(n.end, n.value) for n in integers(lat, i)]
    for end, whole in heads:
        if end >= lat.n or whole != int(whole):
            continue
        if lat.text[end] in ("point", "decimal", "dot") and (end == i or plain_gap(lat, end)):
            for stop, digits in _after_point(lat, end + 1):
                if len(digits) < 30:
                    out.append(Number(stop, Decimal(f"{whole}.{digits}"), "point"))
        elif lat.cls[end] == FIGURE and lat.pre[end] == "." and lat.cls[end - 1] == FIGURE:
            if len(lat.text[end]) < 30:
                out.append(Number(end + 1, Decimal(f"{whole}.{lat.text[end]}"), "figures"))
        elif lat.text[end] == "and" and end > i:
            out += [
                Number(n.end, whole + n.value, "and a fraction")
                for n in (fractions(lat, end + 1) if end + 1 < lat.n else [])
                if n.value < 1
            ]
        elif lat.cls[end] == FIGURE and lat.pre[end] == " ":
            out += [
                Number(n.end, whole + n.value, "and a fraction")
                for n in fractions(lat, end)
                if n.value < 1
            ]
    out += fractions(lat, i)
    scaled = []
    for n in out:
        j, value = n.end, n.value
        if j < lat.n and lat.text[j] == "a" and n.style == "fraction":
            j += 1
        while j < lat.n and lat.cls[j] in (SCALE, HUNDRED) and (plain_gap(lat, j)):
            value *= lat.val[j]
            j += 1
            scaled.append(Number(j, value, "scaled"))
    return out + scaled


def _after_point(lat: Lattice, i: int) -> list[tuple[int, str]]:
    """Digits after "point": all chunks that follow without a pause."""
    out: list[tuple[int, str]] = []
    digits, j = "", i
    while j < lat.n and (plain_gap(lat, j)) and len(digits) < 30:
        steps = (
            [c for c in chunks(lat, j) if c.style != "place value"] if lat.cls[j] != SCALE else []
        )
        if lat.cls[j] == TENS or lat.cls[j] == TEEN:
            ends = _two(lat, j)
            end, value = ends[-1]
            digits, j = digits + str(value), end
        elif lat.cls[j] in (ONE, OH, FIGURE):
            digits, j = digits + (lat.text[j] if lat.cls[j] == FIGURE else str(lat.val[j])), j + 1
        elif steps and lat.cls[j] == TIMES:
            digits, j = digits + steps[0].digits, steps[0].end
        else:
            break
        out.append((j, digits))
    return out


@remembered
def numbers(lat: Lattice, i: int) -> list[Number]:
    """Whole and broken numbers at `i`, with a sign where one is said or written."""
    start, sign = i, 1
    if lat.text[i] in ("minus", "negative") and i + 1 < lat.n:
        start, sign = i + 1, -1
    found = integers(lat, start) + decimals(lat, start)
    if sign > 0 and negative_mark(lat, i):
        sign = -1
    if sign < 0:
        found = [Number(n.end, -n.value, n.style) for n in found]
    return list(dict.fromkeys(found))


def negative_mark(lat: Lattice, i: int) -> bool:
    """A minus sign written in front of atom `i`, as against a hyphen between two."""
    pre = lat.pre[i]
    return pre.endswith("-") and (len(pre) == 1 if i == 0 else len(pre) > 1 and pre[-2] in " (")


@remembered
def ordinals(lat: Lattice, i: int) -> list[Number]:
    """Ordinal numbers at `i`: "3rd", "third", "twenty first", "one hundred and eleventh"."""
    out = []
    if lat.cls[i] == ORDINAL_FIGURE:
        out.append(Number(i + 1, Decimal(lat.val[i]), "figures"))
    if lat.cls[i] == ORDINAL_WORD:
        out.append(Number(i + 1, Decimal(lat.val[i]), "ordinal"))
    heads = [*place(lat, i)] if is_numeric(lat, i) or lat.text[i] == "a" else []
    if (
        lat.cls[i] in (FIGURE,)
        and i + 1 < lat.n
        and lat.cls[i + 1] == ORDINAL_FIGURE
        and lat.pre[i + 1] == ","
    ):
        digits, j = lat.text[i], i + 1
        while j < lat.n and lat.pre[j] == "," and lat.cls[j] in (FIGURE, ORDINAL_FIGURE):
            digits += lat.text[j].rstrip("stndrh")
            j += 1
            if lat.cls[j - 1] == ORDINAL_FIGURE:
                out.append(Number(j, Decimal(digits), "figures"))
                break
    for n in heads:
        j = n.end
        start = _and(lat, j)
        for at in {j, start}:
            if at >= lat.n or lat.cls[at] != ORDINAL_WORD or not loose_gap(lat, at):
                continue
            low, last = lat.val[at], n.value % 100
            if (low < 10 and last >= 20 and last % 10 == 0 and at == j) or (low < 100 and n.value % 100 == 0 and n.value):
                out.append(Number(at + 1, n.value + low, "ordinal"))
            elif low >= 100 and at == j:
                if low == 100 and 0 < last < 100:
                    out.append(Number(at + 1, n.value - last + last * 100, "ordinal"))
                elif low > 100:
                    out.append(
                        Number(at + 1, n.value % 1000 * low + n.value // 1000 * 1000, "ordinal")
                    )
            # "fifty sixth" inside "three hundred fifty sixth"
        for at in {j, start}:
            if (
                at < lat.n
                and lat.cls[at] == TENS
                and at + 1 < lat.n
                and lat.cls[at + 1] == ORDINAL_WORD
            ):
                if n.value % 100 == 0 and lat.val[at + 1] < 10:
                    out.append(Number(at + 2, n.value + lat.val[at] + lat.val[at + 1], "ordinal"))
    return list(dict.fromkeys(out))
