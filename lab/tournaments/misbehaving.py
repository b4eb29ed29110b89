"""Engines that fail in different ways: `python -I -S misbehaving.py silent|rubbish|dies`.

This separate program starts quickly and imports nothing of the bot. The engine `dies` plays two
stones per turn before it dies, one in the first turn, on empty cells of `pent-4`.
"""

import sys

LAST_PLY = 4
"""From this ply on, the engine `dies` ends instead of answering."""
PAIRS = [(f"3-{place}", f"3-{place + 7}") for place in range(7)]
"""Cells of the border, far from each other: the stones of a turn may not join one group."""


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def answer(way: str, turns: list[str]) -> None:
    """Answer `go` in the position after these turns."""
    if way == "silent":
        return
    if way == "rubbish":
        for _ in range(1000):
            say("what is that?")
    elif len(turns) >= LAST_PLY:
        sys.stderr.write("cannot go on\n")
        sys.exit(3)
    else:
        played = ",".join(turns).split(",")
        free = next(pair for pair in PAIRS if not {*pair} & {*played})
        say(f"bestmove {','.join(free[: 2 if turns else 1])}")


def main(way: str) -> None:
    turns: list[str] = []
    for line in sys.stdin:
        match line.split():
            case ["ugi"]:
                say(f"id name {way}")
                say("ugiok")
            case ["isready"]:
                say("readyok")
            case ["position", "startpos", *words]:
                turns = words[1:]  # after `moves`
            case ["go", *_]:
                answer(way, turns)
            case ["quit"]:
                return
            case _:
                pass


if __name__ == "__main__":
    main(sys.argv[1])
