"""Counts behind an error floor: what became of values, of words and of silence. Counts add; rates follow from them."""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Self

from s2sverify.errors import InputError
from s2sverify.types import Outcome

_ENOUGH_SENTENCES = (
    100  # a word distribution of fewer is taken from composed turns, where those are more
)
_LENGTHS = (0.8, 1.25)  # sentences of this share of a turn's length speak for it
_OUTCOMES = ("spoken", "different", "absent", "ambiguous")


@dataclass(frozen=True, slots=True)
class KindCounts:
    """What became of `n` values that were spoken, and of the near misses of them that were not.

    ``n`` is the sum of ``spoken``, ``different``, ``absent`` and ``ambiguous``: the outcomes of looking the
    true value up in the transcript. ``partners`` of them have a near miss that nobody spoke;
    ``partner_accepted`` counts those that would have been taken as spoken, ``partner_heard`` those in whose
    transcript exactly the near miss stands in place of the value.
    """

    n: int = 0
    spoken: int = 0
    different: int = 0
    absent: int = 0
    ambiguous: int = 0
    partners: int = 0
    partner_accepted: int = 0
    partner_heard: int = 0

    def __post_init__(self) -> None:
        for name in self.__slots__:
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < 0:
                raise InputError(f"{name} must be a count, got {value!r}")
        total = self.spoken + self.different + self.absent + self.ambiguous
        if total != self.n:
            raise InputError(f"n must be the sum of the outcomes, got {self.n} and {total}")
        if max(self.partner_accepted, self.partner_heard) > self.partners or self.partners > self.n:
            raise InputError(
                f"partners must be at most n={self.n} and at least what was accepted and heard of them, "
                f"got {self.partners}, {self.partner_accepted}, {self.partner_heard}"
            )

    def __add__(self, other: KindCounts) -> KindCounts:
        if not isinstance(other, KindCounts):
            return NotImplemented
        return KindCounts(*(getattr(self, s) + getattr(other, s) for s in self.__slots__))

    def of(self, outcome: str | Outcome) -> int:
        """How many values had this outcome.

        Raises
        ------
        InputError
            If `outcome` is none of spoken, different, absent, ambiguous.
        """
        name = str(outcome)
        if name not in _OUTCOMES:
            raise InputError(f"outcome must be one of {', '.join(_OUTCOMES)}, got {name!r}")
        count: int = getattr(self, name)
        return count

    def rate(self, outcome: str | Outcome) -> float:
        """Share of the values with this outcome; NaN over nothing."""
        return self.of(outcome) / self.n if self.n else math.nan

    @property
    def error_rate(self) -> float:
        """Share of the spoken values that were not found as spoken; NaN over nothing."""
        return (self.n - self.spoken) / self.n if self.n else math.nan

    @property
    def wrong_confirmation_rate(self) -> float:
        """Share of the unspoken near misses that would have been accepted; NaN over nothing."""
        return self.partner_accepted / self.partners if self.partners else math.nan


@dataclass(frozen=True, slots=True)
class WordErrors:
    """How many word errors sentences of which length showed: rows of (words, errors, sentences), sorted."""

    counts: tuple[tuple[int, int, int], ...] = ()

    @classmethod
    def of(cls, sentences: Iterable[tuple[int, int]]) -> Self:
        """From (words, errors) of each sentence."""
        counted = Counter(sentences)
        return cls(tuple((n, errors, counted[n, errors]) for n, errors in sorted(counted)))

    def __add__(self, other: WordErrors) -> WordErrors:
        if not isinstance(other, WordErrors):
            return NotImplemented
        total: Counter[tuple[int, int]] = Counter()
        for n, errors, count in (*self.counts, *other.counts):
            total[n, errors] += count
        return WordErrors(tuple((n, errors, total[n, errors]) for n, errors in sorted(total)))

    @property
    def n_sentences(self) -> int:
        return sum(count for _, _, count in self.counts)

    @property
    def n_words(self) -> int:
        return sum(n * count for n, _, count in self.counts)

    @property
    def errors(self) -> int:
        return sum(errors * count for _, errors, count in self.counts)

    @property
    def word_error_rate(self) -> float:
        """Substitutions, deletions and insertions over the words spoken; NaN over nothing."""
        return self.errors / self.n_words if self.n_words else math.nan

    def at_least(self, n_words: int, errors: int) -> tuple[int, int]:
        """How many of the floor's turns of about that length were as bad as this or worse, of how many.

        Sentences of 0.8 to 1.25 times the length speak for it. Where fewer than 100 are of that length, sentences are
        put together to turns of at least 0.8 times the length, each used once, and these speak if they are more.
        A turn is as bad when its share of errors is.
        """
        if n_words < 1 or errors < 0:
            raise InputError(
                f"n_words must be at least 1 and errors at least 0, got {n_words} and {errors}"
            )
        alike = _turns_like(self, n_words)
        return sum(e * n_words >= errors * n for n, e in alike), len(alike)


@lru_cache(maxsize=256)
def _turns_like(words: WordErrors, n_words: int) -> tuple[tuple[int, int], ...]:
    low, high = _LENGTHS[0] * n_words, _LENGTHS[1] * n_words
    alone = tuple(
        (n, errors) for n, errors, count in words.counts if low <= n <= high for _ in range(count)
    )
    if len(alone) >= _ENOUGH_SENTENCES:
        return alone
    composed: list[tuple[int, int]] = []
    n_sum = e_sum = 0
    for n, errors in _shuffled(words):
        if n > high:
            continue
        n_sum, e_sum = n_sum + n, e_sum + errors
        if n_sum >= low:
            composed.append((n_sum, e_sum))
            n_sum = e_sum = 0
    return tuple(composed) if len(composed) > len(alone) else alone


def _shuffled(words: WordErrors) -> list[tuple[int, int]]:
    """The sentences in an order that has nothing to do with their errors, the same each time."""
    rows = [(n, errors, i) for n, errors, count in words.counts for i in range(count)]
    rows.sort(key=lambda row: hashlib.blake2b(repr(row).encode(), digest_size=8).digest())
    return [(n, errors) for n, errors, _ in rows]


@dataclass(frozen=True, slots=True)
class SilenceCounts:
    """Words that the engine put where nobody spoke."""

    seconds: float = 0.0  # of silence, or of the line's noise, around the clips
    kept: int = 0  # words that went into the text
    dropped: int = 0  # words that were recognised as heard over silence, and left out

    def __add__(self, other: SilenceCounts) -> SilenceCounts:
        if not isinstance(other, SilenceCounts):
            return NotImplemented
        return SilenceCounts(
            self.seconds + other.seconds, self.kept + other.kept, self.dropped + other.dropped
        )

    @property
    def kept_per_minute(self) -> float:
        return 60.0 * self.kept / self.seconds if self.seconds else math.nan


__all__ = ["KindCounts", "SilenceCounts", "WordErrors"]
