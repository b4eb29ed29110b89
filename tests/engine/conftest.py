"""One worker runs the tests of a file: most files have functions that each process compiles."""

from pathlib import Path

import pytest


@pytest.hookimpl(tryfirst=True)  # xdist reads the groups
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            file = item.path.relative_to(Path(__file__).parent)
            item.add_marker(pytest.mark.xdist_group(f"engine/{file}"))
