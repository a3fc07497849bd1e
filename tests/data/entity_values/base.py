"""Number words, what a value and a reading are, and the near misses of a digit string."""

# ruff: noqa: SIM905 - word lists read better as one string

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, lru_cache
from random import Random
from typing import Any

FILLERS = ("uh", "um", "er", "uhm", "hmm")


# ---------------------------------------------------------------------------- number words

ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen"
).split()
TENS = "- - twenty thirty forty fifty sixty seventy eighty ninety".split()
ORDINALS = {
    "one": "first", "two": "second", "three": "third", "five": "fifth", "eight": "eighth",
    "nine": "ninth", "twelve": "twelfth",
}  # fmt: skip
TEEN_TY = {f"{k}": f"{t}" for k, t in zip(range(13, 20), range(30, 100, 10), strict=True)}
TEEN_TY |= {t: k for k, t in TEEN_TY.items()}


def below_hundred(n: int) -> str:
    if n < 20:
        return ONES[n]
    return TENS[n // 10] + (f" {ONES[n % 10]}" if n % 10 else "")


def words(n: int, *, conj: bool = False, indian: bool = False) -> str:
    """The place-value reading of `n`; `conj` says "and" after hundreds and before a small rest."""
    if n < 100:
        return below_hundred(n)
    if n < 1000:
        rest = n % 100
        joint = " and " if conj else " "
        return f"{ONES[n // 100]} hundred" + (joint + below_hundred(rest) if rest else "")
    steps = [(10**7, "crore"), (10**5, "lakh"), (1000, "thousand")] if indian else [
        (10**9, "billion"), (10**6, "million"), (1000, "thousand")]  # fmt: skip
    for size, name in steps:
        if n >= size:
            head, rest = divmod(n, size)
            joint = " and " if conj and 0 < rest < 100 else " "
            tail = joint + words(rest, conj=conj, indian=indian) if rest else ""
            return f"{words(head, conj=conj, indian=indian)} {name}{tail}"
    raise AssertionError(n)


def ordinal_words(n: int, *, conj: bool = False) -> str:
    head, _, last = words(n, conj=conj).rpartition(" ")
    if last in ORDINALS:
        last = ORDINALS[last]
    elif last.endswith("y"):
        last = last[:-1] + "ieth"
    else:
        last += "th"
    return f"{head} {last}".strip()


def ordinal_suffix(n: int) -> str:
    if 10 <= n % 100 <= 20:
        return f"{n}th"
    return f"{n}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(n % 10, 'th') }"


def hyphened(text: str) -> str:
    """As careful engines write it: twenty one -> twenty-one."""
    tens = "|".join(TENS[2:])
    ends = "|".join([*ONES[1:10], *(ordinal_words(i) for i in range(1, 10))])
    return re.sub(rf"\b({tens}) ({ends})\b", r"\1-\2", text)


def indian_commas(n: int) -> str:
    head, tail = divmod(n, 1000)
    if not head:
        return str(n)
    parts = []
    while head:
        head, part = divmod(head, 100)
        parts.append(f"{part:02d}" if head else str(part))
    return ",".join([*reversed(parts), f"{tail:03d}"])


# ------------------------------------------------- every digit string that words can be read as

HOMOPHONES = {"oh": "0", "o": "0", "to": "2", "too": "2", "for": "4", "ate": "8", "won": "1"}
UNIT = {w: str(i) for i, w in enumerate(ONES[:10])} | {"nought": "0", "naught": "0"} | HOMOPHONES
TEEN = {w: str(i) for i, w in enumerate(ONES) if i >= 10}
TY = {w: str(i) for i, w in enumerate(TENS) if i >= 2}


@lru_cache(maxsize=1)
def _cardinals() -> dict[str, str]:
    known = {}
    for n in range(1, 1000):
        for conj in (False, True):
            known[words(n, conj=conj)] = str(n)
    return known


def _as_cardinal(tokens: tuple[str, ...]) -> str | None:
    text = re.sub(r"\ba (?=hundred|thousand)", "one ", " ".join(tokens))
    if "thousand" not in tokens:
        hit = re.fullmatch(r"(\w+(?: \w+)?) hundred(?: (?:and )?(.+))?", text)
        if hit and hit[1] in _cardinals():
            rest = _cardinals().get(hit[2] or "", "0") if hit[2] else "0"
            if int(rest) < 100 and (not hit[2] or rest != "0"):
                return str(int(_cardinals()[hit[1]]) * 100 + int(rest))
        return _cardinals().get(text)
    hit = re.fullmatch(r"(.+?) thousand(?: (?:and )?(.+))?", text)
    if hit and hit[1] in _cardinals():
        if not hit[2]:
            return str(int(_cardinals()[hit[1]]) * 1000)
        if hit[2] in _cardinals():
            return str(int(_cardinals()[hit[1]]) * 1000 + int(_cardinals()[hit[2]]))
    return None


def digit_readings(text: str) -> set[str]:
    """A generous superset of the digit strings that `text` may stand for; a guard for labels only."""
    drop = set(FILLERS) | {"and"}
    tokens = tuple(t for t in re.findall(r"[a-z]+|\d+", text.lower()) if t not in drop - {"and"})
    n = len(tokens)

    @cache
    def tails(i: int) -> frozenset[str]:
        if i == n:
            return frozenset([""])
        heads: set[tuple[str, int]] = set()
        tok = tokens[i]
        nxt = tokens[i + 1] if i + 1 < n else ""
        if tok == "and":
            heads.add(("", 1))
        if tok.isdigit():
            heads.add((tok, 1))
        if tok in UNIT:
            heads.add((UNIT[tok], 1))
        if tok in TEEN:
            heads.add((TEEN[tok], 1))
        if tok in TY:
            heads.add((TY[tok] + "0", 1))
            if nxt in UNIT and UNIT[nxt] != "0":
                heads.add((TY[tok] + UNIT[nxt], 2))
        if tok in ("double", "triple", "treble"):
            times = 2 if tok == "double" else 3
            if nxt in UNIT:
                heads.add((UNIT[nxt] * times, 2))
            if nxt.isdigit():
                heads.add((nxt[0] * times + nxt[1:], 2))
        for j in range(i + 2, min(n, i + 8) + 1):
            whole = _as_cardinal(tokens[i:j])
            if whole:
                heads.add((whole, j - i))
        return frozenset(h + t for h, k in heads for t in tails(i + k))

    return set(tails(0))


# ---------------------------------------------------------------------------- values


@dataclass(frozen=True)
class Value:
    kind: str
    written: str
    data: dict[str, Any] = field(hash=False, compare=False)
    value: str | None = None  # canonical, where it is not `written`
    locale: str = "en-US"

    @property
    def key(self) -> str:
        return self.value or self.written

    @property
    def marks(self) -> set[str]:
        """Numbers and words that no other value in the same text may share."""
        return set(self.data.get("marks", ())) | set(re.findall(r"\d+", self.key))


@dataclass(frozen=True)
class Reading:
    style: str
    text: str
    spelled: bool = True  # made of plain words: fits a raw lower-case transcript
    flags: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Kind:
    make: Callable[[Random], Value]
    read: Callable[[Value, Random], list[Reading]]
    miss: Callable[[Value, Reading, Random], list[tuple[str, Value]]]
    legal: Callable[[Value, Reading], bool]  # is the value a legal reading of it?


def r(style: str, text: str, *flags: str, spelled: bool = True) -> Reading:
    return Reading(style, re.sub(r" +", " ", text).strip(), spelled, frozenset(flags))


def f(style: str, text: str, *flags: str) -> Reading:
    return r(style, text, *flags, spelled=False)


def swap_at(s: str, i: int) -> str:
    return s[:i] + s[i + 1] + s[i] + s[i + 2 :]


def other_digit(c: str, rng: Random) -> str:
    return rng.choice([d for d in "0123456789" if d != c])


def digit_misses(s: str, rng: Random, *, keep_first: bool = False) -> list[tuple[str, str]]:
    """Near misses of a digit string, by class."""
    out = []
    low = 1 if keep_first else 0
    i = rng.randrange(low, len(s))
    out.append(("substituted", s[:i] + other_digit(s[i], rng) + s[i + 1 :]))
    fives = [i for i in range(low, len(s)) if s[i] in "59"]
    if fives:
        i = rng.choice(fives)
        out.append(("five_nine", s[:i] + ("9" if s[i] == "5" else "5") + s[i + 1 :]))
    pairs = [i for i in range(low, len(s) - 1) if s[i] != s[i + 1]]
    if pairs:
        out.append(("transposed", swap_at(s, rng.choice(pairs))))
    i = rng.randrange(low, len(s))
    out.append(("dropped", s[:i] + s[i + 1 :]))
    i = rng.randrange(low, len(s))
    out.append(("doubled", s[: i + 1] + s[i:]))
    teens = [i for i in range(low, len(s) - 1) if s[i : i + 2] in TEEN_TY]
    if teens:
        i = rng.choice(teens)
        out.append(("teen_ty", s[:i] + TEEN_TY[s[i : i + 2]] + s[i + 2 :]))
    return [(c, m) for c, m in out if m != s]


# ---------------------------------------------------------------------------- ways to say digits


def one_by_one(s: str, zero: str = "zero") -> str:
    return " ".join(zero if c == "0" else ONES[int(c)] for c in s)


def pair_words(p: str, zero: str = "oh") -> str:
    if p == "00":
        return f"double {zero}" if zero == "oh" else "zero zero"
    if p[0] == "0":
        return f"{zero} {ONES[int(p[1])]}"
    return below_hundred(int(p))


def pairs_words(s: str, zero: str = "oh") -> str:
    """Two and two; an odd first digit stands alone."""
    head = [ONES[int(s[0])]] if len(s) % 2 else []
    rest = s[len(s) % 2 :]
    return " ".join([*head, *(pair_words(rest[i : i + 2], zero) for i in range(0, len(rest), 2))])


def three_words(p: str) -> str:
    """482 -> four eighty two; 405 -> four oh five; 400 -> four hundred."""
    if p[0] == "0":
        return one_by_one(p, "oh")
    if p[1:] == "00":
        return f"{ONES[int(p[0])]} hundred"
    return f"{ONES[int(p[0])]} {pair_words(p[1:])}"


def doubled_words(s: str, zero: str = "oh") -> str:
    out, i = [], 0
    while i < len(s):
        run = 1
        while i + run < len(s) and s[i + run] == s[i] and run < 3:
            run += 1
        name = zero if s[i] == "0" else ONES[int(s[i])]
        out.append({1: "", 2: "double ", 3: "triple "}[run] + name)
        i += run
    return " ".join(out)


def joined(parts: list[str], texts: list[str], sep: str = " ") -> str:
    """The texts of digit groups, so that no two of them run into one number (thirty | three)."""
    texts = list(texts)
    for i in range(len(parts) - 1):
        last, first = texts[i].split()[-1], texts[i + 1].split()[0]
        if (last in TENS and first in ONES[1:10]) or (
            last == "hundred" and first in (*ONES, *TENS)
        ):
            texts[i] = one_by_one(parts[i], "oh")
    return sep.join(texts)


def group_words(s: str, rng: Random) -> str:
    """A mixture of single digits, pairs and threes, as people break up a number."""
    parts, texts, i = [], [], 0
    while i < len(s):
        k = min(rng.choice([1, 2, 2, 3]), len(s) - i)
        part = s[i : i + k]
        if k == 1:
            texts.append("oh" if part == "0" else ONES[int(part)])
        elif k == 2:
            texts.append(pair_words(part))
        else:
            texts.append(three_words(part))
        parts.append(part)
        i += k
    return joined(parts, texts)
