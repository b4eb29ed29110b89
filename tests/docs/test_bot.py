"""The page for bot owners: its examples are accepted, its tables are complete and true."""

import inspect
import re
from pathlib import Path

import pytest

from bot.daemon import policy
from bot.daemon.settings import (
    ArenaIdentity,
    DaemonSettings,
    DrawSettings,
    EngineTable,
    HealthSettings,
    LoggingSettings,
    PolicySettings,
    ResignSettings,
    SeekSettings,
)
from bot.daemon.settings_file import check_settings
from bot.daemon.submission import Submission
from bot.daemon.time_manager import TimePolicy
from bot.errors import ConfigurationError, DataError, HostError, RefusedByServer
from bot.platforms.settings import DEFAULT_TOKEN_VARIABLE
from bot.up.launcher import NO_USE_TO_RESTART
from tests.docs.pages import ROOT
from tests.docs.settings_tables import Model, defaults, events_in, lines, told, unknown_events

PAGE = (ROOT / "docs" / "bot.md").read_text(encoding="utf-8")
INTERNALS = (ROOT / "docs" / "bot-internals.md").read_text(encoding="utf-8")
UNIT = (ROOT / "config" / "bluestone-bot.service").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)

TABLES: dict[str, tuple[str, Model]] = {
    "`[daemon]`": ("daemon", DaemonSettings),
    "`[logging]`": ("logging", LoggingSettings),
    "`[health]`": ("health", HealthSettings),
    "`[time]`": ("time", TimePolicy),
    "`[engines.NAME]`": ("engines.search", EngineTable),
    "`[policy]`": ("policy", PolicySettings),
    "`[resign]`": ("resign", ResignSettings),
    "`[draws]`": ("draws", DrawSettings),
    "`[[platforms]]`": ("platforms", ArenaIdentity),
    "`seek`": ("platforms.seek", SeekSettings),
}
"""Headings of the page, tables of config/bot.toml, and the models that read them."""


def expected(model: Model) -> dict[str, str]:
    found = defaults(model)
    if model is EngineTable:
        found["name"] = "the table's NAME"
    if model is ArenaIdentity:
        found["token_env"] = f'"{DEFAULT_TOKEN_VARIABLE}"'
    return found


@pytest.mark.parametrize("heading", TABLES)
def test_every_key_is_in_the_tables_with_its_default(heading: str) -> None:
    _, model = TABLES[heading]
    assert told(PAGE, heading) == expected(model)


@pytest.mark.parametrize("heading", TABLES)
def test_the_example_file_names_every_key_in_the_order_of_the_page(heading: str) -> None:
    table, _ = TABLES[heading]
    shown = lines(ROOT / "config" / "bot.toml")[table]
    assert [line.key for line in shown] == list(told(PAGE, heading))


@pytest.mark.parametrize("heading", TABLES)
def test_the_example_file_shows_every_default(heading: str) -> None:
    table, model = TABLES[heading]
    known = expected(model) | {"name": '"search"' if model is EngineTable else '"arena"'}
    shown = lines(ROOT / "config" / "bot.toml")[table]
    assert [
        line.key for line in shown if line.key != "url" and not line.shows(known[line.key])
    ] == []


@pytest.mark.parametrize("example", EXAMPLES)
def test_check_accepts_every_example(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, example: str
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("flint.token", "chalk.token"):
        Path(name).write_text("s3cret")
    Path("mine").touch(mode=0o755)
    file = Path("bot.toml")
    file.write_text(re.sub(r'"/run/credentials/.*?"', '"flint.token"', example))
    assert check_settings(file, {}) == []


def test_the_token_is_where_the_unit_puts_it() -> None:
    (credential,) = re.findall(r"^LoadCredential=([\w-]+):", UNIT, re.MULTILINE)
    (state,) = re.findall(r"^StateDirectory=(.+)$", UNIT, re.MULTILINE)
    (example,) = (each for each in EXAMPLES if "/run/credentials" in each)
    assert f'token_file = "/run/credentials/bluestone-bot.service/{credential}"' in example
    assert f'data = "/var/lib/{state}"' in example


def test_the_unit_is_not_restarted_after_the_exit_codes_named_on_the_page() -> None:
    rows = re.findall(r"^\| (\d+) \| .+ \| (no|yes).* \|$", PAGE, re.MULTILINE)
    codes = {int(code): answer for code, answer in rows}
    assert codes == {
        0: "no",
        DataError.exit_code: "no",
        HostError.exit_code: "yes",
        RefusedByServer.exit_code: "no",
        ConfigurationError.exit_code: "no",
        130: "yes",
    }
    (prevented,) = re.findall(r"^RestartPreventExitStatus=(.+)$", UNIT, re.MULTILINE)
    assert {int(code) for code in prevented.split()} | {0} == {
        code for code, answer in codes.items() if answer == "no"
    }
    assert {int(code) for code in prevented.split()} == set(NO_USE_TO_RESTART), "nor by `up`"


def test_every_code_of_a_declined_challenge_is_in_the_table() -> None:
    table = PAGE.partition("## Which challenges are declined")[2].partition("\n## ")[0]
    firsts = re.findall(r"^\| (`.+?`) \|", table, re.MULTILINE)
    codes = {code for cell in firsts for code in re.findall(r"`(\w+)`", cell)}
    literal = set(re.findall(r'Declined\("(\w+)"', inspect.getsource(policy)))
    assert literal
    composed = {"no_bots", "no_persons", "no_guests", "casual_only", "rated_only"}
    assert codes == literal | composed | {"not_connected", "unknown_game"}


def test_every_field_of_a_turn_in_the_log_is_in_the_table() -> None:
    table = PAGE.partition("| field of `turn` |")[2].partition("\n\n")[0]
    cells = re.findall(r"^\| (`.+?`) \|", table, re.MULTILINE)
    fields = {field for cell in cells for field in re.findall(r"`(\w+)`", cell)}
    logged = set(re.findall(r'"(\w+)":', inspect.getsource(Submission.log_fields)))
    assert fields == logged | {"game", "bot", "platform"}


def test_every_line_of_the_log_that_is_named_can_be_logged() -> None:
    events = events_in(INTERNALS, "log")
    assert "fallback_played" in events
    assert unknown_events(events) == []
