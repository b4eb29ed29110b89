"""The state that is updated event by event agrees with a count of all games."""

from collections import Counter

import pytest

from bot.tournaments.events import Paired, Voided
from bot.tournaments.model import Pairing, ScheduledGame
from bot.tournaments.state import VOIDS_IN_A_ROW, ImpossibleEvent, Tournament
from tests.bot.tournaments.event_making import Book
from tests.bot.tournaments.happenings import PLAYERS, happening

SEEDS = range(15)


def left(tournament: Tournament) -> list[ScheduledGame]:
    return [
        game
        for game in tournament.games()
        if game.number not in tournament.played
        and tournament.pairing_of(game.number).number not in tournament.stopped
    ]


def is_complete(tournament: Tournament, pairing: Pairing) -> bool:
    return set(pairing.games).isdisjoint(left(tournament))


def pairs_between(tournament: Tournament, one: str, two: str) -> Counter[int]:
    games = {
        (game.setup, game.pair)
        for pairing in tournament.pairings.values()
        if set(pairing.players) == {one, two}
        for game in pairing.games
    }
    return Counter(setup for setup, _ in games)


@pytest.mark.parametrize("seed", SEEDS)
def test_games_without_a_result_in_pairings_that_are_not_stopped_are_left(seed: int) -> None:
    for tournament in happening(seed):
        expected = left(tournament)

        assert tournament.waiting() == expected
        assert list(tournament.left) == [game.number for game in expected]
        assert tournament.busy() == {name for game in expected for name in game.seats}
        assert tournament.is_round_complete() == (not expected)
        for pairing in tournament.pairings.values():
            assert tournament.is_complete(pairing) == is_complete(tournament, pairing)


@pytest.mark.parametrize("seed", SEEDS)
def test_rounds_and_numbers_continue_those_of_all_pairings(seed: int) -> None:
    for tournament in happening(seed):
        pairings, games = list(tournament.pairings.values()), list(tournament.games())
        rounds = {each.round for each in pairings} | {bye.round for bye in tournament.byes}

        assert tournament.round == max(rounds, default=0)
        assert tournament.next_numbers == (
            len(pairings) + 1,
            max((game.pair for game in games), default=0) + 1,
            len(games) + 1,
        )
        for number in range(tournament.round + 2):
            of_round = [each for each in pairings if each.round == number]
            assert tournament.pairings_of_round(number) == of_round


@pytest.mark.parametrize("seed", SEEDS)
def test_games_and_pairs_between_two_players_are_found(seed: int) -> None:
    for tournament in happening(seed):
        for one in PLAYERS:
            for two in PLAYERS:
                met = [game for game in tournament.games() if {*game.seats} == {one, two}]
                assert list(tournament.games_between(one, two)) == met
                pairs = pairs_between(tournament, one, two)
                assert tournament.pairs_between(one, two) == pairs


@pytest.mark.parametrize("seed", SEEDS)
def test_failing_pairings_are_incomplete_and_had_several_void_games_in_a_row(
    seed: int,
) -> None:
    voids: Counter[int] = Counter()
    before: Counter[int] = Counter()
    played: set[int] = set()
    for tournament in happening(seed):
        for game in (tournament.voids - before).elements():
            voids[tournament.pairing_of(game).number] += 1
        for game in tournament.played.keys() - played:
            if tournament.played[game].replaced is None:
                voids[tournament.pairing_of(game).number] = 0
        before, played = tournament.voids.copy(), set(tournament.played)

        assert tournament.failing() == [
            pairing
            for number, pairing in tournament.pairings.items()
            if voids[number] >= VOIDS_IN_A_ROW and not is_complete(tournament, pairing)
        ]


def test_a_game_is_scheduled_once() -> None:
    book = Book("a b")
    pairing = book.pair(1, "a", "b", games=2)
    tournament = book.tournament
    again = pairing.model_copy(update={"number": 2})
    doubled = pairing.model_copy(update={"number": 3, "games": pairing.games[:1] * 2})

    for wrong in (pairing, again, doubled):
        with pytest.raises(ImpossibleEvent, match=f"pairing {wrong.number} or one of its games"):
            tournament.apply(Paired(pairings=(wrong,)))
    assert tournament.waiting() == list(pairing.games)


def test_void_attempts_of_a_game_are_counted_with_the_last_reason() -> None:
    book = Book("A B")
    book.pair(1, "A", "B", games=2)
    book.events += [
        Voided(game=1, why="The network was down."),
        Voided(game=1, why="The disk was full."),
    ]
    book.finish(1, "1")
    tournament = book.tournament
    assert (tournament.voids[1], tournament.void_reasons[1]) == (2, "The disk was full.")
    assert (tournament.voids[2], tournament.void_reasons.get(2)) == (0, None)
