"""An engine that answers from a script, for tests: no model, no cost, the same words every time."""

from __future__ import annotations

import hashlib
import json
import math
import os
import uuid
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from s2sverify._arrays import Float32, as_mono, as_rate
from s2sverify.errors import EngineError, InputError, VerifyError
from s2sverify.types import EngineInfo, Transcript, Word

if TYPE_CHECKING:
    from typing import TypeAlias

Said: TypeAlias = "str | Transcript | Sequence[Word]"
Listener: TypeAlias = "Callable[[Float32, int], Said]"

_RATES_HZ = (8_000, 11_025, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000)


@dataclass(frozen=True, slots=True, eq=False)
class _Clip:
    """Audio whose words are known."""

    samples: bytes  # float32
    sr: int
    words: tuple[Word, ...]


class ScriptedTranscriber:
    """Answers with the words that a script holds for the audio it is given.

    Parameters
    ----------
    script : iterable of (y, sr, said), or callable, optional
        Recordings of one channel and what is said in them. Any part of such a recording, found by its samples,
        is answered with the words whose middles lie in it; audio that is in none of them holds no words.
        ``said`` is a Transcript or words on the clock of `y`, or a text, whose words are then spread over the
        sound by their length. A callable is asked with ``(x, sr)`` and answers with any of these.
    name : str, optional
        What stands in ``info.name`` behind ``scripted:``.

    Raises
    ------
    InputError
        If an entry is not of this form.

    Examples
    --------
    >>> import numpy as np
    >>> y = np.random.default_rng(1).uniform(-0.1, 0.1, 8000).astype(np.float32)
    >>> engine = ScriptedTranscriber([(y, 8000, "your refund is fifteen dollars")])
    >>> engine.transcribe(y, 8000).text
    'your refund is fifteen dollars'
    """

    def __init__(
        self,
        script: Iterable[tuple[npt.ArrayLike, int, Said]] | Listener = (),
        *,
        name: str = "script",
    ) -> None:
        self._listener = script if callable(script) else None
        self._clips: list[_Clip] = []
        digest = hashlib.sha256()
        rates = set(_RATES_HZ)
        for entry in () if callable(script) else script:
            try:
                y, sr, said = entry
            except (TypeError, ValueError) as error:
                raise InputError(
                    f"script must hold (y, sr, said), got {type(entry).__name__}"
                ) from error
            x = as_mono(y, name="y of the script").astype(np.float32, copy=False)
            rate = as_rate(sr, name="sr of the script")
            words = _words(said, x, rate)
            samples = x.tobytes()
            self._clips.append(_Clip(samples, rate, words))
            digest.update(json.dumps([rate, len(samples), [_plain(w) for w in words]]).encode())
            digest.update(samples)
            rates.add(rate)
        # What a callable answers cannot be known: each one is an engine of its own, and no cache mixes them up.
        version = f"callable {uuid.uuid4().hex}" if callable(script) else digest.hexdigest()
        self._info = EngineInfo(
            name=f"scripted:{name}",
            version=version,
            vendor="none",
            rates_hz=tuple(sorted(rates)),
            repeatable=not callable(script),
        )

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> ScriptedTranscriber:
        """Read a script: ``{"schema_version": 1, "clips": [{"audio", "channel", "words" or "text"}, ...]}``.

        ``audio`` is a path beside the script, ``channel`` counts from 0, ``words`` are rows of text, start and end in
        seconds, ``text`` is spread over the sound.

        Raises
        ------
        InputError
            If the script or an audio file cannot be read, or does not have this form.
        """
        where = Path(path)
        try:
            plain = json.loads(where.read_text(encoding="utf-8"))
        except OSError as error:
            raise InputError(f"{where}: the script cannot be read: {error}") from error
        except (ValueError, RecursionError) as error:
            raise InputError(f"{where}: the script must be JSON: {error}") from error
        if not isinstance(plain, dict) or plain.get("schema_version") != 1:
            raise InputError(f"{where}: schema_version must be 1, got {_version_of(plain)!r}")
        clips = plain.get("clips")
        if not isinstance(clips, list):
            raise InputError(f"{where}: clips must be a list, got {type(clips).__name__}")
        return cls([_read_clip(clip, where, k) for k, clip in enumerate(clips)], name=str(path))

    @property
    def info(self) -> EngineInfo:
        return self._info

    def transcribe(
        self, x: npt.NDArray[np.float32], sr: int, *, language: str | None = None
    ) -> Transcript:
        """Words of the script that lie in `x`; see `Transcriber`. The language does not matter.

        Raises
        ------
        EngineError
            If the script is a callable and it fails.
        """
        if self._listener is not None:
            if not x.size or not np.any(x):
                return Transcript(engine=self._info)
            try:
                said = self._listener(x.copy(), sr)
            except VerifyError:
                raise
            except Exception as error:
                raise EngineError(f"{self._info.name} failed: {error}") from error
            return Transcript(words=_words(said, x, sr), engine=self._info)
        sought = np.ascontiguousarray(x, dtype=np.float32).tobytes()
        for clip in self._clips if sought and np.any(x) else ():
            if clip.sr != sr:
                continue
            at = clip.samples.find(sought)
            while at % 4 and at > 0:  # a match must begin at a sample
                at = clip.samples.find(sought, at + 1)
            if at >= 0:
                start_s, end_s = at / 4 / sr, (at / 4 + x.size) / sr
                inside = (w for w in clip.words if start_s <= (w.start_s + w.end_s) / 2 < end_s)
                words = (
                    Word(
                        w.text, max(w.start_s, start_s), min(w.end_s, end_s), w.confidence
                    ).shifted(-start_s)
                    for w in inside
                )
                return Transcript(words=tuple(words), engine=self._info)
        return Transcript(engine=self._info)


def _words(said: Said, x: npt.NDArray[np.floating], sr: int) -> tuple[Word, ...]:
    """The words in order of time; those of a text spread over the sound, each as long as it has letters."""
    if isinstance(said, str):
        loud = np.flatnonzero(np.abs(x) > 0.1 * np.abs(x).max(initial=0.0))
        texts = said.split()
        if not texts or not loud.size:
            return ()
        first_s, last_s = loud[0] / sr, (loud[-1] + 1) / sr
        ends = np.cumsum([len(text) + 1 for text in texts])
        at_s = first_s + (last_s - first_s) * np.concatenate([[0.0], ends / ends[-1]])
        return tuple(Word(text, float(at_s[k]), float(at_s[k + 1])) for k, text in enumerate(texts))
    words = tuple(said.words if isinstance(said, Transcript) else said)
    limit_s = x.size / sr
    for word in words:
        if not isinstance(word, Word):
            raise InputError(f"words of a script must be Word, got {word!r}")
        if not 0.0 <= word.start_s <= word.end_s <= limit_s + 1 / sr:
            raise InputError(
                f"words of a script must lie inside [0, {limit_s:g}] s, got {word.text!r} at"
                f" [{word.start_s:g}, {word.end_s:g}] s"
            )
    return tuple(sorted(words, key=lambda word: (word.start_s, word.end_s)))


def _plain(word: Word) -> list[Any]:
    return [word.text, word.start_s, word.end_s, word.confidence]


def _version_of(plain: Any) -> Any:
    return plain.get("schema_version") if isinstance(plain, dict) else type(plain).__name__


def _read_clip(clip: Any, script: Path, k: int) -> tuple[Float32, int, Said]:
    from s2sverify.recording import read_recording

    here = f"{script}: clips[{k}]"
    if not isinstance(clip, dict) or not isinstance(clip.get("audio"), str):
        raise InputError(f"{here} must have audio, the path of a recording, got {clip!r}")
    channel = clip.get("channel", 0)
    path = script.parent / clip["audio"]
    try:
        recording = read_recording(path)
        n_channels = recording.n_channels
        if not isinstance(channel, int) or not 0 <= channel < n_channels:
            raise InputError(f"channel must be from 0 to {n_channels - 1}, got {channel!r}")
        x = np.ascontiguousarray(recording.read()[channel])
    except InputError as error:
        raise InputError(f"{here}: {error}") from error
    sr = recording.sr
    if isinstance(clip.get("text"), str):
        return x, sr, clip["text"]
    rows: Any = clip.get("words")
    try:
        words = [_row_word(row) for row in rows]
    except (TypeError, ValueError) as error:
        raise InputError(
            f"{here} must have text, or words as rows of text, start and end, got {rows!r}"
        ) from error
    return x, sr, words


def _row_word(row: Any) -> Word:
    text, start_s, end_s = row
    if not isinstance(text, str) or not math.isfinite(start_s) or not math.isfinite(end_s):
        raise ValueError(row)
    return Word(text, float(start_s), float(end_s))


__all__ = ["ScriptedTranscriber"]
