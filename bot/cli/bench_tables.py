"""Measurements as tables for people."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from bot.cli.output import text_console

if TYPE_CHECKING:
    from bot.bench.arena_load import ArenaLoad
    from bot.bench.capacity import Capacity
    from bot.bench.summary import Times


def print_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for place, title in enumerate(head):
        table.add_column(title, justify="right" if place else "left")
    for row in rows:
        table.add_row(*row)
    text_console().print(table)


def print_times(times: "Mapping[str, Times]") -> None:
    rows = [
        (name, *(f"{figure:g}" for figure in (t.count, t.median, t.p90, t.p95, t.p99, t.highest)))
        for name, t in times.items()
    ]
    print_table(("ms", "count", "median", "p90", "p95", "p99", "highest"), rows)


def print_load(load: "ArenaLoad") -> None:
    """What `bluestone bench arena` measured."""
    found = load.measured
    times = {"sent to arrival": found.arrival_ms, "sent to acknowledged": found.acknowledged_ms}
    if found.spectators is not None:
        times["sent to the median spectator"] = found.spectators.median_ms
        times["sent to the last spectator"] = found.spectators.last_ms
    audience = f", {load.spectators} spectators of one" if load.spectators else ""
    print(
        f"{load.games} games at once{audience}, {found.turns_a_second:g} turns a second "
        f"for {load.seconds:g} s"
    )
    print_times(times)
    print(f"arena: {_figure(found.cpu_ms_a_turn)} ms of CPU a turn; {_memory(load)}")
    print(f"clients: {found.busy:.0%} of a core in the busiest process")
    print(f"games ended: {_counted(found.ended)}; otherwise than by the rules: {found.forfeits}")
    print(f"refusals: {_counted(found.refusals)}; tables given up: {_counted(found.given_up)}")
    missed = f"; not seen by a spectator: {found.spectators.missed}" if found.spectators else ""
    print(f"turns without an answer: {found.unanswered}{missed}")


def print_capacity(capacity: "Capacity") -> None:
    """What `bluestone bench arena --capacity` measured."""
    rows = [
        (
            f"{step.pause_s:.3f}",
            f"{found.turns_a_second:g}",
            *(f"{figure:g}" for figure in (found.arrival_ms.median, found.arrival_ms.p99)),
            _figure(found.cpu_ms_a_turn),
            f"{found.busy:.0%}",
            "yes" if step.borne else "no",
        )
        for step in capacity.steps
        for found in (step.measured,)
    ]
    head = ("pause s", "turns/s", "median ms", "p99 ms", "CPU ms a turn", "clients busy", "borne")
    print_table(head, rows)
    limit = f"before the 99th percentile passes {capacity.bound_ms:g} ms"
    print(f"{capacity.games} games at once: {_figure(capacity.turns_a_second)} turns/s {limit}")


def _memory(load: "ArenaLoad") -> str:
    memory = load.memory_mb
    if memory is None:
        return "memory -"
    return f"memory {memory.before:g} MB before, {memory.during:g} in it, {memory.after:g} after"


def _counted(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in sorted(counts.items())) or "none"


def _figure(figure: float | None) -> str:
    return "-" if figure is None else f"{figure:g}"
