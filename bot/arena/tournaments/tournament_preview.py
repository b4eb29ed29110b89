"""What other sites show next to a link to a tournament."""

from typing import Final

from bot import wire
from bot.arena.store.connection import Connection, Row
from bot.arena.store.database import Database
from bot.arena.web.previews import SITE, Describing, Preview, title_of

_SETTINGS: Final = "SELECT settings FROM tournaments WHERE id = ?"


def described_by(database: Database) -> Describing:
    """Return what describes a tournament by a single row, in any process of the arena."""

    async def describe(tournament_id: str) -> Preview:
        def query(connection: Connection) -> Row | None:
            found: Row | None = connection.execute(_SETTINGS, (tournament_id,)).fetchone()
            return found

        row = await database.read(query)
        if row is None:
            return Preview()
        try:
            settings = wire.TournamentSettings.model_validate_json(row["settings"])
        except ValueError:  # pydantic's ValidationError too
            return Preview()
        names = dict.fromkeys(title_of(each.game) for each in settings.setups)
        return Preview(f"{settings.name} – {SITE}", f"A tournament of {', '.join(names)}.")

    return describe
