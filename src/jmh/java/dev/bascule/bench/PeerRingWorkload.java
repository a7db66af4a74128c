package dev.bascule.bench;

import java.util.ArrayList;
import java.util.List;
import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.ringbuffer.OneToOneRingBuffer;
import org.agrona.concurrent.ringbuffer.RingBufferDescriptor;
import org.jctools.queues.SpscArrayQueue;

/** The slot ring beside the two queues that Java programs take today, in one process. */
record PeerRingWorkload(int batch) implements Workload {
    private static final int WORDS = 7;

    @Override
    public String name() {
        return "peer-ring-" + batch;
    }

    /**
     * Both peers need what JDK 25 is about to take away. Otherwise as a program gets them: without
     * {@code -XX:+UseCondCardMark}, which about halves what JCTools' stores of references cost.
     */
    @Override
    public List<String> jvmOptions() {
        return List.of("--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow");
    }

    @Override
    public List<Variant> variants(Twins twins) {
        List<Variant> variants = new ArrayList<>(RingWorkload.java(batch));
        JcToolsSides jctools = new JcToolsSides(batch);
        variants.add(new Variant("jctools", "pause", jctools::receive, jctools::send));
        AgronaSides agrona = new AgronaSides(batch);
        variants.add(new Variant("agrona", "pause", agrona::receive, agrona::send));
        return variants;
    }

    /** JCTools passes references: to message objects made beforehand, twice as many as slots, used in turn. */
    private static final class JcToolsSides {
        private final SpscArrayQueue<long[]> queue = new SpscArrayQueue<>(RingWorkload.CAPACITY);
        private final long[][] pool = new long[2 * RingWorkload.CAPACITY][WORDS];
        private final int batch;
        private long next;
        private long sum;

        JcToolsSides(int batch) {
            this.batch = batch;
        }

        long send(long start, long count) {
            next = start;
            long total = 0;
            for (long left = count; left > 0;) {
                int size = (int) Math.min(batch, left);
                int filled = batch == 1 ? offerOne() : queue.fill(this::fillNext, size);
                if (filled == 0) {
                    Thread.onSpinWait();
                }
                left -= filled;
            }
            for (long n = start; n < start + count; n++) {
                total += 7 * n + 28;
            }
            return total;
        }

        private int offerOne() {
            long n = next;
            if (queue.offer(fillNext())) {
                return 1;
            }
            next = n;
            return 0;
        }

        private long[] fillNext() {
            long n = next++;
            long[] message = pool[(int) n & (2 * RingWorkload.CAPACITY - 1)];
            for (int k = 0; k < WORDS; k++) {
                message[k] = n + 1 + k;
            }
            return message;
        }

        long receive(long start, long count) {
            sum = 0;
            for (long left = count; left > 0;) {
                int size = (int) Math.min(batch, left);
                int drained = batch == 1 ? pollOne() : queue.drain(this::add, size);
                if (drained == 0) {
                    Thread.onSpinWait();
                }
                left -= drained;
            }
            return sum;
        }

        private int pollOne() {
            long[] message = queue.poll();
            if (message == null) {
                return 0;
            }
            add(message);
            return 1;
        }

        private void add(long[] m) {
            sum += m[0] + m[1] + m[2] + m[3] + m[4] + m[5] + m[6];
        }
    }

    /** Agrona claims and commits record by record; the batch is the reader's. */
    private static final class AgronaSides {
        private static final int MESSAGE_TYPE = 1;
        private static final int BYTES = RingWorkload.CAPACITY * 64 + RingBufferDescriptor.TRAILER_LENGTH;

        private final OneToOneRingBuffer ring = new OneToOneRingBuffer(
                new UnsafeBuffer(BufferUtil.allocateDirectAligned(BYTES, 64)));
        private final int batch;
        private long sum;

        AgronaSides(int batch) {
            this.batch = batch;
        }

        long send(long start, long count) {
            long total = 0;
            for (long n = start; n < start + count; n++) {
                int index = ring.tryClaim(MESSAGE_TYPE, WORDS * Long.BYTES);
                while (index < 0) {
                    Thread.onSpinWait();
                    index = ring.tryClaim(MESSAGE_TYPE, WORDS * Long.BYTES);
                }
                for (int k = 0; k < WORDS; k++) {
                    ring.buffer().putLong(index + k * Long.BYTES, n + 1 + k);
                }
                ring.commit(index);
                total += 7 * n + 28;
            }
            return total;
        }

        long receive(long start, long count) {
            sum = 0;
            for (long left = count; left > 0;) {
                int read = ring.read((type, buffer, index, length) -> {
                    for (int k = 0; k < WORDS; k++) {
                        sum += buffer.getLong(index + k * Long.BYTES);
                    }
                }, (int) Math.min(batch, left));
                if (read == 0) {
                    Thread.onSpinWait();
                }
                left -= read;
            }
            return sum;
        }
    }
}
