"""Digit strings and codes: the expected symbols are walked over the lattice, one reading step at a time.

A walk gives the value; the edges decide whether it is the whole of what was said. At each edge the neighbour is *clean*
(no symbol of the run), *soft* (a symbol behind a pause, or a lone letter: may belong to the run), or *hard* (goes on).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from s2sverify.text import vocabulary as vocab
from s2sverify.text.lattice import Lattice
from s2sverify.text.numbers import chunks, is_thing, numbers
from s2sverify.text.repairs import repair_at, repairs
from s2sverify.text.vocabulary import (
    FIGURE,
    LAST_NUMERIC,
    LETTER,
    OH,
    ORDINAL_FIGURE,
    OTHER,
    SYMBOL,
    TIMES,
    words,
)

CLEAN, SOFT, HARD = 0, 1, 2


class Hit(NamedTuple):
    """Atoms ``[start, end)`` read as the value; `doubt` says what stands against it, "" where nothing does."""

    start: int
    end: int
    reading: str
    doubt: str = ""


class Step(NamedTuple):
    """Symbols read from some atom up to `end`."""

    end: int
    symbols: str
    style: str


class Run(NamedTuple):
    """A maximal run of symbols ``[start, end)`` and one way to read it."""

    start: int
    end: int
    symbols: str


LABELS = words(
    "pnr sku id pin otp ssn vin imei mrn rma po ups usps ref zip cvv iban url faq tv pc ok dob eta"
    " no nr num acct mr ms dr atm usa uk us am pm it is my"
)
_TELLING = vocab.PERCENT_WORDS | vocab.MONEY_WORDS | vocab.CLOCK_WORDS
_SKIPPED_IN_CODES = words(
    "capital uppercase lowercase upper lower case letter letters number numbers digit digits"
)
_SKIPPED_IN_RUNS = words("then extension ext")
_AS_IN = words("as for like")


# --------------------------------------------------------------------------------------------- edges


def crossing(lat: Lattice, i: int) -> bool:
    """Whether some number begins before atom `i` and goes on over it ("two hundred | and five")."""
    if i <= 0 or i >= lat.n:
        return False
    key = ("crossing", i)
    kept: bool | None = lat.memo.get(key)
    if kept is None:
        kept = lat.memo[key] = _crosses(lat, i)
    return kept


def _crosses(lat: Lattice, i: int) -> bool:
    if not (
        lat.numeric(i) or lat.text[i] in ("and", "point", "dot", "half", "quarter", "over", "a")
    ):
        return False
    for k in range(i - 1, max(-1, i - 16), -1):
        if lat.numeric(k):
            inside = lat.numeric(k - 1) and lat.close(
                k
            )  # only a number that begins there counts in two halves
            if any(n.end > i and not (inside and n.style == "pairs") for n in numbers(lat, k)):
                return True
        elif lat.text[k] == "a" and k + 1 < lat.n and lat.numeric(k + 1):
            return any(n.end > i for n in numbers(lat, k))
        elif lat.text[k] not in ("and", "point", "minus", "negative"):
            return False
    return False


def pause(gap: str) -> bool:
    """Whether the speaker paused here, as far as punctuation tells."""
    return " " in gap and (any(c in gap for c in ",.;:?!") or " - " in gap or gap.endswith(" ("))


def typed_ahead(lat: Lattice, j: int, *, counts: bool = True) -> bool:
    """Whether the number at `j` says itself what it is.

    An amount, a percentage, a clock time do, and with `counts` a number of things.
    """
    if j >= lat.n:
        return False
    key = ("typed", j, counts)
    kept: bool | None = lat.memo.get(key)
    if kept is None:
        kept = lat.memo[key] = _is_typed(lat, j, counts)
    return kept


def _is_typed(lat: Lattice, j: int, counts: bool) -> bool:
    if lat.text[j] in vocab.MONEY_WORDS or lat.cls[j] == ORDINAL_FIGURE:
        return True
    if not lat.numeric(j):
        return False
    after = j + 1
    if (
        lat.cls[j] == FIGURE
        and after < lat.n
        and lat.cls[after] == FIGURE
        and lat.pre[after] == ":"
    ):
        in_run = j > 0 and lat.numeric(j - 1) and lat.close(j)
        return not in_run and not (lat.numeric(after + 1) and lat.close(after + 1))
    for n in numbers(lat, j):
        end = n.end
        if end >= lat.n or pause(lat.pre[end]):
            continue
        word = lat.text[end]
        if word in _TELLING or word in vocab.MONTHS:
            return True
        if lat.word_at(end + 1).startswith("dollar") and word in (
            "us",
            "american",
            "canadian",
            "australian",
        ):
            return True
        if lat.says(end, "per", "cent") or lat.says(end, "a", "m") or lat.says(end, "p", "m"):
            return True
        if counts and n.value == 1 and _is_one_thing(lat, end):
            return True
        spelled = n.style == "digits" or (
            lat.cls[j] == FIGURE and (lat.text[j][0] == "0" or len(lat.text[j]) > 3)
        )
        if counts and not spelled and is_thing(lat, end):
            return True
    return False


_ONE_THINGS = words(
    "moment second sec minute more last other thing of final quick question person child"
)


def _is_one_thing(lat: Lattice, i: int) -> bool:
    """Whether "one" before atom `i` counts a single thing, or is a way of speaking ("one moment")."""
    word = lat.word_at(i)
    return (word in _ONE_THINGS or word + "s" in vocab.PLURALS) and not lat.pre[i].strip(" ")


def right_edge(lat: Lattice, j: int, *, letters: bool) -> int:
    """How cleanly a run of symbols ends before atom `j`."""
    if j >= lat.n:
        return CLEAN
    gap, cls, word = lat.pre[j], lat.cls[j], lat.text[j]
    if lat.numeric(j) or (cls == TIMES and chunks(lat, j)):
        if cls == OH and "," in gap and not (lat.numeric(j + 1) and lat.close(j + 1)):
            return CLEAN
        if " " in gap and typed_ahead(lat, j) and not crossing(lat, j):
            return CLEAN
        return SOFT if pause(gap) else HARD
    if crossing(lat, j) or (cls == TIMES and letters and any(letter_steps(lat, j, False))):
        return HARD
    if " " not in gap:
        return _glued_right(lat, j, letters)
    if word in vocab.PERCENT_WORDS or lat.says(j, "per", "cent"):
        return HARD
    if word in vocab.CLOCK_WORDS or lat.says(j, "a", "m") or lat.says(j, "p", "m"):
        return SOFT
    if letters and word in _SKIPPED_IN_CODES and j + 1 < lat.n and _is_symbol(lat, j + 1):
        return HARD
    if letters and word in _AS_IN and any(step.end > j for step in letter_steps(lat, j - 1, False)):
        return HARD
    if lat.numeric(j + 1) and lat.close(j) and lat.close(j + 1):
        if word in vocab.DIGIT_HOMOPHONES:
            return CLEAN if typed_ahead(lat, j + 1) else HARD
        if word in ("point", "dot", "dash", "hyphen", "slash"):
            return HARD
        if word == "then":
            return SOFT
    if cls == LETTER or word in vocab.NATO or word in vocab.LETTER_NAMES:
        return _letter_edge(lat, j, j + 1, gap, letters)
    if letters and word in _SELDOM_WORDS and lat.close(j):
        return SOFT
    return SOFT if letters and lat.close(j) and _capitals(lat, j) else CLEAN


_SELDOM_WORDS = words("eye aye pea tea sea")  # behind a run, letters rather than words


def _glued_right(lat: Lattice, j: int, letters: bool) -> int:
    gap, cls, word = lat.pre[j], lat.cls[j], lat.text[j]
    if cls == LETTER:
        return CLEAN if gap == "'" and word == "s" else HARD
    if cls == ORDINAL_FIGURE:
        return HARD
    if cls == SYMBOL:
        return HARD if word in "%°¢@_" else SOFT
    if not gap:
        return SOFT if word in vocab.CLOCK_WORDS else HARD
    if gap == "-":
        return HARD if letters else SOFT
    return HARD if gap == "." else CLEAN


def left_edge(lat: Lattice, i: int, *, letters: bool) -> int:
    """How cleanly a run of symbols begins at atom `i`."""
    if i == 0:
        return CLEAN
    p, gap = i - 1, lat.pre[i]
    cls, word = lat.cls[p], lat.text[p]
    if lat.numeric(p):
        if cls == OH and "," in gap and not lat.numeric(p - 1):
            return SOFT
        if not pause(gap):
            return HARD
        return CLEAN if _typed_behind(lat, p) and not crossing(lat, i) else SOFT
    if cls == TIMES and (lat.numeric(i) or lat.cls[i] == LETTER):
        return HARD
    if crossing(lat, i):
        return HARD
    if " " not in gap:
        return _glued_left(lat, i, letters)
    if lat.numeric(p - 1) and lat.close(p) and lat.close(i):
        if word in vocab.DIGIT_HOMOPHONES or word in ("point", "dot", "dash", "hyphen", "slash"):
            return HARD
        if word == "then":
            return SOFT
    if _spelling_reaches(lat, i):
        return HARD if letters else SOFT
    if cls == LETTER or word in vocab.NATO or word in vocab.LETTER_NAMES:
        return _letter_edge(lat, p, p - 1, gap, letters)
    if lat.close(i) and _capitals(lat, p):
        return HARD if letters else SOFT
    return SOFT if letters and word in vocab.LETTER_HOMOPHONES and _introduced(lat, p) else CLEAN


def _glued_left(lat: Lattice, i: int, letters: bool) -> int:
    gap, cls = lat.pre[i], lat.cls[i - 1]
    if cls == SYMBOL:
        return HARD if lat.text[i - 1] in "%@_°" else CLEAN
    if cls in (LETTER, ORDINAL_FIGURE):
        return HARD if gap in ("", "-", ".", "/") else CLEAN
    if cls == TIMES or gap == "":
        return HARD
    if gap in ("-", ".", "/"):
        return HARD if letters else SOFT
    return CLEAN


def _letter_edge(lat: Lattice, at: int, beyond: int, gap: str, letters: bool) -> int:
    """A letter or a spelling word beside a run: part of it, unless an article, a pronoun, a name."""
    word, cls = lat.text[at], lat.cls[at]
    neighbour = 0 <= beyond < lat.n and lat.close(max(at, beyond)) and _is_symbol(lat, beyond)
    if word in ("a", "i") and not neighbour:
        return SOFT if letters and _is_spelled(lat, at, beyond) else CLEAN
    if cls != LETTER:
        return SOFT if (neighbour or letters) and not pause(gap) else CLEAN
    if pause(gap):
        return SOFT if letters or beyond < at else CLEAN
    return HARD if letters else SOFT


def _is_spelled(lat: Lattice, at: int, beyond: int) -> bool:
    """Whether "a" or "i" beside a run is a letter of it and no article or pronoun."""
    if any(step.style == "as in word" for step in letter_steps(lat, at, True)):
        return True
    capital = lat.raw[at].isupper() and not lat.shouted
    if beyond > at:  # behind the run: an article needs a noun
        if "." in lat.pre[at]:
            return False
        return beyond >= lat.n or pause(lat.pre[beyond]) or (capital and lat.text[at] == "a")
    if lat.text[at] == "i" or lat.numeric(at + 1):
        return True
    starts = at == 0 or "." in lat.pre[at]
    if lat.cls[at + 1] == LETTER and lat.raw[at].isupper() == lat.raw[at + 1].isupper():
        return True
    return capital and not starts and lat.text[at] == "a"


def _is_symbol(lat: Lattice, i: int) -> bool:
    return (
        lat.numeric(i)
        or lat.cls[i] == LETTER
        or lat.text[i] in vocab.NATO
        or lat.text[i] in vocab.LETTER_NAMES
    )


def _spelling_reaches(lat: Lattice, i: int) -> bool:
    """Whether "B as in boy" or "B for Bravo" ends right before atom `i`, or goes on over it."""
    return any(
        step.style == "as in word" and step.end >= i
        for k in range(max(0, i - 5), i)
        for step in letter_steps(lat, k, True)
    )


def _typed_behind(lat: Lattice, p: int) -> bool:
    """Whether the number that ends with atom `p` is the day of a date ("May 13, ...")."""
    return p > 0 and (
        lat.text[p - 1] in vocab.MONTHS or (p > 1 and lat.text[p - 2] in vocab.MONTHS)
    )


def _capitals(lat: Lattice, i: int) -> bool:
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


# --------------------------------------------------------------------------------------------- steps


def letter_steps(lat: Lattice, i: int, first: bool) -> Iterator[Step]:
    """Letters that atoms from `i` on stand for, with a spelling word after them skipped ("B as in boy")."""
    word, cls = lat.text[i], lat.cls[i]
    if cls == LETTER or word == "o":
        if word == "x" and lat.says(i + 1, "ray"):
            yield Step(i + 2, "x", "spelling words")
        yield from _with_word(lat, word, i + 1, "letters")
    elif cls == TIMES and i + 1 < lat.n:
        after = lat.text[i + 1]
        if word == "double" and after in ("u", "you"):
            yield from _with_word(lat, "w", i + 2, "letter names")
        letter = after if lat.cls[i + 1] == LETTER else vocab.LETTER_NAMES.get(after)
        if letter:
            yield Step(i + 2, letter * lat.val[i], "double")
    elif word in vocab.LETTER_NAMES and (lat.shouted or not lat.raw[i].isupper()):
        style = _ONE_OR_TWO if _is_glued_word(lat, i) else "letter names"
        yield from _with_word(lat, vocab.LETTER_NAMES[word], i + 1, style)
    elif word in vocab.NATO:
        yield Step(i + 1, vocab.NATO[word], "spelling words")
    elif word in vocab.LETTER_HOMOPHONES and (not first or _introduced(lat, i)):
        yield from _with_word(lat, vocab.LETTER_HOMOPHONES[word], i + 1, "letter names")


_INTRODUCING = words(
    "is code reference number as it's that's under ref id letter letters pnr sku serial enter quote mention"
    " use dial type say spell flight order booking ticket"
)


def _introduced(lat: Lattice, i: int) -> bool:
    """Whether a word that sounds like a letter stands where a spelling begins."""
    after = i + 1
    if after >= lat.n or not lat.close(after):
        return False
    if not (lat.numeric(after) or any(letter_steps(lat, after, False))):
        return False
    return i == 0 or lat.text[i - 1] in _INTRODUCING or pause(lat.pre[i])


def _with_word(lat: Lattice, letter: str, end: int, style: str) -> Iterator[Step]:
    """The letter alone, or with "as in WORD", "for WORD", "like WORD"; a word that begins otherwise spoils it."""
    how = lat.word_at(end)
    if vocab.NATO.get(how) == letter and lat.near(end):  # "B Bravo"
        yield Step(end + 1, letter, "spelling words")
    if how in _AS_IN:
        k = end + 1
        if lat.word_at(k) == "in":
            k += 1
        if lat.word_at(k) in ("a", "an", "the") and k + 1 < lat.n:
            k += 1
        if lat.says(k, "x", "ray"):
            yield Step(k + 2, letter if letter == "x" else "\x00", "as in word")
            return
        if k < lat.n and len(lat.text[k]) > 1 and lat.cls[k] not in (FIGURE, SYMBOL):
            fits = lat.text[k][0] == letter
            if fits or how == "as":
                yield Step(k + 1, letter if fits else "\x00", "as in word")
                return
    yield Step(end, letter, style)


def walk(lat: Lattice, start: int, target: str, *, letters: bool) -> Iterator[tuple[int, str, str]]:
    """Ways to read `target` (lower case, "o" written 0) from atom `start`: (end, reading, doubt)."""
    seen: set[tuple[int, int]] = set()
    stack: list[tuple[int, int, str, int]] = [(start, 0, "", 0)]
    size, n, taken_back = len(target), lat.n, repairs(lat)
    while stack:
        j, k, style, dots = stack.pop()
        if k == size:
            yield j, style, _doubt(lat, start, j, style, dots)
            continue
        if j >= n or (j, k) in seen:
            continue
        seen.add((j, k))
        if k:
            gap = lat.pre[j]
            if "?" in gap or "!" in gap or (pause(gap) and typed_ahead(lat, j, counts=False)):
                continue
            dots += gap == "." and lat.cls[j] == FIGURE and lat.cls[j - 1] == FIGURE
        for step in _symbol_steps(lat, j, target, k, letters):
            stack.append((step.end, k + len(step.symbols), _add(style, step.style), dots))
        if k and _is_idle(lat, j, letters):
            pointed = lat.text[j] in ("point", "dot") and not letters
            stack.append((j + 1, k, style, dots + pointed))
        if k and taken_back and "repaired" not in style:
            for end in _behind_repair(lat, j):
                stack += [(end, k - r, _add(style, "repaired"), dots) for r in range(min(k, 4))]


def _doubt(lat: Lattice, start: int, end: int, style: str, dots: int) -> str:
    """What stands against a reading of ``[start, end)`` in itself."""
    if "repaired" in style:
        return "a self-correction"
    if _ONE_OR_TWO in style:
        return "one letter or two"
    if "homophones" in style and (
        _sounds_like_digit(lat, start) or _sounds_like_digit(lat, end - 1)
    ):
        return "a word at the edge that sounds like a digit"
    return "written with a point" if dots == 1 else ""


def _symbol_steps(lat: Lattice, j: int, target: str, k: int, letters: bool) -> Iterator[Step]:
    """Steps at atom `j` that give the next symbols of `target` from its symbol `k` on."""
    for chunk in chunks(lat, j):
        if target.startswith(chunk.digits, k):
            yield Step(*chunk)
    word = lat.text[j]
    if target[k] == vocab.DIGIT_HOMOPHONES.get(word) and _beside_digit(lat, j):
        yield Step(j + 1, target[k], "homophones")
    if letters:
        for step in letter_steps(lat, j, k == 0):
            if target.startswith(step.symbols.replace("o", "0"), k):
                yield step
        capitals = len(word) > 1 and lat.raw[j].isupper() and not lat.shouted  # "OH5574" is no zero
        written = (lat.cls[j] == OTHER or capitals) and word.isalpha()
        if written and target.startswith(word.replace("o", "0"), k) and not _names_letter(lat, j):
            named = (
                word in vocab.LETTER_NAMES
                and not lat.raw[j].isupper()
                and not _is_glued_word(lat, j)
            )
            yield Step(j + 1, word, _ONE_OR_TWO if named else "as written")


def _is_glued_word(lat: Lattice, j: int) -> bool:
    """Whether figures stand right behind the letters at `j` ("es987"), so that they are written, not named."""
    return j + 1 < lat.n and lat.cls[j + 1] == FIGURE and not lat.apart(j + 1)


_ONE_OR_TWO = "one letter or two"  # "em 919" is M919 rather than EM919, "em919" the other way round
_LETTER_WORDS = vocab.LETTER_NAMES.keys() | vocab.LETTER_HOMOPHONES.keys()


def _names_letter(lat: Lattice, j: int) -> bool:
    """Whether "em" or "ee" at `j` is the name of a letter, as its neighbours are letters too."""
    if lat.text[j] not in vocab.LETTER_NAMES or lat.raw[j].isupper():
        return False
    return any(
        0 <= k < lat.n and (lat.cls[k] == LETTER or lat.text[k] in _LETTER_WORDS)
        for k in (j - 1, j + 1)
    )


def _is_idle(lat: Lattice, j: int, letters: bool) -> bool:
    """Whether atom `j` says no symbol where it stands inside a run ("dash", "then", "the letter")."""
    word = lat.text[j]
    if word in vocab.SEPARATOR_WORDS or word in _SKIPPED_IN_RUNS:
        return lat.word_at(j - 1) != word
    if not letters:
        return word == "x"
    return word in _SKIPPED_IN_CODES or (word == "the" and lat.word_at(j + 1) in _SKIPPED_IN_CODES)


def _behind_repair(lat: Lattice, j: int) -> Iterator[int]:
    """Where a run goes on behind words of repair at atom `j`, or behind one wrong step and such words."""
    end = repair_at(lat, j)
    if end:
        yield end
    else:
        for chunk in chunks(lat, j):
            end = repair_at(lat, chunk.end)
            if end:
                yield end


def _add(style: str, more: str) -> str:
    if not style or style == more:
        return more
    return style if more in style.split(" + ") else f"{style} + {more}"


def _sounds_like_digit(lat: Lattice, j: int) -> bool:
    return lat.text[j] in vocab.DIGIT_HOMOPHONES


def _beside_digit(lat: Lattice, j: int) -> bool:
    """Whether a word that sounds like a digit stands between digits, or between one and a pause."""
    before = lat.numeric(j - 1) and lat.close(j)
    after = lat.numeric(j + 1) and lat.close(j + 1)
    if before and after:
        return True
    if before:
        return j + 1 >= lat.n or pause(lat.pre[j + 1])
    return after and (j == 0 or pause(lat.pre[j]) or lat.text[j - 1] in _INTRODUCING)


# --------------------------------------------------------------------------------------------- acceptor and reader


def accept(lat: Lattice, target: str, *, letters: bool, code: bool = False) -> list[Hit]:
    """Where `target` is said as a whole run of symbols; in a `code` a letter beside figures belongs to them."""
    found: list[tuple[int, int, str, str]] = []
    for i in range(lat.n):
        if (
            not letters
            and not lat.numeric(i)
            and lat.cls[i] != TIMES
            and lat.text[i] not in vocab.DIGIT_HOMOPHONES
            and lat.text[i] != "a"
        ):
            continue
        if i and lat.text[i - 1] in ("minus", "negative"):
            continue
        found += [
            (i, end, reading, doubt)
            for end, reading, doubt in walk(lat, i, target, letters=letters)
        ]
    begins = {i for i, _, _, _ in found}
    ends = {end for _, end, _, _ in found}
    hits = []
    code = code or letters
    for i, end, reading, doubt in found:
        left, right = left_edge(lat, i, letters=code), right_edge(lat, end, letters=code)
        if left and i in ends and pause(lat.pre[i]):  # the same value said twice
            left = CLEAN
        if right and end in begins and pause(lat.pre[end]):
            right = CLEAN
        worst = max(left, right)
        if worst < HARD:
            hits.append(Hit(i, end, reading, doubt or ("neighbouring symbols" if worst else "")))
    return hits


def runs(lat: Lattice, *, letters: bool) -> list[Run]:
    """Every maximal run of symbols, each with all of its plausible readings, the plainest first."""
    key = ("runs", letters)
    kept: list[Run] | None = lat.memo.get(key)
    if kept is not None:
        return kept
    out: list[Run] = []
    i = 0
    while i < lat.n:
        if not _may_begin_run(lat, i, letters):
            i += 1
            continue
        readings = [("", i)]
        done: dict[tuple[str, int], None] = {}
        while readings:
            grown: dict[tuple[str, int], None] = {}
            for symbols, j in readings:
                steps = _run_steps(lat, j, letters, inside=bool(symbols))
                if len(symbols) > _LONGEST_RUN:
                    steps = []
                for step in steps:
                    grown[(symbols + step.symbols, step.end)] = None
                if not steps and symbols:
                    done[(symbols, j)] = None
            readings = list(grown)[:_MOST_READINGS]
        end = max((j for _, j in done), default=i)
        if end == i:
            i += 1
            continue
        out += [Run(i, j, symbols.upper()) for symbols, j in done if j == end]
        i = end
    lat.memo[key] = out
    return out


def _may_begin_run(lat: Lattice, i: int, letters: bool) -> bool:
    """Whether a closer look at atom `i` is worth while: most words begin no run."""
    cls = lat.cls[i]
    if cls != OTHER:
        return cls <= LAST_NUMERIC or cls == TIMES or (letters and cls == LETTER)
    if not letters:
        return False
    if lat.raw[i].isupper() or lat.text[i] in vocab.NATO or lat.text[i] in vocab.LETTER_NAMES:
        return True
    return i + 1 < lat.n and lat.cls[i + 1] == FIGURE and not lat.apart(i + 1)


_MOST_READINGS = 12
_LONGEST_RUN = 128  # symbols; what goes on is a run of its own


def _run_steps(lat: Lattice, j: int, letters: bool, *, inside: bool) -> list[Step]:
    """Steps by which a run goes on at atom `j`, or begins there."""
    if j >= lat.n:
        return []
    gap, word = lat.pre[j], lat.text[j]
    if inside:
        if "?" in gap or "!" in gap or (pause(gap) and ("." in gap or typed_ahead(lat, j))):
            return []
        if " " in gap and lat.numeric(j) and typed_ahead(lat, j):
            return []
        if (
            word in vocab.DIGIT_HOMOPHONES
            and lat.numeric(j - 1)
            and lat.numeric(j + 1)
            and not typed_ahead(lat, j + 1)
        ):
            return [Step(j + 1, vocab.DIGIT_HOMOPHONES[word], "homophones")]
        if word in ("dash", "hyphen", "slash", "dot"):
            then = lat.word_at(j + 1)
            if (
                then
                and then not in vocab.SEPARATOR_WORDS
                and _run_steps(lat, j + 1, letters, inside=True)
            ):
                return [Step(j + 1, "", "")]
    found = [Step(*chunk) for chunk in chunks(lat, j)]
    if lat.cls[j] == OH and not inside and not (lat.numeric(j + 1) and lat.close(j + 1)):
        found = []
    if found or not letters:
        return found
    if lat.cls[j] == LETTER and word in "ai" and not (inside and lat.close(j)):
        after = j + 1
        if (
            after >= lat.n
            or not _is_symbol(lat, after)
            or (lat.numeric(after) and not lat.raw[j].isupper())
        ):
            return []
    steps = [s for s in letter_steps(lat, j, True) if s.symbols != "\x00"]
    if steps and (inside or lat.cls[j] == LETTER or (j + 1 < lat.n and _is_symbol(lat, j + 1))):
        return steps[:1]
    if _capitals(lat, j):
        return [Step(j + 1, word, "as written")]
    if lat.cls[j] == OTHER and word.isalpha() and len(word) <= 4:
        after = j + 1
        if after < lat.n and lat.cls[after] == FIGURE and lat.pre[after] in ("", "-"):
            return [Step(j + 1, word, "as written")]
        if (
            inside
            and gap in ("", "-")
            and lat.cls[j - 1] == FIGURE
            and word not in vocab.CLOCK_WORDS
        ):
            return [Step(j + 1, word, "as written")]
    return []


__all__ = [
    "CLEAN",
    "HARD",
    "SOFT",
    "Hit",
    "Run",
    "Step",
    "accept",
    "crossing",
    "left_edge",
    "letter_steps",
    "right_edge",
    "runs",
    "typed_ahead",
]
