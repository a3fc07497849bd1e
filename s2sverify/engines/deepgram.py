"""Deepgram's pre-recorded speech-to-text, through deepgram-sdk."""

from __future__ import annotations

import importlib.util
import math
import os
import struct
import threading
import time
import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from s2sverify._arrays import as_rate
from s2sverify.errors import EngineError, InputError, MissingDependencyError
from s2sverify.types import EngineInfo, Transcript, Word

_INSTALL = 'pip install "s2sverify[deepgram]"'
_KEY_NAME = "DEEPGRAM_API_KEY"
_RATES_HZ = (8_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000)
_LONGEST_WAIT_S = 60.0  # a server that asks for more patience than this has failed
_READER = "1"  # raised when this file reads the same answer differently

# What a status means to the person who reads the message. Others are told by number.
_MEANINGS = {
    400: "the request or its audio was refused",
    401: f"the key was refused: check {_KEY_NAME}",
    402: "the account has no credit left",
    403: "the key may not use this model",
    404: "there is no such model or address",
    413: "the audio is too large",
    429: "too many requests at once",
}
_WORTH_ANOTHER_TRY = frozenset({408, 425, 429, 500, 502, 503, 504})


class DeepgramTranscriber:
    """Deepgram, one request per piece of audio, with words as its model emitted them.

    Parameters
    ----------
    model : str, optional
        Name of a model, e.g. ``"nova-3"``.
    key : str, optional
        The account's key; from the environment variable ``DEEPGRAM_API_KEY`` when None. It is sent to the server and
        stands nowhere else: in no message, no log and no representation.
    language : str, optional
        Where a call does not name one.
    version : str, optional
        Version of the model. ``"latest"`` moves with the vendor: name one where a floor was measured with it.
    smart_format : bool, optional
        Ask for amounts, dates and codes written out. Words are then no longer what was said, number by number.
    timeout_s : float, optional
        Longest wait for one answer.
    retries : int, optional
        Further tries after a time-out, a broken connection, or a status that may pass (408, 425, 429, 5xx).
    backoff_s : float, optional
        Wait ahead of the first of them, doubled for each one after; the server's ``Retry-After`` comes first.
    base_url : str, optional
        Another server, e.g. a self-hosted one.

    Raises
    ------
    InputError
        If there is no key, or an argument does not fit its rule.
    MissingDependencyError
        If deepgram-sdk is not installed.

    Notes
    -----
    Each transcript carries in ``requests`` the id of its request and the version of the model that answered. Answers
    may change between two requests, hence ``info.repeatable`` is False.
    """

    def __init__(
        self,
        model: str = "nova-3",
        *,
        key: str | None = None,
        language: str = "en",
        version: str = "latest",
        smart_format: bool = False,
        timeout_s: float = 60.0,
        retries: int = 3,
        backoff_s: float = 1.0,
        base_url: str | None = None,
    ) -> None:
        if importlib.util.find_spec("deepgram") is None:
            raise MissingDependencyError(
                f"Deepgram needs the package deepgram-sdk, which is not installed: {_INSTALL}"
            )
        if not model:
            raise InputError("model must be the name of a Deepgram model, got ''")
        if not 0.0 < timeout_s < math.inf:
            raise InputError(f"timeout_s must be above 0 s, got {timeout_s!r}")
        if not 0 <= retries <= 20:
            raise InputError(f"retries must be a whole number from 0 to 20, got {retries!r}")
        if not 0.0 <= backoff_s < math.inf:
            raise InputError(f"backoff_s must be at least 0 s, got {backoff_s!r}")
        found = (key if key is not None else os.environ.get(_KEY_NAME, "")).strip()
        if not found or not found.isascii() or not found.isprintable():
            raise InputError(
                f"Deepgram needs a key of printable ASCII, as argument or in {_KEY_NAME}, got"
                f" {'none' if not found else 'other characters'}"
            )
        self._key = found
        self._model, self._language, self._version = model, language, version
        self._smart_format = smart_format
        self._timeout_s, self._retries, self._backoff_s = float(timeout_s), retries, backoff_s
        self._base_url = base_url.rstrip("/") if base_url else None
        self._lock = threading.Lock()
        self._media: Any = None
        self._sleep: Callable[[float], None] = time.sleep
        details = {
            "language": language,
            "reader": _READER,
            "smart_format": str(smart_format).lower(),
        }
        if self._base_url:
            details["server"] = self._base_url
        self._info = EngineInfo(
            name=f"deepgram:{model}",
            version=version,
            vendor="deepgram",
            rates_hz=_RATES_HZ,
            repeatable=False,
            details=details,
        )

    def __repr__(self) -> str:
        return f"DeepgramTranscriber({self._model!r})"

    @property
    def info(self) -> EngineInfo:
        return self._info

    def transcribe(
        self, x: npt.NDArray[np.float32], sr: int, *, language: str | None = None
    ) -> Transcript:
        """Words of `x` and their times; see `Transcriber`.

        Raises
        ------
        InputError
            If `sr` is none of ``info.rates_hz``.
        EngineError
            If the server cannot be reached, refuses, or answers what no transcript can be; the message holds the
            status, the server's words and its request id.
        """
        if sr not in _RATES_HZ:
            raise InputError(f"sr must be one of {_RATES_HZ} for Deepgram, got {sr}")
        if x.size < 2 or not np.any(x):
            return Transcript(engine=self._info)
        return self._heard(x[None, :], sr, language)[0]

    def transcribe_channels(
        self, y: npt.NDArray[np.floating], sr: int, *, language: str | None = None
    ) -> tuple[Transcript, ...]:
        """All channels of a recording in one request, each on its own.

        Parameters
        ----------
        y : array of float, shape (channel, n)
            Full scale 1.0.
        sr : int
            Sampling rate in Hz.
        language : str, optional
            As in `transcribe`.

        Raises
        ------
        InputError
            If `y` is of another shape or not finite.
        EngineError
            As `transcribe`, and if the answer does not hold as many channels.
        """
        z = np.asarray(y)
        if z.ndim != 2 or not 1 <= z.shape[0] <= 20:
            raise InputError(f"y must have shape (channel, n), got {z.shape}")
        if not np.all(np.isfinite(z)):
            raise InputError("y must be finite, got NaN or infinite samples")
        rate = as_rate(sr)
        if z.shape[1] < 2 or not np.any(z):
            return tuple(Transcript(engine=self._info) for _ in z)
        return self._heard(z, rate, language)

    def _heard(
        self, y: npt.NDArray[np.floating], sr: int, language: str | None
    ) -> tuple[Transcript, ...]:
        answer = self._asked(_wav(y, sr), multichannel=y.shape[0] > 1, language=language)
        try:
            return self._read(answer, y.shape[0], y.shape[1] / sr)
        except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
            raise EngineError(
                f"{self._info.name}: the answer must be a transcript as Deepgram documents it, got"
                f" {type(error).__name__}: {self._without_key(str(error))}"
            ) from error

    def _read(self, answer: Any, n_channels: int, duration_s: float) -> tuple[Transcript, ...]:
        metadata = answer["metadata"]
        request = f"deepgram request {metadata['request_id'] or 'without an id'}{_models(metadata)}"
        channels = answer["results"]["channels"]
        if len(channels) != n_channels:
            raise ValueError(f"{len(channels)} channels for {n_channels}")
        return tuple(self._channel(channel, duration_s, request) for channel in channels)

    def _channel(self, channel: Any, duration_s: float, request: str) -> Transcript:
        alternatives = channel["alternatives"]
        best: Any = alternatives[0] if alternatives else {"words": [], "transcript": ""}
        words = []
        for row in best["words"]:
            start_s, end_s = float(row["start"]), float(row["end"])
            text, confidence = row["word"], row.get("confidence")
            if not isinstance(text, str) or not 0.0 <= start_s <= end_s < math.inf:
                raise ValueError(f"word {text!r} at [{start_s!r}, {end_s!r}] s")
            if text.strip():
                words.append(
                    Word(
                        text.strip(),
                        min(start_s, duration_s),
                        min(end_s, duration_s),
                        None if confidence is None else min(max(float(confidence), 0.0), 1.0),
                    )
                )
        formatted = best["transcript"]
        if not isinstance(formatted, str):
            raise TypeError(f"transcript is {type(formatted).__name__}")
        words.sort(key=lambda word: (word.start_s, word.end_s))
        return Transcript(tuple(words), self._info, formatted or None, requests=(request,))

    def _asked(self, wav: bytes, *, multichannel: bool, language: str | None) -> Any:
        """The answer as plain JSON, after as many tries as it takes and is allowed."""
        media = self._client()
        for left in range(self._retries, -1, -1):
            try:
                answer = media.transcribe_file(
                    request=wav,
                    model=self._model,
                    version=None if self._version == "latest" else self._version,
                    language=language or self._language,
                    punctuate=True,
                    smart_format=self._smart_format,
                    multichannel=multichannel or None,
                    request_options={"timeout": self._timeout_s, "max_retries": 0},
                )
                return answer.model_dump()
            except Exception as error:
                wait_s = self._wait_s(error, self._retries - left)
                if wait_s is None or left == 0:
                    raise EngineError(self._told(error, self._retries - left)) from error
                self._sleep(wait_s)
        raise AssertionError("unreachable")

    def _client(self) -> Any:
        with self._lock:
            if self._media is None:
                # The package imports deprecated parts of another one, some of them at first use.
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", DeprecationWarning)
                    self._media = self._made_client()
            return self._media

    def _made_client(self) -> Any:
        try:
            from deepgram import DeepgramClient
            from deepgram.environment import DeepgramClientEnvironment

            url, options = self._base_url, {}
            if url:
                options["environment"] = DeepgramClientEnvironment(
                    base=url, production=url, agent=url, agent_rest=url
                )
            return DeepgramClient(api_key=self._key, **options).listen.v1.media
        except ImportError as error:
            raise MissingDependencyError(
                f"deepgram-sdk is installed but cannot be loaded ({error}): {_INSTALL}"
            ) from error

    def _wait_s(self, error: Exception, tried: int) -> float | None:
        """How long to wait before the next try; None where another would fail alike."""
        import httpx

        wait_s = self._backoff_s * 2.0**tried
        if isinstance(error, httpx.TimeoutException | httpx.TransportError):
            return wait_s
        if getattr(error, "status_code", None) not in _WORTH_ANOTHER_TRY:
            return None
        headers = getattr(error, "headers", None) or {}
        asked = next((v for k, v in headers.items() if k.lower() == "retry-after"), None)
        try:
            asked_s = float(asked) if asked is not None else wait_s
        except ValueError:
            asked_s = wait_s
        if not 0.0 <= asked_s <= _LONGEST_WAIT_S:
            return None
        return asked_s

    def _told(self, error: Exception, tried: int) -> str:
        import httpx

        status = getattr(error, "status_code", None)
        if isinstance(error, httpx.TimeoutException):
            what = f"no answer within {self._timeout_s:g} s"
        elif isinstance(error, httpx.TransportError):
            what = f"the connection failed: {type(error).__name__}: {error}"
        elif status is not None and not 200 <= status < 300:
            meaning = _MEANINGS.get(status) or ("the server failed" if status >= 500 else "refused")
            what = f"status {status}: {meaning}{_server_says(getattr(error, 'body', None))}"
        else:
            got = str(getattr(error, "body", None) or f"{type(error).__name__}: {error}")
            what = f"the answer must be JSON as Deepgram documents it, got {got[:200]!r}"
        tries = f" (after {tried + 1} tries)" if tried else ""
        return self._without_key(f"{self._info.name}: {what}{tries}")

    def _without_key(self, text: str) -> str:
        return text.replace(self._key, "[key]")


def _server_says(body: Any) -> str:
    """What the server says of its error, in the forms that it documents."""
    if not isinstance(body, Mapping):
        return ""
    said = (body.get("err_msg") or body.get("message"), body.get("details"))
    text = "; ".join(str(part)[:300] for part in said if part)
    request = body.get("request_id")
    return (f": {text}" if text else "") + (f" (request {request})" if request else "")


def _models(metadata: Any) -> str:
    """Name and version of each model that took part."""
    infos = metadata.get("model_info") or {}
    return "".join(
        f", model {info.get('name')} version {info.get('version')}"
        for info in infos.values()
        if isinstance(info, Mapping)
    )


def _wav(y: npt.NDArray[np.floating], sr: int) -> bytes:
    """A WAV file of 16 bits; what exceeds full scale is clipped."""
    samples = np.clip(np.rint(np.asarray(y, dtype=np.float64) * 32768.0), -32768, 32767)
    data = samples.astype("<i2").T.tobytes()
    frame = 2 * y.shape[0]
    form = struct.pack("<HHIIHH", 1, y.shape[0], sr, sr * frame, frame, 16)
    body = b"WAVEfmt " + struct.pack("<I", 16) + form + b"data" + struct.pack("<I", len(data))
    return b"RIFF" + struct.pack("<I", len(body) + len(data)) + body + data


__all__ = ["DeepgramTranscriber"]
