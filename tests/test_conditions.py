import dataclasses
import json
import math
import pickle
import re
import subprocess
import sys
from pathlib import Path

import jsonschema
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from signals import CHUNKINGS, pieces, speechlike, tone

import s2sverify as s2s
from s2sverify.cli import main

SR = 24_000
LINE = {"snr_db": 10.0}
PRESETS = ["clean", "phone", "phone_n20", "phone_n10", "phone_n5", "phone_drop2", "realistic"]
ALL_STEPS = (
    s2s.GainStep(gain_db=-3.0, channels=(1,)),
    s2s.OffsetStep(offset=0.01),
    s2s.ResampleStep(to_hz=16_000),
    s2s.CrosstalkStep(source=1, target=0, gain_db=-30.0, delay_s=0.0123),
    s2s.CrosstalkStep(source=0, target=0, gain_db=-20.0, delay_s=0.05),
    s2s.NoiseStep(noise="brown", snr_db=15.0, channels=(0,)),
    s2s.TempoStep(rate=1.3),
    s2s.BurstStep(per_minute=60.0, duration_s=(0.1, 0.3), snr_db=(0.0, 5.0)),
    s2s.ResampleStep(to_hz=8_000),
    s2s.BandStep(causal=True, channels=(1,)),
    s2s.BandStep(),
    s2s.ClipStep(peak=0.4),
    s2s.CodecStep(law="alaw"),
    s2s.LossStep(loss=0.1, burst_frames=2.0, conceal="pitch"),
    s2s.LossStep(loss=0.05, frame_s=0.03, conceal="repeat", channels=(0,)),
)
EVERYTHING = s2s.Condition("everything", ALL_STEPS, "one of each")


def call(duration_s=4.0, sr=SR):
    """Both parties, in turns and at once."""
    return np.stack(
        [speechlike(duration_s, sr, pauses=0.4, rng=k, dbov=-26 + 3 * k) for k in (1, 2)]
    )


def changes_of(result, kind, channel=0):
    return [c for c in result.changes if c.kind == kind and c.channel == channel]


# ------------------------------------------------------------------------------------------------ closed form


def test_a_condition_is_its_operations_one_after_the_other():
    y = call()[0]
    phone = s2s.degrade(y, "phone", sr=SR)
    by_hand = s2s.band_limit(s2s.resample(y, SR, 8_000), 8_000)
    by_hand = s2s.to_float(s2s.mulaw_decode(s2s.mulaw_encode(by_hand)))
    np.testing.assert_array_equal(phone.y, by_hand)
    assert phone.sr == 8_000 and phone.seed is None and phone.y.dtype == np.float32
    slow = s2s.degrade(y, s2s.Condition("slow", (s2s.TempoStep(rate=0.7),)), sr=SR)
    np.testing.assert_array_equal(slow.y, s2s.change_rate(y, SR, 0.7))


def test_the_order_of_the_shared_renders_can_be_said():
    """Noise, then band and mu-law, then loss; the noise of a file, on the caller alone."""
    condition = s2s.Condition(
        "phone_c5_drop2",
        (
            s2s.NoiseStep(noise="recording", sounds=("crowd",), snr_db=5.0, channels=(0,)),
            s2s.ResampleStep(to_hz=8_000), s2s.BandStep(), s2s.CodecStep(law="mulaw"),
            s2s.LossStep(loss=0.02),
        ),
    )  # fmt: skip
    crowd = (np.random.default_rng(0).standard_normal(90_000) * 0.1, 48_000)
    out = s2s.degrade(call(), condition, sr=SR, rng=1, sounds={"crowd": crowd})
    assert [c.kind for c in out.changes] == ["noise", "codec", "codec", "loss", "loss"]
    clean = s2s.degrade(call(), "phone", sr=SR)
    gone = out.y[1] != clean.y[1]
    assert set(out.y[1][gone]) == {np.float32(0)}  # the agent has lost frames and no noise


def test_simple_steps():
    y = np.array([[0.5, -0.5, 0.25, 0.0], [0.1, 0.2, 0.3, 0.4]], np.float32)

    def through(*steps):
        return s2s.degrade(y, s2s.Condition("x", steps), sr=SR)

    np.testing.assert_allclose(
        through(s2s.GainStep(gain_db=20 * math.log10(2))).y, 2 * y, rtol=1e-6
    )
    np.testing.assert_allclose(
        through(s2s.OffsetStep(offset=-0.1, channels=(1,))).y[1], y[1] - 0.1, atol=1e-7
    )
    clipped = through(s2s.ClipStep(peak=0.25))
    assert clipped.y.tolist()[0] == [0.25, -0.25, 0.25, 0.0]
    assert [c.values["clipped_share"] for c in clipped.changes] == [0.5, 0.5]
    np.testing.assert_array_equal(through().y, y)


def test_crosstalk_is_later_and_quieter():
    y = np.zeros((2, 400), np.float32)
    y[1, 100] = 0.5
    leak = s2s.CrosstalkStep(source=1, target=0, gain_db=-20.0, delay_s=50 / SR)
    out = s2s.degrade(y, s2s.Condition("leak", (leak,)), sr=SR).y
    expected = np.zeros(400)
    expected[150] = 0.05
    np.testing.assert_allclose(out[0], expected, atol=1e-8)
    np.testing.assert_array_equal(out[1], y[1])
    echo = s2s.CrosstalkStep(source=0, target=0, gain_db=-6.0, delay_s=10 / SR)
    out = s2s.degrade(y[1], s2s.Condition("echo", (echo,)), sr=SR).y
    assert np.flatnonzero(out).tolist() == [100, 110]
    with pytest.raises(
        s2s.ChannelError, match="must have its source, channel 1, among the channels"
    ):
        s2s.degrade(y[0], s2s.Condition("leak", (leak,)), sr=SR)


def test_noise_is_at_the_snr_asked_over_the_active_level():
    y = call(20)
    for preset, snr_db in (("phone_n20", 20), ("phone_n10", 10), ("phone_n5", 5)):
        out = s2s.degrade(y, preset, sr=SR, rng=3)
        for channel in (0, 1):
            (change,) = changes_of(out, "noise", channel)
            assert change.values["snr_db"] == pytest.approx(snr_db, abs=0.01)
            assert change.intervals_s.tolist() == [[0.0, 20.0]]
    clean, *noisy = (
        s2s.degrade(y, name, sr=SR, rng=3).y
        for name in ("phone", "phone_n20", "phone_n10", "phone_n5")
    )
    levels = [20 * math.log10((one - clean).std(dtype=np.float64)) for one in noisy]
    np.testing.assert_allclose(np.diff(levels), [10, 5], atol=0.15)  # also after band and mu-law


def test_a_loud_mix_is_attenuated_channel_by_channel():
    y = call(2) * np.array([[6.0], [0.5]], np.float32)
    noise = s2s.NoiseStep(noise="white", snr_db=-3.0)
    out = s2s.degrade(y, s2s.Condition("loud", (noise,)), sr=SR, rng=1)
    loud, quiet = (changes_of(out, "noise", k)[0].values for k in (0, 1))
    assert loud["attenuation_db"] < -3 and quiet["attenuation_db"] == 0.0
    assert np.abs(out.y[0]).max() == pytest.approx(32767 / 32768, abs=1e-6)
    assert loud["snr_db"] == pytest.approx(-3, abs=0.01)
    clipping = dataclasses.replace(noise, allow_clipping=True)
    out = s2s.degrade(y, s2s.Condition("clipped", (clipping,)), sr=SR, rng=1)
    values = changes_of(out, "noise")[0].values
    limited = np.mean((out.y[0] == -1) | (out.y[0] == np.float32(32767 / 32768)))
    assert values["clipped_share"] == pytest.approx(limited, abs=1e-9) and limited > 0.05
    assert values["attenuation_db"] == 0.0 and values["snr_db"] > -2.9


def test_a_level_needs_no_speech():
    condition = s2s.Condition("hiss", (s2s.NoiseStep(noise="white", level_dbov=-50.0),))
    out = s2s.degrade(np.zeros((2, SR)), condition, sr=SR, rng=1)
    np.testing.assert_allclose(20 * np.log10(out.y.std(axis=1)), -50, atol=0.01)
    assert changes_of(out, "noise")[0].values["noise_dbov"] == pytest.approx(-50, abs=0.001)


def test_bursts_are_where_they_are_said_to_be():
    y = call(60)
    bursts = s2s.BurstStep(per_minute=12.0, snr_db=(0.0, 10.0), duration_s=(0.2, 1.0))
    out = s2s.degrade(y, s2s.Condition("doors", (bursts,)), sr=SR, rng=5)
    for channel in (0, 1):
        (change,) = changes_of(out, "bursts", channel)
        spans = np.rint(change.intervals_s * SR).astype(int)
        assert (spans[1:, 0] >= spans[:-1, 1]).all() and 4 <= len(spans) <= 24
        added = out.y[channel] - y[channel]
        hit = np.zeros(y.shape[1], bool)
        for (start, end), snr_db in zip(spans, change.values["snrs_db"], strict=True):
            hit[start:end] = True
            if end < y.shape[1]:
                level = 20 * math.log10(added[start:end].std(dtype=np.float64))
                assert change.values["active_dbov"] - level == pytest.approx(snr_db, abs=0.01)
        assert np.abs(added[~hit]).max() == 0
    np.testing.assert_array_equal(out.intervals_s("bursts", 1), change.intervals_s)


def test_intervals_are_on_the_clock_of_the_result():
    loss = s2s.LossStep(loss=0.05)
    y = np.full(8_000 * 10, 0.25, np.float32) * np.where(np.arange(80_000) % 40 < 20, 1, -1).astype(
        np.float32
    )
    straight = s2s.degrade(y, s2s.Condition("a", (loss,)), sr=8_000, rng=2)
    slower = s2s.degrade(y, s2s.Condition("a", (loss, s2s.TempoStep(rate=0.5))), sr=8_000, rng=2)
    np.testing.assert_allclose(slower.intervals_s("loss"), 2 * straight.intervals_s("loss"))
    faster_before = s2s.Condition("a", (s2s.TempoStep(rate=0.5), loss))
    after = s2s.degrade(y, faster_before, sr=8_000, rng=2)
    assert after.intervals_s("loss").max() > 15
    for start_s, end_s in after.intervals_s("loss"):
        assert (after.y[round(start_s * 8_000) : round(end_s * 8_000)] == 0).all()


# ------------------------------------------------------------------------------------------------ seeds


RANDOM_STEPS = {
    "noise": s2s.NoiseStep(noise="pink", level_dbov=-40.0),
    "bursts": s2s.BurstStep(per_minute=40.0, duration_s=(0.1, 0.2)),
    "loss": s2s.LossStep(loss=0.1),
}
MORE_STEPS = st.lists(
    st.sampled_from([
        s2s.GainStep(gain_db=0.0), s2s.NoiseStep(noise="white", level_dbov=-85.0), s2s.ClipStep(peak=1.0),
        s2s.NoiseStep(noise="hum", level_dbov=-85.0), s2s.LossStep(loss=0.001, frame_s=0.01),
        s2s.BurstStep(per_minute=0.5, snr_db=(50.0, 60.0)), s2s.BandStep(),
    ]),
    max_size=4, unique=True,
)  # fmt: skip


@pytest.mark.parametrize("kind", RANDOM_STEPS)
@settings(deadline=None, max_examples=10)
@given(before=MORE_STEPS, after=MORE_STEPS, seed=st.integers(0, 2**40))
def test_more_steps_do_not_change_what_a_step_draws(kind, before, after, seed):
    step = RANDOM_STEPS[kind]
    y = speechlike(3, 8_000)
    alone = s2s.degrade(y, s2s.Condition("a", (step,)), sr=8_000, rng=seed)
    more = s2s.degrade(y, s2s.Condition("b", (*before, step, *after)), sr=8_000, rng=seed)
    (one,) = alone.changes
    (other,) = [c for c in more.changes if c.step == len(before)]
    np.testing.assert_array_equal(one.intervals_s, other.intervals_s)
    for name in ("snrs_db", "loss", "starts_s"):
        assert one.values.get(name) == other.values.get(name)
    if kind == "noise":  # the samples themselves: what the step adds to the same signal
        plain = s2s.degrade(y, s2s.Condition("c", tuple(before)), sr=8_000, rng=seed)
        with_it = s2s.degrade(y, s2s.Condition("d", (*before, step)), sr=8_000, rng=seed)
        np.testing.assert_allclose(with_it.y - plain.y, alone.y - y, atol=1e-6)


def test_the_same_seed_gives_the_same_bytes_and_another_does_not():
    y = call(3)
    one, same, other, named = (
        s2s.degrade(y, EVERYTHING, sr=SR, rng=seed, call=name).y
        for seed, name in ((7, ""), (7, ""), (8, ""), (7, "d01"))
    )
    assert one.tobytes() == same.tobytes()
    assert not np.array_equal(one, other) and not np.array_equal(one, named)
    assert not np.array_equal(one[0] - y[0, : one.shape[1]], one[1] - y[1, : one.shape[1]])
    generator = [
        s2s.degrade(y, EVERYTHING, sr=SR, rng=np.random.default_rng(3)).y for _ in range(2)
    ]
    np.testing.assert_array_equal(*generator)


def test_the_same_bytes_in_another_process():
    code = (
        "import numpy as np, hashlib, s2sverify as s2s\n"
        "y = np.sin(np.arange(40000) * 0.05).astype(np.float32) * (np.arange(40000) % 9000 > 3000) * np.float32(0.1)\n"
        "out = s2s.degrade(y, 'realistic', sr=16000, rng=11, call='x').y\n"
        "print(hashlib.sha256(out.tobytes()).hexdigest())"
    )
    runs = {
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True,
                       env={"PYTHONHASHSEED": str(k)}).stdout
        for k in (1, 2)
    }  # fmt: skip
    assert len(runs) == 1 and len(runs.pop().strip()) == 64


def test_one_noise_at_every_snr_and_one_loss_under_every_concealer():
    y = call(4)[0]
    residues = []
    for snr_db in (20.0, 5.0):
        noisy = s2s.Condition("n", (s2s.NoiseStep(snr_db=snr_db),))
        out = s2s.degrade(y, noisy, sr=SR, rng=1)
        residues.append((out.y - y).astype(np.float64))
    np.testing.assert_allclose(residues[1], residues[0] * 10**0.75, atol=2e-5)
    gone = [
        s2s.degrade(
            y, s2s.Condition("l", (s2s.LossStep(loss=0.1, conceal=how),)), sr=SR, rng=1
        ).intervals_s("loss")
        for how in ("zero", "repeat", "pitch")
    ]
    np.testing.assert_array_equal(gone[0], gone[1])
    np.testing.assert_array_equal(gone[0], gone[2])


def test_equal_steps_draw_differently_and_labels_too():
    y = np.zeros(SR, np.float32)
    hiss = s2s.NoiseStep(noise="white", level_dbov=-40.0)
    one = s2s.degrade(y, s2s.Condition("a", (hiss,)), sr=SR, rng=1).y
    two = s2s.degrade(y, s2s.Condition("a", (hiss, hiss)), sr=SR, rng=1).y
    assert 20 * math.log10(two.std()) == pytest.approx(
        -37, abs=0.1
    )  # not the same noise twice: -34
    labelled = s2s.degrade(
        y, s2s.Condition("a", (dataclasses.replace(hiss, label="b"),)), sr=SR, rng=1
    ).y
    assert abs(np.corrcoef(one, labelled)[0, 1]) < 0.05


def test_a_channel_on_its_own_is_the_channel_of_the_call():
    y = call(3)
    both = s2s.degrade(y, "realistic", sr=SR, rng=4)
    for channel in (0, 1):
        alone = s2s.degrade(y[channel], "realistic", sr=SR, rng=4, channel=channel)
        np.testing.assert_array_equal(alone.y, both.y[channel])
        assert [c.channel for c in alone.changes] == [channel] * len(alone.changes)


# ------------------------------------------------------------------------------------------------ whole and in blocks


@settings(deadline=None, max_examples=10)
@given(
    sizes=CHUNKINGS,
    name=st.sampled_from(["realistic", "everything", "phone_n5"]),
    seed=st.integers(0, 9),
)
def test_blocks_give_the_bits_of_the_whole(sizes, name, seed, tmp_path_factory):
    condition = EVERYTHING if name == "everything" else name
    y = call(0.3 if sizes == [1] else 1.2)
    whole = s2s.degrade(y, condition, sr=SR, rng=seed)
    folder = tmp_path_factory.mktemp("spool")
    run = s2s.degrade_blocks(pieces(y, sizes), condition, sr=SR, rng=seed, folder=folder)
    out = np.concatenate([whole.y[:, :0], *run], axis=1)
    np.testing.assert_array_equal(out, whole.y)
    assert run.sr == whole.sr and str(run.changes) == str(whole.changes)
    for one, other in zip(run.changes, whole.changes, strict=True):
        np.testing.assert_array_equal(one.intervals_s, other.intervals_s)
    assert not list(folder.iterdir())


def test_blocks_of_one_channel_and_of_none():
    y = call(1)[0]
    run = s2s.degrade_blocks(pieces(y, [999]), "phone", sr=SR)
    with pytest.raises(s2s.InputError, match="after the last block"):
        _ = run.changes
    np.testing.assert_array_equal(np.concatenate(list(run)), s2s.degrade(y, "phone", sr=SR).y)
    assert list(s2s.degrade_blocks([], "phone_n10", sr=SR, rng=0)) == []
    with pytest.raises(s2s.InputError, match="channels of the first"):
        list(s2s.degrade_blocks([y, np.stack([y, y])], "phone", sr=SR))


def test_recordings_arrays_and_files_agree(tmp_path):
    y = s2s.to_float(s2s.to_int16(call(5)).x)
    recording = s2s.Recording.from_arrays(y[0], y[1], SR, name="call.wav")
    of_array = s2s.degrade(y, EVERYTHING, sr=SR, rng=7)
    of_recording = s2s.degrade(recording, EVERYTHING, rng=7)
    np.testing.assert_array_equal(of_recording.y, of_array.y)
    np.testing.assert_array_equal(of_recording.agent, of_array.y[1])
    assert of_recording.recording.sr == 8_000 and "everything" in of_recording.recording.name

    recording.write(tmp_path / "call.wav")
    for suffix, encoding in ((".wav", "pcm_f32le"), (".flac", "pcm_s16le")):
        target = tmp_path / f"out{suffix}"
        done = s2s.degrade_file(tmp_path / "call.wav", target, EVERYTHING, rng=7, encoding=encoding)
        back = s2s.read_recording(target).read()
        expected = (
            of_array.y if encoding == "pcm_f32le" else s2s.to_float(s2s.to_int16(of_array.y).x)
        )
        np.testing.assert_array_equal(back, expected)
        assert str(done.changes) == str(of_array.changes)
        assert done.written.n_samples == of_array.y.shape[1] and done.sr == 8_000
    s2s.degrade_file(tmp_path / "call.wav", tmp_path / "ulaw.wav", "phone", encoding="pcm_mulaw")
    np.testing.assert_array_equal(
        s2s.read_recording(tmp_path / "ulaw.wav").read(), s2s.degrade(y, "phone", sr=SR).y
    )
    s2s.degrade_file(tmp_path / "call.wav", tmp_path / "call.wav", "clean")  # onto itself
    np.testing.assert_array_equal(s2s.read_recording(tmp_path / "call.wav").read(), y)


@settings(deadline=None, max_examples=25)
@given(
    n=st.integers(1, 3_000), sr=st.sampled_from([8_000, 11_025, 22_050, 44_100]),
    to_hz=st.sampled_from([8_000, 11_025, 16_000, 48_000]), rate=st.sampled_from([0.5, 0.77, 1.9]),
)  # fmt: skip
def test_the_length_written_is_the_length_that_comes(n, sr, to_hz, rate, tmp_path_factory):
    folder = tmp_path_factory.mktemp("lengths")
    y = np.random.default_rng(n).standard_normal((2, n)).astype(np.float32) * 0.1
    s2s.Recording.from_arrays(y[0], y[1], sr).write(folder / "a.wav", encoding="pcm_f32le")
    condition = s2s.Condition("c", (s2s.ResampleStep(to_hz=to_hz), s2s.TempoStep(rate=rate)))
    done = s2s.degrade_file(folder / "a.wav", folder / "b.wav", condition)
    assert done.written.n_samples == s2s.degrade(y, condition, sr=sr).y.shape[1]


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux's own figures")
def test_memory_does_not_grow_with_the_file(tmp_path):
    """What six minutes need beside one."""
    code = (
        "import re, sys, pathlib, s2sverify as s2s\n"
        "s2s.degrade_file(sys.argv[1], sys.argv[2], 'phone_n10', rng=1)\n"
        "status = pathlib.Path('/proc/self/status').read_text()\n"
        "print(re.search(r'VmHWM:\\s+(\\d+) kB', status)[1])"
    )
    peaks = []
    minute = call(60, 8_000)
    for minutes in (1, 6):
        y = np.tile(minute, minutes)
        source = tmp_path / f"{minutes}.wav"
        s2s.Recording.from_arrays(y[0], y[1], 8_000).write(source)
        done = subprocess.run(
            [sys.executable, "-c", code, str(source), str(tmp_path / "out.wav")],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        peaks.append(int(done.stdout) / 1000)
    assert peaks[1] < 300  # MB
    assert peaks[1] - peaks[0] < 12  # the six minutes as float32 in two channels are 23 MB


# ------------------------------------------------------------------------------------------------ conditions as data


def test_presets():
    known = s2s.conditions()
    assert list(known) == PRESETS and all(known[name].name == name for name in PRESETS)
    with pytest.raises(TypeError):
        known["phone"] = known["clean"]
    y = call(2)
    for name in PRESETS:
        out = s2s.degrade(y, name, sr=SR, rng=1)
        assert out.sr == (SR if name == "clean" else 8_000) == known[name].out_rate(SR)
        assert out.y.shape == (2, out.sr * 2)
    np.testing.assert_array_equal(s2s.degrade(y, "clean", sr=SR).y, y)


@pytest.mark.parametrize(
    "condition", [*s2s.conditions().values(), EVERYTHING], ids=lambda c: c.name
)
def test_json_goes_both_ways(condition):
    text = condition.to_json()
    again = s2s.Condition.from_json(text)
    assert again == condition and again.to_json() == text and again.signature == condition.signature
    assert s2s.Condition.from_dict(json.loads(text)) == condition
    jsonschema.validate(json.loads(text), s2s.condition_schema())


def test_a_signature_knows_the_steps_and_not_the_prose():
    a = s2s.Condition("x", (s2s.LossStep(loss=0.1),), "one")
    b = s2s.Condition("x", (s2s.LossStep(loss=0.1),), "two")
    c = s2s.Condition("x", (s2s.LossStep(loss=0.2),), "one")
    assert str(a.signature) == str(b.signature) != str(c.signature)
    assert a.then(s2s.CodecStep(law="alaw"), name="y").name == "y"


STEP = {"kind": "loss", "loss": 0.1}


@pytest.mark.parametrize(
    ("values", "match"),
    [
        ("nonsense", "a condition must be JSON"),
        ("[]", "a condition must be a JSON object, got list"),
        ({"name": ""}, "name must be a text that is not empty"),
        ({"name": "x", "stepps": []}, "only, got 'stepps'"),
        ({"name": "x", "schema_version": 2}, "schema_version must be 1, got 2"),
        ({"name": "x", "steps": [{"loss": 0.1}]}, r"steps\[0\]: Unable to extract tag"),
        ({"name": "x", "steps": [{"kind": "echo"}]}, r"steps\[0\]: Input tag 'echo'"),
        ({"name": "x", "steps": [STEP | {"loss": 2}]}, r"steps\[0\].loss: loss must be a share"),
        ({"name": "x", "steps": [STEP | {"loss": "0.1"}]}, r"steps\[0\].loss.loss: .* got '0.1'"),
        (
            {"name": "x", "steps": [STEP, STEP | {"los": 1}]},
            r"steps\[1\].loss.los: Unexpected keyword",
        ),
        ({"name": "x", "steps": [{"kind": "noise"}]}, "either snr_db or level_dbov"),
        ({"name": "x", "steps": [{"kind": "codec", "law": "opus"}]}, r"steps\[0\].codec.law"),
    ],
)
def test_bad_json_is_named(values, match):
    text = values if isinstance(values, str) else json.dumps(values)
    with pytest.raises(s2s.InputError, match=match):
        s2s.Condition.from_json(text)


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda: s2s.NoiseStep(), "either snr_db or level_dbov"),
        (lambda: s2s.NoiseStep(snr_db=10.0, level_dbov=-30.0), "either snr_db or level_dbov"),
        (lambda: s2s.NoiseStep(snr_db="10"), r"snr_db must be a number in \[-60, 120\], got '10'"),
        (
            lambda: s2s.NoiseStep(noise="babble", snr_db=1.0),
            "sounds must be named for babble and recordings",
        ),
        (lambda: s2s.NoiseStep(noise="pink", sounds=("a",), snr_db=1.0), "and for nothing else"),
        (lambda: s2s.BurstStep(per_minute=100.0), "fill less than half of the time"),
        (
            lambda: s2s.BurstStep(per_minute=1.0, duration_s=(1.0,)),
            "duration_s must be a pair of 2",
        ),
        (lambda: s2s.LossStep(loss=0.9, burst_frames=2.0), "loss must be at most"),
        (lambda: s2s.ResampleStep(to_hz=0), "to_hz must be a whole number of Hz"),
        (
            lambda: s2s.ResampleStep(to_hz=8_000, channels=(0,)),
            "channels must be left out for resampling",
        ),
        (lambda: s2s.CodecStep(law="pcm"), 'law must be "mulaw" or "alaw"'),
        (lambda: s2s.BandStep(low_hz=3_400.0, high_hz=300.0), "low_hz < high_hz"),
        (lambda: s2s.GainStep(gain_db=math.inf), "gain_db must be a number"),
        (lambda: s2s.ClipStep(peak=0.0), "peak must be a number"),
        (lambda: s2s.TempoStep(rate=3.0), r"rate must be a number in \[0.5, 2\]"),
        (
            lambda: s2s.CrosstalkStep(source=0, target=0, gain_db=-6.0),
            "delay_s must be above 0 for an echo",
        ),
        (
            lambda: s2s.GainStep(gain_db=1.0, channels=(-1,)),
            "channels must be channel numbers from 0",
        ),
        (
            lambda: s2s.Condition("x", ("phone",)),
            "steps must be line steps such as LossStep, got str",
        ),
    ],
)
def test_steps_check_their_numbers(make, match):
    with pytest.raises(s2s.InputError, match=match):
        make()


# ------------------------------------------------------------------------------------------------ results and edges


def test_results_are_values():
    out = s2s.degrade(call(2), "realistic", sr=SR, rng=1)
    assert not out.y.flags.writeable and not out.changes[0].intervals_s.flags.writeable
    with pytest.raises(dataclasses.FrozenInstanceError):
        out.sr = 1
    table = out.to_frame()
    assert list(table.columns[:5]) == ["step", "kind", "channel", "start_s", "end_s"]
    assert len(table) == sum(max(1, len(c.intervals_s)) for c in out.changes)
    (loss,) = changes_of(out, "loss", 1)
    assert loss.values["lost_frames"] == sum(round(i.duration_s / 0.02) for i in loss.intervals)
    assert "loss" in str(loss)


def test_results_travel_between_processes():
    out = s2s.degrade(call(1), "realistic", sr=SR, rng=1)
    back = pickle.loads(pickle.dumps(out))  # noqa: S301
    np.testing.assert_array_equal(back.y, out.y)
    assert back.condition == out.condition and str(back.changes) == str(out.changes)


def test_plot_shades_what_was_hit():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    out = s2s.degrade(call(2), "phone_drop2", sr=SR, rng=1)
    ax = out.plot()
    assert len(ax.lines) == 2
    assert len(ax.collections) == len(out.intervals_s("loss", 0)) + len(out.intervals_s("loss", 1))
    matplotlib.pyplot.close(ax.figure)


def test_one_channel_has_no_parties():
    out = s2s.degrade(call(1)[:1], "phone", sr=SR)
    assert out.y.shape == (1, 8_000)
    for one in (out, s2s.degrade(call(1)[0], "phone", sr=SR)):
        with pytest.raises(s2s.ChannelError, match="two channels to have a caller"):
            _ = one.caller
        with pytest.raises(s2s.ChannelError, match="two channels to have a caller"):
            _ = one.recording


def test_sounds_are_named_or_read(tmp_path):
    crowd = np.random.default_rng(0).standard_normal(16_000).astype(np.float32) * 0.1
    s2s.Recording.from_arrays(crowd, crowd, 16_000).write(
        tmp_path / "crowd.wav", encoding="pcm_f32le"
    )
    y = call(2)
    outs = []
    for name, sounds in (
        ("crowd", {"crowd": (crowd, 16_000)}),
        (str(tmp_path / "crowd.wav"), None),
    ):
        noise = s2s.NoiseStep(noise="recording", sounds=(name,), snr_db=10.0)
        outs.append(s2s.degrade(y, s2s.Condition("c", (noise,)), sr=SR, rng=1, sounds=sounds))
    for out in outs:
        assert changes_of(out, "noise", 1)[0].values["snr_db"] == pytest.approx(10, abs=0.01)
        assert len(changes_of(out, "noise", 1)[0].values["starts_s"]) >= 2  # one second, looped
    babble = s2s.NoiseStep(noise="babble", sounds=("a", "b"), snr_db=0.0, talkers=3)
    condition = s2s.Condition("b", (babble,))
    clips = {"a": (speechlike(1, SR, rng=8), SR), "b": (speechlike(1, 16_000, rng=9), 16_000)}
    out = s2s.degrade(y, condition, sr=SR, rng=1, sounds=clips)
    assert changes_of(out, "noise")[0].values["snr_db"] == pytest.approx(0, abs=0.01)
    with pytest.raises(
        s2s.InputError, match=r"sounds must map names to \(samples, rate in Hz\), got 'a'"
    ):
        s2s.degrade(y, condition, sr=SR, rng=1, sounds={"a": crowd, "b": crowd})
    with pytest.raises(s2s.InputError, match=r"nosuch.wav: there is no such file"):
        missing = s2s.NoiseStep(noise="recording", sounds=("nosuch.wav",), snr_db=10.0)
        s2s.degrade(y, s2s.Condition("c", (missing,)), sr=SR, rng=1)


def test_int16_is_taken_and_other_whole_numbers_are_not():
    y = call(1)
    x = s2s.to_int16(y).x
    np.testing.assert_array_equal(
        s2s.degrade(x, "phone", sr=SR).y, s2s.degrade(s2s.to_float(x), "phone", sr=SR).y
    )
    with pytest.raises(
        s2s.InputError, match=r"y must be int16, or float32 or float64 .* got int32"
    ):
        s2s.degrade(x.astype(np.int32), "phone", sr=SR)


def test_nothing_comes_out_of_nothing():
    for name in PRESETS:
        out = s2s.degrade(np.zeros((2, 0), np.float32), name, sr=SR, rng=1)
        assert out.y.shape == (2, 0)


def test_a_silent_channel_is_named():
    y = call(1)
    y[1] = 0
    with pytest.raises(
        s2s.SilenceError, match=r"channel 1 must hold speech to set an SNR by.*level_dbov"
    ):
        s2s.degrade(y, "phone_n10", sr=SR, rng=1)


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"condition": "phome"}, "condition must be one of clean, phone, .* got 'phome'"),
        ({"condition": ["phone"]}, "condition must be one of"),
        ({"sr": None}, "sr must be given for an array"),
        ({"sr": 8_000.5}, "sr must be a whole number of Hz"),
        ({"rng": None}, "rng must be given: condition 'phone_n10' draws at random"),
        ({"rng": -1}, r"rng must be a seed \(int >= 0\)"),
        ({"channel": -1}, "channel must be a channel number"),
        ({"y": np.array([0.1, np.nan] * 500)}, "y must be finite, got 500 NaN"),
        ({"y": np.zeros((2, 2, 2))}, r"shape \(n,\) or \(channel, n\), got"),
    ],
)
def test_degrade_rejects(change, match):
    asked = {"y": tone(1, sr=SR), "condition": "phone_n10", "sr": SR, "rng": 1} | change
    with pytest.raises(s2s.InputError, match=match):
        s2s.degrade(asked.pop("y"), asked.pop("condition"), **asked)


def test_a_failed_file_leaves_nothing_behind(tmp_path):
    y = call(1)
    y[1] = 0
    s2s.Recording.from_arrays(y[0], y[1], SR).write(tmp_path / "half.wav")
    with pytest.raises(s2s.SilenceError):
        s2s.degrade_file(tmp_path / "half.wav", tmp_path / "out.wav", "phone_n10", rng=1)
    with pytest.raises(s2s.InputError, match=r"must end in .wav or .flac"):
        s2s.degrade_file(tmp_path / "half.wav", tmp_path / "out.ogg", "phone")
    with pytest.raises(s2s.InputError, match="must lie in a folder that exists"):
        s2s.degrade_file(tmp_path / "half.wav", tmp_path / "no" / "out.wav", "phone")
    with pytest.raises(s2s.InputError, match="there is no such file"):
        s2s.degrade_file(tmp_path / "none.wav", tmp_path / "out.wav", "phone")
    assert [path.name for path in tmp_path.iterdir()] == ["half.wav"]


# ------------------------------------------------------------------------------------------------ cold start


def test_a_short_clip_waits_for_no_compiler():
    """The first use of every operation in a fresh process loads neither numba nor scipy."""
    code = (
        "import sys, numpy as np, s2sverify as s2s\n"
        "y = (np.sin(np.arange(24000) * 0.3) * (np.arange(24000) % 8000 > 2000) * 0.1).astype(np.float32)\n"
        "s2s.mulaw_decode(s2s.mulaw_encode(y)); s2s.alaw_decode(s2s.alaw_encode(y)); s2s.signal_levels(y, 8000)\n"
        "s2s.frame_energies(y, 8000); s2s.band_limit(y, 8000); s2s.band_limit(y, 8000, causal=True)\n"
        "s2s.drop_frames(y, 8000, loss=0.1, rng=1, conceal='pitch'); s2s.change_rate(y, 8000, 1.2)\n"
        "s2s.degrade(y, 'realistic', sr=8000, rng=1)\n"
        "print([m for m in ('numba', 'scipy', 'pandas', 'pydantic') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_command_line(tmp_path, monkeypatch, capsys):
    s2s.Recording.from_arrays(*call(2), SR).write(tmp_path / "in.wav")
    monkeypatch.chdir(tmp_path)

    def run(*arguments, code=0):
        assert main(list(arguments)) == code
        return capsys.readouterr()

    asked = ["degrade", "in.wav", "out.wav", "--condition", "realistic", "--seed", "7"]
    printed = json.loads(run(*asked, "--json").out)
    assert printed["schema_version"] == 1 and printed["seed"] == 7 and printed["sr_hz"] == 8_000
    expected = s2s.degrade(s2s.read_recording("in.wav"), "realistic", rng=7)
    np.testing.assert_array_equal(
        s2s.read_recording("out.wav").read(), s2s.to_float(s2s.to_int16(expected.y).x)
    )
    shown = [c["intervals_s"] for c in printed["changes"] if c["kind"] == "loss"]
    assert shown == [expected.intervals_s("loss", k).tolist() for k in (0, 1)]
    assert "realistic, seed 7, 2.00 s at 8000 Hz, 2 channels" in run(*asked).out

    mine = s2s.Condition("mine", (s2s.CodecStep(law="alaw"),))
    Path("mine.json").write_text(mine.to_json())
    run("degrade", "in.wav", "out.flac", "--condition", "mine.json")
    assert s2s.read_recording("out.flac").sr == SR
    listed = json.loads(run("conditions", "--json").out)["conditions"]
    assert [one["name"] for one in listed] == PRESETS
    monkeypatch.setenv("COLUMNS", "250")  # a line each
    assert [line.split()[0] for line in run("conditions").out.splitlines()] == PRESETS
    assert (
        s2s.Condition.from_json(run("conditions", "phone_n5").out) == s2s.conditions()["phone_n5"]
    )
    assert json.loads(run("schema", "condition").out) == s2s.condition_schema()
    for bad in ("nosuch", "nosuch.json", "in.wav"):
        failed = run("degrade", "in.wav", "out.wav", "--condition", bad, code=2)
        assert failed.err.count("\n") == 1 and bad in failed.err


def test_the_guide_runs():
    guide = (Path(__file__).parents[1] / "docs" / "line.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```", guide, flags=re.DOTALL)
    assert len(blocks) == 2
    names: dict = {}
    for block in blocks:
        exec(block, names)  # noqa: S102
    assert names["quieter"].condition == names["car"]
    described = set(re.findall(r"`(\w+Step)`", guide))
    assert described == {type(step).__name__ for step in ALL_STEPS}
