import itertools
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_engines import needs_whisper

import s2sverify as s2s
from s2sverify import EngineError, EngineInfo, InputError, Interval, Transcript, Word
from s2sverify.engines.cache import default_folder
from s2sverify.engines.pieces import Piece, confine, cut_pieces, is_noisy
from s2sverify.sample import sample_truth_path

SR = 8_000


def sound(seconds, level=0.1, seed=1, sr=SR):
    return (level * np.random.default_rng(seed).uniform(-1, 1, round(seconds * sr))).astype(
        np.float32
    )


def channel(duration_s, *stretches, sr=SR):
    """Silence with sound in the stretches given in seconds."""
    y = np.zeros(round(duration_s * sr), np.float32)
    for k, (start_s, end_s) in enumerate(stretches):
        part = sound(end_s - start_s, seed=k, sr=sr)
        y[round(start_s * sr) : round(start_s * sr) + part.size] = part
    return y


class Engine:
    """Answers whatever it is told to, and writes down what it was asked."""

    def __init__(self, answer=lambda x, sr: Transcript(), rates_hz=(SR,), name="test:engine"):
        self.answer = answer
        self.info = EngineInfo(name, "1", "test", rates_hz, repeatable=True)
        self.asked = []

    def transcribe(self, x, sr, *, language=None):
        self.asked.append((x.size / sr, sr, language))
        return self.answer(x, sr)


def whole_piece(x, sr):
    """One word from the first to the last sound."""
    loud = np.flatnonzero(np.abs(x) > 0.01)
    return (
        Transcript((Word("sound", loud[0] / sr, (loud[-1] + 1) / sr),))
        if loud.size
        else Transcript()
    )


@pytest.fixture
def cache(tmp_path):
    return s2s.TranscriptCache(tmp_path / "cache")


# Closed form


def test_words_come_back_on_the_call_clock():
    # 0 s   2 s  4 s             10 s  11 s  12 s
    # |      |====|                |====|     |      two turns far apart: two pieces
    y = channel(12.0, (2.0, 4.0), (10.0, 11.0))
    engine = Engine(whole_piece)
    heard = s2s.transcribe(y, SR, engine, cache=False)
    times = [(word.start_s, word.end_s) for word in heard.words]
    assert times == [pytest.approx((2.0, 4.0), abs=0.01), pytest.approx((10.0, 11.0), abs=0.01)]
    assert [asked[0] for asked in engine.asked] == pytest.approx([2.6, 1.6], abs=0.02)
    assert heard.engine == engine.info
    assert heard.uncovered == ()


def test_pauses_inside_a_turn_stay_inside_a_piece():
    y = channel(6.0, (1.0, 2.0), (2.9, 3.5))
    engine = Engine(whole_piece)
    s2s.transcribe(y, SR, engine, cache=False)
    assert [asked[0] for asked in engine.asked] == pytest.approx([3.1], abs=0.02)
    y = channel(6.0, (1.0, 2.0), (3.1, 3.5))
    engine = Engine(whole_piece)
    s2s.transcribe(y, SR, engine, cache=False)
    assert len(engine.asked) == 2


def test_silence_is_not_sent_to_the_engine():
    engine = Engine()
    for y in (np.zeros(0), np.zeros(1), np.zeros(10 * SR)):
        assert s2s.transcribe(y, SR, engine, cache=False).words == ()
    assert engine.asked == []


def test_a_long_turn_is_parted_at_its_widest_pause():
    speech = [Interval(1, 7), Interval(7.3, 9), Interval(9.8, 14), Interval(14.3, 19)]
    first, second = cut_pieces(np.zeros(20 * SR, np.float32), SR, speech)
    assert (first.start_s, first.end_s) == pytest.approx((0.7, 9.3))
    assert (second.start_s, second.end_s) == pytest.approx((9.5, 19.3))
    assert first.speech == (Interval(1, 7), Interval(7.3, 9))


def test_sound_without_a_pause_is_cut_where_it_is_quietest():
    y = channel(24.0, (1.0, 23.0))
    y[round(11.95 * SR) : round(12.05 * SR)] *= 0.3  # 10 dB down for 100 ms
    first, second = cut_pieces(y, SR, [Interval(1.0, 23.0)])
    assert first.end_s == second.start_s == pytest.approx(12.0, abs=0.04)
    assert (first.start_s, second.end_s) == pytest.approx((0.7, 23.3))


def test_pads_of_neighbours_meet_in_the_middle():
    speech = [Interval(0.1, 8), Interval(8.4, 16)]
    first, second = cut_pieces(np.zeros(16 * SR, np.float32), SR, speech)
    assert first.start_s == 0.0
    assert first.end_s == second.start_s == pytest.approx(8.2)
    assert second.end_s == 16.0


def test_noise_widens_pads_and_pauses():
    quiet = channel(20.0, (5.0, 7.0), (8.3, 10.0))
    speech = [Interval(5.0, 7.0), Interval(8.3, 10.0)]
    hiss = np.random.default_rng(3).normal(0, 1, quiet.size)
    power = np.mean(sound(2.0) ** 2)
    noisy = (quiet + hiss * np.sqrt(power / 10 ** (10 / 10))).astype(np.float32)
    clean = (quiet + hiss * np.sqrt(power / 10 ** (20 / 10))).astype(np.float32)
    assert not is_noisy(quiet, SR, speech)
    assert not is_noisy(clean, SR, speech)
    assert is_noisy(noisy, SR, speech)
    assert len(cut_pieces(clean, SR, speech)) == 2
    (piece,) = cut_pieces(noisy, SR, speech, noisy=True)
    assert (piece.start_s, piece.end_s) == pytest.approx((4.0, 11.0))


def test_words_over_silence_are_dropped_and_told():
    # 1 s   2 s        2.95 s  3.5 s
    #  |====|  "yes"  um  |====|  "no"       0.45 s from both: no sound anywhere near
    y = channel(5.0, (1.0, 2.0), (2.95, 3.5))
    words = (Word("yes", 1.1, 1.9), Word("um", 2.45, 2.5), Word("no", 3.0, 3.4))
    heard = s2s.transcribe(y, SR, s2s.ScriptedTranscriber([(y, SR, words)]), cache=False)
    assert heard.text == "yes no"
    (um,) = heard.dropped
    assert (um.text, um.start_s, um.end_s) == ("um", pytest.approx(2.45), pytest.approx(2.5))


def test_words_far_from_sound_are_told_from_those_near_it():
    piece = Piece(0.0, 6.0, (Interval(1.0, 2.0),))
    words = (Word("near", 2.35, 2.4), Word("far", 2.45, 2.6))
    assert [[word.text for word in part] for part in confine(words, piece)] == [["near"], ["far"]]
    assert confine(words, piece, noisy=True)[1] == []  # noise may hide the sound


@pytest.mark.parametrize(
    ("word", "confined"),
    [
        (Word("a", 0.2, 1.5), (0.9, 1.5)),  # begins long before the sound
        (Word("a", 1.5, 2.9), (1.5, 2.1)),  # ends long after it
        (Word("a", 1.9, 3.4), (2.9, 3.4)),  # reaches over a pause: belongs where most of it is
        (Word("a", 1.2, 3.1), (1.2, 2.1)),
        (Word("a", 2.2, 2.3), (2.2, 2.3)),  # in a pause, but close: no engine knows it better
        (Word("42", 1.1, 1.4), (1.1, 2.0)),  # a number lasts as long as its sound
    ],
)
def test_times_of_words_are_confined_to_the_sound(word, confined):
    piece = Piece(0.0, 5.0, (Interval(1.0, 2.0), Interval(3.0, 4.0)))
    (kept,), dropped = confine([word], piece)
    assert (kept.start_s, kept.end_s) == pytest.approx(confined)
    assert dropped == []


def test_a_number_does_not_take_the_sound_of_the_next_word():
    piece = Piece(0.0, 5.0, (Interval(1.0, 2.0), Interval(2.3, 2.6), Interval(2.9, 4.0)))
    words = [Word("576.", 1.1, 1.8), Word("Please", 2.9, 3.4)]
    kept, _ = confine(words, piece)
    assert kept[0].end_s == pytest.approx(2.6)
    assert kept[1].start_s == pytest.approx(2.9)


def test_sound_without_words_is_told():
    y = channel(12.0, (1.0, 4.0), (8.0, 10.0))
    engine = Engine(
        lambda x, sr: Transcript((Word("a", 0.3, 1.3),)) if x.size > 2.8 * sr else Transcript()
    )
    heard = s2s.transcribe(y, SR, engine, cache=False)
    assert heard.text == "a"
    found = [(part.start_s, part.end_s) for part in heard.uncovered]
    # The word ends at 2.0 s; 0.2 s are granted to it.
    assert found == [pytest.approx((2.2, 4.0), abs=0.01), pytest.approx((8.0, 10.0), abs=0.01)]
    assert s2s.uncovered_speech(heard, [(8.0, 10.0)], shortest_s=2.5) == ()
    assert s2s.uncovered_speech(heard, np.array([[8.0, 10.0]])) == (Interval(8.0, 10.0),)


def test_the_engine_hears_at_a_rate_of_its_own():
    y = channel(4.0, (1.0, 2.0))
    for rates_hz, expected in [
        ((8_000, 16_000), 8_000),
        ((16_000, 48_000), 16_000),
        ((4_000,), 4_000),
    ]:
        engine = Engine(whole_piece, rates_hz)
        heard = s2s.transcribe(y, SR, engine, cache=False)
        assert [asked[1] for asked in engine.asked] == [expected]
        assert heard.words[0].start_s == pytest.approx(1.0, abs=0.02)
        assert heard.words[0].end_s == pytest.approx(2.0, abs=0.02)


def test_language_and_progress_are_passed_on():
    y = channel(20.0, (1.0, 2.0), (10.0, 12.0))
    engine, told = Engine(whole_piece), []
    s2s.transcribe(
        y, SR, engine, language="en-GB", cache=False, progress=lambda *at: told.append(at)
    )
    assert {asked[2] for asked in engine.asked} == {"en-GB"}
    assert told == [pytest.approx((1.6, 4.2), abs=0.04), pytest.approx((4.2, 4.2), abs=0.04)]


def test_formatted_text_is_joined():
    y = channel(20.0, (1.0, 2.0), (10.0, 12.0))
    engine = Engine(lambda x, sr: Transcript((Word("five", 0.3, 1.0),), formatted="$5"))
    assert s2s.transcribe(y, SR, engine, cache=False).formatted == "$5 $5"


# Properties


@st.composite
def layouts(draw):
    at_s, speech = draw(st.floats(0, 2)), []
    for _ in range(draw(st.integers(1, 8))):
        length_s = draw(st.one_of(st.floats(0.05, 3), st.floats(10, 40)))
        speech.append(Interval(at_s, at_s + length_s))
        at_s += length_s + draw(st.one_of(st.floats(0.2, 1.2), st.floats(1, 20)))
    return speech, speech[-1].end_s + draw(st.floats(0, 3))


@settings(max_examples=80, deadline=None)
@given(layout=layouts(), noisy=st.booleans(), longest_s=st.sampled_from([5.0, 15.0, 30.0]))
def test_pieces_hold_all_sound_and_do_not_overlap(layout, noisy, longest_s):
    speech, duration_s = layout
    x = sound(duration_s + 0.01, sr=200)
    pieces = cut_pieces(x, 200, speech, noisy=noisy, longest_s=longest_s)
    assert sum(part.duration_s for piece in pieces for part in piece.speech) == pytest.approx(
        sum(part.duration_s for part in speech)
    )
    for piece in pieces:
        assert piece.duration_s <= longest_s + 1e-6
        assert 0.0 <= piece.start_s <= piece.speech[0].start_s
        assert piece.speech[-1].end_s <= piece.end_s <= x.size / 200 + 1e-9
    for one, two in itertools.pairwise(pieces):
        assert one.end_s <= two.start_s + 1e-9
    for part in speech:  # only sound that is too long for a piece is cut
        holders = [p for p in pieces if any(s.overlap_s(part) > 1e-9 for s in p.speech)]
        assert len(holders) == 1 or part.duration_s > longest_s * 3 / 4


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_words_are_ordered_apart_and_inside(data):
    spurts = [(0.0, 2.0), (2.6, 4.0), (9.0, 23.0), (29.0, 30.0)]
    y = channel(30.0, *spurts)

    def anything(x, sr):
        limit_s = x.size / sr
        times = data.draw(
            st.lists(st.tuples(st.floats(-0.5, limit_s + 0.5), st.floats(0, 2)), max_size=6)
        )
        words = [
            Word("w", start_s, min(start_s + long_s, limit_s + 0.5)) for start_s, long_s in times
        ]
        return Transcript(tuple(words))

    heard = s2s.transcribe(y, SR, Engine(anything), cache=False, spurts=spurts)
    reached_s = 0.0
    for word in heard.words:
        assert reached_s <= word.start_s <= word.end_s <= 30.0
        reached_s = word.end_s


# Cache


def test_the_second_run_asks_the_engine_nothing(cache):
    y = channel(20.0, (1.0, 2.0), (10.0, 12.0))
    first = s2s.transcribe(y, SR, Engine(whole_piece), cache=cache)
    assert (cache.hits, cache.misses) == (0, 2)
    engine = Engine(whole_piece)
    assert s2s.transcribe(y, SR, engine, cache=cache) == first
    assert engine.asked == []
    assert (cache.hits, cache.misses) == (2, 2)


def test_the_default_cache_is_in_the_folder_that_the_environment_names(tmp_path, monkeypatch):
    monkeypatch.setenv("S2SVERIFY_CACHE", str(tmp_path / "named"))
    assert default_folder() == tmp_path / "named"
    y = channel(3.0, (1.0, 2.0))
    s2s.transcribe(y, SR, Engine(whole_piece))
    assert len(list((tmp_path / "named").rglob("*.json"))) == 1
    monkeypatch.delenv("S2SVERIFY_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    monkeypatch.setattr(sys, "platform", "linux")
    assert default_folder() == tmp_path / "xdg" / "s2sverify"


def test_transcripts_are_for_their_owner_alone(tmp_path):
    cache = s2s.TranscriptCache(tmp_path / "new" / "cache")
    s2s.transcribe(channel(3.0, (1.0, 2.0)), SR, Engine(whole_piece), cache=cache)
    for folder in (tmp_path / "new", tmp_path / "new" / "cache", cache.folder / "transcripts"):
        assert folder.stat().st_mode & 0o077 == 0


def test_what_changes_the_words_changes_the_key():
    x, info = sound(1.0), Engine().info
    keys = {
        s2s.TranscriptCache.key(x, SR, info),
        s2s.TranscriptCache.key(x, SR, info, language="en"),
        s2s.TranscriptCache.key(x, 2 * SR, info),
        s2s.TranscriptCache.key(x[:-1], SR, info),
        s2s.TranscriptCache.key(np.nextafter(x, 1), SR, info),
        s2s.TranscriptCache.key(x, SR, Engine(name="test:other").info),
    }
    assert len(keys) == 6
    assert s2s.TranscriptCache.key(x.copy(), SR, Engine().info) in keys


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"\xff\xfe", b"null", b"[]", b'{"key": "other"}', b"[" * 100_000,
     b'{"key": KEY, "words": [["a", 0.5, 0.1, null]], "dropped": [], "formatted": null, "requests": []}',
     b'{"key": KEY, "words": [["a", NaN, 1.0, null]], "dropped": [], "formatted": null, "requests": []}',
     b'{"key": KEY, "words": [["a", 0.1]], "dropped": [], "formatted": null, "requests": []}',
     b'{"key": KEY, "words": [[1, 0.1, 0.2, null]], "dropped": [], "formatted": null, "requests": []}',
     b'{"key": KEY, "words": [], "dropped": [], "formatted": 5, "requests": []}',
     b'{"key": KEY, "words": []}'],
)  # fmt: skip
def test_entries_that_cannot_be_read_are_made_anew(cache, content):
    y = channel(4.0, (1.0, 2.0))
    first = s2s.transcribe(y, SR, Engine(whole_piece), cache=cache)
    (entry,) = cache.folder.rglob("*.json")
    good = entry.read_bytes()
    entry.write_bytes(content.replace(b"KEY", json.dumps(entry.stem).encode()))
    engine = Engine(whole_piece)
    assert s2s.transcribe(y, SR, engine, cache=cache) == first
    assert len(engine.asked) == 1
    assert entry.read_bytes() == good


def test_every_part_of_a_transcript_is_kept(cache):
    kept = Transcript(
        (Word("é", 0.25, 1 / 3, 0.875),), None, "É.", (Word("um", 0.0, 0.1),), requests=("id 1",)
    )
    cache.put("ab" * 32, kept)
    assert cache.get("ab" * 32) == kept
    assert cache.get("cd" * 32) is None


def test_what_a_killed_process_left_is_swept(cache):
    cache.put("ab" * 32, Transcript())
    folder = cache.folder / "transcripts" / "ab"
    old, new = folder / ".x.json.1.tmp", folder / ".y.json.2.tmp"
    for left in (old, new):
        left.write_text("half")
    os.utime(old, (time.time() - 7200,) * 2)
    cache.put("ab" * 32, Transcript())
    assert not old.exists()
    assert new.exists()  # may be another process at work


def test_a_folder_that_cannot_be_written_costs_a_warning_and_no_result(tmp_path):
    cache = s2s.TranscriptCache(tmp_path / "cache")
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / "transcripts").write_text("in the way")
    y = channel(20.0, (1.0, 2.0), (10.0, 12.0))
    with pytest.warns(UserWarning, match="cannot be kept") as told:
        heard = s2s.transcribe(y, SR, Engine(whole_piece), cache=cache)
    assert len(told) == 1
    assert len(heard) == 2


def test_a_cache_must_be_a_folder(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="file: the cache must be a folder"):
        s2s.TranscriptCache(tmp_path / "file")


SLOW = """
import sys, time
import numpy as np
import s2sverify as s2s
sys.path.insert(0, sys.argv[1])
from test_transcribe import Engine, SR, channel, whole_piece

def slow(x, sr):
    time.sleep(0.15)
    print("heard", flush=True)
    return whole_piece(x, sr)

y = channel(60.0, *[(k + 1.0, k + 2.0) for k in range(0, 50, 5)])
heard = s2s.transcribe(y, SR, Engine(slow), cache=s2s.TranscriptCache(sys.argv[2]))
print(len(heard), [(type(w.start_s).__name__, w.start_s, w.end_s) for w in heard.words])
"""


def slow_run(folder):
    command = [sys.executable, "-c", SLOW, str(Path(__file__).parent), str(folder)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def test_a_killed_run_repeats_no_finished_piece(tmp_path):
    with slow_run(tmp_path) as first:
        for _ in range(4):
            assert first.stdout.readline() == "heard\n"
        first.send_signal(signal.SIGKILL)
    finished = len(list(tmp_path.rglob("*.json")))
    assert finished >= 3
    with slow_run(tmp_path) as second:
        said = second.communicate()[0].splitlines()
    assert said.count("heard") == 10 - finished
    assert said[-1].startswith("10 ")


def test_two_processes_share_a_folder(tmp_path):
    runs = [slow_run(tmp_path) for _ in range(2)]
    said = [run.communicate()[0].splitlines()[-1] for run in runs]
    assert said[0] == said[1]
    assert said[0].startswith("10 ")
    assert len(list(tmp_path.rglob("*.json"))) == 10
    assert list(tmp_path.rglob("*.tmp")) == []


# With Whisper, on the sample call


@pytest.fixture(scope="module")
def sample():
    recording = s2s.read_recording(s2s.sample_paths()[0])
    truth = json.loads(sample_truth_path().read_text(encoding="utf-8"))
    return recording, truth


@pytest.fixture(scope="module")
def heard(sample):
    recording, _ = sample
    engine = s2s.WhisperTranscriber(threads=1)
    return {
        role: s2s.transcribe(recording.channel(s2s.Role(role)), recording.sr, engine, cache=False)
        for role in ("caller", "agent")
    }


@needs_whisper
def test_every_turn_is_heard_where_it_is(sample, heard):
    for turn in sample[1]["turns"]:
        onset_s, end_s = turn["audible_onset_ms"] / 1000, turn["audible_end_ms"] / 1000
        words = heard[turn["role"]].cut(onset_s - 0.3, end_s + 0.3).words
        assert words[0].start_s == pytest.approx(onset_s, abs=0.3)
        assert words[-1].end_s == pytest.approx(end_s, abs=0.4)


@needs_whisper
def test_few_words_are_wrong(sample, heard):
    counts = s2s.EditCounts(0, 0, 0, 0)
    for role, transcript in heard.items():
        # Values are written in other ways than they are spoken: words and letters only.
        said = " ".join(t["spoken"] for t in sample[1]["turns"] if t["role"] == role)
        counts += s2s.align_words(
            s2s.normalize_words(said), s2s.normalize_words(transcript.text)
        ).counts
    assert counts.word_error_rate < 0.15


@needs_whisper
def test_nothing_is_made_up_between_turns(sample, heard):
    for role, transcript in heard.items():
        turns = [t for t in sample[1]["turns"] if t["role"] == role]
        for word in transcript.words:
            middle_ms = 500 * (word.start_s + word.end_s)
            assert any(t["start_ms"] - 100 <= middle_ms <= t["end_ms"] + 100 for t in turns)


SECOND = """
import json, sys, time
import numpy as np
import s2sverify as s2s
y = np.load(sys.argv[1])
began = time.process_time()
heard = s2s.transcribe(y, 8000, cache=s2s.TranscriptCache(sys.argv[2]))
spent = time.process_time() - began
heavy = ["faster_whisper", "ctranslate2", "onnxruntime", "numba", "scipy", "soxr", "pandas", "pydantic"]
print(json.dumps([heard.text, spent, [name for name in heavy if name in sys.modules]]))
"""


@needs_whisper
def test_the_second_run_of_a_call_loads_no_model(sample, tmp_path):
    recording, _ = sample
    np.save(tmp_path / "y.npy", recording.agent[: 12 * recording.sr])
    command = [sys.executable, "-c", SECOND, str(tmp_path / "y.npy"), str(tmp_path / "cache")]
    runs = [
        json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        for _ in range(2)
    ]
    assert "faster_whisper" in runs[0][2]
    assert runs[1][2] == []
    assert runs[1][0] == runs[0][0]
    assert runs[1][1] < 0.3  # CPU-seconds; measured 0.05 on an idle machine


# Edges


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (None, "must give a Transcript, got NoneType"),
        ("text", "must give a Transcript, got str"),
        (Transcript((Word("a", 0.0, 9.0),)), r"must lie inside \[0, 1\.6\d*\] s, got 'a'"),
        (Transcript((Word("a", 1.0, 0.5),)), "must lie inside"),
        (Transcript((Word("a", float("nan"), 0.5),)), "must lie inside"),
        (Transcript(dropped=(Word("a", -3.0, 0.5),)), "must lie inside"),
    ],
)
def test_answers_that_are_no_transcript_are_errors_of_the_engine(answer, message):
    with pytest.raises(EngineError, match=f"test:engine.*{message}"):
        s2s.transcribe(channel(4.0, (1.0, 2.0)), SR, Engine(lambda x, sr: answer), cache=False)


def test_failures_of_an_engine_are_engine_errors(cache):
    def fail(x, sr):
        raise OSError("line down")

    with pytest.raises(EngineError, match="test:engine failed: OSError: line down") as caught:
        s2s.transcribe(channel(4.0, (1.0, 2.0)), SR, Engine(fail), cache=cache)
    assert isinstance(caught.value.__cause__, OSError)
    assert not cache.folder.exists()  # a failure is not kept


def test_words_without_letters_take_no_place():
    engine = Engine(lambda x, sr: Transcript((Word("  ", 0.3, 0.4), Word(" a ", 0.4, 0.9))))
    heard = s2s.transcribe(channel(4.0, (1.0, 2.0)), SR, engine, cache=False)
    assert [word.text for word in heard.words] == ["a"]


def test_an_engine_without_a_rate_is_an_error():
    with pytest.raises(EngineError, match=r"info\.rates_hz must name a rate"):
        s2s.transcribe(channel(4.0, (1.0, 2.0)), SR, Engine(rates_hz=()), cache=False)


@pytest.mark.parametrize("spurts", [[(2.0, 1.0)], [(-1.0, 1.0)], [(0.0, float("nan"))], [(1.0,)]])
def test_spurts_must_be_intervals(spurts):
    with pytest.raises(InputError, match="spurts must be"):
        s2s.transcribe(channel(4.0, (1.0, 2.0)), SR, Engine(), cache=False, spurts=spurts)


def test_audio_must_be_one_channel_of_floats():
    with pytest.raises(InputError, match=r"y must have shape \(n,\), got \(2, 80\)"):
        s2s.transcribe(np.zeros((2, 80)), SR, Engine(), cache=False)
    with pytest.raises(InputError, match="sr must be"):
        s2s.transcribe(np.zeros(80), 0, Engine(), cache=False)
    with pytest.raises(InputError, match="must be finite"):
        s2s.transcribe(np.full(80, np.nan), SR, Engine(), cache=False)


def test_the_audio_stays_as_it_was():
    y = channel(4.0, (1.0, 2.0))
    given = y.copy()

    def spoil(x, sr):
        x[:] = 0.0
        return Transcript()

    s2s.transcribe(given, SR, Engine(spoil), cache=False)
    np.testing.assert_array_equal(given, y)
