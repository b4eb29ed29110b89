#!/bin/sh
# Make sure that the tests of the operators' pages have the programs that those pages use, and those of
# the engine as a library their linker, on a Debian machine that lets us install them. Without them
# `make test` skips those few tests; continuous integration does not.
set -eu

missing=
for pair in nginx:nginx caddy:caddy promtool:prometheus systemd-analyze:systemd \
        ld.lld:lld; do
    command -v "${pair%%:*}" >/dev/null 2>&1 || missing="$missing ${pair#*:}"
done
[ -n "$missing" ] || exit 0
as_root=
[ "$(id -u)" = 0 ] || as_root="sudo -n"
echo "Installing Debian's$missing"
$as_root apt-get update -qq >/dev/null
# Run level 1: none is started as a service.
# shellcheck disable=SC2086 - a list of words
$as_root env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 apt-get install -y -qq --no-install-recommends \
    $missing >/dev/null
