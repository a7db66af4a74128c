package dev.bascule.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.host.Upgrade;
import dev.bascule.report.RunFault;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a run says of its upgrades. */
class UpgradeReportTest {
    private static final Upgrade.Steps STEPS = new Upgrade.Steps(100_000, 20_000, 30_000, 200_000, 50_000);

    private static Upgrade done(long gapNanos) {
        return new Upgrade(0, gapNanos, STEPS, null);
    }

    private static Upgrade failed(String why) {
        return new Upgrade(0, 0, null, why);
    }

    @Test
    void ofSeveralUpgradesTheMedianAndTheWorstAreSaid() {
        assertThat(UpgradeReport.notes("wave", List.of(done(900_000), done(400_000), failed("late"), done(500_000))))
                .containsExactly("wave: 3 upgrades: median 0.500 ms, worst 0.900 ms without an agent"
                        + " (fence 0.100, noticed 0.020, attached 0.030, first round 0.200, seen 0.050)");
        assertThat(UpgradeReport.notes("wave", List.of(failed("late")))).isEmpty();
    }

    @Test
    void jsonSaysWhereTheTimeWithoutAnAgentWent() {
        String json = UpgradeReport.json("wave", done(400_000)).pretty();
        assertThat(json).contains("\"gapMicros\": 400", "\"fenceMicros\": 100", "\"noticeMicros\": 20",
                "\"attachMicros\": 30", "\"roundMicros\": 200", "\"seenMicros\": 50", "\"failure\": null");
        assertThat(UpgradeReport.json("wave", failed("late")).pretty()).contains("\"steps\": null",
                "\"failure\": \"late\"");
    }

    @Test
    void aPlannedUpgradeThatFailsOrDoesNotEndIsAFault() {
        assertThat(UpgradeReport.faults(List.of(done(1)), 2)).isEmpty();
        assertThat(UpgradeReport.faults(List.of(done(1), failed("late")), 2)).singleElement()
                .satisfies(fault -> assertThat(fault.kind()).isEqualTo(RunFault.Kind.UPGRADE))
                .satisfies(fault -> assertThat(fault.text()).startsWith("1 of 2 upgrades failed").endsWith("late"));
        assertThat(UpgradeReport.faults(List.of(), 1)).extracting(RunFault::text).singleElement().asString()
                .startsWith("an upgrade was still under way");
        assertThat(UpgradeReport.faults(List.of(), 0)).extracting(RunFault::text).singleElement().asString()
                .startsWith("no upgrade began");
    }
}
