package dev.bascule.host.tier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.ffi.ProcessMark;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Whose DAMON is, on a tree of files that stands for a machine; what the kernel would do with them is not played. */
@Timeout(60)
class DamonMarkTest {
    private static final String DAMON = "sys/kernel/mm/damon/admin/kdamonds/";
    private static final String INTERVALS = DAMON + "0/contexts/0/monitoring_attrs/intervals/";

    @TempDir
    private Path root = Path.of("");

    private Path admin = Path.of("");
    private Path file = Path.of("");
    private Process sleeper;

    @BeforeEach
    void makeAMachine() throws IOException {
        admin = root.resolve(DAMON);
        file = root.resolve("run/bascule-damon");
        Files.createDirectories(root.resolve("run"));
        write("proc/self/clear_refs", "");
        write(DAMON + "nr_kdamonds", "0\n");
        write(DAMON + "0/contexts/0/avail_operations", "vaddr\n");
        for (String folder : new String[] { "targets/0", "schemes/0/access_pattern/sz", "monitoring_attrs/nr_regions",
                "monitoring_attrs/intervals", "schemes/0/access_pattern/nr_accesses", "schemes/0/access_pattern/age",
                "schemes/0/tried_regions" }) {
            Files.createDirectories(admin.resolve("0/contexts/0").resolve(folder));
        }
        sleeper = new ProcessBuilder("sleep", "1000").start();
    }

    @AfterEach
    void end() {
        sleeper.destroyForcibly();
    }

    private void write(String name, String text) throws IOException {
        Path path = root.resolve(name);
        Files.createDirectories(path.getParent());
        Files.writeString(path, text);
    }

    private String read(String name) throws IOException {
        return Files.readString(root.resolve(name)).strip();
    }

    private AccessSources.Availability damon() {
        return AccessSources.all(root.resolve("sys"), root.resolve("proc"), false).stream()
                .filter(one -> one.name().equals(Damon.NAME)).findFirst().orElseThrow();
    }

    /** A source that watches the sleeper. */
    private Damon watching() throws IOException {
        return watching(DamonMark.take(admin, file));
    }

    /** A refusal, as for a while after it was turned off, does not stand for a kernel without virtual addresses. */
    @Test
    void aDamonThatCannotBeAskedIsSaidAndFree() throws IOException {
        Path told = admin.resolve("0/contexts/0/avail_operations");
        Files.delete(told);
        Files.createDirectory(told);
        assertThatThrownBy(() -> Damon.hasVirtual(admin)).isInstanceOf(UncheckedIOException.class)
                .hasMessageContaining("ask DAMON what it can watch").hasMessageContaining("--source");
        assertThat(read(DAMON + "nr_kdamonds")).isEqualTo("0");
        Files.delete(told);
        assertThat(Damon.hasVirtual(admin)).as("a kernel that does not tell").isFalse();
    }

    /** As if the process that made the mark had been killed. */
    private void killed() throws IOException {
        ProcessMark own = ProcessMark.own();
        ProcessMark dead = new ProcessMark(own.pid(), own.startTicks() + 1, own.namespace(), own.boot());
        Files.writeString(file, Files.readString(file).replace(own.line(), dead.line()));
    }

    @Test
    void whatAKilledTierLeftIsTakenOverByTheNextOne() throws IOException {
        Damon unused = watching();
        assertThat(read(DAMON + "0/state")).isEqualTo("on");
        killed();
        assertThat(damon().isThere()).as(damon().found()).isTrue();
        DamonMark next = DamonMark.take(admin, file);
        assertThat(read(DAMON + "0/state")).isEqualTo("off");
        assertThat(read(DAMON + "nr_kdamonds")).isEqualTo("0");
        try (Damon again = watching(next)) {
            assertThat(read(DAMON + "0/state")).isEqualTo("on");
        }
    }

    private Damon watching(DamonMark mark) throws IOException {
        Damon damon = new Damon(admin, root.resolve("none"), 100_000_000, mark);
        TieredProcess process = Objects.requireNonNull(TieredProcess.open((int) sleeper.pid()));
        assertThat(process.look()).isTrue();
        damon.begin(process, new TreeMap<>());
        process.close();
        write(DAMON + "0/state", "on\n"); // a kernel tells this, not the last command
        return damon;
    }

    @Test
    void aSourceThatIsClosedLeavesNothingOfItsOwn() throws IOException {
        watching().close();
        assertThat(read(DAMON + "0/state")).isEqualTo("off");
        assertThat(read(DAMON + "nr_kdamonds")).isEqualTo("0");
        assertThat(file).doesNotExist();
    }

    @Test
    void aFaultAtWorkTurnsDamonOff() throws IOException {
        int pid = (int) sleeper.pid();
        Damon source = new Damon(admin, root.resolve("none"), 100_000_000, DamonMark.take(admin, file));
        ProcessPages pages = new ProcessPages(1024, () -> Set.of(pid), source, SlowTier.of(SlowTier.Count.NAME));
        pages.begin();
        write(DAMON + "0/state", "on\n");
        Files.delete(admin.resolve("0/contexts/0/schemes/0/tried_regions")); // a kernel that takes it away
        assertThatThrownBy(pages::begin).isInstanceOf(UncheckedIOException.class);
        pages.close();
        assertThat(read(DAMON + "0/state")).isEqualTo("off");
        assertThat(read(DAMON + "nr_kdamonds")).isEqualTo("0");
        assertThat(file).doesNotExist();
    }

    @Test
    void theTierAtWorkIsNamedAndLeftAlone() throws IOException {
        try (Damon unused = watching()) {
            assertThat(damon().isThere()).isFalse();
            assertThat(damon().found()).isEqualTo(
                    "bascule tier uses it, process " + ProcessHandle.current().pid());
            assertThat(damon().cure()).isEqualTo("sudo kill " + ProcessHandle.current().pid());
            assertThatThrownBy(() -> DamonMark.take(admin, file)).isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("sudo kill");
            assertThat(read(DAMON + "0/state")).isEqualTo("on");
        }
    }

    /** On or off, alone or one of several, after one of ours that was killed or not. */
    @Test
    void aConfigurationOfSomebodyElseIsNeverWiped() throws IOException {
        Damon ours = watching();
        killed();
        write(INTERVALS + "update_us", "1000000\n");
        assertIsLeftAlone("on", "1");
        write(DAMON + "0/state", "off\n");
        assertIsLeftAlone("off", "1");
        write(DAMON + "nr_kdamonds", "2\n");
        assertIsLeftAlone("off", "2");
        ours.close();
        assertIsLeftAlone("off", "2");
        Files.deleteIfExists(file);
        write(DAMON + "0/state", "on\n");
        assertIsLeftAlone("on", "2");
    }

    private void assertIsLeftAlone(String state, String count) throws IOException {
        assertThat(damon().isThere()).isFalse();
        assertThat(damon().found()).isEqualTo("somebody else has set it up");
        assertThatThrownBy(() -> DamonMark.take(admin, file)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("somebody else has set it up");
        assertThat(read(DAMON + "0/state")).isEqualTo(state);
        assertThat(read(DAMON + "nr_kdamonds")).isEqualTo(count);
    }

    @Test
    void theCureCures() throws Exception {
        write(DAMON + "nr_kdamonds", "1\n");
        write(DAMON + "0/state", "on\n");
        assertThat(damon().isThere()).isFalse();
        Process cure = new ProcessBuilder("sh", "-c", damon().cure().replace("sudo ", "")).start();
        assertThat(cure.waitFor()).isZero();
        assertThat(read(DAMON + "0/state")).isEqualTo("off");
        assertThat(damon().isThere()).as(damon().found()).isTrue();
    }

    @Test
    void aMarkThatIsNoneAllowsNothing() throws IOException {
        for (String text : new String[] { "", "x", "1 2 3 4 5 6", "1 2 pid:[3] boot -1",
                "1 2 pid:[3] boot nonsense" }) {
            Files.writeString(file, text);
            write(DAMON + "nr_kdamonds", "1\n");
            write(DAMON + "0/state", "on\n");
            write(INTERVALS + "update_us", "1000000\n");
            assertIsLeftAlone("on", "1");
        }
    }
}
