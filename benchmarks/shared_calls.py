"""Read the calls and turns with known truth, and show the verifier no more than a session's log would.

The folder is not part of the project. It is the path given, else the environment variable ``S2SVERIFY_CALLS``, else
``../shared/calls`` beside the project.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).resolve().parents[1]
CODECS = {"clean24": "pcm"}  # every other condition is a telephone line
ENGINE_VENDORS = {"Piper": "piper", "hibari": "hibari", "flite": "flite", "espeak-ng": "espeak-ng"}


@dataclass(frozen=True)
class SharedRender:
    """One recording of one call: what the verifier is given, and apart from it what is true."""

    call_id: str
    condition: str
    audio: Path
    trace: dict[str, Any]
    truth: dict[str, Any]

    @property
    def name(self) -> str:
        return f"{self.call_id}.{self.condition}"


@dataclass(frozen=True)
class SharedTurn:
    """One agent turn alone: what the verifier is given, and apart from it what is true."""

    id: str
    audio: Path
    condition: str
    voice: str
    expected: tuple[dict[str, str], ...]  # slot, kind, value: what the tool returned
    t_out: str
    truth: dict[str, Any]


def shared_folder(path: str | os.PathLike[str] | None = None) -> Path:
    """The folder of the calls.

    Raises
    ------
    FileNotFoundError
        If it holds no ``index.json``.
    """
    chosen = path or os.environ.get("S2SVERIFY_CALLS") or PROJECT.parent / "shared" / "calls"
    folder = Path(chosen)
    if not (folder / "index.json").is_file():
        raise FileNotFoundError(
            f"{folder}: holds no index.json; give the folder of the calls or set S2SVERIFY_CALLS"
        )
    return folder


def read_renders(folder: Path, *, harness: bool = False) -> list[SharedRender]:
    """Every render of every call, in order of id. `harness` as in `trace_of`."""
    renders = []
    for path in sorted(folder.glob("d*.json")):
        call = json.loads(path.read_text(encoding="utf-8"))
        for render in call["renders"]:
            trace = trace_of(call, render, harness=harness)
            audio = folder / render["audio"]
            renders.append(SharedRender(call["id"], render["condition"], audio, trace, call))
    return renders


def read_turns(folder: Path) -> Iterator[SharedTurn]:
    """Every single turn, in the order of the file."""
    with (folder / "turns" / "turns.jsonl").open(encoding="utf-8") as lines:
        for line in lines:
            truth = json.loads(line)
            yield SharedTurn(
                truth["id"],
                folder / "turns" / truth["audio"],
                truth["condition"],
                truth["voice"],
                tuple(truth["expected_values"]),
                truth["t_out"],
                truth,
            )


def trace_of(
    call: dict[str, Any], render: dict[str, Any], *, harness: bool = False
) -> dict[str, Any]:
    """The trace of a call as its session would have logged it.

    Of a truth file only this is taken: the two side-channel texts, when playback of an agent turn began and ended,
    when the detector heard the caller, tool calls, events, the configured voice and the declared replacements.
    What was really said, defects, audible onsets and kinds of values stay behind, and so do turns without
    a transcript (a hum, a laugh), of which a session knows nothing.

    Parameters
    ----------
    harness : bool
        Add what a test that makes its own calls knows besides: the caller's script and the name of the condition.
    """
    events = sorted((dict(event) for event in call["events"]), key=lambda event: event["t_ms"])
    turns = [
        _logged_turn(turn, events, harness=harness)
        for turn in call["turns"]
        if turn["kind"] == "speech"
    ]
    calls = [
        {
            "id": tool["id"],
            "name": tool["name"],
            "args": tool["args"],
            "result": tool["result"],
            "t_ms": tool["called_ms"],
            "end_ms": tool["returned_ms"],
        }
        for tool in call["tools"]
    ]
    condition = render["condition"]
    meta = {
        "manifest_id": call["id"],
        "agent_vendor": _vendor(call["agent"]["engine"]),
        "voice": call["agent"]["voice"],
        "codec": CODECS.get(condition, "pcmu"),
        "replace": dict(call.get("replace_map") or {}),
    }
    if harness:
        meta["condition"] = condition
    return {
        "schema_version": 1,
        "turns": sorted(turns, key=lambda turn: turn["start_ms"]),
        "tool_calls": sorted(calls, key=lambda tool: tool["t_ms"]),
        "events": events,
        "meta": meta,
    }


def _logged_turn(
    turn: dict[str, Any], events: list[dict[str, Any]], *, harness: bool
) -> dict[str, Any]:
    times = {event["type"]: event["t_ms"] for event in events if event.get("turn") == turn["id"]}
    logged: dict[str, Any] = {"id": turn["id"], "role": turn["channel"]}
    if turn["channel"] == "agent":
        logged["text"] = turn["t_out"]
        start_ms, end_ms = turn["chunk_start_ms"], turn["end_ms"]
    else:
        logged["text"] = turn["t_in"]
        start_ms = times.get("vad.speech_started", turn["start_ms"])
        end_ms = times.get("vad.speech_stopped", turn["end_ms"])
        if harness:
            logged["script"] = turn["text"]
    return logged | {"start_ms": start_ms, "end_ms": max(start_ms, end_ms)}


def _vendor(engine: str | None) -> str | None:
    return next((v for word, v in ENGINE_VENDORS.items() if engine and word in engine), None)
