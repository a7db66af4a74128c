package dev.bascule.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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
        assertThat(find("sched_ext").found()).contains("6.1.0-test is older than 6.12");
        fake.file("proc/sys/kernel/osrelease", "6.12.5-other\n");
        assertThat(find("sched_ext").found()).contains("6.12.5-other was built without it");
        fake.file("sys/kernel/sched_ext/state", "disabled\n");
        assertThat(find("sched_ext")).isEqualTo(Finding.ok("sched_ext", "Linux 6.12.5-other"));
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
