"""A scriptable engine: `python tests/fakes/engine.py --mode ok|silent|dies|...`.

It speaks the engine protocol and knows no rules: it plays the turns that it is given, by ply,
and passes afterwards. Each mode is one way in which engines fail.
"""

import argparse
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

MODES = {
    "ok": "answers `go` at once",
    "waits": "answers `go` only when told to stop",
    "ponders": "answers `go` at once, and `go ponder` when told `ponderhit` or `stop`",
    "ponders-on": "the same, but that it ignores `stop` while it ponders",
    "ponders-for-ever": "the same, but that it hears no `ponderhit` either",
    "dies-pondering": "the same, but that it ends when it hears `go ponder`",
    "dies-at-ponderhit": "the same, but that it ends when it hears `ponderhit`",
    "illegal-while-pondering": "answers `go ponder` at once with a turn that no board has",
    "silent": "does not answer `go`, nor `stop`",
    "no-playouts": "answers `go` at once, after no playout",
    "late": "answers `go` after --delay-ms, and ignores `stop`",
    "rubbish": "answers `go` with lines that mean nothing",
    "no-turn": "answers `go` by `bestmove` without a turn",
    "illegal": "answers `go` with a turn that no board has",
    "dies": "ends when it hears `go`, with a last word on stderr",
    "endless-line": "answers `go` with a line that never ends",
    "long-line": "answers `go` with a line that is too long, and has an end",
    "talks": "prints a line that begins like an answer, and answers when told to stop",
    "flood": "answers `go` with `info` lines without end",
    "resigns": "answers `go` by resigning",
    "draws": "offers a draw with every turn",
    "all-lines": "tells a thousand lines, whatever it was asked for",
    "claims-win": "answers `go` by saying that it has won",
    "out-of-turn": "names another turn right after its own",
    "leaves-after": "ends by itself, cleanly, after its turn",
    "dies-after": "ends with status 3 after its turn",
    "floods-after": "answers, then says `info` lines without end",
    "mute-after": "closes its output after its turn, and lives on",
    "deaf-after": "answers, and then nothing any more",
    "refuses": "calls every position illegal",
    "no-level": "calls every Level an error",
    "dies-at-letters": "ends when an option of numbers is set to letters",
    "deaf": "never answers `isready`",
    "no-start": "ends at once, with a last word on stderr",
    "no-hello": "never says `ugiok`",
    "compiles": "says `info string compiling`, and `ugiok` once the file --wait-for can be read",
    "rubbish-hello": "says rubbish instead of `ugiok`",
}


def say(*lines: str) -> None:
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    sys.stdout.flush()


def in_turn(*actions: Callable[[], object]) -> None:
    for action in actions:
        action()


def close_output() -> None:
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, sys.stdout.fileno())


class FakeEngine:
    def __init__(self, args: argparse.Namespace) -> None:
        self.args = args
        self.ply = 0
        self.deaf = False
        self.pondering = False
        self.lines = 1

    def hear(self, line: str) -> None:
        if self.args.log is not None:
            with self.args.log.open("a") as log:
                log.write(f"{line}\n")
        match line.split():
            case ["ugi"]:
                self.hello()
            case ["setoption", "name", "Level", *_] if self.args.mode == "no-level":
                say("error illegal value")
            case ["setoption", "name", "Seed", "value", "x"] if self.args.mode == "dies-at-letters":
                self.die()
            case ["setoption", "name", "MultiPV", "value", number]:
                self.lines = int(number)
            case ["isready"] if self.args.mode != "deaf" and not self.deaf:
                say("readyok")
            case ["position", "startpos", *moves]:
                self.ply = max(0, len(moves) - 1)
                if self.args.mode == "refuses":
                    say(f"error illegal turn {self.ply}: x (refused)")
            case ["go", "ponder", *_] if "ponder" in self.args.mode:
                self.ponder()
            case ["ponderhit"] | ["stop"] if self.pondering:
                self.end_pondering(line)
            case ["go", *_]:
                self.go()
            case ["stop"] if self.args.mode in ("waits", "talks"):
                self.answer()
            case ["quit"]:
                sys.exit(0)
            case _:
                pass

    def hello(self) -> None:
        if self.args.mode == "no-hello":
            return
        if self.args.mode == "compiles":
            say("info string compiling")
            self.wait()
        if self.args.mode == "rubbish-hello":
            say("\x00\x01 hello?", "I speak GTP")
            return
        say(
            "id name Fake 1",
            "id author the tests",
            "option name Board type string default pent-6",
            "option name Seed type spin default 0 min 0 max 99",
            "option name Network type string",
            "option name Level type combo default weak var weak var very strong",
            *self.args.option_line,
            "ugiok",
        )

    def wait(self) -> None:
        if self.args.wait_for is not None:
            self.args.wait_for.read_text()
            self.args.wait_for = None

    def go(self) -> None:
        mode = self.mode_now()
        self.wait()
        actions: dict[str, Callable[[], object]] = {
            "late": lambda: threading.Timer(self.args.delay_ms / 1000, self.answer).start(),
            "no-playouts": lambda: self.answer(nodes=0),
            "rubbish": lambda: say(*["what is that?"] * 1000),
            "no-turn": lambda: say("bestmove"),
            "illegal": lambda: say("bestmove 99-99,99-98"),
            "dies": self.die,
            "endless-line": self.endless_line,
            "long-line": lambda: say("x" * 65_537),
            "talks": lambda: say("bestmoves so far: 0-0"),
            "flood": self.flood,
            "resigns": lambda: say("bestmove resign"),
            "claims-win": lambda: say("response p1win", "bestmove I have won"),
            "out-of-turn": lambda: in_turn(self.answer, lambda: say("bestmove 5-5")),
            "leaves-after": lambda: in_turn(self.answer, sys.exit),
            "dies-after": lambda: in_turn(self.answer, self.die),
            "floods-after": lambda: in_turn(self.answer, self.flood),
            "mute-after": lambda: in_turn(self.answer, close_output),
            "deaf-after": self.answer_for_the_last_time,
            "waits": lambda: None,
            "silent": lambda: None,
        }
        actions.get(mode, self.answer)()

    def ponder(self) -> None:
        mode = self.mode_now()
        if self.args.tell is not None:
            self.args.tell.write_text("pondering\n")  # waits for the reader
            self.args.tell = None
        if mode == "dies-pondering":
            self.die()
        if mode == "illegal-while-pondering":
            say("bestmove 99-99,99-98")
            return
        self.pondering = True

    def end_pondering(self, line: str) -> None:
        mode = self.args.mode
        if mode == "ponders-for-ever" or (mode == "ponders-on" and line == "stop"):
            return
        if mode == "dies-at-ponderhit" and line == "ponderhit":
            self.die()
        self.pondering = False
        self.answer()

    def mode_now(self) -> str:
        """The fault, or "ok" once it has shown itself `--times` times, in whatever process."""
        if self.args.times is None:
            return str(self.args.mode)
        with self.args.state.open("a+") as state:
            state.write("x")
        done = len(self.args.state.read_text())
        return str(self.args.mode) if done <= self.args.times else "ok"

    def answer(self, nodes: int = 100) -> None:
        turns = self.args.turns
        turn = turns[self.ply] if self.ply < len(turns) else "pass"
        winrate, reply = self.args.winrate, self.args.expects
        say(f"info nodes {nodes} nps 20000 time 5 winrate {winrate} pv {turn} {reply}")
        lines = 1000 if self.args.mode == "all-lines" else self.lines
        for number in range(2, lines + 1):
            others = f"visits {nodes // number} winrate 0.9 pv 5-0,5-{number}"
            say(f"info multipv {number} nodes {nodes} nps 20000 time 5 {others}")
        say(f"bestmove {turn} ponder {reply}" + " draw" * (self.args.mode == "draws"))

    def answer_for_the_last_time(self) -> None:
        self.answer()
        self.deaf = True

    def die(self) -> None:
        sys.stderr.write("cannot go on\n")
        sys.exit(3)

    def endless_line(self) -> None:
        while True:
            sys.stdout.write("x" * 4096)
            sys.stdout.flush()

    def flood(self) -> None:
        while True:
            say("info nodes 1")


def leave_child(fifo: Path) -> None:
    """Start a child that lives for ever; `fifo` stays open for writing as long as it does."""
    with fifo.open("w") as alive:
        program = "import threading; threading.Event().wait()"
        subprocess.Popen([sys.executable, "-c", program], pass_fds=[alive.fileno()])
        alive.write("started\n")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--mode", choices=sorted(MODES), default="ok")
    parser.add_argument("--turns", nargs="*", default=[], help="what to play, by ply")
    parser.add_argument("--option-line", nargs="*", default=[], help="more lines of its hello")
    parser.add_argument("--expects", default="5-0,5-2", help="the reply that it names")
    parser.add_argument("--winrate", default="0.625", help="what it says of its own chances")
    parser.add_argument("--delay-ms", type=int, default=60_000)
    parser.add_argument("--log", type=Path, help="where to write every line heard")
    parser.add_argument("--tell", type=Path, help="a FIFO that hears of its first `go ponder`")
    parser.add_argument("--wait-for", type=Path, help="a FIFO to read before its first answer")
    parser.add_argument("--times", type=int, help="how often to fail before all is well")
    parser.add_argument("--state", type=Path, help="a file in which to count that")
    parser.add_argument("--child", type=Path, help="a FIFO for a child of the first process")
    args = parser.parse_args()
    first_process = args.state is None or not args.state.exists()
    if args.child is not None and first_process:
        leave_child(args.child)
    if args.mode == "no-start":
        sys.exit("cannot find my network")
    engine = FakeEngine(args)
    for line in sys.stdin:
        engine.hear(line.strip())


if __name__ == "__main__":
    main()
