"""Words of two texts aligned: which pairs are equal, different, missing or added, and the counts that follow."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

Op = Literal["hit", "substitution", "deletion", "insertion"]


@dataclass(frozen=True, slots=True)
class EditCounts:
    """Words equal, different, only in `ref`, only in `hyp`. Counts of several texts add with ``+``."""

    hits: int = 0
    substitutions: int = 0
    deletions: int = 0
    insertions: int = 0

    def __add__(self, other: EditCounts) -> EditCounts:
        if not isinstance(other, EditCounts):
            return NotImplemented
        return EditCounts(
            self.hits + other.hits,
            self.substitutions + other.substitutions,
            self.deletions + other.deletions,
            self.insertions + other.insertions,
        )

    def __radd__(self, other: object) -> EditCounts:
        """So that ``sum`` over counts works."""
        return self if other == 0 else NotImplemented

    @property
    def ref_words(self) -> int:
        return self.hits + self.substitutions + self.deletions

    @property
    def hyp_words(self) -> int:
        return self.hits + self.substitutions + self.insertions

    @property
    def errors(self) -> int:
        return self.substitutions + self.deletions + self.insertions

    @property
    def word_error_rate(self) -> float:
        """Errors over words of `ref`; NaN without any. It exceeds 1 where much was inserted."""
        return self.errors / self.ref_words if self.ref_words else math.nan


class Pair(NamedTuple):
    """One step of an alignment: indices into `ref` and `hyp`, None on the side that has no word."""

    op: Op
    ref: int | None
    hyp: int | None


@dataclass(frozen=True, slots=True)
class Alignment:
    """Ordered pairs of the words of `ref` and `hyp`, with the fewest edits."""

    ref: tuple[str, ...]
    hyp: tuple[str, ...]
    pairs: tuple[Pair, ...]

    @property
    def counts(self) -> EditCounts:
        ops = [pair.op for pair in self.pairs]
        return EditCounts(
            ops.count("hit"),
            ops.count("substitution"),
            ops.count("deletion"),
            ops.count("insertion"),
        )

    @property
    def word_error_rate(self) -> float:
        return self.counts.word_error_rate

    def differences(self) -> Iterator[tuple[Op, tuple[str, ...], tuple[str, ...]]]:
        """Stretches of neighbouring edits: the kind of the first edit, the words of `ref` and those of `hyp`."""
        ref: list[str] = []
        hyp: list[str] = []
        first: Op | None = None
        for op, r, h in (*self.pairs, Pair("hit", None, None)):
            if op == "hit":
                if first is not None:
                    yield first, tuple(ref), tuple(hyp)
                ref, hyp, first = [], [], None
                continue
            first = first or op
            if r is not None:
                ref.append(self.ref[r])
            if h is not None:
                hyp.append(self.hyp[h])


def align_words(ref: Sequence[str] | str, hyp: Sequence[str] | str) -> Alignment:
    """Align two texts word by word with the fewest substitutions, deletions and insertions.

    Parameters
    ----------
    ref, hyp : sequence of str, or str
        The words as they are to be compared; a string is cut at whitespace. Nothing is normalised
        here: pass both through `normalize_words` first where case, punctuation and ways of writing
        numbers must not count.

    Returns
    -------
    Alignment
        Its ``counts`` are those of the Levenshtein distance, so they are the same whichever of several best
        alignments is shown.
    """
    from rapidfuzz.distance import Levenshtein

    a = tuple(ref.split()) if isinstance(ref, str) else tuple(ref)
    b = tuple(hyp.split()) if isinstance(hyp, str) else tuple(hyp)
    pairs: list[Pair] = []
    for block in Levenshtein.opcodes(a, b):
        tag, i0, i1, j0, j1 = (
            block.tag,
            block.src_start,
            block.src_end,
            block.dest_start,
            block.dest_end,
        )
        if tag == "equal":
            pairs += [Pair("hit", i, j) for i, j in zip(range(i0, i1), range(j0, j1), strict=True)]
        elif tag == "replace":
            pairs += [
                Pair("substitution", i, j)
                for i, j in zip(range(i0, i1), range(j0, j1), strict=True)
            ]
        elif tag == "delete":
            pairs += [Pair("deletion", i, None) for i in range(i0, i1)]
        else:
            pairs += [Pair("insertion", None, j) for j in range(j0, j1)]
    return Alignment(a, b, tuple(pairs))


__all__ = ["Alignment", "EditCounts", "Pair", "align_words"]
