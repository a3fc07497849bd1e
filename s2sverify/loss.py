"""Frames lost on the way, and what a receiver plays in their place.

Which frames are lost is drawn frame by frame from two states (Gilbert, Elliott), given as the share of frames
lost and the mean length of a burst. Concealment looks back only, as a receiver must; the first milliseconds after a
burst are faded over from the substitute.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
import numpy.typing as npt

from s2sverify._arrays import as_rate, as_rng, is_number
from s2sverify.errors import InputError
from s2sverify.filters import windows
from s2sverify.g711 import SILENCE_CODE, Law, as_law, decode, encode, to_float, to_int16
from s2sverify.kernels import line as loops
from s2sverify.levels import as_channel
from s2sverify.types import Interval

Float32 = npt.NDArray[np.float32]
Bool = npt.NDArray[np.bool_]
Conceal = Literal["zero", "repeat", "pitch"]
CONCEALERS: Final[tuple[str, ...]] = ("zero", "repeat", "pitch")

# Waveform substitution: numbers chosen by PESQ (Rec. ITU-T P.862, narrow band) on recorded speech at 10 % loss.
_LONGEST_PERIOD_S, _SHORTEST_PERIOD_S = 0.020, 0.004
_MATCH_S = 0.006  # length over which the period is matched
_ENVELOPE_S = 0.020  # of the spectrum, and of the level whose fall goes on
_WIDENED, _NOISE_FLOOR = 0.998, 1e-4  # keep the envelope's resonances from ringing
_SLOWEST_FALL = 0.5  # of the level, from one 20 ms to the next
_SILENT_AFTER_S = 0.100  # of a burst; the substitute fades evenly until then
# Back into the received signal the substitute is faded over this long, and longer after a longer burst.
_OVERLAP_S, _OVERLAP_PER_LOST, _LONGEST_OVERLAP_S = 0.002, 0.2, 0.010


def loss_probabilities(loss: float, burst_frames: float) -> tuple[float, float]:
    """Chance that a frame is lost after a received one, and after a lost one.

    Parameters
    ----------
    loss : float
        Share of frames lost, in [0, 1].
    burst_frames : float
        1: independent loss, whose bursts have 1 / (1 - loss) frames in the mean. Above 1: mean length of a burst
        in frames, in a two-state chain.

    Raises
    ------
    InputError
        If the two do not go together: a two-state chain needs ``loss <= burst_frames / (1 + burst_frames)``.
    """
    if not (is_number(loss) and 0 <= loss <= 1):
        raise InputError(f"loss must be a share in [0, 1], got {loss!r}")
    if not (is_number(burst_frames) and 1 <= burst_frames < math.inf):
        raise InputError(f"burst_frames must be at least 1 frame, got {burst_frames!r}")
    if burst_frames == 1 or loss in (0, 1):
        return float(loss), float(loss)
    to_bad = loss / (burst_frames * (1 - loss))
    if to_bad > 1:
        raise InputError(
            f"loss must be at most burst_frames / (1 + burst_frames) = "
            f"{burst_frames / (1 + burst_frames):.3g} for bursts of {burst_frames:g} frames, got {loss:g}"
        )
    return float(to_bad), 1 - 1 / float(burst_frames)


class LossPattern:
    """Draws which frames are lost, one uniform number per frame, so the pieces do not matter."""

    def __init__(self, loss: float, burst_frames: float, rng: np.random.Generator) -> None:
        self._after_good, self._after_bad = loss_probabilities(loss, burst_frames)
        self._loss, self._rng = float(loss), rng
        self._last: bool | None = None

    def take(self, frames: int) -> Bool:
        """Whether each of the next `frames` frames is lost."""
        u = self._rng.random(frames)
        if not frames or self._after_good == self._after_bad:
            return u < self._after_good
        if self._last is None:  # the first frame is as likely to be lost as any
            self._last = bool(u[0] < self._loss)
            rest = self._chain(u[1:], self._last)
            lost = np.concatenate([[self._last], rest])
        else:
            lost = self._chain(u, self._last)
        self._last = bool(lost[-1])
        return lost

    def _chain(self, u: npt.NDArray[np.float64], last: bool) -> Bool:
        """Follow the chain without a loop: below both chances is lost, above both received, between depends."""
        low = min(self._after_good, self._after_bad)
        high = max(self._after_good, self._after_bad)
        settled = np.concatenate([[True], (u < low) | (u >= high)])
        value = np.concatenate([[last], u < low])
        since = np.maximum.accumulate(np.where(settled, np.arange(settled.size), 0))
        lost = value[since]
        if (
            self._after_bad < self._after_good
        ):  # between the two, each frame differs from the one before
            lost = lost ^ ((np.arange(settled.size) - since) % 2 == 1)
        return np.asarray(lost[1:], dtype=np.bool_)


def frame_edges(first: int, frames: int, sr: int, frame_s: float) -> npt.NDArray[np.int64]:
    """Sample at which each of `frames` frames from number `first` on begins, and the end of the last."""
    edges = np.floor(np.arange(first, first + frames + 1) * (sr * frame_s) + 0.5)
    return np.asarray(edges, dtype=np.int64)


class _Concealer:
    """Fills lost frames of one channel, frame after frame; holds what was last played.

    "pitch" takes the spectral envelope off what was played last (linear prediction), repeats the last pitch period of
    what is left, and puts the envelope back on; the filter runs on from what was played, so nothing steps.
    """

    def __init__(self, sr: int, how: str, longest_frame: int) -> None:
        self._sr, self._how = sr, how
        self._longest = max(4, math.ceil(sr * _LONGEST_PERIOD_S))
        self._shortest = max(2, math.floor(sr * _SHORTEST_PERIOD_S))
        self._match = max(4, round(sr * _MATCH_S))
        self._span = max(8, round(sr * _ENVELOPE_S))
        self._order = min(32, 8 + sr // 1000, self._span // 2)
        reach = self._longest + max(self._match, self._longest // 4 + 1 + self._order)
        size = max(longest_frame, reach, 2 * self._span)
        self._history = np.zeros(size, dtype=np.float32)
        self._cycle = np.zeros(1)  # what the present burst repeats
        self._predictor = np.zeros(0)
        self._memory = np.zeros(0)  # of the envelope's filter: its last outputs, the latest first
        self._fall = 1.0  # of the level in a sample
        self._played = 0  # samples of substitute in the present burst

    def received(self, x: Float32) -> Float32:
        """Samples that came, their first milliseconds faded over from the substitute after a burst."""
        if self._played and x.size:
            if self._how == "pitch":
                x = x.copy()
                overlap_s = _OVERLAP_S + _OVERLAP_PER_LOST * self._played / self._sr
                size = max(1, round(min(_LONGEST_OVERLAP_S, overlap_s) * self._sr))
                rise = (np.arange(1, size + 1) / (size + 1)).astype(np.float32)[: x.size]
                x[: rise.size] = x[: rise.size] * rise + self._substitute(rise.size) * (1 - rise)
            self._played = 0
        self._remember(x)
        return x

    def lost(self, size: int, previous: int) -> Float32:
        """A frame of `size` samples that did not come; the one before it had `previous`."""
        if self._how == "zero":
            return np.zeros(size, dtype=np.float32)
        if not self._played:
            self._begin(previous)
        out = self._substitute(size)
        self._remember(out)
        return out

    def _remember(self, x: Float32) -> None:
        keep = self._history.size
        if x.size >= keep:
            self._history = x[x.size - keep :].copy()
        elif x.size:
            self._history = np.concatenate([self._history[x.size :], x])

    def _begin(self, previous: int) -> None:
        history = self._history.astype(np.float64)
        if self._how == "repeat":
            self._cycle = history[history.size - max(1, previous) :]
            return
        period = self._pitch_period(history)
        fade = max(1, period // 4)  # the end of the cycle runs into what precedes its beginning
        self._predictor = self._prediction(history[-self._span :])
        taps = np.concatenate([self._predictor[::-1], [1.0]])
        residue = np.einsum(
            "ij,j->i", windows(history[-period - fade - self._order :], taps.size), taps
        )
        rise = np.arange(1, fade + 1) / (fade + 1)
        cycle = residue[fade:]
        cycle[-fade:] = cycle[-fade:] * (1 - rise) + residue[:fade] * rise
        self._cycle, self._memory = cycle, history[: -self._order - 1 : -1].copy()
        last, before = (
            float(np.square(part).sum()) + 1e-9
            for part in (history[-self._span :], history[-2 * self._span : -self._span])
        )
        self._fall = min(1.0, max(_SLOWEST_FALL, math.sqrt(last / before))) ** (1 / self._span)

    def _pitch_period(self, history: npt.NDArray[np.float64]) -> int:
        """Lag at which the last milliseconds are most like what went before, by normalised correlation."""
        target = history[-self._match :]
        first = history.size - self._match - self._longest
        span = history[first : history.size - self._shortest]
        match = np.einsum("ij,j->i", windows(span, self._match), target)
        squares = np.concatenate([[0.0], np.cumsum(np.square(span))])
        energy = squares[self._match :] - squares[: -self._match]
        floor = 1e-12 + 1e-3 * float(np.square(target).sum())
        return self._longest - int(np.argmax(match / np.sqrt(np.maximum(energy, floor))))

    def _prediction(self, x: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Coefficients a with x[n] + sum(a[k] x[n - 1 - k]) small, by the autocorrelation method (Levinson, Durbin)."""
        order = self._order
        shaped = np.concatenate([x * np.hanning(x.size), np.zeros(order)])
        lags = np.einsum("ij,j->i", windows(shaped, x.size), shaped[: x.size])
        error = float(lags[0]) * (1 + _NOISE_FLOOR) + 1e-9
        a = np.zeros(order)
        for k in range(order):
            reflection = -(lags[k + 1] + float((a[:k] * lags[k:0:-1]).sum())) / error
            a[:k] = a[:k] + reflection * a[:k][::-1]
            a[k] = reflection
            error *= 1 - reflection * reflection
        return np.asarray(a * _WIDENED ** np.arange(1, order + 1))

    def _substitute(self, size: int) -> Float32:
        """The next `size` samples of the repeated cycle, faded by how long the burst has lasted."""
        at = self._played + np.arange(size)
        out = self._cycle[at % self._cycle.size]
        self._played += size
        if self._how == "pitch":
            loop = loops.all_pole
            run = loop if loop.earned(size * 16) else loops.all_pole_plain
            run(out, self._predictor, self._memory)
            out = out * self._fall**at
        fade = np.maximum(1 - at / (self._sr * _SILENT_AFTER_S), 0.0)
        return np.asarray(out * fade, dtype=np.float32)


def _check_frame(sr: int, frame_s: float) -> None:
    if not (math.isfinite(frame_s) and sr * frame_s >= 1):
        raise InputError(f"frame_s must be at least one sample long, 1 / {sr} s, got {frame_s}")


def _check_conceal(conceal: str) -> None:
    if conceal not in CONCEALERS:
        raise InputError(f"conceal must be one of {', '.join(CONCEALERS)}, got {conceal!r}")


class LossStream:
    """Lose frames of one channel that comes in pieces; parameters as for `drop_frames`.

    A frame is settled when its last sample is there. ``lost`` is the record so far, one entry per frame.
    """

    def __init__(
        self,
        sr: int,
        *,
        loss: float,
        rng: int | np.random.Generator,
        burst_frames: float = 1,
        frame_s: float = 0.02,
        conceal: str = "zero",
        law: str | None = None,
    ) -> None:
        self._sr, self._frame_s = as_rate(sr), float(frame_s)
        _check_frame(self._sr, self._frame_s)
        _check_conceal(conceal)
        self._law: Law | None = None if law is None else as_law(law)
        self._pattern = LossPattern(loss, burst_frames, as_rng(rng))
        self._conceal = conceal
        self._concealer = _Concealer(self._sr, conceal, math.ceil(self._sr * self._frame_s))
        self._kind: np.dtype[np.generic] | None = None
        self._pending: list[npt.NDArray[np.generic]] = []
        self._n_pending = self._n_done = 0
        self._n_frames = 0
        self._last_width = 1
        self._lost: list[Bool] = []

    @property
    def lost(self) -> Bool:
        """Whether each frame so far was lost; shape (frames,)."""
        return np.concatenate(self._lost) if self._lost else np.zeros(0, dtype=np.bool_)

    @property
    def edges(self) -> npt.NDArray[np.int64]:
        """Sample at which each frame so far begins, and the end of the last one; shape (frames + 1,)."""
        edges = frame_edges(0, self._n_frames, self._sr, self._frame_s)
        return np.minimum(edges, self._n_done)

    def push(self, y: npt.ArrayLike | bytes) -> npt.NDArray[np.generic]:
        """Take the next samples or codes and give the frames that are settled."""
        x = self._checked(y)
        self._pending.append(x)
        self._n_pending += x.size
        frame = self._sr * self._frame_s
        whole = int((self._n_done + self._n_pending) / frame + 1e-9) + 1 - self._n_frames
        edges = frame_edges(self._n_frames, max(0, whole), self._sr, self._frame_s)
        whole = int(np.searchsorted(edges, self._n_done + self._n_pending, side="right")) - 1
        if whole < 1:
            return x[:0]
        return self._settle(edges[: whole + 1])

    def finish(self) -> npt.NDArray[np.generic]:
        """The last frame, where it is a partial one."""
        if not self._n_pending:
            return np.zeros(0, dtype=self._kind or np.float32)
        return self._settle(np.array([self._n_done, self._n_done + self._n_pending]))

    def _checked(self, y: npt.ArrayLike | bytes) -> npt.NDArray[np.generic]:
        if self._law is not None:
            x: npt.NDArray[np.generic] = np.ascontiguousarray(as_codes_1d(y))
        else:
            array = np.asarray(y)
            x = np.ascontiguousarray(array) if array.dtype == np.int16 else as_channel(array)
            if x.ndim != 1:
                raise InputError(f"y must have shape (n,), got {x.shape}")
        if self._kind is not None and x.dtype != self._kind:
            raise InputError(
                f"every piece must have the dtype of the first, {self._kind}, got {x.dtype}"
            )
        self._kind = x.dtype
        return x

    def _settle(self, edges: npt.NDArray[np.int64]) -> npt.NDArray[np.generic]:
        """Pass the frames between `edges`, which begin at the first pending sample."""
        pending = self._pending[0] if len(self._pending) == 1 else np.concatenate(self._pending)
        size = int(edges[-1] - edges[0])
        x, rest = pending[:size], pending[size:]
        lost = self._pattern.take(edges.size - 1)
        self._lost.append(lost)
        self._n_frames += lost.size
        self._n_done, self._n_pending, self._pending = int(edges[-1]), rest.size, [rest.copy()]
        if self._conceal == "zero":
            return _silenced(x, lost, edges - edges[0], self._law)
        return self._concealed(x, lost, edges - edges[0])

    def _concealed(
        self, x: npt.NDArray[np.generic], lost: Bool, edges: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.generic]:
        samples = _as_float32(x, self._law)
        filled = samples.copy()
        turns = np.flatnonzero(np.diff(lost)) + 1
        bounds = np.concatenate([[0], turns, [lost.size]])
        frame = self._concealer
        for first, last in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
            if lost[first]:
                for k in range(first, last):
                    size = int(edges[k + 1] - edges[k])
                    previous = int(edges[k] - edges[k - 1]) if k else self._last_width
                    filled[edges[k] : edges[k + 1]] = frame.lost(size, previous)
            else:
                part = slice(int(edges[first]), int(edges[last]))
                filled[part] = frame.received(samples[part])
        self._last_width = int(edges[-1] - edges[-2])
        return _as_kind(filled, samples, x, self._law)


def as_codes_1d(y: npt.ArrayLike | bytes) -> npt.NDArray[np.uint8]:
    """Codes of shape (n,), from bytes or an array."""
    codes = np.frombuffer(y, dtype=np.uint8) if isinstance(y, bytes) else np.asarray(y)
    if codes.dtype != np.uint8 or codes.ndim != 1:
        raise InputError(
            f"y must be bytes or uint8 of shape (n,) where a law is given, got {codes.dtype} {codes.shape}"
        )
    return codes


def _silenced(
    x: npt.NDArray[np.generic], lost: Bool, edges: npt.NDArray[np.int64], law: Law | None
) -> npt.NDArray[np.generic]:
    silence = 0 if law is None else SILENCE_CODE[law]
    out = x.copy()
    widths = np.diff(edges)
    width = int(widths[0])
    if (widths == width).all():
        out.reshape(-1, width)[lost] = silence
    else:
        for k in np.flatnonzero(lost):
            out[edges[k] : edges[k + 1]] = silence
    return out


def _as_float32(x: npt.NDArray[np.generic], law: Law | None) -> Float32:
    if law is not None:
        return to_float(decode(x, law))
    return to_float(x) if x.dtype == np.int16 else np.asarray(x, dtype=np.float32)


def _as_kind(
    filled: Float32, before: Float32, x: npt.NDArray[np.generic], law: Law | None
) -> npt.NDArray[np.generic]:
    """`filled` in the form of `x`, and `x` itself wherever nothing was changed."""
    if law is not None:
        new: npt.NDArray[np.generic] = encode(filled, law)[0]
    elif x.dtype == np.int16:
        new = to_int16(filled).x
    else:
        new = filled.astype(x.dtype, copy=False)
    return np.where(filled == before, x, new)


@dataclass(frozen=True, slots=True, eq=False)
class FrameLoss:
    """A channel after frame loss, and what was lost."""

    y: npt.NDArray[np.generic]  # of the dtype that came in; read-only
    lost_s: npt.NDArray[
        np.float64
    ]  # the lost bursts as intervals, shape (k, 2), seconds; read-only
    lost_frames: npt.NDArray[np.int64]  # numbers of the lost frames; read-only
    n_frames: int  # a last, partial frame counts

    @property
    def intervals(self) -> tuple[Interval, ...]:
        """The lost bursts, as `lost_s`."""
        return tuple(Interval(float(a), float(b)) for a, b in self.lost_s)

    @property
    def realised_loss(self) -> float:
        """Share of the frames that were lost; NaN of no frames."""
        return self.lost_frames.size / self.n_frames if self.n_frames else math.nan

    @property
    def mean_burst_frames(self) -> float:
        """Mean number of frames lost in a row; NaN where none was."""
        return self.lost_frames.size / len(self.lost_s) if len(self.lost_s) else math.nan


def lost_intervals(lost: Bool, edges: npt.NDArray[np.int64], sr: int) -> npt.NDArray[np.float64]:
    """Runs of lost frames as intervals in seconds, shape (k, 2)."""
    steps = np.diff(np.concatenate([[0], lost.astype(np.int8), [0]]))
    starts, ends = np.flatnonzero(steps == 1), np.flatnonzero(steps == -1)
    return np.stack([edges[starts], edges[ends]], axis=1).reshape(-1, 2) / sr


def drop_frames(
    y: npt.ArrayLike | bytes,
    sr: int,
    *,
    loss: float,
    rng: int | np.random.Generator,
    burst_frames: float = 1,
    frame_s: float = 0.02,
    conceal: Conceal = "zero",
    law: str | None = None,
) -> FrameLoss:
    """Lose frames of one channel and fill the gaps.

    Parameters
    ----------
    y : array-like of float or int16, shape (n,); with a `law` uint8 codes or bytes
        What comes back has the same dtype, and every sample outside gaps and fades is the one that came in.
    sr : int
        Sampling rate in Hz.
    loss : float
        Share of frames lost, in [0, 1].
    rng : int or Generator
        Seed; one number is drawn per frame.
    burst_frames : float
        1: every frame is lost or not by itself, which makes bursts of 1 / (1 - loss) frames in the mean. Above
        1: the mean length of a burst, drawn from a two-state chain (Gilbert-Elliott).
    frame_s : float
        Length of a frame. The last one may be partial, and is lost like the others.
    conceal : {"zero", "repeat", "pitch"}
        Silence (of the law, for codes); the last frame again; or waveform substitution, the last pitch period
        again, joined without a step. The last two fade to silence within 100 ms of a burst.
    law : {"mulaw", "alaw"}, optional
        Says that `y` are codes.

    Returns
    -------
    FrameLoss

    Raises
    ------
    InputError
        If an argument is out of its range, or loss and burst do not go together.

    References
    ----------
    Gilbert, Capacity of a burst-noise channel, BSTJ 39 (1960); Elliott, BSTJ 42 (1963).
    """
    stream = LossStream(
        sr, loss=loss, rng=rng, burst_frames=burst_frames, frame_s=frame_s, conceal=conceal, law=law
    )
    pushed = stream.push(y)
    rest = stream.finish()
    out = np.concatenate([pushed, rest]) if rest.size else pushed
    lost = stream.lost
    lost_s, frames = lost_intervals(lost, stream.edges, stream._sr), np.flatnonzero(lost)
    for array in (out, lost_s, frames):
        array.flags.writeable = False
    return FrameLoss(out, lost_s, frames, lost.size)
