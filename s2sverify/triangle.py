"""The four texts and the tool results of a call side by side: what was said, and which part broke.

Script is what the caller said where it was written; T-in and T-out are the model's own texts of the caller and of
itself; A-out is an independent transcript of the agent channel. A value that a tool returned, or that T-out shows,
is looked up in A-out; a disagreement is told apart from the verifier's own errors by an error floor.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from dataclasses import replace as replace_fields
from typing import TYPE_CHECKING, Any

from s2sverify.errors import ChannelError, InputError
from s2sverify.floor import ErrorFloor, FloorSet, default_floors, read_floor
from s2sverify.spurts import activity
from s2sverify.stats import share_interval
from s2sverify.text.alignment import EditCounts, align_words
from s2sverify.text.entities import Entity, EntityMatch, find_entities, infer_kinds, match_entity
from s2sverify.text.normalize import normalize_words
from s2sverify.pairing import AudioTurn, pair_turns
from s2sverify.trace import Call, Trace, TraceTurn
from s2sverify.types import (
    Decision,
    EngineInfo,
    Finding,
    Interval,
    Outcome,
    Owner,
    Role,
    Transcript,
    Word,
    to_plain,
)

if TYPE_CHECKING:
    import pandas as pd

    from s2sverify.engines.base import Transcriber
    from s2sverify.engines.cache import TranscriptCache

REPORT_VERSION = 1
FALSE_ALARM = 0.01  # default budget: at most this probability that a faithful agent looks refuted
SHORT_TURN_WORDS = 6  # turns below this are never judged by their word errors
_BARGE_IN_S = 2.5  # an agent that stops within this after the caller cuts in is taken to have yielded

Progress = Callable[[float, float], None]


@dataclass(frozen=True, slots=True)
class EntityVerdict:
    """One expected value of one agent turn: was it said?

    ``false_alarm`` is an upper bound of the probability that an agent which said the value right would look like
    this, ``wrong_confirmation`` of the probability that one which said another value would be confirmed; NaN where
    the question does not arise or no floor speaks for it.
    """

    turn: str
    kind: str
    expected: str | None  # None: said, but expected by nothing
    source: str  # where the value comes from: "call_1.result.eta", "caller", "t_out", "a_out", "expected"
    verdict: Decision
    owner: Owner | None
    reason: str
    heard: str | None  # canonical value heard in its place; None where none was
    heard_text: str  # the words heard there
    interval: Interval | None  # what to listen to, on the call clock
    a_out: Outcome | None  # None where the audio could not be asked
    t_out: Outcome | None  # of the same value in T-out; None without T-out
    t_out_value: str | None
    reading: str | None
    edits: str
    near_miss: str | None
    false_alarm: float = math.nan
    wrong_confirmation: float = math.nan


@dataclass(frozen=True, slots=True)
class Truncation:
    """An agent turn that was cut: T-out holds words that never played."""

    at_s: float  # on the call clock
    evidence: str  # "trace" or "audio"
    played_words: int  # words of T-out before the cut, the last one perhaps broken
    unplayed: str  # the words of T-out after the cut


@dataclass(frozen=True, slots=True)
class TurnVerdict:
    """One agent turn: its texts, its values and what they add up to."""

    turn: str
    interval: Interval | None  # of the agent's speech in the recording; None where none was found
    verdict: Decision
    reason: str
    owner: Owner | None
    t_out: str | None
    heard: str | None  # the part of T-out that was played
    a_out: str
    words: EditCounts | None  # A-out against the played part of T-out; None without T-out
    words_verdict: Decision
    words_false_alarm: float  # bound of the probability that a faithful agent shows as many word errors
    truncation: Truncation | None
    entities: tuple[EntityVerdict, ...] = ()
    warnings: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        plain: dict[str, Any] = to_plain(self)
        return plain


@dataclass(frozen=True, slots=True)
class Rate:
    """A share of `n` chances with its exact (Clopper-Pearson) 95 % interval; NaN over nothing."""

    k: int
    n: int

    @property
    def value(self) -> float:
        return self.k / self.n if self.n else math.nan

    @property
    def interval(self) -> tuple[float, float]:
        return share_interval(self.k, self.n) if self.n else (math.nan, math.nan)

    def to_dict(self) -> dict[str, Any]:
        low, high = self.interval
        plain: dict[str, Any] = to_plain(
            {"k": self.k, "n": self.n, "value": self.value, "low": low, "high": high}
        )
        return plain


@dataclass(frozen=True, slots=True, eq=False)
class CallReport:
    """What the agent of one call really said, next to what it claims it said and what the tools returned."""

    name: str
    content_hash: str
    duration_s: float
    engine: EngineInfo
    floor: str  # which floor spoke, and for what
    false_alarm_budget: float
    turns: tuple[TurnVerdict, ...]
    transcript: Transcript
    findings: tuple[Finding, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def entities(self) -> tuple[EntityVerdict, ...]:
        return tuple(entity for turn in self.turns for entity in turn.entities)

    @property
    def refuted(self) -> tuple[EntityVerdict, ...]:
        return tuple(e for e in self.entities if e.verdict is Decision.REFUTED)

    @property
    def any_refuted(self) -> bool:
        """Whether any value or any turn of the call is refuted."""
        return any(turn.verdict is Decision.REFUTED for turn in self.turns)

    @property
    def spoken_transcript_disagreement_rate(self) -> Rate:
        """Share of the played values of T-out that the agent's audio contradicts, of those decided."""
        decided = [
            e for e in self.entities if e.t_out in (Outcome.SPOKEN, Outcome.DIFFERENT)
            and e.verdict in (Decision.CONFIRMED, Decision.REFUTED) and e.a_out is not None
        ]  # fmt: skip
        return Rate(sum(_contradicts_t_out(e) for e in decided), len(decided))

    @property
    def readback_accuracy(self) -> Rate:
        """Share of the tool-result values that the agent spoke correctly, of those decided."""
        decided = self._decided_tool_values()
        return Rate(sum(e.verdict is Decision.CONFIRMED for e in decided), len(decided))

    @property
    def tool_speech_consistency(self) -> Rate:
        """Share of the agent turns with decided tool-result values in which every one is right."""
        by_turn: dict[str, list[bool]] = {}
        for entity in self._decided_tool_values():
            by_turn.setdefault(entity.turn, []).append(entity.verdict is Decision.CONFIRMED)
        return Rate(sum(all(right) for right in by_turn.values()), len(by_turn))

    def _decided_tool_values(self) -> list[EntityVerdict]:
        return [
            e
            for e in self.entities
            if ".result" in e.source and e.verdict in (Decision.CONFIRMED, Decision.REFUTED)
        ]

    @property
    def summary(self) -> dict[str, Any]:
        """Counts of verdicts on values and turns, the three rates, and what was left out of them."""
        return {
            "values": _tally(entity.verdict for entity in self.entities),
            "turns": _tally(turn.verdict for turn in self.turns),
            "owners": _tally(e.owner for e in self.entities if e.owner is not None),
            "spoken_transcript_disagreement_rate": self.spoken_transcript_disagreement_rate.to_dict(),
            "readback_accuracy": self.readback_accuracy.to_dict(),
            "tool_speech_consistency": self.tool_speech_consistency.to_dict(),
            "words_dropped_over_silence": len(self.transcript.dropped),
        }

    def to_dict(self) -> dict[str, Any]:
        """The report as plain JSON values."""
        return {
            "schema_version": REPORT_VERSION,
            "name": self.name,
            "content_hash": self.content_hash,
            "duration_s": self.duration_s,
            "engine": to_plain(self.engine),
            "signature": str(self.engine.signature),
            "floor": self.floor,
            "false_alarm_budget": self.false_alarm_budget,
            "summary": to_plain(self.summary),
            "turns": [turn.to_dict() for turn in self.turns],
            "findings": to_plain(self.findings),
            "warnings": list(self.warnings),
        }

    def to_frame(self) -> pd.DataFrame:
        """One row per expected value."""
        from s2sverify._display import frame

        return frame(
            [
                {
                    **{k: v for k, v in to_plain(e).items() if k != "interval"},
                    "start_s": e.interval.start_s if e.interval else math.nan,
                    "end_s": e.interval.end_s if e.interval else math.nan,
                }
                for e in self.entities
            ],
            columns=[name for name in EntityVerdict.__slots__ if name != "interval"]
            + ["start_s", "end_s"],
        )


def _tally(values: Iterable[Any]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for value in values:
        counts[value.value] = counts.get(value.value, 0) + 1
    return counts


def _contradicts_t_out(entity: EntityVerdict) -> bool:
    """Whether the audio says something else than T-out about this value."""
    if entity.t_out is Outcome.DIFFERENT:
        return entity.heard != entity.t_out_value
    return entity.verdict is Decision.REFUTED


# ---------------------------------------------------------------------------- what is expected


@dataclass(frozen=True, slots=True)
class _Leaf:
    """One value of a tool's result or arguments."""

    source: str
    value: Any
    kinds: tuple[str, ...]
    known_s: float  # from when on the agent could say it; -inf where the log does not tell


@dataclass(frozen=True, slots=True)
class _Expected:
    value: Any
    kind: str | None
    source: str
    t_out: EntityMatch | None  # the value looked up in the played part of T-out
    rival: Entity | None = None  # what T-out says in its place


def _leaves(trace: Trace, part: str) -> list[_Leaf]:
    """The typed values of all tool calls, the latest call first; free text and flags are left out."""
    found: list[_Leaf] = []
    for i, call in enumerate(trace.tool_calls):
        name = call.id or f"{call.name}#{i + 1}"
        returned_ms = call.end_ms if call.end_ms is not None else call.t_ms
        known_s = -math.inf if returned_ms is None else returned_ms / 1000
        content = call.result if part == "result" else call.args
        mine = [
            _Leaf(f"{name}.{part}{path}", value, kinds, known_s)
            for path, key, value in _scalars(content, "", None, 0)
            if (kinds := tuple(k for k in infer_kinds(value, key=key) if k != "text"))
        ]
        found = mine + found
    return found


def _scalars(
    content: Any, path: str, key: str | None, depth: int
) -> Iterator[tuple[str, str | None, Any]]:
    if isinstance(content, str) and content.lstrip()[:1] in ("{", "[") and depth < 8:
        try:
            content = json.loads(content)
        except ValueError:
            return
    if isinstance(content, Mapping):
        for name, item in content.items():
            yield from _scalars(item, f"{path}.{name}", str(name), depth + 1)
    elif isinstance(content, list | tuple):
        for i, item in enumerate(content):
            yield from _scalars(item, f"{path}[{i}]", key, depth + 1)
    elif isinstance(content, bool) or content is None:
        return
    elif isinstance(content, int | float) or (isinstance(content, str) and content.strip()):
        yield path, key, content


def _similarity(a: str, b: str) -> float:
    """1.0 for equal values down to 0.0, on letters and figures only."""
    from rapidfuzz.distance import Levenshtein

    return Levenshtein.normalized_similarity(_symbols(a), _symbols(b))


def _symbols(value: str) -> str:
    return "".join(char for char in value.lower() if char.isalnum())


def _overlaps(span: tuple[int, int], claimed: Iterable[tuple[int, int]]) -> bool:
    return any(span[0] < end and start < span[1] for start, end in claimed)


_NEAR_MISS = 0.5  # values at least this similar may be taken for one another
_TRIVIAL = {"cardinal": 2, "ordinal": 2}  # small counts are words like others ("one moment")


def _trivial(entity: Entity) -> bool:
    limit = _TRIVIAL.get(entity.kind)
    try:
        return limit is not None and abs(float(entity.value)) <= limit
    except ValueError:
        return False


@dataclass(slots=True)
class _Sources:
    """Where the values of a call come from, as far as the log tells."""

    results: list[_Leaf]
    args: list[_Leaf]
    caller_turns: list[tuple[float, str]]  # time and text, Script before T-in
    said: set[str] = field(default_factory=set)  # results that an earlier T-out has shown

    @classmethod
    def of(cls, trace: Trace | None) -> _Sources:
        if trace is None:
            return cls([], [], [])
        heard = [
            ((turn.start_ms or 0.0) / 1000, turn.script or turn.text or "")
            for turn in trace.turns_of(Role.CALLER)
        ]
        return cls(_leaves(trace, "result"), _leaves(trace, "args"), heard)

    def expectations(
        self, t_out: str | None, before_s: float, since_s: float, match: _Matcher
    ) -> list[_Expected]:
        """The values that an agent turn is expected to say, in the order of T-out."""
        if t_out is None:
            return []
        known = [leaf for leaf in self.results if leaf.known_s <= before_s]
        claimed: list[tuple[int, int]] = []
        found: list[tuple[tuple[int, int], _Expected]] = []

        def claim(leaves: Iterable[_Leaf]) -> None:
            for leaf in leaves:
                seen = match.leaf(leaf, t_out)
                if seen.outcome is Outcome.SPOKEN and seen.span is not None:
                    if not _overlaps(seen.span, claimed):
                        claimed.append(seen.span)
                        found.append((seen.span, _Expected(leaf.value, seen.kind, leaf.source, seen)))
                    self.said.add(leaf.source)

        claim(known)
        rest = [
            e for e in match.find(t_out) if not _overlaps(e.span, claimed) and not _trivial(e)
        ]
        open_leaves = [
            leaf for leaf in known if leaf.source not in self.said and leaf.known_s >= since_s
        ]
        claim(leaf for leaf in self.args if leaf.known_s <= before_s)
        for entity in rest:
            if _overlaps(entity.span, claimed):
                continue
            claimed.append(entity.span)
            told = any(
                t_s <= before_s and match.value(entity.value, entity.kind, text).outcome is Outcome.SPOKEN
                for t_s, text in self.caller_turns
            )
            rivals = [] if told else [
                leaf for leaf in open_leaves
                if entity.kind in leaf.kinds and _similarity(str(leaf.value), entity.value) >= _NEAR_MISS
            ]  # fmt: skip
            if rivals:
                leaf = max(rivals, key=lambda one: _similarity(str(one.value), entity.value))
                open_leaves.remove(leaf)
                seen = match.leaf(leaf, t_out)
                found.append(
                    (entity.span, _Expected(leaf.value, entity.kind, leaf.source, seen, entity))
                )
            else:
                seen = match.value(entity.value, entity.kind, t_out)
                source = "caller" if told else "t_out"
                found.append((entity.span, _Expected(entity.value, entity.kind, source, seen)))
        return [expected for _, expected in sorted(found, key=lambda pair: pair[0])]


@dataclass(frozen=True, slots=True)
class _Matcher:
    """Value matching with the settings of one run."""

    locale: str

    def value(
        self, value: Any, kind: str | None, text: str | Transcript | Sequence[Word]
    ) -> EntityMatch:
        return match_entity(value, text, kind=kind, locale=self.locale)

    def leaf(self, leaf: _Leaf, text: str | Transcript | Sequence[Word]) -> EntityMatch:
        """The best outcome over the kinds that the value's form leaves open."""
        ranks = (Outcome.SPOKEN, Outcome.AMBIGUOUS, Outcome.DIFFERENT, Outcome.ABSENT)
        matches = [self.value(leaf.value, kind, text) for kind in leaf.kinds]
        return min(matches, key=lambda one: ranks.index(one.outcome))

    def find(self, text: str | Transcript | Sequence[Word]) -> tuple[Entity, ...]:
        return tuple(find_entities(text, locale=self.locale))


# ---------------------------------------------------------------------------- what the floor allows


@dataclass(frozen=True, slots=True)
class _Basis:
    """The error floor behind the verdicts of one call, and what it may carry."""

    floor: ErrorFloor | None
    says: str  # one line for the report
    budget: float

    def different(self, kind: str) -> float:
        return math.nan if self.floor is None else self.floor.false_alarm_bound(kind, "different")

    def absent(self, kind: str) -> float:
        return math.nan if self.floor is None else self.floor.false_alarm_bound(kind, "absent")

    def exactly(self, kind: str) -> float:
        """Bound of hearing just the one other value that was named beforehand."""
        return math.nan if self.floor is None else self.floor.confirmation_bound(kind)

    def words(self, n_words: int, errors: int) -> float:
        return math.nan if self.floor is None else self.floor.word_tail(n_words, errors)

    def within(self, bound: float) -> bool:
        return bound <= self.budget  # NaN is not


def _percent(bound: float) -> str:
    return "unknown" if math.isnan(bound) else f"{100 * bound:.2g} %"


# ---------------------------------------------------------------------------- one agent turn


@dataclass(slots=True)
class _Turn:
    """One agent turn under judgement."""

    name: str
    words: tuple[Word, ...]
    interval: Interval | None
    t_out: str | None
    truncation: Truncation | None
    heard: str | None
    declared: Mapping[str, Sequence[str]]
    match: _Matcher
    basis: _Basis
    claimed: list[tuple[int, int]] = field(default_factory=list)

    def judge_all(self, expected: Sequence[_Expected]) -> tuple[EntityVerdict, ...]:
        """Look every expected value up in A-out; those found claim their words before any other is called wrong."""
        seen: list[EntityMatch] = []
        for one in expected:
            found = self.match.value(one.value, one.kind, self.words)
            if found.outcome is Outcome.SPOKEN and found.span is not None:
                self.claimed.append(found.span)
            seen.append(found)
        verdicts = [self._judge(one, found) for one, found in zip(expected, seen, strict=True)]
        return (*verdicts, *self._added())

    def _judge(self, one: _Expected, found: EntityMatch) -> EntityVerdict:
        kind = found.kind
        elsewhere = (
            found.outcome in (Outcome.DIFFERENT, Outcome.AMBIGUOUS)
            and found.span is not None
            and _overlaps(found.span, self.claimed)
        )
        outcome = Outcome.ABSENT if elsewhere else found.outcome
        if self.interval is None:
            return self._verdict(one, None, Decision.INCONCLUSIVE, None, "no speech was found for this turn")
        if outcome is Outcome.SPOKEN:
            return self._confirmed(one, found)
        if self._unplayed(one, found):
            return self._verdict(
                one, found, Decision.NOT_APPLICABLE, Owner.TRUNCATION,
                "the turn was cut before this value had been played",
            )  # fmt: skip
        if outcome is Outcome.AMBIGUOUS:
            return self._verdict(
                one, found, Decision.INCONCLUSIVE, None,
                f"what was heard can be read as {one.value} and as another value: listen",
            )  # fmt: skip
        if outcome is Outcome.DIFFERENT:
            if found.span is not None:
                self.claimed.append(found.span)
            return self._different(one, found)
        bound = self.basis.absent(kind)
        between = self._words_in_place(one)
        if between:
            return self._verdict(
                one, None, Decision.INCONCLUSIVE, None,
                f"the words in its place cannot be read as a {kind}: {between!r}",
            )  # fmt: skip
        if not self.basis.within(bound):
            return self._inconclusive(one, None, "it was not heard", bound)
        owner = Owner.AGENT_SPEECH if _shows(one) else None
        return self._verdict(
            one, None, Decision.REFUTED, owner, "it was not said", false_alarm=bound
        )

    def _confirmed(self, one: _Expected, found: EntityMatch) -> EntityVerdict:
        owner, reason = None, "said"
        if one.rival is not None:
            owner = Owner.SIDE_CHANNEL_OUT
            reason = f"said; the agent's transcript shows {one.rival.value}"
        elif found.corrected:
            reason = "said, after a self-correction"
        bound = self.basis.exactly(found.kind)
        return self._verdict(
            one, found, Decision.CONFIRMED, owner, reason, wrong_confirmation=bound
        )

    def _different(self, one: _Expected, found: EntityMatch) -> EntityVerdict:
        heard = found.heard
        predicted = self._declared_value(one, found)
        if predicted is not None:
            bound, owner = self.basis.exactly(found.kind), Owner.DECLARED
            reason = f"the replace map turns {predicted!r} into {heard}"
        elif one.rival is not None and heard == one.rival.value:
            bound, owner = self.basis.exactly(found.kind), Owner.AGENT_CONTENT
            reason = f"said {heard}, as the agent's transcript shows"
        elif one.rival is not None:
            bound, owner = self.basis.different(found.kind), Owner.AGENT_CONTENT
            reason = f"said {heard}; the agent's transcript shows {one.rival.value}"
        else:
            bound = self.basis.different(found.kind)
            owner = None if one.source == "t_out" else Owner.AGENT_SPEECH
            reason = f"said {heard}"
            if one.source == "t_out":
                reason += "; no tool result tells whether the speech or the transcript is wrong"
            elif _shows(one):
                reason += "; the agent's transcript shows the right value"
        if not self.basis.within(bound):
            return self._inconclusive(one, found, f"{heard} was heard", bound)
        return self._verdict(one, found, Decision.REFUTED, owner, reason, false_alarm=bound)

    def _inconclusive(
        self, one: _Expected, found: EntityMatch | None, what: str, bound: float
    ) -> EntityVerdict:
        if self.basis.floor is None:
            why = f"no error floor speaks for this voice and line: {self.basis.says}"
        else:
            why = (
                f"the recogniser errs like this in up to {_percent(bound)} of right ones, "
                f"above the budget of {_percent(self.basis.budget)}: listen, or calibrate more"
            )
        return self._verdict(
            one, found, Decision.INCONCLUSIVE, None, f"{what}, but {why}", false_alarm=bound
        )

    def _verdict(
        self,
        one: _Expected,
        found: EntityMatch | None,
        decision: Decision,
        owner: Owner | None,
        reason: str,
        *,
        false_alarm: float = math.nan,
        wrong_confirmation: float = math.nan,
    ) -> EntityVerdict:
        there = found is not None and found.span is not None
        return EntityVerdict(
            turn=self.name,
            kind=found.kind if found is not None else one.kind or "text",
            expected=str(one.value),
            source=one.source,
            verdict=decision,
            owner=owner,
            reason=reason,
            heard=found.heard if found is not None else None,
            heard_text=_words_at(self.words, found.span) if found and found.span else "",
            interval=found.interval if found and there and found.interval else self._place(one),
            a_out=found.outcome if found is not None else Outcome.ABSENT if self.interval else None,
            t_out=one.t_out.outcome if one.t_out is not None else None,
            t_out_value=one.rival.value if one.rival else one.t_out.heard if one.t_out else None,
            reading=found.reading if found is not None else None,
            edits=str(found.edits or "") if found is not None else "",
            near_miss=found.near_miss if found is not None else None,
            false_alarm=false_alarm,
            wrong_confirmation=wrong_confirmation,
        )

    def _unplayed(self, one: _Expected, found: EntityMatch) -> bool:
        """Whether the value stands in the part of T-out that was cut off, or is broken by the cut."""
        if self.truncation is None:
            return False
        span = _t_out_span(one)
        if span is not None and span[1] >= self.truncation.played_words:
            return True
        last = found.interval
        return last is not None and last.end_s >= self.truncation.at_s - _CUT_SLACK_S

    def _declared_value(self, one: _Expected, found: EntityMatch) -> str | None:
        """The written phrase whose declared replacement is the value that was heard; None without one."""
        if self.t_out is None:
            return None
        for written, replacements in self.declared.items():
            if written.lower() not in self.t_out.lower():
                continue
            for spoken in replacements:
                said = self.match.value(one.value, found.kind, spoken)
                if said.outcome is Outcome.DIFFERENT and said.heard == found.heard:
                    return written
        return None

    def _around(self, one: _Expected) -> tuple[int, int]:
        """The words of A-out that stand where the value should: between the nearest words equal in both texts."""
        span = _t_out_span(one)
        if self.t_out is None or span is None:
            return 0, 0
        equal = _equal_words(_plain_words(self.t_out), [_plain(word.text) for word in self.words])
        start = max((j + 1 for i, j in equal if i < span[0]), default=0)
        end = min((j for i, j in equal if i >= span[1]), default=len(self.words))
        return start, max(start, end)

    def _words_in_place(self, one: _Expected) -> str:
        start, end = self._around(one)
        claimed = {i for a, b in self.claimed for i in range(a, b)}
        return " ".join(self.words[i].text for i in range(start, end) if i not in claimed)

    def _place(self, one: _Expected) -> Interval | None:
        """Where to listen for a value that was not found."""
        if self.interval is None or not self.words:
            return self.interval
        start, end = self._around(one)
        start_s = self.words[start - 1].start_s if start > 0 else self.interval.start_s
        end_s = self.words[end].end_s if end < len(self.words) else self.interval.end_s
        return Interval(start_s, max(start_s, end_s))

    def _added(self) -> Iterator[EntityVerdict]:
        """Values that were said but stand in no text: for a listener, the floor does not bound them."""
        if self.t_out is None:
            return
        for entity in self.match.find(self.words):
            if entity.kind not in _ADDABLE or _trivial(entity) or _overlaps(entity.span, self.claimed):
                continue
            shown = self.match.value(entity.value, entity.kind, self.t_out)
            if shown.outcome in (Outcome.SPOKEN, Outcome.AMBIGUOUS):
                continue
            yield EntityVerdict(
                turn=self.name, kind=entity.kind, expected=None, source="a_out",
                verdict=Decision.INCONCLUSIVE, owner=None,
                reason=f"{entity.value} was heard, but stands in no text and no tool result: listen",
                heard=entity.value, heard_text=_words_at(self.words, entity.span),
                interval=entity.interval or self.interval, a_out=None, t_out=shown.outcome,
                t_out_value=shown.heard, reading=None, edits="", near_miss=None,
            )  # fmt: skip

    def judge_words(self) -> tuple[EditCounts | None, Decision, float]:
        """A-out against the played part of T-out, word by word, against the floor at this length."""
        if self.heard is None or self.interval is None:
            return None, Decision.NOT_APPLICABLE, math.nan
        texts = [self.heard]
        replaced = self.heard
        for written, replacements in self.declared.items():
            replaced = re.sub(re.escape(written), replacements[0], replaced, flags=re.IGNORECASE)
        if replaced != self.heard:
            texts.append(replaced)
        spoken = normalize_words(" ".join(word.text for word in self.words))
        counts = min(
            (align_words(normalize_words(text), spoken).counts for text in texts),
            key=lambda one: one.errors,
        )
        n_words = counts.hits + counts.substitutions + counts.deletions
        if n_words < SHORT_TURN_WORDS:
            return counts, Decision.NOT_APPLICABLE, math.nan
        errors = counts.errors if self.truncation is None else counts.substitutions
        bound = 1.0 if not errors else self.basis.words(n_words, errors)
        if self.basis.within(bound):
            return counts, Decision.REFUTED, bound
        if not errors or bound >= _ORDINARY:
            return counts, Decision.CONFIRMED, bound
        return counts, Decision.INCONCLUSIVE, bound


_CUT_SLACK_S = 0.5  # a word that ends this close to a cut may be broken by it
_ORDINARY = 0.1  # word errors that at least this share of faithful turns shows are the verifier's own
_ADDABLE = frozenset(
    ("digits", "phone", "code", "money", "percent", "date", "time", "datetime", "email", "url")
)


def _shows(one: _Expected) -> bool:
    return one.t_out is not None and one.t_out.outcome is Outcome.SPOKEN


def _t_out_span(one: _Expected) -> tuple[int, int] | None:
    if one.rival is not None:
        return one.rival.span
    return one.t_out.span if one.t_out is not None else None


def _plain(word: str) -> str:
    return "".join(char for char in word.lower() if char.isalnum())


def _plain_words(text: str) -> list[str]:
    return [_plain(word) for word in text.split()]


def _words_at(words: Sequence[Word], span: tuple[int, int]) -> str:
    return " ".join(word.text for word in words[span[0] : span[1]])


def _equal_words(ref: Sequence[str], hyp: Sequence[str]) -> list[tuple[int, int]]:
    """Index pairs of the words that a least-cost alignment finds equal."""
    from rapidfuzz.distance import Levenshtein

    return [
        (op.src_start + k, op.dest_start + k)
        for op in Levenshtein.opcodes(ref, hyp)
        if op.tag == "equal"
        for k in range(op.src_end - op.src_start)
        if ref[op.src_start + k]
    ]


def _played_words(t_out: str, words: Sequence[Word]) -> int:
    """How many words of T-out a cut turn played: the prefix that A-out resembles most."""
    from rapidfuzz.distance import Levenshtein

    written, spoken = _plain_words(t_out), [_plain(word.text) for word in words]
    costs = [Levenshtein.distance(written[:n], spoken) for n in range(len(written) + 1)]
    return min(range(len(costs)), key=lambda n: (costs[n], -n))


def _truncation(
    turn: TraceTurn | None,
    audio: AudioTurn,
    trace: Trace | None,
    caller: Sequence[Interval],
) -> Truncation | None:
    """Where and on what evidence an agent turn was cut, with the words of T-out that never played."""
    if turn is None or not turn.text or audio.interval is None:
        return None
    cut_s, evidence = _logged_cut(turn, trace), "trace"
    if cut_s is None:
        end_s = audio.interval.end_s
        cut_in = any(
            audio.interval.start_s < onset.start_s <= end_s <= onset.start_s + _BARGE_IN_S
            for onset in caller
        )
        if not cut_in:
            return None
        cut_s, evidence = end_s, "audio"
    played = _played_words(turn.text, audio.words)
    unplayed = turn.text.split()[played:]
    if evidence == "audio" and len(unplayed) < 2:
        return None
    return Truncation(min(cut_s, audio.interval.end_s), evidence, played, " ".join(unplayed))


def _logged_cut(turn: TraceTurn, trace: Trace | None) -> float | None:
    """The call-clock time at which the log says that playback of a turn was cut."""
    if turn.truncated_at_ms is not None:
        return turn.truncated_at_ms / 1000
    if trace is None or turn.id is None:
        return None
    first_ms = turn.start_ms
    cut: Any = None
    for event in trace.events:
        extra = event.model_extra or {}
        if turn.id not in (extra.get("turn"), extra.get("turn_id"), extra.get("item_id")):
            continue
        if event.type.endswith("first_chunk") and event.t_ms is not None and first_ms is None:
            first_ms = event.t_ms
        if event.type.endswith("truncated"):
            cut = extra.get("audio_end_ms", cut)
            if cut is None and event.t_ms is not None:
                return event.t_ms / 1000
    if isinstance(cut, int | float) and first_ms is not None:
        return (first_ms + float(cut)) / 1000
    return None


# ---------------------------------------------------------------------------- the whole call


def verify(
    call: Call,
    *,
    engine: Transcriber | str | None = None,
    floor: ErrorFloor | FloorSet | str | os.PathLike[str] | None = None,
    false_alarm: float = FALSE_ALARM,
    locale: str = "en-US",
    cache: TranscriptCache | None = None,
    progress: Progress | None = None,
) -> CallReport:
    """Find out what the agent of a call really said, next to what it claims and what the tools returned.

    Parameters
    ----------
    call : Call
        From `read_call`; its recording must have two channels. Without a trace there is nothing to compare with,
        and the report holds A-out alone.
    engine : Transcriber or str, optional
        Independent speech-to-text, or its name for `open_engine`; the local default when None.
    floor : ErrorFloor, FloorSet or path, optional
        The engine's measured errors; the floors that come with the package when None.
    false_alarm : float
        Budget: a value is refuted only where a faithful agent would look the same with at most this probability.
    locale : str
        Readings of dates and numbers, as in `match_entity`.
    cache : TranscriptCache, optional
        Where finished transcriptions are kept; the user's cache folder when None.
    progress : callable, optional
        Called with seconds done and seconds in all.

    Raises
    ------
    InputError
        If there is no recording, or an argument is out of range.
    ChannelError
        If the recording does not have two different channels.
    EngineError, MissingDependencyError
        If the engine fails or is not installed.
    """
    recording = call.recording
    if recording is None:
        raise InputError(f"{call.name}: verifying needs a recording, the call has only a trace")
    if not 0.0 < false_alarm < 1.0:
        raise InputError(f"false_alarm must be between 0 and 1, got {false_alarm!r}")
    findings = list(recording.findings)
    for finding in findings:
        if "verify" in finding.spoils:
            raise ChannelError(f"{call.name}: cannot be verified: {finding.message}")
    hearing = open_engine(engine) if engine is None or isinstance(engine, str) else engine
    agent = recording.agent
    spoken = activity(agent, recording.sr)
    transcript = transcribe(
        agent, recording.sr, hearing, cache=cache, progress=progress, spurts=spoken.spurts
    )
    trace = call.trace or Trace()
    logged = trace.turns_of(Role.AGENT)
    caller = [spurt.interval for spurt in activity(recording.caller, recording.sr).spurts]
    basis = _basis(floor, hearing.info, trace, recording.sr, spoken, false_alarm)
    warnings = [basis.says] if basis.warns else []
    pieces = pair_turns(logged, [spurt.interval for spurt in spoken.spurts], transcript)
    sources, match = _Sources.of(call.trace), _Matcher(locale)
    turns: list[TurnVerdict] = []
    since_s = -math.inf
    for piece in pieces:
        turn = None if piece.logged is None else logged[piece.logged]
        turns.append(
            _judge_turn(piece, turn, call.trace, caller, sources, match, basis, since_s, len(turns))
        )
        if piece.interval is not None:
            since_s = piece.interval.start_s
    return CallReport(
        name=call.name,
        content_hash=recording.content_hash,
        duration_s=recording.duration_s,
        engine=hearing.info,
        floor=basis.says,
        false_alarm_budget=false_alarm,
        turns=tuple(turns),
        transcript=transcript,
        findings=tuple(findings),
        warnings=tuple(warnings),
    )


def _judge_turn(
    piece: AudioTurn,
    turn: TraceTurn | None,
    trace: Trace | None,
    caller: Sequence[Interval],
    sources: _Sources,
    match: _Matcher,
    basis: _Basis,
    since_s: float,
    index: int,
) -> TurnVerdict:
    t_out = turn.text if turn is not None else None
    cut = _truncation(turn, piece, trace, caller)
    heard = t_out if cut is None or t_out is None else " ".join(t_out.split()[: cut.played_words])
    replace = trace.meta.replace if trace is not None else {}
    logged_name = turn.id if turn is not None else None
    judged = _Turn(
        name=logged_name or f"agent {index + 1}",
        words=piece.words,
        interval=piece.interval,
        t_out=t_out,
        truncation=cut,
        heard=heard,
        declared={k: [v] if isinstance(v, str) else v for k, v in replace.items() if v},
        match=match,
        basis=basis,
    )
    until_s = piece.interval.end_s if piece.interval else _logged_end(turn)
    spoken_text = " ".join(word.text for word in piece.words)
    expected = sources.expectations(t_out if t_out is not None else spoken_text, until_s, since_s, match)
    if t_out is None:  # what the agent says without a text of its own is held against the tools alone
        expected = [
            replace_fields(one, t_out=None, rival=None)
            for one in expected
            if one.source not in ("t_out", "caller")
        ]
    entities = judged.judge_all(expected)
    counts, words_verdict, words_bound = judged.judge_words()
    verdict, reason, owner = _sum_up(entities, counts, words_verdict, piece, t_out)
    return TurnVerdict(
        turn=judged.name,
        interval=piece.interval,
        verdict=verdict,
        reason=reason,
        owner=owner,
        t_out=t_out,
        heard=heard,
        a_out=spoken_text,
        words=counts,
        words_verdict=words_verdict,
        words_false_alarm=words_bound,
        truncation=cut,
        entities=entities,
    )


def _logged_end(turn: TraceTurn | None) -> float:
    if turn is None:
        return math.inf
    end_ms = turn.end_ms if turn.end_ms is not None else turn.start_ms
    return math.inf if end_ms is None else end_ms / 1000


def _sum_up(
    entities: Sequence[EntityVerdict],
    counts: EditCounts | None,
    words_verdict: Decision,
    piece: AudioTurn,
    t_out: str | None,
) -> tuple[Decision, str, Owner | None]:
    """The verdict of a turn: its worst value, then its words."""
    for decision in (Decision.REFUTED, Decision.INCONCLUSIVE):
        hit = [entity for entity in entities if entity.verdict is decision]
        if hit:
            first = hit[0]
            what = first.expected if first.expected is not None else first.heard
            return decision, f"{first.kind} {what}: {first.reason}", first.owner
        if words_verdict is decision and counts is not None:
            more = "more than" if decision is Decision.REFUTED else "at the edge of what"
            return (
                decision,
                f"{counts.errors} of the words differ from the agent's transcript, "
                f"{more} the recogniser's own errors explain",
                None,
            )
    if any(entity.verdict is Decision.CONFIRMED for entity in entities):
        return Decision.CONFIRMED, "every value that was played was said", None
    if words_verdict is Decision.CONFIRMED:
        return Decision.CONFIRMED, "the words are those of the agent's transcript", None
    if piece.interval is None:
        return Decision.NOT_APPLICABLE, "no speech was found for this turn", None
    if t_out is None:
        return Decision.NOT_APPLICABLE, "no text of the log belongs to this speech", None
    return Decision.NOT_APPLICABLE, "too few words, and no value to compare", None


def verify_turn(
    y: npt.ArrayLike,
    sr: int,
    *,
    expected: Mapping[str, Any] | Sequence[Any],
    t_out: str | None = None,
    engine: Transcriber | str | None = None,
    floor: ErrorFloor | FloorSet | str | os.PathLike[str] | None = None,
    false_alarm: float = FALSE_ALARM,
    locale: str = "en-US",
    voice: str | None = None,
    condition: str | None = None,
    cache: TranscriptCache | None = None,
) -> TurnVerdict:
    """Verify one agent turn: were the expected values said, and do the words fit the agent's own transcript?

    Parameters
    ----------
    y : array-like of float, shape (n,)
        The agent's channel over this turn, full scale 1.0.
    sr : int
        Sampling rate in Hz.
    expected : mapping or sequence
        The values that must be said: values, ``(kind, value)`` pairs, objects with ``kind`` and ``value``, or a
        mapping from a name to any of these.
    t_out : str, optional
        The agent's own transcript of the turn.
    voice, condition : str, optional
        By which an error floor is found.

    Raises
    ------
    InputError
        If `y`, `sr` or `expected` do not fit.
    """
    x = as_mono(y)
    rate = as_rate(sr)
    wanted = list(_wanted(expected))
    hearing = open_engine(engine) if engine is None or isinstance(engine, str) else engine
    spoken = activity(x, rate)
    transcript = transcribe(x, rate, hearing, cache=cache, spurts=spoken.spurts)
    trace = Trace(meta=TraceMeta(voice=voice, condition=condition))
    basis = _basis(floor, hearing.info, trace, rate, spoken, false_alarm)
    match = _Matcher(locale)
    spurts = tuple(spurt.interval for spurt in spoken.spurts)
    piece = AudioTurn(None, spurts, transcript.words)
    judged = _Turn(
        name="turn", words=transcript.words, interval=piece.interval, t_out=t_out,
        truncation=None, heard=t_out, declared={}, match=match, basis=basis,
    )  # fmt: skip
    entities = judged.judge_all([_with_t_out(one, t_out, match) for one in wanted])
    counts, words_verdict, words_bound = judged.judge_words()
    verdict, reason, owner = _sum_up(entities, counts, words_verdict, piece, t_out)
    return TurnVerdict(
        turn="turn", interval=piece.interval, verdict=verdict, reason=reason, owner=owner,
        t_out=t_out, heard=t_out, a_out=transcript.text, words=counts,
        words_verdict=words_verdict, words_false_alarm=words_bound, truncation=None,
        entities=entities, warnings=(basis.says,) if basis.warns else (),
    )  # fmt: skip


def _wanted(expected: Mapping[str, Any] | Sequence[Any]) -> Iterator[_Expected]:
    if isinstance(expected, str) or not isinstance(expected, Mapping | Sequence):
        raise InputError(
            f"expected must be a list or mapping of values, got {type(expected).__name__}"
        )
    named = expected.items() if isinstance(expected, Mapping) else ((None, v) for v in expected)
    for name, item in named:
        kind: str | None = None
        value = item
        if isinstance(item, Mapping):
            if "value" not in item:
                raise InputError(f"expected: an item must have a 'value', got {dict(item)!r}")
            kind, value = item.get("kind"), item["value"]
            name = item.get("slot", name)
        elif isinstance(item, tuple) and len(item) == 2:
            kind, value = item
        if value is None or isinstance(value, bool | Mapping | list | tuple):
            raise InputError(f"expected: a value must be text, a number or a date, got {value!r}")
        yield _Expected(value, kind, f"expected.{name}" if name else "expected", None)


def _with_t_out(one: _Expected, t_out: str | None, match: _Matcher) -> _Expected:
    if t_out is None:
        return one
    seen = match.value(one.value, one.kind, t_out)
    rival = None
    if seen.outcome is Outcome.DIFFERENT and seen.span is not None and seen.heard is not None:
        rival = Entity(seen.kind, seen.heard, seen.span, None, " ".join(t_out.split()[slice(*seen.span)]))
    return replace_fields(one, t_out=seen, rival=rival)
