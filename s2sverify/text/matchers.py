"""An expected value made ready, kind by kind: where it is said, what else of its kind is there, how the two differ."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal
from functools import lru_cache
from typing import Any, NamedTuple, Protocol, TypeVar

from s2sverify.errors import InputError
from s2sverify.text import amounts, clock, dates, names, nearmiss, strings, writing
from s2sverify.text.kinds import Value, decimal_of, money_figures, plain_number
from s2sverify.text.lattice import Lattice, fold, lattice_of
from s2sverify.text.measures import unit_at
from s2sverify.text.nearmiss import Edit
from s2sverify.text.normalize import normalize_words, words_with_atoms
from s2sverify.text.numbers import is_counted, negative_mark, ordinals
from s2sverify.text.strings import Hit
from s2sverify.text.vocabulary import OTHER, WEEKDAY_NAMES, WEEKDAYS, words

_MISHEARD = "to for of"  # the style of "13 to May"


@dataclass(frozen=True, slots=True)
class Policy:
    """The parameters of a match that do not depend on the kind."""

    day_first: bool  # 5/6 is the fifth of June
    half_is_past: bool  # "half seven" is 7:30
    region: str
    currency: str
    reference_date: date | None
    homophones: bool  # "to", "for", "ate" and "won" count as digits between digits
    bare_cents: bool  # "fifteen forty" counts for 15.40


class Found(NamedTuple):
    """Another value of the expected kind in the text; `far` is 0.0 for equal and 1.0 for nothing in common."""

    start: int
    end: int
    value: str
    reading: str
    far: float


Difference = tuple[tuple[Edit, ...], str | None]


class Matcher(Protocol):
    """What every kind answers about an expected value."""

    kind: str
    canonical: str

    @property
    def key(self) -> object:
        """Equal for values that are the same by the conventions of the kind."""
        ...

    def hits(self, lat: Lattice) -> list[Hit]:
        """Where the value is said, with the doubts there are."""
        ...

    def others(self, lat: Lattice) -> list[Found]:
        """Other values of the kind that may stand in its place."""
        ...

    def replacements(self, lat: Lattice) -> list[Found]:
        """Other values that may take one back behind words of repair."""
        return self.others(lat)

    def compare(self, heard: str) -> Difference:
        """Edits from the value to the one heard, and the class of the confusion."""
        ...


class _Stretch(Protocol):
    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...


S = TypeVar("S", bound=_Stretch)


def _longest(found: Iterable[S]) -> list[S]:
    """Those whose stretch lies inside no longer one."""
    found = list(found)
    furthest: dict[int, int] = {}
    for f in found:
        furthest[f.start] = max(f.end, furthest.get(f.start, 0))
    reached, inside = 0, set()
    for start in sorted(furthest):
        if furthest[start] <= reached:
            inside.add(start)
        reached = max(reached, furthest[start])
    return [f for f in found if f.start not in inside and f.end == furthest[f.start]]


def _far(a: str, b: str) -> float:
    return nearmiss.distance(a, b) / max(len(a), len(b), 1)


# --------------------------------------------------------------------------------------------- digits, codes, phones


class _Symbols(Matcher):
    """Digits and codes: separators and case aside, every symbol counts, and O is 0."""

    def __init__(self, expected: Value, kind: str, policy: Policy) -> None:
        self.kind, self.policy = kind, policy
        symbols = re.sub(r"[^A-Za-z0-9]", "", fold(str(expected)))
        if not symbols:
            raise InputError(
                f"expected must hold a letter or a digit for kind {kind!r}, got {expected!r}"
            )
        self.letters = not symbols.isdigit()
        self.canonical = symbols.upper()
        self.targets: list[str] = [symbols.lower().replace("o", "0")]

    @property
    def key(self) -> object:
        return self.targets[0]

    def hits(self, lat: Lattice) -> list[Hit]:
        return [h for target in self.targets for h in self._accepted(lat, target)]

    def _accepted(self, lat: Lattice, target: str) -> list[Hit]:
        hits = strings.accept(lat, target, letters=self.letters, code=self.kind == "code")
        if not self.policy.homophones:
            hits = [
                h._replace(doubt=h.doubt or "homophones") if "homophones" in h.reading else h
                for h in hits
            ]
        return hits

    def others(self, lat: Lattice) -> list[Found]:
        shortest = min(len(t) for t in self.targets)
        out = []
        for run in strings.runs(lat, letters=self.letters):
            heard = run.symbols.lower().replace("o", "0")
            if heard in self.targets or (len(heard) < 2 < shortest) or _is_claimed(lat, run):
                continue
            far = min(_far(t, heard) for t in self.targets)
            same_length = len(heard) > 2 and any(len(t) == len(heard) for t in self.targets)
            if far <= 0.6 or (same_length and far < 1):
                out.append(Found(run.start, run.end, run.symbols, "symbols", far))
        return out

    def compare(self, heard: str) -> Difference:
        said = heard.lower().replace("o", "0")
        expected = self.targets[0]
        if len(self.targets) > 1:
            expected = min(self.targets, key=lambda t: nearmiss.distance(t, said))
        return nearmiss.symbol_edits(expected.upper(), said.upper()), nearmiss.string_class(
            expected, said
        )


def _is_claimed(lat: Lattice, run: strings.Run) -> bool:
    """Whether a short run is an amount, a percentage, a time or a count by what stands behind it."""
    if len(run.symbols) > 3:
        return False
    return amounts.claimed(lat, run.start, run.end) or is_counted(lat, run.end)


_CALLING_CODES = words(
    "1 7 20 27 30 31 32 33 34 36 39 40 41 43 44 45 46 47 48 49 51 52 53 54 55 56 57 58 60 61 62 63"
    " 64 65 66 81 82 84 86 90 91 92 93 94 95 98 211 212 213 216 218 220 221 222 223 224 225 226"
    " 227 228 229 230 231 232 233 234 235 236 237 238 239 240 241 242 243 244 245 246 248 249 250"
    " 251 252 253 254 255 256 257 258 260 261 262 263 264 265 266 267 268 269 290 291 297 298 299"
    " 350 351 352 353 354 355 356 357 358 359 370 371 372 373 374 375 376 377 378 380 381 382 383"
    " 385 386 387 389 420 421 423 500 501 502 503 504 505 506 507 508 509 590 591 592 593 594 595"
    " 596 597 598 599 670 672 673 674 675 676 677 678 679 680 681 682 683 685 686 687 688 689 690"
    " 691 692 850 852 853 855 856 880 886 960 961 962 963 964 965 966 967 968 970 971 972 973 974"
    " 975 976 977 992 993 994 995 996 998"
)
REGIONS = {
    "US": "1", "CA": "1", "GB": "44", "AU": "61", "IN": "91", "NZ": "64", "IE": "353", "DE": "49",
    "FR": "33", "ES": "34",
    "IT": "39", "NL": "31", "CH": "41", "AT": "43", "BE": "32", "SE": "46", "NO": "47", "DK": "45",
    "PL": "48", "PT": "351",
    "BR": "55", "MX": "52", "JP": "81", "CN": "86", "KR": "82", "SG": "65", "ZA": "27", "AE": "971",
}  # fmt: skip
"""Regions by their calling code (ITU-T E.164)."""
_LOCALES = {
    # day before month in figures, "half seven" is 7:30, region, currency
    "en-US": (False, False, "US", "USD"),
    "en-CA": (False, False, "CA", "CAD"),
    "en-GB": (True, True, "GB", "GBP"),
    "en-IE": (True, True, "IE", "EUR"),
    "en-AU": (True, True, "AU", "AUD"),
    "en-NZ": (True, True, "NZ", "NZD"),
    "en-IN": (True, True, "IN", "INR"),
}
LOCALES = tuple(_LOCALES)


def policy_of(
    locale: str,
    region: str | None,
    currency: str | None,
    reference_date: date | None,
    homophones: bool = True,
    bare_cents: bool = True,
) -> Policy:
    """The parameters of a match, from a locale and what is set apart from it.

    Raises
    ------
    InputError
        If `locale`, `region` or `currency` is unknown.
    """
    known = _LOCALES.get(locale)
    if known is None:
        raise InputError(f"locale must be one of {', '.join(LOCALES)}, got {locale!r}")
    day_first, half_is_past, home, money = known
    home = home if region is None else region.upper()
    if home not in REGIONS:
        raise InputError(f"region must be one of {', '.join(sorted(REGIONS))}, got {region!r}")
    if currency is not None and not (len(currency) == 3 and currency.isalpha()):
        raise InputError(
            f"currency must be a code of three letters such as 'USD', got {currency!r}"
        )
    return Policy(
        day_first,
        half_is_past,
        home,
        money if currency is None else currency.upper(),
        reference_date,
        homophones,
        bare_cents,
    )


class _Phone(_Symbols):
    """Phone numbers: the country code may be left out, a trunk zero may be said; whatever is said must be right."""

    def __init__(self, expected: Value, kind: str, policy: Policy) -> None:
        text = fold(str(expected)).strip()
        super().__init__(text, kind, policy)
        digits = self.targets[0]
        self.behind_plus: tuple[str, ...] = (digits,)
        home = REGIONS.get(policy.region, "1")
        if text.startswith(("+", "00")):
            digits = digits.removeprefix("00")
            code = next(
                (c for c in (digits[:3], digits[:2], digits[:1]) if c in _CALLING_CODES), digits[:1]
            )
            national = digits[len(code) :].removeprefix(
                "0" if code in ("44", "61", "49", "353") else ""
            )
            self.behind_plus = (digits, code + "0" + national)
            self.targets = [digits, national, "00" + digits, "011" + digits]
            if code == "1":
                self.targets.append("001" + national)
            else:
                self.targets += ["0" + national, code + "0" + national]
            self.canonical = "+" + digits.upper()
        elif home == "1":
            if len(digits) == 10:
                self.targets.append("1" + digits)
            elif len(digits) == 11 and digits[0] == "1":
                self.targets.append(digits[1:])
            self.behind_plus = (digits if len(digits) != 10 else "1" + digits,)
        elif digits.startswith("0"):
            self.targets += [home + digits[1:], home + digits, digits[1:]]
            self.behind_plus = (home + digits[1:], home + digits)
        elif len(digits) > 6:
            self.targets += ["0" + digits, home + digits]
            self.behind_plus = (home + digits,)
        self.targets = list(dict.fromkeys(t for t in self.targets if t))

    @property
    def key(self) -> object:
        return self.behind_plus[0]

    def _accepted(self, lat: Lattice, target: str) -> list[Hit]:
        out = []
        for hit in super()._accepted(lat, target):
            if hit.doubt == "written with a point":
                hit = hit._replace(doubt="")
            if hit.start and lat.text[hit.start - 1] in ("+", "plus"):
                if target not in self.behind_plus:
                    continue
                hit = hit._replace(start=hit.start - 1)
            out.append(hit)
        return out

    def others(self, lat: Lattice) -> list[Found]:
        return [f for f in super().others(lat) if len(f.value) >= 5]


# --------------------------------------------------------------------------------------------- numbers


class _Number(Matcher):
    """Counts, decimals, ordinals and percentages."""

    def __init__(self, expected: Value, kind: str, policy: Policy) -> None:
        self.kind = kind
        text: Value = fold(expected).strip() if isinstance(expected, str) else expected
        if isinstance(text, str) and kind == "percent":
            text = re.sub(r"(?i)\s*(%|percent|per cent|pct)\.?$", "", text)
        if isinstance(text, str) and kind == "ordinal":
            text = re.sub(r"(?i)(?<=\d)(st|nd|rd|th)$", "", text)
            if not re.search(r"\d", text):
                lat = lattice_of(text)
                said = [n.value for n in ordinals(lat, 0) if n.end == lat.n] if lat.n else []
                text = said[-1] if said else text
        self.value = decimal_of(text, kind)
        self.canonical = self._shown(self.value)

    def _shown(self, value: Decimal) -> str:
        return plain_number(value) + ("%" if self.kind == "percent" else "")

    @property
    def key(self) -> object:
        return self.value

    def _taken(self, lat: Lattice) -> frozenset[int]:
        """Atoms whose numbers belong to something else: the dates of a text; its codes and times, for counts."""
        if self.kind == "percent":
            return frozenset()
        if self.kind == "ordinal":
            return _in_dates(lat)
        return _in_dates(lat) | _in_clocks(lat) | _in_amounts(lat) | _in_runs(lat)

    def _readings(self, lat: Lattice) -> list[amounts.Reading]:
        readers = {"percent": amounts.percent, "ordinal": amounts.ordinal}
        found = amounts.maximal(readers.get(self.kind, amounts.plain)(lat))
        taken = self._taken(lat) if found else frozenset[int]()
        return [r for r in found if r.start not in taken]

    def hits(self, lat: Lattice) -> list[Hit]:
        out = [
            Hit(r.start, r.end, r.style, r.doubt)
            for r in self._readings(lat)
            if r.value == self.value
        ]
        if (
            out
            or self.kind not in ("cardinal", "decimal")
            or self.value < 10
            or self.value != int(self.value)
        ):
            return out
        digits = strings.accept(lat, plain_number(self.value), letters=False)
        return [h for h in digits if self._counts(lat, h)]

    def _counts(self, lat: Lattice, h: Hit) -> bool:
        """Whether digits said one by one or in groups are a count."""
        if h.doubt or "homophones" in h.reading or h.start in self._taken(lat):
            return False
        if (
            amounts.claimed(lat, h.start, h.end)
            or negative_mark(lat, h.start)
            or strings.crossing(lat, h.start)
        ):
            return False
        return not any("," in lat.pre[k] and lat.apart(k) for k in range(h.start + 1, h.end))

    def others(self, lat: Lattice) -> list[Found]:
        mine = plain_number(self.value)
        return [
            Found(r.start, r.end, self._shown(r.value), r.style, _far(mine, plain_number(r.value)))
            for r in self._readings(lat)
            if r.value != self.value
        ]

    def compare(self, heard: str) -> Difference:
        a, b = self.canonical.rstrip("%"), heard.rstrip("%")
        return nearmiss.symbol_edits(a, b), nearmiss.number_class(a, b)


def _in_dates(lat: Lattice) -> frozenset[int]:
    """Atoms of dates that have a month and a day: the numbers among them count nothing."""
    return frozenset(
        k
        for d in dates.days(lat, day_first=False)
        if d.month is not None and d.day is not None
        for k in range(d.start, d.end)
    )


def _in_clocks(lat: Lattice) -> frozenset[int]:
    """Atoms of times that say that they are times."""
    return frozenset(k for c in clock.clocks(lat) if c.marked for k in range(c.start, c.end))


def _in_amounts(lat: Lattice) -> frozenset[int]:
    """Atoms of amounts with a currency, other than pounds, which are a weight too."""
    return frozenset(
        k
        for r in amounts.maximal(amounts.money(lat))
        if r.unit and lat.text[r.end - 1] not in ("pound", "pounds")
        for k in range(r.start, r.end)
    )


_LONG_RUN = 4  # symbols from which on digits said one by one are a string, not a list of counts


def _in_runs(lat: Lattice) -> frozenset[int]:
    """Atoms inside codes with letters, and inside digits said one by one."""
    codes = [
        r
        for r in strings.runs(lat, letters=True)
        if not r.symbols.isdigit()
        and not (r.symbols[:-1].isdigit() and lat.word[r.start] == lat.word[r.end - 1])  # "1.5k"
    ]
    spelled = [
        r
        for r in strings.runs(lat, letters=False)
        if _LONG_RUN <= len(r.symbols) == r.end - r.start
    ]
    inside = {k for r in codes for k in range(r.start, r.end)}
    inside |= {k for r in spelled for k in range(r.start + 1, r.end)}
    whole = {
        r.start
        for r in spelled
        if not any(lat.pre[k].strip(" -") for k in range(r.start + 1, r.end))
    }
    return frozenset(inside | ({r.start for r in spelled} - whole))


class _Money(Matcher):
    """Amounts: the currency may be left unsaid; where it is said, it must be right."""

    kind = "money"

    def __init__(self, expected: Value, kind: str, policy: Policy) -> None:
        self.policy = policy
        self.currency, self.stated = policy.currency, False
        number: Decimal | None = None
        if isinstance(expected, str) and re.search(r"[^\d.,\s+-]", expected):
            lat = lattice_of(fold(expected).strip())
            whole = [
                r for r in amounts.maximal(amounts.money(lat)) if r.start == 0 and r.end == lat.n
            ]
            if whole:
                best = min(whole, key=lambda r: (bool(r.doubt), not r.unit))
                number = best.value
                if best.unit and best.unit not in amounts.SHARED:
                    self.currency, self.stated = best.unit, True
        self.value = decimal_of(expected, kind) if number is None else number
        self.canonical = self._shown(self.value, self.currency if self.stated else "")

    @staticmethod
    def _shown(value: Decimal, unit: str) -> str:
        return f"{money_figures(value)} {unit}".rstrip()

    def _fits(self, unit: str) -> bool:
        if unit in amounts.SHARED:
            having = amounts.SHARED[unit]
            return having is None or self.currency in having
        return (
            not unit
            or unit == self.currency
            or (unit == "USD" and self.currency in amounts.DOLLARS)
        )

    def _readings(self, lat: Lattice) -> list[amounts.Reading]:
        return [r for r in amounts.maximal(amounts.money(lat)) if not self._is_else(lat, r)]

    @staticmethod
    def _is_else(lat: Lattice, r: amounts.Reading) -> bool:
        """Whether a number without a currency is a percentage, a time of day or the like."""
        if r.unit:
            return False
        return r.end < lat.n and (
            amounts.is_percent(lat, r.end) > 0 or amounts.is_half_day(lat, r.end)
        )

    @property
    def key(self) -> object:
        return self.value, self.currency

    def hits(self, lat: Lattice) -> list[Hit]:
        out = []
        for r in self._readings(lat):
            if r.value == self.value and self._fits(r.unit):
                out.append(Hit(r.start, r.end, r.style, r.doubt or self._doubt(lat, r)))
        return out

    def _doubt(self, lat: Lattice, r: amounts.Reading) -> str:
        if r.unit == amounts.CENT and self.currency not in (*amounts.DOLLARS, self.policy.currency):
            return "cents of which currency"
        if r.unit:
            return ""
        if (
            unit_at(lat, r.end) is not None
            or is_counted(lat, r.end)
            or (r.end < lat.n and lat.text[r.end] in ("year", "day", "month", "th", "st"))
        ):
            return "counts something else"
        before = lat.word_at(r.start - 1)
        if r.value == int(r.value):
            return "" if r.start == 0 or before in _BEFORE_AMOUNT else "no currency"
        if r.style == "dollars then cents" and not self.policy.bare_cents:
            return "no currency"
        return "no currency" if r.style == "dollars then cents" and before in _NUMBERED else ""

    def others(self, lat: Lattice) -> list[Found]:
        out = []
        for r in self._readings(lat):
            fits = self._fits(r.unit)
            places = len(plain_number(r.value).partition(".")[2])
            bare = not r.unit and not 1 <= places <= 2
            if (r.value == self.value and fits) or bare or (not r.unit and self._doubt(lat, r)):
                continue
            unit = r.unit if (self.stated or not fits) and r.unit not in amounts.SHARED else ""
            far = _far(plain_number(self.value), plain_number(r.value))
            far += (0.0 if fits else 0.3) + (0.2 if r.doubt else 0.0)
            out.append(Found(r.start, r.end, self._shown(r.value, unit), r.style, far))
        return out

    def compare(self, heard: str) -> Difference:
        a, _, _ = self.canonical.partition(" ")
        b, _, unit = heard.partition(" ")
        if a == b:
            return (Edit("currency", 1, self.currency, unit),), "currency"
        return nearmiss.symbol_edits(a, b), nearmiss.number_class(a, b)


_BEFORE_AMOUNT = words(
    "is was be costs cost for of at to total totals totalled pay paid charge charged charges owe"
    " owes about around roughly exactly just only equals amount price balance fee comes it's"
    " that's makes by approximately nearly almost over under than reached refund refunded credit"
    " payment rate have has with a the and or spend spent save saved worth quoted are up down"
    " price"
)
_NUMBERED = words(
    "room gate flight suite extension number code order reference pin unit terminal line bus train"
    " route apartment apt floor seat row"
)


class _Measure(Matcher):
    """A number with a unit; without one in the expected value, any unit fits."""

    kind = "measure"

    def __init__(self, expected: Value, kind: str, policy: Policy) -> None:
        self.unit = ""
        self.literal: tuple[str, ...] = ()
        number: Decimal | None = None
        if isinstance(expected, str):
            text = re.sub(
                r"(\d)\s*'\s*(\d+)\s*(?:\"|''|in\b)?$", r"\1 ft \2 in", fold(expected).strip()
            )
            text = re.sub(r"(\d)\s*(?:\"|'')$", r"\1 in", re.sub(r"(\d)\s*'$", r"\1 ft", text))
            lat = lattice_of(text)
            whole = [r for r in amounts.measure(lat) if r.start == 0 and r.end == lat.n]
            if whole:
                number, self.unit = whole[0].value, whole[0].unit
            else:
                split = re.fullmatch(r"([-+]?[\d,]*\.?\d+)\s+([^\d]+)", text)
                if split:  # a unit of no table: its words count
                    number = decimal_of(split[1], kind)
                    self.literal = tuple(_singular(w) for w in split[2].lower().split())
        self.value = decimal_of(expected, kind) if number is None else number
        unit = self.unit or " ".join(self.literal)
        self.canonical = f"{plain_number(self.value)} {unit}".strip()

    @property
    def key(self) -> object:
        return (
            (self.value * _SECONDS[self.unit], "s")
            if self.unit in _SECONDS
            else (self.value, self.unit or self.literal)
        )

    def hits(self, lat: Lattice) -> list[Hit]:
        if self.literal:
            return [
                Hit(r.start, r.end + len(self.literal), r.style)
                for r in amounts.maximal(amounts.plain(lat))
                if r.value == self.value and self._counts(lat, r.end)
            ]
        found = amounts.maximal(amounts.measure(lat))
        hits = [Hit(r.start, r.end, r.style) for r in found if self._same(r)]
        if not hits and self.unit in ("°C", "°F"):
            hits = [
                Hit(r.start, r.end, r.style, "scale not said")
                for r in found
                if r.unit == "°" and r.value == self.value
            ]
        return hits

    def _counts(self, lat: Lattice, j: int) -> bool:
        return tuple(_singular(w) for w in lat.text[j : j + len(self.literal)]) == self.literal

    def _same(self, r: amounts.Reading) -> bool:
        if not self.unit or r.unit == self.unit:
            return r.value == self.value
        a, b = _SECONDS.get(self.unit), _SECONDS.get(r.unit)
        return a is not None and b is not None and r.value * b == self.value * a

    def others(self, lat: Lattice) -> list[Found]:
        return [
            Found(
                r.start, r.end, f"{plain_number(r.value)} {r.unit}", r.style,
                _far(plain_number(self.value), plain_number(r.value)) + 0.5 * (r.unit != self.unit),
            )
            for r in amounts.maximal(amounts.measure(lat))
            if not self._same(r)
        ]  # fmt: skip

    def compare(self, heard: str) -> Difference:
        value, _, unit = heard.partition(" ")
        mine = plain_number(self.value)
        if value == mine:
            return (Edit("unit", 1, self.unit, unit),), "unit"
        return nearmiss.symbol_edits(mine, value), nearmiss.number_class(mine, value)


_SECONDS = {"s": 1, "min": 60, "h": 3600, "day": 86_400, "week": 604_800}


def _singular(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


# --------------------------------------------------------------------------------------------- clock and calendar


class _Time(Matcher):
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
        return self.hits_among(lat, _longest(clock.clocks(lat)))

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
        return self._unlike(c for c in _longest(clock.clocks(lat)) if c.marked)

    def replacements(self, lat: Lattice) -> list[Found]:
        """As `others`; behind words of repair a time need not be marked as one."""
        return self._unlike(_longest(clock.clocks(lat)))

    def _unlike(self, clocks: Iterable[clock.Clock]) -> list[Found]:
        out = []
        for c in clocks:
            if not c.fits(self.hour, self.minute):
                value = c.value(self.hour)
                out.append(Found(c.start, c.end, value, c.style, _far(self.canonical, value)))
        return out

    def compare(self, heard: str) -> Difference:
        hour, minute = (int(p) for p in heard.split(":"))
        edits = []
        if hour != self.hour:
            edits.append(Edit("hour", 1, f"{self.hour:02d}", f"{hour:02d}"))
        if minute != self.minute:
            edits.append(Edit("minute", 2, f"{self.minute:02d}", f"{minute:02d}"))
        return tuple(edits), nearmiss.time_class((self.hour, self.minute), (hour, minute))


class _Date(Matcher):
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
        found = _longest(dates.days(lat, day_first=self.policy.day_first))
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
                out.append(Found(d.start, d.end, value, d.style, _far(self.canonical, value)))
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


class _Datetime(Matcher):
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
                found = [c for c in _longest(clock.clocks(lattice_of(text))) if c.marked]
                if not found:
                    raise InputError(
                        f"expected must be a date with a time of day, got {expected!r}"
                    )
                best = max(found, key=lambda c: c.end - c.start)
                day, moment = text, best.value() if best.half else f"{best.hour}:{best.minute:02d}"
        self.date, self.time = _Date(day, "date", policy), _Time(moment, "time", policy)
        self.canonical = f"{self.date.canonical}T{self.time.canonical}"

    def _together(self, a: _Stretch, b: _Stretch) -> bool:
        return 0 <= (b.start - a.end if b.start >= a.end else a.start - b.end) <= self._GAP

    @property
    def key(self) -> object:
        return self.date.key, self.time.key

    def hits(self, lat: Lattice) -> list[Hit]:
        out = []
        times = self.time.hits(lat)
        for d in self.date.hits(lat):
            behind = self.time.hits_among(lat, _longest(clock.clocks_from(lat, d.end)))
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


class _Weekday(Matcher):
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
            Found(i, j, name, "name", _far(self.canonical, name))
            for i, j, name in self._said(lat)
            if name != self.canonical
        ]

    def compare(self, heard: str) -> Difference:
        return (Edit("weekday", 1, self.canonical, heard),), "weekday"


# --------------------------------------------------------------------------------------------- words


class _Name(Matcher):
    """Names: what is spelled decides; what sounds alike counts; what sounds nearly alike is in doubt."""

    kind = "name"

    def __init__(self, expected: Value, kind: str, policy: Policy) -> None:
        self.canonical = " ".join(str(expected).split())
        self.parts = names.parts_of(self.canonical)
        if not self.parts:
            raise InputError(f"expected must hold a letter for kind 'name', got {expected!r}")

    @property
    def key(self) -> object:
        return self.parts

    def hits(self, lat: Lattice) -> list[Hit]:
        hits = names.accept_name(lat, self.parts)
        if not hits and not self._spelled_otherwise(lat):
            hits = [h for i in range(lat.n) for h in self._doubtful(lat, i)]
        return hits

    def _doubtful(self, lat: Lattice, i: int) -> Iterable[Hit]:
        """Nearly the name by its sound, or its last part alone."""
        size = len(self.parts)
        if i + size <= lat.n and all(lat.cls[k] == OTHER for k in range(i, i + size)):
            said = [
                w.replace("'", "").removesuffix("s") if "'" in w else w
                for w in lat.text[i : i + size]
            ]
            if all(names.sounds_near(a, b) for a, b in zip(self.parts, said, strict=True)):
                yield Hit(i, i + size, "as written", "sounds nearly alike")
        if (
            size > 1
            and lat.text[i] == self.parts[-1]
            and len(self.parts[-1]) > 2
            and lat.word_at(i - 1) in names.TITLES
        ):
            yield Hit(i, i + 1, "as written", "only the last name")

    def others(self, lat: Lattice) -> list[Found]:
        out: list[Found] = []
        target, size = "".join(self.parts), len(self.parts)
        cased = any(r[0].isupper() for r in lat.raw) and not lat.shouted
        for i in range(lat.n):
            if (
                lat.cls[i] != OTHER
                or len(lat.text[i]) < 2
                or (cased and not lat.raw[i][0].isupper())
            ):
                continue
            for width in {size, size + 1, max(1, size - 1)}:
                j = i + width
                if j > lat.n or any(lat.cls[k] != OTHER for k in range(i, j)):
                    continue
                if any(c in lat.pre[k] for k in range(i + 1, j) for c in ",.;?!"):
                    continue
                far = _far(target, "".join(w.replace("'", "") for w in lat.text[i:j]))
                if 0 < far <= 0.45:
                    out.append(Found(i, j, lat.shown(i, j), "as written", far))
        return out + self._spelled_otherwise(lat)

    def _spelled_otherwise(self, lat: Lattice) -> list[Found]:
        out = []
        for run in strings.runs(lat, letters=True):
            letters = run.symbols.lower().replace("0", "o")
            if len(letters) > 2 and letters.isalpha():
                far = min(_far(t, letters) for t in ("".join(self.parts), *self.parts))
                if 0 < far <= 0.4:
                    out.append(Found(run.start, run.end, letters.capitalize(), "spelled", far / 2))
        return out

    def compare(self, heard: str) -> Difference:
        a, b = self.canonical.split(), heard.split()
        if len(a) != len(b):
            best = (
                min(a, key=lambda part: _far(part.lower(), heard.lower()))
                if len(b) == 1
                else self.canonical
            )
            return (Edit("word", a.index(best) + 1 if best in a else 1, best, heard),), "name_near"
        edits = tuple(
            Edit("word", k, x, y)
            for k, (x, y) in enumerate(zip(a, b, strict=True), 1)
            if fold(x).lower() != fold(y).lower()
        )
        return edits, "name_near"


class _Written(Matcher):
    """E-mail and web addresses: every sign counts; the scheme, and "www", may be left unsaid."""

    def __init__(self, expected: Value, kind: str, policy: Policy) -> None:
        self.kind = kind
        self.canonical = re.sub(r"\s+", "", fold(str(expected)).lower().removeprefix("mailto:"))
        bare = self.canonical
        targets = [bare]
        if kind == "url":
            bare = re.sub(r"^[a-z][a-z0-9+.-]*://", "", bare)
            targets += [
                bare,
                bare.rstrip("/"),
                bare.removeprefix("www."),
                bare.removeprefix("www.").rstrip("/"),
            ]
        self.targets = [t for t in dict.fromkeys(targets) if t]
        if not self.targets:
            raise InputError(f"expected must not be empty for kind {kind!r}, got {expected!r}")

    @property
    def key(self) -> object:
        return self.targets[-1]

    def hits(self, lat: Lattice) -> list[Hit]:
        return [h for target in self.targets for h in writing.accept_symbols(lat, target)]

    def others(self, lat: Lattice) -> list[Found]:
        out = []
        for i, j, value in writing.addresses(lat, email=self.kind == "email"):
            far = min(_far(t, value) for t in self.targets)
            if 0 < far <= 0.5:
                out.append(Found(i, j, value, "as written", far))
        return out

    def compare(self, heard: str) -> Difference:
        best = min(self.targets, key=lambda t: nearmiss.distance(t, heard))
        return nearmiss.symbol_edits(best, heard), nearmiss.string_class(best, heard)


class _Address(Matcher):
    kind = "address"

    def __init__(self, expected: Value, kind: str, policy: Policy) -> None:
        self.canonical = " ".join(str(expected).split())
        self.tokens = writing.address_tokens(self.canonical)
        if not self.tokens:
            raise InputError(
                f"expected must hold a letter or a digit for kind 'address', got {expected!r}"
            )

    @property
    def key(self) -> object:
        return tuple(writing.plainest_form(t) for t in self.tokens)

    def hits(self, lat: Lattice) -> list[Hit]:
        return writing.accept_address(lat, self.tokens)

    def others(self, lat: Lattice) -> list[Found]:
        """The same street with another number, or the same number in another street."""
        said = [(w, i, j) for w, i, j in words_with_atoms(lat)]
        mine = normalize_words(self.canonical)
        out = []
        for k in range(len(said) - len(mine) + 1):
            window = [w for w, _, _ in said[k : k + len(mine)]]
            same = sum(a == b for a, b in zip(mine, window, strict=True))
            if len(mine) > 2 and len(mine) - 1 <= same + (len(mine) > 5) and window != mine:
                start, end = said[k][1], said[k + len(mine) - 1][2]
                out.append(Found(start, end, " ".join(window), "as written", 1 - same / len(mine)))
        return out

    def compare(self, heard: str) -> Difference:
        a, b = normalize_words(self.canonical), heard.split()
        edits = tuple(
            Edit("word", k, x, y) for k, (x, y) in enumerate(zip(a, b, strict=False), 1) if x != y
        )
        return edits, "other"


class _Text(Matcher):
    """Free text: equal once both are normalised."""

    kind = "text"

    def __init__(self, expected: Value, kind: str, policy: Policy) -> None:
        self.canonical = " ".join(str(expected).split())
        self.words = normalize_words(self.canonical)
        if not self.words:
            raise InputError(f"expected must hold a word for kind 'text', got {expected!r}")

    @property
    def key(self) -> object:
        return tuple(self.words)

    def hits(self, lat: Lattice) -> list[Hit]:
        said = words_with_atoms(lat)
        only = [w for w, _, _ in said]
        size, first = len(self.words), self.words[0]
        return [
            Hit(said[k][1], said[k + size - 1][2], "as written")
            for k in range(len(said) - size + 1)
            if only[k] == first and only[k : k + size] == self.words
        ]

    def others(self, lat: Lattice) -> list[Found]:
        return []

    def compare(self, heard: str) -> Difference:
        return (), None


_MATCHERS: dict[str, Callable[[Any, str, Policy], Matcher]] = {
    "digits": _Symbols, "code": _Symbols, "phone": _Phone, "cardinal": _Number, "ordinal": _Number, "decimal": _Number,
    "percent": _Number, "money": _Money, "measure": _Measure, "date": _Date, "time": _Time, "datetime": _Datetime,
    "weekday": _Weekday, "name": _Name, "email": _Written, "url": _Written, "address": _Address, "text": _Text,
}  # fmt: skip


@lru_cache(maxsize=8_192)
def _prepared(expected: Value, form: str, kind: str, policy: Policy) -> Matcher:
    del form  # 1 and 1.0 are one key otherwise
    return _MATCHERS[kind](expected, kind, policy)


def matcher_for(expected: Value, kind: str, policy: Policy) -> Matcher:
    """The expected value made ready for its kind; kept, as one value is looked for in many turns.

    Raises
    ------
    InputError
        If `expected` does not fit the kind.
    """
    return _prepared(expected, type(expected).__name__, kind, policy)


__all__ = [
    "LOCALES",
    "REGIONS",
    "Found",
    "Matcher",
    "Policy",
    "iso_date",
    "matcher_for",
    "policy_of",
]
