#!/bin/sh
# Make sure that the tests of docs/monitoring.md have promtool, on a Debian machine that lets us install
# it. Without it `make test` skips those few; continuous integration does not.
set -eu

command -v promtool >/dev/null 2>&1 && exit 0
as_root=
[ "$(id -u)" = 0 ] || as_root="sudo -n"
echo "Installing Debian's prometheus for the tests of alerts and metrics"
$as_root apt-get update -qq >/dev/null
# Run level 1: it is not started as a service.
$as_root env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 apt-get install -y -qq --no-install-recommends \
    prometheus >/dev/null
