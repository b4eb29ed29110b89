"""The house bots' tokens and configuration."""

from pathlib import Path

from bot.settings import load_settings
from bot.up_bots import (
    HOUSE_BOTS,
    token_file,
    write_daemon_configuration,
    write_secret,
    write_tokens,
)


async def test_the_daemons_configuration_is_sound(tmp_path: Path) -> None:
    data = tmp_path / 'a "strange" folder'
    await write_tokens(data)
    path = write_daemon_configuration(data, "http://127.0.0.1:8765")
    settings = load_settings(path)
    assert [table.name for table in settings.platforms] == [bot.label for bot in HOUSE_BOTS]
    levels = [settings.engines[table.engine].options["Level"] for table in settings.platforms]
    assert levels == [str(bot.level) for bot in HOUSE_BOTS]
    tokens = {table.read_token({}).get_secret_value() for table in settings.platforms}
    assert len(tokens) == len(HOUSE_BOTS)


async def test_tokens_are_for_their_owner_alone(tmp_path: Path) -> None:
    await write_tokens(tmp_path)
    for bot in HOUSE_BOTS:
        assert token_file(tmp_path, bot).stat().st_mode & 0o777 == 0o600


def test_a_secret_takes_the_place_of_a_file_that_all_could_read(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_text("old")
    path.chmod(0o644)
    write_secret(path, "new")
    assert path.read_text() == "new\n"
    assert path.stat().st_mode & 0o777 == 0o600
