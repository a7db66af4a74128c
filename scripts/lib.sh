# Shared by the scripts of this folder; sourced, not run. Everything it prints goes to standard error.
#
# Settings (environment):
#   BASCULE_JAVA_HOME   the JDK 25 to use
#   BASCULE_MVN         the Maven to use
#   BASCULE_INSTALL     auto (default): root installs missing packages of the configured apt sources;
#                       yes: may also add the Adoptium apt source; no: only says the command
#   BASCULE_NO_BUILD    any value: never build, use target/bascule.jar and bascule-study.jar as they are
#   BASCULE_CARRIERS    carrier threads of the virtual threads (default: cores - 1, at least 1)
#   BASCULE_JAVA_OPTS   more options for the JVM, separated by blanks
#   BASCULE_JDK_DIRS    folders to search for JDKs, separated by colons (replaces the usual places)

BASCULE_HOME=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
BASCULE_TARGET=$BASCULE_HOME/target

# What the user's own JAVA_HOME is, or that there is none: the program and what it starts shall see no other
declare -p JAVA_HOME &>/dev/null && BASCULE_OWN_JAVA_HOME==$JAVA_HOME || BASCULE_OWN_JAVA_HOME=

say() { printf '%s\n' "$*" >&2; }
die() { printf 'bascule: %s\n' "$*" >&2; exit 1; }

# Processes that run beside this shell, by number. They end with it, also by Ctrl-C: a shell without job control keeps that
# signal from what it starts in the background.
declare -A beside=()
end_beside() {
    local pid
    for pid in "${!beside[@]}"; do kill "$pid" 2>/dev/null || true; done
}
trap end_beside EXIT

# ---------------------------------------------------------------------------------------------- finding JDK and Maven

is_jdk25() {
    [[ -x $1/bin/java && -x $1/bin/javac ]] && grep -q '^JAVA_VERSION="25[".]' "$1/release" 2>/dev/null
}

jdk_candidates() {
    local place found
    if [[ -n ${BASCULE_JDK_DIRS+set} ]]; then
        while IFS= read -r -d : place; do
            [[ -n $place ]] && printf '%s\n' "$place" "$place"/*
        done <<<"$BASCULE_JDK_DIRS:"
        return 0
    fi
    [[ -n ${JAVA_HOME:-} ]] && printf '%s\n' "$JAVA_HOME"
    if found=$(command -v java 2>/dev/null) && found=$(readlink -f "$found" 2>/dev/null); then
        printf '%s\n' "${found%/bin/java}"
    fi
    local home=${HOME:-/nonexistent}
    printf '%s\n' /usr/lib/jvm/* /opt/jdk* /opt/java/* /usr/local/jdk* "$home"/.sdkman/candidates/java/* "$home"/.jdks/*
    if [[ -r $home/.m2/toolchains.xml ]]; then
        sed -n 's:.*<jdkHome>\(.*\)</jdkHome>.*:\1:p' "$home/.m2/toolchains.xml"
    fi
}

# Sets JAVA_HOME to a JDK 25, or returns 1.
find_jdk() {
    local candidate
    if [[ -n ${BASCULE_JAVA_HOME:-} ]]; then
        is_jdk25 "$BASCULE_JAVA_HOME" || die "BASCULE_JAVA_HOME=$BASCULE_JAVA_HOME is not a JDK 25; name one, or: unset BASCULE_JAVA_HOME"
        export JAVA_HOME=$BASCULE_JAVA_HOME
        return 0
    fi
    while IFS= read -r candidate; do
        if is_jdk25 "$candidate"; then
            export JAVA_HOME=$candidate
            return 0
        fi
    done < <(jdk_candidates)
    return 1
}

may_install() {
    [[ ${BASCULE_INSTALL:-auto} != no && $(id -u) == 0 ]] && command -v apt-get >/dev/null
}

apt_has() {
    [[ $(apt-cache policy "$1" 2>/dev/null | sed -n 's/^ *Candidate: //p') =~ ^[0-9] ]]
}

# aside LOG COMMAND...: what it prints goes to target/log/LOG.log; if it fails, that is said with its last words
aside() {
    local log=$BASCULE_TARGET/log/$1.log
    shift
    mkdir -p "${log%/*}" 2>/dev/null && : 2>/dev/null >>"$log" || log=$(mktemp)
    printf '$ %s\n' "$*" >>"$log"
    "$@" >>"$log" 2>&1 </dev/null && return
    say "bascule: this failed: $* (all it said: $log)"
    tail -n 3 "$log" | sed 's/^/    /' >&2
    return 1
}

# Installs the first of the named packages that the configured sources have, or returns 1.
apt_install() {
    local package
    may_install || return 1
    apt_has "$1" || { say "bascule: reading the package lists (apt-get update)"; aside apt apt-get -q update || true; }
    for package in "$@"; do
        if apt_has "$package"; then
            say "bascule: installing $package (apt-get install)"
            aside apt env DEBIAN_FRONTEND=noninteractive apt-get -q install -y --no-install-recommends "$package"
            return
        fi
    done
    return 1
}

# The commands that put a JDK into ~/.jdks, for users whom nobody lets install one.
own_jdk_commands() {
    local architecture=x64 fetch='curl -fL -o /tmp/jdk-25.tar.gz'
    [[ $(uname -m) == aarch64 ]] && architecture=aarch64
    command -v curl >/dev/null || ! command -v wget >/dev/null || fetch='wget -O /tmp/jdk-25.tar.gz'
    cat <<END
mkdir -p ~/.jdks
$fetch https://api.adoptium.net/v3/binary/latest/25/ga/linux/$architecture/jdk/hotspot/normal/eclipse
tar -xzf /tmp/jdk-25.tar.gz -C ~/.jdks
END
}

adoptium_commands() {
    local sudo=${1:-}
    cat <<END
${sudo}apt-get install -y ca-certificates curl
${sudo}install -d /etc/apt/keyrings
curl -fsSL https://packages.adoptium.net/artifactory/api/gpg/key/public | ${sudo}tee /etc/apt/keyrings/adoptium.asc >/dev/null
echo "deb [signed-by=/etc/apt/keyrings/adoptium.asc] https://packages.adoptium.net/artifactory/deb \$(. /etc/os-release; echo \$VERSION_CODENAME) main" | ${sudo}tee /etc/apt/sources.list.d/adoptium.list
${sudo}apt-get update
${sudo}apt-get install -y temurin-25-jdk
END
}

jdk_missing() {
    local sudo='sudo ' way='Install one'
    [[ $(id -u) == 0 ]] && sudo=''
    say "bascule: no JDK 25 was found (looked at BASCULE_JAVA_HOME, JAVA_HOME, PATH, /usr/lib/jvm, /opt, ~/.sdkman, ~/.jdks, ~/.m2/toolchains.xml)."
    if command -v apt-get >/dev/null; then
        say "$way:"
        way=or
        if apt_has openjdk-25-jdk-headless; then
            say "    ${sudo}apt-get install -y openjdk-25-jdk-headless"
        else
            say "    ${sudo}apt-get update && ${sudo}apt-get install -y openjdk-25-jdk-headless"
            say "or, where the distribution has no openjdk-25-jdk-headless (Debian 12 and older), from Adoptium:"
            adoptium_commands "$sudo" | sed 's/^/    /' >&2
            [[ -z $sudo ]] && say "which BASCULE_INSTALL=yes does for you."
        fi
    fi
    say "$way into ~/.jdks, where it is looked for${sudo:+, without root}:"
    own_jdk_commands | sed 's/^/    /' >&2
    say "or, if you have one elsewhere:  export BASCULE_JAVA_HOME=/path/to/jdk-25"
    exit 1
}

need_jdk() {
    find_jdk && return
    if apt_install openjdk-25-jdk-headless temurin-25-jdk && find_jdk; then
        return
    fi
    if [[ ${BASCULE_INSTALL:-auto} == yes ]] && may_install; then
        say "bascule: adding the Adoptium apt source and installing temurin-25-jdk"
        bash -euo pipefail -c "$(adoptium_commands)" >&2 </dev/null && find_jdk && return
    fi
    jdk_missing
}

# The libraries and headers of DPDK's tests: Debian's package, installed where nobody has to be asked; or says why not.
need_dpdk() {
    ls /usr/lib/*/librte_ethdev.so.2[3-9] >/dev/null 2>&1 && return
    local as_root=()
    (( EUID == 0 )) || as_root=(sudo -n)
    if ! command -v apt-get >/dev/null; then
        say "no DPDK, and no apt-get to install it: install DPDK 22.11 or newer"
    elif ! "${as_root[@]}" true 2>/dev/null; then
        say "no DPDK: sudo apt-get install --no-install-recommends libdpdk-dev"
    else
        "${as_root[@]}" apt-get update -q </dev/null &&
            DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -y -q --no-install-recommends libdpdk-dev </dev/null && return
        say "no DPDK: apt-get install libdpdk-dev failed, see target/log/dpdk.log"
    fi
    return 1
}

# A browser, and Prometheus with its promtool, for the tests of the live page; or says why not. Prometheus is unpacked only:
# the package would start a service.
need_web() {
    local place=$BASCULE_TARGET/prometheus
    command -v chromium >/dev/null || apt_install chromium || { say "no Chromium: apt-get install chromium"; return 1; }
    command -v promtool >/dev/null || [[ -x $place/usr/bin/promtool ]] && return
    mkdir -p "$place"
    (cd "$place" && apt-get -qq download prometheus && dpkg -x prometheus_*.deb .) >&2 </dev/null && return
    say "no promtool: apt-get install prometheus"
    return 1
}

# Wireshark's readers, which judge ours
need_tshark() {
    command -v tshark >/dev/null && command -v editcap >/dev/null && return
    apt_install tshark && return
    say "no tshark: apt-get install tshark"
    return 1
}

# rpcinfo, unpacked and not installed: the package would start a daemon
need_rpc() {
    local place=$BASCULE_TARGET/rpcbind
    [[ -w /dev/net/tun ]] || { say "no TAP here: /dev/net/tun cannot be opened"; return 1; }
    command -v ip >/dev/null || apt_install iproute2 || { say "no ip: apt-get install iproute2"; return 1; }
    ip tuntap add dev bascule-rpc mode tap >&2 || { say "no TAP here: 'ip tuntap add' failed; root and CAP_NET_ADMIN are needed"; return 1; }
    ip link delete bascule-rpc >&2
    command -v python3 >/dev/null || apt_install python3 || { say "no python3: apt-get install python3"; return 1; }
    [[ -x /usr/sbin/rpcinfo || -x $place/usr/sbin/rpcinfo ]] && return
    apt_install libtirpc3t64 libtirpc3 || true # by itself it reads the package lists where it must
    mkdir -p "$place"
    (cd "$place" && apt-get -qq download rpcbind && dpkg -x rpcbind_*.deb .) >&2 </dev/null && return
    say "no rpcinfo: apt-get install rpcbind"
    return 1
}

# Debian's verilator and a C++ compiler, to compile the card of native/cosim; or says why not, with status 3.
need_cosim() {
    command -v verilator >/dev/null || apt_install verilator || { say "no verilator: apt-get install verilator"; return 3; }
    command -v make >/dev/null || apt_install make || { say "no make: apt-get install make"; return 3; }
    command -v g++ >/dev/null || apt_install g++ || { say "no C++ compiler: apt-get install g++"; return 3; }
}

maven_version_ok() {
    local version major minor patch
    version=$(JAVA_HOME=$JAVA_HOME "$1" -q -B --version 2>/dev/null </dev/null | grep -o -E '[0-9]+\.[0-9]+\.[0-9]+' | head -n 1) || return 1
    IFS=. read -r major minor patch <<<"$version"
    (( major * 10000 + minor * 100 + patch >= 30805 ))
}

find_maven() {
    local candidate
    if [[ -n ${BASCULE_MVN:-} ]]; then
        [[ -x $BASCULE_MVN ]] || die "BASCULE_MVN=$BASCULE_MVN cannot be run; name the mvn of a Maven 3.8.5 or newer"
        MVN=$BASCULE_MVN
        return 0
    fi
    while IFS= read -r candidate; do
        if [[ -x $candidate ]] && maven_version_ok "$candidate"; then
            MVN=$candidate
            return 0
        fi
    done < <(command -v mvn || true; printf '%s\n' "${MAVEN_HOME:-/nonexistent}/bin/mvn" /usr/share/maven/bin/mvn \
        /opt/*maven*/bin/mvn "${HOME:-/nonexistent}"/.sdkman/candidates/maven/*/bin/mvn)
    return 1
}

# with_unzip COMMAND...: on a machine without unzip the JDK's jar unpacks. The wrapper knows the sum of Maven's zip file only;
# without unzip it takes another file and refuses that.
with_unzip() {
    local place=$BASCULE_TARGET/unzip
    if ! command -v unzip >/dev/null; then
        mkdir -p "$place"
        printf '%s\n' '#!/bin/sh' '# unzip -q FILE -d FOLDER; jar keeps no right to execute' \
            'cd "$4" && "$JAVA_HOME/bin/jar" -xf "$2" && chmod -R a+rx */bin' >"$place/unzip"
        chmod +x "$place/unzip"
    fi
    PATH=$PATH:$place "$@"
}

need_maven() {
    find_maven && return
    MVN=$BASCULE_HOME/scripts/mvnw
    say "bascule: no Maven 3.8.5 or newer here; scripts/mvnw fetches one"
    aside mvnw with_unzip "$MVN" --version && maven_version_ok "$MVN" && return
    local sudo='sudo '
    [[ $(id -u) == 0 ]] && sudo=''
    say "bascule: no Maven 3.8.5 or newer was found (looked at BASCULE_MVN, PATH, MAVEN_HOME, /usr/share/maven, /opt, ~/.sdkman), and"
    say "scripts/mvnw could not fetch one from repo.maven.apache.org. Install one:"
    say "    ${sudo}apt-get update && ${sudo}apt-get install -y maven"
    say "or, if you have one elsewhere:  export BASCULE_MVN=/path/to/maven/bin/mvn"
    exit 1
}

# ------------------------------------------------------------------------------------------------------------ building

# maven LABEL ARGUMENT...: runs Maven with its output in target/log/LABEL.log; every few seconds one line of progress;
# on failure the errors.
maven() {
    local label=$1 log pid status started last now
    shift
    need_maven
    mkdir -p "$BASCULE_TARGET/log"
    log=$BASCULE_TARGET/log/$label.log
    started=$SECONDS
    (
        cd "$BASCULE_HOME"
        export MAVEN_OPTS="${MAVEN_OPTS:-} -XX:+UseSerialGC -XX:TieredStopAtLevel=1 --enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow"
        # shellcheck disable=SC2086 # words on purpose; Maven 3.8 does not read MAVEN_ARGS itself
        exec "$MVN" -B -ntp ${MAVEN_ARGS:-} "$@"
    ) >"$log" 2>&1 </dev/null &
    pid=$!
    beside[$pid]=maven
    last=$started
    while kill -0 "$pid" 2>/dev/null; do
        sleep 0.2
        now=$SECONDS
        if (( now - last >= 4 )); then
            last=$now
            say "  $label $((now - started)) s: $(maven_progress "$log")"
        fi
    done
    status=0
    wait "$pid" || status=$?
    unset "beside[$pid]"
    if (( status != 0 )); then
        say "bascule: $label failed; the whole output is in $log"
        grep -E '^\[ERROR\]' "$log" | grep -v -E 'Re-run Maven|To see the full|\[Help 1\] http|For more information|·|@@|-> \[Help|^\[ERROR\] *$' | head -n 40 >&2 || tail -n 20 "$log" >&2
    fi
    return "$status"
}

maven_progress() {
    local line
    line=$(grep -E '^\[INFO\] (--- |Running )' "$1" 2>/dev/null | tail -n 1 | sed -E 's/^\[INFO\] (--- )?//; s/maven-(.*)-plugin:[^:]*:/\1:/; s/ @ .*//; s/ \(.*//')
    printf '%s' "${line:-starting Maven (the first build fetches the libraries)}"
}

# What the jar is made of: changes whenever a source is added, removed, renamed or edited.
fingerprint() {
    (
        cd "$BASCULE_HOME"
        printf '%s\n' "$JAVA_HOME" "$*"
        { find pom.xml .mvn src/build "$@" -type f -print0 2>/dev/null || true; } | LC_ALL=C sort -z | xargs -0 cksum
    ) | cksum
}

# is_built STAMP FOLDER...
is_built() {
    local stamp=$BASCULE_TARGET/$1
    shift
    [[ -f $BASCULE_TARGET/bascule.jar && -f $BASCULE_TARGET/bascule-study.jar && -f $stamp && $(<"$stamp") == "$(fingerprint "$@")" ]]
}

lock_build() {
    mkdir -p "$BASCULE_TARGET" 2>/dev/null || die "cannot write to $BASCULE_TARGET; make it yours: sudo chown -R $(id -un) '$BASCULE_HOME'"
    if command -v flock >/dev/null; then
        exec {BASCULE_LOCK}>"$BASCULE_TARGET/.lock"
        flock -n "$BASCULE_LOCK" || { say "bascule: waiting for another build"; flock "$BASCULE_LOCK"; }
    fi
}

unlock_build() {
    if [[ -n ${BASCULE_LOCK:-} ]]; then
        exec {BASCULE_LOCK}>&-
        BASCULE_LOCK=
    fi
}

# Builds target/bascule.jar, target/bascule-study.jar, target/lib and the AOT cache when a source changed since.
build_if_stale() {
    need_jdk
    if [[ -n ${BASCULE_NO_BUILD:-} ]]; then
        local jar
        for jar in bascule.jar bascule-study.jar; do
            [[ -f $BASCULE_TARGET/$jar ]] || die "target/$jar is missing and BASCULE_NO_BUILD forbids to build it: unset BASCULE_NO_BUILD"
        done
        return
    fi
    is_built bascule.built src/main && return
    lock_build
    if ! is_built bascule.built src/main; then
        local print
        print=$(fingerprint src/main)
        say "bascule: building (JDK $JAVA_HOME)"
        rm -f "$BASCULE_TARGET/bascule.built"
        maven build package -Dmaven.test.skip=true -Dspotless.check.skip=true -Djacoco.skip=true -Dcyclonedx.skip=true || exit 1
        make_aot_cache
        printf '%s\n' "$print" >"$BASCULE_TARGET/bascule.built"
    fi
    unlock_build
}

# Builds the tests, benchmarks and stress tests as well.
build_tests_if_stale() {
    need_jdk
    is_built tests.built src && return
    lock_build
    if ! is_built tests.built src; then
        local print
        print=$(fingerprint src)
        say "bascule: building with tests (JDK $JAVA_HOME)"
        maven build-tests package -DskipTests -Dspotless.check.skip=true -Djacoco.skip=true -Dcyclonedx.skip=true || exit 1
        mark_built "$print"
    fi
    unlock_build
}

# mark_built FINGERPRINT: what is built has the tests of these sources
mark_built() {
    make_aot_cache
    fingerprint src/main >"$BASCULE_TARGET/bascule.built"
    printf '%s\n' "$1" >"$BASCULE_TARGET/tests.built"
}

# ------------------------------------------------------------------------------------------------------------- running

# JVM_FLAGS: fixed flags of every Bascule process. One value for the AOT training run and for all later runs. What the JDK only warns
# of today is refused where our code and its run-time dependencies run alone (Lincheck, in tests, needs it).
jvm_flags() {
    JVM_FLAGS=("@$BASCULE_HOME/scripts/jvm.flags" --illegal-native-access=deny --sun-misc-unsafe-memory-access=deny
        "-Dbascule.home=$BASCULE_HOME" "-Dbascule.launcher=$BASCULE_HOME/scripts/bascule")
}

# The cache only shortens the start; a JVM that cannot make or read it goes on without.
make_aot_cache() {
    jvm_flags
    rm -f "$BASCULE_TARGET/bascule.aot"
    # doctor makes the same first native calls as every other command; it exits with 1 where something is missing
    local status=0
    "$JAVA_HOME/bin/java" "${JVM_FLAGS[@]}" "-XX:AOTCacheOutput=$BASCULE_TARGET/bascule.aot" \
        -jar "$BASCULE_TARGET/bascule-study.jar" doctor --json >"$BASCULE_TARGET/log/aot.log" 2>&1 </dev/null || status=$?
    if (( status > 1 )); then
        rm -f "$BASCULE_TARGET/bascule.aot"
    fi
}

# Sets JAVA to a JVM on the class path of the tests, or on the one given; options, main class and arguments follow.
set_java() {
    JAVA=("$JAVA_HOME/bin/java" -XX:+UseSerialGC -XX:-UsePerfData --enable-native-access=ALL-UNNAMED -cp
        "${1:-$BASCULE_TARGET/test-classes:$BASCULE_TARGET/classes:$(<"$BASCULE_TARGET/test.classpath")}")
}

# carriers ARGUMENT...: the value of --carriers among the arguments, else BASCULE_CARRIERS, else cores - 1.
carriers() {
    local count=${BASCULE_CARRIERS:-} cores
    if [[ -z $count ]]; then
        cores=$(nproc 2>/dev/null || echo 2)
        count=$((cores > 2 ? cores - 1 : 1))
    fi
    while (( $# > 0 )); do
        case $1 in
            --carriers=*) count=${1#*=} ;;
            --carriers) count=${2:-} ;;
            --) break ;;
        esac
        shift
    done
    [[ $count =~ ^[1-9][0-9]{0,3}$ ]] || die "carriers must be a whole number from 1 to 9999, not '$count' (--carriers or BASCULE_CARRIERS)"
    printf '%s' "$count"
}

# The JVM takes file names and words by the locale, so it gets one of UTF-8. BASCULE_USER_LC_ALL has the user's own for the
# programs that Bascule starts (dev.bascule.run.UserProgram): "=VALUE", or nothing if LC_ALL is not set.
give_back_environment() {
    if [[ -n $BASCULE_OWN_JAVA_HOME ]]; then
        export JAVA_HOME=${BASCULE_OWN_JAVA_HOME#=}
    else
        unset JAVA_HOME
    fi
    export BASCULE_USER_LC_ALL=${LC_ALL+=$LC_ALL}
    export LC_ALL=C.UTF-8
}

# exec_bascule ARGUMENT...: replaces this shell by the program, with the study wing: the manifest of its jar has bascule.jar
# and lib on the class path.
exec_bascule() {
    local count options=()
    count=$(carriers "$@") || exit 2
    jvm_flags
    # the JVM compares the cache with the jar it is started with, and not with those that the jar's manifest names
    [[ -f $BASCULE_TARGET/bascule.aot && ! $BASCULE_TARGET/bascule.jar -nt $BASCULE_TARGET/bascule.aot &&
        ! $BASCULE_TARGET/bascule-study.jar -nt $BASCULE_TARGET/bascule.aot ]] && options+=("-XX:AOTCache=$BASCULE_TARGET/bascule.aot" "-Xlog:aot*=off,cds*=off" "-Dbascule.aot=$BASCULE_TARGET/bascule.aot")
    # the studies in full hold up to a million streams or tasks
    [[ ${1:-} == reproduce ]] && options+=(-Xmx1g)
    # shellcheck disable=SC2206 # words on purpose
    options+=(${BASCULE_JAVA_OPTS:-})
    local java=$JAVA_HOME/bin/java
    give_back_environment
    exec "$java" "${JVM_FLAGS[@]}" "-Djdk.virtualThreadScheduler.parallelism=$count" \
        "-Djdk.virtualThreadScheduler.maxPoolSize=$count" "${options[@]}" -jar "$BASCULE_TARGET/bascule-study.jar" "$@"
}
