package dev.bascule.model.corundum;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.bascule.device.DmaAccess;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;

/** After warm-up, packets move without allocation. */
class AllocationTest {
    private static final int RING = 256;
    private static final long CQ_RX = 0x10000;
    private static final long CQ_TX = 0x20000;
    private static final long TX = 0x30000;
    private static final long RX = 0x40000;
    private static final long BUFFERS = 0x100000;

    /** A flat megabyte or two, without bounds that matter here. */
    private static final class Flat implements DmaAccess {
        private final MemorySegment memory = MemorySegment.ofArray(new byte[4 << 20]);

        @Override
        public boolean read(long iova, MemorySegment to, long toOffset, long lengthBytes) {
            MemorySegment.copy(memory, iova, to, toOffset, lengthBytes);
            return true;
        }

        @Override
        public boolean write(long iova, MemorySegment from, long fromOffset, long lengthBytes) {
            MemorySegment.copy(from, fromOffset, memory, iova, lengthBytes);
            return true;
        }
    }

    private final Flat memory = new Flat();
    private CorundumDevice device = new CorundumDevice(Rig.small().build(), memory, vector -> {}, this::leave,
            System::nanoTime, null);
    private int packets;

    private void leave(int port, byte[] data, int offset, int lengthBytes) {
        device.receive(port, data, offset, lengthBytes);
    }

    private void w(int offset, int value) {
        device.write(offset, 4, value);
    }

    private void open(int at, long ring, int logSize, int target) {
        w(at, (int) ring);
        w(at + 8, 0x80020000 | logSize);
        w(at + 8, 0xC0000000 | target);
        w(at + 8, 0x40000101);
    }

    private void setUp() {
        open(Rig.CQ, CQ_RX, 8, 0);
        open(Rig.CQ + 16, CQ_TX, 8, 0);
        open(Rig.TXQ, TX, 8, 1);
        open(Rig.RXQ, RX, 8, 0);
        Rig descriptors = new Rig();
        for (int i = 0; i < RING; i++) {
            descriptors.descriptor(0, 0, 64, BUFFERS + i * 64L);
            MemorySegment.copy(MemorySegment.ofArray(descriptors.get(0, 16)), 0, memory.memory, TX + i * 16L, 16);
            descriptors.descriptor(0, 0, 2048, BUFFERS + 0x10000 + i * 2048L);
            MemorySegment.copy(MemorySegment.ofArray(descriptors.get(0, 16)), 0, memory.memory, RX + i * 16L, 16);
        }
        w(Rig.PORT0 + 0x10, 1);
        w(Rig.PORT0 + 0x14, 1);
        w(Rig.SCHED_QUEUES, 0x40000101);
        w(Rig.SCHEDULER0 + 0x2C, 0x200);
        w(Rig.SCHEDULER0 + 0x20, 1);
        w(Rig.SCHEDULER0 + 0x18, 1);
    }

    /** Sends bursts of 32 frames, each of which comes back. */
    private void bursts(int count) {
        for (int i = 0; i < count; i++) {
            packets += 32;
            w(Rig.RXQ + 8, 0x80800000 | packets & 0xFFFF);
            w(Rig.TXQ + 8, 0x80800000 | packets & 0xFFFF);
            while (device.work(256) != 0) {
                // until idle
            }
            w(Rig.CQ + 8, 0x80900000 | packets & 0xFFFF);
            w(Rig.CQ + 24, 0x80900000 | packets & 0xFFFF);
        }
    }

    @Test
    void packetsMoveWithoutAllocation() {
        setUp();
        bursts(20_000);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        bursts(2_000);
        long allocated = threads.getCurrentThreadAllocatedBytes() - before;
        assertThat(allocated / 64_000).as("bytes per packet; %d bytes in all", allocated).isZero();
        assertThat(device.read(Rig.RXQ + 16, 4) >>> 16).as("all came back").isEqualTo(packets & 0xFFFF);
        assertThat(device.dropped()).isZero();
    }

    /** Not a test: prints packets per second when run by hand. */
    public static void main(String[] arguments) {
        AllocationTest run = new AllocationTest();
        run.setUp();
        for (int round = 0; round < 10; round++) {
            long start = System.nanoTime();
            run.bursts(20_000);
            System.out.println(
                    "%.1f ns a packet sent and received".formatted((System.nanoTime() - start) / (20_000 * 32.0)));
        }
    }
}
