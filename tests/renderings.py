"""Values of every kind, ways to write and to say them, and values that are nearly the same.

Written apart from the matcher: numbers are put into words by num2words, the rest by hand. What is said here is
what people and recognisers say and write; nothing is taken from the tables of the package.
"""

import datetime as dt
import random
import re
from itertools import pairwise
from unicodedata import combining, normalize

from num2words import num2words


def words(text):
    return text.split()


DIGITS = words("zero one two three four five six seven eight nine")
NATO = words(
    "Alpha Bravo Charlie Delta Echo Foxtrot Golf Hotel India Juliet Kilo Lima Mike November Oscar Papa"
    " Quebec Romeo Sierra Tango Uniform Victor Whiskey X-ray Yankee Zulu"
)
LIKE = words(
    "apple boy cat dog Edward Frank George Henry ice John king Larry Mary Nancy ocean Peter queen Robert"
    " Sam Tom uncle Victor William x-ray yellow zebra"
)
LETTERS = words(
    "ay bee cee dee ee eff gee aitch eye jay kay el em en oh pee cue ar ess tee you vee double-u ex why zee"
)
MONTHS = words(
    "January February March April May June July August September October November December"
)
DAYS = words("Monday Tuesday Wednesday Thursday Friday Saturday Sunday")
UNITS = {
    "kg": ("kilogram", "kilograms"), "km": ("kilometer", "kilometers"), "cm": ("centimeter", "centimeters"),
    "mm": ("millimeter", "millimeters"), "mi": ("mile", "miles"), "ft": ("foot", "feet"), "lb": ("pound", "pounds"),
    "oz": ("ounce", "ounces"), "l": ("liter", "liters"), "ml": ("milliliter", "milliliters"),
    "gal": ("gallon", "gallons"), "°C": ("degree Celsius", "degrees Celsius"),
    "°F": ("degree Fahrenheit", "degrees Fahrenheit"), "mph": ("mile per hour", "miles per hour"),
    "mg": ("milligram", "milligrams"), "GB": ("gigabyte", "gigabytes"), "kWh": ("kilowatt hour", "kilowatt hours"),
}  # fmt: skip
FIRST = words("Irene Nadia Greta Tobias Owen Petra Miles Brenna Dana Maria Priya José Aisha Elena")
LAST = words(
    "Barlow Ashby Halden Kessler Farrell Mesner Pruitt Quill O'Brien Patel Garcia Müller Whitfield Vance"
)


def british(n):
    return num2words(n).replace(",", "")


def american(n):
    return british(n).replace(" and ", " ")


def ordinal(n):
    return num2words(n, to="ordinal").replace(",", "")


def tail(n):
    return "th" if n % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")


def one_by_one(digits, zero="zero", sep=" "):
    return sep.join(zero if d == "0" else DIGITS[int(d)] for d in digits)


def in_groups(digits, size, sep=", "):
    return sep.join(one_by_one(digits[i : i + size]) for i in range(0, len(digits), size))


def figures(digits, size, sep):
    return sep.join(digits[i : i + size] for i in range(0, len(digits), size))


def by_twos(digits):
    out = [DIGITS[int(digits[0])]] if len(digits) % 2 else []
    for i in range(len(digits) % 2, len(digits), 2):
        two = digits[i : i + 2]
        out.append(one_by_one(two, "oh") if two[0] == "0" else british(int(two)))
    return " ".join(out)


def doubled(digits):
    said = re.sub(r"(.)\1\1", r"T\1", digits)
    said = re.sub(r"(\d)\1", r"D\1", said)
    names = {"T": "triple", "D": "double", "0": "oh"}
    return " ".join(names.get(c) or DIGITS[int(c)] for c in said)


# ---------------------------------------------------------------- values


def some_digits(rng, n, first="0123456789"):
    return rng.choice(first) + "".join(rng.choice("0123456789") for _ in range(n - 1))


def value(kind, rng):
    """A random canonical value of a kind."""
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    if kind == "digits":
        return some_digits(rng, rng.choice([3, 4, 5, 6, 7, 8, 10, 16]))
    if kind == "code":
        form = rng.choice(["LLDDDD", "LLLDDD", "LDDDD", "LDLDLD", "LLDDDDL", "DDLLD", "DDDL"])
        return "".join(rng.choice(letters) if c == "L" else some_digits(rng, 1) for c in form)
    if kind == "phone":
        return f"+1{rng.choice(['415', '206', '800', '617'])}{rng.choice(['555', '867'])}{some_digits(rng, 4)}"
    if kind == "cardinal":
        top = rng.choice([10, 100, 1000, 10_000, 1_000_000])
        return str(
            rng.choice([rng.randrange(top), -rng.randrange(1, 400), 10 * rng.randrange(1, 99)])
        )
    if kind == "ordinal":
        return str(
            rng.choice([rng.randrange(1, 32), rng.randrange(1, 130), rng.randrange(100, 3000)])
        )
    if kind == "decimal":
        part = rng.choice(
            [
                some_digits(rng, 1, "123456789"),
                some_digits(rng, 2),
                some_digits(rng, 3),
                "5",
                "25",
                "75",
            ]
        )
        return f"{rng.choice([0, rng.randrange(10), rng.randrange(1000)])}.{part}"
    if kind == "money":
        whole = rng.choice([rng.randrange(1, 20), rng.randrange(100), rng.randrange(1, 20_000)])
        return f"{whole}.{rng.choice(['00', f'{rng.randrange(1, 100):02d}'])}" if whole else "0.75"
    if kind == "percent":
        return rng.choice(
            [str(rng.randrange(1, 101)), f"{rng.randrange(30)}.{rng.randrange(1, 10)}", "12.5"]
        )
    if kind == "measure":
        n = rng.choice(
            [str(rng.randrange(1, 100)), f"{rng.randrange(1, 50)}.{rng.randrange(1, 10)}"]
        )
        return f"{n} {rng.choice(list(UNITS))}"
    if kind == "date":
        return (dt.date(2015, 1, 1) + dt.timedelta(days=rng.randrange(8000))).isoformat()
    if kind == "time":
        return f"{rng.randrange(24):02d}:{rng.choice([0, 15, 30, 45, rng.randrange(60)]):02d}"
    if kind == "datetime":
        return f"{value('date', rng)}T{value('time', rng)}:00"
    if kind == "weekday":
        return rng.choice(DAYS)
    if kind == "name":
        return f"{rng.choice(FIRST)} {rng.choice(LAST)}"
    if kind == "email":
        local = rng.choice(
            ["maya.rowe", "j.smith42", "dana-k7", "info", "sales99", "k.lee+work", "a_b"]
        )
        return f"{local}@{rng.choice(['gmail.com', 'example.org', 'acme-corp.com', 'mail.co.uk'])}"
    if kind == "url":
        host = rng.choice(["acme.com", "support.contoso.net", "my-shop.co.uk", "data123.org"])
        head, path = rng.choice(["", "https://", "www."]), rng.choice(["", "/help", "/order/7731"])
        return f"{head}{host}{path}"
    if kind == "address":
        street = rng.choice(
            ["Maple Street", "Oak Hill Road", "Park Avenue", "Washington Boulevard", "5th Lane"]
        )
        return f"{rng.randrange(10, 9999)} {street}{rng.choice(['', ', Austin, TX ' + some_digits(rng, 5, '789')])}"
    return rng.choice([
        "your order has shipped", "the dash camera is included", "two large fries and three sodas",
        "we don't accept returns after thirty days", "no refunds on sale items",
    ])  # fmt: skip


KINDS = (
    "digits", "code", "phone", "cardinal", "ordinal", "decimal", "money", "percent", "measure", "date", "time",
    "datetime", "weekday", "name", "email", "url", "address", "text",
)  # fmt: skip


# ---------------------------------------------------------------- renderings


def renderings(kind, v, rng):
    """At least twenty ways to write and to say a value."""
    said = list(dict.fromkeys(_SAY[kind](v, rng)))
    for frame in (
        "{} please",
        "so {}",
        "it is {}",
        "um {}",
        "{} I think",
        "that was {}",
        "okay {}",
        "{} then",
        "yes {}",
    ):
        if len(said) >= 20:
            break
        said += [frame.format(x) for x in said[: 20 - len(said)]]
    return said


def _digits(v, rng):
    out = [
        one_by_one(v), one_by_one(v,
        "oh"), one_by_one(v, sep=", "), in_groups(v, 3), in_groups(v, 2), in_groups(v, 4),
        by_twos(v), doubled(v), v, " ".join(v), "-".join(v), ", ".join(v), figures(v, 3, " "), figures(v, 3, "-"),
        figures(v, 2, " "), figures(v, 4, "-"), one_by_one(v).upper(), one_by_one(v[:2]) + " um " + one_by_one(v[2:]),
        one_by_one(v[:2]) + ". " + one_by_one(v[2:]) + ".", "number " + one_by_one(v), "#" + v,
        v[0] + " " + one_by_one(v[1:]),
    ]  # fmt: skip
    if v[0] != "0" and len(v) <= 7:
        out += [f"{int(v):,}", f"${int(v):,}", british(int(v)), american(int(v))]
    return out


def _code(v, rng):
    def said(letter, digit=lambda c: DIGITS[int(c)], sep=" "):
        return sep.join(letter(c) if c.isalpha() else digit(c) for c in v)

    def word(table):
        return lambda c: table[ord(c) - 65]

    out = [
        said(str), said(str, str), v, v.lower(), said(str.lower), said(str.lower, str), said(str, sep=", "),
        said(str, str, "-"), said(str, str, ". "), said(word(NATO)), said(lambda c: NATO[ord(c) - 65].lower()),
        said(lambda c: f"{c} as in {LIKE[ord(c) - 65]}", sep=", "), said(lambda c: f"{c} for {NATO[ord(c) - 65]}"),
        said(lambda c: f"{c} like {LIKE[ord(c) - 65]}", sep=", "), said(lambda c: f"capital {c}"),
        said(lambda c: f"{c.lower()} as in {LIKE[ord(c) - 65].lower()}"), "code " + said(str),
        said(lambda c: LETTERS[ord(c) - 65].replace("-", " ")),
    ]  # fmt: skip
    parts = re.fullmatch(r"([A-Z]+)(\d+)", v)
    if parts:
        letters, digits = parts.groups()
        spaced = " ".join(letters)
        out += [
            f"{letters} {digits}", f"{letters}-{digits}", f"{letters}, {digits}", f"{spaced} {digits}",
            f"{spaced} {by_twos(digits)}", f"{spaced} {doubled(digits)}", f"{spaced}, {one_by_one(digits, 'oh')}",
            f"{'.'.join(letters)}. {digits}",
        ]  # fmt: skip
    return out


def _phone(v, rng):
    a, b, c = v[2:5], v[5:8], v[8:]
    three = f"{one_by_one(a)}, {one_by_one(b)}, {one_by_one(c)}"
    return [
        three, one_by_one(a + b + c), one_by_one(a + b + c, "oh"), f"({a}) {b}-{c}", f"{a}-{b}-{c}", f"{a}.{b}.{c}",
        v, f"+1 {a} {b} {c}", f"1-{a}-{b}-{c}", f"1 ({a}) {b}-{c}", f"plus one {one_by_one(a + b + c)}",
        f"one {one_by_one(a + b + c)}", f"plus one, {three}", a + b + c, f"{a} {b} {c}", f"area code {three}",
        f"{one_by_one(a)} {one_by_one(b)} {by_twos(c)}", f"{one_by_one(a)} {doubled(b)} {doubled(c)}",
        f"{' '.join(a)} {' '.join(b)} {' '.join(c)}", f"{one_by_one(a)} dash {one_by_one(b)} dash {one_by_one(c)}",
        f"{one_by_one(a)}. {one_by_one(b)}. {one_by_one(c)}.", f"{three} extension twelve", f"001 {a} {b} {c}",
    ]  # fmt: skip


def _cardinal(v, rng):
    n = int(v)
    size, sign = abs(n), "minus " if n < 0 else ""
    out = [
        v, f"{n:,}", sign + british(size), sign + american(size), sign + british(size).replace("-", " "),
        (sign + british(size)).upper(), (sign + num2words(size)), (sign + british(size)).capitalize(),
    ]  # fmt: skip
    if n < 0:
        out.append("negative " + american(size))
    if 100 <= size < 1000 and size % 100 >= 10:
        out.append(f"{sign}{DIGITS[size // 100]} {british(size % 100)}")
    if 100 <= size < 200:
        out.append(f"{sign}a{british(size)[3:]}")
    if 1100 <= size < 10_000 and size // 100 % 10:
        out.append(
            f"{sign}{british(size // 100)} hundred {british(size % 100) if size % 100 else ''}".strip()
        )
    return out


def _ordinal(v, rng):
    n = int(v)
    return [
        f"{n}{tail(n)}", ordinal(n), ordinal(n).replace("-", " "), f"the {ordinal(n)}", f"the {n}{tail(n)}",
        ordinal(n).replace(" and ", " "), f"{n:,}{tail(n)}", ordinal(n).upper(), f"the {ordinal(n)} one",
    ]  # fmt: skip


def _decimal(v, rng):
    whole, _, part = v.partition(".")
    point = one_by_one(part)
    out = [
        v, f"{british(int(whole))} point {point}", f"{american(int(whole))} point {point}", f"{whole} point {part}",
        f"{british(int(whole))} point {one_by_one(part, 'oh')}",
        f"{british(int(whole))} point {point}".upper(), v + ".",
    ]  # fmt: skip
    if whole == "0":
        out += [f"point {point}", f"nought point {point}", f".{part}", f"oh point {point}"]
    if len(whole) > 1:
        out.append(f"{one_by_one(whole)} point {point}")
    fraction = {"5": "a half", "25": "a quarter", "75": "three quarters"}.get(part)
    if fraction and whole != "0":
        out.append(f"{british(int(whole))} and {fraction}")
    return out


def _money(v, rng):
    whole, part = v.split(".")
    n, c = int(whole), int(part)
    dollars, cents = "dollar" if n == 1 else "dollars", "cent" if c == 1 else "cents"
    if not c:
        out = [
            f"${n:,}", f"${n:,}.00", f"{british(n)} {dollars}", f"{american(n)} {dollars}", f"{n} {dollars}",
            f"{n:,} {dollars}", f"{american(n)} bucks", f"{british(n)} {dollars} even", f"USD {n}", f"{n} USD",
            f"{british(n)} US dollars", f"exactly {american(n)} {dollars}", f"US${n:,}", f"{n}.00", f"{n} bucks",
        ]  # fmt: skip
        if 100 < n < 1000 and n % 100 >= 10:
            out.append(f"{DIGITS[n // 100]} {british(n % 100)} {dollars}")
        return out
    if not n:
        return [
            f"{british(c)} {cents}",
            f"{c} {cents}",
            f"$0.{part}",
            f"{c}¢",
            f"$.{part}",
            f"zero {dollars} and {british(c)} {cents}",
        ]
    out = [
        f"${n:,}.{part}", f"${whole}.{part}", f"{n:,}.{part}", f"{whole}.{part} dollars", f"${n} and {c} {cents}",
        f"{british(n)} {dollars} and {british(c)} {cents}", f"{american(n)} {dollars} {british(c)} {cents}",
        f"{american(n)} {dollars} and {british(c)} {cents}".replace("-", " "), f"{n} {dollars} and {c} {cents}",
        f"{n} {dollars} {c} {cents}", f"{british(n)} {dollars}, {british(c)} {cents}", f"{whole}.{part} USD",
        f"{american(n)} point {one_by_one(part)} dollars", f"{american(n)} point {one_by_one(part)}",
        f"{american(n)} bucks and {british(c)} {cents}",
    ]  # fmt: skip
    if c >= 10:
        out += [f"{american(n)} {dollars} {british(c)}", f"{american(n)} {british(c)}", f"{n} {c}"]
    else:
        out.append(f"{american(n)} oh {DIGITS[c]}")
    return out


def _percent(v, rng):
    whole, _, part = v.partition(".")
    said = british(int(whole)) + (f" point {one_by_one(part)}" if part else "")
    out = [
        f"{v}%",
        f"{v} percent",
        f"{v} per cent",
        f"{v} %",
        f"{said} percent",
        f"{said} per cent",
        f"{said} percent off",
    ]
    if part == "5":
        out.append(f"{british(int(whole))} and a half percent" if int(whole) else "half a percent")
    return [*out, *(x.replace("-", " ") for x in out), *(x.upper() for x in out)]


def _measure(v, rng):
    n, unit = v.split(" ")
    whole, _, part = n.partition(".")
    word = UNITS[unit][n != "1"]
    said = british(int(whole)) + (f" point {one_by_one(part)}" if part else "")
    out = [
        v,
        n + unit,
        f"{n} {word}",
        f"{said} {word}",
        f"{said} {word}".upper(),
        f"{said.replace('-', ' ')} {word}",
    ]
    if part == "5":
        out.append(f"{british(int(whole))} and a half {UNITS[unit][1]}")
    return out


def _year(y):
    high, low = divmod(y, 100)
    if 2000 <= y < 2010:
        return f"two thousand {british(low) if low else ''}".strip()
    return f"{british(high)} {'oh ' * (0 < low < 10)}{british(low) if low else 'hundred'}"


def _date(v, rng):
    d = dt.date.fromisoformat(v)
    m, n, o, s, y, day = (
        MONTHS[d.month - 1],
        d.day,
        ordinal(d.day),
        tail(d.day),
        d.year,
        DAYS[d.weekday()],
    )
    return [
        f"{m} {o}", f"{m} {n}", f"{m} {n}{s}", f"the {o} of {m}", f"the {n}{s} of {m}", f"{n} {m} {y}",
        f"{m} {n}, {y}",
        f"{m} {n}{s}, {y}", f"{m} {o}, {_year(y)}", f"{m} the {o}", f"{day}, {m} {o}", f"{day} the {o} of {m}",
        f"{m} {british(n)}", f"{d.month}/{n}/{y}", v, f"{m[:3]} {n}", f"{m[:3]}. {n}, {y}", f"{n} {m[:3]} {y}",
        f"{o} of {m}", f"{m} {o} {_year(y)}".lower(), f"{n}{s} {m}", f"the {o} of {m}, {_year(y)}",
        f"{o} {m} {_year(y)}",
        f"{m} {o.replace('-', ' ')}".upper(), f"the {o} day of {m}", f"{d.month}/{n}",
    ]  # fmt: skip


def _part(hour):
    return (
        "in the morning"
        if hour < 12
        else "in the afternoon"
        if hour < 18
        else "in the evening"
        if hour < 21
        else "at night"
    )


def _time(v, rng):
    hour, minute = map(int, v.split(":"))
    h, half = hour % 12 or 12, "am" if hour < 12 else "pm"
    said, after = british(h), british(h % 12 + 1)
    dotted, spaced = f"{half[0]}.m.", f"{half[0]} m"
    out = [
        f"{h}:{minute:02d} {half.upper()}", f"{h}:{minute:02d}{half}", f"{h}:{minute:02d} {dotted}", v,
        f"{h}.{minute:02d}{half}", f"{h}:{minute:02d}", f"{h}:{minute:02d} {_part(hour)}",
        f"at {h}:{minute:02d} {half}",
    ]  # fmt: skip
    if not minute:
        return [
            *out, f"{said} {half}", f"{said} {dotted}", f"{said} {spaced}", f"{said} o'clock", f"{h}{half}",
            f"{h} {half}",
            f"{h} o'clock", f"{said} o'clock {_part(hour)}", f"{said} {_part(hour)}", f"at {said}",
            f"{h} {_part(hour)}",
            f"{said} {half} sharp", f"{h}{half} eastern",
        ]  # fmt: skip
    low = f"oh {DIGITS[minute]}" if minute < 10 else british(minute).replace("-", " ")
    out += [
        f"{said} {low}", f"{said} {low} {half}", f"{said} {low} {dotted}", f"{said} {low} {spaced}",
        f"{said} {low} {_part(hour)}", f"{h} {minute:02d} {half}", f"{h}{minute:02d} {half.upper()}",
        f"at {said} {low}", f"{said} {low} {half}".upper(),
    ]  # fmt: skip
    if minute in (15, 30):
        word = "quarter" if minute == 15 else "half"
        out += [f"{word} past {said}", f"{word} past {said} {_part(hour)}", f"{word} past {h}"]
    if minute == 45:
        out += [
            f"quarter to {after}",
            f"a quarter to {after}",
            f"quarter of {after}",
            f"fifteen minutes to {after}",
        ]
    return out


def _datetime(v, rng):
    day, _, moment = v.partition("T")
    marked = re.compile(
        r"\b[ap]\.?\s?m\b|:|clock|past|quarter|morning|night|evening|afternoon", re.IGNORECASE
    )
    days = _date(day, rng)
    times = [t for t in _time(moment[:5], rng) if marked.search(t) and not t.startswith("at ")]
    frames = ("{} at {}", "{}, {}", "{}, at {}")
    out = [rng.choice(frames).format(rng.choice(days), rng.choice(times)) for _ in range(18)]
    return out + [f"{rng.choice(times)} on {rng.choice(days)}" for _ in range(8)]


def _weekday(v, rng):
    frames = (
        "{}",
        "on {}",
        "next {}",
        "this {}",
        "{} morning",
        "{} at noon",
        "by {}",
        "every {}",
        "until {}",
        "{} the fifth",
    )
    return [f.format(word) for f in frames for word in (v, v.lower(), v.upper())] + [
        f"{v}s",
        f"{v}'s",
        f"on {v[:3]}.",
    ]


def _plain(text):
    return "".join(c for c in normalize("NFKD", text) if not combining(c))


def _name(v, rng):
    first, last = v.split()
    f, spelled = _plain(first).upper(), _plain(last).replace("'", "").upper()
    return [
        v, v.lower(), v.upper(), _plain(v), _plain(v).replace("'", ""), f"Ms. {v}", f"Dr. {v}", f"mister {v}",
        f"Mr {v}",
        f"{v}, that's {' '.join(spelled)}", f"{first} {'-'.join(spelled)}", f"{first} {last}, {', '.join(spelled)}",
        f"{first} {last}, spelled {' '.join(spelled).lower()}", f"{' '.join(f)} {' '.join(spelled)}",
        f"{first}, {last}",
        f"{v}'s account", f"Doctor {v.lower()}", f"with {v}",
        f"{first} {' '.join(spelled_like(c) for c in spelled)}", f"{v}.",
    ]  # fmt: skip


def spelled_like(letter):
    return f"{letter} as in {LIKE[ord(letter) - 65]}"


_SIGNS = {
    ".": "dot",
    "_": "underscore",
    "-": "dash",
    "+": "plus",
    "/": "slash",
    "@": "at",
    ":": "colon",
}


def _signs(text, spell=False):
    parts = re.findall(r"." if spell else r"[a-z]+|\d+|.", text)
    return " ".join(one_by_one(p) if p.isdigit() else _SIGNS.get(p, p) for p in parts)


def _email(v, rng):
    local, host = v.split("@")
    name, _, ending = host.partition(".")
    said = _signs(v)
    return [
        v, v.upper(), said, said.upper(), f"{_signs(local, True)} at {_signs(host)}", f"{local} at {host}",
        said.replace("dash", "hyphen"), f"{_signs(local)} at {_signs(name, True)} dot {_signs(ending)}",
        f"{_signs(local)}@{host}", f"{_signs(local)} at {host}", v + ".", f"email {v}", f"it's {said}",
        f"{said}, okay",
        f"{_signs(local)} at {name} dot {_signs(ending, True)}", f"at {v}", f"to {said}", f"my email is {said}",
    ]  # fmt: skip


def _url(v, rng):
    bare = re.sub("^https://", "", v)
    said = _signs(bare).replace("www", "w w w")
    return [
        v, bare, said, said.replace("w w w", "www"), said.replace("dash", "hyphen"), bare.upper(), said.upper(),
        said.replace("slash", "forward slash"), f"visit {bare}", f"go to {said}", f"{bare}.", f"at {bare}",
        f"on {said}",
        f"{said}, okay", f"our website {bare}", f"see {said}",
        f"https colon slash slash {said}" if v.startswith("https") else said,
    ]  # fmt: skip


def _address(v, rng):
    number, _, rest = v.partition(" ")
    street = rest
    short = {"Street": "St", "Avenue": "Ave", "Road": "Rd", "Boulevard": "Blvd", "Lane": "Ln"}
    for long, abbreviated in short.items():
        street = street.replace(long, abbreviated)
    spoken = re.sub(r"\b\d{5}\b", lambda m: one_by_one(m[0]), rest).replace("TX", "Texas")
    numbers = [number, one_by_one(number), by_twos(number), " ".join(number)]
    out = [f"{n} {r}" for n in numbers for r in (rest, street, spoken, rest.lower())]
    return [*out, f"at {v}", f"{v}.", f"number {v}"]


def _text(v, rng):
    return [
        v,
        v.lower(),
        v.upper(),
        v.replace(",", ""),
        f"{v}.",
        f"um {v}",
        v.replace("don't", "do not"),
        f"so {v}, right",
    ]


_SAY = {
    "digits": _digits, "code": _code, "phone": _phone, "cardinal": _cardinal, "ordinal": _ordinal,
    "decimal": _decimal,
    "money": _money, "percent": _percent, "measure": _measure, "date": _date, "time": _time, "datetime": _datetime,
    "weekday": _weekday, "name": _name, "email": _email, "url": _url, "address": _address, "text": _text,
}  # fmt: skip


# ---------------------------------------------------------------- mutations


def _one_symbol(v):
    """Every substitution, drop, doubling and swap of one letter or digit."""
    at = [i for i, c in enumerate(v) if c.isalnum()]
    for i in at:
        others = (
            "0123456789"
            if v[i].isdigit()
            else "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
            if v[i].isupper()
            else "bdmnpst"
        )
        yield from (v[:i] + other + v[i + 1 :] for other in others if other != v[i])
        yield v[:i] + v[i + 1 :]
        yield v[:i] + v[i] + v[i:]
    for i, j in pairwise(at):
        if j == i + 1:
            yield v[:i] + v[j] + v[i] + v[j + 1 :]


def mutations(kind, v):
    """Every single-symbol mutation of a value that is another value of its kind."""
    out = dict.fromkeys(_MUTATE[kind](v))
    out.pop(v, None)
    return list(out)


def _numbers(v):
    number, _, unit = v.partition(" ")
    for changed in _one_symbol(number):
        if re.fullmatch(r"-?\d+(\.\d+)?", changed) and float(changed) != float(number):
            yield f"{changed} {unit}".strip()
    if float(number):
        yield number[1:] if number[0] == "-" else f"-{v}"


def _codes(v):
    return (m for m in _one_symbol(v) if m and m.replace("O", "0") != v.replace("O", "0"))


def _phones(v):
    return (
        v[:2] + m
        for m in _one_symbol(v[2:])
        if v[:2] + m != v and not (v[2:] == "1" + m or m == "1" + v[2:])
    )


def _amounts(v):
    moved = [f"{float(v) * 10:.2f}", f"{float(v) / 10:.2f}"]
    return (
        m for m in [*_numbers(v), *moved] if re.fullmatch(r"\d+\.\d\d", m) and float(m) != float(v)
    )


def _dates(v):
    d = dt.date.fromisoformat(v)
    for field, top in (("day", 31), ("month", 12)):
        for n in range(1, top + 1):
            try:
                yield d.replace(**{field: n}).isoformat()
            except ValueError:
                continue


def _times(v):
    hour, minute = map(int, v.split(":"))
    yield from (f"{hour:02d}:{m:02d}" for m in range(60))
    yield from (f"{h:02d}:{minute:02d}" for h in range(24) if h % 12 != hour % 12)


def _datetimes(v):
    day, _, moment = v.partition("T")
    return [*(f"{d}T{moment}" for d in _dates(day)), *(f"{day}T{t}:00" for t in _times(moment[:5]))]


def _names(v):
    first, last = v.split()
    yield from (f"{first} {other}" for other in LAST if other != last)
    yield from (f"{other} {last}" for other in FIRST if other != first)
    for i in (0, len(first) + 1):
        yield from (v[:i] + c + v[i + 1 :] for c in "BDFGHLMNPRSTVW" if c != v[i])


def _emails(v):
    at = v.index("@")
    yield from (m + v[at:] for m in _one_symbol(v[:at]) if m)
    yield v.replace(".com", ".org") if ".com" in v else v.replace(".", "_", 1)


def _urls(v):
    changes = (
        (".com", ".org"),
        (".net", ".com"),
        ("7731", "7713"),
        ("acme", "acne"),
        ("123", "132"),
        ("-", "_"),
    )
    return (v.replace(a, b) for a, b in changes if a in v)


def _addresses(v):
    for found in re.finditer(r"\d+", v):
        yield from (v[: found.start()] + m + v[found.end() :] for m in _one_symbol(found[0]) if m)
    for a, b in (("Maple", "Marble"), ("Street", "Avenue"), ("Oak", "Elm"), ("Road", "Lane")):
        yield v.replace(a, b)


def _texts(v):
    changes = (
        ("three", "two"),
        ("thirty", "thirteen"),
        ("don't", "do"),
        ("shipped", "slipped"),
        ("no ", "now "),
        ("dash", "cash"),
    )
    return (v.replace(a, b) for a, b in changes if a in v)


_MUTATE = {
    "digits": _one_symbol, "code": _codes, "phone": _phones, "cardinal": _numbers, "ordinal": _numbers,
    "decimal": _numbers, "money": _amounts, "percent": _numbers, "measure": _numbers, "date": _dates, "time": _times,
    "datetime": _datetimes, "weekday": lambda v: DAYS, "name": _names, "email": _emails, "url": _urls,
    "address": _addresses, "text": _texts,
}  # fmt: skip


def seeded(*parts):
    """A generator of its own for each case, the same in every process."""
    return random.Random("/".join(map(str, parts)))
