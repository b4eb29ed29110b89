"""Online check of an arena's settings: connect once with the token, and read the welcome."""

from collections.abc import AsyncIterator

from bot import wire
from bot.errors import PeerError
from bot.platforms.arena.link import ArenaOptions, ConnectionLost, open_link
from bot.platforms.settings import CheckResult
from bot.time_source import TimeSource


async def check_online(options: ArenaOptions, time: TimeSource) -> AsyncIterator[CheckResult]:
    """Connect once. It does not disturb a running bot: an arena allows several connections."""
    try:
        async with open_link(options, time) as link:
            message = (await link.receive()).message
    except PeerError as error:
        yield CheckResult("connection", str(error), state="failed")
    except ConnectionLost as error:
        yield CheckResult("connection", f"{options.url}: {error}", state="failed")
    else:
        if not isinstance(message, wire.Welcome):
            yield CheckResult("connection", f"{options.url}: it sends no welcome", state="failed")
            return
        name, server = message.you.name, message.server
        yield CheckResult(
            "connection", f"welcome as {name} at {server}, with {len(message.games)} games"
        )
