"""What a file is, told from its first bytes and never from its name. Bytes that say nothing are not guessed at."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

_WAV_MAGIC: Final = (b"RIFF", b"RIFX", b"RF64", b"BW64", bytes.fromhex("726966662e91cf11"))
_SOUNDFILE_MAGIC: Final = {b"fLaC": "FLAC", b"OggS": "Ogg", b"FORM": "AIFF", b".snd": "AU", b"caff": "CAF",
                           b"NIST_1A": "NIST"}  # fmt: skip
_FFMPEG_MAGIC: Final = {
    b"\x1a\x45\xdf\xa3": "Matroska or WebM",
    b"#!AMR": "AMR",
    b"\x30\x26\xb2\x75\x8e\x66\xcf\x11": "ASF or WMA",
    b"FLV\x01": "Flash video",
    b"\x00\x00\x01\xba": "MPEG program stream",
    b"wvpk": "WavPack",
    b"MAC ": "Monkey's Audio",
    b"TTA1": "True Audio",
    b"tBaK": "TAK",
    b"MPCK": "Musepack",
    b".RMF": "RealMedia",
    b"#!SILK": "SILK",
    b"\x02#!SILK": "SILK",
    b"DSD ": "DSF",
    b"ADIF": "AAC",
    b"Creative Voice File": "VOC",
    b"\x0b\x77": "AC-3",
}
_NOT_SOUND: Final = {
    b"PK\x03\x04": "a ZIP archive",
    b"\x1f\x8b": "gzip data",
    b"%PDF": "a PDF document",
    b"\x89PNG": "a PNG image",
    b"\xff\xd8\xff": "a JPEG image",
    b"GIF8": "a GIF image",
    b"\x7fELF": "a program",
    b"version https://git-lfs": "a Git LFS pointer, not the file itself",
}
_MARKUP: Final = re.compile(rb"\s*<(!doctype|!--|html|head|body|\?xml|[a-z]+[\s>])", re.IGNORECASE)
_MEDIA_STREAM: Final = re.compile(rb'"event"\s*:\s*"(connected|start|media|mark|stop|dtmf|clear)"')
_BITRATES: Final = {
    (1, 1): (0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448),
    (1, 2): (0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384),
    (1, 3): (0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320),
    (2, 1): (0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256),
    (2, 2): (0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160),
    (2, 3): (0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160),
}  # kbit/s by MPEG version (2 stands for 2.5 as well) and layer, ISO/IEC 11172-3 and 13818-3


def mpeg_frame(head: bytes, at: int) -> int:
    """Bytes of the MPEG audio or ADTS frame whose header stands at `at`; 0 where none does."""
    if len(head) < at + 7 or head[at] != 0xFF or head[at + 1] & 0xE0 != 0xE0:
        return 0
    if head[at + 1] & 0xF6 == 0xF0:  # ADTS: layer 0
        if head[at + 2] >> 2 & 0xF > 12:
            return 0
        return (head[at + 3] & 3) << 11 | head[at + 4] << 3 | head[at + 5] >> 5
    version, layer = head[at + 1] >> 3 & 3, 4 - (head[at + 1] >> 1 & 3)
    rate_index, padding = head[at + 2] >> 2 & 3, head[at + 2] >> 1 & 1
    if version == 1 or layer == 4 or rate_index == 3 or not 0 < head[at + 2] >> 4 < 15:
        return 0
    family = 1 if version == 3 else 2
    rate = (44100, 48000, 32000)[rate_index] // {3: 1, 2: 2, 0: 4}[version]
    bitrate = 1000 * _BITRATES[family, layer][head[at + 2] >> 4]
    if layer == 1:
        return (12 * bitrate // rate + padding) * 4
    return (144 if layer == 2 or family == 1 else 72) * bitrate // rate + padding


def _mpeg(head: bytes) -> str:
    """What MPEG stream `head` starts with: three frames in a row, so that raw samples do not pass for one."""
    at, count = 0, 0
    while count < 3 and (size := mpeg_frame(head, at)) > 6:
        at, count = at + size, count + 1
        if at >= len(head):
            break
    if count < 3:
        return ""
    return "AAC" if head[1] & 0xF6 == 0xF0 else "MP3"


def _is_text(head: bytes) -> bool:
    if head.startswith((b"\xff\xfe", b"\xfe\xff")) and head[2:].count(0) > len(head) // 3:
        return True
    if any(byte < 0x20 and byte not in b"\t\n\r\f\x1b" for byte in head) or b"\x7f" in head:
        return False
    for short in range(4):  # the last character may be cut
        with suppress(UnicodeDecodeError):
            head[: len(head) - short].decode("utf-8")
            return True
    return False


@dataclass(frozen=True, slots=True)
class Kind:
    """What a file is: who reads it ("wav", "soundfile", "ffmpeg", "media stream"), or nobody, and in words."""

    reader: str
    what: str
    base: int = 0


def tell(head: bytes) -> Kind:
    """Tell from its first bytes what a file is.

    The reader is "" for what is no sound, and "unknown" for bytes that say nothing.
    """
    base = 0
    if head.startswith(b"ID3") and len(head) >= 10:
        base = 10 + (head[6] << 21 | head[7] << 14 | head[8] << 7 | head[9])
        inner = head[base : base + 12]
        if not inner.startswith((*_WAV_MAGIC, b"fLaC")):
            return Kind("soundfile", "MP3")
        if inner.startswith(b"fLaC"):
            return Kind("soundfile", "FLAC")
        head = head[base:]
    if head.startswith(_WAV_MAGIC[:4]):
        if head[8:12] == b"WAVE":
            return Kind("wav", "WAV", base)
        if head.startswith(b"RIFF") and head[8:11] == b"AVI":
            return Kind("ffmpeg", "AVI")
        return Kind("", f"a RIFF file of type {head[8:12]!r}, not WAVE")
    if head.startswith(_WAV_MAGIC[4]):
        return Kind("wav", "Wave64", base)
    for magic, what in _SOUNDFILE_MAGIC.items():
        if head.startswith(magic) and (magic != b"FORM" or head[8:11] in (b"AIF", b"8SV", b"16S")):
            return Kind("soundfile", what)
    if head[4:8] in (b"ftyp", b"moov", b"mdat", b"wide") and head[:1] == b"\0":
        return Kind("ffmpeg", "MP4")
    for magic, what in _FFMPEG_MAGIC.items():
        if head.startswith(magic) and (len(magic) > 2 or _ac3(head)):
            return Kind("ffmpeg", what)
    if head[:1] == b"G" and len(head) > 4 * 188 and all(head[188 * k] == 0x47 for k in range(5)):
        return Kind("ffmpeg", "MPEG transport stream")
    for magic, what in _NOT_SOUND.items():
        if head.startswith(magic):
            return Kind("", what)
    if stream := _mpeg(head):
        return Kind("ffmpeg" if stream == "AAC" else "soundfile", stream)
    if _MARKUP.match(head.removeprefix(b"\xef\xbb\xbf")):
        return Kind("", "an HTML or XML page")
    if head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"{", b"[")):
        if _MEDIA_STREAM.search(head):
            return Kind("media stream", "a media stream log")
        if _is_text(head):
            return Kind("", "JSON without media messages")
    if _is_text(head):
        return Kind("", "text")
    return Kind("unknown", "")


def _ac3(head: bytes) -> bool:
    """Whether a second AC-3 frame follows the first."""
    kbits = (32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512, 576, 640)
    index = head[4] & 0x3F if len(head) > 4 else 63
    if index >= 2 * len(kbits) or head[4] >> 6:  # 48 kHz only: what AC-3 is used at
        return False
    after = 4 * kbits[index // 2]
    return head[after : after + 2] == b"\x0b\x77"


def found_in(head: bytes) -> str:
    """The first bytes, to be shown."""
    if not head:
        return "nothing"
    start = head[:32].split(b"\n")[0] or head[:4]
    if all(0x20 <= byte < 0x7F for byte in start):
        return repr(start.decode("ascii"))
    return "bytes " + head[:8].hex(" ")
