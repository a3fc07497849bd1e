"""Recordings: two channels on one clock, what is wrong with them, and where they come from.

`read_recording` opens a file, `Recording.from_arrays` takes arrays, `place_chunks` puts what a client sent and received
on one timeline. Reading is lazy: opening looks at the header; lengths that only decoding can tell, findings on the
samples and the content hash are computed together, in one pass over blocks, when one of them is first asked for.

Findings say what a reader of the numbers must know. Their codes, what each means and which measurements it spoils are
listed in ``docs/findings.md``; the definitions with numbers in them are:

- ``silent_channel``: the difference of highest and lowest sample is at most 16/32768 of full scale (A-law's silence
  alternates between +8 and -8), two steps for 8-bit samples.
- ``clipping``: samples in runs of at least 3 equal ones at 32124/32768 or above (the top value of mu-law).
- ``correlated_channels``: the absolute correlation coefficient of the channels over the whole recording exceeds 0.98.
- ``over_full_scale``: samples beyond +-1.0.

Seconds become samples by one rule everywhere: the sample nearest to ``t * sr``, the later one of two equally near.
"""

from __future__ import annotations

import hashlib
import math
import os
import secrets
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from s2sverify._arrays import Float32, as_rate
from s2sverify._sources import BLOCK, ArraySource, Source, ViewSource, open_source
from s2sverify._wav import WIDTHS, decode, encode, encoding_name, may_exceed, wav_header
from s2sverify.errors import ChannelError, InputError, MissingDependencyError
from s2sverify.types import Finding, Interval, Role

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SILENT_RANGE: Final = 16 / 32768
_CLIP_LEVEL: Final = np.float32(32124 / 32768)
_CLIP_RUN: Final = 3
_CLIP_SPOILS: Final = 1e-3  # share of clipped samples from which levels say nothing
_CORRELATED: Final = 0.98
_LATEST_S: Final = 48 * 3600.0  # an arrival time beyond two days is a wall clock
_LOSSLESS: Final = (
    "pcm_",
    "flac",
    "alac",
    "wavpack",
    "tta",
    "ape",
    "tak",
    "adpcm",
    "gsm",
    "g72",
    "dsd",
)
# How far a codec may move what it holds where its delay is not written down: samples, seconds
_DELAY: Final = {
    "mp3": (1105, 0.0),  # LAME: 576 of the encoder, 529 of the decoder
    "mp2": (961, 0.0),  # 480 of the filter bank at either end, and one
    "aac": (2112, 0.0),  # the priming most encoders write
    "opus": (0, 0.020),  # one frame: the delay itself is in the header
    "vorbis": (0, 0.020),
    "amr_nb": (0, 0.025),
    "amr_wb": (0, 0.025),
}
_OTHER_DELAY: Final = (0, 0.050)


@dataclass(frozen=True, slots=True)
class _Scan:
    n_samples: int
    findings: tuple[Finding, ...]
    content_hash: str


@dataclass(slots=True)
class _Memo:
    """What has been computed of a recording."""

    lock: threading.RLock = field(default_factory=threading.RLock)
    scan: _Scan | None = None
    samples: Float32 | None = None


@dataclass(frozen=True, slots=True)
class Written:
    """What `Recording.write` wrote."""

    path: Path
    n_samples: int
    clipped_samples: (
        int  # of all channels, that lay beyond what the encoding holds and were saturated
    )


def _index(t_s: float, sr: int) -> int:
    return math.floor(t_s * sr + 0.5)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Recording:
    """Caller and agent on one clock: channel 0 is the caller, channel 1 the agent.

    Opened by `read_recording`, `Recording.from_arrays` or `place_chunks`. A recording with one channel can be read and
    cut, but has no caller and no agent: asking for one raises `ChannelError`.

    Attributes
    ----------
    name : str
        The file's name, or the name given.
    sr : int
        Sampling rate in Hz.
    n_channels : int
        1 or 2.
    container, encoding : str
        As in the file: ``"wav"``, ``"pcm_s16le"``; ``"ogg"``, ``"opus"``; ``"raw"``, ``"pcm_mulaw"`` ...
    header_findings : tuple of Finding
        What opening alone shows; `findings` has these and those on the samples.
    path : Path or None
        Where it was read from.
    """

    name: str
    sr: int
    n_channels: int
    container: str
    encoding: str
    header_findings: tuple[Finding, ...]
    path: Path | None
    _source: Source
    _memo: _Memo = field(default_factory=_Memo)

    @classmethod
    def from_arrays(
        cls,
        caller: npt.ArrayLike,
        agent: npt.ArrayLike,
        sr: int,
        *,
        name: str = "recording",
    ) -> Recording:
        """Make a recording of two signals that start together.

        Parameters
        ----------
        caller, agent : array-like of float or int16, shape (n,)
            Full scale 1.0, or int16. The shorter one is filled up with zeros, and a finding says so.
        sr : int
            Sampling rate in Hz.

        Raises
        ------
        InputError
            If a signal is not one-dimensional, or of another type, or `sr` is no rate.
        """
        rate = as_rate(sr)
        signals = [_as_float32(y, label) for y, label in ((caller, "caller"), (agent, "agent"))]
        n = max(y.size for y in signals)
        together = np.zeros((2, n), np.float32)
        findings = []
        for channel, (y, role) in enumerate(zip(signals, Role, strict=True)):
            together[channel, : y.size] = y
            if y.size < n:
                lost = Interval(y.size / rate, n / rate)
                findings.append(
                    Finding(
                        "length_differs",
                        f"{name}: {role} must be as long as the other channel ({n} samples), it has {y.size}; filled "
                        f"with silence from {lost.start_s:.3f} s on",
                        channel,
                        count=n - y.size,
                        intervals=(lost,),
                    )
                )
        together.flags.writeable = False
        return _opened(ArraySource(together, rate, findings=tuple(findings)), name, None)

    def __repr__(self) -> str:
        n = self._known_length()
        length = "length unknown until decoded" if n is None else f"{n / self.sr:.3f} s"
        return (
            f"Recording({self.name!r}, {self.n_channels} channels, {self.sr} Hz, {length}, "
            f"{self.container} {self.encoding})"
        )

    # --- what it is ---

    def _known_length(self) -> int | None:
        return self._memo.scan.n_samples if self._memo.scan else self._source.n_samples

    @property
    def n_samples(self) -> int:
        """Samples per channel that are really there."""
        known = self._known_length()
        return self._scanned().n_samples if known is None else known

    @property
    def duration_s(self) -> float:
        return self.n_samples / self.sr

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What is wrong with the file or its sound: those of the header first."""
        return self.header_findings + self._scanned().findings

    @property
    def content_hash(self) -> str:
        """SHA-256 of rate, channel count and decoded samples: equal for equal sound, whatever the file.

        Of the line ``s2sverify recording 1: <sr> Hz, <n_channels> channels`` with its line end, and the samples as
        little-endian float32, caller and agent in turn, after zeroing what is no finite number.
        """
        return self._scanned().content_hash

    @property
    def time_uncertainty_s(self) -> float:
        """How far a lossy codec may have moved the sound, as no header tells; 0.0 for codecs that cannot."""
        if self.encoding.startswith(_LOSSLESS):
            return 0.0
        samples, seconds = _DELAY.get(self.encoding, _OTHER_DELAY)
        return samples / self.sr + seconds

    # --- samples ---

    @property
    def caller(self) -> Float32:
        """The caller's channel, float32, shape (n,), full scale 1.0, read-only; decoded on first use."""
        return self.channel(Role.CALLER)

    @property
    def agent(self) -> Float32:
        """The agent's channel, as `caller`."""
        return self.channel(Role.AGENT)

    def channel(self, role: Role | str) -> Float32:
        """One party's channel.

        Raises
        ------
        ChannelError
            If the recording has one channel.
        InputError
            If `role` is no role.
        """
        try:
            which = Role(role)
        except ValueError as error:
            raise InputError(f"role must be 'caller' or 'agent', got {role!r}") from error
        if self.n_channels != 2:
            raise ChannelError(
                f"{self.name}: the {which} is one of two channels (caller, agent), the recording has {self.n_channels}"
            )
        one: Float32 = self.samples[which.channel]
        return one

    @property
    def samples(self) -> Float32:
        """All channels, float32, shape (channel, n), read-only; decoded on first use and kept."""
        with self._memo.lock:
            if self._memo.samples is None:
                if isinstance(self._source, ArraySource) and np.isfinite(self._source.y).all():
                    self._memo.samples = self._source.y
                elif self._known_length() is None:
                    self._scanned(keep=True)
                else:
                    self._memo.samples = self._gather(0, self.n_samples)
                    self._memo.samples.flags.writeable = False
            decoded = self._memo.samples
        if decoded is None:
            raise InputError(f"{self.name}: could not be decoded")
        return decoded

    def _gather(self, start: int, stop: int) -> Float32:
        y = np.empty((self.n_channels, stop - start), np.float32)
        at = 0
        for block in self._source.blocks(BLOCK, start, stop):
            y[:, at : at + block.shape[0]] = self._finite(block).T
            at += block.shape[0]
        if at < stop - start:
            raise InputError(
                f"{self.name}: must decode alike every time, {at} of {stop - start} samples came"
            )
        return y

    def _finite(self, block: Float32) -> Float32:
        if may_exceed(self.encoding):
            bad = ~np.isfinite(block)
            if bad.any():
                block[bad] = 0.0
        return block

    def _span(self, start_s: float, end_s: float | None) -> tuple[int, int]:
        """Samples of ``[start_s, end_s)``."""
        n = self.n_samples
        for name, t_s in (("start_s", start_s), ("end_s", end_s)):
            if t_s is not None and not math.isfinite(t_s):
                raise InputError(f"{name} must be finite seconds, got {t_s}")
        start = _index(start_s, self.sr)
        stop = n if end_s is None else _index(end_s, self.sr)
        if not 0 <= start <= stop <= n:
            end = self.duration_s if end_s is None else end_s
            raise InputError(
                f"{self.name}: start_s and end_s must be in order within 0 to {self.duration_s:.6g} s, got "
                f"{start_s:.6g} to {end:.6g} s"
            )
        return start, stop

    def read(self, start_s: float = 0.0, end_s: float | None = None) -> Float32:
        """Decode a stretch; shape (channel, n), a new array.

        Parameters
        ----------
        start_s, end_s : float
            Seconds; None for the end.

        Raises
        ------
        InputError
            If the stretch is not inside the recording.
        """
        start, stop = self._span(start_s, end_s)
        if self._memo.samples is not None:
            return self._memo.samples[:, start:stop].copy()
        return self._gather(start, stop)

    def blocks(
        self, block_s: float, *, start_s: float = 0.0, end_s: float | None = None
    ) -> Iterator[Float32]:
        """Decode a stretch block by block, each of shape (channel, n); memory is bounded by a block.

        Block `k` is ``[start_s + k * block_s, start_s + (k + 1) * block_s)``, the last one ends with the stretch:
        blocks of 11.025 kHz differ by a sample, their times do not drift.

        Raises
        ------
        InputError
            If `block_s` is shorter than a sample, or the stretch is not inside the recording.
        """
        if not math.isfinite(block_s) or block_s * self.sr < 1:
            raise InputError(
                f"block_s must be at least one sample ({1 / self.sr:.3g} s), got {block_s}"
            )
        start, stop = self._span(start_s, end_s)
        return self._blocks(block_s, start_s, start, stop)

    def _blocks(self, block_s: float, start_s: float, start: int, stop: int) -> Iterator[Float32]:
        pieces = self._pieces(start, stop)
        held: list[Float32] = []
        n_held, at, k = 0, start, 0
        while at < stop:
            k += 1
            end = min(stop, _index(start_s + k * block_s, self.sr))
            while n_held < end - at:
                piece = next(pieces, None)
                if piece is None:
                    raise InputError(
                        f"{self.name}: must decode alike every time, it ended at sample {at + n_held} of {stop}"
                    )
                held.append(piece)
                n_held += piece.shape[1]
            whole = held[0] if len(held) == 1 else np.concatenate(held, axis=1)
            yield np.ascontiguousarray(whole[:, : end - at])
            held = [whole[:, end - at :]]
            n_held -= end - at
            at = end

    def _pieces(self, start: int, stop: int) -> Iterator[Float32]:
        if self._memo.samples is not None:
            for first in range(start, stop, BLOCK):
                yield self._memo.samples[:, first : min(stop, first + BLOCK)].copy()
            return
        for block in self._source.blocks(BLOCK, start, stop):
            yield self._finite(block).T

    # --- one pass ---

    def _scanned(self, *, keep: bool = False) -> _Scan:
        """Findings, hash and length; with `keep`, the samples of the same pass are kept."""
        with self._memo.lock:
            if self._memo.scan is None:
                kept: list[Float32] | None = [] if keep else None
                self._memo.scan = _scan(self._source, self.name, kept)
                if kept is not None:
                    empty = np.empty((self.n_channels, 0), np.float32)
                    y = np.concatenate([empty, *kept], axis=1)
                    y.flags.writeable = False
                    self._memo.samples = y
            return self._memo.scan

    # --- what can be made of it ---

    def cut(self, start_s: float, end_s: float) -> Recording:
        """The stretch ``[start_s, end_s)`` as a recording of its own, whose clock starts at its first sample.

        Each bound is the sample nearest to it, the later one of two equally near. Nothing is copied or decoded yet.

        Raises
        ------
        InputError
            If the stretch is not inside the recording.
        """
        start, stop = self._span(start_s, end_s)
        kept = []
        for finding in self.header_findings:
            if finding.intervals:
                inside = _clip_intervals(finding.intervals, start / self.sr, stop / self.sr)
                if inside:
                    message = f"{finding.message} (on the clock of {self.name})"
                    kept.append(replace(finding, message=message, count=None, intervals=inside))
            elif finding.code not in (
                "truncated",
                "unknown_length",
                "partial_frame",
                "mono",
                "empty",
            ) or (finding.code == "truncated" and stop == self.n_samples):
                kept.append(finding)
        source: Source = ViewSource(self._source, None, start, stop, tuple(kept))
        if self._memo.samples is not None:
            part = self._memo.samples[:, start:stop]
            source = ArraySource(part, self.sr, self.container, self.encoding, tuple(kept))
        return _opened(
            source, f"{self.name}[{start / self.sr:.3f}-{stop / self.sr:.3f}]", self.path
        )

    def resampled(self, to_hz: int) -> Recording:
        """The same sound at another rate, without delay; ``round(n * to_hz / sr)`` samples.

        Raises
        ------
        InputError
            If `to_hz` is no rate.
        """
        rate = as_rate(to_hz, name="to_hz")
        if rate == self.sr:
            return self
        import soxr

        n = math.floor(self.n_samples * rate / self.sr + 0.5)
        y = np.zeros((n, self.n_channels), np.float32)
        stream = soxr.ResampleStream(self.sr, rate, self.n_channels, dtype="float32", quality="HQ")
        at = 0
        for piece in self._pieces(0, self.n_samples):
            at = _append(y, at, stream.resample_chunk(np.ascontiguousarray(piece.T)))
        _append(y, at, stream.resample_chunk(np.zeros((0, self.n_channels), np.float32), last=True))
        together = np.ascontiguousarray(y.T)
        together.flags.writeable = False
        kept = tuple(f for f in self.header_findings if f.code not in ("mono", "empty"))
        encoding = (
            "pcm_f32le" if self.encoding in WIDTHS else self.encoding
        )  # peaks may exceed full scale now
        source = ArraySource(together, rate, self.container, encoding, kept)
        return _opened(source, f"{self.name}@{rate}Hz", self.path)

    def write(self, path: str | os.PathLike[str], *, encoding: str = "pcm_s16le") -> Written:
        """Write WAV or FLAC, by the suffix of `path`; beside it first, so that no partial file is ever seen.

        Parameters
        ----------
        path : path
            Ends in ``.wav`` or ``.flac``.
        encoding : str
            For WAV ``pcm_u8``, ``pcm_s16le``, ``pcm_s24le``, ``pcm_s32le``, ``pcm_f32le``, ``pcm_f64le``, ``pcm_mulaw``
            or ``pcm_alaw``; for FLAC ``pcm_s16le`` or ``pcm_s24le``. Integers are rounded and saturated; what was read
            as int16 is written as the same int16.

        Raises
        ------
        InputError
            If the suffix or the encoding is another one, or the file cannot be written.
        """
        target = Path(path)
        law = encoding_name(encoding)
        suffix = target.suffix.lower()
        allowed = {
            ".wav": [e for e in WIDTHS if not e.endswith("be") and e != "pcm_s8"],
            ".flac": ["pcm_s16le", "pcm_s24le"],
        }
        if suffix not in allowed:
            raise InputError(f"{target}: must end in .wav or .flac, ends in {suffix!r}")
        if law not in allowed[suffix]:
            raise InputError(
                f"{target}: encoding must be one of {', '.join(allowed[suffix])} in a {suffix} file, got {encoding!r}"
            )
        n = self.n_samples
        with _beside(target) as draft:
            clipped = (
                self._write_wav(draft, law, n)
                if suffix == ".wav"
                else self._write_flac(draft, law, n)
            )
        return Written(target, n, clipped)

    def _write_wav(self, draft: Path, law: str, n: int) -> int:
        clipped = 0
        with draft.open("wb") as f:
            f.write(wav_header(self.sr, self.n_channels, law, n))
            for piece in self._pieces(0, n):
                raw, beyond = encode(np.ascontiguousarray(piece.T).ravel(), law)
                clipped += beyond
                f.write(raw)
            if n * self.n_channels * WIDTHS[law] % 2:
                f.write(b"\0")
        return clipped

    def _write_flac(self, draft: Path, law: str, n: int) -> int:
        import soundfile

        bits = 8 * WIDTHS[law]
        clipped = 0
        with soundfile.SoundFile(
            str(draft), "w", self.sr, self.n_channels, f"PCM_{bits}", format="FLAC"
        ) as f:
            for piece in self._pieces(0, n):
                raw, beyond = encode(np.ascontiguousarray(piece.T).ravel(), f"pcm_s{bits}le")
                clipped += beyond
                if bits == 24:
                    wide = np.zeros((len(raw) // 3, 4), np.uint8)
                    wide[:, 1:] = np.frombuffer(raw, np.uint8).reshape(-1, 3)
                    codes: npt.NDArray[Any] = wide.view("<i4").astype(np.int32)
                else:
                    codes = np.frombuffer(raw, "<i2").astype(np.int16)
                f.write(codes.reshape(-1, self.n_channels))
        return clipped

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Draw the channels' waveforms over time, the caller above the agent; returns the axes.

        Raises
        ------
        MissingDependencyError
            If matplotlib is not installed.
        """
        if ax is None:
            try:
                from matplotlib import pyplot
            except ImportError as error:
                raise MissingDependencyError(
                    "plot needs matplotlib: pip install 's2sverify[plot]'"
                ) from error
            _, ax = pyplot.subplots(figsize=(10, 2.4))
        lows, highs, times = [], [], []
        if self.n_samples:
            step_s = max(1 / self.sr, self.duration_s / 2000)
            for k, block in enumerate(self.blocks(step_s)):
                lows.append(block.min(axis=1))
                highs.append(block.max(axis=1))
                times.append(k * step_s)
        labels = [str(role) for role in Role] if self.n_channels == 2 else [self.name]
        for channel, label in enumerate(labels):
            base = -2.0 * channel
            low = [base + float(y[channel]) for y in lows]
            high = [base + float(y[channel]) for y in highs]
            ax.fill_between(
                times, low, high, label=label, linewidth=0.5, alpha=1.0, edgecolor="face"
            )
        ax.set_yticks([-2.0 * channel for channel in range(len(labels))], labels)
        ax.set_ylim(-2.0 * len(labels) + 1, 1)
        ax.set_xlim(0, max(self.duration_s, 1 / self.sr))
        ax.set_xlabel("time (s)")
        return ax


def _append(y: Float32, at: int, more: Float32) -> int:
    end: int = min(y.shape[0], at + more.shape[0])
    y[at:end] = more[: end - at]
    return end


def _clip_intervals(
    intervals: Iterable[Interval], start_s: float, end_s: float
) -> tuple[Interval, ...]:
    clipped = (
        Interval(max(i.start_s, start_s) - start_s, min(i.end_s, end_s) - start_s)
        for i in intervals
    )
    return tuple(i for i in clipped if i.duration_s > 0)


@contextmanager
def _beside(target: Path) -> Iterator[Path]:
    """A file beside `target` that takes its place when all went well, and goes when not."""
    draft = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
    try:
        yield draft
        draft.replace(target)
    except OSError as error:
        raise InputError(f"{target}: cannot be written: {error.strerror or error}") from error
    finally:
        draft.unlink(missing_ok=True)


def _as_float32(y: npt.ArrayLike, name: str) -> Float32:
    x = np.asarray(y)
    if x.ndim != 1:
        raise InputError(f"{name} must have shape (n,), got {x.shape}")
    if x.dtype == np.int16:
        scaled: Float32 = np.multiply(x, np.float32(1 / 32768), dtype=np.float32)
        return scaled
    if x.dtype not in (np.float16, np.float32, np.float64):
        raise InputError(f"{name} must be float with full scale 1.0, or int16, got {x.dtype}")
    with np.errstate(over="ignore", invalid="ignore"):
        return x.astype(np.float32)


def _opened(source: Source, name: str, path: Path | None) -> Recording:
    """A recording of a source of one or two channels, with the findings that cost nothing."""
    findings = list(source.findings)
    if source.n_channels == 1:
        findings.append(
            Finding(
                "mono",
                f"{name}: a call must have two channels (caller, agent), it has 1",
                spoils=("roles", "timing", "verify"),
            )
        )
    if source.n_samples == 0:
        findings.append(_empty(name))
    recording = Recording(
        name,
        source.sr,
        source.n_channels,
        source.container,
        source.encoding,
        (),
        path,
        source,
    )
    if recording.time_uncertainty_s and not any(f.code == "lossy_timing" for f in findings):
        findings.append(
            Finding(
                "lossy_timing",
                f"{name}: {source.encoding} may move the sound in time, by up to "
                f"{1000 * recording.time_uncertainty_s:.0f} ms: times carry that uncertainty",
            )
        )
    object.__setattr__(recording, "header_findings", tuple(findings))
    return recording


def _empty(name: str) -> Finding:
    return Finding(
        "empty",
        f"{name}: must hold sound, it has 0 samples",
        spoils=("timing", "absence", "levels", "transcript", "verify"),
    )


def read_recording(
    path: str | os.PathLike[str],
    *,
    sr: int | None = None,
    encoding: str | None = None,
    channels: int | None = None,
    caller_channel: int = 0,
    agent_channel: int | None = None,
) -> Recording:
    """Open a recording.

    Parameters
    ----------
    path : path
        WAV of any kind, FLAC, Ogg, MP3, AIFF and what else libsndfile decodes; MP4, WebM, AMR and so on through the
        program ffmpeg; a log of Twilio Media Streams (JSON lines); or headerless samples.
    sr : int, optional
        Rate in Hz, needed for headerless samples. Where the file says it too, the two must agree.
    encoding : str, optional
        ``pcm_mulaw``, ``pcm_alaw``, ``pcm_s16le``, ``pcm_s16be`` ..., needed for headerless samples; as `sr`.
    channels : int, optional
        Channels of headerless samples, 1 by default; as `sr`.
    caller_channel, agent_channel : int
        Which channels of the file the two are. `agent_channel` may be left out for two channels and must be given for
        more.

    Raises
    ------
    InputError
        If there is no such file, it is no sound, cannot be read, is headerless and not described, contradicts its
        description, or has more than two channels and `agent_channel` is not given.
    MissingDependencyError
        If its format needs the program ffmpeg and that is not there.

    Notes
    -----
    The length is what is really there: sizes in headers are believed only where they fit the file.
    """
    source, where = open_source(path, sr=sr, encoding=encoding, channels=channels)
    columns = _columns(source.n_channels, caller_channel, agent_channel, str(path))
    if columns is not None:
        left_out = source.n_channels - len(columns)
        findings = source.findings
        if left_out:
            findings += (
                Finding(
                    "extra_channels",
                    f"{path}: caller is channel {caller_channel}, agent channel {agent_channel}; {left_out} more were "
                    f"left out",
                    count=left_out,
                ),
            )
        source = ViewSource(source, columns, 0, None, findings)
    return _opened(source, where.name, where)


def _columns(n: int, caller: int, agent: int | None, name: str) -> tuple[int, ...] | None:
    """The columns of caller and agent among `n`, or None for all as they are."""
    for label, channel in (("caller_channel", caller), ("agent_channel", agent)):
        if channel is not None and (isinstance(channel, bool) or not 0 <= channel < n):
            raise InputError(
                f"{name}: {label} must be 0 to {n - 1}, the file has {n} channels, got {channel!r}"
            )
    if n == 1:
        if agent is not None:
            raise ChannelError(f"{name}: agent_channel needs two channels, the file has 1")
        return None
    if agent is None:
        if n > 2:
            raise ChannelError(
                f"{name}: has {n} channels: agent_channel must be given (and caller_channel, 0 by default) to say "
                f"which two are the call's"
            )
        agent = 1 - caller
    if caller == agent:
        raise InputError(f"{name}: caller_channel and agent_channel must differ, both are {caller}")
    return None if (n, caller, agent) == (2, 0, 1) else (caller, agent)


# --- findings on the samples ---------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Tally:
    """What is counted of one channel, block by block."""

    low: float = math.inf
    high: float = -math.inf
    not_finite: int = 0
    over: int = 0
    clipped: int = 0
    total: float = 0.0
    energy: float = 0.0
    run: int = 0  # equal samples at full scale that the last block ended with
    run_value: float = 0.0

    def add(self, x: Float32, exceeds: bool) -> None:
        low, high = float(x.min()), float(x.max())
        self.low, self.high = min(self.low, low), max(self.high, high)
        if exceeds and (low < -1.0 or high > 1.0):
            self.over += int(np.count_nonzero(np.abs(x) > 1.0))
        if max(-low, high) >= _CLIP_LEVEL:
            self._add_runs(x)
        else:
            self._end_run()
        wide = x.astype(np.float64) if max(-low, high) > 1e6 else x
        self.total += float(wide.sum())
        self.energy += float(np.dot(wide, wide))

    def _end_run(self) -> None:
        if self.run >= _CLIP_RUN:
            self.clipped += self.run
        self.run = 0

    def _add_runs(self, x: Float32) -> None:
        at = np.flatnonzero(np.abs(x) >= _CLIP_LEVEL)
        values = x[at]
        new = np.flatnonzero((np.diff(at) != 1) | (values[1:] != values[:-1])) + 1
        first = np.concatenate([[0], new])
        lengths = np.diff(np.concatenate([first, [at.size]]))
        if at[0] != 0 or float(values[0]) != self.run_value:
            self._end_run()
        lengths[0] += self.run
        self.run = 0
        if at[-1] == x.size - 1:
            self.run, self.run_value = int(lengths[-1]), float(values[-1])
            lengths = lengths[:-1]
        self.clipped += int(lengths[lengths >= _CLIP_RUN].sum())

    def deviation(self, n: int) -> float:
        """Sum of squared distances from the mean."""
        return max(0.0, self.energy - self.total * self.total / n)


def _scan(source: Source, name: str, keep: list[Float32] | None) -> _Scan:
    """Go through all samples once."""
    exceeds = may_exceed(source.encoding)
    tallies = [_Tally() for _ in range(source.n_channels)]
    two = source.n_channels == 2
    identical, product, n = two, 0.0, 0
    digest = hashlib.sha256(
        f"s2sverify recording 1: {source.sr} Hz, {source.n_channels} channels\n".encode()
    )
    for block in source.blocks(BLOCK, 0, None):
        if exceeds:
            bad = ~np.isfinite(block)
            if bad.any():
                for channel, tally in enumerate(tallies):
                    tally.not_finite += int(np.count_nonzero(bad[:, channel]))
                block[bad] = 0.0
        n += block.shape[0]
        digest.update(np.ascontiguousarray(block, "<f4").data)
        planar = np.ascontiguousarray(block.T)
        for x, tally in zip(planar, tallies, strict=True):
            tally.add(x, exceeds)
        if two:
            identical = identical and np.array_equal(planar[0], planar[1])
            huge = max(np.abs(planar).max(), 0.0) > 1e6 if exceeds else False
            a, b = planar.astype(np.float64) if huge else planar
            product += float(np.dot(a, b))
        if keep is not None:
            keep.append(planar)
    findings = list(source.end_findings(n))
    if n == 0:
        return _Scan(
            0, (*findings, *([] if source.n_samples == 0 else [_empty(name)])), digest.hexdigest()
        )
    for tally in tallies:
        tally._end_run()
    findings += _channel_findings(tallies, n, name, source)
    silent = {finding.channel for finding in findings if finding.code == "silent_channel"}
    if two and not silent:
        spread = math.sqrt(tallies[0].deviation(n)) * math.sqrt(tallies[1].deviation(n))
        shared = product - tallies[0].total * tallies[1].total / n
        correlation = shared / spread if spread > 0 else 0.0
        spoils = ("roles", "timing", "verify")
        if identical:
            findings.append(
                Finding(
                    "identical_channels",
                    f"{name}: caller and agent must be different sound, the two channels are equal sample by sample",
                    spoils=spoils,
                )
            )
        elif abs(correlation) > _CORRELATED:
            findings.append(
                Finding(
                    "correlated_channels",
                    f"{name}: the correlation of caller and agent must be at most {_CORRELATED}, it is "
                    f"{correlation:.4f}: one sound on both channels",
                    spoils=spoils,
                )
            )
    return _Scan(n, tuple(findings), digest.hexdigest())


def _channel_findings(
    tallies: Sequence[_Tally], n: int, name: str, source: Source
) -> Iterator[Finding]:
    step = 2 / 128 if source.encoding in ("pcm_u8", "pcm_s8") else 0.0
    for channel, tally in enumerate(tallies):
        which = str(list(Role)[channel]) if len(tallies) == 2 else "the channel"
        if tally.not_finite:
            yield Finding(
                "non_finite",
                f"{name}: {which} must be finite, {tally.not_finite} samples are NaN, infinite or beyond float32; set "
                f"to zero",
                channel,
                ("levels",),
                tally.not_finite,
            )
        if tally.over:
            yield Finding(
                "over_full_scale",
                f"{name}: {which} must stay within +-1.0, {tally.over} samples do not, the peak is "
                f"{max(tally.high, -tally.low):.5g}; kept as they are",
                channel,
                count=tally.over,
            )
        if tally.clipped:
            share = tally.clipped / n
            yield Finding(
                "clipping",
                f"{name}: {which} must not stay at full scale, {tally.clipped} samples ({100 * share:.3g} %) do in "
                f"runs of {_CLIP_RUN} or more",
                channel,
                ("levels",) if share >= _CLIP_SPOILS else (),
                tally.clipped,
            )
        if tally.high - tally.low <= max(_SILENT_RANGE, step):
            agent = len(tallies) == 2 and channel == Role.AGENT.channel
            yield Finding(
                "silent_channel",
                f"{name}: {which} must hold sound, its samples stay within {tally.high - tally.low:.3g} of full scale: "
                f"nothing was recorded or nothing was said",
                channel,
                ("timing", "absence", "verify")
                if agent or len(tallies) == 1
                else ("timing", "absence"),
            )


# --- from chunks ---------------------------------------------------------------------------------------------------


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
            return _as_float32(chunk.samples, f"{place}.samples")
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
    return _opened(ArraySource(y, rate, "chunks", findings=tuple(findings)), name, None)


def _place_caller(chunks: list[Chunk], sr: int, name: str, findings: list[Finding]) -> list[_Piece]:
    decoded = _Decoder(name, Role.CALLER.channel)
    times = [_time(chunk.arrival_s, f"caller[{i}].arrival_s") for i, chunk in enumerate(chunks)]
    pieces: list[_Piece] = []
    cursor = waited = latest = 0
    for i in sorted(range(len(chunks)), key=times.__getitem__):
        y = decoded(chunks[i], f"caller[{i}]")
        if not y.size:
            continue
        own = _index(times[i], sr)
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
        events.append((arrival_s, 0, lambda i=i: arrive(i)))  # type: ignore[misc]
    for i, cut in enumerate(cuts):
        given = cut.truncation
        if given.played_s is not None:
            played_s = _time(given.played_s, f"truncations[{i}].played_s")
            if given.response is None:
                raise InputError(f"truncations[{i}].played_s needs a response, it has none")
            player.limits[given.response] = (_index(played_s, sr), cut)
        if given.at_s is not None:
            at_s = _time(given.at_s, f"truncations[{i}].at_s")
            events.append((at_s, 1, lambda at_s=at_s, cut=cut: player.stop(_index(at_s, sr), cut)))  # type: ignore[misc]
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


__all__ = ["Chunk", "Recording", "Truncation", "Written", "place_chunks", "read_recording"]
