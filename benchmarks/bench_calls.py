"""Verify every call with known truth and tabulate, per planted defect, what came of it.

``python benchmarks/bench_calls.py [FOLDER]`` prints tables and writes ``results/calls.json``. `found`: the defect is
told (refuted, or the owner named where the agent did right); `flagged`: left to a person (inconclusive); `missed`:
passed as right or not mentioned. A false alarm is a refuted value, or a refuted turn, where nothing was planted. A
verdict belongs to a planted defect by its turn (the most time in common) and by its value.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))
from shared_calls import SharedRender, read_renders, shared_folder

import s2sverify as s2s
from s2sverify.trace import write_text_atomically

RESULTS = Path(__file__).resolve().parent / "results" / "calls.json"
CHANGED = ("value_changed", "replace_map_changes_value")  # one value, spoken other than expected
HARMLESS = ("paraphrase_ok", "replace_map_harmless")
CALLER_SIDE = ("caller_transcript_wrong", "caller_transcript_revised", "tool_args_wrong")
FAULTS = (*CHANGED, "value_dropped", "value_added", "transcript_wrong", "barge_in_truncation")
OWNERS = {  # who may rightly be named
    "value_dropped": {"agent_speech", "agent_content"},
    "value_added": {"agent_speech", "agent_content"},
    "transcript_wrong": {"side_channel_out"},
    "barge_in_truncation": {"truncation"},
    "caller_transcript_wrong": {"side_channel_in"},
    "caller_transcript_revised": {"side_channel_in"},
    "tool_args_wrong": {"agent_action", "agent_hearing"},
}
DATA = frozenset(("expected", "spoken", "heard", "reason"))  # fields that quote the calls


@dataclass(frozen=True)
class Planted:
    """What became of one planted defect (of one value of it, where it holds several)."""

    call: str
    condition: str
    turn: str | None
    type: str
    expected: str | None
    outcome: str  # found, flagged, missed, alarm (something harmless was refuted), not judged
    owner: str | None
    owner_right: bool | None
    reason: str


@dataclass(frozen=True)
class Alarm:
    """Something refuted where nothing was planted."""

    call: str
    condition: str
    turn: str
    what: str  # "value" or "turn"
    expected: str | None
    heard: str | None
    reason: str


@dataclass(frozen=True)
class Faithful:
    """The verdict on one value that was spoken right and played whole."""

    call: str
    condition: str
    turn: str
    kind: str
    expected: str
    verdict: str  # confirmed, refuted, inconclusive, not_applicable, or silent: no verdict at all


@dataclass(frozen=True)
class CallResult:
    planted: list[Planted]
    alarms: list[Alarm]
    faithful: list[Faithful]
    duration_s: float
    took_s: float


def same_value(a: str | None, b: str | None) -> bool:
    """Equal as values: case, separators, currency, trailing zeros and an unspoken year do not count."""
    if a is None or b is None:
        return False
    plain = [
        v.strip()
        .casefold()
        .lstrip("$")
        .removesuffix("%")
        .removeprefix("usd")
        .removesuffix("usd")
        .strip()
        for v in (a, b)
    ]
    if plain[0] == plain[1]:
        return True
    if all("." in v or not v.startswith("0") for v in plain):
        try:
            return Decimal(plain[0]) == Decimal(plain[1])
        except InvalidOperation:
            pass
    letters = ["".join(char for char in v if char.isalnum()) for v in plain]
    if letters[0] == letters[1] != "":
        return True
    short, long = sorted(plain, key=len)
    return short.startswith("--") and long.endswith(
        short.removeprefix("--")
    )  # a date without its year


def verdict_turns(report: Any, truth: dict[str, Any]) -> dict[str, list[Any]]:
    """The report's turns by the truth's turn with which they share most time; by id where they have no time."""
    spans = {
        turn["id"]: s2s.Interval(turn["start_ms"] / 1000, turn["end_ms"] / 1000)
        for turn in truth["turns"]
        if turn["channel"] == "agent"
    }
    found: dict[str, list[Any]] = {name: [] for name in spans}
    for verdict in report.turns:
        name = verdict.turn
        if verdict.interval is not None:
            shared = {key: span.overlap_s(verdict.interval) for key, span in spans.items()}
            best = max(shared, key=lambda key: shared[key])
            name = best if shared[best] > 0 else name
        if name in found:
            found[name].append(verdict)
    return found


def entities_of(verdicts: Iterable[Any]) -> list[Any]:
    return [entity for verdict in verdicts for entity in verdict.entities]


def owner_of(item: Any) -> str | None:
    return None if item is None or item.owner is None else item.owner.value


def allowed_owners(defect: dict[str, Any]) -> set[str]:
    if defect["type"] in CHANGED:
        if defect.get("transcript_says") == defect["spoken"]:
            return {"agent_content"}
        declared = {"declared"} if defect["type"] == "replace_map_changes_value" else set()
        return {"agent_speech"} | declared
    if defect["type"] == "value_dropped":
        return {"agent_speech" if defect.get("transcript_has_it") else "agent_content"}
    return OWNERS.get(defect["type"], set())


def judged(
    defect: dict[str, Any], verdicts: list[Any], expected: str | None
) -> tuple[str, Any, str]:
    """(outcome, the verdict it rests on, why) of one planted value."""
    entities = [
        e for e in entities_of(verdicts) if expected is None or same_value(e.expected, expected)
    ]
    kind = defect["type"]
    named = [e for e in entities_of(verdicts) if owner_of(e) in allowed_owners(defect)]
    if kind in CALLER_SIDE:
        return ("found", named[0], named[0].reason) if named else ("missed", None, "")
    if kind == "transcript_wrong":
        if named:
            return "found", named[0], named[0].reason
    elif kind == "barge_in_truncation":
        cut = [v for v in verdicts if v.truncation is not None]
        if cut and not any(e.verdict is s2s.Decision.REFUTED for e in entities):
            return "found", (named or [cut[0]])[0], "cut found"
        if any(e.verdict is s2s.Decision.CONFIRMED for e in entities):
            return "missed", entities[0], "passed as spoken"
    else:
        refuted = [e for e in entities if e.verdict is s2s.Decision.REFUTED]
        if refuted:
            return "found", refuted[0], refuted[0].reason
        if not entities and any(v.verdict is s2s.Decision.REFUTED for v in verdicts):
            turn = next(v for v in verdicts if v.verdict is s2s.Decision.REFUTED)
            return "found", turn, turn.reason
    unsure = [e for e in entities if e.verdict is s2s.Decision.INCONCLUSIVE]
    unsure += [v for v in verdicts if v.verdict is s2s.Decision.INCONCLUSIVE and not entities]
    if unsure:
        return "flagged", unsure[0], unsure[0].reason
    return "missed", entities[0] if entities else None, entities[0].reason if entities else ""


def is_realised(defect: dict[str, Any], truth: dict[str, Any]) -> bool:
    """Whether the turn's own words hold the defect. One of the long call is filed under a turn that says nothing of it,
    and the turn that does hold its slot says the right value, in the list and in the sound."""
    if defect["type"] not in CHANGED:
        return True
    spoken = [
        item
        for turn in truth["turns"]
        for item in turn.get("values_spoken", [])
        if turn["id"] == defect["turn"] and item["slot"] == defect["slot"]
    ]
    return any(item["value"] == defect["spoken"] for item in spoken)


def values_of(defect: dict[str, Any]) -> list[str | None]:
    """The expected values of a defect; [None] where it concerns the turn as a whole."""
    several = defect.get("values") or defect.get("values_not_played")
    if several:
        return [item["value"] for item in several]
    return [defect.get("expected")]


def judge_call(render: SharedRender, report: Any, took_s: float) -> CallResult:
    truth = render.truth
    by_turn = verdict_turns(report, truth)
    defects = truth["ground_truth"]["defects"]
    where = {"call": render.call_id, "condition": render.condition}
    planted = []
    for defect in defects:
        turn = defect.get("turn")
        verdicts = by_turn.get(turn or "", [])
        if defect["type"] in HARMLESS:
            told = [e for e in entities_of(verdicts) if e.verdict is s2s.Decision.REFUTED]
            outcome = "alarm" if told and not faults_in(defects, turn) else "found"
            planted.append(Planted(**where, turn=turn, type=defect["type"], expected=None,
                                   outcome=outcome, owner=None, owner_right=None, reason=""))  # fmt: skip
            continue
        if defect["type"] in CALLER_SIDE:
            verdicts = [verdict for group in by_turn.values() for verdict in group]
        elif defect["type"] not in FAULTS or not is_realised(defect, truth):
            planted.append(Planted(**where, turn=turn, type=defect["type"], expected=None,
                                   outcome="not judged", owner=None, owner_right=None, reason=""))  # fmt: skip
            continue
        for expected in values_of(defect) if defect["type"] in FAULTS else [None]:
            outcome, item, reason = judged(defect, verdicts, expected)
            owner = owner_of(item)
            right = owner in allowed_owners(defect) if outcome == "found" and owner else None
            planted.append(Planted(**where, turn=turn, type=defect["type"], expected=expected,
                                   outcome=outcome, owner=owner, owner_right=right, reason=reason))  # fmt: skip
    return CallResult(
        planted,
        list(alarms_of(render, by_turn)),
        list(faithful_of(render, by_turn)),
        report.duration_s,
        took_s,
    )


def faults_in(defects: list[dict[str, Any]], turn: str | None) -> list[dict[str, Any]]:
    return [d for d in defects if d.get("turn") == turn and d["type"] in FAULTS]


def excused(entity: Any, faults: list[dict[str, Any]]) -> bool:
    """Whether a refuted value is one that was planted, on either side of the exchange."""
    for defect in faults:
        if defect["type"] == "transcript_wrong":
            if owner_of(entity) == "side_channel_out":
                return True
            continue
        if defect["type"] == "barge_in_truncation":
            continue
        values = [*values_of(defect), defect.get("spoken"), defect.get("transcript_says")]
        if any(same_value(entity.expected, value) for value in values):
            return True
    return False


def alarms_of(render: SharedRender, by_turn: dict[str, list[Any]]) -> Iterator[Alarm]:
    defects = render.truth["ground_truth"]["defects"]
    for name, verdicts in by_turn.items():
        faults = faults_in(defects, name)
        for entity in entities_of(verdicts):
            if entity.verdict is s2s.Decision.REFUTED and not excused(entity, faults):
                yield Alarm(render.call_id, render.condition, name, "value", entity.expected,
                            entity.heard, entity.reason)  # fmt: skip
        spoken_faults = [d for d in faults if d["type"] not in ("barge_in_truncation",)]
        for verdict in verdicts:
            values = any(e.verdict is s2s.Decision.REFUTED for e in verdict.entities)
            if verdict.verdict is s2s.Decision.REFUTED and not spoken_faults and not values:
                yield Alarm(render.call_id, render.condition, name, "turn", None,
                            verdict.a_out, verdict.reason)  # fmt: skip


def faithful_of(render: SharedRender, by_turn: dict[str, list[Any]]) -> Iterator[Faithful]:
    for turn in render.truth["turns"]:
        if turn["channel"] != "agent" or turn["kind"] != "speech":
            continue
        unplayed = {item["slot"] for item in turn.get("values_not_played", [])}
        spoken = {item["slot"]: item["value"] for item in turn["values_spoken"]}
        entities = entities_of(by_turn[turn["id"]])
        for item in turn["values_expected"]:
            if item["slot"] in unplayed or spoken.get(item["slot"]) != item["value"]:
                continue
            verdicts = {e.verdict.value for e in entities if same_value(e.expected, item["value"])}
            order = ("refuted", "inconclusive", "confirmed", "not_applicable")
            verdict = next((v for v in order if v in verdicts), "silent")
            yield Faithful(render.call_id, render.condition, turn["id"], item["kind"],
                           item["value"], verdict)  # fmt: skip


def tabulate(title: str, rows: dict[str, Counter[str]], columns: tuple[str, ...]) -> str:
    width = max([len(title), *(len(name) for name in rows)])
    lines = [f"{title:<{width}}  " + "  ".join(f"{c:>{max(7, len(c))}}" for c in columns)]
    for name, counts in rows.items():
        cells = (f"{counts[c] or '-':>{max(7, len(c))}}" for c in columns)
        lines.append(f"{name:<{width}}  " + "  ".join(cells))
    return "\n".join(lines)


def by_key(items: Iterable[Any], key: str, column: str) -> dict[str, Counter[str]]:
    rows: dict[str, Counter[str]] = {}
    for item in items:
        rows.setdefault(getattr(item, key), Counter())[getattr(item, column)] += 1
    return rows


def summarise(results: dict[str, CallResult]) -> str:
    planted = [p for result in results.values() for p in result.planted]
    alarms = [a for result in results.values() for a in result.alarms]
    faithful = [f for result in results.values() for f in result.faithful]
    looked = [p for p in planted if p.outcome != "not judged"]
    outcomes = ("found", "flagged", "missed", "alarm")
    verdicts = ("confirmed", "inconclusive", "refuted", "not_applicable", "silent")
    owners = Counter(
        "right" if p.owner_right else "wrong" for p in planted if p.owner_right is not None
    )
    agent = [p for p in looked if p.type in (*CHANGED, "value_dropped", "value_added")]
    parts = [
        tabulate("planted", by_key(looked, "type", "outcome"), outcomes),
        tabulate("agent's faults, by condition", by_key(agent, "condition", "outcome"), outcomes),
        tabulate("right values, by condition", by_key(faithful, "condition", "verdict"), verdicts),
        tabulate("right values, by kind", by_key(faithful, "kind", "verdict"), verdicts),
        f"owners named: {owners['right']} right, {owners['wrong']} wrong",
        f"false alarms: {sum(a.what == 'value' for a in alarms)} of {len(faithful)} right values, "
        f"{sum(a.what == 'turn' for a in alarms)} turns",
        *(f"  {a.call}.{a.condition} {a.turn} {a.what} {a.expected!r}: {a.reason}" for a in alarms),
        *(
            f"  {p.outcome}: {p.call}.{p.condition} {p.turn} {p.type} {p.expected!r} "
            f"owner {p.owner}: {p.reason}"
            for p in looked
            if p.outcome != "found" or p.owner_right is False
        ),
    ]
    return "\n\n".join(parts[:4]) + "\n\n" + "\n".join(parts[4:])


def figures(row: Any) -> dict[str, Any]:
    """A row without words and values: those are the data's, and stay with it."""
    return {key: value for key, value in asdict(row).items() if key not in DATA}


def to_json(results: dict[str, CallResult], signature: str, *, harness: bool) -> dict[str, Any]:
    planted = [p for result in results.values() for p in result.planted]
    faithful = [f for result in results.values() for f in result.faithful]
    return {
        "schema_version": 1,
        "s2sverify": s2s.__version__,
        "engine": signature,
        "harness": harness,
        "planted_by_type": by_key(planted, "type", "outcome"),
        "planted_by_condition": by_key(
            [p for p in planted if p.outcome != "not judged"], "condition", "outcome"
        ),
        "right_values_by_condition": by_key(faithful, "condition", "verdict"),
        "right_values_by_kind": by_key(faithful, "kind", "verdict"),
        "planted": [figures(p) for p in planted],
        "false_alarms": [figures(a) for result in results.values() for a in result.alarms],
        "calls": {
            name: {
                "duration_s": round(r.duration_s, 3),
                "times_real_time": round(r.duration_s / r.took_s, 2),
            }
            for name, r in results.items()
        },
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "folder", nargs="?", help="the calls; else S2SVERIFY_CALLS or ../shared/calls"
    )
    parser.add_argument("--only", action="append", help="a call or render, e.g. d05 or d03.clean24")
    parser.add_argument("--engine", default=None, help="as open_engine takes it")
    parser.add_argument(
        "--floor", default=None, help="floor or folder of floors; else those shipped"
    )
    parser.add_argument("--false-alarm", type=float, default=0.01, help="budget of a refutation")
    parser.add_argument(
        "--harness", action="store_true", help="let the trace hold script and condition"
    )
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args()
    renders = read_renders(shared_folder(options.folder), harness=options.harness)
    if options.only:
        renders = [r for r in renders if r.name in options.only or r.call_id in options.only]
    results, signature = {}, ""
    for render in renders:
        started = time.perf_counter()
        call = s2s.read_call(render.audio, render.trace)
        report = s2s.verify(
            call, engine=options.engine, floor=options.floor, false_alarm=options.false_alarm
        )
        took_s = time.perf_counter() - started
        results[render.name] = judge_call(render, report, took_s)
        signature = str(report.engine.signature)
        print(f"{render.name}: {report.duration_s:.0f} s in {took_s:.1f} s", file=sys.stderr)
    print(summarise(results))
    if not options.only:
        options.out.parent.mkdir(parents=True, exist_ok=True)
        data = {
            **to_json(results, signature, harness=options.harness),
            "false_alarm": options.false_alarm,
        }
        write_text_atomically(options.out, json.dumps(data, indent=1, ensure_ascii=False) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
