"""Early ends of Stargazers, played on: how many stones they save, and whether a winner changes.

A game is watched after each turn. Where the numbers decide it, it is played on to the end by the
rules of play, and the winner and the final scores are compared.
"""

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from random import Random
from typing import Annotated, Final

from cyclopts import Parameter

import engine
from bot.cli.games import Board, chosen_game
from bot.cli.measurements import Count, FigureTable, MeasurementReport, Seed, measurement, progress
from engine.players.search import SearchEngine
from lab.engines.mixed_games import built_in, search

PLAYOUTS: Final = (20, 60, 200)
"""Small searches of which each player of a game has one, so that games differ."""
OPENING: Final = 3
"""At most so many random turns begin a game of engines."""

Chooser = Callable[[engine.Position], str]


@dataclass(frozen=True)
class EarlyEnds:
    """What became of `games`. `stones` are saved ones, as a mean of the games that ended early."""

    board: str
    protocol: str
    players: str
    games: int
    early: int
    stones: float
    wrong_winners: int
    wrong_bounds: int


@measurement
def early(
    *,
    board: Board = None,
    games: Annotated[Count, Parameter(help="random games for each protocol")] = 1_000,
    searched: Annotated[Count, Parameter(help="games of engines for each protocol")] = 50,
    seed: Seed = 1,
) -> MeasurementReport:
    """Play games of Stargazers on after their early ends, and compare the winners.

    Wrong numbers are positions whose bounds of the final scores the end of the game violates.
    """
    found = list[EarlyEnds]()
    for protocol in ("122", "alternating"):
        game = chosen_game("stargazers", board, "official", [f"protocol={protocol}"])
        for players, count in (("random", games), ("engines", searched)):
            found.append(measure(game, players, count, seed))
            progress(f"{protocol}, {players}: {found[-1].games} games")
    head = ("board", "protocol", "players", "games", "early", "stones saved", "wrong winners")
    table = FigureTable((*head, "wrong numbers"), [_row(each) for each in found])
    is_sound = not any(each.wrong_winners or each.wrong_bounds for each in found)
    return MeasurementReport([table], [asdict(each) for each in found], is_sound)


def _row(found: EarlyEnds) -> tuple[str, ...]:
    return (
        *(found.board, found.protocol, found.players, str(found.games)),
        *(f"{found.early / found.games:.0%}", f"{found.stones:.1f}"),
        *(str(found.wrong_winners), str(found.wrong_bounds)),
    )


def measure(game: engine.Game, players: str, count: int, seed: int) -> EarlyEnds:
    """Play `count` games to their ends, between `random` players or `engines`."""
    wrong_winners = wrong_bounds = 0
    saved = list[int]()
    for positions in played(game, players, count, seed):
        last = positions[-1]
        wrong_bounds += sum(not holds(each, last) for each in positions)
        ends = [each for each in positions if each.early_end]
        named = {each.early_end.winner for each in ends if each.early_end}
        wrong_winners += not named <= {last.winner}
        if ends:
            saved.append(len(last.stones) - len(ends[0].stones))
    return EarlyEnds(
        board=game.board.name,
        protocol=str(game.all_options["protocol"]),
        players=players,
        games=count,
        early=len(saved),
        stones=sum(saved) / max(1, len(saved)),
        wrong_winners=wrong_winners,
        wrong_bounds=wrong_bounds,
    )


def holds(position: engine.Position, last: engine.Position) -> bool:
    """Return whether the final scores lie within what the position says of them."""
    assert position.final_scores is not None
    pairs = zip(position.final_scores, last.scores, strict=True)
    return all(least <= score <= most for (least, most), score in pairs)


def played(
    game: engine.Game, players: str, count: int, seed: int
) -> Iterator[list[engine.Position]]:
    """Yield the positions of each game, the last one included."""
    searchers = [built_in({"Network": network, "Seed": 1}) for network in (False, True)]
    for number in range(count):
        chance = Random(f"{seed} {players} {number}")
        if players == "random":
            seats: list[Chooser] = [lambda position: position.random_turn(chance)] * 2  # noqa: B023
        else:
            chance.shuffle(searchers)
            seats = [_searching(each, chance.choice(PLAYOUTS)) for each in searchers]
        opening = chance.randint(1, OPENING)
        positions = [game.start()]
        while not positions[-1].over:
            position = positions[-1]
            is_random = len(positions) <= opening
            turn = position.random_turn(chance) if is_random else _turn(seats, position)
            positions.append(position.play(turn))
        yield positions


def _turn(seats: list[Chooser], position: engine.Position) -> str:
    return seats[position.to_play - 1](position)


def _searching(player: SearchEngine, playouts: int) -> Chooser:
    return lambda position: search(player, position, playouts).turn
