package dev.bascule.nic.ivshmem;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.device.DeviceBacking;
import dev.bascule.device.Interrupt;
import dev.bascule.memory.MemoryType;
import dev.bascule.memory.Window;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the driver of ivshmem must do between two peers, whatever is behind them. */
abstract class IvshmemContract {
    private static final long TIMEOUT_NANOS = 20_000_000_000L;

    private List<DeviceBacking> backings = List.of();
    private IvshmemDriver here;
    private IvshmemDriver there;

    /** Two peers of one server. */
    protected abstract List<DeviceBacking> openPeers();

    @BeforeEach
    void open() {
        backings = openPeers();
        here = IvshmemDriver.open(backings.get(0));
        there = IvshmemDriver.open(backings.get(1));
    }

    @AfterEach
    void close() {
        backings.forEach(DeviceBacking::close);
    }

    @Test
    void peersHaveDifferentNumbersAndTheSameMemory() {
        assertThat(here.position()).isNotNegative().isNotEqualTo(there.position());
        assertThat(here.sizeBytes()).isEqualTo(there.sizeBytes());
        Window mine = here.window(MemoryType.UC);
        Window theirs = there.window(MemoryType.UC);
        for (long offset = 0; offset < here.sizeBytes(); offset += here.sizeBytes() / 16) {
            mine.storeRelease(offset, offset ^ 0x5555_aaaaL);
            mine.writeFence();
            assertThat(theirs.loadAcquire(offset)).isEqualTo(offset ^ 0x5555_aaaaL);
        }
    }

    @Test
    void everyVectorOfTheOtherPeerRings() {
        for (int vector = 0; vector < there.vectors(); vector++) {
            try (Interrupt interrupt = there.interrupt(vector, null)) {
                assertThat(interrupt.poll()).isZero();
                here.doorbell(there.position(), vector).ring(0);
                assertThat(interrupt.await(TIMEOUT_NANOS)).as("vector " + vector).isPositive();
                assertThat(interrupt.poll()).isZero();
            }
        }
    }

    @Test
    void vectorsDoNotMix() {
        try (Interrupt first = there.interrupt(0, null); Interrupt second = there.interrupt(1, null)) {
            here.doorbell(there.position(), 1).ring(0);
            assertThat(second.await(TIMEOUT_NANOS)).isPositive();
            assertThat(first.poll()).isZero();
        }
    }

    @Test
    void handlersRunForEachDelivery() throws InterruptedException {
        CountDownLatch rung = new CountDownLatch(3);
        try (Interrupt interrupt = there.interrupt(2, rung::countDown)) {
            for (int i = 3; i > 0; i--) {
                here.doorbell(there.position(), 2).ring(0);
                awaitCount(rung, i - 1);
            }
            assertThat(interrupt.kind().name()).isEqualTo("MSIX");
        }
    }

    private static void awaitCount(CountDownLatch latch, long count) throws InterruptedException {
        long deadline = System.nanoTime() + TIMEOUT_NANOS;
        while (latch.getCount() > count && System.nanoTime() < deadline) {
            Thread.sleep(1);
        }
        assertThat(latch.getCount()).isEqualTo(count);
    }

    @Test
    void aMaskedVectorKeepsItsDeliveryUntilUnmasked() {
        try (Interrupt interrupt = there.interrupt(3, null); Interrupt witness = there.interrupt(4, null)) {
            interrupt.mask();
            here.doorbell(there.position(), 3).ring(0);
            here.doorbell(there.position(), 4).ring(0);
            assertThat(witness.await(TIMEOUT_NANOS)).isPositive(); // sent later, so the first is there
            assertThat(interrupt.poll()).isZero();
            interrupt.unmask();
            assertThat(interrupt.await(TIMEOUT_NANOS)).isPositive();
        }
    }

    @Test
    void oneHundredRoundTripsLoseNoWakeUp() throws InterruptedException {
        int rounds = 100;
        try (Interrupt ping = there.interrupt(5, null); Interrupt pong = here.interrupt(5, null)) {
            Thread echo = Thread.ofPlatform().start(() -> {
                for (int i = 0; i < rounds; i++) {
                    if (ping.await(TIMEOUT_NANOS) == 0) {
                        return;
                    }
                    there.doorbell(here.position(), 5).ring(0);
                }
            });
            for (int i = 0; i < rounds; i++) {
                here.doorbell(there.position(), 5).ring(0);
                assertThat(pong.await(TIMEOUT_NANOS)).as("round " + i).isPositive();
            }
            echo.join(TimeUnit.SECONDS.toMillis(20));
            assertThat(echo.isAlive()).isFalse();
        }
    }

    @Test
    void wrongNumbersAreRefused() {
        assertThatThrownBy(() -> here.doorbell(-1, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> here.doorbell(0, here.vectors())).hasMessageContaining("vectors 0 to");
        here.doorbell(999, 0).ring(0); // nobody: nothing happens
        assertThatThrownBy(() -> here.interrupt(here.vectors(), null)).isInstanceOf(RuntimeException.class);
    }
}
