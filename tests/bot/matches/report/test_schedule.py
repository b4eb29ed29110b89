"""The section of the schedule."""

from bot.matches.report.chronicle import Chronicle
from bot.matches.report.schedule import FEW_ROUNDS, schedule_section
from bot.tournaments.events import Began, Paired
from bot.tournaments.model import Entrant, Pairing, ScheduledGame
from tests.bot.matches.made_up import SETUPS, chronicle
from tests.bot.matches.report.html_reader import read_html
from tests.fakes.time import EPOCH


def duel(rounds: int) -> Chronicle:
    """A tournament of two players with one pairing per round."""
    names = ("Basalt", "Marble")
    began = Began(
        name="duel",
        entrants=tuple(Entrant(name=name) for name in names),
        setups=SETUPS,
        seed=1,
        settings={"format": {"kind": "sprt"}},
        software="bluestone",
    )
    paired = [
        Paired(
            pairings=(
                Pairing(
                    number=number,
                    round=number,
                    players=names,
                    games=(ScheduledGame(number=number, pair=number, seats=names),),
                ),
            )
        )
        for number in range(1, rounds + 1)
    ]
    return chronicle([(EPOCH, began), *((EPOCH, event) for event in paired)])


def test_each_round_has_a_table(story: Chronicle) -> None:
    captions = read_html(schedule_section(story)).all("caption")
    assert [each.text for each in captions] == [f"Round {number}" for number in range(1, 6)]


def test_many_rounds_of_one_pairing_share_one_table() -> None:
    assert len(read_html(schedule_section(duel(FEW_ROUNDS))).all("table")) == FEW_ROUNDS
    (table,) = read_html(schedule_section(duel(300))).all("table")
    assert len(table.all("tr")) == 301


def test_before_the_first_round_there_is_no_schedule() -> None:
    assert schedule_section(duel(0)) == ""
