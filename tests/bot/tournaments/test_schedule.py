"""The games of a pairing: pairs, setups and openings."""

from bot.tournaments.events import Began, Paired
from bot.tournaments.formats.base import Draw
from bot.tournaments.model import Bye, Entrant, MatchSetup
from bot.tournaments.schedule import Schedule
from bot.tournaments.state import Tournament


def a_tournament(*names: str, setups: int = 1) -> Tournament:
    setup = MatchSetup(game="bluestone", board="hex-3", rules="official")
    return Tournament(
        Began(
            name="test",
            entrants=tuple(Entrant(name=name) for name in names),
            setups=(setup,) * setups,
            seed=1,
            settings={},
            software="test",
        )
    )


def paired(tournament: Tournament, schedule: Schedule, draw: Draw) -> Paired:
    event = schedule.paired(tournament, draw)
    tournament.apply(event)
    return event


def test_two_games_share_an_opening_with_swapped_seats() -> None:
    schedule = Schedule(openings=([("a1",), ("b2",)],))
    (pairing,) = paired(a_tournament("A", "B"), schedule, Draw(1, (("A", "B"),))).pairings

    assert [game.seats for game in pairing.games] == [("A", "B"), ("B", "A")]
    assert {(game.pair, game.opening) for game in pairing.games} == {(1, ("a1",))}


def test_two_players_continue_with_their_next_opening_and_then_the_first() -> None:
    tournament = a_tournament("A", "B", "C")
    schedule = Schedule(openings=([("a1",), ("b2",)],))
    seen = []
    for number in (1, 2, 3):
        event = paired(tournament, schedule, Draw(number, (("A", "B"), ("A", "C"))))
        seen.append([pairing.games[0].opening for pairing in event.pairings])

    assert seen == [[("a1",)] * 2, [("b2",)] * 2, [("a1",)] * 2]


def test_numbers_continue_from_pairing_to_pairing() -> None:
    tournament = a_tournament("A", "B", "C", "D")
    schedule = Schedule(games_per_pairing=4)
    first = paired(tournament, schedule, Draw(1, (("A", "B"), ("C", "D"))))
    second = paired(tournament, schedule, Draw(2, (("A", "C"),)))

    games = [game for event in (first, second) for each in event.pairings for game in each.games]
    assert [game.number for game in games] == list(range(1, 13))
    assert [game.pair for game in games] == [1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6]
    assert [each.number for each in (*first.pairings, *second.pairings)] == [1, 2, 3]


def test_setups_rotate_from_round_to_round() -> None:
    tournament = a_tournament("A", "B", setups=3)
    schedule = Schedule(games_per_pairing=4, setups=3)
    setups = [
        [
            game.setup
            for game in paired(tournament, schedule, Draw(r, (("A", "B"),))).pairings[0].games
        ]
        for r in (1, 2)
    ]

    assert setups == [[0, 0, 1, 1], [2, 2, 0, 0]]


def test_with_mix_all_each_pairing_plays_all_setups() -> None:
    schedule = Schedule(games_per_pairing=1, setups=3, mix="all")
    (pairing,) = paired(a_tournament("A", "B"), schedule, Draw(1, (("A", "B"),))).pairings

    assert [(game.setup, game.seats) for game in pairing.games] == [
        (s, ("A", "B")) for s in (0, 1, 2)
    ]


def test_byes_of_a_draw_are_kept() -> None:
    bye = Bye(round=1, player="C")

    assert Schedule().paired(a_tournament("A", "B", "C"), Draw(1, (), (bye,))).byes == (bye,)


def test_with_an_odd_number_of_games_the_last_has_no_partner() -> None:
    schedule = Schedule(3)
    (pairing,) = paired(a_tournament("A", "B"), schedule, Draw(1, (("A", "B"),))).pairings

    assert [game.pair for game in pairing.games] == [1, 1, 2]
    assert [game.seats[0] for game in pairing.games] == ["A", "B", "A"]
