"""The four texts and the tool results of a call side by side: what was said, and which part broke.

Script is what the caller said where it was written; T-in and T-out are the model's own texts of the caller and of
itself; A-out is an independent transcript of the agent channel. A value that a tool returned, or that T-out shows,
is looked up in A-out; a disagreement is told apart from the verifier's own errors by an error floor.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from dataclasses import replace as replace_fields
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from s2sverify._arrays import as_mono, as_rate
from s2sverify.engines.base import open_engine
from s2sverify.engines.pieces import transcribe
from s2sverify.errors import ChannelError, InputError
from s2sverify.expected import Expected, Matcher, Sources, overlaps, trivial
from s2sverify.floor import ErrorFloor, FloorChoice, FloorSet, default_floors, read_floors
from s2sverify.integrity import lost_frames
from s2sverify.pairing import AudioTurn, pair_turns
from s2sverify.results import CallReport, Cut, EntityVerdict, TurnVerdict
from s2sverify.spurts import Activity, activity
from s2sverify.text.alignment import EditCounts, align_words
from s2sverify.text.entities import Entity, EntityMatch
from s2sverify.text.normalize import normalize_words
from s2sverify.trace import Call, Trace, TraceMeta, TraceTurn
from s2sverify.types import Decision, EngineInfo, Interval, Outcome, Owner, Role, Word

if TYPE_CHECKING:
    from s2sverify.engines.base import Transcriber
    from s2sverify.engines.cache import TranscriptCache

FALSE_ALARM = 0.01  # default budget: at most this probability that a faithful agent looks refuted
SHORT_TURN_WORDS = 6  # turns below this are never judged by their word errors
_BARGE_IN_S = (
    2.5  # an agent that stops within this after the caller cuts in is taken to have yielded
)

Progress = Callable[[float, float], None]


# ---------------------------------------------------------------------------- what the floor allows


@dataclass(frozen=True, slots=True)
class _Basis:
    """The error floor behind the verdicts of one call, and what it may carry."""

    floor: ErrorFloor | None
    says: str  # one line for the report
    warns: bool
    budget: float
    unknown_voice: float = 0.0  # probability that this voice is harder than all that were measured

    def _widened(self, bound: float) -> float:
        return 1.0 - (1.0 - bound) * (1.0 - self.unknown_voice)

    def different(self, kind: str, near_miss: str | None) -> float:
        """Bound of a right value being heard as another of its kind, by the class of the confusion."""
        if self.floor is None:
            return math.nan
        return self._widened(
            self.floor.false_alarm_bound(kind, Outcome.DIFFERENT, near_miss=near_miss or "other")
        )

    def absent(self, kind: str) -> float:
        return (
            math.nan if self.floor is None else self.floor.false_alarm_bound(kind, Outcome.ABSENT)
        )

    def named(self, kind: str) -> float:
        """Bound of a right value being heard as the one other value that was named beforehand."""
        return math.nan if self.floor is None else self.floor.exact_bound(kind)

    def confirmed(self, kind: str) -> float:
        """Bound of a near miss being confirmed."""
        return math.nan if self.floor is None else self.floor.confirmation_bound(kind)

    def words(self, n_words: int, errors: int, valued: bool) -> float:
        if self.floor is None:
            return math.nan
        return self._widened(self.floor.word_tail(n_words, errors, valued=valued))

    def within(self, bound: float) -> bool:
        return bound <= self.budget  # NaN is not


# Speech of the calibration's noisy lines stands this far above the noise, and the nearest worse line speaks.
_NOISY_LINES = ((25.0, None), (15.0, "phone_n20"), (7.5, "phone_n10"), (-math.inf, "phone_n5"))
_PHONE_HZ = 8_000


def _line(y: npt.NDArray[np.floating], sr: int, spoken: Activity) -> str:
    """The line that a channel's rate, its level over the noise and its breaks speak for, as a condition's name."""
    if len(lost_frames(y, sr, spoken)) > 1:
        return "phone_drop2"
    snr_db = spoken.active_dbov - spoken.floor_dbov
    noisy = next((name for above_db, name in _NOISY_LINES if snr_db >= above_db), None)
    return noisy or ("phone" if sr <= _PHONE_HZ else "clean")


def _basis(
    floor: ErrorFloor | FloorSet | str | os.PathLike[str] | None,
    engine: EngineInfo,
    meta: TraceMeta,
    line: str,
    locale: str,
    budget: float,
) -> _Basis:
    """Choose the floor for a run and say how; a stale one carries nothing.

    With v voices measured, a further one is harder than all of them with probability 1 / (v + 1), so a floor of other
    voices alone refutes nothing within a small budget.
    """
    if isinstance(floor, ErrorFloor):
        reasons = floor.matches(engine, voice=meta.voice, condition=line, language=locale)
        if reasons:
            return _Basis(None, f"the error floor is stale: {'; '.join(reasons)}", True, budget)
        choice = FloorChoice(floor, True)
    else:
        choice = _floor_set(floor).find(engine, meta.voice, line, language=locale)
    if choice.floor is None:
        return _Basis(None, choice.warning or "no error floor is at hand", True, budget)
    says = f"{choice.floor}, for line {line}"
    if choice.warning:
        says = f"{says}: {choice.warning}"
    voices = {floor.voice for floor in choice.floor.members or (choice.floor,)}
    measured = isinstance(floor, ErrorFloor) or meta.voice in voices
    unknown_voice = 0.0 if measured else 1.0 / (len(voices) + 1)
    return _Basis(choice.floor, says, bool(choice.warning), budget, unknown_voice)


def _floor_set(floor: FloorSet | str | os.PathLike[str] | None) -> FloorSet:
    if floor is None:
        return default_floors()
    return floor if isinstance(floor, FloorSet) else read_floors(os.fspath(floor))


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
    truncation: Cut | None
    heard: str | None
    declared: Mapping[str, Sequence[str]]
    match: Matcher
    basis: _Basis
    claimed: list[tuple[int, int]] = field(default_factory=list)

    def judge_all(self, expected: Sequence[Expected]) -> tuple[EntityVerdict, ...]:
        """Look every expected value up in A-out; those found claim their words before any other is called wrong."""
        seen: list[EntityMatch] = []
        for one in expected:
            found = self.match.value(one.value, one.kind, self.words, one.currency)
            if found.outcome is Outcome.SPOKEN and found.span is not None:
                self.claimed.append(found.span)
            seen.append(found)
        verdicts = [self._judge(one, found) for one, found in zip(expected, seen, strict=True)]
        return (*verdicts, *self._added())

    def _judge(self, one: Expected, found: EntityMatch) -> EntityVerdict:
        kind = found.kind
        elsewhere = (
            found.outcome in (Outcome.DIFFERENT, Outcome.AMBIGUOUS)
            and found.span is not None
            and overlaps(found.span, self.claimed)
        )
        outcome = Outcome.ABSENT if elsewhere else found.outcome
        if self.interval is None:
            return self._verdict(
                one, None, Decision.INCONCLUSIVE, None, "no speech was found for this turn"
            )
        if outcome is Outcome.SPOKEN:
            return self._confirmed(one, found)
        if self._unplayed(one, found):
            return self._verdict(
                one, None if elsewhere else found, Decision.NOT_APPLICABLE, Owner.TRUNCATION,
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

    def _confirmed(self, one: Expected, found: EntityMatch) -> EntityVerdict:
        owner, reason = None, "said"
        if one.rival is not None:
            owner = Owner.SIDE_CHANNEL_OUT
            reason = f"said; the agent's transcript shows {_t_out_value(one)}"
        elif found.corrected:
            reason = "said, after a self-correction"
        bound = self.basis.confirmed(found.kind)
        return self._verdict(
            one, found, Decision.CONFIRMED, owner, reason, wrong_confirmation=bound
        )

    def _different(self, one: Expected, found: EntityMatch) -> EntityVerdict:
        heard = found.heard
        predicted = self._declared_value(one, found)
        owner: Owner | None
        if predicted is not None:
            bound, owner = self.basis.named(found.kind), Owner.DECLARED
            reason = f"the replace map turns {predicted!r} into {heard}"
        elif one.rival is not None and heard == _t_out_value(one) and not one.linked:
            return self._verdict(
                one, found, Decision.INCONCLUSIVE, None,
                f"said {heard}, as the agent's transcript shows; the tool's {one.value} may be another value: listen",
            )  # fmt: skip
        elif one.rival is not None and heard == _t_out_value(one):
            bound, owner = self.basis.named(found.kind), Owner.AGENT_CONTENT
            reason = f"said {heard}, as the agent's transcript shows"
        elif one.rival is not None:
            bound, owner = self.basis.different(found.kind, found.near_miss), Owner.AGENT_CONTENT
            reason = f"said {heard}; the agent's transcript shows {_t_out_value(one)}"
        else:
            bound = self.basis.different(found.kind, found.near_miss)
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
        self, one: Expected, found: EntityMatch | None, what: str, bound: float
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
        one: Expected,
        found: EntityMatch | None,
        decision: Decision,
        owner: Owner | None,
        reason: str,
        *,
        false_alarm: float = math.nan,
        wrong_confirmation: float = math.nan,
    ) -> EntityVerdict:
        span = found.span if found is not None else None
        place = found.interval if found is not None and span is not None else None
        return EntityVerdict(
            turn=self.name,
            kind=found.kind if found is not None else one.kind or "text",
            expected=str(one.value),
            source=one.source,
            verdict=decision,
            owner=owner,
            reason=reason,
            heard=found.heard if found is not None else None,
            heard_text=_words_at(self.words, span) if span is not None else "",
            interval=place if place is not None else self._place(one),
            a_out=found.outcome if found is not None else Outcome.ABSENT if self.interval else None,
            t_out=one.t_out.outcome if one.t_out is not None else None,
            t_out_value=_t_out_value(one),
            reading=found.reading if found is not None else None,
            edits="; ".join(map(str, found.edits)) if found is not None else "",
            near_miss=found.near_miss if found is not None else None,
            false_alarm=false_alarm,
            wrong_confirmation=wrong_confirmation,
        )

    def _unplayed(self, one: Expected, found: EntityMatch) -> bool:
        """Whether the value stands in the part of T-out that was cut off, or is broken by the cut."""
        if self.truncation is None:
            return False
        span = _t_out_span(one)
        if span is not None and span[1] >= self.truncation.played_words:
            return True
        if span is not None and self._around(one)[1] == len(self.words):
            return True  # nothing of T-out after the value was heard either
        last = found.interval
        return last is not None and last.end_s >= self.truncation.at_s - _CUT_SLACK_S

    def _declared_value(self, one: Expected, found: EntityMatch) -> str | None:
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

    def _around(self, one: Expected) -> tuple[int, int]:
        """The words of A-out that stand where the value should: between the nearest words equal in both texts."""
        span = _t_out_span(one)
        if self.t_out is None or span is None:
            return 0, 0
        equal = _equal_words(_plain_words(self.t_out), [_plain(word.text) for word in self.words])
        start = max((j + 1 for i, j in equal if i < span[0]), default=0)
        end = min((j for i, j in equal if i >= span[1]), default=len(self.words))
        return start, max(start, end)

    def _words_in_place(self, one: Expected) -> str:
        start, end = self._around(one)
        claimed = {i for a, b in self.claimed for i in range(a, b)}
        return " ".join(self.words[i].text for i in range(start, end) if i not in claimed)

    def _place(self, one: Expected) -> Interval | None:
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
            if (
                entity.kind not in _ADDABLE
                or trivial(entity)
                or overlaps(entity.span, self.claimed)
            ):
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
        valued = bool(self.match.find(self.heard))
        bound = 1.0 if not errors else self.basis.words(n_words, errors, valued)
        if self.basis.within(bound):
            return counts, Decision.REFUTED, bound
        if not errors or bound >= _ORDINARY:
            return counts, Decision.CONFIRMED, bound
        return counts, Decision.INCONCLUSIVE, bound


_CUT_SLACK_S = 0.5  # a word that ends this close to a cut may be broken by it
_ORDINARY = (
    0.1  # word errors that at least this share of faithful turns shows are the verifier's own
)
_ADDABLE = frozenset(
    ("digits", "phone", "code", "money", "percent", "date", "time", "datetime", "email", "url")
)


def _shows(one: Expected) -> bool:
    return one.t_out is not None and one.t_out.outcome is Outcome.SPOKEN


def _t_out_value(one: Expected) -> str | None:
    """What T-out says in the value's place, written as a value heard there would be."""
    if one.t_out is not None and one.t_out.heard is not None:
        return one.t_out.heard
    return one.rival.value if one.rival is not None else None


def _t_out_span(one: Expected) -> tuple[int, int] | None:
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

    written = t_out.split()
    spoken = normalize_words(" ".join(word.text for word in words))
    prefixes = [normalize_words(" ".join(written[:n])) for n in range(len(written) + 1)]

    def misfit(n: int) -> tuple[int, int, int]:
        """Word errors; among equal ones, as many words as were heard."""
        prefix = prefixes[n]
        return Levenshtein.distance(prefix, spoken), abs(len(prefix) - len(spoken)), n

    return min(range(len(prefixes)), key=misfit)


def _truncation(
    turn: TraceTurn | None,
    audio: AudioTurn,
    trace: Trace | None,
    caller: Sequence[Interval],
) -> Cut | None:
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
    return Cut(min(cut_s, audio.interval.end_s), evidence, played, " ".join(unplayed))


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
    if recording.n_channels == 2:
        _ = recording.samples  # decoded first, so that one pass serves the findings as well
    findings = list(recording.findings)
    for finding in findings:
        if "roles" in finding.spoils or finding.code == "empty":
            raise ChannelError(f"{finding.message}: it cannot be verified")
    hearing = open_engine(engine) if engine is None or isinstance(engine, str) else engine
    agent = recording.agent
    spoken = activity(agent, recording.sr)
    transcript = transcribe(
        agent, recording.sr, hearing, cache=cache, progress=progress, spurts=spoken.spurts
    )
    trace = call.trace or Trace()
    logged = trace.turns_of(Role.AGENT)
    caller = [spurt.interval for spurt in activity(recording.caller, recording.sr).spurts]
    line = trace.meta.condition or _line(agent, recording.sr, spoken)
    basis = _basis(floor, hearing.info, trace.meta, line, locale, false_alarm)
    warnings = [basis.says] if basis.warns else []
    pieces = pair_turns(logged, [spurt.interval for spurt in spoken.spurts], transcript)
    sources, match = Sources.of(call.trace), Matcher(locale)
    turns: list[TurnVerdict] = []
    for piece in pieces:
        turn = None if piece.logged is None else logged[piece.logged]
        turns.append(
            _judge_turn(piece, turn, call.trace, caller, sources, match, basis, len(turns))
        )
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
        call=call,
    )


def _judge_turn(
    piece: AudioTurn,
    turn: TraceTurn | None,
    trace: Trace | None,
    caller: Sequence[Interval],
    sources: Sources,
    match: Matcher,
    basis: _Basis,
    index: int,
) -> TurnVerdict:
    t_out = turn.text if turn is not None and (turn.text or "").strip() else None
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
    expected = sources.expectations(t_out if t_out is not None else spoken_text, until_s, match)
    if (
        t_out is None
    ):  # what the agent says without a text of its own is held against the tools alone
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
    meta = TraceMeta(voice=voice, condition=condition)
    basis = _basis(
        floor, hearing.info, meta, condition or _line(x, rate, spoken), locale, false_alarm
    )
    match = Matcher(locale)
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


def _wanted(expected: Mapping[str, Any] | Sequence[Any]) -> Iterator[Expected]:
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
        yield Expected(value, kind, f"expected.{name}" if name else "expected", None)


def _with_t_out(one: Expected, t_out: str | None, match: Matcher) -> Expected:
    if t_out is None:
        return one
    seen = match.value(one.value, one.kind, t_out)
    rival = None
    if seen.outcome is Outcome.DIFFERENT and seen.span is not None and seen.heard is not None:
        text = " ".join(t_out.split()[slice(*seen.span)])
        rival = Entity(seen.kind, seen.heard, seen.span, None, text, seen.reading)
    return replace_fields(one, t_out=seen, rival=rival)
