"""The short form of `make lab ARGS=resume`, and the faults that it finds."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.matches.ledger import Chain, LedgerContent, append_events, read_ledger
from bot.matches.settings import settings_of
from bot.runtime.settings import read_toml
from bot.tournaments.events import Began, Event, Finished, Paired
from bot.tournaments.model import Entrant, GameResult, MatchSetup, Pairing, ScheduledGame
from lab.tournaments.resume import Losses, ResumePlan, compared, games_told, measure

NOW = datetime(2026, 1, 1, tzinfo=UTC)
BEGAN = Began(
    name="t",
    entrants=(Entrant(name="A"), Entrant(name="B")),
    setups=(MatchSetup(game="bluestone", board="pent-4", rules="official", nodes=10),),
    seed=1,
    settings={},
    software="test",
)


def paired(*seats: tuple[str, str]) -> Paired:
    games = tuple(
        ScheduledGame(number=number, pair=number, seats=each)
        for number, each in enumerate(seats, start=1)
    )
    return Paired(pairings=(Pairing(number=1, round=1, players=("A", "B"), games=games),))


def finished(game: int, winner: int, fingerprint: str = "f") -> Finished:
    result = GameResult.model_validate({"winner": winner, "reason": "crash"})
    return Finished(game=game, game_id=f"t-{game}", result=result, plies=3, fingerprint=fingerprint)


def ledger(path: Path, events: Sequence[Event]) -> LedgerContent:
    append_events(path, NOW, events, Chain())
    return read_ledger(path)


def test_a_plan_is_a_tournament_of_engines_three_of_which_misbehave(tmp_path: Path) -> None:
    file = tmp_path / "event.toml"
    file.write_text(ResumePlan(kills=1, builtin=8).document())
    settings = settings_of(read_toml(file), "bench")

    assert [player.name for player in settings.players[-3:]] == ["silent", "rubbish", "dies"]
    assert len(settings.players) == 11


def test_differences_are_counted(tmp_path: Path) -> None:
    games = paired(("A", "B"), ("B", "A"))
    calm = ledger(tmp_path / "calm", [BEGAN, games, finished(1, 1), finished(2, 2, "g")])
    others: list[Event] = [BEGAN, paired(("B", "A"), ("B", "A")), finished(1, 1), finished(1, 1)]
    killed = ledger(tmp_path / "killed", others)

    found = compared(calm, killed, Losses(), (1.0, 2.0))

    assert (found.twice, found.changed, found.different) == (1, 1, 2)
    assert not found.equal
    assert not found.fine


def test_the_same_games_are_fine_unless_one_was_lost_on_the_way(tmp_path: Path) -> None:
    calm = ledger(tmp_path / "calm", [BEGAN, paired(("A", "B")), finished(1, 1)])

    assert compared(calm, calm, Losses(), (1.0, 2.0)).fine
    assert not compared(calm, calm, Losses(lost=1), (1.0, 2.0)).fine


def test_only_lines_about_games_count_as_reports() -> None:
    assert games_told(b"game 3: A beats B in 2 turns\nno game 4: x\ngame 12: A and B draw") == {
        3,
        12,
    }


@pytest.mark.e2e
@pytest.mark.timeout(240)
async def test_a_killed_host_ends_with_the_same_table() -> None:
    plan = ResumePlan(kills=2, builtin=2, games_per_pairing=1, nodes=20, patience_ms=1500)
    notes: list[str] = []

    found = await measure(plan, notes.append)

    assert found.fine, (found, notes)
    assert found.games == 10
    assert found.losses.kills == 2
    assert {"illegal_turn", "stall", "crash"} <= found.faults.keys()
