"""What the caller heard of each agent turn: T-out cut where playback stopped, and what the model believes beyond it.

The cut comes from the log's truncation events or marks where there are any, and from the audio alone otherwise. It is
never later than the last sample of the turn that was really recorded.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from s2sverify.errors import InputError
from s2sverify.text.entities import Entity, find_entities
from s2sverify.text.normalize import normalize_words
from s2sverify.timing import BargeIn, Timing, Turn
from s2sverify.trace import Call, Trace, TraceEvent, TraceTurn
from s2sverify.types import Role, Transcript

_EARLY_S, _LATE_S = 1.0, 2.5  # how far a logged start may lie after or before its sound
_SECONDS_PER_LETTER = (
    0.068  # of spoken text with its pauses, where a call has no whole turn to learn it from
)
_ENOUGH_LETTERS = 30
_WHOLE_SHARE = 0.85  # a turn that played this much of its expected length, and was not cut by the log, is whole


@dataclass(frozen=True, slots=True)
class HeardTurn:
    """One agent turn: what of T-out the caller can have heard."""

    turn: int  # number among the log's agent turns
    id: str | None
    t_out: str
    onset_s: float  # NaN where no sound was found for it
    cut_s: float  # where playback stopped; NaN where the turn was played whole
    evidence: str  # "event", "mark", "audio", or "" where it was played whole
    heard: str
    unheard: str
    unheard_values: tuple[Entity, ...]  # values of T-out that were not played in full
    certain: bool  # whether words of the audio, not its length, say where T-out was cut

    @property
    def cut(self) -> bool:
        return bool(self.unheard)

    @property
    def believed(self) -> bool:
        """The model's own transcript holds words that were never played: it believes it said them."""
        return bool(self.unheard)


def what_was_heard(
    call: Call, timing: Timing, *, agent_words: Transcript | None = None
) -> tuple[HeardTurn, ...]:
    """Cut the T-out of every agent turn at the sample that was played last.

    Parameters
    ----------
    call : Call
        With a trace.
    timing : Timing
        Of the same call.
    agent_words : Transcript, optional
        What an independent engine heard of the agent, on the call clock. Without it the place in T-out is told from
        the length that was played, at the speaking rate of the call's whole turns.

    Raises
    ------
    InputError
        If the call has no trace.
    """
    if call.trace is None:
        raise InputError(f"{call.name}: what was heard needs a trace, the call has none")
    turns = list(call.trace.turns_of(Role.AGENT))
    spoken = _pair(turns, timing.turns_of(Role.AGENT), call.trace)
    cuts = [
        _cut(turn, sound, call.trace, timing.barge_ins)
        for turn, sound in zip(turns, spoken, strict=True)
    ]
    pace = _pace(turns, spoken, cuts)
    found = []
    for number, (turn, sound, cut) in enumerate(zip(turns, spoken, cuts, strict=True)):
        t_out = turn.text or ""
        onset_s = sound.onset_s if sound is not None else math.nan
        if sound is None or cut is None:
            found.append(
                HeardTurn(number, turn.id, t_out, onset_s, math.nan, "", t_out, "", (), False)
            )
            continue
        cut_s, evidence = cut
        played, certain = _played_words(t_out, onset_s, cut_s, pace, agent_words)
        words = t_out.split()
        if evidence == "audio" and len(words) - played < 2:
            found.append(
                HeardTurn(number, turn.id, t_out, onset_s, math.nan, "", t_out, "", (), certain)
            )
            continue
        values = tuple(e for e in find_entities(t_out) if e.span[1] > played)
        found.append(
            HeardTurn(
                number, turn.id, t_out, onset_s, cut_s, evidence,
                " ".join(words[:played]), " ".join(words[played:]), values, certain,
            )
        )  # fmt: skip
    return tuple(found)


def _event_turn(event: TraceEvent) -> Any:
    extra = event.model_extra or {}
    return extra.get("turn") or extra.get("turn_id") or extra.get("item_id")


def _start_s(turn: TraceTurn, trace: Trace) -> float:
    """When the log says that playback of a turn began; NaN where it does not."""
    if turn.id is not None:
        for event in trace.events:
            named = _event_turn(event) == turn.id and event.t_ms is not None
            if named and event.type.endswith("first_chunk"):
                return float(event.t_ms or 0.0) / 1000
    return turn.start_ms / 1000 if turn.start_ms is not None else math.nan


def _pair(turns: Sequence[TraceTurn], sounds: Sequence[Turn], trace: Trace) -> list[Turn | None]:
    """The sound of every logged turn: the nearest onset to its start, each used once; in order where no times are."""
    starts = [_start_s(turn, trace) for turn in turns]
    if all(math.isnan(s) for s in starts):
        rest = list(sounds)
        return [rest.pop(0) if rest else None for _ in turns]
    free, paired = list(sounds), []
    for start_s in starts:
        near = [s for s in free if start_s - _EARLY_S <= s.onset_s <= start_s + _LATE_S]
        chosen = min(near, key=lambda s: abs(s.onset_s - start_s), default=None)
        if chosen is not None:
            free.remove(chosen)
        paired.append(chosen)
    return paired


def _cut(
    turn: TraceTurn, sound: Turn | None, trace: Trace, barge_ins: Sequence[BargeIn]
) -> tuple[float, str] | None:
    """Where playback of a turn stopped early, and what says so; None where it was played whole."""
    if sound is None or not turn.text:
        return None
    logged_s, evidence = _logged_cut(turn, sound, trace)
    if not math.isnan(logged_s):
        return min(logged_s, sound.offset_s), evidence
    for barge_in in barge_ins:
        if barge_in.yielded and abs(barge_in.agent_offset_s - sound.offset_s) < 0.01:
            return sound.offset_s, "audio"
    return None


def _logged_cut(turn: TraceTurn, sound: Turn, trace: Trace) -> tuple[float, str]:
    if turn.truncated_at_ms is not None:
        return turn.truncated_at_ms / 1000, "event"
    start_s = _start_s(turn, trace)
    if math.isnan(start_s):
        start_s = sound.onset_s
    cut_s, evidence = math.nan, ""
    for event in trace.events:
        if turn.id is None or _event_turn(event) != turn.id:
            continue
        extra = event.model_extra or {}
        if event.type.endswith("truncated"):
            played_ms = extra.get("audio_end_ms")
            if isinstance(played_ms, int | float):
                cut_s, evidence = start_s + float(played_ms) / 1000, "event"
            elif event.t_ms is not None:
                cut_s, evidence = event.t_ms / 1000, "event"
        elif event.type.endswith("clear") and event.t_ms is not None and not evidence:
            cut_s, evidence = event.t_ms / 1000, "mark"
    return cut_s, evidence


def _letters(text: str) -> int:
    return sum(len(word) + 1 for word in normalize_words(text))


def _pace(
    turns: Sequence[TraceTurn],
    spoken: Sequence[Turn | None],
    cuts: Sequence[tuple[float, str] | None],
) -> float:
    """Seconds per letter of spoken text, over the turns that were played whole."""
    letters, seconds = 0, 0.0
    for turn, sound, cut in zip(turns, spoken, cuts, strict=True):
        if sound is not None and cut is None and turn.text:
            letters += _letters(turn.text)
            seconds += sound.duration_s
    return seconds / letters if letters >= _ENOUGH_LETTERS else _SECONDS_PER_LETTER


def _played_words(
    t_out: str, onset_s: float, cut_s: float, pace: float, words: Transcript | None
) -> tuple[int, bool]:
    """How many words of T-out were played in full, and whether words of the audio say so."""
    from rapidfuzz.distance import Levenshtein

    written = t_out.split()
    said = None if words is None else words.cut(onset_s - 0.2, cut_s + 0.2)
    if said is not None and len(said):
        spoken = normalize_words(said.text)
        costs = [
            Levenshtein.distance(normalize_words(" ".join(written[:n])), spoken)
            for n in range(len(written) + 1)
        ]
        return min(range(len(costs)), key=lambda n: (costs[n], n)), True
    budget = (cut_s - onset_s) / pace
    if budget >= _WHOLE_SHARE * _letters(t_out):
        whole = [n for n in range(len(written) + 1) if _letters(" ".join(written[:n])) <= budget]
        return max(whole), False
    played = 0
    for n in range(1, len(written) + 1):
        if _letters(" ".join(written[:n])) > budget:
            break
        played = n
    return played, False


__all__ = ["HeardTurn", "what_was_heard"]
