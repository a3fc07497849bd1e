"""Prose to the words it is compared by: what says the same becomes the same, and nothing else does."""

import pytest
import renderings
from hypothesis import given, settings
from hypothesis import strategies as st

import s2sverify as s2s
from s2sverify.text.lattice import Lattice
from s2sverify.text.normalize import words_with_atoms

normal = s2s.normalize_words

# ---------------------------------------------------------------- closed form


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("You're all set.", "you are all set"),
        ("It's $48, isn't it?", "it is forty-eight dollars is not it"),
        ("$375.77", "three hundred seventy five dollars and seventy seven cents"),
        ("at 7.30pm on May 13th", "at seven thirty p m on May thirteenth"),
        ("the thirteenth of May, 2027", "May 13, 2027"),
        ("80% off", "eighty per cent off"),
        ("code CG-140.", "code C G one four zero"),
        ("number 5475", "number five four seven five"),
        ("1,249 seats", "one thousand two hundred forty nine seats"),
        ("the 21st floor", "the twenty-first floor"),
        ("2.5 million", "two point five million"),
        ("Um, uh, okay", "OK"),
        ("I cannot, I won't", "I can not I will not"),
        ("their favourite colour", "their favorite color"),
        ("café Müller", "CAFE MULLER"),
        ("a hundred dollars", "$100"),
        ("thanks, that's O'Brien's", "thank you that is OBriens"),
        ("8 a.m.", "eight am"),
    ],
)
def test_what_says_the_same_becomes_the_same(one, other):
    assert normal(one) == normal(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("$48", "$84"), ("fifteen", "fifty"), ("7:30 pm", "7:30 am"), ("May 13", "May 30"), ("B D", "B T"),
        ("I can", "I can't"), ("a T shirt", "at shirt"), ("the first", "the one"), ("1.5", "15"),
    ],
)  # fmt: skip
def test_what_says_something_else_does_not(one, other):
    assert normal(one) != normal(other)


def test_the_words_of_a_sentence():
    text = "Uh, you're booked at 7.30pm on May 13th; that's $48.50, incl. 8% tax, code BD-4471!"
    said = (
        "you are booked at 7:30 pm on may 13 that is 48.5 dollars incl 8 percent tax code bd 4471"
    )
    assert normal(text) == said.split()


def test_words_know_the_atoms_they_stand_for():
    lattice = Lattice(["it's", "forty", "eight", "dollars", "now"])
    assert words_with_atoms(lattice) == [
        ("it", 0, 1), ("is", 0, 1), ("48", 1, 4), ("dollars", 1, 4), ("now", 4, 5),
    ]  # fmt: skip


# ---------------------------------------------------------------- property


@settings(max_examples=400, deadline=None)
@given(
    text=st.one_of(
        st.text(max_size=60),
        st.lists(
            st.sampled_from(
                renderings.words(
                    "one two twenty forty oh zero hundred thousand and a point five third $5 48 1,249 7:30 7.30 pm"
                    " p m may 13th of percent per cent dollars cents it's can't I B D o'clock half past , . - B-D ½"
                )
            ),
            max_size=14,
        ).map(" ".join),
    )
)
def test_normalising_twice_changes_nothing(text):
    once = normal(text)
    assert normal(" ".join(once)) == once
    assert all(word and word == word.lower() and not word.isspace() for word in once)


@given(n=st.integers(0, 10**9))
def test_numbers_in_words_become_their_figures(n):
    assert normal(renderings.american(n)) == normal(f"{n:,}") == [str(n)]


@pytest.mark.parametrize("kind", ["money", "percent", "date", "ordinal"])
def test_written_and_spoken_sentences_agree(kind):
    for n in range(20):
        value = renderings.value(kind, renderings.seeded("prose", kind, n))
        value = f"2027{value[4:]}" if kind == "date" else value
        written, spoken = s2s.render(value, kind, rng=n)
        if ", 2027" not in written:
            assert normal(f"That's {written}, okay?") == normal(f"that is {spoken} ok")


# ---------------------------------------------------------------- edges


@pytest.mark.parametrize("text", ["", "  ", "...", "um, uh", "\u200f", "?!"])
def test_nothing_said_is_no_words(text):
    assert normal(text) == []
