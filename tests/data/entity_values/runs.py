"""Runs of digits and letters: digits, phone, alnum."""

# ruff: noqa: SIM905 - word lists read better as one string

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from random import Random

from entity_values.base import (
    FILLERS,
    ONES,
    TEEN,
    TEEN_TY,
    TY,
    UNIT,
    Reading,
    Value,
    below_hundred,
    digit_misses,
    digit_readings,
    doubled_words,
    f,
    group_words,
    joined,
    one_by_one,
    other_digit,
    pairs_words,
    r,
    swap_at,
    three_words,
    words,
)

# ---- digits


def digit_values(s: str) -> Value:
    return Value("digits", s, {"s": s, "marks": {s}})


def make_digits(rng: Random) -> Value:
    n = rng.choice([3, 4, 4, 4, 5, 5, 5, 6, 6, 7, 8])
    s = "".join(rng.choice("0123456789") for _ in range(n))
    if rng.random() < 0.35:  # a teen or a ty that a mishearing may turn
        i = rng.randrange(n - 1)
        s = s[:i] + rng.choice(list(TEEN_TY)) + s[i + 2 :]
    if rng.random() < 0.25:
        i = rng.randrange(n - 1)
        s = s[: i + 1] + s[i] + s[i + 2 :]
    if len(set(s)) == 1:
        return make_digits(rng)
    return digit_values(s)


def read_run(s: str, rng: Random) -> list[Reading]:
    """Readings of a bare run of digits, shared by digits, phone and codes."""
    zero = rng.choice(["zero", "oh"])
    out = [
        r("one_by_one", one_by_one(s, "zero")),
        r("one_by_one", one_by_one(s, zero)),
        r("groups", group_words(s, rng)),
        f("plain", s),
        f("spaced", " ".join(s)),
        f("hyphened", "-".join(s)),
        f("comma_spaced", ", ".join(s)),
    ]
    if len(s) >= 4:
        out.append(r("pairs", pairs_words(s, zero)))
        cut = rng.randrange(1, len(s))
        joint = rng.choice([" ", "-", " - "])
        out.append(f("split", s[:cut] + joint + s[cut:]))
        a, b = sorted(rng.sample(range(1, len(s)), 2))
        out.append(f("split", f"{s[:a]} {s[a:b]}-{s[b:]}"))
        i = rng.randrange(len(s))
        mixed = f"{s[:i]} {one_by_one(s[i], 'oh')} {s[i + 1 :]}".strip()
        out.append(f("words_and_figures", mixed))
        i = rng.randrange(1, len(s))
        spoken = one_by_one(s).split()
        spoken.insert(i, rng.choice(FILLERS))
        out.append(r("filler", " ".join(spoken)))
        comma = one_by_one(s).split()
        comma[i - 1] += ","
        out.append(r("pause", " ".join(comma)))
    if any(a == b for a, b in itertools.pairwise(s)):
        out.append(r("double", doubled_words(s, zero)))
        out.append(r("double", doubled_words(s, zero)))
    inner = [i for i in range(1, len(s) - 1) if s[i] in "24"]
    if inner:
        i = rng.choice(inner)
        homophone = {"2": ["to", "too"], "4": ["for"]}[s[i]]
        spoken = one_by_one(s).split()
        spoken[i] = rng.choice(homophone)
        out.append(r("homophone", " ".join(spoken)))
        if len(s) >= 4:
            out.append(f("homophone", f"{s[:i]} {rng.choice(homophone)} {s[i + 1 :]}"))
    return out


def read_digits(v: Value, rng: Random) -> list[Reading]:
    s = v.data["s"]
    out = read_run(s, rng)
    if len(s) == 3:
        out.append(r("hundred_left_out", three_words(s)))
    if len(s) == 4 and s[0] != "0" and s[1] != "0" and s[2:] == "00":
        out.append(r("hundreds", f"{below_hundred(int(s[:2]))} hundred"))
    if s[0] != "0" and 4 <= len(s) <= 6:
        out.append(r("place_value", words(int(s), conj=rng.random() < 0.3)))
        out.append(f("thousands_comma", f"{int(s):,}"))
    if rng.random() < 0.3:
        out.append(f("hash", f"#{s}"))
    return out


def miss_digits(v: Value, reading: Reading, rng: Random) -> list[tuple[str, Value]]:
    s = v.data["s"]
    out = digit_misses(s, rng)
    longer = rng.choice([rng.choice("123456789") + s, s + rng.choice("0123456789")])
    out.append(("slice", longer))
    if s[0] == "0":
        out.append(("leading_zero", s[1:]))
    return [(c, digit_values(m)) for c, m in out if len(m) >= 3]


def legal_digits(v: Value, reading: Reading) -> bool:
    return v.data["s"] in digit_readings(reading.text)


# ---- phone

PLANS = {
    "en-US": ("1", ""), "en-GB": ("44", "0"), "en-AU": ("61", "0"), "en-IN": ("91", "0"),
}  # fmt: skip


def phone_value(national: str, locale: str, code: str | None = None) -> Value:
    code = code or PLANS[locale][0]
    written = f"+{code}{national}"
    return Value("phone", written, {"n": national, "cc": code}, None, locale)


def make_phone(rng: Random) -> Value:
    locale = rng.choice(["en-US"] * 5 + ["en-GB", "en-GB", "en-AU", "en-IN"])
    tail = "".join(rng.choice("0123456789") for _ in range(3))
    if locale == "en-US":
        area = rng.choice("212 415 303 617 718 206 512 800 312 404 919 650".split())
        n = f"{area}555{rng.choice('01')}{tail}"
    elif locale == "en-GB":
        n = rng.choice([f"2079460{tail}", f"7700900{tail}", f"1632960{tail}", f"1134960{tail}"])
    elif locale == "en-AU":
        n = rng.choice(["491570006", "491570156", "491570157", "491570313", "491571266",
                        "491574632", "491575254", "255501" + tail, "370101" + tail])  # fmt: skip
    else:
        n = f"9{rng.choice('0189')}00{rng.choice('012345')}{rng.choice('6789')}{tail}0"
    return phone_value(n, locale)


def phone_groups(v: Value) -> list[str]:
    n, locale = v.data["n"], v.locale
    if len(n) == 7:
        return [n[:3], n[3:]]
    if locale == "en-US":
        return [n[:3], n[3:6], n[6:]]
    if locale == "en-GB":
        if n.startswith("20"):
            return ["0" + n[:2], n[2:6], n[6:]]
        return ["0" + n[:4], n[4:7], n[7:]]
    if locale == "en-AU":
        if n[0] == "4":
            return ["0" + n[:3], n[3:6], n[6:]]
        return ["0" + n[:1], n[1:5], n[5:]]
    return [n[:5], n[5:]]


def read_phone(v: Value, rng: Random) -> list[Reading]:
    g, cc, n = phone_groups(v), v.data["cc"], v.data["n"]
    zero = rng.choice(["zero", "oh"])
    bare = [g[0].removeprefix("0") if v.locale in ("en-GB", "en-AU") else g[0], *g[1:]]
    sep = rng.choice([", ", " "])
    national = sep.join(one_by_one(p, zero) for p in g)
    abroad = sep.join(one_by_one(p, zero) for p in bare)
    out = [
        r("one_by_one", national),
        r("one_by_one", national),
        r("double", sep.join(doubled_words(p, zero) for p in g)),
        r("groups", joined(g, [group_words(p, rng) for p in g], sep)),
        r("country_code", f"plus {one_by_one(cc)} {abroad}", "cc"),
        r("pairs", sep.join([*(one_by_one(p, zero) for p in g[:-1]), pairs_words(g[-1])])),
        f("plain", "".join(g)),
        f("spaced", " ".join("".join(g))),
        f("groups_spaced", " ".join(g)),
        f("hyphened", "-".join(g)),
        f("dotted", ".".join(g)),
        f("comma_groups", ", ".join(g)),
        f("e164", f"+{cc}{n}", "cc"),
        f("country_code", f"+{cc} {' '.join(bare)}", "cc"),
        f("country_code", f"+{cc}-{'-'.join(bare)}", "cc"),
        f("words_and_figures", f"{one_by_one(g[0], zero)} {' '.join(g[1:])}"),
    ]
    if len(g) == 2 and v.locale == "en-US":
        return [x for x in out if "cc" not in x.flags]
    if v.locale == "en-US":
        if g[1] == "555":
            out.append(r("triple", f"{one_by_one(g[0])} triple five {one_by_one(g[2], zero)}"))
        out += [
            f("brackets", f"({g[0]}) {g[1]}-{g[2]}"),
            f("brackets", f"({g[0]}) {g[1]}-{g[2]}"),
            f("one_first", f"1-{g[0]}-{g[1]}-{g[2]}", "cc"),
            r("one_first", f"one {national}", "cc"),
            r("area_code", f"area code {national}"),
            f("clock_inside", f"{g[0]} {g[1]} {g[2][:2]}:{g[2][2:]}"),
            f("clock_inside", f"{g[0]}-{g[1][0]}:{g[1][1:]}-{g[2]}"),
            f("every_digit", "-".join(n)),
            f("odd_split", f"{g[0]}-{g[1]} {g[2][0]}-{g[2][1:]}"),
        ]
        if cc != "1":
            out = [x for x in out if x.style != "one_first"]
        if g[0][1:] == "00":
            out.append(r("hundred", f"{ONES[int(g[0][0])]} hundred {one_by_one(g[1] + g[2])}"))
    return out


def miss_phone(v: Value, reading: Reading, rng: Random) -> list[tuple[str, Value]]:
    n, cc = v.data["n"], v.data["cc"]
    out = [(c, phone_value(m, v.locale, cc)) for c, m in digit_misses(n, rng, keep_first=True)]
    if v.locale == "en-US":
        out.append(("area_code_left_out", phone_value(n[3:], v.locale, "")))
    if "cc" in reading.flags:
        wrong = rng.choice([c for c in ("1", "44", "61", "91", "49", "33") if c != cc])
        out += [("country_code", phone_value(n, v.locale, wrong))] * 3
    return out


def legal_phone(v: Value, reading: Reading) -> bool:
    n, cc = v.data["n"], v.data["cc"]
    spoken = digit_readings(reading.text.replace("plus", ""))
    return bool(spoken & {n, "0" + n, cc + n})


# ---- alnum

NATO = dict(
    word.split("=")
    for word in (
        "A=alpha B=bravo C=charlie D=delta E=echo F=foxtrot G=golf H=hotel I=india J=juliet K=kilo "
        "L=lima M=mike N=november O=oscar P=papa Q=quebec R=romeo S=sierra T=tango U=uniform "
        "V=victor W=whiskey X=x-ray Y=yankee Z=zulu"
    ).split()
)
AS_IN = dict(
    word.split("=")
    for word in (
        "A=apple B=boy C=cat D=dog E=edward F=frank G=george H=henry I=ice J=john K=king L=larry "
        "M=mary N=nancy O=orange P=peter Q=queen R=robert S=sam T=tom U=uncle V=victory W=water "
        "X=xylophone Y=yellow Z=zebra"
    ).split()
)
NAMES_OF_LETTERS = {
    "B": "bee", "C": "cee", "D": "dee", "F": "ef", "G": "gee", "H": "aitch", "J": "jay", "K": "kay",
    "L": "el", "M": "em", "N": "en", "P": "pee", "Q": "cue", "R": "ar", "S": "ess", "T": "tee",
    "V": "vee", "W": "double u", "X": "ex", "Y": "why", "Z": "zee",
}  # fmt: skip
CONFUSABLE = ["BDPTVEGCZ", "MN", "FS", "AHK", "JK", "QU", "IY"]


def alnum_value(s: str) -> Value:
    return Value("alnum", s, {"s": s, "marks": {s}})


def make_alnum(rng: Random) -> Value:
    letters = "ABCDEFGHJKLMNPQRSTUVWXYZBDPTMNFS"
    shape = rng.choice(["LL####", "LLL###", "L#L#L#", "LLL", "L####", "##LL##", "LLLLLL", "LL##L",
                        "LLL##L", "#LL###", "L##LL"])  # fmt: skip
    s = "".join(rng.choice(letters) if c == "L" else rng.choice("0123456789") for c in shape)
    if rng.random() < 0.25:
        i = rng.randrange(len(s) - 1)
        s = s[: i + 1] + s[i] + s[i + 2 :]
    return alnum_value(s) if len(s) > 3 or rng.random() < 0.4 else make_alnum(rng)


def runs(s: str) -> list[str]:
    return re.findall(r"[A-Z]+|\d+", s)


def spell(s: str, how: Callable[[str], str], zero: str = "zero") -> str:
    return " ".join(one_by_one(c, zero) if c.isdigit() else how(c) for c in s)


def read_alnum(v: Value, rng: Random) -> list[Reading]:
    s = v.data["s"]
    zero = rng.choice(["zero", "oh"])
    like = rng.choice(["as in", "as in", "for", "like"])
    parts = runs(s)
    letters = [p for p in parts if p.isalpha()]
    out = [
        r("letters", spell(s, str.lower, "zero")),
        r("letters", spell(s, str.lower, zero)),
        r("letter_names", spell(s, lambda c: NAMES_OF_LETTERS.get(c, c.lower()), zero)),
        r("nato", spell(s, lambda c: NATO[c], "zero")),
        r("as_in_word", spell(s, lambda c: f"{c.lower()} {like} {AS_IN[c]}", "zero")),
        r("as_in_nato", spell(s, lambda c: f"{c.lower()} as in {NATO[c]}", "zero")),
        f("plain", s),
        f("plain", s),
        f("lower", s.lower()),
        f("spaced", " ".join(s)),
        f("hyphened", "-".join(s)),
        f("comma_spaced", ", ".join(s)),
        f("as_in_word", ", ".join(c if c.isdigit() else f"{c} {like} {AS_IN[c]}" for c in s)),
    ]
    if len(parts) > 1:
        joint = rng.choice([" ", "-", " - ", ", "])
        out += [
            f("runs", joint.join(parts)),
            f("runs", joint.join(parts)),
            f("letters_then_figures", " ".join(p if p.isdigit() else " ".join(p) for p in parts)),
            r("grouped_digits", " ".join(
                group_words(p, rng) if p.isdigit() else " ".join(p.lower()) for p in parts)),
        ]  # fmt: skip
        if letters:
            out.append(f("dotted", " ".join(
                p if p.isdigit() else ".".join(p) + "." for p in parts)))  # fmt: skip
    if "UU" not in s and any(a == b for a, b in itertools.pairwise(s)):
        text, i = [], 0
        while i < len(s):
            name = one_by_one(s[i], zero) if s[i].isdigit() else s[i].lower()
            if s[i : i + 1] == s[i + 1 : i + 2]:
                text.append(f"double {name}")
                i += 2
            else:
                text.append(name)
                i += 1
        out += [r("double", " ".join(text))] * 2
    return out


def miss_alnum(v: Value, reading: Reading, rng: Random) -> list[tuple[str, Value]]:
    s = v.data["s"]
    out: list[tuple[str, str]] = []
    for i in rng.sample(range(len(s)), len(s)):
        near = [c for g in CONFUSABLE if s[i] in g for c in g if c != s[i]]
        if near:
            out += [("letter_confusion", s[:i] + rng.choice(near) + s[i + 1 :])] * 2
            break
    i = rng.randrange(len(s))
    if s[i].isdigit():
        out.append(("substituted", s[:i] + other_digit(s[i], rng) + s[i + 1 :]))
    else:
        out.append(("substituted", s[:i] + rng.choice("ABCDEFGHJKLMNPRSTVWXZ") + s[i + 1 :]))
    swaps = [i for i in range(len(s) - 1) if s[i] != s[i + 1]]
    if swaps:
        out.append(("transposed", swap_at(s, rng.choice(swaps))))
    i = rng.randrange(len(s))
    out.append(("dropped", s[:i] + s[i + 1 :]))
    i = rng.randrange(len(s))
    out.append(("doubled", s[: i + 1] + s[i:]))
    longer = rng.choice([rng.choice("BCDFGHKLMNPRST") + s, s + rng.choice("0123456789BDKMX")])
    out.append(("slice", longer))
    return [(c, alnum_value(m)) for c, m in out if len(m) >= 3 and m != s]


def spelled_form(text: str) -> set[str]:
    """Codes that a rendering of `read_alnum` can stand for; a guard for labels only."""
    text = re.sub(r"\b(\w) (?:as in|for|like) [a-z-]+", r"\1", text.lower())
    text = text.replace("x-ray", "xray")
    names = {n.replace("x-ray", "xray"): c for c, n in NATO.items()}
    names |= {n: c for c, n in NAMES_OF_LETTERS.items()}
    text = text.replace("double u", "w")
    pieces, digits = [{""}], []

    def flush() -> None:
        if digits:
            pieces.append(digit_readings(" ".join(digits)))
            digits.clear()

    tokens = re.findall(r"[a-z]+|\d+", text)
    i = 0
    while i < len(tokens):
        tok = tokens[i]
        if (
            tok == "double"
            and i + 1 < len(tokens)
            and len(tokens[i + 1]) == 1
            and (tokens[i + 1].isalpha())
        ):
            flush()
            pieces.append({tokens[i + 1].upper() * 2})
            i += 2
            continue
        if tok.isdigit() or tok in UNIT or tok in TEEN or tok in TY or tok in (
            "double", "triple", "hundred", "thousand", "and", *FILLERS
        ):  # fmt: skip
            digits.append(tok)
        else:
            flush()
            pieces.append({names.get(tok, tok).upper()})
        i += 1
    flush()
    out = {""}
    for piece in pieces:
        out = {a + b for a in out for b in piece}
    return {o.replace("O", "0") for o in out}


def legal_alnum(v: Value, reading: Reading) -> bool:
    return v.data["s"].replace("O", "0") in spelled_form(reading.text)
