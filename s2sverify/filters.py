"""Linear operations on one channel: resampling, the telephone band, long FIR filters, whole or in pieces.

Every stream gives, put together, the bits of the whole form, whatever the pieces. FIR filters work on blocks
counted from the first sample of the signal, so a block holds the same samples however they came in.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any, Final, Protocol

import numpy as np
import numpy.typing as npt

from s2sverify._arrays import as_rate
from s2sverify.errors import InputError
from s2sverify.kernels import line as loops
from s2sverify.levels import as_channel

Float = npt.NDArray[np.floating]
Float64 = npt.NDArray[np.float64]

BAND_HZ: Final = (300.0, 3400.0)  # the telephone band, as in Rec. ITU-T G.712
_TRANSITION_HZ, _REJECTION_DB = 150.0, 60.0  # of the zero-phase band filter
_Q_ORDER_4 = tuple(1 / (2 * math.cos(math.pi * (2 * k + 1) / 8)) for k in (0, 1))  # Butterworth
_QUALITY = "HQ"  # soxr: 20 bit, pass-band to 0.91 of the lower Nyquist frequency


def windows(x: Float64, size: int) -> Float64:
    """All stretches of `size` samples along the last axis, without copying; shape (..., n - size + 1, size).

    Sums over them are taken by einsum: one thread and one order of summation, unlike BLAS. `x` is contiguous.
    """
    shape = (*x.shape[:-1], x.shape[-1] - size + 1, size)
    return np.ndarray(shape, x.dtype, x, strides=(*x.strides, x.strides[-1]))


class Stream(Protocol):
    """An operation on one channel that comes in pieces."""

    def push(self, y: Any, /) -> Any:
        """Take the next samples and give what they settle: as many samples, fewer, or more."""
        ...

    def finish(self) -> Any:
        """Give the rest. The stream takes nothing after it."""
        ...


class FirStream:
    """Filter a stream by overlap-save.

    Parameters
    ----------
    taps : float64 array, shape (t,)
        Impulse response.
    delay : int
        Samples by which the output is moved earlier: ``(t - 1) // 2`` makes symmetric taps zero-phase.
    """

    def __init__(self, taps: Float64, *, delay: int = 0) -> None:
        self._size = 1 << max(13, math.ceil(math.log2(4 * taps.size)))
        self._spectrum = np.fft.rfft(taps, self._size)
        self._hop = self._size - taps.size + 1
        self._held = np.zeros(
            taps.size - 1
        )  # input that the next block still needs, then new input
        self._parts: list[Float] = []
        self._new = 0
        self._skip = self._delay = delay
        self._dtype: Any = np.float64

    def push(self, y: Float) -> Float:
        """Take the next samples; as many whole blocks as they complete come back."""
        self._dtype = y.dtype
        self._parts.append(y)
        self._new += y.size
        if self._new < self._hop:
            return np.zeros(0, dtype=y.dtype)
        x = np.concatenate([self._held, *self._parts])
        blocks = self._new // self._hop
        out = np.empty(blocks * self._hop, dtype=y.dtype)
        for k in range(blocks):
            start = k * self._hop
            out[start : start + self._hop] = self._block(x[start : start + self._size])
        tail = x[blocks * self._hop :]
        self._new -= blocks * self._hop
        cut = tail.size - self._new
        self._held, self._parts = tail[:cut].copy(), [tail[cut:].copy()]
        skipped = min(self._skip, out.size)
        self._skip -= skipped
        return out[skipped:]

    def finish(self) -> Float:
        """The last samples, so that as many have come out as went in."""
        self._parts.append(np.zeros(self._delay))
        x = np.concatenate([self._held, *self._parts])
        size = self._new + self._delay
        out = np.empty(size, dtype=self._dtype)
        for start in range(0, size, self._hop):
            end = min(start + self._hop, size)
            out[start:end] = self._block(x[start : start + self._size])[: end - start]
        return out[self._skip :]

    def _block(self, x: Float64) -> Float64:
        filtered = np.fft.irfft(np.fft.rfft(x, self._size) * self._spectrum, self._size)
        return filtered[self._size - self._hop :]


def check_band(sr: int, low_hz: float, high_hz: float) -> None:
    """Raise InputError where the edges of a band do not fit each other and the rate."""
    if not 0 < low_hz < high_hz < sr / 2:
        raise InputError(
            f"low_hz and high_hz must satisfy 0 < low_hz < high_hz < sr / 2 = {sr / 2:g}, "
            f"got {low_hz:g} and {high_hz:g}"
        )


@lru_cache(maxsize=32)
def band_taps(sr: int, low_hz: float, high_hz: float) -> Float64:
    """Symmetric band-pass of odd length, 3 dB down at both edges; see `band_limit` for its figures."""
    beta = 0.1102 * (_REJECTION_DB - 8.7)  # Kaiser (1974)
    half = math.ceil((_REJECTION_DB - 7.95) / 14.36 * sr / _TRANSITION_HZ / 2)
    n = np.arange(-half, half + 1)
    window = np.kaiser(2 * half + 1, beta)

    def low_pass(edge_hz: float) -> Float64:
        taps = window * np.sinc(2 * edge_hz / sr * n)
        return np.asarray(taps / taps.sum())

    def widened(edge_hz: float, sign: float) -> Float64:
        """The low-pass whose gain at `edge_hz` is what leaves the band 3 dB down there."""
        wanted = math.sqrt(0.5) if sign > 0 else 1 - math.sqrt(0.5)
        cosine = np.cos(2 * math.pi * edge_hz / sr * n)
        near, far = 0.0, min(_TRANSITION_HZ, edge_hz, sr / 2 - edge_hz)
        for _ in range(40):
            shift = (near + far) / 2
            above = float(low_pass(edge_hz + sign * shift) @ cosine) > wanted
            near, far = (near, shift) if above == (sign > 0) else (shift, far)
        return low_pass(edge_hz + sign * near)

    taps = widened(high_hz, 1.0) - widened(low_hz, -1.0)
    taps.flags.writeable = False
    return taps


@lru_cache(maxsize=32)
def band_sections(sr: int, low_hz: float, high_hz: float) -> Float64:
    """Butterworth high-pass and low-pass of order 4, as rows b0, b1, b2, a1, a2; shape (4, 5)."""
    rows = []
    for edge_hz, high_pass in ((low_hz, True), (high_hz, False)):
        w = 2 * math.pi * edge_hz / sr  # bilinear transform, the edge kept in place
        for q in _Q_ORDER_4:
            alpha, cosine = math.sin(w) / (2 * q), math.cos(w)
            b1 = -(1 + cosine) if high_pass else 1 - cosine
            b0 = abs(b1) / 2
            rows.append([b0, b1, b0, -2 * cosine, 1 - alpha])
            rows[-1] = [value / (1 + alpha) for value in rows[-1]]
    sections = np.array(rows)
    sections.flags.writeable = False
    return sections


class BandStream:
    """The telephone band on a stream; parameters as for `band_limit`."""

    def __init__(
        self,
        sr: int,
        *,
        low_hz: float = BAND_HZ[0],
        high_hz: float = BAND_HZ[1],
        causal: bool = False,
    ) -> None:
        sr = as_rate(sr)
        check_band(sr, low_hz, high_hz)
        self._fir: FirStream | None = None
        if causal:
            self._sections = band_sections(sr, low_hz, high_hz)
            self._state = np.zeros((len(self._sections), 2))
        else:
            taps = band_taps(sr, low_hz, high_hz)
            self._fir = FirStream(taps, delay=taps.size // 2)

    def push(self, y: npt.ArrayLike) -> Float:
        """Take the next samples. The causal form gives one back for each; the other settles block by block."""
        x = as_channel(y)
        if self._fir is not None:
            return self._fir.push(x)
        out = np.empty_like(x)
        loop = loops.biquads
        run = loop if loop.earned(x.size) else loops.biquads_plain
        run(x, self._sections, self._state, out)
        return out

    def finish(self) -> Float:
        """The rest; empty for the causal form."""
        return np.zeros(0, dtype=np.float32) if self._fir is None else self._fir.finish()


def band_limit(
    y: npt.ArrayLike,
    sr: int,
    *,
    low_hz: float = BAND_HZ[0],
    high_hz: float = BAND_HZ[1],
    causal: bool = False,
) -> Float:
    """Limit one channel to a band, the telephone's by default.

    Parameters
    ----------
    y : array-like of float or int16, shape (n,)
        Full scale 1.0 (int16: 32768).
    sr : int
        Sampling rate in Hz.
    low_hz, high_hz : float
        Edges, at which the filter is 3 dB down.
    causal : bool
        False: zero phase, nothing is delayed; within 0.1 dB from 50 Hz inside the edges, 60 dB down from 100 Hz
        outside. True: what a real line does, without look-ahead; Butterworth of order 4 at each edge.

    Returns
    -------
    float array, shape (n,)

    Raises
    ------
    InputError
        If `y` is not one-dimensional and finite, or the edges do not fit below half the rate.

    References
    ----------
    Kaiser, Nonrecursive digital filter design using the I0-sinh window function (1974).
    """
    stream = BandStream(sr, low_hz=low_hz, high_hz=high_hz, causal=causal)
    x = as_channel(y)
    return np.concatenate([stream.push(x), stream.finish().astype(x.dtype)])


class ResampleStream:
    """Resample one channel that comes in pieces; parameters as for `resample`.

    What comes out is aligned with what went in: the filter's delay is taken off, and `finish` gives the rest.
    """

    def __init__(self, sr: int, to_hz: int, *, dtype: npt.DTypeLike = np.float32) -> None:
        sr, to_hz = as_rate(sr), as_rate(to_hz, name="to_hz")
        self._dtype = np.dtype(dtype)
        if self._dtype not in (np.float32, np.float64):
            raise InputError(f"dtype must be float32 or float64, got {self._dtype}")
        self._soxr: Any = None
        if sr != to_hz:
            import soxr

            self._soxr = soxr.ResampleStream(sr, to_hz, 1, dtype=self._dtype.name, quality=_QUALITY)

    def push(self, y: npt.ArrayLike) -> Float:
        """Take the next samples and give what they settle."""
        x = as_channel(y).astype(self._dtype, copy=False)
        return x.copy() if self._soxr is None else self._chunk(x, last=False)

    def finish(self) -> Float:
        """The rest."""
        rest = np.zeros(0, dtype=self._dtype)
        return rest if self._soxr is None else self._chunk(rest, last=True)

    def _chunk(self, x: Float, *, last: bool) -> Float:
        return np.asarray(self._soxr.resample_chunk(x, last=last))


def resample(y: npt.ArrayLike, sr: int, to_hz: int) -> Float:
    """Resample along the last axis, without delay.

    Parameters
    ----------
    y : array-like of float or int16, shape (n,) or (channel, n)
        Full scale 1.0 (int16: 32768, and float32 comes back).
    sr, to_hz : int
        Rates in Hz.

    Returns
    -------
    float array of the precision of `y`, shape (m,) or (channel, m)
        ``m`` is ``n * to_hz / sr``, rounded. Flat within 0.1 dB to 0.93 of the lower Nyquist frequency, and
        100 dB down from 1.05 of it.

    Raises
    ------
    InputError
        If `y` is not finite, floating point or int16, of one or two dimensions, or a rate is no whole number.
    """
    sr, to_hz = as_rate(sr), as_rate(to_hz, name="to_hz")
    shape = np.shape(y)
    if len(shape) == 2:
        if not shape[0]:
            raise InputError(f"y must hold at least one channel, got shape {shape}")
        return np.stack([resample(row, sr, to_hz) for row in np.asarray(y)])
    if len(shape) != 1:
        raise InputError(f"y must have shape (n,) or (channel, n), got {shape}")
    x = as_channel(y)
    if sr == to_hz or not x.size:
        return x.copy()
    import soxr

    return np.asarray(soxr.resample(x, sr, to_hz, quality=_QUALITY))
