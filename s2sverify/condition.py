"""Line conditions as data: steps with their numbers checked, named lists of them, JSON, presets.

What the steps do is in :mod:`s2sverify.line`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar, Final, Literal, TypeAlias

from s2sverify._arrays import as_rate, is_number, is_text, is_whole
from s2sverify.errors import InputError
from s2sverify.filters import BAND_HZ, check_band
from s2sverify.g711 import Law, as_law
from s2sverify.loss import CONCEALERS, Conceal, loss_probabilities
from s2sverify.noise import COLORS, Over, check_bursts
from s2sverify.tempo import FASTEST, SLOWEST
from s2sverify.types import Signature

Noise = Literal["white", "pink", "brown", "speech", "hum", "babble", "recording"]

FORMAT_VERSION: Final = 1  # of a condition's JSON
_LEVELS_DB = (-120.0, 60.0)


# --- steps -----------------------------------------------------------------------------------------------------------


def _number(step: object, name: str, low: float, high: float) -> None:
    value: Any = getattr(step, name)
    if not is_number(value) or not low <= value <= high:
        raise InputError(f"{name} must be a number in [{low:g}, {high:g}], got {value!r}")


def _one_of(step: object, name: str, allowed: Sequence[str]) -> None:
    value = getattr(step, name)
    if value not in allowed:
        raise InputError(f"{name} must be one of {', '.join(allowed)}, got {value!r}")


def _tuple(step: object, name: str, size: int | None = None) -> None:
    value = getattr(step, name)
    if not isinstance(value, list | tuple) or (size is not None and len(value) != size):
        wanted = "a list" if size is None else f"a pair of {size}"
        raise InputError(f"{name} must be {wanted}, got {value!r}")
    object.__setattr__(step, name, tuple(value))


@dataclass(frozen=True, slots=True, kw_only=True)
class LineStep:
    """What every step has.

    Attributes
    ----------
    channels : tuple of int or None
        The channels it is put on (0 caller, 1 agent); None: all.
    label : str
        Part of the seed, for two steps that would draw alike and should not.
    """

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}
    draws: ClassVar[tuple[str, ...]] = ()  # fields that its draws depend on
    channels: tuple[int, ...] | None = None
    label: str = ""

    def __post_init__(self) -> None:
        if self.channels is not None:
            _tuple(self, "channels")
            if not self.channels or not all(is_whole(c) for c in self.channels):
                raise InputError(f"channels must be channel numbers from 0, got {self.channels!r}")
        if not is_text(self.label):
            raise InputError(f"label must be text, got {self.label!r}")
        self._check()

    def _check(self) -> None:
        """Raise InputError for a value out of range."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResampleStep(LineStep):
    """Resample every channel; see `resample`."""

    to_hz: int
    kind: Literal["resample"] = "resample"

    def _check(self) -> None:
        as_rate(self.to_hz, name="to_hz")
        if self.channels is not None:
            raise InputError(f"channels must be left out for resampling, got {self.channels!r}")


@dataclass(frozen=True, slots=True, kw_only=True)
class GainStep(LineStep):
    """Amplify or attenuate by `gain_db`."""

    gain_db: float
    kind: Literal["gain"] = "gain"

    def _check(self) -> None:
        _number(self, "gain_db", *_LEVELS_DB)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClipStep(LineStep):
    """Limit every sample to ``[-peak, peak]``, full scale 1.0."""

    peak: float
    kind: Literal["clip"] = "clip"

    def _check(self) -> None:
        _number(self, "peak", 2**-15, 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class OffsetStep(LineStep):
    """Add a constant, full scale 1.0: what a bad converter does."""

    offset: float
    kind: Literal["offset"] = "offset"

    def _check(self) -> None:
        _number(self, "offset", -1.0, 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class BandStep(LineStep):
    """Limit to a band; see `band_limit`."""

    low_hz: float = BAND_HZ[0]
    high_hz: float = BAND_HZ[1]
    causal: bool = False
    kind: Literal["band"] = "band"

    def _check(self) -> None:
        _number(self, "low_hz", 1e-3, 1e6)
        _number(self, "high_hz", 1e-3, 1e6)
        check_band(2_000_001, self.low_hz, self.high_hz)


@dataclass(frozen=True, slots=True, kw_only=True)
class CodecStep(LineStep):
    """Encode and decode by a law of Rec. ITU-T G.711."""

    law: Law
    kind: Literal["codec"] = "codec"

    def _check(self) -> None:
        as_law(self.law)


@dataclass(frozen=True, slots=True, kw_only=True)
class NoiseStep(LineStep):
    """Steady noise under the whole channel, at an SNR or at a level; see `mix_at_snr`.

    Attributes
    ----------
    noise : str
        A colour of `make_noise`; ``"babble"``, mixed from `sounds`; ``"recording"``, one of `sounds`, drawn.
    snr_db : float or None
        Over the active speech level, or over the total level, of the channel as it stands before this step.
    level_dbov : float or None
        Instead of `snr_db`, and the only way for a channel without speech.
    over : {"active", "total"}
    sounds : tuple of str
        Names among the `sounds` given to `degrade`, or paths.
    talkers : int
        Of babble.
    hum_hz : int
        Of hum.
    allow_clipping : bool
        False: speech and noise are attenuated alike where their sum would pass full scale.
    """

    draws: ClassVar[tuple[str, ...]] = ("noise", "sounds", "talkers", "hum_hz")
    noise: Noise = "speech"
    snr_db: float | None = None
    level_dbov: float | None = None
    over: Over = "active"
    sounds: tuple[str, ...] = ()
    talkers: int = 6
    hum_hz: int = 50
    allow_clipping: bool = False
    kind: Literal["noise"] = "noise"

    def _check(self) -> None:
        if (self.snr_db is None) == (self.level_dbov is None):
            raise InputError(
                "a noise step must have either snr_db or level_dbov, got "
                f"snr_db={self.snr_db!r} and level_dbov={self.level_dbov!r}"
            )
        if self.snr_db is not None:
            _number(self, "snr_db", -60.0, 120.0)
        else:
            _number(self, "level_dbov", -90.0, 0.0)
        _one_of(self, "over", ("active", "total"))
        _check_sounds(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class BurstStep(LineStep):
    """Bursts of noise at drawn times: doors, horns, coughs.

    Attributes
    ----------
    per_minute : float
        Bursts in a minute, in the mean; they do not overlap.
    snr_db : (float, float)
        Active speech level of the channel over the level of a burst, drawn evenly between the two.
    duration_s : (float, float)
        Drawn evenly between the two. Bursts rise and fall within 10 ms.
    noise, sounds, talkers, hum_hz
        As for `NoiseStep`; every burst draws its own.
    """

    draws: ClassVar[tuple[str, ...]] = (
        "per_minute", "duration_s", "noise", "sounds", "talkers", "hum_hz",
    )  # fmt: skip
    per_minute: float
    snr_db: tuple[float, float] = (-5.0, 10.0)
    duration_s: tuple[float, float] = (0.2, 1.0)
    noise: Noise = "pink"
    sounds: tuple[str, ...] = ()
    talkers: int = 6
    hum_hz: int = 50
    allow_clipping: bool = False
    kind: Literal["bursts"] = "bursts"

    def _check(self) -> None:
        for name in ("snr_db", "duration_s"):
            _tuple(self, name, 2)
            for value in getattr(self, name):
                if not is_number(value):
                    raise InputError(f"{name} must hold two numbers, got {value!r}")
        _number(self, "per_minute", 1e-6, 1e4)
        check_bursts(self.per_minute, self.duration_s, self.snr_db)
        _check_sounds(self)


def _check_sounds(step: NoiseStep | BurstStep) -> None:
    _one_of(step, "noise", (*COLORS, "babble", "recording"))
    _tuple(step, "sounds")
    if any(not isinstance(name, str) for name in step.sounds):
        raise InputError(f"sounds must be names or paths, got {step.sounds!r}")
    if (step.noise in ("babble", "recording")) != bool(step.sounds):
        raise InputError(
            f"sounds must be named for babble and recordings, and for nothing else; "
            f"got noise={step.noise!r} and {len(step.sounds)} sounds"
        )
    _number(step, "talkers", 1, 100)
    _number(step, "hum_hz", 1, 1000)


@dataclass(frozen=True, slots=True, kw_only=True)
class LossStep(LineStep):
    """Lose frames; see `drop_frames`."""

    draws: ClassVar[tuple[str, ...]] = ("loss", "burst_frames", "frame_s")
    loss: float
    burst_frames: float = 1.0
    frame_s: float = 0.02
    conceal: Conceal = "zero"
    kind: Literal["loss"] = "loss"

    def _check(self) -> None:
        loss_probabilities(self.loss, self.burst_frames)
        _number(self, "frame_s", 1e-4, 10.0)
        _one_of(self, "conceal", CONCEALERS)


@dataclass(frozen=True, slots=True, kw_only=True)
class TempoStep(LineStep):
    """Change the speaking rate of the whole call, all channels at the same places; see `change_rate`."""

    rate: float
    kind: Literal["tempo"] = "tempo"

    def _check(self) -> None:
        _number(self, "rate", SLOWEST, FASTEST)
        if self.channels is not None:
            raise InputError(f"channels must be left out for tempo, got {self.channels!r}")


@dataclass(frozen=True, slots=True, kw_only=True)
class CrosstalkStep(LineStep):
    """Let one channel be heard in another, later and quieter; `source` equal to `target` is an echo.

    Attributes
    ----------
    source, target : int
        Channels: 0 caller, 1 agent.
    gain_db : float
        Level of the copy against the source.
    delay_s : float
        Rounded to whole samples.
    """

    source: int
    target: int
    gain_db: float
    delay_s: float = 0.0
    kind: Literal["crosstalk"] = "crosstalk"

    def _check(self) -> None:
        for name in ("source", "target"):
            value = getattr(self, name)
            if not is_whole(value):
                raise InputError(f"{name} must be a channel number from 0, got {value!r}")
        _number(self, "gain_db", *_LEVELS_DB)
        _number(self, "delay_s", 0.0, 10.0)
        if self.source == self.target and self.delay_s == 0:
            raise InputError("delay_s must be above 0 for an echo, got 0")
        if self.channels is not None:
            raise InputError(
                f"channels must be left out for crosstalk, which names its own, got {self.channels!r}"
            )


Step: TypeAlias = (
    ResampleStep | GainStep | ClipStep | OffsetStep | BandStep | CodecStep | NoiseStep | BurstStep
    | LossStep | TempoStep | CrosstalkStep
)  # fmt: skip
_STEPS: Final[tuple[type[LineStep], ...]] = (
    ResampleStep, GainStep, ClipStep, OffsetStep, BandStep, CodecStep, NoiseStep, BurstStep, LossStep, TempoStep,
    CrosstalkStep,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Condition:
    """A named, ordered list of steps; JSON goes both ways.

    Parameters
    ----------
    name : str
        What floors, reports and the command line call it.
    steps : sequence of steps
        `ResampleStep`, `GainStep`, `ClipStep`, `OffsetStep`, `BandStep`, `CodecStep`, `NoiseStep`, `BurstStep`,
        `LossStep`, `TempoStep`, `CrosstalkStep`; put on in this order.
    description : str
        One line for people.

    Raises
    ------
    InputError
        If the name is empty or something that is no step is among the steps.
    """

    name: str
    steps: tuple[Step, ...] = ()
    description: str = ""

    def __post_init__(self) -> None:
        if not is_text(self.name) or not self.name.strip():
            raise InputError(f"name must be a text that is not empty, got {self.name!r}")
        object.__setattr__(self, "steps", tuple(self.steps))
        for step in self.steps:
            if not isinstance(step, _STEPS):
                raise InputError(
                    f"steps must be line steps such as LossStep, got {type(step).__name__}"
                )

    def then(self, *steps: Step, name: str | None = None) -> Condition:
        """This condition with more steps after its own."""
        return replace(self, name=name or self.name, steps=(*self.steps, *steps))

    def out_rate(self, sr: int) -> int:
        """Rate in Hz at which a signal of `sr` Hz comes out."""
        for step in self.steps:
            sr = step.to_hz if isinstance(step, ResampleStep) else sr
        return sr

    @property
    def is_random(self) -> bool:
        """Whether a step draws anything, so that a seed is needed."""
        return any(step.draws for step in self.steps)

    @property
    def signature(self) -> Signature:
        """Name and a hash of the steps: two conditions of one signature do the same."""
        plain = json.dumps([_plain_step(step) for step in self.steps], sort_keys=True)
        digest = hashlib.sha256(plain.encode()).hexdigest()[:12]
        return Signature("line", str(FORMAT_VERSION), (("condition", self.name), ("steps", digest)))

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON, every number spelled out."""
        return {
            "schema_version": FORMAT_VERSION,
            "name": self.name,
            "description": self.description,
            "steps": [_plain_step(step) for step in self.steps],
        }

    def to_json(self) -> str:
        """The condition as JSON text."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=1)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Condition:
        """A condition from what `to_dict` gives.

        Raises
        ------
        InputError
            If a field is missing, unknown or out of its range, or the version is another one.
        """
        if not isinstance(values, Mapping):
            raise InputError(f"a condition must be a JSON object, got {type(values).__name__}")
        try:
            return cls.from_json(json.dumps(dict(values)))
        except TypeError as error:
            raise InputError(f"a condition must hold plain JSON values: {error}") from error

    @classmethod
    def from_json(cls, text: str | bytes) -> Condition:
        """A condition from JSON text.

        Raises
        ------
        InputError
            If it is no JSON, or as for `from_dict`.
        """
        from pydantic import ValidationError

        try:
            values = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise InputError(f"a condition must be JSON: {error}") from error
        if not isinstance(values, dict):
            raise InputError(f"a condition must be a JSON object, got {type(values).__name__}")
        known: dict[str, Any] = {
            "schema_version": FORMAT_VERSION,
            "name": None,
            "description": "",
            "steps": [],
        }
        unknown = sorted(set(values) - set(known))
        if unknown:
            raise InputError(f"a condition must hold {', '.join(known)} only, got {unknown[0]!r}")
        values = known | values
        if values["schema_version"] != FORMAT_VERSION or values["schema_version"] is True:
            raise InputError(
                f"schema_version must be {FORMAT_VERSION}, got {values['schema_version']!r}"
            )
        if not isinstance(values["description"], str):
            raise InputError(f"description must be text, got {values['description']!r}")
        try:
            steps = _adapter().validate_json(json.dumps(values["steps"]), strict=True)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            place = "".join(
                f"[{part}]" if isinstance(part, int) else f".{part}" for part in first["loc"]
            )
            message = first["msg"].removeprefix("Value error, ")
            given = "" if first["type"] == "value_error" else f", got {first.get('input')!r:.80}"
            raise InputError(f"steps{place}: {message}{given}") from error
        return cls(values["name"], steps, values["description"])


def _plain_step(step: Step) -> dict[str, Any]:
    plain: dict[str, Any] = {"kind": step.kind}
    for f in fields(step):
        value = getattr(step, f.name)
        if f.name != "kind" and value is not None and value != "":
            plain[f.name] = list(value) if isinstance(value, tuple) else value
    return plain


@cache
def _adapter() -> Any:
    from typing import Annotated

    from pydantic import Field, TypeAdapter

    return TypeAdapter(tuple[Annotated[Step, Field(discriminator="kind")], ...])


def condition_schema() -> dict[str, Any]:
    """JSON Schema of a condition, as `Condition.from_json` reads it and `Condition.to_json` writes it."""
    steps = _adapter().json_schema()
    definitions = steps.pop("$defs", {})
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Condition",
        "type": "object",
        "additionalProperties": False,
        "required": ["name"],
        "properties": {
            "schema_version": {"const": FORMAT_VERSION, "default": FORMAT_VERSION},
            "name": {"type": "string", "pattern": "\\S"},
            "description": {"type": "string", "default": ""},
            "steps": steps | {"default": []},
        },
        "$defs": definitions,
    }


# --- presets ---------------------------------------------------------------------------------------------------------


def _presets() -> tuple[Condition, ...]:
    rate, band, codec = ResampleStep(to_hz=8000), BandStep(), CodecStep(law="mulaw")
    noisy = [
        Condition(
            f"phone_n{snr_db}",
            (rate, NoiseStep(noise="speech", snr_db=float(snr_db)), band, codec),
            f"phone with speech-shaped noise at {snr_db} dB SNR over the active speech level",
        )
        for snr_db in (20, 10, 5)
    ]
    return (
        Condition("clean", (), "nothing changed"),
        Condition("phone", (rate, band, codec), "8 kHz, 300-3400 Hz, G.711 mu-law"),
        *noisy,
        Condition(
            "phone_drop2",
            (rate, band, codec, LossStep(loss=0.02)),
            "phone with 2 % of the 20 ms frames lost at random and filled with silence",
        ),
        Condition(
            "realistic",
            (
                rate,
                NoiseStep(noise="pink", snr_db=20.0),
                BurstStep(per_minute=1.0, snr_db=(0.0, 10.0)),
                band,
                codec,
                LossStep(loss=0.01, burst_frames=2.0, conceal="pitch"),
            ),
            "phone with pink noise at 20 dB, a burst of noise a minute, 1 % loss in bursts of two frames, concealed",
        ),
    )


@cache
def _preset_table() -> Mapping[str, Condition]:
    return MappingProxyType({condition.name: condition for condition in _presets()})


def conditions() -> Mapping[str, Condition]:
    """The conditions that come with the package, by name; read-only."""
    return _preset_table()


def as_condition(condition: str | Condition) -> Condition:
    """A condition from its preset name, or itself.

    Raises
    ------
    InputError
        If there is no preset of that name.
    """
    if isinstance(condition, Condition):
        return condition
    known = conditions()
    if not is_text(condition) or condition not in known:
        raise InputError(f"condition must be one of {', '.join(known)}, got {condition!r}")
    return known[condition]


def load_condition(name_or_path: str) -> Condition:
    """A preset by its name, or a condition from a JSON file: what ends in ``.json`` is a file.

    Raises
    ------
    InputError
        If there is no such preset or file, or the file holds no condition.
    """
    if not name_or_path.endswith(".json"):
        return as_condition(name_or_path)
    try:
        text = Path(name_or_path).read_bytes()
    except OSError as error:
        raise InputError(f"{name_or_path}: cannot be read: {error.strerror}") from error
    try:
        return Condition.from_json(text)
    except InputError as error:
        raise InputError(f"{name_or_path}: {error}") from error
