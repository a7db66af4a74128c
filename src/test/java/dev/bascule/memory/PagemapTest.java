package dev.bascule.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.bascule.ffi.Libc;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

class PagemapTest {
    @Test
    void entryIsDecoded() {
        assertThat(Pagemap.decode(1L << 63 | 0x1234, 0x7f00_0000_0567L, 4096)).isEqualTo(0x1234_567L);
        assertThat(Pagemap.decode(-1L & ~(1L << 62), 0, 4096)).isEqualTo(((1L << 55) - 1) * 4096);
    }

    @Test
    void absentPageAndHiddenFrameAreToldApart() {
        assertThatThrownBy(() -> Pagemap.decode(0x1234, 0x5000, 4096)).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("0x5000 is not in memory");
        assertThatThrownBy(() -> Pagemap.decode(1L << 63, 0x5000, 4096))
                .isInstanceOf(UnsupportedOperationException.class).hasMessageContaining("CAP_SYS_ADMIN")
                .hasMessageContaining("run as root");
    }

    @Test
    void twoViewsOfAPageHaveOnePhysicalAddress() {
        try (Pagemap pagemap = Pagemap.open(); MirroredBuffer ring = MirroredBuffer.create("physical", 1 << 14)) {
            ring.segment().fill((byte) 1);
            long first = visible(pagemap, ring.segment(), 100);
            assertThat(first % Libc.pageSizeBytes()).isEqualTo(100);
            assertThat(pagemap.physicalAddress(ring.segment(), 100 + (1 << 14))).isEqualTo(first);
            assertThat(pagemap.physicalAddress(ring.segment(), 100 + Libc.pageSizeBytes())).isNotEqualTo(first);
        }
    }

    @Test
    void processWithoutTheCapabilityIsToldWhy() throws Exception {
        Child child = Child.without("sys_admin", PagemapChild.class);
        assumeTrue(child != null, "root without setpriv cannot drop CAP_SYS_ADMIN: sudo apt-get install util-linux");
        assertThat(child.output()).contains("hides physical addresses");
        assertThat(child.status()).isEqualTo(3);
    }

    @Test
    void misuseIsAnException() {
        Pagemap pagemap = Pagemap.open();
        assertThatThrownBy(() -> pagemap.physicalAddress(MemorySegment.NULL, 0))
                .isInstanceOf(IndexOutOfBoundsException.class);
        pagemap.close();
        try (MirroredBuffer ring = MirroredBuffer.create("closed", 1 << 14)) {
            assertThatThrownBy(() -> pagemap.physicalAddress(ring.segment(), 0))
                    .isInstanceOf(IllegalStateException.class).hasMessageContaining("closed");
        }
    }

    private static long visible(Pagemap pagemap, MemorySegment memory, long offset) {
        try {
            return pagemap.physicalAddress(memory, offset);
        } catch (UnsupportedOperationException e) {
            assumeTrue(false, e.getMessage());
            throw e;
        }
    }
}
