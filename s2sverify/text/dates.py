"""Dates and weekdays: every date a text names, with what of it was said."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from typing import NamedTuple

from s2sverify.text import vocabulary as vocab
from s2sverify.text.lattice import (
    FIGURE,
    OH,
    ONE,
    ORDINAL_FIGURE,
    ORDINAL_WORD,
    TEEN,
    TENS,
    Lattice,
)
from s2sverify.text.numbers import _two, is_numeric, loose_gap, ordinals, pairs, place


class Day(NamedTuple):
    """Atoms ``[start, end)`` name a date; None for what was not said."""

    start: int
    end: int
    year: int | None
    month: int | None
    day: int | None
    weekday: int | None
    style: str

    def fits(self, year: int | None, month: int | None, day: int | None) -> bool:
        """Whether nothing said disagrees, and all but the year was said."""
        if month is not None and self.month != month:
            return False
        if day is not None and self.day != day:
            return False
        if month is None and self.month is not None:
            return False
        if day is None and self.day is not None:
            return False
        if self.year is None:
            return month is not None
        return year is None or self.year == year or (self.year < 100 and self.year == year % 100)


def years(lat: Lattice, i: int) -> list[tuple[int, int]]:
    """Years at `i`: four figures, two halves, place value, "oh five"; (end, year), two digits where only two were said."""
    if i >= lat.n:
        return []
    out: list[tuple[int, int]] = []
    cls = lat.cls[i]
    if cls == FIGURE:
        if len(lat.text[i]) == 4 and 1000 <= lat.val[i] < 3000:
            out.append((i + 1, lat.val[i]))
        elif len(lat.text[i]) == 2:
            out.append((i + 1, lat.val[i]))
            if (
                i + 1 < lat.n
                and lat.cls[i + 1] == FIGURE
                and len(lat.text[i + 1]) == 2
                and lat.pre[i + 1] == " "
            ):
                out.append((i + 2, 100 * lat.val[i] + lat.val[i + 1]))
        return out
    out += [(n.end, int(n.value)) for n in pairs(lat, i)]
    out += [(n.end, int(n.value)) for n in place(lat, i) if 1000 <= n.value < 3000]
    if cls in (TENS, TEEN):
        out += [(end, value) for end, value in _two(lat, i) if value >= 10]
    if (cls == OH or (cls == ONE and lat.val[i] == 0)) and i + 1 < lat.n and lat.cls[i + 1] == ONE:
        out.append((i + 2, lat.val[i + 1]))
    digits = ""
    for j in range(i, min(lat.n, i + 4)):
        if lat.cls[j] not in (ONE, OH):
            break
        digits += str(lat.val[j])
    if len(digits) == 4 and digits[0] in "12":
        out.append((i + 4, int(digits)))
    return out


def _days(lat: Lattice, i: int) -> list[tuple[int, int]]:
    """Days of a month at `i`, as ordinals or plain numbers."""
    if i >= lat.n:
        return []
    out = [(n.end, int(n.value)) for n in ordinals(lat, i) if 1 <= n.value <= 31]
    if is_numeric(lat, i):
        out += [(end, value) for end, value in _two(lat, i) if 1 <= value <= 31]
        if lat.cls[i] == FIGURE and len(lat.text[i]) <= 2 and 1 <= lat.val[i] <= 31:
            out.append((i + 1, lat.val[i]))
    return list(dict.fromkeys(out))


def _year_after(lat: Lattice, j: int) -> list[tuple[int, int | None]]:
    """No year, and the years that may follow at `j`."""
    out: list[tuple[int, int | None]] = [(j, None)]
    at = j
    if at < lat.n and lat.text[at] in ("of", "in"):
        at += 1
    if at < lat.n and lat.pre[j].strip(" ,-/.'") == "":
        for end, year in years(lat, at):
            if end < lat.n and (
                is_numeric(lat, end) and loose_gap(lat, end) and "," not in lat.pre[end]
            ):
                continue
            if (
                end < lat.n
                and lat.text[end] in ("am", "pm", "o'clock", "%", "percent", "dollars")
                and year < 100
            ):
                continue
            if end < lat.n and lat.cls[end] == FIGURE and lat.pre[end] == ":":
                continue
            if (
                year < 100
                and lat.cls[at] == FIGURE
                and "'" not in lat.pre[at]
                and lat.pre[at] not in ("-", "/", ".", " ")
            ):
                continue
            out.append((end, year))
    return out


def days(lat: Lattice, *, day_first: bool) -> list[Day]:
    """Every date in the text that names a month, in words or figures, or a full year alone."""
    key = ("days", day_first)
    kept = lat.memo.get(key)
    if kept is not None:
        return kept  # type: ignore[return-value]
    out: list[Day] = []
    for i in range(lat.n):
        word = lat.text[i]
        month = vocab.MONTHS.get(word)
        if month is not None and not (word in ("may", "mar", "march") and not _month_like(lat, i)):
            j = i + 1
            at = j + 1 if j < lat.n and lat.text[j] == "the" else j
            found = False
            for end, d in _days(lat, at):
                if not (lat.pre[j].strip(" ,.-") == ""):
                    continue
                for stop, year in _year_after(lat, end):
                    out.append(Day(i, stop, year, month, d, None, "month first"))
                    found = True
            for stop, year in _year_after(lat, j):
                if year is None or year >= 100 or lat.pre[j] == "-":
                    out.append(
                        Day(
                            i,
                            stop,
                            year,
                            month,
                            None,
                            None,
                            "month" if year is None else "month and year",
                        )
                    )
            del found
        for end, d in _days(lat, i):
            j = end
            while j < lat.n and lat.text[j] in ("day", "of", "the"):
                j += 1
            if j < lat.n and lat.text[j] == "month":
                continue
            if (
                j < lat.n
                and (m := vocab.MONTHS.get(lat.text[j]))
                and lat.pre[j].strip(" -,.") == ""
            ):
                if i and is_numeric(lat, i - 1) and loose_gap(lat, i) and "," not in lat.pre[i]:
                    continue
                for stop, year in _year_after(lat, j + 1):
                    out.append(Day(i, stop, year, m, d, None, "day first"))
        if lat.cls[i] == FIGURE:
            out += _figure_dates(lat, i, day_first)
    # a year alone
    for i in range(lat.n):
        if i and is_numeric(lat, i - 1):
            continue
        for end, year in years(lat, i):
            if year >= 1000 and not (end < lat.n and is_numeric(lat, end) and loose_gap(lat, end)):
                out.append(Day(i, end, year, None, None, None, "year"))
    lat.memo[key] = out
    return out


def _month_like(lat: Lattice, i: int) -> bool:
    """Whether "may" or "march" is a month: a number stands beside it, or it is capitalised inside a sentence."""
    around = [i + 1, i - 1, i + 2]
    for j in around:
        if 0 <= j < lat.n and (is_numeric(lat, j) or lat.cls[j] in (ORDINAL_FIGURE, ORDINAL_WORD)):
            return True
    return (i > 0 and lat.raw[i][0].isupper()) or (i > 0 and lat.text[i - 1] in ("of", "in"))


def _figure_dates(lat: Lattice, i: int, day_first: bool) -> list[Day]:
    """ "2027-05-13", "5/13/2027", "13.5.27", "5/13"."""
    parts, j = [lat.text[i]], i + 1
    marks = []
    while j < lat.n and lat.cls[j] == FIGURE and lat.pre[j] in ("/", "-", ".") and len(parts) < 4:
        parts.append(lat.text[j])
        marks.append(lat.pre[j])
        j += 1
    if len(set(marks)) != 1 or len(parts) > 3 or any(len(p) > 4 for p in parts):
        return []
    out = []
    if len(parts) == 3:
        a, b, c = map(int, parts)
        if len(parts[0]) == 4 and len(parts[1]) <= 2 and len(parts[2]) <= 2:
            orders = [(a, b, c)]
        elif len(parts[0]) <= 2 and len(parts[1]) <= 2 and len(parts[2]) in (2, 4):
            orders = [(c, b, a), (c, a, b)] if day_first else [(c, a, b), (c, b, a)]
            if 1 <= orders[0][1] <= 12 and 1 <= orders[0][2] <= 31:
                orders = orders[:1]
        else:
            return []
        for year, month, day in orders:
            if 1 <= month <= 12 and 1 <= day <= 31:
                out.append(Day(i, j, year, month, day, None, "figures"))
    elif len(parts) == 2 and marks[0] == "/":
        a, b = map(int, parts)
        if len(parts[1]) == 4 and 1 <= a <= 12:
            out.append(Day(i, j, b, a, None, None, "figures"))
        elif len(parts[0]) <= 2 and len(parts[1]) <= 2:
            month, day = (b, a) if day_first else (a, b)
            if not 1 <= month <= 12:
                month, day = day, month
            if 1 <= month <= 12 and 1 <= day <= 31:
                out.append(Day(i, j, None, month, day, None, "figures"))
    return out


class Weekday(NamedTuple):
    start: int
    end: int
    value: int


_SHORT_IS_WORD = frozenset(("sat", "sun", "mon", "wed", "fri", "tue", "thu"))


def weekdays(lat: Lattice) -> list[Weekday]:
    out = []
    for i, word in enumerate(lat.text):
        n = vocab.WEEKDAYS.get(word)
        if n is None and word.endswith("s"):
            n = vocab.WEEKDAYS.get(word[:-1]) if len(word) > 5 else None
        if n is None and word.endswith("'s"):
            n = vocab.WEEKDAYS.get(word[:-2])
        if n is None:
            continue
        if word in ("sat", "sun", "wed", "mon") and not (lat.raw[i][0].isupper() or lat.n <= 2):
            continue
        out.append(Weekday(i, i + 1, n))
    return out


def relative(lat: Lattice, reference: date) -> list[Day]:
    """ "Today", "tomorrow", "next Friday" counted from `reference`."""
    out = []
    for i, word in enumerate(lat.text):
        offset = {"today": 0, "tonight": 0, "tomorrow": 1, "yesterday": -1}.get(word)
        if offset is not None:
            start = i
            if word == "tomorrow" and lat.text[max(0, i - 3) : i] == ["the", "day", "after"]:
                offset, start = 2, i - 3
            elif word == "tomorrow" and lat.text[max(0, i - 2) : i] == ["day", "after"]:
                offset, start = 2, i - 2
            d = reference + timedelta(days=offset)
            out.append(Day(start, i + 1, d.year, d.month, d.day, d.weekday(), "relative"))
    return out


__all__ = ["Day", "Decimal", "Weekday", "days", "relative", "weekdays", "years"]
