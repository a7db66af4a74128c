package dev.bascule.loopback;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.memory.Window;
import java.lang.foreign.Arena;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class FaultyWindowTest {
    private final Arena arena = Arena.ofShared();
    private final LinkedMemory memory = LinkedMemory.allocate(arena, 4096, LinkProfile.ZERO);
    private final Window device = memory.owner();

    @AfterEach
    void close() {
        arena.close();
    }

    @Test
    void withoutAHitEverythingPasses() {
        Window host = faulty("drop:host-to-nic:message=99");
        send(host, 0, 1);
        send(host, 1, 2);
        assertThat(words(0, 1)).isEqualTo(8);
        assertThat(words(1, 2)).isEqualTo(8);
    }

    @Test
    void droppedMessageNeverArrives() {
        Window host = faulty("drop:host-to-nic:message=1");
        send(host, 0, 1);
        send(host, 1, 1);
        send(host, 2, 1);
        assertThat(words(0, 1)).isEqualTo(8);
        assertThat(words(1, 1)).isZero();
        assertThat(words(2, 1)).isEqualTo(8);
    }

    @Test
    void tornMessageArrivesInPartOnly() {
        for (int seed = 0; seed < 50; seed++) {
            memory.segment().fill((byte) 0);
            Window host = new FaultyWindow(memory.owner(), FaultPlan.of(seed, FaultRule.parse("tear:host-to-nic"))
                    .injector(FaultSite.HOST_TO_NIC, 0));
            send(host, 0, 1);
            assertThat(words(0, 1)).as("seed %d", seed).isLessThan(8);
        }
    }

    @Test
    void corruptMessageDiffersInOneBit() {
        Window host = faulty("corrupt:host-to-nic:message=0");
        send(host, 0, 0);
        int bits = 0;
        for (int word = 0; word < 8; word++) {
            bits += Long.bitCount(device.loadAcquire(word * 8L));
        }
        assertThat(bits).isEqualTo(1);
    }

    @Test
    void reorderedMessageComesAfterTheNext() {
        Window host = faulty("reorder:host-to-nic:message=0:times=1");
        for (int word = 0; word < 8; word++) {
            host.storeRelease(word * 8L, 1);
        }
        host.storeRelease(64, 2);
        host.storeRelease(0, 9); // decides about line 1, after which line 0 of message 0 comes out
        assertThat(words(0, 1)).isEqualTo(8);
        host.writeFence();
        assertThat(device.loadAcquire(0)).isEqualTo(9);
        assertThat(device.loadAcquire(64)).isEqualTo(2);
    }

    @Test
    void duplicateOverwritesWhatCameBetween() {
        Window host = faulty("duplicate:host-to-nic:message=0:times=1:amount=2");
        send(host, 0, 1);
        send(host, 0, 2);
        assertThat(words(0, 2) + words(0, 1)).isEqualTo(8);
        send(host, 1, 3);
        assertThat(words(0, 1)).as("the old message once more").isEqualTo(8);
    }

    @Test
    void delayedMessageArrivesInTheEnd() {
        long delay = 100_000_000;
        Window host = faulty("delay:host-to-nic:message=0:times=1:amount=" + delay);
        long start = System.nanoTime();
        send(host, 0, 1);
        int early = words(0, 1);
        if (System.nanoTime() - start < delay) {
            assertThat(early).isZero();
        }
        while (words(0, 1) < 8) {
            host.loadAcquire(512);
        }
        assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(delay);
    }

    @Test
    void removedDeviceReadsAllOnesAndADeadOneStandsStill() {
        send(device, 0, 5);
        Window removed = faulty("remove:host-to-nic:message=1");
        send(removed, 1, 1);
        send(removed, 2, 1);
        send(removed, 3, 1);
        assertThat(removed.loadAcquire(0)).isEqualTo(-1);
        assertThat(words(1, 1)).isEqualTo(8);
        assertThat(words(2, 1) + words(3, 1)).isZero();
        Window dead = faulty("dead:host-to-nic:message=0");
        send(dead, 4, 1);
        assertThat(dead.loadAcquire(0)).isEqualTo(5);
        assertThat(words(4, 1)).isZero();
    }

    @Test
    void ownStoreIsSeenByAnOwnLoad() {
        Window host = faulty("drop:host-to-nic:message=99");
        host.storeRelease(8, 3);
        assertThat(host.loadAcquire(8)).isEqualTo(3);
    }

    @Test
    void sameSeedLeavesTheSameMemory() {
        assertThat(memoryAfter(3)).isEqualTo(memoryAfter(3));
        assertThat(memoryAfter(3)).isNotEqualTo(memoryAfter(4));
    }

    @Test
    void faultsAllocateNothing() {
        Window host = faulty("duplicate:host-to-nic:probability=0.2", "corrupt:host-to-nic:probability=0.2",
                "drop:host-to-nic:probability=0.2");
        var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        long least = Long.MAX_VALUE;
        for (int pass = 0; pass < 4 && least != 0; pass++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < 20_000; i++) {
                send(host, i & 63, i);
            }
            least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
        }
        assertThat(least).isZero();
    }

    private long[] memoryAfter(long seed) {
        memory.segment().fill((byte) 0);
        FaultPlan plan = FaultPlan.of(seed, FaultRule.parse("tear:host-to-nic:probability=0.3"),
                FaultRule.parse("corrupt:host-to-nic:probability=0.3"),
                FaultRule.parse("drop:host-to-nic:probability=0.3"));
        Window host = new FaultyWindow(memory.owner(), plan.injector(FaultSite.HOST_TO_NIC, 0));
        for (int line = 0; line < 64; line++) {
            send(host, line, line);
        }
        return memory.segment().toArray(java.lang.foreign.ValueLayout.JAVA_LONG);
    }

    private Window faulty(String... rules) {
        FaultRule[] parsed = java.util.Arrays.stream(rules).map(FaultRule::parse).toArray(FaultRule[]::new);
        return new FaultyWindow(memory.owner(), FaultPlan.of(7, parsed).injector(FaultSite.HOST_TO_NIC, 0));
    }

    private static void send(Window window, int line, long value) {
        for (int word = 0; word < 8; word++) {
            window.storeRelease(line * 64L + word * 8L, value);
        }
        window.writeFence();
    }

    private int words(int line, long value) {
        int count = 0;
        for (int word = 0; word < 8; word++) {
            count += device.loadAcquire(line * 64L + word * 8L) == value ? 1 : 0;
        }
        return count;
    }
}
