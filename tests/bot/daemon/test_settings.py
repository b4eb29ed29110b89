"""The operator's file: what it may say, and that every error in it is told at once."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from bot.daemon.settings import ArenaIdentity, Settings
from bot.daemon.settings_file import check_settings, load_settings, settings_warnings
from bot.errors import ConfigurationError
from bot.time_controls import Fischer

EXAMPLE = Path(__file__).parents[3] / "config" / "bot.toml"
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


def test_a_platform_is_of_the_kind_that_its_table_names(file: Path) -> None:
    file.write_text(f'{PLATFORM}kind = "arena"\n{PLATFORM}name = "other"\ntoken_env = "OTHER"\n')
    platforms = load_settings(file, {**TOKEN, "OTHER": "s3cret"}).platforms
    assert [(type(each), each.kind) for each in platforms] == [(ArenaIdentity, "arena")] * 2


def test_an_identity_replaces_single_options_of_its_engine(file: Path) -> None:
    options = "level = 3\noptions = { hash = 32, Knowledge = false }"
    engine = '[engines.mine]\nbuiltin = "search"\noptions = { Hash = 64, Threads = 2, Level = 9 }\n'
    file.write_text(f'{engine}{PLATFORM}engine = "mine"\n{options}\n')
    settings = load_settings(file, TOKEN)
    (table,), spec = settings.platforms, settings.engines["mine"]
    assert table.options_of(spec) == {
        "hash": "32",
        "Threads": "2",
        "Level": "3",
        "Knowledge": "false",
    }
    assert table.title_of(spec) == "mine, level 3"


def test_all_errors_are_reported_at_once(file: Path) -> None:
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
        "platforms[0].url: an address such as https://arena.example is required (it is 'arena.ex",
        "platforms[0].engine: there is no [engines.strnog]; did you mean 'strong'?",
        "platforms[1].token_env: no environment variable of that name is set",
        "platforms[1].seek.clock: 'fast' is not a time control",
        "platforms[1].seek.board: unknown board 'pent-zero'",
        "platforms[1].policy.rated: ",
        "platforms[1].name: platforms[0] already uses this name",
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


@pytest.mark.parametrize("key", ["token_env", "token_file"])
@pytest.mark.parametrize("token", ["hush-hush", "hush_hush", "HUSH", "hush.hush/hush"])
def test_a_token_in_place_of_a_name_is_not_repeated(file: Path, key: str, token: str) -> None:
    found = problems(file, f'{PLATFORM}{key} = "{token}"\n')
    assert [problem.split(": ")[0] for problem in found] == [f"platforms[0].{key}"]
    assert "hush" not in found[0].lower()


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (
            "[policy]\nmax_base_s = 0.5",
            "policy.max_base_s: 0.5 is less than min_base_s, which is 1",
        ),
        (
            "[policy]\nmin_increment_s = 9\nmax_increment_s = 5",
            "policy.max_increment_s: 5 is less than min_increment_s, which is 9",
        ),
        ("[draws]\nlowest = 0.9", "draws.highest: 0.5 is less than lowest, which is 0.9"),
        ("[policy]\nmin_base_s = inf", "policy.min_base_s: Input should be a finite number"),
        *(
            (f"[policy]\n{key} = []", f"policy.{key}: must not be empty")
            for key in ("games", "boards", "rules", "clocks", "opponents")
        ),
        ('[engines.x]\nbuiltin = "serach"', "engines.x.builtin: there is no built-in engine 'ser"),
        (
            '[engines.x]\noptions = { Level = "3\\nquit" }',
            "engines.x.options.Level: line breaks and other control characters",
        ),
        (
            '[engines.x]\noptions = { "A\\nquit" = 1 }',
            'engines.x.options."A\\nquit": line breaks and other control characters',
        ),
        (f"{PLATFORM}level = 11", "platforms[0].level: Input should be less than or equal to 10"),
        (f'{PLATFORM}level = "3"', "platforms[0].level: Input should be a valid integer"),
        (
            f'{PLATFORM}kind = "arean"',
            "platforms[0].kind: there is no platform of that kind; known:",
        ),
        (
            f"{PLATFORM}kind = 3",
            "platforms[0].kind: there is no platform of that kind; known: arena",
        ),
        ('platforms = ["arena"]', "platforms[0]: a table is required (it is 'arena')"),
        (f'{PLATFORM}seek = {{ game = "chess", board = "pent-5" }}', "platforms[0].seek.game: "),
        (f'{PLATFORM}seek = {{ board = "pent-zero" }}', "platforms[0].seek.board: unknown board"),
        (f'{PLATFORM}seek = {{ rules = "mine" }}', "platforms[0].seek.rules: unknown rule set"),
        (f"{PLATFORM}seek = {{ options = {{ captures = 9 }} }}", "platforms[0].seek.options: "),
        (f"{PLATFORM}policy = {{ max_increment_s = -1 }}", "platforms[0].policy.max_increment_s: "),
        (f"{PLATFORM}levle = 3", "platforms[0].levle: unknown key; did you mean 'level'?"),
        (
            f'{PLATFORM}options = {{ Level = "3\\nquit" }}',
            "platforms[0].options.Level: line breaks and other control characters",
        ),
        ('[engines.x]\ncommand = ["sh", "\\u0000"]', "engines.x.command[1]: the character NUL"),
        ('[engines.x]\nenv = { A = "\\u0000" }', "engines.x.env.A: the character NUL"),
        ('[engines.x]\ndirectory = "\\u0000"', "engines.x.directory: the character NUL"),
        ('[daemon]\ndata = "\\u0000"', "daemon.data: the character NUL"),
        ("[health]\nport = 99999", "health.port: Input should be less than or equal to 65535"),
        ('[health]\nhost = "two words"', "health.host: the name or the address of a machine"),
        (f'[health]\nhost = "{"a" * 64}"', "health.host: no part of a name may be longer"),
    ],
)
def test_invalid_settings_are_named_with_their_place(file: Path, text: str, complaint: str) -> None:
    found = problems(file, text if "platforms" in text else f"{text}\n{PLATFORM}")
    assert len(found) == 1, found
    assert found[0].startswith(complaint)


@pytest.mark.parametrize(
    ("url", "complaint"),
    [
        ("http://127.0.0.1:99999", "not an address: port out of range 0-65535"),
        ("http://127.0.0.1:0", "not an address: port 0"),
        ("http://:8765", "an address such as"),
        ("ftp://arena.example", "an address such as"),
        ("http://[::1", "not an address: invalid ipv6 url"),
        ("http://arena.example/a b", "an address such as"),
        (
            "unix:/run/a.sock",
            "a Unix socket is for the proxy in front of an arena; give the proxy's",
        ),
        ("http://arena.example/\\u0000", "line breaks and other control characters"),
    ],
)
def test_addresses_that_lead_nowhere(file: Path, url: str, complaint: str) -> None:
    (found,) = problems(file, f'[[platforms]]\nurl = "{url}"\n')
    assert found.startswith(f"platforms[0].url: {complaint}")


def test_the_bounds_of_a_platform_are_checked_together_with_the_general_ones(file: Path) -> None:
    text = f"[policy]\nmin_base_s = 60\n{PLATFORM}policy = {{ max_base_s = 30 }}\n"
    assert problems(file, text) == [
        "platforms[0].policy.max_base_s: 30 is less than min_base_s, which is 60"
    ]


@pytest.mark.parametrize(("mode", "warnings"), [(0o600, 0), (0o640, 0), (0o644, 1)])
def test_a_token_that_every_user_can_read_is_warned_of(mode: int, warnings: int) -> None:
    with TemporaryDirectory() as name:  # those of tests are closed to others
        folder = Path(name)
        folder.chmod(0o755)
        secret = folder / "token"
        secret.write_text("s3cret")
        secret.chmod(mode)
        file = folder / "bot.toml"
        file.write_text(f'{PLATFORM}token_file = "{secret}"\n')
        settings = load_settings(file, {})
        assert len(settings_warnings(settings)) == warnings
        folder.chmod(0o700)
        assert settings_warnings(settings) == []


def test_syntax_errors_have_their_line(file: Path) -> None:
    assert "line 2" in problems(file, "[daemon]\ndata = \n")[0]


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"\xff\xfe", "line 1: not UTF-8 text, at byte 0"),
        (b"\xef\xbb\xbfa = 1", "line 1: starts with a byte-order mark; save it as UTF-8 without"),
        (b"a = 1\na = 2\n", "not TOML: .*line 2"),
        (b"a = " + b"[" * 3000, "not a settings file: nested too deeply"),
        (b"a = " + b"9" * 5000, "not TOML: .*digits"),
        (b"daemon = 0x" + b"9" * 5000, "daemon: a table is required"),
        (b"#" * (1 << 20) + b"#", "longer than 1048576 bytes"),
    ],
)
def test_a_file_that_is_not_toml_is_refused(file: Path, content: bytes, complaint: str) -> None:
    file.write_bytes(content)
    with pytest.raises(ConfigurationError, match=f"{file}: {complaint}"):
        load_settings(file, TOKEN)


def test_a_file_that_is_not_there(file: Path) -> None:
    with pytest.raises(ConfigurationError, match="No such file"):
        load_settings(file, TOKEN)


def test_no_platform_is_an_error(file: Path) -> None:
    assert problems(file, "") == ["platforms: there are none; add a [[platforms]] table with a url"]


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
    assert found == ["platforms[0]: token_env and token_file are both set; remove one"]


def test_one_account_twice_is_an_error(file: Path) -> None:
    found = problems(file, PLATFORM + PLATFORM + 'name = "other"\n')
    assert found == ["platforms[1].url: platforms[0] already uses this account"]


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


def test_a_credential_of_a_unit_that_does_not_run_is_no_error(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`bluestone check` comes before the first start, which makes the credential."""
    monkeypatch.setattr("bot.daemon.settings_file.CREDENTIALS", tmp_path / "credentials")
    secret = tmp_path / "credentials" / "bluestone-bot.service" / "token"
    text = f'{PLATFORM}token_file = "{secret}"\n'
    assert problems(file, text) == []
    [warning] = settings_warnings(load_settings(file, {}))
    assert "its token was not examined" in warning
    secret.parent.mkdir(parents=True)
    [found] = problems(file, text)
    assert "cannot be read" in found
