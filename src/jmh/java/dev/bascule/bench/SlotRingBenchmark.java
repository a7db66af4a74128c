package dev.bascule.bench;

import dev.bascule.memory.PinnedMemory;
import dev.bascule.ring.SlotRing;
import dev.bascule.ring.SlotRingConsumer;
import dev.bascule.ring.SlotRingProducer;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** Message post and peek on one thread; run with the gc profiler for bytes per operation. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(value = 1, jvmArgsAppend = { "--enable-native-access=ALL-UNNAMED", "-XX:+UseSerialGC" })
@Warmup(iterations = 3, time = 300, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 3, time = 1)
public class SlotRingBenchmark {
    private static final int CAPACITY = 256;
    private static final int BATCH = 32;

    private final PinnedMemory memory = PinnedMemory.allocate(SlotRing.sizeBytes(CAPACITY));
    private final SlotRingProducer producer = SlotRing.producer(memory, CAPACITY);
    private final SlotRingConsumer consumer = SlotRing.consumer(memory, CAPACITY);

    /** One message there. */
    @Benchmark
    public long postAndPeek() {
        producer.free(1);
        producer.post(1, 2, 3, 4, 5, 6, 7);
        long sum = consumer.peek(1);
        sum += consumer.word(0, 0) + consumer.word(0, 6);
        consumer.consume(1);
        return sum;
    }

    /** A batch of 32 there. */
    @Benchmark
    public long batchOf32() {
        int count = producer.free(BATCH);
        for (int i = 0; i < count; i++) {
            producer.write(i, i, 2, 3, 4, 5, 6, 7);
        }
        producer.commit(count);
        long sum = 0;
        int found = consumer.peek(BATCH);
        for (int i = 0; i < found; i++) {
            sum += consumer.word(i, 0) + consumer.word(i, 6);
        }
        consumer.consume(found);
        return sum;
    }
}
