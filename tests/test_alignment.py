"""Words of two texts aligned: counts by hand, properties of edit counts, and jiwer where it is installed."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import s2sverify as s2s
from s2sverify import EditCounts, align_words

WORDS = st.lists(st.sampled_from("abcde"), max_size=12)

# ---------------------------------------------------------------- closed form


@pytest.mark.parametrize(
    ("ref", "hyp", "counts"),
    [
        ("a b c", "a b c", (3, 0, 0, 0)),
        ("a b c", "a x c", (2, 1, 0, 0)),
        ("a b c", "a c", (2, 0, 1, 0)),
        ("a c", "a b c", (2, 0, 0, 1)),
        ("a b", "x y z", (0, 2, 0, 1)),
        ("", "a b", (0, 0, 0, 2)),
        ("a b", "", (0, 0, 2, 0)),
        ("", "", (0, 0, 0, 0)),
    ],
)
def test_counts_by_hand(ref, hyp, counts):
    assert align_words(ref, hyp).counts == EditCounts(*counts)
    assert align_words(ref.split(), tuple(hyp.split())).counts == EditCounts(*counts)


def test_rates_are_of_counts_and_counts_add():
    first, second = align_words("a b c d", "a b c x").counts, align_words("a", "a b c").counts
    assert first.word_error_rate == 0.25
    assert second.word_error_rate == 2.0  # insertions can outnumber the words
    total = first + second
    assert total == sum([first, second], start=EditCounts()) == sum([first, second])
    assert (total.ref_words, total.hyp_words, total.errors) == (5, 7, 3)
    assert total.word_error_rate == pytest.approx(0.6)


def test_a_rate_over_nothing_is_nan_and_its_counts_stay():
    counts = align_words("", "a").counts
    assert math.isnan(counts.word_error_rate)
    assert counts.errors == 1


def test_differences_are_told_in_stretches():
    found = align_words("the total is fifteen dollars", "so the total is fifty bucks")
    assert list(found.differences()) == [
        ("insertion", (), ("so",)),
        ("substitution", ("fifteen", "dollars"), ("fifty", "bucks")),
    ]


def test_prose_compared_by_its_meaning():
    ref = s2s.normalize_words("You're all set, that's $48.")
    hyp = s2s.normalize_words("you are all set that is forty-eight dollars")
    assert align_words(ref, hyp).counts == EditCounts(hits=8)


# ---------------------------------------------------------------- property


@given(ref=WORDS, hyp=WORDS)
def test_pairs_cover_both_texts_in_order_with_the_fewest_edits(ref, hyp):
    found = align_words(ref, hyp)
    assert [p.ref for p in found.pairs if p.ref is not None] == list(range(len(ref)))
    assert [p.hyp for p in found.pairs if p.hyp is not None] == list(range(len(hyp)))
    for op, r, h in found.pairs:
        assert (op == "deletion") == (h is None)
        assert (op == "insertion") == (r is None)
        if r is not None and h is not None:
            assert (op == "hit") == (ref[r] == hyp[h])
    counts = found.counts
    assert (counts.ref_words, counts.hyp_words) == (len(ref), len(hyp))
    assert counts.errors == edit_distance(ref, hyp)


def edit_distance(a, b):
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        row, before = [i, *row[1:]], row
        for j, y in enumerate(b, 1):
            row[j] = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (x != y))
    return row[-1]


@given(a=WORDS, b=WORDS)
def test_turned_round_deletions_and_insertions_change_places(a, b):
    one, other = align_words(a, b).counts, align_words(b, a).counts
    assert one.errors == other.errors
    assert one.deletions - one.insertions == other.insertions - other.deletions


@given(counts=st.lists(st.builds(EditCounts, *[st.integers(0, 9)] * 4), min_size=1, max_size=5))
def test_adding_is_the_same_in_any_order(counts):
    assert sum(counts) == sum(reversed(counts))
    assert sum(counts) + EditCounts() == sum(counts)


# ---------------------------------------------------------------- independent reference


@given(ref=st.lists(st.sampled_from("abc"), min_size=1, max_size=8), hyp=WORDS)
def test_agrees_with_an_independent_program(ref, hyp):
    jiwer = pytest.importorskip("jiwer")
    theirs = jiwer.process_words(" ".join(ref), " ".join(hyp)) if hyp else None
    counts = align_words(ref, hyp).counts
    if theirs is not None:
        assert counts.errors == theirs.substitutions + theirs.deletions + theirs.insertions
        assert counts.word_error_rate == pytest.approx(theirs.wer)


# ---------------------------------------------------------------- edges


def test_adding_something_else_is_refused():
    with pytest.raises(TypeError):
        EditCounts() + 1
