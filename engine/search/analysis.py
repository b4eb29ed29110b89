"""Analysis of positions and of whole games: values, best lines, and what a turn gave away."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from engine.game import Game, Position
from engine.search.contract import Answer, InfoListener, Limits, OptionValue, Signals
from engine.search.player import SearchEngine

Progress = Callable[[int, int], None]
"""Called with the number of positions done and the number in all."""


@dataclass(frozen=True)
class TurnReview:
    """A turn of a game beside the turn that the search prefers; values (0 to 1) are the mover's.

    `value` is expected from `best` on, `value_after` from the turn that was played on.
    """

    number: int
    player: int
    turn: str
    best: str
    line: tuple[str, ...]
    value: float
    value_after: float

    @property
    def loss(self) -> float:
        """What the turn gave away; 0 for a turn that the search likes as much as its own."""
        return 0.0 if self.turn == self.best else max(0.0, self.value - self.value_after)


def configured(options: Mapping[str, OptionValue] | None) -> SearchEngine:
    """A search with these options set (`SearchEngine.options`)."""
    player = SearchEngine()
    for name, value in (options or {}).items():
        player.set_option(name, value)
    return player


def analyze(
    position: Position,
    limits: Limits,
    on_info: InfoListener,
    *,
    options: Mapping[str, OptionValue] | None = None,
    signals: Signals | None = None,
) -> Answer:
    """The value of a position that is not over, and its best turns with their lines, best first."""
    player = configured(options)
    player.set_position(position)
    return player.search(limits, on_info, signals or Signals())


def review(
    game: Game,
    turns: Sequence[str],
    limits: Limits,
    on_progress: Progress,
    *,
    options: Mapping[str, OptionValue] | None = None,
    signals: Signals | None = None,
) -> Iterator[TurnReview]:
    """Review a game turn by turn; `limits` are for each position.

    IllegalTurn is raised before the first search if the turns do not make a game.
    """
    positions = [game.start()]
    for turn in turns:
        positions.append(positions[-1].play(turn))
    return reviews(positions, limits, on_progress, configured(options), signals or Signals())


def reviews(
    positions: Sequence[Position],
    limits: Limits,
    on_progress: Progress,
    player: SearchEngine,
    signals: Signals,
) -> Iterator[TurnReview]:
    """The reviews of the turns between `positions`; ends early when it is told to stop."""
    before: Answer | None = None
    for number, position in enumerate(positions):
        after = None if position.over else search(player, position, limits, signals)
        if signals.stop.is_set():
            return
        on_progress(number + 1, len(positions))
        if before is not None:
            value = result_for_mover(position) if after is None else 1.0 - after.value
            yield turn_review(positions[number - 1], position.turns[-1], before, value)
        before = after


def search(player: SearchEngine, position: Position, limits: Limits, signals: Signals) -> Answer:
    """What the search says of one position."""
    player.set_position(position)
    return player.search(limits, lambda _: None, signals)


def result_for_mover(over: Position) -> float:
    """How a finished game ended for the player who made the last turn."""
    if over.winner is None:
        return 0.5
    return 0.0 if over.winner == over.to_play else 1.0


def turn_review(position: Position, turn: str, answer: Answer, value_after: float) -> TurnReview:
    """The review of `turn`, played in `position`, of which the search said `answer`."""
    return TurnReview(
        number=position.turn_number,
        player=position.to_play,
        turn=turn,
        best=answer.turn,
        line=answer.pv,
        value=answer.value,
        value_after=value_after,
    )
