package dev.bascule.model.smartnic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.device.Interrupt;
import dev.bascule.device.InterruptKind;
import dev.bascule.loopback.FaultPlan;
import dev.bascule.loopback.FaultRule;
import dev.bascule.loopback.LinkProfile;
import java.lang.management.ManagementFactory;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class SignalTest {
    private static final SmartNicConfig SMALL = SmartNicConfig.DEFAULT.withSizes(4096, 4096);
    private static final long SECOND = 1_000_000_000L;

    @Test
    void raisesAreCountedOnce() {
        try (SmartNicRegion region = SmartNicRegion.inProcess(SMALL)) {
            Interrupt interrupt = region.host().interrupt(5);
            SignalSender sender = region.nic().interrupt(5);
            assertThat(interrupt.poll()).isZero();
            sender.ring(1);
            sender.ring(2);
            assertThat(interrupt.poll()).isEqualTo(2);
            assertThat(interrupt.poll()).isZero();
            assertThat(interrupt.kind()).isEqualTo(InterruptKind.MSIX);
            assertThat(interrupt.vector()).isEqualTo(5);
            assertThat(sender.sentCount()).isEqualTo(2);
        }
    }

    @Test
    void maskedRaiseIsPendingUntilUnmasked() {
        try (SmartNicRegion region = SmartNicRegion.inProcess(SMALL)) {
            Interrupt interrupt = region.host().interrupt(0);
            interrupt.mask();
            region.nic().interrupt(0).ring(1);
            assertThat(interrupt.pending()).isTrue();
            assertThat(interrupt.poll()).isZero();
            assertThat(interrupt.await(1000)).isZero();
            interrupt.unmask();
            assertThat(interrupt.pending()).isFalse();
            assertThat(interrupt.await(SECOND)).isEqualTo(1);
        }
    }

    @Test
    void deliveryTakesItsTime() {
        long delay = 30_000_000;
        try (SmartNicRegion region = SmartNicRegion.inProcess(
                SMALL.withProfile(LinkProfile.ZERO.withMsix(delay)))) {
            Interrupt interrupt = region.host().interrupt(0);
            long start = System.nanoTime();
            region.nic().interrupt(0).ring(1);
            assertThat(interrupt.await(10 * SECOND)).isEqualTo(1);
            assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(delay);
        }
    }

    @Test
    void awaitGivesUpAfterItsTimeout() {
        try (SmartNicRegion region = SmartNicRegion.inProcess(SMALL)) {
            Interrupt interrupt = region.host().interrupt(0);
            long start = System.nanoTime();
            assertThat(interrupt.await(5_000_000)).isZero();
            assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(5_000_000);
        }
    }

    @Test
    @Timeout(60)
    void sleepingReceiverIsWokenEveryTime() throws InterruptedException {
        try (SmartNicRegion region = SmartNicRegion.inProcess(SMALL)) {
            int rounds = 5_000;
            AtomicLong received = new AtomicLong();
            Interrupt interrupt = region.host().interrupt(0);
            Thread receiver = Thread.ofPlatform().start(() -> {
                for (int i = 0; i < rounds; i++) {
                    if (interrupt.await(30 * SECOND) != 1) {
                        return; // a lost wake-up leaves the count short
                    }
                    received.incrementAndGet();
                }
            });
            SignalSender sender = region.nic().interrupt(0);
            for (int i = 0; i < rounds; i++) {
                sender.ring(i);
                while (received.get() != i + 1 && receiver.isAlive()) {
                    Thread.onSpinWait();
                }
            }
            receiver.join();
            assertThat(received).hasValue(rounds);
        }
    }

    @Test
    void lostLateAndDuplicateInterruptsFollowThePlan() {
        FaultPlan plan = FaultPlan.of(1, FaultRule.parse("drop:interrupt:message=0"),
                FaultRule.parse("duplicate:interrupt:message=1"),
                FaultRule.parse("delay:interrupt:message=2:amount=20000000"),
                FaultRule.parse("remove:interrupt:message=3"));
        try (SmartNicRegion region = SmartNicRegion.inProcess(SMALL.withPlan(plan))) {
            Interrupt interrupt = region.host().interrupt(0);
            SignalSender sender = region.nic().interrupt(0);
            sender.ring(0);
            assertThat(interrupt.poll()).as("lost").isZero();
            sender.ring(1);
            assertThat(interrupt.poll()).as("twice").isEqualTo(2);
            long start = System.nanoTime();
            sender.ring(2);
            assertThat(interrupt.await(SECOND)).as("late").isEqualTo(1);
            assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(20_000_000);
            sender.ring(3);
            sender.ring(4);
            assertThat(interrupt.await(1_000_000)).as("removed").isZero();
        }
    }

    @Test
    void closedVectorDeliversNothing() {
        try (SmartNicRegion region = SmartNicRegion.inProcess(SMALL)) {
            Interrupt interrupt = region.host().interrupt(0);
            interrupt.close();
            interrupt.close();
            region.nic().interrupt(0).ring(1);
            assertThat(interrupt.poll()).isZero();
            Interrupt again = region.host().interrupt(0);
            assertThat(again.poll()).as("reopened, the old raise is forgotten").isZero();
            assertThatThrownBy(() -> region.host().interrupt(64)).hasMessageContaining("there are 0 to 63");
        }
    }

    @Test
    void ringAndPollAllocateNothing() {
        try (SmartNicRegion region = SmartNicRegion.inProcess(SMALL)) {
            Interrupt interrupt = region.host().interrupt(0);
            SignalSender sender = region.nic().interrupt(0);
            var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
            long least = Long.MAX_VALUE;
            for (int pass = 0; pass < 4 && least != 0; pass++) {
                long before = threads.getCurrentThreadAllocatedBytes();
                for (int i = 0; i < 100_000; i++) {
                    sender.ring(i);
                    interrupt.poll();
                }
                least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
            }
            assertThat(least).isZero();
        }
    }
}
