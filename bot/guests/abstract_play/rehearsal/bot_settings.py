"""The settings file of the bot under rehearsal, and the addresses in it."""

from dataclasses import dataclass
from pathlib import Path

from bot.guests.abstract_play.rehearsal.credentials import Credentials
from bot.rehearsal.bot_process import TOKEN_VARIABLE, quoted, settings_head

NAME = "abstract-play"


@dataclass(frozen=True)
class Places:
    """The bot's folder, the stand-in's base address, and the webhook's port."""

    data: Path
    base: str
    webhook_port: int


def configuration(
    places: Places,
    credentials: Credentials,
    at_once: int,
    *,
    sweep_s: float,
    max_turn_s: float,
    engine: str = "search",
) -> str:
    """Return the settings as TOML. Games are not drained at the end; the secret is in the
    environment.
    """
    lines = [
        *settings_head(places.data, max_turn_s),
        "[policy]",
        f"max_games = {2 * at_once}",
        f"max_games_per_opponent = {2 * at_once}",
        "[engines.search]",
        f"builtin = {quoted(engine)}",
        "[[platforms]]",
        'kind = "abstract_play"',
        f'name = "{NAME}"',
        f"client_id = {quoted(credentials.client_id)}",
        'stage = "development"',
        f'token_env = "{TOKEN_VARIABLE}"',
        f"token_url = {quoted(places.base + 'oauth2/token')}",
        f"scope = {quoted(credentials.scope)}",
        f"base = {quoted(places.base)}",
        f"key_url = {quoted(places.base + 'ap-public-key.txt')}",
        'listen_host = "127.0.0.1"',
        f"listen_port = {places.webhook_port}",
        f"sweep_s = {sweep_s}",
        'engine = "search"',
    ]
    return "\n".join(lines) + "\n"
