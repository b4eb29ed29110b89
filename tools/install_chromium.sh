#!/bin/sh
# Make sure that the browser tests have a Chromium, where this machine lets us install one.
# The headless one takes two thirds of the processor time of a whole browser; only the whole one
# shows notifications.
set -eu

found() {
    for name in "$@"; do
        command -v "$name" >/dev/null 2>&1 && return 0
    done
    return 1
}

# On a person's machine, any browser that is there is enough.
if found chromium chromium-browser google-chrome; then
    if found chromium-headless-shell || [ "${BLUESTONE_SKIP_NOTHING:-}" != 1 ]; then
        exit 0
    fi
fi

if command -v apt-get >/dev/null 2>&1; then
    as_root=
    [ "$(id -u)" = 0 ] || as_root="sudo -n"
    echo "Installing Debian's chromium for the browser tests"
    if $as_root apt-get update -qq >/dev/null 2>&1; then
        for packages in "chromium chromium-headless-shell" chromium; do
            # shellcheck disable=SC2086 - several words
            DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq \
                --no-install-recommends $packages fonts-dejavu-core >/dev/null 2>&1 && exit 0
        done
    fi
fi

found chromium chromium-browser google-chrome && exit 0
if [ "${BLUESTONE_SKIP_NOTHING:-}" = 1 ]; then
    echo "There is no Chromium here, and it could not be installed: the browser tests cannot run." >&2
    exit 1
fi
echo "NOTE: there is no Chromium here, and it could not be installed: the browser tests are SKIPPED." >&2
