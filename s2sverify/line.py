"""Line conditions: what a telephone line does to a call, as a named list of steps that anyone can repeat.

A `Condition` is an ordered list of steps. `degrade` puts it on an array or a recording, `degrade_file` on a file of
any length in bounded memory, `degrade_blocks` on a signal that comes in pieces; all three give the same bits. Every
step draws from its own seed, made of the seed of the run, the name of the call, the channel and what the step draws:
adding, removing or moving another step changes none of its draws, and the same noise is mixed at every SNR.

The operations themselves are functions of their own (`resample`, `band_limit`, `mix_at_snr`, `drop_frames`, ...).
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from s2sverify._arrays import as_rate, is_text, is_whole
from s2sverify._display import axes, frame
from s2sverify.condition import (
    BandStep,
    BurstStep,
    ClipStep,
    CodecStep,
    Condition,
    CrosstalkStep,
    GainStep,
    LineStep,
    LossStep,
    NoiseStep,
    OffsetStep,
    ResampleStep,
    Step,
    TempoStep,
    as_condition,
    condition_schema,
    conditions,
    load_condition,
)
from s2sverify.errors import ChannelError, InputError, SilenceError
from s2sverify.filters import (
    BandStream,
    ResampleStream,
    band_limit,
    resample,
)
from s2sverify.g711 import (
    alaw_decode,
    alaw_encode,
    mulaw_decode,
    mulaw_encode,
    through,
)
from s2sverify.levels import CLIPPED_FROM, SpeechLevel, SpeechMeter, SumMeter, as_channel
from s2sverify.loss import (
    LossStream,
    drop_frames,
    lost_intervals,
)
from s2sverify.noise import (
    COLORS,
    BurstSource,
    NoiseMeter,
    Source,
    headroom_gain,
    mix_at_snr,
    open_babble,
    open_noise,
    open_recorded,
    speech_reference,
)
from s2sverify.recording import Recording, Written, read_recording
from s2sverify.tempo import TempoStream, change_rate
from s2sverify.types import Finding, Interval, Role, to_plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame

Float32 = npt.NDArray[np.float32]
Sounds = Mapping[str, tuple[npt.ArrayLike, int]]

BLOCK: Final = 1 << 16  # samples per channel handled at a time


# --- what was changed ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Change:
    """What one step did to one channel."""

    step: int  # number in the condition
    kind: str
    channel: int
    intervals_s: npt.NDArray[
        np.float64
    ]  # stretches it hit, on the clock of the result, shape (k, 2); read-only
    values: Mapping[str, Any]  # what was realised: snr_db, loss, clipped_samples, ...

    @property
    def intervals(self) -> tuple[Interval, ...]:
        return tuple(Interval(float(a), float(b)) for a, b in self.intervals_s)

    def __str__(self) -> str:
        shown = [f"{len(self.intervals_s)} intervals"] if len(self.intervals_s) else []
        for name, value in self.values.items():
            if not isinstance(value, tuple):
                shown.append(
                    f"{name} {value:.4g}" if isinstance(value, float) else f"{name} {value}"
                )
        return ", ".join(shown)


def _change(step: int, kind: str, channel: int, intervals_s: Any = (), **values: Any) -> Change:
    array = np.asarray(intervals_s, dtype=np.float64).reshape(-1, 2)
    array.flags.writeable = False
    return Change(step, kind, channel, array, values)


@dataclass(frozen=True, slots=True, eq=False)
class _Report:
    condition: Condition
    seed: int | None  # None where nothing was drawn
    sr: int  # Hz, of the result
    changes: tuple[Change, ...]

    def intervals_s(self, kind: str, channel: int = 0) -> npt.NDArray[np.float64]:
        """Stretches of `channel` that steps of one kind hit ("loss", "bursts"), shape (k, 2), seconds, sorted."""
        found = [c.intervals_s for c in self.changes if c.kind == kind and c.channel == channel]
        together = np.concatenate([np.zeros((0, 2)), *found])
        return together[np.lexsort(together.T[::-1])]

    def to_frame(self) -> DataFrame:
        """One row per interval, and one per change that has none."""
        rows: list[dict[str, Any]] = []
        for c in self.changes:
            spans = c.intervals_s.tolist() or [[math.nan, math.nan]]
            for start_s, end_s in spans:
                rows.append(
                    {"step": c.step, "kind": c.kind, "channel": c.channel, "start_s": start_s, "end_s": end_s}
                    | dict(c.values)
                )  # fmt: skip
        first = ["step", "kind", "channel", "start_s", "end_s"]
        more = list(dict.fromkeys(key for row in rows for key in row if key not in first))
        return frame(rows, columns=[*first, *more])


@dataclass(frozen=True, slots=True, eq=False)
class Degraded(_Report):
    """A signal after a line condition, and what was changed where."""

    y: Float32  # shape (n,) or (channel, n), as it came in; read-only
    name: str = "y"

    def channel(self, role: Role | str) -> Float32:
        """The channel of a party.

        Raises
        ------
        ChannelError
            If there is only one channel.
        """
        role = Role(role)
        if self.y.ndim != 2 or self.y.shape[0] < 2:
            raise ChannelError(f"{self.name} must have two channels to have a {role}, it has 1")
        row: Float32 = self.y[role.channel]
        return row

    @property
    def caller(self) -> Float32:
        return self.channel(Role.CALLER)

    @property
    def agent(self) -> Float32:
        return self.channel(Role.AGENT)

    @property
    def duration_s(self) -> float:
        return int(self.y.shape[-1]) / self.sr

    @property
    def recording(self) -> Recording:
        """Both channels as a recording."""
        name = f"{self.name} ({self.condition.name})"
        return Recording.from_arrays(self.caller, self.agent, self.sr, name=name)

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Draw the channels, one above the other, and shade what steps hit."""
        ax = axes(ax)
        rows = np.atleast_2d(self.y)
        t = np.arange(rows.shape[1]) / self.sr
        for k, row in enumerate(rows):
            ax.plot(t, row - 2 * k, linewidth=0.5, color="C0")
            for c in self.changes:
                if c.channel == k:
                    for start_s, end_s in c.intervals_s:
                        ax.fill_between(
                            [start_s, end_s],
                            -2 * k - 1,
                            -2 * k + 1,
                            alpha=0.4,
                            color="C3",
                            linewidth=0,
                        )
        ax.set(xlabel="time (s)", ylabel="channel", yticks=[-2 * k for k in range(len(rows))],
               yticklabels=[str(k) for k in range(len(rows))])  # fmt: skip
        return ax


@dataclass(frozen=True, slots=True, eq=False)
class DegradedFile(_Report):
    """A file written under a line condition, and what was changed where."""

    written: Written
    n_channels: int

    @property
    def duration_s(self) -> float:
        return self.written.n_samples / self.sr

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "condition": self.condition.to_dict(),
            "signature": str(self.condition.signature),
            "seed": self.seed,
            "sr_hz": self.sr,
            "n_channels": self.n_channels,
            "n_samples": self.written.n_samples,
            "clipped_samples": self.written.clipped_samples,
            "changes": to_plain(self.changes),
        }


# --- running a condition ---------------------------------------------------------------------------------------------


class _MemorySpool:
    """Blocks between two passes, kept as they are."""

    def __init__(self, channels: int) -> None:
        self._blocks: list[Float32] = []
        self.n = 0

    def write(self, block: Float32) -> None:
        self._blocks.append(block)
        self.n += block.shape[1]

    def blocks(self) -> Iterator[Float32]:
        yield from self._blocks

    def close(self) -> None:
        self._blocks.clear()


class _FileSpool:
    """Blocks between two passes, in a nameless file that goes with the process.

    Small blocks are put together, so the file holds pieces of at least `BLOCK` samples, channel after channel.
    """

    def __init__(self, channels: int, folder: Path | None) -> None:
        self._channels = channels
        self._file = tempfile.TemporaryFile(dir=folder, prefix=".s2sverify-")  # noqa: SIM115
        self._waiting: list[Float32] = []
        self._n_waiting = 0
        self._sizes: list[int] = []  # of the pieces in the file
        self.n = 0

    def write(self, block: Float32) -> None:
        self._waiting.append(block)
        self._n_waiting += block.shape[1]
        self.n += block.shape[1]
        if self._n_waiting >= BLOCK:
            self._flush()

    def _flush(self) -> None:
        if self._n_waiting:
            piece = (
                self._waiting[0]
                if len(self._waiting) == 1
                else np.concatenate(self._waiting, axis=1)
            )
            self._file.write(np.ascontiguousarray(piece).data.cast("B"))
            self._sizes.append(self._n_waiting)
        self._waiting, self._n_waiting = [], 0

    def blocks(self) -> Iterator[Float32]:
        self._flush()
        self._file.seek(0)
        for size in self._sizes:
            piece = np.empty((self._channels, size), dtype=np.float32)
            if self._file.readinto(piece.data.cast("B")) != piece.nbytes:
                raise InputError("a temporary file must not be shortened while it is in use")
            yield piece

    def close(self) -> None:
        self._file.close()


_Spool: TypeAlias = _MemorySpool | _FileSpool


@dataclass(slots=True)
class _Run:
    """One condition under way."""

    condition: Condition
    channels: int
    first_channel: int  # number of channel 0, for the seeds and the report
    seed: int | None
    call: str
    sounds: Sounds
    spool: Callable[[], _Spool]
    changes: list[Change] = field(default_factory=list)

    def rng(self, step: int, channel: int) -> np.random.Generator:
        """The generator of a step on a channel: the same whatever other steps there are."""
        if self.seed is None:
            raise InputError(
                f"rng must be given: condition {self.condition.name!r} draws at random"
            )
        keys = [_seed_key(other) for other in self.condition.steps[: step + 1]]
        twin = keys[:-1].count(keys[-1])  # equal steps draw differently, in their order
        text = json.dumps([self.call, keys[-1], twin])
        words = np.frombuffer(hashlib.sha256(text.encode()).digest(), dtype="<u4").tolist()
        number = self.first_channel + channel
        return np.random.default_rng(np.random.SeedSequence([self.seed, number, *words]))

    def touched(self, step: Step) -> list[int]:
        """Rows that a step is put on."""
        if step.channels is None:
            return list(range(self.channels))
        rows = [c - self.first_channel for c in step.channels]
        return [row for row in rows if 0 <= row < self.channels]

    def report(self, step: int, row: int, intervals_s: Any = (), **values: Any) -> None:
        kind = self.condition.steps[step].kind
        self.changes.append(_change(step, kind, self.first_channel + row, intervals_s, **values))

    def result(self) -> tuple[Change, ...]:
        """Changes in order of steps and channels, on the clock of the result."""
        rate = 1.0
        stretch = [1.0] * len(self.condition.steps)
        for k in reversed(range(len(stretch))):
            stretch[k] = 1 / rate
            step = self.condition.steps[k]
            rate *= step.rate if isinstance(step, TempoStep) else 1.0
        ordered = sorted(self.changes, key=lambda c: (c.step, c.channel))
        return tuple(
            _change(c.step, c.kind, c.channel, c.intervals_s * stretch[c.step], **c.values)
            for c in ordered
        )


def _seed_key(step: Step) -> list[Any]:
    return [step.kind, step.label, *(getattr(step, name) for name in step.draws)]


class _Rows:
    """One stream per channel, the output cut to what all of them have settled."""

    def __init__(self, streams: Sequence[Any]) -> None:
        self._streams = streams
        self._ready: list[Float32] = [np.zeros(0, dtype=np.float32) for _ in streams]

    def push(self, block: Float32) -> Float32:
        return self._collect(
            row.copy() if stream is None else stream.push(row)
            for stream, row in zip(self._streams, block, strict=True)
        )

    def finish(self) -> Float32:
        nothing = np.zeros(0, dtype=np.float32)
        return self._collect(nothing if s is None else s.finish() for s in self._streams)

    def _collect(self, parts: Iterable[Any]) -> Float32:
        rows = [
            np.concatenate([ready, part]) if ready.size else part
            for ready, part in zip(self._ready, parts, strict=True)
        ]
        n = min(row.size for row in rows)
        self._ready = [row[n:] for row in rows]
        return np.stack([row[:n] for row in rows]).astype(np.float32, copy=False)


class _Crosstalk:
    def __init__(self, step: CrosstalkStep, source: int, target: int, sr: int) -> None:
        self._gain = np.float32(10 ** (step.gain_db / 20))
        self._source, self._target = source, target
        self._late = np.zeros(round(step.delay_s * sr), dtype=np.float32)

    def push(self, block: Float32) -> Float32:
        line = np.concatenate([self._late, block[self._source]])
        self._late = line[block.shape[1] :]
        out = block.copy()
        out[self._target] += self._gain * line[: block.shape[1]]
        return out


def _run(blocks: Iterable[Float32], sr: int, run: _Run) -> Iterator[Float32]:
    """The blocks after all steps; the report is whole when the last one is out."""
    stream: Iterator[Float32] = (_finite(block) for block in blocks)
    for k, step in enumerate(run.condition.steps):
        stream = _STEP_RUNNERS[type(step)](stream, step, k, sr, run)
        sr = step.to_hz if isinstance(step, ResampleStep) else sr
    return stream


def _finite(block: Float32) -> Float32:
    if block.size and not np.isfinite(block.sum()) and not np.isfinite(block).all():
        raise InputError(
            f"y must be finite, got {np.count_nonzero(~np.isfinite(block))} NaN or infinite samples"
        )
    return block


def _through(stream: Iterator[Float32], process: Any) -> Iterator[Float32]:
    for block in stream:
        yield process.push(block)
    yield process.finish()


def _on_rows(rows: list[int], channels: int, make: Callable[[int], Any]) -> _Rows:
    return _Rows([make(row) if row in rows else None for row in range(channels)])


def _resampled(
    stream: Iterator[Float32], step: ResampleStep, k: int, sr: int, run: _Run
) -> Iterator[Float32]:
    if step.to_hz == sr:
        return stream
    return _through(stream, _Rows([ResampleStream(sr, step.to_hz) for _ in range(run.channels)]))


def _banded(
    stream: Iterator[Float32], step: BandStep, k: int, sr: int, run: _Run
) -> Iterator[Float32]:
    def make(row: int) -> BandStream:
        return BandStream(sr, low_hz=step.low_hz, high_hz=step.high_hz, causal=step.causal)

    return _through(stream, _on_rows(run.touched(step), run.channels, make))


def _amplified(
    stream: Iterator[Float32], step: GainStep, k: int, sr: int, run: _Run
) -> Iterator[Float32]:
    gains = np.ones((run.channels, 1), dtype=np.float32)
    gains[run.touched(step)] = 10 ** (step.gain_db / 20)
    return (block * gains for block in stream)


def _offset(
    stream: Iterator[Float32], step: OffsetStep, k: int, sr: int, run: _Run
) -> Iterator[Float32]:
    offsets = np.zeros((run.channels, 1), dtype=np.float32)
    offsets[run.touched(step)] = step.offset
    return (block + offsets for block in stream)


def _clipped(
    stream: Iterator[Float32], step: ClipStep, k: int, sr: int, run: _Run
) -> Iterator[Float32]:
    rows, peak = run.touched(step), np.float32(step.peak)
    counts, n = dict.fromkeys(rows, 0), 0
    for block in stream:
        out = block.copy()
        n += block.shape[1]
        for row in rows:
            counts[row] += int(np.count_nonzero(np.abs(block[row]) > peak))
            out[row] = np.clip(block[row], -peak, peak)
        yield out
    for row in rows:
        share = counts[row] / n if n else math.nan
        run.report(k, row, clipped_samples=counts[row], clipped_share=share)


def _companded(
    stream: Iterator[Float32], step: CodecStep, k: int, sr: int, run: _Run
) -> Iterator[Float32]:
    rows = run.touched(step)
    counts = dict.fromkeys(rows, 0)
    for block in stream:
        out = block.copy()
        for row in rows:
            out[row], clipped = through(block[row], step.law)
            counts[row] += clipped
        yield out
    for row in rows:
        run.report(k, row, law=step.law, clipped_samples=counts[row])


def _retimed(
    stream: Iterator[Float32], step: TempoStep, k: int, sr: int, run: _Run
) -> Iterator[Float32]:
    return _through(stream, TempoStream(sr, rate=step.rate, channels=run.channels))


def _leaked(
    stream: Iterator[Float32], step: CrosstalkStep, k: int, sr: int, run: _Run
) -> Iterator[Float32]:
    places = [step.source - run.first_channel, step.target - run.first_channel]
    for name, place in zip(("source", "target"), places, strict=True):
        if not 0 <= place < run.channels:
            raise ChannelError(
                f"crosstalk must have its {name}, channel {getattr(step, name)}, among the channels of the "
                f"signal, which has {run.channels}"
            )
    crosstalk = _Crosstalk(step, places[0], places[1], sr)
    return (crosstalk.push(block) for block in stream)


def _thinned(
    stream: Iterator[Float32], step: LossStep, k: int, sr: int, run: _Run
) -> Iterator[Float32]:
    rows = run.touched(step)
    streams = {
        row: LossStream(
            sr, loss=step.loss, burst_frames=step.burst_frames, frame_s=step.frame_s,
            conceal=step.conceal, rng=run.rng(k, row),
        )
        for row in rows
    }  # fmt: skip
    yield from _through(stream, _on_rows(rows, run.channels, streams.__getitem__))
    for row, one in streams.items():
        lost = one.lost
        spans = lost_intervals(lost, one.edges, sr)
        n = int(lost.sum())
        run.report(
            k, row, spans, loss=n / lost.size if lost.size else math.nan, lost_frames=n,
            mean_burst_frames=n / len(spans) if n else math.nan,
        )  # fmt: skip


def _noisy(
    stream: Iterator[Float32], step: NoiseStep | BurstStep, k: int, sr: int, run: _Run
) -> Iterator[Float32]:
    """Passes over the whole signal: its mean, its speech level with the level of the noise, the mix, the gain."""
    rows = run.touched(step)
    if not rows:
        yield from stream
        return
    with (
        closing(run.spool()) as speech,
        closing(run.spool()) as noise,
        closing(run.spool()) as mixed,
    ):
        sums = {row: SumMeter() for row in rows}
        for block in stream:
            speech.write(block)
            for row in rows:
                sums[row].push(block[row])
        if not speech.n:
            return
        levels = _speech_levels(speech, step, sr, {row: sums[row].mean for row in rows})
        sources = {row: _open(step, sr, run.rng(k, row), speech.n, run.sounds) for row in rows}
        meters = {row: NoiseMeter(sr, generated=step.noise in COLORS) for row in rows}
        for block in speech.blocks():
            part = np.zeros_like(block)
            for row in rows:
                part[row] = sources[row].take(block.shape[1])
                meters[row].push(part[row])
            noise.write(part)
        gains = np.zeros((run.channels, 1), dtype=np.float32)
        references = {}
        for row in rows:
            name = f"channel {run.first_channel + row}"
            gain_db, references[row] = _gain(step, levels.get(row), meters[row], name)
            gains[row] = 10 ** (gain_db / 20)
        peaks, clipped = np.zeros(run.channels), np.zeros(run.channels, dtype=np.int64)
        residues = {row: SumMeter() for row in rows}
        for block, part in zip(speech.blocks(), noise.blocks(), strict=True):
            mix = block + gains * part
            if step.allow_clipping:
                for row in rows:
                    limited = np.clip(mix[row], -1.0, np.float32(CLIPPED_FROM))
                    clipped[row] += int(np.count_nonzero(limited != mix[row]))
                    mix[row] = limited
            for row in rows:
                residues[row].push(mix[row] - block[row])
            peaks = np.maximum(peaks, np.abs(mix).max(axis=1, initial=0.0))
            mixed.write(mix)
        speech.close()
        noise.close()
        cuts = np.ones((run.channels, 1), dtype=np.float32)
        if not step.allow_clipping:
            for row in rows:
                cuts[row] = headroom_gain(float(peaks[row]))
        n = mixed.n
        for block in mixed.blocks():
            yield block if (cuts == 1).all() else block * cuts
        for row in rows:
            attenuation_db = 20 * math.log10(float(cuts[row, 0]))
            noise_dbov = residues[row].rms_dbov + attenuation_db
            values: dict[str, Any] = {
                "noise": step.noise,
                "gain_db": 20 * math.log10(float(gains[row, 0])) + attenuation_db,
                "attenuation_db": attenuation_db,
                "clipped_share": int(clipped[row]) / n,
                "starts_s": tuple(sources[row].starts_s),
            }
            level = levels.get(row)
            if level is not None:
                values |= {"active_dbov": level.active_dbov, "rms_dbov": level.rms_dbov}
            if isinstance(step, BurstStep):
                spans, snrs_db = sources[row].until(n)
                spans_s = np.array(spans, dtype=np.float64).reshape(-1, 2) / sr
                run.report(k, row, spans_s, **values, snrs_db=tuple(snrs_db))
                continue
            values["noise_dbov"] = noise_dbov
            if level is not None:
                values["snr_db"] = references[row] + attenuation_db - noise_dbov
            run.report(k, row, [[0.0, n / sr]], **values)


def _speech_levels(
    speech: _Spool, step: NoiseStep | BurstStep, sr: int, means: Mapping[int, float]
) -> dict[int, SpeechLevel]:
    if isinstance(step, NoiseStep) and step.snr_db is None:
        return {}
    meters = {row: SpeechMeter(sr, mean=mean) for row, mean in means.items()}
    for block in speech.blocks():
        for row, meter in meters.items():
            meter.push(block[row])
    return {row: meter.result() for row, meter in meters.items()}


def _gain(
    step: NoiseStep | BurstStep, level: SpeechLevel | None, meter: NoiseMeter, name: str
) -> tuple[float, float]:
    """Gain of the noise in dB, and the level that the SNR counts from."""
    if isinstance(step, BurstStep):  # its source is already at its SNR to a reference of 0 dBov
        reference = _reference(level, "active", name) if level else math.nan
        return reference, reference
    noise_dbov = meter.level_dbov()
    if level is None or step.snr_db is None:
        return float(step.level_dbov or 0.0) - noise_dbov, math.nan
    reference = _reference(level, step.over, name)
    return reference - step.snr_db - noise_dbov, reference


def _reference(level: SpeechLevel, over: str, name: str) -> float:
    try:
        return speech_reference(level, over, name=name)
    except SilenceError as error:
        raise SilenceError(
            f"{error}; noise with level_dbov instead of snr_db needs no speech"
        ) from error


def _open(
    step: NoiseStep | BurstStep, sr: int, rng: np.random.Generator, total: int, sounds: Sounds
) -> Any:
    """The source of a step's noise for one channel."""
    loaded = [_sound(name, sr, sounds) for name in step.sounds]

    def source(rng: np.random.Generator, n: int) -> Source:
        if step.noise == "babble":
            return open_babble(loaded, sr, rng, talkers=step.talkers)
        if step.noise == "recording":
            chosen = loaded[int(rng.integers(len(loaded)))] if len(loaded) > 1 else loaded[0]
            return open_recorded(chosen, sr, rng, n)
        return open_noise(step.noise, sr, rng, hum_hz=step.hum_hz)

    if isinstance(step, NoiseStep):
        return source(rng, total)
    return BurstSource(
        sr,
        rng,
        per_minute=step.per_minute,
        duration_s=step.duration_s,
        snr_db=step.snr_db,
        source=source,
    )


def _sound(name: str, sr: int, sounds: Sounds) -> Float32:
    """A named or stored sound as one channel at `sr`."""
    if name in sounds:
        given: Any = sounds[name]
        if not isinstance(given, tuple) or len(given) != 2:
            raise InputError(
                f"sounds must map names to (samples, rate in Hz), got {name!r}: {given!r:.60}"
            )
        y, rate = as_channel(given[0], name=name), given[1]
    else:
        recording = read_recording(name)
        y, rate = recording.read().mean(axis=0), recording.sr
    return np.asarray(resample(y, as_rate(rate, name=f"rate of {name}"), sr), dtype=np.float32)


_STEP_RUNNERS: Final[dict[type[LineStep], Callable[..., Iterator[Float32]]]] = {
    ResampleStep: _resampled, GainStep: _amplified, ClipStep: _clipped, OffsetStep: _offset, BandStep: _banded,
    CodecStep: _companded, NoiseStep: _noisy, BurstStep: _noisy, LossStep: _thinned, TempoStep: _retimed,
    CrosstalkStep: _leaked,
}  # fmt: skip


def _as_seed(rng: int | np.random.Generator | None, condition: Condition) -> int | None:
    if isinstance(rng, np.random.Generator):
        return int(rng.integers(1 << 63))
    if rng is None:
        if condition.is_random:
            raise InputError(
                f"rng must be given: condition {condition.name!r} draws at random, got None"
            )
        return None
    if not is_whole(rng):
        raise InputError(f"rng must be a seed (int >= 0) or a numpy Generator, got {rng!r}")
    return int(rng)


def _run_on(
    condition: Condition,
    channels: int,
    *,
    channel: int = 0,
    seed: int | None,
    call: str,
    sounds: Sounds | None,
    spool: Callable[[], _Spool],
) -> _Run:
    if not is_text(call):
        raise InputError(f"call must be text, got {call!r}")
    if not is_whole(channel):
        raise InputError(f"channel must be a channel number from 0, got {channel!r}")
    return _Run(condition, channels, channel, seed, call, sounds or {}, spool)


def _array_blocks(y: npt.NDArray[Any]) -> Iterator[Float32]:
    for start in range(0, y.shape[1], BLOCK):
        yield _as_block(y[:, start : start + BLOCK])


def _as_block(y: npt.ArrayLike) -> Float32:
    """Samples of shape (n,) or (channel, n) as a float32 block of two dimensions."""
    x = np.asarray(y)
    if x.dtype == np.int16:
        x = np.multiply(x, np.float32(1 / 32768), dtype=np.float32)
    if x.dtype not in (np.float32, np.float64):
        raise InputError(
            f"y must be int16, or float32 or float64 with full scale 1.0, got {x.dtype}"
        )
    if x.ndim not in (1, 2) or (x.ndim == 2 and not x.shape[0]):
        raise InputError(f"y must have shape (n,) or (channel, n), got {x.shape}")
    return np.atleast_2d(x).astype(np.float32, copy=False)


def degrade(
    recording_or_y: Recording | npt.ArrayLike,
    condition: str | Condition,
    *,
    sr: int | None = None,
    rng: int | np.random.Generator | None = None,
    call: str = "",
    channel: int = 0,
    sounds: Sounds | None = None,
) -> Degraded:
    """Put a line condition on a recording or an array.

    Parameters
    ----------
    recording_or_y : Recording, or array-like of float or int16, shape (n,) or (channel, n)
        Full scale 1.0 (int16: 32768).
    condition : str or Condition
        A name of `conditions`, or a condition.
    sr : int
        Sampling rate in Hz of an array; a recording knows its own.
    rng : int or Generator
        Seed; needed where a step draws. The same seed, call and channel give the same bits.
    call : str
        Name of the call, part of the seed: with one seed for many calls, each has noise of its own.
    channel : int
        Which channel an array of shape (n,) is: 0 caller, 1 agent.
    sounds : mapping of str to (array, int), optional
        Recordings that steps name, with their rates in Hz; other names are paths.

    Returns
    -------
    Degraded
        Float32 at `Degraded.sr`, and what was changed where.

    Raises
    ------
    InputError
        If an argument is out of its range, a sample is not finite, or a seed is needed and missing.
    SilenceError
        If an SNR is asked for on a channel without speech, or noise is silent.
    ChannelError
        If crosstalk needs a channel that is not there.
    """
    condition = as_condition(condition)
    seed = _as_seed(rng, condition)
    if isinstance(recording_or_y, Recording):
        recording = recording_or_y
        if sr is not None and sr != recording.sr:
            raise InputError(f"sr must be left out or {recording.sr}, the recording's, got {sr}")
        rate, channels, shape_2d = recording.sr, recording.n_channels, True
        blocks: Iterator[Float32] = recording.blocks(BLOCK / rate)
        name = recording.name
    else:
        if sr is None:
            raise InputError("sr must be given for an array, got None")
        rate, name = as_rate(sr), "y"
        y = np.asarray(recording_or_y)
        _as_block(y[..., :0])
        shape_2d = y.ndim == 2
        y = np.atleast_2d(y)
        channels, blocks = y.shape[0], _array_blocks(y)
    run = _run_on(
        condition, channels, channel=0 if shape_2d else channel, seed=seed, call=call, sounds=sounds,
        spool=lambda: _MemorySpool(channels),
    )  # fmt: skip
    parts = list(_run(blocks, rate, run))
    out = np.concatenate([np.zeros((channels, 0), dtype=np.float32), *parts], axis=1)
    out = out if shape_2d else out[0]
    out.flags.writeable = False
    used = seed if condition.is_random else None
    return Degraded(condition, used, condition.out_rate(rate), run.result(), out, name)


class DegradedBlocks:
    """The blocks of a signal under a line condition, as they come out; `report` once they are out.

    Made by `degrade_blocks`. Iterate over it once.
    """

    def __init__(self, blocks: Iterator[Float32], sr: int, run: _Run, flat: bool) -> None:
        self.sr = sr
        self._blocks, self._run, self._flat, self._done = blocks, run, flat, False

    def __iter__(self) -> Iterator[Float32]:
        for block in self._blocks:
            if block.shape[1]:
                yield block[0] if self._flat else block
        self._done = True

    @property
    def changes(self) -> tuple[Change, ...]:
        """What was changed where.

        Raises
        ------
        InputError
            If blocks are still to come.
        """
        if not self._done:
            raise InputError(
                "changes must be asked for after the last block, some are still to come"
            )
        return self._run.result()


def degrade_blocks(
    blocks: Iterable[npt.ArrayLike],
    condition: str | Condition,
    *,
    sr: int,
    rng: int | np.random.Generator | None = None,
    call: str = "",
    channel: int = 0,
    sounds: Sounds | None = None,
    folder: str | os.PathLike[str] | None = None,
) -> DegradedBlocks:
    """Put a line condition on a signal that comes in blocks of any size; the bits are those of `degrade`.

    Parameters
    ----------
    blocks : iterable of float or int16 arrays, shape (n,) or (channel, n)
        Consecutive pieces of one signal, all of the same shape but for n.
    condition, sr, rng, call, channel, sounds
        As for `degrade`.
    folder : path, optional
        Where a step that must know the whole signal (noise at an SNR) keeps it meanwhile; by default the system's
        folder for temporary files. Nothing is left there.

    Returns
    -------
    DegradedBlocks
        Blocks come out as they are settled, of other sizes than they went in; memory does not grow with the
        signal, but a step that adds noise gives its first block after the last one came in.

    Raises
    ------
    InputError, SilenceError, ChannelError
        As for `degrade`, those on the samples while iterating.
    """
    condition, rate = as_condition(condition), as_rate(sr)
    seed = _as_seed(rng, condition)
    pieces = iter(blocks)
    first = next(pieces, None)
    flat = first is None or np.ndim(first) < 2
    head = np.zeros((1, 0), dtype=np.float32) if first is None else _as_block(first)
    channels, place = head.shape[0], None if folder is None else Path(folder)

    def checked() -> Iterator[Float32]:
        yield head
        for piece in pieces:
            block = _as_block(piece)
            if block.shape[0] != channels or (np.ndim(piece) < 2) != flat:
                raise InputError(
                    f"every block must have the {channels} channels of the first, got shape {np.shape(piece)}"
                )
            yield block

    run = _run_on(
        condition, channels, channel=channel if flat else 0, seed=seed, call=call, sounds=sounds,
        spool=lambda: _FileSpool(channels, place),
    )  # fmt: skip
    return DegradedBlocks(_run(checked(), rate, run), condition.out_rate(rate), run, flat)


@dataclass(slots=True, eq=False)
class _DegradedSource:
    """A condition under way as the source of a recording that is written, block by block, once."""

    sr: int
    n_channels: int
    n_samples: int
    stream: Iterator[Float32]
    done: Callable[[int], None]
    container: str = "line"
    encoding: str = "pcm_f32le"
    findings: tuple[Finding, ...] = ()

    def blocks(self, size: int, start: int, stop: int | None) -> Iterator[Float32]:
        n = 0
        for block in self.stream:
            n += block.shape[1]
            self.done(n)
            if block.shape[1]:
                yield np.ascontiguousarray(block.T)
        if n != self.n_samples:
            raise InputError(
                f"the result must have {self.n_samples} samples by its rates, it has {n}"
            )

    def end_findings(self, n_samples: int) -> tuple[Finding, ...]:
        return ()


def degrade_file(
    path: str | os.PathLike[str],
    to: str | os.PathLike[str],
    condition: str | Condition,
    *,
    rng: int | np.random.Generator | None = None,
    call: str = "",
    sounds: Sounds | None = None,
    encoding: str = "pcm_s16le",
    progress: Callable[[float, float], None] | None = None,
    **reading: Any,
) -> DegradedFile:
    """Put a line condition on a file of any length, in memory that does not grow with it.

    Parameters
    ----------
    path : path
        What `read_recording` reads, of one or two channels.
    to : path
        ``.wav`` or ``.flac``; written beside it first, so that no partial file is ever seen. It may be `path` itself.
    condition, rng, call, sounds
        As for `degrade`.
    encoding : str
        Of `to`, as for `Recording.write`: ``"pcm_mulaw"`` keeps what a mu-law step made, at half the size.
    progress : callable, optional
        Called with samples written and samples to write.
    **reading
        Passed on to `read_recording`: ``sr``, ``encoding`` goes by the name ``read_encoding``, ``channels``, ...

    Returns
    -------
    DegradedFile

    Raises
    ------
    InputError
        If a file cannot be read or written, or as for `degrade`.
    SilenceError, ChannelError
        As for `degrade`.

    Notes
    -----
    Steps that must know the whole signal keep it in a nameless file in the folder of `to`: for noise 4 bytes per
    sample and channel, three times, at the rate of the step.
    """
    condition = as_condition(condition)
    seed = _as_seed(rng, condition)
    if "read_encoding" in reading:
        reading["encoding"] = reading.pop("read_encoding")
    recording = read_recording(path, **reading)
    target = Path(to)
    if not target.parent.is_dir():
        raise InputError(f"{target}: must lie in a folder that exists, {target.parent} does not")
    n, rate = recording.n_samples, recording.sr
    for step in condition.steps:
        if isinstance(step, ResampleStep):
            n, rate = (2 * n * step.to_hz + rate) // (2 * rate), step.to_hz
        elif isinstance(step, TempoStep):
            n = round(n / step.rate)
    channels = recording.n_channels
    run = _run_on(
        condition, channels, seed=seed, call=call, sounds=sounds,
        spool=lambda: _FileSpool(channels, target.parent),
    )  # fmt: skip
    stream = _run(recording.blocks(BLOCK / recording.sr), recording.sr, run)

    def done(written: int) -> None:
        if progress is not None:
            progress(written, n)

    source = _DegradedSource(rate, channels, n, stream, done)
    result = Recording(recording.name, rate, channels, "line", "pcm_f32le", (), None, source)
    written = result.write(target, encoding=encoding)
    used = seed if condition.is_random else None
    return DegradedFile(condition, used, rate, run.result(), written, channels)


__all__ = [
    "BandStep",
    "BurstStep",
    "Change",
    "ClipStep",
    "CodecStep",
    "Condition",
    "CrosstalkStep",
    "Degraded",
    "DegradedBlocks",
    "DegradedFile",
    "GainStep",
    "LossStep",
    "NoiseStep",
    "OffsetStep",
    "ResampleStep",
    "TempoStep",
    "alaw_decode",
    "alaw_encode",
    "as_condition",
    "band_limit",
    "change_rate",
    "condition_schema",
    "conditions",
    "degrade",
    "degrade_blocks",
    "degrade_file",
    "drop_frames",
    "load_condition",
    "mix_at_snr",
    "mulaw_decode",
    "mulaw_encode",
    "resample",
]
