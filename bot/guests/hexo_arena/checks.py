"""Online check of the settings: the token, the declaration, and the bots that can be challenged.

It opens no stream, because that would end the stream of a running bot.
"""

from collections.abc import AsyncIterator

from bot.errors import PeerError
from bot.guests.hexo_arena.api import Api, ApiOptions
from bot.guests.hexo_arena.challenger import MOST_LIVE, first_clock
from bot.guests.hexo_arena.messages import Accepts, Account, BotListing
from bot.guests.hexo_arena.streaming import Options
from bot.platforms.settings import CheckResult
from bot.runtime.http_client import open_session
from bot.time_source import TimeSource


async def check_online(options: Options, time: TimeSource) -> AsyncIterator[CheckResult]:
    """Yield each result as soon as it is known. Changes nothing on the server."""
    async with open_session() as session:
        api = Api(session, ApiOptions(options.url, options.answer_s), options.token, time)
        try:
            account = await api.account()
        except PeerError as error:
            yield CheckResult("token", str(error), state="failed")
            return
        yield CheckResult("token", _who(account))
        yield _declaration(options, account)
        try:
            bots = await api.directory()
        except PeerError as error:
            yield CheckResult("directory", str(error), state="failed")
            return
        yield _presence(account, bots)
        yield _opponents(options, account, bots)


def _who(account: Account) -> str:
    provisional = ", provisional" if account.provisional else ""
    return f"the site knows the bot as {account.name}, rated {account.rating:.0f}{provisional}"


def _declaration(options: Options, account: Account) -> CheckResult:
    if account.accepts is None:
        text = "nothing is declared yet, so no game can start; the bot declares it when it starts"
    elif options.declaration.differs_from(account):
        ours = options.declaration
        text = (
            f"the site has {_clocks(account.accepts)}; when the bot starts, it declares "
            f"{_clocks(ours.accepts)}, version {ours.version!r}, about {ours.about!r}"
        )
    else:
        about = f"version {account.version or ''!r}, about {account.about or ''!r}"
        text = f"as in the file: {_clocks(account.accepts)}, {about}"
    return CheckResult("declaration", text)


def _clocks(accepts: Accepts) -> str:
    parts = []
    if accepts.turn_ms is not None:
        low, high = accepts.turn_ms
        parts.append(f"{low / 1000:g} to {high / 1000:g} s per turn")
    parts += ["clocks for the whole game"] if accepts.match else []
    parts += ["games without a clock"] if accepts.unlimited else []
    return ", ".join(parts) or "no clock at all"


def _presence(account: Account, bots: list[BotListing]) -> CheckResult:
    ours = next((bot for bot in bots if bot.name == account.name), None)
    if ours is None:
        return CheckResult("stream", "the bot is not connected now", state="not tried")
    state = "takes games" if ours.open_for_challenges else "takes no new games"
    return CheckResult("stream", f"a bot is connected, {state}, and plays {ours.live_games} games")


def _opponents(options: Options, account: Account, bots: list[BotListing]) -> CheckResult:
    others = [bot for bot in bots if bot.name != account.name and bot.open_for_challenges]
    fitting = [bot for bot in others if first_clock(options.policy.clocks, bot.accepts)]
    free = [bot for bot in fitting if bot.live_games < MOST_LIVE]
    text = f"{len(others)} other bots take challenges"
    if options.policy.clocks:
        text += f", {len(fitting)} of them with these clocks, {len(free)} of these have room now"
    return CheckResult("opponents", text)
