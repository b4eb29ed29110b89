"""Without the folder of any guest or capability only its feature is missing."""

from pathlib import Path

import pytest

from tests.house.removal import (
    CAPABILITIES,
    GUESTS,
    ArenaCapability,
    Guest,
    check_without,
    check_without_capability,
)


@pytest.mark.e2e
@pytest.mark.timeout(900)
@pytest.mark.parametrize("guest", GUESTS, ids=lambda guest: guest.folder)
def test_without_a_guest_the_rest_works(guest: Guest, tmp_path: Path) -> None:
    check_without(guest, tmp_path / "copy")


@pytest.mark.e2e
@pytest.mark.timeout(900)
@pytest.mark.parametrize("capability", CAPABILITIES, ids=lambda each: each.name)
def test_without_a_capability_the_rest_works(capability: ArenaCapability, tmp_path: Path) -> None:
    check_without_capability(capability, tmp_path / "copy")
