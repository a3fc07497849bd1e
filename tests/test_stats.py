"""Exact intervals and tests for counts: closed forms, properties, scipy as the independent reference."""

import math
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as reference

from s2sverify.errors import InputError
from s2sverify.stats import (
    binomial_tail,
    count_tail,
    lower_bound,
    pass_hat_k,
    rule_of_three,
    runs_needed,
    share_interval,
    upper_bound,
)

# ---------------------------------------------------------------- closed form


@pytest.mark.parametrize(
    ("n", "bound"), [(20, 0.1391), (59, 0.0495), (100, 0.0295), (299, 0.00997)]
)
def test_nothing_seen_still_bounds_the_rate(n, bound):
    assert upper_bound(0, n) == pytest.approx(bound, abs=5e-5)
    assert upper_bound(0, n) == pytest.approx(1 - 0.05 ** (1 / n), rel=1e-13)
    assert lower_bound(n, n) == pytest.approx(1 - upper_bound(0, n), rel=1e-13)


def test_two_of_two_sides_share_the_error():
    low, high = share_interval(0, 100)
    assert low == 0.0
    assert high == pytest.approx(1 - 0.025 ** (1 / 100), rel=1e-13)
    assert high == upper_bound(0, 100, confidence=0.975)


def test_interval_of_one_of_two():
    # P(X >= 1) = 1 - (1 - p)^2 = alpha has a root that can be written down
    low, high = share_interval(1, 2, confidence=0.9)
    assert low == pytest.approx(1 - math.sqrt(0.95), rel=1e-14)
    assert high == pytest.approx(math.sqrt(0.95), rel=1e-14)


def test_over_nothing_nothing_is_known():
    assert share_interval(0, 0) == (0.0, 1.0)
    assert upper_bound(0, 0) == 1.0
    assert lower_bound(0, 0) == 0.0
    assert rule_of_three(0) == 1.0


def test_rule_of_three_is_the_rule_of_thumb_for_the_exact_bound():
    assert rule_of_three(100) == 0.03
    assert rule_of_three(2) == 1.0
    for n in (30, 100, 1000, 10**6):
        assert upper_bound(0, n) < rule_of_three(n) < 1.06 * upper_bound(0, n)


def test_runs_needed():
    assert [runs_needed(rate) for rate in (0.05, 0.01, 0.5)] == [59, 299, 5]
    assert runs_needed(0.5, confidence=0.75) == 2  # 1 - 0.5^2, met exactly
    assert runs_needed(0.99, confidence=0.5) == 1


def test_binomial_tail_by_hand():
    assert binomial_tail(3, 4, 0.5) == pytest.approx(5 / 16, rel=1e-14)
    assert binomial_tail(0, 4, 0.0) == 1.0
    assert binomial_tail(1, 4, 0.0) == 0.0
    assert binomial_tail(4, 4, 1.0) == 1.0
    assert binomial_tail(5, 4, 0.9) == 0.0
    assert binomial_tail(0, 0, 0.3) == 1.0


@pytest.mark.parametrize(
    ("k", "n", "p"), [(7, 40, 0.03), (2, 40, 0.03), (33, 40, 0.61), (40, 40, 0.9)]
)
def test_binomial_tail_equals_the_sum_in_fractions(k, n, p):
    share = Fraction(p)
    exact = sum(math.comb(n, j) * share**j * (1 - share) ** (n - j) for j in range(k, n + 1))
    assert binomial_tail(k, n, p) == pytest.approx(float(exact), rel=1e-13)


def test_count_tail_by_hand():
    # two chances, 0.1 and 0.5: none 0.45, both 0.05
    assert count_tail(1, [0.1, 0.5]) == pytest.approx(0.55, rel=1e-14)
    assert count_tail(2, [0.1, 0.5]) == pytest.approx(0.05, rel=1e-14)
    assert count_tail(3, [0.1, 0.5]) == 0.0
    assert count_tail(0, []) == 1.0
    assert count_tail(1, []) == 0.0


def test_a_small_count_tail_keeps_its_digits():
    assert count_tail(3, [1e-9] * 3) == pytest.approx(1e-27, rel=1e-12)


def test_pass_hat_k_of_the_articles_figures():
    assert pass_hat_k(9, 10, 5) == 0.5
    assert pass_hat_k(9, 10, 1) == pytest.approx(0.9)
    assert pass_hat_k(4, 10, 5) == 0.0
    assert pass_hat_k([10, 9, 4], [10, 10, 10], 5) == pytest.approx(0.5)  # mean of 1, 0.5, 0
    assert math.isnan(pass_hat_k([], [], 3))


# ---------------------------------------------------------------- property


@given(data=st.data(), n=st.integers(1, 5000), confidence=st.floats(0.5, 0.9999))
@settings(max_examples=80, deadline=None)
def test_bounds_solve_the_tail_equations_that_define_them(data, n, confidence):
    k = data.draw(st.integers(0, n))
    alpha = 1.0 - confidence
    high, low = upper_bound(k, n, confidence=confidence), lower_bound(k, n, confidence=confidence)
    assert low <= k / n <= high
    if k < n:  # P(X <= k) at the upper bound, seen from the failures' side
        assert binomial_tail(n - k, n, 1 - high) == pytest.approx(alpha, rel=1e-8)
    if k > 0:
        assert binomial_tail(k, n, low) == pytest.approx(alpha, rel=1e-8)


@given(k=st.integers(0, 300), n=st.integers(0, 300))
@settings(max_examples=60, deadline=None)
def test_sides_mirror_each_other(k, n):
    k = min(k, n)
    low, high = share_interval(k, n)
    other_low, other_high = share_interval(n - k, n)
    assert low == pytest.approx(1 - other_high, abs=1e-14)
    assert high == pytest.approx(1 - other_low, abs=1e-14)


def test_more_hits_or_fewer_chances_never_lower_the_bound():
    bounds = [[upper_bound(k, n) for k in range(8)] for n in (10, 30, 100, 300)]
    for row in bounds:
        assert row == sorted(row)
    for column in zip(*bounds, strict=True):
        assert list(column) == sorted(column, reverse=True)


@pytest.mark.parametrize("p", [0.004, 0.03, 0.4])
def test_coverage_is_at_least_the_confidence(p):
    n = 200
    covered = sum(
        math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1) if upper_bound(k, n) >= p
    )
    assert 0.95 <= covered <= 1.0


@given(k=st.integers(0, 6), n=st.integers(0, 25), p=st.floats(0.0, 1.0))
@settings(max_examples=60, deadline=None)
def test_equal_chances_make_the_count_tail_binomial(k, n, p):
    assert count_tail(k, [p] * n) == pytest.approx(binomial_tail(k, n, p), rel=1e-9, abs=1e-300)


@given(chances=st.lists(st.floats(0.0, 1.0), max_size=9), k=st.integers(0, 10))
@settings(max_examples=60, deadline=None)
def test_count_tail_equals_the_sum_over_all_outcomes(chances, k):
    total = 0.0
    for mask in range(2 ** len(chances)):
        hits = [bool(mask >> i & 1) for i in range(len(chances))]
        if sum(hits) >= k:
            total += math.prod(p if hit else 1 - p for p, hit in zip(chances, hits, strict=True))
    assert count_tail(k, chances) == pytest.approx(total, abs=1e-12)


# ---------------------------------------------------------------- independent reference


@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.95, 0.999])
def test_intervals_equal_the_beta_quantiles_of_scipy(confidence):
    rng = np.random.default_rng(20)
    for _ in range(60):
        n = int(10 ** rng.uniform(0, 4))
        k = int(rng.integers(0, n + 1))
        low, high = share_interval(k, n, confidence=confidence)
        told = reference.binomtest(k, n).proportion_ci(confidence, method="exact")
        assert low == pytest.approx(told.low, rel=1e-9, abs=1e-15)
        assert high == pytest.approx(told.high, rel=1e-9)


def test_large_counts_equal_the_beta_quantiles_of_scipy():
    for k, n in [(1, 10**6), (17, 952_847), (500_000, 10**6), (10**6 - 2, 10**6)]:
        low, high = share_interval(k, n)
        assert low == pytest.approx(reference.beta.ppf(0.025, k, n - k + 1), rel=1e-9)
        assert high == pytest.approx(reference.beta.ppf(0.975, k + 1, n - k), rel=1e-9)


def test_tails_equal_those_of_scipy():
    rng = np.random.default_rng(21)
    for _ in range(200):
        n = int(10 ** rng.uniform(0, 5))
        p = 10 ** rng.uniform(-5, 0)
        k = int(reference.binom.rvs(n, p, random_state=rng)) + int(rng.integers(0, 6))
        assert binomial_tail(k, n, p) == pytest.approx(
            reference.binom.sf(k - 1, n, p), rel=1e-9, abs=1e-250
        )


# ---------------------------------------------------------------- contract


def test_loads_neither_scipy_nor_numpy():
    code = (
        "import sys; from s2sverify.stats import upper_bound; upper_bound(3, 100);"
        "print([m for m in ('scipy', 'numpy', 'pandas') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_numpy_counts_are_counts():
    assert upper_bound(np.int64(2), np.int32(50)) == upper_bound(2, 50)


# ---------------------------------------------------------------- edges


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: upper_bound(3, 2), r"k must be at most n, got 3 of 2"),
        (lambda: upper_bound(-1, 2), r"k must be a whole number of at least 0, got -1"),
        (lambda: upper_bound(1, 2.5), r"n must be a whole number of at least 0, got 2\.5"),
        (lambda: upper_bound(True, 2), r"k must be a whole number"),
        (lambda: share_interval(1, 2, confidence=95), r"confidence must be in \(0, 1\), got 95"),
        (lambda: share_interval(1, 2, confidence=math.nan), r"confidence must be in \(0, 1\)"),
        (lambda: rule_of_three(-3), r"n must be a whole number of at least 0, got -3"),
        (lambda: runs_needed(0.0), r"rate must be in \(0, 1\), got 0\.0"),
        (lambda: binomial_tail(1, 2, 1.5), r"p must be in \[0, 1\], got 1\.5"),
        (lambda: count_tail(1, [0.1, -0.2]), r"probabilities must be in \[0, 1\], got -0\.2"),
        (lambda: count_tail(0, [2.0]), r"probabilities must be in \[0, 1\], got 2\.0"),
        (lambda: pass_hat_k(3, 4, 5), r"at least k=5 trials, case 0 has 4"),
        (lambda: pass_hat_k([3], [4, 4], 2), r"one count per case, got 1 and 2"),
        (lambda: pass_hat_k(3, 4, 0), r"k must be at least 1, got 0"),
    ],
)
def test_refuses_what_is_no_count_or_share(call, message):
    with pytest.raises(InputError, match=message):
        call()
