"""Games of people's own devices as a capability of the arena."""

from typing import Final

from bot import wire
from bot.arena.capability import Capability, Core, Part
from bot.arena.http.costs import Cost
from bot.arena.local.added_games import AddedGames
from bot.arena.request_table import Request


def open_local(core: Core) -> Part:
    """Let people add games that they have played on their own devices to their games here."""
    added = AddedGames(
        core.finished,
        core.store,
        core.menu,
        core.preparation,
        core.starter.quotas,
        core.settings.play,
        core.workers,
        core.time,
    )
    return Part(
        requests=[Request("game.add", added.add, Cost(_weight), writes=True, may_repeat=True)]
    )


def _weight(message: wire.AddGame) -> int:
    """All turns are replayed, which takes about a millisecond for each."""
    return 4 + len(message.turns) // 5


LOCAL: Final = Capability("local", open_local)
