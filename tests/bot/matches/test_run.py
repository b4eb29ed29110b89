"""The first event of a local tournament, and how it is continued."""

import platform
from pathlib import Path
from typing import Any

import pytest

from bot.matches.ledger import LEDGER, Chain, Ledger, append_events
from bot.matches.run import LocalEvent, machine_words, run_event
from bot.matches.settings import LocalSettings, settings_of
from bot.time_source import SystemTime


def swiss(**options: Any) -> LocalSettings:
    raw = {
        "name": "test",
        "format": {"kind": "swiss", "rounds": 1, **options},
        "players": [{"name": "one", "builtin": "random"}, {"name": "two", "builtin": "random"}],
        "setups": [{"game": "bluestone", "board": "pent-4", "nodes": 10}],
    }
    return settings_of(raw, "test")


def test_the_first_event_of_a_swiss_names_system_edition_and_program() -> None:
    began = LocalEvent(swiss(), []).began()

    assert began.paired_by is not None
    assert began.paired_by.startswith(
        "FIDE Dutch System (C.04.3), edition of February 2026, by bluestone "
    )


def test_other_formats_name_no_edition() -> None:
    settings = swiss()
    table = settings.format.model_copy(update={"kind": "round-robin"})

    assert LocalEvent(settings.model_copy(update={"format": table}), []).began().paired_by is None


@pytest.mark.parametrize("earlier", [None, "FIDE Dutch System, edition of 2017, by bluestone 0.1"])
async def test_a_swiss_that_another_version_began_to_pair_is_continued(
    tmp_path: Path, earlier: str | None
) -> None:
    settings, notes = swiss(), list[str]()
    began = LocalEvent(settings, []).began().model_copy(update={"paired_by": earlier})
    append_events(tmp_path / LEDGER, SystemTime().wall(), [began], Chain())

    played = await run_event(settings, tmp_path, SystemTime(), lambda *_: None, notes.append)

    assert played is not None
    assert (len(played.played), played.ended) == (2, "all rounds are played")
    assert any("rounds from now on are paired by FIDE Dutch System" in note for note in notes)


async def test_a_swiss_that_may_end_early_begins_with_a_warning(tmp_path: Path) -> None:
    async def warnings() -> list[str]:
        notes: list[str] = []
        settings = swiss(rounds=2)
        await run_event(settings, tmp_path, SystemTime(), lambda *_: None, notes.append)
        return [note for note in notes if note.startswith("warning: format.rounds: 2 rounds")]

    assert len(await warnings()) == 1
    assert await warnings() == [], "an ended tournament"


def test_the_first_event_names_the_machine(tmp_path: Path) -> None:
    info = tmp_path / "cpuinfo"
    info.write_text("processor\t: 0\nmodel name\t: Fast CPU @ 3 GHz\nflags\t: fpu\n")
    assert machine_words(info).startswith("Fast CPU @ 3 GHz, ")
    assert f"CPython {platform.python_version()}, {platform.system()} " in machine_words(info)
    assert machine_words(tmp_path / "none").partition(",")[0]
    assert LocalEvent(swiss(), []).began().machine == machine_words()


@pytest.mark.parametrize("machine", [None, "another processor, 64 cores"])
def test_a_tournament_of_another_machine_is_continued(tmp_path: Path, machine: str | None) -> None:
    began = LocalEvent(swiss(), []).began().model_copy(update={"machine": machine})
    append_events(tmp_path / LEDGER, SystemTime().wall(), [began], Chain())
    with Ledger.opened(tmp_path, SystemTime()) as ledger:
        ledger.begin(LocalEvent(swiss(), []).began())
        assert ledger.tournament.began.machine == machine
