"""Measure the error floors that ship with the package, and those of other voices.

``python calibration/make_floors.py WORK --voice heart --conditions clean phone`` renders the sentences of
``sentences-*.jsonl`` with a synthetic voice (`voices.py`), puts each through the lines named, transcribes it with the
local engine and writes one floor per line. Sound and transcripts are kept under WORK, outside the project: an
interrupted run goes on where it stopped, and ``--rescore`` makes all floors anew from the transcripts after a change of
the matcher. README.md tells what each file holds.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from voices import open_voice, rendered, versions

from s2sverify.clips import Clip, calibrate, read_clips, score_sentence, tally
from s2sverify.engines.base import open_engine
from s2sverify.engines.cache import TranscriptCache
from s2sverify.floor import ErrorFloor, matcher_version, read_floor
from s2sverify.sentences import Sentence
from s2sverify.types import Transcript, Word, to_plain

SENTENCES = sorted(Path(__file__).parent.glob("sentences-*.jsonl"))
SHIPPED = Path(__file__).resolve().parents[1] / "s2sverify" / "data" / "floors"


def sentences_for(every: int, first: int) -> tuple[Sentence, ...]:
    """The sentences of the project, or every second, third ... of them, which are in random order."""
    sentences: list[Sentence] = []
    for part in SENTENCES:
        clips, failed = read_clips(part)
        assert not failed, failed
        sentences += [clip.sentence for clip in clips]
    return tuple(sentences[first::every])


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


def measure(work: Path, voice: str, condition: str, sentences: tuple[Sentence, ...]) -> ErrorFloor:
    """One floor; the transcripts behind it are kept."""
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

    rows: list[dict[str, Any]] = []
    floor = calibrate(
        clips,
        open_engine("whisper:tiny.en", threads=1),
        voice=voice,
        condition=condition,
        cache=TranscriptCache(work / "cache"),
        progress=report,
        observe=lambda score, heard: rows.append(
            {
                "id": score.id,
                "score": to_plain(score),
                "words": to_plain(heard.words),
                "dropped": to_plain(heard.dropped),
            }
        ),
    )
    keep(work / "heard" / file_name(voice, condition), rows)
    return floor


def keep(path: Path, rows: list[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.with_suffix(".part").write_text("".join(json.dumps(row) + "\n" for row in rows))
    path.with_suffix(".part").replace(path)


def file_name(voice: str, condition: str) -> str:
    return f"{voice.replace('@', '_')}.{condition}.json"


def score_again(work: Path, floor: ErrorFloor) -> ErrorFloor:
    """The same floor by today's matcher, from the transcripts that were kept."""
    known = {sentence.id: sentence for sentence in sentences_for(1, 0)}
    path = work / "heard" / file_name(floor.voice, floor.condition)
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    for row in rows:
        heard = Transcript(
            words=tuple(Word(**word) for word in row["words"]),
            dropped=tuple(Word(**word) for word in row["dropped"]),
        )
        old = row["score"]
        score = score_sentence(
            known[row["id"]], heard, locale=floor.language, duration_s=old["duration_s"]
        )
        row["score"] = to_plain(replace(score, over_silence=old["over_silence"]))
        row["scored"] = score
    scores = [row.pop("scored") for row in rows]
    keep(path, rows)
    return replace(floor, matcher=matcher_version(), **tally(scores))


def tell(floor: ErrorFloor) -> None:
    minutes = floor.audio_s / 60
    print(f"{floor}: {floor.n_sentences} sentences, {minutes:.0f} min, {len(floor.failed)} failed")
    for kind, counts in floor.kinds.items():
        print(
            f"  {kind:9} n {counts.n:4}  spoken {counts.spoken:4}  different {counts.different:3}"
            f"  absent {counts.absent:3}  ambiguous {counts.ambiguous:3}"
            f"  near miss accepted {counts.partner_accepted:2}, heard {counts.partner_heard:2}"
            f"  {floor.heard_as.get(kind, '')}"
        )
    print(
        f"  words: plain {100 * floor.plain.word_error_rate:.2f} %, with values "
        f"{100 * floor.valued.word_error_rate:.2f} %, over silence {floor.silence.kept}",
        flush=True,
    )


def table(folder: Path) -> str:
    """The floors of a folder as a table in Markdown: different + absent + ambiguous, of how many."""
    floors = [read_floor(path) for path in sorted(folder.glob("*.json"))]
    kinds = sorted({kind for floor in floors for kind in floor.kinds})
    lines = [
        "| voice | line | "
        + " | ".join(kinds)
        + " | near misses taken | words, plain / with values |",
        "|---" * (len(kinds) + 4) + "|",
    ]
    for floor in floors:
        cells = []
        for kind in kinds:
            c = floor.counts(kind)
            wrong = f"{c.different}+{c.absent}+{c.ambiguous}" if c.spoken < c.n else "0"
            cells.append(f"{wrong} of {c.n}")
        taken = sum(floor.counts(kind).partner_accepted for kind in kinds)
        tried = sum(floor.counts(kind).partners for kind in kinds)
        words = (
            f"{100 * floor.plain.word_error_rate:.1f} / {100 * floor.valued.word_error_rate:.1f} %"
        )
        row = [floor.voice, floor.condition, *cells, f"{taken} of {tried}", words]
        lines.append("| " + " | ".join(row) + " |")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument(
        "work", type=Path, help="folder for sound and transcripts, outside the project"
    )
    parser.add_argument("--voice", default="heart")
    parser.add_argument("--conditions", nargs="+", default=["clean", "phone"])
    parser.add_argument(
        "--every", type=int, default=1, help="take every second (2), third (3) ... sentence"
    )
    parser.add_argument("--first", type=int, default=0, help="beginning with this one")
    parser.add_argument("--out", type=Path, default=SHIPPED)
    parser.add_argument("--rescore", action="store_true", help="only score the floors of OUT again")
    parser.add_argument(
        "--table", action="store_true", help="only print the floors of OUT as a table"
    )
    given = parser.parse_args()
    if given.table:
        print(table(given.out))
        return 0
    given.out.mkdir(parents=True, exist_ok=True)
    if given.rescore:
        for path in sorted(given.out.glob("*.json")):
            floor = score_again(given.work, read_floor(path))
            floor.write(path)
            tell(floor)
        return 0
    sentences = sentences_for(given.every, given.first)
    for condition in given.conditions:
        floor = measure(given.work, given.voice, condition, sentences)
        floor.write(given.out / file_name(given.voice, condition))
        tell(floor)
    return 0


if __name__ == "__main__":
    sys.exit(main())
