"""`python -m bot.cli.guarded PARENT COMMAND ...`: a bluestone command that ends with that process.

`bluestone up` starts its children so: were it killed, nobody else would end them.
"""

import ctypes
import os
import signal
import sys
from typing import Final

PR_SET_PDEATHSIG: Final = 1
"""From <linux/prctl.h>; other systems have no such thing, and the parent's own care has to do."""


def end_with(parent: int) -> None:
    """Have the system send SIGTERM when the parent is gone, also if it is gone already."""
    if sys.platform != "linux":
        return
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent:
        sys.exit(0)


if __name__ == "__main__":
    end_with(int(sys.argv.pop(1)))
    from bot.cli import main

    sys.exit(main())
