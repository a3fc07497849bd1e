"""The protocols that engines implement."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from s2sverify.types import EngineInfo, Transcript


@runtime_checkable
class Transcriber(Protocol):
    """Speech to text. Every implementation passes ``tests/engine_contract.py``:

    - `x` is mono float32, shape (n,), any n >= 0, and is left unmodified; `sr` is in ``info.rates_hz``.
    - Word times are seconds from the start of `x`, ordered, inside [0, n / sr].
    - No speech gives a transcript without words: not an error, not a guess.
    - Calls do not influence one another.
    - A failure of the backend leaves as `EngineError`, its cause attached.
    """

    @property
    def info(self) -> EngineInfo: ...

    def transcribe(
        self, x: npt.NDArray[np.float32], sr: int, *, language: str | None = None
    ) -> Transcript: ...
