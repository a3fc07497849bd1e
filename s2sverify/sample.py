"""The sample call that ships with the package: where it lies."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from s2sverify.errors import InputError

_AUDIO, _TRACE, _TRUTH = "call.flac", "trace.json", "truth.json"


def sample_paths() -> tuple[Path, Path]:
    """Paths of the sample call's recording and of its trace.

    A bicycle shop's agent, both speakers synthetic, on a telephone line. One amount is spoken other than the tool
    returned it, and one turn is cut off by the caller. What is true of it lies beside it in ``truth.json``;
    ``calibration/make_sample.py`` made all three.

    Returns
    -------
    tuple of Path
        Recording (stereo FLAC, caller left, agent right) and trace (JSON).

    Raises
    ------
    InputError
        If the package was installed without its data, or inside an archive.

    Examples
    --------
    >>> import s2sverify as s2s
    >>> audio, trace = s2s.sample_paths()
    >>> audio.name, trace.name
    ('call.flac', 'trace.json')
    """
    return _path(_AUDIO), _path(_TRACE)


def sample_truth_path() -> Path:
    """Path of the JSON file that holds what is true of the sample call. Raises as `sample_paths`."""
    return _path(_TRUTH)


def _path(name: str) -> Path:
    found = files("s2sverify").joinpath("data", "sample", name)
    if not isinstance(found, Path) or not found.is_file():
        raise InputError(f"sample call: {name} must be a file of the installed package: {found}")
    return found


__all__ = ["sample_paths", "sample_truth_path"]
