"""Scores with their intervals, and the use of time."""

from datetime import UTC, datetime, timedelta

import pytest

from bot.matches.summary import GameTally, TimeUsage, summaries, summary_of
from bot.records.model import GameRecord, RecordedPlayer, RecordedTurn
from bot.time_controls import Untimed
from bot.tournaments.events import Finished
from bot.tournaments.formats.base import Draw
from bot.tournaments.model import GameResult, Reason
from bot.tournaments.schedule import Schedule
from tests.bot.tournaments.event_making import Book
from tests.bot.tournaments.happenings import happening
from tests.bot.tournaments.test_schedule import a_tournament, paired


def test_the_interval_of_a_score_counts_pairs_and_not_games() -> None:
    """The pairs are [1, 0, 16, 0, 3]. Forty independent games would give 0.398 to 0.693."""
    book = Book("A B")
    book.play(1, "A", "01" + 16 * "11" + 3 * "10", "B")
    a = summary_of(summaries(book.tournament), "A")
    assert (a.games, a.score) == (40, 0.55)
    assert (round(a.low, 3), round(a.high, 3)) == (0.445, 0.650)


def test_repeated_games_do_not_make_an_interval_smaller() -> None:
    once, again = Book("A B"), Book("A B")
    once.play(1, "A", "11", "B")
    for game in again.pair(1, "A", "B", 20).games:
        again.finish(game.number, "1", fingerprint="the same")
    one, other = (summary_of(summaries(each.tournament), "A") for each in (once, again))
    assert (other.games, other.score) == (20, 0.5)
    assert (other.low, other.high) == (one.low, one.high)


def test_each_player_has_a_row_with_faults_best_first() -> None:
    tournament = a_tournament("A", "B")
    paired(tournament, Schedule(4), Draw(1, (("A", "B"),)))
    results = [
        GameResult(winner=2, reason="played_out"),
        GameResult(winner=1, reason="time_forfeit"),
        GameResult(winner=None, reason="draw_agreement"),
    ]
    for number, result in enumerate(results, start=1):
        event = Finished(game=number, game_id="g", result=result, plies=1, fingerprint=str(number))
        tournament.apply(event)

    found = summaries(tournament)
    assert [each.name for each in found] == ["B", "A"]
    a = summary_of(found, "A")
    assert (a.wins, a.draws, a.losses, a.faults) == (0, 1, 2, {"time_forfeit": 1})
    assert summary_of(found, "B").score == pytest.approx(2.5 / 3)


@pytest.mark.parametrize("seed", range(20))
def test_a_tally_that_follows_a_tournament_equals_a_new_one(seed: int) -> None:
    tally = GameTally()
    for tournament in happening(seed):
        assert tally.of(tournament) == GameTally().of(tournament)
        assert sum(each.games for each in tally.of(tournament)) == 2 * len(tournament.played)


NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def finished(
    begins_s: float, ends_s: float, turns_ms: list[int], reason: Reason = "played_out"
) -> Finished:
    record = GameRecord(
        id="g",
        platform="match",
        game="bluestone",
        board="pent-4",
        rules="official",
        clock=Untimed(),
        players=(RecordedPlayer(name="A", kind="bot"), RecordedPlayer(name="B", kind="bot")),
        turns=[RecordedTurn(turn="x", time_ms=each) for each in turns_ms],
        started_at=NOON + timedelta(seconds=begins_s),
        ended_at=NOON + timedelta(seconds=ends_s),
        software="test",
    )
    result = GameResult(winner=1, reason=reason)
    return Finished(game=1, game_id="g", result=result, plies=1, fingerprint="f", record=record)


def test_time_without_a_thinking_engine_is_the_hosts_share() -> None:
    usage = TimeUsage(concurrency=2)
    usage.add(finished(0, 4, [1000, 2800]))
    usage.add(finished(1, 5, [4000]))

    assert (usage.turns, usage.seconds, usage.busy_s) == (3, 5.0, 9.0)
    assert usage.host_share == pytest.approx(1 - 7.8 / 9)


def test_an_idle_slot_counts_until_the_last_game_begins() -> None:
    usage = TimeUsage(concurrency=2)
    usage.add(finished(0, 10, [10_000]))
    usage.add(finished(0, 4, [4_000]))
    usage.add(finished(5, 8, [3_000]))

    assert usage.busy_s == pytest.approx(10 + 8)
    assert usage.host_share == pytest.approx(1 / 18)


def test_waiting_for_a_turn_that_never_comes_is_not_the_hosts_share() -> None:
    usage = TimeUsage(concurrency=1)
    usage.add(finished(0, 4, [100], "stall"))

    assert usage.host_share == 0.0


def test_without_games_the_hosts_share_is_0() -> None:
    assert TimeUsage(concurrency=2).host_share == 0.0
