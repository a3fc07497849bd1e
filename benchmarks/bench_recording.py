"""Opening recordings: the one pass for findings and hash, against numpy's copy of the same samples; decoding.

Run with ``pytest benchmarks/bench_recording.py``. A 10-minute phone call must cost well under 0.2 s of CPU time.
"""

from __future__ import annotations

import time

import numpy as np
import pytest

import s2sverify as s2s

CASES = {
    "phone-10min-pcm": (600, 8_000, "pcm_s16le", ".wav"),
    "phone-10min-mulaw": (600, 8_000, "pcm_mulaw", ".wav"),
    "phone-10min-flac": (600, 8_000, "pcm_s16le", ".flac"),
    "wide-30min-float": (1_800, 24_000, "pcm_f32le", ".wav"),
}  # s, Hz


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("recordings")


def written(folder, case):
    seconds, sr, encoding, suffix = CASES[case]
    path = folder / f"{case}{suffix}"
    if not path.exists():
        rng = np.random.default_rng(7)
        second = np.repeat(rng.standard_normal((2, sr // 8)).astype(np.float32), 8, axis=1) * 0.05
        y = np.tile(second, seconds)
        s2s.Recording.from_arrays(y[0], y[1], sr).write(path, encoding=encoding)
    return path, seconds, sr


@pytest.mark.parametrize("case", CASES)
def test_findings_and_hash(benchmark, case, folder):
    path, seconds, sr = written(folder, case)
    found = benchmark.pedantic(
        lambda: s2s.read_recording(path).findings, rounds=3, iterations=1, warmup_rounds=1
    )
    assert found == ()
    y = np.zeros((2, seconds * sr), np.float32)
    start = time.perf_counter()
    y.copy()
    benchmark.extra_info["times_numpy_copy"] = benchmark.stats.stats.min / (
        time.perf_counter() - start
    )
    benchmark.extra_info["times_real_time"] = seconds / benchmark.stats.stats.min
    start = time.process_time()
    _ = s2s.read_recording(path).findings
    benchmark.extra_info["cpu_s"] = cpu_s = time.process_time() - start
    assert cpu_s < seconds * sr / 4.8e6 * (0.2 if path.suffix == ".wav" else 0.6)


@pytest.mark.parametrize("case", CASES)
def test_decoding(benchmark, case, folder):
    path, seconds, sr = written(folder, case)
    y = benchmark.pedantic(
        lambda: s2s.read_recording(path).caller, rounds=3, iterations=1, warmup_rounds=1
    )
    assert y.size == seconds * sr
    benchmark.extra_info["times_real_time"] = seconds / benchmark.stats.stats.min
