"""Measurements as tables for people."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from bot.cli.output import text_console

if TYPE_CHECKING:
    from bot.bench.arena_load import ArenaLoad, Capacity
    from bot.bench.summary import Times
    from bot.bench.usage import Memory
    from tests.lab.abuse import Outcome
    from tests.lab.interval_coverage import Coverage
    from tests.lab.review_noise import ReviewNoise
    from tests.lab.sprt_errors import SprtRun


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


def print_review_noise(found: "Sequence[ReviewNoise]") -> None:
    """What `bluestone bench review` measured."""
    rows = [
        (
            *(each.game, each.board, f"{each.playouts:,}", str(each.turns), f"{each.agreed:.0%}"),
            *(f"{loss:.1%}" for loss in (each.loss_p90, each.loss_p98, each.loss_highest)),
            *(f"{share:.0%}" for share in (each.mistakes, each.blunders, each.random_marked)),
        )
        for each in found
    ]
    head = ("game", "board", "playouts", "turns", "agree", "90 %", "98 %", "highest")
    print_table((*head, "? or ??", "??", "random ? or ??"), rows)


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
    print(f"arena: {_figure(found.cpu_ms_a_turn)} ms of CPU a turn; {_memory(load.memory_mb)}")
    machine = _share(found.used.machine if found.used else None)
    print(
        f"clients: {found.busy:.0%} of a core in the busiest process; "
        f"the machine, other work included: {machine} of its cores"
    )
    print(f"games ended: {_counted(found.ended)}; otherwise than by the rules: {found.forfeits}")
    print(f"refusals: {_counted(found.refusals)}; tables given up: {_counted(found.given_up)}")
    print(f"turns without an answer: {found.unanswered}")
    if found.spectators is not None:
        came = found.spectators.coming_s
        late = "" if came is None else f"; all of them were there after {came:g} s"
        print(f"turns that a spectator did not see: {found.spectators.missed}{late}")


def print_capacity(capacity: "Capacity") -> None:
    """What `bluestone bench arena --capacity` measured."""
    rows = [
        (
            f"{step.pause_s:.3f}",
            f"{found.turns_a_second:g}",
            *(f"{figure:g}" for figure in (found.arrival_ms.median, found.arrival_ms.p99)),
            _figure(found.cpu_ms_a_turn),
            _share(found.used.machine if found.used else None),
            "yes" if step.borne else "no",
        )
        for step in capacity.steps
        for found in (step.measured,)
    ]
    head = ("pause s", "turns/s", "median ms", "p99 ms", "CPU ms a turn", "cores busy", "borne")
    print_table(head, rows)
    limit = f"before the 99th percentile passes {capacity.bound_ms:g} ms"
    print(f"{capacity.games} games at once: {_figure(capacity.turns_a_second)} turns/s {limit}")


def print_abuse(outcomes: "Sequence[Outcome]") -> None:
    """What `bluestone bench abuse` measured."""
    rows = [
        (
            each.abuse,
            str(each.tried),
            str(each.inside),
            f"{each.login_median_s:.3f}",
            f"{each.login_slowest_s:.3f}",
            f"{each.turn_slowest_ms:g}",
            str(sum(each.refused.values()) + each.lost),
            *_memories(each.memory_mb),
            str(each.log_lines),
            _share(each.machine),
        )
        for each in outcomes
    ]
    print_table(
        (
            *("abuse", "tried", "inside", "login s", "slowest", "turn ms", "refused, lost"),
            *("MB before", "during", "after", "log lines", "cores busy"),
        ),
        rows,
    )
    for each in outcomes:
        print(f"{each.abuse}: shut out {_counted(each.shut_out)}; {_verdict(each)}")


def _verdict(outcome: "Outcome") -> str:
    if not outcome.broken:
        return "honest players did not notice"
    refused = f" ({_counted(outcome.refused)})" if outcome.refused else ""
    return f"BROKEN: {', '.join(outcome.broken)}{refused}"


def _memories(memory: "Memory | None") -> tuple[str, str, str]:
    if memory is None:
        return "-", "-", "-"
    return f"{memory.before:g}", f"{memory.during:g}", f"{memory.after:g}"


def _memory(memory: "Memory | None") -> str:
    before, during, after = _memories(memory)
    return f"memory {before} MB before, {during} in it, {after} after"


def _counted(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in sorted(counts.items())) or "none"


def _share(share: float | None) -> str:
    return "-" if share is None else f"{share:.0%}"


def _figure(figure: float | None) -> str:
    return "-" if figure is None else f"{figure:g}"


def print_coverage(found: "Sequence[Coverage]") -> None:
    """What `bluestone bench ratings` measured."""
    rows = [
        (
            *(each.format, str(each.players), str(each.rounds), str(each.games)),
            *(str(each.simulations), f"{each.held:.1%}", f"{each.width:.0f}"),
            *(f"{each.held_by_games:.1%}", f"{each.width_by_games:.0f}"),
            *(f"{each.differences_held:.1%}", f"{each.advantages_held:.1%}"),
            f"{each.superior:.1%} ({each.said_superior:.1%} said)",
        )
        for each in found
    ]
    head = ("format", "players", "rounds", "games", "simulations", "held", "width")
    more = ("by games", "width", "differences", "advantage", "stronger")
    print_table((*head, *more), rows)


def print_sprt_errors(found: "Sequence[SprtRun]") -> None:
    """What `bluestone bench sprt` measured."""
    rows = [
        (
            *(f"{each.elo:g}", str(each.simulations), f"{each.accepted_h0:.1%}"),
            *(f"{each.accepted_h1:.1%}", f"{each.undecided:.1%}"),
            "-" if each.wrong is None else f"{each.wrong:.1%} (at most {each.allowed:.0%})",
            *(f"{each.mean_pairs:.0f}", f"{each.most_pairs:,}"),
        )
        for each in found
    ]
    head = ("true Elo", "tests", "H0", "H1", "undecided", "wrong", "mean pairs", "most")
    print_table(head, rows)
