"""Tournaments written down in few words."""

from collections.abc import Sequence

from bot.tournaments.events import Began, Event, Finished, Paired
from bot.tournaments.model import Bye, Entrant, Pairing, Reason, Result, ScheduledGame, Setup
from bot.tournaments.state import Tournament, replayed

SEAT: dict[str, int | None] = {"1": 1, "0": 2, "=": None}


def began(players: Sequence[str]) -> Began:
    return Began(
        name="test",
        entrants=tuple(Entrant(name=name) for name in players),
        setups=(Setup(game="bluestone", board="pent-6", rules="standard"),),
        seed=1,
        settings={},
        software="test",
    )


def result(mark: str, reason: Reason = "played_out") -> Result:
    """`1`, `0` or `=` as the first seat sees it."""
    return Result.model_validate({"winner": SEAT[mark], "reason": reason})


class Book:
    """Events as they come; games and pairings are numbered on."""

    def __init__(self, players: str) -> None:
        self.events: list[Event] = [began(players.split())]
        self._numbers = [0, 0, 0]

    @property
    def tournament(self) -> Tournament:
        return replayed(self.events)

    def pair(self, round_: int, one: str, other: str, games: int = 1) -> Pairing:
        """Seats change from game to game, two by two with one opening."""
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
        """A pairing and all of its games; each mark is as its own first seat sees it."""
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
