"""The command line: parses, calls, prints. Every verb answers ``--json``; what is printed carries a version.

Exit codes: 0 nothing refuted; 1 something refuted or a gate failed; 2 bad input or usage; 3 an engine or a
dependency failed; 130 interrupted; 141 the reader of the output went away.
"""

from __future__ import annotations

import json
import math
import os
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from s2sverify.errors import EngineError, InputError, MissingDependencyError, VerifyError
from s2sverify.types import Role, to_plain

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.console import Console

    from s2sverify.floor import ErrorFloor, FloorSet
    from s2sverify.results import CallReport
    from s2sverify.text.entities import EntityMatch
    from s2sverify.timing import Timing
    from s2sverify.trace import Call
    from s2sverify.types import Interval, Transcript

JSON_VERSION = 1  # of everything that `--json` prints
REFUTED, BAD_INPUT, FAILED, INTERRUPTED, PIPE_CLOSED = 1, 2, 3, 130, 141

app = typer.Typer(
    name="s2sverify",
    help="Find out what a speech-to-speech voice agent really heard, said and did.",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

# Typer carries click's errors under its own roof in newer versions; the public class leads to them in all.
_UsageError: Any = typer.BadParameter.__bases__[0]
_ClickError: Any = _UsageError.__bases__[0]

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")


def printable(text: object) -> str:
    """Text from outside, safe to print: control characters and direction marks become visible escapes."""
    return _CONTROL.sub(lambda match: f"\\u{ord(match[0]):04x}", str(text))


def print_json(kind: str, values: Mapping[str, Any]) -> None:
    """Print one JSON object to standard output; `kind` names what it is."""
    plain = {"schema_version": JSON_VERSION, "kind": kind, **to_plain(values)}
    print(json.dumps(plain, ensure_ascii=False, indent=1, allow_nan=False))


def console() -> Console:
    """Where tables for people go; as wide as the terminal, 120 columns where there is none."""
    from rich.console import Console

    width = None if sys.stdout.isatty() or "COLUMNS" in os.environ else 120
    return Console(highlight=False, markup=False, width=width)


@contextmanager
def progress_bar(what: str) -> Iterator[Callable[[float, float], None]]:
    """Give a ``report(done, total)`` that draws a bar on standard error once work has lasted two seconds.

    Nothing is drawn where standard error is no terminal.
    """
    import time

    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.percentage:>3.0f} %"),
               TimeRemainingColumn())  # fmt: skip
    bar = Progress(*columns, console=Console(stderr=True), transient=True)
    task = bar.add_task(what, total=None)
    began = time.monotonic()

    def report(done: float, total: float) -> None:
        if not bar.live.is_started and time.monotonic() - began > 2.0:
            bar.start()
        bar.update(task, completed=done, total=total)

    try:
        yield report
    finally:
        bar.stop()


def _show_version(asked: bool) -> None:
    if asked:
        from s2sverify import __version__

        print(__version__)
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool,
        typer.Option("--version", help="Print the version.", callback=_show_version, is_eager=True),
    ] = False,
) -> None:
    """Find out what a speech-to-speech voice agent really heard, said and did."""


@app.command()
def schema(
    name: Annotated[str, typer.Argument(help="Which schema: trace, condition.")] = "trace",
) -> None:
    """Print a JSON schema of the formats that s2sverify reads."""
    from s2sverify.line import condition_schema
    from s2sverify.trace import trace_schema

    schemas = {"trace": trace_schema, "condition": condition_schema}
    if name not in schemas:
        raise InputError(f"NAME must be one of {', '.join(schemas)}, got {name!r}")
    print(json.dumps(schemas[name](), indent=1, ensure_ascii=False))


Audio = Annotated[
    str, typer.Argument(metavar="AUDIO", help="Stereo recording: caller left, agent right.")
]
TraceFile = Annotated[
    str | None,
    typer.Argument(metavar="TRACE", help="What the session logged (s2sverify schema trace)."),
]
EngineName = Annotated[
    str | None, typer.Option("--engine", help="Speech to text, e.g. whisper:tiny.en.")
]
FloorFile = Annotated[
    str | None, typer.Option("--floor", help="Error floors to judge by, instead of those shipped.")
]
Budget = Annotated[
    float,
    typer.Option("--false-alarm", help="Refute only below this probability of a false alarm."),
]
Locale = Annotated[str, typer.Option("--locale", help="Readings: en-US, en-GB, en-AU or en-IN.")]
CacheFolder = Annotated[
    str | None,
    typer.Option("--cache", help="Folder of finished transcriptions.", show_default=False),
]
OutFile = Annotated[
    str | None, typer.Option("--out", help="Write the JSON report to this file as well.")
]
RawRate = Annotated[
    int | None, typer.Option("--rate", help="Rate in Hz of a file without a header.")
]
RawEncoding = Annotated[
    str | None, typer.Option("--encoding", help="Coding of a file without a header, e.g. mulaw.")
]
RawChannels = Annotated[
    int | None, typer.Option("--channels", help="Channels of a file without a header.")
]
CallerChannel = Annotated[
    int, typer.Option("--caller-channel", help="Channel of the caller, counted from 0.")
]
AgentChannel = Annotated[
    int | None,
    typer.Option("--agent-channel", help="Channel of the agent; of two, the other one."),
]


@app.command()
def verify(
    audio: Audio,
    trace: TraceFile = None,
    engine: EngineName = None,
    floor: FloorFile = None,
    false_alarm: Budget = 0.01,
    locale: Locale = "en-US",
    cache: CacheFolder = None,
    out: OutFile = None,
    rate: RawRate = None,
    encoding: RawEncoding = None,
    channels: RawChannels = None,
    caller_channel: CallerChannel = 0,
    agent_channel: AgentChannel = None,
    as_json: AsJson = False,
) -> int:
    """Say what the agent really said, next to its own transcript and to what the tools returned.

    Exit code 1 where a value or a turn is refuted.
    """
    from s2sverify.recording import read_recording
    from s2sverify.trace import read_call

    recording = read_recording(
        audio, sr=rate, encoding=encoding, channels=channels,
        caller_channel=caller_channel, agent_channel=agent_channel,
    )  # fmt: skip
    return _verify_and_show(
        read_call(recording, trace), engine, floor, false_alarm, locale, cache, out, as_json
    )


@app.command()
def demo(
    engine: EngineName = None,
    cache: CacheFolder = None,
    as_json: AsJson = False,
) -> int:
    """Verify the sample call that comes with the package: one amount was spoken wrong.

    Exit code 1, as `verify` gives it for a call with a refuted value.
    """
    from s2sverify.sample import sample_paths
    from s2sverify.trace import read_call

    audio, trace = sample_paths()
    return _verify_and_show(
        read_call(audio, trace), engine, None, 0.01, "en-US", cache, None, as_json
    )


def _verify_and_show(
    call: Call,
    engine: str | None,
    floor: str | None,
    false_alarm: float,
    locale: str,
    cache: str | None,
    out: str | None,
    as_json: bool,
) -> int:
    from s2sverify.engines.cache import TranscriptCache
    from s2sverify.trace import write_text_atomically
    from s2sverify.triangle import verify as verify_call

    with progress_bar("transcribing") as report:
        result = verify_call(
            call, engine=engine, floor=floor, false_alarm=false_alarm, locale=locale,
            cache=TranscriptCache(cache), progress=report,
        )  # fmt: skip
    if out is not None:
        text = json.dumps(result.to_dict(), ensure_ascii=False, indent=1, allow_nan=False)
        write_text_atomically(out, text + "\n")
    if as_json:
        print_json("call_report", result.to_dict())
    else:
        _print_report(result)
    return REFUTED if result.any_refuted else 0


def _place(interval: Interval | None) -> str:
    return f"{interval.start_s:.2f}-{interval.end_s:.2f}" if interval else "-"


_COLOURS = {"refuted": "bold red", "inconclusive": "yellow", "confirmed": "green"}


def _print_report(report: CallReport) -> None:
    from rich.table import Table
    from rich.text import Text

    screen = console()
    screen.print(
        f"{printable(report.name)}: {report.duration_s:.1f} s, heard by {report.engine.name}"
    )
    values = Table(box=None, header_style="bold", pad_edge=False)
    for column in ("turn", "listen (s)", "kind", "expected", "heard", "verdict", "owner", "from"):
        values.add_column(column, overflow="fold")
    for entity in report.entities:
        values.add_row(
            printable(entity.turn),
            _place(entity.interval),
            entity.kind,
            printable(entity.expected if entity.expected is not None else "-"),
            printable(entity.heard if entity.heard is not None else "-"),
            Text(entity.verdict.value, style=_COLOURS.get(entity.verdict.value, "")),
            entity.owner.value if entity.owner else "",
            printable(entity.source),
        )
    if report.entities:
        screen.print(values)
        screen.print()
    for entity in report.entities:
        if entity.verdict.value not in ("refuted", "inconclusive"):
            continue
        value = entity.expected if entity.expected is not None else entity.heard
        line = f"turn {entity.turn} {_place(entity.interval)} s {entity.kind} {value} "
        chance = ""
        if entity.verdict.value == "refuted":
            chance = (
                f" (a faithful agent looks like this in at most {100 * entity.false_alarm:.2g} %)"
            )
        screen.print(
            Text(printable(line))
            + Text(entity.verdict.value, style=_COLOURS[entity.verdict.value])
            + Text(f": {printable(entity.reason)}{chance}")
        )
    for turn in report.turns:
        said_by_value = any(e.verdict is turn.verdict for e in turn.entities)
        if turn.verdict.value in ("refuted", "inconclusive") and not said_by_value:
            place = (
                f" {turn.interval.start_s:.2f}-{turn.interval.end_s:.2f} s" if turn.interval else ""
            )
            screen.print(
                Text(f"turn {printable(turn.turn)}{place} ")
                + Text(turn.verdict.value, style=_COLOURS[turn.verdict.value])
                + Text(f": {printable(turn.reason)}")
            )
            screen.print(f"  transcript: {printable(turn.heard)}")
            screen.print(f"  heard:      {printable(turn.a_out)}")
        if turn.truncation is not None and turn.truncation.unplayed:
            screen.print(
                f"turn {printable(turn.turn)} was cut at {turn.truncation.at_s:.2f} s; never played: "
                f"{printable(turn.truncation.unplayed)!r}"
            )
    for name, rate in (
        ("spoken-transcript disagreement", report.spoken_transcript_disagreement_rate),
        ("entity readback accuracy", report.readback_accuracy),
        ("tool-speech consistency", report.tool_speech_consistency),
    ):
        low, high = rate.interval
        share = f"{rate.k} of {rate.n}"
        screen.print(
            f"{name}: {share}"
            + (f" (95 %: {100 * low:.0f} to {100 * high:.0f} %)" if rate.n else "")
        )
    for finding in report.findings:
        screen.print(f"finding: {printable(finding.message)}")
    for warning in report.warnings:
        screen.print(Text(f"warning: {printable(warning)}", style="yellow"))


@app.command()
def transcribe(
    audio: Audio,
    engine: EngineName = None,
    channel: Annotated[
        str, typer.Option("--channel", help="Whose channel: agent, caller or both.")
    ] = "both",
    cache: CacheFolder = None,
    rate: RawRate = None,
    encoding: RawEncoding = None,
    channels: RawChannels = None,
    caller_channel: CallerChannel = 0,
    agent_channel: AgentChannel = None,
    as_json: AsJson = False,
) -> None:
    """Write down what an independent engine hears on each channel, with the time of every word."""
    from s2sverify.engines.base import open_engine
    from s2sverify.engines.cache import TranscriptCache
    from s2sverify.engines.pieces import transcribe as transcribe_channel
    from s2sverify.recording import read_recording

    if channel not in ("agent", "caller", "both"):
        raise InputError(f"--channel must be agent, caller or both, got {channel!r}")
    recording = read_recording(
        audio, sr=rate, encoding=encoding, channels=channels,
        caller_channel=caller_channel, agent_channel=agent_channel,
    )  # fmt: skip
    if recording.n_channels == 1:
        signals = {"mono": recording.read(0.0, recording.duration_s)[0]}
    else:
        roles = list(Role) if channel == "both" else [Role(channel)]
        signals = {role.value: recording.channel(role) for role in roles}
    hearing = open_engine(engine)
    texts = {}
    for name, signal in signals.items():
        with progress_bar(f"transcribing {name}") as report:
            texts[name] = transcribe_channel(
                signal, recording.sr, hearing, cache=TranscriptCache(cache), progress=report
            )
    if as_json:
        channels_plain = {
            name: {"text": heard.text, "words": heard.words, "dropped": heard.dropped}
            for name, heard in texts.items()
        }
        signature = str(hearing.info.signature)
        print_json("transcript", {"audio": audio, "engine": signature, "channels": channels_plain})
        return
    screen = console()
    for time_s, name, line in sorted(_lines(texts)):
        screen.print(f"{time_s:8.2f}  {name:6}  {printable(line)}")


def _lines(texts: Mapping[str, Transcript]) -> Iterator[tuple[float, str, str]]:
    """Words up to a pause above half a second, as lines with the time of their first word."""
    for name, heard in texts.items():
        line: list[str] = []
        start_s = end_s = 0.0
        for word in heard.words:
            if line and word.start_s - end_s > 0.5:
                yield start_s, name, " ".join(line)
                line = []
            if not line:
                start_s = word.start_s
            line.append(word.text)
            end_s = word.end_s
        if line:
            yield start_s, name, " ".join(line)


@app.command()
def calibrate(
    voice: Annotated[str, typer.Option("--voice", help="Name of the voice.")],
    out: Annotated[str, typer.Option("--out", help="Write the error floor to this file.")],
    clips: Annotated[
        str | None,
        typer.Argument(
            help="Manifest of clips whose words are known: JSON lines or CSV.", show_default=False
        ),
    ] = None,
    tts: Annotated[
        str | None,
        typer.Option(
            "--tts",
            help="Instead of a manifest: a program that speaks {text} (or standard input) to {out}, a WAV file.",
            show_default=False,
        ),
    ] = None,
    n: Annotated[int, typer.Option("-n", help="With --tts: values of each kind.")] = 100,
    condition: Annotated[
        str, typer.Option("--condition", help="The line that the clips are put through.")
    ] = "clean",
    engine: EngineName = None,
    locale: Locale = "en-US",
    cache: CacheFolder = None,
    seed: Annotated[int, typer.Option("--seed", help="Of sentences, noise and losses.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Count what an engine gets wrong on known speech of one voice through one line.

    Nothing is spoken or transcribed twice: stopped, the same command goes on from there.
    """
    from pathlib import Path

    from s2sverify.clips import calibrate as measure
    from s2sverify.clips import speak_clips
    from s2sverify.engines.cache import TranscriptCache
    from s2sverify.sentences import calibration_sentences

    if (clips is None) == (tts is None):
        raise InputError(
            "either CLIPS or --tts must be given, got " + ("both" if tts else "neither")
        )
    if not Path(out).parent.is_dir():  # said before the work, not after it
        raise InputError(f"{out}: cannot be written, there is no folder {Path(out).parent}")
    kept = TranscriptCache(cache)
    known: Any = clips
    if tts is not None:
        with progress_bar("speaking") as report:
            known, mute = speak_clips(
                calibration_sentences(n, rng=seed), tts, kept.folder / "clips", progress=report
            )
        if mute and not known:
            raise InputError(f"--tts must speak, got nothing from it: {mute[0][1]}")
        for name, reason in mute:
            _complain(f"not spoken: {name}: {reason}")
    with progress_bar("calibrating") as report:
        floor = measure(
            known, engine, voice=voice, condition=condition, locale=locale, cache=kept, rng=seed,
            progress=report,
        )  # fmt: skip
    floor.write(out)
    if as_json:
        print_json("error_floor", floor.to_dict())
    else:
        _print_floor(floor)


def _print_floor(floor: ErrorFloor) -> None:
    from rich.table import Table

    screen = console()
    minutes = floor.audio_s / 60
    screen.print(f"{printable(floor)}: {floor.n_sentences} sentences, {minutes:.1f} min")
    table = Table(box=None, header_style="bold", pad_edge=False)
    columns = ("kind", "n", "spoken", "different", "absent", "ambiguous", "near misses taken")
    for column in columns:
        table.add_column(column, justify="left" if column == "kind" else "right")
    table.add_column("at most (95 %): different", justify="right")
    table.add_column("absent", justify="right")
    table.add_column("near miss taken", justify="right")
    for kind, counts in floor.kinds.items():
        bounds = (
            floor.false_alarm_bound(kind, "different"),
            floor.false_alarm_bound(kind, "absent"),
            floor.confirmation_bound(kind),
        )
        table.add_row(
            printable(kind), str(counts.n), str(counts.spoken), str(counts.different),
            str(counts.absent), str(counts.ambiguous), f"{counts.partner_accepted} of {counts.partners}",
            *(f"{100 * bound:.1f} %" for bound in bounds),
        )  # fmt: skip
    if floor.kinds:
        screen.print(table)
    words = floor.words()
    if words.n_words:
        screen.print(
            f"words: {words.errors} errors in {words.n_words} ({100 * words.word_error_rate:.2g} %)"
        )
    for name, reason in floor.failed:
        screen.print(f"not used: {printable(name)}: {printable(reason)}")


floors_app = typer.Typer(
    help="Error floors: list those at hand, show one, add batches up, check which speaks for a run.",
    rich_markup_mode=None,
)
app.add_typer(floors_app, name="floors")

FloorPath = Annotated[
    str | None,
    typer.Argument(help="Floor file or folder; those shipped by default.", show_default=False),
]


@floors_app.command("list")
def list_floors(path: FloorPath = None, as_json: AsJson = False) -> None:
    """List floors: engine, voice, line, how much was measured, and whether this matcher fits."""
    from rich.table import Table

    from s2sverify.floor import matcher_version

    floors = _floors(path).floors
    now = matcher_version()
    rows = [
        {
            "engine": floor.engine, "voice": floor.voice, "condition": floor.condition,
            "language": floor.language, "date": floor.date, "sentences": floor.n_sentences,
            "values": sum(counts.n for counts in floor.kinds.values()),
            "words": floor.words().n_words, "matcher": floor.matcher,
            "stale": floor.matcher != now, "signature": floor.signature,
        }
        for floor in floors
    ]  # fmt: skip
    if as_json:
        print_json("floors", {"floors": rows})
        return
    table = Table(box=None, header_style="bold", pad_edge=False)
    columns = ("engine", "voice", "condition", "language", "date", "sentences", "values", "matcher")
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows:
        mark = " (stale)" if row["stale"] else ""
        table.add_row(*(printable(row[c]) for c in columns[:-1]), printable(row["matcher"]) + mark)
    console().print(table)


@floors_app.command("show")
def show_floor(
    path: Annotated[str, typer.Argument(help="Floor file of one floor.", show_default=False)],
    as_json: AsJson = False,
) -> None:
    """Show the counts and bounds of one floor."""
    from s2sverify.floor import read_floor

    floor = read_floor(path)
    if as_json:
        print_json("error_floor", floor.to_dict())
    else:
        _print_floor(floor)


@floors_app.command("merge")
def merge_floors(
    paths: Annotated[list[str], typer.Argument(help="Floor files or folders.", show_default=False)],
    out: Annotated[str, typer.Option("--out", help="Write all floors to this file.")],
    as_json: AsJson = False,
) -> None:
    """Put floors into one file; batches of one engine, voice and line add up."""
    from s2sverify.floor import FloorSet, read_floors

    merged = FloorSet()
    for path in paths:
        merged = merged + read_floors(path)
    merged.write(out)
    if as_json:
        print_json("floors_merged", {"out": out, "floors": [str(f) for f in merged.floors]})
        return
    for floor in merged.floors:
        print(f"{printable(floor)}: {floor.n_sentences} sentences")


@floors_app.command("check")
def check_floors(
    path: FloorPath = None,
    engine: EngineName = None,
    voice: Annotated[str | None, typer.Option("--voice", help="Name of the voice.")] = None,
    condition: Annotated[str | None, typer.Option("--condition", help="The line.")] = None,
    locale: Locale = "en-US",
    as_json: AsJson = False,
) -> int:
    """Say which floor speaks for an engine, a voice and a line. Exit code 1 where none does."""
    from s2sverify.engines.base import open_engine

    info = open_engine(engine).info
    choice = _floors(path).find(info, voice, condition, language=locale)
    if as_json:
        values = {
            "floor": None if choice.floor is None else str(choice.floor), "exact": choice.exact,
            "warning": choice.warning, "signature": str(info.signature),
        }  # fmt: skip
        print_json("floor_choice", values)
    else:
        print(printable(choice.floor) if choice.floor is not None else "no floor speaks for it")
        if choice.warning:
            print(f"warning: {printable(choice.warning)}")
    return REFUTED if choice.floor is None else 0


def _floors(path: str | None) -> FloorSet:
    from s2sverify.floor import default_floors, read_floors

    return default_floors() if path is None else read_floors(path)


@app.command()
def match(
    expected: Annotated[
        str | None, typer.Argument(help="The value, as a tool returned it.", show_default=False)
    ] = None,
    spoken: Annotated[
        str | None, typer.Argument(help="The words heard.", show_default=False)
    ] = None,
    kind: Annotated[
        str | None, typer.Option("--kind", help="digits, code, money, date ...; any, if left out.")
    ] = None,
    table: Annotated[
        str | None,
        typer.Option("--table", help="JSON lines, CSV or TSV with columns expected and spoken."),
    ] = None,
    locale: Locale = "en-US",
    as_json: AsJson = False,
) -> int:
    """Say whether a value is said in a text, or what is said in its place; with --table, row by row.

    Exit code 1 where a value was not said, 2 where a row of a table cannot be matched.
    """
    from s2sverify.text.entities import match_entity
    from s2sverify.types import Outcome

    if table is not None:
        if expected is not None:
            raise InputError("EXPECTED and SPOKEN cannot be given together with --table")
        return _match_table(table, kind, locale, as_json)
    if expected is None or spoken is None:
        raise InputError("EXPECTED and SPOKEN, or --table FILE, must be given")
    found = match_entity(expected, spoken, kind=kind, locale=locale)
    if as_json:
        plain = to_plain(found) | {"edits": [str(edit) for edit in found.edits]}
        print_json("match", {"spoken": spoken, "match": plain})
    else:
        print(printable(_match_line(found)))
    return REFUTED if found.outcome in (Outcome.DIFFERENT, Outcome.ABSENT) else 0


def _match_line(found: EntityMatch) -> str:
    """One match on one line."""
    notes = []
    if found.heard not in (None, found.expected):
        notes.append(f"heard {found.heard}")
    notes += [str(edit) for edit in found.edits]
    if found.near_miss:
        notes.append(found.near_miss)
    notes += [note for note in (found.reading, found.doubt) if note]
    if found.corrected:
        notes.append("after a self-correction")
    what = f"{found.outcome.value:9}  {found.kind} {found.expected}"
    return f"{what}: {'; '.join(notes)}" if notes else what


def _match_table(path: str, kind: str | None, locale: str, as_json: bool) -> int:
    from s2sverify.text.tables import match_table

    done = match_table(path, kind=kind, locale=locale)
    if as_json:
        rows = [
            {"row": row.number, "id": row.name, "match": row.match, "problem": row.problem or None}
            for row in done.rows
        ]
        print_json("matches", {"table": path, "counts": done.counts, "rows": rows})
    else:
        screen = console()
        for row in done.rows:
            line = _match_line(row.match) if row.match is not None else f"problem    {row.problem}"
            screen.print(f"{printable(row.name):>8}  {printable(line)}")
        for name, counts in done.counts.items():
            screen.print(f"{name:>8}  " + ", ".join(f"{n} {what}" for what, n in counts.items()))
    return BAD_INPUT if done.n_problems else REFUTED if done.n_refuted else 0


@app.command()
def sentences(
    out: Annotated[
        str, typer.Argument(help="JSON lines: what is to be spoken.", show_default=False)
    ],
    n: Annotated[int, typer.Option("-n", help="Values of each kind.")] = 100,
    seed: Annotated[int, typer.Option("--seed", help="Of the random values.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Write sentences with known values for a voice to speak, as a manifest for `calibrate`.

    Each line names the audio file it expects beside the manifest: <id>.wav with the words of "spoken".
    """
    from s2sverify.sentences import calibration_sentences, write_clips

    written = calibration_sentences(n, rng=seed)
    write_clips(written, out)
    n_values = sum(len(sentence.values) for sentence in written)
    if as_json:
        print_json("sentences", {"manifest": out, "sentences": len(written), "values": n_values})
    else:
        print(f"{printable(out)}: {len(written)} sentences with {n_values} values")


@app.command()
def degrade(
    audio: Annotated[str, typer.Argument(metavar="IN", help="Recording of one or two channels.")],
    out: Annotated[str, typer.Argument(metavar="OUT", help="WAV or FLAC file to write.")],
    condition: Annotated[
        str,
        typer.Option("--condition", help="A name of `s2sverify conditions`, or a JSON file."),
    ],
    seed: Annotated[int, typer.Option("--seed", help="Of noise and loss.")] = 0,
    call: Annotated[
        str, typer.Option("--call", help="Name of the call: other noise with the same seed.")
    ] = "",
    coding: Annotated[
        str, typer.Option("--write", help="Coding of OUT, e.g. pcm_s16le, pcm_mulaw.")
    ] = "pcm_s16le",
    rate: RawRate = None,
    encoding: RawEncoding = None,
    channels: RawChannels = None,
    caller_channel: CallerChannel = 0,
    as_json: AsJson = False,
) -> None:
    """Put a line condition on a recording, however long, and say what was changed where."""
    from s2sverify.line import degrade_file, load_condition

    if os.path.realpath(audio) == os.path.realpath(out):
        raise InputError(f"OUT must be another file than AUDIO, got {out!r} for both")
    line = load_condition(condition)
    with progress_bar(line.name) as report:
        done = degrade_file(
            audio, out, line, rng=seed, call=call, encoding=coding, progress=report,
            sr=rate, read_encoding=encoding, channels=channels, caller_channel=caller_channel,
        )  # fmt: skip
    if as_json:
        print_json("degraded", {"audio": audio, "out": out, **done.to_dict()})
        return
    screen = console()
    screen.print(
        f"{printable(out)}: {printable(line.name)}, seed {seed}, {done.duration_s:.2f} s at "
        f"{done.sr} Hz, {done.n_channels} channels, {done.written.clipped_samples} samples clipped"
    )
    for change in done.changes:
        screen.print(f"  {change.kind:10} channel {change.channel}  {printable(change)}")


@app.command()
def conditions(
    name: Annotated[
        str | None, typer.Argument(help="Print this one as JSON, to be changed.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the line conditions that come with the package."""
    from s2sverify.line import as_condition
    from s2sverify.line import conditions as known_conditions

    if name is not None:
        print(as_condition(name).to_json())
        return
    known = known_conditions()
    if as_json:
        plain = [line.to_dict() | {"signature": line.signature} for line in known.values()]
        print_json("conditions", {"conditions": plain})
        return
    screen = console()
    for line in known.values():
        screen.print(f"{line.name:12} {line.description}")


@app.command()
def measure(
    audio: Audio,
    trace: Annotated[
        str | None,
        typer.Option("--trace", help="What the session logged (s2sverify schema trace)."),
    ] = None,
    export: Annotated[
        list[str] | None,
        typer.Option(
            "--export",
            help="Write turns and overlaps to this file too: .txt (Audacity labels), .rttm or .csv. Repeatable.",
            show_default=False,
        ),
    ] = None,
    long_silence: Annotated[
        float, typer.Option("--long-silence", help="List stretches of silence over this, in s.")
    ] = 4.0,
    out: OutFile = None,
    rate: RawRate = None,
    encoding: RawEncoding = None,
    channels: RawChannels = None,
    caller_channel: CallerChannel = 0,
    agent_channel: AgentChannel = None,
    as_json: AsJson = False,
) -> None:
    """Measure turns, response latency, overlap and barge-in from the recording alone."""
    from s2sverify.artefacts import find_artefacts
    from s2sverify.compat import compare_definitions, eva, full_duplex_bench, tau_voice
    from s2sverify.labels import write_labels
    from s2sverify.playback import what_was_heard
    from s2sverify.recording import read_recording
    from s2sverify.timing import measure_timing
    from s2sverify.trace import read_call, write_text_atomically

    recording = read_recording(
        audio, sr=rate, encoding=encoding, channels=channels,
        caller_channel=caller_channel, agent_channel=agent_channel,
    )  # fmt: skip
    call = read_call(recording, trace)
    timing = measure_timing(call, long_silence_s=long_silence)
    values = timing.to_dict() | {
        "artefacts": find_artefacts(recording, timing),
        "heard": what_was_heard(call, timing) if call.trace is not None else (),
        "elsewhere": {
            "tau_voice": tau_voice(timing),
            "full_duplex_bench": full_duplex_bench(timing),
            "eva": eva(timing),
            "differences": compare_definitions(timing),
        },
    }
    for path in export or ():
        write_labels(timing, path)
    if out is not None:
        plain = {"schema_version": JSON_VERSION, "kind": "timing", **to_plain(values)}
        text = json.dumps(plain, ensure_ascii=False, indent=1, allow_nan=False)
        write_text_atomically(out, text + "\n")
    if as_json:
        print_json("timing", values)
    else:
        _show_timing(timing, values)


def _show_timing(timing: Timing, values: Mapping[str, Any]) -> None:
    from rich.table import Table

    screen = console()
    shown = []
    for q in (50, 90):
        low, high = timing.percentile_interval(q)
        bounds = f"at least {_ms(low)}" if math.isfinite(low) else "no lower bound"
        bounds += f", at most {_ms(high)}" if math.isfinite(high) else ", no upper bound"
        shown.append(f"P{q} {_ms(timing.percentile(q))} ms ({bounds})")
    screen.print(
        f"{printable(timing.name)}: {timing.duration_s:.1f} s, {len(timing.responses)} caller turns; latency "
        f"{'; '.join(shown)}; 95 % bounds from {len(timing.latencies_s)} latencies, {len(timing.censored_s)} unanswered"
    )
    for reason in dict.fromkeys(timing.refused.values()):
        screen.print(f"refused: {printable(reason)}")
    table = Table(box=None, pad_edge=False)
    for name in ("caller s", "ends s", "agent s", "latency ms", "may lie in", "status", "reason"):
        table.add_column(name, justify="left" if name in ("status", "reason") else "right")
    for r in timing.responses:
        where = "" if math.isnan(r.latency_s) else (
            f"{_ms(r.latency_interval.start_s)} .. {_ms(r.latency_interval.end_s)}"
        )  # fmt: skip
        if r.censored:
            where = f"> {_ms(r.observed_s)}"
        table.add_row(
            f"{r.caller_onset_s:.3f}", f"{r.caller_offset_s:.3f}",
            "" if math.isnan(r.agent_onset_s) else f"{r.agent_onset_s:.3f}",
            "" if math.isnan(r.latency_s) else _ms(r.latency_s), where, str(r.status), printable(r.reason),
        )  # fmt: skip
    screen.print(table)
    for o in timing.overlaps:
        kept = "" if o.yielded is None else f", the {o.yielded} yielded"
        screen.print(
            f"overlap  {o.start_s:.3f} .. {o.end_s:.3f} s ({_ms(o.duration_s)} ms): {o.kind}, the {o.second} came "
            f"second{kept}"
        )
    for b in timing.barge_ins:
        stop = (
            f"the agent stopped after {_ms(b.yield_latency_s)} ms"
            if b.yielded
            else "the agent went on"
        )
        what = "backchannel" if b.backchannel else "barge-in"
        screen.print(f"{what:8} {b.caller_onset_s:.3f} s: {stop}")
    for silence in timing.long_silences:
        screen.print(f"silence  {silence.start_s:.3f} .. {silence.end_s:.3f} s")
    for artefact in values["artefacts"]:
        where = f"{artefact.interval.start_s:.3f} .. {artefact.interval.end_s:.3f} s"
        screen.print(
            f"artefact {where}: {artefact.kind.replace('_', ' ')} {artefact.sound}".rstrip()
        )
    for heard in values["heard"]:
        if heard.cut:
            screen.print(
                f"cut      {heard.cut_s:.3f} s ({heard.evidence}), never heard: {printable(heard.unheard)}"
            )
    for finding in timing.findings:
        screen.print(f"finding  {printable(finding.message)}")


def _ms(value_s: float) -> str:
    return (
        f"{1000 * value_s:.0f}"
        if math.isfinite(value_s)
        else ("-" if value_s != value_s else f"{value_s}")
    )


@app.command()
def selftest(
    calls: Annotated[int, typer.Option("-n", help="Calls per condition, about 30 s each.")] = 4,
    condition: Annotated[
        list[str] | None,
        typer.Option(
            "--condition", help="Only this line condition. Repeatable.", show_default=False
        ),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Of voices, turns and noise.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Make calls of known truth on this machine, measure them, and print the error per condition."""
    from rich.table import Table

    from s2sverify.selftest import CONDITIONS, ConditionError, self_test

    names = condition or list(CONDITIONS)
    rows: list[ConditionError] = []
    with progress_bar("selftest") as report:
        for done, name in enumerate(names):
            report(done, len(names))
            rows += self_test(conditions=(name,), calls=calls, rng=seed)
    if as_json:
        print_json("selftest", {"calls": calls, "seed": seed, "conditions": rows})
        return
    table = Table(box=None, pad_edge=False)
    heads = ("condition", "turns", "missed", "invented", "onset", "p95", "offset", "p95",
             "P50 off", "P90 off", "covered", "width")  # fmt: skip
    for number, head in enumerate(heads):
        table.add_column(head, justify="right" if number else "left")
    for row in rows:
        table.add_row(
            row.condition, str(row.turns), str(row.missed), str(row.invented),
            *(_ms(v) for v in (row.onset_median_s, row.onset_p95_s, row.offset_median_s, row.offset_p95_s,
                               row.latency_p50_s, row.latency_p90_s)),
            f"{row.covered:.0%}", _ms(row.width_median_s),
        )  # fmt: skip
    screen = console()
    screen.print("errors in ms; covered: edges whose stated interval holds the truth")
    screen.print(table)


def main(arguments: list[str] | None = None) -> int:
    """Run the command line and return its exit code; no error leaves as a traceback."""
    try:
        arguments = sys.argv[1:] if arguments is None else arguments
        code = app(args=arguments or ["--help"], prog_name="s2sverify", standalone_mode=False)
        sys.stdout.flush()
        if code == INTERRUPTED:  # typer's answer to Ctrl-C
            return _interrupted()
        return code if isinstance(code, int) else 0
    except typer.Exit as done:
        return done.exit_code
    except (KeyboardInterrupt, typer.Abort):
        return _interrupted()
    except (BrokenPipeError, SystemExit) as error:
        if isinstance(error, SystemExit) and not isinstance(error.__context__, OSError):
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return PIPE_CLOSED
    except _UsageError as error:
        where = f"{error.ctx.command_path}: " if error.ctx else ""
        _complain(f"{where}{error.format_message()} (--help shows the usage)")
        return BAD_INPUT
    except _ClickError as error:
        _complain(error.format_message())
        return BAD_INPUT
    except (EngineError, MissingDependencyError) as error:
        _complain(str(error))
        return FAILED
    except VerifyError as error:
        _complain(str(error))
        return BAD_INPUT
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        _complain(f"{place}{error.strerror or error}")
        return BAD_INPUT
    except Exception as error:  # the last line of defence: one line, not a traceback
        if os.environ.get("S2SVERIFY_DEBUG"):
            raise
        _complain(
            f"unexpected {type(error).__name__}: {error}; S2SVERIFY_DEBUG=1 shows where it came from"
        )
        return FAILED


def _interrupted() -> int:
    _complain("interrupted; finished work is kept, the same command goes on from there")
    return INTERRUPTED


def _complain(message: str) -> None:
    line = " ".join(printable(message.replace("\n", " ")).split())
    print(f"s2sverify: {line}", file=sys.stderr)


def run() -> None:
    """The console script."""
    sys.exit(main())
