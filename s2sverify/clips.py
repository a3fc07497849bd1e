"""Calibration: sound whose words are known, what an engine makes of it, and the error floor that follows."""

from __future__ import annotations

import csv
import datetime
import hashlib
import io
import json
import math
import shlex
import subprocess
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from s2sverify._arrays import as_mono, as_rate, as_rng
from s2sverify.counts import KindCounts, SilenceCounts, WordErrors
from s2sverify.errors import EngineError, InputError
from s2sverify.floor import ErrorFloor, matcher_version
from s2sverify.sentences import Sentence, SentenceValue
from s2sverify.text.alignment import align_words
from s2sverify.text.entities import match_entity
from s2sverify.text.normalize import normalize_words
from s2sverify.types import Outcome, Transcript

if TYPE_CHECKING:
    from os import PathLike

    from s2sverify.engines.base import Transcriber
    from s2sverify.engines.cache import TranscriptCache
    from s2sverify.line import Condition

Float32 = npt.NDArray[np.float32]

_PAD_S = 0.5  # silence around each clip, as around a turn of a call
_MARGIN_S = 0.3  # a word whose middle lies farther from the clip than this was heard over silence
_SPEAK_S = 120.0  # longest that a program may take to speak one sentence
_REFUSED_IN_A_ROW = 5  # clips on which the engine fails before calibration stops


@dataclass(frozen=True, slots=True, eq=False)
class Clip:
    """One sentence and its sound: a file, or samples in memory."""

    sentence: Sentence
    path: Path | None = None
    y: npt.NDArray[np.floating] | None = None  # shape (n,)
    sr: int | None = None  # Hz

    def load(self) -> tuple[Float32, int]:
        """The samples, mono, and their rate.

        Raises
        ------
        InputError
            If the file cannot be read, has several channels, or the samples are no finite mono signal or empty.
        """
        if self.path is None:
            if self.y is None or self.sr is None:
                raise InputError(f"clip {self.sentence.id} must have a path, or y and sr")
            y, sr = as_mono(self.y), as_rate(self.sr)
        else:
            from s2sverify.recording import read_recording

            recording = read_recording(self.path)
            if recording.n_channels != 1:
                raise InputError(f"{self.path}: must have one channel, got {recording.n_channels}")
            y, sr = as_mono(recording.read(0.0, recording.duration_s)[0]), recording.sr
        if not y.size:
            raise InputError(f"{self.path or self.sentence.id}: must hold sound, got no samples")
        return y.astype(np.float32, copy=False), sr


@dataclass(frozen=True, slots=True)
class ScoredValue:
    """What a transcript made of one value that was spoken, and of its near miss that was not."""

    kind: str
    value: str
    outcome: Outcome
    heard: str | None  # canonical value heard in its place
    heard_as: str | None  # class of the confusion between the two; "other" where it has no name
    near_miss: str | None  # class of the partner
    partner: Outcome | None = None  # what became of the near miss; None without one
    partner_heard: bool = False  # exactly the near miss was heard in place of the value


@dataclass(frozen=True, slots=True)
class ScoredSentence:
    """One calibration sentence against what the engine wrote."""

    id: str
    text: str
    heard: str
    values: tuple[ScoredValue, ...]
    n_words: int  # of the text, normalised
    errors: int  # substitutions, deletions and insertions
    duration_s: float  # of the clip as it was transcribed
    over_silence: int = 0  # words in the text that stand where nobody spoke
    dropped: int = 0  # words left out because they were heard over silence


def score_sentence(
    sentence: Sentence,
    transcript: Transcript,
    *,
    locale: str = "en-US",
    duration_s: float = 0.0,
    speech_s: tuple[float, float] | None = None,
) -> ScoredSentence:
    """Compare one sentence with its transcript: every value, every near miss, and the words.

    Parameters
    ----------
    sentence : Sentence
        What was spoken.
    transcript : Transcript
        What was heard.
    locale : str
        Of the matcher.
    duration_s : float
        Length of the clip in seconds, kept for the record.
    speech_s : (float, float), optional
        Where the speech lies; words whose middle is outside were heard over silence. All words count as
        spoken by default.

    Returns
    -------
    ScoredSentence
    """
    ref, hyp = normalize_words(sentence.text), normalize_words(transcript.text)
    counts = align_words(ref, hyp).counts
    outside = 0
    if speech_s is not None:
        middles = [(word.start_s + word.end_s) / 2 for word in transcript.words]
        outside = sum(not speech_s[0] <= middle <= speech_s[1] for middle in middles)
    return ScoredSentence(
        sentence.id,
        sentence.text,
        transcript.text,
        tuple(_score_values(sentence.values, transcript, locale)),
        len(ref),
        counts.substitutions + counts.deletions + counts.insertions,
        duration_s,
        outside,
        len(transcript.dropped),
    )


def _score_values(
    values: Sequence[SentenceValue], transcript: Transcript, locale: str
) -> Iterator[ScoredValue]:
    matches = [match_entity(v.value, transcript, kind=v.kind, locale=locale) for v in values]
    # Words in which one value was found are not another value heard in its place: as a verdict has it.
    claimed = [m.span for m in matches if m.outcome is Outcome.SPOKEN and m.span is not None]
    for value, found in zip(values, matches, strict=True):
        outcome, heard = found.outcome, found.heard
        if outcome in (Outcome.DIFFERENT, Outcome.AMBIGUOUS) and found.span is not None:
            start, end = found.span
            if any(start < other_end and other_start < end for other_start, other_end in claimed):
                outcome, heard = Outcome.ABSENT, None
        different = outcome is Outcome.DIFFERENT
        partner = None
        if value.partner is not None:
            partner = match_entity(
                value.partner, transcript, kind=value.kind, locale=locale
            ).outcome
        yield ScoredValue(
            kind=value.kind,
            value=value.value,
            outcome=outcome,
            heard=heard,
            heard_as=(found.near_miss or "other") if different else None,
            near_miss=value.near_miss,
            partner=partner,
            partner_heard=different and partner is Outcome.SPOKEN,
        )


# ---------------------------------------------------------------- manifests


def read_clips(
    path: str | PathLike[str],
) -> tuple[tuple[Clip, ...], tuple[tuple[str, str], ...]]:
    """Read a manifest of calibration clips: JSON lines, or CSV with a header.

    A line has ``audio`` (a path, relative to the manifest), ``text`` (the words spoken) and ``values``: a list of
    ``kind`` and ``value``, with ``partner`` and ``near_miss`` where known. In CSV one value stands in the columns
    ``kind``, ``value``, ``partner``, ``near_miss``, and rows of one ``audio`` are one clip. ``id`` is optional.

    Returns
    -------
    clips : tuple of Clip
    failed : tuple of (str, str)
        Lines that cannot be used, by number, and why.

    Raises
    ------
    InputError
        If the file cannot be read, is empty, or a CSV lacks the columns ``audio`` and ``text``.
    """
    source = Path(path)
    try:
        text = source.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InputError(f"{source}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InputError(
            f"{source}: must be UTF-8 text, got byte {error.start} that is not"
        ) from error
    if not text.strip():
        raise InputError(f"{source}: must hold at least one clip, got an empty file")
    rows = _csv_rows(text, source) if source.suffix.lower() == ".csv" else _json_rows(text)
    clips, failed, seen = [], [], set()
    for place, row in rows:
        try:
            clip = _clip(row, source.parent, default_id=place)
            if clip.sentence.id in seen:
                raise InputError(f"id must occur once, got {clip.sentence.id!r} again")
            seen.add(clip.sentence.id)
            clips.append(clip)
        except InputError as error:
            failed.append((place, str(error)))
    return tuple(clips), tuple(failed)


def _json_rows(text: str) -> Iterator[tuple[str, Any]]:
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            try:
                yield f"line {number}", json.loads(line)
            except (ValueError, RecursionError) as error:
                yield f"line {number}", error


def _csv_rows(text: str, source: Path) -> list[tuple[str, Any]]:
    table = csv.DictReader(io.StringIO(text))
    missing = {"audio", "text"} - set(table.fieldnames or ())
    if missing:
        raise InputError(f"{source}: must have the columns audio and text, got {table.fieldnames}")
    clips: dict[str, tuple[str, dict[str, Any]]] = {}
    for row in table:
        audio = row.get("audio") or ""
        clip = clips.setdefault(
            audio or f"line {table.line_num}",
            (f"line {table.line_num}", {"audio": audio, "text": row.get("text"), "values": []}),
        )[1]
        if row.get("id"):
            clip["id"] = row["id"]
        if row.get("kind") or row.get("value"):
            names = ("kind", "value", "partner", "near_miss")
            clip["values"].append({name: row.get(name) or None for name in names})
    return list(clips.values())


def _clip(row: Any, folder: Path, *, default_id: str) -> Clip:
    if isinstance(row, Exception):
        raise InputError(f"must be a JSON object: {row}")
    sentence = as_sentence(row, default_id=default_id)
    audio = row.get("audio")
    if not isinstance(audio, str) or not audio:
        raise InputError(f"audio must be a path, got {audio!r}")
    return Clip(sentence, folder / audio)


def as_sentence(row: Any, *, default_id: str) -> Sentence:
    """A sentence from a manifest's object, from a text, or as it is.

    Raises
    ------
    InputError
        If a field is missing or of the wrong type; the message names it.
    """
    if isinstance(row, Sentence):
        return row
    if isinstance(row, str):
        row = {"text": row}
    if not isinstance(row, Mapping):
        raise InputError(f"a sentence must be an object with text and values, got {row!r:.60}")
    text = row.get("text")
    if not isinstance(text, str) or not text.strip():
        raise InputError(f"text must be the words spoken, got {text!r}")
    name = row.get("id", default_id)
    spoken = row.get("spoken", text)
    values = row.get("values") or ()
    if not isinstance(name, str) or not isinstance(spoken, str):
        raise InputError(f"id and spoken must be text, got {name!r} and {spoken!r}")
    if not isinstance(values, Sequence) or isinstance(values, str):
        raise InputError(f"values must be a list, got {values!r}")
    return Sentence(name, text, spoken, tuple(_value(v, i) for i, v in enumerate(values)))


def _value(row: Any, place: int) -> SentenceValue:
    if isinstance(row, SentenceValue):
        return row
    if not isinstance(row, Mapping):
        raise InputError(f"values[{place}] must be an object with kind and value, got {row!r}")
    for name in ("kind", "value"):
        if not isinstance(row.get(name), str) or not row[name]:
            raise InputError(f"values[{place}].{name} must be text, got {row.get(name)!r}")
    for name in ("partner", "near_miss"):
        if row.get(name) is not None and not isinstance(row[name], str):
            raise InputError(f"values[{place}].{name} must be text, got {row[name]!r}")
    if row.get("partner") == row["value"]:
        raise InputError(
            f"values[{place}].partner must differ from the value, got {row['value']!r}"
        )
    return SentenceValue(row["kind"], row["value"], row.get("partner"), row.get("near_miss"))


def as_clips(items: Iterable[Any]) -> Iterator[Clip]:
    """Clips from an iterable of clips or of ``(y, sr, sentence)``.

    Raises
    ------
    InputError
        If an item is neither.
    """
    for place, item in enumerate(items):
        if isinstance(item, Clip):
            yield item
        elif isinstance(item, tuple | list) and len(item) == 3:
            yield Clip(as_sentence(item[2], default_id=f"clip {place}"), y=item[0], sr=item[1])
        else:
            raise InputError(
                f"clips[{place}] must be a Clip or (y, sr, sentence), got {type(item)}"
            )


def clip_hash(y: Float32, sr: int, sentence: Sentence) -> bytes:
    """Identity of a clip: its samples, its text and its values."""
    digest = hashlib.sha256(f"{sr}\n{sentence.text}\n".encode())
    for v in sentence.values:
        digest.update(f"{v.kind}\t{v.value}\t{v.partner}\t{v.near_miss}\n".encode())
    digest.update(np.ascontiguousarray(y, dtype="<f4").tobytes())
    return digest.digest()


# ---------------------------------------------------------------- measuring


def speak_clips(
    sentences: Iterable[Sentence],
    command: str,
    folder: str | PathLike[str],
    *,
    progress: Callable[[float, float], None] | None = None,
) -> tuple[tuple[Clip, ...], tuple[tuple[str, str], ...]]:
    """Have sentences spoken by a program, one file each; those already spoken are taken as they are.

    Parameters
    ----------
    sentences : iterable of Sentence
        Their ``spoken`` words are given to the program.
    command : str
        Program and arguments, parted as a shell would and run without one. ``{out}`` is replaced by the file to
        write, ``{text}`` by the words; without ``{text}`` the words come on standard input.
    folder : path
        Where the files are kept, by command and words; made if it is not there.
    progress : callable, optional
        Called with sentences done and in all.

    Returns
    -------
    clips : tuple of Clip
    failed : tuple of (str, str)
        Sentences for which the program failed or wrote nothing, and why.

    Raises
    ------
    InputError
        If `command` cannot be parted or has no ``{out}``, or the program is not there.
    """
    try:
        parts = shlex.split(command)
    except ValueError as error:
        raise InputError(
            f"command must be parted like a shell's: {error}, got {command!r}"
        ) from error
    if not any("{out}" in part for part in parts):
        raise InputError(f"command must name the file to write as {{out}}, got {command!r}")
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    listed = list(sentences)
    clips: list[Clip] = []
    failed: list[tuple[str, str]] = []
    for done, sentence in enumerate(listed, 1):
        name = hashlib.sha256(f"{command}\n{sentence.spoken}".encode()).hexdigest()[:32]
        path = target / f"{name}.wav"
        reason = None if path.exists() else _speak(parts, sentence.spoken, path)
        if reason is None:
            clips.append(Clip(sentence, path))
        else:
            failed.append((sentence.id, reason))
        if progress is not None:
            progress(done, len(listed))
    return tuple(clips), tuple(failed)


def _speak(parts: Sequence[str], words: str, path: Path) -> str | None:
    """Run the program once; why it failed, or None. The file appears whole or not at all."""
    beside = path.with_name(f".{path.stem}.part.wav")  # programs go by the ending
    argv = [part.replace("{out}", str(beside)).replace("{text}", words) for part in parts]
    stdin = None if any("{text}" in part for part in parts) else words
    try:
        done = subprocess.run(
            argv, input=stdin or "", capture_output=True, text=True, errors="replace", timeout=_SPEAK_S
        )  # fmt: skip
        if done.returncode:
            last = (done.stderr.strip().splitlines() or ["no message"])[-1]
            return f"{argv[0]} ended with {done.returncode}: {last}"
        if not beside.exists() or not beside.stat().st_size:
            return f"{argv[0]} wrote nothing to {{out}}"
        beside.replace(path)
    except FileNotFoundError as error:
        raise InputError(f"command must begin with a program, got {argv[0]!r}") from error
    except subprocess.TimeoutExpired:
        return f"{argv[0]} took longer than {_SPEAK_S:g} s"
    except OSError as error:
        return f"{argv[0]} cannot be run: {error.strerror}"
    finally:
        beside.unlink(missing_ok=True)
    return None


def calibrate(
    clips: str | Path | Iterable[Any],
    engine: str | Transcriber | None = None,
    *,
    voice: str,
    condition: str | Condition = "clean",
    locale: str = "en-US",
    cache: TranscriptCache | Literal[False] | None = None,
    rng: int = 0,
    progress: Callable[[float, float], None] | None = None,
    observe: Callable[[ScoredSentence, Transcript], None] | None = None,
) -> ErrorFloor:
    """Measure what an engine gets wrong on known speech of one voice through one line.

    Parameters
    ----------
    clips : path, or iterable of Clip or of (y, sr, sentence)
        A manifest (`read_clips`), or the clips themselves: mono samples, rate in Hz, and a `Sentence`,
        a mapping with ``text`` and ``values``, or a text. Clips are as the agent speaks: clean, before the
        line.
    engine : str or Transcriber, optional
        Name for `open_engine`, or an engine; the local default if none is given.
    voice : str
        Name of the voice, as floors are found by.
    condition : str or Condition
        The line that each clip is put through before it is transcribed.
    locale : str
        Of the matcher; its language is told to the engine.
    cache : TranscriptCache, optional
        Where transcripts are kept, so that nothing is transcribed twice: a run that was stopped goes on, and a
        new matcher only scores again. The user's cache folder when None, nowhere when False.
    rng : int
        Seed of the line's noise and losses; each clip has its own, which depends on the clip and not on its place.
    progress : callable, optional
        Called with clips done and clips in all.
    observe : callable, optional
        Called with the score and the transcript of each clip.

    Returns
    -------
    ErrorFloor
        Clips that could not be used are in ``failed``, each with its reason.

    Raises
    ------
    InputError
        If the manifest cannot be read, an argument does not fit its rule, or no clip could be used.
    EngineError
        If the engine fails on five clips in a row.
    """
    from s2sverify.engines.base import open_engine
    from s2sverify.engines.pieces import transcribe
    from s2sverify.line import as_condition

    if not voice.strip():
        raise InputError(f"voice must be a name, got {voice!r}")
    line = as_condition(condition)
    failed: list[tuple[str, str]] = []
    if isinstance(clips, str | Path):
        listed, unread = read_clips(clips)
        failed += unread
    else:
        listed = tuple(as_clips(clips))
    hearing = open_engine(engine)
    scored: list[ScoredSentence] = []
    hashes: list[bytes] = []
    silence_s, refused = 0.0, 0
    for place, clip in enumerate(listed):
        name = clip.sentence.id
        try:
            y, sr = clip.load()
            identity = clip_hash(y, sr, clip.sentence)
            if identity in hashes:
                raise InputError("a clip must occur once, got the same sound and text again")
            heard_y, heard_sr = _through_line(y, sr, line, _seed(rng, identity))
            text = transcribe(
                heard_y, heard_sr, hearing, language=locale.partition("-")[0], cache=cache
            )
        except EngineError as error:
            refused += 1
            if refused >= _REFUSED_IN_A_ROW:
                raise
            failed.append((name, str(error)))
            continue
        except InputError as error:
            failed.append((name, str(error)))
            continue
        finally:
            if progress is not None:
                progress(place + 1, len(listed))
        refused = 0
        speech_s = (_PAD_S - _MARGIN_S, _PAD_S + y.size / sr + _MARGIN_S)
        score = score_sentence(
            clip.sentence, text, locale=locale, duration_s=y.size / sr, speech_s=speech_s
        )
        hashes.append(identity)
        scored.append(score)
        silence_s += 2 * (_PAD_S - _MARGIN_S)
        if observe is not None:
            observe(score, text)
    if not scored:
        why = f"; the first: {failed[0][0]}: {failed[0][1]}" if failed else ""
        raise InputError(f"clips must hold at least one that can be used, got none{why}")
    info = hearing.info
    return ErrorFloor(
        engine=info.name,
        signature=str(info.signature),
        voice=voice,
        condition=line.name,
        language=locale,
        matcher=matcher_version(),
        date=datetime.datetime.now(datetime.UTC).date().isoformat(),
        data=(f"sha256:{hashlib.sha256(b''.join(sorted(hashes))).hexdigest()}",),
        silence=SilenceCounts(
            round(silence_s, 3), sum(s.over_silence for s in scored), sum(s.dropped for s in scored)
        ),
        failed=tuple(failed),
        **tally(scored),
    )


def tally(scored: Iterable[ScoredSentence]) -> dict[str, Any]:
    """The counts of a floor from scored sentences, as fields of `ErrorFloor`."""
    sentences = list(scored)
    kinds: dict[str, Counter[str]] = {}
    classes: dict[str, dict[str, Counter[str]]] = {}
    heard_as: dict[str, Counter[str]] = {}
    for value in (v for s in sentences for v in s.values):
        row = Counter({"n": 1, value.outcome.value: 1})
        if value.partner is not None:
            row["partners"] = 1
            row["partner_accepted"] = int(value.partner is Outcome.SPOKEN)
            row["partner_heard"] = int(value.partner_heard)
        kinds.setdefault(value.kind, Counter()).update(row)
        if value.near_miss is not None:
            of_kind = classes.setdefault(value.kind, {})
            of_kind.setdefault(value.near_miss, Counter()).update(row)
        if value.heard_as is not None:
            heard_as.setdefault(value.kind, Counter())[value.heard_as] += 1
    return {
        "n_sentences": len(sentences),
        "audio_s": round(math.fsum(s.duration_s for s in sentences), 3),
        "kinds": {kind: KindCounts(**kinds[kind]) for kind in sorted(kinds)},
        "near_misses": {
            kind: {name: KindCounts(**classes[kind][name]) for name in sorted(classes[kind])}
            for kind in sorted(classes)
        },
        "heard_as": {kind: dict(sorted(heard_as[kind].items())) for kind in sorted(heard_as)},
        "plain": WordErrors.of(
            (s.n_words, s.errors) for s in sentences if not s.values and s.n_words
        ),
        "valued": WordErrors.of((s.n_words, s.errors) for s in sentences if s.values and s.n_words),
    }


def _seed(rng: int, identity: bytes) -> np.random.Generator:
    as_rng(rng)  # refuses what is no seed
    return as_rng(
        int.from_bytes(hashlib.sha256(identity + str(int(rng)).encode()).digest()[:8], "big")
    )


def _through_line(
    y: npt.NDArray[np.float32], sr: int, line: Condition, rng: np.random.Generator
) -> tuple[npt.NDArray[np.floating], int]:
    """The clip with silence around it, as it comes out of the line."""
    from s2sverify.line import degrade

    pad = np.zeros(round(_PAD_S * sr), dtype=np.float32)
    degraded = degrade(np.concatenate([pad, y, pad]), line, sr=sr, rng=rng)
    return degraded.y, degraded.sr


__all__ = [
    "Clip",
    "ScoredSentence",
    "ScoredValue",
    "as_clips",
    "as_sentence",
    "calibrate",
    "clip_hash",
    "read_clips",
    "score_sentence",
    "speak_clips",
    "tally",
]
