"""The command line: parses, calls, prints. Every verb answers ``--json``; what is printed carries a version.

Exit codes: 0 nothing refuted; 1 something refuted or a gate failed; 2 bad input or usage; 3 an engine or a
dependency failed; 130 interrupted; 141 the reader of the output went away.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from s2sverify.errors import EngineError, InputError, MissingDependencyError, VerifyError
from s2sverify.types import to_plain

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.console import Console

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
    name: Annotated[str, typer.Argument(help="Which schema: trace.")] = "trace",
) -> None:
    """Print a JSON schema of the formats that s2sverify reads."""
    from s2sverify.trace import trace_schema

    schemas = {"trace": trace_schema}
    if name not in schemas:
        raise InputError(f"NAME must be one of {', '.join(schemas)}, got {name!r}")
    print(json.dumps(schemas[name](), indent=1, ensure_ascii=False))


def main(arguments: list[str] | None = None) -> int:
    """Run the command line and return its exit code; no error leaves as a traceback."""
    try:
        arguments = sys.argv[1:] if arguments is None else arguments
        code = app(args=arguments or ["--help"], standalone_mode=False)
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except typer.Exit as done:
        return done.exit_code
    except (KeyboardInterrupt, typer.Abort):
        _complain("interrupted; finished work is kept, the same command goes on from there")
        return INTERRUPTED
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


def _complain(message: str) -> None:
    line = " ".join(printable(message.replace("\n", " ")).split())
    print(f"s2sverify: {line}", file=sys.stderr)


def run() -> None:
    """The console script."""
    sys.exit(main())
