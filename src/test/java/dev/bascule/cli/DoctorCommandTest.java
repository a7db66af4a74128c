package dev.bascule.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.doctor.Finding;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class DoctorCommandTest {
    @Test
    void theGroupsHaveOneLineEachAndTheVerdictIsAtTheEnd() {
        Map<String, List<Finding>> groups = new LinkedHashMap<>();
        groups.put("Main job", List.of(Finding.ok("kernel", "Linux"), Finding.missing("RocksDB", "absent", "do that")));
        groups.put("Cards", List.of(Finding.optional("IOMMU", "none", "do this"),
                Finding.optional("device 0000:03:00.0", "edu", "bind it"), Finding.optional("DPDK", "none", "get it")));
        assertThat(DoctorCommand.text(groups, false).lines()).containsExactly("Main job",
                "  kernel               ok                       Linux",
                "  RocksDB              missing                  absent; fix: do that", "", "Cards",
                "  device 0000:03:00.0  not needed for loopback  edu; fix: bind it",
                "  not there, not needed: IOMMU, DPDK", "", "The main job cannot run here: 1 missing, see above.",
                "How to get what is not there: bascule doctor --all");
        assertThat(DoctorCommand.text(groups, true).lines())
                .contains("  IOMMU                not needed for loopback  none; fix: do this")
                .noneMatch(line -> line.contains("--all") || line.contains("not there, not needed"));
        assertThat(DoctorCommand.canRun(groups.get("Main job"))).isFalse();
        assertThat(DoctorCommand.json(groups)).contains("\"group\": \"Cards\"").contains("\"mainJobCanRun\": false")
                .contains("\"fix\": null")
                .contains("\"fix\": \"do that\"").contains("\"verdict\": \"not needed for loopback\"");
    }
}
