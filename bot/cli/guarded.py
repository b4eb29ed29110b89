"""`python -m bot.cli.guarded PARENT COMMAND ...`: a bluestone command that ends with that process.

`bluestone up` starts its child processes this way, so that they end if it is killed.
"""

import ctypes
import os
import signal
import sys
from typing import Final

PR_SET_PDEATHSIG: Final = 1
"""From <linux/prctl.h>. On other systems only the parent itself ends its children."""


def end_with(parent: int) -> None:
    """Receive SIGTERM when the parent ends, or exit if it has already ended."""
    if sys.platform != "linux":
        return
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent:
        sys.exit(0)


if __name__ == "__main__":
    end_with(int(sys.argv.pop(1)))
    from bot.cli import main

    sys.exit(main())
