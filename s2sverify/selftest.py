"""Calls of known truth, made on the user's machine, and how far the measured times are from it.

The voices are synthetic: harmonics of a moving pitch under moving formants, hissed consonants, stops and pauses.
Nothing is downloaded and nothing drawn from a store of recordings, so that anyone can repeat the figures in seconds.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from s2sverify._arrays import as_rate, as_rng
from s2sverify.errors import InputError
from s2sverify.line import as_condition, degrade
from s2sverify.recording import Recording
from s2sverify.spurts import Activity
from s2sverify.timing import measure_timing
from s2sverify.types import Role

CONDITIONS = ("clean", "phone", "phone_n20", "phone_n10", "phone_n5", "phone_drop2")
_LEVEL_DBOV = -23.0
_SR = 24_000

# first three formants in Hz of the vowels that syllables move between (rounded from Peterson and Barney, 1952)
_VOWELS = np.array(
    [[730, 1090, 2440], [270, 2290, 3010], [530, 1840, 2480], [570, 840, 2410], [300, 870, 2240], [660, 1720, 2410]]
)  # fmt: skip
_WIDTHS_HZ = np.array([80.0, 100.0, 140.0])
_BREATH = 0.01  # of the voice: no stop of a real mouth is digital silence


def speechlike(
    duration_s: float, sr: int, *, rng: int | np.random.Generator, pitch_hz: float | None = None
) -> npt.NDArray[np.float32]:
    """Sound with the course of speech and no words: for tests and benchmarks, not for listening.

    Parameters
    ----------
    duration_s : float
        Sound from the first to the last sample.
    sr : int
        Sampling rate in Hz, at least 8000.
    rng : int or Generator
        Seed. The same seed gives the same samples.
    pitch_hz : float, optional
        Mean pitch of the voice; drawn from 90 to 230 Hz when None.

    Returns
    -------
    float32 array, shape (n,)
        Mean power while active at -23 dBov.

    Raises
    ------
    InputError
        If `duration_s` is not above 0.05, or `sr` is below 8000.
    """
    if not duration_s >= 0.05:
        raise InputError(f"duration_s must be at least 0.05, got {duration_s!r}")
    rate, draw = as_rate(sr, lowest=8000), as_rng(rng)
    n = round(duration_s * rate)
    t = np.arange(n) / rate
    mean_hz = pitch_hz if pitch_hz is not None else float(draw.uniform(90.0, 230.0))
    voiced, hissed, knots, formants = _syllables(duration_s, draw)
    wander = np.interp(t, knots, draw.uniform(-0.12, 0.12, knots.size))
    pitch = mean_hz * (1.1 - 0.2 * t / duration_s + wander)
    phase = 2 * np.pi * np.cumsum(pitch) / rate
    tracks = np.stack([np.interp(t, knots, formants[:, k]) for k in range(3)])
    voice = np.zeros(n)
    for h in range(1, int(3900 / mean_hz) + 1):
        hz = h * pitch
        gain = (
            sum(
                1.0 / (1.0 + np.square((hz - f) / width))
                for f, width in zip(tracks, _WIDTHS_HZ, strict=True)
            )
            + 0.02
        )
        voice += gain * np.sin(h * phase + float(draw.uniform(0, 2 * np.pi))) / h**0.7
    hiss = _shaped_noise(n, rate, draw)
    voice /= _running_rms(voice, round(0.05 * rate))  # vowels differ in colour, not in loudness
    y = voice * np.interp(t, *voiced) + hiss * (0.4 * np.interp(t, *hissed) + _BREATH)
    loud = np.interp(t, *voiced) > 0.3
    level = _rms(y[loud]) if loud.any() else _rms(y)
    return (y * (10 ** (_LEVEL_DBOV / 20) / level)).astype(np.float32)


_Course = tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]


def _syllables(
    duration_s: float, draw: np.random.Generator
) -> tuple[_Course, _Course, npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Loudness of voice and hiss over time, and the formants at the knots between syllables."""
    voiced_t, voiced, hissed_t, hissed = [0.0], [0.0], [0.0], [0.0]
    knots, at = [0.0], 0.0
    while at < duration_s:
        length = float(draw.uniform(0.13, 0.28))
        if draw.random() < 0.4:  # a hissed consonant ahead of the vowel
            s = min(float(draw.uniform(0.04, 0.10)), length / 2)
            hissed_t += [at, at + 0.2 * s, at + 0.8 * s, at + s]
            hissed += [0.0, 1.0, 1.0, 0.0]
            at += 0.8 * s
        rise, fall = float(draw.uniform(0.008, 0.03)), float(draw.uniform(0.03, 0.07))
        loud = float(draw.uniform(0.55, 1.0))
        end = min(at + length, duration_s)
        voiced_t += [at, min(at + rise, end), max(end - fall, min(at + rise, end)), end]
        voiced += [0.05, loud, 0.8 * loud, 0.05]
        knots.append(at + length / 2)
        at += length
        if draw.random() < 0.25:  # a stop
            gap = float(draw.uniform(0.03, 0.09))
            voiced_t += [at, at + gap]
            voiced += [0.0, 0.0]
            at += gap
    formants = _VOWELS[draw.integers(len(_VOWELS), size=len(knots))] * draw.uniform(0.9, 1.15)
    return (
        (np.array(voiced_t), np.array(voiced)),
        (np.array(hissed_t), np.array(hissed)),
        np.array(knots),
        formants.astype(np.float64),
    )


def _shaped_noise(n: int, sr: int, draw: np.random.Generator) -> npt.NDArray[np.float64]:
    spectrum = np.fft.rfft(draw.standard_normal(n))
    hz = np.fft.rfftfreq(n, 1 / sr)
    spectrum *= 1.0 / (1.0 + np.square((hz - 3000.0) / 1500.0))
    noise: npt.NDArray[np.float64] = np.fft.irfft(spectrum, n)
    return noise / _rms(noise)


def _running_rms(x: npt.NDArray[np.float64], width: int) -> npt.NDArray[np.float64]:
    total = np.concatenate(([0.0], np.cumsum(np.square(x))))
    low = np.maximum(np.arange(x.size) - width // 2, 0)
    high = np.minimum(low + width, x.size)
    power: npt.NDArray[np.float64] = (total[high] - total[low]) / (high - low)
    return np.sqrt(np.maximum(power, 1e-12))


def _rms(x: npt.NDArray[np.float64]) -> float:
    return math.sqrt(float(np.mean(np.square(x)))) if x.size else 1.0


@dataclass(frozen=True, slots=True, eq=False)
class KnownCall:
    """A call that was put together, and what is known of it."""

    recording: Recording  # 24 kHz, nothing on the line
    caller_turns_s: tuple[tuple[float, float], ...]  # first to last sample of each clip
    agent_turns_s: tuple[tuple[float, float], ...]
    answered: tuple[int, ...]  # which caller turns get an answer


def make_call(*, rng: int | np.random.Generator, turns: int = 5) -> KnownCall:
    """Put a call together: caller and agent in turn, now and then a cut-in, a barge-in, a turn without an answer.

    Raises
    ------
    InputError
        If `turns` is below 1.
    """
    if turns < 1:
        raise InputError(f"turns must be at least 1, got {turns}")
    draw = as_rng(rng)
    pitches = draw.uniform(90.0, 230.0, 2)
    placed: tuple[list[tuple[float, float]], list[tuple[float, float]]] = ([], [])
    clips: list[tuple[int, float, npt.NDArray[np.float32]]] = []
    at, answered = float(draw.uniform(0.8, 1.6)), []
    for number in range(turns):
        said_s, reply_s = float(draw.uniform(0.8, 3.0)), float(draw.uniform(1.0, 4.0))
        kind = "" if number == turns - 1 else str(
            draw.choice(["", "", "", "", "cut_in", "barge_in", "unanswered"])
        )  # fmt: skip
        placed[0].append((at, at + said_s))
        clips.append((0, at, speechlike(said_s, _SR, rng=draw, pitch_hz=float(pitches[0]))))
        if kind == "unanswered":
            at += said_s + 3.0
            continue
        answered.append(number)
        gap_s = (
            -float(draw.uniform(0.3, 0.5)) if kind == "cut_in" else float(draw.uniform(0.5, 2.0))
        )
        start = at + said_s + gap_s
        placed[1].append((start, start + reply_s))
        clips.append((1, start, speechlike(reply_s, _SR, rng=draw, pitch_hz=float(pitches[1]))))
        end = start + reply_s
        at = end - 0.4 if kind == "barge_in" else end + float(draw.uniform(0.6, 1.8))
    total = round((max(start + clip.size / _SR for _, start, clip in clips) + 1.5) * _SR)
    y = np.zeros((2, total), dtype=np.float32)
    for channel, start, clip in clips:
        first = round(start * _SR)
        y[channel, first : first + clip.size] += clip
    return KnownCall(
        Recording.from_arrays(y[0], y[1], _SR), tuple(placed[0]), tuple(placed[1]), tuple(answered)
    )


@dataclass(frozen=True, slots=True)
class ConditionError:
    """Measured times against known ones, over all calls of one condition."""

    condition: str
    turns: int
    missed: int  # turns without any sound found in them
    invented: int  # turns found where there is none
    onset_median_s: float  # absolute errors
    onset_p95_s: float
    offset_median_s: float
    offset_p95_s: float
    covered: float  # share of the edges whose interval holds the truth
    width_median_s: float  # of those intervals
    latency_p50_s: float  # measured minus true percentile
    latency_p90_s: float


def self_test(
    *,
    conditions: Iterable[str] = CONDITIONS,
    calls: int = 4,
    rng: int | np.random.Generator = 0,
) -> tuple[ConditionError, ...]:
    """Make calls of known truth, put each condition on them, and measure.

    The truth of an edge is the plain definition (10 ms above -40 dBov for 30 ms) on the same call without noise and
    loss, in the band of the condition, so what is told is what noise and loss do to the measurement.

    Parameters
    ----------
    conditions : iterable of str
        Names of `conditions`.
    calls : int
        Calls per condition, about 30 s each.
    rng : int or Generator
        Seed of voices, turns and noise.

    Raises
    ------
    InputError
        If a condition is unknown or `calls` is below 1.
    """
    if calls < 1:
        raise InputError(f"calls must be at least 1, got {calls}")
    seeds = as_rng(rng).integers(2**31, size=calls)
    known = [make_call(rng=int(seed)) for seed in seeds]
    return tuple(_test_condition(name, known, [int(s) for s in seeds]) for name in conditions)


def _test_condition(name: str, known: Sequence[KnownCall], seeds: Sequence[int]) -> ConditionError:
    condition = as_condition(name)
    errors: tuple[list[float], list[float]] = ([], [])
    covered, widths = [], []
    missed = invented = turns = 0
    measured: list[float] = []
    wanted: list[float] = []
    for call, seed in zip(known, seeds, strict=True):
        plain = "clean" if condition.out_rate(_SR) == _SR else "phone"
        truth = degrade(call.recording, plain, rng=seed)
        line = degrade(call.recording, condition, rng=seed)
        timing = measure_timing(Recording.from_arrays(line.y[0], line.y[1], line.sr))
        measured += timing.latencies_s
        edges: dict[Role, list[tuple[float, float]]] = {}
        for role, placed, found in (
            (Role.CALLER, call.caller_turns_s, timing.caller),
            (Role.AGENT, call.agent_turns_s, timing.agent),
        ):
            true = [_plain_edges(truth.y[role.channel], truth.sr, turn) for turn in placed]
            edges[role] = true
            turns += len(true)
            result = _compare(true, found)
            missed += result[0]
            invented += result[1]
            for kind in (0, 1):
                errors[kind].extend(result[2][kind])
            covered += result[3]
            widths += result[4]
        for number, turn in zip(call.answered, edges[Role.AGENT], strict=True):
            wanted.append(turn[0] - edges[Role.CALLER][number][1])
    onset, offset = (np.abs(np.array(e)) if e else np.array([math.nan]) for e in errors)
    return ConditionError(
        name, turns, missed, invented,
        float(np.median(onset)), float(np.percentile(onset, 95)),
        float(np.median(offset)), float(np.percentile(offset, 95)),
        float(np.mean(covered)) if covered else math.nan,
        float(np.median(widths)) if widths else math.nan,
        *(_difference(measured, wanted, q) for q in (50, 90)),
    )  # fmt: skip


def _difference(measured: list[float], wanted: list[float], q: int) -> float:
    if not measured or not wanted:
        return math.nan
    return float(np.percentile(measured, q) - np.percentile(wanted, q))


def _plain_edges(
    y: npt.NDArray[np.float32], sr: int, turn: tuple[float, float]
) -> tuple[float, float]:
    """First and last sound of a placed clip: 10 ms windows above -40 dBov, one per ms, for 30 ms together.

    Written out here rather than taken from `spurts`, so that the two can disagree.
    """
    first = max(round((turn[0] - 0.03) * sr), 0)
    part = y[first : round((turn[1] + 0.05) * sr)].astype(np.float64)
    total = np.concatenate(([0.0], np.cumsum(np.square(part))))
    window = round(0.010 * sr)
    starts = np.rint(np.arange(0, (part.size - window) / sr, 0.001) * sr).astype(np.int64)
    loud = (total[starts + window] - total[starts]) / window > 1e-4
    held = np.convolve(loud, np.ones(21)) == 21  # 21 windows reach over 30 ms
    ends = np.flatnonzero(held)
    if not ends.size:
        return turn
    return (first + int(starts[ends[0] - 20])) / sr, (first + int(starts[ends[-1]]) + window) / sr


def _compare(
    true: Sequence[tuple[float, float]], found: Activity
) -> tuple[int, int, tuple[list[float], list[float]], list[bool], list[float]]:
    spurts = found.merged().spurts
    used: set[int] = set()
    errors: tuple[list[float], list[float]] = ([], [])
    covered, widths, missed = [], [], 0
    for onset_s, offset_s in true:
        mine = [
            i for i, s in enumerate(found.spurts) if s.onset_s < offset_s and s.offset_s > onset_s
        ]
        used |= {i for i, s in enumerate(spurts) if s.onset_s < offset_s and s.offset_s > onset_s}
        if not mine:
            missed += 1
            continue
        first, last = found.spurts[mine[0]], found.spurts[mine[-1]]
        errors[0].append(first.onset_s - onset_s)
        errors[1].append(last.offset_s - offset_s)
        for interval, value in ((first.onset_interval, onset_s), (last.offset_interval, offset_s)):
            covered.append(interval.start_s - 5e-4 <= value <= interval.end_s + 5e-4)
            widths.append(interval.duration_s)
    return missed, len(spurts) - len(used), errors, covered, widths


__all__ = ["CONDITIONS", "ConditionError", "KnownCall", "make_call", "self_test", "speechlike"]
