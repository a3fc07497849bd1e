"""Speech activity of one channel: talk spurts with onset and offset, each with the interval it may lie in.

The plain definition (10 ms RMS above -40 dBov for 30 ms) stays available as `first_onset`. `activity` follows the
same definition at 1 ms resolution where the line is quiet; the threshold moves with a speaker who is quieter or
louder than the nominal range, and rises with the noise floor. Where noise reaches the threshold, sound is told from
noise band by band, and the intervals say how much less is known there.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from s2sverify._arrays import as_mono, as_rate
from s2sverify.errors import InputError
from s2sverify.kernels.activity import (
    cell_edges,
    cell_sums,
    group_spans,
    intersect,
    join_runs,
    runs,
    sliding_extreme,
    window_sums,
)
from s2sverify.types import Interval, Signature

# The plain definition: the form in common use for recordings of voice agents.
_PLAIN_DBOV = -40.0
_WINDOW_CELLS = 10  # windows of 10 ms on a grid of 1 ms
_HOLD_CELLS = 30  # sound above the threshold from the first to the last of 30 ms
_HANGOVER_S = 0.200  # Rec. ITU-T P.56, method B: shorter pauses belong to speech
_MARGIN_DB = 15.9  # Rec. ITU-T P.56, method B: threshold below the active level

# The threshold is the plain one for active levels in this range, and moves with the speaker outside of it.
_NOMINAL_DBOV = (-32.0, -14.0)
_FOLLOW = (
    2.0  # dB per dB below the range, until the threshold stands `_DEEPEST_DB` under the speaker
)
_DEEPEST_DB = 17.0  # -40 dBov for speech at -23 dBov
_HIGHEST_DB = 26.0  # the most by which the threshold stands under a loud speaker

# A line is noisy where the level rests close under the threshold, rather than far below it, while nobody speaks.
_NOISE_RANGE_DB = 20.0  # close; of 10 ms cells under the threshold, clean lines have up to 0.4 there, noisy ones 0.6 up
_NOISE_SHARE, _NOISE_REACH_S = 0.55, 10.0
_NOISY_FLOOR_DB = 16.0  # a floor closer to the threshold than this has peaks that reach it
_RAISED_SHARE = 0.6
_SHORT_CELLS, _SHORT_SPREAD_DB = 300, 20.0
_ABOVE_FLOOR_DB = 6.0  # threshold over the tracked floor: 10 ms of steady noise stays below it
_LOW_DB, _HIGH_DB = 6.0, 4.0  # the interval of an edge: crossing of lower and higher thresholds
_EDGE_REACH_S = 0.300  # and no farther away than this
_LEAST_S = 0.003  # nor nearer: half a pitch period, by which a 10 ms window can miss the level
_GRID_S = 0.001
_SURELY_BELOW, _SKIP_CELLS = (
    0.5,
    1000,
)  # of the lowest threshold; shorter pauses are not worth skipping

_MEAN_WINDOWS = 10  # the mean of so many windows is removed: offset and rumble below about 10 Hz
_CHUNK_S, _CHUNK_QUANTILE, _FLOOR_REACH_S = 0.5, 0.2, 2.5
_LOWEST_DBOV = -96.0  # one step of 16 bits: digital silence reads as this
_TICK_S = 0.060  # less sound than this, standing alone, is a click
_BREATH_GAP_S = 0.040
_BLOCK_S = 30.0

VERSION = "1"


@dataclass(frozen=True, slots=True)
class Spurt:
    """Sound from onset to offset; pauses shorter than the hangover belong to it."""

    onset_s: float
    offset_s: float
    onset_interval: Interval  # where the onset may lie, both ends included
    offset_interval: Interval
    level_dbov: float  # mean power over the spurt, noise floor taken off

    @property
    def duration_s(self) -> float:
        return self.offset_s - self.onset_s

    @property
    def interval(self) -> Interval:
        return Interval(self.onset_s, self.offset_s)


@dataclass(frozen=True, slots=True, eq=False)
class Activity:
    """When one channel is active."""

    spurts: tuple[Spurt, ...]
    duration_s: float
    floor_dbov: float  # median of the tracked noise floor; -96 for digital silence
    active_dbov: float  # level of the speaker while active, floor taken off; NaN without sound
    threshold_dbov: float  # an edge is where the 10 ms level crosses this, or the floor plus 6 dB
    contested: float  # share of the time in which noise comes near the threshold
    cells_dbov: npt.NDArray[np.float32]  # level per 10 ms, mean removed, not below -96; read-only
    signature: Signature

    @property
    def intervals_s(self) -> npt.NDArray[np.float64]:
        """Onset and offset of every spurt, shape (k, 2), ascending and disjoint."""
        table = np.array([[s.onset_s, s.offset_s] for s in self.spurts], dtype=np.float64)
        return table.reshape(-1, 2)

    @property
    def active_s(self) -> float:
        return float(sum(s.duration_s for s in self.spurts))

    def merged(self, gap_s: float = 0.7) -> Activity:
        """The same with every pause shorter than `gap_s` bridged: spurts the size of turns."""
        if not gap_s >= 0:
            raise InputError(f"gap_s must be at least 0 s, got {gap_s}")
        groups = join_runs(self.intervals_s, gap_s)
        joined = []
        for number in range(int(groups[-1]) + 1 if groups.size else 0):
            parts = [s for s, group in zip(self.spurts, groups, strict=True) if group == number]
            joined.append(join_spurts(parts))
        return replace(self, spurts=tuple(joined))

    def without(self, spans: Iterable[Interval]) -> Activity:
        """The same without the spurts of which more than half lies in one of `spans`."""
        gone = tuple(spans)
        kept = tuple(
            s for s in self.spurts
            if not any(2 * s.interval.overlap_s(g) > s.duration_s for g in gone)
        )  # fmt: skip
        return replace(self, spurts=kept)

    def within(self, start_s: float, end_s: float) -> tuple[Spurt, ...]:
        """The spurts that share time with ``[start_s, end_s)``."""
        return tuple(s for s in self.spurts if s.onset_s < end_s and s.offset_s > start_s)

    def to_frame(self) -> Any:
        """A pandas DataFrame, one row per spurt."""
        from s2sverify._display import frame

        return frame(
            [
                {
                    "onset_s": s.onset_s,
                    "offset_s": s.offset_s,
                    "onset_lo_s": s.onset_interval.start_s,
                    "onset_hi_s": s.onset_interval.end_s,
                    "offset_lo_s": s.offset_interval.start_s,
                    "offset_hi_s": s.offset_interval.end_s,
                    "level_dbov": s.level_dbov,
                }
                for s in self.spurts
            ]
        )


def join_spurts(parts: Sequence[Spurt]) -> Spurt:
    """One spurt from the onset of the first to the offset of the last; its level is that of their sound."""
    if len(parts) == 1:
        return parts[0]
    energy = sum(10 ** (s.level_dbov / 10) * s.duration_s for s in parts)
    return Spurt(
        parts[0].onset_s,
        parts[-1].offset_s,
        parts[0].onset_interval,
        parts[-1].offset_interval,
        10 * math.log10(energy / sum(s.duration_s for s in parts)),
    )


def overlap_intervals(a: Any, b: Any) -> npt.NDArray[np.float64]:
    """Common parts of two sets of intervals, such as the spurts of two channels.

    Parameters
    ----------
    a, b : Activity or array-like, shape (k, 2)
        Half-open intervals in seconds, ascending and disjoint within each set.

    Returns
    -------
    float64 array, shape (m, 2)
        Ascending. Intervals that only touch have nothing in common.

    Raises
    ------
    InputError
        If a set is not of shape (k, 2), not finite, ends before it begins, or is not ascending and disjoint.
    """
    return intersect(_intervals(a, "a"), _intervals(b, "b"))


def _intervals(value: Any, name: str) -> npt.NDArray[np.float64]:
    table = value.intervals_s if isinstance(value, Activity) else np.asarray(value, np.float64)
    if table.size == 0:
        return np.zeros((0, 2))
    if table.ndim != 2 or table.shape[1] != 2:
        raise InputError(f"{name} must have shape (k, 2), got {table.shape}")
    if not np.isfinite(table).all() or (table[:, 1] < table[:, 0]).any():
        raise InputError(f"{name} must hold finite intervals that end after they begin")
    if (table[1:, 0] < table[:-1, 1]).any():
        raise InputError(f"{name} must hold intervals that are ascending and disjoint")
    return table


def first_onset(y: npt.ArrayLike, sr: int, *, threshold_dbov: float = _PLAIN_DBOV) -> float | None:
    """Find the first onset by the plain definition: 10 ms RMS above -40 dBov for 30 ms.

    Window k begins at sample ``round(k * sr / 100)``; its mean is removed.

    Parameters
    ----------
    y : array-like of float, shape (n,)
        One channel, full scale 1.0.
    sr : int
        Sampling rate in Hz, at least 1000.
    threshold_dbov : float, optional
        The level that three windows in a row must exceed.

    Returns
    -------
    float or None
        Beginning of the first of the three windows, in seconds; None where there is no such place.

    Raises
    ------
    InputError
        If `y` is not one-dimensional, float and finite, or `sr` is below 1000.

    Notes
    -----
    Steady noise above the threshold counts as an onset at 0. `activity` does better there.
    """
    x = as_mono(y)
    rate = as_rate(sr, lowest=1000)
    count = _cells_in(x.size, rate, 100)
    edges = cell_edges(0, count, rate, 100)
    sums, squares = cell_sums(x.astype(np.float64), edges)
    widths = np.diff(edges)
    power = squares / widths - np.square(sums / widths)
    above = power > 10 ** (threshold_dbov / 10)
    for start, end in runs(above):
        if end - start >= 3:
            return float(edges[start]) / rate
    return None


def _cells_in(n: int, sr: int, per_second: int) -> int:
    """How many whole cells fit into n samples."""
    count = n * per_second // sr + 1
    while count and int(cell_edges(count, count, sr, per_second)[0]) > n:
        count -= 1
    return count


@dataclass(frozen=True, slots=True, eq=False)
class _Coarse:
    """Power per 10 ms and the tracked floor per chunk."""

    power: npt.NDArray[np.float64]
    floor: npt.NDArray[np.float64]  # per cell
    active: float
    threshold: float


def _powers(
    sums: npt.NDArray[np.float64], squares: npt.NDArray[np.float64], widths: Any, around: int
) -> npt.NDArray[np.float64]:
    """Mean power per cell after the mean of `around` cells on either side is taken off."""
    padded = np.pad(sums, around, mode="edge")
    mean = window_sums(padded, 2 * around + 1) / (np.mean(widths) * (2 * around + 1))
    power: npt.NDArray[np.float64] = squares / widths - 2 * mean * sums / widths + mean * mean
    return np.maximum(power, 0.0)


def _measure_coarse(x: npt.NDArray[np.floating], sr: int) -> _Coarse:
    count = _cells_in(x.size, sr, 100)
    step = int(_BLOCK_S * 100)
    parts = [
        cell_sums(x, cell_edges(k, min(k + step, count), sr, 100)) for k in range(0, count, step)
    ]
    sums = np.concatenate([p[0] for p in parts]) if parts else np.zeros(0)
    squares = np.concatenate([p[1] for p in parts]) if parts else np.zeros(0)
    widths = np.diff(cell_edges(0, count, sr, 100))
    lowest = 10 ** (_LOWEST_DBOV / 10)
    power = _powers(sums, squares, widths, 5) if count else np.zeros(0)
    power = np.maximum(power, lowest)
    floor = _track_floor(power)
    active = _active_level(power, floor)
    threshold = _PLAIN_DBOV
    if math.isfinite(active):
        below = min(0.0, active - _NOMINAL_DBOV[0])
        threshold = max(_PLAIN_DBOV + _FOLLOW * below, active - _DEEPEST_DB) if below else threshold
        threshold = max(threshold, active - _HIGHEST_DB)
    return _Coarse(power, floor, active, threshold)


def _track_floor(power: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Noise power at every cell: the lowest of the 20 % quantiles of the half seconds around it."""
    size = round(_CHUNK_S * 100)
    chunks = power.size // size
    if not chunks:
        value = float(np.quantile(power, _CHUNK_QUANTILE)) if power.size else 0.0
        return np.full(power.size, value)
    quantiles = np.quantile(power[: chunks * size].reshape(chunks, size), _CHUNK_QUANTILE, axis=1)
    lowest = sliding_extreme(quantiles, round(_FLOOR_REACH_S / _CHUNK_S), largest=False)
    return np.repeat(lowest, size)[np.minimum(np.arange(power.size), chunks * size - 1)]


def _in_dbov(power: npt.NDArray[np.float64]) -> npt.NDArray[np.float32]:
    levels = (10.0 * np.log10(power)).astype(np.float32)
    levels.flags.writeable = False
    return levels


def _where_noisy(coarse: _Coarse) -> npt.NDArray[np.bool_]:
    """Which 10 ms cells lie where noise comes near the threshold."""
    power, size = coarse.power, coarse.power.size
    threshold = 10 ** (coarse.threshold / 10)
    below = np.concatenate(([0], np.cumsum(power < threshold)))
    far = np.concatenate(([0], np.cumsum(power < threshold * 10 ** (-_NOISE_RANGE_DB / 10))))
    reach = round(_NOISE_REACH_S * 100)
    low = np.maximum(np.arange(size) - reach, 0)
    high = np.minimum(np.arange(size) + reach + 1, size)
    under = below[high] - below[low]
    close = under - (far[high] - far[low])
    noisy: npt.NDArray[np.bool_] = close > _NOISE_SHARE * under
    # talk without a pause looks like a high floor for seconds, but not for most of the reach
    raised = np.concatenate(
        ([0], np.cumsum(coarse.floor > threshold * 10 ** (-_NOISY_FLOOR_DB / 10)))
    )
    floor_noisy = raised[high] - raised[low] > _RAISED_SHARE * (high - low)
    if size < _SHORT_CELLS:  # too short to know what is floor, unless speech stands little above it
        floor_noisy &= np.quantile(power, 0.95) < coarse.floor * 10 ** (_SHORT_SPREAD_DB / 10)
    noisy |= floor_noisy
    return np.ones_like(noisy) if np.mean(noisy) > 0.5 else noisy


def _active_level(power: npt.NDArray[np.float64], floor: npt.NDArray[np.float64]) -> float:
    """Level while active after P.56, from 10 ms powers with the floor taken off."""
    clean = np.where(power > 2 * floor, power - floor, 0.0)
    heard = clean[clean > 10 ** (-7.0)]  # -70 dBov: below is no speech on any line
    if heard.size < 3:
        return math.nan
    level = 10 * math.log10(float(np.quantile(heard, 0.95)))
    for _ in range(12):
        spans = runs(clean >= 10 ** ((level - _MARGIN_DB) / 10))
        if not len(spans):
            break
        groups = join_runs(spans, _HANGOVER_S * 100)
        first = np.searchsorted(groups, np.arange(groups[-1] + 1))
        last = np.concatenate((first[1:], [groups.size])) - 1
        held = int((spans[last, 1] - spans[first, 0]).sum())
        totals = np.concatenate(([0.0], np.cumsum(clean)))
        energy = float((totals[spans[last, 1]] - totals[spans[first, 0]]).sum())
        update = 10 * math.log10(energy / held)
        if abs(update - level) < 0.05:
            return update
        level = update
    return level


def _level_runs(
    x: npt.NDArray[np.floating],
    sr: int,
    power: npt.NDArray[np.float64],
    thresholds: npt.NDArray[np.float64],
) -> list[npt.NDArray[np.int64]]:
    """Runs of 1 ms steps at which the 10 ms power exceeds each threshold.

    `power` and `thresholds`, of shape (m, cells), are per 10 ms. Step k is the window that begins at cell k of 1 ms.
    A window lies in two cells of 10 ms, so its power is at most theirs together: where that is far below the lowest
    threshold nothing needs to be looked at.
    """
    last = _cells_in(x.size, sr, 1000) - _WINDOW_CELLS + 1
    step = int(_BLOCK_S * 1000)
    found: list[list[npt.NDArray[np.int64]]] = [[] for _ in thresholds]
    two = power + np.concatenate((power[1:], power[-1:]))
    where = runs(two > _SURELY_BELOW * thresholds.min(axis=0)) * 10 + np.array([-20, 30])
    where = group_spans(where, join_runs(where, _SKIP_CELLS))
    if len(where):  # the last cells of 1 ms may lie beyond the last of 10 ms
        where = np.clip(where, 0, last)
        where[-1, 1] = last if where[-1, 1] >= last - 50 else where[-1, 1]
    for start, stop in where.tolist():
        for begin in range(start, stop, step):
            end = min(begin + step, stop)
            level = _fine_power(x, sr, begin, end)
            first, final = begin // 10, min((end - 1) // 10 + 1, thresholds.shape[1])
            for row, spans in zip(thresholds, found, strict=True):
                steps = row[first:final].repeat(10)[begin - 10 * first :][: level.size]
                over = level[: steps.size] > steps
                if steps.size < level.size:  # beyond the last whole cell of 10 ms
                    over = np.concatenate((over, level[steps.size :] > row[-1]))
                spans.append(runs(over) + begin)
    return [_stitch(spans) for spans in found]


def _fine_power(
    x: npt.NDArray[np.floating], sr: int, begin: int, end: int
) -> npt.NDArray[np.float64]:
    """Power of the 10 ms windows that begin at the cells ``[begin, end)`` of 1 ms, the mean around taken off."""
    count = _cells_in(x.size, sr, 1000)
    around = (_MEAN_WINDOWS - 1) * _WINDOW_CELLS // 2
    low, high = max(begin - around, 0), min(end + _WINDOW_CELLS - 1 + around, count)
    edges = cell_edges(low, high, sr, 1000)
    sums, squares = cell_sums(x, edges)
    pad = (around - (begin - low), around - (high - end - _WINDOW_CELLS + 1))
    tens = window_sums(np.pad(sums, pad, mode="edge"), _WINDOW_CELLS)
    wide = window_sums(tens, _MEAN_WINDOWS, step=_WINDOW_CELLS)[: end - begin]
    total = tens[around:][: end - begin]
    power = window_sums(squares, _WINDOW_CELLS)[begin - low :][: end - begin]
    widths = (edges[_WINDOW_CELLS:] - edges[:-_WINDOW_CELLS])[begin - low :][: end - begin]
    mean = wide / (_MEAN_WINDOWS * widths)
    level: npt.NDArray[np.float64] = (power - 2 * mean * total) / widths + mean * mean
    return level


def _seconds(steps: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """Runs of windows to time: from the first window's start to the last one's end."""
    ends: npt.NDArray[np.float64] = (steps + np.array([0, _WINDOW_CELLS - 1])) * _GRID_S
    return ends


def _stitch(parts: list[npt.NDArray[np.int64]]) -> npt.NDArray[np.int64]:
    """Put the runs of successive blocks together; a run that crosses a block's end is one run."""
    spans = np.concatenate(parts) if parts else np.zeros((0, 2), dtype=np.int64)
    return group_spans(spans, join_runs(spans, 1))


def activity(y: npt.ArrayLike, sr: int, *, hangover_s: float = _HANGOVER_S) -> Activity:
    """Find the talk spurts of one channel.

    Parameters
    ----------
    y : array-like of float, shape (n,)
        One channel, full scale 1.0.
    sr : int
        Sampling rate in Hz, at least 4000.
    hangover_s : float, optional
        Pauses shorter than this belong to a spurt. The default is that of Rec. ITU-T P.56. For spurts the size
        of turns use ``activity(y, sr).merged(0.7)``.

    Returns
    -------
    Activity
        Without sound its ``spurts`` are empty.

    Raises
    ------
    InputError
        If `y` is not one-dimensional, float and finite, `sr` is below 4000, or `hangover_s` is negative.

    Notes
    -----
    An edge is where the 10 ms level crosses the threshold (step 1 ms, mean removed, held 30 ms): the plain
    -40 dBov for active levels from -32 to -14 dBov; 2 dB lower per dB that the speaker is quieter, down to
    17 dB under the speaker; never less than 6 dB over the floor.
    Sound is any sound: a hum or a laugh is active, a click or a breath ahead of speech is not.
    """
    x = as_mono(y)
    rate = as_rate(sr, lowest=4000)
    if not hangover_s >= 0:
        raise InputError(f"hangover_s must be at least 0 s, got {hangover_s}")
    coarse = _measure_coarse(x, rate)
    floor_dbov = _LOWEST_DBOV
    if coarse.floor.size:
        floor_dbov = 10 * math.log10(float(np.median(coarse.floor)))
    noisy = _where_noisy(coarse) if coarse.power.size else np.zeros(0, dtype=bool)
    contested = float(np.mean(noisy)) if noisy.size else 0.0
    edges = np.zeros((0, 6))
    if contested < 1.0:
        edges = _edges_by_level(x, rate, coarse, hangover_s)
    if contested > 0.0:
        from s2sverify._detector import find_in_noise

        in_noise = find_in_noise(x, rate, hangover_s)
        edges = _combine(edges, in_noise, runs(noisy) / 100.0, x.size / rate, hangover_s)
    signature = Signature(
        "activity", VERSION, (("hangover_s", f"{hangover_s:g}"), ("threshold", "plain,P.56"))
    )
    return Activity(
        tuple(_spurt(row, coarse) for row in edges.tolist()),
        x.size / rate,
        floor_dbov,
        coarse.active,
        coarse.threshold,
        contested,
        _in_dbov(coarse.power),
        signature,
    )


def _edges_by_level(
    x: npt.NDArray[np.floating], sr: int, coarse: _Coarse, hangover_s: float
) -> npt.NDArray[np.float64]:
    """Edges where the level crosses the threshold, rows as of `find_in_noise`."""
    # other rules in use, the plain one and 17 dB under the speaker, lie within the interval too
    lowest = coarse.threshold - _LOW_DB
    if math.isfinite(coarse.active):
        lowest = min(lowest, coarse.active - _DEEPEST_DB - 1.0)
    highest = max(coarse.threshold + _HIGH_DB, _PLAIN_DBOV + 1.0)
    levels = 10 ** (np.array([[lowest], [coarse.threshold], [highest]]) / 10)
    floor_ratios = 10 ** ((_ABOVE_FLOOR_DB + np.array([[-1.0], [0.0], [1.0]])) / 10)
    thresholds = np.maximum(levels, coarse.floor * floor_ratios)
    low, middle, high = (_seconds(steps) for steps in _level_runs(x, sr, coarse.power, thresholds))
    middle = middle[middle[:, 1] - middle[:, 0] >= (_HOLD_CELLS - 0.5) * _GRID_S]
    return _with_intervals(_without_clicks(middle, hangover_s), low, high)


def _combine(
    by_level: npt.NDArray[np.float64],
    in_noise: npt.NDArray[np.float64],
    noisy: npt.NDArray[np.float64],
    duration_s: float,
    hangover_s: float,
) -> npt.NDArray[np.float64]:
    """Take what was found by level where the line is quiet, and the rest where it is noisy."""
    if len(noisy) == 1 and noisy[0, 0] <= 0.0 and noisy[0, 1] >= duration_s - 0.02:
        return in_noise
    bounds = np.concatenate(([0.0], noisy.ravel(), [max(duration_s, float(noisy[-1, 1]))]))
    quiet = bounds.reshape(-1, 2)
    pieces: list[list[float]] = []
    for rows, where in ((by_level, quiet), (in_noise, noisy)):
        for row in rows.tolist():
            for start, end in where.tolist():
                onset, offset = max(row[0], start), min(row[3], end)
                if offset > onset:
                    first = row[:3] if onset == row[0] else [onset] * 3
                    pieces.append([*first, *(row[3:] if offset == row[3] else [offset] * 3)])
    if not pieces:
        return np.zeros((0, 6))
    table = np.array(sorted(pieces))
    groups = join_runs(table[:, [0, 3]], hangover_s)
    first = np.searchsorted(groups, np.arange(groups[-1] + 1))
    last = np.concatenate((first[1:], [groups.size])) - 1
    return np.concatenate((table[first, :3], table[last, 3:]), axis=1)


def _without_clicks(spans: npt.NDArray[np.float64], hangover_s: float) -> npt.NDArray[np.float64]:
    """Join over pauses; what holds less sound than a click and stands alone is none."""
    groups = join_runs(spans, hangover_s)
    joined = group_spans(spans, groups)
    if not len(joined):
        return joined
    sound = np.bincount(groups, weights=spans[:, 1] - spans[:, 0])
    kept: npt.NDArray[np.float64] = joined[sound >= _TICK_S]
    return kept


def _with_intervals(
    spans: npt.NDArray[np.float64],
    low: npt.NDArray[np.float64],
    high: npt.NDArray[np.float64],
) -> npt.NDArray[np.float64]:
    """The interval of an edge reaches to where a lower and a higher threshold are crossed beside it."""
    rows = np.empty((len(spans), 6))
    for index, (onset, offset) in enumerate(spans.tolist()):
        before = float(spans[index - 1, 1]) if index else 0.0
        after = float(spans[index + 1, 0]) if index + 1 < len(spans) else math.inf
        at = int(np.searchsorted(low[:, 0], onset, side="right")) - 1
        lo = max(float(low[at, 0]), onset - _EDGE_REACH_S, before) if at >= 0 else onset
        at = int(np.searchsorted(high[:, 0], onset))
        hi = min(float(high[at, 0]) if at < len(high) else onset, onset + _EDGE_REACH_S, offset)
        rows[index, :3] = onset, min(lo, onset) - _LEAST_S, max(hi, onset) + _LEAST_S
        at = int(np.searchsorted(high[:, 1], offset, side="right")) - 1
        lo = max(float(high[at, 1]) if at >= 0 else offset, offset - _EDGE_REACH_S, onset)
        at = int(np.searchsorted(low[:, 1], offset))
        hi = min(float(low[at, 1]) if at < len(low) else offset, offset + _EDGE_REACH_S, after)
        rows[index, 3:] = offset, min(lo, offset) - _LEAST_S, max(hi, offset) + _LEAST_S
    return rows


def _spurt(row: list[float], coarse: _Coarse) -> Spurt:
    onset, onset_lo, onset_hi, offset, offset_lo, offset_hi = (round(t, 4) for t in row)
    first = int(onset * 100)
    cells = slice(first, max(int(offset * 100), first + 1))
    power = float(np.mean(coarse.power[cells] - coarse.floor[cells]))
    return Spurt(
        onset,
        offset,
        Interval(onset_lo, onset_hi),
        Interval(offset_lo, offset_hi),
        10 * math.log10(max(power, 10 ** (_LOWEST_DBOV / 10))),
    )


__all__ = ["Activity", "Spurt", "activity", "first_onset", "overlap_intervals"]
