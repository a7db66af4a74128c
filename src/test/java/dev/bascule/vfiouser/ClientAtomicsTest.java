package dev.bascule.vfiouser;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.ffi.Fd;
import dev.bascule.ffi.Libc;
import dev.bascule.ffi.Linux;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import org.junit.jupiter.api.Test;

/** A device's AtomicOps on the memory of its client. */
class ClientAtomicsTest {
    private static final long BASE = 1L << 32;
    private static final long BYTES = 4096;
    private static final int ROUNDS = 20_000;
    private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();

    private boolean sends = true;
    private final ClientMemory memory = new ClientMemory(() -> true, () -> sends, () -> {});

    @Test
    void whatIsNotThereIsLeftAndToldAndWhatIsIsReplaced() throws Exception {
        try (Fd file = Libc.memfd("atomics", 0)) {
            file.truncate(BYTES);
            memory.map(BASE, BYTES, 3, file, 0);
            long[] swap = { 0, 7 };
            assertThat(memory.compareAndSwap(BASE + 64, swap)).isTrue();
            assertThat(swap[0]).isZero();
            swap = new long[] { 0, 9 };
            assertThat(memory.compareAndSwap(BASE + 64, swap)).as("carried out, and nothing replaced").isTrue();
            assertThat(swap[0]).isEqualTo(7);
            assertThat(memory.faultCount()).isZero();
        }
    }

    @Test
    void eachThatMayNotBeIsAFaultWithItsReason() throws Exception {
        try (Fd file = Libc.memfd("atomics", 0)) {
            file.truncate(BYTES);
            memory.map(BASE, BYTES, Protocol.DMA_READABLE, file, 0);
            memory.map(2 * BASE, BYTES, 3, null, 0);
            assertRefused(BASE, "does not allow it");
            assertRefused(2 * BASE, "messages have no AtomicOps");
            assertRefused(3 * BASE, "not mapped");
            assertRefused(BASE + 4, "no multiple of 8");
            sends = false;
            assertRefused(BASE, "requester enable is off");
        }
    }

    private void assertRefused(long iova, String why) {
        assertThat(memory.compareAndSwap(iova, new long[] { 0, 1 })).isFalse();
        assertThat(memory.recentFaults().getLast().toString()).contains(why);
    }

    /** Both count up one word, each by its own mapping: no step is lost. */
    @Test
    void theyAreAtomicAgainstTheClientsOwnInstructions() throws Exception {
        try (Fd file = Libc.memfd("atomics", 0); Arena arena = Arena.ofShared()) {
            file.truncate(BYTES);
            memory.map(BASE, BYTES, 3, file, 0);
            MemorySegment own = Libc.map(arena, BYTES, Linux.PROT_READ | Linux.PROT_WRITE, Linux.MAP_SHARED, file, 0,
                    "atomics");
            Thread client = Thread.ofPlatform().start(() -> {
                for (int i = 0; i < ROUNDS; i++) {
                    WORD.getAndAdd(own, 8L, 1L);
                }
            });
            long[] swap = new long[2];
            for (int i = 0; i < ROUNDS; i++) {
                long expected;
                do {
                    expected = swap[0];
                    swap[1] = expected + 1;
                    assertThat(memory.compareAndSwap(BASE + 8, swap)).isTrue();
                } while (swap[0] != expected);
                swap[0] = expected + 1;
            }
            client.join();
            assertThat((long) WORD.getVolatile(own, 8L)).isEqualTo(2L * ROUNDS);
        }
    }
}
