"""Traces: the schema holds what it says, unknown fields survive, errors name file, JSON path, rule and value."""

import json

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

import s2sverify as s2s
from s2sverify.trace import parse_trace, trace_schema

GOOD = {
    "schema_version": 1,
    "turns": [
        {"role": "caller", "text": "balance please", "start_ms": 500, "end_ms": 1900.5},
        {"id": "a1", "role": "agent", "text": "It is $12.50.", "start_ms": 2100, "mood": "fine"},
    ],
    "tool_calls": [
        {
            "id": "c1",
            "name": "balance",
            "args": {"n": 1},
            "result": {"usd": 12.5},
            "t_ms": 1950,
            "end_ms": 2050,
        }
    ],
    "backend_after": {"open": True},
    "events": [{"type": "agent.truncated", "t_ms": 3000, "turn": "a1", "audio_end_ms": 900}],
    "meta": {"voice": "heart", "replace": {"$16": ["sixteen bucks"]}, "site": None},
    "run": {"nested": [1, 2]},
}


def test_unknown_fields_survive_a_round_trip(tmp_path):
    path = parse_trace(GOOD).write(tmp_path / "trace.json")
    assert json.loads(path.read_text(encoding="utf-8")) == GOOD
    assert s2s.read_trace(path).to_dict() == GOOD
    assert [p.name for p in tmp_path.iterdir()] == ["trace.json"]


def test_published_schema_accepts_what_the_reader_accepts():
    schema = trace_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(GOOD, schema)
    for bad in (
        {"turns": [{"role": "bot"}]},
        {"turns": [{"role": "agent", "start_ms": "1"}]},
        {"turns": 3},
    ):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(bad, schema)
        with pytest.raises(s2s.InputError):
            parse_trace(bad)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"turns": [{"role": "bot"}]}, r"x\.json: turns\[0\]\.role: must be 'caller' or 'agent', got \"bot\""),
        ({"turns": [{"text": "hi"}]}, r"turns\[0\]\.role: must be given"),
        ({"turns": [{"role": "agent", "start_ms": "12"}]}, r"turns\[0\]\.start_ms: must be a valid number, got \"12\""),
        ({"turns": [{"role": "agent", "start_ms": True}]}, r"turns\[0\]\.start_ms: .*got true"),
        ({"turns": {}}, r"turns: must be an array, got \{\}"),
        ({"tool_calls": [{"name": "a", "args": 3}]}, r"tool_calls\[0\]\.args: must be an object, got 3"),
        ({"meta": {"replace": {"a": 1}}}, r"meta\.replace\.a"),
        ({"schema_version": 2}, r"schema_version must be 1, got 2"),
        ({"schema_version": "1"}, r"schema_version must be 1, got \"1\""),
        ({"schema_version": True}, r"schema_version must be 1, got true"),
        (
            {"turns": [{"role": "agent", "start_ms": 9}, {"role": "agent", "start_ms": 5}]},
            r"turns\[1\]\.start_ms: must not be before turns\[0\]\.start_ms = 9, got 5",
        ),
        (
            {"turns": [{"role": "agent", "start_ms": 9, "end_ms": 5}]},
            r"turns\[0\]\.end_ms: must not be before its start 9, got 5",
        ),
        (
            {"events": [{"type": "a", "t_ms": 9}, {"type": "b"}, {"type": "c", "t_ms": 8}]},
            r"events\[2\]\.t_ms: must not be before events\[0\]\.t_ms = 9, got 8",
        ),
        (
            {"tool_calls": [{"name": "a", "t_ms": 9, "end_ms": 8}]},
            r"tool_calls\[0\]\.end_ms: must not be before its start 9, got 8",
        ),
    ],
)  # fmt: skip
def test_errors_name_the_json_path(change, message):
    with pytest.raises(s2s.InputError, match=message):
        parse_trace({**GOOD, **change}, name="x.json")


def test_lists_are_ordered_apart():
    """A turn may start before the last tool call did: only times of one list are compared."""
    trace = parse_trace(
        {"turns": [{"role": "agent", "start_ms": 900}], "tool_calls": [{"name": "a", "t_ms": 5}]}
    )
    assert trace.turns[0].start_ms == 900


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"", "the file is empty"),
        (b'{"turns": [', "line 1 column 12.*ends too early"),
        (b"\xff\xfe{}", "must be UTF-8, byte 0 is not"),
        (b'{"turns": NaN}', "got the number NaN"),
        (b"[1, 2]", r"must be a JSON object, got \[1, 2\]"),
        (b"[" * 100_000, "nested too deeply|must be JSON"),
        (b'{"turns": [{"role": "agent", "start_ms": 1e999}]}', r"turns\[0\]\.start_ms: must be a finite number"),
    ],
    ids=["empty", "truncated", "utf-16", "nan", "array", "deep", "huge-number"],
)  # fmt: skip
def test_files_that_are_no_trace(tmp_path, raw, message):
    path = tmp_path / "bad.json"
    path.write_bytes(raw)
    with pytest.raises(s2s.InputError, match=message) as caught:
        s2s.read_trace(path)
    assert "bad.json" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_missing_file_and_folder(tmp_path):
    for path in (tmp_path / "none.json", tmp_path):
        with pytest.raises(s2s.InputError, match=f"{path.name}.*cannot be read"):
            s2s.read_trace(path)


def test_byte_order_mark_is_not_content(tmp_path):
    path = tmp_path / "bom.json"
    path.write_bytes(b"\xef\xbb\xbf{}")
    assert s2s.read_trace(path).turns == ()


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
                    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(
                        ["turns", "role", "start_ms", "tool_calls", "name", "args", "events", "type", "meta",
                         "schema_version", "x"]), inner), max_leaves=12))  # fmt: skip
def test_any_json_gives_a_trace_or_one_error(data):
    try:
        trace = parse_trace(data, name="any")
    except s2s.InputError as error:
        assert str(error).startswith("any: ")
    else:
        assert parse_trace(trace.to_dict()).to_dict() == trace.to_dict()


def test_a_call_needs_one_half():
    with pytest.raises(s2s.InputError, match="got neither"):
        s2s.read_call(None, None)
    assert s2s.read_call(None, GOOD).recording is None
