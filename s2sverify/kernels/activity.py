"""Loops of speech activity: powers on a grid of short cells, runs of a mask, algebra of intervals.

Everything here is whole-array numpy, so that the path of a short command never waits for a compiler. Cells are
the pieces of a signal between consecutive integer `edges`; a window is a whole number of neighbouring cells.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Float = npt.NDArray[np.float64]
Int = npt.NDArray[np.int64]
Bool = npt.NDArray[np.bool_]


def cell_edges(first: int, last: int, sr: int, per_second: int) -> Int:
    """Sample index at which each cell of ``[first, last)`` begins, and the end of the last one.

    Parameters
    ----------
    first, last : int
        Cell numbers, half-open.
    sr : int
        Samples per second.
    per_second : int
        Cells per second; cell k begins at ``round(k * sr / per_second)``, halves up.

    Returns
    -------
    int64 array, shape (last - first + 1,)
    """
    k = np.arange(first, last + 1, dtype=np.int64)
    return (2 * k * sr + per_second) // (2 * per_second)


def cell_sums(x: npt.NDArray[np.floating], edges: Int) -> tuple[Float, Float]:
    """Sum and sum of squares of every cell.

    Parameters
    ----------
    x : float array, shape (n,)
        Samples; `edges` count from its first one.
    edges : int64 array, shape (k + 1,)
        Rising; every cell holds at least one sample.

    Returns
    -------
    sums, squares : float64 arrays, shape (k,)
    """
    if edges.size < 2:
        return np.zeros(0), np.zeros(0)
    part = x[edges[0] : edges[-1]]
    widths = np.diff(edges)
    width = int(widths[0])
    if (widths == width).all():
        table = part.reshape(
            -1, width
        )  # einsum, not BLAS: its sums do not depend on the number of rows
        sums, squares = np.einsum("ij->i", table), np.einsum("ij,ij->i", table, table)
        return sums.astype(np.float64), squares.astype(np.float64)
    starts = edges[:-1] - edges[0]
    return (
        np.add.reduceat(part, starts, dtype=np.float64),
        np.add.reduceat(np.square(part), starts, dtype=np.float64),
    )


def window_sums(cells: Float, width: int, *, step: int = 1) -> Float:
    """Sum of every `width` cells that lie `step` apart.

    Sums double, and the additions run in the same order wherever a block begins, so blocks give what the whole
    gives, bit for bit.

    Parameters
    ----------
    cells : float64 array, shape (k,)
    width : int
        Cells per window, at least 1.
    step : int
        Distance of the cells of one window, at least 1.

    Returns
    -------
    float64 array, shape (max(0, k - (width - 1) * step),)
        Window j covers the cells ``j, j + step, ...``, `width` of them.
    """
    n = cells.size - (width - 1) * step
    if n <= 0:
        return np.zeros(0)
    total: Float | None = None
    power, size, done = (
        cells,
        1,
        0,
    )  # sums of `size` cells; `done` cells of the window are in `total`
    while True:
        if width & size:
            part = power[done * step :][:n]
            total = part.copy() if total is None else total + part
            done += size
        if total is not None and done == width:
            return total
        power = power[: power.size - size * step] + power[size * step :]
        size *= 2


def runs(mask: Bool) -> Int:
    """Stretches in which `mask` is true, as half-open index pairs, shape (k, 2)."""
    if not mask.size:
        return np.zeros((0, 2), dtype=np.int64)
    change = np.flatnonzero(mask[1:] != mask[:-1]) + 1
    edges = np.concatenate(([0] if mask[0] else [], change, [mask.size] if mask[-1] else []))
    return edges.astype(np.int64).reshape(-1, 2)


def join_runs(spans: npt.NDArray[Any], gap: float) -> Int:
    """Number the group of every interval: one closer to those before it than `gap` joins their group.

    Parameters
    ----------
    spans : array, shape (k, 2)
        Half-open, ascending by start; they may overlap.
    gap : float
        Joined are intervals that are less than `gap` apart.

    Returns
    -------
    int64 array, shape (k,)
        Group numbers, rising from 0.
    """
    if not len(spans):
        return np.zeros(0, dtype=np.int64)
    reach = np.maximum.accumulate(spans[:, 1])
    return np.concatenate(([0], np.cumsum(spans[1:, 0] - reach[:-1] >= gap))).astype(np.int64)


def intersect(a: Float, b: Float) -> Float:
    """Common parts of two sets of intervals.

    Parameters
    ----------
    a, b : float64 arrays, shape (k, 2) and (m, 2)
        Half-open; ascending and disjoint within each set.

    Returns
    -------
    float64 array, shape (j, 2)
        Ascending; intervals that only touch have nothing in common.
    """
    starts = np.concatenate((a[:, 0], b[:, 0]))
    ends = np.concatenate((a[:, 1], b[:, 1]))
    times = np.concatenate((ends, starts))
    steps = np.concatenate((np.full(ends.size, -1), np.full(starts.size, 1)))
    order = np.lexsort((steps, times))  # at equal times an end comes first: touching is not overlap
    depth = np.cumsum(steps[order])
    at = np.flatnonzero(depth[:-1] == 2) if depth.size else np.zeros(0, dtype=np.int64)
    times = times[order]
    found = np.stack((times[at], times[at + 1]), axis=1)
    return found[found[:, 1] > found[:, 0]]


def sliding_extreme(x: Float, reach: int, *, largest: bool) -> Float:
    """Largest or smallest value within `reach` places on either side of each place, edges included."""
    if not x.size or reach <= 0:
        return x.copy()
    pick = np.maximum if largest else np.minimum
    pad = np.full(reach, -np.inf if largest else np.inf)
    padded = np.concatenate((pad, x, pad))
    width, done = 2 * reach + 1, 1
    while 2 * done <= width:  # windows double until one more step of overlap covers the width
        padded = pick(padded[:-done], padded[done:])
        done *= 2
    if done < width:
        padded = pick(padded[: -(width - done)], padded[width - done :])
    return padded[: x.size]


def group_spans(spans: npt.NDArray[Any], groups: Int) -> npt.NDArray[Any]:
    """From the first start to the last end of every group of intervals, shape (groups, 2)."""
    if not len(spans):
        return spans
    first = np.searchsorted(groups, np.arange(groups[-1] + 1))
    return np.stack((spans[first, 0], np.maximum.reduceat(spans[:, 1], first)), axis=1)


def clipped_walk(steps: Float, limit: float) -> Float:
    """Sum of `steps` in which the sum before each step is kept within ``+-limit``; it begins at ``-limit``.

    This is the decision variable of a two-state Viterbi search: its sign-sure places are where it reaches the
    limit. Computed by doubling, as every step is a clipped shift and these compose to one of their kind.

    Parameters
    ----------
    steps : float64 array, shape (n,)
    limit : float
        Above 0.

    Returns
    -------
    float64 array, shape (n,)
    """
    shift = steps.copy()
    low, high = steps - limit, steps + limit
    reach = 1
    while reach < steps.size:
        # the later of each pair comes last: x -> clip(clip(x + a, l, u) + b, m, v)
        b, m, v = shift[reach:], low[reach:], high[reach:]
        low[reach:], high[reach:], shift[reach:] = (
            np.clip(low[:-reach] + b, m, v),
            np.clip(high[:-reach] + b, m, v),
            shift[:-reach] + b,
        )
        reach *= 2
    return np.clip(shift - limit, low, high)


def shifted_sum(
    x: npt.NDArray[np.float32], weights: npt.NDArray[np.float32], offsets: tuple[int, ...]
) -> npt.NDArray[np.float32]:
    """Weighted sum over the rows around every row: the first layer of a network with context.

    Parameters
    ----------
    x : float32 array, shape (n, m)
    weights : float32 array, shape (len(offsets), m, units)
    offsets : tuple of int
        Which rows, relative to each; rows beyond the ends repeat the outermost.

    Returns
    -------
    float32 array, shape (n, units)
    """
    n, units = x.shape[0], weights.shape[2]
    stacked = np.ascontiguousarray(weights.transpose(1, 0, 2)).reshape(x.shape[1], -1)
    parts = (x @ stacked).reshape(n, len(offsets), units)
    total = np.zeros((n, units), dtype=np.float32)
    for k, offset in enumerate(offsets):
        low, high = min(max(-offset, 0), n), max(min(n - offset, n), 0)
        if low < high:
            total[low:high] += parts[low + offset : high + offset, k]
        total[:low] += parts[0, k]
        total[max(high, low) :] += parts[-1, k]
    return total
