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
    printf 'deb [signed-by=%s] %s %s %s\n' "$KEYS" "$MIRROR" "$SUITE" "${COMPONENTS:-main}" >"$own/sources.list"
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

# ------------------------------------------------------------------------------------------ programs of another Debian
#
# A command runs in ROOT, a folder of such packages which it sees as its root, with this project, the JDK if one was looked
# for, ~/.m2, /tmp, /dev, /proc and /sys where they are. Nothing is installed, and nothing is mounted for others. Whoever
# sources this defines ROOT, WHAT it is, usage, is_ready and fetch, in OWN_WORDS what of the script's words comes before the
# option, and ends with: root_main "$@"
OWN_WORDS=()

as_user=()
(( EUID == 0 )) || as_user=(--map-root-user)

# The reason why no command can be run there, or nothing.
root_missing() {
    [[ $(uname -m) == x86_64 ]] || { printf 'needs an x86-64 machine'; return; }
    unshare --mount "${as_user[@]}" true 2>/dev/null || { printf 'needs root or user namespaces (unshare --mount)'; return; }
    is_ready || no_apt
}

root_set_up() {
    local lock
    is_ready && return
    mkdir -p "$CACHE"
    if command -v flock >/dev/null; then
        exec {lock}>"$CACHE/lock"
        flock "$lock"
        is_ready && return
    fi
    fetch || die "$WHAT could not be fetched, see $CACHE/log"
}

# root_fill PACKAGE...: a new ROOT with these and what they need
root_fill() {
    local packages file
    say "bascule: fetching $WHAT of $SUITE"
    rm -rf "$ROOT"
    read_suite && packages=$(with_needed suite_get "$@") || return 1
    # shellcheck disable=SC2086 # names on purpose
    unpack suite_get "$ROOT" $packages || return 1
    for file in bin sbin lib lib64; do [[ -e $ROOT/$file ]] || ln -s "usr/$file" "$ROOT/$file"; done
}

root_done() {
    rm -rf "$CACHE/apt"
    touch "$CACHE/ready"
}

# In the new mount namespace: shows what the command needs at its place, and changes the root.
root_inside() {
    local place
    for place in /proc /sys /dev /tmp "$BASCULE_HOME" "${JAVA_HOME:+$(readlink -f "$JAVA_HOME")}" "${HOME:-/root}/.m2"; do
        [[ -n $place && -d $place ]] || continue
        mkdir -p "$ROOT$place"
        mount --rbind "$place" "$ROOT$place"
    done
    exec "$(command -v chroot || printf /usr/sbin/chroot)" "$ROOT" "$@"
}

root_main() {
    local reason
    case ${1:-} in
        --check) reason=$(root_missing); [[ -z $reason ]] || { say "$reason"; exit 1; } ;;
        --set-up) reason=$(root_missing); [[ -z $reason ]] || die "$reason"; root_set_up; printf '%s\n' "$ROOT" ;;
        --inside) shift; root_inside "$@" ;;
        --)
            shift
            (( $# > 0 )) || { usage >&2; exit 2; }
            reason=$(root_missing)
            [[ -z $reason ]] || die "$reason"
            root_set_up
            exec unshare --mount "${as_user[@]}" --propagation private "$(readlink -f "$0")" "${OWN_WORDS[@]}" --inside "$@"
            ;;
        -h | --help) usage ;;
        *) usage >&2; exit 2 ;;
    esac
}
