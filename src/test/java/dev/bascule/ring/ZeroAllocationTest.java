package dev.bascule.ring;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.bascule.memory.PinnedMemory;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Hot paths allocate nothing, counted by the JVM itself. Not in the JVM of the unit tests: there coverage counters and
 * the profiles of other tests keep the compiler from what it does in production.
 */
@Tag("process")
class ZeroAllocationTest {
    private static final int CAPACITY = 64;
    private static final int MEASURED = 20_000;
    private static final long MOST_NANOS = 30_000_000_000L;

    private long sink;

    @Test
    void counterSeesAnAllocation() {
        assertThat(allocatedBytesBy(() -> {
            long[] array = new long[1 + (int) (sink & 1)];
            sink += System.identityHashCode(array);
        }, MOST_NANOS / 100)).isGreaterThan(MEASURED);
    }

    @Test
    void ringPostAndPeekAllocateNothing() {
        PinnedMemory memory = PinnedMemory.allocate(SlotRing.sizeBytes(CAPACITY));
        SlotRingProducer producer = SlotRing.producer(memory, CAPACITY);
        SlotRingConsumer consumer = SlotRing.consumer(memory, CAPACITY);
        assertThat(allocatedBytesBy(() -> {
            if (producer.free(1) == 1) {
                producer.post(sink, 1, 2, 3, 4, 5, 6);
            }
            if (consumer.peek(1) == 1) {
                sink += consumer.word(0, 0) + consumer.word(0, 6);
                consumer.consume(1);
            }
        })).isZero();
    }

    @Test
    void ringBatchesAllocateNothing() {
        PinnedMemory memory = PinnedMemory.allocate(SlotRing.sizeBytes(CAPACITY));
        SlotRingProducer producer = SlotRing.producer(memory, CAPACITY);
        SlotRingConsumer consumer = SlotRing.consumer(memory, CAPACITY);
        assertThat(allocatedBytesBy(() -> {
            int free = producer.free(32);
            for (int i = 0; i < free; i++) {
                producer.write(i, sink, 1, 2, 3, 4, 5, i);
            }
            producer.commit(free);
            int found = consumer.peek(32);
            for (int i = 0; i < found; i++) {
                sink += consumer.word(i, 6);
            }
            consumer.consume(found);
        })).isZero();
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

    /**
     * Fewest bytes that {@value #MEASURED} calls allocated on this thread in one of the rounds of half a minute: none
     * once the code is compiled, which takes its time on a busy machine. A step that allocates does so in every round.
     */
    private static long allocatedBytesBy(Runnable step) {
        return allocatedBytesBy(step, MOST_NANOS);
    }

    private static long allocatedBytesBy(Runnable step, long mostNanos) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long fewest = Long.MAX_VALUE;
        long deadline = System.nanoTime() + mostNanos;
        while (fewest > 0 && System.nanoTime() < deadline) {
            long before = threads.getCurrentThreadAllocatedBytes();
            long between = threads.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < MEASURED; i++) {
                step.run();
            }
            long after = threads.getCurrentThreadAllocatedBytes();
            fewest = Math.min(fewest, after - between - (between - before));
        }
        return fewest;
    }
}
