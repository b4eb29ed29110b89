"""What an engine is asked about a game, and what its answer becomes."""

import structlog

import engine
from bot.clock import Moment, TimePolicy, expected_turns_left, turn_budget
from bot.engines.pool import Answer, Question
from bot.journal import Chosen
from bot.platforms.base import GameFacts, TurnInfo

log = structlog.get_logger()


def question_of(
    facts: GameFacts, position: engine.Position, policy: TimePolicy, elapsed_ms: int
) -> Question:
    """The turn that is due; `elapsed_ms` have gone by since the facts arrived."""
    setup = facts.setup
    return Question(
        game_id=facts.game_id,
        game=setup.game,
        board=setup.board,
        rules=setup.rules,
        options=dict(setup.options),
        turns=tuple(played.turn for played in facts.turns),
        budget=turn_budget(policy, _moment(facts, position, elapsed_ms)),
    )


def _moment(facts: GameFacts, position: engine.Position, elapsed_ms: int) -> Moment:
    empty_cells = len(position.game.board.cells) - len(position.stones)
    return Moment(
        control=facts.setup.control,
        clocks=facts.clocks,
        to_play=facts.to_play,
        elapsed_ms=elapsed_ms,
        turn_number=position.turn_number,
        turns_left=expected_turns_left(empty_cells),
    )


def chosen_of(position: engine.Position, answer: Answer) -> Chosen:
    turn = _legal_turn(position, answer.turn)
    return Chosen(turn, TurnInfo(answer.value, answer.visits, tuple(answer.pv), answer.source))


def _legal_turn(position: engine.Position, turn: str) -> str:
    """The pool promises a legal turn; a broken promise must not cost the game."""
    if position.is_legal(turn):
        return turn
    log.error("illegal_answer", turn=turn)
    return next(position.legal_turns())


def same_position(one: GameFacts, other: GameFacts) -> bool:
    """Whether a turn for `other` is still of use when `one` is newer."""
    if one.outcome is not None or one.ply != other.ply:
        return False
    return all(a.turn == b.turn for a, b in zip(one.turns, other.turns, strict=True))
