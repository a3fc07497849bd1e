"""What every engine must do. Subclass `TranscriberContract` in a test file and give it the fixtures."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from s2sverify import EngineError, EngineInfo, Transcriber, Transcript


class TranscriberContract:
    @pytest.fixture
    def engine(self):
        """The engine under test."""
        raise NotImplementedError

    @pytest.fixture
    def broken(self):
        """The same kind of engine with a backend that fails."""
        raise NotImplementedError

    @pytest.fixture
    def speech(self):
        """``(x, sr)`` in which the engine hears words."""
        raise NotImplementedError

    @pytest.fixture
    def other_speech(self):
        """The same, with other words, at the same rate."""
        raise NotImplementedError

    def test_has_the_form_of_a_transcriber(self, engine):
        assert isinstance(engine, Transcriber)

    def test_says_what_it_is(self, engine):
        info = engine.info
        assert isinstance(info, EngineInfo)
        assert info == engine.info
        assert info.name
        assert info.version
        assert info.vendor
        assert info.rates_hz
        assert all(isinstance(rate, int) and rate > 0 for rate in info.rates_hz)
        assert str(info.signature).startswith(f"{info.name}|version:{info.version}")
        assert "\n" not in str(info.signature)

    def test_words_are_ordered_and_inside_the_audio(self, engine, speech):
        x, sr = speech
        heard = engine.transcribe(x, sr)
        assert isinstance(heard, Transcript)
        assert heard.words
        for word in heard.words + heard.dropped:
            assert 0.0 <= word.start_s <= word.end_s <= x.size / sr
            assert word.text
            assert word.text == word.text.strip()
            assert word.confidence is None or 0.0 <= word.confidence <= 1.0
        starts = [word.start_s for word in heard.words]
        assert starts == sorted(starts)

    def test_leaves_the_audio_as_it_was(self, engine, speech):
        x, sr = speech
        given = x.copy()
        given.setflags(write=False)
        engine.transcribe(given, sr)
        np.testing.assert_array_equal(given, x)

    @pytest.mark.parametrize("samples", [0, 1, 7, 4000])
    def test_hears_nothing_where_nothing_is(self, engine, samples):
        for rate in engine.info.rates_hz:
            assert engine.transcribe(np.zeros(samples, np.float32), rate).words == ()

    def test_takes_a_single_sample_of_sound(self, engine):
        sr = engine.info.rates_hz[0]
        assert engine.transcribe(np.full(1, 0.5, np.float32), sr).words == ()

    def test_calls_do_not_influence_one_another(self, engine, speech, other_speech):
        (x, sr), (z, _) = speech, other_speech
        first = engine.transcribe(x, sr)
        between = engine.transcribe(z, sr)
        again = engine.transcribe(x, sr)
        assert between.text != first.text
        if engine.info.repeatable:
            assert again == first

    def test_may_be_asked_from_several_threads(self, engine, speech, other_speech):
        (x, sr), (z, _) = speech, other_speech
        alone = [engine.transcribe(part, sr).text for part in (x, z, x, z)]
        with ThreadPoolExecutor(4) as pool:
            together = list(pool.map(lambda part: engine.transcribe(part, sr).text, (x, z, x, z)))
        if engine.info.repeatable:
            assert together == alone

    def test_a_failing_backend_leaves_as_an_engine_error(self, broken, speech):
        x, sr = speech
        with pytest.raises(EngineError) as caught:
            broken.transcribe(x, sr)
        assert str(caught.value)
        assert isinstance(caught.value.__cause__, Exception)
