#!/bin/sh
# Make sure that the browser tests have a Chromium, where this machine lets us install one.
set -eu

for name in chromium chromium-browser google-chrome; do
    command -v "$name" >/dev/null 2>&1 && exit 0
done

if command -v apt-get >/dev/null 2>&1; then
    as_root=
    [ "$(id -u)" = 0 ] || as_root="sudo -n"
    echo "Installing Debian's chromium for the browser tests"
    if $as_root apt-get update -qq >/dev/null 2>&1 &&
        DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends \
            chromium fonts-dejavu-core >/dev/null 2>&1; then
        exit 0
    fi
fi

if [ "${BLUESTONE_SKIP_NOTHING:-}" = 1 ]; then
    echo "There is no Chromium here, and it could not be installed: the browser tests cannot run." >&2
    exit 1
fi
echo "NOTE: there is no Chromium here, and it could not be installed: the browser tests are SKIPPED." >&2
