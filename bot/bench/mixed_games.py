"""Positions from games between engines that differ, and how those games ended."""

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
"""Positions taken from a game: more would say little, as all have the same result."""
MOST_FRUITLESS: Final = 50
"""Games one after the other from which no position can be taken."""


@dataclass(frozen=True)
class Contestant:
    """The built-in engine with some options, and its playouts a turn."""

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
"""From strong ones to those that judge coarsely."""


@dataclass(frozen=True)
class Sample:
    """A position that is not over, and what its player to move got: 1, 0 or a half."""

    position: engine.Position
    result: float
    game: int


def sample_positions(
    game: engine.Game, count: int, contestants: Sequence[Contestant], seed: int
) -> Iterator[Sample]:
    """Yield `count` positions from as many games as needed; the same ones for the same seed.

    Each game is between two other contestants, and begins with some random turns. Left out are
    positions whose result the engine to move had proved, since any forecast of them is exact.
    Raises HostError if all are.
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
    """What a finished game brought that player."""
    return 0.5 if last.winner is None else float(last.winner == player)


def search(player: Engine, position: engine.Position, playouts: int) -> Choice:
    """What the engine chooses and states after this number of playouts."""
    player.set_position(position)
    return player.search(Limits(nodes=playouts), _ignore, Signals())


def built_in(options: Mapping[str, OptionValue]) -> SearchEngine:
    """The built-in engine in this process; searches of a number of playouts need no deadline."""
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
    """The positions that the players had before them and had not solved, and the end."""
    position, open_ones = game.start(), list[engine.Position]()
    for _ in range(chance.randint(1, MOST_RANDOM_TURNS)):
        if not position.over:
            position = position.play(position.random_turn(chance))
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
    """Whether the engine knows what its turn leads to."""
    return bool(choice.candidates) and choice.candidates[0].result is not None


def _ignore(_: object) -> None:
    """Reports during a search are not needed."""
