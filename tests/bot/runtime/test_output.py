"""What commands print cannot steer the terminal, whatever names records and servers have."""

import pytest
from rich.table import Table

from bot.runtime.output import note, print_list, print_table, text_console

EVIL = "Gra\x1b[2J\x1b]0;x\x07nite\u202e\x9b31m"


@pytest.mark.parametrize("styled", [False, True])
def test_names_with_escape_codes_are_printed_without_them(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, styled: bool
) -> None:
    if styled:
        monkeypatch.setenv("FORCE_COLOR", "1")
        monkeypatch.setenv("TERM", "xterm")
    print_table(["player"], [[EVIL]])
    print_list(["player", "turns"], [[EVIL, "7"]], number="turns")
    table = Table(EVIL)
    table.add_row(EVIL)
    text_console().print(EVIL, table, style="bold")
    note(EVIL)
    found = capsys.readouterr()
    for code in ("\x1b[2J", "\x1b]", "\x07", "\u202e", "\x9b"):
        assert code not in found.out + found.err
    assert "nite" in found.out


LONG = "Granite " * 12


def test_a_list_has_one_line_per_row_in_a_pipe_however_wide(
    capsys: pytest.CaptureFixture[str],
) -> None:
    print_list(["id", "player", "turns"], [["g1", LONG, "7"], ["石", "Ann", "112"]], number="turns")
    head, first, second = capsys.readouterr().out.splitlines()
    assert (head.split(), first.split()[-1], second.split()) == (
        ["id", "player", "turns"],
        "7",
        ["石", "Ann", "112"],
    )
    assert len(first) == len(head) == len(second) + 1, "aligned; a wide letter takes two places"


def test_a_list_is_wrapped_in_a_narrow_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("FORCE_COLOR", "1"), ("TERM", "xterm"), ("COLUMNS", "60")):
        monkeypatch.setenv(name, value)
    head, row = ["id", "started", "player", "turns"], ["g1", "2026-01-01", LONG, "7"]
    print_list(head, [row], number="turns")
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) > 2
    assert any("Granite" in line for line in lines)
