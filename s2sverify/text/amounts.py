"""Numbers with a meaning: counts, amounts of money, percentages, decimals, ordinals, measures."""

from __future__ import annotations

from decimal import Decimal
from typing import NamedTuple

from s2sverify.text import vocabulary as vocab
from s2sverify.text.lattice import (
    FIGURE,
    ORDINAL_FIGURE,
    ORDINAL_WORD,
    OTHER,
    SYMBOL,
    TIMES,
    Lattice,
)
from s2sverify.text.measures import unit_named, unit_of
from s2sverify.text.numbers import (
    Number,
    _two,
    decimals,
    integers,
    is_numeric,
    numbers,
    ordinals,
    plain_gap,
)


class Reading(NamedTuple):
    """Atoms ``[start, end)`` read as `value`; `unit` is the currency or unit said, "" where none is."""

    start: int
    end: int
    value: Decimal
    unit: str
    style: str
    doubt: str = ""


CURRENCY_SYMBOLS = {"$": "USD", "£": "GBP", "€": "EUR", "¥": "JPY", "₹": "INR"}
CURRENCY_WORDS = {
    "dollar": "USD", "dollars": "USD", "buck": "USD", "bucks": "USD", "usd": "USD",
    "pound": "GBP", "pounds": "GBP", "quid": "GBP", "gbp": "GBP", "sterling": "GBP",
    "euro": "EUR", "euros": "EUR", "eur": "EUR", "rupee": "INR", "rupees": "INR", "inr": "INR", "rs": "INR",
    "yen": "JPY", "jpy": "JPY", "yuan": "CNY", "cny": "CNY", "rmb": "CNY", "renminbi": "CNY", "aud": "AUD", "cad": "CAD",
    "franc": "CHF", "francs": "CHF", "chf": "CHF", "peso": "MXN", "pesos": "MXN", "won": "KRW",
}  # fmt: skip
SUBUNIT_WORDS = {
    "cent": "", "cents": "", "¢": "", "pence": "GBP", "penny": "", "pennies": "", "p": "GBP", "paise": "INR", "c": "",
}  # fmt: skip
# all of these are said "dollar"
DOLLARS = frozenset(["USD", "CAD", "AUD", "NZD", "SGD", "HKD"])


def _sub_word(lat: Lattice, i: int) -> str | None:
    return SUBUNIT_WORDS.get(lat.text[i]) if i < lat.n else None


def _currency_after(lat: Lattice, i: int) -> tuple[int, str] | None:
    """A currency word or sign at `i`: position after it and its code."""
    if i >= lat.n:
        return None
    word = lat.text[i]
    if word in ("us", "u.s") and i + 1 < lat.n:
        found = _currency_after(lat, i + 1)
        return found if found and found[1] == "USD" else None
    if (
        word in ("australian", "canadian")
        and i + 1 < lat.n
        and lat.text[i + 1].startswith("dollar")
    ):
        return i + 2, {"australian": "AUD", "canadian": "CAD"}[word]
    code = CURRENCY_WORDS.get(word) or CURRENCY_SYMBOLS.get(word)
    return (i + 1, code) if code else None


def crossing(lat: Lattice, i: int) -> bool:
    """Whether some number begins before atom `i` and runs over it, so that `i` is the middle of a number."""
    k = i - 1
    while k >= 0 and i - k <= 12:
        if not (is_numeric(lat, k) or lat.text[k] in ("and", "a", "point", "minus", "negative")):
            return False
        if is_numeric(lat, k) or lat.text[k] in ("a", "point"):
            if any(n.end > i for n in numbers(lat, k)):
                return True
        k -= 1
    return False


def left_hard(lat: Lattice, i: int) -> bool:
    """Whether a number cannot begin at `i` because digits or a point stand right before it."""
    if i == 0:
        return False
    p, gap = i - 1, lat.pre[i]
    if crossing(lat, i):
        return True
    if is_numeric(lat, p):
        return "," not in gap and "." not in gap if " " in gap else True
    if lat.cls[p] == TIMES:
        return True
    return lat.text[p] in ("point", "dot") and is_numeric(lat, p - 1)


def right_hard(lat: Lattice, j: int) -> bool:
    """Whether a number cannot end before `j` because digits go on there."""
    if j >= lat.n:
        return False
    gap = lat.pre[j]
    if is_numeric(lat, j):
        return not (" " in gap and any(c in gap for c in ",.;?!:"))
    if lat.text[j] in ("point", "dot") and is_numeric(lat, j + 1):
        return True
    return False


def money(lat: Lattice) -> list[Reading]:
    """Every amount in the text, with all its readings; `unit` "" where no currency is said."""
    kept = lat.memo.get("money")
    if kept is not None:
        return kept  # type: ignore[return-value]
    out: list[Reading] = []
    for i in range(lat.n):
        start, code = i, ""
        before = _currency_after(lat, i)
        if (
            before
            and before[0] < lat.n
            and not (i and is_numeric(lat, i - 1) and " " not in lat.pre[i])
        ):
            start, code = before
            if lat.text[start] == "." and start + 1 < lat.n:
                start += 1
        at = start
        if at >= lat.n:
            continue
        if not (
            is_numeric(lat, at)
            or lat.text[at] in ("a", "half", "point", "minus", "negative", "one", "an")
        ):
            continue
        if start == i and left_hard(lat, i):
            continue
        out += _amounts(lat, i, at, code)
    lat.memo["money"] = out
    return out


def _amounts(lat: Lattice, i: int, at: int, code: str) -> list[Reading]:
    out: list[Reading] = []
    heads = list(numbers(lat, at))
    if lat.text[at] == "a":
        heads.append(Number(at + 1, Decimal(1), "a"))
    for n in heads:
        end, value, style = n.end, n.value, n.style
        if end < lat.n and lat.text[end] in ("k", "m", "bn", "mn", "grand", "b") and value:
            factor = {"k": 1000, "grand": 1000, "m": 10**6, "mn": 10**6, "bn": 10**9, "b": 10**9}[
                lat.text[end]
            ]
            if lat.text[end] == "grand" or (not lat.pre[end] and lat.text[end] != "b"):
                out.append(
                    Reading(
                        i,
                        end + 1,
                        value * factor,
                        code or ("USD" if lat.text[end] == "grand" else ""),
                        style,
                    )
                )
                continue
        after = _currency_after(lat, end)
        said = code
        if after and (not code or after[1] == code or (code in DOLLARS and after[1] in DOLLARS)):
            end, said = after[0], after[1] if not code or after[1] != "USD" else code
        whole = value == int(value)
        sub = _sub_word(lat, n.end)
        if (
            (sub is not None
            and not code
            and style != "a")
            or (sub is not None and style == "a" and lat.text[n.end] != "c")
        ):
            if (
                lat.text[n.end] not in ("p", "c")
                or not lat.pre[n.end]
                or (lat.text[n.end] == "p"
                and not _pm(lat, n.end))
            ):
                if not code:
                    out.append(Reading(i, n.end + 1, value / 100, sub or "", "cents"))
                continue
        if style == "a" and said == "":
            continue
        dollars_word = end > n.end
        if not (style == "pairs" and not dollars_word and not code):
            doubt = ""
            if style == "hundred left out" and not dollars_word and not code:
                doubt = "dollars or cents"
            out.append(Reading(i, end, value, said, style, doubt))
        if not whole or style == "scaled":
            continue
        if dollars_word or code:
            out += _with_cents(lat, i, end, value, said, dollars_word)
        else:
            out += _bare_cents(lat, i, n)
    if not code:
        out += _dollar_words_then_cents(lat, i, at)
    return out


def _pm(lat: Lattice, i: int) -> bool:
    return i + 1 < lat.n and lat.text[i + 1] == "m"


def _with_cents(
    lat: Lattice, i: int, end: int, value: Decimal, said: str, worded: bool
) -> list[Reading]:
    """ "... dollars and forty cents", "... dollars forty", "$50 and 80 cents"."""
    out: list[Reading] = []
    at = end
    joined = False
    while at < lat.n and lat.text[at] in ("and", "with"):
        at, joined = at + 1, True
    if at >= lat.n or any(c in lat.pre[at] for c in ".;?!:"):
        return out
    sign = -1 if value < 0 else 1
    lows = [(stop, low) for stop, low in _two(lat, at)]
    if lat.cls[at] == FIGURE and len(lat.text[at]) <= 2:
        lows.append((at + 1, lat.val[at]))
    if is_numeric(lat, at) and at + 1 < lat.n and lat.cls[at] in (2, 7) and lat.val[at] == 0:
        lows += [(stop, low) for stop, low in _two(lat, at + 1) if low < 10]
    for stop, low in lows:
        cents = value + sign * Decimal(low) / 100
        sub = _sub_word(lat, stop)
        if sub is not None and not (lat.text[stop] == "p" and _pm(lat, stop)):
            out.append(Reading(i, stop + 1, cents, said, "with cents"))
        elif (
            worded
            and not joined
            and low >= 10
            and not is_numeric(lat, stop)
            and "," not in lat.pre[at]
        ):
            out.append(Reading(i, stop, cents, said, "dollars then cents"))
    if joined and at < lat.n and lat.text[at] in ("a", "half"):
        if lat.text[at : at + 2] == ["a", "half"]:
            out.append(Reading(i, at + 2, value + sign * Decimal("0.5"), said, "and a half"))
    return out


def _bare_cents(lat: Lattice, i: int, n: Number) -> list[Reading]:
    """ "Fifteen forty", "four ninety nine", "30-40": dollars and cents with neither word."""
    end, out = n.end, list[Reading]()
    if (
        end >= lat.n
        or not plain_gap(lat, end)
        or n.style not in ("place value", "hundred left out", "pairs")
    ):
        return out
    for stop, low in _two(lat, end):
        if low >= 10 and (lat.cls[end] != 4 or True):
            out.append(_bare(lat, i, stop, n.value, low))
    if lat.cls[end] == FIGURE and len(lat.text[end]) == 2 and lat.cls[end - 1] == FIGURE:
        out.append(_bare(lat, i, end + 1, n.value, lat.val[end]))
    if lat.cls[end] in (2, 7) and lat.val[end] == 0:
        out += [
            _bare(lat, i, stop, n.value, low)
            for stop, low in (_two(lat, end + 1) if end + 1 < lat.n else [])
            if 0 < low < 10
        ]
    return out


def _bare(lat: Lattice, i: int, stop: int, whole: Decimal, low: int) -> Reading:
    after = _currency_after(lat, stop)
    if after:
        return Reading(
            i,
            after[0],
            whole + Decimal(low) / 100,
            after[1],
            "dollars then cents",
            "dollars or cents",
        )
    return Reading(i, stop, whole + Decimal(low) / 100, "", "dollars then cents")


def _dollar_words_then_cents(lat: Lattice, i: int, at: int) -> list[Reading]:
    return []


def percent(lat: Lattice) -> list[Reading]:
    kept = lat.memo.get("percent")
    if kept is not None:
        return kept  # type: ignore[return-value]
    out: list[Reading] = []
    for i in range(lat.n):
        if not (
            is_numeric(lat, i) or lat.text[i] in ("a", "half", "point", "minus", "negative")
        ) or left_hard(lat, i):
            continue
        for n in numbers(lat, i):
            j = n.end
            if j < lat.n and lat.text[j] == "a" and n.style == "fraction":
                j += 1
            if j < lat.n and lat.text[j] == "of":
                j += 1
                j += j < lat.n and lat.text[j] in ("a", "one")
            if j < lat.n and lat.text[j] in ("%", "percent", "pct", "percentage"):
                out.append(Reading(i, j + 1, n.value, "%", n.style))
            elif j + 1 < lat.n and lat.text[j] == "per" and lat.text[j + 1] == "cent":
                out.append(Reading(i, j + 2, n.value, "%", n.style))
    lat.memo["percent"] = out
    return out


_NOT_A_COUNT = frozenset(
    ["%", "percent", "pct", "am", "pm", "o'clock", "oclock", "dollar", "dollars", "buck", "bucks", "cent", "cents", "quid", "pence", "euro", "euros", "rupee", "rupees", "$", "£", "€", "¥", "₹", "¢", "point"]
)


def plain(lat: Lattice, *, broken: bool) -> list[Reading]:
    """Counts (`broken` false) and decimals: numbers that are no part of an amount, a percentage, a time or a date."""
    key = ("plain", broken)
    kept = lat.memo.get(key)
    if kept is not None:
        return kept  # type: ignore[return-value]
    out: list[Reading] = []
    for i in range(lat.n):
        if not (
            is_numeric(lat, i)
            or lat.text[i] in ("a", "half", "point", "minus", "negative", "dozen")
        ):
            continue
        if left_hard(lat, i):
            continue
        if i and (lat.text[i - 1] in CURRENCY_SYMBOLS or lat.text[i - 1] in ("minus", "negative")):
            continue
        if (
            i
            and lat.cls[i] == FIGURE
            and " " not in lat.pre[i]
            and lat.cls[i - 1] not in (SYMBOL,)
            and not lat.pre[i].strip("-")
        ):
            continue
        for n in numbers(lat, i):
            j = n.end
            if right_hard(lat, j):
                continue
            if j < lat.n:
                word = lat.text[j]
                if word in _NOT_A_COUNT or (
                    word == "per" and j + 1 < lat.n and lat.text[j + 1] == "cent"
                ):
                    continue
                if word in ("a", "p") and j + 1 < lat.n and lat.text[j + 1] == "m":
                    continue
                if (
                    lat.cls[j] in (ORDINAL_WORD, ORDINAL_FIGURE)
                    and lat.text[j] != "second"
                    and plain_gap(lat, j)
                ):
                    continue
                if word in vocab.MONTHS and word != "may":
                    continue
                if lat.cls[j] == FIGURE and " " not in lat.pre[j]:
                    continue
            out.append(Reading(i, j, n.value, "", n.style))
    lat.memo[key] = out
    return out


def measure(lat: Lattice) -> list[Reading]:
    """Every number with a unit of measure after it."""
    kept = lat.memo.get("measure")
    if kept is not None:
        return kept  # type: ignore[return-value]
    out: list[Reading] = []
    for i in range(lat.n):
        if not (
            is_numeric(lat, i) or lat.text[i] in ("a", "an", "half", "point", "minus", "negative")
        ) or left_hard(lat, i):
            continue
        found = list(numbers(lat, i))
        if lat.text[i] in ("a", "an"):
            found.append(Number(i + 1, Decimal(1), "a"))
        for n in found:
            j = n.end
            if j < lat.n and lat.text[j] in ("a", "of") and n.style == "fraction":
                j += 1
                if j < lat.n and lat.text[j] in ("a", "an"):
                    j += 1
            for size in (5, 4, 3, 2, 1):
                if j + size > lat.n or any(
                    c in lat.pre[k] for k in range(j, j + size) for c in ",.;?!"
                ):
                    continue
                words = tuple("/" if False else w for w in _unit_words(lat, j, size))
                unit = unit_named(lat.raw[j]) if size == 1 and lat.raw[j].isupper() else None
                unit = unit or unit_of(words)
                if unit is not None and not (n.style == "a" and len(words[0]) < 3):
                    out.append(Reading(i, j + size, n.value, unit, n.style))
                    break
    lat.memo["measure"] = out
    return out


def _unit_words(lat: Lattice, j: int, size: int) -> list[str]:
    words: list[str] = []
    for k in range(j, j + size):
        if k > j and "/" in lat.pre[k]:
            words.append("/")
        words.append(lat.text[k])
    return words


def ordinal(lat: Lattice) -> list[Reading]:
    kept = lat.memo.get("ordinal")
    if kept is not None:
        return kept  # type: ignore[return-value]
    out = [
        Reading(i, n.end, n.value, "", n.style)
        for i in range(lat.n)
        if not left_hard(lat, i)
        and not (i and is_numeric(lat, i - 1) and plain_gap(lat, i) and lat.cls[i] == ORDINAL_WORD)
        for n in ordinals(lat, i)
    ]
    lat.memo["ordinal"] = out
    return out


def maximal(readings: list[Reading]) -> list[Reading]:
    """Readings whose stretch lies inside no longer one."""
    out = []
    furthest: dict[int, int] = {}
    for r in readings:
        furthest[r.start] = max(furthest.get(r.start, 0), r.end)
    ordered = sorted(furthest.items())
    best_end, keep = 0, {}
    for start, end in ordered:
        if end > best_end:
            keep[start] = end
            best_end = end
    for r in readings:
        if keep.get(r.start) == r.end:
            out.append(r)
    return out


__all__ = [
    "OTHER",
    "Reading",
    "decimals",
    "integers",
    "maximal",
    "money",
    "ordinal",
    "percent",
    "plain",
]
