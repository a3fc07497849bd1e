"""Names, addresses and notes: name, email, url, address, text."""

# ruff: noqa: SIM905 - word lists read better as one string

from __future__ import annotations

import json
import re
from pathlib import Path
from random import Random
from typing import Any

from entity_values.base import (
    TEEN_TY,
    Reading,
    Value,
    below_hundred,
    digit_misses,
    f,
    one_by_one,
    other_digit,
    pairs_words,
    r,
    swap_at,
    three_words,
    words,
)
from entity_values.runs import CONFUSABLE

# ---- name

PHRASES = json.loads(
    (Path(__file__).resolve().parent.parent / "entities_phrases.json").read_text(encoding="utf-8")
)
# own|others: * sounds the same, # may sound the same (left out), unmarked a near miss


def _people() -> list[dict[str, list[str]]]:
    out = []
    for line in PHRASES["people"]:
        own, *rest = line.split("|")
        out.append({
            "own": [own],
            "same": [x[:-1] for x in rest if x.endswith("*")],
            "miss": [x for x in rest if x[-1] not in "*#"],
        })  # fmt: skip
    return out


NAMED = _people()


def name_value(full: str, row: dict[str, list[str]] | None = None) -> Value:
    plain = plain_name(full)
    return Value("name", full, {"row": row, "marks": {w for w in plain.split() if len(w) > 2}})


def plain_name(full: str) -> str:
    text = full.lower().translate(str.maketrans("áéíóúüñçè", "aeiouunce")).replace("ë", "e")
    text = re.sub(r"^(dr|ms|mr|mrs)\. ", "", text)
    return text.replace("'", "").replace("-", " ")


def make_name(rng: Random) -> Value:
    row = rng.choice(NAMED)
    return name_value(row["own"][0], row)


def read_name(v: Value, rng: Random) -> list[Reading]:
    full, row = v.written, v.data["row"]
    plain = plain_name(full)
    family = plain.split()[-1]
    out = [
        r("plain", plain),
        r("plain", plain),
        f("as_written", full),
        f("as_written", full),
        f("no_accents", plain.title()),
        r("spelled_family", f"{plain} {' '.join(family)}"),
        f("spelled_family", f"{full}, {'-'.join(family.upper())}"),
        f("spelled_family", f"{full}, that's {' '.join(family.upper())}"),
    ]
    if not full.startswith(("Dr.", "Ms.")):
        title = (
            "mr"
            if full.split()[0] in ("Steven", "Brian", "Eric", "Alan", "Thomas", "Peter")
            else ""
        )
        if title:
            out.append(r("title", f"mister {plain}"))
            out.append(f("title", f"Mr. {full}"))
    else:
        title = {"Dr.": "doctor", "Ms.": "miss"}[full.split()[0]]
        if title == "doctor":
            out.append(r("title", f"doctor {plain}"))
    for same in (row or {}).get("same", []):
        out.append(r("homophone", plain_name(same)))
        out.append(f("homophone", same))
    return out


def miss_name(v: Value, reading: Reading, rng: Random) -> list[tuple[str, Value]]:
    row = v.data["row"]
    if not row:
        return []
    out = [
        ("similar_name", name_value(m, {"own": [m], "same": [], "miss": row["own"]}))
        for m in row["miss"]
    ]
    stranger = rng.choice([x for x in NAMED if x is not row])
    out.append(("other_name", name_value(stranger["own"][0], stranger)))
    return out


def legal_name(v: Value, reading: Reading) -> bool:
    return plain_name(v.written) in plain_name(reading.text)


# ---- email and url

SYMBOL = {
    ".": "dot",
    "_": "underscore",
    "-": "dash",
    "+": "plus",
    "@": "at",
    "/": "slash",
    ":": "colon",
}


def email_value(s: str) -> Value:
    return Value("email", s, {"s": s, "marks": {s, *re.findall(r"[a-z]{4,}", s.split("@")[0])}})


GIVEN = (
    "maria john sarah kevin laura amir nina oscar peter grace victor helen tony ruth dana".split()
)
FAMILY = "lopez smith carter bishop tanaka novak fields rivera morgan hughes stone weber".split()
DOMAINS = "example.com example.org example.net mail.example.com acme.example.com example.co.uk example.edu".split()


def make_email(rng: Random) -> Value:
    a, b, n = rng.choice(GIVEN), rng.choice(FAMILY), str(rng.randrange(10, 100))
    local = rng.choice([
        f"{a}.{b}", f"{a}.{b}", f"{a}_{b}", f"{a}-{b}", f"{a[0]}.{b}", f"{a}{n}", f"{a}.{b}{n}", b,
        f"{a}+{rng.choice(['billing', 'travel', 'test', 'shop'])}", f"{a[0]}{b}", f"{b}_{n}", f"{a}{b}",
        f"{rng.choice('bdpmnfst')}{rng.choice('kjlr')}{rng.choice('bdpmn')}{n}",
    ])  # fmt: skip
    return email_value(f"{local}@{rng.choice(DOMAINS)}")


def symbol_words(s: str, rng: Random, *, spell_short: bool = True) -> str:
    """An address as said: known words whole, other letters one by one, digits one by one or as a number."""
    known = {
        *GIVEN,
        *FAMILY,
        "billing",
        "travel",
        "test",
        "shop",
        "example",
        "com",
        "org",
        "net",
        "co",
        "edu",
        "mail",
        "acme",
        "https",
        *URL_WORDS,
    }
    dash = rng.choice(["dash", "dash", "hyphen"])
    out: list[str] = []
    for part in re.findall(r"[a-z]+|\d+|.", s):
        if part.isdigit():
            pair = rng.random() < 0.5 and len(part) == 2
            out.append(below_hundred(int(part)) if pair else one_by_one(part))
        elif part.isalpha():
            if part in known:
                out.append(part)
            elif part[1:] in known:
                out += [part[0], part[1:]]
            else:
                split = next(
                    (
                        (g, part[len(g) :])
                        for g in sorted(known)
                        if part.startswith(g) and part[len(g) :] in known
                    ),
                    None,
                )
                out += list(split) if split else [" ".join(part)]
        else:
            out.append(dash if part == "-" else SYMBOL[part])
    return " ".join(out)


def read_email(v: Value, rng: Random) -> list[Reading]:
    s = v.data["s"]
    local, host = s.split("@")
    said = symbol_words(s, rng)
    spelled = " ".join(SYMBOL.get(c, one_by_one(c) if c.isdigit() else c) for c in local)
    return [
        r("words", said),
        r("words", said),
        r("spelled", f"{spelled} at {symbol_words(host, rng)}"),
        f("as_written", s),
        f("as_written", s),
        f("capital", s[0].upper() + s[1:]),
        f("at_word", f"{local} at {host}"),
        f("at_word", f"{local} at {host.replace('.', ' dot ')}"),
        f("dash_spelled", f"{'-'.join(local.upper()) if local.isalpha() else local} at {host}"),
    ]


def address_misses(s: str, rng: Random) -> list[tuple[str, str]]:
    """Near misses of an e-mail address or a URL, by class."""
    out = []
    local = s.split("@")[0]
    for c in ".-_+":
        if c in local and "@" in s:
            rest = [x for x in "._-" if x != c]
            out += [("symbol", local.replace(c, rng.choice(rest), 1) + s[len(local) :])] * 2
            out.append(("symbol_dropped", local.replace(c, "", 1) + s[len(local) :]))
    m = re.search(r"\d+", local)
    if m:
        d = m[0]
        out.append(("substituted", s.replace(d, d[:-1] + other_digit(d[-1], rng), 1)))
        if d[0] != d[1:2] and len(d) == 2:
            out.append(("transposed", s.replace(d, d[::-1], 1)))
        if d in TEEN_TY:
            out += [("teen_ty", s.replace(d, TEEN_TY[d], 1))] * 2
        if "_" + d not in s and "/" + d not in s:
            out.append(("dropped", s.replace(d, "", 1)))
    tld = re.search(r"\.(com|org|net|edu|co\.uk)\b", s)
    if tld:
        other = rng.choice([t for t in ("com", "org", "net") if t != tld[1]])
        out += [("domain_ending", s.replace(tld[0], f".{other}", 1))] * 2
    return out


def miss_email(v: Value, reading: Reading, rng: Random) -> list[tuple[str, Value]]:
    s = v.data["s"]
    local, host = s.split("@")
    out = address_misses(s, rng)
    for name in re.findall(r"[a-z]{4,}", local):
        pool = GIVEN if name in GIVEN else FAMILY
        other = rng.choice([x for x in pool if x != name])
        out.append(("other_word", f"{local.replace(name, other, 1)}@{host}"))
    if host.startswith(("mail.", "acme.")):
        out.append(("domain_part", f"{local}@{host.split('.', 1)[1]}"))
    letters = [i for i, c in enumerate(local) if any(c.upper() in g for g in CONFUSABLE)]
    if reading.style == "spelled" and letters:
        i = rng.choice(letters)
        near = [c for g in CONFUSABLE if local[i].upper() in g for c in g.lower() if c != local[i]]
        out += [("letter_confusion", f"{local[:i]}{rng.choice(near)}{local[i + 1 :]}@{host}")] * 2
    return [(c, email_value(m)) for c, m in out if m != s and not m.startswith("@")]


URL_WORDS = "www track help returns shop support account status offers billing orders app login docs center".split()


def url_value(s: str) -> Value:
    return Value("url", s, {"s": s, "marks": {s}})


def make_url(rng: Random) -> Value:
    host = rng.choice(["example.com", "example.org", "example.net", "shop.example.com", "www.example.com",
                       "support.example.org", "app.example.net", "example.co.uk"])  # fmt: skip
    path = rng.choice(["", "", "/track", "/help", "/returns", "/account/status", "/help-center", "/offers_2026",
                       "/orders/4471", "/billing", "/login", "/docs-app"])  # fmt: skip
    scheme = "https://" if rng.random() < 0.3 else ""
    return url_value(scheme + host + path)


def read_url(v: Value, rng: Random) -> list[Reading]:
    s = v.data["s"]
    bare = s.removeprefix("https://")
    slash = rng.choice(["slash", "slash", "forward slash"])
    said = symbol_words(bare, rng).replace("slash", slash)
    out = [
        r("words", said),
        r("words", said),
        r("words", said),
        f("as_written", bare),
        f("as_written", bare),
        f("capital", bare[0].upper() + bare[1:]),
        f(
            "dot_figures",
            bare.replace(".", " dot ") if "/" not in bare else bare.replace("/", f" {slash} "),
        ),
    ]
    if s != bare:
        out += [f("scheme", s), r("scheme_words", f"https colon slash slash {said}")]
    if bare.startswith("www."):
        out.append(r("www_letters", said.replace("www", "w w w", 1)))
    return out


def miss_url(v: Value, reading: Reading, rng: Random) -> list[tuple[str, Value]]:
    s = v.data["s"]
    out = address_misses(s, rng)
    for word in re.findall(r"[a-z]{3,}", s):
        if word in URL_WORDS and word != "www":
            other = rng.choice(
                [
                    w
                    for w in ("track", "help", "returns", "shop", "support", "status", "billing")
                    if w != word
                ]
            )
            out += [("other_word", s.replace(word, other, 1))] * 2
    if "-" in s:
        out += [("symbol", s.replace("-", "_")), ("symbol_dropped", s.replace("-", ""))]
    if "_" in s:
        out += [("symbol", s.replace("_", "-")), ("symbol_dropped", s.replace("_", ""))]
    if "4471" in s:
        out += [
            ("transposed", s.replace("4471", "4417")),
            ("dropped", s.replace("4471", "471")),
            ("doubled", s.replace("4471", "44711")),
        ]
    if "2026" in s:
        out.append(("substituted", s.replace("2026", "2025")))
    if "example" in s:
        out.append(("domain", s.replace("example", rng.choice(["samples", "exempt"]))))
    return [(c, url_value(m)) for c, m in out if m != s]


# ---- address

STREETS = "Oak Maple Cedar Lincoln Washington Park Lake Hill Church River Sunset Franklin Madison Chestnut".split()
NEAR_STREETS = {"Oak": "Oat", "Maple": "Mable", "Cedar": "Cider", "Lincoln": "Lisbon", "Washington": "Wellington",
                "Park": "Clark", "Lake": "Blake", "Hill": "Mill", "Church": "Birch", "River": "Rover",
                "Sunset": "Summit", "Franklin": "Frankford", "Madison": "Addison", "Chestnut": "Walnut"}  # fmt: skip
TYPES = {
    "St": "Street",
    "Ave": "Avenue",
    "Blvd": "Boulevard",
    "Dr": "Drive",
    "Rd": "Road",
    "Ln": "Lane",
    "Ct": "Court",
}
SIDES = {"": "", "N": "North", "S": "South", "E": "East", "W": "West"}
FLATS = {"Apt": "Apartment", "Suite": "Suite", "Unit": "Unit"}
TOWNS = [
    ("Springfield", "IL", "Illinois", "62704"),
    ("Portland", "OR", "Oregon", "97205"),
    ("Austin", "TX", "Texas", "78701"),
    ("Columbus", "OH", "Ohio", "43215"),
    ("Tampa", "FL", "Florida", "33602"),
    ("Denver", "CO", "Colorado", "80203"),
    ("Salem", "MA", "Massachusetts", "01970"),
    ("Boise", "ID", "Idaho", "83702"),
]


def address_value(a: dict[str, Any]) -> Value:
    side = f"{a['side']} " if a["side"] else ""
    flat = f", {a['flat']} {a['door']}" if a["flat"] else ""
    town = ""
    if a["town"] is not None:
        name, code, _, _ = TOWNS[a["town"]]
        town = f", {name}, {code} {a['zip']}"
    marks = {str(a["number"]), a["street"].lower(), a["zip"] if town else a["street"]}
    return Value(
        "address",
        f"{a['number']} {side}{a['street']} {a['type']}{flat}{town}",
        {"a": a, "marks": marks},
    )


def make_address(rng: Random) -> Value:
    town = rng.choice([None, rng.randrange(len(TOWNS)), rng.randrange(len(TOWNS))])
    flat = rng.choice(["", "", "Apt", "Suite", "Unit"])
    door = rng.choice(
        [
            f"{rng.randrange(2, 10)}{rng.choice('BCDEFM')}",
            str(rng.randrange(100, 900)),
            str(rng.randrange(3, 60)),
        ]
    )
    number = rng.choice(
        [
            rng.randrange(10, 100),
            rng.randrange(100, 1000),
            rng.randrange(1100, 9999),
            rng.choice([1420, 1913, 3015, 4016]),
        ]
    )
    return address_value(
        {
            "number": number,
            "side": rng.choice(["", "", *SIDES]),
            "street": rng.choice(STREETS),
            "type": rng.choice(list(TYPES)),
            "flat": flat,
            "door": door,
            "town": town,
            "zip": TOWNS[town][3] if town is not None else "",
        }
    )


def house_words(n: int) -> str:
    s = str(n)
    if len(s) == 4 and s[1:] != "000":
        return pairs_words(s) if s[2:] != "00" else f"{below_hundred(int(s[:2]))} hundred"
    return three_words(s) if len(s) == 3 else words(n)


def read_address(v: Value, rng: Random) -> list[Reading]:
    a = v.data["a"]
    side, kind = SIDES[a["side"]], TYPES[a["type"]]
    door = a["door"]
    digits, letter = re.match(r"(\d+)(\w?)", door).groups() if a["flat"] else ("", "")
    spoken_door = f"{house_words(int(digits))} {letter.lower()}".strip() if digits else ""
    long_flat = f"{FLATS[a['flat']]} {door}" if a["flat"] else ""
    said = f"{house_words(a['number'])} {side} {a['street']} {kind}".lower()
    one = f"{one_by_one(str(a['number']))} {side} {a['street']} {kind}".lower()
    if a["flat"]:
        said += f" {FLATS[a['flat']].lower()} {spoken_door}"
        one += f" {FLATS[a['flat']].lower()} {spoken_door}"
    full = re.sub(" +", " ", f"{a['number']} {side} {a['street']} {kind}") + (
        f", {long_flat}" if long_flat else ""
    )
    half = full
    if a["town"] is not None:
        name, code, state, _ = TOWNS[a["town"]]
        z = one_by_one(a["zip"], rng.choice(["zero", "oh"]))
        said += f" {name} {state} {z}".lower()
        one += f" {name} {state} {z}".lower()
        full += f", {name}, {state} {a['zip']}"
        half += f", {name}, {code} {a['zip']}"
    return [
        r("words", said),
        r("words", said),
        r("number_one_by_one", one),
        f("long", full),
        f("long", full),
        f("state_code", half),
        f("as_written", v.written),
        f("no_commas", full.replace(",", "")),
    ]


def miss_address(v: Value, reading: Reading, rng: Random) -> list[tuple[str, Value]]:
    a = v.data["a"]
    out = []
    s = str(a["number"])
    for c, m in digit_misses(s, rng):
        if m and m[0] != "0" and c in ("substituted", "transposed", "dropped", "teen_ty"):
            out.append((c, {**a, "number": int(m)}))
    out += [("similar_street", {**a, "street": NEAR_STREETS[a["street"]]})] * 2
    out += [("street_type", {**a, "type": rng.choice([t for t in TYPES if t != a["type"]])})] * 2
    if a["side"]:
        opposite = {"N": "S", "S": "N", "E": "W", "W": "E"}[a["side"]]
        out += [("direction", {**a, "side": opposite})] * 2
    if a["flat"]:
        d = a["door"]
        if d[-1].isalpha():
            near = [c for g in CONFUSABLE if d[-1] in g for c in g if c != d[-1]]
            out += [("letter_confusion", {**a, "door": d[:-1] + rng.choice(near)})] * 2
        else:
            out.append(("unit_number", {**a, "door": str(int(d) + rng.choice([1, 10, 2]))}))
    if a["town"] is not None:
        z = a["zip"]
        i = rng.choice([i for i in range(4) if z[i] != z[i + 1]])
        out += [
            ("zip", {**a, "zip": swap_at(z, i)}),
            ("zip", {**a, "zip": z[:-1] + other_digit(z[-1], rng)}),
        ]
        t = rng.choice([i for i in range(len(TOWNS)) if i != a["town"]])
        out.append(("town", {**a, "town": t}))
    return [(c, address_value(m)) for c, m in out]


# ---- text: own|the same otherwise written|near misses


def _texts() -> list[dict[str, list[str]]]:
    out = []
    for line in PHRASES["texts"]:
        own, same, miss = line.split("|")
        out.append({"own": [own], "same": [same], "miss": miss.split(";")})
    return out


SAID = _texts()


def text_value(text: str, row: dict[str, list[str]] | None = None) -> Value:
    return Value("text", text, {"row": row, "marks": {text}})


def make_text(rng: Random) -> Value:
    row = rng.choice(SAID)
    return text_value(row["own"][0], row)


def read_text(v: Value, rng: Random) -> list[Reading]:
    own, row = v.written, v.data["row"]
    out = [
        r("same_words", own.lower()),
        f("quoted", f'"{own}"'),
        f("capital", own[0].upper() + own[1:]),
    ]
    for same in (row or {}).get("same", []):
        out += [r("other_writing", same.lower()), f("other_writing", same)]
    return out


def miss_text(v: Value, reading: Reading, rng: Random) -> list[tuple[str, Value]]:
    row = v.data["row"]
    if not row:
        return []
    out = [
        ("other_word", text_value(m, {"own": [m], "same": [], "miss": row["own"]}))
        for m in row["miss"]
    ]
    stranger = rng.choice([x for x in SAID if x is not row])
    return [*out, *out, ("other_text", text_value(stranger["own"][0], stranger))]
