"""Digit strings and codes: the expected symbols are walked over the lattice, one reading step at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from s2sverify.text import vocabulary as vocab
from s2sverify.text.lattice import (
    FIGURE,
    HUNDRED,
    LETTER,
    OH,
    ONE,
    ORDINAL_FIGURE,
    OTHER,
    SCALE,
    SYMBOL,
    TEEN,
    TENS,
    TIMES,
    Lattice,
)
from s2sverify.text.numbers import chunks, is_numeric, numbers, plain_gap

CLEAN, SOFT, HARD = 0, 1, 2


class Hit(NamedTuple):
    """Atoms ``[start, end)`` read as the value; `doubt` is why it is not beyond doubt, "" where it is."""

    start: int
    end: int
    reading: str
    doubt: str = ""


class Step(NamedTuple):
    end: int
    symbols: str
    style: str


_PERCENT_WORDS = frozenset(["%", "percent", "pct"])
_MONEY_WORDS = frozenset(
    ["dollar", "dollars", "buck", "bucks", "cent", "cents", "pound", "pounds", "quid", "pence", "penny", "p", "euro", "euros", "rupee", "rupees", "yen", "yuan", "usd", "gbp", "eur", "inr", "aud", "cad", "$", "£", "€", "¥", "₹", "¢", "grand"]
)
_CLOCK_WORDS = frozenset(["am", "pm", "o'clock", "oclock"])
_SMALL_WORDS = frozenset(
    ["is", "was", "as", "this", "his", "its", "us", "yes", "thus", "has", "does", "goes", "plus", "minus", "across", "always", "perhaps"]
)
LABELS = frozenset(
    ["pnr", "sku", "id", "pin", "otp", "ssn", "vin", "imei", "mrn", "rma", "po", "ups", "usps", "ref", "zip", "cvv", "iban", "url", "faq", "tv", "pc", "ok", "dob", "eta"]
)
_SKIPPED_IN_CODES = frozenset(
    ["capital", "uppercase", "lowercase", "upper", "lower", "case", "letter", "letters", "number", "numbers", "digit", "digits"]
)
_CONNECTORS = frozenset(["then"])
_AS_IN = frozenset(["as", "for", "like"])


def typed_ahead(lat: Lattice, j: int) -> bool:
    """Whether what starts at `j` says itself what it is: an amount, a percentage, a clock time, counted things."""
    if j >= lat.n:
        return False
    if lat.text[j] in _MONEY_WORDS or lat.cls[j] == ORDINAL_FIGURE:
        return True
    if not is_numeric(lat, j):
        return False
    if (
        lat.cls[j] == FIGURE
        and j + 1 < lat.n
        and lat.cls[j + 1] == FIGURE
        and lat.pre[j + 1] == ":"
    ):
        return True
    for n in numbers(lat, j):
        end = n.end
        if end >= lat.n:
            continue
        word = lat.text[end]
        if (
            word in _PERCENT_WORDS
            or word in _MONEY_WORDS
            or word in _CLOCK_WORDS
            or word in vocab.MONTHS
        ):
            return True
        if word == "per" and end + 1 < lat.n and lat.text[end + 1] == "cent":
            return True
        if word in ("a", "p") and end + 1 < lat.n and lat.text[end + 1] == "m":
            return True
        if (
            lat.cls[end] == OTHER
            and len(word) > 3
            and word[-1] == "s"
            and word not in _SMALL_WORDS
            and lat.pre[end].strip(" ") == ""
        ):
            return True
    return False


def right_of(lat: Lattice, j: int, *, letters: bool) -> int:
    """How cleanly a run of symbols ends before atom `j`."""
    if j >= lat.n:
        return CLEAN
    gap, cls, word = lat.pre[j], lat.cls[j], lat.text[j]
    if is_numeric(lat, j) or cls == TIMES:
        if cls == OH and word == "oh" and gap.strip():
            return CLEAN
        if typed_ahead(lat, j):
            return CLEAN
        if cls == TIMES and not is_numeric(lat, j + 1):
            return CLEAN
        if any(c in gap for c in "?!;") or ("." in gap and " " in gap):
            return SOFT
        return SOFT if "," in gap and " " in gap else HARD
    if " " not in gap:
        if cls == LETTER or cls == ORDINAL_FIGURE:
            return HARD
        if cls == SYMBOL:
            return HARD if word in "%°¢" else SOFT
        if cls == OTHER and not gap:
            return SOFT if word in _CLOCK_WORDS else HARD
        if cls == OTHER and gap == "-" and letters:
            return HARD
        return CLEAN
    if word in _PERCENT_WORDS or (word == "per" and j + 1 < lat.n and lat.text[j + 1] == "cent"):
        return HARD
    if word in vocab.DIGIT_HOMOPHONES and plain_gap(lat, j):
        after = j + 1
        if is_numeric(lat, after) and plain_gap(lat, after):
            return CLEAN if typed_ahead(lat, after) else HARD
        return CLEAN
    if word in ("point", "dot") and is_numeric(lat, j + 1) and plain_gap(lat, j):
        return HARD
    if word in ("dash", "hyphen") and is_numeric(lat, j + 1):
        return HARD
    if cls == LETTER and not gap.strip(" -"):
        if word in "ai" and not (
            j + 1 < lat.n and (is_numeric(lat, j + 1) or lat.cls[j + 1] == LETTER)
        ):
            return CLEAN
        return HARD if letters else SOFT
    if letters and _caps(lat, j) and not gap.strip(" -"):
        return SOFT
    if letters and word in vocab.NATO and not gap.strip(" -"):
        return SOFT
    return CLEAN


def left_of(lat: Lattice, i: int, *, letters: bool) -> int:
    """How cleanly a run of symbols begins at atom `i`."""
    if i == 0:
        return CLEAN
    p = i - 1
    gap, cls, word = lat.pre[i], lat.cls[p], lat.text[p]
    if is_numeric(lat, p) or (cls == TIMES and is_numeric(lat, i)):
        if cls == OH and word == "oh" and gap.strip():
            return SOFT if p and is_numeric(lat, p - 1) else CLEAN
        if any(c in gap for c in "?!;") or ("." in gap and " " in gap):
            return SOFT
        return SOFT if "," in gap and " " in gap else HARD
    if " " not in gap:
        if cls == LETTER or cls == ORDINAL_FIGURE:
            return HARD
        if cls == OTHER and gap in ("", "-"):
            return HARD if letters or gap == "" else SOFT
        return CLEAN
    if (
        word in vocab.DIGIT_HOMOPHONES
        and plain_gap(lat, i)
        and is_numeric(lat, p - 1)
        and plain_gap(lat, p)
    ):
        return HARD
    if word in ("point", "dot", "dash", "hyphen") and is_numeric(lat, p - 1) and plain_gap(lat, p):
        return HARD
    if cls == LETTER and not gap.strip(" -"):
        if word in "ai" and not (p and (is_numeric(lat, p - 1) or lat.cls[p - 1] == LETTER)):
            return CLEAN if word == "a" or not letters else SOFT
        return HARD if letters else SOFT
    if _caps(lat, p) and not gap.strip(" -"):
        return HARD if letters else SOFT
    if letters and word in vocab.NATO and not gap.strip(" -"):
        return SOFT
    return CLEAN


def _caps(lat: Lattice, i: int) -> bool:
    """A group of capitals that reads as letters of a code rather than as a word or a label."""
    raw = lat.raw[i]
    return (
        not lat.shouted
        and 2 <= len(raw) <= 4
        and raw.isalpha()
        and raw.isupper()
        and lat.text[i] not in LABELS
        and lat.cls[i] == OTHER
    )


def _joined(gap: str) -> bool:
    """Whether symbols on both sides of a gap can belong to one run."""
    return not any(c in gap for c in '?!"[]{}=<>|')


def letter_steps(lat: Lattice, i: int, first: bool) -> Iterator[Step]:
    """Letters that atoms from `i` on stand for, with a spelling word after them skipped ("B as in boy")."""
    word, cls = lat.text[i], lat.cls[i]
    letter, end, style = "", i + 1, "letters"
    if cls == LETTER or word == "o":
        letter = word
    elif word == "x" or (word == "x-ray"):
        letter = "x"
    elif word in vocab.LETTER_NAMES:
        letter, style = vocab.LETTER_NAMES[word], "letter names"
    elif word in vocab.NATO:
        letter, style = vocab.NATO[word], "spelling words"
    elif word in vocab.LETTER_HOMOPHONES and not first:
        letter, style = vocab.LETTER_HOMOPHONES[word], "letter names"
    if cls == TIMES and i + 1 < lat.n:
        if word == "double" and lat.text[i + 1] in ("u", "you"):
            yield from _with_word(lat, "w", i + 2, "letter names")
        if lat.cls[i + 1] == LETTER or lat.text[i + 1] in vocab.LETTER_NAMES:
            one = vocab.LETTER_NAMES.get(lat.text[i + 1], lat.text[i + 1])
            yield Step(i + 2, one * lat.val[i], "double")
        return
    if letter == "x" and i + 1 < lat.n and lat.text[i + 1] == "ray":
        yield Step(i + 2, "x", "spelling words")
    if letter:
        yield from _with_word(lat, letter, end, style)


def _with_word(lat: Lattice, letter: str, end: int, style: str) -> Iterator[Step]:
    """The letter alone, and with "as in WORD", "for WORD", "like WORD" after it."""
    j = end
    if j < lat.n and lat.text[j] in _AS_IN:
        k = j + 1
        if lat.text[j] == "as" and k < lat.n and lat.text[k] == "in":
            k += 1
        elif lat.text[j] == "as":
            k = lat.n
        if k < lat.n and lat.text[k] in ("a", "the", "in"):
            k += 1
        if k < lat.n and len(lat.text[k]) > 1 and lat.cls[k] not in (FIGURE, SYMBOL):
            yield Step(k + 1, letter if lat.text[k][0] == letter else "\x00", "as in word")
            if lat.text[j] == "as" or lat.text[k][0] == letter:
                return
    yield Step(end, letter, style)


def walk(lat: Lattice, start: int, target: str, *, letters: bool) -> Iterator[tuple[int, str, int]]:
    """Ways to read `target` from atom `start`: (end, reading, points written between figures)."""
    seen: set[tuple[int, int]] = set()
    stack: list[tuple[int, int, str, int]] = [(start, 0, "", 0)]
    size, n = len(target), lat.n
    while stack:
        j, k, style, dots = stack.pop()
        if k == size:
            yield j, style, dots
            continue
        if j >= n or (j, k) in seen:
            continue
        seen.add((j, k))
        if k:
            gap = lat.pre[j]
            if not _joined(gap):
                continue
            if gap == "." and lat.cls[j] == FIGURE and lat.cls[j - 1] == FIGURE:
                dots += 1
        word, cls = lat.text[j], lat.cls[j]
        for chunk in chunks(lat, j):
            if target.startswith(chunk.digits, k):
                stack.append((chunk.end, k + len(chunk.digits), _add(style, chunk.style), dots))
        if k:
            if word in vocab.DIGIT_HOMOPHONES and target[k] == str(vocab.DIGIT_HOMOPHONES[word]):
                if _between(lat, j):
                    stack.append((j + 1, k + 1, _add(style, "homophones"), dots))
            if (
                word in vocab.SEPARATOR_WORDS
                or word in _CONNECTORS
                or (letters and word in _SKIPPED_IN_CODES)
            ):
                stack.append((j + 1, k, style, dots))
            if word in ("extension", "ext", "x"):
                stack.append((j + 1, k, style, dots))
        if letters:
            for step in letter_steps(lat, j, k == 0):
                if target.startswith(step.symbols.replace("o", "0"), k):
                    stack.append((step.end, k + len(step.symbols), _add(style, step.style), dots))
            if (
                cls == OTHER
                and len(word) > 1
                and word.isalpha()
                and target.startswith(word.replace("o", "0"), k)
            ):
                stack.append((j + 1, k + len(word), _add(style, "as written"), dots))


def _add(style: str, more: str) -> str:
    if not style or style == more:
        return more
    return style if more in style.split(" + ") else f"{style} + {more}"


def _between(lat: Lattice, j: int) -> bool:
    """Whether atom `j` stands between two digits."""
    return (
        is_numeric(lat, j - 1)
        and is_numeric(lat, j + 1)
        and plain_gap(lat, j)
        and plain_gap(lat, j + 1)
    )


def accept(lat: Lattice, target: str, *, letters: bool) -> list[Hit]:
    """Where `target` (lower case, "o" written 0) is said as a whole run of symbols."""
    hits = []
    for i in range(lat.n):
        if not is_numeric(lat, i) and lat.cls[i] != TIMES and not letters:
            continue
        for end, reading, dots in walk(lat, i, target, letters=letters):
            left, right = left_of(lat, i, letters=letters), right_of(lat, end, letters=letters)
            worst = max(left, right)
            if worst == HARD:
                continue
            doubt = (
                "neighbouring symbols"
                if worst == SOFT
                else "written with a point"
                if dots == 1
                else ""
            )
            hits.append(Hit(i, end, reading, doubt))
    return hits


class Run(NamedTuple):
    start: int
    end: int
    symbols: str


def runs(lat: Lattice, *, letters: bool) -> list[Run]:
    """Every maximal run of symbols, read the plainest way."""
    key = ("runs", letters)
    kept = lat.memo.get(key)
    if kept is not None:
        return kept  # type: ignore[return-value]
    out: list[Run] = []
    i = 0
    while i < lat.n:
        j, symbols, end = i, "", i
        while j < lat.n:
            if symbols and (not _joined(lat.pre[j]) or ("." in lat.pre[j] and " " in lat.pre[j])):
                break
            if symbols and is_numeric(lat, j) and " " in lat.pre[j] and typed_ahead(lat, j):
                break
            step = _plainest(lat, j, letters, bool(symbols))
            if step is None:
                word = lat.text[j]
                if (
                    symbols
                    and word in vocab.DIGIT_HOMOPHONES
                    and _between(lat, j)
                    and not typed_ahead(lat, j + 1)
                ):
                    step = Step(j + 1, str(vocab.DIGIT_HOMOPHONES[word]), "homophones")
                elif (
                    symbols
                    and word in vocab.SEPARATOR_WORDS
                    and j + 1 < lat.n
                    and _plainest(lat, j + 1, letters, True)
                ):
                    j += 1
                    continue
                else:
                    break
            symbols += step.symbols
            j = end = step.end
        if symbols:
            out.append(Run(i, end, symbols.upper()))
            i = end
        else:
            i += 1
    lat.memo[key] = out
    return out


def _plainest(lat: Lattice, j: int, letters: bool, inside: bool) -> Step | None:
    found = chunks(lat, j)
    if found:
        best = max(found, key=lambda c: c.end)
        return Step(best.end, best.digits, best.style)
    if not letters:
        return None
    word = lat.text[j]
    if lat.cls[j] == LETTER and word in "ai" and not inside:
        after = j + 1
        if not (
            after < lat.n
            and (lat.cls[after] == LETTER or (is_numeric(lat, after) and lat.raw[j].isupper()))
        ):
            return None
    for step in letter_steps(lat, j, True):
        if step.symbols != "\x00" and (word not in vocab.LETTER_NAMES or inside):
            return step
    if _caps(lat, j):
        return Step(j + 1, word, "as written")
    after = j + 1
    if lat.cls[j] == OTHER and word.isalpha() and len(word) <= 4:
        if after < lat.n and lat.cls[after] == FIGURE and lat.pre[after] in ("", "-"):
            return Step(j + 1, word, "as written")
        if inside and lat.pre[j] in ("", "-") and lat.cls[j - 1] == FIGURE:
            return Step(j + 1, word, "as written")
    return None


__all__ = ["HUNDRED", "ONE", "SCALE", "TEEN", "TENS", "Hit", "Run", "accept", "runs"]
