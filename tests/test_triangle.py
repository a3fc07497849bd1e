"""Verdicts and owners on calls of known truth, heard by a scripted engine."""

import json
import math
from itertools import pairwise

import numpy as np
import pytest
from calls import SR, Said, make_call, make_floor
from hypothesis import given
from hypothesis import strategies as st

import s2sverify as s2s
from s2sverify.pairing import pair_turns
from s2sverify.trace import parse_trace
from s2sverify.types import Decision, Interval, Outcome, Owner, Transcript, Word


def logged(text, start_ms=1000, end_ms=9000, **more):
    return {
        "id": "a1",
        "role": "agent",
        "text": text,
        "start_ms": start_ms,
        "end_ms": end_ms,
        **more,
    }


def tool(result, t_ms=100, end_ms=400, **more):
    return {
        "id": "c1",
        "name": "look_up",
        "args": {},
        "result": result,
        "t_ms": t_ms,
        "end_ms": end_ms,
        **more,
    }


def run(said, t_out, result=None, *, caller=(), kinds=None, meta=None, turn=None, **options):
    """Verify one agent turn that says `said` while its transcript shows `t_out`."""
    trace = {
        "turns": [logged(t_out, **(turn or {}))] if t_out is not None else [],
        "tool_calls": [tool(result)] if result is not None else [],
        "meta": {"voice": "robot", "condition": "phone", **(meta or {})},
    }
    call, engine = make_call([Said(1.0, said)], caller, trace)
    options.setdefault("floor", make_floor(engine, kinds=kinds))
    return s2s.verify(call, engine=engine, cache=False, **options)


def only(report):
    (entity,) = report.entities
    return entity


# ------------------------------------------------------------------ the table of owners


def test_value_said_as_returned_is_confirmed():
    found = only(
        run("your total is $48.75 today", "Your total is $48.75 today.", {"total": "48.75"})
    )
    assert (found.verdict, found.owner, found.source) == (
        Decision.CONFIRMED,
        None,
        "c1.result.total",
    )
    assert found.heard == found.expected == "48.75"
    assert found.interval.start_s == pytest.approx(2.02)  # the fourth word
    assert found.interval.end_s == pytest.approx(2.3)
    assert found.wrong_confirmation == pytest.approx(1 - 0.05 ** (1 / 2000))


def test_value_said_otherwise_with_a_right_transcript_is_the_agents_speech():
    report = run("your total is $84.75 today", "Your total is $48.75 today.", {"total": "48.75"})
    found = only(report)
    assert (found.verdict, found.owner) == (Decision.REFUTED, Owner.AGENT_SPEECH)
    assert (found.expected, found.heard, found.a_out) == ("48.75", "84.75", Outcome.DIFFERENT)
    assert found.interval.start_s == pytest.approx(2.02)
    assert found.heard_text == "$84.75"
    assert found.false_alarm == pytest.approx(1 - 0.05 ** (1 / 2000))  # 0 errors in 2,000
    assert report.any_refuted
    assert report.turns[0].verdict is Decision.REFUTED


def test_wrong_value_in_speech_and_transcript_is_the_agents_content():
    found = only(run("your total is $15 today", "Your total is $15.00 today.", {"total": "50.00"}))
    assert (found.verdict, found.owner) == (Decision.REFUTED, Owner.AGENT_CONTENT)
    assert (found.expected, found.heard, found.t_out_value) == ("50.00", "15.00", "15.00")


def test_many_results_hide_no_value_that_explains_another():
    """The quick look at what a text can hold must not hide the siblings of a value that is like it."""
    others = {f"count_{k}": str(3000 + k) for k in range(20)}
    report = run(
        "your total is $84.75 today", "Your total is $84.75 today.",
        {**others, "list_price": "184.75", "discount": "100.00"},
    )  # fmt: skip
    assert not report.any_refuted


@pytest.mark.parametrize(
    ("value", "t_out"),
    [
        ("76000", "We counted 76k visitors."), ("76000", "We counted 76 thousand visitors."),
        ("1200000", "It is worth $1.2M now."), ("0.13", "The rate is 13% now."),
        ("57765", "Your code is 577 65 now."), ("4821", "Your code is 4 8 to 1 now."),
        ("50", "It is fifty now."), ("1249.99", "It costs $1,249.99 now."), ("3", "You are 3rd in line."),
    ],
)  # fmt: skip
def test_the_quick_look_lets_every_writing_through(value, t_out):
    from s2sverify.expected import Matcher, Sources, _holder

    trace = parse_trace({"tool_calls": [tool({"value": value})]})
    (leaf,) = Sources.of(trace).results
    assert _holder(t_out)(leaf) or Matcher("en-US").said(leaf, t_out) is None


@pytest.mark.parametrize(
    "result",
    [
        {"total_cents": 8475},
        {"amount_total": 8475, "currency": "usd"},
        {"list_price": "89.75", "discount": "5.00"},
        {"net": "80.00", "tax": "4.75"},
        {"balance_before": "120.00"},
    ],
    ids=lambda result: "-".join(result),
)
def test_a_value_that_follows_from_the_tools_is_not_charged_to_the_agent(result):
    report = run("your total is $84.75 today", "Your total is $84.75 today.", result)
    assert only(report).verdict is not Decision.REFUTED
    assert not report.any_refuted


def test_a_currency_named_beside_an_amount_counts():
    result = {"total": "84.75", "currency": "EUR"}
    t_out = "Your total is $84.75 today."
    assert only(run("your total is $84.75 today", t_out, result)).verdict is Decision.INCONCLUSIVE
    euros = run("your total is 84.75 euros", "Your total is €84.75.", result)
    assert (only(euros).verdict, only(euros).source) == (Decision.CONFIRMED, "c1.result.total")


@pytest.mark.parametrize("extra", [10**70, 10**400, 1e308, "9" * 5000, [[[[[]]]] * 9], None, True])
def test_values_that_nobody_says_leave_the_others_alone(extra):
    result = {"total": "48.75", "blob": extra}
    found = only(run("your total is $48.75 today", "Your total is $48.75 today.", result))
    assert found.verdict is Decision.CONFIRMED


def test_an_empty_transcript_is_none():
    trace = {
        "turns": [logged("  ", 1000, 3000)],
        "tool_calls": [tool({"total": "48.75"})],
        "meta": {"voice": "robot", "condition": "phone"},
    }
    call, engine = make_call([Said(1.0, "your total is $84.75 today")], (), trace)
    found = only(s2s.verify(call, engine=engine, floor=make_floor(engine), cache=False))
    assert (found.source, found.verdict) == ("c1.result.total", Decision.REFUTED)


def test_right_speech_with_a_wrong_transcript_is_the_side_channel():
    found = only(run("your total is $188.68", "Your total is $190.68.", {"total": "188.68"}))
    assert (found.verdict, found.owner) == (Decision.CONFIRMED, Owner.SIDE_CHANNEL_OUT)
    assert found.t_out_value == "190.68"


def test_replace_map_that_changes_the_value_is_declared_and_refuted():
    report = run(
        "your total is sixty dollars", "Your total is $16.00.", {"total": "16.00"},
        meta={"replace": {"$16.00": "sixty dollars"}},
    )  # fmt: skip
    found = only(report)
    assert (found.verdict, found.owner, found.heard) == (Decision.REFUTED, Owner.DECLARED, "60.00")


def test_harmless_replace_map_is_no_disagreement():
    report = run(
        "welcome to acme where your total is sixteen dollars and nothing else",
        "Welcome to ACME Corp. where your total is $16.00 and nothing else", {"total": "16.00"},
        meta={"replace": {"ACME Corp.": "acme"}},
    )  # fmt: skip
    assert only(report).verdict is Decision.CONFIRMED
    assert report.turns[0].words.errors == 0


def test_value_left_out_is_refuted_only_where_nothing_stands_in_its_place():
    t_out = "Your order will come soon. Your total is $48.75. Thank you for calling us today."
    gone = run(
        "your order will come soon thank you for calling us today", t_out, {"total": "48.75"}
    )
    assert (only(gone).verdict, only(gone).a_out) == (Decision.REFUTED, Outcome.ABSENT)
    garbled = run(
        "your order will come soon your toadle is forty ate stamina thank you for calling us today",
        t_out, {"total": "48.75"},
    )  # fmt: skip
    assert only(garbled).verdict is not Decision.REFUTED


def test_a_value_of_the_transcript_alone_names_no_owner():
    found = only(run("we close at nine pm on that day", "We close at 7 p.m. on that day."))
    assert (found.source, found.verdict, found.owner) == ("t_out", Decision.REFUTED, None)
    told = run(
        "we have noted code b d 4 4 7 2 for you", "We have noted code BD4471 for you.",
        caller=[Said(0.1, "yes")],
    )  # fmt: skip
    assert only(told).owner is None


def test_a_value_that_the_caller_gave_is_known_from_there():
    trace = {
        "turns": [
            {"role": "caller", "text": "my code is BD4471", "start_ms": 100, "end_ms": 900},
            logged("I have BD4471 here for you."),
        ],
        "meta": {"voice": "robot", "condition": "phone"},
    }
    call, engine = make_call([Said(1.0, "i have b d 4 4 7 2 here for you")], (), trace)
    found = only(s2s.verify(call, engine=engine, floor=make_floor(engine), cache=False))
    assert (found.source, found.verdict, found.owner) == (
        "caller", Decision.REFUTED, Owner.AGENT_SPEECH,
    )  # fmt: skip


def test_a_value_said_that_stands_nowhere_goes_to_a_listener():
    report = run(
        "you are all set and a fee of $99.10 applies now", "You are all set and a fee applies now."
    )
    found = only(report)
    assert (found.source, found.expected, found.heard) == ("a_out", None, "99.10")
    assert found.verdict is Decision.INCONCLUSIVE


def test_two_values_of_one_kind_do_not_answer_for_each_other():
    report = run(
        "the fee is $20 and nothing more",
        "The fee is $20.00 and the total is $48.75.", {"fee": "20.00", "total": "48.75"},
    )  # fmt: skip
    fee, total = report.entities
    assert fee.verdict is Decision.CONFIRMED
    assert total.heard != "20.00"
    assert total.verdict is not Decision.CONFIRMED


def test_results_inside_json_text_and_lists_are_found():
    result = {"content": '{"orders": [{"total": 48.75}]}'}
    found = only(run("your total is $84.75", "Your total is $48.75.", result))
    assert found.source == "c1.result.content.orders[0].total"


def test_without_transcript_the_tools_are_asked():
    trace = {
        "tool_calls": [tool({"total": "48.75"})],
        "meta": {"voice": "robot", "condition": "phone"},
    }
    call, engine = make_call([Said(1.0, "your total is $84.75 today")], (), trace)
    found = only(s2s.verify(call, engine=engine, floor=make_floor(engine), cache=False))
    assert (found.source, found.verdict, found.heard) == (
        "c1.result.total",
        Decision.REFUTED,
        "84.75",
    )
    assert found.t_out is None


def test_results_that_come_later_are_not_expected():
    trace = {
        "turns": [logged("Your total is $48.75.", 1000, 3000)],
        "tool_calls": [tool({"total": "48.75"}, t_ms=20_000, end_ms=21_000)],
        "meta": {"voice": "robot", "condition": "phone"},
    }
    call, engine = make_call([Said(1.0, "your total is $48.75")], (), trace)
    found = only(s2s.verify(call, engine=engine, floor=make_floor(engine), cache=False))
    assert found.source == "t_out"


# ------------------------------------------------------------------ what the floor allows


def test_budget_decides_between_refuted_and_inconclusive():
    wrong = ("your total is $84.75", "Your total is $48.75.", {"total": "48.75"})
    few = {"money": s2s.KindCounts(n=298, spoken=298, partners=298)}
    enough = {"money": s2s.KindCounts(n=299, spoken=299, partners=299)}
    assert only(run(*wrong, kinds=enough)).verdict is Decision.REFUTED  # 0 of 299: at most 1 %
    found = only(run(*wrong, kinds=few))
    assert found.verdict is Decision.INCONCLUSIVE
    assert found.heard == "84.75"
    assert found.false_alarm == pytest.approx(1 - 0.05 ** (1 / 298))
    assert only(run(*wrong, kinds=few, false_alarm=0.02)).verdict is Decision.REFUTED


@pytest.mark.parametrize(
    ("changes", "meta", "reason"),
    [
        ({"signature": "other|version:1"}, {}, "stale"),
        ({"matcher": "0"}, {}, "matcher"),
        ({}, {"voice": "somebody"}, "voice"),
        ({}, {"condition": "phone_n5"}, "condition"),
    ],
)
def test_a_stale_floor_carries_no_refutation_and_says_so(changes, meta, reason):
    trace = {
        "turns": [logged("Your total is $48.75 today.")],
        "tool_calls": [tool({"total": "48.75"})],
        "meta": {"voice": "robot", "condition": "phone", **meta},
    }
    call, engine = make_call([Said(1.0, "your total is $84.75 today")], (), trace)
    floor = make_floor(engine, **changes)
    report = s2s.verify(call, engine=engine, floor=floor, cache=False)
    assert only(report).verdict is Decision.INCONCLUSIVE
    assert math.isnan(only(report).false_alarm)
    assert any(reason in warning for warning in report.warnings)
    assert not report.any_refuted


def test_floors_of_other_voices_refute_only_what_the_transcript_says_as_well():
    trace = {
        "turns": [logged("Your total is $48.75 today.")],
        "tool_calls": [tool({"total": "48.75"})],
        "meta": {"voice": "somebody", "condition": "phone"},
    }
    call, engine = make_call([Said(1.0, "your total is $84.75 today")], (), trace)
    floors = s2s.FloorSet(tuple(make_floor(engine, voice=f"robot {k}") for k in range(4)))
    report = s2s.verify(call, engine=engine, floor=floors, cache=False)
    assert only(report).verdict is Decision.INCONCLUSIVE
    assert only(report).false_alarm == pytest.approx(1 - (0.05 ** (1 / 2000)) * (1 - 1 / 5))
    assert any("not measured" in warning for warning in report.warnings)
    wrong_too = {**trace, "turns": [logged("Your total is $84.75 today.")]}
    report = s2s.verify(
        s2s.read_call(call.recording, wrong_too), engine=engine, floor=floors, cache=False
    )
    assert (only(report).verdict, only(report).owner) == (Decision.REFUTED, Owner.AGENT_CONTENT)


def test_lost_frames_make_it_another_line():
    trace = {
        "turns": [logged("Your total is $48.75 today.")],
        "tool_calls": [tool({"total": "48.75"})],
        "meta": {"voice": "robot"},
    }
    call, engine = make_call([Said(1.0, "your total is $84.75 today")], (), trace)
    floors = s2s.FloorSet((make_floor(engine),))
    assert (
        only(s2s.verify(call, engine=engine, floor=floors, cache=False)).verdict is Decision.REFUTED
    )
    broken = call.recording.agent.copy()
    for start_s in (1.1, 1.5, 2.1):
        broken[round(start_s * SR) : round((start_s + 0.04) * SR)] = 0.0
    words = list(Said(1.0, "your total is $84.75 today").words)
    hearing = s2s.ScriptedTranscriber([(broken, SR, words)])
    recording = s2s.Recording.from_arrays(call.recording.caller, broken, SR)
    floors = s2s.FloorSet((make_floor(hearing),))
    report = s2s.verify(s2s.read_call(recording, trace), engine=hearing, floor=floors, cache=False)
    assert only(report).verdict is Decision.INCONCLUSIVE
    assert "phone_drop2" in report.floor


def test_words_of_short_turns_are_never_judged():
    report = run("boat of goats", "Both of those.")
    turn = report.turns[0]
    assert turn.words.errors == 2
    assert turn.words_verdict is Decision.NOT_APPLICABLE


def test_words_far_beyond_the_floor_refute_a_turn():
    report = run(
        "please hold the line while i sing a song about trains",
        "We are closed today, so please call again on Monday morning.",
    )
    turn = report.turns[0]
    assert turn.words_verdict is turn.verdict is Decision.REFUTED
    assert turn.words_false_alarm < 0.01


# ------------------------------------------------------------------ truncation


def test_values_after_a_logged_cut_are_not_applicable():
    t_out = "Your code is 57765. The storage fee is $6.50 for each day."
    report = run(
        "your code is 5 7 7 6 5", t_out, {"code": "57765", "fee": "6.50"},
        turn={"truncated_at_ms": 3_720},
    )  # fmt: skip
    code, fee = report.entities
    assert code.verdict is Decision.CONFIRMED
    assert (fee.verdict, fee.owner) == (Decision.NOT_APPLICABLE, Owner.TRUNCATION)
    turn = report.turns[0]
    assert turn.words_verdict is not Decision.REFUTED
    assert turn.heard == "Your code is 57765."
    assert turn.truncation.unplayed == "The storage fee is $6.50 for each day."
    assert turn.truncation.evidence == "trace"


def test_without_a_cut_the_same_words_are_missing():
    t_out = "Your code is 57765. The storage fee is $6.50 for each day."
    report = run("your code is 5 7 7 6 5", t_out, {"code": "57765", "fee": "6.50"})
    assert report.entities[1].verdict is Decision.REFUTED


def test_a_caller_who_cuts_in_explains_the_missing_tail():
    t_out = "Your code is 57765. The storage fee is $6.50 for each day."
    report = run(
        "your code is 5 7 7 6 5", t_out, {"code": "57765", "fee": "6.50"},
        caller=[Said(3.3, "stop i need something else")],
    )  # fmt: skip
    assert report.turns[0].truncation.evidence == "audio"
    assert report.entities[1].owner is Owner.TRUNCATION


def test_a_cut_in_the_log_counts_from_the_first_chunk():
    trace = {
        "turns": [logged("Your code is 57765. The storage fee is $6.50 for each day.", 800, 5000)],
        "tool_calls": [tool({"code": "57765", "fee": "6.50"})],
        "events": [{"type": "agent.truncated", "t_ms": 3800, "turn": "a1", "audio_end_ms": 2900}],
        "meta": {"voice": "robot", "condition": "phone"},
    }
    call, engine = make_call([Said(1.0, "your code is 5 7 7 6 5")], (), trace)
    report = s2s.verify(call, engine=engine, floor=make_floor(engine), cache=False)
    assert report.turns[0].truncation.at_s == pytest.approx(3.66, abs=0.05)  # where the sound ends
    assert report.entities[1].owner is Owner.TRUNCATION


# ------------------------------------------------------------------ rates and report


def test_rates_count_decided_values_only():
    trace = {
        "turns": [
            logged("Your total is $48.75.", 1000, 2600, id="a1"),
            logged("Your code is 57765.", 5000, 7500, id="a2"),
            logged("It is ready at 9 a.m. today.", 10_000, 12_500, id="a3"),
        ],
        "tool_calls": [tool({"total": "48.75", "code": "57765", "time": "09:00"})],
        "meta": {"voice": "robot", "condition": "phone"},
    }
    said = [
        Said(1.0, "your total is $84.75"),
        Said(5.0, "your code is 5 7 7 6 5"),
        Said(10.0, "it is ready at nine a.m. today"),
    ]
    call, engine = make_call(said, (), trace)
    report = s2s.verify(call, engine=engine, floor=make_floor(engine), cache=False)
    assert (report.readback_accuracy.k, report.readback_accuracy.n) == (2, 3)
    assert report.readback_accuracy.interval == pytest.approx((0.0943, 0.9916), abs=1e-4)
    assert report.tool_speech_consistency.k == 2
    assert report.spoken_transcript_disagreement_rate.k == 1
    undecided = s2s.verify(call, engine=engine, floor=s2s.FloorSet(), cache=False)
    assert (undecided.readback_accuracy.k, undecided.readback_accuracy.n) == (2, 2)
    plain = json.dumps(report.to_dict(), allow_nan=False)
    assert json.loads(plain)["summary"]["values"] == {"refuted": 1, "confirmed": 2}
    frame = report.to_frame()
    assert list(frame["verdict"]) == ["refuted", "confirmed", "confirmed"]
    assert frame["start_s"].between(1.0, 12.5).all()


def test_a_report_measures_the_timing_of_its_call_when_asked():
    call, engine = make_call([Said(3.0, "it is ready")], [Said(1.0, "is it ready")], {})
    report = s2s.verify(call, engine=engine, floor=s2s.FloorSet(), cache=False)
    (response,) = report.timing.responses
    assert response.latency_s == pytest.approx(3.0 - 1.96, abs=0.05)
    assert report.timing is report.timing


def test_rates_over_nothing_are_nan():
    report = run("thank you goodbye", "Thank you. Goodbye.")
    assert math.isnan(report.readback_accuracy.value)
    assert report.readback_accuracy.to_dict() == {
        "k": 0,
        "n": 0,
        "value": None,
        "low": None,
        "high": None,
    }


def test_the_engine_is_never_told_what_to_expect():
    class Nosy:
        info = s2s.EngineInfo("nosy", "1", "none", (SR,), True)
        calls = []  # noqa: RUF012  # kept over all

        def transcribe(self, x, sr, *, language=None):
            self.calls.append((x.shape, sr, language))
            return Transcript((Word("$84.75", 0.3, 0.6),))

    call, _ = make_call([Said(1.0, "x")], (), {"turns": [logged("It is $48.75.")]})
    s2s.verify(call, engine=Nosy(), cache=False)
    assert [language for _, _, language in Nosy.calls] == [None]


# ------------------------------------------------------------------ bad input


def test_mono_identical_and_missing_recordings_are_refused_by_name():
    call, engine = make_call([Said(1.0, "hello there")])
    twin = s2s.Recording.from_arrays(
        call.recording.agent, call.recording.agent, SR, name="twin.wav"
    )
    with pytest.raises(s2s.ChannelError, match=r"twin\.wav.*equal sample by sample"):
        s2s.verify(s2s.read_call(twin), engine=engine)
    with pytest.raises(s2s.InputError, match="needs a recording"):
        s2s.verify(s2s.read_call(None, {"turns": []}), engine=engine)
    with pytest.raises(s2s.InputError, match=r"false_alarm must be between 0 and 1, got 1\.5"):
        s2s.verify(call, engine=engine, false_alarm=1.5)


def test_a_silent_agent_gives_no_verdict_against_it():
    silent = s2s.Recording.from_arrays(0.1 * np.ones(SR), np.zeros(SR), SR, name="mute.wav")
    engine = s2s.ScriptedTranscriber()
    trace = {"turns": [logged("Your total is $48.75.")], "tool_calls": [tool({"total": "48.75"})]}
    report = s2s.verify(s2s.read_call(silent, trace), engine=engine, cache=False)
    assert only(report).verdict is Decision.INCONCLUSIVE
    assert any(finding.code == "silent_channel" for finding in report.findings)


# ------------------------------------------------------------------ one turn


def test_verify_turn_judges_values_against_sound_and_transcript():
    call, engine = make_call([Said(1.0, "your total is $84.75 on may 3rd")])
    floor = make_floor(engine)
    verdict = s2s.verify_turn(
        call.recording.agent, SR, expected={"total": {"kind": "money", "value": "48.75"}, "day": "2027-05-03"},
        t_out="Your total is $48.75 on May 3.", engine=engine, floor=floor, voice="robot", condition="phone",
        cache=False,
    )  # fmt: skip
    assert verdict.verdict is Decision.REFUTED
    assert verdict.owner is Owner.AGENT_SPEECH
    total, day = verdict.entities
    assert (total.source, total.heard) == ("expected.total", "84.75")
    assert day.verdict is Decision.CONFIRMED
    with pytest.raises(s2s.InputError, match="expected must be a list or mapping"):
        s2s.verify_turn(call.recording.agent, SR, expected="48.75", engine=engine)
    with pytest.raises(s2s.InputError, match="must have a 'value'"):
        s2s.verify_turn(call.recording.agent, SR, expected=[{"kind": "money"}], engine=engine)


# ------------------------------------------------------------------ pairing


def turns_of(*rows):
    return parse_trace(
        {"turns": [{"role": "agent", "text": t, "start_ms": a, "end_ms": b} for t, a, b in rows]}
    ).turns


def heard(*parts):
    words = [word for part in parts for word in part.words]
    spurts = [Interval(part.start_s, part.end_s) for part in parts]
    return spurts, Transcript(tuple(words))


def test_pairing_goes_by_time_not_by_index():
    # log    |---- a ----|   |-- b --|            |---- c ----|
    # audio  |== one ==|                          |== three ==|
    turns = turns_of(("one two", 1000, 3000), ("gone", 4000, 5000), ("three four", 8000, 9500))
    spurts, words = heard(Said(1.2, "one two"), Said(8.1, "three four"))
    first, second, third = pair_turns(turns, spurts, words)
    assert [turn.logged for turn in (first, second, third)] == [0, 1, 2]
    assert second.interval is None
    assert [w.text for w in third.words] == ["three", "four"]


def test_words_decide_where_times_do_not():
    turns = turns_of(("one two three", None, None), ("four five six", None, None))
    spurts, words = heard(Said(1.0, "one two three"), Said(5.0, "four five six"))
    assert [turn.words[0].text for turn in pair_turns(turns, spurts, words)] == ["one", "four"]


def test_speech_that_no_turn_claims_stays_and_is_parted_at_pauses():
    turns = turns_of(
        ("one two", 1000, 2000),
    )
    spurts, words = heard(Said(1.0, "one two"), Said(30.0, "la la"), Said(60.0, "la la la"))
    paired = pair_turns(turns, spurts, words)
    assert [turn.logged for turn in paired] == [0, None, None]


@given(st.lists(st.tuples(st.floats(0, 60), st.floats(0.1, 5)), max_size=8),
       st.lists(st.tuples(st.floats(0, 60), st.floats(0.1, 5)), max_size=8))  # fmt: skip
def test_every_turn_once_every_spurt_once_in_order(logs, sounds):
    turns = turns_of(*(("one two", s * 1000, (s + d) * 1000) for s, d in sorted(logs)))
    at, spurts = 0.0, []
    for gap, length in sounds:
        spurts.append(Interval(at + gap, at + gap + length))
        at = spurts[-1].end_s + 0.01
    words = Transcript(tuple(Word("one", s.start_s, s.start_s + 0.1) for s in spurts))
    paired = pair_turns(turns, spurts, words)
    assert sorted(t.logged for t in paired if t.logged is not None) == list(range(len(turns)))
    assert sorted(s for t in paired for s in t.spurts) == spurts
    assert sum(len(t.words) for t in paired) == len(words)
    claimed = [t for t in paired if t.logged is not None and t.spurts]
    by_log = sorted(claimed, key=lambda t: t.logged)
    assert all(a.spurts[-1] <= b.spurts[0] for a, b in pairwise(by_log))
