"""The turns of scripted players, found with the rules; always the same for the same game."""

import random

import engine
from bot import wire

INFO = wire.TurnInfo(value=0.625, visits=1234, source="engine")


def position_of(state: wire.GameState) -> engine.Position:
    """The position that a state's turns lead to."""
    setup = state.setup
    game = engine.game_of(setup.game, setup.board, setup.rules, setup.options)
    position = game.start()
    for played in state.turns:
        position = position.play(played.turn)
    return position


def fixed_turn(position: engine.Position) -> str:
    """A legal turn that depends only on the position."""
    chance = random.Random(f"{position.game.board.name} {position.turns}")
    turns = [turn for turn in position.legal_turns() if turn != "pass"]
    return chance.choice(turns) if turns else "pass"


def play_fixed(state: wire.GameState) -> wire.PlayTurn:
    """The fixed turn as a message, with an engine's evaluation."""
    position = position_of(state)
    turn = fixed_turn(position)
    following = position.play(turn)
    line = [turn] if following.over else [turn, fixed_turn(following)]
    return wire.PlayTurn(
        v=wire.VERSION,
        game_id=state.game_id,
        ply=len(state.turns),
        turn=turn,
        info=INFO.model_copy(update={"pv": line}),
    )


def wait(_state: wire.GameState) -> None:
    """Play nothing; the test sends turns itself."""
