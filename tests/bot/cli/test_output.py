"""What commands print cannot steer the terminal, whatever names records and servers have."""

import pytest
from rich.table import Table

from bot.cli.output import note, print_table, text_console

EVIL = "Gra\x1b[2J\x1b]0;x\x07nite\u202e\x9b31m"


@pytest.mark.parametrize("styled", [False, True])
def test_names_with_escape_codes_are_printed_without_them(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, styled: bool
) -> None:
    if styled:
        monkeypatch.setenv("FORCE_COLOR", "1")
        monkeypatch.setenv("TERM", "xterm")
    print_table(["player"], [[EVIL]])
    table = Table(EVIL)
    table.add_row(EVIL)
    text_console().print(EVIL, table, style="bold")
    note(EVIL)
    found = capsys.readouterr()
    for code in ("\x1b[2J", "\x1b]", "\x07", "\u202e", "\x9b"):
        assert code not in found.out + found.err
    assert "nite" in found.out
