"""The search of many games, in this process or several, and the file of puzzles that it writes."""

import multiprocessing
import random
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import engine
from bot.puzzles.making.journal import MiningJournal
from bot.puzzles.making.mining import Demands, SwingCandidate, candidates_of
from bot.puzzles.model import Puzzle
from bot.records.jsonl import DamagedLine
from bot.records.model import GameRecord
from bot.records.source import RecordSource
from engine.players.judge import Judge


@dataclass(frozen=True)
class RecordedSource:
    """A recorded game to search."""

    id: str
    game: engine.Game
    turns: tuple[str, ...]


@dataclass(frozen=True)
class Searched:
    """A game that was searched."""

    source: str
    positions: int
    seconds: float
    found: list[SwingCandidate]


def sources(paths: Iterable[Path], game: str) -> list[RecordedSource]:
    """Return the recorded games of that name in files of records; damaged lines are left out.

    Raises ConfigurationError if there is no such file, HostError if it cannot be read.
    """
    found = []
    for path in paths:
        for record in RecordSource(path):
            if isinstance(record, DamagedLine) or record.game != game:
                continue
            source = _source(path, record)
            if source is not None:
                found.append(source)
    return found


def _source(path: Path, record: GameRecord) -> RecordedSource | None:
    """Return the game of a record; None if this version does not know it."""
    try:
        game = engine.game_of(record.game, record.board, record.rules, record.options)
    except engine.EngineError:
        return None
    turns = tuple(recorded.turn for recorded in record.turns)
    return RecordedSource(f"{path.stem}/{record.id}", game, turns)


def search(
    games: list[RecordedSource],
    journal: MiningJournal,
    demands: Demands,
    *,
    seed: int,
    workers: int,
    count: int | None,
    on_game: Callable[[list[Puzzle]], None],
) -> None:
    """Search the games that the journal has not, in a random order, until it has `count` puzzles.

    `on_game` is called after each game with its new puzzles, once they are in the journal.
    """
    left = [game for game in games if game.id not in journal.finished]
    random.Random(seed).shuffle(left)
    for searched in _searched(left, demands, seed, workers, lambda: _enough(journal, count)):
        new = journal.add_game(
            searched.source, searched.positions, searched.seconds, searched.found
        )
        on_game(new)


def _enough(journal: MiningJournal, count: int | None) -> bool:
    return count is not None and len(journal.puzzles) >= count


def _searched(
    left: list[RecordedSource],
    demands: Demands,
    seed: int,
    workers: int,
    enough: Callable[[], bool],
) -> Iterator[Searched]:
    if workers == 1:
        for game in left:
            if enough():
                return
            yield search_game(game, demands, seed)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=context) as pool:
        tasks = [pool.submit(_search_named, _named(each), demands, seed) for each in left]
        for task in as_completed(tasks):
            yield task.result()
            if enough():
                pool.shutdown(cancel_futures=True)
                return


Named = tuple[str, str, str, str, dict[str, int | str], tuple[str, ...]]
"""A source as plain values: games do not travel between processes."""


def _named(source: RecordedSource) -> Named:
    game = source.game
    return source.id, game.name, game.board.name, game.rule_set, dict(game.options), source.turns


def _search_named(named: Named, demands: Demands, seed: int) -> Searched:
    source, name, board, rules, options, turns = named
    game = engine.game_of(name, board, rules, options)
    return search_game(RecordedSource(source, game, turns), demands, seed)


@cache
def _judge(game: engine.Game, seed: int) -> Judge:
    return Judge(game, seed=seed)


def search_game(source: RecordedSource, demands: Demands, seed: int) -> Searched:
    """Search one game for puzzles. A game with an illegal turn is searched up to there."""
    began = time.monotonic()
    turns = legal_part(source.game, source.turns)
    judge = _judge(source.game, seed)
    found = list(candidates_of(source.game, turns, source.id, judge, demands))
    return Searched(source.id, len(turns), time.monotonic() - began, found)


def legal_part(game: engine.Game, turns: tuple[str, ...]) -> tuple[str, ...]:
    """Return the turns before the first illegal one."""
    position = game.start()
    for turn in turns:
        try:
            position = position.play(turn)
        except engine.IllegalTurn:
            break
    return position.turns


def chosen(puzzles: Iterable[Puzzle], count: int | None) -> tuple[Puzzle, ...]:
    """Return the first `count` puzzles, easiest first."""
    first = list(puzzles)[:count]
    return tuple(sorted(first, key=lambda puzzle: (puzzle.rating, puzzle.id)))
