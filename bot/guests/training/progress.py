"""Progress of `bluestone train`: a line per finished step, and a changing line for the current
step.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Final, NamedTuple

from rich.console import Console

from bot.drawing.charts import BELOW, LEFT, RIGHT, TOP, Axis, PlotFrame, document, ticks_between
from engine.training.gate import Score
from engine.training.journal import Began, Entry, GamesPlayed, Matched, Refused, Trained
from engine.training.learning import LearningProgress

WIDTH: Final = 632
HEIGHT: Final = 244
STYLE: Final = (
    ".best{fill:none;stroke:#3a6ea5;stroke-width:2}.accepted{fill:#3a6ea5}"
    ".rejected{fill:#fff;stroke:#b3263e;stroke-width:1.5}"
)


class MatchedNetwork(NamedTuple):
    """A network that has played its match, after this many games of self-play in total."""

    games: int
    elo: float
    accepted: bool


def candidates_of(entries: Sequence[Entry]) -> list[MatchedNetwork]:
    """The candidates, in the order of the log."""
    games, found = 0, list[MatchedNetwork]()
    for entry in entries:
        if isinstance(entry, GamesPlayed):
            games += entry.games
        elif isinstance(entry, Matched):
            found.append(MatchedNetwork(games, entry.elo, entry.accepted))
    return found


def elo_chart(candidates: Sequence[MatchedNetwork], title: str) -> str:
    """Draw an SVG chart of Elo over games of self-play.

    The start is at 0 games and 0 Elo. Filled dots are networks that became the best one.
    """
    start = MatchedNetwork(0, 0.0, accepted=True)
    points = [start, *candidates]
    across = ticks_between(0, max(10, points[-1].games), 6)
    up = ticks_between(min(p.elo for p in points), max(50.0, *(p.elo for p in points)), 8)
    frame = PlotFrame(
        Axis(0, across[-1], [(tick, f"{tick:,.0f}") for tick in across], "games of self-play"),
        Axis(up[0], up[-1], [(tick, f"{tick:+.0f}" if tick else "0") for tick in up], "Elo"),
        WIDTH,
        HEIGHT,
    )
    best = [(float(p.games), p.elo) for p in points if p.accepted]
    parts = [*frame.grid(), frame.polyline("best", _stairs(best, across[-1]))]
    parts += [frame.dot("accepted" if p.accepted else "rejected", p.games, p.elo) for p in points]
    return document(title, LEFT + WIDTH + RIGHT, TOP + HEIGHT + BELOW, parts, STYLE)


def _stairs(places: Sequence[tuple[float, float]], end: float) -> list[tuple[float, float]]:
    """Return the steps of the best rating over the games."""
    corners = [places[0]]
    for x, y in places[1:]:
        corners += [(x, corners[-1][1]), (x, y)]
    return [*corners, (end, corners[-1][1])]


NOTE_EVERY_S: Final = 30.0
"""Without a terminal, the changing line is printed this often."""

Show = Callable[[str], None]


class Live:
    """A `Watch` that prints, and calls `on_match` after each match."""

    def __init__(self, console: Console, show: Show, on_match: Callable[[], None]) -> None:
        self._console = console
        self._show = show
        self._on_match = on_match

    def played(self, generation: int, games: int, of: int) -> None:
        self._show(f"generation {generation}: {games} of {of} games")

    def learnt(self, generation: int, progress: LearningProgress) -> None:
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
    """Describe an entry of the log in words."""
    match entry:
        case Began(game=game, board=board, start=start):
            source = "" if start is None else f" with the weights of {start}"
            return f"training for {game} on {board}{source}"
        case GamesPlayed(generation=generation, games=games, rows=rows, best=best):
            return f"generation {generation}: {games} games {_by(best)}, {rows:,} positions"
        case Trained(generation=generation, steps=steps):
            exact = f"the search agrees within {entry.value_error:.4f}"
            return f"generation {generation}: {steps} steps, {_figures(entry)}; {exact}"
        case Refused(generation=generation, why=why):
            return f"generation {generation}: refused: {why}"
        case Matched(generation=generation, wins=wins, draws=draws, losses=losses):
            verdict = "accepted" if entry.accepted else "rejected"
            score = f"{wins} won, {draws} drawn, {losses} lost"
            each = _on_boards(entry.boards)
            return f"generation {generation}: {score}: {verdict}, {entry.elo:+.0f} Elo{each}"


def _by(best: int | None) -> str:
    """Name the network that played."""
    match best:
        case None:
            return "without a network"
        case 0:
            return "by the network that the training started with"
        case _:
            return f"by the network of generation {best}"


def _on_boards(scores: Mapping[str, Sequence[int]]) -> str:
    """Return wins, draws and losses by board, if there are several boards."""
    if len(scores) < 2:
        return ""
    each = (f"{board} {'-'.join(map(str, score))}" for board, score in scores.items())
    return f"; {', '.join(each)}"


def _figures(found: LearningProgress | Trained) -> str:
    """The measures on held-out games. With fewer than 16 games none are held out, and all are 0."""
    if not (found.policy or found.brier or found.search_brier):
        return "no held-out games"
    policy = f"policy {found.policy:.2f}, first choice {found.agreement:.0%}"
    return f"{policy}, Brier {found.brier:.3f} (search {found.search_brier:.3f})"


@contextmanager
def moving_line(console: Console, clock: Callable[[], float]) -> Iterator[Show]:
    """Show progress: a line that changes on a terminal, otherwise a line at times."""
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
