"""Is this value what was said? Expected values against the words heard, and the values that a text holds.

The expected value leads: its acceptor is walked over a lattice of the words, and only a maximal stretch counts, so 4821
is not in "48213". What stands in its place otherwise is read with the same grammar.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time
from decimal import Decimal
from functools import lru_cache
from typing import Any

from s2sverify.errors import InputError
from s2sverify.text import amounts, clock, dates, names, nearmiss, strings, writing
from s2sverify.text import vocabulary as vocab
from s2sverify.text.kinds import (
    KINDS,
    Value,
    decimal_of,
    infer_kinds,
    kind_named,
    plain_number,
)
from s2sverify.text.lattice import Lattice, fold, lattice_of
from s2sverify.text.nearmiss import Edit
from s2sverify.text.normalize import normalize_words, words_with_atoms
from s2sverify.text.strings import Hit
from s2sverify.types import Interval, Outcome, Transcript, Word

MATCHER_VERSION = (
    "1"  # raise it when a match can turn out otherwise: error floors measured before are stale then
)
MATCHER_VERSION = "1"  # rises whenever the same words can give another outcome: floors measured before are stale

LOCALES = {
    "en-US": False,
    "en-GB": True,
    "en-AU": True,
    "en-IN": True,
    "en-NZ": True,
    "en-IE": True,
    "en-CA": False,
}


@dataclass(frozen=True, slots=True)
class EntityMatch:
    """What became of an expected value in a text.

    Attributes
    ----------
    outcome : Outcome
        ``spoken``, ``different`` (another value of its kind stands in its place), ``absent`` or ``ambiguous``.
    expected : str
        The canonical expected value.
    kind : str
        The kind under which it was decided.
    heard : str or None
        Canonical value heard: the expected one when spoken, the other one when different, None when absent.
    span : tuple of int or None
        Half-open range of whitespace words.
    interval : Interval or None
        The same in seconds, where the words have times.
    reading : str
        How it was said, e.g. "digits", "groups", "dollars then cents"; for ``ambiguous`` with the doubt.
    edits : tuple of Edit
        Differences in the value's own symbols; empty unless a different value was heard.
    near_miss : str or None
        Class of the confusion, e.g. "teen_ty".
    corrected : bool
        The speaker corrected himself, and the last version counted.
    """

    outcome: Outcome
    expected: str
    kind: str
    heard: str | None = None
    span: tuple[int, int] | None = None
    interval: Interval | None = None
    reading: str = ""
    edits: tuple[Edit, ...] = ()
    near_miss: str | None = None
    corrected: bool = False
    alternatives: tuple[str, ...] = field(default=())

    def __bool__(self) -> bool:
        """Whether the value was said, beyond doubt."""
        return self.outcome is Outcome.SPOKEN


@dataclass(frozen=True, slots=True)
class Entity:
    """A value that a text holds: kind, canonical value and where it stands."""

    kind: str
    value: str
    span: tuple[int, int]
    interval: Interval | None
    text: str
    reading: str


@dataclass(frozen=True, slots=True)
class Policy:
    """The parameters of a match that are the same for every kind."""

    day_first: bool
    region: str
    currency: str
    reference_date: date | None


@dataclass(frozen=True, slots=True)
class Found:
    """A value of the expected kind in the text."""

    start: int
    end: int
    value: str
    reading: str
    near: float  # 0 equal .. 1 nothing in common


# --------------------------------------------------------------------------------------------- one matcher per kind


class _Matcher:
    """An expected value made ready: where it is said, and what else of its kind is."""

    kind = ""
    canonical = ""

    def hits(self, lat: Lattice) -> list[Hit]:
        raise NotImplementedError

    def others(self, lat: Lattice) -> list[Found]:
        raise NotImplementedError

    def compare(self, heard: str) -> tuple[tuple[Edit, ...], str | None]:
        return nearmiss.symbol_edits(self.canonical, heard), nearmiss.string_class(
            self.canonical, heard
        )


class _Symbols(_Matcher):
    def __init__(self, expected: Value, kind: str, policy: Policy) -> None:
        self.kind = kind
        text = fold(str(expected))
        symbols = re.sub(r"[^A-Za-z0-9]", "", text)
        if not symbols:
            raise InputError(
                f"expected must hold a letter or digit for kind {kind!r}, got {expected!r}"
            )
        self.letters = kind == "code" and not symbols.isdigit()
        self.canonical = symbols.upper() if kind == "code" else symbols
        if kind == "digits" and not symbols.isdigit():
            self.letters = True
            self.canonical = symbols.upper()
        self.target = symbols.lower().replace("o", "0")

    def hits(self, lat: Lattice) -> list[Hit]:
        return strings.accept(lat, self.target, letters=self.letters)

    def others(self, lat: Lattice) -> list[Found]:
        out = []
        for run in strings.runs(lat, letters=self.letters):
            heard = run.symbols
            if len(heard) < 2 and len(self.target) > 1:
                continue
            d = nearmiss.distance(self.target, heard.lower().replace("o", "0"))
            near = d / max(len(self.target), len(heard))
            if near <= 0.6 or (len(heard) == len(self.target) and near < 1 and len(heard) > 2):
                out.append(Found(run.start, run.end, heard, "run", near))
        return out


class _Phone(_Symbols):
    def __init__(self, expected: Value, kind: str, policy: Policy) -> None:
        text = fold(str(expected)).strip()
        head = re.split(r"(?i)\b(?:ext|extension|x)\b", text)[0]
        del head
        super().__init__(text, "digits", policy)
        self.kind = "phone"
        digits = self.target
        self.canonical = ("+" if text.startswith("+") else "") + self.canonical
        self.variants = [digits]
        code = {
            "US": "1",
            "CA": "1",
            "GB": "44",
            "AU": "61",
            "IN": "91",
            "NZ": "64",
            "IE": "353",
        }.get(policy.region, "1")
        if text.startswith("+"):
            lead = next((c for c in (code, *CALLING_CODES) if digits.startswith(c)), digits[:2])
            national = digits[len(lead) :]
            self.variants += [national, "00" + digits, "011" + digits]
            if lead != "1":
                self.variants += ["0" + national, lead + "0" + national]
        elif code == "1" and len(digits) == 10:
            self.variants.append("1" + digits)
        elif code == "1" and len(digits) == 11 and digits[0] == "1":
            self.variants.append(digits[1:])
        elif digits.startswith("0"):
            self.variants.append(code + digits[1:])

    def hits(self, lat: Lattice) -> list[Hit]:
        out: list[Hit] = []
        for target in self.variants:
            for hit in strings.accept(lat, target, letters=self.letters):
                if hit.doubt == "written with a point":
                    hit = hit._replace(doubt="")
                if hit.start and lat.text[hit.start - 1] in ("+", "plus"):
                    if target != self.variants[0]:
                        continue
                    hit = hit._replace(start=hit.start - 1)
                out.append(hit)
        return out

    def others(self, lat: Lattice) -> list[Found]:
        out = []
        for run in strings.runs(lat, letters=self.letters):
            heard = run.symbols.lower()
            if len(heard) < 5:
                continue
            near = min(nearmiss.distance(v, heard) / max(len(v), len(heard)) for v in self.variants)
            if near <= 0.6:
                out.append(Found(run.start, run.end, run.symbols, "run", near))
        return out

    def compare(self, heard: str) -> tuple[tuple[Edit, ...], str | None]:
        best = min(self.variants, key=lambda v: nearmiss.distance(v, heard))
        return nearmiss.symbol_edits(best, heard), nearmiss.string_class(best, heard)


CALLING_CODES = ["1", "20", "27", "30", "31", "32", "33", "34", "36", "39", "40", "41", "43", "44", "45", "46", "47", "48", "49", "51", "52", "53", "54", "55", "56", "57", "58", "60", "61", "62", "63", "64", "65", "66", "7", "81", "82", "84", "86", "90", "91", "92", "93", "94", "95", "98"]


class _Number(_Matcher):
    """Counts, decimals, ordinals and percentages."""

    def __init__(self, expected: Value, kind: str, policy: Policy) -> None:
        self.kind = kind
        text = fold(str(expected)).strip() if isinstance(expected, str) else expected
        if isinstance(text, str):
            if kind == "percent":
                text = re.sub(r"(?i)\s*(%|percent|per cent|pct)\.?$", "", text)
            if kind == "ordinal":
                text = re.sub(r"(?i)(?<=\d)(st|nd|rd|th)$", "", text)
        if kind == "ordinal" and isinstance(text, str) and not re.search(r"\d", text):
            found = [n.value for n in amounts.ordinals(lattice_of(text), 0)]
            if found:
                text = found[-1]
        self.value = decimal_of(text, kind)
        self.canonical = plain_number(self.value) + ("%" if kind == "percent" else "")

    def readings(self, lat: Lattice) -> list[amounts.Reading]:
        if self.kind == "percent":
            return amounts.percent(lat)
        if self.kind == "ordinal":
            return amounts.ordinal(lat)
        return amounts.plain(lat, broken=True)

    def hits(self, lat: Lattice) -> list[Hit]:
        out = [
            Hit(r.start, r.end, r.style, r.doubt)
            for r in amounts.maximal(self.readings(lat))
            if r.value == self.value
        ]
        whole = self.value == int(self.value) and self.value >= 0
        if not out and self.kind in ("cardinal", "decimal") and whole and self.value >= 10:
            digits = plain_number(self.value)
            out += [
                h
                for h in strings.accept(lat, digits, letters=False)
                if not _claimed(lat, h.start, h.end)
            ]
        return out

    def others(self, lat: Lattice) -> list[Found]:
        out = []
        for r in amounts.maximal(self.readings(lat)):
            if r.value != self.value:
                shown = plain_number(r.value) + ("%" if self.kind == "percent" else "")
                out.append(Found(r.start, r.end, shown, r.style, _far(self.value, r.value)))
        return out

    def compare(self, heard: str) -> tuple[tuple[Edit, ...], str | None]:
        a, b = self.canonical.rstrip("%"), heard.rstrip("%")
        return nearmiss.symbol_edits(a, b), nearmiss.number_class(a, b)


def _claimed(lat: Lattice, i: int, j: int) -> bool:
    """Whether a number at ``[i, j)`` is money, a percentage or a time by what stands beside it."""
    before = lat.text[i - 1] if i else ""
    after = lat.text[j] if j < lat.n else ""
    return (
        before in amounts.CURRENCY_SYMBOLS
        or after in amounts._NOT_A_COUNT
        or (after in ("a", "p") and lat.text[j + 1 : j + 2] == ["m"])
        or (after == "per" and lat.text[j + 1 : j + 2] == ["cent"])
    )


def _far(a: Decimal, b: Decimal) -> float:
    x, y = plain_number(a), plain_number(b)
    return nearmiss.distance(x, y) / max(len(x), len(y))


class _Money(_Matcher):
    kind = "money"

    def __init__(self, expected: Value, kind: str, policy: Policy) -> None:
        text = fold(str(expected)).strip() if isinstance(expected, str) else expected
        self.currency = policy.currency
        self.stated = False
        if isinstance(text, str):
            found = [r for r in amounts.money(lattice_of(text)) if r.unit]
            whole = [r for r in amounts.maximal(found) if r.start == 0]
            number: Decimal | None = None
            if re.search(r"[^\d.,\s+-]", text) and whole:
                lat = lattice_of(text)
                exact = [r for r in whole if r.end == lat.n] or whole
                number = exact[0].value
                self.currency, self.stated = exact[0].unit, True
            self.value = number if number is not None else decimal_of(text, kind)
        else:
            self.value = decimal_of(text, kind)
        places = 2 if self.value == round(self.value, 2) else -1
        shown = f"{self.value:.2f}" if places == 2 else plain_number(self.value)
        self.canonical = f"{shown} {self.currency}" if self.stated else shown

    def _fits(self, unit: str) -> bool:
        if not unit:
            return True
        if unit in amounts.DOLLARS and self.currency in amounts.DOLLARS:
            return unit == "USD" or unit == self.currency
        return unit == self.currency

    def hits(self, lat: Lattice) -> list[Hit]:
        out = []
        for r in amounts.maximal(amounts.money(lat)):
            if r.value == self.value and self._fits(r.unit) and not _bad_amount(lat, r):
                doubt = r.doubt if r.doubt and self.value == int(self.value) else ""
                if r.doubt and not doubt and r.unit:
                    doubt = r.doubt
                if (
                    r.unit == ""
                    and r.style in ("figures", "place value", "digits")
                    and self.value != int(self.value)
                    and False
                ):
                    doubt = "no currency"
                out.append(Hit(r.start, r.end, r.style, doubt))
        return out

    def others(self, lat: Lattice) -> list[Found]:
        out = []
        for r in amounts.maximal(amounts.money(lat)):
            if (r.value != self.value or not self._fits(r.unit)) and (
                r.unit or r.value != int(r.value)
            ):
                shown = f"{r.value:.2f}" if r.value == round(r.value, 2) else plain_number(r.value)
                if r.unit and (self.stated or not self._fits(r.unit)):
                    shown += f" {r.unit}"
                out.append(Found(r.start, r.end, shown, r.style, _far(self.value, r.value)))
        return out

    def compare(self, heard: str) -> tuple[tuple[Edit, ...], str | None]:
        a, b = self.canonical.split(" ")[0], heard.split(" ")[0]
        if a == b:
            return (Edit("currency", 1, self.currency, heard.split(" ")[-1]),), "currency"
        return nearmiss.symbol_edits(a, b), nearmiss.number_class(a, b)


def _bad_amount(lat: Lattice, r: amounts.Reading) -> bool:
    if amounts.right_hard(lat, r.end):
        return True
    if r.unit:
        return False
    after = lat.text[r.end] if r.end < lat.n else ""
    if after in ("%", "percent", "pct", "am", "pm", "o'clock", "oclock"):
        return True
    return after in ("per", "a", "p") and lat.text[r.end + 1 : r.end + 2] in (["cent"], ["m"])


class _Time(_Matcher):
    kind = "time"

    def __init__(self, expected: Value, kind: str, policy: Policy) -> None:
        self.open_half = False
        if isinstance(expected, datetime | time):
            self.hour, self.minute = expected.hour, expected.minute
        else:
            text = fold(str(expected)).strip()
            iso = re.fullmatch(r"(\d{1,2}):(\d{2})(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?", text)
            if iso and int(iso[1]) < 25 and int(iso[2]) < 60:
                self.hour, self.minute = int(iso[1]) % 24, int(iso[2])
                self.open_half = len(iso[1]) == 1
            else:
                lat = lattice_of(text)
                found = [c for c in clock.clocks(lat) if c.start == 0]
                if not found:
                    raise InputError(
                        f"expected must be a time of day such as '19:30', got {expected!r}"
                    )
                best = max(found, key=lambda c: (c.end, c.marked))
                self.hour, self.minute = (int(p) for p in best.value.split(":"))
                self.open_half = best.half == "" and best.hour <= 12
        self.canonical = f"{self.hour:02d}:{self.minute:02d}"

    def _candidates(self, lat: Lattice) -> list[clock.Clock]:
        found = clock.clocks(lat)
        longest: dict[int, int] = {}
        for c in found:
            longest[c.start] = max(longest.get(c.start, 0), c.end)
        keep, best = [], 0
        inside: set[int] = set()
        for start in sorted(longest):
            if longest[start] <= best:
                inside.add(start)
            best = max(best, longest[start])
        keep = [c for c in found if c.start not in inside and c.end == longest[c.start]]
        return keep

    def hits(self, lat: Lattice) -> list[Hit]:
        out = []
        for c in self._candidates(lat):
            doubt = ""
            if not c.fits(self.hour, self.minute):
                if not (self.open_half and c.fits((self.hour + 12) % 24, self.minute)):
                    continue
                doubt = "half of the day"
            if not c.marked and not clock.introduced(lat, c):
                doubt = "not marked as a time"
            if not c.marked and c.end < lat.n and lat.text[c.end] in amounts._NOT_A_COUNT:
                continue
            out.append(Hit(c.start, c.end, c.style, doubt))
        return out

    def others(self, lat: Lattice) -> list[Found]:
        out = []
        for c in self._candidates(lat):
            if c.marked and not c.fits(self.hour, self.minute):
                value = c.value
                if not c.half and c.hour <= 12 and self.hour >= 12:
                    value = f"{c.hour % 12 + 12:02d}:{c.minute:02d}"
                near = nearmiss.distance(self.canonical, value) / 5
                out.append(Found(c.start, c.end, value, c.style, near))
        return out

    def compare(self, heard: str) -> tuple[tuple[Edit, ...], str | None]:
        hour, minute = (int(p) for p in heard.split(":"))
        edits = []
        if hour != self.hour:
            edits.append(Edit("hour", 1, f"{self.hour:02d}", f"{hour:02d}"))
        if minute != self.minute:
            edits.append(Edit("minute", 2, f"{self.minute:02d}", f"{minute:02d}"))
        if minute == self.minute and hour % 12 == self.hour % 12:
            return tuple(edits), "am_pm"
        if nearmiss._teen_ty(f"{self.minute:02d}", f"{minute:02d}") and hour == self.hour:
            return tuple(edits), "teen_ty"
        return tuple(
            edits
        ), "hour" if minute == self.minute else "minute" if hour == self.hour else "other"


class _Date(_Matcher):
    kind = "date"

    def __init__(self, expected: Value, kind: str, policy: Policy) -> None:
        self.policy = policy
        self.year: int | None = None
        self.month: int | None = None
        self.day: int | None = None
        if isinstance(expected, date):
            self.year, self.month, self.day = expected.year, expected.month, expected.day
        else:
            text = fold(str(expected)).strip()
            iso = re.fullmatch(r"(\d{4})-(\d{1,2})-(\d{1,2})(?:[T ].*)?", text)
            if iso:
                self.year, self.month, self.day = (int(p) for p in iso.groups())
                try:
                    date(self.year, self.month, self.day)
                except ValueError as error:
                    raise InputError(
                        f"expected must be a date of the calendar, got {expected!r}"
                    ) from error
            elif re.fullmatch(r"\d{4}", text):
                self.year = int(text)
            elif partial := re.fullmatch(r"(\d{4}|-)-(\d{2})(?:-(\d{2}))?", text):  # as `_iso` writes
                year, month, day = partial.groups()
                self.year = None if year == "-" else int(year)
                self.month, self.day = int(month), int(day) if day else None
            else:
                found = dates.days(lattice_of(text), day_first=policy.day_first)
                if not found:
                    raise InputError(
                        f"expected must be a date such as '2027-05-13', got {expected!r}"
                    )
                best = max(found, key=lambda d: d.end - d.start)
                self.year, self.month, self.day = best.year, best.month, best.day
        self.canonical = _iso(self.year, self.month, self.day)

    def _candidates(self, lat: Lattice) -> list[dates.Day]:
        found = list(dates.days(lat, day_first=self.policy.day_first))
        if self.policy.reference_date is not None:
            found += dates.relative(lat, self.policy.reference_date)
        longest: dict[int, int] = {}
        for d in found:
            longest[d.start] = max(longest.get(d.start, 0), d.end)
        best, inside = 0, set()
        for start in sorted(longest):
            if longest[start] <= best:
                inside.add(start)
            best = max(best, longest[start])
        return [d for d in found if d.start not in inside and d.end == longest[d.start]]

    def hits(self, lat: Lattice) -> list[Hit]:
        return [
            Hit(d.start, d.end, d.style)
            for d in self._candidates(lat)
            if d.fits(self.year, self.month, self.day)
        ]

    def others(self, lat: Lattice) -> list[Found]:
        out = []
        for d in self._candidates(lat):
            if d.style == "year" and self.month is not None:
                continue
            if d.day is None and self.day is not None:
                continue
            value = _iso(d.year if d.year is not None else self.year, d.month, d.day)
            if not d.fits(self.year, self.month, self.day):
                out.append(
                    Found(
                        d.start,
                        d.end,
                        value,
                        d.style,
                        nearmiss.distance(self.canonical, value) / 10,
                    )
                )
        return out

    def compare(self, heard: str) -> tuple[tuple[Edit, ...], str | None]:
        names_ = ("year", "month", "day")
        a, b = self.canonical.split("-"), heard.split("-")
        if len(a) != 3 or len(b) != 3:
            return (Edit("part", 1, self.canonical, heard),), "year" if len(a) == 1 else "other"
        edits = tuple(Edit(names_[k], k + 1, a[k], b[k]) for k in range(3) if a[k] != b[k])
        if len(edits) == 1:
            teen = edits[0].unit == "day" and nearmiss._teen_ty(a[2], b[2])
            return edits, "teen_ty" if teen else edits[0].unit
        return edits, "other"


def _iso(year: int | None, month: int | None, day: int | None) -> str:
    if month is None:
        return f"{year}"
    if day is None:
        return f"{year}-{month:02d}" if year is not None else f"--{month:02d}"
    return f"{year:04d}-{month:02d}-{day:02d}" if year is not None else f"--{month:02d}-{day:02d}"


class _Weekday(_Matcher):
    kind = "weekday"

    def __init__(self, expected: Value, kind: str, policy: Policy) -> None:
        if isinstance(expected, date):
            self.n = expected.weekday()
        else:
            n = vocab.WEEKDAYS.get(fold(str(expected)).strip().lower().rstrip("."))
            if n is None:
                raise InputError(f"expected must be a day of the week, got {expected!r}")
            self.n = n
        self.canonical = vocab.WEEKDAY_NAMES[self.n]

    def hits(self, lat: Lattice) -> list[Hit]:
        return [Hit(w.start, w.end, "name") for w in dates.weekdays(lat) if w.value == self.n]

    def others(self, lat: Lattice) -> list[Found]:
        return [
            Found(w.start, w.end, vocab.WEEKDAY_NAMES[w.value], "name", 0.5)
            for w in dates.weekdays(lat)
            if w.value != self.n
        ]

    def compare(self, heard: str) -> tuple[tuple[Edit, ...], str | None]:
        return (Edit("weekday", 1, self.canonical, heard),), "weekday"


class _Name(_Matcher):
    kind = "name"

    def __init__(self, expected: Value, kind: str, policy: Policy) -> None:
        self.canonical = " ".join(str(expected).split())
        self.parts = names.parts_of(self.canonical)
        if not self.parts:
            raise InputError(f"expected must hold letters for kind 'name', got {expected!r}")

    def hits(self, lat: Lattice) -> list[Hit]:
        return names.accept_name(lat, self.parts)

    def others(self, lat: Lattice) -> list[Found]:
        out: list[Found] = []
        target = "".join(self.parts)
        size = len(self.parts)
        for i in range(lat.n):
            for width in {size, size + 1, max(1, size - 1)}:
                j = i + width
                if j > lat.n or any(not w[0].isalpha() or len(w) < 2 for w in lat.text[i:j]):
                    continue
                if not lat.raw[i][0].isupper() and any(c.isupper() for r in lat.raw for c in r[:1]):
                    continue
                heard = "".join(w.replace("'", "") for w in lat.text[i:j])
                near = nearmiss.distance(target, heard) / max(len(target), len(heard))
                if near <= 0.45:
                    out.append(Found(i, j, " ".join(lat.raw[i:j]), "as written", near))
        return out

    def compare(self, heard: str) -> tuple[tuple[Edit, ...], str | None]:
        a, b = self.canonical.split(), heard.split()
        if len(a) == len(b):
            edits = tuple(
                Edit("word", k + 1, x, y)
                for k, (x, y) in enumerate(zip(a, b, strict=True))
                if x.lower() != y.lower()
            )
            return edits, "name_near"
        return (Edit("word", 1, self.canonical, heard),), "name_near"


class _Datetime(_Matcher):
    kind = "datetime"

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
                day, moment = text, text
                found = [c for c in clock.clocks(lattice_of(text)) if c.marked]
                if not found:
                    raise InputError(f"expected must be a date with a time, got {expected!r}")
                best = max(found, key=lambda c: c.end - c.start)
                moment = best.value
        self.date, self.time = _Date(day, "date", policy), _Time(moment, "time", policy)
        self.canonical = f"{self.date.canonical}T{self.time.canonical}"

    def hits(self, lat: Lattice) -> list[Hit]:
        out = []
        for d in self.date.hits(lat):
            for t in self.time.hits(lat):
                gap = t.start - d.end if t.start >= d.end else d.start - t.end
                if 0 <= gap <= 6:
                    doubt = d.doubt or (
                        t.doubt if t.doubt != "not marked as a time" or gap > 1 else ""
                    )
                    out.append(
                        Hit(
                            min(d.start, t.start),
                            max(d.end, t.end),
                            f"{d.reading}, {t.reading}",
                            doubt,
                        )
                    )
        return out

    def others(self, lat: Lattice) -> list[Found]:
        out = []
        days = [(h.start, h.end, self.date.canonical, 0.0) for h in self.date.hits(lat)]
        days += [(f.start, f.end, f.value, f.near) for f in self.date.others(lat)]
        times = [(h.start, h.end, self.time.canonical, 0.0) for h in self.time.hits(lat)]
        times += [(f.start, f.end, f.value, f.near) for f in self.time.others(lat)]
        for d in days:
            for t in times:
                gap = t[0] - d[1] if t[0] >= d[1] else d[0] - t[1]
                if 0 <= gap <= 6:
                    out.append(
                        Found(
                            min(d[0], t[0]),
                            max(d[1], t[1]),
                            f"{d[2]}T{t[2]}",
                            "date and time",
                            d[3] + t[3],
                        )
                    )
        return out

    def compare(self, heard: str) -> tuple[tuple[Edit, ...], str | None]:
        day, _, moment = heard.partition("T")
        edits: tuple[Edit, ...] = ()
        near = None
        if day != self.date.canonical:
            edits, near = self.date.compare(day)
        if moment != self.time.canonical:
            more, near = self.time.compare(moment)
            edits += more
        return edits, near


class _Measure(_Matcher):
    kind = "measure"

    def __init__(self, expected: Value, kind: str, policy: Policy) -> None:
        self.unit = ""
        if isinstance(expected, str):
            lat = lattice_of(expected)
            whole = [r for r in amounts.measure(lat) if r.start == 0 and r.end == lat.n]
            if whole:
                self.value, self.unit = whole[0].value, whole[0].unit
            else:
                self.value = decimal_of(expected, kind)
        else:
            self.value = decimal_of(expected, kind)
        self.canonical = f"{plain_number(self.value)} {self.unit}".strip()

    def hits(self, lat: Lattice) -> list[Hit]:
        return [
            Hit(r.start, r.end, r.style)
            for r in amounts.maximal(amounts.measure(lat))
            if r.value == self.value and (r.unit == self.unit or not self.unit)
        ]

    def others(self, lat: Lattice) -> list[Found]:
        return [
            Found(
                r.start,
                r.end,
                f"{plain_number(r.value)} {r.unit}",
                r.style,
                _far(self.value, r.value) + (r.unit != self.unit) * 0.5,
            )
            for r in amounts.maximal(amounts.measure(lat))
            if r.value != self.value or (self.unit and r.unit != self.unit)
        ]

    def compare(self, heard: str) -> tuple[tuple[Edit, ...], str | None]:
        value, _, unit = heard.partition(" ")
        if value == plain_number(self.value):
            return (Edit("unit", 1, self.unit, unit),), "unit"
        return nearmiss.symbol_edits(plain_number(self.value), value), nearmiss.number_class(
            plain_number(self.value), value
        )


class _Written(_Matcher):
    def __init__(self, expected: Value, kind: str, policy: Policy) -> None:
        self.kind = kind
        self.canonical = fold(str(expected)).strip().lower()
        target = self.canonical
        self.targets = [target]
        if kind == "email":
            self.targets = [target.removeprefix("mailto:")]
        else:
            bare = re.sub(r"^[a-z][a-z0-9+.-]*://", "", target)
            for form in {bare, bare.removeprefix("www.")}:
                self.targets += [form, form.rstrip("/")]
            self.targets = list(dict.fromkeys(t for t in self.targets if t))
        if not self.targets or not self.targets[0]:
            raise InputError(f"expected must not be empty for kind {kind!r}")

    def hits(self, lat: Lattice) -> list[Hit]:
        out: list[Hit] = []
        for target in self.targets:
            out += writing.accept_symbols(lat, target)
        return out

    def others(self, lat: Lattice) -> list[Found]:
        out = []
        for i, j, value in writing.addresses(lat, email=self.kind == "email"):
            near = min(nearmiss.distance(t, value) / max(len(t), len(value)) for t in self.targets)
            if near <= 0.5:
                out.append(Found(i, j, value, "as written", near))
        return out


class _Address(_Matcher):
    kind = "address"

    def __init__(self, expected: Value, kind: str, policy: Policy) -> None:
        self.canonical = " ".join(str(expected).split())
        self.tokens = writing.address_tokens(self.canonical)
        if not self.tokens:
            raise InputError(
                f"expected must hold a letter or digit for kind 'address', got {expected!r}"
            )

    def hits(self, lat: Lattice) -> list[Hit]:
        return writing.accept_address(lat, self.tokens)

    def others(self, lat: Lattice) -> list[Found]:
        return []


class _Text(_Matcher):
    kind = "text"

    def __init__(self, expected: Value, kind: str, policy: Policy) -> None:
        self.canonical = " ".join(str(expected).split())
        self.words = normalize_words(self.canonical)
        if not self.words:
            raise InputError(f"expected must hold a word for kind 'text', got {expected!r}")

    def hits(self, lat: Lattice) -> list[Hit]:
        size = len(self.words)
        said = words_with_atoms(lat)
        only = [w for w, _, _ in said]
        return [
            Hit(said[k][1], said[k + size - 1][2], "as written")
            for k in range(len(said) - size + 1)
            if only[k] == self.words[0] and only[k : k + size] == self.words
        ]

    def others(self, lat: Lattice) -> list[Found]:
        return []


_MATCHERS: dict[str, Callable[[Any, str, Policy], _Matcher]] = {
    "digits": _Symbols, "code": _Symbols, "phone": _Phone, "cardinal": _Number, "ordinal": _Number, "decimal": _Number,
    "percent": _Number, "money": _Money, "date": _Date, "time": _Time, "weekday": _Weekday, "name": _Name,
    "datetime": _Datetime, "measure": _Measure, "email": _Written, "url": _Written, "address": _Address, "text": _Text,
}  # fmt: skip


# --------------------------------------------------------------------------------------------- the public side


@lru_cache(maxsize=4_096)
def _matcher(expected: Value, kind: str, policy: Policy) -> _Matcher:
    make = _MATCHERS.get(kind)
    if make is None:
        raise InputError(f"kind {kind!r} is not supported")
    return make(expected, kind, policy)


def match_entity(
    expected: Value,
    spoken: str | Transcript | Sequence[Word],
    *,
    kind: str | None = None,
    locale: str = "en-US",
    region: str = "US",
    currency: str = "USD",
    reference_date: date | None = None,
) -> EntityMatch:
    """Tell whether an expected value is said in a text, and what is said in its place.

    Parameters
    ----------
    expected : str, int, float, Decimal, date, time or datetime
        The value, in canonical or written form.
    spoken : str, Transcript or sequence of Word
        The words heard. Spans count whitespace words of a string, or the words given.
    kind : str, optional
        Kind of the value; None takes every kind that its type and form allow.
    locale : {"en-US", "en-GB", "en-AU", "en-IN", ...}
        Order of day and month in figures.
    region : str
        Region whose country code may be left out of a phone number.
    currency : str
        Currency of amounts that name none.
    reference_date : date, optional
        The day of the call; with it, "tomorrow" counts as a date.

    Raises
    ------
    InputError
        If `kind` or `locale` is unknown, or `expected` does not fit its kind.
    """
    if locale not in LOCALES:
        raise InputError(f"locale must be one of {', '.join(LOCALES)}, got {locale!r}")
    if isinstance(expected, bool):
        raise InputError(f"expected must be text, a number, a date or a time, got {expected!r}")
    policy = Policy(LOCALES[locale], region.upper(), currency.upper(), reference_date)
    lat = lattice_of(spoken)
    kinds = infer_kinds(expected) if kind is None else (kind_named(kind),)
    best: EntityMatch | None = None
    for name in kinds:
        found = _match(_matcher(expected, name, policy), lat)
        if found.outcome is Outcome.SPOKEN:
            return found
        if best is None or _RANK[found.outcome] > _RANK[best.outcome]:
            best = found
    if best is None:
        raise InputError(f"expected has no kind that can be matched, got {expected!r}")
    return best


_RANK = {Outcome.ABSENT: 0, Outcome.DIFFERENT: 1, Outcome.AMBIGUOUS: 2, Outcome.SPOKEN: 3}
_CORRECTION = re.compile(
    r"\b(sorry|i mean|no wait|wait no|correction|actually|rather|make that|scratch that|excuse me|let me correct|my mistake|i meant)\b"
)


def _match(m: _Matcher, lat: Lattice) -> EntityMatch:
    hits = m.hits(lat)
    clean = [h for h in hits if not h.doubt]
    corrections = _corrections(lat)
    if clean:
        hit = max(clean, key=lambda h: (h.end - h.start, -h.start))
        corrected = False
        if corrections:
            after = [c for c in corrections if hit.end <= c < hit.end + 4]
            if after:
                later = [f for f in m.others(lat) if after[0] <= f.start <= after[0] + 8]
                if later:
                    other = min(later, key=lambda f: f.start)
                    return replace(_different(m, lat, other), corrected=True)
            corrected = any(hit.start - 6 <= c < hit.start for c in corrections)
        return EntityMatch(
            Outcome.SPOKEN, m.canonical, m.kind, m.canonical, lat.span(hit.start, hit.end),
            lat.interval(hit.start, hit.end), hit.reading, corrected=corrected,
        )  # fmt: skip
    if hits:
        hit = hits[0]
        return EntityMatch(
            Outcome.AMBIGUOUS, m.canonical, m.kind, m.canonical, lat.span(hit.start, hit.end),
            lat.interval(hit.start, hit.end), f"{hit.reading} ({hit.doubt})",
        )  # fmt: skip
    others = m.others(lat)
    if others:
        return _different(m, lat, min(others, key=lambda f: (f.near, f.start)))
    return EntityMatch(Outcome.ABSENT, m.canonical, m.kind)


def _different(m: _Matcher, lat: Lattice, found: Found) -> EntityMatch:
    edits, near = m.compare(found.value)
    return EntityMatch(
        Outcome.DIFFERENT, m.canonical, m.kind, found.value, lat.span(found.start, found.end),
        lat.interval(found.start, found.end), found.reading, edits, near,
    )  # fmt: skip


def _corrections(lat: Lattice) -> list[int]:
    """Atoms at which a self-correction is announced."""
    kept = lat.memo.get("corrections")
    if kept is not None:
        return kept  # type: ignore[return-value]
    text, starts = "", []
    for word in lat.text:
        starts.append(len(text))
        text += word + " "
    out = []
    for found in _CORRECTION.finditer(text):
        out.append(next(k for k, s in enumerate(starts) if s >= found.start()))
    lat.memo["corrections"] = out
    return out


def find_entities(
    spoken: str | Transcript | Sequence[Word],
    *,
    locale: str = "en-US",
    region: str = "US",
    currency: str = "USD",
    reference_date: date | None = None,
) -> tuple[Entity, ...]:
    """List the values that a text holds: typed, maximal, in order.

    Parameters
    ----------
    spoken : str, Transcript or sequence of Word
        The words heard.
    locale, region, currency, reference_date
        As in `match_entity`.
    """
    if locale not in LOCALES:
        raise InputError(f"locale must be one of {', '.join(LOCALES)}, got {locale!r}")
    lat = lattice_of(spoken)
    taken: list[tuple[int, int]] = []
    out: list[Entity] = []

    def put(kind: str, value: str, i: int, j: int, reading: str) -> None:
        if any(i < b and a < j for a, b in taken):
            return
        taken.append((i, j))
        out.append(
            Entity(kind, value, lat.span(i, j), lat.interval(i, j), lat.shown(i, j), reading)
        )

    for r in amounts.maximal(amounts.money(lat)):
        if r.unit:
            put("money", f"{r.value:.2f}", r.start, r.end, r.style)
    for r in amounts.maximal(amounts.percent(lat)):
        put("percent", plain_number(r.value) + "%", r.start, r.end, r.style)
    for d in sorted(dates.days(lat, day_first=LOCALES[locale]), key=lambda d: d.start - d.end):
        if d.month is not None and d.day is not None:
            put("date", _iso(d.year, d.month, d.day), d.start, d.end, d.style)
    for w in dates.weekdays(lat):
        put("weekday", vocab.WEEKDAY_NAMES[w.value], w.start, w.end, "name")
    for c in sorted((c for c in clock.clocks(lat) if c.marked), key=lambda c: c.start - c.end):
        put("time", c.value, c.start, c.end, c.style)
    for run in strings.runs(lat, letters=True):
        symbols = run.symbols
        if any(ch.isalpha() for ch in symbols) and any(ch.isdigit() for ch in symbols):
            put("code", symbols, run.start, run.end, "run")
    for run in strings.runs(lat, letters=False):
        if len(run.symbols) > 2:
            put("digits", run.symbols, run.start, run.end, "run")
    for r in amounts.maximal(amounts.plain(lat, broken=True)):
        kind = "cardinal" if r.value == int(r.value) else "decimal"
        put(kind, plain_number(r.value), r.start, r.end, r.style)
    return tuple(sorted(out, key=lambda e: e.span))


__all__ = ["KINDS", "Edit", "Entity", "EntityMatch", "find_entities", "infer_kinds", "match_entity"]
