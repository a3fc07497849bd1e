"""Dates and weekdays: every date a text names, with what of it was said."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from typing import NamedTuple

from s2sverify.text.amounts import currency_at, is_half_day, is_percent
from s2sverify.text.lattice import Lattice
from s2sverify.text.numbers import is_counted, oh_one, ordinals, pairs, place, tens
from s2sverify.text.strings import pause, typed_ahead
from s2sverify.text.vocabulary import (
    DAY_PARTS,
    FIGURE,
    LETTER,
    MONTHS,
    OH,
    ONE,
    ORDINAL_FIGURE,
    ORDINAL_WORD,
    TEEN,
    TENS,
    WEEKDAYS,
    words,
)


class Day(NamedTuple):
    """Atoms ``[start, end)`` name a date; None for what was not said."""

    start: int
    end: int
    year: int | None
    month: int | None
    day: int | None
    style: str

    def fits(self, year: int | None, month: int | None, day: int | None) -> bool:
        """Whether nothing said disagrees, and all but the year was said."""
        if self.month != month or self.day != day:
            return False
        if self.year is None:
            return month is not None
        return year is None or self.year == year or (self.year < 100 and self.year == year % 100)


# --------------------------------------------------------------------------------------------- parts


def years(lat: Lattice, i: int) -> list[tuple[int, int]]:
    """Years at `i`: four figures, two halves, place value, "oh five"; below 100 where only two digits were said."""
    if i >= lat.n:
        return []
    out: list[tuple[int, int]] = []
    cls = lat.cls[i]
    if cls == FIGURE:
        if len(lat.text[i]) == 4 and lat.val[i] >= 1000:
            out.append((i + 1, lat.val[i]))
        elif len(lat.text[i]) == 2:
            out.append((i + 1, lat.val[i]))
            if (
                i + 1 < lat.n
                and lat.cls[i + 1] == FIGURE
                and len(lat.text[i + 1]) == 2
                and lat.close(i + 1)
            ):
                out.append((i + 2, 100 * lat.val[i] + lat.val[i + 1]))
        return out
    out += [(n.end, int(n.value)) for n in pairs(lat, i)]
    out += [(n.end, int(n.value)) for n in place(lat, i) if 1000 <= n.value < 10_000]
    if cls in (TENS, TEEN):
        out += [(end, value) for end, value in tens(lat, i) if value >= 10]
    out += oh_one(lat, i)
    digits = ""
    for j in range(i, min(lat.n, i + 4)):
        if lat.cls[j] not in (ONE, OH) or (j > i and not lat.close(j)):
            break
        digits += str(lat.val[j])
    if len(digits) == 4 and digits[0] in "12":
        out.append((i + 4, int(digits)))
    return out


def _day_of_month(lat: Lattice, i: int) -> list[tuple[int, int]]:
    """Days of a month at `i`, as ordinals or plain numbers."""
    if i >= lat.n:
        return []
    out = [(n.end, int(n.value)) for n in ordinals(lat, i)]
    if lat.numeric(i):
        out += tens(lat, i)
        if lat.cls[i] == FIGURE and len(lat.text[i]) <= 2:
            out.append((i + 1, lat.val[i]))
            if i + 1 < lat.n and not lat.pre[i + 1] and lat.text[i + 1] in ("st", "nd", "rd", "th"):
                out.append((i + 2, lat.val[i]))
    return [(end, day) for end, day in dict.fromkeys(out) if 1 <= day <= 31]


_CLOCK_LINKS = words("past after to till til before minute minutes mins o'clock oclock o hundred")


def _then_year(lat: Lattice, j: int) -> Iterator[tuple[int, int | None]]:
    """No year, and the years that may follow at `j`."""
    yield j, None
    at = j + 1 if lat.word_at(j) in ("of", "in") else j
    if lat.says(at, "the", "year"):
        at += 2
    if at >= lat.n or lat.pre[j].strip(" ,-/.'"):
        return
    for end, year in years(lat, at):
        if end < lat.n:
            if (
                lat.numeric(end)
                and lat.near(end)
                and not (
                    1900 <= year < 2100
                    and lat.apart(end)
                    and (typed_ahead(lat, end) or _clock_ahead(lat, end))
                )
            ):
                continue
            if lat.cls[end] == FIGURE and not lat.apart(end):
                continue
            if (
                is_percent(lat, end)
                or (currency_at(lat, end) and lat.text[end] != "$")
                or is_counted(lat, end)
            ):
                continue
            if year < 100 and lat.text[end] in _CLOCK_LINKS:
                continue
            if is_half_day(lat, end) or (
                lat.text[end] in ("in", "at") and lat.word_at(end + 1) in ("the", "night")
            ):
                continue
        if year < 100 and lat.cls[at] == FIGURE and "'" not in lat.pre[at] and "," in lat.pre[at]:
            continue
        yield end, year


def _clock_ahead(lat: Lattice, j: int) -> bool:
    """Whether an hour, with minutes or not, and "am", "pm" or a part of the day stand at `j`."""
    if (
        lat.cls[j] == FIGURE
        and j + 1 < lat.n
        and lat.cls[j + 1] == FIGURE
        and lat.pre[j + 1] in (":", ".")
    ):
        return True
    for end in {e for e, hour in tens(lat, j) if hour <= 24} | (
        {j + 1} if lat.cls[j] == FIGURE else set()
    ):
        stops = {end} | {e for e, _ in (tens(lat, end) + oh_one(lat, end) if end < lat.n else [])}
        stops |= {end + 1} if end < lat.n and lat.cls[end] == FIGURE else set()
        for stop in stops:
            if is_half_day(lat, stop) or lat.word_at(stop) in (
                "o'clock",
                "past",
                "to",
                "o",
                "in",
                "at",
                "hundred",
            ):
                return True
    return False


def _month_at(lat: Lattice, i: int) -> int | None:
    """The month named at `i`; "may" and "march" only where a number stands beside them or they are written as names."""
    word = lat.word_at(i)
    month = MONTHS.get(word)
    if month is None or word not in ("may", "mar", "march", "dec", "jan", "sep", "sept"):
        return month
    if word not in ("may", "mar", "march"):
        return month
    for k in (i + 1, i - 1):
        if 0 <= k < lat.n and (lat.numeric(k) or lat.cls[k] in (ORDINAL_FIGURE, ORDINAL_WORD)):
            return month
    if lat.word_at(i - 1) in (
        "of",
        "in",
        "next",
        "last",
        "this",
        "early",
        "late",
        "since",
        "until",
        "by",
        "every",
    ):
        return month
    if (
        lat.says(i + 1, "the")
        and i + 2 < lat.n
        and lat.cls[i + 2] in (ORDINAL_FIGURE, ORDINAL_WORD, TENS, TEEN)
    ):
        return month
    return month if lat.n == 1 or (i > 0 and lat.raw[i][0].isupper() and not lat.shouted) else None


# --------------------------------------------------------------------------------------------- dates


def days(lat: Lattice, *, day_first: bool) -> list[Day]:
    """Every date in a text, with all its readings: with a month, in words or figures, and years alone."""
    key = ("days", day_first)
    found: list[Day] | None = lat.memo.get(key)
    if found is None:
        found = lat.memo[key] = [d for i in range(lat.n) for d in _days_at(lat, i, day_first)]
    return found


def _days_at(lat: Lattice, i: int, day_first: bool) -> Iterator[Day]:
    if lat.text[i] in MONTHS:
        month = _month_at(lat, i)
        if month is not None:
            yield from _month_first(lat, i, month)
    elif lat.numeric(i) or lat.cls[i] in (ORDINAL_FIGURE, ORDINAL_WORD):
        if lat.cls[i] == FIGURE and (i == 0 or lat.apart(i)):
            yield from _in_figures(lat, i, day_first)
        behind = i > 0 and lat.numeric(i - 1) and not pause(lat.pre[i])
        if behind and not (lat.cls[i] == ORDINAL_FIGURE and lat.apart(i)):
            return
        yield from _day_first(lat, i)
        if lat.word_at(i - 1) not in MONTHS:
            for end, year in years(lat, i):
                if year >= 1000 and not (end < lat.n and lat.numeric(end) and lat.near(end)):
                    yield Day(i, end, year, None, None, "year")


def _month_first(lat: Lattice, i: int, month: int) -> Iterator[Day]:
    j = i + 1
    k = i - 2 if lat.word_at(i - 1) in ("of", "day") else i - 1
    behind_day = k >= 0 and (
        lat.cls[k] in (ORDINAL_FIGURE, ORDINAL_WORD) or (k < i - 1 and lat.numeric(k))
    )
    if j < lat.n and not lat.pre[j].strip(" ,.-") and not behind_day:
        for end, day in _day_of_month(lat, j + 1 if lat.text[j] == "the" else j):
            if end < lat.n and (
                is_half_day(lat, end)
                or is_percent(lat, end)
                or (lat.cls[end] == FIGURE and lat.pre[end] in (":", "."))
            ):
                continue
            for stop, year in _then_year(lat, end):
                yield Day(i, stop, year, month, day, "month first")
    for stop, year in _then_year(lat, j):
        if year is None or year >= 1000 or lat.pre[j] == "-":
            yield Day(i, stop, year, month, None, "month" if year is None else "month and year")


def _day_first(lat: Lattice, i: int) -> Iterator[Day]:
    for end, day in _day_of_month(lat, i):
        j = end
        while lat.word_at(j) in ("day", "of", "the"):
            j += 1
        misheard = j == end and lat.word_at(j) == "to" and lat.word_at(j + 1) in MONTHS
        j += misheard
        month = _month_at(lat, j) if j < lat.n and not lat.pre[j].strip(" -,.") else None
        if month is not None:
            for stop, year in _then_year(lat, j + 1):
                yield Day(i, stop, year, month, day, "to for of" if misheard else "day first")


def _in_figures(lat: Lattice, i: int, day_first: bool) -> Iterator[Day]:
    """Dates in figures: "2027-05-13", "5/13/2027", "13.5.27", "5/13"."""
    parts, marks, j = [lat.text[i]], "", i + 1
    while j < lat.n and lat.cls[j] == FIGURE and lat.pre[j] in ("/", "-", ".") and len(parts) < 4:
        parts.append(lat.text[j])
        marks += lat.pre[j]
        j += 1
    sizes = [len(p) for p in parts]
    if len(set(marks)) != 1 or max(sizes) > 4:
        return
    a, b, *rest = map(int, parts)
    if len(parts) == 3 and sizes[0] == 4 and max(sizes[1:]) <= 2:
        orders = [(a, b, rest[0])]
    elif len(parts) == 3 and max(sizes[:2]) <= 2 and sizes[2] in (2, 4):
        dmy, mdy = (rest[0], b, a), (rest[0], a, b)
        orders = [dmy, mdy] if day_first else [mdy, dmy]
    elif len(parts) == 2 and marks == "/" and max(sizes) <= 2:
        orders = [(-1, b, a), (-1, a, b)] if day_first else [(-1, a, b), (-1, b, a)]
    elif len(parts) == 2 and marks == "/" and sizes[0] <= 2 and sizes[1] == 4 and 1 <= a <= 12:
        yield Day(i, j, b, a, None, "figures")
        return
    else:
        return
    for year, month, day in orders:
        if 1 <= month <= 12 and 1 <= day <= 31:
            yield Day(i, j, year if year >= 0 else None, month, day, "figures")
            return


def relative(lat: Lattice, today: date) -> list[Day]:
    """Days counted from `today`: "tomorrow", "the day after tomorrow", "this Friday", "in three days"."""
    out = []
    for i, word in enumerate(lat.text):
        start, end, offset = (
            i,
            i + 1,
            {"today": 0, "tonight": 0, "tomorrow": 1, "yesterday": -1}.get(word),
        )
        if word == "tomorrow" and lat.says(i - 2, "day", "after"):
            start, offset = i - 2, 2
        elif word in WEEKDAYS and lat.word_at(i - 1) in ("this", "on", "coming", "next"):
            ahead = (WEEKDAYS[word] - today.weekday()) % 7 or 7
            start, offset = i - 1, ahead
            if lat.text[i - 1] == "next" and ahead < 7 - today.weekday():
                offset = ahead + 7
            if i + 1 < lat.n and (lat.text[i + 1] in MONTHS or lat.text[i + 1] == "the"):
                continue
        elif word == "in" and lat.numeric(i + 1):
            for stop, n in tens(lat, i + 1) or [(i + 2, lat.val[i + 1])]:
                unit = lat.word_at(stop)
                if unit in ("day", "days", "week", "weeks"):
                    end, offset = stop + 1, n * (7 if unit.startswith("week") else 1)
        if offset is not None:
            try:
                day = today + timedelta(days=offset)
            except OverflowError:
                continue
            out.append(Day(start, end, day.year, day.month, day.day, "relative"))
    return out


# --------------------------------------------------------------------------------------------- weekdays


class Weekday(NamedTuple):
    start: int
    end: int
    value: int  # Monday 0


_BEFORE_DAY = words(
    "on is was this next last every by until till from for and or to before after since day morning it's"
)


def weekdays(lat: Lattice) -> list[Weekday]:
    """Every day of the week in a text; short forms only where they are written as names or stand as one."""
    out = []
    for i, word in enumerate(lat.text):
        n = WEEKDAYS.get(word)
        if n is None and len(word) > 6:
            n = WEEKDAYS.get(word.removesuffix("s").removesuffix("'"))
        if n is None:
            continue
        if word in ("sat", "sun", "wed", "mon", "fri", "thu", "tue"):
            capital = lat.raw[i][0].isupper() and not lat.shouted
            if not (
                capital
                or lat.n == 1
                or lat.word_at(i + 1) in MONTHS
                or (lat.word_at(i - 1) in _BEFORE_DAY and word not in ("sat", "sun"))
            ):
                continue
        out.append(Weekday(i, i + 1, n))
    return out


# --------------------------------------------------------------------------------------------- decades


def decades(lat: Lattice) -> list[tuple[int, int, int]]:
    """Decades and centuries in a text: (start, end, first year), below 100 where the century is not said."""
    out = []
    tens_of = {
        "twenties": 20,
        "thirties": 30,
        "forties": 40,
        "fifties": 50,
        "sixties": 60,
        "seventies": 70,
        "eighties": 80,
        "nineties": 90,
        "tens": 10,
    }
    for i in range(lat.n):
        j = i + 1
        if (
            lat.cls[i] == FIGURE
            and j < lat.n
            and lat.cls[j] == LETTER
            and lat.text[j] == "s"
            and lat.pre[j] in ("", "'")
            and lat.val[i] % 10 == 0
        ):
            out.append((i, j + 1, lat.val[i]))
        decade = tens_of.get(lat.text[i])
        if decade is not None:
            out.append((i, j, decade))
        if lat.cls[i] in (TEEN, TENS):
            for end, high in tens(lat, i):
                if lat.word_at(end) in tens_of:
                    out.append((i, end + 1, 100 * high + tens_of[lat.text[end]]))
                elif lat.word_at(end) == "hundreds":
                    out.append((i, end + 1, 100 * high))
        if lat.says(i, "two", "thousands"):
            out.append((i, i + 2, 2000))
    return out


__all__ = ["DAY_PARTS", "Day", "Weekday", "days", "decades", "relative", "weekdays", "years"]
