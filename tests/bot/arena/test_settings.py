"""The arena's configuration."""

import tomllib
from pathlib import Path

import pytest

import engine
from bot.arena.settings import ArenaSettings, load_settings
from bot.errors import ConfigurationError

SHIPPED = Path(__file__).parents[3] / "config" / "arena.toml"


def test_the_shipped_file_has_the_defaults() -> None:
    assert load_settings(SHIPPED).model_dump() == ArenaSettings().model_dump()


def test_the_shipped_file_shows_every_setting() -> None:
    shown = tomllib.loads(SHIPPED.read_text())
    known = ArenaSettings().model_dump()
    assert shown.keys() == known.keys()
    assert shown["play"].keys() == known["play"].keys()
    assert shown["connections"].keys() == known["connections"].keys()


def test_every_mistake_is_named_at_once(tmp_path: Path) -> None:
    file = tmp_path / "arena.toml"
    file.write_text(
        'prot = 80\nport = 99999\nclocks = ["soon"]\nallowed_origins = ["example.org"]\n'
        "[play]\nabandonment_s = -1\n"
    )
    with pytest.raises(ConfigurationError) as caught:
        load_settings(file)
    problems = caught.value.problems
    assert all(str(file) in problem for problem in problems)
    for place in ("prot", "port", "clocks[0]", "allowed_origins[0]", "play.abandonment_s"):
        assert any(f" {place}: " in problem for problem in problems), place


@pytest.mark.parametrize(
    "database",
    ["anna:hunter2@host/name", "host=host user=anna password=hunter2"],
)
def test_a_database_that_is_no_url_is_refused_without_its_password(
    database: str, tmp_path: Path
) -> None:
    file = tmp_path / "arena.toml"
    file.write_text(f'database = "{database}"\n')
    with pytest.raises(ConfigurationError, match="database: an address such as") as caught:
        load_settings(file)
    assert "hunter2" not in str(caught.value)


def test_all_games_are_offered_unless_some_are_named(tmp_path: Path) -> None:
    file = tmp_path / "arena.toml"
    file.write_text('games = ["stargazers", "bluestone"]\n')
    assert [info.name for info in load_settings(file).offered] == ["bluestone", "stargazers"]
    assert ArenaSettings().offered == engine.games()


def test_a_game_that_there_is_not_is_named(tmp_path: Path) -> None:
    file = tmp_path / "arena.toml"
    file.write_text('games = ["chess"]\n')
    with pytest.raises(
        ConfigurationError, match=r"games\[0\]: unknown game 'chess'; known: bluestone"
    ):
        load_settings(file)


def test_a_clock_that_no_challenge_can_ask_for_is_not_suggested(tmp_path: Path) -> None:
    file = tmp_path / "arena.toml"
    file.write_text('clocks = ["300+5", "0.2/turn"]\n')
    with pytest.raises(ConfigurationError, match=r"clocks\[1\]: .*the clock 0\.2/turn \(turn_s"):
        load_settings(file)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"port = \n", "line 1"),
        (b'port = 1\n# caf\xe9\nhost = "x"\n', "line 2: not UTF-8 text, at byte 14"),
        (b"\xef\xbb\xbfport = 1\n", "line 1: starts with a byte-order mark"),
        (b'host = "a\\u0000b"\n', "host: "),
        (b'data = "a\\u0000b"\n', "data: the character NUL"),
        (b"data = 3\n", "data: a path is required"),
        (b"play = 3\n", "play: a table is required"),
        (b'hosts = ["a", "http://b"]\n', r"hosts\[1\]: 'http://b' is not a host name"),
        (b"clocks = []\n", "clocks: must not be empty"),
        (b"[play]\nchalenge_s = 1\n", "play.chalenge_s: unknown key; did you mean 'challenge_s'"),
        (b"[connections]\nconnections = 0\n", r"connections.connections: .*\(it is 0\)"),
    ],
)
def test_invalid_settings_are_named_with_their_place(
    tmp_path: Path, content: bytes, complaint: str
) -> None:
    file = tmp_path / "arena.toml"
    file.write_bytes(content)
    with pytest.raises(ConfigurationError, match=f"{file}: .*{complaint}"):
        load_settings(file)


def test_the_source_of_an_invalid_value_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "arena.toml"
    at_least = "Input should be greater than or equal to 1"
    file.write_text("port = 99999\n[play]\nchallenges = 0\nperson_games = 0\n")
    monkeypatch.setenv("BLUESTONE_ARENA_PLAY__CHALLENGES", "-1")
    with pytest.raises(ConfigurationError) as caught:
        load_settings(file, host="two words")
    assert [problem.split(" (it is ")[0] for problem in caught.value.problems] == [
        "command line: host: the name or the address of a machine is required",
        f"{file}: port: Input should be less than or equal to 65535",
        f"BLUESTONE_ARENA_PLAY__CHALLENGES: play.challenges: {at_least}",
        f"{file}: play.person_games: {at_least}",
    ]


@pytest.mark.parametrize(
    ("variable", "text", "complaint"),
    [
        ("GAMES", "bluestone", "games: a list is required (it is 'bluestone')"),
        ("GAMES", '["chess"]', "games[0]: unknown game 'chess'"),
        ("PLAY", "long", "play: a table is required"),
        ("PLAY", '{"challenges": 0}', "play.challenges: Input should be greater than"),
        ("PLAY__CHALENGES", "3", "play.chalenges: unknown key; did you mean 'challenges'?"),
    ],
)
def test_a_variable_is_named_only_for_the_value_that_it_sets(
    tmp_path: Path, variable: str, text: str, complaint: str
) -> None:
    file, name = tmp_path / "arena.toml", f"BLUESTONE_ARENA_{variable}"
    file.write_text("[play]\nperson_games = 0\n")
    with pytest.raises(ConfigurationError) as caught:
        load_settings(file, {name: text})
    told, *others = sorted(caught.value.problems, key=lambda problem: str(file) in problem)
    assert told.startswith(f"{name}: {complaint}")
    assert all(problem.startswith(f"{file}: play.person_games: ") for problem in others)


def test_variables_change_single_keys_of_a_table(tmp_path: Path) -> None:
    file = tmp_path / "arena.toml"
    file.write_text("[play]\nperson_games = 3\nchallenges = 4\nbot_games = 5\n")
    prefix = "bluestone_arena_"
    environ = {
        f"{prefix}play": '{"bot_games": 7, "challenges": 8}',
        f"{prefix}play__challenges": "9",
        f"{prefix}games": '["blooms"]',
    }
    loaded = load_settings(file, environ)
    play = loaded.play
    assert (play.person_games, play.challenges, play.bot_games) == (3, 9, 7)
    assert loaded.games == ["blooms"]


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="No such file"):
        load_settings(tmp_path / "arena.toml")


def test_the_command_line_counts_more_than_the_environment_and_that_more_than_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "arena.toml"
    file.write_text('port = 1\nhost = "1.1.1.1"\ndata = "one"\n')
    monkeypatch.setenv("BLUESTONE_ARENA_PORT", "2")
    monkeypatch.setenv("BLUESTONE_ARENA_HOST", "2.2.2.2")
    loaded = load_settings(file, port=3, host=None)
    assert (loaded.port, loaded.host, loaded.data) == (3, "2.2.2.2", Path("one"))


@pytest.mark.parametrize("link", ["0.0.0.0:0", "[::]:9765"])
def test_a_link_that_others_cannot_reach_is_refused(link: str) -> None:
    with pytest.raises(ConfigurationError, match="is no address that other processes can reach"):
        load_settings(environ={}, database="postgresql:///a", cluster={"link": link})
