"""Kinds of values: their names, the kinds that a bare value may be, and numbers in canonical form."""

from __future__ import annotations

import re
from datetime import date, datetime, time
from decimal import Decimal, InvalidOperation

from s2sverify.errors import InputError
from s2sverify.text.amounts import maximal, money
from s2sverify.text.lattice import fold, lattice_of
from s2sverify.text.measures import unit_named
from s2sverify.text.numbers import LONGEST, numbers
from s2sverify.text.vocabulary import MONTHS, WEEKDAYS

KINDS = (
    "digits", "phone", "code", "cardinal", "ordinal", "decimal", "money", "percent", "measure", "date", "time",
    "datetime", "weekday", "name", "email", "url", "address", "text",
)  # fmt: skip
ALIASES = {
    "alnum": "code", "alphanumeric": "code", "id": "code", "quantity": "cardinal", "int": "cardinal",
    "integer": "cardinal", "count": "cardinal", "number": "decimal", "float": "decimal", "percentage": "percent",
    "currency": "money", "amount": "money", "day": "weekday", "person": "name", "mail": "email", "website": "url",
}  # fmt: skip
Value = str | int | float | Decimal | date | time | datetime


def kind_named(kind: str) -> str:
    """The kind that `kind` names, itself or by an alias.

    Raises
    ------
    InputError
        If there is no such kind.
    """
    name = ALIASES.get(str(kind).lower(), str(kind).lower())
    if name not in KINDS:
        raise InputError(f"kind must be one of {', '.join(KINDS)}, got {kind!r}")
    return name


# --------------------------------------------------------------------------------------------- numbers


def decimal_of(value: Value, kind: str) -> Decimal:
    """The number that `value` is or says, for numeric kinds.

    Raises
    ------
    InputError
        If it is not a finite number.
    """
    if isinstance(value, int):
        return Decimal(value)
    if isinstance(value, Decimal):
        number = value
    else:
        text = fold(repr(value) if isinstance(value, float) else str(value)).strip()
        try:
            number = Decimal(re.sub(r"(?<=\d),(?=\d)", "", text))
        except InvalidOperation:
            said = said_number(text)
            if said is None:
                raise InputError(
                    f"expected must be a number for kind {kind!r}, got {value!r}"
                ) from None
            number = said
    if not number.is_finite() or abs(number.adjusted()) >= LONGEST:
        raise InputError(
            f"expected must be a finite number of at most {LONGEST} places for kind {kind!r}, got {value!r}"
        )
    return number


def said_number(text: str) -> Decimal | None:
    """The number that a whole text writes or says ("13 lakh", "3/4", "15 trillion"), or None."""
    lat = lattice_of(text)
    whole = [n.value for n in numbers(lat, 0) if n.end == lat.n] if lat.n else []
    return whole[-1] if whole else None


def plain_number(value: Decimal) -> str:
    """A number without exponent and without idle zeros after the point."""
    text = f"{value:f}"
    if "." not in text:
        return text
    text = text.rstrip("0").rstrip(".")
    return "0" if text in ("", "-0") else text


def money_figures(value: Decimal) -> str:
    """An amount with two places after the point, or with more where it has them."""
    text = plain_number(value)
    whole, _, part = text.partition(".")
    return text if len(part) > 2 else f"{whole}.{part:0<2}"


# --------------------------------------------------------------------------------------------- kinds of a bare value

_HINTS = [
    (re.compile(pattern), tuple(kinds.split(" ")))
    for pattern, kinds in (
        (r"e_?mail", "email"),
        (r"url|website|link|domain", "url"),
        (r"phone|mobile|(^|_)tel($|_)|callback|fax", "phone digits"),
        (r"percent|pct|(^|_)rate|discount|interest|(^|_)apr($|_)", "percent decimal cardinal"),
        (
            r"amount|total|price|cost|(^|_)fee|balance|charge|refund|payment|subtotal|(^|_)tax|deposit"
            r"|usd|eur|gbp|fare|salary|premium",
            "money",
        ),
        (r"weekday|day_of_week|^day$", "weekday"),
        (r"(^|_)date|(^|_)eta($|_)|(^|_)dob|birth|deadline|(^|_)due|_on$", "date datetime time"),
        (r"(^|_)time|_at$|(^|_)hour|starts|ends", "time datetime date"),
        (
            r"count|quantity|qty|boxes|items|seats|guests|nights|people|(^|_)n_|num_|party|bags|points"
            r"|rooms|passengers|stock|units",
            "cardinal",
        ),
        (
            r"(^|_)(code|id|ref|reference|number|no|num|confirmation|order|ticket|serial|zip|postcode|pin"
            r"|account|tracking|booking|pnr|flight|card|last4|otp|extension|ext)(_|\d|$)",
            "digits code phone",
        ),
        (
            r"distance|weight|height|length|width|temperature|duration|minutes|days|size|volume|speed",
            "measure cardinal decimal",
        ),
        (r"name|agent|adjuster|technician|driver|doctor|contact|customer", "name"),
        (r"address|street", "address"),
    )
]


def infer_kinds(value: Value, *, key: str | None = None) -> tuple[str, ...]:
    """Kinds that a value may be, the likeliest first.

    Parameters
    ----------
    value : str, int, float, Decimal, date, time or datetime
        The expected value, as a tool returned it.
    key : str, optional
        Name of the field it came from, such as ``"total_amount"``. It ranks and narrows what the form
        leaves open, and never overrides a form that has one meaning.

    Returns
    -------
    tuple of str
        At least one kind.

    Raises
    ------
    InputError
        If `value` has another type.
    """
    found = _kinds_of(value)
    if len(found) > 1 and key:
        spelled = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", key).lower()
        spelled = re.sub(r"[^a-z0-9]+", "_", spelled)
        for pattern, kinds in _HINTS:
            if pattern.search(spelled):
                narrowed = tuple(kind for kind in kinds if kind in found)
                return narrowed or found
    return found


def _kinds_of(value: Value) -> tuple[str, ...]:
    if isinstance(value, str):
        return _kinds_of_text(fold(value).strip())
    if isinstance(value, datetime):
        return ("datetime",)
    if isinstance(value, date):
        return ("date",)
    if isinstance(value, time):
        return ("time",)
    if isinstance(value, int) and not isinstance(value, bool):
        if value < 0:
            return ("cardinal", "measure", "money", "percent")
        return (
            "cardinal",
            "digits",
            "money",
            "percent",
            "measure",
            *(("ordinal",) if 0 < value < 1000 else ()),
        )
    if isinstance(value, float | Decimal):
        return ("decimal", "money", "percent", "measure")
    raise InputError(f"expected must be text, a number, a date or a time, got {value!r}")


_FORMS = [
    (re.compile(pattern, re.IGNORECASE), kind)
    for pattern, kind in (
        (r"[^\s@]+@[^\s@]+\.[^\s@]+", "email"),
        (
            r"([a-z][a-z0-9+.-]*://|www\.)\S+|([a-z0-9-]+\.)+[a-z]{2,}(/\S*)?|\d{1,3}(\.\d{1,3}){3}",
            "url",
        ),
        (r"\d{4}-\d{1,2}-\d{1,2}[T ]\d{1,2}:\d{2}.*", "datetime"),
        (r"\d{4}-\d{1,2}-\d{1,2}|\d{4}/\d{1,2}/\d{1,2}|\d{1,2}/\d{1,2}/(\d\d){1,2}", "date"),
        (r"\d{1,2}\.\d{1,2}\.\d{4}|\d{3}0'?s|--\d\d-\d\d|\d{4}-\d\d", "date"),
        (r"\d{1,2}:\d{2}(:\d{2})?\s*([ap]\.?\s?m\.?)?|\d{1,2}([.:]\d\d)?\s*[ap]\.?m\.?", "time"),
        (r"noon|midday|midnight|\d{1,2} o'clock", "time"),
        (r"[-+]?[\d,]*\.?\d+\s*(%|percent|per cent|pct)", "percent"),
        (r"\d+(,\d{3})*(st|nd|rd|th)", "ordinal"),
        (r"\+[\d\s().-]{6,}(\s*(x|ext\.?)\s*\d+)?", "phone"),
        (r"(\+?\d{1,2}[-. ])?\(?\d{3}\)?[-. ]\s?\d{3}[-. ]\d{4}(\s*(x|ext\.?)\s*\d+)?", "phone"),
    )
]
_NUMBER = re.compile(r"[-+]?(\d+|\d{1,3}(,\d{2,3})+)")
_BROKEN = re.compile(r"[-+]?[\d,]*\.(\d+)")


def _kinds_of_text(text: str) -> tuple[str, ...]:
    if not text:
        return ("text",)
    low = text.lower()
    for pattern, kind in _FORMS:
        if pattern.fullmatch(text):
            return (kind,)
    if low.rstrip(".") in WEEKDAYS:
        return ("weekday",)
    if _NUMBER.fullmatch(text):
        return _kinds_of_figures(text)
    broken = _BROKEN.fullmatch(text)
    if broken:
        return (
            ("money", "decimal", "percent", "measure")
            if len(broken[1]) == 2
            else ("decimal", "money", "percent", "measure")
        )
    if len(text) <= 60 and re.search(r"\d", text) and _is_money(text):
        return ("money",)
    if re.match(r"[-+]?[\d,.]*\d", text) and len(text) <= 40:
        unit = re.sub(r"^[-+]?[\d,./ ]*\d\s*", "", text)
        if unit and unit_named(unit) is not None:
            return (
                ("measure",) if " " in text or len(unit) > 1 or "." in text else ("measure", "code")
            )
    tokens = re.findall(r"[\w']+", low)
    if any(t in MONTHS for t in tokens) and re.search(r"\d", text) and len(tokens) <= 5:
        return ("date",)
    if " " not in text and re.search(r"\d", text) and re.fullmatch(r"[\w/.#-]+", text):
        return ("code",)
    if re.fullmatch(r"[A-Z]{2,8}", text):
        return ("code", "name", "text")
    if re.match(r"\d+[A-Za-z]?,? \D", text) and len(tokens) >= 3:
        return ("address", "text")
    if len(text) <= 60 and said_number(text) is not None:
        return ("cardinal", "decimal", "text")
    words = text.split()
    if (
        1 <= len(words) <= 5
        and not re.search(r"\d", text)
        and all(w[0].isupper() or len(w) <= 3 for w in words)
    ):
        return ("name", "text") if words[0][0].isupper() else ("text",)
    if " " not in text and text.isalpha():
        return ("name", "text")
    return ("text",)


def _kinds_of_figures(text: str) -> tuple[str, ...]:
    digits = text.lstrip("+-")
    if text[0] == "-":
        return ("cardinal", "measure", "money", "percent")
    if digits[0] == "0" and len(digits) > 1:
        return ("digits", "phone") if 7 <= len(digits) <= 15 else ("digits",)
    if "," in digits:
        return ("cardinal", "money", "digits")
    found = ["digits", "cardinal"]
    if 7 <= len(digits) <= 15:
        found.append("phone")
    found += ["money", "percent", "measure"]
    if len(digits) == 4 and digits[:2] in ("18", "19", "20", "21"):
        found.append("date")
    if len(digits) <= 3 and int(digits):
        found.append("ordinal")
    return tuple(found)


def _is_money(text: str) -> bool:
    lat = lattice_of(text)
    return any(r.start == 0 and r.end == lat.n and r.unit for r in maximal(money(lat)))


__all__ = [
    "ALIASES",
    "KINDS",
    "Value",
    "decimal_of",
    "infer_kinds",
    "kind_named",
    "money_figures",
    "plain_number",
    "said_number",
]
