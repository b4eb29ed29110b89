"""The tables of tournaments."""

from typing import Final

from bot.arena.store.connection import Connection
from bot.arena.store.personal_data import Exported, PersonalData
from bot.arena.store.tables import Restorable, Tables
from bot.arena.tournaments.tournament_redaction import redact_names

# tournament_entrants.player: the `wire.Player` of an entrant at the time of entry.
# tournament_events: the events (`bot.tournaments.events`) of a tournament, numbered from 0. The
# first is `began`; without it the tournament still takes entrants. games.place: which game of the
# tournament it is (`wire.TournamentPlace`).
SCRIPT: Final = """
CREATE TABLE tournaments (
    id TEXT PRIMARY KEY,
    host TEXT NOT NULL REFERENCES accounts (id),
    settings TEXT NOT NULL,
    state TEXT NOT NULL,
    summary TEXT,
    created_at TEXT NOT NULL,
    changed_at TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX tournaments_created ON tournaments (created_at);
CREATE TABLE tournament_entrants (
    tournament TEXT NOT NULL REFERENCES tournaments (id),
    account TEXT NOT NULL REFERENCES accounts (id),
    number BIGINT NOT NULL,
    player TEXT NOT NULL,
    PRIMARY KEY (tournament, account)
) WITHOUT ROWID;
CREATE TABLE tournament_events (
    tournament TEXT NOT NULL REFERENCES tournaments (id),
    number BIGINT NOT NULL,
    event TEXT NOT NULL,
    at TEXT NOT NULL,
    PRIMARY KEY (tournament, number)
) WITHOUT ROWID;
CREATE INDEX games_tournament ON games (tournament) WHERE tournament IS NOT NULL;
"""


def _restorable(connection: Connection) -> Restorable:
    """Read all tournaments."""
    from bot.arena.tournaments.tournament_store import DamagedTournament, all_tournaments

    found = all_tournaments(connection)
    damaged = [each for each in found if isinstance(each, DamagedTournament)]
    return Restorable(len(found), {each.tournament_id: each.why for each in damaged})


TABLES: Final = Tables(
    "tournaments",
    SCRIPT,
    after=("games",),
    restorable={"tournament": _restorable},
    personal=PersonalData(
        exported=[
            Exported(
                "hosted_tournaments", "id settings created_at", "tournaments WHERE host = :account"
            ),
            Exported(
                "tournaments", "tournament player", "tournament_entrants WHERE account = :account"
            ),
        ],
        needed=["tournament_entrants"],
        redact=redact_names,
    ),
)
