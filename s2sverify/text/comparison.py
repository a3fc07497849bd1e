"""Two values against one another, as a test harness compares the arguments of a tool call with the expected ones."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from s2sverify.errors import InputError
from s2sverify.text.kinds import Value, infer_kinds, kind_named
from s2sverify.text.matching.base import Matcher, policy_of
from s2sverify.text.matching.prepare import matcher_for
from s2sverify.text.nearmiss import Edit


@dataclass(frozen=True, slots=True)
class ValueComparison:
    """How two values of one kind compare.

    Attributes
    ----------
    exact : bool
        Equal as they stand, type and all.
    equal : bool
        Equal in canonical form, by the conventions of the kind. An exact pair is always equal.
    kind : str
        The kind under which they were compared; "exact" where nothing but equality was asked for.
    expected, actual : str
        Canonical forms; as they stand where `actual` does not fit the kind.
    edits : tuple of Edit
        Differences in the value's own symbols, empty where equal.
    near_miss : str or None
        Class of the confusion, as in `near_misses`.
    """

    exact: bool
    equal: bool
    kind: str
    expected: str
    actual: str
    edits: tuple[Edit, ...] = ()
    near_miss: str | None = None

    def __bool__(self) -> bool:
        return self.equal


def compare_values(
    expected: Value,
    actual: Value,
    *,
    kind: str | None = None,
    locale: str = "en-US",
    region: str | None = None,
    currency: str | None = None,
    reference_date: date | None = None,
) -> ValueComparison:
    """Compare an actual value with the expected one, exactly and in canonical form.

    Parameters
    ----------
    expected, actual : str, int, float, Decimal, date, time or datetime
        The values, as tools write them.
    kind : str, optional
        The rule: "exact", or a kind by any of its names ("alnum", "money", "date", "text", "int", ...).
        None takes every kind that the expected value allows, and equality under one of them is enough.
    locale, region, currency, reference_date
        As in `match_entity`.

    Returns
    -------
    ValueComparison
        True in a condition when the values are equal in canonical form.

    Raises
    ------
    InputError
        If `kind` or `locale` is unknown, or `expected` does not fit its kind. An `actual` that does not fit is
        unequal.

    Examples
    --------
    >>> compare_values("$1,249.00", 1249, kind="money").equal
    True
    >>> compare_values("BD-4471", "bd 4471", kind="alnum").exact
    False
    """
    policy = policy_of(locale, region, currency, reference_date)
    exact = type(expected) is type(actual) and expected == actual
    if kind == "exact":
        return ValueComparison(exact, exact, "exact", str(expected), str(actual))
    kinds = infer_kinds(expected) if kind is None else (kind_named(kind),)
    unequal: ValueComparison | None = None
    for name in kinds:
        mine = matcher_for(expected, name, policy)
        try:
            other: Matcher = matcher_for(actual, name, policy)
        except InputError:
            unequal = unequal or ValueComparison(exact, exact, name, mine.canonical, str(actual))
            continue
        if exact or mine.key == other.key:
            return ValueComparison(exact, True, name, mine.canonical, other.canonical)
        if unequal is None or not unequal.edits:
            edits, near_miss = mine.compare(other.canonical)
            unequal = ValueComparison(
                exact, False, name, mine.canonical, other.canonical, edits, near_miss
            )
    if unequal is None:
        raise InputError(f"expected has no kind that can be compared, got {expected!r}")
    return unequal


__all__ = ["ValueComparison", "compare_values"]
