"""Is this value what was said? Expected values against the words heard, and the values that a text holds.

The expected value leads: its acceptor is walked over a lattice of the words, and only a maximal stretch counts, so 4821
is not in "48213". What stands in its place otherwise is read with the same grammar.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

from s2sverify.errors import InputError
from s2sverify.text import amounts, clock, dates, strings, writing
from s2sverify.text.kinds import KINDS, Value, infer_kinds, kind_named, money_figures, plain_number
from s2sverify.text.lattice import Lattice, lattice_of
from s2sverify.text.matching.base import LOCALES, Found, Matcher, Policy, policy_of
from s2sverify.text.matching.moments import iso_date
from s2sverify.text.matching.prepare import matcher_for
from s2sverify.text.nearmiss import Edit
from s2sverify.text.numbers import is_counted
from s2sverify.text.repairs import is_denied, repairs
from s2sverify.text.strings import HARD, Hit, left_edge, right_edge
from s2sverify.text.vocabulary import FIGURE, WEEKDAY_NAMES, words
from s2sverify.types import Interval, Outcome, Transcript, Word

MATCHER_VERSION = "2"
"""Raised when a match can turn out otherwise: error floors measured before are stale then."""


@dataclass(frozen=True, slots=True)
class EntityMatch:
    """What became of an expected value in a text.

    Attributes
    ----------
    outcome : Outcome
        ``spoken``; ``different``: another value of its kind stands where it should; ``absent``;
        ``ambiguous``: the words can be read as the value, and something stands against it.
    expected : str
        The canonical expected value.
    kind : str
        The kind under which it was decided.
    heard : str or None
        Canonical value heard: the expected one when spoken or ambiguous, the other one when different,
        None when absent.
    span : tuple of int or None
        Half-open range of whitespace words, or of the words given.
    interval : Interval or None
        The same in seconds, where the words have times.
    reading : str
        How it was said, e.g. "digits", "groups", "dollars then cents".
    edits : tuple of Edit
        Differences in the value's own symbols; empty unless a different value was heard.
    near_miss : str or None
        Class of the confusion, as in `near_misses`.
    corrected : bool
        The speaker corrected himself, and the last version counted.
    doubt : str
        What stands against an ambiguous match.
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
    doubt: str = ""

    def __bool__(self) -> bool:
        """Whether the value was said, beyond doubt."""
        return self.outcome is Outcome.SPOKEN


@dataclass(frozen=True, slots=True)
class Entity:
    """A value that a text holds: kind, canonical value, and where it stands."""

    kind: str
    value: str
    span: tuple[int, int]
    interval: Interval | None
    text: str
    reading: str


def match_entity(
    expected: Value,
    spoken: str | Transcript | Sequence[Word],
    *,
    kind: str | None = None,
    locale: str = "en-US",
    region: str | None = None,
    currency: str | None = None,
    reference_date: date | None = None,
    homophones: bool = True,
    bare_cents: bool = True,
) -> EntityMatch:
    """Tell whether an expected value is said in a text, and what is said in its place.

    Parameters
    ----------
    expected : str, int, float, Decimal, date, time or datetime
        The value, in canonical form or as a tool writes it.
    spoken : str, Transcript or sequence of Word
        The words heard. Raw words of an engine serve better than its "smart" formatted text.
    kind : str, optional
        Kind of the value, by any of its names. None takes every kind that type and form allow, and the
        value is spoken if it is so under one of them.
    locale : {"en-US", "en-CA", "en-GB", "en-IE", "en-AU", "en-NZ", "en-IN"}
        Order of day and month in figures, what "half seven" means, and the two defaults below.
    region : str, optional
        Region (ISO 3166) whose calling code may be left out of a phone number; by default that of `locale`.
    currency : str, optional
        Currency (ISO 4217) of an expected amount that names none; by default that of `locale`.
    reference_date : date, optional
        The day of the call. With it, "tomorrow" and "this Friday" count as dates.
    homophones : bool
        Whether "to", "for", "ate" and "won" between digits count as digits. False makes such readings ambiguous.
    bare_cents : bool
        Whether "fifteen forty" counts for 15.40. False makes such readings ambiguous.

    Returns
    -------
    EntityMatch
        True in a condition only when the value was said beyond doubt.

    Raises
    ------
    InputError
        If `kind`, `locale`, `region` or `currency` is unknown, or `expected` does not fit its kind.

    Examples
    --------
    >>> match_entity("48213", "your code is forty eight two thirteen").outcome
    <Outcome.SPOKEN: 'spoken'>
    >>> found = match_entity("15.40", "that is fifty dollars and forty cents")
    >>> found.heard, found.near_miss
    ('50.40', 'teen_ty')
    """
    policy = policy_of(locale, region, currency, reference_date, homophones, bare_cents)
    lat = lattice_of(spoken)
    kinds = infer_kinds(expected) if kind is None else (kind_named(kind),)
    if isinstance(expected, bool):
        raise InputError(f"expected must be text, a number, a date or a time, got {expected!r}")
    best: tuple[float, EntityMatch] | None = None
    for name in kinds:
        far, found = _match(matcher_for(expected, name, policy), lat)
        if found.outcome is Outcome.SPOKEN:
            return found
        weight = _WEIGHT[found.outcome] + far
        if best is None or weight < best[0]:
            best = weight, found
    if best is None:
        raise InputError(f"expected has no kind that can be matched, got {expected!r}")
    return best[1]


def contains_entity(
    expected: Value,
    spoken: str | Transcript | Sequence[Word],
    *,
    kind: str,
    locale: str = "en-US",
    region: str | None = None,
    currency: str | None = None,
    reference_date: date | None = None,
) -> bool:
    """Whether a reading of the text gives the value, in doubt or not.

    This is `match_entity` without a look at what else is said.

    Raises
    ------
    InputError
        As `match_entity`.
    """
    policy = policy_of(locale, region, currency, reference_date)
    return bool(matcher_for(expected, kind_named(kind), policy).hits(lattice_of(spoken)))


_WEIGHT = {Outcome.AMBIGUOUS: 0.0, Outcome.DIFFERENT: 1.0, Outcome.ABSENT: 9.0}


# --------------------------------------------------------------------------------------------- one kind


def _match(m: Matcher, lat: Lattice) -> tuple[float, EntityMatch]:
    """The outcome for one kind, and how far the value heard is from the expected one."""
    hits = [h for h in m.hits(lat) if not is_denied(lat, h.start)]
    clean = [h for h in hits if not h.doubt]
    if clean:
        hit = max(clean, key=lambda h: (h.end if repairs(lat) else h.end - h.start, -h.start))
        later = _replacement(m, lat, hit)
        if later is not None:
            return later.far, replace(_different(m, lat, later), corrected=True)
        return 0.0, _found(m, lat, hit, Outcome.SPOKEN)
    if hits:
        return 0.0, _found(m, lat, max(hits, key=lambda h: h.end - h.start), Outcome.AMBIGUOUS)
    others = m.others(lat)
    if not others:
        return 1.0, EntityMatch(Outcome.ABSENT, m.canonical, m.kind)
    best = min(others, key=lambda f: (is_denied(lat, f.start), f.far, f.start))
    later = _replacement(m, lat, best)
    return best.far, replace(_different(m, lat, later or best), corrected=later is not None)


def _found(m: Matcher, lat: Lattice, hit: Hit, outcome: Outcome) -> EntityMatch:
    return EntityMatch(
        outcome,
        m.canonical,
        m.kind,
        heard=m.canonical,
        span=lat.span(hit.start, hit.end),
        interval=lat.interval(hit.start, hit.end),
        reading=hit.reading,
        corrected=_was_corrected(lat, hit),
        doubt=hit.doubt,
    )


def _different(m: Matcher, lat: Lattice, found: Found) -> EntityMatch:
    edits, near_miss = m.compare(found.value)
    return EntityMatch(
        Outcome.DIFFERENT,
        m.canonical,
        m.kind,
        heard=found.value,
        span=lat.span(found.start, found.end),
        interval=lat.interval(found.start, found.end),
        reading=found.reading,
        edits=edits,
        near_miss=near_miss,
    )


# --------------------------------------------------------------------------------------------- self-corrections

_REACH = 5  # atoms between the words of repair and the value that follows them
_ALIKE = 0.6  # how far a value may be that corrects another one across the end of a sentence


def _replacement(m: Matcher, lat: Lattice, said: Hit | Found) -> Found | None:
    """Another value of the kind that replaces one already said; None where nothing was taken back.

    Across the end of a sentence "sorry" is more often an apology, so the other value must look like a correction.
    """
    for start, end in repairs(lat):
        if 0 <= start - said.end <= 2:
            apology = any("." in lat.pre[k] for k in range(said.end, start + 1) if k < lat.n)
            later = [
                f
                for f in m.replacements(lat)
                if 0 <= f.start - end <= _REACH and (not apology or f.far <= _ALIKE)
            ]
            if later:
                return min(later, key=lambda f: (f.start, f.far))
    return None


def _was_corrected(lat: Lattice, hit: Hit) -> bool:
    return "repaired" in hit.reading or any(
        0 <= hit.start - end <= _REACH and start > 0 for start, end in repairs(lat)
    )


# --------------------------------------------------------------------------------------------- all values of a text


def find_entities(
    spoken: str | Transcript | Sequence[Word],
    *,
    locale: str = "en-US",
    region: str | None = None,
    currency: str | None = None,
    reference_date: date | None = None,
) -> tuple[Entity, ...]:
    """List the values that a text holds: typed, maximal, in order, none inside another.

    Parameters
    ----------
    spoken : str, Transcript or sequence of Word
        The words heard.
    locale, region, currency, reference_date
        As in `match_entity`.

    Returns
    -------
    tuple of Entity
        Kinds: email, url, money, percent, date, time (a date and a time are two), weekday, ordinal,
        measure, phone, code, digits, decimal, cardinal. Names, street addresses and free text have no
        form to be found by.

    Raises
    ------
    InputError
        If `locale`, `region` or `currency` is unknown.

    Examples
    --------
    >>> [(e.kind, e.value) for e in find_entities("It comes to $15.40, due on May 13th.")]
    [('money', '15.40'), ('date', '--05-13')]
    """
    policy = policy_of(locale, region, currency, reference_date)
    lat = lattice_of(spoken)
    taken = [False] * lat.n
    out: list[Entity] = []
    for kind, value, i, j, reading in _candidates(lat, policy):
        if i < j and not any(taken[i:j]):
            taken[i:j] = [True] * (j - i)
            out.append(
                Entity(kind, value, lat.span(i, j), lat.interval(i, j), lat.shown(i, j), reading)
            )
    return tuple(sorted(out, key=lambda e: e.span))


_Candidate = tuple[str, str, int, int, str]


def _candidates(lat: Lattice, policy: Policy) -> list[_Candidate]:
    """Everything that can be read as a value, what says itself what it is first, and longer before shorter."""
    out: list[_Candidate] = []
    for email in (True, False):
        out += [
            ("email" if email else "url", v, i, j, "as written")
            for i, j, v in writing.addresses(lat, email=email)
        ]
    groups: list[list[_Candidate]] = [
        [
            ("money", _amount(r, policy), r.start, r.end, r.style)
            for r in _plainest(amounts.maximal(amounts.money(lat)))
            if r.unit and not _is_weight(lat, r, policy)
        ],
        [
            ("percent", plain_number(r.value) + "%", r.start, r.end, r.style)
            for r in _plainest(amounts.maximal(amounts.percent(lat)))
        ],
        [
            ("date", iso_date(d.year, d.month, d.day), d.start, d.end, d.style)
            for d in dates.days(lat, day_first=policy.day_first)
            if d.month is not None and (d.day is not None or d.year is not None)
        ],
        [
            ("date", iso_date(d.year, d.month, d.day), d.start, d.end, d.style)
            for d in (dates.relative(lat, policy.reference_date) if policy.reference_date else ())
        ],
        [
            ("time", c.value(12 if c.half == "" and c.hour < 7 else 0), c.start, c.end, c.style)
            for c in clock.clocks(lat)
            if c.marked
        ],
        [("weekday", WEEKDAY_NAMES[w.value], w.start, w.end, "name") for w in dates.weekdays(lat)],
    ]
    for group in groups:
        out += sorted(group, key=lambda c: (c[2] - c[3], c[2]))
    out += _symbols(lat)
    out += [
        ("measure", f"{plain_number(r.value)} {r.unit}", r.start, r.end, r.style)
        for r in _plainest(amounts.maximal(amounts.measure(lat)))
        if r.style != "a"
    ]
    out += [
        ("ordinal", plain_number(r.value), r.start, r.end, r.style)
        for r in amounts.maximal(amounts.ordinal(lat))
    ]
    out += [
        (
            "cardinal" if r.value == int(r.value) else "decimal",
            plain_number(r.value),
            r.start,
            r.end,
            r.style,
        )
        for r in _plainest(amounts.maximal(amounts.plain(lat)))
        if r.style not in ("a", "fraction") and not _is_idiom(lat, r.start, r.end)
    ]
    return out


def _is_weight(lat: Lattice, r: amounts.Reading, policy: Policy) -> bool:
    """Whether "five pounds" is a weight, and "five p" no amount, where nobody pays in pounds."""
    return policy.currency != "GBP" and lat.text[r.end - 1] in ("pound", "pounds", "p")


def _amount(r: amounts.Reading, policy: Policy) -> str:
    """The amount in figures; with its currency where that is not the one that goes without saying."""
    figures = money_figures(r.value)
    home = (
        not r.unit
        or r.unit in amounts.SHARED
        or r.unit == policy.currency
        or (r.unit == "USD" and policy.currency in amounts.DOLLARS)
    )
    return figures if home else f"{figures} {r.unit}"


_BEFORE_ONE = words(
    "this that the second first which another no any every each last next other right wrong"
)
_BEHIND_ONE = words("moment second sec more of thing last other another")


def _is_idiom(lat: Lattice, i: int, j: int) -> bool:
    """Whether "one" at ``[i, j)`` is a pronoun or part of a phrase such as "one moment"."""
    if j - i != 1 or lat.text[i] != "one":
        return False
    return lat.word_at(i - 1) in _BEFORE_ONE or lat.word_at(j) in _BEHIND_ONE


def _plainest(readings: list[amounts.Reading]) -> list[amounts.Reading]:
    """One reading for each stretch: one without doubt before one with."""
    best: dict[tuple[int, int], amounts.Reading] = {}
    for r in readings:
        kept = best.get((r.start, r.end))
        if kept is None or (kept.doubt and not r.doubt):
            best[(r.start, r.end)] = r
    return list(best.values())


_SHORTEST_DIGITS = 3  # shorter runs are counts
_LONGEST_COUNT = 5  # figures of things counted, written without thousands
_PHONE_SIZES = (10, 11, 12)


def _symbols(lat: Lattice) -> list[_Candidate]:
    out: list[_Candidate] = []
    seen: set[tuple[int, int]] = set()
    for run in strings.runs(lat, letters=True):
        letters = sum(c.isalpha() for c in run.symbols)
        if (run.start, run.end) in seen or not letters:
            continue
        seen.add((run.start, run.end))
        if letters < len(run.symbols) or (len(run.symbols) > 3 and run.end - run.start > 2):
            out.append(("code", run.symbols, run.start, run.end, "symbols"))
    counts = amounts.maximal(amounts.plain(lat))
    by_place_value = {(r.start, r.end) for r in counts if r.style == "place value"}
    for run in strings.runs(lat, letters=False):
        if (run.start, run.end) in seen:
            continue
        seen.add((run.start, run.end))
        size = len(run.symbols)
        edges = left_edge(lat, run.start, letters=False), right_edge(lat, run.end, letters=False)
        if HARD in edges or lat.word_at(run.start - 1) in ("minus", "negative"):
            continue
        if size < _SHORTEST_DIGITS or amounts.claimed(lat, run.start, run.end):
            continue
        if is_counted(lat, run.end) and size < _LONGEST_COUNT:
            continue
        figure = run.end - run.start == 1 and lat.cls[run.start] == FIGURE
        if (run.start, run.end) in by_place_value and not (figure and size >= _LONGEST_COUNT - 1):
            continue
        out.append(
            (
                "phone" if size in _PHONE_SIZES else "digits",
                run.symbols,
                run.start,
                run.end,
                "symbols",
            )
        )
    return out


__all__ = [
    "KINDS",
    "LOCALES",
    "MATCHER_VERSION",
    "Edit",
    "Entity",
    "EntityMatch",
    "contains_entity",
    "find_entities",
    "infer_kinds",
    "match_entity",
]
