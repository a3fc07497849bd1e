"""The phone line: companding, resampling, band, noise, loss, and conditions made of them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from s2sverify._arrays import as_rate
from s2sverify.errors import InputError
from s2sverify.kernels.line import (
    ALAW_DECODE,
    MULAW_DECODE,
    alaw_encode_table,
    decode_plain,
    encode_plain,
    mulaw_encode_table,
    quantise_plain,
)

Int16 = npt.NDArray[np.int16]
UInt8 = npt.NDArray[np.uint8]


def _as_int16(x: npt.ArrayLike) -> Int16:
    """`x` on the scale of int16: integers as they are, float of full scale 1.0 rounded and saturated."""
    samples = np.asarray(x)
    if samples.dtype == np.int16:
        return np.ascontiguousarray(samples)
    if samples.dtype in (np.float32, np.float64):
        if not np.isfinite(samples).all():
            raise InputError("x must be finite, got NaN or infinite samples")
        return quantise_plain(samples)[0]
    if samples.size == 0 or (
        samples.dtype.kind in "iu" and samples.min() >= -32768 and samples.max() <= 32767
    ):
        return samples.astype(np.int16)
    raise InputError(
        f"x must be int16, or float32 or float64 with full scale 1.0, got {samples.dtype}"
    )


def _as_codes(codes: npt.ArrayLike | bytes) -> UInt8:
    if isinstance(codes, bytes | bytearray | memoryview):
        return np.frombuffer(codes, dtype=np.uint8)
    array = np.asarray(codes)
    if array.dtype == np.uint8:
        return array
    if array.size == 0 or (array.dtype.kind in "iu" and array.min() >= 0 and array.max() <= 255):
        return array.astype(np.uint8)
    raise InputError(f"codes must be uint8 or bytes, got {array.dtype}")


def mulaw_encode(x: npt.ArrayLike) -> UInt8:
    """Encode samples with the mu-law of Rec. ITU-T G.711.

    Parameters
    ----------
    x : array-like of int16 or float, any shape
        Floating point has full scale 1.0 and is rounded to int16 first, saturating.

    Returns
    -------
    uint8 array of the shape of `x`

    Raises
    ------
    InputError
        If `x` is neither int16 nor float, or not finite.
    """
    return encode_plain(_as_int16(x), mulaw_encode_table())


def mulaw_decode(codes: npt.ArrayLike | bytes) -> Int16:
    """Decode mu-law codes of Rec. ITU-T G.711 to int16; 0x7F and 0xFF are both 0.

    Raises
    ------
    InputError
        If `codes` are neither uint8 nor bytes.
    """
    return decode_plain(_as_codes(codes), MULAW_DECODE)


def alaw_encode(x: npt.ArrayLike) -> UInt8:
    """Encode samples with the A-law of Rec. ITU-T G.711; see `mulaw_encode`."""
    return encode_plain(_as_int16(x), alaw_encode_table())


def alaw_decode(codes: npt.ArrayLike | bytes) -> Int16:
    """Decode A-law codes of Rec. ITU-T G.711 to int16; see `mulaw_decode`."""
    return decode_plain(_as_codes(codes), ALAW_DECODE)


def resample(y: npt.ArrayLike, sr: int, to_hz: int) -> npt.NDArray[np.floating]:
    """Resample along the last axis, without delay.

    Parameters
    ----------
    y : array-like of float32 or float64, shape (n,) or (channel, n)
    sr, to_hz : int
        Rates in Hz.

    Returns
    -------
    array of the dtype of `y`, shape (..., m)
        ``m = round(n * to_hz / sr)``.

    Raises
    ------
    InputError
        If `y` is not finite floating point of one or two dimensions, or a rate is not a whole number.
    """
    sr, to_hz = as_rate(sr), as_rate(to_hz, name="to_hz")
    x = np.asarray(y)
    if x.ndim not in (1, 2) or x.dtype not in (np.float32, np.float64):
        raise InputError(
            f"y must be float32 or float64 of shape (n,) or (channel, n), got {x.dtype} {x.shape}"
        )
    if not np.isfinite(x).all():
        raise InputError("y must be finite, got NaN or infinite samples")
    if sr == to_hz or x.size == 0:
        return x.copy()
    import soxr

    if x.ndim == 1:
        return np.asarray(soxr.resample(x, sr, to_hz, quality="HQ"))
    return np.stack([soxr.resample(row, sr, to_hz, quality="HQ") for row in x])
