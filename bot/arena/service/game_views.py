"""A game as messages show it."""

from bot import wire
from bot.arena.model.game import Game
from bot.arena.service.arena_clock import ArenaClock
from bot.arena.service.presence import Presence


def state_of(game: Game, presence: Presence, clock: ArenaClock) -> wire.GameState:
    """Everything about a game, at this moment."""
    one, two = (presence.is_here(player.name) for player in game.players)
    # Made for every turn of parts that are checked already.
    return wire.GameState.model_construct(
        game_id=game.game_id,
        revision=game.revision,
        sub_revision=game.sub_revision,
        digest=game.digest,
        setup=game.setup,
        players=game.players,
        connected=(one, two),
        state="playing" if game.result is None else "finished",
        turns=list(game.turns),
        to_play=game.to_play,
        position=game.view,
        clocks=_clocks(game, clock),
        draw_offer=game.draw_offer,
        result=game.result,
        tournament=game.tournament,
        created_at=game.created_at,
        server_time=clock.wall(),
    )


def _clocks(game: Game, clock: ArenaClock) -> wire.ClockView:
    view = game.clock_view(clock.monotonic())
    return view.model_copy(update={"running": None}) if clock.stands else view


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
