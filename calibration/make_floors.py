"""Measure the error floors that ship with the package, and those of other voices.

``python calibration/make_floors.py WORK --voice heart --conditions clean phone --n 300`` renders the calibration
sentences with a synthetic voice (`voices.py`), puts each through the lines named, transcribes it with the local engine
and writes one floor per line. Sound and transcripts are kept under WORK, outside the project: a second run after a
change of the matcher only scores again, and an interrupted run goes on where it stopped. README.md tells what each
file holds.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from voices import open_voice, rendered, versions

from s2sverify.clips import Clip, ScoredSentence, calibrate
from s2sverify.engines.base import open_engine
from s2sverify.engines.cache import TranscriptCache
from s2sverify.floor import ErrorFloor
from s2sverify.sentences import Sentence, calibration_sentences
from s2sverify.types import to_plain

SEED = 20_270_401
SHIPPED = Path(__file__).resolve().parents[1] / "s2sverify" / "data" / "floors"


def sentences_for(voice: str, n: int) -> tuple[Sentence, ...]:
    """Each voice reads sentences of its own, so that floors of several voices do not share their luck."""
    seed = [SEED, int.from_bytes(hashlib.sha256(voice.encode()).digest()[:4], "big")]
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


def measure(
    work: Path, voice: str, condition: str, sentences: tuple[Sentence, ...], out: Path
) -> ErrorFloor:
    """One floor; what went wrong in it goes to WORK as a table to look through."""
    clips = [Clip(sentence, path) for sentence, path in render(work, voice, sentences)]
    began = time.monotonic()

    def report(done: float, total: float) -> None:
        if done % 100 == 0 or done == total:
            passed_s = time.monotonic() - began
            print(
                f"{voice} {condition}: {done:g} of {total:g}, {passed_s:.0f} s",
                file=sys.stderr,
                flush=True,
            )

    scores: list[ScoredSentence] = []
    floor = calibrate(
        clips,
        open_engine("whisper:tiny.en", threads=1),
        voice=voice,
        condition=condition,
        cache=TranscriptCache(work / "cache"),
        progress=report,
        observe=scores.append,
    )
    table = work / "scores" / f"{voice}.{condition}.jsonl"
    table.parent.mkdir(exist_ok=True)
    table.write_text("\n".join(json.dumps(to_plain(score)) for score in scores) + "\n")
    floor.write(out / f"{voice.replace('@', '_')}.{condition}.json")
    return floor


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument(
        "work", type=Path, help="folder for sound and transcripts, outside the project"
    )
    parser.add_argument("--voice", default="heart")
    parser.add_argument("--conditions", nargs="+", default=["clean", "phone"])
    parser.add_argument("--n", type=int, default=300, help="values per kind")
    parser.add_argument("--out", type=Path, default=SHIPPED)
    parser.add_argument("--render-only", action="store_true")
    given = parser.parse_args()
    sentences = sentences_for(given.voice, given.n)
    if given.render_only:
        for done, _ in enumerate(render(given.work, given.voice, sentences), 1):
            if done % 100 == 0:
                print(f"{given.voice}: {done} of {len(sentences)}", file=sys.stderr, flush=True)
        return 0
    given.out.mkdir(parents=True, exist_ok=True)
    for condition in given.conditions:
        floor = measure(given.work, given.voice, condition, sentences, given.out)
        print(
            f"{floor}: {floor.n_sentences} sentences, {floor.audio_s / 60:.0f} min, {len(floor.failed)} failed"
        )
        for kind, counts in floor.kinds.items():
            print(
                f"  {kind:9} n {counts.n:4}  spoken {counts.spoken:4}  different {counts.different:3}"
                f"  absent {counts.absent:3}  ambiguous {counts.ambiguous:3}"
                f"  near miss accepted {counts.partner_accepted:2}, heard {counts.partner_heard:2}"
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
