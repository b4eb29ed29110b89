"""Every kernel once: what has to run so that nothing is left to compile when a game is played."""

from collections.abc import Callable, Iterator

from engine.game import Game, game, play_out
from engine.rules import games
from engine.search.player import SearchEngine


def jobs() -> Iterator[tuple[str, Callable[[], object]]]:
    """For each game, a label and a call that compiles one part of it."""
    for info in games():
        chosen = game(info.name)
        yield f"{info.title}: rules", lambda chosen=chosen: _rules(chosen)  # type: ignore[misc]
        yield (
            f"{info.title}: playouts",
            lambda chosen=chosen: chosen.adapter.playout_runner(chosen.record, seed=1)(1),  # type: ignore[misc]
        )
        yield f"{info.title}: search", lambda chosen=chosen: SearchEngine().warm_up(chosen)  # type: ignore[misc]


def _rules(chosen: Game) -> None:
    last = play_out(chosen)
    next(chosen.start().play(last.turns[0]).legal_turns())
