"""What a client captured and received, put on one timeline: the stereo recording that it should write."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Final

import numpy as np
import numpy.typing as npt

from s2sverify._arrays import Float32, as_rate
from s2sverify._sources import ArraySource
from s2sverify._wav import WIDTHS, decode, encoding_name
from s2sverify.errors import InputError
from s2sverify.recording import Recording, as_float32, nearest_sample, recording_of
from s2sverify.types import Finding, Interval, Role

_LATEST_S: Final = 48 * 3600.0  # an arrival time beyond two days is a wall clock


@dataclass(frozen=True, slots=True, eq=False)
class Chunk:
    """Sound as a client captured it or got it from the agent.

    Attributes
    ----------
    arrival_s : float
        Of the caller: when its first sample was captured. Of the agent: when it was received. Seconds of the session.
    samples : array-like of float or int16, shape (n,), or bytes
    encoding : str, optional
        Of bytes, where it must be given: ``pcm_s16le``, ``pcm_s16be``, ``pcm_mulaw``, ``pcm_alaw`` ...
    response : str, optional
        Which response of the agent it belongs to.
    """

    arrival_s: float
    samples: npt.ArrayLike | bytes
    encoding: str | None = field(default=None, kw_only=True)
    response: str | None = field(default=None, kw_only=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Truncation:
    """A response that was stopped while it played.

    Attributes
    ----------
    at_s : float, optional
        When playback stopped, seconds of the session.
    played_s : float, optional
        How much of the response had been played (``audio_end_ms`` of some vendors), seconds from its first sample.
    response : str, optional
        Which response. Without it, all that has arrived by `at_s` is stopped, and what comes later plays.
    """

    at_s: float | None = None
    played_s: float | None = None
    response: str | None = None


@dataclass(slots=True)
class _Piece:
    start: int
    y: Float32
    earliest: int
    response: str | None

    @property
    def end(self) -> int:
        return self.start + self.y.size


@dataclass(slots=True)
class _Decoder:
    """Chunks to samples; a sample split between chunks of one response is put together."""

    name: str
    channel: int
    rests: dict[str | None, tuple[bytes, str]] = field(default_factory=dict)

    def __call__(self, chunk: Chunk, place: str) -> Float32:
        if not isinstance(chunk.samples, bytes | bytearray | memoryview):
            if chunk.encoding is not None:
                raise InputError(
                    f"{place}.encoding is for bytes, samples are an array, got {chunk.encoding!r}"
                )
            return as_float32(chunk.samples, f"{place}.samples")
        if chunk.encoding is None:
            raise InputError(
                f"{place}.encoding must be given with bytes, e.g. 'pcm_s16le' or 'pcm_mulaw'"
            )
        law = encoding_name(chunk.encoding, name=f"{place}.encoding")
        new = bytes(chunk.samples)
        if new.startswith((b"RIFF", b"OggS", b"ID3", b"fLaC")):
            raise InputError(
                f"{place}.samples must be bare samples, they begin with {new[:4]!r}: a file header"
            )
        rest, before = self.rests.get(chunk.response, (b"", law))
        if rest and before != law:
            raise InputError(f"{place}.encoding must stay {before} within a response, got {law}")
        raw = rest + new
        whole = len(raw) // WIDTHS[law] * WIDTHS[law]
        self.rests[chunk.response] = (raw[whole:], law)
        return decode(raw[:whole], law)

    def findings(self) -> Iterator[Finding]:
        left = sum(len(rest) for rest, _ in self.rests.values())
        if left:
            yield Finding(
                "partial_frame",
                f"{self.name}: {list(Role)[self.channel]} chunks must add up to whole samples, {left} bytes are left",
                self.channel,
                count=left,
            )


def _time(value: float | None, place: str) -> float:
    if value is None or isinstance(value, bool) or not 0 <= value <= _LATEST_S:
        raise InputError(
            f"{place} must be seconds of the session, 0 to {_LATEST_S:.0f}, got {value!r}"
        )
    return float(value)


def place_chunks(
    caller: Iterable[Chunk],
    agent: Iterable[Chunk],
    *,
    sr: int,
    playback_reserve_s: float = 0.0,
    truncations: Iterable[Truncation] = (),
    name: str = "session",
) -> Recording:
    """Put what a client captured and received on one timeline: the stereo recording it should write.

    Chunks are taken in order of their times. A caller chunk stands at its time, an agent chunk never earlier than its
    arrival plus the reserve; neither before the end of the chunk before it. So a burst queues up, and a pause leaves
    silence.

    Parameters
    ----------
    caller, agent : iterable of Chunk
    sr : int
        Rate of all chunks in Hz.
    playback_reserve_s : float
        What the player holds back before it plays a chunk (its jitter buffer), seconds.
    truncations : iterable of Truncation
        From the point that was played on, a truncated response is silence; its chunks that were queued, and those
        that still come, are dropped. What other responses had queued moves up.
    name : str
        Of the recording, for messages.

    Returns
    -------
    Recording
        Its findings say what was cut (``cut_audio``, with the stretch it would have filled), which truncations met
        nothing (``unmatched_truncation``), caller chunks that had to wait for their predecessor
        (``overlapping_chunks``) and bytes left over (``partial_frame``).

    Raises
    ------
    InputError
        If a time is no time of a session, bytes come without encoding, samples are of no known type, or a truncation
        says neither when nor, for a response, how much was played.
    """
    rate = as_rate(sr)
    reserve_s = _time(playback_reserve_s, "playback_reserve_s")
    findings: list[Finding] = []
    heard = _place_caller(list(caller), rate, name, findings)
    spoken = _place_agent(list(agent), list(truncations), rate, reserve_s, name, findings)
    n = max((piece.end for piece in heard + spoken), default=0)
    y = np.zeros((2, n), np.float32)
    for channel, pieces in enumerate((heard, spoken)):
        for piece in pieces:
            y[channel, piece.start : piece.end] = piece.y
    y.flags.writeable = False
    return recording_of(ArraySource(y, rate, "chunks", findings=tuple(findings)), name, None)


def _place_caller(chunks: list[Chunk], sr: int, name: str, findings: list[Finding]) -> list[_Piece]:
    decoded = _Decoder(name, Role.CALLER.channel)
    times = [_time(chunk.arrival_s, f"caller[{i}].arrival_s") for i, chunk in enumerate(chunks)]
    pieces: list[_Piece] = []
    cursor = waited = latest = 0
    for i in sorted(range(len(chunks)), key=times.__getitem__):
        y = decoded(chunks[i], f"caller[{i}]")
        if not y.size:
            continue
        own = nearest_sample(times[i], sr)
        waited += own < cursor
        latest = max(latest, cursor - own)
        pieces.append(_Piece(max(own, cursor), y, own, None))
        cursor = pieces[-1].end
    if waited:
        findings.append(
            Finding(
                "overlapping_chunks",
                f"{name}: caller chunks must not begin before the one before ends, {waited} do, by up to "
                f"{latest / sr:.3f} s; placed behind it",
                Role.CALLER.channel,
                count=waited,
            )
        )
    findings.extend(decoded.findings())
    return pieces


@dataclass(slots=True)
class _Cut:
    """What a truncation took away."""

    truncation: Truncation
    samples: int = 0
    intervals: list[tuple[int, int]] = field(default_factory=list)
    met: bool = False


class _Player:
    """The agent's side of the timeline."""

    def __init__(self, sr: int, reserve_s: float) -> None:
        self.sr = sr
        self.reserve_s = reserve_s
        self.pieces: list[_Piece] = []
        self.received: dict[str | None, int] = {}  # samples of each response so far
        self.closed: dict[str, _Cut] = {}
        self.limits: dict[str, tuple[int, _Cut]] = {}  # samples that were played of a response

    def _queue(self, piece: _Piece, earliest: int) -> None:
        cursor = self.pieces[-1].end if self.pieces else 0
        piece.start = max(cursor, earliest)
        self.pieces.append(piece)

    def play(self, y: Float32, arrival_s: float, response: str | None) -> None:
        before = self.received.get(response, 0)
        self.received[response] = before + y.size
        if response is not None and response in self.closed:
            self.closed[response].samples += y.size
            return
        earliest = math.ceil((arrival_s + self.reserve_s) * self.sr - 1e-6)
        if response is not None and response in self.limits:
            limit, cut = self.limits[response]
            cut.met = True
            keep = max(0, min(y.size, limit - before))
            if keep < y.size:
                cursor = self.pieces[-1].end if self.pieces else 0
                start = max(cursor, earliest) + keep
                cut.samples += y.size - keep
                cut.intervals.append((start, start + y.size - keep))
                y = y[:keep]
        if y.size:
            self._queue(_Piece(0, y, earliest, response), earliest)

    def stop(self, at: int, cut: _Cut) -> None:
        """Stop at sample `at` what the truncation names; what else is queued moves up."""
        response = cut.truncation.response
        pieces, self.pieces = self.pieces, []
        waiting: list[_Piece] = []
        for piece in pieces:
            if response is not None and piece.response != response:
                if piece.start >= at:
                    waiting.append(piece)
                else:
                    self.pieces.append(piece)
                continue
            cut.met = True
            if piece.end > at:
                kept = max(0, at - piece.start)
                cut.samples += piece.y.size - kept
                cut.intervals.append((piece.start + kept, piece.end))
                piece.y = piece.y[:kept]
            if piece.y.size:
                self.pieces.append(piece)
        for piece in waiting:
            self._queue(piece, max(piece.earliest, at))
        if response is not None:
            cut.met |= response in self.received
            self.closed[response] = cut


def _place_agent(
    chunks: list[Chunk],
    truncations: list[Truncation],
    sr: int,
    reserve_s: float,
    name: str,
    findings: list[Finding],
) -> list[_Piece]:
    decoded = _Decoder(name, Role.AGENT.channel)
    player = _Player(sr, reserve_s)
    cuts = [_Cut(truncation) for truncation in truncations]
    events: list[tuple[float, int, Callable[[], None]]] = []

    def arrive(i: int) -> None:
        chunk = chunks[i]
        player.play(decoded(chunk, f"agent[{i}]"), chunk.arrival_s, chunk.response)

    for i, chunk in enumerate(chunks):
        arrival_s = _time(chunk.arrival_s, f"agent[{i}].arrival_s")
        events.append((arrival_s, 0, partial(arrive, i)))
    for i, cut in enumerate(cuts):
        given = cut.truncation
        if given.played_s is not None:
            played_s = _time(given.played_s, f"truncations[{i}].played_s")
            if given.response is None:
                raise InputError(f"truncations[{i}].played_s needs a response, it has none")
            player.limits[given.response] = (nearest_sample(played_s, sr), cut)
        if given.at_s is not None:
            at_s = _time(given.at_s, f"truncations[{i}].at_s")
            stop = partial(player.stop, nearest_sample(at_s, sr), cut)
            events.append((at_s, 1, stop))
        elif given.played_s is None:
            raise InputError(f"truncations[{i}] must have at_s or played_s, it has neither")
    for _, _, happen in sorted(events, key=lambda event: event[:2]):
        happen()
    for cut in cuts:
        given = cut.truncation
        which = "all that was queued" if given.response is None else f"response {given.response!r}"
        if cut.samples:
            lost = tuple(Interval(a / sr, b / sr) for a, b in _merged(cut.intervals))
            where = f" from {lost[0].start_s:.3f} s on" if lost else ""
            findings.append(
                Finding(
                    "cut_audio",
                    f"{name}: {which} was stopped, {cut.samples / sr:.3f} s of it{where} were not played and left out",
                    Role.AGENT.channel,
                    count=cut.samples,
                    intervals=lost,
                )
            )
        elif not cut.met:
            findings.append(
                Finding(
                    "unmatched_truncation",
                    f"{name}: a truncation must stop something, no chunk of {which} came before it",
                    Role.AGENT.channel,
                )
            )
    findings.extend(decoded.findings())
    return player.pieces


def _merged(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


__all__ = ["Chunk", "Truncation", "place_chunks"]
