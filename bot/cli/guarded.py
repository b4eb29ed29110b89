"""`python -m bot.cli.guarded PARENT COMMAND ...`: a bluestone command that ends with that process.

`bluestone up` starts its child processes this way, so that they end if it is killed.
"""

import sys

from bot.runtime.children import end_with

if __name__ == "__main__":
    end_with(int(sys.argv.pop(1)))
    from bot.cli import main

    sys.exit(main())
