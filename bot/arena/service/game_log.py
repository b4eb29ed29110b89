"""One line in the log for each game begun, each turn, and each game ended."""

from functools import lru_cache

import structlog

from bot.arena.model.game import Game
from bot.time_controls import TimeControl

log = structlog.get_logger()


def log_start(game: Game) -> None:
    log.info("game_started", **_facts(game))


def log_turn(game: Game) -> None:
    """The last turn of a game, with everything that one might look for later."""
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


def log_end(game: Game) -> None:
    """A finished game."""
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
