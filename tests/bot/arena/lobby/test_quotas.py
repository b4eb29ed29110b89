"""How many games the people at one address may begin and hold, whatever they ask at once."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import pytest

from bot import wire
from bot.arena.lobby.game_quotas import FIRST_GAMES
from bot.arena.players.accounts import issue_token
from bot.arena.server import running_arena
from tests.bot.arena.table import play_first, settings, setup
from tests.fakes.arena_client import ArenaClient, connected
from tests.fakes.time import FakeTime

UNTIMED = setup(clock={"kind": "none"})
LEVELS = ("Sand", "Grit")
PLACES = 8
"""Games that each bot of `bluestone up` plays at once."""
HERE, ELSEWHERE = "127.0.0.2", "127.0.0.3"


@dataclass
class House:
    """An arena with a bot for each of two levels, and people at several addresses."""

    url: str
    time: FakeTime
    stack: AsyncExitStack
    bots: dict[str, ArenaClient] = field(default_factory=dict)
    guests: int = 0

    async def guest(self, source: str = HERE, **auth: Any) -> ArenaClient:
        self.guests += 1
        auth = {"name": f"Visitor {self.guests}", **auth}
        return await self.stack.enter_async_context(connected(self.url, source, **auth))

    async def challenge(self, guest: ArenaClient, opponent: str, **changes: Any) -> dict[str, Any]:
        """The answer to an offer of a game without a clock."""
        offer = {"setup": UNTIMED, "seats": [name_of(guest), opponent], **changes}
        return await guest.ask("challenge.create", **offer)

    async def play(self, guest: ArenaClient, level: str) -> bool:
        """Begin a game with a bot, which takes every challenge; whether the arena allows it."""
        answer = await self.challenge(guest, level)
        if not answer["ok"]:
            assert answer["code"] == "too_many", answer
            return False
        challenge_id = answer["challenge"]["challenge_id"]
        await self.bots[level].do("challenge.accept", challenge_id=challenge_id)
        return True


@asynccontextmanager
async def house(folder: Path, **play: Any) -> AsyncIterator[House]:
    async with AsyncExitStack() as stack:
        tokens = [await issue_token(folder, name) for name in LEVELS]
        time = FakeTime()
        chosen = settings(folder, play=play)
        url = await stack.enter_async_context(running_arena(chosen, time, Random(4)))
        found = House(url, time, stack)
        for level, (name, token) in enumerate(zip(LEVELS, tokens, strict=True), 1):
            bot = connected(url, token=token, engine="search", level=level)
            found.bots[name] = await stack.enter_async_context(bot)
        yield found


def name_of(client: ArenaClient) -> str:
    return client.all_of(wire.Welcome)[-1].you.name


async def test_six_guests_of_one_address_leave_every_level_free(tmp_path: Path) -> None:
    async with house(tmp_path) as h:
        held = Counter[str]()
        for guest in [await h.guest() for _ in range(6)]:
            for level in LEVELS:
                for _ in range(6):
                    held[level] += await h.play(guest, level)
        assert all(4 <= each <= 4 + FIRST_GAMES < PLACES for each in held.values())
        neighbour, far = await h.guest(), await h.guest(ELSEWHERE)
        assert any([await h.play(neighbour, level) for level in LEVELS])
        for level in LEVELS:
            assert await h.play(far, level)


async def test_games_between_bots_count_for_the_guest_who_began_them(tmp_path: Path) -> None:
    async with house(tmp_path) as h:
        guest, other = await h.guest(), await h.guest(ELSEWHERE)
        one, two = h.bots.values()
        begun = 0
        for watcher in (*(guest,) * 6, other):
            answer = await h.challenge(watcher, "Sand", seats=list(LEVELS))
            if answer["ok"]:
                wanted = {"challenge_id": answer["challenge"]["challenge_id"]}
                await one.do("challenge.accept", **wanted)
                await two.do("challenge.accept", **wanted)
                begun += 1
        assert begun == 4 + 1


async def test_places_are_free_again_when_games_have_ended(tmp_path: Path) -> None:
    async with house(tmp_path, guest_games_per_bot=1) as h:
        guest = await h.guest()
        assert await h.play(guest, "Sand")
        assert not await h.play(guest, "Sand")
        assert await h.play(guest, "Grit")
        running = guest.all_of(wire.GameState)[0]
        assert running.players[1].name == "Sand"
        await guest.do("game.action", game_id=running.game_id, action="abort")
        assert await h.play(guest, "Sand")


@pytest.mark.parametrize("agree", [False, True], ids=["alone", "by agreement"])
async def test_games_begun_in_an_hour_are_counted_by_address(tmp_path: Path, agree: bool) -> None:
    """Aborted games too, also after turns of both."""
    async with house(tmp_path, guest_games_per_hour=3) as h:
        one, two, far = await h.guest(), await h.guest(), await h.guest(ELSEWHERE)
        for _ in range(3):
            answer = await h.challenge(one, name_of(two))
            challenge_id = answer["challenge"]["challenge_id"]
            done = await two.do("challenge.accept", challenge_id=challenge_id)
            about = {"game_id": done.challenge.game_id}
            if agree:
                await play_first(one, two, about["game_id"])
                await one.do("game.action", **about, action="offer_abort")
                ended = await two.do("game.action", **about, action="accept_abort")
            else:
                ended = await one.do("game.action", **about, action="abort")
            assert ended.game.result.reason == "aborted"
        for guest in (one, two):
            answer = await h.challenge(guest, name_of(far))
            assert answer["code"] == "too_many"
            assert "at the address of" in answer["message"]
            assert 0 < answer["retry_after_ms"] <= 3_600_000 / 3
        # They cannot take another person's challenge either, and that one stays open.
        answer = await h.challenge(far, name_of(two))
        challenge_id = answer["challenge"]["challenge_id"]
        assert await two.refused("challenge.accept", challenge_id=challenge_id) == "too_many"
        await h.time.advance(3600 / 3 + 1)
        await two.do("challenge.accept", challenge_id=challenge_id)


async def test_a_challenge_whose_creator_may_not_begin_ends_with_the_reason(
    tmp_path: Path,
) -> None:
    async with house(tmp_path, guest_games_per_hour=1) as h:
        guest, far = await h.guest(), await h.guest(ELSEWHERE)
        offers = [await h.challenge(guest, level) for level in (*LEVELS, name_of(far))]
        first, second, _ = [each["challenge"]["challenge_id"] for each in offers]
        await h.bots["Sand"].do("challenge.accept", challenge_id=first)
        refused = await h.bots["Grit"].refused("challenge.accept", challenge_id=second)
        assert refused == "too_many"
        ended = await guest.wait_for(
            wire.Challenge, lambda each: each.challenge_id == second and each.state != "open"
        )
        assert (ended.state, ended.code) == ("declined", "too_many")
        assert ended.message is not None


async def test_any_number_of_acceptances_at_once_starts_no_more_games_than_allowed(
    tmp_path: Path,
) -> None:
    limits = {"person_games": 5, "challenges": 20, "challenges_received": 50}
    async with house(tmp_path, **limits, challenges_received_per_sender=20) as h:
        victim = await h.guest(ELSEWHERE)
        guests = [await h.guest() for _ in range(3)]
        offers = []
        for guest in guests:
            offers += [await h.challenge(guest, name_of(victim)) for _ in range(5)]
        answers = await asyncio.gather(
            *(
                victim.ask("challenge.accept", challenge_id=each["challenge"]["challenge_id"])
                for each in offers
            )
        )
        assert sum(each["ok"] for each in answers) == 5
        assert {each["code"] for each in answers if not each["ok"]} == {"too_many"}
        welcome = (await victim.do("state")).welcome
        assert len(welcome.games) == 5


async def test_bots_that_accept_at_once_give_an_address_no_more_places(tmp_path: Path) -> None:
    async with house(tmp_path, guest_games_per_bot=2) as h:
        guests = [await h.guest() for _ in range(4)]
        offers = [
            answer["challenge"]["challenge_id"]
            for answer in await asyncio.gather(*(h.challenge(guest, "Sand") for guest in guests))
            if answer["ok"]
        ]
        sand = h.bots["Sand"]
        answers = await asyncio.gather(
            *(sand.ask("challenge.accept", challenge_id=each) for each in offers)
        )
        assert sum(each["ok"] for each in answers) <= 2 + FIRST_GAMES
        assert not await h.play(guests[0], "Sand")


async def test_strangers_at_one_address_cannot_fill_a_persons_places(tmp_path: Path) -> None:
    async with house(tmp_path) as h:
        victim, friend = await h.guest("127.0.0.4"), await h.guest(ELSEWHERE)
        sent = Counter[str]()
        for stranger in [await h.guest() for _ in range(3)]:
            for _ in range(20):
                answer = await h.challenge(stranger, name_of(victim))
                sent[answer.get("code", "open")] += 1
        refused = sent["too_many"] + sent["rate_limited"]
        assert (sent["open"], refused) == (5, 55)
        assert (await h.challenge(friend, name_of(victim)))["ok"]


async def test_a_full_level_names_the_next_one_that_is_free(tmp_path: Path) -> None:
    async with house(tmp_path, guest_games_per_bot=1) as h:
        guest, other = await h.guest(), await h.guest(ELSEWHERE)
        offered = (await h.challenge(guest, "Sand"))["challenge"]["challenge_id"]
        full = {"code": "too_many_games", "message": "I play 8 games at once; try later."}
        await h.bots["Sand"].do("challenge.decline", challenge_id=offered, **full)
        declined = await guest.wait_for(wire.Challenge, lambda each: each.state == "declined")
        assert declined.instead == "Grit"
        assert declined.message == "I play 8 games at once; try later. Grit, level 2, is free."
        # A bot that was full a moment ago is not named, and one level is not free for ever.
        assert await h.play(other, "Grit")
        answer = await h.challenge(other, "Grit")
        assert (answer["code"], answer["instead"]) == ("too_many", None)
        await h.time.advance(61)
        answer = await h.challenge(other, "Grit")
        assert (answer["code"], answer["instead"]) == ("too_many", "Sand")


@pytest.mark.parametrize("turns", [[], ["0-0", "2-0,2-2"]], ids=["no turn", "a turn each"])
async def test_a_bot_waits_for_a_turn_in_an_untimed_game_for_a_day_only(
    tmp_path: Path, turns: list[str]
) -> None:
    async with house(tmp_path, untimed_turn_s=60) as h:
        guest, sand = await h.guest(), h.bots["Sand"]
        assert await h.play(guest, "Sand")
        game_id = (await guest.wait_for(wire.GameState)).game_id
        for ply, turn in enumerate(turns):
            await h.time.advance(50)
            mover = sand if ply % 2 else guest
            await mover.do("game.turn", game_id=game_id, ply=ply, turn=turn)
        await h.time.advance(59)
        assert (await guest.do("game.state", game_id=game_id)).game.state == "playing"
        await h.time.advance(2)
        result = (await sand.game(game_id, lambda state: state.state == "finished")).result
        assert result is not None
        ended = ("abandonment", 2) if turns else ("aborted", None)
        assert (result.reason, result.winner) == ended
        assert result.message == f"{name_of(guest)} did not play a turn in time."


async def test_people_wait_for_each_other_without_a_clock_as_long_as_they_like(
    tmp_path: Path,
) -> None:
    async with house(tmp_path, untimed_turn_s=60) as h:
        one, two = await h.guest(), await h.guest(ELSEWHERE)
        answer = await h.challenge(one, name_of(two))
        challenge_id = answer["challenge"]["challenge_id"]
        done = await two.do("challenge.accept", challenge_id=challenge_id)
        await h.time.advance(500)
        game = (await one.do("game.state", game_id=done.challenge.game_id)).game
        assert game.state == "playing"
