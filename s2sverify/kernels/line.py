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

from s2sverify.kernels._lazy import kernel

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


@cache
def through_table(law: str) -> npt.NDArray[np.float32]:
    """Every int16 sample encoded and decoded again, full scale 1.0, at its index as uint16; shape (65536,)."""
    mulaw = law == "mulaw"
    decoded = MULAW_DECODE[mulaw_encode_table()] if mulaw else ALAW_DECODE[alaw_encode_table()]
    return _frozen(decoded.astype(np.float32) / np.float32(32768))


@kernel(patience=1 << 24)
def encode(x, table, codes):  # type: ignore[no-untyped-def]
    """Write the code of every sample to `codes`.

    Parameters
    ----------
    x : uint16 array, shape (n,)
        int16 samples, seen as uint16.
    table : uint8 array, shape (65536,)
    codes : uint8 array, shape (n,)
    """
    for i in range(len(x)):
        codes[i] = table[x[i]]


@kernel(patience=1 << 24)
def decode_mulaw(codes, x):  # type: ignore[no-untyped-def]
    """Write the sample of every mu-law code to `x`: 33 steps of 4 below the mantissa, shifted by the segment.

    Parameters
    ----------
    codes : uint8 array, shape (n,)
    x : int16 array, shape (n,)
    """
    for i in range(len(codes)):
        code = np.int32(codes[i]) ^ np.int32(0xFF)
        step = ((code & np.int32(0x0F)) << np.int32(3)) + np.int32(132)
        magnitude = (step << (code >> np.int32(4) & np.int32(7))) - np.int32(132)
        sign = -(code >> np.int32(7))
        x[i] = np.int16((magnitude ^ sign) - sign)


@kernel(patience=1 << 24)
def decode(codes, table, x):  # type: ignore[no-untyped-def]
    """Write the sample of every code to `x`, by table; for mu-law `decode_mulaw` is faster.

    Parameters
    ----------
    codes : uint8 array, shape (n,)
    table : int16 array, shape (256,)
    x : int16 array, shape (n,)
    """
    for i in range(len(codes)):
        x[i] = table[codes[i]]


@kernel(patience=1 << 24)
def quantise(y, x):  # type: ignore[no-untyped-def]
    """Write samples of full scale 1.0 to `x` as int16, rounded and saturated; see `quantise_plain`.

    Parameters
    ----------
    y : float array, shape (n,)
    x : int16 array, shape (n,)

    Returns
    -------
    clipped : int
        How many samples did not fit.
    """
    clipped = 0
    for i in range(len(y)):
        scaled = np.rint(y[i] * np.float32(32768.0))
        limited = min(max(scaled, np.float32(-32768.0)), np.float32(32767.0))
        clipped += limited != scaled
        x[i] = np.int16(limited)
    return clipped


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


@kernel(patience=1 << 18)
def biquads(x, sections, state, out):  # type: ignore[no-untyped-def]
    """Pass `x` through second-order sections, in transposed direct form II.

    Parameters
    ----------
    x : float array, shape (n,)
    sections : float64 array, shape (k, 5)
        b0, b1, b2, a1, a2 of each section.
    state : float64 array, shape (k, 2)
        Updated.
    out : float array, shape (n,)
    """
    for i in range(len(x)):
        sample = x[i] * 1.0
        for k in range(len(sections)):
            row, held = sections[k], state[k]
            y = row[0] * sample + held[0]
            held[0] = row[1] * sample - row[3] * y + held[1]
            held[1] = row[2] * sample - row[4] * y
            sample = y
        out[i] = sample


def biquads_plain(
    x: npt.NDArray[np.floating],
    sections: npt.NDArray[np.float64],
    state: npt.NDArray[np.float64],
    out: npt.NDArray[np.floating],
) -> None:
    """`biquads` by the interpreter, on lists."""
    held, samples = state.tolist(), [0.0] * len(x)
    biquads.py_func(x.tolist(), sections.tolist(), held, samples)
    state[:], out[:] = held, samples


@kernel(patience=1 << 20)
def all_pole(x, a, memory):  # type: ignore[no-untyped-def]
    """Replace `x` by ``y[n] = x[n] - sum(a[k] y[n - 1 - k])``.

    Parameters
    ----------
    x : float64 array, shape (n,)
    a : float64 array, shape (k,)
    memory : float64 array, shape (k,)
        The outputs before, the latest first; updated.
    """
    order = len(a)
    for i in range(len(x)):
        y = x[i]
        for k in range(order):
            y -= a[k] * memory[k]
        for k in range(order - 1, 0, -1):
            memory[k] = memory[k - 1]
        memory[0] = y
        x[i] = y


def all_pole_plain(
    x: npt.NDArray[np.float64], a: npt.NDArray[np.float64], memory: npt.NDArray[np.float64]
) -> None:
    """`all_pole` by the interpreter, on lists."""
    samples, held = x.tolist(), memory.tolist()
    all_pole.py_func(samples, a.tolist(), held)
    x[:], memory[:] = samples, held
