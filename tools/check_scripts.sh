#!/bin/sh
# Format, lint and types of the page's scripts and of their tests:
# `sh tools/check_scripts.sh path/to/deno`, in the repository's root. A machine on which that program
# does not start is told that they went unchecked.
set -eu

# It keeps what it knows beside the caches of the other tools, and asks no server for anything.
export DENO_DIR="$PWD/.deno_cache" DENO_NO_UPDATE_CHECK=1 DENO_NO_PACKAGE_JSON=1

if ! "$1" --version >/dev/null 2>&1; then
    if [ "${BLUESTONE_SKIP_NOTHING:-}" = 1 ]; then
        echo "There is no deno here that starts: the page's scripts cannot be checked." >&2
        exit 1
    fi
    echo "NOTE: there is no deno here that starts: the page's scripts are NOT CHECKED." >&2
    exit 0
fi

"$1" fmt --check
"$1" lint
"$1" check --quiet --no-remote --no-npm bot/arena/web/js bot/arena/web/service_worker.js bot/matches/report/page.js
# Apart from the page, because names of deno exist only in the tests.
"$1" check --quiet --no-remote --no-npm tests/page lab/ahead/browser.js
# And apart from both, because the package for other programs uses names of Node.js.
"$1" check --quiet --no-remote --no-npm tools/npm tests/tools/npm
