"""Progress of `bluestone train`: a line for each finished step, and one that changes."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Final, NamedTuple

from rich.console import Console

from bot.matches.report.charts import ticks_between
from bot.matches.report.markup import Html, joined, tag
from engine.training.gate import Score
from engine.training.journal import Began, Entry, GamesPlayed, Matched, Refused, Trained
from engine.training.learning import Progress

WIDTH: Final = 720
HEIGHT: Final = 340
LEFT, RIGHT, TOP, BOTTOM = 64, 24, 24, 48
STYLE: Final = (
    "text{font:12px system-ui,sans-serif;fill:#222}.grid{stroke:#ddd}"
    ".best{fill:none;stroke:#3a6ea5;stroke-width:2}.accepted{fill:#3a6ea5}"
    ".rejected{fill:#fff;stroke:#b3263e;stroke-width:1.5}"
)


class Candidate(NamedTuple):
    """A network that has played its match, after this many games of self-play in total."""

    games: int
    elo: float
    accepted: bool


def candidates_of(entries: Sequence[Entry]) -> list[Candidate]:
    """The candidates, in the order of the log."""
    games, found = 0, list[Candidate]()
    for entry in entries:
        if isinstance(entry, GamesPlayed):
            games += entry.games
        elif isinstance(entry, Matched):
            found.append(Candidate(games, entry.elo, entry.accepted))
    return found


def elo_chart(candidates: Sequence[Candidate], title: str) -> str:
    """An SVG chart of Elo over games of self-play.

    The start is at 0 games and 0 Elo. Filled dots are networks that became the best one.
    """
    start = Candidate(0, 0.0, accepted=True)
    points = [start, *candidates]
    across = ticks_between(0, max(10, points[-1].games), 6)
    up = ticks_between(min(p.elo for p in points), max(50.0, *(p.elo for p in points)), 8)

    def x(games: float) -> float:
        return round(LEFT + games / across[-1] * (WIDTH - LEFT - RIGHT), 1)

    def y(elo: float) -> float:
        return round(
            HEIGHT - BOTTOM - (elo - up[0]) / (up[-1] - up[0]) * (HEIGHT - TOP - BOTTOM), 1
        )

    marks = [
        *(_level(y(tick), f"{tick:+.0f}" if tick else "0") for tick in up),
        *(_text(x(tick), HEIGHT - BOTTOM + 20, f"{tick:,.0f}") for tick in across),
        _text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, "games of self-play"),
        tag("path", css="best", d=_stairs([(x(p.games), y(p.elo)) for p in points if p.accepted])),
        *(_dot(x(p.games), y(p.elo), accepted=p.accepted) for p in points),
    ]
    return _document(title, joined(marks))


def _stairs(places: Sequence[tuple[float, float]]) -> str:
    """A path in steps: level until the next best network."""
    (first_x, first_y), *rest = places
    return f"M{first_x} {first_y}" + "".join(f"H{x}V{y}" for x, y in rest) + f"H{WIDTH - RIGHT}"


def _level(y: float, text: str) -> Html:
    line = tag("line", css="grid", x1=LEFT, x2=WIDTH - RIGHT, y1=y, y2=y)
    return joined((line, _text(LEFT - 8, y + 4, text, anchor="end")))


def _text(x: float, y: float, text: str, anchor: str = "middle") -> Html:
    return tag("text", text, x=x, y=y, text_anchor=anchor)


def _dot(x: float, y: float, *, accepted: bool) -> Html:
    return tag("circle", css="accepted" if accepted else "rejected", cx=x, cy=y, r=4)


def _document(title: str, content: Html) -> str:
    ground = tag("rect", width=WIDTH, height=HEIGHT, fill="#fff")
    drawn = joined((tag("title", title), tag("style", Html(STYLE)), ground, content), "\n")
    box = f"0 0 {WIDTH} {HEIGHT}"
    svg = tag("svg", drawn, xmlns="http://www.w3.org/2000/svg", viewBox=box, role="img")
    return f"{svg}\n"


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
    """Which network played."""
    match best:
        case None:
            return "without a network"
        case 0:
            return "by the network that the training started with"
        case _:
            return f"by the network of generation {best}"


def _on_boards(scores: Mapping[str, Sequence[int]]) -> str:
    """Wins, draws and losses by board, if there are several."""
    if len(scores) < 2:
        return ""
    each = (f"{board} {'-'.join(map(str, score))}" for board, score in scores.items())
    return f"; {', '.join(each)}"


def _figures(found: Progress | Trained) -> str:
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
