"""The evaluation set of value pairs: what it is, and how the matcher does on it."""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

import s2sverify as s2s

DATA = Path(__file__).resolve().parent / "data"
FILES = [DATA / "entities_eval.jsonl", DATA / "entities_eval_turns.jsonl"]
KINDS = set(
    "digits phone alnum cardinal ordinal decimal money percent measure date time datetime weekday "  # noqa: SIM905
    "name email url address text".split()
)
CARRIERS = {"alone", "sentence", "among", "turn"}
RECORDS = [
    json.loads(line) for path in FILES for line in path.read_text(encoding="utf-8").splitlines()
]
MAIN = [r for r in RECORDS if "policy" not in r.get("tags", ())]


# ---------------------------------------------------------------------------- the set itself


def test_files_are_what_the_script_makes():
    script = DATA / "make_entities_eval.py"
    done = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_kind_and_carrier_has_true_pairs_and_near_misses():
    assert len(MAIN) >= 2_000
    cells = Counter((r["kind"], r["carrier"], r["match"]) for r in MAIN)
    wanted = {(k, c, m) for k in KINDS for c in CARRIERS for m in (True, False)}
    assert set(cells) == wanted
    assert min(cells.values()) >= 10


def test_half_are_near_misses():
    share = sum(not r["match"] for r in MAIN) / len(MAIN)
    assert share == pytest.approx(0.5, abs=0.02)


def test_ids_are_unique_and_near_names_a_true_pair():
    by_id = {r["id"]: r for r in RECORDS}
    assert len(by_id) == len(RECORDS)
    for r in RECORDS:
        if "near" in r:
            assert not r["match"]
            assert by_id[r["near"]]["match"]
            assert by_id[r["near"]]["kind"] == r["kind"]


def test_no_two_records_disagree():
    labels = {}
    for r in RECORDS:
        key = r["kind"], r.get("value", r["written"]), r["spoken"], r.get("locale")
        assert labels.setdefault(key, r["match"]) == r["match"], key


def test_turns_are_as_long_as_turns_are():
    lengths = [len(r["spoken"].split()) for r in RECORDS if r["carrier"] == "turn"]
    assert min(lengths) >= 120
    assert sum(lengths) / len(lengths) == pytest.approx(200, abs=25)


def test_files_stay_small():
    assert all(path.stat().st_size < 600_000 for path in FILES)


# ---------------------------------------------------------------------------- the matcher on it


@pytest.fixture(scope="module")
def answers():
    """(record, right) for every record of the main score."""
    out = []
    for r in MAIN:
        options = {"locale": r["locale"]} if "locale" in r else {}
        found = s2s.match_entity(
            r.get("value", r["written"]), r["spoken"], kind=r["kind"], **options
        )
        out.append((r, (found.outcome == "spoken") is r["match"]))
    return out


def rate(answers, match, kind=None):
    right = [ok for r, ok in answers if r["match"] is match and kind in (None, r["kind"])]
    return sum(right) / len(right)


def test_true_pairs_are_accepted(answers):
    assert rate(answers, True) >= 0.97


def test_near_misses_are_refused(answers):
    assert rate(answers, False) >= 0.995


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_no_kind_falls_behind(answers, kind):
    assert rate(answers, True, kind) >= 0.93
    assert rate(answers, False, kind) >= 0.98
