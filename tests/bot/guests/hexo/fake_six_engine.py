"""A scriptable engine that speaks Six.

    python tests/bot/guests/hexo/fake_six_engine.py --mode ok|...

It knows no rules: it plays the turns that it is given, by the number of stones on the board. Each
turn is written as in `bestmove`, such as `1 0 0 1`.
"""

import argparse
import sys
from pathlib import Path

MODES = {
    "ok": "answers `go` at once",
    "waits": "answers `go` only when told to stop",
    "illegal": "answers `go` with the stone of the opening",
    "half": "answers `go` with one stone",
    "words": "answers `go` with words instead of numbers",
    "refuses": "calls every position an error",
    "no-hello": "says `ugiok` instead of `sixok`",
    "surplus": "names a second stone after one that wins",
}


def say(*lines: str) -> None:
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    sys.stdout.flush()


class FakeSixEngine:
    def __init__(self, args: argparse.Namespace) -> None:
        self.args = args
        self.script = dict(zip(args.at, args.turns, strict=True))
        self.stones = 0

    def hear(self, line: str) -> None:
        if self.args.log is not None:
            with self.args.log.open("a") as log:
                log.write(f"{line}\n")
        match line.split():
            case ["six"]:
                hello = "ugiok" if self.args.mode == "no-hello" else "sixok"
                say("id name Fake", "id version 7", hello)
            case ["isready"]:
                say("readyok")
            case ["position", "radius", "8", *words]:
                if self.args.mode == "refuses":
                    say("error setups are not known here")
                self.stones = len(words[1:]) // 2
            case ["go", *_] if self.args.mode != "waits":
                self.answer()
            case ["stop"] if self.args.mode == "waits":
                self.answer()
            case ["quit"]:
                sys.exit()
            case _:
                pass

    def answer(self) -> None:
        say("info depth 3 nodes 1234 score 17 pv 1 0 0 1 2 0")
        turns = {"illegal": "0 0 5 5", "half": "1 0", "words": "one nil"}
        say(f"bestmove {turns.get(self.args.mode, self.script.get(self.stones, '0 0'))}")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--mode", choices=MODES, default="ok")
    parser.add_argument("--at", type=int, nargs="*", default=[])
    parser.add_argument("--turns", nargs="*", default=[])
    parser.add_argument("--log", type=Path)
    fake = FakeSixEngine(parser.parse_args())
    for line in sys.stdin:
        fake.hear(line.strip())


if __name__ == "__main__":
    main()
