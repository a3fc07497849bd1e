"""Verify every single agent turn with known truth and tabulate found, flagged, missed and false alarms.

``python benchmarks/bench_turns.py [FOLDER]`` prints tables by defect, by class of confusion and by condition, and
writes ``results/turns.json``. A changed or dropped value is found when it is refuted; an added one when its turn is
refuted, flagged when it or its turn is inconclusive; a transcript that is wrong about right speech is found when
`side_channel_out` is named. A refuted value that was spoken right is a false alarm.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))
from bench_calls import by_key, figures, owner_of, same_value, tabulate
from shared_calls import SharedTurn, read_turns, shared_folder

import s2sverify as s2s
from s2sverify.trace import write_text_atomically

RESULTS = Path(__file__).resolve().parent / "results" / "turns.json"
KINDS = {"quantity": "cardinal"}  # the truth's name: ours
OUTCOMES = ("found", "flagged", "missed")
VERDICTS = ("confirmed", "inconclusive", "refuted", "not_applicable", "silent")


@dataclass(frozen=True)
class Row:
    """The verdict on one value of one turn."""

    turn: str
    condition: str
    voice: str
    kind: str
    what: str  # right, value_changed, value_dropped, value_added, transcript_wrong
    near_miss: str
    expected: str | None
    spoken: str | None
    outcome: str  # found, flagged, missed; of a right value its verdict
    owner: str | None
    heard: str | None
    reason: str


def rows_of(turn: SharedTurn, verdict: Any) -> Iterator[Row]:
    """One row per value that was expected or spoken."""
    spoken = {item["slot"]: item for item in turn.truth["spoken_values"]}
    where = {"turn": turn.id, "condition": turn.condition, "voice": turn.voice}
    detail = turn.truth["detail"] or {}
    miss = turn.truth["near_miss"] or "-"
    for item in turn.expected:
        said = spoken.pop(item["slot"], None)
        told = [e for e in verdict.entities if same_value(e.expected, item["value"])]
        one = told[0] if told else None
        names = {
            **where, "kind": item["kind"], "expected": item["value"], "owner": owner_of(one),
            "heard": one.heard if one else None, "reason": one.reason if one else "",
            "spoken": said["value"] if said else None,
        }  # fmt: skip
        outcome = one.verdict.value if one else "silent"
        if said and said["value"] == item["value"]:
            wrong_text = detail.get("slot") == item["slot"] and "transcript_says" in detail
            if wrong_text and turn.truth["defect"] == "none":
                named = "found" if owner_of(one) == "side_channel_out" else "missed"
                result = "flagged" if outcome == "inconclusive" else named
                yield Row(**names, what="transcript_wrong", near_miss=miss, outcome=result)
            yield Row(**names, what="right", near_miss="-", outcome=outcome)
            continue
        result = {"refuted": "found", "inconclusive": "flagged"}.get(outcome, "missed")
        what = "value_changed" if said else "value_dropped"
        yield Row(**names, what=what, near_miss=miss if said else "-", outcome=result)
    for item in spoken.values():
        told = [
            e for e in verdict.entities if e.expected is None and same_value(e.heard, item["value"])
        ]
        reason = told[0].reason if told else verdict.reason
        found = verdict.verdict is s2s.Decision.REFUTED
        flagged = told or verdict.verdict is s2s.Decision.INCONCLUSIVE
        yield Row(
            **where, kind=item["kind"], what="value_added", near_miss="-", expected=None,
            spoken=item["value"], outcome="found" if found else "flagged" if flagged else "missed",
            owner=None, heard=told[0].heard if told else None, reason=reason,
        )  # fmt: skip


def summarise(rows: list[Row]) -> str:
    planted = [row for row in rows if row.what != "right"]
    right = [row for row in rows if row.what == "right"]
    speech = [row for row in planted if row.what in ("value_changed", "value_dropped")]
    changed = [row for row in planted if row.what == "value_changed"]
    alarms = [row for row in right if row.outcome == "refuted"]
    passed = [row for row in speech if row.outcome == "missed"]
    parts = [
        tabulate("planted", by_key(planted, "what", "outcome"), OUTCOMES),
        tabulate("changed and dropped, by line", by_key(speech, "condition", "outcome"), OUTCOMES),
        tabulate("changed, by confusion", by_key(changed, "near_miss", "outcome"), OUTCOMES),
        tabulate("right values, by line", by_key(right, "condition", "outcome"), VERDICTS),
        tabulate("right values, by kind", by_key(right, "kind", "outcome"), VERDICTS),
        tabulate("right values, by voice", by_key(right, "voice", "outcome"), VERDICTS),
    ]
    told = [f"false alarms: {len(alarms)} of {len(right)} right values"]
    told += [f"  alarm {r.turn} {r.voice} {r.condition} {r.expected!r}: {r.reason}" for r in alarms]
    told += [
        f"  passed {r.turn} {r.voice} {r.condition} {r.expected!r}: {r.reason}" for r in passed
    ]
    return "\n\n".join(parts) + "\n\n" + "\n".join(told)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "folder", nargs="?", help="the calls; else S2SVERIFY_CALLS or ../shared/calls"
    )
    parser.add_argument("--engine", default=None, help="as open_engine takes it")
    parser.add_argument(
        "--floor", default=None, help="floor or folder of floors; else those shipped"
    )
    parser.add_argument("--false-alarm", type=float, default=0.01, help="budget of a refutation")
    parser.add_argument("--harness", action="store_true", help="name the condition to the verifier")
    parser.add_argument("--every", type=int, default=1, help="take every n-th turn only")
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args()
    engine = s2s.open_engine(options.engine)
    rows: list[Row] = []
    turns = list(read_turns(shared_folder(options.folder)))[:: options.every]
    started = time.perf_counter()
    sounded_s = 0.0
    for turn in turns:
        recording = s2s.read_recording(turn.audio)
        y = recording.read(0.0, recording.duration_s)[0]
        sounded_s += recording.duration_s
        verdict = s2s.verify_turn(
            y, recording.sr,
            expected=[{**v, "kind": KINDS.get(v["kind"], v["kind"])} for v in turn.expected],
            t_out=turn.t_out, engine=engine, voice=turn.voice,
            floor=options.floor, false_alarm=options.false_alarm,
            condition=turn.condition if options.harness else None,
        )  # fmt: skip
        rows += rows_of(turn, verdict)
    took_s = time.perf_counter() - started
    print(summarise(rows))
    print(f"{len(turns)} turns, {sounded_s:.0f} s of sound in {took_s:.0f} s", file=sys.stderr)
    if options.every == 1:
        data = {
            "schema_version": 1,
            "s2sverify": s2s.__version__,
            "engine": str(engine.info.signature),
            "harness": options.harness,
            "false_alarm": options.false_alarm,
            "by_defect": by_key(rows, "what", "outcome"),
            "by_condition": {
                name: by_key([r for r in rows if r.condition == name], "what", "outcome")
                for name in Counter(row.condition for row in rows)
            },
            "rows": [figures(row) for row in rows],
        }
        options.out.parent.mkdir(parents=True, exist_ok=True)
        write_text_atomically(options.out, json.dumps(data, indent=1, ensure_ascii=False) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
