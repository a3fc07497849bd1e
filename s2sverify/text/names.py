"""Names: letters as written or spelled, titles and accents aside, and spellings that sound alike."""

from __future__ import annotations

import re
from functools import lru_cache

from s2sverify.text.lattice import LETTER, Lattice, fold
from s2sverify.text.strings import Hit, letter_steps

TITLES = frozenset(["mr", "mrs", "ms", "miss", "mister", "missus", "dr", "doctor", "prof", "professor", "sir", "madam", "mx"])

_RULES = [
    (re.compile(pattern), to)
    for pattern, to in [
        (r"^(kn|gn|pn)", "n"), (r"^wr", "r"), (r"^ps", "s"), (r"^x", "s"), (r"^mc|^mac(?=[kcg])", "mak"),
        (r"tch", "C"), (r"sch", "S"), (r"gh(?=[aeiouy])", "g"), (r"(?<=[aeiou])gh", ""), (r"ch", "C"), (r"sh", "S"),
        (r"ph", "f"), (r"th", "T"), (r"wh", "w"), (r"ck", "k"), (r"dg(?=[eiy])", "j"), (r"c(?=[eiy])", "s"), (r"qu", "kw"),
        (r"[cq]", "k"), (r"x", "ks"), (r"z", "s"), (r"mb$", "m"), (r"(?<=[^aeiouy])le$", "al"), (r"(.)\1", r"\1"),
        (r"h(?![aeiouy])", ""),
        (r"ei(?=gh|n|l)|ai|ay|ey$|eigh", "1"), (r"ee|ea|ie|ey|i$|y$|e(?=y)", "2"), (r"oe|ow|oa|o$|ough", "3"), (r"oo|ou|ue|ew", "4"),
        (r"(?<=[^aeiouy1234])e$", ""), (r"y", "i"), (r"[aeou](?=[rln])(?!$)", "a"), (r"e(?=[rn]$)|o(?=[rn]$)|a(?=[rn]$)", "a"),
        (r"(.)\1", r"\1"),
    ]
]  # fmt: skip


@lru_cache(maxsize=8_192)
def sound(word: str) -> str:
    """A key that is equal for spellings of English names that are pronounced alike."""
    key = re.sub(r"[^a-z]", "", fold(word).lower())
    for pattern, to in _RULES:
        key = pattern.sub(to, key)
    return key


def parts_of(name: str) -> list[str]:
    """Letters of each part of a name, titles left out."""
    words = re.findall(r"[a-z']+", fold(name).lower())
    parts = [w.replace("'", "") for w in words if w.replace("'", "")]
    kept = [p for p in parts if p not in TITLES]
    return kept or parts


def accept_name(lat: Lattice, parts: list[str]) -> list[Hit]:
    """Where all parts of the name are said in order."""
    hits = []
    whole = "".join(parts)
    for i in range(lat.n):
        for end, style, doubt in _walk_parts(lat, i, parts):
            hits.append(Hit(i, end, style, doubt))
    del whole
    return hits


def _walk_parts(lat: Lattice, i: int, parts: list[str]) -> list[tuple[int, str, str]]:
    states: list[tuple[int, str, str]] = [(i, "", "")]
    for n, part in enumerate(parts):
        new: list[tuple[int, str, str]] = []
        for j, style, doubt in states:
            while n and j < lat.n and lat.text[j] in TITLES:
                j += 1
            for end, how, why in _one_part(lat, j, part):
                again = _respelled(lat, end, part)
                if again < 0:
                    continue
                new.append(
                    (again or end, how if how != "as written" or not style else style, doubt or why)
                )
        states = new
        if not states:
            break
    return states


def _one_part(lat: Lattice, j: int, part: str) -> list[tuple[int, str, str]]:
    out: list[tuple[int, str, str]] = []
    if j >= lat.n:
        return out
    joined = ""
    for k in range(j, min(lat.n, j + 3)):
        if lat.cls[k] == LETTER and len(part) > 1:
            break
        if k > j and joined and lat.cls[k] == LETTER:
            break
        joined += lat.text[k].replace("'", "")
        if len(joined) > len(part) + 3:
            break
        if joined == part or (joined == part + "s" and "'" in lat.text[k]):
            out.append((k + 1, "as written", ""))
            break
        if len(part) > 2 and len(joined) > 2 and sound(joined) == sound(part):
            out.append((k + 1, "sounds alike", ""))
            break
    spelled = _spelled(lat, j, part)
    if spelled:
        out.append((spelled, "spelled", ""))
    return out


def _spelled(lat: Lattice, j: int, part: str) -> int:
    """End of the letters of `part` said one by one from `j`, 0 where they are not."""
    stack, seen = [(j, 0)], set()
    while stack:
        at, k = stack.pop()
        if k == len(part):
            if (
                at < lat.n
                and lat.cls[at] == LETTER
                and lat.pre[at].strip(" ") in ("", "-")
                and at > j + 1
                and lat.text[at] != "a"
            ):
                continue
            return at
        if at >= lat.n or (at, k) in seen:
            continue
        seen.add((at, k))
        for step in letter_steps(lat, at, k == 0):
            if part.startswith(step.symbols, k):
                stack.append((step.end, k + len(step.symbols)))
    return 0


def _respelled(lat: Lattice, j: int, part: str) -> int:
    """A spelling that follows the name ("Dupov, D-U-P-O-V"): its end, 0 where there is none, -1 where it spells otherwise."""
    if j + 1 >= lat.n or lat.cls[j] != LETTER or lat.cls[j + 1] != LETTER:
        return 0
    return _spelled(lat, j, part) or -1
