"""How long the queue is in which the turn of a bot waits: its engine serves other games first."""

from typing import Annotated

from pydantic import Field

from bot.json_values import IS_NUMBER
from bot.wire.base import FromClient, FromServer, Id, Ply

Before = Annotated[int, Field(ge=0, le=999), IS_NUMBER]


class ReportQueue(FromClient):
    """Say how many searches end before the one for the player's own turn begins.

    The server passes it on to both players and stores nothing. 0 says that the search has begun.
    """

    game_id: Id
    ply: Ply
    before: Before


class Queue(FromServer):
    """The player to move searches only after so many other searches; sent to both players."""

    game_id: Id
    ply: Ply
    before: int
