"""`bluestone tournament pair` on a report file."""

from pathlib import Path

from tests.bot.cli.commands import Bluestone
from tests.bot.matches.made_up import tournament, write

REPORT = """\
012 Autumn Open
XXR 5
XXC white1
001    1      One                              2100                             0.0    1
001    2      Two                              2000                             0.0    2
001    3      Three                            1900                             0.0    3
001    4      Four                             1800                             0.0    4
001    5      Five                             1700                             0.0    5
"""


def test_the_next_round_is_printed_as_pairing_programs_do(
    bluestone: Bluestone, tmp_path: Path
) -> None:
    file = tmp_path / "open.trf"
    file.write_text(REPORT)

    outcome = bluestone("tournament", "pair", file)

    assert (outcome.code, outcome.out) == (0, "3\n1 3\n4 2\n5 0\n")


def test_an_error_is_reported_with_its_line(bluestone: Bluestone, tmp_path: Path) -> None:
    file = tmp_path / "open.trf"
    file.write_text(REPORT.replace("white1", "green1"))

    outcome = bluestone("tournament", "pair", file)

    assert outcome.code == 78
    assert f"{file}:3: XXC: `green1` is not supported" in outcome.err


def test_an_impossible_round_and_a_missing_file_are_reported(
    bluestone: Bluestone, tmp_path: Path
) -> None:
    file = tmp_path / "open.trf"
    file.write_text(f"{REPORT}XXP 1 2 3 4 5\n")

    assert "round 1 cannot be paired: no pairing" in bluestone("tournament", "pair", file).err
    assert "cannot be read" in bluestone("tournament", "pair", tmp_path / "none.trf").err


def test_an_exit_code_of_its_own_says_that_all_rounds_are_paired(
    bluestone: Bluestone, tmp_path: Path
) -> None:
    file = tmp_path / "open.trf"
    rows = [f"{line}  0000 - U" if line[:3] == "001" else line for line in REPORT.splitlines()]
    file.write_text("\n".join(rows).replace("XXR 5", "XXR 1"))

    outcome = bluestone("tournament", "pair", file)

    assert (outcome.code, outcome.out) == (3, "")
    assert outcome.err == f"bluestone: {file}: all rounds are paired already (XXR or 142: 1)\n"


def test_a_swiss_is_exported_as_a_report(bluestone: Bluestone, tmp_path: Path) -> None:
    write(tmp_path, tournament())

    outcome = bluestone("tournament", "export", tmp_path, "--format", "trf")

    assert outcome.code == 0
    lines = outcome.out.splitlines()
    assert lines[0] == "012 Stones & <Bones>"
    players = [line for line in lines if line.startswith("001")]
    assert len(players) == 6
    assert players[0][80:] == (" 3.0    1     2 w 0     3 w =  0000 - H     5 w 1  0000 - U")
    assert players[5].endswith("0000 - Z  0000 - Z"), "absent since it withdrew"
