"""Every test of this folder is a nightly one. Some share libraries, which take minutes to build."""

import platform
from pathlib import Path

import pytest

from tests.skipping import skip
from tools.dist import build_libraries
from tools.wheels import LIBRARIES, LibraryError

FOLDER = Path(__file__).parent


@pytest.hookimpl(tryfirst=True)  # before pytest selects by marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if FOLDER in item.path.parents:
            item.add_marker(pytest.mark.nightly)


@pytest.fixture(scope="session")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the engine, compiled ahead of time for this kind of machine.

    The page's folder of this checkout gets the engine for browsers.
    """
    machine = platform.machine()
    if machine not in LIBRARIES:
        skip(f"there is no wheel for {machine}")
    folder = tmp_path_factory.mktemp("libraries")
    try:
        build_libraries(folder, [machine])
    except LibraryError as error:
        skip(str(error))
    return folder
