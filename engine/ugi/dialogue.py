"""The conversation between an engine and its host, the program that runs it.

The thread that reads stdin calls `Dialogue.handle`. A search runs in another thread, so the engine
always reads. While a search runs, the engine refuses `setoption`, `uginewgame`, `position` and
`go`.
"""

import gc
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import engine
from engine.contract import Choice, Engine, Info, Limits, Signals
from engine.game import Game, Position
from engine.ugi.text import (
    CommandRefused,
    UnreachablePosition,
    declaration,
    find_option,
    game_with,
    gameover,
    host_options,
    info_lines,
    name_and_value,
    no_more,
    one_line,
    p1turn,
    parse_limits,
    reach,
    result,
    shortened,
)

Write = Callable[[str], None]

EXIT_SECONDS = 1.0
"""Seconds by which a search may delay the end of the process after it is stopped."""
COMPILING_EVERY_SECONDS = 2.0
"""Seconds between two `info string compiling` while the engine compiles or loads its kernels."""


class HostDialogue:
    """A conversation with the host: `handle` takes each line that the host sends.

    `write` receives whole lines, and is called by one thread at a time. A subclass may speak
    another protocol.
    """

    def __init__(self, player: Engine, write: Write) -> None:
        self._player = player
        self._write_line = write
        self._lock = threading.Lock()
        with self._compiling():
            self._game = self._first_game()
            self._position: Position | None = self._game.start()
        self._search: GoSearch | None = None
        self._commands = self._all_commands()

    def _first_game(self) -> Game:
        """The game until the host chooses another one."""
        return engine.game("bluestone")

    def _all_commands(self) -> dict[str, Callable[[list[str]], None]]:
        return {
            "ugi": self._introduce,
            "setoption": self._set_option,
            "isready": self._is_ready,
            "uginewgame": self._new_game,
            "position": self._set_position,
            "go": self._go,
            "stop": self._stop,
            "ponderhit": self._ponderhit,
            "query": self._query,
        }

    # ---- lines in the words of the protocol ----------------------------------------------------

    def refusal_line(self, why: str) -> str:
        """The line that refuses a command."""
        return f"info string {why}"

    def best_line(self, choice: Choice) -> str:
        """The answer of a search."""
        reply = f" ponder {choice.ponder}" if choice.ponder else ""
        return f"bestmove {choice.turn}{reply}"

    def info_lines(self, info: Info) -> list[str]:
        """The report of a running search."""
        return info_lines(info)

    # ---- commands ------------------------------------------------------------------------------

    def handle(self, line: str) -> bool:
        """Run the command of one line; return False if it is `quit`."""
        words = line.split()
        if not words:
            return True
        if words[0] == "quit":
            return False
        try:
            self._obey(words[0], words[1:])
        except CommandRefused as refusal:
            self.say(self.refusal_line(str(refusal)))
        return True

    def _obey(self, command: str, words: list[str]) -> None:
        if command not in self._commands:
            raise CommandRefused(f"unknown command {shortened(command)}")
        self._commands[command](words)

    def close(self) -> None:
        """Stop a running search and wait at most `EXIT_SECONDS` for its answer."""
        search = self._search
        if search is not None:
            search.signals.stop.set()
            search.thread.join(EXIT_SECONDS)

    def say(self, line: str) -> None:
        """Write one line."""
        with self._lock:
            self._write_line(line)

    @contextmanager
    def _compiling(self) -> Iterator[None]:
        """Write `info string compiling` every few seconds while the block runs.

        On a fresh machine the block takes minutes. Without these lines the host would consider the
        engine hung.
        """
        over = threading.Event()

        def say_so() -> None:
            while not over.wait(COMPILING_EVERY_SECONDS):
                self.say("info string compiling")

        thread = threading.Thread(target=say_so, name="compiling", daemon=True)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()

    def _introduce(self, words: list[str]) -> None:
        no_more(words)
        self.say(f"id name {self._player.name}")
        self.say(f"id author {self._player.author}")
        for option in (*host_options(self._game), *self._player.options):
            self.say(declaration(option))
        self.say("ugiok")

    def _is_ready(self, words: list[str]) -> None:
        no_more(words)
        if self._search is None:
            with self._compiling():
                self._player.warm_up(self._game)
                # What a game needs is loaded, so it is no garbage. To look at all of it during a
                # search, for garbage, would delay an answer by a tenth of a second.
                gc.freeze()
        self.say("readyok")

    def _set_option(self, words: list[str]) -> None:
        self._only_when_idle("setoption")
        name, value = name_and_value(words)
        if name.lower() in {option.name.lower() for option in host_options(self._game)}:
            self._game = game_with(self._game, name.lower(), value)
            with self._compiling():
                self._position = self._game.start()
            return
        option = find_option(self._player.options, name)
        try:
            self._player.set_option(option.name, option.parse(value))
        except ValueError as problem:
            raise CommandRefused(f"option {problem}") from None

    def _new_game(self, words: list[str]) -> None:
        no_more(words)
        self._only_when_idle("uginewgame")
        self._player.new_game()
        self._position = self._game.start()

    def _set_position(self, words: list[str]) -> None:
        self._only_when_idle("position")
        if words[:1] != ["startpos"] or words[1:2] not in ([], ["moves"]):
            raise CommandRefused("position takes: startpos [moves T1 T2 ...]")
        before, self._position = self._position, None
        try:
            self._position = reach(self._game, words[2:], before)
        except UnreachablePosition as problem:
            self.say(f"error illegal turn {problem}")

    def _go(self, words: list[str]) -> None:
        self._only_when_idle("go")
        if self._position is None:
            raise CommandRefused("go ignored: the position could not be reached")
        if self._position.over:
            raise CommandRefused("go ignored: the game is over")
        limits = self._limits(words, self._position)
        self._player.set_position(self._position)
        self._search = GoSearch(self, self._player, self._position, limits)
        self._search.thread.start()

    def _limits(self, words: list[str], position: Position) -> Limits:
        return parse_limits(words, position.to_play)

    def _stop(self, words: list[str]) -> None:
        no_more(words)
        self._running("stop").signals.stop.set()

    def _ponderhit(self, words: list[str]) -> None:
        no_more(words)
        self._running("ponderhit").signals.ponderhit.set()

    def _query(self, words: list[str]) -> None:
        if self._position is None:
            raise CommandRefused("query ignored: the position could not be reached")
        answers = {"p1turn": p1turn, "gameover": gameover, "result": result}
        if len(words) != 1 or words[0] not in answers:
            raise CommandRefused("query takes one of p1turn, gameover, result")
        self.say(f"response {answers[words[0]](self._position)}")

    def _only_when_idle(self, command: str) -> None:
        if self._search is not None:
            raise CommandRefused(f"{command} ignored: a search is running")

    def _running(self, command: str) -> "GoSearch":
        search = self._search
        if search is None:
            raise CommandRefused(f"{command} ignored: no search is running")
        return search

    def finish(self, line: str) -> None:
        """End the search and write its last line; the host may send the next command at once."""
        with self._lock:
            self._search = None
            self._write_line(line)


class GoSearch:
    """One `go`: the player's search in its own thread; it always writes one legal `bestmove`."""

    def __init__(
        self, dialogue: HostDialogue, player: Engine, position: Position, limits: Limits
    ) -> None:
        self._dialogue = dialogue
        self._player = player
        self._position = position
        self._limits = limits
        self.signals = Signals()
        self.thread = threading.Thread(target=self._run, name="search", daemon=True)

    def _run(self) -> None:
        choice = self._ask()
        if self._limits.ponder:
            self._wait_for_release()
        if self._limits.infinite:
            self.signals.stop.wait()
        self._dialogue.finish(self._dialogue.best_line(choice))

    def _wait_for_release(self) -> None:
        """Keep the answer of a search that ends while it ponders until `stop` or `ponderhit`."""
        while not (self.signals.stop.is_set() or self.signals.ponderhit.is_set()):
            self.signals.stop.wait(0.02)

    def _ask(self) -> Choice:
        """Return the player's choice if it is legal, else the first legal turn.

        A host with a clock needs a turn even if the player fails.
        """
        try:
            choice = self._player.search(self._limits, self._report, self.signals)
        except Exception as failure:  # noqa: BLE001
            traceback.print_exc()
            self._dialogue.say(f"info string the search failed: {one_line(repr(failure))}")
        else:
            if self._position.is_legal(choice.turn):
                return choice
            self._dialogue.say(f"info string the search chose an illegal turn {choice.turn!r}")
        return Choice(next(self._position.legal_turns()), value=0.5, visits=0)

    def _report(self, info: Info) -> None:
        for line in self._dialogue.info_lines(info):
            self._dialogue.say(line)
