"""An expected value made ready for its kind: where it is said, what else of its kind is there, how they differ."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from s2sverify.text.kinds import Value
from s2sverify.text.matching.base import Matcher, Policy
from s2sverify.text.matching.moments import (
    DateMatcher,
    DatetimeMatcher,
    TimeMatcher,
    WeekdayMatcher,
)
from s2sverify.text.matching.quantities import MeasureMatcher, MoneyMatcher, NumberMatcher
from s2sverify.text.matching.symbols import PhoneMatcher, SymbolsMatcher
from s2sverify.text.matching.wording import AddressMatcher, NameMatcher, TextMatcher, WrittenMatcher

_MATCHERS: dict[str, Callable[[Any, str, Policy], Matcher]] = {
    **dict.fromkeys(("digits", "code"), SymbolsMatcher),
    **dict.fromkeys(("cardinal", "ordinal", "decimal", "percent"), NumberMatcher),
    **dict.fromkeys(("email", "url"), WrittenMatcher),
    "phone": PhoneMatcher,
    "money": MoneyMatcher,
    "measure": MeasureMatcher,
    "date": DateMatcher,
    "time": TimeMatcher,
    "datetime": DatetimeMatcher,
    "weekday": WeekdayMatcher,
    "name": NameMatcher,
    "address": AddressMatcher,
    "text": TextMatcher,
}


@lru_cache(maxsize=8_192)
def _prepared(expected: Value, form: str, kind: str, policy: Policy) -> Matcher:
    del form  # 1 and 1.0 are one key otherwise
    return _MATCHERS[kind](expected, kind, policy)


def matcher_for(expected: Value, kind: str, policy: Policy) -> Matcher:
    """The expected value made ready for its kind; kept, as one value is looked for in many turns.

    Raises
    ------
    InputError
        If `expected` does not fit the kind.
    """
    return _prepared(expected, type(expected).__name__, kind, policy)


__all__ = ["matcher_for"]
