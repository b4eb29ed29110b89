"""`check --online` for a bot on HeXO-Arena."""

from bot.guests.hexo_arena.challenger import ChallengePolicy
from bot.guests.hexo_arena.checks import check_online
from bot.platforms.settings import CheckResult
from bot.time_controls import PerTurn
from bot.time_source import SystemTime
from tests.bot.guests.hexo_arena.fake_server import ACCOUNT, FakeServer
from tests.bot.guests.hexo_arena.test_platform import LISTED, options


async def found(server: FakeServer) -> dict[str, CheckResult]:
    policy = ChallengePolicy(clocks=(PerTurn(turn_s=15),))
    checks = check_online(options(server.url, policy=policy), SystemTime())
    return {result.step: result async for result in checks}


async def test_all_is_well_with_a_bot_that_is_not_running() -> None:
    async with FakeServer.running() as server:
        server.answers["/api/bots"] = (200, [LISTED])
        results = await found(server)
    assert [result.state for result in results.values()] == ["ok", "ok", "not tried", "ok"]
    assert "Granite, rated 1500, provisional" in results["token"].message
    assert "as in the file: 5 to 600 s per turn" in results["declaration"].message
    assert "1 of these have room now" in results["opponents"].message
    assert server.opened == [], "a stream would end that of the running bot"


async def test_the_running_bot_is_seen_in_the_directory() -> None:
    async with FakeServer.running() as server:
        ours = {**LISTED, "name": "Granite", "liveGames": 2}
        server.answers["/api/bots"] = (200, [LISTED, ours])
        results = await found(server)
    assert results["stream"].message == "a bot is connected, takes games, and plays 2 games"


async def test_a_change_of_what_plays_is_told() -> None:
    stale = {**ACCOUNT, "about": "search, level 3, played by Bluestone"}
    async with FakeServer.running() as server:
        server.answers["/api/bots"] = (200, [])
        server.answers["/api/bot/account"] = (200, stale)
        results = await found(server)
    message = results["declaration"].message
    assert "when the bot starts, it declares 5 to 600 s per turn" in message
    assert message.endswith("version '', about ''")


async def test_a_bot_that_declared_nothing_gets_no_game() -> None:
    async with FakeServer.running() as server:
        server.answers["/api/bots"] = (200, [])
        server.answers["/api/bot/account"] = (200, {**ACCOUNT, "accepts": None})
        results = await found(server)
    assert "no game can start" in results["declaration"].message
    assert server.named("/api/bot/account") == [None], "a check changes nothing"


async def test_a_wrong_token_fails_the_check() -> None:
    async with FakeServer.running() as server:
        server.answers["/api/bot/account"] = (401, {"code": "unauthorized", "error": "rotated"})
        results = await found(server)
    assert [(each.step, each.state) for each in results.values()] == [("token", "failed")]
