package dev.bascule.nic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PacketBatchTest {
    private final List<Long> released = new ArrayList<>();
    private final PacketMemory memory = memory(released);
    private final PacketBatch batch = new PacketBatch(4);

    private static PacketMemory memory(List<Long> released) {
        return new PacketMemory() {
            private final MemorySegment segment = MemorySegment.ofArray(new byte[4096]);

            @Override
            public MemorySegment segment() {
                return segment;
            }

            @Override
            public void release(PacketBatch batch, int from, int to) {
                for (int i = from; i < to; i++) {
                    released.add(batch.token(i));
                }
            }
        };
    }

    private void fill(int count) {
        batch.openFor(memory);
        for (int i = 0; i < count; i++) {
            batch.add(100 + i, i * 64L, 10 + i, PacketBatch.HAS_HASH);
            batch.describe(i, i * 3, i * 5, i * 7L);
        }
    }

    @Test
    void keepsWhatTheDriverSaysInOrder() {
        fill(3);
        assertThat(batch.size()).isEqualTo(3);
        assertThat(batch.room()).isEqualTo(1);
        for (int i = 0; i < 3; i++) {
            assertThat(batch.token(i)).isEqualTo(100 + i);
            assertThat(batch.offset(i)).isEqualTo(i * 64L);
            assertThat(batch.length(i)).isEqualTo(10 + i);
            assertThat(batch.hash(i)).isEqualTo(i * 3);
            assertThat(batch.checksum(i)).isEqualTo(i * 5);
            assertThat(batch.timestampNanos(i)).isEqualTo(i * 7L);
            assertThat(batch.flags(i)).isEqualTo(PacketBatch.HAS_HASH);
        }
    }

    @Test
    void anEntryRemembersThatItsLengthChanged() {
        fill(3);
        batch.setLength(0, 10);
        batch.setLength(1, 5);
        assertThat(batch.has(0, PacketBatch.RESIZED)).isFalse();
        assertThat(batch.has(1, PacketBatch.RESIZED)).isTrue();
        assertThat(batch.flags(1)).as("what applications see").isEqualTo(PacketBatch.HAS_HASH);
        assertThat(batch.hash(1)).isEqualTo(3);
        assertThat(batch.timestampNanos(1)).isEqualTo(7L);
        batch.requestChecksum(1, 14, 24);
        assertThat(batch.has(1, PacketBatch.RESIZED)).as("after a checksum was asked for").isTrue();
        batch.copyRequest(1, batch, 1);
        assertThat(batch.has(1, PacketBatch.RESIZED)).as("after a request was copied").isTrue();
        assertThat(batch.timestampNanos(1)).isEqualTo(7L);
    }

    @Test
    void tokensAreStoredAndUnwantedFlagsTold() {
        fill(3);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment tokens = arena.allocate(24, 8);
            assertThat(batch.storeTokens(tokens.address(), PacketBatch.RESIZED)).isEqualTo(10 + 11 + 12);
            assertThat(tokens.toArray(ValueLayout.JAVA_LONG)).containsExactly(100, 101, 102);
            batch.setLength(2, 0);
            assertThat(batch.storeTokens(tokens.address(), PacketBatch.RESIZED)).isEqualTo(-1);
        }
    }

    @Test
    void theTokenOfASinglePacketIsStoredLikeThatOfMany() {
        fill(1);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment tokens = arena.allocate(16, 8);
            assertThat(batch.storeTokens(tokens.address(), PacketBatch.RESIZED)).isEqualTo(10);
            assertThat(tokens.toArray(ValueLayout.JAVA_LONG)).containsExactly(100, 0);
            batch.setMore(0, true);
            assertThat(batch.storeTokens(tokens.address(), PacketBatch.MORE)).isEqualTo(-1);
        }
        batch.setSize(0);
        assertThat(batch.isEmpty()).isTrue();
        assertThat(released).isEmpty();
    }

    @Test
    void aPacketOfWhichTheCardSaysNothingHasNoTimestampOfAnEarlierOne() {
        fill(2);
        batch.release();
        batch.openFor(memory);
        batch.put(0, 7, 64, 60, PacketBatch.HAS_HASH, -5, 0, PacketBatch.NO_TIMESTAMP);
        batch.setSize(1);
        assertThat(batch.timestampNanos(0)).isEqualTo(PacketBatch.NO_TIMESTAMP);
        assertThat(batch.hash(0)).isEqualTo(-5);
        assertThat(batch.checksum(0)).isZero();
    }

    @Test
    void anEntryThatIsNotThereIsRefused() {
        fill(2);
        assertThatThrownBy(() -> batch.length(2)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> batch.offset(-1)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> batch.setLength(3, 1)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> batch.setLength(0, -1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> batch.removeFirst(3)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> new PacketBatch(0)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aFullBatchTakesNoMore() {
        fill(4);
        assertThat(batch.room()).isZero();
        assertThatThrownBy(() -> batch.add(9, 0, 1, 0)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThat(batch.size()).isEqualTo(4);
    }

    @Test
    void releaseGivesAllBackOnceAndInOrder() {
        fill(3);
        batch.release();
        assertThat(released).containsExactly(100L, 101L, 102L);
        batch.release();
        assertThat(released).hasSize(3);
        assertThat(batch.isEmpty()).isTrue();
    }

    @Test
    void whatIsLeftMovesToTheFront() {
        fill(4);
        batch.removeFirst(1);
        assertThat(batch.size()).isEqualTo(3);
        assertThat(batch.token(0)).isEqualTo(101);
        assertThat(batch.length(2)).isEqualTo(13);
        assertThat(batch.timestampNanos(1)).isEqualTo(14);
        assertThat(batch.hash(1)).isEqualTo(6);
        assertThat(batch.checksum(0)).isEqualTo(5);
        assertThat(batch.offset(0)).isEqualTo(64);
        assertThat(released).as("whoever removes them has them").isEmpty();
    }

    @Test
    void packetsOfAnotherOwnerDoNotMix() {
        fill(1);
        PacketMemory other = memory(new ArrayList<>());
        assertThatThrownBy(() -> batch.openFor(other)).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("release");
        batch.release();
        batch.openFor(other);
        assertThat(batch.memory()).isSameAs(other);
    }

    @Test
    void aBatchThatWasNeverFilledLiesNowhere() {
        assertThatThrownBy(batch::memory).isInstanceOf(IllegalStateException.class);
        batch.release();
        assertThat(batch.size()).isZero();
    }

    @Test
    void entriesJoinToOnePacket() {
        fill(2);
        assertThat(batch.hasMore(0)).isFalse();
        batch.setMore(0, true);
        assertThat(batch.hasMore(0)).isTrue();
        assertThat(batch.flags(0) & PacketBatch.HAS_HASH).isNotZero();
        batch.setMore(0, false);
        assertThat(batch.hasMore(0)).isFalse();
    }

    @Test
    void aChecksumRequestSaysStartAndDistance() {
        fill(1);
        batch.requestChecksum(0, 34, 40);
        assertThat(batch.checksumRequest(0)).isEqualTo(6 << 8 | 34);
        assertThat(batch.flags(0) & PacketBatch.INSERT_CHECKSUM).isNotZero();
        for (int[] bad : new int[][] { { -1, 3 }, { 128, 130 }, { 10, 9 }, { 0, 128 } }) {
            assertThatThrownBy(() -> batch.requestChecksum(0, bad[0], bad[1]))
                    .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("127");
        }
    }
}
