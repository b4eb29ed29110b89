"""The state of a tournament, computed from its events."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, assert_never

from bot.tournaments.agenda import Agenda, Meetings
from bot.tournaments.events import (
    Began,
    Ended,
    Entered,
    Event,
    Finished,
    Paired,
    Paused,
    Replaced,
    Resumed,
    Stopped,
    Voided,
    Withdrew,
)
from bot.tournaments.model import Bye, Entrant, GameResult, Pairing, ScheduledGame

VOIDS_IN_A_ROW: Final = 2
"""After this many void games in a row in one pairing, the pairing is stopped."""


class ImpossibleEvent(ValueError):
    """An event that contradicts those before it."""


@dataclass(frozen=True)
class PlayedGame:
    """A game that counts, with the result that counts."""

    scheduled: ScheduledGame
    result: GameResult
    game_id: str
    plies: int
    fingerprint: str
    replaced: str | None = None
    """Why the host replaced the result, if that happened."""
    before: GameResult | None = None
    """The result of the game itself, if the host replaced it."""

    @property
    def as_played(self) -> GameResult | None:
        """The result of the game itself; None if the game was not played."""
        return self.result if self.replaced is None else self.before

    @property
    def was_played(self) -> bool:
        """Whether two players met in it, whatever its result is now.

        False after a no-show, and for a result that the host gave without a game.
        """
        return self.result.reason != "no_show" and bool(self.game_id)

    @property
    def points(self) -> dict[str, float]:
        """The points of each of the two players, the first seat's first: 1, 0.5 or 0."""
        return {
            name: self.result.points(seat)
            for seat, name in enumerate(self.scheduled.seats, start=1)
        }


class Tournament:
    """Created from `Began` and changed only by `apply`; the host stores each event before."""

    def __init__(self, began: Began) -> None:
        self.began = began
        self.entrants: list[Entrant] = list(began.entrants)
        self.pairings: dict[int, Pairing] = {}
        self.byes: list[Bye] = []
        self.played: dict[int, PlayedGame] = {}
        self.withdrawn: dict[str, str] = {}
        self.stopped: dict[int, str] = {}
        self.voids: Counter[int] = Counter()
        """The number of void attempts of each game."""
        self.void_reasons: dict[int, str] = {}
        """The reason of the last void attempt of each game."""
        self.paused: str | None = None
        self.ended: str | None = None
        self.corrections = 0
        """Results given to games that were not waiting: replaced ones, or of a stopped pairing.
        Code that counts results incrementally starts from zero when this number grows.
        """
        self._pairing_of: dict[int, Pairing] = {}
        self._games: dict[int, ScheduledGame] = {}
        self._agenda = Agenda()
        self._meetings = Meetings()
        self._voids_in_a_row: Counter[int] = Counter()
        """The number of void games since the last finished one, by pairing."""

    # ---- the state -----------------------------------------------------------------------------

    @property
    def players(self) -> list[str]:
        """The players who have not withdrawn, in the initial order."""
        return [each.name for each in self.entrants if each.name not in self.withdrawn]

    @property
    def round(self) -> int:
        """The number of the last round that was paired; 0 before the first."""
        return self._meetings.last_round

    @property
    def next_numbers(self) -> tuple[int, int, int]:
        """The numbers of the next pairing, pair and game."""
        return len(self.pairings) + 1, self._meetings.last_pair + 1, len(self._games) + 1

    @property
    def left(self) -> Mapping[int, ScheduledGame]:
        """The games that are left to play, by number; some may be running.

        This is a live view, which changes with each event. `waiting` returns a copy.
        """
        return self._agenda.left

    def waiting(self) -> list[ScheduledGame]:
        """The games that are left to play, by number; some may be running."""
        return list(self._agenda.left.values())

    def busy(self) -> set[str]:
        """The players who have scheduled games left to play."""
        return self._agenda.busy()

    def games(self) -> Iterator[ScheduledGame]:
        """All scheduled games, played or not, by number."""
        yield from self._games.values()

    def games_between(self, one: str, two: str) -> Sequence[ScheduledGame]:
        """All scheduled games between the two players, by number."""
        return self._meetings.games_between(one, two)

    def pairs_between(self, one: str, two: str) -> Counter[int]:
        """The number of pairs of games of the two players on each setup."""
        return self._meetings.pairs_between(one, two)

    def pairing_of(self, game: int) -> Pairing:
        return self._pairing_of[game]

    def is_complete(self, pairing: Pairing) -> bool:
        """Whether the pairing has no game left to play."""
        return self._agenda.is_complete(pairing.number)

    def is_round_complete(self) -> bool:
        """Whether no pairing has a game left to play."""
        return not self._agenda.left

    def pairings_of_round(self, number: int) -> list[Pairing]:
        return self._meetings.of_round(number)

    def score(self, pairing: Pairing) -> tuple[float, float]:
        """The points of the two players in the games of the pairing."""
        points = dict.fromkeys(pairing.players, 0.0)
        for game in pairing.games:
            if (played := self.played.get(game.number)) is not None:
                for name, share in played.points.items():
                    points[name] += share
        one, two = pairing.players
        return points[one], points[two]

    def match_points(self, pairing: Pairing) -> tuple[float, float]:
        """The points of its two players for the pairing as a whole.

        The player with more points in its games gets 1, the other 0. Equal points give 0.5 each,
        also in a stopped pairing without a played game. If neither player came, both get 0.
        """
        one, two = self.score(pairing)
        if one != two:
            return float(one > two), float(two > one)
        return (0.0, 0.0) if self._both_were_absent(pairing) else (0.5, 0.5)

    def was_played(self, pairing: Pairing) -> bool:
        """Whether the two players met in at least one of its games."""
        games = (self.played.get(game.number) for game in pairing.games)
        return any(game is not None and game.was_played for game in games)

    def _both_were_absent(self, pairing: Pairing) -> bool:
        """Whether all its finished games are no-shows of both players."""
        results = [
            self.played[game.number].result for game in pairing.games if game.number in self.played
        ]
        return bool(results) and all(
            each.reason == "no_show" and each.winner is None for each in results
        )

    # ---- events --------------------------------------------------------------------------------

    def failing(self) -> list[Pairing]:
        """The incomplete pairings that must be stopped because of void games, by number."""
        return [
            self.pairings[number]
            for number, voids in sorted(self._voids_in_a_row.items())
            if voids >= VOIDS_IN_A_ROW and not self._agenda.is_complete(number)
        ]

    def apply(self, event: Event) -> None:
        """Apply an event. Raises ImpossibleEvent, and then leaves the tournament unchanged."""
        match event:
            case Began():
                raise ImpossibleEvent(f"`{event.kind}` can only be the first event")
            case Paired():
                self._pair(event)
            case Finished():
                self._finish(event)
            case Voided():
                self._void(event)
            case Stopped():
                self._stop(event)
            case Replaced():
                self._replace(event)
            case Entered():
                self._enter(event)
            case Withdrew():
                self._withdraw(event)
            case Paused():
                self.paused = event.why
            case Resumed():
                self.paused = None
            case Ended():
                self.ended = event.why
            case _:
                assert_never(event)

    def _pair(self, event: Paired) -> None:
        self._check_numbers(event)
        for pairing in event.pairings:
            self.pairings[pairing.number] = pairing
            self._agenda.add(pairing)
            self._meetings.add(pairing)
            for game in pairing.games:
                self._games[game.number] = game
                self._pairing_of[game.number] = pairing
        for bye in event.byes:
            self.byes.append(bye)
            self._meetings.reach(bye.round)

    def _finish(self, event: Finished) -> None:
        game = self._known(event.game)
        if (before := self.played.get(event.game)) is not None:
            if (before.result, before.fingerprint) == (event.result, event.fingerprint):
                return
            raise ImpossibleEvent(f"game {event.game} already has another result")
        self._voids_in_a_row.pop(self._pairing_of[event.game].number, None)
        self._has_result(event.game)
        self.played[event.game] = PlayedGame(
            game, event.result, event.game_id, event.plies, event.fingerprint
        )

    def _void(self, event: Voided) -> None:
        self._known(event.game)
        if event.game in self.played:
            raise ImpossibleEvent(f"game {event.game} already has a result and cannot be void")
        self.voids[event.game] += 1
        self.void_reasons[event.game] = event.why
        self._voids_in_a_row[self._pairing_of[event.game].number] += 1

    def _stop(self, event: Stopped) -> None:
        if event.pairing not in self.pairings:
            raise ImpossibleEvent(f"there is no pairing {event.pairing}")
        self.stopped.setdefault(event.pairing, event.why)
        for game in self.pairings[event.pairing].games:
            self._agenda.strike(game.number)

    def _replace(self, event: Replaced) -> None:
        game = self._known(event.game)
        before = self.played.get(event.game)
        result = GameResult(winner=event.winner, reason="replaced", message=event.why)
        game_id, plies, fingerprint = (
            ("", 0, "") if before is None else (before.game_id, before.plies, before.fingerprint)
        )
        self._has_result(event.game)
        first = None if before is None else before.as_played
        self.played[event.game] = PlayedGame(
            game, result, game_id, plies, fingerprint, event.why, first
        )

    def _enter(self, event: Entered) -> None:
        if event.entrant.name in {each.name for each in self.entrants}:
            raise ImpossibleEvent(f"{event.entrant.name} has already entered")
        self.entrants.append(event.entrant)

    def _withdraw(self, event: Withdrew) -> None:
        if event.player not in {each.name for each in self.entrants}:
            raise ImpossibleEvent(f"{event.player} is not an entrant")
        self.withdrawn.setdefault(event.player, event.why)

    def _has_result(self, number: int) -> None:
        if not self._agenda.strike(number):
            self.corrections += 1

    def _known(self, number: int) -> ScheduledGame:
        if number not in self._games:
            raise ImpossibleEvent(f"there is no game {number}")
        return self._games[number]

    def _check_numbers(self, event: Paired) -> None:
        names = {each.name for each in self.entrants}
        new: set[int] = set()
        for pairing in event.pairings:
            is_known = pairing.number in self.pairings
            for game in pairing.games:
                is_known |= game.number in self._games or game.number in new
                new.add(game.number)
            if is_known:
                raise ImpossibleEvent(
                    f"pairing {pairing.number} or one of its games already exists"
                )
            if unknown := set(pairing.players) - names:
                raise ImpossibleEvent(f"not an entrant: {', '.join(sorted(unknown))}")


def replayed(events: Iterable[Event]) -> Tournament:
    """The tournament after these events. Raises ImpossibleEvent."""
    each = iter(events)
    first = next(each, None)
    if not isinstance(first, Began):
        raise ImpossibleEvent("the first event of a tournament must be `began`")
    tournament = Tournament(first)
    for event in each:
        tournament.apply(event)
    return tournament
