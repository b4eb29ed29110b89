"""`python stubborn_engine.py FIFO`: our search engine, which resists its end.

It ignores signals and the end of its input, and has a child that does the same. Both hold the FIFO
open, to which the engine writes its process id.
"""

import os
import signal
import subprocess
import sys
import threading

from engine.players.installed import load_engine
from engine.ugi.__main__ import converse, print_line

CHILD = "import threading; threading.Event().wait()"


def main(fifo: str) -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    with open(fifo, "w") as alive:  # noqa: PTH123
        subprocess.Popen([sys.executable, "-I", "-S", "-c", CHILD], pass_fds=[alive.fileno()])
        print(os.getpid(), file=alive, flush=True)
        converse(load_engine("search"), sys.stdin.buffer, print_line)
        threading.Event().wait()


if __name__ == "__main__":
    main(sys.argv[1])
