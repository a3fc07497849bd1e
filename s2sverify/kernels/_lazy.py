"""Compiled loops without numba at import: each kernel is compiled when the work has earned it."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any


class Kernel:
    """A loop that numba compiles on first use; until then, and for little work, a plain form stands in.

    Importing numba and loading a compiled loop costs more CPU time than most short clips need in numpy, so
    the wrapper asks :meth:`earned` before it calls. Both forms give the same bits, so the answer never
    changes a number.

    Parameters
    ----------
    source : callable
        The loop, in the part of Python that numba compiles. It calls nothing but numpy and builtins. With
        ``compiled=True`` a function without arguments that imports and returns a loop compiled elsewhere.
    patience : int
        Samples that the plain form may handle, over the life of the process, before compiling pays.
    """

    def __init__(
        self, source: Callable[..., Any], patience: int, *, compiled: bool = False
    ) -> None:
        self.py_func = source
        self.patience = patience
        self._load = source if compiled else self._compile
        self.__doc__ = source.__doc__
        self.__name__ = source.__name__
        self._compiled: Callable[..., Any] | None = None

    def __call__(self, *args: Any) -> Any:
        """Run the compiled loop."""
        if self._compiled is None:
            self._compiled = self._load()
        return self._compiled(*args)

    def earned(self, n: int) -> bool:
        """Whether the next `n` samples are for the compiled loop: it is loaded, or patience has run out."""
        if self._compiled is not None:
            return True
        self.patience -= n
        return self.patience < 0

    def _compile(self) -> Callable[..., Any]:
        numba = importlib.import_module("numba")
        # no fastmath: NaN and the order of summation are part of the result
        try:
            compiled: Callable[..., Any] = numba.njit(cache=True, nogil=True)(self.py_func)
        except (
            RuntimeError
        ):  # no folder to keep the cache in: neither beside the file nor in the home
            compiled = numba.njit(nogil=True)(self.py_func)
        return compiled


def kernel(*, patience: int) -> Callable[[Callable[..., Any]], Kernel]:
    """Mark a loop as a kernel; see :class:`Kernel`."""
    return lambda source: Kernel(source, patience)
