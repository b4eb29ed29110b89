"""Games in the database: saved at each change, loaded when the arena starts.

While the server is down nobody's clock runs. So that a crash costs nobody time either, a sign of
life is written every few seconds: what the player to move had thought until the last one counts.
"""

from dataclasses import dataclass
from datetime import datetime

from pydantic import TypeAdapter
from sqlalchemy import RowMapping, insert, select
from sqlalchemy.dialects.sqlite import insert as upsert
from sqlalchemy.ext.asyncio import AsyncConnection

from bot import wire
from bot.arena.database import Database, as_text, facts, games, turns
from bot.arena.game import Game
from bot.records.model import GameRecord

PLAYERS: TypeAdapter[tuple[wire.Player, wire.Player]] = TypeAdapter(tuple[wire.Player, wire.Player])
SIGN_OF_LIFE = "alive_at"


@dataclass(frozen=True)
class StoredGame:
    """A game as the database has it; `thought_ms` of the turn in progress when it was left."""

    game_id: str
    setup: wire.GameSetup
    players: tuple[wire.Player, wire.Player]
    turns: tuple[wire.PlayedTurn, ...]
    revision: int
    draw_offer: wire.Seat | None
    thought_ms: int
    result: wire.Result | None
    created_at: datetime
    ended_at: datetime | None


@dataclass(frozen=True)
class Summary:
    """A finished game for a list."""

    game: wire.GameSummary
    ended_at: datetime


class GameStore:
    """Reads and writes games; every write is on the disk when it returns."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def save(
        self,
        game: Game,
        saved_plies: int,
        thinking_since: datetime | None,
        record: GameRecord | None,
    ) -> None:
        """Write a game; its first `saved_plies` turns are in the database already.

        `thinking_since` is when the player to move began to think, by the wall.
        """
        async with self._database.write() as connection:
            await _save_game(connection, game, thinking_since, record)
            rows = [
                {"game_id": game.game_id, "ply": ply, "played": turn.model_dump_json()}
                for ply, turn in enumerate(game.turns[saved_plies:], start=saved_plies)
            ]
            if rows:
                await connection.execute(insert(turns), rows)

    async def show_life(self, now: datetime) -> None:
        """Note that the server is up: clocks have run until now."""
        async with self._database.write() as connection:
            await connection.execute(
                upsert(facts)
                .values(name=SIGN_OF_LIFE, value=as_text(now))
                .on_conflict_do_update(index_elements=["name"], set_={"value": as_text(now)})
            )

    async def running(self) -> list[StoredGame]:
        """The games that were running when the server went down, oldest first."""
        async with self._database.read() as connection:
            query = select(facts.c.value).where(facts.c.name == SIGN_OF_LIFE)
            alive_at = (await connection.execute(query)).scalar_one_or_none()
            rows = (
                await connection.execute(
                    select(games).where(games.c.running).order_by(games.c.created_at)
                )
            ).mappings()
            return [await _load(connection, row, alive_at) for row in rows.all()]

    async def finished(self, game_id: str) -> StoredGame | None:
        """A finished game; None if there is none of that id."""
        async with self._database.read() as connection:
            query = select(games).where(games.c.id == game_id, ~games.c.running)
            row = (await connection.execute(query)).mappings().one_or_none()
            return None if row is None else await _load(connection, row, None)

    async def summaries(self, limit: int, before: datetime | None = None) -> list[Summary]:
        """Finished games, the latest first; those that ended before `before`."""
        query = select(games).where(~games.c.running).order_by(games.c.ended_at.desc()).limit(limit)
        if before is not None:
            query = query.where(games.c.ended_at < as_text(before))
        async with self._database.read() as connection:
            rows = (await connection.execute(query)).mappings().all()
        return [_summary(row) for row in rows]

    async def record(self, game_id: str) -> str | None:
        """The record of a finished game, as JSON."""
        async with self._database.read() as connection:
            query = select(games.c.record).where(games.c.id == game_id)
            return (await connection.execute(query)).scalar_one_or_none()

    async def record_ids(self) -> list[str]:
        """The ids of all games that have a record, oldest first."""
        async with self._database.read() as connection:
            query = select(games.c.id).where(games.c.record.is_not(None)).order_by(games.c.ended_at)
            return list((await connection.execute(query)).scalars())


async def _save_game(
    connection: AsyncConnection,
    game: Game,
    thinking_since: datetime | None,
    record: GameRecord | None,
) -> None:
    changing = {
        "running": game.result is None,
        "revision": game.revision,
        "plies": game.ply,
        "draw_offer": game.draw_offer,
        "banked_ms": game.banked_ms,
        "thinking_since": thinking_since and as_text(thinking_since),
        "result": game.result and game.result.model_dump_json(),
        "ended_at": game.ended_at and as_text(game.ended_at),
        "record": record and record.model_dump_json(),
    }
    one, two = game.players
    fixed = {
        "id": game.game_id,
        "setup": game.setup.model_dump_json(),
        "players": PLAYERS.dump_json(game.players).decode(),
        "player_1": one.name,
        "player_2": two.name,
        "created_at": as_text(game.created_at),
    }
    await connection.execute(
        upsert(games)
        .values(**fixed, **changing)
        .on_conflict_do_update(index_elements=["id"], set_=changing)
    )


async def _load(connection: AsyncConnection, row: RowMapping, alive_at: str | None) -> StoredGame:
    query = select(turns.c.played).where(turns.c.game_id == row["id"]).order_by(turns.c.ply)
    played = (await connection.execute(query)).scalars()
    return StoredGame(
        game_id=row["id"],
        setup=wire.GameSetup.model_validate_json(row["setup"]),
        players=PLAYERS.validate_json(row["players"]),
        turns=tuple(wire.PlayedTurn.model_validate_json(text) for text in played),
        revision=row["revision"],
        draw_offer=row["draw_offer"],
        thought_ms=row["banked_ms"] + _ms_between(row["thinking_since"], alive_at),
        result=_result(row),
        created_at=datetime.fromisoformat(row["created_at"]),
        ended_at=row["ended_at"] and datetime.fromisoformat(row["ended_at"]),
    )


def _ms_between(begin: str | None, end: str | None) -> int:
    if begin is None or end is None:
        return 0
    gone = datetime.fromisoformat(end) - datetime.fromisoformat(begin)
    return max(0, round(gone.total_seconds() * 1000))


def _result(row: RowMapping) -> wire.Result | None:
    return row["result"] and wire.Result.model_validate_json(row["result"])


def _summary(row: RowMapping) -> Summary:
    summary = wire.GameSummary(
        game_id=row["id"],
        setup=wire.GameSetup.model_validate_json(row["setup"]),
        players=PLAYERS.validate_json(row["players"]),
        state="finished",
        plies=row["plies"],
        result=_result(row),
        created_at=datetime.fromisoformat(row["created_at"]),
    )
    return Summary(summary, datetime.fromisoformat(row["ended_at"]))
