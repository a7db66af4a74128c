package dev.bascule.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.host.YieldPoint;
import org.junit.jupiter.api.Test;

class SpinServiceTest {
    private static final ServiceMix MIX = ServiceMix.bimodal("short", 2_000, "long", 1_000_000, 0.9);

    @Test
    void aRequestTakesAtLeastItsServiceTime() {
        try (SpinService service = new SpinService(MIX)) {
            for (int kind = 0; kind < 2; kind++) {
                long start = System.nanoTime();
                assertThat(service.execute(1, kind, YieldPoint.NONE)).isEqualTo(Service.OK);
                assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(MIX.kinds().get(kind).serviceNanos());
            }
        }
    }

    @Test
    void aLongRequestYieldsAndAShortOneDoesNot() {
        int[] yields = new int[1];
        try (SpinService service = new SpinService(MIX, 10_000)) {
            service.execute(1, 0, () -> yields[0]++);
            assertThat(yields[0]).isZero();
            service.execute(2, 1, () -> yields[0]++);
        }
        assertThat(yields[0]).isBetween(1, 100);
    }

    @Test
    void timeAwayFromTheCpuIsNotWork() {
        long awayNanos = 3_000_000;
        long[] away = new long[1];
        try (SpinService service = new SpinService(MIX, 500_000)) {
            long start = System.nanoTime();
            service.execute(1, 1, () -> {
                long from = System.nanoTime();
                while (System.nanoTime() - from < awayNanos) {
                    Thread.onSpinWait();
                }
                away[0] += System.nanoTime() - from;
            });
            assertThat(System.nanoTime() - start - away[0]).isGreaterThanOrEqualTo(1_000_000);
            assertThat(away[0]).isGreaterThanOrEqualTo(awayNanos);
        }
    }

    @Test
    void theDescriptionStatesEachKind() {
        try (SpinService service = new SpinService(MIX)) {
            assertThat(service.describe())
                    .isEqualTo("synthetic spin: short 90.00 % x 2.0 us, long 10.00 % x 1000.0 us");
        }
    }

    @Test
    void useAfterCloseIsAnError() {
        SpinService service = new SpinService(MIX);
        service.close();
        assertThatThrownBy(() -> service.execute(1, 0, YieldPoint.NONE)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void everyPresetCanBeServed() {
        assertThat(ServiceMix.presets()).containsKeys("ghost-rocksdb", "extreme-bimodal", "tpcc", "fixed");
        ServiceMix.presets().forEach((name, mix) -> {
            try (SpinService service = new SpinService(mix)) {
                assertThat(service.execute(1, 0, YieldPoint.NONE)).as(name).isEqualTo(Service.OK);
                assertThat(service.mix()).isSameAs(mix);
            }
        });
    }
}
