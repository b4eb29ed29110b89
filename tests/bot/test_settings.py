"""The operator's file: what it may say, and that every error in it is told at once."""

from pathlib import Path

import pytest

from bot.errors import ConfigurationError
from bot.settings import Settings, check_settings, load_settings
from bot.time_controls import Fischer

EXAMPLE = Path(__file__).parents[2] / "config" / "bot.toml"
TOKEN = {"BLUESTONE_TOKEN": "s3cret"}
PLATFORM = '[[platforms]]\nurl = "http://127.0.0.1:8765"\n'


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "bot.toml"


def problems(file: Path, text: str, environ: dict[str, str] | None = None) -> list[str]:
    """What is wrong with the text, without the file's name."""
    file.write_text(text)
    found = check_settings(file, TOKEN if environ is None else environ)
    assert all(problem.startswith(f"{file}: ") for problem in found)
    return [problem.removeprefix(f"{file}: ") for problem in found]


def test_the_example_is_right_and_shows_the_defaults() -> None:
    settings = load_settings(EXAMPLE, TOKEN)
    assert settings.policy == Settings().policy
    assert settings.resign == Settings().resign
    assert settings.platforms[0].read_token(TOKEN).get_secret_value() == "s3cret"


def test_a_url_is_enough(file: Path) -> None:
    file.write_text(PLATFORM)
    settings = load_settings(file, TOKEN)
    assert settings.engines[settings.platforms[0].engine].builtin == "search"


def test_every_error_is_told_at_once(file: Path) -> None:
    text = """
    [daemon]
    drain_s = -1
    [polcy]
    max_games = 2
    [policy]
    max_game = 3
    clocks = ["fisher"]
    games = ["chess"]
    [engines.strong]
    comand = "strong"
    [engines.missing]
    command = "no-such-program --fast"
    [[platforms]]
    url = "arena.example"
    engine = "strnog"
    [[platforms]]
    url = "http://b.example"
    token_env = "NOT_SET"
    seek = {clock = "fast", board = "pent-zero"}
    policy = {rated = "sometimes"}
    """
    found = problems(file, text)
    expected = [
        "daemon.drain_s: Input should be greater than or equal to 0 (it is -1)",
        "polcy: unknown key; did you mean 'policy'?",
        "policy.max_game: unknown key; did you mean 'max_games'?",
        "policy.clocks[0]: ",
        "policy.games[0]: unknown game 'chess'; known: bluestone",
        "engines.strong.comand: unknown key; did you mean 'command'?",
        "engines.missing.command: there is no program 'no-such-program' to run",
        "platforms[0].url: an address such as https://arena.example is needed (it is 'arena.ex",
        "platforms[0].engine: there is no [engines.strnog]; did you mean 'strong'?",
        "platforms[1]: token_env: the environment variable NOT_SET is not set",
        "platforms[1].seek.clock: 'fast' is no time control",
        "platforms[1].seek: unknown board 'pent-zero'",
        "platforms[1].policy.rated: ",
        "platforms[1].name: the name of platforms[0] again",
    ]
    for start in expected:
        assert any(problem.startswith(start) for problem in found), (start, found)
    assert len(found) == len(expected), found


def test_a_token_in_the_file_is_an_error_that_does_not_repeat_it(file: Path) -> None:
    found = problems(file, PLATFORM + 'token = "hush-hush"\n')
    assert len(found) == 1
    assert found[0].startswith("platforms[0].token: a secret does not belong in this file")
    assert "token_env" in found[0]
    assert "hush" not in found[0]


def test_a_token_in_place_of_a_variables_name_is_not_repeated(file: Path) -> None:
    found = problems(file, PLATFORM + 'token_env = "hush-hush"\n')
    assert any(problem.startswith("platforms[0].token_env") for problem in found)
    assert not any("hush" in problem for problem in found)


def test_syntax_errors_have_their_line(file: Path) -> None:
    assert "line 2" in problems(file, "[daemon]\ndata = \n")[0]


@pytest.mark.parametrize("content", [b"\xff\xfe", b"a = 1\na = 2\n"])
def test_a_file_that_is_no_toml(file: Path, content: bytes) -> None:
    file.write_bytes(content)
    with pytest.raises(ConfigurationError, match=str(file)):
        load_settings(file, TOKEN)


def test_a_file_that_is_not_there(file: Path) -> None:
    with pytest.raises(ConfigurationError, match="No such file"):
        load_settings(file, TOKEN)


def test_no_platform_is_an_error(file: Path) -> None:
    assert problems(file, "") == ["platforms: there is none; add a [[platforms]] table with a url"]


@pytest.mark.parametrize(
    ("content", "complaint"),
    [(None, "cannot be read"), ("", "empty"), ("two words", "white space")],
)
def test_token_files(file: Path, content: str | None, complaint: str) -> None:
    secret = file.with_name("token")
    if content is not None:
        secret.write_text(content)
    found = problems(file, f'{PLATFORM}token_file = "{secret}"\n')
    assert len(found) == 1
    assert complaint in found[0]


def test_a_token_file_may_end_in_a_newline(file: Path) -> None:
    secret = file.with_name("token")
    secret.write_text("s3cret\n")
    file.write_text(f'{PLATFORM}token_file = "{secret}"\n')
    (platform,) = load_settings(file, {}).platforms
    assert platform.read_token({}).get_secret_value() == "s3cret"


def test_two_token_sources_are_one_too_many(file: Path) -> None:
    found = problems(file, f'{PLATFORM}token_env = "A"\ntoken_file = "b"\n')
    assert found == ["platforms[0]: token_env and token_file are both set; keep one"]


def test_one_account_twice_is_an_error(file: Path) -> None:
    found = problems(file, PLATFORM + PLATFORM + 'name = "other"\n')
    assert found == ["platforms[1].url: the account of platforms[0] again"]


def test_a_platform_overrides_single_keys_of_the_policy(file: Path) -> None:
    text = f'[policy]\nmax_games = 7\nblock = ["Eve"]\n{PLATFORM}policy = {{max_games = 1}}\n'
    file.write_text(text)
    settings = load_settings(file, TOKEN)
    policy = settings.policy.overridden_by(settings.platforms[0].policy)
    assert (policy.max_games, policy.block) == (1, ["Eve"])


def test_clocks_are_written_as_people_write_them(file: Path) -> None:
    file.write_text(PLATFORM + 'seek = {opponent = "Basalt", clock = "30+1"}\n')
    seek = load_settings(file, TOKEN).platforms[0].seek
    assert seek is not None
    assert seek.clock == Fischer(initial_s=30, increment_s=1)
