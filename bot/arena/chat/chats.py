"""The chat of a game, between its two players.

- Presets are words, which each page shows in its reader's language. They are always allowed.
- A text of one's own needs the consent of both players, because strangers and children play here.
  Each may withdraw it at any time.
- A player who ignores the opponent gets no further lines of theirs.
- Spectators neither read nor write: one room needs no rules about who disturbs whom.
- A player may report the opponent. The operator finds the report, with the latest lines, in the
  audit log (`bluestone arena audit`). Blocked accounts cannot connect, and so cannot write.
- Lines are kept with the game, and deleted `KEPT_DAYS` days after its end.
"""

from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta
from typing import Final

import orjson
import structlog

from bot import wire
from bot.arena.announcer import Announcer
from bot.arena.chat.chat_store import ChatStore
from bot.arena.games.game import SEATS, Game
from bot.arena.lobby.ignores import Ignores
from bot.arena.refusals import RATE_LIMITED, Refused
from bot.arena.store.ids import new_id
from bot.arena.store.orders import By, Order
from bot.arena.store.reports import outcome_of, report_id
from bot.runtime.rate_limit import AddressBuckets
from bot.time_source import TimeSource

MOST_LINES: Final = 300
"""Lines of one game."""
LINES_AT_ONCE: Final = 5
LINES_PER_S: Final = 0.25
OPEN_AFTER_S: Final = 3600.0
"""How long after the end of a game its players may still write."""
REPORTED_LINES: Final = 20
BUCKETS_BYTES: Final = 1_000_000
"""About 1,500 players who write."""

log = structlog.get_logger()


class Chats:
    """Stores what players say, then sends it to both; `find` returns a game, or raises Refused."""

    def __init__(
        self,
        store: ChatStore,
        find: Callable[[str], Awaitable[Game]],
        announcer: Announcer,
        ignores: Ignores,
        time: TimeSource,
    ) -> None:
        self._store = store
        self._ignores = ignores
        self._find = find
        self._announcer = announcer
        self._time = time
        self._buckets = AddressBuckets(LINES_PER_S, LINES_AT_ONCE, time, BUCKETS_BYTES)

    async def say(self, player: wire.Player, message: wire.SendChat) -> None:
        """Store a line and send it to both players. Raises Refused."""
        game = await self._find(message.game_id)
        seat = _seat(game, player)
        kind, body = _said(message)
        self._check_time(game)
        await self._ignores.check(player, game.players)
        lines = await self._store.lines(game.game_id, MOST_LINES)
        if kind == "text" and not all(is_open(lines)):
            raise Refused("chat_closed")
        self._check_rate(player)
        if kind in {"preset", "text"}:
            await self._check_mute(player)
        line = wire.ChatLine(id=new_id(), seat=seat, kind=kind, body=body, at=self._time.wall())
        if not await self._store.put(game.game_id, line, MOST_LINES):
            raise Refused("too_many", "The chat of this game is full.")
        names = [each.name for each in game.players]
        self._announcer.tell("chat", wire.Chat(game_id=game.game_id, line=line), names)

    async def lines(self, player: wire.Player, game_id: str) -> wire.ChatDone:
        """The lines of a game, for one of its players. Raises Refused."""
        _seat(await self._find(game_id), player)
        lines = await self._store.lines(game_id, MOST_LINES)
        return wire.ChatDone(lines=lines, open=is_open(lines))

    async def report(self, player: wire.Player, message: wire.ReportPlayer) -> None:
        """Write a report about the opponent into the audit log; a second one changes nothing."""
        game = await self._find(message.game_id)
        seat = _seat(game, player)
        reported = game.players[2 - seat]
        lines = await self._store.lines(game.game_id, MOST_LINES)
        shown = [
            {"by": game.name_of(line.seat), "kind": line.kind, "body": line.body}
            for line in lines[-REPORTED_LINES:]
        ]
        now = self._time.wall()
        key = report_id(game.game_id, str(player.id))
        by = By(player.name, message.reason)
        detail = orjson.dumps({"game": game.game_id, "chat": shown}).decode()
        order = Order(now, "report", reported.name, by, detail, now, ok=True, id=key)
        await self._store.report(order.with_outcome(outcome_of(game.game_id)))
        log.info("player_reported", game=game.game_id, player=reported.name, by=player.name)

    async def _check_mute(self, player: wire.Player) -> None:
        now, mute = self._time.wall(), await self._store.mute_of(str(player.id))
        if mute is not None and mute.until > now:
            until = f"{mute.until:%Y-%m-%d %H:%M} UTC"
            words = f"The operator does not let you write until {until}: {mute.reason}"
            raise Refused("blocked", words, "muted", (mute.until - now).total_seconds())

    def _check_time(self, game: Game) -> None:
        ended = game.ended_at
        if ended is not None and self._time.wall() - ended > timedelta(seconds=OPEN_AFTER_S):
            raise Refused("game_over", "The chat of this game is closed.")

    def _check_rate(self, player: wire.Player) -> None:
        key = str(player.id)
        bucket = self._buckets.of(key)
        if not bucket.take():
            raise Refused(RATE_LIMITED, "You write too fast.", retry_after_s=bucket.wait_s)


def is_open(lines: Sequence[wire.ChatLine]) -> tuple[bool, bool]:
    """Whether each player allows texts, by the player's last choice."""
    open_by = {line.seat: line.kind == "open" for line in lines if line.kind in {"open", "closed"}}
    return open_by.get(1, False), open_by.get(2, False)


def _said(message: wire.SendChat) -> tuple[str, str]:
    """The kind and the body of the line. Raises Refused unless it says exactly one thing."""
    said: list[tuple[str, str]] = []
    if message.preset is not None:
        said.append(("preset", message.preset))
    if message.text is not None:
        said.append(("text", message.text))
    if message.open is not None:
        said.append(("open" if message.open else "closed", ""))
    if len(said) != 1 or said[0] == ("text", ""):
        raise Refused("invalid", "A line has a preset, a text or `open`, and only one of them.")
    return said[0]


def _seat(game: Game, player: wire.Player) -> wire.Seat:
    """The seat of a player, whose name may have changed since. Raises Refused."""
    for seat, each in zip(SEATS, game.players, strict=True):
        if each.id == player.id and player.id is not None:
            return seat
    raise Refused("not_a_player")
