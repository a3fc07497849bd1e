"""What a verification gives back: verdicts on values, turns and calls, and the rates over them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from s2sverify.errors import InputError
from s2sverify.stats import share_interval
from s2sverify.text.alignment import EditCounts
from s2sverify.trace import Call
from s2sverify.types import (
    Decision,
    EngineInfo,
    Finding,
    Interval,
    Outcome,
    Owner,
    Transcript,
    to_plain,
)

if TYPE_CHECKING:
    import pandas as pd

    from s2sverify.timing import Timing

REPORT_VERSION = 1


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
class Cut:
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
    words_false_alarm: (
        float  # bound of the probability that a faithful agent shows as many word errors
    )
    truncation: Cut | None
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


@dataclass(frozen=True, eq=False)
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
    call: Call = field(default_factory=Call, repr=False)

    @cached_property
    def timing(self) -> Timing:
        """Turns, response latencies, overlaps and barge-ins of the recording; measured when first asked for."""
        if self.call.recording is None:
            raise InputError(f"{self.name}: timing needs the recording, the report has none")
        from s2sverify.timing import measure_timing  # a verdict does not wait for it

        return measure_timing(self.call, agent_words=self.transcript)

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
