"""How far `bluestone train` is: a line for whatever is finished, and one that moves."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Final

from rich.console import Console

from engine.training.gate import Score
from engine.training.journal import Began, Entry, GamesPlayed, Matched, Refused, Trained
from engine.training.learning import Progress

NOTE_EVERY_S: Final = 30.0
"""Where there is no terminal, the line that moves is printed anew so often."""

Show = Callable[[str], None]


class Live:
    """A `Watch` that prints. `on_match` is called after each match."""

    def __init__(self, console: Console, show: Show, on_match: Callable[[], None]) -> None:
        self._console = console
        self._show = show
        self._on_match = on_match

    def played(self, generation: int, games: int, of: int) -> None:
        self._show(f"generation {generation}: {games} of {of} games")

    def learnt(self, generation: int, progress: Progress) -> None:
        done = f"{progress.step} of {progress.steps} steps"
        self._show(f"generation {generation}: {done}, {_figures(progress)}")

    def matched(self, generation: int, score: Score, of: int) -> None:
        share = f", {score.share:.1%}" if score.games else ""
        self._show(f"generation {generation}: match, {score.games} of {of} games{share}")

    def finished(self, entry: Entry) -> None:
        self._console.print(line_of(entry), soft_wrap=True)
        if isinstance(entry, Matched):
            self._on_match()


def line_of(entry: Entry) -> str:
    """An entry of the log in words."""
    match entry:
        case Began(game=game, board=board, start=start):
            source = "" if start is None else f" with the weights of {start}"
            return f"training for {game} on {board}{source}"
        case GamesPlayed(generation=generation, games=games, rows=rows, best=best):
            return f"generation {generation}: {games} games {_by(best)}, {rows:,} positions"
        case Trained(generation=generation, steps=steps):
            exact = f"as the search hears it within {entry.value_error:.4f}"
            return f"generation {generation}: {steps} steps, {_figures(entry)}; {exact}"
        case Refused(generation=generation, why=why):
            return f"generation {generation}: refused: {why}"
        case Matched(generation=generation, wins=wins, draws=draws, losses=losses):
            verdict = "accepted" if entry.accepted else "rejected"
            score = f"{wins} won, {draws} drawn, {losses} lost"
            each = _on_boards(entry.boards)
            return f"generation {generation}: {score}: {verdict}, {entry.elo:+.0f} Elo{each}"


def _by(best: int | None) -> str:
    """Who played."""
    match best:
        case None:
            return "without a network"
        case 0:
            return "by the network that it began with"
        case _:
            return f"by the network of generation {best}"


def _on_boards(scores: Mapping[str, Sequence[int]]) -> str:
    """Wins, draws and losses where there are several boards."""
    if len(scores) < 2:
        return ""
    each = (f"{board} {'-'.join(map(str, score))}" for board, score in scores.items())
    return f"; {', '.join(each)}"


def _figures(found: Progress | Trained) -> str:
    """What was found on held-out games. Of fewer than sixteen none is held out, and all is 0."""
    if not (found.policy or found.brier or found.search_brier):
        return "no games held out to judge by"
    policy = f"policy {found.policy:.2f}, first choice {found.agreement:.0%}"
    return f"{policy}, Brier {found.brier:.3f} (search {found.search_brier:.3f})"


@contextmanager
def moving_line(console: Console, clock: Callable[[], float]) -> Iterator[Show]:
    """Shows what goes on: one line that changes on a terminal, else a line now and then."""
    if console.is_terminal:
        with console.status("starting") as status:
            yield status.update
        return
    shown = clock()

    def show(text: str) -> None:
        nonlocal shown
        if clock() - shown >= NOTE_EVERY_S:
            shown = clock()
            console.print(text, soft_wrap=True)

    yield show
