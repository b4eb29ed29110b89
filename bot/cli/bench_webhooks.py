"""`bluestone bench webhooks`: calls that a bot on Abstract Play has to refuse."""

import asyncio
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter, validators

from bot.cli.bench_tables import print_table
from bot.cli.output import error_console, only_errors_logged, print_json
from bot.cli.records import Json

if TYPE_CHECKING:
    from tests.lab.webhooks import WebhooksOutcome

Count = Annotated[int, Parameter(validator=validators.Number(gte=1, lte=1_000_000))]


def webhooks(
    *,
    calls: Annotated[Count, Parameter(help="bad ones")] = 10_000,
    at_once: Annotated[Count, Parameter(help="bad calls at the same time")] = 10,
    pause: Annotated[Count, Parameter(help="milliseconds between valid calls")] = 2,
    engines: Annotated[
        int, Parameter(help="that think meanwhile", validator=validators.Number(gte=0, lte=64))
    ] = 0,
    seed: int = 1,
    as_json: Json = False,
) -> int:
    """Forged, stale, replayed, oversized and malformed calls to a bot, with valid ones beside them.

    Ends with 1 if a bad call was accepted or wrongly answered, if a valid one was not, was lost or
    took more than 50 ms, or if the bot's memory grew by more than 10 %.
    """
    from tests.lab.webhooks import WebhooksPlan, measure

    only_errors_logged()
    plan = WebhooksPlan(calls, at_once, pause, engines=engines, seed=seed)
    outcome = asyncio.run(measure(plan, error_console().print))
    if as_json:
        print_json({**asdict(outcome), "fine": outcome.fine})
    else:
        _print(outcome)
    return int(not outcome.fine)


def _print(found: "WebhooksOutcome") -> None:
    for group, answers in found.answers.items():
        told = (f"{count} {status}" for status, count in answers.items())
        print(f"{group}: {', '.join(told) or 'none'}")
    times = found.latency_ms
    rows: list[tuple[str, object, object]] = [
        ("bad calls", found.calls, "-"),
        ("bad calls accepted", found.accepted, 0),
        ("bad calls refused in a wrong way", found.wrong, 0),
        ("valid calls beside them", found.valid, "-"),
        ("valid calls not accepted", found.failed, 0),
        ("valid calls accepted and lost", found.lost, 0),
        ("answer to a valid call, median ms", times.median, "-"),
        ("99th percentile", times.p99, "-"),
        ("longest", times.highest, 50),
        ("memory before, MB", _figure(found.memory_before_mb), "-"),
        ("memory after, MB", _figure(found.memory_after_mb), "+ 10 %"),
        ("lines in the log", found.log_lines, "-"),
        ("seconds", found.seconds, "-"),
    ]
    print_table(("", "found", "bound"), [(name, f"{is_}", f"{may}") for name, is_, may in rows])


def _figure(figure: float | None) -> str:
    return "-" if figure is None else f"{figure:g}"
