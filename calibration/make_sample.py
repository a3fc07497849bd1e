"""Make the sample call that ships with the package: a recording, its trace and what is true of it.

``python calibration/make_sample.py`` writes ``s2sverify/data/sample``; with ``--check`` it makes everything again,
compares it with the files and writes nothing. The same versions of the packages named in ``truth.json`` on the same
kind of processor give the same bytes; the voice of the agent is a neural network, whose last bits a processor with
other instructions may round otherwise.

Agent: voice `heart` of hibari-tts (Apache-2.0). Caller: voice `rms` of flite. Names, numbers and the shop are invented.
What is planted: the agent speaks 84.75 where the tool returned 48.75 and its own transcript shows 48.75; and the caller
cuts in on a turn whose transcript keeps the words that never played. Everything else is spoken as it is written.
"""

from __future__ import annotations

import argparse
import io
import itertools
import json
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import soundfile
import soxr

import s2sverify as s2s
from s2sverify.trace import parse_trace, write_text_atomically

FOLDER = Path(__file__).resolve().parents[1] / "s2sverify" / "data" / "sample"
CLOCK_HZ, LINE_HZ = 24_000, 8_000  # the voices speak at the first, the line carries the second
FRAME_S = 0.020  # the player is cut at the end of a frame
MAX_BYTES = 400_000  # recording and trace together
AGENT_DBOV, CALLER_DBOV = -23.0, -25.0  # active speech levels
ROOM_DBOV = -62.0  # noise of the caller's room, whole call; the agent's channel is digital silence between its turns
SEED = 20_270_311
VAD_STOP_S, VAD_START_S = 0.700, 0.110  # how late the session's detector is

Signal = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Line:
    """One turn as it is written: what the voice is given, and what the session's transcript shows."""

    id: str
    role: str
    spoken: str
    logged: str
    pause_s: float  # after the other party falls silent; what tools and detectors take comes on top
    values: tuple[dict[str, Any], ...] = ()
    tool: dict[str, Any] | None = None  # called before this turn


def value(
    kind: str, expected: str, source: str | None, *, spoken: str | None = None
) -> dict[str, Any]:
    return {"kind": kind, "expected": expected, "from": source, "spoken": spoken or expected}


REPAIR = {
    "id": "call_1",
    "name": "find_repair",
    "args": {"ticket": "3158"},
    "result": {
        "total": "48.75",
        "currency": "USD",
        "ready_date": "2027-03-18",
        "ready_time": "16:30",
    },
    "takes_s": 0.410,
}
PICKUP = {
    "id": "call_2",
    "name": "reserve_pickup",
    "args": {"ticket": "3158"},
    "result": {"code": "72946", "hold_until": "2027-03-25", "storage_per_day": "6.50"},
    "takes_s": 0.290,
}
SCRIPT = (
    Line(
        "t1", "caller",
        "Hi, I left my bike for a new chain. What does it cost?",
        "Hi, I left my bike for a new chain. What does it cost?", 0.6,
    ),
    Line(
        "t2", "agent",
        "Happy to check. What is the ticket number?",
        "Happy to check. What is the ticket number?", 0.15,
    ),
    Line(
        "t3", "caller",
        "The ticket is three one five eight.",
        "The ticket is 3158.", 0.55,
        values=(value("digits", "3158", None),),
    ),
    Line(
        "t4", "agent",
        "Thank you. The repair comes to eighty four dollars and seventy five cents. "
        "It will be ready on March eighteenth, at four thirty p m.",
        "Thank you. The repair comes to $48.75. It will be ready on March 18, at 4:30 p.m.", 0.2,
        values=(
            value("money", "48.75", "call_1.result.total", spoken="84.75"),
            value("date", "2027-03-18", "call_1.result.ready_date"),
            value("time", "16:30", "call_1.result.ready_time"),
        ),
        tool=REPAIR,
    ),
    Line("t5", "caller", "Great. Where do I pick it up?", "Great. Where do I pick it up?", 0.7),
    Line(
        "t6", "agent",
        "At the counter. Your pickup code is seven two nine, four six. "
        "We hold the bike until March twenty fifth. "
        "After that, storage is six dollars and fifty cents per day.",
        "At the counter. Your pickup code is 72946. We hold the bike until March 25. "
        "After that, storage is $6.50 per day.", 0.25,
        values=(
            value("digits", "72946", "call_2.result.code"),
            value("date", "2027-03-25", "call_2.result.hold_until"),
            value("money", "6.50", "call_2.result.storage_per_day"),
        ),
        tool=PICKUP,
    ),
    Line(
        "t7", "caller",
        "Okay, got it. Are you open on Sunday?",
        "Okay, got it. Are you open on Sunday?", 0.0,  # starts inside t6, see CUT_IN
    ),
    Line(
        "t8", "agent",
        "Yes, we are open every Sunday. See you then.",
        "Yes, we are open every Sunday. See you then.", 0.12,
    ),
)  # fmt: skip
CUT_IN = {
    "turn": "t6",
    "by": "t7",
    "sentence": 2,  # counted from 0: the caller begins this long into it
    "after_s": 0.50,
    "agent_stops_s": 0.80,  # after the caller's clip began: detector, network and player
}


@dataclass
class Clip:
    """A line as sound at the rate of the clock; `sentences` are its parts in samples from its start."""

    line: Line
    y: Signal
    sentences: list[tuple[str, int, int]]
    start: int = 0  # on the clock, once placed
    events: list[dict[str, Any]] = field(default_factory=list)

    @property
    def end(self) -> int:
        return self.start + self.y.size


class Voices:
    """The two synthetic speakers. Each answers with the same samples every time."""

    def __init__(self) -> None:
        from hibari import Hibari

        self._agent = Hibari(voice="heart", threads=1)

    def say(self, line: Line) -> Clip:
        texts = re.split(r"(?<=[.?]) ", line.spoken)
        parts = [self._heart(t, line.id) if line.role == "agent" else self._rms(t) for t in texts]
        y = np.concatenate(parts)
        level_dbov = s2s.active_speech_level(y, CLOCK_HZ).active_dbov
        wanted_dbov = AGENT_DBOV if line.role == "agent" else CALLER_DBOV
        y *= 10 ** ((wanted_dbov - level_dbov) / 20)
        ends = np.cumsum([part.size for part in parts])
        starts = ends - [part.size for part in parts]
        spans = [(t, int(a), int(b)) for t, a, b in zip(texts, starts, ends, strict=True)]
        return Clip(line, y, spans)

    def _heart(self, text: str, turn: str) -> Signal:
        seed = SEED + int(turn.removeprefix("t"))
        return np.asarray(self._agent(text, seed=seed), dtype=np.float64)

    @staticmethod
    def _rms(text: str) -> Signal:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "clip.wav"
            subprocess.run(["flite", "-voice", "rms", "-t", text, "-o", str(path)], check=True)
            y, sr = soundfile.read(path)
        return np.asarray(soxr.resample(y, sr, CLOCK_HZ), dtype=np.float64)


def audible(y: Signal, sr: int) -> tuple[float, float]:
    """First and last second above -40 dBov (10 ms RMS, hop 1 ms, held 30 ms), from the start of `y`."""
    window, hop = round(0.010 * sr), round(0.001 * sr)
    power = np.convolve(y * y, np.full(window, 1 / window), mode="valid")[::hop]
    loud = np.flatnonzero(power > 10 ** (-40 / 10))
    held = [i for i in loud if (power[i : i + 30] > 10 ** (-40 / 10)).all()]
    if not held:
        raise RuntimeError("a clip has no audible part")
    return held[0] / 1000, loud[-1] / 1000 + 0.010


def on_frame(t_s: float) -> int:
    """The clock's sample at the next whole frame of the line."""
    return int(np.ceil(round(t_s / FRAME_S, 6))) * round(FRAME_S * CLOCK_HZ)


def place(clips: dict[str, Clip], rng: np.random.Generator) -> None:
    """Put every clip on the clock and write down what the session would have logged about it."""
    floor_free_s = 0.0  # when the other party was last heard
    for line in SCRIPT:
        clip = clips[line.id]
        lead_s, last_s = audible(clip.y, CLOCK_HZ)
        if line.id == CUT_IN["by"]:
            host = clips[CUT_IN["turn"]]
            _, start, _ = host.sentences[CUT_IN["sentence"]]
            clip.start = on_frame((host.start + start) / CLOCK_HZ + CUT_IN["after_s"])
            stop = on_frame(clip.start / CLOCK_HZ + CUT_IN["agent_stops_s"])
            host.y = host.y[: stop - host.start]
        elif line.role == "caller":
            clip.start = on_frame(floor_free_s + line.pause_s)
        else:
            place_reply(clip, floor_free_s, rng)
        floor_free_s = clip.start / CLOCK_HZ + last_s
        if line.role == "caller":
            onset_ms = clip.start / CLOCK_HZ * 1000 + lead_s * 1000
            started_ms = onset_ms + 1000 * VAD_START_S + rng.uniform(-20, 20)
            stopped_ms = floor_free_s * 1000 + 1000 * VAD_STOP_S + rng.uniform(-20, 20)
            clip.events += [
                {"t_ms": started_ms, "type": "vad.speech_started", "turn": line.id},
                {"t_ms": stopped_ms, "type": "vad.speech_stopped", "turn": line.id},
                {"t_ms": stopped_ms + rng.uniform(250, 900), "type": "caller.transcript.updated",
                 "turn": line.id, "text": line.logged},
            ]  # fmt: skip
    host = clips[CUT_IN["turn"]]
    host.events.append(
        {"t_ms": host.end / CLOCK_HZ * 1000 + rng.uniform(20, 50), "type": "agent.truncated",
         "turn": host.line.id, "audio_end_ms": round(host.y.size / CLOCK_HZ * 1000)}
    )  # fmt: skip


def place_reply(clip: Clip, caller_silent_s: float, rng: np.random.Generator) -> None:
    """An agent turn: the detector waits, a tool may run, then audio comes."""
    line = clip.line
    t_s = caller_silent_s + VAD_STOP_S + rng.uniform(0.03, 0.09)
    if line.tool:
        tool = {"id": line.tool["id"], "name": line.tool["name"]}
        call = {"t_ms": t_s * 1000, "type": "tool.call", **tool, "args": line.tool["args"]}
        t_s += line.tool["takes_s"] + rng.uniform(-0.03, 0.03)
        result = {"t_ms": t_s * 1000, "type": "tool.result", **tool, "result": line.tool["result"]}
        t_s += rng.uniform(0.05, 0.12)
        clip.events += [call, result]
    clip.start = on_frame(t_s + line.pause_s)
    chunk_ms = clip.start / CLOCK_HZ * 1000 - rng.uniform(40, 80)  # arrives before it plays
    clip.events += [
        {"t_ms": t_s * 1000, "type": "response.created", "turn": line.id},
        {"t_ms": chunk_ms, "type": "agent.audio.first_chunk", "turn": line.id},
        {"t_ms": chunk_ms + rng.uniform(300, 450), "type": "agent.transcript.done",
         "turn": line.id, "text": line.logged},
    ]  # fmt: skip


def time_of(clip: Clip, event: str) -> float:
    return next(e["t_ms"] for e in clip.events if e["type"] == event)


def logged_turn(clip: Clip, rng: np.random.Generator) -> dict[str, Any]:
    """The turn with the times that the session has for it, which are not those of the sound."""
    line = clip.line
    turn: dict[str, Any] = {"id": line.id, "role": line.role, "text": line.logged}
    if line.role == "caller":
        start_ms, end_ms = time_of(clip, "vad.speech_started"), time_of(clip, "vad.speech_stopped")
        turn["script"] = line.spoken
    else:
        start_ms = time_of(clip, "agent.audio.first_chunk")
        end_ms = clip.end / CLOCK_HZ * 1000 + rng.uniform(10, 60)
    return turn | {"start_ms": round(start_ms), "end_ms": round(end_ms)}


def make_trace(clips: dict[str, Clip], rng: np.random.Generator) -> dict[str, Any]:
    turns = [logged_turn(clip, rng) for clip in clips.values()]
    events = [event for clip in clips.values() for event in clip.events]
    events = [{**event, "t_ms": round(event["t_ms"])} for event in events]
    calls = []
    for line in SCRIPT:
        if line.tool:
            times = {e["type"]: e["t_ms"] for e in events if e.get("id") == line.tool["id"]}
            call = {key: line.tool[key] for key in ("id", "name", "args", "result")}
            calls.append({**call, "t_ms": times["tool.call"], "end_ms": times["tool.result"]})
    return {
        "schema_version": 1,
        "turns": sorted(turns, key=lambda turn: turn["start_ms"]),
        "tool_calls": calls,
        "backend_after": {
            "repairs": {"3158": {"total": "48.75", "ready": "2027-03-18T16:30"}},
            "pickups": {"72946": {"ticket": "3158", "hold_until": "2027-03-25"}},
        },
        "events": sorted(events, key=lambda event: event["t_ms"]),
        "meta": {
            "manifest_id": "sample",
            "agent_vendor": "hibari",
            "voice": "heart",
            "codec": "pcmu",
            "condition": "phone",
            "replace": {},
        },
    }


def make_recording(clips: dict[str, Clip], rng: np.random.Generator) -> npt.NDArray[np.int16]:
    """Both channels, shape (n, 2), through the telephone line: int16 that hold mu-law values."""
    n = on_frame(max(clip.end for clip in clips.values()) / CLOCK_HZ + 0.5)
    caller = rng.standard_normal(n) * 10 ** (ROOM_DBOV / 20)
    agent = np.zeros(n)
    for clip in clips.values():
        (caller if clip.line.role == "caller" else agent)[clip.start : clip.end] += clip.y
    line = s2s.degrade(np.stack([caller, agent]), "phone", sr=CLOCK_HZ)
    if line.sr != LINE_HZ:
        raise RuntimeError(f"the line must carry {LINE_HZ} Hz, got {line.sr}")
    return np.rint(line.y.T * 32768).astype(np.int16)


def make_truth(clips: dict[str, Clip], x: npt.NDArray[np.int16]) -> dict[str, Any]:
    """What was said, when it could be heard on the line, and what is planted."""
    turns, heard = [], {}
    for clip in clips.values():
        line = clip.line
        start, end = (round(t * LINE_HZ / CLOCK_HZ) for t in (clip.start, clip.end))
        channel = 0 if line.role == "caller" else 1
        onset_s, offset_s = audible(x[start:end, channel] / 32768, LINE_HZ)
        heard[line.id] = start / LINE_HZ + onset_s, start / LINE_HZ + offset_s
        turns.append(
            {
                "id": line.id,
                "role": line.role,
                "spoken": line.spoken,
                "start_ms": start / LINE_HZ * 1000,
                "end_ms": end / LINE_HZ * 1000,
                "audible_onset_ms": round(heard[line.id][0] * 1000),
                "audible_end_ms": round(heard[line.id][1] * 1000),
                "values": list(line.values),
            }
        )
    cut = clips[CUT_IN["turn"]]
    played = [text for text, _, b in cut.sentences if b <= cut.y.size]
    partial = [text for text, a, b in cut.sentences if a < cut.y.size < b]
    unplayed = [text for text, a, _ in cut.sentences if a >= cut.y.size]
    replies = [
        (a.id, b.id) for a, b in itertools.pairwise(SCRIPT)
        if a.role == "caller" and b.role == "agent"
    ]  # fmt: skip
    return {
        "made_by": "calibration/make_sample.py",
        "versions": versions(),
        "voices": {"agent": "hibari-tts heart, Apache-2.0", "caller": "flite rms"},
        "rate_hz": LINE_HZ,
        "turns": turns,
        "defects": [
            {
                "type": "value_changed",
                "turn": "t4",
                "kind": "money",
                "expected": "48.75",
                "spoken": "84.75",
                "transcript_says": "48.75",
                "owner": "agent_speech",
            },
            {
                "type": "barge_in_truncation",
                "turn": CUT_IN["turn"],
                "by": CUT_IN["by"],
                "played": played,
                "partly_played": partial,
                "unplayed": unplayed,
                "values_not_played": [v["expected"] for v in cut.line.values[1:]],
                "owner": "truncation",
            },
        ],
        "response_latencies": [
            {"caller_turn": a, "agent_turn": b,
             "latency_ms": round((heard[b][0] - heard[a][1]) * 1000)}
            for a, b in replies
        ],
        "overlaps": [
            {"start_ms": round(heard[CUT_IN["by"]][0] * 1000),
             "end_ms": round(heard[CUT_IN["turn"]][1] * 1000), "second_speaker": "caller"}
        ],
    }  # fmt: skip


def versions() -> dict[str, str]:
    done = subprocess.run(["flite", "--version"], capture_output=True, text=True, check=False)
    flite = re.search(r"flite-(\S+)", done.stdout + done.stderr)
    packages = ("hibari-tts", "numpy", "onnxruntime", "scipy", "soundfile", "soxr")
    return {"flite": flite.group(1) if flite else "unknown"} | {p: version(p) for p in packages}


def make() -> dict[str, bytes]:
    """Every file of the sample by name."""
    rng = np.random.default_rng(SEED)
    voices = Voices()
    clips = {line.id: voices.say(line) for line in SCRIPT}
    place(clips, rng)
    trace = make_trace(clips, rng)
    parse_trace(trace, name="the sample's trace")
    x = make_recording(clips, rng)
    packed = io.BytesIO()
    soundfile.write(packed, x, LINE_HZ, format="FLAC", subtype="PCM_16", compression_level=1.0)
    files = {
        "call.flac": packed.getvalue(),
        "trace.json": as_json(trace),
        "truth.json": as_json(make_truth(clips, x)),
    }
    size = len(files["call.flac"]) + len(files["trace.json"])
    if size >= MAX_BYTES:
        raise RuntimeError(f"recording and trace must be under {MAX_BYTES} bytes, got {size}")
    return files


def as_json(data: dict[str, Any]) -> bytes:
    return (json.dumps(data, ensure_ascii=False, indent=1) + "\n").encode()


def differences(made: dict[str, bytes], folder: Path) -> list[str]:
    """What stands in the way of equal bytes, one line each; package versions alone do not count."""
    found = []
    for name, data in made.items():
        path = folder / name
        if not path.is_file():
            found.append(f"{name}: is missing")
        elif name == "truth.json":
            ours, theirs = json.loads(data), json.loads(path.read_bytes())
            if ours.pop("versions") != theirs.pop("versions") and ours != theirs:
                found.append(f"{name}: differs, and so do the versions of the packages")
            elif ours != theirs:
                found.append(f"{name}: differs")
        elif path.read_bytes() != data:
            found.append(f"{name}: differs")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--check", action="store_true", help="make it again, compare, write nothing"
    )
    parser.add_argument("--folder", type=Path, default=FOLDER)
    options = parser.parse_args()
    made = make()
    if options.check:
        found = differences(made, options.folder)
        print("\n".join(found) or "the sample is what this script makes")
        return 1 if found else 0
    options.folder.mkdir(parents=True, exist_ok=True)
    for name, data in made.items():
        if name.endswith(".json"):
            write_text_atomically(options.folder / name, data.decode())
        else:
            beside = options.folder / f".{name}.part"
            beside.write_bytes(data)
            beside.replace(options.folder / name)
        print(f"{name}: {len(data)} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
