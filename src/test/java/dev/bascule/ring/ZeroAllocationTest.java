package dev.bascule.ring;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;

/** Hot paths allocate nothing, counted by the JVM itself. */
class ZeroAllocationTest {
    private static final int CAPACITY = 64;
    private static final int WARM_UP = 20_000;
    private static final int MEASURED = 100_000;

    private long sink;

    @Test
    void counterSeesAnAllocation() {
        assertThat(allocatedBytesBy(() -> {
            long[] array = new long[1 + (int) (sink & 1)];
            sink += System.identityHashCode(array);
        })).isGreaterThan(MEASURED);
    }

    @Test
    void ringPostAndPeekAllocateNothing() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(SlotRing.sizeBytes(CAPACITY), 64);
            SlotRingProducer producer = SlotRing.producer(memory, CAPACITY);
            SlotRingConsumer consumer = SlotRing.consumer(memory, CAPACITY);
            assertThat(allocatedBytesBy(() -> {
                producer.write(sink, 1, 2, 3, 4, 5, 6);
                producer.commit();
                if (consumer.peek(1) == 1) {
                    sink += consumer.word(0, 0) + consumer.word(0, 6);
                    consumer.consume(1);
                }
            })).isZero();
        }
    }

    @Test
    void ringBatchesAllocateNothing() {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(SlotRing.sizeBytes(CAPACITY), 64);
            SlotRingProducer producer = SlotRing.producer(memory, CAPACITY);
            SlotRingConsumer consumer = SlotRing.consumer(memory, CAPACITY);
            long[] words = new long[32 * SlotRing.PAYLOAD_WORDS];
            assertThat(allocatedBytesBy(() -> {
                producer.write(words, 0, 32);
                producer.commit();
                sink += consumer.read(words, 0, 32) + consumer.read(words, 0, 32);
            })).isZero();
        }
    }

    @Test
    void waitingAndClocksAllocateNothing() {
        IdleStrategy idle = IdleStrategy.spin(1);
        IdleStrategy parking = IdleStrategy.spinThenPark(1, 1);
        Clock system = Clock.system();
        VirtualClock virtual = new VirtualClock();
        assertThat(allocatedBytesBy(() -> {
            idle.idle(0);
            parking.idle(0);
            parking.idle(1);
            virtual.advance(1);
            sink += system.nanoTime() + virtual.nanoTime();
        })).isZero();
    }

    /** Bytes that {@value #MEASURED} further calls allocate on this thread. */
    private static long allocatedBytesBy(Runnable step) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        repeat(step, WARM_UP);
        long before = threads.getCurrentThreadAllocatedBytes();
        long between = threads.getCurrentThreadAllocatedBytes();
        repeat(step, MEASURED);
        long after = threads.getCurrentThreadAllocatedBytes();
        return after - between - (between - before);
    }

    private static void repeat(Runnable step, int times) {
        for (int i = 0; i < times; i++) {
            step.run();
        }
    }
}
