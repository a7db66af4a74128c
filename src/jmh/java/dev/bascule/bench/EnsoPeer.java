package dev.bascule.bench;

import dev.bascule.device.Bar;
import dev.bascule.device.DeviceInfo;
import dev.bascule.device.DmaDirection;
import dev.bascule.device.Iova;
import dev.bascule.device.MappableMemory;
import dev.bascule.device.Registers;
import dev.bascule.memory.MemoryType;
import dev.bascule.memory.Window;
import dev.bascule.nic.enso.EnsoFormats;
import dev.bascule.nic.enso.EnsoRegisters;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * An Ensō card that does everything within the register store: a head update is answered by a notification, a tail
 * update by completions. Its traffic is what lies in the ring: whenever pipe 0 is empty, {@code batch} more flits have
 * "arrived". So nothing but the driver's work is timed.
 */
final class EnsoPeer extends BenchCard implements Registers {
    private static final int LANES = 8;
    private static final long FIRST_IOVA = 1L << 32;

    private final int[][] pages = new int[EnsoRegisters.PIPES + 2][LANES];
    private final Map<Long, MemorySegment> mapped = new HashMap<>();
    private final int pipeMask;
    private final int ringMask;
    private final int batchFlits;
    private long nextIova = FIRST_IOVA;
    private boolean traffic;
    private MemorySegment notifications = MemorySegment.NULL;

    EnsoPeer(int pipeFlits, int ringEntries, int batchFlits) {
        pipeMask = pipeFlits - 1;
        ringMask = ringEntries - 1;
        this.batchFlits = batchFlits;
    }

    /** From now on the pipe is never empty. */
    void startTraffic() {
        traffic = true;
        headWritten(0);
    }

    @Override
    public void write(long offset, int widthBytes, long value) {
        int page = (int) (offset / EnsoRegisters.PAGE_BYTES);
        int lane = (int) (offset % EnsoRegisters.LINE_BYTES) / EnsoRegisters.LANE_BYTES;
        int[] lanes = pages[page];
        lanes[lane] = (int) value;
        if (widthBytes == Long.BYTES) {
            lanes[lane + 1] = (int) (value >>> 32);
        }
        if (page < EnsoRegisters.PIPES) {
            if (lane <= 1) {
                headWritten(page);
            }
        } else if (lane == EnsoRegisters.TX_TAIL / EnsoRegisters.LANE_BYTES) {
            tailWritten(page);
        }
    }

    private void headWritten(int pipe) {
        int[] lanes = pages[pipe];
        if (traffic && pipe == 0 && lanes[0] == lanes[1]) {
            lanes[0] = lanes[0] + batchFlits & pipeMask;
        }
        if (lanes[0] == lanes[1] || lanes[3] == 0) {
            return;
        }
        int buffer = lanes[2] & EnsoFormats.BUFFER_ID_MASK;
        int[] ring = pages[EnsoRegisters.PIPES + buffer];
        MemorySegment memory = buffer == 1 ? notifications : ring(ring, 2);
        long at = (long) ring[0] * EnsoFormats.ENTRY_BYTES;
        memory.set(ValueLayout.JAVA_LONG, at + EnsoFormats.RX_PIPE, pipe);
        memory.set(ValueLayout.JAVA_LONG, at + EnsoFormats.RX_TAIL, lanes[0]);
        memory.set(ValueLayout.JAVA_LONG, at, EnsoFormats.SIGNAL_DATA);
        ring[0] = ring[0] + 1 & ringMask;
    }

    private void tailWritten(int page) {
        int[] ring = pages[page];
        boolean data = page == EnsoRegisters.PIPES + 1;
        MemorySegment memory = data ? notifications : ring(ring, 2);
        long half = (ringMask + 1L) * EnsoFormats.ENTRY_BYTES;
        for (int head = ring[5]; head != ring[4]; head = head + 1 & ringMask) {
            memory.set(ValueLayout.JAVA_LONG, half + (long) head * EnsoFormats.ENTRY_BYTES, EnsoFormats.SIGNAL_DONE);
        }
        ring[5] = ring[4];
    }

    private MemorySegment ring(int[] ring, int lane) {
        long iova = (long) ring[lane + 1] << 32 | Integer.toUnsignedLong(ring[lane]);
        MemorySegment memory = mapped.getOrDefault(iova, MemorySegment.NULL);
        if (ring == pages[EnsoRegisters.PIPES + 1]) {
            notifications = memory;
        }
        return memory;
    }

    /** To be called when the group is open: its ring is looked up once. */
    void connect() {
        ring(pages[EnsoRegisters.PIPES + 1], 2);
    }

    @Override
    public long read(long offset, int widthBytes) {
        int[] lanes = pages[(int) (offset / EnsoRegisters.PAGE_BYTES)];
        int lane = (int) (offset % EnsoRegisters.LINE_BYTES) / EnsoRegisters.LANE_BYTES;
        long low = Integer.toUnsignedLong(lanes[lane]);
        return widthBytes == Long.BYTES ? (long) lanes[lane + 1] << 32 | low : low;
    }

    @Override
    public long sizeBytes() {
        return EnsoRegisters.BAR_BYTES;
    }

    @Override
    public Iova map(MappableMemory memory, DmaDirection direction) {
        Iova iova = new Iova(nextIova);
        mapped.put(nextIova, memory.segment());
        nextIova += 4 * memory.segment().byteSize();
        return iova;
    }

    @Override
    public void mapAt(Iova iova, MappableMemory memory, DmaDirection direction) {
        mapped.put(iova.value(), memory.segment());
    }

    @Override
    public void unmap(Iova iova) {
        mapped.remove(iova.value());
    }

    @Override
    public DeviceInfo info() {
        return new DeviceInfo("instant enso", "bench", null, EnsoRegisters.VENDOR_ID, EnsoRegisters.DEVICE_ID,
                EnsoRegisters.CLASS_CODE, -1);
    }

    @Override
    public List<Bar> bars() {
        return List.of(new Bar(EnsoRegisters.BAR_INDEX, EnsoRegisters.BAR_BYTES, true, true, List.of()));
    }

    @Override
    public Registers registers(int bar) {
        return this;
    }

    @Override
    public Registers config() {
        return this;
    }

    @Override
    public MemorySegment memory(int bar, long offset, long lengthBytes) {
        throw new UnsupportedOperationException("its registers act on stores");
    }

    @Override
    public Window window(int bar, MemoryType type) {
        throw new UnsupportedOperationException("its registers act on stores");
    }
}
