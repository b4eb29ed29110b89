"""What a settings file may say of a bot on HeXO-Arena."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pydantic import ValidationError

from bot import __version__
from bot.daemon import run
from bot.daemon.settings import IDENTITIES, EngineTable, IdentitySettings, Settings
from bot.daemon.settings_file import check_settings, load_settings
from bot.engines.spec import EngineSpec
from bot.guests.hexo_arena.settings import HexoArenaConnection
from bot.time_controls import PerTurn
from bot.time_source import SystemTime

if TYPE_CHECKING:

    class HexoArenaIdentity(HexoArenaConnection, IdentitySettings):
        """As the daemon makes it."""
else:
    HexoArenaIdentity = IDENTITIES["hexo_arena"]

EXAMPLE = Path(__file__).parents[4] / "config" / "hexo-arena.toml"
TOKEN = {"HEXO_ARENA_TOKEN": "hxo_test"}
URL = "https://hexo.example"


def identity(**keys: object) -> HexoArenaIdentity:
    return HexoArenaIdentity.model_validate({"url": URL, **keys})


def complaint(**keys: object) -> str:
    with pytest.raises(ValidationError) as refused:
        identity(**keys)
    return refused.value.errors()[0]["msg"]


def test_the_example_is_accepted() -> None:
    assert check_settings(EXAMPLE, TOKEN) == []
    (table,) = load_settings(EXAMPLE, TOKEN).platforms
    assert isinstance(table, HexoArenaIdentity)
    assert table.seek is not None


def test_the_token_does_not_go_over_the_net_in_the_clear() -> None:
    assert "https:// is required" in complaint(url="http://hexo.example")
    assert identity(url="http://127.0.0.1:8080").url == "http://127.0.0.1:8080"


def test_a_bot_without_challenges_waits_for_others() -> None:
    assert identity().seek is None


def test_the_site_may_start_games_of_hexo_whatever_challenges_are_accepted() -> None:
    """Its kernels must be there before the first game, because the clock does not wait for them."""
    table = identity(policy={"games": ["bluestone"]})
    assert run._games(Settings(), table) == ["hexo"]


def declared(**keys: object) -> tuple[object, object]:
    """The texts about and version that the bot declares."""
    table = identity(token_env="HEXO_ARENA_TOKEN", **keys)
    settings = Settings(engines={"search": EngineTable(name="mine", options={"Hash": "64"})})
    declaration = table._options(settings.context(table, TOKEN, SystemTime())).declaration
    return declaration.about, declaration.version


def test_the_declaration_says_what_plays() -> None:
    ours = f"Bluestone {__version__}"
    assert declared() == ("mine, played by Bluestone", ours)
    assert declared(level=5) == ("mine, level 5, played by Bluestone", ours)
    assert declared(about="A tree search", version="2") == ("A tree search", "2")
    assert declared(about="", version="") == ("", "")


def test_the_level_that_counts_for_the_engine_is_declared() -> None:
    table = identity(level=5, options={"level": 3})
    spec = EngineSpec(name="mine")
    assert table.options_of(spec) == {"level": "3"}
    assert declared(level=5, options={"level": 3})[0] == "mine, level 3, played by Bluestone"
    assert identity().title_of(EngineSpec(name="mine", options={"Level": "7"})) == "mine, level 7"


def test_challenges_are_sought_games_of_hexo() -> None:
    table = identity(challenges={"at_once": 2, "clocks": ["20/turn"]})
    assert table.seek is not None
    assert (table.seek.game, table.seek.at_once, table.seek.rated) == ("hexo", 2, True)
    assert table.seek.clock == PerTurn(turn_s=20)
    assert dict(table.seek.options) == {"cap": "0"}


@pytest.mark.parametrize(
    ("clock", "why"),
    [
        ("4/turn", "at least 5 s"),
        ("59+1", "at least 60 s"),
        ("60/3x10", "no clock of the kind byoyomi"),
        ("3d+1d:7d", "no clock of the kind correspondence"),
        ("soon", "not a time control"),
    ],
)
def test_clocks_that_the_server_refuses_are_refused(clock: str, why: str) -> None:
    assert why in complaint(challenges={"clocks": [clock]})


def test_the_caps_of_the_server_are_the_greatest_values() -> None:
    assert "less than or equal to 20" in complaint(challenges={"per_opponent": 21})
    assert "less than or equal to 100" in complaint(challenges={"per_day": 101})
    assert "less than or equal to 4" in complaint(challenges={"at_once": 5})


def test_a_bot_may_play_no_clock_per_turn() -> None:
    assert identity(accepts={"turn_s": []}).accepts.turn_s is None
    assert "the least time is greater" in complaint(accepts={"turn_s": [60, 5]})


def test_a_silence_is_noticed_before_the_server_ends_the_games() -> None:
    assert "less than or equal to 29" in complaint(silence_s=30)
    assert "greater than or equal to 11" in complaint(silence_s=10)
