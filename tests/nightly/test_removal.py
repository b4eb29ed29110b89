"""Without the folder of any guest only its feature is missing."""

from pathlib import Path

import pytest

from tests.house.removal import GUESTS, Guest, check_without


@pytest.mark.e2e
@pytest.mark.timeout(900)
@pytest.mark.parametrize("guest", GUESTS, ids=lambda guest: guest.folder)
def test_without_a_guest_the_rest_works(guest: Guest, tmp_path: Path) -> None:
    check_without(guest, tmp_path / "copy")
