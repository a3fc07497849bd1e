"""G.711 companding and frame loss: loops and tables. Importing this loads numpy and nothing else.

Rec. ITU-T G.711 (11/1988). With ``m`` the magnitude of a sample on the scale of int16, one's complement for
negative samples, both laws are the leading bits of a floating-point number: mu-law of ``m + 132``, A-law of
``m``. One's complement is what sends an input that lies exactly on a decision value up, towards +infinity, on
both sides of zero, as the software tools of Rec. ITU-T G.191 do.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt

Int16 = npt.NDArray[np.int16]
UInt8 = npt.NDArray[np.uint8]

MULAW_SILENCE: Final = 0xFF  # the code of 0
ALAW_SILENCE: Final = 0xD5


def _mulaw_decode_table() -> Int16:
    code = ~np.arange(256) & 0xFF
    magnitude = ((((code & 0x0F) << 3) + 132) << (code >> 4 & 7)) - 132
    return np.where(code & 0x80, -magnitude, magnitude).astype(np.int16)


def _alaw_decode_table() -> Int16:
    code = np.arange(256) ^ 0x55
    segment = code >> 4 & 7
    step = ((code & 0x0F) << 4) + 8
    magnitude = np.where(segment > 0, (step + 256) << np.maximum(segment - 1, 0), step)
    return np.where(code & 0x80, magnitude, -magnitude).astype(np.int16)


def _frozen(table: npt.NDArray[Any]) -> npt.NDArray[Any]:
    table.flags.writeable = False
    return table


MULAW_DECODE: Final[Int16] = _frozen(_mulaw_decode_table())  # shape (256,), int16 of every code
ALAW_DECODE: Final[Int16] = _frozen(_alaw_decode_table())


@cache
def mulaw_encode_table() -> UInt8:
    """The mu-law code of every int16 sample, at the sample's index as uint16; shape (65536,), read-only."""
    x = np.arange(65536, dtype=np.uint16).view(np.int16).astype(np.int32)
    biased = np.minimum(x ^ (x >> 15), 32635) + 132
    leading = (biased.astype(np.float32).view(np.int32) >> 19) - (134 << 4)
    return _frozen((~(leading | (x >> 15 & 0x80)) & 0xFF).astype(np.uint8))


@cache
def alaw_encode_table() -> UInt8:
    """The A-law code of every int16 sample, at the sample's index as uint16; shape (65536,), read-only."""
    x = np.arange(65536, dtype=np.uint16).view(np.int16).astype(np.int32)
    magnitude = x ^ (x >> 15)
    leading = (magnitude.astype(np.float32).view(np.int32) >> 19) - (134 << 4)
    leading = np.where(magnitude < 256, magnitude >> 4, leading)
    return _frozen(((leading | (~x >> 15 & 0x80)) ^ 0x55).astype(np.uint8))


def encode_plain(x: Int16, table: UInt8) -> UInt8:
    """Codes of `x` by table, in numpy alone; any shape."""
    return table[x.view(np.uint16)]


def decode_plain(codes: UInt8, table: Int16) -> Int16:
    """Samples of `codes` by table, in numpy alone; any shape."""
    return table[codes]


def quantise_plain(y: npt.NDArray[np.floating]) -> tuple[Int16, int]:
    """Samples of full scale 1.0 as int16, rounded and saturated, and how many of them did not fit.

    The one conversion rule: ``x / 32768`` in, ``rint(32768 y)`` limited to [-32768, 32767] out.
    """
    scaled = np.rint(y * y.dtype.type(32768))
    clipped = int(np.count_nonzero((scaled < -32768) | (scaled > 32767)))
    return np.clip(scaled, -32768, 32767).astype(np.int16), clipped
