package dev.bascule.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.config.ModelTiming;
import dev.bascule.model.corundum.CorundumConfig;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** What {@code serve}'s options make of a Corundum design. */
class CorundumDesignTest {
    private static CorundumConfig design(String... words) {
        return CommandLine.populateCommand(new CorundumDesign(), words)
                .build(ModelTiming.IMMEDIATE);
    }

    @Test
    void everyPortHasASchedulerOfItsOwn() {
        for (int ports : new int[] { 1, 2, 4, 8 }) {
            CorundumConfig design = design("--ports", String.valueOf(ports));
            assertThat(design.ports()).isEqualTo(ports);
            assertThat(design.schedulers()).isEqualTo(ports);
        }
    }

    @Test
    void moreInterfacesThanTheWindowHasRoomForAreRefusedAndFourHaveNoStatistics() {
        assertThatThrownBy(() -> design("--interfaces", "8")).hasMessageContaining("8 interfaces")
                .hasMessageContaining("MSI-X");
        assertThat(design("--interfaces", "4").statistics()).isFalse();
        assertThat(design("--interfaces", "2").statistics()).isTrue();
    }

    @Test
    void blocksOfTheClockAndOfTimeSlotsAreThereWhenAskedFor() {
        assertThat(design().periodicOutputs()).isZero();
        assertThat(design().tdma()).isFalse();
        CorundumConfig all = design("--tdma", "--periodic-outputs", "2", "--queues", "64", "--link-delay", "200ms",
                "--mac", "02:00:00:00:00:10");
        assertThat(all.tdma()).isTrue();
        assertThat(all.periodicOutputs()).isEqualTo(2);
        assertThat(all.txQueues()).isEqualTo(64);
        assertThat(all.completionQueues()).isEqualTo(128);
        assertThat(all.linkDelayNanos()).isEqualTo(200_000_000);
        assertThat(all.firstMacAddress()).isEqualTo(0x02_00_00_00_00_10L);
    }
}
