"""The log of a phone gateway's media stream as two channels on one clock.

One JSON message a line, as Twilio Media Streams sends them (and gateways that copy it in snake_case): payloads are
placed by their timestamps, what never came is silence of the codec and is named, never closed up.
"""

from __future__ import annotations

import base64
import binascii
import bisect
import io
import json
import math
import tempfile
import threading
import weakref
import zlib
from array import array
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Final

import numpy as np

from s2sverify._arrays import Float32
from s2sverify._wav import WIDTHS, decode, encoding_name, likelier_encoding, silence_byte
from s2sverify.errors import InputError
from s2sverify.types import Finding, Interval

_LONGEST_LINE: Final = 1 << 24  # bytes; a frame of 20 ms takes some 300
_IN_MEMORY: Final = 1 << 24  # bytes of payload held in memory before they go to a file
_LATEST_MS: Final = 48 * 3_600_000  # a timestamp beyond two days is a wall clock or a fault
_NAMED: Final = 5  # places that a message lists
_CHANNELS: Final = {"inbound": 0, "inbound_track": 0, "outbound": 1, "outbound_track": 1}
_NAMES: Final = ("inbound", "outbound")
_FOREIGN: Final = (b"RIFF", b"OggS", b"ID3", b"fLaC")


@dataclass(slots=True)
class _Track:
    """What came of one track, in order of arrival, the payloads one behind the other in `spool`."""

    times_ms: array[float] = field(default_factory=lambda: array("d"))
    chunks: array[int] = field(default_factory=lambda: array("q"))
    sizes: array[int] = field(default_factory=lambda: array("q"))
    sums: array[int] = field(default_factory=lambda: array("L"))
    spool: IO[bytes] = field(
        default_factory=lambda: tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115
    )


@dataclass(frozen=True, slots=True)
class _Placed:
    """Stretches of sound of one track: sorted starts, lengths, and byte offsets in the spool."""

    starts: list[int]
    lengths: list[int]
    offsets: list[int]
    end: int


@dataclass(slots=True)
class _Log:
    """What the messages say beside their sound."""

    sr: int | None = None
    encoding: str | None = None
    stream: str | None = None
    declared: set[int] = field(default_factory=set)
    snake_case: bool = False
    bad_lines: list[str] = field(default_factory=list)
    unplaced: int = 0
    cut_short: int = 0  # the number of a last line that ends in the middle


class MediaStream:
    """Samples of a media stream: channel 0 inbound, channel 1 outbound.

    Raises
    ------
    InputError
        If the log holds no sound, sound of two streams, or sound in a format that is not given or that contradicts
        `sr` and `encoding`.
    """

    def __init__(self, path: Path, name: str, *, sr: int | None, encoding: str | None) -> None:
        tracks = (_Track(), _Track())
        self._lock = threading.Lock()
        self._spools = [track.spool for track in tracks]
        weakref.finalize(self, _close, self._spools)
        log = _read(path, name, tracks)
        if not any(len(track.sizes) for track in tracks):
            raise InputError(
                f"{name}: a media stream must hold media messages with a track, a timestamp and a payload, found none"
                + (f"; {log.bad_lines[0]}" if log.bad_lines else "")
            )
        findings: list[Finding] = []
        self.sr, self.encoding = _format(log, name, sr, encoding, findings)
        self.container = "telnyx-jsonl" if log.snake_case else "twilio-jsonl"
        heard = [channel for channel in (0, 1) if len(tracks[channel].sizes)]
        if heard == [0, 1] or log.declared == {0, 1}:
            self._channels = [0, 1]
        else:
            self._channels = heard
        self._placed = []
        for channel in self._channels:
            self._placed.append(
                _place(tracks[channel], channel, self.sr, self.encoding, name, findings)
            )
        self.n_channels = len(self._channels)
        self.n_samples: int = max(placed.end for placed in self._placed)
        for channel, placed in zip(self._channels, self._placed, strict=True):
            if placed.end < self.n_samples:
                lost = Interval(placed.end / self.sr, self.n_samples / self.sr)
                findings.append(
                    Finding(
                        "length_differs",
                        f"{name}: {_NAMES[channel]} must last as long as the other track, it ends "
                        f"{lost.duration_s:.3f} s earlier, at {lost.start_s:.3f} s; filled with silence",
                        channel,
                        intervals=(lost,),
                    )
                )
        if log.bad_lines:
            named = "; ".join(log.bad_lines[:_NAMED])
            more = (
                f"; and {len(log.bad_lines) - _NAMED} more" if len(log.bad_lines) > _NAMED else ""
            )
            findings.append(
                Finding(
                    "bad_lines",
                    f"{name}: every line must be one message, left out: {named}{more}",
                    spoils=("absence",),
                    count=len(log.bad_lines),
                )
            )
        if log.cut_short:
            findings.append(
                Finding(
                    "truncated",
                    f"{name}: line {log.cut_short}, the last, ends in the middle of a message: what came later is lost",
                    spoils=("absence",),
                )
            )
        if log.unplaced:
            findings.append(
                Finding(
                    "unplaced_media",
                    f"{name}: {log.unplaced} media messages carry no track or no timestamp (sent by the application) "
                    f"and cannot be placed in time; left out",
                    spoils=("absence", "timing"),
                    count=log.unplaced,
                )
            )
        if len(self._channels) == 1:
            findings.append(
                Finding(
                    "one_track",
                    f"{name}: a call must have an inbound and an outbound track, only {_NAMES[self._channels[0]]} is "
                    f"there",
                )
            )
        self.findings = tuple(findings)

    def blocks(self, size: int, start: int, stop: int) -> Iterator[Float32]:
        """Samples `start` to `stop` in blocks of at most `size` frames, each of shape (n, channel)."""
        width = WIDTHS[self.encoding]
        quiet = bytes([silence_byte(self.encoding)]) * width
        for first in range(start, stop, size):
            n = min(size, stop - first)
            block = np.empty((n, self.n_channels), np.float32)
            for column, (channel, placed) in enumerate(
                zip(self._channels, self._placed, strict=True)
            ):
                raw = bytearray(quiet * n)
                at = max(0, bisect.bisect_right(placed.starts, first) - 1)
                while at < len(placed.starts) and placed.starts[at] < first + n:
                    begin = max(placed.starts[at], first)
                    end = min(placed.starts[at] + placed.lengths[at], first + n)
                    if begin < end:
                        offset = placed.offsets[at] + (begin - placed.starts[at]) * width
                        with self._lock:
                            spool = self._spools[channel]
                            spool.seek(offset)
                            codes = spool.read((end - begin) * width)
                        raw[(begin - first) * width : (end - first) * width] = codes
                    at += 1
                block[:, column] = decode(raw, self.encoding)
            yield block


def _close(spools: list[IO[bytes]]) -> None:
    for spool in spools:
        spool.close()


def _number(value: Any) -> float:
    """A number that may stand as a string. Raises ValueError where it is none, or not finite."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise ValueError(f"{value!r} is no number")
    try:
        number = float(value)
    except OverflowError as error:
        raise ValueError(f"{value!r:.40} is too large") from error
    if not abs(number) < 1e15:  # NaN is not
        raise ValueError(f"{value!r:.40} is no number that can be meant")
    return number


def _lines(f: io.BufferedReader, name: str) -> Iterator[tuple[int, bytes, bool]]:
    """Number, content, and whether it ends with a line end, of every line that is not blank."""
    number = 0
    while line := f.readline(_LONGEST_LINE + 1):
        number += 1
        if len(line) > _LONGEST_LINE:
            raise InputError(
                f"{name}: line {number} must have at most {_LONGEST_LINE} bytes, it has more"
            )
        ended = line.endswith(b"\n")
        line = line.strip(b" \t\r\n\0").removeprefix(b"\xef\xbb\xbf")
        if line:
            yield number, line, ended


def _read(path: Path, name: str, tracks: tuple[_Track, _Track]) -> _Log:
    log = _Log()
    with path.open("rb") as f:
        for number, line, ended in _lines(f, name):
            try:
                message = json.loads(line)
            except (ValueError, RecursionError) as error:
                if ended:
                    log.bad_lines.append(f"line {number}: not JSON ({str(error)[:80]})")
                else:
                    log.cut_short = number
                continue
            if not isinstance(message, dict):
                log.bad_lines.append(
                    f"line {number}: must be an object, got {type(message).__name__}"
                )
                continue
            event = message.get("event")
            if event not in ("start", "media"):
                continue
            stream = message.get("streamSid", message.get("stream_id"))
            log.snake_case |= "stream_id" in message
            if isinstance(stream, str) and log.stream not in (None, stream):
                raise InputError(
                    f"{name}: line {number}: a file must hold one stream, found {log.stream!r} and {stream!r}"
                )
            log.stream = stream if isinstance(stream, str) else log.stream
            inner = message.get(event)
            if not isinstance(inner, Mapping):
                log.bad_lines.append(
                    f"line {number}: {event!r} must be an object, got {inner!r:.40}"
                )
            elif event == "start":
                _start(inner, log, number, name)
            else:
                _media(inner, log, number, name, tracks)
    return log


def _start(start: Mapping[str, Any], log: _Log, number: int, name: str) -> None:
    listed = start.get("tracks")
    if isinstance(listed, list):
        log.declared |= {_CHANNELS[track] for track in listed if track in _CHANNELS}
    given = start.get("mediaFormat", start.get("media_format"))
    if not isinstance(given, Mapping):
        log.bad_lines.append(f"line {number}: start has no mediaFormat")
        return
    try:
        rate = _number(given.get("sampleRate", given.get("sample_rate")))
        channels = _number(given.get("channels", 1))
    except ValueError as error:
        raise InputError(f"{name}: line {number}: mediaFormat: {error}") from error
    if channels != 1 or rate != int(rate) or not 1 <= rate <= 1_000_000:
        raise InputError(
            f"{name}: line {number}: a track must have one channel and a whole rate in Hz, the stream gives "
            f"{channels:g} channels and {rate:g} Hz"
        )
    log.sr, log.encoding = int(rate), str(given.get("encoding"))


def _media(
    media: Mapping[str, Any], log: _Log, number: int, name: str, tracks: tuple[_Track, _Track]
) -> None:
    named, stamp = media.get("track"), media.get("timestamp")
    if named is None or stamp is None:
        log.unplaced += 1
        return
    channel = _CHANNELS.get(named) if isinstance(named, str) else None
    if channel is None:
        log.bad_lines.append(f"line {number}: track must be inbound or outbound, got {named!r:.40}")
        return
    try:
        time_ms = _number(stamp)
        chunk = int(_number(media.get("chunk", -1)))
        payload = base64.b64decode(media.get("payload") or "", validate=True)
    except (ValueError, TypeError, binascii.Error) as error:
        log.bad_lines.append(f"line {number}: {str(error)[:80]}")
        return
    if not 0 <= time_ms <= _LATEST_MS:
        raise InputError(
            f"{name}: line {number}: timestamp must be 0 to {_LATEST_MS} ms from the start of the stream, got {stamp!r}"
        )
    if payload.startswith(_FOREIGN):
        raise InputError(
            f"{name}: line {number}: payload must be bare samples, it begins with {payload[:4]!r}: a file header was "
            f"sent as sound"
        )
    track = tracks[channel]
    track.times_ms.append(time_ms)
    track.chunks.append(chunk)
    track.sizes.append(len(payload))
    track.sums.append(zlib.crc32(payload))
    track.spool.write(payload)


def _format(
    log: _Log, name: str, sr: int | None, encoding: str | None, findings: list[Finding]
) -> tuple[int, str]:
    """Rate and encoding of the stream: as its start message says, checked against what the caller declares."""
    stated = log.encoding
    if stated is None or log.sr is None:
        if encoding is not None and sr is not None:
            return sr, encoding
        if log.snake_case or not (log.stream or "").startswith("MZ"):
            raise InputError(
                f"{name}: the start message with mediaFormat is missing: give sr and encoding, e.g. sr=8000, "
                f"encoding='pcm_mulaw'"
            )
        findings.append(
            Finding(
                "assumed_format",
                f"{name}: no start message; read as 8000 Hz mu-law, the only format of this stream's vendor",
            )
        )
        return 8000, "pcm_mulaw"
    try:
        found = encoding_name(stated, name="mediaFormat.encoding")
    except InputError as error:
        if encoding is None:
            raise InputError(f"{name}: {error}; give encoding") from error
        found = encoding
    for what, declared, real in (("sr", sr, log.sr), ("encoding", encoding, found)):
        if declared is not None and declared != real:
            raise InputError(
                f"{name}: {what}={declared!r} was declared, the stream's mediaFormat says {real!r}"
            )
    return log.sr, found


def _place(
    track: _Track, channel: int, sr: int, encoding: str, name: str, findings: list[Finding]
) -> _Placed:
    """Put the chunks of a track on the call clock.

    A chunk stands at its timestamp. Only where it follows its predecessor (by number, where numbers are given) and its
    stamp is off by no more than half a chunk, it continues the predecessor: stamps are rounded, sound is not.
    """
    width = WIDTHS[encoding]
    count = len(track.sizes)
    sizes = np.array(track.sizes, np.int64)
    offsets = np.cumsum(sizes) - sizes
    order = np.lexsort((np.arange(count), np.array(track.chunks), np.array(track.times_ms)))
    reordered = int(np.count_nonzero(np.diff(order) < 0))
    placed = _Placed([], [], [], 0)
    gaps: list[tuple[int, int]] = []
    end, before = 0, -1
    duplicates = odd = 0
    jitter = 0
    for i in order.tolist():
        n, rest = divmod(track.sizes[i], width)
        odd += rest
        start, offset = math.floor(track.times_ms[i] * sr / 1000 + 0.5), int(offsets[i])
        if n == 0:
            continue
        if before >= 0:
            same = track.chunks[i] == track.chunks[before] and track.chunks[i] >= 0
            twin = (
                track.times_ms[i] == track.times_ms[before] and track.sums[i] == track.sums[before]
            )
            if same or (twin and track.chunks[i] < 0):
                duplicates += 1
                continue
            follows = track.chunks[i] < 0 or track.chunks[i] == track.chunks[before] + 1
            off = start - end
            if off and (off < 0 or (follows and 2 * off <= n)):
                jitter = max(jitter, abs(off))
                start = end
        if start > end and (before >= 0 or start - end >= n):
            gaps.append((end, start))
        _extend(placed, start, n, offset, width)
        end, before = start + n, i
    placed = _Placed(placed.starts, placed.lengths, placed.offsets, end)
    label = _NAMES[channel]
    track.spool.seek(max(0, int(sizes.sum()) // (2 * width) - (1 << 18)) * width)
    better = likelier_encoding(track.spool.read(1 << 19), encoding, 1)
    if better:
        findings.append(
            Finding(
                "implausible_encoding",
                f"{name}: {label} was announced as {encoding}, read as {better} it would be far more like "
                f"speech: a wrong encoding sounds like noise",
                channel,
            )
        )
    lost = tuple(Interval(a / sr, b / sr) for a, b in gaps)
    if lost:
        frame = int(np.median(sizes)) // width
        frames = sum(max(1, round((b - a) / max(1, frame))) for a, b in gaps)
        where = ", ".join(f"{gap.start_s:.3f}-{gap.end_s:.3f} s" for gap in lost[:_NAMED])
        more = f" and {len(lost) - _NAMED} more" if len(lost) > _NAMED else ""
        findings.append(
            Finding(
                "missing_frames",
                f"{name}: {label} must have no gaps, {frames} frames of {1000 * frame / sr:g} ms never came "
                f"({where}{more}); filled with silence",
                channel,
                ("absence",),
                frames,
                lost,
            )
        )
    report: list[tuple[str, int, Callable[[int], str]]] = [
        ("duplicate_frames", duplicates, lambda k: f"{k} chunks came twice and count once"),
        (
            "reordered_frames",
            reordered,
            lambda k: f"{k} chunks came out of order and were put back",
        ),
        (
            "timestamp_jitter",
            jitter,
            lambda k: f"timestamps stray up to {1000 * k / sr:.1f} ms from the sound",
        ),
        ("partial_frame", odd, lambda k: f"{k} bytes are a part of a sample and were left out"),
    ]
    for code, value, say in report:
        if value:
            findings.append(Finding(code, f"{name}: {label}: {say(value)}", channel, count=value))
    return placed


def _extend(placed: _Placed, start: int, n: int, offset: int, width: int) -> None:
    """Append a stretch, joined to the last one where both time and bytes go on."""
    if placed.starts:
        length = placed.lengths[-1]
        if placed.starts[-1] + length == start and placed.offsets[-1] + length * width == offset:
            placed.lengths[-1] += n
            return
    placed.starts.append(start)
    placed.lengths.append(n)
    placed.offsets.append(offset)
