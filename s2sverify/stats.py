"""Intervals and tests for counts: exact, in plain Python, so that a verdict needs no scipy."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

from s2sverify.errors import InputError

_HALF_LOG_TWO_PI = 0.5 * math.log(2.0 * math.pi)


def share_interval(k: int, n: int, *, confidence: float = 0.95) -> tuple[float, float]:
    """Exact two-sided interval of a share of which `k` of `n` were seen (Clopper-Pearson).

    Parameters
    ----------
    k, n : int
        Hits and chances, ``0 <= k <= n``.
    confidence : float
        Probability, in (0, 1), with which the interval covers the true share at least.

    Returns
    -------
    low, high : float
        In [0, 1]. Over nothing (`n` of 0) nothing is known: (0.0, 1.0).

    Raises
    ------
    InputError
        If `k` or `n` are not counts, `k` exceeds `n`, or `confidence` is not in (0, 1).

    References
    ----------
    Clopper and Pearson (1934), Biometrika 26, 404-413.

    Examples
    --------
    >>> low, high = share_interval(1, 20)
    >>> print(f"{low:.4f} {high:.4f}")
    0.0013 0.2487
    """
    alpha = _alpha(confidence) / 2.0
    k, n = _counts(k, n)
    return _lower(k, n, alpha), _upper(k, n, alpha)


def upper_bound(k: int, n: int, *, confidence: float = 0.95) -> float:
    """Exact one-sided upper bound of a share of which `k` of `n` were seen.

    The share is at or below the answer with `confidence`; 1.0 where `n` is 0 or `k` equals `n`.

    Raises
    ------
    InputError
        If `k` or `n` are not counts, `k` exceeds `n`, or `confidence` is not in (0, 1).

    Examples
    --------
    >>> print(f"{upper_bound(0, 100):.2%}")
    2.95%
    """
    k, n = _counts(k, n)
    return _upper(k, n, _alpha(confidence))


def lower_bound(k: int, n: int, *, confidence: float = 0.95) -> float:
    """Exact one-sided lower bound of a share of which `k` of `n` were seen; 0.0 where `k` is 0.

    Raises
    ------
    InputError
        If `k` or `n` are not counts, `k` exceeds `n`, or `confidence` is not in (0, 1).
    """
    k, n = _counts(k, n)
    return _lower(k, n, _alpha(confidence))


def rule_of_three(n: int) -> float:
    """Upper bound (95 %) of a rate of which `n` chances showed none: ``3 / n``, at most 1.0.

    The rule of thumb; it lies above ``upper_bound(0, n)`` by 2 % (relative) at 100 chances.

    Raises
    ------
    InputError
        If `n` is not a count.
    """
    _, n = _counts(0, n)
    return min(1.0, 3.0 / n) if n else 1.0


def runs_needed(rate: float, *, confidence: float = 0.95) -> int:
    """How many chances without a hit bound the rate at or below `rate`.

    Equally: how many runs see an event of that rate at least once with that probability.

    Raises
    ------
    InputError
        If `rate` or `confidence` is not in (0, 1).

    Examples
    --------
    >>> runs_needed(0.05), runs_needed(0.01)
    (59, 299)
    """
    rate = _open_share(rate, "rate")
    exact = math.log(_alpha(confidence)) / math.log1p(-rate)
    return max(1, math.ceil(exact - 1e-9))  # the slack undoes rounding where the answer is whole


def binomial_tail(k: int, n: int, p: float) -> float:
    """Probability of `k` or more hits in `n` independent chances of probability `p` each.

    The p-value of the one-sided exact binomial test "no more than `p`".

    Raises
    ------
    InputError
        If `k` or `n` are not counts or `p` is not in [0, 1]. `k` may exceed `n`: 0.0.
    """
    p = _share(p, "p")
    n = _count(n, "n")
    k = _count(k, "k")
    return _tail(k, n, p)


def count_tail(k: int, probabilities: Iterable[float]) -> float:
    """Probability of `k` or more hits where every chance has a probability of its own.

    The tail of the Poisson-binomial distribution: for the mismatches of a call whose values have
    different error floors. Chances are taken to be independent.

    Parameters
    ----------
    k : int
        Hits seen.
    probabilities : iterable of float
        One per chance, each in [0, 1].

    Raises
    ------
    InputError
        If `k` is not a count or a probability is not in [0, 1].
    """
    k = _count(k, "k")
    if k == 0:
        for p in probabilities:
            _share(p, "probabilities")
        return 1.0
    below = [1.0] + [0.0] * (k - 1)  # below[j]: probability of exactly j hits so far, j < k
    reached = 0.0  # summed apart, so that a small tail keeps its digits
    for item in probabilities:
        p = _share(item, "probabilities")
        reached += below[-1] * p
        for j in range(k - 1, 0, -1):
            below[j] += p * (below[j - 1] - below[j])
        below[0] *= 1.0 - p
    return min(1.0, reached)


def pass_hat_k(successes: int | Sequence[int], trials: int | Sequence[int], k: int) -> float:
    """Probability that `k` fresh trials all succeed (pass^k): unbiased, mean over cases.

    Parameters
    ----------
    successes, trials : int or sequence of int
        Counts of one case, or of several cases in the same order.
    k : int
        Trials in a row, from 1 to the fewest trials of any case.

    Returns
    -------
    float
        Mean over the cases of ``comb(successes, k) / comb(trials, k)``; NaN without cases.

    Raises
    ------
    InputError
        If the counts do not fit each other or a case has fewer than `k` trials.

    References
    ----------
    Yao et al. (2024), tau-bench, arXiv:2406.12045.

    Examples
    --------
    >>> pass_hat_k(9, 10, 5)
    0.5
    """
    won = [successes] if isinstance(successes, int) else list(successes)
    tried = [trials] if isinstance(trials, int) else list(trials)
    if len(won) != len(tried):
        raise InputError(
            f"successes and trials must have one count per case, got {len(won)} and {len(tried)}"
        )
    if _count(k, "k") == 0:
        raise InputError("k must be at least 1, got 0")
    shares = []
    for case, (c, n) in enumerate(zip(won, tried, strict=True)):
        c, n = _counts(c, n)
        if n < k:
            raise InputError(f"every case must have at least k={k} trials, case {case} has {n}")
        shares.append(math.comb(c, k) / math.comb(n, k))
    return math.fsum(shares) / len(shares) if shares else math.nan


def censored_percentile(
    values: Iterable[float], q: float, *, censored: Iterable[float] = ()
) -> float:
    """Percentile of durations of which some were only seen to exceed a value (Kaplan-Meier).

    Parameters
    ----------
    values : iterable of float
        Durations that were seen to their end.
    q : float
        In [0, 100].
    censored : iterable of float
        Durations that were still running when the observation ended. Each hands its weight in equal parts
        to what is longer.

    Returns
    -------
    float
        Without censoring the common percentile with linear interpolation. Infinity where so many are still running
        that the percentile was not reached; NaN over nothing.

    Raises
    ------
    InputError
        If `q` is not in [0, 100] or a duration is NaN.

    References
    ----------
    Kaplan and Meier (1958), J. Am. Stat. Assoc. 53, 457-481; redistribution to the right: Efron (1967).

    Examples
    --------
    >>> censored_percentile([1.0, 2.0, 4.0], 50)
    2.0
    >>> censored_percentile([1.0, 2.0], 50, censored=[10.0])
    2.0
    """
    place = _percentage(q) / 100.0
    points = _masses(_durations(values, "values"), _durations(censored, "censored"))
    if not points:
        return math.nan
    total, middles = 0.0, []
    for _, mass in points:
        middles.append(total + mass / 2.0)
        total += mass
    if len(points) == 1:
        return points[0][0]
    at = middles[0] + place * (middles[-1] - middles[0])
    for (low, _), (high, _), before, after in zip(
        points, points[1:], middles, middles[1:], strict=False
    ):
        if at <= after + 1e-12:
            share = (at - before) / (after - before)
            if share <= 1e-9:
                return low
            return math.inf if math.isinf(high) else low + share * (high - low)
    return points[-1][0]


def percentile_interval(
    values: Iterable[float],
    q: float,
    *,
    censored: Iterable[float] = (),
    confidence: float = 0.95,
) -> tuple[float, float]:
    """Interval of a percentile from the order of the values alone, whatever their distribution.

    Parameters
    ----------
    values, q, censored
        As `censored_percentile`.
    confidence : float
        Probability, in (0, 1), with which the interval covers the percentile at least.

    Returns
    -------
    low, high : float
        Two of the values; minus infinity or infinity where there are too few to bound that side. For the low end a
        censored duration counts as ended when it was last seen, for the high end as endless.

    Raises
    ------
    InputError
        If `q` is not in [0, 100], a duration is NaN or `confidence` is not in (0, 1).

    Examples
    --------
    >>> percentile_interval(range(1, 21), 50)
    (6, 15)
    """
    p = _percentage(q) / 100.0
    alpha = _alpha(confidence) / 2.0
    seen, running = _durations(values, "values"), _durations(censored, "censored")
    n = len(seen) + len(running)
    early = sorted([*seen, *running])
    late = [*sorted(seen), *[math.inf] * len(running)]
    # the k-th smallest lies above the percentile only if fewer than k values lie below it
    low: float = -math.inf
    high: float = math.inf
    for k in range(1, n + 1):
        if binomial_tail(k, n, p) < 1.0 - alpha:
            break
        low = early[k - 1]
    for k in range(n, 0, -1):
        if binomial_tail(k, n, p) > alpha:
            break
        high = late[k - 1]
    return low, high


def _masses(seen: list[float], running: list[float]) -> list[tuple[float, float]]:
    """Durations in order with the probability on each; what never ended comes last, at infinity."""
    # where both stand at one value, the end came first: the running one exceeded it
    steps = sorted([(value, 0) for value in seen] + [(value, 1) for value in running])
    mass, points = 1.0 / len(steps) if steps else 0.0, []
    for i, (value, still_running) in enumerate(steps):
        left = len(steps) - i - 1
        if not still_running:
            points.append((value, mass))
        elif left:
            mass += mass / left
        else:
            points.append((math.inf, mass))
    return points


def _durations(values: Iterable[float], name: str) -> list[float]:
    found = list(values)
    if any(math.isnan(value) for value in found):
        raise InputError(f"{name} must not be NaN, got {found}")
    return found


def _percentage(q: float) -> float:
    if not 0.0 <= q <= 100.0:
        raise InputError(f"q must be in [0, 100], got {q!r}")
    return float(q)


def _lower(k: int, n: int, alpha: float) -> float:
    if k == 0:
        return 0.0
    if k == n:
        return math.exp(math.log(alpha) / n)
    # P(X >= k) rises with p; its derivative is n * pmf(k - 1; n - 1).
    return _solve(
        lambda p: _tail(k, n, p), lambda p: n * _pmf(k - 1, n - 1, p), alpha, start=(k - 0.5) / n
    )


def _upper(k: int, n: int, alpha: float) -> float:
    if k == n:
        return 1.0
    if k == 0:
        return -math.expm1(math.log(alpha) / n)
    # P(X <= k) falls as p rises; its derivative is -n * pmf(k; n - 1).
    return _solve(
        lambda p: _head(k, n, p), lambda p: -n * _pmf(k, n - 1, p), alpha, start=(k + 0.5) / n
    )


def _solve(
    value: Callable[[float], float], slope: Callable[[float], float], target: float, *, start: float
) -> float:
    """The p in (0, 1) at which a monotone `value` meets `target`: Newton on its logarithm, bracketed."""
    low, high, p = 0.0, 1.0, start
    rising = slope(start) > 0.0
    for _ in range(100):
        at = value(p)
        if at == target:
            return p
        if (at < target) == rising:
            low = p
        else:
            high = p
        gradient = slope(p)
        step = math.log(at / target) * at / gradient if at > 0.0 and gradient else math.nan
        after = p - step
        if not low < after < high:
            after = 0.5 * (low + high)
        if abs(after - p) <= 4e-16 * after or after in (low, high):
            return after
        p = after
    return p


def _tail(k: int, n: int, p: float) -> float:
    """P(X >= k), summed from the side on which the terms fall."""
    if k <= 0:
        return 1.0
    if k > n:
        return 0.0
    if k <= n * p:
        return 1.0 - _head_terms(k - 1, n, p)
    return _tail_terms(k, n, p)


def _head(k: int, n: int, p: float) -> float:
    """P(X <= k)."""
    if k >= n:
        return 1.0
    if k >= n * p:
        return 1.0 - _tail_terms(k + 1, n, p)
    return _head_terms(k, n, p)


def _tail_terms(k: int, n: int, p: float) -> float:
    if p in (0.0, 1.0):
        return float(p == 1.0 or k <= 0)
    odds = p / (1.0 - p)
    term = total = 1.0
    for j in range(k, n):
        term *= (n - j) / (j + 1) * odds
        total += term
        if term < total * 1e-18:
            break
    return min(1.0, _pmf(k, n, p) * total)


def _head_terms(k: int, n: int, p: float) -> float:
    if p in (0.0, 1.0):
        return float(p == 0.0 or k >= n)
    odds = (1.0 - p) / p
    term = total = 1.0
    for j in range(k, 0, -1):
        term *= j / (n - j + 1) * odds
        total += term
        if term < total * 1e-18:
            break
    return min(1.0, _pmf(k, n, p) * total)


def _pmf(k: int, n: int, p: float) -> float:
    """P(X = k), to full precision for any n (Loader 2000: saddle-point expansion)."""
    if p in (0.0, 1.0):
        return float(k == n * int(p))
    if k == 0:
        return math.exp(n * math.log1p(-p))
    if k == n:
        return math.exp(n * math.log(p))
    exponent = (
        _stirling_error(n)
        - _stirling_error(k)
        - _stirling_error(n - k)
        - _deviance(k, n * p)
        - _deviance(n - k, n * (1.0 - p))
    )
    return math.exp(exponent) * math.sqrt(n / (2.0 * math.pi * k * (n - k)))


def _stirling_error(n: int) -> float:
    """``log(n!)`` less Stirling's approximation."""
    if n <= 15:
        return (
            math.log(math.factorial(n)) - (n + 0.5) * math.log(n) + n - _HALF_LOG_TWO_PI
            if n
            else 0.0
        )
    square = float(n) * n
    return (1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680 - 1 / 1188 / square) / square) / square)
            / square) / n  # fmt: skip


def _deviance(x: float, mean: float) -> float:
    """``x log(x / mean) + mean - x`` without cancellation where the two are close."""
    if abs(x - mean) < 0.1 * (x + mean):
        v = (x - mean) / (x + mean)
        total = (x - mean) * v
        term = 2.0 * x * v
        for j in range(1, 1000):
            term *= v * v
            after = total + term / (2 * j + 1)
            if after == total:
                break
            total = after
        return total
    return x * math.log(x / mean) + mean - x


def _counts(k: int, n: int) -> tuple[int, int]:
    k, n = _count(k, "k"), _count(n, "n")
    if k > n:
        raise InputError(f"k must be at most n, got {k} of {n}")
    return k, n


def _count(value: int, name: str) -> int:
    try:
        whole = value.__index__()
    except (AttributeError, TypeError):
        whole = -1
    if whole < 0 or isinstance(value, bool):
        raise InputError(f"{name} must be a whole number of at least 0, got {value!r}")
    return whole


def _share(value: float, name: str) -> float:
    if not 0.0 <= value <= 1.0:
        raise InputError(f"{name} must be in [0, 1], got {value!r}")
    return float(value)


def _open_share(value: float, name: str) -> float:
    if not 0.0 < value < 1.0:
        raise InputError(f"{name} must be in (0, 1), got {value!r}")
    return float(value)


def _alpha(confidence: float) -> float:
    return 1.0 - _open_share(confidence, "confidence")


__all__ = [
    "binomial_tail",
    "censored_percentile",
    "count_tail",
    "lower_bound",
    "pass_hat_k",
    "percentile_interval",
    "rule_of_three",
    "runs_needed",
    "share_interval",
    "upper_bound",
]
