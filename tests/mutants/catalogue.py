"""The mutants, and the check that catches each."""

from typing import Final

from tests.mutants.sabotage import Check, Mutant


def _fault(name: str, times: int = 1) -> Check:
    words = ("--faults", name, "--times", str(times), "--seed", "3", "--short")
    return Check(("tests.chaos", *words))


def _test(name: str) -> Check:
    options = ("-q", "-x", "-p", "no:cacheprovider", "-p", "no:randomly", "-m", "")
    return Check(("pytest", name, *options))


ARENA_KILLED: Final = _fault("arena-killed")
BOT_KILLED: Final = _fault("bot-killed")

MUTANTS: Final = (
    # ---- the arena -------------------------------------------------------------------------
    Mutant(
        "turn acknowledged before it is written",
        "GameStore.save",
        """
        import asyncio

        waiting = set()

        async def mutant(self, old, game, *more):
            async def later():
                await asyncio.sleep(1)
                await original(self, old, game, *more)

            task = asyncio.create_task(later())
            waiting.add(task)
        """,
        ARENA_KILLED,
        "is lost",
    ),
    Mutant(
        "turn not committed",
        "Writer._alone",
        """
        def mutant(self, statement):
            self._connection.execute("BEGIN")
            statement(self._connection)
            self._connection.execute("ROLLBACK")
        """,
        ARENA_KILLED,
        "is lost",
    ),
    Mutant(
        "last turn forgotten at a restart",
        "GameStore.running",
        """
        async def mutant(self):
            from dataclasses import replace

            return [replace(each, turns=each.turns[:-1]) for each in await original(self)]
        """,
        ARENA_KILLED,
        "is lost",
    ),
    Mutant(
        "turn written for two plies",
        "GameStore.save",
        """
        async def mutant(self, old, game, *more):
            await original(self, old, game, *more)
            if game.ply > old.ply:
                game_id, ply, *rest = game_rows.turn_row(game)
                await self._database.write(Statement(_PLAY, (game_id, ply + 1, *rest)))
        """,
        ARENA_KILLED,
        "the server does not know it",
    ),
    Mutant(
        "clocks full again after a restart",
        "StoredGame.revived",
        """
        def mutant(self, allowances, *more):
            return replace(
                original(self, allowances, *more),
                clocks=new_game(
                    self.game_id, self.setup, self.players, allowances, self.created_at, 0.0
                ).clocks,
            )
        """,
        ARENA_KILLED,
        "the clock of the player who waits was changed",
    ),
    Mutant(
        "finished game recorded twice",
        "RecordFile.add",
        """
        def mutant(self, record):
            original(self, record)
            original(self, record)
        """,
        _test("tests/bot/arena/games/test_archive.py"),
        "== ['one', 'two']",
    ),
    Mutant(
        "stopped process charged to the player to move",
        "ArenaClock._look",
        """
        def mutant(self):
            return self._time.monotonic()
        """,
        _fault("arena-stopped"),
        "ended by time_forfeit",
    ),
    Mutant(
        "deadline of a game forgotten",
        "GamesInPlay._set_alarm",
        """
        def mutant(self, game):
            pass
        """,
        _test("tests/bot/arena/games/test_time.py::test_a_flag_falls"),
        "TimeoutError",
    ),
    Mutant(
        "repeated turn refused",
        "Game.is_repeated",
        """
        def mutant(self, seat, ply, turn):
            return False
        """,
        _test(
            "tests/bot/arena/edge/test_bad_input.py::"
            "test_a_repeated_turn_is_answered_as_before_and_played_once"
        ),
        "stale_ply",
    ),
    Mutant(
        "database written without fsync",
        "Writer.__init__",
        """
        def mutant(self, *more):
            original(self, *more)
            self._connection.execute("PRAGMA synchronous = OFF")
        """,
        _test("tests/bot/arena/store/test_writer.py::test_a_write_survives_a_power_cut"),
        "assert 0 == 2",
    ),
    Mutant(
        "pairing of a tournament lost",
        "TournamentStore.note",
        """
        async def mutant(self, tournament_id, first, events, *more):
            kept = [event for event in events if event.kind != "paired"]
            await original(self, tournament_id, first, kept, *more)
        """,
        _test(
            "tests/bot/arena/tournaments/test_tournaments.py::test_a_killed_arena_continues_where_it_was",
        ),
        "some of its events are missing",
    ),
    Mutant(
        "time of day not read again",
        "TournamentRunner._watch_wall",
        """
        def mutant(self, tournament_id, time, looked):
            left_s = (time - looked.wall).total_seconds()
            ring = lambda: self._look_after(tournament_id)
            self._alarms.set((tournament_id, "wall"), looked.now + left_s, ring)
        """,
        _test(
            "tests/bot/arena/tournaments/test_tournament_entries.py::"
            "test_a_tournament_starts_at_its_time_of_day_after_the_machine_was_suspended"
        ),
        "TimeoutError",
    ),
    # ---- the bot ---------------------------------------------------------------------------
    Mutant(
        "journal keeps no turn",
        "TurnJournal.choose",
        """
        async def mutant(self, key, chosen, *more):
            return chosen
        """,
        BOT_KILLED,
        "the bot's journal has None",
    ),
    Mutant(
        "turn sent before it is in the journal",
        "TurnJournal.choose",
        """
        import asyncio

        waiting = set()

        async def mutant(self, key, chosen, *more):
            async def later():
                await asyncio.sleep(5)
                await original(self, key, chosen, *more)

            task = asyncio.create_task(later())
            waiting.add(task)
            return chosen
        """,
        BOT_KILLED,
        "the bot's journal has None",
    ),
    Mutant(
        "turn of another position sent",
        "digest_of",
        """
        def mutant(turns):
            return "the same"
        """,
        _test("tests/bot/daemon/test_restored_arena.py"),
        "Granite resigned",
    ),
    Mutant(
        "journal written without fsync",
        "FileDatabase._prepare",
        """
        def mutant(self, database):
            original(self, database)
            database.execute("PRAGMA synchronous = OFF")
        """,
        _test("tests/bot/runtime/test_database.py::test_a_write_survives_a_power_cut"),
        "assert [(0,)] == [(2,)]",
    ),
    Mutant(
        "engine left running",
        "_wait",
        """
        def mutant(engine, lifeline, wake, report, limits):
            return os.waitpid(engine, 0)[1]
        """,
        BOT_KILLED,
        "an engine outlived the bot",
    ),
    Mutant(
        "game recorded twice by the bot",
        "RecordBook.add",
        """
        async def mutant(self, record):
            await original(self, record)
            self._added.clear()
            await original(self, record)
        """,
        _test("tests/bot/daemon/test_record_book.py"),
        "Left contains",
    ),
    # ---- the host of tournaments, and files ------------------------------------------------
    Mutant(
        "line of the ledger lost",
        "append_events",
        """
        def mutant(path, at, events, chain):
            if any(event.kind == "finished" and event.game == 1 for event in events):
                return chain
            return original(path, at, events, chain)
        """,
        _test(
            "tests/bot/matches/test_kills.py::"
            "test_a_host_that_is_killed_several_times_comes_to_the_same_result"
        ),
        "assert 5 == 6",
    ),
    Mutant(
        "result counted before it is in the ledger",
        "Ledger.add",
        """
        async def mutant(self, event):
            if event.kind == "finished":
                self.tournament.apply(event)
                return True
            return await original(self, event)
        """,
        _test("tests/bot/matches/test_ledger.py::test_the_next_host_continues_the_ledger"),
        "assert [] == [1]",
    ),
    Mutant(
        "line added without fsync",
        "append",
        """
        def mutant(descriptor, data):
            os.write(descriptor, data)
        """,
        _test("tests/bot/runtime/test_files.py::test_appended_bytes_survive_a_power_cut"),
        "has_all_of",
    ),
    Mutant(
        "folder of a new file without fsync",
        "sync_folder",
        """
        def mutant(folder):
            pass
        """,
        _test("tests/bot/runtime/test_files.py::test_appended_bytes_survive_a_power_cut"),
        "has_name_of",
    ),
    # ---- what attackers must not get -------------------------------------------------------
    Mutant(
        "revoked token accepted",
        "Accounts._by_token",
        """
        async def mutant(self, secret):
            row = await self._database.read(
                lambda connection: connection.execute(BOT_OF, (hashed(secret),)).fetchone()
            )
            if row is None:
                raise Refused("bad_token")
            return _Account(player_in(row), datetime.fromisoformat(row["seen_at"]), row["token"])
        """,
        _test(
            "tests/bot/arena/operator/test_desk.py::test_a_revoked_token_is_refused_and_not_listed"
        ),
        "assert not True",
    ),
    Mutant(
        "blocked account let in",
        "Bans.check_player",
        """
        def mutant(self, account, token, now, kind):
            original(Bans(token_ends=self.token_ends), account, token, now, kind)
        """,
        _test(
            "tests/bot/arena/operator/test_moderation.py::"
            "test_a_blocked_account_is_disconnected_and_told_why"
        ),
        "TimeoutError",
    ),
    Mutant(
        "box without rules for files",
        "restrict_files",
        """
        def mutant(rules, *, network):
            return True
        """,
        _test("tests/bot/engines/test_sandbox.py::test_an_engine_cannot_read_a_token_elsewhere"),
        "info string did secret",
    ),
    Mutant(
        "backup restored unchecked",
        "_check_file",
        """
        def mutant(path, file):
            pass
        """,
        _test(
            "tests/bot/runtime/test_backup.py::test_a_damaged_backup_is_refused_and_changes_nothing"
        ),
        "DID NOT RAISE",
    ),
    Mutant(
        "metrics for everybody",
        "MetricsPage.admits",
        """
        def mutant(self, request):
            return request.path == PATH
        """,
        _test("tests/bot/arena/edge/test_metrics_page.py::test_strangers_get_a_sentence_and_a_403"),
        "assert 200 == 403",
    ),
    Mutant(
        "script in a report",
        "escaped",
        """
        def mutant(text):
            return Html(str(text))
        """,
        _test(
            "tests/bot/matches/report/test_page.py::"
            "test_a_script_in_any_text_is_text_also_in_the_drawings"
        ),
        "AssertionError",
    ),
)
