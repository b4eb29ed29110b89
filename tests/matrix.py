"""Matrices of cases: a few in each run of the tests, the rest in the nightly run."""

from collections.abc import Iterable
from typing import Any

import pytest
from _pytest.mark import ParameterSet


def nightly_after(number: int, cases: Iterable[Any]) -> list[ParameterSet]:
    """The cases for `pytest.mark.parametrize`; all but the first `number` are nightly.

    A case is a value, or a `pytest.param` with marks or several values of its own.
    """
    return [_nightly(case) if at >= number else _as_set(case) for at, case in enumerate(cases)]


def _as_set(case: Any) -> ParameterSet:
    return case if isinstance(case, ParameterSet) else pytest.param(case)


def _nightly(case: Any) -> ParameterSet:
    values, marks, name = _as_set(case)
    return pytest.param(*values, marks=[*marks, pytest.mark.nightly], id=name)
