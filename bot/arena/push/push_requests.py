"""The requests about notifications."""

from bot import wire
from bot.arena.answers import Answer
from bot.arena.http.costs import ORDER
from bot.arena.push.push_notices import PushNotices
from bot.arena.request_table import Caller, Request


def push_requests(notices: PushNotices) -> list[Request]:
    """The requests of browsers that want notifications, or want none any more."""

    async def subscribe(caller: Caller, message: wire.Subscribe) -> Answer:
        await notices.subscribe(caller.player, message)
        return wire.Done()

    async def unsubscribe(caller: Caller, message: wire.Unsubscribe) -> Answer:
        await notices.unsubscribe(caller.player, message)
        return wire.Done()

    return [
        Request("push.subscribe", subscribe, ORDER),
        Request("push.unsubscribe", unsubscribe, ORDER),
    ]
