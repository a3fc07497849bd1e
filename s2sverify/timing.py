"""Turns, response latency, overlap and barge-in, measured on the recording alone.

Two channels of talk spurts become turns: one party's spurts until the other takes the floor. Every caller turn is
accounted for, every edge carries the interval it may lie in, what a finding spoils is refused by name, and what was
still running when the observation ended is censored, never dropped. Definitions: ``docs/metrics.md``, section Time.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from s2sverify.errors import ChannelError, InputError
from s2sverify.integrity import check_integrity, echo_spurts
from s2sverify.recording import Recording
from s2sverify.spurts import Activity, Spurt, activity, join_spurts
from s2sverify.stats import censored_percentile, percentile_interval
from s2sverify.trace import Call, Trace
from s2sverify.types import Finding, Interval, Role, Signature, Transcript

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

TURN_PAUSE_S = 0.7  # a longer pause ends a stretch of talk; a thinking pause of 650 ms does not
INTERJECTED_PAUSE_S = 0.45  # the same where the other party spoke in it or just before it
FLOOR_PAUSE_S = (
    1.5  # a caller who goes on sooner than this, with nobody between, is still in the same turn
)
BACKCHANNEL_S = 1.0  # longer talk claims the floor (Full-Duplex-Bench counts segments under 1 s)
YIELD_WINDOW_S = 2.0  # an agent that stops later than this did not yield (as in tau-voice)
LONG_SILENCE_S = 4.0
TIGHT_S = 0.050  # talk that overlaps by less than this is a handover
RESUME_WINDOW_S = 4.0  # speech that comes back within this of a yield was resumed (as in hotato)

VERSION = "1"

_UNKNOWN = Interval(math.nan, math.nan)


class ResponseStatus(StrEnum):
    """What became of a caller turn."""

    ANSWERED = "answered"
    CUT_IN = "cut_in"  # the agent began before the caller had ended: negative latency
    UNANSWERED = "unanswered"  # no answer while it was observed: censored
    NOT_OWED = "not_owed"  # a backchannel: the agent held the floor and kept it
    UNMEASURABLE = "unmeasurable"


@dataclass(frozen=True, slots=True)
class Turn:
    """One party's talk until the other takes the floor."""

    role: Role
    onset_s: float
    offset_s: float
    onset_interval: Interval
    offset_interval: Interval
    level_dbov: float
    spurts: tuple[Spurt, ...]

    @property
    def duration_s(self) -> float:
        return self.offset_s - self.onset_s

    @property
    def interval(self) -> Interval:
        return Interval(self.onset_s, self.offset_s)

    @property
    def active_s(self) -> float:
        """Time within the turn in which there is sound."""
        return sum(spurt.duration_s for spurt in self.spurts)


@dataclass(frozen=True, slots=True)
class Response:
    """What followed one caller turn."""

    caller_onset_s: float
    caller_offset_s: float
    agent_onset_s: float  # NaN without an answer
    latency_s: float  # agent onset minus caller offset, negative where the agent cut in; NaN without an answer
    latency_interval: (
        Interval  # where the latency may lie; of a censored one: seen to exceed start_s
    )
    status: ResponseStatus
    reason: str = ""
    caller_offset_interval: Interval = _UNKNOWN
    agent_onset_interval: Interval = _UNKNOWN
    turn: int = 0  # number of the caller turn

    @property
    def censored(self) -> bool:
        return self.status is ResponseStatus.UNANSWERED

    @property
    def observed_s(self) -> float:
        """The latency, or how long no answer was seen."""
        return self.latency_interval.start_s if self.censored else self.latency_s


@dataclass(frozen=True, slots=True)
class Overlap:
    """A stretch in which both parties talk; echo is not among them."""

    start_s: float
    end_s: float
    second: Role  # who came in last
    yielded: (
        Role | None
    )  # who stopped first and left the floor to the other; None where both went on or ended
    kind: str  # "barge_in", "backchannel", "cut_in" or "agent_backchannel"
    least_s: float  # what is left when every edge is taken at its far end

    @property
    def duration_s(self) -> float:
        return self.end_s - self.start_s

    @property
    def interval(self) -> Interval:
        return Interval(self.start_s, self.end_s)


@dataclass(frozen=True, slots=True)
class BargeIn:
    """A caller onset while the agent holds the floor."""

    caller_onset_s: float
    caller_offset_s: float
    agent_offset_s: float  # NaN where the agent did not stop
    yielded: bool
    yield_latency_s: float  # barge-in onset to agent offset; NaN where the agent did not yield
    yield_interval: Interval  # where the yield latency may lie; censored: seen to exceed start_s
    backchannel: bool  # short talk that did not claim the floor
    certain: bool  # whether words settle what it was; otherwise by duration and outcome
    resumed_s: float  # from the agent's yield to its next sound within 4 s; NaN without

    @property
    def false_yield(self) -> bool:
        """The agent stopped for a backchannel."""
        return self.backchannel and self.yielded


@dataclass(frozen=True, slots=True)
class FirstSound:
    """What came before the first sound of an agent turn."""

    turn: int  # number of the agent turn
    onset_s: float
    event_s: float  # time of the log's first chunk; NaN without
    gap_s: float  # event to audible onset; NaN without an event
    lead_s: float  # how long audio ran before it could be heard; NaN where that cannot be seen
    kind: str  # "none", "digital_silence", "near_silence", "breath", "click" or "unknown"


@dataclass(frozen=True, slots=True, eq=False)
class Timing:
    """When who talked, and what follows from it. Numbers that a finding spoils are NaN and named in ``refused``."""

    name: str
    duration_s: float
    caller: Activity
    agent: Activity
    turns: tuple[Turn, ...]
    responses: tuple[Response, ...]
    overlaps: tuple[Overlap, ...]
    barge_ins: tuple[BargeIn, ...]
    long_silences: tuple[Interval, ...]
    first_sounds: tuple[FirstSound, ...]
    echoes: tuple[Interval, ...]  # caller-channel sound that is the agent's own
    findings: tuple[Finding, ...]
    refused: dict[str, str]
    condition: str
    signature: Signature
    caller_words: Transcript | None = field(default=None, repr=False)
    agent_words: Transcript | None = field(default=None, repr=False)

    # --- latency

    @property
    def latencies_s(self) -> list[float]:
        """Latencies of the answered caller turns and of those cut in on, in order."""
        return [
            r.latency_s
            for r in self.responses
            if r.status in (ResponseStatus.ANSWERED, ResponseStatus.CUT_IN)
        ]

    @property
    def censored_s(self) -> list[float]:
        """How long each unanswered caller turn was seen to stay so."""
        return [r.observed_s for r in self.responses if r.censored]

    def percentile(self, q: float) -> float:
        """Percentile of the response latency in seconds; unanswered turns count as longer than they were observed.

        Infinite where so many turns went unanswered that it was not reached; NaN without responses.
        """
        if "responses" in self.refused:
            return math.nan
        return censored_percentile(self.latencies_s, q, censored=self.censored_s)

    def percentile_interval(self, q: float, *, confidence: float = 0.95) -> tuple[float, float]:
        """Interval of a percentile over calls like this one, from the order of the latencies."""
        if "responses" in self.refused:
            return math.nan, math.nan
        return percentile_interval(
            self.latencies_s, q, censored=self.censored_s, confidence=confidence
        )

    def count(self, status: ResponseStatus | str) -> int:
        """How many caller turns ended so."""
        return sum(r.status is ResponseStatus(status) for r in self.responses)

    # --- floor

    @property
    def backchannels(self) -> tuple[BargeIn, ...]:
        return tuple(b for b in self.barge_ins if b.backchannel)

    @property
    def cut_ins(self) -> tuple[Response, ...]:
        return tuple(r for r in self.responses if r.status is ResponseStatus.CUT_IN)

    @property
    def double_talk_share(self) -> float:
        """Share of the time with sound in which both parties talk; NaN without sound."""
        both = sum(o.duration_s for o in self.overlaps)
        either = sum(t.duration_s for t in self.turns) - both
        return both / either if either > 0 and "overlaps" not in self.refused else math.nan

    def talk_share(self, role: Role | str) -> float:
        """Share of the recording in which one party has sound; NaN of nothing."""
        spurts = (self.caller if Role(role) is Role.CALLER else self.agent).spurts
        if not self.duration_s:
            return math.nan
        return sum(s.duration_s for s in spurts) / self.duration_s

    def speaking_rate_wpm(self, role: Role | str) -> float:
        """Words per minute of sound; NaN where there are no words or no sound."""
        words = self.caller_words if Role(role) is Role.CALLER else self.agent_words
        active_s = self.talk_share(role) * self.duration_s
        return math.nan if words is None or not active_s > 0 else 60.0 * len(words) / active_s

    def turns_of(self, role: Role | str) -> tuple[Turn, ...]:
        return tuple(turn for turn in self.turns if turn.role is Role(role))

    # --- show

    @property
    def summary(self) -> dict[str, Any]:
        """The call in one line of numbers."""
        return {
            "condition": self.condition,
            "duration_s": self.duration_s,
            "caller_turns": len(self.turns_of(Role.CALLER)),
            "agent_turns": len(self.turns_of(Role.AGENT)),
            **{str(status): self.count(status) for status in ResponseStatus},
            "latency_p50_s": self.percentile(50),
            "latency_p50_interval_s": self.percentile_interval(50),
            "latency_p90_s": self.percentile(90),
            "latency_p90_interval_s": self.percentile_interval(90),
            "overlaps": len(self.overlaps),
            "barge_ins": sum(not b.backchannel for b in self.barge_ins),
            "yielded": sum(b.yielded for b in self.barge_ins if not b.backchannel),
            "backchannels": len(self.backchannels),
            "false_yields": sum(b.false_yield for b in self.barge_ins),
            "long_silences": len(self.long_silences),
            "double_talk_share": self.double_talk_share,
            "talk_share_caller": self.talk_share(Role.CALLER),
            "talk_share_agent": self.talk_share(Role.AGENT),
            "speaking_rate_caller_wpm": self.speaking_rate_wpm(Role.CALLER),
            "speaking_rate_agent_wpm": self.speaking_rate_wpm(Role.AGENT),
        }

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values for JSON; times in seconds."""
        from s2sverify.types import to_plain

        return {
            "name": self.name,
            "summary": to_plain(self.summary),
            "refused": dict(self.refused),
            "findings": to_plain(self.findings),
            "responses": to_plain(self.responses),
            "overlaps": to_plain(self.overlaps),
            "barge_ins": to_plain(self.barge_ins),
            "long_silences": to_plain(self.long_silences),
            "first_sounds": to_plain(self.first_sounds),
            "turns": [
                {
                    "role": str(t.role),
                    "onset_s": t.onset_s,
                    "offset_s": t.offset_s,
                    "onset_interval": to_plain(t.onset_interval),
                    "offset_interval": to_plain(t.offset_interval),
                    "level_dbov": t.level_dbov,
                }
                for t in self.turns
            ],
            "signature": str(self.signature),
        }

    def to_frame(self) -> pd.DataFrame:
        """A pandas DataFrame, one row per caller turn."""
        from s2sverify._display import frame

        columns = (
            "caller_onset_s", "caller_offset_s", "agent_onset_s", "latency_s", "latency_lo_s",
            "latency_hi_s", "status", "reason",
        )  # fmt: skip
        return frame(
            [
                {
                    "caller_onset_s": r.caller_onset_s,
                    "caller_offset_s": r.caller_offset_s,
                    "agent_onset_s": r.agent_onset_s,
                    "latency_s": r.latency_s,
                    "latency_lo_s": r.latency_interval.start_s,
                    "latency_hi_s": r.latency_interval.end_s,
                    "status": str(r.status),
                    "reason": r.reason,
                }
                for r in self.responses
            ],
            columns=columns,
        )

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Draw turns, latencies and overlaps over time, the caller above the agent; returns the axes.

        Drawn on the axes that `Recording.plot` gives, they mark its waveforms.
        """
        from s2sverify._display import axes

        fresh = ax is None
        ax = axes(ax)
        for turn in self.turns:
            base = -2.0 * turn.role.channel
            ax.broken_barh(
                [(turn.onset_s, turn.duration_s)], (base - 0.9, 1.8),
                facecolors=f"C{turn.role.channel}", alpha=0.25, label="_turn",
            )  # fmt: skip
        for o in self.overlaps:
            ax.axvspan(o.start_s, o.end_s, color="C3", alpha=0.25, linewidth=0)
        for r in self.responses:
            if math.isnan(r.latency_s):
                ax.plot([r.caller_offset_s], [-1.0], marker="x", color="C3", linestyle="none")
                continue
            ax.annotate(
                "", xy=(r.agent_onset_s, -1.0), xytext=(r.caller_offset_s, -1.0),
                arrowprops={"arrowstyle": "->", "color": "C2"},
            )  # fmt: skip
            middle = (r.agent_onset_s + r.caller_offset_s) / 2
            ax.text(
                middle, -0.95, f"{1000 * r.latency_s:.0f}", ha="center", va="bottom", fontsize=7
            )
        if fresh:
            ax.set_yticks([0.0, -2.0], ["caller", "agent"])
            ax.set_ylim(-3, 1)
            ax.set_xlim(0, max(self.duration_s, 1e-3))
            ax.set_xlabel("time (s)")
        return ax


def measure_timing(
    source: Recording | Call,
    *,
    caller_words: Transcript | None = None,
    agent_words: Transcript | None = None,
    condition: str | None = None,
    long_silence_s: float = LONG_SILENCE_S,
    yield_window_s: float = YIELD_WINDOW_S,
) -> Timing:
    """Measure turns, response latency, overlap and barge-in of one call.

    Parameters
    ----------
    source : Recording or Call
        Two channels, caller and agent. A trace adds event times, and is held against the audio; no log is needed.
    caller_words, agent_words : Transcript, optional
        What was said, on the call clock: tells backchannels from commands and gives speaking rates.
    condition : str, optional
        Line condition the call was made under; the trace's when None.
    long_silence_s : float
        Stretches in which nobody talks for longer than this are listed.
    yield_window_s : float
        An agent that stops within this of a barge-in, or before the caller has ended, yielded.

    Returns
    -------
    Timing
        What a finding about the recording spoils is empty or NaN and named in ``refused``.

    Raises
    ------
    ChannelError
        If the recording has one channel.
    InputError
        If there is no recording.
    """
    call = source if isinstance(source, Call) else Call(source, None, source.name)
    recording = call.recording
    if recording is None:
        raise InputError(f"{call.name}: timing needs a recording, the call has none")
    if recording.n_channels != 2:
        raise ChannelError(
            f"{recording.name}: timing needs two channels (caller, agent), got {recording.n_channels}"
        )
    caller = activity(recording.caller, recording.sr)
    agent = activity(recording.agent, recording.sr)
    echoes = echo_spurts(recording, caller, agent)
    if echoes:
        caller = caller.without(echoes)
    findings = check_integrity(call, caller=caller, agent=agent, echoes=echoes)
    refused = _refusals(findings)
    talk = _Talk(
        _stretches(Role.CALLER, caller.spurts, agent.spurts),
        _stretches(Role.AGENT, agent.spurts, caller.spurts),
        recording.duration_s,
        yield_window_s,
    )
    barge_ins = tuple(_barge_in(c, talk, caller_words) for c in talk.caller if talk.holder(c))
    backchannels = {b.caller_onset_s for b in barge_ins if b.backchannel and not b.yielded}
    turns = _turns(talk, backchannels)
    spoiled = [
        (f.message, part)
        for f in findings
        if "timing" in f.spoils and f.intervals
        for part in f.intervals
    ]
    responses = tuple(_responses(talk, turns, backchannels, spoiled))
    overlaps = tuple(_overlaps(talk, barge_ins))
    silences = _silences(talk, long_silence_s)
    sounds = tuple(_first_sounds(turns, agent, call.trace))
    if "responses" in refused:
        responses, overlaps, barge_ins, silences, sounds = (), (), (), (), ()
    told = call.trace.meta.condition if call.trace is not None else None
    return Timing(
        name=call.name or recording.name,
        duration_s=recording.duration_s,
        caller=caller,
        agent=agent,
        turns=turns,
        responses=responses,
        overlaps=overlaps,
        barge_ins=barge_ins,
        long_silences=silences,
        first_sounds=sounds,
        echoes=echoes,
        findings=findings,
        refused=refused,
        condition=condition or told or "",
        signature=Signature(
            "timing",
            VERSION,
            (
                ("activity", caller.signature.version),
                ("turn_pause_s", f"{TURN_PAUSE_S:g}"),
                ("yield_window_s", f"{yield_window_s:g}"),
            ),
        ),
        caller_words=caller_words,
        agent_words=agent_words,
    )


_REFUSABLE = ("responses", "overlaps", "barge_ins", "long_silences", "first_sounds")


def _refusals(findings: Iterable[Finding]) -> dict[str, str]:
    """What must not be given, and why: findings that spoil the timing of the whole recording."""
    for finding in findings:
        whole = not finding.intervals and finding.code != "silent_channel"
        if "timing" in finding.spoils and whole and "roles" in finding.spoils:
            return dict.fromkeys(_REFUSABLE, finding.message)
    for finding in findings:
        if finding.code == "implausible_encoding":
            return dict.fromkeys(_REFUSABLE, finding.message)
    return {}


@dataclass(frozen=True, slots=True)
class _Talk:
    """Stretches of talk of both parties."""

    caller: tuple[Turn, ...]
    agent: tuple[Turn, ...]
    duration_s: float
    yield_window_s: float

    def holder(self, stretch: Turn) -> Turn | None:
        """The stretch of the other party that is under way when this one begins."""
        others = self.agent if stretch.role is Role.CALLER else self.caller
        for other in others:
            if other.onset_s < stretch.onset_s < other.offset_s - TIGHT_S:
                return other
        return None


def _as_turn(role: Role, spurts: Sequence[Spurt]) -> Turn:
    joined = join_spurts(spurts)
    return Turn(
        role,
        joined.onset_s,
        joined.offset_s,
        joined.onset_interval,
        joined.offset_interval,
        joined.level_dbov,
        tuple(spurts),
    )


def _stretches(role: Role, own: Sequence[Spurt], other: Sequence[Spurt]) -> tuple[Turn, ...]:
    """Talk with short pauses bridged; shorter ones count where the other party spoke in or before them."""
    groups: list[list[Spurt]] = []
    at = 0
    for spurt in own:
        if groups:
            pause_from = groups[-1][-1].offset_s
            pause_s = spurt.onset_s - pause_from
            while at < len(other) and other[at].offset_s < pause_from - BACKCHANNEL_S:
                at += 1
            interjected = any(
                o.onset_s < pause_from and o.offset_s < spurt.onset_s
                for o in other[at : at + 8]
                if o.onset_s < spurt.onset_s
            )
            if pause_s < (INTERJECTED_PAUSE_S if interjected else TURN_PAUSE_S):
                groups[-1].append(spurt)
                continue
        groups.append([spurt])
    return tuple(_as_turn(role, group) for group in groups)


def _barge_in(stretch: Turn, talk: _Talk, words: Transcript | None) -> BargeIn:
    held = talk.holder(stretch)
    if held is None:
        raise InputError("a barge-in needs an agent who holds the floor")
    latency_s = held.offset_s - stretch.onset_s
    yielded = latency_s <= talk.yield_window_s or held.offset_s <= stretch.offset_s
    said = None if words is None else words.cut(stretch.onset_s - 0.1, stretch.offset_s + 0.1)
    short = stretch.duration_s <= BACKCHANNEL_S
    if said is not None and len(said):
        backchannel, certain = short and _acknowledges(said), True
    else:
        backchannel, certain = short and not yielded, False
    resumed_s = math.nan
    if yielded:
        later = [a.onset_s for a in talk.agent if a.onset_s >= held.offset_s]
        if later and later[0] - held.offset_s <= RESUME_WINDOW_S:
            resumed_s = later[0] - held.offset_s
    return BargeIn(
        stretch.onset_s,
        stretch.offset_s,
        held.offset_s if yielded else math.nan,
        yielded,
        latency_s if yielded else math.nan,
        Interval(
            held.offset_interval.start_s - stretch.onset_interval.end_s,
            held.offset_interval.end_s - stretch.onset_interval.start_s if yielded else math.inf,
        ),
        backchannel,
        certain,
        resumed_s,
    )


_ACKNOWLEDGING = frozenset((
    "ah", "aha", "alright", "exactly", "fine", "good", "got", "great", "hm", "hmm", "huh", "i", "it", "mhm", "mm",
    "mmhm", "mmm", "oh", "ok", "okay", "really", "right", "see", "sure", "thanks", "true", "uh", "uhhuh", "uhuh", "um",
    "understood", "wow", "yeah", "yep", "yes", "yup",
))  # fmt: skip
_ENOUGH_TO_ACKNOWLEDGE = 3  # words; FDB counts up to two, "yes i see" is one more


def _acknowledges(said: Transcript) -> bool:
    words = ["".join(c for c in w.text.lower() if c.isalpha()) for w in said.words]
    words = [w for w in words if w]
    return len(words) <= _ENOUGH_TO_ACKNOWLEDGE and all(w in _ACKNOWLEDGING for w in words)


def _turns(talk: _Talk, backchannels: set[float]) -> tuple[Turn, ...]:
    """Join stretches of one party between which the other did not take the floor."""
    caller = [c for c in talk.caller if c.onset_s not in backchannels]
    short = [c for c in talk.caller if c.onset_s in backchannels]
    agent = list(talk.agent)
    found = [
        *short,
        *_joined(caller, agent, talk.duration_s),
        *_joined(agent, caller, TURN_PAUSE_S),
    ]
    return tuple(sorted(found, key=lambda turn: (turn.onset_s, turn.role.channel)))


def _joined(own: Sequence[Turn], others: Sequence[Turn], limit_s: float) -> list[Turn]:
    groups: list[list[Turn]] = []
    onsets = [other.onset_s for other in others]
    for stretch in own:
        if groups:
            before = groups[-1][-1]
            pause_s = stretch.onset_s - before.offset_s
            at = (
                bisect_left(onsets, stretch.onset_s) - 1
            )  # the last of the other party to begin before
            taken = at >= 0 and onsets[at] > before.onset_s
            spoken_over = at >= 0 and others[at].offset_s > before.offset_s
            if not taken and not spoken_over and pause_s < min(FLOOR_PAUSE_S, limit_s):
                groups[-1].append(stretch)
                continue
        groups.append([stretch])
    return [
        group[0]
        if len(group) == 1
        else _as_turn(group[0].role, [s for stretch in group for s in stretch.spurts])
        for group in groups
    ]


def _responses(
    talk: _Talk,
    turns: Sequence[Turn],
    backchannels: set[float],
    spoiled: Sequence[tuple[str, Interval]],
) -> Iterable[Response]:
    caller = [turn for turn in turns if turn.role is Role.CALLER]
    owed = [turn for turn in caller if turn.onset_s not in backchannels]
    for number, turn in enumerate(caller):
        if turn.onset_s in backchannels:
            yield _unanswered(
                turn, number, ResponseStatus.NOT_OWED, math.nan,
                "short talk while the agent held the floor and kept it",
            )  # fmt: skip
            continue
        later = [other.onset_s for other in owed if other.onset_s > turn.onset_s]
        until_s = later[0] if later else talk.duration_s
        answer = _answer(talk, turn, until_s)
        where = Interval(turn.onset_s, answer.onset_s if answer is not None else until_s)
        why = [message for message, part in spoiled if part.overlap_s(where) > 0]
        if why:
            yield _unanswered(turn, number, ResponseStatus.UNMEASURABLE, math.nan, why[0])
        elif answer is None:
            seen_s = max(0.0, until_s - turn.offset_s)
            over = any(a.onset_s < turn.onset_s and a.offset_s > turn.offset_s for a in talk.agent)
            reason = "the agent talked on" if over else (
                "the caller spoke again first" if later else "the recording ends first"
            )  # fmt: skip
            if not talk.agent:
                reason = "the agent's channel holds no sound at all"
            yield _unanswered(turn, number, ResponseStatus.UNANSWERED, seen_s, reason)
        else:
            cut_in = answer.onset_s < turn.offset_s
            yield Response(
                turn.onset_s,
                turn.offset_s,
                answer.onset_s,
                answer.onset_s - turn.offset_s,
                Interval(
                    answer.onset_interval.start_s - turn.offset_interval.end_s,
                    answer.onset_interval.end_s - turn.offset_interval.start_s,
                ),
                ResponseStatus.CUT_IN if cut_in else ResponseStatus.ANSWERED,
                "",
                turn.offset_interval,
                answer.onset_interval,
                number,
            )


def _unanswered(
    turn: Turn, number: int, status: ResponseStatus, seen_s: float, reason: str
) -> Response:
    return Response(
        turn.onset_s,
        turn.offset_s,
        math.nan,
        math.nan,
        Interval(seen_s, math.inf if math.isfinite(seen_s) else math.nan),
        status,
        reason,
        turn.offset_interval,
        turn=number,
    )


def _answer(talk: _Talk, turn: Turn, until_s: float) -> Turn | None:
    """The agent stretch that answers a caller turn: the first to begin after the caller did, backchannels left out."""
    for stretch in talk.agent:
        if stretch.onset_s <= turn.onset_s or stretch.onset_s >= until_s:
            continue
        inside = stretch.offset_s < turn.offset_s
        if inside and stretch.duration_s <= BACKCHANNEL_S:
            continue
        return stretch
    return None


def _overlaps(talk: _Talk, barge_ins: Sequence[BargeIn]) -> Iterable[Overlap]:
    by_onset = {b.caller_onset_s: b for b in barge_ins}
    first_near = 0
    for c in talk.caller:
        while first_near < len(talk.agent) and talk.agent[first_near].offset_s <= c.onset_s:
            first_near += 1
        for a in talk.agent[first_near:]:
            if a.onset_s >= c.offset_s:
                break
            start_s, end_s = max(c.onset_s, a.onset_s), min(c.offset_s, a.offset_s)
            least_s = min(c.offset_interval.start_s, a.offset_interval.start_s) - max(
                c.onset_interval.end_s, a.onset_interval.end_s
            )
            if end_s - start_s < TIGHT_S:
                continue
            second = Role.CALLER if c.onset_s >= a.onset_s else Role.AGENT
            first, last = (a, c) if second is Role.CALLER else (c, a)
            if first.offset_s < last.offset_s:
                yielded: Role | None = first.role
            else:
                yielded = last.role if last.duration_s > BACKCHANNEL_S else None
            short = last.duration_s <= BACKCHANNEL_S and last.offset_s < first.offset_s
            if second is Role.CALLER:
                barge_in = by_onset.get(c.onset_s)
                kind = (
                    "backchannel" if barge_in is not None and barge_in.backchannel else "barge_in"
                )
            else:
                kind = "agent_backchannel" if short else "cut_in"
            yield Overlap(start_s, end_s, second, yielded, kind, max(0.0, least_s))


def _silences(talk: _Talk, longest_s: float) -> tuple[Interval, ...]:
    """Stretches between the first and the last talk in which nobody talks."""
    import numpy as np

    table = np.array(
        sorted((t.onset_s, t.offset_s) for t in (*talk.caller, *talk.agent)), dtype=float
    )
    if not len(table):
        return ()
    ends = np.maximum.accumulate(table[:, 1])
    gaps = zip(ends[:-1].tolist(), table[1:, 0].tolist(), strict=True)
    last = (float(ends[-1]), talk.duration_s)
    return tuple(Interval(a, b) for a, b in (*gaps, last) if b - a > longest_s)


# --- the first sound of an agent turn

_LEAD_REACH_S = 3.0
_DIGITAL_DBOV, _NEAR_DBOV = -90.0, -60.0


def _first_sounds(
    turns: Sequence[Turn], agent: Activity, trace: Trace | None
) -> Iterable[FirstSound]:
    own = [turn for turn in turns if turn.role is Role.AGENT]
    events = sorted(
        event.t_ms / 1000
        for event in (trace.events if trace is not None else ())
        if event.t_ms is not None and event.type.endswith(("first_chunk", "audio.started"))
    )
    for number, turn in enumerate(own):
        before_s = own[number - 1].offset_s if number else 0.0
        mine = [t for t in events if max(before_s, turn.onset_s - 10.0) <= t < turn.offset_s]
        event_s = mine[-1] if mine else math.nan
        start_s = max(before_s, turn.onset_s - _LEAD_REACH_S)
        levels = agent.cells_dbov[round(start_s * 100) : round(turn.onset_s * 100)]
        lead_s, kind = _lead(levels, turn.onset_s - event_s, agent)
        yield FirstSound(number, turn.onset_s, event_s, turn.onset_s - event_s, lead_s, kind)


def _lead(levels: Any, gap_s: float, agent: Activity) -> tuple[float, str]:
    """Length and kind of what ran before the onset; `levels` are dBov per 10 ms up to it."""
    import numpy as np

    count = len(levels)
    if agent.contested > 0.5:
        return math.nan, "unknown"
    sounding = np.flatnonzero(levels > _DIGITAL_DBOV)
    if math.isfinite(gap_s) and gap_s > 0.02:
        lead = levels[max(0, count - round(gap_s * 100)) :]
        lead_s = gap_s
    elif sounding.size:
        quiet = np.flatnonzero(levels <= _DIGITAL_DBOV)
        first = int(quiet[-1]) + 1 if quiet.size else 0
        lead = levels[first:]
        lead_s = len(lead) / 100
    else:
        return 0.0, "none"
    if len(lead) < 2:
        return 0.0, "none"
    loud = lead > agent.threshold_dbov - 15.0
    weak = np.flatnonzero(~loud)
    body = (
        loud[: int(weak[-1])] if weak.size else loud[:0]
    )  # what leads straight into the onset is its weak start
    if body.any():
        spans = np.diff(np.flatnonzero(np.diff(np.concatenate(([0], body.astype(int), [0])))))[::2]
        return lead_s, "click" if spans.max() <= 3 else "breath"
    if np.median(lead) <= _DIGITAL_DBOV:
        return lead_s, "digital_silence"
    return lead_s, "near_silence"


# --- several calls


@dataclass(frozen=True, slots=True)
class ConditionTiming:
    """Response latency of all calls made under one condition."""

    condition: str
    calls: int
    n: int  # caller turns that were owed an answer and could be measured
    answered: int
    cut_in: int
    unanswered: int
    p50_s: float
    p50_interval_s: tuple[float, float]
    p90_s: float
    p90_interval_s: tuple[float, float]


def timing_by_condition(
    timings: Iterable[Timing], *, confidence: float = 0.95
) -> tuple[ConditionTiming, ...]:
    """Pool calls by their condition; the worst P90 comes first and is the headline.

    Calls whose responses are refused count as calls and add no turns.
    """
    groups: dict[str, list[Timing]] = {}
    for timing in timings:
        groups.setdefault(timing.condition, []).append(timing)
    rows = []
    for condition, group in groups.items():
        seen = [s for t in group for s in t.latencies_s]
        running = [s for t in group for s in t.censored_s]
        rows.append(
            ConditionTiming(
                condition,
                len(group),
                len(seen) + len(running),
                sum(t.count(ResponseStatus.ANSWERED) for t in group),
                sum(t.count(ResponseStatus.CUT_IN) for t in group),
                len(running),
                censored_percentile(seen, 50, censored=running),
                percentile_interval(seen, 50, censored=running, confidence=confidence),
                censored_percentile(seen, 90, censored=running),
                percentile_interval(seen, 90, censored=running, confidence=confidence),
            )
        )
    return tuple(sorted(rows, key=lambda row: (-_rank(row.p90_s), row.condition)))


def _rank(value: float) -> float:
    return -math.inf if math.isnan(value) else value


__all__ = [
    "BargeIn",
    "ConditionTiming",
    "FirstSound",
    "Overlap",
    "Response",
    "ResponseStatus",
    "Timing",
    "Turn",
    "measure_timing",
    "timing_by_condition",
]
