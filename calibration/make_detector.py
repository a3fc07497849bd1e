"""Fit the three networks of the detector to channels put together here, and write ``s2sverify/data/detector.npz``.

    python calibration/make_detector.py --clips FOLDER [--noises FOLDER] [--out FILE] [--channels N] [--seed S]

CLIPS holds speech, one folder or name prefix (up to the last ``_``) per speaker: WAV or FLAC, any rate from 8 kHz.
NOISES holds recorded noises; without it only made ones are used. Every channel is one speaker, moved in pitch and
formants, with pauses drawn from short to long, noise at 2 to 32 dB, sometimes swelling, through 300-3400 Hz and mu-law,
sometimes with lost frames. Known is where the clean channel exceeds -40 dBov for 30 ms (pauses under 200 ms count as
active): the plain definition, through the same band.

The activity network is fitted to that mask with logistic loss; the edge networks to the place of the edge with cross
entropy over the candidates around it, so that what they give is a distribution. From which clips the shipped
networks were fitted, and how far they are right: ``docs/timing.md``.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import soundfile
import soxr

import s2sverify as s2s
from s2sverify import _detector as detector
from s2sverify.kernels.activity import runs

SR = 8_000
CONTEXT = (-9, -6, -4, -2, -1, 0, 1, 2, 4, 6, 9)
EDGE_CONTEXT = (-30, -22, -16, -11, -8, -5, -3, -1, 0, 1, 3, 5, 8, 11, 16, 22, 30)
EDGE_HOP_S = 0.008
CANDIDATES = np.arange(31, 119)  # of 150 windows around an edge
SNRS_DB = (2, 5, 5, 7, 10, 10, 14, 20, 26, 32)
MADE = ("white", "pink", "hiss", "music", "clatter", "engine", "swell", "babble")
UNITS, EDGE_UNITS = 24, 20


@dataclass
class Known:
    """What one channel teaches."""

    features: np.ndarray
    active: np.ndarray
    windows: list[np.ndarray]  # features around edges, (150, m)
    edges: list[
        tuple[int, float, float, float]
    ]  # falling or not, place, neighbours; seconds from the middle


def read_speakers(folder: Path) -> dict[str, list[np.ndarray]]:
    found: dict[str, list[np.ndarray]] = {}
    for path in sorted(folder.rglob("*")):
        if path.suffix.lower() in (".wav", ".flac"):
            y, sr = soundfile.read(path, always_2d=True)
            y = levelled(soxr.resample(y[:, 0], sr, 16_000)[: 8 * 16_000])
            found.setdefault(path.stem.rpartition("_")[0] or path.parent.name, []).append(y)
    return found


def levelled(y: np.ndarray) -> np.ndarray:
    loud = np.flatnonzero(np.abs(y) > 2e-3 * max(float(np.abs(y).max()), 1e-9))
    y = y[loud[0] : loud[-1] + 1]
    return y * 10 ** ((-23.0 - speech_level(y)) / 20)


def speech_level(y: np.ndarray) -> float:
    power = np.square(y[: y.size // 160 * 160].reshape(-1, 160)).mean(axis=1)
    return 10 * float(np.log10(power[power > power.max() * 10**-3.5].mean()))


def made_noise(kind: str, n: int, rng: np.random.Generator, clips: list[np.ndarray]) -> np.ndarray:
    t, white = np.arange(n) / SR, rng.standard_normal(n)
    spectrum = np.fft.rfft(white)
    hz = np.fft.rfftfreq(n, 1 / SR)
    if kind == "hiss":
        return np.fft.irfft(spectrum * (hz > rng.uniform(500, 3000)), n)
    pink = np.fft.irfft(spectrum / np.sqrt(np.maximum(np.arange(spectrum.size), 1)), n)
    if kind == "pink":
        return pink
    if kind == "swell":
        knots = np.arange(0, n / SR + 1, 0.4)
        return pink * np.interp(t, knots, 10 ** rng.uniform(-0.6, 0.3, knots.size))
    if kind == "engine":
        phase = (
            2
            * np.pi
            * np.cumsum(rng.uniform(25, 90) * (1 + 0.05 * np.sin(2 * np.pi * 0.2 * t)))
            / SR
        )
        hum = sum(np.sin(h * phase) * rng.uniform(0.2, 1.0) / h**0.5 for h in range(1, 20))
        return hum / hum.std() + pink / pink.std() * rng.uniform(0.3, 2.0)
    if kind not in ("music", "clatter", "babble"):
        return white
    y, at = 0.02 * white if kind == "clatter" else np.zeros(n), 0
    while at < n:
        if kind == "babble":
            for _ in range(int(rng.integers(1, 9))):
                clip = clips[int(rng.integers(len(clips)))][::2][: n - at]
                y[at : at + clip.size] += clip * rng.uniform(0.5, 1.2)
            at += int(rng.uniform(0.3, 1.5) * SR)
            continue
        m = min(
            n - at,
            int(rng.uniform(0.02, 0.4) * SR if kind == "clatter" else rng.uniform(0.3, 1.5) * SR),
        )
        s = t[:m]
        if kind == "clatter":
            ring = rng.standard_normal(m) * np.exp(-s * rng.uniform(20, 150))
            for _ in range(int(rng.integers(1, 5))):
                ring += np.sin(2 * np.pi * rng.uniform(600, 3900) * s) * np.exp(
                    -s * rng.uniform(8, 80)
                )
            y[at : at + m] += 10 ** rng.uniform(-1.2, 0) * ring
            at += int(rng.exponential(0.25) * SR) + 60
        else:
            note = 110 * 2 ** (int(rng.integers(30)) / 12)
            fall = np.exp(-s * rng.uniform(1, 6)) * (1 - np.exp(-s * rng.uniform(50, 800)))
            for h in range(1, 7):
                y[at : at + m] += rng.uniform(0.1, 1) / h * np.sin(2 * np.pi * note * h * s) * fall
            at += int(rng.uniform(0.05, 0.5) * SR)
    return y


def make_channel(
    speakers: dict[str, list[np.ndarray]], noises: list[np.ndarray], rng: np.random.Generator
) -> Known | None:
    n = int(rng.uniform(18, 60)) * SR
    names = sorted(speakers)
    own = speakers[names[int(rng.integers(len(names)))]]
    moved = 16_000 * 2 ** (rng.uniform(-0.3, 0.3) if rng.random() < 0.7 else 0.0)
    tilt = rng.uniform(-0.6, 0.6) if rng.random() < 0.6 else 0.0
    clean, at, pause_s = np.zeros(n), int(rng.uniform(0.3, 4) * SR), 10 ** rng.uniform(-0.6, 0.8)
    while True:
        clip = soxr.resample(own[int(rng.integers(len(own)))], moved, SR)
        clip = levelled(clip - tilt * np.concatenate(([0.0], clip[:-1])))
        if at + clip.size > n - SR // 4:
            break
        clean[at : at + clip.size] += clip * 10 ** (rng.uniform(-2, 2) / 20)
        at += clip.size + int((0.25 + rng.exponential(pause_s)) * SR)
    if not clean.any():
        return None
    if noises and rng.random() < 0.45:
        y = soxr.resample(
            noises[int(rng.integers(len(noises)))], 16_000, SR * rng.uniform(0.85, 1.18)
        )
        first = int(rng.integers(y.size))
        noise = np.tile(y, n // y.size + 2)[first : first + n]
    else:
        others = speakers[names[int(rng.integers(len(names)))]]
        noise = made_noise(str(rng.choice(MADE)), n, rng, others)
    if rng.random() < 0.35:
        course = np.cumsum(rng.standard_normal(n // SR * 4 + 8)) * rng.uniform(0.3, 1.5)
        course = np.clip(course - course.mean(), -9, 9)
        noise = noise * 10 ** (
            np.interp(np.arange(n) / SR, np.arange(course.size) / 4, course) / 20
        )
    snr_db = float(rng.choice(SNRS_DB)) + rng.uniform(-1, 1)
    level = speech_level(clean) - snr_db
    noisy = clean + noise * 10 ** (level / 20) / np.sqrt(np.mean(np.square(noise)))
    band = s2s.Condition("band", (s2s.BandStep(causal=True),))
    wanted = s2s.degrade(clean, band, sr=SR).y
    heard = s2s.degrade(
        s2s.degrade(noisy, band, sr=SR).y,
        s2s.Condition("code", (s2s.CodecStep(law="mulaw"),)),
        sr=SR,
    ).y
    heard = np.array(heard, dtype=np.float32)
    if rng.random() < 0.3:
        for k in np.flatnonzero(rng.random(n // 160) < 0.02):
            heard[k * 160 : (k + 1) * 160] = 0.0
    return teach(heard, plain_spans(np.asarray(wanted, dtype=np.float64)), rng)


def plain_spans(y: np.ndarray) -> np.ndarray:
    """10 ms above -40 dBov held for 30 ms, pauses under 200 ms bridged; seconds, (k, 2)."""
    power = np.convolve(np.square(y), np.ones(80) / 80, "valid")[::8]
    spans = runs(power > 1e-4)
    spans = spans[spans[:, 1] - spans[:, 0] >= 21] + np.array([0, 9])
    joined: list[list[int]] = []
    for start, end in spans.tolist():
        if joined and start - joined[-1][1] < 200:
            joined[-1][1] = end
        else:
            joined.append([start, end])
    return np.array(joined, dtype=float).reshape(-1, 2) / 1000


def teach(y: np.ndarray, spans: np.ndarray, rng: np.random.Generator) -> Known:
    width = round(SR * detector.WINDOW_S)
    starts = np.arange(0, y.size - width + 1, round(SR * detector.HOP_S))
    powers = detector.band_powers(y, SR, starts, detector.WINDOW_S)
    line = detector._know_line(powers)
    centres = starts / SR + detector.WINDOW_S / 2
    active = np.zeros(centres.size, dtype=np.float32)
    for onset, offset in spans:
        active[(centres >= onset) & (centres < offset)] = 1.0
    windows, edges, flat = [], [], spans.ravel()
    for i, edge in enumerate(flat.tolist()):
        if not 0.7 < edge < y.size / SR - 0.7 or rng.random() < 0.5:
            continue
        middle = edge + rng.uniform(-0.15, 0.15)
        times = middle + (np.arange(150) - 75) * EDGE_HOP_S
        first = np.clip(
            np.rint((times - detector.EDGE_WINDOW_S / 2) * SR).astype(np.int64), 0, y.size - 160
        )
        at = np.clip(np.rint((times - 0.016) / detector.HOP_S).astype(np.int64), 0, len(powers) - 1)
        seen = line.features(detector.band_powers(y, SR, first, detector.EDGE_WINDOW_S), at)
        before = float(flat[i - 1]) if i else -9.0
        after = float(flat[i + 1]) if i + 1 < flat.size else 1e9
        windows.append(seen.astype(np.float16))
        edges.append((i % 2, edge - middle, before - middle, after - middle))
    return Known(line.features(powers, slice(None)).astype(np.float16), active, windows, edges)


class Adam:
    """The common optimiser with weight decay on the first layer and a cosine to nothing."""

    def __init__(self, parameters: list[np.ndarray], rate: float, steps: int) -> None:
        self.parameters, self.rate, self.steps, self.step = parameters, rate, steps, 0
        self.m = [np.zeros_like(p) for p in parameters]
        self.v = [np.zeros_like(p) for p in parameters]

    def update(self, gradients: list[np.ndarray], decay: float) -> None:
        self.step += 1
        share = min(1.0, self.step / self.steps)
        rate = self.rate * min(1.0, self.step / 150) * 0.5 * (1 + np.cos(np.pi * share))
        gradients[0] = gradients[0] + decay * self.parameters[0]
        for p, g, m, v in zip(self.parameters, gradients, self.m, self.v, strict=True):
            m += 0.1 * (g - m)
            v += 0.001 * (g * g - v)
            p -= rate * (m / (1 - 0.9**self.step)) / (np.sqrt(v / (1 - 0.999**self.step)) + 1e-8)


def start(inputs: int, units: int, outputs: int, rng: np.random.Generator) -> list[np.ndarray]:
    return [
        (rng.standard_normal((inputs, units)) / inputs**0.5).astype(np.float32),
        np.zeros(units, dtype=np.float32),
        (rng.standard_normal((units, outputs)) * 0.1).astype(np.float32),
        np.zeros(outputs, dtype=np.float32),
    ]


def scaled(sample: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    flat = sample.reshape(-1, sample.shape[-1]).astype(np.float32)
    return flat.mean(axis=0), flat.std(axis=0) + 0.1


def stored(
    p: list[np.ndarray], mean: np.ndarray, spread: np.ndarray, context: tuple[int, ...]
) -> list[np.ndarray]:
    """Weights that take features as they are, the scaling folded in."""
    times = len(context)
    w1 = p[0] / np.tile(spread, times)[:, None]
    b1 = p[1] - (np.tile(mean, times) / np.tile(spread, times)) @ p[0]
    return [w1.reshape(times, mean.size, -1).astype(np.float16), b1.astype(np.float32), p[2], p[3]]


def fit_activity(known: list[Known], rng: np.random.Generator, epochs: int) -> list[np.ndarray]:
    x = np.concatenate([k.features for k in known])
    y = np.concatenate([k.active for k in known])
    bounds = np.concatenate(([0], np.cumsum([len(k.features) for k in known])))
    which = np.repeat(np.arange(len(known)), np.diff(bounds))
    low, high, context = bounds[which], bounds[which + 1] - 1, np.array(CONTEXT)
    mean, spread = scaled(x[::50])
    p = start(len(CONTEXT) * x.shape[1], UNITS, 1, rng)
    adam = Adam(p, 2e-3, epochs * (x.shape[0] // 1024))
    for epoch in range(epochs):
        order, loss = rng.permutation(x.shape[0]), 0.0
        for i in range(0, order.size - 1023, 1024):
            at = order[i : i + 1024]
            rows = np.clip(at[:, None] + context, low[at][:, None], high[at][:, None])
            z = ((x[rows].astype(np.float32) - mean) / spread).reshape(at.size, -1)
            h = np.maximum(z @ p[0] + p[1], 0)
            out = (h @ p[2] + p[3])[:, 0]
            loss += float(np.logaddexp(0, -out * (2 * y[at] - 1)).mean())
            g = ((1 / (1 + np.exp(-out)) - y[at]) / at.size)[:, None]
            gh = (g @ p[2].T) * (h > 0)
            adam.update([z.T @ gh, gh.sum(0), h.T @ g, g.sum(0)], 1e-4)
        print(f"activity epoch {epoch}: loss {loss / max(order.size // 1024, 1):.4f}", flush=True)
    return stored(p, mean, spread, CONTEXT)


def fit_edge(
    known: list[Known], falling: int, rng: np.random.Generator, epochs: int
) -> list[np.ndarray]:
    chosen = [
        (w, e) for k in known for w, e in zip(k.windows, k.edges, strict=True) if e[0] == falling
    ]
    x = np.stack([w for w, _ in chosen])
    places = np.array([e[1:] for _, e in chosen])
    mean, spread = scaled(x[::5])
    times = (CANDIDATES - 75) * EDGE_HOP_S
    rows = CANDIDATES[:, None] + np.array(EDGE_CONTEXT)
    p = start(len(EDGE_CONTEXT) * x.shape[2], EDGE_UNITS, 2, rng)
    adam = Adam(p, 1.5e-3, epochs * (len(x) // 32))
    for epoch in range(epochs):
        order, loss = rng.permutation(len(x)), 0.0
        for i in range(0, order.size - 31, 32):
            at = order[i : i + 32]
            z = ((x[at].astype(np.float32) - mean) / spread)[:, rows].reshape(-1, p[0].shape[0])
            h = np.maximum(z @ p[0] + p[1], 0)
            out = (h @ p[2] + p[3]).reshape(at.size, times.size, 2)
            inside = 0.3 * out[:, :, 1]
            inner = (
                np.cumsum(inside, 1) - inside if falling else np.cumsum(inside[:, ::-1], 1)[:, ::-1]
            )
            low = np.maximum(places[at, 1] + (0.02 if falling else 0.04), -0.24)
            high = np.minimum(places[at, 2] - (0.04 if falling else 0.02), 0.24)
            allowed = (times >= low[:, None]) & (times <= high[:, None])
            score = np.where(allowed, out[:, :, 0] + inner, -1e9)
            share = np.exp(score - score.max(axis=1, keepdims=True))
            share /= share.sum(axis=1, keepdims=True)
            wanted = (
                np.exp(-0.5 * np.square((times - places[at, :1]) / 0.006)) * allowed
                + 1e-12 * allowed
            )
            wanted /= np.maximum(wanted.sum(axis=1, keepdims=True), 1e-30)
            loss += float(-(wanted * np.log(share + 1e-9)).sum(axis=1).mean())
            g = (share - wanted) / at.size
            gi = np.cumsum(g[:, ::-1], 1)[:, ::-1] - g if falling else np.cumsum(g, 1)
            go = np.stack((g, 0.3 * gi), axis=2).reshape(-1, 2).astype(np.float32)
            gh = (go @ p[2].T) * (h > 0)
            adam.update([z.T @ gh, gh.sum(0), h.T @ go, go.sum(0)], 2e-4)
        print(
            f"edge {falling} epoch {epoch}: loss {loss / max(order.size // 32, 1):.3f}", flush=True
        )
    scale = np.array([1.0, 0.3], dtype=np.float32)
    return stored([p[0], p[1], p[2] * scale, p[3] * scale], mean, spread, EDGE_CONTEXT)


def channels(
    speakers: dict[str, list[np.ndarray]], noises: list[np.ndarray], count: int, seed: int
) -> Iterator[Known]:
    for number in range(count):
        known = make_channel(speakers, noises, np.random.default_rng([seed, number]))
        if known is not None:
            yield known


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--clips", required=True, type=Path)
    parser.add_argument("--noises", type=Path)
    parser.add_argument("--channels", type=int, default=1400)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("s2sverify/data/detector.npz"))
    options = parser.parse_args()
    speakers = read_speakers(options.clips)
    noises = []
    for path in sorted(options.noises.glob("*")) if options.noises else []:
        y, sr = soundfile.read(path, always_2d=True)
        noises.append(soxr.resample(y[:, 0], sr, 16_000))
    known = list(channels(speakers, noises, options.channels, options.seed))
    rng = np.random.default_rng(options.seed)
    parts = {
        "activity": (fit_activity(known, rng, options.epochs), CONTEXT, detector.HOP_S),
        "onset": (fit_edge(known, 0, rng, options.epochs), EDGE_CONTEXT, EDGE_HOP_S),
        "offset": (fit_edge(known, 1, rng, options.epochs), EDGE_CONTEXT, EDGE_HOP_S),
    }
    arrays: dict[str, np.ndarray] = {}
    for name, (weights, context, hop_s) in parts.items():
        for label, array in zip(("w1", "b1", "w2", "b2"), weights, strict=True):
            arrays[f"{name}_{label}"] = array
        arrays[f"{name}_context"] = np.array(context, dtype=np.int16)
        arrays[f"{name}_hop_s"] = np.float64(hop_s)
    np.savez_compressed(options.out, **arrays)


if __name__ == "__main__":
    main()
