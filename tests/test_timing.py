"""Turns, latency, overlap and barge-in on calls put together sample by sample, and the hard cases by name."""

import math

import numpy as np
import pytest
import soundfile

import s2sverify as s2s
from s2sverify.selftest import speechlike
from s2sverify.types import Role, Transcript, Word

SR = 8_000
_VOICES: dict[tuple, np.ndarray] = {}


def voice(duration_s, seed=0, sr=SR, level_dbov=-23.0):
    """Speech-like sound; the same arguments give the same samples."""
    key = (duration_s, seed, sr)
    if key not in _VOICES:
        _VOICES[key] = speechlike(duration_s, sr, rng=seed)
    return _VOICES[key] * np.float32(10 ** ((level_dbov + 23.0) / 20))


def call(total_s, caller=(), agent=(), sr=SR):
    """A silent call with (start_s, clip) put on either channel."""
    y = np.zeros((2, round(total_s * sr)), dtype=np.float32)
    for channel, clips in enumerate((caller, agent)):
        for start_s, clip in clips:
            at = round(start_s * sr)
            y[channel, at : at + clip.size] += clip
    return y


def measure(y, sr=SR, **options):
    return s2s.measure_timing(s2s.Recording.from_arrays(y[0], y[1], sr), **options)


def edges_of(y, sr=SR):
    """First and last sound by the plain definition, written out again: 10 ms windows per ms, 30 ms held."""
    power = np.convolve(np.square(y.astype(float)), np.ones(sr // 100) / (sr // 100), "valid")
    loud = power[:: sr // 1000] > 1e-4
    held = np.flatnonzero(np.convolve(loud, np.ones(21)) == 21)
    return (held[0] - 20) / 1000, held[-1] / 1000 + 0.010


def pink(n, seed=0):
    spectrum = np.fft.rfft(np.random.default_rng(seed).standard_normal(n))
    spectrum /= np.sqrt(np.maximum(np.arange(spectrum.size), 1.0))
    noise = np.fft.irfft(spectrum, n)
    return noise / noise.std()


def babble(y, timing, talkers=6):
    """The call's own talk, six times over itself at other places."""
    parts = [
        y[channel, round(s.onset_s * SR) : round(s.offset_s * SR)]
        for channel, found in enumerate((timing.caller, timing.agent))
        for s in found.spurts
    ]
    talk = np.concatenate(parts)
    rng = np.random.default_rng(0)
    rolls = rng.integers(talk.size, size=talkers)
    noise = sum(np.resize(np.roll(talk, int(by)), y.shape[1]) for by in rolls)
    return noise / noise.std()


def at_snr(y, noise, snr_db, level_dbov=-23.0):
    return (y + noise * 10 ** ((level_dbov - snr_db) / 20)).astype(np.float32)


A, B, C = voice(2.0, 1), voice(1.5, 2), voice(2.5, 3)


# -- closed form


def test_latency_is_agent_onset_minus_caller_offset():
    # caller 1.0 |---A 2.0---| 3.0 .. agent 3.8 |---B---| 5.3
    y = call(8, [(1.0, A)], [(3.8, B)])
    timing = measure(y)
    (response,) = timing.responses
    expected = edges_of(y[1])[0] - edges_of(y[0])[1]
    assert response.status == "answered"
    assert response.latency_s == pytest.approx(expected, abs=0.0011)
    assert response.latency_interval.start_s <= expected <= response.latency_interval.end_s
    assert timing.percentile(50) == response.latency_s
    assert timing.overlaps == ()


def test_a_cut_in_of_900_ms_keeps_its_negative_latency():
    y = call(8, [(1.0, A)], [(2.1, C)])
    timing = measure(y)
    (response,) = timing.responses
    expected = edges_of(y[1])[0] - edges_of(y[0])[1]
    assert expected == pytest.approx(-0.9, abs=0.06)
    assert response.status == "cut_in"
    assert response.latency_s == pytest.approx(expected, abs=0.0011)
    (overlap,) = timing.overlaps
    assert (overlap.second, overlap.kind, overlap.yielded) == (Role.AGENT, "cut_in", Role.CALLER)
    assert overlap.duration_s == pytest.approx(-expected, abs=0.0011)


def test_every_caller_turn_is_accounted_for():
    y = call(
        24,
        [(1.0, A), (7.0, B), (13.0, A), (19.0, B)],
        [(4.0, B), (15.5, C)],
    )
    timing = measure(y)
    assert [str(r.status) for r in timing.responses] == [
        "answered", "unanswered", "answered", "unanswered",
    ]  # fmt: skip
    unanswered = timing.responses[1]
    assert unanswered.reason == "the caller spoke again first"
    assert math.isnan(unanswered.latency_s)
    assert unanswered.observed_s == pytest.approx(13.0 - 8.5, abs=0.1)
    assert timing.responses[3].reason == "the recording ends first"
    assert len(timing.censored_s) == 2


def test_a_percentile_that_was_not_reached_is_infinite():
    y = call(20, [(1.0, A), (6.0, B), (12.0, A)], [(3.5, voice(1.0, 4))])
    timing = measure(y)
    assert timing.percentile(0) == pytest.approx(timing.latencies_s[0])
    assert timing.percentile(90) == math.inf
    assert timing.percentile_interval(50)[1] == math.inf


def test_a_long_silence_is_listed_between_talk_and_at_the_end():
    timing = measure(call(20, [(1.0, A)], [(9.0, B)]))
    first, last = timing.long_silences
    assert (first.start_s, first.end_s) == pytest.approx((3.0, 9.0), abs=0.06)
    assert last.end_s == 20.0
    assert measure(call(20, [(1.0, A)], [(9.0, B)]), long_silence_s=7.0).long_silences == (last,)


def test_talk_share_and_double_talk():
    y = call(10, [(1.0, A)], [(2.5, B)])
    timing = measure(y)
    assert timing.talk_share("caller") == pytest.approx(0.2, abs=0.02)
    assert timing.talk_share("agent") == pytest.approx(0.15, abs=0.02)
    assert timing.double_talk_share == pytest.approx(0.5 / 3.0, abs=0.02)


def test_speaking_rate_needs_words():
    y = call(8, [(1.0, A)], [(3.8, B)])
    words = Transcript(tuple(Word("w", 3.8 + i / 4, 4.0 + i / 4) for i in range(5)))
    assert math.isnan(measure(y).speaking_rate_wpm("agent"))
    assert measure(y, agent_words=words).speaking_rate_wpm("agent") == pytest.approx(200, rel=0.06)


# -- barge-in


def test_barge_in_with_its_yield_latency():
    long = voice(4.0, 5)
    cut = long[: round(2.4 * SR)]  # the agent stops 0.4 s after the caller comes in
    y = call(12, [(3.0, A)], [(1.0, cut), (6.2, B)])
    timing = measure(y)
    (barge_in,) = timing.barge_ins
    expected = edges_of(y[1][: 5 * SR])[1] - edges_of(y[0])[0]
    assert barge_in.yielded
    assert not barge_in.backchannel
    assert barge_in.yield_latency_s == pytest.approx(expected, abs=0.0011)
    assert expected == pytest.approx(0.4, abs=0.05)
    assert barge_in.resumed_s == pytest.approx(6.2 - 3.4, abs=0.06)
    assert timing.responses[0].status == "answered"


def test_a_250_ms_barge_in_that_stops_the_agent():
    y = call(12, [(3.0, voice(0.25, 6))], [(1.0, voice(4.0, 5)[: round(2.5 * SR)]), (4.3, B)])
    timing = measure(y)
    (barge_in,) = timing.barge_ins
    assert barge_in.yielded
    assert not barge_in.backchannel
    assert [o.kind for o in timing.overlaps] == ["barge_in"]
    (response,) = timing.responses
    assert response.status == "answered"
    assert response.latency_s == pytest.approx(1.05, abs=0.08)


def test_an_agent_that_never_yields_is_censored():
    y = call(14, [(3.0, C)], [(1.0, voice(9.0, 7))])
    (barge_in,) = (timing := measure(y)).barge_ins
    assert not barge_in.yielded
    assert math.isnan(barge_in.yield_latency_s)
    assert barge_in.yield_interval.end_s == math.inf
    assert barge_in.yield_interval.start_s == pytest.approx(7.0, abs=0.1)
    assert timing.responses[0].status == "unanswered"
    assert timing.responses[0].reason == "the agent talked on"


def test_short_talk_under_an_agent_who_goes_on_is_a_backchannel():
    timing = measure(call(12, [(3.0, voice(0.4, 6))], [(1.0, voice(6.0, 7))]))
    (backchannel,) = timing.backchannels
    assert not backchannel.certain
    assert not backchannel.false_yield
    assert timing.responses[0].status == "not_owed"
    assert timing.latencies_s == []
    assert timing.censored_s == []


@pytest.mark.parametrize(("said", "false_yield"), [("mhm yeah", True), ("stop please", False)])
def test_words_tell_a_false_yield_from_a_command(said, false_yield):
    y = call(12, [(3.0, voice(0.5, 6))], [(1.0, voice(4.0, 5)[: round(2.6 * SR)]), (5.5, B)])
    words = Transcript(tuple(Word(w, 3.0 + i / 4, 3.2 + i / 4) for i, w in enumerate(said.split())))
    (barge_in,) = measure(y, caller_words=words).barge_ins
    assert barge_in.certain
    assert barge_in.false_yield is false_yield


def test_the_yield_window_is_two_seconds():
    y = call(14, [(3.0, voice(0.9, 6))], [(1.0, voice(4.5, 7))])  # the agent ends 2.5 s after
    assert not measure(y).barge_ins[0].yielded
    assert measure(y, yield_window_s=3.0).barge_ins[0].yielded


# -- hard cases


def test_digital_silence():
    timing = measure(call(5))
    assert (timing.turns, timing.responses, timing.overlaps) == ((), (), ())
    assert math.isnan(timing.percentile(50))
    assert math.isnan(timing.double_talk_share)
    assert {f.code for f in timing.findings} >= {"silent_channel"}


def test_hiss_before_speech_is_no_onset():
    y = call(8, [(1.0, A)], [(3.8, B)])
    hiss = np.random.default_rng(0).standard_normal(y.shape[1]) * 10 ** (-62 / 20)
    y[1] += hiss.astype(np.float32)
    (response,) = measure(y).responses
    assert response.agent_onset_s == pytest.approx(
        edges_of(call(8, (), [(3.8, B)])[1])[0], abs=0.003
    )


def test_breath_and_click_heads_are_no_onset():
    breath = 10 ** (-44 / 20) * np.random.default_rng(1).standard_normal(round(0.25 * SR))
    click = np.zeros(40, dtype=np.float32)
    click[:8] = 0.8
    y = call(8, [(1.0, A)], [(3.4, breath.astype(np.float32)), (3.3, click), (3.8, B)])
    (response,) = measure(y).responses
    assert response.agent_onset_s == pytest.approx(3.8, abs=0.02)


def test_a_quiet_agent_at_36_below_overload():
    soft = voice(3.0, 9, level_dbov=-36.0)
    y = call(9, [(1.0, A)], [(3.8, soft)])
    (response,) = measure(y).responses
    louder = call(9, (), [(3.8, voice(3.0, 9))])[1]
    assert response.agent_onset_s == pytest.approx(edges_of(louder)[0], abs=0.02)
    assert len(measure(y).turns_of("agent")) == 1


def test_a_thinking_pause_of_650_ms_is_within_the_turn():
    first = voice(1.2, 10)
    y = call(9, [(1.0, first), (1.0 + 1.2 + 0.65, B)], [(5.2, C)])
    timing = measure(y)
    assert len(timing.turns_of("caller")) == 1
    assert timing.responses[0].latency_s == pytest.approx(5.2 - 4.35, abs=0.06)


def test_an_agent_that_takes_a_thinking_pause_for_the_end_cuts_in():
    first = voice(1.2, 10)
    y = call(9, [(1.0, first), (2.85, B)], [(2.6, C)])
    assert measure(y).responses[0].status == "cut_in"


@pytest.mark.parametrize("kind", ["pink", "babble"])
@pytest.mark.parametrize("channel", [0, 1])
def test_noise_at_10_db_on_one_channel_only(kind, channel):
    recording = s2s.read_recording(s2s.sample_paths()[0])  # real voices of synthesisers
    clean = s2s.measure_timing(recording)
    y = np.array(recording.samples)
    own = (clean.caller, clean.agent)[channel]
    n = y.shape[1]
    noise = pink(n) if kind == "pink" else babble(y, clean)
    y[channel] = at_snr(y[channel], noise, 10.0, own.active_dbov)
    timing = measure(y, recording.sr)
    assert [r.status for r in timing.responses] == [r.status for r in clean.responses]
    pairs = list(zip(timing.responses, clean.responses, strict=True))
    errors = [abs(noisy.latency_s - plain.latency_s) for noisy, plain in pairs]
    assert np.median(errors) <= 0.030
    assert max(errors) <= 0.200  # a hissed ending of a word goes under
    held = [
        noisy.latency_interval.start_s <= plain.latency_s <= noisy.latency_interval.end_s
        for noisy, plain in pairs
    ]
    assert sum(held) >= len(held) - 1
    assert len(timing.overlaps) == len(clean.overlaps)


def test_echo_at_30_below_is_told_and_is_no_overlap():
    y = call(12, [(1.0, A)], [(3.8, voice(4.0, 11))])
    leak = 10 ** (-30 / 20) * np.roll(y[1], round(0.09 * SR))
    y[0] += leak.astype(np.float32)
    timing = measure(y)
    assert timing.overlaps == ()
    (echo,) = [f for f in timing.findings if f.code == "echo"]
    assert "-30 dB, 90 ms late" in echo.message


def test_a_loud_echo_is_not_the_caller():
    y = call(12, [(1.0, A)], [(3.8, voice(4.0, 11))])
    y[0] += (10 ** (-10 / 20) * np.roll(y[1], round(0.12 * SR))).astype(np.float32)
    timing = measure(y)
    assert timing.overlaps == ()
    assert timing.barge_ins == ()
    assert len(timing.turns_of("caller")) == 1
    assert timing.echoes


def test_an_offset_of_2_percent_changes_nothing():
    y = call(8, [(1.0, A)], [(3.8, B)])
    plain, shifted = measure(y), measure(y + np.float32(0.02))
    assert shifted.latencies_s == pytest.approx(plain.latencies_s, abs=0.0021)


def test_11025_hz():
    sr = 11_025
    y = call(8, [(1.0, voice(2.0, 1, sr))], [(3.8, voice(1.5, 2, sr))], sr)
    (response,) = measure(y, sr).responses
    assert response.latency_s == pytest.approx(0.8, abs=0.06)


def test_an_agent_that_never_answers():
    timing = measure(call(16, [(1.0, A), (8.0, B)]))
    assert [str(r.status) for r in timing.responses] == ["unanswered", "unanswered"]
    assert timing.percentile(50) == math.inf
    assert timing.percentile_interval(50) == (-math.inf, math.inf)
    assert timing.responses[0].reason == "the agent's channel holds no sound at all"


def test_a_caller_who_never_speaks():
    timing = measure(call(10, (), [(1.0, A), (5.0, B)]))
    assert timing.responses == ()
    assert len(timing.turns_of("agent")) == 2
    assert math.isnan(timing.percentile(50))


def test_one_hour():
    part = call(30, [(1.0, A), (14.0, C)], [(4.0, C), (18.0, A)])
    y = np.tile(part, (1, 120))
    timing = measure(y)
    assert timing.duration_s == 3600.0
    assert timing.count("answered") == 240
    first = timing.latencies_s[:2]
    assert timing.latencies_s == pytest.approx(first * 120, abs=0.0011)


# -- integrity


def test_mono_is_refused_by_name(tmp_path):
    soundfile.write(tmp_path / "mono.wav", A, SR)
    with pytest.raises(s2s.ChannelError, match=r"mono\.wav: timing needs two channels .*, got 1"):
        s2s.measure_timing(s2s.read_recording(tmp_path / "mono.wav"))


def test_identical_channels_refuse_what_they_spoil():
    y = call(8, [(1.0, A)], [(1.0, A)])
    timing = measure(y)
    assert set(timing.refused) >= {"responses", "overlaps", "barge_ins"}
    assert "must be different sound" in timing.refused["responses"]
    assert (timing.responses, timing.overlaps) == ((), ())
    assert math.isnan(timing.percentile(50))


def trace_of(caller, agent, shift_s=0.0, drift=0.0):
    turns = [("caller", a, b) for a, b in caller] + [("agent", a, b) for a, b in agent]
    return {
        "turns": [
            {"role": role, "text": "x", "start_ms": 1000 * ((1 + drift) * a + shift_s),
             "end_ms": 1000 * ((1 + drift) * b + shift_s)}
            for role, a, b in sorted(turns, key=lambda t: t[1])
        ]
    }  # fmt: skip


TALK = (
    [(1.0 + 12 * k, 3.0 + 12 * k) for k in range(8)],
    [(4.0 + 12 * k + 0.2 * (k % 3), 6.5 + 12 * k) for k in range(8)],
)
LONG = call(100, [(a, A) for a, _ in TALK[0]], [(a, C) for a, _ in TALK[1]])


def codes(y, trace):
    call_ = s2s.read_call(s2s.Recording.from_arrays(y[0], y[1], SR), trace)
    return {f.code: f for f in s2s.measure_timing(call_).findings}


def test_swapped_channels_are_told_from_the_log():
    found = codes(LONG[::-1].copy(), trace_of(*TALK))
    assert "swapped_channels" in found
    assert "swapped_channels" not in codes(LONG, trace_of(*TALK))


def test_swapped_channels_are_told_from_the_callers_audio():
    recording = s2s.Recording.from_arrays(LONG[1], LONG[0], SR)
    known = LONG[0]
    assert "swapped_channels" in {
        f.code for f in s2s.check_integrity(recording, caller_audio=(known, SR))
    }
    right = s2s.Recording.from_arrays(LONG[0], LONG[1], SR)
    assert "swapped_channels" not in {
        f.code for f in s2s.check_integrity(right, caller_audio=(known, SR))
    }


def test_offset_drift_and_jumps_of_the_logs_clock():
    assert not {"clock_offset", "clock_drift", "timeline_jump"} & set(codes(LONG, trace_of(*TALK)))
    assert "+2.99 s" in codes(LONG, trace_of(*TALK, shift_s=-3.0))["clock_offset"].message
    drifting = codes(LONG, trace_of(*TALK, drift=0.005))["clock_drift"]
    assert abs(float(drifting.message.split(" by ")[1].split(" ppm")[0]) + 4975) < 300
    jumped = np.concatenate(
        (LONG[:, : 50 * SR], np.zeros((2, 2 * SR), np.float32), LONG[:, 50 * SR :]), 1
    )
    jump = codes(jumped, trace_of(*TALK))["timeline_jump"]
    assert "+2.00 s" in jump.message
    assert jump.intervals[0].start_s <= 50 <= jump.intervals[0].end_s + 2


def test_lost_frames_and_a_recording_that_ends_in_speech():
    y = call(5, [(1.0, A)], [(3.8, voice(2.0, 2)[: round(1.2 * SR)])])
    loud = np.flatnonzero(np.abs(A) > 0.05)[300] + SR
    y[0, loud : loud + 160] = 0.0
    found = {f.code: f for f in measure(y).findings}
    assert found["lost_frames"].count == 1
    assert found["lost_frames"].intervals[0].start_s == pytest.approx(loud / SR, abs=0.002)
    assert "ends" in found["cut_off"].message


def test_a_hole_in_the_noise_floor_is_a_gap():
    y = at_snr(LONG, pink(LONG.shape[1]), 20.0)
    y[0, 70 * SR : 71 * SR] = 0.0
    recording = s2s.Recording.from_arrays(y[0], y[1], SR)
    gaps = [f for f in s2s.check_integrity(recording) if f.code == "gaps"]
    assert [g.channel for g in gaps] == [0]
    assert gaps[0].spoils == ("timing",)
    assert gaps[0].intervals[0].start_s == pytest.approx(70.0, abs=0.03)


# -- several calls, exports, plots


def test_the_worst_condition_comes_first():
    fast = measure(call(8, [(1.0, A)], [(3.5, B)]), condition="clean")
    slow = measure(call(8, [(1.0, A)], [(5.0, B)]), condition="phone_n10")
    rows = s2s.timing_by_condition([fast, slow, fast])
    assert [row.condition for row in rows] == ["phone_n10", "clean"]
    assert (rows[1].calls, rows[1].n) == (2, 2)
    assert rows[0].p90_s == pytest.approx(2.0, abs=0.06)


def test_event_to_audible_gap_and_the_first_chunks_lead():
    trace = trace_of([(1.0, 3.0)], [(3.8, 5.3)]) | {
        "events": [{"type": "agent.audio.first_chunk", "t_ms": 3400.0}]
    }
    y = call(8, [(1.0, A)], [(3.8, B)])
    recording = s2s.Recording.from_arrays(y[0], y[1], SR)
    (sound,) = s2s.measure_timing(s2s.read_call(recording, trace)).first_sounds
    assert sound.gap_s == pytest.approx(0.4, abs=0.05)
    assert sound.kind == "digital_silence"
    y[1, round(3.2 * SR) :] += 1e-4
    y[1, round(3.2 * SR) :: 2] -= 2e-4
    (sound,) = measure(y).first_sounds
    assert sound.kind == "near_silence"
    assert sound.lead_s == pytest.approx(0.6, abs=0.05)


def test_tables_labels_and_json(tmp_path):
    timing = measure(call(10, [(1.0, A)], [(2.5, C)]), condition="clean")
    frame = timing.to_frame()
    assert frame["status"].tolist() == ["cut_in"]
    assert s2s.audacity_labels(timing).splitlines()[0].endswith("\tcaller")
    assert all(line.split()[0] == "SPEAKER" for line in s2s.rttm(timing).splitlines())
    assert s2s.timing_csv(timing).splitlines()[1].split(",")[10] == "cut_in"
    for ending in (".txt", ".rttm", ".csv"):
        assert s2s.write_labels(timing, tmp_path / f"x{ending}").read_text()
    with pytest.raises(s2s.InputError, match=r"must end in \.txt"):
        s2s.write_labels(timing, tmp_path / "x.doc")
    plain = timing.to_dict()
    assert plain["summary"]["cut_in"] == 1
    assert plain["responses"][0]["status"] == "cut_in"


def test_plot_marks_the_recordings_waveforms():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    y = call(10, [(1.0, A)], [(2.5, C)])
    recording = s2s.Recording.from_arrays(y[0], y[1], SR)
    ax = recording.plot()
    before = len(ax.collections)
    assert s2s.measure_timing(recording).plot(ax=ax) is ax
    assert len(ax.collections) + len(ax.patches) > before
    assert measure(y).plot() is not ax
    pyplot.close("all")


def test_needs_a_recording():
    with pytest.raises(s2s.InputError, match="timing needs a recording"):
        s2s.measure_timing(s2s.read_call(None, {"turns": []}))
