package dev.bascule.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.ffi.RawMemory;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Reference;
import org.junit.jupiter.api.Test;

class DmaBufferPinnedTest {
    @Test
    void pagesStayWhileCodeThatWorksByAddressCanBeReached() {
        DmaBuffer buffer = DmaBuffer.allocate("pinned", 8192, DmaBuffer.Locking.PREFERRED);
        PinnedMemory pinned = buffer.pinned();
        assertThat(buffer.pinned()).isSameAs(pinned);
        assertThat(pinned.sizeBytes()).isEqualTo(buffer.sizeBytes());
        buffer.segment().set(ValueLayout.JAVA_LONG, 4096, 77);
        pinned.requireOpen();
        buffer.close();
        buffer.close();
        assertThat(RawMemory.load(pinned.address() + 4096)).isEqualTo(77);
        assertThatThrownBy(pinned::requireOpen).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(buffer::segment).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(buffer::pinned).isInstanceOf(IllegalStateException.class);
        Reference.reachabilityFence(pinned);
    }

    @Test
    void aSegmentOfAClosedBufferIsAnExceptionWhetherPinnedOrNot() {
        DmaBuffer buffer = DmaBuffer.allocate("plain", 4096, DmaBuffer.Locking.PREFERRED);
        var segment = buffer.segment();
        buffer.close();
        assertThatThrownBy(() -> segment.get(ValueLayout.JAVA_LONG, 0)).isInstanceOf(IllegalStateException.class);
    }
}
