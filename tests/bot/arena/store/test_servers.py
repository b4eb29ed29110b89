"""Database servers come by a door."""

from pathlib import Path

import pytest

from bot.arena.settings import Place
from bot.arena.store.opening import open_database
from bot.errors import ConfigurationError


async def test_a_url_that_no_package_opens_is_refused_without_its_password(tmp_path: Path) -> None:
    place = Place(tmp_path, "mysql://anna:hunter2@host/name")
    with pytest.raises(ConfigurationError, match="no installed package opens mysql://") as raised:
        async with open_database(place):
            pass
    assert "postgresql://" in str(raised.value)
    assert "hunter2" not in str(raised.value)
