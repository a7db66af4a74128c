package dev.bascule.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.junit.ByTurns;
import dev.bascule.local.LocalProtocol;
import dev.bascule.run.Errors;
import dev.bascule.swap.SwapProtocol;
import dev.bascule.wave.WaveProtocol;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Commands that lack memory, descriptors, locked memory, room or the right to write: done, or a message and status 1. */
@Tag("process")
class LimitsProcessTest {
    @TempDir
    private Path folder = Path.of("");

    private static final List<String> TRANSPORTS = List.of(LocalProtocol.NAME, WaveProtocol.NAME, SwapProtocol.NAME);

    private static String[] run(String transport, String... more) {
        return Stream.concat(Stream.of("run", "--quick", "--workload", "spin", "--load", "0.2", "--duration", "200ms",
                "--patient", "--transport", transport), Stream.of(more)).toArray(String[]::new);
    }

    private static void assertForItsUser(String as, Cli said) {
        assertThat(said.status()).as("%s: %s", as, said.err()).isBetween(0, Errors.USAGE);
        assertThat(said.err()).as(as).doesNotContain("bug in Bascule").doesNotContain("cut while")
                .doesNotContain("main class");
        if (said.status() != 0) {
            assertThat(said.out() + said.err()).as(as).isNotBlank();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = { 16, 32, 63 })
    void aLimitOfFilesTooLowToBeginIsSaidBeforeAnythingIsTaken(int files) throws Exception {
        for (String command : List.of("sim jobs=100", "echo --count 10", "top --once")) {
            Cli said = Confined.by(folder, "ulimit -n " + files).run(command.split(" "));
            assertThat(said.status()).as(said.err()).isEqualTo(Errors.FAILED);
            assertThat(said.err()).hasLineCount(1).contains("open files (ulimit -n) is " + files)
                    .contains("raise it: ulimit -n");
        }
    }

    /** Transports take turns: a limit stops the same of each, up to where it opens its region. */
    @ByTurns(of = 3)
    @ParameterizedTest
    @CsvSource({ "ulimit -n 64, 0", "ulimit -n 100, 1", "ulimit -n 160, 2", "ulimit -v 2500000, 1",
            "ulimit -v 3500000, 2", "ulimit -v 6000000, 0", "ulimit -l 0, 2" })
    void aLowLimitEndsInWorkOrInAMessage(String limit, int turn) throws Exception {
        Confined confined = Confined.by(folder, limit);
        String transport = TRANSPORTS.get(turn);
        assertForItsUser(limit + ", " + transport, confined.run(run(transport, "--report", "none")));
        assertForItsUser(limit, confined.run("echo", "--count", "100"));
        assertForItsUser(limit, confined.run("sim", "jobs=100"));
    }

    @Test
    void lockedMemoryIsNotNeededForTheMainJob() throws Exception {
        assertThat(Confined.by(folder, "ulimit -l 0").run(run(WaveProtocol.NAME, "--report", "none")).status())
                .isZero();
    }

    @ByTurns(of = 3)
    @ParameterizedTest
    @MethodSource("transports")
    void aFullSharedMemoryIsSaidAsSuch(String transport) throws Exception {
        String shm = "mount -t tmpfs -o size=1m tmpfs /dev/shm";
        Cli room = Confined.with(folder, shm).run(run(transport, "--report", "none"));
        assertThat(room.status()).as(room.err()).isZero();
        for (int free : List.of(0, 8, 100)) {
            Cli full = Confined.with(folder, shm + " && head -c " + (1024 - free) + "K /dev/zero >/dev/shm/fill")
                    .run(run(transport, "--report", "none"));
            assertThat(full.status()).as("%d KiB free: %s", free, full.err()).isEqualTo(Errors.FAILED);
            assertThat(full.err()).as("%d KiB free", free).contains("/dev/shm").containsAnyOf("ENOSPC", "No space left")
                    .contains("df -h").doesNotContain("cut while").doesNotContain("bug in Bascule");
        }
    }

    static Stream<String> transports() {
        return TRANSPORTS.stream();
    }

    @Test
    void aFullDiskIsNamedWithTheFile() throws Exception {
        Path disk = folder.resolve("disk");
        Confined confined = Confined.with(folder, "mkdir -p " + disk + " && mount -t tmpfs -o size=64k tmpfs " + disk
                + " && { head -c 64K /dev/zero >" + disk + "/fill; true; }");
        for (String option : List.of("--report", "--trace", "--record")) {
            assertNamesTheDisk(confined.run("sim", "jobs=1000", option, disk + "/out"), disk);
        }
        assertNamesTheDisk(confined.run(run(WaveProtocol.NAME, "--report", disk + "/out.html")), disk);
        assertNamesTheDisk(confined.run(run(WaveProtocol.NAME, "--report", "none", "--region", disk + "/region")),
                disk);
        assertNamesTheDisk(confined.run("capture", "--count", "20000", "-w", disk + "/out.pcapng"), disk);
    }

    private static void assertNamesTheDisk(Cli said, Path disk) {
        assertThat(said.status()).as(said.err()).isEqualTo(Errors.FAILED);
        assertThat(said.err()).contains(disk.toString()).containsAnyOf("No space left on device", "ENOSPC")
                .doesNotContain("\tat ");
    }

    @Test
    void aReadOnlyDirectoryIsNamed() throws Exception {
        Path disk = folder.resolve("disk");
        Confined confined = Confined.with(folder,
                "mkdir -p " + disk + " && mount -t tmpfs -o ro,size=64k tmpfs " + disk);
        for (String[] words : List.of(new String[] { "sim", "jobs=100", "--report", disk + "/out" },
                run(SwapProtocol.NAME, "--report", disk + "/out.html"),
                run(SwapProtocol.NAME, "--report", "none", "--region", disk + "/region"),
                run(LocalProtocol.NAME, "--report", "none", "--region", disk.toString()),
                new String[] { "capture", "--count", "10", "-w", disk + "/out.pcapng" },
                new String[] { "sweep", "load=0.5", "jobs=100", "--out", disk + "/sweep.jsonl" })) {
            Cli said = confined.run(words);
            assertThat(said.status()).as("%s: %s", List.of(words), said.err()).isEqualTo(Errors.FAILED);
            assertThat(said.err()).as("%s", List.of(words)).contains(disk.toString()).contains("Read-only file system")
                    .doesNotContain("\tat ");
        }
    }

    @Test
    void standardOutputThatCannotBeWrittenIsSaid() throws Exception {
        Cli said = Confined.by(folder, "exec >/dev/full").run("sim", "jobs=100", "--json");
        assertThat(said.status()).as(said.err()).isEqualTo(Errors.FAILED);
        assertThat(said.err()).contains("standard output cannot be written");
    }
}
