"""Calibration sentences: known words, random values, balanced near misses."""

import collections
import json

import numpy as np
import pytest

from s2sverify.errors import InputError
from s2sverify.sentences import (
    KINDS,
    Sentence,
    calibration_sentences,
    write_clips,
)
from s2sverify.text.entities import match_entity
from s2sverify.types import Outcome

SENTENCES = calibration_sentences(120, rng=3)
VALUES = [(sentence, value) for sentence in SENTENCES for value in sentence.values]

# ---------------------------------------------------------------- property


def test_every_kind_has_its_number_of_values_and_its_classes_take_turns():
    per_kind = collections.Counter(value.kind for _, value in VALUES)
    assert per_kind == dict.fromkeys(KINDS, 120)
    assert sum(not sentence.values for sentence in SENTENCES) == 120
    for kind, classes in KINDS.items():
        counted = collections.Counter(v.near_miss for _, v in VALUES if v.kind == kind)
        assert set(counted) == set(classes)
        assert min(counted.values()) >= 120 // 8


def test_the_value_is_said_and_written_and_its_near_miss_is_not():
    # A clock time without AM or PM after a word that does not announce a time may stay in doubt, and a
    # digit before a word that looks like a plural ("zero arrives") may be taken for a count of it.
    wrong = collections.Counter()
    for sentence, value in VALUES:
        for text in (sentence.text, sentence.spoken):
            found = match_entity(value.value, text, kind=value.kind)
            other = match_entity(value.partner, text, kind=value.kind)
            wrong["value", value.kind] += found.outcome is not Outcome.SPOKEN
            wrong["partner", value.kind] += other.outcome is Outcome.SPOKEN
    n = 2 * 120
    for (what, kind), count in wrong.items():
        doubtful = {("value", "time"): 0.02, ("partner", "code"): 0.02, ("partner", "digits"): 0.02}
        assert count <= doubtful.get((what, kind), 0.0) * n, (what, kind, count)


def test_near_misses_are_of_the_class_that_the_matcher_names():
    named = collections.Counter()
    stable = {name for classes in KINDS.values() for name in classes}
    stable -= {"dropped", "doubled", "letter_confusion", "a_eight"}
    for sentence, value in VALUES:
        heard = match_entity(value.partner, sentence.text, kind=value.kind)
        # A dropped symbol is heard as an added one from the other side, and some letters that sound alike to
        # one list do not to the other.
        if heard.outcome is Outcome.DIFFERENT and value.near_miss in stable:
            named[value.near_miss, heard.near_miss == value.near_miss] += 1
    assert {name for name, _ in named} == stable
    for name in stable:
        assert named[name, True] >= 5 * named[name, False], (name, named)


def test_partners_differ_from_their_values_and_from_the_neighbours():
    for sentence, value in VALUES:
        assert value.partner != value.value
        assert value.partner not in {v.value for v in sentence.values}


def test_lengths_are_those_of_turns():
    lengths = np.array([len(sentence.spoken.split()) for sentence in SENTENCES])
    assert lengths.min() >= 4
    assert np.mean((lengths >= 4) & (lengths <= 25)) > 0.9
    assert np.mean(lengths < 10) > 0.1


def test_two_values_share_a_sentence_as_asked():
    def share(pairs):
        written = calibration_sentences(40, n_prose=0, pairs=pairs, rng=1)
        return np.mean([len(sentence.values) == 2 for sentence in written])

    assert share(0.0) == 0.0
    assert 0.3 < share(0.5) < share(1.0)


def test_the_seed_is_the_text():
    assert calibration_sentences(10, rng=5) == calibration_sentences(10, rng=5)
    assert calibration_sentences(10, rng=5) != calibration_sentences(10, rng=6)
    assert len({sentence.id for sentence in SENTENCES}) == len(SENTENCES)
    assert len({sentence.spoken for sentence in SENTENCES}) == len(SENTENCES)


def test_values_are_spread_over_their_ranges():
    digits = "".join(v.value for _, v in VALUES if v.kind == "digits")
    shares = np.array([digits.count(d) / len(digits) for d in "0123456789"])
    assert shares.min() > 0.05
    assert shares.max() < 0.2
    letters = "".join(c for _, v in VALUES if v.kind == "code" for c in v.value if c.isalpha())
    assert len(set(letters)) >= 24
    assert "O" not in letters  # not to be told from 0
    assert len({v.value for _, v in VALUES if v.kind == "date"}) > 80
    assert {v.value for _, v in VALUES if v.kind == "weekday"} == {
        "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday",
    }  # fmt: skip


# ---------------------------------------------------------------- contract, edges


def test_manifest_has_a_line_per_sentence(tmp_path):
    write_clips(SENTENCES[:5], tmp_path / "m.jsonl", audio={SENTENCES[0].id: "first.flac"})
    rows = [json.loads(line) for line in (tmp_path / "m.jsonl").read_text().splitlines()]
    assert [row["id"] for row in rows] == [sentence.id for sentence in SENTENCES[:5]]
    assert [row["audio"] for row in rows[:2]] == ["first.flac", f"{SENTENCES[1].id}.wav"]
    assert rows[0]["spoken"] == SENTENCES[0].spoken
    assert list(tmp_path.iterdir()) == [tmp_path / "m.jsonl"]


def test_only_the_kinds_asked_for():
    written = calibration_sentences(12, n_prose=3, kinds=["time", "name"], rng=0)
    assert {v.kind for s in written for v in s.values} == {"time", "name"}
    assert sum(isinstance(s, Sentence) and not s.values for s in written) == 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_per_kind": 0}, "n_per_kind must be a positive count, got 0"),
        ({"n_per_kind": 5, "n_prose": -1}, "n_prose must be a positive count, got -1"),
        ({"n_per_kind": 5, "kinds": ["shoe"]}, "kinds must be of digits, code, .*, got 'shoe'"),
        ({"n_per_kind": 5, "pairs": 1.5}, r"pairs must be in \[0, 1\], got 1.5"),
        (
            {"n_per_kind": 71, "kinds": ["weekday"], "pairs": 0.0},
            "too high for different sentences with a weekday",
        ),
        ({"n_per_kind": 5, "rng": None}, "rng must be a seed"),
    ],
)
def test_refuses_what_makes_no_sentences(arguments, message):
    with pytest.raises(InputError, match=message):
        calibration_sentences(**arguments)
