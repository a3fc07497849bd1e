"""What an engine is, and how one is opened by name. Backends are imported when one of their engines is opened."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol, cast, runtime_checkable

from s2sverify.errors import EngineError, InputError, MissingDependencyError
from s2sverify.types import EngineInfo, Transcript

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

DEFAULT_ENGINE = "whisper:tiny.en"


@runtime_checkable
class Transcriber(Protocol):
    """Speech to text. Every implementation passes ``tests/engine_contract.py``:

    - `x` is mono float32, shape (n,), any n >= 0, and is left unmodified; `sr` is in ``info.rates_hz``.
    - Word times are seconds from the start of `x`, ordered, inside [0, n / sr].
    - No speech gives a transcript without words: not an error, not a guess.
    - Calls do not influence one another.
    - A failure of the backend leaves as `EngineError`, its cause attached.
    - ``info`` costs little: a run whose transcripts are all cached asks for nothing else.
    """

    @property
    def info(self) -> EngineInfo: ...

    def transcribe(
        self, x: npt.NDArray[np.float32], sr: int, *, language: str | None = None
    ) -> Transcript: ...


Factory = Callable[..., Transcriber]

# Where the engines of a family are made: called with what stands after the colon, where anything does.
_FAMILIES: dict[str, str | Factory] = {
    "whisper": "s2sverify.engines.whisper:WhisperTranscriber",
    "scripted": "s2sverify.engines.scripted:ScriptedTranscriber.read",
    "deepgram": "s2sverify.engines.deepgram:DeepgramTranscriber",
}
_FORMS = {
    "whisper": "whisper:tiny.en, whisper:base or another size, whisper:FOLDER",
    "scripted": "scripted:FILE.json",
    "deepgram": "deepgram:nova-3 or another model",
}


def register_engine(family: str, factory: str | Factory) -> None:
    """Make ``open_engine("family:...")`` known for the rest of this process.

    Parameters
    ----------
    family : str
        What stands before the colon: lower-case letters, digits and hyphens. A known one is replaced.
    factory : callable or str
        Called with the text after the colon (nothing, where there is none) and the options of `open_engine`;
        or where it is found, as ``"package.module:name"``, imported when such an engine is first opened.

    Raises
    ------
    InputError
        If `family` is not such a name, or `factory` is neither callable nor of that form.
    """
    if not re.fullmatch(r"[a-z][a-z0-9-]*", family):
        raise InputError(f"family must be lower-case letters, digits and hyphens, got {family!r}")
    if not callable(factory) and not re.fullmatch(r"[\w.]+:[\w.]+", str(factory)):
        raise InputError(f"factory must be callable or 'package.module:name', got {factory!r}")
    _FAMILIES[family] = factory


def open_engine(name: str | Transcriber | None = None, /, **options: Any) -> Transcriber:
    """Open a speech-to-text engine by name.

    Parameters
    ----------
    name : str or Transcriber, optional
        ``"whisper:tiny.en"`` (the local default, also for None), ``"whisper:base"`` or another size,
        ``"whisper:/path/to/folder"`` of a converted model, ``"scripted:FILE.json"``, ``"deepgram:nova-3"``, a
        family made known with `register_engine`, or ``"package.module:Class"`` of anybody's engine. An engine
        is given back as it is.
    **options
        Passed on to the engine, e.g. ``threads=2``.

    Returns
    -------
    Transcriber
        Ready to answer ``info``; models are loaded when the first audio is transcribed.

    Raises
    ------
    InputError
        If there is no such engine (the message lists what there is) or it does not take these options.
    MissingDependencyError
        If its package is not installed.
    """
    if name is not None and not isinstance(name, str):
        if options:
            raise InputError(f"options need an engine by name, got {name!r} and {sorted(options)}")
        return as_transcriber(name, "engine")
    asked = DEFAULT_ENGINE if name is None else name
    family, colon, rest = asked.partition(":")
    if family in _FAMILIES:
        found = _FAMILIES[family]
        factory = _imported(*found.split(":")) if isinstance(found, str) else found
        arguments = (rest,) if colon else ()
    else:
        factory, arguments = _third_party(asked), ()
    try:
        inspect.signature(factory).bind(*arguments, **options)
    except TypeError as error:
        raise InputError(
            f"engine {asked!r} cannot be opened with options {sorted(options)}: {error}"
        ) from error
    return as_transcriber(factory(*arguments, **options), asked)


def engine_names() -> tuple[str, ...]:
    """The forms of name that `open_engine` understands, for messages and help."""
    known = [_FORMS.get(family, f"{family}:...") for family in _FAMILIES]
    return (*known, "package.module:Class")


def as_transcriber(engine: object, name: str) -> Transcriber:
    """Give back `engine` if it has the form of a `Transcriber`; its ``info`` is not asked for.

    Raises
    ------
    InputError
        If it has no ``info`` or no ``transcribe``.
    """
    nothing = object()
    for member in ("info", "transcribe"):
        if inspect.getattr_static(engine, member, nothing) is nothing:
            raise InputError(
                f"{name} must have info and transcribe(x, sr, *, language=None), got"
                f" {type(engine).__name__} without {member}"
            )
    return cast("Transcriber", engine)


def _imported(module: str, path: str) -> Factory:
    try:
        found: Any = importlib.import_module(module)
    except MissingDependencyError:
        raise
    except ModuleNotFoundError as error:
        raise MissingDependencyError(
            f"engine {module}:{path} needs the package {error.name}, which is not installed"
        ) from error
    except Exception as error:
        raise EngineError(f"module {module} failed while it was imported: {error}") from error
    for part in path.split("."):
        found = getattr(found, part, None)
        if found is None:
            raise InputError(f"module {module} has no {path}")
    return cast("Factory", found)


def _third_party(name: str) -> Factory:
    module, _, path = name.partition(":")
    if re.fullmatch(r"[A-Za-z_]\w*(\.\w+)*:[A-Za-z_]\w*(\.\w+)*", name):
        try:
            exists = importlib.util.find_spec(module) is not None
        except (ImportError, ValueError):
            exists = False
        if exists:
            return _imported(module, path)
    raise InputError(f"engine must be one of {'; '.join(engine_names())}; got {name!r}")


__all__ = [
    "DEFAULT_ENGINE",
    "Transcriber",
    "as_transcriber",
    "engine_names",
    "open_engine",
    "register_engine",
]
