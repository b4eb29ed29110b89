"""play, check, arena token and host, and warm, called as a shell would."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from bot.arena.store.data_folder import address_noted, sole_user
from bot.records.jsonl import read_records
from bot.records.model import GameRecord
from bot.records.writing import verify
from tests.bot.cli.commands import Bluestone


def test_a_game_is_played_and_saved(
    bluestone: Bluestone, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    typed = iter(["0-0", "hint", "resign"])
    monkeypatch.setattr("builtins.input", lambda _: next(typed))
    path = tmp_path / "mine.jsonl"
    outcome = bluestone(
        *("play", "--board", "pent-3", "--time", "0.05", "--level", "1", "--save", path)
    )
    assert outcome.code == 0
    assert "You resigned." in outcome.out
    (record,) = read_records(path)
    assert isinstance(record, GameRecord)
    assert verify(record) == []
    assert record.players[1].engine is not None
    assert record.players[1].engine.options == {"Level": "1"}
    assert len(record.turns) == 2


def test_a_game_with_options_is_played_and_saved(
    bluestone: Bluestone, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    typed = iter(["1a1", "resign"])
    monkeypatch.setattr("builtins.input", lambda _: next(typed))
    path = tmp_path / "mine.jsonl"
    outcome = bluestone(
        *("play", "--game", "blooms", "--board", "hexhex-4", "--set", "captures=3"),
        *("--time", "0.05", "--level", "1", "--save", path),
    )
    assert outcome.code == 0
    assert "blooms on hexhex-4, official rules, captures 3" in outcome.out
    (record,) = read_records(path)
    assert isinstance(record, GameRecord)
    assert (record.game, record.options) == ("blooms", {"captures": "3"})
    assert verify(record) == []


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--game", "go"], "unknown game 'go'; known: bluestone, blooms, stargazers"),
        (
            ["--game", "blooms", "--board", "pent-6"],
            "unknown board 'pent-6'; known: hexhex-4, hexhex-5",
        ),
        (["--game", "stargazers", "--board", "hexhex-5"], "unknown board 'hexhex-5'; known: stars"),
        (["--game", "blooms", "--rules", "ludii"], "unknown rule set 'ludii'"),
        (["--game", "blooms", "--set", "captures=0"], "captures takes a whole number from 1"),
        (
            ["--game", "blooms", "--set", "handicap_1=25"],
            "points ahead for Black takes a whole number from 0 to 24, below captures, not '25'",
        ),
        (["--game", "stargazers", "--set", "protocol=1"], "protocol takes one of 122, alternating"),
        (["--set", "captures=9"], "unknown option 'captures'; known: none"),
        (["--set", "name=x"], "unknown option 'name'; known: none"),
        (["--game", "blooms", "--set", "board=x"], "unknown option 'board'; known: captures"),
        (["--set", "captures"], "--set 'captures': write it as NAME=VALUE"),
    ],
)
def test_values_that_a_game_does_not_have_are_refused(
    bluestone: Bluestone, words: list[str], message: str
) -> None:
    outcome = bluestone("play", *words)
    assert outcome.code == 78
    assert message in outcome.err


def test_play_lists_the_boards(bluestone: Bluestone) -> None:
    outcome = bluestone("play", "--board", "round-7")
    assert outcome.code == 78
    assert "unknown board 'round-7'" in outcome.err


def test_check_reports_every_error_of_every_file_at_once(
    bluestone: Bluestone, tmp_path: Path
) -> None:
    bot, arena = tmp_path / "bot.toml", tmp_path / "arena.toml"
    bot.write_text('[deamon]\ndrain_s = 1\n\n[engines.x]\nbuiltn = "search"\n')
    arena.write_text("port = 99999\nhots = 'x'\n")
    outcome = bluestone("check", bot, arena)
    assert outcome.code == 78
    assert "deamon" in outcome.out
    assert "builtn" in outcome.out
    assert "port" in outcome.out
    assert "hots" in outcome.out


def test_check_accepts_a_sound_file(bluestone: Bluestone, tmp_path: Path) -> None:
    arena = tmp_path / "arena.toml"
    arena.write_text("port = 9000\n")
    outcome = bluestone("check", arena)
    assert (outcome.code, outcome.out) == (0, f"{arena}: no errors\n")
    assert json.loads(bluestone("check", arena, "--json").out) == {str(arena): []}


def test_check_knows_a_tournament_by_its_keys(bluestone: Bluestone, tmp_path: Path) -> None:
    file = tmp_path / "t.toml"
    file.write_text('players = [{ name = "A" }, { name = "A" }]\nsetups = [{ clock = "10+0.1" }]\n')
    outcome = bluestone("check", file)
    assert outcome.code == 78
    assert outcome.out == f"{file}: players[1].name: 'A' is also the name of players[0]\n"


def test_check_warns_of_a_token_that_all_users_can_read(bluestone: Bluestone) -> None:
    with TemporaryDirectory() as name:  # those of tests are closed to others
        folder = Path(name)
        folder.chmod(0o755)
        bot, token = folder / "bot.toml", folder / "token"
        bot.write_text(f'[[platforms]]\nurl = "http://127.0.0.1:1"\ntoken_file = "{token}"\n')
        token.write_text("s3cret")
        token.chmod(0o644)
        outcome = bluestone("check", bot)
    assert (outcome.code, outcome.out) == (0, f"{bot}: no errors\n")
    assert "warning: platforms[0].token_file: every user" in outcome.err


def test_check_of_an_invalid_toml_file_names_the_place(
    bluestone: Bluestone, tmp_path: Path
) -> None:
    path = tmp_path / "x.toml"
    path.write_text("a = = 1\n")
    outcome = bluestone("check", path)
    assert outcome.code == 78
    assert "line 1" in outcome.out
    assert bluestone("check", tmp_path / "gone.toml").code == 78


def test_a_bot_with_a_token_is_admitted_as_an_analyst(bluestone: Bluestone, tmp_path: Path) -> None:
    def analyst(*words: object) -> tuple[int, str]:
        outcome = bluestone("arena", "analyst", "Granite", *words, "--data", tmp_path)
        return outcome.code, outcome.out

    bluestone("arena", "token", "Granite", "--data", tmp_path)
    assert analyst() == (0, "Granite may take analysis jobs\n")
    assert analyst("--dismiss") == (0, "Granite may no longer take analysis jobs\n")
    unknown = bluestone("arena", "analyst", "Nobody", "--data", tmp_path)
    assert unknown.code == 78


def test_a_token_is_printed_alone(bluestone: Bluestone, tmp_path: Path) -> None:
    first, second = (bluestone("arena", "token", "Granite", "--data", tmp_path) for _ in range(2))
    assert (first.code, second.code) == (0, 0)
    assert len(first.out.split()) == 1
    assert first.out != second.out


def test_a_host_gets_a_link(bluestone: Bluestone, tmp_path: Path) -> None:
    chosen = ("--data", tmp_path, "--address", "https://play.example.org/")
    first, second = (bluestone("arena", "host", "Hanna", *chosen) for _ in range(2))
    assert (first.code, second.code) == (0, 0)
    assert first.out.startswith("https://play.example.org/#guest_key=")
    assert first.out != second.out
    assert bluestone("arena", "token", "Hanna", "--data", tmp_path).code == 78


def test_a_hosts_link_leads_to_the_arena_that_runs_on_the_folder(
    bluestone: Bluestone, tmp_path: Path
) -> None:
    with sole_user(tmp_path), address_noted(tmp_path, "http://127.0.0.1:8931"):
        running = bluestone("arena", "host", "Hanna", "--data", tmp_path)
    assert running.out.startswith("http://localhost:8931/#guest_key=")
    assert "--address" in running.err
    stopped = bluestone("arena", "host", "Hanna", "--data", tmp_path)
    assert stopped.out.startswith("http://localhost:8765/#guest_key=")
    assert f"No arena runs on {tmp_path}" in stopped.err


def test_a_name_that_no_bot_may_have_is_refused(bluestone: Bluestone, tmp_path: Path) -> None:
    outcome = bluestone("arena", "token", "#", "--data", tmp_path)
    assert (outcome.code, outcome.out) == (78, "")
    assert "name '#'" in outcome.err


def test_warm_reports_when_there_is_nothing_to_do(bluestone: Bluestone) -> None:
    bluestone("warm")
    outcome = bluestone("warm")
    assert (outcome.code, outcome.out) == (0, "")
    assert "already compiled" in outcome.err


def test_a_bot_without_a_sound_configuration_does_not_start(
    bluestone: Bluestone, tmp_path: Path
) -> None:
    path = tmp_path / "bot.toml"
    path.write_text("[nothing]\n")
    outcome = bluestone("bot", "--config", path)
    assert outcome.code == 78
    assert "nothing: unknown key" in outcome.err
