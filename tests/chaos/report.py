"""The results of all faults, as a table and as JSON."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from rich.console import Console
from rich.table import Table

from tests.chaos.trial import Outcome


def print_table(outcomes: Sequence[Outcome]) -> None:
    """Print a table on stdout, followed by everything that was lost."""
    table = Table("fault", box=None, pad_edge=False)
    for name in ("times", "survived", "longest recovery", "lost"):
        table.add_column(name, justify="right")
    for each in outcomes:
        longest = "" if each.longest_s is None else f"{each.longest_s:.1f} s"
        lost = str(len(each.lost)) if each.lost else "nothing"
        table.add_row(each.fault, str(each.times), str(each.survived), longest, lost)
    console = Console(highlight=False, markup=False)
    console.print(table)
    for each in outcomes:
        for sentence in dict.fromkeys(each.lost):
            console.print(f"{each.fault}: {sentence}", soft_wrap=True)


def as_json(outcomes: Sequence[Outcome]) -> list[dict[str, Any]]:
    return [asdict(each) for each in outcomes]


def markdown(outcomes: Sequence[Outcome]) -> str:
    """Return the table for a page, and a list of everything that was lost."""
    lines = ["| fault | times | survived | longest recovery | lost |", "| --- |" + " ---: |" * 4]
    for each in outcomes:
        longest = "" if each.longest_s is None else f"{each.longest_s:.1f} s"
        lost = str(len(each.lost)) if each.lost else "nothing"
        lines.append(f"| {each.fault} | {each.times} | {each.survived} | {longest} | {lost} |")
    lines += [f"- {each.fault}: {said}" for each in outcomes for said in dict.fromkeys(each.lost)]
    return "\n".join(lines)
