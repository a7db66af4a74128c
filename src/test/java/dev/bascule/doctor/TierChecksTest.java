package dev.bascule.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TierChecksTest {
    @TempDir
    private Path folder = Path.of("");

    private FakeMachine fake;

    @BeforeEach
    void makeAMachine() throws IOException {
        fake = new FakeMachine(folder);
    }

    private Finding find(String name) {
        return FakeMachine.named(new TierChecks(fake.as(1000), false).findings(), name);
    }

    @Test
    void nothingOfThisIsAnErrorAndEachLackHasACure() {
        assertThat(new TierChecks(fake.as(1000), false).findings()).noneMatch(Finding::isMissing).hasSize(7)
                .allSatisfy(finding -> assertThat(finding.fix()).as(finding.name()).isNotEmpty());
    }

    @Test
    void whatIsThereIsFound() throws IOException {
        fake.file("proc/self/status", "CapEff:\t0000000000800000\n");
        fake.file("proc/self/clear_refs", "");
        fake.file("proc/swaps", "Filename Type Size Used Priority\n/dev/zram0 partition 1048572 0 100\n");
        fake.file("sys/devices/system/node/has_memory", "0-1\n");
        fake.file("sys/kernel/mm/page_idle/bitmap", "");
        assertThat(find("privileges to move pages").verdict()).isEqualTo(Verdict.OK);
        assertThat(find("access bits: referenced").verdict()).isEqualTo(Verdict.OK);
        assertThat(find("access bits: page-idle").verdict()).isEqualTo(Verdict.OK);
        assertThat(find("swap for cold pages").found()).isEqualTo("/dev/zram0");
        assertThat(find("NUMA nodes with memory").found()).isEqualTo("0-1");
        assertThat(find("access bits: soft-dirty").fix()).contains("CONFIG_MEM_SOFT_DIRTY");
    }
}
