"""Measure the error floors that ship with the package, and those of other voices.

``python calibration/make_floors.py WORK --voice heart --conditions clean phone --n 300`` renders the calibration
sentences with a synthetic voice (`voices.py`), puts each through the lines named, transcribes it with the local engine
and writes one floor per line. Sound and transcripts are kept under WORK, outside the project: a second run after a change
of the matcher only scores again, and an interrupted run goes on where it stopped. README.md tells what each file holds.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from voices import open_voice, rendered, versions

from s2sverify.sentences import Sentence, calibration_sentences

SEED = 20_270_401


def sentences_for(voice: str, n: int) -> tuple[Sentence, ...]:
    """Each voice reads sentences of its own, so that floors of several voices do not share their luck."""
    seed = [SEED, int.from_bytes(hashlib.sha256(voice.encode()).digest()[:4], "big")]
    import numpy as np

    return calibration_sentences(n, rng=np.random.default_rng(seed))


def render(
    work: Path, voice: str, sentences: tuple[Sentence, ...]
) -> Iterator[tuple[Sentence, Path]]:
    """Speak the sentences once; those already spoken are taken from WORK."""
    folder = work / "audio" / voice
    folder.mkdir(parents=True, exist_ok=True)
    say = None
    for sentence in sentences:
        key = hashlib.sha256(f"{versions_of(voice)}|{sentence.spoken}".encode()).hexdigest()[:20]
        path = folder / f"{key}.flac"
        if not path.exists():
            say = say or open_voice(voice)
            rendered(path, sentence.spoken, say)
        yield sentence, path


_VERSIONS: dict[str, str] = {}


def versions_of(voice: str) -> str:
    if voice not in _VERSIONS:
        _VERSIONS[voice] = versions(voice)
    return _VERSIONS[voice]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument(
        "work", type=Path, help="folder for sound and transcripts, outside the project"
    )
    parser.add_argument("--voice", default="heart")
    parser.add_argument("--conditions", nargs="+", default=["clean", "phone"])
    parser.add_argument("--n", type=int, default=300, help="values per kind")
    parser.add_argument("--render-only", action="store_true")
    given = parser.parse_args()
    sentences = sentences_for(given.voice, given.n)
    began = time.monotonic()
    for done, _ in enumerate(render(given.work, given.voice, sentences), 1):
        if done % 100 == 0:
            print(f"{given.voice}: {done} of {len(sentences)}, {time.monotonic() - began:.0f} s",
                  file=sys.stderr, flush=True)  # fmt: skip
    return 0


if __name__ == "__main__":
    sys.exit(main())
