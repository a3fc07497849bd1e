"""Levels of a channel: RMS, peak, clipping, active speech level, noise level, SNR.

All levels are dBov: 0 is a full-scale square wave (Rec. ITU-T G.100.1). A constant offset is no sound, so the
mean is taken off wherever power is meant; only the peak and the count of clipped samples are of the signal as
it stands. Every measurement of a whole signal is made by the meter that also takes it in pieces.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from s2sverify._arrays import as_mono, as_rate
from s2sverify.errors import InputError
from s2sverify.kernels import levels as loops

SMOOTHING_S: Final = 0.030  # Rec. ITU-T P.56 (12/2011), method B: time constant of each smoother
HANGOVER_S: Final = 0.200  # P.56
MARGIN_DB: Final = 15.9  # P.56: active level above the threshold of activity
LOWEST_RATE_HZ: Final = 600  # P.56: twice the 300 Hz at which the band of speech may begin
_THRESHOLDS: Final[npt.NDArray[np.float64]] = np.exp2(
    np.arange(-15.0, 0.0)
)  # P.56: one step of 16 bit up to half of full scale

CLIPPED_FROM: Final = 32767 / 32768  # magnitude of the largest positive step of 16 bit

NOISE_FRAME_S: Final = 0.032  # longer than a pitch period, shorter than a pause between words
NOISE_QUANTILE: Final = 0.05  # this share of frames, the quietest, is taken to be pause
NOISE_RANGE_DB: Final = 4.0  # frames of stationary noise lie within this of the quantile
SPEECH_ABOVE_DB: Final = 3.0  # frames this far above the noise hold speech


@dataclass(frozen=True, slots=True)
class SpeechLevel:
    """Level of one channel while speech is active, and of the whole."""

    active_dbov: float  # while speech is active; NaN without speech
    rms_dbov: float  # over the whole signal, pauses included, mean removed; -inf for silence
    activity: float  # active share of the signal, in [0, 1]


@dataclass(frozen=True, slots=True)
class Levels:
    """Every level of one channel."""

    n_samples: int
    mean: float  # the offset, full scale 1.0; NaN of nothing
    peak: float  # largest magnitude, offset included; 0.0 of nothing
    clipped_share: float  # share of samples at or beyond the largest step of 16 bit; NaN of nothing
    rms_dbov: float  # mean removed, pauses included; -inf for silence
    active_dbov: float  # P.56; NaN without speech
    activity: float  # active share by P.56, in [0, 1]
    noise_dbov: float  # of the pauses; -inf where they are digital silence; NaN under one frame
    snr_db: float  # speech while active over noise, the noise under the speech taken off; NaN without speech


def as_channel(
    y: npt.ArrayLike, *, name: str = "y", finite: bool = True
) -> npt.NDArray[np.floating]:
    """`y` as a finite float array of shape (n,), full scale 1.0; int16 is divided by 32768.

    Raises
    ------
    InputError
        If `y` is not one-dimensional, is neither int16 nor floating point, or is not finite.
    """
    x = np.asarray(y)
    if x.dtype == np.int16:
        x, finite = np.multiply(x, np.float32(1 / 32768), dtype=np.float32), False
    return as_mono(x, name=name, finite=finite)


def dbov(power: float) -> float:
    """Level of a mean square, full scale 1.0; -inf of 0."""
    return 10 * math.log10(power) if power > 0 else -math.inf


class SumMeter:
    """Mean, peak, clipping and RMS of a signal that comes in pieces, of any size."""

    def __init__(self) -> None:
        self.n_samples = 0
        self.clipped_samples = 0
        self._sums = np.zeros(3)

    def push(self, y: npt.ArrayLike) -> None:
        """Take the next samples."""
        x = as_channel(y)
        self.n_samples += x.size
        if loops.running_sums.earned(x.size):
            loops.running_sums(x, self._sums)
        else:
            loops.running_sums_plain(x, self._sums)
        if self._sums[2] >= CLIPPED_FROM:
            self.clipped_samples += int(np.count_nonzero(np.abs(x) >= CLIPPED_FROM))

    @property
    def mean(self) -> float:
        return float(self._sums[0]) / self.n_samples if self.n_samples else math.nan

    @property
    def peak(self) -> float:
        return float(self._sums[2])

    @property
    def power(self) -> float:
        """Mean square after the mean is removed."""
        if not self.n_samples:
            return 0.0
        square = float(self._sums[1]) / self.n_samples
        power = square - self.mean**2
        return power if power > 1e-11 * square else 0.0  # below that it is rounding of the sums

    @property
    def rms_dbov(self) -> float:
        return dbov(self.power)


class SpeechMeter:
    """Active speech level (Rec. ITU-T P.56, method B) of a signal that comes in pieces, of any size.

    Parameters
    ----------
    sr : int
        Sampling rate in Hz, at least 600.
    mean : float
        Offset of the whole signal, which is taken off every sample: a first pass with `SumMeter` knows it.
    """

    def __init__(self, sr: int, *, mean: float = 0.0) -> None:
        self._sr = as_rate(sr, lowest=LOWEST_RATE_HZ)
        self._mean = mean if math.isfinite(mean) else 0.0
        self._g = math.exp(-1.0 / (self._sr * SMOOTHING_S))
        self._hang = round(self._sr * HANGOVER_S)
        self._envelope = np.zeros(3)
        self._counts = np.zeros(2 + 2 * _THRESHOLDS.size, dtype=np.int64)

    def push(self, y: npt.ArrayLike) -> None:
        """Take the next samples."""
        x = as_channel(y)
        loop = loops.envelope_activity
        count = loop if loop.earned(x.size) else loops.envelope_activity_plain
        count(x, self._mean, self._g, _THRESHOLDS, self._hang, self._envelope, self._counts)

    def result(self) -> SpeechLevel:
        """Level of what has come so far."""
        n, energy = int(self._counts[0]), float(self._envelope[2])
        rms_dbov = dbov(energy / n) if n and energy / n > 1e-20 else -math.inf
        active = loops.active_samples(self._counts, self._hang)
        used = active > 0
        if not used.any() or not math.isfinite(rms_dbov):
            return SpeechLevel(math.nan, rms_dbov, 0.0)
        level_db = 10 * np.log10(energy / active[used])
        margin_db = level_db - 20 * np.log10(_THRESHOLDS[used])  # falls as the threshold rises
        near = int(np.argmax(margin_db <= MARGIN_DB))  # the first threshold that lies near enough
        if near == 0:  # already the lowest: too quiet; or none: clicks alone
            return SpeechLevel(math.nan, rms_dbov, 0.0)
        pair = [near, near - 1]
        active_dbov = float(np.interp(MARGIN_DB, margin_db[pair], level_db[pair]))
        return SpeechLevel(active_dbov, rms_dbov, min(1.0, 10 ** ((rms_dbov - active_dbov) / 10)))


class LevelMeter:
    """Every level of a signal that comes in pieces, of any size.

    Parameters
    ----------
    sr : int
        Sampling rate in Hz, at least 600.
    mean : float
        Offset of the whole signal, as for `SpeechMeter`. A signal that is known to have none needs one pass.
    """

    def __init__(self, sr: int, *, mean: float = 0.0) -> None:
        self._sums = SumMeter()
        self._speech = SpeechMeter(sr, mean=mean)
        self._frames = FrameMeter(sr, frame_s=NOISE_FRAME_S)

    def push(self, y: npt.ArrayLike) -> None:
        """Take the next samples."""
        x = as_channel(y)
        self._sums.push(x)
        self._speech.push(x)
        self._frames.push(x)

    def result(self) -> Levels:
        """Levels of what has come so far."""
        sums, speech = self._sums, self._speech.result()
        noise_dbov, snr_db = _noise_and_snr(self._frames.powers())
        return Levels(
            n_samples=sums.n_samples,
            mean=sums.mean,
            peak=sums.peak,
            clipped_share=sums.clipped_samples / sums.n_samples if sums.n_samples else math.nan,
            rms_dbov=speech.rms_dbov,
            active_dbov=speech.active_dbov,
            activity=speech.activity,
            noise_dbov=noise_dbov,
            snr_db=snr_db,
        )


class FrameMeter:
    """Power of consecutive frames, each without its mean, of a signal that comes in pieces, of any size.

    Parameters
    ----------
    sr : int
        Sampling rate in Hz.
    frame_s : float
        Length of a frame; rounded to whole samples, at least one.
    """

    def __init__(self, sr: int, *, frame_s: float) -> None:
        self.frame_samples = _frame_samples(as_rate(sr), frame_s)
        self._rest = np.zeros(0, dtype=np.float32)
        self._energies: list[npt.NDArray[np.float64]] = []

    def push(self, y: npt.ArrayLike) -> None:
        """Take the next samples."""
        x = as_channel(y)
        if self._rest.size:
            x = np.concatenate([self._rest, x])
        whole = x.size // self.frame_samples * self.frame_samples
        frames = x[:whole].reshape(-1, self.frame_samples).astype(np.float64)
        self._rest = x[whole:].copy()
        if whole:
            frames -= frames.sum(axis=1, keepdims=True) / self.frame_samples
            self._energies.append(_energies(frames.reshape(-1), self.frame_samples))

    def powers(self) -> npt.NDArray[np.float64]:
        """Mean square of every whole frame so far; shape (k,)."""
        energies = np.concatenate(self._energies) if self._energies else np.zeros(0)
        return energies / self.frame_samples


def _frame_samples(sr: int, frame_s: float) -> int:
    if not (math.isfinite(frame_s) and frame_s > 0):
        raise InputError(f"frame_s must be a positive number of seconds, got {frame_s}")
    return max(1, round(sr * frame_s))


def _energies(x: npt.NDArray[np.floating], frame: int) -> npt.NDArray[np.float64]:
    energies = np.empty(x.size // frame)
    loop = loops.frame_energies
    with np.errstate(over="ignore", invalid="ignore"):
        (loop if loop.earned(x.size) else loops.frame_energies_plain)(x, frame, energies)
    return energies


def frame_energies(y: npt.ArrayLike, sr: int, *, frame_s: float = 0.02) -> npt.NDArray[np.float64]:
    """Sum of squares of consecutive frames.

    Parameters
    ----------
    y : array-like of float or int16, shape (n,)
        One channel, full scale 1.0 (int16: 32768).
    sr : int
        Sampling rate in Hz.
    frame_s : float
        Length of a frame; rounded to whole samples.

    Returns
    -------
    float64 array, shape (n // frame,)
        Samples after the last whole frame do not count. The mean is not removed.

    Raises
    ------
    InputError
        If `y` is not one-dimensional, int16 or float, and finite, or `frame_s` is not positive.

    Notes
    -----
    float32 is added in sixteen partial sums of float32, so the relative error is below 1e-6 for frames up to
    100 ms at 48 kHz; the order of summation, and with it every bit, is the same on every machine.
    """
    x, frame = as_channel(y, finite=False), _frame_samples(as_rate(sr), frame_s)
    energies = _energies(x, frame)
    whole = energies.size * frame
    if np.isfinite(energies.sum()) and np.isfinite(x[whole:]).all():
        return energies
    as_channel(x)  # raises, unless samples are finite and so large that their squares are not
    return _energies(x.astype(np.float64), frame)


def active_speech_level(y: npt.ArrayLike, sr: int) -> SpeechLevel:
    """Measure the active speech level of one channel; pauses above about 350 ms do not count.

    Parameters
    ----------
    y : array-like of float or int16, shape (n,)
        One channel, full scale 1.0 (int16: 32768). Its mean is removed first.
    sr : int
        Sampling rate in Hz, at least 600.

    Returns
    -------
    SpeechLevel
        Without speech (silence, clicks under a millisecond, sound below about -75 dBov) and for an empty `y`
        the active level is NaN and the activity 0.0.

    Raises
    ------
    InputError
        If `y` is not one-dimensional, int16 or float, and finite, or `sr` is below 600.

    Notes
    -----
    Made for speech with little background noise: noise raises the activity and biases the level.

    References
    ----------
    Rec. ITU-T P.56 (12/2011), method B; dBov as in Rec. ITU-T G.100.1.
    """
    x = as_channel(y)
    sums = SumMeter()
    sums.push(x)
    meter = SpeechMeter(sr, mean=sums.mean)
    meter.push(x)
    return meter.result()


def signal_levels(y: npt.ArrayLike, sr: int) -> Levels:
    """Measure every level of one channel: mean, peak, clipping, RMS, speech, noise, SNR.

    Parameters
    ----------
    y : array-like of float or int16, shape (n,)
        One channel, full scale 1.0 (int16: 32768).
    sr : int
        Sampling rate in Hz, at least 600.

    Returns
    -------
    Levels

    Raises
    ------
    InputError
        If `y` is not one-dimensional, int16 or float, and finite, or `sr` is below 600.

    Notes
    -----
    The noise level is the mean power of the 32 ms frames, each without its mean, that lie within 4 dB of the quietest
    twentieth. It stands for steady noise and needs pauses over a twentieth of the signal; without them it reads quiet
    speech. The SNR takes the noise's power off the frames 3 dB above it, held for 200 ms as P.56 holds activity, so
    unlike the P.56 level it holds in noise: within 1.5 dB for white noise at 5 to 30 dB.
    """
    x = as_channel(y)
    sums = SumMeter()
    sums.push(x)
    meter = LevelMeter(sr, mean=sums.mean)
    meter.push(x)
    return meter.result()


def noise_level(y: npt.ArrayLike, sr: int) -> float:
    """Level of the steady noise in the pauses of one channel, in dBov; see `signal_levels`.

    Returns
    -------
    float
        -inf where the pauses are digital silence, NaN for less than one frame of 32 ms.

    Raises
    ------
    InputError
        If `y` is not one-dimensional, int16 or float, and finite.
    """
    x = as_channel(y)
    frames = FrameMeter(sr, frame_s=NOISE_FRAME_S)
    frames.push(x)
    return _noise_and_snr(frames.powers())[0]


def _noise_and_snr(powers: npt.NDArray[np.float64]) -> tuple[float, float]:
    """Noise level in dBov and SNR in dB from the powers of consecutive frames."""
    if not powers.size:
        return math.nan, math.nan
    quiet = np.sort(powers)[int(NOISE_QUANTILE * powers.size)]
    noise = float(powers[powers <= quiet * 10 ** (NOISE_RANGE_DB / 10)].mean())
    noise = noise if noise > 1e-20 else 0.0  # -200 dBov: what is left of digital silence
    loud = np.flatnonzero(powers > noise * 10 ** (SPEECH_ABOVE_DB / 10))
    if not loud.size:
        return dbov(noise), math.nan
    hold = round(HANGOVER_S / NOISE_FRAME_S) + 1
    steps = np.zeros(powers.size + 1, dtype=np.int64)
    np.add.at(steps, loud, 1)
    np.add.at(steps, np.minimum(loud + hold, powers.size), -1)
    active = np.cumsum(steps[:-1]) > 0
    speech = float((powers[active] - noise).sum()) / int(active.sum())
    if noise == 0.0:
        return -math.inf, math.inf if speech > 0 else math.nan
    return dbov(noise), dbov(speech) - dbov(noise)
