"""Runs `bot/runtime/guardian.py` as on a system that forbids namespaces, such as a container.

It is a program: `COMMAND` is used instead of `guardian.COMMAND`.
"""

import os
import sys

from bot.runtime import confinement, guardian, system_calls

COMMAND = (sys.executable, "-P", "-m", "tests.fakes.without_namespaces")


def main() -> None:
    _, column = system_calls.ARCHITECTURES[os.uname().machine]
    number = system_calls.REFUSED["unshare"][column]
    confinement.give_up_privileges()
    assert system_calls.install(
        [
            (system_calls.LOAD, 0, 0, system_calls.NUMBER_AT),
            (system_calls.EQUAL, 0, 1, number),
            (system_calls.ANSWER, 0, 0, system_calls.ERRNO | system_calls.EPERM),
            (system_calls.ANSWER, 0, 0, system_calls.ALLOW),
        ]
    )
    os.execv(guardian.COMMAND[0], [*guardian.COMMAND, *sys.argv[1:]])


if __name__ == "__main__":
    main()
