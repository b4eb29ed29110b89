"""`bluestone doctor`: find what is wrong with an installation of arena and bot."""

import asyncio
import warnings
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

from cyclopts import Parameter
from cyclopts.validators import Number

from bot.runtime.output import Json, only_errors_logged, plain, print_json

FAILED: Final = 1

if TYPE_CHECKING:
    from bot.doctor.examination import CheckFinding


def doctor(
    *,
    arena: Annotated[Path | None, Parameter(help="the arena's TOML file")] = None,
    data: Annotated[
        Path | None, Parameter(help="the data folder of an arena or a bot, instead of a file")
    ] = None,
    bot: Annotated[Path | None, Parameter(help="the bot's TOML file")] = None,
    backups: Annotated[Path | None, Parameter(help="the folder of the backups")] = None,
    public_url: Annotated[
        str | None, Parameter(help="the address at which people reach the arena")
    ] = None,
    seconds: Annotated[
        float, Parameter(help="longest time for each check", validator=Number(gte=1, lte=86_400))
    ] = 30,
    only: Annotated[
        tuple[str, ...],
        Parameter(help="the name of a check to make; may be repeated", negative=""),
    ] = (),
    as_json: Json = False,
) -> int:
    """Examine this machine, an arena and a bot, and say what to do about each problem.

    Each line is `ok`, `warn` or `FAIL`. The command changes nothing, and may run while arena and
    bot run. Without options it examines the machine, and an arena and a bot with default settings.
    The exit code is 1 if a line is FAIL, otherwise 0.
    """
    from bot.doctor.checks import checks_named
    from bot.doctor.examination import as_document, examine_all, examined

    checks = checks_named(only)
    only_errors_logged()
    warnings.simplefilter("ignore", RuntimeWarning)  # root does not use the bot's compiled code
    case = examined(arena, data, bot, backups, public_url, seconds)
    results = asyncio.run(examine_all(case, checks))
    if as_json:
        print_json(as_document(results))
    else:
        print("\n".join(map(_line, results)))
        counts = Counter(result.finding.status for result in results)
        print(f"{counts['ok']} ok, {counts['warn']} warn, {counts['FAIL']} FAIL")
    return FAILED if any(result.finding.status == "FAIL" for result in results) else 0


def _line(result: "CheckFinding") -> str:
    finding = result.finding
    advice = "" if finding.advice is None else f" -> {finding.advice}"
    return plain(f"{finding.status:<4}  {result.check:<12} {finding.found}{advice}")
