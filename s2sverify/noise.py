"""Noise: generated from a seed or taken from recordings, and mixed at an SNR over the active speech level.

A source gives its samples in any pieces (``take(n)``), always the same ones for the same seed. The level of a
mix is set by what is really mixed: the noise is measured over the part that is used, speech by Rec. ITU-T P.56.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, Literal, Protocol

import numpy as np
import numpy.typing as npt

from s2sverify._arrays import as_rate, as_rng
from s2sverify.errors import InputError, SilenceError
from s2sverify.levels import (
    CLIPPED_FROM,
    FrameMeter,
    SpeechLevel,
    SumMeter,
    active_speech_level,
    as_channel,
    dbov,
)

Float = npt.NDArray[np.floating]
Float32 = npt.NDArray[np.float32]
Float64 = npt.NDArray[np.float64]
Color = Literal["white", "pink", "brown", "speech", "hum"]
Over = Literal["active", "total"]

COLORS: Final[tuple[str, ...]] = ("white", "pink", "brown", "speech", "hum")
LOWEST_DBOV: Final = (
    -90.0
)  # below the step of 16 bit: what is quieter is silence, not a signal to amplify
_SOUNDING_SHARE = 0.05  # of its 20 ms frames that noise must fill: a few clicks are none
_LOWEST_HZ = 20.0  # pink and brown noise end here: their power below has no bound
_HUM_HARMONICS = 10
_BLOCK_S = 1.3  # at least, of noise drawn at a time: resolves 1 Hz
_FADE_S = 0.05  # crossfade between two passes of a looped recording
_RAMP_S = 0.01  # rise and fall of a burst

# Long-term average speech spectrum, both sexes, twelve languages: level in dB in third-octave bands of speech at
# 70 dB. Byrne et al., An international comparison of long-term average speech spectra, JASA 96 (1994), table II.
_LTASS_HZ = np.array(
    [63, 80, 100, 125, 160, 200, 250, 315, 400, 500, 630, 800, 1000, 1250, 1600, 2000, 2500, 3150, 4000,
     5000, 6300, 8000, 10000, 12500, 16000], dtype=np.float64
)  # fmt: skip
_LTASS_DB = np.array(
    [38.6, 43.5, 54.4, 57.7, 56.8, 60.2, 60.3, 59.0, 62.1, 62.1, 60.5, 56.8, 53.7, 53.0, 52.0, 48.7, 48.1,
     46.8, 45.6, 44.5, 44.3, 43.7, 43.4, 41.3, 40.7]
)  # fmt: skip


class Source(Protocol):
    """Where noise comes from."""

    starts_s: list[
        float
    ]  # where in the recording each pass began, seconds; empty for generated noise

    def take(self, n: int, /) -> Float32:
        """The next `n` samples."""
        ...


class _White:
    def __init__(self, rng: np.random.Generator) -> None:
        self.starts_s: list[float] = []
        self._rng = rng

    def take(self, n: int) -> Float32:
        return self._rng.standard_normal(n, dtype=np.float32)


class _Shaped:
    """Noise drawn as a spectrum, block by block; two blocks meet in a crossfade of constant power."""

    def __init__(self, rng: np.random.Generator, gain: Float64) -> None:
        self.starts_s: list[float] = []
        self._rng, self._gain = rng, gain
        size = 2 * (gain.size - 1)
        fade = size // 8
        self._rise = np.sin((np.arange(fade) + 0.5) * (math.pi / 2 / fade))
        self._size, self._fade = size, fade
        self._tail = self._draw()[size - fade :] * self._rise[::-1]
        self._ready = np.zeros(0, dtype=np.float32)

    def _draw(self) -> Float64:
        normal = self._rng.standard_normal(self._size + 2, dtype=np.float32)
        return np.asarray(np.fft.irfft(normal.view(np.complex64) * self._gain, self._size))

    def _block(self) -> Float32:
        block, fade = self._draw(), self._fade
        block[:fade] = block[:fade] * self._rise + self._tail
        self._tail = block[self._size - fade :] * self._rise[::-1]
        return block[: self._size - fade].astype(np.float32)

    def take(self, n: int) -> Float32:
        parts, have = [self._ready], self._ready.size
        while have < n:
            parts.append(self._block())
            have += parts[-1].size
        joined = np.concatenate(parts) if len(parts) > 1 else parts[0]
        self._ready = joined[n:]
        return joined[:n]


class _Table:
    """A table that repeats: noise that is periodic by nature."""

    def __init__(self, table: Float32) -> None:
        self.starts_s: list[float] = []
        self._table, self._at = table, 0

    def take(self, n: int) -> Float32:
        index = (self._at + np.arange(n)) % self._table.size
        self._at = (self._at + n) % self._table.size
        return self._table[index]


class _Looped:
    """A recording, from a start drawn in ``[0, n - m]``; passes of drawn length with crossfades where ``n < m``.

    Where one pass fits, it is one cut. Where not, each pass begins and ends somewhere else, so no seam returns
    with a period, and two passes overlap by a fade of constant power.
    """

    def __init__(self, y: Float32, sr: int, rng: np.random.Generator, total: int) -> None:
        self.starts_s: list[float] = []
        self._y, self._sr, self._rng = y, sr, rng
        self._fade = min(round(sr * _FADE_S), y.size // 8)
        self._tail = np.zeros(
            0, dtype=np.float32
        )  # of the last pass, faded out, for the next to begin on
        self._pass = np.zeros(0, dtype=np.float32)
        if total <= y.size:
            start = int(rng.integers(0, y.size - total, endpoint=True))
            self.starts_s.append(start / sr)
            self._pass = y[start : start + total]
        elif y.size < 16:
            raise InputError(f"noise must hold at least 16 samples to be looped, got {y.size}")

    def take(self, n: int) -> Float32:
        parts, have = [self._pass], self._pass.size
        while have < n:
            parts.append(self._next_pass())
            have += parts[-1].size
        joined = np.concatenate(parts) if len(parts) > 1 else parts[0]
        self._pass = joined[n:]
        return joined[:n]

    def _next_pass(self) -> Float32:
        y, fade = self._y, self._fade
        size = int(self._rng.integers(y.size // 2, y.size, endpoint=True))
        start = int(self._rng.integers(0, y.size - size, endpoint=True))
        self.starts_s.append(start / self._sr)
        part = y[start : start + size].copy()
        if fade:
            ramp = np.sin(np.linspace(0, math.pi / 2, fade + 2)[1:-1]).astype(np.float32)
            if self._tail.size:
                part[:fade] = part[:fade] * ramp + self._tail
            self._tail = part[size - fade :] * ramp[::-1]
            part = part[: size - fade]
        return part


class _Babble:
    """Several talkers at once; each says the clips in an order of his own, from somewhere inside the first."""

    def __init__(
        self, clips: Sequence[Float32], sr: int, rng: np.random.Generator, talkers: int
    ) -> None:
        self.starts_s: list[float] = []
        levelled = []
        for k, clip in enumerate(clips):
            level = active_speech_level(clip, sr).active_dbov
            if math.isnan(level):
                raise SilenceError(f"clip {k} of the babble must hold speech, got silence")
            levelled.append(clip * np.float32(10 ** (-level / 20)))
        self._clips, self._scale = levelled, np.float32(1 / math.sqrt(talkers))
        self._talkers = [_Talker(levelled, seed) for seed in rng.spawn(talkers)]

    def take(self, n: int) -> Float32:
        mix = np.zeros(n, dtype=np.float32)
        for talker in self._talkers:
            mix += talker.take(n)
        return mix * self._scale


class _Talker:
    def __init__(self, clips: Sequence[Float32], rng: np.random.Generator) -> None:
        self._clips, self._rng = clips, rng
        first = clips[int(rng.integers(len(clips)))]
        self._ready = first[int(rng.integers(first.size)) :]

    def take(self, n: int) -> Float32:
        parts, have = [self._ready], self._ready.size
        while have < n:
            parts.append(self._clips[int(self._rng.integers(len(self._clips)))])
            have += parts[-1].size
        joined = np.concatenate(parts) if len(parts) > 1 else parts[0]
        self._ready = joined[n:]
        return joined[:n]


def _power_density(color: str, f: Float64) -> Float64:
    """Power per Hz on any scale, at frequencies above 0."""
    if color == "speech":
        bandwidth_db = 10 * np.log10(_LTASS_HZ * (2 ** (1 / 6) - 2 ** (-1 / 6)))
        level = np.interp(np.log(f), np.log(_LTASS_HZ), _LTASS_DB - bandwidth_db)
        below = np.minimum(f / _LTASS_HZ[0], 1.0)
        return np.asarray(10 ** (level / 10) * below**4)  # 12 dB an octave below the table
    slope = {"pink": 1.0, "brown": 2.0}[color]
    return np.asarray(np.where(f >= _LOWEST_HZ, f**-slope, 0.0))


@lru_cache(maxsize=16)
def spectral_gain(color: str, sr: int) -> Float64:
    """What makes noise of the power density of `color`, and of power 1, out of a complex normal spectrum."""
    size = 1 << math.ceil(math.log2(_BLOCK_S * sr))
    f: Float64 = np.asarray(np.fft.rfftfreq(size, 1 / sr), dtype=np.float64)
    power = np.zeros(f.size)
    power[1:-1] = _power_density(color, f[1:-1])  # no offset
    gain = np.sqrt(power / power.sum()) * (size / 2)
    gain.flags.writeable = False
    return np.asarray(gain)


def open_noise(color: str, sr: int, rng: np.random.Generator, *, hum_hz: int = 50) -> Source:
    """A source of generated noise of power 1; see `make_noise`."""
    if color == "white":
        return _White(rng)
    if color == "hum":
        t = np.arange(sr) / sr  # one second holds whole periods of a whole number of Hz
        harmonics = [k for k in range(1, _HUM_HARMONICS + 1) if k * hum_hz < sr / 2]
        if hum_hz < 1 or not harmonics:
            raise InputError(f"hum_hz must lie between 1 and half the rate, got {hum_hz}")
        wave = sum(
            np.sin(2 * math.pi * (k * hum_hz * t + phase)) / k
            for k, phase in zip(harmonics, rng.random(len(harmonics)), strict=True)
        )
        power = sum(0.5 / k**2 for k in harmonics)
        return _Table((np.asarray(wave) / math.sqrt(power)).astype(np.float32))
    if color in COLORS:
        return _Shaped(rng, spectral_gain(color, sr))
    raise InputError(f"noise must be one of {', '.join(COLORS)}, or samples, got {color!r}")


def open_recorded(y: Float32, sr: int, rng: np.random.Generator, total: int) -> Source:
    """A source that plays a recording for `total` samples, looped where it is shorter."""
    return _Looped(y, sr, rng, total)


def open_babble(
    clips: Sequence[Float32], sr: int, rng: np.random.Generator, *, talkers: int
) -> Source:
    """A source of `talkers` people speaking at once."""
    if not clips or talkers < 1:
        raise InputError(
            f"babble needs clips and talkers, got {len(clips)} clips, {talkers} talkers"
        )
    return _Babble(clips, sr, rng, talkers)


def make_noise(
    color: str, n_samples: int, sr: int, *, rng: int | np.random.Generator, hum_hz: int = 50
) -> Float32:
    """Generate noise of power 1 (0 dBov): scale it before use.

    Parameters
    ----------
    color : {"white", "pink", "brown", "speech", "hum"}
        Equal power per Hz; falling 3 dB or 6 dB an octave from 20 Hz; the long-term average spectrum of speech;
        mains hum with harmonics up to the tenth, falling as 1/k, phases drawn.
    n_samples : int
    sr : int
        Sampling rate in Hz.
    rng : int or Generator
        Seed. The same seed gives the same samples, and the first n of more are the n of fewer.
    hum_hz : int
        Fundamental of hum.

    Returns
    -------
    float32 array, shape (n_samples,)
        Gaussian but for hum; its power over a finite length scatters around 1.

    Raises
    ------
    InputError
        If the colour is unknown, or a number out of range.

    References
    ----------
    Byrne et al., JASA 96, 2108-2120 (1994), table II, for "speech".
    """
    if n_samples < 0:
        raise InputError(f"n_samples must be at least 0, got {n_samples}")
    return open_noise(color, as_rate(sr), as_rng(rng), hum_hz=hum_hz).take(n_samples)


def mix_babble(
    clips: Sequence[npt.ArrayLike],
    n_samples: int,
    sr: int,
    *,
    rng: int | np.random.Generator,
    talkers: int = 6,
) -> Float32:
    """Mix clips of speech into babble: several people talking at once, each clip at the same active level.

    Parameters
    ----------
    clips : sequence of float or int16 arrays, shape (n,)
        Speech at `sr`.
    n_samples : int
    sr : int
        Sampling rate in Hz, at least 600.
    rng : int or Generator
        Seed of the order of clips and of where each talker begins.
    talkers : int
        How many speak at once.

    Returns
    -------
    float32 array, shape (n_samples,)

    Raises
    ------
    InputError
        If there are no clips or talkers.
    SilenceError
        If a clip holds no speech.
    """
    levelled = [as_channel(clip, name="clip").astype(np.float32) for clip in clips]
    return open_babble(levelled, as_rate(sr), as_rng(rng), talkers=talkers).take(n_samples)


class NoiseMeter:
    """Level of the noise that is really used, and whether it is noise at all; generated noise always is."""

    def __init__(self, sr: int, *, generated: bool) -> None:
        self._sums = SumMeter()
        self._frames = None if generated else FrameMeter(sr, frame_s=0.02)

    def push(self, y: Float) -> None:
        """Take the next samples."""
        self._sums.push(y)
        if self._frames is not None:
            self._frames.push(y)

    def level_dbov(self) -> float:
        """Level without the mean.

        Raises
        ------
        SilenceError
            If it is below -90 dBov, or fewer than a twentieth of the 20 ms frames hold sound.
        """
        level = self._sums.rms_dbov
        powers = np.zeros(0) if self._frames is None else self._frames.powers()
        sounding = float((powers > 10 ** (LOWEST_DBOV / 10)).mean()) if powers.size else 1.0
        if level < LOWEST_DBOV or sounding < _SOUNDING_SHARE:
            raise SilenceError(
                f"noise must be above {LOWEST_DBOV:g} dBov in a twentieth of its frames over the part that is "
                f"used, got {level:.1f} dBov and {100 * sounding:.1f} % of the frames"
            )
        return level


def speech_reference(level: SpeechLevel, over: str, *, name: str = "y") -> float:
    """The level that an SNR counts from.

    Raises
    ------
    SilenceError
        If there is none: no speech, or a signal below -90 dBov.
    """
    if over == "active":
        if math.isnan(level.active_dbov):
            raise SilenceError(
                f"{name} must hold speech to set an SNR by, got none at {level.rms_dbov:.1f} dBov RMS"
            )
        return level.active_dbov
    if over != "total":
        raise InputError(f'over must be "active" or "total", got {over!r}')
    if level.rms_dbov < LOWEST_DBOV:
        raise SilenceError(
            f"{name} must be above {LOWEST_DBOV:g} dBov to set an SNR by, got {level.rms_dbov:.1f}"
        )
    return level.rms_dbov


def headroom_gain(peak: float) -> np.float32:
    """What keeps a peak within the largest positive step of 16 bit; 1 where it already is."""
    return np.float32(1.0) if peak <= CLIPPED_FROM else np.float32(CLIPPED_FROM / peak)


@dataclass(frozen=True, slots=True, eq=False)
class Mix:
    """Speech with noise, and what was realised."""

    y: Float  # read-only
    noise: Float  # as it stands in `y`, before any limiting; read-only
    snr_db: float  # realised: level of the speech in `y` over what `y` holds besides it
    gain_db: float  # put on the noise, attenuation included
    attenuation_db: float  # put on both so that nothing clips; 0 or negative
    clipped_share: float  # of samples limited to full scale; 0 unless clipping was allowed
    active_dbov: float  # of the speech before mixing; NaN where only its total power is defined
    rms_dbov: float  # of the speech before mixing
    noise_dbov: float  # of the noise in `y`
    starts_s: tuple[float, ...]  # where in the noise recording each pass begins


def mix_at_snr(
    y: npt.ArrayLike,
    noise: npt.ArrayLike | str,
    sr: int,
    *,
    snr_db: float,
    rng: int | np.random.Generator,
    over: Over = "active",
    allow_clipping: bool = False,
) -> Mix:
    """Add noise to speech at a signal-to-noise ratio.

    Parameters
    ----------
    y : array-like of float or int16, shape (n,)
        Speech, full scale 1.0 (int16: 32768).
    noise : array-like of float or int16, shape (m,), or str
        A recording at `sr`, of any length: longer than `y`, a part of it is used; shorter, it is looped without
        a periodic seam. Or a colour of `make_noise`.
    sr : int
        Sampling rate in Hz, at least 600.
    snr_db : float
        Level of `y` minus level of the noise, in dB.
    rng : int or Generator
        Seed. The start in a recording is drawn from ``[0, m - n]``, both ends included.
    over : {"active", "total"}
        What the SNR counts from: the active speech level (Rec. ITU-T P.56), or the RMS level with the pauses,
        under which the same number is a louder noise the fewer pauses there are.
    allow_clipping : bool
        False: where the mix would pass full scale, both are attenuated alike, which keeps the SNR. True: it is
        limited, and `Mix` says how much that changed.

    Returns
    -------
    Mix
        Its noise level is that of the part used, mean removed.

    Raises
    ------
    InputError
        If an argument is out of its range.
    SilenceError
        If `y` holds no speech or the part of the noise that is used is silent.
    """
    x, generator = as_channel(y), as_rng(rng)
    if not math.isfinite(snr_db):
        raise InputError(f"snr_db must be finite, got {snr_db}")
    level = active_speech_level(x, sr)
    reference_dbov = speech_reference(level, over)
    if isinstance(noise, str):
        source = open_noise(noise, sr, generator)
    else:
        source = open_recorded(
            as_channel(noise, name="noise").astype(np.float32), sr, generator, x.size
        )
    raw = source.take(x.size)
    meter = NoiseMeter(sr, generated=isinstance(noise, str))
    meter.push(raw)
    gain_db = reference_dbov - snr_db - meter.level_dbov()
    part = raw * x.dtype.type(10 ** (gain_db / 20))
    mixed = x + part
    peak = float(np.abs(mixed).max())
    attenuation_db, clipped = 0.0, 0
    if allow_clipping:
        limited = np.clip(mixed, -1.0, x.dtype.type(CLIPPED_FROM))
        clipped = int(np.count_nonzero(limited != mixed))
        mixed = limited
        residue = mixed - x
    else:
        gain = headroom_gain(peak)
        attenuation_db = 20 * math.log10(gain)
        mixed, part, residue = mixed * gain, part * gain, (mixed - x) * gain
    realised = SumMeter()
    realised.push(residue)
    for array in (mixed, part):
        array.flags.writeable = False
    return Mix(
        y=mixed,
        noise=part,
        snr_db=reference_dbov + attenuation_db - realised.rms_dbov,
        gain_db=gain_db + attenuation_db,
        attenuation_db=attenuation_db,
        clipped_share=clipped / x.size,
        active_dbov=level.active_dbov,
        rms_dbov=level.rms_dbov,
        noise_dbov=realised.rms_dbov,
        starts_s=tuple(source.starts_s),
    )


class BurstSource:
    """Bursts of noise at drawn times, each at a level of its own relative to a reference of 0 dBov.

    Between two onsets lie the burst and a pause of exponential length, so bursts do not overlap and their
    number per minute is, in the mean, what was asked.

    Parameters
    ----------
    sr : int
        Sampling rate in Hz.
    rng : Generator
        Draws pause, length, level and noise of one burst after the other.
    per_minute : float
        Bursts per minute; with the mean length of a burst they fill less than half of the time.
    duration_s : (float, float)
        Length of a burst, drawn evenly between the two.
    snr_db : (float, float)
        Level of the reference over that of the burst, drawn evenly between the two.
    source : callable
        Gives a `Source` for one burst of a length in samples.
    """

    def __init__(
        self,
        sr: int,
        rng: np.random.Generator,
        *,
        per_minute: float,
        duration_s: tuple[float, float],
        snr_db: tuple[float, float],
        source: Any,
    ) -> None:
        self.starts_s: list[float] = []
        self.intervals: list[tuple[int, int]] = []  # of every burst drawn so far, samples
        self.snrs_db: list[float] = []
        self._sr, self._rng, self._source = sr, rng, source
        self._duration_s, self._snr_db = duration_s, snr_db
        self._pause_s = 60 / per_minute - sum(duration_s) / 2
        self._at = 0
        self._burst = np.zeros(0, dtype=np.float32)
        self._next()

    def _next(self) -> None:
        last_end = self.intervals[-1][1] if self.intervals else 0
        start = last_end + round(self._rng.exponential(self._pause_s) * self._sr)
        size = max(2, round(self._rng.uniform(*self._duration_s) * self._sr))
        snr_db = float(self._rng.uniform(*self._snr_db))
        source = self._source(self._rng.spawn(1)[0], size)
        burst = source.take(size)
        ramp = min(round(self._sr * _RAMP_S), size // 2)
        rise = np.sin(np.linspace(0, math.pi / 2, ramp + 1)[1:]).astype(np.float32) ** 2
        burst = burst - burst.mean(dtype=np.float64).astype(np.float32)
        burst[:ramp] *= rise
        burst[size - ramp :] *= rise[::-1]
        power = float(np.square(burst, dtype=np.float64).mean())
        if dbov(power) < LOWEST_DBOV:
            raise SilenceError(f"a burst of noise must be above {LOWEST_DBOV:g} dBov, got silence")
        self._burst = burst * np.float32(10 ** (-snr_db / 20) / math.sqrt(power))
        self.intervals.append((start, start + size))
        self.snrs_db.append(snr_db)
        self.starts_s += source.starts_s

    def take(self, n: int) -> Float32:
        """The next `n` samples, zero between bursts."""
        out = np.zeros(n, dtype=np.float32)
        end = self._at + n
        while self.intervals[-1][0] < end:
            start, stop = self.intervals[-1]
            a, b = max(start, self._at), min(stop, end)
            if a < b:
                out[a - self._at : b - self._at] = self._burst[a - start : b - start]
            if stop > end:
                break
            self._next()
        self._at = end
        return out

    def until(self, n: int) -> tuple[list[tuple[int, int]], list[float]]:
        """Bursts that begin before sample `n`, the last one cut there, and their SNRs."""
        kept = [k for k, (start, _) in enumerate(self.intervals) if start < n]
        cut = [(self.intervals[k][0], min(self.intervals[k][1], n)) for k in kept]
        return cut, [self.snrs_db[k] for k in kept]


def check_bursts(
    per_minute: float, duration_s: tuple[float, float], snr_db: tuple[float, float]
) -> None:
    """Raise InputError where the numbers of bursts are out of range."""
    low, high = duration_s
    if not 0 < low <= high <= 60:
        raise InputError(
            f"duration_s must be (low, high) with 0 < low <= high <= 60, got {duration_s}"
        )
    if not (math.isfinite(per_minute) and 0 < per_minute * (low + high) / 2 < 30):
        raise InputError(
            "per_minute must be positive and bursts fill less than half of the time, got "
            f"{per_minute} of {(low + high) / 2:g} s in the mean"
        )
    if not (math.isfinite(snr_db[0]) and math.isfinite(snr_db[1]) and snr_db[0] <= snr_db[1]):
        raise InputError(f"snr_db must be (low, high), finite, low <= high, got {snr_db}")
