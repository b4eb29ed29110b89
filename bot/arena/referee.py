"""The rules, as the arena needs them: setups, turns and what pages show of a position.

Only this module asks `engine` about play; nothing here knows a particular game.
"""

from functools import lru_cache
from typing import Final

import engine
from bot import wire
from bot.arena.refusals import Refused

RESERVED_OPTIONS: Final = frozenset({"name", "board", "rules"})
"""Words that no game option can be called: `engine.game` takes them for something else."""
NEEDS_SECOND_STONE: Final = "two-stones"
"""The rule that a first stone breaks when it stands alone: the stone itself is fine."""


def game_of(setup: wire.GameSetup) -> engine.Game:
    """The game of a setup; Refused, with the known ones, if there is none."""
    if taken := RESERVED_OPTIONS & setup.options.keys():
        raise Refused("unknown_game", f"Unknown option {min(taken)!r}.")
    try:
        return engine.game(setup.game, board=setup.board, rules=setup.rules, **setup.options)
    except engine.UnknownGame as error:
        raise Refused("unknown_game", _sentence(str(error))) from error


def board_of(game: str, board: str) -> engine.Board:
    """The board of a game; Refused, with the known ones, if there is none."""
    try:
        return engine.game(game, board=board).board
    except engine.UnknownGame as error:
        raise Refused("unknown_game", _sentence(str(error))) from error


def play(position: engine.Position, turn: str) -> engine.Position:
    """The position after a turn; Refused, with the broken rule, if it is not legal."""
    try:
        return position.play(turn)
    except engine.IllegalTurn as error:
        raise Refused("illegal_turn", _sentence(error.reason), error.rule) from error


def replay(setup: wire.GameSetup, turns: list[str]) -> engine.Position:
    """The position after `turns`."""
    position = game_of(setup).start()
    for turn in turns:
        position = play(position, turn)
    return position


def canonical(turn: str) -> str:
    """A turn string as `engine` keeps it."""
    return "".join(turn.split()).lower()


def cells_of(turn: str) -> list[str]:
    """The cells that a turn in canonical form names."""
    return [] if turn == "pass" else turn.split(",")


def seat(number: int) -> wire.Seat:
    """A player's number as the type that messages use."""
    return 1 if number == 1 else 2


def view(position: engine.Position) -> wire.PositionView:
    """A position as a page draws it."""
    one, two = position.scores
    return wire.PositionView(
        ply=len(position.turns),
        to_play=seat(position.to_play),
        stones={cell: (seat(stone.player), stone.kind) for cell, stone in position.stones.items()},
        last=cells_of(position.turns[-1]) if position.turns else [],
        captured=list(position.captured),
        scores=(_scores(one), _scores(two)),
        over=position.over,
        winner=None if position.winner is None else seat(position.winner),
    )


@lru_cache(maxsize=512)
def legal_view(position: engine.Position, chosen: tuple[str, ...]) -> wire.LegalView:
    """Which cells may be chosen after `chosen`, and why not the others."""
    legal: list[str] = []
    illegal: dict[str, wire.Illegal] = {}
    captures: list[set[str]] = []
    for cell in position.game.board.cells:
        try:
            captures.append(set(position.play(",".join((*chosen, cell))).captured))
            legal.append(cell)
        except engine.IllegalTurn as error:
            if not chosen and error.rule == NEEDS_SECOND_STONE:
                legal.append(cell)
            else:
                illegal[cell] = wire.Illegal(rule=error.rule, message=_sentence(error.reason))
    whole = _captured_by(position, chosen)
    # A first stone that is no turn alone clears what every turn that begins with it clears.
    shared = set.intersection(*captures) if chosen and captures else set[str]()
    cleared = shared if whole is None else whole
    return wire.LegalView(
        ply=len(position.turns),
        legal=legal,
        illegal=illegal,
        complete=whole is not None,
        captured=[cell for cell in position.game.board.cells if cell in cleared],
    )


def _captured_by(position: engine.Position, chosen: tuple[str, ...]) -> set[str] | None:
    """The cells that a turn clears; None if it is no legal turn."""
    if not chosen:
        return None
    try:
        return set(position.play(",".join(chosen)).captured)
    except engine.IllegalTurn:
        return None


def _scores(scores: int | tuple[int, ...]) -> list[int]:
    """A list, also in games whose score is one number."""
    return [scores] if isinstance(scores, int) else list(scores)


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:].rstrip('.')}."
