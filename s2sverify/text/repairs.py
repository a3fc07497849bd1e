"""Words that take back what was just said ("four one, sorry, four two"), or deny a value ("not fifteen")."""

from __future__ import annotations

from s2sverify.text.lattice import Lattice
from s2sverify.text.vocabulary import words

_PHRASES = [
    tuple(phrase.split())
    for phrase in (
        "sorry", "i'm sorry", "i am sorry", "i mean", "no wait", "wait no", "wait", "hold on", "hang on", "correction",
        "actually", "rather", "or rather", "make that", "scratch that", "strike that", "excuse me", "pardon me",
        "let me correct that", "let me rephrase", "let me try that again", "let me start over", "my mistake", "my bad",
        "i meant", "i misspoke", "i should say", "my apologies", "apologies", "no no", "no it's", "no that's",
        "no i'm sorry", "no sorry", "not that", "oops", "whoops",
    )
]  # fmt: skip
_STARTS = frozenset(phrase[0] for phrase in _PHRASES)
_DENIALS = words("not isn't wasn't aren't never")
_BETWEEN = words("at on for the by in a until about exactly")


def repairs(lat: Lattice) -> list[tuple[int, int]]:
    """Every stretch of a text that takes back what stands before it: half-open ranges of atoms."""
    kept: list[tuple[int, int]] | None = lat.memo.get("repairs")
    if kept is None:
        kept = []
        for i, word in enumerate(lat.text):
            if kept and i < kept[-1][1]:
                continue
            ends = (
                [i + len(phrase) for phrase in _PHRASES if lat.says(i, *phrase)]
                if word in _STARTS
                else []
            )
            if not ends and word == "no" and i and _paused(lat, i) and _paused(lat, i + 1):
                ends = [i + 1]
            if ends:
                kept.append((i, max(ends)))
        lat.memo["repairs"] = kept
    return kept


def repair_at(lat: Lattice, i: int) -> int:
    """End of the words of repair that begin at atom `i`, 0 where none do."""
    starts: dict[int, int] | None = lat.memo.get("repair starts")
    if starts is None:
        starts = lat.memo["repair starts"] = dict(repairs(lat))
    return starts.get(i, 0)


def _paused(lat: Lattice, i: int) -> bool:
    return i < lat.n and any(c in lat.pre[i] for c in ",.;-")


def is_denied(lat: Lattice, i: int) -> bool:
    """Whether what begins at atom `i` is said not to be so ("not fifteen but fifty")."""
    k = i - 1
    if k >= 0 and lat.text[k] in _BETWEEN:
        k -= 1
    return k >= 0 and lat.text[k] in _DENIALS and not any(c in lat.pre[k + 1] for c in ",.;?!")


__all__ = ["is_denied", "repair_at", "repairs"]
