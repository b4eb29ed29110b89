"""The platform's players and games, without networks and without faults."""

import random
import uuid
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from bot.guests.abstract_play.rehearsal.game import (
    ClockTerms,
    GameState,
    IllegalMove,
    NotPlayed,
    Reason,
    Seat,
    Terms,
    begun,
    ended,
    played,
)


@dataclass(frozen=True, slots=True)
class SimulatedPlayer:
    player_id: str
    name: str
    is_bot: bool = False


@dataclass
class HostedGame:
    """A game now, and before its last change, which a late read still sees."""

    now: GameState
    before: GameState
    changed_at: int

    @property
    def terms(self) -> Terms:
        return self.now.terms

    @property
    def over(self) -> bool:
        return self.now.ending is not None

    @property
    def mover(self) -> str | None:
        """The id of the player to move."""
        seat = self.now.to_move
        return None if seat is None else self.terms.players[seat]


OnChange = Callable[[HostedGame, int], None]


class Site:
    """Calls its listeners after each change of a game, including its start."""

    def __init__(self, players: Iterable[SimulatedPlayer], rng: random.Random) -> None:
        self.players = {player.player_id: player for player in players}
        self.games: dict[str, HostedGame] = {}
        self.listeners: list[OnChange] = []
        self._rng = rng

    def new_id(self) -> str:
        return str(uuid.UUID(int=self._rng.getrandbits(128), version=4))

    def begin(
        self,
        meta: str,
        variants: tuple[str, ...],
        players: tuple[str, str],
        clock: ClockTerms,
        now: int,
        *,
        rated: bool = False,
    ) -> HostedGame:
        terms = Terms(self.new_id(), meta, variants, players, clock, rated, now)
        state = begun(terms)
        game = HostedGame(state, state, now)
        self.games[terms.game_id] = game
        self._tell(game, now)
        return game

    def running(self, meta: str | None = None) -> list[HostedGame]:
        return [
            game
            for game in self.games.values()
            if not game.over and meta in (None, game.terms.meta)
        ]

    def move(self, player_id: str, game_id: str, meta: str, text: str, now: int) -> HostedGame:
        """Play the text that a player typed.

        NotPlayed has the platform's sentence about why not.
        """
        game = self.games.get(game_id)
        if game is None or game.over or game.terms.meta != meta:
            raise NotPlayed(f"Unable to load game {game_id}")
        if player_id not in game.terms.players:
            raise NotPlayed(f"Bot {player_id} is not a player in game {game_id}")
        if game.mover != player_id:
            raise NotPlayed(f"It is not bot {player_id}'s turn in game {game_id}")
        self._change(game, _moved(game.now, text, now), now)
        return game

    def end(self, game: HostedGame, reason: Reason, loser: Seat | None, now: int) -> None:
        """End a running game otherwise than by its rules."""
        self._change(game, ended(game.now, reason, loser, now), now)

    def _change(self, game: HostedGame, state: GameState, now: int) -> None:
        game.before, game.now, game.changed_at = game.now, state, now
        self._tell(game, now)

    def _tell(self, game: HostedGame, now: int) -> None:
        for listener in self.listeners:
            listener(game, now)


def _moved(state: GameState, text: str, now: int) -> GameState:
    typed = "".join(text.split()).lower()
    if typed == "resign":
        return ended(state, "resign", state.to_move, now)
    if typed == "timeout":
        raise IllegalMove("Unable to apply move timeout")
    return played(state, typed, now)


# ---- as the platform writes games --------------------------------------------------------------


def listed(site: Site, game: HostedGame) -> dict[str, Any]:
    """Return a game as `games` lists it: without the moment of its last move."""
    state, terms = game.now, game.terms
    count = len(state.stack) - 1
    return {
        "id": terms.game_id,
        "metaGame": terms.meta,
        "players": _players(site, state),
        "toMove": _to_move(state),
        "gameStarted": terms.started,
        **({"numMoves": count} if count else {}),
        "variants": list(terms.variants),
        "commented": 0,
    }


def record(site: Site, state: GameState) -> dict[str, Any]:
    """Return a game as the answers of get_game and to a played move have it."""
    terms, ending = state.terms, state.ending
    count = len(state.stack) - 1
    fields: dict[str, Any] = {
        "sk": terms.game_id,
        "id": terms.game_id,
        "metaGame": terms.meta,
        "numPlayers": 2,
        "players": _players(site, state),
        "toMove": _to_move(state),
        "variants": list(terms.variants),
        "rated": terms.rated,
        "clockStart": terms.clock.start,
        "clockInc": terms.clock.inc,
        "clockMax": terms.clock.most,
        "clockHard": terms.clock.hard,
        "lastMoveTime": state.moved_at,
        "gameStarted": terms.started,
        "state": state.text,
    }
    if count:
        fields["numMoves"] = count
    if ending is not None:
        fields |= {"gameEnded": ending.at, "winner": list(ending.winners)}
    return fields


def _players(site: Site, state: GameState) -> list[dict[str, Any]]:
    return [
        {"id": player, "name": site.players[player].name, "time": time}
        for player, time in zip(state.terms.players, state.times, strict=True)
    ]


def _to_move(state: GameState) -> str:
    return "" if state.to_move is None else str(state.to_move)
