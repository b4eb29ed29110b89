"""When a tournament is over before all is played."""

from bot.tournaments.director import StopRule
from bot.tournaments.sprt import Bounds
from bot.tournaments.sprt_run import SprtRun
from bot.tournaments.state import Tournament


def sprt_rule(player: str, opponent: str, bounds: Bounds) -> StopRule:
    """Once the test of one player against the other is decided."""
    run = SprtRun(player, opponent, bounds)

    def rule(tournament: Tournament) -> str | None:
        test = run.of(tournament)
        if test.verdict is None:
            return None
        ratio = f"the log-likelihood ratio is {test.ratio:.2f}"
        if test.verdict == "H1":
            return f"{player} is more than {bounds.elo0:g} Elo ahead of {opponent}: {ratio}"
        return f"{player} is less than {bounds.elo1:g} Elo ahead of {opponent}: {ratio}"

    return rule
