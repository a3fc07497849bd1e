"""Kinds of values: their names, their canonical form, and which kinds a bare value may be."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal, InvalidOperation

from s2sverify.errors import InputError
from s2sverify.text import vocabulary as vocab
from s2sverify.text.lattice import fold, lattice_of

KINDS = (
    "digits", "phone", "code", "cardinal", "ordinal", "decimal", "money", "percent", "measure", "date", "time",
    "datetime", "weekday", "name", "email", "url", "address", "text",
)  # fmt: skip
ALIASES = {
    "alnum": "code", "alphanumeric": "code", "id": "code", "quantity": "cardinal", "int": "cardinal",
    "integer": "cardinal", "count": "cardinal", "number": "decimal", "percentage": "percent", "currency": "money",
    "amount": "money", "day": "weekday", "person": "name", "mail": "email", "exact": "text",
}  # fmt: skip
Value = str | int | float | Decimal | date | time | datetime


def kind_named(kind: str) -> str:
    """The kind that `kind` names.

    Raises
    ------
    InputError
        If there is no such kind.
    """
    name = ALIASES.get(kind.lower(), kind.lower())
    if name not in KINDS:
        raise InputError(f"kind must be one of {', '.join(KINDS)}, got {kind!r}")
    return name


_HINTS: list[tuple[str, tuple[str, ...]]] = [
    (r"e_?mail", ("email",)),
    (r"url|website|link|domain", ("url",)),
    (r"phone|mobile|tel(ephone)?|callback", ("phone", "digits")),
    (r"percent|pct|rate|discount", ("percent", "decimal", "cardinal")),
    (r"amount|total|price|cost|fee|balance|charge|refund|payment|due_amount|subtotal|tax|deposit|usd", ("money",)),
    (r"weekday|day_of_week|^day$", ("weekday",)),
    (r"date|eta|dob|birth|deadline|due|_on$", ("date", "datetime", "time")),
    (r"time|_at$|hour|starts|ends", ("time", "datetime", "date")),
    (r"(^|_)(code|id|ref|reference|number|no|confirmation|order|ticket|serial|zip|postcode|pin|account|tracking)($|_)", ("digits", "code")),
    (r"count|quantity|qty|boxes|items|seats|guests|nights|people|n_|num_|party", ("cardinal",)),
    (r"name|agent|adjuster|technician|driver|doctor|contact", ("name",)),
    (r"address|street", ("address",)),
]  # fmt: skip

_CODES = ["usd", "gbp", "eur", "inr", "jpy", "cny", "aud", "cad", "chf"]
_MONEY = re.compile(
    r"(?:(?:us|au|ca|nz)?[$£€¥₹]|rs\.?\s?|(?:%s)\s)\s*-?[\d,]*\.?\d+(?:\s?(?:k|m|bn|thousand|million|billion|trillion|lakh|crore))?"
    r"|-?[\d,]*\.?\d+\s*(?:thousand |million |billion |trillion )?(?:%s|dollars?|euros?|pounds?|rupees?|yuan|yen|cents?|¢|[£€$])"
    % ("|".join(_CODES), "|".join(_CODES)),
    re.I,
)


def infer_kinds(value: Value, *, key: str | None = None) -> tuple[str, ...]:
    """Kinds that a value may be, the likeliest first.

    Parameters
    ----------
    value : str, int, float, Decimal, date, time or datetime
        The expected value, as a tool returned it.
    key : str, optional
        Name of the field it came from, such as ``"total_amount"``. It ranks and narrows what the form leaves open and never
        overrides a form that has one meaning.

    Raises
    ------
    InputError
        If `value` has another type.
    """
    if isinstance(value, bool):
        raise InputError(f"expected must be text, a number, a date or a time, got {value!r}")
    if isinstance(value, datetime):
        return ("datetime",)
    if isinstance(value, date):
        return ("date",)
    if isinstance(value, time):
        return ("time",)
    hinted: tuple[str, ...] = ()
    if key:
        spelled = (
            re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", key).lower().replace("-", "_").replace(".", "_")
        )
        for pattern, kinds in _HINTS:
            if re.search(pattern, spelled):
                hinted = kinds
                break
    found: tuple[str, ...]
    if isinstance(value, int):
        found = (
            ("cardinal", "digits", "money", "percent", "measure")
            if value >= 0
            else ("cardinal", "money", "percent")
        )
    elif isinstance(value, float | Decimal):
        whole = (
            value == int(value)
            if float(value) == float(value) and abs(float(value)) < 1e18
            else False
        )
        found = ("decimal", "money", "percent", "measure", *(("cardinal",) if whole else ()))
    elif isinstance(value, str):
        found = _kinds_of_text(value)
    else:
        raise InputError(
            f"expected must be text, a number, a date or a time, got {type(value).__name__}"
        )
    if len(found) > 1 and hinted:
        narrowed = tuple(k for k in hinted if k in found)
        return narrowed or found
    return found


def _kinds_of_text(value: str) -> tuple[str, ...]:
    text = fold(value).strip()
    low = text.lower()
    if not text:
        return ("text",)
    if re.fullmatch(r"[^\s@]+@[^\s@]+\.[^\s@]+", text):
        return ("email",)
    if re.match(r"(https?://|www\.)", low) or re.fullmatch(
        r"(?:[a-z0-9-]+\.)+[a-z]{2,}(/\S*)?", low
    ):
        return ("url",)
    if re.fullmatch(r"\d{4}-\d{2}-\d{2}[T ]\d{1,2}:\d{2}.*", text):
        return ("datetime",)
    if re.fullmatch(r"\d{4}-\d{2}-\d{2}|\d{4}/\d{1,2}/\d{1,2}|\d{1,2}/\d{1,2}/\d{2,4}", text):
        return ("date",)
    if re.fullmatch(
        r"\d{1,2}:\d{2}(:\d{2})?\s*([ap]\.?m\.?)?|\d{1,2}\s*[ap]\.?m\.?|noon|midnight", low
    ):
        return ("time",)
    if low.rstrip(".") in vocab.WEEKDAYS:
        return ("weekday",)
    if re.fullmatch(r"[-+]?[\d,]*\.?\d+\s*(%|percent|per cent|pct)", low):
        return ("percent",)
    if _MONEY.fullmatch(low):
        return ("money",)
    if re.fullmatch(r"\d+(,\d{3})*(st|nd|rd|th)", low):
        return ("ordinal",)
    if re.fullmatch(r"\+\d[\d\s().-]{5,}", text) or re.fullmatch(
        r"(\d[-. ]?)?\(?\d{3}\)?[-. ]\d{3}[-. ]\d{4}", text
    ):
        return ("phone",)
    if re.fullmatch(r"-?\d+", text) or re.fullmatch(r"-?\d{1,3}(,\d{3})+", text):
        if text[0] == "0" and len(text) > 1:
            return ("digits", "phone") if 7 <= len(text) <= 15 else ("digits",)
        if text[0] == "-":
            return ("cardinal", "money")
        extra = ("phone",) if 10 <= len(text) <= 12 and "," not in text else ()
        return (
            ("digits", "cardinal", *extra, "money")
            if "," not in text
            else ("cardinal", "money", "digits")
        )
    if re.fullmatch(r"-?[\d,]*\.\d+", text):
        return (
            ("money", "decimal", "percent")
            if re.search(r"\.\d\d$", text)
            else ("decimal", "money", "percent")
        )
    if re.fullmatch(r"[-+]?[\d,]*\.?\d+\s?[a-z°/²]+( [a-z]+)?", low):
        from s2sverify.text.measures import unit_named

        if unit_named(re.sub(r"^[-+\d,.\s]+", "", text)) is not None:
            return ("measure", "code") if " " not in text else ("measure",)
    if (
        re.search(r"\d", text)
        and re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9 _/.#-]*", text)
        and " " not in text
    ):
        return ("code",)
    words = low.replace(",", " ").replace(".", " ").split()
    if any(w in vocab.MONTHS for w in words) and re.search(r"\d", text) and len(words) <= 4:
        return ("date",)
    if re.fullmatch(r"[A-Z]{2,6}", text):
        return ("code", "name", "text")
    if re.match(r"\d+[A-Za-z]?\s+\w+", text) and len(words) >= 3:
        return ("address", "text")
    if (
        1 <= len(words) <= 4
        and all(w[0].isupper() for w in text.split())
        and not re.search(r"\d", text)
    ):
        return ("name", "text")
    return ("text",)


@dataclass(frozen=True, slots=True)
class Amount:
    """A number with what it counts: a currency code, a unit or nothing."""

    value: Decimal
    unit: str = ""


def decimal_of(value: Value, kind: str) -> Decimal:
    """The number that `value` is, for numeric kinds.

    Raises
    ------
    InputError
        If it is not a number.
    """
    if isinstance(value, int):
        return Decimal(value)
    if isinstance(value, float):
        value = repr(value)
    if isinstance(value, Decimal):
        number = value
    else:
        text = fold(str(value)).strip().replace(",", "")
        try:
            number = Decimal(text)
        except InvalidOperation:
            found = said_number(fold(str(value)))
            if found is None:
                raise InputError(
                    f"expected must be a number for kind {kind!r}, got {value!r}"
                ) from None
            number = found
    if not number.is_finite():
        raise InputError(f"expected must be finite for kind {kind!r}, got {value!r}")
    return number


def said_number(text: str) -> Decimal | None:
    """The number that a whole text writes or says ("$2.5 million" without its sign, "13 lakh"), or None."""
    from s2sverify.text.numbers import numbers

    lat = lattice_of(text)
    if not lat.n:
        return None
    whole = [n.value for n in numbers(lat, 0) if n.end == lat.n]
    return whole[0] if whole else None


def plain_number(value: Decimal) -> str:
    """A number without exponent and without idle zeros after the point."""
    text = f"{value:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
