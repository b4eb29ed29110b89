"""The bundled bots' tokens and configuration."""

from pathlib import Path

import pytest

from bot import wire
from bot.arena.analysis.analysis_store import AnalysisStore
from bot.arena.players import starting_ratings
from bot.arena.players.accounts import Accounts, accounts_in, issue_token
from bot.arena.settings import Place
from bot.arena.store import tables
from bot.arena.store.connection import Hold
from bot.arena.store.database import OPEN_S
from bot.arena.store.opening import open_database
from bot.daemon.settings_file import load_settings
from bot.time_source import SystemTime
from bot.tournaments.glicko2 import Rating
from bot.up import level_ratings
from bot.up.bundled_bots import (
    ANALYST,
    BUNDLED_BOTS,
    ENGINE,
    engine_processes,
    token_file,
    write_analyst_token,
    write_daemon_configuration,
    write_secret,
    write_tokens,
)


async def test_the_daemons_configuration_is_sound(tmp_path: Path) -> None:
    data = tmp_path / 'a "strange" folder'
    await write_tokens(Place(data))
    path = write_daemon_configuration(data, "http://127.0.0.1:8765")
    settings = load_settings(path)
    assert [table.name for table in settings.platforms] == [bot.label for bot in BUNDLED_BOTS]
    spec = settings.engines[ENGINE]
    levels = [table.options_of(spec) for table in settings.platforms]
    assert levels == [{"Level": str(level)} for level in range(1, 11)]
    assert settings.platforms[2].title_of(spec) == "Bluestone, level 3"
    assert {table.engine for table in settings.platforms} == {ENGINE}, "one pool"
    assert not spec.ponder, "they leave the cores alone while people think"
    assert [getattr(table, "tournaments", None) for table in settings.platforms] == [True] * 10
    tokens = {table.read_token({}).get_secret_value() for table in settings.platforms}
    assert len(tokens) == len(BUNDLED_BOTS)


async def test_tokens_are_for_their_owner_alone(tmp_path: Path) -> None:
    await write_tokens(Place(tmp_path))
    for bot in BUNDLED_BOTS:
        assert token_file(tmp_path, bot).stat().st_mode & 0o777 == 0o600


async def names(data: Path) -> list[str]:
    """What the bots are called, by their tokens."""
    found = []
    async with accounts_in(data) as accounts:
        for bot in BUNDLED_BOTS:
            token = token_file(data, bot).read_text().strip()
            login = await accounts.log_in(wire.Credentials(v=1, token=token))
            found.append(login.player.name)
    return found


async def test_the_next_start_finds_the_same_bots(tmp_path: Path) -> None:
    await write_tokens(Place(tmp_path))
    first = [token_file(tmp_path, bot).read_text() for bot in BUNDLED_BOTS]
    await write_tokens(Place(tmp_path))
    assert [token_file(tmp_path, bot).read_text() for bot in BUNDLED_BOTS] == first
    assert await names(tmp_path) == [bot.name for bot in BUNDLED_BOTS]


async def test_an_arena_that_knew_two_bots_gets_the_others(tmp_path: Path) -> None:
    for bot in (BUNDLED_BOTS[2], BUNDLED_BOTS[9]):
        write_secret(token_file(tmp_path, bot), await issue_token(tmp_path, bot.name))
    await write_tokens(Place(tmp_path))
    assert await names(tmp_path) == [bot.name for bot in BUNDLED_BOTS]


async def test_bots_of_a_new_arena_start_at_the_ratings_of_their_levels(tmp_path: Path) -> None:
    await issue_token(tmp_path, "Flint")
    old = BUNDLED_BOTS[2]  # of an arena that had it before: its rating does not jump
    write_secret(token_file(tmp_path, old), await issue_token(tmp_path, old.name))
    await write_tokens(Place(tmp_path))
    async with open_database(tmp_path, OPEN_S, Hold.NONE) as database:

        async def start(name: str) -> Rating | None:
            player = await Accounts(database, SystemTime()).find(name)
            return await database.read(
                lambda connection: starting_ratings.find(connection, str(player.id), "blooms")
            )

        assert await start("Flint") is await start(old.name) is None
        for bot in BUNDLED_BOTS:
            if bot != old:
                assert await start(bot.name) == level_ratings.starting_ratings(bot.level)["blooms"]


async def test_a_name_that_is_taken_stays_its_owners(tmp_path: Path) -> None:
    of_a_bot = await issue_token(tmp_path, "Boulder")
    async with accounts_in(tmp_path) as accounts:
        await accounts.log_in(wire.Credentials(v=1, name="cliff"))
        for _ in range(2):
            await write_tokens(Place(tmp_path))
            assert await accounts.knows_token(of_a_bot)
            called = await names(tmp_path)
            assert (called[4], called[7]) == ("Boulder-5", "Cliff-8")


async def test_a_second_name_that_is_taken_stays_its_owners_too(tmp_path: Path) -> None:
    tokens = [await issue_token(tmp_path, name) for name in ("Sand", "Sand-1")]
    await write_tokens(Place(tmp_path))
    async with accounts_in(tmp_path) as accounts:
        assert [await accounts.knows_token(token) for token in tokens] == [True, True]
    assert (await names(tmp_path))[0] == "Sand-1-2"


@pytest.mark.parametrize(("processors", "processes"), [(1, 2), (2, 2), (4, 3), (64, 8)])
def test_the_bots_share_as_many_engines_as_the_machine_bears(
    processors: int, processes: int
) -> None:
    assert engine_processes(processors) == processes


def test_a_secret_replaces_a_file_that_all_users_could_read(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_text("old")
    path.chmod(0o644)
    write_secret(path, "new")
    assert path.read_text() == "new\n"
    assert path.stat().st_mode & 0o777 == 0o600


async def test_the_analyst_has_its_role_where_there_are_analyses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert await write_analyst_token(Place(tmp_path / "with"))
    async with open_database(tmp_path / "with", OPEN_S, Hold.NONE) as database:
        analyst = await Accounts(database, SystemTime()).find(ANALYST.name)
        assert await AnalysisStore(database, SystemTime()).is_analyst(analyst.id)
    monkeypatch.setattr(tables, "find_role", lambda _name: None)
    assert not await write_analyst_token(Place(tmp_path / "without"))
    assert not (tmp_path / "without").exists()
