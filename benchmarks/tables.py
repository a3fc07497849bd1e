"""What the benchmarks of levels and of the line share: CPU time, peers that may be missing, tables in the docs."""

from __future__ import annotations

import importlib
import json
import os
import platform
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ.setdefault(name, "1")

PROJECT = Path(__file__).parents[1]
DOC = PROJECT / "docs" / "benchmarks.md"
RESULTS = Path(__file__).parent / "results"


def children_cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def cpu_s(run: Callable[[], Any]) -> float:
    """CPU time of one call, child processes included."""
    before = time.process_time() + children_cpu_s()
    run()
    return time.process_time() + children_cpu_s() - before


def ratios(
    base: Callable[[], Any], runs: dict[str, Callable[[], Any]], *, rounds: int = 12
) -> dict[str, float]:
    """CPU time of each run over that of `base`: best of some rounds, in which all take turns.

    What takes longer than a second takes part in two rounds only.
    """
    everything = {"base": base, **runs}
    for run in everything.values():
        run()  # compiled, paged in
    best = dict.fromkeys(everything, float("inf"))
    for rounds_done in range(rounds):
        for name, run in everything.items():
            if rounds_done > 1 and best[name] > 1:
                continue
            best[name] = min(best[name], cpu_s(run))
    return {name: best[name] / best["base"] for name in runs} | {"base_s": best["base"]}


def peer(name: str) -> Any:
    """A module, or None where it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def program(*command: str, data: bytes) -> bytes:
    """What a program makes of `data` on its standard input."""
    return subprocess.run(command, input=data, capture_output=True, check=True).stdout


def fresh(code: str, *arguments: str) -> str:
    """Standard output of a fresh interpreter."""
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    lines = [head, ["---"] * len(head), *[[str(cell) for cell in row] for row in rows]]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def machine() -> str:
    cpu = next(
        (line.split(":", 1)[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines()
         if line.startswith("model name")),
        platform.processor(),
    ) if Path("/proc/cpuinfo").exists() else platform.processor()  # fmt: skip
    return f"{cpu}, Python {platform.python_version()}, {platform.system()}"


def store(title: str, text: str, figures: dict[str, Any], name: str) -> None:
    """Keep the figures as JSON and put `text` under its heading in the docs, in place of what stood there."""
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.json").write_text(json.dumps(figures, indent=1) + "\n")
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    section = f"{begin}\n## {title}\n\n{text.strip()}\n{end}\n"
    old = DOC.read_text() if DOC.exists() else "# Benchmarks\n"
    if begin in old:
        head, rest = old.split(begin, 1)
        DOC.write_text(head + section + rest.split(end, 1)[1].lstrip("\n"))
    else:
        DOC.write_text(old.rstrip("\n") + "\n\n" + section)
    print(section)
