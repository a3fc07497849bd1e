"""Expected counts, ordinals, decimals, percentages, amounts of money and measures."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from functools import wraps

from s2sverify.text import amounts, clock, dates, nearmiss, strings
from s2sverify.text.kinds import Value, decimal_of, money_figures, plain_number
from s2sverify.text.lattice import Lattice, fold, lattice_of
from s2sverify.text.matching.base import Difference, Found, Matcher, Policy, far_apart
from s2sverify.text.measures import unit_at
from s2sverify.text.nearmiss import Edit
from s2sverify.text.numbers import is_counted, negative_mark, ordinals
from s2sverify.text.repairs import repairs
from s2sverify.text.strings import Hit
from s2sverify.text.vocabulary import words


class NumberMatcher(Matcher):
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
            Found(
                r.start,
                r.end,
                self._shown(r.value),
                r.style,
                far_apart(mine, plain_number(r.value)),
            )
            for r in self._readings(lat)
            if r.value != self.value
        ]

    def compare(self, heard: str) -> Difference:
        a, b = self.canonical.rstrip("%"), heard.rstrip("%")
        return nearmiss.symbol_edits(a, b), nearmiss.number_class(a, b)


def remembered_atoms(
    reader: Callable[[Lattice], frozenset[int]],
) -> Callable[[Lattice], frozenset[int]]:
    """Keep the atoms that a reader found in a text."""
    key = reader.__qualname__

    @wraps(reader)
    def ask(lat: Lattice) -> frozenset[int]:
        found: frozenset[int] | None = lat.memo.get(key)
        if found is None:
            found = lat.memo[key] = reader(lat)
        return found

    return ask


@remembered_atoms
def _in_dates(lat: Lattice) -> frozenset[int]:
    """Atoms of dates that have a month and a day: the numbers among them count nothing."""
    return frozenset(
        k
        for d in dates.days(lat, day_first=False)
        if d.month is not None and d.day is not None
        for k in range(d.start, d.end)
    )


@remembered_atoms
def _in_clocks(lat: Lattice) -> frozenset[int]:
    """Atoms of times that say that they are times."""
    return frozenset(k for c in clock.clocks(lat) if c.marked for k in range(c.start, c.end))


@remembered_atoms
def _in_amounts(lat: Lattice) -> frozenset[int]:
    """Atoms of amounts with a currency, other than pounds, which are a weight too."""
    return frozenset(
        k
        for r in amounts.maximal(amounts.money(lat))
        if r.unit and lat.text[r.end - 1] not in ("pound", "pounds")
        for k in range(r.start, r.end)
    )


_LONG_RUN = 4  # symbols from which on digits said one by one are a string, not a list of counts


@remembered_atoms
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


class MoneyMatcher(Matcher):
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
        if any(end == r.start for _, end in repairs(lat)):
            return ""  # it takes back an amount
        if r.value == int(r.value):
            return "" if r.start == 0 or before in _BEFORE_AMOUNT else "no currency"
        if r.style == "dollars then cents" and not self.policy.bare_cents:
            return "no currency"
        return "no currency" if r.style == "dollars then cents" and before in _NUMBERED else ""

    def others(self, lat: Lattice) -> list[Found]:
        return self._others(lat, bare_too=False)

    def replacements(self, lat: Lattice) -> list[Found]:
        """Other amounts that may take one back: behind words of repair the currency need not be said again."""
        return self._others(lat, bare_too=True)

    def _others(self, lat: Lattice, *, bare_too: bool) -> list[Found]:
        out = []
        for r in self._readings(lat):
            fits = self._fits(r.unit)
            places = len(plain_number(r.value).partition(".")[2])
            bare = not r.unit and not 1 <= places <= 2
            if r.value == self.value and fits:
                continue
            if not bare_too and (bare or (not r.unit and self._doubt(lat, r))):
                continue
            unit = r.unit if (self.stated or not fits) and r.unit not in amounts.SHARED else ""
            far = far_apart(plain_number(self.value), plain_number(r.value))
            far += (0.0 if fits else 0.3) + (0.2 if r.doubt else 0.0)
            closed = r.end >= lat.n or any(mark in lat.pre[r.end] for mark in ".,;!?")
            if bare and not closed and far > _LIKE_AN_AMOUNT:
                continue  # "actually 3 items": a count of something
            out.append(Found(r.start, r.end, self._shown(r.value, unit), r.style, far))
        return out

    def compare(self, heard: str) -> Difference:
        a, _, _ = self.canonical.partition(" ")
        b, _, unit = heard.partition(" ")
        if a == b:
            return (Edit("currency", 1, self.currency, unit),), "currency"
        return nearmiss.symbol_edits(a, b), nearmiss.number_class(a, b)


_LIKE_AN_AMOUNT = 0.6  # how far a number without a currency may be that takes an amount back

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


class MeasureMatcher(Matcher):
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
                far_apart(plain_number(self.value), plain_number(r.value)) + 0.5 * (r.unit != self.unit),
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


__all__ = ["MeasureMatcher", "MoneyMatcher", "NumberMatcher"]
