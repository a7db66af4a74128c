# The lanes of scripts/test, one function each; sourced, not run. They use the totals and settings that it has set, tell
# on standard output what ran, and write the same to $summary.

# lane NAME STATUS DETAIL: STATUS is ran, failed or skipped
lane() {
    printf '%-12s %-8s %s\n' "$1" "$2" "$3"
    printf '%s %s %s\n' "$1" "$2" "$3" >>"$summary"
    [[ $2 != failed ]] || bad=$((bad + 1))
}

# count FOLDER: adds the surefire reports of FOLDER to the totals; sets tests, failures, skips. The elements are counted:
# what the head of a report says leaves nested classes out.
count() {
    read -r tests failures skips < <(cat "$1"/TEST-*.xml 2>/dev/null | awk '
        !text && /^ *<testcase / { tests++ }
        !text && /^ *<(failure|error)[ >]/ { failures++ }
        !text && /^ *<skipped[ \/>]/ { skips++ }
        { rest = $0
          while (match(rest, text ? "\\]\\]>" : "<!\\[CDATA\\[")) { text = !text; rest = substr(rest, RSTART + RLENGTH) } }
        END { print tests + 0, failures + 0, skips + 0 }')
    passed=$((passed + tests - failures - skips)) failed=$((failed + failures)) skipped=$((skipped + skips))
}

# reasons FOLDER: one line per skipped test; for each that failed its name, what it says and where; these also in $summary
reasons() {
    cat "$1"/TEST-*.xml 2>/dev/null | awk '
        function value(name) { return match($0, " " name "=\"[^\"]*\"") ? substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 4) : "?" }
        function tell(word, reason) {
            if (reason == "?") { reason = $0; sub(/.*CDATA\[/, "", reason); sub(/^[A-Za-z0-9.]*Exception: /, "", reason); sub(/\]\]>.*/, "", reason); sub(/^ *<[a-z]+>/, "", reason) }
            sub(/^Assumption failed: /, "", reason)
            print "    " word ": " test ": " substr(reason, 1, 2000)
        }
        !text && /<testcase / { test = value("classname") "." value("name"); place = 0 }
        !text && /<skipped[ \/>]/ { tell("skipped", value("message")) }
        !text && /<(failure|error)[ >]/ { tell("failed", value("message")); place = 1 }
        place && /^ *\tat dev\.bascule\./ { sub(/^ *\t/, ""); print "    failed: " test ": " $0; place = 0 }
        { rest = $0
          while (match(rest, text ? "\\]\\]>" : "<!\\[CDATA\\[")) { text = !text; rest = substr(rest, RSTART + RLENGTH) } }' |
        sed 's/&#10;/ /g; s/&quot;/"/g; s/&apos;/'"'"'/g; s/&lt;/</g; s/&gt;/>/g; s/&amp;/\&/g' |
        while IFS= read -r line; do
            printf '%s\n' "$line"
            [[ $line != "    failed"* ]] || printf '%s\n' "$line" >>"$summary"
        done
}

# junit_lane NAME FOLDER STATUS
junit_lane() {
    count "$2"
    if (( tests == 0 )) && (( $3 == 0 )); then
        lane "$1" skipped "no test carries this tag"
        return
    fi
    local detail="$tests tests, $failures failed, $skips skipped"
    if (( $3 != 0 )); then
        lane "$1" failed "$detail; Maven failed, see above"
    elif (( failures > 0 )); then
        lane "$1" failed "$detail"
    else
        lane "$1" ran "$detail"
    fi
    reasons "$2"
}

# The optional C helper; its tests skip themselves by name without it.
native_helper() {
    if command -v "${CC:-cc}" >/dev/null || command -v gcc >/dev/null || command -v clang >/dev/null; then
        "$BASCULE_HOME/scripts/build-native" >"$BASCULE_TARGET/log/native.log" 2>&1 || say "bascule: scripts/build-native failed, see target/log/native.log"
    fi
}

default_tests() {
    local status=0
    mkdir -p "$BASCULE_TARGET/log"
    native_helper
    rm -rf "$BASCULE_TARGET/surefire-reports" "$BASCULE_TARGET/process-reports" "$BASCULE_TARGET/site/jacoco" "$BASCULE_TARGET/jacoco.exec"
    say "bascule: build and tests"
    print=$(fingerprint src)
    rm -f "$BASCULE_TARGET/bascule.built" "$BASCULE_TARGET/tests.built"
    maven test verify -Dmaven.test.failure.ignore=true -Dspotless.check.skip=true || status=$?
    junit_lane unit "$BASCULE_TARGET/surefire-reports" "$status"
    junit_lane process "$BASCULE_TARGET/process-reports" "$status"
    if (( status == 0 )); then
        make_aot_cache
        fingerprint src/main >"$BASCULE_TARGET/bascule.built"
        printf '%s\n' "$print" >"$BASCULE_TARGET/tests.built"
    fi
    return "$status"
}

coverage() {
    local csv=$BASCULE_TARGET/site/jacoco/jacoco.csv
    if [[ ! -f $csv ]]; then
        lane coverage skipped "no coverage data"
        return
    fi
    lane coverage ran "$(awk -F, 'NR > 1 { bm += $6; bc += $7; lm += $8; lc += $9 }
        END { printf "%.1f %% of %d lines, %.1f %% of %d branches", lm + lc ? 100 * lc / (lm + lc) : 0, lm + lc, bm + bc ? 100 * bc / (bm + bc) : 0, bm + bc }' "$csv")"
    awk -F, 'NR > 1 { m[$2] += $8; c[$2] += $9 } END { for (p in m) if (m[p] + c[p]) printf "    %5.1f %%  %5d lines  %s\n", 100 * c[p] / (m[p] + c[p]), m[p] + c[p], p }' "$csv" | LC_ALL=C sort -k 5
}

format_check() {
    if maven format spotless:check; then
        lane format ran "Eclipse formatter, .mvn/eclipse-format.xml"
    else
        lane format failed "mend it: mvn spotless:apply"
    fi
}

reproducible_jar() {
    local again=target/reproduced
    rm -rf "${BASCULE_HOME:?}/$again"
    if ! maven reproduce package "-Dbascule.target=$again" -Dmaven.test.skip=true -Dmdep.skip=true -Djacoco.skip=true "${skip[@]}"; then
        lane reproduce failed "the second build failed"
    elif cmp "$BASCULE_TARGET/bascule.jar" "$BASCULE_HOME/$again/bascule.jar" >&2; then
        lane reproduce ran "a second build gives the same jar: sha256 $(sha256sum <"$BASCULE_TARGET/bascule.jar" | cut -c 1-16)..."
    else
        lane reproduce failed "a second build gives another jar: compare target/bascule.jar with $again/bascule.jar"
    fi
}

# stress_tests NAME MODE MILLISECONDS [OPTION...]: so long for each of a JVM's iterations; jcstress 0.16 has no budget for all
stress_tests() {
    local log=$BASCULE_TARGET/log/$1.log results=$BASCULE_TARGET/$1-results started=$SECONDS last=$SECONDS pid status=0 line
    if [[ ! -s $BASCULE_TARGET/test-classes/META-INF/TestList ]]; then
        lane "$1" skipped "no stress tests in src/jcstress/java"
        return
    fi
    if (( $(nproc) < 2 )); then
        lane "$1" skipped "one core only: nothing runs at the same time"
        return
    fi
    say "bascule: concurrency stress tests (jcstress, mode $2, $3 ms an iteration)"
    rm -rf "$results"
    mkdir -p "$results" "$BASCULE_TARGET/log"
    (
        cd "$results"
        exec "$JAVA_HOME/bin/java" -XX:+UseSerialGC -cp "$BASCULE_TARGET/test-classes:$BASCULE_TARGET/classes:$(<"$BASCULE_TARGET/test.classpath")" \
            org.openjdk.jcstress.Main -m "$2" -time "$3" -r "$results/" "${@:4}"
    ) >"$log" 2>&1 </dev/null &
    pid=$!
    beside[$pid]=jcstress
    while kill -0 "$pid" 2>/dev/null; do
        sleep 0.5
        if (( SECONDS - last >= 5 )); then
            last=$SECONDS
            line=$(grep -a '^(Results:' "$log" | tail -n 1 || true)
            say "  $1 $((SECONDS - started)) s: ${line:-starting}"
        fi
    done
    wait "$pid" || status=$?
    unset "beside[$pid]"
    line=$(grep -a '^(Results:' "$log" | tail -n 1 | tr -cd '0-9 ' || true)
    read -r planned good wrong soft hard <<<"${line:-0 0 0 0 0}"
    passed=$((passed + good)) failed=$((failed + wrong + hard))
    if (( status != 0 || wrong + hard > 0 || good == 0 )); then
        lane "$1" failed "$good of $planned configurations passed, $wrong failed, $hard broke; log in $log"
        grep -a -E 'FORBIDDEN|ERROR|Exception' "$log" | head -n 20 >&2 || true
    else
        lane "$1" ran "$good configurations passed, $soft with soft errors"
    fi
}

# The DPDK lane's libraries and headers: Debian's package, installed where nobody has to be asked.
need_dpdk() {
    if ls /usr/lib/*/librte_ethdev.so.2[35] >/dev/null 2>&1; then
        return 0
    fi
    local as_root=()
    if (( EUID != 0 )); then as_root=(sudo -n); fi
    if ! command -v apt-get >/dev/null; then
        why="no DPDK, and no apt-get to install it: install DPDK 22.11 or 24.11"
    elif ! "${as_root[@]}" true 2>/dev/null; then
        why="no DPDK: sudo apt-get install --no-install-recommends libdpdk-dev"
    else
        say "bascule: installing libdpdk-dev"
        "${as_root[@]}" apt-get update -q >"$BASCULE_TARGET/log/apt.log" 2>&1 &&
            DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -y -q --no-install-recommends libdpdk-dev \
                >>"$BASCULE_TARGET/log/apt.log" 2>&1 && return 0
        why="no DPDK: apt-get install libdpdk-dev failed, see target/log/apt.log"
    fi
    return 1
}

# The tests of tag "dpdk" with the libraries, headers and C library of scripts/dpdk-24, in one JVM.
dpdk_24_tests() {
    local reports=$BASCULE_TARGET/lane-reports/dpdk-24 log=$BASCULE_TARGET/log/lane-dpdk-24.log root reason status=0 file classes=()
    local probe=$BASCULE_TARGET/dpdk-24-probe
    mkdir -p "$BASCULE_TARGET/log"
    if ! reason=$("$BASCULE_HOME/scripts/dpdk-24" --check 2>&1) || ! root=$("$BASCULE_HOME/scripts/dpdk-24" --set-up 2>"$log"); then
        lane dpdk-24 skipped "${reason:-$(tail -n 1 "$log")}"
        return
    fi
    if ! command -v "${CC:-cc}" >/dev/null; then
        lane dpdk-24 skipped "no C compiler to read its headers with: apt-get install gcc libc6-dev"
        return
    fi
    say "bascule: lane dpdk-24"
    rm -rf "$reports" "$probe"
    mkdir -p "$reports"
    while IFS= read -r file; do
        file=${file#"$BASCULE_HOME/src/test/java/"}
        file=${file%.java}
        classes+=("${file//\//.}")
    done < <(grep -rl '^@Tag("dpdk")' "$BASCULE_HOME/src/test/java" | LC_ALL=C sort)
    if ! "${CC:-cc}" -w -march=native "-I$root/usr/include/dpdk" "-I$root/usr/include/x86_64-linux-gnu/dpdk" \
        -idirafter "$root/usr/include/x86_64-linux-gnu" -o "$probe" "$BASCULE_HOME/native/conformance/dpdk.c" >"$log" 2>&1; then
        failed=$((failed + 1))
        lane dpdk-24 failed "native/conformance/dpdk.c does not compile: $(grep -m 1 error "$log" || tail -n 1 "$log"); output in $log"
        return
    fi
    "$BASCULE_HOME/scripts/dpdk-24" -- "$JAVA_HOME/bin/java" -ea -XX:+UseSerialGC -Xmx512m -XX:-UsePerfData \
        --enable-native-access=ALL-UNNAMED "-Dbascule.home=$BASCULE_HOME" "-Dbascule.dpdk.probe=$probe" \
        -cp "$BASCULE_TARGET/test-classes:$BASCULE_TARGET/classes:$(<"$BASCULE_TARGET/test.classpath")" \
        dev.bascule.lab.LabMain "$reports" "${classes[@]}" >>"$log" 2>&1 || status=$?
    count "$reports"
    if (( status == 0 && tests > 0 && failures == 0 )); then
        lane dpdk-24 ran "$tests tests, $skips skipped"
    else
        (( failures > 0 )) || failed=$((failed + 1))
        lane dpdk-24 failed "$tests tests, $failures failed, exit status $status; output in $log"
    fi
    reasons "$reports"
}

# The model checkers, if asked for, in a JVM of their own beside Maven and on cores that nobody else wants: start_models
# starts them in the background, models_tests waits for them.
start_models() {
    [[ " ${lanes[*]} " == *" models "* ]] || return 0
    local reports=$BASCULE_TARGET/lane-reports/models log=$BASCULE_TARGET/log/lane-models.log file classes=() idle=(nice -n 19)
    rm -rf "$reports"
    mkdir -p "$reports" "$BASCULE_TARGET/log"
    : >"$log"
    command -v spin >/dev/null || apt_install spin >"$log" 2>&1 || true
    if chrt --idle 0 true 2>/dev/null; then idle=(chrt --idle 0); fi
    while IFS= read -r file; do
        file=${file#"$BASCULE_HOME/src/test/java/"}
        file=${file%.java}
        classes+=("${file//\//.}")
    done < <(grep -rlE '@Tag\("(models|spin)"\)' "$BASCULE_HOME/src/test/java" | LC_ALL=C sort)
    models_started=$SECONDS
    "${idle[@]}" "$JAVA_HOME/bin/java" -ea -XX:+UseSerialGC -Xmx3g -XX:-UsePerfData \
        -Djunit.jupiter.execution.parallel.enabled=true -Djunit.jupiter.execution.parallel.mode.default=concurrent \
        -Djunit.jupiter.execution.parallel.config.strategy=fixed \
        "-Djunit.jupiter.execution.parallel.config.fixed.parallelism=$(nproc)" \
        -cp "$BASCULE_TARGET/test-classes:$BASCULE_TARGET/classes:$(<"$BASCULE_TARGET/test.classpath")" \
        dev.bascule.lab.LabMain "$reports" --tag "$models_tag" "${classes[@]}" >>"$log" 2>&1 </dev/null &
    models_pid=$!
    beside[$models_pid]=models
}

models_tests() {
    local reports=$BASCULE_TARGET/lane-reports/models log=$BASCULE_TARGET/log/lane-models.log status=0 last=$SECONDS
    [[ " ${lanes[*]} " == *" models "* ]] || return 0
    [[ -n ${models_pid:-} ]] || { lane models failed "the build failed"; return 0; }
    say "bascule: lane models"
    while kill -0 "$models_pid" 2>/dev/null; do
        sleep 0.5
        if (( SECONDS - last >= 5 )); then
            last=$SECONDS
            say "  models $((SECONDS - models_started)) s: $(grep -c -a -E '^(PASSED|FAILED|SKIPPED) ' "$log" || true) done"
        fi
    done
    wait "$models_pid" || status=$?
    unset "beside[$models_pid]"
    count "$reports"
    if (( status == 0 && tests > 0 && failures == 0 )); then
        lane models ran "$tests tests, $skips skipped, in $((SECONDS - models_started)) s"
    else
        (( failures > 0 )) || failed=$((failed + 1))
        lane models failed "$tests tests, $failures failed, exit status $status; output in $log"
    fi
    reasons "$reports"
}

tagged_tests() {
    local reports=$BASCULE_TARGET/lane-reports/$1 status=0 more=()
    rm -rf "$reports"
    if [[ $1 == chaos ]]; then
        # eight carriers, so that eight emulated CPUs interrupt each other anywhere
        more=("-Dbascule.chaosMinutes=$chaos_minutes" "-Dbascule.chaosSeed=$chaos_seed"
            "-Dbascule.laneJvm=-Djdk.virtualThreadScheduler.parallelism=8 -Djdk.virtualThreadScheduler.maxPoolSize=8")
    fi
    say "bascule: lane $1"
    maven "lane-$1" integration-test -Plane "-Dbascule.lane=$1" "-Dbascule.fuzzMinutes=$fuzz_minutes" "-Dbascule.kills=$kills" "${more[@]}" -Dmaven.test.failure.ignore=true \
        -Djacoco.skip=true "${skip[@]}" || status=$?
    junit_lane "$1" "$reports" "$status"
    # what was injected and counted; what a finding was doing and how to repeat it
    case $1 in
        chaos | kills) sed -n "s/^$1: /    /p" "$reports"/*-output.txt ;;
    esac
}

# lab_tests LANE KERNEL: the tests of tag "lab", in the virtual machine: one JVM for all of them, from jars and with a
# cache of its classes.
lab_tests() {
    local card=dev.bascule.nic.corundum.CorundumLabTest
    local name=$1 kernel=$2 reports=$BASCULE_TARGET/lane-reports/$1 reason status=0 classes=() jars=() java file started=$SECONDS
    mkdir -p "$BASCULE_TARGET/log"
    if ! reason=$("$BASCULE_HOME/scripts/lab" --set-up 2>&1); then
        lane "$name" skipped "${reason##*$'\n'}"
        return
    fi
    if [[ $kernel == iommufd ]] && ! reason=$("$BASCULE_HOME/scripts/lab-kernel" --check); then
        lane "$name" skipped "$reason"
        return
    fi
    if [[ $kernel == iommufd ]] && ! "$BASCULE_HOME/scripts/lab-kernel" >/dev/null; then
        lane "$name" failed "scripts/lab-kernel could not build the kernel"
        return
    fi
    started=$SECONDS
    rm -rf "$reports"
    mkdir -p "$reports"
    while IFS= read -r file; do
        file=${file#"$BASCULE_HOME/src/test/java/"}
        file=${file%.java}
        [[ ${file//\//.} == "$card" ]] || classes+=("${file//\//.}")
    done < <(grep -rl '^@Tag("lab")' "$BASCULE_HOME/src/test/java" | LC_ALL=C sort)
    (cd "$BASCULE_TARGET" && "$JAVA_HOME/bin/jar" --create --no-compress --file lab-tests.jar -C test-classes .)
    IFS=: read -r -a jars <<<"$(<"$BASCULE_TARGET/test.classpath")"
    java=$BASCULE_TARGET/bascule.jar:$BASCULE_TARGET/lab-tests.jar
    for file in "${jars[@]}"; do
        case ${file##*/} in
            junit-* | opentest4j-* | apiguardian-* | assertj-* | byte-buddy-* | jspecify-* | picocli-* | HdrHistogram-* | snakeyaml-* | rocksdbjni-*) java+=:$file ;;
        esac
    done
    # Without compiled code of the second kind: under emulation compiling costs more than it gains.
    java=(-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xms64m -Xmx512m -XX:-UsePerfData --enable-native-access=ALL-UNNAMED
        "-Dbascule.home=$BASCULE_HOME" "-Dbascule.aot=$BASCULE_TARGET/lab.aot" -Dbascule.agentFlags=-XX:TieredStopAtLevel=1 -cp "$java")
    say "bascule: lane $name: preparing the start-up cache"
    "$JAVA_HOME/bin/java" "-XX:AOTCacheOutput=$BASCULE_TARGET/lab.aot" "${java[@]}" dev.bascule.lab.LabMain "$BASCULE_TARGET/log/lab-training" \
        dev.bascule.nic.edu.EduLoopbackTest dev.bascule.nic.ivshmem.IvshmemLoopbackTest \
        dev.bascule.host.IvshmemWaveConformanceTest dev.bascule.cli.DeviceCommandsTest "${classes[@]}" >"$BASCULE_TARGET/log/lab-training.log" 2>&1 </dev/null || true
    say "bascule: lane $name: ${#classes[@]} classes in the virtual machine"
    BASCULE_NO_BUILD=1 "$BASCULE_HOME/scripts/lab" --kernel "$kernel" --keep "$reports" --timeout "${BASCULE_LAB_SECONDS:-340}" -- \
        "$JAVA_HOME/bin/java" "-XX:AOTCache=$BASCULE_TARGET/lab.aot" "-Xlog:aot*=off,cds*=off" "${java[@]}" dev.bascule.lab.LabMain /mnt/keep "${classes[@]}" \
        > >(tee "$BASCULE_TARGET/log/lane-$name.log" >&2) || status=$?
    if [[ $name == lab ]] && "$BASCULE_HOME/scripts/lab-qemu" --check >/dev/null; then
        say "bascule: lane $name: a machine with the card that QEMU's vfio-user-pci shows"
        BASCULE_NO_BUILD=1 "$BASCULE_HOME/scripts/lab" --no-devices --corundum --keep "$reports/card" --timeout "${BASCULE_LAB_SECONDS:-340}" -- \
            "$JAVA_HOME/bin/java" "-XX:AOTCache=$BASCULE_TARGET/lab.aot" "-Xlog:aot*=off,cds*=off" "${java[@]}" dev.bascule.lab.LabMain /mnt/keep "$card" \
            > >(tee -a "$BASCULE_TARGET/log/lane-$name.log" >&2) 2>&1 || status=$?
        [[ ! -f $reports/card/TEST-lab.xml ]] || mv "$reports/card/TEST-lab.xml" "$reports/TEST-lab-card.xml"
    fi
    count "$reports"
    if (( status == 0 && tests > 0 && failures == 0 )); then
        lane "$name" ran "$tests tests, $skips skipped, in $((SECONDS - started)) s"
    else
        (( failures > 0 )) || failed=$((failed + 1))
        lane "$name" failed "$tests tests, $failures failed, exit status $status; output in $BASCULE_TARGET/log/lane-$name.log"
    fi
    reasons "$reports"
}
