"""What others' definitions say of the same talk, what was heard, artefacts, the self test, censored percentiles."""

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_timing import SR, A, B, C, call, measure, voice

import s2sverify as s2s
from s2sverify import compat
from s2sverify.types import Transcript, Word

# -- percentiles of times that were not all seen to their end


@given(st.lists(st.floats(-5, 60), min_size=1, max_size=30), st.floats(0, 100))
def test_without_censoring_it_is_the_common_percentile(values, q):
    assert s2s.censored_percentile(values, q) == pytest.approx(
        float(np.percentile(values, q)), abs=1e-6
    )


def test_kaplan_meier_by_hand():
    # at risk 5: one ends at 1; one is lost at 1.5; then 3 at risk share its weight: 1/5, 4/15, 4/15, 4/15
    assert s2s.censored_percentile([1, 2, 3, 4], 0, censored=[1.5]) == 1.0
    middles = np.cumsum([0.1, 0.1 + 2 / 15, 4 / 15, 4 / 15])
    wanted = np.interp(0.5 * (middles[0] + middles[-1]), middles, [1, 2, 3, 4])
    assert s2s.censored_percentile([1, 2, 3, 4], 50, censored=[1.5]) == pytest.approx(float(wanted))
    assert s2s.censored_percentile([1, 2, 3, 4], 90, censored=[9]) == math.inf
    assert math.isnan(s2s.censored_percentile([], 50))


@pytest.mark.parametrize(
    ("n", "interval"), [(5, (-math.inf, math.inf)), (6, (1, 6)), (20, (6, 15))]
)
def test_interval_of_the_median_by_the_binomial(n, interval):
    assert s2s.percentile_interval(range(1, n + 1), 50) == interval


def test_intervals_cover_as_they_say():
    rng = np.random.default_rng(1)
    hits = 0
    for _ in range(400):
        low, high = s2s.percentile_interval(rng.exponential(size=25), 80)
        hits += low <= math.log(5) <= high
    assert hits >= 0.93 * 400


@pytest.mark.parametrize(
    ("bad", "message"), [({"q": 101}, "q must be in"), ({"values": [math.nan]}, "must not be NaN")]
)
def test_percentiles_reject(bad, message):
    with pytest.raises(s2s.InputError, match=message):
        s2s.censored_percentile(**({"values": [1.0], "q": 50} | bad))


# -- others' definitions


@pytest.fixture(scope="module")
def talk():
    """A call with an answer, a cut-in, an agent who talks on, and a last turn without an answer."""
    y = call(
        40,
        [(1.0, A), (8.0, A), (17.0, C), (33.0, B)],
        [(3.63, B), (9.5, C), (15.0, voice(9.0, 7))],
    )
    return measure(y)


def test_tau_voice_is_quantised_and_skips_the_last_turn(talk):
    figures = s2s.tau_voice(talk)
    answered = [r for r in talk.responses if r.status == "answered"]
    ticks = [
        math.floor(r.agent_onset_s / 0.2) - math.floor(r.caller_offset_s / 0.2) for r in answered
    ]
    assert figures.response_latency_s == pytest.approx(0.2 * np.mean(ticks), abs=1e-9)
    assert figures.response_rate == 1.0  # the last turn, never answered, is not counted
    assert figures.interrupt_rate == pytest.approx(1 / figures.responses)
    assert figures.yield_rate == 0.0
    assert math.isnan(figures.yield_latency_s)
    assert math.isnan(figures.backchannel_selectivity)


def test_full_duplex_bench_rewards_an_agent_that_never_stops(talk):
    figures = s2s.full_duplex_bench(talk)
    assert figures.takeover_rate == pytest.approx(3 / 4)
    differences = compat.compare_definitions(talk)
    talked_on = [d for d in differences if d.theirs == "takeover at 0 s"]
    assert [d.ours for d in talked_on] == ["unanswered"]
    assert any(d.definition == "Full-Duplex-Bench" and d.theirs == "0 s" for d in differences)


def test_divergence_of_backchannels():
    y = call(12, [(1.0, voice(8.0, 7))], [(3.0, voice(0.5, 2)), (6.0, voice(0.5, 4))])
    timing = measure(y)
    assert s2s.full_duplex_bench(timing).backchannel_frequency == pytest.approx(2 / 12)
    reference = np.zeros(60)
    reference[[int(3.0 / 0.2) - 1, int(6.0 / 0.2) - 1]] = 1  # onsets lie a few ms before 3 and 6 s
    assert s2s.full_duplex_bench(timing, reference=reference).backchannel_jsd < 1e-6
    assert s2s.full_duplex_bench(
        timing, reference=np.roll(reference, 5)
    ).backchannel_jsd == pytest.approx(math.log(2), abs=1e-6)
    assert s2s.full_duplex_bench(measure(call(5)), reference=reference).backchannel_jsd == 1.0
    with pytest.raises(s2s.InputError, match="reference must be a distribution"):
        s2s.full_duplex_bench(timing, reference=[0.0, 0.0])


@pytest.mark.parametrize(
    ("latency_s", "tool", "score"),
    [(-0.5, False, 0.0), (0.0, False, 0.5), (0.5, False, 1.0), (2.0, False, 1.0), (2.75, False, 0.5),
     (3.5, False, 0.0), (3.0, True, 1.0), (4.0, True, 0.5), (9.0, True, 0.0)],
)  # fmt: skip
def test_eva_latency_score(latency_s, tool, score):
    assert compat._eva_latency(latency_s, tool) == pytest.approx(score)


def test_eva_scores_every_turn(talk):
    figures = s2s.eva(talk)
    assert len(figures.turns) == 4
    assert figures.turns[0] == 1.0
    assert figures.turns[1] <= 0.5  # an agent cut-in
    assert figures.turns[3] == 0.0
    assert not figures.passed
    with pytest.raises(s2s.InputError, match="one entry per response, 4, got 1"):
        s2s.eva(talk, with_tool=[True])


def test_table_of_differences(talk):
    frame = compat.definitions_frame(talk)
    assert set(frame["definition"]) <= {"tau-voice", "Full-Duplex-Bench", "EVA"}
    assert len(frame) == len(compat.compare_definitions(talk))


# -- what was heard

SAID = "The test shows heavy loss. I opened a ticket. A man can come on Friday at 7:30 a.m."


def heard(events, **options):
    y = call(14, [(4.0, A)], [(1.0, voice(9.0, 7)[: round(3.4 * SR)]), (7.5, B)])
    trace = {
        "turns": [
            {"id": "a1", "role": "agent", "text": SAID, "start_ms": 1000.0},
            {"id": "c1", "role": "caller", "text": "wait", "start_ms": 4000.0},
            {
                "id": "a2",
                "role": "agent",
                "text": "Of course, one moment please, I look.",
                "start_ms": 7500.0,
            },
        ],
        "events": events,
    }
    call_ = s2s.read_call(s2s.Recording.from_arrays(y[0], y[1], SR), trace)
    return s2s.what_was_heard(call_, s2s.measure_timing(call_), **options)


def test_heard_text_ends_at_the_played_sample():
    first, second = heard(
        [{"type": "agent.truncated", "t_ms": 4500.0, "turn": "a1", "audio_end_ms": 3400}]
    )
    assert first.evidence == "event"
    assert first.cut_s == pytest.approx(4.4, abs=0.06)
    assert first.believed
    assert f"{first.heard} {first.unheard}" == SAID
    assert "07:30" in [e.value for e in first.unheard_values]
    assert not second.cut
    assert second.heard == "Of course, one moment please, I look."


def test_the_cut_is_told_from_the_audio_alone():
    first, second = heard([])
    assert first.evidence == "audio"
    assert first.unheard.endswith("7:30 a.m.")
    assert not second.cut


def test_words_of_the_audio_say_where_it_was_cut():
    words = [
        Word(w, 1.0 + 0.3 * i, 1.3 + 0.3 * i)
        for i, w in enumerate(["the", "test", "shows", "heavy", "loss", "i", "opened"])
    ]
    first, _ = heard([], agent_words=Transcript(tuple(words)))
    assert first.certain
    assert first.heard == "The test shows heavy loss. I opened"


def test_heard_needs_a_trace():
    y = call(8, [(1.0, A)], [(3.8, B)])
    call_ = s2s.read_call(s2s.Recording.from_arrays(y[0], y[1], SR))
    with pytest.raises(s2s.InputError, match="needs a trace"):
        s2s.what_was_heard(call_, s2s.measure_timing(call_))


# -- artefacts


def artefacts(y, **options):
    recording = s2s.Recording.from_arrays(y[0], y[1], SR)
    return s2s.find_artefacts(recording, s2s.measure_timing(recording), **options)


def test_a_hum_without_words():
    t = np.arange(SR) / SR
    hum = 0.07 * sum(np.sin(2 * np.pi * 160 * h * t) / h**1.5 for h in range(1, 8))
    y = call(10, [(1.0, A)], [(3.8, B), (7.0, hum.astype(np.float32))])
    assert [(a.kind, a.sound) for a in artefacts(y) if a.kind == "steady"] == [("steady", "hum")]
    words = Transcript((Word("yes", 3.9, 4.4), Word("sure", 4.5, 5.2)))
    found = [a for a in artefacts(y, agent_words=words) if a.kind == "no_words"]
    assert [(a.sound, round(a.start_s)) for a in found] == [("hum", 7)]


def test_a_loop_and_its_period():
    speech = voice(2.0, 1)
    piece = speech[round(0.5 * SR) : round(0.9 * SR)]
    looped = np.concatenate((speech[: round(0.9 * SR)], piece, piece, speech[round(0.9 * SR) :]))
    found = [a for a in artefacts(call(9, (), [(1.0, looped)])) if a.kind == "loop"]
    assert found
    assert found[0].amount == pytest.approx(0.4, abs=0.001)
    assert not [a for a in artefacts(call(9, (), [(1.0, C)])) if a.kind == "loop"]


def test_dropouts_abrupt_ends_and_level_jumps():
    cut = voice(3.0, 3).copy()
    loud = np.flatnonzero(np.abs(cut) > 0.08)
    at, end = int(loud[loud > SR // 2][0]), int(loud[loud < 2 * SR][-1])
    cut[at : at + 160] = 0.0
    y = call(14, (), [(1.0, cut[:end]), (5.0, C), (9.5, 0.3 * C)])
    found = artefacts(y)
    kinds = {a.kind: a for a in found}
    assert kinds["dropout"].start_s == pytest.approx(1.0 + at / SR, abs=0.002)
    assert kinds["level_jump"].amount == pytest.approx(-10.5, abs=0.6)
    ends = [a.interval.end_s for a in found if a.kind == "abrupt_end"]
    assert any(abs(e - (1.0 + end / SR)) < 0.012 for e in ends)


# -- the self test and the command line


def test_self_test_errs_little_where_nothing_is_on_the_line():
    (clean,) = s2s.self_test(conditions=("clean",), calls=1, rng=4)
    assert (clean.missed, clean.invented) == (0, 0)
    assert clean.onset_p95_s < 0.002
    assert clean.offset_p95_s < 0.002
    assert clean.covered == 1.0
    with pytest.raises(s2s.InputError, match="calls must be at least 1"):
        s2s.self_test(calls=0)


def test_the_same_seed_makes_the_same_voice():
    np.testing.assert_array_equal(s2s.speechlike(0.5, SR, rng=3), s2s.speechlike(0.5, SR, rng=3))
    assert not np.array_equal(s2s.speechlike(0.5, SR, rng=3), s2s.speechlike(0.5, SR, rng=4))
    with pytest.raises(s2s.InputError, match="duration_s must be at least"):
        s2s.speechlike(0.01, SR, rng=0)


def test_measure_on_the_command_line(tmp_path, capsys):
    from s2sverify.cli import main

    y = call(12, [(1.0, A), (8.0, B)], [(2.5, C)])
    s2s.Recording.from_arrays(y[0], y[1], SR).write(tmp_path / "call.wav")
    exported = tmp_path / "labels.txt"
    assert main(["measure", str(tmp_path / "call.wav"), "--export", str(exported), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["kind"] == "timing"
    assert [r["status"] for r in told["responses"]] == ["cut_in", "unanswered"]
    assert told["elsewhere"]["eva"]["turns"]
    assert "overlap" in exported.read_text(encoding="utf-8")
    assert main(["measure", str(tmp_path / "call.wav")]) == 0
    assert "cut_in" in capsys.readouterr().out
    assert main(["measure", str(tmp_path / "gone.wav")]) == 2
    assert "gone.wav" in capsys.readouterr().err


def test_selftest_on_the_command_line(capsys):
    from s2sverify.cli import main

    assert main(["selftest", "-n", "1", "--condition", "clean", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["conditions"][0]["condition"] == "clean"
    assert main(["selftest", "--condition", "nonesuch"]) == 2
