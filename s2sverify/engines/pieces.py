"""One channel through an engine: cut at its pauses into pieces, heard piece by piece, put back on the call clock.

Pieces are cut by energy and not by a speech detector: a detector that misses a quiet turn loses it for good, and
pieces the size of turns keep what one turn says out of the reading of another.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from s2sverify._arrays import Float32, as_mono, as_rate
from s2sverify.engines.base import Transcriber, open_engine
from s2sverify.engines.cache import TranscriptCache
from s2sverify.errors import EngineError, InputError, VerifyError
from s2sverify.spurts import Activity, Spurt, activity
from s2sverify.types import EngineInfo, Interval, Transcript, Word

Progress = Callable[[float, float], None]
Speech = Activity | npt.NDArray[np.float64] | Iterable[Spurt | Interval | Sequence[float]]

LONGEST_S = 15.0  # of a piece: half of Whisper's window, at less than half of its cost
_GAP_S = 1.0  # shorter pauses stay inside a piece
_PAD_S = 0.3  # kept on each side, where weak consonants lie below the threshold
# Where noise hides the weak parts of speech, pauses are not known as well.
_NOISY_SNR_DB = 15.0
_NOISY_GAP_S = 1.5
_NOISY_PAD_S = 1.0

_FRAME_S = 0.010
_QUIET_FRAMES = 5  # a cut inside sound is put in the middle of the quietest 50 ms
_EDGE_S = 0.100  # a word begins at most this far ahead of the sound, and ends as far behind it
_BETWEEN_S = 0.300  # a word does not reach over a pause this long
_REACH_S = 0.400  # a word that stands farther from any sound was made up
_WITHIN_NUMBER_S = 0.7  # pauses between the digits of one number are shorter
_UNCOVERED_S = 0.5  # shorter stretches without a word are pauses of the aligner
_COLLAR_S = 0.2  # word times are not better than this
_OUTSIDE_S = 0.5  # an engine's word may stand this far outside of the audio and is brought back


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch for the engine to hear at once."""

    start_s: float
    end_s: float
    speech: tuple[Interval, ...]  # the sound in it, on the clock of the whole

    @property
    def duration_s(self) -> float:
        return self.end_s - self.start_s


def transcribe(
    y: npt.ArrayLike,
    sr: int,
    engine: Transcriber | str | None = None,
    *,
    language: str | None = None,
    cache: TranscriptCache | Literal[False] | None = None,
    progress: Progress | None = None,
    spurts: Speech | None = None,
) -> Transcript:
    """Write down the words of one channel, each with its time.

    Parameters
    ----------
    y : array-like of float, shape (n,)
        One channel, full scale 1.0.
    sr : int
        Sampling rate in Hz, at least 4000; the engine gets a rate of its own.
    engine : Transcriber or str, optional
        An engine or its name for `open_engine`; the local default when None.
    language : str, optional
        As the engine takes it, e.g. ``"en"``; the engine's own default when None.
    cache : TranscriptCache, optional
        Where finished pieces are kept and looked up; the user's cache folder when None, nowhere when False.
    progress : callable, optional
        Called with the seconds of audio heard so far and in all.
    spurts : Activity, array of shape (k, 2), or iterable of Spurt, Interval or pairs of seconds, optional
        Where there is sound; measured with `activity` when None.

    Returns
    -------
    Transcript
        ``words`` are ordered, do not overlap, and lie inside ``[0, n / sr]``. Words that the engine put where there is
        no sound are in ``dropped``, sound in which it heard no words is in ``uncovered``.

    Raises
    ------
    InputError
        If an argument does not fit its rule, or the engine does not know the language.
    EngineError
        If the engine fails or answers what no transcript can be.
    MissingDependencyError
        If the engine's package is not installed.

    Notes
    -----
    The times of words are those of the engine, confined to the sound: good to about 0.2 s.
    """
    x = as_mono(y).astype(np.float32, copy=False)
    rate = as_rate(sr, lowest=4000)
    hearing = open_engine(engine)
    kept = TranscriptCache() if cache is None else cache
    speech = _as_speech(activity(x, rate) if spurts is None else spurts, x.size / rate)
    noisy = is_noisy(x, rate, speech)
    pieces = cut_pieces(x, rate, speech, noisy=noisy)
    info = hearing.info
    to_hz = _engine_rate(rate, info.rates_hz, info.name)
    total_s = sum(piece.duration_s for piece in pieces)
    done_s = 0.0
    words: list[Word] = []
    dropped: list[Word] = []
    formatted: list[str] = []
    requests: list[str] = []
    for piece in pieces:
        part = x[round(piece.start_s * rate) : round(piece.end_s * rate)]
        heard = _heard(part, rate, to_hz, hearing, info, language, kept or None)
        placed = [word.shifted(piece.start_s) for word in heard.words]
        good, over_silence = confine(placed, piece, noisy=noisy)
        words += good
        dropped += over_silence
        dropped += [word.shifted(piece.start_s) for word in heard.dropped]
        requests += heard.requests
        if heard.formatted:
            formatted.append(heard.formatted)
        done_s += piece.duration_s
        if progress is not None:
            progress(done_s, total_s)
    words = _apart(words)
    return Transcript(
        words=tuple(words),
        engine=info,
        formatted=" ".join(formatted) if formatted else None,
        dropped=tuple(sorted(dropped, key=lambda word: (word.start_s, word.end_s))),
        uncovered=uncovered_speech(words, speech),
        requests=tuple(requests),
    )


def uncovered_speech(
    transcript: Transcript | Iterable[Word], spurts: Speech, *, shortest_s: float = _UNCOVERED_S
) -> tuple[Interval, ...]:
    """Stretches of sound that no word covers: speech an engine passed over, a hum, a laugh, noise.

    Parameters
    ----------
    transcript : Transcript or iterable of Word
        On the clock of `spurts`.
    spurts : Activity, array of shape (k, 2), or iterable of Spurt, Interval or pairs of seconds
        Where there is sound.
    shortest_s : float, optional
        Stretches shorter than this are not told; the aligners of engines leave such gaps between words.

    Returns
    -------
    tuple of Interval
        In order of time. Each word counts as 0.2 s longer at both ends, since no engine knows it better.
    """
    words = sorted(
        (word.start_s - _COLLAR_S, word.end_s + _COLLAR_S)
        for word in (transcript.words if isinstance(transcript, Transcript) else transcript)
    )
    found: list[Interval] = []
    first = 0
    for spurt in _as_speech(spurts, math.inf):
        at_s = spurt.start_s
        while first < len(words) and words[first][1] <= at_s:
            first += 1
        for start_s, end_s in words[first:]:
            if start_s >= spurt.end_s:
                break
            if start_s - at_s >= shortest_s:
                found.append(Interval(at_s, start_s))
            at_s = max(at_s, end_s)
        if spurt.end_s - at_s >= shortest_s:
            found.append(Interval(at_s, spurt.end_s))
    return tuple(found)


def is_noisy(x: npt.NDArray[np.floating], sr: int, speech: Sequence[Interval]) -> bool:
    """Whether steady noise hides weak parts of speech: its level against that of the rest, 20 ms at a time."""
    size = max(1, round(2 * _FRAME_S * sr))
    n = x.size // size
    if not n or not speech:
        return False
    frames = x[: n * size].reshape(n, size)
    power = np.einsum("ij,ij->i", frames, frames, dtype=np.float64) / size
    inside = np.zeros(n, dtype=bool)
    for part in speech:
        inside[int(part.start_s * sr) // size : math.ceil(part.end_s * sr / size)] = True
    if inside.all() or not inside.any():
        return False
    noise = float(np.median(power[~inside]))
    return noise > 0.0 and float(power[inside].mean()) < noise * 10 ** (_NOISY_SNR_DB / 10)


def cut_pieces(
    x: npt.NDArray[np.floating],
    sr: int,
    speech: Sequence[Interval],
    *,
    noisy: bool = False,
    longest_s: float = LONGEST_S,
) -> tuple[Piece, ...]:
    """Cut a channel at its pauses into pieces of at most `longest_s`.

    Sound that is longer is parted at its widest pauses, and sound without a pause at its quietest place, so that
    no word is cut. Silence is left out but for a pad on both sides of a piece. All of `speech` is in the pieces.
    """
    gap_s, pad_s = (_NOISY_GAP_S, _NOISY_PAD_S) if noisy else (_GAP_S, _PAD_S)
    pad_s = min(pad_s, longest_s / 8)
    groups: list[list[Interval]] = []
    for part in speech:
        if groups and part.start_s - groups[-1][-1].end_s < gap_s:
            groups[-1].append(part)
        else:
            groups.append([part])
    fitting: list[list[Interval]] = []
    stack = groups[::-1]
    while stack:
        group = stack.pop()
        if group[-1].end_s - group[0].start_s <= longest_s - 2 * pad_s:
            fitting.append(group)
        else:
            stack += _parted(group, x, sr, longest_s - 2 * pad_s)[::-1]
    pieces = []
    for number, group in enumerate(fitting):
        start_s, end_s = group[0].start_s, group[-1].end_s
        before_s = fitting[number - 1][-1].end_s if number else -start_s
        after_s = (
            fitting[number + 1][0].start_s if number + 1 < len(fitting) else 2 * x.size / sr - end_s
        )
        pieces.append(
            Piece(
                max(start_s - pad_s, (before_s + start_s) / 2),
                min(end_s + pad_s, (end_s + after_s) / 2),
                tuple(group),
            )
        )
    return tuple(pieces)


def _parted(
    group: list[Interval], x: npt.NDArray[np.floating], sr: int, longest_s: float
) -> list[list[Interval]]:
    """Two parts of sound that is too long for one piece."""
    if len(group) > 1:
        start_s, end_s = group[0].start_s, group[-1].end_s

        def worth(k: int) -> float:  # wide, and not close to an end
            left_s, right_s = group[k - 1].end_s - start_s, end_s - group[k].start_s
            return (group[k].start_s - group[k - 1].end_s) * min(left_s, right_s)

        k = max(range(1, len(group)), key=worth)
        return [group[:k], group[k:]]
    (whole,) = group
    size = max(1, round(_FRAME_S * sr))
    first = int((whole.start_s + longest_s / 2) * sr)
    last = min(x.size, int((whole.start_s + longest_s) * sr))
    n = (last - first) // size
    frames = x[first : first + n * size].reshape(n, size)
    power = np.einsum("ij,ij->i", frames, frames, dtype=np.float64)
    smooth = np.convolve(power, np.ones(_QUIET_FRAMES), "valid")
    at_s = (first + (int(np.argmin(smooth)) + _QUIET_FRAMES / 2) * size) / sr
    return [[Interval(whole.start_s, at_s)], [Interval(at_s, whole.end_s)]]


def confine(
    words: Iterable[Word], piece: Piece, *, noisy: bool = False
) -> tuple[list[Word], list[Word]]:
    """Part words into those over sound, with their times confined to it, and those over none."""
    reach_s = _NOISY_PAD_S if noisy else _REACH_S
    edge_s = _BETWEEN_S if noisy else _EDGE_S
    kept: list[Word] = []
    dropped: list[Word] = []
    for word in words:
        start_s = min(max(word.start_s, piece.start_s), piece.end_s)
        end_s = min(max(word.end_s, start_s), piece.end_s)
        runs: list[list[Interval]] = []
        for part in piece.speech:
            if part.start_s >= end_s or part.end_s <= start_s:
                continue
            if runs and part.start_s - runs[-1][-1].end_s < _BETWEEN_S:
                runs[-1].append(part)
            else:
                runs.append([part])
        if runs:
            span = Interval(start_s, end_s)
            run = max(runs, key=lambda parts: sum(span.overlap_s(part) for part in parts))
            start_s = max(start_s, run[0].start_s - edge_s)
            end_s = min(end_s, run[-1].end_s + edge_s)
        elif all(
            part.start_s - end_s > reach_s or start_s - part.end_s > reach_s
            for part in piece.speech
        ):
            dropped.append(Word(word.text, start_s, end_s, word.confidence))
            continue
        kept.append(Word(word.text, start_s, end_s, word.confidence))
    return _numbers_whole(kept, piece), dropped


def _numbers_whole(words: list[Word], piece: Piece) -> list[Word]:
    """Written numbers stretched over the sound behind them that no other word claims.

    A number is one word in writing and many in speech, and engines time its beginning better than its end.
    """
    whole: list[Word] = []
    for k, word in enumerate(words):
        end_s = word.end_s
        next_s = words[k + 1].start_s if k + 1 < len(words) else piece.end_s
        if re.search(r"\d", word.text):
            for part in piece.speech:
                if part.end_s <= end_s:
                    continue
                if part.start_s - end_s > _WITHIN_NUMBER_S or part.end_s > next_s + _EDGE_S:
                    break
                end_s = min(part.end_s, max(next_s, end_s))
        whole.append(Word(word.text, word.start_s, end_s, word.confidence))
    return whole


def _heard(
    part: Float32,
    sr: int,
    to_hz: int,
    engine: Transcriber,
    info: EngineInfo,
    language: str | None,
    cache: TranscriptCache | None,
) -> Transcript:
    key = ""
    if cache is not None:
        key = cache.key(part, sr, info, language=language)
        found = cache.get(key)
        if found is not None:
            try:
                return _checked(found, part.size / sr, "the cache")
            except EngineError:
                pass  # written by something else: made anew and overwritten
    if to_hz == sr:
        x = part.copy()
    else:
        import soxr

        x = np.asarray(soxr.resample(part, sr, to_hz), dtype=np.float32)
    name = info.name
    try:
        answer = engine.transcribe(x, to_hz, language=language)
    except VerifyError:
        raise
    except Exception as error:
        raise EngineError(f"{name} failed: {type(error).__name__}: {error}") from error
    heard = _checked(answer, part.size / sr, name)
    if cache is not None:
        cache.put(key, heard)
    return heard


def _checked(answer: Any, duration_s: float, name: str) -> Transcript:
    """The transcript with its words inside of the audio and in order."""
    if not isinstance(answer, Transcript):
        raise EngineError(f"{name} must give a Transcript, got {type(answer).__name__}")

    def inside(words: tuple[Word, ...]) -> tuple[Word, ...]:
        fitting = []
        for word in words:
            lowest, highest = -_OUTSIDE_S, duration_s + _OUTSIDE_S
            if not lowest <= word.start_s <= word.end_s <= highest:  # also refuses NaN
                raise EngineError(
                    f"{name}: words must lie inside [0, {duration_s:g}] s, got {word.text!r} at"
                    f" [{word.start_s:g}, {word.end_s:g}] s"
                )
            if word.text.strip():
                start_s, end_s = (
                    min(max(float(t_s), 0.0), duration_s) for t_s in (word.start_s, word.end_s)
                )
                fitting.append(Word(word.text.strip(), start_s, end_s, word.confidence))
        return tuple(sorted(fitting, key=lambda word: (word.start_s, word.end_s)))

    return Transcript(
        words=inside(answer.words),
        formatted=answer.formatted,
        dropped=inside(answer.dropped),
        requests=answer.requests,
    )


def _apart(words: list[Word]) -> list[Word]:
    """Words in order, none beginning before the one ahead of it ends."""
    placed: list[Word] = []
    reached_s = 0.0
    for word in words:
        start_s = max(word.start_s, reached_s)
        end_s = max(word.end_s, start_s)
        placed.append(Word(word.text, start_s, end_s, word.confidence))
        reached_s = end_s
    return placed


def _as_speech(spurts: Speech, duration_s: float) -> tuple[Interval, ...]:
    """Disjoint intervals in order of time, inside ``[0, duration_s]``."""
    given: list[tuple[float, float]] = []
    for item in spurts.spurts if isinstance(spurts, Activity) else spurts:
        if isinstance(item, Spurt):
            item = item.interval
        pair = (item.start_s, item.end_s) if isinstance(item, Interval) else tuple(item)
        if len(pair) != 2 or not 0.0 <= pair[0] <= pair[1] < math.inf:
            raise InputError(f"spurts must be [start, end) in seconds, start <= end, got {item!r}")
        given.append((float(pair[0]), min(float(pair[1]), duration_s)))
    merged: list[Interval] = []
    for start_s, end_s in sorted(given):
        if end_s <= start_s:
            continue
        if merged and start_s <= merged[-1].end_s:
            merged[-1] = Interval(merged[-1].start_s, max(merged[-1].end_s, end_s))
        else:
            merged.append(Interval(start_s, end_s))
    return tuple(merged)


def _engine_rate(sr: int, rates_hz: tuple[int, ...], name: str) -> int:
    """The rate at which the engine hears the most of what is there, at the least cost."""
    if not rates_hz:
        raise EngineError(f"{name}: info.rates_hz must name a rate, got none")
    if sr in rates_hz:
        return sr
    higher = [rate for rate in rates_hz if rate > sr]
    return min(higher) if higher else max(rates_hz)


__all__ = [
    "LONGEST_S",
    "Piece",
    "confine",
    "cut_pieces",
    "is_noisy",
    "transcribe",
    "uncovered_speech",
]
