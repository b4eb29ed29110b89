"""Chat and reports as a capability of the arena."""

from datetime import timedelta
from typing import Final

from bot import wire
from bot.arena.answers import Answer
from bot.arena.capability import Capability, Core, Part
from bot.arena.chat.chat_store import KEPT_DAYS, ChatStore
from bot.arena.chat.chats import Chats
from bot.arena.http.costs import ORDER, QUESTION
from bot.arena.request_table import Caller, Request


def open_chat(core: Core) -> Part:
    """Let the players of a game write to each other, and report each other."""
    store = ChatStore(core.database)
    chats = Chats(store, core.games.find, core.announcer, core.ignores, core.time)

    async def say(caller: Caller, message: wire.SendChat) -> Answer:
        await chats.say(caller.player, message)
        return wire.Done()

    async def lines(caller: Caller, message: wire.AskChat) -> Answer:
        return await chats.lines(caller.player, message.game_id)

    async def report(caller: Caller, message: wire.ReportPlayer) -> Answer:
        await chats.report(caller.player, message)
        return wire.Done()

    async def open_hall() -> None:
        await store.forget(core.time.wall() - timedelta(days=KEPT_DAYS))

    return Part(
        open_hall=open_hall,
        requests=[
            Request("game.chat", say, ORDER, writes=True, place="owner"),
            Request("game.chats", lines, QUESTION, place="owner", may_repeat=True),
            Request("game.report", report, ORDER, writes=True, place="owner", may_repeat=True),
        ],
    )


CHAT: Final = Capability("chat", open_chat)
