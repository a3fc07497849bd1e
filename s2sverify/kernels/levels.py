"""Loops of level measurement: running sums, the P.56 envelope, energies of frames.

Every loop carries its state in an array that it updates, so a signal in pieces gives the bits of the signal as
one. ``*_plain`` does the same in numpy or Python alone, to the bit, for work that is not worth a compiler.
"""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import numpy.typing as npt

from s2sverify.kernels._lazy import Kernel, kernel

Float = npt.NDArray[np.floating]
Float64 = npt.NDArray[np.float64]


@kernel(patience=1 << 22)
def running_sums(x, state):  # type: ignore[no-untyped-def]
    """Add `x` to its sum, its sum of squares and its peak, sample by sample.

    Parameters
    ----------
    x : float array, shape (n,)
    state : float64 array, shape (3,)
        Sum, sum of squares and largest magnitude so far; updated.
    """
    total, energy, peak = state[0], state[1], state[2]
    for i in range(len(x)):
        sample = x[i] * 1.0  # float64, also where x is float32
        total += sample
        energy += sample * sample
        peak = max(peak, abs(sample))
    state[0], state[1], state[2] = total, energy, peak


def running_sums_plain(x: Float, state: Float64) -> None:
    """`running_sums` in numpy: a cumulative sum adds in the order of the samples, too."""
    if not x.size:
        return
    line = np.empty(x.size + 1)
    line[0], line[1:] = state[0], x
    state[0] = line.cumsum()[-1]
    state[2] = max(state[2], float(np.abs(line[1:]).max()))
    line[0] = state[1]
    np.square(line[1:], out=line[1:])
    state[1] = line.cumsum()[-1]


@kernel(patience=1 << 19)
def envelope_activity(x, offset, g, thresholds, hang, envelope, counts):  # type: ignore[no-untyped-def]
    """Count, per threshold, the samples during which speech is active (Rec. ITU-T P.56, processes 1, 2).

    ``|x - offset|`` passes two equal one-pole smoothers. A sample is active at a threshold while the envelope
    is at or above it and for `hang` samples after, so pauses inside words stay active. Work is done only where
    the envelope crosses a threshold: runs are counted at their ends.

    Parameters
    ----------
    x : float array, shape (n,)
        One channel, full scale 1.0.
    offset : float
        Taken off every sample before its magnitude.
    g : float
        Smoothing per sample, ``exp(-1 / (sr * tau))``, in (0, 1).
    thresholds : float64 array, shape (k,)
        On the scale of `x`, ascending.
    hang : int
        Hangover in samples, >= 0.
    envelope : float64 array, shape (3,)
        Output of the first and of the second smoother, and the sum of squares so far; updated.
    counts : int64 array, shape (2 + 2 * k,)
        Samples so far, thresholds reached by the last one, then per threshold the samples of ended runs with
        their hangover, then per threshold the sample at which the present run began, or after which the last
        run has ended; updated.
    """
    smooth, second, energy = envelope[0], envelope[1], envelope[2]
    now, level, k = counts[0], counts[1], len(thresholds)
    low = thresholds[level - 1] if level > 0 else -1.0
    high = thresholds[level] if level < k else np.inf
    for i in range(len(x)):
        sample = x[i] - offset
        energy += sample * sample
        smooth = g * smooth + (1.0 - g) * abs(sample)
        second = g * second + (1.0 - g) * smooth
        if second < low or second >= high:
            while level > 0 and second < thresholds[level - 1]:
                level -= 1
                counts[2 + level] += now - counts[2 + k + level]
                counts[2 + k + level] = now
            while level < k and second >= thresholds[level]:
                if counts[2 + level] > 0:
                    counts[2 + level] += min(now - counts[2 + k + level], hang)
                counts[2 + k + level] = now
                level += 1
            low = thresholds[level - 1] if level > 0 else -1.0
            high = thresholds[level] if level < k else np.inf
        now += 1
    envelope[0], envelope[1], envelope[2] = smooth, second, energy
    counts[0], counts[1] = now, level


def envelope_activity_plain(
    x: Float,
    offset: float,
    g: float,
    thresholds: Float64,
    hang: int,
    envelope: Float64,
    counts: npt.NDArray[np.int64],
) -> None:
    """`envelope_activity` by the interpreter, on lists, where its loop is ten times faster than on arrays."""
    envelope_list, counts_list = envelope.tolist(), counts.tolist()
    envelope_activity.py_func(
        x.tolist(), offset, g, thresholds.tolist(), hang, envelope_list, counts_list
    )
    envelope[:], counts[:] = envelope_list, counts_list


def active_samples(counts: npt.NDArray[np.int64], hang: int) -> npt.NDArray[np.int64]:
    """Active samples per threshold from the `counts` of `envelope_activity`, the open run or hangover included."""
    k = (counts.size - 2) // 2
    ended, mark = counts[2 : 2 + k], counts[2 + k :]
    tail = counts[0] - mark
    running = np.arange(k) < counts[1]
    tail = np.where(running, tail, np.where(ended > 0, np.minimum(tail, hang), 0))
    return np.asarray(ended + tail, dtype=np.int64)


LANES = 16  # partial sums of a frame


def _load_frame_energies() -> Any:
    return importlib.import_module("s2sverify.kernels.lanes").frame_energies


frame_energies = Kernel(_load_frame_energies, patience=1 << 23, compiled=True)


def frame_energies_plain(x: Float, frame: int, energies: Float64) -> None:
    """Write the sum of squares of consecutive frames of `frame` samples to `energies`.

    Sample i of a frame belongs to partial sum ``i % 16``, held in the precision of `x`; the sixteen are added
    pairwise in float64, and what is left behind the last full group of sixteen is added one by one.
    """
    full = frame // LANES * LANES
    table = x[: energies.size * frame].reshape(energies.size, frame)
    lanes = np.zeros((energies.size, LANES), dtype=x.dtype)
    for start in range(0, full, LANES):
        lanes += np.square(table[:, start : start + LANES])
    sums = lanes.astype(np.float64)
    while sums.shape[1] > 1:
        half = sums.shape[1] // 2
        sums = sums[:, :half] + sums[:, half:]
    energies[:] = sums[:, 0]
    for i in range(full, frame):
        energies += np.square(table[:, i].astype(np.float64))
