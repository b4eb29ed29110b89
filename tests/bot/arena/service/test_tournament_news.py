"""How often those who follow a tournament hear of it."""

from collections.abc import Iterable

import pytest

from bot import wire
from bot.arena.model.tournament import HostedTournament
from bot.arena.service.arena_clock import ArenaClock
from bot.arena.service.presence import Presence
from bot.arena.service.tournament_news import TournamentNews
from bot.arena.service.tournament_views import TournamentViews
from tests.bot.arena.hosted import begun
from tests.fakes.time import FakeTime


class Crowd:
    """Followers of every tournament; notes when they were told something."""

    def __init__(self, time: FakeTime, followers: int, size: int) -> None:
        self._time = time
        self._followers = followers
        self._size = size
        self.told_at: list[float] = []

    async def tournament(self, tournament: wire.TournamentState) -> int:
        del tournament
        self.told_at.append(self._time.monotonic())
        return self._size

    def followers(self, tournament_id: str) -> int:
        del tournament_id
        return self._followers

    async def game(self, state: wire.GameState, change: wire.GameChange | None = None) -> None: ...

    async def challenge(self, challenge: wire.Challenge, names: Iterable[str]) -> None: ...

    async def lobby(self, lobby: wire.Lobby) -> None: ...


class SlowViews(TournamentViews):
    """Takes so long for each state."""

    def __init__(self, time: FakeTime, takes_s: float) -> None:
        super().__init__(Presence(), ArenaClock(time))
        self._time = time
        self._takes_s = takes_s

    def state(self, hosted: HostedTournament) -> wire.TournamentState:
        self._time.lapse(self._takes_s)
        return super().state(hosted)


@pytest.mark.parametrize(
    ("followers", "size", "takes_s", "pause_s"),
    [
        (1, 1_000, 0.0, 1.0),
        (400, 20_000, 0.0, 2.0),
        (1, 1_000, 0.1, 5.0),
        (1, 1_000, 2.0, 15.0),
        (10_000, 200_000, 0.0, 15.0),
    ],
)
async def test_the_more_it_costs_to_tell_the_rarer_they_are_told(
    followers: int, size: int, takes_s: float, pause_s: float
) -> None:
    time = FakeTime()
    crowd = Crowd(time, followers, size)
    news, hosted = TournamentNews(SlowViews(time, takes_s), crowd, time), begun("one", "two")
    for _ in range(2):
        news.changed(hosted, True)
        news.changed(hosted, True)
        await time.advance(0.25)
        news.changed(hosted, True)
    await time.advance(20)
    first, second = crowd.told_at
    assert second - first == pytest.approx(pause_s + takes_s)
    await news.close()


async def test_nothing_is_reckoned_for_a_tournament_that_nobody_follows() -> None:
    time = FakeTime()
    crowd = Crowd(time, followers=0, size=0)
    news = TournamentNews(SlowViews(time, 1.0), crowd, time)
    news.changed(begun("one", "two"), True)
    await time.advance(20)
    assert (crowd.told_at, time.monotonic()) == ([], 1020)
    await news.close()
