"""Telling sound that belongs to a speaker from the noise of the line, band by band, and where its edges lie.

Three small fixed networks of one hidden layer: one says of every 16 ms whether the speaker is active, two say how
likely each 8 ms is to hold the onset or the offset of a spurt that the first one found. They see band powers over
the tracked floor of each band and over the speaker's own loud spectrum, never absolute levels. How they were fitted,
on what, and how far they are right: ``calibration/make_detector.py`` and ``docs/timing.md``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np
import numpy.typing as npt

from s2sverify.kernels.activity import (
    clipped_walk,
    group_spans,
    join_runs,
    runs,
    shifted_sum,
    sliding_extreme,
    window_sums,
)

F32 = npt.NDArray[np.float32]
F64 = npt.NDArray[np.float64]

BANDS = 14
LOWEST_HZ, HIGHEST_HZ = 150.0, 3700.0  # a telephone band; wider recordings are judged in it too
HOP_S, WINDOW_S = 0.016, 0.032  # of the first network
EDGE_WINDOW_S = 0.020  # of the other two; their hop stands with their weights

_LOWEST_POWER = np.float32(1e-9)  # -90 dBov
_DEAD_POWER = 3e-9  # below this a window is lost or digital silence, and says nothing of the noise
_CHUNK_S, _QUANTILE, _REACH_CHUNKS, _WIDE_CHUNKS = 0.5, 0.25, 4, 20
_FEWEST_LIVE = 8  # windows of a chunk from which its floor is taken
_CAP_QUANTILE = 0.995  # the loudest windows count no more than this one in the speaker's spectrum
_RANGE = np.array([[-3.0, 9.0], [-9.0, 4.0], [-4.0, 9.0]], dtype=np.float32)  # nepers, as fitted

_SURE = 4.0  # no single window argues by more than this
_SWITCH = 6.0  # evidence, in nepers, that it takes to change between noise and speech
_STRONGEST = 6.0  # nor, for the weight of a whole spurt, by more than this
_SHORTEST_S = 0.080
# Evidence times seconds. Of 119 spurts of noise at 5 and 10 dB, standing alone, 0.6 drops 78 %; of 1119 of speech 5 %
# have less, nearly all of them beside others.
_ALONE_S, _WEIGHT_ALONE, _WEIGHT_BESIDE = 1.2, 0.6, 0.25
_SEARCH_S = 0.240  # an edge is sought this far around where the first network puts it
_ROOM_S = 0.030  # and not nearer than this to the other end of its own spurt
_TAIL = 0.03  # probability left out on either side of an edge's interval
_BLOCK = 8192  # windows at a time
_BATCH = 64  # edges at a time


@dataclass(frozen=True, slots=True, eq=False)
class Network:
    """One hidden layer over a context of windows."""

    hidden: F32  # (windows of context, features, units)
    hidden_bias: F32
    out: F32  # (units, outputs)
    out_bias: F32
    context: tuple[int, ...]
    hop_s: float

    @property
    def reach(self) -> int:
        return max(abs(offset) for offset in self.context)

    def __call__(self, x: F32) -> F32:
        """Outputs for every row of features, shape (n, outputs); the ends repeat."""
        count, reach = x.shape[0], self.reach
        result = np.empty((count, self.out.shape[1]), dtype=np.float32)
        for begin in range(0, count, _BLOCK):
            end = min(begin + _BLOCK, count)
            low, high = max(begin - reach, 0), min(end + reach, count)
            units = shifted_sum(x[low:high], self.hidden, self.context)[begin - low :][
                : end - begin
            ]
            result[begin:end] = np.maximum(units + self.hidden_bias, 0) @ self.out + self.out_bias
        return result


@cache
def networks() -> tuple[Network, Network, Network]:
    """Activity, onset, offset; read from the package's data on first use."""
    source = files("s2sverify") / "data" / "detector.npz"
    with source.open("rb") as stream, np.load(stream, allow_pickle=False) as stored:

        def load(name: str) -> Network:
            w1, b1, w2, b2 = (
                stored[f"{name}_{part}"].astype(np.float32) for part in ("w1", "b1", "w2", "b2")
            )
            context = tuple(int(offset) for offset in stored[f"{name}_context"])
            return Network(w1, b1, w2, b2, context, float(stored[f"{name}_hop_s"]))

        return load("activity"), load("onset"), load("offset")


@cache
def _band_matrix(width: int, sr: int) -> F32:
    """Which DFT bin belongs to which band, scaled to mean power, shape (bins, bands)."""

    def mel(hz: float) -> float:
        return 1127.0 * math.log1p(hz / 700.0)

    edges = 700.0 * np.expm1(np.linspace(mel(LOWEST_HZ), mel(HIGHEST_HZ), BANDS + 1) / 1127.0)
    hz = np.arange(width // 2 + 1) * (sr / width)
    band = np.searchsorted(edges, hz, side="right") - 1
    inside = (band >= 0) & (band < BANDS)
    matrix = np.zeros((hz.size, BANDS), dtype=np.float32)
    matrix[np.flatnonzero(inside), band[inside]] = 2.0 / (width * width * 0.375)
    return matrix


def band_powers(
    x: npt.NDArray[np.floating], sr: int, starts: npt.NDArray[np.int64], window_s: float
) -> F32:
    """Power per band of the windows that begin at the samples `starts`, shape (n, bands)."""
    width = round(sr * window_s)
    shape = np.hanning(width + 1)[:-1].astype(np.float32)
    matrix = _band_matrix(width, sr)
    powers = np.empty((starts.size, BANDS), dtype=np.float32)
    view = np.lib.stride_tricks.sliding_window_view(x, width)
    for begin in range(0, starts.size, _BLOCK):
        spectrum = np.fft.rfft(
            view[starts[begin : begin + _BLOCK]].astype(np.float32) * shape, axis=1
        )
        powers[begin : begin + _BLOCK] = (
            np.square(spectrum.real) + np.square(spectrum.imag)
        ).astype(np.float32) @ matrix
    return powers


@dataclass(frozen=True, slots=True, eq=False)
class _Line:
    """What a channel's own noise and speaker look like; logarithms of power."""

    local: F32  # floor nearby, (n, bands)
    wide: F32  # floor over some 20 s
    speaker: F32  # (bands,): spectrum of the loud
    loudness: np.float32  # their total

    def features(self, powers: F32, at: npt.NDArray[np.int64] | slice) -> F32:
        """What the networks see, shape (n, 3 * used bands + 1); `at` are the windows of the first network.

        The outermost bands count in the total only: how steeply a line cuts them off says nothing of the speaker.
        """
        level = np.log(np.maximum(powers, _LOWEST_POWER))
        total = np.log(np.maximum(powers.sum(axis=1), _LOWEST_POWER)) - self.loudness
        used = BANDS - 2
        seen = np.empty((powers.shape[0], 3 * used + 1), dtype=np.float32)
        for part, known in enumerate((self.local[at], self.speaker, self.wide[at])):
            place = seen[:, part * used : (part + 1) * used]
            np.subtract(level[:, 1:-1], known[..., 1:-1], out=place)
            np.minimum(np.maximum(place, _RANGE[part][0], out=place), _RANGE[part][1], out=place)
        seen[:, -1] = np.minimum(np.maximum(total, _RANGE[1][0]), _RANGE[1][1])
        return seen


def _know_line(powers: F32) -> _Line:
    """Track the floor of every band: the least of the 25 % quantiles of the half seconds around it."""
    count = powers.shape[0]
    total = powers.sum(axis=1)
    size = round(_CHUNK_S / HOP_S)
    chunks = max(count // size, 1)
    part = np.where(total[:, None] < _DEAD_POWER, np.float32(np.inf), powers)[: chunks * size]
    part = np.sort(part.reshape(chunks, -1, BANDS), axis=1)  # dead windows come last
    live = np.isfinite(part[:, :, 0]).sum(axis=1)
    place = _QUANTILE * np.maximum(live - 1, 0)
    index, lower = np.arange(chunks), place.astype(np.int64)
    upper = np.minimum(lower + 1, np.maximum(live - 1, 0))
    share = (place - lower)[:, None]
    known = np.flatnonzero(live >= _FEWEST_LIVE)
    with np.errstate(invalid="ignore"):
        floor = (1.0 - share) * part[index, lower] + share * part[index, upper]
    log_floor = np.log(np.maximum(floor[known], _LOWEST_POWER))
    cap = np.float32(np.quantile(total, _CAP_QUANTILE))
    weight = np.minimum(total, cap)
    loud = (np.minimum(powers, cap) * weight[:, None]).sum(axis=0) / max(float(weight.sum()), 1e-12)
    speaker = np.log(loud + _LOWEST_POWER).astype(np.float32)
    loudness = np.float32(np.log(np.exp(speaker).sum()))
    if not known.size:
        silent = np.full((count, BANDS), np.log(_LOWEST_POWER), dtype=np.float32)
        return _Line(silent, silent, speaker, loudness)
    local = np.empty((count, BANDS), dtype=np.float32)
    wide = np.empty((count, BANDS), dtype=np.float32)
    at, centre = np.arange(count), index * size + size / 2
    for band in range(BANDS):
        filled = np.interp(index, known, log_floor[:, band])
        least = sliding_extreme(filled, _REACH_CHUNKS, largest=False)
        mean = window_sums(np.pad(least, _WIDE_CHUNKS, mode="edge"), 2 * _WIDE_CHUNKS + 1)
        local[:, band] = np.interp(at, centre, least)
        wide[:, band] = np.interp(at, centre, mean / (2 * _WIDE_CHUNKS + 1))
    return _Line(local, wide, speaker, loudness)


def find_in_noise(x: npt.NDArray[np.floating], sr: int, hangover_s: float) -> F64:
    """Find the spurts of a noisy channel.

    Parameters
    ----------
    x : float array, shape (n,)
    sr : int
        At least 8000 for the full band; below that the upper bands stay empty.
    hangover_s : float
        Pauses shorter than this belong to a spurt.

    Returns
    -------
    float64 array, shape (k, 6)
        Onset, its lowest and highest; offset, its lowest and highest; seconds. The value is the median of
        what is known of the edge, the interval leaves out 3 % on either side.
    """
    width = round(sr * WINDOW_S)
    if x.size < 2 * width:
        return np.zeros((0, 6))
    count = int((x.size - width) / (HOP_S * sr)) + 1
    starts = np.minimum(np.rint(np.arange(count) * (HOP_S * sr)).astype(np.int64), x.size - width)
    powers = band_powers(x, sr, starts, WINDOW_S)
    line = _know_line(powers)
    activity, *edges = networks()
    evidence = np.concatenate(
        [
            activity(features)[block, 0]
            for features, block in _blocks_with_context(line, powers, activity.reach)
        ]
    )
    evidence = np.clip(evidence, -_STRONGEST, _STRONGEST).astype(np.float64)
    evidence[powers.sum(axis=1) < _DEAD_POWER] = -_SURE
    walk = clipped_walk(np.clip(evidence, -_SURE, _SURE), _SWITCH)
    decided = np.where(walk >= _SWITCH, 1, np.where(walk <= -_SWITCH, 0, -1))
    decided[-1] = int(walk[-1] > 0)
    later = np.where(decided >= 0, np.arange(walk.size), walk.size - 1)
    later = np.minimum.accumulate(later[::-1])[::-1]
    spans = runs(decided[later] == 1)
    spans = group_spans(spans, join_runs(spans, hangover_s / HOP_S))
    spans = _with_enough_evidence(spans, evidence)
    rough: F64 = (spans.astype(np.float64) - 0.5) * HOP_S + WINDOW_S / 2
    if not len(rough):
        return np.zeros((0, 6))
    onset, offset = rough[:, 0], rough[:, 1]
    before = np.concatenate(([0.0], offset[:-1]))
    after = np.concatenate((onset[1:], [x.size / sr]))
    return np.concatenate(
        (
            _place_edges(x, sr, line, edges[0], onset, before, offset - _ROOM_S, rising=True),
            _place_edges(x, sr, line, edges[1], offset, onset + _ROOM_S, after, rising=False),
        ),
        axis=1,
    )


def _with_enough_evidence(spans: npt.NDArray[np.int64], evidence: F64) -> npt.NDArray[np.int64]:
    """Leave out what is too short or too weak to be talk; what stands alone must argue for itself."""
    if not len(spans):
        return spans
    total = np.concatenate(([0.0], np.cumsum(evidence)))
    weight = (total[spans[:, 1]] - total[spans[:, 0]]) * HOP_S
    pause_s = (spans[1:, 0] - spans[:-1, 1]) * HOP_S
    near = np.minimum(np.concatenate(([np.inf], pause_s)), np.concatenate((pause_s, [np.inf])))
    needed = np.where(near > _ALONE_S, _WEIGHT_ALONE, _WEIGHT_BESIDE)
    long = (spans[:, 1] - spans[:, 0]) * HOP_S >= _SHORTEST_S
    kept: npt.NDArray[np.int64] = spans[long & (weight >= needed)]
    return kept


def _blocks_with_context(line: _Line, powers: F32, reach: int) -> Iterator[tuple[F32, slice]]:
    """Features of a block of windows and those around it; which of them are the block."""
    for begin in range(0, powers.shape[0], _BLOCK):
        end = min(begin + _BLOCK, powers.shape[0])
        low, high = max(begin - reach, 0), min(end + reach, powers.shape[0])
        yield line.features(powers[low:high], slice(low, high)), slice(begin - low, end - low)


def _place_edges(
    x: npt.NDArray[np.floating],
    sr: int,
    line: _Line,
    network: Network,
    rough: F64,
    low: F64,
    high: F64,
    *,
    rising: bool,
) -> F64:
    """Median and interval of edges near `rough` and within `low` and `high`, in seconds, shape (k, 3)."""
    reach, hop_s = network.reach, network.hop_s
    search = round(_SEARCH_S / hop_s)
    steps = np.arange(-search - reach, search + reach + 1) * hop_s
    width = round(sr * EDGE_WINDOW_S)
    quantiles = np.array([0.5, _TAIL, 1.0 - _TAIL])
    found = np.empty((rough.size, 3))
    for begin in range(0, rough.size, _BATCH):
        some = slice(begin, min(begin + _BATCH, rough.size))
        times = rough[some, None] + steps
        starts = np.rint((times - EDGE_WINDOW_S / 2) * sr).astype(np.int64)
        starts = np.clip(starts, 0, x.size - width).ravel()
        at = np.rint((times - WINDOW_S / 2) / HOP_S).astype(np.int64)
        at = np.clip(at, 0, line.local.shape[0] - 1).ravel()
        powers = band_powers(x, sr, starts, EDGE_WINDOW_S)
        outputs = network(line.features(powers, at)).reshape(*times.shape, 2)
        outputs = outputs[:, reach:-reach].astype(np.float64)  # what is left has its whole context
        times = times[:, reach:-reach]
        inside = outputs[:, :, 1]  # evidence that a window is inside the spurt
        inner = (
            np.cumsum(inside[:, ::-1], axis=1)[:, ::-1]
            if rising
            else np.cumsum(inside, axis=1) - inside
        )
        allowed = (times >= low[some, None]) & (times <= high[some, None])
        allowed[~allowed.any(axis=1), search] = True
        score = np.where(allowed, outputs[:, :, 0] + inner, -np.inf)
        weight = np.exp(score - score.max(axis=1, keepdims=True))
        share = np.cumsum(weight, axis=1) / weight.sum(axis=1, keepdims=True)
        for row, (cumulated, t) in enumerate(zip(share, times, strict=True), start=begin):
            bounds = np.concatenate((t - hop_s / 2, [t[-1] + hop_s / 2]))
            found[row] = np.interp(quantiles, np.concatenate(([0.0], cumulated)), bounds)
    return found
