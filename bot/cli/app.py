"""The commands, and the one place that turns errors into a message and an exit code."""

import os
import sys
from collections.abc import Sequence
from typing import Final

from cyclopts import App, CycloptsError, Parameter

from bot import __version__
from bot.errors import BluestoneError, ConfigurationError, HostError
from bot.runtime import doors
from bot.runtime.extras import how_to_install
from bot.runtime.terminals import replace_unknown_characters, shown_lines

USAGE_ERROR: Final = 2
INTERRUPTED: Final = 130
BROKEN_PIPE: Final = 141

COMMANDS: Final = {
    "up": ("bot.cli.up:up", "Start an arena and ten bots, and print the address of the page."),
    "arena": (
        "bot.cli.arena:app",
        "Serve the arena, where bots and people meet; create tokens for bots.",
    ),
    "bot": ("bot.cli.daemon:run_bot", "Run a bot daemon with a configuration file."),
    "analyst": (
        "bot.cli.analyst:run_analyst",
        "Evaluate positions for the visitors of an arena.",
    ),
    "status": (
        "bot.cli.status:status",
        "Show the status of a bot daemon: games, deadlines, open work.",
    ),
    "engine": ("bot.cli.engine:run_engine", "Speak the engine protocol on stdin and stdout."),
    "engine-check": (
        "bot.cli.engine_check:engine_check",
        "Check that an engine follows the engine protocol.",
    ),
    "play": ("bot.cli.play:play", "Play against an engine in the terminal."),
    "match": ("bot.cli.match:match", "Play engines against each other on this machine."),
    "tournament": ("bot.cli.tournament:app", "Host tournaments of engines on this machine."),
    "analyze": ("bot.cli.analyze:analyze", "Evaluate a position or a recorded game."),
    "records": ("bot.cli.records:app", "List, show, export, import and verify recorded games."),
    "puzzles": (
        "bot.cli.puzzles:app",
        "Make puzzles from recorded games, and verify them.",
    ),
    "draw": ("bot.cli.draw:draw", "Draw a position as an SVG picture, or a board to print."),
    "bench": ("bot.cli.bench:app", "Measure speed, strength and latency on this machine."),
    "backup": ("bot.cli.backup:backup", "Back up the data folder of a running arena or bot."),
    "restore": ("bot.cli.backup:restore", "Put a backup in the place of a data folder."),
    "warm": ("bot.cli.warm:warm", "Compile the engine now, so that no later command waits for it."),
    "doctor": ("bot.cli.doctor:doctor", "Find what is wrong with an installation, and what to do."),
    "check": ("bot.cli.check:check", "Check configuration files without starting anything."),
}

GROUPS: Final = {"rehearse": "Play the bot against a local stand-in for a platform."}
"""The summaries of commands whose subcommands come by the door, as `rehearse.abstract-play` does.
"""


def _build(words: Sequence[str] = ()) -> App:
    """Return the app with all commands, or only with those of the core if `words` begin with one.

    Raises UnusableEntry if they begin with a command that cannot be imported.
    """
    app = App(
        name="bluestone",
        help="A bot for two-stone board games, its engine, and the server on which bots meet.",
        version=__version__,
        default_parameter=Parameter(show_default=worth_showing),
        exit_on_error=False,
        result_action="return_value",
    )
    for name, (path, summary) in COMMANDS.items():
        app.command(path, name=name, help=summary)
    if not words or words[0] not in COMMANDS:
        _add_installed(app, words)
    return app


def _add_installed(app: App, words: Sequence[str]) -> None:
    """Add the commands that come by the door; leave out those that cannot be imported.

    Raises UnusableEntry if `words` ask for one of these.
    """
    for name in doors.COMMANDS.names:
        *groups, own = path = name.split(".")
        if path[0] in COMMANDS:
            continue
        try:
            command = doors.COMMANDS.load(name)
        except doors.UnusableEntry:
            if list(words[: len(path)]) == path:
                raise
            continue
        parent = app
        for group in groups:
            if group not in parent:
                parent.command(App(name=group, help=GROUPS.get(group, "")))
            parent = parent[group]
        parent.command(command.path, name=own, help=command.summary)


def worth_showing(default: object) -> str | None:
    """A default as the help shows it; empty lists and unset flags are not shown."""
    is_nothing = default is None or default is False or default in ("", ())
    return None if is_nothing else str(default)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns its exit code."""
    words = sys.argv[1:] if arguments is None else arguments
    try:
        app = _build(words)
    except BluestoneError as error:
        return _report(error)
    return run(app, words)


def run(app: App, arguments: Sequence[str] | None = None) -> int:
    """Run one command of an app and report its errors; returns its exit code.

    `app` must be made with `exit_on_error=False` and `result_action="return_value"`.
    """
    replace_unknown_characters()
    try:
        result = app(arguments)
        sys.stdout.flush()
    except CycloptsError:  # the parser has printed it
        return USAGE_ERROR
    except BluestoneError as error:
        return _report(error)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # The reader closed the pipe, as `head` does. Python would report that again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    except _kernels_missing() as error:
        return _report(HostError(f"{error}; {how_to_install('compile')}"))
    return result if isinstance(result, int) else 0


def _kernels_missing() -> type[Exception]:
    """Return an exception of the engine, which most commands load, but not `--help`.

    Python evaluates the expression of an `except` clause only if no earlier clause has matched.
    """
    from engine import KernelsMissing

    return KernelsMissing


def _report(error: BluestoneError) -> int:
    problems = error.problems if isinstance(error, ConfigurationError) else [str(error)]
    for problem in problems:
        print(f"bluestone: {shown_lines(str(problem))}", file=sys.stderr)
    return error.exit_code
