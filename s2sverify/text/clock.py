"""Clock times: every time a text names, with the half of the day where one is said."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from s2sverify.text.amounts import begins, currency_at, is_percent
from s2sverify.text.dates import days
from s2sverify.text.lattice import Lattice
from s2sverify.text.numbers import is_counted, oh_one, tens
from s2sverify.text.strings import crossing, pause
from s2sverify.text.vocabulary import (
    DAY_PARTS,
    FIGURE,
    HUNDRED,
    LETTER,
    MONTHS,
    OH,
    ONE,
    ORDINAL_FIGURE,
    ORDINAL_WORD,
    SYMBOL,
    TEEN,
    TENS,
    words,
)


class Clock(NamedTuple):
    """Atoms ``[start, end)`` name a time."""

    start: int
    end: int
    hour: int
    minute: int
    half: str  # "am", "pm", "24" for a time of the 24-hour clock, "" where nothing tells
    style: str
    marked: bool  # something says that it is a time: a colon, "o'clock", "am", "half past"

    def fits(self, hour: int, minute: int) -> bool:
        """Whether this can be `hour`:`minute` of the 24-hour clock."""
        if self.minute != minute:
            return False
        if self.half == "am":
            return self.hour % 12 == hour
        if self.half == "pm":
            return self.hour % 12 + 12 == hour
        if self.half == "24" or self.hour > 12:
            return self.hour % 24 == hour
        return self.hour % 12 == hour % 12

    def value(self, like: int = 0) -> str:
        """HH:MM of the 24-hour clock; where the half of the day is not said, the half that hour `like` is in."""
        hour = self.hour % 24
        if self.half == "am":
            hour = self.hour % 12
        elif self.half == "pm":
            hour = self.hour % 12 + 12
        elif self.half == "" and self.hour <= 12:
            hour = self.hour % 12 + (12 if like >= 12 else 0)
        return f"{hour:02d}:{self.minute:02d}"


_TO = words("to till til of before")
_PAST = words("past after")
_ZONES = words(
    "est edt et cst cdt ct mst mdt mt pst pdt pt gmt utc bst ist cet cest aest eastern central pacific mountain local"
)
_MINUTES = words("minute minutes mins min")


class _Tail(NamedTuple):
    end: int
    half: str
    said: bool  # anything that marks a time was said


def _tail(lat: Lattice, j: int, hour: int) -> _Tail:
    """What follows a time at `j`: "p.m.", "o'clock", "in the morning", a time zone."""
    half, said = "", False
    while j < lat.n:
        word, gap = lat.text[j], lat.pre[j]
        if any(c in gap for c in ";?!") or ("." in gap and " " in gap):
            break
        if word in ("am", "pm") and not half:
            half, j = word, j + 1
        elif word in ("a", "p") and lat.says(j + 1, "m") and not half:
            half, j = word + "m", j + 2
        elif word in ("o'clock", "oclock"):
            j += 1
        elif word == "o" and lat.says(j + 1, "clock"):
            j += 2
        elif word == "in" and lat.word_at(j + 1) == "the" and lat.word_at(j + 2) in DAY_PARTS:
            half, j = half or DAY_PARTS[lat.text[j + 2]], j + 3
        elif word == "at" and lat.says(j + 1, "night"):
            half, j = half or ("am" if hour % 12 < 5 else "pm"), j + 2
        elif word in ("this", "tomorrow", "in", "yesterday") and lat.word_at(j + 1) in DAY_PARTS:
            half, j = half or DAY_PARTS[lat.text[j + 1]], j + 2
        elif word == "tonight":
            half, j = half or "pm", j + 1
        elif word in ("noon", "midday") and hour == 12 and not half:
            half, j = "pm", j + 1
        elif word == "midnight" and hour == 12 and not half:
            half, j = "am", j + 1
        elif word == "sharp" and said:
            j += 1
        elif word in _ZONES and said:
            j += 2 if lat.word_at(j + 1) == "time" else 1
        elif (
            lat.cls[j] == LETTER
            and said
            and "".join(lat.text[j : j + 3]) in _ZONES
            and len(lat.text[j + 2 : j + 3])
        ):
            j += 3
        else:
            break
        said = True
    return _Tail(j, half, said)


class _Told(NamedTuple):
    """A time told as hour and minutes."""

    end: int
    hour: int
    minute: int
    style: str
    marked: bool


def _told(lat: Lattice, i: int) -> Iterator[_Told]:
    cls = lat.cls[i]
    if cls == FIGURE:
        yield from _figures(lat, i)
    elif cls in (ONE, TEEN, TENS):
        for end, hour in tens(lat, i):
            if hour <= 24:
                yield _Told(end, hour, 0, "hour", False)
                if end < lat.n and lat.near(end):
                    for stop, minute in _minutes(lat, end):
                        yield _Told(stop, hour, minute, "hour and minutes", False)
    yield from _digit_by_digit(lat, i)


def _figures(lat: Lattice, i: int) -> Iterator[_Told]:
    text, value, j = lat.text[i], lat.val[i], i + 1
    if len(text) in (3, 4):
        hour, minute = divmod(value, 100)
        if hour <= 24 and minute < 60:
            yield _Told(j, hour, minute, "figures", False)
        return
    if len(text) > 2 or value > 24:
        return
    yield _Told(j, value, 0, "hour", False)
    if j >= lat.n:
        return
    if lat.cls[j] == FIGURE and len(lat.text[j]) == 2 and lat.val[j] < 60:
        gap = lat.pre[j]
        if gap in (":", "."):
            end = j + 1
            if (
                end < lat.n
                and lat.cls[end] == FIGURE
                and lat.pre[end] == ":"
                and len(lat.text[end]) == 2
            ):
                end += 1
            yield _Told(end, value, lat.val[j], "figures", gap == ":")
        elif lat.near(j):
            yield _Told(j + 1, value, lat.val[j], "figures", False)
    elif lat.text[j] == "h" and not lat.pre[j]:
        if (
            j + 1 < lat.n
            and lat.cls[j + 1] == FIGURE
            and not lat.pre[j + 1]
            and lat.val[j + 1] < 60
        ):
            yield _Told(j + 2, value, lat.val[j + 1], "figures", True)
    elif lat.near(j):
        for stop, minute in _minutes(lat, j):
            yield _Told(stop, value, minute, "hour and minutes", False)


def _minutes(lat: Lattice, j: int) -> list[tuple[int, int]]:
    """Minutes as said behind an hour: "thirty", "oh five", "zero zero", "hundred"."""
    out = [(end, minute) for end, minute in tens(lat, j) if 10 <= minute < 60] + oh_one(lat, j)
    after = j + 1
    if lat.cls[j] in (OH, ONE) and not lat.val[j] and after < lat.n and lat.close(after):
        if lat.cls[after] in (OH, ONE) and not lat.val[after]:
            out.append((after + 1, 0))
        elif lat.cls[after] == FIGURE and len(lat.text[after]) == 1:
            out.append((after + 1, lat.val[after]))
    if lat.cls[j] == FIGURE and len(lat.text[j]) == 2 and lat.val[j] < 60:
        out.append((after, lat.val[j]))
    if lat.cls[j] == HUNDRED:
        out.append((after, 0))
    return out


def _digit_by_digit(lat: Lattice, i: int) -> Iterator[_Told]:
    """Times told in digits: "four zero zero", "oh nine forty five", "0 9 4 5"."""
    digits, j = "", i
    while j < lat.n and len(digits) < 4 and (j == i or lat.close(j)):
        cls = lat.cls[j]
        if cls in (ONE, OH) or (cls == FIGURE and len(lat.text[j]) == 1):
            digits, j = digits + str(lat.val[j]), j + 1
        elif cls in (TEEN, TENS) and 1 <= len(digits) <= 2:
            j, value = tens(lat, j)[-1]
            digits += str(value)
        elif cls == HUNDRED and 1 <= len(digits) <= 2:
            digits, j = digits + "00", j + 1
        elif cls == FIGURE and len(lat.text[j]) == 2 and len(digits) == 2:
            digits, j = digits + lat.text[j], j + 1
        else:
            break
        if len(digits) in (3, 4) and int(digits[:-2]) <= 24 and int(digits[-2:]) < 60:
            yield _Told(j, int(digits[:-2]), int(digits[-2:]), "digits", False)


def clocks(lat: Lattice) -> list[Clock]:
    """Every clock time in a text, with all its readings."""
    found: list[Clock] | None = lat.memo.get("clocks")
    if found is None:
        found = [c for i in range(lat.n) for c in _clocks_at(lat, i)]
        ends: dict[int, int] = {}
        for d in days(lat, day_first=False):
            if d.day is not None:
                ends[d.start] = max(d.end, ends.get(d.start, 0))
        for j in sorted(set(ends.values())):
            found += [c for c in clocks_from(lat, j) if c.marked]
        lat.memo["clocks"] = found = list(dict.fromkeys(found))
    return found


def clocks_from(lat: Lattice, i: int) -> list[Clock]:
    """Clock times that begin right at atom `i`, whatever stands before it, such as the year of a date."""
    return list(_clocks_at(lat, i, behind_date=True)) if i < lat.n else []


def _clocks_at(lat: Lattice, i: int, *, behind_date: bool = False) -> Iterator[Clock]:
    word = lat.text[i]
    if word in ("noon", "midday", "midnight"):
        yield Clock(i, i + 1, 0 if word == "midnight" else 12, 0, "24", word, True)
    yield from _offset_clocks(lat, i, behind_date)
    if not lat.numeric(i) or not (behind_date or begins(lat, i)):
        return
    if i and not behind_date and _is_something_else(lat, i):
        return
    for told in _told(lat, i):
        end, half, said = _tail(lat, told.end, told.hour)
        if _number_goes_on(lat, end) and not (said and lat.apart(end)):
            continue
        if lat.word_at(end) in ("hours", "hrs", "hour") and (
            told.hour > 12
            or told.style == "digits"
            or lat.cls[told.end - 1] == HUNDRED
            or lat.text[i][0] == "0"
        ):
            end, half, said = end + 1, "24", True
        if not half and not (told.marked or said):
            half = _part_before(lat, i) or _half_of_range(lat, end, told.hour)
            said = bool(half)
        yield Clock(i, end, told.hour, told.minute, half, told.style, told.marked or said)


def _is_something_else(lat: Lattice, i: int) -> bool:
    """Whether the number at `i` is the day of a month, an amount, part of a decimal, or the hour of "ten to nine"."""
    before = lat.text[i - 1]
    return before == "point" or before in MONTHS or lat.cls[i - 1] == SYMBOL or _is_target(lat, i)


def _number_goes_on(lat: Lattice, j: int) -> bool:
    if j >= lat.n or pause(lat.pre[j]):
        return False
    return lat.numeric(j) or lat.cls[j] in (ORDINAL_WORD, ORDINAL_FIGURE) or crossing(lat, j)


def _is_target(lat: Lattice, i: int) -> bool:
    """Whether the hour at `i` belongs to "quarter to", "ten past" and the like."""
    if lat.word_at(i - 1) not in _TO | _PAST:
        return False
    announced = lat.text[i - 2] in _MINUTES or lat.text[i - 2] in ("quarter", "half")
    return any(
        at == i and (announced or begins(lat, k))
        for k in range(max(0, i - 4), i - 1)
        for at, _, _ in _offsets(lat, k, True)
    )


def _part_before(lat: Lattice, i: int) -> str:
    """The half of the day told in front: "tonight at seven", "tomorrow morning at ten"."""
    k = i - 1
    if lat.word_at(k) in ("at", "by", "around", "about", "from"):
        k -= 1
    if k < 0 or not all(lat.close(n) for n in range(k + 1, i + 1)):
        return ""
    word, before = lat.text[k], lat.word_at(k - 1)
    if word == "tonight":
        return "pm"
    if word in DAY_PARTS and (before in _BEFORE_PART or before.endswith("day")):
        return DAY_PARTS[word]
    return ""


def _half_of_range(lat: Lattice, j: int, hour: int) -> str:
    """The half of the day that the end of a range tells for its beginning: "between 2 and 4 pm", "11 to 1 pm"."""
    at = j + 1
    if lat.word_at(j) not in ("and", "to", "until", "till", "through", "or") or not lat.numeric(at):
        return ""
    for told in _told(lat, at):
        half = _tail(lat, told.end, told.hour).half
        if half and hour <= 12 and told.hour <= 12:
            earlier = hour % 12 <= told.hour % 12
            return half if earlier else {"am": "pm", "pm": "am"}[half]
    return ""


_BEFORE_PART = words("this tomorrow the in yesterday on every")


def _offset_clocks(lat: Lattice, i: int, behind_date: bool) -> Iterator[Clock]:
    """Times told from the hour: "half past seven", "a quarter to noon", "ten minutes after nine"."""
    for at, minutes, style in _offsets(lat, i, behind_date):
        word = lat.text[at]
        if word in ("noon", "midday", "midnight"):
            total = (720 if word != "midnight" else 0) + minutes
            yield Clock(i, at + 1, total % 1440 // 60, total % 60, "24", style, True)
            continue
        targets = [t for t in _told(lat, at) if 1 <= t.hour <= 23]
        furthest = max((t.end for t in targets), default=0)
        for told in targets:
            if told.end != furthest:
                continue
            tail = _tail(lat, told.end, told.hour)
            hour = told.hour
            if tail.half:
                hour = hour % 12 + (12 if tail.half == "pm" else 0)
            total = (hour * 60 + told.minute + minutes) % 1440
            half = "24" if tail.half or hour > 12 else ""
            yield Clock(i, tail.end, total // 60, total % 60, half, style, True)


def _offsets(lat: Lattice, i: int, behind_date: bool) -> Iterator[tuple[int, int, str]]:
    """Position of the hour, minutes to add, style."""
    word = lat.text[i]
    heads: list[tuple[int, int]] = []
    if word == "half":
        heads.append((i + 1, 30))
    elif word == "quarter":
        heads.append((i + 1, 15))
    elif word == "a" and lat.says(i + 1, "quarter"):
        heads.append((i + 2, 15))
    elif lat.numeric(i) and (behind_date or begins(lat, i)):
        heads += [(end, minutes) for end, minutes in tens(lat, i) if minutes < 60]
        if lat.cls[i] == FIGURE and len(lat.text[i]) <= 2 and lat.val[i] < 60:
            heads.append((i + 1, lat.val[i]))
    for end, minutes in heads:
        at = end + 1 if lat.word_at(end) in _MINUTES else end
        link, hour = lat.word_at(at), at + 1
        bare = at == end and lat.numeric(i)  # "ten to nine", without "minutes"
        if (
            bare
            and link in _TO
            and (
                minutes % 5
                or not minutes
                or link == "before"
                or lat.word_at(i - 1) in ("from", "between")
            )
        ):
            continue
        if hour < lat.n and link in _TO and minutes != 30:
            yield hour, -minutes, "minutes to"
        elif hour < lat.n and link in _PAST:
            yield hour, minutes, "half past" if word == "half" else "minutes past"
        elif (
            word == "half"
            and at == i + 1
            and at < lat.n
            and lat.cls[at] in (ONE, TEEN)
            and lat.close(at)
        ):
            yield at, 30, "half seven"


_BEFORE_BARE = words(
    "sorry mean rather actually wait no at by until till from between around about before after is"
    " was to and approximately roughly be starts start opens open closes close leaves leave"
    " arrives arrive begins begin ends end departs say says maybe time"
)
_AFTER_BARE = words(
    "and on is or to until till for with in tomorrow today next right down as this but if when"
    " sharp please okay ok anything thanks then so i we you the that works"
)


def stands_bare(lat: Lattice, clock: Clock) -> bool:
    """Whether an unmarked time can be one where it stands.

    Nothing may be counted by it, and an hour alone must follow "at" or the like.
    """
    i, j = clock.start, clock.end
    if j < lat.n and (
        is_counted(lat, j)
        or is_percent(lat, j)
        or (currency_at(lat, j) is not None and not pause(lat.pre[j]))
        or lat.text[j] in MONTHS
        or (lat.cls[j] in (ORDINAL_FIGURE, ORDINAL_WORD) and not pause(lat.pre[j]))
    ):
        return False
    if i and (lat.text[i - 1] in MONTHS or lat.text[i - 1] in _LABELLED):
        return False
    if lat.cls[j - 1] == HUNDRED and clock.hour <= 12 and lat.text[i][0] not in "0o":
        return False  # "seven hundred" is a number
    if clock.style != "hour":
        return True
    before = lat.word_at(i - 1)
    after = j >= lat.n or bool(lat.pre[j].strip(" ")) or lat.text[j] in _AFTER_BARE
    return (i == 0 or before in _BEFORE_BARE) and after


_LABELLED = words(
    "room gate flight suite apartment apt unit bus train extension ext code number order ticket seat row page"
)

__all__ = ["Clock", "clocks", "clocks_from", "stands_bare"]
