"""Checks at the border: shape, dtype, finiteness, sampling rate."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from s2sverify.errors import InputError

Float32 = npt.NDArray[np.float32]


def as_mono(y: npt.ArrayLike, *, name: str = "y", finite: bool = True) -> npt.NDArray[np.floating]:
    """Give back `y` as a contiguous float32 or float64 array of shape (n,), without copying where possible.

    With ``finite=False`` the caller looks for NaN and infinities in what it makes of `y`.

    Raises
    ------
    InputError
        If `y` is not one-dimensional, not floating point, or holds a NaN or an infinity.
    """
    x = np.asarray(y)
    if x.ndim != 1:
        raise InputError(f"{name} must have shape (n,), got {x.shape}")
    if x.dtype not in (np.float32, np.float64):
        raise InputError(f"{name} must be float32 or float64 with full scale 1.0, got {x.dtype}")
    with np.errstate(over="ignore", invalid="ignore"):
        doubtful = finite and x.size > 0 and not np.isfinite(x.sum())
    if doubtful:
        bad = np.flatnonzero(~np.isfinite(x))
        if bad.size:
            raise InputError(
                f"{name} must be finite, got {bad.size} NaN or infinite samples, the first at {bad[0]}"
            )
    return np.ascontiguousarray(x)


def as_rate(sr: object, *, name: str = "sr", lowest: int = 1) -> int:
    """Give back `sr` as a positive int.

    Raises
    ------
    InputError
        If `sr` is not a whole number of Hz of at least `lowest`.
    """
    if isinstance(sr, bool) or not isinstance(sr, int | np.integer) or sr < lowest:
        raise InputError(f"{name} must be a whole number of Hz, at least {lowest}, got {sr!r}")
    return int(sr)


def is_number(value: object) -> bool:
    """Whether `value` is a real number; True and False are none."""
    return isinstance(value, int | float | np.number) and not isinstance(value, bool)


def is_whole(value: object, *, lowest: int = 0) -> bool:
    """Whether `value` is a whole number of at least `lowest`; True and False are none."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        return False
    return int(value) >= lowest


def is_text(value: object) -> bool:
    """Whether `value` is a str."""
    return isinstance(value, str)


def as_rng(rng: int | np.random.Generator | None, *, name: str = "rng") -> np.random.Generator:
    """A generator from a seed or a generator; there is no hidden default.

    Raises
    ------
    InputError
        If `rng` is neither a non-negative int nor a Generator.
    """
    if isinstance(rng, np.random.Generator):
        return rng
    if isinstance(rng, bool) or not isinstance(rng, int | np.integer) or rng < 0:
        raise InputError(f"{name} must be a seed (int >= 0) or a numpy Generator, got {rng!r}")
    return np.random.default_rng(int(rng))
