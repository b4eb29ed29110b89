#!/bin/sh
# Build the engine of an older commit beside this one, and print the command that starts it:
# `sh tools/older_engine.sh COMMIT` in the repository's root. All else that is said goes to stderr.
#
# build/older/HASH has the commit's files in `source`, with a virtual environment of its own there,
# what it compiles in `kernels`, and `engine`, which is made last: where it is, all is.
set -eu

[ -n "${1:-}" ] || { echo "Say which commit: make older COMMIT=92b99fc1" >&2; exit 2; }
commit=$(git rev-parse --quiet --verify --short=10 "$1^{commit}") || {
    echo "There is no commit $1 in this repository." >&2
    exit 2
}
folder=build/older/$commit
if [ ! -x "$folder/engine" ]; then
    echo "Building the engine of $commit in $folder" >&2
    rm -rf "$folder"
    mkdir -p "$folder/source"
    git archive --output="$folder/source.tar" "$commit"
    tar -xf "$folder/source.tar" -C "$folder/source"
    rm "$folder/source.tar"
    "${MAKE:-make}" -C "$folder/source" install >&2
    # -I: nothing of the caller's environment may put today's sources before these.
    cat >"$folder/engine.new" <<'END'
#!/bin/sh
here=$(cd "$(dirname "$0")" && pwd)
export BLUESTONE_CACHE_DIR="$here/kernels"
exec "$here/source/.venv/bin/python" -I -m engine.ugi "$@"
END
    chmod +x "$folder/engine.new"
    mv "$folder/engine.new" "$folder/engine"
fi
echo "$folder/engine"
