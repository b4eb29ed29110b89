"""The engine as a program: any player that implements `Engine`, on stdin and stdout.

    python -m engine.ugi [--engine NAME]

NAME is one of `engine.players.installed`. The protocol is in `engine.ugi.dialogue`.
"""

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from typing import BinaryIO

from engine.contract import Engine
from engine.players.installed import known_engines, load_engine
from engine.ugi.dialogue import Dialogue, Write

LONGEST_LINE = 1 << 20
"""Bytes; a longer line is refused without being kept in memory."""


def lines(stream: BinaryIO) -> Iterator[str | None]:
    """Yield the lines of a byte stream; None for a line that is too long."""
    while raw := stream.readline(LONGEST_LINE):
        if len(raw) < LONGEST_LINE or raw.endswith(b"\n"):
            yield raw.decode("utf-8", errors="replace")
        else:
            yield None
            while raw and not raw.endswith(b"\n"):
                raw = stream.readline(LONGEST_LINE)


def converse(player: Engine, stream: BinaryIO, write: Write) -> None:
    """Run the commands of `stream` until it ends or sends `quit`."""
    dialogue = Dialogue(player, write)
    for line in lines(stream):
        if line is None:
            dialogue.say("info string line too long")
        elif not dialogue.handle(line):
            break
    dialogue.close()


def print_line(line: str) -> None:
    """Write a line to stdout and flush it. Ignore a closed pipe, because stdin ends then too."""
    try:
        sys.stdout.write(line + "\n")
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program; return the exit status: 0, 2 for an unknown engine, 130 on Ctrl-C."""
    parser = argparse.ArgumentParser("engine", description="Speak the engine protocol.")
    parser.add_argument("--engine", default="search", help="name of the player (default: search)")
    name = parser.parse_args(argv).engine
    try:
        player = load_engine(name)
    except KeyError:
        known = ", ".join(known_engines()) or "none"
        print(f"engine: unknown engine {name!r}; known: {known}", file=sys.stderr)
        return 2
    try:
        converse(player, sys.stdin.buffer, print_line)
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
