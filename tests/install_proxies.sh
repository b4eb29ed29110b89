#!/bin/sh
# Make sure that the tests of docs/running-an-arena.md have nginx and Caddy, on a Debian machine that
# lets us install them. Without them `make test` skips those few; continuous integration does not.
set -eu

command -v nginx >/dev/null 2>&1 && command -v caddy >/dev/null 2>&1 && exit 0
as_root=
[ "$(id -u)" = 0 ] || as_root="sudo -n"
echo "Installing Debian's nginx and caddy for the tests behind a proxy"
$as_root apt-get update -qq >/dev/null
# Run level 1: neither is started as a service.
$as_root env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 apt-get install -y -qq --no-install-recommends \
    nginx caddy >/dev/null
