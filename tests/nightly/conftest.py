"""What takes minutes: `make nightly` runs it, `make test` does not."""

import os

collect_ignore_glob = [] if os.environ.get("BLUESTONE_NIGHTLY") == "1" else ["test_*.py"]
