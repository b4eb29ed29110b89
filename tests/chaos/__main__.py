"""`python -m tests.chaos`: inject each fault many times, and print a table."""

import argparse
import asyncio
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from bot.errors import ConfigurationError
from bot.runtime.logs import configure_logging
from tests.chaos import campaign
from tests.chaos.cluster_faults import try_faults
from tests.chaos.cluster_fencing import try_fencing
from tests.chaos.report import as_json, markdown, print_table
from tests.chaos.trial import CAN_FILL_DISKS, FAULTS, NEED_FULL_DISKS, Outcome, try_fault

ABOUT = """
Starts the real programs with games running all the time, strikes a fault at a moment chosen by
lot, waits until all games go on, and compares every turn that a player was told of with what the
arena has. Recovery counts from the kill, or from the end of the trouble, until every running game
has two more turns. Exit status 1 if anything was lost.

The wall clock of clock-stepped is the arena's own: the machine's is not touched. damaged-files
are several kinds, each tried as often as it takes to reach --times.

With --total the bot also plays in a tournament and on the rehearsed platform, and each fault
strikes while all of that runs. --state FILE keeps each result. The same command continues there
after an interruption, and prints the table at once when all is done. Ctrl-C completes the present
fault; a second one does not.

With --cluster the arena has three processes on a PostgreSQL database. `fencing` stops one of them
by SIGSTOP for three leases, --times times; `faults` injects --times faults at random while --games
games and a tournament run.
"""


def main() -> int:
    parser = argparse.ArgumentParser(
        "python -m tests.chaos", description=ABOUT, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument(
        "--times",
        type=int,
        default=10,
        help="number of times that each fault is injected (default 10)",
    )
    parser.add_argument("--faults", type=_faults, help=", ".join(campaign.EVERY_FAULT))
    parser.add_argument("--total", type=int, help="number of faults in whole scenes")
    parser.add_argument("--state", type=Path, help="with --total: a file for the results")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--short",
        action="store_true",
        help="run a bot only if a fault needs one; stop at the first loss",
    )
    parser.add_argument("--cluster", choices=("fencing", "faults"))
    parser.add_argument("--games", type=int, default=100, help="with --cluster faults")
    parser.add_argument("--bus", choices=("valkey", "postgres"), help="with --cluster")
    parser.add_argument(
        "--evidence",
        type=Path,
        help="with --cluster faults: a folder for logs of such games",
    )
    parser.add_argument("--json", action="store_true", help="print the table as JSON")
    parser.add_argument("--markdown", action="store_true", help="print the table for a page")
    options = parser.parse_args()
    configure_logging("error")
    try:
        outcomes = asyncio.run(_outcomes(options))
    except ConfigurationError as error:
        parser.error(str(error))
    if options.json:
        print(json.dumps(as_json(outcomes), indent=2))
    elif options.markdown:
        print(markdown(outcomes))
    else:
        print_table(outcomes)
    return 1 if any(outcome.lost for outcome in outcomes) else 0


async def _outcomes(options: argparse.Namespace) -> list[Outcome]:
    """Raises ConfigurationError if the file of the results does not fit."""
    if options.cluster is not None:
        return await _cluster(options)
    if options.total is None:
        faults = [name for name in options.faults or FAULTS if name in FAULTS]
        return await _run(faults, options.times, options.seed, options.short)
    wanted = options.faults or campaign.KINDS
    names = tuple(campaign.possible([name for name in campaign.KINDS if name in wanted]))
    state = campaign.State.opened(campaign.Plan(options.total, options.seed, names), options.state)
    await campaign.run(state, _tell)
    return state.outcomes()


async def _cluster(options: argparse.Namespace) -> list[Outcome]:
    with TemporaryDirectory(prefix="bluestone-chaos-") as name:
        folder = Path(name)
        if options.cluster == "fencing":
            bus = options.bus or "postgres"
            return [await try_fencing(folder, options.times, options.seed, _tell, bus)]
        report = await try_faults(
            folder,
            options.times,
            options.games,
            options.seed,
            _tell,
            options.bus or "valkey",
            evidence=options.evidence,
        )
    for line in report.summary():
        _tell(line)
    return list(report.outcomes.values())


async def _run(faults: Sequence[str], times: int, seed: int, is_short: bool) -> list[Outcome]:
    outcomes = []
    for fault in faults:
        if fault in NEED_FULL_DISKS and not CAN_FILL_DISKS:
            _tell(f"{fault}: this system cannot limit the files of a running process")
            continue
        outcomes.append(await try_fault(fault, times, seed, _tell, is_short=is_short))
    return outcomes


def _faults(text: str) -> list[str]:
    names = text.split(",")
    if unknown := set(names) - set(campaign.EVERY_FAULT):
        raise argparse.ArgumentTypeError(f"unknown: {', '.join(sorted(unknown))}")
    return names


def _tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
