"""What the parts of a process of several use, without a database and a network."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import orjson
from pydantic import BaseModel

from bot import wire
from bot.arena.announcer import GameNews
from bot.arena.cluster.link import PeerGone
from bot.arena.games.running_games import GameProgress, RunningGame
from bot.arena.refusals import Refused
from bot.time_controls import parse_time_control

MADE_AT = datetime(2026, 1, 1, tzinfo=UTC)
SETUP = wire.GameSetup(board="pent-3", clock=parse_time_control("600+2"))


def player(name: str, account: str | None = None) -> wire.Player:
    return wire.Player(id=account or f"id-of-{name}", name=name, kind="person")


def entry(
    game_id: str = "g",
    owner: str | None = "b",
    epoch: int = 1,
    names: Sequence[str] = ("Anna", "Ben"),
    plies: int = 0,
) -> RunningGame:
    one, two = map(player, names)
    return RunningGame(
        game_id=game_id,
        setup=SETUP,
        players=(one, two),
        created_at=MADE_AT,
        tournament=None,
        owner=owner,
        epoch=epoch,
        plies=plies,
    )


class FakeDelivery:
    """A `Delivery` whose clients are in `rooms`; it keeps what they get, and who gets it."""

    def __init__(self, rooms: Iterable[str] = ()) -> None:
        self.rooms = set(rooms)
        self.need_whole = False
        self.on_room: Callable[[str, bool], None] = lambda _room, _is_open: None
        self.sent: list[tuple[str, str, bool]] = []
        self.recipients: list[list[str]] = []

    def _send(self, event: str, text: str, recipients: Iterable[str], *, to_all: bool) -> None:
        self.sent.append((event, text, to_all))
        self.recipients.append(list(recipients))

    def game(self, news: GameNews) -> None:
        event = "change" if news.has_change else "game"
        self._send(event, news.game_id, news.names, to_all=True)

    async def challenge(self, challenge: wire.Challenge, names: Iterable[str]) -> None:
        self._send("challenge", challenge.challenge_id, names, to_all=True)

    async def lobby(self, lobby: wire.Lobby) -> None: ...

    def tell(self, event: str, message: BaseModel, names: Iterable[str]) -> None:
        self._send(event, message.model_dump_json(), names, to_all=True)

    async def tournament(self, tournament: wire.TournamentState) -> int:
        return len(tournament.entrants)

    def followers(self, tournament_id: str) -> int:
        return int(f"tournament:{tournament_id}" in self.rooms)

    def pass_on_change(self, game_id: str, names: Sequence[str], change: str) -> bool:
        self._send("change", change, [game_id, *names], to_all=False)
        return self.need_whole

    def pass_on_game(
        self, game_id: str, names: Sequence[str], game: str, *, to_all: bool = True
    ) -> None:
        self._send("game", game, [game_id, *names], to_all=to_all)

    def pass_on(self, event: str, rooms: Iterable[str], message: str) -> None:
        self._send(event, message, rooms, to_all=True)

    def has_members(self, rooms: Iterable[str]) -> bool:
        return not self.rooms.isdisjoint(rooms)


@dataclass
class FakePeers:
    """Other processes, which give these answers in turn; the last one stays."""

    answers: list[bytes | PeerGone | Refused] = field(default_factory=list)
    process_id: str = "a"
    ids: list[str] = field(default_factory=list)
    asked: list[tuple[str, str, Any]] = field(default_factory=list)

    async def ask(self, process: str, method: str, body: object, _timeout_s: float = 5.0) -> bytes:
        self.asked.append((process, method, orjson.loads(orjson.dumps(body))))
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, bytes):
            return answer
        raise answer


@dataclass
class FakeRunning:
    """The running games of a database."""

    entries: dict[str, RunningGame] = field(default_factory=dict)
    revisions: dict[str, int] = field(default_factory=dict)
    reads: int = 0

    async def find(self, game_ids: Iterable[str]) -> list[RunningGame]:
        self.reads += 1
        return [
            each.model_copy(update={"plies": 0})
            for game_id in game_ids
            if (each := self.entries.get(game_id)) is not None
        ]

    async def progress(self, game_ids: Iterable[str]) -> dict[str, GameProgress]:
        return {
            game_id: GameProgress(self.revisions[game_id], self.entries[game_id].plies)
            for game_id in game_ids
            if game_id in self.revisions
        }
