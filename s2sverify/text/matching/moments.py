"""Expected clock times, dates, both together, and days of the week."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import date, datetime, time

from s2sverify.errors import InputError
from s2sverify.text import amounts, clock, dates, nearmiss
from s2sverify.text.kinds import Value
from s2sverify.text.lattice import Lattice, fold, lattice_of
from s2sverify.text.matching.base import (
    Difference,
    Found,
    Matcher,
    Policy,
    Stretch,
    far_apart,
    longest,
)
from s2sverify.text.nearmiss import Edit
from s2sverify.text.strings import Hit
from s2sverify.text.vocabulary import WEEKDAY_NAMES, WEEKDAYS

_MISHEARD = "to for of"  # the style of "13 to May"


class TimeMatcher(Matcher):
    """Clock times: a spoken AM or PM must agree; an unsaid one fits either half of the day."""

    kind = "time"

    def __init__(self, expected: Value, kind: str, policy: Policy) -> None:
        self.policy = policy
        self.open_half = False  # "9:45" does not tell which half of the day it means
        if isinstance(expected, datetime | time):
            self.hour, self.minute = expected.hour, expected.minute
        else:
            text = fold(str(expected)).strip()
            iso = re.fullmatch(
                r"T?(\d{1,2}):(\d{2})(?::\d{2}(?:\.\d+)?)?\s*(?:Z|[+-]\d\d:?\d\d)?", text
            )
            if iso and int(iso[1]) < 25 and int(iso[2]) < 60:
                self.hour, self.minute = int(iso[1]) % 24, int(iso[2])
                self.open_half = len(iso[1]) == 1
            else:
                found = [c for c in clock.clocks(lattice_of(text)) if c.start == 0]
                if not found:
                    raise InputError(
                        f"expected must be a time of day such as '19:30', got {expected!r}"
                    )
                best = max(found, key=lambda c: (c.end, c.marked))
                self.hour, self.minute = (int(p) for p in best.value().split(":"))
                self.open_half = best.half == "" and best.hour <= 12
        self.canonical = f"{self.hour:02d}:{self.minute:02d}"

    @property
    def key(self) -> object:
        return self.hour, self.minute

    def hits(self, lat: Lattice) -> list[Hit]:
        return self.hits_among(lat, longest(clock.clocks(lat)))

    def hits_among(self, lat: Lattice, clocks: Sequence[clock.Clock]) -> list[Hit]:
        """The clock times that are the value; one that nothing marks is in doubt beside one that is marked."""
        out = []
        marked = any(c.marked for c in clocks)
        for c in clocks:
            doubt = ""
            if not c.fits(self.hour, self.minute):
                if not (self.open_half and c.fits((self.hour + 12) % 24, self.minute)):
                    continue
                doubt = "half of the day"
            if c.style == "half seven" and not self.policy.half_is_past:
                doubt = "half seven"
            if not c.marked and (marked or not clock.stands_bare(lat, c)):
                doubt = "not marked as a time"
            out.append(Hit(c.start, c.end, c.style, doubt))
        return out

    def others(self, lat: Lattice) -> list[Found]:
        return self._unlike(c for c in longest(clock.clocks(lat)) if c.marked)

    def replacements(self, lat: Lattice) -> list[Found]:
        """As `others`; behind words of repair a time need not be marked as one."""
        return self._unlike(longest(clock.clocks(lat)))

    def _unlike(self, clocks: Iterable[clock.Clock]) -> list[Found]:
        out = []
        for c in clocks:
            if not c.fits(self.hour, self.minute):
                value = c.value(self.hour)
                out.append(Found(c.start, c.end, value, c.style, far_apart(self.canonical, value)))
        return out

    def compare(self, heard: str) -> Difference:
        hour, minute = (int(p) for p in heard.split(":"))
        edits = []
        if hour != self.hour:
            edits.append(Edit("hour", 1, f"{self.hour:02d}", f"{hour:02d}"))
        if minute != self.minute:
            edits.append(Edit("minute", 2, f"{self.minute:02d}", f"{minute:02d}"))
        return tuple(edits), nearmiss.time_class((self.hour, self.minute), (hour, minute))


class DateMatcher(Matcher):
    """Dates: the year may be left unsaid; where it is said, it must be right."""

    kind = "date"

    def __init__(self, expected: Value, kind: str, policy: Policy) -> None:
        self.policy = policy
        decade: int | None = None
        self.year: int | None = None
        self.month: int | None = None
        self.day: int | None = None
        if isinstance(expected, date):
            self.year, self.month, self.day = expected.year, expected.month, expected.day
        else:
            decade = self._read(fold(str(expected)).strip(), expected)
        self.decade = decade
        whole = iso_date(self.year, self.month, self.day)
        self.canonical = whole if decade is None else f"{decade}s"

    def _read(self, text: str, expected: Value) -> int | None:
        """Read the parts of the date from a text; a decade is given back."""
        iso = re.fullmatch(r"(\d{4})-(\d{1,2})-(\d{1,2})(?:[T ].*)?", text)
        partial = re.fullmatch(r"(\d{4}|-)-(\d{2})(?:-(\d{2}))?", text)  # as `iso_date` writes
        decade = re.fullmatch(r"(\d{3}0)'?s", text)
        if iso or partial:
            year, month, day = (iso or partial).groups()  # type: ignore[union-attr]
            self.year = None if year == "-" else int(year)
            self.month, self.day = int(month), int(day) if day else None
            try:
                date(self.year or 2000, self.month, self.day or 1)
            except ValueError as error:
                raise InputError(
                    f"expected must be a date of the calendar, got {expected!r}"
                ) from error
        elif decade:
            return int(decade[1])
        elif re.fullmatch(r"\d{4}", text):
            self.year = int(text)
        else:
            lat = lattice_of(text)
            found = [
                d
                for d in dates.days(lat, day_first=self.policy.day_first)
                if d.start == 0 or d.style != "year"
            ]
            if not found:
                raise InputError(f"expected must be a date such as '2027-05-13', got {expected!r}")
            best = max(found, key=lambda d: d.end - d.start)
            self.year, self.month, self.day = best.year, best.month, best.day
        return None

    def _candidates(self, lat: Lattice) -> list[dates.Day]:
        found = longest(dates.days(lat, day_first=self.policy.day_first))
        if self.policy.reference_date is not None:
            found += dates.relative(lat, self.policy.reference_date)
        return found

    @property
    def key(self) -> object:
        return self.year, self.month, self.day, self.decade

    def hits(self, lat: Lattice) -> list[Hit]:
        if self.decade is not None:
            return [
                Hit(i, j, "decade", "" if year >= 100 or self.decade >= 1900 else "century")
                for i, j, year in dates.decades(lat)
                if year == self.decade or (year < 100 and year == self.decade % 100)
            ]
        hits = [
            Hit(
                d.start, d.end, d.style, '"to" where "of" should be' if d.style == _MISHEARD else ""
            )
            for d in self._candidates(lat)
            if d.fits(self.year, self.month, self.day)
        ]
        return hits or self._day_alone(lat)

    def _day_alone(self, lat: Lattice) -> list[Hit]:
        """ "The thirteenth" or "Thursday the thirteenth", without a month."""
        if self.day is None or any(d.month is not None for d in self._candidates(lat)):
            return []
        return [
            Hit(r.start, r.end, r.style, "month not said")
            for r in amounts.maximal(amounts.ordinal(lat))
            if r.value == self.day and lat.word_at(r.start - 1) in ("the", *WEEKDAYS)
        ]

    def others(self, lat: Lattice) -> list[Found]:
        out = []
        for d in self._candidates(lat):
            if (d.month is None) != (self.month is None) or (
                d.day is None and self.day is not None
            ):
                continue
            if not d.fits(self.year, self.month, self.day):
                value = iso_date(d.year if d.year is not None else self.year, d.month, d.day)
                out.append(Found(d.start, d.end, value, d.style, far_apart(self.canonical, value)))
        return out

    def compare(self, heard: str) -> Difference:
        a, b = self.canonical.split("-"), heard.split("-")
        if len(a) != 3 or len(b) != 3:
            return (Edit("part", 1, self.canonical, heard),), "year" if len(a) == len(
                b
            ) == 1 else "other"
        edits = tuple(
            Edit(name, k + 1, a[k], b[k])
            for k, name in enumerate(("year", "month", "day"))
            if a[k] != b[k]
        )
        if len(edits) != 1:
            return edits, "other"
        teen = edits[0].unit == "day" and nearmiss.teen_for_ten(a[2], b[2])
        return edits, "teen_ty" if teen else edits[0].unit


def iso_date(year: int | None, month: int | None, day: int | None) -> str:
    """ISO 8601; "--05-13" without a year, "2027-05" without a day, "2027" for a year alone."""
    if month is None:
        return f"{year}"
    head = f"{year:04d}" if year is not None else "-"
    return f"{head}-{month:02d}" + (f"-{day:02d}" if day is not None else "")


class DatetimeMatcher(Matcher):
    """A date and a time that stand together, in either order."""

    kind = "datetime"
    _GAP = 6  # atoms between the two at most ("on ... at", a weekday, "starting")

    def __init__(self, expected: Value, kind: str, policy: Policy) -> None:
        day: Value
        moment: Value
        if isinstance(expected, datetime):
            day, moment = expected.date(), expected.time()
        else:
            text = fold(str(expected)).strip()
            iso = re.fullmatch(r"(\d{4}-\d{1,2}-\d{1,2})[T ](\d{1,2}:\d{2})(.*)", text)
            if iso:
                day, moment = iso[1], iso[2].zfill(5)
            else:
                found = [c for c in longest(clock.clocks(lattice_of(text))) if c.marked]
                if not found:
                    raise InputError(
                        f"expected must be a date with a time of day, got {expected!r}"
                    )
                best = max(found, key=lambda c: c.end - c.start)
                day, moment = text, best.value() if best.half else f"{best.hour}:{best.minute:02d}"
        self.date, self.time = DateMatcher(day, "date", policy), TimeMatcher(moment, "time", policy)
        self.canonical = f"{self.date.canonical}T{self.time.canonical}"

    def _together(self, a: Stretch, b: Stretch) -> bool:
        return 0 <= (b.start - a.end if b.start >= a.end else a.start - b.end) <= self._GAP

    @property
    def key(self) -> object:
        return self.date.key, self.time.key

    def hits(self, lat: Lattice) -> list[Hit]:
        out = []
        times = self.time.hits(lat)
        for d in self.date.hits(lat):
            behind = self.time.hits_among(lat, longest(clock.clocks_from(lat, d.end)))
            for t in dict.fromkeys(times + behind):
                if self._together(d, t):
                    joined = d.end == t.start or t.end == d.start or lat.says(t.start - 1, "at")
                    doubt = "" if t.doubt == "not marked as a time" and joined else t.doubt
                    out.append(
                        Hit(
                            min(d.start, t.start),
                            max(d.end, t.end),
                            f"{d.reading}, {t.reading}",
                            d.doubt or doubt,
                        )
                    )
        return out

    def others(self, lat: Lattice) -> list[Found]:
        days = [
            Found(h.start, h.end, self.date.canonical, h.reading, 0.0) for h in self.date.hits(lat)
        ]
        times = [
            Found(h.start, h.end, self.time.canonical, h.reading, 0.0) for h in self.time.hits(lat)
        ]
        return [
            Found(
                min(d.start, t.start),
                max(d.end, t.end),
                f"{d.value}T{t.value}",
                f"{d.reading}, {t.reading}",
                d.far + t.far,
            )
            for d in days + self.date.others(lat)
            for t in times + self.time.others(lat)
            if self._together(d, t) and d.far + t.far > 0
        ]

    def compare(self, heard: str) -> Difference:
        day, _, moment = heard.partition("T")
        edits: tuple[Edit, ...] = ()
        near: str | None = None
        if day != self.date.canonical:
            edits, near = self.date.compare(day)
        if moment != self.time.canonical:
            more, clock_class = self.time.compare(moment)
            edits, near = edits + more, "other" if edits else clock_class
        return edits, near


class WeekdayMatcher(Matcher):
    kind = "weekday"

    def __init__(self, expected: Value, kind: str, policy: Policy) -> None:
        if isinstance(expected, date):
            n: int | None = expected.weekday()
        else:
            n = WEEKDAYS.get(fold(str(expected)).strip().lower().rstrip("."))
        if n is None:
            raise InputError(f"expected must be a day of the week, got {expected!r}")
        self.canonical = WEEKDAY_NAMES[n]

    @property
    def key(self) -> object:
        return self.canonical

    def _said(self, lat: Lattice) -> list[tuple[int, int, str]]:
        return [(w.start, w.end, WEEKDAY_NAMES[w.value]) for w in dates.weekdays(lat)]

    def hits(self, lat: Lattice) -> list[Hit]:
        return [Hit(i, j, "name") for i, j, name in self._said(lat) if name == self.canonical]

    def others(self, lat: Lattice) -> list[Found]:
        return [
            Found(i, j, name, "name", far_apart(self.canonical, name))
            for i, j, name in self._said(lat)
            if name != self.canonical
        ]

    def compare(self, heard: str) -> Difference:
        return (Edit("weekday", 1, self.canonical, heard),), "weekday"


__all__ = ["DateMatcher", "DatetimeMatcher", "TimeMatcher", "WeekdayMatcher", "iso_date"]
