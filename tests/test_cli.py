"""The command line as people and programs meet it: exit codes, one-line errors, JSON, nothing left half written."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
import soundfile
from calls import SR, Said, make_call, make_floor

from s2sverify import cli
from s2sverify.floor import FloorSet

T_OUT = "Your total is $48.75 today."
TOOL = {
    "id": "c1",
    "name": "quote",
    "args": {},
    "result": {"total": "48.75"},
    "t_ms": 1,
    "end_ms": 2,
}


@pytest.fixture
def case(tmp_path, monkeypatch):
    """A recording, its trace, a scripted engine and a floor for it, as files."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("S2SVERIFY_CACHE", str(tmp_path / "cache"))
    call, _ = make_call([Said(1.0, "your total is $84.75 today")])
    call.recording.write(tmp_path / "call.wav")
    trace = {
        "turns": [{"id": "a1", "role": "agent", "text": T_OUT, "start_ms": 1000, "end_ms": 3000}],
        "tool_calls": [TOOL],
        "meta": {"voice": "robot", "condition": "phone"},
    }
    (tmp_path / "trace.json").write_text(json.dumps(trace), encoding="utf-8")
    # The engine knows the samples as they come back from the file.
    y, _ = soundfile.read(tmp_path / "call.wav", dtype="float32")
    soundfile.write(tmp_path / "agent.wav", y[:, 1], SR, subtype="FLOAT")
    words = [[w.text, w.start_s, w.end_s] for w in Said(1.0, "your total is $84.75 today").words]
    clip = {"audio": "agent.wav", "channel": 0, "words": words}
    script = {"schema_version": 1, "clips": [clip]}
    (tmp_path / "script.json").write_text(json.dumps(script), encoding="utf-8")
    opened = __import__("s2sverify").open_engine("scripted:script.json")
    FloorSet((make_floor(opened),)).write(tmp_path / "floor.json")
    return tmp_path


ENGINE = ["--engine", "scripted:script.json", "--floor", "floor.json"]


def run(capsys, *arguments):
    code = cli.main([str(a) for a in arguments])
    out, err = capsys.readouterr()
    return code, out, err


def complaint(err):
    """The one line that an error is."""
    (line,) = err.splitlines()
    assert line.startswith("s2sverify: ")
    return line


def test_verify_prints_what_was_refuted_and_exits_1(case, capsys):
    code, out, err = run(capsys, "verify", "call.wav", "trace.json", *ENGINE)
    assert (code, err) == (1, "")
    row = next(line for line in out.splitlines() if line.startswith("a1"))
    for part in ("2.02-2.30", "money", "48.75", "84.75", "c1.result.total", "refuted"):
        assert part in row
    assert "agent_speech" in out
    assert "entity readback accuracy: 0 of 1" in out


def test_json_carries_a_version_and_nothing_else_is_printed(case, capsys):
    code, out, err = run(capsys, "verify", "call.wav", "trace.json", *ENGINE, "--json")
    plain = json.loads(out)
    assert (code, err) == (1, "")
    assert (plain["schema_version"], plain["kind"]) == (1, "call_report")
    (value,) = plain["turns"][0]["entities"]
    assert (value["expected"], value["heard"], value["verdict"]) == ("48.75", "84.75", "refuted")
    assert value["interval"]["start_s"] == pytest.approx(2.02)


def test_out_writes_the_report_whole(case, capsys):
    code, _, _ = run(capsys, "verify", "call.wav", "trace.json", *ENGINE, "--out", "report.json")
    assert code == 1
    assert json.loads((case / "report.json").read_text("utf-8"))["summary"]["values"] == {
        "refuted": 1
    }
    code, _, err = run(
        capsys, "verify", "call.wav", "trace.json", *ENGINE, "--out", "no/such/report.json"
    )
    assert code == 2
    assert "no/such/report.json" in complaint(err)


def test_a_larger_budget_or_nothing_wrong_changes_the_exit_code(case, capsys):
    text = (case / "trace.json").read_text("utf-8").replace("48.75", "84.75")
    (case / "right.json").write_text(text, "utf-8")
    assert run(capsys, "verify", "call.wav", "right.json", *ENGINE)[0] == 0
    assert (
        run(capsys, "verify", "call.wav", "trace.json", *ENGINE, "--false-alarm", "0.0001")[0] == 0
    )


def test_without_a_trace_it_says_what_was_heard(case, capsys):
    code, out, _ = run(capsys, "verify", "call.wav", *ENGINE, "--json")
    assert code == 0
    assert json.loads(out)["turns"][0]["a_out"] == "your total is $84.75 today"


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["verify", "none.wav", "trace.json"], 2, "none.wav"),
        (["verify", "call.wav", "none.json"], 2, "none.json"),
        (["verify", "trace.json", "trace.json"], 2, "trace.json"),
        (["verify", "call.wav", "bad.json"], 2, "bad.json: must be JSON, line 1 column 9"),
        (["verify", "call.wav", "type.json"], 2, "type.json: turns[0].start_ms: must be a valid number"),
        (["verify", "call.wav", "version.json"], 2, "version.json: schema_version must be 1, got 7"),
        (["verify", "call.wav", "order.json"], 2, "order.json: turns[1].start_ms: must not be before"),
        (["verify", "mono.wav", "trace.json"], 2, "mono.wav"),
        (["verify", "call.wav", "trace.json", "--false-alarm", "7"], 2, "false_alarm"),
        (["verify", "call.wav", "trace.json", "--floor", "trace.json"], 2, "trace.json"),
        (["verify", "call.wav", "trace.json", "--locale", "xx"], 2, "locale"),
        (["verify", "call.wav", "trace.json", "--engine", "nobody:x"], 2, "nobody"),
        (["verify", "call.wav", "trace.json", "--engine", "scripted:none.json"], 2, "none.json"),
        (["verify", "call.wav", "trace.json", "--caller-channel", "5"], 2, "caller_channel"),
        (["verify"], 2, "s2sverify verify: Missing argument 'AUDIO'"),
        (["verify", "call.wav", "--frobnicate"], 2, "--frobnicate"),
        (["frobnicate"], 2, "frobnicate"),
        (["transcribe", "call.wav", "--channel", "left"], 2, "--channel must be agent, caller or both, got 'left'"),
        (["schema", "nothing"], 2, "NAME must be one of trace"),
    ],
    ids=lambda value: "-".join(value)[:40] if isinstance(value, list) else None,
)  # fmt: skip
def test_bad_input_is_one_line_that_names_it(case, capsys, arguments, code, message):
    (case / "bad.json").write_text('{"turns"', "utf-8")
    (case / "type.json").write_text('{"turns": [{"role": "agent", "start_ms": "x"}]}', "utf-8")
    (case / "version.json").write_text('{"schema_version": 7}', "utf-8")
    rows = [{"role": "agent", "start_ms": t} for t in (9, 3)]
    (case / "order.json").write_text(json.dumps({"turns": rows}), "utf-8")
    soundfile.write(case / "mono.wav", np.zeros(SR), SR)
    extra = [] if "--engine" in arguments or arguments[0] != "verify" else ENGINE[:2]
    got, out, err = run(capsys, *arguments, *extra)
    assert (got, out) == (code, "")
    assert message in complaint(err)


def test_engine_that_fails_exits_3(case, capsys, monkeypatch):
    (case / "broken.py").write_text(
        "from s2sverify import EngineInfo\n"
        "class Broken:\n"
        "    info = EngineInfo('broken', '1', 'none', (8000,), True)\n"
        "    def transcribe(self, x, sr, *, language=None):\n"
        "        raise RuntimeError('no power')\n",
        "utf-8",
    )
    monkeypatch.syspath_prepend(str(case))
    code, _, err = run(capsys, "verify", "call.wav", "trace.json", "--engine", "broken:Broken")
    assert code == 3
    assert "no power" in complaint(err)


def test_terminal_controls_in_a_trace_are_shown_not_obeyed(case, capsys):
    text = (case / "trace.json").read_text("utf-8")
    text = text.replace('"a1"', '"a\\u001b[31m\\u202e1"')
    (case / "evil.json").write_text(text, "utf-8")
    _, out, _ = run(capsys, "verify", "call.wav", "evil.json", *ENGINE)
    assert "\x1b" not in out
    assert "\u202e" not in out
    assert "\\u001b[31m\\u202e1" in "".join(out.split())


def test_transcribe_prints_lines_with_times(case, capsys):
    code, out, _ = run(capsys, "transcribe", "call.wav", "--engine", "scripted:script.json")
    assert (code, out.split()) == (0, ["1.00", "agent", "your", "total", "is", "$84.75", "today"])
    code, out, _ = run(
        capsys, "transcribe", "agent.wav", "--engine", "scripted:script.json", "--json"
    )
    assert json.loads(out)["channels"]["mono"]["text"] == "your total is $84.75 today"


def test_help_of_every_verb_says_what_it_does(capsys):
    code, out, _ = run(capsys)
    assert code == 0
    for verb in ("calibrate", "demo", "schema", "transcribe", "verify"):
        assert verb in out
        code, text, _ = run(capsys, verb, "--help")
        assert code == 0
        assert "Usage:" in text


def test_a_killed_run_leaves_nothing_partial_and_repeats_no_finished_piece(case):
    """The engine writes down every piece that it is asked for; the run is killed while it hears the second."""
    (case / "slow.py").write_text(
        "import os, pathlib, time\n"
        "from s2sverify import EngineInfo, Transcript, Word\n"
        "class Slow:\n"
        "    info = EngineInfo('slow', '1', 'none', (8000,), True)\n"
        "    def transcribe(self, x, sr, *, language=None):\n"
        "        with open('heard.txt', 'a') as log:\n"
        "            log.write(f'{x.size}\\n')\n"
        "        if sum(1 for _ in open('heard.txt')) == 2:\n"
        "            pathlib.Path('hearing').touch()\n"
        "            time.sleep(60)\n"
        "        return Transcript((Word('yes', 0.4, 0.6),))\n",
        "utf-8",
    )
    parts = [Said(1.0, "one two three"), Said(8.0, "four five six seven"), Said(16.0, "eight")]
    call, _ = make_call(parts)
    call.recording.write(case / "long.wav")
    command = [sys.executable, "-m", "s2sverify", "verify", "long.wav", "--engine", "slow:Slow",
               "--out", "report.json"]  # fmt: skip
    env = {**os.environ, "PYTHONPATH": str(case)}
    process = subprocess.Popen(command, cwd=case, env=env)
    try:
        deadline = time.monotonic() + 60
        while not (case / "hearing").exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        process.send_signal(signal.SIGKILL)
    finally:
        process.wait(30)
    first = (case / "heard.txt").read_text().splitlines()
    assert len(first) == 2
    assert not list(case.glob("*report*"))
    done = subprocess.run(command, cwd=case, env=env, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    heard = (case / "heard.txt").read_text().splitlines()
    assert heard.count(first[0]) == 1  # finished before the kill, never asked again
    assert heard.count(first[1]) == 2  # was being heard
    assert len(json.loads((case / "report.json").read_text("utf-8"))["turns"]) == 3
    again = subprocess.run(command, cwd=case, env=env, check=False, capture_output=True, text=True)
    assert again.returncode == 0
    assert (case / "heard.txt").read_text().splitlines() == heard


def test_an_interrupt_is_said_in_one_line(case):
    (case / "slow.py").write_text(
        "import pathlib, time\n"
        "from s2sverify import EngineInfo\n"
        "class Slow:\n"
        "    info = EngineInfo('slow', '1', 'none', (8000,), True)\n"
        "    def transcribe(self, x, sr, *, language=None):\n"
        "        pathlib.Path('hearing').touch()\n"
        "        time.sleep(60)\n",
        "utf-8",
    )
    command = [sys.executable, "-m", "s2sverify", "verify", "call.wav", "--engine", "slow:Slow"]
    env = {**os.environ, "PYTHONPATH": str(case)}
    # A shell may have handed down that interrupts are to be ignored.
    process = subprocess.Popen(
        command, cwd=case, env=env, stderr=subprocess.PIPE, text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    deadline = time.monotonic() + 60
    while not (case / "hearing").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "interrupted" in complaint(err)


def test_a_cached_run_loads_nothing_heavy(case, capsys):
    assert run(capsys, "verify", "call.wav", "trace.json", *ENGINE)[0] == 1
    code = (
        "import sys; from s2sverify.cli import main; "
        f"main({['verify', 'call.wav', 'trace.json', *ENGINE]!r}); "
        "print([m for m in ('numba', 'scipy', 'pandas', 'matplotlib', 'faster_whisper', 'ctranslate2', 'torch')"
        " if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=case, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "[]"
