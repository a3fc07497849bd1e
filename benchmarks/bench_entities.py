"""Values looked for in turns: checks per second beside two text normalisers, and a hundred thousand wild texts.

    pytest benchmarks/bench_entities.py              speed; the peers are skipped where they are not installed
    python benchmarks/bench_entities.py              the same and the wild texts, written to results/entities.json

A check is one expected value against one turn. At least 2,000 a second on one core are asked for, with every turn cut
anew; a normaliser turns one turn into words, which is half of what a check by comparing words would need.
"""

from __future__ import annotations

import importlib
import json
import platform
import random
import sys
import time
from pathlib import Path

import pytest

import s2sverify as s2s
from s2sverify.text import lattice

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

import renderings  # noqa: E402

FRAMES = (
    "Okay, I have checked that for you, and {} is what I can see here on my screen right now.",
    "So the order is confirmed, it says {}. Is there anything else that I can do for you today?",
    "{}",
)
LEAST = 2_000  # checks per second on one core


def turns(n, *, copies=1):
    """(value, kind, text) of `n` turns; every copy has texts of its own, so that nothing is kept from another."""
    out = []
    for k in range(n):
        kind = renderings.KINDS[k % len(renderings.KINDS)]
        rng = renderings.seeded("bench", kind, k)
        value = renderings.value(kind, rng)
        said = rng.choice(renderings.renderings(kind, value, rng)).rstrip(".")
        out.append((value, kind, FRAMES[k % len(FRAMES)].format(said)))
    return [[(v, kind, text + " now" * c) for v, kind, text in out] for c in range(copies)]


def check_all(cases):
    return sum(bool(s2s.match_entity(value, text, kind=kind)) for value, kind, text in cases)


@pytest.mark.parametrize("words", [20, 200])
def test_checks_per_second(benchmark, words):
    filler = " and we will keep you posted about everything that happens with it" * (words // 13)
    rounds = iter(turns(360, copies=12))
    lattice.lattice_of("warm")
    check_all(next(rounds))

    def setup():
        return ([(v, kind, text + filler) for v, kind, text in next(rounds)],), {}

    said = benchmark.pedantic(check_all, setup=setup, rounds=8)
    assert said > 300  # fast and wrong is a failure
    benchmark.extra_info["checks_per_s"] = 360 / benchmark.stats.stats.min
    assert words > 100 or 360 / benchmark.stats.stats.min > LEAST


def test_many_values_in_one_turn(benchmark):
    """A turn is cut once, however many values are looked for in it."""
    cases = [(v, kind) for v, kind, _ in turns(180)[0]]
    text = " ".join(t for _, _, t in turns(18)[0])

    def look_for_all():
        return [s2s.match_entity(v, text, kind=kind).outcome for v, kind in cases]

    assert s2s.Outcome.SPOKEN in benchmark(look_for_all)
    benchmark.extra_info["checks_per_s"] = len(cases) / benchmark.stats.stats.median


PEERS = {
    "whisper-normalizer": ("whisper_normalizer.english", lambda m: m.EnglishTextNormalizer()),
    "text2num": ("text_to_num", lambda m: lambda text: m.alpha2digit(text, "en")),
}


@pytest.mark.parametrize("peer", ["normalize_words", *PEERS])
def test_turns_per_second_of_normalisers(benchmark, peer):
    if peer == "normalize_words":
        normalise = s2s.normalize_words
    else:
        module, make = PEERS[peer]
        normalise = make(pytest.importorskip(module))
    texts = [text for _, _, text in turns(180)[0]]
    done = benchmark(lambda: [normalise(text) for text in texts])
    assert len(done) == len(texts)
    benchmark.extra_info["turns_per_s"] = len(texts) / benchmark.stats.stats.median


# ---------------------------------------------------------------- wild texts


def wild(rng):
    """Words that numbers and spellings are made of, in no order, and characters of any kind."""
    vocabulary = importlib.import_module("s2sverify.text.vocabulary")
    known = [*vocabulary.NUMBER_WORDS, *vocabulary.NATO, *vocabulary.MONTHS, *vocabulary.WEEKDAYS]
    known += renderings.words(
        "and a the to for at dot dash point percent dollars cents pm am half past sorry as in like minus double"
        " $ % @ 5:30 7.30pm 1,249.99 $48,213 B-D-4 48 7th 007 ½ 5/13 ... +1 (415) a@b.com x.y a b c d o i z"
    )
    out = []
    for _ in range(rng.choice([1, 2, 3, 5, 8, 13, 30])):
        kind = rng.random()
        if kind < 0.85:
            out.append(rng.choice(known) + rng.choice(["", "", "", ",", ".", "-", "?"]))
        else:
            top = 127 if kind < 0.92 else 0x1F600
            out.append("".join(chr(rng.randrange(32, top)) for _ in range(rng.randrange(1, 8))))
    return " ".join(out).encode("utf-8", "ignore").decode("utf-8")


def fuzz(n, *, seed=0):
    """Match, list and normalise `n` wild texts; the slowest one in seconds of this process."""
    rng = random.Random(seed)
    values = [
        (kind, renderings.value(kind, renderings.seeded("fuzz", kind))) for kind in renderings.KINDS
    ]
    slowest = 0.0
    for k in range(n):
        text = wild(rng)
        kind, value = values[k % len(values)]
        start = time.process_time()
        found = s2s.match_entity(value, text, kind=kind)
        listed = s2s.find_entities(text)
        once = s2s.normalize_words(text)
        slowest = max(slowest, time.process_time() - start)
        words = len(text.split())
        assert found.span is None or 0 <= found.span[0] < found.span[1] <= words, text
        assert all(0 <= e.span[0] < e.span[1] <= words for e in listed), text
        assert s2s.normalize_words(" ".join(once)) == once, text
    return {"texts": n, "failures": 0, "slowest_s": round(slowest, 3)}


def growth(n=1_000):
    """Seconds for all kinds in `n` and in ten times as many words of the same wild text."""
    rng = random.Random(3)
    words = " ".join(wild(rng) for _ in range(2 * n)).split()
    out = {}
    for size in (n, 10 * n):
        text = " ".join(words[:size])
        start = time.process_time()
        for kind in renderings.KINDS:
            s2s.match_entity(
                renderings.value(kind, renderings.seeded("long", kind)), text, kind=kind
            )
        s2s.find_entities(text)
        out[f"{size}_words_s"] = round(time.process_time() - start, 3)
    return out


def speed():
    """Checks and turns per second of processor time."""
    out = {}
    rounds = turns(720, copies=4)
    check_all(rounds[0])
    best = 0.0
    for cases in rounds[1:]:
        start = time.process_time()
        check_all(cases)
        best = max(best, len(cases) / (time.process_time() - start))
    out["checks_per_s"] = round(best)
    texts = [text for _, _, text in rounds[0]]
    normalisers = {"normalize_words": s2s.normalize_words}
    for name, (module, make) in PEERS.items():
        try:
            normalisers[name] = make(importlib.import_module(module))
        except ImportError:
            continue
    for name, normalise in normalisers.items():
        start = time.process_time()
        for text in texts:
            normalise(text)
        out[f"{name}_turns_per_s"] = round(len(texts) / (time.process_time() - start))
    return out


def main():
    figures = {
        "python": platform.python_version(),
        "speed": speed(),
        "growth": growth(),
        "fuzz": fuzz(100_000),
    }
    path = ROOT / "benchmarks" / "results" / "entities.json"
    path.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    print(path.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
