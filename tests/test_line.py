import importlib.util
import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from signals import CHUNKINGS, REFERENCES, SOURCES, gain_db, pieces, speechlike, streamed, tone

import s2sverify as s2s
from s2sverify.filters import FirStream, band_sections, band_taps
from s2sverify.kernels import line as loops
from s2sverify.loss import LossPattern, frame_edges, loss_probabilities
from s2sverify.noise import BurstSource, open_babble, open_noise, open_recorded

SR = 8_000
ALL_INT16 = np.arange(-32768, 32768).astype(np.int16)
ALL_CODES = np.arange(256, dtype=np.uint8)
LAWS = {"mulaw": (s2s.mulaw_encode, s2s.mulaw_decode), "alaw": (s2s.alaw_encode, s2s.alaw_decode)}
RATES = [8_000, 11_025, 16_000, 22_050, 24_000, 44_100, 48_000]

# ------------------------------------------------------------------------------------------------ G.711: closed form


def decision_values(law):
    """Lower edges of the quantising intervals of positive samples on the scale of int16, by the Recommendation.

    mu-law: sixteen intervals per segment, of width 8 in the first, doubling from segment to segment, the first one
    halved. A-law: the first two segments have intervals of width 16, then they double.
    """
    edges = [0]
    for segment in range(8):
        width = 8 << segment if law == "mulaw" else 16 << max(segment - 1, 0)
        for k in range(16):
            first = law == "mulaw" and segment == k == 0
            edges.append(edges[-1] + (width // 2 if first else width))
    return np.array(edges[:-1])


@pytest.mark.parametrize("law", LAWS)
def test_every_sample_gets_the_code_of_its_interval(law):
    encode, decode = LAWS[law]
    edges = decision_values(law)
    # On an edge a sample goes up: a positive one into the interval above, a negative one into the one nearer zero.
    x = ALL_INT16.astype(np.int64)
    interval = np.where(
        x >= 0,
        np.searchsorted(edges, x, side="right") - 1,
        np.searchsorted(edges, -x, side="left") - 1,
    )
    interval = np.maximum(interval, 0)
    signed = {
        "mulaw": 0xFF - interval - 0x80 * (x < 0),
        "alaw": (interval + 0x80 * (x >= 0)) ^ 0x55,
    }
    expected = signed[law]
    np.testing.assert_array_equal(encode(ALL_INT16), expected)

    middle = np.append((edges[:-1] + edges[1:]) // 2, 32124 if law == "mulaw" else 32256)
    if law == "mulaw":
        middle[0] = 0
    magnitude = middle[(0x7F - (ALL_CODES & 0x7F)) if law == "mulaw" else (ALL_CODES ^ 0x55) & 0x7F]
    np.testing.assert_array_equal(
        decode(ALL_CODES), np.where(ALL_CODES & 0x80, magnitude, -magnitude)
    )


def test_known_codes():
    x = np.array([0, -1, 3, 4, -4, -5, 32767, -32768], np.int16)
    assert s2s.mulaw_encode(x).tolist() == [0xFF, 0x7F, 0xFF, 0xFE, 0x7F, 0x7E, 0x80, 0x00]
    assert s2s.mulaw_decode(bytes([0x7F, 0xFF, 0x00, 0x80])).tolist() == [0, 0, -32124, 32124]
    x = np.array([0, -1, 15, 16, -16, -17, 32767, -32768], np.int16)
    assert s2s.alaw_encode(x).tolist() == [0xD5, 0x55, 0xD5, 0xD4, 0x55, 0x54, 0xAA, 0x2A]
    assert s2s.alaw_decode(bytes([0xD5, 0x55, 0xAA, 0x2A])).tolist() == [8, -8, 32256, -32256]


@pytest.mark.parametrize("law", LAWS)
def test_decoding_and_encoding_again_keeps_every_code_but_negative_zero(law):
    encode, decode = LAWS[law]
    again = encode(decode(ALL_CODES))
    changed = ALL_CODES[again != ALL_CODES].tolist()
    assert changed == ([0x7F] if law == "mulaw" else [])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_float_is_its_int16(dtype):
    y = s2s.to_float(ALL_INT16).astype(dtype)
    np.testing.assert_array_equal(s2s.to_int16(y).x, ALL_INT16)
    for encode, _ in LAWS.values():
        np.testing.assert_array_equal(encode(y), encode(ALL_INT16))
    between = (y[:-1] + y[1:]) / 2 + dtype(1e-7)  # just above half a step: rounds up
    np.testing.assert_array_equal(s2s.mulaw_encode(between), s2s.mulaw_encode(ALL_INT16[1:]))


def test_what_does_not_fit_is_saturated_and_counted():
    y = np.array([1.0, -1.0, 1.5, -7.0, 0.99999, 32767.4 / 32768, 0.5 / 32768, 1.5 / 32768])
    pcm = s2s.to_int16(y)
    assert pcm.x.tolist() == [32767, -32768, 32767, -32768, 32767, 32767, 0, 2]
    assert pcm.clipped_samples == 4
    encoder = s2s.G711Encoder("alaw")
    encoder.push(y[:3])
    encoder.push(y[3:])
    assert encoder.clipped_samples == 4


# ------------------------------------------------------------------------------------------------ G.711: the rest


@settings(deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(0, 3000),
    scale=st.floats(0.01, 3),
    wide=st.booleans(),
)
def test_compiled_companding_equals_its_plain_form(seed, n, scale, wide):
    y = (np.random.default_rng(seed).standard_normal(n) * scale).astype(
        np.float64 if wide else np.float32
    )
    x, plain = np.empty(n, np.int16), loops.quantise_plain(y)
    assert loops.quantise(y, x) == plain[1]
    np.testing.assert_array_equal(x, plain[0])
    for table, decoded in (
        (loops.mulaw_encode_table(), loops.MULAW_DECODE),
        (loops.alaw_encode_table(), loops.ALAW_DECODE),
    ):
        codes, back = np.empty(n, np.uint8), np.empty(n, np.int16)
        loops.encode(x.view(np.uint16), table, codes)
        np.testing.assert_array_equal(codes, loops.encode_plain(x, table))
        loops.decode(codes, decoded, back)
        np.testing.assert_array_equal(back, loops.decode_plain(codes, decoded))
    loops.decode_mulaw(codes, back)
    np.testing.assert_array_equal(back, s2s.mulaw_decode(codes))


def test_compiled_mulaw_decoder_knows_every_code():
    x = np.empty(256, np.int16)
    loops.decode_mulaw(ALL_CODES, x)
    np.testing.assert_array_equal(x, loops.MULAW_DECODE)


@settings(deadline=None)
@given(data=st.binary(max_size=400), sizes=st.lists(st.integers(0, 9), min_size=1).filter(any))
def test_pcm_bytes_may_be_cut_anywhere(data, sizes):
    encoder, decoder = s2s.G711Encoder("mulaw"), s2s.G711Decoder("mulaw")
    raw = np.frombuffer(data, np.uint8)
    codes = [encoder.push(piece.tobytes()) for piece in pieces(raw, sizes)]
    codes = np.concatenate([np.zeros(0, np.uint8), *codes])
    whole = np.frombuffer(data, "<i2", count=len(data) // 2)
    np.testing.assert_array_equal(codes, s2s.mulaw_encode(whole.astype(np.int16)))
    assert encoder.odd_bytes == len(data) % 2
    back = [decoder.push(piece.tobytes()) for piece in pieces(codes, sizes)]
    np.testing.assert_array_equal(
        np.concatenate([np.zeros(0, np.int16), *back]), s2s.mulaw_decode(codes)
    )


@pytest.mark.parametrize("law", LAWS)
def test_tables_equal_the_reference(law):
    names = {
        kind: REFERENCES / f"g711_{law.replace('mu', 'u')}_{kind}.npy"
        for kind in ("encode", "decode")
    }
    if not names["encode"].is_file():
        pytest.skip("the reference tables are not here")
    encode, decode = LAWS[law]
    np.testing.assert_array_equal(encode(ALL_INT16), np.load(names["encode"]))
    np.testing.assert_array_equal(decode(ALL_CODES), np.load(names["decode"]))


@pytest.mark.skipif(
    importlib.util.find_spec("audioop") is None, reason="audioop left Python with 3.13"
)
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_the_standard_library_differs_only_on_the_edges():
    import audioop

    theirs = np.frombuffer(audioop.lin2ulaw(ALL_INT16.tobytes(), 2), np.uint8)
    differs = ALL_INT16[s2s.mulaw_encode(ALL_INT16) != theirs]
    assert differs.size == 508 and (differs < 0).all()


def test_shapes_lists_and_nothing():
    x = ALL_INT16.reshape(256, 256)[:, ::2]  # not contiguous
    assert s2s.mulaw_encode(x).shape == (256, 128)
    np.testing.assert_array_equal(s2s.mulaw_encode(x).ravel(), s2s.mulaw_encode(x.ravel()))
    assert s2s.mulaw_encode([0, -5]).tolist() == [0xFF, 0x7E]
    assert s2s.mulaw_encode([]).size == s2s.alaw_decode(b"").size == 0
    assert s2s.mulaw_decode([0, 255]).tolist() == [-32124, 0]


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda: s2s.mulaw_encode(np.array([40_000], np.int32)), "must be int16, .* got int32"),
        (lambda: s2s.mulaw_encode(np.array([0.0, np.nan])), "finite, got 1 NaN"),
        (lambda: s2s.alaw_encode(["a"]), "got <U1"),
        (lambda: s2s.mulaw_decode(np.array([-1])), "codes must be uint8 or bytes"),
        (lambda: s2s.alaw_decode(np.array([0.5])), "codes must be uint8 or bytes, got float64"),
        (lambda: s2s.G711Encoder("ulaw"), 'law must be "mulaw" or "alaw", got \'ulaw\''),
        (lambda: s2s.to_float(np.zeros(3)), "x must be int16, got float64"),
    ],
)
def test_companding_rejects(call, match):
    with pytest.raises(s2s.InputError, match=match):
        call()


# ------------------------------------------------------------------------------------------------ resampling


def test_what_would_alias_is_80_db_down():
    for hz in (4_200, 4_600, 6_000, 8_500, 11_000):
        wave = tone(1, 0.5, 24_000, hz=hz)
        assert gain_db(s2s.resample(wave, 24_000, SR), wave) < -80


@pytest.mark.parametrize("to_hz", [8_000, 11_025, 16_000, 48_000])
def test_the_pass_band_is_flat_and_not_delayed(to_hz):
    for hz in (60, 300, 1_000, 3_400):
        wave = tone(1, 0.5, 24_000, hz=hz).astype(np.float64)
        out = s2s.resample(wave, 24_000, to_hz)
        assert gain_db(out, wave) == pytest.approx(0, abs=0.1)
        there = 0.5 * np.sin(2 * np.pi * hz * np.arange(out.size) / to_hz)
        quarter = out.size // 4
        np.testing.assert_allclose(out[quarter:-quarter], there[quarter:-quarter], atol=2e-3)


@settings(deadline=None, max_examples=40)
@given(
    rates=st.tuples(st.sampled_from(RATES), st.sampled_from(RATES)),
    n=st.integers(0, 5_000), sizes=CHUNKINGS, wide=st.booleans(),
)  # fmt: skip
def test_resampling_is_the_same_in_pieces(rates, n, sizes, wide):
    dtype = np.float64 if wide else np.float32
    y = np.random.default_rng(n).standard_normal(n).astype(dtype)
    whole = s2s.resample(y, *rates)
    assert whole.dtype == dtype and abs(whole.size - n * rates[1] / rates[0]) <= 0.5
    stream = s2s.ResampleStream(*rates, dtype=dtype)
    np.testing.assert_array_equal(streamed(stream, y, sizes), whole)


def test_channels_are_resampled_one_by_one():
    y = np.random.default_rng(0).standard_normal((2, 2_400))
    out = s2s.resample(y, 24_000, SR)
    np.testing.assert_array_equal(out[1], s2s.resample(y[1], 24_000, SR))
    x = np.rint(y[0] * 5_000).astype(np.int16)
    np.testing.assert_array_equal(
        s2s.resample(x, 24_000, SR), s2s.resample(s2s.to_float(x), 24_000, SR)
    )


# ------------------------------------------------------------------------------------------------ band


@pytest.mark.parametrize("sr", [8_000, 24_000, 44_100])
def test_zero_phase_band(sr):
    for hz, low, high in (
        (100, -200, -55), (195, -200, -55), (300, -3.2, -2.8), (355, -0.1, 0.1), (1_000, -0.01, 0.01),
        (3_345, -0.1, 0.1), (3_400, -3.2, -2.8), (3_505, -200, -55), (3_900, -200, -55),
    ):  # fmt: skip
        wave = tone(1, 0.5, sr, hz=hz)
        assert low <= gain_db(s2s.band_limit(wave, sr), wave) <= high, hz
    pulse = np.zeros(2_001)
    pulse[1_000] = 1.0
    out = s2s.band_limit(pulse, sr)
    np.testing.assert_allclose(out, out[::-1], atol=1e-12)  # symmetric: no delay


@pytest.mark.parametrize("sr", [8_000, 24_000])
def test_causal_band_is_a_butterworth_of_order_four(sr):
    def analogue_db(hz):
        """High-pass and low-pass of order 4 after the bilinear transform, their edges kept in place."""
        low, high, w = (math.tan(math.pi * f / sr) for f in (300, 3_400, hz))
        return -10 * math.log10((1 + (low / w) ** 8) * (1 + (w / high) ** 8))

    for hz in (150, 300, 600, 1_000, 3_400, 3_700):
        wave = tone(1, 0.5, sr, hz=hz).astype(np.float64)
        out = s2s.band_limit(wave, sr, causal=True)
        assert gain_db(out, wave) == pytest.approx(analogue_db(hz), abs=0.05)
    pulse = np.zeros(300)
    pulse[100] = 1.0
    assert (s2s.band_limit(pulse, sr, causal=True)[:100] == 0).all()


@settings(deadline=None, max_examples=25)
@given(n=st.integers(0, 20_000), sizes=CHUNKINGS, causal=st.booleans(), wide=st.booleans())
def test_band_is_the_same_in_pieces(n, sizes, causal, wide):
    y = np.random.default_rng(n).standard_normal(n).astype(np.float64 if wide else np.float32)
    if sizes == [1]:
        y = y[:6_000]
    whole = s2s.band_limit(y, SR, causal=causal)
    assert whole.size == y.size and whole.dtype == y.dtype
    np.testing.assert_array_equal(streamed(s2s.BandStream(SR, causal=causal), y, sizes), whole)


def test_filters_equal_the_definition():
    y = np.random.default_rng(1).standard_normal(30_000)
    taps = band_taps(SR, 300.0, 3_400.0)
    half = taps.size // 2
    np.testing.assert_allclose(s2s.band_limit(y, SR), np.convolve(y, taps)[half:-half], atol=1e-12)
    late = FirStream(taps)
    np.testing.assert_allclose(streamed(late, y, [977]), np.convolve(y, taps)[: y.size], atol=1e-12)


@settings(deadline=None, max_examples=20)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(0, 400))
def test_compiled_biquads_equal_their_plain_form(seed, n):
    x = np.random.default_rng(seed).standard_normal(n).astype(np.float32)
    sections = band_sections(SR, 300.0, 3_400.0)
    states, outs = [np.ones((4, 2)) for _ in range(2)], [np.empty(n, np.float32) for _ in range(2)]
    loops.biquads(x, sections, states[0], outs[0])
    loops.biquads_plain(x, sections, states[1], outs[1])
    np.testing.assert_array_equal(*outs)
    np.testing.assert_array_equal(*states)


@settings(deadline=None, max_examples=20)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(0, 300), order=st.integers(1, 20))
def test_compiled_all_pole_filter_equals_its_plain_form(seed, n, order):
    rng = np.random.default_rng(seed)
    a, memories = rng.uniform(-1, 1, order) / order, [np.ones(order) for _ in range(2)]
    x = rng.standard_normal(n)
    ys = [x.copy(), x.copy()]
    loops.all_pole(ys[0], a, memories[0])
    loops.all_pole_plain(ys[1], a, memories[1])
    np.testing.assert_array_equal(*ys)
    np.testing.assert_array_equal(*memories)
    back = np.convolve(np.concatenate([np.ones(order), ys[0]]), np.concatenate([[1.0], a]))
    np.testing.assert_allclose(back[order : order + n], x, atol=1e-12)


@pytest.mark.parametrize("edges", [(0, 3_400), (300, 4_000), (2_000, 1_000), (math.nan, 3_400)])
def test_band_rejects_edges_that_do_not_fit(edges):
    with pytest.raises(s2s.InputError, match="0 < low_hz < high_hz < sr / 2 = 4000"):
        s2s.band_limit(tone(0.1), SR, low_hz=edges[0], high_hz=edges[1])


# ------------------------------------------------------------------------------------------------ noise


def octave_levels(y, sr, edges_hz):
    """Power density in dB between each pair of edges."""
    spectrum = np.abs(
        np.fft.rfft(y[: y.size // 8192 * 8192].reshape(-1, 8192) * np.hanning(8192), axis=1)
    )
    density, f = np.square(spectrum).mean(axis=0), np.fft.rfftfreq(8192, 1 / sr)
    return np.array([
        10 * np.log10(density[(f >= a) & (f < b)].mean()) for a, b in itertools.pairwise(edges_hz)
    ])  # fmt: skip


@pytest.mark.parametrize(("color", "slope_db"), [("white", 0.0), ("pink", -3.01), ("brown", -6.02)])
@pytest.mark.parametrize("sr", [8_000, 24_000])
def test_coloured_noise_falls_as_its_name_says(color, slope_db, sr):
    y = s2s.make_noise(color, 60 * sr, sr, rng=5)
    assert 20 * math.log10(y.std()) == pytest.approx(0, abs=0.3)
    levels = octave_levels(y, sr, [62.5 * 2**k for k in range(6)])
    np.testing.assert_allclose(np.diff(levels), slope_db, atol=0.4)
    kurtosis = np.mean((y / y.std()) ** 4)
    assert kurtosis == pytest.approx(3, abs=0.25)  # Gaussian


def test_speech_shaped_noise_has_the_long_term_spectrum_of_speech():
    # Third-octave levels of Byrne et al. (1994), table II, that lie wholly under 4 kHz
    table = {
        100: 54.4, 125: 57.7, 160: 56.8, 200: 60.2, 250: 60.3, 315: 59.0, 400: 62.1, 500: 62.1, 630: 60.5, 800: 56.8,
        1_000: 53.7, 1_250: 53.0, 1_600: 52.0, 2_000: 48.7, 2_500: 48.1, 3_150: 46.8,
    }  # fmt: skip
    y = s2s.make_noise("speech", 120 * SR, SR, rng=5)
    power = {
        hz: octave_levels(y, SR, [hz * 2 ** (-1 / 6), hz * 2 ** (1 / 6)])[0] + 10 * math.log10(hz)
        for hz in table
    }
    for hz, level in table.items():
        assert power[hz] - power[500] == pytest.approx(level - table[500], abs=1.2), hz


def test_hum_is_its_harmonics():
    y = s2s.make_noise("hum", 2 * SR, SR, rng=5, hum_hz=60).astype(np.float64)
    spectrum = np.abs(np.fft.rfft(y)) / y.size * 2
    lines = spectrum[2 * 60 * np.arange(1, 11)]
    np.testing.assert_allclose(lines * np.arange(1, 11), lines[0], rtol=1e-5)
    assert (
        np.square(lines).sum() / 2
        == pytest.approx(np.mean(y**2), rel=1e-6)
        == pytest.approx(1, rel=1e-5)
    )


SOURCES_OF_NOISE = {
    "white": lambda rng: open_noise("white", SR, rng),
    "pink": lambda rng: open_noise("pink", SR, rng),
    "speech": lambda rng: open_noise("speech", SR, rng),
    "hum": lambda rng: open_noise("hum", SR, rng),
    "looped": lambda rng: open_recorded(speechlike(0.3), SR, rng, 10**9),
    "babble": lambda rng: open_babble([speechlike(1.2, rng=k) for k in range(3)], SR, rng, talkers=4),
    "bursts": lambda rng: BurstSource(
        SR, rng, per_minute=30, duration_s=(0.1, 0.5), snr_db=(0, 6), source=lambda r, n: open_noise("pink", SR, r)
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SOURCES_OF_NOISE)
@settings(deadline=None, max_examples=8)
@given(sizes=CHUNKINGS, seed=st.integers(0, 10))
def test_noise_is_the_same_in_pieces_and_every_time(name, sizes, seed):
    n = 9_000 if sizes in ([1], [7]) else 40_000
    whole = SOURCES_OF_NOISE[name](np.random.default_rng(seed)).take(n)
    source = SOURCES_OF_NOISE[name](np.random.default_rng(seed))
    parts = [source.take(piece.size) for piece in pieces(whole, sizes)]
    np.testing.assert_array_equal(np.concatenate(parts), whole)
    long, other = (
        SOURCES_OF_NOISE[name](np.random.default_rng(k)).take(40_000) for k in (seed, seed + 1)
    )
    np.testing.assert_array_equal(long[:n], whole)
    assert not np.array_equal(other, long)


def test_the_number_of_bursts_is_what_was_asked():
    n = 15 * 60 * SR
    counts = []
    for seed in range(6):
        source = BurstSource(
            SR, np.random.default_rng(seed), per_minute=60, duration_s=(0.1, 0.5), snr_db=(0, 6),
            source=lambda rng, n: open_noise("white", SR, rng),
        )  # fmt: skip
        source.take(n)
        spans, snrs_db = source.until(n)
        counts.append(len(spans))
        lengths_s = np.diff(spans[:-1])[:, 0] / SR
        assert (
            lengths_s.min() >= 0.1
            and lengths_s.max() <= 0.5
            and lengths_s.mean() == pytest.approx(0.3, abs=0.06)
        )
        assert min(snrs_db) >= 0 and max(snrs_db) <= 6
    assert np.mean(counts) == pytest.approx(900, abs=5 * math.sqrt(900 / len(counts)))


def test_the_start_in_a_recording_is_drawn_from_all_that_fit():
    y = np.random.default_rng(0).standard_normal(SR + 2).astype(np.float32)
    starts = []
    for seed in range(300):
        mix = s2s.mix_at_snr(tone(1), y, SR, snr_db=20, rng=seed)
        start = round(mix.starts_s[0] * SR)
        starts.append(start)
        np.testing.assert_allclose(
            mix.noise / mix.noise.std(),
            y[start : start + SR] / y[start : start + SR].std(),
            rtol=1e-4,
        )
    counts = np.bincount(starts)
    assert counts.size == 3 and (counts > 70).all()


def test_a_loop_has_no_seam_and_no_period():
    ramp = tone(1.0, 0.5, hz=200.0)
    source = open_recorded(ramp, SR, np.random.default_rng(3), 60 * SR)
    y = source.take(60 * SR)
    assert np.abs(np.diff(y)).max() < 1.6 * np.abs(np.diff(ramp)).max()  # no steps
    assert len(source.starts_s) > 60 and len(set(source.starts_s)) > 50
    noise = np.random.default_rng(1).standard_normal(SR).astype(np.float32)
    y = open_recorded(noise, SR, np.random.default_rng(3), 60 * SR).take(60 * SR)
    assert np.square(y).mean() == pytest.approx(np.square(noise).mean(), rel=0.05)
    spectrum = np.fft.rfft(y, 2 * y.size)
    likeness = np.fft.irfft(np.abs(spectrum) ** 2)[: y.size] / np.square(y).sum()
    assert np.abs(likeness[SR // 2 :]).max() < 0.15  # a plain loop reaches 0.98 after one period


# ------------------------------------------------------------------------------------------------ mixing


@settings(deadline=None, max_examples=20)
@given(
    snr_db=st.floats(-5, 30), pauses=st.floats(0.1, 0.9), seed=st.integers(0, 99),
    color=st.sampled_from(["white", "pink", "brown", "speech", "hum"]), offset=st.floats(-0.2, 0.2),
)  # fmt: skip
def test_what_is_mixed_measures_as_asked(snr_db, pauses, seed, color, offset):
    y = speechlike(25, pauses=pauses, rng=seed) + np.float32(offset)
    mix = s2s.mix_at_snr(y, color, SR, snr_db=snr_db, rng=seed)
    assert mix.snr_db == pytest.approx(snr_db, abs=0.01)
    # measured again, from nothing but the two signals
    scale = 10 ** (mix.attenuation_db / 20)
    added = mix.y - y * np.float32(scale)
    speech_dbov = s2s.active_speech_level(y * np.float32(scale), SR).active_dbov
    noise_dbov = 20 * math.log10(added.std(dtype=np.float64))
    assert speech_dbov - noise_dbov == pytest.approx(snr_db, abs=0.1)
    assert np.abs(mix.y).max() <= 1.0 and mix.clipped_share == 0.0
    np.testing.assert_array_equal(mix.y, s2s.mix_at_snr(y, color, SR, snr_db=snr_db, rng=seed).y)


def test_the_offset_of_a_recording_is_no_noise():
    y = speechlike(10)
    noise = np.random.default_rng(0).standard_normal(20 * SR).astype(np.float32) * 0.01
    plain = s2s.mix_at_snr(y, noise, SR, snr_db=10, rng=1)
    shifted = s2s.mix_at_snr(y, noise + np.float32(0.05), SR, snr_db=10, rng=1)
    assert shifted.gain_db == pytest.approx(plain.gain_db, abs=0.01)


def test_total_power_is_another_reference():
    y = speechlike(40, pauses=0.75)
    active = s2s.mix_at_snr(y, "white", SR, snr_db=10, rng=1)
    total = s2s.mix_at_snr(y, "white", SR, snr_db=10, rng=1, over="total")
    assert active.gain_db - total.gain_db == pytest.approx(10 * math.log10(4), abs=0.8)
    assert total.snr_db == pytest.approx(10, abs=0.01)


def test_a_loud_mix_is_attenuated_rather_than_clipped():
    y = speechlike(5, dbov=-9)
    quieter = s2s.mix_at_snr(y, "white", SR, snr_db=-5, rng=1)
    assert quieter.attenuation_db < -3 and np.abs(quieter.y).max() == pytest.approx(
        32767 / 32768, abs=1e-6
    )
    assert quieter.snr_db == pytest.approx(-5, abs=0.01)
    clipped = s2s.mix_at_snr(y, "white", SR, snr_db=-5, rng=1, allow_clipping=True)
    assert clipped.clipped_share > 0.05 and clipped.attenuation_db == 0 and clipped.snr_db > -4.5
    limited = np.mean((clipped.y == -1) | (clipped.y == np.float32(32767 / 32768)))
    assert clipped.clipped_share == pytest.approx(limited, abs=1e-9)


def test_silence_is_an_error_on_either_side():
    y = speechlike(4)
    with pytest.raises(
        s2s.SilenceError, match="y must hold speech to set an SNR by, got none at -inf dBov"
    ):
        s2s.mix_at_snr(np.zeros(4 * SR), "white", SR, snr_db=10, rng=1)
    with pytest.raises(s2s.SilenceError, match="must be above -90 dBov"):
        s2s.mix_at_snr(np.zeros(4 * SR), "white", SR, snr_db=10, rng=1, over="total")
    clicks = np.zeros(5 * SR, np.float32)
    clicks[1_000:1_010] = 0.5
    for noise in (np.zeros(5 * SR), np.full(5 * SR, 0.3), clicks):
        with pytest.raises(
            s2s.SilenceError, match="noise must be above -90 dBov in a twentieth of its frames"
        ):
            s2s.mix_at_snr(y, noise, SR, snr_db=10, rng=1)


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"snr_db": math.nan}, "snr_db must be finite"),
        ({"rng": None}, "rng must be a seed"),
        ({"noise": "purple"}, "noise must be one of white, pink, brown, speech, hum, or samples"),
        ({"noise": np.ones(5) * 0.1}, "at least 16 samples to be looped, got 5"),
        ({"over": "peak"}, 'over must be "active" or "total"'),
    ],
)
def test_mixing_rejects(change, match):
    arguments = {"noise": "white", "snr_db": 10, "rng": 1} | change
    with pytest.raises(s2s.InputError, match=match):
        s2s.mix_at_snr(speechlike(2), arguments.pop("noise"), SR, **arguments)


def test_babble_is_several_talkers_of_one_level():
    clips = [
        speechlike(3, pauses=0.1, dbov=level, rng=k) for k, level in enumerate((-15, -40, -26))
    ]
    y = s2s.mix_babble(clips, 30 * SR, SR, rng=2, talkers=8)
    assert 20 * math.log10(y.std()) == pytest.approx(0, abs=0.6)
    powers = np.sort(s2s.frame_energies(y, SR, frame_s=0.1))
    assert powers[len(powers) // 20] > 0.1 * powers.mean()  # hardly a pause is left
    with pytest.raises(s2s.SilenceError, match="clip 1 of the babble must hold speech"):
        s2s.mix_babble([clips[0], np.zeros(800)], 100, SR, rng=2)
    with pytest.raises(s2s.InputError, match="babble needs clips and talkers, got 0 clips"):
        s2s.mix_babble([], 100, SR, rng=2)


# ------------------------------------------------------------------------------------------------ frame loss


def bursts_of(lost):
    """Lengths of the runs of lost frames."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], lost.astype(np.int8), [0]])))
    return np.diff(edges)[::2]


@pytest.mark.parametrize(
    ("loss", "burst"),
    [
        (0.02, 1),
        (0.1, 1),
        (0.3, 1),
        (0.02, 2),
        (0.1, 2),
        (0.1, 5),
        (0.3, 1.2),
        (0.05, 10),
        (0.4, 1.05),
    ],
)
def test_loss_and_bursts_are_what_was_asked(loss, burst):
    """A million frames, five seeds: share and mean burst within five standard deviations."""
    n = 1_000_000
    to_bad, stay = loss_probabilities(loss, burst)
    mean_burst = burst if burst > 1 else 1 / (1 - loss)
    memory = stay - to_bad  # correlation of neighbouring frames
    loss_sd = math.sqrt(loss * (1 - loss) / n * (1 + memory) / (1 - memory))
    for seed in range(5):
        lost = LossPattern(loss, burst, np.random.default_rng(seed)).take(n)
        lengths = bursts_of(lost)
        assert abs(lost.mean() - loss) < 5 * loss_sd
        # lengths are geometric: their standard deviation is sqrt(m (m - 1))
        burst_sd = math.sqrt(mean_burst * (mean_burst - 1) / lengths.size)
        assert abs(lengths.mean() - mean_burst) < 5 * burst_sd


@settings(deadline=None, max_examples=30)
@given(
    loss=st.floats(0.01, 0.45), burst=st.floats(1, 6), seed=st.integers(0, 2**32 - 1),
    sizes=st.lists(st.integers(0, 300), min_size=1, max_size=5).filter(any),
)  # fmt: skip
def test_the_pattern_follows_the_chain_frame_by_frame(loss, burst, seed, sizes):
    to_bad, stay = loss_probabilities(loss, burst)
    u = np.random.default_rng(seed).random(700)
    state, expected = u[0] < loss, []
    for k, draw in enumerate(u):
        state = state if k == 0 else draw < (stay if state else to_bad)
        expected.append(state)
    pattern = LossPattern(loss, burst, np.random.default_rng(seed))
    taken = [pattern.take(piece.size) for piece in pieces(u, sizes)]
    np.testing.assert_array_equal(np.concatenate(taken), expected)


def test_frames_of_a_part_of_a_sample_do_not_drift():
    assert frame_edges(0, 4, 11_025, 0.02).tolist() == [0, 221, 441, 662, 882]  # 220.5 samples each
    assert frame_edges(10**6, 1, 11_025, 0.02).tolist() == [220_500_000, 220_500_221]
    assert frame_edges(3, 2, 8_000, 0.02).tolist() == [480, 640, 800]


@pytest.mark.parametrize("sr", [8_000, 11_025])
def test_lost_frames_are_where_they_are_said_to_be(sr):
    y = np.full(round(9.995 * sr), 0.25, np.float32)  # the last frame is a partial one
    out = s2s.drop_frames(y, sr, loss=0.2, burst_frames=2, rng=3)
    gone = np.zeros(y.size, bool)
    for start_s, end_s in out.lost_s:
        gone[round(start_s * sr) : round(end_s * sr)] = True
    np.testing.assert_array_equal(out.y == 0, gone)
    assert out.n_frames == 500 and out.lost_frames.size == pytest.approx(gone.mean() * 500, abs=1)
    assert out.realised_loss == out.lost_frames.size / 500
    assert [(span.start_s, span.end_s) for span in out.intervals] == [
        tuple(pair) for pair in out.lost_s.tolist()
    ]
    assert out.mean_burst_frames == out.lost_frames.size / len(out.lost_s)
    assert (out.lost_s[1:, 0] > out.lost_s[:-1, 1]).all()  # bursts do not touch


def test_the_last_and_partial_frame_can_be_lost():
    y = np.full(170, 0.5, np.float32)
    ends = [s2s.drop_frames(y, SR, loss=0.5, rng=seed).y for seed in range(200)]
    lost = [(end[160:] == 0).all() for end in ends]
    assert 70 < sum(lost) < 130
    everything = s2s.drop_frames(y, SR, loss=1, rng=0)
    assert (everything.y == 0).all() and everything.lost_s.tolist() == [[0.0, 170 / SR]]
    assert s2s.drop_frames(y, SR, loss=0, rng=0).lost_s.shape == (0, 2)


@pytest.mark.parametrize("law", LAWS)
def test_lost_codes_become_the_silence_of_their_law(law):
    encode, decode = LAWS[law]
    codes = encode(speechlike(4, pauses=0))
    codes[5] = 0x7F
    out = s2s.drop_frames(codes, SR, loss=0.3, rng=1, law=law)
    kept = out.y == codes
    assert set(out.y[~kept].tolist()) == {0xFF if law == "mulaw" else 0xD5}
    assert np.abs(decode(out.y[~kept])).max() <= 8
    again = s2s.drop_frames(codes.tobytes(), SR, loss=0.3, rng=1, law=law)
    np.testing.assert_array_equal(again.y, out.y)


@settings(deadline=None, max_examples=40)
@given(
    sr=st.sampled_from([8_000, 11_025, 24_000]), n=st.integers(0, 9_000), sizes=CHUNKINGS, seed=st.integers(0, 99),
    conceal=st.sampled_from(["zero", "repeat", "pitch"]), form=st.sampled_from(["f4", "f8", "i2", "mulaw"]),
)  # fmt: skip
def test_loss_is_the_same_in_pieces(sr, n, sizes, seed, conceal, form):
    y = speechlike(1.2, sr, pauses=0.1, rng=seed)[:n]
    law = "mulaw" if form == "mulaw" else None
    y = s2s.mulaw_encode(y) if law else s2s.to_int16(y).x if form == "i2" else y.astype(form)
    asked = {"loss": 0.25, "burst_frames": 2, "conceal": conceal, "law": law}
    whole = s2s.drop_frames(y, sr, rng=seed, **asked)
    assert whole.y.dtype == y.dtype and whole.y.shape == y.shape
    stream = s2s.LossStream(sr, rng=seed, **asked)
    np.testing.assert_array_equal(streamed(stream, y, sizes), whole.y)
    np.testing.assert_array_equal(np.flatnonzero(stream.lost), whole.lost_frames)


def test_every_concealer_loses_the_same_frames_and_keeps_the_rest():
    y = speechlike(6, pauses=0.2)
    outs = {
        conceal: s2s.drop_frames(y, SR, loss=0.1, rng=4, conceal=conceal)
        for conceal in ("zero", "repeat", "pitch")
    }
    for conceal, out in outs.items():
        np.testing.assert_array_equal(out.lost_s, outs["zero"].lost_s)
        changed = np.flatnonzero(out.y != y)
        reach = 0.010 if conceal == "pitch" else 0.0  # fades back within 10 ms
        inside = [
            ((changed >= round(a * SR)) & (changed < round((b + reach) * SR)))
            for a, b in out.lost_s
        ]
        assert np.any(inside, axis=0).all()


def test_concealment_of_a_steady_voice():
    """A tone of 10 ms period: the last period again is the tone itself, faded by a tenth every 10 ms."""
    y = tone(1, 0.5, hz=100.0)
    seed = next(
        s
        for s in range(99)
        if s2s.drop_frames(y, SR, loss=0.02, rng=s).lost_frames.tolist() == [20]
    )
    fade = 1 - np.arange(160) / 800
    lost = slice(3_200, 3_360)
    for conceal in ("repeat", "pitch"):
        out = s2s.drop_frames(y, SR, loss=0.02, rng=seed, conceal=conceal)
        np.testing.assert_allclose(out.y[lost], y[lost] * fade, atol=5e-3)
    after = out.y[3_360:3_440]
    np.testing.assert_allclose(after, y[3_360:3_440], atol=0.11)  # faded over, never stepped
    assert np.abs(np.diff(out.y[3_300:3_500])).max() < 1.2 * np.abs(np.diff(y)).max()


def test_a_long_burst_fades_to_silence():
    y = tone(2, 0.5, hz=150.0)
    for conceal in ("repeat", "pitch"):
        out = s2s.drop_frames(y, SR, loss=0.45, burst_frames=40, rng=1, conceal=conceal)
        start_s, end_s = next(
            span for span in out.lost_s if span[1] - span[0] > 0.2 and span[0] > 0.1
        )
        sound = np.abs(out.y[round((start_s + 0.1) * SR) : round(end_s * SR)])
        assert sound.max() == 0
        assert np.abs(out.y[round(start_s * SR) : round((start_s + 0.04) * SR)]).max() > 0.25


def test_concealment_helps_recorded_speech():
    """Mean PESQ (narrow band) at 10 % loss on a few clips; more of them in docs/benchmarks.md."""
    pesq = pytest.importorskip("pesq").pesq
    clips = [
        f"librispeech/{name}.flac"
        for name in ("1688-142285-0008", "2414-128291-0000", "3080-5032-0003")
    ]
    clips += [f"arctic/{name}.flac" for name in ("aew_a0003", "axb_a0004")]
    if not all((SOURCES / clip).is_file() for clip in clips):
        pytest.skip("the recorded speech is not here")
    scores = {"zero": [], "repeat": [], "pitch": []}
    for seed, clip in enumerate(clips):
        recording = s2s.read_recording(SOURCES / clip)
        y = s2s.resample(recording.read().mean(axis=0), recording.sr, SR)
        for conceal, found in scores.items():
            out = s2s.drop_frames(y, SR, loss=0.1, rng=seed, conceal=conceal)
            found.append(pesq(SR, y, out.y, "nb"))
    means = {conceal: np.mean(found) for conceal, found in scores.items()}
    assert means["pitch"] - means["zero"] > 0.6
    assert means["zero"] < means["repeat"] < means["pitch"]


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"loss": 1.1}, r"loss must be a share in \[0, 1\], got 1.1"),
        ({"loss": math.nan}, "loss must be a share"),
        ({"burst_frames": 0.5}, "burst_frames must be at least 1 frame, got 0.5"),
        (
            {"loss": 0.8, "burst_frames": 2},
            r"loss must be at most .* = 0.667 for bursts of 2 frames, got 0.8",
        ),
        ({"frame_s": 0.0}, "frame_s must be at least one sample long"),
        ({"conceal": "wish"}, "conceal must be one of zero, repeat, pitch, got 'wish'"),
        ({"law": "g729"}, 'law must be "mulaw" or "alaw"'),
        ({"law": "mulaw"}, "y must be bytes or uint8"),
        ({"rng": -1}, "rng must be a seed"),
    ],
)
def test_loss_rejects(change, match):
    with pytest.raises(s2s.InputError, match=match):
        s2s.drop_frames(tone(0.1), SR, **({"loss": 0.1, "rng": 0} | change))


def test_a_stream_keeps_its_kind():
    stream = s2s.LossStream(SR, loss=0.1, rng=0)
    stream.push(np.zeros(10, np.float32))
    with pytest.raises(s2s.InputError, match="dtype of the first, float32, got float64"):
        stream.push(np.zeros(10))


# ------------------------------------------------------------------------------------------------ speaking rate


@pytest.mark.parametrize("sr", [8_000, 24_000])
@pytest.mark.parametrize("rate", [0.5, 0.8, 1.25, 2.0])
def test_rate_changes_the_length_and_not_the_pitch(sr, rate):
    t = np.arange(3 * sr) / sr
    y = sum(np.sin(2 * np.pi * 140 * k * t) / k for k in range(1, 6)).astype(np.float32) * 0.1
    out = s2s.change_rate(y, sr, rate)
    assert out.size == round(y.size / rate)
    middle = out[out.size // 4 : -out.size // 4].astype(np.float64)
    spectrum = np.abs(np.fft.rfft(middle * np.hanning(middle.size), 1 << 19))
    assert np.argmax(spectrum) * sr / (1 << 19) == pytest.approx(140, abs=0.5)
    assert middle.std() == pytest.approx(y.std(), rel=0.03)


@pytest.mark.parametrize("rate", [0.5, 0.9, 1.3, 2.0])
def test_what_is_said_keeps_its_place_on_the_stretched_clock(rate):
    y = np.zeros(4 * SR, np.float32)
    onsets_s = (0.0, 0.73, 1.5, 2.9)
    for onset_s in onsets_s:
        y[round(onset_s * SR) :][:800] = speechlike(0.1, pauses=0, rng=1)
    heard = np.abs(s2s.change_rate(y, SR, rate)) > 0.005
    for onset_s in onsets_s:
        near = heard[max(0, round((onset_s / rate - 0.05) * SR)) :]
        found_s = max(0.0, onset_s / rate - 0.05) + np.argmax(near) / SR
        assert found_s == pytest.approx(onset_s / rate, abs=0.03)


@settings(deadline=None, max_examples=25)
@given(
    rate=st.floats(0.5, 2), n=st.integers(0, 12_000), sizes=CHUNKINGS, seed=st.integers(0, 99),
    channels=st.integers(1, 2), sr=st.sampled_from([8_000, 24_000]),
)  # fmt: skip
def test_rate_is_the_same_in_pieces(rate, n, sizes, seed, channels, sr):
    y = np.stack([speechlike(1.5, sr, rng=seed + k)[:n] for k in range(channels)])
    whole, in_pieces = (s2s.TempoStream(sr, rate=rate, channels=channels) for _ in range(2))
    out = np.concatenate([whole.push(y), whole.finish()], axis=1)
    assert out.shape[1] == round(y.shape[1] / rate)
    np.testing.assert_array_equal(streamed(in_pieces, y, sizes), out)


def test_rate_one_is_the_signal_itself():
    y = speechlike(1)
    np.testing.assert_array_equal(s2s.change_rate(y, SR, 1), y)


@pytest.mark.parametrize("rate", [0.49, 2.1, math.nan, True, "fast"])
def test_rate_out_of_range(rate):
    with pytest.raises(s2s.InputError, match=r"rate must lie in \[0.5, 2\]"):
        s2s.change_rate(tone(0.1), SR, rate)
