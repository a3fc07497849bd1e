"""What is wrong with a recording as evidence of time: leakage, swapped roles, clocks that disagree, gaps, cut ends.

`Recording.findings` says what the file itself betrays; this goes on with what the two signals, and a trace beside
them, betray. Every finding names its rule and value, and what it spoils.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from s2sverify.kernels.activity import group_spans, intersect, join_runs, runs
from s2sverify.recording import Recording
from s2sverify.spurts import Activity, activity
from s2sverify.trace import Call, Trace
from s2sverify.types import Finding, Interval, Role

F64 = npt.NDArray[np.float64]

ECHO_DELAY_S = 0.5  # leakage is sought up to this much later than its source
_ECHO_CORRELATION = 0.5  # caller sound that follows the agent's samples this closely is the agent's
_LEAK_EVIDENCE = 8.0  # peak of the cross-correlation over its spread across delays
_LEAK_LOWEST_DB = -60.0
_LEAK_SPURT_S, _LEAK_LONGEST_S, _LEAK_SPURTS = 0.4, 2.0, 10

_SWAP_MARGIN = 0.5  # by how much more of the log's turns the other channel must hold, of 2
_SWAP_SHARE = (
    0.3  # by how much of what it lacks the other channel must fit the caller's known audio better
)
_SHIFT_S, _SHIFTS = (
    0.25,
    16,
)  # offsets of the log's clock at which its turns are tried, up to 4 s either way
_OFFSET_S, _DRIFT_S, _JUMP_S = 0.5, 0.15, 0.3
_PAIR_REACH_S, _JUMP_REACH_S, _FEWEST_PAIRS = 1.0, 5.0, 5
_GAP_S, _GAP_SPOILS_S = 0.060, 0.250
_LOST_S = 0.010  # exact zeros for at least this long inside loud sound
_CUT_S = 0.020
_STEP_DB = (
    20.0  # sound that stops or starts at an edge of the file with this much above its threshold
)


def echo_spurts(recording: Recording, caller: Activity, agent: Activity) -> tuple[Interval, ...]:
    """Spurts of the caller's channel that are the agent's own sound, leaked with a delay of up to 0.5 s."""
    if not caller.spurts or not agent.spurts:
        return ()
    sr, found = recording.sr, []
    lags = round(ECHO_DELAY_S * sr)
    theirs = agent.intervals_s
    for spurt in caller.spurts:
        near = np.flatnonzero(
            (theirs[:, 0] < spurt.offset_s) & (theirs[:, 1] > spurt.onset_s - ECHO_DELAY_S)
        )
        if not near.size:
            continue
        start, end = round(spurt.onset_s * sr), round(spurt.offset_s * sr)
        low = max(start - lags, 0)
        source = np.asarray(recording.agent[low:end], dtype=np.float64)
        copy = np.asarray(recording.caller[start:end], dtype=np.float64)
        products = _correlate(copy, source)[: start - low + 1]
        energy = np.concatenate(([0.0], np.cumsum(source * source)))
        spans = energy[copy.size : copy.size + products.size] - energy[: products.size]
        own = float(copy @ copy)
        usable = spans > 1e-9 * max(own, 1e-12)
        if own > 0 and usable.any():
            likeness = np.abs(products[usable]) / np.sqrt(spans[usable] * own)
            if likeness.max() >= _ECHO_CORRELATION:
                found.append(spurt.interval)
    return tuple(found)


def _correlate(short: F64, long: F64) -> F64:
    """Inner product of `short` with `long` at every place where it fits."""
    size = 1 << (long.size + short.size - 1).bit_length()
    spectrum = np.fft.rfft(long, size) * np.conj(np.fft.rfft(short, size))
    full: F64 = np.fft.irfft(spectrum, size)[: long.size - short.size + 1]
    return full


def check_integrity(
    call: Call | Recording,
    *,
    caller: Activity | None = None,
    agent: Activity | None = None,
    echoes: Sequence[Interval] | None = None,
    caller_audio: tuple[npt.ArrayLike, int] | None = None,
) -> tuple[Finding, ...]:
    """Say what of a two-channel recording must be known before a time is read off it.

    Parameters
    ----------
    call : Call or Recording
        With a trace, its turns are held against the audio: roles, offset, drift, jumps.
    caller, agent : Activity, optional
        Where they are known already.
    echoes : sequence of Interval, optional
        As `echo_spurts` gives them.
    caller_audio : (samples, rate), optional
        What was played to the agent as the caller, to tell a swap without a trace.

    Returns
    -------
    tuple of Finding
        Those of the recording first. ``spoils`` names what must be refused; ``intervals`` limit it, where given.

    Raises
    ------
    ChannelError
        If the recording has one channel.
    """
    recording = call if isinstance(call, Recording) else call.recording
    trace = call.trace if isinstance(call, Call) else None
    if recording is None:
        return ()
    if caller is None:
        caller = activity(recording.caller, recording.sr)
    if agent is None:
        agent = activity(recording.agent, recording.sr)
    if echoes is None:
        echoes = echo_spurts(recording, caller, agent)
    found = list(recording.findings)
    found += _leakage(recording, caller, agent, echoes)
    if trace is not None:
        found += _against_trace(recording.name, caller, agent, trace)
    if caller_audio is not None:
        found += _against_caller(recording.name, caller, agent, caller_audio)
    for role, one in ((Role.CALLER, caller), (Role.AGENT, agent)):
        found += _lost_and_gone(recording, role, one)
        found += _cut_ends(recording, role, one)
    return tuple(found)


# --- one channel in the other


def _leakage(
    recording: Recording, caller: Activity, agent: Activity, echoes: Sequence[Interval]
) -> Iterator[Finding]:
    for source, target in ((agent, caller), (caller, agent)):
        role = Role.CALLER if source is agent else Role.AGENT
        leak = _leak(recording, source, target, role)
        into = role.channel
        other = Role.AGENT if role is Role.CALLER else Role.CALLER
        if leak is not None:
            level_db, delay_s = leak
            yield Finding(
                "echo" if role is Role.CALLER else "crosstalk",
                f"{recording.name}: {role} must not hold the {other}, it does at {level_db:.0f} dB, "
                f"{1000 * delay_s:.0f} ms late",
                into,
                count=len(echoes) if role is Role.CALLER else None,
                intervals=tuple(echoes) if role is Role.CALLER else (),
            )
        elif role is Role.CALLER and echoes:
            yield Finding(
                "echo",
                f"{recording.name}: caller must not hold the agent, {len(echoes)} stretches of it are the agent's own "
                f"sound; they are not counted as talk",
                into,
                count=len(echoes),
                intervals=tuple(echoes),
            )


def _leak(
    recording: Recording, source: Activity, target: Activity, into: Role
) -> tuple[float, float] | None:
    """Level and delay of a leaking source, from stretches in which only the source is active."""
    sr = recording.sr
    y_target = recording.channel(into)
    y_source = recording.channel(Role.AGENT if into is Role.CALLER else Role.CALLER)
    lags = round(ECHO_DELAY_S * sr)
    busy = target.intervals_s
    total, energy, used = np.zeros(lags + 1), 0.0, 0
    for spurt in source.spurts:
        if spurt.duration_s < _LEAK_SPURT_S:
            continue
        overlap = (busy[:, 0] < spurt.offset_s + ECHO_DELAY_S) & (busy[:, 1] > spurt.onset_s)
        if overlap.any():
            continue
        start = round(spurt.onset_s * sr)
        end = min(
            round(spurt.offset_s * sr),
            start + round(_LEAK_LONGEST_S * sr),
            y_source.size - lags - 1,
        )
        if end - start < _LEAK_SPURT_S * sr:
            continue
        x = np.asarray(y_source[start:end], dtype=np.float64)
        total += _correlate(x, np.asarray(y_target[start : end + lags], dtype=np.float64))[
            : lags + 1
        ]
        energy += float(x @ x)
        used += 1
        if used >= _LEAK_SPURTS:
            break
    if not used or energy <= 0:
        return None
    at = int(np.argmax(np.abs(total)))
    spread = 1.4826 * float(np.median(np.abs(total - np.median(total))))
    level_db = 20 * math.log10(max(abs(float(total[at])) / energy, 1e-12))
    if level_db < _LEAK_LOWEST_DB or abs(float(total[at])) < _LEAK_EVIDENCE * max(spread, 1e-12):
        return None
    return level_db, at / sr


# --- against the log


def _best_fit(ours: F64, theirs: F64, agent: F64, caller: F64) -> float:
    """How much of the log's turns the two channels hold, of 2, at the offset of clocks that suits them best."""
    return max(
        _share_within(ours + shift, agent) + _share_within(theirs + shift, caller)
        for shift in np.arange(-_SHIFTS, _SHIFTS + 1) * _SHIFT_S
    )


def _share_within(turns: F64, active: F64) -> float:
    total = float((turns[:, 1] - turns[:, 0]).sum())
    common = intersect(turns, active)
    return float((common[:, 1] - common[:, 0]).sum()) / total if total > 0 else 0.0


def _logged(trace: Trace, role: Role) -> F64:
    spans = [t.interval for t in trace.turns_of(role)]
    table = np.array(
        sorted((i.start_s, i.end_s) for i in spans if i is not None and i.end_s > i.start_s)
    ).reshape(-1, 2)
    if len(table):
        table[1:, 0] = np.maximum(table[1:, 0], np.maximum.accumulate(table[:-1, 1]))
        table = table[table[:, 1] > table[:, 0]]
    return table


def _against_trace(name: str, caller: Activity, agent: Activity, trace: Trace) -> Iterator[Finding]:
    theirs, ours = _logged(trace, Role.CALLER), _logged(trace, Role.AGENT)
    a, b = caller.intervals_s, agent.intervals_s
    if len(ours) and len(theirs):
        straight, crossed = _best_fit(ours, theirs, b, a), _best_fit(ours, theirs, a, b)
        if crossed > straight + _SWAP_MARGIN:
            yield Finding(
                "swapped_channels",
                f"{name}: the caller must be channel 0 and the agent channel 1, the log's turns fit the other way "
                f"round ({crossed / 2:.0%} of their time against {straight / 2:.0%})",
                spoils=("roles", "timing", "verify"),
            )
            return
    starts = np.array(
        [t.start_ms / 1000 for t in trace.turns_of(Role.AGENT) if t.start_ms is not None]
    )
    onsets = np.array([s.onset_s for s in agent.merged().spurts])
    yield from _clocks(name, starts, onsets)


def _clocks(name: str, starts: F64, onsets: F64) -> Iterator[Finding]:
    """Offset, drift and jumps of the log's clock against the audio, from the starts of agent turns."""
    if starts.size < _FEWEST_PAIRS or onsets.size < _FEWEST_PAIRS:
        return
    apart = (onsets[None, :] - starts[:, None]).ravel()
    apart = apart[np.abs(apart) < 30.0]
    if apart.size < _FEWEST_PAIRS:
        return
    held = np.array([np.sum(np.abs(apart - centre) < _PAIR_REACH_S / 2) for centre in apart])
    offset_s = float(np.median(apart[np.abs(apart - apart[int(held.argmax())]) < _PAIR_REACH_S]))
    nearest = np.abs(onsets[None, :] - offset_s - starts[:, None]).argmin(axis=1)
    rest = onsets[nearest] - starts
    # a jump moves what comes after it: pairs may be farther apart, but not so far that the next turn is as near
    reach_s = min(max(0.45 * float(np.median(np.diff(onsets))), _PAIR_REACH_S), _JUMP_REACH_S)
    near = np.abs(rest - offset_s) < reach_s
    if near.sum() < _FEWEST_PAIRS:
        return
    t, r = starts[near], rest[near]
    i, j = np.triu_indices(t.size, 1)
    far = t[j] - t[i] > 1.0
    slope = float(np.median((r[j] - r[i])[far] / (t[j] - t[i])[far])) if far.any() else 0.0
    span_s = float(t[-1] - t[0])
    centre = float(np.median(r - slope * (t - t[0])))
    spread = 1.4826 * float(np.median(np.abs(r - centre - slope * (t - t[0]))))
    parts = [(r[:k], r[k:]) for k in range(2, t.size - 1)]
    misfit = [sum(float(np.abs(p - np.median(p)).sum()) for p in pair) for pair in parts]
    if parts:
        early, late = parts[int(np.argmin(misfit))]
        k = early.size
        jump_s = float(np.median(late) - np.median(early))
        scatter = max(1.4826 * float(np.median(np.abs(p - np.median(p)))) for p in (early, late))
        if abs(jump_s) > _JUMP_S and scatter < 0.25 * abs(jump_s):
            what = "silence was inserted into" if jump_s > 0 else "sound is missing from"
            yield Finding(
                "timeline_jump",
                f"{name}: log and audio must keep their distance, from {t[k]:.1f} s on they differ by {jump_s:+.2f} s: "
                f"{what} the recording, or its log restarted",
                Role.AGENT.channel,
                ("events",),
                intervals=(Interval(float(t[k - 1]), float(t[k])),),
            )
            return
    if abs(slope) * span_s > max(_DRIFT_S, 4 * spread):
        yield Finding(
            "clock_drift",
            f"{name}: log and audio must run equally fast, they part by {1e6 * slope:+.0f} ppm, "
            f"{slope * span_s:+.2f} s over {span_s:.0f} s",
            Role.AGENT.channel,
            ("events",),
        )
    elif abs(offset_s) > _OFFSET_S:
        yield Finding(
            "clock_offset",
            f"{name}: log and audio must share one clock, the audio is {offset_s:+.2f} s from the log (median of "
            f"{int(near.sum())} agent turns)",
            Role.AGENT.channel,
            ("events",),
        )


def _against_caller(
    name: str, caller: Activity, agent: Activity, audio: tuple[npt.ArrayLike, int]
) -> Iterator[Finding]:
    known = activity(*audio).cells_dbov
    likeness = [_envelope_likeness(one.cells_dbov, known) for one in (caller, agent)]
    if likeness[1] > max(0.5, likeness[0] + _SWAP_SHARE * (1.0 - likeness[0])):
        yield Finding(
            "swapped_channels",
            f"{name}: the caller's known audio must be in channel 0, it fits channel 1 better (correlation of levels "
            f"{likeness[1]:.2f} against {likeness[0]:.2f})",
            spoils=("roles", "timing", "verify"),
        )


def _envelope_likeness(a: npt.NDArray[np.float32], b: npt.NDArray[np.float32]) -> float:
    """Largest correlation of two level tracks over all shifts."""
    short, long = sorted((np.maximum(a, -60.0), np.maximum(b, -60.0)), key=len)
    if not short.size:
        return 0.0
    x, y = short.astype(np.float64) - short.mean(), long.astype(np.float64) - long.mean()
    scale = math.sqrt(float(x @ x) * float(y @ y))
    pad = np.concatenate((np.zeros(x.size), y, np.zeros(x.size)))
    return float(_correlate(x, pad).max()) / scale if scale > 0 else 0.0


# --- missing sound


def lost_frames(y: npt.NDArray[np.float32], sr: int, one: Activity) -> tuple[Interval, ...]:
    """Stretches of zeros that cut into sound: frames that were lost and not concealed.

    Parameters
    ----------
    y : float array, shape (n,)
        One channel.
    sr : int
        Its rate in Hz.
    one : Activity
        Of the same channel.
    """
    lost: list[Interval] = []
    for spurt in one.spurts:
        first, last = round(spurt.onset_s * 100), round(spurt.offset_s * 100)
        for dip, back in runs(one.cells_dbov[first:last] < one.threshold_dbov - 6.0).tolist():
            middle = (2 * first + dip + back) * sr // 200
            if y[max(middle - 8, 0) : middle + 8].any():
                continue
            start = max(round((first + dip - 2) * sr / 100), 0)
            part = y[start : round((first + back + 2) * sr / 100)]
            for a, b in runs(part == 0.0).tolist():
                if b - a < _LOST_S * sr or a == 0 or b == part.size:
                    continue
                beside = (part[max(a - sr // 100, 0) : a], part[b : b + sr // 100])
                step = max(abs(float(part[a - 1])), abs(float(part[b])))
                loud = max(_level(p) for p in beside) > one.threshold_dbov + 6.0
                if loud and step > 0.5 * 10 ** (one.threshold_dbov / 20):
                    lost.append(Interval((start + a) / sr, (start + b) / sr))
    return tuple(lost)


def _lost_and_gone(recording: Recording, role: Role, one: Activity) -> Iterator[Finding]:
    """Lost frames inside sound, and holes in a noise floor that is otherwise always there."""
    sr, y = recording.sr, recording.channel(role)
    lost = lost_frames(y, sr, one)
    if lost:
        total_s = sum(i.duration_s for i in lost)
        yield Finding(
            "lost_frames",
            f"{recording.name}: {role} must sound without breaks, {len(lost)} stretches of zeros ({total_s:.2f} s) cut "
            f"into its speech",
            role.channel,
            count=len(lost),
            intervals=lost,
        )
    if one.contested < 1.0 and one.floor_dbov < -80.0:
        return
    silent = np.array(
        [_zeros_around(y, sr, a, b) for a, b in runs(one.cells_dbov < -88.0).tolist()]
    ).reshape(-1, 2)
    inner_dead = [
        gap
        for gap in (
            Interval(*span) for span in group_spans(silent, join_runs(silent, 0.0)).tolist()
        )
        if gap.duration_s >= _GAP_S and gap.start_s > 0.05 and gap.end_s < one.duration_s - 0.05
    ]
    for spoils, chosen in (
        ((), [i for i in inner_dead if i.duration_s < _GAP_SPOILS_S]),
        (("timing",), [i for i in inner_dead if i.duration_s >= _GAP_SPOILS_S]),
    ):
        if chosen:
            total_s = sum(i.duration_s for i in chosen)
            yield Finding(
                "gaps",
                f"{recording.name}: {role} must carry its noise throughout, {len(chosen)} stretches ({total_s:.2f} s) "
                f"are digital silence: sound is missing there",
                role.channel,
                spoils,
                len(chosen),
                tuple(chosen),
            )


def _zeros_around(
    y: npt.NDArray[np.float32], sr: int, first: int, last: int
) -> tuple[float, float]:
    """The stretch of equal samples that silent 10 ms cells lie in; the mean taken off hides its ends from them."""
    start, end = first * sr // 100, last * sr // 100
    low, high = max(start - sr // 10, 0), min(end + sr // 10, y.size)
    before, after = np.flatnonzero(y[low:start]), np.flatnonzero(y[end:high])
    start = low + int(before[-1]) + 1 if before.size else low
    end = end + int(after[0]) if after.size else high
    return start / sr, end / sr


def _level(part: npt.NDArray[np.float32]) -> float:
    power = float(np.mean(np.square(part, dtype=np.float64))) if part.size else 0.0
    return 10 * math.log10(max(power, 1e-12))


def _cut_ends(recording: Recording, role: Role, one: Activity) -> Iterator[Finding]:
    if not one.spurts:
        return
    where = []
    if one.spurts[0].onset_s < _CUT_S:
        where.append("begins")
    if one.spurts[-1].offset_s > one.duration_s - _CUT_S:
        where.append("ends")
    for verb in where:
        yield Finding(
            "cut_off",
            f"{recording.name}: {role} must be recorded whole, the recording {verb} in the middle of its sound",
            role.channel,
            ("absence",) if verb == "ends" else (),
        )


__all__ = ["check_integrity", "echo_spurts"]
