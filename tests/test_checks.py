"""Lint, format and strict types are tests like the others."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize(
    "check",
    [["ruff", "check", "."], ["ruff", "format", "--check", "."], ["mypy"]],
    ids=["lint", "format", "types"],
)
def test_static_checks(check):
    done = subprocess.run(
        [sys.executable, "-m", *check], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"


def test_ci_runs_the_readme_command():
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    command = lines[lines.index("<!-- tests -->") + 2]
    assert command.endswith("-m pytest -n 2")
    assert command in (ROOT / "docs" / "contributing.md").read_text(encoding="utf-8")
