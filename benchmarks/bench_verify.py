"""What `verify` costs beside the engine: the first run against the engine's own time, the second against the first.

    python benchmarks/bench_verify.py [--audio CALL --trace TRACE] [--json OUT]

Without arguments the sample call is repeated to ten minutes. Times are seconds of CPU and of the clock in one
process; the engine's own time is what its `transcribe` took on the very pieces it was given. The runs of the command
line are whole processes, the second of which finds every transcription in the cache.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import s2sverify as s2s

MINUTES = 10


class Timed:
    """An engine that adds up what it takes itself."""

    def __init__(self, engine: s2s.Transcriber) -> None:
        self._engine = engine
        self.info = engine.info
        self.cpu_s = self.wall_s = self.audio_s = 0.0
        self.calls = 0

    def transcribe(self, x, sr, *, language=None):
        cpu_s, wall_s = time.process_time(), time.perf_counter()
        try:
            return self._engine.transcribe(x, sr, language=language)
        finally:
            self.cpu_s += time.process_time() - cpu_s
            self.wall_s += time.perf_counter() - wall_s
            self.audio_s += x.size / sr
            self.calls += 1


def long_sample(folder: Path) -> tuple[Path, Path]:
    """The sample call said over and over, with a trace that says the same."""
    audio, trace = s2s.sample_paths()
    call = s2s.read_call(audio, trace)
    recording, logged = call.recording, call.trace
    times = round(MINUTES * 60 / recording.duration_s)
    rng = np.random.default_rng(5)
    parts = [recording.read(0.0, recording.duration_s) for _ in range(times)]
    y = np.concatenate(parts, axis=1)
    y = y + np.float32(1e-5) * rng.standard_normal(y.shape, dtype=np.float32)  # no piece twice
    s2s.Recording.from_arrays(y[0], y[1], recording.sr).write(folder / "long.wav")
    plain = logged.to_dict()
    turns = []
    for k in range(times):
        for turn in plain["turns"]:
            moved = {
                n: v + 1000 * k * recording.duration_s for n, v in turn.items() if n.endswith("_ms")
            }
            turns.append({**turn, **moved, "id": f"{k}.{turn.get('id')}"})
    (folder / "long.json").write_text(
        json.dumps({**plain, "turns": turns, "events": []}), encoding="utf-8"
    )
    return folder / "long.wav", folder / "long.json"


def measure(audio: Path, trace: Path | None, folder: Path) -> dict[str, float]:
    cache = s2s.TranscriptCache(folder / "cache")
    engine = Timed(s2s.open_engine())
    engine.transcribe(np.zeros(16_000, np.float32) + 0.1, 16_000)  # the model is loaded, not timed
    engine.cpu_s = engine.wall_s = engine.audio_s = 0.0
    engine.calls = 0
    runs = []
    for _ in range(2):
        cpu_s, wall_s = time.process_time(), time.perf_counter()
        call = s2s.read_call(audio, trace)
        report = s2s.verify(call, engine=engine, cache=cache)
        runs.append((time.process_time() - cpu_s, time.perf_counter() - wall_s))
    (first_cpu_s, first_wall_s), (second_cpu_s, second_wall_s) = runs
    command = [
        sys.executable,
        "-m",
        "s2sverify",
        "verify",
        str(audio),
        *([str(trace)] if trace else []),
    ]
    environment = {**os.environ, "S2SVERIFY_CACHE": str(folder / "other")}
    processes = []
    for _ in range(2):
        wall_s = time.perf_counter()
        used = os.times()
        subprocess.run(command, env=environment, check=False, capture_output=True)
        after = os.times()
        children_s = (
            after.children_user + after.children_system - used.children_user - used.children_system
        )
        processes.append((children_s, time.perf_counter() - wall_s))
    return {
        "call_s": call.recording.duration_s,
        "heard_s": engine.audio_s,
        "pieces": engine.calls,
        "values": len(report.entities),
        "engine_cpu_s": engine.cpu_s,
        "first_cpu_s": first_cpu_s,
        "first_over_engine_cpu": first_cpu_s / engine.cpu_s,
        "first_over_engine_wall": first_wall_s / engine.wall_s,
        "second_cpu_s": second_cpu_s,
        "first_over_second_cpu": first_cpu_s / second_cpu_s,
        "first_over_second_wall": first_wall_s / second_wall_s,
        "process_first_over_second_cpu": processes[0][0] / processes[1][0],
        "process_first_over_second_wall": processes[0][1] / processes[1][1],
        "process_second_cpu_s": processes[1][0],
        "times_real_time": call.recording.duration_s / first_wall_s,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--audio", type=Path)
    parser.add_argument("--trace", type=Path)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        audio, trace = (
            (arguments.audio, arguments.trace) if arguments.audio else long_sample(folder)
        )
        figures = measure(audio, trace, folder)
    for key, value in figures.items():
        print(f"{key:32}{value:12.3f}")
    if arguments.json:
        arguments.json.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
