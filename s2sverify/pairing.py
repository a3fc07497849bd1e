"""Which stretch of the agent's audio belongs to which turn of the log: by time, then by words, never by index.

The log's times are approximate (audio arrives in bursts, transcripts run ahead of the sound), its turns may have
no audio and the audio may hold speech that no turn claims. Talk spurts are assigned to turns in order, so that the
sum of their fit in time and in words is largest.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from s2sverify.text.normalize import normalize_words
from s2sverify.trace import TraceTurn
from s2sverify.types import Interval, Transcript, Word

_FAR_S = 10.0  # farther than this from the logged times, a spurt is not the turn's
_SLACK_S = 0.3  # logs put a turn's start up to this late and its end this early, at no cost
_OPEN_S = 60.0  # a logged turn without an end lasts at most this long
_LATE_END_S = (
    15.0  # transcripts are done before their sound; a logged end may be this early at little cost
)
_TURN_PAUSE_S = 2.0  # speech that no turn claims is parted into turns at pauses above this


@dataclass(frozen=True, slots=True)
class AudioTurn:
    """Agent speech that belongs together: with the turn of the log, or with none."""

    logged: int | None  # index into the log's agent turns
    spurts: tuple[Interval, ...]
    words: tuple[Word, ...]

    @property
    def interval(self) -> Interval | None:
        if not self.spurts:
            return None
        return Interval(self.spurts[0].start_s, self.spurts[-1].end_s)


def pair_turns(
    turns: Sequence[TraceTurn], spurts: Sequence[Interval], transcript: Transcript
) -> tuple[AudioTurn, ...]:
    """Assign every talk spurt of the agent to a turn of the log, or to none.

    Parameters
    ----------
    turns : sequence of TraceTurn
        The agent's turns, in order.
    spurts : sequence of Interval
        The agent's talk spurts on the call clock, in order.
    transcript : Transcript
        A-out; a word goes with the spurt it overlaps most, or the nearest.

    Returns
    -------
    tuple of AudioTurn
        Every turn of the log once (without spurts where it was not heard), and the speech that none claims,
        in order of time.
    """
    words = _words_by_spurt(spurts, transcript.words)
    spoken = [_normal(piece) for piece in words]
    written = [set(normalize_words(turn.text or "")) for turn in turns]
    windows = _windows(turns)
    choice = _best_path(spurts, spoken, windows, written)
    found: list[AudioTurn] = []
    for j in range(len(turns)):
        mine = [i for i, chosen in enumerate(choice) if chosen == j]
        found.append(_audio_turn(j, mine, spurts, words))
    unclaimed: list[int] = []
    for i, chosen in enumerate(choice):
        if chosen is not None:
            continue
        parted = unclaimed and (
            spurts[i].start_s - spurts[unclaimed[-1]].end_s > _TURN_PAUSE_S
            or any(choice[k] is not None for k in range(unclaimed[-1], i))
        )
        if parted:
            found.append(_audio_turn(None, unclaimed, spurts, words))
            unclaimed = []
        unclaimed.append(i)
    if unclaimed:
        found.append(_audio_turn(None, unclaimed, spurts, words))
    return tuple(sorted(found, key=lambda turn: _order(turn, windows)))


def _order(turn: AudioTurn, windows: Sequence[Interval | None]) -> tuple[float, int]:
    window = None if turn.logged is None else windows[turn.logged]
    where = turn.interval or window
    return (where.start_s if where else math.inf, -1 if turn.logged is None else turn.logged)


def _audio_turn(
    logged: int | None,
    chosen: Sequence[int],
    spurts: Sequence[Interval],
    words: Sequence[Sequence[Word]],
) -> AudioTurn:
    return AudioTurn(
        logged, tuple(spurts[i] for i in chosen), tuple(w for i in chosen for w in words[i])
    )


def _words_by_spurt(spurts: Sequence[Interval], words: Sequence[Word]) -> list[list[Word]]:
    pieces: list[list[Word]] = [[] for _ in spurts]
    first = 0
    for word in words:
        while first + 1 < len(spurts) and spurts[first].end_s < word.start_s:
            first += 1
        best, best_fit = None, -math.inf
        for i in range(max(0, first - 1), len(spurts)):
            spurt = spurts[i]
            overlap_s = word.interval.overlap_s(spurt)
            gap_s = max(spurt.start_s - word.end_s, word.start_s - spurt.end_s, 0.0)
            if overlap_s - gap_s > best_fit:
                best, best_fit = i, overlap_s - gap_s
            if spurt.start_s > word.end_s:
                break
        if best is not None:
            pieces[best].append(word)
    return pieces


def _normal(words: Sequence[Word]) -> list[str]:
    return normalize_words(" ".join(word.text for word in words))


def _windows(turns: Sequence[TraceTurn]) -> list[Interval | None]:
    """What the log says of each turn's time, an unknown end taken from the next start."""
    windows: list[Interval | None] = []
    for i, turn in enumerate(turns):
        start_ms, end_ms = turn.start_ms, turn.end_ms
        if start_ms is None and end_ms is None:
            windows.append(None)
            continue
        if start_ms is None:
            start_ms = end_ms
        if end_ms is None:
            later = (t.start_ms for t in turns[i + 1 :] if t.start_ms is not None)
            end_ms = min(next(later, math.inf), (start_ms or 0.0) + _OPEN_S * 1000)
        windows.append(Interval((start_ms or 0.0) / 1000, (end_ms or 0.0) / 1000))
    return windows


def _fit(
    spurt: Interval, spoken: Sequence[str], window: Interval | None, written: set[str]
) -> float:
    """How well a spurt goes with a turn: above 0 it may, below 0 it is better left alone."""
    if window is None:
        in_time = 0.0
    else:
        wide = Interval(window.start_s - _SLACK_S, window.end_s + _SLACK_S)
        overlap_s = spurt.overlap_s(wide)
        early_s = max(0.0, wide.start_s - spurt.end_s)
        late_s = max(0.0, spurt.start_s - wide.end_s)
        if early_s > _FAR_S or late_s > _LATE_END_S:
            return -math.inf
        in_time = overlap_s / max(spurt.duration_s, 1e-3)
        in_time -= 2.0 * early_s / _FAR_S + 1.0 * late_s / _LATE_END_S
    in_words = 0.0
    if spoken and written:
        shared = sum(word in written for word in spoken) / len(spoken)
        in_words = (2.0 * shared - 0.7) * min(1.0, len(spoken) / 4)
    return in_time + in_words - 0.1


def _best_path(
    spurts: Sequence[Interval],
    spoken: Sequence[Sequence[str]],
    windows: Sequence[Interval | None],
    written: Sequence[set[str]],
) -> list[int | None]:
    """Turn of every spurt, in non-decreasing order, with the largest total fit; None: left alone."""
    n_turns = len(windows)
    best = [0.0] * (n_turns + 1)  # best[j]: up to this spurt, turns below j may be used
    steps: list[list[int | None]] = []
    for spurt, words in zip(spurts, spoken, strict=True):
        fits = [_fit(spurt, words, windows[j], written[j]) for j in range(n_turns)]
        # ends[j]: the best total when this spurt goes to turn j, so that earlier ones used turns up to j
        row: list[int | None] = [None] * (n_turns + 1)
        new = list(best)
        for j in range(n_turns):
            taken = best[j + 1] + fits[j]
            if taken > new[j + 1]:
                new[j + 1], row[j + 1] = taken, j
        for j in range(1, n_turns + 1):  # more turns allowed is never worse
            if new[j - 1] > new[j]:
                new[j], row[j] = new[j - 1], -1
        best = new
        steps.append(row)
    choice: list[int | None] = [None] * len(spurts)
    j = n_turns
    for i in range(len(spurts) - 1, -1, -1):
        while steps[i][j] == -1:
            j -= 1
        taken_turn = steps[i][j]
        if taken_turn is not None:
            choice[i] = taken_turn
            j = taken_turn + 1
    return choice
