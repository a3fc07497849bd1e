"""Where samples come from: plain samples in a file, a decoder, a media stream, arrays; one small interface.

A source knows its rate and channels, gives its samples in blocks from any point on, and says what is odd about the
file. Nothing is ever allocated from a header's count.
"""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import tempfile
import threading
import weakref
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol

import numpy as np

from s2sverify._arrays import Float32, as_rate
from s2sverify._formats import Kind, found_in, mpeg_frame, tell
from s2sverify._media_stream import MediaStream
from s2sverify._wav import (
    HIGHEST_RATE_HZ,
    WIDTHS,
    WavLayout,
    decode,
    encoding_name,
    likelier_encoding,
    parse_wav,
)
from s2sverify.errors import InputError, MissingDependencyError
from s2sverify.types import Finding

BLOCK: Final = 1 << 16  # frames decoded at a time
_HEAD: Final = 1 << 16  # bytes looked at to tell what a file is
_FFMPEG_S: Final = 60.0  # time limit of ffmpeg and ffprobe, plus 1 s per 100 kB of file


class Source(Protocol):
    """Samples as they are in the file: float32, not yet freed of NaN."""

    @property
    def sr(self) -> int: ...

    @property
    def n_channels(self) -> int: ...

    @property
    def container(self) -> str: ...

    @property
    def encoding(self) -> str: ...

    @property
    def findings(self) -> tuple[Finding, ...]: ...

    @property
    def n_samples(self) -> int | None:
        """Frames, or None where only decoding can tell."""

    def blocks(self, size: int, start: int, stop: int | None) -> Iterator[Float32]:
        """Samples `start` to `stop` (None: to the end) in blocks of up to `size` frames, shape (n, channel).

        The arrays are the caller's to keep and to change.
        """

    def end_findings(self, n_samples: int) -> tuple[Finding, ...]:
        """What shows only after decoding all `n_samples` frames."""


@dataclass(frozen=True, slots=True)
class _Stamp:
    """A file as it was when it was opened."""

    path: Path
    name: str
    size: int
    changed_ns: int

    def check(self) -> None:
        """Raise InputError if the file is not the one that was opened."""
        try:
            now = self.path.stat()
        except OSError as error:
            raise InputError(
                f"{self.name}: must stay in place while it is read, {error.strerror}"
            ) from error
        if (now.st_size, now.st_mtime_ns) != (self.size, self.changed_ns):
            raise InputError(
                f"{self.name}: must not change while it is read, it had {self.size} bytes and now "
                f"has {now.st_size}"
            )


def stamp(path: Path, name: str) -> _Stamp:
    now = path.stat()
    return _Stamp(path, name, now.st_size, now.st_mtime_ns)


# --- sources -----------------------------------------------------------------------------------------------------


@dataclass(slots=True, eq=False)
class PcmSource:
    """Plain samples at a place in a file, read by seeking."""

    file: _Stamp
    offset: int
    n_samples: int
    sr: int
    n_channels: int
    encoding: str  # of the bytes, unless `decoded_from` says what they were before
    container: str
    findings: tuple[Finding, ...] = ()
    samples: str = ""
    keep: object = None  # lives as long as the source, e.g. a temporary file

    def blocks(self, size: int, start: int, stop: int | None) -> Iterator[Float32]:
        stop = self.n_samples if stop is None else stop
        self.file.check()
        encoding = self.samples or self.encoding
        frame = WIDTHS[encoding] * self.n_channels
        with self.file.path.open("rb", buffering=0) as f:
            f.seek(self.offset + start * frame)
            for first in range(start, stop, size):
                raw = bytearray(min(size, stop - first) * frame)
                view, got = memoryview(raw), 0
                while got < len(raw) and (more := f.readinto(view[got:])):
                    got += more
                if got < len(raw):
                    raise InputError(
                        f"{self.file.name}: must not change while it is read, it became shorter"
                    )
                yield decode(raw, encoding).reshape(-1, self.n_channels)

    def end_findings(self, n_samples: int) -> tuple[Finding, ...]:
        return ()


@dataclass(slots=True, eq=False)
class ArraySource:
    """Samples in memory, shape (channel, n)."""

    y: Float32
    sr: int
    container: str = "memory"
    encoding: str = "pcm_f32le"
    findings: tuple[Finding, ...] = ()

    @property
    def n_channels(self) -> int:
        return int(self.y.shape[0])

    @property
    def n_samples(self) -> int:
        return int(self.y.shape[1])

    def blocks(self, size: int, start: int, stop: int | None) -> Iterator[Float32]:
        stop = self.n_samples if stop is None else stop
        for first in range(start, stop, size):
            yield self.y[:, first : min(stop, first + size)].T.copy()

    def end_findings(self, n_samples: int) -> tuple[Finding, ...]:
        return ()


@dataclass(slots=True, eq=False)
class StreamSource:
    """A gateway's media stream."""

    media: MediaStream
    sr: int
    n_channels: int
    n_samples: int
    encoding: str
    container: str
    findings: tuple[Finding, ...]

    def blocks(self, size: int, start: int, stop: int | None) -> Iterator[Float32]:
        return self.media.blocks(size, start, self.n_samples if stop is None else stop)

    def end_findings(self, n_samples: int) -> tuple[Finding, ...]:
        return ()


@dataclass(slots=True, eq=False)
class ViewSource:
    """Some channels of another source, in a given order, or a stretch of it."""

    of: Source
    columns: tuple[int, ...] | None
    start: int
    stop: int | None
    findings: tuple[Finding, ...]

    @property
    def sr(self) -> int:
        return self.of.sr

    @property
    def n_channels(self) -> int:
        return self.of.n_channels if self.columns is None else len(self.columns)

    @property
    def container(self) -> str:
        return self.of.container

    @property
    def encoding(self) -> str:
        return self.of.encoding

    @property
    def n_samples(self) -> int | None:
        if self.stop is not None:
            return self.stop - self.start
        return None if self.of.n_samples is None else self.of.n_samples - self.start

    def blocks(self, size: int, start: int, stop: int | None) -> Iterator[Float32]:
        last = self.stop if stop is None else self.start + stop
        for block in self.of.blocks(size, self.start + start, last):
            yield block if self.columns is None else block[:, self.columns]

    def end_findings(self, n_samples: int) -> tuple[Finding, ...]:
        return self.of.end_findings(n_samples) if self.stop is None else ()


_EXACT: Final = {"FLAC", "AIFF", "AU", "CAF", "WAV", "WAVEX", "RF64", "W64", "NIST", "SVX"}
_PLAIN: Final = ("PCM_", "FLOAT", "DOUBLE", "ULAW", "ALAW")
_SUBTYPES: Final = {"OPUS": "opus", "VORBIS": "vorbis", "MPEG_LAYER_III": "mp3", "MPEG_LAYER_II": "mp2",
                    "MPEG_LAYER_I": "mp1", "ULAW": "pcm_mulaw", "ALAW": "pcm_alaw", "IMA_ADPCM": "adpcm_ima_wav",
                    "MS_ADPCM": "adpcm_ms", "GSM610": "gsm", "PCM_U8": "pcm_u8", "PCM_S8": "pcm_s8"}  # fmt: skip


class SoundfileSource:
    """What libsndfile decodes, in blocks to the end of the file.

    Formats that decode alike from any point are read by seeking; the others (MP3, Ogg) only forwards from the start,
    since libsndfile may land elsewhere and decode differently after a seek. A decoder that was read up to a point is
    kept for the next read behind it.
    """

    def __init__(self, file: _Stamp, findings: tuple[Finding, ...] = ()) -> None:
        self._file = file
        self._lock = threading.Lock()
        self._resume: tuple[int, Any] | None = None
        self.stopped = ""  # why decoding ended early
        decoder = self._open()
        self.sr = int(decoder.samplerate)
        self.n_channels = int(decoder.channels)
        self.container = str(decoder.format).lower()
        self.encoding = self._name(decoder)
        self._seeks = decoder.format in _EXACT and str(decoder.subtype).startswith(_PLAIN)
        self._announced = int(decoder.frames)
        if self.encoding == "mp3" and not _tells_length(file):
            self._announced = 0  # libsndfile guesses from the first frame
        if self.container in (
            "aiff",
            "au",
        ):  # libsndfile tells what is there, not what was announced
            self._announced = _announced(file, self.n_channels, self.encoding)
        self.n_samples: int | None = None
        self.findings = findings
        decoder.close()

    @staticmethod
    def _name(decoder: Any) -> str:
        subtype = str(decoder.subtype)
        if decoder.format == "FLAC":
            return "flac"
        if subtype in _SUBTYPES:
            return _SUBTYPES[subtype]
        plain = {"PCM_16": "s16", "PCM_24": "s24", "PCM_32": "s32", "FLOAT": "f32", "DOUBLE": "f64"}
        if subtype in plain:
            big = decoder.format in ("AIFF", "AU", "CAF", "SVX") and decoder.endian != "LITTLE"
            return f"pcm_{plain[subtype]}{'be' if big else 'le'}"
        return subtype.lower()

    def _open(self) -> Any:
        """A decoder at the start. Raises RuntimeError (of soundfile) or TypeError if it does not take the file."""
        import soundfile

        self._file.check()
        decoder = soundfile.SoundFile(str(self._file.path))
        # Without this, soundfile seeks after every block: that fails behind damage, in streamed FLAC, and changes MP3.
        decoder.seekable = lambda: False
        return decoder

    def blocks(self, size: int, start: int, stop: int | None) -> Iterator[Float32]:
        if stop is not None and stop <= start:
            return
        with self._lock:
            resume, self._resume = self._resume, None
        if resume is not None and resume[0] <= start and not self._seeks:
            at, decoder = resume
        else:
            at, decoder = 0, self._open()
        if self._seeks and start:
            decoder.seek(start)
            at = start
        while at < start:
            skipped = self._next(decoder, min(BLOCK, start - at)).shape[0]
            if skipped == 0:
                return
            at += skipped
        while stop is None or at < stop:
            block = self._next(decoder, size if stop is None else min(size, stop - at))
            if block.shape[0] == 0:
                return
            at += block.shape[0]
            if at == stop and not self._seeks:
                with self._lock:
                    self._resume = (at, decoder)
            yield block

    def _next(self, decoder: Any, n: int) -> Float32:
        """Up to `n` frames; none at the end and from damage on."""
        import soundfile

        block = np.full((n, self.n_channels), np.nan, np.float32)
        try:
            got = int(decoder.buffer_read_into(block, dtype="float32"))
        except soundfile.LibsndfileError as error:
            # the frames before the damage were written, their number was lost with the error
            self.stopped = str(error).strip(" .")
            got = int(np.count_nonzero(~np.isnan(block[:, 0])))
        return block[:got]

    def _open_end(self) -> str:
        if self.container == "ogg":
            return _open_ogg(self._file)
        return _open_mp3(self._file) if self.container == "mp3" else ""

    def end_findings(self, n_samples: int) -> tuple[Finding, ...]:
        name, announced = self._file.name, self._announced
        found: list[Finding] = []
        known = 0 < announced < 2**62
        tolerance = (
            0 if self._seeks else 2 * 1152
        )  # MP3 headers count frames with or without the delay
        if self.stopped or (known and n_samples < announced - tolerance):
            why = f": {self.stopped}" if self.stopped else ""
            told = f"the header announces {announced} samples, " if known else ""
            found.append(
                Finding(
                    "truncated",
                    f"{name}: {told}{n_samples} could be decoded{why}; what came later is lost",
                    spoils=("absence",),
                )
            )
        elif not known and n_samples and self.encoding != "mp3":
            found.append(
                Finding(
                    "unknown_length",
                    f"{name}: the header gives no length (a stream): the {n_samples} samples really there were read",
                )
            )
        elif why := self._open_end():
            found.append(
                Finding("truncated", f"{name}: {why}; what came later is lost", spoils=("absence",))
            )
        return tuple(found)


def _announced(file: _Stamp, n_channels: int, encoding: str) -> int:
    """Samples that the header of an AIFF or AU file announces; 0 where it leaves that open."""
    with file.path.open("rb") as f:
        head = f.read(_HEAD)
    if head[:4] == b".snd":
        size = int.from_bytes(head[8:12], "big")
        return 0 if size == 0xFFFFFFFF else size // (WIDTHS.get(encoding, 1 << 40) * n_channels)
    at = 12
    while at + 16 <= len(head) and head[at : at + 4] != b"COMM":
        size = int.from_bytes(head[at + 4 : at + 8], "big")
        at += 8 + size + (size & 1)
    return int.from_bytes(head[at + 10 : at + 14], "big")


def _tells_length(file: _Stamp) -> bool:
    """Whether the first frame of an MP3 file is a header that counts the others."""
    with file.path.open("rb") as f:
        head = f.read(10)
        tag = (
            10 + (head[6] << 21 | head[7] << 14 | head[8] << 7 | head[9])
            if head[:3] == b"ID3"
            else 0
        )
        f.seek(tag)
        first = f.read(2048)
    return any(mark in first for mark in (b"Xing", b"Info", b"VBRI"))


def _open_mp3(file: _Stamp) -> str:
    """Why an MP3 file is not complete, or nothing: its last frame must be whole."""
    with file.path.open("rb") as f:
        f.seek(max(0, file.size - 32768))
        tail = f.read()
    for first in range(len(tail)):
        at, count = first, 0
        while (size := mpeg_frame(tail, at)) > 6:
            at, count = at + size, count + 1
        if count >= 3:
            return (
                "an MP3 file must end with a whole frame, its last one is cut"
                if at > len(tail)
                else ""
            )
    return ""


def _open_ogg(file: _Stamp) -> str:
    """Why an Ogg file is not complete, or nothing."""
    with file.path.open("rb") as f:
        first = f.read(18)
        f.seek(max(0, file.size - 2 * 65536))
        tail = f.read()
    at = tail.rfind(b"OggS")
    if at < 0 or len(tail) < at + 27 or len(tail) < at + 27 + tail[at + 26]:
        return "an Ogg file must end with a whole page, its last one is cut"
    segments = tail[at + 27 : at + 27 + tail[at + 26]]
    if len(tail) < at + 27 + len(segments) + sum(segments):
        return "an Ogg file must end with a whole page, its last one is cut"
    if not tail[at + 5] & 4:
        return "the last Ogg page must be marked as the end of the stream, it is not"
    if tail[at + 14 : at + 18] != first[14:18]:
        return "an Ogg file must hold one stream, only the first of several was read"
    return ""


# --- ffmpeg ------------------------------------------------------------------------------------------------------


class _TemporaryFile:
    """A file that goes when nothing refers to it any more."""

    def __init__(self, suffix: str) -> None:
        handle, path = tempfile.mkstemp(prefix="s2sverify-", suffix=suffix)
        os.close(handle)
        self.path = Path(path)
        weakref.finalize(self, self.path.unlink, missing_ok=True)


def _program(name: str, file: _Stamp, what: str) -> str:
    found = shutil.which(name)
    if found is None:
        raise MissingDependencyError(
            f"{file.name}: reading {what} needs the program {name}, which is not on the PATH: install ffmpeg"
        )
    return found


def _run(argv: Sequence[str], file: _Stamp, output: Any) -> tuple[int, str]:
    """Exit code and the end of what the program said; its messages go to a file, so it never waits for a reader."""
    limit_s = _FFMPEG_S + file.size / 100_000
    with tempfile.TemporaryFile() as messages:
        try:
            done = subprocess.run(
                argv,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=messages,
                timeout=limit_s,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise InputError(
                f"{file.name}: {Path(argv[0]).name} must finish within {limit_s:.0f} s, it did not"
            ) from error
        messages.seek(max(0, messages.tell() - 4096))
        said = messages.read().decode("utf-8", "replace").strip()
    return done.returncode, said


def ffmpeg_source(file: _Stamp, what: str, findings: tuple[Finding, ...] = ()) -> PcmSource:
    """Decode with ffmpeg into a temporary file of float samples, once.

    Raises
    ------
    MissingDependencyError
        If the program ffmpeg is not there.
    InputError
        If it cannot read the file.
    """
    program = _program("ffmpeg", file, what)
    import ffmpeg

    found = _probe(file)
    target = _TemporaryFile(".wav")
    source = ffmpeg.input(f"file:{file.path.resolve()}", protocol_whitelist="file")
    stream = ffmpeg.output(
        source["a:0"],
        f"file:{target.path}",
        format="wav",
        acodec="pcm_f32le",
        rf64="auto",
        map_metadata=-1,
        # gaps between the file's own time stamps become silence instead of moving what follows
        af="aresample=async=1:first_pts=0",
    ).global_args("-nostdin", "-v", "error")
    argv = ffmpeg.compile(stream, cmd=program, overwrite_output=True)
    code, said = _run(argv, file, subprocess.DEVNULL)
    reason = _last_line(said, file)
    if code != 0:
        raise InputError(
            f"{file.name}: ffmpeg must be able to read {what}, it says: {reason or f'exit code {code}'}"
        )
    decoded = stamp(target.path, file.name)
    with target.path.open("rb") as f:
        layout = parse_wav(f, decoded.size, file.name)
    if layout.n_samples == 0:
        raise InputError(
            f"{file.name}: must hold sound that ffmpeg can decode, found none in {what}; {reason}".rstrip(
                "; "
            )
        )
    notes = list(findings)
    real_s = layout.n_samples / layout.sr
    if not any(finding.code == "truncated" for finding in findings):
        if found.duration_s is not None and real_s < found.duration_s - 0.25:
            notes.append(
                Finding(
                    "truncated",
                    f"{file.name}: the header announces {found.duration_s:.2f} s, {real_s:.2f} s could be decoded; "
                    f"what came later is lost",
                    spoils=("absence",),
                )
            )
        elif said:
            notes.append(
                Finding(
                    "decode_errors", f"{file.name}: ffmpeg reports: {reason}", spoils=("absence",)
                )
            )
    if found.n_streams > 1:
        notes.append(
            Finding(
                "header_odd",
                f"{file.name}: a file must hold one sound track, only the first of {found.n_streams} was read",
            )
        )
    return PcmSource(
        decoded,
        layout.data_offset,
        layout.n_samples,
        layout.sr,
        layout.n_channels,
        found.codec,
        found.container or what,
        tuple(notes),
        samples="pcm_f32le",
        keep=target,
    )


def _last_line(said: str, file: _Stamp) -> str:
    lines = [
        line
        for line in said.replace(f"file:{file.path.resolve()}", file.name).splitlines()
        if line.strip()
    ]
    return lines[-1].strip()[:200] if lines else ""


@dataclass(frozen=True, slots=True)
class _Probed:
    codec: str = "unknown"
    container: str = ""
    duration_s: float | None = None
    n_streams: int = 1


def _probe(file: _Stamp) -> _Probed:
    """What ffprobe says of the first sound track; defaults where it is not installed or says nothing."""
    program = shutil.which("ffprobe")
    if program is None:
        return _Probed()
    argv = [program, "-v", "error", "-protocol_whitelist", "file", "-of", "json", "-show_format", "-show_streams",
            "-select_streams", "a", f"file:{file.path.resolve()}"]  # fmt: skip
    with tempfile.TemporaryFile() as output:
        code, _ = _run(argv, file, output)
        output.seek(0)
        raw = output.read()
    if code != 0:
        return _Probed()
    told = json.loads(raw or b"{}")
    streams = told.get("streams") or [{}]
    names = str(told.get("format", {}).get("format_name", "")).split(",")
    suffix = file.path.suffix.lower().removeprefix(".")
    duration = None
    if _TIMED & set(names):
        duration = streams[0].get("duration", told["format"].get("duration"))
    duration_s = None
    with suppress(TypeError, ValueError):
        duration_s = float(str(duration))
    codec = str(streams[0].get("codec_name", "unknown"))
    return _Probed(codec, suffix if suffix in names else names[0], duration_s, len(streams))


_TIMED: Final = {
    "matroska",
    "webm",
    "mov",
    "asf",
    "flv",
    "tta",
    "ape",
    "wv",
}  # in others ffprobe estimates the length


# --- opening -------------------------------------------------------------------------------------------------------


def open_source(
    given: str | os.PathLike[str],
    *,
    sr: int | None = None,
    encoding: str | None = None,
    channels: int | None = None,
) -> tuple[Source, Path]:
    """Open a file as a source of samples.

    Raises
    ------
    InputError
        If there is no such file, it cannot be opened, is no sound, is headerless and not described, or is described in
        contradiction to its header.
    MissingDependencyError
        If a program or package that its format needs is not installed.
    """
    if not isinstance(given, str | os.PathLike):
        raise InputError(f"path must be a str or a path, got {type(given).__name__}")
    path = Path(given)
    name = str(given)
    sr = None if sr is None else as_rate(sr)
    encoding = None if encoding is None else encoding_name(encoding)
    if channels is not None and (type(channels) is not int or channels < 1):
        raise InputError(f"channels must be a whole number, at least 1, got {channels!r}")
    try:
        about = path.stat()
        if stat.S_ISDIR(about.st_mode):
            raise InputError(f"{name}: must be a file, it is a folder")
        if not stat.S_ISREG(about.st_mode):
            raise InputError(
                f"{name}: must be a regular file, it is a pipe or a device: save it first"
            )
        with path.open("rb") as f:
            head = f.read(_HEAD)
    except FileNotFoundError as error:
        raise InputError(f"{name}: there is no such file") from error
    except OSError as error:
        raise InputError(f"{name}: cannot be opened: {error.strerror or error}") from error
    except ValueError as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"path must be a possible file name, got {name!r}: {error}") from error
    file = _Stamp(path, name, about.st_size, about.st_mtime_ns)
    if not head:
        raise InputError(f"{name}: must hold sound, it is empty (0 bytes)")
    kind = tell(head)
    if kind.reader == "unknown":
        return _raw(file, head, sr, encoding, channels), path
    if not kind.reader:
        raise InputError(
            f"{name}: not an audio file: it is {kind.what}, it begins with {found_in(head)}"
        )
    source = _open_kind(file, kind, sr, encoding)
    for what, declared, real in (
        ("sr", sr, source.sr),
        ("encoding", encoding, source.encoding),
        ("channels", channels, source.n_channels),
    ):
        if declared is not None and declared != real:
            raise InputError(
                f"{name}: {what}={declared!r} was declared, but the file is {kind.what} whose header says {real!r}"
            )
    return source, path


def _open_kind(file: _Stamp, kind: Kind, sr: int | None, encoding: str | None) -> Source:
    if kind.reader == "wav":
        with file.path.open("rb") as f:
            layout = parse_wav(f, file.size, file.name, base=kind.base)
        return _wav(file, layout)
    if kind.reader == "media stream":
        media = MediaStream(file.path, file.name, sr=sr, encoding=encoding)
        return StreamSource(
            media,
            media.sr,
            media.n_channels,
            media.n_samples,
            media.encoding,
            media.container,
            media.findings,
        )
    if kind.reader == "ffmpeg":
        return ffmpeg_source(file, kind.what)
    return _decoded(file, kind.what)


def _wav(file: _Stamp, layout: WavLayout) -> Source:
    if layout.encoding is not None:
        return PcmSource(
            file,
            layout.data_offset,
            layout.n_samples,
            layout.sr,
            layout.n_channels,
            layout.encoding,
            layout.container,
            layout.findings,
        )
    what = f"WAV with {layout.codec}"
    if not layout.sizes_hold:  # libsndfile believes the header
        return ffmpeg_source(file, what, layout.findings)
    return _decoded(file, what, layout.findings)


def _decoded(file: _Stamp, what: str, findings: tuple[Finding, ...] = ()) -> Source:
    """Through libsndfile, or through ffmpeg where that does not take the file or finds nothing in it."""
    import soundfile

    try:
        source = SoundfileSource(file, findings)
        first = next(source.blocks(4096, 0, None), None)
        if first is not None or file.size <= 4096:
            return source
        reason = "libsndfile finds no samples in it"
    except (soundfile.LibsndfileError, TypeError) as error:  # TypeError: takes it for headerless
        reason = str(error).strip(" .")
    try:
        return ffmpeg_source(file, what, findings)
    except (InputError, MissingDependencyError) as error:
        said = str(error).removeprefix(f"{file.name}: ")
        raise InputError(f"{file.name}: {what} cannot be read: {reason}; {said}") from error


def _raw(
    file: _Stamp, head: bytes, sr: int | None, encoding: str | None, channels: int | None
) -> Source:
    if sr is None or encoding is None:
        given = (
            "neither"
            if sr is None and encoding is None
            else "only sr"
            if encoding is None
            else "only encoding"
        )
        raise InputError(
            f"{file.name}: not a known audio file (it begins with {found_in(head)}); if it is headerless, the format "
            f"must be given, nothing is guessed: sr and encoding, and channels if more than one, e.g. sr=8000, "
            f"encoding='pcm_mulaw'; got {given}"
        )
    if sr > HIGHEST_RATE_HZ:
        raise InputError(f"sr must be at most {HIGHEST_RATE_HZ} Hz, got {sr}")
    n_channels = channels or 1
    frame = WIDTHS[encoding] * n_channels
    n_samples, rest = divmod(file.size, frame)
    findings: list[Finding] = []
    if rest:
        findings.append(
            Finding(
                "partial_frame",
                f"{file.name}: the sound must be whole frames of {frame} bytes, the last {rest} of {file.size} bytes "
                f"are a part of one and were left out",
                count=rest,
            )
        )
    source = PcmSource(file, 0, n_samples, sr, n_channels, encoding, "raw", tuple(findings))
    with file.path.open("rb") as f:
        f.seek(max(0, n_samples // 2 - (1 << 17)) * frame)
        better = likelier_encoding(f.read((1 << 18) * frame), encoding, n_channels)
    if better:
        findings.append(
            Finding(
                "implausible_encoding",
                f"{file.name}: encoding={encoding!r} was declared, read as {better} it would be far more like "
                f"speech: a wrong encoding sounds like noise",
            )
        )
        source.findings = tuple(findings)
    return source
