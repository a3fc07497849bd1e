"""Ways to write and to say a value, for sentences whose truth is known: calibration, tests, demonstrations."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Protocol, TypeVar

from s2sverify.errors import InputError
from s2sverify.text import vocabulary as vocab
from s2sverify.text.kinds import decimal_of, kind_named, plain_number

if TYPE_CHECKING:
    import numpy as np

T = TypeVar("T")

_ONES = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_TENS = ["_", "_", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_SCALES = ("", "thousand", "million", "billion", "trillion", "quadrillion")
_ORDINAL = {
    "one": "first", "two": "second", "three": "third", "five": "fifth", "eight": "eighth", "nine": "ninth",
    "twelve": "twelfth",
}  # fmt: skip
_NATO = [
    "Alpha",
    "Bravo",
    "Charlie",
    "Delta",
    "Echo",
    "Foxtrot",
    "Golf",
    "Hotel",
    "India",
    "Juliett",
    "Kilo",
    "Lima",
    "Mike",
    "November",
    "Oscar",
    "Papa",
    "Quebec",
    "Romeo",
    "Sierra",
    "Tango",
    "Uniform",
    "Victor",
    "Whiskey",
    "X-ray",
    "Yankee",
    "Zulu",
]


class _Draw(Protocol):
    def __call__(self, options: Sequence[T]) -> T: ...


def cardinal_words(n: int, *, british: bool = False) -> str:
    """A whole number by place value: 1205 is "one thousand two hundred five", or "... and five" in British English."""
    if n < 0:
        return "minus " + cardinal_words(-n, british=british)
    if n < 20:
        return _ONES[n]
    if n < 100:
        return _TENS[n // 10] + ("" if n % 10 == 0 else " " + _ONES[n % 10])
    if n < 1000:
        rest = n % 100
        head = f"{_ONES[n // 100]} hundred"
        if not rest:
            return head
        return f"{head}{' and' if british else ''} {cardinal_words(rest)}"
    groups = []
    for k, scale in enumerate(_SCALES):
        part = n // 1000**k % 1000
        if part:
            joined = "and " if british and k == 0 and part < 100 else ""
            groups.append(f"{joined}{cardinal_words(part, british=british)} {scale}".strip())
    return " ".join(reversed(groups))


def ordinal_words(n: int) -> str:
    """21 is "twenty first"."""
    head, _, last = cardinal_words(n).rpartition(" ")
    last = _ORDINAL.get(last) or (last[:-1] + "ieth" if last.endswith("y") else last + "th")
    return f"{head} {last}".strip()


def ordinal_figures(n: int) -> str:
    tail = "th" if n % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")
    return f"{n}{tail}"


def _digit_words(digits: str, zero: str = "zero") -> str:
    return " ".join(zero if d == "0" else _ONES[int(d)] for d in digits)


def _group_words(digits: str) -> str:
    """Two digits at a time as numbers: "4821" is "forty eight twenty one"."""
    out = []
    start = len(digits) % 2
    if start:
        out.append(_ONES[int(digits[0])])
    for k in range(start, len(digits), 2):
        pair = digits[k : k + 2]
        out.append(_digit_words(pair) if pair[0] == "0" else cardinal_words(int(pair)))
    return " ".join(out)


def _symbols(value: str, draw: _Draw) -> tuple[str, str]:
    symbols = [c for c in value if c.isalnum()]
    zero = draw(("zero", "zero", "oh"))
    parts: list[str] = []
    run = ""
    style = draw(("letters", "letters", "letters", "as in"))
    for symbol in [*symbols, ""]:
        if symbol.isdigit():
            run += symbol
            continue
        if run:
            parts.append(_run_words(run, zero, draw))
            run = ""
        if symbol:
            spelled = symbol.upper()
            if style == "as in" and "A" <= spelled <= "Z":
                spelled += f" as in {_NATO[ord(spelled) - 65]}"
            parts.append(spelled)
    joined = ""
    for k, part in enumerate(parts):
        pause = k and (
            (part[0].islower() and parts[k - 1][-1].isupper()) or "as in" in parts[k - 1]
        )
        joined += ("" if not k else ", " if pause else " ") + part
    return value, joined


def _run_words(digits: str, zero: str, draw: _Draw) -> str:
    if len(digits) in (10, 11):
        head = digits[:-10]
        groups = [*([head] if head else []), digits[-10:-7], digits[-7:-4], digits[-4:]]
        return ", ".join(_digit_words(g, zero) for g in groups)
    style = draw(("digits", "digits", "digits", "threes"))
    if style == "threes" and len(digits) > 4:
        cut = 3 if len(digits) < 7 else len(digits) // 2
        return f"{_digit_words(digits[:cut], zero)}, {_digit_words(digits[cut:], zero)}"
    return _digit_words(digits, zero)


def _money(value: str, draw: _Draw) -> tuple[str, str]:
    number = decimal_of(re.sub(r"[^\d.-]", "", value), "money")
    whole, cents = int(number), round(number * 100) % 100
    written = f"${whole:,}.{cents:02d}" if cents or draw((True, False)) else f"${whole:,}"
    unit = "dollar" if whole == 1 else "dollars"
    said = f"{cardinal_words(whole)} {unit}"
    if cents:
        cent = "cent" if cents == 1 else "cents"
        said = draw(
            (
                f"{said} and {cardinal_words(cents)} {cent}",
                f"{said} and {cardinal_words(cents)} {cent}",
                f"{said} {cardinal_words(cents)}"
                if cents > 9
                else f"{said} and {cardinal_words(cents)} {cent}",
            )
        )
        if not whole:
            said = f"{cardinal_words(cents)} {cent}"
    return written, said


def _number_words(number: Decimal) -> str:
    text = plain_number(number)
    whole, _, part = text.partition(".")
    said = ("minus " if whole.startswith("-") else "") + cardinal_words(abs(int(whole)))
    return f"{said} point {_digit_words(part)}" if part else said


def _time(value: str, draw: _Draw) -> tuple[str, str]:
    found = re.match(r"(\d{1,2}):(\d\d)", value)
    if found is None:
        raise InputError(f"value must be a time such as '19:30', got {value!r}")
    hour, minute = int(found[1]), int(found[2])
    half, twelve = "a m" if hour < 12 else "p m", hour % 12 or 12
    written = f"{twelve}:{minute:02d} {half.replace(' ', '')}"
    if minute == 0:
        said = draw(
            (
                f"{_ONES[twelve]} {half}",
                f"{_ONES[twelve]} {half}",
                f"{_ONES[twelve]} o'clock {_part(hour)}",
            )
        )
    else:
        low = f"oh {_ONES[minute]}" if minute < 10 else cardinal_words(minute)
        said = draw(
            (
                f"{_ONES[twelve]} {low} {half}",
                f"{_ONES[twelve]} {low} {half}",
                f"{_ONES[twelve]} {low} {_part(hour)}",
            )
        )
    return written, said


def _part(hour: int) -> str:
    return (
        "in the morning"
        if hour < 12
        else "in the afternoon"
        if hour < 18
        else "in the evening"
        if hour < 21
        else "at night"
    )


def _date(value: str, draw: _Draw) -> tuple[str, str]:
    found = re.match(r"(\d{4})-(\d\d)-(\d\d)", value)
    if found is None:
        raise InputError(f"value must be a date such as '2027-05-13', got {value!r}")
    day = date(int(found[1]), int(found[2]), int(found[3]))
    month = vocab.MONTH_NAMES[day.month - 1]
    written = draw(
        (
            f"{month} {day.day}",
            f"{month} {ordinal_figures(day.day)}",
            f"{month} {day.day}, {day.year}",
        )
    )
    said = draw(
        (
            f"{month} {ordinal_words(day.day)}",
            f"{month} {ordinal_words(day.day)}",
            f"the {ordinal_words(day.day)} of {month}",
        )
    )
    return written, said


def _written(value: str, draw: _Draw) -> tuple[str, str]:
    words = {
        ".": "dot",
        "@": "at",
        "_": "underscore",
        "-": "dash",
        "+": "plus",
        "/": "slash",
        ":": "colon",
    }
    parts = re.findall(r"[A-Za-z]+|\d+|.", re.sub(r"^https?://", "", value))
    said = []
    for part in parts:
        if part.isdigit():
            said.append(_digit_words(part))
        elif part.lower() in ("www", "uk", "io", "au", "de", "us"):
            said.append(" ".join(part))
        else:
            said.append(words.get(part, part))
    return value, " ".join(said)


def render(
    value: str | int | float | Decimal, kind: str, *, rng: int | np.random.Generator
) -> tuple[str, str]:
    """Write a value as a text would show it, and as a voice would say it.

    Parameters
    ----------
    value : str, int, float or Decimal
        A canonical value of the kind.
    kind : str
        Kind of the value, by any of its names.
    rng : int or numpy.random.Generator
        Picks one of the usual ways; the same seed gives the same pair.

    Returns
    -------
    (str, str)
        Written form, spoken form. Both are accepted for `value` by `match_entity`.

    Raises
    ------
    InputError
        If `kind` is unknown or `value` does not fit it.
    """
    from s2sverify._arrays import as_rng

    generator = as_rng(rng)

    def draw(options: Sequence[T]) -> T:
        return options[int(generator.integers(len(options)))]

    kind = kind_named(kind)
    text = str(value).strip()
    if kind in ("digits", "code", "phone"):
        return _symbols(text, draw)
    if kind == "money":
        return _money(text, draw)
    if kind == "percent":
        number = decimal_of(text.rstrip("% "), kind)
        return f"{plain_number(number)}%", f"{_number_words(number)} percent"
    if kind in ("cardinal", "decimal"):
        number = decimal_of(text, kind)
        return plain_number(number), _number_words(number)
    if kind == "ordinal":
        n = int(re.sub(r"\D", "", text))
        return ordinal_figures(n), ordinal_words(n)
    if kind == "time":
        return _time(text, draw)
    if kind == "date":
        return _date(text, draw)
    if kind == "datetime":
        (w1, s1), (w2, s2) = _date(text, draw), _time(re.split(r"[T ]", text, maxsplit=1)[-1], draw)
        return f"{w1} at {w2}", f"{s1} at {s2}"
    if kind in ("email", "url"):
        return _written(text, draw)
    if kind == "measure":
        found = re.match(r"(-?[\d.]+)\s*(.*)$", text)
        number = decimal_of(found[1] if found else text, kind)
        unit = found[2] if found else ""
        return text, f"{_number_words(number)} {_UNIT_WORDS.get(unit, unit)}".strip()
    return text, text


_UNIT_WORDS = {
    "kg": "kilograms", "g": "grams", "km": "kilometers", "m": "meters", "cm": "centimeters", "mm": "millimeters",
    "mi": "miles", "ft": "feet", "in": "inches", "lb": "pounds", "oz": "ounces", "l": "liters", "ml": "milliliters",
    "gal": "gallons", "°C": "degrees Celsius", "°F": "degrees Fahrenheit", "mph": "miles per hour", "mg": "milligrams",
    "GB": "gigabytes", "MB": "megabytes", "min": "minutes", "h": "hours", "s": "seconds",
}  # fmt: skip

__all__ = ["Callable", "cardinal_words", "ordinal_words", "render"]
