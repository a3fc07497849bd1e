"""How two values of one kind differ, and the values that a mishearing makes of one: edits, classes, near misses."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from s2sverify.errors import InputError
from s2sverify.text import vocabulary as vocab
from s2sverify.text.kinds import decimal_of, kind_named, money_figures, plain_number

_HEARD_ALIKE = ("bdptvegcz", "mn", "fsx", "ahjk", "iy", "qu", "lr")
_LETTERS_ALIKE = {(a, b) for group in _HEARD_ALIKE for a in group for b in group if a != b}


@dataclass(frozen=True, slots=True)
class Edit:
    """One symbol of a value that was heard otherwise.

    ``position`` counts from 1 in the expected value; ``heard`` is empty where a symbol was left out,
    ``expected`` where one was added.
    """

    unit: str  # "digit", "letter", "sign", "word", "part", "hour", "minute", "day", "month", "year", "unit", "currency"
    position: int
    expected: str
    heard: str

    def __str__(self) -> str:
        if not self.heard:
            return f"{self.unit} {self.position}: {self.expected} left out"
        if not self.expected:
            return f"{self.unit} {self.position}: {self.heard} added"
        return f"{self.unit} {self.position}: {self.heard} for {self.expected}"


def distance(a: str, b: str) -> int:
    """Edits from `a` to `b`, a swap of neighbours counted as one (optimal string alignment)."""
    from rapidfuzz.distance import OSA

    return OSA.distance(a, b)


def symbol_edits(expected: str, heard: str) -> tuple[Edit, ...]:
    """The fewest substitutions, deletions and insertions that turn `expected` into `heard`."""
    n, m = len(expected), len(heard)
    table = [list(range(m + 1)), *([i] + [0] * m for i in range(1, n + 1))]
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            substituted = table[i - 1][j - 1] + (expected[i - 1] != heard[j - 1])
            table[i][j] = min(table[i - 1][j] + 1, table[i][j - 1] + 1, substituted)
    edits: list[Edit] = []
    i, j = n, m
    while i or j:
        if i and j and table[i][j] == table[i - 1][j - 1] + (expected[i - 1] != heard[j - 1]):
            if expected[i - 1] != heard[j - 1]:
                edits.append(Edit(_unit(expected[i - 1]), i, expected[i - 1], heard[j - 1]))
            i, j = i - 1, j - 1
        elif i and table[i][j] == table[i - 1][j] + 1:
            edits.append(Edit(_unit(expected[i - 1]), i, expected[i - 1], ""))
            i -= 1
        else:
            edits.append(Edit(_unit(heard[j - 1]), i + 1, "", heard[j - 1]))
            j -= 1
    return tuple(reversed(edits))


def _unit(symbol: str) -> str:
    return "digit" if symbol.isdigit() else "letter" if symbol.isalpha() else "sign"


# --------------------------------------------------------------------------------------------- classes


def string_class(expected: str, heard: str) -> str:
    """Near-miss class of two symbol strings; "other" where no rule names it."""
    a, b = expected.lower(), heard.lower()
    if len(a) == len(b):
        wrong = [(x, y) for x, y in zip(a, b, strict=True) if x != y]
        if teen_for_ten(a, b):
            return "teen_ty"
        if len(wrong) == 2 and wrong[0] == wrong[1][::-1] and distance(a, b) == 1:
            return "transposed"
        if len(wrong) != 1:
            return "other"
        x, y = wrong[0]
        if {x, y} == {"5", "9"}:
            return "five_nine"
        if {x, y} == {"a", "8"} or (x, y) in _LETTERS_ALIKE:
            return "letter_confusion"
        return "substituted"
    short, long = sorted((a, b), key=len)
    if len(long) == len(short) + 1:
        for k in range(len(long)):
            if long[:k] + long[k + 1 :] == short:
                twice = long[k] in (long[k - 1 : k], long[k + 1 : k + 2])
                return "dropped" if len(a) > len(b) else "doubled" if twice else "added"
    return "other"


def teen_for_ten(a: str, b: str) -> bool:
    """Whether one group of two digits is a teen in one string and its ten in the other: 13 and 30, 5013 and 5030."""
    if len(a) != len(b):
        return False
    for at in range(len(a) - 1):
        if a[:at] == b[:at] and a[at + 2 :] == b[at + 2 :]:
            for teen, ten in ((a[at : at + 2], b[at : at + 2]), (b[at : at + 2], a[at : at + 2])):
                if teen[0] == "1" and teen[1] in "3456789" and ten == teen[1] + "0":
                    return True
    return False


def number_class(expected: str, heard: str) -> str:
    """Near-miss class of two plain numbers."""
    a, b = expected.lstrip("-"), heard.lstrip("-")
    if a == b:
        return "sign"
    if a.replace(".", "").strip("0") == b.replace(".", "").strip("0"):
        return "shifted_decimal"
    (whole_a, _, part_a), (whole_b, _, part_b) = a.partition("."), b.partition(".")
    if whole_a == whole_b:
        return "cents"
    if part_a == part_b:
        width = max(len(whole_a), len(whole_b))
        if teen_for_ten(whole_a.zfill(width), whole_b.zfill(width)):
            return "teen_ty"
        return string_class(whole_a, whole_b)
    return string_class(a, b)


def time_class(expected: tuple[int, int], heard: tuple[int, int]) -> str:
    """Near-miss class of two clock times, each an hour and a minute."""
    (hour, minute), (other_hour, other_minute) = expected, heard
    if minute == other_minute:
        if hour % 12 == other_hour % 12:
            return "am_pm"
        return "five_nine" if {hour % 12, other_hour % 12} == {5, 9} else "hour"
    if hour == other_hour:
        return "teen_ty" if teen_for_ten(f"{minute:02d}", f"{other_minute:02d}") else "minute"
    return "other"


# --------------------------------------------------------------------------------------------- near misses of a value

Put = Callable[[str, str], None]

_SOUND_LIKE = {
    "a": "k", "b": "dpv", "c": "zst", "d": "bt", "e": "bg", "f": "s", "g": "jd", "h": "a",
    "i": "y", "j": "ka", "k": "ja",
    "l": "n", "m": "n", "n": "m", "p": "bt", "q": "u", "r": "l", "s": "fx", "t": "dp", "u": "q",
    "v": "bz", "w": "v", "x": "s",
    "y": "i", "z": "cv",
}  # fmt: skip
_NAMES_LIKE = {
    "b": "mp", "m": "bn", "p": "bt", "d": "tb", "t": "dp", "v": "bf", "n": "m", "f": "s", "s": "f", "g": "k", "l": "r",
    "r": "l", "k": "g", "c": "g", "w": "v",
}  # fmt: skip
_WEEKDAYS_LIKE = {
    "Tuesday": "Thursday", "Thursday": "Tuesday", "Sunday": "Monday", "Monday": "Sunday",
    "Saturday": "Sunday", "Wednesday": "Tuesday", "Friday": "Thursday",
}  # fmt: skip
_MONTHS_LIKE = {1: 2, 2: 1, 3: 5, 4: 8, 5: 3, 6: 7, 7: 6, 8: 4, 9: 12, 10: 11, 11: 9, 12: 9}


def near_misses(value: str | int | float | Decimal, kind: str) -> tuple[tuple[str, str], ...]:
    """Values that a mishearing, or an agent that misspeaks, makes of `value`, each with the class of the confusion.

    Parameters
    ----------
    value : str, int, float or Decimal
        A canonical value of the kind.
    kind : str
        Kind of the value, by any of its names.

    Returns
    -------
    tuple of (str, str)
        Values of the same kind, none equal to `value`, without doubles. Classes: ``teen_ty``,
        ``transposed``, ``dropped``, ``doubled``, ``five_nine``, ``substituted``, ``letter_confusion``,
        ``am_pm``, ``hour``, ``minute``, ``weekday``, ``month``, ``day``, ``year``, ``cents``,
        ``shifted_decimal``, ``name_near``, ``ending``.

    Raises
    ------
    InputError
        If `kind` is unknown or `value` does not fit it.
    """
    text = str(value).strip()
    name = kind_named(kind)
    out: dict[str, str] = {}

    def put(changed: str, near_miss: str) -> None:
        if changed and changed != text:
            out.setdefault(changed, near_miss)

    make = _MAKERS.get(name)
    if make is not None:
        make(text, name, put)
    return tuple(out.items())


def _teens(digits: str) -> Iterator[str]:
    """Digits whose last two are said as a teen for a ten, or a ten for a teen."""
    if len(digits) >= 2:
        head, x, y = digits[:-2], digits[-2], digits[-1]
        if x == "1" and y in "3456789":
            yield f"{head}{y}0"
        elif y == "0" and x in "3456789":
            yield f"{head}1{x}"


def _symbols(text: str, kind: str, put: Put) -> None:
    body = [k for k, c in enumerate(text) if c.isalnum()]
    symbols = [text[k] for k in body]

    def spelled(changed: list[str]) -> str:
        if len(changed) != len(body):
            return ("+" if text.startswith("+") else "") + "".join(changed)
        whole = list(text)
        for at, symbol in zip(body, changed, strict=True):
            whole[at] = symbol
        return "".join(whole)

    def swapped(k: int, *symbol: str, upto: int = 1) -> str:
        return spelled([*symbols[:k], *symbol, *symbols[k + upto :]])

    if text.isdigit():
        for changed in _teens(text):
            put(changed, "teen_ty")
    for k in range(len(symbols) - 1):
        if symbols[k] != symbols[k + 1]:
            put(swapped(k, symbols[k + 1], symbols[k], upto=2), "transposed")
    for k, symbol in enumerate(symbols):
        if len(symbols) > 2:
            put(swapped(k), "dropped")
        put(swapped(k, symbol, symbol), "doubled")
        if symbol in "59":
            put(swapped(k, "9" if symbol == "5" else "5"), "five_nine")
        elif symbol.isdigit():
            put(swapped(k, str((int(symbol) + 3) % 10)), "substituted")
        else:
            for other in _SOUND_LIKE.get(symbol.lower(), ""):
                put(swapped(k, other.upper() if symbol.isupper() else other), "letter_confusion")


def _numbers(text: str, kind: str, put: Put) -> None:
    found = re.match(r"([^\d.-]*)(-?)([\d,]*\.?\d+)(.*)$", text)
    if found is None:
        raise InputError(f"value must hold a number for kind {kind!r}, got {text!r}")
    lead, sign, figures, unit = found[1], found[2], found[3].replace(",", ""), found[4]
    number = decimal_of(figures, kind)
    whole, _, part = figures.partition(".")

    def put_number(new: str, cents: str, near_miss: str) -> None:
        new = new.lstrip("0") or "0"
        changed = f"{new}.{cents}" if cents else new
        if decimal_of(changed, kind) != number:
            put(
                f"{lead}{sign}{changed}{_ordinal_tail(int(new)) if kind == 'ordinal' and unit else unit}",
                near_miss,
            )

    for changed in _teens(whole):
        put_number(changed, part, "teen_ty")
    for changed in _teens(part) if len(part) == 2 else ():
        put_number(whole, changed, "cents" if kind == "money" else "teen_ty")
    if len(part) == 2:
        put_number(whole, part[::-1], "cents")
    if part.strip("0"):
        put_number(
            whole,
            part[:-1] + str((int(part[-1]) + 1) % 10),
            "cents" if kind == "money" else "substituted",
        )
    for k in range(len(whole) - 1):
        if whole[k] != whole[k + 1]:
            put_number(whole[:k] + whole[k + 1] + whole[k] + whole[k + 2 :], part, "transposed")
    for k, digit in enumerate(whole):
        if len(whole) > 1:
            put_number(whole[:k] + whole[k + 1 :], part, "dropped")
        if digit in "59":
            put_number(
                whole[:k] + ("9" if digit == "5" else "5") + whole[k + 1 :], part, "five_nine"
            )
        put_number(whole[: k + 1] + digit + whole[k + 1 :], part, "doubled")
        put_number(whole[:k] + str((int(digit) + 1) % 10) + whole[k + 1 :], part, "substituted")
    if kind in ("money", "decimal", "percent", "measure"):
        for factor in (10, Decimal("0.1")):
            moved = number * factor
            if len(plain_number(moved).partition(".")[2]) <= 2:
                shown = money_figures(moved) if kind == "money" and part else plain_number(moved)
                put(f"{lead}{sign}{shown}{unit}", "shifted_decimal")


def _ordinal_tail(n: int) -> str:
    return "th" if n % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")


def _times(text: str, kind: str, put: Put) -> None:
    found = re.fullmatch(r"(\d{1,2}):(\d\d)(.*)", text)
    if found is None:
        raise InputError(f"value must be a time such as '19:30', got {text!r}")
    hour, minute, rest = int(found[1]), int(found[2]), found[3]
    half = hour // 12 * 12
    put(f"{(hour + 12) % 24:02d}:{minute:02d}{rest}", "am_pm")
    for changed in _teens(f"{minute:02d}"):
        if int(changed) < 60:
            put(f"{hour:02d}:{changed}{rest}", "teen_ty")
    put(f"{half + (hour + 1) % 12:02d}:{minute:02d}{rest}", "hour")
    put(f"{hour:02d}:{(minute + 5) % 60:02d}{rest}", "minute")
    if hour % 12 in (5, 9):
        put(f"{half + (9 if hour % 12 == 5 else 5):02d}:{minute:02d}{rest}", "five_nine")


def _dates(text: str, kind: str, put: Put) -> None:
    found = re.match(r"(\d{4})-(\d\d)-(\d\d)(.*)$", text)
    if found is None:
        raise InputError(f"value must be a date such as '2027-05-13', got {text!r}")
    year, month, day, rest = int(found[1]), int(found[2]), int(found[3]), found[4]

    def put_date(y: int, m: int, d: int, near_miss: str) -> None:
        try:
            date(y, m, d)
        except ValueError:
            return
        put(f"{y:04d}-{m:02d}-{d:02d}{rest}", near_miss)

    for changed in _teens(f"{day:02d}"):
        put_date(year, month, int(changed), "teen_ty")
    put_date(year, month, day + 1, "day")
    put_date(year, month, day - 1, "day")
    put_date(year, month, day % 10 * 10 + day // 10, "transposed")
    put_date(year, _MONTHS_LIKE[month], day, "month")
    put_date(year, month % 12 + 1, day, "month")
    put_date(year + 1, month, day, "year")
    if kind == "datetime" and len(rest) >= 6:
        _times(
            rest[1:6],
            "time",
            lambda changed, near_miss: put(f"{text[:10]}{rest[0]}{changed}{rest[6:]}", near_miss),
        )


def _weekdays(text: str, kind: str, put: Put) -> None:
    day = text.capitalize()
    if day not in _WEEKDAYS_LIKE:
        raise InputError(f"value must be a day of the week, got {text!r}")
    put(_WEEKDAYS_LIKE[day], "weekday")
    put(vocab.WEEKDAY_NAMES[(vocab.WEEKDAY_NAMES.index(day) + 1) % 7], "weekday")


def _names(text: str, kind: str, put: Put) -> None:
    for k, letter in enumerate(text):
        if k == 0 or text[k - 1] == " ":
            for other in _NAMES_LIKE.get(letter.lower(), ""):
                put(text[:k] + other.upper() + text[k + 1 :], "name_near")


def _written(text: str, kind: str, put: Put) -> None:
    start, end = (
        (0, text.find("@"))
        if kind == "email"
        else (len(text) - len(text.rsplit("/", 1)[-1]), len(text))
    )
    for k in range(start, end):
        symbol = text[k]
        if symbol.isdigit():
            put(text[:k] + str((int(symbol) + 4) % 10) + text[k + 1 :], "substituted")
        elif symbol.lower() in _SOUND_LIKE and not text[k:].startswith((".com", "com", "om", "m")):
            put(text[:k] + _SOUND_LIKE[symbol.lower()][0] + text[k + 1 :], "letter_confusion")
    for a, b in ((".com", ".org"), (".org", ".com"), (".net", ".com")):
        if text.endswith(a):
            put(text[: -len(a)] + b, "ending")


def _addresses(text: str, kind: str, put: Put) -> None:
    for found in re.finditer(r"\d+", text):
        for changed, near_miss in near_misses(found[0], "digits"):
            put(text[: found.start()] + changed + text[found.end() :], near_miss)


_MAKERS: dict[str, Callable[[str, str, Put], None]] = {
    **dict.fromkeys(("digits", "code", "phone"), _symbols),
    **dict.fromkeys(("cardinal", "ordinal", "percent", "decimal", "money", "measure"), _numbers),
    "time": _times, "date": _dates, "datetime": _dates, "weekday": _weekdays, "name": _names, "email": _written,
    "url": _written, "address": _addresses,
}  # fmt: skip

__all__ = [
    "Edit",
    "distance",
    "near_misses",
    "number_class",
    "string_class",
    "symbol_edits",
    "teen_for_ten",
    "time_class",
]
