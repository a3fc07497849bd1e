"""Sound that should not be in an agent's channel: sound without words, loops, dropouts, abrupt ends, level jumps."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from s2sverify._detector import WINDOW_S, band_powers
from s2sverify.integrity import check_integrity
from s2sverify.kernels.activity import runs, window_sums
from s2sverify.recording import Recording
from s2sverify.spurts import Activity, Spurt
from s2sverify.timing import Timing
from s2sverify.types import Interval, Role, Transcript

F64 = npt.NDArray[np.float64]

_HOP_S = 0.016
_LOOP_S = 0.25  # identical sound for this long
_LOOP_FROM_S, _LOOP_TO_S = 0.12, 3.0  # repeated after this long
_LOOP_ALIKE_DB = 3.0  # mean difference of band levels up to which a repeat is looked at closely
_LOOP_CORRELATION = 0.9
_STEADY_DB = (
    2.5  # mean change of band levels from one 32 ms to the next, below which sound is no speech
)
_STEADY_S = 0.4
_FALL_DB, _NEAR_LEVEL_DB = (
    25.0,
    10.0,
)  # an end that falls this far within 20 ms from this close to the level
_JUMP_DB = 6.0
_JUMP_TURN_S = 0.8  # turns shorter than this have no level to compare
_PITCH_HZ = (70.0, 400.0)
_VOICED = 0.5  # normalised autocorrelation from which sound is periodic


@dataclass(frozen=True, slots=True)
class Artefact:
    """One thing in the agent's channel that is no faithful speech."""

    kind: str  # "no_words", "steady", "loop", "dropout", "abrupt_end" or "level_jump"
    interval: Interval
    sound: (
        str  # "tone", "hum", "laugh", "noise" or "voice" where it is sound without words; else ""
    )
    amount: float  # dB of a jump or fall, seconds of a loop's period or of a dropout; NaN where none applies

    @property
    def start_s(self) -> float:
        return self.interval.start_s


def find_artefacts(
    recording: Recording, timing: Timing, *, agent_words: Transcript | None = None
) -> tuple[Artefact, ...]:
    """List what in the agent's channel is sound but no speech, or speech that was damaged.

    Parameters
    ----------
    recording : Recording
        Two channels.
    timing : Timing
        Of the same recording.
    agent_words : Transcript, optional
        What an independent engine heard, on the call clock. Only with it can sound without words be told from speech;
        without it sound that stays the same for 0.4 s is listed as ``steady``.

    Returns
    -------
    tuple of Artefact
        In order of time.

    Raises
    ------
    ChannelError
        If the recording has one channel.
    """
    y, sr, agent = recording.agent, recording.sr, timing.agent
    found: list[Artefact] = []
    found += _without_words(y, sr, agent, agent_words)
    found += _loops(y, sr, agent)
    for finding in timing.findings or check_integrity(recording):
        if finding.code == "lost_frames" and finding.channel == Role.AGENT.channel:
            found += [Artefact("dropout", i, "", i.duration_s) for i in finding.intervals]
    found += _abrupt_ends(agent)
    found += _level_jumps(timing)
    return tuple(sorted(found, key=lambda a: (a.interval, a.kind)))


def _without_words(
    y: npt.NDArray[np.float32], sr: int, agent: Activity, words: Transcript | None
) -> Iterator[Artefact]:
    for spurt in agent.spurts:
        part = np.asarray(y[round(spurt.onset_s * sr) : round(spurt.offset_s * sr)])
        if words is not None:
            near = words.cut(spurt.onset_s - 0.1, spurt.offset_s + 0.1)
            touching = [w for w in words.words if w.interval.overlap_s(spurt.interval) > 0.03]
            if not len(near) and not touching:
                yield Artefact("no_words", spurt.interval, _describe(part, sr), math.nan)
            continue
        steady_s = _longest_steady(part, sr)
        if steady_s >= max(_STEADY_S, 0.6 * spurt.duration_s):
            yield Artefact("steady", spurt.interval, _describe(part, sr), steady_s)


def _bands_db(part: npt.NDArray[np.float32], sr: int) -> F64:
    """Band levels per 16 ms, shape (n, bands)."""
    width = round(WINDOW_S * sr)
    if part.size < width:
        return np.zeros((0, 14))
    count = int((part.size - width) / (_HOP_S * sr)) + 1
    starts = np.minimum(np.rint(np.arange(count) * _HOP_S * sr).astype(np.int64), part.size - width)
    powers = band_powers(part, sr, starts, WINDOW_S)
    return 10.0 * np.log10(np.maximum(powers, 1e-9).astype(np.float64))


def _longest_steady(part: npt.NDArray[np.float32], sr: int) -> float:
    levels = _bands_db(part, sr)
    if len(levels) < 4:
        return 0.0
    loud = np.maximum(levels, levels.max() - 30.0)  # what lies far below is no part of the sound
    change = np.abs(loud[2:] - loud[:-2]).mean(axis=1)
    spans = runs(change < _STEADY_DB)
    return float((spans[:, 1] - spans[:, 0]).max() + 2) * _HOP_S if len(spans) else 0.0


def _describe(part: npt.NDArray[np.float32], sr: int) -> str:
    """What sound without words is: steady and periodic, bursts of voice, or noise."""
    if part.size < 0.1 * sr:
        return "noise"
    voiced = _periodicity(part, sr)
    steady = _longest_steady(part, sr) >= 0.5 * part.size / sr
    if voiced < _VOICED:
        return "noise"
    x = part.astype(np.float64)
    spectrum = np.square(np.abs(np.fft.rfft(x * np.hanning(x.size))))
    at = int(spectrum.argmax())
    reach = max(3, round(8.0 * x.size / sr))
    peak = float(spectrum[max(at - reach, 0) : at + reach + 1].sum() / max(spectrum.sum(), 1e-30))
    if peak > 0.9 and steady:
        return "tone"
    if steady:
        return "hum"
    size = sr // 50
    level = np.sqrt(np.square(x[: x.size // size * size].reshape(-1, size)).mean(axis=1))
    swing = level - level.mean()
    rate = np.fft.rfftfreq(4 * level.size, 0.02)
    power = np.square(np.abs(np.fft.rfft(swing, 4 * level.size)))
    bursts = (rate > 3.0) & (rate < 8.0)
    share = float(power[bursts].sum() / max(power.sum(), 1e-30))
    deep = float(np.quantile(level, 0.9) / max(np.quantile(level, 0.2), 1e-6))
    return "laugh" if share > 0.4 and deep > 3.0 else "voice"


def _periodicity(part: npt.NDArray[np.float32], sr: int) -> float:
    """Median over 40 ms pieces of the largest normalised autocorrelation at a pitch lag."""
    size = round(0.040 * sr)
    low, high = int(sr / _PITCH_HZ[1]), int(sr / _PITCH_HZ[0])
    found = []
    for at in range(0, part.size - size - high, size):
        x = part[at : at + size].astype(np.float64)
        energy = float(x @ x)
        if energy <= 1e-7 * size:
            continue
        best = 0.0
        for lag in range(low, high):
            z = part[at + lag : at + lag + size].astype(np.float64)
            best = max(best, float(x @ z) / math.sqrt(energy * max(float(z @ z), 1e-12)))
        found.append(best)
    return float(np.median(found)) if found else 0.0


def _loops(y: npt.NDArray[np.float32], sr: int, agent: Activity) -> Iterator[Artefact]:
    """Stretches that follow themselves: the same 250 ms again within 3 s."""
    for spurt in agent.merged().spurts:
        start = round(spurt.onset_s * sr)
        part = np.asarray(y[start : round(spurt.offset_s * sr)])
        levels = _bands_db(part, sr)
        need = round(_LOOP_S / _HOP_S)
        taken = np.zeros(len(levels), dtype=bool)
        steady = _steady_mask(levels)
        for lag in range(round(_LOOP_FROM_S / _HOP_S), round(_LOOP_TO_S / _HOP_S)):
            if lag + need >= len(levels):
                break
            apart = np.abs(levels[lag:] - levels[:-lag]).mean(axis=1)
            mean = window_sums(apart, need) / need
            for at in np.flatnonzero(mean < _LOOP_ALIKE_DB).tolist():
                if taken[at : at + lag + need].any() or steady[at : at + need].mean() > 0.6:
                    continue
                exact = _exact_lag(part, sr, at, lag, need)
                if exact > 0:
                    taken[at : at + lag + need] = True
                    first = spurt.onset_s + at * _HOP_S
                    yield Artefact("loop", Interval(first, first + exact + _LOOP_S), "", exact)


def _steady_mask(levels: F64) -> npt.NDArray[np.bool_]:
    if len(levels) < 3:
        return np.ones(len(levels), dtype=bool)
    loud = np.maximum(levels, levels.max() - 30.0)
    change = np.abs(loud[2:] - loud[:-2]).mean(axis=1)
    return np.concatenate((change < _STEADY_DB, [True, True]))


def _exact_lag(part: npt.NDArray[np.float32], sr: int, at: int, lag: int, need: int) -> float:
    """The lag in seconds at which the samples repeat; 0.0 where they do not."""
    first = round(at * _HOP_S * sr)
    x = part[first : first + round(need * _HOP_S * sr)].astype(np.float64)
    reach = round(_HOP_S * sr)
    low = max(first + round(lag * _HOP_S * sr) - reach, 0)
    z = part[low : low + x.size + 2 * reach].astype(np.float64)
    if z.size < x.size or not float(x @ x) > 1e-6 * x.size:
        return 0.0
    places = z.size - x.size + 1
    size = 1 << (z.size + x.size - 1).bit_length()
    product = np.fft.irfft(np.fft.rfft(z, size) * np.conj(np.fft.rfft(x, size)), size)[:places]
    energy = np.concatenate(([0.0], np.cumsum(z * z)))
    own = energy[x.size :][:places] - energy[:places]
    likeness = product / np.sqrt(np.maximum(own, 1e-12) * float(x @ x))
    best = int(likeness.argmax())
    return (low + best - first) / sr if likeness[best] >= _LOOP_CORRELATION else 0.0


def _abrupt_ends(agent: Activity) -> Iterator[Artefact]:
    cells = agent.cells_dbov
    for spurt in agent.merged().spurts:
        last = round(spurt.offset_s * 100)
        if last + 2 >= cells.size or last < 4:
            continue
        before, after = float(cells[last - 4 : last].max()), float(cells[last + 1 : last + 3].max())
        if before > spurt.level_dbov - _NEAR_LEVEL_DB and before - after >= _FALL_DB:
            yield Artefact(
                "abrupt_end", Interval(spurt.offset_s - 0.02, spurt.offset_s), "", before - after
            )


def _level_jumps(timing: Timing) -> Iterator[Artefact]:
    before: Spurt | None = None
    for turn in timing.turns_of(Role.AGENT):
        if turn.active_s < _JUMP_TURN_S:
            continue
        now = Spurt(
            turn.onset_s, turn.offset_s, turn.onset_interval, turn.offset_interval, turn.level_dbov
        )
        if before is not None and abs(now.level_dbov - before.level_dbov) >= _JUMP_DB:
            yield Artefact("level_jump", now.interval, "", now.level_dbov - before.level_dbov)
        before = now


__all__ = ["Artefact", "find_artefacts"]
