"""Online check of the settings: the token, the queries, the key, and calls from outside."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from functools import partial
from http import HTTPStatus
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from bot.errors import HostError, PeerError
from bot.guests.abstract_play.calls import HttpPoster
from bot.guests.abstract_play.client import open_client
from bot.guests.abstract_play.facts import META_GAMES
from bot.guests.abstract_play.keys import KeySource, openssh_line, public_key_of
from bot.guests.abstract_play.messages import ChallengeNotice, MoveNotice
from bot.guests.abstract_play.platform import Options, key_source
from bot.guests.abstract_play.stages import KEY_PAGE, PUBLISHED_KEY
from bot.guests.abstract_play.store import Store
from bot.guests.abstract_play.tokens import Tokens
from bot.guests.abstract_play.webhooks import serve_webhooks
from bot.platforms.base import NoAnswer, NotNow
from bot.platforms.settings import CheckResult
from bot.runtime.http_client import NoResponse, fetch, open_session
from bot.runtime.listening import PortInUse, local_address
from bot.time_source import TimeSource

REACH_S: Final = 15.0
LARGEST_PAGE: Final = 1 << 20
GATEWAY: Final = frozenset(
    {HTTPStatus.BAD_GATEWAY, HTTPStatus.SERVICE_UNAVAILABLE, HTTPStatus.GATEWAY_TIMEOUT}
)


class _Decliner:
    """The `Handler` while a check runs. It declines challenges and rejects notices."""

    async def challenge(self, challenge: ChallengeNotice) -> bool:
        del challenge
        return False

    async def notice(self, notice: MoveNotice) -> None:
        raise HostError(f"a check is running; the next sweep finds game {notice.game_id}")


async def check_online(
    options: Options, public_url: str | None, time: TimeSource
) -> AsyncIterator[CheckResult]:
    """Yield each result as soon as it is known. Changes nothing on the platform or on disk."""
    with TemporaryDirectory() as folder:
        async with Store.opened(Path(folder) / "store.db", time) as store:
            keys = key_source(options, Path(folder), time)
            yield await _token(options, time)
            yield await _queries(options, store, time)
            yield await _key(keys)
            async with AsyncExitStack() as stack:
                yield await _listening(options, keys, store, time, stack)
                yield await _reachable(public_url)


# ---- the platform ------------------------------------------------------------------------------


async def _token(options: Options, time: TimeSource) -> CheckResult:
    client = options.client
    async with open_session() as session:
        tokens = Tokens(client.credentials, HttpPoster(session, time, client.answer_s), time)
        try:
            await tokens.get()
        except PeerError as error:
            return CheckResult("token", _why(error), state="failed")
    return CheckResult("token", "the platform gives a token for this id and secret")


async def _queries(options: Options, store: Store, time: TimeSource) -> CheckResult:
    ours, running = 0, 0
    async with open_client(options.client, store, time) as client:
        try:
            for kind in META_GAMES:
                games = await client.games(kind)
                running += len(games)
                ours += sum(
                    any(player.id == options.client.client_id for player in game.players)
                    for game in games
                )
        except PeerError as error:
            return CheckResult("queries", _why(error), state="failed")
    return CheckResult("queries", f"{running} games run there, {ours} of them ours")


def _why(error: PeerError) -> str:
    """Return the message, after the platform's own code if the platform sent one."""
    is_ours = isinstance(error, NoAnswer | NotNow)
    return error.message if is_ours else f"{error.code}: {error.message}"


async def _key(keys: KeySource) -> CheckResult:
    await keys.start()
    line = openssh_line(keys.current)
    if keys.origin == "configured":
        return CheckResult("key", f"as configured: {line}")
    if keys.origin != "address":
        return CheckResult(
            "key", f"cannot be fetched from its address; the {keys.origin} key is used: {line}"
        )
    if keys.current != public_key_of(PUBLISHED_KEY):
        text = (
            f"differs from the one that this version knows, and is used; compare it with {KEY_PAGE}"
        )
        return CheckResult("key", f"{text}: {line}")
    return CheckResult("key", f"from its address: {line}")


# ---- calls from outside ------------------------------------------------------------------------


async def _listening(
    options: Options,
    keys: KeySource,
    store: Store,
    time: TimeSource,
    stack: AsyncExitStack,
) -> CheckResult:
    """Check that a bot answers where the proxy forwards calls: a running bot, else this check."""
    host, port = options.listen_host, options.listen_port
    try:
        address = await stack.enter_async_context(
            serve_webhooks(host, port, _Decliner(), keys, store, time)
        )
    except PortInUse as error:
        url = local_address(host, port)
        if await _problem_at(url) is not None:
            return CheckResult(
                "listening", f"{error}; another program uses the port", state="failed"
            )
        return CheckResult("listening", f"at {url}, where a bot is already running")
    except HostError as error:
        return CheckResult("listening", str(error), state="failed")
    return CheckResult("listening", f"at {address} while this check runs")


async def _reachable(url: str | None) -> CheckResult:
    if url is None:
        return CheckResult("reachable", "public_url is not set", state="not tried")
    problem = await _problem_at(url)
    if problem is not None:
        return CheckResult("reachable", problem[:300], state="failed")
    return CheckResult("reachable", f"{url} answers and refuses unsigned calls")


async def _problem_at(url: str) -> str | None:
    """Return why no bot can be called at that address; None if one can."""
    try:
        return await _why_no_bot(url)
    except NoResponse as error:
        return error.message


async def _why_no_bot(url: str) -> str | None:
    """As `_problem_at`. Raises NoResponse."""
    async with open_session() as session:
        ask = partial(fetch, session, url=url, deadline_s=REACH_S, limit=LARGEST_PAGE)
        page = await ask("GET")
        if page.status in GATEWAY:
            return f"{page.status}: the proxy does not find the bot at listen_port"
        if page.status // 100 == 3:
            to = page.headers.get("Location", "")
            return f"a redirect to {to}; the platform would follow it"
        if page.status != HTTPStatus.OK or b'"operational"' not in page.body:
            return f"{page.status}: another program than the bot answers"
        called = await ask("POST", body=b"{}")
        if called.status != HTTPStatus.UNAUTHORIZED:
            return f"{called.status}: an unsigned call was not refused by the bot"
    return None
