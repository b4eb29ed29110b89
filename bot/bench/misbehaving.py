"""Engines that fail, each in its own way: `python -I -S misbehaving.py silent|rubbish|dies`.

A program of its own that starts quickly and imports nothing of the bot. It passes, which is legal
at any time in the game that the measurement plays.
"""

import sys

LAST_PLY = 4
"""The engine that dies passes before, and does not live to answer from here on."""


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def answer(way: str, ply: int) -> None:
    """To `go`, in the position after so many turns."""
    if way == "silent":
        return
    if way == "rubbish":
        for _ in range(1000):
            say("what is that?")
    elif ply >= LAST_PLY:
        sys.stderr.write("cannot go on\n")
        sys.exit(3)
    else:
        say("bestmove pass")


def main(way: str) -> None:
    ply = 0
    for line in sys.stdin:
        match line.split():
            case ["ugi"]:
                say(f"id name {way}")
                say("ugiok")
            case ["isready"]:
                say("readyok")
            case ["position", "startpos", *moves]:
                ply = max(0, len(moves) - 1)
            case ["go", *_]:
                answer(way, ply)
            case ["quit"]:
                return
            case _:
                pass


if __name__ == "__main__":
    main(sys.argv[1])
