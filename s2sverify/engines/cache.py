"""Finished transcriptions on disk: one small file per piece of audio, so that no work is done twice."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sys
import time
import uuid
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from s2sverify.errors import InputError
from s2sverify.types import EngineInfo, Transcript, Word

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

_LAYOUT = 1  # of an entry; another number is another key
_STALE_S = 3600.0  # a half-written file older than this was left by a process that was killed


def default_folder() -> Path:
    """Where things are kept that can be made again: ``S2SVERIFY_CACHE``, or the user's cache folder."""
    named = os.environ.get("S2SVERIFY_CACHE")
    if named:
        return Path(named).expanduser()
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "s2sverify"


def write_beside(path: Path, text: str) -> None:
    """Write `text` to `path` so that no reader, at no time, finds a part of it.

    Folders that have to be made are for the user alone, since transcripts tell what was said.
    """
    missing = [folder for folder in path.parents if not folder.exists()]
    for folder in reversed(missing):
        folder.mkdir(exist_ok=True, mode=0o700)
    beside = path.with_name(f".{path.name}.{os.getpid()}.{uuid.uuid4().hex[:8]}.tmp")
    try:
        beside.write_text(text, encoding="utf-8")
        beside.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            beside.unlink()
        raise


class TranscriptCache:
    """Transcripts by what was heard: the samples, the engine's signature and the options.

    Any number of processes may share a folder: an entry is written beside its place and then renamed. An entry
    that cannot be read counts as absent and is written anew. Deleting the folder costs time, never a result.

    Parameters
    ----------
    folder : path, optional
        ``S2SVERIFY_CACHE``, or ``s2sverify`` in the user's cache folder, when None.

    Raises
    ------
    InputError
        If `folder` exists and is not a folder.
    """

    def __init__(self, folder: str | os.PathLike[str] | None = None) -> None:
        self.folder = default_folder() if folder is None else Path(folder)
        self.hits = 0
        self.misses = 0
        self._warned = False
        if self.folder.exists() and not self.folder.is_dir():
            raise InputError(f"{self.folder}: the cache must be a folder")

    def __repr__(self) -> str:
        return f"TranscriptCache({str(self.folder)!r})"

    @staticmethod
    def key(
        x: npt.NDArray[np.float32], sr: int, info: EngineInfo, *, language: str | None = None
    ) -> str:
        """The name under which the transcript of `x` by this engine stands: 64 hex digits."""
        about = json.dumps([_LAYOUT, str(info.signature), language, sr, x.dtype.str, x.size])
        digest = hashlib.sha256(about.encode())
        digest.update(x.tobytes())
        return digest.hexdigest()

    def get(self, key: str) -> Transcript | None:
        """What was kept under `key`; None where nothing readable is."""
        try:
            found = _transcript(json.loads(self._path(key).read_bytes()), key)
        except (OSError, ValueError, TypeError, KeyError, RecursionError):
            found = None
        if found is None:
            self.misses += 1
        else:
            self.hits += 1
        return found

    def put(self, key: str, transcript: Transcript) -> None:
        """Keep `transcript`. Where the folder cannot be written to, warn once and go on."""
        entry = {
            "key": key,
            "words": [_row(word) for word in transcript.words],
            "dropped": [_row(word) for word in transcript.dropped],
            "formatted": transcript.formatted,
            "requests": transcript.requests,
        }
        path = self._path(key)
        try:
            write_beside(path, json.dumps(entry, ensure_ascii=False, separators=(",", ":")))
            self._sweep(path.parent)
        except OSError as error:
            if not self._warned:
                self._warned = True
                warnings.warn(
                    f"{self.folder}: finished transcriptions cannot be kept: {error}", stacklevel=2
                )

    def _path(self, key: str) -> Path:
        return self.folder / "transcripts" / key[:2] / f"{key}.json"

    @staticmethod
    def _sweep(folder: Path) -> None:
        for left in folder.glob(".*.tmp"):
            with contextlib.suppress(OSError):
                if time.time() - left.stat().st_mtime > _STALE_S:
                    left.unlink()


def _row(word: Word) -> list[Any]:
    return [word.text, word.start_s, word.end_s, word.confidence]


def _word(row: Any) -> Word:
    text, start_s, end_s, confidence = row
    if not isinstance(text, str):
        raise TypeError(f"text must be a str, got {text!r}")
    return Word(
        text, float(start_s), float(end_s), None if confidence is None else float(confidence)
    )


def _transcript(entry: Any, key: str) -> Transcript:
    if entry["key"] != key:
        raise ValueError(f"entry must be of {key}, got {entry['key']!r}")
    formatted = entry["formatted"]
    if formatted is not None and not isinstance(formatted, str):
        raise TypeError(f"formatted must be a str, got {formatted!r}")
    return Transcript(
        words=tuple(_word(row) for row in entry["words"]),
        formatted=formatted,
        dropped=tuple(_word(row) for row in entry["dropped"]),
        requests=tuple(str(request) for request in entry.get("requests", ())),
    )


__all__ = ["TranscriptCache", "default_folder", "write_beside"]
