"""Imports run one way. A module may import modules of lines above its own, never of its own line or below."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import s2sverify

PACKAGE = Path(s2sverify.__file__).parent
ORDER = """
errors
types
_arrays
_display
kernels._lazy kernels.lanes
kernels.activity kernels.levels kernels.line
stats counts
levels
g711 filters
tempo noise loss
condition
text.vocabulary
text.lattice
text.measures text.numbers
text.repairs
text.strings
text.amounts
text.dates
text.clock
text.kinds
text.nearmiss
text.names
text.writing
text.normalize
text.alignment text.render
text.matching.base
text.matching.symbols text.matching.quantities text.matching.moments text.matching.wording
text.matching.prepare
text.entities text.comparison
text.tables
sentences
_wav
_formats _media_stream
_sources
recording
placement
trace
_detector
spurts
integrity
timing
compat labels playback artefacts
line
engines.base
engines.cache
engines.pieces
engines.scripted engines.whisper engines.deepgram
floor
clips
pairing
expected
results
triangle
sample selftest
cli
__main__
""".splitlines()
RANK = {name: rank for rank, line in enumerate(ORDER) for name in line.split()}
HEAVY = ["numpy", "numba", "scipy", "pandas", "matplotlib", "torch", "faster_whisper", "pydantic",
         "soundfile", "typer"]  # fmt: skip


def module_name(path: Path) -> str:
    name = ".".join(path.relative_to(PACKAGE).with_suffix("").parts)
    return name.removesuffix(".__init__")


MODULES = {
    module_name(path): path
    for path in PACKAGE.rglob("*.py")
    if path != PACKAGE / "__init__.py" and path.stat().st_size
}


def imports_of(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    inner = {name.removeprefix("s2sverify.") for name in found if name.startswith("s2sverify.")}
    return inner & set(MODULES)


@pytest.mark.parametrize("name", sorted(MODULES))
def test_imports_only_from_above(name):
    assert name in RANK, f"{name} has no place in the import order: add it to ORDER"
    upward = {other for other in imports_of(MODULES[name]) - {name} if RANK[other] >= RANK[name]}
    assert not upward, f"{name} imports {sorted(upward)}, which stand on its own line or below it"


def test_order_names_only_what_exists():
    assert set(RANK) <= set(MODULES), f"not in the package: {sorted(set(RANK) - set(MODULES))}"


def test_importing_the_package_loads_nothing_heavy():
    code = f"import sys, s2sverify; print([m for m in {HEAVY} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_every_public_name_resolves():
    for name in s2sverify.__all__:
        assert getattr(s2sverify, name) is not None
