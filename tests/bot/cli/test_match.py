"""match and tournament run, called as a shell would."""

import json
from pathlib import Path

import pytest

from bot.matches.ledger_file import LEDGER, read_ledger
from tests.bot.cli.commands import Bluestone

QUICK = ("--board", "pent-3", "--nodes", "10")


def test_a_match_of_three_ends_with_a_table_the_best_first(bluestone: Bluestone) -> None:
    outcome = bluestone("match", "random", "search:Threads=1", "random", "--games", "2", *QUICK)

    assert outcome.code == 0
    head, first, *rest = outcome.out.splitlines()
    assert head.split()[:3] == ["player", "games", "won"]
    assert first.split()[:2] == ["search:Threads=1", "4"]
    assert [line.split("  ")[0] for line in rest[:2]] != ["random", "random"]
    assert outcome.err.count("game ") == 6


def test_a_gauntlet_is_one_against_the_others(bluestone: Bluestone) -> None:
    words = ("match", "random", "random", "random", "--gauntlet", "--games", "2", "--json")
    outcome = bluestone(*words, *QUICK)

    players = {each["name"]: each["games"] for each in json.loads(outcome.out)["players"]}
    assert players == {"random": 4, "random (2)": 2, "random (3)": 2}


def test_the_same_command_again_goes_on_and_another_is_refused(
    bluestone: Bluestone, tmp_path: Path
) -> None:
    words = ("match", "random", "random", "--games", "2", *QUICK, "--out", tmp_path)
    first, again = bluestone(*words), bluestone(*words)
    other = bluestone(*words, "--seed", "3")

    assert (first.code, again.code, other.code) == (0, 0, 78)
    assert first.out.splitlines()[:4] == again.out.splitlines()[:4]
    assert "game " not in again.err
    assert "settings.seed: 0 there, 3 now" in other.err


def test_a_sequential_test_ends_when_it_is_decided(bluestone: Bluestone, tmp_path: Path) -> None:
    words = ("match", "search:Threads=1", "random", "--sprt", "0,200", "--games", "200")
    outcome = bluestone(*words, *QUICK, "--openings", "random:2", "--out", tmp_path)

    assert outcome.code == 0
    tournament = read_ledger(tmp_path / LEDGER).tournament
    assert tournament is not None
    assert len(tournament.played) < 100
    assert "The end: search:Threads=1 is more than 0 Elo ahead of random" in outcome.out
    assert all(len(game.opening) == 2 for game in tournament.games())


def test_a_tournament_of_a_file_is_played(bluestone: Bluestone, tmp_path: Path) -> None:
    file = tmp_path / "t.toml"
    file.write_text(
        'players = [{ name = "A", builtin = "random" }, { name = "B", builtin = "random" }]\n'
        'setups = [{ board = "pent-3", nodes = 5 }, { board = "pent-4", nodes = 5 }]\n'
        'mix = "all"\n'
    )
    outcome = bluestone("tournament", "run", file, "--out", tmp_path / "out", "--json")

    assert outcome.code == 0
    assert json.loads(outcome.out)["games"] == 4


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--time", "1s", "--nodes", "5"), "--time and --nodes: give one of them"),
        (("--time", "soon"), "--time 'soon': write it as 100ms or 1.5s"),
        (("--sprt", "5"), "--sprt '5': write it as ELO0,ELO1"),
        (("--sprt", "nan,5"), "sprt.elo0: "),
        (("--sprt", "0,inf"), "sprt.elo1: "),
        (("--option", "x"), "--option 'x': write it as NAME=VALUE"),
        (("--openings", "random:0"), "write random:PLIES"),
        (("--engines", "no-such-file"), "no-such-file: cannot be read"),
    ],
)
def test_what_makes_no_match_is_refused(
    bluestone: Bluestone, tmp_path: Path, words: tuple[str, ...], message: str
) -> None:
    outcome = bluestone("match", "random", "random", "--out", tmp_path, *words)

    assert outcome.code == 78
    assert message in outcome.err
    assert not (tmp_path / LEDGER).exists()


def test_an_engine_that_does_not_start_is_refused_before_the_first_game(
    bluestone: Bluestone, tmp_path: Path
) -> None:
    words = ("match", "random", "sh -c 'exit 3'", *QUICK, "--out", tmp_path)
    outcome = bluestone(*words)

    assert outcome.code == 78
    assert "sh -c 'exit 3': " in outcome.err
    assert not (tmp_path / LEDGER).exists()


@pytest.mark.parametrize("form", ['kind = "swiss", rounds = 2', 'kind = "double-knockout"'])
def test_what_run_prints_at_last_are_the_standings_that_show_has(
    bluestone: Bluestone, tmp_path: Path, form: str
) -> None:
    file, out = tmp_path / "t.toml", tmp_path / "out"
    players = ", ".join(f'{{ name = "{name}", builtin = "random" }}' for name in "CDEF")
    file.write_text(
        f"players = [{players}]\nformat = {{ {form} }}\n"
        'setups = [{ board = "pent-3", nodes = 5 }]\nseed = 5\n'
    )
    ran = bluestone("tournament", "run", file, "--out", out)
    shown = bluestone("tournament", "show", out)

    assert (ran.code, shown.code) == (0, 0)
    table = [line for line in ran.out.splitlines() if line.split()[:1] in [["1"], ["player"]]]
    assert len(table) >= 2
    assert "\n".join(ran.out.splitlines()[:5]) in shown.out
    if "knockout" in form:
        assert f"The end: {table[1].split()[1]} has won" in ran.out


def test_a_swiss_with_rounds_to_spare_is_doubted_and_what_goes_on_says_so(
    bluestone: Bluestone, tmp_path: Path
) -> None:
    file, out = tmp_path / "t.toml", tmp_path / "out"
    file.write_text(
        'players = [{ name = "C", builtin = "random" }, { name = "D", builtin = "random" }]\n'
        'format = { kind = "swiss", rounds = 3 }\nsetups = [{ board = "pent-3", nodes = 5 }]\n'
    )
    ran = bluestone("tournament", "run", file, "--out", out)
    assert "3 rounds of a Swiss are more than 2 players have opponents for" in ran.err
    ledger = out / LEDGER
    lines = ledger.read_text().splitlines(keepends=True)
    ledger.write_text("".join(lines[:-1]))  # killed before its end was written down
    again = bluestone("tournament", "run", file, "--out", out)
    assert "going on after 2 games" in again.err
    assert "buch. Buchholz" in bluestone("tournament", "show", out).out
