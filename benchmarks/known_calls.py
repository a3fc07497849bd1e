"""Calls put together from clips at known samples, with edges defined in other ways than this project defines them.

Voices are those of ``calibration/voices.py`` as far as their programs are installed, and the project's own synthetic
ones besides. Levels, noises and edge rules differ from those of the shared calls; nothing is read from a store.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import soxr

import s2sverify as s2s

SR = 8_000
SAYINGS = (
    "I would like to change the delivery address.", "Certainly.", "The reference is nine four one seven.",
    "Give me a moment to find that for you, please.", "No, that was last week.", "Five thirty in the afternoon.",
    "Your new balance is two hundred and six dollars.", "Thanks, good bye.",
)  # fmt: skip
NOISES = ("white", "pink", "hum", "babble", "clatter", "pulsing")


def edge_placed(clip: np.ndarray) -> tuple[float, float]:
    """The clip's first and last sample."""
    return 0.0, clip.size / SR


def _above(clip: np.ndarray, dbov: float, window_s: float, hold_s: float) -> tuple[float, float]:
    width = round(window_s * SR)
    power = np.convolve(np.square(clip), np.ones(width) / width)[width - 1 :: SR // 1000]
    loud = power > 10 ** (dbov / 10)
    need = max(round((hold_s - window_s) * 1000) + 1, 1)
    held = np.flatnonzero(np.convolve(loud, np.ones(need)) >= need)
    if not held.size:
        return 0.0, clip.size / SR
    return (held[0] - need + 1) / 1000, held[-1] / 1000 + window_s


def edge_plain(clip: np.ndarray) -> tuple[float, float]:
    """10 ms above -40 dBov, for 30 ms."""
    return _above(clip, -40.0, 0.010, 0.030)


def edge_under_speaker(clip: np.ndarray) -> tuple[float, float]:
    """10 ms within 17 dB of the clip's own level, for 30 ms."""
    level = 10 * np.log10(float(np.mean(np.square(clip))) + 1e-12)
    return _above(clip, level - 17.0, 0.010, 0.030)


def edge_long_window(clip: np.ndarray) -> tuple[float, float]:
    """25 ms above -40 dBov, for 50 ms: the frames of a recogniser."""
    return _above(clip, -40.0, 0.025, 0.050)


def edge_first_loud_sample(clip: np.ndarray) -> tuple[float, float]:
    """First and last sample of 1 % of full scale."""
    at = np.flatnonzero(np.abs(clip) >= 0.01)
    return (at[0] / SR, (at[-1] + 1) / SR) if at.size else (0.0, clip.size / SR)


EDGE_RULES: dict[str, Callable[[np.ndarray], tuple[float, float]]] = {
    "placed sample": edge_placed,
    "plain, -40 dBov": edge_plain,
    "17 dB under the speaker": edge_under_speaker,
    "25 ms frames, -40 dBov": edge_long_window,
    "first sample of 1 %": edge_first_loud_sample,
}


@dataclass(frozen=True)
class PlacedCall:
    y: np.ndarray  # (2, n) at 8 kHz, as the line gives it
    clips: tuple[
        list[tuple[float, np.ndarray]], list[tuple[float, np.ndarray]]
    ]  # start, clean clip
    noise: str
    snr_db: float
    voices: tuple[str, str]


def load_clips() -> dict[str, list[np.ndarray]]:
    """A few sayings by every voice there is, at 8 kHz in the band of a telephone."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "calibration"))
    found: dict[str, list[np.ndarray]] = {}
    try:
        import voices
    except ImportError:
        voices = None
    for name in ("slt", "rms", "awb", "esp_us", "esp_gb", "heart@-60", "joe@60"):
        if voices is None:
            break
        try:
            say = voices.open_voice(name)
            found[name] = [_line(*say(words)) for words in SAYINGS]
        except (ImportError, FileNotFoundError, OSError, StopIteration) as error:
            print(f"voice {name} left out: {error}", file=sys.stderr)
    for seed in range(2):
        rng = np.random.default_rng(seed)
        durations = rng.uniform(0.4, 3.5, len(SAYINGS))
        found[f"synthetic {seed}"] = [
            _line(s2s.speechlike(float(d), 24_000, rng=rng, pitch_hz=110.0 + 80 * seed), 24_000)
            for d in durations
        ]
    return found


def _line(y: np.ndarray, sr: int) -> np.ndarray:
    low = soxr.resample(np.asarray(y, dtype=np.float64), sr, SR)
    return np.asarray(s2s.degrade(low, "phone", sr=SR, rng=0).y, dtype=np.float64)


def make_noise(kind: str, n: int, rng: np.random.Generator, clips: list[np.ndarray]) -> np.ndarray:
    """Noise of unit power; none of it is a recording."""
    white = rng.standard_normal(n)
    t = np.arange(n) / SR
    if kind == "pink":
        spectrum = np.fft.rfft(white)
        white = np.fft.irfft(spectrum / np.sqrt(np.maximum(np.arange(spectrum.size), 1)), n)
    elif kind == "hum":
        white = 0.3 * white + sum(np.sin(2 * np.pi * 50 * h * t + h) / h**0.5 for h in range(1, 30))
    elif kind == "pulsing":
        white = white * (1.0 + 0.8 * np.sin(2 * np.pi * 0.4 * t))
    elif kind == "clatter":
        white = 0.05 * white
        for at in np.cumsum(rng.exponential(0.3, round(n / SR / 0.3))):
            first, m = round(at * SR), round(rng.uniform(0.03, 0.3) * SR)
            if first + m >= n:
                break
            ring = np.sin(2 * np.pi * rng.uniform(700, 3300) * t[:m]) + rng.standard_normal(m)
            white[first : first + m] += (
                rng.uniform(0.1, 1.0) * ring * np.exp(-t[:m] * rng.uniform(15, 90))
            )
    elif kind == "babble":
        white = np.zeros(n)
        for _ in range(6):
            at = int(rng.integers(SR))
            while at < n:
                clip = clips[int(rng.integers(len(clips)))][: n - at]
                white[at : at + clip.size] += clip
                at += clip.size + int(rng.integers(SR // 2))
    return white / np.sqrt(np.mean(np.square(white)))


def place_call(
    clips: dict[str, list[np.ndarray]], noise: str, snr_db: float, level_db: float, seed: int
) -> PlacedCall:
    """Caller and agent in turn for 40 s; `level_db` on the agent, noise on both channels through the line."""
    rng = np.random.default_rng(seed)
    names = [str(n) for n in rng.choice(sorted(clips), 2, replace=False)]
    n = 40 * SR
    y = np.zeros((2, n))
    placed: tuple[list[tuple[float, np.ndarray]], list[tuple[float, np.ndarray]]] = ([], [])
    at, who = float(rng.uniform(0.5, 2.0)), 0
    while True:
        clip = clips[names[who]][int(rng.integers(len(SAYINGS)))]
        clip = clip * 10 ** ((level_db if who else 0.0) / 20)
        first = round(at * SR)
        if first + clip.size > n - SR:
            break
        y[who, first : first + clip.size] += clip
        placed[who].append((first / SR, clip))
        at = (first + clip.size) / SR + float(rng.uniform(0.3, 2.2))
        who = 1 - who
    if np.isfinite(snr_db):
        background = [c for name in clips if name not in names for c in clips[name]]
        for channel in range(2):
            loud = np.concatenate([c for _, c in placed[channel]])
            power = np.square(loud[: loud.size // 160 * 160].reshape(-1, 160)).mean(axis=1)
            speech = power[power > power.max() * 10**-3.5].mean()
            sound = make_noise(noise, n, rng, background)
            y[channel] += sound * np.sqrt(speech * 10 ** (-snr_db / 10))
    line = s2s.degrade(y, "phone", sr=SR, rng=seed).y
    return PlacedCall(line, placed, noise, snr_db, (names[0], names[1]))
