"""Companding of Rec. ITU-T G.711, and the one rule by which float and int16 become each other.

``x / 32768`` in; rounded to the nearest step and saturated out, with the samples counted that did not fit. So
int16 to float to int16 is the identity, and companding float is companding its int16.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
import numpy.typing as npt

from s2sverify.errors import InputError
from s2sverify.kernels import line as loops

Law = Literal["mulaw", "alaw"]
Int16 = npt.NDArray[np.int16]
UInt8 = npt.NDArray[np.uint8]
Float32 = npt.NDArray[np.float32]

SILENCE_CODE: Final = {"mulaw": loops.MULAW_SILENCE, "alaw": loops.ALAW_SILENCE}


def as_law(law: str, *, name: str = "law") -> Law:
    """`law` itself; there is no default, as a wrong law is loud noise.

    Raises
    ------
    InputError
        If it is neither ``"mulaw"`` nor ``"alaw"``.
    """
    if law == "mulaw":
        return "mulaw"
    if law == "alaw":
        return "alaw"
    raise InputError(f'{name} must be "mulaw" or "alaw", got {law!r}')


@dataclass(frozen=True, slots=True, eq=False)
class Pcm16:
    """Samples as int16, and how many of them did not fit."""

    x: Int16
    clipped_samples: int


def to_int16(y: npt.ArrayLike) -> Pcm16:
    """Round samples of full scale 1.0 to int16, saturating.

    Parameters
    ----------
    y : array-like of float32 or float64, any shape; int16 passes as it is
        Full scale 1.0.

    Returns
    -------
    Pcm16
        ``rint(32768 y)`` limited to [-32768, 32767], halves to even, and the count of limited samples.

    Raises
    ------
    InputError
        If `y` is neither int16 nor floating point, or not finite.
    """
    samples = np.asarray(y)
    if samples.dtype == np.int16:
        return Pcm16(samples, 0)
    if samples.dtype not in (np.float32, np.float64):
        if samples.size == 0:
            return Pcm16(samples.astype(np.int16), 0)
        if samples.dtype.kind in "iu" and samples.min() >= -32768 and samples.max() <= 32767:
            return Pcm16(samples.astype(np.int16), 0)  # a list of whole numbers
        raise InputError(
            f"x must be int16, or float32 or float64 with full scale 1.0, got {samples.dtype}"
        )
    if samples.size and not np.isfinite(samples.sum()) and not np.isfinite(samples).all():
        raise InputError(
            f"x must be finite, got {np.count_nonzero(~np.isfinite(samples))} NaN or infinite samples"
        )
    if not loops.quantise.earned(samples.size):
        return Pcm16(*loops.quantise_plain(samples))
    flat, x = np.ascontiguousarray(samples).reshape(-1), np.empty(samples.shape, dtype=np.int16)
    return Pcm16(x, int(loops.quantise(flat, x.reshape(-1))))


def to_float(x: npt.ArrayLike) -> Float32:
    """int16 samples as float32 of full scale 1.0: divided by 32768, which is exact.

    Raises
    ------
    InputError
        If `x` is not int16.
    """
    samples = np.asarray(x)
    if samples.dtype != np.int16:
        raise InputError(f"x must be int16, got {samples.dtype}")
    y: Float32 = np.multiply(samples, np.float32(1 / 32768), dtype=np.float32)
    return y


def as_codes(codes: npt.ArrayLike | bytes, *, name: str = "codes") -> UInt8:
    """G.711 codes as a uint8 array; bytes are taken as they are.

    Raises
    ------
    InputError
        If `codes` are neither bytes nor whole numbers in [0, 255].
    """
    if isinstance(codes, bytes | bytearray | memoryview):
        return np.frombuffer(codes, dtype=np.uint8)
    array = np.asarray(codes)
    if array.dtype == np.uint8:
        return array
    if array.size == 0 or (array.dtype.kind in "iu" and array.min() >= 0 and array.max() <= 255):
        return array.astype(np.uint8)
    raise InputError(f"{name} must be uint8 or bytes, got {array.dtype}")


def encode(x: npt.ArrayLike, law: Law) -> tuple[UInt8, int]:
    """Codes of `x` under `law`, and the count of samples beyond full scale."""
    pcm = to_int16(x)
    table = loops.mulaw_encode_table() if law == "mulaw" else loops.alaw_encode_table()
    if not loops.encode.earned(pcm.x.size):
        return loops.encode_plain(np.ascontiguousarray(pcm.x), table), pcm.clipped_samples
    flat, codes = np.ascontiguousarray(pcm.x).reshape(-1), np.empty(pcm.x.shape, dtype=np.uint8)
    loops.encode(flat.view(np.uint16), table, codes.reshape(-1))
    return codes, pcm.clipped_samples


def decode(codes: npt.ArrayLike | bytes, law: Law) -> Int16:
    """int16 samples of `codes` under `law`."""
    array = as_codes(codes)
    table = loops.MULAW_DECODE if law == "mulaw" else loops.ALAW_DECODE
    loop = loops.decode_mulaw if law == "mulaw" else loops.decode
    if not loop.earned(array.size):
        return loops.decode_plain(array, table)
    flat, x = np.ascontiguousarray(array).reshape(-1), np.empty(array.shape, dtype=np.int16)
    if law == "mulaw":
        loop(flat, x.reshape(-1))
    else:
        loop(flat, table, x.reshape(-1))
    return x


def through(y: Float32, law: Law) -> tuple[Float32, int]:
    """`y` encoded and decoded again, full scale 1.0, and the count of samples beyond full scale."""
    pcm = to_int16(y)
    return loops.through_table(law)[pcm.x.view(np.uint16)], pcm.clipped_samples


def mulaw_encode(x: npt.ArrayLike) -> UInt8:
    """Encode samples with the mu-law of Rec. ITU-T G.711.

    Parameters
    ----------
    x : array-like of int16 or float, any shape
        Floating point has full scale 1.0 and is rounded to int16 first, saturating.

    Returns
    -------
    uint8 array of the shape of `x`
        A sample exactly on a decision value is rounded up, towards +infinity, as in Rec. ITU-T G.191.

    Raises
    ------
    InputError
        If `x` is neither int16 nor float, or not finite.

    References
    ----------
    Rec. ITU-T G.711 (11/1988), tables 2a and 2b.
    """
    return encode(x, "mulaw")[0]


def mulaw_decode(codes: npt.ArrayLike | bytes) -> Int16:
    """Decode mu-law codes of Rec. ITU-T G.711.

    Parameters
    ----------
    codes : array-like of uint8, any shape, or bytes

    Returns
    -------
    int16 array of the shape of `codes`
        On the scale of int16, up to 32124; 0x7F and 0xFF are both 0, so encoding again gives 0xFF for either.

    Raises
    ------
    InputError
        If `codes` are neither uint8 nor bytes.
    """
    return decode(codes, "mulaw")


def alaw_encode(x: npt.ArrayLike) -> UInt8:
    """Encode samples with the A-law of Rec. ITU-T G.711; otherwise as `mulaw_encode`.

    Raises
    ------
    InputError
        If `x` is neither int16 nor float, or not finite.
    """
    return encode(x, "alaw")[0]


def alaw_decode(codes: npt.ArrayLike | bytes) -> Int16:
    """Decode A-law codes of Rec. ITU-T G.711, up to 32256 on the scale of int16; otherwise as `mulaw_decode`.

    Raises
    ------
    InputError
        If `codes` are neither uint8 nor bytes.
    """
    return decode(codes, "alaw")


class G711Encoder:
    """Encode a stream of arrays, or of little-endian 16-bit PCM bytes in chunks of any length.

    Parameters
    ----------
    law : {"mulaw", "alaw"}

    Attributes
    ----------
    clipped_samples : int
        Samples beyond full scale so far.
    odd_bytes : int
        1 while half a sample waits for its second byte; if so at the end of a stream, the stream was cut.
    """

    def __init__(self, law: str) -> None:
        self.law = as_law(law)
        self.clipped_samples = 0
        self._half = b""

    @property
    def odd_bytes(self) -> int:
        return len(self._half)

    def push(self, x: npt.ArrayLike | bytes) -> UInt8:
        """Codes of the next samples.

        Raises
        ------
        InputError
            If `x` is neither bytes nor int16 or float samples, or not finite.
        """
        if isinstance(x, bytes | bytearray | memoryview):
            data = self._half + bytes(x)
            even = len(data) // 2 * 2
            self._half = data[even:]
            x = np.frombuffer(data, dtype="<i2", count=even // 2).astype(np.int16)
        codes, clipped = encode(x, self.law)
        self.clipped_samples += clipped
        return codes


class G711Decoder:
    """Decode a stream of codes; one code is one sample, so the chunks do not matter.

    Parameters
    ----------
    law : {"mulaw", "alaw"}
    """

    def __init__(self, law: str) -> None:
        self.law = as_law(law)

    def push(self, codes: npt.ArrayLike | bytes) -> Int16:
        """int16 samples of the next codes.

        Raises
        ------
        InputError
            If `codes` are neither uint8 nor bytes.
        """
        return decode(codes, self.law)
