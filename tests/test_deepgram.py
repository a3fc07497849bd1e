"""Against a server on this machine that answers as Deepgram documents it."""

import importlib.util
import io
import json
import logging
import os
import threading
import time
import traceback
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
import soundfile
from engine_contract import TranscriberContract

import s2sverify as s2s
from s2sverify import EngineError, InputError, MissingDependencyError
from s2sverify.engines.deepgram import DeepgramTranscriber

pytestmark = pytest.mark.skipif(
    not importlib.util.find_spec("deepgram") and "CI" not in os.environ,
    reason='needs pip install "s2sverify[deepgram]"',
)
KEY = "0123456789abcdef-not-a-key"
SR = 8_000


def answer(*channels, request_id="5a7f"):
    """What the server says of one request: per channel rows of word, start, end and confidence."""
    return {
        "metadata": {
            "transaction_key": "deprecated", "request_id": request_id, "sha256": "0" * 64,
            "created": "2026-11-29T12:00:00.000Z", "duration": 2.0, "channels": len(channels),
            "models": ["2b79"],
            "model_info": {"2b79": {"name": "general-nova-3", "version": "2026-01-09.0", "arch": "nova-3"}},
        },
        "results": {"channels": [{"alternatives": [{
            "transcript": " ".join(word.capitalize() for word, *_ in rows),
            "confidence": 0.9,
            "words": [{"word": word, "start": start, "end": end, "confidence": sure,
                       "punctuated_word": word.capitalize()} for word, start, end, sure in rows],
        }]} for rows in channels]},
    }  # fmt: skip


def by_loudness(wav):
    """An answer that follows from the audio: one word per half second of sound."""
    y, sr = soundfile.read(io.BytesIO(wav), always_2d=True)
    channels = []
    for x in y.T:
        halves = [x[k : k + sr // 2] for k in range(0, x.size, sr // 2)]
        channels.append(
            [(f"word{int(1000 * np.abs(h).max())}", k / 2, k / 2 + h.size / sr, 0.8)
             for k, h in enumerate(halves) if np.abs(h).max() > 0.01]
        )  # fmt: skip
    return answer(*channels)


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self):
        self.requests, self.replies = [], []
        super().__init__(("127.0.0.1", 0), Handler)

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}"

    def handle_error(self, request, client_address):
        pass  # clients that hang up are part of the tests


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        server = self.server
        server.requests.append((urlsplit(self.path), dict(self.headers), body))
        reply = server.replies.pop(0) if server.replies else {}
        time.sleep(reply.get("after_s", 0.0))
        content = reply.get("content", by_loudness(body) if not reply.get("status") else {})
        data = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.send_response(reply.get("status", 200))
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        for name, value in reply.get("headers", {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data[: reply.get("cut", len(data))])
        if "cut" in reply:
            self.connection.close()

    def log_message(self, *args):
        pass


@pytest.fixture
def server():
    with Server() as running:
        thread = threading.Thread(target=running.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield running
        running.shutdown()
        thread.join()


@pytest.fixture
def engine(server):
    return make(server)


def make(server, **options):
    return DeepgramTranscriber(
        **{"key": KEY, "base_url": server.url, "backoff_s": 0.01, "timeout_s": 5.0, **options}
    )


def sound(seconds, level=0.5, sr=SR):
    return (level * np.sin(2 * np.pi * 200 * np.arange(round(seconds * sr)) / sr)).astype(
        np.float32
    )


# Closed form


def test_sends_the_audio_and_what_is_asked_of_it(server, engine):
    x = sound(1.0)
    engine.transcribe(x, SR, language="en-GB")
    ((url, headers, body),) = server.requests
    assert url.path == "/v1/listen"
    query = {name: value for name, (value,) in parse_qs(url.query).items()}
    assert query == {
        "model": "nova-3",
        "language": "en-GB",
        "punctuate": "true",
        "smart_format": "false",
    }
    assert headers["Authorization"] == f"Token {KEY}"
    y, sr = soundfile.read(io.BytesIO(body))
    assert sr == SR
    np.testing.assert_allclose(y, x, atol=1 / 65536)


def test_reads_words_times_and_what_served_them(server, engine):
    rows = [("you", 0.25, 0.5, 0.99), ("owe", 0.5, 0.75, None), ("nine", 0.8, 2.4, 0.5)]
    server.replies.append({"content": answer(rows, request_id="77ab")})
    heard = engine.transcribe(sound(2.0), SR)
    assert heard.text == "you owe nine"  # as emitted, beside the text that was made readable
    assert heard.formatted == "You Owe Nine"
    assert [(w.start_s, w.end_s, w.confidence) for w in heard.words] == [
        (0.25, 0.5, 0.99), (0.5, 0.75, None), (0.8, 2.0, 0.5)]  # fmt: skip
    assert heard.requests == ("deepgram request 77ab, model general-nova-3 version 2026-01-09.0",)
    assert heard.engine == engine.info
    assert engine.info.vendor == "deepgram"
    assert not engine.info.repeatable


def test_all_channels_go_in_one_request(server, engine):
    y = np.stack([np.concatenate([sound(0.5, 0.2), np.zeros(SR // 2)]), sound(1.0, 0.7)])
    caller, agent = engine.transcribe_channels(y, SR)
    ((url, _, body),) = server.requests
    assert parse_qs(url.query)["multichannel"] == ["true"]
    assert soundfile.read(io.BytesIO(body))[0].shape == (SR, 2)
    assert len(caller) == 1
    assert len(agent) == 2


def test_samples_over_full_scale_are_clipped(server, engine):
    engine.transcribe(np.array([-1.5, 1.5, 0.5], np.float32), SR)
    y, _ = soundfile.read(io.BytesIO(server.requests[0][2]), dtype="int16")
    assert y.tolist() == [-32768, 32767, 16384]


def test_options_are_part_of_the_signature(server):
    engines = [
        make(server),
        make(server, smart_format=True),
        make(server, version="2026-01-09.0"),
        make(server, language="de"),
        make(server, model="nova-2"),
    ]
    assert len({str(engine.info.signature) for engine in engines}) == 5
    engines[2].transcribe(sound(0.1), SR)
    engines[1].transcribe(sound(0.1), SR)
    asked = [parse_qs(url.query) for url, _, _ in server.requests]
    assert asked[0]["version"] == ["2026-01-09.0"]
    assert asked[1]["smart_format"] == ["true"]


def test_a_channel_is_heard_piece_by_piece_and_paid_for_once(server, engine, tmp_path):
    y = np.zeros(20 * SR, np.float32)
    y[SR : 2 * SR] = sound(1.0)
    y[10 * SR : 11 * SR] = sound(1.0, 0.25)
    cache = s2s.TranscriptCache(tmp_path)
    heard = s2s.transcribe(y, SR, engine, cache=cache)
    assert len(server.requests) == len(heard.requests) == 2
    assert s2s.transcribe(y, SR, engine, cache=cache) == heard
    assert len(server.requests) == 2


# Failures


@pytest.mark.parametrize(
    ("status", "body", "message"),
    [
        (400, {"err_code": "Bad Request", "err_msg": "failed to process audio", "request_id": "r1"},
         r"status 400: the request or its audio was refused: failed to process audio \(request r1\)"),
        (400, {"category": "INVALID_JSON", "message": "Invalid JSON submitted.", "details": "line 7"},
         r"Invalid JSON submitted\.; line 7"),
        (401, {"err_code": "INVALID_AUTH", "err_msg": "Invalid credentials.", "request_id": "r2"},
         r"status 401: the key was refused: check DEEPGRAM_API_KEY: Invalid credentials\. \(request r2\)"),
        (402, {"err_code": "ASR_PAYMENT_REQUIRED", "err_msg": "Not enough credits.", "request_id": "r3"},
         r"status 402: the account has no credit left: Not enough credits\."),
        (403, {"err_code": "INSUFFICIENT_PERMISSIONS", "err_msg": "no access"}, "may not use this model"),
        (404, b"not json", "status 404: there is no such model"),
        (413, {}, "status 413: the audio is too large$"),
    ],
)  # fmt: skip
def test_refusals_are_told_at_once(server, engine, status, body, message):
    server.replies.append({"status": status, "content": body})
    with pytest.raises(EngineError, match=message):
        engine.transcribe(sound(0.1), SR)
    assert len(server.requests) == 1


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504])
def test_what_may_pass_is_tried_again(server, engine, status):
    server.replies += [{"status": status, "content": {"err_msg": "later"}}] * 2
    assert engine.transcribe(sound(0.1), SR).words
    assert len(server.requests) == 3


def test_tries_come_to_an_end(server):
    server.replies += [{"status": 503, "content": {"err_msg": "down", "request_id": "r9"}}] * 5
    with pytest.raises(
        EngineError, match=r"status 503: the server failed: down \(request r9\) \(after 3 tries\)"
    ):
        make(server, retries=2).transcribe(sound(0.1), SR)
    assert len(server.requests) == 3


@pytest.mark.parametrize(
    ("asked", "waits"),
    [(None, [0.5, 1.0]), ("3", [3.0, 3.0]), ("soon", [0.5, 1.0]), ("0", [0.0, 0.0])],
)
def test_waits_as_long_as_the_server_asks(server, asked, waits):
    headers = {} if asked is None else {"Retry-After": asked}
    server.replies += [{"status": 429, "content": {"err_msg": "slow down"}, "headers": headers}] * 2
    engine, waited = make(server, backoff_s=0.5), []
    engine._sleep = waited.append
    engine.transcribe(sound(0.1), SR)
    assert waited == waits


def test_does_not_wait_for_ever(server, engine):
    server.replies.append({"status": 429, "headers": {"Retry-After": "3600"}})
    with pytest.raises(EngineError, match="status 429: too many requests at once"):
        engine.transcribe(sound(0.1), SR)
    assert len(server.requests) == 1


def test_a_slow_server_is_given_up(server):
    server.replies += [{"after_s": 1.0}, {"after_s": 1.0}]
    with pytest.raises(EngineError, match=r"no answer within 0\.2 s \(after 2 tries\)"):
        make(server, timeout_s=0.2, retries=1).transcribe(sound(0.1), SR)


def test_an_answer_that_breaks_off_is_asked_for_again(server, engine):
    server.replies.append({"cut": 40})
    assert engine.transcribe(sound(0.1), SR).words
    server.replies += [{"cut": 40}] * 4
    with pytest.raises(EngineError, match="the connection failed"):
        engine.transcribe(sound(0.1), SR)


def test_a_server_out_of_reach_is_one_error():
    engine = DeepgramTranscriber(key=KEY, base_url="http://127.0.0.1:9", retries=0)
    with pytest.raises(EngineError, match="deepgram:nova-3: the connection failed"):
        engine.transcribe(sound(0.1), SR)


def without(name, inside=None):
    plain = answer([("a", 0.1, 0.2, 0.5)])
    place = plain if inside is None else inside(plain)
    del place[name]
    return plain


def with_word(**changes):
    plain = answer([("a", 0.1, 0.2, 0.5)])
    plain["results"]["channels"][0]["alternatives"][0]["words"][0].update(changes)
    return plain


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"<html>busy</html>", [], {}, None, without("metadata"), without("results"),
     without("channels", lambda plain: plain["results"]),
     without("words", lambda plain: plain["results"]["channels"][0]["alternatives"][0]),
     answer(), answer([], []),
     with_word(start=None), with_word(start="soon"), with_word(start=0.5, end=0.1),
     with_word(word=5), with_word(end=float("inf"))],
)  # fmt: skip
def test_answers_that_are_no_transcript_are_errors(server, engine, content):
    server.replies.append({"content": content})
    with pytest.raises(EngineError, match="deepgram:nova-3: the answer must be"):
        engine.transcribe(sound(1.0), SR)
    assert len(server.requests) == 1


def test_an_answer_without_words_is_none(server, engine):
    empty = answer([])
    empty["results"]["channels"][0]["alternatives"] = []
    for content in (answer([]), empty):
        server.replies.append({"content": content})
        heard = engine.transcribe(sound(1.0), SR)
        assert heard.words == ()
        assert heard.formatted is None


# The key


def test_the_key_is_told_to_nobody_but_the_server(server, engine, caplog):
    caplog.set_level(logging.DEBUG)
    server.replies += [
        {},
        {"status": 401, "content": {"err_msg": f"bad key {KEY}"}},
        {"content": f"{KEY}".encode()},
    ]
    engine.transcribe(sound(0.1), SR)
    told = [repr(engine), str(engine.info), str(engine.info.signature)]
    for _ in range(2):
        with pytest.raises(EngineError) as caught:
            engine.transcribe(sound(0.1), SR)
        told.append(str(caught.value))
    assert "[key]" in told[-1]
    assert "[key]" in told[-2]
    assert not any(KEY in text for text in told)
    assert KEY not in caplog.text


def test_an_error_shown_whole_does_not_hold_the_key(server):
    engine = DeepgramTranscriber(key=KEY, base_url="http://127.0.0.1:9", retries=0)
    with pytest.raises(EngineError) as caught:
        engine.transcribe(sound(0.1), SR)
    assert KEY not in "".join(traceback.format_exception(caught.value))


def test_the_key_may_come_from_the_environment(server, monkeypatch):
    monkeypatch.setenv("DEEPGRAM_API_KEY", "from-the-environment")
    make(server, key=None).transcribe(sound(0.1), SR)
    assert server.requests[0][1]["Authorization"] == "Token from-the-environment"


@pytest.mark.parametrize("key", [None, "", "  ", "ключ", "two\nlines"])
def test_without_a_key_there_is_no_engine(monkeypatch, key):
    monkeypatch.delenv("DEEPGRAM_API_KEY", raising=False)
    with pytest.raises(InputError, match="DEEPGRAM_API_KEY"):
        s2s.open_engine("deepgram:nova-3", key=key)


# Contract


class TestDeepgram(TranscriberContract):
    @pytest.fixture
    def engine(self, server):
        return make(server)

    @pytest.fixture
    def broken(self, server):
        server.replies.append({"status": 400})
        return make(server)

    @pytest.fixture
    def speech(self):
        return sound(1.2, 0.3), SR

    @pytest.fixture
    def other_speech(self):
        return sound(0.7, 0.6), SR


# Edges


def test_a_missing_extra_is_told_before_any_audio(monkeypatch):
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *rest: None if name == "deepgram" else find(name)
    )
    with pytest.raises(MissingDependencyError, match=r'pip install "s2sverify\[deepgram\]"'):
        s2s.open_engine("deepgram:nova-3", key=KEY)


@pytest.mark.parametrize(
    "option",
    [
        {"timeout_s": 0.0},
        {"timeout_s": float("nan")},
        {"retries": -1},
        {"backoff_s": -1.0},
        {"model": ""},
    ],
)
def test_options_out_of_range_are_refused(server, option):
    (name,) = option
    with pytest.raises(InputError, match=f"{name} must be"):
        make(server, **option)


def test_audio_that_does_not_fit_is_refused(engine):
    with pytest.raises(InputError, match="sr must be one of"):
        engine.transcribe(sound(0.1), 11_025)
    with pytest.raises(InputError, match=r"y must have shape \(channel, n\)"):
        engine.transcribe_channels(sound(0.1), SR)
    with pytest.raises(InputError, match="y must be finite"):
        engine.transcribe_channels(np.full((2, 8), np.nan), SR)


def test_silent_channels_cost_no_request(server, engine):
    assert [len(heard) for heard in engine.transcribe_channels(np.zeros((2, SR)), SR)] == [0, 0]
    assert server.requests == []
