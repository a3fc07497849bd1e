"""Error floors: how often the verifier itself is wrong, counted on speech whose words are known.

A floor belongs to one engine, one voice, one line and one version of the matcher. It holds counts; rates and their
exact bounds are properties of the counts. Floors of the same kind add. A run whose engine, voice or line differ from
those of its floor cannot be judged by it: `ErrorFloor.matches` says which field differs.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from s2sverify.counts import KindCounts, SilenceCounts, WordErrors
from s2sverify.errors import InputError, StaleFloorError
from s2sverify.stats import share_interval, upper_bound
from s2sverify.types import EngineInfo, Outcome, to_plain

if TYPE_CHECKING:
    import pandas as pd

SCHEMA_VERSION = 1


@dataclass(frozen=True, slots=True)
class ErrorFloor:
    """What an engine got wrong on known speech of one voice through one line.

    Add floors of the same engine, voice, line, language and matcher with ``+``. Bounds are exact
    (Clopper-Pearson, one-sided). Where ``members`` is filled the floor is pooled over several voices or
    lines: its counts are their sum and every bound is that of its worst member.
    """

    engine: str  # name, as `open_engine` takes it
    signature: str  # of the engine, one line
    voice: str
    condition: str
    language: str  # locale of the matcher, e.g. "en-US"
    matcher: str  # version of the value matcher
    date: str  # ISO, of the measurement
    data: tuple[str, ...] = ()  # hashes of the clips and their texts, one per batch
    n_sentences: int = 0
    audio_s: float = 0.0
    kinds: Mapping[str, KindCounts] = field(default_factory=dict)
    near_misses: Mapping[str, Mapping[str, KindCounts]] = field(default_factory=dict)
    heard_as: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    plain: WordErrors = field(default_factory=WordErrors)
    valued: WordErrors = field(default_factory=WordErrors)
    silence: SilenceCounts = field(default_factory=SilenceCounts)
    failed: tuple[tuple[str, str], ...] = ()  # clips that could not be used, and why
    members: tuple[ErrorFloor, ...] = ()

    # -------------------------------------------------------- bounds

    def counts(self, kind: str) -> KindCounts:
        """Counts of a kind of value; empty ones where it was not measured."""
        return self.kinds.get(kind, KindCounts())

    def false_alarm_bound(
        self,
        kind: str,
        outcome: str | Outcome,
        *,
        near_miss: str | None = None,
        confidence: float = 0.95,
    ) -> float:
        """Upper bound of the probability that a value which was said right looks like this.

        Parameters
        ----------
        kind : str
            Kind of value.
        outcome : str or Outcome
            What the transcript showed: "different", "absent", or any other outcome.
        near_miss : str, optional
            With "different", the class of the confusion between the value expected and the one heard; "other" for one
            without a class. Right values heard wrong by a class *at most as common* as this are counted, so that
            the bound stays one over all classes that are acted on.
        confidence : float
            Of the bound, in (0, 1).

        Returns
        -------
        float
            In (0, 1]; 1.0 for a kind that was not measured.

        Raises
        ------
        InputError
            If `outcome` is none, or `confidence` is not in (0, 1).
        """
        return self._worst(
            lambda one: upper_bound(
                one._false_alarms(kind, outcome, near_miss),
                one.counts(kind).n,
                confidence=confidence,
            )
        )

    def _false_alarms(self, kind: str, outcome: str | Outcome, near_miss: str | None) -> int:
        k = self.counts(kind).of(outcome)
        if near_miss is None or str(outcome) != "different":
            return k
        classes = self.heard_as.get(kind, {})
        return sum(count for count in classes.values() if count <= classes.get(near_miss, 0))

    def confirmation_bound(
        self, kind: str, *, near_miss: str | None = None, confidence: float = 0.95
    ) -> float:
        """Upper bound of the probability that a near miss of what was said is taken as said.

        `near_miss` restricts it to one class of confusion. 1.0 for a kind or class that was not measured.

        Raises
        ------
        InputError
            If `confidence` is not in (0, 1).
        """

        def bound(one: ErrorFloor) -> float:
            counts = one._of_class(kind, near_miss)
            return upper_bound(counts.partner_accepted, counts.partners, confidence=confidence)

        return self._worst(bound)

    def exact_bound(
        self, kind: str, *, near_miss: str | None = None, confidence: float = 0.95
    ) -> float:
        """Upper bound of the probability that a value said right is heard as one other value named beforehand.

        For example as the value that the agent's transcript shows. Measured with near misses, the hardest of such
        values. 1.0 for a kind or class that was not measured.

        Raises
        ------
        InputError
            If `confidence` is not in (0, 1).
        """

        def bound(one: ErrorFloor) -> float:
            counts = one._of_class(kind, near_miss)
            return upper_bound(counts.partner_heard, counts.partners, confidence=confidence)

        return self._worst(bound)

    def _of_class(self, kind: str, near_miss: str | None) -> KindCounts:
        if near_miss is None:
            return self.counts(kind)
        return self.near_misses.get(kind, {}).get(near_miss, KindCounts())

    def word_tail(
        self,
        n_words: int,
        errors: int,
        *,
        valued: bool | None = None,
        confidence: float = 0.95,
    ) -> float:
        """Upper bound of the probability that a faithful turn of that length shows at least as many word errors.

        Parameters
        ----------
        n_words : int
            Words of the turn's text, normalised, at least 1.
        errors : int
            Substitutions, deletions and insertions.
        valued : bool, optional
            Judge by sentences with (True) or without (False) values; by all together by default.
        confidence : float
            Of the bound, in (0, 1).

        Returns
        -------
        float
            In (0, 1]. With no sentence as bad among m of that length about ``3 / m``, never 0; 1.0 without any.

        Raises
        ------
        InputError
            If `n_words` is below 1, `errors` below 0, or `confidence` not in (0, 1).

        Notes
        -----
        What speaks for a turn of that length is told in `WordErrors.at_least`.
        """

        def bound(one: ErrorFloor) -> float:
            k, n = one.words(valued).at_least(n_words, errors)
            return upper_bound(k, n, confidence=confidence)

        return self._worst(bound)

    def words(self, valued: bool | None = None) -> WordErrors:
        """Word errors of the sentences with values, without, or (by default) of all."""
        if valued is None:
            return self.plain + self.valued
        return self.valued if valued else self.plain

    def _worst(self, bound: Callable[[ErrorFloor], float]) -> float:
        return max(map(bound, self.members)) if self.members else bound(self)

    # -------------------------------------------------------- identity

    def matches(
        self,
        engine: EngineInfo,
        *,
        voice: str | None = None,
        condition: str | None = None,
        language: str | None = None,
    ) -> tuple[str, ...]:
        """Why this floor is stale for a run: one line per field that differs; empty when it fits.

        What is not given is not compared; the matcher always is.
        """
        reasons = list(_signature_differences(self.signature, str(engine.signature)))
        pairs = (
            ("voice", self.voice, voice),
            ("condition", self.condition, condition),
            ("language", self.language, language),
            ("matcher", self.matcher, matcher_version()),
        )
        reasons += [
            f"{name}: floor {mine}, run {theirs}"
            for name, mine, theirs in pairs
            if theirs is not None and mine != theirs
        ]
        return tuple(reasons)

    def require(
        self,
        engine: EngineInfo,
        *,
        voice: str | None = None,
        condition: str | None = None,
        language: str | None = None,
    ) -> None:
        """Refuse to go on with a stale floor.

        Raises
        ------
        StaleFloorError
            If `matches` gives a reason.
        """
        reasons = self.matches(engine, voice=voice, condition=condition, language=language)
        if reasons:
            raise StaleFloorError(f"the error floor of {self} is stale: {'; '.join(reasons)}")

    def __str__(self) -> str:
        return f"{self.engine}, voice {self.voice}, line {self.condition}"

    def __add__(self, other: ErrorFloor) -> ErrorFloor:
        if not isinstance(other, ErrorFloor):
            return NotImplemented
        for name in ("signature", "voice", "condition", "language", "matcher"):
            mine, theirs = getattr(self, name), getattr(other, name)
            if mine != theirs:
                raise InputError(
                    f"floors that add must have one {name}, got {mine!r} and {theirs!r}"
                )
        if self.members or other.members:
            raise InputError("floors that add must be measured ones, got a pooled one")
        again = set(self.data) & set(other.data)
        if again:
            raise InputError(
                f"floors that add must come from different clips, got {sorted(again)[0]} twice"
            )
        return replace(
            self,
            date=max(self.date, other.date),
            data=tuple(sorted((*self.data, *other.data))),
            **_summed((self, other)),
        )

    # -------------------------------------------------------- files and tables

    def to_dict(self) -> dict[str, Any]:
        """As its JSON file holds it."""
        plain: dict[str, Any] = {
            "schema_version": SCHEMA_VERSION, "kind": "error_floor", "engine": self.engine,
            "signature": self.signature, "voice": self.voice, "condition": self.condition,
            "language": self.language, "matcher": self.matcher, "date": self.date,
            "data": list(self.data), "n_sentences": self.n_sentences,
            "audio_s": round(self.audio_s, 3),
            "kinds": {kind: to_plain(counts) for kind, counts in self.kinds.items()},
            "near_misses": {
                kind: {name: to_plain(counts) for name, counts in classes.items()}
                for kind, classes in self.near_misses.items()
            },
            "heard_as": {kind: dict(classes) for kind, classes in self.heard_as.items()},
            "words": {
                "plain": [list(row) for row in self.plain.counts],
                "valued": [list(row) for row in self.valued.counts],
            },
            "silence": to_plain(self.silence),
            "failed": [list(pair) for pair in self.failed],
        }  # fmt: skip
        if self.members:
            plain["members"] = [member.to_dict() for member in self.members]
        return plain

    def write(self, path: str | Path) -> Path:
        """Write the floor as JSON, beside and then renamed.

        Raises
        ------
        InputError
            If the folder does not exist or cannot be written.
        """
        return _write(path, self.to_dict())

    def to_frame(self) -> pd.DataFrame:
        """One row per kind of value: counts, rates and their one-sided 95 % bounds."""
        from s2sverify._display import frame

        rows = []
        for kind, counts in self.kinds.items():
            low, high = share_interval(counts.n - counts.spoken, counts.n)
            rows.append(
                {
                    "kind": kind,
                    **to_plain(counts),
                    "error_rate": counts.error_rate,
                    "error_rate_low": low,
                    "error_rate_high": high,
                    "different_bound": self.false_alarm_bound(kind, "different"),
                    "absent_bound": self.false_alarm_bound(kind, "absent"),
                    "confirmation_bound": self.confirmation_bound(kind),
                }
            )
        return frame(rows, columns=None)


def _signature_differences(mine: str, theirs: str) -> Iterator[str]:
    if mine == theirs:
        return
    (one, *mine_parts), (other, *their_parts) = mine.split("|"), theirs.split("|")
    if one != other:
        yield f"engine: floor {one}, run {other}"
        return
    ours = dict(part.partition(":")[::2] for part in mine_parts)
    other_parts = dict(part.partition(":")[::2] for part in their_parts)
    for name in sorted(ours.keys() | other_parts.keys()):
        if ours.get(name) != other_parts.get(name):
            yield f"engine {name}: floor {ours.get(name)}, run {other_parts.get(name)}"


def _summed(floors: Sequence[ErrorFloor]) -> dict[str, Any]:
    """The counts of several floors together."""
    kinds: dict[str, KindCounts] = {}
    near_misses: dict[str, dict[str, KindCounts]] = {}
    heard_as: dict[str, Counter[str]] = {}
    for floor in floors:
        for kind, counts in floor.kinds.items():
            kinds[kind] = kinds.get(kind, KindCounts()) + counts
        for kind, classes in floor.near_misses.items():
            mine = near_misses.setdefault(kind, {})
            for name, counts in classes.items():
                mine[name] = mine.get(name, KindCounts()) + counts
        for kind, heard in floor.heard_as.items():
            heard_as.setdefault(kind, Counter()).update(heard)
    return {
        "n_sentences": sum(floor.n_sentences for floor in floors),
        "audio_s": math.fsum(floor.audio_s for floor in floors),
        "kinds": {kind: kinds[kind] for kind in sorted(kinds)},
        "near_misses": {k: dict(sorted(near_misses[k].items())) for k in sorted(near_misses)},
        "heard_as": {k: dict(sorted(heard_as[k].items())) for k in sorted(heard_as)},
        "plain": sum((floor.plain for floor in floors), WordErrors()),
        "valued": sum((floor.valued for floor in floors), WordErrors()),
        "silence": sum((floor.silence for floor in floors), SilenceCounts()),
        "failed": tuple(pair for floor in floors for pair in floor.failed),
    }


def pool_floors(floors: Iterable[ErrorFloor]) -> ErrorFloor:
    """One floor for a voice or line that was not measured: counts together, bounds of the worst member.

    Raises
    ------
    InputError
        If there is no floor, or they differ in engine, language or matcher.
    """
    members = tuple(floors)
    if not members:
        raise InputError("floors must hold at least one floor, got none")
    first = members[0]
    for name in ("signature", "language", "matcher"):
        for other in members[1:]:
            if getattr(first, name) != getattr(other, name):
                raise InputError(
                    f"floors to pool must have one {name}, "
                    f"got {getattr(first, name)!r} and {getattr(other, name)!r}"
                )
    if len(members) == 1:
        return first
    return replace(
        first,
        voice="|".join(sorted({member.voice for member in members})),
        condition="|".join(sorted({member.condition for member in members})),
        date=max(member.date for member in members),
        data=tuple(sorted({name for member in members for name in member.data})),
        members=members,
        **_summed(members),
    )


def matcher_version() -> str:
    """Version of the value matcher: a floor measured with another one is stale."""
    from s2sverify.text.entities import MATCHER_VERSION

    return MATCHER_VERSION


# ---------------------------------------------------------------- several floors


@dataclass(frozen=True, slots=True)
class FloorChoice:
    """The floor that speaks for a run, or none, and what a reader must know of the choice."""

    floor: ErrorFloor | None
    exact: bool  # measured on this engine, voice and line
    warning: str | None = None


@dataclass(frozen=True, slots=True)
class FloorSet:
    """Floors of several voices and lines, from which the one for a run is chosen."""

    floors: tuple[ErrorFloor, ...] = ()

    def __add__(self, other: FloorSet) -> FloorSet:
        """Floors of both; those of the same engine, voice, line, language and matcher add."""
        if not isinstance(other, FloorSet):
            return NotImplemented
        together: dict[tuple[str, ...], ErrorFloor] = {}
        for floor in (*self.floors, *other.floors):
            key = (floor.signature, floor.voice, floor.condition, floor.language, floor.matcher)
            together[key] = together[key] + floor if key in together else floor
        return FloorSet(tuple(together.values()))

    def find(
        self,
        engine: EngineInfo,
        voice: str | None = None,
        condition: str | None = None,
        *,
        language: str | None = None,
    ) -> FloorChoice:
        """The floor for an engine, voice and line.

        A voice that was not measured, or is not known, is judged by the worst of those measured on the line; an
        unknown line (None) by the worst of the lines measured. A line that is named and was not measured has no floor.
        """
        fresh = [f for f in self.floors if not f.matches(engine, language=language)]
        if not fresh:
            return FloorChoice(None, False, self._why_none(engine, language))
        on_line = [f for f in fresh if condition is None or f.condition == condition]
        if not on_line:
            lines = ", ".join(sorted({f.condition for f in fresh}))
            return FloorChoice(
                None, False, f"no error floor for line {condition!r}; measured lines: {lines}"
            )
        same_voice = [f for f in on_line if f.voice == voice]
        if same_voice and condition is not None:
            return FloorChoice(_sum(same_voice), True)
        pooled = pool_floors(same_voice or on_line)
        lines = ", ".join(sorted({f.condition for f in same_voice or on_line}))
        warning = []
        if not same_voice:
            voices = sorted({f.voice for f in on_line})
            asked = (
                "the voice is not known" if voice is None else f"voice {voice!r} was not measured"
            )
            warning.append(
                f"{asked}: bounds are those of the worst of {len(voices)} measured "
                f"({', '.join(voices)}), and one voice in {len(voices) + 1} may be worse still; "
                "calibrate with clips of the voice for a floor of its own"
            )
        if condition is None:
            warning.append(f"the line is not known: bounds are those of the worst of {lines}")
        return FloorChoice(pooled, False, "; ".join(warning))

    def _why_none(self, engine: EngineInfo, language: str | None) -> str:
        if not self.floors:
            return "no error floor is at hand"
        nearest = min((f.matches(engine, language=language) for f in self.floors), key=len)
        return f"every error floor is stale: {'; '.join(nearest)}"

    def to_dict(self) -> dict[str, Any]:
        return {
            "schema_version": SCHEMA_VERSION,
            "kind": "floor_set",
            "floors": [floor.to_dict() for floor in self.floors],
        }

    def write(self, path: str | Path) -> Path:
        """Write all floors to one JSON file, beside and then renamed.

        Raises
        ------
        InputError
            If the folder does not exist or cannot be written.
        """
        return _write(path, self.to_dict())


def _sum(floors: Sequence[ErrorFloor]) -> ErrorFloor:
    total = floors[0]
    for floor in floors[1:]:
        total = total + floor
    return total


def default_floors() -> FloorSet:
    """The measured floors that ship with the package; how they were made: ``calibration/README.md``."""
    return _shipped()


@lru_cache(maxsize=1)
def _shipped() -> FloorSet:
    folder = Path(__file__).with_name("data") / "floors"
    found: list[ErrorFloor] = []
    for path in sorted(folder.glob("*.json")):
        found += _read(path).floors
    return FloorSet(tuple(found))


# ---------------------------------------------------------------- reading


def read_floor(path: str | Path) -> ErrorFloor:
    """Read the error floor that a JSON file holds.

    Raises
    ------
    InputError
        If the file cannot be read, is no floor, has a newer version, counts that do not fit each other, or holds
        several floors (`read_floors` reads those). The message names the file and the JSON path.
    """
    floors = _read(Path(path)).floors
    if len(floors) != 1:
        raise InputError(
            f"{path}: must hold one floor, got {len(floors)}; read_floors reads several"
        )
    return floors[0]


def read_floors(path: str | Path) -> FloorSet:
    """Read all floors of a JSON file, or of the JSON files of a folder; those of the same kind add.

    Raises
    ------
    InputError
        As `read_floor`; also if a folder holds no JSON file.
    """
    source = Path(path)
    if not source.is_dir():
        return FloorSet() + _read(source)
    files = sorted(source.glob("*.json"))
    if not files:
        raise InputError(f"{source}: must hold floors as .json files, got none")
    return sum((_read(file) for file in files), FloorSet())


def _read(path: Path) -> FloorSet:
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InputError(
            f"{path}: must be UTF-8 text, got byte {error.start} that is not"
        ) from error
    return _parse(text, str(path))


def _parse(text: str, name: str) -> FloorSet:
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{name}: must be JSON: {error}") from error
    node = _Node(content, name, "$")
    version = node.integer("schema_version")
    if version > SCHEMA_VERSION:
        raise InputError(
            f"{name}: schema_version must be at most {SCHEMA_VERSION}, got {version}: "
            "a newer s2sverify wrote it"
        )
    kind = node.text("kind")
    if kind == "floor_set":
        return FloorSet(tuple(_floor(item) for item in node.items("floors")))
    if kind == "error_floor":
        return FloorSet((_floor(node),))
    raise InputError(f"{name}: kind must be 'error_floor' or 'floor_set', got {kind!r}")


@dataclass(frozen=True, slots=True)
class _Node:
    """A JSON value that knows where it stands, so that a message can say so."""

    value: Any
    file: str
    path: str

    def wrong(self, rule: str, value: Any = ...) -> InputError:
        got = self.value if value is ... else value
        return InputError(f"{self.file}: {self.path} must be {rule}, got {repr(got)[:80]}")

    def child(self, key: str) -> _Node:
        if not isinstance(self.value, dict):
            raise self.wrong("an object")
        if key not in self.value:
            raise InputError(f"{self.file}: {self.path}.{key} is missing")
        return _Node(self.value[key], self.file, f"{self.path}.{key}")

    def text(self, key: str) -> str:
        node = self.child(key)
        if not isinstance(node.value, str):
            raise node.wrong("text")
        return node.value

    def number(self, key: str) -> float:
        node = self.child(key)
        if isinstance(node.value, bool) or not isinstance(node.value, int | float):
            raise node.wrong("a number")
        if not (math.isfinite(node.value) and node.value >= 0):
            raise node.wrong("finite and at least 0")
        return float(node.value)

    def integer(self, key: str) -> int:
        return self.child(key).whole()

    def whole(self) -> int:
        if isinstance(self.value, bool) or not isinstance(self.value, int) or self.value < 0:
            raise self.wrong("a whole number of at least 0")
        return self.value

    def items(self, key: str) -> list[_Node]:
        node = self.child(key)
        if not isinstance(node.value, list):
            raise node.wrong("a list")
        return [_Node(v, self.file, f"{node.path}[{i}]") for i, v in enumerate(node.value)]

    def fields(self, key: str) -> dict[str, _Node]:
        node = self.child(key)
        if not isinstance(node.value, dict):
            raise node.wrong("an object")
        return {name: node.child(name) for name in node.value}


def _floor(node: _Node) -> ErrorFloor:
    members: tuple[ErrorFloor, ...] = ()
    if isinstance(node.value, dict) and "members" in node.value:
        members = tuple(_floor(member) for member in node.items("members"))
    words, silence = node.child("words"), node.child("silence")
    return ErrorFloor(
        engine=node.text("engine"),
        signature=node.text("signature"),
        voice=node.text("voice"),
        condition=node.text("condition"),
        language=node.text("language"),
        matcher=node.text("matcher"),
        date=node.text("date"),
        data=tuple(str(item.value) for item in node.items("data")),
        n_sentences=node.integer("n_sentences"),
        audio_s=node.number("audio_s"),
        kinds={kind: _kind_counts(item) for kind, item in node.fields("kinds").items()},
        near_misses={
            kind: {
                name: _kind_counts(part)
                for name, part in node.child("near_misses").fields(kind).items()
            }
            for kind in node.fields("near_misses")
        },
        heard_as={
            kind: {name: part.whole() for name, part in node.child("heard_as").fields(kind).items()}
            for kind in node.fields("heard_as")
        },
        plain=_word_errors(words, "plain"),
        valued=_word_errors(words, "valued"),
        silence=SilenceCounts(
            silence.number("seconds"), silence.integer("kept"), silence.integer("dropped")
        ),
        failed=tuple(_pair(item) for item in node.items("failed")),
        members=members,
    )


def _kind_counts(node: _Node) -> KindCounts:
    try:
        return KindCounts(**{name: node.integer(name) for name in KindCounts.__slots__})
    except InputError as error:
        where = "" if str(error).startswith(node.file) else f"{node.file}: {node.path}: "
        raise InputError(f"{where}{error}") from error


def _word_errors(node: _Node, key: str) -> WordErrors:
    rows = []
    for item in node.items(key):
        if not isinstance(item.value, list) or len(item.value) != 3:
            raise item.wrong("[words, errors, sentences]")
        n, errors, count = (
            _Node(v, item.file, f"{item.path}[{i}]").whole() for i, v in enumerate(item.value)
        )
        rows.append((n, errors, count))
    return WordErrors(tuple(sorted(rows)))


def _pair(node: _Node) -> tuple[str, str]:
    if not isinstance(node.value, list) or len(node.value) != 2:
        raise node.wrong("[clip, reason]")
    return str(node.value[0]), str(node.value[1])


def _write(path: str | Path, content: dict[str, Any]) -> Path:
    from s2sverify.trace import write_text_atomically

    text = json.dumps(content, ensure_ascii=False, indent=1)
    text = re.sub(r"\[\s+(\d+),\s+(\d+),\s+(\d+)\s+\]", r"[\1, \2, \3]", text)  # a row a line
    return write_text_atomically(path, text + "\n")


__all__ = [
    "ErrorFloor",
    "FloorChoice",
    "FloorSet",
    "default_floors",
    "matcher_version",
    "pool_floors",
    "read_floor",
    "read_floors",
]
