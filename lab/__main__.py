"""`python -m lab`: list the measurements for developers, or run one."""

import sys

from cyclopts import App, Parameter

from bot.cli.app import run, worth_showing
from lab.ahead.ahead import ahead
from lab.arena.abuse import abuse
from lab.arena.analysis import analysis
from lab.arena.online import online
from lab.arena.page import page
from lab.arena.static_site import static
from lab.engines.commands import calibration, clocks, leads, levels, network, pondering
from lab.engines.early_ends import early
from lab.engines.lateness import lateness
from lab.engines.review_noise import review
from lab.fuzz import fuzz
from lab.latency import latency
from lab.memory import memory
from lab.soak import soak
from lab.tournaments.distributed import distributed
from lab.tournaments.host import host
from lab.tournaments.resume import resume
from lab.tournaments.swiss import swiss
from lab.webhooks.webhooks import webhooks

MEASUREMENTS = (
    *(levels, leads, clocks, pondering, network, calibration, review, lateness, early, ahead),
    *(abuse, analysis, latency, memory, page, static, webhooks, soak, fuzz),
    *(host, resume, online, distributed, swiss),
)


def lab() -> App:
    """Return the measurements as commands."""
    app = App(
        name="python -m lab",
        help="Run a measurement for developers, as `make lab ARGS=...` does.",
        default_parameter=Parameter(show_default=worth_showing),
        exit_on_error=False,
        result_action="return_value",
        version_flags=(),
    )
    for command in MEASUREMENTS:
        app.command(command)
    return app


if __name__ == "__main__":
    sys.exit(run(lab()))
