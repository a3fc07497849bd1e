"""Spoken prose to canonical words, so that two texts that say the same are compared as the same.

"You're all set,
that's $48" and "you are all set that is forty-eight dollars" give equal lists. Meant for word error rates;
whether one value was said is the question of `s2sverify.text.entities`.
"""

from __future__ import annotations

from s2sverify.text import amounts, clock, dates
from s2sverify.text import vocabulary as vocab
from s2sverify.text.lattice import Lattice
from s2sverify.text.numbers import chunks, decimals, ordinals, place
from s2sverify.text.vocabulary import FIGURE, LETTER, OH, ONE, SYMBOL

_CONTRACTIONS = {
    "can't": "can not", "cannot": "can not", "won't": "will not", "shan't": "shall not", "ain't": "is not",
    "let's": "let us", "y'all": "you all", "ma'am": "madam", "o'clock": "o'clock", "gonna": "going to",
    "wanna": "want to", "gotta": "got to", "gimme": "give me", "lemme": "let me",
    "kinda": "kind of", "dunno": "do not know",
    "okay": "ok", "alright": "all right", "mister": "mr", "missus": "mrs", "doctor": "dr", "colour": "color",
    "favourite": "favorite", "favour": "favor", "honour": "honor", "neighbour": "neighbor", "labour": "labor",
    "centre": "center", "theatre": "theater", "metre": "meter", "metres": "meters",
    "litre": "liter", "litres": "liters",
    "cheque": "check", "cancelled": "canceled", "cancelling": "canceling",
    "travelling": "traveling", "travelled": "traveled",
    "traveller": "traveler", "organise": "organize", "organised": "organized", "apologise": "apologize",
    "recognise": "recognize", "realise": "realize", "finalise": "finalize", "authorise": "authorize",
    "authorised": "authorized", "grey": "gray", "programme": "program", "catalogue": "catalog", "licence": "license",
    "enquiry": "inquiry", "enquire": "inquire", "behaviour": "behavior", "tonne": "ton", "tonnes": "tons",
    "e-mail": "email", "til": "until", "till": "until", "'til": "until", "ya": "you", "yeah": "yes", "yep": "yes",
    "yup": "yes", "thanks": "thank you", "'cause": "because", "cos": "because", "colours": "colors",
}  # fmt: skip
_TAILS = {"'re": "are", "'ve": "have", "'ll": "will", "'d": "would", "'m": "am"}
_IS_BEFORE_S = frozenset(
    [
        "it",
        "that",
        "there",
        "here",
        "what",
        "who",
        "where",
        "when",
        "how",
        "he",
        "she",
        "this",
        "everything",
        "nothing",
        "something",
        "everyone",
        "that's",
    ]
)
_SYMBOLS = {"%": "percent", "@": "at", "&": "and", "+": "plus", "°": "degrees", "_": "underscore"}
_UNITS = {
    "USD": "dollars",
    "GBP": "pounds",
    "EUR": "euros",
    "INR": "rupees",
    "JPY": "yen",
    "CNY": "yuan",
}


def normalize_words(text: str) -> list[str]:
    """Turn prose, as spoken or as written, into the words it is compared by.

    Case, punctuation, accents and fillers go; contractions are written out; numbers, amounts, percentages,
    clock times and days of a month become figures whichever way they were said; single letters in a row are
    joined ("B D" and "BD"); British spellings take the American form.

    Parameters
    ----------
    text : str
        Any text.

    Returns
    -------
    list of str
        Lower-case words. Normalising them again changes nothing.
    """
    words = text.split()
    for _ in range(8):
        new = _once(words)
        if new == words:
            break
        words = new
    return words


def _once(words: list[str]) -> list[str]:
    return [word for word, _, _ in words_with_atoms(Lattice(words))]


def words_with_atoms(lat: Lattice) -> list[tuple[str, int, int]]:
    """Canonical words of a text, each with the atoms it stands for."""
    kept: list[tuple[str, int, int]] | None = lat.memo.get("canonical words")
    if kept is not None:
        return kept
    spans = _typed(lat)
    out: list[tuple[str, int, int]] = []
    i = 0
    while i < lat.n:
        typed = spans.get(i)
        said: list[str] = []
        if typed is not None:
            end, said = typed
        else:
            end = _number(lat, i, said) or _word(lat, i, said)
        out += [(word, i, end) for word in said]
        i = end
    lat.memo["canonical words"] = out
    return out


def _typed(lat: Lattice) -> dict[int, tuple[int, list[str]]]:
    """Amounts, percentages, times and dates: start -> (end, words)."""
    found: list[tuple[int, int, list[str]]] = []
    for r in amounts.maximal(amounts.money(lat)):
        if (r.unit or r.style == "cents") and not r.doubt:
            unit = _UNITS.get(r.unit or "USD", r.unit.lower())
            found.append((r.start, r.end, [f"{_plain(r.value)}", unit]))
    for r in amounts.maximal(amounts.percent(lat)):
        found.append((r.start, r.end, [_plain(r.value), "percent"]))
    for c in clock.clocks(lat):
        if c.half in ("am", "pm") and 1 <= c.hour <= 12:
            found.append((c.start, c.end, [f"{c.hour}:{c.minute:02d}", c.half]))
    for d in dates.days(lat, day_first=False):
        if d.month and d.day and d.style == "month first":
            month = vocab.MONTH_NAMES[d.month - 1].lower()
            year = [str(d.year)] if d.year is not None and d.year >= 1000 else []
            if d.year is None or year:
                found.append((d.start, d.end, [month, str(d.day), *year]))
    found.sort(key=lambda f: (f[0] - f[1], f[0]))
    out: dict[int, tuple[int, list[str]]] = {}
    taken: set[int] = set()
    for start, end, said in found:
        atoms = range(start, end)
        if taken.isdisjoint(atoms):
            taken.update(atoms)
            out[start] = (end, said)
    return out


def _plain(value: object) -> str:
    text = f"{value:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _number(lat: Lattice, i: int, out: list[str]) -> int:
    """Write the number at `i` in figures; 0 where there is none."""
    fine = ordinals(lat, i)
    whole = place(lat, i) if lat.numeric(i) else []
    if fine and max(n.end for n in fine) > max((n.end for n in whole), default=0):
        best = max(fine, key=lambda n: n.end)
        value = int(best.value)
        tail = (
            "th"
            if value % 100 in (11, 12, 13)
            else {1: "st", 2: "nd", 3: "rd"}.get(value % 10, "th")
        )
        out.append(f"{value}{tail}")
        return best.end
    if not lat.numeric(i) and not (lat.text[i] == "a" and place(lat, i)):
        return 0
    if lat.cls[i] == OH and not (i + 1 < lat.n and lat.numeric(i + 1)):
        return 0
    broken = [n for n in decimals(lat, i) if n.style in ("figures", "point", "scaled")]
    longest = max(broken, key=lambda n: n.end, default=None)
    if longest is not None and longest.end > max((n.end for n in place(lat, i)), default=i):
        out.append(_plain(longest.value))
        return longest.end
    if lat.text[i] == "a":
        best = max(place(lat, i), key=lambda n: n.end)
        out.append(_plain(best.value))
        return best.end
    digits, j = "", i
    while j < lat.n and lat.numeric(j) and (j == i or lat.pre[j].strip(" -,") == ""):
        if (
            j > i
            and lat.cls[j] == FIGURE
            and lat.cls[j - 1] == FIGURE
            and lat.pre[j] == " "
            and len(digits) > 15
        ):
            break
        step = chunks(lat, j)
        if lat.cls[j] == FIGURE and j == i:
            grouped = max((n.end for n in place(lat, j)), default=j + 1)
            if grouped > j + 1:
                best = max(place(lat, j), key=lambda n: n.end)
                digits, j = digits + _plain(best.value), best.end
                continue
        if not step:
            break
        longest_step = max(step, key=lambda c: c.end)
        digits, j = digits + longest_step.digits, longest_step.end
    if not digits:
        return 0
    out.append(digits)
    return j


def _word(lat: Lattice, i: int, out: list[str]) -> int:
    text = lat.text[i]
    if lat.cls[i] == LETTER or (lat.cls[i] == OH and text == "o"):
        j, letters = i, ""
        while (
            j < lat.n
            and (lat.cls[j] == LETTER or lat.text[j] == "o")
            and (j == i or lat.close(j) or lat.pre[j] == ".")
        ):
            letters += lat.text[j]
            j += 1
        if len(letters) > 1 and letters not in ("ai", "ia"):
            out.append(letters)
            return j
        out.append(text)
        return i + 1
    if lat.cls[i] == SYMBOL:
        word = _SYMBOLS.get(text)
        if word:
            out.append(word)
        return i + 1
    known = _CONTRACTIONS.get(text)
    if known is not None:
        out.extend(known.split())
        return i + 1
    if "'" in text:
        head, _, tail = text.partition("'")
        if text.endswith("n't") and len(text) > 3:
            out.extend([text[:-3], "not"])
        elif "'" + tail in _TAILS and head:
            out.extend([head, _TAILS["'" + tail]])
        elif tail == "s" and head in _IS_BEFORE_S:
            out.extend([head, "is"])
        else:
            out.append(text.replace("'", ""))
        return i + 1
    if text == "per" and lat.text[i + 1 : i + 2] == ["cent"]:
        out.append("percent")
        return i + 2
    out.append(text)
    return i + 1


__all__ = ["ONE", "normalize_words"]
