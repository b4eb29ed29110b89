"""Players whom a player ignores: no challenges and no chat from them."""

from pydantic import Field

from bot.json_values import TrueOrFalse
from bot.wire.base import FromClient, Name


class IgnorePlayer(FromClient):
    """Ignore a player, or stop it: the arena refuses their challenges to you, and their chat."""

    name: Name
    ignore: TrueOrFalse = Field(True, description="false: no longer ignore the player")


class AskIgnored(FromClient):
    """Request the names of the players whom the player ignores."""
