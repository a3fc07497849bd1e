"""Level measurement beside numpy and its peers, and the table in docs/benchmarks.md.

python benchmarks/bench_levels.py
"""

from __future__ import annotations

import tables

from tables import machine, peer, ratios, store, table  # isort: skip

import numpy as np

import s2sverify as s2s

SR, HOURS = 8_000, 2
FRAME = 160


def main() -> None:
    rng = np.random.default_rng(0)
    x = np.tile(rng.standard_normal(600 * SR, dtype=np.float32) * np.float32(0.1), HOURS * 6)
    x *= np.repeat(rng.random(x.size // 4_000) > 0.4, 4_000)
    exact = np.square(x[: 1000 * FRAME].astype(np.float64)).reshape(-1, FRAME).sum(axis=1)
    np.testing.assert_allclose(s2s.frame_energies(x, SR)[:1000], exact, rtol=1e-6)

    frames = x.reshape(-1, FRAME)
    runs = {
        "s2sverify.frame_energies": lambda: s2s.frame_energies(x, SR),
        "the same without the check for NaN": lambda: kernel(x),
        "numpy einsum": lambda: np.einsum("ij,ij->i", frames, frames),
        "numpy square, sum": lambda: np.square(frames).sum(axis=1),
    }
    out = np.empty(x.size // FRAME)
    from s2sverify.kernels.levels import frame_energies

    def kernel(x):
        frame_energies(x, FRAME, out)

    librosa = peer("librosa")
    if librosa:
        runs["librosa.feature.rms"] = lambda: librosa.feature.rms(
            y=x, frame_length=FRAME, hop_length=FRAME, center=False
        )
    energies = ratios(x.max, runs)
    base_s = energies.pop("base_s")

    y = x[: 1800 * SR]
    meters = {
        "active_speech_level": lambda: s2s.active_speech_level(y, SR),
        "signal_levels": lambda: s2s.signal_levels(y, SR),
    }
    for run in meters.values():
        run()
    speeds = {name: 1800 / min(tables.cpu_s(run) for _ in range(5)) for name, run in meters.items()}
    text = (
        f"`python benchmarks/bench_levels.py` on {machine()}. CPU time, one thread.\n\n"
        f"Energies of 20 ms frames of two hours at 8 kHz, float32, times `x.max()` on the same array "
        f"({1000 * base_s:.1f} ms):\n\n"
        + table(["", "times x.max()"], [[k, f"{v:.2f}"] for k, v in energies.items()])
        + "\nHalf an hour at 8 kHz, times real time:\n\n"
        + table(["", "times real time"], [[k, f"{v:,.0f}"] for k, v in speeds.items()])
    )
    figures = {"machine": machine(), "max_s": base_s, "energies": energies, "real_time": speeds}
    store("Levels", text, figures, "bench_levels")


if __name__ == "__main__":
    main()
