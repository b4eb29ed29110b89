"""`bluestone train`: train a network for a game and a board by self-play."""

import os
import shlex
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal

from cyclopts import Parameter, validators

import engine
from bot.cli.app import INTERRUPTED
from bot.cli.games import GameName, Rules, chosen_game
from bot.cli.venues import NO_VENUE, Venues, elsewhere
from bot.errors import ConfigurationError, HostError
from bot.runtime.extras import how_to_install
from bot.runtime.output import (
    Json,
    error_console,
    note,
    only_errors_logged,
    output_file,
    print_json,
    text_console,
)
from engine.warming import compiles_here

if TYPE_CHECKING:
    from bot.matches.venues import Elsewhere
    from engine.training.journal import Entry, Journal
    from engine.training.learning import Trainer
    from engine.training.processes import Crew
    from engine.training.run_folder import RunFolder
    from engine.training.settings import Identity, TrainingPlan
    from engine.training.start import Start


LAYERS: Final = 4
NEEDS_COMPILER: Final = (
    "training compiles kernels of its own: leave BLUESTONE_KERNELS out, or set it to `compile`; "
    f"for Numba, {how_to_install('training')}"
)


def chosen_boards(name: str, boards: str, rules: str | None) -> list[engine.Game]:
    """Return the game on each of the boards, which are separated by commas.

    Raises ConfigurationError for a board that does not exist, is named twice or has no edge.
    """
    found = [chosen_game(name, board.strip(), rules) for board in boards.split(",")]
    if len(set(found)) < len(found):
        raise ConfigurationError(f"--board {boards}: a board is named twice")
    for game in found:
        if not game.board.is_bounded:
            raise ConfigurationError(f"--game {name}: a network needs a board with an edge")
    return found


def beginning(out: Path, game: engine.Game, name: str) -> "Start":
    """Return the weights that `--from` names, or their copy in the folder.

    Raises ConfigurationError if they do not fit, HostError if the folder cannot be used.
    """
    from engine.training.errors import TrainingError
    from engine.training.run_folder import RunFolder
    from engine.training.start import start_from
    from engine.training.weights import UnfitWeights

    try:
        return start_from(RunFolder(out), game, name)
    except UnfitWeights as error:
        raise ConfigurationError(f"--from {name}: {error}") from error
    except TrainingError as error:
        raise HostError(str(error)) from error


def identity_of(
    games: Sequence[engine.Game], seed: int, layers: int | None, start: "Start | None"
) -> "Identity":
    """Return the identity of a training: one game on these boards.

    Raises ConfigurationError if `layers` differs from those of `start`.
    """
    from engine.training.settings import Identity

    if start is not None and layers not in (None, start.layers):
        raise ConfigurationError(f"--layers {layers}: the network of --from has {start.layers}")
    game = games[0]
    return Identity(
        game.name,
        ",".join(each.board.name for each in games),
        seed,
        layers=start.layers if start else layers or LAYERS,
        rules=game.rule_set,
        start=start.name if start else None,
    )


LOCK: Final = "train.lock"
QUICK: Final = 5
"""Turns that do not train the policy get 1/5 of the playouts."""

Count = Annotated[int, Parameter(validator=validators.Number(gte=1, lte=1_000_000))]
Seed = Annotated[
    int, Parameter(help="seed of the random numbers", validator=validators.Number(gte=0, lte=10**9))
]


def train(
    *,
    board: Annotated[
        str,
        Parameter(help="a board of the game, such as pent-6, or several: pent-6,pent-8,pent-4"),
    ],
    out: Annotated[
        Path, Parameter(help="folder of the training; the same command continues from it")
    ],
    game: GameName = "bluestone",
    rules: Rules = None,
    start: Annotated[
        str | None,
        Parameter(
            name="--from",
            help="start with the weights of this file; `shipped` means those of the engine",
        ),
    ] = None,
    minutes: Annotated[
        float | None,
        Parameter(
            help="stop after this many minutes; by default run until interrupted",
            validator=validators.Number(gt=0, lte=10**6),
        ),
    ] = None,
    device: Annotated[
        Literal["cpu", "cuda"], Parameter(help="the device on which torch computes")
    ] = "cpu",
    processes: Annotated[
        int | None,
        Parameter(
            help="number of processes that play; by default one per core",
            validator=validators.Number(gte=1, lte=1024),
        ),
    ] = None,
    seed: Seed = 1,
    layers: Annotated[
        int | None,
        Parameter(
            help="number of residual layers; by default 4, or those of --from",
            validator=validators.Number(gte=1, lte=64),
        ),
    ] = None,
    threads: Annotated[
        int,
        Parameter(
            help="threads of torch on the CPU; more threads than idle cores make it much slower",
            validator=validators.Number(gte=1, lte=256),
        ),
    ] = 1,
    games: Annotated[
        Count, Parameter(help="games per generation; the first generations have fewer")
    ] = 1000,
    nodes: Annotated[Count, Parameter(help="playouts per turn that trains the policy")] = 1200,
    match_games: Annotated[
        Count, Parameter(help="games of a candidate against the best network")
    ] = 100,
    venues: Venues = NO_VENUE,
    as_json: Json = False,
) -> int:
    """Train a network by self-play.

    Each generation plays games with the best network, trains a candidate on them, and plays a match
    of the candidate against the best network. The same command continues after any interruption or
    crash. docs/network.md describes the method and the files.
    """
    from bot.runtime.files import held
    from bot.terminal.play import ensure_kernels
    from engine.training.settings import SelfPlay, TrainingPlan

    only_errors_logged()
    chosen, *_ = boards = chosen_boards(game, board, rules)
    trainer = _trainer(device, threads)
    begin = None if start is None else beginning(out, chosen, start)
    ensure_kernels(error_console(), chosen.name)  # does not count towards --minutes
    training = Training(
        identity=identity_of(boards, seed, layers, begin),
        start=begin,
        plan=TrainingPlan(
            games=games,
            match_games=match_games,
            self_play=SelfPlay(full=nodes, quick=max(1, nodes // QUICK)),
        ),
        trainer=trainer,
        crew=_crew(elsewhere(venues), chosen.name, processes or os.cpu_count() or 1),
        until=None if minutes is None else time.monotonic() + 60 * minutes,
    )
    with held(out, LOCK, "another training uses this folder"):
        interrupted, entries = go_on(training, out)
    _print(entries, out, as_json=as_json)
    if interrupted:
        note(f"interrupted. To continue: {shlex.join(['bluestone', *sys.argv[1:]])}")
    return INTERRUPTED if interrupted else 0


@dataclass(frozen=True)
class Training:
    """The networks and games of a training, its devices, and its end in `time.monotonic` (None: no
    end).
    """

    identity: "Identity"
    start: "Start | None"
    plan: "TrainingPlan"
    trainer: "Trainer"
    crew: "AbstractContextManager[Crew]"
    until: float | None

    def is_over(self) -> bool:
        return self.until is not None and time.monotonic() >= self.until


def _trainer(device: str, threads: int) -> "Trainer":
    """Return the trainer. Raises ConfigurationError if torch, Numba or the device is missing."""
    try:
        import torch
    except ImportError as error:
        raise ConfigurationError(f"training needs torch; {how_to_install('training')}") from error
    if not compiles_here():
        raise ConfigurationError(NEEDS_COMPILER)
    from engine.training.torch_trainer import TorchTrainer

    if device == "cuda" and not torch.cuda.is_available():
        raise ConfigurationError("--device cuda: torch finds no such device on this machine")
    return TorchTrainer(device, threads, time.monotonic)


@contextmanager
def _crew(venue: "Elsewhere | None", game: str, processes: int) -> "Iterator[Crew]":
    """Return the processes that play: local ones, or the workers of another venue."""
    from engine.training.processes import Crew, local_crew

    if venue is None:
        with local_crew(processes) as crew:
            yield crew
        return
    with venue.pool(game) as pool:
        yield Crew(pool.executor, pool.size)


def go_on(training: Training, out: Path) -> "tuple[bool, list[Entry]]":
    """Start or continue the training in that folder, until it is over.

    Returns whether it was interrupted, and the log. Raises HostError if the folder cannot be used.
    """
    from engine.training.errors import TrainingError
    from engine.training.journal import Journal
    from engine.training.run_folder import RunFolder

    folder = RunFolder(out)
    try:
        folder.make()
        journal = Journal(folder.log, lambda: datetime.now(UTC))
        if not journal.entries:
            folder.check_unused()
            if training.start is not None:
                folder.save_start(training.start.content)
        journal.begin(training.identity)
        interrupted = _cycle(training, folder, journal)
    except TrainingError as error:
        raise HostError(str(error)) from error
    except OSError as error:
        raise HostError(f"{error.filename or out}: {error.strerror}") from error
    return interrupted, journal.entries


def _cycle(training: Training, folder: "RunFolder", journal: "Journal") -> bool:
    """Run generations until the training is over; returns whether it was interrupted."""
    from bot.guests.training.progress import Live, moving_line
    from engine.training.generations import Cycle, Means

    console = error_console()
    with moving_line(console, time.monotonic) as show, training.crew as crew:
        live = Live(console, show, lambda: _draw(folder, journal, training.identity))
        cycle = Cycle(folder, journal, training.identity, training.plan, live)
        try:
            cycle.run(Means(crew, training.trainer), training.is_over)
        except KeyboardInterrupt:
            return True
    return False


def _draw(folder: "RunFolder", journal: "Journal", identity: "Identity") -> None:
    from bot.guests.training.progress import candidates_of, elo_chart

    title = f"Elo of the networks for {identity.game} on {', '.join(identity.boards)}"
    with output_file(folder.plot) as file:
        file.write(elo_chart(candidates_of(journal.entries), title))


def _print(entries: "list[Entry]", out: Path, *, as_json: bool) -> None:
    from engine.training.journal import document, standing

    now = standing(entries)
    if as_json:
        names = {"standing": asdict(now), "entries": [document(entry) for entry in entries]}
        print_json(names)
        return
    if now.best is None:
        text_console().print(
            f"{now.games} games; no network is yet better than the search without one"
        )
        return
    best = f"the best network is from generation {now.best}, {now.elo:+.0f} Elo"
    if now.best == 0:
        best = "the best network is the one that the training started with"
    text_console().print(f"{now.games} games; {best}: {out / 'best.npz'}")
