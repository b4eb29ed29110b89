"""The settings file of the bot under rehearsal, and the addresses in it."""

import json
from dataclasses import dataclass
from pathlib import Path

from bot.guests.abstract_play.rehearsal.credentials import Credentials
from bot.rehearsal.bot_process import TOKEN_VARIABLE

NAME = "abstract-play"


@dataclass(frozen=True)
class Places:
    """The bot's folder, the stand-in's base address, and the webhook's port."""

    data: Path
    base: str
    webhook_port: int

    @property
    def webhook(self) -> str:
        return f"http://127.0.0.1:{self.webhook_port}/"


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
        "[daemon]",
        f"data = {_quoted(places.data)}",
        "drain_s = 0",
        "[logging]",
        'format = "json"',
        "[time]",
        f"max_turn_s = {max_turn_s}",
        "[policy]",
        f"max_games = {2 * at_once}",
        f"max_games_per_opponent = {2 * at_once}",
        "[engines.search]",
        f"builtin = {_quoted(engine)}",
        "[[platforms]]",
        'kind = "abstract_play"',
        f'name = "{NAME}"',
        f"client_id = {_quoted(credentials.client_id)}",
        'stage = "development"',
        f'token_env = "{TOKEN_VARIABLE}"',
        f"token_url = {_quoted(places.base + 'oauth2/token')}",
        f"scope = {_quoted(credentials.scope)}",
        f"base = {_quoted(places.base)}",
        f"key_url = {_quoted(places.base + 'ap-public-key.txt')}",
        'listen_host = "127.0.0.1"',
        f"listen_port = {places.webhook_port}",
        f"sweep_s = {sweep_s}",
        'engine = "search"',
    ]
    return "\n".join(lines) + "\n"


def _quoted(text: object) -> str:
    """Return a TOML basic string, which has the escapes of JSON."""
    return json.dumps(str(text), ensure_ascii=False)
