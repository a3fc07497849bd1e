"""How two values of one kind differ: edits in the value's own symbols, and the class of the confusion."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from s2sverify.errors import InputError
from s2sverify.text import vocabulary as vocab

_EARS = ("bdptvegcz", "mn", "fs", "a8hjk", "iy", "qu")
_LETTER_EARS = {(a, b) for group in _EARS for a in group for b in group if a != b}


@dataclass(frozen=True, slots=True)
class Edit:
    """One symbol of the value that was heard otherwise.

    ``position`` counts from 1 in the expected value; ``expected`` or ``heard`` is empty where a symbol was inserted or dropped.
    """

    unit: str  # "digit", "letter", "word", "part"
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
    """Edits from `a` to `b`, a swap of neighbours counted as one."""
    if a == b:
        return 0
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        older, before, row = before, row, [i] + [0] * len(b)
        for j, y in enumerate(b, 1):
            row[j] = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                row[j] = min(row[j], older[j - 2] + 1)
    return row[-1]


def symbol_edits(expected: str, heard: str) -> tuple[Edit, ...]:
    """The fewest edits that turn the symbols of `expected` into those of `heard`."""
    n, m = len(expected), len(heard)
    table = [list(range(m + 1))] + [[i] + [0] * m for i in range(1, n + 1)]
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            table[i][j] = min(
                table[i - 1][j] + 1,
                table[i][j - 1] + 1,
                table[i - 1][j - 1] + (expected[i - 1] != heard[j - 1]),
            )
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


def string_class(expected: str, heard: str) -> str:
    """Near-miss class of two symbol strings, "other" where no rule names it."""
    a, b = expected.lower(), heard.lower()
    if len(a) == len(b):
        wrong = [(x, y) for x, y in zip(a, b, strict=True) if x != y]
        if len(wrong) == 2 and wrong[0] == wrong[1][::-1]:
            return "transposed"
        if len(wrong) == 1:
            x, y = wrong[0]
            if {x, y} == {"5", "9"}:
                return "five_nine"
            if (x.isalpha() and y.isalpha()) or {x, y} == {"a", "8"}:
                return "letter_confusion" if (x, y) in _LETTER_EARS else "substituted_letter"
            if {x, y} & set("10") and _teen_ty(a, b):
                return "teen_ty"
            return "substituted"
        if _teen_ty(a, b):
            return "teen_ty"
        return "other"
    short, long = sorted((a, b), key=len)
    if len(long) == len(short) + 1:
        for k in range(len(long)):
            if long[:k] + long[k + 1 :] == short:
                doubled = (
                    (k and long[k - 1] == long[k]) or (k + 1 < len(long) and long[k + 1] == long[k])
                )
                if len(b) > len(a):
                    return "doubled" if doubled else "added"
                return "dropped"
    if _teen_ty(a, b):
        return "teen_ty"
    return "other"


def _teen_ty(a: str, b: str) -> bool:
    """Whether one teen is a ten in the other: 13 and 30, 5013 and 5030."""
    if len(a) != len(b):
        return False
    wrong = [k for k in range(len(a)) if a[k] != b[k]]
    if not wrong or wrong[-1] - wrong[0] > 1:
        return False
    k = min(wrong[0], len(a) - 2)
    for at in (k, k - 1):
        if at < 0:
            continue
        x, y = a[at : at + 2], b[at : at + 2]
        if a[:at] == b[:at] and a[at + 2 :] == b[at + 2 :]:
            for teen, ty in ((x, y), (y, x)):
                if (
                    len(teen) == 2
                    and teen[0] == "1"
                    and teen[1] in "3456789"
                    and ty == teen[1] + "0"
                ):
                    return True
    return False


def number_class(expected: str, heard: str) -> str:
    """Near-miss class of two plain numbers."""
    a, b = expected.lstrip("-"), heard.lstrip("-")
    if a == b:
        return "sign"
    da, db = a.replace(".", ""), b.replace(".", "")
    if da.strip("0") == db.strip("0") and da.strip("0"):
        return "shifted_decimal"
    wa, _, fa = a.partition(".")
    wb, _, fb = b.partition(".")
    if wa == wb and fa != fb:
        return "cents"
    if fa == fb and _teen_ty(wa.zfill(len(wb)), wb.zfill(len(wa))):
        return "teen_ty"
    found = string_class(a, b)
    return "number_near" if found == "other" and distance(a, b) <= 1 else found


# --------------------------------------------------------------------------------------------- near misses of a value

_SWAPS = {"b": "dpv", "d": "bt", "p": "bt", "t": "dp", "v": "bz", "e": "bg", "g": "jd", "c": "zs", "z": "cv", "m": "n",
          "n": "m", "f": "s", "s": "fx", "a": "8k", "8": "a", "i": "y", "y": "i", "k": "ja", "j": "kg", "h": "a",
          "u": "q", "q": "u", "x": "s", "l": "n", "o": "", "r": "l", "w": "v"}  # fmt: skip
_NEAR_WEEKDAYS = {"Tuesday": "Thursday", "Thursday": "Tuesday", "Sunday": "Monday", "Monday": "Sunday", "Saturday": "Sunday",
                  "Wednesday": "Tuesday", "Friday": "Thursday"}  # fmt: skip
_NEAR_MONTHS = {1: 2, 2: 1, 3: 5, 4: 8, 5: 3, 6: 7, 7: 6, 8: 4, 9: 12, 10: 11, 11: 9, 12: 9}


def _teen_ty_of(digits: str) -> Iterator[str]:
    """Digits with a teen said for a ten, or a ten for a teen, at the end of a group of two."""
    if len(digits) >= 2:
        x, y = digits[-2], digits[-1]
        if x == "1" and y in "3456789":
            yield f"{digits[:-2]}{y}0"
        if y == "0" and x in "3456789":
            yield f"{digits[:-2]}1{x}"


def near_misses(value: str | int | float, kind: str) -> tuple[tuple[str, str], ...]:
    """Values that a mishearing, or an agent that misspeaks, makes of `value`, each with the class of the confusion.

    Parameters
    ----------
    value : str, int or float
        A canonical value of the kind.
    kind : str
        Kind of the value, by any of its names.

    Returns
    -------
    tuple of (str, str)
        Values of the same kind that are not equal to `value`, without doubles: classes ``teen_ty``, ``transposed``,
        ``dropped``, ``doubled``, ``five_nine``, ``substituted``, ``letter_confusion``, ``am_pm``, ``hour``, ``minute``,
        ``weekday``, ``month``, ``day``, ``year``, ``cents``, ``shifted_decimal``, ``name_near``.

    Raises
    ------
    InputError
        If `kind` is unknown or `value` does not fit it.
    """
    from s2sverify.text.kinds import decimal_of, kind_named, plain_number

    kind = kind_named(kind)
    out: dict[str, str] = {}
    text = str(value).strip()

    def put(changed: str, name: str) -> None:
        if changed and changed != text:
            out.setdefault(changed, name)

    if kind in ("digits", "code", "phone"):
        body = [k for k, c in enumerate(text) if c.isalnum()]
        symbols = [text[k] for k in body]

        def spell(changed: list[str]) -> str:
            if len(changed) == len(body):
                whole = list(text)
                for at, symbol in zip(body, changed, strict=True):
                    whole[at] = symbol
                return "".join(whole)
            return ("+" if text.startswith("+") else "") + "".join(changed)

        for k in range(len(symbols) - 1):
            if symbols[k] != symbols[k + 1]:
                put(
                    spell([*symbols[:k], symbols[k + 1], symbols[k], *symbols[k + 2 :]]),
                    "transposed",
                )
        for k, symbol in enumerate(symbols):
            if len(symbols) > 2:
                put(spell(symbols[:k] + symbols[k + 1 :]), "dropped")
            put(spell([*symbols[: k + 1], symbol, *symbols[k + 1 :]]), "doubled")
            if symbol in "59":
                put(
                    spell([*symbols[:k], "9" if symbol == "5" else "5", *symbols[k + 1 :]]),
                    "five_nine",
                )
            elif symbol.isdigit():
                put(
                    spell([*symbols[:k], str((int(symbol) + 3) % 10), *symbols[k + 1 :]]),
                    "substituted",
                )
            if symbol.isalpha():
                for other in _SWAPS.get(symbol.lower(), ""):
                    if other.isalpha():
                        other = other.upper() if symbol.isupper() else other
                        put(spell([*symbols[:k], other, *symbols[k + 1 :]]), "letter_confusion")
        if text.isdigit():
            for changed in _teen_ty_of(text):
                put(changed, "teen_ty")
    elif kind in ("cardinal", "ordinal", "percent", "decimal", "money", "measure"):
        head = text
        unit = ""
        found = re.match(r"[^\d-]*(-?[\d,]*\.?\d+)(.*)$", text)
        if found:
            head, unit = found[1].replace(",", ""), found[2]
        lead = text[: text.index(found[1])] if found else ""
        number = decimal_of(head, kind)
        whole, point, part = head.partition(".")
        sign, whole = ("-", whole[1:]) if whole.startswith("-") else ("", whole)

        def put_number(whole: str, part: str, name: str) -> None:
            whole = whole.lstrip("0") or "0"
            changed = f"{sign}{whole}{point}{part}" if part else f"{sign}{whole}"
            if decimal_of(changed, kind) != number:
                tail = unit
                if kind == "ordinal" and unit:
                    n = int(whole)
                    tail = (
                        "th"
                        if n % 100 in (11, 12, 13)
                        else {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")
                    )
                put(f"{lead}{changed}{tail}", name)

        for changed in _teen_ty_of(whole):
            put_number(changed, part, "teen_ty")
        if len(whole) > 2:
            for changed in _teen_ty_of(whole[:-1]):
                put_number(changed + whole[-1], part, "teen_ty") if whole[-1] == "0" else None
        for changed in _teen_ty_of(part) if len(part) == 2 else ():
            put_number(whole, changed, "cents" if kind == "money" else "teen_ty")
        if len(part) == 2 and part[0] != part[1]:
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
                if moved == round(moved, 2):
                    shown = plain_number(moved)
                    if "." in shown and kind == "money":
                        shown = f"{moved:.2f}"
                    put(
                        f"{lead}{shown}{'.00' if kind == 'money' and point and '.' not in shown else ''}{unit}",
                        "shifted_decimal",
                    )
    elif kind == "time":
        found = re.fullmatch(r"(\d{1,2}):(\d\d)(.*)", text)
        if found is None:
            raise InputError(f"value must be a time such as '19:30', got {value!r}")
        hour, minute, rest = int(found[1]), int(found[2]), found[3]
        put(f"{(hour + 12) % 24:02d}:{minute:02d}{rest}", "am_pm")
        for changed in _teen_ty_of(f"{minute:02d}"):
            if int(changed) < 60:
                put(f"{hour:02d}:{changed}{rest}", "teen_ty")
        half = hour // 12 * 12
        put(f"{half + (hour % 12 + 1) % 12:02d}:{minute:02d}{rest}", "hour")
        put(f"{hour:02d}:{(minute + 5) % 60:02d}{rest}", "minute")
        if hour % 12 in (5, 9):
            put(f"{half + (9 if hour % 12 == 5 else 5):02d}:{minute:02d}{rest}", "five_nine")
    elif kind in ("date", "datetime"):
        found = re.match(r"(\d{4})-(\d\d)-(\d\d)(.*)$", text)
        if found is None:
            raise InputError(f"value must be a date such as '2027-05-13', got {value!r}")
        year, month, day, rest = int(found[1]), int(found[2]), int(found[3]), found[4]

        def put_date(y: int, m: int, d: int, name: str) -> None:
            try:
                date(y, m, d)
            except ValueError:
                return
            put(f"{y:04d}-{m:02d}-{d:02d}{rest}", name)

        for changed in _teen_ty_of(f"{day:02d}"):
            put_date(year, month, int(changed), "teen_ty")
        put_date(year, month, day + 1, "day")
        put_date(year, month, day - 1, "day")
        put_date(year, month, day % 10 * 10 + day // 10, "transposed")
        put_date(year, _NEAR_MONTHS[month], day, "month")
        put_date(year, month % 12 + 1, day, "month")
        put_date(year + 1, month, day, "year")
        if kind == "datetime" and len(rest) >= 6:
            for changed, name in near_misses(rest[1:6], "time"):
                put(f"{text[:10]}{rest[0]}{changed}{rest[6:]}", name)
    elif kind == "weekday":
        day_name = text.capitalize()
        if day_name in _NEAR_WEEKDAYS:
            put(_NEAR_WEEKDAYS[day_name], "weekday")
            at = vocab.WEEKDAY_NAMES.index(day_name)
            put(vocab.WEEKDAY_NAMES[(at + 1) % 7], "weekday")
    elif kind == "name":
        for k, letter in enumerate(text):
            first = k == 0 or text[k - 1] == " "
            if first and letter.lower() in "bmpdtvnfshglrkcw":
                for other in {"b": "mp", "m": "bn", "p": "bt", "d": "tb", "t": "dp", "v": "bf", "n": "m", "f": "s", "s": "f",
                              "h": "", "g": "k", "l": "r", "r": "l", "k": "g", "c": "g", "w": "v"}[letter.lower()]:  # fmt: skip
                    put(text[:k] + other.upper() + text[k + 1 :], "name_near")
    elif kind in ("email", "url"):
        local = (
            text.split("@")[0] if kind == "email" else text.split("/")[-1] if "/" in text else text
        )
        at = text.index(local) if local else 0
        for k in range(at, at + len(local)):
            symbol = text[k]
            if symbol.isalpha():
                for other in _SWAPS.get(symbol.lower(), "")[:1]:
                    if other.isalpha():
                        put(text[:k] + other + text[k + 1 :], "letter_confusion")
            elif symbol.isdigit():
                put(text[:k] + str((int(symbol) + 4) % 10) + text[k + 1 :], "substituted")
        for a, b in ((".com", ".org"), (".org", ".com"), (".net", ".com")):
            if text.endswith(a):
                put(text[: -len(a)] + b, "ending")
    elif kind == "address":
        for found in re.finditer(r"\d+", text):
            for changed, name in near_misses(found[0], "digits"):
                put(text[: found.start()] + changed + text[found.end() :], name)
    return tuple(out.items())
