"""Is this value what was said? Conventions line by line, properties against wordings made apart, bug reports."""

import doctest
import importlib
import json
import subprocess
import sys
import time
from datetime import date, datetime
from datetime import time as clock_time
from decimal import Decimal
from pathlib import Path

import pytest
import renderings
from hypothesis import given, settings
from hypothesis import strategies as st

import s2sverify as s2s
from s2sverify import cli
from s2sverify.text import vocabulary
from s2sverify.text.entities import contains_entity
from s2sverify.text.lattice import fold, lattice_of
from s2sverify.text.names import sound
from s2sverify.text.numbers import place

SPOKEN, DIFFERENT, ABSENT, AMBIGUOUS = s2s.Outcome


def said(expected, spoken, kind=None, **options):
    return s2s.match_entity(expected, spoken, kind=kind, **options).outcome is SPOKEN


# ---------------------------------------------------------------- closed form: the conventions


@pytest.mark.parametrize(
    ("slice_", "text", "kind"),
    [
        ("4821", "the code is 48213", "digits"),
        ("8213", "four eight two one three", "digits"),
        ("4821", "four eight two one, three", "digits"),
        ("249.99", "it comes to $1,249.99", "money"),
        ("1249.00", "it comes to $1,249.99", "money"),
        ("50", "one of 1500 seats", "cardinal"),
        ("5", "two hundred and five", "cardinal"),
        ("200", "two hundred and five", "cardinal"),
        ("13", "48213", "cardinal"),
        ("D4471", "B D 4 4 7 1", "code"),
        ("4471", "code BD4471", "digits"),
        ("rowe@gmail.com", "maya dot rowe at gmail dot com", "email"),
        ("acme.com", "acme dot com slash help", "url"),
        ("12 Maple Street", "112 Maple Street", "address"),
        ("2027-05-20", "May twenty first", "date"),
        ("09:00", "nine thirty", "time"),
        ("4.5", "14.5", "decimal"),
        ("5 kg", "fifteen kilos", "measure"),
        ("20", "the twenty-first", "ordinal"),
        ("5", "15.5 percent", "percent"),
    ],
)
def test_a_value_is_no_slice_of_a_longer_one(slice_, text, kind):
    assert not said(slice_, text, kind)


@pytest.mark.parametrize(
    ("expected", "kind", "left_out", "right", "wrong"),
    [
        (
            "+14155550109", "phone", "four one five, five five five, zero one zero nine",
            "plus one four one five five five five zero one zero nine",
            "plus four four four one five five five five zero one zero nine",
        ),
        ("2027-05-13", "date", "May thirteenth", "May thirteenth, 2027", "May thirteenth, 2028"),
        ("15.40", "money", "fifteen forty", "fifteen dollars forty", "fifteen pounds forty"),
        ("£15.40", "money", "fifteen forty", "fifteen pounds forty", "fifteen dollars forty"),
    ],
)  # fmt: skip
def test_country_year_and_currency_may_be_unsaid_but_not_wrong(
    expected, kind, left_out, right, wrong
):
    assert said(expected, left_out, kind)
    assert said(expected, right, kind)
    assert not said(expected, wrong, kind)


@pytest.mark.parametrize(
    ("expected", "kind", "canonical"),
    [
        ("May 13, 2027", "date", "2027-05-13"),
        (date(2027, 5, 13), "date", "2027-05-13"),
        ("7:30 PM", "time", "19:30"),
        (clock_time(19, 30), "time", "19:30"),
        (datetime(2027, 5, 13, 19, 30), "datetime", "2027-05-13T19:30"),
        ("+1 (415) 555-0109", "phone", "+14155550109"),
        ("bd-4471", "code", "BD4471"),
        ("$1,249.5", "money", "1249.50 USD"),
        (15.4, "money", "15.40"),
        ("15 %", "percent", "15%"),
        (Decimal("2.50"), "decimal", "2.5"),
        ("thu", "weekday", "Thursday"),
        ("twenty first", "ordinal", "21"),
        ("3 kilograms", "measure", "3 kg"),
        ("HTTPS://Acme.com/Help", "url", "https://acme.com/help"),
    ],
)
def test_canonical_forms(expected, kind, canonical):
    assert s2s.match_entity(expected, "nothing of the kind", kind=kind).expected == canonical


@pytest.mark.parametrize("hour", range(24))
def test_a_clock_time_without_am_or_pm_fits_either_half(hour):
    said_hour = renderings.british(hour % 12 or 12)
    assert said(f"{hour:02d}:30", f"{said_hour} thirty", "time")
    right, wrong = ("am", "pm") if hour < 12 else ("pm", "am")
    assert said(f"{hour:02d}:30", f"{said_hour} thirty {right}", "time")
    assert not said(f"{hour:02d}:30", f"{said_hour} thirty {wrong}", "time")


def test_a_written_time_that_does_not_tell_its_half_is_in_doubt_against_pm():
    assert said("9:45", "nine forty five am", "time")
    assert s2s.match_entity("9:45", "nine forty five pm", kind="time").outcome is AMBIGUOUS
    assert s2s.match_entity("09:45", "nine forty five pm", kind="time").outcome is DIFFERENT


@pytest.mark.parametrize(
    "text",
    [
        "BD-4471", "bd 4471", "B D 4 4 7 1", "B.D. 4471", "B-D-4-4-7-1", "bee dee four four seven one",
        "Bravo Delta four four seven one", "B as in boy, D as in dog, 4471", "B for Bravo, D for Delta, 4471",
        "b like boy d like dog double four seven one", "BD forty four seventy one", "capital B capital D 4471",
        "B D dash 4471", "the letter B, the letter D, then four four seven one",
    ],
)  # fmt: skip
def test_codes_are_understood_however_they_are_spelled(text):
    assert said("BD4471", text, "code")


@pytest.mark.parametrize(
    ("expected", "text"),
    [
        ("W020N", "W oh two oh N"), ("W020N", "WO2ON"), ("WO2ON", "W zero two zero N"), ("Z10", "zed ten"),
        ("Z10", "zee ten"), ("007", "double oh seven"), ("0005", "triple oh five"), ("W3", "double u three"),
        ("5517", "double five one seven"), ("AA12", "double A twelve"), ("X1", "X-ray one"),
    ],
)  # fmt: skip
def test_o_is_zero_zed_is_zee_and_doubles_count(expected, text):
    assert said(expected, text, "code")


@pytest.mark.parametrize(
    ("expected", "text"),
    [
        ("PX-014", "P X fourteen"), ("BD4471", "B T 4471"), ("BD4471", "D B 4471"), ("BD4471", "BD 447"),
        ("BD4471", "BD 44711"), ("BD4471", "B as in dog, D as in dog, 4471"), ("A8", "A A"), ("59", "95"),
    ],
)  # fmt: skip
def test_order_and_every_character_of_a_code_count(expected, text):
    assert not said(expected, text, "code")


@pytest.mark.parametrize(
    ("expected", "text"),
    [
        ("48213", "forty-eight two thirteen"), ("48213", "48 to 13"), ("730", "seven thirty"),
        ("7330", "seven thirty three oh"), ("283", "two eighty three"), ("48213", "482 1-3"), ("48213", "$48,213"),
        ("48213", "4, 8, 2, 1, 3"), ("5590", "double 590"), ("831452",
        "eight hundred thirty one thousand four hundred fifty two"),
        ("9876504321", "nine eight seven six 5:04 three two one"), ("8005", "eight thousand five"),
    ],
)  # fmt: skip
def test_group_readings_of_digits_count(expected, text):
    found = s2s.match_entity(expected, text, kind="digits")
    assert found.outcome is SPOKEN
    assert found.reading


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("four eight to one three", SPOKEN),
        ("forty eight to thirteen", SPOKEN),
        ("four eight two one three to confirm", SPOKEN),
        ("for eight two one three", AMBIGUOUS),
        ("for you, eight two one three", DIFFERENT),
    ],
)
def test_homophones_are_digits_only_inside_a_run(text, outcome):
    assert s2s.match_entity("48213", text, kind="digits").outcome is outcome


def test_policies_narrow_the_readings():
    assert (
        s2s.match_entity("48213", "48 to 13", kind="digits", homophones=False).outcome is AMBIGUOUS
    )
    assert (
        s2s.match_entity("15.40", "fifteen forty", kind="money", bare_cents=False).outcome
        is AMBIGUOUS
    )


@pytest.mark.parametrize(
    ("expected", "text", "kind", "right"),
    [
        ("a_b-c.d+e@x.com", "a underscore b dash c dot d plus e at x dot com", "email", True),
        ("a_b@x.com", "a b at x dot com", "email", False),
        ("a-b@x.com", "a dot b at x dot com", "email", False),
        ("https://acme.com/a", "acme dot com slash a", "url", True),
        ("https://acme.com/a", "h t t p s colon slash slash acme dot com slash a", "url", True),
        ("my-shop.net", "my shop dot net", "url", False),
    ],
)
def test_signs_of_addresses_count(expected, text, kind, right):
    assert said(expected, text, kind) is right


@pytest.mark.parametrize(
    ("expected", "text", "outcome"),
    [
        ("José García", "jose garcia", SPOKEN),
        ("Sean O'Brien", "SEAN OBRIEN", SPOKEN),
        ("Dr. Patel", "Mister Patel", SPOKEN),
        ("Anne-Marie Dupont", "Anne Marie Dupont", SPOKEN),
        ("Stephen Marlow", "Steven Marlo", SPOKEN),
        ("Harrington", "H-A-R-R-I-N-G-T-O-N", SPOKEN),
        ("Kaylee", "Kayleigh, K-A-Y-L-E-E", SPOKEN),
        ("Kaylee", "Kaylee, K-A-Y-L-E-I-G-H", DIFFERENT),
        ("Harrington", "H-A-R-I-N-G-T-O-N", DIFFERENT),
        ("Irene Barlow", "Irene Marlow", DIFFERENT),
        ("Petra Pruitt", "Petra Prude", AMBIGUOUS),
        ("Greta Ashby", "Ms. Ashby", AMBIGUOUS),
        ("Greta Ashby", "nobody by that name", ABSENT),
    ],
)
def test_names_by_letters_and_by_sound(expected, text, outcome):
    assert s2s.match_entity(expected, text, kind="name").outcome is outcome


@pytest.mark.parametrize(
    ("text", "us", "gb"),
    [
        ("5/6/2027", "2027-05-06", "2027-06-05"),
        ("the thirteenth of May 2027", "2027-05-13", "2027-05-13"),
    ],
)
def test_locale_orders_day_and_month(text, us, gb):
    assert said(us, text, "date")
    assert said(gb, text, "date", locale="en-GB")
    assert us == gb or not said(us, text, "date", locale="en-GB")


def test_region_currency_and_reference_date_are_parameters():
    assert said(
        "07700900321",
        "plus four four seven seven double oh nine double oh three two one",
        "phone",
        region="GB",
    )
    assert not said(
        "07700900321", "plus four four seven seven double oh nine double oh three two one", "phone"
    )
    assert said("15.40", "fifteen pounds forty", "money", currency="GBP")
    assert said("15.40", "fifteen pounds forty", "money", locale="en-GB")
    assert said("19:30", "half seven", "time", locale="en-GB")
    assert s2s.match_entity("19:30", "half seven", kind="time").outcome is AMBIGUOUS
    assert said("2027-05-14", "tomorrow", "date", reference_date=date(2027, 5, 13))
    assert not said("2027-05-14", "tomorrow", "date")
    assert said(13_00_000, "thirteen lakh", locale="en-IN")


# ---------------------------------------------------------------- closed form: what comes back


def test_different_names_the_value_heard_its_place_and_the_symbols():
    found = s2s.match_entity("48213", "your code is four five two one three, thanks", kind="digits")
    assert (found.outcome, found.heard, found.span) == (DIFFERENT, "45213", (3, 8))
    assert [str(edit) for edit in found.edits] == ["digit 2: 5 for 8"]
    assert not found


@pytest.mark.parametrize(
    ("expected", "text", "kind", "heard", "near_miss"),
    [
        ("15", "fifty seats", "cardinal", "50", "teen_ty"),
        ("48213", "4 8 1 2 3", "digits", "48123", "transposed"),
        ("48213", "4 8 2 3", "digits", "4823", "dropped"),
        ("48213", "4 8 8 2 1 3", "digits", "488213", "doubled"),
        ("48253", "4 8 2 9 3", "digits", "48293", "five_nine"),
        ("BD4471", "B T 4 4 7 1", "code", "BT4471", "letter_confusion"),
        ("19:30", "seven thirty am", "time", "07:30", "am_pm"),
        ("19:30", "seven thirteen pm", "time", "19:13", "teen_ty"),
        ("Thursday", "on Tuesday", "weekday", "Tuesday", "weekday"),
        ("2027-05-13", "March thirteenth", "date", "2027-03-13", "month"),
        ("2027-05-13", "May fourteenth", "date", "2027-05-14", "day"),
        ("2027-05-13", "May thirtieth", "date", "2027-05-30", "teen_ty"),
        ("15.40", "fifteen dollars and four cents", "money", "15.04", "cents"),
        ("15.40", "$154", "money", "154.00", "shifted_decimal"),
        ("15.40", "£15.40", "money", "15.40 GBP", "currency"),
        ("50 mg", "fifty grams", "measure", "50 g", "unit"),
    ],
)
def test_near_miss_classes(expected, text, kind, heard, near_miss):
    found = s2s.match_entity(expected, text, kind=kind)
    assert (found.outcome, found.heard, found.near_miss) == (DIFFERENT, heard, near_miss)
    assert found.edits


def test_different_needs_a_value_of_the_kind_in_its_place():
    text = "you have two bags and it leaves at five"
    assert s2s.match_entity("48213", text, kind="digits").outcome is ABSENT
    assert s2s.match_entity("15.40", text, kind="money").outcome is ABSENT
    assert s2s.match_entity("Thursday", text, kind="weekday").outcome is ABSENT


def test_words_with_times_give_an_interval_in_seconds():
    words = [
        s2s.Word(t, 0.5 * k, 0.5 * k + 0.4)
        for k, t in enumerate(["it", "is", "four", "eight", "two", "one", "now"])
    ]
    for spoken in (words, tuple(words), s2s.Transcript(tuple(words))):
        found = s2s.match_entity("4821", spoken, kind="digits")
        assert found.span == (2, 6)
        assert found.interval == s2s.Interval(1.0, 2.9)
    assert s2s.match_entity("4821", "it is four eight two one now", kind="digits").interval is None


def test_spans_count_whitespace_words_whatever_is_inside_them():
    found = s2s.match_entity("15.40", "So,  that's $15.40, right?", kind="money")
    assert found.span == (2, 3)


@pytest.mark.parametrize(
    ("text", "expected", "kind", "outcome", "corrected"),
    [
        ("four one, sorry, four two", "42", "digits", SPOKEN, True),
        ("four one, sorry, four two", "41", "digits", DIFFERENT, True),
        ("on Monday, I mean on Tuesday", "Tuesday", "weekday", SPOKEN, True),
        ("on Monday, I mean on Tuesday", "Monday", "weekday", DIFFERENT, True),
        ("at five, sorry, six", "18:00", "time", SPOKEN, True),
        ("at five pm, sorry, six", "17:00", "time", DIFFERENT, True),
        ("three nights, actually four nights", "3", "cardinal", DIFFERENT, True),
        ("four eight one, sorry, two one three", "48213", "digits", AMBIGUOUS, True),
        ("that is $15.40. Sorry, there is a $2.00 fee too", "15.40", "money", SPOKEN, False),
        ("not fifteen but fifty", "50", "cardinal", SPOKEN, False),
        ("not fifteen but fifty", "15", "cardinal", DIFFERENT, False),
    ],
)
def test_the_last_version_of_a_self_correction_counts(text, expected, kind, outcome, corrected):
    found = s2s.match_entity(expected, text, kind=kind)
    assert (found.outcome, found.corrected) == (outcome, corrected)


def test_a_doubt_is_named():
    found = s2s.match_entity("80.25", "the new total is 8025", kind="money")
    assert (found.outcome, found.doubt) == (AMBIGUOUS, "dollars or cents")
    assert found.heard == found.expected
    assert contains_entity("80.25", "the new total is 8025", kind="money")
    assert not contains_entity("80.25", "the new total is 8035", kind="money")


# ---------------------------------------------------------------- closed form: kinds of bare values


@pytest.mark.parametrize(
    ("value", "kinds"),
    [
        ("BD4471", {"code"}), ("007", {"digits"}), ("+14155550109", {"phone"}), ("15%", {"percent"}),
        ("$15.40", {"money"}), ("19:30", {"time"}), ("2027-05-13", {"date"}), ("2027-05-13T19:30:00Z", {"datetime"}),
        ("Thursday", {"weekday"}), ("a.b@x.com", {"email"}), ("https://x.com/a", {"url"}), ("50 mm", {"measure"}),
        ("21st", {"ordinal"}), ("5475", {"digits", "cardinal"}), ("15.40", {"money", "decimal"}),
        (15, {"cardinal", "digits", "money", "percent"}), (15.5, {"decimal", "money", "percent"}),
        (date(2027, 5, 13), {"date"}), ("Greta Ashby", {"name"}), ("12 Maple Street", {"address"}),
    ],
)  # fmt: skip
def test_kinds_of_a_bare_value(value, kinds):
    assert kinds <= set(s2s.infer_kinds(value))


@pytest.mark.parametrize(
    ("value", "key", "first"),
    [
        (15, "rate_percent", "percent"), (15, "total_amount", "money"), ("5475", "order_id", "digits"),
        (15, "numberOfGuests", "cardinal"), ("BD4471", "total_amount", "code"), ("2027-05-13", "order_id", "date"),
        ("15.40", "taxRate", "percent"), (4155550109, "phone", "digits"),
    ],
)  # fmt: skip
def test_the_name_of_a_field_ranks_what_the_form_leaves_open(value, key, first):
    assert s2s.infer_kinds(value, key=key)[0] == first


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("5475", "the number is five four seven five"), ("5475", "five thousand four hundred seventy five"),
        ("15.40", "fifteen dollars forty"), ("15.40", "fifteen point four"), (15,
        "fifteen percent"), (15, "a party of fifteen"),
        (15.4, "$15.40"), ("21", "on the twenty first floor"), ("Thursday", "on thursday"),
        (date(2027, 5, 13), "May 13th"),
    ],
)  # fmt: skip
def test_without_a_kind_every_plausible_one_counts(value, text):
    assert said(value, text)


# ---------------------------------------------------------------- closed form: all values of a text


def test_find_entities_lists_typed_maximal_values_in_order():
    text = (
        "Hello, your code is B D 4 4 7 1 and the total is fifteen dollars and forty cents, that is 15 percent off."
        " It ships on Thursday, May 13th at half past seven in the evening: 2 boxes, 12.5 kilos. Call 415-555-0109 or"
        " write to maya dot rowe at gmail dot com; more on acme.com/help. You are the third caller."
    )
    assert [(e.kind, e.value) for e in s2s.find_entities(text)] == [
        ("code", "BD4471"), ("money", "15.40"), ("percent", "15%"), ("weekday", "Thursday"), ("date", "--05-13"),
        ("time", "19:30"), ("cardinal", "2"), ("measure", "12.5 kg"), ("phone", "4155550109"),
        ("email", "maya.rowe@gmail.com"), ("url", "acme.com/help"), ("ordinal", "3"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "one moment please",
        "I may march on",
        "that is the right one",
        "are you there",
        "I am here",
        "a great day, sat down",
    ],
)
def test_find_entities_finds_nothing_in_plain_talk(text):
    assert s2s.find_entities(text) == ()


@pytest.mark.parametrize(
    "kind", sorted(set(renderings.KINDS) - {"name", "address", "text", "datetime", "ordinal"})
)
def test_what_is_found_matches_itself(kind):
    for n in range(12):
        rng = renderings.seeded("found", kind, n)
        text = f"Well, the thing is {rng.choice(renderings.renderings(kind, renderings.value(kind, rng), rng))}."
        for found in s2s.find_entities(text):
            match = s2s.match_entity(found.value, text, kind=found.kind)
            assert match.outcome in (SPOKEN, AMBIGUOUS), (text, found, match)
            assert match.span is not None


# ---------------------------------------------------------------- closed form: harness rules


@pytest.mark.parametrize(
    ("expected", "actual", "kind", "exact", "equal"),
    [
        ("BD-4471", "bd 4471", "alnum", False, True), ("BD4471", "BD4471", "alnum", True, True),
        ("BD4471", "BT4471", "alnum", False, False), ("15.40", 15.4, "money", False, True),
        ("$15.40", "15.40 dollars", "money", False, True), ("$15.40", "£15.40", "money", False, False),
        ("2027-05-13", "May 13, 2027", "date", False, True), ("2027-05-13", "2027-05-14", "date", False, False),
        (3, "3", "int", False, True), (3, 3.0, "int", False, True), (3, "three", "int", False, True),
        ("You're all set", "you are all set.", "text", False, True), ("a b", "a  b", "exact", False, False),
        ("a b", "a b", "exact", True, True), ("+14155550109", "(415) 555-0109", "phone", False, True),
        ("19:30", "7:30 PM", "time", False, True), ("A@X.com", "a@x.com", "email", False, True),
        ("https://www.x.com/", "x.com", "url", False, True), ("1 Elm Street", "1 elm st", "address", False, True),
        ("90 min", "1.5 hours", "measure", False, True), ("007", 7, None, False, False), ("5475",
        5475, None, False, True),
    ],
)  # fmt: skip
def test_rules_for_comparing_arguments(expected, actual, kind, exact, equal):
    found = s2s.compare_values(expected, actual, kind=kind)
    assert (found.exact, found.equal, bool(found)) == (exact, equal, equal)
    assert found.equal or found.kind == "exact" or found.expected != found.actual


def test_an_actual_value_that_is_none_of_its_kind_is_unequal_not_an_error():
    assert not s2s.compare_values("2027-05-13", "soon", kind="date")


# ---------------------------------------------------------------- property


@pytest.mark.parametrize("kind", renderings.KINDS)
def test_every_value_accepts_twenty_of_its_renderings(kind):
    for n in range(8):
        rng = renderings.seeded("own", kind, n)
        value = renderings.value(kind, rng)
        forms = renderings.renderings(kind, value, rng)
        assert len(set(forms)) >= 20
        for text in forms:
            found = s2s.match_entity(value, text, kind=kind)
            assert found.outcome is SPOKEN, (value, text, found)
            assert found.heard == found.expected
            assert not found.edits


@pytest.mark.parametrize("kind", renderings.KINDS)
def test_every_single_symbol_mutation_is_refused(kind):
    for n in range(5):
        rng = renderings.seeded("mutated", kind, n)
        value = renderings.value(kind, rng)
        forms = renderings.renderings(kind, value, rng)
        for mutation in renderings.mutations(kind, value):
            for text in rng.sample(forms, 2):
                found = s2s.match_entity(mutation, text, kind=kind)
                assert found.outcome is not SPOKEN, (value, mutation, text, found)


@pytest.mark.parametrize("kind", renderings.KINDS)
def test_a_value_is_found_among_others_and_in_a_long_turn(kind):
    frames = (
        "Your thing is {}, is that right?", "so i have {} here for you", "There are nine bags, {}, and a chair.",
        "Thank you so much for holding. " * 20 + "It is {}. " + "Is there anything else that I can do for you? " * 20,
    )  # fmt: skip
    for n in range(5):
        rng = renderings.seeded("framed", kind, n)
        value = renderings.value(kind, rng)
        text = rng.choice(renderings.renderings(kind, value, rng)).rstrip(".")
        for frame in frames:
            found = s2s.match_entity(value, frame.format(text), kind=kind)
            if (
                found.outcome is not SPOKEN
            ):  # a bare hour, a bare amount or an address behind an unknown word
                assert found.outcome is AMBIGUOUS and found.doubt, (value, text, frame, found)


@pytest.mark.parametrize("kind", renderings.KINDS)
def test_package_renderings_match_and_near_misses_do_not(kind):
    for n in range(6):
        value = renderings.value(kind, renderings.seeded("render", kind, n))
        near = s2s.near_misses(value, kind)
        assert value not in dict(near)
        for text in s2s.render(value, kind, rng=n):
            assert said(value, text, kind), (value, text)
            for other, name in near:
                hidden = name in ("year", "ending") or (
                    kind == "phone" and other.lstrip("+1") == value.lstrip("+1")
                )
                assert hidden or not said(other, text, kind), (value, other, name, text)


def test_render_is_repeatable_and_covers_every_kind():
    for kind in renderings.KINDS:
        value = renderings.value(kind, renderings.seeded("again", kind))
        assert s2s.render(value, kind, rng=5) == s2s.render(value, kind, rng=5)
    assert len({s2s.render("1234.56", "money", rng=n)[1] for n in range(30)}) > 1


PLAIN_WORDS = renderings.words(
    "and a the to for at dot dash point percent dollars cents pm am o'clock half quarter past sorry as in like minus"
)
AWKWARD_WORDS = renderings.words(
    "5:30 7.30pm 1,249.99 $48,213 B-D-4 48 213 7th 007 5/13 ½ ... , ? +1 (415) a@b.com x.y --- $ % @ İ ß \u200f"
)
WORDS = st.sampled_from([
    *vocabulary.NUMBER_WORDS, *vocabulary.NATO, *vocabulary.LETTER_NAMES, *vocabulary.MONTHS,
    *"abcdefghijklmnopqrstuvwxyz",
    *PLAIN_WORDS, *AWKWARD_WORDS,
])  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(
    text=st.one_of(st.text(max_size=60), st.lists(WORDS, max_size=25).map(" ".join)),
    kind=st.sampled_from(renderings.KINDS),
    seed=st.integers(0, 50),
)
def test_any_text_gets_an_answer(text, kind, seed):
    value = renderings.value(kind, renderings.seeded("fuzz", kind, seed))
    found = s2s.match_entity(value, text, kind=kind)
    n = len(text.split())
    assert found.span is None or 0 <= found.span[0] < found.span[1] <= n
    assert (found.heard is None) == (found.outcome is ABSENT)
    assert bool(found.edits) <= (found.outcome is DIFFERENT)
    for entity in s2s.find_entities(text):
        assert 0 <= entity.span[0] < entity.span[1] <= n
        assert s2s.match_entity(entity.value, text, kind=entity.kind).expected


@settings(max_examples=200, deadline=None)
@given(text=st.text(max_size=40))
def test_folding_twice_changes_nothing(text):
    assert fold(fold(text)) == fold(text)


@given(n=st.integers(0, 10**15 - 1))
def test_place_value_reads_what_num2words_says(n):
    for words in (renderings.british(n), renderings.american(n)):
        lattice = lattice_of(words)
        assert n in [int(found.value) for found in place(lattice, 0) if found.end == lattice.n]


@pytest.mark.parametrize(
    "unit",
    ["four ", "48 ", "twenty one ", "two hundred and ", "4 dash ", "double ", "b ", "b as in ", "4 point ",
    "may 5 ", "1.", "1,", "4-",
     "5:30 ", "five to ", "five dollars and ", "a at b dot ", "5 sorry ", "half past ", "Greta Ashby "],
)  # fmt: skip
def test_time_grows_with_the_words_only(unit):
    def seconds(n):
        text = unit * n
        start = time.process_time()
        for kind in ("digits", "code", "money", "date", "time", "email", "name"):
            s2s.match_entity(
                renderings.value(kind, renderings.seeded("long", kind)), text, kind=kind
            )
        s2s.find_entities(text)
        return time.process_time() - start

    short = max(seconds(200), 0.01)
    assert (
        seconds(2_000) < 40 * short
    )  # 10 times the words; a quadratic search takes 100 times as long


# ---------------------------------------------------------------- independent reference


def cases(name):
    path = Path(__file__).resolve().parents[2] / "shared" / "cases" / name
    if not path.exists():
        return []
    return [
        json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()
    ]


@pytest.mark.skipif(not cases("entities.jsonl"), reason="the cases of bug reports are not at hand")
def test_cases_of_bug_reports_are_all_right():
    wrong = []
    for case in cases("entities.jsonl"):
        expected = case.get("value", case["written"])
        texts = [case["spoken"]]
        if case.get("embed", True):
            texts.append(f"Your thing is {case['spoken']}, is that right?")
        wrong += [
            (case["id"], t) for t in texts if said(expected, t, case["kind"]) != case["match"]
        ]
    assert wrong == []


# ---------------------------------------------------------------- contract


def test_the_page_on_values_runs():
    page = Path(__file__).resolve().parents[1] / "docs" / "values.md"
    done = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert done.attempted > 15
    assert done.failed == 0


@pytest.mark.parametrize("name", ["entities", "comparison", "normalize"])
def test_examples_of_the_docstrings_run(name):
    module = importlib.import_module(f"s2sverify.text.{name}")
    done = doctest.testmod(module)
    assert done.attempted
    assert done.failed == 0


def test_importing_the_matcher_is_light():
    code = (
        "import sys, s2sverify.text.entities;"
        "print([m for m in ('numpy', 'rapidfuzz', 'pydantic', 'num2words') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_results_are_values():
    found = s2s.match_entity("4821", "4821", kind="digits")
    assert found == s2s.match_entity("4821", "4821", kind="digits")
    with pytest.raises(AttributeError):
        found.heard = "1"


def test_table_matches_row_by_row_and_keeps_what_is_wrong(tmp_path):
    rows = [
        {"expected": "48213", "spoken": "48 to 13", "kind": "digits", "id": "a"},
        {"expected": "15.40", "spoken": "fifty forty", "kind": "money"},
        {"expected": "soon", "spoken": "now", "kind": "date"},
        {"spoken": "now"},
    ]
    path = tmp_path / "pairs.jsonl"
    path.write_text("\n".join([*map(json.dumps, rows), "{", ""]), encoding="utf-8")
    done = s2s.match_table(path)
    outcomes = [row.match.outcome.value if row.match is not None else None for row in done.rows]
    assert outcomes == ["spoken", "different", None, None, None]
    assert (done.n_refuted, done.n_problems) == (1, 3)
    assert done.counts == {"-": {"problem": 3}, "digits": {"spoken": 1}, "money": {"different": 1}}
    assert [row.name for row in done.rows] == ["a", "2", "3", "4", "5"]
    table = tmp_path / "pairs.csv"
    table.write_text("expected,spoken\n5,five\n", encoding="utf-8")
    assert s2s.match_table(table, kind="int").counts == {"cardinal": {"spoken": 1}}
    table.write_text("value,spoken\n5,five\n", encoding="utf-8")
    with pytest.raises(s2s.InputError, match=r"pairs.csv: must have a column 'expected'"):
        s2s.match_table(table)


@pytest.mark.parametrize(
    ("arguments", "code", "shown"),
    [
        (["48213", "your code is 48 to 13"], 0, "spoken     digits 48213"),
        (["15.40", "fifty forty", "--kind", "money"], 1, "different  money 15.40: heard 50.40"),
        (["80.25", "the total is 8025", "--kind", "money"], 0, "dollars or cents"),
        (["Thursday", "no day at all"], 1, "absent     weekday Thursday"),
        (["5/6/2027", "the fifth of June", "--locale", "en-GB"], 0, "spoken     date 2027-06-05"),
        (["soon", "now", "--kind", "date"], 2, "expected must be a date"),
        (["soon"], 2, "EXPECTED and SPOKEN, or --table FILE, must be given"),
    ],
)
def test_the_command_line_matches_one_value(capsys, arguments, code, shown):
    assert cli.main(["match", *arguments]) == code
    out, err = capsys.readouterr()
    assert shown in out + err


def test_the_command_line_matches_a_table(capsys, tmp_path):
    path = tmp_path / "pairs.csv"
    path.write_text("id,expected,spoken\na,5,five\nb,5,nine\n", encoding="utf-8")
    assert cli.main(["match", "--table", str(path), "--kind", "int", "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert told["counts"] == {"cardinal": {"different": 1, "spoken": 1}}
    assert [row["match"]["outcome"] for row in told["rows"]] == ["spoken", "different"]
    assert cli.main(["match", "--table", str(path), "--kind", "date"]) == 2
    assert "problem" in capsys.readouterr().out


# ---------------------------------------------------------------- edges


@pytest.mark.parametrize("text", ["", "   ", "...", "?!", "\u200f\u0000", "👍", "-" * 500])
@pytest.mark.parametrize("kind", renderings.KINDS)
def test_nothing_said_is_absent(text, kind):
    value = renderings.value(kind, renderings.seeded("edge", kind))
    assert s2s.match_entity(value, text, kind=kind).outcome is ABSENT
    assert s2s.find_entities(text) == ()


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (("1", "one"), {"kind": "colour"}, r"kind must be one of digits, .*, got 'colour'"),
        (("1", "one"), {"locale": "fr-FR"}, r"locale must be one of en-US, .*, got 'fr-FR'"),
        (("1", "one"), {"region": "XX"}, r"region must be one of .*, got 'XX'"),
        (("1", "one"), {"currency": "dollar"}, r"currency must be a code of three letters"),
        (("soon", "now"), {"kind": "date"}, r"expected must be a date such as '2027-05-13', got 'soon'"),
        (("2027-02-30", "now"), {"kind": "date"}, r"expected must be a date of the calendar, got '2027-02-30'"),
        (("late", "now"), {"kind": "time"}, r"expected must be a time of day such as '19:30', got 'late'"),
        (("many", "now"), {"kind": "cardinal"}, r"expected must be a number for kind 'cardinal', got 'many'"),
        ((float("nan"), "now"), {"kind": "decimal"}, r"expected must be a finite number"),
        (("--", "now"), {"kind": "digits"}, r"expected must hold a letter or a digit for kind 'digits', got '--'"),
        (("Someday", "now"), {"kind": "weekday"}, r"expected must be a day of the week, got 'Someday'"),
        ((True, "yes"), {}, r"expected must be text, a number, a date or a time, got True"),
        ((None, "yes"), {}, r"expected must be text, a number, a date or a time, got None"),
    ],
)  # fmt: skip
def test_wrong_arguments_name_the_rule_and_the_value(arguments, options, message):
    with pytest.raises(s2s.InputError, match=message):
        s2s.match_entity(*arguments, **options)


@pytest.mark.parametrize(
    ("value", "kind", "message"),
    [
        ("soon", "time", r"value must be a time such as '19:30', got 'soon'"),
        ("soon", "date", r"value must be a date such as '2027-05-13', got 'soon'"),
        ("soon", "weekday", r"value must be a day of the week, got 'soon'"),
        ("soon", "money", r"value must hold a number for kind 'money', got 'soon'"),
    ],
)
def test_near_misses_of_what_is_no_value(value, kind, message):
    with pytest.raises(s2s.InputError, match=message):
        s2s.near_misses(value, kind)


def test_equal_sounds_are_equal_names_only():
    alike = [
        ("Marlow", "Marlo"),
        ("Phillips", "Philips"),
        ("Greene", "Green"),
        ("Smith", "Smyth"),
        ("Wright", "Right"),
    ]
    apart = [
        ("Barlow", "Marlow"),
        ("Ellen", "Allen"),
        ("Mary", "Marie"),
        ("Tim", "Tom"),
        ("Halden", "Alden"),
        ("Jane", "Jean"),
    ]
    assert all(sound(a) == sound(b) for a, b in alike)
    assert all(sound(a) != sound(b) for a, b in apart)
    assert sound("Иван") != sound("Пётр")


def test_an_amount_is_taken_back_by_a_bare_number_that_is_like_it():
    assert (
        s2s.match_entity("70", "seventy, correction, seventy three", kind="money").heard == "73.00"
    )
    assert s2s.match_entity("73", "it is seventy, correction, seventy three", kind="money")
    assert s2s.match_entity("48.75", "it is $48.75, actually 3 items", kind="money")
    assert s2s.match_entity("48.75", "it is $48.75, I mean 49", kind="money").heard == "49.00"
