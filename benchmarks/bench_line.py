"""The phone line beside its peers in one run, and the table in docs/benchmarks.md.

    python benchmarks/bench_line.py [--speech FOLDER ...]

Peers that are not installed are left out: audioop (in Python before 3.13), soundfile, scipy, librosa, audiomentations,
the programs ffmpeg and sox. PESQ needs the package pesq and folders of recorded speech, one person a file.
"""

from __future__ import annotations

import argparse
import io
import tempfile
from pathlib import Path

from tables import cpu_s, fresh, machine, peer, program, ratios, store, table  # isort: skip

import shutil

import numpy as np

import s2sverify as s2s
from s2sverify.kernels import line as loops

SR, HOURS = 8_000, 2
ALL = np.arange(-32768, 32768).astype(np.int16)
CALL_S = 180

COLD = """
import sys, time
import numpy as np
before = time.process_time()
import s2sverify as s2s
y = (np.sin(np.arange(24000) * 0.3) * (np.arange(24000) % 8000 > 2000) * 0.1).astype(np.float32)
eval(sys.argv[1])
print(time.process_time() - before, [m for m in ("numba", "scipy") if m in sys.modules])
"""
MEMORY = """
import re, sys, time, pathlib
import s2sverify as s2s
done = s2s.degrade_file(sys.argv[1], sys.argv[2], "phone_n10", rng=7)
peak = re.search(r"VmHWM:\\s+(\\d+) kB", pathlib.Path("/proc/self/status").read_text())[1]
print(time.process_time(), int(peak) / 1000, done.duration_s)
"""


def speechlike(duration_s: float, sr: int, seed: int) -> np.ndarray:
    """A gliding voice in syllables, with pauses; for speed, where what is said does not matter."""
    rng = np.random.default_rng(seed)
    t = np.arange(round(duration_s * sr)) / sr
    phase = 2 * np.pi * np.cumsum(120 + 30 * np.sin(2 * np.pi * 0.3 * t)) / sr
    y = sum(np.sin(k * phase) / k for k in range(1, 12)) * (0.6 + 0.4 * np.sin(2 * np.pi * 3.5 * t))
    y = (y + 0.02 * rng.standard_normal(t.size)) * (t % 4 > 1.2)
    return (0.05 * y).astype(np.float32)


def soundfile_codes(x: np.ndarray, law: str) -> bytes:
    sf = peer("soundfile")
    out = io.BytesIO()
    sf.write(out, x, SR, format="RAW", subtype="ULAW" if law == "mulaw" else "ALAW")
    return out.getvalue()


def encoders(law: str) -> dict[str, object]:
    """Peers' encoders of int16 samples to codes."""
    short = "u" if law == "mulaw" else "a"
    found: dict[str, object] = {}
    if audioop := peer("audioop"):
        lin2 = audioop.lin2ulaw if law == "mulaw" else audioop.lin2alaw
        found["audioop"] = lambda x: lin2(x.data, 2)
    if peer("soundfile"):
        found["soundfile"] = lambda x: soundfile_codes(x, law)
    if shutil.which("ffmpeg"):
        found["ffmpeg, a process"] = lambda x: program(
            "ffmpeg", "-v", "error", "-f", "s16le", "-ar", "8000", "-ac", "1", "-i", "-",
            "-f", law, "-", data=x.tobytes(),
        )  # fmt: skip
    if shutil.which("sox"):
        found["sox, a process"] = lambda x: program(
            "sox", "-D", "-t", "s16", "-r", "8000", "-c", "1", "-", "-t", f"{short}l", "-", data=x.tobytes()
        )  # fmt: skip
    return found


def decoders(law: str) -> dict[str, object]:
    """Peers' decoders of codes to int16 samples."""
    short = "u" if law == "mulaw" else "a"
    found: dict[str, object] = {}
    if audioop := peer("audioop"):
        to_lin = audioop.ulaw2lin if law == "mulaw" else audioop.alaw2lin
        found["audioop"] = lambda codes: to_lin(codes.data, 2)
    if sf := peer("soundfile"):
        found["soundfile"] = lambda codes: sf.read(
            io.BytesIO(codes.tobytes()), dtype="int16", samplerate=SR, channels=1, format="RAW",
            subtype="ULAW" if law == "mulaw" else "ALAW",
        )[0].tobytes()  # fmt: skip
    if shutil.which("ffmpeg"):
        found["ffmpeg, a process"] = lambda codes: program(
            "ffmpeg", "-v", "error", "-f", law, "-ar", "8000", "-ac", "1", "-i", "-", "-f", "s16le", "-",
            data=codes.tobytes(),
        )  # fmt: skip
    if shutil.which("sox"):
        found["sox, a process"] = lambda codes: program(
            "sox", "-t", f"{short}l", "-r", "8000", "-c", "1", "-", "-t", "s16", "-", data=codes.tobytes()
        )  # fmt: skip
    return found


def bound(functions: dict[str, object], argument: np.ndarray) -> dict[str, object]:
    return {name: (lambda f=f: f(argument)) for name, f in functions.items()}


def companding() -> tuple[str, dict[str, object]]:
    rng = np.random.default_rng(0)
    x = np.tile((rng.standard_normal(600 * SR) * 3_000).astype(np.int16), HOURS * 6)
    y = s2s.to_float(x)
    rows, figures = [], {}
    for law, encode, decode in (
        ("mulaw", s2s.mulaw_encode, s2s.mulaw_decode),
        ("alaw", s2s.alaw_encode, s2s.alaw_decode),
    ):
        codes = encode(x)
        encode_table = loops.mulaw_encode_table() if law == "mulaw" else loops.alaw_encode_table()
        decode_table = loops.MULAW_DECODE if law == "mulaw" else loops.ALAW_DECODE
        np.testing.assert_array_equal(codes, encode_table[x.view(np.uint16)])
        np.testing.assert_array_equal(decode(codes), decode_table[codes])
        plain = lambda t=encode_table: t[x.view(np.uint16)]  # noqa: E731
        enc = ratios(
            x.copy,
            {"s2sverify": lambda e=encode: e(x), "s2sverify, float32": lambda e=encode: e(y), "numpy table": plain}
            | bound(encoders(law), x),
        )  # fmt: skip
        dec = ratios(
            x.copy,
            {
                "s2sverify": lambda d=decode, codes=codes: d(codes),
                "numpy table": lambda t=decode_table, codes=codes: t[codes],
            }
            | bound(decoders(law), codes),
        )  # fmt: skip
        ours = encode(ALL)
        differs = {
            name: int(np.count_nonzero(np.frombuffer(f(ALL), np.uint8) != ours))
            for name, f in encoders(law).items()
        }
        figures[law] = {"encode": enc, "decode": dec, "inputs_that_differ": differs}
        for name in enc:
            if name != "base_s":
                wrong = 0 if name.startswith(("s2sverify", "numpy")) else differs[name]
                decoded = f"{dec[name]:.2f}" if name in dec else ""
                rows.append([law, name, f"{enc[name]:.2f}", decoded, f"{wrong:,}"])
    text = (
        "Two hours at 8 kHz, times numpy's copy of the int16 side "
        f"({1000 * figures['mulaw']['encode']['base_s']:.0f} ms), and the number of the 65,536 int16 inputs whose "
        "code differs from ITU-T G.191's:\n\n"
        + table(["law", "", "encode", "decode", "inputs that differ"], rows)
    )
    return text, figures


def losses() -> tuple[str, dict[str, object]]:
    rows, figures = [], {}
    for dtype in (np.int16, np.float32):
        x = np.ones(HOURS * 3_600 * SR, dtype)
        out = s2s.drop_frames(x, SR, loss=0.02, rng=1)
        assert np.count_nonzero(out.y == 0) == out.lost_frames.size * 160
        figures[np.dtype(dtype).name] = ratios(
            x.copy, {"zero": lambda x=x: s2s.drop_frames(x, SR, loss=0.02, rng=1)}
        )
        rows.append([np.dtype(dtype).name, f"{figures[np.dtype(dtype).name]['zero']:.2f}"])
    speech = np.tile(speechlike(60, SR, 1), 10)
    real_time = {
        how: 600
        / min(
            cpu_s(lambda h=how: s2s.drop_frames(speech, SR, loss=0.1, rng=1, conceal=h))
            for _ in range(4)
        )
        for how in ("zero", "repeat", "pitch")
    }
    text = (
        "2 % of the 20 ms frames of two hours at 8 kHz lost and zeroed, times numpy's copy:\n\n"
        + table(["", "times copy"], rows)
        + "\nTen minutes at 8 kHz, 10 % lost, times real time:\n\n"
        + table(
            ["concealment", "times real time"], [[k, f"{v:,.0f}"] for k, v in real_time.items()]
        )
    )
    return text, {"copy": figures, "real_time": real_time}


def operations() -> tuple[str, dict[str, object]]:
    """Single operations on three minutes of one channel, as times real time."""
    y24, y8 = speechlike(CALL_S, 24_000, 2), speechlike(CALL_S, SR, 2)
    runs: dict[str, dict[str, object]] = {
        "resample 24 to 8 kHz": {"s2sverify": lambda: s2s.resample(y24, 24_000, SR)},
        "band, zero phase, 8 kHz": {"s2sverify": lambda: s2s.band_limit(y8, SR)},
        "band, causal, 8 kHz": {"s2sverify": lambda: s2s.band_limit(y8, SR, causal=True)},
        "pink noise at 10 dB, 8 kHz": {
            "s2sverify": lambda: s2s.mix_at_snr(y8, "pink", SR, snr_db=10, rng=1)
        },
        "speaking rate 1.25, 8 kHz": {"s2sverify": lambda: s2s.change_rate(y8, SR, 1.25)},
    }
    if scipy_signal := peer("scipy.signal"):
        sos = scipy_signal.butter(4, [300, 3_400], "bandpass", fs=SR, output="sos")
        runs["resample 24 to 8 kHz"]["scipy resample_poly"] = lambda: scipy_signal.resample_poly(
            y24, 1, 3
        )
        runs["band, zero phase, 8 kHz"]["scipy sosfiltfilt"] = lambda: scipy_signal.sosfiltfilt(
            sos, y8
        )
        runs["band, causal, 8 kHz"]["scipy sosfilt"] = lambda: scipy_signal.sosfilt(sos, y8)
    if librosa := peer("librosa"):
        runs["resample 24 to 8 kHz"]["librosa"] = lambda: librosa.resample(
            y24, orig_sr=24_000, target_sr=SR
        )
        runs["speaking rate 1.25, 8 kHz"]["librosa time_stretch"] = lambda: (
            librosa.effects.time_stretch(y8, rate=1.25)
        )
    if audiomentations := peer("audiomentations"):
        pink = audiomentations.AddColorNoise(
            min_snr_db=10, max_snr_db=10, min_f_decay=-3.01, max_f_decay=-3.01, p=1
        )
        band = audiomentations.BandPassFilter(
            min_center_freq=1_850, max_center_freq=1_850, min_bandwidth_fraction=1.6, max_bandwidth_fraction=1.6,
            min_rolloff=24, max_rolloff=24, zero_phase=True, p=1,
        )  # fmt: skip
        stretch = audiomentations.TimeStretch(
            min_rate=1.25, max_rate=1.25, leave_length_unchanged=False, p=1
        )
        runs["pink noise at 10 dB, 8 kHz"]["audiomentations"] = lambda: pink(y8, sample_rate=SR)
        runs["band, zero phase, 8 kHz"]["audiomentations"] = lambda: band(y8, sample_rate=SR)
        runs["speaking rate 1.25, 8 kHz"]["audiomentations"] = lambda: stretch(y8, sample_rate=SR)
    if shutil.which("sox"):

        def sox(y: np.ndarray, sr: int, *effects: str) -> bytes:
            return program(
                "sox", "-D", "-t", "f32", "-r", str(sr), "-c", "1", "-", "-t", "f32", "-", *effects, data=y.tobytes()
            )  # fmt: skip

        runs["resample 24 to 8 kHz"]["sox, a process"] = lambda: sox(
            y24, 24_000, "rate", "-h", "8000"
        )
        runs["band, zero phase, 8 kHz"]["sox sinc, a process"] = lambda: sox(
            y8, SR, "sinc", "300-3400"
        )
        runs["speaking rate 1.25, 8 kHz"]["sox tempo, a process"] = lambda: sox(
            y8, SR, "tempo", "-s", "1.25"
        )
    if shutil.which("ffmpeg"):

        def ffmpeg(y: np.ndarray, sr: int, *how: str) -> bytes:
            return program(
                "ffmpeg", "-v", "error", "-f", "f32le", "-ar", str(sr), "-ac", "1", "-i", "-", *how, "-f", "f32le", "-",
                data=y.tobytes(),
            )  # fmt: skip

        runs["resample 24 to 8 kHz"]["ffmpeg, a process"] = lambda: ffmpeg(
            y24, 24_000, "-ar", "8000"
        )
        runs["speaking rate 1.25, 8 kHz"]["ffmpeg atempo, a process"] = lambda: ffmpeg(
            y8, SR, "-af", "atempo=1.25"
        )
    rows, figures = [], {}
    for name, contenders in runs.items():
        for run in contenders.values():
            run()
        best = dict.fromkeys(contenders, float("inf"))
        for _ in range(3):
            for who, run in contenders.items():
                best[who] = min(best[who], cpu_s(run))
        figures[name] = {who: CALL_S / seconds for who, seconds in best.items()}
        rows += [[name, who, f"{speed:,.0f}"] for who, speed in figures[name].items()]
    text = "Three minutes of one channel, times real time:\n\n" + table(
        ["", "", "times real time"], rows
    )
    return text, figures


def whole_conditions() -> tuple[str, dict[str, object]]:
    rows, figures = [], {}
    for sr in (8_000, 24_000):
        call = np.stack([speechlike(CALL_S, sr, k) for k in (1, 2)])
        for name in s2s.conditions():
            run = lambda name=name, call=call, sr=sr: s2s.degrade(call, name, sr=sr, rng=1)  # noqa: E731
            run()
            speed = CALL_S / min(cpu_s(run) for _ in range(6))
            figures[f"{name} {sr}"] = speed
            rows.append([name, f"{sr // 1000} kHz", f"{speed:,.0f}"])
    with tempfile.TemporaryDirectory() as folder:
        minute = np.stack([speechlike(60, 24_000, k) for k in (1, 2)])
        source, target = Path(folder) / "in.wav", Path(folder) / "out.wav"
        write_long(source, minute, 24_000, HOURS * 60)
        seconds, megabytes, duration_s = (
            float(v) for v in fresh(MEMORY, str(source), str(target)).split()
        )
    assert duration_s == HOURS * 3_600
    figures["file to file"] = {"times_real_time": duration_s / seconds, "peak_mb": megabytes}
    text = (
        "A stereo call of three minutes in memory, times real time:\n\n"
        + table(["condition", "from", "times real time"], rows)
        + f"\nTwo hours of stereo at 24 kHz, file to file, `phone_n10`, in a fresh process: "
        f"{duration_s / seconds:,.0f} times real time, at most {megabytes:.0f} MB of memory.\n"
    )
    return text, figures


def write_long(path: Path, y: np.ndarray, sr: int, times: int) -> None:
    import soundfile

    with soundfile.SoundFile(path, "w", sr, 2, "PCM_16") as f:
        for _ in range(times):
            f.write(y.T)


def cold_starts() -> tuple[str, dict[str, object]]:
    calls = {
        "mulaw_encode, mulaw_decode": "s2s.mulaw_decode(s2s.mulaw_encode(y))",
        "active_speech_level": "s2s.active_speech_level(y, 8000)",
        "frame_energies": "s2s.frame_energies(y, 8000)",
        "resample": "s2s.resample(y, 8000, 16000)",
        "band_limit": "s2s.band_limit(y, 8000)",
        "band_limit, causal": "s2s.band_limit(y, 8000, causal=True)",
        "mix_at_snr": "s2s.mix_at_snr(y, 'pink', 8000, snr_db=10, rng=1)",
        "drop_frames, pitch": "s2s.drop_frames(y, 8000, loss=0.1, rng=1, conceal='pitch')",
        "change_rate": "s2s.change_rate(y, 8000, 1.25)",
        "degrade, realistic": "s2s.degrade(y, 'realistic', sr=8000, rng=1)",
    }
    figures = {}
    for name, call in calls.items():
        took = []
        for _ in range(3):
            seconds, loaded = fresh(COLD, call).split(" ", 1)
            assert loaded == "[]", f"{name} loads {loaded}"
            took.append(float(seconds))
        figures[name] = min(took)
    text = (
        "First use in a fresh process on a clip of three seconds, seconds of CPU beyond importing numpy. Short clips "
        "are handled by numpy and the interpreter, to the same bits; numba and its cached loops are loaded when the "
        "work of a process has earned it, at about 0.6 s:\n\n"
        + table(["", "s of CPU"], [[k, f"{v:.2f}"] for k, v in figures.items()])
    )
    return text, figures


def concealment(folders: list[Path]) -> tuple[str, dict[str, object]]:
    pesq = peer("pesq")
    clips = []
    paths = [
        path for folder in folders for path in folder.iterdir() if path.suffix in (".flac", ".wav")
    ]
    for path in sorted(paths):
        recording = s2s.read_recording(path)
        y = s2s.resample(
            recording.read(0.0, min(9.0, recording.duration_s)).mean(axis=0), recording.sr, SR
        )
        level = s2s.active_speech_level(y, SR).active_dbov
        if y.size > 2.4 * SR and level == level:
            clips.append(np.clip(y * np.float32(10 ** ((-26 - level) / 20)), -1, 1))
    figures: dict[str, object] = {"clips": len(clips)}
    rows = []
    for burst in (1, 2):
        scores: dict[str, list[float]] = {"zero": [], "repeat": [], "pitch": []}
        for k, y in enumerate(clips):
            for seed in (1, 2):
                for how, found in scores.items():
                    out = s2s.drop_frames(
                        y, SR, loss=0.1, burst_frames=burst, rng=1_000 * k + seed, conceal=how
                    )
                    found.append(pesq.pesq(SR, y, out.y, "nb"))
        gains = {how: np.array(found) - scores["zero"] for how, found in scores.items()}
        figures[f"burst {burst}"] = {how: float(np.mean(found)) for how, found in scores.items()}
        for how, found in scores.items():
            gain = gains[how]
            spread = 1.96 * gain.std(ddof=1) / np.sqrt(gain.size)
            above = "" if how == "zero" else f"{gain.mean():+.2f} ± {spread:.2f}"
            rows.append(
                [
                    f"bursts of {burst}" if burst > 1 else "independent",
                    how,
                    f"{np.mean(found):.2f}",
                    above,
                ]
            )
    text = (
        f"PESQ (Rec. ITU-T P.862, narrow band, package pesq) of {len(clips)} clips of recorded speech against the same "
        "clips without loss, 10 % of the 20 ms frames lost, two patterns per clip; 95 % interval of the mean gain:\n\n"
        + table(["loss", "concealment", "PESQ", "above zero fill"], rows)
    )
    return text, figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--speech", type=Path, nargs="+", help="folders of recorded speech")
    options = parser.parse_args()
    parts = {
        "G.711": companding,
        "Frame loss": losses,
        "Operations": operations,
        "Conditions": whole_conditions,
        "Cold start": cold_starts,
    }
    texts, figures = [], {"machine": machine()}
    for title, measure in parts.items():
        text, figures[title] = measure()
        texts.append(f"### {title}\n\n{text}")
    if options.speech and peer("pesq"):
        text, figures["Concealment"] = concealment(options.speech)
        texts.append(f"### Concealment\n\n{text}")
    versions = ", ".join(
        f"{name} {getattr(module, '__version__', '')}".strip()
        for name in ("numpy", "numba", "soundfile", "scipy", "soxr", "librosa", "audiomentations")
        if (module := peer(name))
    )
    head = f"`python benchmarks/bench_line.py` on {machine()}; {versions}. CPU time, one thread, all in one run.\n\n"
    store("The phone line", head + "\n".join(texts), figures, "bench_line")


if __name__ == "__main__":
    main()
