"""Positions from games between different engines, with the results of these games."""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import engine
from bot.errors import HostError
from engine.contract import Choice, Engine, Limits, OptionValue, Signals
from engine.players.search import SearchEngine

MEGABYTES: Final = 64
MOST_RANDOM_TURNS: Final = 4
PER_GAME: Final = 4
"""Positions taken from a game. More would add little, because all have the same result."""
MOST_FRUITLESS: Final = 50
"""Consecutive games without a usable position after which the measurement fails."""


@dataclass(frozen=True)
class Contestant:
    """The built-in engine with some options, and its playouts per turn."""

    playouts: int
    options: Mapping[str, OptionValue] = field(default_factory=dict)


ALIKE: Final = (Contestant(1_000), Contestant(1_000, {"Network": False}))
"""With the network and without it."""
DIFFERENT: Final = (
    *ALIKE,
    Contestant(200),
    Contestant(4_000, {"Network": False}),
    Contestant(1_000, {"Network": False, "Knowledge": False}),
    Contestant(1_000, {"Level": 7}),
    Contestant(1_000, {"Level": 5, "Network": False}),
    Contestant(1_000, {"Level": 4}),
)
"""From strong engines to weak ones."""


@dataclass(frozen=True)
class Sample:
    """A position that is not over, and the result of its player to move: 1, 0 or a half."""

    position: engine.Position
    result: float
    game: int


def sample_positions(
    game: engine.Game, count: int, contestants: Sequence[Contestant], seed: int
) -> Iterator[Sample]:
    """Yield `count` positions from as many games as needed; the same ones for the same seed.

    Each game is between two other contestants, and starts with some random turns. Positions whose
    result the engine to move had proved are left out, because any forecast of them is exact. Raises
    HostError if no other positions are left.
    """
    players = [built_in(each.options) for each in contestants]
    number = last_fruitful = 0
    while count > 0:
        chance = random.Random(f"{seed} {number}")
        pair = chance.sample(range(len(players)), 2)
        open_ones, last = _play(game, pair, players, contestants, chance)
        for position in chance.sample(open_ones, min(PER_GAME, count, len(open_ones))):
            yield Sample(position, result_for(position.to_play, last), number)
            count -= 1
            last_fruitful = number
        number += 1
        if number - last_fruitful > MOST_FRUITLESS:
            raise HostError(f"{game.board.name}: engines know the result of all its positions")


def result_for(player: int, last: engine.Position) -> float:
    """Return a player's result of a finished game."""
    return 0.5 if last.winner is None else float(last.winner == player)


def search(player: Engine, position: engine.Position, playouts: int) -> Choice:
    """Search with this number of playouts and return the engine's choice."""
    player.set_position(position)
    return player.search(Limits(nodes=playouts), _ignore, Signals())


def built_in(options: Mapping[str, OptionValue]) -> SearchEngine:
    """Return the built-in engine in this process. Searches by playouts need no deadline."""
    player = SearchEngine()
    for name, value in {"Hash": MEGABYTES, **options}.items():
        player.set_option(name, value)
    return player


def _play(
    game: engine.Game,
    pair: Sequence[int],
    players: Sequence[Engine],
    contestants: Sequence[Contestant],
    chance: random.Random,
) -> tuple[list[engine.Position], engine.Position]:
    """Return the positions that the player to move had not solved, and the last position."""
    position, open_ones = game.start(), list[engine.Position]()
    for _ in range(chance.randint(1, MOST_RANDOM_TURNS)):
        if not position.over:
            position = position.play(position.likely_turn(chance))
    for place in pair:
        players[place].set_option("Seed", chance.getrandbits(32))
    while not position.over:
        place = pair[position.to_play - 1]
        choice = search(players[place], position, contestants[place].playouts)
        if not is_proved(choice):
            open_ones.append(position)
        position = position.play(choice.turn)
    return open_ones, position


def is_proved(choice: Choice) -> bool:
    """Return whether the engine has proved the result of its turn."""
    return bool(choice.candidates) and choice.candidates[0].result is not None


def _ignore(_: object) -> None:
    """Ignore reports during a search."""
