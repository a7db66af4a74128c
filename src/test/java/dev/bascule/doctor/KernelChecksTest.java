package dev.bascule.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KernelChecksTest {
    @TempDir
    private Path folder = Path.of("");

    private FakeMachine fake;

    @BeforeEach
    void makeAMachine() throws IOException {
        fake = new FakeMachine(folder);
    }

    private Finding find(String name) {
        return FakeMachine.named(new KernelChecks(fake.as(1000)).findings(), name);
    }

    @Test
    void nothingOfThisIsAnErrorAndEachLackHasACure() {
        assertThat(new KernelChecks(fake.as(1000)).findings()).noneMatch(Finding::isMissing)
                .filteredOn(finding -> finding.verdict() == Verdict.NOT_NEEDED)
                .allSatisfy(finding -> assertThat(finding.fix()).as(finding.name()).isNotEmpty());
    }

    @Test
    void anOldKernelIsToldFromOneWithoutIt() throws IOException {
        assertThat(find("sched_ext").found()).contains("6.1.0-test is older than 6.13");
        fake.file("proc/sys/kernel/osrelease", "6.13.5-other\n");
        assertThat(find("sched_ext").found()).contains("6.13.5-other was built without it");
        fake.file("sys/kernel/sched_ext/state", "disabled\n");
        assertThat(find("sched_ext")).isEqualTo(Finding.ok("sched_ext", "Linux 6.13.5-other"));
    }

    /** It has sched_ext, under other names. */
    @Test
    void aKernelOf612IsRefusedByName() throws IOException {
        fake.file("sys/kernel/sched_ext/state", "disabled\n");
        fake.file("proc/sys/kernel/osrelease", "6.12.48+deb13-amd64\n");
        assertThat(find("sched_ext").found()).contains("6.12.48+deb13-amd64 is older than 6.13");
        assertThat(KernelChecks.objection(fake.as(0), false, false)).contains("6.12.48+deb13-amd64")
                .contains("6.13 or newer");
        fake.file("proc/sys/kernel/osrelease", "7.2.12\n");
        assertThat(KernelChecks.objection(fake.as(0), true, true)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({ "pid:[4026531836],true,true,''", "pid:[4026532301],true,false,--whole-machine",
            "pid:[4026532301],false,true,--pid", "pid:[4026532301],false,false,''" })
    void inAContainerNeitherTheMachineNorAProcessByItsNumberIsRuled(String namespace, boolean whole, boolean byNumber,
            String refused) throws IOException {
        fake.file("proc/sys/kernel/osrelease", "7.2.12\n");
        Path link = fake.root.resolve("proc/self/ns/pid");
        Files.createDirectories(link.getParent());
        Files.createSymbolicLink(link, Path.of(namespace));
        String said = KernelChecks.objection(fake.as(0), whole, byNumber);
        if (refused.isEmpty()) {
            assertThat(said).isEmpty();
        } else {
            assertThat(said).startsWith(refused + ": this is a PID namespace");
        }
    }

    private void thread(int process, int thread, int policy) throws IOException {
        fake.file("proc/" + process + "/task/" + thread + "/stat",
                thread + " (a ) name) S" + " 0".repeat(37) + " " + policy + " 0 0\n");
    }

    @Test
    void threadsThatNoSchedulerHasAreListedWithTheirCure() throws IOException {
        fake.file("sys/kernel/sched_ext/state", "disabled\n");
        thread(70, 70, 0);
        assertThat(new KernelChecks(fake.as(1000)).findings()).noneMatch(one -> one.name().contains("SCHED_EXT"));
        thread(70, 71, 7);
        thread(80, 80, 7);
        assertThat(find("threads in SCHED_EXT").found()).startsWith("2 without a scheduler");
        assertThat(find("threads in SCHED_EXT").fix()).isEqualTo("sudo scripts/bascule doctor --fix");
        fake.file("sys/kernel/sched_ext/root/ops", "somebody\n");
        assertThat(new KernelChecks(fake.as(1000)).findings()).noneMatch(one -> one.name().contains("SCHED_EXT"));
    }

    @Test
    void typesAndCompilerOfAKernelThatHasItAreLookedAt() throws IOException {
        fake.file("sys/kernel/sched_ext/state", "disabled\n");
        fake.file("proc/sys/net/core/bpf_jit_enable", "0\n");
        assertThat(find("kernel's types (BTF)").fix()).contains("CONFIG_DEBUG_INFO_BTF");
        assertThat(find("BPF compiler").fix()).isEqualTo("echo 1 | sudo tee /proc/sys/net/core/bpf_jit_enable");
        fake.file("sys/kernel/btf/vmlinux", "types");
        fake.file("proc/sys/net/core/bpf_jit_enable", "1\n");
        assertThat(find("kernel's types (BTF)").verdict()).isEqualTo(Verdict.OK);
        assertThat(find("BPF compiler").verdict()).isEqualTo(Verdict.OK);
    }

    @Test
    void whoHasTheMachineIsNamedWithHowToEndIt() throws IOException {
        fake.file("sys/kernel/sched_ext/state", "enabled\n");
        fake.file("sys/kernel/sched_ext/root/ops", "bascule_4711\n");
        assertThat(find("scheduler at work").found()).contains("bascule_4711 (enabled)");
        assertThat(find("scheduler at work").fix()).isEqualTo("sudo kill 4711");
    }

    @Test
    void missingPrivilegesAreNamed() throws IOException {
        assertThat(find("privileges for sched_ext").found()).contains("CAP_BPF").contains("CAP_SYS_PTRACE")
                .contains("CAP_IPC_LOCK");
        fake.file("proc/self/status", "Name:\tjava\nCapEff:\t000001ffffffffff\n");
        assertThat(find("privileges for sched_ext").verdict()).isEqualTo(Verdict.OK);
    }
}
