"""Signals of known truth for tests of levels and of the line, and ways to cut them into pieces."""

import itertools
import os
from pathlib import Path

import numpy as np
from hypothesis import strategies as st

SHARED = Path(__file__).parents[2] / "shared"
REFERENCES = Path(os.environ.get("S2SVERIFY_REFERENCES") or SHARED / "references")
SOURCES = Path(os.environ.get("S2SVERIFY_CALLS") or SHARED / "calls") / "sources"


def tone(duration_s, peak=0.5, sr=8_000, *, hz=1_000.0):
    t = np.arange(round(duration_s * sr)) / sr
    return (peak * np.sin(2 * np.pi * hz * t)).astype(np.float32)


def speechlike(duration_s, sr=8_000, *, pauses=0.3, dbov=-26.0, rng=7):
    """Syllables of a gliding voice, and pauses of digital silence of a second or more.

    `pauses` is their share of the whole. The level is that of the stretches between them.
    """
    rng = np.random.default_rng(rng)
    n = round(duration_s * sr)
    t = np.arange(n) / sr
    phase = 2 * np.pi * np.cumsum(130 + 25 * np.sin(2 * np.pi * 0.4 * t)) / sr
    voice = sum(np.sin(k * phase + k * k) / (1 + 0.1 * k * k) for k in range(1, 16))
    syllables = 0.55 + 0.45 * np.sin(2 * np.pi * 3.6 * t)
    y = voice * syllables + 0.02 * rng.standard_normal(n)
    period_s = min(duration_s, max(3.0, 2.0 / (1 - pauses)))
    gate = (t % period_s) >= pauses * period_s
    y = np.where(gate, y, 0.0)
    return (y * 10 ** (dbov / 20) / np.sqrt(np.mean(np.square(y[gate])))).astype(np.float32)


def pieces(y, sizes):
    """Consecutive pieces of `y` along its last axis, their sizes taken in turn from `sizes`, again and again."""
    at = 0
    for size in itertools.cycle(sizes):
        if at >= y.shape[-1]:
            return
        yield y[..., at : at + size]
        at += size


# Every streamed operation must give the bits of its whole form for all of these.
CHUNKINGS = st.one_of(
    st.sampled_from([[1], [7], [160], [481]]),
    st.lists(st.integers(0, 4_000), min_size=1, max_size=6).filter(any),
)


def streamed(stream, y, sizes, **finish):
    """What a stream gives for `y` in pieces, put together."""
    parts = [stream.push(piece) for piece in pieces(y, sizes)]
    if hasattr(stream, "finish"):
        parts.append(stream.finish())
    return np.concatenate(
        [part for part in parts if part.size] or parts[:1] or [y[..., :0]], axis=-1
    )


def gain_db(out, ref):
    """Level of the middle half of `out` over that of `ref`: away from the ends, where filters settle."""
    middle = slice(out.shape[-1] // 4, -(out.shape[-1] // 4))
    return 10 * np.log10(
        np.mean(np.square(out[middle], dtype=np.float64))
        / np.mean(np.square(ref, dtype=np.float64))
    )
