"""The rules for the arena: setups, turns, and the view of a position for pages.

Turns and positions come from `engine`; nothing here depends on a particular game.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, cast

import engine
from bot import wire
from bot.arena.games.rated_play import RatedPlay
from bot.arena.refusals import Refused, sentence
from bot.records.model import refused_option, score_lists
from bot.runtime.bounded import BoundedMemory
from bot.wire import clocks

VIEWS_BYTES: Final = 24_000_000
"""For the legal steps of positions. On a board without an edge, 100,000 steps may be legal."""
VIEW_BYTES: Final = 1_500
STEP_BYTES: Final = 80
"""The name of a step in a list."""
ILLEGAL_BYTES: Final = 110
"""The name of an illegal step in a dictionary."""
REASON_BYTES: Final = 1_000
NEEDS_SECOND_STONE: Final = "two-stones"
"""The rule that a turn of one stone breaks although its stone is legal."""


def game_of(setup: wire.GameSetup) -> engine.Game:
    """The game of a setup. Raises Refused, which names the known ones, if it does not exist."""
    return _game(setup.game, setup.board, setup.rules, setup.options)


def game_for(setup: wire.AnalysisSetup) -> engine.Game:
    """The game of an analysis. Raises Refused, which names the known ones, if it does not exist."""
    return _game(setup.game, setup.board, setup.rules, setup.options)


def settled(setup: wire.OfferedSetup) -> wire.GameSetup:
    """Return the complete setup for a player's request, spelled as the game spells it.

    Options with their default value are left out. Raises Refused, naming the known ones, if there
    is no such game.
    """
    game = _game(setup.game, setup.board, setup.rules, setup.options)
    return wire.GameSetup(
        game=game.name,
        board=game.board.name,
        rules=game.rule_set,
        options=option_texts(dict(game.options)),
        clock=clocks.settled(setup.clock),
        rated=setup.rated,
    )


@dataclass(frozen=True)
class Menu:
    """The games that players of this arena may start, and the clocks that pages suggest."""

    games: tuple[engine.GameInfo, ...]
    clocks: tuple[str, ...]
    rated_play: RatedPlay = field(default_factory=RatedPlay)

    def settled(self, setup: wire.OfferedSetup) -> wire.GameSetup:
        """The complete setup, with defaults filled in. Raises Refused if it is not offered."""
        chosen = settled(setup)
        offered = [info.name for info in self.games]
        if chosen.game not in offered:
            known = ", ".join(offered)
            raise Refused("unknown_game", f"{chosen.game} is not offered here; known: {known}.")
        if not _ends(game_of(chosen)):
            words = "A game without an edge needs a limit of turns on this arena: cap, from 1."
            raise Refused("unknown_game", words)
        self.rated_play.ratings.check_setup(chosen)
        return chosen


def _ends(game: engine.Game) -> bool:
    """Whether the rules end every game. Without that, two players could fill the arena's memory."""
    return game.board.is_bounded or game.all_options.get("cap") != 0


def option_texts(options: Mapping[str, int | str]) -> dict[str, str]:
    """Options as in messages: each value as text."""
    return {name: str(value) for name, value in options.items()}


def game_on(game: str, board: str | None) -> engine.Game:
    """A game on one of its boards, by default the usual one.

    Raises Refused, which names the known ones, if the game or the board does not exist.
    """
    return _game(game, board, None, {})


def _game(
    name: str, board: str | None, rules: str | None, options: Mapping[str, str]
) -> engine.Game:
    try:
        return engine.game_of(name, board, rules, options)
    except engine.UnknownGame as error:
        raise Refused("unknown_game", sentence(refused_option(name, error))) from error


def play(position: engine.Position, turn: str) -> engine.Position:
    """The position after a turn. Raises Refused, with the broken rule, if it is illegal."""
    try:
        return position.play(turn)
    except engine.IllegalTurn as error:
        raise _illegal_turn(error) from error


def replay(setup: wire.GameSetup, turns: list[str]) -> engine.Position:
    """The position after `turns`. Raises Refused as `play` does."""
    try:
        return game_of(setup).replay(turns)
    except engine.IllegalTurn as error:
        raise _illegal_turn(error) from error


def _illegal_turn(error: engine.IllegalTurn) -> Refused:
    return Refused("illegal_turn", sentence(error.reason), error.rule)


def seat(number: int) -> wire.Seat:
    """A player's number as the type that messages use."""
    return 1 if number == 1 else 2


def view(position: engine.Position) -> wire.PositionView:
    """A position as messages show it."""
    # This runs for every turn, and every value comes from our own code: validation is skipped.
    return wire.PositionView.model_construct(
        ply=len(position.turns),
        to_play=seat(position.to_play),
        stones=cast("dict[str, tuple[wire.Seat, int]]", position.stones),
        last=_last_cells(position),
        captured=list(position.captured),
        marks=dict(position.marks),
        scores=score_lists(position),
        over=position.over,
        winner=None if position.winner is None else seat(position.winner),
        early_end=_early_end(position.early_end),
    )


def _early_end(end: engine.EarlyEnd | None) -> wire.EarlyEnd | None:
    if end is None:
        return None
    return wire.EarlyEnd.model_construct(
        winner=seat(end.winner), assured=end.assured, potential=end.potential
    )


def tally(position: engine.Position) -> str:
    """Both scores in words, the winner's first, and the tie-break if they are equal."""
    info = position.game.info
    first, second = (", ".join(map(str, scores)) for scores in score_lists(position))
    if position.final_winner == 2:
        first, second = second, first
    counted = first
    if info.counted is not None:
        noun, of, rest = info.counted.partition(" in ")  # such as "stone in a row"
        counted = f"{first} {noun}{'' if first == '1' else 's'}{of}{rest}"
    is_decided = position.winner is not None and first == second
    decided_by = dict(info.ties).get(position.game.rule_set) if is_decided else None
    tie = "" if decided_by is None else f", and {decided_by}"
    return f"{counted} against {second}{tie}"


def _last_cells(position: engine.Position) -> list[str]:
    if not position.turns:
        return []
    return [placed.cell for placed in position.game.placements(position.turns[-1])]


def legal_view(
    position: engine.Position, chosen: tuple[str, ...], about: str | None = None
) -> wire.LegalView:
    """The steps of a turn that may follow `chosen`, and why the others may not.

    On an unbounded board nearly all cells are illegal: the answer explains those with stones, and
    the step `about`. Raises Refused, with the broken rule, if no turn begins with `chosen`.
    """
    key = (*key_of(position.game, position.turns), "", *chosen)
    known = _views.get(key)
    if known is None:
        known = _viewed(position, chosen)
        _views.put(key, known)
    else:
        _views.refresh(key)
    if about is None or about in known.legal or about in known.illegal:
        return known
    try:
        position.play(",".join((*chosen, about)))
    except engine.IllegalTurn as error:
        reason = {about: _as_message(error.rule, error.reason)}
        return known.model_copy(update={"illegal": known.illegal | reason})
    return known


def _viewed(position: engine.Position, chosen: tuple[str, ...]) -> wire.LegalView:
    found = position.choices(chosen)
    if chosen and not (found.legal or found.complete):
        _check_begun(position, chosen)
    return wire.LegalView(
        ply=len(position.turns),
        legal=list(found.legal),
        illegal={step: _as_message(why.rule, why.reason) for step, why in found.illegal.items()},
        complete=found.complete,
        may_pass=found.may_pass,
        captured=list(found.captured),
    )


def _check_begun(position: engine.Position, chosen: tuple[str, ...]) -> None:
    """Raise Refused if the chosen steps are illegal, not merely fewer than a turn needs."""
    try:
        position.play(",".join(chosen))
    except engine.IllegalTurn as error:
        if error.rule != NEEDS_SECOND_STONE:
            raise _illegal_turn(error) from error


def view_bytes(view: wire.LegalView) -> int:
    """About how many bytes legal steps take."""
    steps = len(view.legal) + len(view.captured)
    reasons = {id(each) for each in view.illegal.values()}  # many cells have the same
    return (
        VIEW_BYTES
        + STEP_BYTES * steps
        + ILLEGAL_BYTES * len(view.illegal)
        + REASON_BYTES * len(reasons)
    )


_views: Final = BoundedMemory[tuple[str, ...], wire.LegalView](VIEWS_BYTES, view_bytes)


def key_of(game: engine.Game, turns: Iterable[str]) -> tuple[str, ...]:
    """A key for a position, without the objects of the game."""
    options = (f"{name}={value}" for name, value in game.options)
    return (game.name, game.board.name, game.rule_set, *options, "", *turns)


@lru_cache(maxsize=512)
def _as_message(rule: str, reason: str) -> wire.Illegal:
    """Cached, because often the same reason holds for many cells."""
    return wire.Illegal(rule=rule, message=sentence(reason))
