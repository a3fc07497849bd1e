"""How far measured times are from known ones, and what an hour costs.

    python benchmarks/bench_timing.py [--calls FOLDER] [--json OUT] [--only truth|rules|speed]

truth: the shared calls, where there, against their truth in the render's band.
rules: calls put together here (``known_calls.py``), against five definitions of an edge.
speed: an hour at 8 kHz, beside detectors of other packages where they are installed, in one process and run.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from known_calls import EDGE_RULES, NOISES, load_clips, place_call
from shared_calls import read_renders, shared_folder

import s2sverify as s2s

Edges = dict[str, list[float]]


def compare(turns: list[tuple[float, float]], spurts: Any, into: dict[str, Any]) -> None:
    """Errors of the outer edges of every known turn, and what was missed or invented."""
    used: set[int] = set()
    for onset_s, offset_s in turns:
        mine = [i for i, s in enumerate(spurts) if s.onset_s < offset_s and s.offset_s > onset_s]
        used |= set(mine)
        into["turns"] += 1
        if not mine:
            into["missed"] += 1
            continue
        first, last = spurts[mine[0]], spurts[mine[-1]]
        into["onset"].append(first.onset_s - onset_s)
        into["offset"].append(last.offset_s - offset_s)
        for interval, known in ((first.onset_interval, onset_s), (last.offset_interval, offset_s)):
            into["covered"].append(interval.start_s - 5e-4 <= known <= interval.end_s + 5e-4)
            into["width"].append(interval.duration_s)
    into["invented"] += len(spurts) - len(used)


def empty() -> dict[str, Any]:
    return {
        "turns": 0, "missed": 0, "invented": 0, "onset": [], "offset": [], "covered": [], "width": [],
    }  # fmt: skip


def summed_up(raw: dict[str, Any]) -> dict[str, Any]:
    def ms(values: list[float], q: float) -> float:
        return round(1000 * float(np.percentile(np.abs(values), q)), 1) if values else float("nan")

    return {
        "turns": raw["turns"],
        "missed": raw["missed"],
        "invented": raw["invented"],
        "onset_median_ms": ms(raw["onset"], 50),
        "onset_p95_ms": ms(raw["onset"], 95),
        "offset_median_ms": ms(raw["offset"], 50),
        "offset_p95_ms": ms(raw["offset"], 95),
        "covered": round(float(np.mean(raw["covered"])), 3) if raw["covered"] else None,
        "width_median_ms": ms(raw["width"], 50),
    }


def truth(folder: Path) -> dict[str, Any]:
    """Per render: edges, every caller turn's fate, latency percentiles, overlaps."""
    rows: dict[str, Any] = {}
    pooled: dict[str, dict[str, Any]] = defaultdict(empty)
    for render in read_renders(folder):
        recording = s2s.read_recording(render.audio)
        timing = s2s.measure_timing(recording)
        band, key = (
            ("phone", "latency_phone_ms") if recording.sr == 8_000 else ("audible", "latency_ms")
        )
        raw = empty()
        spans: dict[str, tuple[float, float]] = {}
        for role, found in (("caller", timing.caller), ("agent", timing.agent)):
            turns = sorted(
                (t[f"{band}_onset_ms"] / 1000, t[f"{band}_end_ms"] / 1000, t["id"])
                for t in render.truth["turns"]
                if t["channel"] == role
            )
            spans |= {i: (a, b) for a, b, i in turns}
            for into in (raw, pooled[render.condition]):
                compare([(a, b) for a, b, _ in turns], found.spurts, into)
        wanted = [r[key] / 1000 for r in render.truth["ground_truth"]["response_latencies"]]
        known = [
            (max(spans[o["caller_turn"]][0], spans[o["agent_turn"]][0]),
             min(spans[o["caller_turn"]][1], spans[o["agent_turn"]][1]))
            for o in render.truth["ground_truth"]["overlaps"]
        ]  # fmt: skip
        known = [(a, b) for a, b in known if b - a > 0.150]
        hit = [any(o.start_s < b and o.end_s > a for o in timing.overlaps) for a, b in known]
        extra = [
            o for o in timing.overlaps
            if not any(o.start_s < b and o.end_s > a for a, b in known) and o.duration_s > 0.150
        ]  # fmt: skip
        rows[render.name] = summed_up(raw) | {
            "caller_turns": len(wanted),
            "answered": timing.count("answered"),
            "cut_in": timing.count("cut_in"),
            "unanswered": timing.count("unanswered"),
            "not_owed": timing.count("not_owed"),
            "p50_error_ms": round(
                1000 * (timing.percentile(50) - float(np.percentile(wanted, 50))), 1
            ),
            "p90_error_ms": round(
                1000 * (timing.percentile(90) - float(np.percentile(wanted, 90))), 1
            ),
            "overlaps": len(known),
            "overlaps_found": sum(hit),
            "overlaps_invented": len(extra),
        }
    return {"renders": rows, "conditions": {k: summed_up(v) for k, v in sorted(pooled.items())}}


def rules(calls: int) -> dict[str, Any]:
    """Edge error by edge rule and SNR, over all noises; and by noise for the plain rule."""
    clips = load_clips()
    by_rule: dict[str, dict[str, Any]] = defaultdict(empty)
    by_noise: dict[str, dict[str, Any]] = defaultdict(empty)
    seed = 50_000
    for snr_db in (float("inf"), 20.0, 10.0, 5.0):
        for noise in NOISES if np.isfinite(snr_db) else ("none",) * 4:
            for number in range(calls):
                seed += 1
                level_db = (0.0, -6.0, -12.0)[number % 3] if noise == "none" else 0.0
                call = place_call(clips, noise, snr_db, level_db, seed)
                label = "clean" if noise == "none" else f"{snr_db:.0f} dB"
                for channel in range(2):
                    found = s2s.activity(call.y[channel].astype(np.float32), 8_000).spurts
                    for rule, edges in EDGE_RULES.items():
                        turns = [
                            tuple(start + e for e in edges(clip))
                            for start, clip in call.clips[channel]
                        ]
                        compare(turns, found, by_rule[f"{label}, {rule}"])
                        if rule.startswith("plain"):
                            compare(turns, found, by_noise[f"{label}, {noise}"])
    return {
        "voices": sorted(clips),
        "by_rule": {k: summed_up(v) for k, v in by_rule.items()},
        "by_noise": {k: summed_up(v) for k, v in by_noise.items()},
    }


def hour(noisy: bool) -> np.ndarray:
    """One hour of talk at 8 kHz, two channels."""
    part = s2s.degrade(s2s.make_call(rng=3, turns=60).recording, "phone", rng=3).y
    y = np.tile(part, (1, 3600 * 8_000 // part.shape[1] + 1))[:, : 3600 * 8_000]
    if noisy:
        rng = np.random.default_rng(0)
        y = y + np.float32(10 ** (-33 / 20)) * rng.standard_normal(y.shape, dtype=np.float32)
    return y


def plain_loop(y: np.ndarray, sr: int) -> int:
    """A detector that walks over frames of 10 ms in Python, as small packages do."""
    spurts, active, quiet = 0, False, 0
    width = sr // 100
    for k in range(y.size // width):
        frame = y[k * width : (k + 1) * width]
        level = 20 * np.log10(max(float(np.sqrt(np.mean(frame**2))), 1e-12))
        if level > -40.0:
            spurts += not active
            active, quiet = True, 0
        elif active:
            quiet += 1
            active = quiet < 20
    return spurts


def peers() -> dict[str, Callable[[np.ndarray, int], Any]]:
    found: dict[str, Callable[[np.ndarray, int], Any]] = {"plain loop in Python": plain_loop}
    try:
        from voicebench.vad import detect_segments

        found["voicebench"] = detect_segments
    except ImportError:
        try:
            from voicebench.vad import StreamingVad

            def run(y: np.ndarray, sr: int) -> int:
                detector = StreamingVad(sr)
                return len(detector.push(y)) + len(detector.flush())

            found["voicebench"] = run
        except ImportError as error:
            print(f"voicebench left out: {error}", file=sys.stderr)
    try:
        from hotato._engine.vad import energy_vad

        found["hotato"] = lambda y, sr: energy_vad(y.tolist(), sr)
    except ImportError as error:
        print(f"hotato left out: {error}", file=sys.stderr)
    return found


def timed(run: Callable[[], Any]) -> float:
    began = time.process_time()
    run()
    return round(time.process_time() - began, 3)


def speed() -> dict[str, Any]:
    results: dict[str, Any] = {}
    for name, noisy in (("clean", False), ("noisy", True)):
        y = hour(noisy)
        recording = s2s.Recording.from_arrays(y[0], y[1], 8_000)
        s2s.measure_timing(s2s.Recording.from_arrays(y[0, :80_000], y[1, :80_000], 8_000))
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        results[f"{name}_cpu_s"] = timed(lambda r=recording: s2s.measure_timing(r))
        after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        results[f"{name}_more_memory_mb"] = round((after - before) / 1024, 1)
        if not noisy:
            ours = timed(lambda y=y: [s2s.activity(c, 8_000) for c in y])
            results["activity_cpu_s"] = ours
            for peer, detect in peers().items():
                results[f"{peer}_cpu_s"] = timed(lambda d=detect, y=y: [d(c, 8_000) for c in y])
                results[f"{peer}_over_ours"] = round(results[f"{peer}_cpu_s"] / ours, 1)
    return results


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls")
    parser.add_argument("--json")
    parser.add_argument("--only", choices=("truth", "rules", "speed"))
    parser.add_argument("-n", type=int, default=3, help="calls per noise and SNR")
    options = parser.parse_args()
    results: dict[str, Any] = {}
    if options.only in (None, "truth"):
        try:
            results["truth"] = truth(shared_folder(options.calls))
        except FileNotFoundError as error:
            print(f"truth left out: {error}", file=sys.stderr)
    if options.only in (None, "rules"):
        results["rules"] = rules(options.n)
    if options.only in (None, "speed"):
        results["speed"] = speed()
    text = json.dumps(results, indent=1)
    print(text)
    if options.json:
        Path(options.json).write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
