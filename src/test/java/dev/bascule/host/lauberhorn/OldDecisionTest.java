package dev.bascule.host.lauberhorn;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.model.lauberhorn.LauberhornConfig;
import dev.bascule.model.lauberhorn.NicCounters.OfCore;
import dev.bascule.ring.IdleStrategy;
import dev.bascule.rpc.OncRpc;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** A kernel that is slow to act on what the NIC decided: the thread that it was about is not what it was any more. */
class OldDecisionTest {
    private static final long MINUTE = 60_000_000_000L;
    private static final JavaService SUMS = JavaService.of(Rig.Sums.class, new Rig.SumsObject());
    private static final LauberhornConfig ONE = LauberhornConfig.DEFAULT.withMachine(1, 1, 1)
            .withTimes(new LauberhornConfig.Times(MINUTE, MINUTE, MINUTE));

    @Test
    void aDecisionForAProcessThatDiedIsNotCarriedOutForTheNextOfItsNumber() {
        whenTheKernelIsSlow(rig -> {
            rig.host.processes().getFirst().kill();
            assertThat(rig.host.startProcess("second", SUMS).number()).isEqualTo(1);
        });
    }

    @Test
    void aDecisionFromBeforeTheNicWasRestartedIsNotCarriedOut() {
        whenTheKernelIsSlow(rig -> rig.host.restartNic());
    }

    private static void whenTheKernelIsSlow(Consumer<Rig> meanwhile) {
        CountDownLatch mayAct = new CountDownLatch(1);
        try (Rig rig = new Rig(ONE, LauberhornOptions.DEFAULT.withIdle(() -> slowKernel(mayAct)))) {
            try {
                rig.host.startProcess("first", SUMS);
                int lost = rig.nextXid();
                rig.client.call(lost, Rig.PROGRAM, 1, 1, SUMS.signature(1), new long[] { 1, 2 }, 16);
                rig.until(() -> rig.host.counters().get(0, OfCore.DISPATCHED) == 1, "the NIC's decision");
                meanwhile.accept(rig);
                assertThat(rig.await(lost)).isEqualTo(OncRpc.SYSTEM_ERR);
            } finally {
                mayAct.countDown();
            }
            assertThat(rig.call(1, SUMS.signature(1), 40, 2)).isZero();
            long decided = rig.host.counters().get(0, OfCore.DISPATCHED);
            assertThat(rig.host.switches()).as("carried out, of %d decisions", decided).isEqualTo(decided - 1);
        }
    }

    /** The kernel stops between what it read and what it does. */
    private static IdleStrategy slowKernel(CountDownLatch mayAct) {
        return work -> {
            if (work == 0 || !Thread.currentThread().getName().equals("core-0")) {
                Thread.yield();
                return;
            }
            try {
                assertThat(mayAct.await(1, TimeUnit.MINUTES)).isTrue();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        };
    }
}
