"""Speaking rate: slower or faster speech at the same pitch, by overlapping frames where they fit best (WSOLA)."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from s2sverify._arrays import as_rate, is_number
from s2sverify.errors import InputError
from s2sverify.filters import windows
from s2sverify.levels import as_channel

Float32 = npt.NDArray[np.float32]

SLOWEST, FASTEST = 0.5, 2.0
_FRAME_S: Final = 0.030  # holds two pitch periods of a low voice
_SEARCH_S: Final = 0.010  # one pitch period of a low voice, to either side
_MATCH_HZ: Final = 8000  # frames are first compared at about this rate: speech has its pitch below


class TempoStream:
    """Change the rate of channels that come in pieces; parameters as for `change_rate`.

    All channels are cut at the same places, so they stay on one clock.

    Parameters
    ----------
    sr : int
        Sampling rate in Hz.
    rate : float
        Above 1 faster, below 1 slower.
    channels : int
        Channels of every piece, which has shape (channels, n).
    """

    def __init__(self, sr: int, *, rate: float, channels: int = 1) -> None:
        sr = as_rate(sr, lowest=400)
        if not (is_number(rate) and SLOWEST <= rate <= FASTEST):
            raise InputError(f"rate must lie in [{SLOWEST:g}, {FASTEST:g}], got {rate!r}")
        self._rate = float(rate)
        self._hop = round(sr * _FRAME_S / 2)
        self._search = round(sr * _SEARCH_S)
        self._step = max(1, sr // _MATCH_HZ)
        n = np.arange(2 * self._hop)
        self._window = (0.5 - 0.5 * np.cos(np.pi * (n + 0.5) / self._hop)).astype(np.float32)
        self._n_in = self._frames = 0
        self._start = (
            -self._hop
        )  # sample of the input at which `_held` begins: silence lies before it
        self._held = np.zeros((channels, self._hop), dtype=np.float32)
        self._tail = np.zeros(
            (channels, self._hop), dtype=np.float32
        )  # second half of the last frame
        self._natural = 0  # input sample that would follow the last frame

    def push(self, y: Float32) -> Float32:
        """Take the next samples, shape (channels, n), and give what they settle."""
        self._n_in += y.shape[1]
        if self._rate == 1.0:
            return y.copy()
        self._held = np.concatenate([self._held, y], axis=1)
        out = []
        while self._needs() <= self._n_in:
            out.append(self._frame())
        return np.concatenate(out, axis=1) if out else y[:, :0]

    def finish(self) -> Float32:
        """The rest: ``round(n / rate)`` samples have come out in all."""
        if self._rate == 1.0:
            return self._held[:, :0]
        left = round(self._n_in / self._rate) - max(0, self._frames - 1) * self._hop
        out = [self._held[:, :0]]
        have = 0
        while have < left:
            lacking = self._needs() - (self._start + self._held.shape[1])
            if lacking > 0:
                silence = np.zeros((self._held.shape[0], lacking), dtype=np.float32)
                self._held = np.concatenate([self._held, silence], axis=1)
            out.append(self._frame())
            have += out[-1].shape[1]
        return np.concatenate(out, axis=1)[:, :left]

    def _target(self) -> int:
        """Where the next frame begins if nothing is moved: frames are centred on multiples of the hop."""
        return round((self._frames - 1) * self._hop * (self._rate if self._frames else 1.0))

    def _needs(self) -> int:
        """Length of input that settles the next frame."""
        return max(self._target() + self._search, self._natural) + 2 * self._hop

    def _frame(self) -> Float32:
        """Settle the next frame and give the samples that no later frame reaches."""
        target, size = self._target(), 2 * self._hop
        begin = target if self._frames < 2 else self._best(target)
        frame = self._held[:, begin - self._start : begin - self._start + size] * self._window
        out = self._tail + frame[:, : self._hop]
        self._tail = frame[:, self._hop :]
        self._natural = begin + self._hop
        self._frames += 1
        keep = max(0, min(self._target() - self._search, self._natural) - self._start)
        self._held, self._start = self._held[:, keep:], self._start + keep
        return out if self._frames > 1 else out[:, :0]

    def _best(self, target: int) -> int:
        """The begin near `target` whose samples are most like those that would follow the last frame."""
        size, step, held = 2 * self._hop, self._step, self._held
        first = max(target - self._search, self._start)
        last = target + self._search
        at = self._natural - self._start
        coarse = range(first, last + 1, step)
        best = coarse[self._likest(held[:, at : at + size : step], held, first, len(coarse), step)]
        if step == 1:
            return best
        first = max(first, best - step + 1)
        count = min(last, best + step - 1) - first + 1
        return first + self._likest(held[:, at : at + size], held, first, count, 1)

    def _likest(self, wanted: Float32, held: Float32, first: int, count: int, step: int) -> int:
        """Which of `count` begins, `step` samples apart, correlates best over all channels."""
        n = wanted.shape[1]
        a = first - self._start
        span = held[:, a : a + (n + count - 1) * step : step].astype(np.float64)
        match = np.einsum("ckn,cn->k", windows(span, n), wanted.astype(np.float64))
        squares = np.concatenate([[0.0], np.cumsum(np.square(span).sum(axis=0))])
        energy = squares[n:] - squares[:-n]
        score = match / np.sqrt(energy + 1e-9)
        return int(np.argmax(score[:count]))


def change_rate(y: npt.ArrayLike, sr: int, rate: float) -> npt.NDArray[np.floating]:
    """Change the speaking rate of one channel without changing its pitch.

    Parameters
    ----------
    y : array-like of float or int16, shape (n,)
        Full scale 1.0 (int16: 32768).
    sr : int
        Sampling rate in Hz.
    rate : float
        In [0.5, 2]: 2 is twice as fast. 1 gives the same samples.

    Returns
    -------
    float array, shape (round(n / rate),)
        What was said at t is said within 30 ms of t / rate.

    Raises
    ------
    InputError
        If `y` is not one-dimensional and finite, or `rate` is out of range.

    References
    ----------
    Verhelst and Roelands, An overlap-add technique based on waveform similarity (WSOLA), ICASSP 1993.
    """
    x = as_channel(y)
    stream = TempoStream(sr, rate=rate)
    part = stream.push(x.astype(np.float32)[np.newaxis])
    out = np.concatenate([part, stream.finish()], axis=1)[0]
    return x.copy() if rate == 1 else out.astype(x.dtype)
