"""A running game as messages and log lines show it."""

from datetime import datetime
from functools import lru_cache
from typing import NamedTuple

import structlog

from bot import wire
from bot.arena.arena_clock import ArenaClock
from bot.arena.games.game import Game
from bot.arena.players.presence import Presence
from bot.time_controls import TimeControl

log = structlog.get_logger()


def log_start(game: Game) -> None:
    log.info("game_started", **_facts(game))


def log_turn(game: Game) -> None:
    """Log the last turn of a game."""
    played = game.turns[-1]
    log.info(
        "turn",
        **_facts(game),
        ply=game.ply - 1,
        player=game.players[(game.ply - 1) % 2].name,
        turn=played.turn,
        captured=len(played.captured),
        time_ms=played.time_ms,
        clock_ms=played.clock.main_ms,
        value=played.info and played.info.value,
        source=played.info and played.info.source,
    )


def log_takeback(old: Game, game: Game) -> None:
    """Log that turns of `old` were taken back."""
    log.info("takeback", **_facts(game), plies=game.ply, turns=old.ply - game.ply)


def log_end(game: Game) -> None:
    """Log the end of a game."""
    assert game.result is not None
    assert game.ended_at is not None
    log.info(
        "game",
        **_facts(game),
        plies=game.ply,
        winner=game.result.winner,
        reason=game.result.reason,
        scores=game.view.scores,
        duration_s=round((game.ended_at - game.created_at).total_seconds(), 1),
    )


@lru_cache(maxsize=256)
def _clock_text(clock: TimeControl) -> str:
    return str(clock)


def _facts(game: Game) -> dict[str, object]:
    setup = game.setup
    return {
        "platform": "arena",
        "game": game.game_id,
        "rules": f"{setup.game} {setup.board} {setup.rules}",
        "clock": _clock_text(setup.clock),
        "players": [player.name for player in game.players],
    }


def state_of(game: Game, presence: Presence, clock: ArenaClock) -> wire.GameState:
    """The whole state of a game now."""
    return _state_at(game, _now(game, presence, clock))


class _Now(NamedTuple):
    """What changes of a game as time passes."""

    connected: tuple[bool, bool]
    clocks: wire.ClockView
    server_time: datetime


def _now(game: Game, presence: Presence, clock: ArenaClock) -> _Now:
    one, two = game.players
    connected = presence.is_here(one.name), presence.is_here(two.name)
    return _Now(connected, _clocks(game, clock), clock.wall())


def _state_at(game: Game, now: _Now) -> wire.GameState:
    is_open = shows_lines(game)
    # This runs for every turn, and its parts are valid: validation is skipped.
    return wire.GameState.model_construct(
        game_id=game.game_id,
        revision=game.revision,
        sub_revision=game.sub_revision,
        digest=game.digest,
        setup=game.setup,
        players=game.players,
        connected=now.connected,
        state="playing" if game.result is None else "finished",
        turns=[played if is_open else played.without_line for played in game.turns],
        to_play=game.to_play,
        position=game.view,
        clocks=now.clocks,
        draw_offer=game.draw_offer,
        takeback_offer=game.takeback_offer,
        takebacks=game.takebacks,
        abort_offer=game.abort_offer,
        hints=game.hints,
        spectators=game.spectators,
        result=game.result,
        tournament=game.tournament,
        created_at=game.created_at,
        server_time=now.server_time,
    )


def _change_at(old: Game, game: Game, now: _Now) -> wire.GameChange:
    """What has changed since `old`, at most one turn earlier."""
    has_turn = game.ply > old.ply
    played = game.turns[-1] if has_turn else None
    return wire.GameChange.model_construct(  # as in `_state_at`
        game_id=game.game_id,
        revision=game.revision,
        sub_revision=game.sub_revision,
        ply=game.ply,
        follows=old.digest,
        digest=game.digest,
        turn=played if played is None or shows_lines(game) else played.without_line,
        position=wire.position_change(old.view, game.view) if has_turn else None,
        connected=now.connected,
        clocks=now.clocks,
        draw_offer=game.draw_offer,
        takeback_offer=game.takeback_offer,
        abort_offer=game.abort_offer,
        hints=game.hints,
        spectators=game.spectators,
        server_time=now.server_time,
    )


class GameNews:
    """A game that has started, or changed since `old`; see `bot.arena.announcer.GameNews`.

    Both forms show the moment when it was made.
    """

    def __init__(
        self, game: Game, presence: Presence, clock: ArenaClock, old: Game | None = None
    ) -> None:
        self._game = game
        self._old = old
        self._now = _now(game, presence, clock)
        self.game_id = game.game_id
        self.names = [player.name for player in game.players]
        self.revision = game.revision
        self.plies = game.ply
        self.is_over = game.result is not None
        self.has_change = old is not None and not self.is_over and game.ply >= old.ply

    def whole(self) -> str:
        """The whole game, as JSON."""
        return _state_at(self._game, self._now).as_json()

    def change(self) -> str:
        """The change since the last news, as JSON."""
        assert self._old is not None
        return _change_at(self._old, self._game, self._now).model_dump_json()


def shows_lines(game: Game) -> bool:
    """Return whether all may see what engines expect of the game.

    A bot's value and line of a running game would advise the person against whom it plays: the
    second turn of the line is the bot's own best answer for the opponent.
    """
    return game.result is not None or all(player.kind == "bot" for player in game.players)


def _clocks(game: Game, clock: ArenaClock) -> wire.ClockView:
    view = game.clock_view(clock.monotonic())
    return view.model_copy(update={"running": None}) if clock.is_paused else view


def participants(game: Game) -> tuple[str | None, tuple[str, str]]:
    """The id of a game's tournament, and the names of its players."""
    one, two = game.players
    tournament_id = None if game.tournament is None else game.tournament.tournament_id
    return tournament_id, (one.name, two.name)


def summary_of(game: Game) -> wire.GameSummary:
    """A game as one line of a list."""
    return wire.GameSummary(
        game_id=game.game_id,
        setup=game.setup,
        players=game.players,
        state="playing" if game.result is None else "finished",
        plies=game.ply,
        result=game.result,
        tournament=game.tournament,
        created_at=game.created_at,
        ended_at=game.ended_at,
    )
