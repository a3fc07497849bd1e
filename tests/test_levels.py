import json
import math
import sys

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from signals import CHUNKINGS, REFERENCES, pieces, speechlike, tone

import s2sverify as s2s
from s2sverify.kernels import levels as loops
from s2sverify.kernels._lazy import Kernel
from s2sverify.levels import FrameMeter

SR = 8_000

# ------------------------------------------------------------------------------------------------ closed form


@pytest.mark.parametrize(("peak", "dbov"), [(1.0, -3.01), (0.5, -9.03), (0.001, -63.01)])
def test_steady_tone_reads_its_rms(peak, dbov):
    level = s2s.active_speech_level(tone(10, peak), SR)
    assert level.active_dbov == pytest.approx(dbov, abs=0.05)
    assert level.rms_dbov == pytest.approx(dbov, abs=0.005)


@pytest.mark.parametrize("sr", [8_000, 24_000])
def test_half_silent_tone_is_active_with_its_hangover(sr):
    # 0 s          4 s          8 s
    # |--- tone ---|  silence   |     active: 4 s - rise + fall of two smoothers of 30 ms + 0.2 s hangover
    y = np.concatenate([tone(4, 0.5, sr), np.zeros(4 * sr, np.float32)])
    level = s2s.active_speech_level(y, sr)
    assert level.activity * 8 == pytest.approx(4.272, abs=0.003)
    assert level.rms_dbov == pytest.approx(-9.03 - 3.01, abs=0.005)


def test_the_threshold_of_activity_lies_15_9_db_below_the_active_level():
    # Half of the time a loud tone, half a quiet one, whose envelopes (2 / pi of the peaks) cross these thresholds:
    #   2^-4: the loud half and 0.27 s more; level -9.18 dBov, 14.91 dB above the threshold
    #   2^-5: everything;                    level -11.96 dBov, 18.15 dB above the threshold
    # so the level that lies 15.9 dB above its threshold is 0.307 of the way from the first to the second.
    y = np.concatenate([tone(5, 0.5), tone(5, 0.07)])
    level = s2s.active_speech_level(y, SR)
    assert level.active_dbov == pytest.approx(-9.18 - 0.307 * (11.96 - 9.18), abs=0.05)


def test_offset_is_no_sound():
    y = speechlike(6, pauses=0.3)
    plain, shifted = s2s.signal_levels(y, SR), s2s.signal_levels(y + np.float32(0.2), SR)
    for name in ("active_dbov", "rms_dbov", "activity"):
        assert getattr(shifted, name) == pytest.approx(getattr(plain, name), abs=0.01)
    assert shifted.mean - plain.mean == pytest.approx(0.2, abs=1e-6)
    constant = s2s.active_speech_level(np.full(SR, 0.25, np.float32), SR)
    assert constant.rms_dbov == -math.inf and math.isnan(constant.active_dbov)


def test_peak_and_clipping_are_of_the_signal_as_it_stands():
    y = np.array([0.0, 1.0, -1.0, 32767 / 32768, 32766 / 32768, -0.5] + [0.0] * 94, np.float32)
    levels = s2s.signal_levels(y, SR)
    assert levels.peak == 1.0 and levels.clipped_share == 0.03


def test_noise_level_and_snr_of_known_parts():
    speech = speechlike(20, pauses=0.4)
    level = s2s.active_speech_level(speech, SR)
    noise = np.random.default_rng(3).standard_normal(speech.size)
    for snr_db in (5, 10, 20, 30):
        noise_dbov = level.active_dbov - snr_db
        y = speech + noise * 10 ** (noise_dbov / 20) / noise.std()
        levels = s2s.signal_levels(y, SR)
        assert levels.noise_dbov == pytest.approx(noise_dbov, abs=0.8)
        assert levels.snr_db == pytest.approx(snr_db, abs=1.5)
        assert s2s.noise_level(y, SR) == levels.noise_dbov


@pytest.mark.parametrize(
    ("above_db", "stretch_s", "noise_db", "is_speech"),
    [
        (
            2.9,
            0.128,
            0.085,
            False,
        ),  # 4 of 192 frames raise the noise a little, less than 3 dB above
        (3.2, 0.128, 0.098, True),
        (3.9, 3.072, 2.374, False),  # half of the frames within 4 dB of the quietest: all noise
        (4.1, 3.072, 0.00, True),
    ],
)
def test_what_counts_as_noise_and_as_speech(above_db, stretch_s, noise_db, is_speech):
    quiet = tone(
        6.144 - stretch_s, 0.01
    )  # frames of 256 samples hold 32 periods, so their powers are equal
    loud = tone(stretch_s, 0.01 * 10 ** (above_db / 20))
    levels = s2s.signal_levels(np.concatenate([quiet, loud]), SR)
    assert levels.noise_dbov == pytest.approx(-43.01 + noise_db, abs=0.01)
    assert math.isnan(levels.snr_db) != is_speech
    if is_speech:
        speech = 10 ** (above_db / 10) - 10 ** (noise_db / 10)
        assert levels.snr_db == pytest.approx(10 * math.log10(speech) - noise_db, abs=0.02)


def test_digital_silence_in_the_pauses_has_no_level():
    levels = s2s.signal_levels(speechlike(6, pauses=0.4), SR)
    assert levels.noise_dbov == -math.inf and levels.snr_db == math.inf


def test_frame_energies_of_a_ramp():
    y = np.arange(10, dtype=np.float32) / 16
    expected = np.array([0 + 1 + 4 + 9, 16 + 25 + 36 + 49]) / 256
    np.testing.assert_array_equal(s2s.frame_energies(y, 400, frame_s=0.01), expected)


# ------------------------------------------------------------------------------------------------ property


@settings(deadline=None, max_examples=25)
@given(sizes=CHUNKINGS, seed=st.integers(0, 99), wide=st.booleans())
def test_meters_read_the_same_in_pieces(sizes, seed, wide):
    y = speechlike(0.9, pauses=0.3, rng=seed) + np.float32(0.01)
    y = np.concatenate([y, np.zeros(900, np.float32), y]).astype(np.float64 if wide else np.float32)
    sums = s2s.SumMeter()
    for piece in pieces(y, sizes):
        sums.push(piece)
    meter = s2s.LevelMeter(SR, mean=sums.mean)
    speech = s2s.SpeechMeter(SR, mean=sums.mean)
    for piece in pieces(y, sizes):
        meter.push(piece)
        speech.push(piece)
    assert repr(meter.result()) == repr(s2s.signal_levels(y, SR))  # repr: NaN equals NaN
    assert repr(speech.result()) == repr(s2s.active_speech_level(y, SR))
    frames = FrameMeter(SR, frame_s=0.02)
    for piece in pieces(y, sizes):
        frames.push(piece)
    whole = FrameMeter(SR, frame_s=0.02)
    whole.push(y)
    np.testing.assert_array_equal(frames.powers(), whole.powers())
    table = y[: y.size // 160 * 160].reshape(-1, 160).astype(np.float64)
    np.testing.assert_allclose(frames.powers(), table.var(axis=1), atol=1e-12)


@settings(deadline=None, max_examples=30)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(0, 700), wide=st.booleans())
def test_compiled_loops_equal_their_plain_forms(seed, n, wide):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(n).astype(np.float64 if wide else np.float32)
    x *= np.repeat(rng.random(n // 50 + 1) > 0.5, 50)[:n]
    sums = np.array([1.5, 2.5, 0.1]), np.array([1.5, 2.5, 0.1])
    loops.running_sums(x, sums[0])
    loops.running_sums_plain(x, sums[1])
    np.testing.assert_array_equal(*sums)

    thresholds = np.array([0.01, 0.1, 0.3, 0.5, 1.0])
    states = [(np.zeros(3), np.zeros(12, np.int64)) for _ in range(2)]
    args = (x, 0.01, 0.9, thresholds, 7)
    loops.envelope_activity(*args, *states[0])
    loops.envelope_activity_plain(*args, *states[1])
    np.testing.assert_array_equal(states[0][0], states[1][0])
    np.testing.assert_array_equal(states[0][1], states[1][1])

    frame = int(rng.integers(1, 60))
    energies = np.empty(n // frame), np.empty(n // frame)
    loops.frame_energies(x, frame, energies[0])
    loops.frame_energies_plain(x, frame, energies[1])
    np.testing.assert_array_equal(*energies)
    exact = np.square(x[: n // frame * frame].astype(np.float64)).reshape(-1, frame).sum(axis=1)
    np.testing.assert_allclose(energies[0], exact, rtol=1e-6)


@settings(deadline=None, max_examples=30)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 900), hang=st.integers(0, 40))
def test_activity_counts_equal_the_definition(seed, n, hang):
    """Against P.56 as it is written: per sample and threshold, a hangover counted down."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(n) * np.repeat(rng.random(n // 60 + 1) > 0.6, 60)[:n]
    thresholds = np.array([0.05, 0.2, 0.4, 0.8])
    g = 0.9
    envelope, counts = np.zeros(3), np.zeros(10, np.int64)
    loops.envelope_activity_plain(x, 0.0, g, thresholds, hang, envelope, counts)
    expected, held, smooth, second = np.zeros(4, int), np.full(4, hang), 0.0, 0.0
    for sample in np.abs(x):
        smooth = g * smooth + (1 - g) * sample
        second = g * second + (1 - g) * smooth
        for j, threshold in enumerate(thresholds):
            if second >= threshold:
                expected[j] += 1
                held[j] = 0
            elif held[j] < hang:
                expected[j] += 1
                held[j] += 1
    np.testing.assert_array_equal(loops.active_samples(counts, hang), expected)
    assert envelope[2] == pytest.approx(np.square(x).sum())


@settings(deadline=None, max_examples=20)
@given(gain_db=st.floats(-30, 10), seed=st.integers(0, 99))
def test_levels_follow_a_gain(gain_db, seed):
    y = speechlike(3, dbov=-22, rng=seed).astype(np.float64)
    before, after = (s2s.active_speech_level(x, SR) for x in (y, y * 10 ** (gain_db / 20)))
    assert after.active_dbov - before.active_dbov == pytest.approx(gain_db, abs=0.1)
    assert after.rms_dbov - before.rms_dbov == pytest.approx(gain_db, abs=1e-6)


@pytest.mark.parametrize("pauses", [0.1, 0.5, 0.9])
def test_pauses_change_the_rms_level_and_not_the_active_level(pauses):
    level = s2s.active_speech_level(speechlike(60, pauses=pauses), SR)
    assert level.active_dbov == pytest.approx(-26, abs=0.8)
    assert level.rms_dbov == pytest.approx(-26 + 10 * math.log10(1 - pauses), abs=0.3)


def test_int16_reads_as_its_float():
    x = np.rint(speechlike(4) * 32768).astype(np.int16)
    x[:4] = -32768
    assert s2s.signal_levels(x, SR) == s2s.signal_levels(x.astype(np.float32) / 32768, SR)


def test_a_kernel_is_compiled_when_its_work_has_earned_it(monkeypatch):
    def double(x):
        for i in range(len(x)):
            x[i] = x[i] * 2

    loop = Kernel(double, patience=100)
    assert [loop.earned(60), loop.earned(30), loop.earned(10), loop.earned(1)] == [
        False,
        False,
        False,
        True,
    ]
    kept_out = Kernel(double, patience=10)
    assert not kept_out.earned(5) and kept_out.earned(10**6)

    compile_loop, asked = numba.njit, []

    def njit(**options):  # a machine with no folder to keep compiled code in
        asked.append(options)
        if options.get("cache"):
            raise RuntimeError("cannot cache function: no locator available")
        return compile_loop(**options)

    monkeypatch.setattr(numba, "njit", njit)
    x = np.arange(5.0)
    loop(x)
    np.testing.assert_array_equal(x, 2 * np.arange(5.0))
    assert [options.get("cache", False) for options in asked] == [True, False]
    assert not any(options.get("fastmath") for options in asked)
    assert loop.earned(0)


# ------------------------------------------------------------------------------------------------ reference


def _reference_cases():
    if not (REFERENCES / "p56.json").is_file():
        return []
    return sorted(json.loads((REFERENCES / "p56.json").read_text())["cases"])


@pytest.mark.parametrize("name", _reference_cases() or [None])
def test_agrees_with_the_reference_levels(name, monkeypatch):
    if name is None:
        pytest.skip("the reference levels are not here")
    monkeypatch.syspath_prepend(str(REFERENCES))
    for module in ("signals", "p56_signals"):  # this folder has a `signals` of its own
        monkeypatch.delitem(sys.modules, module, raising=False)
    from p56_signals import CASES  # type: ignore[import-not-found]
    from signals import to_i16  # type: ignore[attr-defined]

    known = json.loads((REFERENCES / "p56.json").read_text())["cases"][name]
    sr, make = CASES[name]
    level = s2s.active_speech_level(to_i16(make(sr)), sr)
    if known["asl_dbov_mean_removed"] is None:
        assert math.isnan(level.active_dbov) and level.activity == 0.0
    else:
        assert level.active_dbov == pytest.approx(known["asl_dbov_mean_removed"], abs=0.1)
        assert level.active_dbov == pytest.approx(known["asl_dbov_mean_removed"], abs=0.001)


# ------------------------------------------------------------------------------------------------ edges


@pytest.mark.parametrize("n", [0, 1])
def test_nothing_to_measure(n):
    level = s2s.active_speech_level(np.full(n, 0.5), SR)
    assert math.isnan(level.active_dbov) and level.rms_dbov == -math.inf and level.activity == 0.0
    levels = s2s.signal_levels(np.full(n, 0.5), SR)
    assert levels.n_samples == n and math.isnan(levels.noise_dbov) and math.isnan(levels.snr_db)
    assert levels.peak == 0.5 * n and math.isnan(levels.clipped_share) == (n == 0)


def test_a_signal_that_ends_as_its_envelope_rises():
    """The highest threshold is then reached by a few samples; the level must not come from there."""
    y = speechlike(0.4, pauses=0.4)
    assert s2s.active_speech_level(y, SR).active_dbov == pytest.approx(-26, abs=3)
    for n in range(2_000, y.size, 37):
        assert -45 < s2s.active_speech_level(y[:n], SR).active_dbov < -20


def test_clicks_and_near_silence_are_no_speech():
    click = np.zeros(4 * SR, np.float32)
    click[100] = 0.9
    assert math.isnan(s2s.active_speech_level(click, SR).active_dbov)
    assert math.isnan(s2s.active_speech_level(speechlike(6, dbov=-78), SR).active_dbov)
    assert not math.isnan(s2s.active_speech_level(speechlike(6, dbov=-70), SR).active_dbov)


@pytest.mark.parametrize(
    ("y", "match"),
    [
        (np.zeros((2, 80)), r"shape \(n,\), got \(2, 80\)"),
        (np.zeros(80, np.int32), "got int32"),
        (np.array([0.0, np.nan, np.inf]), "2 NaN or infinite samples, the first at 1"),
    ],
)
@pytest.mark.parametrize(
    "measure", [s2s.active_speech_level, s2s.signal_levels, s2s.frame_energies]
)
def test_rejects_what_is_no_channel(measure, y, match):
    with pytest.raises(s2s.InputError, match=match):
        measure(y, SR)


def test_frame_energies_see_nan_anywhere_and_no_overflow():
    y = tone(1)
    for place in (0, 4_321, y.size - 1):  # also after the last whole frame
        for bad in (math.nan, math.inf, -math.inf):
            x = y[: y.size - 40].copy()
            x[min(place, x.size - 1)] = bad
            with pytest.raises(s2s.InputError, match="1 NaN or infinite"):
                s2s.frame_energies(x, SR)
    huge = np.full(320, 1e20, np.float32)
    np.testing.assert_allclose(s2s.frame_energies(huge, SR), 160e40, rtol=1e-5)


def test_rejects_rates_and_frames_out_of_range():
    with pytest.raises(s2s.InputError, match="at least 600, got 400"):
        s2s.active_speech_level(tone(1), 400)
    with pytest.raises(s2s.InputError, match="frame_s must be a positive number of seconds, got 0"):
        s2s.frame_energies(tone(1), SR, frame_s=0)
