# Packages of Debian, fetched with apt, checked by it, unpacked into a folder and not installed; sourced, not run. CACHE is
# the folder of whoever sources this, SUITE the Debian that it takes packages of, ARCHITECTURE this machine's if not set.

LAB=${BASCULE_LAB_CACHE:-${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/bascule/lab}
MIRROR=${BASCULE_LAB_MIRROR:-http://deb.debian.org/debian}
KEYS=/usr/share/keyrings/debian-archive-keyring.gpg

# The reason why nothing can be fetched here, or nothing.
no_apt() {
    if ! command -v apt-get >/dev/null || ! command -v dpkg-deb >/dev/null; then
        printf 'no apt here and nothing in %s' "$CACHE"
    elif [[ ! -r $KEYS ]]; then
        printf 'no %s; apt-get install debian-archive-keyring' "$KEYS"
    fi
}

# suite_apt COMMAND ARGUMENT...: an apt that knows of that suite, and nothing of this machine
suite_apt() {
    local own=$CACHE/apt architecture=${ARCHITECTURE:-$(dpkg --print-architecture)} tool=$1
    shift
    mkdir -p "$own"/lists/partial "$own"/cache/archives/partial
    printf 'deb [signed-by=%s] %s %s main\n' "$KEYS" "$MIRROR" "$SUITE" >"$own/sources.list"
    : >"$own/status"
    "$tool" -q "-oAPT::Architecture=$architecture" "-oAPT::Architectures=$architecture" -oAPT::Sandbox::User=root \
        "-oDir::Etc::sourcelist=$own/sources.list" -oDir::Etc::sourceparts=/dev/null "-oDir::State::lists=$own/lists" \
        "-oDir::State::status=$own/status" "-oDir::Cache=$own/cache" -oAcquire::Check-Valid-Until=false "$@"
}

# with_needed APT PACKAGE...: the names of the packages and of what they need and APT does not know to be there
with_needed() { "$1" -s install --no-install-recommends "${@:2}" 2>>"$CACHE/log" | sed -n 's/^Inst \([^ ]*\).*/\1/p'; }
suite_get() { suite_apt apt-get "$@"; }

# unpack APT FOLDER PACKAGE...: what goes wrong is in $CACHE/log, its end on standard error
unpack() {
    local apt=$1 folder=$2 package
    shift 2
    rm -rf "$folder.deb"
    mkdir -p "$folder.deb" "$folder"
    (( $# > 0 )) && (cd "$folder.deb" && "$apt" -q download "$@" >>"$CACHE/log" 2>&1) || { tail -n 3 "$CACHE/log" >&2; return 1; }
    for package in "$folder.deb"/*.deb; do dpkg-deb -x "$package" "$folder" || return 1; done
    rm -rf "$folder.deb"
}

# read_suite: the list of its packages
read_suite() {
    mkdir -p "$CACHE" || die "cannot write to $CACHE"
    suite_get update >"$CACHE/log" 2>&1 || { tail -n 3 "$CACHE/log" >&2; return 1; }
}
