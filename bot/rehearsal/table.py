"""A rehearsal in words: one line while it goes on, tables at the end."""

from typing import Final

from bot.rehearsal.plan import Outcome, Progress

LIVE: Final = (
    ("games over", "games"),
    ("turns of the bot", "turns"),
    ("calls sent", "calls"),
    ("calls lost", "lost"),
    ("calls twice", "twice"),
    ("submissions too many", "429"),
    ("submissions cut after", "cut"),
)


def line(progress: Progress) -> str:
    """The counters that are worth watching."""
    counts = progress.counts
    over = counts.get("games over", 0)
    parts = [f"{progress.seconds:.0f} s", f"{over} of {progress.games} games"]
    parts += [f"{counts.get(name, 0)} {word}" for name, word in LIVE[1:]]
    parts += [f"{progress.kills} kills", f"{progress.violations} violations"]
    return ", ".join(parts)


def happened(outcome: Outcome) -> list[tuple[str, str]]:
    """What happened, by name; what never did is left out."""
    rows = [
        ("seconds", f"{outcome.seconds:.0f}"),
        ("longest wait for a turn, seconds", f"{outcome.slowest_turn_s:.1f}"),
        ("longest answer of the webhook, ms", f"{outcome.slowest_call_ms}"),
    ]
    return rows + [(name, str(count)) for name, count in sorted(outcome.counts.items()) if count]


def must_hold(outcome: Outcome) -> list[tuple[str, str, str]]:
    """Each check with what was found and an example."""
    return [(check.name, str(check.found), "; ".join(check.examples)) for check in outcome.checks]
