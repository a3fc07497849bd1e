"""Turns, overlaps and silences for other programs: Audacity labels, RTTM, CSV."""

from __future__ import annotations

import csv
import io
import math
import os
from pathlib import Path

from s2sverify.errors import InputError
from s2sverify.timing import ResponseStatus, Timing
from s2sverify.trace import write_text_atomically


def audacity_labels(timing: Timing) -> str:
    """Turns, latencies, overlaps and long silences as an Audacity label track: start, end, label by tabs."""
    rows = [(t.onset_s, t.offset_s, str(t.role)) for t in timing.turns]
    for r in timing.responses:
        if math.isnan(r.latency_s):
            rows.append((r.caller_offset_s, r.caller_offset_s, str(r.status)))
        else:
            low, high = sorted((r.caller_offset_s, r.agent_onset_s))
            rows.append((low, high, f"latency {1000 * r.latency_s:.0f} ms"))
    rows += [(o.start_s, o.end_s, f"overlap {o.kind}") for o in timing.overlaps]
    rows += [(i.start_s, i.end_s, "silence") for i in timing.long_silences]
    rows += [(i.start_s, i.end_s, "echo") for i in timing.echoes]
    return "".join(f"{start:.4f}\t{end:.4f}\t{label}\n" for start, end, label in sorted(rows))


def rttm(timing: Timing) -> str:
    """Spurts of both parties as RTTM, one SPEAKER line each."""
    name = "".join(c if c.isalnum() or c in "._-" else "_" for c in timing.name) or "call"
    lines = [
        (
            s.onset_s,
            f"SPEAKER {name} 1 {s.onset_s:.3f} {s.duration_s:.3f} <NA> <NA> {role} <NA> <NA>\n",
        )
        for role, found in (("caller", timing.caller), ("agent", timing.agent))
        for s in found.spurts
    ]
    return "".join(line for _, line in sorted(lines))


def timing_csv(timing: Timing) -> str:
    """One row per caller turn as CSV; what is not known is empty."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(
        ["call", "condition", "turn", "caller_onset_s", "caller_offset_s", "agent_onset_s", "latency_s",
         "latency_lo_s", "latency_hi_s", "observed_s", "status", "reason"]
    )  # fmt: skip
    for r in timing.responses:
        shown = r.status in (ResponseStatus.ANSWERED, ResponseStatus.CUT_IN)
        values = [
            r.caller_onset_s, r.caller_offset_s, r.agent_onset_s, r.latency_s,
            r.latency_interval.start_s if shown else math.nan,
            r.latency_interval.end_s if shown else math.nan, r.observed_s,
        ]  # fmt: skip
        cells = [f"{v:.4f}" if math.isfinite(v) else "" for v in values]
        writer.writerow(
            [
                _cell(timing.name),
                _cell(timing.condition),
                r.turn,
                *cells,
                str(r.status),
                _cell(r.reason),
            ]
        )
    return stream.getvalue()


def _cell(text: str) -> str:
    """Text that no spreadsheet takes for a formula."""
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text


_WRITERS = {".txt": audacity_labels, ".rttm": rttm, ".csv": timing_csv}


def write_labels(timing: Timing, path: str | os.PathLike[str]) -> Path:
    """Write `timing` in the format that the path's ending names: .txt (Audacity), .rttm or .csv.

    Raises
    ------
    InputError
        If the ending is another one, or the file cannot be written.
    """
    target = Path(path)
    writer = _WRITERS.get(target.suffix.lower())
    if writer is None:
        raise InputError(
            f"{target}: must end in .txt (Audacity labels), .rttm or .csv, got {target.suffix or 'no ending'}"
        )
    return write_text_atomically(target, writer(timing))


__all__ = ["audacity_labels", "rttm", "timing_csv", "write_labels"]
