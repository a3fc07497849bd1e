"""What bytes mean as samples, and where they lie in a WAV file: RIFF, RIFX, RF64, BW64 and Wave64.

A header's sizes are claims; the bytes of the file are the fact. The length of a file is what is really there, and
where header and file differ a finding says how.
"""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass
from typing import BinaryIO, Final

import numpy as np
import numpy.typing as npt

from s2sverify._arrays import Float32
from s2sverify.errors import InputError
from s2sverify.kernels.line import (
    ALAW_DECODE,
    ALAW_SILENCE,
    MULAW_DECODE,
    MULAW_SILENCE,
    alaw_encode_table,
    encode_plain,
    mulaw_encode_table,
    quantise_plain,
)
from s2sverify.types import Finding

Bytes = bytes | bytearray | memoryview

# --- encodings -------------------------------------------------------------------------------------------------

WIDTHS: Final = {
    "pcm_u8": 1,
    "pcm_s8": 1,
    "pcm_s16le": 2,
    "pcm_s16be": 2,
    "pcm_s24le": 3,
    "pcm_s24be": 3,
    "pcm_s32le": 4,
    "pcm_s32be": 4,
    "pcm_f32le": 4,
    "pcm_f32be": 4,
    "pcm_f64le": 8,
    "pcm_f64be": 8,
    "pcm_mulaw": 1,
    "pcm_alaw": 1,
}  # bytes per sample, by the name ffmpeg gives the encoding
_ALIASES: Final = {
    "mulaw": "pcm_mulaw",
    "ulaw": "pcm_mulaw",
    "mu-law": "pcm_mulaw",
    "g711_ulaw": "pcm_mulaw",
    "g711u": "pcm_mulaw",
    "pcmu": "pcm_mulaw",
    "audio/x-mulaw": "pcm_mulaw",
    "audio/mulaw": "pcm_mulaw",
    "audio/pcmu": "pcm_mulaw",
    "alaw": "pcm_alaw",
    "a-law": "pcm_alaw",
    "g711_alaw": "pcm_alaw",
    "g711a": "pcm_alaw",
    "pcma": "pcm_alaw",
    "audio/x-alaw": "pcm_alaw",
    "audio/alaw": "pcm_alaw",
    "audio/pcma": "pcm_alaw",
    "u8": "pcm_u8",
    "s8": "pcm_s8",
}
_NO_ORDER: Final = {"pcm", "pcm16", "l16", "linear16", "audio/l16", "audio/x-l16", "audio/pcm", "s16",
                    "pcm_s16", "pcm_s24", "pcm_s32", "pcm_f32", "pcm_f64", "int16", "float32"}  # fmt: skip


def encoding_name(given: object, *, name: str = "encoding") -> str:
    """The one name of an encoding, from any of the names in use for it.

    Raises
    ------
    InputError
        If `given` is no known name, or one that leaves the byte order open.
    """
    key = str(given).strip().lower()
    found = _ALIASES.get(key, key)
    if found not in WIDTHS and f"pcm_{found}" in WIDTHS:
        found = f"pcm_{found}"
    if found in WIDTHS:
        return found
    if key in _NO_ORDER:
        raise InputError(
            f"{name} must say the byte order, e.g. pcm_s16le or pcm_s16be, got {given!r}"
        )
    raise InputError(f"{name} must be one of {', '.join(WIDTHS)}, got {given!r}")


def may_exceed(encoding: str) -> bool:
    """Whether samples of this encoding can lie beyond full scale or be no numbers at all."""
    return "_f" in encoding or (encoding not in WIDTHS and encoding not in ("flac", "alac"))


def silence_byte(encoding: str) -> int:
    """The byte that digital silence is made of: never 0 for G.711, where 0 is full scale."""
    silent = {"pcm_mulaw": MULAW_SILENCE, "pcm_alaw": ALAW_SILENCE, "pcm_u8": 0x80}
    return silent.get(encoding, 0)


def _floats(table: npt.NDArray[np.int16]) -> Float32:
    return table.astype(np.float32) / np.float32(32768)


_MULAW_FLOAT, _ALAW_FLOAT = _floats(MULAW_DECODE), _floats(ALAW_DECODE)


def _scaled(codes: npt.NDArray[np.signedinteger], step: float) -> npt.NDArray[np.float32]:
    scaled: npt.NDArray[np.float32] = np.multiply(codes, np.float32(step), dtype=np.float32)
    return scaled


def decode(raw: Bytes, encoding: str) -> Float32:
    """Samples of full scale 1.0 from whole samples of `encoding`; shape (k,), a new array.

    Integers of b bits are divided by ``2 ** (b - 1)``: exact up to 24 bits, rounded to 24 for 32. float32 is kept as
    it is, NaN and peaks over 1.0 included; what float32 cannot hold of a float64 becomes infinite.
    """
    if encoding == "pcm_mulaw":
        return _MULAW_FLOAT[np.frombuffer(raw, np.uint8)]
    if encoding == "pcm_alaw":
        return _ALAW_FLOAT[np.frombuffer(raw, np.uint8)]
    if encoding == "pcm_u8":
        shifted = np.frombuffer(raw, np.uint8).astype(np.float32) - np.float32(128)
        return shifted * np.float32(1 / 128)
    if encoding == "pcm_s8":
        return np.frombuffer(raw, np.int8) * np.float32(1 / 128)
    order = "<" if encoding.endswith("le") else ">"
    if "s16" in encoding:
        codes: npt.NDArray[np.signedinteger] = np.frombuffer(raw, order + "i2")
        return _scaled(codes, 2.0**-15)
    if "s24" in encoding:
        octets = np.frombuffer(raw, np.uint8).reshape(-1, 3)
        wide = np.zeros((octets.shape[0], 4), np.uint8)
        wide[:, 1:] = octets if order == "<" else octets[:, ::-1]
        codes = wide.view("<i4").ravel()
        return _scaled(codes, 2.0**-31)
    if "s32" in encoding:
        codes = np.frombuffer(raw, order + "i4")
        return _scaled(codes, 2.0**-31)
    values = np.frombuffer(raw, order + ("f4" if "f32" in encoding else "f8"))
    with np.errstate(over="ignore", invalid="ignore"):
        return values.astype(np.float32)


def encode(y: Float32, encoding: str) -> tuple[bytes, int]:
    """Bytes of finite samples in `encoding`, and how many of them did not fit and were saturated."""
    if "_f" in encoding:
        kind = ("<" if encoding.endswith("le") else ">") + ("f4" if "f32" in encoding else "f8")
        return y.astype(kind).tobytes(), 0
    if encoding in ("pcm_s16le", "pcm_s16be", "pcm_mulaw", "pcm_alaw"):
        codes, clipped = quantise_plain(y)
        if encoding == "pcm_mulaw":
            return encode_plain(codes, mulaw_encode_table()).tobytes(), clipped
        if encoding == "pcm_alaw":
            return encode_plain(codes, alaw_encode_table()).tobytes(), clipped
        return codes.astype("<i2" if encoding.endswith("le") else ">i2").tobytes(), clipped
    bits = 8 * WIDTHS[encoding]
    full = 2.0 ** (bits - 1)
    scaled = np.rint(y.astype(np.float64) * full)
    clipped = int(np.count_nonzero((scaled < -full) | (scaled > full - 1)))
    whole = np.clip(scaled, -full, full - 1).astype(np.int64)
    if encoding == "pcm_u8":
        return (whole + 128).astype(np.uint8).tobytes(), clipped
    if encoding == "pcm_s8":
        return whole.astype(np.int8).tobytes(), clipped
    octets = whole.astype("<i4").view(np.uint8).reshape(-1, 4)[:, : bits // 8]
    return (octets if encoding.endswith("le") else octets[:, ::-1]).tobytes(), clipped


_MISTAKEN: Final = ("pcm_s16le", "pcm_s16be", "pcm_mulaw", "pcm_alaw")
_QUIET: Final = {
    "pcm_mulaw": (0x7, 0xF),
    "pcm_alaw": (0x5, 0xD),
}  # upper half of the codes of quiet samples


def likelier_encoding(raw: Bytes, encoding: str, n_channels: int) -> str:
    """Another encoding in which bytes look far more like speech than in the declared one; or nothing.

    Roughness is the energy of the difference of neighbouring samples over twice their energy: 1 for white noise, well
    under a half for speech at 8 kHz and more. A mix-up of 16-bit samples, their byte order and the two laws at least
    doubles it, but for one law taken for the other, which shows in the codes of quiet samples instead. A heuristic,
    made to stay silent on what is right: its answer is a hint, and no answer means nothing.
    """
    step = 2 * n_channels
    raw = memoryview(raw)[: len(raw) // step * step]
    if encoding not in _MISTAKEN or len(raw) < 400 * step:
        return ""
    roughness = {}
    for law in _MISTAKEN:
        y = decode(raw, law).reshape(-1, n_channels).astype(np.float64)
        y -= y.mean(axis=0)
        energy = float((y * y).sum())
        steps = np.diff(y, axis=0)
        if energy > 1e-6 * y.size:
            roughness[law] = float((steps * steps).sum()) / (2 * energy)
    if roughness.get(encoding, 0.0) >= 0.1:
        best = min(roughness, key=roughness.__getitem__)
        if roughness[best] < min(0.6, 0.5 * roughness[encoding]):
            return best
    if encoding in _QUIET:
        other = next(law for law in _QUIET if law != encoding)
        segment = np.frombuffer(raw, np.uint8) >> 4
        own, theirs = (float(np.isin(segment, _QUIET[law]).mean()) for law in (encoding, other))
        if theirs > 0.3 and theirs > 4 * own:
            return other
    return ""


# --- headers ---------------------------------------------------------------------------------------------------

_PCM, _FLOAT, _ALAW, _MULAW, _EXTENSIBLE = 0x0001, 0x0003, 0x0006, 0x0007, 0xFFFE
_SUBFORMAT_TAILS: Final = (
    bytes.fromhex("000000001000800000aa00389b71"),  # KSDATAFORMAT_SUBTYPE_*
    bytes.fromhex("00002107d3118644c8c1ca000000"),  # the same for Ambisonic B-format
)
_CODECS: Final = {0x0002: "adpcm_ms", 0x0011: "adpcm_ima_wav", 0x0031: "gsm", 0x0050: "mp2", 0x0055: "mp3",
                  0x0064: "g726", 0x0065: "g722", 0x0161: "wmav2", 0x706D: "aac"}  # fmt: skip
_W64_RIFF: Final = bytes.fromhex("726966662e91cf11a5d628db04c10000")
_W64_TAIL: Final = bytes.fromhex("f3acd3118cd100c04f8edb8a")  # behind "wave", "fmt ", "data" ...
_KNOWN: Final = frozenset(
    (
        b"LIST list fact bext smpl inst JUNK junk FLLR iXML axml chna PEAK acid cart afsp umid levl plst labl note "
        b"DISP minf elm1 regn SAUR _PMX aXML strc CSET LGWV Xtra SMED slnt wavl data ds64 RIFF"
    ).split()
) | {b"fmt ", b"cue ", b"PAD ", b"id3 ", b"ID3 ", b"MD5 "}
# ^ a chunk of one of these names ends the sound whatever the sizes say
_TRAILERS: Final = (b"TAG", b"ID3", b"APETAGEX", b"LYRICSBEGIN")  # tags that taggers append
_NEAR: Final = 65536  # placeholder sizes are 2**31 or 2**32 less a header
_LONGEST_JUNK: Final = 1 << 20  # how far to look for the data chunk behind a broken one
HIGHEST_RATE_HZ: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class WavLayout:
    """Where the samples of a WAV file lie and what they are.

    ``encoding`` is None for a codec that is no plain sample format; ``codec`` then names it.
    """

    container: str
    sr: int
    n_channels: int
    encoding: str | None
    codec: str
    data_offset: int
    n_samples: int  # whole frames really there; 0 for a codec
    sizes_hold: bool  # the header's data size is the size really there
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class _Dialect:
    """How chunks are written: RIFF (4-byte names, 4-byte sizes) or Wave64 (GUIDs, 8-byte sizes)."""

    order: str
    wide: bool

    @property
    def header_bytes(self) -> int:
        return 24 if self.wide else 8

    def head(self, f: BinaryIO, at: int) -> tuple[bytes, int] | None:
        """Name and payload size of the chunk at `at`, or None where no chunk can start."""
        if at >= 2**62:  # a size that no file has
            return None
        f.seek(at)
        raw = f.read(self.header_bytes)
        if len(raw) < self.header_bytes:
            return None
        if self.wide:
            if raw[4:16] != _W64_TAIL:
                return (b"RIFF", 0) if raw[:16] == _W64_RIFF else None
            size = int.from_bytes(raw[16:24], "little")
            return raw[:4], max(0, size - 24)
        if not all(0x20 <= byte < 0x7F for byte in raw[:4]):
            return None
        return raw[:4], int(struct.unpack(self.order + "I", raw[4:8])[0])

    def known(self, f: BinaryIO, at: int) -> bool:
        found = self.head(f, at)
        return found is not None and (self.wide or found[0] in _KNOWN)

    def after(self, f: BinaryIO, end: int) -> int:
        """Where the chunk behind one that ends at `end` starts: padded, or not where a writer forgot the pad byte."""
        padded = end + (-end % 8 if self.wide else end & 1)
        if padded != end and not self.known(f, padded) and self.known(f, end):
            return end
        return padded

    def closes(self, f: BinaryIO, at: int, size: int) -> bool:
        """Whether chunks follow one another from `at` exactly to the end of the file."""
        for _ in range(10_000):
            found = self.head(f, at)
            if found is None:
                return False
            end = at + self.header_bytes + found[1]
            if end in (size, size + 1) or (self.wide and size <= end < size + 8):
                return True
            if end > size:
                return False
            at = self.after(f, end)
            if at >= size:
                return True
        return False


@dataclass(slots=True)
class _Data:
    at: int
    declared: int


def _u16(raw: bytes, at: int, order: str) -> int:
    return int(struct.unpack_from(order + "H", raw, at)[0])


def parse_wav(f: BinaryIO, size: int, name: str, *, base: int = 0) -> WavLayout:
    """Read the header of a WAV file by walking its chunks in whatever order they come.

    Parameters
    ----------
    f : binary file
    size : int
        Bytes in the file.
    name : str
        The file, as messages name it.
    base : int
        Where the WAV file begins in `f`, e.g. behind a tag.

    Raises
    ------
    InputError
        If the header cannot be read: it ends early, has no format or no data, or says what cannot be.
    """
    f.seek(base)
    start = f.read(16)
    magic = start[:4]
    wide = start == _W64_RIFF
    dialect = _Dialect(">" if magic == b"RIFX" else "<", wide)
    container = (
        "w64" if wide else {b"RF64": "rf64", b"BW64": "bw64", b"RIFX": "rifx"}.get(magic, "wav")
    )
    fmt: bytes | None = None
    data: _Data | None = None
    long_size: int | None = None  # of the data, from a ds64 chunk
    odd: list[str] = []
    at = base + (40 if wide else 12)
    while (found := dialect.head(f, at)) is not None:
        chunk, payload = found
        body = at + dialect.header_bytes
        if chunk == b"data" and (data is None or data.declared == 0):
            if data is not None and payload:
                odd.append("an empty data chunk stands before the one that holds the sound")
            declared = payload
            if long_size is not None and payload == 0xFFFFFFFF:
                declared = long_size
            data = _Data(body, declared)
            if fmt is not None and not (declared == 0 and dialect.known(f, dialect.after(f, body))):
                break
            payload = declared
        elif chunk == b"fmt " and fmt is None:
            f.seek(body)
            fmt = f.read(min(payload, 64))
            if data is not None and data.declared:
                break
        elif chunk == b"ds64" and not wide:
            f.seek(body)
            sizes = f.read(min(payload, 24))
            if len(sizes) >= 16:
                long_size = int.from_bytes(sizes[8:16], "little")
        end = body + payload
        if end > size and data is None:
            marker = _find_data(f, body, dialect)
            if marker is None:
                break
            odd.append(
                f"chunk {_shown(chunk)} claims {payload} bytes of {max(0, size - body)} that are left"
            )
            at = marker
            continue
        at = dialect.after(f, end)
    if fmt is None or data is None:
        missing = "fmt" if fmt is None else "data"
        raise InputError(
            f"{name}: a {container} file must have a fmt and a data chunk, no {missing} chunk was found "
            f"in its {size} bytes"
        )
    sr, n_channels, encoding, codec, width = _parse_fmt(fmt, dialect.order, name, odd)
    frame = width * n_channels
    n_bytes, findings, sizes_hold = _really_there(f, size, data, dialect, max(1, frame), name)
    n_samples, rest = divmod(n_bytes, frame) if encoding else (0, 0)
    if rest:
        findings.append(
            Finding(
                "partial_frame",
                f"{name}: the sound must be whole frames of {frame} bytes, the last {rest} of {n_bytes} bytes "
                f"are a part of one and were left out",
                count=rest,
            )
        )
    findings.extend(Finding("header_odd", f"{name}: {what}") for what in odd)
    return WavLayout(
        container, sr, n_channels, encoding, codec, data.at, n_samples, sizes_hold, tuple(findings)
    )


def _shown(chunk: bytes) -> str:
    return repr(chunk.decode("latin-1"))


def _find_data(f: BinaryIO, at: int, dialect: _Dialect) -> int | None:
    f.seek(at)
    behind = f.read(_LONGEST_JUNK)
    found = behind.find(b"data" + (_W64_TAIL if dialect.wide else b""))
    return None if found < 0 else at + found


def _parse_fmt(
    fmt: bytes, order: str, name: str, odd: list[str]
) -> tuple[int, int, str | None, str, int]:
    """Rate, channels, encoding (None for a codec), the codec's name, and bytes per sample."""
    if len(fmt) < 14:
        raise InputError(f"{name}: a fmt chunk must have at least 14 bytes, got {len(fmt)}")
    tag, n_channels, sr, _, align = struct.unpack(order + "HHIIH", fmt[:14])
    bits = _u16(fmt, 14, order) if len(fmt) >= 16 else 0
    if not 1 <= sr <= HIGHEST_RATE_HZ or n_channels < 1:
        raise InputError(
            f"{name}: a header must give 1 to {HIGHEST_RATE_HZ} Hz and at least one channel, "
            f"it gives {sr} Hz and {n_channels} channels"
        )
    if tag == _EXTENSIBLE:
        if len(fmt) < 40:
            raise InputError(f"{name}: an extensible fmt chunk must have 40 bytes, got {len(fmt)}")
        tag = _u16(fmt, 24, order)
        if fmt[26:40] not in _SUBFORMAT_TAILS and order == "<":
            tag = -1
    whole = -(-bits // 8)
    width = whole
    if tag in (_PCM, _FLOAT):
        container = align // n_channels if align % n_channels == 0 else 0
        if container != whole:
            odd.append(f"{align} bytes per frame do not fit {n_channels} channels of {bits} bits")
            if not whole or (whole, container) == (3, 4):
                width = container  # up to 24 bits in 4 bytes, most significant first
    end = "le" if order == "<" else "be"
    encodings = {
        (_PCM, 1): "pcm_u8",
        (_PCM, 2): f"pcm_s16{end}",
        (_PCM, 3): f"pcm_s24{end}",
        (_PCM, 4): f"pcm_s32{end}",
        (_FLOAT, 4): f"pcm_f32{end}",
        (_FLOAT, 8): f"pcm_f64{end}",
    }
    if tag in (_MULAW, _ALAW):
        return sr, n_channels, "pcm_mulaw" if tag == _MULAW else "pcm_alaw", "", 1
    encoding = encodings.get((tag, width))
    if tag in (_PCM, _FLOAT) and encoding is None:
        raise InputError(
            f"{name}: samples must have 8, 16, 24 or 32 bits, or 32 or 64 as floating point, the header gives "
            f"{bits} bits, {align} bytes per frame, format tag {tag}"
        )
    codec = (
        "" if encoding else _CODECS.get(tag, f"format tag {tag:#06x}" if tag >= 0 else "subformat")
    )
    return sr, n_channels, encoding, codec, width


def _really_there(
    f: BinaryIO, size: int, data: _Data, dialect: _Dialect, frame: int, name: str
) -> tuple[int, list[Finding], bool]:
    """Bytes of sound behind the data header, what to say of it, and whether the header's size holds."""
    rest = max(0, size - data.at)
    declared = data.declared
    if declared == 0:
        if rest < frame or dialect.known(f, data.at) or dialect.closes(f, data.at, size):
            return 0, [], True
        return _to_the_end(f, size, data, dialect, "0", name)
    if declared == rest:
        return rest, [], True
    if declared > rest:
        if dialect.wide or declared > 0xFFFFFFFF:
            placeholder = declared >= 2**62 - 24
        else:
            placeholder = min(abs(declared - 2**31), abs(declared - 2**32)) <= _NEAR
        if placeholder:
            return _to_the_end(f, size, data, dialect, f"{declared:#x}", name)
        end = _before_tail(f, size, data.at, dialect)
        if end < size:
            return end - data.at, [_wrong(name, declared, end - data.at)], False
        finding = Finding(
            "truncated",
            f"{name}: the header announces {declared} bytes of sound, the file ends after {rest}: what came "
            f"later is lost",
            spoils=("absence",),
            count=declared - rest,
        )
        return rest, [finding], False
    end = data.at + declared
    if _ends_here(f, size, end, dialect):
        return declared, [], True
    real = _before_tail(f, size, end, dialect) - data.at
    return real, [_wrong(name, declared, real)], False


def _wrong(name: str, declared: int, real: int) -> Finding:
    return Finding(
        "wrong_length",
        f"{name}: the header announces {declared} bytes of sound, {real} are there and were read",
        count=real - declared,
    )


def _to_the_end(
    f: BinaryIO, size: int, data: _Data, dialect: _Dialect, claim: str, name: str
) -> tuple[int, list[Finding], bool]:
    n_bytes = _before_tail(f, size, data.at, dialect) - data.at
    finding = Finding(
        "unknown_length",
        f"{name}: the header gives {claim} as size of the sound, which is no length (a stream, or a recorder that was "
        f"stopped): the {n_bytes} bytes really there were read",
        spoils=("absence",) if claim == "0" else (),
    )
    return n_bytes, [finding], False


def _ends_here(f: BinaryIO, size: int, end: int, dialect: _Dialect) -> bool:
    """Whether what follows the declared end of the sound is something else than sound."""
    follows = dialect.after(f, end)
    if follows >= size or size - end < (8 if dialect.wide else 2):
        return True
    if dialect.known(f, follows) or dialect.closes(f, follows, size):
        return True
    f.seek(end)
    behind = f.read(_NEAR + 1)
    if behind[follows - end :].startswith(_TRAILERS) or behind.startswith(_TRAILERS):
        return True
    return len(behind) <= _NEAR and not any(behind)  # zeros that fill up a block


def _before_tail(f: BinaryIO, size: int, at: int, dialect: _Dialect) -> int:
    """Where the sound ends when no size says so: at the end of the file, or before chunks that close it."""
    first = max(at, size - _NEAR)
    f.seek(first)
    tail = f.read(size - first)
    if dialect.wide:
        places = [found.start() - 4 for found in re.finditer(re.escape(_W64_TAIL), tail)]
    else:
        names = b"|".join(re.escape(known) for known in sorted(_KNOWN))
        places = [found.start() for found in re.finditer(names, tail)]
    for place in places:
        if place >= 0 and dialect.closes(f, first + place, size):
            return first + place
    return size


# --- writing ---------------------------------------------------------------------------------------------------


def wav_header(sr: int, n_channels: int, encoding: str, n_samples: int) -> bytes:
    """The header of a WAV file of `n_samples` frames; an RF64 header where the sizes need more than 32 bits."""
    width = WIDTHS[encoding]
    n_bytes = n_samples * n_channels * width
    tags = {"pcm_mulaw": _MULAW, "pcm_alaw": _ALAW}
    tag = tags.get(encoding, _FLOAT if "_f" in encoding else _PCM)
    align = n_channels * width
    fmt = struct.pack("<HHIIHH", tag, n_channels, sr, sr * align, align, 8 * width)
    chunks = b""
    if tag != _PCM:
        fmt += b"\0\0"  # no extra fields
    chunks += b"fmt " + struct.pack("<I", len(fmt)) + fmt
    if tag != _PCM:
        chunks += b"fact" + struct.pack("<II", 4, min(n_samples, 0xFFFFFFFF))
    total = 4 + len(chunks) + 8 + n_bytes + (n_bytes & 1)
    if total <= 0xFFFFFFFF:
        return (
            b"RIFF"
            + struct.pack("<I", total)
            + b"WAVE"
            + chunks
            + b"data"
            + struct.pack("<I", n_bytes)
        )
    sizes = struct.pack("<QQQI", total + 36, n_bytes, n_samples, 0)
    head = (
        b"RF64" + struct.pack("<I", 0xFFFFFFFF) + b"WAVE" + b"ds64" + struct.pack("<I", 28) + sizes
    )
    return head + chunks + b"data" + struct.pack("<I", 0xFFFFFFFF)
