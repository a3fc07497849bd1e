"""Which values an agent turn is expected to say, and where they come from: tools, the caller, or T-out alone."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from s2sverify.text.entities import (
    Entity,
    EntityMatch,
    contains_entity,
    find_entities,
    infer_kinds,
    match_entity,
)
from s2sverify.trace import Trace
from s2sverify.types import Outcome, Role, Transcript, Word


@dataclass(frozen=True, slots=True)
class Leaf:
    """One value of a tool's result or arguments."""

    source: str
    value: Any
    kinds: tuple[str, ...]
    known_s: float  # from when on the agent could say it; -inf where the log does not tell
    call: int = 0  # which tool call it is of
    currency: str | None = None  # named in a field beside it


@dataclass(frozen=True, slots=True)
class Expected:
    value: Any
    kind: str | None
    source: str
    t_out: EntityMatch | None  # the value looked up in the played part of T-out
    rival: Entity | None = None  # what T-out says in its place
    linked: bool = (
        True  # the rival stands for this value beyond doubt, and is not a value of its own
    )
    currency: str | None = None


def _leaves(trace: Trace, part: str) -> list[Leaf]:
    """The typed values of all tool calls, the latest call first; free text and flags are left out."""
    found: list[Leaf] = []
    for i, call in enumerate(trace.tool_calls):
        name = call.id or f"{call.name}#{i + 1}"
        returned_ms = call.end_ms if call.end_ms is not None else call.t_ms
        known_s = -math.inf if returned_ms is None else returned_ms / 1000
        content = call.result if part == "result" else call.args
        mine = [
            Leaf(f"{name}.{part}{path}", value, kinds, known_s, i, currency)
            for path, key, value, currency in _scalars(content, "", None, None, 0)
            if (kinds := _kinds(value, key))
        ]
        found = mine + found
    return found


def _kinds(value: Any, key: str | None) -> tuple[str, ...]:
    """The kinds that the name of a field suggests, then the others that the value's form leaves open."""
    if isinstance(value, str):
        if len(value) > _LONGEST:
            return ()
    elif not abs(value) < _LARGEST:
        return ()
    kinds = dict.fromkeys((*infer_kinds(value, key=key), *infer_kinds(value)))
    return tuple(kind for kind in kinds if kind != "text")


_LONGEST, _LARGEST = 200, 1e18  # nobody says a longer text or a larger number as one value
_DEEPEST = 32  # levels of a result below which nothing is looked for


def _scalars(
    content: Any, path: str, key: str | None, currency: str | None, depth: int
) -> Iterator[tuple[str, str | None, Any, str | None]]:
    """Path, field name, value and the currency named beside it, of every plain value of a result."""
    if depth > _DEEPEST:
        return
    if isinstance(content, str) and content.lstrip()[:1] in ("{", "["):
        try:
            content = json.loads(content)
        except (ValueError, RecursionError):
            return
        yield from _scalars(content, path, key, currency, depth + 1)
    elif isinstance(content, Mapping):
        for name, item in content.items():
            if str(name).lower() in ("currency", "currency_code", "currencycode") and (
                isinstance(item, str) and len(item) == 3 and item.isalpha()
            ):
                currency = item.upper()
        for name, item in content.items():
            yield from _scalars(item, f"{path}.{name}", str(name), currency, depth + 1)
    elif isinstance(content, list | tuple):
        for i, item in enumerate(content):
            yield from _scalars(item, f"{path}[{i}]", key, currency, depth + 1)
    elif isinstance(content, bool) or content is None:
        return
    elif isinstance(content, int | float) or (isinstance(content, str) and content.strip()):
        yield path, key, content, currency


_SPELLED = frozenset(("code", "name", "email", "url", "address", "weekday", "text"))


def _similarity(a: str, b: str, kind: str) -> float:
    """1.0 for equal values down to 0.0, on what is spoken of them: figures, and letters where they carry it."""
    from rapidfuzz.distance import Levenshtein

    return Levenshtein.normalized_similarity(_symbols(a, kind), _symbols(b, kind))


def _symbols(value: str, kind: str) -> str:
    counts = str.isalnum if kind in _SPELLED else str.isdigit
    return "".join(char for char in value.lower() if counts(char))


def overlaps(span: tuple[int, int], claimed: Iterable[tuple[int, int]]) -> bool:
    return any(span[0] < end and start < span[1] for start, end in claimed)


# Confusions that speech and models make; any other likeness may be that of a value in its own right.
_CONFUSIONS = frozenset(
    ("teen_ty", "transposed", "dropped", "doubled", "five_nine", "letter_confusion", "am_pm",
     "weekday", "month", "day", "hour", "minute", "name_near", "cents")
)  # fmt: skip


def _is_alike(leaf: Leaf, kind: str) -> bool:
    """Whether a result may enter into a value of a kind, e.g. a discount into an amount."""
    if leaf.kinds[0] == kind:
        return True
    written = str(leaf.value)
    return kind == "money" and "money" in leaf.kinds and bool(re.search(r"\d\.\d{1,2}$", written))


def _minor_units(leaf: Leaf, entity: Entity) -> bool:
    """Whether an amount is the leaf's, which counts cents."""
    try:
        return (
            entity.kind == "money" and abs(float(leaf.value) / 100 - _number(entity.value)) < 1e-6
        )
    except (TypeError, ValueError):
        return False


def _number(value: str) -> float:
    return float("".join(char for char in value if char in "0123456789.-"))


_MANY = 12  # values from which it pays to ask first whether a text can hold them
_FIGURE_KINDS = frozenset(
    ("digits", "cardinal", "ordinal", "money", "decimal", "percent", "measure", "code", "phone")
)
_NUMBER_WORDS = re.compile(
    r"zero|\boh?\b|one|two|three|four|five|six|seven|eight|nine|ten\b|eleven|twel|teen|twent|thirt|fort|fift|hundred"
    r"|thousand|million|billion|trillion|lakh|crore|double|triple|treble|quadruple|half|quarter|dozen|third|second|first"
    r"|ninth|grand\b|\d\s?(?:k|m|mn|mio|b|bn|tn)\b"  # a scale in one letter
    r"|\d\W+(?:to|too|for|fore|ate|won)\W+\d",  # heard as a digit between digits
    re.IGNORECASE,
)


def _holder(text: str) -> Callable[[Leaf], bool]:
    """A quick test, never wrong where it says no: are the figures of a value in a text without number words?"""
    if _NUMBER_WORDS.search(text):
        return lambda leaf: True
    figures = "".join(char for char in text if char.isdigit())

    def may_hold(leaf: Leaf) -> bool:
        whole = re.match(r"\D*0*(\d*)", str(leaf.value))
        return not _FIGURE_KINDS.issuperset(leaf.kinds) or whole is None or whole[1] in figures

    return may_hold


_NEAR_MISS = 0.5  # values at least this similar may be taken for one another
_TRIVIAL = {"cardinal": 2, "ordinal": 2}  # small counts are words like others ("one moment")


def trivial(entity: Entity) -> bool:
    if entity.kind == "code" and not any(char.isdigit() for char in entity.value):
        return True  # an abbreviation as likely as a code
    limit = _TRIVIAL.get(entity.kind)
    try:
        return limit is not None and abs(float(entity.value)) <= limit
    except ValueError:
        return False


@dataclass(slots=True)
class Sources:
    """Where the values of a call come from, as far as the log tells."""

    results: list[Leaf]
    args: list[Leaf]
    caller_turns: list[tuple[float, str]]  # time and text, Script before T-in
    said: set[str] = field(default_factory=set)  # results that an earlier T-out has shown

    @classmethod
    def of(cls, trace: Trace | None) -> Sources:
        if trace is None:
            return cls([], [], [])
        heard = [
            ((turn.start_ms or 0.0) / 1000, text)
            for turn in trace.turns_of(Role.CALLER)
            if (text := (turn.script or turn.text or "").strip())
        ]
        return cls(_leaves(trace, "result"), _leaves(trace, "args"), heard)

    def expectations(self, t_out: str | None, before_s: float, match: Matcher) -> list[Expected]:
        """The values that an agent turn is expected to say, in the order of T-out."""
        if t_out is None:
            return []
        returned = known = [leaf for leaf in self.results if leaf.known_s <= before_s]
        claimed: list[tuple[int, int]] = []
        found: list[tuple[tuple[int, int], Expected]] = []

        def claim(leaves: Iterable[Leaf]) -> None:
            for leaf in leaves:
                seen = match.said(leaf, t_out)
                if seen is not None and seen.span is not None:
                    if not overlaps(seen.span, claimed):
                        claimed.append(seen.span)
                        one = Expected(
                            leaf.value, seen.kind, leaf.source, seen, currency=leaf.currency
                        )
                        found.append((seen.span, one))
                    self.said.add(leaf.source)

        may_hold = _holder(t_out)
        known = [leaf for leaf in known if may_hold(leaf)] if len(known) > _MANY else known
        claim(known)
        rest = [e for e in match.find(t_out) if not overlaps(e.span, claimed) and not trivial(e)]
        open_leaves = [leaf for leaf in returned if leaf.source not in self.said]
        claim(leaf for leaf in self.args if leaf.known_s <= before_s)
        for entity in rest:
            if overlaps(entity.span, claimed):
                continue
            claimed.append(entity.span)
            told = any(
                t_s <= before_s
                and match.value(entity.value, entity.kind, text).outcome is Outcome.SPOKEN
                for t_s, text in self.caller_turns
            )
            rivals = [] if told else [
                leaf for leaf in open_leaves
                if entity.kind in leaf.kinds and not _minor_units(leaf, entity)
                and _similarity(str(leaf.value), entity.value, entity.kind) >= _NEAR_MISS
            ]  # fmt: skip
            if rivals:
                leaf = max(
                    rivals, key=lambda one: _similarity(str(one.value), entity.value, entity.kind)
                )
                open_leaves.remove(leaf)
                seen = match.value(leaf.value, entity.kind, t_out, leaf.currency)
                alike = [
                    one for one in returned if one.call == leaf.call and _is_alike(one, entity.kind)
                ]
                linked = len(alike) <= 1 and seen.near_miss in _CONFUSIONS
                one = Expected(
                    leaf.value, entity.kind, leaf.source, seen, entity, linked, leaf.currency
                )
                found.append((entity.span, one))
            else:
                seen = match.value(entity.value, entity.kind, t_out)
                source = "caller" if told else "t_out"
                found.append((entity.span, Expected(entity.value, entity.kind, source, seen)))
        return [expected for _, expected in sorted(found, key=lambda pair: pair[0])]


@dataclass(frozen=True, slots=True)
class Matcher:
    """Value matching with the settings of one run."""

    locale: str

    def value(
        self,
        value: Any,
        kind: str | None,
        text: str | Transcript | Sequence[Word],
        currency: str | None = None,
    ) -> EntityMatch:
        if currency is None:
            return match_entity(value, text, kind=kind, locale=self.locale)
        return match_entity(value, text, kind=kind, locale=self.locale, currency=currency)

    def said(self, leaf: Leaf, text: str) -> EntityMatch | None:
        """The match of the first kind under which the text holds the value beyond doubt."""
        for kind in leaf.kinds:
            if contains_entity(leaf.value, text, kind=kind, locale=self.locale):
                seen = self.value(leaf.value, kind, text, leaf.currency)
                if seen.outcome is Outcome.SPOKEN:
                    return seen
        return None

    def find(self, text: str | Transcript | Sequence[Word]) -> tuple[Entity, ...]:
        return tuple(find_entities(text, locale=self.locale))
