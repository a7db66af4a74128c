package dev.bascule.nic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** What a loop over a pipe hands to its processor, sends and drops: packets of one quantum and larger ones. */
class PipeLoopTest {
    private static final int IPV4 = 0x0800;
    private static final int ARP = 0x0806;
    private static final int NO_PACKET = 0x9999;

    private final Recorder pipe = new Recorder();
    private final List<Long> seen = new ArrayList<>();

    /** Says what was done with its bytes: sent as one request, or given back. */
    private static final class Recorder implements RxTxPipe {
        private final MemorySegment memory = Arena.ofAuto().allocate(1 << 20, 64);
        private final List<String> did = new ArrayList<>();
        private long arrived;
        private long confirmed;
        private long released;

        void arrive(int type, int lengthBytes) {
            put(arrived + 12, type);
            put(arrived + 16, lengthBytes - PacketFormat.ETHERNET_BYTES);
            arrived += type == IPV4 ? PacketFormat.padded(lengthBytes) : QUANTUM_BYTES;
        }

        private void put(long at, int value) {
            memory.set(ValueLayout.JAVA_SHORT_UNALIGNED, at, Short.reverseBytes((short) value));
        }

        @Override
        public int id() {
            return 0;
        }

        @Override
        public MemorySegment memory() {
            return memory;
        }

        @Override
        public long capacityBytes() {
            return memory.byteSize() - QUANTUM_BYTES;
        }

        @Override
        public long peek() {
            return arrived - confirmed;
        }

        @Override
        public long offset() {
            return confirmed;
        }

        @Override
        public void confirm(long lengthBytes) {
            confirmed += lengthBytes;
            assertThat(confirmed).isLessThanOrEqualTo(arrived);
        }

        @Override
        public void free(long lengthBytes) {
            did.add("drop " + released + "+" + lengthBytes);
            released += lengthBytes;
        }

        @Override
        public long sendAndFree(long lengthBytes) {
            did.add("send " + released + "+" + lengthBytes);
            released += lengthBytes;
            return lengthBytes;
        }

        @Override
        public long heldBytes() {
            return confirmed - released;
        }

        @Override
        public long pendingBytes() {
            return 0;
        }

        @Override
        public void prefetch() {}
    }

    private PipeLoop loop(long burstBytes, PacketProcessor processor) {
        return new PipeLoop(pipe, (memory, offset, length) -> {
            seen.add(offset << 16 | length);
            return processor.process(memory, offset, length);
        }, burstBytes);
    }

    @Test
    void neighboursOfAllSizesLeaveAsOneRequest() {
        int[] sizes = { 60, 64, 65, 60, 1500, 128, 14, 64 };
        for (int size : sizes) {
            pipe.arrive(IPV4, size);
        }
        pipe.arrive(ARP, 42);
        PipeLoop loop = loop(Long.MAX_VALUE, (memory, offset, length) -> length);
        assertThat(loop.run()).isEqualTo(9);
        assertThat(seen.stream().map(s -> s & 0xFFFF)).containsExactly(60L, 64L, 65L, 60L, 1500L, 128L, 14L, 64L, 42L);
        assertThat(pipe.did).containsExactly("send 0+" + pipe.arrived);
        assertThat(loop.run()).isZero();
        assertThat(loop.processed()).isEqualTo(9);
    }

    @Test
    void aDroppedOrShortenedPacketEndsARequest() {
        for (int size : new int[] { 64, 64, 64, 200, 64 }) {
            pipe.arrive(IPV4, size);
        }
        PipeLoop loop = loop(Long.MAX_VALUE,
                (memory, offset, length) -> offset == 64 ? 0 : length == 200 ? 100 : length);
        assertThat(loop.run()).isEqualTo(5);
        assertThat(pipe.did).containsExactly("send 0+64", "drop 64+64", "send 128+192", "drop 320+128", "send 448+64");
        assertThat(loop.dropped()).isEqualTo(1);
    }

    /** Giving back costs a store to the device, so one does for all. */
    @Test
    void neighboursThatAreDroppedAreGivenBackTogether() {
        for (int i = 0; i < 100; i++) {
            pipe.arrive(IPV4, i % 3 == 0 ? 200 : 64);
        }
        long listened = pipe.arrived;
        PipeLoop listening = loop(Long.MAX_VALUE, (memory, offset, length) -> 0);
        assertThat(listening.run()).isEqualTo(100);
        assertThat(pipe.did).containsExactly("drop 0+" + listened);
        assertThat(listening.dropped()).isEqualTo(100);
        pipe.did.clear();
        for (int i = 0; i < 6; i++) {
            pipe.arrive(IPV4, 64);
        }
        loop(Long.MAX_VALUE,
                (memory, offset, length) -> offset < listened + 128 || offset > listened + 192 ? 0 : length)
                .run();
        assertThat(pipe.did).containsExactly("drop " + listened + "+128", "send " + (listened + 128) + "+128",
                "drop " + (listened + 256) + "+128");
        assertThat(pipe.heldBytes()).isZero();
    }

    @Test
    void aBurstEndsWithAWholePacket() {
        for (int i = 0; i < 10; i++) {
            pipe.arrive(IPV4, i % 2 == 0 ? 64 : 130);
        }
        PipeLoop loop = loop(65, (memory, offset, length) -> length);
        assertThat(loop.run()).isEqualTo(2);
        assertThat(pipe.did).containsExactly("send 0+256");
        PipeLoop one = loop(1, (memory, offset, length) -> length);
        assertThat(one.run()).isEqualTo(1);
        assertThat(one.run()).isEqualTo(1);
    }

    @Test
    void bytesThatAreNoPacketAreGivenBackBehindWhatIsSent() {
        pipe.arrive(IPV4, 64);
        pipe.arrive(NO_PACKET, 64);
        pipe.arrive(IPV4, 64);
        PipeLoop loop = loop(Long.MAX_VALUE, (memory, offset, length) -> length);
        assertThat(loop.run()).isEqualTo(1);
        assertThat(pipe.did).containsExactly("send 0+64", "drop 64+128");
        assertThat(loop.malformed()).isEqualTo(1);
        pipe.arrive(IPV4, 64);
        pipe.arrive(IPV4, 64);
        pipe.put(pipe.arrived - 64 + 16, 9000); // longer than what is there
        assertThat(loop.run()).isEqualTo(1);
        assertThat(loop.malformed()).isEqualTo(2);
        assertThat(pipe.heldBytes()).isZero();
    }

    @Test
    void aPacketMadeLongerThanItsRoomIsAnErrorOfTheProcessor() {
        pipe.arrive(IPV4, 64);
        pipe.arrive(IPV4, 64);
        assertThatThrownBy(() -> loop(Long.MAX_VALUE, (memory, offset, length) -> 65).run())
                .isInstanceOf(IllegalStateException.class).hasMessageContaining("longer than the room");
    }

    @Test
    void everyTrafficIsTakenOnceAndInOrder() {
        long seed = System.nanoTime();
        SplittableRandom random = new SplittableRandom(seed);
        PipeLoop loop = loop(1 + random.nextInt(2000), (memory, offset, length) -> random.nextInt(5) == 0 ? 0 : length);
        List<Long> sent = new ArrayList<>();
        for (int i = 0; i < 1500; i++) {
            int size = random.nextBoolean() ? 60 + random.nextInt(5) : 60 + random.nextInt(600);
            sent.add(pipe.arrived << 16 | size);
            pipe.arrive(IPV4, size);
            if (random.nextInt(20) == 0) {
                loop.run();
            }
        }
        while (loop.run() > 0) {
            assertThat(pipe.heldBytes()).as("seed %d", seed).isZero();
        }
        assertThat(seen).as("seed %d", seed).isEqualTo(sent);
        assertThat(pipe.released).as("seed %d", seed).isEqualTo(pipe.arrived);
        assertThat(loop.dropped()).as("seed %d", seed).isBetween(100L, 600L);
        assertThat(loop.malformed()).as("seed %d", seed).isZero();
    }
}
