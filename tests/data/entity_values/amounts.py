"""Numbers that count or measure: cardinal, ordinal, decimal, money, percent, measure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from random import Random

from entity_values.base import (
    ONES,
    TEEN_TY,
    Reading,
    Value,
    below_hundred,
    digit_misses,
    f,
    hyphened,
    indian_commas,
    one_by_one,
    ordinal_suffix,
    ordinal_words,
    r,
    swap_at,
    three_words,
    words,
)

# ---- cardinal


def cardinal_value(n: int, locale: str = "en-US") -> Value:
    return Value("cardinal", str(n), {"n": n, "marks": {str(abs(n))}}, None, locale)


def make_cardinal(rng: Random) -> Value:
    n = rng.choice([
        rng.randrange(3, 20), rng.randrange(20, 100), rng.randrange(20, 100),
        rng.choice(list(map(int, TEEN_TY))), rng.randrange(100, 1000), rng.randrange(100, 1000),
        rng.randrange(11, 100) * 100, rng.randrange(1000, 10_000), rng.randrange(10_000, 1_000_000),
        rng.randrange(2, 90) * 1000, rng.randrange(11, 99) * 100_000, rng.randrange(1, 10) * 100,
        rng.randrange(100_000, 9_000_000), 100 + rng.randrange(1, 10),
    ])  # fmt: skip
    return cardinal_value(n, "en-IN" if n >= 100_000 and rng.random() < 0.4 else "en-US")


def read_cardinal(v: Value, rng: Random) -> list[Reading]:
    n = v.data["n"]
    sign = rng.choice(["minus ", "negative "]) if n < 0 else ""
    m = abs(n)
    if v.locale == "en-IN":
        out = [
            r("lakh", words(m, indian=True)),
            r("lakh", words(m, conj=True, indian=True)),
            f("lakh_commas", indian_commas(m)),
            f("commas", f"{m:,}"),
        ]
        return [Reading(x.style, sign + x.text, x.spelled, x.flags) for x in out]
    out = [
        r("place_value", words(m)),
        r("place_value", words(m)),
        f("hyphened", hyphened(words(m))),
        f("plain", f"{m}"),
    ]
    if m >= 100:
        out.append(r("with_and", words(m, conj=True)))
    if m % 1000 and 100 < m < 200:
        out.append(r("a_hundred", words(m, conj=True).replace("one hundred", "a hundred", 1)))
        out.append(r("a_hundred", words(m, conj=True).replace("one hundred", "a hundred", 1)))
    if m >= 1000:
        out += [f("commas", f"{m:,}")] * 2
    if 1100 <= m < 10_000 and m // 100 % 10:
        head, rest = divmod(m, 100)
        tail = rng.choice([" ", " and "]) + below_hundred(rest) if rest else ""
        out += [r("hundreds", f"{below_hundred(head)} hundred{tail}")] * 2
    if m >= 1_000_000 and m % 100_000 == 0 and m % 1_000_000:
        whole, part = divmod(m // 100_000, 10)
        out += [r("point_million", f"{words(whole)} point {ONES[part]} million")] * 2
        out += [f("figures_million", f"{whole}.{part} million")] * 2
    if m >= 1000 and m % 1000 == 0 and m < 1_000_000:
        out.append(f("figures_thousand", f"{m // 1000} thousand"))
    return [Reading(x.style, sign + x.text, x.spelled, x.flags) for x in out]


def miss_cardinal(v: Value, reading: Reading, rng: Random) -> list[tuple[str, Value]]:
    n = v.data["n"]
    s = str(n)
    out: list[tuple[str, int]] = []
    teens = [i for i in range(len(s) - 1) if s[i : i + 2] in TEEN_TY and (len(s) - i - 2) % 3 == 0]
    if teens:
        i = rng.choice(teens)
        out += [("teen_ty", int(s[:i] + TEEN_TY[s[i : i + 2]] + s[i + 2 :]))] * 3
    out.append(("magnitude", n * 10))
    if n % 10 == 0 and n >= 100:
        out.append(("magnitude", n // 10))
    for c, m in digit_misses(s, rng):
        if m and m[0] != "0" and c in ("substituted", "transposed", "dropped", "five_nine"):
            out.append((c, int(m)))
    out.append(("sign", -n))
    if n < 1000:
        out += [
            ("slice", n + 1000 * rng.randrange(1, 9)),
            ("slice", int(f"{rng.randrange(1, 9)}{n:02d}")),
        ]
    out.append(("off_by_one", n + rng.choice([-1, 1])))
    return [(c, cardinal_value(m, v.locale)) for c, m in out if abs(m) >= 3 and m != n]


# ---- ordinal


def ordinal_value(n: int) -> Value:
    return Value("ordinal", ordinal_suffix(n), {"n": n, "marks": {str(n)}})


def make_ordinal(rng: Random) -> Value:
    return ordinal_value(rng.choice([
        rng.randrange(3, 13), rng.randrange(13, 20), rng.choice(range(20, 100, 10)),
        rng.randrange(21, 100), rng.randrange(21, 100), rng.randrange(101, 200),
        rng.choice([100, 200, 1000, 112, 113, 140, 215, 250]),
    ]))  # fmt: skip


def read_ordinal(v: Value, rng: Random) -> list[Reading]:
    n = v.data["n"]
    out = [
        r("words", ordinal_words(n)),
        r("words", ordinal_words(n)),
        f("hyphened", hyphened(ordinal_words(n))),
        f("suffix", ordinal_suffix(n)),
        f("suffix", ordinal_suffix(n)),
    ]
    if n > 100:
        out.append(r("with_and", ordinal_words(n, conj=True)))
    if n >= 1000:
        out.append(f("commas", re.sub(r"^1000", "1,000", ordinal_suffix(n))))
    return out


def miss_ordinal(v: Value, reading: Reading, rng: Random) -> list[tuple[str, Value]]:
    n = v.data["n"]
    s = str(n)
    out: list[tuple[str, int]] = [("off_by_one", n + rng.choice([-1, 1])), ("tens", n + 10)]
    if s[-2:] in TEEN_TY:
        out += [("teen_ty", int(s[:-2] + TEEN_TY[s[-2:]]))] * 4
    if n < 10:
        out += [("slice", n + rng.choice([20, 30, 40, 60]))] * 2
    if 20 <= n < 100 and n % 10 == 0:
        out += [("slice", n + rng.randrange(1, 10))] * 2
    if n < 100:
        out.append(("slice", n + 100))
    if n > 12 and n < 100 and n % 10 and n // 10 != n % 10:
        out.append(("transposed", int(s[::-1])))
    return [(c, ordinal_value(m)) for c, m in out if m >= 2 and m != n]


# ---- decimal


def decimal_value(s: str) -> Value:
    return Value("decimal", s, {"s": s, "marks": {s.lstrip("-")}})


def make_decimal(rng: Random) -> Value:
    whole = rng.choice([0, rng.randrange(1, 10), rng.randrange(1, 10), rng.randrange(10, 100),
                        rng.randrange(100, 300)])  # fmt: skip
    part = rng.choice([f"{rng.randrange(1, 10)}", f"{rng.randrange(1, 10)}", "5",
                       f"{rng.randrange(1, 100):02d}", f"{rng.randrange(1, 1000):03d}", "25", "75"])  # fmt: skip
    part = part.rstrip("0") or "5"
    return decimal_value(("-" if rng.random() < 0.12 else "") + f"{whole}.{part}")


FRACTIONS = {"5": "a half", "25": "a quarter", "75": "three quarters"}


def decimal_words(s: str, rng: Random, zero: str = "zero") -> list[Reading]:
    sign = ""
    if s.startswith("-"):
        sign, s = rng.choice(["minus ", "negative "]), s[1:]
    whole, part = s.split(".")
    head = words(int(whole)) if whole != "0" else zero
    out = [
        r("point", f"{sign}{head} point {one_by_one(part, 'zero')}"),
        r("point", f"{sign}{head} point {one_by_one(part, rng.choice(['zero', 'oh']))}"),
    ]
    if len(part) == 2 and part[0] != "0":
        out.append(r("point_pair", f"{sign}{head} point {below_hundred(int(part))}"))
    if whole == "0":
        out.append(r("point_first", f"{sign}point {one_by_one(part)}"))
    if part in FRACTIONS and whole != "0":
        out += [r("fraction", f"{sign}{head} and {FRACTIONS[part]}")] * 2
    return out


def read_decimal(v: Value, rng: Random) -> list[Reading]:
    s = v.data["s"]
    out = decimal_words(s, rng, rng.choice(["zero", "zero", "oh"]))
    out += [f("figures", s)] * 2
    m = s.lstrip("-")
    if s.startswith("-"):
        out.append(f("sign_word", f"{rng.choice(['minus', 'negative'])} {m}"))
        out = [x for x in out if x.style != "figures"] + [f("figures", s)]
    if not s.startswith("-"):
        whole, part = s.split(".")
        out.append(f("words_and_figures", f"{whole} point {part}"))
        if whole == "0":
            out.append(f("point_first", f".{part}"))
    return out


def miss_decimal(v: Value, reading: Reading, rng: Random) -> list[tuple[str, Value]]:
    s = v.data["s"]
    neg, m = ("-", s[1:]) if s[0] == "-" else ("", s)
    whole, part = m.split(".")
    out: list[tuple[str, str]] = []
    if whole != "0":
        out.append(("decimal_shift", f"{whole[:-1] or '0'}.{whole[-1]}{part}"))
    if len(part) > 1:
        out.append(("decimal_shift", f"{int(whole + part[0])}.{part[1:]}"))
        if part[0] != part[1] and part[-1] != "0" and not (len(part) == 2 and part[0] == "0"):
            out.append(("transposed", f"{whole}.{swap_at(part, 0)}"))
    out.append(("inner_zero", f"{whole}.0{part}"))
    i = rng.randrange(len(part))
    d = rng.choice([c for c in "123456789" if c != part[i]])
    out.append(("substituted", f"{whole}.{part[:i]}{d}{part[i + 1 :]}"))
    out.append(("substituted", f"{int(whole) + rng.choice([1, 2, 10])}.{part}"))
    if whole in TEEN_TY:
        out += [("teen_ty", f"{TEEN_TY[whole]}.{part}")] * 3
    out.append(("slice", f"{m}{rng.randrange(1, 10)}"))
    if len(whole) < 3:
        out.append(("slice", f"{rng.randrange(1, 9)}{int(whole):02d}.{part}"))
    res = [(c, decimal_value(neg + x)) for c, x in out if x.rstrip("0") != m.rstrip("0") and x != m]
    flipped = m if neg else "-" + m
    return [*res, ("sign", decimal_value(flipped))]


# ---- money

CURRENCY = {
    "USD": ("$", "dollar", "dollars", "cent", "cents"),
    "GBP": ("£", "pound", "pounds", "penny", "pence"),
    "EUR": ("€", "euro", "euros", "cent", "cents"),
    "INR": ("₹", "rupee", "rupees", "paisa", "paise"),
    "AUD": ("A$", "dollar", "dollars", "cent", "cents"),
}
HOME = {"USD": "en-US", "GBP": "en-GB", "EUR": "en-US", "INR": "en-IN", "AUD": "en-AU"}


def money_value(cents: int, code: str, form: str) -> Value:
    whole, part = divmod(abs(cents), 100)
    sign = "-" if cents < 0 else ""
    symbol = CURRENCY[code][0]
    written = {
        "symbol": f"{sign}{symbol}{whole:,}.{part:02d}",
        "short": f"{sign}{symbol}{whole:,}" + (f".{part:02d}" if part else ""),
        "code": f"{sign}{whole}.{part:02d} {code}",
    }[form]
    data = {"cents": cents, "code": code, "form": form,
            "marks": {str(whole), f"{whole}.{part:02d}", str(part) if part else str(whole)}}  # fmt: skip
    return Value("money", written, data, None, HOME[code])


def make_money(rng: Random) -> Value:
    code = rng.choice(["USD"] * 8 + ["GBP", "GBP", "EUR", "INR", "AUD"])
    whole = rng.choice([0, rng.randrange(2, 20), rng.randrange(20, 100), rng.randrange(20, 100),
                        rng.choice(list(map(int, TEEN_TY))), rng.randrange(100, 1000),
                        rng.randrange(100, 1000), rng.randrange(1000, 10_000),
                        rng.randrange(11, 99) * 100, rng.randrange(2, 90) * 1000])  # fmt: skip
    part = rng.choice([0, 0, 99, 50, 5, 40, 15, rng.randrange(1, 100), rng.randrange(10, 100)])
    if whole == 0 and part == 0:
        part = 75
    if code == "INR":
        part = 0
        whole = whole or 50
    cents = whole * 100 + part
    form = rng.choice(["symbol", "symbol", "short", "code"])
    return money_value(-cents if rng.random() < 0.05 else cents, code, form)


def read_money(v: Value, rng: Random) -> list[Reading]:
    cents, code = v.data["cents"], v.data["code"]
    symbol, one, many, penny, pence = CURRENCY[code]
    sign = rng.choice(["minus ", "negative "]) if cents < 0 else ""
    whole, part = divmod(abs(cents), 100)
    unit = one if whole == 1 else many
    small = penny if part == 1 else pence
    indian = code == "INR"
    conj = v.locale != "en-US"
    head = words(whole, conj=conj, indian=indian)
    figures = indian_commas(whole) if indian else f"{whole:,}"
    out: list[Reading] = []
    if whole and not part:
        out += [
            r("words", f"{head} {unit}", "cur"),
            f("hyphened", f"{hyphened(head)} {unit}", "cur"),
            r("currency_left_out", head),
            f("symbol", f"{symbol}{figures}", "cur"),
            f("symbol", f"{symbol}{figures}.00", "cur"),
            f("figures_unit", f"{figures} {unit}", "cur"),
            f("figures", figures),
        ]
        if 1100 <= whole < 10_000 and whole % 100 == 0 and whole // 100 % 10:
            out += [r("hundreds", f"{below_hundred(whole // 100)} hundred {unit}", "cur")] * 2
        if 100 < whole < 200 and whole % 100:
            a = words(whole, conj=True).replace("one hundred", "a hundred", 1)
            out += [r("a_hundred", f"{a} {unit}", "cur")] * 2
        if indian:
            out += [
                r("unit_first", f"rupees {head}", "cur"),
                f("unit_first", f"Rs. {figures}", "cur"),
            ]
    elif whole and part:
        out += [
            r("words", f"{head} {unit} and {words(part)} {small}", "cur"),
            r("words", f"{head} {unit} {words(part)} {small}", "cur"),
            r(
                "words_short",
                f"{head} {unit} and {words(part)}"
                if part > 9
                else f"{head} {unit} and {words(part)} {small}",
                "cur",
            ),
            r("words_point", f"{head} point {one_by_one(f'{part:02d}', 'zero')} {many}", "cur"),
            f("symbol", f"{symbol}{figures}.{part:02d}", "cur"),
            f("symbol", f"{symbol}{figures}.{part:02d}", "cur"),
            f("no_comma", f"{symbol}{whole}.{part:02d}", "cur"),
            f("figures", f"{figures}.{part:02d}"),
            f("figures_unit", f"{figures}.{part:02d} {many}", "cur"),
            f("figures_units", f"{figures} {unit} and {part} {small}", "cur"),
        ]
        if part >= 10:
            out.append(r("unit_then_bare", f"{head} {unit} {words(part)}", "cur"))
            if whole < 100:
                out += [r("bare_pair", f"{head} {words(part)}", "elliptic")] * 2
            elif 100 < whole < 1000 and whole % 100 >= 10 and part % 10 and whole % 10:
                out.append(r("bare_groups", f"{three_words(str(whole))} {words(part)}", "elliptic"))
        elif whole < 100:
            out.append(r("bare_pair", f"{head} oh {words(part)}", "elliptic"))
    else:
        out += [
            r("cents", f"{words(part)} {small}", "cur"),
            r("cents", f"{words(part)} {small}", "cur"),
            f("cents", f"{part} {small}", "cur"),
            f("symbol", f"{symbol}0.{part:02d}", "cur"),
        ]
        if code == "GBP":
            out += [r("pence", f"{words(part)} p", "cur"), f("pence", f"{part}p", "cur")]
    if code == "AUD":
        out = [x for x in out if not (x.style == "words" and rng.random() < 0.3)] or out
    res = []
    for x in out:
        if not sign:
            res.append(x)
        elif x.text.startswith(symbol):
            res.append(
                Reading(x.style, rng.choice([f"-{x.text}", sign + x.text]), x.spelled, x.flags)
            )
        elif "elliptic" not in x.flags:
            res.append(Reading(x.style, sign + x.text, x.spelled, x.flags))
    return res


def miss_money(v: Value, reading: Reading, rng: Random) -> list[tuple[str, Value]]:
    cents, code, form = v.data["cents"], v.data["code"], v.data["form"]
    sign = -1 if cents < 0 else 1
    whole, part = divmod(abs(cents), 100)
    out: list[tuple[str, int]] = []
    if part:
        near = [
            p for p in {part - 1, part + 1, (part + 10) % 100, (part * 10) % 100} if 0 < p < 100
        ]
        out += [("cents", whole * 100 + rng.choice(sorted(set(near) - {part}) or [part - 1]))] * 2
        if whole:
            out.append(("cents_dropped", whole * 100))
        if f"{part}" in TEEN_TY:
            out += [("teen_ty", whole * 100 + int(TEEN_TY[str(part)]))] * 2
        if part > 9 and part % 11:
            out.append(("transposed", whole * 100 + int(f"{part:02d}"[::-1])))
    else:
        out.append(("cents_added", whole * 100 + rng.choice([5, 10, 50, 99])))
    if whole:
        s = str(whole)
        tail = s[-2:]
        if tail in TEEN_TY:
            out += [("teen_ty", int(s[:-2] + TEEN_TY[tail]) * 100 + part)] * 3
        for c, m in digit_misses(s, rng):
            if m and m[0] != "0" and c in ("substituted", "transposed", "dropped", "five_nine"):
                out.append((c, int(m) * 100 + part))
        out.append(("magnitude", whole * 1000 + part))
        if whole < 1000:
            out += [("slice", (whole + 1000 * rng.randrange(1, 9)) * 100 + part)] * 2
    if "elliptic" not in reading.flags:
        out.append(("decimal_shift", abs(cents) * 10))
        if cents % 10 == 0:
            out.append(("decimal_shift", abs(cents) // 10))
    res = [(c, money_value(sign * m, code, form)) for c, m in out if m and m != abs(cents)]
    if "elliptic" in reading.flags:  # fifteen forty may be 15.40 or 1540
        same = str(abs(cents)).rstrip("0")
        res = [(c, x) for c, x in res if str(abs(x.data["cents"])).rstrip("0") != same]
    if "cur" in reading.flags:
        pool = {"USD": ["EUR", "GBP"], "GBP": ["USD", "EUR"], "EUR": ["USD", "GBP"],
                "INR": ["USD", "EUR"], "AUD": ["GBP", "EUR"]}  # fmt: skip
        if part == 0 or "symbol" in reading.style or "figures_unit" in reading.style:
            res += [("currency", money_value(cents, rng.choice(pool[code]), form))] * 2
    if "elliptic" not in reading.flags:
        res.append(("sign", money_value(-cents, code, form)))
    return res


# ---- percent


def percent_value(s: str) -> Value:
    return Value("percent", f"{s}%", {"s": s, "marks": {s.lstrip("-")}})


def make_percent(rng: Random) -> Value:
    s = rng.choice([
        str(rng.randrange(3, 100)), str(rng.choice(list(map(int, TEEN_TY)))),
        f"{rng.randrange(2, 30)}.{rng.choice([5, 5, 25, 75, rng.randrange(1, 10)])}",
        f"{rng.randrange(2, 20)}.{rng.randrange(10, 100)}".rstrip("0").rstrip("."),
        f"0.{rng.choice(['5', '75', '25', '3', '9'])}", str(rng.choice([100, 150, 125, 5, 15])),
    ])  # fmt: skip
    return percent_value("-" + s if rng.random() < 0.03 else s)


def read_percent(v: Value, rng: Random) -> list[Reading]:
    s = v.data["s"]
    unit = rng.choice(["percent", "percent", "per cent"])
    if "." in s:
        out = [
            r(x.style, f"{x.text} {unit}")
            for x in decimal_words(s, rng)
            if x.style != "point_first"
        ]
    else:
        sign = rng.choice(["minus ", "negative "]) if s[0] == "-" else ""
        n = words(int(s.lstrip("-")))
        out = [r("words", f"{sign}{n} {unit}")] * 2 + [f("hyphened", f"{sign}{hyphened(n)} {unit}")]
    return [
        *out,
        f("figures_sign", f"{s}%"),
        f("figures_sign", f"{s}%"),
        f("figures_word", f"{s} {unit}"),
    ]


def miss_percent(v: Value, reading: Reading, rng: Random) -> list[tuple[str, Value]]:
    s = v.data["s"]
    if "." in s:
        return [(c, percent_value(m.data["s"])) for c, m in miss_decimal(v, reading, rng)]
    neg = "-" if s[0] == "-" else ""
    m = s.lstrip("-")
    n = int(m)
    out = [
        ("off_by_one", str(n + 1)),
        ("magnitude", str(n * 10)),
        ("decimal_added", f"{m}.5"),
        ("substituted", str(n + 10)),
        *([("decimal_shift", f"{m[:-1] or '0'}.{m[-1]}")] if m[-1] != "0" else []),
    ]
    if m in TEEN_TY:
        out += [("teen_ty", TEEN_TY[m])] * 4
    if len(m) == 2 and m[0] != m[1] and m[1] != "0":
        out.append(("transposed", m[::-1]))
    if n < 100:
        out.append(("slice", str(n + 100)))
    res = [(c, percent_value(neg + x)) for c, x in out if float(x) != n]
    return [*res, ("sign", percent_value(m if neg else "-" + m))]


# ---- measure

UNITS = {
    "kg": ("kilogram", "kilograms", "kilos"), "lb": ("pound", "pounds", "pounds"),
    "g": ("gram", "grams", "grams"), "mg": ("milligram", "milligrams", "milligrams"),
    "km": ("kilometer", "kilometers", "kilometers"), "mi": ("mile", "miles", "miles"),
    "m": ("meter", "meters", "metres"), "cm": ("centimeter", "centimeters", "centimetres"),
    "mm": ("millimeter", "millimeters", "millimetres"), "ft": ("foot", "feet", "feet"),
    "in": ("inch", "inches", "inches"), "L": ("liter", "liters", "litres"),
    "ml": ("milliliter", "milliliters", "millilitres"), "h": ("hour", "hours", "hours"),
    "min": ("minute", "minutes", "minutes"), "GB": ("gigabyte", "gigabytes", "gigs"),
    "MB": ("megabyte", "megabytes", "megabytes"), "mph": ("mile per hour", "miles per hour", "miles an hour"),
    "km/h": ("kilometer per hour", "kilometers per hour", "kilometers an hour"),
    "°F": ("degree Fahrenheit", "degrees Fahrenheit", "degrees Fahrenheit"),
    "°C": ("degree Celsius", "degrees Celsius", "degrees Celsius"),
}  # fmt: skip
NEAR_UNITS = {
    "kg": "lb g", "lb": "kg", "g": "mg kg", "mg": "g", "km": "mi m", "mi": "km", "m": "cm ft km",
    "cm": "mm m in", "mm": "cm", "ft": "in m", "in": "ft cm", "L": "ml", "ml": "L", "h": "min",
    "min": "h", "GB": "MB", "MB": "GB", "mph": "km/h", "km/h": "mph", "°F": "°C", "°C": "°F",
}  # fmt: skip
WEIGHTS = ("kg", "lb")


def measure_value(s: str, unit: str) -> Value:
    return Value("measure", f"{s} {unit}", {"s": s, "u": unit, "marks": {s.lstrip("-")}})


def make_measure(rng: Random, units: Iterable[str] = tuple(UNITS)) -> Value:
    unit = rng.choice(list(units))
    s = rng.choice([
        str(rng.randrange(3, 100)), str(rng.randrange(3, 100)), str(rng.choice(list(map(int, TEEN_TY)))),
        f"{rng.randrange(2, 20)}.5", f"{rng.randrange(1, 40)}.{rng.randrange(1, 10)}",
        str(rng.randrange(100, 1000)), str(rng.choice([250, 500, 750, 1500, 2400])),
    ])  # fmt: skip
    if unit in ("°C", "°F") and rng.random() < 0.3:
        s = f"-{rng.randrange(3, 30)}"
    return measure_value(s, unit)


def read_measure(v: Value, rng: Random) -> list[Reading]:
    s, u = v.data["s"], v.data["u"]
    _one, many, alt = UNITS[u]
    unit = many
    if "." in s:
        heads = [x for x in decimal_words(s, rng) if x.style != "point_first"]
    else:
        sign = rng.choice(["minus ", "negative "]) if s[0] == "-" else ""
        n = words(int(s.lstrip("-")))
        heads = [r("words", sign + n), r("words", sign + n), f("hyphened", sign + hyphened(n))]
        if int(s) > 1000 and int(s) % 100 == 0 and int(s) // 100 % 10:
            heads.append(r("hundreds", f"{below_hundred(int(s) // 100)} hundred"))
    out = [Reading(x.style, f"{x.text} {unit}", x.spelled) for x in heads]
    out += [Reading(x.style, f"{x.text} {alt}", x.spelled) for x in heads if alt != many]
    if u == "ft" and "." not in s:
        out.append(r("unit_singular", f"{heads[0].text} foot"))
    figures = f"{int(s):,}" if s.isdigit() else s
    tight = "" if u not in ("mph", "in") else " "
    out += [
        f("figures_unit", f"{figures} {unit}"),
        f("figures_unit", f"{figures} {unit}"),
        f("figures_alt", f"{figures} {alt}"),
        f("symbol", f"{figures}{tight}{u}" if u not in ("in",) else f"{figures} inches"),
    ]
    if u not in ("in", "m", "g", "L", "h"):
        out.append(f("symbol", f"{figures} {u}"))
    return out


def miss_measure(v: Value, reading: Reading, rng: Random) -> list[tuple[str, Value]]:
    s, u = v.data["s"], v.data["u"]
    other = rng.choice(NEAR_UNITS[u].split())
    res = [("unit", measure_value(s, other))] * 3
    inner = percent_value(s)
    for c, m in miss_percent(inner, reading, rng):
        if c == "sign" and u not in ("°C", "°F"):
            continue
        res.append((c, measure_value(m.data["s"], u)))
    return res
