"""Values said aloud, heard by a local engine, and matched: what the matcher makes of real engine output.

    python benchmarks/bench_values_stt.py hear      speak, degrade, transcribe (about an hour on one core)
    python benchmarks/bench_values_stt.py judge     match the stored transcripts and write the table

`hear` draws values of every kind from the generator of the evaluation set, says each in a sentence with one of the
voices, through every line, and appends what the engine heard to `results/values_stt.jsonl`; a stopped run goes on
where it stopped. `judge` asks the matcher about the value that was said and about a near miss of it, and writes
`results/values_stt.json`.

Whose fault is a refused value? The rule is plain and knows nothing of the matcher: the words heard contain the value
when one of the generator's own ways to say or write it stands in them as whole words with no number beside it, or,
for runs of digits and letters, when neighbouring words spell exactly that run. Then a refusal is the matcher's;
otherwise the engine (or the voice, or the line) is blamed, and `judge --list FILE` writes these down to be read.
The rule misses some wordings that it does not know; it is not a second matcher. A near miss that is accepted although
the words heard contain the value that was said is the matcher's too; others may be what the engine misheard.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests" / "data"), str(ROOT / "calibration")]

import make_entities_eval as pairs  # noqa: E402
import numpy as np  # noqa: E402
from entity_values import base  # noqa: E402
from entity_values.base import ONES, UNIT, Value, digit_readings  # noqa: E402
from entity_values.runs import AS_IN, NATO  # noqa: E402
from entity_values.times import date_value, time_value  # noqa: E402

import s2sverify as s2s  # noqa: E402

RESULTS = Path(__file__).resolve().parent / "results"
HEARD = RESULTS / "values_stt.jsonl"
TABLE = RESULTS / "values_stt.json"
ENGINE = "whisper:tiny.en"
VOICES = ("heart", "joe", "slt", "rms", "esp_us")
LINES = ("clean", "phone")
PER_KIND = 40  # values of each kind, shared out among the voices
UNSAYABLE = {"homophone", "filler", "letter_names", "quoted"}  # written forms, the same when said
SEED = "aloud 1"
PAUSE_S = 0.4  # silence before and after what is said


# ---------------------------------------------------------------------------- what is said


def sayable(text: str) -> str:
    """Letters that stand alone get a capital and a pause, so that a voice reads them as letters."""
    words = text.split(" ")
    out = []
    for i, word in enumerate(words):
        nxt = words[i + 1] if i + 1 < len(words) else ""
        if len(word) == 1 and word.isalpha() and nxt not in ("as", "for", "like", "dot", "at"):
            word = word.upper() + ("," if len(nxt) == 1 and nxt.isalpha() else "")
        elif len(word) == 1 and word.isalpha():
            word = word.upper()
        out.append(word)
    return " ".join(out)


def draws(per_kind: int) -> Iterator[tuple[dict[str, Any], Value, Value]]:
    """Values of every kind with a sentence that says them and one near miss; more of them begin alike."""
    for kind, spec in pairs.TABLE.items():
        rng = Random(f"{SEED}/{kind}")
        done = 0
        while done < per_kind:
            value = spec.make(rng)
            readings = [
                x
                for x in spec.read(value, rng)
                if x.spelled and x.style not in UNSAYABLE and len(x.text) < 120
            ]
            if kind == "text":
                readings = [x for x in readings if x.style == "same_words"]
            if not readings:
                continue
            reading = rng.choice(readings)
            misses = [
                (c, m)
                for c, m in spec.miss(value, reading, rng)
                if m.key != value.key and not spec.legal(m, reading)
            ]
            if not misses:
                continue
            _, miss = rng.choice(misses)
            setting = pairs.Setting(rng, False, [value, miss], value.locale)
            letters = kind in ("alnum", "name", "email", "url", "address")
            x = sayable(reading.text) if letters else reading.text
            if kind in ("time", "datetime"):
                x = re.sub(r"\b([ap]) ?m\b", lambda m: f"{m[1].upper()}M", x)
            said = pairs.in_sentence(setting, kind, pairs.capitals(x))
            rec = {"id": f"{kind}-{done:03d}", "value": value.key, "said": said,
                   "voice": VOICES[done % len(VOICES)]}  # fmt: skip
            yield rec, value, miss
            done += 1


def hear(per_kind: int, engine_name: str) -> int:
    from voices import open_voice

    engine = s2s.open_engine(engine_name)
    RESULTS.mkdir(exist_ok=True)
    known = {r["id"] for r in read(HEARD)} if HEARD.exists() else set()
    todo = [r for r, _, _ in draws(per_kind) if r["id"] not in known]
    todo.sort(key=lambda r: VOICES.index(r["voice"]))
    say, speaking = None, ""
    with HEARD.open("a", encoding="utf-8") as out:
        for n, rec in enumerate(todo):
            if rec["voice"] != speaking:
                speaking = rec["voice"]
                say = open_voice(speaking)
            assert say is not None
            y, sr = say(rec["said"])
            y = np.pad(y, int(PAUSE_S * sr))
            row = dict(rec)
            for line in LINES:
                degraded = s2s.degrade(y, line, sr=sr, rng=1, call=rec["id"], channel=1)
                heard = s2s.transcribe(degraded.y, degraded.sr, engine, language="en", cache=False)
                row[line] = heard.text
            out.write(json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n")
            out.flush()
            if n % 20 == 0:
                print(f"{n}/{len(todo)}", file=sys.stderr)
    return 0


# ---------------------------------------------------------------------------- what was heard

NUMBERS = {base.words(n): str(n) for n in range(1, 1000)}
NUMBER_WORD = re.compile(
    r"\d.*|oh|zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|"
    r"(twen|thir|for|fif|six|seven|eigh|nine)ty|hundred|thousand|million|lakh|crore|point|double|triple"
)
BETWEEN_LETTERS = {
    word: letter.lower() for table in (NATO, AS_IN) for letter, word in table.items()
}


def plain(text: str) -> list[str]:
    """Lower-case words without accents or punctuation; figures keep their decimal point, a clock is two numbers."""
    text = unicodedata.normalize("NFKD", text.lower().replace("’", "'"))
    text = "".join(c for c in text if not unicodedata.combining(c))
    text = re.sub(r"\b([ap])\. ?m\b\.?", r"\1m", text)
    text = re.sub(r"(\d)([ap]m)\b", r"\1 \2", text)
    text = re.sub(r"\b(\d{1,2})[:.](\d\d)(?= ?[ap]m\b)|\b(\d{1,2}):(\d\d)\b", r"\1\3 \2\4", text)
    text = re.sub(r"\b(\d{1,2})(\d\d)(?= ?[ap]m\b)", r"\1 \2", text)
    text = re.sub(r"(?<=\d),(?=\d{3}\b)", "", text)
    # engines write "800 and 2" for 802, and "$616 and 50" for 616 dollars and 50 cents
    text = re.sub(r"(?<![$£€₹\d])(\d*)00 and (\d\d?)\b", lambda m: f"{m[1]}{m[2]:0>2}", text)
    for sign, unit in (("$", "dollars"), ("£", "pounds"), ("€", "euros"), ("₹", "rupees")):
        text = re.sub(rf"{re.escape(sign)} ?(\d[\d.]*\d|\d)", rf"\1 {unit}", text)
    text = re.sub(r"([%°])", r" \1 ", text)
    text = re.sub(r"\bper ?cent\b", "%", text).replace("under score", "underscore")
    text = text.replace("'", "").replace("-", " ").replace("_", " _ ").replace("o clock", "oclock")
    words = re.findall(r"[a-z0-9]+(?:[.:/@+][a-z0-9]+)*|[$£€₹%°_]", text)
    return figures([w for w in words if w not in ("the", "a", "and", "of", "on", "at")])


def figures(words: list[str]) -> list[str]:
    """Number words up to 999 as figures, the longest reading first; "oh five" is 05."""
    out: list[str] = []
    i = 0
    while i < len(words):
        if words[i] == "oh" and i + 1 < len(words) and words[i + 1] in ONES[1:10]:
            out.append(f"0{ONES.index(words[i + 1])}")
            i += 2
            continue
        for j in range(min(len(words), i + 5), i, -1):
            if number := NUMBERS.get(" ".join(words[i:j])):
                out.append(number)
                i = j
                break
        else:
            out.append(words[i])
            i += 1
    return out


def ways(value: Value) -> set[tuple[str, ...]]:
    """The generator's ways to say or write a value, as `plain` has them."""
    spec = pairs.TABLE[value.kind]
    found = {x.text for i in range(60) for x in spec.read(value, Random(i))}
    return {tuple(plain(text)) for text in found} - {()}


def contains(kind: str, value: Value, heard: str, *, alone: bool = True) -> bool:
    """The rule of the module's docstring: do the words heard hold the value?"""
    if kind == "datetime":
        t = value.data["t"]
        return contains("date", date_value(t.date()), heard, alone=False) and contains(
            "time", time_value(t.hour, t.minute), heard, alone=False
        )
    if kind == "time":  # a clock may be heard as one number
        heard = re.sub(r"\b(\d{1,2})(\d\d)\b", r"\1:\2", heard)
    words = plain(heard)
    for way in ways(value):
        for i in range(len(words) - len(way) + 1):
            if tuple(words[i : i + len(way)]) != way:
                continue
            end = i + len(way)
            before, after = words[max(0, i - 1) : i], words[end : end + 2]
            if kind == "name" and spelled_otherwise(way, words[end:]):
                continue
            if not goes_on(kind if alone else "name", before, after):
                return True
    if kind in ("digits", "phone", "alnum"):
        return spells(kind, value, heard)
    if kind in ("email", "url"):
        text = re.sub(r"(?<=\b\w)[-, .]+(?=\w\b)", "", heard.lower())
        text = text.replace("under score", "underscore")
        squashed = "".join(symbols(w) for w in re.findall(r"[a-z0-9]+|[.@/_+:-]", text))
        return value.key.removeprefix("https://") in squashed
    if kind == "address":
        wanted = {
            squash(x.text) for i in range(60) for x in pairs.TABLE[kind].read(value, Random(i))
        }
        return any(re.search(rf"(?<!\d){w}(?!\d)", squash(heard)) for w in wanted)
    return False


def spelled_otherwise(name: tuple[str, ...], after: list[str]) -> bool:
    """Letters follow the name and are not those of one of its words: the letters decide."""
    letters = ""
    for word in after:
        if len(word) > 1:
            break
        letters += word
    return len(letters) >= 3 and letters not in name


def goes_on(kind: str, before: list[str], after: list[str]) -> bool:
    """Is there more of a value on either side of the words found?"""
    if kind in ("name", "text", "weekday", "email", "url"):
        return False
    if kind == "address":
        return any(NUMBER_WORD.fullmatch(w) for w in before)
    if kind == "time" and after:
        if after[0] in ("am", "pm") or after in (["in", "morning"], ["in", "afternoon"]):
            return True
        if after in (["in", "evening"], ["at", "night"]):
            return True
    around = before + after[:1]
    if kind == "alnum" and any(len(w) == 1 or w in BETWEEN_LETTERS for w in around):
        return True
    return any(NUMBER_WORD.fullmatch(w) for w in around)


def squash(text: str) -> str:
    """Letters and figures in one run, spoken digits as figures."""
    return "".join(UNIT.get(t, t) for t in re.findall(r"[a-z]+|\d+", text.lower()))


def symbols(word: str) -> str:
    return {"dot": ".", "at": "@", "underscore": "_", "dash": "-", "hyphen": "-", "plus": "+",
            "slash": "/", "forward": ""}.get(word, word)  # fmt: skip


def spells(kind: str, value: Value, heard: str) -> bool:
    """Neighbouring words spell exactly this run of digits and letters, and no more of them stand beside it."""
    wanted = {value.key.lower()}
    if kind == "phone":
        n, cc = value.data["n"], value.data["cc"]
        wanted = {n, f"0{n}", cc + n}
    text = re.sub(r"\b([a-z]),? (?:as in|for|like) [a-z-]+", r"\1", heard.lower())
    text = re.sub(r"(?<=\d)(?=[a-z])|(?<=[a-z])(?=\d)", " ", text.replace("x-ray", "x"))
    tokens = [BETWEEN_LETTERS.get(t, t) for t in re.findall(r"[a-z]+|\d+", text)]
    of_run = [bool(NUMBER_WORD.fullmatch(t)) or (kind == "alnum" and len(t) == 1) for t in tokens]
    for i in range(1, len(tokens) - 1):  # to and for, inside a run
        of_run[i] |= tokens[i] in ("to", "too", "for") and of_run[i - 1] and of_run[i + 1]
    for i in range(len(tokens)):
        for j in range(i + 1, min(len(tokens), i + 26) + 1):
            if {tokens[i], tokens[j - 1]} & {"to", "too", "for"}:
                continue  # these count inside a run only
            if (i and of_run[i - 1]) or (j < len(tokens) and of_run[j]):
                continue
            for spelled in spellings(tokens[i:j]):
                if spelled.replace("o", "0") in {w.replace("o", "0") for w in wanted}:
                    return True
    return False


def spellings(tokens: list[str]) -> set[str]:
    out = {""}
    figures: list[str] = []
    for token in [*tokens, ""]:
        if NUMBER_WORD.fullmatch(token) or token in ("to", "too", "for"):
            figures.append(token)
            continue
        if figures:
            tails = digit_readings(" ".join(figures))
            out = {a + b for a in out for b in tails} if len(tails) < 200 else set()
            figures = []
        out = {a + token for a in out}
    return out


# ---------------------------------------------------------------------------- the table


def read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def outcome(expected: Value, heard: str) -> str:
    match = s2s.match_entity(expected.key, heard, kind=expected.kind, locale=expected.locale)
    return str(match.outcome)


def judge(listing: Path | None) -> int:
    records = sorted(read(HEARD), key=lambda r: r["id"])
    per_kind = 1 + max(int(r["id"].rpartition("-")[2]) for r in records)
    drawn = {r["id"]: (r, value, miss) for r, value, miss in draws(per_kind)}
    rows: dict[tuple[str, str], Counter[str]] = {}
    listed = []
    for rec in records:
        draw, value, miss = drawn[rec["id"]]
        if draw["said"] != rec["said"]:
            raise SystemExit(
                f"{rec['id']}: {HEARD.name} was made from other draws; run `hear` anew"
            )
        miss = replace(miss, locale=value.locale)
        for line in LINES:
            got, near = outcome(value, rec[line]), outcome(miss, rec[line])
            heard = contains(value.kind, value, rec[line])
            marks = Counter({"n": 1, got: 1})
            marks["heard_by_rule"] = int(heard)
            marks["matcher_refused"] = int(heard and got != "spoken")
            marks["near_spoken"] = int(near == "spoken")
            marks["matcher_accepted_near"] = int(heard and near == "spoken")
            cells = [("all", "all"), ("line", line), ("kind", value.kind), ("voice", rec["voice"]),
                     (f"kind, {line}", value.kind), (f"voice, {line}", rec["voice"])]  # fmt: skip
            for cell in cells:
                rows[cell] = rows.get(cell, Counter()) + marks
            if got != "spoken" or near == "spoken":
                listed.append({"id": rec["id"], "line": line, "voice": rec["voice"], "value": value.key,
                               "outcome": got, "heard_by_rule": heard, "near": miss.key,
                               "near_outcome": near, "said": rec["said"], "heard": rec[line]})  # fmt: skip
    table = []
    head = ["n", "spoken", "different", "absent", "ambiguous", "heard_by_rule", "matcher_refused",
            "near_spoken", "matcher_accepted_near"]  # fmt: skip
    print(
        f"{'':30}"
        + "".join(f"{h.replace('matcher', 'm').replace('_by_rule', ''):>15}" for h in head)
    )
    for (group, name), counts in sorted(rows.items()):
        low, high = s2s.share_interval(counts["matcher_refused"], counts["n"])
        table.append({"group": group, "name": name} | {h: counts[h] for h in head}
                     | {"matcher_refused_interval": [round(low, 5), round(high, 5)]})  # fmt: skip
        print(f"{group:16}{name:14}" + "".join(f"{counts[h]:15}" for h in head))
    total = rows["all", "all"]
    low, high = s2s.share_interval(total["matcher_refused"], total["n"])
    print(
        f"refused though heard: {total['matcher_refused']}/{total['n']}, 95 % interval "
        f"{100 * low:.2f} to {100 * high:.2f} %"
    )
    TABLE.write_text(
        json.dumps(
            {"engine": ENGINE, "voices": VOICES, "values": len(records), "rows": table}, indent=1
        )
        + "\n",
        encoding="utf-8",
    )
    if listing:
        text = "".join(json.dumps(x, ensure_ascii=False) + "\n" for x in listed)
        listing.write_text(text, encoding="utf-8")
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    verbs = parser.add_subparsers(dest="verb", required=True)
    hearing = verbs.add_parser("hear")
    hearing.add_argument("--per-kind", type=int, default=PER_KIND)
    hearing.add_argument("--engine", default=ENGINE)
    judging = verbs.add_parser("judge")
    judging.add_argument("--list", type=Path, dest="listing", help="write refusals here")
    args = parser.parse_args()
    if args.verb == "hear":
        return hear(args.per_kind, args.engine)
    return judge(args.listing)


if __name__ == "__main__":
    sys.exit(main())
