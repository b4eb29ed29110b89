"""Notifications as a capability of the arena."""

from typing import Final

from bot import wire
from bot.arena.answers import Answer
from bot.arena.capability import Capability, Core, Part
from bot.arena.games.game import Game
from bot.arena.http.costs import ORDER
from bot.arena.push.push_notices import PushNotices
from bot.arena.push.push_sender import PushSender
from bot.arena.push.push_store import PushStore
from bot.arena.request_table import Caller, Request


def open_push(core: Core) -> Part:
    """Notify players who are away of turns in the games of this process."""
    settings = core.settings.push
    host = core.settings.hosts[0] if core.settings.hosts else "arena.invalid"
    store = PushStore(core.database)
    sender = PushSender(settings, settings.contact or f"mailto:operator@{host}", core.time)
    notices = PushNotices(settings, store, sender, core.time)

    def heard(game: Game) -> None:
        player, opponent = game.players[game.to_play - 1], game.players[2 - game.to_play]
        is_awaited = game.result is None and not core.presence.is_here(player.name)
        notices.game_announced(game.game_id, game.ply, player, opponent, is_awaited=is_awaited)

    core.games.playing.on_news.append(heard)

    async def subscribe(caller: Caller, message: wire.Subscribe) -> Answer:
        await notices.subscribe(caller.player, message)
        return wire.Done()

    async def unsubscribe(caller: Caller, message: wire.Unsubscribe) -> Answer:
        await notices.unsubscribe(caller.player, message)
        return wire.Done()

    async def open_sender() -> None:
        sender.open(await store.signing_key())

    async def close() -> None:
        await notices.close()
        await sender.close()

    return Part(
        requests=[
            Request("push.subscribe", subscribe, ORDER),
            Request("push.unsubscribe", unsubscribe, ORDER),
        ],
        welcome_here=lambda _player: {"push_key": sender.key if settings.enabled else None},
        open=open_sender,
        close=close,
    )


PUSH: Final = Capability("push", open_push)
