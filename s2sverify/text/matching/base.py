"""What every matcher answers, the parameters of a match, and what matchers share."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple, Protocol, TypeVar

from s2sverify.errors import InputError
from s2sverify.text import nearmiss
from s2sverify.text.lattice import Lattice
from s2sverify.text.nearmiss import Edit
from s2sverify.text.strings import Hit


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


class Stretch(Protocol):
    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...


S = TypeVar("S", bound=Stretch)


def longest(found: Iterable[S]) -> list[S]:
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


def far_apart(a: str, b: str) -> float:
    return nearmiss.distance(a, b) / max(len(a), len(b), 1)


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


__all__ = [
    "LOCALES",
    "REGIONS",
    "Difference",
    "Found",
    "Matcher",
    "Policy",
    "Stretch",
    "far_apart",
    "longest",
    "policy_of",
]
