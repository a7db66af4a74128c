package dev.bascule.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LoopbackChecksTest {
    @TempDir
    private Path folder = Path.of("");

    private FakeMachine fake;

    @BeforeEach
    void makeAMachine() throws IOException {
        fake = new FakeMachine(folder);
    }

    private LoopbackChecks checks() {
        return new LoopbackChecks(fake.as(1000), Optional::empty);
    }

    private Finding find(String name) {
        return FakeMachine.named(checks().findings(), name);
    }

    @Test
    void aPlainMachineOfAnOrdinaryUserCanRunTheMainJob() {
        List<Finding> findings = checks().findings();
        assertThat(findings).extracting(Finding::name).containsExactly("JDK", "kernel", "user", "cores", "memory",
                "/dev/shm", "RocksDB", "start-up cache");
        assertThat(findings).noneMatch(Finding::isMissing);
        assertThat(find("kernel").found()).contains("6.1.0-test");
        assertThat(find("user").found()).contains("1000").contains("root is not needed");
        assertThat(find("memory").found()).isEqualTo("4096 MiB available");
    }

    @Test
    void anOldJdkIsMissingWithTheCommand() {
        Finding old = checks().jdk(24);
        assertThat(old.verdict()).isEqualTo(Verdict.MISSING);
        assertThat(old.fix()).isEqualTo("sudo apt-get install -y openjdk-25-jdk-headless");
        assertThat(checks().jdk(26).verdict()).isEqualTo(Verdict.OK);
    }

    @Test
    void rootNeedsNoSudo() {
        LoopbackChecks ofRoot = new LoopbackChecks(fake.as(0), Optional::empty);
        assertThat(ofRoot.jdk(17).fix()).startsWith("apt-get");
        assertThat(FakeMachine.named(ofRoot.findings(), "user").found()).isEqualTo("root");
    }

    @Test
    void rocksDbThatDoesNotLoadIsMissingWithItsReasonAndTheWayAround() {
        LoopbackChecks broken = new LoopbackChecks(fake.as(1000), () -> Optional.of("no librocksdbjni for riscv"));
        Finding finding = FakeMachine.named(broken.findings(), "RocksDB");
        assertThat(finding.isMissing()).isTrue();
        assertThat(finding.found()).isEqualTo("no librocksdbjni for riscv");
        assertThat(finding.fix()).contains("--workload spin");
    }

    @Test
    void tooLittleMemoryIsMissing() throws IOException {
        fake.file("proc/meminfo", "MemAvailable:     204800 kB\n");
        Finding finding = find("memory");
        assertThat(finding.isMissing()).isTrue();
        assertThat(finding.found()).isEqualTo("200 MiB available, 700 MiB needed");
    }

    @Test
    void memoryThatTheKernelDoesNotTellIsNoError() throws IOException {
        fake.file("proc/meminfo", "nonsense\n");
        assertThat(find("memory").isMissing()).isFalse();
    }

    @Test
    void withoutDevShmTheTemporaryFolderIsUsed() throws IOException {
        Files.delete(folder.resolve("dev/shm"));
        Finding finding = find("/dev/shm");
        assertThat(finding.verdict()).isEqualTo(Verdict.NOT_NEEDED);
        assertThat(finding.found()).contains("runs use " + folder.resolve("tmp"));
        assertThat(finding.fix()).startsWith("sudo mount -t tmpfs");
    }

    @Test
    void withNoPlaceForSharedMemoryAtAllTheMainJobCannotRun() throws IOException {
        Files.delete(folder.resolve("dev/shm"));
        Files.delete(folder.resolve("tmp"));
        assertThat(find("/dev/shm").isMissing()).isTrue();
    }

    @Test
    void oneCoreIsEnoughButSaidToBeShared() {
        BitSet one = BitSet.valueOf(new long[] { 0b100 });
        Finding finding = checks().cores(one, 1);
        assertThat(finding.isMissing()).isFalse();
        assertThat(finding.found()).startsWith("1 usable {2}").contains("share");
    }

    @Test
    void aContainersLimitOfCpuTimeIsSaid() throws IOException {
        fake.file("sys/devices/system/cpu/online", "0-7\n");
        Finding finding = checks().cores(BitSet.valueOf(new long[] { 0xff }), 2);
        assertThat(finding.found()).contains("8 usable").contains("online 0-7").contains("CPU time for 2");
        assertThat(finding.fix()).isEmpty();
    }

    @Test
    void theStartUpCacheIsFoundInTheClone() throws IOException {
        assertThat(checks().startUpCache("").found()).contains("not started by scripts/bascule");
        assertThat(checks().startUpCache(folder.toString()).verdict()).isEqualTo(Verdict.NOT_NEEDED);
        fake.file("target/bascule.aot", "x");
        assertThat(checks().startUpCache(folder.toString()).verdict()).isEqualTo(Verdict.OK);
    }

    @Test
    void anotherSystemThanLinuxIsMissing() throws IOException {
        Files.delete(folder.resolve("proc/sys/kernel/osrelease"));
        assertThat(find("kernel").isMissing()).isTrue();
    }
}
