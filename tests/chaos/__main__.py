"""`python -m tests.chaos`: inject each fault many times, and print a table."""

import argparse
import asyncio
import json
import sys
from collections.abc import Sequence

from bot.runtime.logs import configure_logging
from tests.chaos.report import as_json, print_table
from tests.chaos.trial import CAN_FILL_DISKS, FAULTS, NEED_FULL_DISKS, Outcome, try_fault

ABOUT = """
Starts the real programs with games running all the time, strikes a fault at a moment chosen by
lot, waits until all games go on, and compares every turn that a player was told of with what the
arena has. Recovery counts from the kill, or from the end of the trouble, until every running game
has two more turns. Exit status 1 if anything was lost.

The wall clock of clock-stepped is the arena's own: the machine's is not touched. damaged-files
are several kinds, each tried as often as it takes to reach --times.
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
    parser.add_argument("--faults", type=_faults, default=FAULTS, help=", ".join(FAULTS))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--short",
        action="store_true",
        help="run a bot only if a fault needs one; stop at the first loss",
    )
    parser.add_argument("--json", action="store_true", help="print the table as JSON")
    options = parser.parse_args()
    configure_logging("error")
    outcomes = asyncio.run(_run(options.faults, options.times, options.seed, options.short))
    if options.json:
        print(json.dumps(as_json(outcomes), indent=2))
    else:
        print_table(outcomes)
    return 1 if any(outcome.lost for outcome in outcomes) else 0


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
    if unknown := set(names) - set(FAULTS):
        raise argparse.ArgumentTypeError(f"unknown: {', '.join(sorted(unknown))}")
    return names


def _tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
