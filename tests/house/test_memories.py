"""Every memory has a bound in bytes: a new cache, or a container that only grows, fails here."""

import importlib
import re
from collections.abc import Iterator, Mapping
from typing import Final

from bot.arena.chat import chats
from bot.arena.http import documents
from bot.arena.local import added_games
from bot.arena.pictures import pictures
from bot.runtime import rate_limit
from tests.house import memories
from tools.import_graph import PACKAGES

MOST_OF_THE_ARENA: Final = 500_000_000
"""Bytes of all memories of an arena together."""
BUDGETS_OF_OBJECTS: Final = {
    "AddressBuckets": [
        *[rate_limit.BUCKETS_BYTES] * 7,
        *(added_games.BUCKETS_BYTES, chats.BUCKETS_BYTES),
    ],
    "DocumentCache": [documents.KEPT_BYTES, *[pictures.KEPT_BYTES] * 3],
}
"""The budgets of the objects whose class takes one."""
CALLS: Final = {"AddressBuckets": 8, "DocumentCache": 2}
"""The places in the sources that make them; some make several."""

FROM_OUTSIDE: Final = "most_bytes"
"""The argument of a constructor that passes it on."""

ONCE = "one value, or one for each name in the catalogue"
OF_OBJECT = "lives as long as the object, whose owner counts it"
TOOL = "a command that ends"
CACHES: Final[Mapping[str, str]] = {
    "bot.runtime.doors:Door._entries": "the packages that are installed",
    "bot.arena.ratings.rated_games:RatingStanding.established_until": OF_OBJECT,
    "bot.arena.games.referee:_as_message": "512 of 1 kB: a rule and a sentence of the engine",
    "bot.arena.edge.broadcast:Outbox._change.frame": "one event that is being sent",
    "bot.arena.edge.broadcast:Outbox._whole_game.frame": "one event that is being sent",
    "bot.arena.web.page_bundle:page_bundle": ONCE,
    "bot.arena.games.game_views:_clock_text": "256 clocks of 0.5 kB",
    "bot.arena.store.tables:all_tables": "the tables of the installed rooms",
    "bot.arena.store.tables:all_columns": "the tables of the installed rooms",
    "bot.arena.store.fences:fenced": "128 statements of 1 kB, all in the sources",
    "bot.arena.postgres.postgres_connection:spelled": "1024 statements of 1 kB, all in the sources",
    "bot.daemon.metrics:unmeasured": ONCE,
    "bot.engines.sandbox:_needed.is_whole": "a function that returns",
    "bot.engines.sandbox:_packages": ONCE,
    "bot.engines.sandbox:_system": ONCE,
    "bot.guests.hexo.server.asking:_game": ONCE,
    "bot.matches.report.chronicle:Chronicle.finishes": TOOL,
    "bot.matches.report.chronicle:Chronicle.voids": TOOL,
    "bot.puzzles.library:_by_id": ONCE,
    "bot.puzzles.library:shipped": ONCE,
    "bot.puzzles.making.run:_judge": TOOL,
    "bot.puzzles.model:Puzzle.position": "shipped puzzles only",
    "bot.records.symmetry:_views": "one for each board: 12 MB in all",
    "bot.guests.abstract_play.rehearsal.game:GameState.text": TOOL,
    "bot.runtime.logs:_names_secret": "1024 names of at most 64 characters",
    "bot.tournaments.encounters:Record._adjusted": OF_OBJECT,
    "bot.tournaments.encounters:Record._contributions": OF_OBJECT,
    "bot.tournaments.encounters:Record._met": OF_OBJECT,
    "bot.tournaments.encounters:Record._points": OF_OBJECT,
    "bot.tournaments.formats.tabled:berger": "8 tables of at most 200 players: 3 MB in all",
    "bot.wire.games:PlayedTurn.as_json": OF_OBJECT,
    "bot.wire.games:PlayedTurn.without_line": OF_OBJECT,
    "bot.wire.games:PositionView.as_json": OF_OBJECT,
    "engine.boards.grid:Board._indices": OF_OBJECT,
    "engine.boards.grid:Board.symmetries": OF_OBJECT,
    "engine.boards.grid:board": ONCE,
    "engine.boards.plane:disk": ONCE,
    "engine.boards.square:square_board": ONCE,
    "engine.boards.stars:star_board": ONCE,
    "engine.game:Game.all_options": OF_OBJECT,
    "engine.game:Game.mechanics": OF_OBJECT,
    "engine.game:Position.captured": OF_OBJECT,
    "engine.game:Position.early_end": OF_OBJECT,
    "engine.game:Position.final_scores": OF_OBJECT,
    "engine.game:Position.frame": OF_OBJECT,
    "engine.game:Position.marks": OF_OBJECT,
    "engine.game:Position.scores": OF_OBJECT,
    "engine.game:Position.shown_board": OF_OBJECT,
    "engine.game:Position.stones": OF_OBJECT,
    "engine.game:Position.winner": OF_OBJECT,
    "engine.game:_game": "64 games of at most 180 kB: 12 MB in all",
    "engine.games.blooms.rules:blooms_board": ONCE,
    "engine.games.freego.shapes:good_shapes": ONCE,
    "engine.games.hexo.state:_uncapped": ONCE,
    "engine.games.board_mechanics:BoardMechanics._frame": OF_OBJECT,
    "engine.games.board_turns:BoardTurns.step_cells": OF_OBJECT,
    "engine.games.board_turns:BoardTurns.step_names": OF_OBJECT,
    "engine.kernel.cache:_is_alone": ONCE,
    "engine.kernel.cache:_unknown_users": ONCE,
    "engine.kernel.cache:directory": ONCE,
    "engine.kernel.library:_library": ONCE,
    "engine.kernel.library:folder": ONCE,
    "engine.kernel.library:layout": ONCE,
    "engine.kernel.library:library_file": ONCE,
    "engine.kernel.processor:features": ONCE,
    "engine.neural.shipped:shipped_network": ONCE,
    "engine.training.self_play:_network": TOOL,
    "engine.warming:processor": ONCE,
}
"""What bounds each cache that is no `BoundedMemory`."""

LONG_RUNNING: Final = (
    *(
        "bot.analyst",
        "bot.arena",
        "bot.daemon",
        "bot.engines",
        *("bot.guests.abstract_play", "bot.guests.hexo", "bot.guests.hexo_arena"),
        "bot.platforms",
    ),
    *("bot.runtime", "bot.wire", "engine.game", "engine.players"),
)
"""The rooms whose objects live for weeks."""
SHORT: Final = re.compile(r"\.rehearsal\b")
"""Parts of them whose objects do not."""
AT_START = "grows while the program starts"
CODES = "keys are words of the sources"
GROWING: Final[Mapping[str, str]] = {
    "bot.runtime.simulated_time:SimulatedLoop._counters": "one for each thread of a test",
    "bot.arena.cluster.channel:Channel._nonces": "two parties",
    "bot.arena.cluster.directory:Directory._owned": "one for each process that the arena ever had",
    "bot.arena.cluster.events:Events._listeners": AT_START,
    "bot.arena.cluster.hall:SharedHall._answering": AT_START,
    "bot.arena.http.routes:Routes._costs": AT_START,
    "bot.arena.http.routes:Routes._known": AT_START,
    "bot.arena.request_table:RequestTable._requests": AT_START,
    "bot.arena.web.previews:Previews._described": AT_START,
    "bot.arena.cluster.placed_games:PlacedGames._starting": "one for each process",
    "bot.arena.cluster.postgres_bus:PostgresSession._own": "replaced with the session",
    "bot.arena.cluster.takeover:GameTakeover._damaged": "games that no version can read",
    "bot.arena.analysis.game_review:GameReview._agrees": "a number for each turn",
    "bot.arena.analysis.game_review:GameReview._choice_values": "a number for each turn",
    "bot.arena.analysis.game_review:GameReview._lines": "five lines for each turn, in 50 games",
    "bot.arena.tournaments.tournament:HostedTournament.absences": "players of one tournament",
    "bot.arena.games.preparation:Preparation._ready": "games of the catalogue",
    "bot.runtime.sweeper:Sweeper._chores": AT_START,
    "bot.arena.ratings.rating_fold:Book.standings": "one transaction",
    "bot.daemon.chooser:_Notes._tasks": "one turn",
    "bot.engines.channel:LineChannel._pending": "two streams, each cut at its longest line",
    "bot.guests.hexo.bke:_Reader.turns": TOOL,
    "bot.guests.hexo.htttx_check:ServerTalk.sent": TOOL,
    "bot.engines.check.step:Talk.options": TOOL,
    "bot.engines.check.step:Talk.sent": TOOL,
    "bot.engines.failures:Failures.by_kind": CODES,
    "bot.engines.pool:EnginePool._refused": "one for each identity in the settings",
    "bot.engines.pool:EnginePool.fallbacks": CODES,
    "bot.engines.protocol:OptionValues._lacking": "options in the settings",
    "bot.engines.protocol:OptionValues.declared": "options of an engine, whose number is limited",
    "bot.guests.abstract_play.webhooks:Refusals._logged_at": CODES,
    "bot.platforms.arena.states:_Known.digests": OF_OBJECT,
    "bot.runtime.guardian:ProcessLimits._rules": AT_START,
    "bot.runtime.process_watch:Opened.closed": "one look at the processes of an engine",
    "bot.runtime.process_watch:Opened.inodes": "one look at the processes of an engine",
    "engine.players.judge:Judge._searchers": "two",
}
"""What bounds each container that its class only adds to."""


def test_every_cache_has_a_bound() -> None:
    found = {each for package in PACKAGES for each in memories.caches(package)}
    assert sorted(found - CACHES.keys()) == [], "use BoundedMemory, or name the bound in CACHES"
    assert sorted(CACHES.keys() - found) == []


def test_a_container_that_only_grows_has_a_bound() -> None:
    grown = (each for package in PACKAGES for each in memories.only_growing(package))
    found = {each for each in grown if each.startswith(LONG_RUNNING) and not SHORT.search(each)}
    assert sorted(found - GROWING.keys()) == [], "use BoundedMemory, or name the bound in GROWING"
    assert sorted(GROWING.keys() - found) == []


def _bytes_of_the_arena() -> Iterator[tuple[str, int]]:
    for made in memories.made("bot", "BoundedMemory"):
        if made.module.startswith("bot.arena.") and made.budget != FROM_OUTSIDE:
            yield made.module, getattr(importlib.import_module(made.module), made.budget or "")
    for name, budgets in BUDGETS_OF_OBJECTS.items():
        yield from ((name, budget) for budget in budgets)


def test_the_objects_that_take_a_budget_are_known() -> None:
    for name, calls in CALLS.items():
        made = [each.module for each in memories.made("bot", name)]
        assert len(made) == calls, f"{made}: count its budget in BUDGETS_OF_OBJECTS"


def test_budgets_are_constants_in_bytes() -> None:
    for made in memories.made("bot", "BoundedMemory"):
        assert made.budget is not None, made
        assert made.budget == FROM_OUTSIDE or made.budget.endswith("_BYTES"), made


def test_all_memories_of_the_arena_together_have_a_budget() -> None:
    found = list(_bytes_of_the_arena())
    assert len(found) > 20
    assert sum(size for _, size in found) <= MOST_OF_THE_ARENA, found
