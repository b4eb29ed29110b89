"""`bluestone puzzles`: make puzzles from recorded games, and verify them."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import App, Parameter, validators

from bot.cli.games import GameName
from bot.errors import ConfigurationError
from bot.runtime.output import (
    Json,
    error_console,
    note,
    only_errors_logged,
    output_file,
    print_json,
)

if TYPE_CHECKING:
    from bot.puzzles.making.journal import MiningJournal
    from bot.puzzles.making.verifying import Verified
    from bot.puzzles.model import Puzzle

app = App(name="puzzles", help="Make puzzles from recorded games, and verify them.")

Playouts = Annotated[
    int, Parameter(help="playouts of each search", validator=validators.Number(gte=1))
]
Seed = Annotated[
    int,
    Parameter(help="seed of all random numbers", validator=validators.Number(gte=0, lte=2**53)),
]
Count = Annotated[int | None, Parameter(validator=validators.Number(gte=1))]

FAILED = 1


@app.command
def make(
    records: Annotated[
        Path,
        Parameter(name="RECORDS", help="JSON Lines files of game records, or an arena's database"),
    ],
    /,
    *more: Annotated[Path, Parameter(name="MORE", help="more of them")],
    game: GameName,
    output: Annotated[Path, Parameter(help="the file of puzzles, written again after each puzzle")],
    playouts: Playouts = 16_000,
    count: Annotated[Count, Parameter(help="stop when there are so many puzzles")] = None,
    seed: Seed = 1,
    workers: Annotated[
        int, Parameter(help="processes that search", validator=validators.Number(gte=1, lte=64))
    ] = 1,
    log: Annotated[
        Path | None, Parameter(help="the log; by default the output's name with .log.jsonl")
    ] = None,
    as_json: Json = False,
) -> None:
    """Search recorded games for positions after a mistake that have one best turn.

    A candidate is searched with --playouts, and again with four times as many. The log has every
    candidate with its figures and the reason why it was kept or refused. The same command
    continues an interrupted search.
    """
    from bot.puzzles.making.journal import opened_journal
    from bot.puzzles.making.mining import USUAL
    from bot.puzzles.making.run import search, sources

    only_errors_logged()
    games = sources((records, *more), game)
    if not games:
        raise ConfigurationError(f"{records}: there is no recorded game of {game}")
    command = _command(game, playouts, seed, count)
    with (
        opened_journal(output.with_suffix(".log.jsonl") if log is None else log) as journal,
        error_console().status("") as status,
    ):
        _prepare(game)

        def on_game(new: "list[Puzzle]") -> None:
            status.update(
                f"{len(journal.finished)} of {len(games)} games, "
                f"{journal.reasons.total()} candidates, {len(journal.puzzles)} puzzles"
            )
            if new:
                _write(output, game, command, playouts, journal, count)

        search(
            games,
            journal,
            replace(USUAL, playouts=playouts),
            seed=seed,
            workers=workers,
            count=count,
            on_game=on_game,
        )
        _write(output, game, command, playouts, journal, count)
    _tell(journal, len(games), as_json=as_json)


def _prepare(game: str) -> None:
    from bot.terminal.play import ensure_kernels

    ensure_kernels(error_console(), game)


def _command(game: str, playouts: int, seed: int, count: int | None) -> str:
    words = f"bluestone puzzles make RECORDS --game {game} --playouts {playouts} --seed {seed}"
    return words if count is None else f"{words} --count {count}"


def _write(
    output: Path,
    game: str,
    command: str,
    playouts: int,
    journal: "MiningJournal",
    count: int | None,
) -> None:
    from bot import __version__
    from bot.puzzles.library import file_lines
    from bot.puzzles.making.run import chosen
    from bot.puzzles.model import PuzzleFile

    content = PuzzleFile(
        game=game,
        command=command,
        software=f"bluestone {__version__}",
        playouts=playouts,
        puzzles=chosen(journal.puzzles.values(), count),
    )
    with output_file(output) as file:
        file.writelines(file_lines(content))


def _tell(journal: "MiningJournal", games: int, *, as_json: bool) -> None:
    fields: dict[str, Any] = {
        "games": len(journal.finished),
        "of_games": games,
        "positions": journal.positions,
        "seconds": round(journal.seconds, 1),
        "candidates": journal.reasons.total(),
        "puzzles": len(journal.puzzles),
        "reasons": dict(journal.reasons.most_common()),
    }
    if as_json:
        print_json(fields)
        return
    print(
        f"{fields['games']} games, {fields['positions']} positions, "
        f"{fields['candidates']} candidates, {fields['puzzles']} puzzles "
        f"in {fields['seconds']:.0f} s of search"
    )
    for reason, number in fields["reasons"].items():
        print(f"{number:6} {reason}")


@app.command
def verify(
    file: Annotated[
        Path | None,
        Parameter(name="FILE", help="a file of puzzles; by default the shipped ones of --game"),
    ] = None,
    /,
    *,
    game: GameName = "bluestone",
    playouts: Playouts = 100_000,
    sample: Annotated[
        int, Parameter(help="how many random puzzles", validator=validators.Number(gte=1))
    ] = 60,
    seed: Seed = 2,
    output: Annotated[
        Path | None,
        Parameter(help="write FILE here again, with all right answers, without wrong solutions"),
    ] = None,
    as_json: Json = False,
) -> int:
    """Search random puzzles with more playouts and other random numbers; count which fail.

    Every turn that could be right is searched on its own: all turns of a board with an edge, all
    turns of HeXO that force. A puzzle fails if the search chooses a turn that the puzzle does not
    accept, or if the chance to win after another such turn is less than 0.35 worse than after the
    solution. The exit code is 1 if more than 2 % fail.
    """
    from bot.puzzles.library import file_lines, read_file, shipped
    from bot.puzzles.making import verifying

    only_errors_logged()
    if output is not None and file is None:
        raise ConfigurationError("--output: name the FILE that is to be written again")
    content = None if file is None else read_file(file)
    puzzles = shipped(game) if content is None else content.puzzles
    if not puzzles:
        raise ConfigurationError(f"--game {game}: no puzzles are shipped for it")
    _prepare(puzzles[0].game)
    drawn, found = verifying.sample(puzzles, sample, seed), list[verifying.Verified]()
    with error_console().status(f"0 of {len(drawn)} puzzles") as status:
        for each in verifying.verify(drawn, playouts, seed):
            found.append(each)
            status.update(f"{len(found)} of {len(drawn)} puzzles, {_failures(found)} fail")
    if output is not None and content is not None:
        better = {each.puzzle.id: each.mended for each in found}
        kept = (better.get(each.id, each) for each in puzzles)
        content = content.model_copy(update={"puzzles": tuple(filter(None, kept))})
        with output_file(output) as written:
            written.writelines(file_lines(content))
    if as_json:
        print_json([_fields(each) for each in found])
    else:
        _report(found, playouts)
    return FAILED if _failures(found) > 0.02 * len(found) else 0


def _failures(found: "list[Verified]") -> int:
    return sum(each.failure is not None for each in found)


def _fields(found: "Verified") -> dict[str, Any]:
    return {
        "id": found.puzzle.id,
        "solution": found.puzzle.solution,
        "turn": found.turn,
        "chance": round(found.chance, 3),
        "without": round(found.without, 3),
        "failure": found.failure,
        "right": list(found.right),
    }


def _report(found: "list[Verified]", playouts: int) -> None:
    for each in found:
        if each.failure is not None:
            print(
                f"{each.puzzle.id}: {each.failure}: {each.turn} instead of "
                f"{each.puzzle.solution}, {each.chance:.2f} with it and {each.without:.2f} without"
            )
    failures = _failures(found)
    print(f"{failures} of {len(found)} puzzles fail at {playouts} playouts")
    if failures:
        note("more than 2 % would be too many" if failures <= 0.02 * len(found) else "too many")
