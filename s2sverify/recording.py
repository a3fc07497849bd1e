"""Recordings: two channels on one clock, what is wrong with them, and where they come from.

`read_recording` opens a file, `Recording.from_arrays` takes arrays. Reading is lazy: opening looks at the header;
lengths that only decoding can tell, findings on the samples and the content hash are computed together, in one pass
over blocks, when one of them is first asked for.

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
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from s2sverify._arrays import Float32, as_rate
from s2sverify._sources import BLOCK, ArraySource, Source, ViewSource, open_source
from s2sverify._wav import WIDTHS, encode, encoding_name, may_exceed, wav_header
from s2sverify.errors import ChannelError, InputError, MissingDependencyError
from s2sverify.types import Finding, Interval, Role

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SILENT_RANGE: Final = 16 / 32768
_CLIP_LEVEL: Final = np.float32(32124 / 32768)
_CLIP_RUN: Final = 3
_CLIP_SPOILS: Final = 1e-3  # share of clipped samples from which levels say nothing
_CORRELATED: Final = 0.98
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


def nearest_sample(t_s: float, sr: int) -> int:
    """The sample nearest to a time; the later one of two equally near."""
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
        signals = [as_float32(y, label) for y, label in ((caller, "caller"), (agent, "agent"))]
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
        return recording_of(ArraySource(together, rate, findings=tuple(findings)), name, None)

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
        start = nearest_sample(start_s, self.sr)
        stop = n if end_s is None else nearest_sample(end_s, self.sr)
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
            end = min(stop, nearest_sample(start_s + k * block_s, self.sr))
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
        return recording_of(
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
        return recording_of(source, f"{self.name}@{rate}Hz", self.path)

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


def as_float32(y: npt.ArrayLike, name: str) -> Float32:
    """Samples of full scale 1.0 from floats or int16; NaN passes."""
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


def recording_of(source: Source, name: str, path: Path | None) -> Recording:
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
    return recording_of(source, where.name, where)


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


__all__ = ["Recording", "Written", "read_recording"]
