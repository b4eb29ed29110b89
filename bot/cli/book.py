"""`bluestone book`: opening books."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter, validators

from bot.cli.files import output_file
from bot.cli.games import Board, GameName, GameOptions, Rules, chosen_game
from bot.cli.output import error_console, note

if TYPE_CHECKING:
    from engine.search.book_growth import BookTree

SAVED_EVERY = 100
FEWEST_SAVED = 4
"""Trials with fewer games say nothing yet."""

Whole = Annotated[int, Parameter(validator=validators.Number(gte=1, lte=10**6))]


def book(
    out: Annotated[Path, Parameter(help="the book, a JSON file; it is written over")],
    *,
    game: GameName = "bluestone",
    board: Board = None,
    rules: Rules = None,
    options: GameOptions = (),
    games: Annotated[Whole, Parameter(help="games to play in all")] = 5_000,
    nodes: Annotated[Whole, Parameter(help="playouts a turn")] = 4_000,
    workers: Annotated[
        int | None,
        Parameter(
            help="games at a time; one a core if none",
            validator=validators.Number(gte=1, lte=256),
        ),
    ] = None,
    seed: Annotated[int, Parameter(validator=validators.Number(gte=0, lte=10**9))] = 0,
) -> None:
    """Let the engine play openings against itself, and write down which turns do well."""
    from bot.book import Effort, grow_book
    from bot.terminal.kernels import ensure_kernels
    from engine.opening_books import book_text

    played_on = chosen_game(game, board, rules, options)
    effort = Effort(games, nodes, workers or os.cpu_count() or 1, seed)
    ensure_kernels(error_console())

    def on_game(number: int, tree: "BookTree") -> None:
        if number % SAVED_EVERY == 0 or number == games:
            with output_file(out) as target:
                target.write(book_text(played_on, tree.trials(FEWEST_SAVED)))
            error_console().print(f"{number} of {games} games{_most_tried_first(tree)}")

    grow_book(played_on, effort, on_game)
    note(f"{out} written")


def _most_tried_first(tree: "BookTree") -> str:
    begun = [trial for trial in tree.trials(1) if not trial.line]
    if not begun:
        return ""
    best = max(begun, key=lambda trial: trial.games)
    share = f"{best.won / best.games:.0%} of {best.games} won"
    return f"; most tried first turn: {best.turn}, {share}"
