"""What of the time was not thought in."""

from datetime import UTC, datetime, timedelta

import pytest

from bot.matches.usage import Usage
from bot.records.model import GameRecord, RecordedPlayer, RecordedTurn
from bot.time_controls import Untimed
from bot.tournaments.events import Finished
from bot.tournaments.model import Reason, Result

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
    result = Result(winner=1, reason=reason)
    return Finished(game=1, game_id="g", result=result, plies=1, fingerprint="f", record=record)


def test_what_was_not_thought_in_is_the_hosts_share() -> None:
    usage = Usage(concurrency=2)
    usage.add(finished(0, 4, [1000, 2800]))
    usage.add(finished(1, 5, [4000]))

    assert (usage.turns, usage.seconds, usage.busy_s) == (3, 5.0, 9.0)
    assert usage.host_share == pytest.approx(1 - 7.8 / 9)


def test_what_lies_between_games_is_the_hosts_share_but_not_what_comes_after_the_last() -> None:
    usage = Usage(concurrency=2)
    usage.add(finished(0, 10, [10_000]))
    usage.add(finished(0, 4, [4_000]))
    usage.add(finished(5, 8, [3_000]))

    assert usage.busy_s == pytest.approx(10 + 8)
    assert usage.host_share == pytest.approx(1 / 18)


def test_waiting_for_a_turn_that_never_comes_is_not_the_hosts_time() -> None:
    usage = Usage(concurrency=1)
    usage.add(finished(0, 4, [100], "stall"))

    assert usage.host_share == 0.0


def test_without_games_nothing_was_lost() -> None:
    assert Usage(concurrency=2).host_share == 0.0
