"""A game that the built-in engine plays against itself: the same turns each time."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import engine
from bot import wire
from bot.engines.spec import EngineSpec
from bot.terminal.analysis import SearchEffort, analyst

SEARCH_S: Final = 3600.0


@dataclass(frozen=True)
class ScriptedGame:
    """A game with the engine's evaluation of each turn."""

    game: engine.Game
    turns: Sequence[str]
    infos: Sequence[wire.TurnInfo]

    def play(self, state: wire.GameState, stop: int) -> wire.PlayTurn | None:
        """The next turn, unless `stop` turns were made."""
        ply = len(state.turns)
        if ply >= min(stop, len(self.turns)):
            return None
        return wire.PlayTurn(
            v=wire.VERSION,
            game_id=state.game_id,
            ply=ply,
            turn=self.turns[ply],
            info=self.infos[ply],
        )


def scripted_game(game: engine.Game, nodes: int) -> ScriptedGame:
    """A game of the built-in engine against itself, with `nodes` playouts a turn."""
    position, infos = game.start(), []
    with analyst(EngineSpec(options={"Seed": "1"}), game) as player:
        while not position.over:
            found = player.analyse(position, SearchEffort(SEARCH_S, nodes), lambda *_: None)
            best = found.lines[0]
            infos.append(
                wire.TurnInfo(
                    value=best.value, visits=best.visits, pv=list(best.pv), source="engine"
                )
            )
            position = position.play(best.turn)
    return ScriptedGame(game, position.turns, infos)
