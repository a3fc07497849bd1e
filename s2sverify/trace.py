"""What the session logged: a trace, its JSON schema, its reader and writer; and a call, a trace with its recording.

A trace holds claims, not evidence: texts that models wrote on the side, tool calls, events with the times that a
log gave them. Field names ending in ``_ms`` are milliseconds on the call clock, which starts at the first sample
of the recording. Fields that this version does not know are kept and written back.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from s2sverify.errors import InputError
from s2sverify.recording import Recording, read_recording
from s2sverify.types import Interval, Role

SCHEMA_VERSION = 1
SCHEMA_ID = f"urn:s2sverify:schema:trace:{SCHEMA_VERSION}"
MAX_BYTES = (
    256 * 2**20
)  # a trace above this is refused unread; an hour of logged events is about 5 MB


def _storable(text: str) -> str:
    """Refuse text that no UTF-8 file can hold."""
    if any(0xD800 <= ord(char) <= 0xDFFF for char in text):
        raise ValueError("text must not hold lone surrogates")
    return text


Text = Annotated[str, AfterValidator(_storable)]
Milliseconds = Annotated[float, Field(allow_inf_nan=False, ge=-86_400_000.0, le=864_000_000.0)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="allow", frozen=True, strict=True, populate_by_name=True)


class TraceTurn(_Part):
    """One turn as the session saw it: agent text is T-out, caller text is T-in."""

    id: Text | None = Field(None, description="Name that events refer to.")
    role: Literal["caller", "agent"] = Field(description="Who spoke.")
    text: Text | None = Field(
        None, description="The session's own transcript: T-out of the agent, T-in of the caller."
    )
    start_ms: Milliseconds | None = Field(None, description="Start of the turn on the call clock.")
    end_ms: Milliseconds | None = Field(None, description="End of the turn on the call clock.")
    script: Text | None = Field(
        None, description="What was really said, where it is known because it was written."
    )
    truncated_at_ms: Milliseconds | None = Field(
        None, description="Call-clock time at which playback of this agent turn was cut."
    )

    @property
    def interval(self) -> Interval | None:
        """Start to end in seconds; None unless both are known."""
        if self.start_ms is None or self.end_ms is None:
            return None
        return Interval(self.start_ms / 1000, self.end_ms / 1000)


class ToolCall(_Part):
    """One call of a tool by the agent."""

    id: Text | None = Field(None, description="Name of this call.")
    name: Text = Field(description="Name of the tool.")
    args: dict[str, Any] = Field(default_factory=dict, description="Arguments as sent.")
    result: Any = Field(None, description="What the tool returned, any JSON.")
    t_ms: Milliseconds | None = Field(None, description="When it was called.")
    end_ms: Milliseconds | None = Field(None, description="When it returned.")


class TraceEvent(_Part):
    """One event of the session's log; everything but its type and time is free."""

    type: Text = Field(description="Name of the event, e.g. agent.truncated.")
    t_ms: Milliseconds | None = Field(None, description="When the log says it happened.")


class TraceMeta(_Part):
    """What is known about the call as a whole."""

    manifest_id: Text | None = Field(None, description="Identity of the run that made the call.")
    agent_vendor: Text | None = Field(None, description="Who makes the agent's model.")
    voice: Text | None = Field(None, description="The agent's voice; error floors are found by it.")
    codec: Text | None = Field(None, description="Coding of the line, e.g. pcmu.")
    condition: Text | None = Field(
        None, description="Name of the line condition the call was made under, e.g. phone_n10."
    )
    replace: dict[str, Text | list[Text]] = Field(
        default_factory=dict,
        description="Declared pronunciation map: written phrase to what is spoken instead.",
    )


class Trace(_Part):
    """What a session logged of one call. See `read_trace` and ``s2sverify schema trace``."""

    schema_version: Literal[1] = Field(1, description="Version of this format.")
    turns: tuple[TraceTurn, ...] = Field((), strict=False, description="Turns in order of start.")
    tool_calls: tuple[ToolCall, ...] = Field(
        (), strict=False, description="Calls in order of time."
    )
    backend_after: Any = Field(None, description="State of the application after the call.")
    events: tuple[TraceEvent, ...] = Field((), strict=False, description="Events in order of time.")
    meta: TraceMeta = Field(default_factory=lambda: TraceMeta())

    def turns_of(self, role: Role) -> tuple[TraceTurn, ...]:
        return tuple(turn for turn in self.turns if turn.role == role.value)

    def to_dict(self) -> dict[str, Any]:
        """The trace as plain JSON values, unknown fields included, what was not given left out."""
        plain: dict[str, Any] = self.model_dump(mode="json", exclude_unset=True)
        return {"schema_version": SCHEMA_VERSION, **plain}

    def write(self, path: str | os.PathLike[str]) -> Path:
        """Write the trace as JSON: beside the target first, then renamed, so that no partial file is left."""
        return write_text_atomically(
            path, json.dumps(self.to_dict(), ensure_ascii=False, indent=1, allow_nan=False) + "\n"
        )


def write_text_atomically(path: str | os.PathLike[str], text: str) -> Path:
    """Write `text` as UTF-8 beside `path`, then rename it into place.

    Raises
    ------
    InputError
        If the folder does not exist or cannot be written.
    """
    target = Path(path)
    try:
        handle, beside = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    except OSError as error:
        raise InputError(f"{target}: cannot be written: {error.strerror}") from error
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as stream:
            stream.write(text)
        umask = os.umask(0)
        os.umask(umask)
        Path(beside).chmod(0o666 & ~umask)
        Path(beside).replace(target)
    except OSError as error:
        raise InputError(f"{target}: cannot be written: {error.strerror}") from error
    finally:
        Path(beside).unlink(missing_ok=True)
    return target


@dataclass(frozen=True, slots=True, eq=False)
class Call:
    """A recording and what the session logged of it. Either half may be missing."""

    recording: Recording | None = None
    trace: Trace | None = None
    name: str = "call"


def read_call(
    audio: str | os.PathLike[str] | Recording | None,
    trace: str | os.PathLike[str] | Mapping[str, Any] | Trace | None = None,
) -> Call:
    """Open a call from a recording and a trace, each a path or the object itself.

    Raises
    ------
    InputError
        If both are None, or as `read_recording` and `read_trace` raise.
    """
    if audio is None and trace is None:
        raise InputError("a call needs audio, a trace or both, got neither")
    recording = audio if isinstance(audio, Recording) or audio is None else read_recording(audio)
    if trace is None or isinstance(trace, Trace):
        logged = trace
    elif isinstance(trace, Mapping):
        logged = parse_trace(trace)
    else:
        logged = read_trace(trace)
    named = recording.name if recording is not None else ""
    if not named and isinstance(trace, str | os.PathLike):
        named = Path(trace).name
    return Call(recording, logged, named or "call")


def trace_schema() -> dict[str, Any]:
    """The JSON schema (draft 2020-12) of a trace."""
    schema = Trace.model_json_schema()
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": SCHEMA_ID,
        **schema,
        "title": "s2sverify trace",
    }


def read_trace(path: str | os.PathLike[str]) -> Trace:
    """Read a trace from a JSON file.

    Raises
    ------
    InputError
        If the file is missing, too large, not JSON, of another version, does not fit the schema, or holds times
        out of order. The message names the file, the JSON path, the rule and the value.
    """
    source = Path(path)
    return parse_trace(read_json(source), name=str(source))


def read_json(path: str | os.PathLike[str]) -> Any:
    """Parse one JSON file; errors name the file and the place.

    Raises
    ------
    InputError
        If the file cannot be read, is larger than 256 MiB or is not JSON (NaN and Infinity are not).
    """
    source = Path(path)
    try:
        size = source.stat().st_size
        if size > MAX_BYTES:
            raise InputError(f"{source}: must be at most {MAX_BYTES} bytes, got {size}")
        raw = source.read_bytes()
    except OSError as error:
        raise InputError(f"{source}: cannot be read: {error.strerror}") from error
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{source}: must be UTF-8, byte {error.start} is not") from error
    if not text.strip():
        raise InputError(f"{source}: must be JSON, the file is empty")

    def refuse(constant: str) -> None:
        raise InputError(f"{source}: must be JSON, got the number {constant}")

    try:
        return json.loads(text, parse_constant=refuse)
    except json.JSONDecodeError as error:
        truncated = ": the file ends too early" if error.pos >= len(text.rstrip()) else ""
        raise InputError(
            f"{source}: must be JSON, line {error.lineno} column {error.colno}: {error.msg}{truncated}"
        ) from error
    except (RecursionError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(
            f"{source}: JSON is nested too deeply or holds too long a number"
        ) from error


def parse_trace(data: Any, *, name: str = "trace") -> Trace:
    """Turn plain JSON values into a Trace; `name` stands for the source in messages.

    Raises
    ------
    InputError
        As `read_trace`.
    """
    if isinstance(data, Trace):
        return data
    if not isinstance(data, Mapping):
        raise InputError(f"{name}: a trace must be a JSON object, got {_shown(data)}")
    version = data.get("schema_version", SCHEMA_VERSION)
    if version != SCHEMA_VERSION or isinstance(version, bool) or not isinstance(version, int):
        raise InputError(f"{name}: schema_version must be {SCHEMA_VERSION}, got {_shown(version)}")
    try:
        trace = Trace.model_validate(dict(data))
    except ValidationError as error:
        raise InputError(f"{name}: {_first_error(error)}") from error
    _check_order(trace, name)
    return trace


def _first_error(error: ValidationError) -> str:
    details = error.errors(include_url=False)
    first = details[0]
    more = f" (and {len(details) - 1} more)" if len(details) > 1 else ""
    rule = str(first["msg"]).removeprefix("Value error, ").replace("a valid tuple", "an array")
    rule = rule.replace("a valid dictionary", "an object").replace("Input should", "must")
    if first["type"] == "missing":
        return f"{_json_path(first['loc'])}: must be given{more}"
    return f"{_json_path(first['loc'])}: {rule}, got {_shown(first['input'])}{more}"


def _json_path(location: tuple[int | str, ...]) -> str:
    path = ""
    for step in location:
        path += f"[{step}]" if isinstance(step, int) else f".{step}" if path else str(step)
    return path or "(root)"


def _shown(value: Any, limit: int = 60) -> str:
    try:
        text = json.dumps(value, ensure_ascii=True)
    except (TypeError, ValueError):
        text = repr(value)
    return text if len(text) <= limit else f"{text[: limit - 3]}..."


def _starts(trace: Trace) -> Iterator[tuple[str, float | None, float | None]]:
    """JSON path, start and end of everything that must stand in order, list by list."""
    for i, turn in enumerate(trace.turns):
        yield f"turns[{i}].start_ms", turn.start_ms, turn.end_ms
    for i, call in enumerate(trace.tool_calls):
        yield f"tool_calls[{i}].t_ms", call.t_ms, call.end_ms
    for i, event in enumerate(trace.events):
        yield f"events[{i}].t_ms", event.t_ms, None


def _check_order(trace: Trace, name: str) -> None:
    kind, before, where = "", 0.0, ""
    for path, start_ms, end_ms in _starts(trace):
        if path.partition("[")[0] != kind:
            kind, where = path.partition("[")[0], ""
        if start_ms is None:
            continue
        if where and start_ms < before:
            raise InputError(
                f"{name}: {path}: must not be before {where} = {before:g}, got {start_ms:g}"
            )
        if end_ms is not None and end_ms < start_ms:
            end_path = f"{path.partition('.')[0]}.end_ms"
            raise InputError(
                f"{name}: {end_path}: must not be before its start {start_ms:g}, got {end_ms:g}"
            )
        before, where = start_ms, path
