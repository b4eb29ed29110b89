"""Short ways to write the events of tournaments, and the simplest format."""

from collections.abc import Collection, Sequence

from bot.tournaments.events import Began, Event, Finished, Paired
from bot.tournaments.formats.base import Draw
from bot.tournaments.model import (
    Bye,
    Entrant,
    GameResult,
    MatchSetup,
    Pairing,
    Reason,
    ScheduledGame,
)
from bot.tournaments.state import Tournament, replayed

SEAT: dict[str, int | None] = {"1": 1, "0": 2, "=": None}


def began(players: Sequence[str]) -> Began:
    return Began(
        name="test",
        entrants=tuple(Entrant(name=name) for name in players),
        setups=(MatchSetup(game="bluestone", board="pent-6", rules="standard"),),
        seed=1,
        settings={},
        software="test",
    )


def result(mark: str, reason: Reason = "played_out") -> GameResult:
    """The result `1`, `0` or `=`, from the view of the first seat."""
    return GameResult.model_validate({"winner": SEAT[mark], "reason": reason})


class Book:
    """The events of a tournament, in order; it numbers games and pairings."""

    def __init__(self, players: str) -> None:
        self.events: list[Event] = [began(players.split())]
        self._numbers = [0, 0, 0]

    @property
    def tournament(self) -> Tournament:
        return replayed(self.events)

    def pair(self, round_: int, one: str, other: str, games: int = 1) -> Pairing:
        """Pair two players. Two games in a row share an opening, with the seats swapped."""
        number = self._next(0)
        scheduled = []
        for place in range(games):
            pair = self._numbers[1] if place % 2 else self._next(1)
            seats = (other, one) if place % 2 else (one, other)
            scheduled.append(ScheduledGame(number=self._next(2), pair=pair, seats=seats))
        pairing = Pairing(number=number, round=round_, players=(one, other), games=tuple(scheduled))
        self.events.append(Paired(pairings=(pairing,)))
        return pairing

    def finish(
        self, game: int, mark: str, reason: Reason = "played_out", fingerprint: str | None = None
    ) -> None:
        self.events.append(
            Finished(
                game=game,
                game_id=f"game-{game}",
                result=result(mark, reason),
                plies=0 if reason == "no_show" else 30,
                fingerprint=fingerprint or f"turns-{game}",
            )
        )

    def play(
        self, round_: int, one: str, marks: str, other: str, reason: Reason = "played_out"
    ) -> Pairing:
        """Pair two players and finish all games; a mark is from the view of its first seat."""
        pairing = self.pair(round_, one, other, len(marks))
        for game, mark in zip(pairing.games, marks, strict=True):
            self.finish(game.number, mark, reason)
        return pairing

    def bye(self, round_: int, player: str, points: float = 1.0) -> None:
        bye = Bye(round=round_, player=player, points=points)
        self.events.append(Paired(pairings=(), byes=(bye,)))

    def _next(self, place: int) -> int:
        self._numbers[place] += 1
        return self._numbers[place]


class Rounds:
    """The simplest format: `rounds` rounds of one pairing, one after the other."""

    def __init__(self, rounds: int) -> None:
        self._rounds = rounds

    def due(self, tournament: Tournament, free: Collection[str]) -> Draw | None:
        del free
        if tournament.round == self._rounds or not tournament.is_round_complete():
            return None
        return Draw(tournament.round + 1, (("A", "B"),))

    def is_over(self, tournament: Tournament) -> bool:
        return tournament.round == self._rounds and tournament.is_round_complete()
