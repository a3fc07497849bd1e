"""Error floors: counts that add, exact bounds, identity and staleness, files, and calibration end to end."""

import json
import math
import sys
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from s2sverify.cli import main
from s2sverify.clips import calibrate, read_clips, speak_clips
from s2sverify.counts import KindCounts, SilenceCounts, WordErrors
from s2sverify.engines.base import open_engine
from s2sverify.engines.cache import TranscriptCache
from s2sverify.engines.scripted import ScriptedTranscriber
from s2sverify.errors import EngineError, InputError, StaleFloorError
from s2sverify.floor import (
    ErrorFloor,
    FloorSet,
    default_floors,
    matcher_version,
    pool_floors,
    read_floor,
    read_floors,
)
from s2sverify.sentences import Sentence
from s2sverify.stats import upper_bound
from s2sverify.types import EngineInfo

ENGINE = EngineInfo("fake:one", "1.0", "nobody", (16_000,), True, {"beam": "1", "weights": "abc"})


def floor(**changes) -> ErrorFloor:
    fields = {
        "engine": ENGINE.name,
        "signature": str(ENGINE.signature),
        "voice": "ada",
        "condition": "phone",
        "language": "en-US",
        "matcher": matcher_version(),
        "date": "2027-04-01",
        "data": ("sha256:aa",),
        "n_sentences": 400,
        "audio_s": 1234.5,
        "kinds": {
            "digits": KindCounts(
                300, 290, 6, 1, 3, partners=300, partner_accepted=2, partner_heard=1
            ),
            "money": KindCounts(100, 100, partners=100),
        },
        "near_misses": {
            "digits": {
                "five_nine": KindCounts(
                    60, 55, 5, partners=60, partner_accepted=2, partner_heard=1
                ),
                "dropped": KindCounts(60, 60, partners=60),
            }
        },
        "heard_as": {"digits": {"five_nine": 4, "dropped": 1, "other": 1}},
        "plain": WordErrors.of([(10, 0)] * 180 + [(10, 1)] * 15 + [(11, 3)] * 5),
        "valued": WordErrors.of([(12, 0)] * 150 + [(12, 2)] * 50),
        "silence": SilenceCounts(80.0, 1, 7),
    }
    return ErrorFloor(**{**fields, **changes})


# ---------------------------------------------------------------- closed form


def test_bounds_are_those_of_the_counts():
    one = floor()
    assert one.false_alarm_bound("digits", "different") == upper_bound(6, 300)
    assert one.false_alarm_bound("digits", "absent") == upper_bound(1, 300)
    assert one.confirmation_bound("digits") == upper_bound(2, 300)
    assert one.exact_bound("digits") == upper_bound(1, 300)
    assert one.exact_bound("digits", near_miss="dropped") == upper_bound(0, 60)
    assert one.confirmation_bound("digits", near_miss="five_nine") == upper_bound(2, 60)
    assert one.false_alarm_bound("money", "different") == pytest.approx(0.0295, abs=5e-5)
    assert one.false_alarm_bound("money", "different", confidence=0.5) == upper_bound(
        0, 100, confidence=0.5
    )


def test_what_was_not_measured_is_not_bounded():
    one = floor()
    assert one.false_alarm_bound("email", "different") == 1.0
    assert one.confirmation_bound("email") == 1.0
    assert one.exact_bound("digits", near_miss="unheard of") == 1.0
    assert floor(plain=WordErrors(), valued=WordErrors()).word_tail(10, 3) == 1.0
    assert math.isnan(KindCounts().error_rate)
    assert math.isnan(KindCounts().rate("absent"))
    assert math.isnan(KindCounts(5, 5).wrong_confirmation_rate)
    assert math.isnan(WordErrors().word_error_rate)
    assert math.isnan(SilenceCounts().kept_per_minute)


def test_a_rare_confusion_is_bounded_apart_from_the_common_ones():
    one = floor()
    # classes at most as common as the one heard count together: 1 + 1, then 4 + 1 + 1
    assert one.false_alarm_bound("digits", "different", near_miss="dropped") == upper_bound(2, 300)
    assert one.false_alarm_bound("digits", "different", near_miss="five_nine") == upper_bound(
        6, 300
    )
    assert one.false_alarm_bound("digits", "different", near_miss="teen_ty") == upper_bound(0, 300)
    assert one.false_alarm_bound("digits", "absent", near_miss="teen_ty") == upper_bound(1, 300)


def test_rates_are_properties_of_counts():
    counts = KindCounts(200, 190, 5, 3, 2, partners=100, partner_accepted=4)
    assert counts.error_rate == 0.05
    assert counts.rate("absent") == 0.015
    assert counts.wrong_confirmation_rate == 0.04
    assert floor().plain.word_error_rate == (15 + 15) / (195 * 10 + 5 * 11)
    assert floor().silence.kept_per_minute == 0.75


def test_words_are_judged_against_sentences_of_that_length():
    words = WordErrors.of([(10, 0)] * 150 + [(10, 2)] * 50 + [(30, 0)] * 99 + [(30, 3)])
    assert words.at_least(10, 2) == (50, 200)
    assert words.at_least(10, 3) == (0, 200)  # 10 words with 3 errors are worse than with 2
    assert words.at_least(12, 2) == (50, 200)  # 2 of 10 is a larger share than 2 of 12
    assert words.at_least(8, 2) == (0, 200)  # and a smaller one than 2 of 8
    assert words.at_least(30, 3) == (1, 100)
    assert words.at_least(30, 4) == (0, 100)


def test_long_turns_are_judged_against_sentences_put_together():
    words = WordErrors.of([(10, 0)] * 300 + [(10, 1)] * 100)
    # 40 words: four sentences to a turn (32 words at least), 100 turns; the four worst sentences in a turn are rare
    k, n = words.at_least(40, 1)
    assert n == 100
    assert 55 <= k <= 80  # 1 - 0.75^4 = 0.68 of the turns hold an error
    worst, _ = words.at_least(40, 4)
    assert worst <= 4  # 0.25^4 = 0.004
    floor_of = floor(plain=words, valued=WordErrors())
    assert floor_of.word_tail(40, 8) == upper_bound(0, 100)
    # a single constant share would not tell 1 error in 10 words from 4 in 40
    assert floor_of.word_tail(10, 1) > 5 * floor_of.word_tail(40, 4)


def test_too_few_sentences_of_a_length_give_a_wide_bound():
    words = WordErrors.of([(10, 0)] * 12)
    assert floor(plain=words, valued=WordErrors()).word_tail(10, 5) == pytest.approx(
        0.221, abs=5e-4
    )
    assert floor(plain=words, valued=WordErrors()).word_tail(3, 1) == 1.0


def test_turns_with_values_may_be_judged_by_sentences_with_values():
    one = floor()
    assert one.word_tail(12, 2, valued=True) == upper_bound(50, 200)
    assert one.word_tail(12, 2, valued=False) == upper_bound(5, 200)
    assert one.word_tail(12, 2) == upper_bound(55, 400)
    assert one.word_tail(12, 0) == 1.0


# ---------------------------------------------------------------- property

counts_strategy = st.builds(
    lambda s, d, a, m, extra: KindCounts(
        s + d + a + m, s, d, a, m, partners=s + d, partner_accepted=min(extra, s + d)
    ),
    *[st.integers(0, 40)] * 5,
)
words_strategy = st.builds(
    WordErrors.of, st.lists(st.tuples(st.integers(1, 30), st.integers(0, 8)), max_size=40)
)
floor_strategy = st.builds(
    lambda kinds, plain, tag: floor(
        kinds=kinds, plain=plain, data=(f"sha256:{tag}",), near_misses={}
    ),
    st.dictionaries(st.sampled_from(["digits", "money", "time"]), counts_strategy),
    words_strategy,
    st.uuids(),
)


@given(a=floor_strategy, b=floor_strategy, c=floor_strategy)
@settings(max_examples=40, deadline=None)
def test_adding_is_counting_together(a, b, c):
    assert (a + b) + c == a + (b + c)
    total = a + b
    assert total == replace(b + a, kinds=total.kinds)
    for kind in ("digits", "money", "time"):
        assert total.counts(kind) == a.counts(kind) + b.counts(kind)
    assert total.plain.n_words == a.plain.n_words + b.plain.n_words
    assert total.plain.errors == a.plain.errors + b.plain.errors
    assert total.n_sentences == a.n_sentences + b.n_sentences


@given(one=floor_strategy)
@settings(max_examples=40, deadline=None)
def test_written_and_read_is_the_same(one, tmp_path_factory):
    path = tmp_path_factory.mktemp("floor") / "floor.json"
    one.write(path)
    assert read_floor(path) == one


@given(words=words_strategy, n=st.integers(1, 80), errors=st.integers(0, 20))
@settings(max_examples=80, deadline=None)
def test_more_errors_are_never_likelier(words, n, errors):
    k, of = words.at_least(n, errors)
    worse, of_again = words.at_least(n, errors + 1)
    assert of == of_again
    assert 0 <= worse <= k <= of
    assert errors > 0 or k == of


@given(one=floor_strategy, other=floor_strategy)
@settings(max_examples=40, deadline=None)
def test_a_pooled_floor_has_the_bounds_of_its_worst_member(one, other):
    other = replace(other, voice="bob")
    both = pool_floors([one, other])
    for kind in ("digits", "money"):
        for outcome in ("different", "absent"):
            assert both.false_alarm_bound(kind, outcome) == max(
                one.false_alarm_bound(kind, outcome), other.false_alarm_bound(kind, outcome)
            )
    assert both.word_tail(9, 2) == max(one.word_tail(9, 2), other.word_tail(9, 2))
    assert both.counts("digits") == one.counts("digits") + other.counts("digits")


# ---------------------------------------------------------------- identity


def test_a_floor_fits_its_own_engine_voice_and_line():
    one = floor()
    assert one.matches(ENGINE, voice="ada", condition="phone", language="en-US") == ()
    one.require(ENGINE, voice="ada")


@pytest.mark.parametrize(
    ("engine", "asked", "reason"),
    [
        (replace(ENGINE, version="1.1"), {}, "engine version: floor 1.0, run 1.1"),
        (replace(ENGINE, name="fake:two"), {}, "engine: floor fake:one, run fake:two"),
        (
            replace(ENGINE, details={"beam": "5", "weights": "abc"}),
            {},
            "engine beam: floor 1, run 5",
        ),
        (replace(ENGINE, details={"beam": "1"}), {}, "engine weights: floor abc, run None"),
        (ENGINE, {"voice": "bob"}, "voice: floor ada, run bob"),
        (ENGINE, {"condition": "clean"}, "condition: floor phone, run clean"),
        (ENGINE, {"language": "en-GB"}, "language: floor en-US, run en-GB"),
    ],
)
def test_says_which_field_is_stale(engine, asked, reason):
    assert floor().matches(engine, **asked) == (reason,)
    with pytest.raises(StaleFloorError, match=reason):
        floor().require(engine, **asked)


def test_another_matcher_makes_a_floor_stale():
    assert floor(matcher="0").matches(ENGINE) == (f"matcher: floor 0, run {matcher_version()}",)


@pytest.mark.parametrize("name", ["voice", "condition", "signature", "language", "matcher"])
def test_only_floors_of_one_kind_add(name):
    other = floor(data=("sha256:bb",), **{name: "another"})
    mine = getattr(floor(), name)
    with pytest.raises(InputError, match=f"one {name}, got '.*' and 'another'") as caught:
        floor() + other
    assert mine in str(caught.value)


def test_the_same_clips_do_not_count_twice():
    with pytest.raises(InputError, match=r"different clips, got sha256:aa twice"):
        floor() + floor()


# ---------------------------------------------------------------- choosing


def several() -> FloorSet:
    return FloorSet(
        tuple(
            floor(
                voice=voice,
                condition=line,
                data=(f"sha256:{voice}{line}",),
                kinds={"digits": KindCounts(300, 300 - wrong, wrong, partners=300)},
            )
            for voice, line, wrong in [
                ("ada", "clean", 0), ("ada", "phone", 3), ("bob", "clean", 1), ("bob", "phone", 30),
            ]
        )
    )  # fmt: skip


def test_finds_the_floor_of_the_voice_and_line():
    choice = several().find(ENGINE, "ada", "phone")
    assert choice.exact
    assert choice.warning is None
    assert choice.floor.false_alarm_bound("digits", "different") == upper_bound(3, 300)


def test_an_unknown_voice_gets_the_worst_of_the_line_and_a_warning():
    choice = several().find(ENGINE, "eve", "phone")
    assert not choice.exact
    assert choice.floor.false_alarm_bound("digits", "different") == upper_bound(30, 300)
    assert "voice 'eve' was not measured" in choice.warning
    assert "worst of 2 measured (ada, bob)" in choice.warning
    clean = several().find(ENGINE, None, "clean")
    assert clean.floor.false_alarm_bound("digits", "different") == upper_bound(1, 300)
    assert "the voice is not known" in clean.warning


def test_an_unknown_line_gets_the_worst_line_and_a_named_one_must_be_measured():
    choice = several().find(ENGINE, "ada")
    assert choice.floor.false_alarm_bound("digits", "different") == upper_bound(3, 300)
    assert "the line is not known: bounds are those of the worst of clean, phone" in choice.warning
    none = several().find(ENGINE, "ada", "phone_n5")
    assert none.floor is None
    assert none.warning == "no error floor for line 'phone_n5'; measured lines: clean, phone"


def test_stale_floors_are_not_found_and_said_to_be_stale():
    choice = several().find(replace(ENGINE, version="2.0"), "ada", "phone")
    assert choice.floor is None
    assert choice.warning == "every error floor is stale: engine version: floor 1.0, run 2.0"
    assert FloorSet().find(ENGINE).warning == "no error floor is at hand"


def test_batches_of_one_kind_add_when_sets_do():
    one, batch = FloorSet((floor(),)), FloorSet((floor(data=("sha256:bb",)), floor(voice="bob")))
    total = one + batch
    assert [f.voice for f in total.floors] == ["ada", "bob"]
    assert total.floors[0].counts("digits").n == 600


def test_shipped_floors_can_be_read_and_hold_what_they_claim():
    shipped = default_floors().floors
    heart = {f.condition: f for f in shipped if f.voice == "heart"}
    assert {"clean", "phone"} <= set(heart)
    for one in heart.values():
        for kind in (
            "digits",
            "code",
            "money",
            "date",
            "time",
            "percent",
            "cardinal",
            "weekday",
            "name",
        ):
            assert one.counts(kind).n >= 300
            assert one.counts(kind).partners == one.counts(kind).n
        assert one.plain.n_sentences >= 300
        assert one.matcher == matcher_version()


# ---------------------------------------------------------------- files


def test_a_set_is_one_file_or_a_folder(tmp_path):
    several().write(tmp_path / "all.json")
    assert read_floors(tmp_path / "all.json") == several()
    with pytest.raises(InputError, match=r"all\.json: must hold one floor, got 4"):
        read_floor(tmp_path / "all.json")
    (tmp_path / "parts").mkdir()
    for i, one in enumerate(several().floors):
        one.write(tmp_path / "parts" / f"{i}.json")
    assert read_floors(tmp_path / "parts") == several()
    pooled = pool_floors(several().floors)
    pooled.write(tmp_path / "pooled.json")
    assert read_floor(tmp_path / "pooled.json") == pooled


def test_a_newer_reader_keeps_reading_unknown_fields(tmp_path):
    content = floor().to_dict() | {"added_later": [1, 2]}
    (tmp_path / "f.json").write_text(json.dumps(content))
    assert read_floor(tmp_path / "f.json") == floor()


def _changed(change) -> str:
    content = json.loads(json.dumps(floor().to_dict()))
    change(content)
    return json.dumps(content)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", r"f\.json: must be JSON"),
        ("[]", r"f\.json: \$ must be an object, got \[\]"),
        (_changed(lambda c: c.pop("voice")), r"f\.json: \$\.voice is missing"),
        (_changed(lambda c: c.update(voice=3)), r"f\.json: \$\.voice must be text, got 3"),
        (
            _changed(lambda c: c.update(schema_version=99)),
            r"schema_version must be at most 1, got 99",
        ),
        (_changed(lambda c: c.update(kind="trace")), r"'error_floor' or 'floor_set', got 'trace'"),
        (
            _changed(lambda c: c["kinds"]["digits"].update(spoken=299)),
            r"f\.json: \$\.kinds\.digits: n must be the sum of the outcomes, got 300 and 309",
        ),
        (
            _changed(lambda c: c["kinds"]["digits"].update(absent=-1)),
            r"f\.json: \$\.kinds\.digits\.absent must be a whole number of at least 0, got -1",
        ),
        (
            _changed(lambda c: c["kinds"]["digits"].update(partner_accepted=301)),
            r"f\.json: \$\.kinds\.digits: partners must be at most n=300",
        ),
        (
            _changed(lambda c: c["words"]["plain"].append([1, 2])),
            r"f\.json: \$\.words\.plain\[3\] must be \[words, errors, sentences\], got \[1, 2\]",
        ),
        (
            _changed(lambda c: c["silence"].update(seconds=None)),
            r"\$\.silence\.seconds must be a number",
        ),
        (_changed(lambda c: c.update(audio_s=1e999)), r"\$\.audio_s must be finite"),
    ],
)
def test_a_broken_file_is_named_with_its_place(tmp_path, text, message):
    (tmp_path / "f.json").write_text(text)
    with pytest.raises(InputError, match=message):
        read_floor(tmp_path / "f.json")


def test_a_missing_file_and_an_empty_folder_are_named(tmp_path):
    with pytest.raises(InputError, match=r"nothing\.json: cannot be read"):
        read_floor(tmp_path / "nothing.json")
    with pytest.raises(InputError, match=r"must hold floors as \.json files, got none"):
        read_floors(tmp_path)
    with pytest.raises(InputError, match="cannot be written"):
        floor().write(tmp_path / "no" / "such" / "folder.json")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: floor().false_alarm_bound("digits", "wrong"), "outcome must be one of spoken"),
        (lambda: floor().false_alarm_bound("digits", "absent", confidence=2), "confidence must be"),
        (lambda: floor().word_tail(0, 1), "n_words must be at least 1"),
        (lambda: floor().word_tail(5, -1), "errors at least 0"),
        (lambda: KindCounts(1.5, 1.5), "n must be a count, got 1.5"),
        (lambda: pool_floors([]), "at least one floor, got none"),
        (
            lambda: pool_floors([floor(), floor(matcher="0")]),
            "floors to pool must have one matcher",
        ),
    ],
)
def test_refuses_what_makes_no_sense(call, message):
    with pytest.raises(InputError, match=message):
        call()


def test_table_has_a_row_per_kind():
    frame = floor().to_frame()
    assert list(frame["kind"]) == ["digits", "money"]
    assert frame["different_bound"].tolist() == [upper_bound(6, 300), upper_bound(0, 100)]
    assert np.isclose(frame["error_rate"][0], 10 / 300)


# ---------------------------------------------------------------- calibration, end to end

SR = 16_000
SCRIPT = {  # pitch in Hz: what is said, what the engine writes
    440: (
        {"text": "Your code is 4821.", "values": [
            {"kind": "digits", "value": "4821", "partner": "4281", "near_miss": "transposed"}]},
        "Your code is 4821.",
    ),
    550: (
        {"text": "It costs $19.00 on Monday.", "values": [
            {"kind": "money", "value": "19.00", "partner": "90.00", "near_miss": "teen_ty"},
            {"kind": "weekday", "value": "Monday", "partner": "Sunday", "near_miss": "weekday"}]},
        "It costs $90.00 on Monday.",
    ),
    660: (
        {"text": "See you at 7:30 PM.", "values": [
            {"kind": "time", "value": "19:30", "partner": "07:30", "near_miss": "am_pm"}]},
        "See you later.",
    ),
    770: ({"text": "Thanks for calling, how may I help?"}, "Thanks for calling how can I help"),
}  # fmt: skip


def voice(pitch: int, sr: int = SR) -> np.ndarray:
    """A syllabic tone of 1.2 s, whose pitch tells which sentence it stands for."""
    t = np.arange(round(1.2 * sr)) / sr
    return (0.2 * np.sin(2 * np.pi * pitch * t) * np.sin(np.pi * 4 * t) ** 2).astype(np.float32)


def listen(x, sr: int) -> str:
    spectrum = np.abs(np.fft.rfft(x, 1 << 17))
    pitch = np.fft.rfftfreq(1 << 17, 1 / sr)[int(np.argmax(spectrum))]
    return SCRIPT[min(SCRIPT, key=lambda known: abs(known - pitch))][1]


def clips(*pitches: int):
    return [(voice(pitch), SR, SCRIPT[pitch][0]) for pitch in pitches or SCRIPT]


LISTENING = ScriptedTranscriber(listen)


def engine(listener=None) -> ScriptedTranscriber:
    return LISTENING if listener is None else ScriptedTranscriber(listener)


@pytest.mark.parametrize("condition", ["clean", "phone"])
def test_calibration_counts_what_was_got_wrong(condition):
    one = calibrate(clips(), engine(), voice="ada", condition=condition, cache=False)
    assert one.counts("digits") == KindCounts(1, 1, partners=1)
    assert one.counts("money") == KindCounts(
        1, 0, 1, partners=1, partner_accepted=1, partner_heard=1
    )
    assert one.counts("weekday") == KindCounts(1, 1, partners=1)
    assert one.counts("time") == KindCounts(1, 0, absent=1, partners=1)
    assert one.heard_as == {"money": {"teen_ty": 1}}
    assert one.near_misses["money"]["teen_ty"] == one.counts("money")
    assert one.plain == WordErrors(((8, 1, 1),))  # "thank you for calling how may i help"
    assert one.valued.n_sentences == 3
    assert one.n_sentences == 4
    assert one.audio_s == pytest.approx(4.8)
    assert one.silence.seconds == pytest.approx(4 * 0.4)
    assert (one.voice, one.condition, one.language) == ("ada", condition, "en-US")
    assert one.matches(engine().info, voice="ada", condition=condition) == ()
    assert one.failed == ()


def test_every_score_is_shown_with_its_transcript():
    seen = []
    calibrate(
        clips(440, 550), engine(), voice="ada", cache=False, observe=lambda *pair: seen.append(pair)
    )
    assert [heard.text for _, heard in seen] == [SCRIPT[440][1], SCRIPT[550][1]]
    assert [value.outcome.value for score, _ in seen for value in score.values] == [
        "spoken", "different", "spoken",
    ]  # fmt: skip


def test_batches_add_to_the_whole():
    whole = calibrate(clips(), engine(), voice="ada", cache=False)
    first = calibrate(clips(440, 550), engine(), voice="ada", cache=False)
    second = calibrate(clips(660, 770), engine(), voice="ada", cache=False)
    assert replace(first + second, data=whole.data) == whole


def test_the_order_of_clips_does_not_count():
    there = calibrate(
        clips(440, 550, 660), engine(), voice="ada", condition="phone_n10", cache=False
    )
    back = calibrate(
        clips(660, 550, 440), engine(), voice="ada", condition="phone_n10", cache=False
    )
    assert there == back


def test_a_value_is_not_heard_in_the_place_of_another():
    # 4821 was heard as nothing; the other number of the sentence is not "another value in its place"
    said = {"text": "Code 4821, account 55512.", "values": [
        {"kind": "digits", "value": "55512"}, {"kind": "digits", "value": "4821"}]}  # fmt: skip
    one = calibrate(
        [(voice(440), SR, said)],
        engine(lambda x, sr: "Code is, account 55512."),
        voice="ada",
        cache=False,
    )
    assert one.counts("digits") == KindCounts(2, 1, absent=1)


def write_wav(path, y, sr=SR):
    soundfile = pytest.importorskip("soundfile")
    soundfile.write(path, y, sr)


def test_a_manifest_is_measured_and_bad_clips_are_listed(tmp_path):
    for pitch in SCRIPT:
        write_wav(tmp_path / f"{pitch}.wav", voice(pitch))
    write_wav(tmp_path / "stereo.wav", np.stack([voice(440)] * 2, axis=1))
    (tmp_path / "broken.wav").write_bytes(b"RIFF....")
    rows = [{"id": str(pitch), "audio": f"{pitch}.wav", **SCRIPT[pitch][0]} for pitch in SCRIPT]
    rows += [
        {"id": "two", "audio": "stereo.wav", "text": "x"},
        {"id": "broken", "audio": "broken.wav", "text": "x"},
        {"id": "gone", "audio": "gone.wav", "text": "x"},
        {"id": "no text", "audio": "440.wav"},
        {"id": "440", "audio": "440.wav", "text": "twice"},
        {"id": "again", "audio": "440.wav", **SCRIPT[440][0]},
    ]
    lines = [json.dumps(row) for row in rows]
    lines[1:1] = ["", "{not json"]
    (tmp_path / "m.jsonl").write_text("\n".join(lines))
    done = []
    one = calibrate(
        tmp_path / "m.jsonl", engine(), voice="ada", cache=False,
        progress=lambda d, total: done.append((d, total)),
    )  # fmt: skip
    assert one.n_sentences == 4
    assert one.counts("digits") == KindCounts(1, 1, partners=1)
    reasons = dict(one.failed)
    assert set(reasons) == {"line 3", "line 10", "line 11", "two", "broken", "gone", "again"}
    assert "must be a JSON object" in reasons["line 3"]
    assert "text must be the words spoken, got None" in reasons["line 10"]
    assert "id must occur once, got '440' again" in reasons["line 11"]
    assert "stereo.wav: must have one channel, got 2" in reasons["two"]
    assert "broken.wav" in reasons["broken"]
    assert "gone.wav" in reasons["gone"]
    assert "must occur once, got the same sound and text again" in reasons["again"]
    assert done[-1] == (8, 8)


def test_a_csv_has_a_value_a_row(tmp_path):
    for pitch in (440, 550):
        write_wav(tmp_path / f"{pitch}.wav", voice(pitch))
    (tmp_path / "m.csv").write_text(
        "audio,text,kind,value,partner,near_miss\n"
        "440.wav,Your code is 4821.,digits,4821,4281,transposed\n"
        "550.wav,It costs $19.00 on Monday.,money,19.00,90.00,teen_ty\n"
        "550.wav,It costs $19.00 on Monday.,weekday,Monday,Sunday,weekday\n"
    )
    found, failed = read_clips(tmp_path / "m.csv")
    assert failed == ()
    assert [len(clip.sentence.values) for clip in found] == [1, 2]
    from_csv = calibrate(tmp_path / "m.csv", engine(), voice="ada", cache=False)
    direct = calibrate(
        [(clip.load()[0], SR, clip.sentence) for clip in found], engine(), voice="ada", cache=False
    )
    assert from_csv == direct


def test_nothing_is_transcribed_twice(tmp_path):
    asked = []

    def counting(x, sr):
        asked.append(x.size)
        return listen(x, sr)

    cache = TranscriptCache(tmp_path)
    one = engine(counting)
    first = calibrate(clips(), one, voice="ada", condition="phone", cache=cache)
    assert len(asked) == 4
    again = calibrate(clips(), one, voice="ada", condition="phone", cache=cache)
    assert len(asked) == 4
    assert again == first
    calibrate(clips(), one, voice="ada", condition="phone_n10", cache=cache)
    assert len(asked) == 8


def test_an_engine_that_fails_once_costs_a_clip_and_one_that_always_fails_ends_the_run():
    def deaf(x, sr):
        if listen(x, sr).startswith("It costs"):
            raise RuntimeError("out of memory")
        return listen(x, sr)

    one = calibrate(clips(), engine(deaf), voice="ada", cache=False)
    assert one.n_sentences == 3
    assert len(one.failed) == 1
    assert "out of memory" in one.failed[0][1]

    def dead(x, sr):
        raise RuntimeError("no such device")

    many = [(voice(400 + 10 * i), SR, "words") for i in range(8)]
    with pytest.raises(EngineError, match="no such device"):
        calibrate(many, engine(dead), voice="ada", cache=False)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"clips": []}, "clips must hold at least one that can be used, got none"),
        ({"clips": [(np.zeros(0, np.float32), SR, "x")]}, "must hold sound, got no samples"),
        ({"clips": [(np.full(9, np.nan), SR, "x")]}, "must be finite"),
        ({"clips": ["x"]}, r"clips\[0\] must be a Clip or \(y, sr, sentence\)"),
        ({"clips": [(voice(440), SR, {"text": ""})]}, "text must be the words spoken, got ''"),
        (
            {"clips": [(voice(440), SR, {"text": "a", "values": [{"kind": "digits"}]})]},
            r"values\[0\]\.value must be text, got None",
        ),
        ({"voice": " "}, "voice must be a name, got ' '"),
        ({"condition": "underwater"}, "condition must be one of clean, .*, got 'underwater'"),
        ({"rng": -1}, "rng must be a seed"),
    ],
)
def test_calibration_refuses_what_makes_no_floor(arguments, message):
    given = {"clips": clips(), "engine": engine(), "voice": "ada", "cache": False} | arguments
    with pytest.raises(InputError, match=message):
        calibrate(given.pop("clips"), given.pop("engine"), **given)


SPEAKER = """
import pathlib, sys, wave
words = sys.stdin.read() or sys.argv[2]
with (pathlib.Path(__file__).parent / "log.txt").open("a") as log:
    log.write(words + "\\n")
if "mute" in words:
    sys.exit("cannot say that")
if "nothing" not in words:
    with wave.open(sys.argv[1], "wb") as file:
        file.setnchannels(1), file.setsampwidth(2), file.setframerate(16000)
        file.writeframes(bytes(2 * 1600 * len(words)))
"""


@pytest.mark.parametrize(
    "form", ['"{python}" "{script}" {{out}}', '"{python}" "{script}" {{out}} {{text}}']
)
def test_a_program_speaks_each_sentence_once(tmp_path, form):
    script = tmp_path / "speak er.py"
    script.write_text(SPEAKER)
    command = form.format(python=sys.executable, script=script)
    spoken = [
        Sentence("a", "x", "first; $HOME words"),
        Sentence("b", "x", "mute"),
        Sentence("c", "x", "nothing"),
        Sentence("d", "x", "last"),
    ]
    found, failed = speak_clips(spoken, command, tmp_path / "made" / "here")
    assert [clip.sentence.id for clip in found] == ["a", "d"]
    assert [clip.load()[0].size for clip in found] == [1600 * 18, 1600 * 4]
    assert [name for name, _ in failed] == ["b", "c"]
    assert failed[0][1].endswith("ended with 1: cannot say that")
    assert failed[1][1].endswith("wrote nothing to {out}")
    again, _ = speak_clips(spoken, command, tmp_path / "made" / "here")
    assert [clip.path for clip in again] == [clip.path for clip in found]
    log = (tmp_path / "log.txt").read_text().split("\n")
    assert log == ["first; $HOME words", "mute", "nothing", "last", "mute", "nothing", ""]
    assert sorted((tmp_path / "made" / "here").iterdir()) == sorted(clip.path for clip in found)


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("say {text}", r"must name the file to write as \{out\}"),
        ('say "{out}', "must be parted like a shell's"),
        ("/no/such/program {out}", "must begin with a program, got '/no/such/program'"),
    ],
)
def test_a_program_that_is_none_is_refused(tmp_path, command, message):
    with pytest.raises(InputError, match=message):
        speak_clips([Sentence("a", "x", "x")], command, tmp_path)


def test_the_command_line_writes_a_floor_and_prints_it(tmp_path, capsys):
    for pitch in SCRIPT:
        write_wav(tmp_path / f"{pitch}.wav", voice(pitch))
        write_wav(tmp_path / f"{pitch}.padded.wav", np.pad(voice(pitch), SR))  # with silence around
    rows = [{"audio": f"{pitch}.wav", **SCRIPT[pitch][0]} for pitch in SCRIPT]
    (tmp_path / "m.jsonl").write_text("\n".join(map(json.dumps, rows)))
    entries = [
        {"audio": f"{pitch}.padded.wav", "channel": 0, "text": SCRIPT[pitch][1]} for pitch in SCRIPT
    ]
    script = tmp_path / "script.json"
    script.write_text(json.dumps({"schema_version": 1, "clips": entries}))
    command = [
        "calibrate", str(tmp_path / "m.jsonl"), "--voice", "ada", "--out", str(tmp_path / "f.json"),
        "--engine", f"scripted:{script}", "--cache", str(tmp_path / "cache"),
    ]  # fmt: skip
    assert main(command) == 0
    table = capsys.readouterr().out
    assert "voice ada, line clean: 4 sentences" in table
    assert "95 %" in table
    assert main([*command, "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["schema_version"] == 1
    assert printed["kinds"]["money"]["partner_heard"] == 1
    assert read_floor(tmp_path / "f.json").counts("digits").spoken == 1
    assert main([*command, "--out", str(tmp_path / "no" / "f.json")]) == 2
    assert "f.json: cannot be written, there is no folder" in capsys.readouterr().err
    assert main(["calibrate", str(tmp_path / "nothing.jsonl"), *command[2:]]) == 2
    assert "nothing.jsonl: cannot be read" in capsys.readouterr().err


def test_floors_from_the_command_line(tmp_path, capsys):
    for name, one in (("a", floor()), ("b", floor(data=("sha256:bb",))), ("c", floor(matcher="0"))):
        one.write(tmp_path / f"{name}.json")
    merge = ["floors", "merge", *(str(tmp_path / f"{n}.json") for n in "abc"), "--out"]
    assert main([*merge, str(tmp_path / "all.json")]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "fake:one, voice ada, line phone: 800 sentences",
        "fake:one, voice ada, line phone: 400 sentences",
    ]
    assert read_floors(tmp_path / "all.json").floors[0] == floor() + floor(data=("sha256:bb",))
    assert main(["floors", "list", str(tmp_path / "all.json"), "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)["floors"]
    assert [row["stale"] for row in listed] == [False, True]
    assert [row["values"] for row in listed] == [800, 400]
    assert main(["floors", "list", str(tmp_path / "all.json")]) == 0
    assert "0 (stale)" in capsys.readouterr().out
    assert main(["floors", "show", str(tmp_path / "a.json")]) == 0
    assert "digits" in capsys.readouterr().out
    assert main(["floors", "show", str(tmp_path / "all.json")]) == 2
    assert "must hold one floor, got 2" in capsys.readouterr().err


def test_the_command_line_says_which_floor_speaks(tmp_path, capsys):
    write_wav(tmp_path / "a.wav", voice(440))
    script = {"schema_version": 1, "clips": [{"audio": "a.wav", "channel": 0, "text": "x"}]}
    (tmp_path / "s.json").write_text(json.dumps(script))
    name = f"scripted:{tmp_path / 's.json'}"
    floor(signature=str(open_engine(name).info.signature)).write(tmp_path / "f.json")
    check = ["floors", "check", str(tmp_path / "f.json"), "--engine", name]
    assert main([*check, "--voice", "ada", "--condition", "phone"]) == 0
    assert capsys.readouterr().out == "fake:one, voice ada, line phone\n"
    assert main([*check, "--condition", "phone", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["exact"] is False
    assert "the voice is not known" in told["warning"]
    assert main([*check, "--condition", "clean"]) == 1
    assert "no error floor for line 'clean'" in capsys.readouterr().out
