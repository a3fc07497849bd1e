"""Files of expected values and the words heard: read, matched row by row, counted."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from s2sverify.errors import InputError
from s2sverify.text.entities import EntityMatch, match_entity
from s2sverify.types import Outcome

_COLUMNS = ("expected", "spoken")


@dataclass(frozen=True, slots=True)
class MatchedRow:
    """One row of a file of pairs: its number from 1, its name, and the match or what is wrong with it."""

    number: int
    name: str
    match: EntityMatch | None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class MatchedTable:
    """All rows of a file of pairs, in order."""

    rows: tuple[MatchedRow, ...]

    @property
    def counts(self) -> Mapping[str, Mapping[str, int]]:
        """Outcomes by kind; rows with a problem stand under the kind "-"."""
        found: dict[str, Counter[str]] = {}
        for row in self.rows:
            kind = row.match.kind if row.match is not None else "-"
            outcome = row.match.outcome.value if row.match is not None else "problem"
            found.setdefault(kind, Counter())[outcome] += 1
        return {kind: dict(counter) for kind, counter in sorted(found.items())}

    @property
    def n_refuted(self) -> int:
        """Rows whose value was not said: another one in its place, or none."""
        wrong = (Outcome.DIFFERENT, Outcome.ABSENT)
        return sum(row.match is not None and row.match.outcome in wrong for row in self.rows)

    @property
    def n_problems(self) -> int:
        return sum(row.match is None for row in self.rows)


def match_table(
    path: str | Path, *, kind: str | None = None, locale: str = "en-US"
) -> MatchedTable:
    """Match every row of a file.

    Parameters
    ----------
    path : str or Path
        JSON lines (``.jsonl``), or CSV or TSV with a header. Fields ``expected`` and ``spoken`` are needed; ``kind``,
        ``locale`` and ``id`` may be there.
    kind, locale : str
        For rows that name none of their own.

    Returns
    -------
    MatchedTable
        A row that cannot be matched keeps its reason; the others are done.

    Raises
    ------
    InputError
        If the file cannot be read, or a CSV file has no such columns.
    """
    return MatchedTable(
        tuple(_matched(n, record, kind, locale) for n, record in _records(Path(path)))
    )


def _records(path: Path) -> Iterator[tuple[int, object]]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: must be UTF-8, byte {error.start} is not") from error
    if path.suffix.lower() in (".csv", ".tsv"):
        yield from _rows_of_csv(path, text.splitlines())
        return
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            try:
                yield number, json.loads(line)
            except ValueError as error:
                yield number, f"line {number} is not JSON: {error}"


def _rows_of_csv(path: Path, lines: Iterable[str]) -> Iterator[tuple[int, object]]:
    reader = csv.DictReader(lines, delimiter="\t" if path.suffix.lower() == ".tsv" else ",")
    try:
        missing = [name for name in _COLUMNS if name not in (reader.fieldnames or ())]
        if missing:
            raise InputError(f"{path}: must have a column {missing[0]!r}, has {reader.fieldnames}")
        for row in reader:
            yield reader.line_num, {name: value for name, value in row.items() if value}
    except csv.Error as error:
        raise InputError(f"{path}: line {reader.line_num} is not CSV: {error}") from error


def _matched(number: int, record: object, kind: str | None, locale: str) -> MatchedRow:
    if not isinstance(record, Mapping):
        problem = record if isinstance(record, str) else f"row {number} must be an object"
        return MatchedRow(number, str(number), None, problem)
    name = str(record.get("id", number))
    missing = [column for column in _COLUMNS if record.get(column) is None]
    if missing:
        return MatchedRow(number, name, None, f"{missing[0]} is missing")
    try:
        found = match_entity(
            record["expected"],
            str(record["spoken"]),
            kind=record.get("kind") or kind,
            locale=record.get("locale") or locale,
        )
    except InputError as error:
        return MatchedRow(number, name, None, str(error))
    return MatchedRow(number, name, found)


__all__ = ["MatchedRow", "MatchedTable", "match_table"]
