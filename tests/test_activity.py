"""Speech activity: edges where they were placed, noise that is not speech, intervals that tell the doubt."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import s2sverify as s2s
from s2sverify.kernels.activity import (
    cell_edges,
    cell_sums,
    intersect,
    join_runs,
    runs,
    sliding_extreme,
    window_sums,
)

SR = 8_000


def tone(duration_s, peak=0.1, sr=SR, hz=437.0):
    return (peak * np.sin(2 * np.pi * hz * np.arange(round(duration_s * sr)) / sr)).astype(
        np.float32
    )


def quiet(duration_s, sr=SR):
    return np.zeros(round(duration_s * sr), dtype=np.float32)


def place(total_s, *clips, sr=SR):
    """A silent channel with (start_s, clip) put into it."""
    y = quiet(total_s, sr)
    for start_s, clip in clips:
        at = round(start_s * sr)
        y[at : at + clip.size] += clip
    return y


def edges(y, sr=SR, **options):
    return [(s.onset_s, s.offset_s) for s in s2s.activity(y, sr, **options).spurts]


# -- closed form


@pytest.mark.parametrize("sr", [8_000, 11_025, 16_000, 22_050, 24_000, 44_100, 48_000])
def test_edges_of_a_tone_at_any_rate(sr):
    # 0 s      1.0 s        2.5 s     4 s     A window crosses -40 dBov with its first 1 ms of a tone at -23 dBov.
    # |---------|--- tone ---|--------|
    (found,) = edges(place(4, (1.0, tone(1.5, 0.1, sr)), sr=sr), sr)
    assert found[0] == pytest.approx(1.0, abs=0.0095)
    assert found[0] < 1.0  # the window that reaches into the tone began before it
    assert found[1] == pytest.approx(2.5, abs=0.0095)


@pytest.mark.parametrize(("peak", "heard"), [(0.0150, True), (0.0135, False)])
def test_plain_threshold_is_40_below_overload(peak, heard):
    # -40 dBov is a tone of peak 0.01414.
    assert (s2s.first_onset(place(2, (1.0, tone(0.5, peak, hz=400.0))), SR) is not None) is heard


@pytest.mark.parametrize(("duration_s", "heard"), [(0.030, True), (0.020, False)])
def test_plain_definition_holds_for_30_ms(duration_s, heard):
    assert (s2s.first_onset(place(1, (0.5, tone(duration_s, 0.02))), SR) is not None) is heard


def test_first_onset_is_where_a_window_begins_and_ignores_an_offset():
    y = place(2, (1.003, tone(0.5))) + np.float32(0.2)
    assert s2s.first_onset(y, SR) == pytest.approx(1.0)
    assert s2s.first_onset(quiet(1) + np.float32(0.2), SR) is None
    assert s2s.first_onset(quiet(0), SR) is None


@pytest.mark.parametrize(("gap_s", "spurts"), [(0.19, 1), (0.23, 2)])
def test_hangover_of_200_ms_bridges_a_pause(gap_s, spurts):
    y = place(4, (1.0, tone(0.8)), (1.8 + gap_s, tone(0.8)))
    assert len(edges(y)) == spurts


@pytest.mark.parametrize(("gap_s", "turns"), [(0.65, 1), (0.75, 2)])
def test_merged_bridges_a_thinking_pause(gap_s, turns):
    y = place(5, (1.0, tone(0.8)), (1.8 + gap_s, tone(0.8)))
    assert len(s2s.activity(y, SR).merged().spurts) == turns


def test_level_of_a_spurt_is_its_power():
    (spurt,) = s2s.activity(place(3, (1.0, tone(1.0, 0.1))), SR).spurts
    assert spurt.level_dbov == pytest.approx(-23.0, abs=0.15)


def test_a_quiet_speaker_moves_the_threshold():
    loud, soft = (s2s.activity(place(3, (1.0, tone(1.0, peak))), SR) for peak in (0.1, 0.0224))
    assert loud.threshold_dbov == pytest.approx(-40.0)
    assert soft.active_dbov == pytest.approx(-36.0, abs=0.2)
    assert soft.threshold_dbov == pytest.approx(-48.0, abs=0.4)


def test_a_loud_speaker_raises_it():
    assert s2s.activity(place(3, (1.0, tone(1.0, 0.8))), SR).threshold_dbov > -32.0


# -- property


@given(seed=st.integers(0, 2**32 - 1), n=st.integers(0, 400), width=st.integers(1, 12))
def test_window_sums_do_not_depend_on_where_a_block_begins(seed, n, width):
    cells = np.random.default_rng(seed).standard_normal(n)
    whole = window_sums(cells, width)
    cut = n // 3
    part = window_sums(cells[cut:], width)
    np.testing.assert_array_equal(part, whole[cut:])
    for j in range(0, whole.size, 17):
        assert whole[j] == pytest.approx(cells[j : j + width].sum())
    strided = window_sums(cells, width, step=3)
    for j in range(0, strided.size, 17):
        assert strided[j] == pytest.approx(cells[j : j + 3 * (width - 1) + 1 : 3].sum())


@given(st.lists(st.booleans(), max_size=60))
def test_runs_and_back(mask):
    mask = np.array(mask, dtype=bool)
    rebuilt = np.zeros_like(mask)
    spans = runs(mask)
    for start, end in spans:
        assert end > start
        rebuilt[start:end] = True
    np.testing.assert_array_equal(rebuilt, mask)
    assert (spans[1:, 0] > spans[:-1, 1]).all()


def intervals(draw):
    points = sorted(draw(st.sets(st.integers(0, 60), max_size=14)))
    return [(a, b) for a, b in zip(points[::2], points[1::2], strict=False)]


@given(st.data())
def test_overlap_is_what_both_sets_hold(data):
    a, b = intervals(data.draw), intervals(data.draw)
    found = s2s.overlap_intervals(a, b)
    both = np.zeros(61, dtype=bool)
    for t in range(61):
        both[t] = any(s <= t < e for s, e in a) and any(s <= t < e for s, e in b)
    covered = np.zeros(61, dtype=bool)
    for start, end in found:
        covered[int(start) : int(end)] = True
    np.testing.assert_array_equal(covered, both)
    np.testing.assert_array_equal(found, s2s.overlap_intervals(b, a))


@given(seed=st.integers(0, 2**32 - 1), reach=st.integers(0, 9), n=st.integers(1, 50))
def test_sliding_extreme_is_the_extreme_of_the_neighbours(seed, reach, n):
    x = np.random.default_rng(seed).standard_normal(n)
    for largest, pick in ((True, np.max), (False, np.min)):
        direct = [pick(x[max(i - reach, 0) : i + reach + 1]) for i in range(n)]
        np.testing.assert_array_equal(sliding_extreme(x, reach, largest=largest), direct)


@given(sr=st.sampled_from([8_000, 11_025, 24_000]), k=st.integers(0, 300))
def test_cells_begin_at_the_rounded_sample(sr, k):
    edge = cell_edges(k, k + 1, sr, 100)
    assert abs(edge[0] - k * sr / 100) <= 0.5
    sums, squares = cell_sums(np.ones(400 * sr // 100), edge)
    assert sums[0] == squares[0] == edge[1] - edge[0]


def test_join_runs_numbers_groups():
    spans = np.array([[0, 5], [6, 9], [11, 12], [30, 31]])
    np.testing.assert_array_equal(join_runs(spans, 2), [0, 0, 1, 2])
    np.testing.assert_array_equal(join_runs(spans, 3), [0, 0, 0, 1])


def test_touching_is_not_overlapping():
    assert s2s.overlap_intervals([(0, 1)], [(1, 2)]).shape == (0, 2)
    np.testing.assert_array_equal(
        intersect(np.array([[0.0, 2.0], [3.0, 5.0]]), np.array([[1.0, 4.0]])), [[1, 2], [3, 4]]
    )


@pytest.mark.parametrize("block_s", [0.37, 2.0, 9.99])
def test_blocks_do_not_change_the_result(block_s, monkeypatch):
    rng = np.random.default_rng(3)
    y = place(12, *((t, tone(0.7, 0.1)) for t in (0.2, 1.8, 4.0, 9.6)))
    y += (1e-3 * rng.standard_normal(y.size)).astype(np.float32)
    whole = s2s.activity(y, SR)
    monkeypatch.setattr("s2sverify.spurts._BLOCK_S", block_s)
    assert s2s.activity(y, SR).spurts == whole.spurts


@pytest.mark.parametrize("offset", [0.02, -0.1])
def test_an_offset_changes_no_edge(offset):
    y = place(4, (1.0, tone(0.8)), (2.5, tone(0.8)))
    for (a, b), (c, d) in zip(edges(y), edges(y + np.float32(offset)), strict=True):
        assert abs(a - c) <= 0.001
        assert abs(b - d) <= 0.001


# -- edges of the domain


def test_silence_and_nothing():
    for y in (quiet(0), quiet(0.005), quiet(3)):
        found = s2s.activity(y, SR)
        assert found.spurts == ()
        assert found.floor_dbov == -96.0
        assert np.isnan(found.active_dbov)


def test_a_click_is_not_speech():
    y = place(3, (0.5, tone(0.004, 0.9)), (1.5, tone(0.5)))
    assert len(edges(y)) == 1


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (np.zeros((2, 80)), r"shape \(n,\), got \(2, 80\)"),
        (np.zeros(80, dtype=np.int16), "float32 or float64"),
        (np.array([0.0, np.nan]), "1 NaN or infinite"),
    ],
)
def test_rejects_what_is_no_channel(y, message):
    with pytest.raises(s2s.InputError, match=message):
        s2s.activity(y, SR)


def test_rejects_other_bad_arguments():
    with pytest.raises(s2s.InputError, match="at least 4000, got 2000"):
        s2s.activity(quiet(1), 2000)
    with pytest.raises(s2s.InputError, match="hangover_s must be at least 0 s, got -1"):
        s2s.activity(quiet(1), SR, hangover_s=-1)
    with pytest.raises(s2s.InputError, match="gap_s must be at least 0 s"):
        s2s.activity(quiet(1), SR).merged(-0.1)
    with pytest.raises(s2s.InputError, match="ascending and disjoint"):
        s2s.overlap_intervals([(0, 2), (1, 3)], [])
    with pytest.raises(s2s.InputError, match=r"shape \(k, 2\), got \(3,\)"):
        s2s.overlap_intervals([1, 2, 3], [])
