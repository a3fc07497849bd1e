"""Data frames and axes. pandas and matplotlib are imported here, on use, and nowhere else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from s2sverify.errors import MissingDependencyError

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


def frame(
    rows: Sequence[Mapping[str, Any]], *, columns: Sequence[str] | None = None
) -> pd.DataFrame:
    """A data frame of one row per mapping; `columns` fixes their order, also for no rows.

    Raises
    ------
    MissingDependencyError
        If pandas is not installed.
    """
    try:
        import pandas as pd
    except ImportError as error:
        raise MissingDependencyError(
            'tables need pandas: pip install "s2sverify[table]"'
        ) from error
    return pd.DataFrame(
        [dict(row) for row in rows], columns=None if columns is None else list(columns)
    )


def axes(ax: Axes | None) -> Axes:
    """The axes to draw on: `ax`, or those of a new figure.

    Raises
    ------
    MissingDependencyError
        If matplotlib is not installed.
    """
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot as plt
    except ImportError as error:
        raise MissingDependencyError(
            'plots need matplotlib: pip install "s2sverify[plot]"'
        ) from error
    return plt.subplots(figsize=(10, 3), layout="constrained")[1]
