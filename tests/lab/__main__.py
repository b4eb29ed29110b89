"""`python -m tests.lab`: list the measurements for developers, or run one."""

import sys

from cyclopts import App, Parameter

from bot.cli.app import run, worth_showing
from tests.lab.abuse import abuse
from tests.lab.distributed import distributed
from tests.lab.fuzz import fuzz
from tests.lab.host import host
from tests.lab.lateness import lateness
from tests.lab.online import online
from tests.lab.page import page
from tests.lab.resume import resume
from tests.lab.review_noise import review
from tests.lab.soak import soak
from tests.lab.swiss import swiss
from tests.lab.webhooks import webhooks

MEASUREMENTS = (
    *(abuse, webhooks, fuzz, soak),
    *(page, host, resume, online, distributed),
    *(swiss, review, lateness),
)


def lab() -> App:
    """Return the measurements as commands."""
    app = App(
        name="python -m tests.lab",
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
