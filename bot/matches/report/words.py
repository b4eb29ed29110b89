"""Results, reasons, setups and figures as texts for people."""

from typing import Final, Protocol

from bot.matches.report.markup import MINUS
from bot.records.model import known_game
from bot.time_controls import Untimed
from bot.tournaments.elo import FARTHEST
from bot.tournaments.model import GameResult, Limit, MatchSetup, Reason

REASONS: Final[dict[Reason, str]] = {
    "played_out": "played out",
    "resignation": "resignation",
    "draw_agreement": "draw agreed",
    "adjudication": "adjudication",
    "time_forfeit": "time",
    "illegal_turn": "illegal turn",
    "disconnect": "disconnect",
    "crash": "crash",
    "stall": "stall",
    "no_show": "no show",
    "replaced": "replaced by the host",
}
SCORES: Final = {None: ("½", "½"), 1: ("1", "0"), 2: ("0", "1")}


def score_words(result: GameResult) -> str:
    """The scores of the first and the second seat, such as `1–0`."""
    return "–".join(SCORES[result.winner])


def points_words(points: float) -> str:
    """Points with a sign for halves, such as `2½`."""
    whole, half = divmod(round(points * 2), 2)
    return ("½" if half else "0") if not whole else f"{whole}{'½' if half else ''}"


def end_words(result: GameResult) -> str:
    """The reason of a result, with its message."""
    words = REASONS[result.reason]
    return f"{words}: {result.message}" if result.message else words


def setup_words(setup: MatchSetup) -> str:
    """The setup in one line: game, board, rules, options and limit."""
    known = known_game(setup.game)
    parts = [f"{setup.game if known is None else known.title} {setup.board}"]
    if setup.rules != "official":
        parts.append(f"{setup.rules} rules")
    parts += [f"{name} {value}" for name, value in setup.options.items()]
    parts.append(limit_words(setup.limit))
    return ", ".join(parts)


def limit_words(limit: Limit) -> str:
    """The limit of a turn."""
    if limit.nodes is not None:
        return f"{limit.nodes:,} nodes per turn"
    return "no clock" if isinstance(limit.clock, Untimed) else f"clock {limit.clock}"


def signed(value: float, digits: int = 0) -> str:
    """A number with its sign; 0 has none."""
    text = f"{value:+.{digits}f}"
    return text.replace("-", MINUS) if float(text) else text[1:]


def percent(share: float | None, digits: int = 0) -> str:
    return "–" if share is None else f"{share * 100:.{digits}f} %"


def seconds(milliseconds: float) -> str:
    return f"{milliseconds / 1000:.2f} s"


def decimal(value: float | None) -> str:
    """A number with up to two decimals, without trailing zeros; a dash for None."""
    return "–" if value is None else f"{value:.2f}".rstrip("0").rstrip(".")


class _Bounded(Protocol):
    @property
    def low(self) -> float: ...
    @property
    def high(self) -> float: ...


def interval_words(bounds: _Bounded) -> str:
    """An interval in Elo, such as `−40 to +12`."""
    return f"{elo_words(bounds.low)} to {elo_words(bounds.high)}"


def elo_words(elo: float) -> str:
    """Elo with its sign; infinity for a score of 100 %."""
    if abs(elo) >= FARTHEST:
        return "+∞" if elo > 0 else f"{MINUS}∞"
    return signed(elo)
