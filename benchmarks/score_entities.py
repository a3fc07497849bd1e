"""Score a value matcher on labelled pairs: true pairs accepted, near misses refused, per kind and carrier.

    python benchmarks/score_entities.py                          the project's own set and matcher
    python benchmarks/score_entities.py FILE.jsonl --target pkg.mod:func --json OUT --failures OUT.jsonl

The function under test is called as ``func(expected, spoken, kind=kind)``, with ``locale=`` added where a record
has one; a record is accepted when the answer is true or has the outcome "spoken". An exception is a wrong answer
whatever the label. Records tagged ``policy`` are counted apart and are part of no other row.
TPR is the share of true pairs accepted, TNR the share of near misses refused, both with the exact
two-sided 95 % interval.
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from s2sverify.stats import share_interval

DATA = Path(__file__).resolve().parent.parent / "tests" / "data"
OWN_SET = (DATA / "entities_eval.jsonl", DATA / "entities_eval_turns.jsonl")
CARRIERS = ("alone", "sentence", "among", "turn")
GATE = {"tpr": 0.97, "tnr": 0.995, "kind_tpr": 0.93, "kind_tnr": 0.98}


@dataclass(frozen=True, slots=True)
class Counts:
    """Answers to true pairs and to near misses. Counts add; the rates follow from the sums."""

    accepted: int = 0
    true: int = 0
    refused: int = 0
    false: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(
            self.accepted + other.accepted,
            self.true + other.true,
            self.refused + other.refused,
            self.false + other.false,
        )

    @property
    def tpr(self) -> float:
        return self.accepted / self.true if self.true else float("nan")

    @property
    def tnr(self) -> float:
        return self.refused / self.false if self.false else float("nan")

    def to_dict(self) -> dict[str, Any]:
        row: dict[str, Any] = {
            "true": self.true,
            "accepted": self.accepted,
            "near_misses": self.false,
            "refused": self.refused,
        }
        for name, k, n in (("tpr", self.accepted, self.true), ("tnr", self.refused, self.false)):
            row[name] = round(k / n, 5) if n else None
            row[f"{name}_interval"] = [round(x, 5) for x in share_interval(k, n)] if n else None
        return row


def read_records(paths: Iterable[Path]) -> list[dict[str, Any]]:
    return [
        json.loads(line)
        for path in paths
        for line in path.read_text(encoding="utf-8").splitlines()
        if line.strip()
    ]


def load_target(target: str) -> Callable[..., Any]:
    module, _, name = target.partition(":")
    found: Any = importlib.import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    return found  # type: ignore[no-any-return]


def ask(
    match: Callable[..., Any], record: dict[str, Any], *, kind: bool = True
) -> tuple[bool | None, str]:
    """Accepted or not and what was answered; None where the function failed."""
    options = {"kind": record["kind"] if kind else None}
    if "locale" in record:
        options["locale"] = record["locale"]
    try:
        answer = match(record.get("value", record["written"]), record["spoken"], **options)
    except Exception as error:  # noqa: BLE001 - whatever a matcher throws is a wrong answer, and shown
        return None, f"{type(error).__name__}: {error}"
    if isinstance(answer, bool):
        return answer, str(answer)
    outcome = getattr(answer, "outcome", answer)
    heard = getattr(answer, "heard", None)
    return str(outcome) == "spoken", f"{outcome}" + (
        f", heard {heard}" if heard is not None else ""
    )


def score(
    match: Callable[..., Any], records: Iterable[dict[str, Any]], *, kind: bool = True
) -> tuple[dict[tuple[str, str], Counts], list[dict[str, Any]]]:
    """Counts by (kind, carrier), with "policy" and "correction" as kinds of their own, and the failures."""
    table: dict[tuple[str, str], Counts] = {}
    failures = []
    for record in records:
        accepted, answer = ask(match, record, kind=kind)
        right = accepted is record["match"]
        one = Counts(right, 1, 0, 0) if record["match"] else Counts(0, 0, right, 1)
        carrier = record.get("carrier", "alone")
        tags = record.get("tags", [])
        rows = ["policy"] if "policy" in tags else [record["kind"], *(f"tag {t}" for t in tags)]
        for row in rows:
            table[row, carrier] = table.get((row, carrier), Counts()) + one
        if not right:
            failures.append({**record, "answer": answer})
    return table, failures


def add(
    table: dict[tuple[str, str], Counts], kinds: Iterable[str], carriers: Iterable[str]
) -> Counts:
    carriers = tuple(carriers)
    total = Counts()
    for kind in kinds:
        for carrier in carriers:
            total += table.get((kind, carrier), Counts())
    return total


def misses_gate(table: dict[tuple[str, str], Counts], kinds: list[str]) -> list[str]:
    """The rows under the gate, in words."""
    out = []
    for name, group in [("all kinds", kinds), *((kind, [kind]) for kind in kinds)]:
        counts = add(table, group, CARRIERS)
        prefix = "" if name == "all kinds" else "kind_"
        for rate in ("tpr", "tnr"):
            least = GATE[prefix + rate]
            if getattr(counts, rate) < least:
                out.append(f"{name}: {rate} {getattr(counts, rate):.4f} is under {least}")
    return out


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("files", nargs="*", type=Path, default=list(OWN_SET), help="JSON lines")
    parser.add_argument("--target", default="s2sverify:match_entity", help="module:function")
    parser.add_argument("--kind", action="append", help="only these kinds")
    parser.add_argument("--no-kind", action="store_true", help="let the function infer the kind")
    parser.add_argument("--failures", type=Path, help="write the wrong answers here, as JSON lines")
    parser.add_argument("--json", type=Path, dest="out", help="write the table here")
    parser.add_argument("--gate", action="store_true", help="exit 1 when a rate is under the gate")
    args = parser.parse_args()

    records = read_records(args.files)
    if args.kind:
        records = [r for r in records if r["kind"] in args.kind]
    match = load_target(args.target)
    start = time.perf_counter()
    table, failures = score(match, records, kind=not args.no_kind)
    seconds = time.perf_counter() - start

    kinds = sorted({r["kind"] for r in records})
    extra = sorted({row for row, _ in table} - set(kinds))
    print(f"{len(records)} pairs in {seconds:.1f} s, {len(records) / seconds:.0f} a second")
    print(f"{'':16}{'true':>6}{'miss':>6}" + "".join(f"{c:>15}" for c in (*CARRIERS, "all")))
    rows = []
    for name, group in [*((k, [k]) for k in kinds), ("ALL", kinds), *((e, [e]) for e in extra)]:
        cells = {c: add(table, group, [c]) for c in CARRIERS}
        total = add(table, group, CARRIERS)
        rows.append(
            {"kind": name, "all": total.to_dict()} | {c: n.to_dict() for c, n in cells.items()}
        )
        shown = "".join(
            f"{f'{100 * n.tpr:.1f} / {100 * n.tnr:.1f}' if n.true and n.false else '-':>15}"
            for n in (*cells.values(), total)
        )
        print(f"{name:16}{total.true:6}{total.false:6}{shown}")
    total = add(table, kinds, CARRIERS)
    for rate, k, n in (("TPR", total.accepted, total.true), ("TNR", total.refused, total.false)):
        low, high = share_interval(k, n)
        print(
            f"{rate} {k}/{n} = {100 * k / n:.2f} %, 95 % interval {100 * low:.2f} to {100 * high:.2f} %"
        )
    under = misses_gate(table, kinds)
    print("\n".join(under) if under else "every rate is at or over the gate")
    if args.failures:
        text = "".join(json.dumps(x, ensure_ascii=False) + "\n" for x in failures)
        args.failures.write_text(text, encoding="utf-8")
        print(f"{len(failures)} wrong answers in {args.failures}")
    if args.out:
        result = {
            "target": args.target,
            "files": [path.name for path in args.files],
            "pairs": len(records),
            "kind_given": not args.no_kind,
            "gate": GATE,
            "under_gate": under,
            "rows": rows,
        }
        args.out.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    return 1 if args.gate and under else 0


if __name__ == "__main__":
    sys.exit(main())
