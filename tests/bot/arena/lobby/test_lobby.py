"""What the lobby shows of many challenges and games, and what it lets people pile up."""

from collections.abc import AsyncIterator, Iterable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from pydantic import BaseModel

from bot import wire
from bot.arena.announcer import GameNews
from bot.arena.games.game import Game
from bot.arena.games.game_views import summary_of
from bot.arena.lobby import lobby
from bot.arena.refusals import Refused
from bot.arena.services import Services
from bot.arena.startup import open_services
from tests.bot.arena.table import settings, setup
from tests.fakes.time import FakeTime

UNTIMED = {"kind": "none"}


class Nobody:
    """Listens to what is announced, and keeps none of it."""

    def game(self, news: GameNews) -> None: ...

    async def challenge(self, challenge: wire.Challenge, names: Iterable[str]) -> None: ...

    async def lobby(self, lobby: wire.Lobby) -> None: ...

    def tell(self, event: str, message: BaseModel, names: Iterable[str]) -> None: ...

    async def tournament(self, tournament: wire.TournamentState) -> int:
        return len(tournament.entrants)

    def followers(self, tournament_id: str) -> int:
        return 0 * len(tournament_id)


class Foyer:
    """The services of an arena, and players who come and offer games."""

    def __init__(self, services: Services, time: FakeTime) -> None:
        self.services, self.time = services, time
        self.lobby, self.challenges = services.lobby, services.challenges

    async def enter(self, name: str | None = None) -> wire.Player:
        credentials = wire.Credentials(v=wire.VERSION, name=name)
        login = await self.services.accounts.log_in(credentials, "127.0.0.1")
        self.services.presence.add(login.player, login.player.name)
        return login.player

    def leave(self, player: wire.Player) -> None:
        self.services.presence.remove(player.name, player.name)

    async def offer(
        self, creator: wire.Player, *seats: str | None, clock: dict[str, Any] = UNTIMED
    ) -> str:
        message = wire.CreateChallenge.model_validate(
            {"v": wire.VERSION, "setup": setup(clock=clock), "seats": seats or (None, None)}
        )
        return (await self.challenges.create(creator, message)).challenge_id

    async def shown(self) -> wire.Lobby:
        """The lobby, once all that has happened is told."""
        await self.time.advance(1)
        return self.lobby.view()

    async def shown_ids(self) -> list[str]:
        return [each.challenge_id for each in (await self.shown()).challenges]


@pytest.fixture
async def foyer(tmp_path: Path) -> AsyncIterator[Foyer]:
    time = FakeTime()
    limited = settings(tmp_path, play={"challenges_received": 2})
    async with open_services(limited, Nobody(), time, Random(1)) as services:
        yield Foyer(services, time)


async def test_each_creators_newest_challenge_comes_before_any_second_one(
    foyer: Foyer,
) -> None:
    anna, ben, carl = [await foyer.enter(name) for name in ("Anna", "Ben", "Carl")]
    a1, a2, a3, b1, c1, b2 = [
        await foyer.offer(creator) for creator in (anna, anna, anna, ben, carl, ben)
    ]
    assert await foyer.shown_ids() == [b2, c1, a3, b1, a2, a1]


async def test_a_public_challenge_is_hidden_while_its_creator_is_disconnected(foyer: Foyer) -> None:
    anna, ben = await foyer.enter("Anna"), await foyer.enter("Ben")
    offered = await foyer.offer(anna, anna.name, None)
    foyer.leave(anna)
    assert await foyer.shown_ids() == []
    await foyer.time.advance(60)
    await foyer.enter("Carl")
    foyer.services.presence.add(anna, "again")
    assert await foyer.shown_ids() == [offered]
    assert (await foyer.challenges.accept(ben, offered)).state == "started"


async def test_all_challenges_of_a_guest_end_when_the_guest_stays_away(foyer: Foyer) -> None:
    guest, anna = await foyer.enter(), await foyer.enter("Anna")
    assert (guest.kind, anna.kind) == ("guest", "person")
    await foyer.offer(guest, guest.name, anna.name)
    kept = await foyer.offer(anna, anna.name, guest.name)
    for player in (guest, anna):
        foyer.leave(player)
    await foyer.time.advance(9)
    assert len(foyer.challenges.of_player(guest.name)) == 2
    await foyer.time.advance(2)
    assert [each.challenge_id for each in foyer.challenges.of_player(guest.name)] == [kept]


async def test_others_cannot_pile_challenges_on_one_player(foyer: Foyer) -> None:
    anna, ben, carl = [await foyer.enter(name) for name in ("Anna", "Ben", "Carl")]
    first = await foyer.offer(ben, ben.name, anna.name)
    await foyer.offer(carl, anna.name, None)
    with pytest.raises(Refused, match="Anna has too many open challenges already") as refused:
        await foyer.offer(carl, carl.name, anna.name)
    assert refused.value.code == "too_many"
    await foyer.offer(anna, anna.name, ben.name)
    await foyer.offer(carl, carl.name, ben.name)
    await foyer.challenges.cancel(ben, first)
    await foyer.offer(carl, carl.name, anna.name)


async def test_only_own_and_accepted_challenges_bind_a_player(foyer: Foyer) -> None:
    anna, ben, carl = [await foyer.enter(name) for name in ("Anna", "Ben", "Carl")]
    offered = await foyer.offer(anna, ben.name, carl.name)

    def bound() -> list[str]:
        return [name for name in ("Anna", "Ben", "Carl") if foyer.challenges.binds(name)]

    assert bound() == ["Anna"]
    await foyer.challenges.accept(ben, offered)
    assert bound() == ["Anna", "Ben"]
    await foyer.challenges.cancel(anna, offered)
    assert bound() == []


async def test_only_the_running_games_that_are_shown_are_summarised(
    foyer: Foyer, monkeypatch: pytest.MonkeyPatch
) -> None:
    summarised: list[str] = []

    def noted(game: Game) -> wire.GameSummary:
        summarised.append(game.game_id)
        return summary_of(game)

    anna, ben = await foyer.enter("Anna"), await foyer.enter("Ben")
    for _ in range(3):
        await foyer.challenges.accept(ben, await foyer.offer(anna, anna.name, ben.name))
    newest = [state.game_id for state in foyer.services.games.of_player("Anna")][:0:-1]
    await foyer.shown()
    monkeypatch.setattr("bot.arena.games.game_service.summary_of", noted)
    monkeypatch.setattr(lobby, "SHOWN_RUNNING", 2)
    foyer.lobby.changed()
    assert [game.game_id for game in (await foyer.shown()).games] == newest
    assert set(summarised) == set(newest)
