"""Tournaments as messages show them."""

from collections.abc import Iterable, Sequence

import pytest
from pydantic import BaseModel

from bot import wire
from bot.arena.announcer import GameNews
from bot.arena.arena_clock import ArenaClock
from bot.arena.players.presence import Presence
from bot.arena.tournaments.tournament import HostedTournament
from bot.arena.tournaments.tournament_views import TournamentNews, TournamentViews, ranking
from bot.tournaments.events import Event, Voided
from tests.bot.arena.hall import games
from tests.bot.arena.hosted import begun, hosted, pair, win
from tests.fakes.time import FakeTime

FOUR = ("one", "two", "three", "four")


def play(made: HostedTournament, *winners: str) -> None:
    """The games of a round, whoever of these plays in one wins it."""
    assert made.core is not None
    for game in made.core.waiting():
        win(made, game.number, next(name for name in winners if name in game.seats))
    pair(made)


def ranks(made: HostedTournament) -> list[tuple[int, str]]:
    return [(row.rank, row.player) for row in ranking(made)]


def test_standings_are_empty_before_the_start() -> None:
    assert ranking(hosted(*FOUR)) == []


@pytest.mark.parametrize("third", ["true", "false"])
def test_a_knockout_ranks_by_rounds_survived_not_by_points(third: str) -> None:
    made = begun(*FOUR, format={"kind": "knockout", "third_place": third})
    assert ranks(made) == [(1, name) for name in FOUR]
    play(made, "four", "three")
    assert ranks(made) == [(1, "three"), (1, "four"), (3, "one"), (3, "two")]
    play(made, "four", "two")
    last = [(3, "two"), (4, "one")] if third == "true" else [(3, "one"), (3, "two")]
    assert ranks(made) == [(1, "four"), (2, "three"), *last]
    assert {tuple(row.tie_breaks) for row in ranking(made)} == {()}


def test_a_player_beaten_once_remains_in_a_double_knockout() -> None:
    made = begun(*FOUR, format={"kind": "double-knockout"})
    play(made, "one", "two")
    play(made, "one", "three")
    rows = {row.player: row for row in ranking(made)}
    assert [rows[name].rank for name in FOUR] == [1, 2, 2, 4]
    assert (rows["three"].wins, rows["three"].losses) == (1, 1)


def test_other_formats_rank_by_points_and_tie_breaks() -> None:
    made = begun(*FOUR, format={"kind": "swiss", "rounds": "2"}, tie_breaks=["game_points"])
    play(made, "one", "two")
    assert [(row.rank, row.points) for row in ranking(made)] == [(1, 1), (1, 1), (3, 0), (3, 0)]
    assert {tuple(row.tie_breaks) for row in ranking(made)} == {("game_points",)}


def shown(hosted: HostedTournament, *events: Event) -> wire.TournamentState:
    """After these events, to everybody."""
    for event in events:
        hosted.apply(event)
    return TournamentViews(Presence(), ArenaClock(FakeTime())).state(hosted)


def voids(state: wire.TournamentState) -> Sequence[tuple[int, str | None]]:
    return [(game.voids, game.void_reason) for game in games(state)]


def test_a_void_game_shows_how_often_it_was_void_and_the_last_reason() -> None:
    hosted = begun("one", "two", games_per_pairing=2)
    first, second = Voided(game=1, why="A power cut."), Voided(game=1, why="A full disk.")
    assert voids(shown(hosted)) == [(0, None), (0, None)]
    assert voids(shown(hosted, first)) == [(1, "A power cut."), (0, None)]
    state = shown(hosted, second)
    assert voids(state) == [(2, "A full disk."), (0, None)]
    assert [game.state for game in games(state)] == ["waiting", "waiting"]


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

    def game(self, news: GameNews) -> None: ...

    async def challenge(self, challenge: wire.Challenge, names: Iterable[str]) -> None: ...

    async def lobby(self, lobby: wire.Lobby) -> None: ...

    def tell(self, event: str, message: BaseModel, names: Iterable[str]) -> None: ...


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
async def test_expensive_states_are_sent_less_often(
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


async def test_nothing_is_computed_for_a_tournament_without_followers() -> None:
    time = FakeTime()
    crowd = Crowd(time, followers=0, size=0)
    news = TournamentNews(SlowViews(time, 1.0), crowd, time)
    news.changed(begun("one", "two"), True)
    await time.advance(20)
    assert (crowd.told_at, time.monotonic()) == ([], 1020)
    await news.close()
