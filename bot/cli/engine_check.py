"""`bluestone engine-check`: check that an engine follows the engine protocol."""

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import partial
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter
from rich.table import Table

from bot.cli.games import (
    Board,
    EngineOptions,
    GameName,
    NoSandbox,
    Rules,
    chosen_engine,
    chosen_game,
)
from bot.engines.dialogues import DIALOGUES, UGI, usages
from bot.errors import ConfigurationError
from bot.runtime.output import Json, error_console, only_errors_logged, print_json, text_console

if TYPE_CHECKING:
    from bot.engines.check.script import EngineCheck
    from bot.engines.check.step import Finding
    from bot.engines.spec import EngineSpec
    from engine import Game

SHOWN_SENT = 2


def engine_check(
    command: Annotated[
        str,
        Parameter(
            name="CMD",
            help="a built-in engine by its name, a command that speaks the protocol" + usages(),
        ),
    ],
    /,
    *,
    option: EngineOptions = (),
    game: Annotated[
        GameName | None, Parameter(help="the game to check it on; by default the engine's default")
    ] = None,
    board: Board = None,
    rules: Rules = None,
    no_sandbox: NoSandbox = False,
    as_json: Json = False,
) -> int:
    """Take an engine through about forty steps of the engine protocol and print a verdict on each.

    An engine of another protocol takes the steps of that protocol. The exit code is 1 if a step
    failed. An engine of one game without the option Game needs `--game`.
    """
    from bot.terminal.play import ensure_kernels
    from bot.time_source import SystemTime

    only_errors_logged()
    spec = chosen_engine(command, option, no_sandbox=no_sandbox)
    if game is None and (board or rules):
        raise ConfigurationError("--board and --rules need --game")
    if game is not None and spec.protocol != UGI:
        import engine

        only = DIALOGUES.load(spec.protocol).only_game
        titles = [info.title for info in engine.games() if info.name == only]
        raise ConfigurationError(f"--game: {spec.protocol} plays only {' '.join(titles)}")
    chosen = None if game is None else chosen_game(game, board, rules)
    console = error_console()
    if spec.is_builtin:
        ensure_kernels(console)
    with console.status("checking") as status:
        done: list[Finding] = []

        check, steps = _check_of(spec, chosen)

        def progress(finding: "Finding") -> None:
            done.append(finding)
            status.update(f"checking: {len(done)} of {steps} steps")

        findings = asyncio.run(check(spec, SystemTime(), progress))
    if as_json:
        print_json({"engine": spec.name, "steps": [asdict(finding) for finding in findings]})
    else:
        _print_findings(findings)
    return 1 if any(finding.verdict == "fail" for finding in findings) else 0


def _check_of(spec: "EngineSpec", game: "Game | None") -> "tuple[EngineCheck, int]":
    """The check of the engine's protocol, and its number of steps."""
    from bot.engines.check.script import SCRIPT, check_engine

    if spec.protocol == UGI:
        return partial(check_engine, game=game), len(SCRIPT)
    checked: Callable[[], tuple[EngineCheck, int]] = resolve_name(
        DIALOGUES.load(spec.protocol).checked
    )
    return checked()


def _print_findings(findings: "Sequence[Finding]") -> None:
    from bot.engines.channel import BOX_HINT

    table = Table("step", "sent", "expected", "verdict", "seen", box=None, pad_edge=False)
    for finding in findings:
        seen = finding.seen.removesuffix(f"; {BOX_HINT}")[:200]
        table.add_row(finding.name, _sent(finding), finding.expected, finding.verdict, seen)
    console = text_console()
    console.print(table)
    counts = Counter(finding.verdict for finding in findings)
    console.print(", ".join(f"{counts[each]} {each}" for each in sorted(counts)))
    if any(finding.seen.endswith(BOX_HINT) for finding in findings):
        console.print(f"The engine may miss something: {BOX_HINT}, or try --no-sandbox.")


def _sent(finding: "Finding") -> str:
    """Return all lines of a step that went wrong, otherwise only the last ones."""
    if finding.verdict in ("fail", "warn"):
        return "\n".join(finding.sent)
    shown = [line[:40] for line in finding.sent[-SHOWN_SENT:]]
    return "; ".join(["...", *shown] if len(finding.sent) > SHOWN_SENT else shown)
