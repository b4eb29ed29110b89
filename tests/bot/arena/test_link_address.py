"""The setting cluster.link."""

import pytest

from bot.arena.link_address import join_address, split_address
from bot.errors import ConfigurationError


@pytest.mark.parametrize(
    ("address", "parts"),
    [
        ("10.0.0.5:9765", ("10.0.0.5", 9765)),
        ("arena-1.internal:0", ("arena-1.internal", 0)),
        ("[fd00::5]:9765", ("fd00::5", 9765)),
    ],
)
def test_an_address_is_a_host_and_a_port(address: str, parts: tuple[str, int]) -> None:
    assert split_address(address) == parts
    assert join_address(*parts) == address


@pytest.mark.parametrize(
    "address",
    ["", "10.0.0.5", ":9765", "fd00::5:9765", "[10.0.0.5]:1", "h:65536", "h:-1", "h:²", "a b:1"],
)
def test_any_other_address_names_the_setting(address: str) -> None:
    with pytest.raises(ConfigurationError, match=r"cluster\.link"):
        split_address(address)
