package dev.bascule.nic;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ProcessorLoopTest {
    private final PacketPool pool = PacketPool.allocate("test", 16, 128);
    private final List<Integer> sent = new ArrayList<>();
    private int arrived;
    private int room = Integer.MAX_VALUE;
    private int reclaims;
    private int commits;
    private final Refusals refused = new Refusals();

    /** Hands out packets of 60, 61, 62 ... bytes whose first byte is their number. */
    private final class Arrivals implements RxQueue {
        @Override
        public int index() {
            return 0;
        }

        @Override
        public int poll(PacketBatch batch) {
            int got = pool.take(batch, arrived);
            for (int i = 0; i < got; i++) {
                batch.setLength(i, 60 + i);
                pool.segment().set(ValueLayout.JAVA_BYTE, batch.offset(i), (byte) i);
            }
            arrived -= got;
            return got;
        }

        @Override
        public boolean await(long timeoutNanos) {
            return arrived > 0;
        }
    }

    private final class Departures implements TxQueue {
        @Override
        public int index() {
            return 0;
        }

        @Override
        public int allocate(PacketBatch batch, int count) {
            return pool.take(batch, count);
        }

        @Override
        public int bufferBytes() {
            return 128;
        }

        @Override
        public int write(PacketBatch batch) {
            int written = 0;
            while (!batch.isEmpty() && (batch.length(0) == 0 || written < room)) {
                if (batch.length(0) != 0) {
                    sent.add(batch.length(0));
                    written++;
                }
                batch.release(1);
            }
            return written;
        }

        @Override
        public Refusals refused() {
            return refused;
        }

        @Override
        public @Nullable Refusal refusal(MemorySegment memory, long offset, int lengthBytes) {
            return null;
        }

        @Override
        public int commit() {
            commits++;
            return sent.size();
        }

        @Override
        public int reclaim() {
            return reclaims++;
        }

        @Override
        public int inFlight() {
            return 0;
        }

        @Override
        public void onSent(@Nullable SentListener listener) {}
    }

    private ProcessorLoop loop(PacketProcessor processor, int burst) {
        return new ProcessorLoop(new Arrivals(), new Departures(), processor, burst);
    }

    @AfterEach
    void everyBufferCameBack() {
        assertThat(pool.buffers().available()).isEqualTo(16);
        pool.close();
    }

    @Test
    void eachPacketGoesThroughTheProcessorAndOut() {
        List<Byte> seen = new ArrayList<>();
        ProcessorLoop loop = loop((memory, offset, length) -> {
            seen.add(memory.get(ValueLayout.JAVA_BYTE, offset));
            return length;
        }, 8);
        arrived = 3;
        assertThat(loop.run()).isEqualTo(3);
        assertThat(seen).containsExactly((byte) 0, (byte) 1, (byte) 2);
        assertThat(sent).containsExactly(60, 61, 62);
        assertThat(commits).isEqualTo(1);
        assertThat(loop.processed()).isEqualTo(3);
    }

    @Test
    void lengthZeroDropsAndAnotherLengthCuts() {
        arrived = 4;
        loop((memory, offset, length) -> length % 2 == 0 ? 0 : 20, 8).run();
        assertThat(sent).containsExactly(20, 20);
    }

    @Test
    void aBurstIsNeverLargerThanAskedFor() {
        arrived = 10;
        ProcessorLoop loop = loop((memory, offset, length) -> length, 4);
        assertThat(loop.run()).isEqualTo(4);
        assertThat(loop.run()).isEqualTo(4);
        assertThat(loop.run()).isEqualTo(2);
        assertThat(loop.processed()).isEqualTo(10);
    }

    @Test
    void whatFindsNoRoomIsDroppedAndCounted() {
        arrived = 5;
        room = 2;
        ProcessorLoop loop = loop((memory, offset, length) -> length, 8);
        loop.run();
        assertThat(sent).hasSize(2);
        assertThat(loop.noRoom()).isEqualTo(3);
    }

    @Test
    void anIdleRoundTakesSentBuffersBack() {
        assertThat(loop((memory, offset, length) -> length, 8).run()).isZero();
        assertThat(reclaims).isEqualTo(1);
        assertThat(commits).isZero();
    }
}
