"""What `transcribe` costs beside its engine, and what it hears, on the calls with known truth.

    python benchmarks/bench_transcribe.py [overhead] [window] [batch] [accuracy] [--calls FOLDER] [--json OUT]

- ``overhead``: the ten-minute call's agent: all of `transcribe` against the engine on the same pieces, and against the
  three passes through the model (encode, generate, align) alone; then the same again from the cache.
- ``window``: the encoder's window of 15 s against Whisper's own 30 s, cost and word errors on the short calls.
- ``batch``: pieces decoded one by one against several at once, and two at once on two cores.
- ``accuracy``: word errors and turns found per render and channel, beside the stored figures of faster-whisper's own
  long-form decoding with the same weights.

Times are CPU-seconds on one thread, since they hold on a busy machine; ``batch`` tells the clock's as well. Words are
compared as `normalize_words` leaves them, a whole channel at a time.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from shared_calls import SharedRender, read_renders, shared_folder

import s2sverify as s2s
from s2sverify.engines.pieces import cut_pieces, is_noisy

CHANNELS = ("caller", "agent")
LONG_CALL = "d12"


class Timed:
    """An engine that adds up what it and the passes through its model take."""

    def __init__(self, engine: s2s.WhisperTranscriber) -> None:
        self._engine = engine
        self.info = engine.info
        engine.transcribe(
            np.full(16_000, 0.1, np.float32), 16_000
        )  # loaded before the clock starts
        loaded = engine._loaded()
        self._model = loaded._whisper
        loaded._whisper = self
        self.clear()

    def clear(self) -> None:
        self.cpu_s = self.model_s = self.audio_s = 0.0
        self.pieces = 0

    def transcribe(self, x, sr, *, language=None):
        began = time.process_time()
        try:
            return self._engine.transcribe(x, sr, language=language)
        finally:
            self.cpu_s += time.process_time() - began
            self.audio_s += x.size / sr
            self.pieces += 1

    def _pass(self, name: str, *args: Any, **options: Any) -> Any:
        began = time.process_time()
        try:
            return getattr(self._model, name)(*args, **options)
        finally:
            self.model_s += time.process_time() - began

    def encode(self, *args: Any, **options: Any) -> Any:
        return self._pass("encode", *args, **options)

    def generate(self, *args: Any, **options: Any) -> Any:
        return self._pass("generate", *args, **options)

    def align(self, *args: Any, **options: Any) -> Any:
        return self._pass("align", *args, **options)


def said(truth: dict[str, Any], channel: str) -> list[tuple[float, float, str]]:
    """Start, end and words of the turns of a channel."""
    turns = [t for t in truth["turns"] if t["channel"] == channel and t["kind"] == "speech"]
    return sorted(
        (t["start_ms"] / 1000, t["end_ms"] / 1000, t["played_text"] if t.get("truncated") else t["text"])
        for t in turns
    )  # fmt: skip


def counts(truth: dict[str, Any], channel: str, words: list[str]) -> s2s.EditCounts:
    text = " ".join(turn[2] for turn in said(truth, channel))
    return s2s.align_words(s2s.normalize_words(text), s2s.normalize_words(" ".join(words))).counts


def found(
    turns: list[tuple[float, float, str]], words: list[tuple[float, float]]
) -> tuple[int, int]:
    """Turns in which a word stands, and words that stand in no turn."""
    middles = [(start_s + end_s) / 2 for start_s, end_s in words]
    hit = sum(any(a - 0.3 <= m < b + 0.3 for m in middles) for a, b, _ in turns)
    return hit, sum(not any(a - 0.3 <= m < b + 0.3 for a, b, _ in turns) for m in middles)


def overhead(renders: list[SharedRender]) -> dict[str, Any]:
    (render,) = (r for r in renders if r.call_id == LONG_CALL)
    recording = s2s.read_recording(render.audio)
    y, sr = recording.agent, recording.sr
    engine = Timed(s2s.WhisperTranscriber(threads=1))
    with tempfile.TemporaryDirectory() as folder:
        cache = s2s.TranscriptCache(folder)
        began = time.process_time()
        first = s2s.transcribe(y, sr, engine, cache=cache)
        first_s = time.process_time() - began
        alone_s, model_s, pieces, audio_s = (
            engine.cpu_s,
            engine.model_s,
            engine.pieces,
            engine.audio_s,
        )
        engine.clear()
        began = time.process_time()
        again = s2s.transcribe(y, sr, engine, cache=cache)
        again_s = time.process_time() - began
    assert again == first
    assert engine.pieces == 0
    return {
        "audio_s": recording.duration_s,
        "pieces": pieces,
        "heard_s": audio_s,
        "transcribe_cpu_s": first_s,
        "engine_cpu_s": alone_s,
        "model_cpu_s": model_s,
        "transcribe_over_engine": first_s / alone_s,
        "transcribe_over_model": first_s / model_s,
        "times_real_time": recording.duration_s / first_s,
        "second_run_s": again_s,
        "first_over_second": first_s / again_s,
    }


def window(renders: list[SharedRender]) -> dict[str, Any]:
    rows = {}
    for window_s in (15.0, 30.0):
        engine = Timed(s2s.WhisperTranscriber(threads=1, window_s=window_s))
        total = s2s.EditCounts(0, 0, 0, 0)
        for render, channel, y, sr in channels(renders):
            heard = s2s.transcribe(y, sr, engine, cache=False)
            total += counts(render.truth, channel, [word.text for word in heard.words])
        low, high = s2s.share_interval(min(total.errors, total.ref_words), total.ref_words)
        rows[f"{window_s:g}"] = {
            "engine_cpu_s": engine.cpu_s,
            "errors": total.errors,
            "words": total.ref_words,
            "word_error_rate": total.word_error_rate,
            "interval": [low, high],
        }
    rows["cost_ratio"] = rows["30"]["engine_cpu_s"] / rows["15"]["engine_cpu_s"]
    return rows


def batch(renders: list[SharedRender]) -> dict[str, Any]:
    import ctranslate2

    parts = []
    for _, _, y, sr in channels(renders):
        speech = [spurt.interval for spurt in s2s.activity(y, sr).spurts]
        for piece in cut_pieces(y, sr, speech, noisy=is_noisy(y, sr, speech)):
            x = y[round(piece.start_s * sr) : round(piece.end_s * sr)]
            parts.append(s2s.resample(x, sr, 16_000).astype(np.float32))
    parts = parts[:32]

    def timed(threads: int, workers: int, size: int) -> dict[str, float]:
        loaded = s2s.WhisperTranscriber(threads=threads)._loaded()
        if workers > 1:
            from faster_whisper import WhisperModel

            folder = s2s.WhisperTranscriber()._weights.folder
            loaded._whisper = WhisperModel(
                str(folder), device="cpu", compute_type="int8", cpu_threads=threads, num_workers=workers
            ).model  # fmt: skip
        tokens = loaded._tokenizer("en")
        prompt = [*tokens.sot_sequence, tokens.no_timestamps]

        def hear(group: list[np.ndarray]) -> None:
            features = np.zeros((len(group), 80, 1500), np.float32)
            for k, x in enumerate(group):
                mel = loaded._features(x)[:, :1500]
                features[k, :, : mel.shape[1]] = mel
            encoded = loaded._whisper.encode(ctranslate2.StorageView.from_array(features))
            loaded._whisper.generate(encoded, [prompt] * len(group), beam_size=5, max_length=200)

        groups = [parts[k : k + size] for k in range(0, len(parts), size)]
        hear(groups[0])
        began, began_cpu = time.perf_counter(), time.process_time()
        with ThreadPoolExecutor(workers) as pool:
            list(pool.map(hear, groups))
        return {
            "clock_s": round(time.perf_counter() - began, 2),
            "cpu_s": round(time.process_time() - began_cpu, 2),
        }

    rows = {
        f"{threads} threads, {workers} at once, batches of {size}": timed(threads, workers, size)
        for threads, workers, size in [
            (1, 1, 1),
            (1, 1, 4),
            (2, 1, 1),
            (2, 1, 4),
            (1, 2, 1),
            (1, 2, 4),
        ]
    }
    return {"pieces": len(parts), **rows}


def accuracy(renders: list[SharedRender]) -> dict[str, Any]:
    folder = renders[0].audio.parent
    stored: dict[tuple[str, str], dict[str, Any]] = {}
    for line in (folder / "stt.tiny.en.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        stored[row["render"], row["channel"]] = row
    engine = Timed(s2s.WhisperTranscriber(threads=1))
    rows = []
    for render, channel, y, sr in channels(renders, long=True):
        engine.clear()
        began = time.process_time()
        heard = s2s.transcribe(y, sr, engine, cache=False)
        spent_s = time.process_time() - began
        turns = said(render.truth, channel)
        ours = counts(render.truth, channel, [word.text for word in heard.words])
        hit, outside = found(turns, [(word.start_s, word.end_s) for word in heard.words])
        old = stored[render.audio.name, channel]
        old_words = [word for segment in old["segments"] for word in segment["words"]]
        theirs = counts(render.truth, channel, [word[0] for word in old_words])
        old_hit, old_outside = found(turns, [(word[1], word[2]) for word in old_words])
        rows.append(
            {
                "render": render.name,
                "channel": channel,
                "words": ours.ref_words,
                "errors": ours.errors,
                "stored_errors": theirs.errors,
                "turns": len(turns),
                "turns_found": hit,
                "stored_turns_found": old_hit,
                "words_outside": outside,
                "stored_words_outside": old_outside,
                "dropped": len(heard.dropped),
                "cpu_s": spent_s,
                "stored_s": old["seconds"],
            }
        )
    keys = [key for key in rows[0] if key not in ("render", "channel")]
    return {"rows": rows, "total": {key: sum(row[key] for row in rows) for key in keys}}


def channels(
    renders: list[SharedRender], *, long: bool = False
) -> Iterator[tuple[SharedRender, str, Any, int]]:
    for render in renders:
        if long or render.call_id != LONG_CALL:
            recording = s2s.read_recording(render.audio)
            for channel in CHANNELS:
                yield render, channel, recording.channel(s2s.Role(channel)), recording.sr


PARTS: dict[str, Callable[[list[SharedRender]], dict[str, Any]]] = {
    "overhead": overhead, "window": window, "batch": batch, "accuracy": accuracy,
}  # fmt: skip


def show(name: str, result: dict[str, Any]) -> None:
    print(f"\n{name}")
    if name != "accuracy":
        print(json.dumps(result, indent=2))
        return
    print(f"{'':30} {'words':>6} {'errors':>7} {'stored':>7} {'found':>9} {'stored':>7} {'outside':>8}"
          f" {'CPU-s':>6} {'stored':>7}")  # fmt: skip
    for row in [*result["rows"], {"render": "total", "channel": "", **result["total"]}]:
        print(
            f"{row['render'] + ' ' + row['channel']:30} {row['words']:6} {row['errors']:7}"
            f" {row['stored_errors']:7} {row['turns_found']:4}/{row['turns']:4}"
            f" {row['stored_turns_found']:7} {row['words_outside']:8} {row['cpu_s']:6.1f}"
            f" {row['stored_s']:7.1f}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], default=list(PARTS))
    parser.add_argument("--calls", help="folder of the calls with known truth")
    parser.add_argument("--json", type=Path, help="where to write the figures")
    asked = parser.parse_args()
    renders = read_renders(shared_folder(asked.calls))
    results: dict[str, Any] = {"engine": str(s2s.open_engine().info.signature)}
    for part in asked.parts or PARTS:
        results[part] = PARTS[part](renders)
        show(part, results[part])
        if asked.json:
            asked.json.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
