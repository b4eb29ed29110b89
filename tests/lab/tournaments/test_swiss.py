from collections import Counter

import orjson
import pytest

from bot.cli.measurements import print_report
from bot.errors import ConfigurationError
from bot.tournaments.events import Paired
from bot.tournaments.formats.base import Draw
from bot.tournaments.model import Bye, GameResult, Pairing, ScheduledGame
from bot.tournaments.state import Tournament
from lab.tournaments.swiss import Checker, SwissVerdict, simulate, swiss, swiss_report
from lab.tournaments.swiss_events import began, finished

WON = GameResult(winner=1, reason="played_out")


def ignore(_: str) -> None:
    """Ignore progress, which is for people."""


def test_events_keep_to_the_rules_and_have_what_makes_pairing_hard() -> None:
    found = simulate(12, (5, 40), None, seed=1, on_progress=ignore)

    assert found.fine
    assert found.events == 12
    assert min(found.byes, found.unplayed, found.late, found.withdrawn) > 0
    assert found.largest == 40
    assert found.largest_difference <= 2
    assert found.longest_run <= 2


def test_the_same_seed_plays_the_same_events() -> None:
    one, two = (simulate(3, (5, 12), 4, seed=7, on_progress=ignore) for _ in range(2))
    for each in (one, two):
        each.slowest_s = each.slowest_cpu_s = 0.0

    assert one == two


def test_violations_of_rules_are_counted() -> None:
    """A made-up event: one pair three times, with the same seats, and two byes for another
    player.
    """
    found, tournament = SwissVerdict(), Tournament(began(3, seed=1))
    checker, pair = Checker(found, rounds=9), ("player 1", "player 2")
    for number in range(1, 4):
        byes = (Bye(round=number, player="player 3"),)
        game = ScheduledGame(number=number, pair=number, seats=pair)
        pairing = Pairing(number=number, round=number, players=pair, games=(game,))
        tournament.apply(Paired(pairings=(pairing,), byes=byes))
        tournament.apply(finished(number, WON))
        checker.check(tournament, Draw(number, (pair,), byes))

    assert (found.met_twice, found.byes_twice) == (2, 2)
    assert (found.differences, found.runs) == (2, 2)
    assert not found.fine


def test_the_command_prints_a_table_or_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert swiss(events=2, players="5..8") == 0
    assert "pairs that met twice" in capsys.readouterr().out

    assert swiss(events=2, players="5..8", as_json=True) == 0
    assert orjson.loads(capsys.readouterr().out)["fine"] is True

    print_report(swiss_report(SwissVerdict(ended_early=Counter({"nobody came": 3}))), as_json=False)
    assert "ended early: 3 because nobody came" in capsys.readouterr().out


@pytest.mark.parametrize("players", ["", "1..4", "9..4", "5..3000", "a..b"])
def test_an_invalid_range_of_players_is_refused(players: str) -> None:
    with pytest.raises(ConfigurationError, match="give LEAST"):
        swiss(players=players)
