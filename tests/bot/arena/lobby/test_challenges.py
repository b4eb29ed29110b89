"""Offering, taking and turning down games."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from random import Random
from typing import Any

import pytest

from bot import wire
from bot.arena.players.accounts import Accounts, issue_token
from bot.arena.server import running_arena
from bot.arena.settings import LobbyLimits
from tests.bot.arena.table import settings, setup
from tests.fakes.arena_client import ArenaClient, connected
from tests.fakes.time import FakeTime

CHALLENGE_S = LobbyLimits().challenge_s


class Hall:
    """An arena with Anna, Ben and Carl, who are not playing yet."""

    def __init__(self, url: str, time: FakeTime, clients: list[ArenaClient]) -> None:
        self.url, self.time = url, time
        self.anna, self.ben, self.carl = clients

    async def offer(self, *seats: str | None, **more: Any) -> str:
        done = await self.anna.do(
            "challenge.create", setup=setup(**more.pop("setup", {})), seats=seats, **more
        )
        challenge_id: str = done.challenge.challenge_id
        return challenge_id


@pytest.fixture
async def hall(tmp_path: Path) -> AsyncIterator[Hall]:
    time = FakeTime()
    async with AsyncExitStack() as stack:
        limited = settings(tmp_path, play={"challenges": 2, "person_games": 2})
        url = await stack.enter_async_context(running_arena(limited, time, Random(4)))
        clients = [
            await stack.enter_async_context(connected(url, name=name))
            for name in ("Anna", "Ben", "Carl")
        ]
        yield Hall(url, time, clients)


async def told(client: ArenaClient, challenge_id: str, state: str) -> wire.Challenge:
    return await client.wait_for(
        wire.Challenge,
        lambda challenge: (challenge.challenge_id, challenge.state) == (challenge_id, state),
    )


async def test_a_named_player_gets_the_challenge_and_can_accept(hall: Hall) -> None:
    offered = await hall.offer("Anna", "ben")
    challenge = await told(hall.ben, offered, "open")
    assert (challenge.seats, challenge.accepted) == (("Anna", "Ben"), ["Anna"])
    done = await hall.ben.do("challenge.accept", challenge_id=offered)
    assert done.challenge.state == "started"
    assert (await told(hall.anna, offered, "started")).game_id == done.challenge.game_id
    state = await hall.anna.game(done.challenge.game_id)
    assert [player.name for player in state.players] == ["Anna", "Ben"]
    assert not hall.carl.all_of(wire.Challenge)


async def test_an_open_seat_is_shown_in_the_lobby_and_any_player_may_take_it(hall: Hall) -> None:
    offered = await hall.offer(None, "Anna")
    await hall.time.advance(1)
    lobby = await hall.carl.wait_for(wire.Lobby, lambda lobby: len(lobby.challenges) == 1)
    assert lobby.challenges[0].challenge_id == offered
    done = await hall.carl.do("challenge.accept", challenge_id=offered)
    state = await hall.carl.game(done.challenge.game_id)
    assert [player.name for player in state.players] == ["Carl", "Anna"]
    assert await hall.ben.refused("challenge.accept", challenge_id=offered) == "unknown_challenge"


async def test_a_third_party_sets_two_others_against_each_other(hall: Hall) -> None:
    offered = await hall.offer("Ben", "Carl")
    first = await hall.ben.do("challenge.accept", challenge_id=offered)
    again = await hall.ben.do("challenge.accept", challenge_id=offered)
    assert (first.challenge.state, again.challenge.accepted) == ("open", ["Ben"])
    second = await hall.carl.do("challenge.accept", challenge_id=offered)
    assert second.challenge.state == "started"
    assert (await told(hall.anna, offered, "started")).game_id is not None


async def test_two_players_who_offer_each_other_the_same_game_get_one_game(hall: Hall) -> None:
    mine = await hall.offer("Anna", "Ben")
    done = await hall.ben.do("challenge.create", setup=setup(), seats=["Anna", "Ben"])
    assert (done.challenge.challenge_id, done.challenge.state) == (mine, "started")
    assert (await told(hall.anna, mine, "started")).game_id == done.challenge.game_id
    welcome = (await hall.ben.do("state")).welcome
    assert [game.game_id for game in welcome.games] == [done.challenge.game_id]
    assert not welcome.challenges


async def full_of_games(hall: Hall) -> str:
    """Anna waits for Ben, and begins as many games with Carl meanwhile as she may have."""
    waiting = await hall.offer("Anna", "Ben")
    for _ in range(2):
        offered = await hall.offer("Anna", "Carl")
        await hall.carl.do("challenge.accept", challenge_id=offered)
    return waiting


async def test_a_challenge_that_cannot_start_yet_stays_open_and_starts_later(hall: Hall) -> None:
    waiting = await full_of_games(hall)
    assert await hall.ben.refused("challenge.accept", challenge_id=waiting) == "too_many"
    welcome = (await hall.ben.do("state")).welcome
    assert [(each.challenge_id, each.state) for each in welcome.challenges] == [(waiting, "open")]
    running = (await hall.anna.do("state")).welcome.games
    await hall.anna.do("game.action", game_id=running[0].game_id, action="abort")
    done = await hall.ben.do("challenge.accept", challenge_id=waiting)
    assert done.challenge.state == "started"


async def test_a_challenge_that_could_not_start_still_expires(hall: Hall) -> None:
    waiting = await full_of_games(hall)
    assert await hall.ben.refused("challenge.accept", challenge_id=waiting) == "too_many"
    await hall.time.advance(CHALLENGE_S)
    assert (await told(hall.ben, waiting, "expired")).code == "expired"


@pytest.mark.parametrize("random_seats", [False, True])
async def test_two_concurrent_offers_of_the_same_game_become_one_game(
    hall: Hall, random_seats: bool
) -> None:
    both = [hall.anna, hall.ben]
    seats = [["Anna", "Ben"], ["Ben", "Anna"] if random_seats else ["Anna", "Ben"]]
    answers = await asyncio.gather(
        *(
            client.do("challenge.create", setup=setup(), seats=each, random_seats=random_seats)
            for client, each in zip(both, seats, strict=True)
        )
    )
    assert len({answer.challenge.challenge_id for answer in answers}) == 1
    for client in both:
        await client.wait_for(wire.GameState)
        welcome = (await client.do("state")).welcome
        assert (len(welcome.games), len(welcome.challenges)) == (1, 0)


@pytest.mark.parametrize(
    "other",
    [
        {"seats": ["Ben", "Anna"]},
        {"seats": ["Ben", None]},
        {"seats": ["Ben", "Carl"]},
        {"seats": ["Anna", "Ben"], "random_seats": True},
        {"seats": ["Anna", "Ben"], "setup": setup(clock={"kind": "none"})},
    ],
)
async def test_an_offer_of_another_game_is_a_separate_challenge(
    hall: Hall, other: dict[str, Any]
) -> None:
    await hall.offer("Anna", "Ben")
    done = await hall.ben.do("challenge.create", **{"setup": setup(), **other})
    assert (done.challenge.creator.name, done.challenge.state) == ("Ben", "open")
    assert not (await hall.ben.do("state")).welcome.games


async def test_a_repeated_offer_of_one_player_accepts_nothing(hall: Hall) -> None:
    first = await hall.offer("Anna", "Ben")
    assert await hall.offer("Anna", "Ben") != first
    assert not (await hall.anna.do("state")).welcome.games


async def test_a_player_keeps_their_name_while_their_offer_is_being_created(
    hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    looking, go_on = asyncio.Event(), asyncio.Event()
    find = Accounts.find

    async def slowly(accounts: Accounts, name: str) -> wire.Player:
        looking.set()
        await go_on.wait()
        return await find(accounts, name)

    monkeypatch.setattr(Accounts, "find", slowly)
    offering = asyncio.create_task(hall.offer("Anna", "Ben"))
    await looking.wait()
    key = hall.anna.all_of(wire.Welcome)[-1].guest_key
    async with connected(hall.url, guest_key=key, name="Annabel") as again:
        assert again.all_of(wire.Welcome)[-1].you.name == "Anna"
    go_on.set()
    await hall.anna.do("challenge.cancel", challenge_id=await offering)


async def test_random_seats_are_drawn(hall: Hall) -> None:
    firsts = set()
    for _ in range(12):
        offered = await hall.offer("Anna", "Ben", random_seats=True)
        done = await hall.ben.do("challenge.accept", challenge_id=offered)
        assert done.challenge.seats == ("Anna", "Ben")
        game_id = done.challenge.game_id
        firsts.add((await hall.ben.game(game_id)).players[0].name)
        await hall.ben.do("game.action", game_id=game_id, action="abort")
    assert firsts == {"Anna", "Ben"}


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (
            {"game": "blooms", "board": "hexhex-4", "options": {"captures": "12"}},
            {"captures": "12"},
        ),
        ({"game": "blooms", "board": "hexhex-4", "options": {"captures": "20"}}, {}),
        (
            {"game": "blooms", "board": "hexhex-4", "options": {"handicap_1": 0, "handicap_2": 3}},
            {"handicap_2": "3"},
        ),
        (
            {"game": "stargazers", "board": "stars-63", "rules": "ludii"}
            | {"options": {"protocol": "alternating"}},
            {"protocol": "alternating"},
        ),
    ],
)
async def test_every_game_can_be_offered_with_its_options(
    hall: Hall, given: dict[str, Any], kept: dict[str, str]
) -> None:
    offered = await hall.offer("Anna", "Ben", setup=given)
    shown = (await told(hall.ben, offered, "open")).setup
    assert (shown.game, shown.board, shown.options) == (given["game"], given["board"], kept)
    done = await hall.ben.do("challenge.accept", challenge_id=offered)
    assert (await hall.ben.game(done.challenge.game_id)).setup == shown


async def test_a_handicap_that_would_win_at_once_is_refused(hall: Hall) -> None:
    options = {"captures": "15", "handicap_2": "15"}
    given = setup(game="blooms", board="hexhex-4", options=options)
    answer = await hall.anna.ask("challenge.create", setup=given, seats=["Anna", "Ben"])
    says = "Points ahead for White takes a whole number from 0 to 14, below captures, not '15'."
    assert (answer["code"], answer["message"]) == ("unknown_game", says)


async def test_a_game_that_is_not_played_here_cannot_be_offered(tmp_path: Path) -> None:
    fewer = settings(tmp_path, games=["blooms", "stargazers"])
    async with running_arena(fewer) as url, connected(url, name="Anna") as anna:
        answer = await anna.ask("challenge.create", setup=setup(), seats=["Anna", None])
        assert answer["code"] == "unknown_game"
        assert answer["message"] == "bluestone is not offered here; known: blooms, stargazers."
        blooms = setup(game="blooms", board="hexhex-4")
        await anna.do("challenge.create", setup=blooms, seats=["Anna", None])


async def test_a_challenge_is_declined_with_a_reason(hall: Hall) -> None:
    offered = await hall.offer("Anna", "Ben")
    await hall.ben.do(
        "challenge.decline", challenge_id=offered, code="too_fast", message="Not so fast."
    )
    declined = await told(hall.anna, offered, "declined")
    assert (declined.code, declined.message) == ("too_fast", "Not so fast.")


async def test_a_challenge_is_cancelled_by_its_creator_only(hall: Hall) -> None:
    offered = await hall.offer("Anna", "Ben")
    refused = await hall.ben.refused("challenge.cancel", challenge_id=offered)
    assert refused == "not_your_challenge"
    await hall.anna.do("challenge.cancel", challenge_id=offered)
    assert (await told(hall.ben, offered, "cancelled")).code == "cancelled"
    assert await hall.ben.refused("challenge.accept", challenge_id=offered) == "unknown_challenge"


async def test_a_challenge_for_others_cannot_be_taken_or_declined(hall: Hall) -> None:
    offered = await hall.offer("Anna", "Ben")
    accept = await hall.carl.refused("challenge.accept", challenge_id=offered)
    decline = await hall.carl.refused(
        "challenge.decline", challenge_id=offered, code="no", message="No."
    )
    assert (accept, decline) == ("not_your_challenge", "not_your_challenge")


async def test_a_challenge_expires(hall: Hall) -> None:
    offered = await hall.offer("Anna", "Ben")
    await hall.time.advance(CHALLENGE_S)
    await told(hall.ben, offered, "expired")
    assert await hall.ben.refused("challenge.accept", challenge_id=offered) == "unknown_challenge"


async def test_a_live_challenge_ends_when_its_creator_stays_away(hall: Hall) -> None:
    offered = await hall.offer("Anna", "Ben")
    patient = await hall.offer("Anna", "Ben", setup={"clock": {"kind": "none"}})
    await hall.anna.close()
    await hall.time.advance(1)
    await hall.ben.wait_for(wire.Lobby, lambda lobby: len(lobby.players) == 2)
    await hall.time.advance(10)
    assert (await told(hall.ben, offered, "cancelled")).code == "creator_left"
    again = await hall.ben.do("state")
    assert [each.challenge_id for each in again.welcome.challenges] == [patient]


async def test_a_private_challenge_is_listed_nowhere_and_accepted_by_its_id(hall: Hall) -> None:
    private = await hall.offer("Anna", None, private=True)
    public = await hall.offer("Anna", None)
    await hall.time.advance(1)
    lobby = await hall.ben.wait_for(wire.Lobby, lambda lobby: bool(lobby.challenges))
    assert [each.challenge_id for each in lobby.challenges] == [public]
    seen = (await hall.ben.do("challenge.state", challenge_id=private)).challenge
    assert (seen.private, seen.creator.name) == (True, "Anna")
    done = await hall.ben.do("challenge.accept", challenge_id=private)
    assert done.challenge.game_id
    for client in (hall.ben, hall.carl):
        assert await client.refused("challenge.state", challenge_id=private) == "unknown_challenge"


async def test_a_private_challenge_waits_for_a_creator_whose_phone_was_away(hall: Hall) -> None:
    private = await hall.offer("Anna", None, private=True)
    public = await hall.offer("Anna", None)
    key = hall.anna.all_of(wire.Welcome)[0].guest_key
    await hall.anna.close()
    await hall.time.settle()
    accept = {"challenge_id": private}
    assert await hall.ben.refused("challenge.accept", **accept) == "creator_away"
    await hall.time.advance(600)
    assert await hall.ben.refused("challenge.state", challenge_id=public) == "unknown_challenge"
    await hall.ben.do("challenge.state", **accept)
    async with connected(hall.url, guest_key=key) as anna:
        await hall.ben.do("challenge.accept", **accept)
        await anna.wait_for(wire.GameState)


async def test_a_private_challenge_needs_a_free_seat(hall: Hall) -> None:
    for seats in (["Anna", "Ben"], [None, None], ["Ben", None]):
        asked = {"setup": setup(), "seats": seats, "private": True}
        assert await hall.anna.refused("challenge.create", **asked) == "invalid"


async def test_a_player_who_connects_later_gets_their_challenges(hall: Hall) -> None:
    key = hall.ben.all_of(wire.Welcome)[0].guest_key
    offered = await hall.offer("Anna", "Ben")
    async with connected(hall.url, guest_key=key) as tab:
        welcome = tab.all_of(wire.Welcome)[0]
    assert [each.challenge_id for each in welcome.challenges] == [offered]


async def test_a_player_cannot_play_against_themselves(hall: Hall) -> None:
    answer = await hall.anna.ask("challenge.create", setup=setup(), seats=["Ben", "Ben"])
    assert answer["code"] == "invalid"
    offered = await hall.offer("Anna", None)
    done = await hall.anna.do("challenge.accept", challenge_id=offered)
    assert done.challenge.state == "open"


async def test_a_challenge_to_an_unknown_player_is_refused(hall: Hall) -> None:
    answer = await hall.anna.ask("challenge.create", setup=setup(), seats=["Anna", "Nobody"])
    assert answer["code"] == "unknown_player"
    assert "Nobody" in answer["message"]


async def test_too_many_challenges_and_games(hall: Hall) -> None:
    for _ in range(2):
        await hall.offer("Anna", None)
    code = await hall.anna.refused("challenge.create", setup=setup(), seats=["Anna", None])
    assert code == "too_many"
    for each in (await hall.anna.do("state")).welcome.challenges:
        await hall.ben.do("challenge.accept", challenge_id=each.challenge_id)
    code = await hall.anna.refused("challenge.create", setup=setup(), seats=["Anna", None])
    assert code == "too_many"


async def test_a_bot_shows_its_engine(hall: Hall, tmp_path: Path) -> None:
    token = await issue_token(tmp_path, "robot")
    offered = await hall.offer("Anna", "robot")
    async with connected(hall.url, token=token, engine="search 1", level=4) as robot:
        done = await robot.do("challenge.accept", challenge_id=offered)
        state = await hall.anna.game(done.challenge.game_id)
        (welcome,) = robot.all_of(wire.Welcome)
    seated = state.players[1]
    assert (seated.name, seated.kind, seated.engine) == ("robot", "bot", "search 1")
    assert seated.level == welcome.you.level == 4
