"""The tables of the arena as they are today, and the columns of each.

The tables of accounts are in `account_tables.py`, and those for searches in `record_tables.py`.

A change belongs to `STEPS` of `schema.py` too, which brings older tables up to date.
"""

from typing import Final

from bot.arena.games import record_tables
from bot.arena.players import account_tables

COLUMNS: Final = {
    **account_tables.COLUMNS,
    "games": (
        "id setup players player_1 player_2 running revision plies draw_offer banked_ms "
        "thinking_since result created_at ended_at record tournament place owner epoch "
        "takeback_offer takebacks hints clocks abort_offer"
    ),
    "turns": "game_id ply played revision thinking_since",
    "facts": "name value",
    "ratings_due": "game_id",
    "ratings": "account game rating deviation volatility games rated_at established_until",
    "rating_changes": (
        "game_id account opponent game board score ended_at number before rating deviation"
        " volatility"
    ),
    "hosts": "account since",
    "tournaments": "id host settings state summary created_at changed_at",
    "tournament_entrants": "tournament account number player",
    "tournament_events": "tournament number event at",
    "tokens": "id account secret_hash created_at used_at ends_at",
    "blocks": "id account network until reason created_at",
    "closed_names": "skeleton name since",
    "orders": "id at action subject detail reason who done_at ok outcome",
    "processes": ("id address pid version lease_until clock_s presence_revision started_at ended"),
    "duties": "name owner epoch",
    "presence": "process name player",
    "challenges": "id challenge",
    "chat": "id game_id seat kind body at",
    "plans": "game_id seat ply takebacks lines",
    "puzzle_ratings": "puzzle rating deviation volatility tried rated_at",
    "puzzle_solvers": "account game rating deviation volatility tried solved rated_at",
    "puzzle_answers": "account puzzle solved answered_at",
    "puzzle_days": "account last_day streak",
    **record_tables.COLUMNS,
    "game_analyses": "game_id analysis made_at",
    "analysts": "account since",
}
"""The columns of each table, in order."""

# thinking_since: when the player to move started to think, in seconds of the arena's own clock
# (`bot.arena.arena_clock`). A turn inserts one row and changes no other: its row has the
# revision and the time, and the row of the game describes the game as it was after `plies` turns.
# owner: the process that plays the game, of an arena with several; its clock is the one of
# `thinking_since`. epoch: how often the game changed its owner; see `bot.arena.store.fences`.
# takeback_offer, takebacks: the player who asks to take a turn back; how often that was granted.
# abort_offer: the player who offers to end the game without a result.
# clocks: of both players after `plies` turns; NULL if no turn was taken back (they follow from the
# turns then).
GAMES: Final = """
CREATE TABLE games (
    id TEXT PRIMARY KEY,
    setup TEXT NOT NULL,
    players TEXT NOT NULL,
    player_1 TEXT NOT NULL REFERENCES accounts (id),
    player_2 TEXT NOT NULL REFERENCES accounts (id),
    running BOOLEAN NOT NULL,
    revision BIGINT NOT NULL,
    plies BIGINT NOT NULL,
    draw_offer BIGINT,
    banked_ms BIGINT NOT NULL,
    thinking_since DOUBLE PRECISION,
    result TEXT,
    created_at TEXT NOT NULL,
    ended_at TEXT,
    record TEXT,
    tournament TEXT,
    place TEXT,
    owner TEXT,
    epoch BIGINT NOT NULL DEFAULT 0,
    takeback_offer BIGINT,
    takebacks BIGINT NOT NULL DEFAULT 0,
    hints BIGINT NOT NULL DEFAULT 0,
    clocks TEXT,
    abort_offer BIGINT
);
"""
TAKEBACKS_OF_7: Final = """
ALTER TABLE games ADD COLUMN takeback_offer BIGINT;
ALTER TABLE games ADD COLUMN takebacks BIGINT NOT NULL DEFAULT 0;
ALTER TABLE games ADD COLUMN hints BIGINT NOT NULL DEFAULT 0;
ALTER TABLE games ADD COLUMN clocks TEXT;
"""
"""What version 7 adds to the table of games."""
ABORTS_OF_8: Final = "ALTER TABLE games ADD COLUMN abort_offer BIGINT;"
"""What version 8 adds to the table of games."""
TURNS: Final = """
CREATE TABLE turns (
    game_id TEXT NOT NULL REFERENCES games (id),
    ply BIGINT NOT NULL,
    played TEXT NOT NULL,
    revision BIGINT,
    thinking_since DOUBLE PRECISION,
    PRIMARY KEY (game_id, ply)
) WITHOUT ROWID;
"""
# ratings_due: rated games that have ended and are not in the other two tables yet. rating_changes:
# what a game did to the rating of each of its players; `number` counts the rated games of the
# account in that game, `before` is the rating before this one. ratings: the last change of each
# account. established_until: when the rating becomes provisional if no game follows; NULL if it is
# provisional already.
RATINGS: Final = """
CREATE TABLE ratings_due (
    game_id TEXT PRIMARY KEY REFERENCES games (id)
) WITHOUT ROWID;
CREATE TABLE ratings (
    account TEXT NOT NULL REFERENCES accounts (id),
    game TEXT NOT NULL,
    rating DOUBLE PRECISION NOT NULL,
    deviation DOUBLE PRECISION NOT NULL,
    volatility DOUBLE PRECISION NOT NULL,
    games BIGINT NOT NULL,
    rated_at TEXT NOT NULL,
    established_until TEXT,
    PRIMARY KEY (account, game)
) WITHOUT ROWID;
CREATE INDEX ratings_best ON ratings (game, rating);
CREATE TABLE rating_changes (
    game_id TEXT NOT NULL REFERENCES games (id),
    account TEXT NOT NULL REFERENCES accounts (id),
    opponent TEXT NOT NULL REFERENCES accounts (id),
    game TEXT NOT NULL,
    board TEXT NOT NULL,
    score DOUBLE PRECISION NOT NULL,
    ended_at TEXT NOT NULL,
    number BIGINT NOT NULL,
    before DOUBLE PRECISION NOT NULL,
    rating DOUBLE PRECISION NOT NULL,
    deviation DOUBLE PRECISION NOT NULL,
    volatility DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (game_id, account)
) WITHOUT ROWID;
CREATE INDEX rating_changes_account ON rating_changes (account, game, number);
CREATE INDEX rating_changes_order ON rating_changes (game, ended_at, game_id);
"""
FACTS: Final = "CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;"
# hosts: the accounts that may create tournaments. tournament_entrants.player: the entrant's
# `wire.Player` at the time of entry. tournament_events: the events (`bot.tournaments.events`) of a
# tournament, numbered from 0. The first is `began`; without it the tournament still takes entrants.
# games.place: which game of the tournament it is (`wire.TournamentPlace`).
TOURNAMENTS: Final = """
CREATE TABLE hosts (
    account TEXT PRIMARY KEY REFERENCES accounts (id),
    since TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE tournaments (
    id TEXT PRIMARY KEY,
    host TEXT NOT NULL REFERENCES accounts (id),
    settings TEXT NOT NULL,
    state TEXT NOT NULL,
    summary TEXT,
    created_at TEXT NOT NULL,
    changed_at TEXT NOT NULL
) WITHOUT ROWID;
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
CREATE INDEX tournaments_created ON tournaments (created_at);
"""
# tokens: the secrets of bots, several for each; one that ended is kept so that its open connections
# can be found. blocks: either an account or a network in CIDR notation. closed_names: names that
# no player may have. orders: what the operator did, and what the arena must still do (`done_at` is
# NULL); see `bot.arena.store.orders`.
MODERATION: Final = """
CREATE TABLE tokens (
    id TEXT PRIMARY KEY,
    account TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    secret_hash TEXT NOT NULL UNIQUE,
    created_at TEXT NOT NULL,
    used_at TEXT,
    ends_at TEXT
) WITHOUT ROWID;
CREATE INDEX tokens_account ON tokens (account);
CREATE TABLE blocks (
    id TEXT PRIMARY KEY,
    account TEXT REFERENCES accounts (id) ON DELETE CASCADE,
    network TEXT,
    until TEXT,
    reason TEXT NOT NULL,
    created_at TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE closed_names (
    skeleton TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    since TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE orders (
    id TEXT PRIMARY KEY,
    at TEXT NOT NULL,
    action TEXT NOT NULL,
    subject TEXT NOT NULL,
    detail TEXT,
    reason TEXT NOT NULL,
    who TEXT NOT NULL,
    done_at TEXT,
    ok BIGINT,
    outcome TEXT
) WITHOUT ROWID;
CREATE INDEX orders_pending ON orders (at) WHERE done_at IS NULL;
"""
# processes: those of an arena with several. lease_until: in seconds since 1970 of the database's
# clock. clock_s: the process's own arena clock at its last renewal. duties: what only one process
# does, and which one; epoch: how often that changed. presence: who is connected to which process;
# player: a `wire.Player`. challenges: the open ones (`bot.arena.lobby.challenge`).
PROCESSES: Final = """
CREATE TABLE processes (
    id TEXT PRIMARY KEY,
    address TEXT,
    pid BIGINT,
    version TEXT,
    lease_until DOUBLE PRECISION NOT NULL,
    clock_s DOUBLE PRECISION NOT NULL,
    presence_revision BIGINT NOT NULL,
    started_at TEXT,
    ended BOOLEAN NOT NULL
) WITHOUT ROWID;
CREATE TABLE duties (
    name TEXT PRIMARY KEY,
    owner TEXT,
    epoch BIGINT NOT NULL
) WITHOUT ROWID;
CREATE TABLE presence (
    process TEXT NOT NULL REFERENCES processes (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    player TEXT NOT NULL,
    PRIMARY KEY (process, name)
) WITHOUT ROWID;
CREATE TABLE challenges (id TEXT PRIMARY KEY, challenge TEXT NOT NULL) WITHOUT ROWID;
"""
# chat: what the players of a game said to each other; kind: see `bot.wire.chat.ChatLine`. plans:
# conditional turns (`bot.arena.plans.plans`); lines: a JSON list of lists of turns.
CHAT: Final = """
CREATE TABLE chat (
    id TEXT PRIMARY KEY,
    game_id TEXT NOT NULL REFERENCES games (id),
    seat BIGINT NOT NULL,
    kind TEXT NOT NULL,
    body TEXT NOT NULL,
    at TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX chat_game ON chat (game_id, at);
CREATE TABLE plans (
    game_id TEXT NOT NULL REFERENCES games (id),
    seat BIGINT NOT NULL,
    ply BIGINT NOT NULL,
    takebacks BIGINT NOT NULL,
    lines TEXT NOT NULL,
    PRIMARY KEY (game_id, seat)
) WITHOUT ROWID;
"""
# puzzle_ratings: the ratings that puzzles have by answers; others have the one of their file.
# puzzle_solvers: how players do at the puzzles of each game. puzzle_answers: the first answer of a
# player to a puzzle, which alone counts. puzzle_days: days in a row with a solved puzzle, in UTC.
PUZZLES: Final = """
CREATE TABLE puzzle_ratings (
    puzzle TEXT PRIMARY KEY,
    rating DOUBLE PRECISION NOT NULL,
    deviation DOUBLE PRECISION NOT NULL,
    volatility DOUBLE PRECISION NOT NULL,
    tried BIGINT NOT NULL,
    rated_at TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE puzzle_solvers (
    account TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    game TEXT NOT NULL,
    rating DOUBLE PRECISION NOT NULL,
    deviation DOUBLE PRECISION NOT NULL,
    volatility DOUBLE PRECISION NOT NULL,
    tried BIGINT NOT NULL,
    solved BIGINT NOT NULL,
    rated_at TEXT NOT NULL,
    PRIMARY KEY (account, game)
) WITHOUT ROWID;
CREATE TABLE puzzle_answers (
    account TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    puzzle TEXT NOT NULL,
    solved BOOLEAN NOT NULL,
    answered_at TEXT NOT NULL,
    PRIMARY KEY (account, puzzle)
) WITHOUT ROWID;
CREATE TABLE puzzle_days (
    account TEXT PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
    last_day TEXT NOT NULL,
    streak BIGINT NOT NULL
) WITHOUT ROWID;
"""
# game_analyses: a `wire.GameAnalysis` that is complete. analysts: bots that may make them.
ANALYSES: Final = """
CREATE TABLE game_analyses (
    game_id TEXT PRIMARY KEY REFERENCES games (id),
    analysis TEXT NOT NULL,
    made_at TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE analysts (
    account TEXT PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
    since TEXT NOT NULL
) WITHOUT ROWID;
"""
INDEXES: Final = """
CREATE INDEX games_running ON games (running) WHERE running;
CREATE INDEX games_ended ON games (ended_at);
CREATE INDEX games_player_1 ON games (player_1, ended_at);
CREATE INDEX games_player_2 ON games (player_2, ended_at);
"""
