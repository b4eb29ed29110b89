"""match and tournament run, called as a shell would."""

import json
import shlex
from pathlib import Path

import pytest

from bot.matches.ledger import LEDGER, read_ledger
from tests.bot.cli.commands import Bluestone
from tests.bot.cli.conftest import Leaver

QUICK = ("--board", "pent-3", "--nodes", "10")


def test_a_match_of_three_ends_with_a_table_the_best_first(bluestone: Bluestone) -> None:
    outcome = bluestone("match", "random", "search:Threads=1", "random", "--games", "2", *QUICK)

    assert outcome.code == 0
    head, first, *rest = outcome.out.splitlines()
    assert head.split()[:3] == ["player", "games", "won"]
    assert first.split()[:2] == ["search:Threads=1", "4"]
    assert [line.split("  ")[0] for line in rest[:2]] != ["random", "random"]
    assert outcome.err.count("game ") == 6


@pytest.mark.parametrize("more", [(), ("--sprt", "0,10")])
def test_a_match_of_two_has_the_difference_with_all_that_fastchess_prints(
    bluestone: Bluestone, tmp_path: Path, more: tuple[str, ...]
) -> None:
    words = ("match", "random", "search:Threads=1", "--games", "8", *QUICK, "--out", tmp_path)
    shown = bluestone(*words, *more).out
    labels = ("Elo difference: ", "nElo: ", "LOS: ", "Ptnml(0-2): [", "LLR: ")
    starts = [line for line in shown.splitlines() if line.startswith(labels)]
    assert len(starts) == len(labels)
    assert "Elo " not in shown.splitlines()[0]

    document = json.loads(bluestone(*words, *more, "--json").out)
    match = document["match"]
    assert match["players"] == ["random", "search:Threads=1"]
    assert sum(match["pentanomial"]) == 4
    assert match["elo"]["low"] <= match["elo"]["value"] <= match["elo"]["high"]
    assert match["elo"]["is_bounded"] == (match["score"] in (0, 1))
    assert {"normalised_elo", "superiority", "draws", "draw_share"} <= match.keys()
    assert match["llr"]["lower"] == pytest.approx(-2.944, abs=1e-3)
    assert match["llr"]["is_test"] == bool(more)
    assert match["llr"]["elo1"] == (10 if more else 5)
    assert [each["elo"] for each in document["players"]] == [None, None]


def test_a_table_of_three_names_the_zero_of_elo(bluestone: Bluestone, tmp_path: Path) -> None:
    words = ("match", "random", "random", "random", "--games", "2", *QUICK, "--out", tmp_path)
    assert "Elo 0 is the mean of the players." in bluestone(*words).out
    anchored = bluestone(*words, "--anchor", "random (2)")
    assert "Elo 0 is random (2)." in anchored.out
    (row,) = (each for each in anchored.out.splitlines() if each.startswith("random (2)"))
    assert row.split()[-4:] == ["0", "0", "to", "0"]

    document = json.loads(bluestone(*words, "--anchor", "random (2)", "--json").out)
    elo = {each["name"]: each["elo"] for each in document["players"]}
    assert document["anchor"] == "random (2)"
    assert elo["random (2)"]["value"] == 0
    assert {each["is_bounded"] for each in elo.values()} <= {True, False}


def test_an_anchor_who_does_not_play_is_refused_before_the_first_game(
    bluestone: Bluestone, tmp_path: Path
) -> None:
    outcome = bluestone("match", "random", "random", "--anchor", "radnom", "--out", tmp_path)
    assert outcome.code == 78
    assert "did you mean 'random'?" in outcome.err
    assert not (tmp_path / LEDGER).exists()


def test_engines_play_outside_the_box_if_asked(bluestone: Bluestone, leaver: Leaver) -> None:
    words = ("match", shlex.join(leaver.command), "random", "--games", "2", *QUICK)
    inside = bluestone(*words)
    assert "it runs in a box: allow more by `read = [...]`" in inside.err
    assert not leaver.has_left_a_mark()
    assert bluestone(*words, "--no-sandbox").code == 0
    assert leaver.has_left_a_mark()


def test_the_file_of_engines_loosens_the_box(
    bluestone: Bluestone, leaver: Leaver, tmp_path: Path
) -> None:
    file = tmp_path / "engines.toml"
    box = f'sandbox = {{ write = ["{leaver.folder}"] }}'
    file.write_text(f"[engines.mine]\ncommand = {json.dumps(leaver.command)}\n{box}\n")
    words = ("match", "mine", "random", "--games", "2", *QUICK, "--engines", file)
    assert bluestone(*words).code == 0
    assert leaver.has_left_a_mark()


def test_a_table_of_players_loosens_the_box(
    bluestone: Bluestone, leaver: Leaver, tmp_path: Path
) -> None:
    file = tmp_path / "tournament.toml"
    file.write_text(
        'name = "two"\ngames_per_pairing = 2\n'
        '[[setups]]\ngame = "bluestone"\nboard = "pent-3"\nnodes = 10\n'
        f'[[players]]\nname = "mine"\ncommand = {json.dumps(leaver.command)}\n'
        f'sandbox = {{ write = ["{leaver.folder}"] }}\n'
        '[[players]]\nname = "other"\nbuiltin = "random"\n'
    )
    assert bluestone("tournament", "run", file, "--out", tmp_path / "out").code == 0
    assert leaver.has_left_a_mark()


def test_a_gauntlet_is_one_against_the_others(bluestone: Bluestone) -> None:
    words = ("match", "random", "random", "random", "--gauntlet", "--games", "2", "--json")
    outcome = bluestone(*words, *QUICK)

    players = {each["name"]: each["games"] for each in json.loads(outcome.out)["players"]}
    assert players == {"random": 4, "random (2)": 2, "random (3)": 2}


def test_the_same_command_continues_and_a_different_one_is_refused(
    bluestone: Bluestone, tmp_path: Path
) -> None:
    words = ("match", "random", "random", "--games", "2", *QUICK, "--out", tmp_path)
    first, again = bluestone(*words), bluestone(*words)
    other = bluestone(*words, "--seed", "3")

    assert (first.code, again.code, other.code) == (0, 0, 78)
    assert first.out.splitlines()[:4] == again.out.splitlines()[:4]
    assert "game " not in again.err
    assert "settings.seed: 0 there, 3 now" in other.err


def test_the_options_of_hosts_are_keys_of_the_tournament(
    bluestone: Bluestone, tmp_path: Path
) -> None:
    suite = tmp_path / "suite.txt"
    suite.write_text("0-0\n1-0\n1-1\n")
    words = ["match", "random", "random", "--games", "4", *QUICK, "--out", tmp_path / "m"]
    words += ["--names", "old,new", "--sprt", "0,10", "--alpha", "0.1", "--beta", "0.2"]
    words += ["--elo-model", "normalized", "--margin", "40ms", "--resign", "0.05,3", "--restart"]
    words += ["--draw", "0.01,6", "--most-turns", "90"]
    words += ["--openings", suite, "--openings-order", "random", "--openings-start", "2"]
    outcome = bluestone(*words)
    assert outcome.code == 0
    assert "after 1 pair: LLR " in outcome.err
    tournament = read_ledger(tmp_path / "m" / LEDGER).tournament
    assert tournament is not None
    began = tournament.began
    assert [entrant.name for entrant in began.entrants] == ["old", "new"]
    test = {"elo0": 0, "elo1": 10, "alpha": 0.1, "beta": 0.2, "model": "normalised"}
    assert began.settings["sprt"] == test
    conduct = began.settings["conduct"]
    assert (conduct["margin_ms"], conduct["most_turns"], conduct["restart"]) == (40, 90, True)
    assert (conduct["resign"]["below"], conduct["resign"]["turns"]) == (0.05, 3)
    assert (conduct["agree"]["margin"], conduct["agree"]["turns"]) == (0.01, 6)
    lines = [tuple(line) for line in began.settings["opening_lines"][0]]
    assert sorted(lines) == [("0-0",), ("1-0",), ("1-1",)]
    assert "nElo ahead" in str(tournament.ended) or "pairings are played" in str(tournament.ended)


@pytest.mark.nightly
def test_a_sequential_test_ends_when_it_is_decided(bluestone: Bluestone, tmp_path: Path) -> None:
    words = ("match", "search:Threads=1", "random", "--sprt", "0,200", "--games", "60")
    outcome = bluestone(*words, *QUICK, "--openings", "random:2", "--out", tmp_path)

    assert outcome.code == 0
    tournament = read_ledger(tmp_path / LEDGER).tournament
    assert tournament is not None
    assert len(tournament.played) < 60
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
        (("--time", "1s", "--nodes", "5"), "--time and --nodes: give only one of them"),
        (("--time", "soon"), "--time 'soon': write it as 100ms or 1.5s"),
        (("--sprt", "5"), "--sprt '5': write it as ELO0,ELO1"),
        (("--sprt", "nan,5"), "sprt.elo0: "),
        (("--sprt", "0,inf"), "sprt.elo1: "),
        (("--option", "x"), "--option 'x': write it as NAME=VALUE"),
        (("--openings", "random:0"), "write random:PLIES"),
        (("--engines", "no-such-file"), "no-such-file: cannot be read"),
    ],
)
def test_an_impossible_match_is_refused(
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
def test_run_ends_with_the_standings_of_show(
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


def test_a_swiss_of_too_many_rounds_has_a_warning_and_a_second_run_says_that_it_continues(
    bluestone: Bluestone, tmp_path: Path
) -> None:
    file, out = tmp_path / "t.toml", tmp_path / "out"
    file.write_text(
        'players = [{ name = "C", builtin = "random" }, { name = "D", builtin = "random" }]\n'
        'format = { kind = "swiss", rounds = 3 }\nsetups = [{ board = "pent-3", nodes = 5 }]\n'
    )
    ran = bluestone("tournament", "run", file, "--out", out)
    assert "warning: format.rounds: 3 rounds are too many for 2 players" in ran.err
    ledger = out / LEDGER
    lines = ledger.read_text().splitlines(keepends=True)
    ledger.write_text("".join(lines[:-1]))  # killed before its end was written down
    again = bluestone("tournament", "run", file, "--out", out)
    assert "continuing after 2 games" in again.err
    assert "buch. Buchholz" in bluestone("tournament", "show", out).out


def test_an_engine_may_have_a_limit_of_its_own_and_the_protocol_is_logged(
    bluestone: Bluestone, tmp_path: Path
) -> None:
    own = ("--limit", "search:Threads=1=3nodes", "--log", tmp_path / "log")
    words = ("match", "random", "search:Threads=1", "--games", "2", *QUICK, *own)
    assert bluestone(*words).code == 0
    first, second = sorted((tmp_path / "log").iterdir())
    assert (first.name, second.name) == ("match-1.log", "match-2.log")
    head, *lines = first.read_text().splitlines()
    assert head.endswith("match-1: 1 random, 2 search:Threads=1")
    asked = {line.partition(" > go ")[2] for line in lines if " 2 search:Threads=1 > go " in line}
    assert asked == {"nodes 3"}
    asked = {line.partition(" > go ")[2] for line in lines if " 1 random > go " in line}
    assert asked == {"nodes 10"}
    seconds = [float(line.split()[0]) for line in lines]
    assert seconds == sorted(seconds)
    assert any(" 2 search:Threads=1 < bestmove " in line for line in lines)


@pytest.mark.parametrize(
    ("limit", "complaint"),
    [
        ("nobody=10ms", "there is no engine 'nobody'"),
        ("10ms", "write it as NAME=LIMIT"),
        ("random=soon", "--limit 'random=soon': 'soon' is not a time control"),
        ("random=soon", "or 100ms or 1.5s per turn, or 500nodes"),
        ("random=0nodes", "greater than or equal to 1"),
    ],
)
def test_a_limit_that_makes_no_sense_is_refused(
    bluestone: Bluestone, limit: str, complaint: str
) -> None:
    outcome = bluestone("match", "random", "random", "--games", "2", *QUICK, "--limit", limit)
    assert outcome.code == 78
    assert complaint in outcome.err


def test_a_log_that_cannot_be_written_does_not_stop_a_match(
    bluestone: Bluestone, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("in the way")
    words = ("match", "random", "random", "--games", "2", *QUICK)
    assert bluestone(*words, "--log", tmp_path / "file" / "log").code == 0
