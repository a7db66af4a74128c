package dev.bascule.nic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.loopback.LoopbackAddressSpace;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PacketPoolTest {
    private final PacketPool pool = PacketPool.allocate("test", 8, 256);

    @AfterEach
    void close() {
        pool.close();
    }

    @Test
    void everyBufferIsHandedOutOnceAndComesBack() {
        PacketBatch batch = new PacketBatch(16);
        assertThat(pool.take(batch, 5)).isEqualTo(5);
        assertThat(pool.take(batch, 5)).as("what is left").isEqualTo(3);
        assertThat(pool.take(batch, 5)).isZero();
        for (int i = 0; i < 8; i++) {
            assertThat(batch.length(i)).isEqualTo(256);
            pool.segment().set(ValueLayout.JAVA_BYTE, batch.offset(i) + 255, (byte) i);
        }
        for (int i = 0; i < 8; i++) {
            assertThat(pool.segment().get(ValueLayout.JAVA_BYTE, batch.offset(i) + 255)).isEqualTo((byte) i);
        }
        batch.release();
        assertThat(pool.buffers().available()).isEqualTo(8);
    }

    @Test
    void aSmallBatchTakesWhatItHasRoomFor() {
        PacketBatch batch = new PacketBatch(3);
        assertThat(pool.take(batch, 8)).isEqualTo(3);
        assertThat(pool.buffers().available()).isEqualTo(5);
        batch.release();
    }

    @Test
    void isMappedOncePerAddressSpaceHoweverManyCardsUseIt() {
        LoopbackAddressSpace one = new LoopbackAddressSpace();
        LoopbackAddressSpace other = new LoopbackAddressSpace();
        assertThat(pool.map(one)).isEqualTo(pool.map(one));
        pool.map(other);
        pool.unmap(one);
        pool.unmap(one);
        assertThatThrownBy(() -> pool.unmap(one)).isInstanceOf(IllegalStateException.class);
        pool.close();
        assertThat(pool.segment().scope().isAlive()).as("a card may still send from it").isTrue();
        pool.unmap(other);
        assertThat(pool.segment().scope().isAlive()).isFalse();
        pool.close();
    }

    @Test
    void oddSizesAreRefused() {
        assertThatThrownBy(() -> PacketPool.allocate("odd", 1, 100)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("64");
        assertThatThrownBy(() -> PacketPool.allocate("none", 0, 64)).isInstanceOf(IllegalArgumentException.class);
    }
}
