"""Turn-taking figures as other benchmarks define them, from the same measured talk, and where they part from ours.

Each function restates a published definition on the spurts of a `Timing`; thresholds are those of the original.
Where the original reads words, ticks or simulator events that a recording does not hold, the docstring says what
stands in. Ours are in `Timing`; `compare_definitions` sets them side by side, turn by turn.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from s2sverify.errors import InputError
from s2sverify.timing import BargeIn, Response, ResponseStatus, Timing
from s2sverify.types import Role, Transcript

if TYPE_CHECKING:
    import pandas as pd

TICK_S = 0.2  # tau-voice: everything happens at multiples of this
_TAU_YIELD_S, _TAU_BACKCHANNEL_YIELD_S = 2.0, 1.0
_FDB_SHORT_S, _FDB_SHORT_WORDS, _FDB_LONG_S = 1.0, 3, 3.0
_FDB_BACKCHANNEL_WORDS = 2
_FDB_USER_GAP_S, _FDB_MODEL_GAP_S = 0.6, 0.5  # v1.5 get_timing.py
_FDB_BIN_S, _FDB_EPSILON = 0.2, 1e-10
_EVA_ZERO_S, _EVA_ONE_S = -0.5, 0.5
_EVA_FLAT_S, _EVA_END_S = 2.0, 3.5
_EVA_FLAT_TOOL_S, _EVA_END_TOOL_S = 3.0, 5.0
_EVA_PASS, _EVA_OVERLAP_S, _EVA_INTERRUPTIONS = 0.8, 2.0, 3


@dataclass(frozen=True, slots=True)
class TauVoice:
    """Figures of tau-voice (tau2-bench, interaction metrics 1.0); NaN over nothing."""

    response_latency_s: float  # L_R: mean over eligible turns that got a response
    response_rate: float  # R_R
    yield_latency_s: float  # L_Y: mean over interruptions the agent yielded to
    yield_rate: float  # R_Y: share of interruptions after which the agent stops within 2 s
    interrupt_rate: float  # I_A: agent interruptions over responses; may exceed 1
    backchannel_selectivity: float  # S_BC: 1 - share of backchannels the agent yields to within 1 s
    responses: int
    interruptions: int
    backchannels: int


def tau_voice(timing: Timing) -> TauVoice:
    """Restate the figures of tau-voice.

    Ticks of 0.2 s are kept. Who interrupts and what is a backchannel comes from `Timing.barge_ins`, where the original
    has labels of its simulator; vocal tics and speech to others need such labels and are left out. As in the original,
    the last caller turn without an answer is skipped, and means are over what was answered.
    """
    eligible = [
        r
        for r in timing.responses
        if r.status is not ResponseStatus.NOT_OWED and not _agent_active(timing, r.caller_offset_s)
    ]
    if eligible and eligible[-1].status is ResponseStatus.UNANSWERED:
        eligible = eligible[:-1]
    answered = [r for r in eligible if r.status is ResponseStatus.ANSWERED]
    latencies = [_tick(r.agent_onset_s) - _tick(r.caller_offset_s) for r in answered]
    interruptions = [b for b in timing.barge_ins if not b.backchannel]
    stops = [_tick_latency(b) for b in interruptions]
    yielded = [s for s in stops if s <= _TAU_YIELD_S]
    backchannels = timing.backchannels
    wrong = sum(_tick_latency(b) <= _TAU_BACKCHANNEL_YIELD_S for b in backchannels)
    cut_ins = sum(r.status is ResponseStatus.CUT_IN for r in timing.responses)
    responses = len(answered) + cut_ins
    return TauVoice(
        _mean(latencies),
        _share(len(answered), len(eligible)),
        _mean(yielded),
        _share(len(yielded), len(interruptions)),
        _share(cut_ins, responses),
        1.0 - _share(wrong, len(backchannels)),
        responses,
        len(interruptions),
        len(backchannels),
    )


def _tick(t_s: float) -> float:
    return TICK_S * math.floor(t_s / TICK_S + 1e-9)


def _tick_latency(b: BargeIn) -> float:
    return _tick(b.agent_offset_s) - _tick(b.caller_onset_s) if b.yielded else math.inf


def _agent_active(timing: Timing, at_s: float) -> bool:
    return any(t.onset_s <= at_s < t.offset_s for t in timing.turns_of(Role.AGENT))


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else math.nan


def _share(k: int, n: int) -> float:
    return k / n if n else math.nan


@dataclass(frozen=True, slots=True)
class FullDuplexBench:
    """Figures of Full-Duplex-Bench v1 and v1.5; NaN over nothing."""

    takeover_rate: float  # TOR over the caller turns
    latency_s: float  # v1: mean over takeovers, negative ones set to 0
    stop_latency_s: float  # v1.5: mean length of the overlaps in which the caller came second
    response_latency_s: float  # v1.5: mean from the caller's end to the next model start
    backchannel_frequency: float  # per second of the recording
    backchannel_jsd: (
        float  # Jensen-Shannon divergence from the reference distribution; NaN without one
    )


def full_duplex_bench(
    timing: Timing, *, reference: Sequence[float] | None = None
) -> FullDuplexBench:
    """Restate the figures of Full-Duplex-Bench.

    Parameters
    ----------
    timing : Timing
        With ``agent_words`` its rules on words apply; without, those on duration alone.
    reference : sequence of float, optional
        Distribution of human backchannels over bins of 0.2 s, for the divergence. The original's is its ICC corpus,
        which is not shipped here.

    Raises
    ------
    InputError
        If `reference` is empty, negative or all zero.

    Notes
    -----
    Takeover: 0 without agent speech after the turn, or with less than 1 s of it and at most 3 words, else 1. The
    original's crop at the end of an interruption is kept, and with it its flaw: an agent that never stops takes over at
    0 s.
    """
    takeovers, latencies, starts = [], [], []
    model = timing.agent.merged(_FDB_MODEL_GAP_S).spurts
    owed = [r for r in timing.responses if r.status is not ResponseStatus.UNMEASURABLE]
    for number, response in enumerate(owed):
        end_s = response.caller_offset_s
        until_s = owed[number + 1].caller_onset_s if number + 1 < len(owed) else timing.duration_s
        after = [s for s in model if s.offset_s > end_s and s.onset_s < until_s]
        spoken_s = sum(min(s.offset_s, until_s) - max(s.onset_s, end_s) for s in after)
        words = _words_between(timing.agent_words, end_s, until_s)
        few = words is None or words <= _FDB_SHORT_WORDS
        taken = bool(after) and not (spoken_s < _FDB_SHORT_S and few)
        takeovers.append(taken)
        if taken:
            latencies.append(max(0.0, after[0].onset_s - end_s))
        later = [s.onset_s - end_s for s in model if s.onset_s >= end_s]
        if later and later[0] < until_s - end_s:
            starts.append(later[0])
    stops = [o.duration_s for o in timing.overlaps if o.second is Role.CALLER]
    backchannels = [s for s in model if _fdb_backchannel(timing, s.onset_s, s.offset_s)]
    frequency = len(backchannels) / timing.duration_s if timing.duration_s else math.nan
    return FullDuplexBench(
        _mean([float(t) for t in takeovers]),
        _mean(latencies),
        _mean(stops),
        _mean(starts),
        frequency,
        math.nan if reference is None else _divergence(
            [s.onset_s for s in backchannels], timing.duration_s, reference
        ),
    )  # fmt: skip


def _words_between(words: Transcript | None, start_s: float, end_s: float) -> int | None:
    return None if words is None else len(words.cut(start_s, end_s))


def _fdb_backchannel(timing: Timing, onset_s: float, offset_s: float) -> bool:
    words = _words_between(timing.agent_words, onset_s, offset_s)
    return offset_s - onset_s < _FDB_SHORT_S and (words is None or words <= _FDB_BACKCHANNEL_WORDS)


def _divergence(times_s: Sequence[float], duration_s: float, reference: Sequence[float]) -> float:
    """Jensen-Shannon divergence, natural logarithm; 1 where there are no backchannels, as in the original."""
    weights = [float(w) for w in reference]
    if not weights or min(weights) < 0 or sum(weights) <= 0:
        raise InputError(f"reference must be a distribution, got {list(reference)!r}")
    if not times_s:
        return 1.0
    counts = [0.0] * len(weights)
    for t in times_s:
        counts[min(int(t / _FDB_BIN_S), len(counts) - 1)] += 1.0
    p = [c / len(times_s) + _FDB_EPSILON for c in counts]
    q = [w / sum(weights) + _FDB_EPSILON for w in weights]
    p, q = [v / sum(p) for v in p], [v / sum(q) for v in q]
    middle = [(a + b) / 2 for a, b in zip(p, q, strict=True)]

    def relative(a: list[float]) -> float:
        return sum(x * math.log(x / m) for x, m in zip(a, middle, strict=True))

    return (relative(p) + relative(q)) / 2


@dataclass(frozen=True, slots=True)
class Eva:
    """Turn-taking score of EVA v0.2; NaN over nothing."""

    score: float  # mean over turns
    passed: bool  # at least 0.8
    turns: tuple[float, ...]
    early: int  # latency under 0.2 s
    late: int  # at least 2.75 s, 4 s with a tool call


def eva(timing: Timing, *, with_tool: Sequence[bool] | None = None) -> Eva:
    """Restate the turn-taking score of EVA.

    Parameters
    ----------
    timing : Timing
        Times are those of the recording; the original reads its simulator's events.
    with_tool : sequence of bool, optional
        For every response, whether a tool was called; those may take longer. None without tools.

    Raises
    ------
    InputError
        If `with_tool` is not as long as the responses.

    Notes
    -----
    Per turn, piecewise linear: -0.5 s gives 0, 0.5 s gives 1, flat to 2 s (3 s with a tool), 0 at 3.5 s (5 s). An agent
    cut-in is the least of ``0.5 (1 - overlap / 2 s)``, a count score from 0.5 down to 0 at three interruptions, and the
    latency score; a caller's barge-in scores ``1 - yield / 2 s``; a missed turn 0.
    """
    owed = [r for r in timing.responses if r.status is not ResponseStatus.NOT_OWED]
    tools = [False] * len(owed) if with_tool is None else list(with_tool)
    if len(tools) != len(owed):
        raise InputError(
            f"with_tool must have one entry per response, {len(owed)}, got {len(tools)}"
        )
    scores, early, late, interruptions = [], 0, 0, 0
    for response, tool in zip(owed, tools, strict=True):
        barge_in = _barge_in_of(timing, response)
        if response.status is ResponseStatus.UNMEASURABLE:
            continue
        if response.status is ResponseStatus.UNANSWERED:
            scores.append(0.0)
            continue
        latency_s = response.latency_s
        early += latency_s < 0.2
        late += latency_s >= (4.0 if tool else 2.75)
        score = _eva_latency(latency_s, tool)
        if response.status is ResponseStatus.CUT_IN:
            interruptions += 1
            overlap_s = -latency_s
            count = 0.5 * max(0.0, 1.0 - (interruptions - 1) / (_EVA_INTERRUPTIONS - 1))
            score = min(0.5 * max(0.0, 1.0 - overlap_s / _EVA_OVERLAP_S), count, score)
        elif barge_in is not None:
            lost_s = barge_in.yield_latency_s if barge_in.yielded else _EVA_OVERLAP_S
            score = max(0.0, 1.0 - lost_s / _EVA_OVERLAP_S)
        scores.append(score)
    mean = _mean(scores)
    return Eva(mean, mean >= _EVA_PASS, tuple(scores), early, late)


def _barge_in_of(timing: Timing, response: Response) -> BargeIn | None:
    for barge_in in timing.barge_ins:
        if barge_in.caller_onset_s == response.caller_onset_s and not barge_in.backchannel:
            return barge_in
    return None


def _eva_latency(latency_s: float, tool: bool) -> float:
    flat, end = (_EVA_FLAT_TOOL_S, _EVA_END_TOOL_S) if tool else (_EVA_FLAT_S, _EVA_END_S)
    if latency_s <= _EVA_ONE_S:
        return max(0.0, (latency_s - _EVA_ZERO_S) / (_EVA_ONE_S - _EVA_ZERO_S))
    return 1.0 if latency_s <= flat else max(0.0, (end - latency_s) / (end - flat))


@dataclass(frozen=True, slots=True)
class DefinitionDifference:
    """One caller turn that another definition reads differently from ours."""

    turn: int
    caller_offset_s: float
    definition: str  # "tau-voice", "Full-Duplex-Bench" or "EVA"
    ours: str
    theirs: str
    why: str


def compare_definitions(timing: Timing) -> tuple[DefinitionDifference, ...]:
    """Say for every caller turn which definition reads it differently, and why."""
    rows: list[DefinitionDifference] = []
    last = len(timing.responses) - 1
    for number, r in enumerate(timing.responses):
        ours = str(r.status) if math.isnan(r.latency_s) else f"{r.latency_s:+.3f} s"

        def add(definition: str, theirs: str, why: str, r: Response = r, ours: str = ours) -> None:
            rows.append(
                DefinitionDifference(r.turn, r.caller_offset_s, definition, ours, theirs, why)
            )

        if r.status is ResponseStatus.UNANSWERED:
            if number == last:
                add("tau-voice", "skipped", "a last caller turn without an answer is not counted")
            talked_on = any(
                t.onset_s < r.caller_offset_s < t.offset_s for t in timing.turns_of(Role.AGENT)
            )
            if talked_on:
                add("Full-Duplex-Bench", "takeover at 0 s",
                    "the audio is cropped at the caller's end: an agent that never stops answers at once")  # fmt: skip
            add("EVA", "score 0", "a missed turn counts, however long it was observed")
        elif r.status is ResponseStatus.CUT_IN:
            add("tau-voice", "interruption", "the agent is active at the turn's end: no latency")
            add("Full-Duplex-Bench", "0 s", "negative latencies are set to 0")
        elif r.status is ResponseStatus.ANSWERED:
            ticked = _tick(r.agent_onset_s) - _tick(r.caller_offset_s)
            if abs(ticked - r.latency_s) > 0.01:
                add("tau-voice", f"{ticked:+.1f} s", "both ends are moved to ticks of 0.2 s")
            if r.latency_s > _EVA_END_S:
                add("EVA", "score 0", "later than 3.5 s scores as a missed turn")
    return tuple(rows)


def definitions_frame(timing: Timing) -> pd.DataFrame:
    """`compare_definitions` as a pandas DataFrame."""
    from s2sverify._display import frame

    columns = ("turn", "caller_offset_s", "definition", "ours", "theirs", "why")
    rows: list[dict[str, Any]] = [
        {name: getattr(row, name) for name in columns} for row in compare_definitions(timing)
    ]
    return frame(rows, columns=columns)


__all__ = [
    "DefinitionDifference",
    "Eva",
    "FullDuplexBench",
    "TauVoice",
    "compare_definitions",
    "definitions_frame",
    "eva",
    "full_duplex_bench",
    "tau_voice",
]
