"""The engine as a program: any player that implements `Engine`, on stdin and stdout.

    python -m engine.ugi [--engine NAME] [--protocol PROTOCOL]

NAME is one of `engine.players.installed`. The protocol is that of `engine.ugi.dialogue`, or comes
from an installed package.
"""

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from importlib.metadata import entry_points
from pkgutil import resolve_name
from typing import BinaryIO, Final

from engine.contract import Engine
from engine.errors import KernelsMissing
from engine.players.installed import known_engines, load_engine
from engine.ugi.dialogue import HostDialogue, Write

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


UGI: Final = "ugi"
PROTOCOLS: Final = "bluestone.dialogues"
"""The entry points of other protocols."""


def dialogue_class(protocol: str) -> type[HostDialogue]:
    """Return how an engine speaks the protocol. Raises KeyError if no package offers that.

    The `engine_side` of an entry is a subclass of `HostDialogue`, as `package.module:name`.
    """
    if protocol == UGI:
        return HostDialogue
    for entry in entry_points(group=PROTOCOLS, name=protocol):
        if (path := entry.load().engine_side) is not None:
            found: type[HostDialogue] = resolve_name(path)
            return found
    raise KeyError(protocol)


def converse(
    player: Engine, stream: BinaryIO, write: Write, speak: type[HostDialogue] = HostDialogue
) -> None:
    """Run the commands of `stream` until it ends or sends `quit`."""
    dialogue = speak(player, write)
    for line in lines(stream):
        if line is None:
            dialogue.say(dialogue.refusal_line("line too long"))
        elif not dialogue.handle(line):
            break
    dialogue.close()


def print_line(line: str) -> None:
    """Write a line to stdout in UTF-8, at once. Ignore a closed pipe: stdin ends then too."""
    try:
        sys.stdout.buffer.write(f"{line}\n".encode())
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program; return the exit status: 0, 2 for an unknown name, 130 on Ctrl-C.

    Raises:
        KernelsMissing: This machine cannot run the player.
    """
    parser = argparse.ArgumentParser("engine", description="Speak the engine protocol.")
    parser.add_argument("--engine", default="search", help="name of the player (default: search)")
    parser.add_argument("--protocol", default=UGI, help="default: ugi")
    arguments = parser.parse_args(argv)
    name = arguments.engine
    try:
        player = load_engine(name)
    except KeyError:
        known = ", ".join(known_engines()) or "none"
        print(f"engine: unknown engine {name!r}; known: {known}", file=sys.stderr)
        return 2
    try:
        speak = dialogue_class(arguments.protocol)
    except KeyError:
        print(f"engine: unknown protocol {arguments.protocol!r}", file=sys.stderr)
        return 2
    try:
        converse(player, sys.stdin.buffer, print_line, speak)
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KernelsMissing as error:
        sys.exit(f"engine: {error}")
