"""Numbers with a meaning: counts, amounts of money, percentages, ordinals, measures.

Every reader lists all readings of all stretches of a text; `maximal` keeps the stretches that lie inside no
longer one. So a reading is either the whole of what was said or it is nothing, and the expected value is looked
for among the whole ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal
from functools import wraps
from typing import NamedTuple

from s2sverify.text import vocabulary as vocab
from s2sverify.text.lattice import Lattice
from s2sverify.text.measures import unit_at
from s2sverify.text.numbers import (
    Number,
    is_counted,
    negative_mark,
    numbers,
    oh_one,
    ordinals,
    pointed,
    tens,
)
from s2sverify.text.strings import crossing, pause
from s2sverify.text.vocabulary import (
    FIGURE,
    LETTER,
    ORDINAL_FIGURE,
    ORDINAL_WORD,
    OTHER,
    SYMBOL,
    TIMES,
    words,
)


class Reading(NamedTuple):
    """Atoms ``[start, end)`` read as `value`; `unit` is the currency or unit said, "" where none is."""

    start: int
    end: int
    value: Decimal
    unit: str
    style: str
    doubt: str = ""


# --------------------------------------------------------------------------------------------- currencies

SYMBOLS = {
    "$": "USD", "£": "GBP", "€": "EUR", "¥": "JPY", "₹": "INR", "₩": "KRW", "₽": "RUB", "₺": "TRY",
    "₪": "ILS", "₱": "PHP",
    "฿": "THB",
}  # fmt: skip
_NAMES = """
USD: dollar buck | GBP: pound quid sterling | EUR: euro | INR: rupee rs | JPY: yen |
CNY: yuan rmb renminbi | CHF: franc | KRW: won
RUB: ruble rouble | TRY: lira | ILS: shekel | PHP: peso | THB: baht | BRL: real reais |
SEK: krona kronor | NOK: krone kroner
PLN: zloty | CZK: koruna | HUF: forint | ZAR: rand | AED: dirham | SAR: riyal | KWD: dinar | MYR: ringgit | IDR: rupiah
VND: dong | NGN: naira | BTC: bitcoin | ETH: ether | UAH: hryvnia | RON: leu lei | PKR: |
BDT: taka | LKR: | EGP: | QAR: | MXN: | DKK:
AUD: | CAD: | NZD: | SGD: | HKD: | ARS: | CLP: | COP: | JOD: | OMR: | BHD: | TWD: | BGN: lev | KES: | GHS: cedi
"""
CURRENCIES: dict[str, str] = {}
for _entry in _NAMES.replace("\n", "|").split("|"):
    _code, _, _said = _entry.strip().partition(":")
    if _code:
        CURRENCIES[_code.lower()] = _code
        for _word in _said.split():
            CURRENCIES[_word] = CURRENCIES[_word + "s"] = _code
CURRENCIES["bucks"] = "USD"
_ADJECTIVES = {
    ("us", "dollar"): "USD", ("american", "dollar"): "USD", ("australian", "dollar"): "AUD",
    ("canadian", "dollar"): "CAD",
    ("singapore", "dollar"): "SGD", ("hong", "dollar"): "HKD", ("zealand", "dollar"): "NZD",
    ("aussie", "dollar"): "AUD",
    ("mexican", "peso"): "MXN", ("british", "pound"): "GBP", ("swiss", "franc"): "CHF", ("danish", "krone"): "DKK",
    ("danish", "kroner"): "DKK", ("norwegian", "kroner"): "NOK", ("swedish", "kronor"): "SEK",
    ("turkish", "lira"): "TRY",
    ("indian", "rupee"): "INR", ("pakistani", "rupee"): "PKR", ("kuwaiti", "dinar"): "KWD",
    ("jordanian", "dinar"): "JOD",
    ("japanese", "yen"): "JPY", ("chinese", "yuan"): "CNY", ("egyptian", "pound"): "EGP", ("uae", "dirham"): "AED",
}  # fmt: skip
_LETTER_DOLLARS = {
    "us": "USD",
    "a": "AUD",
    "au": "AUD",
    "c": "CAD",
    "ca": "CAD",
    "nz": "NZD",
    "s": "SGD",
    "hk": "HKD",
}
DOLLARS = frozenset({"USD", "CAD", "AUD", "NZD", "SGD", "HKD", "TWD"})
"""Currencies that are said "dollars"."""
CENT, PENNY, NOTES = "¢", "penny", "notes"
"""Units that several currencies have: hundredth parts, and thousands, fives and tens by their by-names."""
SHARED = {CENT: DOLLARS | {"EUR"}, PENNY: DOLLARS | {"GBP"}, NOTES: None}
_BY_NAMES = {"fiver": 5, "tenner": 10}
_SUBUNITS = {
    **dict.fromkeys(("cent", "cents", "¢", "c"), CENT), **dict.fromkeys(("penny", "pennies"), PENNY),
    "pence": "GBP", "p": "GBP", "paise": "INR", "paisa": "INR",
}  # fmt: skip
_THOUSANDS = {
    "grand": 10**3,
    "k": 10**3,
    "m": 10**6,
    "mn": 10**6,
    "mil": 10**6,
    "bn": 10**9,
    "b": 10**9,
}


def currency_at(lat: Lattice, i: int) -> tuple[int, str] | None:
    """A currency word or sign at `i`: position after it, and its ISO 4217 code."""
    if i >= lat.n:
        return None
    word = lat.text[i]
    if word == "united" and lat.says(i + 1, "states"):
        found = currency_at(lat, i + 2)
        return found if found and found[1] == "USD" else None
    if i + 1 < lat.n:
        after = lat.text[i + 1]
        if after == "$" and word in _LETTER_DOLLARS and not lat.pre[i + 1]:
            return i + 2, _LETTER_DOLLARS[word]
        if word in ("u", "u.s") and lat.says(i + 1, "s"):
            found = currency_at(lat, i + 2)
            return found if found and found[1] == "USD" else None
        named = _ADJECTIVES.get((word, after.rstrip("s"))) or _ADJECTIVES.get((word, after))
        if named:
            return i + 2, named
        if word in ("hong", "new") and i + 2 < lat.n and lat.text[i + 2].rstrip("s") == "dollar":
            return i + 3, {"hong": "HKD", "new": "NZD"}[word]
        if word == "us" and (found := currency_at(lat, i + 1)) and found[1] == "USD":
            return found
    code = SYMBOLS.get(word) or CURRENCIES.get(word)
    if (
        code is None
        or (word == "won" and lat.numeric(i + 1))
        or (word in ("real", "lev", "lei") and not lat.raw[i].isupper())
    ):
        return None
    if word == "pounds" and lat.says(i + 1, "sterling"):
        return i + 2, code
    return i + 1, code


# --------------------------------------------------------------------------------------------- shared edges


def remembered_all(
    reader: Callable[[Lattice], list[Reading]],
) -> Callable[[Lattice], list[Reading]]:
    """Keep what a reader found in a text."""
    name = reader.__qualname__

    @wraps(reader)
    def ask(lat: Lattice) -> list[Reading]:
        found: list[Reading] | None = lat.memo.get(name)
        if found is None:
            found = lat.memo[name] = reader(lat)
        return found

    return ask


_OPENERS = words("a an half quarter point minus negative dozen")


def begins(lat: Lattice, i: int, *, percent: bool = False) -> bool:
    """Whether a number can begin at `i`: a number word stands there, and no digits, letters or point go before it.

    Recognisers glue "you" to what follows ("U15%"): a `percent` may begin behind a letter.
    """
    if not lat.numeric(i) and lat.text[i] not in _OPENERS:
        return False
    if i == 0:
        return True
    p = i - 1
    if lat.text[p] in ("minus", "negative") or crossing(lat, i):
        return False
    if lat.numeric(p):
        return pause(lat.pre[i])
    if lat.cls[p] == TIMES:
        return False
    if not lat.pre[i] and lat.cls[p] in (LETTER, OTHER) and not (percent and lat.cls[p] == LETTER):
        return False
    if (
        " " not in lat.pre[i]
        and lat.cls[i] == FIGURE
        and lat.pre[i] in ("-", ".", "/", "'")
        and lat.cls[p] != SYMBOL
    ):
        return False
    return not (lat.text[p] in ("point", "dot") and lat.numeric(p - 1))


def goes_on(lat: Lattice, j: int) -> bool:
    """Whether digits go on at `j`, so that a number cannot end before it."""
    if j >= lat.n:
        return False
    if crossing(lat, j):
        return True
    if lat.numeric(j):
        return not pause(lat.pre[j])
    return lat.text[j] in ("point", "dot") and lat.numeric(j + 1) and lat.close(j)


def maximal(readings: list[Reading]) -> list[Reading]:
    """Readings whose stretch lies inside no longer one."""
    furthest: dict[int, int] = {}
    for r in readings:
        if r.end > furthest.get(r.start, 0):
            furthest[r.start] = r.end
    reached = 0
    for start in sorted(furthest):
        end = furthest[start]
        if end <= reached:
            del furthest[start]
        reached = max(reached, end)
    return [r for r in readings if furthest.get(r.start) == r.end]


def is_percent(lat: Lattice, j: int) -> int:
    """Position after a percent word at `j`, 0 where there is none."""
    if j < lat.n and lat.text[j] in vocab.PERCENT_WORDS:
        return j + 1
    return j + 2 if lat.says(j, "per", "cent") else 0


def is_half_day(lat: Lattice, j: int) -> bool:
    """Whether "am", "p m" or "o'clock" stands at `j`."""
    return lat.word_at(j) in vocab.CLOCK_WORDS or lat.says(j, "a", "m") or lat.says(j, "p", "m")


# --------------------------------------------------------------------------------------------- money


@remembered_all
def money(lat: Lattice) -> list[Reading]:
    """Every amount in a text, with all its readings; `unit` "" where no currency is said."""
    out: list[Reading] = []
    for i in range(lat.n):
        before = currency_at(lat, i)
        if before is not None:
            at, code = before
            behind = (
                lat.numeric(i - 1)
                and not pause(lat.pre[i])
                and not (lat.apart(i) and lat.cls[i] == SYMBOL)
            )
            if at < lat.n and not behind and (lat.numeric(at) or lat.text[at] in _OPENERS):
                out += _amounts(lat, i, at, code)
        elif begins(lat, i):
            out += _amounts(lat, i, i, "")
    return [r for r in out if _is_told(lat, r.end) or not goes_on(lat, r.end)]


def _is_told(lat: Lattice, j: int) -> bool:
    """Whether an amount is complete before `j`, so that figures behind a blank are something else ("$0.61 3/16")."""
    if j >= lat.n or not lat.apart(j):
        return j >= lat.n
    return not lat.numeric(j - 1) or (
        lat.pre[j - 1] == "." and len(lat.text[j - 1]) == 2 and lat.cls[j] == FIGURE
    )


def _amounts(lat: Lattice, i: int, at: int, code: str) -> Iterator[Reading]:
    """Amounts from atom `i`; their number begins at `at`, after a currency sign `code` if there is one."""
    sign = 1
    if at > i:
        if negative_mark(lat, i):
            sign = -1
        elif lat.word_at(i - 1) in ("minus", "negative"):
            i, sign = i - 1, -1
    found = numbers(lat, at)
    if lat.text[at] == "a" and lat.word_at(at + 1) in _BY_NAMES:
        yield Reading(i, at + 2, Decimal(_BY_NAMES[lat.text[at + 1]]), code or NOTES, "by-name")
    if lat.text[at] in ("a", "an"):
        found = [*found, Number(at + 1, Decimal(1), "a")]
    for n in found:
        yield from _amount(
            lat, i, n._replace(value=n.value.copy_negate() if sign < 0 else n.value), code
        )


def _amount(lat: Lattice, i: int, n: Number, code: str) -> Iterator[Reading]:
    end, value = n.end, n.value
    if n.style == "fraction" and lat.says(end, "a", "grand"):
        end += 1
    factor = _THOUSANDS.get(lat.word_at(end))
    if factor and (
        lat.text[end] in ("grand", "mil")
        or (code and (not lat.pre[end] or lat.raw[end].isupper()))
        or (lat.text[end] == "k" and lat.close(end))
    ):
        said = code or (NOTES if lat.text[end] == "grand" else "")
        n = n._replace(value=value * factor, end=end + 1, style="scaled")
        end, value = n.end, n.value
        if said == code:
            yield from _worded(lat, i, n, code)
        yield Reading(i, end, value, said, "scaled")
        return
    sub = _subunit(lat, end)
    if sub is not None and not code:
        if n.style != "a" or sub != "GBP":
            yield Reading(i, end + 1, value / 100, sub, "cents")
        return
    yield from _worded(lat, i, n, code)


def _worded(lat: Lattice, i: int, n: Number, code: str) -> Iterator[Reading]:
    """A number with its currency word, if one follows, and the cents after it."""
    end, value, style = n
    if style == "fraction":
        end += lat.word_at(end) == "of"
        end += lat.word_at(end) == "a" and currency_at(lat, end + 1) is not None
    after = (
        currency_at(lat, end)
        if not (end < lat.n and any(c in lat.pre[end] for c in ",.;?!:"))
        else None
    )
    said = code
    if after is not None and (not code or code == after[1] or {code, after[1]} <= DOLLARS):
        end = after[0]
        said = after[1] if not code or code == "USD" else code
    worded = end > n.end
    whole = value == value.to_integral_value() and style not in (
        "scaled",
        "point",
        "figures",
        "fraction",
        "and a fraction",
    )
    if style in ("a", "fraction") and not (worded or code):
        return
    if worded or code:
        yield Reading(i, end, value, said, style)
        if whole:
            yield from _with_cents(lat, i, end, value, said, worded)
            if worded:
                yield from _split(lat, i, n, end, said, "dollars or cents")
    else:
        if style != "pairs" or "oh" in lat.text[i:end]:
            doubt = "dollars or cents" if style in ("hundred left out", "pairs") else ""
            yield Reading(i, end, value, "", style, doubt)
        if (
            style == "place value"
            and lat.cls[end - 1] == FIGURE
            and end - i == 1
            and 3 <= len(lat.text[i]) <= 5
        ):
            yield Reading(i, end, value / 100, "", "cents without a point", "dollars or cents")
        if whole:
            yield from _bare_cents(lat, i, n)


def _subunit(lat: Lattice, i: int) -> str | None:
    """A word for the hundredth part at `i`: its currency, a sign where several share it, None where there is none."""
    if i >= lat.n or any(c in lat.pre[i] for c in ",.;?!:"):
        return None
    if (lat.text[i] == "c" and lat.apart(i)) or (lat.text[i] == "p" and lat.says(i + 1, "m")):
        return None
    return _SUBUNITS.get(lat.text[i])


def _with_cents(
    lat: Lattice, i: int, end: int, value: Decimal, said: str, worded: bool
) -> Iterator[Reading]:
    """Cents behind the dollars: "... and forty cents", "... forty", "$50 and 80 cents", "a dollar fifty"."""
    at = end
    while lat.word_at(at) in ("and", "with", "plus", "&"):
        at += 1
    joined = at > end
    if at >= lat.n or any(c in lat.pre[at] for c in ".;?!:"):
        return
    sign = -1 if value < 0 else 1
    lows = tens(lat, at) + oh_one(lat, at)
    if lat.cls[at] == FIGURE and len(lat.text[at]) <= 2:
        lows.append((at + 1, lat.val[at]))
    if lat.text[at] in ("a", "one") and lat.word_at(at + 1) in ("cent", "penny"):
        lows.append((at + 1, 1))
    for stop, low in lows:
        total = value + sign * Decimal(low) / 100
        if _subunit(lat, stop) is not None:
            yield Reading(i, stop + 1, total, said, "with cents")
        elif worded and (low >= 10 or stop - at == 2) and _ends_amount(lat, at, stop, joined):
            yield Reading(
                i, stop, total, said, "dollars and cents" if joined else "dollars then cents"
            )
    if joined and lat.says(at, "a", "half"):
        yield Reading(i, at + 2, value + sign * Decimal("0.5"), said, "and a half")
    elif joined and lat.says(at, "a", "quarter"):
        yield Reading(i, at + 2, value + sign * Decimal("0.25"), said, "and a quarter")


def _ends_amount(lat: Lattice, at: int, stop: int, joined: bool) -> bool:
    """Whether a number at ``[at, stop)`` behind dollars can be cents that nobody calls so."""
    if stop >= lat.n or pause(lat.pre[stop]):
        return True
    if lat.numeric(stop) or crossing(lat, stop):
        return False
    if lat.cls[stop] in (ORDINAL_WORD, ORDINAL_FIGURE) or lat.text[stop] in vocab.MONTHS:
        return False  # the day of a date
    if (
        is_counted(lat, stop)
        or is_percent(lat, stop)
        or is_half_day(lat, stop)
        or currency_at(lat, stop)
    ):
        return False
    return unit_at(lat, stop) is None or not (joined or "," in lat.pre[at])


def _bare_cents(lat: Lattice, i: int, n: Number) -> Iterator[Reading]:
    """Dollars and cents with neither word: "fifteen forty", "four ninety nine", "30-40"."""
    end = n.end
    if end >= lat.n or n.style not in ("place value", "hundred left out", "pairs") or n.value < 1:
        return
    if not lat.close(end):
        return
    lows = [(stop, low) for stop, low in tens(lat, end) if low >= 10] + oh_one(lat, end)
    if lat.cls[end] == FIGURE and len(lat.text[end]) == 2 and lat.cls[end - 1] == FIGURE:
        lows.append((end + 1, lat.val[end]))
    if lat.cls[end - 1] == vocab.TENS and lat.cls[end] == vocab.ONE:
        lows = []
    for stop, low in lows:
        if currency_at(lat, stop) is None:
            yield Reading(i, stop, n.value + Decimal(low) / 100, "", "dollars then cents")


def _split(lat: Lattice, i: int, n: Number, end: int, said: str, doubt: str) -> Iterator[Reading]:
    """The other reading of "fifteen fifty dollars", which is 1,550 more often than 15.50."""
    if n.style in ("pairs", "hundred left out"):
        yield Reading(i, end, n.value / 100, said, "dollars then cents", doubt)


# --------------------------------------------------------------------------------------------- percentages, counts


@remembered_all
def percent(lat: Lattice) -> list[Reading]:
    """Every percentage in a text."""
    out: list[Reading] = []
    for i in range(lat.n):
        if not begins(lat, i, percent=True):
            continue
        for n in numbers(lat, i):
            j = n.end
            if abs(n.value) < 1:
                j += lat.word_at(j) == "of"
                j += lat.word_at(j) in ("a", "one")
            end = is_percent(lat, j)
            if not end and (lat.says(j, "percentage", "points")):
                end = j + 2
            if end:
                out.append(Reading(i, end, n.value, "%", n.style))
    return out


@remembered_all
def plain(lat: Lattice) -> list[Reading]:
    """Counts and decimals: numbers that are no part of an amount, a percentage, a clock time or a date."""
    out: list[Reading] = []
    for i in range(lat.n):
        if not begins(lat, i) or (i and lat.text[i - 1] in SYMBOLS):
            continue
        for n in numbers(lat, i):
            if not goes_on(lat, n.end) and not claimed(lat, i, n.end):
                out.append(Reading(i, n.end, n.value, "", n.style))
    return out


def claimed(lat: Lattice, i: int, j: int) -> bool:
    """Whether a number at ``[i, j)`` is money, a percentage, a time or an ordinal by what stands beside it."""
    if i and lat.text[i - 1] in SYMBOLS:
        return True
    if j >= lat.n:
        return False
    if lat.cls[j] == FIGURE and " " not in lat.pre[j]:
        return True
    if not lat.pre[j] and lat.cls[j] in (LETTER, OTHER) and unit_at(lat, j) is None:
        return True  # "010e"
    if any(c in lat.pre[j] for c in ",.;?!:"):
        return False
    if is_percent(lat, j) or is_half_day(lat, j) or _subunit(lat, j) is not None:
        return True
    money_word = currency_at(lat, j)
    if money_word is not None and money_word[1] not in ("KRW", "GBP"):  # pounds are a weight too
        return True
    return lat.cls[j] in (ORDINAL_WORD, ORDINAL_FIGURE) and lat.text[j] not in ("second", "third")


@remembered_all
def ordinal(lat: Lattice) -> list[Reading]:
    """Every ordinal number in a text."""
    return [
        Reading(i, n.end, n.value, "", n.style)
        for i in range(lat.n)
        if lat.numeric(i) or lat.cls[i] in (ORDINAL_WORD, ORDINAL_FIGURE)
        if not (i and (lat.numeric(i - 1) or crossing(lat, i)) and not pause(lat.pre[i]))
        for n in ordinals(lat, i)
    ]


# --------------------------------------------------------------------------------------------- measures

_PARTS = {
    ("ft", "in"): 12, ("yd", "ft"): 3, ("lb", "oz"): 16, ("st", "lb"): 14, ("h", "min"): 60, ("min", "s"): 60,
    ("day", "h"): 24, ("week", "day"): 7, ("year", "month"): 12, ("km", "m"): 1000, ("m", "cm"): 100,
    ("kg", "g"): 1000, ("l", "ml"): 1000,
}  # fmt: skip


@remembered_all
def measure(lat: Lattice) -> list[Reading]:
    """Every number with a unit of measure after it; "five feet two inches" is one, in feet."""
    out: list[Reading] = []
    for i in range(lat.n):
        if not begins(lat, i):
            continue
        inches = i + 1
        if inches < lat.n and lat.cls[i] == lat.cls[inches] == FIGURE and lat.pre[inches] == "'":
            out.append(
                Reading(
                    i, inches + 1, lat.val[i] + Decimal(lat.val[inches]) / 12, "ft", "two units"
                )
            )
        found = list(numbers(lat, i))
        if lat.text[i] in ("a", "an"):
            found.append(Number(i + 1, Decimal(1), "a"))
        for n in found:
            j = n.end
            if n.style == "fraction":
                j += lat.word_at(j) == "of"
                j += lat.word_at(j) in ("a", "an")
            unit = unit_at(lat, j)
            if unit is None or (n.style == "a" and len(lat.text[j]) < 3):
                continue
            end, name = unit
            value = n.value
            if lat.says(end, "and", "a", "half") and n.style != "fraction":
                out.append(Reading(i, end + 3, value + Decimal("0.5"), name, "and a half"))
            if lat.says(end, "below", "zero"):
                out.append(Reading(i, end + 2, -value, name, n.style))
                continue
            if lat.says(end, "below"):
                out.append(Reading(i, end + 1, -value, name, n.style))
                continue
            out.append(Reading(i, end, value, name, n.style))
            out += _compound(lat, i, end, value, name)
    return out


def _compound(lat: Lattice, i: int, end: int, value: Decimal, name: str) -> Iterator[Reading]:
    at = end + 1 if lat.word_at(end) == "and" else end
    if at >= lat.n or not lat.near(at) or not lat.numeric(at):
        return
    for low in numbers(lat, at):
        unit = unit_at(lat, low.end)
        factor = _PARTS.get((name, unit[1])) if unit else None
        if unit and factor:
            yield Reading(i, unit[0], value + low.value / factor, name, "two units")
        elif (
            name == "ft" and low.value < 12 and not unit and not lat.numeric(low.end) and at == end
        ):
            yield Reading(i, low.end, value + low.value / 12, name, "two units")


__all__ = [
    "CURRENCIES",
    "DOLLARS",
    "SHARED",
    "SYMBOLS",
    "Reading",
    "begins",
    "claimed",
    "currency_at",
    "goes_on",
    "is_half_day",
    "is_percent",
    "maximal",
    "measure",
    "money",
    "ordinal",
    "percent",
    "plain",
    "pointed",
]
