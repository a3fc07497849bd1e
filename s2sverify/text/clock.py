"""Clock times: every time a text names, with the half of the day where one is said."""

from __future__ import annotations

from typing import NamedTuple

from s2sverify.text.lattice import FIGURE, HUNDRED, LETTER, OH, ONE, TEEN, TENS, Lattice
from s2sverify.text.numbers import _two, is_numeric, plain_gap


class Clock(NamedTuple):
    """Atoms ``[start, end)`` name a time. `half` is "am", "pm", "24" (a 24-hour form) or "" (not said)."""

    start: int
    end: int
    hour: int
    minute: int
    half: str
    style: str
    marked: bool  # something in it says that it is a time: a colon, "o'clock", "am", "half past"

    def fits(self, hour: int, minute: int) -> bool:
        if self.minute != minute:
            return False
        if self.half == "am":
            return self.hour % 12 == hour
        if self.half == "pm":
            return self.hour % 12 + 12 == hour
        if self.half == "24" or self.hour > 12:
            return self.hour % 24 == hour
        return self.hour % 12 == hour % 12

    @property
    def value(self) -> str:
        """HH:MM on the 24-hour clock, with " AM|PM unsaid" left open by a leading ~."""
        if self.half == "am":
            return f"{self.hour % 12:02d}:{self.minute:02d}"
        if self.half == "pm":
            return f"{self.hour % 12 + 12:02d}:{self.minute:02d}"
        return f"{self.hour % 24:02d}:{self.minute:02d}"


_TO = frozenset(["to", "till", "til", "of", "before"])
_PAST = frozenset(["past", "after"])
_ZONES = frozenset(
    ["est", "edt", "et", "cst", "cdt", "ct", "mst", "mdt", "mt", "pst", "pdt", "pt", "gmt", "utc", "bst", "ist", "cet", "cest", "aest", "eastern", "central", "pacific", "mountain"]
)
_PARTS = {"morning": "am", "afternoon": "pm", "evening": "pm", "night": "pm", "noon": "pm"}
_BEFORE_BARE = frozenset(
    ["at", "by", "until", "till", "from", "between", "around", "about", "before", "after", "is", "was", "for", "to", "and", "approximately", "roughly", "past"]
)


def _suffix(lat: Lattice, j: int, hour: int) -> tuple[int, str, bool]:
    """What follows a time at `j`: end, half of the day, whether anything was there."""
    half, any_ = "", False
    while j < lat.n:
        word = lat.text[j]
        gap = lat.pre[j]
        if any(c in gap for c in ";?!") or ("." in gap and " " in gap):
            break
        if word in ("am", "pm") and not half:
            half, j, any_ = word, j + 1, True
        elif word in ("a", "p") and j + 1 < lat.n and lat.text[j + 1] == "m" and not half:
            half, j, any_ = word + "m", j + 2, True
        elif word in ("o'clock", "oclock"):
            j, any_ = j + 1, True
        elif (word == "o'" and j + 1 < lat.n and lat.text[j + 1] == "clock") or (word == "o" and j + 1 < lat.n and lat.text[j + 1] == "clock"):
            j, any_ = j + 2, True
        elif (
            word == "in"
            and lat.text[j + 1 : j + 2] == ["the"]
            and lat.text[j + 2 : j + 3]
            and lat.text[j + 2] in _PARTS
        ):
            said = _PARTS[lat.text[j + 2]]
            half, j, any_ = half or said, j + 3, True
        elif word == "at" and lat.text[j + 1 : j + 2] == ["night"]:
            said = "am" if (hour % 12 < 5 and hour != 0) or hour == 12 else "pm"
            half, j, any_ = half or said, j + 2, True
        elif (
            word in ("this", "tomorrow", "in", "yesterday")
            and j + 1 < lat.n
            and lat.text[j + 1] in _PARTS
        ):
            half, j, any_ = half or _PARTS[lat.text[j + 1]], j + 2, True
        elif word == "tonight":
            half, j, any_ = half or "pm", j + 1, True
        elif word in ("hours", "hrs"):
            break
        elif word in _ZONES and any_:
            j += 1
        elif word in ("noon", "midday") and hour == 12:
            half, j, any_ = "pm", j + 1, True
        elif word == "midnight" and hour == 12:
            half, j, any_ = "am", j + 1, True
        elif lat.cls[j] == LETTER and any_ and "".join(lat.text[j : j + 3]) in _ZONES:
            j += 3
        else:
            break
    return j, half, any_


def _hour_minutes(lat: Lattice, i: int) -> list[tuple[int, int, int, str, bool]]:
    """(end, hour, minute, style, marked) for a time told as hour and minutes from `i`."""
    out: list[tuple[int, int, int, str, bool]] = []
    cls = lat.cls[i]
    if cls == FIGURE:
        text, value = lat.text[i], lat.val[i]
        if len(text) <= 2 and value <= 24:
            nxt = i + 1
            if (
                nxt < lat.n
                and lat.cls[nxt] == FIGURE
                and len(lat.text[nxt]) == 2
                and lat.val[nxt] < 60
            ):
                gap = lat.pre[nxt]
                if gap in (":", ".", "h"):
                    end = nxt + 1
                    if (
                        end < lat.n
                        and lat.cls[end] == FIGURE
                        and lat.pre[end] == ":"
                        and len(lat.text[end]) == 2
                    ):
                        end += 1
                    out.append((end, value, lat.val[nxt], "figures", gap == ":"))
                elif gap.strip(" ,-") == "":
                    out.append((nxt + 1, value, lat.val[nxt], "figures", False))
            if nxt < lat.n and lat.cls[nxt] in (TEEN, TENS, OH):
                out += [(end, value, m, "hour and minutes", False) for end, m in _minutes(lat, nxt)]
            out.append((i + 1, value, 0, "hour", False))
        elif len(text) in (3, 4) and int(text[:-2]) <= 24 and int(text[-2:]) < 60:
            out.append((i + 1, int(text[:-2]), int(text[-2:]), "figures", False))
    elif cls in (ONE, TEEN, TENS):
        for end, hour in _two(lat, i):
            if hour > 24:
                continue
            out.append((end, hour, 0, "hour", False))
            if end < lat.n and lat.pre[end].strip(" -,") == "":
                out += [
                    (stop, hour, m, "hour and minutes", False) for stop, m in _minutes(lat, end)
                ]
    digits, j = "", i
    while j < lat.n and len(digits) < 4 and (j == i or plain_gap(lat, j)):
        if lat.cls[j] in (ONE, OH) or (lat.cls[j] == FIGURE and len(lat.text[j]) == 1) or (lat.cls[j] == TEEN and len(digits) in (1, 2)):
            digits += str(lat.val[j])
        elif lat.cls[j] == TENS and len(digits) in (1, 2):
            ends = _two(lat, j)
            digits += str(ends[-1][1])
            j = ends[-1][0] - 1
        elif lat.cls[j] == HUNDRED and len(digits) in (1, 2) and digits:
            digits += "00"
        else:
            break
        j += 1
        if len(digits) in (3, 4) and int(digits[:-2]) <= 24 and int(digits[-2:]) < 60:
            out.append((j, int(digits[:-2]), int(digits[-2:]), "digits", False))
    return out


def _minutes(lat: Lattice, j: int) -> list[tuple[int, int]]:
    out = [(end, m) for end, m in _two(lat, j) if 10 <= m < 60]
    if lat.cls[j] == OH or (lat.cls[j] == ONE and lat.val[j] == 0):
        if (j + 1 < lat.n and lat.cls[j + 1] in (ONE, OH)) or (j + 1 < lat.n and lat.cls[j + 1] == FIGURE and len(lat.text[j + 1]) == 1):
            out.append((j + 2, lat.val[j + 1]))
    if lat.cls[j] == FIGURE and len(lat.text[j]) == 2 and lat.val[j] < 60:
        out.append((j + 1, lat.val[j]))
    if lat.cls[j] == HUNDRED:
        out.append((j + 1, 0))
    return out


def clocks(lat: Lattice) -> list[Clock]:
    """Every clock time in the text."""
    kept = lat.memo.get("clocks")
    if kept is not None:
        return kept  # type: ignore[return-value]
    out: list[Clock] = []
    for i in range(lat.n):
        word = lat.text[i]
        if word in ("noon", "midday", "midnight"):
            hour = 0 if word == "midnight" else 12
            out.append(Clock(i, i + 1, hour, 0, "24", word, True))
            continue
        for end, off, style in _offsets(lat, i):
            for stop, hour, minute, _, _ in _target_hours(lat, end):
                total = (hour * 60 + minute + off) % 1440
                last, half, _ = _suffix(lat, stop, hour)
                if half == "am":
                    total = ((hour % 12) * 60 + minute + off) % 1440
                    out.append(Clock(i, last, total // 60, total % 60, "24", style, True))
                elif half == "pm":
                    total = ((hour % 12 + 12) * 60 + minute + off) % 1440
                    out.append(Clock(i, last, total // 60, total % 60, "24", style, True))
                elif lat.text[end] in ("noon", "midday", "midnight"):
                    out.append(Clock(i, last, total // 60, total % 60, "24", style, True))
                else:
                    out.append(
                        Clock(
                            i, last, total // 60, total % 60, "24" if hour > 12 else "", style, True
                        )
                    )
        if not is_numeric(lat, i):
            continue
        if (
            i
            and is_numeric(lat, i - 1)
            and (("," not in lat.pre[i] and "." not in lat.pre[i]) or " " not in lat.pre[i])
        ):
            continue
        if (i and lat.text[i - 1] in ("point", "past", "minus")) or (i and lat.text[i - 1] in "$£€"):
            continue
        for end, hour, minute, style, marked in _hour_minutes(lat, i):
            last, half, said = _suffix(lat, end, hour)
            if (
                last < lat.n
                and is_numeric(lat, last)
                and not said
                and lat.pre[last].strip(" ") == ""
                and last == end
            ):
                continue
            if last < lat.n and is_numeric(lat, last) and " " not in lat.pre[last]:
                continue
            if lat.text[last : last + 1] in (["hours"], ["hrs"], ["hour"]) and (
                hour > 12 or style == "digits" or lat.text[i][0] == "0"
            ):
                last, half, said = last + 1, "24", True
            out.append(Clock(i, last, hour, minute, half, style, marked or said))
    lat.memo["clocks"] = out
    return out


def _offsets(lat: Lattice, i: int) -> list[tuple[int, int, str]]:
    """ "Half past", "a quarter to", "ten minutes after": (position of the hour, minutes to add, style)."""
    out: list[tuple[int, int, str]] = []
    heads: list[tuple[int, int]] = []
    word = lat.text[i]
    if word == "half":
        heads.append((i + 1, 30))
    elif word == "quarter":
        heads.append((i + 1, 15))
    elif word == "a" and lat.text[i + 1 : i + 2] == ["quarter"]:
        heads.append((i + 2, 15))
    elif is_numeric(lat, i) and not (i and is_numeric(lat, i - 1)):
        heads += [(end, m) for end, m in _two(lat, i) if m < 60]
        if lat.cls[i] == FIGURE and len(lat.text[i]) <= 2 and lat.val[i] < 60:
            heads.append((i + 1, lat.val[i]))
    for end, minutes in heads:
        if end < lat.n and lat.text[end] in ("minute", "minutes", "mins", "min"):
            end += 1
        if end >= lat.n:
            continue
        word = lat.text[end]
        if word in _TO and minutes != 30 and end + 1 < lat.n:
            out.append((end + 1, -minutes, "minutes to"))
        elif word in _PAST and end + 1 < lat.n:
            out.append(
                (
                    end + 1,
                    minutes,
                    "half past" if minutes == 30 and lat.text[i] == "half" else "minutes past",
                )
            )
        elif lat.text[i] == "half" and end == i + 1 and lat.cls[end] in (ONE, TEEN):
            out.append((end, 30, "half"))
    return out


def _target_hours(lat: Lattice, j: int) -> list[tuple[int, int, int, str, bool]]:
    word = lat.text[j]
    if word in ("noon", "midday"):
        return [(j + 1, 12, 0, "", True)]
    if word == "midnight":
        return [(j + 1, 0, 0, "", True)]
    found = _hour_minutes(lat, j) if is_numeric(lat, j) else []
    found = [f for f in found if 1 <= f[1] <= 23]
    longest = max((f[0] for f in found), default=0)
    return [f for f in found if f[0] == longest]


def introduced(lat: Lattice, clock: Clock) -> bool:
    """Whether an unmarked time stands where a time would: after "at", or alone."""
    i, j = clock.start, clock.end
    before = lat.text[i - 1] if i else ""
    ends = (
        j >= lat.n
        or bool(lat.pre[j].strip(" "))
        or lat.text[j]
        in (
            "and",
            "on",
            "is",
            "or",
            "to",
            "until",
            "till",
            "for",
            "with",
            "in",
            "tomorrow",
            "today",
            "next",
            "right",
        )
    )
    return (i == 0 or before in _BEFORE_BARE) and ends
