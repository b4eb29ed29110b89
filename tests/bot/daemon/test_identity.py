"""One identity: challenges answered, games counted, and what waits while nothing can be written."""

import asyncio
from dataclasses import replace

import pytest
from structlog.testing import capture_logs

from bot.daemon.settings import SeekSettings
from bot.errors import HostError, PeerError
from bot.platforms.base import (
    ChallengeFacts,
    ChallengeGone,
    ChallengeOffered,
    Disconnected,
    GameChanged,
    GameGone,
    GameLost,
    GameOutcome,
    GameUnread,
    NoAnswer,
    NotNow,
    Participant,
    PlatformEvent,
)
from bot.time_controls import Untimed
from engine.warming import parts_of
from tests.bot.daemon.desk import SOUGHT, WELCOME, Desk, challenge
from tests.fakes.locked import locked
from tests.fakes.platform import SETUP, facts
from tests.fakes.waiting import eventually


async def test_promised_games_count(desk: Desk) -> None:
    async with desk.open(max_games=1):
        await desk.tell(challenge("c1"))
        await desk.tell(challenge("c2", "Bob"))
        assert await desk.until("accept") == ("accept", "c1")
        assert (await desk.until("decline"))[1:3] == ("c2", "too_many_games")


async def test_a_game_without_a_first_turn_yields_its_place_when_others_wait(desk: Desk) -> None:
    begun = facts("0-0", "1-0,3-0", game_id="begun", seat=2, arrived=0.0)
    untimed = replace(facts(game_id="untimed", seat=2).setup, control=Untimed())
    async with desk.open(max_games=4):
        await desk.tell(GameChanged(begun))
        await desk.tell(GameChanged(facts(game_id="untimed", seat=2, setup=untimed, arrived=0.0)))
        for game_id, arrived in (("later", 1010.0), ("first", 1000.0)):
            await desk.tell(GameChanged(facts(game_id=game_id, seat=2, arrived=arrived)))
        await desk.time.advance(599)
        await desk.tell(challenge("c1"))
        await desk.until("decline")
        await desk.time.settle()
        assert not desk.platform.named("abort")
        await desk.tell(GameChanged(facts(game_id="first", seat=2, arrived=1599.0)))  # no news
        await desk.time.advance(21)
        await desk.tell(challenge("c2"))
        await desk.until("decline", 2)
        assert await desk.until("abort") == ("abort", "first")
        await desk.time.settle()
        assert len(desk.platform.named("abort")) == 1


async def test_a_game_whose_opponent_is_to_move_and_away_takes_no_place(desk: Desk) -> None:
    untimed = replace(SETUP, control=Untimed())
    theirs = facts("0-0", game_id="left", setup=untimed, arrived=0.0)
    live = replace(facts("0-0", game_id="live", arrived=0.0), opponent_here=False)
    async with desk.open(max_games=1):
        await desk.tell(GameChanged(theirs))
        await desk.tell(challenge("c1", "Bob"))
        assert (await desk.until("decline"))[1:3] == ("c1", "too_many_games")
        await desk.tell(GameChanged(replace(theirs, opponent_here=False)))
        await desk.tell(challenge("c2", "Bob"))
        assert await desk.until("accept") == ("accept", "c2")
        await desk.tell(ChallengeGone("c2", "cancelled"))
        # The server ends live games of players who stay away, so these keep their places.
        await desk.tell(GameChanged(live))
        await desk.tell(challenge("c3", "Bob"))
        assert (await desk.until("decline", 2))[1:3] == ("c3", "too_many_games")


async def test_a_game_that_is_already_over_and_recorded_takes_no_place(desk: Desk) -> None:
    async with desk.open(max_games=1):
        await desk.tell(replace(WELCOME, running=frozenset({"old"})))
        await desk.game_over("old")
        await desk.tell(challenge("c1"))
        assert await desk.until("accept") == ("accept", "c1")


async def test_a_game_that_the_server_lost_takes_no_place_and_is_forgotten(desk: Desk) -> None:
    async with desk.open(max_games=1):
        await desk.tell(GameChanged(facts(seat=2)))
        assert (await desk.journal.games("fake")).keys() == {"g1"}
        await desk.tell(GameLost("g1"))
        await eventually(lambda: not desk.identity.status.games)
        assert await desk.journal.games("fake") == {}
        await desk.tell(challenge("c1"))
        assert await desk.until("accept") == ("accept", "c1")


async def test_a_game_that_a_restored_server_does_not_know_takes_no_place(desk: Desk) -> None:
    desk.platform.failures = [GameGone("unknown_game_id", "no game with that id")]
    async with desk.open(max_games=1):
        await desk.tell(GameChanged(facts("0-0", game_id="g1", seat=1)))
        await desk.tell(WELCOME)
        await eventually(lambda: not desk.identity.status.games)
        assert await desk.journal.games("fake") == {}
        await desk.tell(challenge("c1"))
        assert await desk.until("accept") == ("accept", "c1")


async def test_a_place_is_free_again_after_the_game(desk: Desk) -> None:
    async with desk.open(max_games=1):
        await desk.tell(challenge("c1"))
        await desk.until("accept")
        await desk.tell(ChallengeGone("c1", "started", "g1"))
        await desk.tell(challenge("c2", "Bob"))
        await desk.until("decline")
        await desk.tell(GameChanged(facts(game_id="g1")))
        await desk.game_over("g1")
        await desk.tell(challenge("c3", "Bob"))
        assert await desk.until("accept", 2) == ("accept", "c3")


@pytest.mark.parametrize(
    "event", [ChallengeGone("c1", "cancelled"), WELCOME], ids=["gone", "reconnected"]
)
async def test_a_promise_ends_with_its_challenge(desk: Desk, event: PlatformEvent) -> None:
    desk.platform.failures = [NoAnswer("challenge.accept: no answer in 5 s")]
    async with desk.open(max_games=1):
        await desk.tell(challenge("c1"))
        await desk.until("accept")
        await desk.tell(event)
        await desk.tell(challenge("c2"))
        assert await desk.until("accept", 2) == ("accept", "c2")


async def test_a_refused_acceptance_frees_the_place(desk: Desk) -> None:
    desk.platform.failures = [PeerError("unknown_challenge", "no open challenge with that id")]
    async with desk.open(max_games=1):
        await desk.tell(challenge("c1"))
        await desk.until("accept")
        await desk.tell(challenge("c2"))
        assert await desk.until("accept", 2) == ("accept", "c2")


async def test_a_game_is_taken_once_its_engine_is_compiled(desk: Desk) -> None:
    desk.thinker.kernels.now_missing(parts_of("bluestone"))
    async with desk.open():
        await desk.tell(challenge("c1"))
        assert (await desk.until("decline"))[1:3] == ("c1", "warming")
        desk.thinker.kernels.now_missing(())
        await desk.tell(challenge("c2"))
        assert await desk.until("accept") == ("accept", "c2")


async def test_open_challenges_are_not_declined(desk: Desk) -> None:
    offered = ChallengeFacts("c1", SETUP, Participant("Ann", "person"), is_open=True)
    async with desk.open():
        await desk.tell(ChallengeOffered(offered))
        await desk.tell(challenge("c2"))
        await desk.until("accept")
    assert desk.platform.named("decline") == []


async def test_an_unreadable_game_is_in_the_status_until_it_is_readable(desk: Desk) -> None:
    async with desk.open():
        unread = desk.identity.status.unread
        await desk.tell(GameUnread("g1", "unknown_game: size-99"))
        await desk.tell(GameUnread("g2", "unknown_game: size-99"))
        assert list(unread) == ["g1", "g2"]
        await desk.tell(GameChanged(facts(game_id="g1")))
        assert list(unread) == ["g2"]
        await desk.tell(WELCOME)
        assert not unread


async def test_a_game_that_cannot_be_played_raises_an_alarm_and_is_not_waited_for(
    desk: Desk,
) -> None:
    async with desk.open():
        with capture_logs() as logs:
            await desk.tell(replace(WELCOME, running=frozenset({"g1"})))
            drained = asyncio.create_task(desk.identity.until_drained())
            await desk.tell(GameUnread("g1", "504"))
            await asyncio.sleep(0)
            assert not drained.done()
            for _ in range(2):
                await desk.tell(GameUnread("g1", "unknown_game: size-99", unplayable=True))
            await drained
        assert [each["game"] for each in logs if each["event"] == "alarm"] == ["g1"]
        await desk.tell(GameLost("g1"))
        assert not desk.identity.status.unread


async def test_why_it_is_not_connected_is_in_the_status(desk: Desk) -> None:
    async with desk.open():
        await desk.tell(Disconnected("cannot connect to example.org"))
        status = desk.identity.status
        assert (status.connected, status.problem) == (False, "cannot connect to example.org")
        await desk.tell(WELCOME)
        assert (status.connected, status.problem) == (True, None)


async def test_a_failed_session_is_restarted(desk: Desk) -> None:
    async with desk.open():
        desk.thinker.turn_error = RuntimeError("a bug")
        await desk.tell(GameChanged(facts()))
        await eventually(lambda: desk.time.sleepers > 0)
        desk.thinker.turn_error = None
        await desk.time.advance(30)
        await desk.until("submit")


# ---- a journal that cannot be written ----------------------------------------------------------


async def test_with_a_full_disk_no_game_ends_and_none_starts(desk: Desk) -> None:
    async with desk.open():
        with locked(desk.file):
            with pytest.raises(HostError, match="journal"):
                await desk.tell(GameChanged(facts()))
            assert desk.identity.status.games.keys() == {"g1"}
            await desk.tell(challenge("c1"))
            assert (await desk.until("decline"))[1:3] == ("c1", "disk")
            assert desk.platform.named("submit") == []
        await desk.until_writable()
        await desk.until("submit")
        await desk.tell(GameChanged(facts("3-0")))
        assert (await desk.journal.games("fake")).keys() == {"g1"}, "the next event makes up for it"
        await desk.tell(challenge("c2"))
        await desk.until("accept")


async def test_nothing_is_sought_while_nothing_can_be_written(desk: Desk) -> None:
    async with desk.open(SeekSettings(opponent="Basalt")):
        await desk.until("offer")
        with locked(desk.file):
            with pytest.raises(HostError):
                await desk.tell(GameChanged(facts(game_id="g2", seat=2)))
            await desk.tell(ChallengeGone("offer-1", "declined"))
            await desk.time.advance(30)
            assert len(desk.platform.named("offer")) == 1
        await desk.until_writable()
        await desk.until("offer", 2)


async def test_a_record_that_cannot_be_written_is_written_later(desk: Desk) -> None:
    records = desk.folder / "records.jsonl"
    async with desk.open():
        await desk.tell(GameChanged(facts(seat=2)))
        records.mkdir()  # what nobody can append to
        await desk.tell(GameChanged(replace(facts(seat=2), outcome=GameOutcome(1, "resignation"))))
        await eventually(lambda: desk.book.writing.problem is not None)
        records.rmdir()
        while desk.identity.status.games:
            await desk.time.advance(15)
            await asyncio.sleep(0.001)
        assert desk.book.writing.problem is None
        assert records.read_text().count("\n") == 1


# ---- a server that cannot at present -----------------------------------------------------------


@pytest.mark.parametrize("event", ["accept", "decline", "offer"])
async def test_a_request_that_the_server_cannot_serve_now_is_repeated(
    desk: Desk, event: str
) -> None:
    later = NotNow("unavailable", "the server cannot write to its disk", retry_after_s=3)
    seek = SOUGHT.model_copy(update={"at_once": 1}) if event == "offer" else None
    desk.platform.failures = [later, later]
    async with desk.open(seek, block=["Ann"] if event == "decline" else []):
        if seek is None:
            await desk.tell(challenge("c1"))
        for times in (1, 2):
            await desk.until(event, times)
            await eventually(lambda: desk.time.sleepers > 0)
            await desk.time.advance(3)
        assert await desk.until(event, 3) == await desk.until(event, 1)
