"""Make the evaluation set for value matching: `entities_eval.jsonl` and `entities_eval_turns.jsonl`.

    python tests/data/make_entities_eval.py            write both files beside this script
    python tests/data/make_entities_eval.py --check    exit 1 unless the files are what the script makes
    python tests/data/make_entities_eval.py --seed X   print other pairs of the same kinds: pairs nobody has seen

A record says whether the value ``value`` (or ``written``, where there is no ``value``) is said in ``spoken``.
Half are near misses: the text says a value close to the expected one, or the expected one is close to
what the text says, or the value is not there at all. Everything here is written without the matcher:
its own number words, its own readings, its own carriers (`entities_phrases.json`), and hand-written records
(`entities_hand.txt`). The same seed always gives the same bytes.

Fields: ``id``, ``kind``, ``spoken``, ``written``, ``value`` (canonical, where it differs), ``match``,
``carrier`` (alone, sentence, among, turn), ``near`` (id of the true pair), ``class`` (reading style of a true
pair, near-miss class otherwise), ``locale`` (where not en-US), ``tags``, ``note``.
The tag ``policy`` marks what two careful people may label differently: it is scored apart.
"""

# ruff: noqa: SIM905 - word lists read better as one string

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from random import Random
from typing import Any

from entity_values import amounts, runs, times, words
from entity_values.base import Kind, Reading, Value
from entity_values.times import DAYS, MONTHS
from entity_values.words import FLATS, NAMED, NEAR_STREETS, SIDES, STREETS, TOWNS, TYPES, plain_name

HERE = Path(__file__).resolve().parent
PHRASES = json.loads((HERE / "entities_phrases.json").read_text(encoding="utf-8"))
SEED = "values 1"
FILES = {"short": HERE / "entities_eval.jsonl", "turn": HERE / "entities_eval_turns.jsonl"}
# true pairs per kind and carrier; every true pair brings one near miss
PAIRS = {"alone": 20, "sentence": 20, "among": 14, "turn": 11}


def never(value: Value, reading: Reading) -> bool:
    """Most kinds need no guard: their near misses have no second reading."""
    return False


TABLE: dict[str, Kind] = {
    kind: Kind(
        getattr(module, f"make_{kind}"),
        getattr(module, f"read_{kind}"),
        getattr(module, f"miss_{kind}"),
        getattr(module, f"legal_{kind}", never),
    )
    for module, kinds in {
        runs: "digits phone alnum",
        amounts: "cardinal ordinal decimal money percent measure",
        times: "date time datetime weekday",
        words: "name email url address text",
    }.items()
    for kind in kinds.split()
}
CORRECTABLE = (
    "digits phone cardinal ordinal decimal money percent measure date time weekday name".split()
)

# ---------------------------------------------------------------------------- carriers


def raw(text: str) -> str:
    """As an engine without formatting writes it: lower case, no punctuation."""
    text = re.sub(r"[,;:?!\"]|\.(?=\s|$)", " ", text.lower())
    return re.sub(r"\s+", " ", text.replace("-", " ")).strip()


def sentence_case(text: str) -> str:
    text = re.sub(r"\s+", " ", text).strip()
    text = re.sub(r"\.\.(?=\s|$)", ".", text)  # p.m.. at the end
    return text[:1].upper() + text[1:]


def fill(template: str, slots: dict[str, str], spoken: bool) -> str:
    """Put the values into a carrier; `spoken` makes the whole a raw transcript."""
    if spoken:
        out = raw(re.sub(r"\{(\w+)\}", r" \1_ ", template).replace("_ ", "\x00 "))
        return re.sub(r"(\w+)\x00", lambda m: raw(slots[m[1]]), out)
    return sentence_case(re.sub(r"\{(\w+)\}", lambda m: slots[m[1]], template))


def clashes(value: Value, taken: Iterable[Value]) -> bool:
    own = value.marks
    for other in taken:
        if other.kind == value.kind and (value.key in other.key or other.key in value.key):
            return True
        if own & other.marks:
            return True
        for a in own:
            for b in other.marks:
                if a.isdigit() and b.isdigit() and min(len(a), len(b)) >= 3 and (a in b or b in a):
                    return True
    return False


class Setting:
    """One text: how it is written, and which values it must not repeat."""

    def __init__(self, rng: Random, spoken: bool, taken: list[Value], locale: str) -> None:
        self.rng, self.spoken, self.taken, self.locale = rng, spoken, list(taken), locale

    def bystander(self, kind: str) -> str:
        """Some other value, said in a plain way."""
        for _ in range(200):
            value = (
                amounts.make_measure(self.rng, amounts.WEIGHTS)
                if kind == "measure"
                else TABLE[kind].make(self.rng)
            )
            if value.locale != self.locale and (kind == "date" or value.locale != "en-US"):
                continue
            if "-" in value.key and kind in ("decimal", "money", "percent", "cardinal", "measure"):
                continue
            if (kind == "cardinal" and value.data["n"] > 99_999) or clashes(value, self.taken):
                continue
            readings = [x for x in TABLE[kind].read(value, self.rng) if x.spelled == self.spoken]
            readings = [
                x
                for x in readings
                if not x.style.startswith(
                    ("currency_left", "bare_", "homophone", "clock_inside", "quoted")
                )
            ]
            if not readings:
                continue
            self.taken.append(value)
            return self.rng.choice(readings).text
        raise AssertionError(f"no bystander of kind {kind}")

    def text(self, template: str, kind: str, x: str) -> str:
        slots = {"x": x}
        label = self.rng.choice(PHRASES["labels"][kind])
        for name in re.findall(r"\{(\w+)\}", template):
            if name == "label":
                slots[name] = label
            elif name == "o":
                slots[name] = self.bystander(kind)
            elif name != "x":
                slots[name] = self.bystander(name)
        return fill(template, slots, self.spoken)


def alone(setting: Setting, kind: str, x: str) -> str:
    if setting.spoken:
        return raw(x)
    end = setting.rng.choice(["", "", ".", "."])
    return sentence_case(x + end)


def in_sentence(setting: Setting, kind: str, x: str) -> str:
    pool = PHRASES["sentence"]
    own = pool[kind]
    template = setting.rng.choice(own if setting.rng.random() < 0.4 else pool["*"])
    return setting.text(template, kind, x)


def among_values(setting: Setting, kind: str, x: str) -> str:
    pool = PHRASES["among"]
    template = setting.rng.choice(pool[kind] if setting.rng.random() < 0.4 else pool["*"])
    return setting.text(template, kind, x)


def in_turn(setting: Setting, kind: str, x: str) -> str:
    rng = setting.rng
    topic = rng.choice([t for t in PHRASES["prose"] if t != "general"])
    prose = rng.sample(PHRASES["prose"][topic], 5) + rng.sample(PHRASES["prose"]["general"], 11)
    rng.shuffle(prose)
    middle = among_values(setting, kind, x) if rng.random() < 0.4 else in_sentence(setting, kind, x)
    pieces = [fill(p, {}, setting.spoken) for p in prose]
    while sum(len(p.split()) for p in pieces) > 165:
        pieces.pop()
    extras = [setting.text(t, kind, x) for t in rng.sample(PHRASES["prose_values"], 2)]
    # a raw next sentence must not begin like one more letter or digit of the value
    risky = {"a", "i", "oh"} if setting.spoken else set()
    at = rng.choice([i for i in range(1, len(pieces)) if pieces[i].split()[0] not in risky])
    before, after = pieces[:at], pieces[at:]
    before.insert(rng.randrange(len(before)), extras[0])
    after.insert(rng.randrange(1, len(after) + 1), extras[1])
    return " ".join([*before, middle, *after])


CARRIERS: dict[str, Callable[[Setting, str, str], str]] = {
    "alone": alone, "sentence": in_sentence, "among": among_values, "turn": in_turn,
}  # fmt: skip

# ---------------------------------------------------------------------------- records


def record(value: Value, text: str, **rest: Any) -> dict[str, Any]:
    out: dict[str, Any] = {"kind": value.kind, "spoken": text, "written": value.written}
    if value.value:
        out["value"] = value.value
    if value.locale != "en-US":
        out["locale"] = value.locale
    return out | rest


def pick_reading(
    kind: str, value: Value, rng: Random, style: str | None = None, spelled: bool | None = None
) -> Reading | None:
    readings = TABLE[kind].read(value, rng)
    if style is not None:
        readings = [x for x in readings if x.style == style and x.spelled == spelled]
    return rng.choice(readings) if readings else None


def say(value: Value, reading: Reading, carrier: str, rng: Random, taken: list[Value]) -> str:
    spoken = reading.spelled and rng.random() < 0.65
    setting = Setting(rng, spoken, taken, value.locale)
    x = reading.text
    if (
        value.kind == "text"
        and carrier != "alone"
        and reading.style in ("capital", "other_writing")
    ):
        x = x[0].lower() + x[1:]
    if (
        reading.spelled
        and not spoken
        and value.kind in ("date", "datetime", "weekday", "name", "address")
    ):
        x = capitals(x)
    return CARRIERS[carrier](setting, value.kind, x)


def capitals(text: str) -> str:
    proper = {*(m.lower() for m in MONTHS), *(d.lower() for d in DAYS)}
    proper |= {
        w.lower()
        for w in (
            *STREETS,
            *NEAR_STREETS.values(),
            *TYPES.values(),
            *SIDES.values(),
            *FLATS.values(),
        )
    }
    proper |= {w.lower() for t in TOWNS for w in (t[0], t[2])}
    proper |= {
        w
        for row in NAMED
        for full in (*row["own"], *row["same"], *row["miss"])
        for w in plain_name(full).split()
    }
    return " ".join(w.title() if w.strip(",") in proper else w for w in text.split(" "))


def one_pair(kind: str, carrier: str, rng: Random) -> tuple[dict[str, Any], dict[str, Any]]:
    """A true record and its near miss."""
    spec = TABLE[kind]
    for _ in range(300):
        value = spec.make(rng)
        reading = pick_reading(kind, value, rng)
        if reading is None:
            continue
        misses = spec.miss(value, reading, rng)
        rng.shuffle(misses)
        for cls, wrong in misses:
            if wrong.key == value.key:
                continue
            expect_wrong = rng.random() < 0.5 and cls not in ("slice", "area_code_left_out")
            if expect_wrong:  # the same text, another value expected
                if spec.legal(wrong, reading):
                    continue
                text = say(value, reading, carrier, rng, [value, wrong])
                true = record(value, text, match=True, carrier=carrier, **{"class": reading.style})
                miss = record(wrong, text, match=False, carrier=carrier, **{"class": cls})
                return true, miss
            twin = pick_reading(kind, wrong, rng, reading.style, reading.spelled)
            if twin is None or spec.legal(value, twin):
                continue
            if (
                kind == "money"
                and "elliptic" in twin.flags
                and cls in ("decimal_shift", "magnitude", "slice")
            ):
                continue
            if kind == "time" and cls == "am_pm" and "half" not in twin.flags:
                continue
            if cls == "year" and "year" not in twin.flags:
                continue
            if cls == "country_code" and "cc" not in twin.flags:
                continue
            if cls == "currency" and "cur" not in twin.flags:
                continue
            text = say(value, reading, carrier, rng, [value, wrong])
            other = say(
                Value(wrong.kind, wrong.written, wrong.data, wrong.value, value.locale),
                twin,
                carrier,
                rng,
                [value, wrong],
            )
            true = record(value, text, match=True, carrier=carrier, **{"class": reading.style})
            miss = record(
                value,
                other,
                match=False,
                carrier=carrier,
                note=f"says {wrong.key}",
                **{"class": cls},
            )
            return true, miss
    raise AssertionError(f"no pair of kind {kind}")


def corrected_pair(kind: str, carrier: str, rng: Random) -> tuple[dict[str, Any], dict[str, Any]]:
    """Said wrong, then said again: the last counts."""
    spec = TABLE[kind]
    for _ in range(300):
        value = spec.make(rng)
        reading = pick_reading(kind, value, rng)
        if (
            reading is None
            or "elliptic" in reading.flags
            or reading.style
            in ("as_in_word", "filler", "spelled_family", "homophone", "title", "area_code")
        ):
            continue
        for _cls, wrong in spec.miss(value, reading, rng):
            if _cls in (
                "sign",
                "slice",
                "currency",
                "country_code",
                "unit",
                "magnitude",
                "decimal_shift",
            ):
                continue
            twin = pick_reading(kind, wrong, rng, reading.style, reading.spelled)
            if twin is None or spec.legal(value, twin) or spec.legal(wrong, reading):
                continue
            if kind == "time" and ("half" in reading.flags) != ("half" in twin.flags):
                continue
            if twin.text == reading.text:
                continue
            both = f"{twin.text}{rng.choice(PHRASES['cues'])}{reading.text}"
            text = say(
                value, Reading(reading.style, both, reading.spelled), carrier, rng, [value, wrong]
            )
            rest = {"carrier": carrier, "tags": ["correction"]}
            true = record(value, text, match=True, **{"class": "correction"}, **rest)
            moved = Value(wrong.kind, wrong.written, wrong.data, wrong.value, value.locale)
            miss = record(moved, text, match=False, **{"class": "corrected_away"}, **rest)
            return true, miss
    raise AssertionError(f"no correction of kind {kind}")


def absent_pair(kind: str, carrier: str, rng: Random) -> tuple[dict[str, Any], dict[str, Any]]:
    """A true record, and the same value expected where none of its kind is said."""
    true, _ = one_pair(kind, carrier, rng)
    spec = TABLE[kind]
    while True:
        value = spec.make(rng)
        if value.locale == true.get("locale", "en-US"):
            break
    spoken = rng.random() < 0.5
    setting = Setting(rng, spoken, [value], value.locale)
    body = setting.text(rng.choice(PHRASES["absent"]), kind, "")
    if carrier == "among":
        others = [
            k for k in ("digits", "money", "date", "time", "cardinal", "phone", "name") if k != kind
        ]
        if kind in (
            "cardinal",
            "digits",
            "decimal",
            "phone",
            "ordinal",
            "percent",
            "measure",
            "money",
        ):
            others = ["name", "weekday", "time", "email"]
        if kind in ("datetime", "date", "weekday"):
            others = ["name", "digits", "money", "phone"]
        if kind == "time":
            others = ["name", "digits", "money", "weekday"]
        a, b = rng.sample(others, 2)
        body += " " + setting.text(
            f"What I can see is {{{a}}}, and then there is {{{b}}} in the notes.", kind, ""
        )
    elif carrier == "turn":
        topic = rng.choice([t for t in PHRASES["prose"] if t != "general"])
        prose = rng.sample(PHRASES["prose"][topic], 4) + rng.sample(PHRASES["prose"]["general"], 9)
        rng.shuffle(prose)
        pieces = [fill(p, {}, spoken) for p in prose]
        pieces.insert(rng.randrange(2, 9), body)
        body = " ".join(pieces)
    elif carrier == "alone":
        body = rng.choice(
            [
                "Okay.",
                "I'm not sure.",
                "Let me check.",
                "Sorry, what was that?",
                "Yes, please.",
                "mm-hmm",
                "thank you",
                body,
            ]
        )
    miss = record(value, body, match=False, carrier=carrier, **{"class": "absent"})
    return true, miss


def hand_records() -> list[dict[str, Any]]:
    """Records of `entities_hand.txt`: blocks of a true pair and its near misses.

    ``kind | expected | y or n | class | spoken | options``, options being ``key=value`` or a bare tag.
    """
    out: list[dict[str, Any]] = []
    last: dict[str, dict[str, Any]] = {}
    counts: dict[str, int] = {}
    path = HERE / "entities_hand.txt"
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        cells = [c.strip() for c in line.split(" | ")]
        if len(cells) not in (5, 6) or cells[0] not in TABLE or cells[2] not in ("y", "n"):
            raise ValueError(f"{path.name}, line {number}: not a record: {line!r}")
        kind, expected, yes, cls, text = cells[:5]
        counts[kind] = counts.get(kind, 0) + 1
        rec: dict[str, Any] = {
            "id": f"{kind}-hand-{counts[kind]:03d}",
            "kind": kind,
            "spoken": text,
            "written": expected,
        }
        tags = []
        for option in cells[5].split("; ") if len(cells) == 6 else []:
            key, eq, content = option.partition("=")
            if eq:
                rec[key] = content
            else:
                tags.append(option)
        rec["match"], rec["class"] = yes == "y", cls
        rec.setdefault("carrier", "alone")
        if rec["match"]:
            last[kind] = rec
        elif kind in last and (last[kind]["spoken"] == text or last[kind]["written"] == expected):
            rec["near"] = last[kind]["id"]
        if tags:
            rec["tags"] = tags
        out.append(rec)
    return out


ORDER = "id kind spoken written value match carrier near class locale tags note".split()


def make_all(seed: str = SEED, *, hand: bool = True) -> list[dict[str, Any]]:
    out: list[dict[str, Any]] = []
    for kind in TABLE:
        for carrier, n in PAIRS.items():
            rng = Random(f"{seed}/{kind}/{carrier}")
            seen: set[tuple[str, str]] = set()
            k = 0
            corrections = 0
            if kind in CORRECTABLE:
                corrections = 1 if carrier == "turn" else 2
            while k < n:
                make = one_pair
                if k < corrections:
                    make = corrected_pair
                elif k == n - 1 or (k == n - 2 and carrier != "alone"):
                    make = absent_pair
                true, miss = make(kind, carrier, rng)
                keys = {(x.get("value", x["written"]), x["spoken"]) for x in (true, miss)}
                if keys & seen or len(keys) < 2:
                    continue
                seen |= keys
                k += 1
                stem = f"{kind}-{carrier}-{k:03d}"
                true["id"] = f"{stem}a"
                miss["id"], miss["near"] = f"{stem}b", f"{stem}a"
                out += [true, miss]
    if hand:
        out += hand_records()
    return [{key: rec[key] for key in ORDER if key in rec} for rec in out]


def as_lines(records: Iterable[dict[str, Any]]) -> str:
    return "".join(json.dumps(x, ensure_ascii=False, separators=(",", ":")) + "\n" for x in records)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--check", action="store_true", help="compare with the files, write nothing"
    )
    parser.add_argument(
        "--seed", help="print a fresh set instead, without the hand-written records"
    )
    args = parser.parse_args()
    if args.seed is not None:
        sys.stdout.write(as_lines(make_all(args.seed, hand=False)))
        return 0
    records = make_all()
    made = {
        "short": as_lines(x for x in records if x["carrier"] != "turn"),
        "turn": as_lines(x for x in records if x["carrier"] == "turn"),
    }
    stale = [
        p.name
        for name, p in FILES.items()
        if not p.exists() or p.read_text(encoding="utf-8") != made[name]
    ]
    if args.check:
        print(f"not what the script makes: {', '.join(stale)}" if stale else "files are as made")
        return 1 if stale else 0
    for name, path in FILES.items():
        path.write_text(made[name], encoding="utf-8")
        print(
            f"{path.name}: {made[name].count(chr(10))} records, {len(made[name].encode()) / 1000:.0f} kB"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
