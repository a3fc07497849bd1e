"""Values that every layer speaks. Standard library only: importing this costs nothing."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any


class Role(StrEnum):
    """Who speaks. The value is the name in traces; the channel is caller 0, agent 1."""

    CALLER = "caller"
    AGENT = "agent"

    @property
    def channel(self) -> int:
        return 0 if self is Role.CALLER else 1


class Outcome(StrEnum):
    """What became of an expected value in a text."""

    SPOKEN = "spoken"
    DIFFERENT = "different"
    ABSENT = "absent"
    AMBIGUOUS = "ambiguous"


class Decision(StrEnum):
    """The answer of a verdict on what was said."""

    CONFIRMED = "confirmed"
    REFUTED = "refuted"
    INCONCLUSIVE = "inconclusive"
    NOT_APPLICABLE = "not_applicable"


class Owner(StrEnum):
    """Which part a disagreement points at."""

    AGENT_SPEECH = "agent_speech"
    AGENT_CONTENT = "agent_content"
    SIDE_CHANNEL_OUT = "side_channel_out"
    SIDE_CHANNEL_IN = "side_channel_in"
    AGENT_HEARING = "agent_hearing"
    AGENT_ACTION = "agent_action"
    TOOL = "tool"
    TRUNCATION = "truncation"
    DECLARED = "declared"
    VERIFIER = "verifier"


@dataclass(frozen=True, slots=True, order=True)
class Interval:
    """A half-open stretch of the call clock, ``[start_s, end_s)``, in seconds."""

    start_s: float
    end_s: float

    @property
    def duration_s(self) -> float:
        return self.end_s - self.start_s

    def overlap_s(self, other: Interval) -> float:
        """Length of the common part; 0.0 where the two only touch or stand apart."""
        return max(0.0, min(self.end_s, other.end_s) - max(self.start_s, other.start_s))

    def contains(self, t_s: float) -> bool:
        return self.start_s <= t_s < self.end_s

    def shifted(self, by_s: float) -> Interval:
        return Interval(self.start_s + by_s, self.end_s + by_s)


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a transcript as the engine wrote it, on the clock of the transcript."""

    text: str
    start_s: float
    end_s: float
    confidence: float | None = None  # the engine's own, in [0, 1]; None where it gives none

    @property
    def interval(self) -> Interval:
        return Interval(self.start_s, self.end_s)

    def shifted(self, by_s: float) -> Word:
        return replace(self, start_s=self.start_s + by_s, end_s=self.end_s + by_s)


@dataclass(frozen=True, slots=True)
class EngineInfo:
    """What is known of an engine before it hears anything. Two equal infos answer alike."""

    name: str  # as `open_engine` takes it, e.g. "whisper:tiny.en"
    version: str  # exact: package versions, weights hash, decoding options
    vendor: str
    rates_hz: tuple[int, ...]
    repeatable: bool  # the same samples always give the same words
    details: Mapping[str, str] = field(default_factory=dict)

    @property
    def signature(self) -> Signature:
        return Signature(self.name, self.version, tuple(sorted(self.details.items())))


@dataclass(frozen=True, slots=True)
class Signature:
    """Method, version, parameters and engines behind a number, as one line of text."""

    method: str
    version: str
    parameters: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        parts = [self.method, f"version:{self.version}"]
        return "|".join([*parts, *(f"{key}:{value}" for key, value in self.parameters)])


@dataclass(frozen=True, slots=True)
class Transcript:
    """What an engine heard: words in order of time.

    ``words`` are the raw words of the engine; ``formatted`` is its "smart" text where it offers one beside them.
    ``dropped`` are words the engine put where there is no speech: kept for the record, part of no text.
    ``uncovered`` is the opposite: sound in which the engine heard no words.
    ``requests`` is what a remote engine said of each request it served: its id, and which model answered.
    """

    words: tuple[Word, ...] = ()
    engine: EngineInfo | None = None
    formatted: str | None = None
    dropped: tuple[Word, ...] = ()
    uncovered: tuple[Interval, ...] = ()
    requests: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        return " ".join(word.text for word in self.words)

    def __len__(self) -> int:
        return len(self.words)

    def __iter__(self) -> Iterator[Word]:
        return iter(self.words)

    def shifted(self, by_s: float) -> Transcript:
        """The same words, `by_s` later."""
        return replace(
            self,
            words=tuple(word.shifted(by_s) for word in self.words),
            dropped=tuple(word.shifted(by_s) for word in self.dropped),
            uncovered=tuple(stretch.shifted(by_s) for stretch in self.uncovered),
        )

    def cut(self, start_s: float, end_s: float) -> Transcript:
        """The words whose middle lies in ``[start_s, end_s)``; times are kept as they are."""

        def inside(words: Iterable[Word]) -> tuple[Word, ...]:
            return tuple(w for w in words if start_s <= (w.start_s + w.end_s) / 2 < end_s)

        near = Interval(start_s, end_s)
        return replace(
            self,
            words=inside(self.words),
            dropped=inside(self.dropped),
            formatted=None,
            uncovered=tuple(part for part in self.uncovered if part.overlap_s(near) > 0.0),
        )


@dataclass(frozen=True, slots=True)
class Finding:
    """Something about an input that a reader of the numbers must know, or that spoils some of them."""

    code: str  # machine-readable, e.g. "unknown_length", "truncated", "identical_channels"
    message: str  # name, rule, value
    channel: int | None = None
    spoils: tuple[str, ...] = ()  # measurements that must be refused because of it, e.g. "timing"
    count: int | None = None  # how many samples, frames or lines, where the code counts something
    intervals: tuple[Interval, ...] = ()  # where on the call clock, where that is known


def to_plain(value: Any) -> Any:
    """Turn results into what `json` writes: dataclasses to dicts, NaN and infinities to None."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, StrEnum):
        return value.value
    if value is None or isinstance(value, str | int | bool):
        return value
    if isinstance(value, Signature):
        return str(value)
    if hasattr(value, "__dataclass_fields__"):
        return {key: to_plain(getattr(value, key)) for key in value.__dataclass_fields__}
    if isinstance(value, Mapping):
        return {str(key): to_plain(item) for key, item in value.items()}
    if isinstance(value, Iterable):
        return [to_plain(item) for item in value]
    return str(value)


__all__ = [
    "Decision",
    "EngineInfo",
    "Finding",
    "Interval",
    "Outcome",
    "Owner",
    "Role",
    "Signature",
    "Transcript",
    "Word",
    "to_plain",
]
