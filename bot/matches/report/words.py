"""Results, ends, setups and figures as a page says them."""

from typing import Final

from bot.matches.report.chronicle import Chronicle
from bot.matches.report.markup import MINUS
from bot.records.known_game import known_game
from bot.time_controls import Untimed
from bot.tournaments.model import Reason, Result, Setup

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


def score_words(result: Result) -> str:
    """The first seat's score and the second's."""
    return "–".join(SCORES[result.winner])


def points_words(points: float) -> str:
    """Halves as chess players write them."""
    whole, half = divmod(round(points * 2), 2)
    return ("½" if half else "0") if not whole else f"{whole}{'½' if half else ''}"


def end_words(result: Result) -> str:
    """The reason, with what was noted about it."""
    words = REASONS[result.reason]
    return f"{words}: {result.message}" if result.message else words


def setup_words(setup: Setup) -> str:
    known = known_game(setup.game)
    parts = [f"{setup.game if known is None else known.title} {setup.board}"]
    if setup.rules != "official":
        parts.append(f"{setup.rules} rules")
    parts += [f"{name} {value}" for name, value in setup.options.items()]
    parts.append(limit_words(setup))
    return ", ".join(parts)


def limit_words(setup: Setup) -> str:
    """What a turn is limited by."""
    if setup.nodes is not None:
        return f"{setup.nodes:,} nodes a turn"
    return "no clock" if isinstance(setup.clock, Untimed) else f"clock {setup.clock}"


def signed(value: float, digits: int = 0) -> str:
    text = f"{value:+.{digits}f}"
    return text.replace("-", MINUS) if float(text) else text[1:]


def percent(share: float | None, digits: int = 0) -> str:
    return "–" if share is None else f"{share * 100:.{digits}f} %"


def seconds(milliseconds: float) -> str:
    return f"{milliseconds / 1000:.2f} s"


def format_words(story: Chronicle) -> str:
    """The format, where the settings name one."""
    found = story.began.settings.get("format", "")
    if isinstance(found, dict):
        found = found.get("kind", "")
    return str(found).replace("_", "-")
