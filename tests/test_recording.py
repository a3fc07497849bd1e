"""Recordings: every awkward file is made here; libsndfile and ffmpeg are the independent readers and writers."""

import ast
import base64
import hashlib
import io
import json
import math
import os
import re
import shutil
import struct
import subprocess
import sys
import threading
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import soundfile
import soxr
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import s2sverify as s2s
from s2sverify._formats import tell
from s2sverify._wav import WIDTHS, decode, encode, encoding_name
from s2sverify.recording import _scan

SR = 8000
CASES = (
    Path(os.environ.get("S2SVERIFY_CASES") or Path(__file__).parents[2] / "shared" / "cases")
    / "audio"
)
FFMPEG = pytest.mark.skipif(
    shutil.which("ffmpeg") is None and os.environ.get("CI") != "true",
    reason="ffmpeg is not installed",
)
W64_TAIL = bytes.fromhex("f3acd3118cd100c04f8edb8a")
W64_RIFF = bytes.fromhex("726966662e91cf11a5d628db04c10000")
KSDATA = bytes.fromhex("000000001000800000aa00389b71")

# ------------------------------------------------------------------------------------------------ making files


def call(sr=SR, seconds=2.0, peak=0.25):
    """A call as int16 (n, 2): caller 0.2-0.8 s, agent 1.3-1.9 s, different sounds, digital silence elsewhere."""
    t = np.arange(round(seconds * sr)) / sr
    y = np.zeros((t.size, 2))
    for channel, (start, end, hz) in enumerate([(0.2, 0.8, 180.0), (1.3, 1.9, 130.0)]):
        on = (t >= start) & (t < end)
        y[on, channel] = (
            peak * np.sin(2 * np.pi * hz * t[on]) * (1 + 0.3 * np.sin(2 * np.pi * 1170 * t[on]))
        )
    return np.rint(y * 32768).astype("<i2")


def fmt_chunk(tag=1, channels=2, sr=SR, bits=16, *, align=None, extra=b""):
    align = channels * ((bits + 7) // 8) if align is None else align
    return struct.pack("<HHIIHH", tag, channels, sr, sr * align, align, bits) + extra


def chunk(name, payload, *, size=None, pad=True):
    size = len(payload) if size is None else size
    return name + struct.pack("<I", size) + payload + (b"\0" if pad and len(payload) % 2 else b"")


def riff(*chunks, magic=b"RIFF", size=None):
    body = b"WAVE" + b"".join(chunks)
    return magic + struct.pack("<I", len(body) if size is None else size) + body


def w64_chunk(name, payload, *, size=None):
    size = 24 + len(payload) if size is None else size
    return name + W64_TAIL + struct.pack("<Q", size) + payload + b"\0" * (-len(payload) % 8)


def w64(*chunks):
    body = b"wave" + W64_TAIL + b"".join(chunks)
    return W64_RIFF + struct.pack("<Q", 24 + len(body)) + body


@pytest.fixture
def save(tmp_path):
    def save(content, name="call.wav"):
        path = tmp_path / name
        path.write_bytes(content)
        return path

    return save


def codes(recording):
    return [finding.code for finding in recording.findings]


def ints(recording):
    """Samples as int16 (n, channel): exact for what came from int16."""
    y = recording.read() * 32768
    assert np.array_equal(y, np.rint(y))
    return y.T.astype("<i2")


def on_off_ms(y, sr):
    """First and last 10 ms at least 30 ms long above -40 dBov, on the true grid."""
    edges = [round(k * sr / 100) for k in range(int(y.size * 100 / sr) + 1)]
    loud = np.array([np.std(y[a:b]) > 0.01 for a, b in pairwise(edges)], bool)
    runs = np.flatnonzero(loud[:-2] & loud[1:-1] & loud[2:])
    return (10 * int(runs[0]), 10 * int(runs[-1] + 3)) if runs.size else (None, None)


PCM = call()
DATA = PCM.tobytes()
LIST = chunk(b"LIST", b"INFOISFT\x0e\0\0\0Recorder 1.0\0\0")
FMT = chunk(b"fmt ", fmt_chunk())

# ------------------------------------------------------------------------------------------------ closed form

LENGTHS = {
    "plain": (riff(FMT, chunk(b"data", DATA)), set()),
    "list_before": (riff(FMT, LIST, chunk(b"data", DATA)), set()),
    "odd_list_before": (riff(FMT, chunk(b"LIST", b"INFOx"), chunk(b"data", DATA)), set()),
    "odd_list_without_pad": (riff(FMT, chunk(b"LIST", b"INFOx", pad=False), chunk(b"data", DATA)), set()),
    "list_first": (riff(LIST, FMT, chunk(b"data", DATA)), set()),
    "list_after": (riff(FMT, chunk(b"data", DATA), chunk(b"LIST", b"\x7f" * 800)), set()),
    "odd_list_after": (riff(FMT, chunk(b"data", DATA), chunk(b"LIST", b"\x7f" * 801)), set()),
    "cut_list_after": (riff(FMT, chunk(b"data", DATA), chunk(b"LIST", b"\x7f" * 80, size=800)), set()),
    "unknown_chunk_after": (riff(FMT, chunk(b"data", DATA), chunk(b"xyzw", b"\x7f" * 800)), set()),
    "id3v1_after": (riff(FMT, chunk(b"data", DATA)) + b"TAG" + b"x" * 125, set()),
    "zeros_after": (riff(FMT, chunk(b"data", DATA)) + bytes(1000), set()),
    "another_file_after": (riff(FMT, chunk(b"data", DATA)) + riff(FMT, chunk(b"data", b"\x7f" * 99)), set()),
    "data_before_fmt": (riff(chunk(b"data", DATA), FMT), set()),
    "junk_before": (riff(chunk(b"JUNK", bytes(28)), FMT, chunk(b"data", DATA)), set()),
    "fact_lies": (riff(FMT, chunk(b"fact", struct.pack("<I", 7)), chunk(b"data", DATA)), set()),
    "riff_size_0": (riff(FMT, chunk(b"data", DATA), size=0), set()),
    "riff_size_lies": (riff(FMT, chunk(b"data", DATA), size=50), set()),
    "id3_before": (b"ID3\x04\0\0\0\0\0\x0a" + b"0123456789" + riff(FMT, chunk(b"data", DATA)), set()),
    "empty_data_first": (riff(FMT, chunk(b"data", b""), LIST, chunk(b"data", DATA)), {"header_odd"}),
    "streamed": (riff(FMT, LIST, chunk(b"data", DATA, size=0xFFFFFFFF), size=0xFFFFFFFF), {"unknown_length"}),
    "streamed_sox": (riff(FMT, chunk(b"data", DATA, size=0x7FFFFFDB), size=0x7FFFFFFF), {"unknown_length"}),
    "streamed_arecord": (riff(FMT, chunk(b"data", DATA, size=0x80000000), size=36), {"unknown_length"}),
    "streamed_list_after": (
        riff(FMT, chunk(b"data", DATA, size=0xFFFFFFFF), chunk(b"LIST", b"\x7f" * 800), size=0xFFFFFFFF),
        {"unknown_length"},
    ),
    "killed": (riff(FMT, chunk(b"data", DATA, size=0), size=0), {"unknown_length"}),
    "killed_with_fact": (
        riff(chunk(b"fmt ", fmt_chunk()), chunk(b"fact", bytes(4)), chunk(b"data", DATA, size=0), size=0),
        {"unknown_length"},
    ),
    "too_large": (riff(FMT, chunk(b"data", DATA, size=len(DATA) + 5000)), {"truncated"}),
    "too_large_list_after": (
        riff(FMT, chunk(b"data", DATA, size=len(DATA) + 5000), chunk(b"LIST", b"\x7f" * 800)),
        {"wrong_length"},
    ),
    "too_small": (riff(FMT, chunk(b"data", DATA, size=4000)), {"wrong_length"}),
    "too_small_list_after": (riff(FMT, chunk(b"data", DATA, size=4000), LIST), {"wrong_length"}),
    "odd_too_small": (riff(FMT, chunk(b"data", DATA, size=4001)), {"wrong_length"}),
    "half_frame": (riff(FMT, chunk(b"data", DATA + b"\x11\x22\x33")), {"partial_frame"}),
    "half_frame_cut": (riff(FMT, chunk(b"data", DATA + b"\x11\x22\x33", size=70_000, pad=False)),
                       {"truncated", "partial_frame"}),
    "half_frame_streamed": (
        riff(FMT, chunk(b"data", DATA + b"\x11", size=0xFFFFFFFF, pad=False)),
        {"unknown_length", "partial_frame"},
    ),
    "broken_chunk_before": (riff(FMT, chunk(b"LIST", b"INFO", size=0xFFFFFFF0), chunk(b"data", DATA)), {"header_odd"}),
    "wrong_align": (riff(chunk(b"fmt ", fmt_chunk(align=2)), chunk(b"data", DATA)), {"header_odd"}),
    "zero_align": (riff(chunk(b"fmt ", fmt_chunk(align=0)), chunk(b"data", DATA)), {"header_odd"}),
    "long_fmt": (riff(chunk(b"fmt ", fmt_chunk(extra=b"\0\0")), chunk(b"data", DATA)), set()),
    "extensible": (
        riff(
            chunk(b"fmt ", fmt_chunk(0xFFFE, extra=struct.pack("<HHIH", 22, 16, 3, 1) + KSDATA)),
            chunk(b"data", DATA),
        ),
        set(),
    ),
    "rf64": (
        riff(
            chunk(b"ds64", struct.pack("<QQQI", 100 + len(DATA), len(DATA), len(PCM), 0)),
            FMT,
            chunk(b"data", DATA, size=0xFFFFFFFF),
            LIST,
            magic=b"RF64",
            size=0xFFFFFFFF,
        ),
        set(),
    ),
    "bw64": (
        riff(
            chunk(b"ds64", struct.pack("<QQQI", 100 + len(DATA), len(DATA), 0, 0)),
            FMT,
            chunk(b"data", DATA, size=0xFFFFFFFF),
            magic=b"BW64",
            size=0xFFFFFFFF,
        ),
        set(),
    ),
    "rf64_killed": (
        riff(chunk(b"ds64", bytes(28)), FMT, chunk(b"data", DATA, size=0xFFFFFFFF), magic=b"RF64"),
        {"unknown_length"},
    ),
    "rf64_cut": (
        riff(
            chunk(b"ds64", struct.pack("<QQQI", 0, 2**33, 0, 0)),
            FMT,
            chunk(b"data", DATA, size=0xFFFFFFFF),
            magic=b"RF64",
        ),
        {"truncated"},
    ),
    "rf64_without_ds64": (riff(FMT, chunk(b"data", DATA, size=0xFFFFFFFF), magic=b"RF64"), {"unknown_length"}),
    "w64": (w64(w64_chunk(b"fmt ", fmt_chunk()), w64_chunk(b"data", DATA)), set()),
    "w64_list": (
        w64(w64_chunk(b"fmt ", fmt_chunk()), w64_chunk(b"list", b"abc"), w64_chunk(b"data", DATA),
            w64_chunk(b"levl", b"xyz")),
        set(),
    ),
    "w64_streamed": (
        w64(w64_chunk(b"fmt ", fmt_chunk()), w64_chunk(b"data", DATA, size=0x7FFFFFFFFFFFFFFF)),
        {"unknown_length"},
    ),
    "w64_killed": (w64(w64_chunk(b"fmt ", fmt_chunk()), w64_chunk(b"data", DATA, size=0)), {"unknown_length"}),
    "w64_cut": (w64(w64_chunk(b"fmt ", fmt_chunk()), w64_chunk(b"data", DATA, size=1 << 30)), {"truncated"}),
}  # fmt: skip


@pytest.mark.parametrize("case", LENGTHS)
def test_the_length_is_what_is_really_there(case, save):
    content, expected = LENGTHS[case]
    recording = s2s.read_recording(save(content))
    assert np.array_equal(ints(recording), PCM)
    assert set(codes(recording)) == expected
    assert (recording.n_samples, recording.n_channels, recording.sr) == (len(PCM), 2, SR)
    assert recording.duration_s == 2.0
    assert (
        recording.content_hash
        == s2s.read_recording(save(LENGTHS["plain"][0], "p.wav")).content_hash
    )


def test_big_endian_riff(save):
    def big(name, payload):
        return name + struct.pack(">I", len(payload)) + payload

    fmt = struct.pack(">HHIIHH", 1, 2, SR, SR * 4, 4, 16)
    body = b"WAVE" + big(b"fmt ", fmt) + big(b"data", PCM.astype(">i2").tobytes())
    recording = s2s.read_recording(save(b"RIFX" + struct.pack(">I", len(body)) + body))
    assert (recording.encoding, recording.findings) == ("pcm_s16be", ())
    assert np.array_equal(ints(recording), PCM)


@pytest.mark.parametrize("tail", [b"", LIST, b"\x05"], ids=["nothing", "list", "one byte"])
def test_no_samples_is_said_and_is_no_error(tail, save):
    recording = s2s.read_recording(save(riff(FMT, chunk(b"data", b"")) + tail))
    assert codes(recording)[0] == "empty"
    assert (recording.n_samples, recording.duration_s, recording.caller.shape) == (0, 0.0, (0,))
    assert recording.read().shape == (2, 0)
    assert list(recording.blocks(0.01)) == []
    assert "verify" in recording.findings[0].spoils
    assert recording.cut(0, 0).n_samples == 0


def test_truncation_spoils_what_rests_on_absence(save):
    (finding,) = s2s.read_recording(save(LENGTHS["too_large"][0])).findings
    assert "absence" in finding.spoils
    assert finding.count == 5000
    assert str(len(DATA) + 5000) in finding.message
    assert "call.wav" in finding.message


def test_24_bits_in_4_bytes_are_the_upper_ones(save):
    values = np.array([[1, -1], [2**23 - 1, -(2**23)]], "<i4") << 8
    fmt = chunk(b"fmt ", fmt_chunk(bits=24, align=8))
    recording = s2s.read_recording(save(riff(fmt, chunk(b"data", values.tobytes()))))
    assert np.array_equal(recording.samples.T * 2**23, values >> 8)


def test_every_int16_is_read_over_32768_and_written_back_the_same(tmp_path):
    every = np.arange(-32768, 32768).astype("<i2")
    recording = s2s.Recording.from_arrays(every, every[::-1], SR)
    assert recording.caller[0] == -1.0
    assert recording.caller[-1] == 32767 / 32768
    written = recording.write(tmp_path / "every.wav")
    assert written.clipped_samples == 0
    assert np.array_equal(ints(s2s.read_recording(tmp_path / "every.wav"))[:, 0], every)


def test_all_24_bits_survive(tmp_path):
    codes_24 = np.concatenate([np.arange(-5000, 5000), [2**23 - 1, -(2**23), 2**22 + 1]])
    y = (codes_24 / 2**23).astype(np.float32)
    recording = s2s.Recording.from_arrays(y, y[::-1], 24000)
    for name in ("a.wav", "a.flac"):
        assert recording.write(tmp_path / name, encoding="pcm_s24le").clipped_samples == 0
        again = s2s.read_recording(tmp_path / name)
        assert np.array_equal(np.rint(again.caller.astype(float) * 2**23), codes_24)


def test_g711_of_known_codes(save):
    raw = bytes([0x00, 0x80, 0x7F, 0xFF, 0xFE])
    mulaw = s2s.read_recording(save(raw, "a.raw"), sr=SR, encoding="pcm_mulaw").read()[0] * 32768
    assert mulaw.tolist() == [-32124, 32124, 0, 0, 8]
    alaw = (
        s2s.read_recording(
            save(bytes([0xD5, 0x55, 0xAA, 0x2A]), "b.raw"), sr=SR, encoding="alaw"
        ).read()[0]
        * 32768
    )
    assert alaw.tolist() == [8, -8, 32256, -32256]


def test_over_full_scale_is_kept_counted_and_saturated_on_writing(tmp_path, save):
    y = np.array([0.5, 1.3, -1.5, 1.0, -1.0, 0.25], "<f4")
    both = np.stack([y, np.linspace(-0.5, 0.4, 6, dtype="<f4")], axis=1)
    recording = s2s.read_recording(
        save(riff(chunk(b"fmt ", fmt_chunk(3, bits=32)), chunk(b"data", both.tobytes())))
    )
    assert np.array_equal(recording.caller, y)
    (finding,) = recording.findings
    assert (finding.code, finding.count, finding.channel) == ("over_full_scale", 2, 0)
    assert "1.5" in finding.message
    written = recording.write(tmp_path / "s.wav")
    assert written.clipped_samples == 3  # 1.3, -1.5, and 1.0, which int16 has not
    samples, _ = soundfile.read(tmp_path / "s.wav", dtype="int16")
    assert samples[:, 0].tolist() == [16384, 32767, -32768, 32767, -32768, 8192]


@pytest.mark.parametrize(("bits", "kind"), [(32, "<f4"), (64, "<f8")])
def test_not_finite_samples_are_zeroed_and_counted(bits, kind, save):
    y = np.tile(np.linspace(-0.5, 0.5, 50), (2, 1)).T.astype(kind)
    y[3, 0], y[4, 0], y[7, 1] = np.nan, -np.inf, np.inf
    y[9, 1] = 1e300 if bits == 64 else np.nan
    recording = s2s.read_recording(
        save(riff(chunk(b"fmt ", fmt_chunk(3, bits=bits)), chunk(b"data", y.tobytes())))
    )
    found = {
        finding.channel: finding.count
        for finding in recording.findings
        if finding.code == "non_finite"
    }
    assert found == {0: 2, 1: 2}
    assert recording.caller[[3, 4]].tolist() == recording.agent[[7, 9]].tolist() == [0.0, 0.0]
    assert np.isfinite(recording.read()).all()
    assert np.array_equal(recording.read(0, 0.002), recording.samples[:, :16])
    assert np.array_equal(np.concatenate(list(recording.blocks(0.001)), axis=1), recording.samples)
    assert all(
        "zero" in finding.message for finding in recording.findings if finding.code == "non_finite"
    )


def test_blocks_of_11025_hz_do_not_drift(tmp_path):
    soundfile.write(tmp_path / "a.wav", call(11025), 11025)
    recording = s2s.read_recording(tmp_path / "a.wav")
    sizes = [block.shape[1] for block in recording.blocks(0.01)]
    assert len(sizes) == 200
    assert sum(sizes) == 22050
    edges = np.cumsum(sizes)
    assert edges.tolist() == [math.floor(k * 110.25 + 0.5) for k in range(1, 201)]
    assert on_off_ms(recording.caller, 11025) == (200, 800)
    assert recording.resampled(8000).n_samples == 16000


def test_cut_takes_the_nearest_sample():
    y = np.arange(1, 101, dtype=np.int16)
    recording = s2s.Recording.from_arrays(y, y[::-1], 1000)
    assert (recording.cut(0.0104, 0.0205).caller * 32768).tolist() == list(range(11, 22))
    assert (recording.cut(0.0105, 0.0115).caller * 32768).tolist() == [
        12
    ]  # halves go to the later one
    assert recording.cut(0.01, 0.1).cut(0.01, 0.02).caller[0] * 32768 == 21


# ------------------------------------------------------------------------------------------------ findings


def tone(hz, seconds=1.0, peak=0.3, sr=SR):
    return (peak * np.sin(2 * np.pi * hz * np.arange(round(seconds * sr)) / sr)).astype(np.float32)


def found(caller, agent, **more):
    recording = s2s.Recording.from_arrays(caller, agent, SR, **more)
    return {finding.code: finding for finding in recording.findings}


def test_two_different_channels_have_no_findings():
    assert found(tone(210), tone(330)) == {}


def test_identical_and_correlated_channels():
    noise = np.random.default_rng(5).standard_normal(SR).astype(np.float32)
    voice = tone(210) * tone(3, peak=1.0)
    same = found(voice, voice)
    assert set(same) == {"identical_channels"}
    assert {"timing", "verify", "roles"} <= set(same["identical_channels"].spoils)
    # correlation of x and x + e: 1 / sqrt(1 + var(e) / var(x)); 0.98 at var(e) = 0.0412 var(x)
    spread = float(np.std(voice))
    for ratio, expected in ((0.19, {"correlated_channels"}), (0.22, set())):
        assert set(found(voice, voice + ratio * spread * noise)) == expected
    assert set(found(voice, -0.4 * voice)) == {"correlated_channels"}
    assert set(found(voice + 0.1, 0.5 * voice - 0.2)) == {
        "correlated_channels"
    }  # means do not count
    assert set(found(0.1 + 0.01 * noise, 0.1 + 0.01 * noise[::-1])) == set()


@pytest.mark.parametrize("level", [0.0, 0.1], ids=["zeros", "DC"])
def test_silent_channel(level):
    n = np.arange(SR)
    quiet = (level + np.where(n % 2, 8, -8) / 32768).astype(np.float32)  # A-law's silence
    only = found(tone(210), quiet)
    assert set(only) == {"silent_channel"}
    assert only["silent_channel"].channel == 1
    assert {"timing", "verify"} <= set(only["silent_channel"].spoils)
    assert "verify" not in found(quiet, tone(210))["silent_channel"].spoils
    louder = (level + np.where(n % 2, 9, -9) / 32768).astype(np.float32)
    assert set(found(tone(210), louder)) == set()


def test_clipping_counts_runs_at_full_scale():
    loud = np.clip(tone(210, peak=1.5), -1.0, 32767 / 32768)
    hot = np.abs(loud) >= 32767 / 32768
    finding = found(loud, tone(330))["clipping"]
    assert finding.channel == 0
    assert finding.count == np.count_nonzero(hot) > 3000
    assert "levels" in finding.spoils
    for run, counted in ((2, None), (3, 3), (7, 7)):
        y = tone(210)
        y[100 : 100 + run] = 1.0
        clipped = found(tone(330), y).get("clipping")
        assert (clipped.count if clipped else None) == counted
        assert clipped is None or clipped.spoils == ()
    for level, clips in ((32124, True), (31612, False)):  # the highest two values of mu-law
        y = tone(210)
        y[100:110] = level / 32768
        assert ("clipping" in found(y, tone(330))) is clips
    peaks = tone(210, peak=2.0)  # over full scale but not flat
    assert set(found(peaks, tone(330))) == {"over_full_scale"}


@given(starts=st.lists(st.tuples(st.integers(0, 300_000), st.integers(1, 70_000)), max_size=4))
@settings(max_examples=25, deadline=None)
def test_runs_across_blocks_count_once(starts):
    y = np.zeros(300_000, np.float32)
    for start, length in starts:
        y[start : start + length] = 1.0
    edges = np.flatnonzero(np.diff(np.concatenate([[0], y, [0]])))
    lengths = edges[1::2] - edges[::2]
    expected = int(lengths[lengths >= 3].sum())
    clipping = found(y, np.linspace(-0.2, 0.5, y.size)).get("clipping")
    assert (clipping.count if clipping else 0) == expected


def test_length_differs():
    finding = found(tone(210, 2.0), tone(330, 1.5))["length_differs"]
    assert (finding.channel, finding.count) == (1, 4000)
    assert finding.intervals == (s2s.Interval(1.5, 2.0),)
    recording = s2s.Recording.from_arrays(tone(210, 2.0), tone(330, 1.5), SR)
    assert not recording.agent[12000:].any()
    (kept,) = (f for f in recording.cut(1.4, 1.8).findings if f.code == "length_differs")
    assert kept.intervals[0].start_s == pytest.approx(0.1)
    assert kept.intervals[0].end_s == pytest.approx(0.4)
    assert "length_differs" not in codes(recording.cut(0.5, 1.0))


# ------------------------------------------------------------------------------------------------ channels


def test_mono_is_readable_but_has_no_parties(save):
    mono = PCM.sum(axis=1).astype("<i2")
    recording = s2s.read_recording(
        save(riff(chunk(b"fmt ", fmt_chunk(channels=1)), chunk(b"data", mono.tobytes())))
    )
    assert codes(recording) == ["mono"]
    assert "timing" in recording.findings[0].spoils
    for access in (
        lambda: recording.caller,
        lambda: recording.agent,
        lambda: recording.channel("agent"),
    ):
        with pytest.raises(
            s2s.ChannelError, match=r"call\.wav: the (caller|agent) is one of two channels .* has 1"
        ):
            access()
    assert np.array_equal(recording.read()[0] * 32768, mono)
    assert sum(block.shape[1] for block in recording.blocks(0.1)) == mono.size
    assert recording.cut(0.5, 1.0).n_channels == 1


def test_channels_can_be_swapped_and_chosen(save):
    swapped = s2s.read_recording(save(LENGTHS["plain"][0]), caller_channel=1)
    assert np.array_equal(ints(swapped), PCM[:, ::-1])
    six = np.stack([PCM[:, 0] // k for k in range(1, 7)], axis=1).astype("<i2")
    path = save(
        riff(chunk(b"fmt ", fmt_chunk(channels=6)), chunk(b"data", six.tobytes())), "six.wav"
    )
    with pytest.raises(
        s2s.ChannelError, match=r"six\.wav: has 6 channels: agent_channel must be given"
    ):
        s2s.read_recording(path)
    chosen = s2s.read_recording(path, caller_channel=4, agent_channel=1)
    assert np.array_equal(ints(chosen), six[:, [4, 1]])
    assert "extra_channels" in codes(chosen)
    assert np.array_equal(chosen.read(0.3, 0.4), chosen.samples[:, 2400:3200])
    with pytest.raises(s2s.InputError, match="must differ, both are 2"):
        s2s.read_recording(path, caller_channel=2, agent_channel=2)
    with pytest.raises(
        s2s.InputError, match="agent_channel must be 0 to 5, the file has 6 channels, got 6"
    ):
        s2s.read_recording(path, agent_channel=6)


def test_roles():
    recording = s2s.Recording.from_arrays(tone(210), tone(330), SR)
    assert recording.channel("caller") is not None
    assert np.array_equal(recording.channel(s2s.Role.AGENT), tone(330))
    with pytest.raises(s2s.InputError, match="role must be 'caller' or 'agent', got 'left'"):
        recording.channel("left")
    with pytest.raises(ValueError, match="read-only"):
        recording.caller[0] = 1.0
    assert recording.caller.base is recording.agent.base  # decoded once, kept


# ------------------------------------------------------------------------------------------------ properties

ENCODINGS = [name for name in WIDTHS if not name.endswith("be") and name != "pcm_s8"]


@given(
    seed=st.integers(0, 2**32 - 1), n=st.integers(0, 300), encoding=st.sampled_from(sorted(WIDTHS))
)
@settings(deadline=None)
def test_decoding_what_was_encoded(seed, n, encoding):
    y = np.random.default_rng(seed).uniform(-1.2, 1.2, n).astype(np.float32)
    raw, clipped = encode(y, encoding)
    again = decode(raw, encoding)
    assert (len(raw), again.size) == (n * WIDTHS[encoding], n)
    second, none = encode(again, encoding)
    if "law" in encoding:
        assert np.max(np.abs(again - np.clip(y, -1, 0.98)), initial=0) <= 1 / 32 + 1e-6
    else:
        assert second == raw  # once quantised it stays
    if "_f" in encoding:
        assert (clipped, none) == (0, 0)
        assert np.array_equal(again, y)
    elif "law" not in encoding:
        step = 2.0 ** -(8 * WIDTHS[encoding] - 1)
        assert np.max(np.abs(again - np.clip(y, -1, 1 - step)), initial=0) <= step / 2 + 1e-7
        assert clipped == np.count_nonzero(
            (np.rint(y / step) > 1 / step - 1) | (np.rint(y / step) < -1 / step)
        )


@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(0, 2000),
    sr=st.sampled_from([8000, 11025, 24000, 44100]),
    encoding=st.sampled_from(ENCODINGS),
    spans=st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), max_size=4),
    block=st.floats(0.001, 1.5),
)
@settings(
    deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_pieces_are_parts_of_the_whole(tmp_path, seed, n, sr, encoding, spans, block):
    rng = np.random.default_rng(seed)
    y = rng.uniform(-1, 1, (2, n)).astype(np.float32)
    path = tmp_path / f"{encoding}.wav"
    s2s.Recording.from_arrays(y[0], y[1], sr).write(path, encoding=encoding)
    lazy, whole = s2s.read_recording(path), s2s.read_recording(path)
    samples = whole.samples
    assert samples.shape == (2, n)
    for a, b in spans:
        start_s, end_s = sorted((a * whole.duration_s, b * whole.duration_s))
        i, j = math.floor(start_s * sr + 0.5), math.floor(end_s * sr + 0.5)
        for recording in (lazy, whole):
            assert np.array_equal(recording.read(start_s, end_s), samples[:, i:j])
            assert np.array_equal(recording.cut(start_s, end_s).samples, samples[:, i:j])
            parts = list(recording.blocks(block, start_s=start_s, end_s=end_s))
            assert np.array_equal(
                np.concatenate([np.empty((2, 0)), *parts], axis=1), samples[:, i:j]
            )
    assert lazy.content_hash == whole.content_hash
    assert lazy.cut(0, lazy.duration_s).content_hash == whole.content_hash
    assert lazy.findings == whole.findings


@given(seed=st.integers(0, 2**32 - 1), pieces=st.integers(1, 6))
@settings(deadline=None, max_examples=25)
def test_hash_states_rate_channels_and_samples(seed, pieces):
    rng = np.random.default_rng(seed)
    y = rng.integers(-32768, 32767, (2, 500), dtype=np.int16)
    recording = s2s.Recording.from_arrays(y[0], y[1], SR)
    stated = b"s2sverify recording 1: 8000 Hz, 2 channels\n" + (y.T / 32768).astype("<f4").tobytes()
    assert recording.content_hash == hashlib.sha256(stated).hexdigest()
    other = y.copy()
    other[rng.integers(2), rng.integers(500)] ^= 1
    assert s2s.Recording.from_arrays(other[0], other[1], SR).content_hash != recording.content_hash
    assert s2s.Recording.from_arrays(y[0], y[1], SR + 1).content_hash != recording.content_hash
    assert s2s.Recording.from_arrays(y[1], y[0], SR).content_hash != recording.content_hash


def test_the_scan_is_the_same_for_any_file_of_the_same_sound(tmp_path):
    hashes = set()
    for name, container, subtype in (
        ("a.wav", "WAV", "PCM_16"), ("b.wav", "WAV", "PCM_24"), ("c.flac", "FLAC", "PCM_16"),
        ("d.aiff", "AIFF", "PCM_24"),
        ("e.w64", "W64", "FLOAT"), ("f.wav", "RF64", "DOUBLE"), ("g.au", "AU", "PCM_16"),
    ):  # fmt: skip
        soundfile.write(tmp_path / name, PCM / 32768, SR, subtype=subtype, format=container)
        recording = s2s.read_recording(tmp_path / name)
        assert recording.findings == ()
        hashes.add(recording.content_hash)
    assert len(hashes) == 1


def test_resampling_keeps_time_and_tone():
    recording = s2s.Recording.from_arrays(tone(440, 1.0, sr=SR), tone(1000, 1.0, sr=SR), SR)
    up = recording.resampled(24000)
    assert (up.sr, up.n_samples) == (24000, 24000)
    middle = slice(3000, 21000)
    assert np.abs(up.caller - tone(440, 1.0, sr=24000))[middle].max() < 1e-3
    for channel in (0, 1):
        assert np.allclose(
            up.samples[channel], soxr.resample(recording.samples[channel], SR, 24000), atol=1e-6
        )
    assert recording.resampled(SR) is recording


@pytest.mark.parametrize("n", [1, 7, 4001])
@pytest.mark.parametrize("to_hz", [8000, 11025, 16000])
def test_resampled_length_is_rounded(n, to_hz):
    y = np.linspace(-0.5, 0.5, n)
    assert s2s.Recording.from_arrays(y, y, 12000).resampled(to_hz).n_samples == math.floor(
        n * to_hz / 12000 + 0.5
    )


# ------------------------------------------------------------------------------------------------ independent readers

SUBTYPES = [
    ("WAV", "PCM_U8"), ("WAV", "PCM_16"), ("WAV", "PCM_24"), ("WAV", "PCM_32"), ("WAV", "FLOAT"), ("WAV", "DOUBLE"),
    ("WAV", "ULAW"), ("WAV", "ALAW"), ("WAVEX", "PCM_24"), ("WAVEX", "FLOAT"), ("WAVEX", "ULAW"), ("WAVEX", "PCM_32"),
    ("RF64", "PCM_16"), ("RF64", "PCM_24"), ("RF64", "FLOAT"), ("RF64", "ALAW"), ("W64", "PCM_16"), ("W64", "PCM_24"),
    ("W64", "DOUBLE"), ("W64", "ULAW"),
]  # fmt: skip


@pytest.mark.parametrize(("container", "subtype"), SUBTYPES)
def test_reads_as_libsndfile_does(container, subtype, tmp_path):
    path = tmp_path / "a.bin"
    y = np.random.default_rng(3).uniform(-0.99, 0.99, (1001, 2))
    soundfile.write(path, y, 11025, format=container, subtype=subtype)
    expected, sr = soundfile.read(path, dtype="float64", always_2d=True)
    recording = s2s.read_recording(path)
    assert (recording.sr, recording.n_samples) == (sr, 1001)
    assert np.array_equal(recording.samples.T, expected.astype(np.float32))
    assert recording.findings == ()
    assert recording.container == {"WAVEX": "wav"}.get(container, container.lower())


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("channels", [1, 2])
@pytest.mark.parametrize("n", [0, 1, 777])
def test_libsndfile_reads_what_is_written(encoding, channels, n, tmp_path):
    y = np.random.default_rng(4).uniform(-0.9, 0.9, (channels, n)).astype(np.float32)
    recording = s2s.Recording.from_arrays(y[0], y[-1], 8000)
    if channels == 1:
        soundfile.write(tmp_path / "m.wav", y[0], 8000, subtype="FLOAT")
        recording = s2s.read_recording(tmp_path / "m.wav")
    recording.write(tmp_path / "a.wav", encoding=encoding)
    about = soundfile.info(tmp_path / "a.wav")
    assert (about.frames, about.channels, about.samplerate) == (n, channels, 8000)
    expected, _ = soundfile.read(tmp_path / "a.wav", dtype="float32", always_2d=True)
    assert np.array_equal(s2s.read_recording(tmp_path / "a.wav").samples.T, expected)
    assert (
        np.abs(expected.T - y).max(initial=0)
        <= {"pcm_u8": 1 / 256, "pcm_mulaw": 1 / 63, "pcm_alaw": 1 / 63}.get(encoding, 1 / 65536)
        + 1e-7
    )
    assert [p.name for p in tmp_path.iterdir() if p.name.startswith(".")] == []


@pytest.mark.parametrize("encoding", ["pcm_s16le", "pcm_s24le"])
def test_flac_reads_back(encoding, tmp_path):
    recording = s2s.Recording.from_arrays(PCM[:, 0], PCM[:, 1], SR)
    assert recording.write(tmp_path / "a.FLAC", encoding=encoding).n_samples == len(PCM)
    again = s2s.read_recording(tmp_path / "a.FLAC")
    assert (again.container, again.encoding) == ("flac", "flac")
    assert again.content_hash == recording.content_hash
    assert (
        soundfile.info(tmp_path / "a.FLAC").subtype
        == {"pcm_s16le": "PCM_16", "pcm_s24le": "PCM_24"}[encoding]
    )


LOSSY = {"a.ogg": ("OGG", "VORBIS"), "a.opus": ("OGG", "OPUS"), "a.mp3": ("MP3", "MPEG_LAYER_III")}


def speechlike(sr, seconds):
    rng = np.random.default_rng(9)
    t = np.arange(round(sr * seconds)) / sr
    y = np.stack(
        [
            np.sin(2 * np.pi * f * t) * (np.sin(2 * np.pi * 1.1 * t + p) > 0)
            for f, p in ((200, 0), (140, 2))
        ]
    )
    return (0.3 * y + 0.02 * rng.standard_normal(y.shape)).astype(np.float32)


@pytest.mark.parametrize("name", LOSSY)
def test_lossy_formats_decode_alike_from_any_point(name, tmp_path):
    container, subtype = LOSSY[name]
    soundfile.write(
        tmp_path / name, speechlike(24000, 9.0).T, 24000, format=container, subtype=subtype
    )
    recording, whole = (
        s2s.read_recording(tmp_path / name),
        s2s.read_recording(tmp_path / name).samples,
    )
    expected, _ = soundfile.read(tmp_path / name, dtype="float32")
    assert whole.shape == expected.T.shape
    assert np.allclose(whole, expected.T, atol=1e-6)
    for start_s in (7.5, 0.25, 3.0, 3.5, 8.9, 0.0):  # forwards and back again
        i = round(start_s * 24000)
        assert np.array_equal(recording.read(start_s, start_s + 0.1), whole[:, i : i + 2400])
    assert np.array_equal(np.concatenate(list(recording.blocks(0.7)), axis=1), whole)
    assert np.array_equal(recording.cut(2.0, 2.5).samples, whole[:, 48000:60000])
    assert codes(recording) == ["lossy_timing"]
    assert 0.005 <= recording.time_uncertainty_s <= 0.1
    assert recording.cut(2.0, 2.5).time_uncertainty_s == recording.time_uncertainty_s
    assert f"{1000 * recording.time_uncertainty_s:.0f} ms" in recording.findings[0].message


@pytest.mark.parametrize("name", ["a.flac", *LOSSY, "a.aiff", "a.au"])
@pytest.mark.parametrize("share", [0.35, 0.8])
def test_cut_files_give_what_is_there_and_say_so(name, share, tmp_path):
    container, subtype = LOSSY.get(name, (name[2:].upper(), "PCM_16"))
    path = tmp_path / name
    soundfile.write(path, speechlike(24000, 9.0).T, 24000, format=container, subtype=subtype)
    whole = s2s.read_recording(path)
    assert "truncated" not in codes(whole)
    complete = whole.samples
    path.write_bytes(path.read_bytes()[: int(share * path.stat().st_size)])
    part = s2s.read_recording(path)
    assert "truncated" in codes(part)
    assert "absence" in next(f for f in part.findings if f.code == "truncated").spoils
    assert 0.4 * share < part.n_samples / complete.shape[1] < share + 0.1
    assert np.allclose(part.samples[:, :-4000], complete[:, : part.n_samples - 4000], atol=1e-6)


@pytest.mark.parametrize("seconds", [0.001, 0.1])
def test_very_short_flac(seconds, tmp_path):
    soundfile.write(tmp_path / "a.flac", speechlike(8000, seconds).T.reshape(-1, 2), 8000)
    recording = s2s.read_recording(tmp_path / "a.flac")
    assert recording.n_samples == round(8000 * seconds)


@pytest.mark.parametrize("subtype", ["IMA_ADPCM", "MS_ADPCM", "GSM610"])
def test_codecs_in_wav_go_to_a_decoder(subtype, tmp_path):
    y = PCM[:, 0] + PCM[:, 1]
    soundfile.write(tmp_path / "a.wav", y, SR, subtype=subtype)
    recording = s2s.read_recording(tmp_path / "a.wav")
    assert (
        recording.encoding
        == {"IMA_ADPCM": "adpcm_ima_wav", "MS_ADPCM": "adpcm_ms", "GSM610": "gsm"}[subtype]
    )
    assert recording.n_samples >= y.size
    expected, _ = soundfile.read(tmp_path / "a.wav", dtype="float32")
    assert np.allclose(recording.samples[0], expected, atol=1e-6)
    assert np.array_equal(recording.read(0.5, 0.7), recording.samples[:, 4000:5600])
    assert on_off_ms(recording.samples[0], SR)[0] == 200


@FFMPEG
def test_a_codec_in_wav_without_sizes_is_not_silently_empty(tmp_path):
    soundfile.write(tmp_path / "a.wav", PCM[:, 0] + PCM[:, 1], SR, subtype="MS_ADPCM")
    raw = bytearray((tmp_path / "a.wav").read_bytes())
    complete = s2s.read_recording(tmp_path / "a.wav").samples
    at = raw.index(b"data") + 4
    raw[at : at + 4] = bytes(4)
    (tmp_path / "a.wav").write_bytes(raw)
    killed = s2s.read_recording(tmp_path / "a.wav")
    assert "unknown_length" in codes(killed)
    assert np.allclose(killed.samples[:, :15000], complete[:, :15000], atol=5e-3)


# ------------------------------------------------------------------------------------------------ ffmpeg

LOSSLESS = {"a_alac.m4a": "alac", "a.mka": "pcm_s16le", "a.wv": "wavpack", "a.tta": "tta", "a.avi": "pcm_s16le",
            "a.voc": "pcm_s16le"}  # fmt: skip


def ffmpeg(*argv):
    subprocess.run(
        ["ffmpeg", "-nostdin", "-v", "error", "-y", *map(str, argv)],
        check=True,
        capture_output=True,
    )


@FFMPEG
@pytest.mark.parametrize("name", LOSSLESS)
def test_lossless_formats_through_ffmpeg_are_exact(name, tmp_path):
    soundfile.write(tmp_path / "a.wav", PCM, SR)
    ffmpeg("-i", tmp_path / "a.wav", "-c:a", LOSSLESS[name], tmp_path / name)
    recording = s2s.read_recording(tmp_path / name)
    assert np.array_equal(ints(recording), PCM)
    assert recording.time_uncertainty_s == 0.0
    assert recording.encoding == LOSSLESS[name]
    assert recording.findings == ()
    assert np.array_equal(recording.read(0.5, 0.6), recording.samples[:, 4000:4800])


@FFMPEG
@pytest.mark.parametrize(
    ("name", "codec"),
    [("a.m4a", "aac"), ("a.mp4", "aac"), ("a.webm", "libopus"), ("a.aac", "aac"), ("a.ts", "aac")],
)
def test_lossy_formats_through_ffmpeg_keep_time_as_far_as_they_say(name, codec, tmp_path):
    soundfile.write(tmp_path / "a.wav", call(16000), 16000)
    ffmpeg("-i", tmp_path / "a.wav", "-c:a", codec, tmp_path / name)
    recording = s2s.read_recording(tmp_path / name)
    assert "truncated" not in codes(recording)
    assert "lossy_timing" in codes(recording)
    slack_ms = 1000 * recording.time_uncertainty_s + 10
    for y, (on, off) in zip(recording.samples, ((200, 800), (1300, 1900)), strict=True):
        assert np.abs(np.subtract(on_off_ms(y, recording.sr), (on, off))).max() <= slack_ms
    temporary = recording._source.file.path
    assert temporary.exists()
    del recording
    assert not temporary.exists()


@FFMPEG
def test_amr(save):
    path = save(b"#!AMR\n" + (b"\x3c" + bytes(31)) * 50, "a.amr")  # 50 frames of 12.2 kbit/s
    recording = s2s.read_recording(path)
    assert (recording.sr, recording.n_channels, recording.encoding, recording.container) == (
        8000,
        1,
        "amr_nb",
        "amr",
    )
    assert recording.duration_s == pytest.approx(1.0, abs=0.02)


@FFMPEG
def test_gaps_between_time_stamps_stay_gaps(tmp_path):
    # 0 s     1 s      2.5 s    3.5 s
    # |-- a --|  nothing  |-- b --|        as a recorder that stops in silence writes it
    soundfile.write(tmp_path / "a.wav", tone(300, 2.0), SR)
    ffmpeg("-i", tmp_path / "a.wav", "-af", "asetpts='if(gte(T,1),PTS+1.5/TB,PTS)'", "-c:a", "pcm_s16le",
           tmp_path / "a.mka")  # fmt: skip
    recording = s2s.read_recording(tmp_path / "a.mka")
    y = recording.samples[0]
    assert recording.duration_s == pytest.approx(3.5, abs=0.15)
    assert np.abs(y[round(1.2 * SR) : round(2.3 * SR)]).max() == 0
    assert np.std(y[round(2.8 * SR) : round(3.3 * SR)]) > 0.2


@FFMPEG
def test_what_ffmpeg_cannot_read_is_one_error(save):
    soundless = save(b"\0\0\0\x20ftypM4A \0\0\0\0" + b"M4A mp42isom" + bytes(3000), "a.m4a")
    with pytest.raises(s2s.InputError, match=r"a\.m4a: ffmpeg must be able to read MP4, it says: "):
        s2s.read_recording(soundless)


@pytest.mark.parametrize(
    ("name", "content"),
    [("a.m4a", b"\0\0\0\x20ftypM4A \0"), ("a.webm", b"\x1a\x45\xdf\xa3" + bytes(90))],
)
def test_missing_ffmpeg_is_named_with_the_file(name, content, save, monkeypatch):
    monkeypatch.setenv("PATH", "")
    with pytest.raises(
        s2s.MissingDependencyError,
        match=rf"{name}: reading (MP4|Matroska or WebM) needs the program ffmpeg",
    ):
        s2s.read_recording(save(content, name))


@pytest.fixture
def fake_ffmpeg(tmp_path, monkeypatch):
    """Put a program named ffmpeg that runs given Python in the place of the real one."""

    def fake(code):
        folder = tmp_path / "bin"
        folder.mkdir()
        (folder / "ffmpeg").write_text(
            f"#!{sys.executable}\nimport sys, time\n{code}\n", encoding="utf-8"
        )
        (folder / "ffmpeg").chmod(0o755)
        monkeypatch.setenv("PATH", str(folder))

    return fake


@pytest.mark.skipif(os.name != "posix", reason="a script as a program")
def test_ffmpeg_that_hangs_is_stopped(fake_ffmpeg, save, monkeypatch):
    monkeypatch.setattr("s2sverify._sources._FFMPEG_S", 0.5)
    fake_ffmpeg("time.sleep(60)")
    with pytest.raises(
        s2s.InputError, match=r"a\.webm: ffmpeg must finish within \d+ s, it did not"
    ):
        s2s.read_recording(save(b"\x1a\x45\xdf\xa3" + bytes(90), "a.webm"))


@pytest.mark.skipif(os.name != "posix", reason="a script as a program")
def test_ffmpeg_that_talks_a_lot_is_not_blocked_and_its_exit_code_counts(fake_ffmpeg, save):
    fake_ffmpeg("sys.stderr.write('noise\\n' * 300_000 + 'it is broken\\n'); sys.exit(3)")
    with pytest.raises(
        s2s.InputError, match=r"a\.webm: ffmpeg must be able to read .*it says: it is broken$"
    ):
        s2s.read_recording(save(b"\x1a\x45\xdf\xa3" + bytes(90), "a.webm"))


@pytest.mark.skipif(os.name != "posix", reason="a script as a program")
def test_ffmpeg_is_run_from_an_argument_list(fake_ffmpeg, save, tmp_path):
    fake_ffmpeg(f"open({str(tmp_path / 'argv')!r}, 'w').write(repr(sys.argv[1:])); sys.exit(1)")
    with pytest.raises(s2s.InputError):
        s2s.read_recording(save(b"\x1a\x45\xdf\xa3" + bytes(90), "-i; touch x $(y).webm"))
    argv = ast.literal_eval((tmp_path / "argv").read_text(encoding="utf-8"))
    assert {"-nostdin", "-v"} <= set(argv)
    assert argv[argv.index("-i") + 1] == f"file:{(tmp_path / '-i; touch x $(y).webm').resolve()}"
    assert argv[argv.index("-protocol_whitelist") + 1] == "file"


# ------------------------------------------------------------------------------------------------ headerless


@pytest.mark.parametrize(
    "encoding", ["pcm_mulaw", "pcm_alaw", "pcm_s16le", "pcm_s16be", "pcm_u8", "pcm_f32be"]
)
@pytest.mark.parametrize("channels", [1, 2])
def test_headerless_needs_rate_and_encoding(encoding, channels, save):
    y = PCM[1000:, :channels].astype(np.float32) / 32768  # begins with sound
    raw, _ = encode(y.ravel(), encoding)
    path = save(raw, "dump.raw")
    for given_, got in (
        ({}, "neither"),
        ({"sr": SR}, "only sr"),
        ({"encoding": encoding}, "only encoding"),
    ):
        with pytest.raises(
            s2s.InputError,
            match=rf"dump\.raw: not a known .* format must be given.*sr=8000.* got {got}",
        ):
            s2s.read_recording(path, **given_)
    recording = s2s.read_recording(path, sr=SR, encoding=encoding, channels=channels)
    assert (recording.container, recording.encoding, recording.n_samples) == (
        "raw",
        encoding,
        y.shape[0],
    )
    assert np.array_equal(recording.samples.T, decode(raw, encoding).reshape(-1, channels))
    assert "implausible_encoding" not in codes(recording)
    cut = save(raw + b"\x01", "odd.raw")
    assert (
        "partial_frame"
        in codes(s2s.read_recording(cut, sr=SR, encoding=encoding, channels=channels))
    ) == (WIDTHS[encoding] * channels > 1)


@pytest.mark.parametrize(
    ("real", "declared"),
    [
        ("pcm_s16le", "pcm_mulaw"),
        ("pcm_mulaw", "pcm_s16le"),
        ("pcm_s16be", "pcm_s16le"),
        ("pcm_alaw", "pcm_mulaw"),
    ],
)
def test_a_wrong_declaration_is_noticed(real, declared, save):
    y = speechlike(SR, 3.0)[0] + 0.001
    raw, _ = encode(y.astype(np.float32), real)
    finding = next(
        f for f in s2s.read_recording(save(raw, "d.raw"), sr=SR, encoding=declared).findings
        if f.code == "implausible_encoding"
    )  # fmt: skip
    assert real in finding.message
    assert finding.spoils == ()  # a hint


@pytest.mark.parametrize(
    "content",
    [b"RIFF\0\0\0\0AVIX", b"OggS" + bytes(80), b"ID3\x04" + bytes(80), b"fLaC" + bytes(80),
     b"<html><body>404</body></html>",
     b"<!DOCTYPE html>\n<p>", b"PK\x03\x04" + bytes(50), b'{"error": "expired"}'],
)  # fmt: skip
def test_files_are_not_taken_for_bare_samples(content, save):
    with pytest.raises((s2s.InputError, s2s.MissingDependencyError), match=r"x\.raw"):
        s2s.read_recording(save(content, "x.raw"), sr=SR, encoding="pcm_mulaw")


def test_mp3_frames_are_not_taken_for_bare_samples(tmp_path):
    soundfile.write(tmp_path / "a.mp3", PCM, SR, format="MP3")
    (tmp_path / "a.mp3").rename(tmp_path / "a.ulaw")
    with pytest.raises(
        s2s.InputError, match=r"encoding='pcm_mulaw' was declared, but the file is MP3"
    ):
        s2s.read_recording(tmp_path / "a.ulaw", sr=SR, encoding="pcm_mulaw")
    quiet = bytes([0xFF, 0xFB, 0x7F, 0xFD]) * 500  # mu-law silence that begins like an MP3 frame
    (tmp_path / "q.ulaw").write_bytes(quiet)
    assert s2s.read_recording(tmp_path / "q.ulaw", sr=SR, encoding="pcm_mulaw").n_samples == 2000


def test_a_declaration_must_agree_with_the_header(save):
    path = save(LENGTHS["plain"][0])
    assert s2s.read_recording(path, sr=SR, encoding="s16le", channels=2).n_samples == len(PCM)
    for wrong, said in (({"sr": 16000}, "sr=16000 .*says 8000"), ({"encoding": "mulaw"}, "'pcm_mulaw' .*'pcm_s16le'"),
                        ({"channels": 1}, "channels=1 .*says 2")):  # fmt: skip
        with pytest.raises(s2s.InputError, match=rf"call\.wav: .*{said}"):
            s2s.read_recording(path, **wrong)


@pytest.mark.parametrize(
    "alias", ["ulaw", "G711_ulaw", "audio/x-mulaw", "PCMU", "mulaw", "pcm_mulaw"]
)
def test_names_of_mulaw(alias):
    assert encoding_name(alias) == "pcm_mulaw"


def test_names_must_say_the_byte_order():
    for alias in ("pcm16", "L16", "linear16", "pcm_s16"):
        with pytest.raises(s2s.InputError, match=r"must say the byte order"):
            encoding_name(alias)
    with pytest.raises(s2s.InputError, match=r"encoding must be one of .*, got 'opus'"):
        encoding_name("opus")


# ------------------------------------------------------------------------------------------------ no sound at all

NOT_SOUND = {
    "empty.wav": (b"", r"is empty \(0 bytes\)"),
    "page.wav": (b"<html><head><title>404 Not Found</title></head></html>", "HTML.*'<html><head>"),
    "page2.mp3": (b"\n\n  <!doctype HTML>\n<html>", "HTML"),
    "denied.wav": (b"<?xml version='1.0'?><Error><Code>AccessDenied</Code></Error>", "XML"),
    "error.wav": (b'{"code": 20404, "message": "not found"}', "JSON"),
    "text.wav": ("Überfällig: bitte später versuchen".encode(), "text"),
    "utf16.wav": ("hello there, this is text".encode("utf-16"), "text"),
    "a.zip": (b"PK\x03\x04" + bytes(100), "ZIP archive"),
    "lfs.wav": (b"version https://git-lfs.github.com/spec/v1\noid sha256:00", "Git LFS"),
    "noise.bin": (bytes(range(128, 256)) * 40, "not a known audio file"),
    "zeros.wav": (bytes(5000), "not a known audio file"),
    "avi.wav": (b"RIFF\x10\0\0\0CDXA" + bytes(50), "type b'CDXA', not WAVE"),
    "head.wav": (b"RIFF\x10\0\0\0WAVE", "no fmt chunk"),
    "riff.wav": (b"RIFF", "RIFF file of type"),
    "nodata.wav": (riff(FMT), "no data chunk"),
    "nofmt.wav": (riff(chunk(b"data", DATA)), "no fmt chunk"),
    "shortfmt.wav": (riff(chunk(b"fmt ", b"\1\0\2\0"), chunk(b"data", DATA)), "at least 14 bytes, got 4"),
    "rate0.wav": (riff(chunk(b"fmt ", fmt_chunk(sr=0)), chunk(b"data", DATA)), "gives 0 Hz and 2 channels"),
    "ch0.wav": (riff(chunk(b"fmt ", fmt_chunk(channels=0)), chunk(b"data", DATA)), "and 0 channels"),
    "bits.wav": (riff(chunk(b"fmt ", fmt_chunk(bits=48)), chunk(b"data", DATA)),
                 "8, 16, 24 or 32 bits.* gives 48 bits"),
    "ext.wav": (riff(chunk(b"fmt ", fmt_chunk(0xFFFE)), chunk(b"data", DATA)), "must have 40 bytes, got 16"),
    "junk.flac": (b"fLaC" + bytes(range(200)) * 40, "FLAC cannot be read"),
    "junk.ogg": (b"OggS" + bytes(9000), "Ogg cannot be read"),
}  # fmt: skip


@pytest.mark.parametrize("name", NOT_SOUND)
def test_what_is_no_sound_is_one_error_that_names_the_file(name, save):
    content, said = NOT_SOUND[name]
    with pytest.raises(s2s.InputError, match=rf"(?s){name}.*{said}") as caught:
        s2s.read_recording(save(content, name))
    assert "\n" not in str(caught.value)


def test_an_unknown_codec_is_named(save):
    path = save(riff(chunk(b"fmt ", fmt_chunk(0x1234)), chunk(b"data", DATA)))
    with pytest.raises(
        s2s.InputError, match=r"call\.wav: WAV with format tag 0x1234 cannot be read"
    ):
        s2s.read_recording(path)
    guid = struct.pack("<HHIH", 22, 16, 3, 1) + b"\x99" * 14
    path = save(riff(chunk(b"fmt ", fmt_chunk(0xFFFE, extra=guid)), chunk(b"data", DATA)))
    with pytest.raises(s2s.InputError, match=r"call\.wav: WAV with subformat cannot be read"):
        s2s.read_recording(path)


def test_paths_that_are_no_files(tmp_path):
    with pytest.raises(s2s.InputError, match=r"gone\.wav: there is no such file"):
        s2s.read_recording(tmp_path / "gone.wav")
    with pytest.raises(s2s.InputError, match="must be a file, it is a folder"):
        s2s.read_recording(tmp_path)
    with pytest.raises(s2s.InputError, match=r"path must be a possible file name, .*null"):
        s2s.read_recording("a\0b.wav")
    with pytest.raises(s2s.InputError, match="path must be a str or a path, got BytesIO"):
        s2s.read_recording(io.BytesIO(b"RIFF"))
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe.wav")
        with pytest.raises(s2s.InputError, match=r"pipe\.wav: must be a regular file"):
            s2s.read_recording(tmp_path / "pipe.wav")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads everything")
def test_a_file_that_may_not_be_read(save):
    path = save(LENGTHS["plain"][0])
    path.chmod(0)
    with pytest.raises(s2s.InputError, match=r"call\.wav: cannot be opened: Permission denied"):
        s2s.read_recording(path)


def test_an_error_of_opening_is_an_input_error(save, monkeypatch):
    path = save(LENGTHS["plain"][0])

    def refuse(*args, **kwargs):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(s2s.InputError, match=r"call\.wav: cannot be opened: Permission denied"):
        s2s.read_recording(path)


HEADS = [b"", b"RIFF\x40\0\0\0WAVEfmt ", W64_RIFF, b"\xff\xfb\x90\x00", b'{"event": "media"']


@given(content=st.binary(min_size=1, max_size=400), head=st.sampled_from(HEADS))
@settings(
    deadline=None, max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_any_bytes_give_a_recording_or_an_error(content, head, tmp_path):
    tell(head + content)
    path = tmp_path / "any.bin"
    path.write_bytes(head + content)
    try:
        recording = s2s.read_recording(path)
        assert recording.samples.shape == (recording.n_channels, recording.n_samples)
        assert np.isfinite(recording.samples).all()
    except s2s.VerifyError as error:
        assert "any.bin" in str(error)


@given(
    at=st.integers(0, 79),
    value=st.sampled_from([0, 1, 2, 127, 128, 255]),
    case=st.sampled_from(["extensible", "rf64", "w64_list", "list_first", "odd_list_before"]),
    length=st.integers(0, 400),
)
@settings(
    deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_one_wrong_byte_in_a_header(at, value, case, length, tmp_path):
    raw = bytearray(LENGTHS[case][0])
    raw[at] = value
    path = tmp_path / "one.wav"
    path.write_bytes(raw[: len(raw) - length])
    try:
        recording = s2s.read_recording(path)
        assert recording.samples.shape == (recording.n_channels, recording.n_samples)
    except s2s.VerifyError as error:
        assert "one.wav" in str(error)


# ------------------------------------------------------------------------------------------------ media streams

FRAME = 160


def message(track, index, payload, *, chunk_=None, timestamp=None, **media):
    inner = {"track": track, "chunk": str(index + 1 if chunk_ is None else chunk_),
             "timestamp": str(20 * index if timestamp is None else timestamp),
             "payload": base64.b64encode(payload).decode(), **media}  # fmt: skip
    return {"event": "media", "sequenceNumber": "1", "streamSid": "MZ1", "media": inner}


def start(encoding="audio/x-mulaw", sr=8000, tracks=("inbound", "outbound")):
    form = {"encoding": encoding, "sampleRate": sr, "channels": 1}
    return {
        "event": "start",
        "streamSid": "MZ1",
        "start": {"tracks": list(tracks), "mediaFormat": form},
    }


def stream_codes():
    """mu-law codes (n, 2) of the call, 100 frames of 20 ms."""
    raw, _ = encode(PCM.ravel().astype(np.float32) / 32768, "pcm_mulaw")
    return np.frombuffer(raw, np.uint8).reshape(-1, 2)


def messages(skip=(), order=None):
    laws = stream_codes()
    sent = [
        message(track, k, laws[FRAME * k : FRAME * (k + 1), channel].tobytes())
        for k in range(100)
        for channel, track in enumerate(("inbound", "outbound"))
        if (track, k) not in skip
    ]
    return [
        {"event": "connected", "protocol": "Call"},
        start(),
        *(sent if order is None else [sent[i] for i in order]),
    ]


def jsonl(lines):
    return b"".join(
        (line if isinstance(line, bytes) else json.dumps(line).encode()) + b"\n" for line in lines
    )


EXACT = decode(stream_codes().tobytes(), "pcm_mulaw").reshape(-1, 2).T


def test_media_stream_is_placed_by_time_stamp(save):
    lost = {("outbound", k) for k in (30, 31, 32, 70)}
    recording = s2s.read_recording(save(jsonl(messages(lost)), "call.jsonl"))
    assert (recording.container, recording.encoding, recording.sr) == (
        "twilio-jsonl",
        "pcm_mulaw",
        8000,
    )
    (finding,) = recording.findings
    assert (finding.code, finding.channel, finding.count) == ("missing_frames", 1, 4)
    assert finding.intervals == (s2s.Interval(0.6, 0.66), s2s.Interval(1.4, 1.42))
    assert "0.600-0.660 s" in finding.message
    expected = EXACT.copy()
    expected[1, 4800:5280] = expected[1, 11200:11360] = 0.0  # 0xFF, not 0x00
    assert np.array_equal(recording.samples, expected)
    assert np.array_equal(recording.read(0.59, 0.67), expected[:, 4720:5360])
    assert on_off_ms(recording.caller, 8000) == (200, 800)


@given(seed=st.integers(0, 2**32 - 1))
@settings(
    deadline=None, max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_order_and_repetition_do_not_matter(seed, tmp_path):
    rng = np.random.default_rng(seed)
    order = np.argsort(np.arange(200) + rng.uniform(0, 12, 200))
    order = np.insert(order, rng.integers(0, 200, 5), order[rng.integers(0, 200, 5)])
    path = tmp_path / "call.jsonl"
    path.write_bytes(jsonl(messages(order=order.tolist())))
    recording = s2s.read_recording(path)
    assert np.array_equal(recording.samples, EXACT)
    assert set(codes(recording)) <= {"reordered_frames", "duplicate_frames"}
    assert sum(f.count for f in recording.findings if f.code == "duplicate_frames") == 5


def test_numbers_may_be_numbers_and_stamps_may_be_rounded(save):
    rng = np.random.default_rng(2)
    lines = messages()
    for line in lines[2:]:
        media = line["media"]
        media["chunk"] = int(media["chunk"])
        media["timestamp"] = (
            max(0, int(media["timestamp"]) + int(rng.integers(-4, 5))) if media["chunk"] > 1 else 0
        )
    recording = s2s.read_recording(save(jsonl(lines), "call.jsonl"))
    assert np.array_equal(recording.samples, EXACT)  # sound goes on although its stamps stray
    assert set(codes(recording)) == {"timestamp_jitter"}


def test_a_late_first_chunk_stands_at_its_stamp(save):
    lines = [
        start(),
        *(
            message(t, k, b"\x80" * 160, timestamp=5 + 20 * k)
            for k in range(5)
            for t in ("inbound", "outbound")
        ),
    ]
    recording = s2s.read_recording(save(jsonl(lines), "call.jsonl"))
    assert np.flatnonzero(recording.caller)[0] == 40
    assert recording.n_samples == 840
    later = [start(), *(message("inbound", k, b"\x80" * 160) for k in range(50)),
             *(message("outbound", k, b"\x90" * 160, chunk_=k - 9) for k in range(10, 40))]  # fmt: skip
    recording = s2s.read_recording(save(jsonl(later), "call.jsonl"))
    by_code = {f.code: f for f in recording.findings}
    assert by_code["missing_frames"].intervals == (s2s.Interval(0.0, 0.2),)
    assert by_code["length_differs"].intervals == (s2s.Interval(0.8, 1.0),)
    assert np.flatnonzero(recording.agent)[[0, -1]].tolist() == [1600, 6399]


def test_alaw_stream_is_filled_with_alaw_silence(save):
    lines = [
        start("PCMA"),
        *(message(t, k, b"\x2a" * 160) for k in (0, 1, 4) for t in ("inbound", "outbound")),
    ]
    recording = s2s.read_recording(save(jsonl(lines), "call.jsonl"))
    assert recording.encoding == "pcm_alaw"
    assert (recording.caller[320:640] * 32768).tolist() == [8.0] * 320
    assert "missing_frames" in codes(recording)


def test_16_bit_stream_needs_its_byte_order(save):
    y = np.arange(-160, 160, dtype="<i2")
    lines = [start("audio/L16", 16000)] + [
        message(t, k, y.tobytes()) for k in range(3) for t in ("inbound", "outbound")
    ]
    path = save(jsonl(lines), "call.jsonl")
    with pytest.raises(s2s.InputError, match=r"call\.jsonl: .*byte order.*give encoding"):
        s2s.read_recording(path)
    recording = s2s.read_recording(path, encoding="pcm_s16le")
    assert np.array_equal(recording.caller * 32768, np.tile(y, 3))


def test_bad_lines_are_named_and_the_rest_is_read(save):
    lines = messages()
    good = json.dumps(lines[10]).encode()
    lines[10] = b"{not json"
    lines[20] = b"[1, 2]"
    lines[30] = {**lines[30], "media": {**lines[30]["media"], "payload": "***"}}
    lines[40] = {**lines[40], "media": {**lines[40]["media"], "timestamp": "soon"}}
    lines[50] = b"[" * 100_000
    lines[60] = {**lines[60], "media": {**lines[60]["media"], "chunk": 10**400}}
    recording = s2s.read_recording(
        save(b"\xef\xbb\xbf" + jsonl(lines).replace(b"\n", b"\r\n\r\n"), "call.jsonl")
    )
    finding = next(f for f in recording.findings if f.code == "bad_lines")
    assert finding.count == 6
    for number in (21, 41, 61):  # a blank line follows each line
        assert f"line {number}: " in finding.message
    assert "and 1 more" in finding.message
    missing = [
        interval
        for f in recording.findings
        if f.code == "missing_frames"
        for interval in f.intervals
    ]
    assert len(missing) == 6
    cut = s2s.read_recording(save(jsonl(messages())[:-60] + good[:30], "cut.jsonl"))
    assert "line 202" in next(f for f in cut.findings if f.code == "truncated").message


STREAM_ERRORS = {
    "no_media": ([start(), {"event": "stop"}], "must hold media messages"),
    "two_streams": ([*messages()[:4], {**messages()[4], "streamSid": "MZ2"}], "line 5: a file must hold one stream"),
    "wall_clock": ([start(), message("inbound", 0, b"\xff" * 160, timestamp=1755000000000)],
                   "line 2: timestamp must be 0"),
    "negative": ([start(), message("inbound", 0, b"\xff" * 160, timestamp=-20)], "line 2: timestamp must be 0"),
    "header": ([start(), message("inbound", 0, b"RIFF" + b"\xff" * 160)], "line 2: payload must be bare samples"),
    "opus": ([start("opus", 48000), message("inbound", 0, b"\xff" * 160)], "mediaFormat.encoding must be one of"),
    "rate": ([start(sr="fast"), message("inbound", 0, b"\xff" * 160)], "line 1: mediaFormat: "),
    "channels": ([{**start(), "start": {"mediaFormat": {"encoding": "PCMU", "sampleRate": 8000, "channels": 2}}},
                  message("inbound", 0, b"\xff" * 160)], "gives 2 channels"),
    "no_start": ([{**m, "streamSid": "other"} for m in messages()[2:]],
                 "start message with mediaFormat is missing: give sr"),
}  # fmt: skip


@pytest.mark.parametrize("case", STREAM_ERRORS)
def test_streams_that_cannot_be_placed(case, save):
    lines, said = STREAM_ERRORS[case]
    with pytest.raises(s2s.InputError, match=rf"call\.jsonl: .*{said}"):
        s2s.read_recording(save(jsonl(lines), "call.jsonl"))


def test_declared_format_must_be_the_streams(save):
    path = save(jsonl(messages()), "call.jsonl")
    assert s2s.read_recording(path, sr=8000, encoding="ulaw", channels=2).n_channels == 2
    for wrong, said in (({"sr": 16000}, "sr=16000"), ({"encoding": "alaw"}, "encoding='pcm_alaw'")):
        with pytest.raises(
            s2s.InputError, match=rf"call\.jsonl: {said} was declared, .*mediaFormat says"
        ):
            s2s.read_recording(path, **wrong)


def test_a_lost_start_message(save):
    recording = s2s.read_recording(save(jsonl(messages()[2:]), "call.jsonl"))
    assert codes(recording) == ["assumed_format"]
    assert np.array_equal(recording.samples, EXACT)
    others = [{**m, "streamSid": "other"} for m in messages()[2:]]
    explicit = s2s.read_recording(save(jsonl(others), "o.jsonl"), sr=8000, encoding="pcm_mulaw")
    assert np.array_equal(explicit.samples, EXACT)


def test_one_track_is_not_a_call(save):
    only = [line for line in messages() if line.get("media", {}).get("track") != "outbound"]
    only[1] = start(tracks=("inbound",))
    only.append(
        {"event": "media", "streamSid": "MZ1", "media": {"payload": "////"}}
    )  # sent by the application
    recording = s2s.read_recording(save(jsonl(only), "call.jsonl"))
    assert {"one_track", "mono", "unplaced_media"} == set(codes(recording))
    with pytest.raises(s2s.ChannelError):
        _ = recording.agent
    only[1] = start()  # both tracks were subscribed: the agent's never sent anything
    both = s2s.read_recording(save(jsonl(only), "call.jsonl"))
    assert {"length_differs", "silent_channel"} <= set(codes(both))
    assert not both.agent.any()


def test_snake_case_gateways(save):
    lines = []
    for line in messages()[1:]:
        line = dict(line)
        line["stream_id"] = line.pop("streamSid")
        if line["event"] == "start":
            line["start"] = {
                "media_format": {"encoding": "PCMU", "sample_rate": 8000, "channels": 1}
            }
        lines.append(line)
    recording = s2s.read_recording(save(jsonl(lines), "call.jsonl"))
    assert recording.container == "telnyx-jsonl"
    assert np.array_equal(recording.samples, EXACT)


# ------------------------------------------------------------------------------------------------ placing chunks


def ramp(n, start=1):
    return np.arange(start, start + n, dtype=np.int16)


def whole(recording):
    return (recording.samples * 32768).astype(int)


def test_bursts_queue_and_pauses_stay():
    # agent:  2 chunks of 100 ms arrive at 0.5 s at once, one at 1.0 s; reserve 50 ms
    # caller: at 0.0 and 0.3 s
    caller = [s2s.Chunk(0.0, ramp(100)), s2s.Chunk(0.3, ramp(50, 500))]
    agent = [
        s2s.Chunk(0.5, ramp(100)),
        s2s.Chunk(0.5, ramp(100, 101)),
        s2s.Chunk(1.0, ramp(100, 201)),
    ]
    recording = s2s.place_chunks(caller, agent, sr=1000, playback_reserve_s=0.05)
    y = whole(recording)
    assert recording.n_samples == 1150
    expected = np.zeros((2, 1150), int)
    expected[0, :100], expected[0, 300:350] = ramp(100), ramp(50, 500)
    expected[1, 550:750], expected[1, 1050:1150] = ramp(200), ramp(100, 201)
    assert np.array_equal(y, expected)
    assert recording.container == "chunks"
    assert codes(recording) == []


@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(0, 12),
    reserve_s=st.floats(0, 0.3),
    sr=st.sampled_from([1000, 8000, 11025]),
)
@settings(deadline=None)
def test_never_early_never_overlapping_nothing_lost(seed, n, reserve_s, sr):
    rng = np.random.default_rng(seed)
    agent, at = [], 1
    for _ in range(n):
        size = int(rng.integers(0, 400))
        agent.append(s2s.Chunk(float(rng.uniform(0, 1)), ramp(size, at)))
        at += size
    recording = s2s.place_chunks([], agent, sr=sr, playback_reserve_s=reserve_s)
    y = whole(recording)[1]
    cursor = 0
    for chunk_ in sorted(agent, key=lambda c: c.arrival_s):
        if not chunk_.samples.size:
            continue
        begin = int(np.flatnonzero(y == chunk_.samples[0])[0])
        assert np.array_equal(y[begin : begin + chunk_.samples.size], chunk_.samples)
        assert begin / sr >= chunk_.arrival_s + reserve_s - 1e-8
        earliest = (chunk_.arrival_s + reserve_s) * sr
        assert begin == cursor or begin < earliest + 1
        assert begin >= cursor
        cursor = begin + chunk_.samples.size
    assert np.count_nonzero(y) == at - 1


def test_truncation_by_time():
    # response a: 300 ms arrive at 0.1 s; stopped at 0.25 s; b arrives at 0.3 s; a late chunk of a at 0.35 s
    agent = [
        s2s.Chunk(0.1, ramp(200), response="a"),
        s2s.Chunk(0.1, ramp(100, 201), response="a"),
        s2s.Chunk(0.3, ramp(100, 1001), response="b"),
        s2s.Chunk(0.35, ramp(100, 301), response="a"),
    ]
    recording = s2s.place_chunks(
        [], agent, sr=1000, truncations=[s2s.Truncation(at_s=0.25, response="a")]
    )
    y = whole(recording)[1]
    expected = np.zeros(400, int)
    expected[100:250], expected[300:400] = ramp(150), ramp(100, 1001)
    assert np.array_equal(y, expected)
    (cut,) = (f for f in recording.findings if f.code == "cut_audio")
    assert (cut.channel, cut.count) == (1, 250)
    assert cut.intervals == (s2s.Interval(0.25, 0.4),)
    assert "response 'a'" in cut.message
    assert "0.250 s" in cut.message


def test_truncation_by_what_was_played():
    agent = [s2s.Chunk(0.1, ramp(200), response="a"), s2s.Chunk(0.1, ramp(100, 201), response="a"),
             s2s.Chunk(0.1, ramp(50, 1001), response="b")]  # fmt: skip
    recording = s2s.place_chunks(
        [], agent, sr=1000, truncations=[s2s.Truncation(played_s=0.12, response="a")]
    )
    y = whole(recording)[1]
    expected = np.concatenate([np.zeros(100, int), ramp(120), ramp(50, 1001)])  # b moves up
    assert np.array_equal(y, expected)
    assert next(f for f in recording.findings if f.code == "cut_audio").count == 180


def test_truncation_of_all_that_is_queued():
    agent = [
        s2s.Chunk(0.0, ramp(300)),
        s2s.Chunk(0.1, ramp(300, 301)),
        s2s.Chunk(0.2, ramp(50, 1001)),
    ]
    recording = s2s.place_chunks([], agent, sr=1000, truncations=[s2s.Truncation(at_s=0.15)])
    y = whole(recording)[1]
    assert np.array_equal(y, np.concatenate([ramp(150), np.zeros(50, int), ramp(50, 1001)]))
    cut = next(f for f in recording.findings if f.code == "cut_audio")
    assert (cut.count, cut.intervals) == (450, (s2s.Interval(0.15, 0.6),))


def test_what_waits_behind_a_stopped_response_moves_up():
    agent = [
        s2s.Chunk(0.0, ramp(500), response="a"),
        s2s.Chunk(0.05, ramp(100, 1001), response="b"),
    ]
    recording = s2s.place_chunks(
        [], agent, sr=1000, truncations=[s2s.Truncation(at_s=0.1, response="a")]
    )
    assert np.array_equal(whole(recording)[1], np.concatenate([ramp(100), ramp(100, 1001)]))


def test_a_truncation_that_meets_nothing_is_said():
    agent = [s2s.Chunk(0.0, ramp(100), response="a")]
    recording = s2s.place_chunks(
        [], agent, sr=1000, truncations=[s2s.Truncation(at_s=0.5, response="z")]
    )
    assert "unmatched_truncation" in codes(recording)
    finished = s2s.place_chunks(
        [], agent, sr=1000, truncations=[s2s.Truncation(at_s=0.5, response="a")]
    )
    assert {"cut_audio", "unmatched_truncation"}.isdisjoint(codes(finished))


@given(
    seed=st.integers(0, 2**32 - 1),
    cuts=st.lists(st.integers(0, 800), max_size=8),
    encoding=st.sampled_from(
        ["pcm_s16le", "pcm_s16be", "pcm_mulaw", "pcm_alaw", "pcm_s24le", "pcm_f32le"]
    ),
)
@settings(deadline=None)
def test_bytes_may_be_cut_anywhere(seed, cuts, encoding):
    y = np.random.default_rng(seed).uniform(-0.9, 0.9, 200).astype(np.float32)
    raw, _ = encode(y, encoding)
    edges = [0, *sorted(min(cut, len(raw)) for cut in cuts), len(raw)]
    chunks = [s2s.Chunk(0.0, raw[a:b], encoding=encoding) for a, b in pairwise(edges)]
    recording = s2s.place_chunks(chunks, chunks, sr=8000)
    assert np.array_equal(recording.caller, decode(raw, encoding))
    assert np.array_equal(recording.agent, recording.caller)
    assert "partial_frame" not in codes(recording)


def test_a_half_sample_is_not_carried_into_the_next_response():
    agent = [s2s.Chunk(0.0, b"\x01\x00\x02", encoding="pcm_s16le", response="a"),
             s2s.Chunk(0.1, b"\x03\x00", encoding="pcm_s16le", response="b")]  # fmt: skip
    recording = s2s.place_chunks([], agent, sr=1000)
    assert whole(recording)[1].tolist() == [1, *[0] * 99, 3]
    finding = next(f for f in recording.findings if f.code == "partial_frame")
    assert (finding.channel, finding.count) == (1, 1)


def test_caller_chunks_that_overlap_wait():
    recording = s2s.place_chunks(
        [s2s.Chunk(0.0, ramp(30)), s2s.Chunk(0.02, ramp(30, 31))], [], sr=1000
    )
    assert np.array_equal(whole(recording)[0], ramp(60))
    finding = next(f for f in recording.findings if f.code == "overlapping_chunks")
    assert finding.count == 1
    assert "0.010 s" in finding.message


def test_placing_nothing():
    recording = s2s.place_chunks([], [], sr=8000)
    assert (recording.n_samples, codes(recording)) == (0, ["empty"])


@pytest.mark.parametrize(
    ("caller", "more", "said"),
    [
        ([s2s.Chunk(-0.1, ramp(3))], {}, r"caller\[0\]\.arrival_s must be seconds .*got -0\.1"),
        ([s2s.Chunk(math.nan, ramp(3))], {}, "got nan"),
        ([s2s.Chunk(1.7e9, ramp(3))], {}, "got 17"),
        ([s2s.Chunk(0, b"\0\0")], {}, r"caller\[0\]\.encoding must be given with bytes"),
        ([s2s.Chunk(0, b"\0\0", encoding="pcm16")], {}, "must say the byte order"),
        ([s2s.Chunk(0, ramp(3), encoding="pcm_s16le")], {}, "is for bytes"),
        (
            [s2s.Chunk(0, np.zeros(3, np.int32))],
            {},
            r"caller\[0\]\.samples must be float .*or int16, got int32",
        ),
        ([s2s.Chunk(0, np.zeros((3, 2)))], {}, r"must have shape \(n,\), got \(3, 2\)"),
        (
            [s2s.Chunk(0, b"RIFFxxxx", encoding="pcm_mulaw")],
            {},
            "begin with b'RIFF': a file header",
        ),
        (
            [s2s.Chunk(0, b"\0", encoding="pcm_s16le"), s2s.Chunk(1, b"\0", encoding="pcm_s16be")],
            {},
            "must stay pcm_s16le",
        ),
        (
            [],
            {"truncations": [s2s.Truncation(response="a")]},
            r"truncations\[0\] must have at_s or played_s",
        ),
        ([], {"truncations": [s2s.Truncation(played_s=1.0)]}, "needs a response"),
        ([], {"playback_reserve_s": -1.0}, "playback_reserve_s must be"),
        ([], {"sr": 0}, "sr must be"),
    ],
)
def test_chunks_that_cannot_be_placed(caller, more, said):
    with pytest.raises(s2s.InputError, match=said):
        s2s.place_chunks(caller, [], **{"sr": 1000, **more})


# ------------------------------------------------------------------------------------------------ edges


@pytest.mark.parametrize(
    ("start_s", "end_s"), [(-0.01, 1.0), (0.5, 2.01), (1.5, 1.0), (math.nan, 1.0), (0.0, math.inf)]
)
def test_stretches_outside_are_refused(start_s, end_s):
    recording = s2s.Recording.from_arrays(tone(210, 2.0), tone(330, 2.0), SR, name="two.wav")
    for refuse in (
        recording.read,
        recording.cut,
        lambda a, b: recording.blocks(0.1, start_s=a, end_s=b),
    ):
        with pytest.raises(
            s2s.InputError,
            match=r"two\.wav: start_s and end_s must be in order within 0 to 2|must be finite",
        ):
            refuse(start_s, end_s)


@pytest.mark.parametrize("block_s", [0.0, -1.0, 1e-6, math.nan, math.inf])
def test_blocks_must_hold_a_sample(block_s):
    recording = s2s.Recording.from_arrays(tone(210), tone(330), SR)
    with pytest.raises(s2s.InputError, match="block_s must be at least one sample"):
        recording.blocks(block_s)


def test_from_arrays_refuses_other_types():
    y = tone(210)
    with pytest.raises(
        s2s.InputError, match=r"agent must be float with full scale 1.0, or int16, got int64"
    ):
        s2s.Recording.from_arrays(y, np.arange(5), SR)
    with pytest.raises(s2s.InputError, match=r"caller must have shape \(n,\), got \(2, 5\)"):
        s2s.Recording.from_arrays(np.zeros((2, 5)), y, SR)
    with pytest.raises(s2s.InputError, match="sr must be a whole number"):
        s2s.Recording.from_arrays(y, y, 8000.5)
    bad = y.copy()
    bad[5] = np.nan
    recording = s2s.Recording.from_arrays(bad, tone(330), SR)
    assert "non_finite" in codes(recording)
    assert recording.caller[5] == 0
    assert np.isnan(bad[5])  # what was given is left alone


def test_writing_is_refused_or_complete(tmp_path, monkeypatch):
    recording = s2s.Recording.from_arrays(tone(210), tone(330), SR)
    with pytest.raises(s2s.InputError, match=r"must end in \.wav or \.flac, ends in '\.mp3'"):
        recording.write(tmp_path / "a.mp3")
    with pytest.raises(
        s2s.InputError,
        match=r"encoding must be one of pcm_s16le, pcm_s24le in a \.flac file, got 'pcm_mulaw'",
    ):
        recording.write(tmp_path / "a.flac", encoding="pcm_mulaw")
    with pytest.raises(s2s.InputError, match=r"a\.wav: cannot be written: No such file"):
        recording.write(tmp_path / "no" / "a.wav")
    (tmp_path / "a.wav").write_bytes(b"old")

    def breaks(self, start, stop):
        yield np.zeros((2, 5), np.float32)
        raise KeyboardInterrupt

    monkeypatch.setattr(s2s.Recording, "_pieces", breaks)
    with pytest.raises(KeyboardInterrupt):
        recording.write(tmp_path / "a.wav")
    assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == {"a.wav": b"old"}


def test_a_file_that_changes_under_a_recording_is_refused(save):
    path = save(LENGTHS["plain"][0])
    recording = s2s.read_recording(path)
    assert recording.read(0, 0.1).shape == (2, 800)
    recording.cut(0.5, 1.0).write(path)
    with pytest.raises(s2s.InputError, match=r"call\.wav: must not change while it is read"):
        recording.read(0, 0.1)
    path.unlink()
    with pytest.raises(s2s.InputError, match=r"call\.wav: must stay in place"):
        _ = recording.caller


def test_nothing_is_decoded_before_it_is_needed(save, monkeypatch):
    path = save(LENGTHS["plain"][0])
    calls = []
    monkeypatch.setattr("s2sverify.recording._scan", lambda *args: calls.append(1) or _scan(*args))
    recording = s2s.read_recording(path)
    assert (recording.n_samples, recording.header_findings, recording.cut(0, 1).n_samples) == (
        len(PCM),
        (),
        8000,
    )
    assert calls == []
    assert (recording.findings, len(recording.content_hash)) == ((), 64)
    _ = recording.findings
    assert calls == [1]


def test_decoded_once_from_many_threads(tmp_path):
    soundfile.write(tmp_path / "a.flac", PCM, SR)
    recording = s2s.read_recording(tmp_path / "a.flac")
    seen = []
    threads = [
        threading.Thread(target=lambda: seen.append((recording.caller, recording.content_hash)))
        for _ in range(6)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({id(y.base) for y, _ in seen}) == 1
    assert len({digest for _, digest in seen}) == 1


def test_wav_needs_no_other_library(tmp_path):
    path = tmp_path / "a.wav"
    s2s.Recording.from_arrays(PCM[:, 0], PCM[:, 1], SR).write(path, encoding="pcm_mulaw")
    code = (
        "import sys, s2sverify as s2s; r = s2s.read_recording(sys.argv[1]); r.findings; r.caller; m = sys.modules; "
        "print([x for x in ('soundfile', 'scipy', 'numba', 'soxr', 'ffmpeg', 'matplotlib', 'pandas') if x in m])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, path], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_memory_is_bounded_by_a_block(tmp_path):
    path = tmp_path / "long.wav"
    n = 24000 * 1200  # 20 minutes of stereo, 115 MB, almost all of it a hole in the file
    with path.open("wb") as f:
        f.write(riff(chunk(b"fmt ", fmt_chunk(sr=24000))) + b"data" + struct.pack("<I", 4 * n))
        f.truncate(44 + 4 * n)
        f.seek(44 + 2 * n)
        f.write(call(24000).tobytes())
    code = (
        "import sys, tracemalloc, s2sverify as s2s; r = s2s.read_recording(sys.argv[1]); r.n_samples; "
        "tracemalloc.start(); r.findings; r.content_hash; r.read(700, 701); "
        "n = sum(b.shape[1] for b in r.blocks(10.0)); "
        "print(n, tracemalloc.get_traced_memory()[1])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, path], capture_output=True, text=True, check=True
    )
    samples, peak = map(int, done.stdout.split())
    assert samples == n
    assert peak < 12e6


def test_plot_draws_both_channels():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    recording = s2s.Recording.from_arrays(PCM[:, 0], PCM[:, 1], SR)
    ax = recording.plot()
    assert [label.get_text() for label in ax.get_yticklabels()] == ["caller", "agent"]
    assert ax.get_xlim() == (0.0, 2.0)
    assert recording.plot(ax=ax) is ax
    lows = [path.get_extents().ymin for path in (c.get_paths()[0] for c in ax.collections)]
    assert lows[0] == pytest.approx(recording.caller.min(), abs=1e-6)
    assert lows[1] == pytest.approx(-2 + recording.agent.min(), abs=1e-6)
    pyplot.close("all")


def test_it_says_what_it_is(tmp_path):
    recording = s2s.Recording.from_arrays(tone(210), tone(330), SR, name="x")
    assert repr(recording) == "Recording('x', 2 channels, 8000 Hz, 1.000 s, memory pcm_f32le)"
    soundfile.write(tmp_path / "a.flac", PCM, SR)
    lazy = s2s.read_recording(tmp_path / "a.flac")
    assert "length unknown until decoded" in repr(lazy)
    assert (lazy.path, lazy.name) == (tmp_path / "a.flac", "a.flac")
    assert lazy.n_samples == len(PCM)
    assert "2.000 s" in repr(lazy)


def test_every_code_is_explained():
    root = Path(__file__).parents[1]
    made = set()
    for name in ("recording", "placement", "_sources", "_media_stream", "_wav"):
        source = (root / "s2sverify" / f"{name}.py").read_text(encoding="utf-8")
        made |= set(re.findall(r'Finding\(\s*"(\w+)"', source)) | set(
            re.findall(r'\(\s*"(\w+)",\s+\w+,\s+lambda', source)
        )
    explained = set(re.findall(r"`(\w+)`", "".join(
        line.split("|")[1] for line in (root / "docs" / "findings.md").read_text(encoding="utf-8").splitlines()
        if line.startswith("| `")
    )))  # fmt: skip
    spoiled = {"roles", "timing", "absence", "levels", "transcript", "verify"}
    assert made == explained - spoiled
    assert len(made) > 25


# ------------------------------------------------------------------------------------------------ shared cases


def _shared():
    if not (CASES / "manifest.json").exists():
        return []
    return json.loads((CASES / "manifest.json").read_text(encoding="utf-8"))["files"]


@pytest.mark.parametrize(
    "case", _shared() or [None], ids=lambda case: case["file"] if case else "none"
)
def test_shared_case(case):
    if case is None:
        pytest.skip("the shared cases are not here")
    path, expect = CASES / case["file"], case["expect"]
    if expect["error"]:
        with pytest.raises(s2s.InputError, match=case["file"]):
            s2s.read_recording(path)
        return
    declared = {}
    if expect.get("error_without_explicit_format"):
        with pytest.raises(s2s.InputError, match="format must be given"):
            s2s.read_recording(path)
        declared = {"sr": expect["rate"], "encoding": expect["encoding"]}
    recording = s2s.read_recording(path, **declared)
    for key, value in (("container", recording.container), ("encoding", recording.encoding), ("rate", recording.sr),
                       ("channels", recording.n_channels), ("frames", recording.n_samples)):  # fmt: skip
        assert expect[key] in (None, value)
    assert recording.sr in expect.get("accepted_rates", [recording.sr])
    assert recording.duration_s == pytest.approx(
        expect["duration_s"], abs=expect.get("duration_tolerance_s", 1e-9)
    )
    reported = set(codes(recording)) - {"mono", "lossy_timing", "missing_frames", "partial_frame"}
    assert reported == set(expect["warnings"])
    y = recording.read()
    for channel, samples in enumerate(y):
        on, off = on_off_ms(samples, recording.sr)
        tolerance = expect.get("tolerance_ms", 0)
        for got, wanted in ((on, expect["onset_ms"][channel]), (off, expect["end_ms"][channel])):
            assert got == wanted or abs(got - wanted) <= tolerance
    saturated = np.clip(np.rint(y.T * 32768.0), -32768, 32767).astype("<i2").tobytes()
    for key in ("pcm16_sha256", "pcm16_saturated_sha256"):
        assert expect.get(key) in (None, hashlib.sha256(saturated).hexdigest())
    if "pcm24_sha256" in expect:
        raw, _ = encode(np.ascontiguousarray(y.T).ravel(), "pcm_s24le")
        assert hashlib.sha256(raw).hexdigest() == expect["pcm24_sha256"]
    if "samples_over_full_scale" in expect:
        finding = next(f for f in recording.findings if f.code == "over_full_scale")
        assert finding.count == expect["samples_over_full_scale"]
        assert float(np.abs(y).max()) == pytest.approx(expect["peak_float"], abs=1e-4)
    if "resampled_8k_frames" in expect:
        assert recording.resampled(8000).n_samples == expect["resampled_8k_frames"]
    if "missing_frames_outbound" in expect:
        finding = next(f for f in recording.findings if f.code == "missing_frames")
        frames = [
            k
            for gap in finding.intervals
            for k in range(round(gap.start_s / 0.02), round(gap.end_s / 0.02))
        ]
        assert (finding.channel, frames) == (1, expect["missing_frames_outbound"])
    if recording.n_channels == 1:
        with pytest.raises(s2s.ChannelError, match=case["file"]):
            _ = recording.caller
