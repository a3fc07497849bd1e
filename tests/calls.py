"""Calls of known truth for tests: noise stands for speech, and a scripted engine hears what was put there."""

from dataclasses import dataclass, replace

import numpy as np

import s2sverify as s2s
from s2sverify.floor import matcher_version

SR = 8_000
WORD_S, GAP_S = 0.28, 0.06


@dataclass(frozen=True)
class Said:
    """Words from a time on, each a burst of noise followed by a short gap."""

    start_s: float
    text: str

    @property
    def words(self):
        at = self.start_s
        for word in self.text.split():
            yield s2s.Word(word, round(at, 3), round(at + WORD_S, 3), 0.9)
            at += WORD_S + GAP_S

    @property
    def end_s(self):
        return max(word.end_s for word in self.words)


def channel(parts, duration_s, *, seed):
    rng = np.random.default_rng(seed)
    y = np.zeros(round(duration_s * SR), np.float32)
    for part in parts:
        for word in part.words:
            start, end = round(word.start_s * SR), round(word.end_s * SR)
            fade = np.minimum(np.arange(1, end - start + 1), np.arange(end - start, 0, -1))
            loud = 0.1 * np.minimum(fade / 80, 1.0)  # no word begins or ends at once
            y[start:end] = loud * rng.standard_normal(end - start)
    return y


def make_call(agent, caller=(), trace=None, *, duration_s=None):
    """A call and the engine that hears it: `agent` and `caller` are sequences of `Said`."""
    last_s = max(part.end_s for part in (*agent, *caller))
    length_s = duration_s or last_s + 1.0
    heard = channel(agent, length_s, seed=1)
    recording = s2s.Recording.from_arrays(channel(caller, length_s, seed=2), heard, SR, name="made")
    words = [word for part in agent for word in part.words]
    engine = s2s.ScriptedTranscriber([(heard, SR, words)])
    return s2s.read_call(recording, trace), engine


def make_floor(engine, *, n=2_000, kinds=None, voice="robot", condition="phone", **changes):
    """A floor of an engine that got `n` items of every kind right, but for what `kinds` says."""
    names = ("digits", "code", "money", "percent", "cardinal", "date", "time", "weekday", "name")
    right = {
        kind: s2s.KindCounts(n=n, spoken=n, partners=n)
        for kind in (*names, "decimal", "phone", "email")
    }
    floor = s2s.ErrorFloor(
        engine=engine.info.name,
        signature=str(engine.info.signature),
        voice=voice,
        condition=condition,
        language="en-US",
        matcher=matcher_version(),
        date="2026-11-01",
        n_sentences=n,
        kinds={**right, **(kinds or {})},
        plain=s2s.WordErrors(tuple((length, 0, 400) for length in range(1, 40))),
        valued=s2s.WordErrors(tuple((length, 0, 400) for length in range(1, 40))),
    )
    return replace(floor, **changes)
