"""What a settings file may say of a bot on Abstract Play."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pydantic import ValidationError

from bot.daemon.settings import IDENTITIES, IdentitySettings
from bot.daemon.settings_file import check_settings, load_settings
from bot.guests.abstract_play.settings import EXAMPLE_ID, AbstractPlayConnection

if TYPE_CHECKING:

    class AbstractPlayIdentity(AbstractPlayConnection, IdentitySettings):
        """As the daemon makes it."""
else:
    AbstractPlayIdentity = IDENTITIES["abstract_play"]

EXAMPLE = Path(__file__).parents[4] / "config" / "abstract-play.toml"
SECRET = {"ABSTRACT_PLAY_SECRET": "s3cret"}
ADDRESSES = ("base", "token_url", "key_url", "public_url")


def identity(**keys: object) -> AbstractPlayIdentity:
    return AbstractPlayIdentity.model_validate({"client_id": "abc", **keys})


def complaint(**keys: object) -> str:
    with pytest.raises(ValidationError) as refused:
        identity(**keys)
    (error,) = refused.value.errors()
    assert error["loc"] == tuple(keys)
    return error["msg"]


def test_the_example_lacks_an_id_and_nothing_else(tmp_path: Path) -> None:
    (problem,) = check_settings(EXAMPLE, SECRET)
    assert "platforms[0].client_id: 'your-client-id' is the example" in problem
    mended = tmp_path / "abstract-play.toml"
    mended.write_text(EXAMPLE.read_text().replace(EXAMPLE_ID, "abc"))
    assert load_settings(mended, SECRET).policy.clocks == ["correspondence"]


@pytest.mark.parametrize("key", ADDRESSES)
@pytest.mark.parametrize("scheme", ["http", "ws", "wss"])
def test_nothing_goes_over_the_net_in_the_clear(key: str, scheme: str) -> None:
    assert "https:// is required" in complaint(**{key: f"{scheme}://example.org/"})


@pytest.mark.parametrize("key", ADDRESSES)
@pytest.mark.parametrize("host", ["127.0.0.1:9", "localhost:9", "[::1]:9"])
def test_on_one_machine_it_may(key: str, host: str) -> None:
    assert getattr(identity(**{key: f"http://{host}/"}), key) == f"http://{host}/"


@pytest.mark.parametrize("host", ["bot.example.org", "127.0.0.1.example.org", "127.0.0.256"])
def test_a_host_name_is_not_accepted_to_listen_on(host: str) -> None:
    assert "an IP address of this machine is required" in complaint(listen_host=host)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "10.0.0.5", "localhost"])
def test_an_address_to_listen_on_is_one(host: str) -> None:
    assert identity(listen_host=host).listen_host == host


def test_a_bot_there_seeks_no_games() -> None:
    assert "cannot offer games" in complaint(seek={"games": 1})


def test_a_key_of_another_kind_of_platform_is_not_proposed_for_itself(tmp_path: Path) -> None:
    file = tmp_path / "bot.toml"
    keys = "tournaments = true\nlisten_prot = 8780\n"
    file.write_text(f'[[platforms]]\nkind = "abstract_play"\nclient_id = "abc"\n{keys}')
    first, second = check_settings(file, {"BLUESTONE_TOKEN": "s3cret"})
    assert first.endswith("platforms[0].tournaments: unknown key")
    assert second.endswith("platforms[0].listen_prot: unknown key; did you mean 'listen_port'?")
