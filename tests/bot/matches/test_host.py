"""The host plays a tournament; interruptions do not change its result."""

import asyncio
from pathlib import Path

import pytest

from bot.engines.spec import EngineSpec
from bot.errors import HostError
from bot.matches.host import Host
from bot.matches.task import GameReport, GameTask
from bot.records.model import RecordedPlayer, RecordedResult, RecordedTurn
from bot.records.writing import RecordedSetup, game_record
from bot.time_controls import Untimed
from bot.time_source import SystemTime
from bot.tournaments.director import Director
from bot.tournaments.events import Event
from bot.tournaments.model import GameResult, ScheduledGame
from bot.tournaments.schedule import Schedule
from bot.tournaments.state import Tournament
from tests.bot.matches.test_ledger import SETUP, opened
from tests.bot.tournaments.event_making import Rounds

TIME = SystemTime()


class Never(Rounds):
    def is_over(self, tournament: Tournament) -> bool:
        del tournament
        return False


def task_of(game: ScheduledGame) -> GameTask:
    engines = (EngineSpec(name=game.seats[0]), EngineSpec(name=game.seats[1]))
    return GameTask(tournament="test", seed=1, scheduled=game, setup=SETUP, engines=engines)


def report(task: GameTask) -> GameReport:
    """A report that is the same for the same game: the seed decides the winner."""
    winner = 1 + task.engine_seed(1) % 2
    one, two = (RecordedPlayer(name=name, kind="bot") for name in task.scheduled.seats)
    record = game_record(
        task.game_id,
        "test",
        RecordedSetup("bluestone", "pent-4", "official", Untimed()),
        (one, two),
        [RecordedTurn(turn=str(task.engine_seed(2)))],
        RecordedResult.model_validate({"winner": winner, "reason": "played_out"}),
        last=None,
        began=TIME.wall(),
        ended=TIME.wall(),
    )
    result = GameResult.model_validate({"winner": winner, "reason": "played_out"})
    return GameReport(game=task.number, result=result, record=record)


class FakeGames:
    """Plays and counts games. `void` has the number of void attempts by game."""

    def __init__(self, void: dict[int, int] | None = None, killed_at: int | None = None) -> None:
        self.void = void or {}
        self.played: list[int] = []
        self.begun = asyncio.Event()
        self.running = 0
        self.most_running = 0
        self._killed_at = killed_at

    async def play(self, task: GameTask) -> GameReport:
        self.begun.set()
        self.running += 1
        self.most_running = max(self.most_running, self.running)
        try:
            for _ in range(1 + task.number % 3):
                await asyncio.sleep(0)
        finally:
            self.running -= 1
        self.played.append(task.number)
        if len(self.played) == self._killed_at:
            raise HostError("killed")
        if self.void.get(task.number, 0):
            self.void[task.number] -= 1
            return GameReport(game=task.number, void="the machine was asleep")
        return report(task)


async def hosted(
    folder: Path, games: FakeGames, form: Rounds, concurrency: int = 2
) -> tuple[Tournament, list[Event]]:
    seen: list[Event] = []
    with opened(folder) as ledger:
        director = Director(form, Schedule(4))
        host = Host(
            ledger, director, task_of, games.play, concurrency, lambda _, event: seen.append(event)
        )
        await host.run()
        return ledger.tournament, seen


def results(tournament: Tournament) -> dict[int, tuple[object, str]]:
    return {
        number: (game.result, game.fingerprint)
        for number, game in sorted(tournament.played.items())
    }


async def test_all_games_are_played_up_to_concurrency_at_once(tmp_path: Path) -> None:
    games = FakeGames()
    tournament, seen = await hosted(tmp_path, games, Rounds(2), concurrency=3)

    assert sorted(games.played) == list(range(1, 9))
    assert games.most_running == 3
    assert tournament.ended is not None
    assert [event.kind for event in seen].count("finished") == 8


async def test_a_void_game_is_played_again_under_its_number(tmp_path: Path) -> None:
    games = FakeGames(void={3: 1})
    tournament, _ = await hosted(tmp_path, games, Rounds(1))

    assert games.played.count(3) == 2
    assert tournament.voids == {3: 1}
    assert len(tournament.played) == 4


async def test_two_void_games_in_a_row_stop_a_pairing(tmp_path: Path) -> None:
    games = FakeGames(void={1: 2})
    tournament, _ = await hosted(tmp_path, games, Rounds(1), concurrency=1)

    assert list(tournament.stopped) == [1]
    assert tournament.played == {}
    assert tournament.ended is not None


@pytest.mark.parametrize("killed_at", [1, 2, 5, 7])
async def test_a_host_that_was_killed_comes_to_the_same_result(
    tmp_path: Path, killed_at: int
) -> None:
    undisturbed, _ = await hosted(tmp_path / "undisturbed", FakeGames(), Rounds(2))
    with pytest.raises(HostError):
        await hosted(tmp_path / "killed", FakeGames(killed_at=killed_at), Rounds(2))
    tournament, _ = await hosted(tmp_path / "killed", FakeGames(), Rounds(2), concurrency=3)

    assert results(tournament) == results(undisturbed)
    assert tournament.pairings == undisturbed.pairings


async def test_cancelling_the_host_drops_running_games(tmp_path: Path) -> None:
    games = FakeGames()
    run = asyncio.create_task(hosted(tmp_path, games, Rounds(2)))
    await games.begun.wait()
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run

    assert games.running == 0


async def test_a_format_without_games_and_without_an_end_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(HostError, match="no game is left to play"):
        await hosted(tmp_path, FakeGames(), Never(1))
