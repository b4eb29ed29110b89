"""How long the bot took for its turns."""

from bot.guests.abstract_play.rehearsal.fortnight import HOUR_MS, MINUTE_MS, TurnWaits
from bot.guests.abstract_play.rehearsal.game import ClockTerms, Terms, begun, played
from bot.guests.abstract_play.rehearsal.site import HostedGame

TERMS = Terms("g1", "bluestone", (), ("the-bot", "ann"), ClockTerms(12, 6, 24), False, 0)


def opened_at(now: int) -> HostedGame:
    """The bot has played its first turn."""
    before = begun(TERMS)
    return HostedGame(played(before, "0-0", now), before, now)


def test_turns_of_the_bot_are_timed() -> None:
    waits = TurnWaits("the-bot")
    waits(opened_at(2 * MINUTE_MS), 2 * MINUTE_MS)
    waits(opened_at(2 * HOUR_MS), 2 * HOUR_MS)
    assert waits.slowest_ms == 2 * HOUR_MS
    assert list(waits.counts.values()) == [2, 1]


def test_turns_of_people_and_starts_of_games_are_not_counted() -> None:
    waits = TurnWaits("ann")
    waits(opened_at(HOUR_MS), HOUR_MS)
    state = begun(TERMS)
    waits(HostedGame(state, state, 0), HOUR_MS)
    assert waits.slowest_ms == 0


def test_time_when_the_machine_was_off_does_not_count() -> None:
    waits = TurnWaits("the-bot")
    waits.off()
    waits(opened_at(HOUR_MS), HOUR_MS)
    waits.on_again(2 * HOUR_MS)
    waits(opened_at(2 * HOUR_MS + 5), 2 * HOUR_MS + 5)
    assert waits.slowest_ms == 5
