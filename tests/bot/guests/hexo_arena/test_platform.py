"""The platform on a fake server: its stream, its games, their ends, and its refusals."""

import asyncio
import json
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from bot.errors import PeerError, RefusedByServer
from bot.guests.hexo_arena.challenger import ChallengePolicy
from bot.guests.hexo_arena.declaration import Declaration
from bot.guests.hexo_arena.messages import Accepts
from bot.guests.hexo_arena.platform import HexoArenaPlatform
from bot.guests.hexo_arena.streaming import Options
from bot.platforms.base import (
    ChallengeGone,
    ChallengeOffered,
    Connected,
    Disconnected,
    GameChanged,
    GameGone,
    GameOutcome,
    NoAnswer,
    NotNow,
    PlatformEvent,
    Setup,
    TokenRefused,
    TurnInfo,
)
from bot.time_controls import PerTurn
from bot.time_source import SystemTime
from tests.bot.guests.hexo_arena.fake_server import (
    ACCOUNT,
    TOKEN,
    FakeServer,
    challenge,
    finish,
    snapshot,
    start,
)
from tests.bot.guests.hexo_arena.table import request
from tests.fakes.waiting import eventually

TURN = "1:0,2:0"
SETUP = Setup("hexo", "plane", "official", PerTurn(turn_s=15), rated=True)
LISTED: dict[str, Any] = {
    "name": "Bea",
    "ownerName": "Bob",
    "online": True,
    "openForChallenges": True,
    "rating": 1600,
    "provisional": False,
    "liveGames": 0,
    "accepts": ACCOUNT["accepts"],
}


@dataclass
class Bot:
    """A platform that runs, and what it has told the daemon."""

    platform: HexoArenaPlatform
    events: list[PlatformEvent] = field(default_factory=list)

    async def sink(self, event: PlatformEvent) -> None:
        self.events.append(event)

    def shown(self) -> list[GameChanged]:
        return [event for event in self.events if isinstance(event, GameChanged)]

    def games(self) -> list[GameChanged]:
        """The states that ask for a turn of ours, or end a game."""
        return [each for each in self.shown() if each.facts.our_turn or each.facts.outcome]

    async def until_game(self, count: int = 1) -> GameChanged:
        await eventually(lambda: len(self.games()) >= count)
        return self.games()[count - 1]

    def of(self, kind: type[PlatformEvent]) -> list[PlatformEvent]:
        return [event for event in self.events if isinstance(event, kind)]

    async def until(self, kind: type[PlatformEvent], count: int = 1) -> PlatformEvent:
        await eventually(lambda: len(self.of(kind)) >= count)
        return self.of(kind)[count - 1]


def options(url: str, **more: object) -> Options:
    accepts = Accepts(turn_ms=(5_000, 600_000), match=True)
    known = Options(url, SecretStr(TOKEN), Declaration(accepts), first_wait_s=0.01)
    return replace(known, **more)  # type: ignore[arg-type]


@asynccontextmanager
async def bot_on(server: FakeServer, folder: Path, **more: object) -> AsyncIterator[Bot]:
    platform = HexoArenaPlatform(
        options(server.url, **more), folder, SystemTime(), random.Random(1)
    )
    bot = Bot(platform)
    running = asyncio.create_task(platform.run(bot.sink))
    try:
        await bot.until(Connected)
        await eventually(lambda: server.is_open)
        yield bot
    finally:
        running.cancel()
        await asyncio.wait({running})


async def outcome_of_run(server: FakeServer, folder: Path, **more: object) -> BaseException | None:
    bot = Bot(
        HexoArenaPlatform(options(server.url, **more), folder, SystemTime(), random.Random(1))
    )
    result = await asyncio.gather(bot.platform.run(bot.sink), return_exceptions=True)
    return result[0] if isinstance(result[0], BaseException) else None


# ---- a game --------------------------------------------------------------------------------


async def test_a_turn_is_played_over_the_websocket(tmp_path: Path) -> None:
    async with FakeServer.running() as server, bot_on(server, tmp_path) as bot:
        server.on_dial["g1"] = [request(3, limit=14.5)]
        await server.tell(start("g1"))
        change = await bot.until_game()
        facts = change.facts
        assert (facts.game_id, facts.seat, facts.our_turn) == ("g1", 2, True)
        assert [turn.turn for turn in facts.turns] == ["0:0"]
        assert (facts.clocks[1].main_ms, facts.setup.rated) == (14_500, True)
        await bot.platform.submit("g1", 1, TURN, TurnInfo())
        await eventually(lambda: bool(server.received.get("g1")))
        assert server.received["g1"][0]["request_id"] == 3


async def test_the_end_of_a_game_has_the_last_turn_and_the_rating(tmp_path: Path) -> None:
    async with FakeServer.running() as server, bot_on(server, tmp_path) as bot:
        server.on_dial["g1"] = [request(1)]
        await server.tell(start("g1"))
        await bot.until_game()
        over = snapshot(
            "0:0", TURN, "0:1,0:2", status="finished", winner="x", reason="six-in-a-row"
        )
        server.answers["/api/games/g1"] = (200, over)
        server.answers["/api/bot/account"] = (200, {**ACCOUNT, "rating": 1492})
        await server.tell(finish("g1", "x"))
        await bot.until_game(2)
        facts = bot.games()[-1].facts
        assert facts.outcome == GameOutcome(1, "played_out")
        assert [turn.turn for turn in facts.turns] == ["0:0", TURN, "0:1,0:2"]
        file = tmp_path / "ratings.jsonl"
        await eventually(file.exists)
        line = json.loads(file.read_text())
        assert (line["game"], line["result"], line["rating"]) == ("g1", "lost", 1492)


async def test_our_own_winning_turn_is_known_without_the_public_game(tmp_path: Path) -> None:
    async with FakeServer.running() as server, bot_on(server, tmp_path) as bot:
        server.on_dial["g1"] = [request(1)]
        await server.tell(start("g1"))
        await bot.until_game()
        await bot.platform.submit("g1", 1, TURN, TurnInfo())
        await server.tell(finish("g1", "o"))
        await bot.until_game(2)
        facts = bot.games()[-1].facts
        assert facts.outcome is not None
        assert facts.outcome.winner == 2
        assert [turn.turn for turn in facts.turns] == ["0:0", TURN]


async def test_an_end_that_was_not_told_is_found_in_the_public_game(tmp_path: Path) -> None:
    """The websocket is closed as at an end, and the line is lost."""
    async with FakeServer.running() as server, bot_on(server, tmp_path) as bot:
        server.on_dial["g1"] = [request(1)]
        await server.tell(start("g1"))
        await bot.until_game()
        over = snapshot("0:0", status="finished", winner=None, reason="aborted")
        server.answers["/api/games/g1"] = (200, over)
        await server.sockets["g1"].close()
        await bot.until_game(2)
        assert bot.games()[-1].facts.outcome == GameOutcome(None, "aborted")


@pytest.mark.parametrize(("side", "turns"), [("o", []), ("x", ["0:0"])])
async def test_a_game_is_known_before_its_first_request(
    tmp_path: Path, side: str, turns: list[str]
) -> None:
    """In the last state before the opening in which the opponent is to move."""
    async with FakeServer.running() as server, bot_on(server, tmp_path) as bot:
        await server.tell(start("g1", side))
        await eventually(lambda: bool(bot.shown()))
        facts = bot.shown()[0].facts
        assert [turn.turn for turn in facts.turns] == turns
        assert (facts.our_turn, facts.opponent.name) == (False, "Ann")


async def test_a_game_that_ends_before_its_first_request_is_recorded(tmp_path: Path) -> None:
    """Its end is told after a state in which it runs, also after a restart."""
    async with FakeServer.running() as server:
        async with bot_on(server, tmp_path) as first:
            await server.tell(start("g1"))
            await eventually(lambda: bool(first.shown()))
        over = snapshot("0:0", status="finished", winner=None, reason="aborted")
        server.answers["/api/games/g1"] = (200, over)
        async with bot_on(server, tmp_path) as second:
            await second.until_game()
            assert [each.facts.outcome for each in second.shown()] == [
                None,
                GameOutcome(None, "aborted"),
            ]


async def test_a_game_is_shown_to_a_restarted_bot_while_the_opponent_thinks(
    tmp_path: Path,
) -> None:
    async with FakeServer.running() as server:
        server.on_dial["g1"] = [request(1)]
        async with bot_on(server, tmp_path) as first:
            await server.tell(start("g1"))
            await first.until_game()
            await server.sockets["g1"].send_json(request(2, TURN, "0:1,0:2"))
            await first.until_game(2)
        server.on_dial["g1"] = []
        turns = ["0:0", TURN, "0:1,0:2", "3:0,4:0"]
        server.answers["/api/games/g1"] = (200, snapshot(*turns, toMove="x"))
        server.replay = [start("g1")]
        async with bot_on(server, tmp_path) as second:
            await eventually(lambda: bool(second.shown()))
            facts = second.shown()[0].facts
            assert [turn.turn for turn in facts.turns] == turns
            assert not facts.our_turn


async def test_a_game_that_nobody_offered_takes_a_place(tmp_path: Path) -> None:
    async with FakeServer.running() as server, bot_on(server, tmp_path) as bot:
        await server.tell(start("g1", opponent={"name": "Guest a1b2", "rating": None}))
        gone = await bot.until(ChallengeGone)
        assert isinstance(gone, ChallengeGone)
        assert (gone.state, gone.game_id) == ("started", "g1")


async def test_a_game_is_not_disturbed_when_the_stream_is_opened_again(tmp_path: Path) -> None:
    async with FakeServer.running() as server, bot_on(server, tmp_path) as bot:
        server.on_dial["g1"] = [request(1)]
        await server.tell(start("g1"))
        await bot.until_game()
        server.replay = [start("g1")]
        bot.platform.reconnect()
        await bot.until(Connected, 2)
        await bot.platform.submit("g1", 1, TURN, TurnInfo())
        await eventually(lambda: bool(server.received.get("g1")))
        assert len(server.opened) == 2
        assert bot.of(Disconnected) == []


async def test_a_game_is_read_again_when_its_turn_is_in_doubt(tmp_path: Path) -> None:
    async with FakeServer.running() as server, bot_on(server, tmp_path) as bot:
        server.on_dial["g1"] = [request(1)]
        await server.tell(start("g1"))
        await bot.until_game()
        await bot.platform.watch("g1")
        assert bot.games()[-1].resync
        with pytest.raises(NoAnswer):
            await bot.platform.submit("g1", 5, TURN, TurnInfo())
        with pytest.raises(GameGone):
            await bot.platform.watch("g2")


# ---- a restart -----------------------------------------------------------------------------


async def test_a_restarted_bot_takes_up_its_game_and_records_the_one_that_ended(
    tmp_path: Path,
) -> None:
    async with FakeServer.running() as server:
        server.on_dial["g1"] = server.on_dial["g2"] = [request(1)]
        async with bot_on(server, tmp_path) as first:
            await server.tell(start("g1"), start("g2"))
            await first.until_game(2)
        over = snapshot("0:0", gameId="g2", status="finished", winner="o", reason="timeout")
        server.answers["/api/games/g2"] = (200, over)
        server.replay = [start("g1")]
        async with bot_on(server, tmp_path) as second:
            connected = second.of(Connected)[0]
            assert isinstance(connected, Connected)
            assert connected.running == {"g1", "g2"}
            await second.until_game(2)
            facts = {change.facts.game_id: change.facts for change in second.games()}
            assert facts["g1"].our_turn
            assert facts["g2"].outcome == GameOutcome(2, "time_forfeit")
            await second.platform.watch("g2")
            assert second.games()[-1].facts.game_id == "g2"
        async with bot_on(server, tmp_path) as third:
            connected = third.of(Connected)[0]
            assert isinstance(connected, Connected)
            assert connected.running == {"g1"}


async def test_the_limit_of_streams_holds_across_restarts(tmp_path: Path) -> None:
    """A bot that is killed again and again does not open more streams than the server allows."""
    async with FakeServer.running() as server:
        for _ in range(4):
            async with bot_on(server, tmp_path):
                await asyncio.sleep(0.1)  # no two streams are opened at the same moment
        fifth = Bot(
            HexoArenaPlatform(options(server.url), tmp_path, SystemTime(), random.Random(1))
        )
        running = asyncio.create_task(fifth.platform.run(fifth.sink))
        await asyncio.wait({running}, timeout=0.5)
        assert (len(server.opened), fifth.of(Connected)) == (4, [])
        running.cancel()
        await asyncio.wait({running})


# ---- challenges ----------------------------------------------------------------------------


async def test_a_challenge_is_accepted_and_becomes_a_game(tmp_path: Path) -> None:
    async with FakeServer.running() as server, bot_on(server, tmp_path) as bot:
        server.answers["/api/bot/challenge/c1/accept"] = (200, {"ok": True})
        await server.tell({"type": "challenge", "challenge": challenge("c1")})
        offered = await bot.until(ChallengeOffered)
        assert isinstance(offered, ChallengeOffered)
        assert offered.challenge.opponent.name == "Ann"
        assert offered.challenge.setup.game == "hexo"
        await bot.platform.accept("c1")
        await server.tell(start("g1"))
        gone = await bot.until(ChallengeGone)
        assert gone == ChallengeGone("c1", "started", "g1")


async def test_a_bot_is_challenged_by_the_policy(tmp_path: Path) -> None:
    policy = ChallengePolicy(clocks=(PerTurn(turn_s=15),))
    async with (
        FakeServer.running() as server,
        bot_on(server, tmp_path, policy=policy) as bot,
    ):
        server.answers["/api/bots"] = (200, [LISTED])
        server.answers["/api/bot/challenge/Bea"] = (201, challenge("c9", "Granite"))
        assert await bot.platform.offer(SETUP, None, 2) == "c9"
        (sent,) = server.named("/api/bot/challenge/Bea")
        assert sent["timeControl"] == {"mode": "turn", "turnTimeMs": 15_000}
        assert (sent["openingPlies"], sent["firstPlayer"]) == (5, "challenger")
        assert len(sent["requestId"]) == 32
        with pytest.raises(NotNow):
            await bot.platform.offer(SETUP, None, 2)
        declined = challenge("c9", "Granite", "declined")
        await server.tell({"type": "challengeDeclined", "challenge": declined})
        assert await bot.until(ChallengeGone) == ChallengeGone("c9", "declined")


async def test_a_challenge_without_an_answer_is_repeated_under_the_same_number(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.guests.hexo_arena.offers.AGAIN_S", 0.0)
    async with FakeServer.running() as server, bot_on(server, tmp_path) as bot:
        stored = challenge("c9", "Granite")
        server.answers["/api/bot/challenge/Bea"] = [(502, {}), (502, {}), (200, stored)]
        assert await bot.platform.offer(SETUP, "Bea", 1) == "c9"
        requests = {sent["requestId"] for sent in server.named("/api/bot/challenge/Bea")}
        assert len(requests) == 1


async def test_a_cap_of_the_day_stops_challenges_across_restarts(tmp_path: Path) -> None:
    policy = ChallengePolicy(clocks=(PerTurn(turn_s=15),), every_s=0)
    async with FakeServer.running() as server:
        server.answers["/api/bots"] = (200, [LISTED])
        server.answers["/api/bot/challenge/Bea"] = (429, {"code": "daily_challenge_cap"})
        async with bot_on(server, tmp_path, policy=policy) as bot:
            with pytest.raises(NotNow):
                await bot.platform.offer(SETUP, None, 1)
        async with bot_on(server, tmp_path, policy=policy) as bot:
            with pytest.raises(NotNow):
                await bot.platform.offer(SETUP, None, 1)
        assert len(server.named("/api/bot/challenge/Bea")) == 1


async def test_who_cannot_be_challenged_now_is_left_alone(tmp_path: Path) -> None:
    policy = ChallengePolicy(clocks=(PerTurn(turn_s=15),), every_s=0)
    async with FakeServer.running() as server, bot_on(server, tmp_path, policy=policy) as bot:
        server.answers["/api/bots"] = (200, [LISTED])
        server.answers["/api/bot/challenge/Bea"] = (400, {"code": "bot_busy"})
        for _ in range(2):
            with pytest.raises(NotNow):
                await bot.platform.offer(SETUP, None, 1)
        assert len(server.named("/api/bot/challenge/Bea")) == 1


async def test_a_bot_that_is_about_to_stop_takes_no_games(tmp_path: Path) -> None:
    async with FakeServer.running() as server, bot_on(server, tmp_path) as bot:
        server.replay = [start("g1")]
        await bot.platform.retire()
        assert server.opened == ["open=1", ""]
        assert bot.shown()[0].facts.game_id == "g1", "a game that began meanwhile is known"
        with pytest.raises(PeerError, match="no new games"):
            await bot.platform.offer(SETUP, "Bea", 1)


async def test_a_challenge_that_cannot_be_withdrawn_may_have_become_a_game(
    tmp_path: Path,
) -> None:
    async with FakeServer.running() as server, bot_on(server, tmp_path) as bot:
        with pytest.raises(NoAnswer):
            await bot.platform.withdraw("c1")
        server.answers["/api/bot/challenge/c1/cancel"] = (200, {"ok": True})
        await bot.platform.withdraw("c1")


# ---- refusals ------------------------------------------------------------------------------


async def test_a_wrong_token_ends_the_run(tmp_path: Path) -> None:
    async with FakeServer.running() as server:
        server.answers["/api/bot/account"] = (401, {"code": "unauthorized"})
        assert isinstance(await outcome_of_run(server, tmp_path), TokenRefused)


async def test_a_ban_ends_the_run(tmp_path: Path) -> None:
    async with FakeServer.running() as server:
        server.stream_status, server.stream_code = 403, "banned"
        error = await outcome_of_run(server, tmp_path)
        assert isinstance(error, RefusedByServer)
        assert error.code == "banned"


async def test_a_token_that_is_replaced_later_ends_the_run_after_two_refusals(
    tmp_path: Path,
) -> None:
    async with FakeServer.running() as server:
        platform = HexoArenaPlatform(options(server.url), tmp_path, SystemTime(), random.Random(1))
        bot = Bot(platform)
        running = asyncio.create_task(platform.run(bot.sink))
        await bot.until(Connected)
        platform.use_token(SecretStr("hxo_other"))
        server.end_stream()
        with pytest.raises(TokenRefused):
            await running
        assert len(server.opened) == 3
        assert [event.token_refused for event in bot.of(Disconnected)] == [False, True]  # type: ignore[union-attr]


async def test_two_programs_with_one_token_do_not_fight_for_ever(tmp_path: Path) -> None:
    """The server ends the stream of one when the other opens its own."""
    async with FakeServer.running() as server:
        server.ends_streams = True
        error = await outcome_of_run(server, tmp_path)
        assert isinstance(error, RefusedByServer)
        assert error.code == "token_in_use"
        assert "another program" in error.message
        assert len(server.opened) == 2


async def test_of_two_programs_with_one_token_one_stops_and_the_other_plays_on(
    tmp_path: Path,
) -> None:
    async with FakeServer.running() as server:
        bots = [
            Bot(
                HexoArenaPlatform(
                    options(server.url), tmp_path / name, SystemTime(), random.Random(name)
                )
            )
            for name in ("first", "second")
        ]
        running = {asyncio.create_task(bot.platform.run(bot.sink)) for bot in bots}
        done, playing = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
        (stopped,) = done
        error = stopped.exception()
        assert isinstance(error, RefusedByServer)
        assert error.code == "token_in_use"
        await asyncio.wait(playing, timeout=0.3)
        assert [task.done() for task in playing] == [False]
        assert server.is_open
        for task in playing:
            task.cancel()
        await asyncio.wait(playing)


async def test_a_pause_of_the_server_is_waited_for(tmp_path: Path) -> None:
    async with FakeServer.running() as server:
        server.stream_status, server.stream_code = 503, "paused"
        platform = HexoArenaPlatform(options(server.url), tmp_path, SystemTime(), random.Random(1))
        bot = Bot(platform)
        running = asyncio.create_task(platform.run(bot.sink))
        lost = await bot.until(Disconnected)
        assert isinstance(lost, Disconnected)
        assert "paused" in lost.reason
        assert len(server.opened) == 1
        running.cancel()
        await asyncio.wait({running})


async def test_garbage_on_the_stream_costs_one_line(tmp_path: Path) -> None:
    async with FakeServer.running() as server, bot_on(server, tmp_path) as bot:
        await server.write(b'{"type":\n\n{"type":"tea"}\n')
        server.on_dial["g1"] = [request(1)]
        await server.tell(start("g1"))
        await bot.until_game()
        assert len(server.opened) == 1


async def test_a_line_without_an_end_costs_the_stream(tmp_path: Path) -> None:
    async with FakeServer.running() as server, bot_on(server, tmp_path) as bot:
        await server.write(b"x" * 70_000)
        lost = await bot.until(Disconnected)
        assert isinstance(lost, Disconnected)
        assert "longer than" in lost.reason
        await bot.until(Connected, 2)
